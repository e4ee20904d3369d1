// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where packets come by the tables of a mapping: the network of a `machine::Run` in which they take no time.
///
///     machine::TableWalk network(machine, mapped.tables);
///     machine::Run run(network);
// host-only
#ifndef NEUROMORPH_MACHINE_TABLE_WALK_HPP
#define NEUROMORPH_MACHINE_TABLE_WALK_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// Of the packets of a key and chip, each counted once where its way is looked up.
struct WalkAccount {
  std::uint64_t unrouted = 0; ///< no entry where they were sent
  std::uint64_t lost = 0;     ///< copies on links that are not there
  std::uint64_t circles = 0;  ///< copies that came once more by the same link, and were dropped there
  std::uint64_t devices = 0;  ///< copies that came to devices
  friend bool operator==(const WalkAccount&, const WalkAccount&) = default;
};

/// The first entry that matches says where copies go; without one a packet goes straight on.
class TableWalk {
public:
  /// \param tables  of this machine; both outlive the walk
  TableWalk(const mapping::Machine& of, const mapping::Tables& tables)
      : machine_(of), tables_(tables), been_(std::size_t{of.grid_chips()} * mapping::link_count) {}

  /// A device counts as core 0 of its virtual chip; what it sends comes in by its link.
  /// \cost a look at each table on the way, entry by entry
  void deliveries(mapping::Chip from, std::uint32_t key, std::vector<CoreAt>& to) {
    if (machine_.is_virtual(from))
      steps_.assign(1, {machine_.device(from).chip, unsigned(mapping::opposite(machine_.device(from).link))});
    else
      steps_.assign(1, {from, none});
    ++walk_;
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      const Step step = steps_[at];
      const mapping::Route route = route_of(step, key);
      if (step.from == none && route == 0) ++account_.unrouted;
      for (std::uint32_t cores = route >> mapping::link_count, core = 0; cores != 0; cores >>= 1, ++core)
        if ((cores & 1U) != 0) to.push_back({step.chip, static_cast<std::uint8_t>(core)});
      for (unsigned link = 0; link < mapping::link_count; ++link) {
        if ((route & mapping::route_to(mapping::Link(link))) == 0) continue;
        const mapping::Chip next = machine_.neighbour(step.chip, mapping::Link(link));
        if (next == mapping::no_chip)
          ++account_.lost;
        else if (machine_.is_virtual(next))
          ++account_.devices, to.push_back({next, 0});
        else if (has_been(next, link))
          ++account_.circles;
        else
          steps_.push_back({next, link});
      }
    }
  }
  [[nodiscard]] const WalkAccount& account() const noexcept { return account_; }

private:
  static constexpr unsigned none = mapping::link_count;
  struct Step {
    mapping::Chip chip;
    unsigned from; ///< the link of the chip before by which it came, or none
  };

  [[nodiscard]] mapping::Route route_of(const Step& step, std::uint32_t key) const noexcept {
    for (const mapping::TableEntry& entry : tables_[step.chip])
      if (entry.keys.matches(key)) return entry.route;
    return step.from == none ? 0 : mapping::route_to(mapping::Link(step.from));
  }
  [[nodiscard]] bool has_been(mapping::Chip chip, unsigned link) noexcept {
    std::uint64_t& last = been_[std::size_t{chip} * mapping::link_count + link];
    const bool is_again = last == walk_;
    last = walk_;
    return is_again;
  }

  const mapping::Machine& machine_;
  const mapping::Tables& tables_;
  std::vector<std::uint64_t> been_; // [chip][link] the last walk that came by it
  std::uint64_t walk_ = 0;
  std::vector<Step> steps_{};
  WalkAccount account_{};
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
