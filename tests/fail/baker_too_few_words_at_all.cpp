// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: gc::Baker and gc::Generational copy more than four events and 20 words at a time; see docs/traces.md
// lines: 20
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
constexpr neuromorph::gc::GenerationalOptions options{.events = 100, .words = 28, .heap_bytes = 8000};
#else
constexpr neuromorph::gc::GenerationalOptions options{.events = 100, .words = 29, .heap_bytes = 8000};
#endif
neuromorph::TraceStore<char, 10, neuromorph::gc::Generational<options>> store;
