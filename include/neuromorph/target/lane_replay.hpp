// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop over a row of plastic synapses, several of them at a time: what DeferredUpdate::replay_all of
/// kernels/plasticity/deferred_update.hpp does one after the other.
// not in the umbrella: backends with UnsignedLanes include it
#ifndef NEUROMORPH_TARGET_LANE_REPLAY_HPP
#define NEUROMORPH_TARGET_LANE_REPLAY_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/target/lane_words.hpp>
#include <neuromorph/target/recent_records.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Changes and traces that were held.
struct LaneCounts {
  std::uint32_t at_highest = 0, at_lowest = 0, traces = 0;
};

/// Several synapses as rules see them, with products to nearest. What moves weights moves those of the lanes that are active;
/// what is held is counted in these alone.
///
/// \tparam WeightRule  whose `up` and `down` take words of any kind
template <class Group, class WeightRule>
class LaneSynapses {
public:
  using Words = LaneWords<Group>;
  using Truth = typename Words::Truth;

  [[gnu::always_inline]] constexpr LaneSynapses(const WeightRule& weight, Words share, Words neuron,
                                                LaneCounts& held) noexcept
      : weight_(&weight), held_(&held), share_(share), neuron_(neuron), active_(Truth::first(0)) {}
  [[gnu::always_inline]] constexpr void set_active(Truth active) noexcept { active_ = active; }

  [[gnu::always_inline]] constexpr void up(Words change) noexcept {
    const Words by = weight_->up(*this, share_, change), sum = share_ + by;
    const Truth over = (sum < by) & active_;
    share_ = select(over, Words(~std::uint32_t{0}), select(active_, sum, share_));
    held_->at_highest += over.count();
  }
  [[gnu::always_inline]] constexpr void down(Words change) noexcept {
    const Words by = weight_->down(*this, share_, change);
    const Truth under = (share_ < by) & active_;
    share_ = select(under, Words(0), select(active_, share_ - by, share_));
    held_->at_lowest += under.count();
  }
  /// `then` in lanes in which it is so, `otherwise` in the others.
  template <class Then, class Otherwise>
  [[gnu::always_inline]] constexpr void when(Truth is_so, Then then, Otherwise otherwise) noexcept {
    const Truth all = active_;
    set_active(all & is_so), then();
    set_active(all.without(is_so)), otherwise();
    set_active(all);
  }
  [[nodiscard, gnu::always_inline]] constexpr Words share() const noexcept { return share_; }
  [[nodiscard, gnu::always_inline]] constexpr Words neuron() const noexcept { return neuron_; }
  [[nodiscard, gnu::always_inline]] static constexpr Words product(Words share, Words factor) noexcept {
    return Words::template multiply_nearest<31>(share, factor);
  }
  [[nodiscard, gnu::always_inline]] static constexpr Words part(Words share, Words of) noexcept {
    return Words::template multiply_nearest<32>(share, of);
  }
  [[nodiscard, gnu::always_inline]] constexpr Words times(Words share, Words count) noexcept {
    const Words low = share * count, high = multiply_high(share, count);
    const Words carry = select(low + Words(1U << 23) < low, Words(1), Words(0)), most((1U << 24) - 1);
    return held(most < high + carry, Words::template multiply_nearest<24>(share, count));
  }
  [[nodiscard, gnu::always_inline]] constexpr Words sum(Words a, Words b) noexcept { return held(a + b < a, a + b); }

private:
  [[gnu::always_inline]] constexpr Words held(Truth is_over, Words value) noexcept {
    const Truth over = is_over & active_;
    held_->traces += over.count();
    return select(over, Words(~std::uint32_t{0}), value);
  }
  const WeightRule* weight_;
  LaneCounts* held_;
  Words share_, neuron_;
  Truth active_;
};

/// \tparam Format      of the words
/// \tparam Timing      a timing rule that offers LaneTraces
/// \tparam Weight      a weight rule that takes words of any kind
/// \tparam has_delays  whether a synapse sees its neuron's events as much later as its word says
template <class Lanes, class Format, class Timing, class Weight, bool has_delays>
struct LaneReplay {
  const Timing& timing;
  const Weight& weight;
  std::int32_t lowest;
  std::uint32_t width;
  LaneCounts held{};

  /// \param span    ticks of the row's window
  /// \param past    of a history, for a window without delay
  /// \param traces  the row's, `made` and `at_spike`
  /// \param alone   is called with each synapse of which the look does not tell all
  template <bool is_spike>
  void replay(std::span<std::uint32_t> words, std::span<std::uint32_t> states, std::uint32_t span, const auto& past,
              const auto& traces, const auto& alone) noexcept {
    std::uint32_t *word = words.data(), *state = states.data();
    for (std::size_t size = words.size(); size != 0;) {
      const std::size_t groups = size / count < groups_at_once ? size / count : groups_at_once;
      // Without a branch that depends on what is found, so that several groups are under way at a time.
      std::array<std::uint32_t, groups_at_once * count + count> places; // NOLINT: written before they are read
      std::size_t left = 0;
      decltype(look_at(word, past)) looks[groups_at_once]; // NOLINT
      for (std::size_t group = 0; group < groups; ++group) looks[group] = look_at(word + group * count, past);
      for (std::size_t group = 0; group < groups; ++group) {
        const Truth rest = replay_group<is_spike, true>(word + group * count, state + group * count, count, span, past,
                                                        looks[group], traces);
        left += rest.store_places(places.data() + left, static_cast<std::uint32_t>(group * count));
      }
      std::size_t done = groups * count;
      if (groups != groups_at_once)
        for (; done != size; ++done) places[left++] = static_cast<std::uint32_t>(done);
      for (std::size_t at = 0; at < left; at += count) {
        const std::size_t lanes = left - at < count ? left - at : count;
        std::array<std::uint32_t, count> some_words, some_states; // NOLINT: written before they are read
        for (std::size_t lane = 0; lane < count; ++lane) {
          const std::size_t place = places[lane < lanes ? at + lane : at]; // others are copies that nobody counts
          some_words[lane] = word[place];
          some_states[lane] = state[place];
        }
        std::uint32_t rest = replay_group<is_spike, false>(some_words.data(), some_states.data(), lanes, span, past,
                                                           look_at(some_words.data(), past), traces)
                                 .bits();
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          word[places[at + lane]] = some_words[lane];
          state[places[at + lane]] = some_states[lane];
        }
        for (; rest != 0; rest &= rest - 1) alone(word + places[at + static_cast<std::size_t>(std::countr_zero(rest))]);
      }
      word += done;
      state += done;
      size -= done;
    }
  }

private:
  using Words = LaneWords<Lanes>;
  using Truth = typename Words::Truth;
  static constexpr std::size_t count = Lanes::count;
  static constexpr std::size_t groups_at_once = 16; ///< whose looks stay in the first cache

  [[gnu::always_inline]] static auto look_at(const std::uint32_t* word, const auto& past) noexcept {
    return past.recent().template look<0>(
        (Words::load(word) & Words((std::uint32_t{1} << Format::index_bits) - 1)).value);
  }
  /// \tparam is_first  by the newest events alone, the usual ones
  /// \param lanes  of the group, the others are left as they are
  /// \return the lanes of which these events do not tell all, which are left as they are
  template <bool is_spike, bool is_first>
  [[gnu::always_inline]] Truth replay_group(std::uint32_t* word, std::uint32_t* state, std::size_t lanes,
                                            std::uint32_t span, const auto& past, const auto& newer,
                                            const auto& traces) noexcept {
    using Trace = typename Timing::template NeuronTraceOf<Words>;
    constexpr std::size_t events = 4, usual_events = is_first ? 2 : events;
    const Words before = Words::load(word), share = Words::load(state),
                neuron = before & Words((std::uint32_t{1} << Format::index_bits) - 1);
    Words begins(past.look_begins()), knows_since(past.look_knows_since() - past.look_begins());
    if constexpr (has_delays) {
      const Words one_less = (before >> (Format::index_bits + Format::type_bits)) - Words(1);
      const Words delay = (one_less & Words((std::uint32_t{1} << Format::delay_bits) - 1)) + Words(1);
      begins = begins - delay;
      knows_since = knows_since + delay;
    }
    const Words window(span);
    const auto ticks = [&](const auto& look, std::size_t event) { return Words::of(look.word[0][event]) - begins; };
    const auto in_window = [&](Words at) { return at - Words(1) < window; };
    const auto is_before = [&](Words at) { return Words(INT32_MAX) < at - Words(1); };
    const auto is_later = [&](Words at) { return at - Words(1) - window < Words((1U << 31) - span); };
    using TraceWords = std::array<Words, sizeof(typename Timing::NeuronTrace) / 4>;
    const auto trace_of = [&](const auto& look, std::size_t event) {
      TraceWords words;
      for (std::size_t at = 0; at < words.size(); ++at) words[at] = Words::of(look.word[1 + at][event]);
      return words;
    };
    Truth active = Truth::first(lanes);

    // The last event that the spike sees: the newest but where that comes later.
    Words last = ticks(newer, 0);
    TraceWords trace = trace_of(newer, 0);
    const Truth all = active, later = is_later(last) & all;
    Truth is_open = later;
    if (is_first || later.any()) {
      for (std::size_t event = 1; event < usual_events; ++event) {
        const TraceWords other = trace_of(newer, event);
        last = select(is_open, ticks(newer, event), last);
        for (std::size_t at = 0; at < trace.size(); ++at) trace[at] = select(is_open, other[at], trace[at]);
        is_open = is_open & is_later(last);
      }
      // One that is older than others are kept is known no more; so is one that is further back.
      active = active.without(is_open | (later & is_before(last - knows_since + Words(1))));
    }
    LaneSynapses<Lanes, Weight> synapses(weight, share, neuron, held);
    const auto replay_events = [&](const auto& look, std::size_t event) {
      const Words at = ticks(look, event);
      const Truth is_in = in_window(at) & active;
      if (event != 0 && !is_in.any()) return; // most often none or nearly all groups have such a lane
      synapses.set_active(is_in);
      timing.at_post(synapses, traces.made, at, std::bit_cast<Trace>(trace_of(look, event)));
    };
    const Truth has_more = active.without(is_before(ticks(newer, is_first ? usual_events : events - 1)));
    if constexpr (is_first) {
      active = active.without(has_more);
    } else if (has_more.any()) {
      const auto older = past.recent().template look<1>(neuron.value);
      active = active.without(has_more.without(is_before(ticks(older, events - 1))));
      for (std::size_t event = events; event-- != 0;) replay_events(older, event);
    }
    for (std::size_t event = usual_events; event-- != 0;) replay_events(newer, event);
    if constexpr (is_spike) {
      synapses.set_active(active);
      timing.at_pre(synapses, traces.at_spike, 0U, std::bit_cast<Trace>(trace), window - last);
    }
    const Words units = Words(static_cast<std::uint32_t>(lowest)) +
                        Words::template multiply_nearest<32>(synapses.share(), Words(width));
    const Words made = (units << Format::address_bits) | (before & Words(Format::address_mask));
    select(active, made, before).store(word);
    synapses.share().store(state);
    return all.without(active);
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
