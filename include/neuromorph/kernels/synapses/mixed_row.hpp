// SPDX-License-Identifier: BSL-1.0
/// \file
/// Rows whose delays stand each in the way that is fastest on a core: synaptic words where they are few, rowlets where many.
///
///     plain | that many synaptic words, of any delays | rowlets: kind << 30 | delay << 16 | events, and their words | ...
///
/// write_mixed_row chooses by what a core takes for each way; one call adds any such row.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_MIXED_ROW_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_MIXED_ROW_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/rowlet.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What a loop over events takes, in hundredths of a cycle.
struct LoopCost {
  std::uint32_t call = 0;
  std::uint32_t event = 0;
};

/// What each part of a mixed row takes on a core: a choice goes by these.
struct RowCosts {
  LoopCost words{}, single{}, pairs{}, uniform{}, dense{}; ///< of a ring of 32-bit elements
  LoopCost words16{}, saturating{};                        ///< of one of 16-bit elements
};

/// Measured: benchmark `rows/ring32`, `rows/ring16`.
inline constexpr RowCosts row_costs_arm968{.words = {3200, 606},
                                           .single = {6500, 506},
                                           .pairs = {6600, 456},
                                           .uniform = {6800, 406},
                                           .dense = {8200, 356},
                                           .words16 = {9000, 608},
                                           .saturating = {13500, 508}};
inline constexpr RowCosts row_costs_cortex_m4{.words = {7800, 750},
                                              .single = {8000, 653},
                                              .pairs = {8000, 702},
                                              .uniform = {9000, 651},
                                              .dense = {8800, 426},
                                              .words16 = {11800, 1050},
                                              .saturating = {9800, 955}};

/// What a mixed row has become.
struct MixedRow {
  std::size_t words = 0; ///< of memory, all of it
  std::size_t plain = 0; ///< synapses in words of their own
  std::uint32_t rowlets = 0;
  std::uint64_t cycles = 0; ///< what it takes by the costs that were given
};

namespace detail {

/// The rowlets of a mixed row, by the two highest bits of their header.
enum class RowletKind : std::uint32_t { single, pairs, uniform, dense };
// A longer delay would reach into the kind; up to it the kind is far above the bits of a slot's number.
inline constexpr std::uint32_t most_mixed_delay = 0x3FFF;

template <class Element>
inline constexpr std::size_t rowlet_kinds = std::is_same_v<Element, std::int32_t>    ? 4
                                            : std::is_same_v<Element, std::uint16_t> ? 1
                                                                                     : 0;

/// Calls a function with the layout of a kind.
template <class Element, class Function>
constexpr auto with_layout(RowletKind kind, const Function& function) {
  if constexpr (std::is_same_v<Element, std::int32_t>) {
    if (kind == RowletKind::single) return function(layout::Single{});
    if (kind == RowletKind::pairs) return function(layout::Pairs{});
    if (kind == RowletKind::uniform) return function(layout::Uniform{});
    return function(layout::Dense{});
  } else {
    return function(layout::Saturating{});
  }
}

/// Where the synapses of one delay go.
struct DelayPlan {
  bool is_plain = true;
  RowletKind kind = RowletKind::single;
  RowletEvent first{};      // of the rowlet
  std::size_t synapses = 0; // of this delay
  std::size_t events = 0;   // of the rowlet: more, if it is dense with gaps
  std::size_t words = 0;
  std::uint64_t cost = 0;
};

template <class Format>
[[nodiscard]] constexpr RowletEvent rowlet_event(const Synapse& synapse) noexcept {
  return {synapse.type << Format::index_bits | synapse.index, synapse.weight};
}

/// The best rowlet of one delay; `is_plain` where there is none, or words cost less and `may_be_plain`.
template <class Format, class Element>
[[nodiscard]] constexpr DelayPlan plan_delay(std::span<const Synapse> synapses, std::uint32_t delay,
                                             const RowCosts& costs, bool may_be_plain) noexcept {
  constexpr std::size_t kinds = rowlet_kinds<Element>;
  constexpr bool is_wide = std::is_same_v<Element, std::int32_t>;
  DelayPlan plan;
  RowletEvent first{}, last{};
  std::array<bool, 4> is_possible{true, true, true, true};
  for (const Synapse& synapse : synapses) {
    if (synapse.delay != delay) continue;
    const RowletEvent event = rowlet_event<Format>(synapse);
    if (plan.synapses == 0) first = event;
    if constexpr (kinds != 0)
      for (std::uint32_t kind = 0; kind < kinds; ++kind) {
        const bool is_dense = kind == static_cast<std::uint32_t>(RowletKind::dense);
        if (is_dense && plan.synapses != 0 && event.element <= last.element) is_possible[kind] = false;
        const std::size_t at = is_dense ? event.element - first.element : plan.synapses;
        is_possible[kind] = is_possible[kind] && with_layout<Element>(static_cast<RowletKind>(kind), [&](auto layout) {
                              return decltype(layout)::check(first, at, event).ok();
                            });
      }
    last = event;
    ++plan.synapses;
  }
  plan.cost = std::uint64_t{(is_wide ? costs.words : costs.words16).event} * plan.synapses;
  if constexpr (kinds != 0) {
    const std::array<LoopCost, 4> loops{is_wide ? costs.single : costs.saturating, costs.pairs, costs.uniform,
                                        costs.dense};
    for (std::uint32_t kind = 0; kind < kinds && delay <= most_mixed_delay; ++kind) {
      const bool is_dense = kind == static_cast<std::uint32_t>(RowletKind::dense);
      const std::size_t events = is_dense ? std::size_t{last.element} - first.element + 1 : plan.synapses;
      if (!is_possible[kind] || events > 0xFFFF) continue;
      const auto added = with_layout<Element>(static_cast<RowletKind>(kind),
                                              [&](auto layout) { return decltype(layout)::added(events); });
      const std::uint64_t cost = loops[kind].call + std::uint64_t{loops[kind].event} * added;
      if ((plan.is_plain && !may_be_plain) || cost < plan.cost) {
        plan.is_plain = false;
        plan.kind = static_cast<RowletKind>(kind);
        plan.first = first;
        plan.events = events;
        plan.words = 1 + with_layout<Element>(plan.kind, [&](auto layout) { return decltype(layout)::words(events); });
        plan.cost = cost;
      }
    }
  }
  if (plan.is_plain) plan.words = plan.synapses;
  return plan;
}

template <class Format, class Element>
[[nodiscard]] constexpr MixedRow plan_row(std::span<const Synapse> synapses, const RowCosts& costs,
                                          bool may_be_plain) noexcept {
  MixedRow row{.words = 1};
  for (std::uint32_t delay = 1; delay <= 1U << Format::delay_bits; ++delay) {
    const DelayPlan plan = plan_delay<Format, Element>(synapses, delay, costs, may_be_plain);
    if (plan.synapses == 0) continue;
    row.words += plan.words;
    row.cycles += plan.cost;
    if (plan.is_plain)
      row.plain += plan.synapses;
    else
      ++row.rowlets;
  }
  if (row.plain != 0) row.cycles += (sizeof(Element) == 4 ? costs.words : costs.words16).call;
  return row;
}

/// Writes the rowlet of a plan; gaps of a dense one have weight 0.
template <class Format, class Layout>
constexpr void put_rowlet(std::uint32_t* to, std::span<const Synapse> synapses, std::uint32_t delay,
                          const DelayPlan& plan) noexcept {
  to[0] =
      static_cast<std::uint32_t>(plan.kind) << 30 | RowletHeader{delay, static_cast<std::uint32_t>(plan.events)}.word();
  std::size_t at = 0;
  for (const Synapse& synapse : synapses) {
    if (synapse.delay != delay) continue;
    const RowletEvent event = rowlet_event<Format>(synapse);
    if constexpr (std::is_same_v<Layout, layout::Dense>)
      for (; at < event.element - plan.first.element; ++at) Layout::put(to + 1, at, {});
    Layout::put(to + 1, at++, event);
  }
}

/// Adds a mixed row that has rowlets.
template <class Target, class Format, class Element>
[[gnu::noinline]] constexpr void add_parts(RingBuffer<Format, Element>& ring, const std::uint32_t* word,
                                           const std::uint32_t* end, std::uint32_t step_number) noexcept {
  if (const std::uint32_t plain = *word++; plain != 0) {
    add_row<Target>(ring, std::span<const std::uint32_t>{word, plain}, step_number);
    word += plain;
  }
  std::uint32_t held = 0;
  do {
    const std::uint32_t header = *word++;
    Element* const slot = ring.slot(step_number + (header >> 16), 0).data();
    const std::size_t events = header & 0xFFFF;
    word += with_layout<Element>(static_cast<RowletKind>(header >> 30), [&](auto layout) {
      using Layout = decltype(layout);
      held += Layout::template add<Target>(slot, word, events);
      return Layout::words(events);
    });
  } while (word != end);
  ring.count_saturations(held);
}

} // namespace detail

/// Writes a row of synapses of any delays: those of each delay as synaptic words, or as a rowlet of the layout that costs
/// least. A rowlet without indices needs its synapses in ascending order of type and index, each once; gaps are filled.
///
/// \tparam Element   of the ring; with std::int16_t all are words
/// \param to         at least the words that `MixedRow::words` says; nothing is written where they are too few
/// \param synapses   in any order
/// \param costs      of the core that adds the row, such as row_costs_arm968
/// \errors as `encode`, `where`: which synapse; buffer_full: to (`value`: words needed)
/// \cost   O(synapses 2^delay_bits), when rows are made
template <class Format, class Element = std::int32_t>
[[nodiscard]] constexpr Result<MixedRow> write_mixed_row(std::span<std::uint32_t> to, std::span<const Synapse> synapses,
                                                         const RowCosts& costs) noexcept {
  static_assert(RowFormat<Format>, "neuromorph: Format is no row format; see docs/synapses.md");
  for (std::size_t at = 0; at < synapses.size(); ++at)
    if (Status status = Format::encode(synapses[at]).status(); !status.ok()) {
      status.where = static_cast<std::uint32_t>(at);
      return status;
    }
  MixedRow row = detail::plan_row<Format, Element>(synapses, costs, true);
  bool may_be_plain = true;
  if (const MixedRow other = detail::plan_row<Format, Element>(synapses, costs, false); other.cycles < row.cycles)
    row = other, may_be_plain = false;
  row.cycles /= 100;
  if (to.size() < row.words) return Status{Error::buffer_full, 0, row.words, "to"};
  to[0] = static_cast<std::uint32_t>(row.plain);
  std::uint32_t* word = to.data() + 1;
  std::uint32_t* rowlet = word + row.plain;
  for (std::uint32_t delay = 1; delay <= 1U << Format::delay_bits; ++delay) {
    const detail::DelayPlan plan = detail::plan_delay<Format, Element>(synapses, delay, costs, may_be_plain);
    if (plan.synapses == 0) continue;
    if (plan.is_plain) {
      for (const Synapse& synapse : synapses)
        if (synapse.delay == delay) *word++ = Format::encode(synapse).value();
    } else {
      if constexpr (detail::rowlet_kinds<Element> != 0)
        detail::with_layout<Element>(plan.kind, [&](auto layout) {
          detail::put_rowlet<Format, decltype(layout)>(rowlet, synapses, delay, plan);
        });
      rowlet += plan.words;
    }
  }
  return row;
}

/// Adds a mixed row to the ring buffer, for a pre-synaptic spike of step `step_number`; otherwise as `add_row`. Where 16-bit
/// elements are held at their end, how many events count as held depends on their order.
///
/// Elements of rowlets are not masked: call `check_mixed_row` once for rows from outside.
/// \param row  of write_mixed_row for the same format and element, or empty
/// \cost  of a row of words alone 6 cycles more than add_row. ARM968E-S: benchmarks `rows/ring32/mixed`, `rows/ring16/mixed`
template <class Target = target::Native, class Format, class Element>
[[gnu::always_inline]] constexpr void add_mixed_row(RingBuffer<Format, Element>& ring,
                                                    std::span<const std::uint32_t> row,
                                                    std::uint32_t step_number) noexcept {
  std::size_t plain = 0;
  if (__builtin_sub_overflow(row.size(), std::size_t{1}, &plain)) return;
  if (row[0] == plain) [[likely]]
    add_row<Target>(ring, std::span<const std::uint32_t>{row.data() + 1, plain}, step_number);
  else if constexpr (detail::rowlet_kinds<Element> != 0)
    detail::add_parts<Target>(ring, row.data(), row.data() + row.size(), step_number);
}

/// Whether a mixed row is filled exactly by its parts and every event names one of `neurons` neurons and one of `types` types.
/// \errors rows_incomplete: a part ends outside the row, or there is a rowlet for elements that have none; otherwise as
///         check_row, check_rowlets; `where`: the word
template <class Format, class Element = std::int32_t>
[[nodiscard]] constexpr Status check_mixed_row(std::span<const std::uint32_t> row, std::size_t neurons,
                                               std::size_t types = std::size_t{1} << Format::type_bits) noexcept {
  if (row.empty()) return {};
  if (row[0] > row.size() - 1) return {Error::rows_incomplete, 0, row[0]};
  const auto words = row.subspan(1, row[0]);
  if (Status status = check_row<Format>(words, neurons, types); !status.ok()) {
    ++status.where;
    return status;
  }
  std::size_t at = 1 + words.size();
  while (at < row.size()) {
    if constexpr (detail::rowlet_kinds<Element> == 0) {
      return {Error::rows_incomplete, static_cast<std::uint32_t>(at), row[at]};
    } else {
      const auto kind = static_cast<detail::RowletKind>(row[at] >> 30);
      const RowletHeader header = RowletHeader::from(row[at] & 0x3FFF'FFFF);
      Status status;
      const std::size_t used = detail::with_layout<Element>(kind, [&](auto layout) {
        status = detail::check_rowlet<decltype(layout), Format>(row.subspan(at), header, neurons, types);
        return 1 + decltype(layout)::words(header.events);
      });
      if (!status.ok()) {
        status.where += static_cast<std::uint32_t>(at);
        return status;
      }
      at += used;
    }
  }
  return {};
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
