// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Hook lacks 'static void between()' or 'template <gc::Work> class During'; inherit from gc::NoHook
#include <neuromorph/gc/trace_store.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
struct Hook {
#else
struct Hook : gc::NoHook {
#endif
  static void between() {}
};
TraceStore<char, 10, gc::Fifo<100>, gc::AgeWindow<>, target::Native, Hook> store;
