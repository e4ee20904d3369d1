// SPDX-License-Identifier: BSL-1.0
/// \file
/// gc::Baker with neurons grouped by the age of their oldest event, so that an advance looks at those with dead ones.
/// \source M. Mikaitis, Application-specific real-time garbage collection, 2016, IV-F; docs/traces.md says what differs
///
/// Invariant, beside that of gc::Baker: a neuron that has events is in the list of one generation. It is that of the time of
/// its oldest event, or of one that was dropped since. A list is looked at when its generation's time is over for the
/// youngest that it can hold.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_GC_GENERATIONAL_HPP
#define NEUROMORPH_GC_GENERATIONAL_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/detail/copy_schedule.hpp>
#include <neuromorph/gc/detail/variable_buffers.hpp>
#include <neuromorph/gc/liveness.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// Neurons of generations that are over, and one more in turn at each advance, so that none is left alone for too long,
/// whatever the clock does.
template <class Layout, std::uint32_t Scan, std::uint32_t Generations>
class ScanByAge {
  using Liveness = typename Layout::Liveness;
  static_assert(HasWindow<Liveness>, "neuromorph: gc::Generational groups by age, so Liveness has a 'window'; take "
                                     "gc::Baker; see docs/traces.md");
  static_assert(std::has_single_bit(Generations) && Generations >= 8 && Generations <= 256,
                "neuromorph: gc::Generational has 8 to 256 generations, a power of two; see docs/traces.md");
  static_assert(Layout::neurons <= 65534, "neuromorph: gc::Generational has at most 65534 neurons; see docs/traces.md");

  static constexpr std::uint32_t window_ticks = [] {
    if constexpr (HasWindow<Liveness>)
      return Liveness::window;
    else
      return 0U;
  }();
  /// Window, the generation that is over, the one that is not full yet and what is ahead have numbers of their own.
  static constexpr int step_bits = std::bit_width(window_ticks / (Generations - 4));
  static constexpr std::uint32_t step = 1U << step_bits;
  static_assert(((Generations - 1) * (std::uint64_t{1} << step_bits)) + window_ticks < 1U << 31,
                "neuromorph: gc::Generational needs 16 generations for such a window; see docs/traces.md");
  static constexpr std::uint16_t in_none = 0, at_end = Layout::neurons + 1;

public:
  static constexpr std::uint32_t looks = Scan + 1;
  static constexpr int finding = 40; ///< what it costs to find dead events and to list the neuron anew, in words copied
  static constexpr std::uint32_t nobody = ~0U;

  /// Ticks that a generation spans.
  static constexpr std::uint32_t generation_ticks = step;

  explicit constexpr ScanByAge(std::uint32_t start) noexcept : from_(begin_of(start - window_ticks)) {}

  constexpr void begin(std::uint32_t now) noexcept {
    // After a leap of the clock once round is enough.
    const std::uint32_t earliest = begin_of(now - window_ticks - (Generations - 1) * step);
    if (is_before(from_, earliest)) from_ = earliest;
    has_turned_ = false;
  }
  [[nodiscard]] constexpr std::uint32_t next(std::uint32_t now) noexcept {
    if (!has_turned_) {
      has_turned_ = true;
      is_of_list_ = false;
      turn_ = turn_ + 1 == Layout::neurons ? 0 : turn_ + 1;
      return turn_;
    }
    is_of_list_ = true;
    while (is_over(from_, now)) {
      List& list = list_of(from_);
      if (list.first != in_none) {
        const std::uint32_t neuron = list.first - 1U;
        list.first = next_[neuron] == at_end ? in_none : next_[neuron];
        next_[neuron] = in_none;
        return neuron;
      }
      if (!is_over(from_ + step, now)) break;
      from_ += step;
    }
    return nobody;
  }
  constexpr void was_looked_at(std::uint32_t neuron, std::uint32_t oldest, std::uint32_t now) noexcept {
    if (!is_of_list_) return;
    // So far ahead that its list's time seems to be over, it must not come again and again.
    if (index_of(oldest) == index_of(from_) && is_over(from_ + step, now)) from_ += step;
    has_oldest(neuron, oldest);
  }
  constexpr void has_oldest(std::uint32_t neuron, std::uint32_t time) noexcept {
    if (next_[neuron] != in_none) return; // what it is listed for has been dropped since
    List& list = list_of(time);
    const auto link = static_cast<std::uint16_t>(neuron + 1);
    next_[neuron] = at_end;
    if (list.first == in_none)
      list.first = link;
    else
      next_[list.last - 1U] = link;
    list.last = link;
  }
  /// Whether each neuron with events is in one list, and lists end.
  template <class HasEvents>
  [[nodiscard]] constexpr bool is_consistent(HasEvents has_events) const noexcept {
    std::array<bool, Layout::neurons> is_listed{};
    for (const List& list : lists_) {
      std::uint32_t last = 0;
      for (std::uint32_t at = list.first; at != in_none && at != at_end; last = at, at = next_[at - 1]) {
        if (at > Layout::neurons || is_listed[at - 1]) return false;
        is_listed[at - 1] = true;
      }
      if (list.first != in_none && last != list.last) return false;
    }
    for (std::uint32_t neuron = 0; neuron < Layout::neurons; ++neuron) {
      if (is_listed[neuron] != (next_[neuron] != in_none)) return false;
      if (has_events(neuron) && !is_listed[neuron]) return false;
    }
    return true;
  }

private:
  /// Neurons are numbered from 1.
  struct List {
    std::uint16_t first = in_none, last = 0;
  };
  [[nodiscard]] static constexpr std::uint32_t begin_of(std::uint32_t time) noexcept { return time & ~(step - 1); }
  [[nodiscard]] static constexpr std::uint32_t index_of(std::uint32_t time) noexcept {
    return (time >> step_bits) % Generations;
  }
  [[nodiscard]] constexpr List& list_of(std::uint32_t time) noexcept { return lists_[index_of(time)]; }
  /// Whether all that is of the generation that begins at `begin` is dead.
  [[nodiscard]] static constexpr bool is_over(std::uint32_t begin, std::uint32_t now) noexcept {
    return is_before(begin + (step - 1) + window_ticks, now);
  }

  std::uint32_t from_; // the generation that is looked at begins here
  std::uint32_t turn_ = 0;
  bool has_turned_ = false, is_of_list_ = false;
  std::array<List, Generations> lists_{};
  std::array<std::uint16_t, Layout::neurons> next_{};
};

/// What gc::Generational is told, by name; what has no word here, as for gc::Baker.
struct GenerationalOptions {
  std::size_t events = 0;
  std::size_t longest = 0;
  std::size_t initial = 2;
  std::size_t extension = 2;
  std::size_t words = 128;
  std::size_t scan = 2; ///< most neurons that an advance looks at because of their age
  std::size_t heap_bytes = 0;
  /// 8 to 256, a power of two: each spans the window's part of that, or up to twice as much; events stay in memory for
  /// so long after their death.
  std::size_t generations = 16;
};

/// When `events` are in memory, the newest is refused. What gc::Baker says of memory, cost, locks and room holds here, with
/// these differences:
///
/// Memory: 2 bytes a neuron, 4 a generation and 8 for all more.
/// \cost  an advance looks at one neuron, and at up to `scan` that have dead events. With a clock that leaps, or records
/// or turns that drop the events themselves, a look may find none
/// Liveness: needs a `window`, such as AgeWindow, or EitherDead with one.
template <GenerationalOptions Options>
struct Generational {
  static constexpr detail::BufferNumbers numbers = detail::numbers_of(Options);
  template <class Layout>
  using Scanner =
      ScanByAge<Layout, static_cast<std::uint32_t>(Options.scan), static_cast<std::uint32_t>(Options.generations)>;

  template <class Layout>
  using Heap = detail::VariableBuffers<Layout, Generational, Scanner>;
};

[[nodiscard]] constexpr std::size_t bytes_of_generational(std::size_t neurons, const GenerationalOptions& options,
                                                          std::size_t trace_bytes) noexcept {
  const BakerOptions same{options.events, options.longest, options.initial,   options.extension,
                          options.words,  options.scan,    options.heap_bytes};
  return bytes_of_baker(neurons, same, trace_bytes) + (neurons * 2 + options.generations * 4 + 9) / 4 * 4;
}

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
