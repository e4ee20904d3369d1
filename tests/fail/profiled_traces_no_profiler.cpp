// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: ProfiledTraces is given a profiler, which is a variable; see docs/profiling.md
#include <neuromorph/firmware/profiled_traces.hpp>
#include <neuromorph/gc/trace_store.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
int profiler;
#else
constinit firmware::NoProfiler profiler(firmware::ProfileTags<"record", "scan", "compaction">{});
#endif
using Hook = firmware::ProfiledTraces<profiler, "record", "scan", "compaction">;
TraceStore<char, 10, gc::Fifo<100>, gc::AgeWindow<>, target::Native, Hook> store;
