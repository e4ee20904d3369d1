// SPDX-License-Identifier: BSL-1.0
// Variable buffers that a device compacts while records and windows go on.
#include <tuple>

#include "tests/support/baker_collectors.hpp"

using Collectors = std::tuple<battery::BakerByDma, battery::BakerBackByDma>;

#include "tests/support/compaction_round.hpp"
#include "tests/support/trace_tests.hpp"

TEMPLATE_TEST_CASE("baker: free memory is one block after a round, whoever copies", "[gc][baker]", battery::Baker,
                   battery::BakerByDma, battery::BakerBackByDma) {
  CHECK(CompactionRound<TestType>::undisturbed() == "");
  CHECK(CompactionRound<TestType, 22>::undisturbed() == "");
}

TEMPLATE_TEST_CASE("baker: records may interrupt a round at every place", "[gc][baker]", battery::Baker,
                   battery::BakerByDma, battery::BakerBackByDma) {
  CompactionRound<TestType> one;
  CHECK(one.run(false) == "");
  CHECK(one.overlapped > 100);
  CompactionRound<TestType> two;
  CHECK(two.run(!sanitized) == "");
  CHECK(two.overlapped > (sanitized ? 100 : 1000));
  CompactionRound<TestType, 22> roomy;
  CHECK(roomy.run(!sanitized) == "");
  CHECK(roomy.overlapped > (sanitized ? 100 : 1000));
}

TEMPLATE_TEST_CASE("baker: reads are counted on the way, too", "[gc][baker]", battery::Baker, battery::BakerByDma,
                   battery::BakerBackByDma) {
  using namespace neuromorph::gc;
  for (const std::uint32_t seed : Seeds(streams_of(20))) {
    CHECK(random_steps<Pair<TestType, std::uint8_t, 5, 30, ReadCount<2>>>(seed, 2000, 0) == "");
    CHECK(random_steps<Pair<TestType, ThreeBytes, 5, 30, BothDead<AgeWindow<20>, ReadCount<2>>>>(seed, 2000, 0) == "");
  }
}

namespace {
/// Says at once that it is ready, as the wait of the known implementation.
struct Impatient : battery::MovableDma {
  bool is_complete(neuromorph::target::Transfer) const { return true; }
};
struct BakerThatDoesNotWait : battery::Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Baker<Events, 2, 2, 3, 2, neuromorph::target::CopyBlock<>, Impatient>;
};
} // namespace

TEST_CASE("baker: a transfer that is not waited for is noticed", "[gc][baker]") {
  CHECK(CompactionRound<BakerThatDoesNotWait>::undisturbed() != "");
}
