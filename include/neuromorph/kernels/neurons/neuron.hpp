// SPDX-License-Identifier: BSL-1.0
/// \file
/// A neuron model composed of parts: membrane, synapses, threshold, reset, refractory period, adaptation, currents.
///
/// Parts give the words of a neuron, its constants, and pure functions over lanes. The model owns the loop: it loads,
/// calls the parts, tests a group of lanes once, lists the spikes, clears the input. What no part has costs nothing.
#ifndef NEUROMORPH_KERNELS_NEURONS_NEURON_HPP
#define NEUROMORPH_KERNELS_NEURONS_NEURON_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/all_currents.hpp>
#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/kernels/neurons/defaults.hpp>
#include <neuromorph/kernels/neurons/detail/conductance_loops.hpp>
#include <neuromorph/kernels/neurons/detail/driven_loops.hpp>
#include <neuromorph/kernels/neurons/detail/izhikevich_loops.hpp>
#include <neuromorph/kernels/neurons/detail/lif_loops.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>
#include <neuromorph/kernels/neurons/step_counts.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace detail {

/// A part's constants with what the population shares.
template <class Part, class Word>
struct Own : Part::template Constants<Word> {
  [[no_unique_address]] typename Part::Shared shared;
};
template <class... Parts, class Word>
struct Own<current::All<Parts...>, Word> : Positions<Own<Parts, Word>...> {};

/// Where a part puts what it makes of its parameters for a membrane.
template <class Part, class For>
struct MakingPart {
  using Membrane = For;
  Own<Part, std::int32_t>& own;
  typename Part::template Words<std::int32_t>& initial;
  typename Part::template Words<Quantity>& quantities;
};
template <class Synapses, class For>
struct MakingSynapses : MakingPart<Synapses, For> {
  std::array<double, Synapses::receptors>& units;
};
template <class Part, class To>
concept IsMade = requires(const typename Part::Parameters& given, Making& making, To to) {
  { Part::make(given, making, to) } -> std::same_as<Status>;
};

/// What a user gives for a part.
template <class Part>
struct GivenTo {
  using Type = Own<Part, std::int32_t>;
};
template <class Part>
requires Part::is_physical struct GivenTo<Part> {
  using Type = typename Part::Parameters;
};
template <class... Parts>
struct GivenTo<current::All<Parts...>> {
  using Type = Positions<typename GivenTo<Parts>::Type...>;
};

template <class Part>
inline constexpr std::size_t words_of = field_count<Part::template Words>;
template <class... Parts>
inline constexpr std::size_t words_of<current::All<Parts...>> = (words_of<Parts> + ...);
template <class Part>
inline constexpr std::size_t constants_of = field_count<Part::template Constants>;

/// The constants of a part without what is shared.
template <class Part, class Word>
[[nodiscard]] constexpr typename Part::template Constants<Word>& constants_in(Own<Part, Word>& own) noexcept {
  return own;
}

/// Which constants of a part are columns.
template <class Part>
inline constexpr auto column_mask = [] {
  std::array<bool, constants_of<Part> + 1> mask{};
  if constexpr (Part::is_per_neuron)
    for (std::size_t place = 0; place < constants_of<Part>; ++place) mask[place] = Part::is_column(place);
  return mask;
}();
template <class Part>
inline constexpr std::size_t columns_of = [] {
  std::size_t count = 0;
  for (const bool is_column : column_mask<Part>) count += is_column ? 1 : 0;
  return count;
}();
template <class... Parts>
inline constexpr std::size_t columns_of<current::All<Parts...>> = (columns_of<Parts> + ...);

/// Several parts of one role.
template <class Part>
inline constexpr bool is_list = false;
template <class... Parts>
inline constexpr bool is_list<current::All<Parts...>> = true;

/// Calls `visit(word)` for each word of a part.
template <class Part>
[[gnu::always_inline]] constexpr void each_word_of(auto& words, auto visit) noexcept {
  if constexpr (is_list<Part>)
    Part::each([&]<std::size_t place, class One>() { each_word_of<One>(at_position<place>(words), visit); });
  else
    each_field<words_of<Part>>(words, visit);
}

/// Whether constants of a part may be used with what is shared in `common`.
template <class Part>
[[nodiscard]] constexpr bool is_covered_part(const Own<Part, std::int32_t>& own,
                                             const Own<Part, std::int32_t>& common) noexcept {
  if constexpr (is_list<Part>) {
    bool is_covered = true;
    Part::each([&]<std::size_t place, class One>() {
      is_covered = is_covered && is_covered_part<One>(at_position<place>(own), at_position<place>(common));
    });
    return is_covered;
  } else {
    return Part::is_covered(own.shared, common.shared);
  }
}

/// Whether the constants of a part that are no columns are those of `common`.
template <class Part>
[[nodiscard]] constexpr bool is_shared_part(Own<Part, std::int32_t> own, Own<Part, std::int32_t> common) noexcept {
  bool is_shared = true;
  if constexpr (is_list<Part>) {
    Part::each([&]<std::size_t place, class One>() {
      is_shared = is_shared && is_shared_part<One>(at_position<place>(own), at_position<place>(common));
    });
  } else {
    std::array<std::int32_t, constants_of<Part> + 1> mine{}, theirs{};
    std::size_t to = 0, from = 0;
    each_field<constants_of<Part>>(constants_in<Part>(own), [&](const std::int32_t& one) { mine[to++] = one; });
    each_field<constants_of<Part>>(constants_in<Part>(common), [&](const std::int32_t& one) { theirs[from++] = one; });
    for (std::size_t place = 0; place < constants_of<Part>; ++place)
      is_shared = is_shared && (column_mask<Part>[place] || mine[place] == theirs[place]);
  }
  return is_shared;
}

/// The constants of a part from its parameters; its own, if it is not physical.
template <class Part, class To>
[[nodiscard]] constexpr Status make_part(const typename GivenTo<Part>::Type& given, Making& making, To to) noexcept {
  if constexpr (is_list<Part>) {
    Status status;
    Part::each([&]<std::size_t place, class One>() {
      if (status)
        status = make_part<One>(at_position<place>(given), making,
                                MakingPart<One, typename To::Membrane>{at_position<place>(to.own),
                                                                       at_position<place>(to.initial),
                                                                       at_position<place>(to.quantities)});
    });
    return status;
  } else if constexpr (!Part::is_physical) {
    return to.own = given, Status{};
  } else {
    static_assert(IsMade<Part, To>,
                  "neuromorph: a part that is_physical lacks 'static constexpr Status make(const Parameters&, Making&, "
                  "auto to)'; see docs/neurons.md");
    if constexpr (IsMade<Part, To>) return Part::make(given, making, to);
    return {};
  }
}

/// For neurons one by one: a backend's lanes where it has one.
template <class Target>
using LanesOfOne = std::conditional_t<Target::Lanes::count == 1, typename Target::Lanes, target::Generic::Lanes>;

} // namespace detail

/// \tparam Parts  in any order, a membrane at least; one of a role, but any number of currents
template <class... Parts>
class Neuron {
  static_assert(detail::have_roles<Parts...>());
  template <Role role, class Default>
  using The = typename detail::PartOf<role, Default, Parts...>::Type;

  template <class Part>
  using GivenOf = typename detail::GivenTo<Part>::Type;

public:
  using Membrane = The<Role::membrane, void>;
  using Synapses = The<Role::synapses, void>;
  using Input = The<Role::input, input::Current>;
  using Threshold = The<Role::threshold, threshold::Fixed>;
  using Reset = The<Role::reset, reset::ToValue>;
  using Refractory = The<Role::refractory, refractory::None>;
  using Adaptation = The<Role::adaptation, adaptation::None>;
  using Current = typename detail::OneCurrent<current::None,
                                              typename detail::CurrentsIn<detail::CurrentList<>, Parts...>::Type>::Type;
  using Rounding = The<Role::rounding, rounding::Down>;

  static_assert(
      !(Refractory::needs_fixed_threshold || Reset::needs_fixed_threshold) ||
          std::is_base_of_v<threshold::Fixed, Threshold>,
      "neuromorph: this reset or refractory period takes a membrane above zero for a neuron that has fired: it "
      "needs threshold::Fixed; see docs/neurons.md");
  static_assert(!Refractory::is_in_membrane || std::is_base_of_v<reset::ToValue, Reset>,
                "neuromorph: refractory::InMembrane keeps no membrane while it counts: it needs reset::ToValue; take "
                "refractory::Counted; see docs/neurons.md");
  static_assert(!Refractory::is_in_membrane || detail::words_of<Membrane> == 1,
                "neuromorph: refractory::InMembrane hides the membrane from its other words: take refractory::Counted; "
                "see docs/neurons.md");

  static_assert(!Refractory::has_queue || std::is_base_of_v<membrane::Lif, Membrane>,
                "neuromorph: refractory::InQueue is for membrane::Lif; take refractory::Counted; see docs/neurons.md");
  static_assert(!Refractory::has_queue || std::is_base_of_v<reset::ToValue, Reset>,
                "neuromorph: refractory::InQueue resets a neuron when its period ends: it needs reset::ToValue; take "
                "refractory::Counted; see docs/neurons.md");
  static_assert(!Refractory::has_queue || (detail::words_of<Adaptation> == 0 && detail::words_of<Current> == 0 &&
                                           std::is_same_v<Current, current::None>),
                "neuromorph: refractory::InQueue counts on a membrane that psps alone move; take refractory::Counted; "
                "see docs/neurons.md");
  static_assert(
      !Input::needs_potential || Membrane::takes_conductances,
      "neuromorph: this membrane takes no conductances; membrane::LifConductance, Izhikevich and AdEx do; see "
      "docs/neurons.md");
  using MadeFor = typename Input::template MadeFor<Membrane>; ///< what synapses are made for

  static constexpr std::size_t receptors = Synapses::receptors;
  static constexpr std::size_t word_count = detail::words_of<Membrane> + detail::words_of<Synapses> +
                                            detail::words_of<Threshold> + detail::words_of<Refractory> +
                                            detail::words_of<Adaptation> + detail::words_of<Current>;

  /// The words of a neuron, by part.
  template <class Word>
  struct Words {
    [[no_unique_address]] typename Membrane::template Words<Word> membrane;
    [[no_unique_address]] typename Synapses::template Words<Word> synapses;
    [[no_unique_address]] typename Threshold::template Words<Word> threshold;
    [[no_unique_address]] typename Refractory::template Words<Word> refractory;
    [[no_unique_address]] typename Adaptation::template Words<Word> adaptation;
    [[no_unique_address]] typename Current::template Words<Word> current;
  };
  /// The constants of a neuron, by part.
  template <class Word>
  struct ConstantsOf {
    detail::Own<Membrane, Word> membrane;
    detail::Own<Synapses, Word> synapses;
    detail::Own<Input, Word> input;
    detail::Own<Threshold, Word> threshold;
    detail::Own<Reset, Word> reset;
    detail::Own<Refractory, Word> refractory;
    detail::Own<Adaptation, Word> adaptation;
    detail::Own<Current, Word> current;
  };
  using Constants = ConstantsOf<std::int32_t>;

  /// What a user gives: of a part that is not physical, its constants.
  struct Parameters {
    GivenOf<Membrane> membrane{};
    GivenOf<Synapses> synapses{};
    GivenOf<Input> input{};
    GivenOf<Threshold> threshold{};
    GivenOf<Reset> reset{};
    GivenOf<Refractory> refractory{};
    GivenOf<Adaptation> adaptation{};
    GivenOf<Current> current{};
  };
  /// Constants, and what turns physical units into words and back: for who asks for weights. Nothing of it is used in a
  /// step but the constants.
  struct Made {
    Constants constants{};
    Words<std::int32_t> initial{};
    Words<Quantity> quantities{};
    Making making{};
    std::array<double, receptors> units{}; ///< of input for a weight of 1
  };

  /// Constants from physical parameters, in integers: the same bits at compile time and on any machine.
  /// \errors those of the parts; `parameter` says whose, "membrane.tau_ms": parameter_not_positive, parameter_out_of_range,
  ///         parameters_contradict, time_constant_too_short, time_constant_too_long, weight_out_of_range
  [[nodiscard]] static constexpr Result<Made> make(const Parameters& given, double dt_ms) noexcept {
    if (!detail::is_finite(dt_ms)) return Status{Error::parameter_out_of_range, 0, dt_ms, "dt_ms"};
    if (!(dt_ms > 0.0)) return Status{Error::parameter_not_positive, 0, dt_ms, "dt_ms"};
    Made made;
    Making& making = made.making;
    making.dt_ms = dt_ms;
    making.takes_drift = Synapses::takes_drift, making.is_bounded = Threshold::is_bounded;
    constexpr int lost_halves = 1 + (Input::is_rate ? Input::lost_halves : Synapses::lost_halves) +
                                Adaptation::lost_halves + Current::lost_halves;
    making.lost_halves = std::is_same_v<Rounding, rounding::Down> ? lost_halves : 0;
    auto& [membrane, synapses, input, threshold, reset, refractory, adaptation, current] = made.constants;
    auto& [v, psps, level, left, trace, flow] = made.initial;
    auto& [v_means, psps_mean, level_means, left_means, trace_means, flow_means] = made.quantities;
    NoFields none, nothing;
    Status status = make<Threshold>(given.threshold, making, {threshold, level, level_means});
    for (bool is_last = false; status;) {
      making.noises = 0;
      status = make<Membrane>(given.membrane, making, {membrane, v, v_means});
      if constexpr (Threshold::is_physical)
        if (status)
          status = Threshold::make_scaled(given.threshold, making,
                                          detail::MakingPart<Threshold, Membrane>{threshold, level, level_means});
      if (status) status = make<Adaptation>(given.adaptation, making, {adaptation, trace, trace_means});
      if (status) status = make<Current>(given.current, making, {current, flow, flow_means});
      if (status && making.unit_bits > making.most_unit_bits) // a membrane whose unit is fixed
        return Status{Error::weight_out_of_range, 0, detail::power_of_two(making.unit_bits - making.most_unit_bits),
                      "synapses.weights"};
      if (!status || is_last) break;
      // What is brought may ask for a coarser unit than the membrane takes by itself: then all of it once more.
      const Making finest = Input::template scale<Membrane>(making);
      const auto bits = Synapses::template most_unit_bits<MadeFor>(given.synapses, finest);
      if (!bits) return bits.status();
      if (bits.value() >= finest.unit_bits) break;
      if (Input::is_rate)
        return Status{Error::weight_out_of_range, 0, detail::power_of_two(finest.unit_bits - bits.value()),
                      "synapses.weights"};
      making.most_unit_bits = bits.value();
      is_last = true;
    }
    if (status) {
      Making scaled = Input::template scale<Membrane>(making);
      status = detail::make_part<Synapses>(
          given.synapses, scaled, detail::MakingSynapses<Synapses, MadeFor>{{synapses, psps, psps_mean}, made.units});
    }
    if (status) status = make<Input>(given.input, making, {input, none, nothing});
    if (status) status = make<Reset>(given.reset, making, {reset, none, nothing});
    if (status) status = make<Refractory>(given.refractory, making, {refractory, left, left_means});
    if (!status) return status;
    return made;
  }

  /// A weight's magnitude as the integer that goes into a synaptic word, to nearest.
  /// \errors weight_vanishes, weight_out_of_range (also for a negative magnitude), type_out_of_range for a receptor that the
  ///         synapses do not have; `where` is the receptor
  [[nodiscard]] static constexpr Result<std::uint32_t> weight(const Made& made, std::uint32_t receptor,
                                                              double magnitude) noexcept {
    return weight(made, made, receptor, magnitude);
  }
  /// The same to a neuron with constants of its own, made from its parameters as `own`, in the unit of its population.
  /// \errors weight_vanishes, weight_out_of_range, type_out_of_range, as above
  [[nodiscard]] static constexpr Result<std::uint32_t> weight(const Made& made, const Made& own, std::uint32_t receptor,
                                                              double magnitude) noexcept {
    if (receptor >= receptors) return Status{Error::type_out_of_range, receptor, receptor, "receptor"};
    const int bits = Synapses::weight_bits(made.constants.synapses.shared, receptor) -
                     Synapses::weight_bits(own.constants.synapses.shared, receptor);
    const std::int64_t units = detail::to_fixed(own.units[receptor] * detail::power_of_two(bits) * magnitude, 0);
    if (!(magnitude >= 0.0) || units > Synapses::most_weight)
      return Status{Error::weight_out_of_range, receptor, magnitude, "magnitude"};
    if (units == 0 && magnitude != 0.0) return Status{Error::weight_vanishes, receptor, magnitude, "magnitude"};
    return static_cast<std::uint32_t>(units);
  }

  /// Constants that are columns, of parts that are PerNeuron.
  static constexpr std::size_t constant_count = detail::columns_of<Membrane> + detail::columns_of<Synapses> +
                                                detail::columns_of<Input> + detail::columns_of<Threshold> +
                                                detail::columns_of<Reset> + detail::columns_of<Refractory> +
                                                detail::columns_of<Adaptation> + detail::columns_of<Current>;

  /// A column of each word, in the order of Words; and of each constant that is one, in the order of Constants.
  struct Columns {
    std::array<std::int32_t*, word_count> words{};
    std::array<const std::int32_t*, constant_count> constants{};
    RefractoryQueue* queue = nullptr; ///< of refractory::InQueue, with room for all neurons
  };
  /// Calls `visit(constant, column)` for each constant that is a column, in their order.
  template <class Visit>
  [[gnu::always_inline]] static constexpr void each_column(auto& constants, Visit visit) noexcept {
    std::size_t column = 0;
    each_column_of<Membrane>(constants.membrane, column, visit);
    each_column_of<Synapses>(constants.synapses, column, visit);
    each_column_of<Input>(constants.input, column, visit);
    each_column_of<Threshold>(constants.threshold, column, visit);
    each_column_of<Reset>(constants.reset, column, visit);
    each_column_of<Refractory>(constants.refractory, column, visit);
    each_column_of<Adaptation>(constants.adaptation, column, visit);
    each_column_of<Current>(constants.current, column, visit);
  }

  /// The words in the order of their places.
  static constexpr void words_of(Words<std::int32_t> words, std::span<std::int32_t> to) noexcept {
    std::size_t at = 0; // of all parts, each of which gets the visitor anew
    each_word(words, [&](std::int32_t& word) { to[at++] = word; });
  }
  /// Calls `visit(quantity)` for what each word means, in the order of their places.
  template <class Visit>
  static constexpr void each_quantity(const Made& made, Visit visit) noexcept {
    each_word(made.quantities, visit);
  }
  [[nodiscard]] static constexpr Quantity quantity(const Made& made, std::size_t which) noexcept {
    Quantity found;
    std::size_t at = 0; // of all parts, each of which gets the visitor anew
    each_quantity(made, [&](const Quantity& quantity) {
      if (at++ == which) found = quantity;
    });
    return found;
  }
  /// A word in its physical unit; of a membrane in the refractory period that it counts itself, the reset.
  /// \param place  as place_of names it
  [[nodiscard]] static constexpr double value(const Made& made, std::size_t place, std::int32_t word) noexcept {
    if constexpr (Refractory::is_in_membrane)
      if (place == places().membrane.v && word >= 0) word = made.constants.reset.v;
    const Quantity meaning = quantity(made, place);
    return word * meaning.per_unit + meaning.origin;
  }
  /// Whether constants of `own` may be used in a population of the `scale`, with what else is shared in `common`.
  [[nodiscard]] static constexpr bool is_covered(const Made& own, const Constants& common,
                                                 const Scale& scale) noexcept {
    if constexpr (Refractory::has_queue) // a neuron that is put down again stays down for the time of the population
      if (own.constants.refractory.again != 0 && own.constants.refractory.shared.stay != common.refractory.shared.stay)
        return false;
    return own.making.unit_bits == scale.unit_bits && own.making.threshold_mv == scale.threshold_mv &&
           detail::is_covered_part<Membrane>(own.constants.membrane, common.membrane) &&
           Synapses::is_covered(own.constants.synapses.shared, common.synapses.shared) &&
           (!Synapses::takes_drift || Synapses::is_per_neuron || own.making.drift_q52 == scale.drift_q52) &&
           detail::is_covered_part<Input>(own.constants.input, common.input) &&
           detail::is_covered_part<Threshold>(own.constants.threshold, common.threshold) &&
           detail::is_covered_part<Reset>(own.constants.reset, common.reset) &&
           detail::is_covered_part<Refractory>(own.constants.refractory, common.refractory) &&
           detail::is_covered_part<Adaptation>(own.constants.adaptation, common.adaptation) &&
           detail::is_covered_part<Current>(own.constants.current, common.current);
  }
  /// The first part of which a constant that is no column differs from `theirs`; none if all are the same.
  [[nodiscard]] static constexpr const char* not_shared(const Constants& mine, const Constants& theirs) noexcept {
    if (!detail::is_shared_part<Membrane>(mine.membrane, theirs.membrane)) return "membrane";
    if (!detail::is_shared_part<Synapses>(mine.synapses, theirs.synapses)) return "synapses";
    if (!detail::is_shared_part<Input>(mine.input, theirs.input)) return "input";
    if (!detail::is_shared_part<Threshold>(mine.threshold, theirs.threshold)) return "threshold";
    if (!detail::is_shared_part<Reset>(mine.reset, theirs.reset)) return "reset";
    if (!detail::is_shared_part<Refractory>(mine.refractory, theirs.refractory)) return "refractory";
    if (!detail::is_shared_part<Adaptation>(mine.adaptation, theirs.adaptation)) return "adaptation";
    if (!detail::is_shared_part<Current>(mine.current, theirs.current)) return "current";
    return nullptr;
  }

  /// Steps `count` neurons; docs/neurons.md has the order of what happens in it.
  ///
  /// \tparam counts_held  whether psps are counted that were held, and no others that stand at an end (Synapses::ends): so
  ///                      counts add up, however a population is cut into calls
  /// \param columns  [word_count] of [count] words, in place
  /// \param input    [receptors] of [count] sums of weights, each below 2^30 in magnitude; set to zero
  /// \param first    number of the first neuron: what is drawn for a neuron depends on it
  /// \param spikes   [count] indices of the neurons that fired, ascending
  template <class Target = target::Native, bool counts_held = false, class Element>
  static constexpr StepCounts step(const Columns& columns, std::size_t count, const Constants& constants,
                                   const std::array<Element*, receptors>& input, std::uint32_t step_number,
                                   std::uint32_t* spikes, std::uint32_t first = 0) noexcept {
    static_assert(target::Backend<Target>, "neuromorph: Target is no backend; see docs/target.md");
    static_assert(!Synapses::input_in_pairs || std::is_same_v<Element, std::uint16_t>,
                  "neuromorph: these synapses take sums of std::uint16_t, as a RingBuffer<Format, std::uint16_t> has "
                  "them; see docs/neurons.md");
    StepCounts counts;
    std::size_t done = 0;
    using Loops = detail::LoopsFor<
        detail::Composition<Membrane, Synapses, Input, Threshold, Reset, Refractory, Adaptation, Current, Rounding>>;
    constexpr bool counts_ends = Synapses::counts_ends && !counts_held;
    if constexpr (counts_ends == Synapses::counts_ends && Loops::template exist<Target, Element>()) {
      if (!std::is_constant_evaluated())
        return Loops::template step<Neuron, Target>(columns, count, constants, input, step_number, spikes);
    }
    Constants now = constants;
    Current::at_step(now.current, step_number);
    const auto constants_of = [&](std::size_t neuron) {
      Constants own = now;
      each_column(own, [&](std::int32_t& constant, std::size_t at) { constant = columns.constants[at][neuron]; });
      return own;
    };
    if constexpr (Refractory::has_queue)
      if (columns.queue->is_due(step_number)) [[unlikely]]
        Refractory::release(*columns.queue, columns.words[0], step_number, constants_of);
    if (!std::is_constant_evaluated()) {
      using Wide = typename Target::Lanes;
      if constexpr (Wide::count > 1)
        done = run<Wide>(columns, now, input, step_number, spikes, done, count, first, counts);
    }
    run<detail::LanesOfOne<Target>>(columns, now, input, step_number, spikes, done, count, first, counts);
    constexpr bool psps_alone_are_held = detail::words_of<Threshold> == 0 && detail::words_of<Adaptation> == 0 &&
                                         detail::words_of<Current> == 0 && std::is_base_of_v<reset::ToValue, Reset>;
    if constexpr (counts_ends && psps_alone_are_held)
      if (counts.saturations != 0)
        counts.saturations = Synapses::ends(columns.words.data() + detail::words_of<Membrane>, count);
    if constexpr (Refractory::has_queue)
      for (std::uint32_t spike = 0; spike < counts.spikes; ++spike)
        Refractory::insert(*columns.queue, columns.words[0], step_number, spikes[spike], constants_of(spikes[spike]));
    return counts;
  }

  /// Which word stands where; see place_of.
  [[nodiscard]] static constexpr Words<std::size_t> places() noexcept {
    Words<std::size_t> numbers{};
    std::size_t at = 0;
    each_word(numbers, [&](std::size_t& number) { number = at++; });
    return numbers;
  }

  // --- for the loops of a backend: what they leave

  /// The neurons in [begin, end), one by one.
  template <class Target, class Element>
  [[gnu::noinline]] static void step_some(const Columns& columns, const Constants& constants,
                                          const std::array<Element*, receptors>& input, std::uint32_t step_number,
                                          std::uint32_t* spikes, std::size_t begin, std::size_t end,
                                          StepCounts& counts) noexcept {
    run<detail::LanesOfOne<Target>>(columns, constants, input, step_number, spikes, begin, end, 0, counts);
  }

private:
  template <class Part, class Own, class Visit>
  [[gnu::always_inline]] static constexpr void each_column_of(Own& own, std::size_t& column, Visit visit) noexcept {
    if constexpr (detail::is_list<Part>) {
      Part::each([&]<std::size_t place, class One>() { each_column_of<One>(at_position<place>(own), column, visit); });
    } else if constexpr (Part::is_per_neuron) {
      std::size_t at = 0;
      detail::each_field<detail::constants_of<Part>>(detail::constants_in<Part>(own), [&](auto& constant) {
        if (detail::column_mask<Part>[at++]) visit(constant, column++);
      });
    }
  }
  template <class Part>
  [[nodiscard]] static constexpr Status make(const GivenOf<Part>& given, Making& making,
                                             detail::MakingPart<Part, Membrane> to) noexcept {
    return detail::make_part<Part>(given, making, to);
  }

  template <class Part, class Lanes>
  [[nodiscard, gnu::always_inline]] static constexpr auto splat(const detail::Own<Part, std::int32_t>& from) noexcept {
    if constexpr (detail::is_list<Part>) {
      detail::Own<Part, typename Lanes::Value> to;
      Part::each([&]<std::size_t place, class One>() {
        at_position<place>(to) = splat<One, Lanes>(at_position<place>(from));
      });
      return to;
    } else {
      detail::Own<Part, typename Lanes::Value> to{{}, from.shared};
      std::array<std::int32_t, detail::constants_of<Part> + 1> numbers{};
      std::size_t at = 0;
      const typename Part::template Constants<std::int32_t>& given = from;
      detail::each_field<detail::constants_of<Part>>(given,
                                                     [&](const std::int32_t& number) { numbers[at++] = number; });
      at = 0;
      typename Part::template Constants<typename Lanes::Value>& made = to;
      detail::each_field<detail::constants_of<Part>>(
          made, [&](typename Lanes::Value& value) { value = Lanes::splat(numbers[at++]); });
      return to;
    }
  }
  template <class Lanes>
  [[nodiscard, gnu::always_inline]] static constexpr auto splat_all(const Constants& from) noexcept {
    return ConstantsOf<typename Lanes::Value>{
        splat<Membrane, Lanes>(from.membrane),     splat<Synapses, Lanes>(from.synapses),
        splat<Input, Lanes>(from.input),           splat<Threshold, Lanes>(from.threshold),
        splat<Reset, Lanes>(from.reset),           splat<Refractory, Lanes>(from.refractory),
        splat<Adaptation, Lanes>(from.adaptation), splat<Current, Lanes>(from.current)};
  }
  template <class Visit>
  [[gnu::always_inline]] static constexpr void each_word(auto& words, Visit visit) noexcept {
    detail::each_word_of<Membrane>(words.membrane, visit);
    detail::each_word_of<Synapses>(words.synapses, visit);
    detail::each_word_of<Threshold>(words.threshold, visit);
    detail::each_word_of<Refractory>(words.refractory, visit);
    detail::each_word_of<Adaptation>(words.adaptation, visit);
    detail::each_word_of<Current>(words.current, visit);
  }

  /// A group of lanes of which a sum leaves its range, one neuron at a time. The loop goes on after it: a compiler takes
  /// nothing out of a loop that may be left before.
  template <class Lanes, class Element>
  [[gnu::noinline, gnu::cold]] static constexpr void
  again(const Columns& columns, const Constants& constants, const std::array<Element*, receptors>& input,
        std::uint32_t step_number, std::uint32_t* spikes, std::size_t at, std::uint32_t first,
        StepCounts& counts) noexcept {
    run<target::Generic::Lanes>(columns, constants, input, step_number, spikes, at, at + Lanes::count, first, counts);
  }

  /// Steps the whole groups of lanes in [begin, end). Returns where it stopped.
  template <class Lanes, class Element>
  static constexpr std::size_t run(const Columns columns, const Constants& constants,
                                   const std::array<Element*, receptors> input, std::uint32_t step_number,
                                   std::uint32_t* const spikes, std::size_t begin, std::size_t end, std::uint32_t first,
                                   StepCounts& counts) noexcept {
    using Value = typename Lanes::Value;
    const auto shared = splat_all<Lanes>(constants);
    const std::size_t whole = begin + (end - begin) / Lanes::count * Lanes::count;
    std::size_t at = begin;
    for (; at != whole; at += Lanes::count) {
      Arithmetic<Lanes, Rounding, Membrane::fades_psps> m(step_number, first + static_cast<std::uint32_t>(at),
                                                          counts.saturations);
      Words<Value> words{};
      std::size_t column = 0;
      each_word(words, [&](Value& word) { word = Lanes::load(columns.words[column++] + at); });
      auto own_words = shared; // of this neuron
      if constexpr (constant_count != 0)
        each_column(own_words,
                    [&](Value& constant, std::size_t which) { constant = Lanes::load(columns.constants[which] + at); });
      const auto& own = constant_count != 0 ? own_words : shared;
      const auto arriving = load_input<Lanes>(input, at);

      const Value before = words.membrane.v;
      Membrane::step(m, words.membrane, own.membrane,
                     Drive<decltype(m), decltype(words), decltype(own)>{m, words, own, before});
      words.membrane.v = Reset::late(m, own.reset, before, words.membrane.v);
      Synapses::step(m, words.synapses, own.synapses, arriving);
      Synapses::template arrive<Membrane>(m, words.membrane, words.synapses, own.synapses, arriving);
      Adaptation::step(m, words.adaptation, own.adaptation);
      Threshold::step(m, words.threshold, own.threshold);
      Current::step(m, words.current, own.current);
      const Value integrated = words.membrane.v;
      typename Lanes::Mask active{}, below{};
      if constexpr (!Threshold::never_fires)
        below = Threshold::is_below(m, words.threshold, own.threshold, Reset::tested(m, own.reset, before, integrated));
      if constexpr (!Refractory::is_always_active) {
        active = Refractory::is_active(m, words.refractory, before);
        words.membrane.v = Refractory::hold(m, words.refractory, active, before, integrated, own);
      }
      if (m.is_again()) [[unlikely]] {
        again<Lanes>(columns, constants, input, step_number, spikes, at, first, counts);
        continue;
      }
      if (std::uint32_t bits = fired_bits<Lanes>(active, below); bits != 0) [[unlikely]] {
        if constexpr (Refractory::is_always_active) active = Lanes::is_negative(Lanes::splat(-1));
        const auto fired = Lanes::and_not(active, below);
        words.membrane.v = m.select(fired, Reset::spiked(m, own.reset, words.membrane.v, fired), words.membrane.v);
        words.membrane.v = Refractory::spiked(m, words.refractory, fired, words.membrane.v, own);
        Membrane::spiked(m, words.membrane, own.membrane, fired);
        Threshold::spiked(m, words.threshold, own.threshold, fired);
        Adaptation::spiked(m, words.adaptation, own.adaptation, fired);
        if (m.is_again()) [[unlikely]] {
          again<Lanes>(columns, constants, input, step_number, spikes, at, first, counts);
          continue;
        }
        for (; bits != 0; bits &= bits - 1)
          spikes[counts.spikes++] = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits));
      }
      column = 0;
      each_word(words, [&](Value& word) { Lanes::store(columns.words[column++] + at, word); });
      for (std::size_t receptor = 0; receptor < receptors; ++receptor) Lanes::store_zero(input[receptor] + at);
    }
    return at;
  }

  /// A bit for each lane of which the neuron fires.
  template <class Lanes>
  [[nodiscard, gnu::always_inline]] static constexpr std::uint32_t fired_bits(typename Lanes::Mask active,
                                                                              typename Lanes::Mask below) noexcept {
    if constexpr (Threshold::never_fires)
      return 0;
    else if constexpr (Refractory::is_always_active)
      return Lanes::bits(below) ^ ((std::uint32_t{1} << Lanes::count) - 1);
    else
      return Lanes::bits(Lanes::and_not(active, below));
  }

  /// What flows into the membrane over the step.
  template <class Math, class AllWords, class AllConstants>
  struct Drive {
    Math& m;
    const AllWords& words;
    const AllConstants& own;
    typename Math::Value before; ///< the membrane at the begin of the step
    /// Takes half the rates of all conductances from `sum`, as input::Conductance says.
    [[nodiscard, gnu::always_inline]] constexpr auto less_rates(typename Math::Value sum) const noexcept {
      return Input::template less_rates<Synapses>(m, words.synapses, own.synapses, sum);
    }
    /// Adds it to `sum`, in units of the membrane and for a step; what depends on the membrane as it is at `v`.
    [[nodiscard, gnu::always_inline]] constexpr auto onto(typename Math::Value sum,
                                                          typename Math::Value v) const noexcept {
      sum = Input::template onto<Synapses, Membrane>(m, words.synapses, own.synapses, own.input, v, sum);
      sum = Adaptation::onto(m, words.adaptation, own.adaptation, v, sum);
      return Current::onto(m, words.current, own.current, sum);
    }
    [[nodiscard, gnu::always_inline]] constexpr auto onto(typename Math::Value sum) const noexcept {
      return onto(sum, before);
    }
    [[nodiscard, gnu::always_inline]] constexpr auto value() const noexcept { return onto(Math::splat(0)); }
  };

  template <class Lanes, class Element>
  [[nodiscard, gnu::always_inline]] static constexpr auto load_input(const std::array<Element*, receptors>& input,
                                                                     std::size_t at) noexcept {
    if constexpr (Synapses::input_in_pairs) {
      return Lanes::load_pairs(input[0] + at, input[1] + at);
    } else {
      std::array<typename Lanes::Value, receptors> values{};
      for (std::size_t receptor = 0; receptor < receptors; ++receptor)
        values[receptor] = Lanes::load(input[receptor] + at);
      return values;
    }
  }
};

namespace detail {
template <class Model>
inline constexpr bool is_neuron = false;
template <class... Parts>
inline constexpr bool is_neuron<Neuron<Parts...>> = true;
} // namespace detail

/// Which word stands where: `place_of<Model>.membrane.v`.
template <class Model>
inline constexpr auto place_of = Model::places();

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
