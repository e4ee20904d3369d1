// SPDX-License-Identifier: BSL-1.0
/// \file
/// How many links a tree takes at least that leads from a chip to others, on a machine as it is, by cuts that share no link.
///
/// Where chips are apart from the source, a link leads into them: as many links as there are such cuts, if each link is in one of
/// them only. Cuts are those round each sink, the smallest first, and then round what can come to it by links of earlier ones.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_CUT_BOUND_HPP
#define NEUROMORPH_MAPPING_DETAIL_CUT_BOUND_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// \source R. T. Wong, A dual ascent approach for Steiner tree problems on a directed graph, Mathematical Programming 28 (1984)
class CutBound {
public:
  explicit CutBound(const Machine& machine)
      : senders_(std::size_t{machine.grid_chips()} * link_count), cut_(machine.grid_chips()),
        within_(machine.grid_chips()) {
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
      for (unsigned link = 0; link < link_count; ++link) {
        Chip sender = machine.sender(chip, Link(link));
        if (sender != no_chip && machine.is_virtual(sender)) sender = no_chip;
        senders_[std::size_t{chip} * link_count + link] = sender;
        if (sender == no_chip && machine.beside(chip, Link(link)) != no_chip) has_faults_ = true;
      }
  }

  /// Whether it may know more than what is exact without faults.
  [[nodiscard]] bool has_faults() const noexcept { return has_faults_; }
  /// \param sinks  other chips than the root, each once; 64 of them are looked at, from the first to the last
  /// \param known  links of such a tree
  /// \return       0 when 2^27 steps have been spent by all calls together
  [[nodiscard]] std::uint32_t of(Chip root, std::span<const Chip> sinks, std::uint32_t known) {
    const std::size_t count = (std::min)(sinks.size(), most_sinks);
    for (std::size_t sink = 0; sink < count; ++sink) {
      const Chip chip = sinks[sink * sinks.size() / count];
      rounds_[sink].assign(1, chip), rim_[sink] = 0;
      take(chip, sink);
    }
    std::uint32_t cuts = 0;
    std::uint64_t open = count == most_sinks ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    while (open != 0 && cuts < known && work_ < most_work) {
      std::size_t least = most_sinks;
      for (std::size_t sink = 0; sink < count; ++sink)
        if ((open >> sink & 1) != 0 && (least == most_sinks || rounds_[sink].size() < rounds_[least].size()))
          least = sink;
      if (!close(least, root))
        open &= ~(std::uint64_t{1} << least);
      else
        cut(least), ++cuts;
    }
    const bool is_done = work_ < most_work;
    for (const Chip chip : touched_) cut_[chip] = 0, within_[chip] = 0;
    touched_.clear();
    return is_done ? (std::min)(cuts, known) : 0;
  }

private:
  static constexpr std::size_t most_sinks = 64;
  static constexpr std::uint64_t most_work = std::uint64_t{1} << 27;

  void take(Chip chip, std::size_t sink) {
    touched_.push_back(chip);
    within_[chip] |= std::uint64_t{1} << sink;
  }
  /// Adds what comes to its rim by links that were cut; false when the root does.
  [[nodiscard]] bool close(std::size_t sink, Chip root) {
    std::vector<Chip>& chips = rounds_[sink];
    for (std::size_t at = rim_[sink]; at < chips.size(); ++at) {
      if (chips[at] == root) return false;
      add_senders(sink, at);
    }
    return true;
  }
  /// Cuts all links that come in, and takes the chips from which they come: those that there were are no rim any more.
  /// \pre closed: none of the links was cut before
  void cut(std::size_t sink) {
    const std::vector<Chip>& chips = rounds_[sink];
    const std::size_t count = chips.size();
    for (std::size_t at = rim_[sink]; at < count; ++at)
      for (unsigned link = 0; link < link_count; ++link) {
        const Chip sender = senders_[std::size_t{chips[at]} * link_count + link];
        if (sender != no_chip && (within_[sender] >> sink & 1) == 0)
          cut_[chips[at]] = static_cast<std::uint8_t>(cut_[chips[at]] | 1U << link);
      }
    for (std::size_t at = rim_[sink]; at < count; ++at) add_senders(sink, at);
    rim_[sink] = count;
  }
  void add_senders(std::size_t sink, std::size_t at) {
    const Chip chip = rounds_[sink][at];
    ++work_;
    for (unsigned cuts = cut_[chip]; cuts != 0; cuts &= cuts - 1) {
      const Chip sender = senders_[std::size_t{chip} * link_count + static_cast<unsigned>(std::countr_zero(cuts))];
      if ((within_[sender] >> sink & 1) != 0) continue;
      take(sender, sink);
      rounds_[sink].push_back(sender);
    }
  }

  std::vector<Chip> senders_;              // [chip][link by which they come in]
  std::vector<std::uint8_t> cut_;          // [chip]: bits of those links
  std::vector<std::uint64_t> within_;      // [chip]: round which sinks
  std::vector<Chip> rounds_[most_sinks]{}; // of each sink: the chips round it
  std::size_t rim_[most_sinks]{};          // those from here on may have senders that are not among them
  std::vector<Chip> touched_{};
  std::uint64_t work_ = 0;
  bool has_faults_ = false;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
