// SPDX-License-Identifier: BSL-1.0
// How long it takes to build the cortical microcircuit, and how much memory it takes: `network.build [scale] [threads]
// [results.json]`. At a scale of 1 it has 299 million synapses.
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <sys/resource.h>

#include <neuromorph/network/build.hpp>

#include "../../examples/microcircuit/network.hpp"

namespace {

/// Most memory that the process has had.
double most_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

/// In Google Benchmark's form: `network/build/seconds` and others on two threads, `network/build_one_thread/...` on one.
bool write(const char* path, int threads, double seconds, double bytes_at_rest, double bytes_while_building) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return false;
  const char* before = "{\"benchmarks\": [";
  const char* const on = threads == 1 ? "_one_thread" : "";
  for (const auto& [name, value] : {std::pair{"seconds", seconds}, std::pair{"bytes_per_synapse", bytes_at_rest},
                                    std::pair{"bytes_while_building", bytes_while_building}}) {
    std::fprintf(
        file,
        "%s\n{\"name\": \"network/build%s/%s\", \"run_name\": \"network/build%s/%s\", \"run_type\": \"iteration\", "
        "\"iterations\": 1, \"value\": %.6g}",
        before, on, name, on, name, value);
    before = ",";
  }
  const bool is_written = std::fputs("]}\n", file) >= 0;
  return std::fclose(file) == 0 && is_written;
}

} // namespace

int main(int count, char** words) {
  namespace network = neuromorph::network;
  const double scale = count > 1 ? std::atof(words[1]) : 1.0;
  const int threads = count > 2 ? std::atoi(words[2]) : 2;
  if (!(scale > 0.001 && scale <= 2.0) || threads < 1 || threads > 1024 || count > 4) {
    std::fprintf(stderr, "usage: network.build [scale, 0.001 to 2] [threads] [results.json]\n");
    return 2;
  }
  const auto net = microcircuit::describe({.scale = scale, .keeps_in_degrees = false});
  const double bytes_before = most_bytes(); // of the program and its libraries
  const auto begin = std::chrono::steady_clock::now();
  const auto built = network::build(net, {.threads = static_cast<unsigned>(threads)});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!built) {
    std::fprintf(stderr, "network.build: %s\n", built.sentence().c_str());
    return 1;
  }
  const network::Rows& rows = built.value();
  const auto synapses = static_cast<double>(rows.total());
  const double at_rest = static_cast<double>(rows.bytes()) / synapses;
  const double while_building = (most_bytes() - bytes_before) / synapses;
  std::printf("synapses            %" PRIu64 "\n", rows.total());
  std::printf("parts               %" PRIu32 "\n", rows.parts.count());
  std::printf("build_seconds       %.3f, %d threads\n", seconds, threads);
  std::printf("ns a synapse        %.2f\n", seconds * 1e9 / synapses);
  std::printf("bytes_per_synapse   %.3f at rest, %.3f at most while building\n", at_rest, while_building);
  std::printf("digest              %016" PRIx64 "\n", rows.digest());
  if (count > 3 && !write(words[3], threads, seconds, at_rest, while_building)) {
    std::fprintf(stderr, "network.build: %s cannot be written\n", words[3]);
    return 1;
  }
  return 0;
}
