// SPDX-License-Identifier: BSL-1.0
/// \file
/// Leaky integrate-and-fire neurons for cores that count cycles: ten cycles a neuron on ARM968E-S with one synaptic
/// time constant and one signed input, 16.5 with two of both (benchmarks lif/shared/mean, lif/shared/two/mean). A step
/// has no test for overflow: `parameters` is told what all synapses of a neuron can bring, and takes only what cannot
/// make a word wrap then.
///
/// Same cells and same exact integration as Lif. What differs is the arrangement: constant drive is folded into the
/// synaptic word, whose decay adds it for nothing; a neuron in its refractory period lies far below threshold and
/// stands in a queue, so that a step has nothing to test but the sign of the new membrane.
#ifndef NEUROMORPH_KERNELS_NEURONS_COMPACT_LIF_HPP
#define NEUROMORPH_KERNELS_NEURONS_COMPACT_LIF_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/lif.hpp>
#include <neuromorph/kernels/neurons/neuron_model.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What the synapses of a neuron bring together, of each receptor where it has two. `check_fan_in` proves of the rows
/// that are loaded that it is no more.
struct LifFanIn {
  double sum_na = 0.0;        ///< of the magnitudes of all weights
  std::uint32_t interval = 1; ///< steps from one spike through a synapse to the next, at least
};

/// \tparam Psp            of the synaptic state: std::int32_t, or std::int16_t for two neurons per word
/// \tparam TimeConstants  1: one signed input; 2: excitation E and inhibition I each with its own (32 bits, constants
///                        shared)
///
/// A step is, u being the membrane word, P the synaptic word, x the input (all differences and sums exact):
///
///     32 bits, shared constants:     u' = u + P + floor(u c / 2^16)            P' = x + 2 (q + floor(P f / 2^16))
///     32 bits, constants by neuron:  u' = u + d + floor((P + floor(u c / 2^16)) / 8)      P' the same, q without drift
///     two time constants:            u' = u + E - I + floor(u c / 2^16)        E' = x + 2 (q + floor(E f / 2^16))
///                                                                              I' = y + 2 (r + floor(I g / 2^16))
///     16 bits, shared constants:     u' = u + 2^7 P' + floor(u c / 2^16)       P' = q + floor((P + x) f / 2^16)
///
/// c, f, g, q and r of shared constants are dithered per tick, as in Lif. With 32 bits input acts as in Lif: a spike at
/// tick n with a delay of d steps from t = (n + d) h on. With 16 bits it acts from the beginning of the step that reads
/// it, one step earlier.
///
/// Accuracy: psps are whole units of 2^-unit_bits mV, so that the error grows with the largest weight. The membrane
/// stays within 1.5 units / ((1 - k) (1 - exp(-dt/tau_m))) + 10^-4 (threshold - rest) of the exact solution, k being
/// exp(-dt/tau) of the longer synaptic time constant: `unit.kernels.neurons.compact_lif`, docs/neurons.md.
///
/// \exact  bit-exact with target::Generic on every backend
/// \cost   ARM968E-S, cycles per neuron at 10 Hz, 32 a call: benchmarks cycles/arm968/lif
/// \source as Lif; the order of the operations of the 16-bit form is that of the paper's assembler
template <class Psp = std::int32_t, std::size_t TimeConstants = 1>
class CompactLif {
  static_assert(std::is_same_v<Psp, std::int32_t> || std::is_same_v<Psp, std::int16_t>,
                "neuromorph: CompactLif's Psp is std::int32_t or std::int16_t; see docs/neurons.md");
  static_assert(TimeConstants == 1 || (TimeConstants == 2 && std::is_same_v<Psp, std::int32_t>),
                "neuromorph: CompactLif has 1 synaptic time constant or, with a 32-bit psp, 2; see docs/neurons.md");
  static constexpr bool packed = std::is_same_v<Psp, std::int16_t>;

public:
  using Offers = offer::List<offer::ExtraMemory, offer::PspAtRest>;
  using PspWord = Psp;
  static constexpr std::size_t psp_count = TimeConstants;
  static constexpr std::size_t most_neurons = 65536;
  static constexpr std::size_t receptors = TimeConstants; ///< 1: inhibitory weights are negative; 2: magnitudes, as Lif
  static constexpr unsigned default_weight_bits = packed ? 15 : TimeConstants == 2 ? 18 : 16;
  static constexpr int packed_shift = 7; ///< a 16-bit psp unit is 2^7 membrane units
  static constexpr int table_shift = 3;  ///< with a Table a membrane unit is 2^3 psp units

  struct Parameters {
    std::int32_t membrane_decay = 0;    ///< (exp(-dt/tau_m) - 1) * 2^32
    std::int32_t psp_factor = 0;        ///< exp(-dt/tau_syn) * 2^31
    std::int32_t inhibition_factor = 0; ///< exp(-dt/tau_inh) * 2^31, with two time constants
    std::int32_t psp_offset = 0;        ///< q, with 8 fraction bits; packed 16
    std::int32_t psp_spread = 0;        ///< packed: over how many units the psp's origin wanders, see `prepare`
    std::int32_t reset = 0;             ///< membrane word, below zero
    std::int32_t psp_at_rest = 0;       ///< what a psp without input comes to: the constant drive
    std::int32_t drift = 0;             ///< the same for a Table, in its membrane units
    RefractoryPeriod refractory;
    std::uint32_t stay = 0;       ///< steps that a neuron stays below threshold by itself when put down
    std::int32_t input_limit = 0; ///< inputs of this magnitude at every step for ever cannot make a word overflow
    int unit_bits = 0;            ///< a psp unit is 2^-unit_bits mV per step
    double v_threshold_mv = 0.0;
    std::array<double, TimeConstants> psp_per_na{}; ///< mV per step and nA, by receptor
    std::int32_t fan_in_limit = 0; ///< of all weights of a neuron and receptor; at LifFanIn::interval no word overflows
    std::int32_t psp_limit = 0;    ///< a psp of this magnitude for ever leaves the membrane in its word
    double pair_leak_mv = 0.0; ///< packed: the most by which all that arrives at one neuron of a pair moves the other
  };

  /// Constants of one neuron in a Table: the word that each step reads, and what a spike needs.
  struct Row {
    std::uint32_t step = 0; ///< decay with 19 fraction bits in the lower half, drift in the upper
    std::int32_t reset = 0;
    std::uint32_t refractory = 0;
  };

  /// Constants of each neuron by itself; the synaptic time constant and the units are shared.
  struct Table {
    std::span<const std::uint32_t> step;
    std::span<const std::int32_t> reset;
    std::span<const std::uint32_t> refractory;
    Parameters shared;
  };

  /// Views of a population's words, all of the same length, and its queue. Membrane and psp are aligned to 4 bytes.
  struct State {
    std::span<std::int32_t> membrane;
    std::array<std::span<Psp>, psp_count> psp;
    RefractoryQueue* queue = nullptr;
  };

  /// The queue and its memory, in a Population.
  template <std::size_t Neurons>
  struct Extra {
    static_assert(Neurons <= most_neurons, "neuromorph: a RefractoryQueue has 16 bits for a neuron");
    static_assert(!packed || Neurons % 2 == 0,
                  "neuromorph: CompactLif<std::int16_t> has two neurons per word: an even number; see docs/neurons.md");
    std::array<RefractoryQueue::Entry, Neurons> entries{};
    RefractoryQueue queue;
    constexpr void attach(State& state) noexcept {
      queue.entries = entries;
      state.queue = &queue;
    }
  };

  /// As Lif::parameters. With one time constant tau_exc and tau_inh are one; all are at least 4 steps. The unit is the
  /// finest in which the largest weight has at most `weights.bits` bits, and in which nothing can wrap as long as
  /// `fan_in` is true.
  /// \errors as Lif::parameters; fan_in_too_large if there is none, or if a pair could disturb each other by more than
  /// 2 % of threshold - reset
  [[nodiscard]] static constexpr Result<Parameters>
  parameters(const LifCell& cell, double dt_ms, const LifWeightRange& weights, const LifFanIn& fan_in) noexcept {
    if (packed && weights.bits > 15) return refuse(Error::parameter_out_of_range, 13, weights.bits);
    const auto exact = Lif<TimeConstants, rounding::Nearest>::parameters(cell, dt_ms, weights);
    if (!exact) return exact.status();
    const auto& constants = exact.value().constants;
    // a quarter: 0.2212 * 2^32; 2^17 keeps the factor of 15 bits below one
    constexpr std::int32_t shortest = -950'071'000, longest = -(1 << 17);
    if (constants.membrane_decay < shortest) return refuse(Error::parameter_out_of_range, 0, cell.tau_m_ms);
    if (constants.membrane_decay > longest) return refuse(Error::time_constant_too_long, 0, cell.tau_m_ms);
    const std::array<double, 2> tau{cell.tau_exc_ms, cell.tau_inh_ms};
    for (std::uint32_t which = 0; which < TimeConstants; ++which) {
      if (constants.psp_decay[which] < shortest) return refuse(Error::parameter_out_of_range, 1 + which, tau[which]);
      if (constants.psp_decay[which] > longest) return refuse(Error::time_constant_too_long, 1 + which, tau[which]);
    }

    Parameters result;
    result.membrane_decay = constants.membrane_decay;
    result.psp_factor = static_cast<std::int32_t>((std::int64_t{1} << 31) + (constants.psp_decay[0] >> 1));
    result.inhibition_factor =
        TimeConstants == 2 ? static_cast<std::int32_t>((std::int64_t{1} << 31) + (constants.psp_decay.back() >> 1)) : 0;
    result.v_threshold_mv = cell.v_threshold_mv;
    result.stay = stay_of(cell, dt_ms);
    const auto refractory = period(cell, dt_ms, result.stay);
    if (!refractory) return refractory.status();
    result.refractory = refractory.value();
    for (std::size_t which = 0; which < TimeConstants; ++which) {
      result.psp_per_na[which] = exact.value().psp_per_na[which];
      // The packed form couples a psp after its decay.
      if (packed) result.psp_per_na[which] *= 2147483648.0 / static_cast<double>(result.psp_factor);
    }
    std::array<double, TimeConstants> largest_na{weights.excitatory_na};
    if (TimeConstants == 2 || weights.inhibitory_na > weights.excitatory_na) largest_na.back() = weights.inhibitory_na;
    for (const double largest : largest_na)
      if (!(detail::is_finite(fan_in.sum_na) && fan_in.sum_na >= largest && fan_in.sum_na < 1e9))
        return refuse(Error::parameter_out_of_range, 14, fan_in.sum_na);
    if (fan_in.interval == 0) return refuse(Error::parameter_not_positive, 15, fan_in.interval);
    const unsigned bits = weights.bits < 24 ? weights.bits : 24;
    const double membrane_share = -static_cast<double>(result.membrane_decay) / 4294967296.0;
    std::array<double, TimeConstants> psp_share{}, burst_share{};
    for (std::size_t which = 0; which < TimeConstants; ++which) {
      psp_share[which] = -static_cast<double>(constants.psp_decay[which]) / 4294967296.0;
      burst_share[which] = 1.0 - power(1.0 - psp_share[which], fan_in.interval);
    }
    for (result.unit_bits = 40; result.unit_bits >= -8; --result.unit_bits) {
      std::int64_t largest = 0, together = 0;
      for (std::size_t which = 0; which < TimeConstants; ++which) {
        const double unit = result.psp_per_na[which];
        const std::int64_t own = detail::to_fixed(unit * largest_na[which], result.unit_bits);
        const std::int64_t all = detail::to_fixed(unit * fan_in.sum_na, result.unit_bits);
        if (own > largest) largest = own;
        if (all > together) together = all;
      }
      if (largest >= std::int64_t{1} << bits) continue;
      if (largest == 0) break;
      const std::int64_t drive = scaled(constants.drift, result.unit_bits);
      const std::int64_t reset = detail::to_fixed(cell.v_reset_mv - cell.v_threshold_mv, membrane_bits(result));
      constexpr std::int64_t half = std::int64_t{1} << 29;
      if (reset <= -half || drive >= half || drive <= -half) continue;
      const double offset = static_cast<double>(drive < 0 ? -drive : drive);
      // What the membrane can take, as a psp that stays; in the packed form also what 16 bits hold.
      const double room = 0.98 * 2147483648.0 / (packed ? 128.0 : 1.0) * membrane_share;
      if (packed && room < 32768.0) return refuse(Error::time_constant_too_long, 0, cell.tau_m_ms);
      const double most = packed ? 32767.0 : room;
      if (packed) result.psp_spread = static_cast<std::int32_t>(detail::to_fixed(1.0 / psp_share[0], 0));
      // A weight that comes again and again leaves at most weight / burst_share in a psp; so do all together. Rounding
      // and dither, of the drive too, and in a pair the neighbour's carry, are less than 4 units a step and 10^-4 of
      // all.
      std::int64_t every_step = INT32_MAX, in_bursts = INT32_MAX;
      for (std::size_t which = 0; which < TimeConstants; ++which) {
        const double capacity = 0.9999 * most - offset - result.psp_spread - 4.0 / psp_share[which];
        const std::int64_t own_every_step = detail::to_fixed(capacity * psp_share[which], 0) - 1;
        const std::int64_t own_in_bursts = detail::to_fixed(capacity * burst_share[which], 0) - 1;
        if (own_every_step < every_step) every_step = own_every_step;
        if (own_in_bursts < in_bursts) in_bursts = own_in_bursts;
      }
      if (in_bursts < together) continue;
      if (packed) {
        result.pair_leak_mv = power_of_two(-result.unit_bits) / (psp_share[0] * membrane_share);
        if (result.pair_leak_mv > 0.02 * (cell.v_threshold_mv - cell.v_reset_mv)) break;
      }
      // Half a unit that each floor loses comes back with the drive.
      const std::int64_t rest_q8 = scaled(constants.drift, result.unit_bits + 8) + (packed ? 1 : 128);
      const std::int64_t gain = -std::int64_t{constants.psp_decay[0]};
      std::int64_t psp_offset = 0;
      if (packed) { // no more than 24 bits in rest_q8
        psp_offset = (rest_q8 * gain) >> 24;
      } else {
        const std::int64_t product = (rest_q8 >> 16) * gain + (((rest_q8 & 0xFFFF) * gain) >> 16); // 2^16 times
        psp_offset = (product >> 17) + 128;
      }
      if (psp_offset != static_cast<std::int32_t>(psp_offset)) continue;
      result.psp_offset = static_cast<std::int32_t>(psp_offset);
      result.input_limit = static_cast<std::int32_t>(every_step < 0 ? 0 : every_step);
      result.fan_in_limit = static_cast<std::int32_t>(in_bursts);
      result.psp_limit = static_cast<std::int32_t>(most);
      result.reset = static_cast<std::int32_t>(reset);
      result.psp_at_rest = static_cast<std::int32_t>(drive);
      result.drift = static_cast<std::int32_t>((scaled(constants.drift, result.unit_bits - table_shift + 1) + 1) >> 1);
      return result;
    }
    return refuse(Error::fan_in_too_large, 14, fan_in.sum_na);
  }

  /// A neuron's row of a Table. `own` is computed with the same time step, weights and synaptic time constant as
  /// `shared`, whose units it takes.
  /// \errors parameter_out_of_range: tau_m below 16 steps, too much drive for 16 bits, a reset too far from the
  /// threshold, a refractory period longer than half of tau_m, where that of `shared` is longer;
  /// time_constant_too_long: psps and drive could make this membrane wrap, from about 8 times the tau_m of `shared`
  /// on; as Lif::parameters
  [[nodiscard]] static constexpr Result<Row> row(const Parameters& shared, const LifCell& cell, double dt_ms) noexcept
      requires(!packed && TimeConstants == 1) {
    // A row has no weights of its own; these are never too large. One time constant, as is required.
    const auto exact = Lif<TimeConstants, rounding::Nearest>::parameters(cell, dt_ms, {1e-30, 1e-30, 1});
    if (!exact) return exact.status();
    const auto& constants = exact.value().constants;
    const std::int64_t decay = ((std::int64_t{constants.membrane_decay} >> (15 - table_shift)) + 1) >> 1;
    if (decay < INT16_MIN) return detail::refuse_lif(Error::parameter_out_of_range, 0, cell.tau_m_ms);
    const std::int64_t drift = ((scaled(constants.drift, shared.unit_bits - table_shift + 1) + 1) >> 1);
    if (drift < INT16_MIN || drift > INT16_MAX)
      return detail::refuse_lif(Error::parameter_out_of_range, 5, cell.v_rest_mv);
    const std::int64_t drive = (shared.psp_limit >> table_shift) + (drift < 0 ? -drift : drift);
    if (drive * 100 > -decay * (98 * (std::int64_t{1} << (31 - 16 - table_shift))))
      return detail::refuse_lif(Error::time_constant_too_long, 0, cell.tau_m_ms);
    const std::int64_t reset = detail::to_fixed(cell.v_reset_mv - cell.v_threshold_mv, shared.unit_bits - table_shift);
    if (reset <= -(std::int64_t{1} << 29)) return detail::refuse_lif(Error::parameter_out_of_range, 6, cell.v_reset_mv);
    const auto refractory = period(cell, dt_ms, shared.stay);
    if (!refractory) return refractory.status();
    if (refractory.value().steps > stay_of(cell, dt_ms) ||
        (refractory.value().again != 0 && shared.stay > stay_of(cell, dt_ms)))
      return detail::refuse_lif(Error::parameter_out_of_range, 8, cell.t_refract_ms);
    return Row{static_cast<std::uint32_t>(drift) << 16 | static_cast<std::uint16_t>(decay),
               static_cast<std::int32_t>(reset), refractory.value().steps | refractory.value().again};
  }

  /// A weight in nA as the integer that is added to the input, to nearest: with its sign, or with two time constants
  /// its magnitude.
  /// \errors weight_vanishes, weight_out_of_range; `where` is the receptor
  [[nodiscard]] static constexpr Result<std::int32_t> weight(const Parameters& parameters, Receptor receptor,
                                                             double magnitude_na) noexcept {
    const auto which = static_cast<std::uint32_t>(receptor);
    const double psp_per_na = parameters.psp_per_na[TimeConstants == 2 ? which : 0];
    const std::int64_t units = detail::to_fixed(psp_per_na * magnitude_na, parameters.unit_bits);
    if (magnitude_na < 0.0 || units < 0 || units > parameters.fan_in_limit)
      return Status{Error::weight_out_of_range, which, magnitude_na, "magnitude_na"};
    if (units == 0 && magnitude_na != 0.0) return Status{Error::weight_vanishes, which, magnitude_na, "magnitude_na"};
    return static_cast<std::int32_t>(TimeConstants == 2 || receptor == Receptor::excitatory ? units : -units);
  }

  /// The synaptic words of a neuron without input, before the step of `tick`; with a Table they are 0.
  [[nodiscard]] static constexpr std::array<Psp, psp_count> psp_at_rest(const Parameters& parameters,
                                                                        std::uint32_t tick = 0) noexcept {
    const std::int32_t wandering = packed ? origin(parameters, tick * golden_and_plastic) : 0;
    return {static_cast<Psp>(parameters.psp_at_rest + wandering)};
  }

  /// The word of a membrane at `v_mv`, below the threshold.
  /// \errors parameter_out_of_range: v_mv
  [[nodiscard]] static constexpr Result<std::int32_t> membrane(const Parameters& parameters, double v_mv) noexcept {
    const Result<std::int32_t> word = word_of(v_mv - parameters.v_threshold_mv, membrane_bits(parameters));
    if (!word) return Status{Error::parameter_out_of_range, 0, v_mv, "v_mv"};
    return word;
  }
  /// Millivolts of a neuron's membrane; one in its refractory period is at its reset potential, as in Lif. Its word
  /// lies far below: only the queue knows it from a neuron that integrates.
  /// \cost O(neurons in the queue)
  template <class ConstantsSource>
  [[nodiscard]] static constexpr double membrane_mv(const ConstantsSource& constants, const State& state,
                                                    std::size_t neuron) noexcept {
    const auto index = static_cast<std::uint32_t>(neuron);
    const bool waits = state.queue != nullptr && state.queue->holds(index);
    const std::int32_t word = waits ? reset_of(constants, index) : state.membrane[neuron];
    const Parameters& shared = shared_of(constants);
    const int bits =
        std::is_same_v<ConstantsSource, Parameters> ? membrane_bits(shared) : shared.unit_bits - table_shift;
    return word * power_of_two(-bits) + shared.v_threshold_mv;
  }

  /// Advances all neurons by one step.
  ///
  /// \param state      [count] words per member, in place; `queue` with room for [count]
  /// \param constants  Parameters, shared by all, or a Table (32-bit psp and one time constant only)
  /// \param input      [count] sums of weights by receptor, signed if there is one; set to zero, or only read where
  ///                   their type is const. They come from synapses as LifFanIn says. 32-bit psp and 16-bit elements:
  ///                   `input_limit` must be at least 32768, or 65535 where they are unsigned, then these are safe
  ///                   whatever they are. 16-bit psp: 16-bit
  ///                   elements, aligned to 4 bytes, of an even count
  /// \param tick       number of this step, one more each time
  /// \param spikes     [>= count] indices of the neurons that fired, ascending
  /// \errors buffer_full: spikes or queue: shorter than the population; lengths_differ: psp: of another length, of an
  ///         odd packed population or of more than 65536 neurons; constants: of another length; parameter_out_of_range:
  ///         input_limit: 16-bit input that could overflow; with NEUROMORPH_CHECKS also fan_in_too_large for an input or a psp that
  ///         breaks the promise of LifFanIn so that a word could wrap, `where` is the neuron
  template <class Target = target::Native, class ConstantsSource, class Element>
  static constexpr Result<StepCounts> step(const State& state, const ConstantsSource& constants,
                                           const std::array<Element*, receptors>& input, std::uint32_t tick,
                                           std::span<std::uint32_t> spikes) noexcept {
    static_assert(target::Backend<Target>, "neuromorph: Target is no backend; see docs/target.md");
    constexpr bool shared = std::is_same_v<ConstantsSource, Parameters>;
    static_assert(
        shared || (std::is_same_v<ConstantsSource, Table> && !packed && TimeConstants == 1),
        "neuromorph: CompactLif steps with Parameters or, with a 32-bit psp and one time constant, with a Table");
    static_assert(!packed || std::is_same_v<std::remove_const_t<Element>, std::int16_t>,
                  "neuromorph: CompactLif<std::int16_t> reads a ring buffer of std::int16_t; see docs/neurons.md");
    const std::size_t count = state.membrane.size();
    const Parameters& parameters = shared_of(constants);
    const std::size_t places = state.queue == nullptr ? 0 : state.queue->entries.size();
    if (spikes.size() < count || places < count)
      return spikes.size() < count ? Status{Error::buffer_full, 0, spikes.size(), "spikes"}
                                   : Status{Error::buffer_full, 0, places, "queue"};
    for (const auto& psp : state.psp)
      if (psp.size() != count || (packed && count % 2 != 0) || count > most_neurons)
        return Status{Error::lengths_differ, 0, psp.size(), "psp"};
    if constexpr (!shared) {
      if (constants.step.size() != count || constants.reset.size() != count || constants.refractory.size() != count)
        return Status{Error::lengths_differ, 1, constants.step.size(), "constants"};
    }
    if (sizeof(Element) == 2 && !packed && parameters.input_limit < most_of_16_bits<Element>)
      return Status{Error::parameter_out_of_range, 0, parameters.input_limit, "input_limit"};
    if constexpr (NEUROMORPH_CHECKS > 0)
      if (const Status status = within_limits(state, parameters, input); !status) return status;

    std::uint32_t* const end =
        advance<Target>(state, constants, prepare<shared>(parameters, tick), input, tick, spikes.data());
    return StepCounts{static_cast<std::uint32_t>(end - spikes.data()), 0};
  }

  /// Refused in words: constants that nobody looked at.
  template <class Target = target::Native, class Made, class Element>
  static constexpr Result<StepCounts> step(const State&, const Result<Made>&, const std::array<Element*, receptors>&,
                                           std::uint32_t, std::span<std::uint32_t>) noexcept {
    static_assert(detail::never<Made>, "neuromorph: the constants are a Result that nobody looked at: ask ok(), then "
                                       "pass value(); see docs/errors.md");
    return StepCounts{};
  }

  /// Shared constants as a step takes them.
  struct Factors {
    std::int32_t membrane;              // c
    std::int32_t psp;                   // f; in the 32-bit form in the upper half, above c
    std::int32_t offset;                // q
    std::int32_t inhibition = 0;        // g in the upper half, with two time constants
    std::int32_t inhibition_offset = 0; // r
  };
  /// The constants of one tick: for `advance`, where several populations share them.
  ///
  /// A product that is rounded to whole psp units loses the same each time while the psp is the same, which no dither
  /// of c, f and q mends. So the origin of the packed psp wanders over as many units as the loss takes to repeat.
  template <bool Shared = true>
  [[nodiscard]] static constexpr Factors prepare(const Parameters& parameters, std::uint32_t tick) noexcept {
    // Two sequences that are spread evenly over any run of ticks, from one product: the golden ratio in its upper half,
    // the plastic number in its lower.
    const std::uint32_t spread = tick * golden_and_plastic;
    Factors factors{};
    factors.membrane = (parameters.membrane_decay + static_cast<std::int32_t>(spread >> 16)) >> 16;
    if constexpr (TimeConstants == 2) {
      factors.inhibition = parameters.inhibition_factor + static_cast<std::int32_t>(spread >> 16);
      factors.inhibition_offset = (128 + static_cast<std::int32_t>((spread & 0xFFFF) >> 8)) >> 8;
    }
    if constexpr (packed) {
      const auto plastic = static_cast<std::int32_t>(spread & 0xFFFF);
      factors.psp = (parameters.psp_factor + (plastic >> 1)) >> 15;
      const std::int32_t decayed = (factors.psp * origin(parameters, spread)) >> 16;
      factors.offset =
          ((parameters.psp_offset + plastic) >> 16) - decayed + origin(parameters, spread + golden_and_plastic);
    } else {
      const std::int32_t psp = parameters.psp_factor + static_cast<std::int32_t>(spread >> 16);
      factors.psp = static_cast<std::int32_t>((static_cast<std::uint32_t>(psp) & 0xFFFF0000U) |
                                              (static_cast<std::uint32_t>(factors.membrane) & 0xFFFFU));
      factors.offset =
          ((Shared ? parameters.psp_offset : 128) + static_cast<std::int32_t>((spread & 0xFFFF) >> 8)) >> 8;
    }
    return factors;
  }

  /// As `step`, without its checks: for sizes that are known to be right. Returns the end of the spikes.
  template <class Target = target::Native, class ConstantsSource, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t*
  advance(const State& state, const ConstantsSource& constants, const Factors& factors,
          const std::array<Element*, receptors>& input, std::uint32_t tick, std::uint32_t* spikes) noexcept {
    constexpr bool shared = std::is_same_v<ConstantsSource, Parameters>;
    if (state.queue->is_due(tick)) [[unlikely]]
      release(state, constants, tick);
    Cursor<Element> cursor{state.membrane.data(), {}, input, nullptr};
    for (std::size_t which = 0; which < psp_count; ++which) cursor.psp[which] = state.psp[which].data();
    if constexpr (!shared) cursor.row = constants.step.data();
    std::uint32_t* const end = run<Target, shared>(cursor, state.membrane.size(), factors, spikes);
    if (spikes != end) [[unlikely]]
      for (; spikes != end; ++spikes) {
        if (std::is_constant_evaluated() || !has_loop<Target, shared, Element>())
          fire<false>(state, constants, tick, *spikes);
        else
          fire<true>(state, constants, tick, *spikes);
      }
    return end;
  }

private:
  /// The largest magnitude that a 16-bit element brings.
  template <class Element>
  static constexpr std::int32_t most_of_16_bits = std::is_signed_v<Element> ? 32768 : 65535;
  static constexpr std::uint32_t golden_and_plastic = 0x9E37C13FU;
  /// Where zero of a packed psp lies, of mean zero.
  [[nodiscard]] static constexpr std::int32_t origin(const Parameters& parameters, std::uint32_t spread) noexcept {
    return (parameters.psp_spread * (static_cast<std::int32_t>(spread >> 16) - 32768) + 32768) >> 16;
  }
  /// Where a neuron is put during its refractory period: as far below threshold as leaves room for inhibition.
  static constexpr std::int32_t down_word = -0x60000000;

  /// What a loop walks over.
  template <class Element>
  struct Cursor {
    static constexpr std::int32_t down = down_word;
    std::int32_t* membrane;
    std::array<Psp*, psp_count> psp;
    std::array<Element*, receptors> input;
    const std::uint32_t* row;
  };

  [[nodiscard]] static constexpr Result<Parameters> refuse(Error error, std::uint32_t member,
                                                           GivenValue value) noexcept {
    return detail::refuse_lif(error, member, value);
  }
  /// By products alone, which no compiler contracts.
  [[nodiscard]] static constexpr double power(double base, std::uint32_t exponent) noexcept {
    double result = 1.0;
    for (; exponent != 0; exponent >>= 1, base *= base)
      if ((exponent & 1) != 0) result *= base;
    return result;
  }
  [[nodiscard]] static constexpr double power_of_two(int exponent) noexcept {
    return exponent < 0 ? power(0.5, static_cast<std::uint32_t>(-exponent))
                        : power(2.0, static_cast<std::uint32_t>(exponent));
  }
  /// Whether this step can wrap no word: what LifFanIn promises, seen in the words.
  template <class Element>
  [[nodiscard]] static constexpr Status within_limits(const State& state, const Parameters& parameters,
                                                      const std::array<Element*, receptors>& input) noexcept {
    for (std::size_t which = 0; which < receptors; ++which)
      for (std::size_t neuron = 0; neuron < state.membrane.size(); ++neuron) {
        const std::int64_t arriving = input[which][neuron], psp = state.psp[which][neuron];
        const std::int64_t limit = parameters.psp_limit;
        const std::int64_t sum = packed ? arriving + psp : psp;
        const std::int64_t most = sizeof(Element) == 2 ? most_of_16_bits<Element> : parameters.fan_in_limit;
        if (sum > limit || sum < -limit || arriving > most || arriving < (TimeConstants == 2 ? 0 : -most))
          return {Error::fan_in_too_large, static_cast<std::uint32_t>(neuron), arriving};
      }
    return {};
  }
  [[nodiscard]] static constexpr std::uint32_t stay_of(const LifCell& cell, double dt_ms) noexcept {
    return static_cast<std::uint32_t>(detail::to_fixed(cell.tau_m_ms / dt_ms, 1)) / 4;
  }
  [[nodiscard]] static constexpr Result<RefractoryPeriod> period(const LifCell& cell, double dt_ms,
                                                                 std::uint32_t stay) noexcept {
    const auto steps = static_cast<std::uint32_t>(detail::to_fixed(cell.t_refract_ms / dt_ms, 0));
    const std::uint32_t again = steps == 0 ? 0 : (steps - 1) / stay;
    if (again > 0xFFFF) return detail::refuse_lif(Error::parameter_out_of_range, 8, cell.t_refract_ms);
    return RefractoryPeriod{steps - again * stay, again << 16};
  }
  [[nodiscard]] static constexpr int membrane_bits(const Parameters& parameters) noexcept {
    return parameters.unit_bits + (packed ? packed_shift : 0);
  }
  [[nodiscard]] static constexpr Result<std::int32_t> word_of(double mv, int bits) noexcept {
    const std::int64_t word = detail::to_fixed(mv, bits);
    if (word >= 0 || word <= -(std::int64_t{1} << 30)) return Status{Error::parameter_out_of_range, 0, mv, "mv"};
    return static_cast<std::int32_t>(word);
  }
  /// A raw LifMembrane in 2^-bits units, to nearest.
  [[nodiscard]] static constexpr std::int64_t scaled(std::int64_t value, int bits) noexcept {
    const int shift = bits - LifMembrane::fraction_bits;
    if (shift >= 0) return value * (std::int64_t{1} << shift);
    return ((value >> (-shift - 1)) + 1) >> 1;
  }
  [[nodiscard]] static constexpr const Parameters& shared_of(const Parameters& constants) noexcept { return constants; }
  [[nodiscard]] static constexpr const Parameters& shared_of(const Table& constants) noexcept {
    return constants.shared;
  }
  [[nodiscard]] static constexpr std::int32_t reset_of(const Parameters& constants, std::uint32_t) noexcept {
    return constants.reset;
  }
  [[nodiscard]] static constexpr std::int32_t reset_of(const Table& constants, std::uint32_t neuron) noexcept {
    return constants.reset[neuron];
  }
  [[nodiscard]] static constexpr const RefractoryPeriod& refractory_of(const Parameters& constants,
                                                                       std::uint32_t) noexcept {
    return constants.refractory;
  }
  [[nodiscard]] static constexpr RefractoryPeriod refractory_of(const Table& constants, std::uint32_t neuron) noexcept {
    return {constants.refractory[neuron] & 0xFFFFU, constants.refractory[neuron] & 0xFFFF0000U};
  }

  [[nodiscard]] static constexpr std::int32_t sum(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
  [[nodiscard]] static constexpr std::int32_t difference(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
  }
  template <class Target = target::Generic>
  [[nodiscard]] static constexpr std::int32_t product(std::int32_t accumulator, std::int32_t value,
                                                      std::int32_t factor) noexcept {
    return Target::multiply_add_high(accumulator, value, static_cast<std::int16_t>(factor));
  }
  template <class Target = target::Generic>
  [[nodiscard]] static constexpr std::int32_t coupled(std::int32_t membrane, std::int32_t psp,
                                                      const Factors& factors) noexcept {
    return sum(product<Target>(membrane, membrane, factors.membrane),
               static_cast<std::int32_t>(static_cast<std::uint32_t>(psp) << packed_shift));
  }

  /// Puts a neuron into the queue. Where a backend gave the address of its membrane, writes its index instead.
  template <bool Address, class ConstantsSource>
  [[gnu::noinline]] static constexpr void fire(const State& state, const ConstantsSource& constants, std::uint32_t tick,
                                               std::uint32_t& spike) noexcept {
    std::uint32_t neuron = spike;
    if constexpr (Address) {
      neuron -= static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(state.membrane.data()));
      spike = neuron /= 4;
    }
    const RefractoryPeriod& period = refractory_of(constants, neuron);
    if (period.steps != 0) [[likely]]
      state.queue->insert(tick + 1 + period.steps, neuron | period.again);
    else
      state.membrane[neuron] = reset_of(constants, neuron);
  }
  template <class ConstantsSource>
  [[gnu::noinline]] static constexpr void release(const State& state, const ConstantsSource& constants,
                                                  std::uint32_t tick) noexcept {
    RefractoryQueue& queue = *state.queue;
    if (queue.count == 0) return queue.look(tick); // only at the first step, or after 2^30 without a spike
    do {
      const std::uint32_t neuron = queue.entries[queue.first].neuron;
      if (neuron > 0xFFFF) [[unlikely]]
        return put_down_again(state, constants, tick);
      state.membrane[neuron] = reset_of(constants, neuron);
      queue.take(tick);
    } while (queue.is_due(tick));
  }
  template <class ConstantsSource>
  [[gnu::noinline]] static constexpr void put_down_again(const State& state, const ConstantsSource& constants,
                                                         std::uint32_t tick) noexcept {
    RefractoryQueue& queue = *state.queue;
    const RefractoryQueue::Entry entry = queue.entries[queue.first];
    state.membrane[entry.neuron & 0xFFFF] = down_word;
    queue.take(tick);
    queue.insert(entry.due + shared_of(constants).stay, entry.neuron - (1U << 16));
    if (queue.is_due(tick)) release(state, constants, tick);
  }

  /// Which loop a backend is asked for.
  /// \tparam Groups  1: 32 neurons, 2: a multiple, 0: any number
  template <bool Shared, class Element, int Groups>
  struct Loop {
    static constexpr bool packed = CompactLif::packed;
    static constexpr bool two = TimeConstants == 2;
    static constexpr bool by_neuron = !Shared;
    static constexpr bool clear = !std::is_const_v<Element>; ///< leave zeros in the input
    static constexpr int input_size = sizeof(Element);
    static constexpr int groups = Groups;
    static constexpr int shift = 0; ///< of the coupling of a psp that is held; of this one nothing is
    static constexpr std::int32_t down = down_word;
    /// What a loop needs besides: packed c, by neuron the bytes from a membrane to its row.
    [[nodiscard]] static std::int32_t third(const Cursor<Element>& cursor, const Factors& factors) noexcept {
      if constexpr (packed)
        return factors.membrane;
      else
        return static_cast<std::int32_t>(reinterpret_cast<std::uintptr_t>(cursor.row) -
                                         reinterpret_cast<std::uintptr_t>(cursor.membrane));
    }
  };
  template <class Target, bool Shared, class Element>
  [[nodiscard]] static consteval bool has_loop() {
    constexpr bool is_callable = requires(Cursor<Element> cursor, std::int32_t * end, std::uint32_t * spikes) {
      Target::template compact_lif<Loop<Shared, Element, 0>>(cursor, end, Factors{}, spikes);
    };
    return detail::has_loop<Target, offer::CompactLif, is_callable>();
  }

  /// All `count` neurons: puts down those that fire and lists them, a backend's loop by the addresses of their
  /// membranes; returns the end of the list.
  template <class Target, bool Shared, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t* run(const Cursor<Element>& cursor, std::size_t count,
                                                             const Factors& factors, std::uint32_t* spikes) noexcept {
    if constexpr (has_loop<Target, Shared, Element>()) {
      if (!std::is_constant_evaluated()) {
        if (count == 0) return spikes;
        std::int32_t* const end = cursor.membrane + count;
        if (__builtin_constant_p(count) && count == 32)
          return Target::template compact_lif<Loop<Shared, Element, 1>>(cursor, end, factors, spikes);
        if (__builtin_constant_p(count) && count % 32 == 0)
          return Target::template compact_lif<Loop<Shared, Element, 2>>(cursor, end, factors, spikes);
        return Target::template compact_lif<Loop<Shared, Element, 0>>(cursor, end, factors, spikes);
      }
    }
    if constexpr (packed)
      return run_packed<Target>(cursor, count, factors, spikes);
    else
      return run_words<Target, Shared>(cursor, count, factors, spikes);
  }

  template <class Target, bool Shared, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t*
  run_words(Cursor<Element> cursor, std::size_t count, const Factors& factors, std::uint32_t* spikes) noexcept {
    const Factors own{factors.membrane, factors.psp >> 16, factors.offset, factors.inhibition >> 16,
                      factors.inhibition_offset}; // not to be read again after each store
    const std::int32_t* const first = cursor.membrane;
    for (std::int32_t* const end = cursor.membrane + count / 8 * 8; cursor.membrane != end;) {
      spikes = run_group<Target, Shared, 4>(cursor, first, own, spikes);
      spikes = run_group<Target, Shared, 4>(cursor, first, own, spikes);
    }
    for (std::int32_t* const end = cursor.membrane + count % 8; cursor.membrane != end;)
      spikes = run_group<Target, Shared, 1>(cursor, first, own, spikes);
    return spikes;
  }

  /// Some neurons at once, all loads before any store and one test for all: what a compiler cannot do to a loop that
  /// might write what it reads next.
  template <class Target, bool Shared, std::size_t Group, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t*
  run_group(Cursor<Element>& cursor, const std::int32_t* first, const Factors factors, std::uint32_t* spikes) noexcept {
    std::array<std::int32_t, Group> next{};
    std::array<std::array<std::int32_t, Group>, psp_count> next_psp{};
    std::int32_t all = -1;
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < Group; ++lane) {
      const std::int32_t before = cursor.membrane[lane], drive = cursor.psp[0][lane], arriving = cursor.input[0][lane];
      const std::int32_t decayed = product<Target>(factors.offset, drive, factors.psp);
      if constexpr (Shared) {
        next[lane] = sum(before, product<Target>(drive, before, factors.membrane));
      } else {
        const auto own = static_cast<std::int32_t>(cursor.row[lane]);
        next[lane] = sum(sum(before, own >> 16), product<Target>(drive, before, own) >> table_shift);
      }
      next_psp[0][lane] = sum(arriving, static_cast<std::int32_t>(static_cast<std::uint32_t>(decayed) << 1));
      if constexpr (TimeConstants == 2) {
        const std::int32_t inhibition = cursor.psp[1][lane];
        next[lane] = difference(next[lane], inhibition);
        const std::int32_t kept = product<Target>(factors.inhibition_offset, inhibition, factors.inhibition);
        next_psp[1][lane] =
            sum(cursor.input[1][lane], static_cast<std::int32_t>(static_cast<std::uint32_t>(kept) << 1));
      }
      all &= next[lane];
    }
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < Group; ++lane) {
      for (std::size_t which = 0; which < psp_count; ++which) {
        cursor.psp[which][lane] = next_psp[which][lane];
        if constexpr (!std::is_const_v<Element>) cursor.input[which][lane] = 0;
      }
      cursor.membrane[lane] = next[lane];
    }
    if (all >= 0) [[unlikely]] {
      for (std::size_t lane = 0; lane < Group; ++lane)
        if (cursor.membrane[lane] >= 0) {
          *spikes++ = static_cast<std::uint32_t>(cursor.membrane + lane - first);
          cursor.membrane[lane] = down_word;
        }
    }
    cursor.membrane += Group;
    for (std::size_t which = 0; which < psp_count; ++which) cursor.psp[which] += Group, cursor.input[which] += Group;
    if constexpr (!Shared) cursor.row += Group;
    return spikes;
  }

  template <class Target, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t*
  run_packed(const Cursor<Element>& cursor, std::size_t count, const Factors& factors, std::uint32_t* spikes) noexcept {
    Psp* const psp = cursor.psp[0];
    Element* const input = cursor.input[0];
    for (std::size_t neuron = 0; neuron < count; neuron += 2) {
      // The pairs are added as one word: a carry out of the first is a unit of the second.
      const std::uint32_t pair = word(psp[neuron], psp[neuron + 1]) + word(input[neuron], input[neuron + 1]);
      for (std::size_t half = 0; half < 2; ++half) {
        const std::int32_t next_psp =
            product<Target>(factors.offset, factors.psp, static_cast<std::int32_t>(pair >> (16 * half)));
        std::int32_t next = coupled<Target>(cursor.membrane[neuron + half], next_psp, factors);
        if (next >= 0) [[unlikely]] {
          *spikes++ = static_cast<std::uint32_t>(neuron + half);
          next = down_word;
        }
        psp[neuron + half] = static_cast<Psp>(next_psp);
        cursor.membrane[neuron + half] = next;
        if constexpr (!std::is_const_v<Element>) input[neuron + half] = 0;
      }
    }
    return spikes;
  }
  [[nodiscard]] static constexpr std::uint32_t word(std::int16_t low, std::int16_t high) noexcept {
    return static_cast<std::uint32_t>(static_cast<std::uint16_t>(high)) << 16 | static_cast<std::uint16_t>(low);
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
