// SPDX-License-Identifier: BSL-1.0
/// \file
/// A flood fill: an image that a host sends to many chips at once, in blocks, between a start, selections of cores, and an end.
///
///     start(id, blocks) | select(region, cores)... | data(block)... | end -> which cores of which chips start it
///
/// Before SC&MP 4 the start names a region, the end the cores, and nothing is selected between.
/// \source spinnaker_tools, scamp/scamp-nn.c; rig, regions.py
// host-only
#ifndef NEUROMORPH_MACHINE_FLOOD_FILL_HPP
#define NEUROMORPH_MACHINE_FLOOD_FILL_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/scp.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// Whether a region has a chip: squares of 64, 16, 4 or 1 chips a side, sixteen of them from a corner on.
[[nodiscard]] constexpr bool is_in_region(std::uint32_t region, std::uint32_t x, std::uint32_t y) noexcept {
  const unsigned shift = 6 - 2 * (region >> 16 & 3U);
  const std::uint32_t outside = ~((4U << shift) - 1) & 0xFFU;
  if ((x & outside) != (region >> 24 & outside) || (y & outside) != (region >> 16 & 0xFCU & outside)) return false;
  return (region >> ((x >> shift & 3U) + 4 * (y >> shift & 3U)) & 1U) != 0;
}

class FloodFill {
public:
  /// What became of packets that belong to none.
  struct Ignored {
    std::uint64_t selections = 0; ///< before a start, or not ascending
    std::uint64_t blocks = 0;     ///< of another id, a number that is too large, or before a start
    std::uint64_t ends = 0;       ///< of another id, or where blocks are missing
    friend bool operator==(const Ignored&, const Ignored&) = default;
  };
  struct Selection {
    std::uint32_t region = 0, cores = 0;
  };

  /// \param region  of the start: before SC&MP 4
  void start(std::uint32_t key, std::uint32_t region) {
    id_ = key >> 16 & 0xFFU, blocks_.assign(key >> 8 & 0xFFU, {}), selections_.clear(), region_ = region, last_ = 0,
    is_open_ = true;
  }
  void select(std::uint32_t key, std::uint32_t region) {
    const std::uint32_t cores = key & 0x3FFFFU;
    const std::uint64_t place = std::uint64_t{region} << 18 | cores; // they come in ascending order
    if (!is_open_ || place <= last_) {
      ++ignored_.selections;
      return;
    }
    last_ = place, selections_.push_back({region, cores});
  }
  void data(const protocols::FloodFillData& of) {
    if (!is_open_ || of.id != id_ || of.block >= blocks_.size()) {
      ++ignored_.blocks;
      return;
    }
    blocks_[of.block] = {of.address, {of.data.begin(), of.data.end()}};
  }
  /// \param old  whether the start and the end say which cores start it, where nothing was selected
  /// \return     whether it is whole: `launch`, `selections` and `each_block` say what to do then
  [[nodiscard]] bool end(std::uint32_t key, std::uint32_t data, bool old) {
    bool is_whole = is_open_ && (key & 0xFFU) == id_;
    for (const Block& one : blocks_) is_whole = is_whole && !one.bytes.empty();
    if (!is_whole) {
      ++ignored_.ends;
      return false;
    }
    is_open_ = false;
    launch_ = {static_cast<std::uint8_t>(data >> 24), static_cast<std::uint8_t>(data >> 18 & 0x3FU), data & 0x3FFFEU};
    if (old && selections_.empty()) selections_.push_back({region_, launch_.core_mask});
    return true;
  }

  [[nodiscard]] const protocols::Launch& launch() const noexcept { return launch_; }
  /// Cores of a chip.
  [[nodiscard]] std::uint32_t cores(std::uint32_t x, std::uint32_t y) const noexcept {
    std::uint32_t made = 0;
    for (const Selection& one : selections_)
      if (is_in_region(one.region, x, y)) made |= one.cores;
    return made & 0x3FFFEU;
  }
  /// each(address, bytes)
  template <class Each>
  void each_block(Each each) const {
    for (const Block& one : blocks_) each(one.address, std::span<const std::uint8_t>(one.bytes));
  }
  /// Of the first block.
  [[nodiscard]] std::uint32_t address() const noexcept { return blocks_.empty() ? 0 : blocks_.front().address; }
  [[nodiscard]] const Ignored& ignored() const noexcept { return ignored_; }

private:
  struct Block {
    std::uint32_t address = 0;
    std::vector<std::uint8_t> bytes{};
  };
  bool is_open_ = false;
  std::uint32_t id_ = 0, region_ = 0;
  std::uint64_t last_ = 0;
  std::vector<Block> blocks_{};
  std::vector<Selection> selections_{};
  protocols::Launch launch_{};
  Ignored ignored_{};
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
