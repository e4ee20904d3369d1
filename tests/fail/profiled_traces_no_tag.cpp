// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the profiler has no tag of this name, or has it twice; see docs/profiling.md
#include <neuromorph/firmware/profiled_traces.hpp>
#include <neuromorph/gc/trace_store.hpp>

using namespace neuromorph;
constinit firmware::NoProfiler profiler(firmware::ProfileTags<"record", "scan", "compaction">{});
#ifdef NEUROMORPH_KO
using Hook = firmware::ProfiledTraces<profiler, "record", "scan", "compation">;
#else
using Hook = firmware::ProfiledTraces<profiler, "record", "scan", "compaction">;
#endif
TraceStore<char, 10, gc::Fifo<100>, gc::AgeWindow<>, target::Native, Hook> store;
