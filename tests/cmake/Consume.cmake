# SPDX-License-Identifier: BSL-1.0
# Configures, builds and runs a user's project in tests/consume:
#   cmake -DWAY=<folder> -DSOURCE=<tests/consume> -DBUILD=<build dir of the library> -DGENERATOR=.. -DCXX=.. -P
set(work ${BUILD}/consume/${WAY})
file(REMOVE_RECURSE ${work})

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${WAY}: ${what} failed:\n${output}")
  endif()
endfunction()

set(arguments)
if(WAY MATCHES "^(find_package|firmware|pkg_config)$")
  step("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
  list(APPEND arguments -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    -DNEUROMORPH_PKG_CONFIG_PATH=${work}/prefix/share/pkgconfig)
elseif(WAY STREQUAL "single")
  list(APPEND arguments -DSINGLE_HEADER=${BUILD}/single/neuromorph.hpp)
endif()
if(WAY STREQUAL "firmware")
  list(APPEND arguments -DCMAKE_TOOLCHAIN_FILE=${work}/prefix/share/cmake/neuromorph/arm-none-eabi.cmake
    -DNEUROMORPH_BOARD=mps2_an386)
else()
  list(APPEND arguments -DCMAKE_CXX_COMPILER=${CXX})
endif()
step("configuring" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/${WAY} -B ${work}/build -DCMAKE_BUILD_TYPE=Release ${arguments})
step("building" ${CMAKE_COMMAND} --build ${work}/build)
step("running" ${work}/build/consumer)
if(WAY STREQUAL "single")
  step("running own_rule" ${work}/build/own_rule)
endif()
