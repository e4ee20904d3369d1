// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

TEMPLATE_TEST_CASE("ring_buffer: every weight arrives once, delay steps after its spike", "[kernels][ring_buffer]",
                   std::int32_t, std::int16_t, std::uint16_t) {
  // Against a map from (step, type, neuron) to the sum of what arrives then.
  using Word = SynapticWord<5, 1, 3>;
  RingBuffer<Word, TestType> ring;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::int64_t> model;
  std::mt19937 random(1);
  const std::uint32_t first = 0xFFFFFFF0U; // the step wraps on the way
  for (std::uint32_t step = 0; step < 2000; ++step) {
    const std::uint32_t step_number = first + step;
    for (std::uint32_t type = 0; type < 2; ++type) {
      const auto slot = ring.slot(step_number, type);
      for (std::uint32_t neuron = 0; neuron < slot.size(); ++neuron) {
        const auto found = model.find({step_number, type, neuron});
        REQUIRE(slot[neuron] == (found == model.end() ? 0 : found->second));
        slot[neuron] = 0;
      }
    }
    for (int synapse = 0; synapse < 20; ++synapse) {
      const Synapse one{static_cast<std::int32_t>(random() % 100), 1 + static_cast<std::uint32_t>(random() % 8),
                        static_cast<std::uint32_t>(random() % 2), static_cast<std::uint32_t>(random() % 32)};
      const std::array<std::uint32_t, 1> row{Word::encode(one).value()};
      add_row(ring, row, step_number);
      model[{step_number + one.delay, one.type, one.index}] += one.weight;
    }
  }
  CHECK(ring.saturations() == 0);
}

TEST_CASE("ring_buffer: 16-bit elements stop at their ends and count each time", "[kernels][ring_buffer]") {
  using Word = SynapticWord<4, 1, 3, WeightSign::signed_value>;
  RingBuffer<Word, std::int16_t> ring;
  ring.add(3, 32767);
  CHECK(ring.saturations() == 0);
  ring.add(3, 1);
  ring.add(3, 30000);
  CHECK(ring.elements()[3] == 32767);
  CHECK(ring.saturations() == 2);
  ring.add(3, -65535);
  CHECK(ring.elements()[3] == -32768);
  CHECK(ring.saturations() == 2);
  ring.add(3, -1);
  CHECK(ring.saturations() == 3);

  RingBuffer<SynapticWord<4, 1, 3>, std::uint16_t> magnitudes;
  magnitudes.add(0, 65535);
  magnitudes.add(0, 1);
  CHECK(magnitudes.elements()[0] == 65535);
  CHECK(magnitudes.saturations() == 1);
}

TEST_CASE("ring_buffer: two synapses of a row on one element both count", "[kernels][ring_buffer]") {
  using Word = SynapticWord<4, 1, 3>;
  RingBuffer<Word> ring;
  const std::uint32_t word = Word::encode({7, 2, 0, 5}).value();
  const std::vector<std::uint32_t> row(19, word);
  add_row(ring, row, 10);
  CHECK(ring.slot(12, 0)[5] == 7 * 19);
}

TEST_CASE("ring_buffer: a wrong address or step cannot leave the buffer", "[kernels][ring_buffer]") {
  using Word = SynapticWord<4, 1, 3>;
  RingBuffer<Word> ring;
  ring.add(0xFFFFFFFF, 1);
  CHECK(ring.elements().back() == 1);
  CHECK(ring.slot(0xFFFFFFFF, 0xFF).data() + 16 == ring.elements().data() + ring.elements().size());
}
