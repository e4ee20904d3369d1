// SPDX-License-Identifier: BSL-1.0
/// \file
/// Sfc32x16: sixteen small generators side by side, for machines whose vectors step all of them at once.
// not in the umbrella: for hosts with vectors
#ifndef NEUROMORPH_KERNELS_RANDOM_SFC32X16_HPP
#define NEUROMORPH_KERNELS_RANDOM_SFC32X16_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Sixteen generators as Sfc32, that take turns: a word of lane 0, one of lane 1, to lane 15, and lane 0 again.
///
/// Each lane is a stream of its own. `fill` gives the words that as many calls of `next` would, whoever's turn it is, on every
/// target: with AVX-512 and AVX2 a round is one step of vectors.
/// \cost   260 bytes. The start of a stream uses Philox 16 times
/// \source as Sfc32
class Sfc32x16 : public UniformBits<Sfc32x16> {
public:
  static constexpr std::size_t lanes = target::Sfc32Columns::lanes;

  /// All that the generator is; any values are legal, of `turn` the lowest four bits count.
  struct State {
    target::Sfc32Columns columns{};
    std::uint32_t turn = 0; ///< the lane that gives the next word
    friend constexpr bool operator==(const State&, const State&) noexcept = default;
  };

  /// At the start of the stream that is named by zeros.
  constexpr Sfc32x16() noexcept : Sfc32x16(StreamId{}) {}

  /// At the start of a stream. Lanes of all streams of one seed start in different states, without exception.
  explicit constexpr Sfc32x16(StreamId stream) noexcept {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const Philox::Block words = Philox::start_words(stream, first_part + static_cast<std::uint32_t>(lane));
      state_.columns.a[lane] = words[0];
      state_.columns.b[lane] = words[1];
      state_.columns.c[lane] = words[2];
      state_.columns.counter[lane] = words[3];
    }
  }

  /// In a state of the caller's, such as one kept by `state()`.
  explicit constexpr Sfc32x16(const State& state) noexcept : state_{state} { state_.turn %= lanes; }

  [[nodiscard]] constexpr const State& state() const noexcept { return state_; }

  constexpr std::uint32_t next() noexcept {
    const std::uint32_t word = step(state_.columns, state_.turn);
    state_.turn = static_cast<std::uint32_t>((state_.turn + 1) % lanes);
    return word;
  }

  /// As UniformBits::fill, whole rounds by the loop of the target.
  template <class Target = target::Native>
  constexpr void fill(std::span<std::uint32_t> words) noexcept {
    const std::size_t rounds = words.size() / lanes;
    constexpr bool is_callable = requires(target::Sfc32Columns & columns) {
      Target::fill_sfc32x16(columns, rounds, words.data(), rounds);
    };
    if constexpr (detail::has_loop<Target, offer::FillSfc32x16, is_callable>()) {
      if (!std::is_constant_evaluated()) {
        Target::fill_sfc32x16(state_.columns, state_.turn, words.data(), rounds);
        return fill_rest(words.subspan(rounds * lanes));
      }
    }
    std::uint32_t* to = words.data();
    target::Sfc32Columns columns = state_.columns; // the state itself could alias the words
    const std::size_t turn = state_.turn;
    for (std::size_t round = 0; round < rounds; ++round, to += lanes) {
      std::uint32_t drawn[lanes]{};
      for (std::size_t lane = 0; lane < lanes; ++lane) drawn[lane] = step(columns, lane);
      for (std::size_t lane = turn; lane < lanes; ++lane) to[lane - turn] = drawn[lane];
      for (std::size_t lane = 0; lane < turn; ++lane) to[lane + lanes - turn] = drawn[lane];
    }
    state_.columns = columns;
    fill_rest(words.subspan(rounds * lanes));
  }

  friend constexpr bool operator==(const Sfc32x16&, const Sfc32x16&) noexcept = default;

private:
  static constexpr std::uint32_t first_part = 16; ///< of Philox::start_words; the other generators use 0 to 2

  static constexpr std::uint32_t step(target::Sfc32Columns& columns, std::size_t lane) noexcept {
    const std::uint32_t word = columns.a[lane] + columns.b[lane] + columns.counter[lane];
    columns.counter[lane] += 1;
    columns.a[lane] = columns.b[lane] ^ (columns.b[lane] >> 9);
    columns.b[lane] = columns.c[lane] + (columns.c[lane] << 3);
    columns.c[lane] = std::rotl(columns.c[lane], 21) + word;
    return word;
  }
  constexpr void fill_rest(std::span<std::uint32_t> words) noexcept {
    for (std::uint32_t& word : words) word = next();
  }

  State state_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
