// SPDX-License-Identifier: BSL-1.0
// A backend of four lanes for any machine: a loop over groups of neurons runs where no vector unit is asked for.
#ifndef TESTS_SUPPORT_COMPILERS_OWN_HPP
#define TESTS_SUPPORT_COMPILERS_OWN_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/target/compiler_lanes.hpp>
#include <neuromorph/target/generic.hpp>

/// Lanes with nothing but what the compiler expresses, which backends with instructions of their own hide.
struct CompilersOwn : neuromorph::target::Generic {
  typedef std::int32_t Words __attribute__((vector_size(16)));
  typedef std::uint32_t UnsignedWords __attribute__((vector_size(16)));
  struct Lanes : neuromorph::target::CompilerLanes<Words, UnsignedWords> {
    using Factor = Value;
    static Factor factor(Value decay) { return decay; }
    static Value decay(Value value, Factor factor) {
      for (std::size_t lane = 0; lane < count; ++lane)
        value[lane] = neuromorph::target::Generic::Lanes::decay(value[lane], factor[lane]);
      return value;
    }
    static Value decay_nearest(Value value, Factor factor) {
      for (std::size_t lane = 0; lane < count; ++lane)
        value[lane] = neuromorph::target::Generic::Lanes::decay_nearest(value[lane], factor[lane]);
      return value;
    }
    static bool any_overflow(Overflow overflow) {
      return bits(overflow.wrapped < 0) != 0 || bits(overflow.lost != 0) != 0;
    }
    static std::uint32_t bits(Mask mask) {
      std::uint32_t bits = 0;
      for (std::size_t lane = 0; lane < count; ++lane) bits |= mask[lane] != 0 ? 1U << lane : 0U;
      return bits;
    }
  };
};

#endif
