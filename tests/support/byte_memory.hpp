// SPDX-License-Identifier: BSL-1.0
// A memory of one vector of bytes, without what a memory may have besides: for programs that add it wrongly.
#ifndef TESTS_SUPPORT_BYTE_MEMORY_HPP
#define TESTS_SUPPORT_BYTE_MEMORY_HPP

#include <cstdint>

#include <neuromorph/neuromorph.hpp>

struct ByteMemory {
  neuromorph::VectorArray<1>* bytes;
  static neuromorph::VectorAddress vectors() { return 1; }
  neuromorph::Vec<std::uint8_t> read(neuromorph::VectorAddress address) const {
    return neuromorph::PlainVectors<>(*bytes).read(address);
  }
  void write(neuromorph::VectorAddress address, const neuromorph::Vec<std::uint8_t>& value) const {
    neuromorph::PlainVectors<>(*bytes).write(address, value);
  }
  void write(neuromorph::VectorAddress address, const neuromorph::Vec<std::uint8_t>& value,
             const neuromorph::MaskVector& lanes) const {
    neuromorph::PlainVectors<>(*bytes).write(address, value, lanes);
  }
};

// A rule that reads, updates and clears, on full and on partial vectors.
template <class Memory>
bool runs_in() {
  using namespace neuromorph;
  VectorArray<1> bytes;
  static constexpr auto half = make_mask<SynapseSet<1, 16>::where([](auto, auto column) { return column < 8; })>();
  return MaskWrapper(half, HomeostasisRule<1, Memory, Memory>{Memory{{&bytes}}, Memory{{&bytes}}}).run().ok();
}

#endif
