// SPDX-License-Identifier: BSL-1.0
// The row pipeline in every order of calls that a seed gives, with an engine that refuses and dawdles, against what
// each row must hold: a row that is processed is as the last change left it, no change is lost, each spike is processed
// once and in its step.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <neuromorph/sched/row_pipeline.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/dawdling_engine.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr std::size_t most_words = 5;

struct Seen {
  std::uint64_t ahead = 0, taken_over = 0, held_up = 0, without_row = 0, too_long = 0, dropped = 0, wraps = 0;
};

template <std::size_t Buffers>
void check(std::uint32_t seed, Seen& seen) {
  std::mt19937 random(seed);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  const std::uint32_t rows = 1 + up_to(Buffers > 10 ? 400 : 7), calls = 300 + up_to(500);
  const unsigned plastic_in_8 = up_to(8), begins_in_64 = up_to(3), puts_in_64 = 1 + up_to(up_to(63)),
                 for_next_in_8 = up_to(8);
  DawdlingEngine engine{random, 1 + up_to(5), up_to(6)};
  RowPipeline<DawdlingEngine, 8, Buffers, most_words> pipeline(engine);
  INFO("seed " << seed << ", " << Buffers << " buffers, " << rows << " rows, " << calls << " calls");

  std::vector<std::array<std::uint32_t, most_words>> far(rows);
  std::vector<std::uint32_t> changes(rows); // of each row, so far
  // A spike is its number and row; one beyond the rows has none, or one that is too long.
  constexpr std::uint32_t span = 1024;
  std::uint32_t next_number = 0, last_of_step = 0;
  std::multiset<std::uint32_t> of_step, of_next; // waiting
  std::set<std::uint32_t> put_for_next;
  std::uint32_t puts = 0, dropped = 0, without_row = 0, too_long = 0, processed = 0, changed = 0;
  std::map<const std::uint32_t*, bool> is_ahead; // of the buffer with these words: its row was fetched by `prefetch`
  std::uint64_t ahead = 0, taken_over = 0;
  // Buffers: reads of rows that are not processed yet, those for the next step among them; changes not given back yet.
  std::size_t reading = 0, reading_ahead = 0, dirty = 0;
  const auto free = [&] { return Buffers - reading - (changed - pipeline.counts().written); };
  bool right = true;
  const auto demand = [&](bool holds) { right = right && holds; };

  const auto put = [&](bool for_next) {
    const std::uint32_t spike = next_number++ * span + up_to(rows + 1);
    auto& buffer = for_next ? pipeline.next_spikes : pipeline.spikes;
    if (!buffer.put(spike)) {
      ++dropped;
      demand(buffer.size() == 8);
      return;
    }
    ++puts;
    (for_next ? of_next : of_step).insert(spike);
    if (for_next) put_for_next.insert(spike);
  };
  const auto row_of = [&](std::uint32_t spike) -> FarRow {
    const std::uint32_t row = spike % span;
    if (row == rows) return {};
    if (row == rows + 1) return {far[0].data(), most_words + 1};
    return {far[row].data(), static_cast<std::uint32_t>(1 + row % most_words)};
  };
  /// Spikes without a row, or with one that is too long, are gone once they are looked at.
  const auto forget = [&](std::uint32_t of_row, std::uint32_t before, std::uint32_t after) {
    for (; before != after; ++before) {
      const auto is_such = [&](std::uint32_t spike) { return spike % span == of_row; };
      auto at = std::find_if(of_step.begin(), of_step.end(), is_such);
      if (at != of_step.end()) {
        of_step.erase(at);
        continue;
      }
      at = std::find_if(of_next.begin(), of_next.end(), is_such);
      demand(at != of_next.end());
      if (at != of_next.end()) of_next.erase(at);
    }
  };
  const auto fetch = [&](bool for_next) {
    const auto before = pipeline.counts();
    const std::uint64_t started = engine.started;
    const std::size_t waiting = of_step.size() - (reading - reading_ahead); // of this step, for a buffer
    const bool did = for_next ? pipeline.prefetch(row_of) : pipeline.feed(row_of);
    const auto after = pipeline.counts();
    const bool has_forgotten = after.without_row != before.without_row || after.too_long != before.too_long;
    if (for_next && did) demand(waiting == 0);
    forget(rows, before.without_row, after.without_row);
    forget(rows + 1, before.too_long, after.too_long);
    if (engine.started != started) {
      demand(did && engine.started == started + 1);
      is_ahead[engine.jobs.back().to] = for_next;
      ahead += for_next ? 1U : 0U;
      ++reading;
      if (for_next) ++reading_ahead, demand(free() >= 1);
    } else if (did && !has_forgotten) { // the row was there, fetched ahead
      demand(!for_next && reading_ahead != 0);
      --reading_ahead;
    }
    if (!did) demand(!has_forgotten && after.prefetched == before.prefetched);
  };
  const auto handle = [&](std::uint32_t spike, std::span<std::uint32_t> words) {
    const std::uint32_t row = spike % span;
    demand(row < rows && words.size() == 1 + row % most_words);
    for (const std::uint32_t word : words) demand(word == changes[row]);
    const auto at = of_step.find(spike);
    demand(at != of_step.end());
    if (at != of_step.end()) of_step.erase(at);
    if (put_for_next.count(spike) == 0) { // those of a step come in their order
      demand(last_of_step <= spike);
      last_of_step = spike;
      taken_over += is_ahead[words.data()] ? 1U : 0U;
    }
    ++processed;
    --reading;
    if (random() % 8 == 0) put(random() % 8 < for_next_in_8); // an interrupt meanwhile
    if (random() % 8 >= plastic_in_8) return false;
    for (std::uint32_t& word : words) ++word;
    ++changes[row];
    ++changed;
    ++dirty;
    return true;
  };
  const auto process = [&] {
    const bool is_stuck = free() == 0 && dirty != 0; // until a change is given back
    const bool has_row = reading != reading_ahead;
    const std::uint32_t before = processed;
    const bool did = pipeline.process(handle);
    demand(did == (processed != before) && !(did && is_stuck));
    if (!is_stuck && has_row && engine.jobs.empty()) demand(did); // it has arrived
  };
  const auto write_back = [&] {
    const std::uint64_t started = engine.started;
    const std::uint32_t written = pipeline.counts().written;
    const bool did = pipeline.write_back();
    dirty -= engine.started - started;
    demand(did == (engine.started != started || pipeline.counts().written != written));
  };
  const auto begin = [&] {
    pipeline.begin_step();
    reading_ahead = 0;
    of_step.merge(of_next);
  };
  const auto check_idle = [&] {
    if (!pipeline.is_idle()) return;
    demand(of_step.empty() && pipeline.counts().written == changed);
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t word = 0; word < 1 + row % most_words; ++word) demand(far[row][word] == changes[row]);
  };

  for (std::uint32_t call = 0; call < calls; ++call) {
    switch (random() % 8) {
    case 0:
    case 1:
      if (random() % 64 < puts_in_64) put(random() % 8 < for_next_in_8);
      break;
    case 2:
    case 3: fetch(false); break;
    case 4: fetch(true); break;
    case 5:
    case 6: process(); break;
    default: write_back(); break;
    }
    if (random() % 64 < begins_in_64) begin();
    check_idle();
    INFO("call " << call);
    REQUIRE(right);
  }
  // Whatever was left, it ends: first the step, then the next one.
  engine.stays_away = 0;
  for (const bool is_next : {false, true}) {
    if (is_next) begin();
    std::uint32_t turns = 0;
    while (!pipeline.is_idle() && turns < 20'000) {
      ++turns;
      fetch(false);
      process();
      write_back();
    }
    INFO("the " << (is_next ? "next" : "last") << " step, after " << turns << " turns");
    REQUIRE(pipeline.is_idle());
    check_idle();
    REQUIRE(right);
    if (!is_next) REQUIRE(of_step.empty());
  }
  REQUIRE(of_step.empty());
  const auto& counts = pipeline.counts();
  without_row = counts.without_row;
  too_long = counts.too_long;
  REQUIRE(counts.processed == processed);
  REQUIRE(counts.processed + without_row + too_long + of_next.size() == puts);
  REQUIRE(pipeline.spikes.put_count() + pipeline.next_spikes.put_count() == puts);
  REQUIRE(pipeline.spikes.dropped() + pipeline.next_spikes.dropped() == dropped);
  REQUIRE(counts.written == changed);
  REQUIRE(counts.prefetched + taken_over == ahead);
  REQUIRE(counts.held_up <= puts);
  seen.ahead += ahead, seen.taken_over += taken_over, seen.held_up += counts.held_up;
  seen.without_row += without_row, seen.too_long += too_long, seen.dropped += dropped;
  seen.wraps += engine.last < 0x8000'0000U ? 1U : 0U;
}

} // namespace

TEST_CASE("row_pipeline: a spike that waits for its row is counted once", "[sched][row_pipeline]") {
  std::mt19937 random(1);
  DawdlingEngine engine{random, 4, 0};
  RowPipeline<DawdlingEngine, 8, 3, most_words> pipeline(engine);
  std::array<std::uint32_t, 2> far{};
  const auto row_of = [&](std::uint32_t) { return FarRow{far.data(), 2}; };
  for (const std::uint32_t spike : {1U, 2U, 3U}) pipeline.spikes.put(spike);
  pipeline.next_spikes.put(4);
  REQUIRE(pipeline.feed(row_of));
  for (std::uint32_t waiting = 1; waiting <= 2; ++waiting) {
    for (unsigned times = 0; times < 5; ++times) CHECK_FALSE(pipeline.feed(row_of));
    CHECK_FALSE(pipeline.prefetch(row_of)); // not before this step's
    CHECK(pipeline.counts().held_up == waiting);
    while (!pipeline.process([](std::uint32_t, std::span<std::uint32_t>) { return true; })) continue;
    CHECK_FALSE(pipeline.feed(row_of)); // has changed, and is not on its way
    REQUIRE(pipeline.write_back());
    REQUIRE(pipeline.feed(row_of));
  }
  CHECK(pipeline.counts().held_up == 2);
  for (unsigned times = 0; times < 50; ++times) static_cast<void>(pipeline.write_back()); // buffers are free again
  CHECK_FALSE(pipeline.prefetch(row_of));
  CHECK_FALSE(pipeline.prefetch(row_of));
  CHECK(pipeline.counts().held_up == 3); // that of the next step waits for the last one's row
  CHECK(pipeline.counts().prefetched == 0);
}

TEST_CASE("row_pipeline: each spike is processed once, in its step, on the row as it is", "[sched][row_pipeline]") {
  Seen seen;
  for (const std::uint32_t seed : Seeds(400)) {
    check<1>(seed, seen);
    check<2>(seed, seen);
    check<3>(seed, seen);
    check<6>(seed, seen);
    if (seed % 40 == 0) check<255>(seed, seen);
  }
  CHECK(seen.ahead > 1500);
  CHECK(seen.taken_over > 100);
  CHECK(seen.held_up > 1000);
  CHECK(seen.without_row > 1000);
  CHECK(seen.too_long > 1000);
  CHECK(seen.dropped > 1000);
  CHECK(seen.wraps > 600);
}
