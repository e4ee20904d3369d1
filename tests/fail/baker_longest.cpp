// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: gc::Baker and gc::Generational have no more 'longest' than 'events', and at most 65534 neurons; see docs/traces.md
// lines: 20
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
constexpr neuromorph::gc::BakerOptions options{.events = 100, .longest = 101};
#else
constexpr neuromorph::gc::BakerOptions options{.events = 100, .longest = 100};
#endif
neuromorph::TraceStore<char, 10, neuromorph::gc::Baker<options>> store;
