// SPDX-License-Identifier: BSL-1.0
/// \file
/// Plasticity by random windows: coincidences are counted, and a weight moves by a step when there were enough.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_RECURRENT_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_RECURRENT_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/decay_table.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/detail/elapsed.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/detail/made_of.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace timing {

/// An event of either side opens a window, whose length is drawn from an exponential distribution. The next event, where it
/// comes within the window, closes it; if it is of the other side it moves an accumulator by 1, up for pre before post. At
/// +-`limit` the accumulator begins again, and the weight moves by A+ or A-. An event that comes later opens its own window.
///
/// An event is within the window with the probability of exp(-dt/tau), so the length is drawn when that is asked: no synapse
/// keeps it. Each synapse has 7 bits of its own.
///
/// \tparam Source  32 uniform bits from next(), one of them for each event that finds a window
/// \tparam Table   DecayTable<ticks>, or LongDecayTable<ticks> for long time constants in short ticks
/// \source sPyNNaker's rule of that name ("recurrent, pre-stochastic")
template <class Source, class Table = DecayTable<480>>
struct Recurrent {
  static_assert(rounding::BitSource<Source>, "neuromorph: Source lacks 'std::uint32_t next()'; see docs/plasticity.md");

  using Offers = offer::List<offer::OwnBits>;
  static constexpr unsigned own_bits = 7;
  using RowTrace = detail::Elapsed;    ///< since the last pre-synaptic event
  using NeuronTrace = detail::Elapsed; ///< from the event before the last one to that

  struct Parameters {
    double tau_pre_ms = 20.0, tau_post_ms = 20.0; ///< mean lengths of the windows that each side opens
    unsigned limit = 6;                           ///< 1 to 16
    double a_plus = 0.01, a_minus = 0.01;         ///< shares of the range of weights
  };
  /// \errors those of Table: tau_pre_ms, tau_post_ms; those of share_of: a_plus, a_minus; parameter_out_of_range: limit
  [[nodiscard]] static constexpr Result<Recurrent> from(const Parameters& given, double dt_ms, Source source) noexcept {
    const auto pre = detail::decay_of<Table>(given.tau_pre_ms, dt_ms, "tau_pre_ms");
    const auto post = detail::decay_of<Table>(given.tau_post_ms, dt_ms, "tau_post_ms");
    if (!pre) return pre.status();
    if (!post) return post.status();
    const auto a_plus = share_of(given.a_plus, "a_plus"), a_minus = share_of(given.a_minus, "a_minus");
    if (!a_plus) return a_plus.status();
    if (!a_minus) return a_minus.status();
    if (given.limit < 1 || given.limit > 16) return Status{Error::parameter_out_of_range, 0, given.limit, "limit"};
    return Recurrent{pre.value(), post.value(), a_plus.value(), a_minus.value(), static_cast<std::int32_t>(given.limit),
                     source};
  }

  [[nodiscard]] constexpr RowTrace aged(auto&, RowTrace row, std::uint32_t ticks) const noexcept {
    return row.later(ticks);
  }
  [[nodiscard]] constexpr RowTrace pre_spiked(auto&, RowTrace, std::uint32_t) const noexcept { return RowTrace::now(); }
  [[nodiscard]] constexpr NeuronTrace post_spiked(auto&, NeuronTrace neuron, std::uint32_t ticks) const noexcept {
    return neuron.exists() ? NeuronTrace::now().later(ticks) : NeuronTrace::longest();
  }

  constexpr void at_post(auto& synapse, RowTrace row, std::uint32_t ticks, NeuronTrace neuron) const noexcept {
    State state(synapse.own());
    const RowTrace since = row.later(ticks);
    const bool inside = state.open == State::pre    ? is_inside(pre_window, since)
                        : state.open == State::post ? is_inside(post_window, neuron)
                                                    : false;
    if (inside && state.open == State::pre && ++state.accumulator == limit) {
      state.accumulator = 0;
      synapse.up(a_plus);
    }
    state.open = inside ? State::none : State::post;
    synapse.set_own(state.word());
  }
  constexpr void at_pre(auto& synapse, RowTrace row, std::uint32_t ticks, NeuronTrace,
                        std::uint32_t since) const noexcept {
    State state(synapse.own());
    const bool inside = state.open == State::pre    ? is_inside(pre_window, row.later(ticks))
                        : state.open == State::post ? is_inside(post_window, NeuronTrace::now().later(since))
                                                    : false;
    if (inside && state.open == State::post && --state.accumulator == -limit) {
      state.accumulator = 0;
      synapse.down(a_minus);
    }
    state.open = inside ? State::none : State::pre;
    synapse.set_own(state.word());
  }

  Table pre_window{}, post_window{};
  Share a_plus = 0, a_minus = 0;
  std::int32_t limit = 1;
  mutable Source source{};

private:
  struct State {
    enum Open : std::uint32_t { none, pre, post };
    explicit constexpr State(std::uint32_t own) noexcept
        : open(own & 3), accumulator(static_cast<std::int32_t>(((own >> 2) & 31) ^ 16) - 16) {}
    [[nodiscard]] constexpr std::uint32_t word() const noexcept {
      return (static_cast<std::uint32_t>(accumulator) & 31) << 2 | open;
    }
    std::uint32_t open;
    std::int32_t accumulator;
  };
  [[nodiscard]] constexpr bool is_inside(const Table& table, detail::Elapsed since) const noexcept {
    return source.next() >> 1 < table.at(since.ticks());
  }
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
