// SPDX-License-Identifier: BSL-1.0
// Immediate printing to a UART: integers and fixed point of 32 and 64 bits, their bits, places, texts, pointers. All that it
// has.
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
auto wide_fixed() { return Fixed<std::int64_t, 31>::from_raw(static_cast<std::int64_t>(wide)); }

} // namespace

int main() {
  Uart uart;
  firmware::print<"{} {:x} {} {:x} {:5} {:.3} {} {} {}">(
      uart, word, word, wide, wide, word, wide_fixed(),
      Fixed<std::int32_t, 15>::from_raw(static_cast<std::int32_t>(word)), "text", &word);
  return 0;
}
