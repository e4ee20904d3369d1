// SPDX-License-Identifier: BSL-1.0
// Faults of the known implementation, put into stores on purpose: what the tests of collectors say of each. That of the
// lock that keeps no interrupt out is in every collector's own test.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/trace_battery.hpp"

namespace {

using namespace neuromorph;

/// Buffers that find a trace in memory by shifting its number, as long as nothing dies.
template <unsigned Shift>
struct Shifted {
  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    static constexpr std::size_t room = 24;
    struct Buffer {
      std::size_t count = 0;
      std::array<std::uint32_t, room> times{};
      std::array<unsigned char, room * 16 + 16> traces{};
    };

  public:
    static constexpr std::size_t bytes = Layout::neurons * sizeof(Buffer);
    static constexpr std::uint32_t ahead = 100, longest_step = 1U << 29;
    using Offers = offer::List<>;
    static constexpr bool keeps_views = true;
    class Cursor {
    public:
      bool done() const { return at == end; }
      std::uint32_t time() const { return buffer->times[at]; }
      Trace trace() const {
        std::array<unsigned char, sizeof(Trace)> copy;
        std::memcpy(copy.data(), buffer->traces.data() + (at << Shift), sizeof(Trace));
        return std::bit_cast<Trace>(copy);
      }
      void advance() { ++at; }
      Cursor before() const { return {buffer, earlier - (earlier == 0 ? 0 : 1), earlier, 0}; }
      const Buffer* buffer;
      std::size_t at, end, earlier;
    };
    explicit Heap(std::uint32_t start) : now_(start) {}
    std::uint32_t now() const { return now_; }
    gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) {
      Buffer& buffer = buffers_[neuron];
      if (buffer.count == room) return gc::Recorded::refused_full;
      buffer.times[buffer.count] = time;
      std::memcpy(buffer.traces.data() + (buffer.count << Shift), &trace, sizeof(Trace));
      ++buffer.count;
      return gc::Recorded::stored;
    }
    Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
      const Buffer& buffer = buffers_[neuron];
      std::size_t first = 0, last = buffer.count;
      while (first != last && !neuromorph::is_before(after, buffer.times[first])) ++first;
      while (first != last && neuromorph::is_before(until, buffer.times[last - 1])) --last;
      return {&buffer, first, last, first};
    }
    Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) { return look(neuron, after, until); }
    bool advance_to(std::uint32_t now) {
      now_ = now;
      return false;
    }
    std::size_t events() const {
      std::size_t all = 0;
      for (const Buffer& buffer : buffers_) all += buffer.count;
      return all;
    }
    void clear() { buffers_ = {}; }
    void add_to(gc::Counts& counts) const {
      counts.stored += static_cast<std::uint32_t>(events());
      counts.most_events += static_cast<std::uint32_t>(events());
    }
    bool is_consistent() const { return true; }

  private:
    std::uint32_t now_;
    std::array<Buffer, Layout::neurons> buffers_{};
  };
};
template <unsigned Shift>
struct ShiftedCase {
  template <std::size_t, std::size_t>
  using Collector = Shifted<Shift>;
  static constexpr bool gives_way = false;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  template <std::size_t, class Model>
  static bool must_fit(const Model& model, std::uint32_t neuron) {
    return model.live(neuron) < 24;
  }
};
/// Events of some neurons, compared after each.
template <unsigned Shift, class Trace>
std::string some_events() {
  battery::Pair<ShiftedCase<Shift>, Trace, 3, 24> pair(0);
  std::string wrong;
  for (std::uint32_t event = 0; event < 60 && wrong.empty(); ++event) {
    wrong = pair.record(event % 3, 0);
    if (wrong.empty()) wrong = pair.compare_all();
  }
  return wrong;
}

/// The known implementation in small: buffers in one heap, compacted by way of scratch memory, which a transfer fills;
/// a list of buffers from which empty ones are taken; a table of how many neurons' oldest events are how old. Right,
/// but for what is named.
enum class Fault {
  none,
  wait_does_not_wait,   // for the transfer's end
  copies_one_word_more, // where bytes are rounded up to words
  generation_one_past_the_end,
  removal_skips_the_next, // while all buffers are gone through
};
template <Fault fault>
struct Known {
  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    using Liveness = typename Layout::Liveness;
    static constexpr std::size_t event_bytes = 4 + sizeof(Trace), room = 12;
    static constexpr std::size_t size = room * event_bytes, generations = 4;
    struct Buffer {
      std::size_t offset = 0, capacity = 0, count = 0; // bytes, events
    };

  public:
    static constexpr std::size_t bytes = size;
    static constexpr std::uint32_t ahead = 100, longest_step = 1U << 29;
    using Offers = offer::List<>;
    static constexpr bool keeps_views = false;
    struct Cursor {
      const Heap* heap;
      std::size_t at, left, earlier;
      Cursor before() const { return earlier == 0 ? Cursor{heap, at, 0, 0} : Cursor{heap, at - event_bytes, 1, 0}; }
      bool done() const { return left == 0; }
      std::uint32_t time() const { return heap->time_at(at); }
      Trace trace() const {
        std::array<unsigned char, sizeof(Trace)> copy;
        std::memcpy(copy.data(), heap->memory_.data() + at + 4, sizeof(Trace));
        return std::bit_cast<Trace>(copy);
      }
      void advance() { at += event_bytes, --left; }
    };

    explicit Heap(std::uint32_t start) : now_(start) {}
    std::uint32_t now() const { return now_; }
    std::size_t events() const {
      std::size_t all = 0;
      for (const Buffer& buffer : buffers_) all += buffer.count;
      return all;
    }
    gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool) {
      Buffer& buffer = buffers_[neuron];
      trim(neuron);
      if (buffer.count != 0 && neuromorph::is_before(time, time_at(place(buffer, buffer.count - 1))))
        return gc::Recorded::refused_out_of_order;
      if (buffer.count == buffer.capacity) compact(neuron);
      if (buffer.count == buffer.capacity) return gc::Recorded::refused_full;
      std::memcpy(memory_.data() + place(buffer, buffer.count), &time, 4);
      std::memcpy(memory_.data() + place(buffer, buffer.count) + 4, &trace, sizeof(Trace));
      ++buffer.count;
      ++stored_;
      if (events() > most_) most_ = static_cast<std::uint32_t>(events());
      count_generations();
      return gc::Recorded::stored;
    }
    Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
      trim(neuron);
      const Buffer& buffer = buffers_[neuron];
      std::size_t first = 0, last = buffer.count;
      while (first != last && !neuromorph::is_before(after, time_at(place(buffer, first)))) ++first;
      while (first != last && neuromorph::is_before(until, time_at(place(buffer, last - 1)))) --last;
      return {this, place(buffer, first), last - first, first};
    }
    Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) { return look(neuron, after, until); }
    bool advance_to(std::uint32_t now) {
      now_ = now;
      for (std::uint32_t neuron = 0; neuron < Layout::neurons; ++neuron) trim(neuron);
      count_generations();
      return false;
    }
    void clear() {
      cleared_ += static_cast<std::uint32_t>(events());
      buffers_ = {};
      order_.clear();
      table_ = {};
    }
    void add_to(gc::Counts& counts) const {
      counts.stored += stored_;
      counts.cleared += cleared_;
      counts.reclaimed += stored_ - cleared_ - static_cast<std::uint32_t>(events());
      counts.most_events += most_;
    }
    bool is_consistent() const {
      std::size_t end = 0, with_events = 0;
      for (const std::uint32_t neuron : order_) {
        const Buffer& buffer = buffers_[neuron];
        if (buffer.offset < end || buffer.count > buffer.capacity) return false;
        end = place(buffer, buffer.capacity);
      }
      for (const Buffer& buffer : buffers_) with_events += buffer.count != 0;
      for (std::size_t generation = 0; generation < generations; ++generation) with_events -= table_[generation];
      return end <= size && with_events == 0;
    }

  private:
    static std::size_t place(const Buffer& buffer, std::size_t event) { return buffer.offset + event * event_bytes; }
    std::uint32_t time_at(std::size_t at) const {
      std::uint32_t time = 0;
      std::memcpy(&time, memory_.data() + at, 4);
      return time;
    }
    void trim(std::uint32_t neuron) {
      Buffer& buffer = buffers_[neuron];
      while (buffer.count != 0 && Liveness::is_dead({}, time_at(buffer.offset), now_)) {
        buffer.offset += event_bytes;
        --buffer.count, --buffer.capacity;
      }
    }
    /// Ages 0 to window, in so many parts.
    void count_generations() {
      table_ = {};
      for (const Buffer& buffer : buffers_) {
        if (buffer.count == 0) continue;
        const std::uint32_t age = now_ - time_at(buffer.offset);
        const std::size_t ages = Liveness::window + (fault == Fault::generation_one_past_the_end ? 0 : 1);
        ++table_[age > Liveness::window ? 0 : age * generations / ages]; // what is ahead is young
      }
    }
    /// All buffers side by side, and what is free behind that of `wanted`.
    void compact(std::uint32_t wanted) {
      for (std::uint32_t neuron = 0; neuron < Layout::neurons; ++neuron) trim(neuron);
      for (std::size_t at = 0; at < order_.size();) {
        if (buffers_[order_[at]].count == 0 || order_[at] == wanted) {
          if (buffers_[order_[at]].count == 0) buffers_[order_[at]] = {};
          order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(at));
          if (fault != Fault::removal_skips_the_next) continue;
        }
        ++at;
      }
      order_.push_back(wanted); // last, so that it has the room
      std::array<unsigned char, size> kept{};
      const std::size_t kept_bytes = buffers_[wanted].count * event_bytes;
      std::memcpy(kept.data(), memory_.data() + buffers_[wanted].offset, kept_bytes);
      std::size_t to = 0;
      for (const std::uint32_t neuron : order_) {
        Buffer& buffer = buffers_[neuron];
        const std::size_t length = buffer.count * event_bytes;
        if (neuron != wanted) {
          transfer(buffer.offset, length);
          const std::size_t copied = fault == Fault::copies_one_word_more ? (length / 4 + 1) * 4 : length;
          std::memcpy(memory_.data() + to, scratch_.data(), copied);
        } else {
          std::memcpy(memory_.data() + to, kept.data(), kept_bytes);
        }
        buffer = {to, neuron == wanted ? (size - to) / event_bytes : buffer.count, buffer.count};
        to += length;
      }
    }
    /// To scratch memory. What is not waited for arrives when the next one starts.
    void transfer(std::size_t from, std::size_t length) {
      std::memcpy(scratch_.data(), pending_.data(), pending_bytes_);
      std::memcpy(pending_.data(), memory_.data() + from, length);
      pending_bytes_ = length;
      if (fault != Fault::wait_does_not_wait) std::memcpy(scratch_.data(), pending_.data(), length);
    }

    std::uint32_t now_, stored_ = 0, cleared_ = 0, most_ = 0;
    std::array<Buffer, Layout::neurons> buffers_{};
    std::vector<std::uint32_t> order_;                 // of buffers in memory
    std::array<std::size_t, generations + 1> table_{}; // and what is behind it
    std::array<unsigned char, size + 4> memory_{}, scratch_{}, pending_{};
    std::size_t pending_bytes_ = 0;
  };
};
template <Fault fault>
struct KnownCase {
  template <std::size_t, std::size_t>
  using Collector = Known<fault>;
  static constexpr bool gives_way = false;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  template <std::size_t, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.live() < 12;
  }
};
/// What the streams that every collector must pass say.
template <Fault fault, class Trace>
std::string known_implementation() {
  using Pair = battery::Pair<KnownCase<fault>, Trace, 4, 12>;
  std::string wrong = battery::adversarial_steps<Pair>(20);
  for (std::uint32_t seed = 1; seed <= 20 && wrong.empty(); ++seed)
    wrong = battery::random_steps<Pair>(seed, 500, 0U - 300U);
  return wrong;
}

/// A synapse that sees each window of time once. How many of 20 events, one in 100 ticks, it sees when it is silent for
/// `silence` ticks before it looks again.
template <class Collector, class Liveness>
unsigned seen_after(std::uint32_t silence) {
  TraceStore<std::int32_t, 1, Collector, Liveness> store;
  unsigned seen = 0;
  std::uint32_t looked = 0U - 1U;
  for (std::uint32_t now = 0; now < 2000; ++now) {
    store.advance_to(now);
    if (now % 100 == 0) CHECK(gc::is_stored(store.record(0, now, 1)));
    if (now - looked < silence && now != 1999) continue;
    for (const auto& event : store.window(0, looked, now)) seen += event.time <= now;
    looked = now;
  }
  return seen;
}

} // namespace

TEST_CASE("faults: the wrong shift for traces of 8 bytes is noticed", "[gc]") {
  CHECK(some_events<2, std::uint32_t>() == "");
  CHECK(some_events<3, std::uint64_t>() == "");
  CHECK(some_events<2, std::uint64_t>() == "a trace has changed; ");
  CHECK(some_events<2, std::uint16_t>() == "");
}

TEST_CASE("faults: the known implementation, with a fault at a time", "[gc]") {
  CHECK(known_implementation<Fault::none, std::uint32_t>() == "");
  CHECK(known_implementation<Fault::none, std::uint8_t>() == "");
  CHECK(known_implementation<Fault::none, std::uint64_t>() == "");
  SECTION("a wait for a transfer's end that does not wait") {
    CHECK(known_implementation<Fault::wait_does_not_wait, std::uint32_t>() != "");
  }
  SECTION("a copy of a word too many") {
    CHECK(known_implementation<Fault::copies_one_word_more, std::uint32_t>() != "");
    CHECK(known_implementation<Fault::copies_one_word_more, std::uint8_t>() != "");
  }
  SECTION("a generation one past the end") {
    const std::string wrong = known_implementation<Fault::generation_one_past_the_end, std::uint32_t>();
    CHECK(wrong.starts_with("invariants do not hold"));
  }
  SECTION("removal from a list that is gone through skips the next") {
    CHECK(known_implementation<Fault::removal_skips_the_next, std::uint32_t>() != "");
  }
}

TEST_CASE("faults: age is not use: who is silent for longer than the window loses events, unless reads count", "[gc]") {
  using gc::AgeWindow;
  using gc::Fifo;
  using gc::Pool;
  using gc::ReadCount;
  CHECK(seen_after<Fifo<8>, AgeWindow<500>>(400) == 20);
  CHECK(seen_after<Fifo<8>, AgeWindow<500>>(900) < 20); // the fault
  CHECK(seen_after<Pool<10>, ReadCount<1>>(400) == 20);
  CHECK(seen_after<Pool<10>, ReadCount<1>>(900) == 20);
  CHECK(seen_after<Pool<10>, gc::BothDead<AgeWindow<500>, ReadCount<1>>>(900) == 20);
  CHECK(seen_after<Pool<10>, gc::EitherDead<AgeWindow<500>, ReadCount<1>>>(900) < 20);
}
