// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a memory has 'update', and its 'Offers' lacks 'offer::UpdateVector'; see docs/rules.md
// expect: neuromorph: a memory has 'clear', and its 'Offers' lacks 'offer::ClearVector'; see docs/rules.md
#include <neuromorph/neuromorph.hpp>

#include "tests/support/byte_memory.hpp"

using namespace neuromorph;

struct Memory : ByteMemory {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<>;
  void update(VectorAddress address, const Vec<std::uint8_t>&, const Vec<std::uint8_t>& after,
              const MaskVector& lanes) const {
    write(address, after, lanes);
  }
  void clear(VectorAddress address, const Vec<std::uint8_t>&, const MaskVector& lanes) const {
    write(address, Vec<std::uint8_t>(0), lanes);
  }
#else
  using Offers = offer::List<offer::UpdateVector, offer::ClearVector>;
  void update(VectorAddress address, const Vec<std::uint8_t>&, const Vec<std::uint8_t>& after,
              const MaskVector& lanes) const {
    write(address, after, lanes);
  }
  void clear(VectorAddress address, const Vec<std::uint8_t>&, const MaskVector& lanes) const {
    write(address, Vec<std::uint8_t>(0), lanes);
  }
#endif
};

int main() { return runs_in<Memory>() ? 0 : 1; }
