// SPDX-License-Identifier: BSL-1.0
// A firmware with the C library and what the C++ library makes of it: checks the calls of newlib.hpp from inside, speaks
// over its console, and ends with a status. `checks/newlib.py` is at the other end.
//
//   newlib memory|uart|semihosting calls|exit|abort|overflow
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/newlib.hpp>
#include <neuromorph/firmware/semihosting_console.hpp>
#include <neuromorph/neuromorph.hpp>
#include <neuromorph/target/device/semihosting.hpp>

#include "tests/support/board_timer.hpp"
#include "window.hpp"

void board_timer::on_interrupt() {}

namespace {

namespace nm = neuromorph;
namespace firmware = nm::firmware;

using Out = firmware::Channel<"cons", 256>;
using In = firmware::Channel<"cns<", 64, firmware::ChannelOptions{.direction = firmware::Direction::to_target}>;
using Box = firmware::Mailbox<Out, In>;
Box& box() { return *reinterpret_cast<Box*>(window::words("", 0)); }

// On the board, whose place is fixed; the constructors only note it.
auto writer = box().writer<"cons">();
firmware::ChannelBytes console(box().reader<"cns<">(), box().writer<"cons">());
window::Uart uart = window::uart("");
nm::LongClock long_clock(board_timer::time_source);

bool over_uart, over_semihosting;
std::size_t put_text(std::span<const char> text) noexcept {
  if (over_semihosting) return firmware::SemihostingConsole::write(text);
  return over_uart ? firmware::write_waiting<uart>(text) : firmware::write_while_room<console>(text);
}
std::size_t take_text(std::span<char> text) noexcept {
  if (over_semihosting) return firmware::SemihostingConsole::read(text);
  return over_uart ? firmware::read_waiting<uart>(text) : firmware::read_waiting<console>(text);
}
void leave(int status) noexcept {
  if (!over_uart && !over_semihosting) firmware::exit_by_record<console, writer>(status);
  nm::target::Semihosting::exit(status); // ends the emulator
}
constexpr std::uint32_t stack_bytes = 32 << 10, red_zone_bytes = 512;

} // namespace

constinit const firmware::Newlib firmware::newlib{.write = put_text,
                                                  .read = take_text,
                                                  .exit = leave,
                                                  .microseconds =
                                                      firmware::microseconds<long_clock, board_timer::unit * 1'000'000>,
                                                  .stack_bytes = stack_bytes,
                                                  .red_zone_bytes = red_zone_bytes};

namespace {

int wrong;
void require(bool condition, const char* what) {
  if (!condition) std::printf("wrong: %s\n", what), ++wrong;
}
template <class Result>
void refused(const char* what, int error, Result result) {
  const int was = errno;
  if (result != static_cast<Result>(-1) || was != error)
    std::printf("wrong: %s gives %ld, errno %d\n", what, static_cast<long>(result), was), ++wrong;
  errno = 0;
}

void check_calls() {
  errno = 0;
  char byte = 0;
  struct stat status {};
  char* arguments[] = {nullptr};
  require(environ != nullptr && environ[0] == nullptr && std::getenv("PATH") == nullptr, "environ");
  refused("execve", ENOENT, execve("a", arguments, arguments));
  refused("fork", ENOSYS, fork());
  refused("wait", ECHILD, wait(nullptr));
  require(getpid() == 1, "getpid");
  require(kill(getpid(), 0) == 0, "kill of nothing");
  refused("kill of another", ESRCH, kill(2, SIGTERM));
  refused("kill with no signal", EINVAL, kill(1, 1000));
  refused("kill with a negative signal", EINVAL, kill(1, -1));
  refused("link", ENOENT, link("a", "b"));
  refused("unlink", ENOENT, unlink("a"));
  refused("stat", ENOENT, stat("a", &status));
  refused("open", ENOENT, open("a", O_RDONLY));
  refused("open to create", EROFS, open("a", O_RDWR | O_CREAT, 0666));
  require(std::fopen("a", "r") == nullptr && errno == ENOENT, "fopen");
  errno = 0;
  for (const int file : {0, 1, 2}) {
    require(isatty(file) == 1, "isatty");
    require(fstat(file, &status) == 0 && S_ISCHR(status.st_mode), "fstat");
    refused("lseek", ESPIPE, lseek(file, 0, SEEK_SET));
    require(close(file) == 0, "close");
  }
  for (const int file : {-1, 3, 1000}) {
    require(isatty(file) == 0 && errno == EBADF, "isatty of none");
    refused("fstat", EBADF, fstat(file, &status));
    refused("lseek of none", EBADF, lseek(file, 0, SEEK_SET));
    refused("close", EBADF, close(file));
    refused("read of none", EBADF, ::read(file, &byte, 1));
    refused("write of none", EBADF, ::write(file, &byte, 1));
  }
  refused("read of the output", EBADF, ::read(1, &byte, 1));
  refused("write of the input", EBADF, ::write(0, &byte, 1));
  require(::read(0, &byte, 0) == 0 && ::write(1, &byte, 0) == 0, "no bytes");
}

void check_time() {
  struct timeval first {
  }, second{};
  struct tms times {};
  const std::uint64_t ticks = long_clock.now();
  require(gettimeofday(&first, nullptr) == 0, "gettimeofday");
  while (long_clock.now() - ticks < 30'000U * board_timer::unit) {}
  const clock_t hundredths = ::times(&times);
  require(gettimeofday(&second, nullptr) == 0, "gettimeofday");
  const std::uint64_t after = long_clock.now();
  const auto us = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
  };
  require(first.tv_usec < 1'000'000 && us(first) >= ticks / board_timer::unit, "time of the day");
  require(us(second) - us(first) >= 29'000 && us(second) <= after / board_timer::unit, "time that has passed");
  require(times.tms_utime == hundredths && times.tms_stime == 0 && times.tms_cutime == 0, "times");
  const std::uint64_t in_us = std::uint64_t{hundredths} * (1'000'000 / CLOCKS_PER_SEC);
  require(in_us <= us(second) && in_us + 2 * (1'000'000 / CLOCKS_PER_SEC) + 30'000 >= us(second),
          "times in microseconds");
  require(std::clock() - hundredths <= 100, "clock");
}

void check_break() {
  const auto at = [](std::ptrdiff_t bytes) { return reinterpret_cast<std::uintptr_t>(sbrk(bytes)); };
  errno = 0;
  const std::uintptr_t begin = at(0);
  require(begin % 16 == 0, "the break lies on 16 bytes");
  require(at(1) == begin && at(0) == begin + 16 && at(33) == begin + 16 && at(0) == begin + 64, "rounded up");
  require(at(-17) == begin + 64 && at(0) == begin + 48, "rounded down");
  require(at(-48) == begin + 48 && at(0) == begin, "given back");
  const std::uintptr_t limit = (reinterpret_cast<std::uintptr_t>(firmware::firmware_stack) - stack_bytes) & ~15U;
  refused("sbrk beyond the stack", ENOMEM, static_cast<long>(at(static_cast<std::ptrdiff_t>(limit - begin + 1))));
  refused("sbrk beyond all", ENOMEM, static_cast<long>(at(PTRDIFF_MAX)));
  refused("sbrk below the heap", EINVAL, static_cast<long>(at(PTRDIFF_MIN)));
  require(at(static_cast<std::ptrdiff_t>(limit - begin)) == begin && at(0) == limit, "all of it");
  refused("sbrk of one more", ENOMEM, static_cast<long>(at(1)));
  require(at(-static_cast<std::ptrdiff_t>(limit - begin)) == limit && at(0) == begin, "all given back");
}

struct alignas(16) Vector {
  std::array<std::uint32_t, 4> lanes;
};

struct Rule {
  std::uint32_t runs = 0;
  void run(std::uint32_t more) { runs += more; }
};

/// Services that the heap holds: std::function with a capture that is larger than its own memory, and std::bind.
/// Bytes of the heap that are in use behind it.
int check_services() {
  constexpr std::uint32_t steps = 200;
  require(new (std::nothrow) char[0x6000'0000] == nullptr&& errno == ENOMEM, "more than there is");
  const int in_use = static_cast<int>(mallinfo().uordblks);
  {
    nm::VirtualClock<> clock;
    Rule rule;
    const auto vectors = std::make_unique<std::vector<Vector>>(100);
    require(reinterpret_cast<std::uintptr_t>(vectors->data()) % 16 == 0, "vectors lie on 16 bytes");
    std::array<std::uint32_t, 20> weights{};
    weights[19] = 3;
    std::uint32_t sum = 0;
    std::function<void()> step = [weights, &sum, &vectors] {
      sum += weights[19];
      for (Vector& vector : *vectors) vector.lanes[1] += 2;
    };
    nm::Services services(
        nm::service<1>(step), nm::service<2>(std::bind(&Rule::run, &rule, 5)),
        nm::service<3>(std::function<void()>(std::bind([](std::uint32_t& to) { to ^= 1; }, std::ref(weights[0])))));
    auto first = nm::Timer<>::from({.service = 1, .period = 100}).value();
    auto second = nm::Timer<>::from({.service = 2, .period = 200}).value();
    auto third = nm::Timer<>::from({.service = 3, .period = 400}).value();
    auto signaller = nm::TimerSignaller<>::from(0, steps * 100, steps * 200).value();
    nm::Scheduler<nm::VirtualClock<>, 8> scheduler(clock);
    require(scheduler.execute(signaller, services, first, second, third) == nm::Finished::by_finish, "finished");
    require(sum == 3 * steps && (*vectors)[99].lanes[1] == 2 * steps, "a service of std::function");
    require(rule.runs == 5 * steps / 2, "a service of std::bind");
    require(weights[0] == (steps / 4 & 1U), "a service of both");
    require(static_cast<int>(mallinfo().uordblks) - in_use > 1600, "the heap holds it");
  }
  return static_cast<int>(mallinfo().uordblks);
}

[[gnu::noinline]] std::uint32_t dig(std::uint32_t levels) { // NOLINT(misc-no-recursion)
  volatile std::uint32_t place[64] = {levels};
  if (levels == 0) return 1;
  const std::uint32_t below = dig(levels - 1);
  return below + place[0] * 0 + 1;
}

/// How deep a call of `dig` goes, by addresses.
void check_stack(const firmware::StackGuard& guard) {
  require(guard.is_intact(), "intact");
  const std::uint32_t before = guard.deepest_bytes();
  require(dig(60) == 61, "dig");
  const std::uint32_t after = guard.deepest_bytes();
  require(after > before && after >= 61 * 64 * 4 && after < 61 * 64 * 4 + 9000, "high-water mark");
  require(after + guard.free_bytes() + red_zone_bytes == stack_bytes, "all of the stack");
  require(guard.is_intact(), "intact below it");
}

} // namespace

int main(int count, char** words) {
  if (count < 3) return 64;
  over_uart = std::strcmp(words[1], "uart") == 0;
  over_semihosting = std::strcmp(words[1], "semihosting") == 0;
  if (over_uart) uart.start();
  box().start(board_timer::unit * 1'000'000, 0x11B);
  const firmware::StackGuard guard = firmware::newlib_stack();
  guard.paint();
  board_timer::start(500);
  const char* const what = words[2];

  if (std::strcmp(what, "abort") == 0) {
    std::printf("before\n");
    std::abort();
  }
  if (std::strcmp(what, "overflow") == 0) {
    require(guard.is_intact() && guard.free_bytes() > 0, "intact");
    dig(stack_bytes / 256);
    require(!guard.is_intact() && guard.free_bytes() == 0, "an overflow is seen");
    return wrong;
  }
  if (std::strcmp(what, "calls") == 0) {
    check_break(); // before anything has a buffer of the heap
    check_calls();
    check_time();
    const int in_use = check_services(); // with what the library keeps for itself from the first time on
    require(check_services() == in_use, "the heap has all of it back");
    check_stack(guard);
  }
  // Standard input and output, by lines; "1.5" with the library's own floating point.
  char name[32] = {};
  double value = 0;
  std::printf("who is there?\n");
  std::fflush(stdout);
  require(std::scanf("%31s %lf", name, &value) == 2, "scanf");
  std::printf("%s has %.3f\n", name, value * 2);
  std::fprintf(stderr, "%d wrong\n", wrong);
  std::exit(wrong == 0 ? 7 : 1);
}
