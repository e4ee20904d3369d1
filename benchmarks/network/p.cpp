// SPDX-License-Identifier: BSL-1.0
// Network P: 10 000 neurons, each with Poisson input of its own, 1 s.
#include "measure.hpp"
#include "networks.hpp"

int main(int count, char** words) {
  return measured::program(
      {.name = "P", .describe = measured::p, .seconds = 1.0, .spikes = {}, .cv = {}, .goal = 0.075}, count, words);
}
