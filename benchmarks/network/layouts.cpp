// SPDX-License-Identifier: BSL-1.0
// Which layout of rows when: what a synaptic event takes, in ns, for targets and fan-outs of several sizes, each layout and both
// ways of delivery. Rows of 10 000 sources into one part, of which about 20 000 synapses arrive in a step; sums of 16 bits.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <time.h>

#include <neuromorph/network/build.hpp>
#include <neuromorph/network/delivery.hpp>

namespace {

namespace network = neuromorph::network;

constexpr std::uint32_t sources = 10'000, events_of_step = 20'000, steps = 512, repetitions = 5;

double thread_seconds() {
  struct timespec time {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Shape {
  std::uint32_t targets, fan_out;
  network::Layout layout;
  bool has_many_delays; ///< 1 to 63 steps; else all 15
};

network::Network describe(const Shape& shape) {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto from = net.add_source("sources", sources);
  const auto to =
      net.add(network::Population{.name = "targets", .count = shape.targets, .units_per_one = {1.0}, .input_bits = 16});
  network::Synapses synapses;
  synapses.weight =
      shape.layout == network::Layout::individual ? network::uniform(1.0, 100.0) : network::Distribution(10.0);
  synapses.delay_ms = shape.has_many_delays ? network::uniform(0.1, 6.3) : network::Distribution(1.5);
  net.connect(from, to, network::FixedOutdegree{.degree = shape.fan_out}, synapses);
  return net;
}

/// The spikes of each step, ascending.
std::vector<std::vector<std::uint32_t>> draw_spikes(std::uint32_t fan_out) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> all(sources);
  for (std::uint32_t at = 0; at < sources; ++at) all[at] = at;
  std::vector<std::vector<std::uint32_t>> spikes(steps);
  for (auto& of_step : spikes) {
    const std::uint32_t count = events_of_step / fan_out;
    for (std::uint32_t at = 0; at < count; ++at) std::swap(all[at], all[at + random() % (sources - at)]);
    of_step.assign(all.begin(), all.begin() + count);
    std::sort(of_step.begin(), of_step.end());
  }
  return spikes;
}

/// Seconds of all steps, in which the sums are set to zero as neurons do.
double run(const network::Rows& rows, const Shape& shape, network::Delivery way,
           const std::vector<std::vector<std::uint32_t>>& spikes, bool has_spikes, std::uint64_t& events) {
  const network::RowSet& set = rows.sets[0];
  network::PartDelivery delivery(
      {.neurons = rows.parts.neurons(0), .has_narrow = true, .longest_delay = set.longest_delay, .sets = 1}, way);
  network::DeliveryCounts counts;
  const std::size_t bytes = std::size_t{shape.targets} * sizeof(std::uint16_t);
  const double begin = thread_seconds();
  for (std::uint32_t step = 1; step < steps; ++step) {
    if (has_spikes) delivery.take(set, 0, 0, spikes[step], step);
    delivery.deliver(step + 1);
    std::memset(delivery.input(step + 1).narrow, 0, bytes);
    delivery.close(step + 1, counts);
  }
  const double seconds = thread_seconds() - begin;
  events = counts.events;
  return seconds;
}

/// What it takes as a cell of the table; "-" where nobody would do it.
std::string measure(const Shape& shape, network::Delivery way, const std::vector<std::vector<std::uint32_t>>& spikes) {
  const bool is_bits = shape.layout == network::Layout::bits;
  if (shape.fan_out > shape.targets) return "-";
  if (is_bits && (shape.has_many_delays || shape.fan_out * 128 < shape.targets)) return "-";
  const auto built = network::build(describe(shape), {.threads = 1, .parts = 1, .bits_from = is_bits ? 0.0 : 2.0});
  if (!built) {
    std::fprintf(stderr, "network.layouts: %s\n", built.sentence().c_str());
    return "refused";
  }
  const network::Rows& rows = built.value();
  if (rows.sets.size() != 1 || rows.sets[0].layout != shape.layout) return "another layout";
  double with = 1e9, without = 1e9;
  std::uint64_t events = 0, none = 0;
  for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
    with = (std::min)(with, run(rows, shape, way, spikes, true, events));
    without = (std::min)(without, run(rows, shape, way, spikes, false, none));
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", (with - without) * 1e9 / static_cast<double>(events));
  return text;
}

} // namespace

int main(int count, char**) {
  if (count > 1) {
    std::puts("Measures what a synaptic event takes in each layout of rows.\n\nusage: network.layouts");
    return 2;
  }
  constexpr auto at_once = network::Delivery::at_once, when_due = network::Delivery::when_due;
  struct Column {
    const char* name;
    network::Layout layout;
    bool has_many_delays;
    network::Delivery way;
  };
  const Column columns[]{{"individual, one delay, ring", network::Layout::individual, false, at_once},
                         {"when due", network::Layout::individual, false, when_due},
                         {"many delays, ring", network::Layout::individual, true, at_once},
                         {"when due", network::Layout::individual, true, when_due},
                         {"one weight, one delay, ring", network::Layout::one_weight, false, at_once},
                         {"when due", network::Layout::one_weight, false, when_due},
                         {"many delays, ring", network::Layout::one_weight, true, at_once},
                         {"when due", network::Layout::one_weight, true, when_due},
                         {"bits, one delay, ring", network::Layout::bits, false, at_once},
                         {"when due", network::Layout::bits, false, when_due}};
  std::printf("| targets | synapses of a source |");
  for (const Column& column : columns) std::printf(" %s |", column.name);
  std::printf("\n| --- | --- |");
  for (std::size_t at = 0; at < std::size(columns); ++at) std::printf(" --- |");
  std::puts("");
  for (const std::uint32_t targets : {1'000U, 8'000U, 64'000U})
    for (const std::uint32_t fan_out : {10U, 100U, 1'000U}) {
      const auto spikes = draw_spikes(fan_out);
      std::printf("| %u | %u |", targets, fan_out);
      for (const Column& column : columns) {
        std::printf(" %s |",
                    measure({targets, fan_out, column.layout, column.has_many_delays}, column.way, spikes).c_str());
        std::fflush(stdout);
      }
      std::puts("");
    }
  return 0;
}
