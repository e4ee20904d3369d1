// SPDX-License-Identifier: BSL-1.0
/// \file
/// The rules of a core's plastic rows, and the one history of its neurons that they share: an event has the trace of each
/// rule.
// not in the umbrella: a part of core.hpp
#ifndef NEUROMORPH_CORE_PLASTIC_RULES_HPP
#define NEUROMORPH_CORE_PLASTIC_RULES_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/history.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace detail {

/// One value of each type, trivially copyable.
template <class... Types>
struct Joint {
  friend constexpr bool operator==(const Joint&, const Joint&) noexcept = default;
};
template <class Only>
struct Joint<Only> {
  Only first{};
  friend constexpr bool operator==(const Joint&, const Joint&) noexcept = default;
};
template <class First, class... Others>
struct Joint<First, Others...> {
  First first{};
  Joint<Others...> others{};
  friend constexpr bool operator==(const Joint&, const Joint&) noexcept = default;
};
template <std::size_t Which, class Values>
[[nodiscard, gnu::always_inline]] constexpr auto& joint_value(Values& values) noexcept {
  if constexpr (Which == 0)
    return values.first;
  else
    return joint_value<Which - 1>(values.others);
}

/// The history as one rule sees it: with its own traces.
template <class Store, std::size_t Which>
class HistoryOfRule {
public:
  using Trace = std::remove_cvref_t<decltype(joint_value<Which>(std::declval<typename Store::Trace&>()))>;
  explicit constexpr HistoryOfRule(Store& store) noexcept : store_(&store) {}

  class Past {
    using Asked = decltype(std::declval<Store&>().past(0U, 0U));

  public:
    explicit constexpr Past(Asked asked) noexcept : asked_(asked) {}
    template <class Before, class Each>
    [[gnu::always_inline]] constexpr bool of(std::uint32_t neuron, Before before, Each each) const noexcept {
      const auto its = [&](std::uint32_t time, const auto& traces) { before(time, joint_value<Which>(traces)); };
      const auto each_of_its = [&](std::uint32_t time, const auto& traces) { each(time, joint_value<Which>(traces)); };
      if constexpr (requires { Before::only_if_none; })
        return asked_.of(neuron, IfNone{its}, each_of_its);
      else
        return asked_.of(neuron, its, each_of_its);
    }
    [[nodiscard]] constexpr std::uint32_t complete_after() const noexcept { return asked_.complete_after(); }

    struct Glance {
      bool is_all, is_in_window;
      std::uint32_t ticks;
      Trace trace;
    };
    static constexpr bool has_glance = HasGlance<Asked>;
    [[nodiscard, gnu::always_inline]] constexpr Glance
    glance(std::uint32_t neuron) const noexcept requires HasGlance<Asked> {
      const auto seen = asked_.glance(neuron);
      return {seen.is_all, seen.is_in_window, seen.ticks, joint_value<Which>(seen.trace)};
    }

  private:
    Asked asked_;
  };
  [[nodiscard, gnu::always_inline]] constexpr Past past(std::uint32_t after, std::uint32_t until) noexcept {
    return Past(store_->past(after, until));
  }

private:
  Store* store_;
};

/// In the place of a history, where the trace that a rule makes of its last one is all that is asked for.
template <class Trace>
struct LastTrace {
  struct Event {
    bool exists;
    std::uint32_t time;
    Trace trace;
  };
  Event last;
  Trace next{};
  template <class TraceOf>
  constexpr bool update(std::uint32_t, std::uint32_t, TraceOf trace_of) noexcept {
    next = trace_of(last);
    return true;
  }
};

} // namespace detail

/// \tparam Updates  DeferredUpdate each. Rule 1 is the first, and so on; 0 is none
template <class... Updates>
class PlasticRules {
public:
  static constexpr std::size_t count = sizeof...(Updates);
  using Trace = detail::Joint<typename Updates::NeuronTrace...>;
  /// Whether the synaptic words of all rules are of this format.
  template <class Format>
  static constexpr bool has_words = (std::is_same_v<typename Updates::Word, Format> && ...);

  constexpr PlasticRules() noexcept = default;
  explicit constexpr PlasticRules(const Updates&... updates) noexcept requires(count != 0) {
    set(std::make_index_sequence<count>{}, updates...);
  }

  /// Of rule Number, from 1.
  template <std::size_t Number>
  [[nodiscard]] constexpr auto& rule() noexcept {
    return detail::joint_value<Number - 1>(updates_);
  }
  template <std::size_t Number>
  [[nodiscard]] constexpr const auto& rule() const noexcept {
    return detail::joint_value<Number - 1>(updates_);
  }

  /// Calls function(std::integral_constant<std::size_t, Number>) with the rule of this number; `otherwise` where there is none.
  template <class Function, class Answer>
  [[gnu::always_inline]] static constexpr Answer with(std::size_t number, const Function& function, Answer otherwise) {
    return with_one_of(std::make_index_sequence<count>{}, number, function, otherwise);
  }

  /// An event of a neuron: each rule makes its trace from its last one.
  template <class Store>
  constexpr void post_spike(Store& store, std::uint32_t neuron, std::uint32_t now) noexcept {
    static_cast<void>(store.update(neuron, now, [&](const auto& last) {
      Trace next{};
      traces(std::make_index_sequence<count>{}, last, next, neuron, now);
      return next;
    }));
  }

  /// The sum of a counter over all rules.
  [[nodiscard]] constexpr PlasticityCounts counts() const noexcept { return sum(std::make_index_sequence<count>{}); }

private:
  template <std::size_t... Which>
  constexpr void set(std::index_sequence<Which...>, const Updates&... updates) noexcept {
    ((detail::joint_value<Which>(updates_) = updates), ...);
  }
  template <std::size_t... Which, class Function, class Answer>
  [[gnu::always_inline]] static constexpr Answer with_one_of(std::index_sequence<Which...>, std::size_t number,
                                                             const Function& function, Answer otherwise) {
    static_cast<void>(
        ((number == Which + 1 && (otherwise = function(std::integral_constant<std::size_t, Which + 1>{}), true)) ||
         ...));
    return otherwise;
  }
  template <std::size_t... Which, class Last>
  constexpr void traces(std::index_sequence<Which...>, const Last& last, Trace& next, std::uint32_t neuron,
                        std::uint32_t now) noexcept {
    (trace<Which>(last, next, neuron, now), ...);
  }
  template <std::size_t Which, class Last>
  constexpr void trace(const Last& last, Trace& next, std::uint32_t neuron, std::uint32_t now) noexcept {
    using Its = std::remove_cvref_t<decltype(detail::joint_value<Which>(next))>;
    detail::LastTrace<Its> its{{last.exists, last.time, detail::joint_value<Which>(last.trace)}};
    static_cast<void>(detail::joint_value<Which>(updates_).post_spike(its, neuron, now));
    detail::joint_value<Which>(next) = its.next;
  }
  template <std::size_t... Which>
  [[nodiscard]] constexpr PlasticityCounts sum(std::index_sequence<Which...>) const noexcept {
    PlasticityCounts all;
    [[maybe_unused]] const auto add = [&](const PlasticityCounts& of) {
      all.held_at_highest += of.held_at_highest;
      all.held_at_lowest += of.held_at_lowest;
      all.truncated += of.truncated;
      all.held_traces += of.held_traces;
      all.wrong_rows += of.wrong_rows;
    };
    (add(detail::joint_value<Which>(updates_).counts()), ...);
    return all;
  }

  detail::Joint<Updates...> updates_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
