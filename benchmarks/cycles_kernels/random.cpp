// SPDX-License-Identifier: BSL-1.0
// Random sources: cycles per word, in blocks of several lengths, stored; `next` is one word by itself, in a register.
// The sources lie in memory, at an address that the compiler does not know. Means of four calls, one after the other,
// because Philox makes four words at a time: `.worst` is its longest call.
#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/kiss32.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {
constexpr int calls = 4;
std::array<std::uint32_t, 1000> found, expected;

template <class Source>
[[gnu::noinline]] void fill(Source& source, std::span<std::uint32_t> words) {
  source.fill(words);
}
template <class Source>
[[gnu::noinline]] void fill_generic(Source& source, std::span<std::uint32_t> words) {
  source.UniformBits<Source>::fill(words);
}

std::span<std::uint32_t> hidden(std::span<std::uint32_t> words) { return {fresh(words.data()), fresh(words.size())}; }

/// `measure` fills; whether it does as one word after the other would.
template <class Source>
[[gnu::noinline]] bool compare(std::size_t count, void (*measure)(Source& source, std::span<std::uint32_t> words)) {
  static Source source, second;
  bool right = true;
  for (int call = 0; call < calls; ++call) {
    measure(source, std::span{found}.first(count));
    for (std::size_t at = 0; at < count; ++at) expected[at] = second.next();
    right = right && found == expected && source == second;
  }
  return right;
}
} // namespace

bool run() {
  bool right = true;
#define MEASURE_FILL(key, how, size, Source)                                                                           \
  right = compare<Source>(size,                                                                                        \
                          [](Source& source, std::span<std::uint32_t> words) {                                         \
                            MEASURE(key, size, how(*fresh(&source), hidden(words)));                                   \
                          }) &&                                                                                        \
          right
#define MEASURE_NEXT(key, Source)                                                                                      \
  right = compare<Source>(1,                                                                                           \
                          [](Source& source, std::span<std::uint32_t> words) {                                         \
                            std::uint32_t word;                                                                        \
                            MEASURE(key, 1, word = fresh(fresh(&source)->next()));                                     \
                            words[0] = word;                                                                           \
                          }) &&                                                                                        \
          right
#define MEASURE_SOURCE(key, Source)                                                                                    \
  MEASURE_FILL(key ".generic", fill_generic, 1000, Source);                                                            \
  MEASURE_FILL(key ".10", fill, 10, Source);                                                                           \
  MEASURE_FILL(key ".32", fill, 32, Source);                                                                           \
  MEASURE_FILL(key ".100", fill, 100, Source);                                                                         \
  MEASURE_FILL(key ".256", fill, 256, Source);                                                                         \
  MEASURE_FILL(key, fill, 1000, Source);                                                                               \
  MEASURE_NEXT(key ".next", Source)
  MEASURE_SOURCE("random.jkiss64", Jkiss64);
  MEASURE_SOURCE("random.small", Sfc32);
  MEASURE_SOURCE("random.kiss32", Kiss32);
  MEASURE_SOURCE("random.philox", Philox);
  MEASURE_NEXT("random.philox.next.worst", Philox);
  MEASURE_FILL("random.philox.10.worst", fill, 10, Philox);
  return right;
}
