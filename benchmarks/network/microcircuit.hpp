// SPDX-License-Identifier: BSL-1.0
// The cortical microcircuit, and the rates between which it is expected.
#ifndef BENCHMARKS_NETWORK_MICROCIRCUIT_HPP
#define BENCHMARKS_NETWORK_MICROCIRCUIT_HPP

#include <algorithm>
#include <vector>

#include "../../examples/microcircuit/network.hpp"
#include "measure.hpp"

namespace measured {

/// Of each population, from a tenth below the least published rate to a tenth above the greatest: as far apart as networks drawn
/// anew are.
inline std::vector<Range> published() {
  std::vector<Range> ranges;
  for (const auto& runs : microcircuit::published_hz)
    ranges.push_back(
        {0.9 * *std::min_element(runs.begin(), runs.end()), 1.1 * *std::max_element(runs.begin(), runs.end())});
  return ranges;
}

} // namespace measured

#endif
