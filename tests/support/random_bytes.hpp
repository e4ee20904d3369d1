// SPDX-License-Identifier: BSL-1.0
// Numbers and bytes for messages, the same with any standard library.
#ifndef TESTS_SUPPORT_RANDOM_BYTES_HPP
#define TESTS_SUPPORT_RANDOM_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace random_bytes {

using Bytes = std::vector<std::uint8_t>;

struct Draw {
  std::mt19937 generator;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(generator()); }
  std::uint32_t operator()(std::uint32_t below) { return (*this)() % below; }
  Bytes bytes(std::size_t count) {
    Bytes made(count);
    for (auto& one : made) one = static_cast<std::uint8_t>((*this)());
    return made;
  }
};

} // namespace random_bytes

#endif
