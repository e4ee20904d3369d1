// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: gc::Generational groups by age, so Liveness has a 'window'; take gc::Baker; see docs/traces.md
// lines: 30
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
using Liveness = neuromorph::gc::ReadCount<3>;
#else
using Liveness = neuromorph::gc::AgeWindow<3>;
#endif
neuromorph::TraceStore<char, 10, neuromorph::gc::Generational<neuromorph::gc::GenerationalOptions{.events = 100}>,
                       Liveness>
    store;
