# SPDX-License-Identifier: BSL-1.0
# neuromorph_add_image(<name> <source>): <name>.aplx in the build folder, the image of a vertex for a core of SpiNNaker, and its
# <name>.elf; a target of that name, which is built with all. Firmware is for another machine than what else is built here, so its
# compiler is called by itself. NEUROMORPH_HAS_IMAGES says whether there is one.
#
# neuromorph_link_emulator(<target>): what machine/emulated.hpp needs. NEUROMORPH_HAS_EMULATOR says whether it is there.
find_program(NEUROMORPH_ARM_CXX arm-none-eabi-g++ DOC "Compiler for firmware")
find_program(NEUROMORPH_ARM_OBJCOPY arm-none-eabi-objcopy DOC "Makes images of firmware")
find_path(NEUROMORPH_UNICORN_INCLUDE unicorn/unicorn.h)
find_library(NEUROMORPH_UNICORN unicorn)
set(NEUROMORPH_HAS_IMAGES OFF)
if(NEUROMORPH_ARM_CXX AND NEUROMORPH_ARM_OBJCOPY)
  set(NEUROMORPH_HAS_IMAGES ON)
endif()
set(NEUROMORPH_HAS_EMULATOR OFF)
if(NEUROMORPH_UNICORN_INCLUDE AND NEUROMORPH_UNICORN)
  set(NEUROMORPH_HAS_EMULATOR ON)
endif()

function(neuromorph_add_image name source)
  get_filename_component(source ${source} ABSOLUTE)
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  set(image ${CMAKE_CURRENT_BINARY_DIR}/${name}.aplx)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/firmware/spinnaker.ld)
  set(start ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/firmware/start_spinnaker.S)
  set(folders $<TARGET_PROPERTY:neuromorph::neuromorph,INTERFACE_INCLUDE_DIRECTORIES>)
  add_custom_command(OUTPUT ${image} BYPRODUCTS ${elf}
    COMMAND ${NEUROMORPH_ARM_CXX} -std=c++20 -marm -mcpu=arm968e-s -Os -g -fno-tree-loop-distribute-patterns -fno-exceptions -fno-rtti
      -fno-threadsafe-statics -ffunction-sections -fdata-sections -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror
      "-I$<JOIN:${folders},;-I>" -nostartfiles --specs=nano.specs -T${script} -Wl,--gc-sections -Wl,--no-warn-rwx-segments
      -MMD -MT ${image} -MF ${image}.d -o ${elf} ${start} ${source}
    COMMAND ${NEUROMORPH_ARM_OBJCOPY} -O binary ${elf} ${image}
    DEPENDS ${source} ${start} ${script} DEPFILE ${image}.d
    COMMENT "Building the image ${name}" VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(image.${name} ALL DEPENDS ${image})
  set_target_properties(image.${name} PROPERTIES NEUROMORPH_IMAGE ${image} NEUROMORPH_ELF ${elf})
endfunction()

function(neuromorph_link_emulator target)
  target_include_directories(${target} SYSTEM PRIVATE ${NEUROMORPH_UNICORN_INCLUDE})
  target_link_libraries(${target} PRIVATE ${NEUROMORPH_UNICORN})
endfunction()
