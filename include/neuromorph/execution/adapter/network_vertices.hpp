// SPDX-License-Identifier: BSL-1.0
/// \file
/// Vertices of a network of network.hpp, as native cores have them: neurons of a population with the synapses that lead to them, and
/// sources. What they do in a step is what the host's engine does, to the bit.
///
/// A packet has the key of a neuron, and adds the neuron's row to the sums of the steps in which its synapses arrive. Rows lie in the
/// memory of the chip, by the slices from which they come.
// host-only
#ifndef NEUROMORPH_EXECUTION_ADAPTER_NETWORK_VERTICES_HPP
#define NEUROMORPH_EXECUTION_ADAPTER_NETWORK_VERTICES_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/background.hpp>
#include <neuromorph/kernels/neurons/step_counts.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/network/poisson_input.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/runtime/region.hpp>
#include <neuromorph/runtime/vertex.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

/// A double, as regions have it.
struct TwoWords {
  std::uint32_t low = 0, high = 0;
  using Fields = runtime::Fields<&TwoWords::low, &TwoWords::high>;

  constexpr TwoWords() = default;
  constexpr explicit TwoWords(std::uint64_t bits)
      : low(static_cast<std::uint32_t>(bits)), high(static_cast<std::uint32_t>(bits >> 32)) {}
  constexpr explicit TwoWords(double value) : TwoWords(std::bit_cast<std::uint64_t>(value)) {}
  [[nodiscard]] std::uint64_t bits() const noexcept { return std::uint64_t{high} << 32 | low; }
  [[nodiscard]] double value() const noexcept { return std::bit_cast<double>(bits()); }
};

/// Which slice of a population a core has.
struct SliceSettings {
  std::uint32_t key = 0;      ///< of its first neuron
  std::uint32_t has_keys = 0; ///< whether anybody hears it
  std::uint32_t population = 0, first = 0, count = 0;
  std::uint32_t slots = 1;       ///< steps of sums: more than the longest delay, a power of two
  std::uint32_t target_bits = 0; ///< of a synapse's word
  TwoWords seed{}, dt_ms{};
  using Fields = runtime::Fields<&SliceSettings::key, &SliceSettings::has_keys, &SliceSettings::population,
                                 &SliceSettings::first, &SliceSettings::count, &SliceSettings::slots,
                                 &SliceSettings::target_bits, &SliceSettings::seed, &SliceSettings::dt_ms>;
};
/// Poisson input of each neuron's own; of a source, what it fires.
struct DriveSettings {
  std::uint32_t receptor = 0;
  std::int32_t weight = 0; ///< in units of the receptor
  std::uint32_t is_narrow = 0, use = 0;
  TwoWords rate_hz{};
  using Fields = runtime::Fields<&DriveSettings::receptor, &DriveSettings::weight, &DriveSettings::is_narrow,
                                 &DriveSettings::use, &DriveSettings::rate_hz>;
};
/// The rows of a slice of sources by one projection.
struct IncomingSlice {
  std::uint32_t key = 0, mask = 0;
  std::uint32_t first = 0, words = 0; ///< of synapses
  std::uint32_t row = 0, rows = 0;    ///< where the starts of its rows are, and how many
  std::int32_t weight = 0;            ///< where all have one
  std::uint32_t kind = 0;
  using Fields =
      runtime::Fields<&IncomingSlice::key, &IncomingSlice::mask, &IncomingSlice::first, &IncomingSlice::words,
                      &IncomingSlice::row, &IncomingSlice::rows, &IncomingSlice::weight, &IncomingSlice::kind>;
  static constexpr std::uint32_t signed_flag = 1U << 16, one_weight_flag = 1U << 17; ///< of kind
  [[nodiscard]] static constexpr std::uint32_t kind_of(std::uint32_t receptor, unsigned shift) noexcept {
    return receptor | shift << 8;
  }
  [[nodiscard]] constexpr std::uint32_t receptor() const noexcept { return kind & 0xFF; }
  [[nodiscard]] constexpr unsigned shift() const noexcept { return kind >> 8 & 0xFF; }
  /// Of a synapse, in units of its receptor.
  [[nodiscard]] constexpr std::int64_t weight_of(std::uint32_t word) const noexcept {
    if ((kind & one_weight_flag) != 0) return weight;
    const std::int64_t half =
        (kind & signed_flag) != 0 ? std::int64_t{static_cast<std::int16_t>(word >> 16)} : std::int64_t{word >> 16};
    return half * (std::int64_t{1} << shift());
  }
};
using SliceRegion = runtime::Region<SliceSettings, DriveSettings>;
/// Constants of all neurons, as bytes; then by words and constants that are each one's own, those of each neuron.
using NeuronsRegion = runtime::Region<runtime::Nothing, std::uint32_t>;
using IncomingRegion = runtime::Region<runtime::Nothing, IncomingSlice>;  ///< by key
using RowStartsRegion = runtime::Region<runtime::Nothing, std::uint16_t>; ///< from the first synapse of their slice
/// Weight << 16 | delay << target_bits | target.
using SynapsesRegion = runtime::Region<runtime::Nothing, std::uint32_t>;
/// Step, neuron; by step.
struct ListedSpike {
  std::uint32_t step = 0, neuron = 0;
  using Fields = runtime::Fields<&ListedSpike::step, &ListedSpike::neuron>;
};
using SpikesRegion = runtime::Region<runtime::Nothing, ListedSpike>;

namespace detail {

/// Poisson counts of neurons first, first + 1, ..., which are a part of a group, or begin with one.
class SliceDraws {
public:
  [[nodiscard]] Status make(const SliceSettings& of, double rate_hz, std::uint32_t use) {
    skipped_ = of.first % network::neurons_of_group;
    const std::uint32_t groups = (skipped_ + of.count + network::neurons_of_group - 1) / network::neurons_of_group;
    return network::PoissonInput::make(rate_hz, of.dt_ms.value(), {of.seed.bits(), of.population, use},
                                       of.first / network::neurons_of_group, groups, input_);
  }
  /// Calls each(first, counts) for all `count` neurons, group by group.
  template <class Each>
  void draw(std::uint32_t count, Each each) {
    for (std::uint32_t first = 0, group = 0; first < count; ++group) {
      network::PoissonInput::Counts drawn;
      input_.draw(group, drawn);
      const std::uint32_t skipped = group == 0 ? skipped_ : 0,
                          here = (std::min)(network::neurons_of_group - skipped, count - first);
      each(first, std::span<const std::uint8_t>(drawn).subspan(skipped, here));
      first += here;
    }
  }

private:
  network::PoissonInput input_{};
  std::uint32_t skipped_ = 0;
};

} // namespace detail

/// What a core of a network counts.
enum class NetworkCounter : unsigned {
  spikes,
  events,                 ///< synaptic ones, in the step in which they arrive
  background,             ///< of Poisson input
  saturations,            ///< words of neurons that were held at the end of their range
  input_saturations,      ///< sums of 16 bits that were held, by synapses
  background_saturations, ///< by Poisson input
  strange,                ///< packets that no row belongs to
  all
};

/// Neurons of one population.
template <class Model>
class NeuronCore {
  using Constants = typename Model::Constants;
  static_assert(std::is_trivially_copyable_v<Constants>,
                "neuromorph: constants of a model come to a core as bytes; these cannot");

public:
  using Regions = runtime::Regions<SliceRegion, NeuronsRegion, IncomingRegion, RowStartsRegion, SynapsesRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Counters>;
  static constexpr std::size_t counters = std::size_t(NetworkCounter::all);
  static constexpr std::uint32_t most_neurons = 256;
  static constexpr bool is_narrow = Model::Synapses::input_in_pairs;
  static constexpr std::size_t columns = Model::word_count + Model::constant_count;

  /// Of the memory beside a core.
  [[nodiscard]] static std::uint32_t dtcm_bytes(std::uint32_t neurons, std::uint32_t slots) noexcept {
    const std::size_t sums = std::size_t{slots} * Model::receptors * stride_of(neurons);
    return static_cast<std::uint32_t>(1024 + neurons * columns * 4 + sums * (is_narrow ? 2 : 4) +
                                      (is_narrow ? sums / 8 : 0) + slots * std::size_t{8});
  }
  /// \param neurons  of `count`, from the first on
  static void write_neurons(const typename Model::Made& made, const network::NeuronsOf<Model>& neurons,
                            std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint32_t> words(constant_words + neurons.count() * columns);
    std::memcpy(words.data(), &made.constants, sizeof(Constants));
    for (std::size_t column = 0; column < columns; ++column)
      std::copy_n(neurons.column(column), neurons.count(),
                  words.begin() + static_cast<std::ptrdiff_t>(constant_words + column * neurons.count()));
    bytes.resize(NeuronsRegion::bytes(words.size()));
    static_cast<void>(NeuronsRegion::write(bytes, {}, words).ok()); // there is room
  }

  /// \errors of regions; index_out_of_range, parameter_out_of_range, region_cut_off: a number in them that leads nowhere; lengths_differ:
  ///         words of neurons; type_out_of_range: a receptor; parameter_out_of_range: a rate
  [[nodiscard]] Status start(auto& core) {
    const auto slice = core.template region<0>();
    const auto neurons = core.template region<1>();
    const auto incoming = core.template region<2>();
    const auto starts = core.template region<3>();
    const auto synapses = core.template region<4>();
    for (const Status& one : {slice.status, neurons.status, incoming.status, starts.status, synapses.status})
      if (!one) return one;
    of_ = *slice.head, incoming_ = incoming.elements, starts_ = starts.elements, synapses_ = synapses.elements;
    if (Status status = check(); !status) return status;
    keys_.clear();
    for (const IncomingSlice& one : incoming_) keys_.push_back(one.key);
    if (neurons.elements.size() != constant_words + of_.count * columns)
      return {Error::lengths_differ, 0, neurons.elements.size(), "words"};
    typename Model::Made made{};
    std::memcpy(static_cast<void*>(&made.constants), neurons.elements.data(), sizeof(Constants));
    neurons_.emplace(made, of_.first, of_.count);
    for (std::size_t column = 0; column < columns; ++column)
      std::memcpy(neurons_->column(column), neurons.elements.data() + constant_words + column * of_.count,
                  of_.count * std::size_t{4});
    drives_.clear();
    for (const DriveSettings& one : slice.elements) {
      if (one.receptor >= Model::receptors) return {Error::type_out_of_range, 0, one.receptor, "receptor"};
      Drive& drive = drives_.emplace_back();
      drive.settings = one;
      if (Status status = drive.draws.make(of_, one.rate_hz.value(), one.use); !status) return status;
    }
    const std::size_t sums = std::size_t{of_.slots} * Model::receptors * stride_of(of_.count);
    sums_.assign(sums, 0);
    held_.assign(is_narrow ? sums / 64 : 0, 0);
    arriving_.assign(of_.slots, {});
    return {};
  }
  void tick(auto& core, std::uint32_t time) {
    step_ = time + 1;
    const std::uint32_t slot = step_ & (of_.slots - 1);
    const std::size_t stride = stride_of(of_.count);
    Sum* const sums = sums_.data() + slot * Model::receptors * stride;
    for (Drive& drive : drives_)
      drive.draws.draw(of_.count, [&](std::uint32_t first, std::span<const std::uint8_t> counts) {
        const std::uint32_t held =
            add_events(sums + drive.settings.receptor * stride + first, counts, drive.settings.weight);
        std::uint32_t events = 0;
        for (const std::uint8_t one : counts) events += one;
        count(core, NetworkCounter::background, events), count(core, NetworkCounter::background_saturations, held);
      });
    network::StepInput input{};
    input.stride = stride;
    if constexpr (is_narrow)
      input.narrow = sums;
    else
      input.wide = sums;
    std::array<std::uint32_t, network::Neurons::block> fired;
    const StepCounts counts = neurons_->step(0, input, step_, fired.data());
    count(core, NetworkCounter::spikes, counts.spikes), count(core, NetworkCounter::saturations, counts.saturations);
    Arriving& arrived = arriving_[slot];
    count(core, NetworkCounter::events, arrived.events);
    if (arrived.held != 0) {
      count(core, NetworkCounter::input_saturations, arrived.held);
      std::fill_n(held_.begin() + static_cast<std::ptrdiff_t>(slot * Model::receptors * stride / 64),
                  Model::receptors * stride / 64, std::uint64_t{0});
    }
    arrived = {};
    for (std::uint32_t at = 0; at < counts.spikes; ++at) {
      const std::array<std::uint32_t, 2> spike{step_, of_.first + fired[at]};
      static_cast<void>(core.record(0, spike)); // what finds no room is told by the core
      if (of_.has_keys != 0) core.send(of_.key + fired[at]);
    }
  }
  void packet(auto& core, std::uint32_t key) {
    auto behind = static_cast<std::size_t>(std::upper_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
    bool is_known = false;
    for (; behind != 0 && (key & incoming_[behind - 1].mask) == incoming_[behind - 1].key; --behind) {
      const IncomingSlice& from = incoming_[behind - 1];
      const std::uint32_t source = key & ~from.mask;
      if (source < from.rows) is_known = true, add(from, source);
    }
    if (!is_known) count(core, NetworkCounter::strange, 1);
  }
  void state(auto each) const {
    each(step_);
    if (!neurons_) return;
    for (std::size_t column = 0; column < Model::word_count; ++column)
      for (std::uint32_t at = 0; at < of_.count; ++at) each(static_cast<std::uint32_t>(neurons_->column(column)[at]));
    for (const Sum one : sums_) each(static_cast<std::uint32_t>(one));
  }

private:
  using Sum = std::conditional_t<is_narrow, std::uint16_t, std::int32_t>;
  struct Drive {
    DriveSettings settings{};
    detail::SliceDraws draws{};
  };
  /// What is on its way to a step.
  struct Arriving {
    std::uint32_t events = 0, held = 0;
  };
  static constexpr std::size_t constant_words = (sizeof(Constants) + 3) / 4;
  [[nodiscard]] static constexpr std::size_t stride_of(std::uint32_t neurons) noexcept {
    return (std::size_t{neurons} + 63) / 64 * 64;
  }
  static void count(auto& core, NetworkCounter which, std::uint32_t by) { core.count(unsigned(which), by); }

  /// That rows lead nowhere else than they may, whatever a host has written. Constants of neurons are taken as they are.
  [[nodiscard]] Status check() const {
    if (of_.count == 0 || of_.count > most_neurons) return {Error::index_out_of_range, 0, of_.count, "count"};
    if (!std::has_single_bit(of_.slots) || of_.target_bits > 16 ||
        static_cast<unsigned>(std::bit_width(of_.count - 1)) > of_.target_bits)
      return {Error::parameter_out_of_range, 0, of_.slots, "slots"};
    for (const IncomingSlice& one : incoming_) {
      const bool is_there = (one.key & ~one.mask) == 0 && std::uint64_t{one.first} + one.words <= synapses_.size() &&
                            std::uint64_t{one.row} + one.rows <= starts_.size() && one.receptor() < Model::receptors &&
                            one.shift() < 32;
      if (!is_there) return {Error::region_cut_off, 0, one.row, "incoming"};
    }
    const std::uint32_t targets = (1U << of_.target_bits) - 1;
    for (const std::uint32_t word : synapses_)
      if ((word & targets) >= of_.count || ((word & 0xFFFF) >> of_.target_bits) >= of_.slots)
        return {Error::index_out_of_range, 0, word, "synapse"};
    return {};
  }
  /// Adds a row.
  void add(const IncomingSlice& of, std::uint32_t source) {
    const std::size_t row = std::size_t{of.row} + source;
    const std::uint32_t begin = starts_[row],
                        end = (std::min)(source + 1 == of.rows ? of.words : std::uint32_t{starts_[row + 1]}, of.words);
    if (begin >= end) return;
    const auto words = synapses_.subspan(of.first + begin, end - begin);
    const std::size_t stride = stride_of(of_.count), plane = of.receptor() * stride;
    const std::uint32_t targets = (1U << of_.target_bits) - 1;
    for (const std::uint32_t word : words) {
      const std::uint32_t slot = (step_ + ((word & 0xFFFF) >> of_.target_bits)) & (of_.slots - 1);
      const std::size_t place = slot * Model::receptors * stride + plane + (word & targets);
      ++arriving_[slot].events;
      const std::int64_t sum = sums_[place] + of.weight_of(word);
      if constexpr (is_narrow) {
        if (sum > 0xFFFF) [[unlikely]] {
          hold(place, arriving_[slot]);
          continue;
        }
      }
      sums_[place] = static_cast<Sum>(sum);
    }
  }
  void hold(std::size_t place, Arriving& arriving) {
    sums_[place] = static_cast<Sum>(0xFFFF);
    std::uint64_t& bits = held_[place / 64];
    const std::uint64_t bit = std::uint64_t{1} << place % 64;
    if ((bits & bit) == 0) ++arriving.held;
    bits |= bit;
  }

  SliceSettings of_{};
  std::span<const IncomingSlice> incoming_{};
  std::vector<std::uint32_t> keys_{}; // of these
  std::span<const std::uint16_t> starts_{};
  std::span<const std::uint32_t> synapses_{};
  std::optional<network::NeuronsOf<Model>> neurons_{};
  std::vector<Drive> drives_{};
  std::vector<Sum> sums_{};           // [slot][receptor][neuron]
  std::vector<std::uint64_t> held_{}; // a bit for each sum
  std::vector<Arriving> arriving_{};  // [slot]
  std::uint32_t step_ = 0;
};

/// Sources that fire by chance, as they are told by a list, or both.
class SourceCore {
public:
  using Regions = runtime::Regions<SliceRegion, SpikesRegion>;
  using Offers = offer::List<offer::Tick, offer::Counters>;
  static constexpr std::size_t counters = std::size_t(NetworkCounter::all);
  static constexpr std::uint32_t most_neurons = 256;

  [[nodiscard]] Status start(auto& core) {
    const auto slice = core.template region<0>();
    const auto spikes = core.template region<1>();
    if (!slice.status) return slice.status;
    if (!spikes.status) return spikes.status;
    of_ = *slice.head, listed_ = spikes.elements, draws_.clear(), next_ = 0;
    for (const DriveSettings& one : slice.elements)
      if (Status status = draws_.emplace_back().make(of_, one.rate_hz.value(), one.use); !status) return status;
    return {};
  }
  void tick(auto& core, std::uint32_t time) {
    const std::uint32_t step = time + 1;
    fired_.clear();
    for (detail::SliceDraws& draws : draws_)
      draws.draw(of_.count, [this](std::uint32_t first, std::span<const std::uint8_t> counts) {
        for (std::uint32_t at = 0; at < counts.size(); ++at) fired_.insert(fired_.end(), counts[at], first + at);
      });
    for (; next_ < listed_.size() && listed_[next_].step <= step; ++next_)
      if (listed_[next_].step == step) fired_.push_back(listed_[next_].neuron - of_.first);
    std::sort(fired_.begin(), fired_.end());
    core.count(unsigned(NetworkCounter::spikes), static_cast<std::uint32_t>(fired_.size()));
    for (const std::uint32_t one : fired_) {
      const std::array<std::uint32_t, 2> spike{step, of_.first + one};
      static_cast<void>(core.record(0, spike)); // as of neurons
      if (of_.has_keys != 0) core.send(of_.key + one);
    }
  }
  void state(auto each) const { each(next_); }

private:
  SliceSettings of_{};
  std::span<const ListedSpike> listed_{};
  std::vector<detail::SliceDraws> draws_{};
  std::vector<std::uint32_t> fired_{};
  std::uint32_t next_ = 0;
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
