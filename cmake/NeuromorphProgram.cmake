# SPDX-License-Identifier: BSL-1.0
# neuromorph_add_program(<target> <source>...): an executable for the machine that is compiled for. `<target>` in the
# build folder runs it, whatever the machine: it is the program itself on the host, and a script that starts the emulator
# elsewhere. Tests of the target run in the emulator, too.
#
# Foreign machines are of two kinds: boards without an operating system (NEUROMORPH_BOARD, arm-none-eabi.cmake), and
# Linux on another processor (NEUROMORPH_MACHINE, linux-gnu.cmake).
if(NEUROMORPH_BOARD)
  include(${CMAKE_CURRENT_LIST_DIR}/NeuromorphFirmware.cmake)
endif()

function(neuromorph_add_program target)
  if(NEUROMORPH_BOARD)
    neuromorph_add_firmware(${target} ${ARGN})
  else()
    add_executable(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE neuromorph::neuromorph)
    if(CMAKE_CROSSCOMPILING)
      set_target_properties(${target} PROPERTIES SUFFIX .elf)
      list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "\" \"" emulator)
      file(GENERATE OUTPUT $<TARGET_FILE_DIR:${target}>/${target}
        CONTENT "#!/bin/sh\nexec \"${emulator}\" \"$<TARGET_FILE:${target}>\" \"$@\"\n"
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    endif()
  endif()
  if(TARGET neuromorph_warnings)
    target_link_libraries(${target} PRIVATE neuromorph_warnings)
  endif()
endfunction()

# A program with a log of firmware/log.hpp, whose texts stay out of memory. The scripts of boards collect them already.
function(neuromorph_link_log target)
  if(NOT NEUROMORPH_BOARD)
    set(scripts ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/firmware)
    target_link_options(${target} PRIVATE -L${scripts} -Wl,-T,neuromorph_log_insert.ld)
    set_property(TARGET ${target} APPEND PROPERTY
      LINK_DEPENDS ${scripts}/neuromorph_log.ld ${scripts}/neuromorph_log_insert.ld)
  endif()
endfunction()
