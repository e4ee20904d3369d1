// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: gc::Fifo reclaims in order of time, which this Liveness does not keep; take gc::Pool; see
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/trace_store.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Collector = gc::Fifo<100>;
#else
using Collector = gc::Pool<100>;
#endif
TraceStore<char, 10, Collector, gc::ReadCount<5>> store;
