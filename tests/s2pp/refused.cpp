// SPDX-License-Identifier: BSL-1.0
// Vector instructions that the model must refuse, one for each argument; tests/CMakeLists.txt has the sentences.
#include <cstdint>
#include <cstdlib>

#include <neuromorph/target/power/s2pp_instructions.hpp>

namespace {

using Condition = neuromorph::target::S2ppCondition;
using Operation = neuromorph::target::S2ppOperation;
using neuromorph::target::s2pp_word;

alignas(16) std::uint8_t memory[32];

} // namespace

int main(int count, char** arguments) {
  switch (count > 1 ? std::atoi(arguments[1]) : 0) {
  case 1: asm volatile(".long %c0\n\tsync" : : "n"(4U << 26 | 1U << 2)); break;
  case 2: asm volatile(".long %c0\n\tsync" : : "n"(s2pp_word(Operation::cmpb, 3, 1))); break;
  case 3: asm volatile(".long %c0\n\tsync" : : "n"(s2pp_word(Operation::shb, 1, 1, 1, Condition::less))); break;
  case 4:
    asm volatile(".long %c0 | %1 << 11\n\tsync" : : "n"(s2pp_word(Operation::lax, 1, 0)), "r"(memory + 8) : "memory");
    break;
  case 5: asm volatile(".long %c0" : : "n"(s2pp_word(Operation::addbm, 1, 1, 1))); break;
  case 6:
    asm volatile(".long %c0 | %1 << 11\n\tsync" : : "n"(s2pp_word(Operation::inx, 1, 0)), "r"(100000) : "memory");
    break;
  default: break; // no vector instruction at all
  }
  return 0;
}
