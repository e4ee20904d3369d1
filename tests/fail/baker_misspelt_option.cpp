// SPDX-License-Identifier: BSL-1.0
// expect: extensions
// whole: 10
#include <neuromorph/gc/baker.hpp>

#ifdef NEUROMORPH_KO
constexpr neuromorph::gc::BakerOptions options{.events = 100, .extensions = 2};
#else
constexpr neuromorph::gc::BakerOptions options{.events = 100, .extension = 2};
#endif
static_assert(neuromorph::gc::Baker<options>::numbers.events == 100);
