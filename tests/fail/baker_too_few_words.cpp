// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: gc::Baker and gc::Generational copy so few 'words' at a time that they may come too late, whatever the memory; see docs/traces.md
// lines: 20
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
constexpr neuromorph::gc::BakerOptions options{.events = 100, .words = 20};
#else
constexpr neuromorph::gc::BakerOptions options{.events = 100, .words = 64};
#endif
neuromorph::TraceStore<char, 10, neuromorph::gc::Baker<options>> store;
