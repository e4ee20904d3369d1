// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <neuromorph/kernels/plasticity/mask.hpp>
#include <neuromorph/kernels/plasticity/rule_sequence.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

/// The formula of the paper: 17 bytes per partial vector, one per full one, up to the next multiple of 16 if there are
/// vectors in it; here for any width of addresses.
template <std::size_t Full, std::size_t Partial, class Address = std::uint8_t>
constexpr bool no_larger_than_the_formula() {
  constexpr std::size_t bytes = 16 * Partial + sizeof(Address) * (Full + Partial);
  return sizeof(Mask<Full, Partial, Address>) <= (Partial == 0 ? bytes : (bytes + 15) / 16 * 16);
}
static_assert(no_larger_than_the_formula<1, 0>() && no_larger_than_the_formula<64, 0>());
static_assert(no_larger_than_the_formula<0, 1>() && no_larger_than_the_formula<0, 15>());
static_assert(no_larger_than_the_formula<0, 16>() && no_larger_than_the_formula<0, 17>());
static_assert(no_larger_than_the_formula<1, 1>() && no_larger_than_the_formula<15, 1>());
static_assert(no_larger_than_the_formula<16, 1>() && no_larger_than_the_formula<40, 24>());
static_assert(no_larger_than_the_formula<255, 0>() && no_larger_than_the_formula<200, 55>());
static_assert(no_larger_than_the_formula<300, 20, std::uint16_t>() &&
              no_larger_than_the_formula<3, 0, std::uint16_t>());
static_assert(no_larger_than_the_formula<9, 5, std::uint32_t>());
static_assert(sizeof(Mask<0, 64, std::uint8_t, MaskBits>) == 3 * 64 &&
              sizeof(Mask<9, 3, std::uint8_t, MaskBits>) == 18);
static_assert(sizeof(Mask<64, 0>) == 64 && sizeof(Mask<0, 64>) == 17 * 64); // the array of the paper's chip
static_assert(std::is_same_v<AddressFor<255>, std::uint8_t> && std::is_same_v<AddressFor<256>, std::uint16_t> &&
              std::is_same_v<AddressFor<65535>, std::uint16_t> && std::is_same_v<AddressFor<65536>, std::uint32_t>);

/// Some vectors full, some empty, some in between.
template <class Set>
Set random_set(Sfc32& random) {
  Set set;
  for (VectorAddress address = 0; address < Set::vectors; ++address) {
    const std::uint32_t kind = random.next() % 5;
    set.words[address] = kind < 2 ? all_lane_bits : kind == 2 ? LaneBits{0} : static_cast<LaneBits>(random.next());
  }
  return set & Set::all();
}

/// Counts how often each lane was enabled, and in which order vectors came.
struct Visits {
  using Offers = offer::List<>;
  std::vector<std::array<unsigned, 16>>* lanes;
  std::vector<VectorAddress>* order;
  static VectorAddress vectors() { return unbounded_vectors; }
  void vector_rule(const MaskVector& mask, VectorAddress address) {
    for (unsigned lane = 0; lane < 16; ++lane) (*lanes)[address][lane] += mask[lane] ? 1U : 0U;
    order->push_back(address);
  }
};

template <std::uint32_t Rows, std::uint32_t Columns, class Storage>
void compare_stored(std::uint32_t seed) {
  using Set = SynapseSet<Rows, Columns>;
  using Whole = Mask<Set::vectors, Set::vectors, AddressFor<Set::vectors>, Storage>;
  CAPTURE(Rows, Columns, seed);
  Sfc32 random(StreamId{seed, Rows, Columns});
  const Set set = random_set<Set>(random), other = random_set<Set>(random);
  const auto made = Whole::from(set), of_other = Whole::from(other);
  REQUIRE(made.ok());
  const Whole& mask = made.value();
  CHECK(mask.template set<Rows, Columns>().value() == set);
  CHECK(mask.count() == set.count());
  CHECK(mask.full_vectors() == set.full_vectors());
  CHECK(mask.partial_vectors() == set.partial_vectors());
  VectorAddress needed = 0;
  for (VectorAddress address = 0; address < Set::vectors; ++address) {
    CHECK(mask.lanes(address) == set.words[address]);
    if (set.words[address] != 0) needed = address + 1;
  }
  CHECK(mask.lanes(Set::vectors) == 0);
  CHECK(mask.lanes(~VectorAddress{0}) == 0);
  CHECK(mask.vectors_needed() == needed);
  CHECK(disjoint(mask, of_other.value()) == disjoint(set, other));
  CHECK(disjoint(mask, Whole::from(~set).value()));

  std::vector<std::array<unsigned, 16>> lanes(Set::vectors);
  std::vector<VectorAddress> order;
  Visits rule{&lanes, &order};
  mask.apply_vector_rule(rule);
  for (VectorAddress address = 0; address < Set::vectors; ++address)
    for (unsigned lane = 0; lane < 16; ++lane) REQUIRE(lanes[address][lane] == (set.words[address] >> lane & 1U));
  REQUIRE(order.size() == set.full_vectors() + set.partial_vectors());
  for (std::size_t at = 1; at < order.size(); ++at)
    if (at != set.full_vectors()) CHECK(order[at - 1] < order[at]);
}
template <std::uint32_t Rows, std::uint32_t Columns>
void compare(std::uint32_t seed) {
  compare_stored<Rows, Columns, MaskBytes>(seed);
  compare_stored<Rows, Columns, MaskBits>(seed);
}

} // namespace

TEST_CASE("mask: enables what its set has, once each", "[vocabulary][mask]") {
  for (const std::uint32_t seed : Seeds(20)) {
    compare<1, 1>(seed);
    compare<5, 37>(seed);
    compare<32, 32>(seed);
    compare<85, 33>(seed);  // 255 vectors
    compare<64, 64>(seed);  // 256
    compare<3, 9000>(seed); // 1689
  }
}

TEST_CASE("mask: too many vectors are refused, and how many they are is said", "[vocabulary][mask]") {
  using Set = SynapseSet<8, 32>;
  const Set set = Set::where([](auto row, auto column) { return row < 3 || column < 5; }); // 6 full, 5 partial
  CHECK(Mask<6, 5>::from(set).ok());
  CHECK(Mask<7, 9>::from(set).value().template set<8, 32>().value() == set);
  CHECK(Mask<5, 5>::from(set).status() == Status{Error::mask_too_long, 0, 6, "full"});
  CHECK(Mask<6, 4>::from(set).status() == Status{Error::mask_too_long, 1, 5, "partial"});
  CHECK(Mask<0, 0>::from(set).status() == Status{Error::mask_too_long, 0, 6, "full"});
  CHECK(Mask<0, 0>::from(Set()).ok());
}

TEST_CASE("mask: addresses that do not fit are refused", "[vocabulary][mask]") {
  using Set = SynapseSet<256, 16>;
  Set set = Set::all();
  CHECK(Mask<256, 0, std::uint16_t>::from(set).value().count() == 4096);
  CHECK(Mask<256, 0>::from(set).status() == Status{Error::address_out_of_range, 255, 255, "address"});
  CHECK(set.erase({255, 3}).ok());
  CHECK(Mask<255, 1>::from(set).status() == Status{Error::address_out_of_range, 255, 255, "address"});

  unsigned refused = 0;
  for (const std::uint32_t seed : Seeds(200)) {
    using Long = SynapseSet<300, 16>;
    CAPTURE(seed);
    Sfc32 random(StreamId{seed});
    Long some = random_set<Long>(random);
    for (VectorAddress address = 250 + random.next() % 50; address < Long::vectors; ++address) some.words[address] = 0;
    std::uint32_t before = 0;
    Status expected;
    for (VectorAddress address = 0; expected.ok() && address < Long::vectors; ++address) {
      if (some.words[address] == 0) continue;
      if (address >= 255) expected = {Error::address_out_of_range, before, address, "address"};
      ++before;
    }
    refused += expected.ok() ? 0U : 1U;
    REQUIRE(Mask<255, 255>::from(some).status() == expected);
    REQUIRE(Mask<300, 300, std::uint16_t>::from(some).value().template set<300, 16>().value() == some);
  }
  CHECK(refused > 100);
}

namespace {

/// A set with so many full and partial vectors at random places.
template <std::uint32_t Vectors>
SynapseSet<Vectors, 16> set_of(unsigned full, unsigned partial, Sfc32& random) {
  SynapseSet<Vectors, 16> set;
  while (full + partial != 0) {
    LaneBits& word = set.words[random.next() % Vectors];
    if (word != 0) continue;
    word = full != 0 ? all_lane_bits : static_cast<LaneBits>(1 + random.next() % (2 * Vectors)); // like an address
    --(full != 0 ? full : partial);
  }
  return set;
}

} // namespace

TEST_CASE("mask: what stands behind its lists is no part of it", "[vocabulary][mask]") {
  for (const std::uint32_t seed : Seeds(500)) {
    CAPTURE(seed);
    Sfc32 random(StreamId{seed});
    // Lists without room left; the lanes of a neighbour could be an address of the mask before it.
    using Exact = Mask<2, 3, std::uint16_t, MaskBits>;
    static_assert(sizeof(Exact) == 16);
    const auto one = set_of<24>(2, 3, random), other = set_of<24>(2, 3, random);
    const std::array masks{Exact::from(one).value(), Exact::from(other).value()};
    for (VectorAddress address = 0; address < 26; ++address)
      REQUIRE(masks[0].lanes(address) == (address < 24 ? one.words[address] : 0));
    std::vector<std::array<unsigned, 16>> lanes(64);
    std::vector<VectorAddress> order;
    Visits rule{&lanes, &order};
    masks[0].apply_vector_rule(rule);
    REQUIRE(order.size() == 5);
    for (VectorAddress address = 0; address < 24; ++address)
      for (unsigned lane = 0; lane < 16; ++lane) REQUIRE(lanes[address][lane] == (one.words[address] >> lane & 1U));
    using OnlyFull = Mask<2, 0>;
    static_assert(sizeof(OnlyFull) == 2);
    const auto full = OnlyFull::from(set_of<24>(2, 0, random)).value();
    const std::array some{full, OnlyFull::from(set_of<24>(2, 0, random)).value()}, same{full, OnlyFull()};
    REQUIRE(some[0] == same[0]);
    REQUIRE(some[0].lanes(23) == (full.vectors_needed() == 24 ? all_lane_bits : 0));
  }
}

TEST_CASE("mask: an array that lacks its vectors is refused", "[vocabulary][mask]") {
  constexpr auto mask =
      make_mask<SynapseSet<8, 32>::where([](auto row, auto column) { return row < 7 && column != 20; })>();
  CHECK(mask.set<8, 32>().ok());
  CHECK(mask.set<4, 32>().status() == Status{Error::address_out_of_range, 4, 8, "address"});
  CHECK(mask.set<8, 30>().status() == Status{Error::synapse_out_of_range, 7, 1, "address"});
}

TEST_CASE("mask: made by the compiler it is as long as needed", "[vocabulary][mask]") {
  static constexpr auto predicate = [](auto row, auto column) { return row != 5 && column < 20; };
  constexpr auto mask = make_mask<32, 32, predicate>();
  static_assert(mask.full_capacity == 31 && mask.partial_capacity == 31);
  static_assert(mask.count() == 31 * 20 && mask.vectors_needed() == 64);
  constexpr auto same = make_mask<SynapseSet<32, 32>::where(predicate)>();
  static_assert(mask == same && mask.set<32, 32>().value() == SynapseSet<32, 32>::where(predicate));
  constexpr auto none = make_mask<SynapseSet<32, 32>{}>();
  static_assert(none.count() == 0 && none.vectors_needed() == 0 && disjoint(mask, none) && !disjoint(mask, mask));
  constexpr auto run_time_room = Mask<40, 40>::from(SynapseSet<32, 32>::where(predicate)).value();
  static_assert(run_time_room.full_vectors() == 31 && run_time_room.count() == mask.count());
}

namespace {

/// An address in a list that counts how often it is read, and how often from outside of the list.
struct Watched {
  VectorAddress address = 0;
  bool is_listed = false;
  // NOLINTNEXTLINE: as the addresses of masks
  operator VectorAddress() const {
    if (is_listed) ++reads, outside += this >= begin && this < end ? 0U : 1U;
    return address;
  }
  static void watch(const Watched* from, std::size_t length) { begin = from, end = from + length, reads = outside = 0; }
  static inline const Watched *begin = nullptr, *end = nullptr;
  static inline unsigned reads = 0, outside = 0;
};

} // namespace

// What the loops gain from consecutive addresses hangs on this search; a shorter stretch would be right, only slower.
TEST_CASE("mask: the longest stretch of consecutive addresses is found, and nothing beyond the list is read",
          "[vocabulary][mask]") {
  for (const std::uint32_t seed : Seeds(3000)) {
    Sfc32 random(StreamId{seed});
    const std::size_t length = 1 + random.next() % 70;
    const std::uint32_t gaps = 1 + random.next() % 60;
    std::vector<Watched> list(length + 2);
    list[0] = {random.next() % 100, true}; // before the list, and as if it began there
    for (std::size_t at = 1; at < list.size(); ++at)
      list[at] = {list[at - 1].address + (random.next() % gaps == 0 ? 2U : 1U), true};
    list.back().address = list[length].address + 1; // after the list, and as if it went on
    std::vector<std::uint16_t> plain;
    for (const Watched& one : list) plain.push_back(static_cast<std::uint16_t>(one.address));
    std::size_t stretch = 1;
    while (stretch < length && plain[1 + stretch] == plain[1] + stretch) ++stretch;
    CAPTURE(seed, length);
    REQUIRE(detail::consecutive(plain.data() + 1, length) == stretch);
    Watched::watch(list.data() + 1, length);
    REQUIRE(detail::consecutive(list.data() + 1, length) == stretch);
    REQUIRE(Watched::outside == 0);
    // Two reads for a comparison: one with the next address, one with the last, then steps of 16, 4 and 1.
    REQUIRE(Watched::reads <= (stretch == length ? 4 : 2 * (2 + stretch / 16 + 1 + 4 + 4)));
  }
}

TEST_CASE("mask: a list is searched in as many reads as its length has binary digits, a full one's end is read alone",
          "[vocabulary][mask]") {
  constexpr Watched unused{~VectorAddress{0}};
  for (const std::uint32_t seed : Seeds(3000)) {
    Sfc32 random(StreamId{seed});
    const std::size_t capacity = random.next() % 70;
    const std::size_t length = random.next() % 4 == 0 ? capacity : random.next() % (capacity + 1);
    std::vector<Watched> list(capacity + 2, Watched{7, true});
    for (std::size_t at = 0; at < capacity; ++at)
      list[at + 1] = {at < length ? list[at].address + 1 + random.next() % 3 : unused.address, true};
    const VectorAddress sought = random.next() % 150;
    std::size_t below = 0;
    while (below < length && list[below + 1].address < sought) ++below;
    CAPTURE(seed, capacity, length, sought);
    Watched::watch(list.data() + 1, capacity);
    REQUIRE(detail::position(list.data() + 1, capacity, sought) == below);
    REQUIRE(Watched::reads <= static_cast<unsigned>(std::bit_width(capacity)));
    REQUIRE(Watched::outside == 0);
    Watched::watch(list.data() + 1, capacity);
    REQUIRE(detail::used(list.data() + 1, capacity, unused) == length);
    REQUIRE(Watched::reads <= (length == capacity ? 1 : 1 + static_cast<unsigned>(std::bit_width(capacity))));
    REQUIRE(Watched::outside == 0);
  }
}

TEST_CASE("mask: equal are masks of equal sets", "[vocabulary][mask]") {
  using Set = SynapseSet<4, 32>;
  const auto equal = []<class Storage>(Storage, const Set& a, const Set& b) {
    using Any = Mask<8, 8, std::uint8_t, Storage>;
    return Any::from(a).value() == Any::from(b).value();
  };
  Sfc32 random(StreamId{4});
  for (unsigned turn = 0; turn < 500; ++turn) {
    const Set a = random_set<Set>(random);
    Set b = a;
    b.words[random.next() % 8] = random.next() % 3 == 0 ? all_lane_bits : static_cast<LaneBits>(random.next());
    CHECK(equal(MaskBytes{}, a, a));
    CHECK(equal(MaskBits{}, a, a));
    CHECK(equal(MaskBytes{}, a, b) == (a == b));
    CHECK(equal(MaskBits{}, a, b) == (a == b));
  }
  const Set here = Set::where([](auto row, auto column) { return row == 1 && column == 3; });
  const Set there = Set::where([](auto row, auto column) { return row == 2 && column == 3; }); // the same lane
  CHECK_FALSE(equal(MaskBytes{}, here, there));
  CHECK_FALSE(equal(MaskBits{}, here, there));
}

namespace {

/// Adds up the lanes that it is shown, several vectors at once.
template <std::size_t AtOnce>
struct GroupedVisits {
  using Offers = offer::List<offer::RuleTarget, offer::VectorsAtOnce>;
  static constexpr std::size_t vectors_at_once = AtOnce;
  using Target = target::Generic;
  std::array<LaneBits, 64>* lanes;
  template <class Lanes>
  void vector_rule(const Lanes& enabled, VectorAddress address) {
    constexpr std::size_t count = LaneVector<Lanes>::lanes / 16;
    const LaneFlags<std::uint8_t, target::Generic, count> mask = enabled;
    for (std::size_t vector = 0; vector < count; ++vector)
      (*lanes)[address + vector] =
          static_cast<LaneBits>((*lanes)[address + vector] + (mask.bits() >> 16 * vector & 0xFFFF));
  }
};
template <std::size_t AtOnce, class Storage>
void compare_grouped() {
  using Set = SynapseSet<32, 32>;
  Sfc32 random(StreamId{5, AtOnce});
  for (unsigned turn = 0; turn < 200; ++turn) {
    Set set; // long stretches of partial vectors
    for (auto& word : set.words) word = random.next() % 8 == 0 ? LaneBits{0} : static_cast<LaneBits>(random.next() | 1);
    const auto mask = Mask<64, 64, std::uint8_t, Storage>::from(set).value();
    std::array<LaneBits, 64> visited{};
    GroupedVisits<AtOnce> rule{&visited};
    mask.apply_vector_rule(rule);
    CAPTURE(AtOnce, turn);
    REQUIRE(visited == set.words);
  }
}

} // namespace

TEST_CASE("mask: a rule that takes several vectors at once sees each lane once", "[vocabulary][mask]") {
  compare_grouped<1, MaskBytes>();
  compare_grouped<2, MaskBytes>();
  compare_grouped<4, MaskBytes>();
  compare_grouped<1, MaskBits>();
  compare_grouped<2, MaskBits>();
  compare_grouped<4, MaskBits>();
}
