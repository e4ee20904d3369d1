// SPDX-License-Identifier: BSL-1.0
// Kernels on a unit of eight slices: values that stay in its registers from statement to statement, rows of the synapse array by halves, masks in
// memory, against plain loops over bytes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/target/power/s2pp_hx.hpp>

#include "tests/support/s2pp_trap.hpp"

namespace {

namespace target = neuromorph::target;
using target::S2ppHx;

constexpr unsigned rows = 40, length = S2ppHx::vector_bytes;
constexpr std::uint32_t weights = 0x100, causal = 0x400, acausal = 0x600; // even halves; odd ones are behind each

alignas(length) std::array<std::array<std::uint8_t, length>, rows> masks, sums;

/// Weights go down where a mask is negative, and end at 0.
struct Decay {
  static constexpr void describe(auto& unit) {
    const auto step = unit.number(0);
    const auto mask = unit.memory(0), before = unit.synapses(0);
    unit.write(0, max(before - step, unit.constant(0)), negative(mask));
  }
};
/// Weights take a part of the difference of two sensors, within 0 to 63, and the part is kept in memory.
struct Stdp {
  static constexpr void describe(auto& unit) {
    const auto difference = subtract_saturating(unit.synapses(1), unit.synapses(2));
    const auto change = multiply_fractional(difference, unit.number(0));
    unit.store(1, change);
    const auto changed = min(max(add_saturating(unit.synapses(0), change), unit.constant(0)), unit.constant(63));
    unit.write(0, changed, negative(unit.memory(0)));
  }
};

int failures = 0;
void expect(bool holds, const char* what, unsigned turn) {
  if (!holds && ++failures <= 20) std::printf("%s, turn %u\n", what, turn);
}
int held(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

} // namespace

int main() {
  neuromorph::Sfc32 random;
  for (unsigned turn = 0; turn < 10; ++turn) {
    for (auto& vector : s2pp::vector_space)
      for (std::uint8_t& byte : vector) byte = static_cast<std::uint8_t>(random.next() % 64);
    for (const std::uint32_t sensor : {causal, acausal})
      for (unsigned row = 0; row < 2 * rows; ++row)
        for (std::uint8_t& byte : s2pp::vector_space[sensor + row]) byte = static_cast<std::uint8_t>(random.next());
    for (auto& mask : masks)
      for (std::uint8_t& byte : mask) byte = random.next() % 2 == 0 ? 0xFF : 0;
    auto expected = s2pp::vector_space;
    auto changes = sums;
    const unsigned half = turn % 2; // even or odd columns
    const int step = static_cast<int>(random.next() % 20), factor = static_cast<int>(random.next() % 128);
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned byte = 0; byte < length; ++byte) {
        const auto at = [&](std::uint32_t base) -> std::uint8_t& { return expected[base + 2 * row + half][byte]; };
        if (masks[row][byte] != 0) at(weights) = static_cast<std::uint8_t>(held(at(weights) - step, 0, 127));
        const int difference =
            held(static_cast<std::int8_t>(at(causal)) - static_cast<std::int8_t>(at(acausal)), -128, 127);
        const int change = difference * factor >> 7;
        changes[row][byte] = static_cast<std::uint8_t>(change);
        if (masks[row][byte] != 0)
          at(weights) = static_cast<std::uint8_t>(held(held(at(weights) + change, -128, 127), 0, 63));
      }
    S2ppHx::run<Decay>(rows, {.numbers = {step}, .spaces = {weights + half}, .memory = {masks.data()}, .stride = 2});
    S2ppHx::run<Stdp>(rows, {.numbers = {factor},
                             .spaces = {weights + half, causal + half, acausal + half},
                             .memory = {masks.data(), sums.data()},
                             .stride = 2});
    expect(s2pp::vector_space == expected, "the synapse array", turn);
    expect(sums == changes, "what is stored", turn);
  }
  S2ppHx::run<Decay>(0, {.numbers = {1}, .spaces = {0xFFFFFFFF}, .memory = {nullptr}}); // no vector is touched
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
