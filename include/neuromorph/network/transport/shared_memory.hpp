// SPDX-License-Identifier: BSL-1.0
/// \file
/// Ranks that are copies of one process, and meet in memory that they share.
///
///     auto world = network::SharedMemory::fork(4);
///     if (!world) return std::puts(world.sentence().c_str()), 1;
///     network::SharedMemory& ranks = *world.value();        // from here on four processes do the same
///
/// Each publishes its messages in memory of its own, that all can read, and says so by a count. Each locks a byte of that
/// memory's file: the system takes the lock from a process that ends, by whatever way, and who waits for it sees that.
// host-only
#ifndef NEUROMORPH_NETWORK_TRANSPORT_SHARED_MEMORY_HPP
#define NEUROMORPH_NETWORK_TRANSPORT_SHARED_MEMORY_HPP

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/transport.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

class SharedMemory final : public Transport {
public:
  static constexpr unsigned most_ranks = 256;
  /// Of one message, by default; only what is written takes memory.
  static constexpr std::size_t default_bytes = std::size_t{1} << 28;

  /// Makes this process the first of so many; the others go on from here with the rest of the program. Threads are not
  /// copied: there must be none yet. The first process waits for the others in its destructor.
  /// \param bytes  of the longest message
  /// \errors parameter_out_of_range: no rank, or more than 256; file_failed: the system gives no memory or processes
  [[nodiscard]] static Answer<std::unique_ptr<SharedMemory>> fork(unsigned ranks, std::size_t bytes = default_bytes) {
    if (ranks == 0 || ranks > most_ranks) return Refusal{{Error::parameter_out_of_range, 0, ranks, "ranks"}};
    std::unique_ptr<SharedMemory> made(new SharedMemory);
    SharedMemory& own = *made;
    own.slot_words_ = (bytes + 3) / 4 + 1;
    own.head_bytes_ = (sizeof(Head) * ranks + 4095) / 4096 * 4096;
    own.size_ = own.head_bytes_ + 2 * std::size_t{ranks} * own.slot_words_ * sizeof(std::uint32_t);
    const auto refuse = [&](const char* what) {
      return Refusal{
          {Error::file_failed, 0, ranks, "ranks"}, "shared memory", std::string(what) + ": " + std::strerror(errno)};
    };
    std::FILE* const file = std::tmpfile();
    if (file == nullptr) return refuse("no file");
    own.file_ = ::dup(::fileno(file));
    std::fclose(file);
    if (own.file_ < 0 || ::ftruncate(own.file_, static_cast<::off_t>(own.size_)) != 0)
      return refuse("no file of its size");
    void* const memory = ::mmap(nullptr, own.size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, own.file_, 0);
    if (memory == MAP_FAILED) return refuse("no memory");
    own.memory_ = static_cast<std::byte*>(memory);
    for (unsigned rank = 0; rank < ranks; ++rank) new (own.memory_ + rank * sizeof(Head)) Head;
    own.sizes_.resize(ranks);
    std::fflush(nullptr); // else each copy would write what waits
    unsigned rank = 0;
    for (unsigned other = 1; other < ranks && rank == 0; ++other) {
      const ::pid_t process = ::fork();
      if (process < 0) {
        const int why = errno;
        own.head(0).state.store(Head::absent); // those that there are leave, each with a sentence
        errno = why;
        return refuse("no process");
      }
      if (process == 0) {
        rank = other;
        own.children_.clear();
      } else {
        own.children_.push_back(process);
      }
    }
    own.become(rank, ranks);
    if (!own.lock()) {
      own.head(rank).state.store(Head::absent);
      return refuse("no lock");
    }
    own.head(rank).state.store(Head::present);
    ring(own.head(rank));
    for (unsigned other = 0; other < ranks; ++other)
      if (Refusal refusal = own.wait_for(other, [&] { return own.head(other).state.load() == Head::present; });
          !refusal)
        return refusal;
    return made;
  }

  ~SharedMemory() override {
    leave();
    if (memory_ != nullptr) ::munmap(memory_, size_);
    if (file_ >= 0) ::close(file_);
    for (const ::pid_t process : children_) {
      int status = 0;
      while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    }
  }

private:
  /// Of each rank, in a line of its own.
  struct alignas(64) Head {
    static constexpr std::uint32_t unknown = 0, present = 1, absent = 2;
    std::atomic<std::uint64_t> published{0}; ///< messages
    std::atomic<std::uint32_t> bell{0};      ///< rung with each of them
    std::atomic<std::uint32_t> asleep{0};    ///< who waits for the bell
    std::atomic<std::uint32_t> state{unknown};
    std::uint64_t words[2] = {}; ///< of the message in each of two slots
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "neuromorph: processes share these counts");

  SharedMemory() = default;

  [[nodiscard]] Head& head(unsigned rank) const noexcept {
    return *std::launder(reinterpret_cast<Head*>(memory_ + rank * sizeof(Head)));
  }
  [[nodiscard]] std::uint32_t* slot(unsigned rank, std::uint64_t message) const noexcept {
    auto* const first = reinterpret_cast<std::uint32_t*>(memory_ + head_bytes_);
    return &first[(2 * std::size_t{rank} + message % 2) * slot_words_];
  }
  [[nodiscard]] struct ::flock byte_of(unsigned rank, short kind) const noexcept {
    struct ::flock lock {};
    lock.l_type = kind, lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<::off_t>(rank), lock.l_len = 1;
    return lock;
  }
  [[nodiscard]] bool lock() const noexcept {
    struct ::flock own = byte_of(rank(), F_WRLCK);
    return ::fcntl(file_, F_SETLK, &own) == 0;
  }
  [[nodiscard]] bool is_there(unsigned other) const noexcept {
    if (other == rank()) return true;
    struct ::flock theirs = byte_of(other, F_WRLCK);
    return ::fcntl(file_, F_GETLK, &theirs) != 0 || theirs.l_type != F_UNLCK;
  }
  /// Sleeps after a while, as there may be more ranks than cores, and looks now and then whether the rank is still there.
  template <class Ready>
  [[nodiscard]] Refusal wait_for(unsigned other, Ready ready) const {
    Head& theirs = head(other);
    for (std::uint32_t spins = 0; spins < spins_before_sleep; ++spins)
      if (ready()) return {};
    for (;;) {
      const std::uint32_t rung = theirs.bell.load();
      theirs.asleep.fetch_add(1);
      if (!ready()) sleep(theirs.bell, rung);
      theirs.asleep.fetch_sub(1);
      if (ready()) return {};
      const std::uint32_t state = theirs.state.load();
      const bool is_gone = state == Head::absent || (state == Head::present && !is_there(other)) ||
                           (state == Head::unknown && has_ended_early(other));
      if (is_gone && !ready()) return rank_failed(other, "its process is gone");
    }
  }
  /// Until the bell is rung, which other processes do, or for 10 ms.
  static void sleep(std::atomic<std::uint32_t>& bell, std::uint32_t rung) noexcept {
    const struct ::timespec most { 0, 10'000'000 };
    ::syscall(SYS_futex, &bell, FUTEX_WAIT, rung, &most, nullptr, 0);
  }
  static void ring(Head& own) noexcept {
    own.bell.fetch_add(1);
    if (own.asleep.load() != 0) ::syscall(SYS_futex, &own.bell, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
  }
  /// Of a copy that ended before it had its lock: its parent sees it, all others see that the first has ended.
  [[nodiscard]] bool has_ended_early(unsigned other) const noexcept {
    if (rank() != 0) return !is_there(0) && head(0).state.load() != Head::unknown;
    ::siginfo_t info{};
    return other != 0 &&
           ::waitid(P_PID, static_cast<::id_t>(children_[other - 1]), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  }

  Refusal give(std::span<const std::uint32_t> words) override {
    if (words.size() > slot_words_)
      return rank_failed(rank(), "a message of " + std::to_string(4 * words.size()) + " bytes is longer than the " +
                                     std::to_string(4 * slot_words_) + " that SharedMemory::fork was told of");
    // All have read the message before the last: this rank has waited for their last one since.
    Head& own = head(rank());
    std::memcpy(slot(rank(), message_), words.data(), words.size_bytes());
    own.words[message_ % 2] = words.size();
    own.published.store(message_ + 1, std::memory_order_release);
    ring(own);
    return {};
  }
  Refusal wait() override {
    for (unsigned other = 0; other < ranks(); ++other) {
      Head& theirs = head(other);
      if (Refusal refusal =
              wait_for(other, [&] { return theirs.published.load(std::memory_order_acquire) > message_; });
          !refusal)
        return refusal;
      sizes_[other] = static_cast<std::size_t>(theirs.words[message_ % 2]);
    }
    ++message_;
    return {};
  }
  [[nodiscard]] std::span<const std::uint32_t> given(unsigned rank) const noexcept override {
    return {slot(rank, message_ - 1), sizes_[rank]};
  }

  static constexpr std::uint32_t spins_before_sleep = 2000; // some microseconds

  int file_ = -1;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0, head_bytes_ = 0, slot_words_ = 0;
  std::uint64_t message_ = 0;
  std::vector<std::size_t> sizes_{};
  std::vector<::pid_t> children_{};
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
