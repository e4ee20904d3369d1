// SPDX-License-Identifier: BSL-1.0
// Compiled twice, as odr_first and odr_second, with different flags. Reports what the flags are here, and what the
// inline functions say that the linker left for this unit.
#include <typeinfo>

#include "subject.hpp"

int ODR_UNIT_HERE() { return 10 * ODR_INSTRUCTION_SET + NEUROMORPH_CHECKS; }
int ODR_UNIT_INLINE() { return subject::compiled_with(); }
int ODR_UNIT_TEMPLATE() { return subject::compiled_with_plus<100>(); }
const char* ODR_UNIT_NAME() { return typeid(subject::Probe).name(); }
