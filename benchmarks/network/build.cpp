// SPDX-License-Identifier: BSL-1.0
// How long it takes to build the cortical microcircuit, and how much memory it takes: `network.build [scale] [threads]`. At a
// scale of 1 it has 299 million synapses.
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <sys/resource.h>

#include <neuromorph/network/build.hpp>

#include "microcircuit.hpp"

int main(int count, char** words) {
  namespace network = neuromorph::network;
  const double scale = count > 1 ? std::atof(words[1]) : 1.0;
  const int threads = count > 2 ? std::atoi(words[2]) : 2;
  if (!(scale > 0.001 && scale <= 2.0) || threads < 1 || threads > 1024) {
    std::fprintf(stderr, "usage: network.build [scale, 0.001 to 2] [threads]\n");
    return 2;
  }
  const auto net = microcircuit::describe(scale);
  const auto begin = std::chrono::steady_clock::now();
  const auto built = network::build(net, {.threads = static_cast<unsigned>(threads)});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!built) {
    std::fprintf(stderr, "network.build: %s\n", built.sentence().c_str());
    return 1;
  }
  const network::Rows& rows = built.value();
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  const auto synapses = static_cast<double>(rows.total());
  std::printf("synapses            %" PRIu64 "\n", rows.total());
  std::printf("parts               %" PRIu32 "\n", rows.parts.count());
  std::printf("build_seconds       %.3f, %d threads\n", seconds, threads);
  std::printf("ns a synapse        %.2f\n", seconds * 1e9 / synapses);
  std::printf("bytes_per_synapse   %.3f at rest, %.3f at most of the process\n",
              static_cast<double>(rows.bytes()) / synapses, static_cast<double>(usage.ru_maxrss) * 1024.0 / synapses);
  std::printf("digest              %016" PRIx64 "\n", rows.digest());
  return 0;
}
