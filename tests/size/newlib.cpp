// SPDX-License-Identifier: BSL-1.0
// The calls of newlib alone, which the C library's parts of a firmware pull in: those of a console over a UART, memory, an
// end and time. And the guard of the stack.
// allows: the heap, 64-bit division
#include <cstdint>

#include <neuromorph/firmware/newlib.hpp>
#include <neuromorph/target/device/pl011.hpp>
#include <neuromorph/target/device/semihosting.hpp>

namespace {

using namespace neuromorph;

struct Ticks {
  using Tick = std::uint64_t;
  Tick now() noexcept { return count; }
  volatile std::uint64_t count = 0;
};
target::Pl011 uart(nullptr);
Ticks ticks;

} // namespace

constinit const firmware::Newlib firmware::newlib{.write = firmware::write_waiting<uart>,
                                                  .read = firmware::read_waiting<uart>,
                                                  .exit = target::Semihosting::exit,
                                                  .microseconds = firmware::microseconds<ticks, 1'000'000>};
// Of the linker script.
char firmware::end[16], firmware::firmware_stack[16];

int main() {
  firmware::newlib_stack().paint();
  char text[4];
  const int come = firmware::_read(0, text, sizeof text);
  struct timeval time {};
  (void)firmware::_gettimeofday(&time, nullptr);
  (void)firmware::_sbrk(16);
  (void)firmware::_write(1, text, static_cast<std::size_t>(come));
  firmware::_exit(firmware::newlib_stack().is_intact() ? time.tv_usec : 1);
}
