// SPDX-License-Identifier: BSL-1.0
// Appendix A of the paper: its collector, of the parts that it describes, and gc::Baker, each with a profiler that writes its
// marks to SDRAM, over the first second of 255 neurons. For the ARM968E-S and its timer; the report is papers_profile.py.
//
// What the cycle model has not, a DMA controller, is reckoned: the clock stands still while the words come back from SDRAM, and
// then a transfer's cycles are waited for. The command line says which collector; the mailbox goes to the standard output.
// \source M. Mikaitis, Application-specific real-time garbage collection, 2016, IV, V-F2 and appendix A
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiled_traces.hpp>
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/target/device/sp804_clock.hpp>

#include "benchmarks/cycles_kernels/measure.hpp"
#include "benchmarks/cycles_kernels/papers.hpp"

namespace {

using namespace neuromorph;

constexpr std::size_t neurons = 255;
constexpr Word steps = 902;              // as many as the paper's example
constexpr Word first_step = 2000;        // so that no time is before the window
constexpr std::uint16_t first = 4;       // events that a buffer has room for, 32 bytes
constexpr std::uint16_t more = 3;        // by which it is extended, as in table II
constexpr std::size_t heap_words = 2140; // 400 bytes more than they take at first; with less, events are refused
static_assert(heap_words <= heap.size());

struct Clock {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  static Tick now() noexcept { return timer().now() - stood_still; }
  static target::Sp804Clock timer() noexcept {
    return target::Sp804Clock(reinterpret_cast<volatile std::uint32_t*>(0x2100'0000));
  }
  static inline Tick stood_still = 0;
};

using Tags = firmware::ProfileTags<"Record", "Extender", "Scanner", "Compactor">;
using Box = firmware::Mailbox<firmware::Channel<"prof", 32768>>;
[[gnu::section(".sdram")]] constinit Box box; // all zero, as SDRAM is at first
constinit const firmware::StreamedProfiler profiler(Tags{}, Clock{}, box.writer<"prof">());

/// Every event, as a plain list of each neuron.
struct Model {
  std::array<std::array<Word, 40>, neurons> times, traces;
  std::array<std::uint8_t, neurons> count;
};
[[gnu::section(".sdram")]] Model model;

/// The transfer back, and what the papers say that it takes: 78 instructions to prepare it, 3 cycles a word.
void transfer_back(std::size_t words) {
  const Word stopped = Clock::timer().now();
  for (std::size_t at = 0; at < words; ++at) heap[at] = far_heap[at];
  Clock::stood_still += Clock::timer().now() - stopped;
  const Word begun = Clock::now(), takes = static_cast<Word>(78 + 3 * words);
  while (Clock::now() - begun < takes) {}
}

/// The paper's collector: recorder, extender, scanner, compactor.
struct Papers {
  Word* end = heap.data() + neurons * 2 * first;

  Papers() { prepare(neurons, first); }
  [[gnu::noinline]] void compact_all() {
    const auto scope = profiler.scope<"Compactor">();
    compact<copy_block>(neurons, heap.data(), heap.data() + heap.size());
    const Buffer& last = buffers.back();
    end = last.times + last.words;
    transfer_back(static_cast<std::size_t>(end - heap.data()));
  }
  void advance_to(Word now) {
    const auto scope = profiler.scope<"Scanner">();
    MEASURE("papers_profile.scanner", 1, scan_all(neurons, now));
  }
  bool record(std::size_t neuron, Word time, Word trace) {
    const auto scope = profiler.scope<"Record">();
    Buffer& buffer = buffers[neuron];
    if (buffer.count == buffer.room) {
      const auto has_room = [&] {
        return static_cast<std::size_t>(end - heap.data()) + buffer.words + 2 * more <= heap_words;
      };
      if (!has_room()) {
        compact_all();
        if (!has_room()) return false;
      }
      const auto extending = profiler.scope<"Extender">();
      extend<copy_block>(buffer, end, more);
      end += buffer.words;
    }
    buffer.times[buffer.count] = time;
    buffer.traces[buffer.count] = trace;
    ++buffer.count;
    return true;
  }
  template <class Each>
  void show(std::size_t neuron, Word, Each each) {
    const Buffer& buffer = buffers[neuron];
    for (std::size_t at = 0; at < buffer.count; ++at) each(buffer.times[at], buffer.traces[at]);
  }
};

/// The library's, in as much memory. Its scopes are those of the store.
struct Bakers {
  static constexpr gc::BakerOptions options{.events = 690, .longest = 20, .heap_bytes = 15300};
  TraceStore<Word, neurons, gc::Baker<options>, gc::AgeWindow<window>, target::Native,
             firmware::ProfiledTraces<profiler, "Record", "Scanner", "Compactor">>
      store{first_step};
  void advance_to(Word now) { store.advance_to(now); }
  bool record(std::size_t neuron, Word time, Word trace) {
    return store.record(static_cast<Word>(neuron), time, trace) == gc::Recorded::stored;
  }
  template <class Each>
  void show(std::size_t neuron, Word now, Each each) {
    for (const auto& [time, trace] : store.window(static_cast<Word>(neuron), now - window - 1, now)) each(time, trace);
  }
};

/// Whether each neuron has what the model has, of the window.
template <class Collector>
bool is_right(Collector& collector, Word now) {
  bool right = true;
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
    std::size_t at = 0;
    while (at < model.count[neuron] && now - model.times[neuron][at] > window) ++at;
    collector.show(neuron, now, [&](Word time, Word trace) {
      right = right && at < model.count[neuron] && model.times[neuron][at] == time && model.traces[neuron][at] == trace;
      ++at;
    });
    right = right && at == model.count[neuron];
  }
  return right;
}

/// 10 Hz in the first 100 ms and 2.45 Hz from then on, as in examples/trace_heap.
template <class Collector>
bool simulate(Collector& collector) {
  bool right = profiler.announce();
  Sfc32 random;
  for (Word step = 1; step <= steps; ++step) {
    const Word now = first_step + step;
    right = profiler.step(step) && right;
    collector.advance_to(now);
    const Word rate = step <= 100 ? 42'949'672 : 10'522'669; // 10 Hz, 2.45 Hz and a step of 1 ms, in 2^-32
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      if (random.next() >= rate) continue;
      const Word trace = random.next();
      right = collector.record(neuron, now, trace) && right;
      std::uint8_t& count = model.count[neuron];
      right = right && count < model.times[neuron].size();
      if (!right) return false;
      model.times[neuron][count] = now;
      model.traces[neuron][count++] = trace;
    }
    if (step % 50 == 0) right = is_right(collector, now) && right;
  }
  return right && box.writer<"prof">().refused() == 0;
}

} // namespace

bool run() {
  std::array<char, 80> line{};
  const std::size_t length = target::Semihosting::command_line(line);
  Clock::timer().start();
  box.start(200'000'000, 0xA);
  model.count = {};
  bool right = false;
  if (length != 0 && line[0] == 'p') {
    static Papers papers;
    right = simulate(papers);
  } else if (length != 0 && line[0] == 'b') {
    static Bakers bakers;
    right = simulate(bakers);
  }
  const auto output = target::Semihosting::open_to_write(":tt");
  return right && target::Semihosting::write(
                      output, {reinterpret_cast<const char*>(box.region().data()), box.region().size_bytes()});
}
