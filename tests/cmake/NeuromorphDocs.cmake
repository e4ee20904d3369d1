# SPDX-License-Identifier: BSL-1.0
# The programs of the documentation: on the host all of them, as docs.<program>, on the first board those that it can run, as
# docs.<program>.<board>.
file(GLOB doc_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/README.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${doc_pages} checks/docs.py)
set(doc_machine host)
set(doc_suffix "")
if(NEUROMORPH_BOARD)
  set(doc_machine board)
  set(doc_suffix .${NEUROMORPH_BOARD})
endif()
execute_process(
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/docs.py ${doc_machine} ${CMAKE_BINARY_DIR}/docs
    ${doc_pages}
  OUTPUT_VARIABLE doc_programs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" doc_programs "${doc_programs}")
# Seventy programs, a fifth of what it may take to build. host-gcc has them, and `tests/run long` with sanitizers; of the boards
# that have one compiler, the first.
if(NEUROMORPH_TEST_BUILD_CHECKS MATCHES "QUICK|COMPILER" OR (NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "OFF" AND NOT NEUROMORPH_TEST_LONG) OR NEUROMORPH_BOARD MATCHES "^mps")
  return()
endif()
set(large_pages "")
foreach(program IN LISTS doc_programs)
  if(doc_machine STREQUAL "host")
    file(STRINGS ${CMAKE_BINARY_DIR}/docs/${program}.cpp large REGEX "^#include <neuromorph/${neuromorph_host_folders}/")
    if(large) # they read the same headers, for eight seconds each: those of a page are one program
      string(REGEX REPLACE "_[0-9]+$" "" page ${program})
      list(APPEND large_pages ${page})
      list(APPEND large_of_${page} ${program})
      continue()
    endif()
  endif()
  set(name docs.${program}${doc_suffix})
  neuromorph_add_program(${name} ${CMAKE_BINARY_DIR}/docs/${program}.cpp)
  if(program MATCHES "^log_")
    neuromorph_link_log(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 60)
endforeach()

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  return() # where units are sanitized, which read these headers, too
endif()
list(REMOVE_DUPLICATES large_pages)
foreach(page IN LISTS large_pages)
  list(TRANSFORM large_of_${page} PREPEND ${CMAKE_BINARY_DIR}/docs/ OUTPUT_VARIABLE files)
  list(TRANSFORM files APPEND .cpp)
  set(merged ${CMAKE_BINARY_DIR}/docs/page.${page}.cpp)
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/docs.py merge ${merged} ${files}
    COMMAND_ERROR_IS_FATAL ANY)
  neuromorph_add_program(docs.${page} ${merged})
  target_compile_options(docs.${page} PRIVATE -Og -g0)
  foreach(program IN LISTS large_of_${page})
    add_test(NAME docs.${program} COMMAND docs.${page} ${program})
    set_tests_properties(docs.${program} PROPERTIES TIMEOUT 60)
    if(NEUROMORPH_TEST_LONG) # whether it has all includes that it needs
      add_test(NAME docs.${program}.alone COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -I${PROJECT_SOURCE_DIR}/include
        ${CMAKE_BINARY_DIR}/docs/${program}.cpp)
      set_tests_properties(docs.${program}.alone PROPERTIES TIMEOUT 120 LABELS long)
    endif()
  endforeach()
endforeach()
