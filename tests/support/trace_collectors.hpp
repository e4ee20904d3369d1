// SPDX-License-Identifier: BSL-1.0
// The collectors that the battery is run with: one line in `Collectors` for each, and what it promises.
#ifndef TESTS_SUPPORT_TRACE_COLLECTORS_HPP
#define TESTS_SUPPORT_TRACE_COLLECTORS_HPP

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <neuromorph/gc/log.hpp>

#include "tests/reference/trace_model.hpp"

namespace battery {

/// A case has
///
///     Collector<Neurons, Events>         with room for `Events`, of all neurons together or of each
///     gives_way, victim                  what it does when it is full
///     must_fit<Events>(model, neuron)    whether it promises room for another event of the neuron: what "live events
///                                        fit" means for it
///     any_liveness                       whether it takes policies that are not in order of time
struct Log {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Log<Events, neuromorph::gc::RefuseNewest, 3>;
  static constexpr bool gives_way = false, any_liveness = false;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.since_first_live() < Events;
  }
};
struct LogGivesWay : Log {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Log<Events, neuromorph::gc::OldestGivesWay, 2>;
  static constexpr bool gives_way = true;
};

using Collectors = std::tuple<Log, LogGivesWay>;

} // namespace battery

#endif
