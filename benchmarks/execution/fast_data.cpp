// SPDX-License-Identifier: BSL-1.0
// Memory of a machine by UDP, in streams and by SCP: megabytes a second into chips of a board and out of them. `execution.fast_data
// [--json FILE]`. The machine answers from another thread; what comes back is compared.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/fast_data.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/extra_monitor.hpp>
#include <neuromorph/machine/gatherer.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>

#include "../figures.hpp"

namespace {

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t address = 0x61000000;
constexpr std::size_t bytes_of_a_chip = 1U << 20, chips = 8;

/// \return megabytes a second; 0 if anything went wrong
template <class Do>
double rate_of(Do one) {
  double best = 0.0;
  for (unsigned round = 0; round < 3; ++round) {
    const auto begun = Clock::now();
    if (!one()) return 0.0;
    best = std::max(best, 1e-6 * double(chips * bytes_of_a_chip) /
                              std::chrono::duration<double>(Clock::now() - begun).count());
  }
  return best;
}

} // namespace

int main(int count, char** words) {
  const bool has_json = count == 3 && std::strcmp(words[1], "--json") == 0;
  if (count != 1 && !has_json) return std::fprintf(stderr, "usage: %s [--json FILE]\n", words[0]), 2;
  const auto board = mapping::machine_of_boards(1);
  machine::Programs programs;
  programs.add_model<machine::ExtraMonitor>(machine::extra_monitor_name);
  programs.add_model<machine::Gatherer>(machine::gatherer_name);
  machine::Monitors monitors(board.value(), {});
  machine::Applications applications(monitors, programs);
  auto server = machine::Server::open(monitors, {.port = 0});
  if (!server) return std::fprintf(stderr, "%s\n", server.sentence().c_str()), 1;
  std::atomic<bool> is_over{false};
  std::thread serving([&] {
    while (!is_over) server.value().serve(5);
  });
  double rates[2][2] = {}; // [in streams][out]
  {
    auto link = execution::UdpLink::open({127, 0, 0, 2}, {.scp = server.value().port()});
    if (link) {
      execution::Transceiver ask(*link.value());
      const auto found = execution::discover(ask, {});
      if (found) {
        execution::FastData fast(ask, found.value(), 30);
        std::vector<std::vector<std::uint8_t>> sent(chips), come(chips);
        for (std::size_t chip = 0; chip < chips; ++chip) {
          come[chip].resize(bytes_of_a_chip);
          for (std::size_t at = 0; at < bytes_of_a_chip; ++at)
            sent[chip].push_back(static_cast<std::uint8_t>((at * 2654435761U >> 13) + chip));
        }
        const mapping::Machine& on = found.value().machine;
        const auto place = [&](std::size_t chip) {
          const auto number = static_cast<std::uint32_t>(chip);
          return on.chip_at(1 + number % 4, 1 + number / 4);
        };
        const bool is_loaded =
            fast.load(machine::image_of(machine::extra_monitor_name), machine::image_of(machine::gatherer_name)).ok();
        for (const unsigned in_streams : {0U, 1U}) {
          rates[in_streams][0] = rate_of([&] {
            for (std::size_t chip = 0; chip < chips; ++chip)
              if (in_streams != 0)
                fast.write(place(chip), address, sent[chip]);
              else
                ask.write(on.x(place(chip)), on.y(place(chip)), address, sent[chip]);
            return is_loaded && fast.finish().ok();
          });
          rates[in_streams][1] = rate_of([&] {
            for (std::size_t chip = 0; chip < chips; ++chip) {
              std::fill(come[chip].begin(), come[chip].end(), std::uint8_t{0});
              if (in_streams != 0)
                fast.read(place(chip), address, come[chip]);
              else
                ask.read(on.x(place(chip)), on.y(place(chip)), address, come[chip]);
            }
            return is_loaded && fast.finish().ok() && come == sent;
          });
        }
        std::printf("%llu streams, %llu packets again, %llu asked again, %llu begun again\n",
                    static_cast<unsigned long long>(fast.counts().streams),
                    static_cast<unsigned long long>(fast.counts().packets_again),
                    static_cast<unsigned long long>(fast.counts().asked_again),
                    static_cast<unsigned long long>(fast.counts().begun_again));
      }
    }
  }
  is_over = true;
  serving.join();
  std::printf("megabytes a second in: %.1f by SCP, %.1f in streams; out: %.1f by SCP, %.1f in streams\n", rates[0][0],
              rates[1][0], rates[0][1], rates[1][1]);
  if (has_json)
    if (const std::string why =
            figures::write(words[2], {{"execution/stream_in_ratio", "ratio", rates[1][0] / rates[0][0]},
                                      {"execution/stream_out_ratio", "ratio", rates[1][1] / rates[0][1]}});
        !why.empty())
      return std::fprintf(stderr, "%s\n", why.c_str()), 1;
  return rates[0][0] > 0 && rates[1][0] > 0 && rates[0][1] > 0 && rates[1][1] > 0 ? 0 : 1;
}
