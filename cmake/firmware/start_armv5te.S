// SPDX-License-Identifier: BSL-1.0
// Exception vectors and reset for ARMv5TE. An exception that nobody handles stops the firmware with a sentence.
        .syntax unified
        .arm
        .section .vectors, "ax"
        .global reset_vector
reset_vector:
        ldr     pc, =reset
        ldr     pc, =undefined_handler
        ldr     pc, =software_interrupt
        ldr     pc, =prefetch_abort_handler
        ldr     pc, =data_abort_handler
        nop
        ldr     pc, =irq_handler
        ldr     pc, =unexpected_fiq
        .ltorg

        .text
reset:
        // Interrupts stay off; each exception mode gets a stack, the fatal ones share one.
        msr     cpsr_c, #0xD1           // fast interrupt
        ldr     sp, =firmware_fault_stack
        msr     cpsr_c, #0xD7           // abort
        ldr     sp, =firmware_fault_stack
        msr     cpsr_c, #0xDB           // undefined instruction
        ldr     sp, =firmware_fault_stack
        msr     cpsr_c, #0xD2           // interrupt
        ldr     sp, =firmware_irq_stack
        msr     cpsr_c, #0xD3           // supervisor
        ldr     sp, =firmware_stack
        bl      firmware_start

        // A firmware that wants to see its faults defines its own.
        .weak   undefined_handler
undefined_handler:
        ldr     r0, =undefined_text
        b       firmware_stop
software_interrupt:
        ldr     r0, =software_text
        b       firmware_stop
        .weak   prefetch_abort_handler
prefetch_abort_handler:
        ldr     r0, =prefetch_text
        b       firmware_stop
        .weak   data_abort_handler
data_abort_handler:
        ldr     r0, =data_text
        b       firmware_stop
unexpected_fiq:
        ldr     r0, =fiq_text
        b       firmware_stop
        // A firmware with interrupts defines its own irq_handler.
        .weak   irq_handler
irq_handler:
        ldr     r0, =irq_text
        b       firmware_stop
        .ltorg

        .section .rodata
undefined_text: .asciz  "firmware stopped: undefined instruction\n"
software_text:  .asciz  "firmware stopped: unexpected supervisor call\n"
prefetch_text:  .asciz  "firmware stopped: instruction fetch from an address without memory\n"
data_text:      .asciz  "firmware stopped: data access to an address without memory\n"
irq_text:       .asciz  "firmware stopped: interrupt without a handler\n"
fiq_text:       .asciz  "firmware stopped: fast interrupt without a handler\n"
