// SPDX-License-Identifier: BSL-1.0
/// \file
/// Spikes in UDP datagrams: a source that is fed by them, and a recorder that sends them.
///
/// A datagram is little endian: the step in which its neurons fire, 8 bytes, then their numbers, 4 bytes each. Step 0 is the
/// next one. UDP loses, doubles and reorders; what is lost on the way cannot be known here, all else is counted.
// host-only
#ifndef NEUROMORPH_NETWORK_SPIKE_SOCKET_HPP
#define NEUROMORPH_NETWORK_SPIKE_SOCKET_HPP

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
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
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/live.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/recorder.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Where datagrams go or come from: an IPv4 address in numbers.
struct UdpAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0; ///< 0 of a receiver: one that is free
};

namespace detail {

class UdpSocket {
public:
  UdpSocket() = default;
  UdpSocket(UdpSocket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  UdpSocket& operator=(UdpSocket&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~UdpSocket() {
    if (file_ >= 0) ::close(file_);
  }

  /// \param listens  at the address; else sends to it
  /// \errors parameter_out_of_range: no address; file_failed: the system refuses
  [[nodiscard]] static Answer<UdpSocket> open(const UdpAddress& address, bool listens) {
    const std::string name = address.host + ", port " + std::to_string(address.port);
    struct ::sockaddr_in place {};
    place.sin_family = AF_INET;
    place.sin_port = htons(address.port);
    if (::inet_pton(AF_INET, address.host.c_str(), &place.sin_addr) != 1)
      return Refusal{{Error::parameter_out_of_range, 0, 0, "host"}, name, "it is no IPv4 address, such as 127.0.0.1"};
    if (!listens && address.port == 0)
      return Refusal{{Error::parameter_out_of_range, 0, 0, "port"}, name, "nothing can be sent to port 0"};
    UdpSocket made;
    made.file_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const auto* const general = reinterpret_cast<const struct ::sockaddr*>(&place);
    const int answer = made.file_ < 0 ? -1
                       : listens      ? ::bind(made.file_, general, sizeof place)
                                      : ::connect(made.file_, general, sizeof place);
    if (answer != 0) {
      const int number = errno;
      return Refusal{{Error::file_failed, 0, number, "socket"},
                     name,
                     std::string(listens ? "cannot listen there: " : "cannot send there: ") + std::strerror(number)};
    }
    return made;
  }
  [[nodiscard]] std::uint16_t port() const noexcept {
    struct ::sockaddr_in place {};
    socklen_t size = sizeof place;
    return ::getsockname(file_, reinterpret_cast<struct ::sockaddr*>(&place), &size) == 0 ? ntohs(place.sin_port)
                                                                                          : std::uint16_t{0};
  }
  /// Bytes of the next datagram, cut to the buffer; below 0: there is none now.
  [[nodiscard]] std::ptrdiff_t receive(std::span<unsigned char> buffer) const noexcept {
    std::ptrdiff_t size;
    do size = ::recv(file_, buffer.data(), buffer.size(), 0);
    while (size < 0 && errno == EINTR);
    return size;
  }
  [[nodiscard]] bool send(std::span<const unsigned char> bytes) const noexcept {
    return ::send(file_, bytes.data(), bytes.size(), 0) == static_cast<std::ptrdiff_t>(bytes.size());
  }

private:
  int file_ = -1;
};

inline constexpr std::size_t spike_datagram_head = 8, most_spikes_of_datagram = 16'000;

[[nodiscard]] inline std::uint64_t little_endian(std::span<const unsigned char> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t at = bytes.size(); at != 0; --at) value = value << 8 | bytes[at - 1];
  return value;
}
inline void put_little_endian(std::vector<unsigned char>& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; ++at) to.push_back(static_cast<unsigned char>(value >> 8 * at));
}

} // namespace detail

/// Feeds a source with the datagrams that have come before an interval begins.
class SpikeReceiver final : public Input {
public:
  struct Counts {
    std::uint64_t datagrams = 0; ///< that came, whatever they were
    std::uint64_t malformed = 0; ///< of them: without a step, with part of a number, or with more than 16 000: ignored
    std::uint64_t spikes = 0;    ///< that were fed
    std::uint64_t late = 0;      ///< of them: in a later step than they ask for, the first that was open
    std::uint64_t out_of_range = 0; ///< of neurons that there are not: ignored
    std::uint64_t repeated = 0;     ///< of a neuron that fires in that step anyhow: ignored
    std::uint64_t no_room = 0;      ///< that would have had to wait besides `most_waiting` others: ignored
  };
  static constexpr std::size_t most_waiting = std::size_t{1} << 20; ///< spikes of steps to come

  /// \param pace  waited for before datagrams are taken; none: the run goes as fast as it can
  /// \errors index_out_of_range: there is no such population; as of UdpSocket::open
  [[nodiscard]] static Answer<SpikeReceiver> open(const Network& net, PopulationId population,
                                                  const UdpAddress& address = {}, Pace* pace = nullptr) {
    if (std::size_t(population) >= net.populations().size())
      return Refusal{{Error::index_out_of_range, 0, std::uint32_t(population), "population"},
                     "what spikes are received for",
                     "there is no population " + std::to_string(std::uint32_t(population))};
    auto socket = detail::UdpSocket::open(address, true);
    if (!socket) return socket.refusal();
    return SpikeReceiver(population, net[population].count, std::move(socket).value(), pace);
  }
  /// At which it listens.
  [[nodiscard]] std::uint16_t port() const noexcept { return socket_.port(); }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

  Refusal on_steps(std::uint64_t first, std::span<std::vector<std::uint32_t>> neurons) override {
    if (pace_ != nullptr) pace_->wait(first);
    for (std::ptrdiff_t size; (size = socket_.receive(buffer_)) >= 0;)
      take(std::span<const unsigned char>(buffer_).first(static_cast<std::size_t>(size)), first);
    for (std::size_t at = 0; at < neurons.size(); ++at) {
      std::vector<std::uint32_t>& list = neurons[at];
      while (!waiting_.empty() && waiting_.begin()->first <= first + at) {
        const auto& [step, due] = *waiting_.begin();
        list.insert(list.end(), due.begin(), due.end());
        if (step < first) counts_.late += due.size();
        waiting_count_ -= due.size();
        waiting_.erase(waiting_.begin());
      }
      std::sort(list.begin(), list.end());
      const auto end = std::unique(list.begin(), list.end());
      counts_.repeated += static_cast<std::uint64_t>(list.end() - end);
      list.erase(end, list.end());
      counts_.spikes += list.size();
    }
    return {};
  }

private:
  SpikeReceiver(PopulationId population, std::uint32_t count, detail::UdpSocket socket, Pace* pace)
      : Input(population), count_(count), socket_(std::move(socket)), pace_(pace), buffer_(std::size_t{1} << 16) {}

  void take(std::span<const unsigned char> bytes, std::uint64_t first) {
    ++counts_.datagrams;
    constexpr std::size_t head = detail::spike_datagram_head;
    if (bytes.size() < head || (bytes.size() - head) % 4 != 0 ||
        (bytes.size() - head) / 4 > detail::most_spikes_of_datagram) {
      ++counts_.malformed;
      return;
    }
    const std::uint64_t asked = detail::little_endian(bytes.first(head)), step = asked == 0 ? first : asked;
    for (std::size_t at = head; at < bytes.size(); at += 4) {
      const auto neuron = static_cast<std::uint32_t>(detail::little_endian(bytes.subspan(at, 4)));
      if (neuron >= count_) {
        ++counts_.out_of_range;
      } else if (waiting_count_ == most_waiting) {
        ++counts_.no_room;
      } else {
        waiting_[step].push_back(neuron);
        ++waiting_count_;
      }
    }
  }

  std::uint32_t count_;
  detail::UdpSocket socket_;
  Pace* pace_;
  std::vector<unsigned char> buffer_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> waiting_{}; // by step
  std::size_t waiting_count_ = 0;
  Counts counts_{};
};

/// Sends the spikes of a population, a datagram for each step that has some; more where there are more than 16 000.
class SpikeSender final : public Recorder {
public:
  struct Counts {
    std::uint64_t datagrams = 0; ///< that were sent
    std::uint64_t spikes = 0;    ///< in them
    std::uint64_t lost = 0;      ///< spikes whose datagram the system did not take
  };

  /// \errors index_out_of_range: there is no such population; as of UdpSocket::open
  [[nodiscard]] static Answer<SpikeSender> open(const Network& net, PopulationId population,
                                                const UdpAddress& address) {
    if (Refusal refusal = check(net, {.spikes = {population}}); !refusal) return refusal;
    auto socket = detail::UdpSocket::open(address, false);
    if (!socket) return socket.refusal();
    return SpikeSender(population, std::move(socket).value());
  }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

  Refusal on_spikes(std::uint64_t step, PopulationId, std::span<const std::uint32_t> neurons) override {
    while (!neurons.empty()) {
      const auto here = neurons.first((std::min)(neurons.size(), detail::most_spikes_of_datagram));
      neurons = neurons.subspan(here.size());
      bytes_.clear();
      detail::put_little_endian(bytes_, step, detail::spike_datagram_head);
      for (const std::uint32_t neuron : here) detail::put_little_endian(bytes_, neuron, 4);
      if (!socket_.send(bytes_)) {
        counts_.lost += here.size();
        continue;
      }
      ++counts_.datagrams;
      counts_.spikes += here.size();
    }
    return {};
  }
  Refusal on_words(std::uint64_t, PopulationId, std::size_t, std::span<const std::int32_t>) override { return {}; }
  Refusal on_end(std::uint64_t) override { return {}; }

private:
  SpikeSender(PopulationId population, detail::UdpSocket socket)
      : Recorder({.spikes = {population}}), socket_(std::move(socket)) {}

  detail::UdpSocket socket_;
  std::vector<unsigned char> bytes_{};
  Counts counts_{};
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
