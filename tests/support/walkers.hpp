// SPDX-License-Identifier: BSL-1.0
// Vertices on a machine in this process whose recordings a plain loop makes as well.
#ifndef TESTS_SUPPORT_WALKERS_HPP
#define TESTS_SUPPORT_WALKERS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/extra_monitor.hpp>
#include <neuromorph/machine/gatherer.hpp>
#include <neuromorph/mapping/boards.hpp>

namespace walkers {

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace runtime = neuromorph::runtime;
using neuromorph::Error;
using Bytes = std::vector<std::uint8_t>;

struct Settings {
  std::uint32_t key, number, fails_at, is_refused, step, finishes_at;
  using Fields = runtime::Fields<&Settings::key, &Settings::number, &Settings::fails_at, &Settings::is_refused,
                                 &Settings::step, &Settings::finishes_at>;
};
using SettingsRegion = runtime::Region<Settings>;

/// Hears numbers, sends what it makes of them, and records it: a word a tick, and another one where it is odd.
struct Walker {
  using Regions = runtime::Regions<SettingsRegion>;
  using Offers = offer::List<offer::Tick, offer::Payload, offer::Counters>;
  static constexpr std::size_t counters = 2;
  std::uint32_t heard = 0, sum = 0;
  using Fields = runtime::Fields<&Walker::heard, &Walker::sum>;
  neuromorph::Status start(auto& core) {
    const auto settings = core.template region<0>();
    if (!settings.status) return settings.status;
    if (settings.head->is_refused != 0) return {Error::fan_in_too_large, 0, 0, "x"};
    sum = settings.head->number;
    return {};
  }
  void tick(auto& core, std::uint32_t time) {
    const Settings& settings = *core.template region<0>().head;
    sum = sum * 1664525 + heard + time + settings.step, heard = 0;
    core.send(settings.key, sum);
    if (!core.record(0, std::span(&sum, 1))) core.count(1);
    if (sum % 2 != 0 && !core.record(1, std::span(&time, 1))) core.count(1);
    core.count(0);
    if (settings.fails_at != 0 && time == settings.fails_at) core.log("this is the tick"), core.fail(77);
    if (settings.finishes_at != 0 && time + 1 == settings.finishes_at) core.finish();
  }
  void payload(auto&, std::uint32_t, std::uint32_t number) { heard += number; }
};

struct Machine {
  explicit Machine(unsigned boards, machine::Profile profile = machine::Profile::scamp_4_0)
      : is(mapping::machine_of_boards(boards).value()), monitors(is, {.profile = profile}),
        applications(monitors, programs), link(monitors, applications) {
    programs.add<Walker>("walker");
    programs.add_model<machine::ExtraMonitor>(machine::extra_monitor_name);
    programs.add_model<machine::Gatherer>(machine::gatherer_name);
  }
  mapping::Machine is;
  machine::Programs programs{};
  machine::Monitors monitors;
  machine::Applications applications;
  execution::InProcessLink link;
};

/// A ring of walkers, each of which hears two others.
struct Ring {
  explicit Ring(std::uint32_t count) : settings(count) {}
  void build(execution::Simulation& simulation, const char* image = "walker") {
    const auto program = simulation.add_image("walker", machine::image_of(image));
    for (std::uint32_t at = 0; at < settings.size(); ++at)
      simulation.add(program, {.name = "walker",
                               .resources = {.dtcm_bytes = 100, .sdram_bytes = 1000},
                               .regions =
                                   [this, at](const execution::Mapped& of) {
                                     Settings one = settings[at];
                                     one.key = of.mapping.keys[at].key, one.number = 7 * at + 1;
                                     Bytes bytes(SettingsRegion::bytes());
                                     static_cast<void>(SettingsRegion::write(bytes, one).ok());
                                     bytes.resize(bytes.size() + longer);
                                     return std::vector<Bytes>(copies, bytes);
                                   },
                               .recordings = {[](std::uint64_t ticks) { return 4 * ticks; },
                                              [](std::uint64_t ticks) { return 4 * ticks; }},
                               .counters = at == miscounted ? 1U : 2U,
                               .finishes = settings[at].finishes_at != 0});
    const auto count = static_cast<std::uint32_t>(settings.size());
    for (std::uint32_t at = 0; at < count; ++at) {
      const std::uint32_t to[] = {(at + 1) % count, (at + 5) % count};
      simulation.graph().connect(at, to);
    }
  }
  std::vector<Settings> settings;
  std::size_t longer = 0, copies = 1;     // of each region, in bytes, and of it
  std::uint32_t miscounted = 0xFFFFFFFFU; // a vertex that says to have fewer counters than its program
};

inline std::vector<Bytes> all_of(const execution::Simulation& simulation, std::size_t vertices) {
  std::vector<Bytes> made;
  for (std::uint32_t at = 0; at < vertices; ++at)
    for (std::size_t channel = 0; channel < 2; ++channel) {
      const auto bytes = simulation.recorded(at, channel);
      made.emplace_back(bytes.begin(), bytes.end());
    }
  return made;
}

/// Of a run without pauses, by a plain loop.
/// \param step  of a vertex at a tick
inline std::vector<Bytes> expected(
    std::uint32_t count, std::uint32_t ticks,
    const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& step = [](auto, auto) { return 0U; }) {
  std::vector<Bytes> made(2 * count);
  std::vector<std::uint32_t> sum(count), heard(count);
  for (std::uint32_t at = 0; at < count; ++at) sum[at] = 7 * at + 1;
  const auto put = [](Bytes& to, std::uint32_t word) {
    for (unsigned byte = 0; byte < 4; ++byte) to.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
  };
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    std::vector<std::uint32_t> next(count);
    for (std::uint32_t at = 0; at < count; ++at) {
      sum[at] = sum[at] * 1664525 + heard[at] + tick + step(at, tick);
      put(made[2 * at], sum[at]);
      if (sum[at] % 2 != 0) put(made[2 * at + 1], tick);
      next[(at + 1) % count] += sum[at], next[(at + 5) % count] += sum[at];
    }
    heard = next;
  }
  return made;
}

} // namespace walkers

#endif
