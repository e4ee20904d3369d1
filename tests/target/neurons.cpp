// SPDX-License-Identifier: BSL-1.0
// The native loops of Lif and PackedLif against target::Generic: random and extreme words, each position spiking, waiting
// and saturating, all counts up to 70, long runs; and one digest of it all, the same on every machine.
#include <array>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/expected_digest.hpp"
#include "tests/support/lif_cells.hpp"

using namespace neuromorph;

namespace {

constexpr std::size_t most = 70, guard = 4; // and untouched words around everything
int failures = 0;
Digest digest;
Sfc32 generator(StreamId{2, 7, 1});

std::uint32_t below(std::uint32_t bound) { return generator.next() % bound; }

std::int32_t word() {
  constexpr std::array<std::int32_t, 14> edges{INT32_MIN, INT32_MIN + 1, -65537, -65536, -2,    -1,       0, 1,
                                               2,         32767,         32768,  65535,  65536, INT32_MAX};
  const auto drawn = static_cast<std::int32_t>(generator.next());
  return below(4) == 0 ? edges[below(edges.size())] : drawn >> below(24);
}
std::uint32_t psp_pair() { // halves near the ends of their range are as likely as others
  const auto half = [] { return below(3) == 0 ? 65535 - below(40) : below(2) == 0 ? below(65536) : below(2000); };
  const std::uint32_t low = half();
  return half() << 16 | low;
}

template <class Model>
constexpr bool is_packed = std::is_same_v<typename Model::Synapses, synapse::ExponentialPair>;
/// Lif with constants of each neuron.
template <std::size_t TimeConstants>
using LifByNeuron = Neuron<PerNeuron<membrane::Lif>, PerNeuron<typename Lif<TimeConstants>::Synapses>,
                           PerNeuron<reset::ToValue>, PerNeuron<refractory::InMembrane>>;

/// What a population takes its constants from.
template <class Model>
struct Source {
  typename Model::Constants constants{};
  std::array<const std::int32_t*, Model::constant_count> columns{};
};

template <class Model, class Element>
struct Cells {
  static constexpr std::size_t psps = Model::word_count - 1, size = most + 2 * guard;
  alignas(8) std::array<std::int32_t, size> membrane{};
  alignas(8) std::array<std::array<std::int32_t, size>, psps> psp{};
  alignas(8) std::array<std::array<Element, size>, 2> input{};
  std::array<std::uint32_t, size> spikes{};
  StepCounts counts;

  std::int32_t& u(std::size_t neuron) { return membrane[guard + neuron]; }
  std::int32_t& p(std::size_t neuron, std::size_t which) { return psp[which % psps][guard + neuron]; }
  Element& in(std::size_t neuron, std::size_t receptor) { return input[receptor][guard + neuron]; }

  template <class Target>
  void step(const Source<Model>& source, std::size_t neurons, std::uint32_t step_number, std::size_t shift) {
    typename Model::Columns columns{};
    columns.constants = source.columns;
    columns.words[0] = membrane.data() + guard;
    for (std::size_t which = 0; which < psps; ++which) columns.words[1 + which] = psp[which].data() + guard;
    counts = Model::template step<Target>(columns, neurons, source.constants,
                                          std::array{&in(0, 0) + shift, &in(0, 1) + shift}, step_number,
                                          spikes.data() + guard);
  }
};

template <class Model, class Element>
void compare(const char* what, Cells<Model, Element>& generic, const Source<Model>& source, std::size_t neurons,
             std::uint32_t step_number, std::size_t shift = 0) {
  constexpr std::size_t psps = Cells<Model, Element>::psps;
  static Cells<Model, Element> native;
  native = generic;
  generic.template step<target::Generic>(source, neurons, step_number, shift);
  native.template step<target::Native>(source, neurons, step_number, shift);
  digest.add(generic.counts.spikes), digest.add(generic.counts.saturations);
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
    std::uint32_t mixed = static_cast<std::uint32_t>(generic.u(neuron)) * 3;
    for (std::size_t which = 0; which < psps; ++which)
      mixed = (mixed + static_cast<std::uint32_t>(generic.p(neuron, which))) * 5;
    digest.add(mixed);
  }
  bool same = true;
  for (std::size_t at = 0; at < generic.counts.spikes; ++at) // what lies behind them is of no account
    same = same && native.spikes[guard + at] == generic.spikes[guard + at];
  for (std::size_t at = 0; at < guard; ++at)
    same = same && native.spikes[at] == generic.spikes[at] &&
           native.spikes[guard + neurons + at] == generic.spikes[guard + neurons + at];
  same = same && native.counts.spikes == generic.counts.spikes &&
         native.counts.saturations == generic.counts.saturations && native.membrane == generic.membrane &&
         native.psp == generic.psp && native.input == generic.input;
  native.spikes = generic.spikes;
  if (same || ++failures > 10) return;
  std::printf("%s, %u neurons, step %lu: %lu spikes, %lu saturations instead of %lu, %lu", what,
              static_cast<unsigned>(neurons), static_cast<unsigned long>(step_number),
              static_cast<unsigned long>(native.counts.spikes), static_cast<unsigned long>(native.counts.saturations),
              static_cast<unsigned long>(generic.counts.spikes),
              static_cast<unsigned long>(generic.counts.saturations));
  for (std::size_t neuron = 0; neuron < most; ++neuron)
    for (std::size_t which = 0; which < 2; ++which)
      if (native.u(neuron) != generic.u(neuron) || native.p(neuron, which) != generic.p(neuron, which)) {
        std::printf(", neuron %u: %ld %ld instead of %ld %ld", static_cast<unsigned>(neuron),
                    static_cast<long>(native.u(neuron)), static_cast<long>(native.p(neuron, which)),
                    static_cast<long>(generic.u(neuron)), static_cast<long>(generic.p(neuron, which)));
        neuron = most, which = 2;
      }
  std::printf("\n");
}

std::int32_t some_decay() { return -static_cast<std::int32_t>(generator.next() >> (1 + below(16))); }
std::int32_t some_reset() { return -1 - static_cast<std::int32_t>(generator.next() >> (1 + below(8))); }
std::int32_t some_wait(std::int32_t reset) {
  return below(3) == 0 ? reset : static_cast<std::int32_t>(below(3) == 0 ? generator.next() >> 2 : below(30));
}

/// Constants from physical parameters, or anything that the types allow.
template <class Model>
struct Shared {
  static Source<Model> plausible() {
    const LifWeights weights =
        is_packed<Model> ? LifWeights{0.2, 0.1, 12} : LifWeights{0.5, 0.5, Model::word_count == 3 ? 16U : 14U};
    return {made_of<Model>(one_tau_cell, 0.1, weights).value().constants, {}};
  }
  static Source<Model> any() {
    Source<Model> source = plausible();
    auto& [membrane, synapses, input, threshold, reset, refractory, adaptation, current] = source.constants;
    membrane.decay = some_decay(), membrane.drift = word(), reset.v = some_reset();
    refractory.after_spike = some_wait(reset.v);
    if constexpr (is_packed<Model>) {
      for (auto& keep : synapses.shared.keep)
        keep = below(4) == 0 ? 0xFFFF0000U - below(4) * 0x8000U : generator.next() & 0xFFFEFFFF;
      std::array<std::int32_t, 2> couplings{};
      for (auto& coupling : couplings) coupling = below(4) == 0 ? 32767 : 1 + static_cast<std::int32_t>(below(32767));
      synapses.coupling = static_cast<std::int32_t>(static_cast<std::uint32_t>(-couplings[1]) << 16 |
                                                    static_cast<std::uint32_t>(couplings[0]));
      synapses.centre = 32768 * (couplings[0] - couplings[1]);
    } else {
      for (std::size_t which = 0; which < Model::word_count - 1; ++which)
        psp_decay(source.constants, which) = some_decay();
      synapses.shared.psp_shift = static_cast<std::uint8_t>(below(32));
      std::array<std::uint8_t, 2> shifts{};
      for (auto& shift : shifts) shift = static_cast<std::uint8_t>(below(31));
      if constexpr (Model::word_count == 3)
        synapses.shared.input_shift = shifts;
      else
        synapses.shared.input_shift = shifts[0];
    }
    return source;
  }
  static std::int32_t& psp_decay(typename Model::Constants& constants, std::size_t which) {
    if constexpr (Model::word_count == 3)
      return constants.synapses[which];
    else
      return constants.synapses.decay;
  }
};
template <class Model>
struct Rows {
  using One = Lif<Model::word_count - 1>;
  inline static std::array<std::array<std::int32_t, most>, Model::constant_count> columns;

  static Source<Model> made_of(Source<One> (*one)()) {
    Source<Model> source;
    source.constants.synapses.shared = one().constants.synapses.shared;
    for (std::size_t column = 0; column < columns.size(); ++column) source.columns[column] = columns[column].data();
    for (std::size_t neuron = 0; neuron < most; ++neuron) {
      auto own = one().constants;
      std::size_t at = 0;
      columns[at++][neuron] = own.membrane.decay, columns[at++][neuron] = own.membrane.drift;
      for (std::size_t which = 0; which < Model::word_count - 1; ++which)
        columns[at++][neuron] = Shared<One>::psp_decay(own, which);
      columns[at++][neuron] = own.reset.v;
      columns[at++][neuron] = own.refractory.after_spike + static_cast<std::int32_t>(neuron % 3);
    }
    return source;
  }
  static Source<Model> plausible() { return made_of(Shared<One>::plausible); }
  static Source<Model> any() { return made_of(Shared<One>::any); }
};

/// A sum of weights: as the ring buffer's elements and the contract allow.
template <class Element>
Element arriving() {
  if constexpr (sizeof(Element) == 2)
    return static_cast<Element>(word());
  else
    return word() / 2;
}

template <class Model, class Element>
void quiet(Cells<Model, Element>& cells) {
  constexpr bool packed = is_packed<Model>;
  cells = {};
  for (std::size_t neuron = 0; neuron < most; ++neuron) {
    cells.u(neuron) = -(1 << 26) - static_cast<std::int32_t>(below(1 << 20));
    for (std::size_t which = 0; which < Cells<Model, Element>::psps; ++which)
      cells.p(neuron, which) = static_cast<std::int32_t>(packed ? below(3000) << 16 | below(3000) : below(1 << 20));
    for (std::size_t receptor = 0; receptor < 2; ++receptor)
      cells.in(neuron, receptor) = static_cast<Element>(below(3) == 0 ? below(300) : 0);
  }
}
/// Makes a neuron do something else than to integrate.
template <class Model, class Element>
void disturb(Cells<Model, Element>& cells, std::size_t neuron) {
  constexpr bool packed = is_packed<Model>;
  const std::size_t which = below(2);
  switch (below(4)) {
  case 0: cells.u(neuron) = static_cast<std::int32_t>(below(4)); break;                      // waits
  case 1: cells.u(neuron) = -1, cells.p(neuron, 0) = packed ? 0xFFFF : INT32_MAX / 2; break; // fires
  case 2: cells.p(neuron, which) = packed ? static_cast<std::int32_t>(psp_pair()) : INT32_MAX; break;
  default: break;
  }
  if (below(2) == 0)
    cells.in(neuron, which) = static_cast<Element>(sizeof(Element) == 4 ? 0x3FFFFFFF : 0x7FFF + below(3));
}

/// Psps whose product with their decay lies at the edge of the next number, for all neurons but one in four.
template <class Element>
void to_edges(Cells<PackedLif, Element>& cells, const Source<PackedLif>& source, std::uint32_t step_number) {
  const auto dither = static_cast<std::uint32_t>(detail::step_dither(step_number));
  for (std::size_t neuron = 0; neuron < most; ++neuron) {
    if (below(4) == 0) continue;
    std::array<std::uint32_t, 2> halves{};
    for (std::size_t receptor = 0; receptor < 2; ++receptor) {
      const std::uint32_t keep = (source.constants.synapses.shared.keep[receptor] + dither) >> 16 | 1;
      std::uint32_t inverse = keep; // modulo 2^16, by Newton's method
      for (int turn = 0; turn < 4; ++turn) inverse *= 2 - keep * inverse;
      halves[receptor] = (below(3) - 1 - dither) * inverse & 0xFFFF;
    }
    cells.p(neuron, 0) = static_cast<std::int32_t>(halves[1] << 16 | halves[0]);
  }
}

template <class Model, class Element, template <class> class Constants>
void vary(const char* what) {
  constexpr bool packed = is_packed<Model>;
  static Cells<Model, Element> cells;
  for (int turn = 0; turn < 600; ++turn) {
    cells = {};
    for (auto& one : cells.membrane) one = word();
    for (auto& column : cells.psp)
      for (auto& one : column) one = packed && below(8) != 0 ? static_cast<std::int32_t>(psp_pair()) : word();
    const std::uint32_t rare = 1 + below(4);
    for (auto& column : cells.input)
      for (auto& one : column) one = below(rare) == 0 ? arriving<Element>() : static_cast<Element>(below(100));
    const std::size_t neurons = static_cast<std::size_t>(turn) % (most + 1);
    const auto source = turn % 4 == 0 ? Constants<Model>::plausible() : Constants<Model>::any();
    const std::uint32_t step_number = generator.next();
    if constexpr (packed)
      if (turn % 3 != 0) to_edges(cells, source, step_number);
    compare(what, cells, source, neurons, step_number, turn % 8 == 5 ? 1 : 0);
  }
  const auto source = Constants<Model>::plausible();
  for (const std::size_t neurons : {2U, 3U, 16U, 33U, 64U})
    for (std::size_t one = 0; one < neurons; ++one)
      for (std::size_t other = one; other < neurons; other += 1 + below(5)) {
        quiet(cells);
        disturb(cells, one), disturb(cells, other);
        const std::uint32_t step_number = generator.next();
        compare(what, cells, source, neurons, step_number);
      }
  // A long run of all of them.
  quiet(cells);
  for (auto& one : cells.membrane) one = -(1 << 20);
  std::uint32_t waiting = 0, spikes = 0, saturations = 0;
  for (std::uint32_t step_number = 0xFFFFFE00U; step_number != 0x300; ++step_number) {
    for (std::size_t neuron = 0; neuron < most; ++neuron) {
      for (std::size_t receptor = 0; receptor < 2; ++receptor)
        if (below(4) == 0) cells.in(neuron, receptor) = static_cast<Element>(below(receptor == 0 ? 12000 : 6000));
      if (below(500) == 0)
        cells.in(neuron, below(2)) = static_cast<Element>(sizeof(Element) == 4 ? 0x3FFFFFFF : 0x7FFF);
      waiting += cells.u(neuron) >= 0 ? 1U : 0U;
    }
    compare(what, cells, source, most, step_number);
    spikes += cells.counts.spikes, saturations += cells.counts.saturations;
  }
  std::printf("%s: %lu spikes, %lu steps of waiting, %lu saturations\n", what, static_cast<unsigned long>(spikes),
              static_cast<unsigned long>(waiting), static_cast<unsigned long>(saturations));
  if (spikes == 0 || waiting == 0 || (saturations == 0 && (packed || sizeof(Element) == 4)))
    ++failures; // tests nothing
}

} // namespace

int main() {
  vary<PackedLif, std::uint16_t, Shared>("packed");
  vary<Lif<2>, std::int32_t, Shared>("two, shared");
  vary<Lif<2>, std::uint16_t, Shared>("two, shared, unsigned 16-bit input");
  vary<Lif<2>, std::int16_t, Shared>("two, shared, 16-bit input");
  vary<Lif<1>, std::int32_t, Shared>("one, shared");
  vary<Lif<1>, std::uint16_t, Shared>("one, shared, unsigned 16-bit input");
  vary<Lif<1>, std::int16_t, Shared>("one, shared, 16-bit input");
  vary<LifByNeuron<2>, std::int32_t, Rows>("two, by neuron");
  vary<LifByNeuron<2>, std::uint16_t, Rows>("two, by neuron, unsigned 16-bit input");
  vary<LifByNeuron<2>, std::int16_t, Rows>("two, by neuron, 16-bit input");
  vary<LifByNeuron<1>, std::int32_t, Rows>("one, by neuron");
  vary<LifByNeuron<1>, std::uint16_t, Rows>("one, by neuron, unsigned 16-bit input");
  vary<LifByNeuron<1>, std::int16_t, Rows>("one, by neuron, 16-bit input");

  return is_expected(digest, 0x8a63e381d3e1c779) && failures == 0 ? 0 : 1;
}
