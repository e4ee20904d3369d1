// SPDX-License-Identifier: BSL-1.0
/// \file
/// Reads a 32-bit little-endian ARM ELF: segments, symbols, which processor it was built for.
#ifndef NEUROMORPH_CYCLES_ELF_HPP
#define NEUROMORPH_CYCLES_ELF_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "status.hpp"
#include "timing.hpp"

namespace neuromorph::cycles {

struct Segment {
  std::uint32_t address = 0; ///< load address: start-up code moves .data itself, as on the chip
  std::vector<std::uint8_t> bytes;
  std::uint32_t memory_size = 0;
};

struct Symbol {
  std::string name;
  std::uint32_t address = 0; ///< without the Thumb bit
  std::uint32_t size = 0;
  bool function = false;
  bool absolute = false;
  bool thumb = false;
};

class Elf {
public:
  static Expected<Elf> read(std::string const& path);

  std::vector<Segment> const& segments() const { return segments_; }
  std::vector<Symbol> const& symbols() const { return symbols_; } ///< by address
  std::uint32_t entry() const { return entry_; }
  /// From the build attributes; none if the file does not say.
  std::optional<Core> core() const { return core_; }

  Symbol const* named(std::string_view name) const;
  /// `symbol`, `symbol+offset` or a number.
  std::optional<std::uint32_t> resolve(std::string_view text) const;
  /// The code symbol an address lies in: the last function or label at or before it.
  Symbol const* at(std::uint32_t address) const;
  std::string place(std::uint32_t address) const; ///< "0x00000123 in name+0x10"

private:
  std::vector<Segment> segments_;
  std::vector<Symbol> symbols_;
  std::uint32_t entry_ = 0;
  std::optional<Core> core_;
};

} // namespace neuromorph::cycles

#endif
