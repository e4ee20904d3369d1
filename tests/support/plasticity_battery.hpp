// SPDX-License-Identifier: BSL-1.0
// Runs a rule of the library, deferred, over trains of events, beside the same rule of plasticity_reference.hpp, at once.
#ifndef TESTS_SUPPORT_PLASTICITY_BATTERY_HPP
#define TESTS_SUPPORT_PLASTICITY_BATTERY_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_reference.hpp"

namespace plasticity {

using Word = neuromorph::SynapticWord<8, 1, 4>;
constexpr std::int32_t highest_weight = 300'000; ///< the range is 0 to this
constexpr double whole_share = 4294967296.0;

template <class Timing, class WeightRule,
          neuromorph::PostSynapticDelay Delay = neuromorph::PostSynapticDelay::dendritic,
          class Rounding = neuromorph::rounding::Nearest>
using Deferred = neuromorph::DeferredUpdate<Word, Timing, WeightRule, Delay, Rounding>;

template <class Timing, class WeightRule>
[[nodiscard]] auto deferred(const Timing& timing, const WeightRule& weight) {
  return Deferred<Timing, WeightRule>::from({0, highest_weight}, timing, weight).value();
}

/// A row of synapses, with one delay each, onto one neuron, whose history has room for so many events.
template <class Update, std::size_t Room = 12'500>
class RowOnNeuron {
public:
  RowOnNeuron(const Update& update, const std::vector<std::uint32_t>& delays, double share, std::uint32_t start)
      : update_(update), store_(std::make_unique<Store>(start)), words_(Update::Row::words(delays.size(), 0)) {
    row_ = Update::Row::make(words_, delays.size(), start).value();
    const auto weight = static_cast<std::int32_t>(std::lround(share * highest_weight));
    for (const std::uint32_t delay : delays) {
      const auto word = Word::encode({.weight = weight, .delay = delay, .type = 0, .index = neuron});
      REQUIRE(row_.append(word.value(), update_.state_of(weight).value()));
    }
  }
  /// Of one tick, events first.
  void post(std::uint32_t now) {
    store_->advance_to(now);
    update_.post_spike(*store_, neuron, now);
  }
  void modulate(std::uint32_t now, neuromorph::Share amount) {
    store_->advance_to(now);
    update_.modulate(*store_, neuron, now, amount);
  }
  void pre(std::uint32_t now) {
    store_->advance_to(now);
    REQUIRE(update_.pre_spike(words_, now, *store_) == neuromorph::RowUpdate::changed);
  }
  void flush(std::uint32_t now) {
    store_->advance_to(now);
    REQUIRE(update_.flush(words_, now, *store_) == neuromorph::RowUpdate::changed);
  }
  [[nodiscard]] double share(std::size_t synapse) const {
    const std::uint32_t state = row_.states()[synapse];
    REQUIRE(Word::weight(row_.plastic()[synapse]) == update_.weight_of(state));
    return state / whole_share;
  }
  [[nodiscard]] Update& update() { return update_; }
  [[nodiscard]] auto trace() const { return row_.trace(); }
  [[nodiscard]] auto newest() const { return store_->newest(neuron).trace; }
  [[nodiscard]] bool is_complete() const {
    return update_.counts().truncated == 0 && store_->counts().refused_full == 0;
  }

  static constexpr std::uint32_t neuron = 3;

private:
  using Store = neuromorph::TraceStore<typename Update::NeuronTrace, 4, neuromorph::gc::Fifo<Room>,
                                       neuromorph::gc::AgeWindow<120'000>>;
  Update update_;
  std::unique_ptr<Store> store_;
  std::vector<std::uint32_t> words_;
  typename Update::Row row_;
};

/// The greatest difference of a weight, as a share of its range, over all spikes and delays.
/// \param events       their dendritic delay is that of the synapses here
/// \param flush_every  ticks; 0: never
template <class Update, class Reference>
[[nodiscard]] double greatest_difference(const Update& update, const Reference& reference, double share,
                                         const Events& events, std::uint32_t start, Ticks flush_every,
                                         const std::vector<std::uint32_t>& delays = {1, 4, 4, 16}) {
  std::vector<Outcome> outcomes;
  for (const std::uint32_t delay : delays) {
    Events reaching = events;
    reaching.dendritic_delay = delay;
    outcomes.push_back(simulate(reference, Weight{share, 0, 1}, reaching));
  }
  RowOnNeuron<Update> row(update, delays, share, start);
  double greatest = 0;
  std::size_t next_post = 0;
  Ticks flushed = 0;
  const auto post_until = [&](Ticks until) {
    for (; next_post < events.post.size() && events.post[next_post] <= until; ++next_post) {
      for (; flush_every != 0 && flushed + flush_every < events.post[next_post]; flushed += flush_every)
        row.flush(start + static_cast<std::uint32_t>(flushed + flush_every));
      row.post(start + static_cast<std::uint32_t>(events.post[next_post]));
    }
  };
  for (std::size_t spike = 0; spike < events.pre.size(); ++spike) {
    const Ticks time = events.pre[spike];
    post_until(time);
    row.pre(start + static_cast<std::uint32_t>(time));
    if (flush_every != 0) flushed = time;
    for (std::size_t at = 0; at < delays.size(); ++at)
      greatest = std::fmax(greatest, std::fabs(row.share(at) - outcomes[at].at_spikes[spike]));
  }
  REQUIRE(row.is_complete());
  return greatest;
}

/// Over the battery of trains, for 100 s. Half of them with flushes, and across the wrap of the clock.
/// \param bound  of the difference, as a share of the range
template <class Update, class Reference>
void compare_over_battery(const Update& update, const Reference& reference, std::uint32_t seed, Ticks ticks,
                          double bound) {
  Random random(seed);
  const bool is_odd = seed % 2 == 1;
  for (const auto& [name, events] : battery(random, 1.0, ticks)) {
    INFO("seed " << seed << ": " << name);
    const double greatest =
        greatest_difference(update, reference, 0.5, events, is_odd ? 0U : 0U - 50'000U, is_odd ? 0 : 333);
    CHECK(greatest < bound);
  }
}

} // namespace plasticity

#endif
