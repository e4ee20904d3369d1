// SPDX-License-Identifier: BSL-1.0
// Moves of buffers with interrupts' records at every place of them, for gc::Baker and its like.
#ifndef TESTS_SUPPORT_COMPACTION_ROUND_HPP
#define TESTS_SUPPORT_COMPACTION_ROUND_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/trace_battery.hpp"

namespace battery {

/// \tparam Case  of baker_collectors.hpp
template <class Case>
class CompactionRound {
public:
  static constexpr std::uint32_t neurons = 4;
  using Small = Pair<Case, std::uint32_t, neurons, 40, neuromorph::gc::AgeWindow<20>, Machine<true>, InterruptHook>;
  std::size_t interrupted = 0, overlapped = 0;

  /// Buffers of several lengths with holes between them; the copier is about to begin.
  static Small prepared() {
    Small pair(0U - 5U);
    std::string wrong;
    std::uint32_t now = 0U - 5U;
    for (unsigned event = 0; !pair.store.heap().is_compacting() && event < 2000; ++event) {
      wrong += pair.record(event % 3 == 0 ? event / 3 % neurons : event % 2, now);
      if (event % 2 == 0) wrong += pair.advance_to(++now);
    }
    if (!wrong.empty() || !pair.store.heap().is_compacting()) pair.number = 0; // which `run` notices
    return pair;
  }

  /// Records of an interrupt at place `first`, and of another `second` places later, for all there are.
  std::string run(bool with_second) {
    const Small start = prepared();
    if (start.number == 0) return "the preparation fails";
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      for (std::uint32_t other = 0; other < (with_second ? neurons : 1U); ++other)
        for (long first = 0;; ++first) {
          for (long second = 0;; second += 1 + second / 3) { // all that are near, some that are far
            const std::string wrong = once(start, {neuron, other}, {first, with_second ? second : -1});
            if (!wrong.empty())
              return wrong + "neurons " + std::to_string(neuron) + ", " + std::to_string(other) + ", places " +
                     std::to_string(first) + ", " + std::to_string(second);
            if (came_ < 2) break;
          }
          if (came_ == 0) break;
        }
    return "";
  }

private:
  static constexpr unsigned ticks = 6;
  struct Plan {
    Small* pair;
    std::array<std::uint32_t, 2> neurons;
    std::array<long, 2> places;
    unsigned came = 0, overlapped = 0;
    std::string wrong{};
  };
  static void strike(void* context) {
    auto& plan = *static_cast<Plan*>(context);
    const std::uint32_t neuron = plan.neurons[plan.came];
    if (plan.pair->store.heap().is_compacting()) ++plan.overlapped;
    const auto trace = trace_of<std::uint32_t>(++plan.pair->number);
    const std::uint32_t time = plan.pair->store.now(); // the tick may have begun, or not
    plan.pair->model.advance_to(time, Small::Store::forgets_after, Small::Store::ahead);
    const bool fits = plan.pair->fits(neuron);
    plan.wrong += plan.pair->settle_record(neuron, time, trace, plan.pair->store.record(neuron, time, trace), fits);
    if (++plan.came == 1) Interrupt::places_left = plan.places[1];
  }
  /// Ticks, one of which lets most of what is there die, and records of each neuron between them.
  [[gnu::noinline]] std::string once(const Small& start, std::array<std::uint32_t, 2> of, std::array<long, 2> places) {
    Small pair = start;
    Plan plan{&pair, of, places};
    Interrupt::handler = strike;
    Interrupt::context = &plan;
    std::uint32_t now = pair.store.now();
    long left = places[0];
    std::string wrong;
    for (unsigned tick = 0; tick < ticks && wrong.empty(); ++tick) {
      now += tick == 2 ? 18 : 1;
      Interrupt::places_left = left;
      pair.store.advance_to(now);
      left = Interrupt::places_left;
      Interrupt::places_left = -1;
      pair.model.advance_to(now, Small::Store::forgets_after, Small::Store::ahead);
      wrong = plan.wrong + pair.check() + pair.compare_all();
      if (wrong.empty()) wrong = pair.record(tick % neurons, now);
    }
    came_ = plan.came;
    interrupted += plan.came;
    overlapped += plan.overlapped;
    return wrong;
  }
  unsigned came_ = 0;
};

} // namespace battery

#endif
