// SPDX-License-Identifier: BSL-1.0
// A hand follows a target: two eyes see how far it is to either side, two muscles pull, and the world moves between steps.
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/live.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace nm = neuromorph;
namespace network = nm::network;
constexpr std::uint32_t side = 20, fibres = 2 * side; // the first twenty see, and pull, to the left

int main() {
  constexpr nm::Lif<2>::Parameters muscle{
      .membrane = {.tau_ms = 20.0, .c_nf = 0.25},
      .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{{.largest = 1.5}, {.largest = 1.5}}}}};
  network::Network net({.dt_ms = 1.0, .seed = 1});
  const auto eyes = net.add_source("eyes", fibres);
  const auto muscles = net.add<nm::Lif<2>>("muscles", fibres, muscle);
  net.connect(eyes, muscles, network::OneToOne{}, {.receptor = 0, .weight = 1.5, .delay_ms = 1.0});

  double hand = 0.0, target = 0.0, error = 0.0, distance = 0.0;
  std::array<double, fibres> drive{}; // a fibre fires when 1 is reached
  for (std::uint32_t at = 0; at < fibres; ++at) drive[at] = at % side / double(side);
  network::FunctionInput sees(eyes, [&](std::uint64_t step, std::vector<std::uint32_t>& fired) {
    target = std::sin(0.006 * double(step)); // once to and fro in a second
    for (std::uint32_t at = 0; at < fibres; ++at)
      if ((drive[at] += std::clamp(0.3 * (at < side ? hand - target : target - hand), 0.0, 0.2)) >= 1.0)
        drive[at] -= 1.0, fired.push_back(at);
  });
  network::FunctionRecorder pull(muscles, [&](std::uint64_t step, std::span<const std::uint32_t> fired) {
    for (const std::uint32_t at : fired) hand += at < side ? -0.005 : 0.005;
    error += std::fabs(target - hand), distance += std::fabs(target);
    if (step % 250 == 0) std::printf("%5.2f s  target %6.3f  hand %6.3f\n", 1e-3 * double(step), target, hand);
  });

  auto made = network::Engine::make(net, {.threads = 1});
  if (!made) return std::puts(made.sentence().c_str()), 1;
  network::Engine& engine = made.value();
  if (const auto refused = engine.feed(sees); !refused) return std::puts(refused.sentence().c_str()), 1;
  if (const auto refused = engine.record(pull); !refused) return std::puts(refused.sentence().c_str()), 1;
  if (const auto refused = engine.run(5000); !refused) return std::puts(refused.sentence().c_str()), 1;

  std::printf("\nmean distance %.3f; of a hand at rest %.3f\n", error / 5000.0, distance / 5000.0);
  const bool follows = error < 0.5 * distance;
  if (!follows) std::puts("the hand does not follow");
  return follows && std::fflush(stdout) == 0 ? 0 : 1; // a full disk, too, is a failure
}
