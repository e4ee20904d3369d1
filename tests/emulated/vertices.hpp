// SPDX-License-Identifier: BSL-1.0
// Vertices for tests of cores: one that does all that a core offers, in an order that its packets say, and one that is as small as one can be.
#ifndef TESTS_EMULATED_VERTICES_HPP
#define TESTS_EMULATED_VERTICES_HPP

#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/runtime/vertex.hpp>

namespace vertices {

namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;

struct Settings {
  std::uint32_t key;
  std::int16_t step;
  std::uint8_t tag, unused;
  using Fields = runtime::Fields<&Settings::key, &Settings::step, &Settings::tag, &Settings::unused>;
};
using SettingsRegion = runtime::Region<Settings, std::uint16_t>;
using WordsRegion = runtime::Region<runtime::Nothing, std::uint32_t>;

/// What it is told by a payload is what it does.
struct Everything {
  using Regions = runtime::Regions<SettingsRegion, WordsRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Payload, offer::Control, offer::Pause, offer::Counters>;
  static constexpr std::size_t counters = 3;

  std::uint32_t sum = 0, time = 0;
  std::array<std::int16_t, 3> signs{};
  std::int8_t small = 0;
  std::uint8_t pauses = 0;
  using Fields =
      runtime::Fields<&Everything::sum, &Everything::time, &Everything::signs, &Everything::small, &Everything::pauses>;

  neuromorph::Status start(auto& core) {
    const auto settings = core.template region<0>();
    if (!settings.status) return settings.status;
    if (settings.elements.size() == 7) return {neuromorph::Error::buffer_full, 1, 2, "elements"};
    for (const std::uint16_t one : settings.elements) sum += one;
    if (sum == 4711) core.fail(4711);
    if (sum % 4 == 1) core.finish(); // for nothing: there is no run yet
    core.log("begun");
    core.send(settings.head->key + 1);
    return core.template region<1>().status;
  }
  void tick(auto& core, std::uint32_t now) {
    time += now;
    const auto settings = core.template region<0>();
    signs[now % 3] = static_cast<std::int16_t>(signs[now % 3] + settings.head->step);
    small = static_cast<std::int8_t>(small - 1);
    if (sum % 2 != 0) core.send(settings.head->key + (sum & 0xFF));
    core.count(0);
  }
  void packet(auto& core, std::uint32_t key) {
    sum = sum * 31 + key;
    core.count(1, key);
  }
  void payload(auto& core, std::uint32_t key, std::uint32_t what) {
    sum = sum * 33 + key + what;
    const std::span<std::uint32_t> words = core.template memory<1>();
    switch (what % 16) {
    case 0: core.send(key ^ what, sum); break;
    case 1: core.send(key), core.send(key, 0), core.send(key, what); break;
    case 2: // some words, to a channel that there may not be
      if (!core.record(what >> 4 & 7, words.first((what >> 7) % (words.size() + 1)))) ++sum;
      break;
    case 3: words[2 + (what >> 4) % (words.size() - 2)] = sum; break;
    case 4: core.count(what >> 4 & 7, what); break;
    case 5: {
      std::array<std::uint8_t, 300> bytes{};
      for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<std::uint8_t>(sum + at);
      if (!core.message(core.template region<0>().head->tag, std::span(bytes).first(what % 280))) sum += 3;
      break;
    }
    case 6: core.log("a line"); break;
    case 7:
      if (what >> 24 == 0xFF) core.fail(what);
      break;
    case 8:
      if (what >> 28 == 0xE) core.finish();
      break;
    default: break;
    }
  }
  void control(auto& core, unsigned port, std::span<const std::uint8_t> message) {
    sum += port;
    if (sum % 4 == 2) core.finish();
    for (const std::uint8_t one : message) sum = sum * 5 + one;
    core.send(sum);
  }
  void pause(auto& core) {
    ++pauses;
    if (!core.record(3, std::span(&sum, 1))) ++sum;
  }
};

/// Calls what a core has once, and is nothing else: what it weighs is the runtime.
struct Least {
  using Regions = runtime::Regions<SettingsRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Payload, offer::Control>;
  std::uint32_t heard = 0;
  using Fields = runtime::Fields<&Least::heard>;

  neuromorph::Status start(auto& core) {
    core.log("begun");
    return core.template region<0>().status;
  }
  void tick(auto& core, std::uint32_t now) {
    if (!core.record(0, std::span(&heard, 1))) core.fail(now);
  }
  void packet(auto& core, std::uint32_t key) {
    core.send(key);
    if (key == 0) core.finish();
  }
  void payload(auto& core, std::uint32_t key, std::uint32_t payload) { core.send(key, payload); }
  void control(auto& core, unsigned port, std::span<const std::uint8_t> message) {
    if (!core.message(port, message)) ++heard;
  }
};

} // namespace vertices

#endif
