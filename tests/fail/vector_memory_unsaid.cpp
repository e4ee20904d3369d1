// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a memory has 'update', and its 'Offers' lacks 'offer::UpdateVector'; see docs/rules.md
// expect: neuromorph: a memory has 'clear', and its 'Offers' lacks 'offer::ClearVector'; see docs/rules.md
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

int main() {
  VectorArray<1> bytes;
  static constexpr auto half = make_mask<SynapseSet<1, 16>::where([](auto, auto column) { return column < 8; })>();
  return MaskWrapper(half, HomeostasisRule<1, Memory, Memory>{Memory{&bytes}, Memory{&bytes}}).run().ok() ? 0 : 1;
}
