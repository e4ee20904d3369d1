// SPDX-License-Identifier: BSL-1.0
// Prints the table of docs/synapses.md on formats of words.
#include <cstdint>
#include <cstdio>

#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

namespace {

template <unsigned index, unsigned type, unsigned delay>
void format() {
  using Word = SynapticWord<index, type, delay>;
  static RingBuffer<Word> words;
  static RingBuffer<Word, std::uint16_t> halves;
  std::printf("| `SynapticWord<%u, %u, %u>` | %zu | 1 to %zu | %u bits | %zu KB / %zu KB |\n", index, type, delay,
              words.neurons, words.slots, Word::weight_bits, words.elements().size_bytes() / 1024,
              halves.elements().size_bytes() / 1024);
}

} // namespace

int main() {
  std::printf(
      "| format | neurons | delays | weight | ring buffer, 32-bit / 16-bit elements |\n|---|---|---|---|---|\n");
  format<8, 1, 4>();
  format<10, 1, 4>();
  format<12, 1, 3>();
  return 0;
}
