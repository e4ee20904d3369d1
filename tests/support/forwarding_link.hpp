// SPDX-License-Identifier: BSL-1.0
// A link that is another one, for tests to change a part of it.
#ifndef TESTS_SUPPORT_FORWARDING_LINK_HPP
#define TESTS_SUPPORT_FORWARDING_LINK_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/execution/link.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/run.hpp>

namespace tests {

class ForwardingLink : public neuromorph::execution::Link {
public:
  explicit ForwardingLink(neuromorph::execution::Link& of) : of_(of) {}
  [[nodiscard]] neuromorph::Refusal add(const std::array<std::uint8_t, 4>& address) override {
    return of_.add(address);
  }
  [[nodiscard]] std::size_t ethernets() const noexcept override { return of_.ethernets(); }
  void send(std::size_t ethernet, std::span<const std::uint8_t> datagram) override { of_.send(ethernet, datagram); }
  [[nodiscard]] bool receive(std::vector<std::uint8_t>& datagram, std::chrono::microseconds wait) override {
    return of_.receive(datagram, wait);
  }
  [[nodiscard]] bool answers_at_once() const noexcept override { return of_.answers_at_once(); }
  void time_out(std::chrono::microseconds time) override { of_.time_out(time); }
  void send_boot(std::span<const std::uint8_t> datagram) override { of_.send_boot(datagram); }
  void pass_time(std::chrono::microseconds time) override { of_.pass_time(time); }
  void set_tick(std::chrono::microseconds tick) override { of_.set_tick(tick); }
  [[nodiscard]] neuromorph::Answer<std::vector<neuromorph::machine::LatePackets>> late() override { return of_.late(); }

private:
  neuromorph::execution::Link& of_;
};

} // namespace tests

#endif
