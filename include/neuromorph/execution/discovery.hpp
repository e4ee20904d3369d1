// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a machine has, asked of its monitors: chips, cores, links, memory and router entries, boards and their addresses.
///
///     auto found = execution::discover(ask, {});
///     if (!found) return std::puts(found.sentence().c_str()), 1;
///     found.value().machine; // for mapping
// host-only
#ifndef NEUROMORPH_EXECUTION_DISCOVERY_HPP
#define NEUROMORPH_EXECUTION_DISCOVERY_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/protocols/boot.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct DiscoveryOptions {
  /// For a machine that is not booted, at most 32 KB; empty: such a one is refused.
  std::span<const std::uint8_t> boot_image = {};
  unsigned boot_looks = 100; ///< for its monitors after it, with a tenth of a second between
};
struct Found {
  mapping::Machine machine;
  std::vector<mapping::Chip> ethernets = {}; ///< by their numbers in the link
  std::vector<host::Address> addresses = {}; ///< of these
  std::string monitor = {};                  ///< its name and version
  bool counts_by_board = true;               ///< since SC&MP 4; before, regions are counted
  bool was_booted = false;
};

namespace detail {

[[nodiscard]] inline Refusal not_found(std::string why) {
  return {{Error::file_failed, 0, 0, "machine"}, "the machine", std::move(why)};
}

inline void boot(Link& link, std::span<const std::uint8_t> image) {
  std::array<std::uint8_t, 1100> bytes{};
  const auto send = [&](const protocols::BootPacket& packet) {
    link.send_boot(std::span(bytes).first(protocols::encode_boot(packet, bytes)));
    link.pass_time(std::chrono::milliseconds(10));
  };
  const std::size_t blocks = (image.size() + protocols::boot_block_bytes - 1) / protocols::boot_block_bytes;
  send(protocols::BootPacket::start(static_cast<std::uint32_t>(blocks)));
  for (std::size_t at = 0; at < blocks; ++at) {
    std::array<std::uint8_t, protocols::boot_block_bytes> block{};
    const auto piece = image.subspan(at * block.size(), (std::min)(block.size(), image.size() - at * block.size()));
    for (std::size_t byte = 0; byte < piece.size(); ++byte) block[byte ^ 3U] = piece[byte]; // words the other way round
    send(protocols::BootPacket::block(static_cast<std::uint32_t>(at), block));
  }
  send(protocols::BootPacket::end());
}

} // namespace detail

/// \errors file_failed: no monitor answers, or it is not booted and there is no image; rank_failed: a chip that should be there does not
///         answer; index_out_of_range: it has no chips
[[nodiscard]] inline Answer<Found> discover(Transceiver& ask, const DiscoveryOptions& options = {}) {
  protocols::Version version;
  std::array<char, 64> letters{};
  bool is_right = false;
  const auto look = [&] {
    is_right = false;
    ask.ask({255, 255, 0, 0}, protocols::AskVersion{}, [&](const protocols::ScpReply& reply) {
      const auto read = protocols::Version::of(reply, letters);
      is_right = static_cast<bool>(read), version = read.value;
    });
    return ask.finish();
  };
  bool was_booted = false;
  Refusal answered = look();
  if ((!answered.ok() || version.chip == protocols::Version::not_booted) && !options.boot_image.empty()) {
    detail::boot(ask.link(), options.boot_image);
    was_booted = true;
    for (unsigned looks = 0; looks < options.boot_looks; ++looks) {
      ask.link().pass_time(std::chrono::milliseconds(100));
      if ((answered = look()).ok() && version.chip != protocols::Version::not_booted) break;
    }
  }
  if (!answered.ok()) return detail::not_found("no monitor answers: " + answered.sentence());
  if (!is_right) return detail::not_found("its monitor has a version that is not known");
  if (version.chip == protocols::Version::not_booted)
    return detail::not_found("it is not booted, and there is no image to boot it with");

  // Where it ends, and which chips have a way from here.
  const unsigned root_x = version.chip >> 8, root_y = version.chip & 255U;
  std::array<std::uint8_t, 4> sizes{};
  ask.read(root_x, root_y, 0xF5007F00, sizes);
  if (Refusal refusal = ask.finish(); !refusal) return refusal;
  const std::uint32_t height = sizes[2], width = sizes[3];
  auto grid = mapping::Machine::grid<mapping::SpiNNaker1>(width, height);
  if (!grid) return grid.refusal();
  std::vector<std::uint8_t> ways(std::size_t{128} * width);
  for (std::uint32_t x = 0; x < width; ++x)
    ask.read(root_x, root_y, 0xE1010000 + 128 * x, std::span(ways).subspan(std::size_t{128} * x, (height + 7) / 8 * 4));
  if (Refusal refusal = ask.finish(); !refusal) return refusal;
  std::vector<protocols::ChipInfo> chips(std::size_t{width} * height);
  std::vector<std::uint8_t> is_there(chips.size());
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t word = protocols::word_at(ways, std::size_t{128} * x + y / 8 * 4);
      if ((word >> 3 * (y % 8) & 7U) == 6) continue;
      const std::size_t chip = std::size_t{y} * width + x;
      ask.ask(Transceiver::monitor_of(x, y), protocols::AskChip{},
              [&chips, &is_there, chip](const protocols::ScpReply& reply) {
                const auto info = protocols::ChipInfo::of(reply);
                is_there[chip] = static_cast<bool>(info), chips[chip] = info.value;
              });
    }
  if (Refusal refusal = ask.finish(); !refusal) return refusal;

  // A link that leads out of the rectangle leads to its other side.
  mapping::Wraps wraps;
  for (std::uint32_t y = 0; y < height; ++y)
    wraps.wraps_x = wraps.wraps_x ||
                    (is_there[std::size_t{y} * width] != 0 && (chips[std::size_t{y} * width].links >> 3 & 1U) != 0);
  for (std::uint32_t x = 0; x < width; ++x)
    wraps.wraps_y = wraps.wraps_y || (is_there[x] != 0 && (chips[x].links >> 5 & 1U) != 0);
  auto wrapped = mapping::Machine::grid<mapping::SpiNNaker1>(width, height, wraps);
  if (!wrapped) return wrapped.refusal();
  Found found{std::move(wrapped).value()};
  mapping::Machine& machine = found.machine;
  for (mapping::Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    if (is_there[chip] == 0) {
      machine.remove_chip(chip);
      continue;
    }
    const protocols::ChipInfo& info = chips[chip];
    for (unsigned link = 0; link < mapping::link_count; ++link)
      if ((info.links >> link & 1U) == 0) machine.remove_link(chip, mapping::Link(link));
    std::uint32_t cores = 0; // that work, and have nothing in them
    for (unsigned core = 1; core < info.cores && core < info.states.size(); ++core)
      cores |= std::uint32_t{info.states[core] == 15} << core;
    machine.set_cores(chip, machine.cores(chip) & cores);
    machine.set_sdram_bytes(chip, info.most_sdram), machine.set_router_entries(chip, info.most_entries);
  }
  // Each board has an Ethernet chip; the link knows the first one.
  found.ethernets.push_back(machine.chip_at(root_x, root_y));
  found.addresses.push_back(chips[found.ethernets[0]].address);
  for (mapping::Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    if (is_there[chip] == 0 || !chips[chip].has_ethernet || chip == found.ethernets[0]) continue;
    if (Refusal refusal = ask.link().add(chips[chip].address); !refusal) return refusal;
    found.ethernets.push_back(chip), found.addresses.push_back(chips[chip].address);
  }
  for (mapping::Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    if (is_there[chip] == 0) continue;
    const std::uint32_t x = chips[chip].ethernet_chip >> 8, y = chips[chip].ethernet_chip & 255U;
    const mapping::Chip of = x < width && y < height ? machine.chip_at(x, y) : found.ethernets[0];
    machine.set_ethernet_of(chip, of);
    const auto lane = std::find(found.ethernets.begin(), found.ethernets.end(), of);
    ask.set_route(machine.x(chip), machine.y(chip),
                  lane == found.ethernets.end() ? 0 : static_cast<std::size_t>(lane - found.ethernets.begin()));
  }
  found.monitor = std::string(version.name.begin(), version.name.end());
  found.counts_by_board = version.version == protocols::Version::in_text;
  found.monitor += found.counts_by_board
                       ? " " + std::string(version.number.begin(), version.number.end())
                       : " " + std::to_string(version.version / 100) + "." + std::to_string(version.version / 10 % 10);
  found.was_booted = was_booted;
  return found;
}

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
