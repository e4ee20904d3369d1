// SPDX-License-Identifier: BSL-1.0
// A hand follows a target: two eyes see how far it is to either side, two muscles pull, and the world moves between steps.
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/live.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

namespace nm = neuromorph;
namespace network = nm::network;
constexpr std::uint32_t fibres = 20; // of an eye, and of a muscle

int main() {
  network::Network net({.dt_ms = 1.0, .seed = 1});
  std::array<network::PopulationId, 2> eyes{}, muscles{};
  for (std::size_t side = 0; side < 2; ++side) {
    eyes[side] = net.add_source(side == 0 ? "left eye" : "right eye", fibres);
    muscles[side] =
        net.add<nm::Lif<2>>(side == 0 ? "left muscle" : "right muscle", fibres,
                            {.membrane = {.tau_ms = 20.0, .c_nf = 0.25},
                             .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{{.largest = 1.5}, {.largest = 1.5}}}}});
    net.connect(eyes[side], muscles[side], network::OneToOne{}, {.receptor = 0, .weight = 1.5, .delay_ms = 1.0});
  }

  double hand = 0.0, target = 0.0, error = 0.0, distance = 0.0;
  const auto sees = [&](double direction) {
    std::vector<double> drive(fibres); // of each fibre: it fires when 1 is reached
    for (std::uint32_t fibre = 0; fibre < fibres; ++fibre) drive[fibre] = fibre / double(fibres);
    return [&, direction, drive](std::uint64_t step, std::vector<std::uint32_t>& fired) mutable {
      target = std::sin(0.006 * double(step)); // once to and fro in a second
      const double seen = 0.3 * std::fmax(0.0, direction * (target - hand));
      for (std::uint32_t fibre = 0; fibre < fibres; ++fibre)
        if ((drive[fibre] += std::fmin(seen, 0.2)) >= 1.0) drive[fibre] -= 1.0, fired.push_back(fibre);
    };
  };
  const auto pulls = [&](double direction) {
    return [&, direction](std::uint64_t step, std::span<const std::uint32_t> fired) {
      hand += direction * 0.005 * double(fired.size());
      if (direction < 0.0) return; // both muscles have pulled
      error += std::fabs(target - hand), distance += std::fabs(target);
      if (step % 250 == 0) std::printf("%5.2f s  target %6.3f  hand %6.3f\n", 1e-3 * double(step), target, hand);
    };
  };
  network::FunctionInput left_eye(eyes[0], sees(-1.0)), right_eye(eyes[1], sees(1.0));
  network::FunctionRecorder left_muscle(muscles[0], pulls(-1.0)), right_muscle(muscles[1], pulls(1.0));

  auto made = network::Engine::make(net, {.threads = 1});
  if (!made) return std::puts(made.sentence().c_str()), 1;
  network::Engine& engine = made.value();
  for (network::Input* const input : {&left_eye, &right_eye})
    if (const auto refused = engine.feed(*input); !refused) return std::puts(refused.sentence().c_str()), 1;
  for (network::Recorder* const recorder : {&left_muscle, &right_muscle})
    if (const auto refused = engine.record(*recorder); !refused) return std::puts(refused.sentence().c_str()), 1;
  if (const auto refused = engine.run(5000); !refused) return std::puts(refused.sentence().c_str()), 1;

  std::printf("\nmean distance %.3f; of a hand at rest %.3f\n", error / 5000.0, distance / 5000.0);
  const bool follows = error < 0.5 * distance;
  if (!follows) std::puts("the hand does not follow");
  return follows && std::fflush(stdout) == 0 ? 0 : 1; // a full disk, too, is a failure
}
