// SPDX-License-Identifier: BSL-1.0
// Network D: 10 000 of the neurons of A without synapses, 1 s.
#include "measure.hpp"
#include "networks.hpp"

int main(int count, char** words) {
  return measured::program(
      {.name = "D", .describe = measured::d, .seconds = 1.0, .spikes = {188'100, 190'000}, .cv = {}, .goal = 0.036},
      count, words);
}
