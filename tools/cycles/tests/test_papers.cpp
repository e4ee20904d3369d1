// SPDX-License-Identifier: BSL-1.0
/// \file
/// The model against the figures that "Streamlining SpiNNaker" and its author's logs give, from the papers' own
/// sequences.
#include "tests/support/catch.hpp"

#include "support.hpp"

namespace {

using test::cycles::Core;

double per_pass(test::Outcome const& outcome, char const* name) { return outcome[name].mean(); }

} // namespace

TEST_CASE("papers: LIF neurons take 12, 20 and 23 cycles, 12.98 on average", "[papers]") {
  auto const outcome =
      test::run({.elf = test::assemble("lif", Core::arm9e, test::fixture("lif.s")), .result_words = 1});
  REQUIRE(outcome.failure == "");
  CHECK(outcome.words[0] == 32); // one spike for each neuron

  // One neuron, 1000 steps: 979 ordinary, 20 refractory, one spike.
  auto const& one = outcome["one"];
  CHECK(one.count == 1000);
  CHECK(one.min == 12);
  CHECK(one.max == 23);
  CHECK(one.total.cycles == 979 * 12 + 20 * 20 + 23);

  // 26 + 12 n, and 8 more for each refractory, 11 for each spiking neuron: the author's logs.
  auto const& call = outcome["lif"];
  CHECK(call.count == 1000);
  CHECK(call.min == 26 + 12 * 32);
  CHECK(call.total.cycles == 1000 * (26 + 12 * 32) + 32 * (20 * 8 + 11));

  // "12.9835 cycles per neuron, on average, including the call/return sequence and the constants".
  CHECK(call.items == 32);
  CHECK(call.per_item() == Approx(12.9835).epsilon(1e-9));
}

TEST_CASE("papers: a call for n LIF neurons takes 26 + 12 n cycles", "[papers]") {
  for (int const n : {8, 16}) {
    std::string text = test::fixture("lif.s");
    text.replace(text.find(".rept   31"), 10, ".rept " + std::to_string(n - 1));
    auto const outcome = test::run({.elf = test::assemble("lif_" + std::to_string(n), Core::arm9e, text)});
    REQUIRE(outcome.failure == "");
    CHECK(outcome["lif"].min == static_cast<std::uint64_t>(26 + 12 * n));
    CHECK(outcome["lif"].max == static_cast<std::uint64_t>(26 + 12 * n + 11));
  }
}

TEST_CASE("papers: a synaptic event takes 7 cycles with 32 bits, 6.5 with 16", "[papers]") {
  auto const outcome =
      test::run({.elf = test::assemble("synapse", Core::arm9e, test::fixture("synapse.s")), .result_words = 512});
  REQUIRE(outcome.failure == "");
  // The paper says 5; the shifted offsets cost one cycle each.
  CHECK(outcome["pair32"].per_item() == Approx(7.0));
  CHECK(outcome["pair32"].total.stall[static_cast<std::size_t>(test::cycles::Cause::shift)] == 32);
  CHECK(outcome["pair16"].per_item() == Approx(6.5));
  // Event i adds i + 1 at slot 17 i, three later for the time.
  for (unsigned i = 0; i < 16; ++i) { CHECK(outcome.words[17 * i + 3] == i + 1); }
}

TEST_CASE("papers: JKISS64 and Poisson values", "[papers]") {
  auto const outcome =
      test::run({.elf = test::assemble("poisson", Core::arm9e, test::fixture("poisson.s")),
                 .functions = {"jkiss_block", "poisson_words", "poisson_bytes"},
                 .intervals = {"jkiss_value=jkiss,jkiss_stored", "jkiss_loop=jkiss,jkiss_done",
                               "word_value=next_word,words_stored", "byte_word=next_bytes,bytes_stored"},
                 .result_words = 3});
  REQUIRE(outcome.failure == "");
  constexpr double loop = 4; // compare and branch

  CHECK(per_pass(outcome, "jkiss_value") == 14);
  double const generated = per_pass(outcome, "jkiss_block") / 4096;
  CHECK(generated == Approx(18).margin(0.02));

  // 33 + 3 k: the paper saw 33 to 57, 37.87 on average; 33 + 3 * 1.6 is 37.8.
  CHECK(outcome["word_value"].min + loop + 18 == 33);
  CHECK((outcome["word_value"].max - outcome["word_value"].min) % 3 == 0);
  double const mean_count = outcome.words[0] / 4096.0;
  CHECK(mean_count == Approx(1.6).margin(0.05));
  double const word = generated + per_pass(outcome, "poisson_words") / 4096;
  CHECK(word == Approx(33 + 3 * mean_count).margin(0.03));
  CHECK(word == Approx(37.8).margin(0.15));

  // The paper's best was 55 for four, 13.89 on average; the model's best is 54.
  CHECK(outcome["byte_word"].min + loop + 18 == 54);
  double const used = outcome.words[2];
  double const byte = (used * generated + per_pass(outcome, "poisson_bytes")) / 4096;
  CHECK(byte == Approx(13.65).margin(0.1));
  CHECK(outcome.words[1] / 4096.0 == Approx(1.5915).margin(0.05)); // the byte table is biased
  // To the last digit: a change of any rule shows here.
  CHECK(word == Approx(37.8660).margin(0.0001));
  CHECK(byte == Approx(13.7016).margin(0.0001));
}
