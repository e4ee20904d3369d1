// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Collector's Heap has 'record_fast', and its 'Offers' lacks 'offer::RecordFast'; see docs/traces.md
// expect: neuromorph: Collector's Heap has 'advance_fast', and its 'Offers' lacks 'offer::AdvanceFast'; see docs/traces.md
// expect: neuromorph: Collector's Heap has 'change_states', and its 'Offers' lacks 'offer::States'; see docs/traces.md
// expect: neuromorph: Collector's Heap has 'leap', and its 'Offers' lacks 'offer::Leap'; see docs/traces.md
// expect: neuromorph: Collector's Heap has 'lost_until', and its 'Offers' lacks 'offer::LostUntil'; see docs/traces.md
#include <neuromorph/neuromorph.hpp>

#include "tests/support/quick_pool.hpp"

using namespace neuromorph;

#ifdef NEUROMORPH_KO
struct Collector {
  template <class Layout>
  struct Heap : QuickPool::Heap<Layout> {
    using QuickPool::Heap<Layout>::Heap;
    using Offers = offer::List<>;
  };
};
#else
using Collector = QuickPool;
#endif

TraceStore<char, 10, Collector> store;
