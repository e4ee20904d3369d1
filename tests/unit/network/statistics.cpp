// SPDX-License-Identifier: BSL-1.0
// Statistics against plain sums over a table of all neurons and bins, and against what is known of Poisson, gamma, regular and
// copied trains.
#include <neuromorph/network/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/seeds.hpp>
#include <tests/support/spike_trains.hpp>

namespace {

using namespace networks;
using network::Recording;
using network::Statistics;
using network::StatisticsOptions;

Recording recording_of(const std::vector<Train>& trains, const std::vector<std::uint32_t>& neurons, std::uint64_t steps,
                       double dt_ms) {
  Recording recording{.dt_ms = dt_ms, .steps = steps};
  for (std::size_t at = 0; at < trains.size(); ++at) {
    recording.populations.push_back({"p" + std::to_string(at), neurons[at]});
    for (const auto& [step, neuron] : trains[at]) recording.populations[at].spikes.add(step, neuron);
  }
  return recording;
}
Statistics of_one(const Train& train, std::uint32_t neurons, std::uint64_t steps, const StatisticsOptions& options = {},
                  double dt_ms = 1.0) {
  return statistics(recording_of({train}, {neurons}, steps, dt_ms), options)[0];
}

using Counts = std::vector<std::vector<double>>; // [neurons][bins]

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double one : values) sum += one;
  return sum / static_cast<double>(values.size());
}
/// Sum of squared deviations over the number less `less`.
double variance_of(const std::vector<double>& values, double less) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double one : values) sum += (one - mean) * (one - mean);
  return sum / (static_cast<double>(values.size()) - less);
}

/// The same numbers the long way.
struct Plain {
  const Train& train;
  std::uint32_t neurons;
  std::uint64_t first, last; // steps that are looked at

  [[nodiscard]] Counts counts(std::uint64_t width) const {
    Counts all(neurons, std::vector<double>(last < first ? 0 : (last - first + 1) / width, 0.0));
    for (const auto& [step, neuron] : train)
      if (step >= first && step <= last && (step - first) / width < all[0].size())
        ++all[neuron][(step - first) / width];
    return all;
  }
  [[nodiscard]] std::vector<double> intervals(std::uint32_t of) const {
    std::vector<double> found;
    std::uint64_t before = 0;
    for (const auto& [step, neuron] : train) {
      if (neuron != of || step < first || step > last) continue;
      if (before != 0) found.push_back(static_cast<double>(step - before));
      before = step;
    }
    return found;
  }
  [[nodiscard]] std::optional<double> cv() const {
    std::vector<double> all;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if (const auto of = intervals(neuron); of.size() >= 2) all.push_back(std::sqrt(variance_of(of, 0)) / mean_of(of));
    return all.empty() ? std::optional<double>{} : mean_of(all);
  }
  [[nodiscard]] std::optional<double> fano(std::uint64_t width) const {
    std::vector<double> all;
    for (const auto& of : counts(width))
      if (of.size() >= 2 && mean_of(of) > 0.0) all.push_back(variance_of(of, 1) / mean_of(of));
    return all.empty() ? std::optional<double>{} : mean_of(all);
  }
  [[nodiscard]] std::optional<double> correlation(std::uint64_t width) const {
    Counts varying;
    for (const auto& of : counts(width))
      if (of.size() >= 2 && variance_of(of, 0) > 1e-12) varying.push_back(of);
    std::vector<double> all;
    for (std::size_t a = 0; a < varying.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        double sum = 0.0;
        for (std::size_t bin = 0; bin < varying[a].size(); ++bin)
          sum += (varying[a][bin] - mean_of(varying[a])) * (varying[b][bin] - mean_of(varying[b]));
        all.push_back(sum / static_cast<double>(varying[a].size()) /
                      std::sqrt(variance_of(varying[a], 0) * variance_of(varying[b], 0)));
      }
    return all.empty() ? std::optional<double>{} : mean_of(all);
  }
  [[nodiscard]] std::vector<double> together(std::uint64_t width) const {
    const Counts all = counts(width);
    std::vector<double> sums(all[0].size(), 0.0);
    for (const auto& of : all)
      for (std::size_t bin = 0; bin < sums.size(); ++bin) sums[bin] += of[bin];
    return sums;
  }
  [[nodiscard]] std::vector<double> spectrum(std::uint64_t width, std::size_t most) const {
    const std::vector<double> all = together(width);
    std::size_t length = 1;
    while (length * 2 <= most && length * 2 <= all.size()) length *= 2;
    std::vector<double> power(length / 2, 0.0);
    double spikes = 0.0;
    for (std::size_t segment = 0; length > 1 && (segment + 1) * length <= all.size(); ++segment)
      for (std::size_t at = 0; at <= power.size(); ++at) {
        std::complex<double> sum = 0.0;
        for (std::size_t bin = 0; bin < length; ++bin) {
          const double turn =
              2.0 * 3.14159265358979323846 * static_cast<double>(at * bin % length) / static_cast<double>(length);
          sum += all[segment * length + bin] * std::complex<double>(std::cos(turn), -std::sin(turn));
        }
        if (at == 0)
          spikes += sum.real();
        else
          power[at - 1] += std::norm(sum);
      }
    for (double& one : power) one /= spikes;
    return spikes > 0.0 ? power : std::vector<double>{};
  }
};

void check_same(std::optional<double> a, std::optional<double> b) {
  CHECK(a.has_value() == b.has_value());
  if (a && b) CHECK(*a == Approx(*b).margin(1e-9));
}

/// Each neuron fires in each step with a chance.
Train bernoulli(std::mt19937& random, std::uint32_t neurons, std::uint64_t steps, double chance) {
  Train train;
  std::bernoulli_distribution fires(chance);
  for (std::uint64_t step = 1; step <= steps; ++step)
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if (fires(random)) train.emplace_back(step, neuron);
  return train;
}

} // namespace

TEST_CASE("statistics: are those of plain sums over all neurons and bins", "[network][statistics]") {
  for (const std::uint32_t seed : Seeds(60)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto neurons = static_cast<std::uint32_t>(1 + random() % 12);
    const std::uint64_t steps = random() % 700;
    const Train train = random_train(random, neurons, steps);
    const std::uint64_t begin = seed % 3 == 0 ? random() % 300 : 0, end = seed % 4 == 0 ? 1 + random() % 800 : 0;
    const auto width = [&] { return std::uint64_t{1} + random() % 40; };
    const std::uint64_t fano = width(), correlation = width(), synchrony = width(), spectrum = width() % 8 + 1,
                        interval = width() % 5 + 1;
    const double dt_ms = seed % 2 == 0 ? 0.1 : 0.25;
    const auto ms = [&](std::uint64_t count) { return static_cast<double>(count) * dt_ms; };
    const StatisticsOptions options{.begin_ms = ms(begin),
                                    .end_ms = ms(end),
                                    .fano_ms = ms(fano),
                                    .correlation_ms = ms(correlation),
                                    .synchrony_ms = ms(synchrony),
                                    .spectrum_ms = ms(spectrum),
                                    .interval_ms = ms(interval),
                                    .spectrum_bins = 16,
                                    .intervals = 30};
    const Statistics made = of_one(train, neurons, steps, options, dt_ms);
    const Plain plain{train, neurons, begin + 1, end == 0 ? steps : std::min(end, steps)};

    const std::vector<double> all = plain.together(1);
    std::uint64_t spikes = 0;
    for (const double one : all) spikes += static_cast<std::uint64_t>(one);
    CHECK(made.spikes == spikes);
    const double seconds = ms(all.size()) / 1000.0;
    CHECK(made.seconds == Approx(seconds));
    CHECK(made.rate_hz.has_value() == !all.empty());
    if (made.rate_hz) {
      std::vector<double> rates;
      for (const auto& of : plain.counts(1)) rates.push_back(mean_of(of) * static_cast<double>(of.size()) / seconds);
      CHECK(*made.rate_hz == Approx(mean_of(rates)).margin(1e-9));
      CHECK(*made.rate_deviation_hz == Approx(std::sqrt(variance_of(rates, 0))).margin(1e-6));
    }
    check_same(made.cv, plain.cv());
    check_same(made.fano, plain.fano(fano));
    check_same(made.correlation, plain.correlation(correlation));
    const auto sums = plain.together(synchrony);
    check_same(made.synchrony, sums.size() >= 2 && mean_of(sums) > 0.0
                                   ? std::optional(variance_of(sums, 1) / mean_of(sums))
                                   : std::nullopt);
    const auto power = plain.spectrum(spectrum, 16);
    REQUIRE(made.spectrum.size() == power.size());
    for (std::size_t at = 0; at < power.size(); ++at) CHECK(made.spectrum[at] == Approx(power[at]).margin(1e-9));

    std::vector<std::uint64_t> histogram(30, 0);
    std::uint64_t longer = 0;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      for (const double one : plain.intervals(neuron)) {
        const auto bin = static_cast<std::size_t>(std::ceil(one / static_cast<double>(interval))) - 1;
        ++(bin < 30 ? histogram[bin] : longer);
      }
    CHECK(made.intervals == histogram);
    CHECK(made.longer == longer);
    const std::string table = network::table_of(std::vector{made});
    CHECK(table.find("nan") == std::string::npos);
    CHECK(table.find("inf") == std::string::npos);
  }
}

TEST_CASE("statistics: the transform is the discrete Fourier transform", "[network][statistics]") {
  for (std::size_t length = 1; length <= 256; length *= 2) {
    std::mt19937 random(static_cast<std::uint32_t>(length));
    std::normal_distribution<double> normal;
    std::vector<std::complex<double>> values(length);
    for (auto& one : values) one.real(normal(random)), one.imag(normal(random));
    auto made = values;
    network::detail::transform(made);
    for (std::size_t at = 0; at < length; ++at) {
      std::complex<double> sum = 0.0;
      for (std::size_t from = 0; from < length; ++from)
        sum += values[from] * std::polar(1.0, -2.0 * 3.14159265358979323846 * static_cast<double>(at * from) /
                                                  static_cast<double>(length));
      CHECK(std::abs(made[at] - sum) < 1e-10);
    }
  }
}

TEST_CASE("statistics: of Poisson trains, Fano factor and spectrum are 1, correlations 0", "[network][statistics]") {
  for (const std::uint32_t seed : Seeds(3)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    // In steps of a Bernoulli process: intervals are geometric, counts binomial, of which all is known.
    constexpr double p = 0.02;
    const auto made = of_one(bernoulli(random, 50, 100'000, p), 50, 100'000);
    CHECK(*made.rate_hz == Approx(20.0).margin(0.3));
    CHECK(*made.rate_deviation_hz == Approx(std::sqrt(20.0 / 100.0)).margin(0.2));
    CHECK(*made.cv == Approx(std::sqrt(1 - p)).margin(0.012)); // five standard errors of 50 x 2000 intervals
    CHECK(*made.fano == Approx(1 - p).margin(0.03));
    CHECK(*made.correlation == Approx(0.0).margin(0.001));
    CHECK(*made.synchrony == Approx(1 - p).margin(0.04));
    CHECK(*made.power(0.0, 600.0) == Approx(1 - p).margin(0.03));
    CHECK(*made.power(1.0, 100.0) == Approx(1 - p).margin(0.08));
    CHECK(*made.interval_quantile_ms(0.5) == Approx(std::log(0.5) / std::log(1 - p)).margin(1.5));
    CHECK(made.cv_neurons == 50);
  }
}

TEST_CASE("statistics: of gamma intervals of order k the CV is 1 over the root of k", "[network][statistics]") {
  for (const double order : {1.0, 2.0, 4.0, 25.0}) {
    std::mt19937 random(static_cast<std::uint32_t>(order));
    std::gamma_distribution<double> interval(order, 1000.0 / order);
    Train train;
    for (std::uint32_t neuron = 0; neuron < 20; ++neuron)
      for (double at = interval(random); at < 3e6; at += interval(random))
        train.emplace_back(static_cast<std::uint64_t>(at) + 1, neuron);
    std::sort(train.begin(), train.end());
    const auto made = of_one(train, 20, 3'000'000, {.fano_ms = 1000.0}, 0.1);
    INFO("order " << order);
    CHECK(*made.cv == Approx(1.0 / std::sqrt(order)).epsilon(0.02));
    // Over 10 intervals: CV^2 + (1 - CV^4) / 6 per interval; Cox and Lewis, The statistical analysis of series of events.
    CHECK(*made.fano == Approx(1.0 / order + (1.0 - 1.0 / (order * order)) / 6.0 / 10.0).epsilon(0.06));
  }
}

TEST_CASE("statistics: of regular trains CV and Fano factor are 0, and the spectrum is one line",
          "[network][statistics]") {
  Train train;
  for (std::uint64_t step = 1; step <= 10'000; ++step)
    for (std::uint32_t neuron = 0; neuron < 8; ++neuron)
      if (step % 16 == 3) train.emplace_back(step, neuron);
  const auto made = of_one(train, 8, 10'000, {.fano_ms = 160.0, .synchrony_ms = 16.0, .spectrum_bins = 64});
  CHECK(*made.cv == 0.0);
  CHECK(*made.fano == 0.0);
  CHECK(*made.synchrony == 0.0);
  CHECK(*made.correlation == Approx(1.0));
  REQUIRE(made.spectrum.size() == 32);
  CHECK(made.spectrum_hz == Approx(1000.0 / 64));
  for (std::size_t at = 0; at < 32; ++at) // four spikes of all in a segment, at each multiple of 62.5 Hz
    CHECK(made.spectrum[at] == Approx((at + 1) % 4 == 0 ? 8.0 * 4 : 0.0).margin(1e-9));
  CHECK(*made.interval_quantile_ms(0.5) == Approx(15.5));
}

TEST_CASE("statistics: of copies of one train the correlation is the share that is copied", "[network][statistics]") {
  std::mt19937 random(7);
  constexpr double mother = 0.05, copied = 0.4;
  std::bernoulli_distribution fires(mother), copies(copied);
  Train train;
  for (std::uint64_t step = 1; step <= 100'000; ++step)
    if (fires(random))
      for (std::uint32_t neuron = 0; neuron < 10; ++neuron)
        if (copies(random)) train.emplace_back(step, neuron);
  const auto made = of_one(train, 10, 100'000, {.correlation_ms = 1.0});
  CHECK(*made.correlation == Approx(copied * (1 - mother) / (1 - mother * copied)).margin(0.02));
}

TEST_CASE("statistics: all at once, and only some of many", "[network][statistics]") {
  // 3000 neurons fire together in one bin of four: of the thousand that are looked at, counts of 1000, 0, 0, 0, ...
  Train train;
  for (std::uint64_t step = 1; step <= 400; ++step)
    for (std::uint32_t neuron = 0; neuron < 3000; ++neuron)
      if (step % 4 == 1) train.emplace_back(step, neuron);
  const auto made = of_one(train, 3000, 400, {.synchrony_ms = 1.0});
  // Mean 250, mean of squares 250 000, over 400 bins.
  CHECK(*made.synchrony == Approx((250'000.0 - 250.0 * 250.0) * 400.0 / 399.0 / 250.0));
  CHECK(*made.correlation == Approx(1.0));
  CHECK(*made.rate_hz == Approx(250.0));
  const auto few = of_one(train, 3000, 400, {.synchrony_ms = 1.0, .synchrony_neurons = 10});
  CHECK(*few.synchrony == Approx((25.0 - 2.5 * 2.5) * 400.0 / 399.0 / 2.5));
  CHECK(network::table_of(std::vector{few}).find(" 1.0000 ") != std::string::npos);
}

TEST_CASE("statistics: silence, one spike and two are numbers where there is one, and else dashes",
          "[network][statistics]") {
  const auto silent = of_one({}, 5, 1000);
  CHECK(silent.intervals.size() == 1000);
  CHECK(*silent.rate_hz == 0.0);
  CHECK(*silent.rate_deviation_hz == 0.0);
  CHECK_FALSE((silent.cv || silent.fano || silent.correlation || silent.synchrony));
  CHECK(silent.spectrum.empty());
  CHECK_FALSE(silent.interval_quantile_ms(0.5));
  CHECK_FALSE(silent.power(0, 1000));

  const auto one = of_one({{500, 2}}, 5, 1000);
  CHECK(*one.rate_hz == Approx(0.2));
  CHECK_FALSE((one.cv || one.correlation));
  CHECK(*one.fano == Approx(1.0)); // one count of 1 and nine of 0: variance 0.9 / 9 over 0.1
  CHECK(*one.synchrony == Approx(1.0));

  const auto two = of_one({{500, 2}, {600, 2}}, 5, 1000);
  CHECK_FALSE(two.cv);
  CHECK(*two.interval_quantile_ms(1.0) == Approx(100.0));
  const auto three = of_one({{500, 2}, {600, 2}, {900, 2}}, 5, 1000);
  CHECK(*three.cv == Approx(0.5));
  CHECK(three.cv_neurons == 1);
  CHECK_FALSE(of_one({{1, 0}, {1, 0}, {1, 0}}, 1, 1).cv); // no time between them
  const auto twice = of_one({{1, 0}, {1, 0}}, 1, 1);
  CHECK((twice.intervals[0] == 1 && !twice.synchrony));
  // Neurons that the population does not have count for nothing.
  const auto others = of_one({{500, 2}, {500, 5}, {600, 2}, {600, 7}, {700, 2'000'000'000}}, 5, 1000);
  CHECK((others.spikes == two.spikes && others.synchrony == two.synchrony && others.spectrum == two.spectrum));

  CHECK(*two.interval_quantile_ms(0.0) == Approx(99.0)); // where the first begins
  Statistics made;
  made.spectrum_hz = 2.0, made.spectrum = {1.0, 2.0, 3.0, 4.0};
  CHECK((*made.power(4.0, 8.0) == 2.5 && *made.power(8.0, 9.0) == 4.0 && *made.power(0.0, 2.1) == 1.0));
  CHECK_FALSE(made.power(0.0, 2.0));
  CHECK_FALSE(made.power(8.1, 100.0));

  const auto nothing = of_one({}, 5, 0);
  CHECK_FALSE(nothing.rate_hz);
  const auto nobody = of_one({}, 0, 10);
  CHECK_FALSE(nobody.rate_hz);
  const auto late = of_one({{500, 2}}, 5, 1000, {.begin_ms = 2000.0});
  CHECK((late.spikes == 0 && !late.rate_hz && !late.fano));
  const auto wrong = of_one({{500, 2}}, 5, 1000, {.begin_ms = NAN, .end_ms = NAN, .fano_ms = -1.0, .spectrum_ms = NAN});
  CHECK(wrong.spikes == 1);
  const auto far = of_one({{500, 2}, {700, 2}}, 5, 1000, {.intervals = 10});
  CHECK(*far.interval_quantile_ms(0.5) == HUGE_VAL);

  CHECK(
      network::table_of(std::vector{silent, three, nothing, far}) ==
      "population  neurons  spikes  rate / Hz  deviation     CV  of neurons   Fano  correlation  synchrony\n"
      "p0                5       0      0.000      0.000      -           0      -            -          -\n"
      "p0                5       3      0.600      1.200  0.500           1  0.778            -       0.99\n"
      "p0                5       0          -          -      -           0      -            -          -\n"
      "p0                5       2      0.400      0.800      -           0  0.889            -       1.00\n"
      "\n"
      "population  interval / ms 5 %    25 %    50 %    75 %    95 %  power 1-4   4-8  8-13  13-30  30-80  80-300 Hz\n"
      "p0                          -       -       -       -       -          -     -     -      -      -          -\n"
      "p0                       99.1    99.5   100.0   299.5   299.9       1.00  1.00  1.00   1.00   1.00       1.00\n"
      "p0                          -       -       -       -       -          -     -     -      -      -          -\n"
      "p0                     longer  longer  longer  longer  longer       1.00  1.00  1.00   1.00   1.00       "
      "1.00\n");
}
