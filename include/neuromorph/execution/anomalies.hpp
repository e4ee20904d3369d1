// SPDX-License-Identifier: BSL-1.0
/// \file
/// What is not as it should be, a line each: packets that were lost or late, ticks that began late, words that found no room.
///
///     execution::Anomalies anomalies;
///     anomalies.core(name, runtime_counts), anomalies.log(name, text);
///     for (const std::string& line : anomalies.lines()) std::puts(line.c_str());
/// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), 6.3.5
// host-only
#ifndef NEUROMORPH_EXECUTION_ANOMALIES_HPP
#define NEUROMORPH_EXECUTION_ANOMALIES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/extra_monitors.hpp>
#include <neuromorph/execution/loaded_cores.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/data_regions.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

class Anomalies {
public:
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }
  void forget() noexcept { lines_.clear(); }

  void missing(const std::string& core) { say(core + ": some of what it has recorded found no room"); }
  /// What a core's runtime has counted since it was started, of which what it had before was told.
  void core(const std::string& core, const protocols::ProvenanceRegion& before,
            const protocols::ProvenanceRegion& now) {
    const auto say_if = [&](std::uint32_t protocols::ProvenanceRegion::*of, const char* what) {
      if (const std::uint32_t more = now.*of - before.*of; more != 0)
        say(core + ": " + std::to_string(more) + " " + what);
    };
    using Counts = protocols::ProvenanceRegion;
    say_if(&Counts::full_transmitter, "packets were not sent: the router did not take them");
    say_if(&Counts::full_callbacks, "packets were lost: it did not take them in time");
    say_if(&Counts::full_dma, "transfers were refused"), say_if(&Counts::full_user_events, "user events were refused");
    say_if(&Counts::late_ticks, "ticks began late");
  }
  /// Lines of a log that warn.
  void log(const std::string& core, std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = (std::min)(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      if (is_warning(line)) say(core + ": its log says '" + std::string(line) + "'");
      begin = end + 1;
    }
  }
  void dropped(const std::string& chip, std::uint32_t count) {
    if (count != 0) say("the router of " + chip + " has dropped " + std::to_string(count) + " packets");
  }
  /// Packets that were dropped and are lost for all that an extra monitor does.
  void reinjection(const std::string& chip, const protocols::ReinjectionStatus& before,
                   const protocols::ReinjectionStatus& now) {
    const std::string name = "the router of " + chip, of = ExtraMonitors::ways(now.dumped_to);
    if (const std::uint32_t missed = now.missed - before.missed; missed != 0)
      say(name + " has lost packets " + std::to_string(missed) +
          " times, as another was dropped before the one before was read; ways that were not free: " + of);
    if (const std::uint32_t full = now.queue_overflows - before.queue_overflows; full != 0)
      say(name + " has lost " + std::to_string(full) +
          " packets for which the queue of those that are sent again was full; ways that were not free: " + of);
  }
  void late(const std::string& from, const std::string& to, std::uint64_t count, std::uint32_t most_ticks) {
    say(std::to_string(count) + " packets of " + from + " came late to " + to + ", by " + std::to_string(most_ticks) +
        " ticks at most");
  }

private:
  void say(std::string line) { lines_.push_back(std::move(line)); }

  std::vector<std::string> lines_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
