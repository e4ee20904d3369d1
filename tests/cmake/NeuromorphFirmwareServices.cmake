# SPDX-License-Identifier: BSL-1.0
# Firmware services and the tools at their other end: programs of tests/firmware, on the host and on boards, with a script
# of tests/checks that is the host.
set(firmware_services_check ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/mailbox.py)

neuromorph_add_program(firmware.echo firmware/echo.cpp)
neuromorph_add_program(firmware.profiled firmware/profiled.cpp)
set(trace_check ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/trace.py)
if(NEUROMORPH_BOARD STREQUAL "mps2_an386")
  set(NEUROMORPH_FIRMWARE_SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/firmware/chip.ld)
  neuromorph_add_program(firmware.chip firmware/chip.cpp)
  unset(NEUROMORPH_FIRMWARE_SCRIPT)
elseif(NOT NEUROMORPH_BOARD)
  neuromorph_add_program(firmware.chip firmware/chip.cpp)
endif()

if(NEUROMORPH_BOARD)
  get_property(emulator GLOBAL PROPERTY neuromorph_emulator)
  set(kinds memory uart tcp)
  if(TARGET firmware.chip)
    list(APPEND kinds chip)
  endif()
  foreach(kind IN LISTS kinds)
    set(program firmware.echo)
    if(kind STREQUAL "chip")
      set(program firmware.chip)
    endif()
    add_test(NAME firmware.mailbox_${kind}.${NEUROMORPH_BOARD}
      COMMAND ${firmware_services_check} board ${kind} $<TARGET_FILE:${program}> --emulator ${emulator})
    set_tests_properties(firmware.mailbox_${kind}.${NEUROMORPH_BOARD} PROPERTIES TIMEOUT 300)
  endforeach()
  add_test(NAME firmware.trace.${NEUROMORPH_BOARD}
    COMMAND ${trace_check} board $<TARGET_FILE:firmware.profiled> --emulator ${emulator})
  neuromorph_add_program(firmware.newlib firmware/newlib.cpp)
  target_include_directories(firmware.newlib PRIVATE ${PROJECT_SOURCE_DIR})
  add_test(NAME firmware.newlib.${NEUROMORPH_BOARD} COMMAND ${Python3_EXECUTABLE} -B
    ${CMAKE_CURRENT_SOURCE_DIR}/checks/newlib.py $<TARGET_FILE:firmware.newlib> ${emulator})
  set_tests_properties(firmware.newlib.${NEUROMORPH_BOARD} PROPERTIES TIMEOUT 300)
  foreach(program IN ITEMS crash crash_tables)
    neuromorph_add_program(firmware.${program} firmware/crash.cpp)
    target_compile_options(firmware.${program} PRIVATE -g)
  endforeach()
  target_compile_options(firmware.crash_tables PRIVATE -funwind-tables)
  target_link_options(firmware.crash_tables PRIVATE -Wl,--defsym=__aeabi_unwind_cpp_pr0=0 -Wl,--defsym=__aeabi_unwind_cpp_pr1=0)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  add_test(NAME firmware.unwind.${NEUROMORPH_BOARD} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/unwind.py
    $<TARGET_FILE:firmware.crash_tables> ${CMAKE_CXX_COMPILER} ${flags})
  add_test(NAME firmware.crash.${NEUROMORPH_BOARD} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/crash.py
    $<TARGET_FILE:firmware.crash> $<TARGET_FILE:firmware.crash_tables> ${emulator})
  set_tests_properties(firmware.crash.${NEUROMORPH_BOARD} PROPERTIES TIMEOUT 300)
  # What a linker script lacks, in words.
  set(link ${CMAKE_CXX_COMPILER} -nostdlib -x c++ /dev/null -L${PROJECT_SOURCE_DIR}/cmake/firmware
    -T${CMAKE_CURRENT_SOURCE_DIR}/firmware/no_stack.ld -o ${CMAKE_CURRENT_BINARY_DIR}/firmware.no_stack.elf)
  add_test(NAME firmware.no_stack.${NEUROMORPH_BOARD} COMMAND ${link})
  set_tests_properties(firmware.no_stack.${NEUROMORPH_BOARD} PROPERTIES
    PASS_REGULAR_EXPRESSION "neuromorph: the linker script lacks firmware_stack")
  add_test(NAME firmware.stack_below_heap.${NEUROMORPH_BOARD} COMMAND ${link} -Wl,--defsym=firmware_stack=0)
  set_tests_properties(firmware.stack_below_heap.${NEUROMORPH_BOARD} PROPERTIES
    PASS_REGULAR_EXPRESSION "neuromorph: the heap begins above the stack")
  # Latency and throughput of the board's mailbox, to this host.
  add_custom_target(measure_mailbox
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/mailbox.py measure ${CMAKE_BINARY_DIR}/mailbox.json
      $<TARGET_FILE:firmware.echo> --emulator ${emulator}
    DEPENDS firmware.echo USES_TERMINAL VERBATIM)
else()
  add_test(NAME firmware.mailbox.host COMMAND ${firmware_services_check} host $<TARGET_FILE:firmware.echo>
    $<TARGET_FILE:firmware.chip>)
  add_test(NAME firmware.trace.host COMMAND ${trace_check} host $<TARGET_FILE:firmware.profiled>)
endif()

# A log, whose texts the tool takes from the program's ELF.
set(log_check ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/log.py)
neuromorph_add_program(firmware.log_lines firmware/log_lines.cpp)
neuromorph_link_log(firmware.log_lines)
# The same without a build id: then sizes tell programs apart.
neuromorph_add_program(firmware.log_no_id firmware/log_lines.cpp)
neuromorph_link_log(firmware.log_no_id)
target_link_options(firmware.log_no_id PRIVATE -Wl,--build-id=none)
neuromorph_add_program(firmware.monitored firmware/monitored.cpp)
neuromorph_link_log(firmware.monitored)
set(monitor_check ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/monitor.py)
if(NEUROMORPH_BOARD)
  add_test(NAME firmware.monitor.${NEUROMORPH_BOARD}
    COMMAND ${monitor_check} board $<TARGET_FILE:firmware.monitored> --emulator ${emulator})
  set_tests_properties(firmware.monitor.${NEUROMORPH_BOARD} PROPERTIES TIMEOUT 300)
  add_test(NAME firmware.log.${NEUROMORPH_BOARD}
    COMMAND ${log_check} board $<TARGET_FILE:firmware.log_lines> $<TARGET_FILE:firmware.log_no_id> --emulator ${emulator})
  set_tests_properties(firmware.log.${NEUROMORPH_BOARD} PROPERTIES TIMEOUT 120)
else()
  add_test(NAME firmware.log.host COMMAND ${log_check} host $<TARGET_FILE:firmware.log_lines> $<TARGET_FILE:firmware.log_no_id>)
  add_test(NAME firmware.monitor.host COMMAND ${monitor_check} host $<TARGET_FILE:firmware.monitored>)
  add_test(NAME firmware.log.decoder COMMAND ${log_check} decoder $<TARGET_FILE:firmware.log_lines>)
  # The linker script forgotten.
  add_test(NAME firmware.log.forgotten COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -I${PROJECT_SOURCE_DIR}/include
    ${CMAKE_BINARY_DIR}/docs/log_1.cpp -o firmware.log.forgotten)
  set_tests_properties(firmware.log.forgotten PROPERTIES PASS_REGULAR_EXPRESSION "link_with_neuromorph_log_ld")
endif()
