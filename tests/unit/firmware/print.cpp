// SPDX-License-Identifier: BSL-1.0
// Immediate printing against the host's printf, which writes integers, texts, and binary fractions exactly.
#include <neuromorph/firmware/print.hpp>

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

namespace {

using namespace neuromorph;

template <firmware::Format Text, class... Arguments>
std::string printed(const Arguments&... arguments) {
  std::array<char, 400> memory;
  firmware::TextBuffer buffer(memory);
  firmware::print<Text>(buffer, arguments...);
  REQUIRE(buffer.lost() == 0);
  return {buffer.text().data(), buffer.text().size()};
}
template <class... Arguments>
std::string formatted(const char* format, Arguments... arguments) {
  std::array<char, 400> memory;
  const int size = std::snprintf(memory.data(), memory.size(), format, arguments...);
  REQUIRE((size >= 0 && size < static_cast<int>(memory.size())));
  return {memory.data(), static_cast<std::size_t>(size)};
}

/// Values of all lengths, the ends of the range, and powers of ten with their neighbours.
template <class Integer>
Integer drawn(std::mt19937_64& source) {
  const std::uint64_t bits = source();
  if (bits % 8 == 0)
    return bits % 16 == 0 ? (std::numeric_limits<Integer>::max)() : (std::numeric_limits<Integer>::min)();
  if (bits % 8 == 1) {
    std::uint64_t power = 1;
    for (std::uint64_t exponent = bits / 8 % 20; exponent != 0; --exponent) power *= 10;
    return static_cast<Integer>(power + bits / 512 % 3 - 1);
  }
  return static_cast<Integer>(source() >> bits % 64);
}

template <class Integer>
void check_integers(std::mt19937_64& source) {
  using Bits = std::make_unsigned_t<Integer>;
  const auto value = drawn<Integer>(source);
  const auto bits = static_cast<std::uintmax_t>(static_cast<Bits>(value));
  if constexpr (std::is_signed_v<Integer>) {
    const auto wide = static_cast<std::intmax_t>(value);
    CHECK(printed<"{}">(value) == formatted("%" PRIdMAX, wide));
    CHECK(printed<"<{:9}>">(value) == formatted("<%9" PRIdMAX ">", wide));
    CHECK(printed<"{:09}{:012}">(value, value) == formatted("%09" PRIdMAX "%012" PRIdMAX, wide, wide));
    CHECK(printed<"{:25}">(value) == formatted("%25" PRIdMAX, wide));
  } else {
    CHECK(printed<"{}">(value) == formatted("%" PRIuMAX, bits));
    CHECK(printed<"<{:9}>">(value) == formatted("<%9" PRIuMAX ">", bits));
    CHECK(printed<"{:025}">(value) == formatted("%025" PRIuMAX, bits));
  }
  CHECK(printed<"{:x}">(value) == formatted("%" PRIxMAX, bits));
  CHECK(printed<"{:08x}{:9x}">(value, value) == formatted("%08" PRIxMAX "%9" PRIxMAX, bits, bits));
}

/// The host's long double has 64 bits at least: every Fixed is one exactly.
template <class Rep, int FractionBits>
void check_fixed(std::mt19937_64& source) {
  using Number = Fixed<Rep, FractionBits>;
  const auto number = Number::from_raw(drawn<Rep>(source));
  const auto value = static_cast<long double>(number.raw()) /
                     (static_cast<long double>(std::uint64_t{1} << FractionBits / 2) *
                      static_cast<long double>(std::uint64_t{1} << (FractionBits - FractionBits / 2)));
  std::string all = formatted("%.80Lf", value);
  while (all.back() == '0' && all[all.size() - 2] != '.') all.pop_back();
  CAPTURE(all);
  CHECK(printed<"{}">(number) == all);
  CHECK(printed<"{:.0}">(number) == formatted("%.0Lf", value));
  CHECK(printed<"{:.1}">(number) == formatted("%.1Lf", value));
  CHECK(printed<"{:10.3}">(number) == formatted("%10.3Lf", value));
  CHECK(printed<"{:012.6}">(number) == formatted("%012.6Lf", value));
  CHECK(printed<"{:.64}">(number) == formatted("%.64Lf", value));
  CHECK(printed<"{:x}">(number) == printed<"{:x}">(number.raw()));
}

enum class Colour : std::uint8_t { red = 3, other = 200 };

} // namespace

TEST_CASE("print: integers are those of the host") {
  for (const std::uint32_t seed : Seeds(400)) {
    CAPTURE(seed);
    std::mt19937_64 source(seed);
    check_integers<std::int8_t>(source);
    check_integers<std::uint8_t>(source);
    check_integers<std::int16_t>(source);
    check_integers<std::uint16_t>(source);
    check_integers<std::int32_t>(source);
    check_integers<std::uint32_t>(source);
    check_integers<std::int64_t>(source);
    check_integers<std::uint64_t>(source);
  }
}

TEST_CASE("print: of 16 bits every number, of 8 every Fixed") {
  for (std::uint32_t value = 0; value < 1 << 16; ++value)
    if (printed<"{}">(value) != std::to_string(value)) FAIL(value);
  for (int raw = -128; raw < 128; ++raw) {
    const auto number = Fixed<std::int8_t, 7>::from_raw(static_cast<std::int8_t>(raw));
    CHECK(printed<"{:.3}">(number) == formatted("%.3f", raw / 128.0));
    CHECK(printed<"{:.6}">(number) == formatted("%.6f", raw / 128.0));
  }
}

TEST_CASE("print: a Fixed is exact, or rounded as the host rounds") {
  for (const std::uint32_t seed : Seeds(400)) {
    CAPTURE(seed);
    std::mt19937_64 source(seed);
    check_fixed<std::int8_t, 7>(source);
    check_fixed<std::uint8_t, 8>(source);
    check_fixed<std::int16_t, 15>(source);
    check_fixed<std::uint16_t, 3>(source);
    check_fixed<std::int32_t, 15>(source);
    check_fixed<std::int32_t, 0>(source);
    check_fixed<std::uint32_t, 1>(source);
    check_fixed<std::uint32_t, 32>(source);
    check_fixed<std::int32_t, 40>(source);
    check_fixed<std::int64_t, 63>(source);
    check_fixed<std::uint64_t, 64>(source);
    check_fixed<std::uint64_t, 33>(source);
  }
}

TEST_CASE("print: texts, letters, truth, enumerations, pointers, braces") {
  const char* const pointed = "pointed";
  std::array<char, 10> written{'a', 'r', 'r', '\0', 'x'};
  CHECK(printed<"">() == "");
  CHECK(printed<"alone">() == "alone");
  CHECK(printed<"{{}} {{{}}}">(1) == "{} {1}");
  CHECK(printed<"{}{}">("", "x") == "x");
  CHECK(printed<"{:5}|{:2}|{:7}|">("abc", "abc", pointed) == "abc  |abc|pointed|");
  CHECK(printed<"{}">(written.data()) == "arr");
  CHECK(printed<"{}">(std::span<const char>(written).first(2)) == "ar");
  CHECK(printed<"{}{:3}|{}">('x', 'y', '{') == "xy  |{");
  CHECK(printed<"{} {:6}|{}">(true, false, std::array<bool, 1>{true}[0]) == "true false |true");
  CHECK(printed<"{} {:x}">(Colour::red, Colour::other) == "3 c8");
  CHECK(printed<"{} {}">(reinterpret_cast<void*>(0x1234), static_cast<const int*>(nullptr)) == "0x1234 0x0");
  CHECK(printed<"{:012}">(reinterpret_cast<void*>(0x1234)) == "0x0000001234");
  CHECK(printed<"{:99}">(7).size() == 99);
}

TEST_CASE("print: what does not fit into a buffer is counted") {
  std::array<char, 8> memory{};
  firmware::TextBuffer buffer(memory);
  firmware::print<"{} and {}">(buffer, 123456, 7);
  CHECK(std::string(buffer.text().data(), buffer.text().size()) == "123456 a");
  CHECK(buffer.lost() == 4);
  buffer.clear();
  CHECK((buffer.text().empty() && buffer.lost() == 0));
}

TEST_CASE("print: into memory of every size") {
  constexpr int guard = 20;
  const std::string whole = "neuron 4294967295 a name of some letters: -65536.000 mV, (span ) 0x00ff false";
  for (std::size_t size = 0; size < 120; ++size)
    for (const std::size_t before : {0U, 1U, 7U}) {
      std::vector<char> memory(size + guard, '#');
      firmware::TextBuffer buffer(std::span<char>(memory).first(size));
      const std::string filler(before, '+');
      buffer.write(filler);
      firmware::print<"neuron {} {}: {:.3} mV, ({:5}) 0x{:04x} {}">(buffer, 0xFFFF'FFFFU, "a name of some letters",
                                                                    Fixed<std::int32_t, 15>::from_raw(INT32_MIN),
                                                                    std::span<const char>("span", 4), 0xFFU, false);
      const std::string wanted = (filler + whole).substr(0, size);
      CAPTURE(size, before);
      REQUIRE(std::string(buffer.text().begin(), buffer.text().end()) == wanted);
      REQUIRE(buffer.lost() == before + whole.size() - wanted.size());
      REQUIRE(std::string(memory.begin() + static_cast<std::ptrdiff_t>(size), memory.end()) == std::string(guard, '#'));
    }
}

TEST_CASE("print: a channel of bytes is asked until it has room") {
  struct Reluctant {
    std::string taken;
    int asked = 0;
    bool put(std::uint8_t byte) {
      if (++asked % 3 != 0) return false;
      taken += static_cast<char>(byte);
      return true;
    }
  } channel;
  firmware::print<"{:4}-{}">(channel, 12, "end");
  CHECK(channel.taken == "  12-end");
  CHECK(channel.asked == 24);
}

static_assert([] {
  std::array<char, 16> memory{};
  firmware::TextBuffer buffer(memory);
  firmware::print<"{} {:.2}">(buffer, -5, Fixed<std::int32_t, 15>::from_raw(8356));
  return buffer.text().size() == 7 && memory[6] == '6'; // also when it is compiled
}());
