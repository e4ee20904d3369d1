// SPDX-License-Identifier: BSL-1.0
// The name by which Arduino finds the library; its headers stand beside this one.
#if defined(__AVR__)
#error "neuromorph needs C++20, which compilers for AVR have not; use a 32-bit board"
#endif
#include <neuromorph/neuromorph.hpp>
