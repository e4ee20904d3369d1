// SPDX-License-Identifier: BSL-1.0
/// \file
/// A core of a network, composed. Spikes find their rows, rows their way through a copy engine, weights the ring buffer; plastic
/// ones learn and go back. Neurons step, spikes go out, what was planned is recorded, and all that was lost is counted.
///
///     using Stdp = DeferredUpdate<Word, timing::Pair<>, weight::Additive>;
///     Core<CoreSizes{.neurons = 250}, Lif<>, RingBuffer<Word>, Dma, Send, PlasticRules<Stdp>> core(made, dma, send, rules);
///     core.load(populations, ages);                       // where the rows of each key are
///     Executive executive(clock, core.tasks(), timing);   // core.receive(key) is for the interrupt
///
/// A spike that comes after step n has begun and before the next one does is one of step n, in whatever order they come. It
/// is applied after the neurons' step n and before their step n + 1. docs/core.md has the whole program.
// not in the umbrella: it takes the parts of most other folders together
#ifndef NEUROMORPH_CORE_CORE_HPP
#define NEUROMORPH_CORE_CORE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/core/plastic_rules.hpp>
#include <neuromorph/core/provenance.hpp>
#include <neuromorph/core/recording.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/synapses/key_table.hpp>
#include <neuromorph/kernels/synapses/plastic_row.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/row_table.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/sched/executive_tasks.hpp>
#include <neuromorph/sched/row_stream.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

struct CoreSizes {
  std::size_t neurons = 0;
  std::size_t row_words = 256;  ///< of the longest row
  std::size_t buffers = 4;      ///< rows under way at once, 1 to 255
  std::size_t spikes = 256;     ///< that may wait, a power of two
  std::size_t populations = 64; ///< keys with rows
};

/// How long a core remembers what its neurons did, and how.
///
/// \tparam Ticks      for which events are kept; rows that were not touched for three quarters of it are flushed
/// \tparam Collector  of the store; void: the default one
/// \tparam Hook       of the store
template <std::uint32_t Ticks = 500, class Collector = void, class Hook = gc::NoHook>
struct CoreHistory {
  static constexpr std::uint32_t window = Ticks;
  template <class Trace, std::size_t Neurons>
  using Store = TraceStore<Trace, Neurons,
                           std::conditional_t<std::is_void_v<Collector>, gc::DefaultCollector<Neurons>, Collector>,
                           gc::AgeWindow<Ticks>, target::Native, Hook>;
};

/// What the keys of a population lead to.
struct CoreRows {
  PopulationRows rows{};
  std::uint32_t rule = 0;      ///< of PlasticRules, from 1; 0: the rows never change
  std::uint32_t first_age = 0; ///< written by Core::load
};

namespace detail {
/// The history of a core; nothing where no rule asks for it.
template <class Rules, class History, std::size_t Neurons>
struct StoreOf {
  using Type = typename History::template Store<typename Rules::Trace, Neurons>;
};
template <class History, std::size_t Neurons>
struct StoreOf<PlasticRules<>, History, Neurons> {
  struct Type {};
};
template <class Ring>
struct WordOf;
template <class Format, class Element>
struct WordOf<RingBuffer<Format, Element>> {
  using Type = Format;
};
} // namespace detail

/// \tparam sizes    what there is room for
/// \tparam Model    a Neuron
/// \tparam Ring     a RingBuffer
/// \tparam Engine   of a RowPipeline
/// \tparam Send     `void(std::uint32_t neuron)`: gives a spike of this core to the network
/// \tparam Rules    PlasticRules
/// \tparam History  CoreHistory
///
/// Ticks of the rules are steps of the neurons, which count from 1; they are one more than those that `tasks` has begun where the
/// executive leaves none out. All but `receive` belongs to one level.
template <CoreSizes sizes, class Model, class Ring, class Engine, class Send, class Rules = PlasticRules<>,
          class History = CoreHistory<>, class Target = target::Native>
class Core {
  static_assert(sizes.neurons >= 1 && sizes.neurons <= Ring::neurons,
                "neuromorph: a Core has as many neurons as its ring buffer has elements, or less; see docs/core.md");
  static_assert(std::is_invocable_v<Send&, std::uint32_t>,
                "neuromorph: a Core's Send is no 'void(std::uint32_t neuron)'; see docs/core.md");
  static_assert(Rules::template has_words<typename detail::WordOf<Ring>::Type>,
                "neuromorph: the rules of a Core have the synaptic words of its ring buffer; see docs/core.md");

public:
  using Made = typename Model::Made;
  using Populations = KeyTable<CoreRows, sizes.populations>;
  using Entry = typename Populations::Entry;
  using Neurons = Population<Model, sizes.neurons>;

  /// Steps within which the age of each row is looked at once; and how old one may be that need not be flushed then.
  static constexpr std::uint32_t look_every = History::window / 4;
  static constexpr std::uint32_t flush_after =
      History::window - look_every - static_cast<std::uint32_t>(Ring::slots) - 1;
  static_assert(
      Rules::count == 0 || (History::window < 1U << 14 && History::window / 2 > Ring::slots),
      "neuromorph: the history of a Core has more than twice as many ticks as the longest delay, and less than "
      "2^14; see docs/core.md");

  static_assert(Rules::count < 1U << 7, "neuromorph: a Core has at most 127 rules; see docs/core.md");

  constexpr Core(const Made& made, Engine& engine, const Send& send = {}, const Rules& rules = {},
                 std::uint32_t first_neuron = 0) noexcept
      : pipeline_(engine), population_(made, first_neuron), rules_(rules), send_(send) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Where the rows of each population are, before the first step: their ages begin anew. All stays as it was if it is refused.
  /// \param entries  keys, masks, rows, and their rule; `first_age` is written, also of some that are refused
  /// \param ages     [rows that have a rule] in far memory
  /// \errors as KeyTable::from; parameter_out_of_range: rule (`where`: the entry), rows that have one, above 2^24; lengths_differ: ages are too few (`value`:
  ///         how many are needed)
  constexpr Status load(std::span<Entry> entries, std::span<std::uint16_t> ages = {}) noexcept {
    std::uint32_t plastic = 0;
    for (std::size_t at = 0; at < entries.size(); ++at) {
      CoreRows& of = entries[at].payload;
      if (of.rule > Rules::count)
        return {Error::parameter_out_of_range, static_cast<std::uint32_t>(at), of.rule, "rule"};
      of.first_age = plastic;
      if (of.rule != 0) plastic += of.rows.rows();
    }
    if (plastic > 0x0100'0000) return {Error::parameter_out_of_range, 0, plastic, "rows"};
    if (ages.size() < plastic) return {Error::lengths_differ, 0, plastic, "ages"};
    const Result<Populations> made = Populations::from(entries);
    if (!made) return made.status();
    populations_ = made.value();
    ages_ = ages.first(plastic);
    for (std::uint16_t& age : ages_) age = 0;
    if constexpr (learns)
      for (const Entry& entry : entries)
        if (learns_without_spikes(entry.payload.rule))
          for (std::uint16_t& age : ages_.subspan(entry.payload.first_age, entry.payload.rows.rows()))
            age = stamp_of(time_);
    looks_ = (plastic + look_every - 1) / look_every;
    looked_at_ = {};
    return {};
  }
  /// Spikes, words and weights of the steps to come.
  constexpr void record(const Recording<sizes.neurons>& recording) noexcept { recording_ = recording; }

  /// A spike, for the interrupt: whether there was room.
  bool receive(std::uint32_t key) noexcept { return pipeline_.spikes.put(key); }

  /// For an Executive.
  [[nodiscard]] constexpr auto tasks() noexcept {
    return ExecutiveTasks(
        *this, task<ExecutiveCall::begin_step, &Core::begin_step>(), task<ExecutiveCall::is_idle, &Core::is_idle>(),
        task<ExecutiveTask::feed_dma, &Core::feed_dma>(), task<ExecutiveTask::synaptic_rows, &Core::synaptic_rows>(),
        task<ExecutiveTask::write_back, &Core::write_back>(), task<ExecutiveTask::neurons, &Core::neurons>());
  }
  /// For who keeps cores in step with each other: the neurons' next step, once all spikes of the last are applied; and all
  /// spikes that have come since.
  void run_step() {
    begin_step(begun_ + 1);
    while (feed_dma() || synaptic_rows() || write_back() || neurons()) {}
  }
  void run_spikes() {
    while (!is_idle()) static_cast<void>(feed_dma() || synaptic_rows() || write_back() || neurons());
  }

  /// Until when the neurons have been stepped.
  [[nodiscard]] constexpr std::uint32_t time() const noexcept { return time_; }
  [[nodiscard]] constexpr Neurons& population() noexcept { return population_; }
  /// What is added for time() + 1 before that step acts in it.
  [[nodiscard]] constexpr Ring& ring() noexcept { return ring_; }
  [[nodiscard]] constexpr Rules& rules() noexcept { return rules_; }
  [[nodiscard]] constexpr Recording<sizes.neurons>& recording() noexcept { return recording_; }
  [[nodiscard]] constexpr std::uint32_t steps_until_full() const noexcept {
    return recording_.steps_until_full(time_ + 1);
  }
  /// Neurons that fired in the last step.
  [[nodiscard]] constexpr std::span<const std::uint32_t> fired() const noexcept { return fired_; }

  /// All that this core has counted, but what only its executive knows.
  [[nodiscard]] Provenance provenance() const noexcept {
    Provenance all;
    const auto& rows = pipeline_.counts();
    all.steps = time_;
    all.spikes_received = pipeline_.spikes.put_count();
    all.spikes_sent = spikes_sent_;
    all.rows_processed = rows.processed;
    all.rows_empty = rows.without_row - populations_.unknown().count - not_found_.count;
    all.write_backs = rows.written;
    all.flushes = flushes_;
    all.held_up = rows.held_up;
    all.most_waiting = pipeline_.spikes.high_water();
    all.spikes_dropped = pipeline_.spikes.dropped();
    all.keys_unknown = populations_.unknown().count;
    all.last_unknown_key = populations_.unknown().last;
    all.rows_not_found = not_found_.count;
    all.last_key_not_found = not_found_.last;
    all.rows_too_long = rows.too_long;
    all.late_spikes = late_spikes_;
    all.greatest_lateness = greatest_lateness_;
    all.ring_saturations = ring_.saturations();
    all.neuron_saturations = population_.saturations() + population_.input_saturations();
    const PlasticityCounts plastic = rules_.counts();
    all.rows_wrong = plastic.wrong_rows;
    all.weights_held_at_highest = plastic.held_at_highest;
    all.weights_held_at_lowest = plastic.held_at_lowest;
    all.traces_held = plastic.held_traces;
    all.history_truncated = plastic.truncated;
    if constexpr (learns) {
      const gc::Counts counts = store_.counts();
      all.history_refused = counts.refused_full + counts.gave_way;
      all.history_expired_unread = counts.reclaimed_unread;
    }
    all.recording_lost = recording_.lost();
    return all;
  }
  /// With what its executive has counted.
  template <class Executive>
  [[nodiscard]] Provenance provenance(const Executive& executive) const noexcept {
    Provenance all = provenance();
    all.overruns = executive.counts().overruns;
    all.steps_left_out = executive.counts().left_out;
    all.furthest_behind = executive.counts().furthest_behind;
    for (std::size_t task = 0; task < all.over_budget.size(); ++task)
      all.over_budget[task] = executive.record(static_cast<ExecutiveTask>(task)).over_budget;
    return all;
  }

  /// Tasks of an executive; in a chunk, at most `rows_in_chunk` fixed rows are processed, the last of which may be a plastic
  /// one, `spikes_in_chunk` sent and `looks_in_chunk` ages looked at.
  void begin_step(std::uint32_t step) noexcept {
    if (const std::uint32_t late = pipeline_.unprocessed(); late != 0) {
      late_spikes_ += late;
      if (step - begun_ > greatest_lateness_) greatest_lateness_ = step - begun_;
    }
    begun_ = step;
    boundary_ = pipeline_.spikes.put_count();
    looks_left_ = looks_;
    phase_ = Phase::closing;
  }
  bool feed_dma() { return pipeline_.may_take(to_take()) && run_rows(0); }
  bool synaptic_rows() {
    if (phase_ == Phase::stepping || phase_ == Phase::sending) return false; // those are of the step that is made
    return pipeline_.has_requested() && run_rows(rows_in_chunk);
  }
  bool write_back() noexcept {
    if constexpr (learns)
      return pipeline_.write_back();
    else
      return false;
  }
  bool neurons() {
    switch (phase_) {
    case Phase::open: return false;
    case Phase::closing: close_step(); break;
    case Phase::stepping: make_step(); break;
    case Phase::sending: send_spikes(); break;
    }
    return true;
  }
  [[nodiscard]] bool is_idle() const noexcept { return phase_ == Phase::open && pipeline_.is_idle(); }

  static constexpr std::uint32_t rows_in_chunk = 8, spikes_in_chunk = 8, looks_in_chunk = 32;

private:
  static constexpr bool learns = Rules::count != 0;
  using Store = typename detail::StoreOf<Rules, History, sizes.neurons>::Type;

  /// What is known of a row while it is under way.
  struct PlasticOrFixed : ChangingRow {
    std::uint32_t packed = 0; ///< its place among the ages, its rule in 7 bits above, whether it is flushed at the top
    [[nodiscard]] static constexpr std::uint32_t pack(std::uint32_t age, std::uint32_t rule) noexcept {
      return rule << 24 | age;
    }
    [[nodiscard]] constexpr std::uint32_t age() const noexcept { return packed & 0x00FF'FFFF; }
    [[nodiscard]] constexpr std::uint32_t rule() const noexcept { return packed >> 24 & 0x7F; }
    [[nodiscard]] constexpr bool is_fixed() const noexcept { return rule() == 0; }
    [[nodiscard]] constexpr bool is_flush() const noexcept { return packed >> 31 != 0; }
  };
  using Row = std::conditional_t<learns, PlasticOrFixed, FixedRow>;
  using Pipeline = RowStream<Engine, sizes.spikes, sizes.buffers, sizes.row_words, Row>;

  enum class Phase : std::uint8_t {
    open,     ///< spikes of the last step are applied as they come
    closing,  ///< the next step has begun; what came before is applied, then rows are flushed
    stepping, ///< the neurons are next
    sending,  ///< what they did is recorded, and told
  };

  [[nodiscard, gnu::always_inline]] Row row_of(std::uint32_t key) noexcept {
    Row row;
    const auto found = populations_.find(key);
    if (!found) [[unlikely]]
      return row;
    std::span<std::uint32_t> words;
    if (!found.payload->rows.find(found.index, words)) [[unlikely]] {
      ++not_found_.count;
      not_found_.last = key;
      return row;
    }
    row.words = words.data();
    row.count = static_cast<std::uint32_t>(words.size());
    if constexpr (learns) row.packed = Row::pack(found.payload->first_age + found.index, found.payload->rule);
    return row;
  }
  /// Spikes to take now, of all that came.
  [[nodiscard]] std::uint32_t to_take() const noexcept {
    return phase_ == Phase::closing ? boundary_ : pipeline_.spikes.put_count();
  }
  [[gnu::noinline]] bool run_rows(std::uint32_t most) noexcept {
    return pipeline_.run(
        [this](std::uint32_t key) __attribute__((always_inline)) { return row_of(key); },
        [this](const Row& row, auto words) __attribute__((always_inline)) { return this->process(row, words); },
        to_take(), most);
  }

  /// How many words of a row are to be written back.
  template <class Words>
  [[gnu::always_inline]] std::uint32_t process(const Row& row, Words words) noexcept {
    if constexpr (learns)
      if (!row.is_fixed()) [[unlikely]]
        return learn(row, words);
    add_row<Target>(ring_, words, time_);
    return 0;
  }
  [[gnu::noinline]] std::uint32_t learn(const Row& row, std::span<std::uint32_t> words) noexcept requires learns {
    const auto by_rule = [&]<std::size_t Number>(std::integral_constant<std::size_t, Number>) {
      return learn_by<Number>(row, words);
    };
    return Rules::with(row.rule(), by_rule, std::uint32_t{0});
  }
  /// A rule that calls no row spent: events may change rows which have had no spike.
  [[nodiscard]] static constexpr bool learns_without_spikes(std::uint32_t rule) noexcept requires learns {
    return Rules::with(
        rule,
        []<std::size_t Number>(std::integral_constant<std::size_t, Number>) {
          using Update = std::remove_reference_t<decltype(std::declval<Rules&>().template rule<Number>())>;
          return !detail::offers<std::remove_cvref_t<decltype(std::declval<Update&>().timing())>, offer::IsSpent>;
        },
        false);
  }
  template <std::size_t Number>
  [[gnu::always_inline]] std::uint32_t learn_by(const Row& row, std::span<std::uint32_t> words) noexcept {
    auto& update = rules_.template rule<Number>();
    using Update = std::remove_reference_t<decltype(update)>;
    using Timing = std::remove_cvref_t<decltype(update.timing())>;
    detail::HistoryOfRule<Store, Number - 1> history(store_);
    const RowUpdate outcome =
        row.is_flush() ? update.flush(words, time_, history) : update.pre_spike(words, time_, history);
    std::uint16_t& age = ages_[row.age()];
    if (outcome != RowUpdate::changed) age = 0; // nothing to flush
    if (outcome == RowUpdate::wrong) [[unlikely]]
      return 0;
    const typename Update::Row parts(words);
    if (!row.is_flush()) {
      add_row<Target>(ring_, parts.plastic(), time_);
      add_row<Target>(ring_, parts.fixed(), time_);
    }
    if (outcome == RowUpdate::unchanged) return 0;
    std::uint16_t stamp = stamp_of(time_);
    if constexpr (detail::offers<Timing, offer::IsSpent>)
      if (Timing::is_spent(parts.trace())) stamp = 0;
    age = stamp;
    return static_cast<std::uint32_t>(parts.changing_words());
  }

  /// Of the step at which a row was brought up to date: its lower 15 bits, and a one. 0: there is nothing to flush.
  [[nodiscard]] static constexpr std::uint16_t stamp_of(std::uint32_t time) noexcept {
    return static_cast<std::uint16_t>(time | 0x8000U);
  }
  [[nodiscard]] bool is_all_taken() const noexcept { return pipeline_.spikes.taken_count() == boundary_; }

  void close_step() noexcept {
    if constexpr (learns)
      if (looks_left_ != 0) {
        if (is_all_taken() && (is_flushing_ || pipeline_.is_empty())) look_at_ages();
        return;
      }
    if (!is_all_taken() || !pipeline_.is_empty()) return;
    is_flushing_ = false;
    phase_ = Phase::stepping;
  }
  /// Goes on through the rows that have a rule, and asks for those whose history would end before they are looked at again.
  [[gnu::noinline]] void look_at_ages() noexcept requires learns {
    is_flushing_ = true;
    Look& at = looked_at_;
    const auto entries = populations_.entries();
    for (std::uint32_t chunk = looks_in_chunk; chunk != 0 && looks_left_ != 0;) {
      while (at.left == 0) { // there is a population with a rule, or there are no looks
        at.population = at.population + 1 < entries.size() ? at.population + 1 : 0;
        const CoreRows& of = entries[at.population].payload;
        at.left = of.rule != 0 ? of.rows.rows() : 0;
        at.age = of.first_age;
      }
      std::uint32_t most = chunk < looks_left_ ? chunk : looks_left_;
      if (at.left < most) most = at.left;
      const std::uint16_t* const ages = ages_.data() + at.age;
      std::uint32_t looks = 0;
      // Two at once, as each read of far memory waits.
      if ((reinterpret_cast<std::uintptr_t>(ages) & 3) != 0 && !is_due(ages[0])) looks = 1;
      for (; looks + 2 <= most && (reinterpret_cast<std::uintptr_t>(ages + looks) & 3) == 0; looks += 2) {
        std::uint32_t pair;
        __builtin_memcpy(&pair, __builtin_assume_aligned(ages + looks, 4), 4);
        if (is_due(pair & 0xFFFF) || is_due(pair >> 16)) break;
      }
      while (looks < most && !is_due(ages[looks])) ++looks;
      at.age += looks, at.left -= looks, looks_left_ -= looks, chunk -= looks;
      if (looks == most) continue;
      if (!flush(entries[at.population].payload)) return;
      ++at.age, --at.left, --looks_left_, --chunk;
    }
  }
  [[nodiscard, gnu::always_inline]] bool is_due(std::uint32_t stamp) const noexcept {
    return stamp != 0 && ((time_ - stamp) & 0x7FFF) >= flush_after;
  }
  /// Whether the row need not wait for a buffer.
  bool flush(const CoreRows& of) noexcept {
    std::span<std::uint32_t> words;
    if (!of.rows.find(looked_at_.age - of.first_age, words) || words.empty() || words.size() > sizes.row_words)
      return true;
    Row row;
    row.words = words.data();
    row.count = static_cast<std::uint32_t>(words.size());
    row.packed = Row::pack(looked_at_.age, of.rule) | 1U << 31;
    if (!pipeline_.feed_row(row)) return false;
    ++flushes_;
    return true;
  }
  void make_step() noexcept {
    ++time_;
    if constexpr (learns) store_.advance_to(time_);
    fired_ = population_.template step<Target>(ring_, time_);
    sent_ = 0;
    phase_ = Phase::sending;
    recording_.record(time_, fired_, [this](std::size_t place) { return population_.words(place); });
  }
  void send_spikes() {
    const std::size_t until = fired_.size() - sent_ < spikes_in_chunk ? fired_.size() : sent_ + spikes_in_chunk;
    for (; sent_ != until; ++sent_) {
      if constexpr (learns) rules_.post_spike(store_, fired_[sent_], time_);
      send_(fired_[sent_]);
    }
    if (sent_ != fired_.size()) return;
    spikes_sent_ += static_cast<std::uint32_t>(fired_.size());
    phase_ = Phase::open;
  }

  struct Look {
    std::size_t population = ~std::size_t{0}; // the first one comes next
    std::uint32_t age = 0, left = 0;
  };

  // What is large comes last: an instruction reaches 4 KB from the beginning.
  std::span<std::uint16_t> ages_;
  Recording<sizes.neurons> recording_;
  std::span<const std::uint32_t> fired_;
  std::size_t sent_ = 0;
  Look looked_at_{};
  LostKeys not_found_{};
  std::uint32_t time_ = 0, begun_ = 0, boundary_ = 0, looks_ = 0, looks_left_ = 0;
  std::uint32_t late_spikes_ = 0, greatest_lateness_ = 0, flushes_ = 0, spikes_sent_ = 0;
  Phase phase_ = Phase::open;
  bool is_flushing_ = false;
  Populations populations_;
  Pipeline pipeline_;
  Neurons population_;
  [[no_unique_address]] Rules rules_;
  [[no_unique_address]] Store store_;
  [[no_unique_address]] Send send_;
  Ring ring_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
