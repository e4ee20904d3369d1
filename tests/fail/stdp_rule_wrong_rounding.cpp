// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rounding is none of rounding::NearestAway, Nearest, Down, nor a random source; see docs/rules.md
#include <neuromorph/kernels/plasticity/rules/stdp.hpp>

using Memory = neuromorph::PlainVectors<>;
#ifdef NEUROMORPH_KO
// a policy that needs a source, without one
neuromorph::StdpRule<Memory, Memory, Memory, neuromorph::WeightRange, neuromorph::rounding::Stochastic> rule;
#else
neuromorph::StdpRule<Memory, Memory, Memory, neuromorph::WeightRange, neuromorph::rounding::Dither> rule;
#endif
