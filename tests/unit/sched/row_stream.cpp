// SPDX-License-Identifier: BSL-1.0
// The ring of buffers in every order of calls that a seed gives, with an engine that refuses and dawdles, against a queue: spikes
// are processed once and in their order, each row as the last change left it, no change is lost, nothing else is written, and
// what could go on does.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <vector>

#include <neuromorph/sched/row_stream.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/dawdling_engine.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t most_words = 5;
constexpr std::uint32_t by_itself = 0xFFFF'FFFF; // in the place of a spike's number: no spike asked for the row

template <class Base>
struct Named : Base {
  std::uint32_t spike = 0, number = 0;
  bool never_changes = Base::is_fixed();
  [[nodiscard]] bool is_fixed() const { return never_changes; }
};

struct Seen {
  std::uint64_t refused = 0, dropped = 0, without_row = 0, too_long = 0, full = 0, held_back = 0, wraps = 0;
  std::uint64_t held_up = 0, side_by_side = 0, changed = 0, stuck = 0, by_itself = 0;
};

template <std::size_t Buffers, class Base>
void check(std::uint32_t seed, Seen& seen) {
  constexpr bool may_change = std::same_as<Base, ChangingRow>;
  using Row = Named<Base>;
  std::mt19937 random(seed);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  const std::uint32_t rows = 1 + up_to(Buffers > 10 ? 400 : 9), calls = 300 + up_to(500);
  const std::uint32_t puts_in_8 = 1 + up_to(7), holds_back_in_8 = up_to(7), changes_in_8 = up_to(8);
  DawdlingEngine engine{random, 1 + up_to(5), up_to(6)};
  RowStream<DawdlingEngine, 8, Buffers, most_words, Row> stream(engine);
  INFO("seed " << seed << ", " << Buffers << " buffers, " << rows << " rows, " << calls << " calls");
  std::vector<std::array<std::uint32_t, most_words>> far(rows);
  for (auto& row : far)
    for (std::uint32_t& word : row) word = static_cast<std::uint32_t>(random());
  auto truth = far; // when all changes are there
  const std::uint32_t plastic_in_4 = may_change ? up_to(4) : 0;
  const auto is_fixed = [&](std::uint32_t row) { return row % 4 >= plastic_in_4; };
  const auto row_of_number = [&](std::uint32_t row) {
    Row made;
    if (row < rows) made.words = far[row].data(), made.count = 1 + row % most_words;
    if (row == rows + 1) made.words = far[0].data(), made.count = most_words + 1;
    if constexpr (may_change) made.never_changes = row < rows && is_fixed(row);
    made.number = row;
    return made;
  };
  const auto row_of = [&](std::uint32_t spike) {
    Row made = row_of_number(spike % (rows + 2));
    made.spike = spike;
    return made;
  };

  struct Waiting {
    std::uint32_t spike, row;
  };
  struct Done {
    std::uint32_t row;
    bool is_changed;
  };
  std::deque<Waiting> waiting, requested;
  std::deque<Done> done; // processed, and their buffers not free again
  std::size_t dirty = 0; // the last ones of those that were changed
  std::uint32_t puts = 0, dropped = 0, without_row = 0, too_long = 0, processed = 0, changed = 0, alone = 0;
  bool right = true;
  const auto demand = [&](bool holds) { right = right && holds; };
  const auto free = [&] { return Buffers - requested.size() - done.size(); };
  /// Whether a plastic row is in a buffer that does not hold what memory will.
  const auto is_under_way = [&](std::uint32_t row) {
    std::size_t given = static_cast<std::size_t>(std::ranges::count_if(done, &Done::is_changed)) - dirty;
    return std::ranges::any_of(requested, [&](const Waiting& of) { return of.row == row; }) ||
           std::ranges::any_of(done, [&](const Done& of) {
             if (!of.is_changed) return false;
             if (given != 0) return --given, false;
             return of.row == row;
           });
  };
  const auto put = [&] {
    const auto spike = static_cast<std::uint32_t>(random() >> 1);
    const bool has_room = stream.spikes.put(spike);
    demand(has_room == (stream.spikes.put_count() == puts + 1));
    ++(has_room ? puts : dropped);
    if (has_room) waiting.push_back({spike, spike % (rows + 2)});
  };
  std::uint32_t taken = 0;
  const auto look_at_requests = [&] {
    for (; taken != stream.spikes.taken_count(); ++taken) {
      demand(!waiting.empty());
      if (waiting.empty()) return;
      const Waiting spike = waiting.front();
      waiting.pop_front();
      if (spike.row >= rows) {
        ++(spike.row == rows ? without_row : too_long);
        continue;
      }
      demand(is_fixed(spike.row) || !is_under_way(spike.row));
      if (is_under_way(spike.row)) ++seen.side_by_side;
      requested.push_back(spike);
    }
  };
  std::uint32_t left = 0;
  const auto handle = [&](const Row& row, auto words) -> std::uint32_t {
    look_at_requests();
    demand(!requested.empty() && left != 0 && !(free() == 0 && dirty != 0));
    if (requested.empty()) return 0;
    const Waiting oldest = requested.front();
    requested.pop_front();
    demand(row.number == oldest.row && row.spike == oldest.spike && words.size() == 1 + oldest.row % most_words);
    demand(std::equal(words.begin(), words.end(), truth[oldest.row].begin()));
    ++processed;
    left = row.is_fixed() ? left - 1 : 0;
    if (random() % 4 == 0) put(); // an interrupt meanwhile
    std::uint32_t count = 0;
    if constexpr (may_change) {
      if (!row.is_fixed() && random() % 8 < changes_in_8) {
        count = 1 + up_to(static_cast<std::uint32_t>(words.size()) - 1);
        for (std::uint32_t at = 0; at < count; ++at) truth[oldest.row][at] = words[at] += 1 + at;
        for (std::size_t at = count; at < words.size(); ++at) words[at] = 0xDEAD; // goes nowhere
        ++changed;
        ++dirty;
      }
    }
    if (count != 0 || !done.empty()) done.push_back({oldest.row, count != 0});
    return count;
  };
  const auto run = [&](std::uint32_t most) {
    const std::uint32_t processed_before = processed, puts_before = puts, taken_before = taken;
    const std::uint32_t until = up_to(7) < holds_back_in_8 ? taken + up_to(puts - taken) : puts;
    const bool has_arrived = !requested.empty() && engine.jobs.empty();
    demand(stream.may_take(until) == (free() != 0 && until != taken));
    demand(stream.has_requested() == !requested.empty());
    const std::uint64_t refused = engine.refused;
    left = most;
    const bool did = stream.run(row_of, handle, until, most);
    look_at_requests();
    demand(did == (processed != processed_before || taken != taken_before));
    demand(taken - taken_before <= until - taken_before);
    const bool is_stuck = free() == 0 && dirty != 0; // until a change is given back
    if (most != 0 && has_arrived && processed == processed_before) demand(is_stuck);
    seen.stuck += is_stuck ? 1U : 0U;
    // It stops for nothing but the end of the spikes, no buffer, an earlier row, or the engine.
    if (taken != until && free() != 0) {
      const std::uint32_t row = waiting.front().row;
      const bool is_held = row < rows && !is_fixed(row) && is_under_way(row);
      demand(is_held || (row < rows && engine.refused != refused));
      ++(is_held ? seen.held_up : seen.refused);
    }
    seen.full += free() == 0 ? 1U : 0U;
    seen.held_back += until != puts_before ? 1U : 0U;
  };
  const auto write_back = [&] {
    if constexpr (may_change) {
      const std::uint64_t started = engine.started;
      std::uint32_t written = stream.counts().written;
      const std::size_t before = done.size();
      const bool did = stream.write_back();
      for (; !done.empty() && (!done.front().is_changed || written != stream.counts().written); done.pop_front())
        written += done.front().is_changed ? 1U : 0U;
      demand(written == stream.counts().written);
      dirty -= engine.started - started;
      demand(did == (engine.started != started || done.size() != before));
    }
  };
  const auto feed_row = [&] {
    const std::uint32_t number = up_to(rows - 1);
    Row row = row_of_number(number);
    row.spike = by_itself;
    const std::uint64_t started = engine.started, refused = engine.refused;
    const bool may = free() != 0 && (row.is_fixed() || !is_under_way(number));
    const bool did = stream.feed_row(row);
    demand(did == (engine.started != started) && (may || !did));
    if (may) demand(did == (engine.refused == refused));
    if (did) requested.push_back({by_itself, number}), ++alone;
  };
  const auto check_counts = [&] {
    const auto& counts = stream.counts();
    demand(counts.processed == processed && counts.without_row == without_row && counts.too_long == too_long);
    demand(requested.size() + done.size() <= Buffers && stream.is_empty() == (free() == Buffers));
    demand(stream.is_idle() == (free() == Buffers && waiting.empty()));
    demand(stream.unprocessed() == requested.size() + waiting.size());
    if (stream.is_empty()) demand(far == truth && counts.written == changed);
  };
  for (std::uint32_t call = 0; call < calls; ++call) {
    if (random() % 8 < puts_in_8) put();
    switch (random() % 8) {
    case 0: feed_row(); break;
    case 1:
    case 2: write_back(); break;
    case 3: run(0); break;
    default: run(up_to(10)); break;
    }
    check_counts();
    INFO("call " << call);
    REQUIRE(right);
  }
  engine.stays_away = 0;
  for (std::uint32_t turns = 0; !stream.is_idle() && turns < 20'000; ++turns) run(1), write_back();
  check_counts();
  REQUIRE(right);
  REQUIRE(stream.is_idle());
  REQUIRE(processed + without_row + too_long == puts + alone);
  REQUIRE(stream.spikes.dropped() == dropped);
  REQUIRE(stream.counts().held_up <= puts);
  seen.dropped += dropped, seen.without_row += without_row, seen.too_long += too_long;
  seen.changed += changed, seen.by_itself += alone;
  seen.wraps += engine.last < 0x8000'0000U ? 1U : 0U;
}

template <class Base>
Seen check_all() {
  Seen seen;
  for (const std::uint32_t seed : Seeds(400)) {
    check<1, Base>(seed, seen);
    check<2, Base>(seed, seen);
    check<3, Base>(seed, seen);
    check<6, Base>(seed, seen);
    if (seed % 40 == 0) check<255, Base>(seed, seen);
  }
  CHECK(seen.refused > 1000);
  CHECK(seen.full > 1000);
  CHECK(seen.held_back > 1000);
  CHECK(seen.without_row > 1000);
  CHECK(seen.too_long > 1000);
  CHECK(seen.dropped > 1000);
  CHECK(seen.side_by_side > 1000);
  CHECK(seen.by_itself > 1000);
  CHECK(seen.wraps > 600);
  return seen;
}

} // namespace

TEST_CASE("row_stream: each spike is processed once, in order, on the row as it is", "[sched][row_stream]") {
  const Seen seen = check_all<ChangingRow>();
  CHECK(seen.changed > 1000);
  CHECK(seen.held_up > 1000);
  CHECK(seen.stuck > 1000);
}

TEST_CASE("row_stream: rows that nothing changes are processed once and in order", "[sched][row_stream]") {
  const Seen seen = check_all<FixedRow>();
  CHECK(seen.changed == 0);
  CHECK(seen.held_up == 0);
}

TEST_CASE("row_stream: a spike that waits for its row is counted once", "[sched][row_stream]") {
  std::mt19937 random(1);
  DawdlingEngine engine{random, 4, 0};
  RowStream<DawdlingEngine, 8, 3, most_words> stream(engine);
  std::array<std::uint32_t, 2> far{};
  const auto row_of = [&](std::uint32_t) { return ChangingRow{far.data(), 2}; };
  const auto change = [](const ChangingRow&, std::span<std::uint32_t> words) { return ++words[0], 1U; };
  for (const std::uint32_t spike : {1U, 2U, 3U}) stream.spikes.put(spike);
  for (std::uint32_t taken = 1; taken <= 3; ++taken) {
    REQUIRE(stream.run(row_of, change, 3, 0));
    for (unsigned times = 0; times < 5; ++times) CHECK_FALSE(stream.run(row_of, change, 3, 0));
    CHECK(stream.spikes.taken_count() == taken);
    CHECK(stream.counts().held_up == (taken < 3 ? taken : 2));
    while (!stream.run(row_of, change, 3, 1)) continue;
    CHECK_FALSE(stream.run(row_of, change, 3, 1)); // has changed, and is not on its way
    REQUIRE(stream.write_back());
  }
  while (!stream.is_idle()) stream.write_back();
  CHECK(far[0] == 3);
  CHECK(stream.counts().written == 3);
}
