// SPDX-License-Identifier: BSL-1.0
// A mailbox with a profiler: four tags announced, one scope, a step, a report.
#ifndef TESTS_SIZE_PROFILER_HPP
#define TESTS_SIZE_PROFILER_HPP

#include <cstdint>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiler.hpp>

namespace measured {

namespace firmware = neuromorph::firmware;
struct Timer {
  using Tick = std::uint32_t;
  static constexpr neuromorph::AlarmKind alarm_kind = neuromorph::AlarmKind::none;
  [[nodiscard]] static Tick now() noexcept { return *reinterpret_cast<volatile Tick*>(0x101E'2004); }
};
using Tags = firmware::ProfileTags<"rows", "neurons", "scan", "compaction">;

inline firmware::Mailbox<firmware::Channel<"prof", 256>> mailbox;
inline volatile std::uint32_t input = 3;

template <class Profiler>
int profile(Profiler& profiler) {
  mailbox.start(200'000'000, input);
  const bool is_announced = profiler.announce();
  {
    const auto scope = profiler.template scope<"neurons">();
    input = input * 5;
  }
  return is_announced && profiler.step(input) && profiler.report() ? 0 : 1;
}

} // namespace measured

#endif
