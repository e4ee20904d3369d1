// SPDX-License-Identifier: BSL-1.0
// Gives a fuzz target each file that is named, or that stands in a folder that is, and 200 random changes of each, 20 with
// sanitizers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>

#include "tests/support/sanitized.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** named) {
  std::size_t files = 0;
  neuromorph::Sfc32 random;
  const auto below = [&](std::size_t limit) {
    return static_cast<std::size_t>(uniform_below(random, static_cast<std::uint32_t>(limit)));
  };
  const auto replay = [&](const std::filesystem::path& input) {
    std::ifstream file(input, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    ++files;
    for (unsigned change = 0; change < (sanitized ? 20 : 200) && !bytes.empty(); ++change) {
      std::vector<std::uint8_t> other = bytes;
      for (std::size_t times = 1 + below(4); times != 0; --times)
        other[below(other.size())] = static_cast<std::uint8_t>(random.next());
      LLVMFuzzerTestOneInput(other.data(), other.size());
    }
  };
  for (int at = 1; at < count; ++at) {
    if (std::filesystem::is_directory(named[at]))
      for (const auto& entry : std::filesystem::directory_iterator(named[at])) replay(entry.path());
    else
      replay(named[at]);
  }
  std::printf("%zu inputs\n", files);
  return files == 0;
}
