// SPDX-License-Identifier: BSL-1.0
// A mailbox with a profiler that summarises: four tags announced, one scope, a step, a report.
#include <cstdint>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiler.hpp>

namespace {

namespace firmware = neuromorph::firmware;
struct Timer {
  using Tick = std::uint32_t;
  static constexpr neuromorph::AlarmKind alarm_kind = neuromorph::AlarmKind::none;
  [[nodiscard]] static Tick now() noexcept { return *reinterpret_cast<volatile Tick*>(0x101E'2004); }
};
using Tags = firmware::ProfileTags<"rows", "neurons", "scan", "compaction">;

firmware::Mailbox<firmware::Channel<"prof", 256>> mailbox;
constinit firmware::SummarisedProfiler profiler(Tags{}, Timer{}, mailbox.writer<"prof">());
volatile std::uint32_t input = 3;

} // namespace

int main() {
  mailbox.start(200'000'000, input);
  const bool is_announced = profiler.announce();
  {
    const auto scope = profiler.scope<"neurons">();
    input = input * 5;
  }
  return is_announced && profiler.step(input) && profiler.report() ? 0 : 1;
}
