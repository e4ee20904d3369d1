// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>
#include <neuromorph/kernels/synapses/plastic_row.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {
struct TwoWords {
  std::uint32_t a = 0;
  std::int32_t b = 0;
};
} // namespace

TEST_CASE("plastic_row: what stands where", "[plastic_row]") {
  std::array<std::uint32_t, PlasticRow<TwoWords>::words(2, 3)> words;
  words.fill(77);
  auto row = PlasticRow<TwoWords>::make(words, 2, 1000).value();
  CHECK(words.size() == 4 + 4 + 3);
  CHECK(row.size() == 0);
  CHECK(row.room() == 2);
  CHECK(row.time() == 1000);
  CHECK(row.trace().a == 0);
  CHECK(row.trace().b == 0);
  CHECK(row.fixed().size() == 3);
  CHECK(row.fixed().data() == words.data() + 8);
  CHECK(row.changing_words() == 8);
  row.set(0xFFFF'FFFF, {5, -6});
  CHECK(row.time() == 0xFFFF'FFFF);
  CHECK(row.trace().a == 5);
  CHECK(row.trace().b == -6);
  CHECK(row.append(10, 100));
  CHECK(row.append(11, 101));
  CHECK_FALSE(row.append(12, 102));
  CHECK(row.size() == 2);
  CHECK((row.plastic()[0] == 10 && row.plastic()[1] == 11 && row.states()[0] == 100 && row.states()[1] == 101));
  CHECK((words[4] == 10 && words[6] == 100 && words[8] == 0));
  row.remove(0);
  CHECK((row.size() == 1 && row.plastic()[0] == 11 && row.states()[0] == 101));
  CHECK(row.room() == 2);
  row.remove(0);
  CHECK((row.plastic().empty() && row.states().empty()));
}

TEST_CASE("plastic_row: what is no row is refused", "[plastic_row]") {
  using Row = PlasticRow<std::uint32_t>;
  std::array<std::uint32_t, 9> words{};
  CHECK(Row::make(words, 65536, 0).status() == Status{Error::parameter_out_of_range, 0, 65536, "room"});
  CHECK(Row::make(words, 4, 0).status() == Status{Error::buffer_full, 0, 11, "to"});
  CHECK(words == std::array<std::uint32_t, 9>{});
  std::vector<std::uint32_t> most(Row::words(65535, 0));
  REQUIRE(Row::make(most, 65535, 0).ok());
  CHECK(Row(most).room() == 65535);
  REQUIRE(Row::make(words, 3, 0));
  CHECK(Row::from(words));
  for (std::uint32_t length = 0; length < 9; ++length) {
    const auto cut = Row::from(std::span{words}.first(length));
    CHECK(cut.status() == Status{Error::row_cut_off, length, length == 0 ? 3 : 9, "row"});
  }
  CHECK(std::string(sentence(Row::from(std::span{words}.first(5)).status()).text.data()) ==
        "row = 9 at 5: a row has so many words, by its header, and ends at this one");
  words[0] = 3U << 16 | 4; // more than there is room for
  CHECK(Row::from(words).status() == Status{Error::parameters_contradict, 3, 4, "size"});
  CHECK(Row::from(std::span{words}.first(8)).status() == Status{Error::row_cut_off, 8, 9, "row"});
  words[0] = 3U << 16 | 3;
  CHECK(Row::from(words));
}

TEST_CASE("plastic_row: synapses that come and go", "[plastic_row]") {
  for (const std::uint32_t seed : Seeds(20)) {
    INFO("seed " << seed);
    Sfc32 random({.seed = seed});
    const std::uint32_t room = uniform_below(random, 9), fixed = uniform_below(random, 5);
    std::vector<std::uint32_t> words(PlasticRow<std::uint32_t>::words(room, fixed));
    auto row = PlasticRow<std::uint32_t>::make(words, room, 0).value();
    for (std::uint32_t& word : row.fixed()) word = 0xF1;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> model;
    for (std::uint32_t step = 0; step < 200; ++step) {
      if (random.next() % 2 == 0) {
        CHECK(row.append(step, step + 1000) == (model.size() < room));
        if (model.size() < room) model.emplace_back(step, step + 1000);
      } else if (!model.empty()) {
        const std::uint32_t at = uniform_below(random, static_cast<std::uint32_t>(model.size()));
        row.remove(at);
        model[at] = model.back();
        model.pop_back();
      }
      REQUIRE(row.size() == model.size());
      for (std::size_t at = 0; at < model.size(); ++at)
        REQUIRE((row.plastic()[at] == model[at].first && row.states()[at] == model[at].second));
      for (const std::uint32_t word : row.fixed()) REQUIRE(word == 0xF1);
      REQUIRE(row.is_whole());
    }
  }
}

TEST_CASE("plastic_row: rules may have a word of their own", "[plastic_row]") {
  using Row = PlasticRow<std::uint32_t, 1>;
  std::array<std::uint32_t, Row::words(3, 2)> words;
  words.fill(77);
  CHECK(words.size() == 3 + 9 + 2);
  auto row = Row::make(words, 3, 5).value();
  CHECK(row.changing_words() == 12);
  CHECK((row.append(10, 100) && row.append(11, 101) && row.append(12, 102) && !row.append(13, 103)));
  row.own_words()[0] = 1000, row.own_words()[1] = 1001, row.own_words()[2] = 1002;
  CHECK((words[3] == 10 && words[6] == 100 && words[9] == 1000 && words[11] == 1002));
  CHECK(row.fixed().data() == words.data() + 12);
  row.remove(0);
  CHECK((row.plastic()[0] == 12 && row.states()[0] == 102 && row.own_words()[0] == 1002));
  CHECK(row.own_words().size() == 2);
  CHECK(row.append(14, 104)); // in the place of one that had a word
  CHECK(row.own_words()[2] == 0);
  CHECK(Row::make(words, 4, 0).status() == Status{Error::buffer_full, 0, 15, "to"});
}
