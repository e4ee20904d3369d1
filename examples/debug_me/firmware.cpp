// SPDX-License-Identifier: BSL-1.0
// A firmware with a bug, and with all that finds it: log, profiler, crash report, a stub of gdb.
//
//   debug_me        runs for two seconds      debug_me gdb      waits for a debugger first, on the second UART
//
// Ends with 0, or with 3 after a reset that a fault has brought about.
#include <cstdint>
#include <utility>

#include <neuromorph/firmware/crash.hpp>
#include <neuromorph/firmware/gdb/stub.hpp>
#include <neuromorph/firmware/log.hpp>
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiler.hpp>

#include "board.hpp"
#include "network.hpp"

extern "C" std::uint32_t firmware_stack[]; // of the linker script: above the stack

namespace debug_me {

namespace firmware = nm::firmware;
using Box = firmware::Mailbox<firmware::Channel<"log ", 1024>, firmware::Channel<"prof", 65536>,
                              firmware::Channel<"crsh", 512>>;
constexpr std::uintptr_t crash_place = board::window + 0x8'0000;
static_assert(sizeof(Box) <= crash_place - board::window);
constexpr std::uint32_t steps = 2000, stack_bytes = 16384, many = neurons / 4;

Box& mailbox = *reinterpret_cast<Box*>(board::window);
const auto stack_above = reinterpret_cast<std::uintptr_t>(firmware_stack);
firmware::CrashReport<128, 16> report(reinterpret_cast<std::uint32_t*>(crash_place), firmware::image(),
                                      stack_above - stack_bytes, stack_above);

board::Machine machine;
firmware::gdb::Stub<board::Machine, board::Uart, firmware::gdb::StubOptions{.watchpoints = 2}>
    stub(machine, board::uart, board::regions);
bool is_debugged = false;

/// The board's clock for log and profiler, which have a copy of theirs and need no alarm.
struct Time {
  using Tick = std::uint32_t;
  static constexpr nm::AlarmKind alarm_kind = nm::AlarmKind::none;
  static Tick now() { return board::clock.now(); }
};

const firmware::Log log(mailbox.writer<"log ">(), Time{});
const firmware::StreamedProfiler profiler(firmware::ProfileTags<"spikes", "stimulus", "neurons", "rows">{}, Time{},
                                          mailbox.writer<"prof">());

Inputs inputs;
Network network;
bool is_done = false;
std::uint32_t spikes = 0; // since the last line of the log
std::uint32_t quiet = 0;  // steps with few spikes in a row

void exchange_spikes() {
  network.arrive(inputs);
  profiler.step(network.step);
  network.receive(inputs);
}

void stimulate() { network.stimulate(inputs); }

void update_neurons() {
  const auto fired = network.update();
  const auto count = static_cast<std::uint32_t>(fired.size());
  spikes += count;
  if (count < many)
    ++quiet;
  else if (std::exchange(quiet, 0) > 50)
    log.warning<"step {}: {} of {} neurons have fired at once">(network.step, count, neurons);
  const auto scope = profiler.scope<"rows">();
  network.send(fired);
  if (network.step % 200 == 0)
    log.info<"step {}: {} spikes, {} of others, {} refused">(network.step, std::exchange(spikes, 0), network.received,
                                                             network.refused);
  is_done = network.step == steps;
}

/// Ends the scheduler after so many steps, however long a debugger has stopped it.
struct AfterSteps {
  using Offers = nm::offer::List<nm::offer::WakeAt>;
  static nm::Signal signal(std::uint32_t) { return is_done ? nm::Signal::exit : nm::Signal::run; }
  static bool wake_at(std::uint32_t, std::uint32_t&) { return false; } // no time changes it
};

} // namespace debug_me

void board::stopped(nm::target::ArmRegisters& registers, firmware::Cause cause) {
  using namespace debug_me;
  if (is_debugged) return stub.stopped(registers, board::signal(cause));
  report.record(registers, cause, board::faults(), mailbox.writer<"log ">());
  board::reset();
}

namespace debug_me {

int run() {
  if (!network.start(inputs) || !profiler.announce()) return 1;
  log.info<"{} neurons, spikes from {} others">(neurons, others);
  nm::Services services(firmware::profiled<"spikes">(profiler, nm::service<0>(exchange_spikes)),
                        firmware::profiled<"stimulus">(profiler, nm::service<1>(stimulate)),
                        firmware::profiled<"neurons">(profiler, nm::service<2>(update_neurons)));
  constexpr std::uint32_t period = board::ticks_per_ms;
  const std::uint32_t begin = board::clock.now() + period;
  const auto each_step = [begin](nm::ServiceId service, std::uint32_t deadline) {
    return nm::Timer<>::from({.service = service, .start = begin, .period = period, .deadline = deadline}).value();
  };
  auto first = each_step(0, period / 4), second = each_step(1, period / 2), third = each_step(2, period);
  AfterSteps signaller;
  nm::Scheduler<board::Clock, 6> scheduler(board::clock);
  scheduler.execute(signaller, services, first, second, third);
  log.info<"{} steps are done">(network.step);
  return 0;
}

} // namespace debug_me

int main(int count, char**) {
  using namespace debug_me;
  board::start();
  mailbox.start(board::ticks_per_ms * 1000, firmware::image());
  if (report.is_there()) { // of the program before the reset
    const bool is_told = report.send(mailbox.writer<"crsh">());
    report.clear();
    return is_told ? 3 : 1;
  }
  is_debugged = count > 1;
  if (is_debugged) neuromorph::target::breakpoint();
  return run();
}
