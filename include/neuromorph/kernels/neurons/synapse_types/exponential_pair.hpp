// SPDX-License-Identifier: BSL-1.0
/// \file
/// Exponential synaptic currents of 16 bits: excitation and inhibition share a word.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_EXPONENTIAL_PAIR_HPP
#define NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_EXPONENTIAL_PAIR_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/part.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace synapse {

/// Unsigned psps, the inhibitory one in the upper half. They couple to the membrane by whole numbers of its units. Their
/// products are dithered to 16 bits, so that nothing is lost on average.
struct ExponentialPair : Part<Role::synapses> {
  static constexpr std::size_t receptors = 2;
  static constexpr bool input_in_pairs = true;
  template <class Word>
  struct Words {
    Word psps;
  };
  template <class Word>
  struct Constants {
    Word coupling; ///< membrane units per psp unit and step: excitation below, inhibition above and negative
    Word centre;   ///< 2^15 (excitation's coupling - inhibition's): psps are coupled as signed numbers
  };
  struct Shared {
    std::array<std::uint32_t, 2> keep{}; ///< exp(-dt/tau) 2^32, by receptor
  };
  static constexpr auto onto(auto& m, const auto& word, const auto& own, auto sum) noexcept {
    return m.multiply_add_pairs(m.add(sum, own.centre), word.psps, own.coupling);
  }
  static constexpr void step(auto& m, auto& word, const auto& own, const auto& input) noexcept {
    const auto kept = m.decayed_pairs(word.psps, own.shared.keep);
    word.psps = m.add_pairs_held(kept, input);
  }
};

} // namespace synapse
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
