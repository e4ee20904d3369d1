// SPDX-License-Identifier: BSL-1.0
/// \file
/// Buffers that grow and move, a few words at a time: what gc::Baker and gc::Generational have in common.
#ifndef NEUROMORPH_GC_DETAIL_VARIABLE_BUFFERS_HPP
#define NEUROMORPH_GC_DETAIL_VARIABLE_BUFFERS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/detail/copy_schedule.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/offer.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// An event in words: its time, then trace and State.
template <class Trace, class State>
struct EventWords {
  static constexpr bool has_state = !std::is_empty_v<State>;
  static constexpr std::size_t state_at = 4 + (sizeof(Trace) + alignof(State) - 1) / alignof(State) * alignof(State);
  static constexpr std::size_t count = ((has_state ? state_at + sizeof(State) : 4 + sizeof(Trace)) + 3) / 4;

  static void set(std::uint32_t* words, std::uint32_t time, const Trace& trace) noexcept {
    words[0] = time;
    __builtin_memcpy(words + 1, &trace, sizeof(Trace));
    if constexpr (has_state) set_state(words, State{});
  }
  [[nodiscard]] static Trace trace(const std::uint32_t* words) noexcept {
    std::array<unsigned char, sizeof(Trace)> bytes;
    __builtin_memcpy(bytes.data(), words + 1, sizeof(Trace));
    return std::bit_cast<Trace>(bytes);
  }
  [[nodiscard]] static State state(const std::uint32_t* words) noexcept {
    State state{};
    if constexpr (has_state)
      __builtin_memcpy(&state, reinterpret_cast<const unsigned char*>(words) + state_at, sizeof(State));
    return state;
  }
  static void set_state(std::uint32_t* words, const State& state) noexcept {
    __builtin_memcpy(reinterpret_cast<unsigned char*>(words) + state_at, &state, sizeof(State));
  }
};

/// \tparam Options  `numbers`: BufferNumbers
/// \tparam Scanner  which neurons an advance looks at
///
/// The heap is a ring of words. A buffer is a word that says whose it is and how long, and places for events. New ones
/// are taken at the head. A copier goes along at the tail: what is nobody's any more it leaves behind, and a buffer that is in
/// use it moves to the head. So what is free is one gap, from the head to the tail. The old space of Baker's collector is
/// before the copier, the new one behind the head, and they change places with every word.
///
/// A buffer that is full moves to the head, too. A move takes memory at once, and copies later: events before `split`
/// are at the old place, those from there on at the new one, and what is copied next is the last before `split`. A record
/// copies some of its own neuron's events, so that no buffer is full while it moves. The copier ends a move whose old
/// place it meets.
template <class Layout, class Options, template <class> class Scanner>
class VariableBuffers {
  using Trace = typename Layout::Trace;
  using Liveness = typename Layout::Liveness;
  using Target = typename Layout::Target;
  using Hook = typename Layout::Hook;
  using Lock = typename Target::InterruptLock;
  using Words = EventWords<Trace, typename Liveness::State>;
  static constexpr BufferNumbers numbers = Options::numbers;
  static constexpr std::uint32_t width = Words::count; // of an event
  static constexpr std::uint32_t neurons = Layout::neurons, nobody = 0xFFFF;
  static_assert(numbers.events >= 1 && numbers.initial >= 1 && numbers.extension >= 1 && numbers.scan >= 1,
                "neuromorph: gc::Baker and gc::Generational have at least one event, initial event, event of extension "
                "and scanned neuron; see docs/traces.md");
  static_assert(numbers.longest <= numbers.events && neurons < nobody,
                "neuromorph: gc::Baker and gc::Generational have no more 'longest' than 'events', and at most 65534 "
                "neurons; see docs/traces.md");
  static constexpr CopySchedule schedule = copy_schedule(neurons, width, numbers);
  static_assert(schedule.comes_to_an_end || numbers.heap_bytes != 0,
                "neuromorph: gc::Baker and gc::Generational copy so few 'words' at a time that they may come too late, "
                "whatever the memory; see docs/traces.md");
  static_assert(numbers.words > BufferNumbers::own * width + BufferNumbers::visit + BufferNumbers::moving,
                "neuromorph: gc::Baker and gc::Generational copy more than four events and 20 words at a time; see "
                "docs/traces.md");
  static constexpr std::uint64_t wanted = numbers.heap_bytes != 0 ? numbers.heap_bytes / 4 : schedule.words;
  static_assert(
      wanted >= 8 * width && wanted <= 65535,
      "neuromorph: the heap of gc::Baker and gc::Generational has 8 events to 65535 words; with fewer 'events', "
      "or with 'heap_bytes' of your own, it is smaller; see docs/traces.md");
  static constexpr std::uint32_t heap_words = wanted <= 65535 ? static_cast<std::uint32_t>(wanted) : 1;
  static constexpr bool is_safe = schedule.comes_to_an_end && heap_words >= schedule.words;
  /// In use; while it is more, calls copy.
  static constexpr std::uint32_t copies_above =
      is_safe ? static_cast<std::uint32_t>(schedule.limit) : heap_words - heap_words / 4;
  /// Left to the copier, where the schedule does not say that there is enough.
  static constexpr std::uint32_t reserve = is_safe ? 0 : heap_words / 16;
  static constexpr bool dies_in_order = gc::HasWindow<Liveness> && !Layout::counts_reads;

  struct Buffer {
    std::uint16_t base = 0, capacity = 0, first = 0, count = 0; ///< base: the word of event 0
    std::uint16_t old = 0, split = 0; ///< events below split are where event 0 would be at `old`; 0: all are at `base`
    [[nodiscard]] constexpr std::uint32_t end() const noexcept { return std::uint32_t{first} + count; }
    [[nodiscard]] constexpr std::uint32_t place(std::uint32_t event) const noexcept {
      return (event < split ? old : base) + event * width;
    }
  };

public:
  using Offers = offer::List<offer::RecordFast>;
  static constexpr std::size_t bytes = std::size_t{heap_words} * 4 +
                                       (std::size_t{neurons} * sizeof(Buffer) + 3) / 4 * 4 + sizeof(Scanner<Layout>) +
                                       44 + gc::UnreadCounter<Liveness>::bytes;
  static constexpr std::uint32_t ahead = 1U << 27;
  /// Each neuron is looked at before its events are so old that they look young.
  static constexpr std::uint32_t longest_step = (1U << 29) / (neurons + 1);
  static constexpr bool keeps_views = false;
  static constexpr std::uint32_t limit = numbers.events; ///< most events in memory
  /// Most words that a call copies.
  static constexpr std::uint32_t most_copied = numbers.words;
  /// Whether each record finds room while fewer than `events` are in memory.
  static constexpr bool never_too_late = is_safe;

  class Cursor {
  public:
    [[nodiscard]] constexpr bool done() const noexcept { return left_ == 0; }
    [[nodiscard]] constexpr std::uint32_t time() const noexcept { return *at_; }
    [[nodiscard]] Trace trace() const noexcept { return Words::trace(at_); }
    constexpr void advance() noexcept {
      at_ += width;
      if (--left_ == 0) turn();
    }
    [[nodiscard]] constexpr Cursor before() const noexcept {
      Cursor only;
      only.at_ = before_;
      only.left_ = before_ != nullptr ? 1 : 0;
      return only;
    }

  private:
    friend VariableBuffers;
    /// From the old place to the new one.
    constexpr void turn() noexcept {
      at_ = rest_;
      left_ = rest_left_;
      rest_left_ = 0;
    }
    const std::uint32_t* at_ = nullptr;
    const std::uint32_t* rest_ = nullptr;
    const std::uint32_t* before_ = nullptr;
    std::uint32_t left_ = 0, rest_left_ = 0;
  };

  explicit constexpr VariableBuffers(std::uint32_t start) noexcept : now_(start), scanner_(start) {}

  [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

  gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) noexcept {
    Buffer& buffer = buffers_[neuron];
    if (stored_ == full_at_ && !find_dead(neuron)) return gc::Recorded::refused_full;
    std::int32_t left = numbers.words;
    bool has_room = buffer.end() != buffer.capacity;
    if (!has_room) {
      has_room = make_room(neuron);
      left -= BufferNumbers::moving;
    }
    if (has_room) {
      Words::set(cell(buffer.base + buffer.end() * width), time, trace);
      Hook::between();
      if (buffer.count++ == 0) scanner_.has_oldest(neuron, time);
      Hook::between();
      ++stored_;
      if (buffer.split != 0) left -= static_cast<std::int32_t>(copy(neuron, BufferNumbers::own));
    }
    copy_on(left);
    return has_room ? gc::Recorded::stored : gc::Recorded::refused_full;
  }
  /// In a buffer that has events and room and is not moving, while the copier rests.
  [[gnu::always_inline]] bool record_fast(std::uint32_t neuron, std::uint32_t time, const Trace& trace,
                                          std::uint32_t) noexcept {
    Buffer& buffer = buffers_[neuron];
    const std::uint32_t end = buffer.end();
    if (buffer.count == 0 || end == buffer.capacity || buffer.split != 0 || used_ > copies_above || stored_ == full_at_)
        [[unlikely]]
      return false;
    Words::set(cell(buffer.base + end * width), time, trace);
    Hook::between();
    ++buffer.count;
    Hook::between();
    ++stored_;
    return true;
  }

  [[nodiscard]] Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
    Lock lock;
    return find(neuron, after, until);
  }
  [[nodiscard]] Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
    Lock lock;
    const Cursor cursor = find(neuron, after, until);
    if constexpr (Layout::counts_reads)
      for (Cursor each = cursor; !each.done(); each.advance()) {
        auto* const words = const_cast<std::uint32_t*>(each.at_);
        auto state = Words::state(words);
        Liveness::read(state);
        Words::set_state(words, state);
      }
    return cursor;
  }

  bool advance_to(std::uint32_t now) noexcept {
    {
      Lock lock;
      now_ = now;
      scanner_.begin(now);
    }
    std::int32_t left = numbers.words;
    {
      const typename Hook::template During<gc::Work::scan> scan(true);
      for (std::uint32_t looks = 0; left > 0 && looks < Scanner<Layout>::looks; ++looks) {
        Hook::between();
        Lock lock;
        if (!look_at_next(left)) break;
      }
    }
    Lock lock;
    if (left == std::int32_t{numbers.words}) copy_on(left); // else this call has done enough
    return used_ > copies_above;
  }

  [[nodiscard]] constexpr std::size_t events() const noexcept { return stored_ - full_at_ + limit; }

  void clear() noexcept {
    see_most();
    full_at_ = stored_ + limit;
    buffers_ = {};
    scanner_ = Scanner<Layout>(now_);
    head_ = tail_ = used_ = 0;
    credit_ = 0;
  }

  constexpr void add_to(gc::Counts& counts) const noexcept {
    counts.stored += stored_;
    counts.reclaimed += reclaimed_;
    counts.reclaimed_unread += unread_.count();
    counts.cleared += full_at_ - limit - reclaimed_;
    counts.moved_bytes += moved_bytes_;
    const auto in_memory = static_cast<std::uint32_t>(events());
    counts.most_events += in_memory > most_events_ ? in_memory : most_events_;
  }

  /// Words of the heap from the tail to the head, and whether there are so many that calls copy.
  [[nodiscard]] constexpr std::uint32_t used_words() const noexcept { return used_; }
  [[nodiscard]] constexpr bool is_compacting() const noexcept { return used_ > copies_above; }
  /// Records that were refused for want of memory, though fewer than `events` were in it; none if `never_too_late`.
  [[nodiscard]] constexpr std::uint32_t came_too_late() const noexcept { return too_late_; }

  [[nodiscard]] bool is_consistent() const noexcept {
    std::array<bool, neurons> has_place{}, has_old{};
    std::uint32_t at = tail_, left = used_, counted = 0;
    if (used_ > heap_words || tail_ >= heap_words) return false;
    while (left != 0) {
      const std::uint32_t owner = heap_[at] & 0xFFFFU, size = heap_[at] >> 16;
      if (size == 0 || size > left || at + size > heap_words) return false;
      if (owner != nobody) {
        if (owner >= neurons) return false;
        const Buffer& buffer = buffers_[owner];
        if (buffer.base == at + 1) {
          if (buffer.capacity != 0 && size != buffer.capacity * width + 1) return false;
          has_place[owner] = true;
        } else if (is_old_place(buffer, at, size)) {
          has_old[owner] = buffer.old + buffer.split * width <= at + size && buffer.place(buffer.first) > at;
        }
      }
      left -= size;
      at = at + size == heap_words ? 0 : at + size;
    }
    if (at != head_) return false;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
      const Buffer& buffer = buffers_[neuron];
      counted += buffer.count;
      if (buffer.end() > buffer.capacity || (buffer.capacity != 0 && !has_place[neuron])) return false;
      if (buffer.split != 0 && (buffer.split <= buffer.first || buffer.split > buffer.end() || !has_old[neuron]))
        return false;
      bool alive = false; // what is gone may be younger than what has come since
      for (std::uint32_t event = buffer.first; event < buffer.end(); ++event) {
        const std::uint32_t* const words = cell(buffer.place(event));
        if (alive && is_before(*words, *cell(buffer.place(event - 1)))) return false;
        alive = alive || !is_dead(words);
      }
    }
    const bool is_listed = scanner_.is_consistent([&](std::uint32_t neuron) { return buffers_[neuron].count != 0; });
    return is_listed && counted == events() && counted <= limit;
  }

private:
  Cursor find(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
    const Buffer& buffer = buffers_[neuron];
    const std::uint32_t end = buffer.end();
    std::uint32_t from = buffer.first;
    if constexpr (!dies_in_order) from += dead_events(neuron);
    Cursor cursor;
    for (; from != end; ++from) {
      const std::uint32_t* const event = cell(buffer.place(from));
      if (is_before(after, *event)) break;
      cursor.before_ = event;
    }
    std::uint32_t last = from;
    while (last != end && !is_before(until, *cell(buffer.place(last)))) ++last;
    const std::uint32_t split = buffer.split < from ? from : buffer.split < last ? buffer.split : last;
    cursor.at_ = cell(buffer.place(from));
    cursor.left_ = split - from;
    cursor.rest_ = cell(buffer.base + split * width);
    cursor.rest_left_ = last - split;
    if (cursor.left_ == 0) cursor.turn();
    return cursor;
  }
  [[nodiscard]] std::uint32_t* cell(std::uint32_t place) noexcept { return heap_.data() + place; }
  [[nodiscard]] const std::uint32_t* cell(std::uint32_t place) const noexcept { return heap_.data() + place; }
  [[nodiscard]] bool is_dead(const std::uint32_t* words) const noexcept {
    return Layout::is_dead(Words::state(words), *words, now_);
  }
  /// From the oldest to the first that is alive.
  /// \cost  O(log events) where they die in order
  [[nodiscard]] [[gnu::always_inline]] std::uint32_t dead_events(std::uint32_t neuron) const noexcept {
    const Buffer& buffer = buffers_[neuron];
    if (buffer.count == 0 || !is_dead(cell(buffer.place(buffer.first)))) return 0;
    return buffer.count == 1 ? 1 : count_dead(buffer);
  }
  /// Of a buffer whose first is.
  [[nodiscard]] [[gnu::noinline]] std::uint32_t count_dead(const Buffer& buffer) const noexcept {
    const auto is_dead_at = [&](std::uint32_t event) { return is_dead(cell(buffer.place(buffer.first + event))); };
    std::uint32_t dead = 1, most = buffer.count;
    if constexpr (dies_in_order) {
      if (!is_dead_at(1)) return 1; // there are few, mostly
      while (dead != most) {
        const std::uint32_t middle = (dead + most) / 2;
        if (is_dead_at(middle))
          dead = middle + 1;
        else
          most = middle;
      }
    } else {
      while (dead != most && is_dead_at(dead)) ++dead;
    }
    return dead;
  }
  void see_most() noexcept {
    if (events() > most_events_) most_events_ = static_cast<std::uint32_t>(events());
  }
  /// The oldest `count`.
  void drop(std::uint32_t neuron, std::uint32_t count) noexcept {
    if (count == 0) return;
    see_most();
    Buffer& buffer = buffers_[neuron];
    for (std::uint32_t dead = 0; gc::WaitsForReads<Liveness> && dead != count; ++dead)
      unread_.see(Words::state(cell(buffer.place(buffer.first + dead))));
    buffer.count = static_cast<std::uint16_t>(buffer.count - count);
    Hook::between();
    buffer.first = static_cast<std::uint16_t>(buffer.count == 0 ? 0 : buffer.first + count);
    if (buffer.split <= buffer.first || buffer.count == 0) buffer.split = 0;
    Hook::between();
    reclaimed_ += count;
    full_at_ += count;
  }
  /// False if there is nobody left to look at. What is found costs a part of what is `left` of a call.
  bool look_at_next(std::int32_t& left) noexcept {
    const std::uint32_t neuron = scanner_.next(now_);
    if (neuron == ~0U) return false;
    const Buffer& buffer = buffers_[neuron];
    if (const std::uint32_t dead = dead_events(neuron); dead != 0) {
      drop(neuron, dead);
      left -= Scanner<Layout>::finding;
    }
    if (buffer.count != 0) scanner_.was_looked_at(neuron, *cell(buffer.place(buffer.first)), now_);
    return true;
  }
  /// When there are `events` in memory.
  bool find_dead(std::uint32_t neuron) noexcept {
    const typename Hook::template During<gc::Work::scan> scan(true);
    std::int32_t left = numbers.words;
    drop(neuron, dead_events(neuron));
    scanner_.begin(now_);
    for (std::uint32_t looks = 0; stored_ == full_at_ && looks < Scanner<Layout>::looks; ++looks)
      if (!look_at_next(left)) break;
    return stored_ != full_at_;
  }

  /// For one event more, in a buffer that is full to its end.
  bool make_room(std::uint32_t neuron) noexcept {
    drop(neuron, dead_events(neuron));
    const Buffer& buffer = buffers_[neuron];
    if (buffer.end() != buffer.capacity) return true; // it is empty
    if (buffer.split == 0 && move(neuron, reserve)) return true;
    ++too_late_;
    return false;
  }
  /// Takes memory at the head for a buffer, of which nothing is copied yet.
  bool move(std::uint32_t neuron, std::uint32_t to_leave) noexcept {
    Buffer& buffer = buffers_[neuron];
    const auto capacity = static_cast<std::uint32_t>(numbers.capacity(buffer.count));
    const std::uint32_t size = capacity * width + 1;
    const std::uint32_t gap = head_ + size > heap_words ? heap_words - head_ : 0; // at the end of the ring
    if (used_ + gap + size + to_leave > heap_words) return false;
    if (gap != 0) {
      heap_[head_] = gap << 16 | nobody;
      head_ = 0;
    }
    heap_[head_] = size << 16 | neuron;
    used_ += gap + size;
    Hook::between();
    buffer.old = static_cast<std::uint16_t>(buffer.base + buffer.first * width);
    buffer.split = buffer.count;
    buffer.base = static_cast<std::uint16_t>(head_ + 1);
    buffer.first = 0;
    buffer.capacity = static_cast<std::uint16_t>(capacity);
    head_ = head_ + size == heap_words ? 0 : head_ + size;
    Hook::between();
    return true;
  }
  /// The youngest at the old place, at most so many. \return words
  std::uint32_t copy(std::uint32_t neuron, std::uint32_t most) noexcept {
    Buffer& buffer = buffers_[neuron];
    const std::uint32_t there = buffer.split - std::uint32_t{buffer.first}, count = there < most ? there : most;
    const std::uint32_t from = buffer.split - count, words = count * width;
    Target::copy_words(cell(buffer.base + from * width), cell(buffer.old + from * width), words);
    Hook::between();
    buffer.split = static_cast<std::uint16_t>(count == there ? 0 : from);
    moved_bytes_ += words * 4;
    return words;
  }
  [[nodiscard]] static constexpr bool is_old_place(const Buffer& buffer, std::uint32_t at,
                                                   std::uint32_t size) noexcept {
    return buffer.split != 0 && buffer.old > at && buffer.old < at + size;
  }
  /// The copier, for what `words` are worth; what is left of them is for the next call. Interrupts are kept out.
  [[gnu::noinline]] void copy_on(std::int32_t words) noexcept {
    const typename Hook::template During<gc::Work::compaction> compaction(used_ > copies_above);
    std::int32_t left = words + credit_;
    while (left > 0 && used_ > copies_above) {
      const std::uint32_t at = tail_, owner = heap_[at] & 0xFFFFU, size = heap_[at] >> 16;
      left -= BufferNumbers::visit;
      if (owner != nobody) {
        Buffer& buffer = buffers_[owner];
        if (buffer.base == at + 1) {
          if (left < BufferNumbers::beginning) break;
          left -= BufferNumbers::beginning;
          drop(owner, dead_events(owner));
          if (buffer.count == 0)
            buffer = {};
          else if (!move(owner, 0))
            break;
        }
        if (is_old_place(buffer, at, size)) {
          const std::int32_t most = left < words ? left : words;
          if (most < static_cast<std::int32_t>(width)) break;
          const auto copied = static_cast<std::int32_t>(copy(owner, static_cast<std::uint32_t>(most) / width));
          words -= copied;
          left -= copied;
          if (buffer.split != 0) break;
        }
      }
      Hook::between();
      tail_ = at + size == heap_words ? 0 : at + size;
      used_ -= size;
    }
    if (left > BufferNumbers::beginning) left = BufferNumbers::beginning; // it waits for memory
    credit_ = used_ > copies_above ? left : 0;
  }

  std::uint32_t now_;
  std::uint32_t stored_ = 0, reclaimed_ = 0, moved_bytes_ = 0, most_events_ = 0, too_late_ = 0;
  std::uint32_t full_at_ = limit; // when so many have been stored, `limit` are in memory
  std::uint32_t head_ = 0, tail_ = 0, used_ = 0;
  std::int32_t credit_ = 0; // words' worth of work that the last call left over
  [[no_unique_address]] gc::UnreadCounter<Liveness> unread_{};
  Scanner<Layout> scanner_;
  std::array<Buffer, neurons> buffers_{};
  std::array<std::uint32_t, heap_words> heap_{};
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
