// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a population is given, as whoever runs it takes it: how its words begin, its background, and when its sources fire.
// host-only
#ifndef NEUROMORPH_NETWORK_GIVEN_HPP
#define NEUROMORPH_NETWORK_GIVEN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// A source that fires nothing of its own.
[[nodiscard]] inline bool may_be_fed(const Population& population) noexcept {
  return population.model == nullptr && population.poisson_hz == 0.0 && population.spike_times.empty();
}

/// \errors index_out_of_range: a word that there is not, a neuron of a list; lengths_differ: values that are not one for each;
///         parameter_out_of_range: a time; those of Distribution::check
[[nodiscard]] inline Status check_given(const Population& population, double dt_ms) {
  for (const Initial& one : population.initial) {
    if (population.model == nullptr || one.place >= population.model->word_count())
      return {Error::index_out_of_range, 0, one.place, "place"};
    if (one.values && one.values->size() != population.count)
      return {Error::lengths_differ, 0, one.values->size(), "values"};
    if (const Status status = one.drawn.check("initial"); !status) return status;
  }
  for (const SpikeTime& one : population.spike_times) {
    const double step = one.time_ms / dt_ms;
    if (one.neuron >= population.count) return {Error::index_out_of_range, 0, one.neuron, "neuron"};
    if (!(step >= 0.0 && step < 0x1p50)) return {Error::parameter_out_of_range, 0, one.time_ms, "time_ms"};
  }
  return {};
}

/// The weight of an event of the background in units of its receptor.
/// \param which  background of the population
/// \errors `where` is which: type_out_of_range: receptor; weight_out_of_range: the weight is no finite number, leaves the sum of a
///         step, or is negative where weights have no sign; weight_vanishes
[[nodiscard]] inline Result<std::int32_t> background_units(const Population& population, std::uint32_t which) {
  const Background& given = population.background[which];
  if (given.receptor >= population.units_per_one.size())
    return Status{Error::type_out_of_range, which, given.receptor, "receptor"};
  const std::int64_t units = neuromorph::detail::to_fixed(given.weight * population.units_per_one[given.receptor], 0);
  const std::int64_t most = population.input_bits == 16 ? 0xFFFF : 1 << 22;
  if (!neuromorph::detail::is_finite(given.weight) || units > most ||
      units < (population.has_signed_weights ? -most : 0))
    return Status{Error::weight_out_of_range, which, given.weight, "weight"};
  if (units == 0 && given.weight != 0.0) return Status{Error::weight_vanishes, which, given.weight, "weight"};
  return static_cast<std::int32_t>(units);
}

struct DueSpike {
  std::uint64_t step;
  std::uint32_t neuron;
};
/// The spikes that a source is told to fire, in their order.
/// \pre it is checked
[[nodiscard]] inline std::vector<DueSpike> listed_spikes(const Population& population, double dt_ms) {
  std::vector<DueSpike> all;
  for (const SpikeTime& one : population.spike_times) {
    const std::int64_t step = neuromorph::detail::to_fixed(one.time_ms / dt_ms, 0);
    all.push_back({static_cast<std::uint64_t>(step < 1 ? 1 : step), one.neuron});
  }
  std::sort(all.begin(), all.end(), [](const DueSpike& a, const DueSpike& b) {
    return a.step != b.step ? a.step < b.step : a.neuron < b.neuron;
  });
  return all;
}
/// How often each of a population can fire in a step.
/// \param by_chance  most events of its Poisson input, if it is a source
[[nodiscard]] inline std::vector<std::uint32_t> most_spikes(const Population& population, double dt_ms,
                                                            std::uint32_t by_chance) {
  if (population.model != nullptr || may_be_fed(population)) return std::vector<std::uint32_t>(population.count, 1);
  std::vector<std::uint32_t> most(population.count);
  const std::vector<DueSpike> all = listed_spikes(population, dt_ms);
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].step == all[begin].step && all[end].neuron == all[begin].neuron) ++end;
    most[all[begin].neuron] = (std::max)(most[all[begin].neuron], static_cast<std::uint32_t>(end - begin));
  }
  for (std::uint32_t& one : most) one += by_chance;
  return most;
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
