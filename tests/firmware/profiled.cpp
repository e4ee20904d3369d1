// SPDX-License-Identifier: BSL-1.0
// Firmware that profiles scopes of random nesting, interrupts among them, by a clock that wraps: as records in a first
// mailbox, summed up in a second one. `checks/trace.py` compares them.
//
//   profiled memory FILE      FILE is for the host; a board has its window
#include <cstdint>
#include <cstdio>
#include <new>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiler.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "window.hpp"

namespace {

namespace firmware = neuromorph::firmware;
using CoreTags = firmware::ProfileTags<"step", "rows", "neurons", "queue">;
using InterruptTags = firmware::ProfileTags<"packet">;
using Streamed = firmware::Mailbox<firmware::Channel<"prof", 8192>, firmware::Channel<"pro1", 2048>>;
using Summed = firmware::Mailbox<firmware::Channel<"prof", 256>, firmware::Channel<"pro1", 256>>;
static_assert(sizeof(Streamed) <= window::bytes && sizeof(Summed) <= window::bytes);

std::uint32_t time_now = 0U - 2'000'000U;
struct Clock {
  using Tick = std::uint32_t;
  static constexpr neuromorph::AlarmKind alarm_kind = neuromorph::AlarmKind::none;
  static Tick now() noexcept { return ++time_now; }
};

/// Both profilers at once: stamps are those of the streamed one.
template <class StreamedType, class SummedType>
struct Both {
  StreamedType streamed;
  SummedType& summed;
  Both(const StreamedType& records, SummedType& sums) : streamed(records), summed(sums) {}
  template <class Inside>
  void scope(std::uint32_t tag, Inside inside) {
    const std::uint32_t since = streamed.enter();
    inside();
    const std::uint32_t before = time_now;
    streamed.exit(tag, since);
    time_now = before; // the same stamp once more
    summed.exit(tag, since);
  }
};

} // namespace

int main(int count, char** arguments) {
  const char* const path = count > 2 ? arguments[2] : "";
  std::uint32_t *const first = window::words(path, 0), *const second = window::words(path, 1);
  if (first == nullptr || second == nullptr) return std::fprintf(stderr, "profiled: cannot map the file\n"), 2;
  auto& streamed = *new (first) Streamed;
  auto& summed = *new (second) Summed;
  streamed.start(1'000'000, 0xF11E);
  summed.start(1'000'000, 0xF11E);
  firmware::SummarisedProfiler core_sums(CoreTags{}, Clock{}, summed.writer<"prof">());
  firmware::SummarisedProfiler interrupt_sums(InterruptTags{}, Clock{}, summed.writer<"pro1">());
  Both core(firmware::StreamedProfiler(CoreTags{}, Clock{}, streamed.writer<"prof">()), core_sums);
  Both interrupt(firmware::StreamedProfiler(InterruptTags{}, Clock{}, streamed.writer<"pro1">()), interrupt_sums);
  bool right = core.streamed.announce();
  right &= interrupt.streamed.announce();
  right &= core_sums.announce();
  right &= interrupt_sums.announce();

  neuromorph::Sfc32 random;
  const auto pass = [&] {
    time_now += random.next() >> 20;
    while (random.next() % 8 == 0) interrupt.scope(0, [&] { time_now += random.next() >> 24; });
  };
  for (std::uint32_t step = 100; step < 250; ++step) {
    right &= core.streamed.step(step);
    right &= core_sums.step(step);
    right &= interrupt_sums.step(step);
    core.scope(0, [&] {
      pass();
      for (std::uint32_t row = random.next() % 4; row > 0; --row) core.scope(1, pass);
      core.scope(2, [&] {
        pass();
        if (random.next() % 2 == 0) core.scope(1, pass);
        pass();
      });
    });
    right &= core.streamed.counter<"queue">(step * 3);
    time_now += 20'000;
  }
  right &= core_sums.report();
  right &= interrupt_sums.report();
  return right && streamed.writer<"prof">().refused() == 0 && streamed.writer<"pro1">().refused() == 0 ? 7 : 1;
}
