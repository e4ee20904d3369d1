// SPDX-License-Identifier: BSL-1.0
// Firmware that runs a population by a scheduler, in virtual time that wraps; it logs, profiles, reports and has crashed
// before. What it counts itself it prints: `checks/monitor.py` compares the tools with that.
//
//   monitored memory FILE      FILE is for the host; a board has its window. It never waits for a reader
//   monitored uart             a board: begins when the host asks what channels there are, and loses nothing
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include <neuromorph/core/core.hpp>
#include <neuromorph/firmware/crash.hpp>
#include <neuromorph/firmware/log.hpp>
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/monitor.hpp>
#include <neuromorph/firmware/profiler.hpp>
#include <neuromorph/neuromorph.hpp>

#include "window.hpp"

namespace {

using namespace neuromorph;
using Box =
    firmware::Mailbox<firmware::Channel<"log ", 1024>, firmware::Channel<"prof", 8192>, firmware::Channel<"pro1", 2048>,
                      firmware::Channel<"mon ", 1024>, firmware::Channel<"crsh", 64>, firmware::Channel<"full", 16>>;
static_assert(sizeof(Box) <= window::bytes);

constexpr std::uint32_t neurons = 100, excitatory = 80, period = 4000, end = 2'000'000; // microseconds
using Model = Lif<>;
using Word = SynapticWord<7, 1, 4>;
using Dma = target::SimulatedDma<>;
firmware::SpikeCounts<"excitatory", "inhibitory"> spikes({excitatory, neurons});
std::array<std::uint32_t, neurons> spikes_of{};
struct Send {
  void operator()(std::uint32_t neuron) const noexcept {
    spikes.note(neuron);
    ++spikes_of[neuron];
  }
};
using MyCore = Core<CoreSizes{.neurons = neurons, .row_words = 16}, Model, RingBuffer<Word>, Dma, Send>;
constexpr auto cell =
    Model::make({.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 5.0}, .weights = {}}}, 1.0).value();
Dma dma;
constinit MyCore core(cell, dma, Send{}, PlasticRules<>());
std::array<std::uint32_t, 40 * 16> far_rows;
std::array<std::uint16_t, 1> ages;

VirtualClock<> virtual_time(0U - 700'000U); // wraps in the run
struct Time {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  static Tick now() noexcept { return virtual_time.now(); }
};

std::uint32_t state = 7;
std::uint32_t drawn() {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return state;
}

/// What a service counts of itself.
struct Own {
  std::uint32_t runs = 0, misses = 0, longest = 0;
  std::uint64_t busy = 0;
  std::int64_t late = 0, worst = -1'000'000'000;
  /// \param deadline  since the start of all
  template <class Work>
  void run(std::uint32_t deadline, Work work) {
    const std::uint32_t began = virtual_time.now();
    work();
    const std::uint32_t now = virtual_time.now(), took = now - began;
    const auto lateness = static_cast<std::int32_t>(now - (0U - 700'000U) - deadline);
    ++runs, busy += took, late += lateness;
    misses += lateness > 0 ? 1 : 0;
    if (lateness > worst) worst = lateness;
    if (took > longest) longest = took;
  }
  void say(const char* name) const {
    std::printf("%s: %u runs, %u misses, busy %u, late %d, worst %d, longest %u\n", name, unsigned(runs),
                unsigned(misses), unsigned(busy), int(late), int(worst), unsigned(longest));
  }
};
Own step_own, learn_own;

using Pump = void (*)();
/// \param pump  gives a line time to carry what was written
void simulate(Box& box, Pump pump) {
  const firmware::Log log(box.writer<"log ">(), Time{});
  const firmware::StreamedProfiler profiler(firmware::ProfileTags<"rows", "neurons", "waiting spikes">{}, Time{},
                                            box.writer<"prof">());
  const firmware::StreamedProfiler of_packets(firmware::ProfileTags<"packet">{}, Time{}, box.writer<"pro1">());
  firmware::Monitor monitor(Time{}, box.writer<"mon ">());
  Scheduler<VirtualClock<>, 8, SchedulerOptions{.statistics = true, .most_services = 4}> scheduler(virtual_time);
  enum : ServiceId { step, learn, unnamed, tell };
  Services services(firmware::named<"neurons">(service<step>([&] {
                      const std::uint32_t number = step_own.runs;
                      step_own.run((number + 1) * period, [&] {
                        (void)profiler.step(number);
                        {
                          const auto packet = of_packets.scope<"packet">();
                          for (std::uint32_t row = drawn() % 8; row > 0; --row) {
                            core.receive(0x1000 + drawn() % 40);
                            virtual_time.advance(drawn() % 16);
                          }
                        }
                        if (drawn() % 16 == 0) core.receive(0xBAD00 + number);
                        (void)profiler.counter<"waiting spikes">(drawn() % 100);
                        {
                          const auto scope = profiler.scope<"rows">();
                          virtual_time.advance(200 + drawn() % 256);
                          core.run_spikes();
                        }
                        const auto scope = profiler.scope<"neurons">();
                        virtual_time.advance(300 + drawn() % 128);
                        core.run_step();
                        if (drawn() % 32 == 0) virtual_time.advance(4500); // is late
                      });
                      if (number % 50 == 0) log.info<"step {}, {} steps late">(number, step_own.misses);
                      if (number % 200 == 7) log.warning<"this is a \x1B[31mwarning">();
                      (void)box.writer<"full">().write(1, 0, number);
                      pump();
                    })),
                    firmware::named<"learning">(service<learn>([&] {
                      learn_own.run(learn_own.runs * 50'000 + 20'000, [&] { virtual_time.advance(drawn() % 8192); });
                    })),
                    service<unnamed>([&] { virtual_time.advance(10); }), service<tell>([&] {
                      (void)log.time(monitor.time());
                      (void)monitor.report(core.provenance(), scheduler, spikes);
                      pump();
                    }));
  const std::uint32_t start = virtual_time.now();
  (void)monitor.announce(services, spikes);
  (void)profiler.announce();
  (void)of_packets.announce();
  log.error<"has begun, {} neurons">(neurons);
  auto steps = Timer<>::from({.service = step, .start = start, .period = period}).value();
  auto learning = Timer<>::from({.service = learn, .start = start, .period = 50'000, .deadline = 20'000}).value();
  auto others = Timer<>::from({.service = unnamed, .start = start, .period = 100'000}).value();
  auto reports =
      Timer<>::from({.service = tell, .start = start, .period = 500'000, .deadline = 500'000, .phase = 249'000})
          .value();
  auto signaller = TimerSignaller<>::from(start, start + end, start + 2 * end).value();
  scheduler.execute(signaller, services, steps, learning, others, reports);
  (void)monitor.report(core.provenance(), scheduler, spikes);
  step_own.say("neurons");
  learn_own.say("learning");
}

/// As a firmware that has crashed does after its reset.
void send_crash(Box& box) {
  static std::array<std::uint32_t, firmware::CrashReport<8>::words> place{};
  target::ArmRegisters registers{};
  registers.general[15] = 0x1234;
  firmware::CrashReport<8> report(place.data(), 0x4D4F, 0, 0);
  report.announce(firmware::Cause::assertion, 4711);
  (void)report.record(registers, firmware::Cause::fault);
  (void)report.send(box.writer<"crsh">());
}

int run(Box& box, Pump pump) {
  for (std::uint32_t source = 0; source < 40; ++source)
    for (std::uint32_t synapse = 0; synapse < 16; ++synapse) {
      const std::uint32_t neuron = (source * 37 + synapse * 11) % neurons;
      far_rows[source * 16 + synapse] =
          Word::encode({20'000, 1 + drawn() % 8, synapse == 15 ? 1U : 0U, neuron}).value();
    }
  std::array<MyCore::Entry, 1> populations{
      {{.key = 0x1000,
        .mask = ~0xFFU,
        .payload = {.rows = PopulationRows::of_length(far_rows, 16).value(), .rule = 0}}}};
  if (!core.load(populations, ages)) return 3;
  send_crash(box);
  simulate(box, pump);
  unsigned of_excitatory = 0, of_inhibitory = 0;
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
    (neuron < excitatory ? of_excitatory : of_inhibitory) += unsigned(spikes_of[neuron]);
  std::printf("spikes: %u excitatory, %u inhibitory\n", of_excitatory, of_inhibitory);
  pump();
  return 7;
}

#if defined(__arm__)
/// A UART that notes whether the host has said anything.
struct Heard {
  window::Uart uart = window::uart("");
  bool has_heard = false;
  bool take(std::uint8_t& to) noexcept { return uart.take(to) && (has_heard = true); }
  bool put(std::uint8_t byte) noexcept { return uart.put(byte); }
};
#endif

} // namespace

int main(int count, char** arguments) {
  const bool is_uart = count > 1 && std::strcmp(arguments[1], "uart") == 0;
  std::uint32_t* const words = window::words(count > 2 ? arguments[2] : "", 0);
  if (words == nullptr) return std::fprintf(stderr, "monitored: cannot map the file\n"), 2;
  Box& box = *new (words) Box;
  box.start(1'000'000, firmware::image());
  if (!is_uart) return run(box, [] {});
#if defined(__arm__)
  static Heard heard;
  heard.uart.start();
  static firmware::FrameBridge bridge(box, heard);
  while (!heard.has_heard) bridge.poll();
  const int status = run(box, [] {
    do bridge.poll();
    while (!bridge.is_idle());
  });
  for (int zero = 0; zero < 4; ++zero) // what is before them has left the UART
    while (!heard.put(0)) {}
  return status;
#else
  return std::fprintf(stderr, "monitored: a host has no UART\n"), 2;
#endif
}
