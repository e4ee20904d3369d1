// SPDX-License-Identifier: BSL-1.0
// The cell, the weights and the word format of the CUBA benchmark network (Vogels and Abbott 2005, as fixed in Brette
// et al. 2007, benchmark 2), for programs with and without an operating system. In ms, mV, nF and nA.
#ifndef EXAMPLES_CUBA_CELL_HPP
#define EXAMPLES_CUBA_CELL_HPP

#include <cstdint>

#include <neuromorph/neuromorph.hpp>

namespace cuba {

namespace nm = neuromorph;

using Model = nm::PackedLif;
// 2^IndexBits neurons, two receptor types, delays of 1 to 8 steps, at least 16 bits of weight
template <unsigned IndexBits>
using WordOf = nm::SynapticWord<IndexBits, 1, 3>;
template <unsigned IndexBits>
using RingOf = nm::RingBuffer<WordOf<IndexBits>, std::uint16_t>;

inline constexpr double connection_probability = 0.02;
inline constexpr double delay_ms = 0.2;
inline constexpr double excitatory_weight_na = 0.0162; // 1.62 mV of drive
inline constexpr double inhibitory_weight_na = 0.090;  // 9 mV
inline constexpr Model::Parameters cell{
    .membrane = {.tau_ms = 20.0, .c_nf = 0.2, .v_rest_mv = -49.0, .v_initial_mv = -60.0}, // the constant drive included
    .synapses = {.tau_ms = {5.0, 10.0},
                 .weights = {{{.largest = excitatory_weight_na, .bits = 12},
                              {.largest = inhibitory_weight_na, .bits = 12}}}},
    .threshold = {.v_mv = -50.0},
    .reset = {.v_mv = -60.0},
    .refractory = {.period_ms = 5.0}};

// Four in five neurons are excitatory, the first ones.
constexpr std::uint32_t excitatory_count(std::uint32_t neurons) { return neurons / 5 * 4 + neurons % 5 * 4 / 5; }

/// A synapse from a weight in nA: its sign says which receptor it acts on.
constexpr nm::Result<nm::Synapse> synapse(const Model::Made& made, std::uint32_t delay_steps, double weight_na,
                                          std::uint32_t post) {
  const std::uint32_t receptor = weight_na < 0.0 ? 1 : 0;
  const auto weight = Model::weight(made, receptor, weight_na < 0.0 ? -weight_na : weight_na);
  if (!weight) return weight.status();
  return nm::Synapse{static_cast<std::int32_t>(weight.value()), delay_steps, receptor, post};
}

} // namespace cuba

#endif
