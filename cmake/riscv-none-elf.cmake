# SPDX-License-Identifier: BSL-1.0
# Toolchain: Debian's riscv64-unknown-elf GCC with picolibc. It has no headers of C++: those of arm-none-eabi's libstdc++ are taken, which are
# of the same compiler and for a C library of the same family. NEUROMORPH_BOARD chooses the processor; see NeuromorphFirmware.cmake.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NEUROMORPH_BOARD)

if(NEUROMORPH_BOARD STREQUAL "virt_rv32")
  set(CMAKE_CXX_FLAGS_INIT "-march=rv32imc -mabi=ilp32") # an ESP32-C3's; an RP2350's knows more
elseif(NEUROMORPH_BOARD STREQUAL "virt_rv64")
  set(CMAKE_CXX_FLAGS_INIT "-march=rv64imac -mabi=lp64 -mcmodel=medany")
else()
  message(FATAL_ERROR "NEUROMORPH_BOARD is '${NEUROMORPH_BOARD}'; set it to virt_rv32 or virt_rv64")
endif()
file(GLOB neuromorph_cxx_headers /usr/include/newlib/c++/*)
list(SORT neuromorph_cxx_headers)
if(neuromorph_cxx_headers)
  list(GET neuromorph_cxx_headers -1 neuromorph_cxx_headers)
endif()
if(NOT neuromorph_cxx_headers)
  message(FATAL_ERROR "the headers of C++ are those of Debian's libstdc++-arm-none-eabi-dev, which is not installed")
endif()
string(APPEND CMAKE_CXX_FLAGS_INIT " --specs=picolibc.specs -nostdinc++ -isystem ${neuromorph_cxx_headers} -isystem ${neuromorph_cxx_headers}/arm-none-eabi")
string(APPEND CMAKE_CXX_FLAGS_INIT " -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_RELEASE "-O2" CACHE STRING "Flags for a release build")
