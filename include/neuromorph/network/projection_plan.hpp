// SPDX-License-Identifier: BSL-1.0
/// \file
/// A projection made ready to be drawn: its weights and delays as tables of whole numbers, its connector with what it draws
/// from; or why it is refused.
// host-only
#ifndef NEUROMORPH_NETWORK_PROJECTION_PLAN_HPP
#define NEUROMORPH_NETWORK_PROJECTION_PLAN_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/kernels/random/uniform.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/counter.hpp>
#include <neuromorph/network/detail/neighbourhood.hpp>
#include <neuromorph/network/distribution.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/outcome_table.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

inline constexpr std::uint32_t longest_delay = 4095;    ///< in steps
inline constexpr std::uint32_t no_neuron = 0xFFFF'FFFF; ///< more than there are
inline constexpr double most_vanishing = 0.01;          ///< of the weights that are drawn

class ProjectionPlan {
public:
  /// \param tables  what plans of this network have in common
  /// \errors of what is asked for. Populations: row_out_of_range ("source"), index_out_of_range ("target"), type_out_of_range
  ///         (a receptor that the target does not have). Weights: weight_out_of_range (negative where there are magnitudes,
  ///         or more than 2^30 units), weight_vanishes (one that would be 0 in its unit; of drawn ones, more than 1 %).
  ///         Delays: delay_out_of_range (less than half a step, or more than 4095). Plasticity: weight_out_of_range (an end of
  ///         the range where there are magnitudes, a weight outside of it), weight_vanishes (a range below a unit),
  ///         parameters_contradict (lowest not below highest); as its timing rule. Connectors: parameter_out_of_range
  ///         (a probability, a degree, a total, a position that is not finite), parameters_contradict (more distinct pairs
  ///         than there are), lengths_differ (one to one, positions). Distributions: as Distribution::check.
  [[nodiscard]] static Answer<ProjectionPlan> from(const Network& network, ProjectionId id, OutcomeTables& tables) {
    ProjectionPlan plan(network, id);
    if (Status status = plan.prepare(network, network[id], tables); !status) {
      status.where = std::uint32_t(id);
      return Refusal{status, network.name(id), plan.words_of(status, network.settings().dt_ms)};
    }
    return plan;
  }

  [[nodiscard]] ProjectionId id() const noexcept { return id_; }
  [[nodiscard]] std::uint32_t sources() const noexcept { return sources_; }
  [[nodiscard]] std::uint32_t targets() const noexcept { return targets_; }
  [[nodiscard]] std::uint32_t receptor() const noexcept { return receptor_; }
  [[nodiscard]] bool is_signed() const noexcept { return is_signed_; }
  /// Whether all synapses have one weight.
  [[nodiscard]] bool has_one_weight() const noexcept {
    return !is_listed() && plasticity_ == nullptr && weights_->is_fixed();
  }
  /// None where weights stay as they are.
  [[nodiscard]] const PlasticityRule* plasticity() const noexcept { return plasticity_; }
  /// Of plastic weights, in units of this projection.
  [[nodiscard]] const PlasticRange& plastic_range() const noexcept { return plastic_range_; }
  /// A weight is so many of the target's units, times 2^shift().
  [[nodiscard]] unsigned shift() const noexcept { return shift_; }
  /// What a unit of this projection's weights is, in nA mostly.
  [[nodiscard]] double unit() const noexcept { return static_cast<double>(1U << shift_) / units_per_one_; }
  [[nodiscard]] const OutcomeTable& weights() const noexcept { return *weights_; }
  [[nodiscard]] const OutcomeTable& delays() const noexcept { return *delays_; }
  [[nodiscard]] std::uint32_t shortest_delay() const noexcept { return shortest_; }
  [[nodiscard]] std::uint32_t longest_delay_of() const noexcept { return longest_; }
  /// The chance that a weight that is not 0 becomes 0.
  [[nodiscard]] double vanishing() const noexcept { return vanishing_; }
  [[nodiscard]] bool is_listed() const noexcept { return std::holds_alternative<FromList>(*connector_); }
  /// Whether synapses come by source, so that those of some sources are had without the others: all but fixed in-degrees,
  /// which come by target, and lists in another order.
  [[nodiscard]] bool is_by_source() const noexcept {
    return is_listed() ? list_is_by_source_ : !std::holds_alternative<FixedIndegree>(*connector_);
  }
  /// How many synapses there are, where that is given: not where each pair has a chance.
  [[nodiscard]] std::optional<std::uint64_t> given_number() const noexcept {
    return std::visit(
        [&](const auto& one) -> std::optional<std::uint64_t> {
          using Given = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<Given, AllToAll>)
            return std::uint64_t{sources_} * distinct(targets_, one.self);
          else if constexpr (std::is_same_v<Given, OneToOne>)
            return sources_;
          else if constexpr (std::is_same_v<Given, FixedIndegree>)
            return std::uint64_t{one.degree} * targets_;
          else if constexpr (std::is_same_v<Given, FixedOutdegree>)
            return std::uint64_t{one.degree} * sources_;
          else if constexpr (std::is_same_v<Given, FixedTotal>)
            return one.total;
          else if constexpr (std::is_same_v<Given, FromList>)
            return one.synapses.size();
          else
            return std::nullopt;
        },
        *connector_);
  }
  /// How many synapses there are on the average, where no pair is connected twice.
  [[nodiscard]] std::optional<double> distinct_number() const noexcept {
    return std::visit(
        [&](const auto& one) -> std::optional<double> {
          using Given = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<Given, Pairwise>)
            return one.probability * sources_ * distinct(targets_, one.self);
          else if constexpr (std::is_same_v<Given, AllToAll> || std::is_same_v<Given, OneToOne>)
            return static_cast<double>(*given_number());
          else if constexpr (requires { one.multiple; })
            return one.multiple ? std::nullopt : std::optional(static_cast<double>(*given_number()));
          else
            return std::nullopt;
        },
        *connector_);
  }
  /// In units of this projection, of a synapse that a generator has given.
  [[nodiscard]] std::int32_t weight(std::uint32_t weight_word) const noexcept {
    return list_ == nullptr ? (*weights_)(weight_word) : units_of((*list_)[weight_word].weight);
  }

private:
  friend class SynapseGenerator;

  ProjectionPlan(const Network& network, ProjectionId id)
      : id_(id), connector_(&network[id].connector), seed_(network.settings().seed) {}

  [[nodiscard]] Counter counter(Use use) const noexcept { return {seed_, std::uint32_t(id_), use}; }

  /// What is refused and by which limit; nothing where the status says all.
  [[nodiscard]] std::string words_of(const Status& status, double dt_ms) const {
    if (status.parameter == nullptr) return {};
    const auto text = [](const auto& value) {
      neuromorph::detail::SentenceWriter writer;
      writer.write(GivenValue(value));
      return std::string(writer.sentence().text.data());
    };
    neuromorph::detail::SentenceWriter writer;
    writer.write(status.parameter), writer.write(" = "), writer.write(status.value);
    const std::string given = writer.sentence().text.data(), name = status.parameter;
    if (status.error == Error::delay_out_of_range)
      return given + ": delays are from 1 to " + std::to_string(longest_delay) + " steps, here from " +
             text(0.5 * dt_ms) + " to " + text(longest_delay * dt_ms) + " ms";
    if (status.error == Error::weight_out_of_range && !is_signed_ && status.value.real() < 0.0)
      return given + ": weights of this receptor are magnitudes, without a sign";
    if (status.error == Error::weight_out_of_range && plasticity_ != nullptr && name == "weight")
      return given + ": it begins outside of the range of its rule, " + text(plasticity_->range().lowest) + " to " +
             text(plasticity_->range().highest);
    if (name != "degree" && name != "total" && name != "one to one") return {};
    if (status.error == Error::parameter_out_of_range)
      return given + ": it is " + std::to_string(name == "total" ? most_total : most_degree) + " at most";
    const auto of = [&](const char* what, std::uint64_t count) {
      return given + " of " + std::to_string(count) + what;
    };
    const bool is_apart = is_within_ && !std::visit(
                                            [](const auto& one) {
                                              if constexpr (requires { one.self; }) return one.self;
                                              return true;
                                            },
                                            *connector_);
    const std::string but_itself = is_apart ? ", as no neuron is connected to itself" : "";
    if (name == "one to one")
      return name + " from " + std::to_string(sources_) + " sources to " + std::to_string(targets_) + " targets";
    if (name == "total") return of(" pairs", std::uint64_t{sources_} * distinct(targets_, !is_apart)) + but_itself;
    const bool is_of_target = std::holds_alternative<FixedIndegree>(*connector_);
    return of(is_of_target ? " sources" : " targets", distinct(is_of_target ? sources_ : targets_, !is_apart)) +
           but_itself;
  }

  [[nodiscard]] Status prepare(const Network& network, const Projection& projection, OutcomeTables& tables) {
    const auto& populations = network.populations();
    if (std::size_t(projection.source) >= populations.size())
      return {Error::row_out_of_range, 0, std::uint32_t(projection.source), "source"};
    if (std::size_t(projection.target) >= populations.size())
      return {Error::index_out_of_range, 0, std::uint32_t(projection.target), "target"};
    const Population &source = network[projection.source], &target = network[projection.target];
    sources_ = source.count, targets_ = target.count;
    is_within_ = projection.source == projection.target;
    receptor_ = projection.synapses.receptor;
    if (receptor_ >= target.units_per_one.size()) return {Error::type_out_of_range, 0, receptor_, "receptor"};
    is_signed_ = target.has_signed_weights;
    units_per_one_ = target.units_per_one[receptor_];
    plasticity_ = projection.synapses.plasticity.get();
    if (const Status status = prepare_plasticity(network.settings().dt_ms); !status) return status;
    if (is_listed()) return prepare_list(std::get<FromList>(*connector_).synapses, network.settings().dt_ms);
    if (const Status status = prepare_weights(projection.synapses.weight, tables); !status) return status;
    if (const Status status = prepare_delays(projection.synapses.delay_ms, network.settings().dt_ms, tables); !status)
      return status;
    return std::visit([&](const auto& one) { return prepare(one, source, target); }, *connector_);
  }

  // --- weights and delays

  [[nodiscard]] double most_weight() const noexcept { return is_signed_ ? 32767.0 : 65535.0; }

  [[nodiscard]] static OutcomeTables::Table always(std::int32_t units) {
    return std::make_shared<const OutcomeTable>(units, std::vector<std::uint32_t>{});
  }
  /// To nearest, halves away from zero, as Neuron::weight rounds.
  [[nodiscard]] static std::int64_t rounded(double value) noexcept { return neuromorph::detail::to_fixed(value, 0); }

  [[nodiscard]] std::int32_t units_of(double weight) const noexcept {
    return static_cast<std::int32_t>(rounded(weight * units_per_one_ / static_cast<double>(1U << shift_)));
  }
  [[nodiscard]] Status check_weight(double weight) const noexcept {
    if (!neuromorph::detail::is_finite(weight)) return {Error::parameter_out_of_range, 0, weight, "weight"};
    const std::int64_t made = rounded(weight * units_per_one_ / static_cast<double>(1U << shift_));
    if ((weight < 0.0 && !is_signed_) || made > (1 << 30) || made < -(1 << 30))
      return {Error::weight_out_of_range, 0, weight, "weight"};
    if (made == 0 && weight != 0.0) return {Error::weight_vanishes, 0, weight, "weight"};
    return {};
  }
  [[nodiscard]] Status prepare_weights(const Distribution& weight, OutcomeTables& tables) {
    if (const Status status = weight.check("weight"); !status) return status;
    if (weight.is_fixed()) {
      const double only = weight.lowest();
      if (const Status status = check_weight(only); !status) return status;
      if (!is_in_range(units_of(only))) return {Error::weight_out_of_range, 0, only, "weight"};
      weights_ = always(units_of(only));
      return {};
    }
    for (; shift_ < 31; ++shift_) {
      const auto made = tables.get(weight, 1.0 / unit(), "weight");
      if (!made) continue;
      const OutcomeTable& table = *made.value();
      const double most = most_weight();
      if (table.lowest() < 0 && !is_signed_) return {Error::weight_out_of_range, 0, table.lowest() * unit(), "weight"};
      if (table.highest() > most || table.lowest() < -most) continue;
      for (const std::int32_t end : {table.lowest(), table.highest()})
        if (!is_in_range(end)) return {Error::weight_out_of_range, 0, end * unit(), "weight"};
      weights_ = made.value();
      const double half = unit() / 2.0, least = std::numeric_limits<double>::denorm_min();
      vanishing_ = weight.below(half) - weight.below(least) + weight.below(0.0) - weight.below(-half);
      if (vanishing_ > most_vanishing) return {Error::weight_vanishes, 0, half, "weight"};
      return {};
    }
    return {Error::weight_out_of_range, 0, weight.highest(), "weight"};
  }
  /// Of a weight that learns: its shift holds the whole range.
  [[nodiscard]] Status prepare_plasticity(double dt_ms) {
    if (plasticity_ == nullptr) return {};
    const WeightRange& range = plasticity_->range();
    for (const auto& [end, name] : {std::pair{range.lowest, "lowest"}, std::pair{range.highest, "highest"}}) {
      if (!neuromorph::detail::is_finite(end)) return {Error::parameter_out_of_range, 0, end, name};
      while (shift_ < 31 && (std::abs)(end) / unit() > most_weight()) ++shift_;
      if ((std::abs)(end) / unit() > most_weight() || (end < 0.0 && !is_signed_))
        return {Error::weight_out_of_range, 0, end, name};
    }
    plastic_range_ = {units_of(range.lowest), units_of(range.highest)};
    if (plastic_range_.lowest >= plastic_range_.highest)
      return {range.lowest < range.highest ? Error::weight_vanishes : Error::parameters_contradict, 0, range.highest,
              "highest"};
    return plasticity_->check(dt_ms);
  }
  [[nodiscard]] bool is_in_range(std::int32_t units) const noexcept {
    return plasticity_ == nullptr || (units >= plastic_range_.lowest && units <= plastic_range_.highest);
  }
  [[nodiscard]] static Status fixed_delay(double delay_ms, double dt_ms, std::uint32_t& steps) noexcept {
    const std::int64_t made = neuromorph::detail::is_finite(delay_ms) ? rounded(delay_ms / dt_ms) : 0;
    if (made < 1 || made > longest_delay) return {Error::delay_out_of_range, 0, delay_ms, "delay_ms"};
    steps = static_cast<std::uint32_t>(made);
    return {};
  }
  [[nodiscard]] Status prepare_delays(const Distribution& delay_ms, double dt_ms, OutcomeTables& tables) {
    if (const Status status = delay_ms.check("delay_ms"); !status) return status;
    if (delay_ms.is_fixed()) {
      if (const Status status = fixed_delay(delay_ms.lowest(), dt_ms, shortest_); !status) return status;
      longest_ = shortest_;
      delays_ = always(static_cast<std::int32_t>(shortest_));
      return {};
    }
    const auto made = tables.get(delay_ms, 1.0 / dt_ms, "delay_ms");
    if (!made) return {Error::delay_out_of_range, 0, delay_ms.highest(), "delay_ms"};
    const OutcomeTable& table = *made.value();
    if (table.lowest() < 1) return {Error::delay_out_of_range, 0, table.lowest() * dt_ms, "delay_ms"};
    if (table.highest() > static_cast<std::int32_t>(longest_delay))
      return {Error::delay_out_of_range, 0, table.highest() * dt_ms, "delay_ms"};
    delays_ = made.value();
    shortest_ = static_cast<std::uint32_t>(table.lowest()), longest_ = static_cast<std::uint32_t>(table.highest());
    return {};
  }
  [[nodiscard]] static std::uint32_t steps_of(double delay_ms, double dt_ms) noexcept {
    return static_cast<std::uint32_t>(rounded(delay_ms / dt_ms));
  }
  [[nodiscard]] Status prepare_list(const std::vector<Listed>& list, double dt_ms) {
    if (list.size() >= no_neuron) return {Error::parameter_out_of_range, 0, list.size(), "synapses"};
    list_ = &list, dt_ms_ = dt_ms;
    double largest = 0.0;
    for (const Listed& one : list) {
      const double magnitude = one.weight < 0.0 ? -one.weight : one.weight;
      if (magnitude > largest) largest = magnitude;
    }
    while (shift_ < 31 && static_cast<double>(rounded(largest / unit())) > most_weight()) ++shift_;
    shortest_ = longest_delay;
    for (std::size_t at = 0; at < list.size(); ++at) {
      const Listed& one = list[at];
      if (one.source >= sources_) return {Error::row_out_of_range, 0, one.source, "source"};
      if (one.target >= targets_) return {Error::index_out_of_range, 0, one.target, "target"};
      std::uint32_t steps = 0;
      if (const Status status = check_weight(one.weight); !status) return status;
      if (!is_in_range(units_of(one.weight))) return {Error::weight_out_of_range, 0, one.weight, "weight"};
      if (const Status status = fixed_delay(one.delay_ms, dt_ms, steps); !status) return status;
      shortest_ = steps < shortest_ ? steps : shortest_;
      longest_ = steps > longest_ ? steps : longest_;
      if (at != 0 && one.source < list[at - 1].source) list_is_by_source_ = false;
    }
    if (list.empty()) shortest_ = longest_ = 1;
    return {};
  }

  // --- connectors

  /// Of one source, or of one target.
  [[nodiscard]] std::uint32_t distinct(std::uint32_t others, bool self) const noexcept {
    return others - (is_within_ && !self && others != 0 ? 1 : 0);
  }
  [[nodiscard]] Status check_degree(std::uint32_t degree, std::uint32_t others, bool multiple, bool self) const {
    const std::uint32_t possible = distinct(others, self);
    if (degree > most_degree) return {Error::parameter_out_of_range, 0, degree, "degree"};
    if (multiple ? possible == 0 && degree != 0 : degree > possible)
      return {Error::parameters_contradict, 0, degree, "degree"};
    return {};
  }

  Status prepare(const AllToAll&, const Population&, const Population&) noexcept { return {}; }
  Status prepare(const FromList&, const Population&, const Population&) noexcept { return {}; }
  Status prepare(const OneToOne&, const Population&, const Population&) const noexcept {
    return sources_ == targets_ ? Status{} : Status{Error::lengths_differ, 0, targets_, "one to one"};
  }
  Status prepare(const Pairwise& given, const Population&, const Population&) {
    if (!Probability::from(given.probability))
      return {Error::parameter_out_of_range, 0, given.probability, "probability"};
    is_never_ = given.probability == 0.0;
    if (is_never_) return {};
    // How many pairs are left out before one is connected: k with the chance p (1 - p)^k; the last outcome is more than that.
    std::vector<std::uint32_t> last_words;
    const double inverse = 1.0 / (1.0 - given.probability);
    bool are_all = false;
    for (double left = 1.0 / inverse; !are_all && last_words.size() < most_gap; left = left / inverse) {
      const double words = (1.0 - left) * 4294967296.0 + 0.5; // quotients above: nothing is contracted
      are_all = words >= 4294967296.0;
      last_words.push_back(are_all ? 0xFFFF'FFFFU : words < 1.0 ? 0U : static_cast<std::uint32_t>(words) - 1);
    }
    if (!are_all) last_words.push_back(0xFFFF'FFFFU);
    gaps_ = OutcomeTable(0, std::move(last_words));
    return {};
  }
  Status prepare(const FixedIndegree& given, const Population&, const Population&) const {
    return check_degree(given.degree, sources_, given.multiple, given.self);
  }
  Status prepare(const FixedOutdegree& given, const Population&, const Population&) const {
    return check_degree(given.degree, targets_, given.multiple, given.self);
  }
  Status prepare(const FixedTotal& given, const Population&, const Population&) {
    const std::uint64_t of_source = distinct(targets_, given.self), possible = of_source * sources_;
    if (given.total > most_total) return {Error::parameter_out_of_range, 0, given.total, "total"};
    if (given.multiple ? possible == 0 && given.total != 0 : given.total > possible)
      return {Error::parameters_contradict, 0, given.total, "total"};
    degrees_.assign(sources_, 0);
    InOrder words(counter(Use::sources));
    if (given.multiple) {
      for (std::uint32_t k = 0; k < given.total; ++k) ++degrees_[words.below(sources_, 0, k)];
      return {};
    }
    // A source is taken with a chance as what it has left: so many of the pairs, or of those that are left out.
    const bool leaves_out = given.total > possible / 2;
    const std::uint64_t drawn = leaves_out ? possible - given.total : given.total;
    InOrder more(counter(Use::sources));
    std::uint32_t number = 0;
    for (std::uint64_t done = 0; done < drawn; ++number) {
      std::uint32_t& taken = degrees_[words.below(sources_, 1, number)];
      if (more.below(static_cast<std::uint32_t>(of_source), 2, number) < taken) continue;
      ++taken, ++done;
    }
    if (leaves_out)
      for (std::uint32_t& degree : degrees_) degree = static_cast<std::uint32_t>(of_source) - degree;
    return {};
  }
  Status prepare(const ByDistance& given, const Population& source, const Population& target) {
    if (!Probability::from(given.probability))
      return {Error::parameter_out_of_range, 0, given.probability, "probability"};
    if (!(given.scale > 1e-100 && given.scale < 1e100)) return {Error::parameter_out_of_range, 0, given.scale, "scale"};
    if (!(given.within >= 0.0)) return {Error::parameter_out_of_range, 0, given.within, "within"};
    for (const double period : given.period)
      if (!(period == 0.0 || (period > 1e-100 && period < 1e100)))
        return {Error::parameter_out_of_range, 0, period, "period"};
    for (const Population* one : {&source, &target}) {
      if (one->positions.size() != one->count) return {Error::lengths_differ, 0, one->positions.size(), "positions"};
      for (const Position& position : one->positions)
        for (const double coordinate : position)
          if (!(coordinate > -1e100 && coordinate < 1e100))
            return {Error::parameter_out_of_range, 0, coordinate, "positions"};
    }
    neighbourhood_ = std::make_shared<const detail::Neighbourhood>(given, source.positions, target.positions);
    return {};
  }

  /// Gaps of a row begin anew after so many targets, so one of that many is as good as a longer one.
  static constexpr std::uint32_t most_gap = 4096;
  static constexpr std::uint64_t most_degree = no_neuron / 2, most_total = 0xFFFF'FFFF;

  ProjectionId id_;
  const Connector* connector_;
  std::uint64_t seed_;
  std::uint32_t sources_ = 0, targets_ = 0, receptor_ = 0;
  bool is_within_ = false, is_signed_ = false, is_never_ = false;
  unsigned shift_ = 0;
  const PlasticityRule* plasticity_ = nullptr;
  PlasticRange plastic_range_{};
  double units_per_one_ = 1.0, vanishing_ = 0.0;
  std::uint32_t shortest_ = 1, longest_ = 0;
  OutcomeTables::Table weights_ = always(0), delays_ = always(1);
  OutcomeTable gaps_;
  std::vector<std::uint32_t> degrees_; // of FixedTotal, by source
  const std::vector<Listed>* list_ = nullptr;
  double dt_ms_ = 1.0; // of a list
  bool list_is_by_source_ = true;
  std::shared_ptr<const detail::Neighbourhood> neighbourhood_; // of ByDistance
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
