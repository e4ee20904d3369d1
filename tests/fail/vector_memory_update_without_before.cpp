// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: update(memory, address, before, after, lanes) lacks 'before', what was read there; write(memory, address, after, lanes) does without; see docs/rules.md
// whole: 15
#include <neuromorph/vector_memory.hpp>

using namespace neuromorph;

int main() {
  VectorArray<1> bytes;
  PlainVectors weights(bytes);
  const auto before = weights.read(0), after = before + before;
#ifdef NEUROMORPH_KO
  update(weights, 0, after, MaskVector(true));
#else
  update(weights, 0, before, after, MaskVector(true));
#endif
  return 0;
}
