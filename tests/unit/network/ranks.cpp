// SPDX-License-Identifier: BSL-1.0
// Processes against one process: messages, digests, what recorders and inputs are told, and ranks that refuse, leave or die.
#include <neuromorph/network/transport/shared_memory.hpp>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <neuromorph/kernels/plasticity/timing_rules/nearest_pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/network/checkpoint.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/live.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/network/report.hpp>
#include <neuromorph/network/weight_file.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/folders.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/throwing_rule.hpp>

namespace {

using namespace networks;
using network::Engine;
using network::EngineOptions;
using network::PopulationId;
using network::SharedMemory;
using neuromorph::Error;
using neuromorph::Refusal;

using Work = std::function<std::string(SharedMemory&)>;

/// Memory for what ranks answer: "gone" of one that ended without an answer.
class Answers {
public:
  explicit Answers(unsigned ranks) : ranks_(ranks) {
    void* const memory = ::mmap(nullptr, ranks * most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    text_ = static_cast<char*>(memory);
    for (unsigned rank = 0; rank < ranks; ++rank) std::strcpy(text_ + rank * most, "gone");
  }
  ~Answers() { ::munmap(text_, ranks_ * most); }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  [[nodiscard]] std::string of(unsigned rank) const { return text_ + rank * most; }
  [[nodiscard]] std::vector<std::string> all() const {
    std::vector<std::string> all;
    for (unsigned rank = 0; rank < ranks_; ++rank) all.push_back(of(rank));
    return all;
  }
  /// Makes the ranks, of which this process is the first. Copies end here.
  void ask(const Work& work, std::size_t bytes) {
    const ::pid_t parent = ::getpid();
    auto made = SharedMemory::fork(ranks_, bytes);
    std::string answer;
    unsigned rank = 0;
    if (made) {
      rank = made.value()->rank();
      try {
        answer = work(*made.value());
      } catch (const std::exception& exception) { answer = std::string("threw ") + exception.what(); }
    } else {
      answer = made.sentence();
    }
    answer.resize(std::min(answer.size(), most - 1));
    std::memcpy(text_ + rank * most, answer.c_str(), answer.size() + 1);
    if (::getpid() == parent) return;
    if (made) made.value().reset();
    ::_exit(0);
  }

private:
  static constexpr std::size_t most = 4096;
  unsigned ranks_;
  char* text_ = nullptr;
};

/// What each rank answers. What a copy checks, it answers in words: a test that failed there would go on as a second program.
std::vector<std::string> on_ranks(unsigned ranks, const Work& work, std::size_t bytes = SharedMemory::default_bytes) {
  Answers answers(ranks);
  answers.ask(work, bytes);
  return answers.all();
}
/// The same where the first rank is a copy, too, and may be killed.
std::vector<std::string> on_copies(unsigned ranks, const Work& work) {
  Answers answers(ranks);
  const ::pid_t first = ::fork();
  REQUIRE(first >= 0);
  if (first == 0) {
    answers.ask(work, SharedMemory::default_bytes);
    ::_exit(0);
  }
  ::waitpid(first, nullptr, 0);
  // Whose parent was killed is nobody's any more: it has ended when it has answered.
  for (unsigned rank = 1; rank < ranks; ++rank)
    for (int waited_ms = 0; answers.of(rank) == "gone" && waited_ms < 20'000; waited_ms += 5)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return answers.all();
}
/// Where every rank must answer the same.
void all_answer(const std::string& expected, unsigned ranks, const Work& work) {
  CHECK(on_ranks(ranks, work) == std::vector<std::string>(ranks, expected));
}

std::uint32_t random(std::uint32_t& state) {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return state;
}

std::string text_of(const Engine::Totals& totals) {
  std::string text = std::to_string(totals.digest) + " of " + std::to_string(totals.synapses) + ":";
  for (const std::uint64_t one : numbers_of(totals.counts)) text += " " + std::to_string(one);
  return text;
}

/// Spikes and words as they come, in one number and some counts.
class Witness final : public network::Recorder {
public:
  explicit Witness(network::Wanted wanted) : Recorder(std::move(wanted)) {}
  Refusal on_spikes(std::uint64_t step, PopulationId population, std::span<const std::uint32_t> neurons) override {
    add(step), add(std::uint32_t(population));
    for (const std::uint32_t one : neurons) add(one);
    return {};
  }
  Refusal on_words(std::uint64_t step, PopulationId population, std::size_t word,
                   std::span<const std::int32_t> words) override {
    add(step), add(std::uint32_t(population)), add(word);
    for (const std::int32_t one : words) add(static_cast<std::uint32_t>(one));
    return {};
  }
  Refusal on_step(std::uint64_t step) override {
    add(step);
    if (step == throws_at) throw std::runtime_error("a recorder's own");
    if (step == refuses_at) return {{Error::file_failed}, "a disk", "it is full"};
    return {};
  }
  Refusal on_end(std::uint64_t steps) override {
    add(steps);
    return {};
  }
  [[nodiscard]] std::string text() const { return std::to_string(value_) + " " + std::to_string(told_); }
  std::uint64_t refuses_at = 0, throws_at = 0;

private:
  void add(std::uint64_t one) {
    value_ = (value_ ^ one) * 0x9E37'79B9'7F4A'7C15U;
    value_ ^= value_ >> 29;
    ++told_;
  }
  std::uint64_t value_ = 1, told_ = 0;
};

network::Wanted all_and_words(const network::Network& net) {
  network::Wanted wanted = all_spikes(net);
  const PopulationId cells{2}, others{4};
  wanted.words.push_back({cells, 0, {0, 3, 64, 65, 127, 128, 199}, 7});
  wanted.words.push_back({others, 1, {99}, 1});
  wanted.words.push_back({cells, 1, {5}, 100});
  return wanted;
}

/// A network of `everything`, recorded, in pieces that are no intervals.
std::string run_all(const network::Network& net, const EngineOptions& options, unsigned recording_rank = ~0U) {
  auto made = Engine::make(net, options);
  if (!made) return made.sentence();
  Engine& engine = made.value();
  Witness witness(all_and_words(net));
  const bool records = recording_rank == ~0U || engine.rank() == recording_rank;
  if (records && !engine.record(witness)) return "not recorded";
  for (const std::uint64_t steps : {1U, 16U, 133U, 100U})
    if (const auto refused = engine.run(steps); !refused) return refused.sentence();
  if (!engine.finish()) return "not finished";
  const auto totals = engine.totals();
  if (!totals) return totals.sentence();
  return text_of(totals.value()) + (recording_rank == ~0U ? ", told " + witness.text() : "");
}

using Own = neuromorph::Neuron<neuromorph::PerNeuron<neuromorph::membrane::Lif>, neuromorph::synapse::Exponential<1>>;
/// Neurons of which one is another one, and a rule.
network::Network learning(std::uint32_t which, const std::shared_ptr<const network::PlasticityRule>& rule) {
  network::Network net({.dt_ms = 0.1, .seed = 5});
  const auto cells =
      net.add<Own>("cells", 300, {.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0}, .weights = {{nanoampere}}}},
                   [=](std::uint32_t neuron, network::NeuronDraws& draws, Own::Parameters& one) {
                     one.membrane.tau_ms = draws(network::uniform(19.0, 21.0)) + (neuron == which ? 0.1 : 0.0);
                   });
  net.connect(cells, cells, network::Pairwise{0.1}, {.weight = 0.2, .plasticity = rule});
  return net;
}

/// Loops through delays of one step, so that an interval is a step.
network::Network small(std::uint64_t seed = 5, double weight = 0.2) {
  network::Network net({.dt_ms = 0.1, .seed = seed});
  const auto fed = net.add_source("fed", 70);
  const auto cells = net.add<Cells>("cells", 300, cell);
  net.add_background(cells, {.receptor = 0, .rate_hz = 4000.0, .weight = 0.2});
  net.connect(fed, cells, network::Pairwise{0.2}, {.weight = weight, .delay_ms = network::uniform(0.5, 2.0)});
  net.connect(cells, cells, network::FixedIndegree{20}, {.receptor = 1, .weight = 0.1, .delay_ms = 0.5});
  return net;
}

} // namespace

TEST_CASE("ranks: each hears all of each, however long and however often") {
  for (const unsigned ranks : {1U, 2U, 3U, 5U})
    all_answer("all heard", ranks, [](SharedMemory& world) -> std::string {
      for (std::uint32_t round = 0; round < 300; ++round) {
        const auto message = [&](unsigned rank) {
          std::uint32_t state = round * 1000 + rank + 1;
          std::vector<std::uint32_t> words(random(state) % 5 == 0 ? 0 : random(state) % 3000);
          for (auto& word : words) word = random(state);
          return words;
        };
        const auto own = message(world.rank());
        if (!world.begin(own) || !world.end()) return "refused";
        for (unsigned rank = 0; rank < world.ranks(); ++rank) {
          const auto heard = world.message(rank);
          if (const auto said = message(rank); !std::equal(heard.begin(), heard.end(), said.begin(), said.end()))
            return "another message";
        }
      }
      return "all heard";
    });
}

TEST_CASE("ranks: there are as many as are asked for, from 1 to 256, and no message is longer than was said") {
  for (const unsigned ranks : {0U, 257U}) {
    const auto made = SharedMemory::fork(ranks);
    REQUIRE(!made);
    CHECK(made.status().error == Error::parameter_out_of_range);
  }
  const auto answers = on_ranks(
      2,
      [](SharedMemory& world) {
        if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        auto refusal = world.begin(std::vector<std::uint32_t>(world.rank() == 0 ? 1000 : 10));
        if (refusal) refusal = world.end();
        return refusal.sentence();
      },
      400);
  CHECK(answers[0] == "rank 0: a message of 4004 bytes is longer than the 404 that SharedMemory::fork was told of");
  CHECK(answers[1] == "rank 0: its process is gone");
}

TEST_CASE("ranks: what comes out does not depend on them, nor on their threads") {
  const auto net = everything<Cells>(cell, 0.1);
  const std::string expected = run_all(net, {.threads = 1});
  CHECK(expected.find("told") != std::string::npos);
  for (const unsigned ranks : {1U, 2U, 3U, 4U, 8U})
    for (const unsigned threads : {1U, 2U})
      for (const std::uint32_t parts : {0U, 8U, 13U}) {
        INFO(ranks << " ranks, " << threads << " threads, " << parts << " parts");
        all_answer(expected, ranks, [&](SharedMemory& world) {
          return run_all(net, {.threads = threads, .parts = parts, .transport = &world});
        });
      }
}

TEST_CASE("ranks: one may record what the others do not") {
  const auto net = everything<Cells>(cell, 0.1);
  const std::string expected = run_all(net, {.threads = 1}, 0);
  for (const unsigned recording : {0U, 2U, 7U})
    all_answer(expected, 3,
               [&](SharedMemory& world) { return run_all(net, {.threads = 1, .transport = &world}, recording); });
}

TEST_CASE("ranks: a source may be fed on any of them") {
  const auto net = small();
  const auto run = [&](unsigned feeding, const EngineOptions& options) -> std::string {
    auto made = Engine::make(net, options);
    if (!made) return made.sentence();
    Engine& engine = made.value();
    Witness witness(all_spikes(net));
    network::FunctionInput input(PopulationId{0}, [](std::uint64_t step, std::vector<std::uint32_t>& neurons) {
      auto state = static_cast<std::uint32_t>(step + 1);
      for (std::uint32_t neuron = 70; neuron-- > 0;)
        if (random(state) % 8 == 0) neurons.push_back(neuron);
    });
    if (!engine.record(witness)) return "not recorded";
    if (engine.rank() == feeding && !engine.feed(input)) return "not fed";
    for (const std::uint64_t steps : {3U, 400U, 1U})
      if (const auto refused = engine.run(steps); !refused) return refused.sentence();
    const auto totals = engine.totals();
    return totals ? text_of(totals.value()) + witness.text() : totals.sentence();
  };
  const std::string expected = run(0, {.threads = 1});
  for (const unsigned feeding : {0U, 1U, 2U})
    for (const unsigned threads : {1U, 2U})
      all_answer(expected, 3,
                 [&](SharedMemory& world) { return run(feeding, {.threads = threads, .transport = &world}); });

  const auto answers = on_ranks(2, [&](SharedMemory& world) { return run(world.rank(), {.transport = &world}); });
  CHECK(answers[0] == answers[1]); // each feeds: rank 1 is the second
  CHECK(on_ranks(3, [&](SharedMemory& world) {
          return run(world.rank() == 0 ? 0 : world.rank(), {.threads = 1, .transport = &world});
        })[2] == "rank 1: it feeds population 0, fed, as rank 0 does");
}

TEST_CASE("ranks: an input that refuses ends all before the interval, and all go on") {
  const auto net = small();
  const auto run = [&](const EngineOptions& options, unsigned by, bool throws) -> std::string {
    auto made = Engine::make(net, options);
    if (!made) return made.sentence();
    Engine& engine = made.value();
    bool is_first = true;
    network::FunctionInput input(PopulationId{0}, [&](std::uint64_t step, std::vector<std::uint32_t>& neurons) {
      neurons.push_back(static_cast<std::uint32_t>(step % 70));
      if (step != 101 || !std::exchange(is_first, false)) return;
      if (throws) throw std::runtime_error("an eye's own");
      neurons.push_back(70);
    });
    if (engine.rank() == by && !engine.feed(input)) return "not fed";
    std::string said;
    try {
      said = engine.run(200).sentence();
    } catch (const std::exception& exception) { said = exception.what(); }
    said += " after " + std::to_string(engine.time());
    if (const auto refused = engine.run(200 - engine.time()); !refused) return "later " + refused.sentence();
    const auto totals = engine.totals();
    return said + ", " + (totals ? text_of(totals.value()) : totals.sentence());
  };
  for (const bool throws : {false, true}) {
    const std::string expected = run({.threads = 1}, 0, throws);
    const std::string why = throws ? "an eye's own" : "population 0, fed: in step 101 it was fed neuron 70, and has 70";
    const std::string rest = expected.substr(why.size());
    CHECK(expected == why + rest);
    CHECK(rest.find(" after 100,") == 0);
    const auto answers =
        on_ranks(3, [&](SharedMemory& world) { return run({.threads = 2, .transport = &world}, 1, throws); });
    CHECK(answers[1] == expected);
    for (const unsigned other : {0U, 2U})
      CHECK(answers[other] == "rank 1: " + (throws ? "it was ended by an exception: " + why : why) + rest);
  }
}

TEST_CASE("ranks: a recorder that refuses ends all in the same step, and all go on") {
  const auto net = everything<Cells>(cell, 0.1);
  const auto run = [&](const EngineOptions& options, unsigned by, std::uint64_t at, bool throws) -> std::string {
    auto made = Engine::make(net, options);
    if (!made) return made.sentence();
    Engine& engine = made.value();
    Witness witness(all_and_words(net)), other(all_and_words(net));
    (throws ? witness.throws_at : witness.refuses_at) = at;
    if (!engine.record(other)) return "not recorded";
    if (engine.rank() == by && !engine.record(witness)) return "not recorded";
    std::string said;
    try {
      said = engine.run(200).sentence();
    } catch (const std::exception& exception) { said = exception.what(); }
    const std::uint64_t ended = engine.time();
    witness.refuses_at = witness.throws_at = 0;
    if (ended < 200)
      if (const auto refused = engine.run(200 - ended); !refused) return "later " + refused.sentence();
    const auto totals = engine.totals();
    return said + " after " + std::to_string(ended) + ", " +
           (totals ? text_of(totals.value()) + other.text() : totals.sentence());
  };
  for (const bool throws : {false, true})
    for (const std::uint64_t at : {1U, 77U, 199U, 200U}) {
      const std::string expected = run({.threads = 1}, 0, at, throws);
      const std::string why = throws ? "a recorder's own" : "a disk: it is full";
      const std::string rest = expected.substr(why.size());
      CHECK(expected == why + rest);
      const auto answers =
          on_ranks(3, [&](SharedMemory& world) { return run({.threads = 2, .transport = &world}, 2, at, throws); });
      CHECK(answers[2] == expected);
      for (const unsigned other : {0U, 1U})
        CHECK(answers[other] == "rank 2: " + (throws ? "it was ended by an exception: " + why : why) + rest);
    }
}

TEST_CASE("ranks: who is killed, or leaves, is named by all others") {
  const auto net = small();
  for (const unsigned lost : {0U, 1U, 2U})
    for (const bool is_killed : {false, true}) {
      const auto answers = on_ranks(3, [&](SharedMemory& world) -> std::string {
        auto made = Engine::make(net, {.threads = 1, .transport = &world});
        if (!made) return made.sentence();
        Engine& engine = made.value();
        if (const auto refused = engine.run(100); !refused) return refused.sentence();
        if (world.rank() == lost) {
          // Rank 0 is the test itself: it cannot be killed here, so it is as if its process were gone for the others.
          if (is_killed && lost != 0) std::raise(SIGKILL);
          return "left";
        }
        const auto refused = engine.run(100);
        const auto again = engine.run(100);
        if (again.sentence() != refused.sentence()) return "at the second time " + again.sentence();
        if (const auto totals = engine.totals(); totals || totals.sentence() != refused.sentence()) return "totals";
        if (refused.status.error != Error::rank_failed) return "another error";
        return refused.sentence();
      });
      const std::string name = "rank " + std::to_string(lost) + ": ";
      for (unsigned rank = 0; rank < 3; ++rank) {
        INFO("rank " << rank << " when " << lost << " is lost");
        if (rank == lost)
          CHECK(answers[rank] == (is_killed && lost != 0 ? "gone" : "left"));
        else if (is_killed && lost != 0)
          CHECK(answers[rank] == name + "its process is gone");
        else
          CHECK((answers[rank] == name + "it has left while the others went on" ||
                 answers[rank] == name + "its process is gone"));
      }
    }
}

TEST_CASE("ranks: the first of them is killed, also while threads of others are in the middle of a run") {
  const auto net = small();
  // Each way takes ten seconds where there are two cores.
  for (const auto& [threads, lost] : {std::pair{2U, 0U}, std::pair{1U, 1U}}) {
    const unsigned of_each = threads, gone = lost; // a lambda takes no structured binding
    const auto answers = on_copies(3, [&](SharedMemory& world) -> std::string {
      auto made = Engine::make(net, {.threads = of_each, .parts = 6, .transport = &world});
      if (!made) return made.sentence();
      Engine& engine = made.value();
      if (const auto refused = engine.run(100); !refused) return refused.sentence();
      network::FunctionRecorder killing({}, [&](std::uint64_t step, std::span<const std::uint32_t>) {
        if (step == 163) std::raise(SIGKILL);
      });
      if (world.rank() == gone && !engine.record(killing)) return "not recorded";
      const auto refused = engine.run(1'000'000);
      if (engine.run(100).sentence() != refused.sentence()) return "another sentence at the second time";
      if (refused.status.error != Error::rank_failed) return "another error";
      return refused.sentence();
    });
    INFO(threads << " threads, rank " << lost << " is killed");
    for (unsigned rank = 0; rank < 3; ++rank)
      CHECK(answers[rank] == (rank == lost ? "gone" : "rank " + std::to_string(lost) + ": its process is gone"));
  }
}

TEST_CASE("ranks: a network that is another one somewhere is refused by all, and what differs is named") {
  const auto differs = [&](const network::Network& other) {
    return on_ranks(3, [&](SharedMemory& world) {
      return Engine::make(world.rank() == 1 ? other : small(), {.threads = 1, .transport = &world}).sentence();
    });
  };
  network::Network begins = small();
  begins.begin_at(PopulationId{1}, 0, network::uniform(-60.0, -55.0));
  network::Network more = small();
  more.connect(PopulationId{1}, PopulationId{1}, network::Pairwise{0.1});
  for (const auto& [other, what] : {std::pair{small(6), "its seed is another one"},
                                    std::pair{small(5, 0.3), "projection 0, fed to cells, is another one there"},
                                    std::pair{begins, "population 1, cells, is another one there"},
                                    std::pair{more, "it has other numbers of populations or projections"}}) {
    const auto answers = differs(other);
    CHECK(answers[0] == std::string("rank 1: it runs another network: ") + what);
    CHECK(answers[2] == answers[0]);
    CHECK(answers[1].find("rank 0: it runs another network: ") == 0);
  }
  using Pair = neuromorph::timing::Pair<neuromorph::DecayTable<3000>>;
  using Nearest = neuromorph::timing::NearestPair<neuromorph::DecayTable<3000>>;
  const network::WeightRange range{.lowest = 0.0, .highest = 0.5};
  const auto pair = network::learns<Pair>({}, range);
  const std::string of_population = "rank 1: it runs another network: population 0, cells, is another one there";
  const std::string of_rule = "rank 1: it runs another network: projection 0, cells to cells, is another one there";
  for (const auto& [other, sentence] :
       {std::pair{learning(299, pair), of_population}, std::pair{learning(64, pair), of_population},
        std::pair{learning(~0U, network::learns<Nearest>({}, range)), of_rule},
        std::pair{learning(~0U, network::learns<Pair>({.tau_plus_ms = 20.001}, range)), of_rule},
        std::pair{learning(~0U, network::learns<Pair>({.a_plus = 0.0101}, range)), of_rule},
        std::pair{learning(~0U, network::learns<Pair>({}, range)), std::string()}}) {
    const auto answers = on_ranks(2, [&, &described = other](SharedMemory& world) {
      const auto made = Engine::make(world.rank() == 1 ? described : learning(~0U, pair),
                                     {.threads = 2, .parts = 4, .transport = &world});
      return made ? "" : made.sentence();
    });
    CHECK(answers[0] == sentence);
  }
  const auto parts = on_ranks(2, [](SharedMemory& world) {
    return Engine::make(small(), {.threads = 1, .parts = 4 + world.rank(), .transport = &world}).sentence();
  });
  CHECK(parts[0] == "rank 1: it asks for 5 parts, and this one for 4");
  const auto threads = on_ranks(2, [](SharedMemory& world) {
    return Engine::make(small(), {.threads = 1 + world.rank(), .transport = &world}).sentence();
  });
  CHECK(threads[1] == "rank 0: it has 1 threads, and this one 2: then the parts must be said");
  all_answer("1 parts are fewer than the 2 ranks", 2, [](SharedMemory& world) {
    return Engine::make(small(), {.threads = 1, .parts = 1, .transport = &world}).sentence();
  });
}

TEST_CASE("ranks: who cannot make its share tells the others why") {
  const auto answers = on_ranks(2, [](SharedMemory& world) {
    network::Network net({.dt_ms = 0.1, .seed = 1});
    const auto cells = net.add<Cells>("cells", 256, cell);
    std::vector<network::Listed> all; // more than a sum of 32 bits holds, into one neuron of the second half
    for (std::uint32_t source = 0; source < 256; ++source)
      for (int time = 0; time < 200; ++time) all.push_back({source, 200, 1.0, 1.0});
    net.connect(cells, cells, network::FromList{all});
    return Engine::make(net, {.threads = 1, .parts = 2, .transport = &world}).sentence();
  });
  CHECK(answers[1].find("population 0, cells, neuron 200: ") == 0);
  CHECK(answers[0] == "rank 1: " + answers[1]);
}

TEST_CASE("ranks: rows of another rank are refused") {
  const auto answers = on_ranks(2, [](SharedMemory& world) -> std::string {
    const auto net = small();
    for (const unsigned rank : {0U, 1U}) {
      auto rows = network::build(net, {.threads = 1, .parts = 4, .rank = rank, .ranks = 2});
      if (!rows) return rows.sentence();
      const auto made = Engine::make(net, std::move(rows.value()), {.threads = 1, .parts = 4, .transport = &world});
      if (rank != world.rank() && made.sentence() != "rows: they are those of another rank") return made.sentence();
      if (rank == world.rank() &&
          made.sentence() != "rank " + std::to_string(1 - rank) + ": rows: they are those of another rank")
        return made.sentence();
    }
    return "refused";
  });
  CHECK(answers == std::vector<std::string>(2, "refused"));
}

TEST_CASE("ranks: who does something else than the others is named") {
  const auto net = small();
  const auto answers = on_ranks(2, [&](SharedMemory& world) -> std::string {
    auto made = Engine::make(net, {.threads = 1, .transport = &world});
    if (!made) return made.sentence();
    Engine& engine = made.value();
    const auto refused = engine.run(world.rank() == 0 ? 100 : 50);
    if (engine.time() != 0) return "it ran";
    if (const auto second = engine.run(10); !second) return second.sentence(); // nothing is lost yet
    if (world.rank() == 0) return refused.sentence() + "; " + engine.totals().sentence();
    return refused.sentence() + "; " + engine.run(10).sentence();
  });
  CHECK(answers[0] ==
        "rank 1: it runs 50 steps from step 0, and this one 100 from step 0; rank 1: it is in Engine::run, "
        "and this one in Engine::totals");
  CHECK(answers[1] == "rank 0: it runs 100 steps from step 0, and this one 50 from step 0; rank 0: it is in "
                      "Engine::totals, and this one in Engine::run");
}

TEST_CASE("ranks: a state that some have saved goes on with any number of others") {
  const auto net = everything<Cells>(cell, 0.1);
  const std::string path = (std::filesystem::temp_directory_path() / "neuromorph_ranks_checkpoint").string();
  const auto bytes_of = [](const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto run = [&](const EngineOptions& options, std::uint64_t steps, bool loads, bool saves) -> std::string {
    auto made = Engine::make(net, options);
    if (!made) return made.sentence();
    Engine& engine = made.value();
    if (loads) { // over what it had
      if (!engine.run(45)) return "not run before";
      if (const auto refused = network::load(engine, path); !refused) return refused.sentence();
    }
    if (const auto refused = engine.run(steps); !refused) return refused.sentence();
    if (saves)
      if (const auto refused = network::save(engine, path); !refused) return refused.sentence();
    const auto totals = engine.totals();
    return totals ? text_of(totals.value()) : totals.sentence();
  };
  const std::string begun = run({.threads = 1}, 517, false, true), saved = bytes_of(path);
  const std::string whole = run({.threads = 1}, 817, false, false);
  REQUIRE(saved.size() > 100'000);
  for (const unsigned saving : {1U, 2U, 3U, 8U}) {
    INFO(saving << " save");
    all_answer(begun, saving, [&](SharedMemory& world) {
      return run({.threads = 1, .parts = 8, .transport = &world}, 517, false, true);
    });
    CHECK((bytes_of(path) == saved)); // ranks do not show
    for (const unsigned loading : {1U, 2U, 4U}) {
      INFO(loading << " load");
      all_answer(whole, loading, [&](SharedMemory& world) {
        return run({.threads = 2, .parts = 5 - loading % 2, .transport = &world}, 300, true, false);
      });
    }
  }
  CHECK(run({.threads = 1}, 300, true, false) == whole);

  // What one cannot do, none does.
  const auto refused_by_all = [&](const std::string& name, bool saves) {
    return on_ranks(3, [&](SharedMemory& world) -> std::string {
      auto made = Engine::make(net, {.threads = 1, .transport = &world});
      if (!made) return made.sentence();
      Engine& engine = made.value();
      if (!engine.run(817)) return "not run";
      const auto refused = saves ? network::save(engine, name) : network::load(engine, name);
      if (refused) return "not refused";
      const auto totals = engine.totals();
      if (!totals || text_of(totals.value()) != whole) return "not as before";
      return refused.sentence();
    });
  };
  const std::string nowhere = path + "_no_folder/file";
  auto answers = refused_by_all(nowhere, true);
  CHECK(answers[0].find(nowhere) == 0);
  CHECK(answers[1] == "rank 0: " + answers[0]);
  CHECK(answers[2] == answers[1]);
  for (const std::size_t length : {std::size_t{0}, saved.size() / 2, saved.size() - 4}) {
    std::ofstream(path, std::ios::binary) << saved.substr(0, length);
    answers = refused_by_all(path, false);
    for (const std::string& one : answers) CHECK(one.find(path + ": ") == 0);
  }
  std::filesystem::remove(path);
}

TEST_CASE("ranks: who throws in a part is named by all others, in the same step") {
  const auto pair = network::learns<neuromorph::timing::Pair<neuromorph::DecayTable<3000>>>({}, {.highest = 0.5});
  for (const unsigned threads : {1U, 2U}) {
    const auto answers = on_ranks(3, [&](SharedMemory& world) -> std::string {
      network::Network net = small();
      const std::uint32_t from = world.rank() == 1 ? 50 : ~0U;
      net.connect(PopulationId{1}, PopulationId{1}, network::Pairwise{0.1},
                  {.weight = 0.01, .delay_ms = 0.5, .plasticity = std::make_shared<ThrowingRule>(pair, from)});
      auto made = Engine::make(net, {.threads = threads, .parts = 6, .transport = &world});
      if (!made) return made.sentence();
      Engine& engine = made.value();
      std::string said;
      try {
        said = engine.run(1000).sentence();
      } catch (const std::exception& exception) { said = std::string("threw ") + exception.what(); }
      return said + " after " + std::to_string(engine.time());
    });
    CHECK(answers[1].find("threw forgetful after ") == 0);
    for (const unsigned other : {0U, 2U})
      CHECK(answers[other] == "rank 1: it was ended by an exception: " + answers[1].substr(6));
  }
}

TEST_CASE("ranks: a state that is cut off anywhere is refused by all, and changes nothing") {
  network::Network net({.dt_ms = 0.1, .seed = 3});
  const auto chance = net.add_poisson("chance", 2, 500.0);
  const auto cells = net.add<Cells>("cells", 66, cell); // two parts
  const auto rule = network::learns<neuromorph::timing::Pair<neuromorph::DecayTable<3000>>>({}, {.highest = 2.0});
  net.connect(chance, cells, network::FixedTotal{40}, {.weight = 1.0, .delay_ms = 1.0, .plasticity = rule});
  const Folder folder;
  const std::string path = folder / "state", whole = folder / "whole";
  const auto answers = on_ranks(2, [&](SharedMemory& world) -> std::string {
    auto made = Engine::make(net, {.threads = 1, .parts = 2, .transport = &world});
    if (!made) return made.sentence();
    Engine& engine = made.value();
    if (!engine.run(200) || !network::save(engine, whole) || !engine.run(50)) return "not run";
    const std::string bytes = contents_of(whole);
    if (bytes.size() > 8000) return "of " + std::to_string(bytes.size()) + " bytes";
    const auto before = engine.digest();
    for (std::size_t length = 0; length < bytes.size();
         length += 5) { // in one process: unit.network.checkpoint, at all
      if (world.rank() == 0) write_file(path, bytes.substr(0, length));
      if (!world.begin({}) || !world.end()) return "alone";
      const auto refused = network::load(engine, path);
      if (refused.status.error != Error::file_malformed || refused.sentence().find(path + ": ") != 0)
        return "at " + std::to_string(length) + ": " + refused.sentence();
      if (engine.digest() != before || engine.time() != 250) return "changed at " + std::to_string(length);
    }
    return network::load(engine, whole).ok() && engine.time() == 200 ? "all refused" : "the whole one, too";
  });
  CHECK(answers == std::vector<std::string>(2, "all refused"));
}

TEST_CASE("ranks: the weights that each writes are all together those of the network") {
  const auto net = everything<Cells>(cell, 0.1);
  const Folder folder;
  const PopulationId from{0}, to{2}; // whose projection learns
  using Row = std::tuple<double, double, double, double, double>;
  const auto rows_of = [](const std::string& path) {
    auto file = network::NpyReader::open(path);
    REQUIRE(file.ok());
    std::vector<Row> all;
    REQUIRE(file.value().each([&](std::uint64_t, const network::NpyRow& row) -> Refusal {
      all.emplace_back(row.number(0), row.number(1), row.number(2), row.number(3), row.number(4));
      return {};
    }));
    return all;
  };
  const auto write = [&](const EngineOptions& options, const std::string& name) -> std::string {
    auto made = Engine::make(net, options);
    if (!made) return made.sentence();
    Engine& engine = made.value();
    if (const auto report = network::report(net, engine.rows(), 1); !report) return report.sentence();
    for (int piece = 0; piece < 3; ++piece) {
      if (const auto refused = engine.run(300); !refused) return refused.sentence();
      const std::string path = folder / (name + std::to_string(piece) + "." + std::to_string(engine.rank()) + ".npy");
      if (const auto refused = network::write_weights(path, net, engine.rows(), from, to); !refused)
        return refused.sentence();
    }
    return "written";
  };
  CHECK(write({.threads = 1}, "one") == "written");
  all_answer("written", 3,
             [&](SharedMemory& world) { return write({.threads = 1, .parts = 3, .transport = &world}, "some"); });
  std::vector<Row> before;
  for (int piece = 0; piece < 3; ++piece) {
    auto expected = rows_of(folder / ("one" + std::to_string(piece) + ".0.npy"));
    std::vector<Row> found;
    for (unsigned rank = 0; rank < 3; ++rank) {
      const auto own = rows_of(folder / ("some" + std::to_string(piece) + "." + std::to_string(rank) + ".npy"));
      CHECK_FALSE(own.empty());
      found.insert(found.end(), own.begin(), own.end());
    }
    std::sort(expected.begin(), expected.end()), std::sort(found.begin(), found.end());
    CHECK(expected.size() > 4000);
    CHECK((found == expected));
    CHECK((found != before));
    before = found;
  }
}
