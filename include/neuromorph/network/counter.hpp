// SPDX-License-Identifier: BSL-1.0
/// \file
/// The random words of a network: each a function of the seed, the projection, what it is for, and two numbers.
///
/// There is no state and no order, so a network is the same however it is split over threads, processes or chips.
// host-only
#ifndef NEUROMORPH_NETWORK_COUNTER_HPP
#define NEUROMORPH_NETWORK_COUNTER_HPP

#include <array>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/philox.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// What words are for.
enum class Use : std::uint32_t {
  partners = 0, ///< which neurons are connected
  synapses = 1, ///< weight and delay of a synapse
  sources = 2,  ///< how many synapses each source has
  neurons = 3   ///< parameters of neurons; `of` is a population
};

/// Words of one projection and use. Word n of line `a` is word n % 4 of the Philox block with the seed as its key and the
/// counter {n / 4, attempt, a, 4 of + use}.
class Counter {
public:
  /// \param of  number of the projection or population, below 2^30
  constexpr Counter(std::uint64_t seed, std::uint32_t of, Use use) noexcept
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        what_(4 * of + static_cast<std::uint32_t>(use)) {}

  [[nodiscard]] constexpr Philox::Block block(std::uint32_t line, std::uint32_t number,
                                              std::uint32_t attempt = 0) const noexcept {
    return Philox::block(key_, {number, attempt, line, what_});
  }

private:
  Philox::Key key_;
  std::uint32_t what_;
};

/// Reads words of a counter; keeps the last blocks of a line, so that words in ascending order come by the block.
///
/// \tparam Blocks  computed at once, side by side: 1 where few words of a line are wanted, 16 where all are
template <std::uint32_t Blocks>
class CounterReader {
public:
  explicit constexpr CounterReader(Counter counter) noexcept : counter_(counter) {}

  /// Word n of a line.
  [[nodiscard, gnu::always_inline]] constexpr std::uint32_t word(std::uint32_t line, std::uint32_t n) noexcept {
    look_at(line, n / 4);
    return words_[n % 4][n / 4 % Blocks];
  }
  /// Words 2 n and 2 n + 1 of a line.
  struct Pair {
    std::uint32_t first, second;
  };
  [[nodiscard, gnu::always_inline]] constexpr Pair pair(std::uint32_t line, std::uint32_t n) noexcept {
    look_at(line, n / 2);
    const std::uint32_t at = n / 2 % Blocks, half = n % 2 * 2;
    return {words_[half][at], words_[half + 1][at]};
  }
  /// From 0 to bound - 1, each with exactly the same chance: word n of the first attempt at which it decides.
  /// \source D. Lemire, Fast random integer generation in an interval, ACM TOMACS 29(1), 2019
  [[nodiscard, gnu::always_inline]] constexpr std::uint32_t below(std::uint32_t bound, std::uint32_t line,
                                                                  std::uint32_t n) noexcept {
    std::uint64_t product = std::uint64_t{word(line, n)} * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]]
      product = again(product, bound, line, n);
    return static_cast<std::uint32_t>(product >> 32);
  }

private:
  [[gnu::always_inline]] constexpr void look_at(std::uint32_t line, std::uint32_t number) noexcept {
    if (line != line_ || number / Blocks != window_) [[unlikely]]
      read(line, number / Blocks);
  }
  [[gnu::noinline]] constexpr void read(std::uint32_t line, std::uint32_t window) noexcept {
    line_ = line, window_ = window;
    for (std::uint32_t at = 0; at < Blocks; ++at) {
      const Philox::Block block = counter_.block(line, window * Blocks + at);
      for (std::uint32_t word = 0; word < 4; ++word) words_[word][at] = block[word];
    }
  }
  [[gnu::noinline]] constexpr std::uint64_t again(std::uint64_t product, std::uint32_t bound, std::uint32_t line,
                                                  std::uint32_t n) const noexcept {
    const std::uint32_t surplus = (0U - bound) % bound; // 2^32 mod bound
    for (std::uint32_t attempt = 1; static_cast<std::uint32_t>(product) < surplus; ++attempt)
      product = std::uint64_t{counter_.block(line, n / 4, attempt)[n % 4]} * bound;
    return product;
  }

  Counter counter_;
  std::uint32_t line_ = 0, window_ = 0xFFFF'FFFF; // there is no such window
  std::array<std::array<std::uint32_t, Blocks>, 4> words_{};
};
using OneByOne = CounterReader<1>;
using InOrder = CounterReader<16>;

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
