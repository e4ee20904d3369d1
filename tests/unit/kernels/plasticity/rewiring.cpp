// SPDX-License-Identifier: BSL-1.0
// Synapses that come and go, beside a plain set of pairs, and probabilities beside their formulas.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/rewiring.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Word = SynapticWord<8, 1, 4>;
using Update = DeferredUpdate<Word, timing::Pair<>, weight::Additive>;
using Row = Update::Row;
constexpr std::uint32_t sources = 12, neurons = 16, room = 5;

struct Always {
  constexpr Share operator()(std::uint32_t, std::uint32_t) const { return ~Share{0}; }
};
struct Half {
  constexpr Share operator()(std::uint32_t, std::uint32_t) const { return 0x8000'0000; }
};
template <class Chance>
using Rewire = Rewiring<Update, Chance>;

Update update() { return Update::from({0, 1000}, timing::Pair<>::from({}, 1.0).value()).value(); }

} // namespace

TEST_CASE("rewiring: rows are what a plain set of pairs is", "[rewiring]") {
  for (const std::uint32_t seed : Seeds(30)) {
    INFO("seed " << seed);
    Sfc32 random(StreamId{seed}), drawn(StreamId{seed, 1});
    auto learning = update();
    auto rewiring =
        Rewire<Half>::from(
            {.initial = 300, .delay = 7, .type = 1, .weak = 200, .eliminate_weak = 0.75, .eliminate_strong = 0.125},
            learning, {})
            .value();
    std::array<std::array<std::uint32_t, Row::words(room, 2)>, sources> words{};
    for (auto& of : words) {
      auto row = Row::make(of, room, 0).value();
      for (auto& fixed : row.fixed()) fixed = 0xF1F1;
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> model; // weights
    std::array<std::uint32_t, sources> in_row{};
    RewiringCounts counts;
    TraceStore<Share, neurons> history;
    for (std::uint32_t now = 1; now < 2000; ++now) {
      history.advance_to(now);
      const std::uint32_t pre = uniform_below(random, sources), post = uniform_below(random, neurons);
      Row row(words[pre]);
      if (now % 3 == 0) { // some weights become weak
        for (std::uint32_t at = 0; at < row.size(); ++at)
          if (uniform_below(random, 4) == 0) {
            const auto weight = static_cast<std::int32_t>(uniform_below(random, 400));
            learning.set_share(row.plastic()[at], row.states()[at], learning.state_of(weight).value());
            model.at({pre, row.plastic()[at] & 0xFF}) = weight;
          }
      }
      Sfc32 same = drawn;
      const std::uint32_t number = same.next();
      if (now % 50 == 0) { // not brought up to now: nothing happens
        const auto before = words[pre];
        REQUIRE(rewiring.attempt(words[pre], pre, post, now, drawn) == Rewired::wrong);
        REQUIRE(words[pre] == before);
        ++counts.attempts, ++counts.wrong;
        continue;
      }
      learning.flush(words[pre], now, history);
      const Rewired outcome = rewiring.attempt(words[pre], pre, post, now, drawn);
      REQUIRE(drawn.next() == same.next());
      ++counts.attempts;
      Rewired expected = Rewired::unchanged;
      if (const auto found = model.find({pre, post}); found != model.end()) {
        if (number < (found->second < 200 ? 0xC000'0000 : 0x2000'0000)) {
          expected = Rewired::eliminated;
          model.erase(found);
          --in_row[pre], ++counts.eliminated;
        }
      } else if (number < 0x8000'0000) {
        expected = in_row[pre] == room ? Rewired::full : Rewired::formed;
        if (expected == Rewired::formed) {
          model[{pre, post}] = 300;
          ++in_row[pre], ++counts.formed;
        } else {
          ++counts.full;
        }
      }
      REQUIRE(outcome == expected);
      REQUIRE(row.size() == in_row[pre]);
      for (std::uint32_t at = 0; at < row.size(); ++at) {
        const Synapse synapse = Word::decode(row.plastic()[at]);
        REQUIRE(model.at({pre, synapse.index}) == synapse.weight);
        REQUIRE((synapse.delay == 7 && synapse.type == 1));
        REQUIRE(learning.weight_of(row.states()[at]) == synapse.weight);
      }
      REQUIRE((row.fixed()[0] == 0xF1F1 && row.fixed()[1] == 0xF1F1));
    }
    CHECK(rewiring.counts() == counts);
    CHECK((counts.formed > 50 && counts.eliminated > 50 && counts.full > 50));
  }
}

TEST_CASE("rewiring: what is no row, and no neuron, is counted", "[rewiring]") {
  auto learning = update();
  auto rewiring = Rewire<Always>::from({.initial = 5}, learning, {}).value();
  Sfc32 random;
  std::array<std::uint32_t, 2> words{};
  CHECK(rewiring.attempt(words, 0, 0, 0, random) == Rewired::wrong);
  std::array<std::uint32_t, Row::words(1, 0)> row{};
  REQUIRE(Row::make(row, 1, 9));
  CHECK(rewiring.attempt(row, 0, 256, 9, random) == Rewired::wrong);
  CHECK(rewiring.attempt(row, 0, 255, 9, random) == Rewired::formed);
  CHECK(rewiring.counts() == RewiringCounts{3, 1, 0, 0, 2});
}

TEST_CASE("rewiring: a synapse that forms has no past", "[rewiring]") {
  auto learning = update();
  auto rewiring = Rewire<Always>::from({.initial = 500, .delay = 1}, learning, {}).value();
  TraceStore<Share, neurons> history;
  std::array<std::uint32_t, Row::words(1, 0)> words{};
  REQUIRE(Row::make(words, 1, 0));
  Sfc32 random;
  for (std::uint32_t now = 1; now <= 200; ++now) {
    history.advance_to(now);
    if (now < 99) learning.post_spike(history, 3, now);
  }
  learning.pre_spike(words, 200, history);
  REQUIRE(rewiring.attempt(words, 0, 3, 200, random) == Rewired::formed);
  history.advance_to(210);
  learning.flush(words, 210, history);
  CHECK(Word::weight(Row(words).plastic()[0]) == 500); // no event since
  history.advance_to(211);
  learning.post_spike(history, 3, 211);
  history.advance_to(300);
  learning.flush(words, 300, history);
  CHECK(Word::weight(Row(words).plastic()[0]) > 500);
}

TEST_CASE("rewiring: parameters that are none", "[rewiring]") {
  const auto learning = update();
  using Made = Rewire<Always>;
  CHECK(Made::from({.initial = 1001}, learning, {}).status() == Status{Error::weight_out_of_range, 0, 1001, "weight"});
  CHECK(Made::from({.delay = 17}, learning, {}).status() == Status{Error::delay_out_of_range, 0, 17, "delay"});
  CHECK(Made::from({.type = 2}, learning, {}).status() == Status{Error::type_out_of_range, 0, 2, "type"});
  CHECK(Made::from({.eliminate_weak = 1.5}, learning, {}).status() ==
        Status{Error::parameter_out_of_range, 0, 1.5, "eliminate_weak"});
  CHECK(Made::from({.eliminate_weak = -0.5}, learning, {}).status() ==
        Status{Error::parameter_out_of_range, 0, -0.5, "eliminate_weak"});
  CHECK(Made::from({.eliminate_strong = 1.5}, learning, {}).status() ==
        Status{Error::parameter_out_of_range, 0, 1.5, "eliminate_strong"});
  CHECK(Made::from({.eliminate_weak = 1, .eliminate_strong = 1}, learning, {}).ok());
  CHECK(Made::from({.eliminate_strong = -0.5}, learning, {}).status() ==
        Status{Error::parameter_out_of_range, 0, -0.5, "eliminate_strong"});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(Made::from({.eliminate_strong = nan}, learning, {}));
  using Distance = GaussianDistance<4, 4>;
  CHECK(Distance::from(1.01, 1).status() == Status{Error::parameter_out_of_range, 0, 1.01, "peak"});
  CHECK(Distance::from(1, 0.05).status() == Status{Error::parameter_out_of_range, 0, 0.05, "width"});
  CHECK(Distance::from(-0.5, 1).status() == Status{Error::parameter_out_of_range, 0, -0.5, "peak"});
  CHECK(Distance::from(1, 10000.5).status() == Status{Error::parameter_out_of_range, 0, 10000.5, "width"});
  CHECK((Distance::from(0, 0.1).ok() && Distance::from(1, 10000).ok()));
  CHECK_FALSE(Distance::from(nan, 1));
  CHECK_FALSE(Distance::from(1, nan));
}

namespace {
/// A random source that gives one word again and again.
struct Again {
  std::uint32_t word = 0;
  std::uint32_t next() const { return word; }
};
} // namespace

TEST_CASE("rewiring: what is given where nothing is: a synapse of weight 0 forms and stays", "[rewiring]") {
  const auto learning = update();
  Again least;
  for (const double eliminate_weak : {0.0, 1.0}) {
    auto rewiring = Rewire<Always>::from({.eliminate_weak = eliminate_weak}, learning, {}).value();
    std::array<std::uint32_t, Row::words(2, 0)> words{};
    auto row = Row::make(words, 2, 0).value();
    REQUIRE(rewiring.attempt(words, 0, 3, 0, least) == Rewired::formed);
    const Synapse synapse = Word::decode(row.plastic()[0]);
    CHECK((synapse.weight == 0 && synapse.delay == 1 && synapse.type == 0 && synapse.index == 3));
    CHECK(row.states()[0] == 0);
    CHECK(rewiring.attempt(words, 0, 3, 0, least) == Rewired::unchanged); // no weight is weak
  }
  auto stays = Rewire<Always>::from({.weak = 1}, learning, {}).value(); // weak, and yet it stays
  std::array<std::uint32_t, Row::words(1, 0)> of_weak{};
  REQUIRE(Row::make(of_weak, 1, 0));
  REQUIRE(stays.attempt(of_weak, 0, 3, 0, least) == Rewired::formed);
  CHECK(stays.attempt(of_weak, 0, 3, 0, least) == Rewired::unchanged);
  Rewire<Half> none;
  std::array<std::uint32_t, Row::words(1, 0)> words{};
  auto row = Row::make(words, 1, 0).value();
  CHECK(none.counts() == RewiringCounts{});
  REQUIRE(none.attempt(words, 0, 0, 0, least) == Rewired::formed);
  CHECK((row.plastic()[0] == 0 && row.states()[0] == 0));
  CHECK(none.attempt(words, 0, 0, 0, least) == Rewired::unchanged);
}

TEST_CASE("rewiring: of no parameters, what is there stays, negative weights, too", "[rewiring]") {
  using SignedWord = SynapticWord<8, 1, 4, WeightSign::signed_value>;
  using SignedUpdate = DeferredUpdate<SignedWord, timing::Pair<>, weight::Additive>;
  Rewiring<SignedUpdate, Half> none;
  std::array<std::uint32_t, SignedUpdate::Row::words(2, 0)> words{};
  auto row = SignedUpdate::Row::make(words, 2, 0).value();
  for (const std::uint32_t at : {0U, 1U})
    REQUIRE(
        row.append(SignedWord::encode({.weight = at == 0 ? -5 : 5, .delay = 1, .type = 0, .index = at}).value(), 0));
  Again least;
  for (const std::uint32_t post : {0U, 1U}) CHECK(none.attempt(words, 0, post, 0, least) == Rewired::unchanged);
  CHECK(row.size() == 2);
}

TEST_CASE("rewiring: of 2^32 numbers as many let it happen as the chance is", "[rewiring]") {
  const auto learning = update();
  for (const bool is_weak : {false, true})
    for (const std::uint32_t number : {0U, 0x3FFF'FFFFU, 0x4000'0000U, 0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFFFU}) {
      INFO("drawn " << number);
      auto rewiring = Rewire<Half>::from(
                          {.initial = 100, .weak = is_weak ? 101 : 100, .eliminate_weak = 1, .eliminate_strong = 0.25},
                          learning, {})
                          .value();
      std::array<std::uint32_t, Row::words(1, 0)> words{};
      REQUIRE(Row::make(words, 1, 0));
      Again random{number};
      const Rewired forms = rewiring.attempt(words, 0, 3, 0, random);
      CHECK(forms == (number < 0x8000'0000 ? Rewired::formed : Rewired::unchanged));
      random.word = 0;
      if (forms == Rewired::unchanged) REQUIRE(rewiring.attempt(words, 0, 3, 0, random) == Rewired::formed);
      random.word = number;
      CHECK(rewiring.attempt(words, 0, 3, 0, random) ==
            (is_weak || number < 0x4000'0000 ? Rewired::eliminated : Rewired::unchanged));
    }
}

TEST_CASE("rewiring: probabilities by distance are to nearest", "[rewiring]") {
  // With 1 in the other direction. A peak of 1 is held a unit of 2^-32 below it, so that twice a factor of 2^-31 or one
  // less is left.
  const auto distance = GaussianDistance<4096, 1>::from(1, 900).value();
  double worst = 0;
  for (std::uint32_t cells = 0; cells <= 2048; ++cells) {
    const double factor = distance(0, cells) / 2 + distance(0, cells) % 2;
    worst = std::fmax(worst, std::fabs(factor - 0x1p31 * std::exp(-0.5 * cells * cells / (900.0 * 900.0))));
  }
  CHECK(worst <= 0.501);
  CHECK(GaussianDistance<4096, 1>::from(0.5, 900).value()(7, 7) == 0x8000'0000);
}

TEST_CASE("rewiring: probability by distance, periodic both ways", "[rewiring]") {
  const auto compare = [](auto distance, std::uint32_t width, std::uint32_t height, double peak, double sigma) {
    for (std::uint32_t pre = 0; pre < width * height; ++pre)
      for (std::uint32_t post = 0; post < width * height; ++post) {
        const auto along = [](std::uint32_t a, std::uint32_t b, std::uint32_t around) {
          const double apart = std::fabs(double(a) - double(b));
          return std::fmin(apart, around - apart);
        };
        const double x = along(pre % width, post % width, width), y = along(pre / width, post / width, height);
        const double expected = peak * std::exp(-(x * x + y * y) / (2 * sigma * sigma));
        REQUIRE(std::fabs(distance(pre, post) / 4294967296.0 - expected) < 2e-9);
      }
  };
  compare(GaussianDistance<16, 16>::from(0.16, 2.5).value(), 16, 16, 0.16, 2.5);
  compare(GaussianDistance<7, 12>::from(1.0, 100).value(), 7, 12, 1.0, 100);
  compare(GaussianDistance<5, 1>::from(0.5, 0.3).value(), 5, 1, 0.5, 0.3);
  constexpr auto made = GaussianDistance<3, 3>::from(1.0, 1.0);
  static_assert(made.value()(4, 4) == 0xFFFF'FFFF);
}

TEST_CASE("rewiring: partners among those that fired last", "[rewiring]") {
  RecentSources<3> recent;
  CHECK(recent.size() == 0);
  recent.fired(7);
  Sfc32 random;
  CHECK(recent.choose(random) == 7);
  for (const std::uint32_t source : {1U, 2U, 3U, 2U}) recent.fired(source); // 7 and 1 are forgotten
  CHECK(recent.size() == 3);
  std::array<int, 8> chosen{};
  constexpr int draws = sanitized ? 3000 : 30000;
  for (int draw = 0; draw < draws; ++draw) ++chosen[recent.choose(random)];
  CHECK((chosen[7] == 0 && chosen[1] == 0));
  CHECK(std::fabs(chosen[2] - draws * 2 / 3.0) < 5 * std::sqrt(draws * 2 / 9.0));
  CHECK(chosen[2] + chosen[3] == draws);
}

namespace {

/// All events for ever, of a neuron each.
class AllEvents {
public:
  using Trace = Share;
  struct Past {
    const AllEvents* all;
    std::uint32_t after, until;
    template <class Before, class Each>
    bool of(std::uint32_t neuron, Before before, Each each) const {
      const auto& events = all->of[neuron];
      std::size_t at = events.size();
      while (at != 0 && is_before(after, events[at - 1].first)) --at;
      if (at != 0) before(events[at - 1].first, events[at - 1].second);
      for (; at != events.size() && !is_before(until, events[at].first); ++at)
        each(events[at].first, events[at].second);
      return true;
    }
    static std::uint32_t complete_after() { return 0; }
  };
  Past past(std::uint32_t after, std::uint32_t until) const { return {this, after, until}; }
  std::array<std::vector<std::pair<std::uint32_t, Share>>, neurons> of;
};

} // namespace

// Each synapse is a reader of its neuron. What a row asks counts as no read, so its synapses read the same window after it.
TEMPLATE_TEST_CASE("rewiring: synapses are readers of their neurons", "[rewiring]", (gc::Pool<512>), gc::Sliding<512>,
                   gc::Ring<60>) {
  std::uint32_t changes = 0;
  for (const std::uint32_t seed : Seeds(2)) {
    INFO("seed " << seed);
    Sfc32 random(StreamId{seed});
    const std::uint32_t start = 0U - 2000U;
    auto learning = DeferredUpdate<Word, timing::Pair<>, weight::Additive, PostSynapticDelay::none>::from(
                        {0, 1000}, timing::Pair<>::from({.a_plus = 0.03, .a_minus = 0.03}, 1.0).value())
                        .value();
    auto with_all = learning;
    auto rewiring = Rewiring<decltype(learning), Half>::from(
                        {.initial = 300, .weak = 300, .eliminate_weak = 0.9, .eliminate_strong = 0.6}, learning, {})
                        .value();
    const auto history = std::make_unique<TraceStore<Share, neurons, TestType, gc::ReadCountPerNeuron<>>>(start);
    AllEvents all;
    std::array<std::array<std::uint32_t, Row::words(room, 0)>, sources> words{}, same{};
    for (auto& of : words) REQUIRE(Row::make(of, room, start).ok());
    same = words;
    std::array<std::uint32_t, neurons> readers{};
    std::uint32_t live = 0;

    /// Brings a row up to date, and reads what it was told.
    const auto update = [&](std::uint32_t pre, std::uint32_t now, bool is_spike) {
      const std::uint32_t since = Row(words[pre]).time();
      if (is_spike)
        learning.pre_spike(words[pre], now, *history), with_all.pre_spike(same[pre], now, all);
      else
        learning.flush(words[pre], now, *history), with_all.flush(same[pre], now, all);
      if (words[pre] != same[pre]) FAIL("a row lacks an event, or has one too many, at " << now - start);
      for (const std::uint32_t word : Row(words[pre]).plastic()) {
        const std::uint32_t post = word & 0xFF;
        std::size_t at = all.of[post].size(), shown = 0, expected = 0;
        while (at != 0 && is_before(since, all.of[post][at - 1].first)) --at, ++expected;
        for (const auto& [time, trace] : history->window(post, since, now)) {
          if (at + shown == all.of[post].size() || all.of[post][at + shown] != std::pair{time, Share{trace}})
            FAIL("another event is shown");
          ++shown;
        }
        if (shown != expected) FAIL("a reader is shown " << shown << " events for " << expected);
      }
    };
    std::uint32_t now = start;
    const std::uint32_t wanted = sanitized ? 2000 : 20'000;
    std::uint32_t most = 0;
    for (std::uint32_t done = 0; done < wanted;) {
      history->advance_to(++now);
      for (std::uint32_t post = 0; post < neurons; ++post)
        for (std::uint32_t burst = uniform_below(random, 12) != 0 ? 0 : 1 + uniform_below(random, 8) / 7; burst != 0;
             --burst) {
          if (learning.post_spike(*history, post, now) != gc::Recorded::stored) FAIL("there is no room");
          all.of[post].emplace_back(now, history->newest(post).trace);
        }
      // All rows in turn, so that none is silent for long.
      const std::uint32_t turn = now % sources;
      update(turn, now, uniform_below(random, 2) == 0);
      for (std::uint32_t tries = uniform_below(random, 6); tries != 0; --tries) {
        const std::uint32_t pre = uniform_below(random, sources), post = uniform_below(random, neurons);
        update(pre, now, uniform_below(random, 4) == 0);
        const auto row_before = words[pre];
        switch (rewiring.attempt(words[pre], pre, post, now, random)) {
        case Rewired::formed:
          REQUIRE(history->add_reader(post, now));
          ++readers[post], ++done;
          break;
        case Rewired::eliminated:
          REQUIRE(history->remove_reader(post, now));
          --readers[post], ++done;
          break;
        case Rewired::full: REQUIRE(Row(words[pre]).size() == room); [[fallthrough]];
        case Rewired::unchanged: REQUIRE(words[pre] == row_before); break;
        case Rewired::wrong: FAIL("a row is wrong");
        }
        same[pre] = words[pre];
        if (history->readers(post) != readers[post]) FAIL("readers are miscounted");
      }
      live = static_cast<std::uint32_t>(history->events());
      most = live > most ? live : most;
      for (auto& of : all.of) // a window is at most as long as a turn
        if (of.size() > 4000) of.erase(of.begin(), of.begin() + 3000);
    }
    changes += rewiring.counts().formed + rewiring.counts().eliminated;
    CHECK(rewiring.counts().full > wanted / 1000);
    CHECK(most < 2 * sources * neurons); // events of a turn, and those that are not found yet
    // Nobody reads any more: nothing is left.
    for (std::uint32_t pre = 0; pre < sources; ++pre)
      for (const std::uint32_t word : Row(words[pre]).plastic())
        REQUIRE(history->remove_reader(word & 0xFF, Row(words[pre]).time()));
    for (std::uint32_t post = 0; post < neurons; ++post) CHECK(history->readers(post) == 0);
    for (std::uint32_t tick = 0; tick < 400; ++tick) history->advance_to(++now);
    CHECK(history->events() == 0);
    CHECK(history->counts().reclaimed == history->counts().stored);
    CHECK(history->counts().reclaimed_unread == 0);
    CHECK(history->counts().incomplete_windows == 0);
    CHECK(learning.counts() == with_all.counts());
  }
  CHECK(changes >= (sanitized ? 4000 : 40'000));
}
