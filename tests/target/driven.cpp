// SPDX-License-Identifier: BSL-1.0
// The native loop of neurons whose psps carry the constant drive against target::Generic: random and extreme words, every
// position spiking, psps that are held, all counts up to 70, long runs; and one digest of it all, the same on every
// machine.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/expected_digest.hpp"

using namespace neuromorph;

namespace {

constexpr std::size_t most = 70, guard = 4; // and untouched words around everything
int failures = 0;
Digest digest;
Sfc32 generator(StreamId{6, 2, 8});

std::uint32_t below(std::uint32_t bound) { return generator.next() % bound; }
std::int32_t word() {
  constexpr std::array<std::int32_t, 12> edges{INT32_MIN, INT32_MIN + 1, -65537,        -65536,    -1,           0, 1,
                                               65535,     65536,         INT32_MAX / 2, INT32_MAX, INT32_MAX - 1};
  const auto drawn = static_cast<std::int32_t>(generator.next());
  return below(4) == 0 ? edges[below(edges.size())] : drawn >> below(24);
}

template <class Model, class Element>
struct Cells {
  static constexpr std::size_t size = most + 2 * guard, receptors = Model::receptors;
  std::array<std::int32_t, size> membrane{};
  std::array<std::array<std::int32_t, size>, receptors> psp{};
  std::array<std::array<Element, size>, receptors> input{};
  std::array<std::uint32_t, size> spikes{};
  std::array<RefractoryQueue::Entry, most> entries{};
  RefractoryQueue queue{};
  StepCounts counts;

  /// \tparam known  a count that the compiler knows enters its loop by another place
  template <class Target, std::size_t known = 0>
  void step(const typename Model::Constants& constants, std::size_t neurons, std::uint32_t step_number) {
    queue.entries = std::span{entries}.first(neurons);
    typename Model::Columns columns{};
    columns.words[0] = membrane.data() + guard;
    std::array<Element*, receptors> sums{};
    for (std::size_t which = 0; which < receptors; ++which) {
      columns.words[1 + which] = psp[which].data() + guard;
      sums[which] = input[which].data() + guard;
    }
    columns.queue = &queue;
    if constexpr (known != 0)
      counts = Model::template step<Target>(columns, known, constants, sums, step_number, spikes.data() + guard);
    else
      counts = Model::template step<Target>(columns, neurons, constants, sums, step_number, spikes.data() + guard);
  }
  template <class Target, std::size_t... known>
  bool step_known(const typename Model::Constants& constants, std::size_t neurons, std::uint32_t step_number) {
    return (... || (neurons == known && (step<Target, known>(constants, neurons, step_number), true)));
  }
};

template <class Model, class Element>
void compare(const char* what, Cells<Model, Element>& generic, const typename Model::Constants& constants,
             std::size_t neurons, std::uint32_t step_number) {
  static Cells<Model, Element> before, native;
  before = generic;
  generic.template step<target::Generic>(constants, neurons, step_number);
  digest.add(generic.counts.spikes), digest.add(generic.counts.saturations);
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
    std::uint32_t mixed = static_cast<std::uint32_t>(generic.membrane[guard + neuron]) * 3;
    for (const auto& column : generic.psp) mixed = (mixed + static_cast<std::uint32_t>(column[guard + neuron])) * 5;
    digest.add(mixed);
  }
  for (const bool is_known : {false, true}) {
    native = before;
    if (!is_known)
      native.template step<target::Native>(constants, neurons, step_number);
    else if (!native.template step_known<target::Native, 1, 15, 16, 17, 31, 32, 33, 36, 47, 48, 49, 63, 64, 65, 70>(
                 constants, neurons, step_number))
      return;
    bool same = native.counts.spikes == generic.counts.spikes &&
                native.counts.saturations == generic.counts.saturations && native.membrane == generic.membrane &&
                native.psp == generic.psp && native.input == generic.input &&
                native.queue.count == generic.queue.count && native.queue.first == generic.queue.first &&
                native.queue.minus_next_due == generic.queue.minus_next_due;
    for (std::size_t at = 0; at < generic.counts.spikes; ++at)
      same = same && native.spikes[guard + at] == generic.spikes[guard + at];
    for (std::size_t at = 0; at < guard; ++at)
      same = same && native.spikes[at] == generic.spikes[at] &&
             native.spikes[guard + neurons + at] == generic.spikes[guard + neurons + at];
    if (same || ++failures > 10) continue;
    std::printf("%s, %u neurons%s, step %lu: %lu spikes, %lu saturations instead of %lu, %lu\n", what,
                static_cast<unsigned>(neurons), is_known ? ", known" : "", static_cast<unsigned long>(step_number),
                static_cast<unsigned long>(native.counts.spikes), static_cast<unsigned long>(native.counts.saturations),
                static_cast<unsigned long>(generic.counts.spikes),
                static_cast<unsigned long>(generic.counts.saturations));
  }
}

template <class Model>
constexpr typename Model::Made made(unsigned bits, double period_ms = 2.0) {
  typename Model::Parameters given{.membrane = {.c_nf = 0.25, .i_offset_na = 0.1}, .refractory = {period_ms}};
  for (std::size_t which = 0; which < Model::receptors; ++which) {
    given.synapses.tau_ms[which] = 5.0 + 5.0 * static_cast<double>(which);
    given.synapses.weights[which] = {.largest = 0.1, .bits = bits};
  }
  return Model::make(given, 0.1).value();
}

template <class Model, class Element>
void vary(const char* what) {
  constexpr typename Model::Made usual = made<Model>(sizeof(Element) == 4 ? 18 : 14);
  static Cells<Model, Element> cells;
  const auto arriving = [](std::int32_t drawn) {
    if (Model::receptors == 2 && drawn < 0) drawn = ~drawn;
    return static_cast<Element>(sizeof(Element) == 4 ? drawn / 2 : drawn);
  };
  for (int turn = 0; turn < 500; ++turn) {
    cells = {};
    for (auto& one : cells.membrane)
      one = below(3) == 0 ? -1 - static_cast<std::int32_t>(below(99)) : word() | INT32_MIN;
    for (auto& column : cells.psp)
      for (auto& one : column) one = word();
    const std::uint32_t rare = 1 + below(4);
    for (auto& column : cells.input)
      for (auto& one : column) one = below(rare) == 0 ? arriving(word()) : static_cast<Element>(below(100));
    auto constants = usual.constants;
    constants.membrane.decay = -static_cast<std::int32_t>(generator.next() >> (1 + below(16)));
    for (std::size_t which = 0; which < Model::receptors; ++which) {
      constants.synapses[2 * which] = static_cast<std::int32_t>(generator.next() >> 1) & 0x7FFEFFFF;
      // a drive within its range: 2 (q + P f / 2^16) leaves 32 bits with no P
      const std::int64_t most_q8 = std::int64_t{0x7FFF - (constants.synapses[2 * which] >> 16)} << 22;
      constants.synapses[2 * which + 1] =
          static_cast<std::int32_t>(std::clamp<std::int64_t>(word() / 8, -most_q8, most_q8));
    }
    compare(what, cells, constants, static_cast<std::size_t>(turn) % (most + 1), generator.next());
  }
  // Each position alone, and with each later one.
  for (const std::size_t neurons : {2U, 16U, 32U, 33U, 36U, 49U, 64U, 70U})
    for (std::size_t one = 0; one < neurons; ++one)
      for (std::size_t other = one; other < neurons; other += 1 + below(7)) {
        cells = {};
        cells.membrane.fill(-(1 << 28));
        for (const std::size_t at : {one, other}) {
          cells.membrane[guard + at] = -1;
          cells.psp[0][guard + at] = below(2) == 0 ? INT32_MAX : 1 << 29;
          if (below(2) == 0) cells.input[0][guard + at] = static_cast<Element>(0x3FFFFFFF);
        }
        compare(what, cells, usual.constants, neurons, generator.next());
      }
  // Long runs of all of them; of the second, neurons wait for longer than they lie down.
  constexpr typename Model::Made patient = made<Model>(sizeof(Element) == 4 ? 18 : 14, 25.0);
  static_assert(patient.constants.refractory.again != 0);
  std::uint32_t spikes = 0, saturations = 0;
  for (const typename Model::Constants& constants : {usual.constants, patient.constants}) {
    cells = {};
    cells.membrane.fill(usual.initial.membrane.v);
    for (std::uint32_t step_number = 0xFFFFFF00U; step_number != 0x200; ++step_number) {
      const std::uint32_t range = sizeof(Element) == 4 ? 1U << 18 : 1U << 14;
      for (std::size_t which = 0; which < Model::receptors; ++which) // four times as much excitation
        for (auto& one : cells.input[which])
          if (below(8) == 0)
            one =
                arriving((static_cast<std::int32_t>(below(range)) - static_cast<std::int32_t>(range / 4)) >> 2 * which);
      if (sizeof(Element) == 4 && step_number % 64 < 4)
        cells.input[0][guard + step_number / 64 % most] = static_cast<Element>(0x3FFFFFFF);
      compare(what, cells, constants, most, step_number);
      spikes += cells.counts.spikes, saturations += cells.counts.saturations;
    }
  }
  std::printf("%s: %lu spikes, %lu saturations\n", what, static_cast<unsigned long>(spikes),
              static_cast<unsigned long>(saturations));
  if (spikes == 0 || (saturations == 0 && sizeof(Element) == 4)) ++failures; // tests nothing
}

} // namespace

int main() {
  using One = Neuron<membrane::Lif, synapse::Driven<1>, refractory::InQueue>;
  using Two = Neuron<membrane::Lif, synapse::Driven<2, 9>, refractory::InQueue>;
  vary<One, std::int32_t>("one");
  vary<One, std::int16_t>("one, 16-bit input");
  vary<Two, std::int32_t>("two");
  vary<Two, std::int16_t>("two, 16-bit input");
  return is_expected(digest, 0x10d8b5ea97add02d) && failures == 0 ? 0 : 1;
}
