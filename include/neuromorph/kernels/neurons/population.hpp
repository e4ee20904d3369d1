// SPDX-License-Identifier: BSL-1.0
/// \file
/// A population of neurons with its memory: words, columns of constants, the spikes of the last step.
#ifndef NEUROMORPH_KERNELS_NEURONS_POPULATION_HPP
#define NEUROMORPH_KERNELS_NEURONS_POPULATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/background.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Words are named by `place_of<Model>`: `population.value(place_of<Model>.membrane.v, neuron)` is a membrane in mV.
///
/// \tparam Of       a Neuron
/// \tparam Neurons  how many
/// Size: a word for each of a neuron's words, of its constants that are columns, and of the list of spikes. Once, the
/// constants, and 16 bytes for the unit of each word.
template <class Of, std::size_t Neurons>
class Population {
public:
  using Model = Of;
  static_assert(!Model::Refractory::has_queue || Neurons <= 65536,
                "neuromorph: a RefractoryQueue has 16 bits for a neuron; see docs/neurons.md");
  using Made = typename Model::Made;

  /// All neurons at the initial words of `made_by_model`, which is copied as far as steps and recordings need it.
  /// \param first_neuron  number of the first: what is drawn for a neuron depends on its number alone
  constexpr explicit Population(const Made& made_by_model, std::uint32_t first_neuron = 0) noexcept
      : constants_(made_by_model.constants), first_neuron_(first_neuron), scale_(made_by_model.making) {
    std::array<std::int32_t, Model::word_count + 1> initial{};
    Model::words_of(made_by_model.initial, initial);
    for (std::size_t word = 0; word < Model::word_count; ++word) words_[word].fill(initial[word]);
    std::size_t word = 0;
    Model::each_quantity(made_by_model, [&](const Quantity& meaning) {
      units_[word++] = {meaning.per_unit, meaning.origin};
    });
    auto constants = made_by_model.constants;
    Model::each_column(constants, [&](std::int32_t& constant, std::size_t column) { columns_[column].fill(constant); });
  }

  /// One step: consumes what the ring buffer holds for it; returns the neurons that fired in it, ascending.
  template <class Target = target::Native, class Format, class Element>
  constexpr std::span<const std::uint32_t> step(RingBuffer<Format, Element>& ring, std::uint32_t step_number) noexcept {
    static_assert(RingBuffer<Format, Element>::types >= Model::receptors,
                  "neuromorph: the ring buffer has fewer receptor types than the neuron model; use TypeBits = 1");
    static_assert(RingBuffer<Format, Element>::neurons >= Neurons,
                  "neuromorph: the ring buffer has fewer elements than the population has neurons");
    std::array<Element*, Model::receptors> input{};
    for (std::size_t type = 0; type < Model::receptors; ++type) input[type] = ring.slot(step_number, type).data();
    return step<Target>(input, step_number);
  }
  /// The same with background input besides, in the order in which it is named, as of add_background.
  template <class Target = target::Native, class Format, class Element, class... Tables, class... Sources>
  constexpr std::span<const std::uint32_t> step(RingBuffer<Format, Element>& ring, std::uint32_t step_number,
                                                const Background<Tables, Sources>&... backgrounds) noexcept
      requires(sizeof...(Tables) != 0) {
    (add_background<Target>(ring, step_number, backgrounds.receptor, backgrounds.table, backgrounds.source,
                            backgrounds.weight),
     ...);
    return step<Target>(ring, step_number);
  }
  /// The same with input of your own: of each receptor `Neurons` sums of weights, which are set to zero.
  template <class Target = target::Native, class Element>
  constexpr std::span<const std::uint32_t> step(const std::array<Element*, Model::receptors>& input,
                                                std::uint32_t step_number) noexcept {
    const StepCounts counts =
        Model::template step<Target>(columns(), Neurons, constants_, input, step_number, spikes_.data(), first_neuron_);
    if (counts.saturations != 0) [[unlikely]]
      saturations_ += counts.saturations;
    return std::span<const std::uint32_t>{spikes_}.first(counts.spikes);
  }

  /// Gives each neuron input of its own for a step: as many weights as the table draws for it. A sum that would leave
  /// the range of input is held, and counted in `input_saturations`.
  ///
  /// \param ring         where the step will look for it, before that step
  /// \param receptor     type of the input
  /// \param table        of counts: `fill(source, bytes)`, as the tables of kernels/random/ have it; see docs/sources.md
  /// \param source       drawn from in the order of neurons, whatever the backend
  /// \param weight       one event, as Model::weight gives it; negative where weights have a sign
  /// \cost a byte drawn and, where it is not 0, one sum per neuron
  template <class Target = target::Native, class Format, class Element, class Table, class Source>
  constexpr void add_background(RingBuffer<Format, Element>& ring, std::uint32_t step_number, std::size_t receptor,
                                const Table& table, Source& source, std::int32_t weight) noexcept {
    input_saturations_ +=
        neuromorph::add_background<Target>(sums_of(ring, step_number, receptor), Neurons, table, source, weight);
  }
  /// The same with events of your own: of neurons from `first` on, as many as there are counts, and no more than there are
  /// neurons.
  /// \param counts  events of each, as PoissonLadder::fill gives them at rates of each neuron's own
  template <class Target = target::Native, class Format, class Element>
  constexpr void add_events(RingBuffer<Format, Element>& ring, std::uint32_t step_number, std::size_t receptor,
                            std::span<const std::uint8_t> counts, std::int32_t weight, std::size_t first = 0) noexcept {
    if (first >= Neurons) return;
    const std::size_t count = counts.size() < Neurons - first ? counts.size() : Neurons - first;
    input_saturations_ +=
        neuromorph::add_events<Target>(sums_of(ring, step_number, receptor) + first, counts.first(count), weight);
  }

  /// A word of all neurons.
  [[nodiscard]] constexpr std::span<std::int32_t, Neurons> words(std::size_t place) noexcept { return words_[place]; }
  /// A constant of all neurons that is their own, in the order of Model::each_column.
  [[nodiscard]] constexpr std::span<std::int32_t, Neurons> column(std::size_t which) noexcept {
    return columns_[which];
  }
  /// A word of a neuron in its physical unit; the membrane of a neuron in its refractory period is its reset.
  /// \cost floating point: to record, not in a step
  [[nodiscard]] constexpr double value(std::size_t place, std::size_t neuron) const noexcept {
    std::int32_t word = words_[place][neuron];
    if constexpr (Model::Refractory::is_in_membrane || Model::Refractory::has_queue)
      if (place == place_of<Model>.membrane.v && is_waiting(neuron)) word = reset_of(neuron);
    return word * units_[place].per_unit + units_[place].origin;
  }
  /// Sets a word of a neuron to a value in its physical unit, to nearest. Where the refractory period has no word of its own,
  /// as with refractory::InMembrane and InQueue, a membrane that is set integrates from there on.
  /// \errors parameter_out_of_range for what the word cannot hold, and for a membrane at or above the threshold of a neuron
  ///         that fires or in the last 1/64 of its range; index_out_of_range
  constexpr Status set(std::size_t place, std::size_t neuron, double value) noexcept {
    if (place >= Model::word_count || neuron >= Neurons)
      return {Error::index_out_of_range, static_cast<std::uint32_t>(neuron),
              place >= Model::word_count ? place : neuron, place >= Model::word_count ? "place" : "neuron"};
    const double units = (value - units_[place].origin) / units_[place].per_unit;
    const std::int64_t word = detail::to_fixed(units, 0);
    if (!detail::is_finite(value) || word > INT32_MAX || word < INT32_MIN ||
        (place == place_of<Model>.membrane.v && !Making::may_begin_at(word, Model::Threshold::is_bounded)))
      return {Error::parameter_out_of_range, static_cast<std::uint32_t>(neuron), value, "value"};
    words_[place][neuron] = static_cast<std::int32_t>(word);
    if constexpr (Model::Refractory::has_queue)
      if (place == place_of<Model>.membrane.v) waiting_.queue.remove(static_cast<std::uint32_t>(neuron));
    return {};
  }
  /// Gives a neuron constants of its own, of the parts that are PerNeuron. Their scale is that of the population: what the
  /// neuron's own would be must not be finer. Its words stay as they are; for weights in its own nA see Model::weight.
  /// \errors as Model::make; parameters_contradict for parameters that need another scale, and for those that change a
  ///         constant which is no column: `parameter` is its part; index_out_of_range
  constexpr Status set(std::size_t neuron, const typename Model::Parameters& parameters) noexcept
      requires(Model::constant_count != 0) {
    if (neuron >= Neurons) return {Error::index_out_of_range, static_cast<std::uint32_t>(neuron), neuron, "neuron"};
    auto own = Model::make(parameters, scale_.dt_ms);
    if (!own) return own.status();
    if (!Model::is_covered(own.value(), constants_, scale_))
      return {Error::parameters_contradict, static_cast<std::uint32_t>(neuron), neuron, "neuron"};
    if (const char* part = Model::not_shared(own.value().constants, constants_))
      return {Error::parameters_contradict, static_cast<std::uint32_t>(neuron), neuron, part};
    Model::each_column(own.value().constants,
                       [&](std::int32_t& constant, std::size_t column) { columns_[column][neuron] = constant; });
    return {};
  }

  /// Constants of all neurons; of those that are columns, what a neuron begins with.
  [[nodiscard]] constexpr const typename Model::Constants& constants() const noexcept { return constants_; }
  /// Sums that were held at the end of their range, since the start.
  [[nodiscard]] constexpr std::uint32_t saturations() const noexcept { return saturations_; }

  /// Inputs that add_background held at the end of their range, since the start.
  [[nodiscard]] constexpr std::uint32_t input_saturations() const noexcept { return input_saturations_; }

private:
  struct alignas(16) Waiting {
    constexpr Waiting() noexcept { queue.entries = entries; }
    constexpr Waiting(const Waiting& other) noexcept : queue(other.queue), entries(other.entries) {
      queue.entries = entries;
    }
    constexpr Waiting& operator=(const Waiting& other) noexcept {
      if (this == &other) return *this;
      entries = other.entries, queue = other.queue;
      queue.entries = entries;
      return *this;
    }
    RefractoryQueue queue;
    std::array<RefractoryQueue::Entry, Neurons> entries{};
  };
  struct NobodyWaits {};
  /// What a word means: value = word * per_unit + origin.
  struct Unit {
    double per_unit, origin;
  };
  static constexpr bool has_columns = Model::constant_count != 0;
  struct NoScale {
    constexpr explicit NoScale(const Scale&) noexcept {}
  };

  template <class Format, class Element>
  [[nodiscard]] static constexpr Element* sums_of(RingBuffer<Format, Element>& ring, std::uint32_t step_number,
                                                  std::size_t receptor) noexcept {
    static_assert(RingBuffer<Format, Element>::neurons >= Neurons,
                  "neuromorph: the ring buffer has fewer elements than the population has neurons");
    return ring.slot(step_number, receptor).data();
  }
  /// Whether the membrane's word does not tell the membrane.
  [[nodiscard]] constexpr bool is_waiting(std::size_t neuron) const noexcept {
    if constexpr (Model::Refractory::is_in_membrane)
      return words_[place_of<Model>.membrane.v][neuron] >= 0;
    else
      return waiting_.queue.holds(static_cast<std::uint32_t>(neuron));
  }
  [[nodiscard]] constexpr std::int32_t reset_of(std::size_t neuron) const noexcept {
    auto own = constants_;
    Model::each_column(own, [&](std::int32_t& constant, std::size_t column) { constant = columns_[column][neuron]; });
    return own.reset.v;
  }
  [[nodiscard]] constexpr typename Model::Columns columns() noexcept {
    typename Model::Columns views{};
    if constexpr (Model::Refractory::has_queue) { views.queue = &waiting_.queue; }
    for (std::size_t word = 0; word < Model::word_count; ++word) views.words[word] = words_[word].data();
    for (std::size_t column = 0; column < Model::constant_count; ++column)
      views.constants[column] = columns_[column].data();
    return views;
  }

  // What each step reads stands together, where loads reach it from the address of the first words. Addresses that a
  // step takes are multiples of 16 from there, which an ARM adds at once up to 4 KB, that of the spikes of 64, up to 16.
  alignas(64) std::array<std::array<std::int32_t, Neurons>, Model::word_count> words_{};
  typename Model::Constants constants_;
  std::uint32_t first_neuron_, saturations_ = 0, input_saturations_ = 0;
  [[no_unique_address]] std::conditional_t<Model::Refractory::has_queue, Waiting, NobodyWaits> waiting_{};
  std::array<Unit, Model::word_count> units_{};
  [[no_unique_address]] std::conditional_t<has_columns, Scale, NoScale> scale_;
  alignas(64) std::array<std::uint32_t, Neurons> spikes_{};
  alignas(has_columns ? 64 : 1) std::array<std::array<std::int32_t, Neurons>, Model::constant_count> columns_{};
};

/// Refused in words: what is no Neuron.
template <class Model, std::size_t Neurons>
requires(!detail::is_neuron<Model>) class Population<Model, Neurons> {
public:
  static_assert(detail::is_neuron<Model>,
                "neuromorph: a Population is of a Neuron<...>, composed of parts; see docs/neurons.md");
  template <class... Arguments>
  constexpr explicit Population(const Arguments&...) noexcept {}
  template <class Target = target::Native, class Ring>
  constexpr std::span<const std::uint32_t> step(Ring&, std::uint32_t) noexcept {
    return {};
  }
  [[nodiscard]] constexpr std::uint32_t saturations() const noexcept { return 0; }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
