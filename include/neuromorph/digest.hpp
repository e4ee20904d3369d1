// SPDX-License-Identifier: BSL-1.0
/// \file
/// A 64-bit digest of state words, for comparing runs on different machines. Not for security.
#ifndef NEUROMORPH_DIGEST_HPP
#define NEUROMORPH_DIGEST_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Order matters: the same words in another order give another digest. Any change of one word changes the
/// value.
class Digest {
public:
  constexpr void add(std::uint32_t word) noexcept {
    // Both halves step by odd multipliers with 32-bit products only, which every core has.
    low_ = (low_ ^ word) * 0x01000193U;
    high_ = (high_ ^ (low_ >> 15) ^ word) * 0x85EBCA6BU;
  }
  template <std::integral Word, std::size_t count>
  constexpr void add(std::span<Word, count> words) noexcept {
    static_assert(sizeof(Word) <= 4, "neuromorph: Digest takes words of at most 32 bits");
    for (const Word word : words) add(static_cast<std::uint32_t>(word));
  }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept {
    return (std::uint64_t{mixed(high_)} << 32) | mixed(low_ ^ (high_ >> 16));
  }

  /// What it is made of, so that another process may go on with it.
  struct State {
    std::uint32_t low, high;
  };
  [[nodiscard]] constexpr State state() const noexcept { return {low_, high_}; }
  [[nodiscard]] static constexpr Digest of(const State& state) noexcept {
    Digest made;
    made.low_ = state.low, made.high_ = state.high;
    return made;
  }

private:
  [[nodiscard]] static constexpr std::uint32_t mixed(std::uint32_t word) noexcept {
    word = (word ^ (word >> 16)) * 0x85EBCA6BU;
    word = (word ^ (word >> 13)) * 0xC2B2AE35U;
    return word ^ (word >> 16);
  }
  std::uint32_t low_ = 0x811C9DC5U;
  std::uint32_t high_ = 0x9747B28CU;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
