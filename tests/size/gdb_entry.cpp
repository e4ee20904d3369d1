// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// What all of these have in common: the entry of the fault, the regions, `main`.
#include "gdb.hpp"

namespace {

volatile std::uint32_t looked_at;
void on_fault(neuromorph::target::ArmRegisters& registers) noexcept {
  registers.general[0] = looked_at;
  for (const auto& region : measured::regions) looked_at = region.begin;
}
[[gnu::naked]] void fault() {
#if defined(__thumb2__)
  neuromorph::target::cortex_m_exception<on_fault>();
#else
  neuromorph::target::armv5te_exception<on_fault, neuromorph::target::ArmVector::prefetch_abort>();
#endif
}

} // namespace

int main() {
  measured::vector = fault;
  return 0;
}
