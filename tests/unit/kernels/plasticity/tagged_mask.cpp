// SPDX-License-Identifier: BSL-1.0
// Tags against a plain array of them, with and without kept masks.
#include <array>
#include <cstdint>

#include <neuromorph/kernels/plasticity/tagged_mask.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr VectorAddress first = 6, vectors = 9;
using Set = SynapseSet<8, 37>; // 24 vectors, those of rows 2 to 4 have tags

static_assert(sizeof(TaggedMask<vectors, first>) == 16 * vectors);
static_assert(sizeof(CachedTaggedMask<vectors, 3, first>) == 16 * vectors * 4);

struct Visits {
  using Offers = offer::List<>;
  std::array<LaneBits, Set::vectors>* lanes;
  static VectorAddress vectors() { return unbounded_vectors; }
  void vector_rule(const MaskVector& mask, VectorAddress address) {
    CHECK(mask.any());
    (*lanes)[address] = static_cast<LaneBits>((*lanes)[address] + mask.bits());
  }
};

/// The same, several vectors at once.
template <std::size_t AtOnce>
struct GroupedVisits {
  using Offers = offer::List<offer::RuleTarget, offer::VectorsAtOnce>;
  static constexpr std::size_t vectors_at_once = AtOnce;
  using Target = target::Generic;
  std::array<LaneBits, 64>* lanes;
  unsigned in_vain = 0; ///< in a row, for nothing
  template <std::size_t Count>
  void vector_rule(const LaneFlags<std::uint8_t, target::Generic, Count>& mask, VectorAddress address) {
    in_vain = mask.any() ? 0 : in_vain + 1;
    CHECK(in_vain <= 6); // at most three before a group with the tag, and three after one
    for (std::size_t vector = 0; vector < Count; ++vector)
      (*lanes)[address + vector] =
          static_cast<LaneBits>((*lanes)[address + vector] + (mask.bits() >> 16 * vector & 0xFFFF));
  }
};
template <std::size_t AtOnce>
void compare_grouped() {
  Sfc32 random(StreamId{AtOnce});
  for (unsigned turn = 0; turn < 300; ++turn) {
    TaggedMask<41, 5> tags(1); // blocks of 8 vectors, and a rest
    std::array<LaneBits, 64> visited{}, expected{};
    for (VectorAddress address = 5; address < 46; ++address)
      for (unsigned lane = 0; lane < 16; ++lane)
        if (random.next() % (1 + turn % 100 * 3) == 0) {
          CHECK(tags.set(address, lane, 9).ok());
          expected[address] = static_cast<LaneBits>(expected[address] | 1U << lane);
        }
    GroupedVisits<AtOnce> rule{&visited, 0};
    tags.apply_vector_rule(rule, 9);
    CAPTURE(AtOnce, turn);
    REQUIRE(visited == expected);
  }
}

template <class Tagged>
void compare(std::uint32_t seed) {
  CAPTURE(seed);
  Sfc32 random(StreamId{seed});
  Tagged mask(2);
  std::array<std::array<std::uint8_t, 16>, vectors> model;
  for (auto& tags : model) tags.fill(2);
  for (unsigned change = 0; change < 200; ++change) {
    const std::uint32_t at = random.next() % vectors, lane = random.next() % 16;
    // few tags, the highest among them
    const auto tag = static_cast<std::uint8_t>(random.next() % 6 == 0 ? 255 : random.next() % 5);
    switch (random.next() % 12) {
    case 0:
      CHECK(mask.set(first + at, tag).ok());
      model[at].fill(tag);
      break;
    case 1: {
      for (auto& one : model[at]) one = static_cast<std::uint8_t>(random.next() % 5);
      CHECK(mask.set(first + at, model[at]).ok());
      break;
    }
    case 2: {
      const std::uint32_t column = random.next() % 37;
      const auto set = Set::where([column](auto row, auto other) { return row > 1 && row < 5 && other >= column; });
      CHECK(mask.set(set, tag).ok());
      for (const SynapsePlace place : set) model[Set::address(place) - first][Set::lane(place)] = tag;
      break;
    }
    default: CHECK(mask.set(first + at, lane, tag).ok()); model[at][lane] = tag;
    }
    CHECK(mask.tag(first + at, lane).value() == model[at][lane]);
  }
  for (unsigned tag = 0; tag < 256; ++tag) {
    std::array<LaneBits, Set::vectors> visited{}, expected{};
    for (std::size_t at = 0; at < vectors; ++at)
      for (unsigned lane = 0; lane < 16; ++lane)
        if (model[at][lane] == tag) expected[first + at] = static_cast<LaneBits>(expected[first + at] | 1U << lane);
    Visits rule{&visited};
    mask.apply_vector_rule(rule, static_cast<std::uint8_t>(tag));
    CHECK(visited == expected);
    Set set;
    for (VectorAddress address = 0; address < Set::vectors; ++address) {
      CHECK(mask.lanes(address, static_cast<std::uint8_t>(tag)) == expected[address]);
      set.words[address] = expected[address];
    }
    CHECK(mask.template synapses<8, 37>(static_cast<std::uint8_t>(tag)) == (set & Set::all()));
    VectorAddress next = 0; // those with the tag, and no others, in ascending order
    const auto skip = [&] {
      while (next < Set::vectors && expected[next] == 0) ++next;
    };
    skip();
    mask.for_each_vector(static_cast<std::uint8_t>(tag), [&](VectorAddress address, LaneBits lanes) {
      REQUIRE(address == next);
      CHECK(lanes == expected[next]);
      ++next, skip();
    });
    CHECK(next == Set::vectors);
  }
}

template <class Tagged>
void refuse() {
  Tagged mask(1);
  for (const VectorAddress address : {first - 1, first + vectors, ~VectorAddress{0}}) {
    CHECK(mask.set(address, 0, 9) == Status{Error::address_out_of_range, 0, address, "address"});
    CHECK(mask.set(address, 9) == Status{Error::address_out_of_range, 0, address, "address"});
    CHECK(mask.set(address, std::array<std::uint8_t, 16>{}) ==
          Status{Error::address_out_of_range, 0, address, "address"});
    CHECK(mask.tag(address, 0).status() == Status{Error::address_out_of_range, 0, address, "address"});
    CHECK(mask.lanes(address, 1) == 0);
  }
  CHECK(mask.set(first, 16, 9) == Status{Error::synapse_out_of_range, 0, 16, "lane"});
  CHECK(mask.set(Set::where([](auto row, auto) { return row >= 4; }), 9) ==
        Status{Error::address_out_of_range, first + vectors, first + vectors, "address"});
  for (const std::uint32_t seed : Seeds(30)) { // sets that begin before the tags
    CAPTURE(seed);
    const std::uint32_t begin = seed % 2 == 0 ? 0 : seed / 2 % (2 * 37);
    const auto set = Set::where([=](auto row, auto column) { return row * 37 + column >= begin; });
    const VectorAddress wrong = Set::address({begin / 37, begin % 37});
    CHECK(mask.set(set, 9) == Status{Error::address_out_of_range, wrong, wrong, "address"});
  }
  for (VectorAddress address = first; address < first + vectors; ++address)
    CHECK(mask.lanes(address, 1) == all_lane_bits); // as before
}

} // namespace

TEST_CASE("tagged_mask: each rule sees the lanes with its tag", "[vocabulary][tagged_mask]") {
  for (const std::uint32_t seed : Seeds(5)) {
    compare<TaggedMask<vectors, first>>(seed);
    compare<CachedTaggedMask<vectors, 1, first>>(seed);
    compare<CachedTaggedMask<vectors, 3, first>>(seed);
    compare<CachedTaggedMask<vectors, 256, first>>(seed);
  }
}

TEST_CASE("tagged_mask: a rule that takes several vectors at once sees each lane once", "[vocabulary][tagged_mask]") {
  compare_grouped<1>();
  compare_grouped<2>();
  compare_grouped<4>();
}

TEST_CASE("tagged_mask: refuses what has no tag here and stays as it was", "[vocabulary][tagged_mask]") {
  refuse<TaggedMask<vectors, first>>();
  refuse<CachedTaggedMask<vectors, 3, first>>();
}

TEST_CASE("tagged_mask: known to the compiler", "[vocabulary][tagged_mask]") {
  constexpr auto made = [] {
    CachedTaggedMask<2, 2> mask(1);
    (void)mask.set(1, 3, 0);
    return mask;
  }();
  static_assert(made.lanes(0, 1) == all_lane_bits && made.lanes(1, 0) == 8 && made.tag(1, 3).value() == 0);
}
