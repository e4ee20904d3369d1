// SPDX-License-Identifier: BSL-1.0
// A scope of a profiler, both ends, around nothing: as a record and summarised, inlined in a loop, where addresses are in
// registers, and as a function that is called, which fetches them. The clock is a word in memory, as a timer's register
// is. The same of a trace store, written with interrupts kept out. `announce` and `report` with four tags.
#include <cstdint>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiled_traces.hpp>
#include <neuromorph/firmware/profiler.hpp>

#include "measure.hpp"

namespace {
namespace firmware = neuromorph::firmware;
std::uint32_t volatile timer;
struct Timer {
  using Tick = std::uint32_t;
  static constexpr neuromorph::AlarmKind alarm_kind = neuromorph::AlarmKind::none;
  [[nodiscard]] static Tick now() noexcept { return timer; }
};
using Tags = firmware::ProfileTags<"rows", "neurons", "scan", "compaction">;
using Profile = firmware::Channel<"prof", 1024>;
firmware::Mailbox<Profile> mailbox;
constinit const firmware::StreamedProfiler streamed(Tags{}, Timer{}, mailbox.writer<"prof">());
constinit firmware::SummarisedProfiler summarised(Tags{}, Timer{}, mailbox.writer<"prof">());

template <auto& profiler>
using OfTraces = firmware::ProfiledTraces<profiler, "rows", "scan", "compaction">;

[[gnu::noinline]] void streamed_scope() { const auto scope = streamed.scope<"rows">(); }
[[gnu::noinline]] void summarised_scope() { const auto scope = summarised.scope<"rows">(); }
} // namespace

bool run() {
  mailbox.start(200'000'000, 1);
  bool right = true;
  for (std::uint32_t turn = 0; turn < 50; ++turn) {
    timer = turn;
    MEASURE("profile.scope", 1, { const auto scope = streamed.scope<"neurons">(); });
    MEASURE("profile.scope_summarised", 1, { const auto scope = summarised.scope<"neurons">(); });
    MEASURE("profile.scope.call", 1, streamed_scope());
    MEASURE("profile.scope_summarised.call", 1, summarised_scope());
  }
  for (std::uint32_t turn = 0; turn < 50; ++turn) {
    MEASURE("profile.scope.traces", 1, { const OfTraces<streamed>::During<neuromorph::gc::Work::scan> scope(true); });
    MEASURE("profile.scope_summarised.traces", 1,
            { const OfTraces<summarised>::During<neuromorph::gc::Work::scan> scope(true); });
  }
  MEASURE("profile.step", 1, right = right && streamed.step(7));
  MEASURE("profile.report", 1, right = right && summarised.report());
  MEASURE("profile.announce", 1, right = right && summarised.announce());
  const auto& summary = summarised.summary(1);
  return right && summary.count == 50 && summary.longest == 0 && summarised.summary(0).count == 50 &&
         summarised.summary(2).count == 50 && mailbox.writer<"prof">().refused() == 0 &&
         mailbox.writer<"prof">().waiting() >= 450 + 3;
}
