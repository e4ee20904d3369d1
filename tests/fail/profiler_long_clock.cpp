// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a profiler's clock has 32-bit ticks
// lines: 14
#include <cstdint>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiler.hpp>

using namespace neuromorph;
template <class Ticks>
struct Clock {
  using Tick = Ticks;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  static Tick now() noexcept { return 1; }
};
firmware::Mailbox<firmware::Channel<"prof", 64>> mailbox;
using Tags = firmware::ProfileTags<"rows">;

#ifdef NEUROMORPH_KO
firmware::SummarisedProfiler profiler(Tags{}, Clock<std::uint64_t>{}, mailbox.writer<"prof">());
#else
firmware::SummarisedProfiler profiler(Tags{}, Clock<std::uint32_t>{}, mailbox.writer<"prof">());
#endif
int main() {}
