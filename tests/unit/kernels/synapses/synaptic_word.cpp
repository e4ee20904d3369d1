// SPDX-License-Identifier: BSL-1.0
#include <cstdint>
#include <random>

#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

TEST_CASE("synaptic_word: fields lie as the paper says, weight on top, then delay, type, index",
          "[kernels][synaptic_word]") {
  using Word = SynapticWord<8, 1, 4>;
  STATIC_REQUIRE(Word::weight_bits == 19);
  constexpr auto word = Word::encode({.weight = 5, .delay = 3, .type = 1, .index = 17});
  STATIC_REQUIRE(word.ok());
  STATIC_REQUIRE(word.value() == (5U << 13 | 3U << 9 | 1U << 8 | 17U));
}

TEST_CASE("synaptic_word: decode gives back what was encoded, for every delay, type and index",
          "[kernels][synaptic_word]") {
  using Word = SynapticWord<5, 1, 3, WeightSign::signed_value>;
  for (std::uint32_t delay = 1; delay <= 8; ++delay)
    for (std::uint32_t type = 0; type < 2; ++type)
      for (std::uint32_t index = 0; index < 32; ++index)
        for (const std::int32_t weight : {Word::lowest_weight, -1, 0, 1, Word::highest_weight}) {
          const Synapse synapse{weight, delay, type, index};
          const auto word = Word::encode(synapse);
          REQUIRE(word.ok());
          REQUIRE(Word::decode(word.value()) == synapse);
          REQUIRE(Word::weight(word.value()) == weight);
        }
}

TEST_CASE("synaptic_word: an address is (step + delay) mod slots, type, index", "[kernels][synaptic_word]") {
  using Word = SynapticWord<6, 1, 2>;
  std::mt19937 random(5);
  for (int turn = 0; turn < 100000; ++turn) {
    const auto step_number = static_cast<std::uint32_t>(random());
    const Synapse synapse{static_cast<std::int32_t>(random() % 1000), 1 + static_cast<std::uint32_t>(random() % 4),
                          static_cast<std::uint32_t>(random() % 2), static_cast<std::uint32_t>(random() % 64)};
    const std::uint32_t slot = static_cast<std::uint32_t>((std::uint64_t{step_number} + synapse.delay) % 4);
    const std::uint32_t expected = (slot * 2 + synapse.type) * 64 + synapse.index;
    INFO("step " << step_number << " delay " << synapse.delay);
    REQUIRE(Word::address(Word::encode(synapse).value(), Word::offset(step_number)) == expected);
  }
}

TEST_CASE("synaptic_word: what does not fit is refused with its name and value", "[kernels][synaptic_word]") {
  using Word = SynapticWord<8, 1, 4>;
  CHECK(Word::encode({1, 1, 0, 256}).status() == Status{Error::index_out_of_range, 0, 256, "index"});
  CHECK(Word::encode({1, 1, 2, 0}).status() == Status{Error::type_out_of_range, 0, 2, "type"});
  CHECK(Word::encode({1, 0, 0, 0}).status() == Status{Error::delay_out_of_range, 0, 0, "delay"});
  CHECK(Word::encode({1, 17, 0, 0}).status() == Status{Error::delay_out_of_range, 0, 17, "delay"});
  CHECK(Word::encode({-1, 1, 0, 0}).status() == Status{Error::weight_out_of_range, 0, -1, "weight"});
  CHECK(Word::encode({1 << 19, 1, 0, 0}).status() == Status{Error::weight_out_of_range, 0, 1 << 19, "weight"});
  CHECK(Word::encode({(1 << 19) - 1, 16, 1, 255}).ok());
}
