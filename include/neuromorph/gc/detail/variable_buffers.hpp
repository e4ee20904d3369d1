// SPDX-License-Identifier: BSL-1.0
/// \file
/// Buffers that grow, move and are compacted through scratch memory: what gc::Baker and gc::Generational have in
/// common.
#ifndef NEUROMORPH_GC_DETAIL_VARIABLE_BUFFERS_HPP
#define NEUROMORPH_GC_DETAIL_VARIABLE_BUFFERS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/liveness.hpp>
#include <neuromorph/target/device/copy_engine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// An event in words, which engines can copy: its time, then trace and State.
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

/// \tparam Options  events, initial, extension, fragments, scan; Save, Restore, Scratch: of gc::Baker
/// \tparam Scanner  which neurons an advance looks at
///
/// Where an event is, is said by places: those of the heap, then those of scratch memory. A buffer is `capacity` places
/// from `base` on; its events are `count` of them from `first` on, oldest first. Free memory is the places from `top_`
/// on, and holes.
///
/// A round of compaction takes the buffers in order of address, in fragments: those of the heap that begin between
/// `source_` and `limit_` are saved to scratch memory one after another, and then stored, as one block, at `dest_`,
/// where the fragment before it ends. dest_ + fill_ <= the end of the fragment's last buffer, as none grows on the way.
/// A buffer on its way is known by where its neuron says it is: until a transfer is complete, where it comes from.
///
/// Transfers overlap with records and windows. The protocol: a buffer on its way from A to B stays in use at A, where
/// the engine only reads. When the transfer is complete, the processor copies what was recorded at A meanwhile to B,
/// and then says that the buffer is at B; both under the interrupt lock, a buffer at a time. One that is on its way is
/// not moved to its front; if it must be extended, it goes from A to the top, and its place at B becomes a hole. B is
/// nobody's memory: scratch memory first, and then the heap where a fragment stood of which all buffers are in scratch
/// memory. Where reads count, a window waits for the transfer of its neuron.
template <class Layout, class Options, template <class> class Scanner>
class VariableBuffers {
  using Trace = typename Layout::Trace;
  using Liveness = typename Layout::Liveness;
  using Target = typename Layout::Target;
  using Hook = typename Layout::Hook;
  using Lock = typename Target::InterruptLock;
  using Save = typename Options::Save;
  using Restore = typename Options::Restore;
  using Words = EventWords<Trace, typename Liveness::State>;
  static constexpr std::uint32_t places = Options::events;
  static constexpr std::uint32_t neurons = Layout::neurons;
  static constexpr std::uint32_t extension = Options::extension;
  static constexpr std::uint32_t nobody = ~0U;
  static constexpr std::uint32_t chosen_at_once = 16;  // neurons under one lock
  static constexpr std::uint32_t surveyed_at_once = 8; // neurons, by an advance
  static_assert(places >= 1 && places <= 32767, "neuromorph: gc::Baker and gc::Generational hold 1 to 32767 events; "
                                                "see docs/traces.md");
  static_assert(Options::initial >= 1 && extension >= 1 && Options::fragments >= 1 && Options::scan >= 1,
                "neuromorph: gc::Baker and gc::Generational have at least one initial event, extension, fragment and "
                "scanned neuron; see docs/traces.md");
  static_assert(target::CopyEngine<Save> && target::CopyEngine<Restore>,
                "neuromorph: SaveEngine and RestoreEngine lack what a target::CopyEngine offers; see docs/target.md");

  struct Buffer {
    std::uint16_t base = 0, capacity = 0, first = 0, count = 0;
    [[nodiscard]] constexpr std::uint32_t end() const noexcept { return std::uint32_t{first} + count; }
  };
  enum class Phase : std::uint8_t { idle, choosing, saving, storing, switching };

public:
  using Offers = offer::List<offer::RecordFast>;
  /// Outside the heap. Need not be initialised.
  struct ScratchMemory {
    std::array<std::uint32_t, std::size_t{places} * Words::count> words;
    std::array<std::uint16_t, neurons> fragment; ///< neurons
    std::array<std::uint16_t, neurons> sealed;   ///< of a buffer here: the end of what was here before it left
  };
  static constexpr std::size_t scratch_bytes = sizeof(ScratchMemory);
  /// Of the heap's memory; that of Scratch and of engines not included.
  static constexpr std::size_t bytes = std::size_t{places} * Words::count * 4 + std::size_t{neurons} * sizeof(Buffer) +
                                       sizeof(Scanner<Layout>) + 100 + gc::UnreadCounter<Liveness>::bytes;
  static constexpr std::uint32_t ahead = 1U << 27;
  /// Each neuron is looked at before its events are so old that they look young.
  static constexpr std::uint32_t longest_step = (1U << 29) / Scanner<Layout>::ticks_for_all;
  static constexpr bool keeps_views = false;

  class Cursor {
  public:
    [[nodiscard]] constexpr bool done() const noexcept { return left_ == 0; }
    [[nodiscard]] constexpr std::uint32_t time() const noexcept { return *at_; }
    [[nodiscard]] Trace trace() const noexcept { return Words::trace(at_); }
    constexpr void advance() noexcept {
      at_ += Words::count;
      --left_;
    }
    [[nodiscard]] constexpr Cursor before() const noexcept {
      Cursor only;
      only.at_ = has_earlier_ ? at_ - Words::count : at_;
      only.left_ = has_earlier_ ? 1 : 0;
      return only;
    }

  private:
    friend VariableBuffers;
    const std::uint32_t* at_ = nullptr;
    std::uint32_t left_ = 0;
    bool has_earlier_ = false;
  };

  explicit constexpr VariableBuffers(std::uint32_t start) noexcept : now_(start), scanner_(start) {}

  [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }

  gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) noexcept {
    Buffer& buffer = buffers_[neuron];
    if (buffer.end() == buffer.capacity && !make_room(neuron)) return gc::Recorded::refused_full;
    Words::set(cell(buffer.base + buffer.end()), time, trace);
    Hook::between();
    if (buffer.count++ == 0) scanner_.has_oldest(neuron, time);
    Hook::between();
    ++stored_;
    return gc::Recorded::stored;
  }
  /// In a buffer that has events and room.
  [[gnu::always_inline]] bool record_fast(std::uint32_t neuron, std::uint32_t time, const Trace& trace,
                                          std::uint32_t) noexcept {
    Buffer& buffer = buffers_[neuron];
    const std::uint32_t end = buffer.end();
    if (buffer.count == 0 || end == buffer.capacity) [[unlikely]]
      return false;
    Words::set(cell(buffer.base + end), time, trace);
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
    if constexpr (Layout::counts_reads) settle(neuron);
    const Cursor cursor = find(neuron, after, until);
    if constexpr (Layout::counts_reads) {
      std::uint32_t* at = const_cast<std::uint32_t*>(cursor.at_);
      for (std::uint32_t left = cursor.left_; left != 0; --left, at += Words::count) {
        auto state = Words::state(at);
        Liveness::read(state);
        Words::set_state(at, state);
        is_full_ = false;
      }
    }
    return cursor;
  }

  bool advance_to(std::uint32_t now) noexcept {
    {
      Lock lock;
      now_ = now;
      is_full_ = false;
      scanner_.begin(now);
    }
    for (std::uint32_t looks = 0; looks < Scanner<Layout>::looks; ++looks) {
      Hook::between();
      Lock lock;
      const std::uint32_t neuron = scanner_.next(now);
      if (neuron == nobody) break;
      const std::uint32_t dead = dead_events(neuron);
      drop(neuron, dead);
      const Buffer& buffer = buffers_[neuron];
      if (buffer.count != 0) scanner_.was_looked_at(neuron, *cell(buffer.base + buffer.first), now);
    }
    compact();
    return phase_ != Phase::idle;
  }

  [[nodiscard]] constexpr std::size_t events() const noexcept { return stored_ - reclaimed_ - cleared_; }

  void clear() noexcept {
    wait_for_engines();
    see_most();
    cleared_ += static_cast<std::uint32_t>(events());
    buffers_ = {};
    scanner_ = Scanner<Layout>(now_);
    top_ = owned_ = 0;
    end_round();
  }

  constexpr void add_to(gc::Counts& counts) const noexcept {
    counts.stored += stored_;
    counts.reclaimed += reclaimed_;
    counts.reclaimed_unread += unread_.count();
    counts.cleared += cleared_;
    counts.moved_bytes += moved_bytes_;
    const auto in_memory = static_cast<std::uint32_t>(events());
    counts.most_events += in_memory > most_events_ ? in_memory : most_events_;
  }

  /// Events that the free block has room for, and that holes have.
  [[nodiscard]] constexpr std::uint32_t free_block() const noexcept { return places - top_; }
  [[nodiscard]] constexpr std::uint32_t holes() const noexcept { return top_ - owned_; }
  [[nodiscard]] constexpr bool is_compacting() const noexcept { return phase_ != Phase::idle; }
  /// Records that found no room without compacting everything at once; the longest pauses.
  [[nodiscard]] constexpr std::uint32_t full_collections() const noexcept { return full_collections_; }

  [[nodiscard]] bool is_consistent() const noexcept {
    std::array<bool, 2 * places> taken{};
    std::uint32_t counted = 0, owned = 0;
    const auto take = [&](std::uint32_t from, std::uint32_t count) {
      for (std::uint32_t place = from; place < from + count; ++place) {
        if (place >= 2 * places || taken[place]) return false;
        taken[place] = true;
      }
      return true;
    };
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
      const Buffer& buffer = buffers_[neuron];
      counted += buffer.count;
      owned += buffer.capacity;
      if (buffer.end() > buffer.capacity || !take(buffer.base, buffer.capacity)) return false;
      if (buffer.capacity != 0) {
        const std::uint32_t end = std::uint32_t{buffer.base} + buffer.capacity;
        if (buffer.base < places) {
          if (end > top_) return false;
        } else {
          if (phase_ < Phase::saving || end > places + fill_) return false;
          // Where it goes, nobody else may be.
          if (phase_ >= Phase::storing && !take(dest_ + buffer.base - places, buffer.capacity)) return false;
        }
      }
      bool alive = false; // what is gone may be younger than what has come since
      for (std::uint32_t event = buffer.first; event < buffer.end(); ++event) {
        const std::uint32_t* const words = cell(buffer.base + event);
        if (alive && is_before(*words, *(words - Words::count))) return false;
        alive = alive || !is_dead(words);
      }
    }
    const bool is_listed = scanner_.is_consistent([&](std::uint32_t neuron) { return buffers_[neuron].count != 0; });
    return is_listed && counted == events() && owned == owned_ && owned_ <= places && top_ <= places &&
           dest_ + fill_ <= top_;
  }

private:
  Cursor find(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
    const Buffer& buffer = buffers_[neuron];
    std::uint32_t dead = 0;
    if constexpr (!gc::HasWindow<Liveness> || Layout::counts_reads) dead = dead_events(neuron);
    const std::uint32_t* at = cell(buffer.base + buffer.first + dead);
    std::uint32_t left = buffer.count - dead;
    Cursor cursor;
    while (left != 0 && !is_before(after, *at)) {
      cursor.has_earlier_ = true;
      at += Words::count;
      --left;
    }
    cursor.at_ = at;
    for (; left != 0 && !is_before(until, *at); --left, at += Words::count) ++cursor.left_;
    return cursor;
  }
  [[nodiscard]] std::uint32_t* cell(std::uint32_t place) noexcept {
    return place < places ? heap_.data() + place * Words::count
                          : scratch_.get().words.data() + (place - places) * Words::count;
  }
  [[nodiscard]] const std::uint32_t* cell(std::uint32_t place) const noexcept {
    return place < places ? heap_.data() + place * Words::count
                          : scratch_.get().words.data() + (place - places) * Words::count;
  }
  [[nodiscard]] bool is_dead(const std::uint32_t* words) const noexcept {
    return Layout::is_dead(Words::state(words), *words, now_);
  }
  /// From the oldest to the first that is alive.
  [[nodiscard]] std::uint32_t dead_events(std::uint32_t neuron) const noexcept {
    const Buffer& buffer = buffers_[neuron];
    const std::uint32_t* words = cell(buffer.base + buffer.first);
    std::uint32_t dead = 0;
    for (; dead < buffer.count && is_dead(words); words += Words::count) ++dead;
    return dead;
  }
  /// An engine may be reading it, or what is late is known by its place.
  [[nodiscard]] bool is_on_its_way(std::uint32_t neuron) const noexcept {
    return buffers_[neuron].base >= places || neuron == saving_;
  }
  void see_most() noexcept {
    if (events() > most_events_) most_events_ = static_cast<std::uint32_t>(events());
  }
  /// The oldest `count`; where they are stays the buffer's.
  void drop(std::uint32_t neuron, std::uint32_t count) noexcept {
    if (count == 0) return;
    see_most();
    Buffer& buffer = buffers_[neuron];
    for (std::uint32_t dead = 0; gc::WaitsForReads<Liveness> && dead != count; ++dead)
      unread_.see(Words::state(cell(std::uint32_t{buffer.base} + buffer.first + dead)));
    buffer.count = static_cast<std::uint16_t>(buffer.count - count);
    Hook::between();
    const bool is_empty = buffer.count == 0 && !is_on_its_way(neuron);
    buffer.first = static_cast<std::uint16_t>(is_empty ? 0 : buffer.first + count);
    Hook::between();
    reclaimed_ += count;
  }
  void set_capacity(Buffer& buffer, std::uint32_t capacity) noexcept {
    owned_ = owned_ + capacity - buffer.capacity;
    buffer.capacity = static_cast<std::uint16_t>(capacity);
  }
  void give_back(Buffer& buffer) noexcept {
    set_capacity(buffer, 0);
    buffer.base = buffer.first = 0;
  }
  /// By the processor; stretches do not overlap.
  void copy_events(std::uint32_t to, std::uint32_t from, std::uint32_t count) noexcept {
    if (count == 0) return;
    Target::copy_words(cell(to), cell(from), count * Words::count);
    moved_bytes_ += count * static_cast<std::uint32_t>(Words::count * 4);
  }

  /// For one event more, in a buffer that is full to its end.
  bool make_room(std::uint32_t neuron) noexcept {
    if (is_full_) return false;
    Buffer& buffer = buffers_[neuron];
    drop(neuron, dead_events(neuron));
    if (buffer.end() != buffer.capacity) return true;
    if (buffer.first * 4U >= buffer.count && move_to_front(neuron)) return true;
    const std::uint32_t room = places - top_;
    if (phase_ == Phase::idle && buffer.capacity != 0 && room != 0 &&
        std::uint32_t{buffer.base} + buffer.capacity == top_) {
      const std::uint32_t wanted = enlarged(buffer.count) - buffer.count, more = wanted < room ? wanted : room;
      top_ += more;
      Hook::between();
      set_capacity(buffer, buffer.capacity + more);
      return true;
    }
    if (room > buffer.count) {
      const std::uint32_t wanted = buffer.count == 0 ? Options::initial : enlarged(buffer.count);
      const std::uint32_t capacity = wanted < room ? wanted : room, base = top_;
      top_ += capacity;
      Hook::between();
      copy_events(base, buffer.base + buffer.first, buffer.count);
      Hook::between();
      set_capacity(buffer, capacity);
      buffer.base = static_cast<std::uint16_t>(base);
      buffer.first = 0;
      Hook::between();
      return true;
    }
    return move_to_front(neuron) || collect_all(neuron);
  }
  /// The live ones over the dead ones; false if there are none.
  bool move_to_front(std::uint32_t neuron) noexcept {
    Buffer& buffer = buffers_[neuron];
    if (buffer.first == 0 || is_on_its_way(neuron)) return false;
    std::uint32_t* const to = cell(buffer.base);
    const std::uint32_t* const from = cell(std::uint32_t{buffer.base} + buffer.first);
    const std::uint32_t words = buffer.count * static_cast<std::uint32_t>(Words::count);
    for (std::uint32_t word = 0; word < words; ++word) to[word] = from[word]; // they may overlap
    Hook::between();
    buffer.first = 0;
    moved_bytes_ += words * 4;
    return true;
  }
  /// All buffers to scratch memory and back, without what they do not need; the free ones share what is left.
  bool collect_all(std::uint32_t neuron) noexcept {
    for (std::uint32_t each = 0; each < neurons; ++each) drop(each, dead_events(each));
    const auto live = static_cast<std::uint32_t>(events());
    if (live >= places) {
      is_full_ = true; // until the clock moves or events are read
      return false;
    }
    wait_for_engines();
    if (phase_ == Phase::switching) {
      while (at_ != fragment_size_) switch_over(scratch_.get().fragment[at_++]);
      fill_ = 0;
    }
    // There is room: who is there already has left as many places of the heap, at least.
    for (std::uint32_t each = 0; each < neurons; ++each) {
      Buffer& buffer = buffers_[each];
      if (buffer.count == 0) {
        give_back(buffer);
      } else if (buffer.base < places) {
        copy_events(places + fill_, std::uint32_t{buffer.base} + buffer.first, buffer.count);
        buffer.base = static_cast<std::uint16_t>(places + fill_);
        buffer.first = 0;
        fill_ += buffer.count;
      }
    }
    const std::uint32_t share = (places - live) / neurons;
    top_ = 0;
    for (std::uint32_t each = 0; each < neurons; ++each) {
      Buffer& buffer = buffers_[each];
      if (buffer.count == 0 && each != neuron) continue;
      const std::uint32_t more = each == neuron && share == 0 ? 1 : share < extension ? share : extension;
      copy_events(top_, std::uint32_t{buffer.base} + buffer.first, buffer.count);
      buffer.base = static_cast<std::uint16_t>(top_);
      buffer.first = 0;
      set_capacity(buffer, buffer.count + more);
      top_ += buffer.capacity;
    }
    ++full_collections_;
    end_round();
    return true;
  }

  // --- compaction ------------------------------------------------------------------------------------------------

  /// Afterwards both engines leave memory alone, and each buffer is where its neuron says.
  void wait_for_engines() noexcept {
    if (saving_ != nobody) target::wait(save_, transfer_);
    if (phase_ == Phase::storing && is_under_way_) target::wait(restore_, transfer_);
  }
  void end_round() noexcept {
    phase_ = Phase::idle;
    saving_ = nobody;
    fill_ = dest_ = 0;
    surveyed_ = spare_so_far_ = spare_ = 0;
    is_under_way_ = is_full_ = false;
  }
  /// Whether a round would make the free block larger by half, at least. An advance asks some neurons what they have more
  /// than they need.
  [[nodiscard]] bool is_due() noexcept {
    if (free_block() >= places / 2) return false;
    for (std::uint32_t left = surveyed_at_once; left != 0; --left) {
      const Buffer& buffer = buffers_[surveyed_];
      const std::uint32_t needed = needed_capacity(buffer.count);
      if (buffer.capacity > needed) spare_so_far_ += buffer.capacity - needed;
      if (++surveyed_ != neurons) continue;
      spare_ = spare_so_far_;
      surveyed_ = spare_so_far_ = 0;
      break;
    }
    return holes() + spare_ > free_block() / 2 + places / 16;
  }
  /// So large a compaction leaves a buffer at most.
  [[nodiscard]] static std::uint32_t needed_capacity(std::uint32_t count) noexcept {
    return count == 0 ? 0 : enlarged(count);
  }
  /// A large one grows by a part of it, so that it is not moved too often.
  [[nodiscard]] static std::uint32_t enlarged(std::uint32_t count) noexcept {
    return count + (count / 4 > extension ? count / 4 : extension);
  }
  void begin_fragment() noexcept {
    limit_ = source_ + region_ < top_ ? source_ + region_ : top_;
    fragment_size_ = at_ = fill_ = 0;
    phase_ = Phase::choosing;
  }
  void end_fragment() noexcept {
    dest_ += fill_;
    source_ = limit_ > dest_ ? limit_ : dest_; // the fragment's last buffer may have been beyond the limit
    if (source_ >= top_) {
      top_ = dest_;
      end_round();
    } else {
      begin_fragment();
    }
  }

  /// A fragment, or as much of it as can be done without waiting for a device. An interrupt that collects everything
  /// ends the round under its feet.
  void compact() noexcept {
    if (phase_ == Phase::idle) {
      Lock lock;
      if (!is_due()) return;
      source_ = dest_ = 0;
      region_ = (top_ + Options::fragments - 1) / Options::fragments;
      begin_fragment();
    }
    while (is_choosing()) Hook::between();
    while (is_saving()) Hook::between();
    while (is_storing()) Hook::between();
    while (is_switching()) Hook::between();
  }
  /// Lists the buffers of the fragment. Whoever is extended meanwhile goes to the top, whose turn comes.
  bool is_choosing() noexcept {
    Lock lock;
    if (phase_ != Phase::choosing) return false;
    for (std::uint32_t left = chosen_at_once; left != 0 && at_ < neurons; --left, ++at_) {
      Buffer& buffer = buffers_[at_];
      if (!is_in_fragment(buffer)) continue;
      if (buffer.count == 0)
        give_back(buffer);
      else
        scratch_.get().fragment[fragment_size_++] = static_cast<std::uint16_t>(at_);
    }
    if (at_ < neurons) return true;
    at_ = 0;
    phase_ = Phase::saving;
    return false;
  }
  [[nodiscard]] bool is_in_fragment(const Buffer& buffer) const noexcept {
    return buffer.capacity != 0 && buffer.base >= source_ && buffer.base < limit_;
  }
  /// One buffer. A device is waited for with interrupts let in.
  bool is_saving() noexcept {
    Lock lock;
    if (phase_ != Phase::saving) return false;
    if (saving_ != nobody) {
      if (save_.is_complete(transfer_))
        finish_saving();
      else
        save_.poll();
      return true;
    }
    if (at_ == fragment_size_) {
      at_ = 0;
      is_under_way_ = false;
      if (fill_ != 0)
        phase_ = Restore::is_immediate ? Phase::switching : Phase::storing;
      else
        end_fragment();
      return false;
    }
    const std::uint32_t neuron = scratch_.get().fragment[at_];
    Buffer& buffer = buffers_[neuron];
    if (!is_in_fragment(buffer)) {
      ++at_;
      return true;
    }
    drop(neuron, dead_events(neuron));
    if (buffer.count == 0) {
      give_back(buffer);
      ++at_;
      return true;
    }
    transfer_ = save_.start(cell(places + fill_), cell(std::uint32_t{buffer.base} + buffer.first),
                            buffer.count * Words::count * 4);
    if (transfer_ == target::Transfer::none) return false;
    saving_ = neuron;
    saved_base_ = buffer.base;
    saved_first_ = buffer.first;
    saved_end_ = buffer.end();
    if constexpr (Save::is_immediate) finish_saving();
    return true;
  }
  /// What was recorded meanwhile follows; from here on its neuron says that it is in scratch memory.
  void finish_saving() noexcept {
    const std::uint32_t neuron = saving_;
    Buffer& buffer = buffers_[neuron];
    saving_ = nobody;
    ++at_;
    if (buffer.base != saved_base_) return; // it was extended, and is elsewhere
    if (buffer.count == 0) {
      give_back(buffer);
      return;
    }
    const std::uint32_t length = buffer.end() - saved_first_;
    copy_events(places + fill_ + (saved_end_ - saved_first_), buffer.base + saved_end_, buffer.end() - saved_end_);
    moved_bytes_ += (saved_end_ - saved_first_) * static_cast<std::uint32_t>(Words::count * 4);
    const std::uint32_t capacity = enlarged(length);
    if (capacity < buffer.capacity) set_capacity(buffer, capacity);
    if constexpr (!Restore::is_immediate) scratch_.get().sealed[neuron] = static_cast<std::uint16_t>(length);
    Hook::between();
    buffer.base = static_cast<std::uint16_t>(places + fill_);
    buffer.first = static_cast<std::uint16_t>(buffer.first - saved_first_);
    fill_ += buffer.capacity;
  }
  /// By a device: everything, while ticks go on.
  bool is_storing() noexcept {
    if constexpr (!Restore::is_immediate) {
      Lock lock;
      if (phase_ != Phase::storing) return false;
      if (is_under_way_) {
        restore_.poll();
        if (restore_.is_complete(transfer_)) finish_storing();
        return false;
      }
      transfer_ = restore_.start(cell(dest_), cell(places), fill_ * Words::count * 4);
      is_under_way_ = transfer_ != target::Transfer::none;
    }
    return false;
  }
  void finish_storing() noexcept {
    moved_bytes_ += fill_ * static_cast<std::uint32_t>(Words::count * 4);
    at_ = 0;
    phase_ = Phase::switching;
  }
  /// One buffer.
  bool is_switching() noexcept {
    Lock lock;
    if (phase_ != Phase::switching) return false;
    if (at_ == fragment_size_) {
      end_fragment();
      return false;
    }
    switch_over(scratch_.get().fragment[at_]);
    ++at_;
    return true;
  }
  /// What a device has not stored, as it was recorded since the buffer was saved, or everything, by the processor; from
  /// here on its neuron says that it is in the heap.
  void switch_over(std::uint32_t neuron) noexcept {
    Buffer& buffer = buffers_[neuron];
    if (buffer.base < places) return;
    const std::uint32_t base = dest_ + buffer.base - places;
    if constexpr (Restore::is_immediate) {
      (void)restore_.start(cell(base + buffer.first), cell(std::uint32_t{buffer.base} + buffer.first),
                           buffer.count * Words::count * 4);
      moved_bytes_ += buffer.count * static_cast<std::uint32_t>(Words::count * 4);
    } else {
      const std::uint32_t sealed = scratch_.get().sealed[neuron];
      if (buffer.end() > sealed) copy_events(base + sealed, buffer.base + sealed, buffer.end() - sealed);
    }
    Hook::between();
    buffer.base = static_cast<std::uint16_t>(base);
  }
  /// Where reads count, a buffer that is read must not be on its way: marks would stay behind.
  void settle(std::uint32_t neuron) noexcept {
    if (neuron == saving_) {
      target::wait(save_, transfer_);
      finish_saving();
    }
    if (buffers_[neuron].base < places || phase_ < Phase::storing) return;
    if (phase_ == Phase::storing) {
      if (!is_under_way_) return;
      target::wait(restore_, transfer_);
      finish_storing();
    }
    switch_over(neuron);
  }

  std::uint32_t now_;
  std::uint32_t stored_ = 0, reclaimed_ = 0, cleared_ = 0, moved_bytes_ = 0, most_events_ = 0, full_collections_ = 0;
  std::uint32_t top_ = 0;   // from here on, no place has an owner
  std::uint32_t owned_ = 0; // places, of all buffers together
  // Of the round: places below `dest_` are compact, buffers from `source_` on have not been looked at.
  std::uint32_t source_ = 0, dest_ = 0, region_ = 0;
  // Of the search for a reason to begin one: neurons that were asked, what they have to spare, what all had.
  std::uint32_t surveyed_ = 0, spare_so_far_ = 0, spare_ = 0;
  // Of the fragment.
  std::uint32_t limit_ = 0, fragment_size_ = 0, at_ = 0, fill_ = 0;
  std::uint32_t saving_ = nobody, saved_base_ = 0, saved_first_ = 0, saved_end_ = 0;
  target::Transfer transfer_ = target::Transfer::none;
  Phase phase_ = Phase::idle;
  bool is_under_way_ = false; // to the heap
  bool is_full_ = false;      // of live events, when that was last looked at
  [[no_unique_address]] gc::UnreadCounter<Liveness> unread_{};
  [[no_unique_address]] Save save_{};
  [[no_unique_address]] Restore restore_{};
  Scanner<Layout> scanner_;
  std::array<Buffer, neurons> buffers_{};
  std::array<std::uint32_t, std::size_t{places} * Words::count> heap_{};
  [[no_unique_address]] typename Options::Scratch::template Place<ScratchMemory> scratch_{};
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
