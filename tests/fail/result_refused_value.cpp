// SPDX-License-Identifier: BSL-1.0
// expect: this_result_was_refused_look_at_its_status
#include <neuromorph/kernels/neurons/lif.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
constexpr LifCell cell{.c_m_nf = 0.0}; // no capacitance
#else
constexpr LifCell cell{.c_m_nf = 0.25};
#endif
constexpr auto parameters = Lif<2>::parameters(cell, 0.1).value();

int main() { return parameters.constants.reset < 0 ? 0 : 1; }
