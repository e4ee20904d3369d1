// SPDX-License-Identifier: BSL-1.0
/// \file
/// Tells programs beside a simulation that its database is there, waits until they have read it, and tells them when it runs and when
/// it pauses.
///
///     auto notifier = execution::Notifier::open("network.sqlite3", execution::write_database);
///     notifier.value()->add({{127, 0, 0, 1}, 19999});
///     simulation.set_observer(notifier.value().get());
///
/// A program that does not answer keeps a run from its start: `run` says which one.
/// \source SpiNNFrontEndCommon, utilities/notification_protocol
// host-only
#ifndef NEUROMORPH_EXECUTION_NOTIFICATION_HPP
#define NEUROMORPH_EXECUTION_NOTIFICATION_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/udp_socket.hpp>
#include <neuromorph/protocols/eieio.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

inline constexpr std::uint16_t notification_port = 19999; ///< of programs that are told

struct NotifierOptions {
  std::chrono::milliseconds patience{10000}; ///< with all of them, before each run
  std::chrono::milliseconds again{500};      ///< after which one that has not answered is told again
};

class Notifier final : public RunObserver {
public:
  struct Counts {
    std::uint64_t sent = 0;
    std::uint64_t not_sent = 0; ///< the system did not take them
    std::uint64_t answers = 0;  ///< the first of a program after it was told of a database
    std::uint64_t again = 0;    ///< further ones
    std::uint64_t strange = 0;  ///< datagrams of others, or that are no answer
  };
  using Write = std::function<Refusal(const std::string& path, const Simulation& simulation)>;

  /// \param path   of the database, as the programs are told it
  /// \param write  makes it, whenever a simulation is loaded; empty: it is there
  /// \errors       file_failed: the system gives no socket
  [[nodiscard]] static neuromorph::Answer<std::unique_ptr<Notifier>> open(std::string path, Write write = {},
                                                                          const NotifierOptions& options = {}) {
    auto socket = host::UdpSocket::open();
    if (!socket) return socket.refusal();
    return std::unique_ptr<Notifier>(
        new Notifier(std::move(path), std::move(write), options, std::move(socket).value()));
  }
  /// A program that is told. One that is added twice is told once; one that is added while it is loaded is told before the next run.
  void add(const host::UdpEnd& to) {
    const auto is_same = [&to](const Client& one) { return one.at == to; };
    if (std::none_of(clients_.begin(), clients_.end(), is_same)) clients_.push_back({to});
  }
  /// It is told nothing any more, and nobody waits for it.
  void remove(const host::UdpEnd& to) {
    std::erase_if(clients_, [&to](const Client& one) { return one.at == to; });
  }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

  [[nodiscard]] Refusal is_loaded(const Simulation& simulation) override {
    if (write_)
      if (Refusal refusal = write_(path_, simulation); !refusal) return refusal;
    hear(std::chrono::milliseconds(0)); // answers of before say nothing of this one
    for (Client& one : clients_) one.is_told = one.is_ready = false;
    return {};
  }
  /// \errors rank_failed: programs that have not answered; the sentence names the first
  [[nodiscard]] Refusal may_start() override {
    using Clock = std::chrono::steady_clock;
    const auto begun = Clock::now();
    auto told = begun - options_.again;
    const auto is_silent = [](const Client& one) { return !one.is_ready; };
    hear(std::chrono::milliseconds(0)); // who has answered late
    for (;;) {
      const auto silent = std::find_if(clients_.begin(), clients_.end(), is_silent);
      if (silent == clients_.end()) return {};
      const auto now = Clock::now();
      if (now - begun >= options_.patience)
        return {{Error::rank_failed, 0,
                 static_cast<std::uint64_t>(std::count_if(clients_.begin(), clients_.end(), is_silent)), "programs"},
                host::text_of(silent->at),
                "it has not answered within " + std::to_string(options_.patience.count()) +
                    " ms that it has read the database"};
      if (now - told >= options_.again) {
        told = now;
        for (Client& one : clients_)
          if (!one.is_ready) tell(one, protocols::EieioCommand::database, path_), one.is_told = true;
      }
      hear(std::chrono::milliseconds(10));
    }
  }
  void has_started() override {
    for (const Client& one : clients_) tell(one, protocols::EieioCommand::start_resume);
  }
  void has_paused() override {
    for (const Client& one : clients_) tell(one, protocols::EieioCommand::stop_pause);
  }

private:
  struct Client {
    host::UdpEnd at;
    bool is_told = false, is_ready = false; ///< of what is loaded now
  };
  Notifier(std::string path, Write write, const NotifierOptions& options, host::UdpSocket socket)
      : path_(std::move(path)), write_(std::move(write)), options_(options), socket_(std::move(socket)) {}

  void tell(const Client& one, protocols::EieioCommand what, const std::string& text = {}) {
    std::vector<std::uint8_t> body(text.begin(), text.end()), bytes(2 + text.size());
    bytes.resize(protocols::EieioMessage{what, body}.write(bytes));
    ++(socket_.send(one.at, bytes) ? counts_.sent : counts_.not_sent);
  }
  /// Takes all answers that have come, waiting for the first.
  void hear(std::chrono::milliseconds wait) {
    std::vector<std::uint8_t> bytes;
    for (host::UdpEnd from; socket_.receive(bytes, from, wait); wait = std::chrono::milliseconds(0)) {
      const auto message = protocols::EieioMessage::of(bytes);
      const auto client =
          std::find_if(clients_.begin(), clients_.end(), [&from](const Client& one) { return one.at == from; });
      if (!message || message.value.command != protocols::EieioCommand::database || client == clients_.end())
        ++counts_.strange;
      else
        ++(!client->is_told || std::exchange(client->is_ready, true) ? counts_.again : counts_.answers);
    }
  }

  std::string path_;
  Write write_;
  NotifierOptions options_;
  host::UdpSocket socket_;
  std::vector<Client> clients_{};
  Counts counts_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
