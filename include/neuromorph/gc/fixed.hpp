// SPDX-License-Identifier: BSL-1.0
/// \file
/// Fixed buffers, one for each neuron, oldest event first: the state of the practice, to compare with.
///
/// Invariant: a neuron's events stand at the front of its buffer, in order. Only a record that finds the buffer full,
/// and an advance, which looks at one neuron after another, take dead events out: the others move to the front.
#ifndef NEUROMORPH_GC_FIXED_HPP
#define NEUROMORPH_GC_FIXED_HPP

#include <cstddef>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/detail/neuron_buffers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// \tparam PerNeuron  most events of one neuron, 1 to 255
/// \tparam Full       what happens when a neuron's are all alive: WhenFull::oldest_gives_way takes its own oldest
///
/// Memory: per neuron PerNeuron events and 1 byte; 32 for all.
/// \cost  record O(1), O(PerNeuron) when the buffer is full; window O(PerNeuron); advance_to O(PerNeuron);
/// clear O(Neurons)
/// Locked: a whole record; a whole advance; in a window, the search for the first live event. Records move what views
/// show: keep interrupts out while you use one, or record at its level only.
/// Room: an event is refused while PerNeuron events of its own neuron are alive, however little the others have.
template <std::size_t PerNeuron = 16, WhenFull Full = WhenFull::oldest_gives_way>
struct Fixed {
  template <class Layout>
  using Heap = detail::NeuronBuffers<Layout, PerNeuron, Full, false>;
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
