// SPDX-License-Identifier: BSL-1.0
// The ring of examples/debug_me as it should be, against a list of what is due: each spike arrives in its step, in the order in
// which spikes came, and the stimulus behind the ring stays as it is. What the bug does is seen by examples/debug_me/walkthrough.
#define DEBUG_ME_MENDED

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "examples/debug_me/network.hpp"
#include "tests/support/catch.hpp"

namespace {

using namespace debug_me;

TEST_CASE("debug_me: every spike arrives when it is due, and nothing else changes", "[examples][debug_me]") {
  neuromorph::Sfc32 random(neuromorph::StreamId{1, 0, 0});
  Inputs inputs;
  const std::uint32_t neurons_kicked[2] = {1, 2};
  inputs.stimulus = {.next = 3, .kicks = {1000, 1001, 1002}, .kicked = neurons_kicked};
  const Stimulus before = inputs.stimulus;
  std::map<std::uint32_t, std::vector<Key>> due;
  std::uint32_t refused = 0;
  for (std::uint32_t step = 0; step < 20000; ++step) {
    inputs.now = step % longest_delay;
    Arrivals& arrivals = inputs.waiting[inputs.now];
    const std::vector<Key>& wanted = due[step];
    REQUIRE(arrivals.count == wanted.size());
    REQUIRE(std::equal(wanted.begin(), wanted.end(), arrivals.keys.begin()));
    arrivals.count = 0;
    due.erase(step);
    const std::uint32_t burst = random.next() % 64 == 0 ? 40 : random.next() % 6;
    for (std::uint32_t spike = 0; spike < burst; ++spike) {
      const Key key = key_of(random.next() % others);
      const std::uint32_t delay = 1 + (burst == 40 ? spike % 3 + 13 : random.next() % longest_delay);
      std::vector<Key>& then = due[step + delay];
      const bool has_room = then.size() < arrivals.keys.size();
      REQUIRE(inputs.put(key, delay) == has_room);
      if (has_room)
        then.push_back(key);
      else
        ++refused;
    }
    REQUIRE(inputs.stimulus.next == before.next);
    REQUIRE(inputs.stimulus.kicks == before.kicks);
    REQUIRE(inputs.stimulus.kicked == before.kicked);
  }
  REQUIRE(refused > 1000); // full lists were among them
}

TEST_CASE("debug_me: a key says whose spike it is", "[examples][debug_me]") {
  for (std::uint32_t other = 0; other < others; ++other) {
    REQUIRE(other_of(key_of(other)) == other);
    REQUIRE(key_of(other) % 2 == 1);
  }
}

} // namespace
