// SPDX-License-Identifier: BSL-1.0
// Network A: CUBA of 4 000 neurons, 10 s; drawn, or of files.
#include "measure.hpp"
#include "networks.hpp"

int main(int count, char** words) {
  return measured::program({.name = "A",
                            .describe = measured::a,
                            .seconds = 10.0,
                            .spikes = {218'700, 221'100},
                            .cv = {0.72, 0.73},
                            .goal = 0.17,
                            .from_files = measured::a_from},
                           count, words);
}
