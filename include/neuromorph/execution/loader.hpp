// SPDX-License-Identifier: BSL-1.0
/// \file
/// Puts on a machine what a mapped graph needs: router tables, tags, data of vertices in the memory of their chips, and images in their cores.
///
///     execution::Loader loader(ask, found, 17);
///     if (auto refusal = loader.tables(mapping.tables); !refusal) ...;
///     if (auto refusal = loader.data(blocks); !refusal) ...; // each where memory is free
///     if (auto refusal = loader.image(image, cores); !refusal) ...;
// host-only
#ifndef NEUROMORPH_EXECUTION_LOADER_HPP
#define NEUROMORPH_EXECUTION_LOADER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/mapping/map.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

/// Memory of a core on its chip.
struct CoreBlock {
  machine::CoreAt at{};
  std::uint32_t bytes = 0;   ///< that are asked for
  std::uint32_t address = 0; ///< that was given
};

class Loader {
public:
  /// \param ask, found   outlive this
  /// \param application  1 to 255: whose all of it is
  Loader(Transceiver& ask, const Found& found, std::uint8_t application)
      : ask_(ask), found_(found), application_(application) {}

  /// \errors unmappable: a router has too few free entries; those of Transceiver::finish
  [[nodiscard]] Refusal tables(const mapping::Tables& tables) {
    using protocols::Allocate, protocols::RouterCommand;
    std::vector<std::uint32_t> base(tables.size());
    for (mapping::Chip chip = 0; chip < tables.size(); ++chip)
      if (!tables[chip].empty())
        ask_.ask(monitor(chip),
                 Allocate{.operation = Allocate::Operation::entries,
                          .application = application_,
                          .first = static_cast<std::uint32_t>(tables[chip].size())},
                 [&base, chip](const protocols::ScpReply& reply) { base[chip] = reply.argument(0); });
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    for (mapping::Chip chip = 0; chip < tables.size(); ++chip)
      if (base[chip] == 0 && !tables[chip].empty())
        return {{Error::unmappable, chip, tables[chip].size(), "entries"},
                found_.machine.name(chip),
                "its router has no room for " + std::to_string(tables[chip].size()) + " entries side by side"};
    for (mapping::Chip chip = 0; chip < tables.size(); ++chip) {
      if (tables[chip].empty()) continue;
      std::vector<std::uint8_t> bytes(16 * tables[chip].size());
      for (std::size_t at = 0; at < tables[chip].size(); ++at) {
        const mapping::TableEntry& entry = tables[chip][at];
        protocols::put_half(bytes, 16 * at, static_cast<std::uint16_t>(at));
        protocols::put_word(bytes, 16 * at + 4, entry.route), protocols::put_word(bytes, 16 * at + 8, entry.keys.key);
        protocols::put_word(bytes, 16 * at + 12, entry.keys.mask);
      }
      ask_.write(x(chip), y(chip), loading_address, bytes);
    }
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    for (mapping::Chip chip = 0; chip < tables.size(); ++chip)
      if (!tables[chip].empty())
        ask_.ask(monitor(chip), RouterCommand{.operation = RouterCommand::Operation::load,
                                              .application = application_,
                                              .count = static_cast<std::uint16_t>(tables[chip].size()),
                                              .first = loading_address,
                                              .second = base[chip]});
    return ask_.finish();
  }

  /// Tags into Ethernet chips, in the place of those that have their numbers. A tag without a host is for this one, by the port that it has.
  /// \errors unmappable: a host that is no address of four numbers; those of Transceiver::finish
  [[nodiscard]] Refusal tags(const mapping::Tags& tags) {
    using protocols::IpTag;
    std::vector<IpTag> all; // once all are right
    all.reserve(tags.ip.size());
    for (const mapping::LoadedIpTag& one : tags.ip) {
      IpTag made{.operation = IpTag::Operation::set, .tag = one.number, .port = one.port};
      if (one.strips_header) made.flags |= IpTag::strip_flag;
      if (one.host.empty())
        made.flags |= IpTag::use_sender_flag;
      else if (!host::parse(one.host, made.address))
        return {{Error::unmappable, one.number, 0, "host"},
                "tag " + std::to_string(one.number) + " of " + found_.machine.name(one.ethernet),
                "'" + one.host + "' is no address of four numbers"};
      all.push_back(made);
    }
    for (std::size_t at = 0; at < all.size(); ++at) ask_.ask(monitor(tags.ip[at].ethernet), all[at]);
    for (const mapping::LoadedReverseTag& one : tags.reverse)
      ask_.ask(monitor(one.ethernet), IpTag{.operation = IpTag::Operation::set,
                                            .tag = one.number,
                                            .flags = IpTag::reverse_flag | IpTag::strip_flag,
                                            .to_port = static_cast<std::uint8_t>(one.sdp_port << 5 | one.core),
                                            .to_chip = static_cast<std::uint16_t>(x(one.chip) << 8 | y(one.chip)),
                                            .port = one.port});
    return ask_.finish();
  }

  /// Takes these tags out: they belong to no application that would be stopped with them.
  [[nodiscard]] Refusal clear_tags(const mapping::Tags& tags) {
    const auto clear = [this](mapping::Chip ethernet, std::uint8_t number) {
      ask_.ask(monitor(ethernet), protocols::IpTag{.operation = protocols::IpTag::Operation::clear, .tag = number});
    };
    for (const mapping::LoadedIpTag& one : tags.ip) clear(one.ethernet, one.number);
    for (const mapping::LoadedReverseTag& one : tags.reverse) clear(one.ethernet, one.number);
    return ask_.finish();
  }

  /// Gives each block that has bytes an address on its chip. A block that was asked for once is the same if it is asked for again.
  /// \errors unmappable: a chip has too little memory
  [[nodiscard]] Refusal allocate(std::span<CoreBlock> blocks) {
    using protocols::Allocate;
    for (CoreBlock& one : blocks)
      if (one.bytes != 0)
        ask_.ask(monitor(one.at.chip),
                 Allocate{.operation = Allocate::Operation::sdram,
                          .application = application_,
                          .flags = Allocate::same_tag_flag,
                          .first = one.bytes,
                          .second = one.at.core},
                 [&one](const protocols::ScpReply& reply) { one.address = reply.argument(0); });
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    for (const CoreBlock& one : blocks)
      if (one.address == 0 && one.bytes != 0)
        return {{Error::unmappable, one.at.chip, one.bytes, "bytes"},
                found_.machine.name(one.at.chip),
                "it has no " + std::to_string(one.bytes) + " bytes of memory left for core " +
                    std::to_string(one.at.core)};
    return {};
  }
  void write(const CoreBlock& block, std::span<const std::uint8_t> bytes) {
    ask_.write(x(block.at.chip), y(block.at.chip), block.address, bytes);
  }
  /// Where a core looks for its table of regions.
  void point_to(const CoreBlock& block) {
    std::array<std::uint8_t, 4> word{};
    protocols::put_word(word, 0, block.address);
    ask_.write(x(block.at.chip), y(block.at.chip), variables_of(block.at.core) + 0x70, word);
  }

  /// To all cores at once by a flood, or chip by chip what is too long for one.
  /// \param cores  [chip]: a bit for each core
  /// \errors those of Transceiver::finish
  [[nodiscard]] Refusal image(std::span<const std::uint8_t> given,
                              const std::map<mapping::Chip, std::uint32_t>& cores) {
    std::vector<std::uint8_t> image(given.begin(), given.end());
    image.resize((image.size() + 3) / 4 * 4);
    const std::size_t blocks = (image.size() + flood_bytes - 1) / flood_bytes;
    return blocks <= 255 && found_.counts_by_board ? flood(image, blocks, cores) : one_by_one(image, cores);
  }

  [[nodiscard]] static constexpr std::uint32_t variables_of(unsigned core) noexcept { return 0xE5007000 + 128 * core; }

private:
  static constexpr std::uint32_t loading_address = 0x67800000;
  static constexpr std::size_t flood_bytes = 256;
  static constexpr std::uint8_t forward = 0x3F, retry = 0x18; // to all neighbours, as clients do

  [[nodiscard]] unsigned x(mapping::Chip chip) const noexcept { return found_.machine.x(chip); }
  [[nodiscard]] unsigned y(mapping::Chip chip) const noexcept { return found_.machine.y(chip); }
  [[nodiscard]] protocols::SdpEnd monitor(mapping::Chip chip) const noexcept {
    return Transceiver::monitor_of(x(chip), y(chip));
  }
  [[nodiscard]] protocols::SdpEnd root() const noexcept { return monitor(found_.ethernets[0]); }

  [[nodiscard]] Refusal flood(std::span<const std::uint8_t> image, std::size_t blocks,
                              const std::map<mapping::Chip, std::uint32_t>& cores) {
    using protocols::NeighbourPacket;
    constexpr std::uint32_t id = 2;
    // Squares of four chips a side, with a bit for each chip that has these cores; they are told in ascending order.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> chips_of; // by square and cores
    for (const auto& [chip, bits] : cores)
      chips_of[{(x(chip) & ~3U) << 24 | (y(chip) & ~3U) << 16 | 3U << 16, bits}] |=
          1U << ((x(chip) & 3U) + 4 * (y(chip) & 3U));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> selections;
    selections.reserve(chips_of.size());
    for (const auto& [square, bits] : chips_of) selections.emplace_back(square.first | bits, square.second);
    std::sort(selections.begin(), selections.end());
    ask_.ask(root(),
             NeighbourPacket{6U << 24 | id << 16 | static_cast<std::uint32_t>(blocks) << 8, 0, forward, retry, true});
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    for (const auto& [region, bits] : selections) {
      ask_.ask(root(), NeighbourPacket{7U << 24 | bits, region, forward, retry});
      if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t begin = block * flood_bytes;
      ask_.ask(root(),
               protocols::FloodFillData{.forward = forward,
                                        .retry = retry,
                                        .id = id,
                                        .block = static_cast<std::uint16_t>(block),
                                        .address = loading_address + static_cast<std::uint32_t>(begin),
                                        .data = image.subspan(begin, (std::min)(flood_bytes, image.size() - begin))});
    }
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    ask_.ask(root(), NeighbourPacket{15U << 24 | id, std::uint32_t{application_} << 24, forward, retry});
    return ask_.finish();
  }
  [[nodiscard]] Refusal one_by_one(std::span<const std::uint8_t> image,
                                   const std::map<mapping::Chip, std::uint32_t>& cores) {
    for (const auto& [chip, bits] : cores) ask_.write(x(chip), y(chip), loading_address, image);
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    for (const auto& [chip, bits] : cores)
      ask_.ask(monitor(chip), protocols::ApplicationRun{{.application = application_, .core_mask = bits}});
    return ask_.finish();
  }

  Transceiver& ask_;
  const Found& found_;
  std::uint8_t application_;
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
