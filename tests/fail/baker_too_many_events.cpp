// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the heap of gc::Baker and gc::Generational has 8 events to 65535 words; with fewer 'events', or with 'heap_bytes' of your own, it is smaller; see docs/traces.md
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
constexpr neuromorph::gc::BakerOptions options{.events = 20000, .longest = 64, .words = 128};
#else
constexpr neuromorph::gc::BakerOptions options{.events = 2000, .longest = 64, .words = 128};
#endif
neuromorph::TraceStore<char, 10, neuromorph::gc::Baker<options>> store;
