// SPDX-License-Identifier: BSL-1.0
// Every policy, backend and part of the library is what its concept asks for. It stands here, and not below each, because
// a header's users would pay for it.
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiled_traces.hpp>
#include <neuromorph/firmware/profiler.hpp>
#include <neuromorph/neuromorph.hpp>

#include "tests/support/catch.hpp"

namespace {
using namespace neuromorph;
using namespace neuromorph::gc;
using namespace neuromorph::layout;
using namespace neuromorph::overflow;
using namespace neuromorph::rounding;
using namespace neuromorph::target;

// firmware
using Tags = firmware::ProfileTags<"record", "scan", "compaction">;
firmware::Mailbox<firmware::Channel<"prof", 64>> mailbox;
constexpr firmware::StreamedProfiler streamed(Tags{}, VirtualClock<>{}, mailbox.writer<"prof">());
constinit firmware::SummarisedProfiler summarised(Tags{}, VirtualClock<>{}, mailbox.writer<"prof">());
constexpr firmware::NoProfiler off(Tags{});
static_assert(firmware::Profiler<decltype(streamed)> && firmware::Profiler<decltype(summarised)> &&
              firmware::Profiler<decltype(off)>);
template <auto& profiler>
using Profiled = firmware::ProfiledTraces<profiler, "record", "scan", "compaction">;
static_assert(TraceHook<Profiled<streamed>> && TraceHook<Profiled<summarised>> && TraceHook<Profiled<off>>);

// gc
static_assert(TraceHook<NoHook>);
static_assert(LivenessPolicy<AgeWindow<>>);
static_assert(LivenessPolicy<ReadCount<100>>);
static_assert(LivenessPolicy<EitherDead<AgeWindow<>, ReadCount<100>>>);
static_assert(LivenessPolicy<BothDead<AgeWindow<>, ReadCount<100>>>);
static_assert(HasWindow<EitherDead<AgeWindow<>, ReadCount<100>>> && !HasWindow<BothDead<AgeWindow<>, ReadCount<100>>>);

// kernels/plasticity/rules
static_assert(
    VectorRule<AdditiveRule<PlainVectors<std::uint8_t, target::Generic>, SameVectors<std::int8_t, target::Generic>>>);
static_assert(VectorRule<ConstantRule<PlainVectors<std::uint8_t, target::Generic>>>);
static_assert(VectorRule<MultiplicativeRule<PlainVectors<std::uint8_t, target::Generic>,
                                            SameVectors<std::int8_t, target::Generic>>>);
static_assert(VectorRule<StdpRule<PlainVectors<std::uint8_t, target::Generic>>>);
static_assert(VectorRule<StdpSamplingRule<PlainVectors<std::uint8_t, target::Generic>>>);
static_assert(HoldsWeights<WeightRange> && HoldsWeights<CountedWeightRange>);

// kernels/random
static_assert(DiscreteDistribution<Poisson>);
static_assert(DiscreteDistribution<PositivePoisson>);
static_assert(DiscreteDistribution<Binomial>);
static_assert(DiscreteDistribution<Hypergeometric>);
static_assert(DiscreteDistribution<Weights<1>>);
static_assert(SeedableSource<Jkiss64>);
static_assert(SeedableSource<Kiss32>);
static_assert(SeedableSource<Philox>);
static_assert(SeedableSource<Sfc32>);

// kernels/synapses
static_assert(RowletLayout<Single> && RowletLayout<Saturating> && RowletLayout<Pairs> && RowletLayout<Uniform> &&
              RowletLayout<Dense>);
static_assert(RowFormat<SynapticWord<8, 1, 4>>);
static_assert(RowFormat<SaturatingWord<8, 1, 4>>);

// vocabulary
static_assert(SaturationCounter<Counter>);
static_assert(ResolvesAlone<Wrap> && !ResolvesWithCounter<Wrap>);
static_assert(ResolvesAlone<Saturate> && !ResolvesWithCounter<Saturate>);
static_assert(ResolvesWithCounter<SaturateAndCount> && !ResolvesAlone<SaturateAndCount>);
static_assert(BitSource<Dither>);
static_assert(RoundsAlone<Down> && !RoundsWithSource<Down>);
static_assert(RoundsAlone<Nearest> && !RoundsWithSource<Nearest>);
static_assert(RoundsAlone<NearestAway> && !RoundsWithSource<NearestAway>);
static_assert(RoundsWithSource<Stochastic> && !RoundsAlone<Stochastic>);
static_assert(RoundsWithSource<Dithered> && !RoundsAlone<Dithered>);
static_assert(VectorMemory<PlainVectors<std::uint8_t, target::Generic>>);
static_assert(VectorSource<SameVectors<std::int8_t, target::Generic>>);

// sched
static_assert(VirtualTime<VirtualClock<>> && VirtualTime<LongClock<VirtualClock<>>>);
static_assert(VirtualTime<ShiftedClock<VirtualClock<std::uint64_t>, std::uint32_t, 8>>);
static_assert(WakingSource<InterruptMailbox<VirtualClock<>>, std::uint32_t> &&
              WakingSource<Sporadic<VirtualClock<>>, std::uint32_t>);
static_assert(WakingSignaller<MailboxSignaller, std::uint32_t> && Signaller<TimerSignaller<>, std::uint32_t>);
static_assert(WakingSource<Timer<>, std::uint32_t> && WakingSource<OneshotTimer<>, std::uint32_t>);

// target/device
static_assert(CopyEngine<CopyBytes>);
static_assert(CopyEngine<CopyWords>);
static_assert(CopyEngine<CopyBlock<>>);
static_assert(CopyEngine<SimulatedDma<>>);

// target
static_assert(Backend<Generic>);
static_assert(VectorBackend<Generic>);
static_assert(SaysItsLoops<Generic> && SaysItsOperations<Generic>);
struct Misspelt : Generic {
  using Offers = offer::List<offer::FillSfc32>;
  static void fill_sfc23() {}
};
struct Unlisted : Generic {
  static void fill_sfc32() {}
};
struct Listed : Generic {
  using Offers = offer::List<Generic::Offers, offer::FillSfc32>;
  static void fill_sfc32() {}
};
static_assert(!SaysItsLoops<Misspelt> && !SaysItsLoops<Unlisted> && SaysItsLoops<Listed>);
struct MisspeltVectors : Generic {
  template <std::size_t Count>
  struct Vectors : Generic::Vectors<Count> {
    using Offers = offer::List<offer::Clamp>;
    static void calmp() {}
  };
};
static_assert(!SaysItsOperations<MisspeltVectors>);

} // namespace

TEST_CASE("roles: every part is what its concept asks for", "[roles]") { SUCCEED("or this file does not compile"); }
