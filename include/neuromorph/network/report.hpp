// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a built network takes and what it does to its neurons. It tells bytes, degrees, how exact weights are, expected input, and how
/// often the input of a step would be held at its end.
///
///     std::puts(network::report(net, built.value()).value().text().c_str());
///
/// Degrees and input are counted over all synapses; the chance to be held is that of the neuron with the most input.
// host-only
#ifndef NEUROMORPH_NETWORK_REPORT_HPP
#define NEUROMORPH_NETWORK_REPORT_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/host/text_table.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/kernels/synapses/weight_plan.hpp>
#include <neuromorph/network/build.hpp>
#include <neuromorph/network/given.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/poisson_input.hpp>
#include <neuromorph/network/projection_plan.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Synapses of a neuron.
struct Degrees {
  double mean = 0.0;
  std::uint64_t least = 0, most = 0;
};

struct ProjectionReport {
  std::string name;
  std::uint64_t synapses = 0;
  Layout layout = Layout::individual;
  double bytes = 0.0;     ///< of all rows of its source that have its layout, by its share of their synapses
  Degrees in;             ///< of a target, of all projections from this source to this target and receptor together
  double unit = 0.0;      ///< of weights, in nA mostly
  double largest = 0.0;   ///< magnitude of a weight, in nA mostly
  double rounding = 0.0;  ///< of a weight, at most, as a share of their mean magnitude
  double vanishing = 0.0; ///< share of the weights that become 0
  std::uint32_t shortest_delay = 0, longest_delay = 0; ///< in steps
};

/// What arrives at a receptor of a population.
struct ReceptorReport {
  Degrees in;                 ///< of a neuron
  double background_hz = 0.0; ///< events of the background at a neuron; in all that follows
  double drive = 0.0;         ///< weights that arrive at a neuron in a second, in the mean: in nA mostly
  double mean_sum = 0.0;      ///< of a step, in units of the neuron; in the mean over neurons
  double most_sum = 0.0;      ///< of magnitudes, of the neuron that has most
  double saturation = 0.0;    ///< no more than this is the chance that that neuron's sum is held at an end in a step
};

struct PopulationReport {
  std::string name;
  std::uint32_t neurons = 0;
  double rate_hz = 0.0; ///< as expected
  unsigned input_bits = 32;
  std::vector<ReceptorReport> receptors = {};
};

struct Report {
  std::uint64_t synapses = 0, bytes = 0;
  double dt_ms = 1.0;
  std::vector<ProjectionReport> projections = {};
  std::vector<PopulationReport> populations = {};

  /// Tables to read, one for projections and one for populations.
  [[nodiscard]] std::string text() const;
};

namespace detail {

[[nodiscard]] inline std::string in_digits(double value, int digits = 3) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}
[[nodiscard]] inline std::string in_bytes(double bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000.0 && unit + 1 < units.size(); ++unit) bytes /= 1000.0;
  return in_digits(bytes) + " " + units[unit];
}
[[nodiscard]] inline std::string in_words(const Degrees& in) {
  return in_digits(in.mean, 5) + " (" + std::to_string(in.least) + " to " + std::to_string(in.most) + ")";
}

/// Weights of one sign.
struct WeightSums {
  std::uint64_t count = 0;
  double sum = 0.0, squares = 0.0; ///< in units of the target
  void add(const WeightSums& other) noexcept { count += other.count, sum += other.sum, squares += other.squares; }
};
/// All synapses from a population to a receptor of another.
struct Link {
  std::array<WeightSums, 2> signs = {}; ///< positive, negative
  Degrees in{0.0, ~std::uint64_t{0}, 0};

  [[nodiscard]] std::uint64_t count() const noexcept { return signs[0].count + signs[1].count; }
};

/// What is counted over all synapses; does not depend on parts and threads, but for the rounding of sums.
class Census {
public:
  /// All that arrives at a receptor, and the synapses of the first of the neurons that are driven most.
  struct Total {
    Degrees in{0.0, ~std::uint64_t{0}, 0};
    double most_drive = -1.0;                   ///< rate times units, of magnitudes
    std::vector<std::uint32_t> of_sources = {}; ///< [populations] of that neuron
  };

  Census(const Network& network, const Rows& rows, unsigned threads) : populations_(&network.populations()) {
    for (const Population& one : *populations_) {
      first_receptor_.push_back(receptors_);
      receptors_ += one.units_per_one.size();
      most_receptors_ = (std::max)(most_receptors_, one.units_per_one.size());
    }
    std::vector<Counted> parts(rows.own.end - rows.own.first);
    host::in_parallel(threads, parts.size(), [&](std::size_t part, unsigned) {
      parts[part] = count(rows, rows.own.first + static_cast<std::uint32_t>(part));
    });
    all_ = nothing();
    for (Counted& part : parts) {
      for (std::size_t at = 0; at < part.links.size(); ++at) {
        for (std::size_t sign = 0; sign < 2; ++sign) all_.links[at].signs[sign].add(part.links[at].signs[sign]);
        widen(all_.links[at].in, part.links[at].in);
      }
      for (std::size_t at = 0; at < part.totals.size(); ++at) {
        Total& total = all_.totals[at];
        widen(total.in, part.totals[at].in);
        if (part.totals[at].most_drive > total.most_drive) {
          total.most_drive = part.totals[at].most_drive;
          total.of_sources = std::move(part.totals[at].of_sources);
        }
      }
    }
  }

  [[nodiscard]] const Link& link(std::size_t source, std::size_t target, std::size_t receptor) const noexcept {
    return all_.links[source * receptors_ + first_receptor_[target] + receptor];
  }
  [[nodiscard]] const Total& total(std::size_t target, std::size_t receptor) const noexcept {
    return all_.totals[first_receptor_[target] + receptor];
  }

private:
  struct Counted {
    std::vector<Link> links;   // [source population][receptor of all]
    std::vector<Total> totals; // [receptor of all]
  };
  [[nodiscard]] Counted nothing() const {
    return {std::vector<Link>(populations_->size() * receptors_), std::vector<Total>(receptors_)};
  }
  static void widen(Degrees& in, const Degrees& other) noexcept {
    in.least = (std::min)(in.least, other.least), in.most = (std::max)(in.most, other.most);
  }

  [[nodiscard]] Counted count(const Rows& rows, std::uint32_t part) const {
    Counted counted = nothing();
    const std::size_t neurons = rows.parts.neurons(part), sources = populations_->size();
    std::vector<std::uint32_t> indegrees(sources * most_receptors_ * neurons); // [source population][receptor][number]
    std::vector<double> drives(most_receptors_ * neurons);
    std::vector<std::uint32_t> first_receptor_of(neurons);
    for (std::uint32_t target = 0; target < sources; ++target)
      std::fill(first_receptor_of.begin() + rows.parts.base(part, target),
                first_receptor_of.begin() + rows.parts.base(part, target + 1),
                static_cast<std::uint32_t>(first_receptor_[target]));
    for (const RowSet& set : rows.sets) {
      const double rate = (*populations_)[set.population].rate_hz;
      std::uint32_t* const from_source = indegrees.data() + set.population * most_receptors_ * neurons;
      Link* const links = counted.links.data() + set.population * receptors_;
      for (std::uint32_t source = 0; source < rows.sources_of(set); ++source)
        set.each(set.row(source, part), [&](const ArrivingSynapse& one) {
          const std::size_t at = one.receptor * neurons + one.target;
          const auto units = static_cast<double>(one.weight);
          ++from_source[at];
          drives[at] += rate * (std::abs)(units);
          WeightSums& moments = links[first_receptor_of[one.target] + one.receptor].signs[one.weight < 0 ? 1 : 0];
          ++moments.count, moments.sum += units, moments.squares += units * units;
        });
    }
    for (std::uint32_t target = 0; target < sources; ++target) {
      const std::uint32_t first = rows.parts.first(target, part), end = rows.parts.first(target, part + 1);
      for (std::size_t receptor = 0; receptor < (*populations_)[target].units_per_one.size(); ++receptor)
        for (std::uint32_t neuron = first; neuron < end; ++neuron) {
          const std::size_t at = receptor * neurons + rows.parts.base(part, target) + (neuron - first);
          Total& total = counted.totals[first_receptor_[target] + receptor];
          std::vector<std::uint32_t> of_sources(sources);
          std::uint64_t sum = 0;
          for (std::size_t source = 0; source < sources; ++source) {
            const std::uint32_t degree = indegrees[source * most_receptors_ * neurons + at];
            widen(counted.links[source * receptors_ + first_receptor_[target] + receptor].in, {0.0, degree, degree});
            of_sources[source] = degree, sum += degree;
          }
          widen(total.in, {0.0, sum, sum});
          if (drives[at] > total.most_drive) total.most_drive = drives[at], total.of_sources = std::move(of_sources);
        }
    }
    return counted;
  }

  const std::vector<Population>* populations_;
  std::vector<std::size_t> first_receptor_; // [populations], of all receptors
  std::size_t receptors_ = 0, most_receptors_ = 0;
  Counted all_;
};

/// Synapses of one weight that bring the same mean and the same variance in a step as `synapses` of drawn weights do.
[[nodiscard]] inline SynapticInput like(const WeightSums& moments, double synapses, double rate_hz,
                                        SpikesInStep spikes) {
  const auto count = static_cast<double>(moments.count);
  const double mean = moments.sum / count, square = moments.squares / count;
  const double alike = synapses * mean * mean / square, whole = (std::max)(1.0, std::floor(alike + 0.5));
  return {square / mean, static_cast<std::uint32_t>(whole), rate_hz * alike / whole, spikes};
}

/// The chance that the sum of a step is held, in a format that is for this alone.
[[nodiscard]] inline double saturation_of(const std::vector<SynapticInput>& inputs, const Population& population,
                                          double dt_ms) {
  std::vector<double> work;
  const auto chance = [&]<class Format, class Element>() {
    const auto plan = weight_plan_of<Format, Element>(inputs, dt_ms, 1.0, work);
    return plan ? plan.value().saturation : 1.0; // refused: more spikes than are counted
  };
  using Magnitudes = SynapticWord<8, 1, 4>;
  using Signed = SynapticWord<8, 1, 4, WeightSign::signed_value>;
  double saturation = 1.0;
  // Few bins round small weights up by much: where that shows, a bin of a unit is worth its time.
  for (const std::size_t bins : {std::size_t{1} << 12, std::size_t{1} << 16}) {
    work.resize(bins);
    if (population.has_signed_weights)
      saturation = population.input_bits == 16 ? chance.template operator()<Signed, std::int16_t>()
                                               : chance.template operator()<Signed, std::int32_t>();
    else
      saturation = population.input_bits == 16 ? chance.template operator()<Magnitudes, std::uint16_t>()
                                               : chance.template operator()<Magnitudes, std::int32_t>();
    if (saturation < 1e-12) break;
  }
  return saturation;
}

/// What the background brings to a neuron at a receptor.
struct BackgroundSums {
  double rate_hz = 0.0;
  double units = 0.0, magnitudes = 0.0;   ///< in a second
  std::vector<SynapticInput> inputs = {}; ///< in units of the neuron
};
/// \errors as background_units; parameter_out_of_range: rate_hz
[[nodiscard]] inline Result<BackgroundSums> background_sums(const Population& population, std::size_t receptor,
                                                            double dt_ms) {
  constexpr double most_hz = 1e6; // of an input
  BackgroundSums sums;
  for (std::uint32_t which = 0; which < population.background.size(); ++which) {
    const auto weight = background_units(population, which);
    if (!weight) return weight.status();
    const Background& given = population.background[which];
    if (Status status = PoissonInput::check(given.rate_hz, dt_ms); !status) {
      status.where = which;
      return status;
    }
    if (given.receptor != receptor) continue;
    const double units = weight.value();
    sums.rate_hz += given.rate_hz;
    sums.units += given.rate_hz * units, sums.magnitudes += given.rate_hz * (std::abs)(units);
    const double inputs = std::floor(given.rate_hz / most_hz) + 1.0; // Poisson numbers add up to one
    sums.inputs.push_back({units, static_cast<std::uint32_t>(inputs), given.rate_hz / inputs, SpikesInStep::poisson});
  }
  return sums;
}

/// The layout that a projection's synapses have in rows.
[[nodiscard]] inline Layout layout_of(const Network& network, const Rows& rows, const ProjectionPlan& plan) {
  if (plan.plasticity() != nullptr) return Layout::plastic;
  if (!plan.has_one_weight()) return Layout::individual;
  const auto source = std::uint32_t(network[plan.id()].source);
  const Arrival arrival = arrival_of(network, plan);
  const bool has_bits = std::any_of(rows.sets.begin(), rows.sets.end(), [&](const RowSet& set) {
    return set.layout == Layout::bits && set.population == source && set.arrivals[0] == arrival &&
           set.shortest_delay == plan.shortest_delay();
  });
  const bool is_one_delay = plan.shortest_delay() == plan.longest_delay_of();
  return has_bits && is_one_delay && plan.distinct_number() ? Layout::bits : Layout::one_weight;
}

/// Bytes of the rows of a source and layout go to their projections by the number of synapses.
inline void share_bytes(const Network& network, const Rows& rows, std::vector<ProjectionReport>& projections) {
  for (const Layout layout : {Layout::individual, Layout::one_weight, Layout::bits, Layout::plastic}) {
    std::vector<double> bytes(network.populations().size()), synapses(network.populations().size());
    for (const RowSet& set : rows.sets)
      if (set.layout == layout) bytes[set.population] += static_cast<double>(set.bytes());
    const auto source_of = [&](std::size_t at) { return std::size_t(network.projections()[at].source); };
    for (std::size_t at = 0; at < projections.size(); ++at)
      if (projections[at].layout == layout) synapses[source_of(at)] += static_cast<double>(projections[at].synapses);
    for (std::size_t at = 0; at < projections.size(); ++at)
      if (projections[at].layout == layout && projections[at].synapses != 0)
        projections[at].bytes =
            bytes[source_of(at)] * static_cast<double>(projections[at].synapses) / synapses[source_of(at)];
  }
}

/// What a plan says of the weights of a projection.
inline void describe_weights(const ProjectionPlan& plan, const Projection& projection, ProjectionReport& to) {
  to.unit = plan.unit(), to.vanishing = plan.vanishing();
  to.shortest_delay = plan.shortest_delay(), to.longest_delay = plan.longest_delay_of();
  double sum = 0.0, count = 0.0, error = 0.0;
  const auto add = [&](double magnitude, double weight) {
    to.largest = (std::max)(to.largest, magnitude), sum += magnitude * weight, count += weight;
  };
  const auto off = [&](double asked, std::int32_t units) {
    error = (std::max)(error, (std::abs)(asked - units * to.unit));
  };
  if (const auto* list = std::get_if<FromList>(&projection.connector)) {
    for (std::uint32_t at = 0; at < list->synapses.size(); ++at) {
      add((std::abs)(plan.weight(at) * to.unit), 1.0);
      off(list->synapses[at].weight, plan.weight(at));
    }
  } else {
    const OutcomeTable& weights = plan.weights();
    for (std::int32_t units = weights.lowest(); units <= weights.highest(); ++units)
      if (const auto words = static_cast<double>(weights.words_of(units)); words != 0.0)
        add((std::abs)(units * to.unit), words);
    if (weights.is_fixed() && projection.synapses.weight.is_fixed())
      off(projection.synapses.weight.lowest(), plan.weight(0));
    else
      error = to.unit / 2.0;
  }
  to.rounding = sum > 0.0 ? error / (sum / count) : 0.0;
  if (plan.plasticity() != nullptr)
    for (const std::int32_t end : {plan.plastic_range().lowest, plan.plastic_range().highest})
      to.largest = (std::max)(to.largest, (std::abs)(end * to.unit));
}

} // namespace detail

/// \param rows     what `build` has made of this network; of a rank: synapses into its own neurons are counted
/// \param threads  0: as many as this machine has
/// \errors as `plan`; parameter_out_of_range: an expected rate that is not from 0 to 10^6 Hz; of a background as Engine::make
/// \cost all synapses are read once
[[nodiscard]] inline Answer<Report> report(const Network& network, const Rows& rows, unsigned threads = 0) {
  if (threads == 0) threads = (std::max)(1U, std::thread::hardware_concurrency());
  const auto planned = plan(network, threads);
  if (!planned) return planned.refusal();
  const auto& populations = network.populations();
  const double dt_ms = network.settings().dt_ms;
  for (std::uint32_t at = 0; at < populations.size(); ++at)
    if (const double rate = populations[at].rate_hz; !(rate >= 0.0 && rate <= 1e6))
      return Refusal{{Error::parameter_out_of_range, at, rate, "rate_hz"}, network.name(PopulationId(at))};

  const detail::Census census(network, rows, threads);
  Report report{.synapses = rows.total(), .bytes = rows.bytes(), .dt_ms = dt_ms};
  for (const ProjectionPlan& plan : planned.value()) {
    const Projection& projection = network[plan.id()];
    ProjectionReport one;
    one.name = network.name(plan.id()), one.synapses = rows.synapses[std::size_t(plan.id())];
    one.layout = detail::layout_of(network, rows, plan);
    const detail::Link& link =
        census.link(std::size_t(projection.source), std::size_t(projection.target), plan.receptor());
    one.in = plan.targets() == 0 ? Degrees{} : link.in;
    if (plan.targets() != 0) one.in.mean = static_cast<double>(link.count()) / plan.targets();
    detail::describe_weights(plan, projection, one);
    report.projections.push_back(std::move(one));
  }
  detail::share_bytes(network, rows, report.projections);

  for (std::size_t target = 0; target < populations.size(); ++target) {
    const Population& population = populations[target];
    PopulationReport made{.name = population.name,
                          .neurons = population.count,
                          .rate_hz = population.rate_hz,
                          .input_bits = population.input_bits};
    for (std::size_t receptor = 0; receptor < population.units_per_one.size() && population.count != 0; ++receptor) {
      const auto& total = census.total(target, receptor);
      auto background = detail::background_sums(population, receptor, dt_ms);
      if (!background) return Refusal{background.status(), network.name(PopulationId(target))};
      ReceptorReport one{.in = total.in, .background_hz = background.value().rate_hz};
      std::vector<SynapticInput> inputs = std::move(background.value().inputs);
      double synapses = 0.0, units = 0.0; // the latter of a second
      for (std::size_t source = 0; source < populations.size(); ++source) {
        const detail::Link& link = census.link(source, target, receptor);
        const double rate = populations[source].rate_hz;
        synapses += static_cast<double>(link.count());
        for (const detail::WeightSums& moments : link.signs) {
          units += rate * moments.sum;
          if (moments.count == 0 || moments.sum == 0.0 || total.of_sources[source] == 0) continue;
          const double share = static_cast<double>(moments.count) / static_cast<double>(link.count());
          const double of_neuron = share * total.of_sources[source];
          const bool is_poisson = populations[source].units_per_one.empty() || rate * dt_ms > 900.0;
          inputs.push_back(
              detail::like(moments, of_neuron, rate, is_poisson ? SpikesInStep::poisson : SpikesInStep::one));
        }
      }
      one.in.mean = synapses / population.count;
      const double mean = units / population.count + background.value().units;
      one.drive = mean / population.units_per_one[receptor];
      one.mean_sum = mean * dt_ms / 1000.0;
      one.most_sum = (total.most_drive + background.value().magnitudes) * dt_ms / 1000.0;
      one.saturation = detail::saturation_of(inputs, population, dt_ms);
      made.receptors.push_back(one);
    }
    report.populations.push_back(std::move(made));
  }
  return report;
}

inline std::string Report::text() const {
  using detail::in_bytes, detail::in_digits, detail::in_words;
  const double each = synapses == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(synapses);
  std::string text = std::to_string(synapses) + " synapses in " + in_bytes(static_cast<double>(bytes)) + ", " +
                     in_digits(each) + " bytes each\n\n";
  host::TextTable of_projections;
  of_projections.add({"projection", "synapses", "rows", "bytes", "a target has", "delay, steps", "unit",
                      "largest weight", "rounded by"});
  for (const ProjectionReport& one : projections) {
    std::string delays = std::to_string(one.shortest_delay);
    if (one.longest_delay != one.shortest_delay) delays += " to " + std::to_string(one.longest_delay);
    const char* rows = one.layout == Layout::bits         ? "bits"
                       : one.layout == Layout::one_weight ? "one weight"
                       : one.layout == Layout::plastic    ? "plastic"
                                                          : "individual";
    of_projections.add({one.name, std::to_string(one.synapses), rows, in_bytes(one.bytes), in_words(one.in), delays,
                        in_digits(one.unit), in_digits(one.largest), in_digits(one.rounding * 100.0, 2) + " %"});
  }
  text += of_projections.text() + "\n";
  host::TextTable of_populations;
  of_populations.add({"population", "neurons", "rate, Hz", "receptor", "a neuron has", "background, Hz",
                      "weight a second", "sum of a step", "at most", "bits", "held in a step"});
  for (const PopulationReport& one : populations) {
    std::vector<std::string> begin{one.name, std::to_string(one.neurons), in_digits(one.rate_hz)};
    if (one.receptors.empty()) of_populations.add(begin);
    for (std::size_t receptor = 0; receptor < one.receptors.size(); ++receptor) {
      const ReceptorReport& of = one.receptors[receptor];
      std::vector<std::string> row = begin;
      const std::string held = of.saturation == 0.0 ? "never" : "below " + in_digits(of.saturation, 2);
      for (std::string word :
           {std::to_string(receptor), in_words(of.in), in_digits(of.background_hz), in_digits(of.drive),
            in_digits(of.mean_sum), in_digits(of.most_sum), std::to_string(one.input_bits), held})
        row.push_back(std::move(word));
      of_populations.add(std::move(row));
      begin.assign(3, "");
    }
  }
  return text + of_populations.text();
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
