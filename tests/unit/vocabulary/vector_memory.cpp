// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/vector_memory.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

using Bytes = Vec<std::uint8_t>;
using Halves = Vec<std::int16_t>;

Bytes counting(int from) {
  Bytes::Array values{};
  for (std::size_t lane = 0; lane < 16; ++lane) values[lane] = static_cast<std::uint8_t>(from + static_cast<int>(lane));
  return Bytes(values);
}
const MaskVector odd_lanes = (counting(0) & Bytes(1)) != Bytes(0);

} // namespace

TEST_CASE("vector_memory: lane i of vector a is element 16 a + i", "[vocabulary][vector_memory]") {
  VectorArray<3> array;
  for (std::size_t at = 0; at < 48; ++at) array.elements[at] = static_cast<std::uint8_t>(at);
  PlainVectors memory(array);
  CHECK(memory.vectors() == 3);
  CHECK(memory.read(2).array() == counting(32).array());
  memory.write(1, counting(100));
  CHECK(array.elements[15] == 15);
  CHECK(array.elements[16] == 100);
  CHECK(array.elements[31] == 115);
  CHECK(array.elements[32] == 32);
  const auto two = memory.read<2>(1);
  CHECK(two[0] == 100);
  CHECK(two[31] == 47);

  VectorArray<2, std::int16_t> wide;
  PlainVectors<std::int16_t> halves(wide);
  halves.write(1, Halves(-5), Halves(0) == Halves(0));
  CHECK(wide.elements[7] == 0);
  CHECK(wide.elements[8] == -5);
}

TEST_CASE("vector_memory: what is written under a mask leaves the other lanes alone", "[vocabulary][vector_memory]") {
  VectorArray<2> array;
  PlainVectors memory(array);
  const auto expect_odd = [&](int odd) {
    for (std::size_t lane = 0; lane < 16; ++lane) {
      CHECK(array.elements[16 + lane] == (lane % 2 == 1 ? odd : 9));
      CHECK(array.elements[lane] == 9);
    }
  };
  array.elements.fill(9);
  memory.write(1, Bytes(50), odd_lanes);
  expect_odd(50);
  write(memory, 1, Bytes(60), odd_lanes);
  expect_odd(60);
  update(memory, 1, read(memory, 1, odd_lanes), Bytes(70), odd_lanes);
  expect_odd(70);
  clear(memory, 1, read(memory, 1, odd_lanes), odd_lanes);
  expect_odd(0);
  const AllLanes<> all;
  array.elements.fill(9);
  write(memory, 1, Bytes(60), all);
  CHECK(memory.read(1).array() == Bytes(60).array());
  update(memory, 1, read(memory, 1, all), Bytes(70), all);
  CHECK(memory.read(1).array() == Bytes(70).array());
  clear(memory, 1, read(memory, 1, all), all);
  CHECK(memory.read(1).array() == Bytes(0).array());
  CHECK(memory.read(0).array() == Bytes(9).array());
}

TEST_CASE("vector_memory: all lanes are a mask in which every lane is set", "[vocabulary][vector_memory]") {
  const AllLanes<> all;
  CHECK(MaskVector(all).all());
  CHECK(select(all, counting(3), counting(50)).array() == counting(3).array());
  CHECK((all & odd_lanes) == odd_lanes);
  CHECK(select(unpack_low(all), Halves(4), Halves(5)).array() == Halves(4).array());
  CHECK(select(unpack_high(all), Halves(4), Halves(5)).array() == Halves(4).array());
}

TEST_CASE("vector_memory: memory that is not aligned is refused", "[vocabulary][vector_memory]") {
  alignas(16) std::array<std::uint8_t, 64> bytes{};
  const std::span all{bytes};
  CHECK(PlainVectors<>::over(bytes).value().vectors() == 4);
  CHECK(PlainVectors<>::over(all.subspan(16, 32)).value().vectors() == 2);
  CHECK(PlainVectors<>::over(all.first(0)).value().vectors() == 0);
  CHECK(PlainVectors<>::over(all.subspan(5, 16)).status() == Status{Error::vectors_not_aligned, 0, 5, "elements"});
  CHECK(PlainVectors<>::over(all.first(30)).status() == Status{Error::vectors_not_aligned, 1, 14, "elements"});
  alignas(16) std::array<std::int16_t, 12> halves{};
  CHECK(PlainVectors<std::int16_t>::over(halves).status() == Status{Error::vectors_not_aligned, 1, 4, "elements"});
}

TEST_CASE("vector_memory: the same vector everywhere", "[vocabulary][vector_memory]") {
  const SameVectors<std::int8_t> source(-7);
  CHECK(source.read(0)[15] == -7);
  CHECK(source.read<2>(~VectorAddress{0})[31] == -7);
  CHECK(source.vectors() == ~VectorAddress{0});
}
