// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a vertex lacks 'using Regions
#include <neuromorph/runtime/vertex.hpp>

namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;

struct Core {
  void send(std::uint32_t) {}
  void send(std::uint32_t, std::uint32_t) {}
  bool record(unsigned, std::span<const std::uint32_t>) { return true; }
  void count(unsigned, std::uint32_t) {}
  bool message(unsigned, std::span<const std::uint8_t>) { return true; }
  void log(const char*) {}
  void fail(std::uint32_t) {}
  void finish() {}
};
struct Right {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Tick>;
  neuromorph::Status start(Core&) { return {}; }
  void tick(Core&, std::uint32_t) {}
};
void right(Right& vertex, Core& core) { runtime::Calls<Right, Core>::tick(vertex, core, 0); }

#ifdef NEUROMORPH_KO
struct Wrong {
  using Offers = offer::List<>;
  neuromorph::Status start(Core&) { return {}; }
};
void wrong(Wrong& vertex, Core& core) { runtime::Calls<Wrong, Core>::tick(vertex, core, 0); }
#endif

int main() { return 0; }
