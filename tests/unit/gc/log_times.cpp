// SPDX-License-Identifier: BSL-1.0
// Times of all ranges in the ring of all events.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/support/trace_collectors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/trace_battery.hpp"

namespace {

using namespace battery;
using neuromorph::gc::AgeWindow;

} // namespace

TEST_CASE("log: records ahead before records behind, and ticks far apart", "[gc]") {
  using Papers = Pair<battery::Log, std::uint32_t, 255, 2040, AgeWindow<500>>;
  Papers pair(1000);
  std::string wrong;
  for (std::uint32_t event = 0; event < 100 && wrong.empty(); ++event) wrong = pair.record(event % 40, 1512);
  for (std::uint32_t event = 0; event < 50 && wrong.empty(); ++event) wrong = pair.record(100 + event, 500);
  for (const std::uint32_t now : {2012U, 3024U, 4036U, 5048U})
    if (wrong.empty()) wrong = pair.tick(now);
  if (wrong.empty()) wrong = pair.compare_all();
  // Ghosts of the 50 stood in the way of these.
  for (std::uint32_t now = 5049; now < 5600 && wrong.empty(); now += 10) {
    wrong = pair.tick(now);
    for (const std::uint32_t neuron : {2U, 100U, 149U})
      if (wrong.empty()) wrong = pair.record(neuron, now);
    if (wrong.empty()) wrong = pair.compare_all();
  }
  CHECK(wrong == "");
}

namespace {

/// Room for so many events of so many neurons leaves so many bits for times, or 32.
template <unsigned Bits, std::size_t Neurons, std::size_t Events, std::uint32_t Window>
std::string of_bits(std::uint32_t seeds, unsigned steps) {
  using namespace neuromorph::gc;
  if constexpr (Bits != 32) {
    static_assert(32 - std::bit_width(Neurons - 1) - std::bit_width(Events) == Bits);
    static_assert(packed_header_fits(Events + 1, Neurons, Window));
  } else {
    static_assert(!packed_header_fits(Events + 1, Neurons, Window));
  }
  std::string wrong;
  for (std::uint32_t seed = 1; seed <= seeds && wrong.empty(); ++seed) {
    wrong = all_times<Pair<battery::Log, std::uint32_t, Neurons, Events, AgeWindow<Window>>>(seed, steps);
    if (wrong.empty())
      wrong = all_times<Pair<LogGivesWay, std::uint32_t, Neurons, Events, AgeWindow<Window>>>(seed, steps);
  }
  return wrong;
}

} // namespace

TEST_CASE("log: times packed into 9 to 13 bits are as if they had 64", "[gc]") {
  CHECK(of_bits<9, 2048, 4095, 64>(5, 1000) == "");
  CHECK(of_bits<9, 2048, 4095, 5>(5, 1000) == "");
  CHECK(of_bits<10, 2048, 2000, 128>(5, 1000) == "");
  CHECK(of_bits<11, 1000, 2047, 256>(5, 1000) == "");
  CHECK(of_bits<12, 1000, 1000, 512>(5, 1000) == "");
  CHECK(of_bits<13, 255, 2040, 1024>(5, 1000) == "");
  CHECK(of_bits<13, 255, 2040, 500>(5, 1000) == "");
  CHECK(of_bits<13, 255, 2040, 0>(5, 1000) == "");
  CHECK(of_bits<26, 4, 9, 20>(5, 1000) == "");
  CHECK(of_bits<32, 4, 9, (1U << 29)>(5, 1000) == "");
}
