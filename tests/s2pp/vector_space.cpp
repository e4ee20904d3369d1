// SPDX-License-Identifier: BSL-1.0
// Vectors of the synapse array: read, written, and written where a mask is not 0, for all values of its bytes; and
// rules that work on them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <neuromorph/neuromorph.hpp>
#include <neuromorph/target/power/s2pp_space.hpp>

#include "tests/support/s2pp_trap.hpp"

namespace {

using Machine = neuromorph::target::S2pp::Vectors<1>;
using neuromorph::LaneFlags;
using neuromorph::Vec;

int failures = 0;

void expect(bool holds, const char* what, unsigned value) {
  if (!holds && ++failures <= 20) std::printf("%s, mask byte %u\n", what, value);
}

template <class Element>
void check_elements() {
  using Vector = Vec<Element>;
  using Array = typename Vector::Array;
  constexpr std::size_t lanes = Vector::lanes;
  for (unsigned value = 0; value < 256; ++value) {
    s2pp::Bytes there;
    for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<std::uint8_t>(3 * i + value);
    s2pp::vector_space[299] = s2pp::vector_space[300] = s2pp::vector_space[301] = there;

    const auto before = Vector(Machine::template read_vector<Element>(256, 44));
    Array numbers{}, enabled{}, expected{};
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::size_t byte = i * sizeof(Element);
      expected[i] = static_cast<Element>(sizeof(Element) == 1 ? there[byte] : there[byte] << 8 | there[byte + 1]);
      numbers[i] = static_cast<Element>(expected[i] + 0x1111 * static_cast<int>(i + 1));
      enabled[i] = static_cast<Element>(i % 3 == 0 ? value : i % 3 == 1 ? 0 : value << 8 | 0x80);
    }
    expect(before.array() == expected, "read", value);

    const auto flags = Vec<Element>::Flags::nonzero(Vec<Element>(enabled));
    Machine::template write_vector<Element>(256, 44, Vector(numbers).machine(), flags.machine());
    for (std::size_t i = 0; i < lanes; ++i)
      if (enabled[i] != 0) expected[i] = numbers[i];
    expect(Vector(Machine::template read_vector<Element>(300, 0)).array() == expected, "masked write", value);

    Machine::template write_vector<Element>(1, 299, Vector(numbers).machine());
    expect(Vector(Machine::template read_vector<Element>(0, 300)).array() == numbers, "write", value);
    expect(s2pp::vector_space[299] == there && s2pp::vector_space[301] == there, "neighbours", value);
  }
}

using Array = neuromorph::SynapseSet<32, 32>;
constexpr std::uint32_t bases[] = {0x100, 0x240, 0x300}; // weights, causal, acausal

/// STDP on the synapse array under a mask, and a constant where a tag is set, against Generic on plain memory.
void check_rules() {
  using neuromorph::target::Generic;
  neuromorph::Sfc32 random;
  static neuromorph::VectorArray<Array::vectors> plain[3];
  for (unsigned turn = 0; turn < 20; ++turn) {
    for (s2pp::Bytes& vector : s2pp::vector_space)
      for (std::uint8_t& byte : vector) byte = static_cast<std::uint8_t>(random.next());
    const auto before = s2pp::vector_space;
    for (std::size_t of = 0; of < 3; ++of)
      for (std::size_t i = 0; i < plain[of].elements.size(); ++i)
        plain[of].elements[i] = s2pp::vector_space[bases[of] + i / 16][i % 16];
    std::array<std::uint8_t, 32 * 32> bytes;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next() & random.next());
    const auto set = Array::from_bytes(bytes).value();
    const auto mask = neuromorph::Mask<Array::vectors, Array::vectors>::from(set).value();
    neuromorph::TaggedMask<Array::vectors> tags(3);
    expect(tags.set(set, 200).ok(), "tags are set", turn);

    const auto run = [&](auto weights, auto causal, auto acausal) {
      neuromorph::MaskWrapper stdp(mask, neuromorph::StdpRule{weights, causal, acausal, 99});
      neuromorph::TaggedMaskWrapper constant(tags, 3, neuromorph::ConstantRule{weights, 17});
      expect(stdp.run().ok() && constant.run().ok(), "rules run", turn);
    };
    const auto space = [](std::size_t of) { return neuromorph::S2ppSpace<>::at(bases[of], Array::vectors).value(); };
    using Plain = neuromorph::PlainVectors<std::uint8_t, Generic>;
    run(space(0), space(1), space(2));
    run(Plain(plain[0]), Plain(plain[1]), Plain(plain[2]));

    auto expected = before;
    for (std::size_t of = 0; of < 3; ++of)
      for (std::size_t i = 0; i < plain[of].elements.size(); ++i)
        expected[bases[of] + i / 16][i % 16] = plain[of].elements[i];
    expect(s2pp::vector_space == expected, "rules on the synapse array", turn);
    expect(expected != before, "rules change something", turn);
  }
  const auto beyond = neuromorph::S2ppSpace<>::at(0xFFFFFFF0, 17);
  expect(!beyond && beyond.status().error == neuromorph::Error::address_out_of_range, "space beyond its end", 0);
  expect(neuromorph::S2ppSpace<>::at(0xFFFFFFF0, 16).value().vectors() == 16, "space up to its end", 0);
}

} // namespace

int main() {
  check_rules();
  check_elements<std::uint8_t>();
  check_elements<std::uint16_t>();
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
