// SPDX-License-Identifier: BSL-1.0
/// \file
/// Philox4x32-10: a counter-based generator; the n-th value of a stream is a function of its name and n
/// alone.
///
/// Take it where a network must be the same however it is split over cores: ask for value n of a population
/// (n = neuron, synapse, or neuron * 2^32 + step) instead of drawing in an order. Also spreads seeds for the
/// other generators.
#ifndef NEUROMORPH_KERNELS_RANDOM_PHILOX_HPP
#define NEUROMORPH_KERNELS_RANDOM_PHILOX_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/random_source.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Counter-based random source, and the functions it is made of.
///
/// A stream has 2^64 values. Value n is word n % 4 of the block with key {seed low, seed high} and counter
/// {n/4 low, n/4 high, core, population}.
///
/// State 40 bytes, of which 16 are the current block; `value` and `block` need none.
/// \cost   per block of four values: 20 multiplies 32x32 to 64 bits, 40 exclusive-ors, 18 additions
/// \source J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011; the function is that
///         paper's, the layout of key and counter is ours
class Philox : public UniformBits<Philox> {
public:
  using Key = std::array<std::uint32_t, 2>;
  using Block = std::array<std::uint32_t, 4>;

  /// Four independent uniform words for a key and a counter; a bijection of the counter for each key.
  [[nodiscard]] static constexpr Block block(Key key, Block counter) noexcept {
    std::uint32_t key0 = key[0];
    std::uint32_t key1 = key[1];
    auto [word0, word1, word2, word3] = counter;
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t product0 = std::uint64_t{0xD251'1F53U} * word0;
      const std::uint64_t product2 = std::uint64_t{0xCD9E'8D57U} * word2;
      word0 = static_cast<std::uint32_t>(product2 >> 32) ^ word1 ^ key0;
      word1 = static_cast<std::uint32_t>(product2);
      word2 = static_cast<std::uint32_t>(product0 >> 32) ^ word3 ^ key1;
      word3 = static_cast<std::uint32_t>(product0);
      key0 += 0x9E37'79B9U;
      key1 += 0xBB67'AE85U;
    }
    return {word0, word1, word2, word3};
  }

  /// Value n of a stream, without any state.
  [[nodiscard]] static constexpr std::uint32_t value(StreamId stream, std::uint64_t n) noexcept {
    return stream_block(stream, n / 4)[static_cast<std::size_t>(n % 4)];
  }

  /// Words to start another generator on a stream; each `part` gives four more. Unrelated to the stream's own
  /// values, since no block of a stream has this counter.
  [[nodiscard]] static constexpr Block start_words(StreamId stream, std::uint32_t part) noexcept {
    return block(key_of(stream), {part, 0xFFFF'FFFFU, stream.core, stream.population});
  }

  constexpr Philox() noexcept = default;
  /// At value 0 of the stream.
  explicit constexpr Philox(StreamId stream) noexcept : stream_{stream} {}

  constexpr std::uint32_t next() noexcept {
    const std::size_t lane = static_cast<std::size_t>(position_ % 4);
    if (lane == 0) { block_ = stream_block(stream_, position_ / 4); }
    ++position_;
    return block_[lane];
  }

  /// Writes what as many calls of `next()` would return, in order; whole blocks at once.
  constexpr void fill(std::span<std::uint32_t> words) noexcept {
    std::uint32_t* at = words.data();
    std::size_t left = words.size();
    for (; left != 0 && position_ % 4 != 0; --left) *at++ = next();
    for (; left >= 4; left -= 4, position_ += 4)
      for (const std::uint32_t word : stream_block(stream_, position_ / 4)) *at++ = word;
    for (; left != 0; --left) *at++ = next();
  }

  /// Goes to value n of the stream, forwards or backwards, at the cost of at most one block.
  constexpr void seek(std::uint64_t n) noexcept {
    position_ = n;
    if (n % 4 != 0) { block_ = stream_block(stream_, n / 4); }
  }

  /// Number of the value that `next()` will return.
  [[nodiscard]] constexpr std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] constexpr StreamId stream() const noexcept { return stream_; }

  friend constexpr bool operator==(const Philox& left, const Philox& right) noexcept {
    return left.stream_ == right.stream_ && left.position_ == right.position_;
  }

private:
  static constexpr Key key_of(StreamId stream) noexcept {
    return {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)};
  }

  static constexpr Block stream_block(StreamId stream, std::uint64_t number) noexcept {
    return block(key_of(stream), {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32),
                                  stream.core, stream.population});
  }

  StreamId stream_{};
  std::uint64_t position_ = 0;
  Block block_{}; // of position_, valid when position_ is not a multiple of 4
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
