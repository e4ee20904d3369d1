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
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/fault_player.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/machine/ranks.hpp>
#include <neuromorph/mapping/machine.hpp>
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
  /// Who answers at once has not answered, and is asked again after this time, of which the host waits nothing.
  virtual void time_out(std::chrono::microseconds) {}
  /// A datagram to the port of boot.
  virtual void send_boot(std::span<const std::uint8_t> datagram) = 0;
  /// Lets the machine go on for a while: on a board time does.
  virtual void pass_time(std::chrono::microseconds time) = 0;
  /// How long a tick of what is about to run is; cores on a board are told it with their data.
  /// \pre above 0
  virtual void set_tick(std::chrono::microseconds) {}
  /// Packets that were late since the last call, as only who simulates a machine knows it; refused where its processes have lost each
  /// other.
  [[nodiscard]] virtual Answer<std::vector<machine::LatePackets>> late() { return std::vector<machine::LatePackets>{}; }

protected:
  Link() = default;
  Link(const Link&) = default;
  Link& operator=(const Link&) = default;
};

/// To a machine in this process, whose cores tick when the host waits: a tick a millisecond, or what a simulation says. Or to one in several
/// processes, by their strips: rank 0 is the host, and the others serve.
///
///     execution::InProcessLink link(monitors, applications);
///     if (!link.is_host()) return link.serve(); // until the link of rank 0 is gone
class InProcessLink final : public Link {
public:
  /// \param monitors, applications  outlive the link
  InProcessLink(machine::Monitors& monitors, machine::Applications& applications)
      : monitors_(monitors), ranks_(monitors, applications), ethernets_{monitors.ethernets().front()} {}

  [[nodiscard]] bool is_host() const noexcept { return ranks_.is_first(); }
  /// \errors rank_failed: the processes have lost each other; parameters_contradict: they share a board
  [[nodiscard]] Refusal serve() { return ranks_.serve(); }
  /// Of the machine in all its processes: the account, the digest, and whether one is gone.
  [[nodiscard]] machine::Ranks& ranks() noexcept { return ranks_; }

  [[nodiscard]] Refusal add(const std::array<std::uint8_t, 4>& address) override {
    for (const mapping::Chip one : monitors_.ethernets())
      if (monitors_.address(one) == address) return ethernets_.push_back(one), Refusal{};
    return {{Error::file_failed, 0, 0, "address"}, "", "no Ethernet chip of the machine has this address"};
  }
  [[nodiscard]] std::size_t ethernets() const noexcept override { return ethernets_.size(); }
  void send(std::size_t ethernet, std::span<const std::uint8_t> datagram) override {
    if (faults_ == nullptr) return ranks_.take(ethernets_[ethernet], own_, datagram, waiting_);
    pass_in({.at = ethernets_[ethernet], .bytes = {datagram.begin(), datagram.end()}});
  }
  [[nodiscard]] bool receive(std::vector<std::uint8_t>& datagram, std::chrono::microseconds) override {
    if (read_ == waiting_.size()) {
      waiting_.clear(), read_ = 0;
      flush();
      if (waiting_.empty()) return false;
    }
    datagram = std::move(waiting_[read_++].bytes);
    return true;
  }
  [[nodiscard]] bool answers_at_once() const noexcept override { return true; }
  void send_boot(std::span<const std::uint8_t> datagram) override { ranks_.take_boot(datagram); }
  void pass_time(std::chrono::microseconds time) override {
    rest_ += time;
    const auto ticks = rest_ / tick_;
    rest_ -= ticks * tick_;
    flush();
    ranks_.advance(static_cast<std::uint32_t>(ticks), messages_);
    for (machine::Datagram& one : messages_)
      way_of_messages_.take(faults_, one.from, std::move(one), [this](const machine::Datagram& passed) {
        if (listener_) listener_(passed);
      });
    messages_.clear();
  }

  void set_tick(std::chrono::microseconds tick) override { tick_ = tick; }
  /// Passes where there are faults: what lasts for a time has an end, as where a host waits.
  void time_out(std::chrono::microseconds time) override {
    if (faults_ != nullptr) pass_time(time);
  }
  [[nodiscard]] Answer<std::vector<machine::LatePackets>> late() override {
    auto made = ranks_.late();
    if (!ranks_.lost().ok()) return ranks_.lost();
    return made;
  }

  /// Gets what cores send to hosts by tags, when time passes. Without one it is lost.
  void set_listener(std::function<void(const machine::Datagram&)> listener) { listener_ = std::move(listener); }
  /// A datagram of a host to a port of an Ethernet chip, as reverse tags have them.
  void send_to(mapping::Chip ethernet, std::uint16_t port, std::span<const std::uint8_t> datagram) {
    pass_in({.at = ethernet, .port = port, .is_reverse = true, .bytes = {datagram.begin(), datagram.end()}});
  }
  /// What breaks from now on, as machine::Ranks has it, and what becomes of datagrams. All processes call it before they serve.
  /// \pre         check() of it accepts the script
  /// \param faults  outlives this; nullptr: nothing breaks
  void set_faults(machine::FaultPlayer* faults) { faults_ = faults, ranks_.set_faults(faults); }

private:
  struct Sent {
    mapping::Chip at;
    std::uint16_t port = 0;
    bool is_reverse = false;
    std::vector<std::uint8_t> bytes = {};
  };
  void pass_in(Sent sent) {
    const mapping::Chip at = sent.at;
    way_in_.take(faults_, at, std::move(sent), [this](const Sent& one) {
      if (one.is_reverse)
        ranks_.take_reverse(one.at, one.port, own_, one.bytes);
      else
        ranks_.take(one.at, own_, one.bytes, answers_);
    });
  }
  void flush() {
    if (faults_ == nullptr) return ranks_.flush(waiting_);
    ranks_.flush(answers_);
    for (machine::Datagram& one : answers_)
      way_of_answers_.take(faults_, one.from, std::move(one),
                           [this](machine::Datagram&& passed) { waiting_.push_back(std::move(passed)); });
    answers_.clear();
  }

  machine::Monitors& monitors_;
  machine::Ranks ranks_;
  std::vector<mapping::Chip> ethernets_;
  machine::Endpoint own_{{127, 0, 0, 1}, 50000};
  std::vector<machine::Datagram> answers_{};              // before faults have their share
  std::vector<machine::Datagram> waiting_{}, messages_{}; // for the host; of cores
  std::size_t read_ = 0;
  std::chrono::microseconds rest_{}, tick_{1000};
  std::function<void(const machine::Datagram&)> listener_{};
  machine::FaultPlayer* faults_ = nullptr;
  machine::FaultyWay<Sent> way_in_{};
  machine::FaultyWay<machine::Datagram> way_of_answers_{}, way_of_messages_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
