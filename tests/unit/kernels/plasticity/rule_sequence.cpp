// SPDX-License-Identifier: BSL-1.0
// Rules with masks, alone (mask_wrapper.hpp) and in sequence.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/rule_sequence.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

struct Set {
  using Offers = offer::List<>;
  PlainVectors<> weights;
  std::uint8_t value;
  [[nodiscard]] constexpr VectorAddress vectors() const { return weights.vectors(); }
  void vector_rule(const MaskVector& mask, VectorAddress address) {
    weights.write(address, Vec<std::uint8_t>(value), mask);
  }
};

using Array = SynapseSet<1, 16>;
constexpr auto first_eight = make_mask<Array::where([](auto, auto column) { return column < 8; })>();
constexpr auto last_eight = make_mask<Array::where([](auto, auto column) { return column >= 8; })>();
constexpr auto last_nine = make_mask<Array::where([](auto, auto column) { return column >= 7; })>();
static_assert(disjoint(first_eight, last_eight) && !disjoint(first_eight, last_nine));

constinit VectorArray<2> array; // the second vector is in no mask
// Known to the compiler to be disjoint; that of first_eight and last_nine is in tests/fail.
constinit RuleSequence made_by_the_compiler(MaskWrapper(first_eight, Set{array, 1}),
                                            MaskWrapper(last_eight, Set{array, 2}));

std::array<int, 3> counts_of(const VectorArray<2>& of, int one, int two, int three) {
  const auto count = [&](int value) {
    return static_cast<int>(std::count(of.elements.begin(), of.elements.begin() + 16, value));
  };
  return {count(one), count(two), count(three)};
}

} // namespace

TEST_CASE("rule_sequence: on a shared lane the later rule wins, if that is said", "[vocabulary][rule_sequence]") {
  array = {};
  RuleSequence both(later_wins, MaskWrapper(first_eight, Set{array, 1}), MaskWrapper(last_nine, Set{array, 2}));
  CHECK(both.run().ok());
  CHECK(counts_of(array, 0, 1, 2) == std::array{0, 7, 9});
  CHECK(array.elements[6] == 1);
  CHECK(array.elements[7] == 2);
  both.get<0>().rule().value = 5;
  CHECK(both.run().ok());
  CHECK(counts_of(array, 5, 1, 2) == std::array{7, 0, 9});
}

TEST_CASE("rule_sequence: masks that share a lane are refused otherwise", "[vocabulary][rule_sequence]") {
  array = {};
  RuleSequence three(MaskWrapper(last_eight, Set{array, 3}), MaskWrapper(first_eight, Set{array, 1}),
                     MaskWrapper(last_nine, Set{array, 2}));
  CHECK(three.run() == Status{Error::masks_overlap, 2, 0, "address"});
  CHECK(counts_of(array, 0, 1, 2) == std::array{16, 0, 0}); // as before
  CHECK(made_by_the_compiler.run().ok());
  CHECK(counts_of(array, 0, 1, 2) == std::array{0, 8, 8});
}

TEST_CASE("rule_sequence: an address outside the array is refused before any rule has run",
          "[vocabulary][rule_sequence]") {
  static constexpr auto beyond = make_mask<SynapseSet<4, 16>::where([](auto row, auto) { return row != 0; })>();
  array = {};
  MaskWrapper alone(beyond, Set{array, 4});
  CHECK(alone.run() == Status{Error::address_out_of_range, 0, 3, "address"});
  RuleSequence both(MaskWrapper(first_eight, Set{array, 1}), MaskWrapper(beyond, Set{array, 2}));
  CHECK(both.run() == Status{Error::address_out_of_range, 1, 3, "address"});
  TaggedMask<3> tags;
  TaggedMaskWrapper tagged(tags, 0, Set{array, 9});
  CHECK(tagged.run() == Status{Error::address_out_of_range, 0, 2, "address"});
  Set rule{array, 7};
  CHECK(apply_vector_rule(rule, 0, 3) == Status{Error::address_out_of_range, 0, 2, "address"});
  CHECK(apply_vector_rule(rule, ~VectorAddress{0}, 2) ==
        Status{Error::address_out_of_range, 0, std::int64_t{1} << 32, "address"});
  CHECK(counts_of(array, 0, 1, 2) == std::array{16, 0, 0});
  CHECK(apply_vector_rule(rule, 0, 1).ok());
  CHECK(counts_of(array, 7, 1, 2) == std::array{16, 0, 0});
}

TEST_CASE("rule_sequence: a mask that has changed is checked at the next run", "[vocabulary][rule_sequence]") {
  VectorArray<2> two;
  Mask<2, 0> mask;
  MaskWrapper wrapper(mask, Set{two, 4});
  CHECK(wrapper.run().ok());
  mask = Mask<2, 0>::from(SynapseSet<3, 16>::where([](auto row, auto) { return row >= 1; })).value();
  CHECK(wrapper.run() == Status{Error::address_out_of_range, 0, 2, "address"});
  mask = Mask<2, 0>::from(SynapseSet<3, 16>::where([](auto row, auto) { return row == 1; })).value();
  CHECK(wrapper.run().ok());
  CHECK(two.elements[0] == 0);
  CHECK(two.elements[16] == 4);
}

TEST_CASE("rule_sequence: tags switch a synapse's rule between runs", "[vocabulary][rule_sequence]") {
  array = {};
  TaggedMask<1> tags;
  RuleSequence both(TaggedMaskWrapper(tags, 0, Set{array, 1}), TaggedMaskWrapper(tags, 7, Set{array, 2}));
  CHECK(both.run().ok());
  CHECK(counts_of(array, 0, 1, 2) == std::array{0, 16, 0});
  CHECK(tags.set(0, 5, 7).ok());
  CHECK(tags.set(0, 6, 8).ok()); // no rule is run for this tag
  array = {};
  CHECK(both.run().ok());
  CHECK(counts_of(array, 0, 1, 2) == std::array{1, 14, 1});

  // A tagged part beside a mask: disjoint when the sequence was made, not any more after a change of tags.
  CHECK(tags.set(SynapseSet<1, 16>::all(), 9).ok());
  CHECK(tags.set(0, 12, 7).ok());
  RuleSequence mixed(MaskWrapper(first_eight, Set{array, 1}), TaggedMaskWrapper(tags, 7, Set{array, 2}));
  CHECK(mixed.run().ok());
  CHECK(tags.set(0, 2, 7).ok());
  CHECK(mixed.check_overlap() == Status{Error::masks_overlap, 1, 0, "address"});
}

namespace {
constinit TaggedMask<1> tags_of_the_compiler(7);
constinit RuleSequence with_tags(MaskWrapper(first_eight, Set{array, 1}),
                                 TaggedMaskWrapper(tags_of_the_compiler, 7, Set{array, 2}));
} // namespace

TEST_CASE("rule_sequence: tags in a sequence made by the compiler are compared at its first run",
          "[vocabulary][rule_sequence]") {
  array = {};
  CHECK(with_tags.check() == Status{Error::masks_overlap, 1, 0, "address"});
  CHECK(with_tags.run() == Status{Error::masks_overlap, 1, 0, "address"});
  CHECK(counts_of(array, 0, 1, 2) == std::array{16, 0, 0}); // as before
}

namespace {
constinit TaggedMask<1> tags_apart(3);
constinit RuleSequence apart(MaskWrapper(first_eight, Set{array, 1}), TaggedMaskWrapper(tags_apart, 7, Set{array, 2}));
} // namespace

TEST_CASE("rule_sequence: what the first run has found holds for the next ones", "[vocabulary][rule_sequence]") {
  array = {};
  CHECK(apart.run().ok());
  CHECK(tags_apart.set(0, 2, 7).ok());
  CHECK(apart.check().ok());
  CHECK(apart.run().ok());
  CHECK(counts_of(array, 0, 1, 2) == std::array{8, 7, 1});
  CHECK(apart.check_overlap() == Status{Error::masks_overlap, 1, 0, "address"});
}

TEST_CASE("rule_sequence: the first later mask that shares a lane is named", "[vocabulary][rule_sequence]") {
  using Four = SynapseSet<4, 20>;
  using Any = Mask<8, 8>;
  unsigned apart_at_all = 0;
  std::array<unsigned, 4> named{};
  for (const std::uint32_t seed : Seeds(3000)) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    VectorArray<8> eight;
    std::array<Four, 4> sets;
    TaggedMask<6, 1> tags(99); // of the set before the last, as far as they go
    // Each lane goes to a set or none, and now and then to another one, too.
    for (std::uint32_t row = 0; row < 4; ++row)
      for (std::uint32_t column = 0; column < 20; ++column) {
        const auto owner = random() % 5;
        if (owner < 4) CHECK(sets[owner].insert({row, column}).ok());
        if (random() % 150 == 0) CHECK(sets[random() % 4].insert({row, column}).ok());
        if (random() % 200 == 0)
          for (std::uint32_t more = 0; more < 16; ++more) CHECK(sets[owner % 4].insert({row, more}).ok());
      }
    for (VectorAddress address : {0U, 7U}) sets[2].words[address] = 0;
    CHECK(tags.set(sets[2], 5).ok());
    const auto mask_of = [&](std::size_t at) { return Any::from(sets[at]).value(); };
    const std::array masks{mask_of(0), mask_of(1), mask_of(3)};
    std::size_t later = 0;
    LaneBits shared = 0;
    const auto common = [&](std::size_t one, VectorAddress address) {
      shared = 0;
      for (std::size_t other = 0; other < one; ++other)
        shared = static_cast<LaneBits>(shared | (sets[one].words[address] & sets[other].words[address]));
      return shared != 0;
    };
    for (std::size_t one = 1; one < 4 && later == 0; ++one)
      for (VectorAddress address = 0; address < 8; ++address)
        if (common(one, address)) later = one;
    RuleSequence four(MaskWrapper(masks[0], Set{eight, 1}), MaskWrapper(masks[1], Set{eight, 2}),
                      TaggedMaskWrapper(tags, 5, Set{eight, 3}), MaskWrapper(masks[2], Set{eight, 4}));
    const Status found = four.run();
    REQUIRE(four.check_overlap() == found);
    REQUIRE(found.ok() == (later == 0));
    ++(found.ok() ? apart_at_all : named[later]);
    if (!found) {
      REQUIRE(found.error == Error::masks_overlap);
      REQUIRE(found.where == later);
      REQUIRE(common(later, static_cast<VectorAddress>(found.value.whole())));
    }
    for (std::uint32_t row = 0; row < 4; ++row)
      for (std::uint32_t column = 0; column < 20; ++column) {
        std::uint8_t value = 0;
        for (std::size_t one = 0; found.ok() && one < 4; ++one)
          if (sets[one].contains({row, column})) value = static_cast<std::uint8_t>(one + 1);
        REQUIRE(eight.elements[16 * Four::address({row, column}) + column % 16] == value);
      }

    // Of two masks: the first that the one visits, full vectors before partial ones.
    MaskOverlap expected{false, 0};
    for (const bool full : {true, false})
      for (VectorAddress address = 0; address < 8; ++address)
        if (!expected.found && (sets[1].words[address] == all_lane_bits) == full &&
            (sets[1].words[address] & sets[0].words[address]) != 0)
          expected = {true, address};
    const MaskOverlap overlap = find_overlap(masks[1], masks[0]);
    REQUIRE(overlap.found == expected.found);
    REQUIRE(overlap.address == expected.address);
    REQUIRE(disjoint(masks[0], masks[1]) == !expected.found);
  }
  CHECK(apart_at_all > 300);
  CHECK(*std::min_element(named.begin() + 1, named.end()) > 100);
}

TEST_CASE("rule_sequence: a rule that cannot be copied trivially runs in place", "[vocabulary][rule_sequence]") {
  struct Counts {
    using Offers = offer::List<>;
    int calls = 0;
    Counts() = default;
    Counts(const Counts& other) : calls(other.calls) {}
    Counts& operator=(const Counts&) = delete;
    static VectorAddress vectors() { return 1; }
    void vector_rule(const MaskVector&, VectorAddress) { ++calls; }
  };
  MaskWrapper<Counts, decltype(first_eight)> wrapper(first_eight);
  CHECK(wrapper.run().ok());
  CHECK(wrapper.run().ok());
  CHECK(wrapper.rule().calls == 2);
}

namespace {

/// Writes all lanes of the vectors that it is called for, whatever the mask says of them.
template <bool Bounded>
struct Fill {
  using Offers = offer::List<>;
  std::uint8_t* begin;
  VectorAddress length;
  [[nodiscard]] VectorAddress vectors() const { return Bounded ? length : unbounded_vectors; }
  void vector_rule(const MaskVector&, VectorAddress address) const { std::fill_n(begin + 16 * address, 16, 9); }
};

} // namespace

TEST_CASE("rule_sequence: no vector beyond the bound of a rule is touched, whatever the mask",
          "[vocabulary][rule_sequence]") {
  using Wide = SynapseSet<12, 16>;
  unsigned refused = 0, ran = 0;
  for (const std::uint32_t seed : Seeds(4000)) {
    std::mt19937 random(seed);
    Wide set;
    const auto highest = static_cast<VectorAddress>(random() % 13); // of no vector, of all
    for (VectorAddress address = 0; address < highest; ++address)
      set.words[address] = random() % 3 == 0 ? LaneBits{0} : static_cast<LaneBits>(random() % 2 == 0 ? ~0U : random());
    const auto mask = Mask<12, 12>::from(set).value();
    const auto length = static_cast<VectorAddress>(random() % 13);
    VectorAddress needed = 0;
    for (VectorAddress address = 0; address < Wide::vectors; ++address)
      if (set.words[address] != 0) needed = address + 1;
    INFO("seed " << seed << ": mask up to " << needed << ", memory of " << length << " vectors");

    std::array<std::uint8_t, std::size_t{16} * 12> memory{};
    const auto touched = [&] {
      VectorAddress end = 0;
      for (VectorAddress address = 0; address < 12; ++address)
        if (memory[16 * address] != 0) end = address + 1;
      memory = {};
      return end;
    };
    const bool fits = needed <= length;
    ++(fits ? ran : refused);
    const auto expected = [&](std::uint32_t where) {
      return fits ? Status{} : Status{Error::address_out_of_range, where, std::int64_t{needed} - 1, "address"};
    };
    MaskWrapper alone(mask, Fill<true>{memory.data(), length});
    REQUIRE(alone.run() == expected(0));
    REQUIRE(touched() == (fits ? needed : 0));
    const Mask<0, 0> nothing;
    RuleSequence both(MaskWrapper(nothing, Fill<true>{memory.data(), 0}),
                      MaskWrapper(mask, Fill<true>{memory.data(), length}));
    REQUIRE(both.run() == expected(1));
    REQUIRE(touched() == (fits ? needed : 0));
    MaskWrapper unbounded(mask, Fill<false>{memory.data(), length});
    REQUIRE(unbounded.run().ok());
    REQUIRE(touched() == needed);

    const auto first = static_cast<VectorAddress>(random() % 12), count = static_cast<VectorAddress>(random() % 12);
    if (first + count > 12) continue;
    Fill<true> rule{memory.data(), length};
    REQUIRE(apply_vector_rule(rule, first, count).ok() == (first + count <= length));
    REQUIRE(touched() == (first + count <= length && count != 0 ? first + count : 0));
    TaggedMask<5, 3> tags;
    TaggedMaskWrapper tagged(tags, 0, Fill<true>{memory.data(), length});
    REQUIRE(tagged.run().ok() == (length >= 8));
    REQUIRE(touched() == (length >= 8 ? 8 : 0));
  }
  CHECK(refused > 1000);
  CHECK(ran > 1000);
}
