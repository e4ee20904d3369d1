// SPDX-License-Identifier: BSL-1.0
// The yardstick: 1000 excitatory and 250 inhibitory neurons that are driven by Poisson input. Excitatory synapses between
// excitatory neurons learn by pairs of spikes, inhibitory ones to these by the rule of Vogels et al. 2011, which brings
// neurons to 5 Hz; the others are static. All random numbers come from counters: the seed, what is drawn, its number. So any
// way to split the network and to run it gives the same spikes and weights, which digest.hpp says.
#ifndef EXAMPLES_BALANCED_PLASTIC_NETWORK_HPP
#define EXAMPLES_BALANCED_PLASTIC_NETWORK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/core/core.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/vogels.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/random/philox.hpp>

namespace balanced {

namespace nm = neuromorph;

// Neurons are numbered through; each core has 250, the last one the inhibitory ones. A key is the core's number and the
// neuron's on it.
inline constexpr std::uint32_t cores = 5, neurons_of_core = 250, excitatory_cores = 4,
                               neurons = cores * neurons_of_core;
inline constexpr std::uint32_t steps_per_second = 1000, seed = 1;
constexpr bool is_excitatory(std::uint32_t core) { return core < excitatory_cores; }
constexpr std::uint32_t key_of(std::uint32_t core, std::uint32_t neuron) { return core << 8 | neuron; }

// Weights in nA.
inline constexpr double to_excitatory_most = 0.03, to_excitatory_first = 0.01;   // excitatory, plastic
inline constexpr double to_excitatory_inhibition = 0.4, first_inhibition = 0.05; // plastic, too; the most
inline constexpr double to_inhibitory = 0.02, between_inhibitory = 0.1;          // static
inline constexpr double background = 0.045; // an event a millisecond, for each neuron

using Model = nm::Lif<2>;
using Word = nm::SynapticWord<8, 1, 3>; // delays of 1 to 8 ms
using Ring = nm::RingBuffer<Word>;
inline constexpr auto made =
    Model::make({.membrane = {.tau_ms = 20.0, .c_nf = 0.25, .v_rest_mv = -65.0},
                 .synapses = {.tau_ms = {5.0, 10.0},
                              .weights = {{{.largest = 0.045, .rate_hz = 10.0, .fan_in = 200.0},
                                           {.largest = 0.4, .rate_hz = 20.0, .fan_in = 25.0}}}},
                 .threshold = {.v_mv = -50.0},
                 .reset = {.v_mv = -60.0},
                 .refractory = {.period_ms = 5.0}},
                1.0)
        .value();
constexpr std::int32_t weight(std::uint32_t receptor, double na) {
  return static_cast<std::int32_t>(Model::weight(made, receptor, na).value());
}

using Table = nm::DecayTable<300>;
using Pair = nm::DeferredUpdate<Word, nm::timing::Pair<Table>, nm::weight::Additive>;
using Vogels = nm::DeferredUpdate<Word, nm::timing::Vogels<Table>, nm::weight::Additive>;
using Rules = nm::PlasticRules<Pair, Vogels>;
inline constexpr Pair pair =
    Pair::from({.lowest = 0, .highest = weight(0, to_excitatory_most)},
               nm::timing::Pair<Table>::from({.a_plus = 0.005, .a_minus = 0.00525}, 1.0).value())
        .value();
inline constexpr Vogels vogels =
    Vogels::from({.lowest = 0, .highest = weight(1, to_excitatory_inhibition)},
                 nm::timing::Vogels<Table>::from({.eta = 0.005, .alpha = 0.2}, 1.0).value())
        .value();

inline constexpr nm::CoreSizes sizes{
    .neurons = neurons_of_core, .row_words = 160, .buffers = 4, .spikes = 512, .populations = cores};
template <class Engine, class Send>
using Core = nm::Core<sizes, Model, Ring, Engine, Send, Rules>;

/// What a core has in far memory.
struct Far {
  std::array<std::uint32_t, 110'000> words;
  std::array<std::array<std::uint32_t, neurons_of_core + 1>, cores> first; ///< of each core's neurons
  std::array<std::uint16_t, neurons> ages;
};

// What random numbers are for.
enum class Use : std::uint32_t { synapses = 1, input = 2, membranes = 3 };
constexpr std::array<std::uint32_t, 4> draw(Use use, std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
  return nm::Philox::block({seed, static_cast<std::uint32_t>(use)}, {a, b, c, 0});
}

/// One in ten pairs of different neurons is connected: the delays of a neuron's synapses on a core, 0 where there is none.
inline void draw_synapses(std::uint32_t source, std::uint32_t core, std::array<std::uint8_t, neurons_of_core>& delays) {
  constexpr std::uint32_t chance = 0x1999'999AU >> 3; // a tenth, of 29 bits
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t at = 0; at < neurons_of_core; ++at) {
    const std::uint32_t post = core * neurons_of_core + at;
    if (at == 0 || post % 4 == 0) words = draw(Use::synapses, source, post / 4);
    const std::uint32_t word = words[post % 4];
    delays[at] = static_cast<std::uint8_t>((word >> 3) < chance && post != source ? 1 + word % 8 : 0);
  }
}

/// The rows of a core, in the order of their sources; in a row those of the shortest delay first. Whether they fit.
inline bool build(std::uint32_t core, Far& far) {
  std::array<std::uint8_t, neurons_of_core> delays{};
  std::uint32_t used = 0;
  for (std::uint32_t source_core = 0; source_core < cores; ++source_core) {
    const bool is_plastic = is_excitatory(core), excites = is_excitatory(source_core);
    const std::uint32_t receptor = excites ? 0 : 1;
    const std::int32_t first_weight = is_plastic
                                          ? (excites ? weight(0, to_excitatory_first) : weight(1, first_inhibition))
                                      : excites ? weight(0, to_inhibitory)
                                                : weight(1, between_inhibitory);
    constexpr std::uint32_t state_of_excitation = pair.state_of(weight(0, to_excitatory_first)).value(),
                            state_of_inhibition = vogels.state_of(weight(1, first_inhibition)).value();
    for (std::uint32_t source = 0; source < neurons_of_core; ++source) {
      far.first[source_core][source] = used;
      draw_synapses(source_core * neurons_of_core + source, core, delays);
      std::uint32_t count = 0;
      for (const std::uint8_t delay : delays) count += delay != 0 ? 1U : 0U;
      const std::size_t words = is_plastic ? Pair::Row::words(count, 0) : count;
      if (words > far.words.size() - used || words > sizes.row_words) return false;
      const auto row = std::span(far.words).subspan(used, words);
      used += static_cast<std::uint32_t>(words);
      auto plastic = Pair::Row::make(row, is_plastic ? count : 0, 0);
      std::size_t at = 0;
      for (std::uint32_t delay = 1; delay <= 8; ++delay)
        for (std::uint32_t post = 0; post < neurons_of_core; ++post) {
          if (delays[post] != delay) continue;
          const auto word = Word::encode({first_weight, delay, receptor, post});
          if (!word) return false;
          if (is_plastic)
            plastic.value().append(word.value(), excites ? state_of_excitation : state_of_inhibition);
          else
            row[at++] = word.value();
        }
    }
    far.first[source_core].back() = used;
  }
  return true;
}

/// Tells a core where its rows are, and where its neurons begin.
template <class CoreType>
nm::Status load(std::uint32_t core, Far& far, CoreType& to) {
  std::array<typename CoreType::Entry, cores> entries;
  for (std::uint32_t source_core = 0; source_core < cores; ++source_core) {
    auto& entry = entries[source_core];
    entry.key = key_of(source_core, 0);
    entry.mask = ~0xFFU;
    const auto rows = nm::PopulationRows::indexed(far.words, far.first[source_core]);
    if (!rows) return rows.status();
    entry.payload.rows = rows.value();
    entry.payload.rule = !is_excitatory(core) ? 0 : is_excitatory(source_core) ? 1 : 2;
  }
  // Membranes anywhere between the reset and the threshold, whose words are those of the reset and 0.
  const auto membranes = to.population().words(nm::place_of<Model>.membrane.v);
  for (std::uint32_t at = 0; at < neurons_of_core; ++at) {
    const std::uint32_t word = draw(Use::membranes, core * neurons_of_core + at, 0)[0];
    const auto depth = static_cast<std::uint32_t>(-made.constants.reset.v);
    membranes[at] = -1 - static_cast<std::int32_t>(std::uint64_t{word} * depth >> 32);
  }
  return to.load(entries, far.ages);
}

/// Poisson input of the step that comes next: an event a millisecond in the mean.
template <class CoreType>
void add_input(std::uint32_t core, CoreType& to) {
  // 2^32 times the chance of no more than so many.
  constexpr std::array<std::uint32_t, 11> at_most{0x5E2D58D9, 0xBC5AB1B1, 0xEB715E1E, 0xFB239797,
                                                  0xFF1025F6, 0xFFD90F3C, 0xFFFA8B72, 0xFFFF540C,
                                                  0xFFFFED1F, 0xFFFFFE21, 0xFFFFFFD5};
  constexpr std::int32_t event = weight(0, background);
  std::array<std::uint8_t, neurons_of_core> counts{};
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t at = 0; at < neurons_of_core; ++at) {
    const std::uint32_t neuron = core * neurons_of_core + at;
    if (at == 0 || neuron % 4 == 0) words = draw(Use::input, to.time() + 1, neuron / 4);
    while (counts[at] < at_most.size() && words[neuron % 4] >= at_most[counts[at]]) ++counts[at];
  }
  to.population().add_events(to.ring(), to.time() + 1, 0, counts, event);
}

/// What a core did: all spikes so far, and all synapses as they are.
struct Digests {
  std::uint64_t spikes = 0, weights = 0;
  friend constexpr bool operator==(const Digests&, const Digests&) noexcept = default;
};

/// Words and states of the rows, but not times and traces, which depend on when rows were flushed.
inline std::uint64_t digest_of_weights(std::uint32_t core, Far& far) {
  nm::Digest digest;
  for (std::uint32_t source_core = 0; source_core < cores; ++source_core)
    for (std::uint32_t source = 0; source < neurons_of_core; ++source) {
      const std::uint32_t begin = far.first[source_core][source], end = far.first[source_core][source + 1];
      const auto row = std::span(far.words).subspan(begin, end - begin);
      digest.add(std::span<const std::uint32_t>(is_excitatory(core) ? row.subspan(Pair::Row::header_words) : row));
    }
  return digest.value();
}

} // namespace balanced

#endif
