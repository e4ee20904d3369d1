// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a rule works on vector memories: give it PlainVectors(array) of a VectorArray; see docs/rules.md
// whole: 15
#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/rules/stdp.hpp>

using namespace neuromorph;

int main() {
  VectorArray<1> weights, causal, acausal;
#ifdef NEUROMORPH_KO
  StdpRule rule{weights, causal, acausal, 64};
#else
  StdpRule rule{PlainVectors(weights), PlainVectors(causal), PlainVectors(acausal), 64};
#endif
  const Mask<1, 1> mask;
  MaskWrapper wrapper(mask, rule);
  return wrapper.run().ok() ? 0 : 1;
}
