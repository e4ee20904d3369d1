// SPDX-License-Identifier: BSL-1.0
/// \file
/// Lets the faults of a script happen to a machine that is served, each when it is due, and ends those that last for a time.
///
///     machine::FaultPlayer player(script, monitors, applications);
///     if (Refusal refusal = player.check(); !refusal) ...
///     player.advance(now);
///     const auto fate = player.fate(ethernet); // of the next datagram
///
/// In several processes each has one, of the same script, and lets all of it happen.
// host-only
#ifndef NEUROMORPH_MACHINE_FAULT_PLAYER_HPP
#define NEUROMORPH_MACHINE_FAULT_PLAYER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/chip.hpp>
#include <neuromorph/machine/faults.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

class FaultPlayer {
public:
  static constexpr std::int64_t tick_ns = 1000000; ///< of who counts a machine's time in ticks
  /// What becomes of a datagram.
  struct Fate {
    bool is_lost = false, is_doubled = false, is_late = false; ///< late: it comes behind the next one
  };
  struct Counts {
    std::uint64_t begun = 0, ended = 0;            ///< faults
    std::uint64_t lost = 0, doubled = 0, late = 0; ///< datagrams
  };

  /// \param monitors, applications  outlive it
  FaultPlayer(FaultScript script, Monitors& monitors, Applications& applications, std::uint64_t seed = 1)
      : script_(std::move(script)), monitors_(monitors), applications_(applications), seed_(seed),
        order_(script_.in_order()) {}

  /// Whether all of it can happen here.
  /// \errors index_out_of_range: a chip, a core, an address or an Ethernet that is not there; parameters_contradict: an end of
  ///         what has none
  [[nodiscard]] Refusal check() const {
    const mapping::Machine& of = monitors_.machine();
    for (std::size_t at = 0; at < script_.faults.size(); ++at) {
      const TimedFault& one = script_.faults[at];
      const auto refuse = [&](Error error, const std::string& why) {
        return Refusal{
            {error, static_cast<std::uint32_t>(at), one.part, "fault"}, "fault " + std::to_string(at + 1), why};
      };
      const std::string place = std::to_string(one.x) + ", " + std::to_string(one.y);
      if (one.x >= of.width() || one.y >= of.height() || !of.has(of.chip_at(one.x, one.y)))
        return refuse(Error::index_out_of_range, "there is no chip " + place);
      const mapping::Chip chip = of.chip_at(one.x, one.y);
      const auto ethernets = monitors_.ethernets();
      const bool is_core = one.kind == FaultKind::core || one.kind == FaultKind::hang || one.kind == FaultKind::error;
      if (is_core && (one.part == 0 || one.part >= monitors_.cores_of(chip)))
        return refuse(Error::index_out_of_range,
                      "chip " + place + " has no core " + std::to_string(one.part) + " for programs");
      if (one.kind >= FaultKind::ethernet && std::find(ethernets.begin(), ethernets.end(), chip) == ethernets.end())
        return refuse(Error::index_out_of_range, "chip " + place + " has no Ethernet");
      if (one.kind == FaultKind::corrupt && monitors_.chip(chip).place(one.part & ~3U).memory == nullptr)
        return refuse(Error::index_out_of_range, "there is no memory at address " + std::to_string(one.part));
      const bool has_end = one.kind == FaultKind::chip || one.is_of_link() || one.kind >= FaultKind::ethernet;
      if (one.for_ns != 0 && !has_end)
        return refuse(Error::parameters_contradict, "it is for good: 'for' is of chips, links and datagrams");
    }
    return {};
  }
  /// All that is due until a time, and at it.
  /// \pre times do not fall
  void advance(std::int64_t now_ns) {
    for (;;) {
      // What ends comes before what begins at the same time.
      const auto end = std::min_element(ends_.begin(), ends_.end());
      const bool has_next = next_ < order_.size();
      const std::int64_t begins = has_next ? script_.faults[order_[next_]].at_ns : INT64_MAX;
      if (end != ends_.end() && end->first <= now_ns && end->first <= begins) {
        const std::size_t which = end->second;
        ends_.erase(end);
        set(script_.faults[which], true), ++counts_.ended;
      } else if (has_next && begins <= now_ns) {
        const std::size_t which = order_[next_++];
        const TimedFault& one = script_.faults[which];
        begin(one, which), ++counts_.begun;
        if (one.for_ns != 0)
          ends_.emplace_back(one.at_ns > INT64_MAX - one.for_ns ? INT64_MAX : one.at_ns + one.for_ns, which);
      } else {
        return;
      }
    }
  }
  /// When something is due next, or INT64_MAX.
  [[nodiscard]] std::int64_t next_ns() const {
    std::int64_t next = next_ < order_.size() ? script_.faults[order_[next_]].at_ns : INT64_MAX;
    for (const auto& [end, which] : ends_) next = (std::min)(next, end);
    return next;
  }
  /// Of the next datagram to or from an Ethernet chip, by its number alone.
  [[nodiscard]] Fate fate(mapping::Chip ethernet) {
    Fate made;
    const std::uint64_t number = datagrams_++;
    for (const std::size_t which : of_datagrams_) {
      const TimedFault& one = script_.faults[which];
      if (monitors_.machine().chip_at(one.x, one.y) != ethernet || !strikes(one.probability, seed_, which, number))
        continue;
      (one.kind == FaultKind::lost      ? made.is_lost
       : one.kind == FaultKind::doubled ? made.is_doubled
                                        : made.is_late) = true;
    }
    counts_.lost += made.is_lost, counts_.doubled += made.is_doubled && !made.is_lost,
        counts_.late += made.is_late && !made.is_lost;
    return made;
  }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

private:
  [[nodiscard]] mapping::Chip chip_of(const TimedFault& one) const { return monitors_.machine().chip_at(one.x, one.y); }

  void begin(const TimedFault& one, std::size_t which) {
    const mapping::Chip chip = chip_of(one);
    const CoreAt core{chip, static_cast<std::uint8_t>(one.part)};
    switch (one.kind) {
    case FaultKind::core: applications_.stop(core, CoreState::dead); break;
    case FaultKind::hang: applications_.stop(core, CoreState::watchdog); break;
    case FaultKind::error: applications_.stop(core, CoreState::run_time_error, 1); break;
    case FaultKind::corrupt: {
      const ChipParts::Place place = monitors_.chip(chip).place(one.part & ~3U);
      if (place.memory == nullptr) break;
      const std::uint32_t bit = static_cast<std::uint32_t>(mapping::detail::mixed(seed_ ^ which)) % 32;
      place.memory->put_word(place.at, place.memory->word(place.at) ^ std::uint32_t{1} << bit);
      break;
    }
    case FaultKind::router: monitors_.fill_router(chip); break;
    case FaultKind::lost:
    case FaultKind::doubled:
    case FaultKind::reordered: of_datagrams_.push_back(which); break;
    default: set(one, false); break;
    }
  }
  void set(const TimedFault& one, bool works) {
    const mapping::Chip chip = chip_of(one);
    switch (one.kind) {
    case FaultKind::chip:
      monitors_.wiring().set_chip(chip, works);
      if (!works)
        for (unsigned core = 1; core < monitors_.cores_of(chip); ++core)
          if (applications_.state({chip, static_cast<std::uint8_t>(core)}) == CoreState::running)
            applications_.stop({chip, static_cast<std::uint8_t>(core)}, CoreState::watchdog);
      break;
    case FaultKind::link: {
      const auto link = mapping::Link(one.part);
      monitors_.wiring().set_link(chip, link, works);
      if (const mapping::Chip other = monitors_.machine().beside(chip, link);
          !one.is_one_way && other != mapping::no_chip)
        monitors_.wiring().set_link(other, mapping::opposite(link), works);
      break;
    }
    case FaultKind::lossy: {
      const auto link = mapping::Link(one.part);
      const auto mixed = mapping::detail::mixed(seed_ ^ static_cast<std::uint64_t>(&one - script_.faults.data()));
      monitors_.wiring().set_lossy(chip, link, works ? 0.0 : one.probability, mixed);
      if (const mapping::Chip other = monitors_.machine().beside(chip, link);
          !one.is_one_way && other != mapping::no_chip)
        monitors_.wiring().set_lossy(other, mapping::opposite(link), works ? 0.0 : one.probability, mixed + 1);
      break;
    }
    case FaultKind::ethernet: monitors_.wiring().set_ethernet(chip, works); break;
    default:
      if (works) std::erase_if(of_datagrams_, [&](std::size_t which) { return &script_.faults[which] == &one; });
      break;
    }
  }

  FaultScript script_;
  Monitors& monitors_;
  Applications& applications_;
  std::uint64_t seed_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::vector<std::pair<std::int64_t, std::size_t>> ends_{}; // when, which
  std::vector<std::size_t> of_datagrams_{};
  std::uint64_t datagrams_ = 0;
  Counts counts_{};
};

/// One direction of datagrams: a late one waits here for the next.
/// \tparam One  a datagram, and whatever is to be known of it
template <class One>
class FaultyWay {
public:
  /// \param faults  nullptr: there are none
  /// \param pass    pass(One&&), for what comes through
  template <class Pass>
  void take(FaultPlayer* faults, mapping::Chip ethernet, One one, Pass pass) {
    const FaultPlayer::Fate fate = faults == nullptr ? FaultPlayer::Fate{} : faults->fate(ethernet);
    if (fate.is_lost) return;
    if (fate.is_late && !late_) {
      late_ = std::move(one);
      return;
    }
    if (fate.is_doubled) pass(One(one));
    pass(std::move(one));
    if (std::optional<One> late = std::exchange(late_, std::nullopt)) pass(std::move(*late));
  }

private:
  std::optional<One> late_{};
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
