// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Vec's Count is 1 to 4, as flags of more lanes fit no word; see docs/vectors.md
#include <neuromorph/vec.hpp>

#ifdef NEUROMORPH_KO
constexpr std::size_t count = 8;
#else
constexpr std::size_t count = 3;
#endif
using Bytes = neuromorph::Vec<std::uint8_t, neuromorph::target::Generic, count>;
static_assert((Bytes(1) == Bytes(1)).bits() == (std::uint64_t{1} << 48) - 1);
int main() { return 0; }
