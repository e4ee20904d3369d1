// SPDX-License-Identifier: BSL-1.0
// What masks cost: time per vector of the constant and the STDP rule on all vectors of an array. It is taken without a
// mask, with all lanes enabled, with about half of the lanes of every vector, and by tags.
//
// 512 vectors, the array of HICANN-X. The three memories of the STDP rule and the tags, or the bytes of a mask, are
// then 32 KB: all of the first-level cache of many processors, and what does not fit any more is up to the addresses
// that a process gets. `/384`: 384 vectors, 24 KB. `/64`: the 64 vectors of the paper's chip, where what is done
// once per run counts for more.
#include <cstdint>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>
#include <neuromorph/neuromorph.hpp>
#if defined(__SSE4_1__)
#include <neuromorph/target/x86/sse41.hpp>
#endif
#if defined(__AVX2__)
#include <neuromorph/target/x86/avx2.hpp>
#endif

#include "support.hpp"

namespace bench {
namespace {

namespace nm = neuromorph;

/// The memories that the rules work on.
template <std::size_t Vectors>
struct World {
  nm::VectorArray<Vectors> weights, causal, acausal;
  World() {
    nm::Sfc32 random(nm::StreamId{1});
    for (auto* of : {&weights, &causal, &acausal})
      for (auto& element : of->elements) element = static_cast<std::uint8_t>(random.next() % 64);
  }
};

struct Constant {
  template <class Target, std::size_t Vectors>
  static auto on(World<Vectors>& world) {
    return nm::ConstantRule{nm::PlainVectors<std::uint8_t, Target>(world.weights), 17};
  }
};
struct Stdp {
  template <class Target, std::size_t Vectors>
  static auto on(World<Vectors>& world) {
    using Memory = nm::PlainVectors<std::uint8_t, Target>;
    return nm::StdpRule{Memory(world.weights), Memory(world.causal), Memory(world.acausal), 40};
  }
};

template <std::size_t Vectors>
using Set = nm::SynapseSet<Vectors, 16>;
template <std::size_t Vectors>
Set<Vectors> about_half() {
  nm::Sfc32 random(nm::StreamId{2});
  Set<Vectors> set;
  for (auto& lanes : set.words) lanes = static_cast<nm::LaneBits>((random.next() & 0xFFFE) | 2);
  return set;
}

// Ways to run a rule.

template <std::size_t Vectors>
struct Unmasked {
  template <class Rule>
  nm::Status run(Rule& rule) const {
    return nm::apply_vector_rule(rule, 0, Vectors);
  }
  static Set<Vectors> set() { return Set<Vectors>::all(); }
};
template <std::size_t Vectors>
struct Full {
  alignas(64) nm::Mask<Vectors, 0, nm::AddressFor<Vectors>> mask = decltype(mask)::from(set()).value();
  template <class Rule>
  nm::Status run(Rule& rule) const {
    mask.apply_vector_rule(rule);
    return {};
  }
  static Set<Vectors> set() { return Set<Vectors>::all(); }
};
template <std::size_t Vectors>
struct Partial {
  alignas(64) nm::Mask<0, Vectors, nm::AddressFor<Vectors>> mask = decltype(mask)::from(set()).value();
  template <class Rule>
  nm::Status run(Rule& rule) const {
    mask.apply_vector_rule(rule);
    return {};
  }
  static Set<Vectors> set() { return about_half<Vectors>(); }
};
template <std::size_t Vectors, class Mask>
struct ByTag {
  alignas(64) Mask mask{7};
  ByTag() { expect(mask.set(set(), 1).ok(), "tags are not set"); }
  template <class Rule>
  nm::Status run(Rule& rule) const {
    mask.apply_vector_rule(rule, 1);
    return {};
  }
  static Set<Vectors> set() { return about_half<Vectors>(); }
};
template <std::size_t Vectors>
using Tagged = ByTag<Vectors, nm::TaggedMask<Vectors>>;
template <std::size_t Vectors>
using TaggedCached = ByTag<Vectors, nm::CachedTaggedMask<Vectors, 2>>;

template <class Way, class Rule>
[[gnu::noinline]] void run_once(const Way& way, Rule& rule) {
  expect(way.run(rule).ok(), "a mask does not fit its array");
}

template <class Kind, class Target, template <std::size_t> class Way, std::size_t Vectors>
void time_rule(benchmark::State& state) {
  alignas(64) static World<Vectors> world;
  static const Way<Vectors> way;
  auto rule = Kind::template on<Target>(world);
  constexpr int runs = 256;
  for (auto _ : state) {
    const double start = thread_seconds();
    for (int run = 0; run < runs; ++run) {
      run_once(way, rule);
      benchmark::ClobberMemory();
    }
    state.SetIterationTime(thread_seconds() - start);
  }
  state.SetItemsProcessed(state.iterations() * runs * static_cast<int>(Vectors));
}

template <class Kind, class Target, template <std::size_t> class Way, std::size_t Vectors>
void add_benchmark(const std::string& name) {
  // once, against the lanes of target::Generic one vector at a time, and what is outside against what it was
  const auto before = std::make_unique<World<Vectors>>(), mine = std::make_unique<World<Vectors>>(),
             right = std::make_unique<World<Vectors>>();
  const auto way = std::make_unique<Way<Vectors>>();
  auto rule = Kind::template on<Target>(*mine);
  run_once(*way, rule);
  auto reference = Kind::template on<nm::target::Generic>(*right);
  for (nm::VectorAddress address = 0; address < Vectors; ++address)
    reference.vector_rule(nm::LaneFlags<std::uint8_t, nm::target::Generic>(true), address);
  const auto set = Way<Vectors>::set();
  bool same = true;
  for (std::size_t at = 0; at < 16 * Vectors; ++at) {
    const World<Vectors>& as = (set.words[at / 16] >> at % 16 & 1) != 0 ? *right : *before;
    same = same && mine->weights.elements[at] == as.weights.elements[at] &&
           mine->causal.elements[at] == as.causal.elements[at] && mine->acausal.elements[at] == as.acausal.elements[at];
  }
  expect(same, ("wrong weights or counters: " + name).c_str());
  benchmark::RegisterBenchmark(name.c_str(), time_rule<Kind, Target, Way, Vectors>)
      ->UseManualTime()
      ->MinTime(0.03); // of which there are many
}

template <class Kind, class Target>
void add_backend(const std::string& name) {
  add_benchmark<Kind, Target, Unmasked, 512>(name + "/unmasked");
  add_benchmark<Kind, Target, Full, 512>(name + "/full");
  add_benchmark<Kind, Target, Partial, 512>(name + "/partial");
  add_benchmark<Kind, Target, Tagged, 512>(name + "/tagged");
  add_benchmark<Kind, Target, TaggedCached, 512>(name + "/tagged_cached");
}
template <class Kind, class Target>
void add_small(const std::string& name) {
  add_benchmark<Kind, Target, Unmasked, 64>(name + "/unmasked/64");
  add_benchmark<Kind, Target, Full, 64>(name + "/full/64");
  add_benchmark<Kind, Target, Partial, 64>(name + "/partial/64");
}
template <class Target>
void add_fitting(const std::string& name) {
  add_benchmark<Stdp, Target, Unmasked, 384>(name + "/unmasked/384");
  add_benchmark<Stdp, Target, Partial, 384>(name + "/partial/384");
  add_benchmark<Stdp, Target, Tagged, 384>(name + "/tagged/384");
}
template <class Target>
void add_rules(const std::string& backend) {
  add_backend<Constant, Target>("mask/constant/" + backend);
  add_backend<Stdp, Target>("mask/stdp/" + backend);
}

} // namespace

void register_mask() {
  add_rules<nm::target::Generic>("generic");
  add_fitting<nm::target::Generic>("mask/stdp/generic");
#if defined(__SSE4_1__)
  add_rules<nm::target::Sse41>("sse41");
#endif
#if defined(__AVX2__)
  add_rules<nm::target::Avx2>("avx2");
  add_small<Constant, nm::target::Avx2>("mask/constant/avx2");
  add_small<Stdp, nm::target::Avx2>("mask/stdp/avx2");
  add_fitting<nm::target::Avx2>("mask/stdp/avx2");
#endif
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
  add_rules<nm::target::Avx512>("avx512");
#endif
}

} // namespace bench
