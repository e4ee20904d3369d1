// SPDX-License-Identifier: BSL-1.0
/// \file
/// A simulated machine on the net: each Ethernet chip has an address of its own on this host, and clients reach it as they reach a board.
///
///     auto server = machine::Server::open(monitors, {});
///     if (!server) return std::puts(server.sentence().c_str()), 1;
///     while (!is_over) server.value().serve(100);
///
/// Linux has all of 127.0.0.0/8 for itself. 127.0.0.1 is not used: clients take it for no machine.
// host-only
#ifndef NEUROMORPH_MACHINE_SERVER_HPP
#define NEUROMORPH_MACHINE_SERVER_HPP

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/fault_player.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

struct ServerOptions {
  std::uint16_t port = 17893;      ///< of SCP, on each address; 0: one that is free, the same for all
  std::uint16_t boot_port = 54321; ///< on the first address, while the machine is not booted
};

class Server {
public:
  struct Counts {
    std::uint64_t received = 0, sent = 0;
    std::uint64_t not_sent = 0; ///< the system did not take them
    std::uint64_t not_open = 0; ///< attempts to listen to the port of a reverse tag that the system refused
  };

  /// \param monitors  outlives the server
  /// \errors          file_failed: the system does not give an address or a port
  [[nodiscard]] static neuromorph::Answer<Server> open(Monitors& monitors, const ServerOptions& options) {
    Server made(monitors);
    std::uint16_t port = options.port;
    for (const mapping::Chip ethernet : monitors.ethernets()) {
      if (Refusal refusal = made.listen(ethernet, port, What::scp); !refusal) return refusal;
      port = made.sockets_.back().port;
    }
    made.port_ = port;
    if (!monitors.is_booted())
      if (Refusal refusal = made.listen(monitors.ethernets().front(), options.boot_port, What::boot); !refusal)
        return refusal;
    return made;
  }
  Server(Server&& other) noexcept
      : monitors_(other.monitors_), sockets_(std::exchange(other.sockets_, {})), port_(other.port_),
        counts_(other.counts_) {}
  Server& operator=(Server&&) = delete;
  ~Server() {
    for (const Socket& one : sockets_) ::close(one.file);
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }
  /// Waits for datagrams and answers all that have come.
  /// \param milliseconds  after which it returns if none has
  /// \return              datagrams
  std::size_t serve(int milliseconds) {
    std::vector<struct ::pollfd> waiting;
    for (const Socket& one : sockets_) waiting.push_back({one.file, POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), milliseconds) <= 0) return 0;
    std::size_t count = 0;
    for (std::size_t at = 0; at < waiting.size(); ++at) {
      if ((waiting[at].revents & POLLIN) == 0) continue;
      std::array<std::uint8_t, 2048> bytes{};
      // Not for ever: others wait, too.
      for (unsigned turn = 0; turn < 64; ++turn) {
        struct ::sockaddr_in from {};
        socklen_t size = sizeof from;
        const auto got = ::recvfrom(sockets_[at].file, bytes.data(), bytes.size(), 0,
                                    reinterpret_cast<struct ::sockaddr*>(&from), &size);
        if (got < 0) break;
        ++count, ++counts_.received;
        Endpoint sender;
        std::memcpy(sender.address.data(), &from.sin_addr, 4);
        sender.port = ntohs(from.sin_port);
        const auto given = std::span<const std::uint8_t>(bytes).first(static_cast<std::size_t>(got));
        way_in_.take(faults_, sockets_[at].ethernet, Received{sockets_[at], sender, {given.begin(), given.end()}},
                     [this](const Received& one) { take(one.socket, one.from, one.bytes); });
      }
    }
    follow_reverse_tags();
    return count;
  }
  /// What becomes of datagrams from now on.
  /// \param faults  outlives the server; nullptr: nothing
  void set_faults(FaultPlayer* faults) noexcept { faults_ = faults; }
  /// To a host, from the address of the Ethernet chip that it names.
  void send(const Datagram& one) {
    way_out_.take(faults_, one.from, one, [this](const Datagram& passed) { put(passed); });
  }

private:
  enum class What : std::uint8_t { scp, boot, reverse };
  struct Socket {
    int file;
    mapping::Chip ethernet;
    std::uint16_t port;
    What what;
  };
  struct Received {
    Socket socket;
    Endpoint from{};
    std::vector<std::uint8_t> bytes{};
  };

  explicit Server(Monitors& monitors) : monitors_(monitors) {}

  void take(const Socket& at, const Endpoint& from, std::span<const std::uint8_t> bytes) {
    switch (at.what) {
    case What::scp: {
      std::vector<Datagram> answers;
      monitors_.take(at.ethernet, from, bytes, answers);
      // Who hears that there is a reverse tag may send to its port at once.
      constexpr std::size_t command = 10; // behind two bytes of the net and the head of SDP
      if (bytes.size() >= command + 2 &&
          protocols::half_at(bytes, command) == std::uint16_t(protocols::ScpCommand::ip_tag))
        open_new_ports();
      for (const Datagram& one : answers) send(one);
      break;
    }
    case What::boot: monitors_.take_boot(bytes); break;
    case What::reverse: monitors_.take_reverse(at.ethernet, at.port, from, bytes); break;
    }
  }
  void put(const Datagram& one) {
    struct ::sockaddr_in to {};
    to.sin_family = AF_INET, to.sin_port = htons(one.to.port);
    std::memcpy(&to.sin_addr, one.to.address.data(), 4);
    for (const Socket& socket : sockets_) {
      if (socket.ethernet != one.from || socket.what != What::scp) continue;
      const auto sent = ::sendto(socket.file, one.bytes.data(), one.bytes.size(), 0,
                                 reinterpret_cast<const struct ::sockaddr*>(&to), sizeof to);
      ++(sent == static_cast<std::ptrdiff_t>(one.bytes.size()) ? counts_.sent : counts_.not_sent);
    }
  }

  [[nodiscard]] Refusal listen(mapping::Chip ethernet, std::uint16_t port, What what) {
    const std::array<std::uint8_t, 4> address = monitors_.address(ethernet);
    struct ::sockaddr_in place {};
    place.sin_family = AF_INET, place.sin_port = htons(port);
    std::memcpy(&place.sin_addr, address.data(), 4);
    const int file = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof place;
    auto* const general = reinterpret_cast<struct ::sockaddr*>(&place);
    if (file < 0 || ::bind(file, general, size) != 0 || ::getsockname(file, general, &size) != 0) {
      const int number = errno;
      if (file >= 0) ::close(file);
      return Refusal{{Error::file_failed, 0, number, "socket"},
                     host::text_of(address) + ", port " + std::to_string(port),
                     std::string("cannot listen there: ") + std::strerror(number)};
    }
    const int room = 1 << 20; // for bursts of clients with many requests under way; less, if the system gives less
    static_cast<void>(::setsockopt(file, SOL_SOCKET, SO_RCVBUF, &room, sizeof room));
    sockets_.push_back({file, ethernet, ntohs(place.sin_port), what});
    return {};
  }
  void open_new_ports() {
    for (const mapping::Chip ethernet : monitors_.ethernets())
      for (const std::uint16_t port : monitors_.reverse_ports(ethernet))
        if (std::none_of(sockets_.begin(), sockets_.end(), [&](const Socket& one) {
              return one.what == What::reverse && one.ethernet == ethernet && one.port == port;
            }))
          static_cast<void>(listen(ethernet, port, What::reverse).ok()); // what the system refuses is counted below
  }
  /// Listens where reverse tags say, and nowhere else.
  void follow_reverse_tags() {
    std::vector<Socket> kept;
    std::vector<std::pair<mapping::Chip, std::uint16_t>> wanted;
    for (const mapping::Chip ethernet : monitors_.ethernets())
      for (const std::uint16_t port : monitors_.reverse_ports(ethernet)) wanted.emplace_back(ethernet, port);
    for (const Socket& one : sockets_) {
      const auto found = std::find(wanted.begin(), wanted.end(), std::pair(one.ethernet, one.port));
      if (one.what == What::reverse && found == wanted.end())
        ::close(one.file);
      else
        kept.push_back(one);
      if (one.what == What::reverse && found != wanted.end()) wanted.erase(found);
    }
    sockets_ = std::move(kept);
    for (const auto& [ethernet, port] : wanted)
      if (!listen(ethernet, port, What::reverse)) ++counts_.not_open;
  }

  Monitors& monitors_;
  std::vector<Socket> sockets_{};
  std::uint16_t port_ = 0;
  Counts counts_{};
  FaultPlayer* faults_ = nullptr;
  FaultyWay<Received> way_in_{};
  FaultyWay<Datagram> way_out_{};
};

/// Clients that send lines over TCP, and are answered by lines.
class LineServer {
public:
  using Client = std::uint64_t;
  static constexpr std::size_t most_clients = 200, most_line = 100000;

  /// On 127.0.0.1.
  /// \param  port  0: one that is free
  /// \errors file_failed: the system does not give the port
  [[nodiscard]] static neuromorph::Answer<LineServer> open(std::uint16_t port) {
    struct ::sockaddr_in place {};
    place.sin_family = AF_INET, place.sin_port = htons(port), place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    auto* const general = reinterpret_cast<struct ::sockaddr*>(&place);
    const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
    if (file >= 0) static_cast<void>(::setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes));
    if (file < 0 || ::bind(file, general, size) != 0 || ::listen(file, 16) != 0 ||
        ::getsockname(file, general, &size) != 0) {
      const int number = errno;
      if (file >= 0) ::close(file);
      return Refusal{{Error::file_failed, 0, number, "socket"},
                     "127.0.0.1, port " + std::to_string(port),
                     std::string("cannot listen there: ") + std::strerror(number)};
    }
    return LineServer(file, ntohs(place.sin_port));
  }
  LineServer(LineServer&& other) noexcept
      : file_(std::exchange(other.file_, -1)), port_(other.port_), clients_(std::exchange(other.clients_, {})),
        next_(other.next_) {}
  LineServer& operator=(LineServer&&) = delete;
  ~LineServer() {
    if (file_ >= 0) ::close(file_);
    for (const auto& [client, one] : clients_) ::close(one.file);
  }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Takes what has come, without waiting: take(client, line) gives the answer, leave(client) is told who has gone.
  template <class Take, class Leave>
  void serve(Take take, Leave leave) {
    for (int file = 0; (file = ::accept4(file_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
      if (clients_.size() < most_clients)
        clients_[++next_].file = file;
      else
        ::close(file);
    std::vector<Client> gone;
    for (auto& [client, one] : clients_) {
      std::array<char, 4096> some{};
      ::ssize_t got = 1;
      while (one.line.size() <= most_line && (got = ::recv(one.file, some.data(), some.size(), 0)) > 0)
        one.line.append(some.data(), static_cast<std::size_t>(got));
      bool is_over = got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
      for (std::size_t end = 0; (end = one.line.find('\n')) != std::string::npos;) {
        const std::string answer = take(client, one.line.substr(0, end));
        one.line.erase(0, end + 1);
        is_over = !put(one.file, answer) || is_over;
      }
      if (is_over || one.line.size() > most_line) gone.push_back(client);
    }
    for (const Client client : gone) leave(client), ::close(clients_[client].file), clients_.erase(client);
  }
  /// To one that is there still.
  void send(Client client, const std::string& line) {
    if (const auto found = clients_.find(client); found != clients_.end())
      static_cast<void>(put(found->second.file, line));
  }

private:
  struct One {
    int file = -1;
    std::string line{}; ///< that has not ended
  };
  LineServer(int file, std::uint16_t port) : file_(file), port_(port) {}
  /// \return whether all of it has gone: who does not read is left
  [[nodiscard]] static bool put(int file, const std::string& text) {
    return ::send(file, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<::ssize_t>(text.size());
  }

  int file_ = -1;
  std::uint16_t port_ = 0;
  std::map<Client, One> clients_{};
  Client next_ = 0;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
