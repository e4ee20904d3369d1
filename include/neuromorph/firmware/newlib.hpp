// SPDX-License-Identifier: BSL-1.0
/// \file
/// The twenty calls that newlib wants of an operating system. Include it in one file of a firmware, and define `newlib` there.
///
///     constinit const firmware::Newlib firmware::newlib{.write = firmware::write_waiting<uart>,
///                                                       .exit = target::Semihosting::exit,
///                                                       .microseconds = firmware::microseconds<clock, 1'000'000>};
// arm-only
#ifndef NEUROMORPH_FIRMWARE_NEWLIB_HPP
#define NEUROMORPH_FIRMWARE_NEWLIB_HPP

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/byte_channel.hpp>
#include <neuromorph/firmware/channel_bytes.hpp>
#include <neuromorph/firmware/program_break.hpp>
#include <neuromorph/firmware/stack_guard.hpp>
#include <neuromorph/sched/clock.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

// Of the linker script: where the data end and the heap begins, and above the stack.
extern "C" {
extern char end[];
extern char firmware_stack[];
}

/// What stands behind the calls. Functions and not a template's arguments, since C calls them. What is left out is refused.
struct Newlib {
  std::size_t (*write)(std::span<const char>) noexcept =
      nullptr; ///< standard output, errors: how many were taken, 0 if it is full
  std::size_t (*read)(std::span<char>) noexcept = nullptr; ///< standard input: how many have come
  void (*exit)(int) noexcept = nullptr;                    ///< tells the host the status; may come back
  std::uint64_t (*microseconds)() noexcept = nullptr;      ///< since the clock's start, or 1970
  char* heap = end;
  char* heap_end = nullptr; ///< where the stack's place begins, if nothing is said
  char* stack = firmware_stack;
  std::size_t stack_bytes = 16384; ///< from `stack` down, the red zone included: none of the heap's. A multiple of 4
  std::size_t red_zone_bytes = 256;
};

/// Yours to define.
extern const Newlib newlib;

namespace detail {
/// \cost nothing; not a pointer's difference, as the linker's symbols are no arrays
inline std::uintptr_t stack_begin() noexcept {
  return reinterpret_cast<std::uintptr_t>(newlib.stack) - newlib.stack_bytes;
}
} // namespace detail

/// The stack, to be painted and watched.
[[nodiscard]] inline StackGuard newlib_stack() noexcept {
  return {{reinterpret_cast<std::uint32_t*>(detail::stack_begin()), newlib.stack_bytes / 4},
          static_cast<std::uint32_t>(newlib.red_zone_bytes / 4)};
}

namespace detail {
/// What a line of bytes has collected goes out; others collect nothing.
template <class Channel>
[[nodiscard]] constexpr bool flush(Channel&) noexcept {
  return true;
}
template <class Reader, class Writer, std::uint32_t Words>
[[nodiscard]] bool flush(ChannelBytes<Reader, Writer, Words>& channel) noexcept {
  return channel.flush();
}
} // namespace detail

/// For `Newlib::write`: waits for room. For a UART, which makes it by itself.
template <auto& channel>
requires ByteChannel<std::remove_reference_t<decltype(channel)>> std::size_t write_waiting(std::span<const char> text)
noexcept {
  for (const char letter : text)
    while (!channel.put(static_cast<std::uint8_t>(letter))) {}
  while (!detail::flush(channel)) {}
  return text.size();
}
/// The same, without waiting: what finds no room is lost. For a mailbox, whose host may not be there.
template <auto& channel>
requires ByteChannel<std::remove_reference_t<decltype(channel)>> std::size_t
write_while_room(std::span<const char> text)
noexcept {
  std::size_t taken = 0;
  while (taken < text.size() && channel.put(static_cast<std::uint8_t>(text[taken]))) ++taken;
  (void)detail::flush(channel); // or with what comes next
  return taken;
}
/// For `Newlib::read`: waits for a byte, then takes what has come.
template <auto& channel>
requires ByteChannel<std::remove_reference_t<decltype(channel)>> std::size_t read_waiting(std::span<char> to)
noexcept {
  std::size_t taken = 0;
  std::uint8_t byte = 0;
  while (taken < to.size()) {
    if (channel.take(byte))
      to[taken++] = static_cast<char>(byte);
    else if (taken != 0)
      break;
  }
  return taken;
}

/// The kind of a console's record that says that the program has ended: one word, its status.
inline constexpr std::uint32_t exit_kind = 2;
/// For `Newlib::exit`: a record behind all that was written to the mailbox's console, for which it waits.
/// \tparam console  ChannelBytes
/// \tparam writer   ChannelWriter of the same channel
template <auto& console, auto& writer>
void exit_by_record(int status) noexcept {
  while (!console.flush() || writer.shape().capacity - writer.waiting() <= 1) {}
  (void)writer.write(exit_kind, 0, static_cast<std::uint32_t>(status));
}

/// For `Newlib::microseconds`.
/// \tparam clock  of 64 bits (LongClock)
template <auto& clock, std::uint32_t ticks_per_second>
requires ClockSource<std::remove_reference_t<decltype(clock)>> std::uint64_t microseconds()
noexcept {
  using Tick = typename std::remove_reference_t<decltype(clock)>::Tick;
  static_assert(sizeof(Tick) == 8, "neuromorph: the C library's time does not wrap, and this clock does; LongClock has "
                                   "64 bits; see docs/newlib.md");
  constexpr std::uint32_t million = 1'000'000;
  const Tick now = clock.now();
  if constexpr (ticks_per_second == million)
    return now;
  else if constexpr (ticks_per_second % million == 0)
    return now / (ticks_per_second / million);
  else
    return now / ticks_per_second * million + now % ticks_per_second * million / ticks_per_second;
}

namespace detail {

inline int refuse(int error) noexcept {
  errno = error;
  return -1;
}
/// Standard input, output and errors; there are no others.
inline bool is_console(int file) noexcept {
  return (file == STDIN_FILENO && newlib.read != nullptr) ||
         ((file == STDOUT_FILENO || file == STDERR_FILENO) && newlib.write != nullptr);
}
inline constinit ProgramBreak program_break;
inline constinit char* no_environment[1] = {nullptr};

} // namespace detail

// By the names that newlib's reentrant functions call; the plain names are its own, and end here. Where there are no files,
// processes, or paths, the error is that of POSIX for one that does not exist.
extern "C" {

[[noreturn]] void _exit(int status) {
  if (newlib.exit != nullptr) newlib.exit(status);
  for (;;) {}
}
int _close(int file) { return detail::is_console(file) ? 0 : detail::refuse(EBADF); }
char** environ = detail::no_environment;
int _execve(const char*, char* const*, char* const*) { return detail::refuse(ENOENT); }
int _fork() { return detail::refuse(ENOSYS); }
int _fstat(int file, struct stat* status) {
  if (!detail::is_console(file)) return detail::refuse(EBADF);
  *status = {};
  status->st_mode = S_IFCHR;
  return 0;
}
int _getpid() { return 1; }
int _isatty(int file) {
  if (detail::is_console(file)) return 1;
  (void)detail::refuse(EBADF);
  return 0;
}
/// The program itself ends, as a shell would tell of it; `abort` and `assert` come here.
int _kill(int process, int signal) {
  if (process != 1) return detail::refuse(ESRCH);
  if (signal < 0 || signal >= NSIG) return detail::refuse(EINVAL);
  if (signal != 0) _exit(128 + signal);
  return 0;
}
int _link(const char*, const char*) { return detail::refuse(ENOENT); }
off_t _lseek(int file, off_t, int) { return detail::refuse(detail::is_console(file) ? ESPIPE : EBADF); }
int _open(const char*, int how, ...) { return detail::refuse((how & O_CREAT) != 0 ? EROFS : ENOENT); }
int _read(int file, void* to, std::size_t bytes) {
  if (file != STDIN_FILENO || newlib.read == nullptr) return detail::refuse(EBADF);
  if (bytes == 0) return 0;
  const std::size_t come = newlib.read({static_cast<char*>(to), bytes});
  return come == 0 ? detail::refuse(EAGAIN) : static_cast<int>(come);
}
void* _sbrk(std::ptrdiff_t bytes) {
  const bool has_end = newlib.heap_end != nullptr; // else it is the stack's
  const auto begin = reinterpret_cast<std::uintptr_t>(newlib.heap);
  const auto limit = has_end ? reinterpret_cast<std::uintptr_t>(newlib.heap_end) : detail::stack_begin();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto answer = detail::program_break.move(begin, limit, has_end ? limit : here, bytes);
  if (answer.refused != ProgramBreak::Refused::no) {
    errno = answer.refused == ProgramBreak::Refused::no_memory ? ENOMEM : EINVAL;
    return reinterpret_cast<void*>(-1);
  }
  return reinterpret_cast<void*>(answer.before);
}
int _stat(const char*, struct stat*) { return detail::refuse(ENOENT); }
clock_t _times(struct tms* times) {
  if (newlib.microseconds == nullptr) return static_cast<clock_t>(detail::refuse(ENOSYS));
  const auto ticks = static_cast<clock_t>(newlib.microseconds() / (1'000'000 / std::uint64_t{CLOCKS_PER_SEC}));
  if (times != nullptr) {
    *times = {};
    times->tms_utime = ticks;
  }
  return ticks;
}
int _gettimeofday(struct timeval* time, void*) {
  if (newlib.microseconds == nullptr) return detail::refuse(ENOSYS);
  const std::uint64_t now = newlib.microseconds();
  time->tv_sec = static_cast<time_t>(now / 1'000'000);
  time->tv_usec = static_cast<suseconds_t>(now % 1'000'000);
  return 0;
}
int _unlink(const char*) { return detail::refuse(ENOENT); }
int _wait(int*) { return detail::refuse(ECHILD); }
int _write(int file, const void* from, std::size_t bytes) {
  if ((file != STDOUT_FILENO && file != STDERR_FILENO) || newlib.write == nullptr) return detail::refuse(EBADF);
  if (bytes == 0) return 0;
  const std::size_t taken = newlib.write({static_cast<const char*>(from), bytes});
  return taken == 0 ? detail::refuse(EAGAIN) : static_cast<int>(taken);
}
}

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
