# SPDX-License-Identifier: BSL-1.0
# Programs for S2PP run on a processor without AltiVec, to which its instructions are illegal ones that the model
# executes (tests/support/s2pp_trap.cpp).
set(s2pp_machine -mcpu=750 -mno-altivec)
set(s2pp_emulator ${NEUROMORPH_QEMU_USER} -cpu 750)

add_library(s2pp_trap OBJECT support/s2pp_trap.cpp)
target_link_libraries(s2pp_trap PRIVATE neuromorph::neuromorph neuromorph_warnings)
target_compile_options(s2pp_trap PRIVATE ${s2pp_machine} -O3)
target_include_directories(s2pp_trap PRIVATE ${PROJECT_SOURCE_DIR})

function(neuromorph_add_s2pp_program name source)
  add_executable(${name} ${source} $<TARGET_OBJECTS:s2pp_trap>)
  target_compile_options(${name} PRIVATE ${s2pp_machine} -D__S2PP__)
  target_link_libraries(${name} PRIVATE neuromorph::neuromorph neuromorph_warnings)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()

# what works on vectors, with target::S2pp for target::Native
foreach(program IN ITEMS masks vectors)
  neuromorph_add_s2pp_program(target.${program}.s2pp target/${program}.cpp)
  add_test(NAME target.${program}.s2pp COMMAND ${s2pp_emulator} $<TARGET_FILE:target.${program}.s2pp>)
  set_tests_properties(target.${program}.s2pp PROPERTIES TIMEOUT 600)
endforeach()

neuromorph_add_s2pp_program(s2pp.vector_space s2pp/vector_space.cpp)
add_test(NAME s2pp.vector_space COMMAND ${s2pp_emulator} $<TARGET_FILE:s2pp.vector_space>)

# The form of HX: kernels on eight slices.
add_executable(s2pp.hx s2pp/hx.cpp support/s2pp_trap.cpp)
target_compile_options(s2pp.hx PRIVATE ${s2pp_machine} -D__S2PP__ -DS2PP_SLICES=8)
target_link_libraries(s2pp.hx PRIVATE neuromorph::neuromorph neuromorph_warnings)
target_include_directories(s2pp.hx PRIVATE ${PROJECT_SOURCE_DIR})
add_test(NAME s2pp.hx COMMAND ${s2pp_emulator} $<TARGET_FILE:s2pp.hx>)

neuromorph_add_s2pp_program(s2pp.refused s2pp/refused.cpp)
set(number 0)
foreach(sentence IN ITEMS
    "^0 vector instructions in 0 sequences"
    "there is no instruction with this extended opcode"
    "the instruction has no target register, so its field must be 0"
    "the instruction takes no condition"
    "a vector in memory must be aligned to 16 bytes"
    "a sequence of vector instructions must end with sync"
    "there is no vector at the address of the vector space")
  add_test(NAME s2pp.refused_${number} COMMAND ${s2pp_emulator} $<TARGET_FILE:s2pp.refused> ${number})
  set_tests_properties(s2pp.refused_${number} PROPERTIES PASS_REGULAR_EXPRESSION "${sentence}")
  math(EXPR number "${number} + 1")
endforeach()

add_test(NAME s2pp.instructions COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/s2pp/instructions.py
  ${CMAKE_CXX_COMPILER} ${CMAKE_OBJDUMP})

# Where the stub's decoder says that a branch goes, the emulator goes.
neuromorph_add_program(s2pp.steps s2pp/steps.cpp)
add_test(NAME s2pp.steps COMMAND ${s2pp_emulator} $<TARGET_FILE:s2pp.steps>)
set_tests_properties(s2pp.steps PROPERTIES TIMEOUT 120)

# Stock gdb, with the vectors as registers.
find_program(NEUROMORPH_GDB gdb-multiarch DOC "For s2pp.gdb")
mark_as_advanced(NEUROMORPH_GDB)
if(NEUROMORPH_GDB)
  foreach(kind IN ITEMS stub probe)
    add_executable(s2pp.debugged_${kind} s2pp/debugged.cpp)
    string(TOUPPER ${kind} KIND)
    target_compile_options(s2pp.debugged_${kind} PRIVATE ${s2pp_machine} -Og -g -DGDB_SUBJECT_${KIND})
    target_link_libraries(s2pp.debugged_${kind} PRIVATE neuromorph::neuromorph neuromorph_warnings)
    target_include_directories(s2pp.debugged_${kind} PRIVATE ${PROJECT_SOURCE_DIR})
    add_test(NAME s2pp.gdb_${kind} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/checks/gdb_s2pp.py ${kind}
      $<TARGET_FILE:s2pp.debugged_${kind}> ${s2pp_emulator})
    set_tests_properties(s2pp.gdb_${kind} PROPERTIES TIMEOUT 200)
  endforeach()
else()
  message(WARNING "gdb-multiarch was not found: s2pp.gdb is left out")
endif()
