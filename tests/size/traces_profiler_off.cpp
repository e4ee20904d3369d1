// SPDX-License-Identifier: BSL-1.0
// A trace store with a profiler that is off, and a collector that compacts: records, scans and compactions are no scopes.
// same bytes with: -DNOT_PROFILED
#include <cstdint>

#include <neuromorph/firmware/profiled_traces.hpp>
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>

namespace {
using namespace neuromorph;
#if !defined(NOT_PROFILED)
using Tags = firmware::ProfileTags<"record", "scan", "compaction">;
constinit firmware::NoProfiler profiler(Tags{});
using Hook = firmware::ProfiledTraces<profiler, "record", "scan", "compaction">;
#else
using Hook = gc::NoHook;
#endif
constexpr gc::BakerOptions options{.events = 100, .heap_bytes = 1600};
TraceStore<std::uint32_t, 20, gc::Baker<options>, gc::AgeWindow<500>, target::Native, Hook> store;
volatile std::uint32_t input = 3;
} // namespace

int main() {
  std::uint32_t seen = 0;
  for (std::uint32_t now = 1; now < input; ++now) {
    store.advance_to(now);
    store.record(input, now, now);
    for (const auto& event : store.window(input, 0, now)) seen += event.trace;
  }
  return static_cast<int>(seen);
}
