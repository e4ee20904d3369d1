// SPDX-License-Identifier: BSL-1.0
// Rules of one's own, on the rows of 20 random sources: deferred to each source's spikes, and under a mask every 100 ms.
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

#include <neuromorph/neuromorph.hpp>

#include "rules.hpp"

namespace {

namespace nm = neuromorph;
using own_rule::Coincidence, own_rule::Forget, own_rule::Mixed;

constexpr std::uint32_t sources = 20, neurons = 32; // each source reaches each neuron
using Word = nm::SynapticWord<8, 1, 4>;
using Update = nm::DeferredUpdate<Word, Coincidence, Mixed>;
using Row = Update::Row;

struct Rows {
  std::array<std::array<std::uint32_t, Row::words(neurons, 0)>, sources> words{};
  std::span<std::uint32_t> operator()(std::uint32_t source) { return words[source]; }
};

Rows rows;
nm::TraceStore<nm::Share, neurons> history;

// The last 16 neurons forget.
using Synapses = nm::SynapseSet<sources, neurons>;
constexpr auto forgetful = nm::make_mask<Synapses::where([](auto, auto neuron) { return neuron >= 16; })>();

} // namespace

int main() {
  auto made = Update::from({.lowest = 0, .highest = 20000}, Coincidence());
  if (!made) return 1; // made.status() says what is wrong
  Update& update = made.value();
  using Weights = nm::PlasticVectors<Update, neurons, Rows>;
  nm::MaskWrapper forget(forgetful, Forget<Weights>{Weights(update, sources, rows)});

  for (std::uint32_t source = 0; source < sources; ++source) {
    auto row = Row::make(rows(source), neurons, 0).value();
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
      const auto word = Word::encode({.weight = 10000, .delay = 1 + neuron % 3, .type = 0, .index = neuron});
      if (!word || !row.append(word.value(), update.state_of(10000).value())) return 1;
    }
  }
  nm::Sfc32 random;
  for (std::uint32_t tick = 1; tick <= 2000; ++tick) {
    history.advance_to(tick);
    // The first eight sources, and every second neuron, fire together now and then; the others when they like.
    const bool is_together = nm::uniform_below(random, 50) == 0;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if (neuron % 2 == 0 ? is_together : nm::uniform_below(random, 50) == 0) update.post_spike(history, neuron, tick);
    for (std::uint32_t source = 0; source < sources; ++source)
      if (source < 8 ? is_together : nm::uniform_below(random, 50) == 0) update.pre_spike(rows(source), tick, history);
    if (tick % 100 == 0 && !forget.run()) return 1;
    if (tick % 500 == 0) {
      nm::Digest digest;
      for (const auto& row : rows.words) digest.add(std::span<const std::uint32_t>{row});
      const auto weight = [](std::uint32_t source, std::uint32_t neuron) {
        return static_cast<int>(Word::weight(Row(rows(source)).plastic()[neuron]));
      };
      std::printf("%4u ms  together %5d, one alone %5d, both alone %5d, forgetful %5d  digest %08lx%08lx\n",
                  static_cast<unsigned>(tick), weight(3, 4), weight(3, 5), weight(15, 7), weight(3, 20),
                  static_cast<unsigned long>(digest.value() >> 32),
                  static_cast<unsigned long>(digest.value() & 0xFFFFFFFF));
    }
  }
  const nm::PlasticityCounts counts = update.counts();
  std::printf("held at an end %u, history too short %u\n", unsigned(counts.held_at_highest + counts.held_at_lowest),
              unsigned(counts.truncated));
  return std::fflush(stdout) == 0 ? 0 : 1; // a full disk, too, is a failure
}
