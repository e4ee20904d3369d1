// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: SaveEngine and RestoreEngine lack what a target::CopyEngine offers; see docs/target.md
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>

#ifdef NEUROMORPH_KO
struct Engine : neuromorph::target::CopyWords {
  static void start(void* to, const void* from, std::size_t bytes) { CopyWords::start(to, from, bytes); }
};
#else
struct Engine : neuromorph::target::CopyWords {};
#endif
neuromorph::TraceStore<char, 10, neuromorph::gc::Baker<100, 4, 4, 4, 16, Engine>> store;
