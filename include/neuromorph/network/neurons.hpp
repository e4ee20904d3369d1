// SPDX-License-Identifier: BSL-1.0
/// \file
/// Neurons of any model behind one door, for who steps populations that are described while the program runs.
///
/// A `NeuronModel` is what a description keeps of a model: its constants, and what differs from neuron to neuron. It makes
/// `Neurons`, those of a population that a part owns. One virtual call steps a thousand of them.
// host-only
#ifndef NEUROMORPH_NETWORK_NEURONS_HPP
#define NEUROMORPH_NETWORK_NEURONS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>
#include <neuromorph/kernels/neurons/step_counts.hpp>
#include <neuromorph/network/detail/pages.hpp>
#include <neuromorph/network/detail/word_digest.hpp>
#include <neuromorph/network/draws.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// What arrives in a step: of each receptor a sum of weights for each neuron, in 16 or in 32 bits as the model takes it.
struct StepInput {
  std::uint16_t* narrow = nullptr;
  std::int32_t* wide = nullptr;
  std::size_t stride = 0; ///< elements from a receptor to the next

  [[nodiscard]] StepInput from(std::size_t neuron) const noexcept {
    return {narrow == nullptr ? nullptr : narrow + neuron, wide == nullptr ? nullptr : wide + neuron, stride};
  }
};

/// Neurons first, first + 1, ... of a population.
class Neurons {
public:
  static constexpr std::uint32_t block = 1024; ///< neurons of a call: their words and input stay in the first cache

  Neurons() = default;
  Neurons(const Neurons&) = delete;
  Neurons& operator=(const Neurons&) = delete;
  virtual ~Neurons() = default;

  /// Steps neurons at * block to (at + 1) * block - 1, or as many as there are; sets their input to zero.
  /// \param spikes  [block] those that fired, ascending, counted from the first of the block
  virtual StepCounts step(std::uint32_t at, const StepInput& input, std::uint32_t step_number,
                          std::uint32_t* spikes) noexcept = 0;
  [[nodiscard]] virtual std::uint32_t count() const noexcept = 0;
  /// A word of all neurons; `place` as place_of names it.
  [[nodiscard]] virtual std::span<const std::int32_t> words(std::size_t place) const noexcept = 0;
  [[nodiscard]] virtual std::span<std::int32_t> words_to_change(std::size_t place) noexcept = 0;
  /// One that is in its refractory period, where a model has a queue of these.
  struct Waiting {
    std::uint32_t neuron; ///< counted from the first
    std::uint32_t due;    ///< step at whose beginning it is reset, or put down again
    std::uint32_t again;  ///< how often it is put down again before
  };
  /// Adds all of them.
  virtual void waiting(std::vector<Waiting>& all) const = 0;
  /// These wait from now on, and no others.
  /// \param step  the last one
  virtual void set_waiting(std::uint32_t step, std::span<const Waiting> all) = 0;
  [[nodiscard]] virtual std::size_t word_count() const noexcept = 0;
  /// A sum over neurons, of the constants that are each one's own: of all parts together it is that of the population.
  [[nodiscard]] virtual std::uint64_t digest_of_constants() const noexcept = 0;
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
};

/// How a word begins that does not begin as the model says.
struct Initial {
  std::size_t place = 0;
  Distribution drawn = 0.0;
  std::optional<std::vector<double>> values = {}; ///< [count of the population], or none: then they are drawn
};

/// A model with its constants.
class NeuronModel {
public:
  virtual ~NeuronModel() = default;
  /// Makes neurons first to first + count - 1 of a population, with the words that they begin with.
  /// \errors `where` is the neuron: as Model::make, Population::set and Distribution::check
  virtual Status make(std::uint64_t seed, std::uint32_t population, std::uint32_t first, std::uint32_t count,
                      const std::vector<Initial>& initial, std::unique_ptr<Neurons>& made) const = 0;
  /// A word in its physical unit.
  [[nodiscard]] virtual double value(std::size_t place, std::int32_t word) const noexcept = 0;
  [[nodiscard]] virtual std::size_t word_count() const noexcept = 0;
  /// Whether neurons have constants of their own.
  [[nodiscard]] virtual bool differs_by_neuron() const noexcept = 0;
  /// Of the constants that all of its neurons share.
  [[nodiscard]] virtual std::uint64_t digest() const noexcept = 0;
};

/// Those of a model.
template <class Model>
class NeuronsOf final : public Neurons {
public:
  using Made = typename Model::Made;

  NeuronsOf(const Made& made, std::uint32_t first, std::uint32_t count)
      : constants_(made.constants), first_(first), count_(count), stride_(stride_of(count)),
        words_(stride_ * (Model::word_count + Model::constant_count)) {
    std::array<std::int32_t, Model::word_count + 1> initial{};
    Model::words_of(made.initial, initial);
    for (std::size_t place = 0; place < Model::word_count; ++place) std::fill_n(column(place), count, initial[place]);
    auto constants = made.constants;
    Model::each_column(constants, [&](std::int32_t& constant, std::size_t at) {
      std::fill_n(column(Model::word_count + at), count, constant);
    });
    if constexpr (Model::Refractory::has_queue) {
      entries_.resize(count);
      queues_.resize((count + block - 1) / block);
      for (std::uint32_t at = 0; at < queues_.size(); ++at)
        queues_[at].entries =
            std::span(entries_).subspan(std::size_t{at} * block, (std::min)(block, count - at * block));
    }
  }

  StepCounts step(std::uint32_t at, const StepInput& given, std::uint32_t step_number,
                  std::uint32_t* spikes) noexcept override {
    const std::uint32_t from = at * block, count = (std::min)(block, count_ - from);
    using Element = std::conditional_t<Model::Synapses::input_in_pairs, std::uint16_t, std::int32_t>;
    std::array<Element*, Model::receptors> input{};
    for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) {
      if constexpr (sizeof(Element) == 2)
        input[receptor] = given.narrow + receptor * given.stride;
      else
        input[receptor] = given.wide + receptor * given.stride;
    }
    typename Model::Columns columns{};
    for (std::size_t place = 0; place < Model::word_count; ++place) columns.words[place] = column(place) + from;
    for (std::size_t constant = 0; constant < Model::constant_count; ++constant)
      columns.constants[constant] = column(Model::word_count + constant) + from;
    if constexpr (Model::Refractory::has_queue) columns.queue = &queues_[at];
    return Model::template step<target::Native, true>(columns, count, constants_, input, step_number, spikes,
                                                      first_ + from);
  }
  [[nodiscard]] std::uint32_t count() const noexcept override { return count_; }
  [[nodiscard]] std::span<const std::int32_t> words(std::size_t place) const noexcept override {
    return {column(place), count_};
  }
  [[nodiscard]] std::span<std::int32_t> words_to_change(std::size_t place) noexcept override {
    return {column(place), count_};
  }
  void waiting(std::vector<Waiting>& all) const override {
    for (std::size_t at = 0; at < queues_.size(); ++at) {
      const RefractoryQueue& queue = queues_[at];
      for (std::uint32_t place = 0; place < queue.count; ++place) {
        const auto& entry = queue.entries[(queue.first + place) % queue.entries.size()];
        all.push_back(
            {static_cast<std::uint32_t>(at * block) + (entry.neuron & 0xFFFF), entry.due, entry.neuron >> 16});
      }
    }
  }
  void set_waiting(std::uint32_t step, std::span<const Waiting> all) override {
    for (RefractoryQueue& queue : queues_) {
      queue = RefractoryQueue{queue.entries};
      queue.look(step);
    }
    std::vector<Waiting> by_due(all.begin(), all.end());
    std::stable_sort(by_due.begin(), by_due.end(), [&](const Waiting& a, const Waiting& b) {
      return static_cast<std::int32_t>(a.due - step) < static_cast<std::int32_t>(b.due - step);
    });
    if (!queues_.empty())
      for (const Waiting& one : by_due)
        queues_[one.neuron / block].insert(one.due, one.neuron % block | one.again << 16);
  }
  [[nodiscard]] std::size_t word_count() const noexcept override { return Model::word_count; }
  [[nodiscard]] std::uint64_t digest_of_constants() const noexcept override {
    std::uint64_t sum = 0;
    for (std::uint32_t at = 0; at < count_; ++at) {
      detail::WordDigest digest;
      digest.add(first_ + at);
      for (std::size_t constant = 0; constant < Model::constant_count; ++constant)
        digest.add(static_cast<std::uint32_t>(column(Model::word_count + constant)[at]));
      sum += digest.value();
    }
    return sum;
  }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return words_.bytes() + entries_.size() * sizeof(RefractoryQueue::Entry);
  }

  [[nodiscard]] std::int32_t* column(std::size_t at) const noexcept { return words_.data() + at * stride_; }

private:
  /// Columns are whole lines apart, and not whole pages, whose lines would share places in the first cache.
  [[nodiscard]] static constexpr std::size_t stride_of(std::size_t count) noexcept {
    return ((count + 15) / 16 | 1) * 16;
  }

  typename Model::Constants constants_;
  std::uint32_t first_, count_;
  std::size_t stride_;
  detail::Pages<std::int32_t> words_; // [words, then constants][stride]
  std::vector<RefractoryQueue> queues_{};
  std::vector<RefractoryQueue::Entry> entries_{};
};

template <class Model>
class ModelOf final : public NeuronModel {
public:
  using Made = typename Model::Made;
  using Parameters = typename Model::Parameters;
  using Each = std::function<void(std::uint32_t neuron, NeuronDraws& draws, Parameters& own)>;

  /// \param each  changes the parameters of a neuron; none: all have the same
  ModelOf(const Made& made, const Parameters& parameters, Each each)
      : made_(made), parameters_(parameters), each_(std::move(each)) {}

  /// \errors as NeuronModel::make
  Status make(std::uint64_t seed, std::uint32_t population, std::uint32_t first, std::uint32_t count,
              const std::vector<Initial>& initial, std::unique_ptr<Neurons>& answer) const override {
    auto neurons = std::make_unique<NeuronsOf<Model>>(made_, first, count);
    if constexpr (Model::constant_count != 0)
      if (each_)
        for (std::uint32_t at = 0; at < count; ++at)
          if (Status status = set(*neurons, at, seed, population, first + at); !status) return status;
    for (const Initial& one : initial)
      for (std::uint32_t at = 0; at < count; ++at)
        if (Status status = begin(*neurons, one, at, seed, population, first + at); !status) return status;
    answer = std::move(neurons);
    return {};
  }
  [[nodiscard]] const Made& made() const noexcept { return made_; }
  /// Of a neuron, of which \ref made has those that all share.
  /// \errors those of its draws
  [[nodiscard]] Answer<Parameters> parameters(std::uint64_t seed, std::uint32_t population,
                                              std::uint32_t neuron) const {
    Parameters own = parameters_;
    if (!each_) return own;
    NeuronDraws draws(seed, population, neuron, 0);
    each_(neuron, draws, own);
    if (Status status = draws.status(); !status) {
      status.where = neuron;
      return Refusal{status};
    }
    return own;
  }
  [[nodiscard]] double value(std::size_t place, std::int32_t word) const noexcept override {
    return Model::value(made_, place, word);
  }
  [[nodiscard]] std::size_t word_count() const noexcept override { return Model::word_count; }
  [[nodiscard]] bool differs_by_neuron() const noexcept override { return static_cast<bool>(each_); }
  [[nodiscard]] std::uint64_t digest() const noexcept override {
    detail::WordDigest digest;
    auto shared = made_.constants; // without those that are columns
    Model::each_column(shared, [](std::int32_t& constant, std::size_t) { constant = 0; });
    add<typename Model::Membrane>(shared.membrane, digest), add<typename Model::Synapses>(shared.synapses, digest);
    add<typename Model::Input>(shared.input, digest), add<typename Model::Threshold>(shared.threshold, digest);
    add<typename Model::Reset>(shared.reset, digest), add<typename Model::Refractory>(shared.refractory, digest);
    add<typename Model::Adaptation>(shared.adaptation, digest), add<typename Model::Current>(shared.current, digest);
    return digest.value();
  }

private:
  template <class Part>
  static void add(neuromorph::detail::Own<Part, std::int32_t>& own, detail::WordDigest& digest) noexcept {
    if constexpr (neuromorph::detail::is_list<Part>) {
      Part::each([&]<std::size_t place, class One>() { add<One>(neuromorph::at_position<place>(own), digest); });
    } else {
      neuromorph::detail::each_field<neuromorph::detail::constants_of<Part>>(
          neuromorph::detail::constants_in<Part>(own),
          [&](const std::int32_t& constant) { digest.add(static_cast<std::uint32_t>(constant)); });
      digest.add_object(own.shared);
    }
  }
  [[nodiscard]] Status set(NeuronsOf<Model>& neurons, std::uint32_t at, std::uint64_t seed, std::uint32_t population,
                           std::uint32_t neuron) const {
    const auto own = parameters(seed, population, neuron);
    if (!own) return own.status();
    auto made = Model::make(own.value(), made_.making.dt_ms);
    if (!made) {
      Status status = made.status();
      status.where = neuron;
      return status;
    }
    if (!Model::is_covered(made.value(), made_.constants, made_.making))
      return {Error::parameters_contradict, neuron, neuron, "neuron"};
    if (const char* part = Model::not_shared(made.value().constants, made_.constants))
      return {Error::parameters_contradict, neuron, neuron, part};
    Model::each_column(made.value().constants, [&](std::int32_t& constant, std::size_t column) {
      neurons.column(Model::word_count + column)[at] = constant;
    });
    return {};
  }
  [[nodiscard]] Status begin(NeuronsOf<Model>& neurons, const Initial& initial, std::uint32_t at, std::uint64_t seed,
                             std::uint32_t population, std::uint32_t neuron) const {
    NeuronDraws draws(seed, population, neuron, static_cast<std::uint32_t>(initial.place) + 1);
    const double value = initial.values ? (*initial.values)[neuron] : draws(initial.drawn);
    const Quantity meaning = Model::quantity(made_, initial.place);
    const std::int64_t word = neuromorph::detail::to_fixed((value - meaning.origin) / meaning.per_unit, 0);
    if (!neuromorph::detail::is_finite(value) || word > INT32_MAX || word < INT32_MIN ||
        (initial.place == place_of<Model>.membrane.v && !Making::may_begin_at(word, Model::Threshold::is_bounded)))
      return {Error::parameter_out_of_range, neuron, value, "value"};
    neurons.column(initial.place)[at] = static_cast<std::int32_t>(word);
    return {};
  }

  Made made_;
  Parameters parameters_;
  Each each_;
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
