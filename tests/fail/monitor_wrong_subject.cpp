// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a monitor reports a Provenance, a Scheduler, an Executive or SpikeCounts; see docs/monitor.md
// lines: 14
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/monitor.hpp>

using namespace neuromorph;
firmware::Mailbox<firmware::Channel<"mon ", 64>> mailbox;
struct Clock {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  static Tick now() { return 0; }
};
firmware::Monitor monitor(Clock{}, mailbox.writer<"mon ">());

#ifdef NEUROMORPH_KO
int main() { return monitor.report(mailbox) ? 0 : 1; }
#else
int main() { return monitor.report(Provenance{}) ? 0 : 1; }
#endif
