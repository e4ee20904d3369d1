// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Range lacks 'held(weights, lanes)' or 'moved(weights, changes, lanes)'; see docs/rules.md
#include <neuromorph/kernels/plasticity/rules/stdp.hpp>

using Memory = neuromorph::PlainVectors<>;
struct Ends {
  std::uint8_t least = 0, most = 63;
};
#ifdef NEUROMORPH_KO
neuromorph::StdpRule<Memory, Memory, Memory, Ends> rule;
#else
neuromorph::StdpRule<Memory, Memory, Memory, neuromorph::CountedWeightRange> rule;
#endif
