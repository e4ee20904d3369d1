# SPDX-License-Identifier: BSL-1.0
# The programs of the documentation: on the host all of them, as docs.<program>, on a board those that it can run, as
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
if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "QUICK")
  return() # fifty programs, a fifth of what it may take to build: host-gcc has them
endif()
foreach(program IN LISTS doc_programs)
  if(doc_machine STREQUAL "host" AND NOT NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
    file(STRINGS ${CMAKE_BINARY_DIR}/docs/${program}.cpp large REGEX "^#include <neuromorph/(network|mapping|machine|host)/")
    if(large)
      continue() # which read the same headers, for eight seconds each
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
