// SPDX-License-Identifier: BSL-1.0
// A core of SpiNNaker from its vectors to runtime/spinnaker.hpp: reset, faults, and the fast interrupt that takes packets.
//
// The fast interrupt uses registers that no other mode has: r8 the ring's ends, r9 where the next packet goes. So nothing is saved or
// loaded, and packets that come meanwhile are taken along. 17 instructions a packet.
        .syntax unified
        .arm
        .section .vectors, "ax"
        .global reset_vector
reset_vector:
        b       reset
        b       fault_undefined
        b       fault_call
        b       fault_fetch
        b       fault_data
        b       reset
        b       interrupt
// fast interrupt
        mov     r10, #0x10000000        // the communications controller
next_packet:
        ldr     r11, [r10, #0x0C]       // status
        ldr     r12, [r10, #0x10]       // payload
        ldr     r13, [r10, #0x14]       // key: with this the packet is taken
        stmia   r9, {r11, r12, r13}     // one entry is always free
        add     r13, r9, #16
        bic     r13, r13, #0x200        // 32 of them, from where data memory begins
        ldr     r12, [r8, #0]           // where the next is read
        cmp     r13, r12
        movne   r9, r13
        strne   r9, [r8, #4]
        ldreq   r12, [r8, #8]           // the ring is full: the packet is counted as lost
        addeq   r12, r12, #1
        streq   r12, [r8, #8]
        ldr     r11, [r10, #0x0C]
        tst     r11, #0x80000000
        bne     next_packet
        subs    pc, lr, #4
        .ltorg

        .section .text.reset, "ax"
// r0: the application's number, and its flags above; r1 is free
reset:
        msr     cpsr_c, #0xD1           // fast interrupt
        ldr     r9, =runtime_ring
        add     r8, r9, #0x200
        str     r9, [r8, #0]
        str     r9, [r8, #4]
        msr     cpsr_c, #0xD2           // interrupt
        ldr     sp, =firmware_irq_stack
        msr     cpsr_c, #0xDF           // system, in which the vertex runs
        ldr     sp, =firmware_stack
        ldr     r1, =runtime_start
        bx      r1

interrupt:
        sub     lr, lr, #4
        stmfd   sp!, {r0 - r3, r12, lr}
        ldr     r0, =runtime_interrupt
        blx     r0
        ldmfd   sp!, {r0 - r3, r12, pc}^

// A fault ends the core: registers go to its block, and it sleeps. r13 and r14 are those of the mode of the fault.
fault_undefined:
        mov     r13, #2
        b       fault
fault_call:
        mov     r13, #3
        b       fault
fault_fetch:
        mov     r13, #4
        b       fault
fault_data:
        mov     r13, #5
fault:
        ldr     r14, =runtime_core_block
        ldr     r14, [r14]
        stmia   r14, {r0 - r7}
        mrs     r0, spsr
        str     r0, [r14, #32]
        strb    r13, [r14, #44]
        mov     r0, #2                  // run-time error
        strb    r0, [r14, #46]
        msr     cpsr_c, #0xDF
        mov     r1, lr
        mov     r2, sp
        ldr     r3, =runtime_core_block
        ldr     r3, [r3]
        str     r2, [r3, #36]
        str     r1, [r3, #40]
        .global runtime_sleep
runtime_sleep:
        mcr     p15, 0, r0, c7, c0, 4
        b       runtime_sleep
        .ltorg

// What compilers call for long copies; those of C libraries are ten times as long.
        .weak   memcpy
memcpy: mov     r3, r0
1:      subs    r2, r2, #1
        ldrbpl  r12, [r1], #1
        strbpl  r12, [r3], #1
        bpl     1b
        bx      lr
        .weak   memset
memset: mov     r3, r0
1:      subs    r2, r2, #1
        strbpl  r1, [r3], #1
        bpl     1b
        bx      lr
