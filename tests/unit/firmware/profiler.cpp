// SPDX-License-Identifier: BSL-1.0
// Scopes against a plain model with random nesting and clocks that wrap; summaries against sums of 128 bits over the
// whole range of times; what is told about names and costs; services and tasks that are scopes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiler.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace neuromorph::firmware;

namespace {

using Tags = ProfileTags<"rows", "neurons", "a name of 16 let">;
using Box = Mailbox<Channel<"prof", 4096>>;
using Record = std::vector<std::uint32_t>;

/// Moves by `pace` each time it is read.
struct Time {
  std::uint32_t now = 0, pace = 0;
};
struct TestClock {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  Time* time;
  Tick now() noexcept { return time->now += time->pace; }
};

struct Board {
  Board() { box.start(1000, 1); }
  auto streamed() { return StreamedProfiler(Tags{}, TestClock{&time}, box.writer<"prof">()); }
  auto summarised() { return SummarisedProfiler(Tags{}, TestClock{&time}, box.writer<"prof">()); }
  std::vector<Record> written() {
    MailboxView<> view;
    REQUIRE(view.attach(box.region()));
    auto reader = view.reader(0);
    std::array<std::uint32_t, 16> to{};
    std::vector<Record> all;
    while (const std::uint32_t words = reader.read(to)) all.emplace_back(to.begin(), to.begin() + words);
    REQUIRE(reader.missed() == 0);
    return all;
  }
  Box box{};
  Time time;
};

Record scope_record(std::uint32_t tag, std::uint32_t began, std::uint32_t ended) {
  return {1U | 2U << 8 | tag << 16, began, ended};
}

/// Opens and closes scopes at random, and notes what it has done.
template <class Profiler>
void nest(Profiler& profiler, Time& time, std::mt19937& random, unsigned depth, std::vector<Record>& wanted) {
  const auto pass = [&] { time.now += static_cast<std::uint32_t>(random()) >> (random() % 4 == 0 ? 0 : 25); };
  for (auto more = random() % 4; more > 0; --more) {
    pass();
    const std::uint32_t began = time.now;
    const auto inside = [&] {
      pass();
      if (depth > 0) nest(profiler, time, random, depth - 1, wanted);
    };
    switch (random() % 3) {
    case 0: {
      const auto scope = profiler.template scope<"rows">();
      inside();
      wanted.push_back(scope_record(0, began, time.now));
    } break;
    case 1: {
      const auto since = profiler.enter();
      inside();
      profiler.template exit<"neurons">(since);
      wanted.push_back(scope_record(1, began, time.now));
    } break;
    default: {
      const auto since = profiler.enter();
      inside();
      profiler.exit(2, since);
      wanted.push_back(scope_record(2, began, time.now));
    }
    }
  }
}

__extension__ using Wide = unsigned __int128;
struct Sums { // of one tag
  unsigned long count = 0;
  Wide sum = 0, squares = 0;
  std::uint32_t shortest = 0xFFFF'FFFF, longest = 0, last_step = 0;
  void note(std::uint32_t ticks, std::uint32_t step) {
    ++count, sum += ticks, squares += static_cast<Wide>(ticks) * ticks;
    shortest = std::min(shortest, ticks), longest = std::max(longest, ticks), last_step = step;
  }
  Record words() const {
    const auto word = [](Wide of, unsigned number) { return static_cast<std::uint32_t>(of >> 32 * number); };
    return {static_cast<std::uint32_t>(count),
            word(sum, 0),
            word(sum, 1),
            word(squares, 0),
            word(squares, 1),
            word(squares, 2),
            shortest,
            longest,
            last_step};
  }
};

} // namespace

TEST_CASE("profiler: a streamed scope is a record, in the order in which scopes end", "[firmware][profiler]") {
  unsigned long scopes = 0;
  for (const std::uint32_t seed : Seeds(300)) {
    std::mt19937 random(seed);
    Board board;
    board.time.now = static_cast<std::uint32_t>(random());
    auto profiler = board.streamed();
    std::vector<Record> wanted;
    nest(profiler, board.time, random, 3, wanted);
    scopes += wanted.size();
    if (board.written() != wanted) FAIL("seed " << seed);
  }
  CHECK(scopes > 3000);
}

TEST_CASE("profiler: summaries are the sums of their scopes", "[firmware][profiler]") {
  for (const std::uint32_t seed : Seeds(300)) {
    std::mt19937 random(seed);
    Board board;
    board.time.now = static_cast<std::uint32_t>(random());
    auto profiler = board.summarised();
    std::array<Sums, 3> sums{};
    const std::uint32_t first = static_cast<std::uint32_t>(random());
    std::uint32_t step = first;
    for (unsigned round = 0; round < 20; ++round) {
      profiler.step(step);
      std::vector<Record> scopes;
      nest(profiler, board.time, random, 2, scopes);
      for (const Record& scope : scopes) sums[scope[0] >> 16].note(scope[2] - scope[1], step);
      if (round < 19) ++step;
    }
    REQUIRE(profiler.report());
    std::vector<Record> wanted{{2U | 2U << 8 | 1U << 16, first, board.time.now}, {2U | 2U << 8, step, board.time.now}};
    for (std::uint32_t tag = 0; tag < 3; ++tag) {
      wanted.push_back(sums[tag].words());
      wanted.back().insert(wanted.back().begin(), 5U | 9U << 8 | tag << 16);
    }
    if (board.written() != wanted) FAIL("seed " << seed);
  }
}

TEST_CASE("profiler: sums carry as far as they should", "[firmware][profiler]") {
  for (const std::uint32_t seed : Seeds(100)) {
    std::mt19937 random(seed);
    ProfileSummary summary;
    Sums sums;
    for (int scope = 0; scope < 2000; ++scope) {
      const std::uint32_t ticks =
          random() % 8 == 0 ? 0xFFFF'FFFFU : static_cast<std::uint32_t>(random()) >> random() % 32;
      summary.note(ticks, static_cast<std::uint32_t>(scope));
      sums.note(ticks, static_cast<std::uint32_t>(scope));
      const Record words{summary.count,       summary.sum_low,        summary.sum_high,
                         summary.squares_low, summary.squares_middle, summary.squares_high,
                         summary.shortest,    summary.longest,        summary.last_step};
      if (words != sums.words()) FAIL("seed " << seed << ", scope " << scope);
    }
    CHECK(summary.squares_high > 0);
  }
  // A low word that wraps to 0 and a middle that is full: the carry of the carry.
  ProfileSummary full{.count = 1, .squares_low = 0xFFFF'FFFF, .squares_middle = 0xFFFF'FFFF, .squares_high = 6};
  full.note(1, 0);
  CHECK(full.squares_low == 0);
  CHECK(full.squares_middle == 0);
  CHECK(full.squares_high == 7);
  static_assert([] {
    ProfileSummary summary{.sum_low = 0xFFFF'FFFF};
    summary.note(2, 9);
    return summary.sum_low == 1 && summary.sum_high == 1 && summary.last_step == 9;
  }());
}

TEST_CASE("profiler: names and costs are announced", "[firmware][profiler]") {
  const std::vector<Record> names{
      {3U | 1U << 8, 0x73776F72},                                                 // "rows"
      {3U | 2U << 8 | 1U << 16, 0x7275656E, 0x00736E6F},                          // "neurons"
      {3U | 4U << 8 | 2U << 16, 0x616E2061, 0x6F20656D, 0x36312066, 0x74656C20}}; // the third
  Board board;
  board.time = {0xFFFF'FF00U, 7}; // each look at the clock takes 7 ticks
  auto streamed = board.streamed();
  REQUIRE(streamed.announce());
  CHECK(board.time.now == 0xFFFF'FF00U + 7 * (8 * 2 + 8 * 4)); // eight times nothing, eight times an empty scope
  auto written = board.written();
  std::erase_if(written, [](const Record& record) { return (record[0] & 0xFF) == 1 && record[0] >> 16 == 3; });
  std::vector<Record> wanted{{4U | 2U << 8 | 3U << 16, 7, 14}};
  wanted.insert(wanted.end(), names.begin(), names.end());
  CHECK(written == wanted);

  auto summarised = board.summarised();
  REQUIRE(summarised.announce());
  CHECK(board.written() == wanted);
  for (std::uint32_t tag = 0; tag < 3; ++tag) CHECK(summarised.summary(tag) == ProfileSummary{}); // none of them was it
}

TEST_CASE("profiler: steps and counters", "[firmware][profiler]") {
  Board board;
  board.time = {100, 1};
  auto profiler = board.streamed();
  CHECK(profiler.step(77));
  CHECK(profiler.counter<"neurons">(42));
  CHECK(board.written() == std::vector<Record>{{2U | 2U << 8, 77, 101}, {6U | 2U << 8 | 1U << 16, 102, 42}});
}

TEST_CASE("profiler: what finds no room is counted, and none is half", "[firmware][profiler]") {
  Board board;
  auto profiler = board.streamed();
  for (std::uint32_t scope = 0; scope < 2000; ++scope) profiler.exit<"rows">(profiler.enter());
  CHECK(board.box.writer<"prof">().refused() == 2000 - 4096 / 3);
  CHECK_FALSE(profiler.step(1));
  CHECK_FALSE(profiler.announce());
  CHECK_FALSE(board.summarised().report());

  // 28 words are left: for the scopes that are measured and the costs, not for the names; for a step and two summaries, not
  // for three.
  const auto is_told = [](auto call) {
    Board other;
    auto streamed = other.streamed();
    for (std::uint32_t scope = 0; scope < 4068 / 3; ++scope) streamed.exit<"rows">(streamed.enter());
    REQUIRE(other.box.writer<"prof">().refused() == 0);
    const bool is_whole = call(other);
    CHECK(other.box.writer<"prof">().refused() != 0);
    return is_whole;
  };
  CHECK_FALSE(is_told([](Board& of) { return of.streamed().announce(); }));
  CHECK_FALSE(is_told([](Board& of) { return of.summarised().report(); }));
}

TEST_CASE("profiler: services and tasks are scopes by themselves", "[firmware][profiler]") {
  Board board;
  board.time = {10, 1};
  auto profiler = board.streamed();
  unsigned ran = 0;
  Services services(profiled<"rows">(profiler, service<3>([&] { ran += 1, board.time.now += 100; })),
                    profiled<"neurons">(profiler, service<5>([&] { ran += 10; })));
  STATIC_REQUIRE(services.has(3));
  services.exec(services.position(5));
  services.exec(services.position(3));
  CHECK(ran == 11);

  struct Core {
    unsigned left = 2, begun = 0;
    bool update() { return left != 0 && (--left, true); }
    void begin(std::uint32_t step) { begun = step; }
  } core;
  ExecutiveTasks tasks(core, profiled<"neurons">(profiler, task<ExecutiveTask::neurons, &Core::update>()),
                       profiled<"rows">(profiler, task<ExecutiveCall::begin_step, &Core::begin>()));
  STATIC_REQUIRE(neuromorph::detail::is_complete_tasks<decltype(tasks)>());
  tasks.call<ExecutiveCall::begin_step>(std::uint32_t{9});
  CHECK(core.begun == 9);
  CHECK(tasks.call<ExecutiveTask::neurons>());
  CHECK(tasks.call<ExecutiveTask::neurons>());
  CHECK_FALSE(tasks.call<ExecutiveTask::neurons>()); // had nothing to do: no scope
  CHECK(board.written() == std::vector<Record>{scope_record(1, 11, 12), scope_record(0, 13, 114),
                                               scope_record(0, 115, 116), scope_record(1, 117, 118),
                                               scope_record(1, 119, 120)});
}

TEST_CASE("profiler: off, parts stay what they were", "[firmware][profiler]") {
  Board board;
  constexpr NoProfiler profiler(Tags{});
  STATIC_REQUIRE(std::is_empty_v<decltype(profiler)>);
  const auto given = service<3>([] {});
  STATIC_REQUIRE(std::is_same_v<decltype(profiled<"rows">(profiler, given)), std::remove_const_t<decltype(given)>>);
  const auto named = task<ExecutiveTask::neurons>([] { return true; });
  STATIC_REQUIRE(std::is_same_v<decltype(profiled<"rows">(profiler, named)), std::remove_const_t<decltype(named)>>);
  {
    const auto scope = profiler.scope<"rows">();
    profiler.exit<"neurons">(profiler.enter());
  }
  CHECK(profiler.announce());
  CHECK(profiler.report());
  CHECK(board.written().empty());
}
