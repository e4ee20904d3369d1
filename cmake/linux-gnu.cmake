# SPDX-License-Identifier: BSL-1.0
# Toolchain: one of Debian's cross compilers for Linux. NEUROMORPH_MACHINE chooses the processor; its programs are linked
# statically and run by qemu-user, so that nothing of that system need be installed.
set(CMAKE_SYSTEM_NAME Linux)
if(NEUROMORPH_MACHINE STREQUAL "aarch64")
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
  set(neuromorph_emulator qemu-aarch64)
else()
  message(FATAL_ERROR "NEUROMORPH_MACHINE is '${NEUROMORPH_MACHINE}'; set it to aarch64")
endif()
find_program(NEUROMORPH_QEMU_USER ${neuromorph_emulator})
set(CMAKE_CROSSCOMPILING_EMULATOR ${NEUROMORPH_QEMU_USER} ${neuromorph_emulator_options})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NEUROMORPH_MACHINE)

string(APPEND CMAKE_CXX_FLAGS_INIT " -fno-exceptions -fno-rtti")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_CXX_FLAGS_RELEASE "-O2" CACHE STRING "Flags for a release build")
