// SPDX-License-Identifier: BSL-1.0
// A round of compaction with interrupts' records at every place of it, for gc::Baker and its like.
#ifndef TESTS_SUPPORT_COMPACTION_ROUND_HPP
#define TESTS_SUPPORT_COMPACTION_ROUND_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/trace_battery.hpp"

namespace battery {

/// \tparam Case    of baker_collectors.hpp
/// \tparam Events  16, where records that interrupt find no room at the top, or 22
template <class Case, std::size_t Events = 16>
class CompactionRound {
public:
  using Small = Pair<Case, std::uint32_t, 4, Events, neuromorph::gc::AgeWindow<20>, Machine<true>, InterruptHook>;
  std::size_t interrupted = 0, overlapped = 0;

  /// Buffers of several lengths with holes between them.
  static Small prepared() {
    Small pair(0U - 5U);
    std::string wrong;
    for (const std::uint32_t neuron : {2U, 3U, 0U, 1U}) wrong += pair.record(neuron, 0U - 5U);
    wrong += pair.advance_to(0U - 3U);
    for (std::uint32_t event = 0; event < 4; ++event) wrong += pair.record(event % 2, 0U - 3U); // in turn they grow
    if (!wrong.empty()) pair.number = 0;                                                        // which `run` notices
    return pair;
  }

  /// Of the n-th tick that follows: the first events die at the second.
  static constexpr std::uint32_t now(unsigned n) { return n == 0 ? 0U - 2U : 17U; }

  /// Ticks until the round is over, with no interrupt: what is free is one block then.
  static std::string undisturbed() {
    Small pair = prepared();
    if (pair.number == 0) return "the preparation fails";
    bool was_compacting = false;
    for (unsigned ticks = 0; ticks < 500; ++ticks) {
      const std::string wrong = pair.advance_to(now(ticks)) + pair.compare_all();
      if (!wrong.empty()) return wrong;
      was_compacting = was_compacting || pair.store.heap().is_compacting();
      if (was_compacting && !pair.store.heap().is_compacting())
        return pair.store.heap().holes() == 0 ? "" : "there are holes after a round; ";
    }
    return "no round comes to its end; ";
  }

  /// Records of an interrupt at place `first`, and of another `second` places later, for all there are.
  std::string run(bool with_second) {
    const Small start = prepared();
    if (start.number == 0) return "the preparation fails";
    for (std::uint32_t neuron = 0; neuron < 4; ++neuron)
      for (std::uint32_t other = 0; other < (with_second ? 4U : 1U); ++other)
        for (long first = 0;; ++first) {
          long second = 0;
          for (;; ++second) {
            const std::string wrong = once(start, {neuron, other}, {first, with_second ? second : -1});
            if (!wrong.empty())
              return wrong + "neurons " + std::to_string(neuron) + ", " + std::to_string(other) + ", places " +
                     std::to_string(first) + ", " + std::to_string(second);
            if (came_ < 2) break;
            second += second / 4; // all that are near, some that are far
          }
          if (came_ == 0) break;
        }
    return "";
  }

private:
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
  [[gnu::noinline]] std::string once(const Small& start, std::array<std::uint32_t, 2> neurons,
                                     std::array<long, 2> places) {
    Small pair = start;
    Plan plan{&pair, neurons, places};
    Interrupt::handler = strike;
    Interrupt::context = &plan;
    Interrupt::places_left = places[0];
    std::string wrong;
    bool was_compacting = false;
    for (unsigned ticks = 0; ticks < 500 && wrong.empty(); ++ticks) {
      pair.store.advance_to(now(ticks));
      pair.model.advance_to(now(ticks), Small::Store::forgets_after, Small::Store::ahead);
      const long left = Interrupt::places_left;
      Interrupt::places_left = -1;
      wrong = plan.wrong + pair.check() + pair.compare_all();
      was_compacting = was_compacting || pair.store.heap().is_compacting();
      if (was_compacting && !pair.store.heap().is_compacting()) break;
      if (ticks > 60 && !was_compacting) break;
      Interrupt::places_left = left;
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
