// SPDX-License-Identifier: BSL-1.0
// expect: this_result_was_refused_look_at_its_status
#include <neuromorph/kernels/neurons/models/lif.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr double c_nf = 0.0; // no capacitance
#else
constexpr double c_nf = 0.25;
#endif
constexpr auto made = Lif<>::make({.membrane = {.c_nf = c_nf}, .synapses = {{5.0, 5.0}}}, 0.1).value();

int main() { return made.constants.reset.v < 0 ? 0 : 1; }
