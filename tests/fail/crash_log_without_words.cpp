// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a CrashReport that is given a log says how many of its words it keeps: CrashReport<128, 64>
// lines: 14
#include <neuromorph/firmware/crash.hpp>
#include <neuromorph/firmware/mailbox.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
using Report = firmware::CrashReport<128>;
#else
using Report = firmware::CrashReport<128, 64>;
#endif
firmware::Mailbox<firmware::Channel<"log ", 256>> mailbox;

int main() {
  Report report(nullptr, 0, 0, 0);
  return report.record({}, firmware::Cause::fault, {}, mailbox.writer<"log ">()) ? 0 : 1;
}
