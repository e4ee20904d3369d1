// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <span>

#include <neuromorph/digest.hpp>

#include "tests/support/catch.hpp"

using neuromorph::Digest;

namespace {
std::uint64_t digest_of(std::span<const std::uint32_t> words) {
  Digest digest;
  digest.add(words);
  return digest.value();
}
} // namespace

TEST_CASE("digest: any change of one bit changes the value", "[vocabulary][digest]") {
  std::array<std::uint32_t, 16> words{};
  std::mt19937 random(3);
  for (auto& word : words) word = static_cast<std::uint32_t>(random());
  std::set<std::uint64_t> seen{digest_of(words)};
  for (std::size_t at = 0; at < words.size(); ++at)
    for (int bit = 0; bit < 32; ++bit) {
      words[at] ^= 1U << bit;
      CHECK(seen.insert(digest_of(words)).second);
      words[at] ^= 1U << bit;
    }
  CHECK(seen.size() == 1 + 16 * 32);
}

TEST_CASE("digest: order and length count", "[vocabulary][digest]") {
  const std::array<std::uint32_t, 3> forwards{1, 2, 3}, backwards{3, 2, 1};
  CHECK(digest_of(forwards) != digest_of(backwards));
  const std::array<std::uint32_t, 2> zeros{};
  CHECK(digest_of(zeros) != digest_of(std::span<const std::uint32_t>{zeros}.first(1)));
}

TEST_CASE("digest: a million different inputs give different values", "[vocabulary][digest]") {
  std::set<std::uint64_t> seen;
  for (std::uint32_t word = 0; word < 1000000; ++word) {
    const std::array<std::uint32_t, 2> words{word, word * 7};
    seen.insert(digest_of(words));
  }
  CHECK(seen.size() == 1000000);
}

TEST_CASE("digest: 8- and 16-bit words are added by value, also at compile time", "[vocabulary][digest]") {
  constexpr auto value = [] {
    constexpr std::array<std::int16_t, 2> words{-1, 5};
    Digest digest;
    digest.add(std::span<const std::int16_t>{words});
    return digest.value();
  }();
  const std::array<std::uint32_t, 2> words{0xFFFFFFFF, 5};
  CHECK(value == digest_of(words));
}
