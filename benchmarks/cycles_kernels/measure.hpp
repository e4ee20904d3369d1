// SPDX-License-Identifier: BSL-1.0
// What the firmware programs of the cycle table share. A program is a `bool run()` that measures regions and says
// whether all results were right.
#ifndef BENCHMARKS_CYCLES_KERNELS_MEASURE_HPP
#define BENCHMARKS_CYCLES_KERNELS_MEASURE_HPP

#include <cstdint>

#include <neuromorph/target/device/semihosting.hpp>

bool run();

extern "C" [[noreturn]] inline void firmware_start() { neuromorph::target::Semihosting::exit(run() ? 0 : 1); }

// The program's only reference to its entry.
[[gnu::used]] inline void (*const keep_start)() = firmware_start;

/// A value that the compiler knows nothing about, and that exists only from here on: inside of MEASURE it makes the
/// preparation of arguments part of what is measured.
template <class Value>
[[gnu::always_inline]] inline Value fresh(Value value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// Measures a statement: key "synapse.ring32.wrap" becomes cycles/<core>/synapse/ring32/wrap, per item. Once per key; a
/// statement that runs often counts with its mean, one whose key ends in ".worst" with its longest; "1..6" becomes 1.6.
/// The empty lines make the compiler take the label for too long a piece of code to have it twice.
#define MEASURE(key, items, ...)                                                                                       \
  do {                                                                                                                 \
    asm volatile(".set " key "__items, " #items "\n" key "__begin:" : : : "memory");                                   \
    __VA_ARGS__;                                                                                                       \
    asm volatile(key "__end:\n\n\n\n\n\n\n\n\n\n\n\n" : : : "memory");                                                 \
  } while (false)

#endif
