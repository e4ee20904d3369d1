// SPDX-License-Identifier: BSL-1.0
// Small networks, one for each connector and each kind of distribution, with the digests that they have everywhere: for unit
// tests, and for machines that run no unit tests.
#ifndef TESTS_SUPPORT_NETWORK_DIGESTS_HPP
#define TESTS_SUPPORT_NETWORK_DIGESTS_HPP

#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/network/build.hpp>

namespace networks {

struct NetworkDigest {
  const char* name;
  std::uint64_t expected, found, found_in_parts; ///< 0: refused
};

inline std::vector<NetworkDigest> network_digests() {
  namespace network = neuromorph::network;
  using network::ByDistance;
  using network::Profile;
  std::vector<NetworkDigest> digests;
  const auto add = [&](const char* name, std::uint64_t expected, const network::Connector& connector,
                       const network::Distribution& weight, const network::Distribution& delay_ms) {
    network::Network net({.dt_ms = 0.1, .seed = 0x1234'5678'9ABC'DEF0});
    const auto cells = net.add({.name = "cells", .count = 600, .units_per_one = {1024.0, 1024.0}});
    std::mt19937 random(3);
    std::vector<network::Position> positions(600);
    for (network::Position& position : positions)
      for (double& coordinate : position) coordinate = static_cast<double>(random()) / 4294967295.0 * 7.0 - 2.0;
    net.place(cells, positions);
    net.connect(cells, cells, connector, {.receptor = 1, .weight = weight, .delay_ms = delay_ms});
    const auto one = network::build(net, {.threads = 1, .parts = 1}),
               parts = network::build(net, {.threads = 2, .parts = 3});
    digests.push_back({name, expected, one ? one.value().digest() : 0, parts ? parts.value().digest() : 0});
  };
  const network::Distribution one = 0.3, drawn = network::normal(0.3, 0.05).redrawn(0.01, 0.9);
  std::vector<network::Listed> list;
  std::mt19937 random(4);
  for (int at = 0; at < 2000; ++at) {
    network::Listed listed{};
    listed.source = static_cast<std::uint32_t>(random() % 600);
    listed.target = static_cast<std::uint32_t>(random() % 600);
    listed.weight = 0.01 + static_cast<double>(random() % 1000) * 0.001;
    listed.delay_ms = 0.1 * static_cast<double>(1 + random() % 50);
    list.push_back(listed);
  }
  add("all to all, lognormal, clipped, uniform", 0x4C44'B76F'64E0'B838, network::AllToAll{},
      network::lognormal(-1.5, 0.4).clipped(0.01, 0.9), network::uniform(0.1, 9.0));
  add("one to one, uniform, lognormal, redrawn", 0x8432'68BE'8112'61CF, network::OneToOne{}, network::uniform(0.1, 0.7),
      network::lognormal(0.5, 0.5).redrawn(0.1, 20.0));
  add("pairs, normal, clipped", 0x49C2'F8D4'63A8'55AF, network::Pairwise{0.1, false}, drawn,
      network::normal(2.0, 1.0).clipped(0.1, 8.0));
  add("pairs, seldom", 0x713D'7BB9'17FA'CB6A, network::Pairwise{1e-4}, one, 1.7);
  add("fixed in-degree", 0x0A63'9F7D'8665'9501, network::FixedIndegree{40, false, false}, drawn,
      network::normal(1.5, 0.5).redrawn(0.1, 3.0));
  add("fixed in-degree, multiple", 0xEB09'EAC5'032A'412F, network::FixedIndegree{40, true, false}, one,
      network::uniform(0.1, 3.0));
  add("fixed out-degree", 0xC3BE'C3AA'ED49'37CE, network::FixedOutdegree{40}, drawn, 1.7);
  add("fixed out-degree, multiple", 0xF559'16B9'2864'1C0E, network::FixedOutdegree{400, true}, one,
      network::uniform(0.1, 3.0));
  add("fixed total, multiple", 0x4E89'9643'FAC7'1DAB, network::FixedTotal{20'000}, drawn,
      network::normal(1.5, 0.75).redrawn(0.1, 10.0));
  add("fixed total", 0x9366'D4E9'75E9'79FD, network::FixedTotal{20'000, false, false}, one, 0.1);
  add("fixed total, most pairs", 0x7FF8'9C4B'0D93'6D22, network::FixedTotal{300'000, false, true}, one, 0.1);
  add("list", 0x36CA'1E3E'B681'A304, network::FromList{list}, one, 1.0);
  add("by distance, constant", 0x33FC'C3E8'F7B2'4DF7,
      ByDistance{.probability = 0.4, .within = 2.3, .period = {7.0, 0.0, 6.5}}, one, 1.0);
  add("by distance, gaussian", 0xCF65'4A26'A7EC'3A1A,
      ByDistance{.probability = 0.9, .profile = Profile::gaussian, .scale = 1.3, .self = false}, drawn, 1.0);
  add("by distance, gaussian, periodic", 0x7625'A542'4EF2'14D5,
      ByDistance{.probability = 0.9, .profile = Profile::gaussian, .scale = 0.3, .period = {7.0, 7.0, 7.0}}, one, 1.0);
  add("by distance, exponential", 0x2269'3CA8'D41B'886F,
      ByDistance{.probability = 0.8, .profile = Profile::exponential, .scale = 0.7}, one, 1.0);
  add("by distance, exponential, periodic", 0x8E1A'39F3'BF6C'572C,
      ByDistance{.profile = Profile::exponential, .scale = 0.1, .within = 1.9, .period = {0.0, 3.5, 0.0}}, drawn,
      network::uniform(0.1, 3.0));
  return digests;
}

} // namespace networks

#endif
