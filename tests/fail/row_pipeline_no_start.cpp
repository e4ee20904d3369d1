// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the engine lacks 'start(to, from, bytes)', whose handle converts to std::uint32_t; see
// docs/scheduling.md
#include <neuromorph/sched/row_pipeline.hpp>

using namespace neuromorph;

struct Engine {
#ifdef NEUROMORPH_KO
  void start(void*, const void*, std::size_t) {}
#else
  std::uint32_t start(void*, const void*, std::size_t) { return 0; }
#endif
  bool is_complete(std::uint32_t) { return true; }
  void poll() {}
};

int main() {
  Engine engine;
  RowPipeline<Engine, 4, 2, 8> rows(engine);
  return rows.is_idle() ? 0 : 1;
}
