// SPDX-License-Identifier: BSL-1.0
/// \file
/// A link to boards, or to what stands for them, by UDP: a socket for each Ethernet chip.
///
///     auto link = execution::UdpLink::open({127, 0, 0, 2});
///     if (!link) return std::puts(link.sentence().c_str()), 1;
// host-only
#ifndef NEUROMORPH_EXECUTION_UDP_LINK_HPP
#define NEUROMORPH_EXECUTION_UDP_LINK_HPP

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/link.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct UdpPorts {
  std::uint16_t scp = 17893, boot = 54321;
};

class UdpLink final : public Link {
public:
  /// \errors file_failed: the system gives no socket, or does not reach the address
  [[nodiscard]] static neuromorph::Answer<std::unique_ptr<UdpLink>> open(const std::array<std::uint8_t, 4>& address,
                                                                         const UdpPorts& ports = {}) {
    std::unique_ptr<UdpLink> made(new UdpLink(ports));
    if (Refusal refusal = made->connect(address, ports.scp, made->sockets_); !refusal) return refusal;
    if (Refusal refusal = made->connect(address, ports.boot, made->boot_); !refusal) return refusal;
    return made;
  }
  UdpLink(const UdpLink&) = delete;
  UdpLink& operator=(const UdpLink&) = delete;
  ~UdpLink() override {
    for (const auto* const files : {&sockets_, &boot_})
      for (const struct ::pollfd& one : *files) ::close(one.fd);
  }

  [[nodiscard]] Refusal add(const std::array<std::uint8_t, 4>& address) override {
    return connect(address, ports_.scp, sockets_);
  }
  [[nodiscard]] std::size_t ethernets() const noexcept override { return sockets_.size(); }
  void send(std::size_t ethernet, std::span<const std::uint8_t> datagram) override {
    static_cast<void>(
        ::send(sockets_[ethernet].fd, datagram.data(), datagram.size(), 0)); // what is lost is asked again
  }
  [[nodiscard]] bool receive(std::vector<std::uint8_t>& datagram, std::chrono::microseconds wait) override {
    for (int looks = 0; looks < 2; ++looks) {
      for (struct ::pollfd& one : sockets_) {
        datagram.resize(2048);
        const auto size = ::recv(one.fd, datagram.data(), datagram.size(), MSG_DONTWAIT);
        if (size < 0) continue; // also where the other end refuses
        datagram.resize(static_cast<std::size_t>(size));
        return true;
      }
      if (looks == 0 && wait.count() > 0)
        static_cast<void>(::poll(sockets_.data(), sockets_.size(), static_cast<int>((wait.count() + 999) / 1000)));
    }
    return false;
  }
  void send_boot(std::span<const std::uint8_t> datagram) override {
    static_cast<void>(::send(boot_[0].fd, datagram.data(), datagram.size(), 0));
  }
  void pass_time(std::chrono::microseconds time) override { std::this_thread::sleep_for(time); }

private:
  explicit UdpLink(const UdpPorts& ports) : ports_(ports) {}
  [[nodiscard]] static Refusal connect(const std::array<std::uint8_t, 4>& address, std::uint16_t port,
                                       std::vector<struct ::pollfd>& to) {
    struct ::sockaddr_in place {};
    place.sin_family = AF_INET, place.sin_port = htons(port);
    std::memcpy(&place.sin_addr, address.data(), address.size());
    const int file = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (file >= 0 && ::connect(file, reinterpret_cast<const struct ::sockaddr*>(&place), sizeof place) == 0) {
      to.push_back({file, POLLIN, 0});
      return {};
    }
    const int why = errno;
    if (file >= 0) ::close(file);
    return {{Error::file_failed, 0, port, "port"},
            host::text_of(address),
            "cannot reach its port " + std::to_string(port) + ": " + std::strerror(why)};
  }

  UdpPorts ports_;
  std::vector<struct ::pollfd> sockets_{}, boot_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
