// SPDX-License-Identifier: BSL-1.0
/// \file
/// APLX: an image of a program, and the table at its head that says what of it goes where.
///
///     for (protocols::AplxReader reader(image); auto block = reader.next();) load(*block);
/// \source spinnaker_tools, sark/sark_alib.s: entries of four words
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_APLX_HPP
#define NEUROMORPH_PROTOCOLS_APLX_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/bytes.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

struct AplxBlock {
  enum class Kind : std::uint8_t {
    copy = 1,          ///< from an address to another
    copy_relative = 2, ///< from a place in the image, told from its entry on
    fill = 3,          ///< with a word
    execute = 4,       ///< begins there
    end = 5,           ///< any other number
  };
  Kind kind = Kind::end;
  std::uint32_t to = 0;     ///< address; of `execute` the first instruction
  std::uint32_t from = 0;   ///< address, or the place from the entry on; of `fill` the length
  std::uint32_t length = 0; ///< bytes; of `fill` the word
  /// Bytes as they are moved: whole lines of 32.
  [[nodiscard]] constexpr std::uint32_t moved() const noexcept {
    const std::uint32_t asked = kind == Kind::fill ? from : length;
    return asked > 0xFFFFFFE0U ? 0xFFFFFFE0U : (asked + 31) / 32 * 32;
  }
};
inline constexpr std::size_t aplx_entry_bytes = 16;

/// Reads a table up to its end or to what is executed.
class AplxReader {
public:
  explicit constexpr AplxReader(std::span<const std::uint8_t> image) noexcept : image_(image) {}

  /// The next entry; its kind is `end` after the last one, and ever after.
  /// \errors too_short: the image ends within the table; out_of_range: what is copied relative to an entry is not in the image;
  ///         not_aligned: an address is none of a word
  [[nodiscard]] constexpr Decoded<AplxBlock> next() noexcept {
    if (is_over_) return AplxBlock{};
    if (image_.size() - at_ < aplx_entry_bytes) return stop(Malformed::too_short);
    AplxBlock made;
    const std::uint32_t kind = word_at(image_, at_);
    if (kind < 1 || kind > 4) {
      is_over_ = true;
      return made;
    }
    made.kind = AplxBlock::Kind(kind);
    made.to = word_at(image_, at_ + 4), made.from = word_at(image_, at_ + 8), made.length = word_at(image_, at_ + 12);
    if (made.to % 4 != 0 || (made.kind == AplxBlock::Kind::copy && made.from % 4 != 0))
      return stop(Malformed::not_aligned);
    if (made.kind == AplxBlock::Kind::copy_relative &&
        (made.from > image_.size() - at_ || made.length > image_.size() - at_ - made.from))
      return stop(Malformed::out_of_range);
    entry_ = at_, at_ += aplx_entry_bytes;
    is_over_ = made.kind == AplxBlock::Kind::execute;
    return made;
  }
  /// The bytes of the block that was read last, which is copied relative to its entry.
  [[nodiscard]] constexpr std::span<const std::uint8_t> bytes(const AplxBlock& block) const noexcept {
    return image_.subspan(entry_ + block.from, block.length);
  }

private:
  constexpr Malformed stop(Malformed why) noexcept {
    is_over_ = true;
    return why;
  }
  std::span<const std::uint8_t> image_;
  std::size_t at_ = 0, entry_ = 0;
  bool is_over_ = false;
};

/// \pre to.size() >= aplx_entry_bytes
constexpr void encode_aplx(const AplxBlock& block, std::span<std::uint8_t> to) noexcept {
  put_word(to, 0, std::uint32_t(block.kind)), put_word(to, 4, block.to), put_word(to, 8, block.from),
      put_word(to, 12, block.length);
}

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
