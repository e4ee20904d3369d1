// SPDX-License-Identifier: BSL-1.0
// Populations of Lif, PackedLif and CompactLif, drawn from all that their parameters take, beside models in 64-bit
// integers that follow docs/neurons.md and never wrap: what leaves its word there has wrapped in the library.
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

#include <neuromorph/kernels/neurons/compact_lif.hpp>
#include <neuromorph/kernels/neurons/lif.hpp>
#include <neuromorph/kernels/neurons/packed_lif.hpp>

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

inline std::string show(const LifCell& cell, double dt, const LifWeightRange& weights) {
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
  LifWeightRange weights;
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
  std::string differs(std::int32_t own_decay, std::int64_t own_drift, long double drift_unit, std::int32_t own_reset,
                      long double reset_unit) const {
    const auto near = [](long double found, long double wanted, long double unit) {
      return std::fabs(found - wanted) <= 1.5L * unit + 1e-9L * std::fabs(wanted);
    };
    if (!near(static_cast<long double>(own_decay), decay, 1)) return "the decay is not that of tau_m";
    if (!near(static_cast<long double>(own_drift) * drift_unit, drift, 2 * drift_unit + 1)) return "the drift is wrong";
    if (!near(static_cast<long double>(own_reset) * reset_unit, reset, reset_unit)) return "the reset is wrong";
    return {};
  }
};

/// Both of Lif and PackedLif: any input that a word can hold, any steps.
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

/// Constants of each neuron, in columns.
template <class Model>
struct Columns {
  std::vector<std::int32_t> membrane_decay, drift, reset, after_spike;
  std::array<std::vector<std::int32_t>, Model::psp_count> psp_decay;
  LifScale scale;
  explicit Columns(const std::vector<typename Model::Parameters>& each) : scale(each.front().scale) {
    for (const auto& one : each) {
      const auto& from = one.constants;
      membrane_decay.push_back(from.membrane_decay), drift.push_back(from.drift), reset.push_back(from.reset);
      after_spike.push_back(from.after_spike);
      for (std::size_t which = 0; which < Model::psp_count; ++which) psp_decay[which].push_back(from.psp_decay[which]);
    }
  }
  typename Model::Table table() const {
    typename Model::Table views{membrane_decay, {}, drift, reset, after_spike, scale};
    for (std::size_t which = 0; which < Model::psp_count; ++which) views.psp_decay[which] = psp_decay[which];
    return views;
  }
};

template <class Model, class Element>
struct Population {
  static constexpr std::size_t psps = Model::psp_count;
  std::vector<std::int32_t> membrane;
  std::array<std::vector<std::int32_t>, psps> psp;
  std::array<std::vector<Element>, 2> input;
  std::vector<std::uint32_t> spikes;
  explicit Population(std::size_t count) : membrane(count), spikes(count) {
    for (auto& words : psp) words.resize(count);
    for (auto& words : input) words.resize(count);
  }
  template <class Target, class Source>
  Result<StepCounts> step(const Source& source, std::uint32_t step_number) {
    typename Model::State state{};
    state.membrane = membrane;
    for (std::size_t which = 0; which < psps; ++which) state.psp[which] = psp[which];
    return Model::template step<Target>(state, source, std::array{input[0].data(), input[1].data()}, step_number,
                                        spikes);
  }
};

template <class Parameters>
std::int32_t reset_of(const Parameters& parameters) {
  if constexpr (requires { parameters.constants; })
    return parameters.constants.reset;
  else
    return parameters.reset;
}

/// One neuron of Lif or PackedLif after docs/neurons.md. The psps of PackedLif are two here.
struct Neuron {
  std::int64_t membrane = -1;
  std::array<std::int64_t, 2> psp{};
};

template <std::size_t TimeConstants, class Rounding>
const char* follow(Neuron& neuron, const typename Lif<TimeConstants, Rounding>::Parameters& parameters,
                   std::array<std::int64_t, 2> input, std::uint32_t step_number, bool& fired,
                   std::uint32_t& saturations) {
  const auto& constants = parameters.constants;
  const LifScale scale = parameters.scale;
  constexpr bool down = std::is_same_v<Rounding, rounding::Down>;
  const auto decayed = [&](std::int64_t value, std::int64_t decay) {
    return value + floor_shift(value * floor_shift(decay + dither_of(step_number), 16) + (down ? 0 : 32768), 16);
  };
  const auto coupled = [&](std::int64_t psp) {
    const int shift = scale.psp_shift;
    return floor_shift(psp + (down || shift == 0 ? 0 : std::int64_t{1} << (shift - 1)), shift);
  };
  std::int64_t next = decayed(neuron.membrane, constants.membrane_decay) + constants.drift + coupled(neuron.psp[0]);
  if (TimeConstants == 2) next -= coupled(neuron.psp[1]);
  if (neuron.membrane < 0 && !fits_word(next)) return "a membrane leaves its word";
  if (TimeConstants == 1) input[0] -= input[1];
  for (std::size_t which = 0; which < TimeConstants; ++which) {
    std::int64_t& psp = neuron.psp[which];
    psp = decayed(psp, constants.psp_decay[which]);
    const std::int64_t sum = psp + input[which] * (std::int64_t{1} << scale.input_shift[which]);
    psp = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    saturations += psp != sum ? 1U : 0U;
  }
  fired = neuron.membrane < 0 && next >= 0;
  if (neuron.membrane < 0)
    neuron.membrane = fired ? constants.after_spike : next;
  else if (--neuron.membrane < 0)
    neuron.membrane = constants.reset;
  return nullptr;
}

inline const char* follow(Neuron& neuron, const PackedLif::Parameters& parameters,
                          const std::array<std::int64_t, 2>& input, std::uint32_t step_number, bool& fired,
                          std::uint32_t& saturations) {
  const std::int64_t dither = dither_of(step_number);
  const std::int64_t next =
      neuron.membrane + floor_shift(neuron.membrane * floor_shift(parameters.membrane_decay + dither, 16), 16) +
      parameters.drift + parameters.coupling[0] * neuron.psp[0] - parameters.coupling[1] * neuron.psp[1];
  if (neuron.membrane < 0 && !fits_word(next)) return "a membrane leaves its word";
  for (std::size_t which = 0; which < 2; ++which) {
    std::int64_t& psp = neuron.psp[which];
    const std::int64_t keep = floor_shift(parameters.psp_keep[which] + dither, 16);
    if (keep > 65535) return "a psp's factor leaves 16 bits";
    psp = floor_shift(psp * keep + dither, 16) + input[which];
    saturations += psp > 65535 ? 1U : 0U;
    psp = std::min<std::int64_t>(psp, 65535);
  }
  fired = neuron.membrane < 0 && next >= 0;
  if (neuron.membrane < 0)
    neuron.membrane = fired ? parameters.after_spike : next;
  else if (--neuron.membrane < 0)
    neuron.membrane = parameters.reset;
  return nullptr;
}

/// A population of Lif or PackedLif, or of Lif with constants of each neuron. Nothing, or what is wrong.
template <class Model, class Element, bool by_neuron, class Follow>
std::string run_saturating(Draw& draw, Tally& tally, Follow follow) {
  constexpr bool packed = std::is_same_v<Model, PackedLif>;
  Case drawn = draw_case(draw, !packed && Model::psp_count == 1);
  if (packed && drawn.weights.bits > 17) drawn.weights.bits = 12;
  const auto made = Model::parameters(drawn.cell, drawn.dt, drawn.weights);
  if (!made.ok()) {
    ++tally.refused;
    return {};
  }
  ++tally.accepted;
  const auto& parameters = made.value();
  const std::string where = show(drawn.cell, drawn.dt, drawn.weights);
  std::int32_t decay = 0, drift = 0, reset = 0;
  if constexpr (packed)
    decay = parameters.membrane_decay, drift = parameters.drift, reset = parameters.reset;
  else
    decay = parameters.constants.membrane_decay, drift = parameters.constants.drift, reset = parameters.constants.reset;
  if (const std::string wrong = Wanted(drawn).differs(decay, drift, 1, reset, 1); !wrong.empty())
    return wrong + ": " + where;

  const std::size_t count = 1 + draw.below(9);
  std::vector<typename Model::Parameters> each(count, parameters);
  if constexpr (by_neuron) {
    for (auto& one : each) {
      const Case other = draw_case(draw, Model::psp_count == 1);
      if (const auto its = Model::parameters(other.cell, other.dt, other.weights); its.ok()) one = its.value();
    }
    const LifScale common = Model::common_scale(each);
    if (common.input_shift[0] > 30 || common.input_shift[1] > 30) return "a shift that no backend has: " + where;
    for (auto& one : each) one.scale = common;
  }
  Population<Model, Element> native(count), generic(count);
  std::vector<Neuron> neurons(count);
  for (std::size_t neuron = 0; neuron < count; ++neuron) {
    const auto word = Model::membrane(each[neuron], each[neuron].v_threshold_mv - draw.between(1e-6, 511.9));
    neurons[neuron].membrane = draw.one_in(3) || !word.ok() ? reset_of(each[neuron]) : word.value();
    native.membrane[neuron] = generic.membrane[neuron] = static_cast<std::int32_t>(neurons[neuron].membrane);
  }
  std::uint32_t step_number = draw_start(draw);
  for (std::uint32_t phase = 1 + draw.below(4); phase != 0; --phase) {
    const auto drive = static_cast<Drive>(draw.below(6));
    const std::uint32_t stride = draw.one_in(4) ? draw.word() : 1;
    const std::uint32_t steps = draw.one_in(4) ? 2000 : 100;
    for (std::uint32_t step = 0; step < steps && !draw.ended(); ++step, step_number += stride) {
      std::uint32_t spikes = 0, saturations = 0;
      std::vector<std::uint32_t> expected;
      for (std::uint32_t neuron = 0; neuron < count; ++neuron) {
        std::array<std::int64_t, 2> input{};
        for (std::size_t receptor = 0; receptor < 2; ++receptor) {
          input[receptor] = draw_input<Element>(draw, drive, receptor, drawn.weights.bits);
          native.input[receptor][neuron] = generic.input[receptor][neuron] = static_cast<Element>(input[receptor]);
        }
        bool fired = false;
        if (const char* wrong = follow(neurons[neuron], each[neuron], input, step_number, fired, saturations))
          return std::string(wrong) + " at step " + std::to_string(step) + ": " + where;
        if (fired) expected.push_back(neuron), ++spikes;
      }
      const auto steps_of = [&]<class Target>(auto& population, Target) {
        if constexpr (by_neuron)
          return population.template step<Target>(Columns<Model>(each).table(), step_number);
        else
          return population.template step<Target>(parameters, step_number);
      };
      const auto found = steps_of(native, target::Native{}), same = steps_of(generic, target::Generic{});
      const auto at = [&](const char* what) {
        return std::string(what) + " at step number " + std::to_string(step_number) + ", step " + std::to_string(step) +
               ", drive " + std::to_string(static_cast<int>(drive)) + ": " + where;
      };
      if (!found.ok() || !same.ok()) return at("a step is refused");
      tally.spikes += spikes, tally.saturations += saturations;
      if (found.value().spikes != spikes || same.value().spikes != spikes) return at("spikes differ");
      if (!std::equal(expected.begin(), expected.end(), native.spikes.begin())) return at("the list of spikes differs");
      if (found.value().saturations != saturations || same.value().saturations != saturations)
        return at("saturations differ");
      for (std::size_t neuron = 0; neuron < count; ++neuron) {
        const Neuron& own = neurons[neuron];
        tally.waits += own.membrane >= 0 ? 1U : 0U;
        for (const auto* population : {&native, &generic}) {
          if (population->membrane[neuron] != own.membrane) return at("a membrane differs");
          if (packed ? static_cast<std::uint32_t>(population->psp[0][neuron]) !=
                           static_cast<std::uint32_t>(own.psp[1] << 16 | own.psp[0])
                     : population->psp[0][neuron] != own.psp[0] ||
                           population->psp.back()[neuron] != own.psp[Model::psp_count - 1])
            return at("a psp differs");
          if (population->input[0][neuron] != 0 || population->input[1][neuron] != 0) return at("an input is left");
        }
        const double shown = Model::membrane_mv(each[neuron], native.membrane[neuron]) - each[neuron].v_threshold_mv;
        const auto meant = static_cast<double>(own.membrane >= 0 ? reset_of(each[neuron]) : own.membrane);
        if (std::fabs(shown - meant / 4194304.0) > 1e-9) return at("the recorded membrane is wrong");
      }
    }
  }
  return {};
}

/// A neuron's synapses, as LifFanIn promises: together no more than the limit, each at its interval.
struct Synapses {
  std::vector<std::int32_t> weight;
  std::vector<std::uint32_t> rests; ///< steps until it may carry the next spike
};

/// A population of CompactLif under everything that its fan-in allows. Nothing, or what is wrong.
template <class Psp, std::size_t TimeConstants, bool by_neuron = false>
std::string run_compact(Draw& draw, Tally& tally) {
  using Model = CompactLif<Psp, TimeConstants>;
  constexpr bool packed = sizeof(Psp) == 2;
  Case drawn = draw_case(draw, TimeConstants == 1);
  if (packed && !draw.one_in(4)) { // most others are refused
    drawn.weights.bits = 1 + draw.below(15);
    drawn.cell.tau_m_ms = drawn.dt * draw.between(4.1, 500.0);
    drawn.cell.tau_exc_ms = drawn.cell.tau_inh_ms = drawn.dt * draw.between(4.1, 300.0);
    const double r_m = drawn.cell.r_m_mohm != 0.0 ? drawn.cell.r_m_mohm : drawn.cell.tau_m_ms / drawn.cell.c_m_nf;
    drawn.weights.excitatory_na = drawn.weights.inhibitory_na = draw.between(1e-3, 10.0) / r_m;
  }
  const double largest_na = std::max(drawn.weights.excitatory_na, drawn.weights.inhibitory_na);
  LifFanIn fan_in{largest_na * draw.between(0.9, draw.one_in(2) ? 10.0 : 10000.0), 1 + draw.below(50)};
  if (draw.one_in(3)) fan_in.interval = draw.one_in(8) ? 0 : draw.word();
  if (draw.one_in(3)) fan_in.interval = 1;
  const auto made = Model::parameters(drawn.cell, drawn.dt, drawn.weights, fan_in);
  if (!made.ok()) {
    ++tally.refused;
    return {};
  }
  ++tally.accepted;
  const auto& parameters = made.value();
  const std::string where = show(drawn.cell, drawn.dt, drawn.weights) + ", fan-in {" + std::to_string(fan_in.sum_na) +
                            ", " + std::to_string(fan_in.interval) + "}, unit 2^-" +
                            std::to_string(parameters.unit_bits);
  const long double unit = std::ldexp(1.0L, 22 - parameters.unit_bits);
  if (const std::string wrong = Wanted(drawn).differs(parameters.membrane_decay, parameters.psp_at_rest, unit,
                                                      parameters.reset, packed ? unit / 128 : unit);
      !wrong.empty())
    return wrong + ": " + where;
  for (std::size_t receptor = 0; receptor < 2; ++receptor) {
    const long double units =
        std::ldexp(static_cast<long double>(parameters.psp_per_na[receptor % TimeConstants]), parameters.unit_bits);
    if (units * static_cast<long double>(fan_in.sum_na) > parameters.fan_in_limit + 0.5L)
      return "less fits than was stated: " + where;
    const double na = receptor == 0 ? drawn.weights.excitatory_na : drawn.weights.inhibitory_na;
    const auto weight = Model::weight(parameters, static_cast<Receptor>(receptor), na);
    if (!weight.ok() && weight.status().error != Error::weight_vanishes)
      return "the largest weight does not fit: " + where;
    if (weight.ok() && std::fabs(std::abs(weight.value()) - units * static_cast<long double>(na)) > 0.51L)
      return "a weight is not to nearest: " + where;
    if (weight.ok() && drawn.weights.bits < 31 && std::abs(weight.value()) >= 1 << drawn.weights.bits)
      return "a weight has more bits: " + where;
  }

  const std::size_t count = packed ? 2 + 2 * draw.below(4) : 1 + draw.below(9);
  // constants of each neuron: a row's, or the shared ones
  std::vector<std::uint32_t> row_step(count), row_refractory(count);
  std::vector<std::int32_t> row_reset(count, parameters.reset);
  std::vector<std::uint32_t> refractory(count,
                                        static_cast<std::uint32_t>(std::lround(drawn.cell.t_refract_ms / drawn.dt)));
  if constexpr (by_neuron)
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      LifCell cell = draw_case(draw, true).cell;
      const double scale = drawn.dt / draw.between(0.001, 10.0); // as steps of other lengths
      cell.tau_m_ms *= scale, cell.t_refract_ms *= scale;
      cell.tau_exc_ms = drawn.cell.tau_exc_ms, cell.tau_inh_ms = drawn.cell.tau_inh_ms;
      auto row = Model::row(parameters, cell, drawn.dt);
      if (!row.ok()) cell = drawn.cell, row = Model::row(parameters, cell, drawn.dt);
      if (!row.ok()) return {};
      row_step[neuron] = row.value().step, row_reset[neuron] = row.value().reset;
      row_refractory[neuron] = row.value().refractory;
      refractory[neuron] = static_cast<std::uint32_t>(std::lround(cell.t_refract_ms / drawn.dt));
    }
  const auto constants = [&] {
    if constexpr (by_neuron)
      return typename Model::Table{row_step, row_reset, row_refractory, parameters};
    else
      return parameters;
  }();
  struct Own {
    std::int64_t membrane = 0;
    std::array<std::int64_t, TimeConstants> psp{};
    std::uint32_t waits = 0; // steps
    bool queued = false;     // until the step that integrates it again
    std::array<Synapses, TimeConstants> synapses;
  };
  std::vector<Own> neurons(count);
  struct Words {
    std::vector<std::int32_t> membrane;
    std::array<std::vector<Psp>, TimeConstants> psp, input;
    std::vector<std::uint32_t> spikes;
    std::vector<RefractoryQueue::Entry> entries;
    RefractoryQueue queue;
    typename Model::State state() {
      queue.entries = entries;
      typename Model::State views{membrane, {}, &queue};
      for (std::size_t which = 0; which < TimeConstants; ++which) views.psp[which] = psp[which];
      return views;
    }
  } native, generic;
  std::uint32_t step_number = draw_start(draw);
  const auto rest = by_neuron ? std::array<Psp, TimeConstants>{} : Model::psp_at_rest(parameters, step_number);
  for (Words* words : {&native, &generic}) {
    words->membrane.resize(count), words->spikes.resize(count), words->entries.resize(count);
    for (std::size_t which = 0; which < TimeConstants; ++which)
      words->psp[which].assign(count, rest[which]), words->input[which].resize(count);
  }
  for (std::size_t neuron = 0; neuron < count; ++neuron) {
    Own& own = neurons[neuron];
    const auto word = Model::membrane(parameters, parameters.v_threshold_mv - draw.between(1e-6, 1e3));
    own.membrane = by_neuron || draw.one_in(3) || !word.ok() ? row_reset[neuron] : word.value();
    native.membrane[neuron] = generic.membrane[neuron] = static_cast<std::int32_t>(own.membrane);
    for (std::size_t which = 0; which < TimeConstants; ++which) {
      own.psp[which] = rest[which];
      std::int64_t left = parameters.fan_in_limit;
      const std::uint32_t signs = draw.below(3); // positive, negative, both
      for (std::uint32_t synapse = 1 + draw.below(8); synapse != 0 && left > 0; --synapse) {
        const std::int64_t weight = synapse == 1 ? left : 1 + static_cast<std::int64_t>(draw.word() % left);
        left -= weight;
        const bool negative = TimeConstants == 1 && (signs == 1 || (signs == 2 && draw.one_in(2)));
        own.synapses[which].weight.push_back(static_cast<std::int32_t>(negative ? -weight : weight));
        own.synapses[which].rests.push_back(0);
      }
    }
  }
  for (std::uint32_t phase = 1 + draw.below(5); phase != 0; --phase) {
    // silence; each when it likes; as soon as they may: all, the positive (excitatory), the negative (inhibitory) ones
    const std::uint32_t drive = draw.below(5), rare = 1 + draw.below(40);
    const std::uint32_t steps = draw.one_in(3) ? 3000 : 150;
    for (std::uint32_t step = 0; step < steps && !draw.ended(); ++step, ++step_number) {
      const auto at = [&](const char* what) {
        return std::string(what) + " at step number " + std::to_string(step_number) + ", step " + std::to_string(step) +
               ", drive " + std::to_string(drive) + ": " + where;
      };
      std::vector<std::array<std::int64_t, TimeConstants>> input(count);
      for (std::size_t neuron = 0; neuron < count; ++neuron)
        for (std::size_t which = 0; which < TimeConstants; ++which) {
          Synapses& synapses = neurons[neuron].synapses[which];
          for (std::size_t one = 0; one < synapses.weight.size(); ++one) {
            if (synapses.rests[one] != 0) {
              --synapses.rests[one];
              continue;
            }
            const bool inhibits = TimeConstants == 2 ? which == 1 : synapses.weight[one] < 0;
            if (drive == 0 || (drive == 1 && !draw.one_in(rare)) || (drive == 3 && inhibits) ||
                (drive == 4 && !inhibits))
              continue;
            input[neuron][which] += synapses.weight[one];
            synapses.rests[one] = fan_in.interval - 1;
          }
          native.input[which][neuron] = generic.input[which][neuron] = static_cast<Psp>(input[neuron][which]);
        }
      // the constants of a step
      const std::uint32_t spread = step_number * 0x9E37C13FU, golden = spread >> 16, plastic = spread & 0xFFFF;
      const auto origin = [&](std::uint32_t of) {
        return floor_shift(std::int64_t{parameters.psp_spread} * (static_cast<std::int64_t>(of >> 16) - 32768) + 32768,
                           16);
      };
      const std::int64_t c = floor_shift(parameters.membrane_decay + std::int64_t{golden}, 16);
      const std::array<std::int64_t, 2> keep{packed
                                                 ? floor_shift(parameters.psp_factor + (std::int64_t{plastic} >> 1), 15)
                                                 : floor_shift(parameters.psp_factor + std::int64_t{golden}, 16),
                                             floor_shift(parameters.inhibition_factor + std::int64_t{golden}, 16)};
      const std::array<std::int64_t, 2> offset{
          packed ? floor_shift(parameters.psp_offset + std::int64_t{plastic}, 16) -
                       floor_shift(keep[0] * origin(spread), 16) + origin(spread + 0x9E37C13FU)
                 : floor_shift((by_neuron ? 128 : parameters.psp_offset) + (std::int64_t{plastic} >> 8), 8),
          floor_shift(128 + (std::int64_t{plastic} >> 8), 8)};
      std::vector<std::uint32_t> expected;
      for (std::uint32_t neuron = 0; neuron < count; ++neuron) {
        Own& own = neurons[neuron];
        std::int64_t next = own.membrane + floor_shift(own.membrane * c, 16);
        if constexpr (packed) {
          std::int64_t sum = own.psp[0] + input[neuron][0];
          if (neuron % 2 != 0) { // the carry of its neighbour, whose psp is as before in the words
            const auto low = static_cast<std::uint16_t>(native.psp[0][neuron - 1]),
                       arriving = static_cast<std::uint16_t>(input[neuron - 1][0]);
            sum += (std::uint32_t{low} + arriving) >> 16;
          }
          if (sum != static_cast<std::int16_t>(sum)) return at("a psp with its input leaves 16 bits");
          own.psp[0] = offset[0] + floor_shift(sum * keep[0], 16);
          if (own.psp[0] != static_cast<std::int16_t>(own.psp[0])) return at("a psp leaves 16 bits");
          next += own.psp[0] * 128;
        } else {
          next += own.psp[0];
          if constexpr (by_neuron) {
            const auto decay = static_cast<std::int16_t>(row_step[neuron] & 0xFFFF);
            const std::int64_t inner = own.psp[0] + floor_shift(own.membrane * decay, 16);
            if (own.waits == 0 && !fits_word(inner)) return at("a sum leaves its word");
            next = own.membrane + static_cast<std::int16_t>(row_step[neuron] >> 16) + floor_shift(inner, 3);
          }
          if (TimeConstants == 2) next -= own.psp[TimeConstants - 1];
          for (std::size_t which = 0; which < TimeConstants; ++which) {
            own.psp[which] = input[neuron][which] + 2 * (offset[which] + floor_shift(own.psp[which] * keep[which], 16));
            if (!fits_word(own.psp[which])) return at("a psp leaves its word");
          }
        }
        if (own.waits != 0) {
          if (--own.waits == 0) own.membrane = row_reset[neuron];
          continue;
        }
        own.queued = false;
        if (!fits_word(next)) return at("a membrane leaves its word");
        own.membrane = next;
        if (next < 0) continue;
        expected.push_back(neuron);
        own.waits = refractory[neuron];
        own.queued = own.waits != 0;
        if (own.waits == 0) own.membrane = row_reset[neuron];
      }
      const auto step_of = [&]<class Target>(Words& words, Target) {
        std::array<Psp*, TimeConstants> inputs{};
        for (std::size_t which = 0; which < TimeConstants; ++which) inputs[which] = words.input[which].data();
        return Model::template step<Target>(words.state(), constants, inputs, step_number, words.spikes);
      };
      const auto found = step_of(native, target::Native{}), same = step_of(generic, target::Generic{});
      if (!found.ok() || !same.ok()) return at("a step is refused");
      tally.spikes += expected.size();
      if (found.value().spikes != expected.size() || same.value().spikes != expected.size()) return at("spikes differ");
      if (!std::equal(expected.begin(), expected.end(), native.spikes.begin())) return at("the list of spikes differs");
      for (std::uint32_t neuron = 0; neuron < count; ++neuron) {
        const Own& own = neurons[neuron];
        tally.waits += own.waits != 0 ? 1U : 0U;
        for (Words* words : {&native, &generic}) {
          if (words->queue.holds(neuron) != own.queued) return at("the queue differs");
          if (!own.queued && words->membrane[neuron] != own.membrane) return at("a membrane differs");
          for (std::size_t which = 0; which < TimeConstants; ++which) {
            if (words->psp[which][neuron] != own.psp[which]) return at("a psp differs");
            if (words->input[which][neuron] != 0) return at("an input is left");
          }
          const long double mv = static_cast<long double>(Model::membrane_mv(constants, words->state(), neuron)) -
                                 static_cast<long double>(parameters.v_threshold_mv);
          const std::int64_t word = own.waits != 0 ? row_reset[neuron] : own.membrane;
          const int bits = parameters.unit_bits + (packed ? 7 : by_neuron ? -3 : 0);
          if (std::fabs(mv - std::ldexp(static_cast<long double>(word), -bits)) > 1e-6L)
            return at("the recorded membrane is wrong");
        }
      }
    }
  }
  return {};
}

/// One case of one of the models.
inline constexpr std::uint32_t kinds = 16;
inline std::string run_one(std::uint32_t kind, Draw& draw, Tally& tally) {
  const auto lif = [&]<std::size_t TimeConstants, class Rounding, class Element, bool by_neuron = false>() {
    return run_saturating<Lif<TimeConstants, Rounding>, Element, by_neuron>(
        draw, tally, [](auto&... all) { return follow<TimeConstants, Rounding>(all...); });
  };
  using rounding::Down, rounding::Nearest;
  switch (kind % kinds) {
  case 0: return lif.template operator()<2, Down, std::int32_t>();
  case 1: return lif.template operator()<2, Down, std::uint16_t>();
  case 2: return lif.template operator()<2, Nearest, std::int32_t>();
  case 3: return lif.template operator()<2, Nearest, std::uint16_t>();
  case 4: return lif.template operator()<1, Down, std::int32_t>();
  case 5: return lif.template operator()<1, Down, std::int16_t>();
  case 6: return lif.template operator()<1, Nearest, std::int32_t>();
  case 7: return lif.template operator()<2, Down, std::int32_t, true>();
  case 8: return lif.template operator()<1, Down, std::uint16_t, true>();
  case 9:
  case 10:
    return run_saturating<PackedLif, std::uint16_t, false>(draw, tally, [](auto&... all) { return follow(all...); });
  case 11:
  case 12: return run_compact<std::int32_t, 1>(draw, tally);
  case 13: return run_compact<std::int32_t, 2>(draw, tally);
  case 14: return run_compact<std::int32_t, 1, true>(draw, tally);
  default: return run_compact<std::int16_t, 1>(draw, tally);
  }
}

} // namespace neuron_battery

#endif
