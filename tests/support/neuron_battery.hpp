// SPDX-License-Identifier: BSL-1.0
// Populations of LIF neurons in all layouts of their words, drawn from all that their parameters take, beside models in
// 64-bit integers that follow docs/neurons.md and never wrap: what leaves its word there has wrapped in the library.
#ifndef TESTS_SUPPORT_NEURON_BATTERY_HPP
#define TESTS_SUPPORT_NEURON_BATTERY_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>

#include "tests/support/lif_cells.hpp"
#include "tests/support/neuron_columns.hpp"

namespace neuron_battery {

using namespace neuromorph;

/// Where a case comes from: random words, or bytes of a fuzzer, which end.
class Draw {
public:
  virtual ~Draw() = default;
  virtual std::uint32_t word() = 0;
  virtual bool ended() const { return false; }
  std::uint32_t below(std::uint32_t bound) { return word() % bound; }
  bool one_in(std::uint32_t times) { return below(times) == 0; }
  /// Evenly spread logarithms.
  double between(double low, double high) {
    return low * std::pow(high / low, static_cast<double>(below(65536)) / 65535.0);
  }
};

/// What came of the cases.
struct Tally {
  std::uint64_t accepted = 0, refused = 0, spikes = 0, saturations = 0, waits = 0;
};

inline std::string show(const LifCell& cell, double dt, const LifWeights& weights) {
  std::ostringstream out;
  out.precision(17);
  out << "LifCell{" << cell.tau_m_ms << ", " << cell.tau_exc_ms << ", " << cell.tau_inh_ms << ", " << cell.c_m_nf
      << ", " << cell.r_m_mohm << ", " << cell.v_rest_mv << ", " << cell.v_reset_mv << ", " << cell.v_threshold_mv
      << ", " << cell.t_refract_ms << ", " << cell.i_offset_na << "}, dt " << dt << ", weights {"
      << weights.excitatory_na << ", " << weights.inhibitory_na << ", " << weights.bits << "}";
  return out.str();
}

struct Case {
  LifCell cell;
  double dt = 0.1;
  LifWeights weights;
};

/// Any cell: mostly legal ones, some at the ends of what is, some beyond.
inline Case draw_case(Draw& draw, bool one_tau) {
  Case drawn;
  LifCell& cell = drawn.cell;
  drawn.dt = draw.between(0.001, 10.0);
  const double longest = draw.one_in(2) ? 1000.0 : 2e7;
  const auto tau = [&] { return drawn.dt * (draw.one_in(6) ? draw.between(1.3, 4.2) : draw.between(1.4, longest)); };
  cell.tau_m_ms = tau();
  cell.tau_exc_ms = draw.one_in(6) ? cell.tau_m_ms : tau();
  cell.tau_inh_ms = one_tau ? cell.tau_exc_ms : draw.one_in(6) ? cell.tau_exc_ms : tau();
  if (draw.one_in(2))
    cell.c_m_nf = draw.between(1e-3, 1e3);
  else
    cell.r_m_mohm = draw.between(1e-2, 1e4);
  cell.v_threshold_mv = -50.0;
  cell.v_reset_mv = -50.0 - (draw.one_in(4) ? draw.between(100.0, 520.0) : draw.between(1e-3, 100.0));
  const double away = draw.one_in(4) ? draw.between(20.0, 260.0) : draw.between(1e-3, 60.0);
  cell.v_rest_mv = -50.0 + (draw.one_in(3) ? away : -away);
  cell.t_refract_ms = draw.one_in(4) ? 0.0 : drawn.dt * draw.between(0.4, draw.one_in(4) ? 1000.0 : 30.0);
  const double r_m = cell.r_m_mohm != 0.0 ? cell.r_m_mohm : cell.tau_m_ms / cell.c_m_nf;
  if (draw.one_in(3)) cell.i_offset_na = (draw.one_in(2) ? -1.0 : 1.0) * draw.between(1e-3, 200.0) / r_m;
  // a weight by the charge that moves the membrane by so much
  const auto largest = [&] { return draw.between(1e-4, 100.0) * cell.tau_m_ms / cell.tau_exc_ms / r_m; };
  drawn.weights.excitatory_na = largest();
  drawn.weights.inhibitory_na = draw.one_in(2) ? drawn.weights.excitatory_na : largest();
  drawn.weights.bits = draw.one_in(3) ? 1 + draw.below(32) : 8 + draw.below(9);
  if (draw.one_in(16)) { // nonsense
    static constexpr double odd[] = {0.0,
                                     -1.0,
                                     1e-300,
                                     1e300,
                                     -1e300,
                                     1e9,
                                     -1e9,
                                     5000.0,
                                     std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN()};
    double* const members[] = {&cell.tau_m_ms,
                               &cell.tau_exc_ms,
                               &cell.tau_inh_ms,
                               &cell.c_m_nf,
                               &cell.r_m_mohm,
                               &cell.v_rest_mv,
                               &cell.v_reset_mv,
                               &cell.v_threshold_mv,
                               &cell.t_refract_ms,
                               &cell.i_offset_na,
                               &drawn.dt,
                               &drawn.weights.excitatory_na,
                               &drawn.weights.inhibitory_na};
    for (std::uint32_t times = 1 + draw.below(3); times != 0; --times)
      *members[draw.below(std::size(members))] = odd[draw.below(std::size(odd))];
  }
  return drawn;
}

inline constexpr std::uint32_t starts[] = {0, 1, 0x7FFFFFE0U, 0x80000000U, 0xFFFFFFD0U, 0x7FFFFFFFU};
inline std::uint32_t draw_start(Draw& draw) { return draw.one_in(2) ? starts[draw.below(6)] : draw.word(); }

inline std::int64_t floor_shift(std::int64_t value, int bits) { return value >> bits; }
inline std::int64_t dither_of(std::uint32_t step_number) { return (step_number * 0x9E3779B9U) >> 16; }
inline bool fits_word(std::int64_t value) { return value == static_cast<std::int32_t>(value); }

/// What parameters are without rounding; nothing where the cell is none.
struct Wanted {
  long double decay, drift, reset; // 2^-32, 2^-22 mV
  explicit Wanted(const Case& drawn) {
    const LifCell& cell = drawn.cell;
    const long double r_m = cell.r_m_mohm != 0.0 ? static_cast<long double>(cell.r_m_mohm)
                                                 : static_cast<long double>(cell.tau_m_ms) / cell.c_m_nf;
    const long double lost = std::expm1(-static_cast<long double>(drawn.dt) / cell.tau_m_ms);
    decay = lost * 4294967296.0L;
    drift =
        -lost * (static_cast<long double>(cell.v_rest_mv) - cell.v_threshold_mv + r_m * cell.i_offset_na) * 4194304.0L;
    reset = (static_cast<long double>(cell.v_reset_mv) - cell.v_threshold_mv) * 4194304.0L;
  }
  std::string differs(std::int32_t own_decay, long double own_drift, long double drift_unit, long double drift_room,
                      std::int32_t own_reset, long double reset_unit) const {
    const auto near = [](long double found, long double wanted, long double unit) {
      return std::fabs(found - wanted) <= 1.5L * unit + 1e-9L * std::fabs(wanted);
    };
    if (!near(static_cast<long double>(own_decay), decay, 1)) return "the decay is not that of tau_m";
    if (!near(own_drift * drift_unit, drift, drift_room)) return "the drift is wrong";
    if (!near(static_cast<long double>(own_reset) * reset_unit, reset, reset_unit)) return "the reset is wrong";
    return {};
  }
};

/// Any input that a word can hold, any steps.
enum class Drive : std::uint8_t { silence, events, bursts, full, inhibition, excitation };
template <class Element>
std::int64_t draw_input(Draw& draw, Drive drive, std::size_t receptor, unsigned weight_bits) {
  constexpr std::int64_t full = sizeof(Element) == 4 ? (1 << 30) - 1 : std::is_signed_v<Element> ? 32767 : 65535;
  const auto event = [&]() -> std::int64_t {
    const std::int64_t drawn = draw.word() >> (32 - std::min(weight_bits, 30U));
    return std::min(drawn, full);
  };
  switch (drive) {
  case Drive::silence: return 0;
  case Drive::events: return draw.one_in(4) ? event() : 0;
  case Drive::bursts: return draw.one_in(30) ? full - draw.below(3) : 0;
  case Drive::full: return full - draw.below(2);
  case Drive::inhibition: return receptor == 1 ? (draw.one_in(2) ? full : event()) : 0;
  default: return receptor == 0 ? (draw.one_in(2) ? full : event()) : 0;
  }
}

/// One neuron after docs/neurons.md. The psps of PackedLif are two here.
struct Neuron {
  std::int64_t membrane = -1;
  std::array<std::int64_t, 2> psp{};
  std::uint32_t waits = 0; ///< steps until one that integrates it again, where they stand in a queue
};

/// What a layout is, for the models below.
template <class Model>
constexpr bool is_packed = std::is_same_v<typename Model::Synapses, synapse::ExponentialPair>;
template <class Model>
constexpr bool is_driven = Model::Synapses::takes_drift;
template <class Model>
constexpr int shift_of = [] {
  if constexpr (is_driven<Model>)
    return static_cast<int>(Model::Synapses::coupling_shift);
  else
    return 0;
}();
/// How many psps a neuron has, in whatever words.
template <class Model>
constexpr std::size_t psps_of = is_packed<Model> ? 2 : Model::word_count - 1;

template <class Model>
const char* follow(Neuron& neuron, const typename Model::Constants& constants, std::array<std::int64_t, 2> input,
                   std::uint32_t step_number, bool& fired, std::uint32_t& saturations) {
  const std::int64_t dither = dither_of(step_number);
  const auto& [membrane, synapses, current, threshold, reset, refractory, adaptation, other] = constants;
  constexpr bool down = std::is_same_v<typename Model::Rounding, rounding::Down>;
  const auto decayed = [&](std::int64_t value, std::int64_t decay) {
    return value + floor_shift(value * floor_shift(decay + dither, 16) + (down ? 0 : 32768), 16);
  };
  const auto hold = [&](std::int64_t& psp, std::int64_t sum, std::int64_t least, std::int64_t most) {
    psp = std::clamp(sum, least, most);
    saturations += psp != sum ? 1U : 0U;
  };
  if (neuron.waits != 0 && --neuron.waits == 0) neuron.membrane = reset.v;
  std::int64_t next = decayed(neuron.membrane, membrane.decay) + membrane.drift;
  if constexpr (is_packed<Model>) {
    next =
        neuron.membrane + floor_shift(neuron.membrane * floor_shift(membrane.decay + dither, 16), 16) + membrane.drift;
    for (std::size_t which = 0; which < 2; ++which) {
      std::int64_t& psp = neuron.psp[which];
      next += std::int64_t{static_cast<std::int16_t>(synapses.coupling >> (16 * which))} * psp;
      const std::int64_t keep = floor_shift(synapses.shared.keep[which] + dither, 16);
      if (keep > 65535) return "a psp's factor leaves 16 bits";
      hold(psp, floor_shift(psp * keep + dither, 16) + input[which], 0, 65535);
    }
  } else if constexpr (is_driven<Model>) {
    constexpr unsigned shift = Model::Synapses::coupling_shift;
    const std::int64_t fine = (step_number * 0x9E3779B9U) >> 8 & 0xFF;
    for (std::size_t which = 0; which < Model::receptors; ++which) {
      std::int64_t& psp = neuron.psp[which];
      next += (which == 0 ? 1 : -1) * floor_shift(psp, shift);
      const std::int64_t factor = floor_shift(synapses[2 * which] + dither, 16);
      const std::int64_t kept = floor_shift(synapses[2 * which + 1] + fine, 8) + floor_shift(psp * factor, 16);
      std::int64_t doubled = 2 * kept;
      if (!fits_word(doubled)) return "a psp leaves its word before its input";
      hold(psp, doubled + input[which], INT32_MIN, INT32_MAX);
    }
  } else {
    const auto& scale = synapses.shared;
    const auto coupled = [&](std::int64_t psp) {
      const int shift = scale.psp_shift;
      return floor_shift(psp + (down || shift == 0 ? 0 : std::int64_t{1} << (shift - 1)), shift);
    };
    next += coupled(neuron.psp[0]);
    if constexpr (psps_of<Model> == 2) {
      next -= coupled(neuron.psp[1]);
      for (std::size_t which = 0; which < 2; ++which)
        hold(neuron.psp[which],
             decayed(neuron.psp[which], synapses[which]) + input[which] * (std::int64_t{1} << scale.input_shift[which]),
             INT32_MIN, INT32_MAX);
    } else {
      hold(neuron.psp[0],
           decayed(neuron.psp[0], synapses.decay) + (input[0] - input[1]) * (std::int64_t{1} << scale.input_shift),
           INT32_MIN, INT32_MAX);
    }
  }
  if constexpr (Model::Refractory::has_queue) {
    fired = false;
    if (neuron.waits != 0) return nullptr;
    if (!fits_word(next)) return "a membrane leaves its word";
    neuron.membrane = next;
    fired = next >= 0;
    const std::uint32_t again = static_cast<std::uint32_t>(refractory.again) >> 16;
    if (fired) neuron.waits = static_cast<std::uint32_t>(refractory.steps) + again * refractory.shared.stay;
    if (fired && neuron.waits == 0)
      neuron.membrane = reset.v;
    else if (fired)
      ++neuron.waits;
  } else {
    if (neuron.membrane < 0 && !fits_word(next)) return "a membrane leaves its word";
    fired = neuron.membrane < 0 && next >= 0;
    if (neuron.membrane < 0)
      neuron.membrane = fired ? refractory.after_spike : next;
    else if (--neuron.membrane < 0)
      neuron.membrane = reset.v;
  }
  return nullptr;
}

/// A population with shared constants, or `ByNeuron` of the same with columns. Nothing, or what is wrong.
template <class Model, class Element, class ByNeuron = Model>
std::string run_one_of(Draw& draw, Tally& tally) {
  Case drawn = draw_case(draw, Model::receptors == 1 || psps_of<Model> == 1);
  if (is_packed<Model> && drawn.weights.bits > 17) drawn.weights.bits = 12;
  if (is_driven<Model> && !draw.one_in(4)) // most others are refused
    drawn.cell.tau_m_ms = drawn.dt * draw.between(2.0, 200.0), drawn.weights.bits = 1 + draw.below(20);
  const auto made = made_of<Model>(drawn.cell, drawn.dt, drawn.weights);
  if (!made.ok()) {
    ++tally.refused;
    return {};
  }
  ++tally.accepted;
  constexpr bool by_neuron = !std::is_same_v<Model, ByNeuron>;
  const std::string where = show(drawn.cell, drawn.dt, drawn.weights);
  const auto& common = made.value();
  const long double unit = std::ldexp(1.0L, 22 - common.making.unit_bits);
  // Of a psp that carries the drive: what it comes to, by its factor.
  const long double carried = [&] {
    if constexpr (is_driven<Model>) {
      const auto& own = common.constants.synapses;
      return 2.0L * (own[1] - 128) / 256 / (1.0L - own[0] / 2147483648.0L); // a product loses half a unit
    } else {
      return static_cast<long double>(common.constants.membrane.drift);
    }
  }();
  const long double carried_unit = unit / (is_driven<Model> ? std::ldexp(1.0L, shift_of<Model>) : 1.0L);
  if (const std::string wrong = Wanted(drawn).differs(
          common.constants.membrane.decay, carried, carried_unit,
          is_driven<Model> ? 4 * unit + std::fabs(carried * carried_unit) * 1e-4L : 2 * carried_unit + 1,
          common.constants.reset.v, unit);
      !wrong.empty())
    return wrong + ": " + where;

  const std::size_t count = 1 + draw.below(9);
  std::vector<typename Model::Made> each(count, common);
  if constexpr (by_neuron)
    for (auto& one : each) {
      const Case other = draw_case(draw, psps_of<Model> == 1);
      const auto its = made_of<Model>(other.cell, drawn.dt, drawn.weights);
      if (its.ok() && Model::is_covered(its.value(), common.constants, common.making)) one = its.value();
      one.constants.synapses.shared = common.constants.synapses.shared;
    }
  typename ByNeuron::Constants constants{};
  if constexpr (by_neuron) {
    constants.synapses.shared = common.constants.synapses.shared;
  } else {
    constants = common.constants;
  }
  NeuronColumns<ByNeuron, Element> native(count, constants), generic(count, constants);
  if constexpr (by_neuron)
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      auto own = constants;
      const auto& from = each[neuron].constants;
      static_cast<membrane::Lif::Constants<std::int32_t>&>(own.membrane) = from.membrane;
      static_cast<typename Model::Synapses::template Constants<std::int32_t>&>(own.synapses) = from.synapses;
      own.reset.v = from.reset.v, own.refractory.after_spike = from.refractory.after_spike;
      native.set_own(neuron, own), generic.set_own(neuron, own);
    }
  std::vector<Neuron> neurons(count);
  for (std::size_t neuron = 0; neuron < count; ++neuron) {
    const auto& own = each[neuron];
    const auto word = own.making.word_of(drawn.cell.v_threshold_mv - draw.between(1e-6, 511.9), "v");
    neurons[neuron].membrane = draw.one_in(3) || !word.ok() ? own.constants.reset.v : word.value();
    for (auto* cells : {&native, &generic})
      cells->membrane()[neuron] = static_cast<std::int32_t>(neurons[neuron].membrane);
    if constexpr (is_driven<Model>)
      for (std::size_t which = 0; which < Model::receptors; ++which) {
        neurons[neuron].psp[which] = common.initial.synapses[which];
        native.psp(which)[neuron] = generic.psp(which)[neuron] = common.initial.synapses[which];
      }
  }
  std::uint32_t step_number = draw_start(draw);
  for (std::uint32_t phase = 1 + draw.below(4); phase != 0; --phase) {
    const auto drive = static_cast<Drive>(draw.below(6));
    // a queue is told of each step
    const std::uint32_t stride = !Model::Refractory::has_queue && draw.one_in(4) ? draw.word() : 1;
    const std::uint32_t steps = draw.one_in(4) ? 2000 : 100;
    for (std::uint32_t step = 0; step < steps && !draw.ended(); ++step, step_number += stride) {
      const auto at = [&](const char* what) {
        return std::string(what) + " at step number " + std::to_string(step_number) + ", step " + std::to_string(step) +
               ", drive " + std::to_string(static_cast<int>(drive)) + ": " + where;
      };
      std::uint32_t saturations = 0;
      std::vector<std::uint32_t> expected;
      for (std::uint32_t neuron = 0; neuron < count; ++neuron) {
        std::array<std::int64_t, 2> input{};
        for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) {
          input[receptor] = draw_input<Element>(draw, drive, receptor, drawn.weights.bits);
          if (Model::receptors == 1 && draw.one_in(2)) input[receptor] = -input[receptor];
          native.input[receptor][neuron] = generic.input[receptor][neuron] = static_cast<Element>(input[receptor]);
        }
        bool fired = false;
        if (const char* wrong =
                follow<Model>(neurons[neuron], each[neuron].constants, input, step_number, fired, saturations))
          return at(wrong);
        if (fired) expected.push_back(neuron);
      }
      if (is_driven<Model> && saturations != 0) { // those that stand at an end
        saturations = 0;
        for (const Neuron& own : neurons)
          for (std::size_t which = 0; which < psps_of<Model>; ++which)
            saturations += own.psp[which] == INT32_MIN || own.psp[which] == INT32_MAX ? 1U : 0U;
      }
      const auto found = native.template step<target::Native>(step_number),
                 same = generic.template step<target::Generic>(step_number);
      tally.spikes += expected.size(), tally.saturations += saturations;
      if (found.spikes != expected.size() || same.spikes != expected.size()) return at("spikes differ");
      if (!std::equal(expected.begin(), expected.end(), native.spikes.begin())) return at("the list of spikes differs");
      if (found.saturations != saturations || same.saturations != saturations) return at("saturations differ");
      for (std::size_t neuron = 0; neuron < count; ++neuron) {
        const Neuron& own = neurons[neuron];
        const bool waits = Model::Refractory::has_queue ? own.waits != 0 : own.membrane >= 0;
        tally.waits += waits ? 1U : 0U;
        for (auto* cells : {&native, &generic}) {
          if (Model::Refractory::has_queue && waits) {
            if (!cells->queue.holds(static_cast<std::uint32_t>(neuron))) return at("a waiting neuron is in no queue");
            if (cells->membrane()[neuron] >= 0) return at("a waiting neuron fires");
          } else if (cells->membrane()[neuron] != own.membrane) {
            return at("a membrane differs");
          }
          if (is_packed<Model> ? static_cast<std::uint32_t>(cells->psp(0)[neuron]) !=
                                     static_cast<std::uint32_t>(own.psp[1] << 16 | own.psp[0])
                               : cells->psp(0)[neuron] != own.psp[0] ||
                                     cells->psp(psps_of<Model> - 1)[neuron] != own.psp[psps_of<Model> - 1])
            return at("a psp differs");
          for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor)
            if (cells->input[receptor][neuron] != 0) return at("an input is left");
        }
        if constexpr (!Model::Refractory::has_queue) {
          const double shown = Model::value(each[neuron], 0, native.membrane()[neuron]) - drawn.cell.v_threshold_mv;
          const auto meant = static_cast<double>(waits ? each[neuron].constants.reset.v : own.membrane);
          if (std::fabs(shown - std::ldexp(meant, -common.making.unit_bits)) > 1e-9)
            return at("the recorded membrane is wrong");
        }
      }
    }
  }
  return {};
}

template <std::size_t TimeConstants>
using LifByNeuron = neuromorph::Neuron<PerNeuron<membrane::Lif>, PerNeuron<typename Lif<TimeConstants>::Synapses>,
                                       PerNeuron<reset::ToValue>, PerNeuron<refractory::InMembrane>>;

/// One case of one of the layouts.
inline constexpr std::uint32_t kinds = 15;
inline std::string run_one(std::uint32_t kind, Draw& draw, Tally& tally) {
  using rounding::Nearest;
  switch (kind % kinds) {
  case 0: return run_one_of<Lif<2>, std::int32_t>(draw, tally);
  case 1: return run_one_of<Lif<2>, std::uint16_t>(draw, tally);
  case 2: return run_one_of<Lif<2, Nearest>, std::int32_t>(draw, tally);
  case 3: return run_one_of<Lif<2, Nearest>, std::uint16_t>(draw, tally);
  case 4: return run_one_of<Lif<1>, std::int32_t>(draw, tally);
  case 5: return run_one_of<Lif<1>, std::int16_t>(draw, tally);
  case 6: return run_one_of<Lif<1, Nearest>, std::int32_t>(draw, tally);
  case 7: return run_one_of<Lif<2>, std::int32_t, LifByNeuron<2>>(draw, tally);
  case 8: return run_one_of<Lif<1>, std::uint16_t, LifByNeuron<1>>(draw, tally);
  case 9:
  case 10: return run_one_of<PackedLif, std::uint16_t>(draw, tally);
  case 11: return run_one_of<CompactLif<1>, std::int32_t>(draw, tally);
  case 12: return run_one_of<CompactLif<1>, std::int16_t>(draw, tally);
  case 13: return run_one_of<CompactLif<2>, std::int32_t>(draw, tally);
  default: return run_one_of<CompactLif<2>, std::uint16_t>(draw, tally);
  }
}

} // namespace neuron_battery

#endif
