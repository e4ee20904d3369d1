// SPDX-License-Identifier: BSL-1.0
// The native step of Izhikevich's neurons and of those with conductances, for which backends have loops, against
// target::Generic: words at the ends of their range, every position spiking, psps that are held, all counts up to 70,
// constants and columns that no loop is for; and one digest of it all, the same on every machine.
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/expected_digest.hpp"

using namespace neuromorph;

namespace {

constexpr std::size_t most = 70, guard = 4; // and untouched words around everything
int failures = 0;
Digest digest;
Sfc32 generator(StreamId{7, 1, 9});

std::uint32_t below(std::uint32_t bound) { return generator.next() % bound; }
std::int32_t word() {
  constexpr std::array<std::int32_t, 12> edges{INT32_MIN, INT32_MIN + 1, -65537,        -65536,    -1,           0, 1,
                                               65535,     65536,         INT32_MAX / 2, INT32_MAX, INT32_MAX - 1};
  const auto drawn = static_cast<std::int32_t>(generator.next());
  return below(4) == 0 ? edges[below(edges.size())] : drawn >> below(24);
}
std::int32_t magnitude() {
  const std::int32_t drawn = word();
  return drawn < 0 ? ~drawn : drawn;
}

template <class Model, class Element>
struct Cells {
  static constexpr std::size_t size = most + 2 * guard, receptors = Model::receptors;
  std::array<std::array<std::int32_t, size>, Model::word_count + 1> words{}; // the last one is for a gap
  std::array<std::array<Element, size>, receptors> input{};
  std::array<std::uint32_t, size> spikes{};
  StepCounts counts;
  bool has_gap = false; // behind the first column

  auto& column(std::size_t which) { return words[has_gap && which != 0 ? which + 1 : which]; }

  template <class Target>
  void step(const typename Model::Constants& constants, std::size_t neurons, std::uint32_t step_number) {
    typename Model::Columns columns{};
    for (std::size_t which = 0; which < Model::word_count; ++which) columns.words[which] = column(which).data() + guard;
    std::array<Element*, receptors> sums{};
    for (std::size_t which = 0; which < receptors; ++which) sums[which] = input[which].data() + guard;
    counts = Model::template step<Target>(columns, neurons, constants, sums, step_number, spikes.data() + guard);
  }
};

template <class Model, class Element>
void compare(const char* what, Cells<Model, Element>& generic, const typename Model::Constants& constants,
             std::size_t neurons, std::uint32_t step_number) {
  static Cells<Model, Element> native;
  native = generic;
  generic.template step<target::Generic>(constants, neurons, step_number);
  native.template step<target::Native>(constants, neurons, step_number);
  digest.add(generic.counts.spikes), digest.add(generic.counts.saturations);
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
    std::uint32_t mixed = 0;
    for (const auto& column : generic.words) mixed = (mixed + static_cast<std::uint32_t>(column[guard + neuron])) * 5;
    digest.add(mixed);
  }
  bool same = native.counts.spikes == generic.counts.spikes &&
              native.counts.saturations == generic.counts.saturations && native.words == generic.words &&
              native.input == generic.input;
  for (std::size_t at = 0; at < generic.counts.spikes; ++at)
    same = same && native.spikes[guard + at] == generic.spikes[guard + at];
  for (std::size_t at = 0; at < guard; ++at)
    same = same && native.spikes[at] == generic.spikes[at] &&
           native.spikes[guard + neurons + at] == generic.spikes[guard + neurons + at];
  native.spikes = generic.spikes;
  if (same || ++failures > 10) return;
  std::printf("%s, %u neurons, step %lu: %lu spikes, %lu saturations instead of %lu, %lu\n", what,
              static_cast<unsigned>(neurons), static_cast<unsigned long>(step_number),
              static_cast<unsigned long>(native.counts.spikes), static_cast<unsigned long>(native.counts.saturations),
              static_cast<unsigned long>(generic.counts.spikes),
              static_cast<unsigned long>(generic.counts.saturations));
}

/// \param draw_constants  changes them, so that each may be at its ends
/// \param draw_words      of a neuron: those that are neither the membrane nor psps
template <class Model, class Element>
void vary(const char* what, const typename Model::Made& usual, auto draw_constants, auto draw_words) {
  static Cells<Model, Element> cells;
  constexpr auto places = place_of<Model>;
  constexpr std::int32_t largest = sizeof(Element) == 4 ? 0x3FFFFFFF : 0x7FFF;
  const auto draw = [&](std::uint32_t spikes) {
    cells = {};
    cells.has_gap = below(8) == 0;
    for (std::size_t at = 0; at < cells.size; ++at) {
      for (auto& column : cells.words) column[at] = draw_words();
      cells.words[places.membrane.v][at] =
          below(spikes) == 0 ? -1 - static_cast<std::int32_t>(below(99)) : word() | INT32_MIN;
      for (const std::size_t psp : places.synapses) cells.column(psp)[at] = magnitude();
    }
  };
  for (std::uint32_t turn = 0; turn < 300; ++turn) {
    draw(3);
    const std::uint32_t rare = 1 + below(4);
    for (auto& column : cells.input)
      for (auto& one : column) one = static_cast<Element>(below(rare) == 0 ? magnitude() & largest : below(100));
    auto constants = usual.constants;
    draw_constants(constants);
    for (auto& shift : constants.synapses.shared.input_shift)
      shift = static_cast<std::uint8_t>(below(turn % 5 * 6 + 1));
    compare(what, cells, constants, turn % (most + 1), generator.next());
  }
  // Each position alone, and with each later one.
  for (const std::size_t neurons : {2U, 16U, 33U, 64U})
    for (std::size_t one = 0; one < neurons; ++one)
      for (std::size_t other = one; other < neurons; other += 1 + below(7)) {
        cells = {};
        for (auto& v : cells.words[places.membrane.v]) v = usual.initial.membrane.v;
        for (const std::size_t at : {one, other}) {
          cells.words[places.membrane.v][guard + at] = -1;
          cells.words[places.synapses[0]][guard + at] = below(2) == 0 ? INT32_MAX : 1 << 29;
          if (below(2) == 0) cells.input[0][guard + at] = static_cast<Element>(largest);
        }
        compare(what, cells, usual.constants, neurons, generator.next());
        if (cells.counts.spikes != (one == other ? 1U : 2U)) ++failures;
      }
  // A long run of all of them.
  cells = {};
  for (std::size_t which = 0; which < Model::word_count; ++which) {
    std::array<std::int32_t, Model::word_count> initial{};
    Model::words_of(usual.initial, initial);
    cells.words[which].fill(initial[which]);
  }
  std::uint32_t spikes = 0, saturations = 0;
  for (std::uint32_t step_number = 0xFFFFFF00U; step_number != 0x300; ++step_number) {
    for (std::size_t which = 0; which < Model::receptors; ++which) // four times as much excitation
      for (auto& one : cells.input[which])
        if (below(20) == 0) one = static_cast<Element>(below(1U << 14) >> 2 * which);
    if (step_number % 64 < 4) cells.input[0][guard + step_number / 64 % most] = static_cast<Element>(largest);
    compare(what, cells, usual.constants, most, step_number);
    spikes += cells.counts.spikes, saturations += cells.counts.saturations;
  }
  std::printf("%s: %lu spikes, %lu saturations\n", what, static_cast<unsigned long>(spikes),
              static_cast<unsigned long>(saturations));
  if (spikes == 0 || (saturations == 0 && sizeof(Element) == 4)) ++failures; // tests nothing
}

void izhikevich() {
  using Model = Neuron<membrane::Izhikevich, synapse::Exponential<2>, rounding::Nearest>;
  constexpr std::array<ReceptorWeights, 2> weights{ReceptorWeights{.largest = 4.0, .bits = 14},
                                                   ReceptorWeights{.largest = 4.0, .bits = 14}};
  constexpr auto made = [=](double dt) {
    return Model::make({.membrane = {.i_offset = 4.0},
                        .synapses = {{5.0, 10.0}, weights},
                        .threshold = {30.0},
                        .reset = {-65.0}},
                       dt)
        .value();
  };
  constexpr Model::Made usual = made(0.1), slow = made(1.0);
  static_assert(usual.constants.membrane.shared.rise_shift == 2 && slow.constants.membrane.shared.rise_shift != 2);
  const auto constants = [](Model::Constants& to) {
    if (below(3) == 0) return;
    auto& own = to.membrane;
    own.quadratic = word(), own.slope = word(), own.drift = word() >> below(3), own.sensitivity = word();
    own.recovery = word(), own.level = word(), own.spread = word() >> 8, own.after_spike = word();
    for (std::size_t which = 0; which < 2; ++which)
      to.synapses[which] = -static_cast<std::int32_t>(generator.next() >> (1 + below(16)));
    if (below(8) == 0) to.synapses.shared.psp_shift = static_cast<std::uint8_t>(2 + below(4));
  };
  vary<Model, std::int32_t>("Izhikevich", usual, constants, word);
  vary<Model, std::int16_t>("Izhikevich, 16-bit input", usual, constants, word);
  vary<Model, std::int32_t>("Izhikevich, long steps", slow, constants, word);
}

void conductances() {
  using Model = pynn::IfCondExp;
  constexpr std::array<ReceptorWeights, 2> weights{ReceptorWeights{.largest = 0.02, .bits = 14},
                                                   ReceptorWeights{.largest = 0.02, .bits = 14}};
  constexpr auto usual =
      Model::make(
          {.membrane = {.c_nf = 0.25, .i_offset_na = 0.2}, .synapses = {{5.0, 10.0}, weights}, .input = {{0.0, -80.0}}},
          0.1)
          .value();
  const auto constants = [](Model::Constants& to) {
    if (below(3) == 0) return;
    to.membrane.decay = -static_cast<std::int32_t>(generator.next() >> (1 + below(16)));
    to.membrane.drift = word(), to.input[0] = word(), to.input[1] = word();
    for (std::size_t which = 0; which < 2; ++which)
      to.synapses[which] = -static_cast<std::int32_t>(generator.next() >> (1 + below(16)));
    to.refractory.steps = static_cast<std::int32_t>(below(3));
  };
  const auto left = [] { return below(2) == 0 ? 0 : static_cast<std::int32_t>(below(4)); };
  vary<Model, std::int32_t>("conductances", usual, constants, left);
  vary<Model, std::int16_t>("conductances, 16-bit input", usual, constants, left);
}

} // namespace

int main() {
  izhikevich();
  conductances();
  return is_expected(digest, 0x000093dc577b923d) && failures == 0 ? 0 : 1;
}
