// SPDX-License-Identifier: BSL-1.0
// Macros that vendor headers are known to define, with values that break what they touch. Each header of the
// library must still compile after this file. No include guard: a second inclusion would be a mistake.

// One-letter registers, flags, ports and suffixes (CMSIS, AVR, DSP headers, <complex.h>, <ctype.h> of newlib).
#define A (0x01u)
#define B (0x02u)
#define C (0x03u)
#define D (0x04u)
#define E (0x05u)
#define F(text) (text)
#define G (0x07u)
#define H (0x08u)
#define I (0x09u)
#define J (0x0Au)
#define K (0x0Bu)
#define L (0x0Cu)
#define M (0x0Du)
#define N (0x0Eu)
#define O (0x0Fu)
#define P (0x10u)
#define Q (0x11u)
#define R (0x12u)
#define S (0x13u)
#define T (0x14u)
#define U (0x15u)
#define V (0x16u)
#define W (0x17u)
#define X (0x18u)
#define Y (0x19u)
#define Z (0x1Au)
#define _U 01
#define _L 02
#define _N 04
#define _S 010
#define _P 020
#define _C 040
#define _X 0100
#define _B 0200

// Binary constants and pins of Arduino cores; baud rates of <termios.h>.
#define B0 0
#define B1 1
#define B01 1
#define B110 6
#define PI 3.14159
#define HALF_PI 1.57079
#define TWO_PI 6.28318
#define EULER 2.71828
#define HIGH 0x1
#define LOW 0x0
#define INPUT 0x0
#define OUTPUT 0x1
#define INPUT_PULLUP 0x2
#define CHANGE 1
#define FALLING 2
#define RISING 3
#define DEFAULT 1
#define INTERNAL 3
#define EXTERNAL 0
#define SERIAL 0x0
#define DISPLAY 0x1
#define _BV(place) (1 << (place))
#define bit(place) (1UL << (place))
#define bitRead(value, place) (((value) >> (place)) & 0x01)
#define bitSet(value, place) ((value) |= (1UL << (place)))
#define bitClear(value, place) ((value) &= ~(1UL << (place)))
#define bitWrite(value, place, on) ((on) ? bitSet(value, place) : bitClear(value, place))
#define lowByte(value) ((unsigned char)((value)&0xff))
#define highByte(value) ((unsigned char)((value) >> 8))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define abs(x) ((x) > 0 ? (x) : -(x))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define constrain(value, low, high) ((value) < (low) ? (low) : ((value) > (high) ? (high) : (value)))
#define radians(degrees) ((degrees)*0.01745)
#define degrees(radians) ((radians)*57.2957)
#define sq(x) ((x) * (x))
#define interrupts() sei()
#define noInterrupts() cli()
#define clockCyclesPerMicrosecond() (16L)

// CMSIS core and STM32 device headers: access qualifiers, bit helpers, peripherals and registers.
#define __I volatile const
#define __O volatile
#define __IO volatile
#define __IM volatile const
#define __OM volatile
#define __IOM volatile
#define __STATIC_INLINE static inline
#define RESERVED 0
#define RESERVED0 0
#define UNUSED(x) ((void)(x))
#define SET_BIT(reg, mask) ((reg) |= (mask))
#define CLEAR_BIT(reg, mask) ((reg) &= ~(mask))
#define READ_BIT(reg, mask) ((reg) & (mask))
#define CLEAR_REG(reg) ((reg) = 0)
#define WRITE_REG(reg, value) ((reg) = (value))
#define READ_REG(reg) ((reg))
#define MODIFY_REG(reg, clear, set) ((reg) = (((reg) & ~(clear)) | (set)))
#define FLASH ((void*)0x40022000)
#define RNG ((void*)0x50060800)
#define CRC ((void*)0x40023000)
#define RTC ((void*)0x40002800)
#define RCC ((void*)0x40021000)
#define PWR ((void*)0x40007000)
#define ADC ((void*)0x50040300)
#define DAC ((void*)0x40007400)
#define DMA1 ((void*)0x40020000)
#define TIM1 ((void*)0x40012C00)
#define SPI1 ((void*)0x40013000)
#define SCB ((void*)0xE000ED00)
#define SysTick ((void*)0xE000E010)
#define NVIC ((void*)0xE000E100)
#define DWT ((void*)0xE0001000)
#define ITM ((void*)0xE0000000)
#define MPU ((void*)0xE000ED90)
#define FPU ((void*)0xE000EF30)

// AVR device headers.
#define SP 0x3D
#define SREG 0x3F
#define PORTB 0x05
#define DDRB 0x04
#define PINB 0x03
#define PB0 0

// Desktop and real-time operating systems whose headers reach firmware through simulators and SDKs.
#define near
#define far
#define small char
#define hyper long long
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define VOID void
#define CONST const
#define TRUE 1
#define FALSE 0
#define ERROR 0
#define NO_ERROR 0
#define OK 0
#define SUCCESS 0
#define FAILURE 1
#define DELETE (0x00010000L)
#define IGNORE 0
#define INFINITE 0xFFFFFFFF
#define STRICT 1
#define ABSOLUTE 1
#define RELATIVE 2
#define OPAQUE 2
#define TRANSPARENT 1
#define unix 1
#define linux 1
#define major(device) ((device) >> 8)
#define minor(device) ((device)&0xff)
#define _current get_current()
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BIT(place) (1UL << (place))
#define ALIGN(x, a) (((x) + (a)-1) & ~((a)-1))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

// Compilers for small cores, and the vector extension of PowerPC.
#define interrupt __attribute__((interrupt))
#define persistent
#define vector __attribute__((vector_size(16)))
#define pixel unsigned short
