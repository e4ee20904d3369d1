// SPDX-License-Identifier: BSL-1.0
// Masks and rules on the backend of this machine: lanes outside a mask never change, whatever a rule writes; every rule
// leaves what it leaves with target::Generic; and the digest of it all is the same on every machine. A change of the
// number below is a change of results and belongs into CHANGELOG.md.
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

#include <neuromorph/neuromorph.hpp>

#include "tests/support/expected_digest.hpp"

using namespace neuromorph;
using target::Generic;
using target::Native;

namespace {

using Array = SynapseSet<20, 40>; // three vectors a row, the last one ends at lane 7
constexpr VectorAddress vectors = Array::vectors;
using Memory = VectorArray<vectors + 2>; // a vector before and one after those that a rule may reach
using Elements = std::array<std::uint8_t, 16 * vectors>;

unsigned failures = 0;
void expect(bool right, const char* what, unsigned where) {
  if (right) return;
  if (++failures <= 20) std::printf("wrong: %s, %u\n", what, where);
}

Sfc32 source(StreamId{4, 0, 1});

std::uint8_t byte() { return static_cast<std::uint8_t>(source.next() >> 11); }

/// The vectors of a memory but the first and the last.
PlainVectors<> inside(Memory& memory) {
  return PlainVectors<>::over(std::span{memory.elements}.subspan(16, 16 * vectors)).value();
}

/// Writes whatever a source gives to all lanes that the mask lets through, and reads lanes that it does not.
template <std::size_t AtOnce>
struct Garbage {
  using Offers = offer::List<offer::VectorsAtOnce>;
  static constexpr std::size_t vectors_at_once = AtOnce;
  PlainVectors<> memory;
  Sfc32 random;
  [[nodiscard]] VectorAddress vectors() const { return memory.vectors(); }
  template <class Lanes>
  void vector_rule(const Lanes& lanes, VectorAddress address) {
    const auto drawn = LaneVector<Lanes>::random(random);
    write(memory, address, drawn ^ read(memory, address, lanes), lanes);
    write(memory, address, LaneVector<Lanes>(0xFF) - drawn, lanes);
  }
};

/// Full vectors, empty ones, and some lanes.
Array random_set() {
  Array set;
  std::uint32_t kind = 0;
  for (auto& lanes : set.words) {
    if (source.next() % 3 == 0) kind = source.next() % 3; // stretches of one kind
    lanes = kind == 0 ? all_lane_bits : kind == 1 ? LaneBits{0} : static_cast<LaneBits>(source.next());
  }
  return set & Array::all();
}

void only_inside(const Memory& before, const Memory& after, const Array& set, const char* what) {
  unsigned changed = 0;
  for (unsigned at = 0; at < after.elements.size(); ++at) {
    const bool differs = before.elements[at] != after.elements[at];
    const bool enabled = at >= 16 && at < 16 * (vectors + 1) && (set.words[at / 16 - 1] >> at % 16 & 1) != 0;
    expect(enabled || !differs, what, at);
    changed += differs ? 1 : 0;
  }
  expect(2 * changed >= set.count(), "a rule that writes garbage changed hardly anything", changed);
}

Memory before, after;
Mask<vectors, vectors> mask;
Mask<vectors, vectors, std::uint8_t, MaskBits> mask_bits;
TaggedMask<vectors> tags;
CachedTaggedMask<vectors, 4> kept;

template <class Wrapper>
void run_garbage(Wrapper wrapper, const Array& set, Digest& digest, const char* what) {
  after = before;
  expect(wrapper.run().ok(), what, 0);
  only_inside(before, after, set, what);
  digest.add(std::span<const std::uint8_t>{after.elements});
}

/// \tparam AtOnce  vectors that the rule takes at once; what it draws for a vector depends on it
template <std::size_t AtOnce>
void garbage(Digest& digest) {
  for (unsigned turn = 0; turn < 12; ++turn) {
    const Array set = random_set();
    for (auto& element : before.elements) element = byte();
    mask = Mask<vectors, vectors>::from(set).value();
    mask_bits = Mask<vectors, vectors, std::uint8_t, MaskBits>::from(set).value();
    tags = TaggedMask<vectors>(byte() | 1), kept = CachedTaggedMask<vectors, 4>(byte() | 1);
    expect(tags.set(set, 128).ok() && kept.set(set, 2).ok(), "tags are set", turn);
    const Garbage<AtOnce> rule{inside(after), Sfc32(StreamId{turn})};
    run_garbage(MaskWrapper(mask, rule), set, digest, "mask");
    run_garbage(MaskWrapper(mask_bits, rule), set, digest, "mask as bits");
    run_garbage(TaggedMaskWrapper(tags, 128, rule), set, digest, "tags");
    run_garbage(TaggedMaskWrapper(kept, 2, rule), set, digest, "kept tags");
  }
}

/// Flags from bits, and back.
template <std::size_t Count>
void flags_of_bits() {
  using Flags = LaneFlags<std::uint8_t, Native, Count>;
  for (unsigned turn = 0; turn < 0x10000; ++turn) {
    std::uint64_t bits = turn;
    for (unsigned vector = 1; vector < Count; ++vector) bits |= std::uint64_t{source.next() & 0xFFFF} << 16 * vector;
    const auto flags = Flags::from_bits(bits);
    expect(flags.bits() == bits, "LaneFlags::from_bits", turn);
    if (turn % 256 == 0) {
      const auto lanes = flags.to_lanes().array();
      for (unsigned lane = 0; lane < Flags::lanes; ++lane)
        expect(lanes[lane] == ((bits >> lane & 1) != 0 ? 0xFF : 0), "lanes of LaneFlags::from_bits", lane);
    }
  }
}

/// A lane is enabled when its mask byte is not 0: each of the 255 others.
void mask_bytes() {
  for (unsigned value = 0; value < 256; ++value) {
    std::array<std::uint8_t, 20 * 40> bytes{};
    for (std::size_t at = 0; at < bytes.size(); at += 1 + at % 3) bytes[at] = static_cast<std::uint8_t>(value);
    const auto set = Array::from_bytes(bytes).value();
    mask = Mask<vectors, vectors>::from(set).value();
    static Memory memory;
    memory = {};
    MaskWrapper wrapper(mask, ConstantRule{inside(memory), 9});
    expect(wrapper.run().ok(), "constant rule", value);
    for (std::uint32_t row = 0; row < 20; ++row)
      for (std::uint32_t column = 0; column < 40; ++column)
        expect(memory.elements[16 + 16 * Array::address({row, column}) + column % 16] ==
                   (bytes[row * 40 + column] != 0 ? 9 : 0),
               "a lane is enabled when its mask byte is not 0", value);
    alignas(16) std::array<std::uint8_t, 16> lanes{};
    for (unsigned lane = 0; lane < 16; lane += 3) lanes[lane] = static_cast<std::uint8_t>(value);
    const auto flags = MaskVector::nonzero(Vec<std::uint8_t>::load(lanes.data()));
    expect(flags.bits() == (value != 0 ? 0x9249U : 0U), "LaneFlags::nonzero", value);
  }
}

/// What the rules change, once for the native backend and once for Generic.
struct World {
  VectorArray<vectors> weights, causal, acausal, rest;
  VectorArray<vectors, std::int8_t> drive;
  VectorArray<3> rates;
};
World native, generic;

/// Every product of a factor and a difference that a rule may have, or of a few factors and all of them, in lanes
/// beside others: as one number is rounded.
template <unsigned Shift, class Rounding>
void scaled_difference_is(Rounding rounder, int offset, bool away, int factor) {
  using Bytes = Vec<std::uint8_t>;
  alignas(16) Bytes::Array x{}, y{};
  for (unsigned at = 0; at < (Shift == 8 ? 65536U : 256U); at += 16) {
    for (unsigned lane = 0; lane < 16; ++lane) {
      const unsigned pair = at + lane;
      x[lane] = static_cast<std::uint8_t>(Shift == 8 ? pair * 37 : pair);
      y[lane] = static_cast<std::uint8_t>(Shift == 8 ? pair >> 8 : 128);
    }
    const auto found = scaled_difference<Shift>(Bytes::load(x.data()), Bytes::load(y.data()),
                                                static_cast<std::int8_t>(factor), rounder);
    const auto lanes = found.array();
    for (unsigned lane = 0; lane < 16; ++lane) {
      const int product = (factor == -128 ? -127 : factor) * (x[lane] - y[lane]);
      expect(lanes[lane] == (product + offset - (away && product < 0 ? 1 : 0)) >> Shift, "scaled difference",
             at + lane);
    }
  }
}
/// Draws the same word for ever.
struct Same {
  using Offers = offer::List<>;
  std::uint32_t word;
  std::uint32_t next() const { return word; }
};
template <unsigned Shift>
void scaled_differences(int factor) {
  constexpr int half = 1 << (Shift - 1);
  scaled_difference_is<Shift>(rounding::NearestAway{}, half, true, factor);
  scaled_difference_is<Shift>(rounding::Nearest{}, half, false, factor);
  scaled_difference_is<Shift>(rounding::Down{}, 0, false, factor);
  scaled_difference_is<Shift>(Same{0xFFFFFFFF}, 2 * half - 1, false, factor);
  scaled_difference_is<Shift>(Same{0xA5A5A5A5}, 0xA5 & (2 * half - 1), false, factor);
}
void scaled_differences() {
  for (int factor = -128; factor < 128; ++factor) scaled_differences<7>(factor);
  for (const int factor : {-128, -127, -64, -1, 0, 1, 3, 85, 127}) scaled_differences<8>(factor);
}

template <class Target, class Wrapped>
void run_rules(World& world, Wrapped wrapped) {
  using Bytes = PlainVectors<std::uint8_t, Target>;
  const Bytes weights(world.weights), causal(world.causal), acausal(world.acausal), rates(world.rates);
  const PlainVectors<std::int8_t, Target> drive(world.drive);
  const CountedWeightRange counted(3, 200);
  wrapped(AdditiveRule{weights, drive, 100});
  wrapped(AdditiveRule{weights, drive, -128, counted, rounding::Nearest{}});
  wrapped(AdditiveRule{weights, drive, 77, counted, Sfc32(StreamId{10})});
  wrapped(MultiplicativeRule{weights, drive, counted});
  wrapped(StdpRule{weights, causal, acausal, -77});
  world.causal.elements = world.rest.elements;
  wrapped(StdpSamplingRule{weights, causal, acausal, 30, 5, -9, counted});
  world.acausal.elements = world.rest.elements;
  wrapped(StdpRule{weights, causal, acausal, 127, counted, rounding::Down{}});
  world.causal.elements = world.rest.elements;
  wrapped(StdpRule{weights, causal, acausal, -128, counted, Sfc32(StreamId{11})});
  wrapped(HomeostasisRule<3, Bytes, Bytes>{weights, rates, 99, 50});
  wrapped(HomeostasisRule<3, Bytes, Bytes, CountedWeightRange, Sfc32>{weights, rates, 255, 127, counted,
                                                                      Sfc32(StreamId{12})});
  wrapped(RandomWalkRule{weights, Sfc32(StreamId{9}), 55, counted});
  wrapped(AdditiveRule{weights, SameVectors<std::int8_t, Target>(5)});
}

/// What a rule holds beside its memories: what it has counted, and where its source is.
template <class Rule>
void add_state(const Rule& rule, Digest& digest) {
  if constexpr (requires { rule.range.saturations; }) digest.add(rule.range.saturations.count);
  if constexpr (requires { Sfc32{rule.rounder}; }) digest.add(Sfc32{rule.rounder}.next());
  if constexpr (requires { rule.source; }) digest.add(Sfc32{rule.source}.next());
}

void rules(Digest& digest) {
  for (unsigned turn = 0; turn < 12; ++turn) {
    for (auto* of : {&native.weights, &native.causal, &native.acausal, &native.rest})
      for (auto& element : of->elements) element = byte();
    for (auto& element : native.drive.elements) element = static_cast<std::int8_t>(byte());
    for (auto& element : native.rates.elements) element = byte();
    generic = native;
    mask = Mask<vectors, vectors>::from(random_set()).value();
    tags = TaggedMask<vectors>(0);
    expect(tags.set(random_set(), 255).ok(), "tags are set", turn);
    const auto masked = [](Digest& state) {
      return [&state](auto rule) {
        MaskWrapper by_mask(mask, rule);
        TaggedMaskWrapper by_tag(tags, 255, rule);
        if (!by_mask.run() || !by_tag.run()) ++failures;
        add_state(by_mask.rule(), state);
        add_state(by_tag.rule(), state);
      };
    };
    Digest state, state_of_generic;
    run_rules<Native>(native, masked(state));
    run_rules<Generic>(generic, masked(state_of_generic));
    expect(state.value() == state_of_generic.value(), "counters or sources differ from Generic", turn);
    digest.add(static_cast<std::uint32_t>(state.value()));
    expect(native.weights.elements == generic.weights.elements, "weights differ from Generic", turn);
    expect(native.causal.elements == generic.causal.elements, "causal counters differ from Generic", turn);
    expect(native.acausal.elements == generic.acausal.elements, "acausal counters differ from Generic", turn);
    digest.add(std::span<const std::uint8_t>{native.weights.elements});
    digest.add(std::span<const std::uint8_t>{native.causal.elements});
    digest.add(std::span<const std::uint8_t>{native.acausal.elements});
  }
}

} // namespace

int main() {
  Digest digest;
  garbage<1>(digest);
  garbage<2>(digest);
  Digest of_this_machine;
  garbage<vectors_at_once<PlainVectors<>>>(of_this_machine);
  mask_bytes();
  flags_of_bits<1>();
  flags_of_bits<2>();
  flags_of_bits<4>();
  scaled_differences();
  rules(digest);
  std::printf("%u failures, ", failures);
  return is_expected(digest, 0xa880b4f86c75d219) && failures == 0 ? 0 : 1;
}
