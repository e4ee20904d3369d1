// SPDX-License-Identifier: BSL-1.0
// The buffer between interrupt and loop, of every kind of size, against a queue of the standard library: bursts that
// fill it, silences that empty it.
#include <cstdint>
#include <deque>
#include <random>

#include <neuromorph/sched/spike_buffer.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <std::size_t Size>
void compare(std::uint32_t seed) {
  std::mt19937 random(seed);
  SpikeBuffer<Size> buffer;
  std::deque<std::uint32_t> queue;
  std::uint32_t put = 0, dropped = 0, most = 0, taken = 0, full = 0, empty = 0;
  for (unsigned burst = 0; burst < 60; ++burst) {
    // Longer than the room now and then.
    const auto length = random() % (Size + Size / 4 + 2);
    const bool comes = random() % 2 == 0;
    INFO("seed " << seed << ", size " << Size << ", burst " << burst);
    for (std::size_t spike = 0; spike < length; ++spike) {
      if (comes) {
        const auto value = static_cast<std::uint32_t>(random());
        const bool has_room = queue.size() < Size;
        if (buffer.put(value) != has_room) FAIL("put");
        ++(has_room ? put : dropped);
        if (has_room) queue.push_back(value);
        full += has_room ? 0U : 1U;
      } else {
        std::uint32_t value = 0x5EED;
        const bool has_one = !queue.empty();
        if (has_one && random() % 4 == 0) { // looked at, and taken later
          const std::uint32_t number = buffer.taken_count() + static_cast<std::uint32_t>(random() % queue.size());
          if (buffer.look_at(number) != queue[number - buffer.taken_count()]) FAIL("look_at");
          value = queue.front();
          buffer.take_until(buffer.taken_count() + 1);
        } else if (buffer.take(value) != has_one || value != (has_one ? queue.front() : 0x5EED)) {
          FAIL("take");
        }
        if (has_one) queue.pop_front(), ++taken;
        empty += has_one ? 0U : 1U;
      }
      if (most < queue.size()) most = static_cast<std::uint32_t>(queue.size());
      if (buffer.size() != queue.size() || buffer.high_water() != most) FAIL("size");
    }
  }
  INFO("seed " << seed << ", size " << Size);
  CHECK(buffer.put_count() == put);
  CHECK(buffer.dropped() == dropped);
  CHECK(put == taken + buffer.size());
  CHECK(full > 0);
  CHECK(empty > 0);
}

} // namespace

TEST_CASE("spike_buffer: keeps the order, and what it has when it is full", "[sched][spike_buffer]") {
  for (const std::uint32_t seed : Seeds(20)) {
    compare<1>(seed);
    compare<2>(seed);
    compare<64>(seed);
    compare<1024>(seed);
  }
  compare<65536>(99);
}
