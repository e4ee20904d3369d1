// SPDX-License-Identifier: BSL-1.0
/// \file
/// The side of a program that speaks with a simulation while it runs. It hears when there is a database, and when runs start and pause,
/// sends events and takes them. execution/database.hpp says to which ports, and which keys are whose.
///
///     auto news = execution::NewsReceiver::open();
///     auto first = news.value().next(std::chrono::seconds(10)); // What::database, with its path
///     ...                                                       // read it, open what is needed
///     news.value().answer();
///     auto sender = execution::EventSender::open({board, port});
///     sender.value().send(keys);
///     auto receiver = execution::EventReceiver::open(17895);
///     receiver.value().receive(events, std::chrono::milliseconds(10));
// host-only
#ifndef NEUROMORPH_EXECUTION_LIVE_CLIENT_HPP
#define NEUROMORPH_EXECUTION_LIVE_CLIENT_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/notification.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/udp_socket.hpp>
#include <neuromorph/protocols/eieio.hpp>
#include <neuromorph/protocols/sdp.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct News {
  enum class What : std::uint8_t { database, started, paused };
  What what = What::database;
  std::string path = {}; ///< of the database
};
class NewsReceiver {
public:
  /// \param port  that the simulation's Notifier was told; 0: one that is free
  /// \errors      file_failed: the port is taken
  [[nodiscard]] static neuromorph::Answer<NewsReceiver> open(std::uint16_t port = notification_port) {
    auto socket = host::UdpSocket::open(port);
    if (!socket) return socket.refusal();
    return NewsReceiver(std::move(socket).value());
  }
  [[nodiscard]] std::uint16_t port() const noexcept { return socket_.port(); }
  /// The next one, if it comes within this time. What tells of a database comes again until it is answered.
  [[nodiscard]] std::optional<News> next(std::chrono::milliseconds wait) {
    std::vector<std::uint8_t> bytes;
    host::UdpEnd from;
    const auto end = std::chrono::steady_clock::now() + wait;
    for (auto left = wait; socket_.receive(bytes, from, left);
         left = (std::max)(std::chrono::milliseconds(0), std::chrono::duration_cast<std::chrono::milliseconds>(
                                                             end - std::chrono::steady_clock::now()))) {
      const auto message = protocols::EieioMessage::of(bytes);
      if (message && message.value.command == protocols::EieioCommand::database) {
        from_ = from;
        return News{News::What::database, {message.value.body.begin(), message.value.body.end()}};
      }
      if (message && message.value.command == protocols::EieioCommand::start_resume) return News{News::What::started};
      if (message && message.value.command == protocols::EieioCommand::stop_pause) return News{News::What::paused};
      ++strange_;
    }
    return {};
  }
  /// Tells the simulation that the database was read: it may start.
  void answer() {
    std::array<std::uint8_t, 2> bytes{};
    static_cast<void>(protocols::EieioMessage{protocols::EieioCommand::database}.write(bytes));
    if (from_) static_cast<void>(socket_.send(*from_, bytes)); // what is lost is asked again
  }
  /// Datagrams that were no news.
  [[nodiscard]] std::uint64_t strange() const noexcept { return strange_; }

private:
  explicit NewsReceiver(host::UdpSocket socket) : socket_(std::move(socket)) {}
  host::UdpSocket socket_;
  std::optional<host::UdpEnd> from_{};
  std::uint64_t strange_ = 0;
};

class EventSender {
public:
  /// \param to  a board, and the port of a source
  /// \errors    file_failed: the system gives no socket
  [[nodiscard]] static neuromorph::Answer<EventSender> open(const host::UdpEnd& to) {
    auto socket = host::UdpSocket::open();
    if (!socket) return socket.refusal();
    return EventSender(std::move(socket).value(), to);
  }
  /// In as few datagrams as hold them.
  /// \return events that the system did not take
  std::size_t send(std::span<const std::uint32_t> keys) {
    return send_all({.type = protocols::EieioType::key32}, keys.size(),
                    [&](protocols::EieioWriter& to, std::size_t at) { return to.add(keys[at]); });
  }
  std::size_t send(std::span<const std::pair<std::uint32_t, std::uint32_t>> keys_and_payloads) {
    return send_all({.type = protocols::EieioType::key32_payload}, keys_and_payloads.size(),
                    [&](protocols::EieioWriter& to, std::size_t at) {
                      return to.add(keys_and_payloads[at].first, keys_and_payloads[at].second);
                    });
  }

private:
  EventSender(host::UdpSocket socket, const host::UdpEnd& to) : socket_(std::move(socket)), to_(to) {}
  template <class Add>
  std::size_t send_all(const protocols::EieioForm& form, std::size_t count, Add add) {
    std::size_t refused = 0;
    for (std::size_t at = 0; at < count;) {
      std::array<std::uint8_t, protocols::eieio_most_bytes> bytes;
      protocols::EieioWriter message(form, bytes);
      while (at < count && add(message, at)) ++at;
      if (!socket_.send(to_, message.bytes())) refused += message.count();
    }
    return refused;
  }
  host::UdpSocket socket_;
  host::UdpEnd to_;
};

class EventReceiver {
public:
  /// \param port          to which a gatherer sends; 0: one that is free
  /// \param has_header    datagrams begin with the head of SDP
  /// \errors              file_failed: the port is taken
  [[nodiscard]] static neuromorph::Answer<EventReceiver> open(std::uint16_t port, bool has_header = false) {
    auto socket = host::UdpSocket::open(port);
    if (!socket) return socket.refusal();
    return EventReceiver(std::move(socket).value(), has_header);
  }
  [[nodiscard]] std::uint16_t port() const noexcept { return socket_.port(); }
  /// Appends the events of all datagrams that have come, waiting for the first.
  /// \return how many datagrams
  std::size_t receive(std::vector<protocols::EieioEvent>& to, std::chrono::milliseconds wait) {
    std::size_t count = 0;
    for (host::UdpEnd from; socket_.receive(bytes_, from, count == 0 ? wait : std::chrono::milliseconds(0)); ++count) {
      std::span<const std::uint8_t> message = bytes_;
      if (has_header_) {
        const auto sdp = protocols::decode_sdp_datagram(bytes_);
        message = sdp ? sdp.value.data : std::span<const std::uint8_t>{};
      }
      const auto data = protocols::EieioData::of(message);
      malformed_ += data ? 0U : 1U;
      if (!data) continue;
      for (std::size_t at = 0; at < data.value.count(); ++at) to.push_back(data.value[at]);
    }
    return count;
  }
  /// Datagrams that were not of events.
  [[nodiscard]] std::uint64_t malformed() const noexcept { return malformed_; }

private:
  EventReceiver(host::UdpSocket socket, bool has_header) : socket_(std::move(socket)), has_header_(has_header) {}
  host::UdpSocket socket_;
  bool has_header_;
  std::vector<std::uint8_t> bytes_{};
  std::uint64_t malformed_ = 0;
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
