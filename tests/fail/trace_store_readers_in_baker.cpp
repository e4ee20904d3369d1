// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: readers are counted by neuron, and Collector's Heap lacks 'States' among its 'Offers'; take gc::Pool,
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
using Collector = gc::Baker<gc::BakerOptions{.events = 100}>;
#else
using Collector = gc::Pool<100>;
#endif

TraceStore<char, 10, Collector, gc::ReadCountPerNeuron<>> store;
