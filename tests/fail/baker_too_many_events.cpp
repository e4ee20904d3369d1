// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: gc::Baker and gc::Generational hold 1 to 32767 events; see docs/traces.md
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
constexpr int events = 40000;
#else
constexpr int events = 4000;
#endif
neuromorph::TraceStore<char, 10, neuromorph::gc::Baker<events>> store;
