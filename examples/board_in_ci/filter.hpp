// SPDX-License-Identifier: BSL-1.0
// The firmware of this project: a player that sends samples, and a filter that smooths and records what it hears.
#ifndef BOARD_IN_CI_FILTER_HPP
#define BOARD_IN_CI_FILTER_HPP

#include <cstdint>
#include <span>

#include <neuromorph/runtime/region.hpp>
#include <neuromorph/runtime/vertex.hpp>
#include <neuromorph/status.hpp>

namespace project {

namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;

struct Key {
  std::uint32_t key;
  using Fields = runtime::Fields<&Key::key>;
};
using SamplesRegion = runtime::Region<Key, std::int32_t>;
/// Sends a sample at each tick, and finishes behind the last one.
struct Player {
  using Regions = runtime::Regions<SamplesRegion>;
  using Offers = offer::List<offer::Tick>;
  using Fields = runtime::Fields<>;
  neuromorph::Status start(auto& core) { return core.template region<0>().status; }
  void tick(auto& core, std::uint32_t time) {
    const auto samples = core.template region<0>();
    if (time < samples.elements.size())
      core.send(samples.head->key, static_cast<std::uint32_t>(samples.elements[time]));
    else
      core.finish();
  }
};

struct Smoothing {
  std::uint32_t shift; ///< the time constant is 2^shift samples
  using Fields = runtime::Fields<&Smoothing::shift>;
};
using SmoothingRegion = runtime::Region<Smoothing>;
/// y += (x - y) / 2^shift, with 8 bits behind the point.
struct Filter {
  using Regions = runtime::Regions<SmoothingRegion>;
  using Offers = offer::List<offer::Payload>;
  std::int32_t smoothed = 0;
  using Fields = runtime::Fields<&Filter::smoothed>;
  neuromorph::Status start(auto& core) { return core.template region<0>().status; }
  void payload(auto& core, std::uint32_t, std::uint32_t sample) {
    smoothed += (static_cast<std::int32_t>(sample << 8) - smoothed) >> core.template region<0>().head->shift;
    const auto word = static_cast<std::uint32_t>(smoothed);
    if (!core.record(0, std::span(&word, 1))) core.log("there is no room for a sample");
  }
};

} // namespace project

#endif
