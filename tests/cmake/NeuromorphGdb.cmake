# SPDX-License-Identifier: BSL-1.0
# Stock gdb and the stub on the emulated board.
find_program(NEUROMORPH_GDB gdb-multiarch DOC "For gdb.session")
mark_as_advanced(NEUROMORPH_GDB)
if(NOT NEUROMORPH_GDB)
  message(WARNING "gdb-multiarch was not found: gdb.session is left out")
  return()
endif()
get_property(emulator GLOBAL PROPERTY neuromorph_emulator)
separate_arguments(emulator)
set(gdb_kinds stub probe)
if(NEUROMORPH_BOARD STREQUAL "mps2_an386")
  list(APPEND gdb_kinds mailbox)
endif()
foreach(kind IN LISTS gdb_kinds)
  set(program gdb.subject_${kind})
  set(name gdb.session_${kind}.${NEUROMORPH_BOARD})
  neuromorph_add_program(${program} gdb/subject.cpp)
  string(TOUPPER ${kind} KIND)
  target_compile_options(${program} PRIVATE -Og -g -DGDB_SUBJECT_${KIND})
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/gdb.py ${kind}
    $<TARGET_FILE:${program}> ${emulator})
  set_tests_properties(${name} PROPERTIES TIMEOUT 450)
endforeach()

# The hunt of examples/debug_me, as its user goes through it; the page shows that of the Cortex-M4. Of a program that is mended
# there is nothing to see.
if(TARGET debug_me)
  set(hunt_versatilepb --board arm926)
  set(hunt_mps2_an386 --board cortex-m4 --page ${PROJECT_SOURCE_DIR}/docs/debugging.md)
  set(hunt ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/examples/debug_me/walkthrough.py ${hunt_${NEUROMORPH_BOARD}})
  add_test(NAME examples.debug_me.${NEUROMORPH_BOARD} COMMAND ${hunt} --programs $<TARGET_FILE_DIR:debug_me>)
  list(JOIN hunt "' '" hunt)
  add_test(NAME examples.debug_me.${NEUROMORPH_BOARD}.mended COMMAND sh -c
    "mkdir -p mended && ln -sf '$<TARGET_FILE:debug_me_mended>' mended/debug_me.elf && '${hunt}' --programs mended")
  set_tests_properties(examples.debug_me.${NEUROMORPH_BOARD}.mended PROPERTIES
    PASS_REGULAR_EXPRESSION "walkthrough: debug_me has ended with 0 instead of 3\n$")
  set_tests_properties(examples.debug_me.${NEUROMORPH_BOARD} examples.debug_me.${NEUROMORPH_BOARD}.mended PROPERTIES TIMEOUT 300)
endif()
