// SPDX-License-Identifier: BSL-1.0
// A link that loses, doubles and holds back datagrams in both directions.
#ifndef TESTS_SUPPORT_LOSSY_LINK_HPP
#define TESTS_SUPPORT_LOSSY_LINK_HPP

#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/execution/link.hpp>

#include "tests/support/forwarding_link.hpp"

namespace lossy_link {

namespace execution = neuromorph::execution;

class LossyLink final : public tests::ForwardingLink {
public:
  LossyLink(execution::Link& of, double faults, std::uint64_t seed)
      : ForwardingLink(of), loss(faults), faults_(faults), draw_(seed) {}

  void send(std::size_t ethernet, std::span<const std::uint8_t> datagram) override {
    if (chance(loss)) return;
    ForwardingLink::send(ethernet, datagram);
    if (chance(faults_)) ForwardingLink::send(ethernet, datagram);
  }
  [[nodiscard]] bool receive(std::vector<std::uint8_t>& datagram, std::chrono::microseconds wait) override {
    while (ForwardingLink::receive(datagram, wait)) {
      if (chance(loss)) continue;
      if (chance(faults_)) held_.push_back(datagram); // comes once more
      if (chance(faults_)) {                          // comes later
        held_.push_back(std::move(datagram));
        continue;
      }
      ++received;
      return true;
    }
    if (held_.empty()) return false;
    datagram = std::move(held_.back()), held_.pop_back(), ++received;
    return true;
  }

  double loss; // of datagrams
  std::uint64_t received = 0;

private:
  [[nodiscard]] bool chance(double of) { return static_cast<double>(draw_() >> 11) * 0x1p-53 < of; }
  double faults_;
  std::mt19937_64 draw_;
  std::vector<std::vector<std::uint8_t>> held_{};
};

} // namespace lossy_link

#endif
