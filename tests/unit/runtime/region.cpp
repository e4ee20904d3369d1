// SPDX-License-Identifier: BSL-1.0
// Regions against bytes written by hand, by copy and in place; what is cut off, and what was made of another struct.
#include <neuromorph/runtime/region.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace runtime = neuromorph::runtime;
using neuromorph::Error;

enum class Mode : std::uint16_t { quiet = 3, loud = 0xABCD };
using Weight = neuromorph::Fixed<std::int16_t, 12>;

struct Point {
  std::int16_t x, y;
  using Fields = runtime::Fields<&Point::x, &Point::y>;
};
struct Settings {
  std::uint32_t period_us;
  float gain;
  std::array<Point, 2> corners;
  std::int8_t signs[3];
  std::uint8_t kind;
  Weight weight;
  Mode mode;
  using Fields = runtime::Fields<&Settings::period_us, &Settings::gain, &Settings::corners, &Settings::signs,
                                 &Settings::kind, &Settings::weight, &Settings::mode>;
};
struct Row {
  std::uint8_t low, high;
  std::int16_t both;
  using Fields = runtime::Fields<&Row::low, &Row::high, &Row::both>;
};
struct Odd {
  std::uint8_t three[3];
  using Fields = runtime::Fields<&Odd::three>;
};

using Rows = runtime::Region<Settings, Row>;
using Bytes = runtime::Region<Odd, std::uint8_t>;
using OnlyWords = runtime::Region<runtime::Nothing, std::int32_t>;
using OnlyHead = runtime::Region<Settings>;

Settings some() {
  Settings made{};
  made.period_us = 0x01020304, made.gain = -2.5F;
  made.corners = {Point{1, -2}, Point{INT16_MIN, INT16_MAX}};
  made.signs[0] = -1, made.signs[1] = 0, made.signs[2] = 127, made.kind = 0xFE;
  made.weight = Weight::from_raw(-4096), made.mode = Mode::loud;
  return made;
}

bool are_equal(const Settings& a, const Settings& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

} // namespace

TEST_CASE("region: the bytes are those that its head says") {
  const Row rows[] = {{1, 2, -3}, {4, 5, 6}};
  std::vector<std::uint8_t> memory(Rows::bytes(2), 0xEE);
  REQUIRE(memory.size() == 8 + 24 + 8);
  REQUIRE(Rows::write(memory, some(), rows).ok());
  const std::uint32_t print = Rows::fingerprint;
  const std::vector<std::uint8_t> expected{std::uint8_t(print),
                                           std::uint8_t(print >> 8),
                                           std::uint8_t(print >> 16),
                                           std::uint8_t(print >> 24), // fingerprint
                                           2,
                                           0,
                                           0,
                                           0, // elements
                                           4,
                                           3,
                                           2,
                                           1, // period_us
                                           0x00,
                                           0x00,
                                           0x20,
                                           0xC0, // -2.5
                                           1,
                                           0,
                                           0xFE,
                                           0xFF,
                                           0x00,
                                           0x80,
                                           0xFF,
                                           0x7F, // corners
                                           0xFF,
                                           0,
                                           127,
                                           0xFE, // signs, kind
                                           0x00,
                                           0xF0,
                                           0xCD,
                                           0xAB, // weight, mode
                                           1,
                                           2,
                                           0xFD,
                                           0xFF,
                                           4,
                                           5,
                                           6,
                                           0};
  CHECK(memory == expected);
}

TEST_CASE("region: what is written is read, by copy and in place") {
  std::mt19937 draw(1);
  for (std::size_t count = 0; count < 40; ++count) {
    Settings head = some();
    head.period_us = static_cast<std::uint32_t>(draw()), head.mode = static_cast<Mode>(draw() & 0xFFFF);
    std::vector<Row> rows(count), others(count + count % 3);
    for (Row& row : rows) row = {std::uint8_t(draw()), std::uint8_t(draw()), std::int16_t(std::uint16_t(draw()))};
    std::vector<std::uint32_t> words(Rows::bytes(count) / 4);
    std::vector<std::uint8_t> bytes(Rows::bytes(count));
    REQUIRE(Rows::write(bytes, head, rows).ok());
    std::memcpy(words.data(), bytes.data(), bytes.size());
    const auto view = Rows::view(words);
    REQUIRE(view.status.ok());
    CHECK(are_equal(*view.head, head));
    REQUIRE(view.elements.size() == count);
    CHECK((count == 0 || std::memcmp(view.elements.data(), rows.data(), count * sizeof(Row)) == 0));
    Settings copy{};
    std::size_t found = 77;
    REQUIRE(Rows::read(bytes, copy, others, found).ok());
    CHECK(found == count);
    CHECK(are_equal(copy, head));
    CHECK((count == 0 || std::memcmp(others.data(), rows.data(), count * sizeof(Row)) == 0));
  }
}

TEST_CASE("region: heads and elements that end within a word are filled up") {
  for (std::size_t count = 0; count < 10; ++count) {
    std::vector<std::uint8_t> bytes(Bytes::bytes(count), 0xEE), elements(count);
    for (std::size_t at = 0; at < count; ++at) elements[at] = std::uint8_t(at + 1);
    CHECK(bytes.size() == 12 + (count + 3) / 4 * 4);
    REQUIRE(Bytes::write(bytes, {{7, 8, 9}}, elements).ok());
    CHECK(bytes[11] == 0);
    for (std::size_t at = 12 + count; at < bytes.size(); ++at) CHECK(bytes[at] == 0);
    Odd head{};
    std::vector<std::uint8_t> back(count);
    std::size_t found = 0;
    REQUIRE(Bytes::read(bytes, head, back, found).ok());
    CHECK(back == elements);
    CHECK((head.three[0] == 7 && head.three[1] == 8 && head.three[2] == 9));
  }
}

TEST_CASE("region: no head, no elements") {
  const std::int32_t values[] = {INT32_MIN, -1, 5};
  std::vector<std::uint8_t> bytes(OnlyWords::bytes(3));
  REQUIRE(bytes.size() == 20);
  REQUIRE(OnlyWords::write(bytes, {}, values).ok());
  std::vector<std::int32_t> back(3);
  runtime::Nothing nothing;
  std::size_t found = 0;
  REQUIRE(OnlyWords::read(bytes, nothing, back, found).ok());
  CHECK(back == std::vector<std::int32_t>{INT32_MIN, -1, 5});
  std::vector<std::uint32_t> words(5);
  std::memcpy(words.data(), bytes.data(), 20);
  CHECK(OnlyWords::view(words).head == nullptr);
  CHECK(OnlyWords::view(words).elements[2] == 5);
  bytes.assign(OnlyHead::bytes(), 0);
  REQUIRE(OnlyHead::write(bytes, some()).ok());
  CHECK(bytes.size() == 32);
  CHECK(OnlyHead::most_elements == 0);
  // A second word that claims elements is refused.
  words.resize(8);
  std::memcpy(words.data(), bytes.data(), 32);
  REQUIRE(OnlyHead::view(words).status.ok());
  words[1] = 1;
  CHECK(OnlyHead::view(words).status.error == Error::region_cut_off);
}

TEST_CASE("region: cut off anywhere, too small, of another struct: refused, and nothing is changed") {
  const Row rows[] = {{1, 2, -3}, {4, 5, 6}, {7, 8, 9}};
  std::vector<std::uint8_t> whole(Rows::bytes(3));
  REQUIRE(Rows::write(whole, some(), rows).ok());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<std::uint8_t> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    Settings head{};
    Row back[3] = {{9, 9, 9}, {9, 9, 9}, {9, 9, 9}};
    std::size_t found = 77;
    CHECK(Rows::read(part, head, back, found).error == Error::region_cut_off);
    CHECK(found == 77);
    CHECK(are_equal(head, Settings{}));
    CHECK(back[0].both == 9);
    std::vector<std::uint32_t> words(length / 4);
    if (!words.empty()) std::memcpy(words.data(), part.data(), words.size() * 4);
    const auto view = Rows::view(words);
    CHECK(view.status.error == Error::region_cut_off);
    CHECK(view.head == nullptr);
    std::vector<std::uint8_t> room(length, 0xEE);
    const auto written = Rows::write(room, some(), rows);
    CHECK(written.error == Error::buffer_full);
    CHECK(written.value == neuromorph::GivenValue(whole.size()));
    CHECK(room == std::vector<std::uint8_t>(length, 0xEE));
  }
  Settings head{};
  Row two[2] = {};
  std::size_t found = 77;
  CHECK(Rows::read(whole, head, two, found).error == Error::buffer_full);
  CHECK(found == 77);
  // Any other count.
  for (const std::uint32_t count : {4U, 5U, 0x80000000U, 0x3FFFFFFFU, 0x40000000U, 0xFFFFFFFFU}) {
    auto changed = whole;
    for (int byte = 0; byte < 4; ++byte) changed[4 + std::size_t(byte)] = std::uint8_t(count >> 8 * byte);
    Row many[8] = {};
    CHECK(Rows::read(changed, head, many, found).error == Error::region_cut_off);
  }
  for (std::size_t bit = 0; bit < 32; ++bit) {
    auto changed = whole;
    changed[bit / 8] ^= std::uint8_t(1U << bit % 8);
    Row many[3] = {};
    CHECK(Rows::read(changed, head, many, found).error == Error::layout_differs);
  }
}

namespace {
struct Wider {
  std::uint32_t a;
  using Fields = runtime::Fields<&Wider::a>;
};
struct Two {
  std::uint16_t a, b;
  using Fields = runtime::Fields<&Two::a, &Two::b>;
};
struct Signed {
  std::int32_t a;
  using Fields = runtime::Fields<&Signed::a>;
};
struct Real {
  float a;
  using Fields = runtime::Fields<&Real::a>;
};
struct Array {
  std::uint32_t a[1];
  using Fields = runtime::Fields<&Array::a>;
};
struct Nested {
  Wider a;
  using Fields = runtime::Fields<&Nested::a>;
};
struct Point16 {
  neuromorph::Fixed<std::int32_t, 16> a;
  using Fields = runtime::Fields<&Point16::a>;
};
struct Point15 {
  neuromorph::Fixed<std::int32_t, 15> a;
  using Fields = runtime::Fields<&Point15::a>;
};
} // namespace

TEST_CASE("region: what differs in kind, size, number or nesting has another fingerprint") {
  const std::uint32_t all[] = {runtime::Region<Wider>::fingerprint,
                               runtime::Region<Two>::fingerprint,
                               runtime::Region<Signed>::fingerprint,
                               runtime::Region<Real>::fingerprint,
                               runtime::Region<Array>::fingerprint,
                               runtime::Region<Nested>::fingerprint,
                               runtime::Region<Point16>::fingerprint,
                               runtime::Region<Point15>::fingerprint,
                               runtime::Region<Wider, Wider>::fingerprint,
                               runtime::Region<runtime::Nothing, Wider>::fingerprint,
                               runtime::Region<Wider, Signed>::fingerprint,
                               runtime::Region<Wider, std::uint32_t>::fingerprint,
                               Rows::fingerprint,
                               OnlyWords::fingerprint};
  for (const std::uint32_t& one : all)
    for (const std::uint32_t& other : all) CHECK((one == other) == (&one == &other));
  struct Same {
    std::uint32_t other_name;
    using Fields = runtime::Fields<&Same::other_name>;
  };
  STATIC_REQUIRE(runtime::Region<Same>::fingerprint == runtime::Region<Wider>::fingerprint);
}

namespace {
constexpr std::uint32_t written_by_the_compiler() {
  std::array<std::uint8_t, OnlyWords::bytes(2)> memory{};
  const std::int32_t values[] = {40, 2};
  static_cast<void>(OnlyWords::write(memory, {}, values).ok());
  std::array<std::int32_t, 2> back{};
  runtime::Nothing nothing;
  std::size_t count = 0;
  return OnlyWords::read(memory, nothing, back, count).ok() && count == 2 ? std::uint32_t(back[0] + back[1]) : 0;
}
static_assert(written_by_the_compiler() == 42);
} // namespace

TEST_CASE("region: the numbers of a struct are told in their order") {
  std::vector<std::uint32_t> numbers;
  runtime::each_number(some(), [&](std::uint32_t bits) { numbers.push_back(bits); });
  CHECK(numbers == std::vector<std::uint32_t>{0x01020304, 0xC0200000, 1, 0xFFFE, 0x8000, 0x7FFF, 0xFF, 0, 127, 0xFE,
                                              0xF000, 0xABCD});
  runtime::each_number(runtime::Nothing{}, [](std::uint32_t) { FAIL("there is nothing"); });
}
