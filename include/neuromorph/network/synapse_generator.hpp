// SPDX-License-Identifier: BSL-1.0
/// \file
/// Every synapse of a projection, or those of some sources to some targets: the same ones, whoever asks for which part.
// host-only
#ifndef NEUROMORPH_NETWORK_SYNAPSE_GENERATOR_HPP
#define NEUROMORPH_NETWORK_SYNAPSE_GENERATOR_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/counter.hpp>
#include <neuromorph/network/detail/neighbourhood.hpp>
#include <neuromorph/network/projection_plan.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

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
        synapses_(plan.counter(Use::synapses)), near_(plan.counter(Use::partners)), pairs_(plan.counter(Use::synapses)),
        is_drawn_(!plan.weights().is_fixed() || !plan.delays().is_fixed()) {}

  /// Calls `visit(DrawnSynapse)` for each synapse from these sources to these targets: by source; with a fixed in-degree by
  /// target; of a list as they are listed. Multiple ones come in the order in which they were drawn, others in ascending order.
  /// \cost all targets of the sources are looked at, near ones only where it is by distance; all sources of the targets,
  ///       with a fixed in-degree; all of a list that is not by source
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
  /// Gaps begin anew after a stretch of targets, so that a part of the targets costs as much as it is.
  template <class Visit>
  void draw(const Pairwise& given, Range sources, Range targets, Visit& visit) {
    constexpr std::uint32_t stretch = ProjectionPlan::most_gap;
    if (plan_->is_never_ || targets.first >= targets.end) return;
    for (std::uint32_t source = sources.first; source < sources.end; ++source)
      for (std::uint32_t begin = targets.first / stretch * stretch; begin < targets.end; begin += stretch) {
        const std::uint32_t end = targets.end - begin < stretch ? targets.end : begin + stretch;
        std::uint32_t number = begin / stretch * (2 * stretch); // of a word: one a target, and one more, at most
        for (std::uint32_t target = begin; target < end; ++number) {
          target += static_cast<std::uint32_t>(plan_->gaps_(partners_.word(source, number)));
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
    const detail::Neighbourhood& neighbourhood = *plan_->neighbourhood_;
    const auto find = [&](std::uint32_t source, auto& words) {
      found_.clear();
      neighbourhood.each(
          source, [&](std::uint32_t target) { return words.word(source, target); },
          [&](std::uint32_t target) {
            if (targets.has(target) && !is_left_out(given.self, source, target)) found_.push_back(target);
          });
    };
    for (std::uint32_t source = sources.first; source < sources.end; ++source) {
      if (neighbourhood.is_one_cell()) {
        find(source, partners_);
      } else {
        find(source, near_);
        std::sort(found_.begin(), found_.end());
      }
      for (const std::uint32_t target : found_) give(source, target, visit);
    }
  }
  template <class Visit>
  void draw(const FromList& given, Range sources, Range targets, Visit& visit) {
    const std::vector<Listed>& list = given.synapses;
    const bool is_by_source = plan_->is_by_source();
    std::size_t at = 0;
    if (is_by_source)
      at =
          static_cast<std::size_t>(std::partition_point(list.begin(), list.end(),
                                                        [&](const Listed& one) { return one.source < sources.first; }) -
                                   list.begin());
    for (; at < list.size(); ++at) {
      const Listed& one = list[at];
      if (is_by_source && one.source >= sources.end) return;
      if (sources.has(one.source) && targets.has(one.target))
        visit(DrawnSynapse{one.source, one.target, ProjectionPlan::steps_of(one.delay_ms, plan_->dt_ms_),
                           static_cast<std::uint32_t>(at)});
    }
  }

  const ProjectionPlan* plan_;
  const OutcomeTable* delays_;
  InOrder partners_, synapses_;
  OneByOne near_, pairs_;
  bool is_drawn_;
  std::vector<std::uint64_t> marks_;
  std::vector<std::uint32_t> found_;
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
