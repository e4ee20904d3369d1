// SPDX-License-Identifier: BSL-1.0
/// \file
/// Input of each neuron's own that comes from no row: events that were drawn or counted, times a weight, added to sums.
///
/// For sums of your own; a Population has the same for its ring buffer.
#ifndef NEUROMORPH_KERNELS_NEURONS_BACKGROUND_HPP
#define NEUROMORPH_KERNELS_NEURONS_BACKGROUND_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/overflow.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Adds to each sum as many weights as its count says. A sum that would leave the range of input, that is its type's, or of
/// 32 bits +-(2^30 - 1), is held there. Where a count is 0 the sum stays as it is.
///
/// \tparam Element  std::int32_t, std::int16_t or std::uint16_t, as a RingBuffer has them
/// \param sums      as many as there are counts
/// \param weight    one event; negative where weights have a sign, or to take away
/// \returns how many were held
template <class Target = target::Native, class Element>
constexpr std::uint32_t add_events(Element* sums, std::span<const std::uint8_t> counts, std::int32_t weight) noexcept {
  static_assert(std::is_same_v<Element, std::int32_t> || std::is_same_v<Element, std::int16_t> ||
                    std::is_same_v<Element, std::uint16_t>,
                "neuromorph: sums of input are of std::int32_t, std::int16_t or std::uint16_t; see docs/neurons.md");
  std::size_t at = 0, held = 0;
  constexpr bool is_callable = requires {
    target::Begun{Target::add_counts(sums, counts.data(), counts.size(), weight)};
  };
  if constexpr (detail::has_loop<Target, offer::AddCounts, is_callable>()) {
    if (!std::is_constant_evaluated()) {
      const target::Begun begun = Target::add_counts(sums, counts.data(), counts.size(), weight);
      at = begun.done, held = begun.found;
    }
  }
  constexpr std::int64_t most = sizeof(Element) == 4 ? (std::int64_t{1} << 30) - 1 : overflow::highest<Element>;
  constexpr std::int64_t least = sizeof(Element) == 4 ? -most : overflow::lowest<Element>;
  for (; at < counts.size(); ++at) {
    // To skip a sum saves its load and store; but a machine with a cache also guesses branches, and those on random counts
    // wrongly.
    if constexpr (!Target::has_cache)
      if (counts[at] == 0) continue;
    std::int64_t sum = sums[at] + std::int64_t{weight} * counts[at];
    if (sum > most || sum < least) [[unlikely]] {
      if (counts[at] == 0) continue;
      sum = sum > most ? most : least;
      ++held;
    }
    sums[at] = static_cast<Element>(sum);
  }
  return static_cast<std::uint32_t>(held);
}

/// Adds to each sum as many weights as the table draws for it. What is drawn is what one `fill` of as many values would give,
/// so a split at multiples of the table's `block_values` changes nothing.
///
/// \param sums    [count]
/// \param table   of counts: `fill(source, bytes)`, as the tables of kernels/random/ have it; see docs/sources.md. One
///                without `block_values` is asked for 64 at a time
/// \param source  drawn from in the order of sums, whatever the backend
/// \param weight  as of add_events
/// \returns how many were held
/// \cost   a byte drawn and added per sum; a block of values on the stack
template <class Target = target::Native, class Element, class Table, class Source>
constexpr std::uint32_t add_background(Element* sums, std::size_t count, const Table& table, Source& source,
                                       std::int32_t weight) noexcept {
  constexpr std::size_t at_once = [] {
    if constexpr (requires { Table::block_values; })
      return Table::block_values;
    else
      return 64;
  }();
  std::array<std::uint8_t, at_once> counts{};
  std::uint32_t held = 0;
  for (std::size_t from = 0; from < count; from += at_once) {
    const std::span<std::uint8_t> drawn{counts.data(), count - from < at_once ? count - from : at_once};
    if constexpr (requires { table.template fill<Target>(source, drawn); })
      table.template fill<Target>(source, drawn);
    else
      table.fill(source, drawn);
    held += add_events<Target>(sums + from, drawn, weight);
  }
  return held;
}

/// What add_background needs to know of a population, for its `step`: `Background{0, alias_table<Poisson(1.2)>, source, weight}`.
template <class Table, class Source>
struct Background {
  std::size_t receptor; ///< type of the input
  const Table& table;
  Source& source;
  std::int32_t weight;
};
template <class Table, class Source>
Background(std::size_t, const Table&, Source&, std::int32_t) -> Background<Table, Source>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
