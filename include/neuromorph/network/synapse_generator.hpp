// SPDX-License-Identifier: BSL-1.0
/// \file
/// Every synapse of a projection, or those of some sources to some targets: the same ones, whoever asks for which part.
// host-only
#ifndef NEUROMORPH_NETWORK_SYNAPSE_GENERATOR_HPP
#define NEUROMORPH_NETWORK_SYNAPSE_GENERATOR_HPP

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/counter.hpp>
#include <neuromorph/network/detail/normal.hpp>
#include <neuromorph/network/projection_plan.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Neurons of a population from `first` on, up to and without `end`.
struct Range {
  std::uint32_t first = 0, end = 0;
  [[nodiscard]] constexpr bool has(std::uint32_t neuron) const noexcept { return neuron - first < end - first; }
};

/// A synapse as it is drawn; the plan's `weight(weight_word)` is its weight.
struct DrawnSynapse {
  std::uint32_t source, target;
  std::uint32_t delay; ///< in steps
  std::uint32_t weight_word;
};

/// Has memory of work for one thread.
class SynapseGenerator {
public:
  /// \param plan  is referred to, as is its network
  explicit SynapseGenerator(const ProjectionPlan& plan)
      : plan_(&plan), delays_(&plan.delays()), partners_(plan.counter(Use::partners)),
        synapses_(plan.counter(Use::synapses)), pairs_(plan.counter(Use::synapses)),
        is_drawn_(!plan.weights().is_fixed() || !plan.delays().is_fixed()) {}

  /// Calls `visit(DrawnSynapse)` for each synapse from these sources to these targets: by source or, where the plan
  /// is_by_target, by target; multiple ones in the order in which they were drawn, others in ascending order.
  /// \cost all targets of the sources, or all sources of the targets, are looked at
  template <class Visit>
  void each(Range sources, Range targets, Visit visit) {
    std::visit([&](const auto& connector) { draw(connector, sources, targets, visit); }, *plan_->connector_);
  }

private:
  /// Weight and delay are words of synapse n of a line.
  template <class Reader, class Visit>
  [[gnu::always_inline]] void give(std::uint32_t source, std::uint32_t target, Reader& reader, std::uint32_t line,
                                   std::uint32_t n, Visit& visit) {
    if (!is_drawn_) return visit(DrawnSynapse{source, target, plan_->shortest_, 0});
    const auto words = reader.pair(line, n);
    visit(DrawnSynapse{source, target, static_cast<std::uint32_t>((*delays_)(words.first)), words.second});
  }
  /// The only one of its pair.
  template <class Visit>
  [[gnu::always_inline]] void give(std::uint32_t source, std::uint32_t target, Visit& visit) {
    give(source, target, pairs_, source, target, visit);
  }
  [[nodiscard]] bool is_left_out(bool self, std::uint32_t source, std::uint32_t target) const noexcept {
    return !self && plan_->is_within_ && source == target;
  }
  /// The neuron that `line` must not be connected to.
  [[nodiscard]] std::uint32_t left_out(bool self, std::uint32_t line) const noexcept {
    return !self && plan_->is_within_ ? line : no_neuron;
  }

  /// Partner j of a line, of `count`, with replacement.
  [[nodiscard, gnu::always_inline]] std::uint32_t any_partner(std::uint32_t count, std::uint32_t without,
                                                              std::uint32_t line, std::uint32_t j) {
    if (without == no_neuron) return partners_.below(count, line, j);
    const std::uint32_t other = partners_.below(count - 1, line, j);
    return other + (other >= without ? 1 : 0);
  }
  /// Calls `found(partner)` for `degree` different ones of `count`, in ascending order. Draws those that are connected or
  /// those that are not, whichever are fewer.
  template <class Found>
  void each_partner(std::uint32_t count, std::uint32_t without, std::uint32_t line, std::uint32_t degree, Found found) {
    const std::uint32_t possible = count - (without != no_neuron ? 1 : 0);
    const bool leaves_out = degree > possible / 2;
    std::uint32_t left = leaves_out ? possible - degree : degree;
    marks_.assign((std::size_t{count} + 63) / 64, 0);
    const auto mark = [&](std::uint32_t one) {
      std::uint64_t& marks = marks_[one / 64];
      const std::uint64_t before = marks;
      marks |= std::uint64_t{1} << one % 64;
      return marks != before;
    };
    for (std::uint32_t n = 0; left != 0; ++n) left -= mark(any_partner(count, without, line, n)) ? 1U : 0U;
    if (leaves_out && without != no_neuron) mark(without);
    for (std::size_t at = 0; at < marks_.size(); ++at) {
      std::uint64_t bits = leaves_out ? ~marks_[at] : marks_[at];
      if (at + 1 == marks_.size() && count % 64 != 0) bits &= (std::uint64_t{1} << count % 64) - 1;
      for (; bits != 0; bits &= bits - 1)
        found(static_cast<std::uint32_t>(64 * at) + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }
  template <class Visit>
  void draw_row(std::uint32_t source, Range targets, std::uint32_t degree, bool multiple, bool self, Visit& visit) {
    const std::uint32_t without = left_out(self, source), count = plan_->targets_;
    if (!multiple)
      return each_partner(count, without, source, degree, [&](std::uint32_t target) {
        if (targets.has(target)) give(source, target, visit);
      });
    for (std::uint32_t j = 0; j < degree; ++j)
      if (const std::uint32_t target = any_partner(count, without, source, j); targets.has(target))
        give(source, target, synapses_, source, j, visit);
  }

  template <class Visit>
  void draw(const AllToAll& given, Range sources, Range targets, Visit& visit) {
    for (std::uint32_t source = sources.first; source < sources.end; ++source)
      for (std::uint32_t target = targets.first; target < targets.end; ++target)
        if (!is_left_out(given.self, source, target)) give(source, target, synapses_, source, target, visit);
  }
  template <class Visit>
  void draw(const OneToOne&, Range sources, Range targets, Visit& visit) {
    for (std::uint32_t source = sources.first; source < sources.end; ++source)
      if (targets.has(source)) give(source, source, visit);
  }
  /// Gaps begin anew every 4096 targets, so that a part of the targets costs as much as it is.
  template <class Visit>
  void draw(const Pairwise& given, Range sources, Range targets, Visit& visit) {
    constexpr std::uint32_t stretch = 4096;
    if (plan_->is_never_ || targets.first >= targets.end) return;
    for (std::uint32_t source = sources.first; source < sources.end; ++source)
      for (std::uint32_t begin = targets.first / stretch * stretch; begin < targets.end; begin += stretch) {
        const std::uint32_t end = targets.end - begin < stretch ? targets.end : begin + stretch;
        std::uint32_t number = begin / stretch * (2 * stretch); // of a word: one a target, and one more, at most
        for (std::uint32_t target = begin; target < end; ++number) {
          const auto gap = static_cast<std::uint32_t>(plan_->gaps_(partners_.word(source, number)));
          target += gap;
          if (gap == plan_->gap_) continue;
          if (target < end && target >= targets.first && !is_left_out(given.self, source, target))
            give(source, target, visit);
          ++target;
        }
      }
  }
  template <class Visit>
  void draw(const FixedOutdegree& given, Range sources, Range targets, Visit& visit) {
    for (std::uint32_t source = sources.first; source < sources.end; ++source)
      draw_row(source, targets, given.degree, given.multiple, given.self, visit);
  }
  template <class Visit>
  void draw(const FixedTotal& given, Range sources, Range targets, Visit& visit) {
    for (std::uint32_t source = sources.first; source < sources.end; ++source)
      draw_row(source, targets, plan_->degrees_[source], given.multiple, given.self, visit);
  }
  template <class Visit>
  void draw(const FixedIndegree& given, Range sources, Range targets, Visit& visit) {
    for (std::uint32_t target = targets.first; target < targets.end; ++target) {
      const std::uint32_t without = left_out(given.self, target);
      if (!given.multiple) {
        each_partner(plan_->sources_, without, target, given.degree, [&](std::uint32_t source) {
          if (sources.has(source)) give(source, target, pairs_, target, source, visit);
        });
        continue;
      }
      for (std::uint32_t j = 0; j < given.degree; ++j)
        if (const std::uint32_t source = any_partner(plan_->sources_, without, target, j); sources.has(source))
          give(source, target, synapses_, target, j, visit);
    }
  }
  template <class Visit>
  void draw(const ByDistance& given, Range sources, Range targets, Visit& visit) {
    for (std::uint32_t source = sources.first; source < sources.end; ++source)
      for (std::uint32_t target = targets.first; target < targets.end; ++target) {
        if (is_left_out(given.self, source, target)) continue;
        const double chance =
            chance_of(given, (*plan_->source_positions_)[source], (*plan_->target_positions_)[target]);
        if (static_cast<double>(partners_.word(source, target)) < chance * 4294967296.0) give(source, target, visit);
      }
  }
  template <class Visit>
  void draw(const FromList& given, Range sources, Range targets, Visit& visit) {
    for (std::uint32_t at = 0; at < given.synapses.size(); ++at)
      if (const Listed& one = given.synapses[at]; sources.has(one.source) && targets.has(one.target))
        visit(DrawnSynapse{one.source, one.target, plan_->listed_delays_[at], at});
  }

  [[nodiscard]] static double chance_of(const ByDistance& given, const Position& from, const Position& to) noexcept {
    double square = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double apart = from[axis] < to[axis] ? to[axis] - from[axis] : from[axis] - to[axis];
      if (const double period = given.period[axis]; period > 0.0) {
        apart -= period * static_cast<double>(static_cast<std::int64_t>(apart / period));
        if (apart > period / 2.0) apart = period - apart;
      }
      square += apart * apart;
    }
    if (square > given.within * given.within) return 0.0;
    const double depth = given.profile == Profile::constant   ? 0.0
                         : given.profile == Profile::gaussian ? square / given.scale / given.scale / 2.0
                                                              : std::sqrt(square) / given.scale;
    return depth > 60.0 ? 0.0 : given.probability / detail::exp_of(depth);
  }

  const ProjectionPlan* plan_;
  const OutcomeTable* delays_;
  InOrder partners_, synapses_;
  OneByOne pairs_;
  bool is_drawn_;
  std::vector<std::uint64_t> marks_;
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
