// SPDX-License-Identifier: BSL-1.0
// One digest of tables, values and waiting times, the same on every machine. A change of the number below is a change
// of results and belongs into CHANGELOG.md.
#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/pair_table.hpp>
#include <neuromorph/kernels/random/poisson.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/word_table.hpp>

#include "tests/support/expected_digest.hpp"

using namespace neuromorph;

namespace {

// Reading it keeps the compiler from making the tables itself.
volatile double rates[]{1.6, 20.0, 300.0, 1e-5, 2e-20};

template <class Source, class Table>
void values_of(const Table& table, Digest& digest) {
  Source source(StreamId{1, 2, 3});
  static std::array<std::uint8_t, 1001> bytes;
  static std::array<std::uint32_t, 333> words;
  for (int i = 0; i < 5; ++i) {
    table.fill(source, std::span(bytes));
    table.fill(source, std::span(words));
    for (const std::uint8_t value : bytes) digest.add(std::uint32_t{value});
    digest.add(std::span<const std::uint32_t>{words});
    digest.add(table.draw(source));
  }
  digest.add(source.next());
}

template <class Source>
void values(Digest& digest) {
  values_of<Source>(word_table<Poisson(1.6)>, digest);
  values_of<Source>(word_table<Poisson(64)>, digest);
  values_of<Source>(byte_table<Poisson(1.2)>, digest);
  values_of<Source>(byte_table<Poisson(1.6)>, digest);
  values_of<Source>(byte_table<Binomial(40, 0.7)>, digest);
  values_of<Source>(pair_table<Poisson(1.2)>, digest);
  values_of<Source>(pair_table<Poisson(1.6)>, digest);
  values_of<Source>(pair_table<Weights({3.0, 0.5, 0.0, 1.0})>, digest);

  Source source(StreamId{4, 5, 6});
  std::array<std::uint32_t, 100> counts{};
  for (volatile double& rate : rates) {
    const auto table = PoissonTable::from(rate);
    table.value().fill(source, std::span(counts));
    digest.add(std::span<const std::uint32_t>{counts});
    const auto intervals = PoissonIntervals::from(rate);
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t steps = intervals.value().draw(source);
      digest.add(static_cast<std::uint32_t>(steps));
      digest.add(static_cast<std::uint32_t>(steps >> 32));
    }
  }
}

} // namespace

int main() {
  Digest digest;
  values<Sfc32>(digest);
  values<Jkiss64>(digest);
  return is_expected(digest, 0x48e1173241850034) ? 0 : 1;
}
