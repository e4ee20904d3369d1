# SPDX-License-Identifier: BSL-1.0
# Tests of the example programs as a user runs them.

# neuromorph_example_refuses(<example> "<option> <value>"...): bad input is one sentence on stderr and status 2.
function(neuromorph_example_refuses example)
  foreach(bad IN LISTS ARGN)
    string(REGEX MATCH "^--([a-z]+) (.*)$" matched "${bad}")
    add_test(NAME examples.${example}.refuses_${CMAKE_MATCH_1} COMMAND sh -c
      "lines=$('$<TARGET_FILE:${example}>' '--${CMAKE_MATCH_1}' '${CMAKE_MATCH_2}' 2>&1 >/dev/null); \
       test $? -eq 2 && test $(echo \"$lines\" | wc -l) -eq 1")
  endforeach()
endfunction()

# neuromorph_example(<example> DIGESTS <number> FAULT <step> <number> <what it changes> [ITEM <what has the number>]
#   [ARGUMENTS <argument>...]): says how to use it, gives as many equal digests twice, and differs where it is told to.
function(neuromorph_example example)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIGESTS;ITEM" "FAULT;ARGUMENTS")
  if(NOT arg_ITEM)
    set(arg_ITEM neuron)
  endif()
  list(GET arg_FAULT 0 step)
  list(GET arg_FAULT 1 number)
  list(GET arg_FAULT 2 changed)
  set(program $<TARGET_FILE:${example}>)
  set(compare ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/examples/compare.py --item ${arg_ITEM} --host ${program}
    --other twin=${program})
  add_test(NAME examples.${example}.help COMMAND ${example} --help)
  set_tests_properties(examples.${example}.help PROPERTIES PASS_REGULAR_EXPRESSION "usage: ${example}")
  add_test(NAME examples.${example}.agrees_with_itself COMMAND ${compare} -- ${arg_ARGUMENTS})
  set_tests_properties(examples.${example}.agrees_with_itself PROPERTIES
    PASS_REGULAR_EXPRESSION "twin: all ${arg_DIGESTS} digests are those of the host")
  add_test(NAME examples.${example}.finds_a_fault COMMAND ${compare} --fault ${step}:${number} -- ${arg_ARGUMENTS})
  set_tests_properties(examples.${example}.finds_a_fault PROPERTIES PASS_REGULAR_EXPRESSION
    "twin differs from the host: first at step ${step}, ${arg_ITEM} ${number}, ${changed}")
endfunction()

add_test(NAME examples.minimal COMMAND minimal)
# Two networks, which are the same on any number of threads, by any compiler.
foreach(threads IN ITEMS 1 2)
  add_test(NAME examples.network.threads_${threads} COMMAND network --duration 0.05 --scale 0.01 --threads ${threads})
  set_tests_properties(examples.network.threads_${threads} PROPERTIES
    PASS_REGULAR_EXPRESSION "CUBA: .*digest ce1d976ba270f1a1.*Cortical microcircuit: .*digest e1785e3de2d35b48")
endforeach()
neuromorph_example_refuses(network "--scale 0" "--output /dev/null/none" "--nonsense 1")

if(NEUROMORPH_BUILD_LARGE_EXAMPLES)
  # It ends with 1 where the hand does not follow.
  add_test(NAME examples.closed_loop COMMAND closed_loop)
  set_tests_properties(examples.closed_loop PROPERTIES PASS_REGULAR_EXPRESSION "5.00 s  target .*mean distance"
    FAIL_REGULAR_EXPRESSION "does not follow")

  # It ends with 2 where a cell is not as in a plain life.
  foreach(threads IN ITEMS 1 2)
    add_test(NAME examples.life.${threads} COMMAND life --threads ${threads})
    set_tests_properties(examples.life.${threads} PROPERTIES
      PASS_REGULAR_EXPRESSION "proved: all keys.*digest cef2d61e13764717.*all ticks are those of the plain life")
  endforeach()
  neuromorph_example_refuses(life "--board there" "--port 0" "--width 2" "--ticks 0" "--output /dev/null/none" "--nonsense 1")

  # Graphs are mapped, and what came of it is proved.
  add_test(NAME examples.mapping COMMAND mapping --scale 0.1)
  set_tests_properties(examples.mapping PROPERTIES PASS_REGULAR_EXPRESSION "50 x 50 once more:.*proved: all keys.*on [0-9]+ boards:.*proved: all keys"
    FAIL_REGULAR_EXPRESSION "not so")
  neuromorph_example_refuses(mapping "--scale 0" "--output /dev/null/none" "--nonsense 1")
  add_test(NAME tools.map COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/map.py $<TARGET_FILE:mapper>)
  set(cell_image "")
  set(balanced_image "")
  set(balanced_passes "native cores:")
  if(NEUROMORPH_HAS_EMULATOR AND TARGET image.balanced)
    get_target_property(cell_image image.life_cell NEUROMORPH_IMAGE)
    get_target_property(balanced_image image.balanced NEUROMORPH_IMAGE)
    set(balanced_image --image ${balanced_image})
    set(balanced_passes "native cores:.*emulated cores:")
  endif()
  add_test(NAME tools.spinnaker_machine COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/machine.py
    $<TARGET_FILE:machine_server> $<TARGET_FILE:life> ${cell_image})
  if(cell_image AND NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
    add_test(NAME examples.board_in_ci COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/board_in_ci.py
      ${PROJECT_BINARY_DIR} $<TARGET_FILE:machine_server>)
  endif()
  if(TARGET live_life) # without SQLite there is none, and unit.execution.database says so
    add_test(NAME examples.live_life COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/live.py $<TARGET_FILE:live_life>)
  endif()
  # A hand that devices and cores move, tick by tick as a plain loop does.
  add_test(NAME examples.reaching COMMAND reaching)
  set_tests_properties(examples.reaching PROPERTIES PASS_REGULAR_EXPRESSION "3000 ticks are those of a plain loop")
  # The five cores of the balanced network, native and, where there is an emulator, emulated: the known digests.
  add_test(NAME examples.balanced_machine COMMAND balanced_machine --duration 1 --threads 2 ${balanced_image})
  set_tests_properties(examples.balanced_machine PROPERTIES PASS_REGULAR_EXPRESSION "${balanced_passes}")
  neuromorph_example_refuses(balanced_machine "--duration 0" "--image /dev/null/none" "--nonsense 1")
endif()

# What the programs do with the command line, files and terminals that they are given, and the scripts that run them.
set(programs_of_checks examples)
if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
  list(APPEND programs_of_checks compare scripts)
endif()
foreach(check IN LISTS programs_of_checks)
  add_test(NAME programs.${check} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/programs.py
    $<TARGET_FILE_DIR:cuba> ${check})
  set_tests_properties(programs.${check} PROPERTIES COST 50) # among the longest: begin early
endforeach()

# The yardstick: it fails where a digest is not that of examples/balanced_plastic/digests.hpp.
add_test(NAME examples.balanced_plastic.digests COMMAND balanced_plastic --duration 2)
set_tests_properties(examples.balanced_plastic.digests PROPERTIES
  PASS_REGULAR_EXPRESSION "second   2 core 4 spikes" FAIL_REGULAR_EXPRESSION "are not those;was lost")
neuromorph_example_refuses(balanced_plastic "--duration 0" "--output /dev/null/none" "--spikes /dev/null/none")

neuromorph_example(cuba DIGESTS 1 FAULT 1234 77 membrane ARGUMENTS --duration 0.3)
neuromorph_example_refuses(cuba "--neurons 4097" "--connections /dev/null/none"
  "--initial ${PROJECT_SOURCE_DIR}/LICENSE" "--dt 0.3" "--output /dev/null/none")

neuromorph_example(neurons ITEM cell DIGESTS 6 FAULT 1234 300 membrane)
neuromorph_example_refuses(neurons "--flip 5:429" "--output /dev/null/none" "--nonsense 1")
# The digest is the same on every machine and in every build: a change of it is a change of results.
add_test(NAME examples.neurons.digest COMMAND neurons)
set_tests_properties(examples.neurons.digest PROPERTIES PASS_REGULAR_EXPRESSION "${neurons_digest}")

neuromorph_example(two_rules ITEM synapse DIGESTS 6 FAULT 33 70 weight)
neuromorph_example_refuses(two_rules "--steps 0" "--flip 5:1024" "--output /dev/null/none" "--nonsense 1")
# The digest is the same on every machine and in every build: a change of it is a change of results.
add_test(NAME examples.two_rules.digest COMMAND two_rules)
set_tests_properties(examples.two_rules.digest PROPERTIES
  PASS_REGULAR_EXPRESSION "step       60     6.0000 s   digest cd72dc43dc50a6c4.*defect       96 synapses, 0 changed")

# Rules of one's own: the same lines on every machine and in every build.
add_test(NAME examples.own_rule COMMAND own_rule)
set_tests_properties(examples.own_rule PROPERTIES PASS_REGULAR_EXPRESSION
  "2000 ms  together 15413, one alone  7100, both alone  9811, forgetful 11945  digest 5a7b7342bb9d6a97")

if(TARGET trained)
  add_test(NAME examples.trained COMMAND trained)
  set_tests_properties(examples.trained PROPERTIES PASS_REGULAR_EXPRESSION "400 of 400 right;.*held 0, digest 2fd7a0d77bda604e")
  neuromorph_example_refuses(trained "--output /dev/null/none" "--nonsense 1")
endif()

add_test(NAME examples.stdp_window.help COMMAND stdp_window --help)
set_tests_properties(examples.stdp_window.help PROPERTIES PASS_REGULAR_EXPRESSION "usage: stdp_window")
neuromorph_example_refuses(stdp_window "--output /dev/null/none" "--nonsense 1")

neuromorph_example(trace_heap ITEM history DIGESTS 2 FAULT 723 77 trace ARGUMENTS --duration 1)
neuromorph_example_refuses(trace_heap "--duration 0" "--rate 51" "--flip 5:255" "--output /dev/null/none" "--nonsense 1")
# Of the events that are alive in the end: the same with every collector, on every machine and in every build.
add_test(NAME examples.trace_heap.digest COMMAND trace_heap)
set_tests_properties(examples.trace_heap.digest PROPERTIES
  PASS_REGULAR_EXPRESSION "those of a model that never frees\n +in the end with digest 09c05b4e729f7c91")
add_test(NAME examples.trace_heap.drops_are_counted COMMAND trace_heap --rate 20 --duration 1)
set_tests_properties(examples.trace_heap.drops_are_counted PROPERTIES
  PASS_REGULAR_EXPRESSION "gc::Fifo [^\n]* [1-9][0-9]* +[0-9]+ +[1-9][0-9]*\n.*those of a model that never frees")

neuromorph_example(deadlines ITEM run DIGESTS 5 FAULT 33 70 finish)
neuromorph_example_refuses(deadlines "--steps 0" "--hog 1001" "--output /dev/null/none" "--nonsense 1")
# The digest is the same on every machine and in every build: a change of it is a change of results. Nothing is late, as
# was proved.
add_test(NAME examples.deadlines.meets_them COMMAND deadlines --steps 5000)
set_tests_properties(examples.deadlines.meets_them PROPERTIES PASS_REGULAR_EXPRESSION
  "neurons +5000 +5000 +0 +0 .*rates +2000 +2000 +0 +0 .*learning +6667 +6667 +0 +0 .*step     5000     5.0000 s   digest 2c931ccdbe9be3a1")
# In overload the counts still add up, and a budget confines it to the service that causes it.
add_test(NAME examples.deadlines.overload COMMAND deadlines --hog 600)
set_tests_properties(examples.deadlines.overload PROPERTIES PASS_REGULAR_EXPRESSION
  "neurons +98 +98 +88 .*rates +40 +40 +36 .*learning +128 +128 +112 +0 .*266 events [+] 0 skipped [+] 7 at the end.*267 events = 267 run")
add_test(NAME examples.deadlines.budget COMMAND deadlines --hog 600 --budget)
set_tests_properties(examples.deadlines.budget PROPERTIES PASS_REGULAR_EXPRESSION
  "neurons +100 +100 +0 .*rates +40 +40 +0 .*learning +122 +122 +119 .*snapshot +1 +1 +0 .*262 events [+] 0 skipped [+] 11 at the end")

# neuromorph_example_pictures(<test> <example> [ARGUMENTS <argument>...] PICTURES <file it writes> <picture>...): the
# pictures on the pages are those that the program draws.
function(neuromorph_example_pictures test example)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ARGUMENTS;PICTURES")
  list(JOIN arg_ARGUMENTS " " arguments)
  set(compare "")
  while(arg_PICTURES)
    list(POP_FRONT arg_PICTURES made picture)
    string(APPEND compare " && cmp ${test}/${made} '${PROJECT_SOURCE_DIR}/${picture}'")
  endwhile()
  add_test(NAME examples.${example}.${test} COMMAND sh -c
    "mkdir -p ${test} && '$<TARGET_FILE:${example}>' ${arguments} --output ${test} >/dev/null${compare}"
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${example})
endfunction()

if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
  foreach(example IN ITEMS cuba deadlines neurons stdp_window two_rules trace_heap)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${example})
  endforeach()
  neuromorph_example_pictures(picture cuba PICTURES raster.svg docs/images/cuba.svg)
  neuromorph_example_pictures(picture deadlines ARGUMENTS --hog 600 PICTURES gantt.svg docs/images/deadlines.svg)
  neuromorph_example_pictures(picture_budget deadlines ARGUMENTS --hog 600 --budget
    PICTURES gantt.svg docs/images/deadlines_budget.svg)
  neuromorph_example_pictures(picture neurons PICTURES responses.svg docs/images/neurons.svg)
  # Spikes come on the steps of the reference in double, but for Izhikevich's, which the midpoint method has late.
  add_test(NAME examples.neurons.reference COMMAND sh -c
    "mkdir -p neurons && '$<TARGET_FILE:neurons>' --output neurons | grep 'fall on the step' | \
     awk '$(NF-9) != $(NF-11) && !/Izhikevich/ { exit 1 } { spikes += $(NF-9) } END { exit !(NR == 13 && spikes > 150) }'")
  neuromorph_example_pictures(picture stdp_window PICTURES windows.svg docs/images/stdp_window.svg)
  if(TARGET trained)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/trained)
    neuromorph_example_pictures(picture trained PICTURES trained.svg docs/images/trained.svg)
  endif()
  neuromorph_example_pictures(picture two_rules PICTURES weights.svg docs/images/two_rules.svg)
  neuromorph_example_pictures(picture trace_heap
    PICTURES occupancy.svg docs/images/traces_occupancy.svg reclaimed.svg docs/images/traces_reclaimed.svg
      work.svg docs/images/traces_work.svg)
  # The page has the table that this run writes.
  add_test(NAME examples.trace_heap.table COMMAND sh -c
    "mkdir -p trace_heap_table && '$<TARGET_FILE:trace_heap>' --output trace_heap_table >/dev/null && \
     sed -n '/^<!-- trace_heap: /,/^<!-- end of trace_heap/p' '${PROJECT_SOURCE_DIR}/docs/traces.md' | sed '1d;$d' | \
     diff - trace_heap_table/table.txt")
endif()

# Each example against the single header, found before the folder of headers (for what is not in the umbrella).
if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
  foreach(example IN ITEMS cuba deadlines minimal neurons own_rule stdp_window trace_heap two_rules)
    add_test(NAME examples.single.${example} COMMAND sh -c
      "mkdir -p single.${example}/neuromorph && cp '${CMAKE_BINARY_DIR}/single/neuromorph.hpp' single.${example}/neuromorph/ && \
       '${CMAKE_CXX_COMPILER}' -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Isingle.${example} -idirafter '${PROJECT_SOURCE_DIR}/include' \
       '${PROJECT_SOURCE_DIR}/examples/${example}/main.cpp'")
  endforeach()
endif()

# docs/images/parts.svg has the folders that tests/lint.py knows.
add_test(NAME picture.parts COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/parts_picture.py --check)
