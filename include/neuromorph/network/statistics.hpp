// SPDX-License-Identifier: BSL-1.0
/// \file
/// Numbers that say how populations fire: rates, regularity, correlation, synchrony, intervals, spectrum; and a table of them.
///
///     std::puts(network::table_of(network::statistics(recording, {.begin_ms = 500.0})).c_str());
///
/// What the spikes do not give, such as the regularity of a neuron that fired once, is no number, and a dash in the table.
// host-only
#ifndef NEUROMORPH_NETWORK_STATISTICS_HPP
#define NEUROMORPH_NETWORK_STATISTICS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/text_table.hpp>
#include <neuromorph/network/recording.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Bins are rounded to steps, one at least; a bin that the run does not fill counts for nothing.
struct StatisticsOptions {
  double begin_ms = 0.0;                  ///< what is before is left out, so that a network has settled
  double end_ms = 0.0;                    ///< 0: the end of the run
  double fano_ms = 100.0;                 ///< bin of the Fano factor
  double correlation_ms = 5.0;            ///< bin of the correlation
  double synchrony_ms = 3.0;              ///< bin of the synchrony
  double spectrum_ms = 1.0;               ///< bin of the spectrum
  double interval_ms = 1.0;               ///< bin of the histogram of intervals
  std::uint32_t synchrony_neurons = 1000; ///< at most so many, evenly spread
  std::size_t spectrum_bins = 1024;       ///< of a segment, at most; the power of two below
  std::size_t intervals = 1000;           ///< bins of the histogram
};

/// Of a population.
struct Statistics {
  std::string name = {};
  std::uint32_t neurons = 0;
  std::uint64_t spikes = 0;
  double seconds = 0.0;

  std::optional<double> rate_hz = {};           ///< mean over neurons
  std::optional<double> rate_deviation_hz = {}; ///< standard deviation over neurons
  /// Standard deviation of the inter-spike intervals over their mean: the mean over neurons with three spikes or more.
  std::optional<double> cv = {};
  std::uint32_t cv_neurons = 0;
  /// Variance of the counts of a neuron over their mean: the mean over neurons that fired.
  std::optional<double> fano = {};
  /// Of the counts of two neurons: the mean over all pairs of those whose count varies.
  std::optional<double> correlation = {};
  /// Variance of the counts of a sample of neurons together over their mean.
  std::optional<double> synchrony = {};

  double interval_ms = 0.0;                  ///< width of a bin
  std::vector<std::uint64_t> intervals = {}; ///< [bins] how many intervals; those longer than all bins are in `longer`
  std::uint64_t longer = 0;

  double spectrum_hz = 0.0; ///< from one frequency to the next
  /// Power of the population's counts over the number of spikes, at frequencies 1, 2, ... times spectrum_hz: 1 of a Poisson
  /// process. The mean of segments side by side.
  std::vector<double> spectrum = {};

  /// The interval below which a share of all is, in ms; infinite if it is longer than all bins.
  [[nodiscard]] std::optional<double> interval_quantile_ms(double share) const {
    std::uint64_t all = longer;
    for (const std::uint64_t one : intervals) all += one;
    if (all == 0) return {};
    const double wanted = share * static_cast<double>(all);
    double below = 0.0;
    for (std::size_t bin = 0; bin < intervals.size(); ++bin) {
      const auto here = static_cast<double>(intervals[bin]);
      if (here > 0.0 && below + here >= wanted)
        return interval_ms * (static_cast<double>(bin) + (wanted - below) / here);
      below += here;
    }
    return HUGE_VAL;
  }
  /// The mean of the spectrum from one frequency up to below another.
  [[nodiscard]] std::optional<double> power(double from_hz, double to_hz) const {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t at = 0; at < spectrum.size(); ++at) {
      const double hz = spectrum_hz * static_cast<double>(at + 1);
      if (hz >= from_hz && hz < to_hz) sum += spectrum[at], ++count;
    }
    return count == 0 ? std::optional<double>{} : sum / static_cast<double>(count);
  }
};

namespace detail {

/// The discrete Fourier transform, in place.
/// \pre a power of two values
inline void transform(std::span<std::complex<double>> values) {
  const std::size_t count = values.size();
  for (std::size_t at = 1, mirrored = 0; at < count; ++at) {
    std::size_t bit = count / 2;
    for (; (mirrored & bit) != 0; bit /= 2) mirrored ^= bit;
    mirrored |= bit;
    if (at < mirrored) std::swap(values[at], values[mirrored]);
  }
  constexpr double whole_turn = -6.283185307179586476925;
  for (std::size_t length = 2; length <= count; length *= 2)
    for (std::size_t at = 0; at < length / 2; ++at) {
      const auto turn = std::polar(1.0, whole_turn * static_cast<double>(at) / static_cast<double>(length));
      for (std::size_t first = at; first < count; first += length) {
        const std::complex<double> second = values[first + length / 2] * turn;
        values[first + length / 2] = values[first] - second;
        values[first] += second;
      }
    }
}

/// Mean and variance of numbers that come one by one; exactly 0 if they are equal.
struct Moments {
  double count = 0.0, mean = 0.0, squares = 0.0;
  void add(double value) noexcept {
    const double before = value - mean;
    mean += before / ++count;
    squares += before * (value - mean);
  }
};

/// Sum and sum of squares of what is in the bins of a run, most of which may be empty.
class BinnedSums {
public:
  void add(std::uint64_t bin, double value) noexcept {
    if (bin != bin_) flush(), bin_ = bin;
    here_ += value;
  }
  void flush() noexcept {
    sum_ += here_;
    squares_ += here_ * here_;
    here_ = 0.0;
  }
  [[nodiscard]] double sum() const noexcept { return sum_; }
  [[nodiscard]] double mean(double bins) const noexcept { return sum_ / bins; }
  /// Of the deviations from the mean.
  [[nodiscard]] double squares(double bins) const noexcept { return (std::max)(0.0, squares_ - sum_ * sum_ / bins); }

private:
  std::uint64_t bin_ = 0;
  double here_ = 0.0, sum_ = 0.0, squares_ = 0.0;
};

/// A part of a run that is looked at, cut into whole bins.
class Window {
public:
  Window(const Recording& recording, const StatisticsOptions& options) : dt_ms_(recording.dt_ms) {
    first_ = steps_of(options.begin_ms) + 1;
    last_ = options.end_ms > 0.0 ? (std::min)(steps_of(options.end_ms), recording.steps) : recording.steps;
  }
  [[nodiscard]] bool has(std::uint64_t step) const noexcept { return step >= first_ && step <= last_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return last_ < first_ ? 0 : last_ - first_ + 1; }
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  [[nodiscard]] double dt_ms() const noexcept { return dt_ms_; }
  [[nodiscard]] double seconds() const noexcept { return static_cast<double>(steps()) * dt_ms_ / 1000.0; }

private:
  [[nodiscard]] std::uint64_t steps_of(double ms) const noexcept {
    const double steps = ms / dt_ms_ + 1e-6;
    return steps >= 1.0 ? steps < 0x1p62 ? static_cast<std::uint64_t>(steps) : std::uint64_t{1} << 62 : 0;
  }
  double dt_ms_;
  std::uint64_t first_, last_;
};

class Bins {
public:
  Bins(const Window& window, double ms) : first_(window.first()) {
    const double steps = ms / window.dt_ms() + 0.5;
    width_ = steps >= 1.0 ? steps < 0x1p62 ? static_cast<std::uint64_t>(steps) : std::uint64_t{1} << 62 : 1;
    count_ = window.steps() / width_;
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] double bins() const noexcept { return static_cast<double>(count_); }
  [[nodiscard]] std::uint64_t width() const noexcept { return width_; } ///< steps
  /// \return count() or more if the run does not fill it
  [[nodiscard]] std::uint64_t of(std::uint64_t step) const noexcept { return (step - first_) / width_; }

private:
  std::uint64_t first_, width_ = 1, count_ = 0;
};

/// The power of counts over the number of spikes.
class Spectrum {
public:
  Spectrum(const Bins& bins, std::size_t most) : length_(1) {
    while (length_ * 2 <= most && length_ * 2 <= bins.count()) length_ *= 2;
    if (length_ < 2) return;
    segments_ = bins.count() / length_;
    values_.resize(length_);
    power_.resize(length_ / 2);
  }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  void add(std::uint64_t bin) {
    const std::uint64_t segment = bin / length_;
    if (segment >= segments_) return;
    if (segment != segment_) flush(), segment_ = segment;
    values_[bin % length_] += 1.0;
    ++spikes_;
    is_empty_ = false;
  }
  [[nodiscard]] std::vector<double> power() {
    flush();
    if (spikes_ == 0) return {};
    for (double& one : power_) one /= static_cast<double>(spikes_);
    return std::move(power_);
  }

private:
  void flush() {
    if (is_empty_) return;
    transform(values_);
    for (std::size_t at = 0; at < power_.size(); ++at) power_[at] += std::norm(values_[at + 1]);
    std::fill(values_.begin(), values_.end(), 0.0);
    is_empty_ = true;
  }

  std::size_t length_;
  std::uint64_t segments_ = 0, segment_ = 0, spikes_ = 0;
  bool is_empty_ = true;
  std::vector<std::complex<double>> values_;
  std::vector<double> power_;
};

inline std::optional<double> correlation_of(const RecordedPopulation& population, const Window& window,
                                            const Bins& bins, std::vector<BinnedSums>& counts) {
  if (bins.count() < 2) return {};
  // The counts, each over its deviation: of their sum over all neurons the variance is the sum of all correlations.
  std::vector<double> scale(population.neurons, 0.0);
  double neurons = 0.0;
  for (std::uint32_t neuron = 0; neuron < population.neurons; ++neuron) {
    counts[neuron].flush();
    const double squares = counts[neuron].squares(bins.bins());
    if (squares < 1e-9) continue;
    scale[neuron] = 1.0 / std::sqrt(squares / bins.bins());
    ++neurons;
  }
  if (neurons < 2.0) return {};
  BinnedSums all;
  population.spikes.each([&](std::uint64_t step, std::uint32_t neuron) {
    if (window.has(step) && neuron < population.neurons && bins.of(step) < bins.count())
      all.add(bins.of(step), scale[neuron]);
  });
  all.flush();
  return (all.squares(bins.bins()) / bins.bins() - neurons) / (neurons * (neurons - 1.0));
}

} // namespace detail

/// Of each population of a recording, in its order.
/// \cost  two passes over the spikes; 150 bytes a neuron of one population at a time
[[nodiscard]] inline std::vector<Statistics> statistics(const Recording& recording,
                                                        const StatisticsOptions& options = {}) {
  const detail::Window window(recording, options);
  const detail::Bins fano(window, options.fano_ms), correlated(window, options.correlation_ms),
      synchronous(window, options.synchrony_ms), spectral(window, options.spectrum_ms),
      interval(window, options.interval_ms);
  struct OfNeuron {
    std::uint64_t spikes = 0, last = 0;
    detail::Moments intervals;
    detail::BinnedSums counts;
  };
  std::vector<Statistics> all;
  for (const RecordedPopulation& population : recording.populations) {
    Statistics& made = all.emplace_back();
    made.name = population.name;
    made.neurons = population.neurons;
    made.seconds = window.seconds();
    made.interval_ms = static_cast<double>(interval.width()) * window.dt_ms();
    made.intervals.resize(options.intervals);

    std::vector<OfNeuron> neurons(population.neurons);
    std::vector<detail::BinnedSums> counts(population.neurons);
    detail::BinnedSums together;
    detail::Spectrum spectrum(spectral, options.spectrum_bins);
    const std::uint64_t sample = (std::min)(options.synchrony_neurons, population.neurons);
    population.spikes.each([&](std::uint64_t step, std::uint32_t number) {
      if (!window.has(step) || number >= population.neurons) return;
      OfNeuron& neuron = neurons[number];
      if (neuron.spikes != 0) {
        const std::uint64_t length = step - neuron.last, bin = (length == 0 ? 0 : length - 1) / interval.width();
        neuron.intervals.add(static_cast<double>(length));
        ++(bin < made.intervals.size() ? made.intervals[bin] : made.longer);
      }
      neuron.last = step;
      ++neuron.spikes;
      ++made.spikes;
      if (fano.of(step) < fano.count()) neuron.counts.add(fano.of(step), 1.0);
      if (correlated.of(step) < correlated.count()) counts[number].add(correlated.of(step), 1.0);
      if (synchronous.of(step) < synchronous.count() && number * sample % population.neurons < sample)
        together.add(synchronous.of(step), 1.0);
      spectrum.add(spectral.of(step));
    });

    detail::Moments rates, cvs, fanos;
    for (OfNeuron& neuron : neurons) {
      rates.add(static_cast<double>(neuron.spikes));
      if (neuron.spikes >= 3 && neuron.intervals.mean > 0.0)
        cvs.add(std::sqrt(neuron.intervals.squares / neuron.intervals.count) / neuron.intervals.mean);
      neuron.counts.flush();
      if (fano.count() >= 2 && neuron.counts.sum() > 0.0)
        fanos.add(neuron.counts.squares(fano.bins()) / (fano.bins() - 1.0) / neuron.counts.mean(fano.bins()));
    }
    if (made.seconds > 0.0 && population.neurons != 0) {
      made.rate_hz = rates.mean / made.seconds;
      made.rate_deviation_hz = std::sqrt(rates.squares / rates.count) / made.seconds;
    }
    if (cvs.count > 0.0) made.cv = cvs.mean;
    made.cv_neurons = static_cast<std::uint32_t>(cvs.count);
    if (fanos.count > 0.0) made.fano = fanos.mean;
    together.flush();
    const double bins = synchronous.bins();
    if (synchronous.count() >= 2 && together.sum() > 0.0)
      made.synchrony = together.squares(bins) / (bins - 1.0) / together.mean(bins);
    made.correlation = detail::correlation_of(population, window, correlated, counts);
    made.spectrum_hz = 1000.0 / (static_cast<double>(spectral.width() * spectrum.length()) * window.dt_ms());
    made.spectrum = spectrum.power();
  }
  return all;
}

namespace detail {

[[nodiscard]] inline std::string cell_of(std::optional<double> value, int digits) {
  if (!value || std::isnan(*value)) return "-";
  if (std::isinf(*value)) return "longer";
  std::array<char, 400> text;
  std::snprintf(text.data(), text.size(), "%.*f", digits, *value);
  return text.data();
}

} // namespace detail

/// Two tables by population, for a person: how regular and how synchronous they fire, then intervals and spectrum.
[[nodiscard]] inline std::string table_of(std::span<const Statistics> all) {
  using detail::cell_of;
  host::TextTable firing, shape;
  firing.add({"population", "neurons", "spikes", "rate / Hz", "deviation", "CV", "of neurons", "Fano", "correlation",
              "synchrony"});
  constexpr std::array quantiles{0.05, 0.25, 0.5, 0.75, 0.95};
  constexpr std::array bands{1.0, 4.0, 8.0, 13.0, 30.0, 80.0, 300.0};
  std::vector<std::string> head{"population"};
  for (const double one : quantiles)
    head.push_back((head.size() == 1 ? "interval / ms " : "") + cell_of(one * 100.0, 0) + " %");
  for (std::size_t at = 0; at + 1 < bands.size(); ++at)
    head.push_back((at == 0 ? "power " : "") + cell_of(bands[at], 0) + "-" + cell_of(bands[at + 1], 0) +
                   (at + 2 == bands.size() ? " Hz" : ""));
  shape.add(std::move(head));
  for (const Statistics& one : all) {
    firing.add({one.name, std::to_string(one.neurons), std::to_string(one.spikes), cell_of(one.rate_hz, 3),
                cell_of(one.rate_deviation_hz, 3), cell_of(one.cv, 3), std::to_string(one.cv_neurons),
                cell_of(one.fano, 3), cell_of(one.correlation, 4), cell_of(one.synchrony, 2)});
    std::vector<std::string> row{one.name};
    for (const double share : quantiles) row.push_back(cell_of(one.interval_quantile_ms(share), 1));
    for (std::size_t at = 0; at + 1 < bands.size(); ++at)
      row.push_back(cell_of(one.power(bands[at], bands[at + 1]), 2));
    shape.add(std::move(row));
  }
  return firing.text() + "\n" + shape.text();
}

/// To the standard output.
inline void print_statistics(const Recording& recording, const StatisticsOptions& options = {}) {
  std::fputs(table_of(statistics(recording, options)).c_str(), stdout);
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
