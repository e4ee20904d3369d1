// SPDX-License-Identifier: BSL-1.0
/// \file
/// One number for many words, by which they are known again.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_WORD_DIGEST_HPP
#define NEUROMORPH_NETWORK_DETAIL_WORD_DIGEST_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// Of words in their order: no change of a single word leaves it as it was.
class WordDigest {
public:
  void add(std::uint32_t word) noexcept {
    value_ = (value_ ^ word) * 0x9E37'79B9'7F4A'7C15U;
    value_ ^= value_ >> 29;
  }
  void add_wide(std::uint64_t value) noexcept {
    add(static_cast<std::uint32_t>(value));
    add(static_cast<std::uint32_t>(value >> 32));
  }
  void add_real(double value) noexcept { add_wide(std::bit_cast<std::uint64_t>(value)); }
  /// An object of whole words or of bytes; nothing of one that may have gaps, reals or addresses, whose bytes do not say what
  /// it is.
  template <class Object>
  void add_object(const Object& object) noexcept {
    if constexpr (std::has_unique_object_representations_v<Object> && (alignof(Object) == 4 || alignof(Object) == 1)) {
      using Word = std::conditional_t<alignof(Object) == 4, std::uint32_t, std::uint8_t>;
      for (std::size_t at = 0; at < sizeof(Object); at += sizeof(Word)) {
        Word word;
        std::memcpy(&word, reinterpret_cast<const unsigned char*>(&object) + at, sizeof word);
        add(word);
      }
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

private:
  std::uint64_t value_ = 1;
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
