// SPDX-License-Identifier: BSL-1.0
// Spikes at given steps against a set of pairs.
#include <neuromorph/kernels/random/spike_list.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr std::array<std::uint32_t, 5> steps{3, 7, 8, 7, 100};
constexpr std::array<std::uint32_t, 5> first{0, 3, 3, 4, 5}; // source 1 is silent

constexpr std::uint32_t when_constant = [] {
  SpikeList<4> list;
  if (!list.play({steps, first})) return 0U;
  std::uint32_t sum = 0;
  for (std::uint32_t step = 0; step <= 100; ++step)
    for (const std::uint32_t source : list.step(step)) sum = sum * 10 + source + 1;
  return list.is_over() && list.late() == 0 ? sum : 0U;
}();
static_assert(when_constant == 11314); // 0 at 3, 0 and 2 at 7, 0 at 8, 3 at 100

struct Drawn {
  std::vector<std::uint32_t> steps, first{0};
  std::set<std::pair<std::uint32_t, std::uint32_t>> events; ///< step, source
};

Drawn drawn_from(std::mt19937& random, std::uint32_t most_sources) {
  Drawn drawn;
  const std::uint32_t sources = static_cast<std::uint32_t>(random() % (most_sources + 1));
  const std::uint32_t range = random() % 8 == 0 ? UINT32_MAX : 1 + static_cast<std::uint32_t>(random() % 300);
  for (std::uint32_t source = 0; source < sources; ++source) {
    std::set<std::uint32_t> own;
    for (auto count = random() % 12; count != 0; --count)
      own.insert(random() % 20 == 0 ? range : static_cast<std::uint32_t>(random()) % range);
    for (const auto step : own) drawn.steps.push_back(step), drawn.events.insert({step, source});
    drawn.first.push_back(static_cast<std::uint32_t>(drawn.steps.size()));
  }
  return drawn;
}

} // namespace

TEST_CASE("spike list: each source fires at its steps; what is left out is counted", "[kernels][sources]") {
  SpikeList<40> list; // one for all: it begins anew
  std::uint32_t late = 0, played = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 100 : 2000)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const Drawn drawn = drawn_from(random, 40);
    REQUIRE(list.play({drawn.steps, drawn.first}).ok());
    auto left = drawn.events;
    std::set<std::uint32_t> asked; // all that matter, but for some; and others
    for (const auto& [step, source] : drawn.events)
      if (seed % 2 == 0 || random() % 4 != 0) asked.insert(step);
    for (int more = 0; more < 20; ++more) asked.insert(static_cast<std::uint32_t>(random()) % 400);
    for (const std::uint32_t step : asked) {
      REQUIRE(list.is_over() == left.empty());
      while (!left.empty() && left.begin()->first < step) left.erase(left.begin()), ++late;
      std::vector<std::uint32_t> expected;
      for (; !left.empty() && left.begin()->first == step; left.erase(left.begin()))
        expected.push_back(left.begin()->second);
      const auto fired = list.step(step);
      REQUIRE(std::equal(fired.begin(), fired.end(), expected.begin(), expected.end()));
      played += static_cast<std::uint32_t>(expected.size());
    }
    REQUIRE(list.late() == late);
    REQUIRE(list.is_over() == left.empty());
  }
  CHECK(late > 100);
  CHECK(played > 1000);
}

TEST_CASE("spike list: what is no list is refused, and nothing is played", "[kernels][sources]") {
  const auto refused = [](std::vector<std::uint32_t> when, std::vector<std::uint32_t> from) {
    SpikeList<2> list;
    const Status status = list.play({when, from});
    CHECK(list.is_over());
    CHECK(list.step(5).empty());
    return status;
  };
  CHECK(refused({}, {0}).ok());
  CHECK(refused({}, {0, 0, 0}).ok());
  CHECK(refused({}, {}) == Status{Error::lengths_differ, 0, 0, "first"});
  CHECK(refused({1, 2}, {0, 1}) == Status{Error::lengths_differ, 2, 2, "first"});
  CHECK(refused({1, 2}, {0, 1, 1, 2}) == Status{Error::buffer_full, 2, 3, "first"});
  CHECK(refused({1, 2}, {0, 3, 2}) == Status{Error::index_out_of_range, 0, 0, "first"});
  CHECK(refused({1, 2}, {3, 2}) == Status{Error::index_out_of_range, 0, 3, "first"});
  CHECK(refused({1, 2, 2}, {0, 0, 3}) == Status{Error::parameter_out_of_range, 2, 2, "steps"});
  CHECK(refused({5, 3}, {0, 2}) == Status{Error::parameter_out_of_range, 1, 3, "steps"});
  CHECK(refused({1, 3, 2}, {0, 3}) == Status{Error::parameter_out_of_range, 2, 2, "steps"});
}

TEST_CASE("spike list: a list is silent before it plays, and goes on after what is refused", "[kernels][sources]") {
  SpikeList<4> list;
  CHECK(list.is_over());
  CHECK(list.step(0).empty());
  REQUIRE(list.play({steps, first}).ok());
  CHECK(!list.is_over());
  SpikeList<4> same = list;
  const std::array<std::uint32_t, 2> descending{7, 3}, of_one{0, 2};
  REQUIRE(!list.play({steps, std::span{first}.first(2)}).ok());
  REQUIRE(!list.play({descending, of_one}).ok());
  for (std::uint32_t step = 0; !same.is_over(); ++step) {
    REQUIRE(!list.is_over());
    REQUIRE(std::ranges::equal(list.step(step), same.step(step)));
  }
  CHECK(list.is_over());
  CHECK(list.late() == 0);
}
