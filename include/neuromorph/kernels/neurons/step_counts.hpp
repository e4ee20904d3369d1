// SPDX-License-Identifier: BSL-1.0
/// \file
/// What one step of a population did.
#ifndef NEUROMORPH_KERNELS_NEURONS_STEP_COUNTS_HPP
#define NEUROMORPH_KERNELS_NEURONS_STEP_COUNTS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

struct StepCounts {
  std::uint32_t spikes = 0;
  std::uint32_t saturations = 0; ///< sums that were held at the end of their range
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
