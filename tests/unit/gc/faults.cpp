// SPDX-License-Identifier: BSL-1.0
// Faults of the known implementation, put into stores on purpose: what the tests of collectors say of each. That of the
// lock that keeps no interrupt out is in every collector's own test.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <neuromorph/gc/log.hpp>
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
      const Buffer* buffer;
      std::size_t at, end;
    };
    explicit Heap(std::uint32_t start) : now_(start) {}
    std::uint32_t now() const { return now_; }
    gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace) {
      Buffer& buffer = buffers_[neuron];
      if (buffer.count == room) return gc::Recorded::refused_full;
      buffer.times[buffer.count] = time;
      std::memcpy(buffer.traces.data() + (buffer.count << Shift), &trace, sizeof(Trace));
      ++buffer.count;
      return gc::Recorded::stored;
    }
    Cursor window(std::uint32_t neuron, std::uint32_t, std::uint32_t) {
      return {&buffers_[neuron], 0, buffers_[neuron].count};
    }
    bool tick(std::uint32_t now) {
      now_ = now;
      return false;
    }
    std::size_t events() const {
      std::size_t all = 0;
      for (const Buffer& buffer : buffers_) all += buffer.count;
      return all;
    }
    void clear() { buffers_ = {}; }
    void add_to(gc::Statistics& statistics) const {
      statistics.stored += static_cast<std::uint32_t>(events());
      statistics.most_events += static_cast<std::uint32_t>(events());
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

/// A synapse that sees each window of time once. How many of 20 events, one in 100 ticks, it sees when it is silent for
/// `silence` ticks before it looks again.
template <class Collector, class Liveness>
unsigned seen_after(std::uint32_t silence) {
  TraceStore<std::int32_t, 1, Collector, Liveness> store;
  unsigned seen = 0;
  std::uint32_t looked = 0U - 1U;
  for (std::uint32_t now = 0; now < 2000; ++now) {
    store.tick(now);
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

TEST_CASE("faults: age is not use: who is silent for longer than the window loses events, unless reads count", "[gc]") {
  using gc::AgeWindow;
  using gc::Log;
  using gc::Pool;
  using gc::ReadCount;
  CHECK(seen_after<Log<8>, AgeWindow<500>>(400) == 20);
  CHECK(seen_after<Log<8>, AgeWindow<500>>(900) < 20); // the fault
  CHECK(seen_after<Pool<10>, ReadCount<1>>(400) == 20);
  CHECK(seen_after<Pool<10>, ReadCount<1>>(900) == 20);
  CHECK(seen_after<Pool<10>, gc::BothDead<AgeWindow<500>, ReadCount<1>>>(900) == 20);
  CHECK(seen_after<Pool<10>, gc::EitherDead<AgeWindow<500>, ReadCount<1>>>(900) < 20);
}
