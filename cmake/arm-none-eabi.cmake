# SPDX-License-Identifier: BSL-1.0
# Toolchain: Debian's arm-none-eabi GCC. NEUROMORPH_BOARD chooses the processor; see NeuromorphFirmware.cmake.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NEUROMORPH_BOARD)

if(NEUROMORPH_BOARD STREQUAL "versatilepb")
  # Hot code for ARMv5TE is ARM code: Thumb-1 has no DSP multiplies.
  set(CMAKE_CXX_FLAGS_INIT "-mcpu=arm968e-s -marm")
elseif(NEUROMORPH_BOARD STREQUAL "mps2_an386")
  set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-m4 -mthumb -mfloat-abi=soft")
elseif(NEUROMORPH_BOARD STREQUAL "mps3_an547")
  set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard")
else()
  message(FATAL_ERROR "NEUROMORPH_BOARD is '${NEUROMORPH_BOARD}'; set it to versatilepb, mps2_an386 or mps3_an547")
endif()
string(APPEND CMAKE_CXX_FLAGS_INIT " -fno-exceptions -fno-rtti -ffunction-sections -fdata-sections")
set(CMAKE_ASM_FLAGS_INIT "${CMAKE_CXX_FLAGS_INIT}")
set(CMAKE_CXX_FLAGS_RELEASE "-O2" CACHE STRING "Flags for a release build")
