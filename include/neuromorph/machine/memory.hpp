// SPDX-License-Identifier: BSL-1.0
/// \file
/// Memory of a chip: bytes that are 0 until they are written, of which only pages that were are there.
///
///     machine::Memory sdram(0x60000000, 128 << 20);
///     if (!sdram.write(0x60001000, bytes)) ...; // outside: nothing is written
// host-only
#ifndef NEUROMORPH_MACHINE_MEMORY_HPP
#define NEUROMORPH_MACHINE_MEMORY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

class Memory {
public:
  /// \pre base + bytes <= 2^32
  Memory(std::uint32_t base, std::uint32_t bytes) : base_(base), bytes_(bytes) {}

  [[nodiscard]] std::uint32_t base() const noexcept { return base_; }
  [[nodiscard]] std::uint32_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool holds(std::uint32_t address, std::size_t count) const noexcept {
    return address >= base_ && address - base_ <= bytes_ && count <= bytes_ - (address - base_);
  }
  /// \return whether all of it is in this memory; if not, nothing is done
  [[nodiscard]] bool read(std::uint32_t address, std::span<std::uint8_t> to) const {
    if (!holds(address, to.size())) return false;
    each_piece(address, to.size(), [&](std::uint32_t page, std::size_t at, std::size_t begin, std::size_t count) {
      const auto found = pages_.find(page);
      if (found == pages_.end())
        std::fill_n(to.begin() + static_cast<std::ptrdiff_t>(begin), count, std::uint8_t{0});
      else
        std::copy_n(found->second.begin() + static_cast<std::ptrdiff_t>(at), count,
                    to.begin() + static_cast<std::ptrdiff_t>(begin));
    });
    return true;
  }
  [[nodiscard]] bool write(std::uint32_t address, std::span<const std::uint8_t> from) {
    if (!holds(address, from.size())) return false;
    each_piece(address, from.size(), [&](std::uint32_t page, std::size_t at, std::size_t begin, std::size_t count) {
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(begin), count,
                  pages_[page].begin() + static_cast<std::ptrdiff_t>(at));
    });
    return true;
  }
  /// With a word, whose lowest byte comes first.
  /// \pre whole words
  [[nodiscard]] bool fill(std::uint32_t address, std::uint32_t word, std::uint32_t count) {
    if (!holds(address, count)) return false;
    each_piece(address, count, [&](std::uint32_t page, std::size_t at, std::size_t, std::size_t bytes) {
      if (word == 0 && bytes == page_bytes) {
        pages_.erase(page);
        return;
      }
      Page& of = pages_[page];
      for (std::size_t byte = 0; byte < bytes; ++byte)
        of[at + byte] = static_cast<std::uint8_t>(word >> 8 * (byte % 4));
    });
    return true;
  }
  /// \return 0 outside
  [[nodiscard]] std::uint32_t word(std::uint32_t address) const {
    std::array<std::uint8_t, 4> bytes{};
    static_cast<void>(read(address, bytes));
    return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
           std::uint32_t{bytes[3]} << 24;
  }
  /// Outside, nothing happens.
  void put_word(std::uint32_t address, std::uint32_t word) {
    const std::array<std::uint8_t, 4> bytes{static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
                                            static_cast<std::uint8_t>(word >> 16),
                                            static_cast<std::uint8_t>(word >> 24)};
    static_cast<void>(write(address, bytes));
  }

  /// Bytes of pages that are there.
  [[nodiscard]] std::size_t used() const noexcept { return pages_.size() * page_bytes; }
  /// Of what is in it: pages of zeros do not count.
  void add_to(Digest& digest) const {
    for (const auto& [page, bytes] : pages_) {
      if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t one) { return one == 0; })) continue;
      digest.add(page);
      for (std::size_t at = 0; at < page_bytes; at += 4)
        digest.add(std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
                   std::uint32_t{bytes[at + 3]} << 24);
    }
  }

private:
  static constexpr std::size_t page_bytes = 4096;
  using Page = std::array<std::uint8_t, page_bytes>;

  /// each(page, place in it, bytes before it, bytes)
  template <class Each>
  void each_piece(std::uint32_t address, std::size_t count, Each each) const {
    std::size_t offset = address - base_;
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t at = offset % page_bytes, bytes = (std::min)(page_bytes - at, count - begin);
      each(static_cast<std::uint32_t>(offset / page_bytes), at, begin, bytes);
      begin += bytes, offset += bytes;
    }
  }

  std::uint32_t base_, bytes_;
  std::map<std::uint32_t, Page> pages_{};
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
