// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Collector lacks 'template <class Layout> class Heap'; see docs/traces.md
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
using Collector = neuromorph::gc::AgeWindow<>;
#else
using Collector = neuromorph::gc::Fifo<100>;
#endif
neuromorph::TraceStore<char, 10, Collector> store;
