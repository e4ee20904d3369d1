// SPDX-License-Identifier: BSL-1.0
/// \file
/// Boards from a server that hands them out: asks for so many, waits until they have power, keeps them while the object lives, and gives
/// them back.
///
///     auto boards = execution::Allocation::open({.host = {127, 0, 0, 1}, .owner = "me", .boards = 3});
///     if (!boards) return std::puts(boards.sentence().c_str()), 1;
///     auto link = execution::UdpLink::open(boards.value()->root());
/// \source spalloc_server, its protocol of version 0 and 1
// host-only
#ifndef NEUROMORPH_EXECUTION_ALLOCATION_CLIENT_HPP
#define NEUROMORPH_EXECUTION_ALLOCATION_CLIENT_HPP

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/json.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct AllocationRequest {
  host::Address host{127, 0, 0, 1};
  std::uint16_t port = 22244;
  std::string owner = {};
  unsigned boards = 1;
  std::chrono::milliseconds patience{60000};  ///< until the boards have power
  std::chrono::milliseconds answer{5000};     ///< for a line of the server
  std::chrono::milliseconds keepalive{60000}; ///< after which the server takes them back if it hears nothing
};

class Allocation {
public:
  /// \errors file_failed: the server is not reached, or does not answer; unmappable: it does not give the boards, with its words
  [[nodiscard]] static neuromorph::Answer<std::unique_ptr<Allocation>> open(AllocationRequest request) {
    std::unique_ptr<Allocation> made(new Allocation(std::move(request)));
    if (Refusal refusal = made->connect(); !refusal) return refusal;
    if (Refusal refusal = made->obtain(); !refusal) return refusal;
    made->hold();
    return made;
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    end_.notify_all();
    if (keeper_.joinable()) keeper_.join();
    if (job_ != 0) static_cast<void>(ask("destroy_job", std::to_string(job_) + ", \"it is given back\"", "", {}).ok());
    if (file_ >= 0) ::close(file_);
  }

  /// The board at 0, 0.
  [[nodiscard]] const host::Address& root() const noexcept { return root_; }
  [[nodiscard]] std::uint32_t width() const noexcept { return width_; } ///< in chips
  [[nodiscard]] std::uint32_t height() const noexcept { return height_; }
  [[nodiscard]] std::size_t boards() const noexcept { return boards_; }
  /// Whether the server still has the job as it was: nobody has taken the boards away.
  [[nodiscard]] bool is_held() {
    unsigned state = 0;
    std::string reason;
    return look(state, reason).ok() && state == ready;
  }

private:
  static constexpr unsigned ready = 3, destroyed = 4;
  explicit Allocation(AllocationRequest request) : request_(std::move(request)) {}

  [[nodiscard]] std::string server() const {
    return host::text_of(request_.host) + ", port " + std::to_string(request_.port);
  }
  [[nodiscard]] Refusal failed(std::string why) const {
    return {{Error::file_failed, 0, request_.port, "server"}, server(), std::move(why)};
  }
  [[nodiscard]] Refusal connect() {
    struct ::sockaddr_in place {};
    place.sin_family = AF_INET, place.sin_port = htons(request_.port);
    std::memcpy(&place.sin_addr, request_.host.data(), request_.host.size());
    file_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file_ < 0 || ::connect(file_, reinterpret_cast<const struct ::sockaddr*>(&place), sizeof place) != 0)
      return failed(std::string("cannot reach it: ") + std::strerror(errno));
    return {};
  }
  [[nodiscard]] Refusal obtain() {
    host::JsonWriter owner(0);
    owner.begin_object()
        .member("owner", request_.owner)
        .member("keepalive", static_cast<double>(request_.keepalive.count()) / 1e3)
        .end_object();
    std::string kwargs = owner.take();
    while (!kwargs.empty() && kwargs.back() == '\n') kwargs.pop_back();
    if (Refusal refusal = ask("create_job", std::to_string(request_.boards), kwargs,
                              [this](host::JsonReading& reading, host::JsonValue value) {
                                job_ = reading.whole<std::uint32_t>(value, 1, UINT32_MAX);
                              });
        !refusal)
      return refusal;
    const auto end = std::chrono::steady_clock::now() + request_.patience;
    for (unsigned state = 0;;) {
      std::string reason;
      if (Refusal refusal = look(state, reason); !refusal) return refusal;
      if (state == ready) break;
      if (state == destroyed || state == 0)
        return {{Error::unmappable, 0, request_.boards, "boards"},
                server(),
                "it does not give " + std::to_string(request_.boards) + " boards" +
                    (reason.empty() ? "" : ": " + reason)};
      if (std::chrono::steady_clock::now() >= end)
        return {{Error::unmappable, 0, request_.boards, "boards"},
                server(),
                "it has not given " + std::to_string(request_.boards) + " boards within " +
                    std::to_string(request_.patience.count()) + " ms"};
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    bool is_found = false;
    Refusal refusal =
        ask("get_job_machine_info", std::to_string(job_), "", [&](host::JsonReading& reading, host::JsonValue value) {
          width_ = reading.whole<std::uint32_t>(reading.member(value, "width"), 1, 256);
          height_ = reading.whole<std::uint32_t>(reading.member(value, "height"), 1, 256);
          const host::JsonValue all = reading.array(reading.member(value, "connections"));
          for (std::size_t at = 0; reading.ok() && at < all.size(); ++at) {
            const host::JsonValue one = reading.array(all.item(at)), chip = reading.array(one.item(0));
            const auto x = reading.whole<std::uint32_t>(chip.item(0), 0, 255),
                       y = reading.whole<std::uint32_t>(chip.item(1), 0, 255);
            const std::string_view address = reading.text(one.item(1));
            ++boards_;
            if (reading.ok() && x == 0 && y == 0) is_found = host::parse(std::string(address), root_);
          }
        });
    if (refusal.ok() && !is_found) return failed("it gives a machine without a board at 0, 0");
    return refusal;
  }
  [[nodiscard]] Refusal look(unsigned& state, std::string& reason) {
    return ask("get_job_state", std::to_string(job_), "", [&](host::JsonReading& reading, host::JsonValue value) {
      state = reading.whole<std::uint32_t>(reading.member(value, "state"), 0, 4);
      const host::JsonValue why = reading.optional_member(value, "reason");
      if (why.is(host::JsonKind::text)) reason = std::string(why.text());
    });
  }
  void hold() {
    keeper_ = std::thread([this] { keep(); });
  }
  /// Says now and then that somebody is there.
  void keep() {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, (std::max)(request_.keepalive / 3, std::chrono::milliseconds(1)),
                          [this] { return is_over_; })) {
      lock.unlock();
      static_cast<void>(
          ask("job_keepalive", std::to_string(job_), "", {}).ok()); // what fails now is told by the next look
      lock.lock();
    }
  }

  using Take = std::function<void(host::JsonReading&, host::JsonValue)>;
  /// A line, and its answer. Lines that are no answers are left out, and those to what was not waited for any more.
  [[nodiscard]] Refusal ask(std::string_view command, const std::string& args, const std::string& kwargs,
                            const Take& take) {
    const std::lock_guard lock(line_mutex_);
    const std::string line = "{\"command\": \"" + std::string(command) + "\", \"args\": [" + args +
                             "], \"kwargs\": " + (kwargs.empty() ? "{}" : kwargs) + "}\n";
    if (::send(file_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<::ssize_t>(line.size()))
      return failed("it has closed the line");
    ++unanswered_;
    const auto end = std::chrono::steady_clock::now() + request_.answer;
    for (;;) {
      std::string answer;
      if (Refusal refusal = read_line(answer, end); !refusal) return refusal;
      const auto read = host::Json::read(std::move(answer));
      if (!read) return failed("it answers '" + std::string(command) + "' with what is no JSON: " + read.sentence());
      const host::JsonValue root = read.value().root(), exception = root.find("exception"), value = root.find("return");
      if (!exception && !value) continue; // news of jobs
      if (--unanswered_ != 0) continue;
      if (exception)
        return failed(
            "it refuses '" + std::string(command) + "': " +
            (exception.is(host::JsonKind::text) ? std::string(exception.text()) : std::string("without a word")));
      host::JsonReading reading;
      if (take) take(reading, value);
      return reading.ok() ? Refusal{}
                          : failed("it answers '" + std::string(command) +
                                   "' in a way that is not known: " + reading.refusal().sentence());
    }
  }
  [[nodiscard]] Refusal read_line(std::string& to, std::chrono::steady_clock::time_point end) {
    for (;;) {
      if (const std::size_t at = unread_.find('\n'); at != std::string::npos) {
        to = unread_.substr(0, at);
        unread_.erase(0, at + 1);
        return {};
      }
      if (unread_.size() > 1U << 22) return failed("it answers with a line of more than 4 MB");
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      struct ::pollfd one {
        file_, POLLIN, 0
      };
      if (left.count() <= 0 || ::poll(&one, 1, static_cast<int>(left.count())) <= 0)
        return failed("it has not answered within " + std::to_string(request_.answer.count()) + " ms");
      std::array<char, 4096> some{};
      const auto got = ::recv(file_, some.data(), some.size(), 0);
      if (got <= 0) return failed("it has closed the line");
      unread_.append(some.data(), static_cast<std::size_t>(got));
    }
  }

  AllocationRequest request_;
  int file_ = -1;
  std::string unread_{};
  std::size_t unanswered_ = 0; // lines
  std::uint32_t job_ = 0, width_ = 0, height_ = 0;
  std::size_t boards_ = 0;
  host::Address root_{};
  std::mutex mutex_{}, line_mutex_{};
  std::condition_variable end_{};
  bool is_over_ = false;
  std::thread keeper_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
