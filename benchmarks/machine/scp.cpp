// SPDX-License-Identifier: BSL-1.0
// How fast memory of a simulated machine is written and read by SCP over loopback, with up to 8 requests under way: on a net as it is, and on
// one that loses, doubles and reorders a twentieth each. `machine.scp [--json FILE]`. All bytes are compared.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>

#include "../figures.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace protocols = neuromorph::protocols;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class Client {
public:
  Client(const std::array<std::uint8_t, 4>& address, std::uint16_t port, double faults) : faults_(faults) {
    struct ::sockaddr_in place {};
    place.sin_family = AF_INET, place.sin_port = htons(port);
    std::memcpy(&place.sin_addr, address.data(), 4);
    file_ = ::socket(AF_INET, SOCK_DGRAM, 0);
    is_open_ = ::connect(file_, reinterpret_cast<const struct ::sockaddr*>(&place), sizeof place) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(file_); }

  /// Writes or reads all of it, in pieces of 256 bytes.
  bool move(std::uint32_t address, std::vector<std::uint8_t>& bytes, bool writes) {
    constexpr std::size_t window = 8, piece = protocols::scp_most_data;
    std::vector<std::uint8_t> is_done(bytes.size() / piece);
    std::array<Request, window> under_way{};
    std::size_t next = 0, done = 0;
    const auto send = [&](Request& one) {
      one.at = now();
      const std::uint32_t at = address + static_cast<std::uint32_t>(one.piece * piece);
      const std::span<std::uint8_t> data = std::span(bytes).subspan(one.piece * piece, piece);
      const auto request = writes ? protocols::WriteMemory{at, protocols::AccessUnit::word, data}.request(one.sequence)
                                  : protocols::ReadMemory{at, piece, protocols::AccessUnit::word}.request(one.sequence);
      std::array<std::uint8_t, 300> scp{};
      Message datagram;
      protocols::Sdp sdp;
      sdp.to = {1, 1, 0, 0}, sdp.data = std::span(scp).first(protocols::encode_request(request, scp));
      datagram.size = protocols::encode_sdp_datagram(sdp, datagram.bytes);
      pass(datagram);
    };
    while (done < is_done.size()) {
      for (Request& one : under_way)
        if (!one.is_waiting && next < is_done.size()) one = {next++, ++sequence_, true, 0.0}, send(one);
      struct ::pollfd waiting {
        file_, POLLIN, 0
      };
      if (::poll(&waiting, 1, 2) > 0) {
        std::array<std::uint8_t, 2048> got{};
        const auto size = ::recv(file_, got.data(), got.size(), MSG_DONTWAIT);
        if (size <= 0) continue;
        if (chance(faults_)) continue; // the answer is lost
        const auto sdp =
            protocols::decode_sdp_datagram(std::span<const std::uint8_t>(got).first(static_cast<std::size_t>(size)));
        const auto reply = protocols::decode_reply(sdp.value.data);
        if (!sdp || !reply) return false;
        for (Request& one : under_way) {
          if (!one.is_waiting || one.sequence != reply.value.sequence) continue;
          if (reply.value.result != protocols::ScpResult::ok) return false;
          if (!writes)
            std::copy_n(reply.value.data.begin(), piece,
                        bytes.begin() + static_cast<std::ptrdiff_t>(one.piece * piece));
          one.is_waiting = false, ++done;
        }
        continue;
      }
      for (Request& one : under_way)
        if (one.is_waiting && now() - one.at > 0.01) ++retries_, send(one);
    }
    return true;
  }
  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] std::uint64_t retries() const { return retries_; }

private:
  struct Request {
    std::size_t piece = 0;
    std::uint16_t sequence = 0;
    bool is_waiting = false;
    double at = 0.0;
  };
  struct Message {
    std::array<std::uint8_t, 300> bytes{};
    std::size_t size = 0;
  };
  bool chance(double of) { return of > 0.0 && static_cast<double>(draw_()) < of * 4294967296.0; }
  void pass(const Message& one) {
    if (chance(faults_)) return;            // lost
    if (chance(faults_) && held_.empty()) { // after the next one
      held_.push_back(one);
      return;
    }
    put(one);
    if (chance(faults_)) put(one); // doubled
    for (; !held_.empty(); held_.pop_front()) put(held_.front());
  }
  void put(const Message& one) { static_cast<void>(::send(file_, one.bytes.data(), one.size, 0)); }

  int file_ = -1;
  bool is_open_ = false;
  double faults_;
  std::mt19937 draw_{1};
  std::uint16_t sequence_ = 0;
  std::uint64_t retries_ = 0;
  std::deque<Message> held_{};
};

} // namespace

int main(int count, char** words) {
  const bool has_json = count == 3 && std::strcmp(words[1], "--json") == 0;
  if (count != 1 && !has_json) return std::fprintf(stderr, "usage: %s [--json FILE]\n", words[0]), 2;
  const auto boards = neuromorph::mapping::machine_of_boards(1);
  machine::Monitors monitors(boards.value(), {});
  auto server = machine::Server::open(monitors, {.port = 0});
  if (!server) return std::fprintf(stderr, "%s\n", server.sentence().c_str()), 1;
  std::atomic<bool> is_over{false};
  std::thread serving([&] {
    while (!is_over) server.value().serve(20);
  });
  std::vector<figures::Figure> to;
  bool is_right = true;
  std::mt19937 draw(2);
  for (const double faults : {0.0, 0.05}) {
    std::vector<std::uint8_t> bytes(faults == 0.0 ? 16 << 20 : 1 << 20), back(bytes.size());
    for (auto& one : bytes) one = static_cast<std::uint8_t>(draw());
    Client client(monitors.address(monitors.ethernets()[0]), server.value().port(), faults);
    const double begin = now();
    is_right = client.is_open() && client.move(0x60100000, bytes, true) && is_right;
    const double middle = now();
    is_right = client.move(0x60100000, back, false) && back == bytes && is_right;
    const double end = now();
    const double megabits = 8e-6 * static_cast<double>(bytes.size());
    std::printf("%.0f %% lost, doubled, late: %.0f Mb/s written, %.0f Mb/s read, %llu retries, %s\n", faults * 100,
                megabits / (middle - begin), megabits / (end - middle),
                static_cast<unsigned long long>(client.retries()), is_right ? "every byte right" : "WRONG");
    if (faults == 0.0) to.push_back({"machine/scp_mbit", "value", 2 * megabits / (end - begin)});
  }
  is_over = true;
  serving.join();
  if (has_json)
    if (const std::string why = figures::write(words[2], to); !why.empty())
      return std::fprintf(stderr, "%s\n", why.c_str()), 1;
  return is_right ? 0 : 1;
}
