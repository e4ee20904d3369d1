# SPDX-License-Identifier: BSL-1.0
# neuromorph_add_firmware(<target> <source>...): an executable for the emulated board that NEUROMORPH_BOARD names, with
# start-up code, semihosting output and exit status. Beside <target>.elf stands a script <target> that runs it in the
# emulator with the script's arguments; tests of the target run in the emulator, too.
enable_language(ASM)
set(neuromorph_link_firmware -nostartfiles --specs=rdimon.specs -Wl,--build-id=sha1)
set(neuromorph_start_up ${CMAKE_CURRENT_LIST_DIR}/firmware/start.cpp)
set(neuromorph_libraries "")
set(neuromorph_console "-semihosting-config enable=on,target=native")
if(NEUROMORPH_BOARD MATCHES "^virt_rv(32|64)$") # QEMU's `virt`; start-up and semihosting are picolibc's
  find_program(NEUROMORPH_QEMU qemu-system-riscv${CMAKE_MATCH_1})
  set(neuromorph_machine -M virt -bios none)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_riscv.cpp)
  set(neuromorph_start_up "")
  set(neuromorph_link_firmware --crt0=semihost -nodefaultlibs)
  set(neuromorph_console "-chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console") # else it is the standard error
  set(neuromorph_libraries -Wl,--start-group -lgcc -lc -lsemihost -Wl,--end-group)
else()
  find_program(NEUROMORPH_QEMU qemu-system-arm)
endif()

if(NEUROMORPH_BOARD MATCHES "^virt_")
elseif(NEUROMORPH_BOARD STREQUAL "versatilepb")
  set(neuromorph_machine -M versatilepb -cpu arm926 -audiodev driver=none,id=silent -global pl041.audiodev=silent)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_armv5te.S)
elseif(NEUROMORPH_BOARD STREQUAL "mps3_an547")
  set(neuromorph_machine -M mps3-an547 -cpu cortex-m55)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_cortex_m.cpp)
elseif(NEUROMORPH_BOARD STREQUAL "microbit")
  set(neuromorph_machine -M microbit)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_cortex_m.cpp)
elseif(NEUROMORPH_BOARD STREQUAL "mps2_an505")
  set(neuromorph_machine -M mps2-an505)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_cortex_m.cpp)
else()
  set(neuromorph_machine -M mps2-an386 -cpu cortex-m4)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_cortex_m.cpp)
endif()

list(JOIN neuromorph_machine " " neuromorph_machine)
set_property(GLOBAL PROPERTY neuromorph_emulator
  "${NEUROMORPH_QEMU} ${neuromorph_machine} -nographic -monitor none -serial none ${neuromorph_console}")
set_property(GLOBAL PROPERTY neuromorph_link_firmware ${neuromorph_link_firmware})
set_property(GLOBAL PROPERTY neuromorph_firmware_libraries ${neuromorph_libraries})

add_library(neuromorph_firmware OBJECT ${neuromorph_start} ${neuromorph_start_up})
target_link_libraries(neuromorph_firmware PRIVATE neuromorph::neuromorph)
if(TARGET neuromorph_warnings)
  target_link_libraries(neuromorph_firmware PRIVATE neuromorph_warnings)
endif()

function(neuromorph_add_firmware target)
  add_executable(${target} ${ARGN} $<TARGET_OBJECTS:neuromorph_firmware>)
  target_link_libraries(${target} PRIVATE neuromorph::neuromorph)
  set(neuromorph_firmware_dir ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/firmware)
  # NEUROMORPH_FIRMWARE_SCRIPT: another one than the board's.
  set(script ${neuromorph_firmware_dir}/${NEUROMORPH_BOARD}.ld)
  if(NEUROMORPH_FIRMWARE_SCRIPT)
    set(script ${NEUROMORPH_FIRMWARE_SCRIPT})
  endif()
  get_property(emulator GLOBAL PROPERTY neuromorph_emulator)
  get_property(link GLOBAL PROPERTY neuromorph_link_firmware)
  get_property(libraries GLOBAL PROPERTY neuromorph_firmware_libraries)
  string(REPLACE " " ";" emulator_words "${emulator}")
  target_link_options(${target} PRIVATE
    ${link} -L${neuromorph_firmware_dir} -T${script} -Wl,--gc-sections -Wl,--no-warn-rwx-segments)
  target_link_libraries(${target} PRIVATE ${libraries})
  set_target_properties(${target} PROPERTIES
    SUFFIX .elf
    LINK_DEPENDS "${script};${neuromorph_firmware_dir}/sections.ld;${neuromorph_firmware_dir}/neuromorph_log.ld"
    CROSSCOMPILING_EMULATOR "${emulator_words};-kernel")
  set(first_word ${target})
  if(NEUROMORPH_BOARD MATCHES "^virt_") # picolibc gives a name of its own
    set(first_word "")
  endif()
  configure_file(${neuromorph_firmware_dir}/run.sh.in ${target}.run.in @ONLY)
  file(GENERATE OUTPUT $<TARGET_FILE_DIR:${target}>/${target} INPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.run.in
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
