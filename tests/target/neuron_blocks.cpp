// SPDX-License-Identifier: BSL-1.0
// Blocks of LIF neurons as an engine steps them, many steps one after another: any number of neurons, at any place of larger
// arrays. Each backend of this machine against target::Generic; what lies beside a block stays as it is.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/lif_cells.hpp"

using namespace neuromorph;

namespace {

constexpr std::size_t most = 260, beside = 20, size = most + 2 * beside;
int failures = 0;
Sfc32 generator(StreamId{3, 1, 4});

std::uint32_t below(std::uint32_t bound) { return generator.next() % bound; }
bool is_one_of(std::uint32_t many) { return below(many) == 0; }

/// Columns and inputs, with what lies beside them.
template <class Model>
struct Memory {
  std::array<std::array<std::int32_t, size>, Model::word_count> words{};
  std::array<std::array<std::uint16_t, size>, 2> input{};
  std::array<std::uint32_t, size> spikes{};
  StepCounts counts;

  /// \param places  where each of the arrays begins, in elements
  template <class Target>
  void step(const typename Model::Constants& constants, std::size_t count, const std::array<std::size_t, 6>& places,
            std::uint32_t step_number) {
    typename Model::Columns columns{};
    for (std::size_t word = 0; word < Model::word_count; ++word)
      columns.words[word] = words[word].data() + places[word];
    const std::array inputs{input[0].data() + places[3], input[1].data() + places[4]};
    counts = Model::template step<Target>(columns, count, constants, inputs, step_number, spikes.data() + places[5]);
  }
  /// What is behind the list of spikes is of no account.
  [[nodiscard]] bool is_as(const Memory& other, std::size_t count, std::size_t first_spike) const {
    const auto begin = spikes.begin() + static_cast<std::ptrdiff_t>(first_spike);
    const auto other_begin = other.spikes.begin() + static_cast<std::ptrdiff_t>(first_spike);
    const auto all = static_cast<std::ptrdiff_t>(count);
    return words == other.words && input == other.input && counts.spikes == other.counts.spikes &&
           counts.saturations == other.counts.saturations &&
           std::equal(begin, begin + static_cast<std::ptrdiff_t>(counts.spikes), other_begin) &&
           std::equal(spikes.begin(), begin, other.spikes.begin()) &&
           std::equal(begin + all, spikes.end(), other_begin + all);
  }
};

/// What happens to a block between two steps: nothing, little, a burst, or words of any size.
template <class Model>
void disturb(Memory<Model>& memory, std::uint32_t kind) {
  constexpr bool is_packed = Model::Synapses::input_in_pairs;
  if (kind == 0) return;
  for (auto& receptor : memory.input)
    for (auto& sum : receptor)
      if (kind == 2 || is_one_of(12)) sum = static_cast<std::uint16_t>(is_one_of(9) ? generator.next() : below(300));
  if (kind != 3) return;
  for (std::size_t which = 0; which < Model::word_count; ++which)
    for (auto& word : memory.words[which]) {
      if (!is_one_of(20)) continue;
      const auto drawn = static_cast<std::int32_t>(generator.next());
      word = which != 0 && !is_packed ? drawn & 0x7FFFFFFF : drawn >> below(32); // psps of Lif are not negative
    }
}

template <class Model, class... Targets>
void run(const char* model, std::type_identity<Targets>... /*backends*/) {
  const bool is_packed = Model::Synapses::input_in_pairs;
  const auto made = made_of<Model>(one_tau_cell, 0.1, is_packed ? LifWeights{0.2, 0.1, 12} : LifWeights{0.5, 0.5, 16});
  static Memory<Model> generic, before, other;
  std::uint32_t spikes = 0, saturations = 0, waiting = 0;
  for (std::size_t turn = 1; turn <= 100; ++turn) {
    const std::size_t count = turn <= 70 ? turn : 71 + below(most - 70); // beyond 128, several passes of any loop
    std::array<std::size_t, 6> places{};
    for (std::size_t& place : places) place = beside - below(18);
    generic = {};
    for (auto& word : generic.words[0]) word = -static_cast<std::int32_t>(1 + below(1U << 26));
    std::uint32_t step_number = generator.next();
    for (std::uint32_t step = 0; step < 24; ++step, ++step_number) {
      disturb(generic, turn % 3 == 0 ? 0 : step % 4);
      before = generic;
      generic.template step<target::Generic>(made.value().constants, count, places, step_number);
      spikes += generic.counts.spikes, saturations += generic.counts.saturations;
      for (std::size_t neuron = 0; neuron < count; ++neuron)
        waiting += generic.words[0][places[0] + neuron] >= 0 ? 1U : 0U;
      const auto compare = [&]<class Target>(std::type_identity<Target> /*backend*/, int backend) {
        other = before;
        other.template step<Target>(made.value().constants, count, places, step_number);
        if (!other.is_as(generic, count, places[5]) && ++failures < 10)
          std::printf("%s, backend %d, %u neurons, step %lu: %lu spikes, %lu saturations instead of %lu, %lu\n", model,
                      backend, static_cast<unsigned>(count), static_cast<unsigned long>(step_number),
                      static_cast<unsigned long>(other.counts.spikes),
                      static_cast<unsigned long>(other.counts.saturations),
                      static_cast<unsigned long>(generic.counts.spikes),
                      static_cast<unsigned long>(generic.counts.saturations));
      };
      int backend = 0;
      (compare(std::type_identity<Targets>{}, backend++), ...);
    }
  }
  std::printf("%s: %lu spikes, %lu steps of waiting, %lu saturations\n", model, static_cast<unsigned long>(spikes),
              static_cast<unsigned long>(waiting), static_cast<unsigned long>(saturations));
  if (spikes == 0 || waiting == 0 || saturations == 0) ++failures; // tests nothing
}
template <class Model>
void run_all(const char* model) {
  run<Model>(model, std::type_identity<target::Native>{}
#if defined(__AVX512VNNI__)
             ,
             std::type_identity<target::Avx2>{}
#endif
#if defined(__AVX2__)
             ,
             std::type_identity<target::Sse41>{}
#endif
  );
}

} // namespace

int main() {
  run_all<PackedLif>("packed");
  run_all<Lif<2>>("two");
  run_all<Lif<1>>("one");
  return failures == 0 ? 0 : 1;
}
