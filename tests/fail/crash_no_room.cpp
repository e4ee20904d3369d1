// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the channel has no room for this CrashReport
// lines: 14
#include <neuromorph/firmware/crash.hpp>
#include <neuromorph/firmware/mailbox.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
constexpr std::uint32_t capacity = 128;
#else
constexpr std::uint32_t capacity = 256;
#endif
firmware::Mailbox<firmware::Channel<"crsh", capacity>> mailbox;

int main() {
  const firmware::CrashReport<128> report(nullptr, 0, 0, 0);
  return report.send(mailbox.writer<"crsh">()) ? 0 : 1;
}
