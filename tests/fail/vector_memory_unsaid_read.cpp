// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a memory offers 'ReadAtOnce' and lacks 'read<Count>(VectorAddress)', or has it, and its
#include <neuromorph/neuromorph.hpp>

#include "tests/support/byte_memory.hpp"

using namespace neuromorph;

struct Memory : ByteMemory {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<>;
  using ByteMemory::read;
  template <std::size_t Count>
  Vec<std::uint8_t, target::Native, Count> read(VectorAddress address) const {
    return PlainVectors<>(*bytes).read<Count>(address);
  }
#else
  using Offers = offer::List<>;
#endif
};

int main() { return runs_in<Memory>() ? 0 : 1; }
