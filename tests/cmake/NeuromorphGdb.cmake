# SPDX-License-Identifier: BSL-1.0
# Stock gdb and the stub on the emulated board.
find_program(NEUROMORPH_GDB gdb-multiarch DOC "For gdb.session")
mark_as_advanced(NEUROMORPH_GDB)
if(NOT NEUROMORPH_GDB)
  message(WARNING "gdb-multiarch was not found: gdb.session is left out")
  return()
endif()
neuromorph_add_program(gdb.subject gdb/subject.cpp)
target_compile_options(gdb.subject PRIVATE -Og -g)
target_include_directories(gdb.subject PRIVATE ${PROJECT_SOURCE_DIR})
get_property(emulator GLOBAL PROPERTY neuromorph_emulator)
separate_arguments(emulator)
add_test(NAME gdb.session.${NEUROMORPH_BOARD}
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/gdb.py $<TARGET_FILE:gdb.subject> ${emulator})
set_tests_properties(gdb.session.${NEUROMORPH_BOARD} PROPERTIES TIMEOUT 450)
