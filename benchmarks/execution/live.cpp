// SPDX-License-Identifier: BSL-1.0
// How many events a millisecond go from a program by UDP into a machine, through its routers, and back by UDP, while none is lost. The
// machine ticks in real time. `execution.live [--json FILE]`. Source and gatherer are vertices; each event is compared.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <neuromorph/execution/live.hpp>
#include <neuromorph/execution/live_client.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>

#include "../figures.hpp"

namespace {

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
using Clock = std::chrono::steady_clock;

constexpr unsigned milliseconds_of_a_run = 1000;

struct Measured {
  bool is_right = false; // each event has come, in its order
  double in_time = 0.0;  // of the ticks, those that had come when they should
  double worst_ms = 0.0; // from sending an event to having it
};

/// \param rate  events a millisecond
Measured measure(std::uint32_t rate) {
  const auto boards = mapping::machine_of_boards(1);
  machine::Programs programs;
  programs.add<runtime::LivePacketGatherer>("gatherer"), programs.add<runtime::ReverseIpTagMulticastSource>("source");
  machine::Monitors monitors(boards.value(), {});
  machine::Applications applications(monitors, programs);
  auto server = machine::Server::open(monitors, {.port = 0});
  auto receiver = execution::EventReceiver::open(0);
  if (!server || !receiver) return {};
  std::atomic<bool> is_over{false};
  std::atomic<std::uint32_t> late{0}, ticks{0};
  std::thread serving([&] {
    std::vector<machine::Datagram> datagrams;
    for (auto next = Clock::now(); !is_over;) {
      const auto now = Clock::now();
      if (now < next) {
        server.value().serve(0);
        continue;
      }
      late += now - next > std::chrono::milliseconds(1) ? 1U : 0U, ++ticks;
      next = std::max(next + std::chrono::milliseconds(1), now);
      datagrams.clear();
      applications.advance(1, datagrams);
      for (const machine::Datagram& one : datagrams) server.value().send(one);
    }
  });
  Measured made;
  auto link = execution::UdpLink::open({127, 0, 0, 2}, {.scp = server.value().port()});
  if (link) {
    execution::Simulation simulation(*link.value());
    const auto gatherer = simulation.add_image("gatherer", machine::image_of("gatherer")),
               source = simulation.add_image("source", machine::image_of("source"));
    const auto out =
        execution::add_live_output(simulation, gatherer, "out", {.host = "127.0.0.1", .port = receiver.value().port()});
    const auto in = execution::add_live_input(simulation, source, "in", {});
    const mapping::Vertex to[] = {out};
    simulation.graph().connect(in, to, {.keys = 1U << 16});
    if (const auto refusal = simulation.begin(); !refusal) {
      std::fprintf(stderr, "%s\n", refusal.sentence().c_str());
    } else {
      const std::uint32_t key = simulation.mapping().keys_of(0).key;
      auto sender = execution::EventSender::open({{127, 0, 0, 2}, execution::input_of(simulation, in)->port});
      std::vector<std::uint32_t> keys(rate);
      std::vector<protocols::EieioEvent> events;
      std::vector<Clock::time_point> sent;
      std::uint64_t heard = 0, wrong = 0;
      const auto hear = [&](std::chrono::milliseconds wait) {
        events.clear();
        receiver.value().receive(events, wait);
        for (const auto& one : events) wrong += one.key != key + static_cast<std::uint32_t>(heard++ & 0xFFFF) ? 1U : 0U;
        if (!events.empty())
          made.worst_ms = std::max(
              made.worst_ms,
              std::chrono::duration<double, std::milli>(Clock::now() - sent[(heard - events.size()) / rate]).count());
      };
      const std::uint32_t late_before = late, ticks_before = ticks;
      std::uint32_t number = 0;
      const auto begun = Clock::now();
      for (unsigned ms = 0; ms < milliseconds_of_a_run; ++ms) {
        while (Clock::now() < begun + std::chrono::milliseconds(ms)) hear(std::chrono::milliseconds(0));
        for (auto& one : keys) one = key + (number++ & 0xFFFF);
        sent.push_back(Clock::now());
        sender.value().send(keys);
      }
      const auto end = Clock::now() + std::chrono::seconds(1);
      const std::uint64_t all = std::uint64_t{rate} * milliseconds_of_a_run;
      while (heard < all && Clock::now() < end) hear(std::chrono::milliseconds(5));
      made.in_time = 1.0 - double(late - late_before) / double(ticks - ticks_before);
      made.is_right = heard == all && wrong == 0 && simulation.end().ok();
      if (heard != all)
        std::printf("  of %llu events %llu have come\n", static_cast<unsigned long long>(all),
                    static_cast<unsigned long long>(heard));
    }
  }
  is_over = true;
  serving.join();
  return made;
}

} // namespace

int main(int count, char** words) {
  const bool has_json = count == 3 && std::strcmp(words[1], "--json") == 0;
  if (count != 1 && !has_json) return std::fprintf(stderr, "usage: %s [--json FILE]\n", words[0]), 2;
  std::uint32_t best = 0;
  for (const std::uint32_t rate : {100U, 1000U, 2000U, 3000U, 4000U, 5000U, 6000U, 8000U, 10000U, 12000U, 16000U}) {
    const Measured one = measure(rate);
    std::printf("%u events a millisecond, both ways, for %u ms: %s, %.1f %% of the ticks in time, an event back within "
                "%.1f ms\n",
                rate, milliseconds_of_a_run, one.is_right ? "none lost" : "NOT ALL", one.in_time * 100.0, one.worst_ms);
    if (one.is_right && one.in_time > 0.99) best = rate;
    if (!one.is_right) break;
  }
  if (has_json)
    if (const std::string why = figures::write(words[2], {{"execution/live_events_per_ms", "value", double(best)}});
        !why.empty())
      return std::fprintf(stderr, "%s\n", why.c_str()), 1;
  return best == 0 ? 1 : 0;
}
