// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a memory of vectors lacks 'using Offers', an offer::List of what it has of 'ReadAtOnce'
#include <neuromorph/neuromorph.hpp>

#include "tests/support/byte_memory.hpp"

using namespace neuromorph;

struct Memory : ByteMemory {
#ifdef NEUROMORPH_KO
  void renew(VectorAddress address, const Vec<std::uint8_t>&, const Vec<std::uint8_t>& after,
             const MaskVector& lanes) const {
    write(address, after, lanes);
  }
#else
  using Offers = offer::List<>;
#endif
};

int main() { return runs_in<Memory>() ? 0 : 1; }
