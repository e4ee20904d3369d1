// SPDX-License-Identifier: BSL-1.0
// The CUBA example against a double-precision simulation of the same connections and initial state.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "examples/cuba/network.hpp"
#include "examples/cuba/options.hpp"
#include "examples/cuba/simulation.hpp"
#include "tests/reference/cuba_double.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"

namespace {

constexpr double dt_ms = 0.1;

cuba::Network network_from_seed(std::uint32_t neurons, std::uint64_t seed) {
  cuba::Network network;
  network.neurons = neurons;
  REQUIRE(cuba::set_time_step(network, dt_ms).empty());
  REQUIRE(cuba::build_from_seed(network, seed).empty());
  return network;
}

/// The same connections with the weights of the publication, not those of the number format.
reference::Cuba in_doubles(const cuba::Network& network) {
  std::vector<std::vector<reference::Cuba::Synapse>> synapses(network.neurons);
  for (std::uint32_t pre = 0; pre < network.neurons; ++pre)
    for (const std::uint32_t word : network.rows.row(pre)) {
      const auto synapse = cuba::Word::decode(word);
      synapses[pre].push_back({synapse.index, synapse.type == 0 ? 16.2 : -90.0});
    }
  std::vector<double> initial_mv;
  for (const std::int32_t word : network.initial) initial_mv.push_back(cuba::Model::value(network.made, 0, word));
  return {reference::Cell{}, dt_ms, network.delay_steps, std::move(synapses), initial_mv};
}

/// Mean rate and mean CV of intervals over neurons with at least three spikes, from spike times.
struct Firing {
  double rate_hz = 0.0, cv = 0.0;
};
Firing firing(const std::vector<std::vector<double>>& times_ms, std::size_t first, std::size_t last, double seconds) {
  Firing result;
  std::size_t spikes = 0, with_cv = 0;
  for (std::size_t neuron = first; neuron < last; ++neuron) {
    const auto& times = times_ms[neuron];
    spikes += times.size();
    if (times.size() < 3) continue;
    const double count = static_cast<double>(times.size() - 1);
    const double mean = (times.back() - times.front()) / count;
    double variance = 0.0;
    for (std::size_t at = 1; at < times.size(); ++at) variance += std::pow(times[at] - times[at - 1] - mean, 2) / count;
    result.cv += std::sqrt(variance) / mean;
    ++with_cv;
  }
  result.cv /= static_cast<double>(with_cv);
  result.rate_hz = static_cast<double>(spikes) / static_cast<double>(last - first) / seconds;
  return result;
}

std::string temporary(const std::string& name, const std::string& bytes) {
  const std::string path = "neuromorph_" + std::to_string(getpid()) + "_" + name;
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

template <class Value>
std::string bytes_of(Value value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

} // namespace

TEST_CASE("cuba: fires as the double-precision network does", "[examples][cuba]") {
  constexpr double seconds = sanitized ? 2.0 : 5.0;
  const auto network = network_from_seed(4000, 1);
  auto exact = in_doubles(network);
  const auto ring = std::make_unique<cuba::Ring>();
  cuba::Simulation fixed(network, *ring);
  std::vector<std::vector<double>> fixed_times(4000), exact_times(4000);
  for (std::uint32_t step_number = 1; step_number <= seconds * 1000.0 / dt_ms; ++step_number) {
    const auto fired = fixed.step();
    fixed.observe(fired);
    for (const auto neuron : fired) fixed_times[neuron].push_back(step_number * dt_ms);
    for (const auto neuron : exact.step()) exact_times[neuron].push_back(step_number * dt_ms);
  }

  std::size_t early = 0, same_step = 0;
  for (std::size_t neuron = 0; neuron < 4000; ++neuron) {
    const double a = fixed_times[neuron].empty() ? 1e9 : fixed_times[neuron][0];
    const double b = exact_times[neuron].empty() ? 1e9 : exact_times[neuron][0];
    if (a > 20.0 && b > 20.0) continue;
    ++early;
    same_step += a == b ? 1U : 0U;
  }
  std::printf("first spikes within 20 ms: %zu of %zu on the same step\n", same_step, early);
  CHECK(early > 500);
  CHECK(static_cast<double>(same_step) >= 0.9 * static_cast<double>(early));

  const std::uint32_t excitatory = cuba::excitatory_count(4000);
  for (const auto& [first, last] : {std::pair{0U, excitatory}, std::pair{excitatory, 4000U}}) {
    const auto ours = firing(fixed_times, first, last, seconds), theirs = firing(exact_times, first, last, seconds);
    std::printf("neurons %u..%u: rate %.3f Hz, in doubles %.3f Hz; CV %.4f, in doubles %.4f\n", first, last - 1,
                ours.rate_hz, theirs.rate_hz, ours.cv, theirs.cv);
    CHECK(ours.rate_hz == Approx(theirs.rate_hz).epsilon(0.03));
    CHECK(ours.cv == Approx(theirs.cv).epsilon(0.05));
    // what the example prints is counted in another way
    CHECK(fixed.firing(first, last).rate_hz == Approx(ours.rate_hz).epsilon(1e-9));
    CHECK(fixed.firing(first, last).cv == Approx(ours.cv).epsilon(1e-6));
  }
  CHECK(fixed.saturations() == 0);
}

TEST_CASE("cuba: one network per seed, with connections as drawn", "[examples][cuba]") {
  const auto one = network_from_seed(4000, 1), again = network_from_seed(4000, 1), other = network_from_seed(4000, 2);
  CHECK(one.words == again.words);
  CHECK(one.initial == again.initial);
  CHECK(one.words != other.words);
  // 4000 * 3999 pairs with probability 0.02: mean 319 920, standard deviation 560
  CHECK(std::fabs(static_cast<double>(one.words.size()) - 319920.0) < 4 * 560.0);
  std::uint32_t self = 0;
  for (std::uint32_t pre = 0; pre < 4000; ++pre)
    for (const auto word : one.rows.row(pre)) {
      const auto synapse = cuba::Word::decode(word);
      self += synapse.index == pre ? 1U : 0U;
      REQUIRE(synapse.type == (pre < 3200 ? 0U : 1U));
      REQUIRE(synapse.delay == 2);
    }
  CHECK(self == 0);
  double mean = 0.0;
  for (const auto word : one.initial) mean += cuba::Model::value(one.made, 0, word) / 4000.0;
  CHECK(mean == Approx(-55.0).margin(4 * 10.0 / std::sqrt(12.0 * 4000.0)));
}

TEST_CASE("cuba: a network read from files is the one that was written", "[examples][cuba]") {
  const auto built = network_from_seed(300, 3);
  std::string connections, initial;
  for (std::uint32_t pre = 0; pre < 300; ++pre)
    for (const auto word : built.rows.row(pre)) {
      const auto synapse = cuba::Word::decode(word);
      connections += bytes_of(pre) + bytes_of(synapse.index) + bytes_of(synapse.type == 0 ? 16.2F : -90.0F);
    }
  for (const auto word : built.initial)
    initial += bytes_of(1.0F - static_cast<float>(word) / static_cast<float>(built.made.constants.reset.v));
  const auto connections_path = temporary("connections", connections), initial_path = temporary("initial", initial);
  cuba::Network read;
  read.neurons = 300;
  REQUIRE(cuba::set_time_step(read, dt_ms).empty());
  CHECK(cuba::read_connections(read, connections_path) == "");
  CHECK(cuba::read_initial(read, initial_path) == "");
  CHECK(read.words == built.words);
  CHECK(read.first == built.first);
  for (std::size_t neuron = 0; neuron < 300; ++neuron)
    REQUIRE(std::abs(read.initial[neuron] - built.initial[neuron]) <= 4);

  SECTION("and what is wrong with a file is said in one sentence") {
    const auto complain = [&](const std::string& bytes) {
      return cuba::read_connections(read, temporary("connections", bytes));
    };
    CHECK_THAT(complain(connections.substr(0, 30)),
               Catch::Contains("ends in the middle of a record of 12 bytes, after record 2"));
    CHECK_THAT(complain(bytes_of(300U) + bytes_of(0U) + bytes_of(1.0F)),
               Catch::Contains("record 1: pre-synaptic neuron"));
    CHECK_THAT(complain(bytes_of(0U) + bytes_of(300U) + bytes_of(1.0F)),
               Catch::Contains("record 1: a synapse names a neuron outside the population (300)"));
    CHECK_THAT(complain(bytes_of(0U) + bytes_of(1U) + bytes_of(1e9F)), Catch::Contains("does not fit"));
    CHECK_THAT(complain(bytes_of(0U) + bytes_of(1U) + bytes_of(1e-9F)), Catch::Contains("would become zero"));
    CHECK_THAT(cuba::read_connections(read, "/nowhere/at/all"), Catch::Contains("cannot read /nowhere/at/all"));
    CHECK_THAT(cuba::read_initial(read, temporary("initial", initial.substr(4))),
               Catch::Contains("299 initial values for 300"));
    CHECK_THAT(cuba::read_initial(read, temporary("initial", bytes_of(1.5F))), Catch::Contains("not between 0 and 1"));
    CHECK_THAT(cuba::read_initial(read, temporary("initial", initial + "x")), Catch::Contains("middle of a record"));
  }
  std::remove(connections_path.c_str());
  std::remove(initial_path.c_str());
}

TEST_CASE("cuba: bad options are one sentence each", "[examples][cuba]") {
  const auto complain = [](std::vector<std::string> words) {
    std::vector<char*> arguments;
    words.insert(words.begin(), "cuba");
    for (auto& word : words) arguments.push_back(word.data());
    cuba::Options options;
    return cuba::parse(static_cast<int>(arguments.size()), arguments.data(), options);
  };
  CHECK(complain({"--duration", "0.5", "--seed", "18446744073709551615"}).empty());
  CHECK_FALSE(complain({"--seed", "18446744073709551616"}).empty());
  CHECK(complain({"--duration", "0.5", "--neurons", "4096"}).empty());
  for (const auto& bad : std::vector<std::vector<std::string>>{{"--neurons", "4097"},
                                                               {"--neurons", "-5"},
                                                               {"--neurons", "5x"},
                                                               {"--duration", "nan"},
                                                               {"--duration", "-1"},
                                                               {"--dt", ""},
                                                               {"--seed", "1.5"},
                                                               {"--nonsense", "1"},
                                                               {"--dump", "0"},
                                                               {"--flip", "5"},
                                                               {"--flip", "5:4000"},
                                                               {"--output"}})
    CHECK(complain(bad).size() > 10);
}
