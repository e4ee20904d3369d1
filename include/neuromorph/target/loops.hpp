// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a backend may have besides target::Backend, by name: it lists what it has, `using Offers = offer::List<...>`.
///
/// A list that is inherited speaks for the base. A backend that hides or adds something has a list of its own, in which
/// that of the base may stand: `offer::List<Base::Offers, offer::Clamp>`.
#ifndef NEUROMORPH_TARGET_LOOPS_HPP
#define NEUROMORPH_TARGET_LOOPS_HPP

#include <cstddef>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace offer {

// --- loops of a backend; what they do stands with the kernels that call them
/// `lif_membranes<TimeConstants>(...)`: membranes of Lif and PackedLif.
struct LifMembranes {
  int lif_membranes;
  template <class Part>
  static auto find() -> decltype(&Part::lif_membranes);
};
/// `lif_membranes_by_neuron<TimeConstants>(...)`: membranes of Lif, each with its own constants.
struct LifMembranesByNeuron {
  int lif_membranes_by_neuron;
  template <class Part>
  static auto find() -> decltype(&Part::lif_membranes_by_neuron);
};
/// `lif_psps<Differences, ByNeuron>(...)`: synaptic states of Lif.
struct LifPsps {
  int lif_psps;
  template <class Part>
  static auto find() -> decltype(&Part::lif_psps);
};
/// `packed_lif_psps(...)`: synaptic states of PackedLif.
struct PackedLifPsps {
  int packed_lif_psps;
  template <class Part>
  static auto find() -> decltype(&Part::packed_lif_psps);
};
/// `packed_lif(block, saturations)`: a step of PackedLif.
struct PackedLif {
  int packed_lif;
  template <class Part>
  static auto find() -> decltype(&Part::packed_lif);
};
/// `driven_lif<Loop>(...)`: a step of LIF neurons whose psps carry the constant drive.
struct DrivenLif {
  int driven_lif;
  template <class Part>
  static auto find() -> decltype(&Part::driven_lif);
};
/// `izhikevich_membranes(block)`: membranes of Izhikevich's neurons.
struct IzhikevichMembranes {
  int izhikevich_membranes;
  template <class Part>
  static auto find() -> decltype(&Part::izhikevich_membranes);
};
/// `conductance_membranes(block)`: leaky membranes under two exponential conductances.
struct ConductanceMembranes {
  int conductance_membranes;
  template <class Part>
  static auto find() -> decltype(&Part::conductance_membranes);
};
/// `fill_jkiss64(state, to, count)`: words of Jkiss64.
struct FillJkiss64 {
  int fill_jkiss64;
  template <class Part>
  static auto find() -> decltype(&Part::fill_jkiss64);
};
/// `fill_sfc32(state, to, count)`: words of Sfc32.
struct FillSfc32 {
  int fill_sfc32;
  template <class Part>
  static auto find() -> decltype(&Part::fill_sfc32);
};
/// `fill_sfc32x16(columns, turn, to, rounds)`: words of Sfc32x16.
struct FillSfc32x16 {
  int fill_sfc32x16;
  template <class Part>
  static auto find() -> decltype(&Part::fill_sfc32x16);
};
/// `alias_cells(...)`: the cells of an alias table.
struct AliasCells {
  int alias_cells;
  template <class Part>
  static auto find() -> decltype(&Part::alias_cells);
};
/// `add_counts(sums, counts, count, weight)`: counted events times a weight, to sums of input.
struct AddCounts {
  int add_counts;
  template <class Part>
  static auto find() -> decltype(&Part::add_counts);
};
/// `byte_cells(...)`: the cells of a byte table.
struct ByteCells {
  int byte_cells;
  template <class Part>
  static auto find() -> decltype(&Part::byte_cells);
};
/// `pair_cells(...)`: the cells of a pair table.
struct PairCells {
  int pair_cells;
  template <class Part>
  static auto find() -> decltype(&Part::pair_cells);
};
/// `word_positions(...)`: the bounds of a word table.
struct WordPositions {
  int word_positions;
  template <class Part>
  static auto find() -> decltype(&Part::word_positions);
};
/// `byte_blocks(...)`: whole blocks of a byte table, from the sources that it can draw from.
struct ByteBlocks {
  int byte_blocks;
  template <class Part>
  static auto find() -> decltype(&Part::byte_blocks);
};
/// `pair_blocks(...)`: the same of a pair table.
struct PairBlocks {
  int pair_blocks;
  template <class Part>
  static auto find() -> decltype(&Part::pair_blocks);
};
/// `word_blocks(...)`: the same of a word table.
struct WordBlocks {
  int word_blocks;
  template <class Part>
  static auto find() -> decltype(&Part::word_blocks);
};
/// `static constexpr std::size_t vectors_at_once`: how many vectors a rule should take.
struct VectorsAtOnce {
  int vectors_at_once;
  template <class Part>
  static auto find() -> decltype(&Part::vectors_at_once);
};
// --- operations of a backend's Vectors, which are made of others elsewhere
/// `nonzero<Width>(register)`.
struct NonzeroLanes {
  int nonzero;
  template <class Part>
  static auto find() -> decltype(&Part::nonzero);
};
/// `from_bits(bits)`.
struct FlagsFromBits {
  int from_bits;
  template <class Part>
  static auto find() -> decltype(&Part::from_bits);
};
/// `multiply_add<Element>(a, b, c)`.
struct MultiplyAdd {
  int multiply_add;
  template <class Part>
  static auto find() -> decltype(&Part::multiply_add);
};
/// `multiply_add_fractional<Element>(a, b, c)`.
struct MultiplyAddFractional {
  int multiply_add_fractional;
  template <class Part>
  static auto find() -> decltype(&Part::multiply_add_fractional);
};
/// `clamp<Element>(a, least, most)`.
struct Clamp {
  int clamp;
  template <class Part>
  static auto find() -> decltype(&Part::clamp);
};
/// `scaled_difference<Shift, away>(a, b, factor, offset)`.
struct ScaledDifference {
  int scaled_difference;
  template <class Part>
  static auto find() -> decltype(&Part::scaled_difference);
};

} // namespace offer

namespace target {
/// What UnsignedLanes compute with as with numbers, and what else is made of them: target/lane_words.hpp.
template <class Group>
struct LaneWords;
template <class Lanes, std::size_t Keys, std::size_t RecordWords>
class RecentRecords;
} // namespace target

namespace target::detail {

using Loops = offer::List<offer::LifMembranes, offer::LifMembranesByNeuron, offer::LifPsps, offer::PackedLifPsps,
                          offer::PackedLif, offer::DrivenLif, offer::IzhikevichMembranes, offer::ConductanceMembranes,
                          offer::FillJkiss64, offer::FillSfc32, offer::FillSfc32x16, offer::AliasCells,
                          offer::AddCounts, offer::ByteCells, offer::PairCells, offer::WordPositions, offer::ByteBlocks,
                          offer::PairBlocks, offer::WordBlocks, offer::VectorsAtOnce>;
using Operations = offer::List<offer::NonzeroLanes, offer::FlagsFromBits, offer::MultiplyAdd,
                               offer::MultiplyAddFractional, offer::Clamp, offer::ScaledDifference>;

/// Whether the list says no more and no less than there is.
template <class Part, class Name>
inline constexpr bool is_as_said = neuromorph::detail::is_said<Part, Name>() &&
                                   (!neuromorph::detail::offers<Part, Name> ||
                                    neuromorph::detail::has_member<Part, Name>());
template <class Part, class Names>
inline constexpr bool are_said = false;
template <class Part, class... Names>
inline constexpr bool are_said<Part, offer::List<Names...>> = (is_as_said<Part, Names> && ...);

} // namespace target::detail

namespace target {

/// Whether a backend, and its vectors, list all that they have of what may be left out, and have all that they list: for
/// an assertion beside the backend, as a kernel asks only for what it calls.
template <class Candidate>
concept SaysItsLoops = neuromorph::detail::says_offers<Candidate> && detail::are_said<Candidate, detail::Loops>;
template <class Candidate, std::size_t Count = 1>
concept SaysItsOperations = neuromorph::detail::says_offers<typename Candidate::template Vectors<Count>> &&
    detail::are_said<typename Candidate::template Vectors<Count>, detail::Operations>;

} // namespace target

namespace detail {

/// Whether a backend, or its vectors, has a loop or an operation of its own; what it says is compared with what it has.
///
/// \tparam is_callable  whether it can be called as the kernel will
template <class Part, class Name, bool is_callable>
[[nodiscard]] consteval bool has_loop() {
  static_assert(says_offers<Part>,
                "neuromorph: a backend, or its Vectors, lacks 'using Offers', an offer::List of the loops that it has; "
                "see docs/target.md");
  static_assert(is_said<Part, Name>(), "neuromorph: a backend has a loop that its 'Offers' lacks; the second argument "
                                       "of has_loop names it; see docs/target.md");
  static_assert(!offers<Part, Name> || is_callable,
                "neuromorph: a backend offers a loop and lacks it, or has it with other arguments; the second argument "
                "of has_loop names it; see docs/target.md");
  return offers<Part, Name>;
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
