// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: gc::Baker and gc::Generational have at least one event, initial event, event of extension and scanned neuron; see docs/traces.md
// lines: 20
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
constexpr neuromorph::gc::BakerOptions options{.heap_bytes = 4000};
#else
constexpr neuromorph::gc::BakerOptions options{.events = 100, .heap_bytes = 4000};
#endif
neuromorph::TraceStore<char, 10, neuromorph::gc::Baker<options>> store;
