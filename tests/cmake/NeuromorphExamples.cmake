# SPDX-License-Identifier: BSL-1.0
# Tests of the example programs as a user runs them.
set(cuba $<TARGET_FILE:cuba>)
set(compare ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/examples/compare.py --host ${cuba} --other twin=${cuba})

add_test(NAME examples.minimal COMMAND minimal)
add_test(NAME examples.cuba.help COMMAND cuba --help)
set_tests_properties(examples.cuba.help PROPERTIES PASS_REGULAR_EXPRESSION "usage: cuba")

add_test(NAME examples.cuba.agrees_with_itself COMMAND ${compare} -- --duration 0.3)
set_tests_properties(examples.cuba.agrees_with_itself PROPERTIES
  PASS_REGULAR_EXPRESSION "twin: all 1 digests are those of the host")
add_test(NAME examples.cuba.finds_a_fault COMMAND ${compare} --fault 1234:77 -- --duration 0.3)
set_tests_properties(examples.cuba.finds_a_fault PROPERTIES
  PASS_REGULAR_EXPRESSION "twin differs from the host: first at step 1234, neuron 77, membrane")

# Bad input is one sentence and exit status 2.
foreach(bad IN ITEMS "--neurons;4097" "--connections;/dev/null/none" "--initial;${PROJECT_SOURCE_DIR}/LICENSE" "--dt;0.3"
    "--output;/nowhere/at/all")
  list(GET bad 0 option)
  string(REPLACE "--" "" option ${option})
  list(JOIN bad "' '" words)
  add_test(NAME examples.cuba.refuses_${option}
    COMMAND sh -c "lines=$('${cuba}' '${words}' 2>&1 >/dev/null); test $? -eq 2 && test $(echo \"$lines\" | wc -l) -eq 1")
endforeach()

if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
  add_test(NAME examples.cuba.picture COMMAND sh -c
    "mkdir -p cuba && '${cuba}' --output cuba >/dev/null && cmp cuba/raster.svg '${PROJECT_SOURCE_DIR}/docs/images/cuba.svg'")
endif()

# Each example against the single header, found before the folder of headers (for what is not in the umbrella).
if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
  foreach(example IN ITEMS cuba minimal)
    add_test(NAME examples.single.${example} COMMAND sh -c
      "mkdir -p single/neuromorph && cp '${CMAKE_BINARY_DIR}/single/neuromorph.hpp' single/neuromorph/ && \
       '${CMAKE_CXX_COMPILER}' -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Isingle -idirafter '${PROJECT_SOURCE_DIR}/include' \
       '${PROJECT_SOURCE_DIR}/examples/${example}/main.cpp'")
  endforeach()
endif()
