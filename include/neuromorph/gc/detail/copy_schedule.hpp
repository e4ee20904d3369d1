// SPDX-License-Identifier: BSL-1.0
/// \file
/// How much memory buffers take that are copied a few words at a time, so that copying never comes too late.
/// \source H. Baker, List processing in real time on a serial computer, 1978; docs/traces.md has the proof
#ifndef NEUROMORPH_GC_DETAIL_COPY_SCHEDULE_HPP
#define NEUROMORPH_GC_DETAIL_COPY_SCHEDULE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

struct BufferNumbers {
  std::uint64_t events, longest, initial, extension, words, scan, heap_bytes;

  /// Events that a record copies of its own neuron's buffer: as these grow by at least a quarter, such a copy is complete
  /// before there is no room in it.
  static constexpr std::uint64_t own = 4;
  /// What it costs to look at what was a buffer, to begin to move one, and what of that a record pays, in words copied.
  static constexpr int visit = 8, beginning = 32, moving = 12;

  [[nodiscard]] constexpr std::uint64_t growth(std::uint64_t count) const noexcept {
    const std::uint64_t part = (count + own - 1) / own;
    return part > extension ? part : extension;
  }
  /// Room that a buffer of `count` events gets when it is moved.
  [[nodiscard]] constexpr std::uint64_t capacity(std::uint64_t count) const noexcept {
    return count == 0 ? initial : count + growth(count);
  }
};

/// Of gc::BakerOptions, and of options that have the same.
template <class Options>
[[nodiscard]] constexpr BufferNumbers numbers_of(const Options& options) noexcept {
  return {.events = options.events,
          .longest = options.longest == 0 ? options.events : options.longest,
          .initial = options.initial,
          .extension = options.extension,
          .words = options.words,
          .scan = options.scan,
          .heap_bytes = options.heap_bytes};
}

/// Of the heap, in words.
struct CopySchedule {
  std::uint64_t limit;   ///< while more than this is in use, records and advances copy
  std::uint64_t words;   ///< all
  std::uint64_t records; ///< while the copier goes once through what is in use, at most
  bool comes_to_an_end;  ///< false: too few words are copied at a time
};

[[nodiscard]] constexpr CopySchedule copy_schedule(std::uint64_t neurons, std::uint64_t event_words,
                                                   const BufferNumbers& of) noexcept {
  const std::uint64_t overhead = of.own * event_words + of.visit + of.moving;
  if (of.words <= overhead) return {0, 0, 0, false};
  const std::uint64_t most = of.capacity(of.longest) > of.initial ? of.capacity(of.longest) : of.initial;
  const std::uint64_t largest = most * event_words + 1;
  const std::uint64_t first = of.initial > of.extension ? of.initial : of.extension;
  const std::uint64_t smallest = (of.initial < 1 + of.extension ? of.initial : 1 + of.extension) * event_words + 1;
  // Words that a record takes, for moves after a neuron's first.
  std::uint64_t a_record = 0;
  for (std::uint64_t count = 0; count <= of.longest; ++count) {
    const std::uint64_t steps = count == 0 ? of.initial : of.growth(count);
    const std::uint64_t words = (of.capacity(count + steps) * event_words + 1 + steps - 1) / steps;
    if (words > a_record) a_record = words;
  }
  for (std::uint64_t records = 1; records < 100000;) {
    const std::uint64_t events = of.events + records;
    const std::uint64_t moved = (events + events / of.own + neurons * first) * event_words + neurons;
    const std::uint64_t taken = moved + a_record * records, limit = taken + largest;
    const std::uint64_t work =
        event_words * events + of.beginning * neurons + of.visit * ((limit + 2 * largest) / smallest + 1);
    const std::uint64_t needed = work / (of.words - overhead) + 2;
    if (needed <= records) return {limit, limit + taken + 2 * largest, records, true};
    records = needed;
  }
  return {0, 0, 0, false};
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
