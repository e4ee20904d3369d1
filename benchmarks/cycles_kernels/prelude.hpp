// SPDX-License-Identifier: BSL-1.0
// What nearly all programs of the cycle table include, compiled once for each core: reading it takes a fifth of the time of
// a program. Only what changes seldom, as each change builds all programs anew.
#ifndef BENCHMARKS_CYCLES_KERNELS_PRELUDE_HPP
#define BENCHMARKS_CYCLES_KERNELS_PRELUDE_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <neuromorph/target/device/semihosting.hpp>
#include <neuromorph/target/native.hpp>

#endif
