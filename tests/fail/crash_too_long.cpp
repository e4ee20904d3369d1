// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a CrashReport keeps fewer than 2^15 words of the stack, and of the log
// lines: 14
#include <neuromorph/firmware/crash.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
constexpr std::uint32_t words = 1 << 15;
#else
constexpr std::uint32_t words = 1 << 14;
#endif
static_assert(firmware::CrashReport<words>::words > words);
int main() { return 0; }
