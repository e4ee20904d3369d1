# SPDX-License-Identifier: BSL-1.0
# Networks that tools/nir_import makes, by chance and from the files of NIR's paper (in the folder that the environment's
# NEUROMORPH_NIR_SAMPLES names): the bits of Python on any machine.
include(${CMAKE_CURRENT_LIST_DIR}/NeuromorphPython.cmake)
neuromorph_python_with(python_h5py "h5py, numpy")
if(NOT python_h5py)
  if(DEFINED ENV{NEUROMORPH_NIR_SAMPLES})
    add_test(NAME tools.nir.golden COMMAND sh -c "echo no python3 with h5py: Debian has it in python3-h5py; exit 1")
  endif()
  message(WARNING "no python3 with h5py (Debian's python3-h5py): tests of trained networks are left out")
  return()
endif()

set(trained_source ${CMAKE_CURRENT_BINARY_DIR}/trained.cpp)
file(GLOB trained_tools CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/nir/*.py)
set(nir_check ${CMAKE_CURRENT_SOURCE_DIR}/checks/nir.py)
add_custom_command(OUTPUT ${trained_source}
  COMMAND ${python_h5py} -B ${nir_check} program ${trained_source}
  DEPENDS ${nir_check} ${CMAKE_CURRENT_SOURCE_DIR}/checks/nir_networks.py ${trained_tools} VERBATIM)
set(name target.trained.${NEUROMORPH_BOARD}${NEUROMORPH_MACHINE})
if(CMAKE_CROSSCOMPILING)
  neuromorph_add_program(${name} ${trained_source})
else()
  set(name target.trained.host)
  add_executable(${name} ${trained_source})
  target_link_libraries(${name} PRIVATE neuromorph::neuromorph neuromorph_warnings)
endif()
target_compile_options(${name} PRIVATE -O1) # of a dozen networks
add_test(NAME ${name} COMMAND ${name})

if(NOT CMAKE_CROSSCOMPILING AND NEUROMORPH_TEST_BUILD_CHECKS)
  add_test(NAME tools.nir.refusals COMMAND ${python_h5py} -B ${nir_check} refusals)
  add_test(NAME tools.nir.files COMMAND ${python_h5py} -B ${nir_check} files)
  set(trained_seeds 60)
  if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "QUICK")
    set(trained_seeds 30)
  endif()
  add_test(NAME tools.nir.random
    COMMAND ${python_h5py} -B ${nir_check} random ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/include ${trained_seeds})
  if(NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
    add_test(NAME tools.nir.described COMMAND ${python_h5py} -B ${nir_check} described ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/include 120)
  endif()
  add_test(NAME tools.nir.golden
    COMMAND ${python_h5py} -B ${nir_check} golden ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/include)
  set_tests_properties(tools.nir.golden PROPERTIES SKIP_REGULAR_EXPRESSION "left out")
  find_program(NEUROMORPH_ARM_CXX arm-none-eabi-g++ DOC "Compiler for firmware")
  if(NEUROMORPH_ARM_CXX AND NEUROMORPH_TEST_BUILD_CHECKS STREQUAL "ON")
    add_test(NAME tools.nir.budget COMMAND ${python_h5py} -B ${nir_check} budget ${NEUROMORPH_ARM_CXX})
    add_test(NAME tools.budget COMMAND ${python_h5py} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/budget.py ${NEUROMORPH_ARM_CXX}
      "$<$<TARGET_EXISTS:neuromorph_cycles_tool>:$<TARGET_FILE:neuromorph_cycles_tool>>")
  endif()
endif()
