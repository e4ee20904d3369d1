// SPDX-License-Identifier: BSL-1.0
/// \file
/// Whether two processes, or a process and a file, speak of the same network.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_DESCRIPTION_HPP
#define NEUROMORPH_NETWORK_DETAIL_DESCRIPTION_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/detail/word_digest.hpp>
#include <neuromorph/network/distribution.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/rows.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// Of a population: its numbers, the constants that its neurons share, and what the first of them do with some input.
[[nodiscard]] inline std::uint64_t digest_of(const Network& network, std::uint32_t at) {
  const Population& one = network.populations()[at];
  WordDigest digest;
  digest.add(one.count), digest.add(one.input_bits), digest.add_real(one.poisson_hz);
  for (const double units : one.units_per_one) digest.add_real(units);
  for (const Background& background : one.background) {
    digest.add(background.receptor);
    digest.add_real(background.rate_hz), digest.add_real(background.weight);
  }
  for (const SpikeTime& time : one.spike_times) digest.add(time.neuron), digest.add_real(time.time_ms);
  if (one.model == nullptr) return digest.value();
  digest.add_wide(one.model->digest());
  std::unique_ptr<Neurons> neurons;
  const std::uint32_t count = (std::min)(one.count, neurons_of_group);
  if (!one.model->make(network.settings().seed, at, 0, count, {}, neurons)) return digest.value();
  const std::size_t receptors = one.units_per_one.size();
  std::vector<std::uint16_t> narrow(receptors * neurons_of_group);
  std::vector<std::int32_t> wide(receptors * neurons_of_group);
  std::array<std::uint32_t, Neurons::block> fired{};
  WordDigest noise;
  // After some steps some more far behind, for what begins or ends then.
  for (std::uint32_t step = 1; step < 0x8000'0000U && count != 0; step += step < 64 ? 1 : step / 32) {
    if (step > 64) neurons->set_waiting(step - 1, {});
    for (std::size_t input = 0; input < wide.size(); ++input) {
      // Weights of 1 down to 1/128, and the first receptor, which mostly excites, gets eight times what others do.
      noise.add(step);
      const double units = (std::min)(one.units_per_one[input / neurons_of_group], 0x1p26);
      const auto most = static_cast<std::uint64_t>(units) >> (step % 8 + (input < neurons_of_group ? 0 : 3));
      wide[input] = static_cast<std::int32_t>((noise.value() & 0xFFFF) * most >> 16);
      narrow[input] = static_cast<std::uint16_t>((std::min)(wide[input], 0x7FFF));
    }
    const bool is_narrow = one.input_bits == 16;
    const StepInput input{is_narrow ? narrow.data() : nullptr, is_narrow ? nullptr : wide.data(), neurons_of_group};
    digest.add(static_cast<std::uint32_t>(neurons->step(0, input, step, fired.data()).spikes));
    for (std::size_t place = 0; place < neurons->word_count(); ++place)
      for (const std::int32_t word : neurons->words(place)) digest.add(static_cast<std::uint32_t>(word));
  }
  return digest.value();
}
/// A sum over a population's neurons, of the constants that are each one's own; 0 where there are none.
/// \cost  as making them
[[nodiscard]] inline std::uint64_t digest_of_constants(const Network& network, std::uint32_t at, unsigned threads) {
  const Population& one = network.populations()[at];
  if (one.model == nullptr || !one.model->differs_by_neuron()) return 0;
  constexpr std::uint32_t at_once = 1024;
  std::vector<std::uint64_t> sums((std::size_t{one.count} + at_once - 1) / at_once);
  host::in_parallel(threads, sums.size(), [&](std::size_t block, unsigned) {
    const std::uint32_t first = static_cast<std::uint32_t>(block) * at_once;
    std::unique_ptr<Neurons> neurons;
    // Who is refused is refused by who makes all of them.
    if (one.model->make(network.settings().seed, at, first, (std::min)(one.count - first, at_once), {}, neurons))
      sums[block] = neurons->digest_of_constants();
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t of_block : sums) sum += of_block;
  return sum;
}

/// Of how a population begins and where it is.
[[nodiscard]] inline std::uint64_t digest_of_beginning(const Population& one) {
  WordDigest digest;
  for (const Initial& initial : one.initial) {
    digest.add_wide(initial.place);
    for (const double number : initial.drawn.numbers()) digest.add_real(number);
    if (initial.values)
      for (const double value : *initial.values) digest.add_real(value);
  }
  for (const Position& position : one.positions)
    for (const double axis : position) digest.add_real(axis);
  return digest.value();
}
/// Of how synapses learn; nothing of those that do not.
inline void add(const PlasticityRule* rule, double dt_ms, WordDigest& digest) {
  if (rule == nullptr) return;
  digest.add(rule->words().header), digest.add(rule->words().of_synapse);
  digest.add_real(rule->range().lowest), digest.add_real(rule->range().highest);
  digest.add_wide(rule->digest(dt_ms));
}
/// Of a projection: what is described, not what is drawn.
[[nodiscard]] inline std::uint64_t digest_of(const Projection& one, double dt_ms) {
  WordDigest digest;
  digest.add(std::uint32_t(one.source)), digest.add(std::uint32_t(one.target)), digest.add(one.synapses.receptor);
  for (const Distribution* const drawn : {&one.synapses.weight, &one.synapses.delay_ms})
    for (const double number : drawn->numbers()) digest.add_real(number);
  add(one.synapses.plasticity.get(), dt_ms, digest);
  digest.add(static_cast<std::uint32_t>(one.connector.index()));
  const auto add = [&](const auto&... numbers) { (digest.add_real(static_cast<double>(numbers)), ...); };
  struct Numbers {
    const decltype(add)& put;
    void operator()(const AllToAll& it) const { put(it.self); }
    void operator()(const OneToOne&) const {}
    void operator()(const Pairwise& it) const { put(it.probability, it.self); }
    void operator()(const FixedIndegree& it) const { put(it.degree, it.multiple, it.self); }
    void operator()(const FixedOutdegree& it) const { put(it.degree, it.multiple, it.self); }
    void operator()(const FixedTotal& it) const { put(it.total, it.multiple, it.self); }
    void operator()(const ByDistance& it) const {
      put(it.probability, static_cast<int>(it.profile), it.scale, it.within, it.period[0], it.period[1], it.period[2],
          it.self);
    }
    void operator()(const FromList& it) const {
      put(it.synapses.size());
      for (const Listed& synapse : it.synapses) put(synapse.source, synapse.target, synapse.weight, synapse.delay_ms);
    }
  };
  std::visit(Numbers{add}, one.connector);
  return digest.value();
}

/// Of settings, of each population and of each projection.
[[nodiscard]] inline std::vector<std::uint64_t> digests_of(const Network& network, unsigned threads) {
  const auto& populations = network.populations();
  const auto& projections = network.projections();
  std::vector<std::uint64_t> all{std::bit_cast<std::uint64_t>(network.settings().dt_ms), network.settings().seed,
                                 std::uint64_t{projections.size()} << 32 | populations.size()};
  for (std::uint32_t at = 0; at < populations.size(); ++at)
    all.push_back(digest_of(network, at) + digest_of_constants(network, at, threads) +
                  digest_of_beginning(populations[at]));
  for (const Projection& one : projections) all.push_back(digest_of(one, network.settings().dt_ms));
  return all;
}

/// What differs, by its place in `digests_of`.
[[nodiscard]] inline std::string difference(const Network& network, std::size_t at) {
  const std::size_t populations = network.populations().size();
  if (at == 0) return "its time step is another one";
  if (at == 1) return "its seed is another one";
  if (at == 2) return "it has other numbers of populations or projections";
  if (at - 3 < populations)
    return network.name(PopulationId(static_cast<std::uint32_t>(at - 3))) + ", is another one there";
  return network.name(ProjectionId(static_cast<std::uint32_t>(at - 3 - populations))) + ", is another one there";
}

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
