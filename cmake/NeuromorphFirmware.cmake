# SPDX-License-Identifier: BSL-1.0
# neuromorph_add_firmware(<target> <source>...): an executable for the emulated board that NEUROMORPH_BOARD names, with
# start-up code, semihosting output and exit status. Beside <target>.elf stands a script <target> that runs it in the
# emulator with the script's arguments; tests of the target run in the emulator, too.
enable_language(ASM)
find_program(NEUROMORPH_QEMU qemu-system-arm)

if(NEUROMORPH_BOARD STREQUAL "versatilepb")
  set(neuromorph_machine -M versatilepb -cpu arm926 -audiodev driver=none,id=silent -global pl041.audiodev=silent)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_armv5te.S)
elseif(NEUROMORPH_BOARD STREQUAL "mps3_an547")
  set(neuromorph_machine -M mps3-an547 -cpu cortex-m55)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_cortex_m.cpp)
else()
  set(neuromorph_machine -M mps2-an386 -cpu cortex-m4)
  set(neuromorph_start ${CMAKE_CURRENT_LIST_DIR}/firmware/start_cortex_m.cpp)
endif()

list(JOIN neuromorph_machine " " neuromorph_machine)
set_property(GLOBAL PROPERTY neuromorph_emulator
  "${NEUROMORPH_QEMU} ${neuromorph_machine} -nographic -monitor none -serial none -semihosting-config enable=on,target=native")

add_library(neuromorph_firmware OBJECT ${neuromorph_start} ${CMAKE_CURRENT_LIST_DIR}/firmware/start.cpp)
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
  string(REPLACE " " ";" emulator_words "${emulator}")
  target_link_options(${target} PRIVATE
    -nostartfiles --specs=rdimon.specs -L${neuromorph_firmware_dir} -T${script} -Wl,--gc-sections -Wl,--build-id=sha1
    -Wl,--no-warn-rwx-segments)
  set_target_properties(${target} PROPERTIES
    SUFFIX .elf
    LINK_DEPENDS "${script};${neuromorph_firmware_dir}/sections.ld;${neuromorph_firmware_dir}/neuromorph_log.ld"
    CROSSCOMPILING_EMULATOR "${emulator_words};-kernel")
  configure_file(${neuromorph_firmware_dir}/run.sh.in ${target}.run.in @ONLY)
  file(GENERATE OUTPUT $<TARGET_FILE_DIR:${target}>/${target} INPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.run.in
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
