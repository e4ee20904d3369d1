// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the engine lacks 'bool is_complete(handle)'; see docs/scheduling.md
#include <neuromorph/sched/row_pipeline.hpp>

using namespace neuromorph;

struct Engine {
  std::uint32_t start(void*, const void*, std::size_t) { return 0; }
#ifdef NEUROMORPH_KO
  void is_complete(std::uint32_t) {}
#else
  bool is_complete(std::uint32_t) { return true; }
#endif
  void poll() {}
};

int main() {
  Engine engine;
  RowPipeline<Engine, 4, 2, 8> rows(engine);
  return rows.is_idle() ? 0 : 1;
}
