// SPDX-License-Identifier: BSL-1.0
/// \file
/// Requests of a host to a machine by SCP, several under way to each Ethernet chip, asked again where no answer comes.
///
///     execution::Transceiver ask(link, {});
///     ask.write(chip_x, chip_y, 0x60000000, bytes); // any number of requests,
///     ask.read(chip_x, chip_y, 0x60001000, to);
///     if (const auto refusal = ask.finish(); !refusal) std::puts(refusal.sentence().c_str()); // which are answered now
///
/// Requests of one chip may be answered in another order than they were asked in: `finish` comes between those that depend on each other.
// host-only
#ifndef NEUROMORPH_EXECUTION_TRANSCEIVER_HPP
#define NEUROMORPH_EXECUTION_TRANSCEIVER_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/link.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct TransceiverOptions {
  unsigned window = 8;                        ///< requests under way to each Ethernet chip, 1 to 64
  std::chrono::microseconds timeout{100'000}; ///< after which one is asked again
  unsigned tries = 10;                        ///< of each request
};

class Transceiver {
public:
  using OnAnswer = std::function<void(const protocols::ScpReply& reply)>;
  /// What became of requests and datagrams.
  struct Counts {
    std::uint64_t asked = 0, answered = 0;
    std::uint64_t asked_again = 0; ///< as no answer had come
    std::uint64_t busy = 0;        ///< answers that ask for another try
    std::uint64_t late = 0;        ///< answers to what was answered already, and others that are not waited for
    std::uint64_t malformed = 0;   ///< datagrams that are no answer
  };

  /// \param link  outlives this
  explicit Transceiver(Link& link, const TransceiverOptions& options = {})
      : link_(link), options_(options), lanes_(link.ethernets()) {}

  /// The Ethernet chip by which a chip is asked: its place there is where its board's is. Without one it is the first.
  void set_route(unsigned x, unsigned y, std::size_t ethernet) {
    if (ethernet >= lanes_.size()) lanes_.resize(ethernet + 1);
    if (routes_.empty()) routes_.resize(65536);
    routes_[x << 8 | y] = static_cast<std::uint16_t>(ethernet);
  }

  /// \param make  make(sequence), a ScpRequest; of commands, their member `request`
  template <class Make>
  void ask_by(const protocols::SdpEnd& to, Make make, OnAnswer on_answer = {}) {
    Request one;
    std::array<std::uint8_t, protocols::scp_request_bytes + protocols::scp_most_data> scp{};
    const protocols::ScpRequest request = make(std::uint16_t{0});
    protocols::Sdp sdp;
    sdp.to = to, sdp.data = std::span(scp).first(protocols::encode_request(request, scp));
    one.size = static_cast<std::uint16_t>(protocols::encode_sdp_datagram(sdp, one.datagram));
    one.to = to, one.command = request.command, one.first = request.arguments[0];
    one.on_answer = std::move(on_answer);
    Lane& lane = lanes_[routes_.empty() ? 0 : routes_[std::size_t{to.x} << 8 | to.y]];
    lane.waiting.push_back(std::move(one));
    ++counts_.asked;
    if (++waiting_ > 8192) static_cast<void>(turn()); // what fails is told by `finish`
  }
  template <class Command>
  void ask(const protocols::SdpEnd& to, const Command& command, OnAnswer on_answer = {}) {
    ask_by(
        to, [&command](std::uint16_t sequence) { return command.request(sequence); }, std::move(on_answer));
  }
  void write(unsigned x, unsigned y, std::uint32_t address, std::span<const std::uint8_t> bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const std::span<const std::uint8_t> piece = bytes.subspan(at, (std::min)(bytes.size() - at, most_bytes));
      const std::uint32_t there = address + static_cast<std::uint32_t>(at);
      const auto unit = protocols::unit_of(there, static_cast<std::uint32_t>(piece.size()));
      ask(monitor_of(x, y), protocols::WriteMemory{there, unit, piece});
      at += piece.size();
    }
  }
  /// \param to  lives until `finish`
  void read(unsigned x, unsigned y, std::uint32_t address, std::span<std::uint8_t> to) {
    for (std::size_t at = 0; at < to.size();) {
      const std::span<std::uint8_t> piece = to.subspan(at, (std::min)(to.size() - at, most_bytes));
      const std::uint32_t there = address + static_cast<std::uint32_t>(at),
                          count = static_cast<std::uint32_t>(piece.size());
      ask(monitor_of(x, y), protocols::ReadMemory{there, count, protocols::unit_of(there, count)},
          [this, piece](const protocols::ScpReply& reply) {
            if (reply.data.size() < piece.size()) return refuse_short();
            std::copy_n(reply.data.begin(), piece.size(), piece.begin());
          });
      at += piece.size();
    }
  }

  /// Until all is answered.
  /// \errors rank_failed: no answer after all tries, or one that refuses; what else was asked is forgotten
  [[nodiscard]] Refusal finish() {
    while (refusal_.ok() && waiting_ != 0) static_cast<void>(turn());
    if (!refusal_.ok()) forget();
    return std::exchange(refusal_, {});
  }
  /// Gets datagrams that come by tags while requests are under way; it makes none itself.
  void set_listener(std::function<void(std::span<const std::uint8_t>)> listener) { listener_ = std::move(listener); }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }
  [[nodiscard]] const TransceiverOptions& options() const noexcept { return options_; }
  [[nodiscard]] Link& link() noexcept { return link_; }
  [[nodiscard]] static protocols::SdpEnd monitor_of(unsigned x, unsigned y) noexcept {
    return {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 0, 0};
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most_bytes = protocols::scp_most_data, sequences = 65536,
                               most_under_way = sequences / 2; // so that there is soon a sequence that is free
  static constexpr std::uint16_t none = 0xFFFF;
  struct Request {
    std::array<std::uint8_t, 300> datagram{};
    std::uint16_t size = 0, sequence = 0, command = 0;
    std::uint32_t first = 0; // argument
    unsigned tries = 0;
    protocols::SdpEnd to{};
    Clock::time_point sent{};
    OnAnswer on_answer{};
  };
  struct Lane {
    std::deque<Request> waiting{};
    std::vector<Request> under_way{};
  };

  void send(std::size_t lane, Request& one) {
    one.datagram[12] = static_cast<std::uint8_t>(one.sequence),
    one.datagram[13] = static_cast<std::uint8_t>(one.sequence >> 8);
    ++one.tries, one.sent = Clock::now();
    link_.send(lane, std::span(one.datagram).first(one.size));
  }
  /// Sends what the windows have room for, and takes what comes.
  bool turn() {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      for (Lane& of = lanes_[lane];
           of.under_way.size() < options_.window && !of.waiting.empty() && under_way_ < most_under_way;) {
        of.under_way.push_back(std::move(of.waiting.front())), of.waiting.pop_front();
        while (lane_of_[++sequence_] != none) {} // of one that is asked for long
        of.under_way.back().sequence = sequence_;
        lane_of_[sequence_] = static_cast<std::uint16_t>(lane), ++under_way_;
        send(lane, of.under_way.back());
      }
    bool has_come = false;
    auto wait = (std::min)(options_.timeout / 4, std::chrono::microseconds{2000});
    while (link_.receive(received_, wait)) has_come = true, wait = {}, take(received_);
    if (has_come && !link_.answers_at_once()) return true;
    const auto is_under_way = [](const Lane& of) { return !of.under_way.empty(); };
    if (link_.answers_at_once() && std::any_of(lanes_.begin(), lanes_.end(), is_under_way))
      link_.time_out(options_.timeout);
    const auto now = Clock::now();
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      for (Request& one : lanes_[lane].under_way) {
        if (!link_.answers_at_once() && now - one.sent < options_.timeout) continue;
        if (one.tries >= options_.tries) {
          refuse(one, "no answer to " + std::to_string(one.tries) + " tries");
          return false;
        }
        ++counts_.asked_again;
        send(lane, one);
      }
    return true;
  }
  void take(std::span<const std::uint8_t> datagram) {
    const auto sdp = protocols::decode_sdp_datagram(datagram);
    if (sdp && sdp.value.tag != protocols::Sdp::transient_tag) { // of a stream, or of a vertex
      if (listener_) return listener_(datagram);
      ++counts_.late;
      return;
    }
    const auto reply = sdp ? protocols::decode_reply(sdp.value.data) : protocols::Malformed::too_short;
    if (!reply) {
      ++counts_.malformed;
      return;
    }
    const std::uint16_t of = lane_of_[reply.value.sequence];
    if (of == none) {
      ++counts_.late;
      return;
    }
    if (protocols::is_worth_another_try(reply.value.result)) {
      ++counts_.busy; // its time runs out
      return;
    }
    std::vector<Request>& under_way = lanes_[of].under_way;
    const auto found = std::find_if(under_way.begin(), under_way.end(),
                                    [&](const Request& one) { return one.sequence == reply.value.sequence; });
    const Request one = std::move(*found);
    if (found + 1 != under_way.end()) *found = std::move(under_way.back());
    under_way.pop_back();
    lane_of_[one.sequence] = none, --under_way_, --waiting_, ++counts_.answered;
    if (reply.value.result != protocols::ScpResult::ok) return refuse(one, protocols::describe(reply.value.result));
    if (one.on_answer) one.on_answer(reply.value);
  }
  void refuse(const Request& one, const std::string& why) {
    if (!refusal_.ok()) return;
    std::array<char, 80> of{}, what{};
    std::snprintf(of.data(), of.size(), one.to.core == 0 ? "chip (%u, %u)" : "chip (%u, %u), core %u", one.to.x,
                  one.to.y, one.to.core);
    std::snprintf(what.data(), what.size(),
                  one.to.port == 0 ? "command %u of 0x%08x: " : "message %u to its port %u: ", one.command,
                  one.to.port == 0 ? unsigned(one.first) : one.to.port);
    refusal_ = {{Error::rank_failed, 0, one.command, "command"}, of.data(), what.data() + why};
  }
  void refuse_short() {
    if (refusal_.ok())
      refusal_ = {{Error::rank_failed, 0, 0, "bytes"}, "", "an answer has fewer bytes than were asked for"};
  }
  void forget() {
    for (Lane& lane : lanes_) lane.waiting.clear(), lane.under_way.clear();
    lane_of_.assign(sequences, none);
    waiting_ = under_way_ = 0;
  }

  Link& link_;
  TransceiverOptions options_;
  std::vector<Lane> lanes_; // [Ethernet chip]
  std::vector<std::uint16_t> routes_{};
  std::vector<std::uint16_t> lane_of_ = std::vector<std::uint16_t>(sequences, none); // [sequence]
  std::size_t waiting_ = 0, under_way_ = 0;                                          // for answers, sent or not; sent
  std::uint16_t sequence_ = 0;
  std::vector<std::uint8_t> received_{};
  Counts counts_{};
  std::function<void(std::span<const std::uint8_t>)> listener_{};
  Refusal refusal_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
