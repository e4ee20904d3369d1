// SPDX-License-Identifier: BSL-1.0
// Sets against a plain array of truth values.
#include <array>
#include <cstdint>
#include <vector>

#include <neuromorph/kernels/plasticity/synapse_set.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <std::uint32_t Rows, std::uint32_t Columns>
struct Model {
  using Set = SynapseSet<Rows, Columns>;
  std::array<std::array<bool, Columns>, Rows> in{};

  /// Density in 1/256; some vectors become full, some empty.
  void randomise(Sfc32& random, unsigned density) {
    for (auto& row : in)
      for (std::uint32_t column = 0; column < Columns; ++column) {
        static unsigned kind = 0;
        if (column % 16 == 0) kind = random.next() % 4;
        row[column] = kind == 0 || (kind > 1 && random.next() % 256 < density);
      }
  }
  [[nodiscard]] Set set() const {
    return Set::where([this](auto row, auto column) { return in[row][column]; });
  }
  template <class Operation>
  [[nodiscard]] static Model combined(const Model& a, const Model& b, Operation operation) {
    Model result;
    for (std::uint32_t row = 0; row < Rows; ++row)
      for (std::uint32_t column = 0; column < Columns; ++column)
        result.in[row][column] = operation(a.in[row][column], b.in[row][column]);
    return result;
  }
  [[nodiscard]] bool is(const Set& set) const {
    std::uint64_t count = 0;
    std::size_t full = 0, partial = 0;
    std::vector<SynapsePlace> places;
    for (std::uint32_t row = 0; row < Rows; ++row)
      for (std::uint32_t first = 0; first < Columns; first += 16) {
        unsigned lanes = 0;
        for (std::uint32_t column = first; column < first + 16 && column < Columns; ++column) {
          if (set.contains({row, column}) != in[row][column]) return false;
          if (!in[row][column]) continue;
          ++lanes;
          places.push_back({row, column});
        }
        count += lanes;
        full += lanes == 16 ? 1 : 0;
        partial += lanes != 0 && lanes != 16 ? 1 : 0;
      }
    std::size_t at = 0;
    for (const SynapsePlace place : set)
      if (at == places.size() || place != places[at++]) return false;
    return at == places.size() && set.count() == count && set.full_vectors() == full &&
           set.partial_vectors() == partial && set.empty() == (count == 0);
  }
};

template <std::uint32_t Rows, std::uint32_t Columns>
void compare(std::uint32_t seed) {
  using Of = Model<Rows, Columns>;
  using Set = SynapseSet<Rows, Columns>;
  CAPTURE(Rows, Columns, seed);
  Sfc32 random(StreamId{seed, Rows, Columns});
  Of a, b;
  a.randomise(random, random.next() % 257);
  b.randomise(random, random.next() % 257);
  CHECK(a.is(a.set()));

  std::vector<SynapsePlace> list;
  std::vector<std::uint8_t> bytes(Rows * Columns), bits(Rows * ((Columns + 7) / 8));
  for (std::uint32_t row = 0; row < Rows; ++row)
    for (std::uint32_t column = 0; column < Columns; ++column) {
      if (!a.in[row][column]) continue;
      for (std::uint32_t times = 0; times <= random.next() % 2; ++times)
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(random.next() % (list.size() + 1)), {row, column});
      bytes[row * Columns + column] = static_cast<std::uint8_t>(1 + random.next() % 255); // also 0x80 to 0xFF
      bits[row * ((Columns + 7) / 8) + column / 8] |= static_cast<std::uint8_t>(1 << column % 8);
    }
  if (Columns % 8 != 0) bits[(Columns + 7) / 8 - 1] |= 0x80; // beyond the last column
  CHECK(Set::from_list(list).value() == a.set());
  CHECK(Set::from_bytes(bytes).value() == a.set());
  CHECK(Set::from_bitmap(bits).value() == a.set());
  bytes.pop_back(), bits.push_back(0);
  CHECK(Set::from_bytes(bytes).status() == Status{Error::lengths_differ, 0, bytes.size(), "bytes"});
  CHECK(Set::from_bitmap(bits).status() == Status{Error::lengths_differ, 0, bits.size(), "bits"});

  CHECK(Of::combined(a, b, [](bool x, bool y) { return x || y; }).is(a.set() | b.set()));
  CHECK(Of::combined(a, b, [](bool x, bool y) { return x && y; }).is(a.set() & b.set()));
  CHECK(Of::combined(a, b, [](bool x, bool y) { return x && !y; }).is(a.set() - b.set()));
  CHECK(Of::combined(a, b, [](bool x, bool) { return !x; }).is(~a.set()));
  CHECK(disjoint(a.set(), b.set()) == (a.set() & b.set()).empty());
  CHECK(disjoint(a.set(), ~a.set()));
  CHECK(Set::all().count() == std::uint64_t{Rows} * Columns);

  for (const std::uint32_t more : {0U, 1U, 15U, 16U, 0U - Columns - 1})
    for (std::uint32_t row = 0; row < Rows; ++row) CHECK_FALSE(a.set().contains({row, Columns + more}));
  CHECK_FALSE(a.set().contains({Rows, 0}));

  Set changed = a.set();
  const SynapsePlace place{random.next() % Rows, random.next() % Columns};
  CHECK(changed.insert(place).ok());
  a.in[place.row][place.column] = true;
  CHECK(a.is(changed));
  CHECK(changed.erase(place).ok());
  a.in[place.row][place.column] = false;
  CHECK(a.is(changed));
}

} // namespace

TEST_CASE("synapse_set: is what a plain array of truth values is", "[vocabulary][synapse_set]") {
  for (const std::uint32_t seed : Seeds(20)) {
    compare<1, 1>(seed);
    compare<3, 16>(seed);
    compare<5, 37>(seed);
    compare<7, 8>(seed);
    compare<32, 32>(seed);
    compare<3, 300>(seed);
  }
}

TEST_CASE("synapse_set: refuses what lies outside the array and says which", "[vocabulary][synapse_set]") {
  using Set = SynapseSet<4, 20>;
  constexpr std::array<SynapsePlace, 3> wrong_column{{{0, 0}, {3, 19}, {3, 20}}}, wrong_row{{{0, 0}, {4, 50}, {1, 1}}};
  CHECK(Set::from_list(wrong_column).status() == Status{Error::synapse_out_of_range, 2, 20, "column"});
  CHECK(Set::from_list(wrong_row).status() == Status{Error::synapse_out_of_range, 1, 4, "row"});
  Set set = Set::all();
  CHECK(set.insert({4, 0}) == Status{Error::synapse_out_of_range, 0, 4, "row"});
  CHECK(set.erase({0, 20}) == Status{Error::synapse_out_of_range, 0, 20, "column"});
  CHECK(set == Set::all());
  CHECK_FALSE(set.contains({0, 20}));
  CHECK_FALSE(set.contains({4, 0}));
  CHECK(std::vector<SynapsePlace>(3) == std::vector<SynapsePlace>(3, SynapsePlace{0, 0}));
}

TEST_CASE("synapse_set: everything is known to the compiler", "[vocabulary][synapse_set]") {
  using Set = SynapseSet<4, 20>;
  constexpr Set even = Set::where([](auto row, auto) { return row % 2 == 0; });
  static_assert(even.count() == 40 && even.full_vectors() == 2 && even.partial_vectors() == 2);
  static_assert((~even).count() == 40 && disjoint(even, ~even) && (even | ~even) == Set::all());
  static_assert(*even.begin() == SynapsePlace{0, 0} && Set::address({3, 19}) == 7 && Set::lane({3, 19}) == 3);
  static_assert(Set::place(7, 3) == SynapsePlace{3, 19});
  static_assert(Set::from_list(std::array<SynapsePlace, 1>{{{2, 2}}}).value().contains({2, 2}));
}
