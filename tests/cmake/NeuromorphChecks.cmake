# SPDX-License-Identifier: BSL-1.0
# The tests that compile or read the sources and run nothing of ours. The work is done by the scripts in
# tests/checks, which read compilers and flags from checks.json.

find_program(NEUROMORPH_ARM_CXX arm-none-eabi-g++ DOC "Compiler for the ARM checks")
find_program(NEUROMORPH_CLANG_FORMAT NAMES clang-format-14 clang-format DOC "Version 14, for lint.format")
find_program(NEUROMORPH_AARCH64_CXX aarch64-linux-gnu-g++ DOC "Compiler for the checks of AArch64 headers")
find_program(NEUROMORPH_POWERPC_CXX powerpc-linux-gnu-g++ DOC "Compiler for the checks of PowerPC headers")
find_program(NEUROMORPH_CLANG_TIDY NAMES clang-tidy-14 clang-tidy DOC "Version 14, for analyse.clang_tidy")
find_program(NEUROMORPH_CPPCHECK cppcheck DOC "For analyse.cppcheck")
mark_as_advanced(NEUROMORPH_CLANG_TIDY NEUROMORPH_CPPCHECK
  NEUROMORPH_ARM_CXX NEUROMORPH_AARCH64_CXX NEUROMORPH_POWERPC_CXX NEUROMORPH_CLANG_FORMAT)

get_target_property(warnings neuromorph_warnings INTERFACE_COMPILE_OPTIONS)
set(neuromorph_precompiled_umbrella "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang") # for refusals: hundreds of small programs
  set(neuromorph_precompiled_umbrella ${CMAKE_CURRENT_BINARY_DIR}/neuromorph.pch)
  add_custom_command(OUTPUT ${neuromorph_precompiled_umbrella}
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${warnings} -I${PROJECT_SOURCE_DIR}/include
      -x c++-header ${PROJECT_SOURCE_DIR}/include/neuromorph/neuromorph.hpp -o ${neuromorph_precompiled_umbrella}
      -MD -MT ${neuromorph_precompiled_umbrella} -MF ${neuromorph_precompiled_umbrella}.d
    DEPENDS ${PROJECT_SOURCE_DIR}/include/neuromorph/neuromorph.hpp DEPFILE ${neuromorph_precompiled_umbrella}.d
    COMMENT "Precompiling the umbrella header" VERBATIM)
  add_custom_target(precompiled_umbrella ALL DEPENDS ${neuromorph_precompiled_umbrella})
endif()
list(JOIN warnings "\", \"" warnings)
set(x86 false)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|i.86)$")
  set(x86 true)
endif()
set(arm_cxx ${NEUROMORPH_ARM_CXX})
if(NOT arm_cxx)
  set(arm_cxx "")
endif()
set(neuromorph_settings ${CMAKE_CURRENT_BINARY_DIR}/checks.json)
file(WRITE ${neuromorph_settings} "{
  \"cxx\": \"${CMAKE_CXX_COMPILER}\",
  \"cxx_id\": \"${CMAKE_CXX_COMPILER_ID}\",
  \"arm_cxx\": \"${arm_cxx}\",
  \"aarch64_cxx\": \"${NEUROMORPH_AARCH64_CXX}\",
  \"powerpc_cxx\": \"${NEUROMORPH_POWERPC_CXX}\",
  \"x86\": ${x86},
  \"warnings\": [\"${warnings}\"],
  \"precompiled_umbrella\": \"${neuromorph_precompiled_umbrella}\",
  \"build\": \"${CMAKE_BINARY_DIR}\"
}
")

set(neuromorph_python ${Python3_EXECUTABLE} -B)
set(neuromorph_checks ${CMAKE_CURRENT_SOURCE_DIR}/checks)

# neuromorph_add_check(<test name> <script> <arguments>...)
function(neuromorph_add_check name script)
  add_test(NAME ${name} COMMAND ${neuromorph_python} ${neuromorph_checks}/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120)
endfunction()

# The headers, and their names in tests: kernels/neurons/part.hpp is kernels.neurons.part.
file(GLOB_RECURSE neuromorph_headers CONFIGURE_DEPENDS
  RELATIVE ${PROJECT_SOURCE_DIR}/include/neuromorph ${PROJECT_SOURCE_DIR}/include/neuromorph/*.hpp)

# The umbrella's headers come in by it, too.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/neuromorph/neuromorph.hpp neuromorph_umbrella REGEX "^#include <neuromorph/")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/neuromorph/neuromorph.hpp)
list(TRANSFORM neuromorph_umbrella REPLACE "^#include <neuromorph/(.*)>.*$" "\\1")

# The machines a header says it is for, by its first lines (tests/README.md); reads them again when it changes.
function(neuromorph_machines_of header result)
  set(path ${PROJECT_SOURCE_DIR}/include/neuromorph/${header})
  file(STRINGS ${path} markers REGEX "^// (host|arm)-only$")
  set(machines host)
  if(arm_cxx)
    list(APPEND machines arm926)
    # which has the same compiler and library: what it has in common with the ARM926 has been compiled there
    if(NOT header IN_LIST neuromorph_umbrella OR header MATCHES "^target/")
      list(APPEND machines cortex-m4)
    endif()
  endif()
  if("// host-only" IN_LIST markers)
    set(machines host)
  elseif("// arm-only" IN_LIST markers)
    list(REMOVE_ITEM machines host)
  endif()
  # Linux on other processors: the umbrella, and what is for them alone
  foreach(machine IN ITEMS aarch64 powerpc)
    string(TOUPPER ${machine} upper)
    file(STRINGS ${path} needed REGEX "^// requires: .*[(]${machine}[)]$")
    if(NEUROMORPH_${upper}_CXX AND (needed OR header STREQUAL "neuromorph.hpp"))
      list(APPEND machines ${machine})
    endif()
  endforeach()
  set(${result} ${machines} PARENT_SCOPE)
endfunction()

function(neuromorph_test_name path result)
  string(REGEX REPLACE "\\.[a-z]+$" "" name ${path})
  string(REPLACE "/" "." name ${name})
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# --- what depends on the compiler of the host -----------------------------------------------------------------

foreach(header IN LISTS neuromorph_headers)
  neuromorph_test_name(${header} name)
  neuromorph_machines_of(${header} machines)
  if(NEUROMORPH_TEST_BUILD_CHECKS MATCHES "COMPILER|QUICK")
    list(FILTER machines INCLUDE REGEX "^host$")
    if(header IN_LIST neuromorph_umbrella) # what it lacks, it lacks with any compiler of the same library
      continue()
    endif()
  endif()
  if(NOT machines OR (header MATCHES "^${neuromorph_host_folders}/" AND NEUROMORPH_TEST_BUILD_CHECKS MATCHES "COMPILER|QUICK"))
    continue() # those for hosts read all of the standard library, for some seconds each; Clang has them in their sanitized tests
  endif()
  set(path ${PROJECT_SOURCE_DIR}/include/neuromorph/${header})
  if(NEUROMORPH_TEST_LONG OR NOT header MATCHES "^${neuromorph_host_folders}/") # hostile.hosts compiles all of those in one go
    neuromorph_add_check(header.${name} header.py alone ${neuromorph_settings} ${path} ${machines})
    if(header MATCHES "^${neuromorph_host_folders}/")
      set_tests_properties(header.${name} PROPERTIES LABELS long)
    endif()
  endif()
  if(header MATCHES "^${neuromorph_host_folders}/" AND NOT header MATCHES "/mpi\\.")
    list(APPEND hosts_only ${path}) # all of them in one go
  elseif(NOT header IN_LIST neuromorph_umbrella AND
      (NOT NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "QUICK" OR header STREQUAL "neuromorph.hpp"))
    neuromorph_add_check(hostile.${name} header.py hostile ${neuromorph_settings} ${path} ${machines})
  endif()
endforeach()
if(hosts_only)
  list(JOIN hosts_only "," hosts_only)
  neuromorph_add_check(hostile.hosts header.py hostile ${neuromorph_settings} ${hosts_only} host)
endif()
if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
  set_tests_properties(hostile.hosts PROPERTIES TIMEOUT 300)
endif()
if(NEUROMORPH_TEST_LONG) # all of the standard library, twice
  neuromorph_add_check(hostile.variables header.py variables ${neuromorph_settings} host)
  neuromorph_add_check(header.without_mpi header.py without ${neuromorph_settings} mpi.h)
  set_tests_properties(hostile.variables header.without_mpi PROPERTIES TIMEOUT 300 LABELS long)
endif()

file(GLOB fail_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/fail fail/*.cpp)
foreach(source IN LISTS fail_sources)
  neuromorph_test_name(${source} name)
  neuromorph_add_check(fail.${name} fail.py ${neuromorph_settings} ${CMAKE_CURRENT_SOURCE_DIR}/fail/${source})
endforeach()
if(NOT NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "QUICK")
  foreach(check IN ITEMS fail header hostile standard without)
    neuromorph_add_check(self_test.${check} self_test.py ${neuromorph_settings} ${check})
  endforeach()
  foreach(check IN ITEMS flags symbols)
    neuromorph_add_check(odr.${check} odr.py ${check} ${neuromorph_settings})
  endforeach()
endif()

if(NOT NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "QUICK")
  neuromorph_add_check(compositions.refused compositions.py refused ${neuromorph_settings})
endif()

if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "COMPILER")
  neuromorph_add_check(standard.host standard.py ${neuromorph_settings} host --umbrella)
  return()
endif()

# --- what does not -----------------------------------------------------------------------------------------------

if(NOT arm_cxx AND NOT NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "QUICK")
  message(WARNING "arm-none-eabi-g++ was not found: the checks for ARM are left out")
endif()

set(lint ${neuromorph_python} ${CMAKE_CURRENT_SOURCE_DIR}/lint.py --cxx ${CMAKE_CXX_COMPILER}
  --clang-format ${NEUROMORPH_CLANG_FORMAT})
execute_process(COMMAND ${lint} --list OUTPUT_VARIABLE rules OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS lint.py)
string(REPLACE "\n" ";" rules "${rules}")
foreach(rule IN LISTS rules)
  if(rule STREQUAL "format" AND NOT NEUROMORPH_CLANG_FORMAT)
    message(WARNING "clang-format was not found: lint.format is left out")
    continue()
  endif()
  add_test(NAME lint.${rule} COMMAND ${lint} ${rule})
endforeach()
if(NEUROMORPH_CLANG_FORMAT)
  add_test(NAME self_test.lint COMMAND ${lint} --self-test)
endif()

if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "QUICK")
  return()
endif()

neuromorph_add_check(compositions.list compositions.py list)
neuromorph_add_check(self_test.mutants self_test.py ${neuromorph_settings} mutants)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  neuromorph_add_check(self_test.coverage self_test.py ${neuromorph_settings} coverage)
endif()

# The host's benchmarks, which are built when they are run, and seldom are.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_package(benchmark QUIET)
  if(benchmark_FOUND AND NEUROMORPH_TEST_LONG)
    file(GLOB benchmark_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/benchmarks/host/*.cpp)
    add_test(NAME benchmarks.compile COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror
      -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/examples/cuba
      -I${PROJECT_SOURCE_DIR}/tests/reference ${benchmark_sources})
    set_tests_properties(benchmarks.compile PROPERTIES LABELS long)
  elseif(NOT benchmark_FOUND)
    message(WARNING "Google Benchmark was not found: benchmarks.compile is left out")
  endif()
endif()

# Defects that can be seen without running: in the headers as such, and in what the programs make of them.
if(NEUROMORPH_CPPCHECK)
  neuromorph_add_check(analyse.cppcheck analyse.py cppcheck ${NEUROMORPH_CPPCHECK})
endif()
if(NEUROMORPH_CLANG_TIDY)
  file(GLOB analysed CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/examples/*/main.cpp)
  list(FILTER analysed EXCLUDE REGEX "/(balanced_machine|closed_loop|live_life|microcircuit|reaching)/") # the others read their headers
  foreach(source IN ITEMS include/neuromorph/neuromorph.hpp include/neuromorph/target/device/host_clock.hpp
      include/neuromorph/target/template.hpp include/neuromorph/network/transport/shared_memory.hpp tests/target/kernels.cpp LISTS analysed)
    neuromorph_test_name(${source} name)
    string(REGEX REPLACE "^include[.]neuromorph[.]|[.]main$" "" name ${name})
    if(source MATCHES "^examples/" AND NOT source MATCHES "^examples/(mapping|own_rule)/" AND NOT NEUROMORPH_TEST_LONG)
      continue() # what the most headers are read by, and one of a user; five minutes less
    endif()
    neuromorph_add_check(analyse.clang_tidy.${name} analyse.py clang-tidy ${NEUROMORPH_CLANG_TIDY}
      ${PROJECT_SOURCE_DIR}/${source})
    set_tests_properties(analyse.clang_tidy.${name} PROPERTIES TIMEOUT 300)
    if(source MATCHES "^examples/" AND NOT source MATCHES "^examples/(mapping|own_rule)/")
      set_tests_properties(analyse.clang_tidy.${name} PROPERTIES LABELS long)
    endif()
  endforeach()
else()
  message(WARNING "clang-tidy was not found: analyse.clang_tidy is left out")
endif()
foreach(check IN ITEMS cppcheck clang_tidy)
  string(TOUPPER NEUROMORPH_${check} program)
  if(${program})
    neuromorph_add_check(self_test.${check} self_test.py ${neuromorph_settings} ${check} ${${program}})
  endif()
endforeach()

if(arm_cxx)
  neuromorph_add_check(asm.armv5te asm.py ${neuromorph_settings} armv5te arm926)
  neuromorph_add_check(asm.cortex_m4 asm.py ${neuromorph_settings} cortex_m4 cortex-m4)
  neuromorph_add_check(asm.helium asm.py ${neuromorph_settings} helium cortex-m55)
endif()
if(NEUROMORPH_POWERPC_CXX)
  neuromorph_add_check(asm.s2pp asm.py ${neuromorph_settings} s2pp powerpc)
endif()

if(arm_cxx)
  file(GLOB size_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/size size/*.cpp)
  foreach(source IN LISTS size_sources)
    neuromorph_test_name(${source} name)
    foreach(cpu IN ITEMS arm968e-s cortex-m4)
      neuromorph_add_check(size.${cpu}.${name} size.py check ${neuromorph_settings} ${cpu}
        ${CMAKE_CURRENT_SOURCE_DIR}/size/${source})
    endforeach()
  endforeach()
  neuromorph_add_check(size.page size.py page ${neuromorph_settings})
  neuromorph_add_check(self_test.size self_test.py ${neuromorph_settings} size)
  foreach(cpu IN ITEMS arm968e-s cortex-m4)
    neuromorph_add_check(neuron_sizes.${cpu} neuron_sizes.py check ${neuromorph_settings} ${cpu})
  endforeach()
  add_custom_target(update_neuron_sizes
    COMMAND ${neuromorph_python} ${neuromorph_checks}/neuron_sizes.py update ${neuromorph_settings}
    COMMENT "Measuring tests/size/neurons and writing tests/size/neurons/expected.txt" VERBATIM)
  add_custom_target(update_sizes
    COMMAND ${neuromorph_python} ${neuromorph_checks}/size.py update ${neuromorph_settings}
    COMMENT "Measuring tests/size and writing tests/size/expected.txt" VERBATIM)
endif()

list(TRANSFORM neuromorph_headers PREPEND ${PROJECT_SOURCE_DIR}/include/neuromorph/ OUTPUT_VARIABLE header_paths)
set(single ${CMAKE_BINARY_DIR}/single/neuromorph.hpp)
add_custom_command(OUTPUT ${single}
  COMMAND ${neuromorph_python} ${PROJECT_SOURCE_DIR}/tools/single_header.py --output ${single}
  DEPENDS ${header_paths} ${PROJECT_SOURCE_DIR}/tools/single_header.py
  COMMENT "Making the single header" VERBATIM)
add_custom_target(single ALL DEPENDS ${single})
set(single_targets host)
if(x86)
  list(APPEND single_targets host-avx2)
endif()
if(arm_cxx)
  list(APPEND single_targets arm968 cortex-m4)
endif()
if(arm_cxx)
  neuromorph_add_check(standard.arm926 standard.py ${neuromorph_settings} arm926 ${single})
endif()
neuromorph_add_check(standard.host standard.py ${neuromorph_settings} host ${single})
set_tests_properties(standard.host PROPERTIES TIMEOUT 300) # a compiler's run for each header
foreach(target IN LISTS single_targets)
  neuromorph_add_check(single.${target} single.py compiles ${neuromorph_settings} ${single} ${target})
endforeach()
neuromorph_add_check(single.reproducible single.py reproducible ${neuromorph_settings} ${single})
foreach(check IN ITEMS single docs)
  neuromorph_add_check(self_test.${check} self_test.py ${neuromorph_settings} ${check})
endforeach()

# A program for each page that has tables of what the library says of itself: it prints them.
file(GLOB page_programs CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} pages/*.cpp)
foreach(source IN LISTS page_programs)
  get_filename_component(page ${source} NAME_WE)
  add_executable(pages.${page} ${source})
  target_link_libraries(pages.${page} PRIVATE neuromorph::neuromorph neuromorph_warnings)
  neuromorph_add_check(pages.${page} pages.py ${PROJECT_SOURCE_DIR}/docs/${page}.md $<TARGET_FILE:pages.${page}>)
endforeach()
neuromorph_add_check(self_test.pages self_test.py ${neuromorph_settings} pages)

set(ways find_package add_subdirectory single)
if(arm_cxx)
  list(APPEND ways firmware)
endif()
find_program(NEUROMORPH_PKG_CONFIG pkg-config DOC "For consume.pkg_config")
mark_as_advanced(NEUROMORPH_PKG_CONFIG)
if(NEUROMORPH_PKG_CONFIG)
  list(APPEND ways pkg_config)
else()
  message(WARNING "pkg-config was not found: consume.pkg_config is left out")
endif()
foreach(way IN LISTS ways)
  add_test(NAME consume.${way} COMMAND ${CMAKE_COMMAND} -DWAY=${way} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/consume
    -DBUILD=${CMAKE_BINARY_DIR} -DGENERATOR=${CMAKE_GENERATOR} -DCXX=${CMAKE_CXX_COMPILER}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Consume.cmake)
  set_tests_properties(consume.${way} PROPERTIES TIMEOUT 120)
endforeach()
