// SPDX-License-Identifier: BSL-1.0
/// \file
/// Fixed circular buffers, one for each neuron: what has expired is overwritten when its place is needed.
///
/// Invariant: a neuron's events follow on each other in its buffer, from `first` on, round the end. Nothing is moved.
/// An advance looks at one neuron after another, so that nothing gets so old that it looks young.
#ifndef NEUROMORPH_GC_RING_HPP
#define NEUROMORPH_GC_RING_HPP

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
/// Memory: per neuron PerNeuron events and 2 bytes; 32 for all.
/// \cost  record O(1); window O(PerNeuron); advance_to O(PerNeuron); clear O(Neurons)
/// Locked: a whole record; a whole advance; in a window, the search for the first live event.
/// Room: an event is refused while PerNeuron events of its own neuron are alive, however little the others have.
template <std::size_t PerNeuron = 16, WhenFull Full = WhenFull::refuse_newest>
struct Ring {
  template <class Layout>
  using Heap = detail::NeuronBuffers<Layout, PerNeuron, Full, true>;
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
