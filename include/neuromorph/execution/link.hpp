// SPDX-License-Identifier: BSL-1.0
/// \file
/// How datagrams of a host reach a machine: by sockets, or to the monitors of one in the same process.
// host-only
#ifndef NEUROMORPH_EXECUTION_LINK_HPP
#define NEUROMORPH_EXECUTION_LINK_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

/// Ethernet chips are numbers in the order in which they were added; 0 is the one that is known from the beginning.
class Link {
public:
  virtual ~Link() = default;
  /// Another Ethernet chip, once its address is known.
  /// \errors file_failed: the system does not reach it
  [[nodiscard]] virtual Refusal add(const std::array<std::uint8_t, 4>& address) = 0;
  [[nodiscard]] virtual std::size_t ethernets() const noexcept = 0;
  /// To the port of SCP of one. What cannot be sent is lost, as on any net.
  virtual void send(std::size_t ethernet, std::span<const std::uint8_t> datagram) = 0;
  /// The next datagram from any of them.
  /// \return false: none has come in this time, or none can come
  [[nodiscard]] virtual bool receive(std::vector<std::uint8_t>& datagram, std::chrono::microseconds wait) = 0;
  /// Whether what has not come by now will never come.
  [[nodiscard]] virtual bool answers_at_once() const noexcept { return false; }
  /// A datagram to the port of boot.
  virtual void send_boot(std::span<const std::uint8_t> datagram) = 0;
  /// Lets the machine go on for a while: on a board time does.
  virtual void pass_time(std::chrono::microseconds time) = 0;
  /// Packets that were late since the last call, as only who simulates a machine knows it.
  [[nodiscard]] virtual std::vector<machine::LatePackets> late() { return {}; }

protected:
  Link() = default;
  Link(const Link&) = default;
  Link& operator=(const Link&) = default;
};

/// To a machine in this process, whose cores tick when the host waits: a tick a millisecond.
class InProcessLink final : public Link {
public:
  /// \param monitors, applications  outlive the link
  InProcessLink(machine::Monitors& monitors, machine::Applications& applications)
      : monitors_(monitors), applications_(applications), ethernets_{monitors.ethernets().front()} {}

  [[nodiscard]] Refusal add(const std::array<std::uint8_t, 4>& address) override {
    for (const mapping::Chip one : monitors_.ethernets())
      if (monitors_.address(one) == address) return ethernets_.push_back(one), Refusal{};
    return {{Error::file_failed, 0, 0, "address"}, "", "no Ethernet chip of the machine has this address"};
  }
  [[nodiscard]] std::size_t ethernets() const noexcept override { return ethernets_.size(); }
  void send(std::size_t ethernet, std::span<const std::uint8_t> datagram) override {
    monitors_.take(ethernets_[ethernet], own_, datagram, waiting_);
  }
  [[nodiscard]] bool receive(std::vector<std::uint8_t>& datagram, std::chrono::microseconds) override {
    if (read_ == waiting_.size()) {
      waiting_.clear(), read_ = 0;
      return false;
    }
    datagram = std::move(waiting_[read_++].bytes);
    return true;
  }
  [[nodiscard]] bool answers_at_once() const noexcept override { return true; }
  void send_boot(std::span<const std::uint8_t> datagram) override { monitors_.take_boot(datagram); }
  void pass_time(std::chrono::microseconds time) override {
    rest_ += time;
    const auto ticks = std::chrono::duration_cast<std::chrono::milliseconds>(rest_);
    rest_ -= ticks;
    applications_.advance(static_cast<std::uint32_t>(ticks.count()), messages_);
    if (listener_)
      for (const machine::Datagram& one : messages_) listener_(one);
    messages_.clear();
  }

  [[nodiscard]] std::vector<machine::LatePackets> late() override { return applications_.late(); }

  /// Gets what cores send to hosts by tags, when time passes. Without one it is lost.
  void set_listener(std::function<void(const machine::Datagram&)> listener) { listener_ = std::move(listener); }
  /// A datagram of a host to a port of an Ethernet chip, as reverse tags have them.
  void send_to(mapping::Chip ethernet, std::uint16_t port, std::span<const std::uint8_t> datagram) {
    monitors_.take_reverse(ethernet, port, own_, datagram);
  }

private:
  machine::Monitors& monitors_;
  machine::Applications& applications_;
  std::vector<mapping::Chip> ethernets_;
  machine::Endpoint own_{{127, 0, 0, 1}, 50000};
  std::vector<machine::Datagram> waiting_{}, messages_{};
  std::size_t read_ = 0;
  std::chrono::microseconds rest_{};
  std::function<void(const machine::Datagram&)> listener_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
