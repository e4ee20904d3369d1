// SPDX-License-Identifier: BSL-1.0
/// \file
/// Leaky integrate-and-fire neurons for cores that count cycles: one synaptic time constant, one signed input, nine
/// cycles a neuron on ARM968E-S, and no test for overflow because none can happen.
///
/// Same cells and same exact integration as Lif. What differs is the arrangement: constant drive is folded into the
/// synaptic word, whose decay adds it for nothing; a neuron in its refractory period lies far below threshold and
/// stands in a queue, so that a step has nothing to test but the sign of the new membrane.
#ifndef NEUROMORPH_KERNELS_COMPACT_LIF_HPP
#define NEUROMORPH_KERNELS_COMPACT_LIF_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/lif.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Neurons in their refractory period, the one that is first to leave it first. One entry per neuron is always enough.
struct RefractoryQueue {
  struct Entry {
    std::uint32_t due;    ///< tick at whose beginning the neuron is reset, or put down again
    std::uint16_t neuron; ///< index in the population
    std::uint16_t again;  ///< how often it is put down again before
  };
  std::span<Entry> entries;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t next_due = 0; ///< of the first entry; of no meaning while there is none
  std::uint32_t last_due = 0; ///< of the last one

  constexpr void insert(std::uint32_t due, std::uint32_t neuron, std::uint32_t again) noexcept {
    // Periods of one length arrive in order.
    if (count != 0 && is_before(due, last_due)) [[unlikely]]
      return insert_before({due, static_cast<std::uint16_t>(neuron), static_cast<std::uint16_t>(again)});
    Entry& entry = entries[wrapped(first + count)];
    entry.due = due;
    entry.neuron = static_cast<std::uint16_t>(neuron);
    entry.again = static_cast<std::uint16_t>(again);
    if (count++ == 0) next_due = due;
    last_due = due;
  }
  constexpr const Entry& take() noexcept {
    const Entry& taken = entries[first];
    first = wrapped(first + 1);
    // far enough away that an empty queue is looked at once in 2^30 steps
    next_due = --count != 0 ? entries[first].due : taken.due + (1U << 30);
    return taken;
  }
  /// Ticks wrap at 2^32.
  [[nodiscard]] static constexpr bool is_before(std::uint32_t tick, std::uint32_t other) noexcept {
    return static_cast<std::int32_t>(tick - other) < 0;
  }

private:
  /// A shorter period than those before it, which it passes.
  [[gnu::noinline]] constexpr void insert_before(const Entry& entry) noexcept {
    std::uint32_t place = wrapped(first + count++);
    while (place != first) {
      const std::uint32_t before = place == 0 ? static_cast<std::uint32_t>(entries.size()) - 1 : place - 1;
      if (!is_before(entry.due, entries[before].due)) break;
      entries[place] = entries[before];
      place = before;
    }
    entries[place] = entry;
    next_due = entries[first].due;
  }
  [[nodiscard]] constexpr std::uint32_t wrapped(std::uint32_t place) const noexcept {
    return place < entries.size() ? place : place - static_cast<std::uint32_t>(entries.size());
  }
};

/// \tparam Psp  of the synaptic state: std::int32_t, or std::int16_t for two neurons per word
///
/// A step is, u being the membrane word, P the synaptic word, x the input (all differences and sums exact):
///
///     32 bits, shared constants:     u' = u + P + floor(u c / 2^16)            P' = x + 2 (q + floor(P f / 2^16))
///     32 bits, constants by neuron:  u' = u + d + floor((P + floor(u c / 2^16)) / 8)      P' the same, q without drift
///     16 bits, shared constants:     u' = u + 2^7 P' + floor(u c / 2^16)       P' = q + floor((P + x) f / 2^16)
///
/// c, f and q of shared constants are dithered per tick, as in Lif. With 32 bits input acts as in Lif: a spike at tick
/// n with a delay of d steps from t = (n + d) h on. With 16 bits it acts from the beginning of the step that reads it,
/// one step earlier.
///
/// \exact  bit-exact with target::Generic on every backend
/// \cost   ARM968E-S, cycles per neuron at 10 Hz, 32 a call: benchmarks cycles/arm968/lif
/// \source as Lif; the order of the operations of the 16-bit form is that of the paper's assembler
template <class Psp = std::int32_t>
class CompactLif {
  static_assert(std::is_same_v<Psp, std::int32_t> || std::is_same_v<Psp, std::int16_t>,
                "neuromorph: CompactLif's Psp is std::int32_t or std::int16_t; see docs/neurons.md");
  static constexpr bool packed = std::is_same_v<Psp, std::int16_t>;

public:
  using PspWord = Psp;
  static constexpr std::size_t psp_count = 1;
  static constexpr std::size_t receptors = 1; ///< one signed input: inhibitory weights are negative
  static constexpr int packed_shift = 7;      ///< a 16-bit psp unit is 2^7 membrane units
  static constexpr int table_shift = 3;       ///< with a Table a membrane unit is 2^3 psp units

  struct Parameters {
    std::int32_t membrane_decay = 0; ///< (exp(-dt/tau_m) - 1) * 2^32
    std::int32_t psp_factor = 0;     ///< exp(-dt/tau_syn) * 2^31
    std::int32_t psp_offset = 0;     ///< q, with 8 fraction bits
    std::int32_t reset = 0;          ///< membrane word, below zero
    std::int32_t psp_at_rest = 0;    ///< what a psp without input comes to: the constant drive
    std::int32_t drift = 0;          ///< the same for a Table, in its membrane units
    std::uint32_t refractory = 0;    ///< steps
    std::uint32_t stay = 0;          ///< steps that a neuron stays below threshold by itself when put down
    std::int32_t input_limit = 0;    ///< inputs of this magnitude at every step for ever cannot make a word overflow
    int unit_bits = 0;               ///< a psp unit is 2^-unit_bits mV per step
    double v_threshold_mv = 0.0;
    double psp_per_na = 0.0; ///< mV per step and nA
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

  /// Views of a population's words, all of the same length. Membrane and psp are aligned to 4 bytes.
  struct State {
    std::span<std::int32_t> membrane;
    std::span<Psp> psp;
    RefractoryQueue& queue;
  };

  /// As Lif::parameters. tau_exc and tau_inh are one; time constants are at least 4 steps; `weights.bits` is of
  /// magnitudes: 16-bit input holds 15. \errors as Lif::parameters, where 13 is `input_limit`
  [[nodiscard]] static constexpr Result<Parameters> parameters(const LifCell& cell, double dt_ms,
                                                               const LifWeightRange& weights = {}) noexcept {
    const auto exact = Lif<1, rounding::Nearest>::parameters(cell, dt_ms, weights);
    if (!exact) return {{}, exact.status};
    const auto& constants = exact.value.constants;
    // a quarter: 0.2212 * 2^32; 2^17 keeps the factor of 15 bits below one
    constexpr std::int32_t shortest = -950'071'000, longest = -(1 << 17);
    if (constants.membrane_decay < shortest) return refuse(Error::parameter_out_of_range, 0, cell.tau_m_ms);
    if (constants.psp_decay[0] < shortest) return refuse(Error::parameter_out_of_range, 1, cell.tau_exc_ms);
    if (constants.membrane_decay > longest) return refuse(Error::time_constant_too_long, 0, cell.tau_m_ms);
    if (constants.psp_decay[0] > longest) return refuse(Error::time_constant_too_long, 1, cell.tau_exc_ms);

    Parameters result;
    result.membrane_decay = constants.membrane_decay;
    result.psp_factor = static_cast<std::int32_t>((std::int64_t{1} << 31) + (constants.psp_decay[0] >> 1));
    result.v_threshold_mv = cell.v_threshold_mv;
    result.refractory = static_cast<std::uint32_t>(detail::to_fixed(cell.t_refract_ms / dt_ms, 0));
    result.stay = static_cast<std::uint32_t>(detail::to_fixed(cell.tau_m_ms / dt_ms, 1)) / 4;
    // The packed form couples a psp after its decay.
    result.psp_per_na = exact.value.psp_per_na[0];
    if (packed) result.psp_per_na = result.psp_per_na * 2147483648.0 / static_cast<double>(result.psp_factor);

    const double largest_na =
        weights.excitatory_na > weights.inhibitory_na ? weights.excitatory_na : weights.inhibitory_na;
    const unsigned bits = weights.bits < 24 ? weights.bits : 24;
    const double membrane_share = -static_cast<double>(result.membrane_decay) / 4294967296.0;
    const double psp_share = -static_cast<double>(constants.psp_decay[0]) / 4294967296.0;
    // The finest unit in which the largest weight, the potentials and everything that can come of them fit.
    for (result.unit_bits = 40; result.unit_bits >= -8; --result.unit_bits) {
      const std::int64_t largest = detail::to_fixed(result.psp_per_na * largest_na, result.unit_bits);
      if (largest >= std::int64_t{1} << bits) continue;
      const std::int64_t drive = scaled(constants.drift, result.unit_bits);
      const std::int64_t reset = detail::to_fixed(cell.v_reset_mv - cell.v_threshold_mv, membrane_bits(result));
      constexpr std::int64_t half = std::int64_t{1} << 29;
      if (reset <= -half || drive >= half || drive <= -half) continue;
      const double offset = static_cast<double>(drive < 0 ? -drive : drive);
      // What the membrane can take, as a psp that stays; in the packed form also what 16 bits hold.
      const double room = 0.98 * 2147483648.0 / (packed ? 128.0 : 1.0) * membrane_share;
      const double most = packed && room > 32767.0 ? 32767.0 : room;
      if (packed && room < 32768.0) return refuse(Error::time_constant_too_long, 0, cell.tau_m_ms);
      const std::int64_t limit = detail::to_fixed((most - offset) * psp_share, 0) - 2;
      if (limit < largest * (packed ? 4 : 1)) continue;
      result.input_limit = limit > INT32_MAX ? INT32_MAX : static_cast<std::int32_t>(limit);
      result.reset = static_cast<std::int32_t>(reset);
      // Half a unit that each floor loses comes back with the drive.
      result.psp_at_rest = static_cast<std::int32_t>(drive);
      const std::int64_t rest_q8 = scaled(constants.drift, result.unit_bits + 8) + (packed ? 1 : 128);
      const std::int64_t gain = -std::int64_t{constants.psp_decay[0]};
      const std::int64_t product = (rest_q8 >> 16) * gain + (((rest_q8 & 0xFFFF) * gain) >> 16); // 2^16 times
      result.psp_offset = static_cast<std::int32_t>(((product >> (packed ? 16 : 17)) + 128));
      result.drift = static_cast<std::int32_t>((scaled(constants.drift, result.unit_bits - table_shift + 1) + 1) >> 1);
      return {result, {}};
    }
    return refuse(Error::weight_out_of_range, 13, largest_na);
  }

  /// A neuron's row of a Table. `own` is computed with the same time step, weights and synaptic time constant as
  /// `shared`, whose units it takes. \errors parameter_out_of_range: 0 tau_m below 16 steps, 5 too much drive for 16
  /// bits, 6 a reset too far from the threshold
  [[nodiscard]] static constexpr Result<Row> row(const Parameters& shared, const LifCell& cell, double dt_ms) noexcept
      requires(!packed) {
    const auto exact = Lif<1, rounding::Nearest>::parameters(cell, dt_ms);
    if (!exact) return {{}, exact.status};
    const auto& constants = exact.value.constants;
    const std::int64_t decay = ((std::int64_t{constants.membrane_decay} >> (15 - table_shift)) + 1) >> 1;
    if (decay < INT16_MIN) return {{}, {Error::parameter_out_of_range, 0, decay}};
    const std::int64_t drift = ((scaled(constants.drift, shared.unit_bits - table_shift + 1) + 1) >> 1);
    if (drift < INT16_MIN || drift > INT16_MAX) return {{}, {Error::parameter_out_of_range, 5, drift}};
    const std::int64_t reset = detail::to_fixed(cell.v_reset_mv - cell.v_threshold_mv, shared.unit_bits - table_shift);
    if (reset <= -(std::int64_t{1} << 29)) return {{}, {Error::parameter_out_of_range, 6, reset}};
    return {{static_cast<std::uint32_t>(drift) << 16 | static_cast<std::uint16_t>(decay),
             static_cast<std::int32_t>(reset),
             static_cast<std::uint32_t>(detail::to_fixed(cell.t_refract_ms / dt_ms, 0))},
            {}};
  }

  /// A weight in nA as the signed integer that is added to the input, to nearest.
  /// \errors weight_vanishes, weight_out_of_range; `where` is the receptor
  [[nodiscard]] static constexpr Result<std::int32_t> weight(const Parameters& parameters, Receptor receptor,
                                                             double magnitude_na) noexcept {
    const auto which = static_cast<std::uint32_t>(receptor);
    const std::int64_t units = detail::to_fixed(parameters.psp_per_na * magnitude_na, parameters.unit_bits);
    if (units < 0 || units > parameters.input_limit) return {0, {Error::weight_out_of_range, which, units}};
    if (units == 0 && magnitude_na != 0.0) return {0, {Error::weight_vanishes, which, 0}};
    return {static_cast<std::int32_t>(receptor == Receptor::excitatory ? units : -units), {}};
  }

  /// The word of a membrane at `v_mv`, below the threshold.
  [[nodiscard]] static constexpr Result<std::int32_t> membrane(const Parameters& parameters, double v_mv) noexcept {
    return word_of(v_mv - parameters.v_threshold_mv, membrane_bits(parameters));
  }
  /// Millivolts of a membrane word. A neuron in its refractory period is parked far below its range.
  [[nodiscard]] static constexpr double membrane_mv(const Parameters& parameters, std::int32_t word) noexcept {
    double value = static_cast<double>(word);
    for (int bit = membrane_bits(parameters); bit > 0; --bit) value /= 2;
    for (int bit = membrane_bits(parameters); bit < 0; ++bit) value *= 2;
    return value + parameters.v_threshold_mv;
  }

  /// Advances all neurons by one step.
  ///
  /// \param state      [count] words per member, in place; `queue` with room for [count]
  /// \param constants  Parameters, shared by all, or a Table (32-bit psp only)
  /// \param input      [count] signed sums of weights, each at most `input_limit` in magnitude; 16-bit elements of the
  ///                   32-bit form are always, if `input_limit` is at least 32768, which is checked. Only read. 16-bit
  ///                   psp takes 16-bit input, both aligned to 4 bytes, and an even count.
  /// \param tick       number of this step, one more each time
  /// \param spikes     [>= count] indices of the neurons that fired, ascending
  /// \errors buffer_full if `spikes` or the queue is shorter than the population, index_out_of_range if other lengths
  ///         differ, parameter_out_of_range (13) for 16-bit input that could overflow; with NEUROMORPH_CHECKS also
  ///         weight_out_of_range for an input beyond the limit, `where` is the neuron
  template <class Target = target::Native, class ConstantsSource, class Element>
  static constexpr Result<StepCounts> step(const State& state, const ConstantsSource& constants, const Element* input,
                                           std::uint32_t tick, std::span<std::uint32_t> spikes) noexcept {
    static_assert(target::Backend<Target>, "neuromorph: Target is no backend; see docs/target.md");
    constexpr bool shared = std::is_same_v<ConstantsSource, Parameters>;
    static_assert(shared || (std::is_same_v<ConstantsSource, Table> && !packed),
                  "neuromorph: CompactLif steps with Parameters or, with a 32-bit psp, with a Table");
    static_assert(!packed || sizeof(Element) == 2, "neuromorph: CompactLif<std::int16_t> takes std::int16_t input");
    const std::size_t count = state.membrane.size();
    const Parameters& parameters = shared_of(constants);
    if (spikes.size() < count || state.queue.entries.size() < count)
      return {{}, {Error::buffer_full, 0, static_cast<std::int64_t>(spikes.size())}};
    if (state.psp.size() != count || (packed && count % 2 != 0))
      return {{}, {Error::index_out_of_range, 0, static_cast<std::int64_t>(state.psp.size())}};
    if constexpr (!shared) {
      if (constants.step.size() != count || constants.reset.size() != count || constants.refractory.size() != count)
        return {{}, {Error::index_out_of_range, 1, static_cast<std::int64_t>(constants.step.size())}};
    }
    if (sizeof(Element) == 2 && !packed && parameters.input_limit < 32768)
      return {{}, {Error::parameter_out_of_range, 13, parameters.input_limit}};
    if (NEUROMORPH_CHECKS > 0 && (packed || sizeof(Element) != 2)) {
      for (std::size_t neuron = 0; neuron < count; ++neuron)
        if (input[neuron] > parameters.input_limit || input[neuron] < -parameters.input_limit)
          return {{}, {Error::weight_out_of_range, static_cast<std::uint32_t>(neuron), input[neuron]}};
    }

    std::uint32_t* const end =
        advance<Target>(state, constants, prepare<shared>(parameters, tick), input, tick, spikes.data());
    return {{static_cast<std::uint32_t>(end - spikes.data()), 0}, {}};
  }

  /// Shared constants as a step takes them.
  struct Factors {
    std::int32_t membrane; // c
    std::int32_t psp;      // f; in the 32-bit form in the upper half, with what the dither left below
    std::int32_t offset;   // q
  };
  /// The constants of one tick: for `advance`, where several populations share them.
  template <bool Shared = true>
  [[nodiscard]] static constexpr Factors prepare(const Parameters& parameters, std::uint32_t tick) noexcept {
    // Two sequences that are spread evenly over any run of ticks, from one product: the golden ratio in its upper half,
    // the plastic number in its lower.
    const std::uint32_t spread = tick * 0x9E37C13FU;
    Factors factors{};
    factors.membrane = (parameters.membrane_decay + static_cast<std::int32_t>(spread >> 16)) >> 16;
    if constexpr (packed)
      factors.psp = (parameters.psp_factor + static_cast<std::int32_t>(spread >> 16)) >> 15;
    else
      factors.psp = parameters.psp_factor + static_cast<std::int32_t>(spread >> 16);
    factors.offset = ((Shared ? parameters.psp_offset : 128) + static_cast<std::int32_t>((spread & 0xFFFF) >> 8)) >> 8;
    return factors;
  }

  /// As `step`, without its checks: for sizes that are known to be right. Returns the end of the spikes.
  template <class Target = target::Native, class ConstantsSource, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t* advance(const State& state, const ConstantsSource& constants,
                                                                 const Factors& factors, const Element* input,
                                                                 std::uint32_t tick, std::uint32_t* spikes) noexcept {
    constexpr bool shared = std::is_same_v<ConstantsSource, Parameters>;
    if (!RefractoryQueue::is_before(tick, state.queue.next_due)) [[unlikely]]
      release(state, constants, tick);
    Cursor<Element> cursor{state.membrane.data(), state.psp.data(), input, nullptr};
    if constexpr (!shared) cursor.row = constants.step.data();
    std::uint32_t* const end = run<Target, shared>(cursor, state.membrane.size(), factors, spikes);
    if (end != spikes) [[unlikely]] {
      const std::span<std::uint32_t> fired{spikes, static_cast<std::size_t>(end - spikes)};
      if (std::is_constant_evaluated() || !has_loop<Target, shared, Element>)
        fire<false>(state, constants, tick, fired);
      else
        fire<true>(state, constants, tick, fired);
    }
    return end;
  }

private:
  /// Where a neuron is put during its refractory period: as far below threshold as leaves room for inhibition.
  static constexpr std::int32_t down_word = -0x60000000;

  /// What a loop walks over.
  template <class Element>
  struct Cursor {
    static constexpr std::int32_t down = down_word;
    std::int32_t* membrane;
    Psp* psp;
    const Element* input;
    const std::uint32_t* row;
  };

  [[nodiscard]] static constexpr Result<Parameters> refuse(Error error, std::uint32_t where, double value) noexcept {
    return {{}, {error, where, detail::to_fixed(value, 0)}};
  }
  [[nodiscard]] static constexpr int membrane_bits(const Parameters& parameters) noexcept {
    return parameters.unit_bits + (packed ? packed_shift : 0);
  }
  [[nodiscard]] static constexpr Result<std::int32_t> word_of(double mv, int bits) noexcept {
    const std::int64_t word = detail::to_fixed(mv, bits);
    if (word >= 0 || word <= -(std::int64_t{1} << 30)) return {0, {Error::parameter_out_of_range, 0, word}};
    return {static_cast<std::int32_t>(word), {}};
  }
  /// 2^-22 units in 2^-bits units, to nearest.
  [[nodiscard]] static constexpr std::int64_t scaled(std::int64_t value, int bits) noexcept {
    if (bits >= 22) return value * (std::int64_t{1} << (bits - 22));
    return ((value >> (21 - bits)) + 1) >> 1;
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
  [[nodiscard]] static constexpr std::uint32_t refractory_of(const Parameters& constants, std::uint32_t) noexcept {
    return constants.refractory;
  }
  [[nodiscard]] static constexpr std::uint32_t refractory_of(const Table& constants, std::uint32_t neuron) noexcept {
    return constants.refractory[neuron];
  }

  [[nodiscard]] static constexpr std::int32_t sum(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
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

  /// Puts the neurons in the list into the queue. Where a backend listed the addresses of their membranes, writes their
  /// indices instead.
  template <bool Addresses, class ConstantsSource>
  [[gnu::noinline]] static constexpr void fire(const State& state, const ConstantsSource& constants, std::uint32_t tick,
                                               std::span<std::uint32_t> fired) noexcept {
    for (std::uint32_t& spike : fired) {
      if constexpr (Addresses) {
        spike -= static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(state.membrane.data()));
        spike /= 4;
      }
      const std::uint32_t neuron = spike;
      std::uint32_t steps = refractory_of(constants, neuron);
      if (steps == 0) [[unlikely]] {
        state.membrane[neuron] = reset_of(constants, neuron);
        continue;
      }
      std::uint32_t again = 0;
      for (const std::uint32_t stay = shared_of(constants).stay; steps > stay; steps -= stay) [[unlikely]]++ again;
      state.queue.insert(tick + 1 + steps, neuron, again);
    }
  }
  template <class ConstantsSource>
  [[gnu::noinline]] static constexpr void release(const State& state, const ConstantsSource& constants,
                                                  std::uint32_t tick) noexcept {
    RefractoryQueue& queue = state.queue;
    if (queue.count == 0) queue.next_due = tick + (1U << 30); // only at the first step, or after 2^30 without a spike
    while (!RefractoryQueue::is_before(tick, queue.next_due)) {
      const RefractoryQueue::Entry& entry = queue.take();
      if (entry.again == 0) [[likely]]
        state.membrane[entry.neuron] = reset_of(constants, entry.neuron);
      else
        put_down_again(state, entry, shared_of(constants).stay);
    }
  }
  [[gnu::noinline]] static constexpr void put_down_again(const State& state, const RefractoryQueue::Entry entry,
                                                         std::uint32_t stay) noexcept {
    state.membrane[entry.neuron] = down_word;
    state.queue.insert(entry.due + stay, entry.neuron, entry.again - 1U);
  }

  /// Whether a backend has a loop of its own.
  template <class Target, bool Shared, class Element>
  static constexpr bool has_loop = [](auto cursor) {
    std::int32_t* const end = nullptr;
    std::uint32_t* const spikes = nullptr;
    if constexpr (packed) return requires {
        Target::template compact_lif_packed<0>(cursor, end, Factors{}, spikes);
      };
    else if constexpr (Shared)
      return requires { Target::template compact_lif_shared<0>(cursor, end, Factors{}, spikes); };
    else
      return requires { Target::template compact_lif_rows<0>(cursor, end, Factors{}, spikes); };
  }(Cursor<Element>{});

  /// All `count` neurons: puts down those that fire and lists them; returns the end of the list.
  template <class Target, bool Shared, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t* run(const Cursor<Element>& cursor, std::size_t count,
                                                             const Factors& factors, std::uint32_t* spikes) noexcept {
    if constexpr (has_loop<Target, Shared, Element>) {
      if (!std::is_constant_evaluated())
        return in_backend(
            cursor, count, factors, spikes, [](auto groups, auto... arguments) __attribute__((always_inline)) {
              constexpr int known = decltype(groups)::value;
              if constexpr (packed)
                return Target::template compact_lif_packed<known>(arguments...);
              else if constexpr (Shared)
                return Target::template compact_lif_shared<known>(arguments...);
              else
                return Target::template compact_lif_rows<known>(arguments...);
            });
    }
    if constexpr (packed)
      return run_packed<Target>(cursor, count, factors, spikes);
    else
      return run_words<Target, Shared>(cursor, count, factors, spikes);
  }

  /// A backend's loop lists addresses of membrane words. It is told whether the count is known to be one group of 32
  /// neurons (1) or several (2).
  template <class Element, class Loop>
  [[gnu::always_inline]] static inline std::uint32_t* in_backend(const Cursor<Element>& cursor, std::size_t count,
                                                                 const Factors& factors, std::uint32_t* spikes,
                                                                 Loop loop) noexcept {
    if (count == 0) return spikes;
    std::int32_t* const last = cursor.membrane + count;
    using std::integral_constant;
    if (__builtin_constant_p(count) && count == 32)
      return loop(integral_constant<int, 1>{}, cursor, last, factors, spikes);
    if (__builtin_constant_p(count) && count % 32 == 0)
      return loop(integral_constant<int, 2>{}, cursor, last, factors, spikes);
    return loop(integral_constant<int, 0>{}, cursor, last, factors, spikes);
  }

  template <class Target, bool Shared, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t*
  run_words(Cursor<Element> cursor, std::size_t count, const Factors& factors, std::uint32_t* spikes) noexcept {
    const Factors own{factors.membrane, factors.psp >> 16, factors.offset}; // not to be read again after each store
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
    std::array<std::int32_t, Group> next{}, next_psp{};
    std::int32_t all = -1;
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < Group; ++lane) {
      const std::int32_t before = cursor.membrane[lane], drive = cursor.psp[lane], arriving = cursor.input[lane];
      const std::int32_t decayed = product<Target>(factors.offset, drive, factors.psp);
      if constexpr (Shared) {
        next[lane] = sum(before, product<Target>(drive, before, factors.membrane));
      } else {
        const auto own = static_cast<std::int32_t>(cursor.row[lane]);
        next[lane] = sum(sum(before, own >> 16), product<Target>(drive, before, own) >> table_shift);
      }
      next_psp[lane] = sum(arriving, static_cast<std::int32_t>(static_cast<std::uint32_t>(decayed) << 1));
      all &= next[lane];
    }
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < Group; ++lane) {
      cursor.psp[lane] = next_psp[lane];
      cursor.membrane[lane] = next[lane];
    }
    if (all >= 0) [[unlikely]] {
      for (std::size_t lane = 0; lane < Group; ++lane)
        if (cursor.membrane[lane] >= 0) {
          *spikes++ = static_cast<std::uint32_t>(cursor.membrane + lane - first);
          cursor.membrane[lane] = down_word;
        }
    }
    cursor.membrane += Group, cursor.psp += Group, cursor.input += Group;
    if constexpr (!Shared) cursor.row += Group;
    return spikes;
  }

  template <class Target, class Element>
  [[gnu::always_inline]] static constexpr std::uint32_t*
  run_packed(const Cursor<Element>& cursor, std::size_t count, const Factors& factors, std::uint32_t* spikes) noexcept {
    for (std::size_t neuron = 0; neuron < count; neuron += 2) {
      // The pairs are added as one word: a carry out of the first is a unit of the second.
      const std::uint32_t pair =
          word(cursor.psp[neuron], cursor.psp[neuron + 1]) + word(cursor.input[neuron], cursor.input[neuron + 1]);
      for (std::size_t half = 0; half < 2; ++half) {
        const std::int32_t psp =
            product<Target>(factors.offset, factors.psp, static_cast<std::int32_t>(pair >> (16 * half)));
        std::int32_t next = coupled<Target>(cursor.membrane[neuron + half], psp, factors);
        if (next >= 0) [[unlikely]] {
          *spikes++ = static_cast<std::uint32_t>(neuron + half);
          next = down_word;
        }
        cursor.psp[neuron + half] = static_cast<Psp>(psp);
        cursor.membrane[neuron + half] = next;
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
