// SPDX-License-Identifier: BSL-1.0
// Immediate printing to a UART: integers of 32 and 64 bits, their bits, fixed point, texts. All that it has.
#include <cstdint>

#include <neuromorph/firmware/print.hpp>

namespace {

using namespace neuromorph;
struct Uart {
  static void put(char letter) noexcept { data = static_cast<std::uint8_t>(letter); }
  static inline volatile std::uint32_t data;
};
volatile std::uint32_t word = 3;
volatile std::uint64_t wide = 3;

} // namespace

int main() {
  Uart uart;
  firmware::print<"{} {:x} {} {:x} {:.3} {}">(
      uart, word, word, wide, wide, Fixed<std::int32_t, 15>::from_raw(static_cast<std::int32_t>(word)), "text");
  return 0;
}
