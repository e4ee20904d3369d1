// SPDX-License-Identifier: BSL-1.0
// What every collector of trace stores must pass, beside the model that never frees. To be included by a test that has
// named its cases:
//
//     using Collectors = std::tuple<battery::Fifo, battery::FifoGivesWay>;
#ifndef TESTS_SUPPORT_TRACE_TESTS_HPP
#define TESTS_SUPPORT_TRACE_TESTS_HPP

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/trace_battery.hpp"

namespace {

using namespace battery;

/// For what does not depend on who gives way when memory is full.
using First = std::tuple<std::tuple_element_t<0, Collectors>>;
/// With sanitizers sequences of steps are two steps shorter, those with interrupts one; one collector of those that differ
/// in a policy is enough, and a quarter of the random streams. Which memory a step touches shows in the shorter ones; what
/// a longer one finds is found without sanitizers.
using Checked = std::conditional_t<sanitized, First, Collectors>;
constexpr unsigned fewer = sanitized ? 2 : mutated ? 1 : 0; ///< steps of all sequences
constexpr bool few = sanitized || mutated;                  ///< steps with an interrupt
constexpr unsigned streams_of(unsigned seeds) { return sanitized ? (seeds + 3) / 4 : seeds; }

struct ThreeBytes {
  unsigned char bytes[3];
};
/// The largest; it has no default constructor.
struct SixteenBytes {
  explicit SixteenBytes(std::uint64_t of) : low(of), high(~of) {}
  std::uint64_t low, high;
  friend bool operator==(const SixteenBytes&, const SixteenBytes&) = default;
};

template <class PairType>
void random_streams(unsigned seeds, unsigned steps) {
  for (const std::uint32_t seed : Seeds(streams_of(seeds)))
    for (const std::uint32_t start : {0U, 0U - 300U, 0x80000000U - 300U}) {
      INFO("start " << start);
      CHECK(random_steps<PairType>(seed, steps, start) == "");
    }
}

/// Whether a run ends with a complaint, or not at all: a collector without locks may write anywhere, so it has a
/// process of its own.
template <class Run>
bool goes_wrong(Run run) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM}) std::signal(number, SIG_DFL);
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(0);
    alarm(60);
    _exit(run() == "" ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status != 0;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("collectors: random streams are as if nothing were ever freed", "[gc]", Collectors) {
  random_streams<Pair<TestType, std::uint32_t, 3, 5>>(mutated ? 4 : 40, 1500);
  random_streams<Pair<TestType, std::uint32_t, 7, 40>>(mutated ? 1 : 10, 1500);
  random_streams<Pair<TestType, std::uint32_t, 255, 1450, neuromorph::gc::AgeWindow<500>>>(1, mutated     ? 100
                                                                                              : sanitized ? 400
                                                                                                          : 1500);
}

TEMPLATE_LIST_TEST_CASE("collectors: all times that there are", "[gc]", First) {
  using namespace neuromorph::gc;
  const auto streams = [](auto pair) {
    using PairType = typename decltype(pair)::type;
    for (const std::uint32_t seed : Seeds(streams_of(8))) CHECK(all_times<PairType>(seed, 600) == "");
  };
  streams(std::type_identity<Pair<TestType, std::uint32_t, 9, 40, AgeWindow<500>>>{});
  streams(std::type_identity<Pair<TestType, std::uint32_t, 5, 7, AgeWindow<longest_life>>>{});
  if constexpr (TestType::any_liveness) {
    streams(std::type_identity<Pair<TestType, std::uint32_t, 5, 9, ReadCount<2>>>{});
    streams(std::type_identity<Pair<TestType, std::uint32_t, 5, 9, EitherDead<AgeWindow<500>, ReadCount<2>>>>{});
  }
}

TEMPLATE_LIST_TEST_CASE("collectors: streams that are to be hard", "[gc]", Collectors) {
  CHECK(adversarial_steps<Pair<TestType, std::uint32_t, 3, 5>>(20) == "");
  CHECK(adversarial_steps<Pair<TestType, std::uint8_t, 40, 100, neuromorph::gc::AgeWindow<0>>>(0) == "");
  CHECK(adversarial_steps<Pair<TestType, SixteenBytes, 7, 16, neuromorph::gc::AgeWindow<500>>>(500) == "");
}

TEMPLATE_LIST_TEST_CASE("collectors: traces of 1 to 16 bytes come back as they were", "[gc]", First) {
  random_streams<Pair<TestType, std::uint8_t, 3, 5>>(5, 800);
  random_streams<Pair<TestType, ThreeBytes, 3, 5>>(5, 800);
  random_streams<Pair<TestType, std::uint64_t, 3, 5>>(5, 800);
  random_streams<Pair<TestType, SixteenBytes, 3, 5>>(5, 800);
}

TEMPLATE_LIST_TEST_CASE("collectors: windows of 0, 1 and very many ticks", "[gc]", First) {
  random_streams<Pair<TestType, std::uint32_t, 3, 5, neuromorph::gc::AgeWindow<0>>>(10, 800);
  random_streams<Pair<TestType, std::uint32_t, 3, 5, neuromorph::gc::AgeWindow<1>>>(10, 800);
  random_streams<Pair<TestType, std::uint32_t, 3, 5, neuromorph::gc::AgeWindow<(1U << 29)>>>(10, 800);
}

TEMPLATE_LIST_TEST_CASE("collectors: events die when they have been read, or of age, or of both", "[gc]", First) {
  using namespace neuromorph::gc;
  if constexpr (TestType::any_liveness) {
    for (const std::uint32_t seed : Seeds(mutated ? 3 : streams_of(20))) {
      CHECK(random_steps<Pair<TestType, std::uint32_t, 3, 5, ReadCount<1>>>(seed, 1000, 0) == "");
      CHECK(random_steps<Pair<TestType, std::uint32_t, 4, 7, ReadCount<3>>>(seed, 1000, 0) == "");
      CHECK(random_steps<Pair<TestType, std::uint8_t, 4, 7, ReadCount<300>>>(seed, 1000, 0) == "");
      CHECK(random_steps<Pair<TestType, std::uint8_t, 3, 5, EitherDead<AgeWindow<20>, ReadCount<2>>>>(seed, 1000,
                                                                                                      0U - 300U) == "");
      CHECK(random_steps<Pair<TestType, std::uint32_t, 3, 5, BothDead<AgeWindow<20>, ReadCount<2>>>>(seed, 1000,
                                                                                                     0U - 300U) == "");
    }
    Exhaustive<Pair<TestType, std::uint32_t, 2, 3, ReadCount<1>>> once;
    CHECK(once.run(0U - 4U, 6 - fewer, 0) == "");
    Exhaustive<Pair<TestType, std::uint32_t, 2, 3, BothDead<AgeWindow<2>, ReadCount<1>>>> both;
    CHECK(both.run(0U - 4U, 6 - fewer, 0) == "");
    Exhaustive<Pair<TestType, std::uint32_t, 2, 3, ReadCount<1>, Machine<true>, InterruptHook>> interrupted;
    CHECK(interrupted.run(5, few ? 3 : 4, 1) == "");
  }
}

// Apart, as tests/mutants leaves out what takes long.
TEMPLATE_LIST_TEST_CASE("collectors: every sequence of five steps on a small heap", "[gc]", Checked) {
  Exhaustive<Pair<TestType, std::uint32_t, 2, 3, neuromorph::gc::AgeWindow<2>>> all;
  CHECK(all.run(0U - 4U, 5, 0) == "");
  CHECK(all.sequences > 19000);
}
TEMPLATE_LIST_TEST_CASE("collectors: every short sequence of steps on a small heap", "[gc]", Checked) {
  if constexpr (!sanitized) {
    // Seven steps take five seconds: they are for `tests/run long`.
    const bool is_long = Seeds::are_given() && !mutated;
    Exhaustive<Pair<TestType, std::uint32_t, 2, 3, neuromorph::gc::AgeWindow<2>>> all;
    CHECK(all.run(0U - 4U, is_long ? 7 : 6, 0) == "");
    CHECK(all.sequences > (is_long ? 900000 : 90000));
  }
}

TEMPLATE_LIST_TEST_CASE("collectors: a record may interrupt at every place", "[gc]", Checked) {
  using Small = Pair<TestType, std::uint32_t, 2, 3, neuromorph::gc::AgeWindow<2>, Machine<true>, InterruptHook>;
  Exhaustive<Small> all;
  CHECK(all.run(5, few ? 3 : 4, 1) == "");
  CHECK(all.interrupted > (few ? 1000 : 10000));
  // Traces that take several reads.
  using Long = Pair<TestType, SixteenBytes, 2, 3, neuromorph::gc::AgeWindow<2>, Machine<true>, InterruptHook>;
  Exhaustive<Long> with_long_traces;
  CHECK(with_long_traces.run(5, 3, 1) == "");
}

TEMPLATE_LIST_TEST_CASE("collectors: a lock that keeps no interrupt out is noticed", "[gc]", Checked) {
  using Small = Pair<TestType, std::uint32_t, 2, 3, neuromorph::gc::AgeWindow<2>, Machine<false>, InterruptHook>;
  CHECK(goes_wrong([] { return Exhaustive<Small>().run(5, 5, 1); }));
}

#endif
