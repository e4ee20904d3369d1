// SPDX-License-Identifier: BSL-1.0
/// \file
/// A fixed number of events for each neuron, in order: what gc::Fixed and gc::Ring have in common.
#ifndef NEUROMORPH_GC_DETAIL_NEURON_BUFFERS_HPP
#define NEUROMORPH_GC_DETAIL_NEURON_BUFFERS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/event_array.hpp>
#include <neuromorph/gc/liveness.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// \tparam Circular  whether what is dropped is skipped, or else the rest is moved to the front
template <class Layout, std::size_t PerNeuron, gc::WhenFull Full, bool Circular>
class NeuronBuffers {
  using Trace = typename Layout::Trace;
  using Liveness = typename Layout::Liveness;
  using Hook = typename Layout::Hook;
  using Lock = typename Layout::Target::InterruptLock;
  static constexpr bool gives_way = Full == gc::WhenFull::oldest_gives_way;
  static constexpr std::uint32_t per_neuron = PerNeuron;
  static_assert(PerNeuron >= 1 && PerNeuron <= 255,
                "neuromorph: gc::Fixed and gc::Ring hold 1 to 255 events a neuron; see docs/traces.md");

  struct Time {
    std::uint32_t ticks = 0;
  };
  using Entries = gc::EventArray<Time, typename Liveness::State, Trace, Layout::neurons * PerNeuron>;
  struct Extent {
    std::uint8_t count = 0;
  };
  struct CircularExtent {
    std::uint8_t count = 0, first = 0;
  };
  using Buffer = std::conditional_t<Circular, CircularExtent, Extent>;

public:
  using Offers = offer::List<offer::When<gives_way, offer::LostUntil>>;
  static constexpr std::size_t bytes = (Entries::bytes + 3) / 4 * 4 + (Layout::neurons * sizeof(Buffer) + 3) / 4 * 4 +
                                       8 * 4 + gc::UnreadCounter<Liveness>::bytes + (gives_way ? 4 : 0);
  static constexpr std::uint32_t ahead = 1U << 27;
  /// Each neuron is visited before its events are so old that they look young.
  static constexpr std::uint32_t longest_step = (1U << 29) / Layout::neurons;
  static constexpr bool keeps_views = Circular && !gives_way && !Layout::counts_reads;

  class Cursor {
  public:
    [[nodiscard]] constexpr bool done() const noexcept { return left_ == 0; }
    [[nodiscard]] constexpr std::uint32_t time() const noexcept { return heap_->entries_.header(place()).ticks; }
    [[nodiscard]] constexpr const Trace& trace() const noexcept { return heap_->entries_.trace(place()); }
    constexpr void advance() noexcept {
      at_ = after(at_);
      --left_;
    }
    [[nodiscard]] constexpr Cursor before() const noexcept {
      Cursor only = *this;
      only.at_ = earlier_;
      only.left_ = has_earlier_ ? 1 : 0;
      return only;
    }

  private:
    friend NeuronBuffers;
    constexpr Cursor(const NeuronBuffers& heap, std::uint32_t neuron) noexcept
        : heap_(&heap), base_(neuron * per_neuron) {}
    [[nodiscard]] constexpr std::uint32_t place() const noexcept { return base_ + at_; }
    const NeuronBuffers* heap_;
    std::uint32_t base_, at_ = 0, left_ = 0, earlier_ = 0;
    bool has_earlier_ = false;
  };

  explicit constexpr NeuronBuffers(std::uint32_t start) noexcept : now_(start) {
    if constexpr (gives_way) lost_dies_.ticks = start;
  }

  [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

  constexpr gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) noexcept {
    Buffer& buffer = buffers_[neuron];
    gc::Recorded outcome = gc::Recorded::stored;
    if (buffer.count == per_neuron) {
      const std::uint32_t dead = Circular ? std::uint32_t{is_dead(place(neuron, 0))} : dead_events(neuron);
      if (dead != 0) {
        reclaim(neuron, dead);
      } else {
        if constexpr (!gives_way) return gc::Recorded::refused_full;
        give_up(entries_.header(place(neuron, 0)).ticks);
        drop(neuron, 1);
        ++gave_way_;
        outcome = gc::Recorded::stored_oldest_gave_way;
      }
    }
    entries_.set(place(neuron, buffer.count), Time{time}, trace);
    Hook::between();
    ++buffer.count;
    Hook::between();
    ++stored_;
    const std::uint32_t in_memory = stored_ - given_back();
    if (in_memory > most_events_) most_events_ = in_memory;
    return outcome;
  }

  [[nodiscard]] constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
    const Cursor cursor = look(neuron, after, until);
    if constexpr (Layout::counts_reads)
      for (Cursor shown = cursor; !shown.done(); shown.advance()) Liveness::read(entries_.state(shown.place()));
    return cursor;
  }
  [[nodiscard]] constexpr Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) const noexcept {
    Cursor cursor(*this, neuron);
    std::uint32_t left = 0;
    {
      // The places of dead events may be taken by what an interrupt records.
      Lock lock;
      left = buffers_[neuron].count;
      const std::uint32_t dead = dead_events(neuron);
      cursor.at_ = index(neuron, dead);
      left -= dead;
    }
    while (left != 0 && !is_before(after, cursor.time())) {
      cursor.earlier_ = cursor.at_;
      cursor.has_earlier_ = true;
      cursor.at_ = NeuronBuffers::after(cursor.at_);
      --left;
    }
    for (std::uint32_t at = cursor.at_; left != 0; --left, at = NeuronBuffers::after(at)) {
      if (is_before(until, entries_.header(cursor.base_ + at).ticks)) break;
      ++cursor.left_;
    }
    return cursor;
  }

  constexpr bool advance_to(std::uint32_t now) noexcept {
    Hook::between();
    Lock lock;
    now_ = now;
    Hook::between();
    if (const std::uint32_t dead = dead_events(next_); dead != 0) reclaim(next_, dead);
    if constexpr (gives_way)
      if (is_before(lost_dies_.ticks, now_)) lost_dies_.ticks = now_; // so that it does not wrap
    next_ = next_ + 1 == Layout::neurons ? 0 : next_ + 1;
    return false;
  }

  [[nodiscard]] constexpr std::size_t events() const noexcept { return stored_ - given_back(); }
  [[nodiscard]] constexpr std::uint32_t lost_until() const noexcept requires(gives_way) {
    return lost_dies_.ticks - Layout::window - 1;
  }

  constexpr void clear() noexcept {
    cleared_ += stored_ - given_back();
    buffers_ = {};
  }

  constexpr void add_to(gc::Counts& counts) const noexcept {
    counts.stored += stored_;
    counts.gave_way += gave_way_;
    counts.reclaimed += reclaimed_;
    counts.reclaimed_unread += unread_.count();
    counts.cleared += cleared_;
    counts.moved_bytes += moved_bytes_;
    counts.most_events += most_events_;
  }

  [[nodiscard]] constexpr bool is_consistent() const noexcept {
    std::size_t counted = 0;
    for (std::uint32_t neuron = 0; neuron < Layout::neurons; ++neuron) {
      const std::uint32_t count = buffers_[neuron].count;
      if (count > per_neuron || index(neuron, 0) >= per_neuron) return false;
      for (std::uint32_t event = 1; event < count; ++event)
        if (is_before(entries_.header(place(neuron, event)).ticks, entries_.header(place(neuron, event - 1)).ticks))
          return false;
      counted += count;
    }
    return counted == events();
  }

private:
  [[nodiscard]] static constexpr std::uint32_t after(std::uint32_t index) noexcept {
    return Circular && index + 1 == per_neuron ? 0 : index + 1;
  }
  /// Of the n-th event from the oldest, in its buffer.
  [[nodiscard]] constexpr std::uint32_t index(std::uint32_t neuron, std::uint32_t event) const noexcept {
    if constexpr (Circular) {
      const std::uint32_t at = buffers_[neuron].first + event;
      return at >= per_neuron ? at - per_neuron : at;
    } else {
      return event;
    }
  }
  [[nodiscard]] constexpr std::uint32_t place(std::uint32_t neuron, std::uint32_t event) const noexcept {
    return neuron * per_neuron + index(neuron, event);
  }
  [[nodiscard]] constexpr bool is_dead(std::uint32_t place) const noexcept {
    return Layout::is_dead(entries_.state(place), entries_.header(place).ticks, now_);
  }
  /// From the oldest to the first that is alive.
  [[nodiscard]] constexpr std::uint32_t dead_events(std::uint32_t neuron) const noexcept {
    std::uint32_t dead = 0;
    while (dead < buffers_[neuron].count && is_dead(place(neuron, dead))) ++dead;
    return dead;
  }
  constexpr void reclaim(std::uint32_t neuron, std::uint32_t count) noexcept {
    for (std::uint32_t dead = 0; gc::WaitsForReads<Liveness> && dead != count; ++dead)
      unread_.see(entries_.state(place(neuron, dead)));
    drop(neuron, count);
    reclaimed_ += count;
  }
  constexpr void give_up(std::uint32_t time) noexcept {
    const std::uint32_t dies = time + Layout::window + 1;
    if constexpr (gives_way)
      if (is_before(lost_dies_.ticks, dies)) lost_dies_.ticks = dies;
  }
  /// The oldest `count`.
  constexpr void drop(std::uint32_t neuron, std::uint32_t count) noexcept {
    Buffer& buffer = buffers_[neuron];
    if constexpr (Circular) {
      buffer.first = static_cast<std::uint8_t>(index(neuron, count));
      Hook::between();
    } else {
      const std::uint32_t base = neuron * per_neuron;
      for (std::uint32_t event = count; event < buffer.count; ++event) {
        entries_.move(base + event - count, base + event);
        Hook::between();
      }
      moved_bytes_ += (buffer.count - count) * static_cast<std::uint32_t>(Entries::event_bytes);
    }
    buffer.count = static_cast<std::uint8_t>(buffer.count - count);
    Hook::between();
  }
  [[nodiscard]] constexpr std::uint32_t given_back() const noexcept { return reclaimed_ + gave_way_ + cleared_; }

  [[no_unique_address]] gc::UnreadCounter<Liveness> unread_{};
  /// When the youngest that gave way would be dead, or now.
  [[no_unique_address]] std::conditional_t<gives_way, Time, gc::NoState> lost_dies_{};
  std::uint32_t now_, next_ = 0; // the neuron that the next advance looks at
  std::uint32_t stored_ = 0, reclaimed_ = 0, gave_way_ = 0, cleared_ = 0, moved_bytes_ = 0, most_events_ = 0;
  std::array<Buffer, Layout::neurons> buffers_{};
  Entries entries_{};
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
