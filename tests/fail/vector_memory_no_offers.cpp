// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a memory of vectors lacks 'using Offers', an offer::List of what it has of 'ReadAtOnce'
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Memory {
  VectorArray<1>* bytes;
  static VectorAddress vectors() { return 1; }
  Vec<std::uint8_t> read(VectorAddress address) const { return PlainVectors<>(*bytes).read(address); }
  void write(VectorAddress address, const Vec<std::uint8_t>& value) const {
    PlainVectors<>(*bytes).write(address, value);
  }
  void write(VectorAddress address, const Vec<std::uint8_t>& value, const MaskVector& lanes) const {
    PlainVectors<>(*bytes).write(address, value, lanes);
  }
#ifdef NEUROMORPH_KO
  void renew(VectorAddress address, const Vec<std::uint8_t>&, const Vec<std::uint8_t>& after,
             const MaskVector& lanes) const {
    write(address, after, lanes);
  }
#else
  using Offers = offer::List<>;
#endif
};

int main() {
  VectorArray<1> bytes;
  static constexpr auto half = make_mask<SynapseSet<1, 16>::where([](auto, auto column) { return column < 8; })>();
  return MaskWrapper(half, HomeostasisRule<1, Memory, Memory>{Memory{&bytes}, Memory{&bytes}}).run().ok() ? 0 : 1;
}
