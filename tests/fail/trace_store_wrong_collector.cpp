// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Collector's Heap lacks something of what gc::CollectorHeap in gc/collector.hpp lists
#include <neuromorph/gc/trace_store.hpp>

struct Collector {
#ifdef NEUROMORPH_KO
  template <class Layout>
  struct Heap {};
#else
  template <class Layout>
  using Heap = neuromorph::gc::Fifo<100>::Heap<Layout>;
#endif
};
neuromorph::TraceStore<char, 10, Collector> store;
