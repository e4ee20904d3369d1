// SPDX-License-Identifier: BSL-1.0
// What this project runs on its board: `host ADDRESS PORT PLAYER.aplx FILTER.aplx`. It loads both images, plays samples, and compares what the
// filter has recorded with a filter in double. The same program runs on a board and on what stands for it.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/host/address.hpp>

#include "filter.hpp"

namespace execution = neuromorph::execution;
using Bytes = std::vector<std::uint8_t>;

namespace {
Bytes file_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
int refuse(const std::string& why) { return std::fprintf(stderr, "host: %s\n", why.c_str()), 1; }
} // namespace

int main(int count, char** words) {
  neuromorph::host::Address address{};
  if (count != 5 || !neuromorph::host::parse(words[1], address))
    return refuse("usage: host ADDRESS PORT PLAYER FILTER");
  const auto port = static_cast<std::uint16_t>(std::strtoul(words[2], nullptr, 10));
  auto link = execution::UdpLink::open(address, {.scp = port});
  if (!link) return refuse(link.sentence());

  std::vector<std::int32_t> samples;
  for (int at = 0; at < 500; ++at)
    samples.push_back(static_cast<std::int32_t>(std::lround(10000.0 * std::sin(2.0 * std::numbers::pi * at / 100.0))));
  constexpr std::uint32_t shift = 3;

  execution::Simulation simulation(*link.value());
  const auto player = simulation.add(
      simulation.add_image("player", file_of(words[3])),
      {.name = "player",
       .resources = {.sdram_bytes = static_cast<std::uint32_t>(project::SamplesRegion::bytes(samples.size()))},
       .regions = [&](const execution::Mapped& of) -> std::vector<Bytes> {
         Bytes bytes(project::SamplesRegion::bytes(samples.size()));
         static_cast<void>(project::SamplesRegion::write(bytes, {of.mapping.keys[0].key}, samples).ok());
         return {bytes};
       },
       .finishes = true});
  const auto filter = simulation.add(simulation.add_image("filter", file_of(words[4])),
                                     {.name = "filter",
                                      .resources = {.sdram_bytes = 100},
                                      .regions = [](const execution::Mapped&) -> std::vector<Bytes> {
                                        Bytes bytes(project::SmoothingRegion::bytes());
                                        static_cast<void>(project::SmoothingRegion::write(bytes, {shift}).ok());
                                        return {bytes};
                                      },
                                      .recordings = {[](std::uint64_t ticks) { return 4 * ticks; }}});
  simulation.graph().connect(player, std::span(&filter, 1));
  if (const auto refusal = simulation.run_until_finished(std::chrono::seconds(20)); !refusal)
    return refuse(refusal.sentence());

  const auto recorded = simulation.recorded(filter, 0);
  if (recorded.size() != 4 * samples.size())
    return refuse("the filter has recorded " + std::to_string(recorded.size() / 4) + " of " +
                  std::to_string(samples.size()) + " samples");
  double smoothed = 0.0, worst = 0.0;
  for (std::size_t at = 0; at < samples.size(); ++at) {
    smoothed += (samples[at] - smoothed) / (1U << shift);
    const auto is = static_cast<std::int32_t>(neuromorph::protocols::word_at(recorded, 4 * at)) / 256.0;
    worst = std::max(worst, std::abs(is - smoothed));
  }
  for (const std::string& one : simulation.anomalies()) std::printf("%s\n", one.c_str());
  std::printf("%zu samples on %s: at most %.3f from a filter in double\n", samples.size(),
              simulation.found().monitor.c_str(), worst);
  if (const auto closed = simulation.close(); !closed) return refuse(closed.sentence());
  return worst < 0.1 && simulation.anomalies().empty() ? 0 : 1;
}
