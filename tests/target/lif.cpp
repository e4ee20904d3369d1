// SPDX-License-Identifier: BSL-1.0
// The native loops of CompactLif against target::Generic: random and extreme words, every position of a group spiking,
// all counts up to 70, input that is cleared and input that is only read, and long runs; and one digest of it all, the
// same on every machine.
#include <array>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/compact_lif.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/expected_digest.hpp"
#include "tests/support/lif_cells.hpp"

using namespace neuromorph;

namespace {

// Without optimisation an emulator takes long, and only calls are looked at: what the words do is the same.
#ifdef __OPTIMIZE__
constexpr bool is_optimised = true;
#else
constexpr bool is_optimised = false;
#endif
constexpr std::size_t most = 70;
int failures = 0;
Digest digest;
Sfc32 generator(StreamId{3, 1, 4});

std::int32_t word() {
  constexpr std::array<std::int32_t, 10> edges{INT32_MIN, INT32_MIN + 1, -65537, -65536,   -1, 0,
                                               1,         65535,         65536,  INT32_MAX};
  auto const drawn = static_cast<std::int32_t>(generator.next());
  return generator.next() % 4 == 0 ? edges[generator.next() % edges.size()] : drawn >> (generator.next() % 24);
}

template <class Model, class Element>
struct Cells {
  using Psp = typename Model::PspWord;
  template <class Word>
  using Words = std::array<std::array<Word, most>, Model::psp_count>;
  alignas(8) std::array<std::int32_t, most> membrane{};
  alignas(8) Words<Psp> psp{};
  alignas(8) Words<Element> input{};
  std::array<std::uint32_t, most> spikes{};
  std::array<RefractoryQueue::Entry, most> entries{};
  RefractoryQueue queue{};

  template <class Target, class Source>
  std::uint32_t step(Source const& source, std::size_t neurons, std::uint32_t step_number) {
    return step_number % 2 == 0 ? step<Target>(source, neurons, step_number, views<Element>(input))
                                : step<Target>(source, neurons, step_number, views<Element const>(input));
  }
  template <class Target, class Source, class Input>
  std::uint32_t step(Source const& source, std::size_t neurons, std::uint32_t step_number, Input in) {
    queue.entries = std::span{entries}.first(neurons);
    spikes.fill(0);
    auto const factors =
        Model::template prepare<std::is_same_v<Source, typename Model::Parameters>>(parameters_of(source), step_number);
    // counts that the compiler knows take other paths
    std::uint32_t* const end =
        neurons == 32   ? advance<Target>(std::integral_constant<std::size_t, 32>{}, source, factors, step_number, in)
        : neurons == 64 ? advance<Target>(std::integral_constant<std::size_t, 64>{}, source, factors, step_number, in)
                        : advance<Target>(neurons, source, factors, step_number, in);
    return static_cast<std::uint32_t>(end - spikes.data());
  }
  template <class Target, class Count, class Source, class Input>
  std::uint32_t* advance(Count count, Source const& source, typename Model::Factors const& factors,
                         std::uint32_t step_number, Input const& in) {
    typename Model::State state{{membrane.data(), count}, {}, &queue};
    for (std::size_t which = 0; which < Model::psp_count; ++which) state.psp[which] = {psp[which].data(), count};
    return Model::template advance<Target>(state, source, factors, in, step_number, spikes.data());
  }
  template <class Word>
  static std::array<Word*, Model::psp_count> views(Words<std::remove_const_t<Word>>& words) {
    std::array<Word*, Model::psp_count> result{};
    for (std::size_t which = 0; which < Model::psp_count; ++which) result[which] = words[which].data();
    return result;
  }
  static auto const& parameters_of(typename Model::Parameters const& source) { return source; }
  static auto const& parameters_of(auto const& source) { return source.shared; }
  /// Psps or inputs, all of a population.
  template <class Word, class Function>
  static void each(Words<Word>& words, Function function) {
    for (auto& row : words)
      for (auto& word : row) function(word);
  }
};

template <class Model, class Element, class Source>
void compare(char const* what, Cells<Model, Element>& generic, Source const& source, std::size_t neurons,
             std::uint32_t step_number) {
  auto const before = generic;
  auto native = generic;
  auto const expected = generic.template step<target::Generic>(source, neurons, step_number);
  auto const found = native.template step<target::Native>(source, neurons, step_number);
  digest.add(expected);
  for (std::size_t which = 0; which < Model::psp_count; ++which)
    for (std::size_t neuron = 0; neuron < most; ++neuron) // taken, or only read
      if (generic.input[which][neuron] != (step_number % 2 == 0 && neuron < neurons ? 0 : before.input[which][neuron]))
        ++failures;
  for (std::size_t which = 0; which < Model::psp_count; ++which)
    for (std::size_t neuron = 0; neuron < neurons; ++neuron)
      digest.add(static_cast<std::uint32_t>(generic.membrane[neuron]) ^
                 static_cast<std::uint32_t>(generic.psp[which][neuron]) << 1);
  bool const same = found == expected && native.membrane == generic.membrane && native.psp == generic.psp &&
                    native.input == generic.input && native.spikes == generic.spikes &&
                    native.queue.count == generic.queue.count && native.queue.first == generic.queue.first &&
                    native.queue.minus_next_due == generic.queue.minus_next_due &&
                    native.queue.minus_last_due == generic.queue.minus_last_due;
  if (same || ++failures > 10) return;
  std::printf("%s, %u neurons, step %lu: %lu spikes instead of %lu", what, static_cast<unsigned>(neurons),
              static_cast<unsigned long>(step_number), static_cast<unsigned long>(found),
              static_cast<unsigned long>(expected));
  for (std::size_t neuron = 0; neuron < most; ++neuron)
    if (native.membrane[neuron] != generic.membrane[neuron] || native.psp[0][neuron] != generic.psp[0][neuron]) {
      std::printf(", neuron %u: %ld %ld instead of %ld %ld", static_cast<unsigned>(neuron),
                  static_cast<long>(native.membrane[neuron]), static_cast<long>(native.psp[0][neuron]),
                  static_cast<long>(generic.membrane[neuron]), static_cast<long>(generic.psp[0][neuron]));
      break;
    }
  std::printf("\n");
}

template <class Model>
constexpr auto parameters = Model::parameters(one_tau_cell, 0.1,
                                              {0.05, 0.05, sizeof(typename Model::PspWord) == 2 ? 11 : 15}, {0.2, 20})
                                .value();

template <class Model, class Element, class Draw>
void vary(char const* what, Draw source) {
  using Psp = typename Model::PspWord;
  constexpr bool packed = sizeof(Psp) == 2;
  // anything at all in the words: wraps, all at once over threshold
  for (int turn = 0; turn < (is_optimised ? 600 : 60); ++turn) {
    Cells<Model, Element> cells;
    for (auto& one : cells.membrane) one = word();
    cells.each(cells.psp, [](Psp& one) { one = static_cast<Psp>(word()); });
    cells.each(cells.input, [](Element& one) { one = static_cast<Element>(word()); });
    std::size_t const neurons = packed ? generator.next() % (most / 2 + 1) * 2 : generator.next() % (most + 1);
    std::uint32_t const step_number = generator.next();
    compare(what, cells, source(), neurons, step_number);
  }
  // each position alone, and together with each later one
  for (std::size_t neurons : {std::size_t{2}, std::size_t{16}, std::size_t{32}, std::size_t{34}, std::size_t{64}})
    for (std::size_t first = 0; first < neurons; ++first)
      for (std::size_t second = first; second < neurons; second += 1 + generator.next() % (is_optimised ? 5 : 50)) {
        Cells<Model, Element> cells;
        cells.membrane.fill(-(1 << 25));
        cells.each(cells.psp,
                   [](Psp& one) { one = static_cast<Psp>(static_cast<std::int32_t>(generator.next() % 2000) - 1000); });
        cells.each(cells.input, [](Element& one) {
          one = static_cast<Element>(static_cast<std::int32_t>(generator.next() % 200) - 100);
        });
        for (std::size_t at : {first, second})
          cells.membrane[at] = -1, cells.psp[0][at] = static_cast<Psp>(packed ? 32000 : 1 << 24);
        std::uint32_t const step_number = generator.next();
        compare(what, cells, source(), neurons, step_number);
      }
  // a long run with spikes, refractory periods and inhibition
  Cells<Model, Element> cells;
  cells.membrane.fill(-(1 << 20));
  auto const constants = source();
  std::uint32_t waiting = 0;
  for (std::uint32_t step_number = 0xFFFFFE00U; step_number != (is_optimised ? 0x400 : 0x40); ++step_number) {
    cells.each(cells.input, [](Element& one) {
      auto const size = static_cast<std::int32_t>(generator.next() % (packed ? 4001 : 60001));
      one = static_cast<Element>(generator.next() % 4 != 0 ? 0 : size > 20000 ? 32767 : size - (packed ? 1500 : 10000));
    });
    // magnitudes; twice as much excitation
    if constexpr (Model::psp_count == 2)
      cells.each(cells.input, [&](Element& one) {
        one = static_cast<Element>((one < 0 ? -one : one) / (&one < cells.input[1].data() ? 1 : 2));
      });
    compare(what, cells, constants, most, step_number);
    waiting += cells.queue.count;
  }
  std::printf("%s: %lu refractory steps\n", what, static_cast<unsigned long>(waiting));
  if (waiting == 0) ++failures; // tests nothing then
}

/// A neuron in its refractory period is recorded at its reset potential, all others below threshold.
template <class Model>
void record(char const* what, std::uint32_t refractory) {
  using Psp = typename Model::PspWord;
  LifCell cell = one_tau_cell;
  cell.i_offset_na = 1.0, cell.t_refract_ms = 0.1 * refractory;
  auto const made = Model::parameters(cell, 0.1, {0.05, 0.05, 11}, {0.2, 20});
  if (!made) {
    ++failures;
    return;
  }
  static Cells<Model, Psp> cells;
  cells = {};
  cells.membrane.fill(made.value().reset);
  for (std::size_t which = 0; which < Model::psp_count; ++which)
    cells.psp[which].fill(Model::psp_at_rest(made.value(), 0)[which]);
  constexpr std::size_t neurons = 6;
  for (std::size_t neuron = 0; neuron < neurons; ++neuron)
    cells.membrane[neuron] /= static_cast<std::int32_t>(neuron + 1);
  std::array<std::uint32_t, neurons> waits{};
  std::uint32_t waiting = 0, wrong = 0;
  for (std::uint32_t step_number = 0; step_number < 2000; ++step_number) {
    for (auto& left : waits) left -= left == 0 ? 0U : 1U;
    std::uint32_t const fired = cells.template step<target::Native>(made.value(), neurons, step_number);
    for (std::uint32_t spike = 0; spike < fired; ++spike) waits[cells.spikes[spike]] = refractory + 1;
    typename Model::State state{{cells.membrane.data(), neurons}, {}, &cells.queue};
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      double const mv = Model::membrane_mv(made.value(), state, neuron);
      waiting += waits[neuron] != 0 ? 1U : 0U;
      bool const at_reset = mv > cell.v_reset_mv - 0.02 && mv < cell.v_reset_mv + 0.02;
      wrong += waits[neuron] != 0 ? !at_reset : !(mv >= cell.v_reset_mv - 0.02 && mv < cell.v_threshold_mv);
    }
  }
  if (waiting > 100 && wrong == 0) return;
  ++failures;
  std::printf("%s: %lu of %lu membranes in their refractory period, and others, are recorded wrongly\n", what,
              static_cast<unsigned long>(wrong), static_cast<unsigned long>(waiting));
}

std::array<std::uint32_t, most> rows;
std::array<std::int32_t, most> resets;
std::array<std::uint32_t, most> periods;

} // namespace

int main() {
  using Wide = CompactLif<>;
  using Two = CompactLif<std::int32_t, 2>;
  using Narrow = CompactLif<std::int16_t>;
  static auto const shared = [] { return parameters<Wide>; };
  vary<Wide, std::int32_t>("shared", shared);
  vary<Wide, std::int16_t>("shared, 16-bit input", shared);
  vary<Two, std::int32_t>("two time constants", [] { return parameters<Two>; });
  vary<Two, std::int16_t>("two time constants, 16-bit input", [] { return parameters<Two>; });
  vary<Narrow, std::int16_t>("packed", [] { return parameters<Narrow>; });
  auto const own = [] {
    for (std::size_t neuron = 0; neuron < most; ++neuron) {
      std::uint32_t const drawn = generator.next();
      rows[neuron] = (drawn & 0x7FFF7FFF) | 0x8000; // a decay below zero, a drift of either sign
      if (neuron % 3 == 0) rows[neuron] |= 0x80000000U;
      if (neuron % 2 == 0) { // a plausible one
        auto const row = CompactLif<>::row(shared(), one_tau_cell, 0.1);
        if (!row) ++failures;
        rows[neuron] = row.value().step;
      }
      resets[neuron] = -static_cast<std::int32_t>(generator.next() % 1000000) - 1;
      periods[neuron] = generator.next() % 100;
      if (neuron % 5 == 0) periods[neuron] += 0x20001; // put down three times
    }
    return CompactLif<>::Table{rows, resets, periods, shared()};
  };
  vary<Wide, std::int32_t>("rows", own);
  vary<Wide, std::int16_t>("rows, 16-bit input", own);

  for (std::uint32_t const steps : {1U, 20U, 500U}) {
    record<Wide>("shared", steps);
    record<Two>("two time constants", steps);
    record<Narrow>("packed", steps);
  }

  return (!is_optimised || is_expected(digest, 0xb9d5bee1bc1c6699)) && failures == 0 ? 0 : 1;
}
