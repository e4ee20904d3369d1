// SPDX-License-Identifier: BSL-1.0
// One digest of what the kernels compute, the same on every machine: run on the host, with each vector backend, and on
// the emulated ARM cores. A change of the number below is a change of results and belongs into CHANGELOG.md.
#include <array>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <neuromorph/neuromorph.hpp>

#include "tests/support/expected_digest.hpp"
#include "tests/support/lif_cells.hpp"

using namespace neuromorph;

namespace {

constexpr std::size_t neurons = 203; // no multiple of any vector's length
using Word = SynapticWord<8, 1, 4>;

constexpr LifCell cell{.tau_m_ms = 20.0,
                       .tau_exc_ms = 5.0,
                       .tau_inh_ms = 10.0,
                       .c_m_nf = 0.2,
                       .v_rest_mv = -60.0,
                       .v_reset_mv = -65.0,
                       .v_threshold_mv = -50.0,
                       .t_refract_ms = 2.0,
                       .i_offset_na = 0.25};

RingBuffer<Word> ring;
RingBuffer<Word, std::uint16_t> narrow_ring;

/// A recurrent network under random input for a few hundred steps; the digest of all state of every step.
template <class Model, class Ring>
void run(Ring& delay_line, const LifCell& of, Digest& digest) {
  constexpr LifWeights weights =
      std::is_same_v<Model, PackedLif> ? LifWeights{0.2, 0.1, 12} : LifWeights{0.5, 0.2, Word::weight_bits};
  static Population<Model, neurons> population(made_of<Model>(of, 0.1, weights).value());
  Sfc32 random(StreamId{1, 2, 3});
  for (auto& word : population.words(place_of<Model>.membrane.v)) word = uniform_between(random, -60000000, -1);
  std::uint32_t spikes = 0;
  for (std::uint32_t step_number = 0xFFFFFF00U; step_number != 0x200; ++step_number) {
    const auto fired = population.step(delay_line, step_number);
    spikes += static_cast<std::uint32_t>(fired.size());
    for (std::size_t spike = 0; spike < fired.size() + 12; ++spike) {
      std::array<std::uint32_t, 21> row{};
      for (auto& word : row)
        word = Word::encode({static_cast<std::int32_t>(random.next() % 60000), 1 + random.next() % 16,
                             random.next() % 2, uniform_below(random, neurons)})
                   .value();
      add_row(delay_line, row, step_number);
    }
    for (std::size_t place = 0; place < Model::word_count; ++place)
      digest.add(std::span<const std::int32_t>{population.words(place)});
    digest.add(spikes);
  }
  digest.add(delay_line.elements());
  digest.add(delay_line.saturations());
  digest.add(population.saturations());
  std::printf("%lu spikes, %lu ring and %lu psp saturations\n", static_cast<unsigned long>(spikes),
              static_cast<unsigned long>(delay_line.saturations()),
              static_cast<unsigned long>(population.saturations()));
}

template <class Source>
void draw(Digest& digest) {
  Source source(StreamId{5, 6, 7});
  std::array<std::uint32_t, 101> words{};
  source.fill(words);
  digest.add(std::span<const std::uint32_t>{words});
}

} // namespace

int main() {
  Digest digest;
  LifCell one_tau = cell;
  one_tau.tau_inh_ms = one_tau.tau_exc_ms;
  run<Lif<2>>(ring, cell, digest);
  run<Lif<2, rounding::Nearest>>(narrow_ring, cell, digest);
  ring = {};
  run<Lif<1>>(ring, one_tau, digest);
  narrow_ring = {};
  run<Lif<1, rounding::Nearest>>(narrow_ring, one_tau, digest);
  narrow_ring = {};
  run<PackedLif>(narrow_ring, cell, digest);
  draw<Jkiss64>(digest), draw<Kiss32>(digest), draw<Sfc32>(digest), draw<Philox>(digest);

  return is_expected(digest, 0x376481690833fdd1) ? 0 : 1;
}
