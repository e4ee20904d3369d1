// SPDX-License-Identifier: BSL-1.0
/// \file
/// Plastic synapses that are brought up to date when a spike of their row comes. Then, what their neurons did since the last
/// one is replayed from the history, event by event.
///
///     update.post_spike(history, neuron, now);                     // when a neuron of this core fires
///     if (update.pre_spike(row, now, history) == RowUpdate::changed) ...  // when a row's spike comes: write it back
#ifndef NEUROMORPH_KERNELS_PLASTICITY_DEFERRED_UPDATE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_DEFERRED_UPDATE_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/history.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/kernels/synapses/plastic_row.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What became of a row.
enum class RowUpdate : std::uint8_t {
  unchanged, ///< it has no plastic synapses
  changed,
  wrong, ///< it is no whole row, and as it was
};

/// When a post-synaptic event is seen at a synapse whose word says a delay of d steps.
enum class PostSynapticDelay : std::uint8_t {
  none,      ///< at once: the delay is the axon's, and the row's spike comes that much later where that is to count
  dendritic, ///< d steps later: the event takes the way back that the synapse's current takes forth
};

/// The weights that a rule may choose from, in units of the synaptic word.
struct PlasticRange {
  std::int32_t lowest = 0, highest = 0;
};

/// What a DeferredUpdate has counted.
struct PlasticityCounts {
  std::uint32_t held_at_highest = 0; ///< changes that would have left the range above
  std::uint32_t held_at_lowest = 0;  ///< the same below
  std::uint32_t truncated = 0;       ///< synapses for which the history may lack events
  std::uint32_t held_traces = 0;     ///< traces that would have left their range
  std::uint32_t wrong_rows = 0;
  friend constexpr bool operator==(const PlasticityCounts&, const PlasticityCounts&) noexcept = default;
};

/// \tparam Format    of the synaptic words
/// \tparam Timing    a TimingRule: timing::Pair or another
/// \tparam Weight    a WeightRule: weight::Additive or another
/// \tparam Delay     what a synapse's delay means to a post-synaptic event
/// \tparam Rounding  of changes and traces: rounding::Nearest, or a random source, stochastic
/// \tparam Target    backend
///
/// Ticks are steps. They wrap: a row is brought up to date at least every 2^31 - 1 of them, by a spike or by `flush`.
template <class Format, class Timing, class Weight, PostSynapticDelay Delay = PostSynapticDelay::dendritic,
          class Rounding = rounding::Nearest, class Target = target::Native>
class DeferredUpdate {
  static_assert(RowFormat<Format>, "neuromorph: Format is no row format; see docs/synapses.md");
  static_assert(Format::weight_coding == WeightCoding::magnitude || Format::weight_coding == WeightCoding::signed_value,
                "neuromorph: the weights of plastic words are magnitudes, or have a sign: SynapticWord; see "
                "docs/plasticity.md");
  static_assert(detail::is_complete_timing_rule<Timing>());
  static_assert(detail::is_complete_weight_rule<Weight>());
  static_assert(!detail::offers<Timing, offer::NoDelay> || Delay == PostSynapticDelay::none,
                "neuromorph: this timing rule reads its neurons as they are, so it takes PostSynapticDelay::none; see "
                "docs/plasticity.md");

public:
  using Word = Format;
  using RowTrace = typename Timing::RowTrace;
  using NeuronTrace = typename Timing::NeuronTrace; ///< of the history
  using Row = PlasticRow<RowTrace, detail::offers<Timing, offer::OwnWord> ? 1 : 0>;

  /// Of no range: leaves weights at 0.
  constexpr DeferredUpdate() noexcept = default;
  /// \errors weight_out_of_range: a weight that the word does not hold; parameters_contradict: lowest not below highest
  [[nodiscard]] static constexpr Result<DeferredUpdate>
  from(const PlasticRange& range, const Timing& timing, const Weight& weight = {}, Rounding rounder = {}) noexcept {
    for (const auto end : {range.lowest, range.highest})
      if (end < Format::lowest_weight || end > Format::highest_weight)
        return Status{Error::weight_out_of_range, 0, end, end == range.lowest ? "lowest" : "highest"};
    if (range.lowest >= range.highest) return Status{Error::parameters_contradict, 0, range.lowest, "lowest"};
    DeferredUpdate update(timing, weight, rounder);
    update.lowest_ = range.lowest;
    update.width_ = static_cast<std::uint32_t>(range.highest - range.lowest);
    return update;
  }

  /// A spike of the row's pre-synaptic neuron at `now`: replays events until then, applies the spike, and leaves the weights
  /// with which it acts in the row's words.
  /// \param row      as PlasticRow lays it out
  /// \param history  of the neurons that the words name
  /// \cost  O(plastic synapses + events since the row's last spike); see docs/plasticity.md
  template <History HistoryType>
  constexpr RowUpdate pre_spike(std::span<std::uint32_t> row, std::uint32_t now, HistoryType& history) noexcept {
    return replay<true>(row, now, history);
  }
  /// Brings a row up to date without a spike, before its history ends.
  template <History HistoryType>
  constexpr RowUpdate flush(std::span<std::uint32_t> row, std::uint32_t now, HistoryType& history) noexcept {
    return replay<false>(row, now, history);
  }
  /// Asks for a row that is about to have a spike, while another one has its own: where rows come from memory behind caches.
  static void prefetch(std::span<const std::uint32_t> row) noexcept {
    for (std::size_t at = 0; at < row.size(); at += 16) __builtin_prefetch(row.data() + at, 1);
  }
  /// Records an event of a neuron of this core, with the trace that follows from its last one.
  template <class HistoryType>
  constexpr auto post_spike(HistoryType& history, std::uint32_t neuron, std::uint32_t now) noexcept {
    return history.update(neuron, now, [&](const auto& last) {
      return last.exists ? timing_.post_spiked(arithmetic_, last.trace, now - last.time)
                         : timing_.post_spiked(arithmetic_, NeuronTrace{}, 0);
    });
  }

  /// Records an event of another kind, which the timing rule knows as `modulated`: dopamine that reaches a neuron.
  template <class HistoryType>
  constexpr auto modulate(HistoryType& history, std::uint32_t neuron, std::uint32_t now, Share amount) noexcept requires
      requires(const Timing& timing, ShareArithmetic<Rounding>& m, NeuronTrace trace) {
    timing.modulated(m, trace, now, amount);
  }
  {
    return history.update(neuron, now, [&](const auto& last) {
      return last.exists ? timing_.modulated(arithmetic_, last.trace, now - last.time, amount)
                         : timing_.modulated(arithmetic_, NeuronTrace{}, 0, amount);
    });
  }

  /// The state of a synapse of this weight, for a row's builder. Where bits are the rule's own, weights of ranges wider than
  /// 2^(31 - own_bits) are kept to one unit of the word.
  /// \errors weight_out_of_range: outside the rule's range
  [[nodiscard]] constexpr Result<std::uint32_t> state_of(std::int32_t weight) const noexcept {
    const std::int64_t above = std::int64_t{weight} - lowest_;
    if (above < 0 || above > std::int64_t{width_}) return Status{Error::weight_out_of_range, 0, weight, "weight"};
    if (above == std::int64_t{width_}) return ~own_mask;
    const auto share = static_cast<std::uint64_t>(above) << 32;
    return static_cast<std::uint32_t>((share + width_ / 2) / width_) & ~own_mask;
  }
  /// The weight of a state, in units of the word, as the ring buffer gets it: to nearest.
  [[nodiscard, gnu::always_inline]] constexpr std::int32_t weight_of(std::uint32_t state) const noexcept {
    return weight_of(state, lowest_, width_);
  }

  /// Another weight for a synapse, as a share of the range, in its row's word and state.
  constexpr void set_share(std::uint32_t& word, std::uint32_t& state, Share share) const noexcept {
    state = (share & ~own_mask) | (state & own_mask);
    word = with_weight(word, weight_of(state));
  }

  [[nodiscard]] constexpr PlasticityCounts counts() const noexcept {
    PlasticityCounts all = counts_;
    all.held_traces = arithmetic_.held();
    return all;
  }
  [[nodiscard]] constexpr const Timing& timing() const noexcept { return timing_; }

private:
  static constexpr unsigned own_bits = [] {
    if constexpr (detail::offers<Timing, offer::OwnBits>)
      return Timing::own_bits;
    else
      return 0U;
  }();
  static constexpr bool has_own_word = detail::offers<Timing, offer::OwnWord>;
  static constexpr bool elapses = detail::offers<Timing, offer::Elapse>;
  static constexpr std::uint32_t own_mask = (std::uint32_t{1} << own_bits) - 1;
  static constexpr std::uint32_t index_mask = (std::uint32_t{1} << Format::index_bits) - 1;

  /// The highest weight stays that, whatever bits are the rule's own.
  [[nodiscard, gnu::always_inline]] static constexpr Share share_in(std::uint32_t state) noexcept {
    if constexpr (own_bits != 0)
      if (state >= ~own_mask) return ~Share{0};
    return state & ~own_mask;
  }

  constexpr DeferredUpdate(const Timing& timing, const Weight& weight, Rounding rounder) noexcept
      : timing_(timing), weight_(weight), arithmetic_(rounder) {}

  /// A synapse as rules see it.
  class Synapse {
  public:
    [[gnu::always_inline]] constexpr Synapse(DeferredUpdate& owner, std::uint32_t word, std::uint32_t state) noexcept
        : owner_(&owner), share_(share_in(state)), own_(state & own_mask), neuron_(word & index_mask) {}
    [[gnu::always_inline]] constexpr void up(Share change) noexcept {
      const Share by = owner_->weight_.up(owner_->arithmetic_, share_, change);
      share_ = by > static_cast<Share>(~share_) ? owner_->held_at_highest() : share_ + by;
    }
    [[gnu::always_inline]] constexpr void down(Share change) noexcept {
      const Share by = owner_->weight_.down(owner_->arithmetic_, share_, change);
      share_ = by > share_ ? owner_->held_at_lowest() : share_ - by;
    }
    [[nodiscard]] constexpr Share share() const noexcept { return share_; }
    [[nodiscard]] constexpr std::uint32_t neuron() const noexcept { return neuron_; }
    [[nodiscard, gnu::always_inline]] constexpr Share product(Share share, DecayFactor factor) noexcept {
      return owner_->arithmetic_.product(share, factor);
    }
    [[nodiscard, gnu::always_inline]] constexpr Share part(Share share, Share of) noexcept {
      return owner_->arithmetic_.part(share, of);
    }
    [[nodiscard, gnu::always_inline]] constexpr Share times(Share share, std::uint32_t count) noexcept {
      return owner_->arithmetic_.times(share, count);
    }
    [[nodiscard, gnu::always_inline]] constexpr Share sum(Share a, Share b) noexcept {
      return owner_->arithmetic_.sum(a, b);
    }
    [[gnu::always_inline]] constexpr void when(bool is_so, auto then, auto otherwise) noexcept {
      is_so ? then() : otherwise();
    }
    /// The rule's own bits.
    [[nodiscard]] constexpr std::uint32_t own() const noexcept { return own_; }
    constexpr void set_own(std::uint32_t own) noexcept { own_ = own & own_mask; }
    [[nodiscard]] constexpr std::uint32_t own_word() const noexcept requires has_own_word { return own_word_.word; }
    constexpr void set_own_word(std::uint32_t word) noexcept requires has_own_word { own_word_.word = word; }

    [[nodiscard, gnu::always_inline]] constexpr std::uint32_t state() const noexcept {
      if constexpr (own_bits == 0) {
        return share_;
      } else {
        const Share half = (own_mask >> 1) + 1, rounded = share_ > ~own_mask ? share_ : share_ + half;
        return (rounded & ~own_mask) | own_;
      }
    }

  private:
    struct Word {
      std::uint32_t word = 0;
    };
    struct NoWord {};
    DeferredUpdate* owner_;
    Share share_;
    std::uint32_t own_;
    std::uint32_t neuron_;
    [[no_unique_address]] std::conditional_t<has_own_word, Word, NoWord> own_word_{};
  };

  template <bool is_spike, class HistoryType>
  [[gnu::always_inline]] constexpr RowUpdate replay(std::span<std::uint32_t> words_of_row, std::uint32_t now,
                                                    HistoryType& history) noexcept {
    static_assert(std::same_as<typename HistoryType::Trace, NeuronTrace>,
                  "neuromorph: the history keeps other traces than the timing rule's NeuronTrace; see "
                  "docs/plasticity.md");
    Row row(words_of_row);
    if (!row.is_whole()) [[unlikely]] {
      ++counts_.wrong_rows;
      return RowUpdate::wrong;
    }
    const std::uint32_t size = row.size();
    if (size == 0 && row.room() == 0) return RowUpdate::unchanged;
    const RowTrace trace = row.trace();
    const std::uint32_t begin = row.time(), ticks = now - begin;
    bool is_spent = false;
    if constexpr (detail::offers<Timing, offer::IsSpent>) is_spent = Timing::is_spent(trace);
    const RowTraces traces{trace, is_spike ? timing_.aged(arithmetic_, trace, ticks) : trace};
    const std::uint32_t after = is_spent ? now : begin;
    bool is_done = false;
    if constexpr (has_lanes<HistoryType>())
      if (!std::is_constant_evaluated()) is_done = replay_lanes<is_spike>(row, after, now, traces, history);
    if (!is_done) replay_all<is_spike>(row, after, now, traces, begin, history);
    row.set(now, is_spike ? timing_.pre_spiked(arithmetic_, trace, ticks) : timing_.aged(arithmetic_, trace, ticks));
    return RowUpdate::changed;
  }

  // Out of the way of what is not held.
  [[gnu::noinline, gnu::cold]] constexpr Share held_at_highest() noexcept {
    ++counts_.held_at_highest;
    return ~Share{0};
  }
  [[gnu::noinline, gnu::cold]] constexpr Share held_at_lowest() noexcept {
    ++counts_.held_at_lowest;
    return 0;
  }

  /// A row's trace as it was made, and as its spike finds it.
  struct RowTraces {
    RowTrace made, at_spike;
  };
  /// What all synapses of a row share, or those of one delay. Times are those at which their neurons saw them.
  template <class Past>
  struct Window {
    Past past;
    std::uint32_t after, until;
    std::uint32_t before_after; ///< ticks from when the row's trace was made
    RowTraces traces;
  };

  /// \param after  events since then are replayed
  /// \param begin  when the row's trace was made
  template <bool is_spike, class HistoryType>
  [[gnu::always_inline]] constexpr void replay_all(Row row, std::uint32_t after, std::uint32_t now,
                                                   const RowTraces& traces, std::uint32_t begin,
                                                   HistoryType& history) noexcept {
    using Past = decltype(history.past(after, now));
    std::uint32_t* word = row.plastic().data();
    const std::ptrdiff_t to_state = row.states().data() - word;
    std::uint32_t* const end = word + row.size();
    while (word != end) {
      const std::uint32_t delay = Delay == PostSynapticDelay::none ? 0 : delay_of(*word);
      const Window<Past> window{history.past(after - delay, now - delay), after - delay, now - delay, after - begin,
                                traces};
      do word = replay_some<is_spike>(word, end, to_state, window);
      while (word != end && (Delay == PostSynapticDelay::none || delay_of(*word) == delay));
    }
  }

  /// Whether several synapses can be replayed at once, by the rules' own text.
  template <class HistoryType>
  [[nodiscard]] static consteval bool has_lanes() {
    if constexpr (!std::is_void_v<typename Target::UnsignedLanes> && detail::offers<Timing, offer::LaneTraces> &&
                  std::same_as<Rounding, rounding::Nearest> && own_bits == 0 && !elapses && !has_own_word) {
      using Past = decltype(std::declval<HistoryType&>().past(0U, 0U));
      return detail::HasLook<Past, typename Target::UnsignedLanes> &&
             target::LaneWords<typename Target::UnsignedLanes>::template can_be_moved_by<Weight>;
    } else {
      return false;
    }
  }
  /// A row, several synapses at a time. False, and nothing is done, where the history may lack events.
  template <bool is_spike, class HistoryType>
  [[gnu::noinline]] constexpr bool replay_lanes(Row row, std::uint32_t after, std::uint32_t now,
                                                const RowTraces& traces, HistoryType& history) noexcept {
    constexpr std::uint32_t longest = Delay == PostSynapticDelay::none ? 0 : std::uint32_t{1} << Format::delay_bits;
    const auto past = history.past(after, now);
    if (!past.is_shown_by_look(longest)) return false;
    const auto alone = [&](std::uint32_t * word) __attribute__((noinline, cold)) {
      const std::uint32_t delay = longest == 0 ? 0 : delay_of(*word);
      const Left left{1, {word}};
      replay_left<is_spike>(left, row.states().data() - row.plastic().data(),
                            Window<decltype(history.past(after, now))>{history.past(after - delay, now - delay),
                                                                       after - delay, now - delay, 0, traces});
    };
    typename target::LaneWords<typename Target::UnsignedLanes>::template Replay<Format, Timing, Weight, longest != 0>
        loop{timing_, weight_, lowest_, width_};
    loop.template replay<is_spike>(row.plastic(), row.states(), now - after, past, traces, alone);
    counts_.held_at_highest += loop.held.at_highest;
    counts_.held_at_lowest += loop.held.at_lowest;
    arithmetic_.count_held(loop.held.traces);
    return true;
  }
  static constexpr std::uint32_t delay_mask = Delay == PostSynapticDelay::none
                                                  ? 0
                                                  : ((std::uint32_t{1} << Format::delay_bits) - 1)
                                                        << (Format::index_bits + Format::type_bits);
  [[nodiscard]] static constexpr std::uint32_t delay_of(std::uint32_t word) noexcept {
    constexpr std::uint32_t longest = std::uint32_t{1} << Format::delay_bits;
    return ((word >> (Format::index_bits + Format::type_bits)) - 1) % longest + 1;
  }

  struct Left {
    std::size_t count;
    std::array<std::uint32_t*, 32> word;
  };
  /// Synapses of a delay, until there are none or enough of which a look at their neurons' newest events does not tell all:
  /// these are left for the end.
  template <bool is_spike, class Past>
  [[gnu::always_inline]] constexpr std::uint32_t*
  replay_some(std::uint32_t* word, std::uint32_t* end, std::ptrdiff_t to_state, const Window<Past>& shared) noexcept {
    Left left; // NOLINT: written before it is read
    left.count = 0;
    if constexpr (detail::HasGlance<Past> && !elapses && !has_own_word) {
      // Copies of which no pointer is anywhere, so that they stay in registers.
      const Past past = shared.past;
      const RowTraces traces = shared.traces;
      const std::uint32_t span = shared.until - shared.after;
      const std::uint32_t width = width_, first = *word;
      const std::int32_t lowest = lowest_;
      std::uint32_t now = first;
      while (true) {
        const auto seen = past.glance(now & index_mask);
        if (seen.is_all) [[likely]] {
          Synapse synapse(*this, now, word[to_state]);
          // Nothing is before `after` where there are events: else the trace is spent, and the window empty.
          if (seen.is_in_window) timing_.at_post(synapse, traces.made, seen.ticks, seen.trace);
          if constexpr (is_spike) timing_.at_pre(synapse, traces.at_spike, 0, seen.trace, span - seen.ticks);
          put(word, now, to_state, synapse, lowest, width);
        } else {
          left.word[left.count] = word;
          if (++left.count == left.word.size()) {
            ++word;
            break;
          }
        }
        if (++word == end) break;
        now = *word;
        if (((now ^ first) & delay_mask) != 0) break;
      }
    } else {
      left.word[left.count++] = word++;
    }
    if (left.count != 0) replay_left<is_spike>(left, to_state, shared);
    return word;
  }
  /// The event before a window is asked for where rules need it.
  template <class Visitor>
  [[nodiscard, gnu::always_inline]] static constexpr auto as_needed(Visitor visitor) noexcept {
    if constexpr (elapses)
      return visitor;
    else
      return IfNone{visitor};
  }
  template <bool is_spike, class Past>
  [[gnu::noinline]] constexpr void replay_left(const Left& left, std::ptrdiff_t to_state,
                                               const Window<Past>& shared) noexcept {
    const Past past = shared.past;
    const RowTraces traces = shared.traces;
    const std::uint32_t begin = shared.after - shared.before_after, until = shared.until;
    for (std::size_t which = 0; which != left.count; ++which) {
      std::uint32_t* const word = left.word[which];
      Synapse synapse(*this, *word, word[to_state]);
      if constexpr (has_own_word) synapse.set_own_word(word[2 * to_state]);
      std::uint32_t last = until;
      [[maybe_unused]] std::uint32_t at = begin;
      NeuronTrace neuron{};
      const auto elapse = [&](std::uint32_t to) {
        if constexpr (elapses) timing_.elapse(synapse, to - at, neuron, at - last);
        at = to;
      };
      const auto note = [&](std::uint32_t time, const NeuronTrace& its) {
        last = time;
        neuron = its;
      };
      const auto each = [&](std::uint32_t time, const NeuronTrace& its) {
        elapse(time);
        timing_.at_post(synapse, traces.made, time - begin, its);
        note(time, its);
      };
      if (!past.of(*word & index_mask, as_needed(note), each)) [[unlikely]]
        ++counts_.truncated;
      elapse(until);
      if constexpr (is_spike) timing_.at_pre(synapse, traces.at_spike, 0, neuron, until - last);
      if constexpr (has_own_word) word[2 * to_state] = synapse.own_word();
      put(word, *word, to_state, synapse, lowest_, width_);
    }
  }
  [[gnu::always_inline]] static constexpr void put(std::uint32_t* word, std::uint32_t before, std::ptrdiff_t to_state,
                                                   const Synapse& synapse, std::int32_t lowest,
                                                   std::uint32_t width) noexcept {
    const std::uint32_t state = synapse.state();
    word[to_state] = state;
    *word = with_weight(before, weight_of(state, lowest, width));
  }
  [[nodiscard, gnu::always_inline]] static constexpr std::uint32_t with_weight(std::uint32_t word,
                                                                               std::int32_t weight) noexcept {
    const auto bits = static_cast<std::uint32_t>(weight);
    constexpr auto weight_bits = static_cast<int>(32 - Format::address_bits);
    // Needs no register for a mask.
    if constexpr (Format::lowest_weight == 0) return std::rotr(word << weight_bits | bits, weight_bits);
    return (bits << Format::address_bits) | (word & Format::address_mask);
  }
  [[nodiscard, gnu::always_inline]] static constexpr std::int32_t weight_of(std::uint32_t state, std::int32_t lowest,
                                                                            std::uint32_t width) noexcept {
    return lowest + static_cast<std::int32_t>(Target::template multiply_nearest<32>(share_in(state), width));
  }

  [[no_unique_address]] Timing timing_{};
  [[no_unique_address]] Weight weight_{};
  ShareArithmetic<Rounding, Target> arithmetic_{};
  std::int32_t lowest_ = 0;
  std::uint32_t width_ = 0;
  PlasticityCounts counts_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
