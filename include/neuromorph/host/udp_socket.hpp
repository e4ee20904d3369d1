// SPDX-License-Identifier: BSL-1.0
/// \file
/// A socket for datagrams.
///
///     auto socket = host::UdpSocket::open(17895);
///     if (!socket) return std::puts(socket.sentence().c_str()), 1;
///     socket.value().send({{127, 0, 0, 2}, 12345}, bytes);
///     while (socket.value().receive(bytes, from, std::chrono::milliseconds(10))) ...;
// host-only
#ifndef NEUROMORPH_HOST_UDP_SOCKET_HPP
#define NEUROMORPH_HOST_UDP_SOCKET_HPP

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace host {

struct UdpEnd {
  Address address{};
  std::uint16_t port = 0;
  friend bool operator==(const UdpEnd&, const UdpEnd&) = default;
};
/// "127.0.0.2, port 17893".
[[nodiscard]] inline std::string text_of(const UdpEnd& end) {
  return text_of(end.address) + ", port " + std::to_string(end.port);
}

class UdpSocket {
public:
  /// \param port  that it listens to, on all addresses; 0: one that is free
  /// \param room  for datagrams that have come, in bytes; the system may give less
  /// \errors      file_failed: the system gives no socket, or the port is taken
  [[nodiscard]] static neuromorph::Answer<UdpSocket> open(std::uint16_t port = 0, int room = 1 << 22) {
    struct ::sockaddr_in place {};
    place.sin_family = AF_INET, place.sin_port = htons(port), place.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t size = sizeof place;
    auto* const general = reinterpret_cast<struct ::sockaddr*>(&place);
    UdpSocket made(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (made.file_ < 0 || ::bind(made.file_, general, size) != 0 || ::getsockname(made.file_, general, &size) != 0)
      return Refusal{{Error::file_failed, 0, port, "port"},
                     "port " + std::to_string(port),
                     std::string("cannot listen to it: ") + std::strerror(errno)};
    static_cast<void>(::setsockopt(made.file_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room));
    made.port_ = ntohs(place.sin_port);
    return made;
  }
  UdpSocket(UdpSocket&& other) noexcept : file_(std::exchange(other.file_, -1)), port_(other.port_) {}
  UdpSocket& operator=(UdpSocket&&) = delete;
  ~UdpSocket() {
    if (file_ >= 0) ::close(file_);
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// \return whether the system has taken it
  bool send(const UdpEnd& to, std::span<const std::uint8_t> bytes) {
    struct ::sockaddr_in place {};
    place.sin_family = AF_INET, place.sin_port = htons(to.port);
    std::memcpy(&place.sin_addr, to.address.data(), to.address.size());
    return ::sendto(file_, bytes.data(), bytes.size(), 0, reinterpret_cast<const struct ::sockaddr*>(&place),
                    sizeof place) == static_cast<::ssize_t>(bytes.size());
  }
  /// \param bytes  at most 65 536
  /// \return       whether one has come in this time
  [[nodiscard]] bool receive(std::vector<std::uint8_t>& bytes, UdpEnd& from, std::chrono::milliseconds wait) {
    struct ::sockaddr_in place {};
    socklen_t size = sizeof place;
    const auto get = [&] {
      bytes.resize(65536);
      return ::recvfrom(file_, bytes.data(), bytes.size(), MSG_DONTWAIT, reinterpret_cast<struct ::sockaddr*>(&place),
                        &size);
    };
    auto got = get();
    if (got < 0 && wait.count() > 0) {
      struct ::pollfd one {
        file_, POLLIN, 0
      };
      if (::poll(&one, 1, static_cast<int>(wait.count())) > 0) got = get();
    }
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    if (got < 0) return false;
    std::memcpy(from.address.data(), &place.sin_addr, from.address.size());
    from.port = ntohs(place.sin_port);
    return true;
  }

private:
  explicit UdpSocket(int file) noexcept : file_(file) {}
  int file_;
  std::uint16_t port_ = 0;
};

} // namespace host
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
