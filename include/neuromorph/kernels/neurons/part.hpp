// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a part of a Neuron is: a role, words of each neuron, constants, and pure functions over lanes.
///
/// A part states `role`, `Words<Word>` and `Constants<Word>`, structs whose members are all of type Word (at most ten, or a
/// std::array), and the functions of its role. Word is a lane group in the loop, a number where constants are made.
#ifndef NEUROMORPH_KERNELS_NEURONS_PART_HPP
#define NEUROMORPH_KERNELS_NEURONS_PART_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What a part does in a step; docs/neurons.md has the functions that each role asks for, in the order of their calls.
enum class Role : std::uint8_t {
  membrane,   ///< the membrane's state over one step
  synapses,   ///< what arriving spikes leave behind
  input,      ///< what the synaptic states do to the membrane
  threshold,  ///< when the neuron fires
  reset,      ///< what a spike does to the membrane
  refractory, ///< how long the membrane is held after a spike
  adaptation, ///< what spikes leave behind in the neuron itself
  current,    ///< what else flows into the membrane
  rounding,   ///< of products: rounding::Down, Nearest or Stochastic
};

/// Of a part without words, or without constants.
struct NoFields {};

namespace detail {
[[nodiscard]] constexpr double power_of_two(int exponent) noexcept {
  double result = 1.0;
  for (; exponent > 0; --exponent) result *= 2.0;
  for (; exponent < 0; ++exponent) result /= 2.0;
  return result;
}
} // namespace detail

struct Making;

/// Base of a part: it has no words, no constants and nothing shared but what it says itself.
///
/// A part whose constants follow from physical parameters says `is_physical`, has `Parameters`, and makes the one of the
/// other: `static constexpr Status make(const Parameters&, Making&, auto to)`, where `to` has `own`, the constants,
/// `initial` words, and their `quantities`, of synapses the `units` of weights, and the type of the `Membrane` that they are
/// made for. Of others the constants are given.
template <Role part_role>
struct Part {
  static constexpr Role role = part_role;
  static constexpr bool is_physical = false;
  static constexpr bool is_per_neuron = false;
  static constexpr bool needs_fixed_threshold = false; ///< it takes a membrane above zero for a neuron that has fired
  static constexpr bool takes_drift = false;           ///< of synapses: rest and constant current stand in a psp
  static constexpr bool counts_ends = false; ///< of synapses: a step in which a psp was held counts those at an end
  static constexpr bool has_queue = false;   ///< its neurons stand in a RefractoryQueue
  static constexpr bool is_always_active = false; ///< of a refractory period: a step need not ask whether it lasts
  static constexpr bool never_fires = false;      ///< of a threshold
  static constexpr bool is_bounded = true; ///< of a threshold: a neuron fires at it, so that its membrane begins below
  static constexpr std::int32_t most_weight = INT32_MAX; ///< of synapses: the largest integer in a synaptic word
  static constexpr int lost_halves = 0; ///< half units that what it adds to the membrane loses by rounding::Down
  template <class Word>
  using Words = NoFields;
  template <class Word>
  using Constants = NoFields;
  using Shared = NoFields; ///< numbers that a whole population shares, whatever else is a column: powers of two
  /// Of a threshold, which is made before the membrane: what needs the membrane's unit.
  static constexpr Status make_scaled(const auto& /*given*/, const Making& /*making*/, const auto& /*to*/) noexcept {
    return {};
  }
  /// Whether constants of a neuron's own, made with `own`, mean the same with what the population shares.
  static constexpr bool is_covered(const auto& /*own*/, const auto& /*common*/) noexcept { return true; }
  /// Of synapses: a unit of a weight is 2^-weight_bits of what it is by the neuron's parameters alone.
  static constexpr int weight_bits(const auto& /*shared*/, std::size_t /*receptor*/) noexcept { return 0; }
  /// Of synapses: what arriving spikes do to the membrane at once, at the end of the step, when psps have them already. Most do nothing.
  template <class Membrane>
  static constexpr void arrive(const auto& /*m*/, const auto& /*membrane*/, const auto& /*psps*/, const auto& /*own*/,
                               const auto& /*input*/) noexcept {}
  /// Of a reset: the membrane that the threshold is asked about.
  static constexpr auto tested(const auto& /*m*/, const auto& /*own*/, auto /*before*/, auto v) noexcept { return v; }
  /// Of a membrane: the word that such spikes of a receptor move, and its unit, 2^-bits.
  static constexpr auto& moved_word(auto& word, std::size_t /*receptor*/) noexcept { return word.v; }
  static constexpr int moved_bits(const auto& making, std::size_t /*receptor*/) noexcept { return making.unit_bits; }
  /// Of a membrane: whether its step holds its words at their ends. If not, such spikes leave it 1/64 of its range.
  static constexpr bool is_held = false;

  /// Of a membrane: psps of synapse::Exponential go down to zero under rounding::Nearest, too, which by itself keeps their
  /// last units; and a pair of them is rounded once.
  static constexpr bool fades_psps = false;
  /// Of a membrane: it asks what flows at the potentials that it comes to, `drive.onto(sum, v)`.
  static constexpr bool takes_conductances = false;
  /// Of synapses: what a receptor's synapses do over a step, not negative where weights are not, is `of_receptor`.
  static constexpr bool is_receptor_apart = false;
  template <std::size_t receptor>
  static constexpr auto of_receptor(const auto& /*m*/, const auto& psps, const auto& /*own*/) noexcept {
    return psps[receptor];
  }
  /// Of such a membrane: a psp of conductances cannot bring it out of its word; rates of a step are below 2^doublings.
  static constexpr bool is_within_reach = false;
  static constexpr int rate_doublings = 0;
  /// Of an input: psps are no currents; synapses are made as if they drove a membrane `MadeFor` in the `scale`. What it lets
  /// flow may depend on the membrane's potential.
  static constexpr bool is_rate = false, needs_potential = false;
  template <class Membrane>
  using MadeFor = Membrane;
  template <class Membrane>
  static constexpr auto scale(const auto& making) noexcept {
    return making;
  }
  template <class Synapses>
  static constexpr auto less_rates(const auto&, const auto&, const auto&, auto sum) noexcept {
    return sum;
  }
};

/// What a word or a constant means: value = word * unit + origin, in the named unit.
struct Quantity {
  const char* unit = "";
  double per_unit = 1.0;
  double origin = 0.0;
};

namespace detail {

template <class Fields>
concept IndexedFields = requires(Fields& fields) {
  fields[0];
};

/// How many members a struct of members of type Word has, from that of 32-bit numbers.
template <template <class> class Fields>
inline constexpr std::size_t field_count = std::is_empty_v<Fields<std::int32_t>>
                                               ? 0
                                               : sizeof(Fields<std::int32_t>) / sizeof(std::int32_t);

/// Calls `visit(member)` for each member, in their order.
template <std::size_t count, class Fields, class Visit>
[[gnu::always_inline]] constexpr void each_field(Fields& fields, Visit visit) noexcept {
  if constexpr (count == 0) {
    return;
  } else if constexpr (IndexedFields<Fields>) {
    for (std::size_t which = 0; which < count; ++which) visit(fields[which]);
  } else if constexpr (count == 1) {
    auto& [a] = fields;
    visit(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = fields;
    visit(a), visit(b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = fields;
    visit(a), visit(b), visit(c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = fields;
    visit(a), visit(b), visit(c), visit(d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = fields;
    visit(a), visit(b), visit(c), visit(d), visit(e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = fields;
    visit(a), visit(b), visit(c), visit(d), visit(e), visit(f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = fields;
    visit(a), visit(b), visit(c), visit(d), visit(e), visit(f), visit(g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = fields;
    visit(a), visit(b), visit(c), visit(d), visit(e), visit(f), visit(g), visit(h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = fields;
    visit(a), visit(b), visit(c), visit(d), visit(e), visit(f), visit(g), visit(h), visit(i);
  } else {
    static_assert(count == 10, "neuromorph: a part has more than ten words or constants; make them a std::array; see "
                               "docs/neurons.md");
    auto& [a, b, c, d, e, f, g, h, i, j] = fields;
    visit(a), visit(b), visit(c), visit(d), visit(e), visit(f), visit(g), visit(h), visit(i), visit(j);
  }
}

template <std::size_t... numbers>
[[gnu::always_inline]] constexpr void each_of(auto& visit, std::index_sequence<numbers...>) noexcept {
  (visit.template operator()<numbers>(), ...);
}
/// Calls `visit.operator()<which>()` for each number below `count`: a loop that is surely unrolled.
template <std::size_t count>
[[gnu::always_inline]] constexpr void each_number(auto visit) noexcept {
  each_of(visit, std::make_index_sequence<count>{});
}

} // namespace detail

/// A part with constants of each neuron: all of them, or the named members of its Constants<std::int32_t>. What is named
/// is a column of words, the rest is shared by the population.
template <class Of, auto... Members>
struct PerNeuron : Of {
  static constexpr bool is_per_neuron = true;
  /// By the place of a constant.
  [[nodiscard]] static constexpr bool is_column(std::size_t place) noexcept {
    if constexpr (sizeof...(Members) == 0) {
      return true;
    } else {
      typename Of::template Constants<std::int32_t> constants{};
      std::size_t at = 0;
      bool is_named = false;
      detail::each_field<detail::field_count<Of::template Constants>>(constants, [&](const std::int32_t& constant) {
        if (at++ == place) is_named = (... || (&(constants.*Members) == &constant));
      });
      return is_named;
    }
  }
};

/// What the weights of a receptor are, and what they bring: it fixes their unit and the range of psps. Where nothing is
/// said of what they bring, psps have as much of the membrane's range as leaves it in its word.
struct ReceptorWeights {
  double largest = 1.0;  ///< magnitude, in nA; of a conductance in uS
  unsigned bits = 16;    ///< of the largest in a synaptic word, 1 to 31
  double rate_hz = 0.0;  ///< expected of one synapse; with `fan_in`
  double fan_in = 0.0;   ///< synapses of a neuron
  double drive_mv = 0.0; ///< or: as far as the receptor must be able to move the membrane, if it went on
};

/// Of a membrane with more states than one, for what flows into it: the states' derivatives, and the units of their words.
struct LinearSystem {
  std::array<std::array<double, 4>, 4> per_ms{}; ///< derivative of the row's state by the column's, per ms
  double per_na = 0.0;                           ///< what 1 nA adds to the driven state in a ms
  std::array<int, 4> bits{};                     ///< a unit of a state's word is 2^-bits
};

/// What neurons of a population have in common, whatever constants are their own.
struct Scale {
  double dt_ms = 0.0;
  double threshold_mv = 0.0;
  std::int64_t drift_q52 = 0; ///< what rest and constant current add per step, in mV
  int unit_bits = 22;         ///< a unit of the membrane is 2^-unit_bits mV
};

/// What parts tell each other while the constants of a neuron are made, in this order: threshold, membrane, adaptation,
/// currents, synapses, and the others. Not for use in a step.
struct Making : Scale {
  int lost_halves = 0;        ///< half units that a step loses by rounding what parts add, on average
  int most_unit_bits = 31;    ///< as what is brought demands
  bool takes_drift = false;   ///< the synapses have it, not the membrane
  double drift_mv = 0.0;      ///< drift_q52 as a number
  double tau_m_ms = 0.0;      ///< of the membrane
  double r_mohm = 0.0;        ///< of the membrane
  std::int64_t leak_q60 = 0;  ///< dt / tau_m
  std::int64_t kept_q60 = 0;  ///< exp(-dt/tau_m)
  std::int32_t reset = 0;     ///< word of the membrane
  double decay = 1.0;         ///< 1 - exp(-dt/tau_m): what a step takes back of a displacement
  double room = 0.0;          ///< share of its range that all that is left may add to the membrane in a step, for ever
  std::uint32_t noises = 0;   ///< parts that draw, so far
  bool is_bounded = true;     ///< of the threshold
  LinearSystem linear{};      ///< of membrane::Linear
  double c_nf = 1.0;          ///< of the membrane; 1 where its currents are in mV/ms
  double reach_mv = 1e9;      ///< how far from the threshold potentials may be
  bool holds_weights = false; ///< psps hold two of the largest weights, if nothing else is said
  const char* weight_unit = "nA";    ///< of a weight
  const char* feed_unit = "nA/step"; ///< of what feeds a psp

  /// A membrane is put no nearer to the ends of its word than this, so that its own step finds room: the decay is dithered,
  /// and may be 0 where the drift is not.
  static constexpr std::int32_t room_at_ends = 1 << 25;
  /// Whether a membrane may be put there: below the threshold of a neuron that fires.
  [[nodiscard]] static constexpr bool may_begin_at(std::int64_t word, bool is_bounded) noexcept {
    return word >= std::int64_t{INT32_MIN} + room_at_ends && word <= (is_bounded ? -1 : INT32_MAX - room_at_ends);
  }
  /// The word of a membrane at `mv`.
  /// \errors parameter_out_of_range at and above the threshold of a neuron that fires, out of reach, and from 63/64 of the
  ///         word's range on
  [[nodiscard]] constexpr Result<std::int32_t> word_of(double mv, const char* name) const noexcept {
    const std::int64_t word = detail::to_fixed(mv - threshold_mv, unit_bits);
    const bool is_in_reach = mv - threshold_mv < reach_mv && threshold_mv - mv < reach_mv;
    if (!detail::is_finite(mv) || !is_in_reach || !may_begin_at(word, is_bounded))
      return Status{Error::parameter_out_of_range, 0, mv, name};
    return static_cast<std::int32_t>(word);
  }
  /// Takes room for what adds at most `units` to a membrane in a step, for ever. Whether that leaves some for others.
  [[nodiscard]] constexpr bool take(std::int64_t units) noexcept {
    room -= static_cast<double>(units) / 2147483648.0;
    return room > 1.0 / 16777216.0;
  }
  /// What its words mean.
  [[nodiscard]] constexpr Quantity membrane() const noexcept {
    return {"mV", detail::power_of_two(-unit_bits), threshold_mv};
  }
};

namespace detail {

/// exp(-dt/tau) - 1 with 32 fraction bits.
[[nodiscard]] constexpr std::int32_t to_decay(std::int64_t kept_q60) noexcept {
  return static_cast<std::int32_t>((((kept_q60 - one_q60) >> 27) + 1) >> 1);
}
/// To 20 fraction bits, for 0 to 2^20.
[[nodiscard]] constexpr double square_root(double value) noexcept {
  const auto square = static_cast<std::uint64_t>(to_fixed(value, 40));
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1)
    if ((root | bit) * (root | bit) <= square) root |= bit;
  return static_cast<double>(root) * power_of_two(-20);
}
/// What a psp must hold, as a multiple of the largest weight: the mean that Poisson input comes to, six standard
/// deviations, and eight largest weights at once.
///
/// \param kept  exp(-dt/tau)
/// \errors parameter_out_of_range for a negative number, and from 10^6 events a step on
[[nodiscard]] constexpr Result<double> psp_of(const ReceptorWeights& weights, double dt_ms, double kept) noexcept {
  if (!(weights.rate_hz >= 0.0))
    return Status{Error::parameter_out_of_range, 0, weights.rate_hz, "synapses.weights.rate_hz"};
  if (!(weights.fan_in >= 0.0))
    return Status{Error::parameter_out_of_range, 0, weights.fan_in, "synapses.weights.fan_in"};
  const double events = weights.rate_hz * weights.fan_in * dt_ms / 1000.0;
  if (!(events < 1e6)) return Status{Error::parameter_out_of_range, 0, weights.rate_hz, "synapses.weights.rate_hz"};
  const double mean = events / (1.0 - kept),
               deviation = square_root(events / ((1.0 - kept) * (1.0 + kept)) / 1024.0) * 32.0;
  return mean + 4.0 * deviation + 2.0 * deviation + 8.0; // products by powers of two: fused or not, the same
}
/// dt / tau with 60 fraction bits.
/// \errors parameter_not_positive, parameter_out_of_range for what is no finite number; time_constant_too_short below 1.45
///         steps, time_constant_too_long above 10^7
[[nodiscard]] constexpr Result<std::int64_t> rate_of(double tau_ms, double dt_ms, const char* name) noexcept {
  if (!is_finite(tau_ms)) return Status{Error::parameter_out_of_range, 0, tau_ms, name};
  if (!(tau_ms > 0.0)) return Status{Error::parameter_not_positive, 0, tau_ms, name};
  const double ratio = dt_ms / tau_ms;
  if (ratio > 0.69) return Status{Error::time_constant_too_short, 0, tau_ms, name};
  if (ratio < 1e-7) return Status{Error::time_constant_too_long, 0, tau_ms, name};
  return to_fixed(ratio, 60);
}

template <class Of>
concept StatesRole = std::same_as<std::remove_cv_t<decltype(Of::role)>, Role> && std::is_base_of_v<Part<Of::role>, Of>;
template <class Part>
concept IsRounding = std::same_as<Part, rounding::Down> || std::same_as<Part, rounding::Nearest> ||
    std::same_as<Part, rounding::Stochastic>;

template <class Part>
inline constexpr bool has_role = StatesRole<Part> || IsRounding<Part>;
template <class Part>
[[nodiscard]] consteval Role role_of() {
  if constexpr (IsRounding<Part>)
    return Role::rounding;
  else
    return Part::role;
}

/// A part beside members of these names: one that the part has, too, is ambiguous, whether it is a template or not.
struct Named {
  int at_step, hold, is_below, late, onto, spiked, step;
};
template <class Part>
struct BesideNamed : Part, Named {};
/// Whether all members have the type Word: one of another would not shrink with it.
template <template <class> class Fields>
inline constexpr bool are_words = std::is_empty_v<Fields<std::int32_t>> ||
                                  sizeof(Fields<std::int32_t>) == 4 * sizeof(Fields<std::int8_t>);

/// Whether a part has what its role asks for. Says what is missing, but not of a part that is final.
template <class Part, class Beside = BesideNamed<Part>>
[[nodiscard]] consteval bool has_functions() {
  if constexpr (!IsRounding<Part> && !std::is_final_v<Part>) {
    constexpr Role role = Part::role;
    constexpr bool step = !requires { &Beside::step; }
    , spiked = !requires { &Beside::spiked; }
    , onto = !requires { &Beside::onto; };
    static_assert(role != Role::membrane ||
                      (step && spiked && requires(typename Part::template Words<std::int32_t> words) { words.v; }),
                  "neuromorph: a membrane needs a word v and the functions step and spiked; see docs/neurons.md");
    static_assert(role != Role::synapses || (step && onto && requires { Part::receptors + Part::input_in_pairs; }),
                  "neuromorph: synapses need receptors, input_in_pairs and the functions step and onto; see "
                  "docs/neurons.md");
    static_assert(role != Role::input || onto, "neuromorph: an input needs the function onto; see docs/neurons.md");
    static_assert(role != Role::threshold || (step && spiked && !requires { &Beside::is_below; }),
                  "neuromorph: a threshold needs the functions step, is_below and spiked; see docs/neurons.md");
    static_assert(role != Role::reset || (spiked && !requires { &Beside::late; }),
                  "neuromorph: a reset needs the functions late and spiked; see docs/neurons.md");
    static_assert(role != Role::refractory ||
                      (
                          spiked && !requires { &Beside::hold; } && requires { Part::is_in_membrane; }),
                  "neuromorph: a refractory period needs is_in_membrane and the functions hold and spiked; see "
                  "docs/neurons.md");
    static_assert(role != Role::adaptation || (step && spiked && onto),
                  "neuromorph: an adaptation needs the functions onto, step and spiked; see docs/neurons.md");
    static_assert(role != Role::current || (step && onto && !requires { &Beside::at_step; }),
                  "neuromorph: a current needs the functions at_step, onto and step; see docs/neurons.md");
    static_assert(are_words<Part::template Words> && are_words<Part::template Constants>,
                  "neuromorph: Words<Word> and Constants<Word> of a part have members of the type Word alone; see "
                  "docs/neurons.md");
  }
  return true;
}

/// How many of a list have a role.
template <Role role, class... Parts>
inline constexpr std::size_t count_of = (std::size_t{0} + ... + (role_of<Parts>() == role ? 1 : 0));

/// Whether each part has a role of its own; a second one of a role would not be used. Says what is wrong.
template <class... Parts>
[[nodiscard]] consteval bool have_roles() {
  constexpr bool are_parts = (has_role<Parts> && ...);
  static_assert(
      are_parts,
      "neuromorph: a Neuron is given something that is no part: it has no base Part of a role; see docs/neurons.md");
  if constexpr (are_parts) {
    static_assert(count_of<Role::membrane, Parts...> != 0, "neuromorph: a Neuron has no membrane; see docs/neurons.md");
    static_assert(count_of<Role::synapses, Parts...> != 0, "neuromorph: a Neuron has no synapses; see docs/neurons.md");
    static_assert(
        count_of<Role::membrane, Parts...> <= 1 && count_of<Role::synapses, Parts...> <= 1 &&
            count_of<Role::input, Parts...> <= 1 && count_of<Role::threshold, Parts...> <= 1 &&
            count_of<Role::reset, Parts...> <= 1 && count_of<Role::refractory, Parts...> <= 1 &&
            count_of<Role::adaptation, Parts...> <= 1 && count_of<Role::rounding, Parts...> <= 1,
        "neuromorph: a Neuron has two parts of one role, of which one would not be used; only currents may be "
        "many; see docs/neurons.md");
    static_assert((has_functions<Parts>() && ...));
  }
  return true;
}

/// The first of a list with a role, or the default.
template <class Part>
struct Found {
  using Type = Part;
};
template <Role role, class Default, class... Parts>
struct PartOf : Found<Default> {};
template <Role role, class Default, class First, class... Rest>
struct PartOf<role, Default, First, Rest...>
    : std::conditional_t<role_of<First>() == role, Found<First>, PartOf<role, Default, Rest...>> {};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
