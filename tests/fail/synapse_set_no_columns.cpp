// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: an array of synapses has at least one row and one column
#include <neuromorph/kernels/plasticity/synapse_set.hpp>

[[maybe_unused]] constexpr neuromorph::SynapseSet<1, 1> right;

#ifdef NEUROMORPH_KO
[[maybe_unused]] constexpr neuromorph::SynapseSet<32, 0> wrong;
#endif

int main() { return 0; }
