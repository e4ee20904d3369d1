// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a row of plastic synapses asks of the past of its neurons. Three lines:
///
///     const auto past = history.past(after, until);           // for a row: since its last spike, until now
///     const bool all = past.of(neuron, before, each);         // the event before, then those in (after, until]
///     past.complete_after();                                   // rows that were asked since then miss nothing
///
/// A rule that goes on from event to event gives `IfNone{before}`: it needs the event before in an empty window only.
/// An event is a time and a trace, the value that a rule keeps with it. TraceStore is one (gc/trace_store.hpp), with any
/// collector; docs/traces.md says when what.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_HISTORY_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_HISTORY_HPP

#include <concepts>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace detail {
/// Takes an event.
template <class Trace>
struct HistoryVisitor {
  void operator()(std::uint32_t time, const Trace& trace) const;
};
} // namespace detail

/// Given as `before`: the event before is asked for only where the window has none, which stores find in a fraction of the
/// time. A history that calls it before others, too, is right: `visitor` may set nothing that `each` does not set anew.
template <class Visitor>
struct IfNone {
  static constexpr bool only_if_none = true; ///< by which a history knows it
  Visitor visitor;
  template <class Trace>
  [[gnu::always_inline]] constexpr void operator()(std::uint32_t time, const Trace& trace) {
    visitor(time, trace);
  }
};
template <class Visitor>
IfNone(Visitor) -> IfNone<Visitor>;

namespace detail {
/// What `past` gives may say `static constexpr bool has_glance = true`, which saves most of the time of rows. Then
/// `glance(neuron)` has `time` and `trace` of the neuron's newest event, `is_in_window`, and `is_all`: whether that is all
/// that `of` would tell with IfNone. Of no event, the trace is zero.
template <class Past>
concept HasGlance = Past::has_glance;
/// It may also name `Lanes`, UnsignedLanes of a backend, and then show several neurons at once, as TraceStore's does: `recent`
/// and what begins with `look`.
template <class Past, class Lanes>
concept HasLook = std::same_as<typename Past::Lanes, Lanes>;
} // namespace detail

/// `before(time, trace)` is called once at most, with the neuron's last event at or before `after`, if that is known. Then
/// `each(time, trace)` is called for its events with after < time <= until, oldest first; those of one tick come in the
/// order in which they were recorded. The answer says whether none of these is missing. Nothing that is asked changes what
/// another row is told.
///
/// A pre-synaptic spike at tick t closes the window (after, t] of its row and opens the next one. So a post-synaptic event
/// of the same tick comes before it: it is replayed with this spike, and no spike sees it twice.
template <class Candidate>
concept History = requires(Candidate& history, std::uint32_t number,
                           detail::HistoryVisitor<typename Candidate::Trace> visitor) {
  { history.past(number, number).of(number, visitor, visitor) } -> std::same_as<bool>;
  { history.past(number, number).complete_after() } -> std::same_as<std::uint32_t>;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
