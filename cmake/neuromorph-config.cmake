# SPDX-License-Identifier: BSL-1.0
# find_package(neuromorph) gives neuromorph::neuromorph. With COMPONENTS firmware also neuromorph_add_firmware, in a build
# with the toolchain file that stands beside this one; with COMPONENTS images neuromorph_add_image, in a build for the host.
unset(neuromorph_NOT_FOUND_MESSAGE)
foreach(component IN LISTS neuromorph_FIND_COMPONENTS)
  if(NOT component MATCHES "^(firmware|images)$")
    set(neuromorph_NOT_FOUND_MESSAGE "neuromorph has no component '${component}', only 'firmware' and 'images'")
  elseif(component STREQUAL "firmware" AND NOT NEUROMORPH_BOARD)
    set(neuromorph_NOT_FOUND_MESSAGE "firmware needs -DNEUROMORPH_BOARD=<board> and \
-DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_LIST_DIR}/arm-none-eabi.cmake")
  endif()
endforeach()
if(neuromorph_NOT_FOUND_MESSAGE)
  set(neuromorph_FOUND FALSE)
  return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/neuromorph-targets.cmake)
if("firmware" IN_LIST neuromorph_FIND_COMPONENTS)
  include(${CMAKE_CURRENT_LIST_DIR}/NeuromorphFirmware.cmake)
endif()
if("images" IN_LIST neuromorph_FIND_COMPONENTS)
  include(${CMAKE_CURRENT_LIST_DIR}/NeuromorphSpinnaker.cmake)
  if(NOT NEUROMORPH_HAS_IMAGES)
    set(neuromorph_FOUND FALSE)
    set(neuromorph_NOT_FOUND_MESSAGE "images need arm-none-eabi-g++; Debian has it in gcc-arm-none-eabi, libstdc++-arm-none-eabi-newlib")
  endif()
endif()
