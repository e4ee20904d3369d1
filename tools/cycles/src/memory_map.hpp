// SPDX-License-Identifier: BSL-1.0
/// \file
/// Memory regions and the cycles the processor waits for each.
#ifndef NEUROMORPH_CYCLES_MEMORY_MAP_HPP
#define NEUROMORPH_CYCLES_MEMORY_MAP_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "status.hpp"
#include "timing.hpp"

namespace neuromorph::cycles {

struct Region {
  std::string name;
  std::uint32_t base = 0;
  std::uint64_t size = 0;
  std::uint32_t read_wait = 0; ///< cycles beyond the first, per word
  std::uint32_t write_wait = 0;
  std::uint32_t fetch_wait = 0;

  bool holds(std::uint32_t address) const { return address - base < size; }
};

class MemoryMap {
public:
  /// SpiNNaker's memories for the ARM9, a plain microcontroller for the Cortex-M4.
  static MemoryMap standard(Core core);

  /// `name,base,size[,read[,write[,fetch]]]`, commas or blanks; a known name is replaced, `name,none` removed.
  std::optional<Failure> add(std::string_view line);

  /// The same, one region per line, `#` begins a comment.
  std::optional<Failure> add_file(std::string const& path);

  Region const* find(std::uint32_t address) const {
    if (last_ < regions_.size() && regions_[last_].holds(address)) { return &regions_[last_]; }
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      if (regions_[i].holds(address)) {
        last_ = i;
        return &regions_[i];
      }
    }
    return nullptr;
  }
  std::vector<Region> const& regions() const { return regions_; }

private:
  std::vector<Region> regions_;
  mutable std::size_t last_ = 0;
};

} // namespace neuromorph::cycles

#endif
