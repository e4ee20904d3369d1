// SPDX-License-Identifier: BSL-1.0
// What masks cost on small cores: cycles per vector of the constant and the STDP rule on the 64 vectors of a 32 by 32
// array, loops and calls included: without a mask, with all lanes of all vectors enabled, with about half of the lanes
// of every vector, and by tags. `generic` is target::Generic without a mask.
//
// `partial`, `partial_unaligned` and `partial_bits` are the three ways to store a mask that table 2.1 of Masking and
// Plasticity Rules compares: 16 bytes that are aligned, 16 that are not, 2 bytes of bits.
#include <array>
#include <cstdint>

#include <neuromorph/kernels/plasticity/mask.hpp>
#include <neuromorph/kernels/plasticity/rules/constant.hpp>
#include <neuromorph/kernels/plasticity/rules/stdp.hpp>
#include <neuromorph/kernels/plasticity/tagged_mask.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

constexpr VectorAddress vectors = 64;
using Set = SynapseSet<vectors, 16>;

constexpr Set half = [] {
  Sfc32 random;
  Set set;
  for (auto& lanes : set.words) lanes = static_cast<LaneBits>((random.next() & 0xFFFE) | 2);
  return set;
}();
constexpr auto full_mask = make_mask<Set::all()>();
constexpr auto partial_mask = make_mask<half>();
constexpr auto partial_bits = make_mask<half, MaskBits>();
TaggedMask<vectors> tags;
CachedTaggedMask<vectors, 2> cached;

/// What the library does not offer: masks as bytes that the compiler must take for unaligned.
struct UnalignedBytes {
  char before;
  std::uint8_t bytes[16 * vectors];
};
alignas(16) UnalignedBytes unaligned;
struct UnalignedLanes {
  template <std::size_t>
  [[gnu::always_inline]] auto operator()(std::size_t at) const {
    target::Native::Vectors<1>::Flags<std::uint8_t> lanes;
    __builtin_memcpy(&lanes, unaligned.bytes + 16 * at, 16);
    return MaskVector(lanes);
  }
};
template <class Rule>
[[gnu::noinline, gnu::flatten]] void run_unaligned(Rule& rule, VectorAddress count) {
  neuromorph::detail::Working working(rule);
  neuromorph::detail::apply_in_row(working.rule(), 0, count, UnalignedLanes{});
}

struct World {
  VectorArray<vectors> weights, causal, acausal;
};
World initial, world, every_lane;

/// Whether lanes of the set are those of `every_lane`, and the others as they were.
bool is_right(const Set& set) {
  bool right = true;
  for (std::size_t at = 0; at < 16 * vectors; ++at) {
    const World& as = (set.words[at / 16] >> at % 16 & 1) != 0 ? every_lane : initial;
    right = right && world.weights.elements[at] == as.weights.elements[at] &&
            world.causal.elements[at] == as.causal.elements[at] &&
            world.acausal.elements[at] == as.acausal.elements[at];
  }
  world = initial;
  return right;
}

template <class Target = target::Native>
auto constant(World& of) {
  return ConstantRule{PlainVectors<std::uint8_t, Target>(of.weights), 17};
}
template <class Target = target::Native>
auto stdp(World& of) {
  using Memory = PlainVectors<std::uint8_t, Target>;
  return StdpRule{Memory(of.weights), Memory(of.causal), Memory(of.acausal), 40};
}

} // namespace

#define MEASURE_RULE(key, make)                                                                                        \
  do {                                                                                                                 \
    every_lane = world = initial;                                                                                      \
    auto generic = make<target::Generic>(every_lane);                                                                  \
    auto rule = make(world);                                                                                           \
    MEASURE("mask." key ".unmasked.generic", 64,                                                                       \
            right = apply_vector_rule(*fresh(&generic), 0, fresh(vectors)).ok() && right);                             \
    MEASURE("mask." key ".unmasked", 64, right = apply_vector_rule(*fresh(&rule), 0, fresh(vectors)).ok() && right);   \
    right = is_right(Set::all()) && right;                                                                             \
    MEASURE("mask." key ".full", 64, full_mask.apply_vector_rule(*fresh(&rule)));                                      \
    right = is_right(Set::all()) && right;                                                                             \
    MEASURE("mask." key ".partial", 64, partial_mask.apply_vector_rule(*fresh(&rule)));                                \
    right = is_right(half) && right;                                                                                   \
    MEASURE("mask." key ".partial_bits", 64, partial_bits.apply_vector_rule(*fresh(&rule)));                           \
    right = is_right(half) && right;                                                                                   \
    MEASURE("mask." key ".partial_unaligned", 64, run_unaligned(*fresh(&rule), fresh(vectors)));                       \
    right = is_right(half) && right;                                                                                   \
    MEASURE("mask." key ".tagged", 64, tags.apply_vector_rule(*fresh(&rule), 1));                                      \
    right = is_right(half) && right;                                                                                   \
    MEASURE("mask." key ".tagged_cached", 64, cached.apply_vector_rule(*fresh(&rule), 1));                             \
    right = is_right(half) && right;                                                                                   \
  } while (false)

bool run() {
  Sfc32 random(StreamId{1});
  for (auto* of : {&initial.weights, &initial.causal, &initial.acausal})
    for (auto& element : of->elements) element = static_cast<std::uint8_t>(random.next() % 64);
  bool right = tags.set(half, 1).ok() && cached.set(half, 1).ok();
  for (std::size_t at = 0; at < 16 * vectors; ++at)
    unaligned.bytes[at] = (half.words[at / 16] >> at % 16 & 1) != 0 ? 0xFF : 0;
  MEASURE_RULE("constant", constant);
  MEASURE_RULE("stdp", stdp);
  return right;
}
