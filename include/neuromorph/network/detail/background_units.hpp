// SPDX-License-Identifier: BSL-1.0
/// \file
/// The weight of an event of the background in units of its receptor, for who adds it and who reports on it.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_BACKGROUND_UNITS_HPP
#define NEUROMORPH_NETWORK_DETAIL_BACKGROUND_UNITS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// \param which  background of the population
/// \errors `where` is which: type_out_of_range: receptor; weight_out_of_range: the weight is no finite number, leaves the sum of a
///         step, or is negative where weights have no sign; weight_vanishes
[[nodiscard]] inline Result<std::int32_t> background_units(const Population& population, std::uint32_t which) {
  const Background& given = population.background[which];
  if (given.receptor >= population.units_per_one.size())
    return Status{Error::type_out_of_range, which, given.receptor, "receptor"};
  const std::int64_t units = neuromorph::detail::to_fixed(given.weight * population.units_per_one[given.receptor], 0);
  const std::int64_t most = population.input_bits == 16 ? 0xFFFF : 1 << 22;
  if (!neuromorph::detail::is_finite(given.weight) || units > most ||
      units < (population.has_signed_weights ? -most : 0))
    return Status{Error::weight_out_of_range, which, given.weight, "weight"};
  if (units == 0 && given.weight != 0.0) return Status{Error::weight_vanishes, which, given.weight, "weight"};
  return static_cast<std::int32_t>(units);
}

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
