// SPDX-License-Identifier: BSL-1.0
// The networks that are measured: A, CUBA of 4 000 neurons; D, 10 000 of its neurons without synapses; P, 10 000 neurons, each
// with Poisson input of its own; B, these with 1 000 synapses each; C, B with synapses that learn.
#ifndef BENCHMARKS_NETWORK_NETWORKS_HPP
#define BENCHMARKS_NETWORK_NETWORKS_HPP

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/network/connection_file.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/plasticity.hpp>

namespace measured {

namespace nm = neuromorph;
namespace network = nm::network;
using Model = nm::PackedLif;

/// T. P. Vogels and L. F. Abbott, J. Neurosci. 25, 2005, as benchmark 2 of R. Brette et al., J. Comput. Neurosci. 23, 2007, has it.
inline constexpr Model::Parameters cuba_cell{
    .membrane = {.tau_ms = 20.0, .c_nf = 0.2, .v_rest_mv = -49.0, .v_initial_mv = -60.0},
    .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{{.largest = 0.0162, .bits = 12}, {.largest = 0.09, .bits = 12}}}},
    .threshold = {.v_mv = -50.0},
    .reset = {.v_mv = -60.0},
    .refractory = {.period_ms = 5.0}};

inline network::PopulationId add_cuba(network::Network& net, const char* name, std::uint32_t count) {
  const auto cells = net.add<Model>(name, count, cuba_cell);
  net.begin_at(cells, nm::place_of<Model>.membrane.v, network::uniform(-60.0, -50.001));
  return cells;
}
inline network::Network a() {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto excitatory = add_cuba(net, "excitatory", 3200), inhibitory = add_cuba(net, "inhibitory", 800);
  for (const auto target : {excitatory, inhibitory}) {
    net.connect(excitatory, target, network::Pairwise{0.02}, {.receptor = 0, .weight = 0.0162, .delay_ms = 0.2});
    net.connect(inhibitory, target, network::Pairwise{0.02}, {.receptor = 1, .weight = 0.09, .delay_ms = 0.2});
  }
  return net;
}
/// The same with synapses and membranes from files.
/// \param connections  records of uint32 pre, uint32 post, float32 weight in pA, of which those of neurons 0 to 3199 are
///                     excitatory; the least byte first
/// \param initial      float32 of each neuron: 0 = reset, 1 = threshold
inline nm::Answer<network::Network> a_from(const std::string& connections, const std::string& initial) {
  constexpr network::Range all[]{{0, 3200}, {3200, 4000}};
  network::Network net({.dt_ms = 0.1, .seed = 1});
  std::vector<double> membranes;
  std::FILE* const file = std::fopen(initial.c_str(), "rb");
  if (file == nullptr) return nm::Refusal{{nm::Error::file_failed}, initial, std::strerror(errno)};
  for (unsigned char bytes[4]; std::fread(bytes, 1, 4, file) == 4;) {
    const std::uint32_t word = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | std::uint32_t{bytes[3]} << 24;
    membranes.push_back(-60.0 + 10.0 * static_cast<double>(std::bit_cast<float>(word)));
  }
  std::fclose(file);
  if (membranes.size() != 4000)
    return nm::Refusal{{nm::Error::file_malformed}, initial, "it does not have 4000 numbers of 32 bits"};
  const network::PopulationId cells[]{net.add<Model>("excitatory", 3200, cuba_cell),
                                      net.add<Model>("inhibitory", 800, cuba_cell)};
  for (std::size_t target = 0; target < 2; ++target) {
    net.begin_at(cells[target], nm::place_of<Model>.membrane.v,
                 std::vector<double>(membranes.begin() + all[target].first, membranes.begin() + all[target].end));
    for (std::size_t source = 0; source < 2; ++source) {
      auto list = network::read_connections(connections, {.format = network::ConnectionFormat::records,
                                                          .delay_ms = 0.2,
                                                          .weight_unit = 0.001,
                                                          .magnitudes = true,
                                                          .sources = all[source],
                                                          .targets = all[target]});
      if (!list) return list.refusal();
      net.connect(cells[source], cells[target], std::move(list).value(),
                  {.receptor = static_cast<std::uint32_t>(source)});
    }
  }
  return net;
}
inline network::Network d() {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  add_cuba(net, "cells", 10'000);
  return net;
}

inline constexpr double excitatory_na = 0.01614, inhibitory_na = 0.0807, background_hz = 12'000.0;
/// Of the largest weight; where sums have 32 bits, w_max of C has 16.
template <class Cell>
inline constexpr unsigned bits_of = Cell::Synapses::input_in_pairs ? 10 : 14;
/// Psps have room for twice what 800 excitatory and 200 inhibitory synapses bring at 22 Hz, and the background.
template <class Cell>
inline constexpr typename Cell::Parameters driven_cell{
    .membrane = {.tau_ms = 20.0, .c_nf = 0.25, .v_rest_mv = -70.0, .v_initial_mv = -60.0},
    .synapses = {.tau_ms = {2.0, 2.0},
                 .weights = {{{.largest = excitatory_na, .bits = bits_of<Cell>, .rate_hz = 50'000.0, .fan_in = 1.0},
                              {.largest = inhibitory_na, .bits = bits_of<Cell>, .rate_hz = 10'000.0, .fan_in = 1.0}}}},
    .threshold = {.v_mv = -50.0},
    .reset = {.v_mv = -60.0},
    .refractory = {.period_ms = 2.0}};

/// Membranes begin between reset and threshold, as those of A.
template <class Cell>
network::PopulationId add_driven(network::Network& net, const char* name, std::uint32_t count) {
  const auto cells = net.add<Cell>(name, count, driven_cell<Cell>);
  net.begin_at(cells, nm::place_of<Cell>.membrane.v, network::uniform(-60.0, -50.001));
  net.add_background(cells, {.receptor = 0, .rate_hz = background_hz, .weight = excitatory_na});
  return cells;
}
inline network::Network p() {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  add_driven<Model>(net, "cells", 10'000);
  return net;
}
/// \param individual  weights with a word each, drawn between nearly equal ends; else one weight for all
template <class Cell = Model>
network::Network b(bool individual) {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto excitatory = add_driven<Cell>(net, "excitatory", 8000),
             inhibitory = add_driven<Cell>(net, "inhibitory", 2000);
  const auto weight = [&](double mean) {
    return individual ? network::uniform(0.99 * mean, 1.01 * mean) : network::Distribution(mean);
  };
  for (const auto target : {excitatory, inhibitory}) {
    net.connect(excitatory, target, network::FixedIndegree{.degree = 800, .multiple = false},
                {.receptor = 0, .weight = weight(excitatory_na), .delay_ms = 1.5});
    net.connect(inhibitory, target, network::FixedIndegree{.degree = 200, .multiple = false},
                {.receptor = 1, .weight = weight(inhibitory_na), .delay_ms = 1.5});
  }
  return net;
}

/// Pair STDP with the steps of C, whose weights begin at a third of the range.
inline std::shared_ptr<const network::PlasticityRule> additive_pair(double highest_na) {
  return network::learns<nm::timing::Pair<nm::DecayTable<3000>>>(
      {.tau_plus_ms = 20.0, .tau_minus_ms = 20.0, .a_plus = 0.01614 / 48.42, .a_minus = 0.016947 / 48.42},
      {.lowest = 0.0, .highest = highest_na});
}
/// B, whose excitatory synapses between excitatory neurons learn. Sums of 32 bits have a unit that A+ is many of, which those of
/// 16 have not.
inline network::Network c() {
  const network::Network other = b<nm::Lif<2>>(true);
  network::Network net(other.settings());
  for (const network::Population& one : other.populations()) net.add(one);
  for (network::Projection one : other.projections()) {
    if (one.source == one.target && one.synapses.receptor == 0) {
      one.synapses.weight = excitatory_na;
      one.synapses.plasticity = additive_pair(3.0 * excitatory_na);
    }
    net.connect(one.source, one.target, one.connector, one.synapses);
  }
  return net;
}

} // namespace measured

#endif
