// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the profiler has no tag of this name
// lines: 14
#include <neuromorph/firmware/profiler.hpp>

using namespace neuromorph;
constexpr firmware::NoProfiler profiler(firmware::ProfileTags<"rows", "neurons">{});

#ifdef NEUROMORPH_KO
int main() { const auto scope = profiler.scope<"row">(); }
#else
int main() { const auto scope = profiler.scope<"rows">(); }
#endif
