// SPDX-License-Identifier: BSL-1.0
// expect: Missed
// whole: 8
#include <neuromorph/sched/executive.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
using Steps = Timer<std::uint32_t, Overrun::catch_up>;
#else
using Steps = Timer<std::uint32_t, Missed::catch_up>;
#endif

int main() { return Steps::from({.service = 1, .period = 1000}).ok() ? 0 : 1; }
