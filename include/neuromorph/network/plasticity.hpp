// SPDX-License-Identifier: BSL-1.0
/// \file
/// Projections that learn, by the rules of kernels/plasticity/ as cores have them.
///
///     const auto stdp = network::learns<timing::Pair<DecayTable<3000>>>({.a_plus = 0.01}, {.lowest = 0.0, .highest = 0.05});
///     net.connect(cells, cells, network::Pairwise{0.1}, {.weight = 0.02, .delay_ms = 1.5, .plasticity = stdp});
///
/// A row is brought up to date when its spike arrives, as DeferredUpdate does it, with what its neurons did until then. A delay
/// is dendritic: an event of a neuron takes as long to its synapse as the synapse's current takes to the neuron.
// host-only
#ifndef NEUROMORPH_NETWORK_PLASTICITY_HPP
#define NEUROMORPH_NETWORK_PLASTICITY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/synapses/plastic_row.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/network/detail/spike_history.hpp>
#include <neuromorph/network/detail/word_digest.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// The weights from which a rule may choose, as they are described: in nA mostly.
struct WeightRange {
  double lowest = 0.0, highest = 0.0;
};

/// The words of a run of plastic synapses that follow its header: a PlasticRow without room.
struct PlasticWords {
  std::uint32_t header = 0, of_synapse = 0;
};

/// What learning has come to.
struct LearningCounts {
  std::uint64_t held_at_highest = 0; ///< changes that would have left the range of weights above
  std::uint64_t held_at_lowest = 0;  ///< the same below
  std::uint64_t held_traces = 0;     ///< traces that would have left their range
};

/// The synapses of a rule and a range of weights into a part, and what its neurons did. A row has one delay, d steps; times
/// of its spikes are those of their arrival less 2 d, so that a neuron's event comes to it in no time.
class Learner {
public:
  /// Steps after which a row without spikes is brought up to date, and between two looks for such rows.
  static constexpr std::uint32_t flush_after = 8192, look_every = 4096;

  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  /// Makes a row of synaptic words: without a trace, up to date at `time`, states of the weights in the words.
  /// \pre words are of weights in the range
  virtual void begin_row(std::span<std::uint32_t> row, std::uint32_t time) const noexcept = 0;
  virtual void pre_spike(std::span<std::uint32_t> row, std::uint32_t time) noexcept = 0;
  /// Brings a row up to date that is older than flush_after.
  virtual void look_at(std::span<std::uint32_t> row, std::uint32_t time) noexcept = 0;
  /// \param neurons  that fired in a step, counted from `first`
  virtual void post_spikes(std::uint32_t first, std::span<const std::uint32_t> neurons, std::uint32_t step) = 0;
  /// All rows are up to date since then, or later.
  virtual void forget(std::uint32_t until) = 0;
  [[nodiscard]] virtual LearningCounts counts() const noexcept = 0;
  /// What the neurons did, as far as rows may ask for it, as SpikeHistory has it.
  [[nodiscard]] virtual std::uint32_t known_after() const noexcept = 0;
  [[nodiscard]] virtual std::size_t event_words() const noexcept = 0;
  virtual void events(std::uint32_t neuron, std::vector<std::uint32_t>& words) const = 0;
  virtual void begin_again(std::uint32_t known_after, std::uint32_t now, const LearningCounts& counts) = 0;
  virtual void add_events(std::uint32_t neuron, std::span<const std::uint32_t> words) = 0;
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
};

/// A rule, as a description has it.
class PlasticityRule {
public:
  explicit PlasticityRule(const WeightRange& range) noexcept : range_(range) {}
  PlasticityRule(const PlasticityRule&) = delete;
  PlasticityRule& operator=(const PlasticityRule&) = delete;
  virtual ~PlasticityRule() = default;

  [[nodiscard]] const WeightRange& range() const noexcept { return range_; }
  /// \errors as `from` of its timing rule
  [[nodiscard]] virtual Status check(double dt_ms) const noexcept = 0;
  [[nodiscard]] virtual PlasticWords words() const noexcept = 0;
  /// A number by which rules that do another thing in steps of this length are told apart. The range is not in it.
  [[nodiscard]] virtual std::uint64_t digest(double dt_ms) const = 0;
  /// \param range      in units of the rows: below 2^16, of signed ones 2^15
  /// \param is_signed  whether words have weights with a sign
  /// \param neurons    of the part; 0: to make rows alone
  /// \pre check(dt_ms), range.lowest < range.highest
  [[nodiscard]] virtual std::unique_ptr<Learner> make(double dt_ms, const PlasticRange& range, bool is_signed,
                                                      std::uint32_t neurons) const = 0;

private:
  WeightRange range_;
};

namespace detail {

template <class Timing, class Weight, WeightSign sign>
class LearnerOf final : public Learner {
  using Format = SynapticWord<16, 0, 0, sign>;
  using Update = DeferredUpdate<Format, Timing, Weight, PostSynapticDelay::none>;
  using Row = typename Update::Row;

public:
  LearnerOf(const Update& update, std::uint32_t neurons) : update_(update), history_(neurons) {}

  void begin_row(std::span<std::uint32_t> words, std::uint32_t time) const noexcept override {
    constexpr std::size_t of_synapse = Row::words(1, 0) - Row::header_words;
    const std::size_t synapses = (words.size() - Row::header_words) / of_synapse;
    std::uint32_t* const plastic = words.data() + Row::header_words;
    words[0] = static_cast<std::uint32_t>(synapses << 16 | synapses);
    Row(words).set(time, {});
    for (std::size_t at = 0; at < synapses; ++at)
      plastic[synapses + at] = update_.state_of(Format::weight(plastic[at])).value();
    for (std::size_t at = 2 * synapses; at < of_synapse * synapses; ++at) plastic[at] = 0;
  }
  void pre_spike(std::span<std::uint32_t> row, std::uint32_t time) noexcept override {
    update_.pre_spike(row, time, history_);
  }
  void look_at(std::span<std::uint32_t> row, std::uint32_t time) noexcept override {
    if (const std::uint32_t age = time - Row(row).time(); static_cast<std::int32_t>(age) >= 0 && age >= flush_after)
      update_.flush(row, time, history_);
  }
  void post_spikes(std::uint32_t first, std::span<const std::uint32_t> neurons, std::uint32_t step) override {
    for (const std::uint32_t neuron : neurons) update_.post_spike(history_, first + neuron, step);
  }
  void forget(std::uint32_t until) override {
    history_.forget(until);
    counts_ = counts(), seen_ = update_.counts();
  }
  [[nodiscard]] LearningCounts counts() const noexcept override {
    const PlasticityCounts now = update_.counts(); // 32 bits that wrap
    LearningCounts sum = counts_;
    sum.held_at_highest += now.held_at_highest - seen_.held_at_highest;
    sum.held_at_lowest += now.held_at_lowest - seen_.held_at_lowest;
    sum.held_traces += now.held_traces - seen_.held_traces;
    return sum;
  }
  [[nodiscard]] std::uint32_t known_after() const noexcept override { return history_.complete_after(); }
  [[nodiscard]] std::size_t event_words() const noexcept override { return decltype(history_)::event_words; }
  void events(std::uint32_t neuron, std::vector<std::uint32_t>& words) const override {
    history_.events(neuron, words);
  }
  void begin_again(std::uint32_t known_after, std::uint32_t now, const LearningCounts& counts) override {
    history_.begin_again(known_after, now);
    counts_ = counts, seen_ = update_.counts();
  }
  void add_events(std::uint32_t neuron, std::span<const std::uint32_t> words) override {
    history_.add_events(neuron, words);
  }
  [[nodiscard]] std::size_t bytes() const noexcept override { return sizeof(*this) + history_.bytes(); }

private:
  Update update_;
  SpikeHistory<typename Timing::NeuronTrace> history_;
  LearningCounts counts_{};
  PlasticityCounts seen_{};
};

template <class Timing, class Weight>
class PlasticityRuleOf final : public PlasticityRule {
public:
  using Parameters = typename Timing::Parameters;

  PlasticityRuleOf(const Parameters& parameters, const WeightRange& range, const Weight& weight)
      : PlasticityRule(range), parameters_(parameters), weight_(weight) {}

  [[nodiscard]] Status check(double dt_ms) const noexcept override { return Timing::from(parameters_, dt_ms).status(); }
  [[nodiscard]] PlasticWords words() const noexcept override {
    using Row = typename DeferredUpdate<SynapticWord<16, 0, 0>, Timing, Weight, PostSynapticDelay::none>::Row;
    return {Row::header_words, Row::words(1, 0) - Row::header_words};
  }
  [[nodiscard]] std::uint64_t digest(double dt_ms) const override {
    WordDigest digest;
    const auto timing = Timing::from(parameters_, dt_ms);
    if (!timing) return digest.value();
    digest.add_object(timing.value()), digest.add_object(weight_);
    add_some_spikes(*make(dt_ms, {0, 0xFFFF}, false, synapses_of_digest), digest);
    return digest.value();
  }
  [[nodiscard]] std::unique_ptr<Learner> make(double dt_ms, const PlasticRange& range, bool is_signed,
                                              std::uint32_t neurons) const override {
    if (is_signed) return make<WeightSign::signed_value>(dt_ms, range, neurons);
    return make<WeightSign::magnitude>(dt_ms, range, neurons);
  }

private:
  static constexpr std::uint32_t synapses_of_digest = 4;

  /// What becomes of a row: rules of other types may have the same words.
  void add_some_spikes(Learner& learner, WordDigest& digest) const {
    const PlasticWords kept = words();
    std::vector<std::uint32_t> row(kept.header + std::size_t{synapses_of_digest} * kept.of_synapse);
    for (std::uint32_t synapse = 0; synapse < synapses_of_digest; ++synapse)
      row[kept.header + synapse] = (0x1000 + 0x3FFF * synapse) << 16 | synapse;
    std::uint32_t time = 1;
    learner.begin_row(row, time);
    WordDigest noise;
    for (std::uint32_t number = 0; number < 512; ++number) {
      noise.add(number);
      const std::uint64_t drawn = noise.value();
      time += static_cast<std::uint32_t>(drawn & ((1U << number % 12) - 1)) + 1;
      if (const auto neuron = static_cast<std::uint32_t>(drawn >> 32) % (2 * synapses_of_digest);
          neuron < synapses_of_digest)
        learner.post_spikes(0, std::span(&neuron, 1), time);
      if ((drawn >> 40) % 4 == 0) continue;
      learner.pre_spike(row, time);
      for (const std::uint32_t word : row) digest.add(word);
    }
  }

  template <WeightSign sign>
  [[nodiscard]] std::unique_ptr<Learner> make(double dt_ms, const PlasticRange& range, std::uint32_t neurons) const {
    using Update = DeferredUpdate<SynapticWord<16, 0, 0, sign>, Timing, Weight, PostSynapticDelay::none>;
    const auto update = Update::from(range, Timing::from(parameters_, dt_ms).value(), weight_);
    return std::make_unique<LearnerOf<Timing, Weight, sign>>(update.value(), neurons);
  }

  Parameters parameters_;
  Weight weight_;
};

template <class Timing>
concept IsMadeOfParameters = requires(const typename Timing::Parameters& parameters) {
  Timing::from(parameters, 1.0);
};

template <class Timing>
concept IsModulated = requires(const Timing& timing, ShareArithmetic<>& m, typename Timing::NeuronTrace trace) {
  timing.modulated(m, trace, 0U, Share{0});
};

} // namespace detail

/// A rule for synapses: what Synapses::plasticity takes. Projections that share it share what is kept of their targets.
///
/// \tparam Timing     a TimingRule, such as timing::Pair<DecayTable<3000>>, whose table is as long as its time constants in steps
///                    of the network need
/// \tparam Weight     a WeightRule
/// \param parameters  of the timing rule; mistakes in them are said by who builds the network
/// \param range       of the weights: what the parameters' shares are of
template <class Timing, class Weight = weight::Additive>
[[nodiscard]] std::shared_ptr<const PlasticityRule> learns(const typename Timing::Parameters& parameters,
                                                           const WeightRange& range, const Weight& weight = {}) {
  static_assert(
      !neuromorph::detail::offers<Timing, offer::NoDelay>,
      "neuromorph: this timing rule reads its neurons as they are, which a network's delays do not allow; see "
      "docs/networks.md");
  static_assert(
      !detail::IsModulated<Timing>,
      "neuromorph: this timing rule waits for dopamine, of which a network does not tell it; see docs/networks.md");
  static_assert(
      detail::IsMadeOfParameters<Timing>,
      "neuromorph: a network makes its timing rules by 'from(parameters, dt_ms)', without random numbers, whose "
      "order would depend on the parts; see docs/networks.md");
  return std::make_shared<detail::PlasticityRuleOf<Timing, Weight>>(parameters, range, weight);
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
