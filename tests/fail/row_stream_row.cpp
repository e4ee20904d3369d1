// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Row is a ChangingRow, a FixedRow or derived from one; see docs/scheduling.md
#include <neuromorph/sched/row_stream.hpp>

using namespace neuromorph;

struct Engine {
  std::uint32_t start(void*, const void*, std::size_t) { return 1; }
  bool is_complete(std::uint32_t) { return true; }
  void poll() {}
};
#ifndef NEUROMORPH_KO
struct Row : FixedRow {
#else
struct Row {
  std::uint32_t* words = nullptr;
  std::uint32_t count = 0;
  static constexpr bool is_fixed() { return true; }
#endif
  std::uint32_t spike = 0;
};

Engine copier;
RowStream<Engine, 8, 2, 10, Row> stream(copier);
