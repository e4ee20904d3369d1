// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Trace is trivially copyable and has 1 to 16 bytes; see docs/traces.md
#include <neuromorph/gc/trace_store.hpp>

struct Trace {
#ifdef NEUROMORPH_KO
  double values[3];
#else
  double values[2];
#endif
};
neuromorph::TraceStore<Trace, 10> store;
