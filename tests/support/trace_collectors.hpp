// SPDX-License-Identifier: BSL-1.0
// The collectors that the battery is run with, and what each promises.
#ifndef TESTS_SUPPORT_TRACE_COLLECTORS_HPP
#define TESTS_SUPPORT_TRACE_COLLECTORS_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>

#include "tests/reference/trace_model.hpp"

namespace battery {

/// A case has
///
///     Collector<Neurons, Events>         with room for `Events`, of all neurons together or of each
///     gives_way, victim                  what it does when it is full
///     must_fit<Events>(model, neuron)    whether it promises room for another event of the neuron: what "live events
///                                        fit" means for it
///     any_liveness                       whether it takes policies that are not in order of time
struct Fifo {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Fifo<Events, neuromorph::gc::WhenFull::refuse_newest, 3>;
  static constexpr bool gives_way = false, any_liveness = false;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.since_first_live() < Events;
  }
};
struct FifoGivesWay : Fifo {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Fifo<Events, neuromorph::gc::WhenFull::oldest_gives_way, 2>;
  static constexpr bool gives_way = true;
};

struct Ring {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Ring<(Events < 20 ? Events : 20), neuromorph::gc::WhenFull::refuse_newest>;
  static constexpr bool gives_way = false, any_liveness = true;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_neuron;
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t neuron) {
    return model.live(neuron) < (Events < 20 ? Events : 20);
  }
};
struct RingGivesWay : Ring {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Ring<(Events < 20 ? Events : 20), neuromorph::gc::WhenFull::oldest_gives_way>;
  static constexpr bool gives_way = true;
};

/// With steps enough to look at everything at once, half of them in turn.
struct Pool {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Pool<Events, 2 * (Neurons + 2 * Events)>;
  static constexpr bool gives_way = false, any_liveness = true;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.live() + model.gone_under_last_window() < Events;
  }
};
/// With few: where there is no room, some may be dead and not found.
struct SlowPool : Pool {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Pool<Events, 2>;
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.stored() < Events;
  }
};

struct Sliding {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Sliding<Events, 3>;
  static constexpr bool gives_way = false, any_liveness = true;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.live() < Events;
  }
};
struct SlidingFast : Sliding {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Sliding<Events, Events + Neurons>;
};

} // namespace battery

#endif
