// SPDX-License-Identifier: BSL-1.0
/// \file
/// Sfc32: the library's small generator; six additions, shifts and exclusive-ors per value, no multiply.
/// docs/random.md says why this one.
#ifndef NEUROMORPH_KERNELS_RANDOM_SFC32_HPP
#define NEUROMORPH_KERNELS_RANDOM_SFC32_HPP

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A chaotic map of three words, driven by a counter.
///
/// State 16 bytes; every state is legal. A step is a bijection of the state, and the counter comes back only
/// after 2^32 steps: the period is a multiple of 2^32 from every state, about 2^127 on average.
/// \cost   per value: 4 additions, 1 exclusive-or, 1 addition of a constant, three of their operands shifted
/// or
///         rotated; the start of a stream uses Philox (20 multiplies 32x32 to 64 bits)
/// \source C. Doty-Humphrey, sfc32 of PractRand 0.93 (shifts 9 and 3, rotation 21); seeding is ours
class Sfc32 : public UniformBits<Sfc32> {
public:
  /// All that the generator is; any values are legal. States with little entropy need about 16 values to mix.
  struct State {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t counter = 1;
    friend constexpr bool operator==(const State&, const State&) noexcept = default;
  };

  /// At the start of the stream that is named by zeros.
  constexpr Sfc32() noexcept : Sfc32(StreamId{}) {}

  /// At the start of a stream. Streams of one seed start in different states, without exception.
  explicit constexpr Sfc32(StreamId stream) noexcept {
    const Philox::Block words = Philox::start_words(stream, 2);
    state_ = {words[0], words[1], words[2], words[3]};
  }

  /// In a state of the caller's, such as one kept by `state()`.
  explicit constexpr Sfc32(const State& state) noexcept : state_{state} {}

  [[nodiscard]] constexpr const State& state() const noexcept { return state_; }

  constexpr std::uint32_t next() noexcept {
    const std::uint32_t word = state_.a + state_.b + state_.counter;
    state_.counter += 1;
    state_.a = state_.b ^ (state_.b >> 9);
    state_.b = state_.c + (state_.c << 3);
    state_.c = std::rotl(state_.c, 21) + word;
    return word;
  }

  /// As UniformBits::fill, by the block loop of a target that has one.
  /// \cost ARM968E-S: benchmark `random/small`
  template <class Target = target::Native>
  constexpr void fill(std::span<std::uint32_t> words) noexcept {
    constexpr bool is_callable = requires(State & state) { Target::fill_sfc32(state, words.data(), words.size()); };
    if constexpr (detail::has_loop<Target, offer::FillSfc32, is_callable>()) {
      if (!std::is_constant_evaluated()) return Target::fill_sfc32(state_, words.data(), words.size());
    }
    UniformBits::fill(words);
  }

  friend constexpr bool operator==(const Sfc32&, const Sfc32&) noexcept = default;

private:
  State state_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
