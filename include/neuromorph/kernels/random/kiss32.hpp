// SPDX-License-Identifier: BSL-1.0
/// \file
/// KISS32: SpiNNaker's generator without any multiply.
#ifndef NEUROMORPH_KERNELS_RANDOM_KISS32_HPP
#define NEUROMORPH_KERNELS_RANDOM_KISS32_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/detail/kiss.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// The words of a Kiss32; as made they are the published ones.
struct Kiss32State {
  std::uint32_t x = 123'456'789; ///< counter: any
  std::uint32_t y = 234'567'891; ///< xorshift: not 0
  std::uint32_t z = 345'678'912; ///< add-with-carry: the value before the last, below 2^31
  std::uint32_t w = 456'789'123; ///< add-with-carry: the last value, below 2^31
  std::uint32_t c = 0;           ///< add-with-carry: 0 or 1
  friend constexpr bool operator==(const Kiss32State&, const Kiss32State&) noexcept = default;
};

/// The sum of a counter with an odd step, a xorshift and an add-with-carry generator. A default-made one
/// starts in the published state and gives the published sequence. There for results that must match software
/// that uses it; Sfc32 is smaller, needs no multiply either and has no state to avoid.
///
/// State 20 bytes. Period about 2^120.4, exactly 2^32 (2^32 - 1) 576384491062058838 / 6, from every state
/// that `with_state` takes. The add-with-carry part's modulus 2^62 + 2^31 - 1 = 7559 * 610092078393289 is not
/// prime: states that share a factor with it have shorter periods, the worst below 2^12, and are refused.
/// \cost   per value: 3 shifted exclusive-ors, 5 additions, 2 bit operations; the start of a stream
///         uses Philox (20 multiplies 32x32 to 64 bits)
/// \source D. Jones's JKISS32 (Good practice in (pseudo) random number generation for bioinformatics
///         applications, 2010), after G. Marsaglia's KISS of 2007; the same recurrences and start state as
///         `mars_kiss32` of SpiNNaker's spinn_common. Theirs adds in signed arithmetic; the words are the
///         same.
class Kiss32 : public detail::Kiss<Kiss32, Kiss32State> {
public:
  /// In the published state.
  constexpr Kiss32() noexcept = default;

  /// At the start of a stream.
  explicit constexpr Kiss32(StreamId stream) noexcept {
    const Philox::Block words = Philox::start_words(stream, 1);
    start(words);
    state_.z = words[2] & low_31;
    state_.w = words[3] & low_31;
    state_.c = words[2] >> 31;
    // The neighbour of a short state is not one: the test is by divisibility.
    if (has_short_period(state_)) { state_.w ^= 1; }
  }

  /// `with_state` refuses, by the word's name: y == 0, z or w above 2^31 - 1, c above 1, and (z, w, c) with a short
  /// period, as z.
  /// \errors parameter_out_of_range: z, w, c
  [[nodiscard]] static constexpr Status refusal(const State& state) noexcept {
    if (state.z > low_31) { return Status{Error::parameter_out_of_range, 0, state.z, "z"}; }
    if (state.w > low_31) { return Status{Error::parameter_out_of_range, 0, state.w, "w"}; }
    if (state.c > 1) { return Status{Error::parameter_out_of_range, 0, state.c, "c"}; }
    if (has_short_period(state)) { return Status{Error::parameter_out_of_range, 0, state.z, "z"}; }
    return {};
  }

  constexpr std::uint32_t next() noexcept {
    state_.x += 1'411'392'427U;
    xorshift();
    const std::uint32_t sum = state_.z + state_.w + state_.c; // at most 2^32 - 1
    state_.z = state_.w;
    state_.w = sum & low_31;
    state_.c = sum >> 31;
    return state_.x + state_.y + state_.w;
  }

  friend constexpr bool operator==(const Kiss32&, const Kiss32&) noexcept = default;

private:
  static constexpr std::uint32_t low_31 = 0x7FFF'FFFFU;

  // A step multiplies (z + c) 2^31 + w by the inverse of 2^31, modulo 7559 * 610092078393289.
  static constexpr bool has_short_period(const State& state) noexcept {
    const std::uint64_t place = ((std::uint64_t{state.z} + state.c) << 31) + state.w;
    return is_multiple(place, 7559, 50) || is_multiple(place, 610'092'078'393'289U, 13);
  }

  // By shifts: the 64-bit division of small cores is a library call.
  static constexpr bool is_multiple(std::uint64_t value, std::uint64_t divisor, unsigned highest_shift) noexcept {
    for (unsigned count = highest_shift + 1; count > 0; --count) {
      if (value >= divisor << (count - 1)) { value -= divisor << (count - 1); }
    }
    return value == 0;
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
