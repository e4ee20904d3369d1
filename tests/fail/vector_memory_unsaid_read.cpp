// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a memory offers 'ReadAtOnce' and lacks 'read<Count>(VectorAddress)', or has it, and its
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
  using Offers = offer::List<>;
  template <std::size_t Count>
  Vec<std::uint8_t, target::Native, Count> read(VectorAddress address) const {
    return PlainVectors<>(*bytes).read<Count>(address);
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
