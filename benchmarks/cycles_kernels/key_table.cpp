// SPDX-License-Identifier: BSL-1.0
// From keys to what they lead to, by tables of several sizes, all full: cycles per key, drawn from all entries. The worst
// is the longest search of such a key; an unknown key has none.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/synapses/key_table.hpp>
#include <neuromorph/kernels/synapses/row_table.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t keys = 256;

template <class Payload, std::size_t Size>
std::array<KeyEntry<Payload>, Size> entries;
template <std::size_t Size>
KeyTable<std::uint32_t, Size> table;
RowTable<64> row_table;
std::array<std::uint32_t, 1024> words;
std::array<std::uint32_t, 17> first;

/// Entries of 16 to 256 neurons at drawn keys.
template <class Payload, std::size_t Size>
void fill() {
  Sfc32 random;
  for (std::uint32_t at = 0; at < Size; ++at) {
    const std::uint32_t mask = ~((16U << at % 5) - 1);
    entries<Payload, Size>[at] = {random.next() & mask, mask, {}};
  }
}
template <class Payload, std::size_t Size>
std::uint32_t drawn(Sfc32& random, bool is_known) {
  const auto& entry = entries<Payload, Size>[random.next() % Size];
  return entry.key + (is_known ? random.next() & 15 : 1U << 9);
}

#define MEASURE_FIND(key_of_region, size, is_known)                                                                    \
  [] {                                                                                                                 \
    Sfc32 random;                                                                                                      \
    std::uint32_t right = 0;                                                                                           \
    for (std::uint32_t at = 0; at < keys; ++at) {                                                                      \
      const std::uint32_t key = drawn<std::uint32_t, size>(random, is_known), asked = fresh(key);                      \
      auto* const searched = fresh(&table<size>);                                                                      \
      std::uint32_t payload, index;                                                                                    \
      MEASURE(key_of_region, 1, {                                                                                      \
        const auto found = searched->find(asked);                                                                      \
        payload = fresh(found ? *found.payload : 0), index = fresh(found.index);                                       \
      });                                                                                                              \
      right += (is_known ? payload + index == key + 1 : payload == 0) ? 1U : 0U;                                       \
    }                                                                                                                  \
    return right == keys;                                                                                              \
  }()
#define MEASURE_TABLE(size)                                                                                            \
  [] {                                                                                                                 \
    fill<std::uint32_t, size>();                                                                                       \
    for (auto& entry : entries<std::uint32_t, size>) entry.payload = entry.key + 1;                                    \
    table<size> = KeyTable<std::uint32_t, size>::from(entries<std::uint32_t, size>).value();                           \
    const bool mean = MEASURE_FIND("synapse.key_table." #size, size, true);                                            \
    const bool worst = MEASURE_FIND("synapse.key_table." #size ".worst", size, true);                                  \
    const bool unknown = MEASURE_FIND("synapse.key_table." #size ".unknown", size, false);                             \
    return mean && worst && unknown && table<size>.unknown().count == keys && table<size>.is_direct() == (size < 256); \
  }()
#define MEASURE_ROWS(key_of_region)                                                                                    \
  [] {                                                                                                                 \
    Sfc32 random;                                                                                                      \
    std::uint32_t right = 0;                                                                                           \
    for (std::uint32_t at = 0; at < keys; ++at) {                                                                      \
      const std::uint32_t asked = fresh(drawn<PopulationRows, 64>(random, true));                                      \
      auto* const searched = fresh(&row_table);                                                                        \
      std::span<std::uint32_t> row;                                                                                    \
      MEASURE(key_of_region, 1, {                                                                                      \
        const auto found = searched->row_of(asked);                                                                    \
        row = {fresh(found.data()), fresh(found.size())};                                                              \
      });                                                                                                              \
      right += row.size() == 64 || row.size() == 2 * (asked & 15) + 1 ? 1U : 0U;                                       \
    }                                                                                                                  \
    return right == keys;                                                                                              \
  }()

bool run_rows() {
  fill<PopulationRows, 64>();
  for (std::uint32_t at = 0; at < 17; ++at) first[at] = at * at;
  for (std::uint32_t at = 0; at < 64; ++at)
    entries<PopulationRows, 64>[at].payload =
        (at % 2 == 0 ? PopulationRows::indexed(words, first) : PopulationRows::of_length(words, 64)).value();
  row_table = RowTable<64>::from(entries<PopulationRows, 64>).value();
  const bool mean = MEASURE_ROWS("synapse.row_table.64");
  const bool worst = MEASURE_ROWS("synapse.row_table.64.worst");
  return mean && worst && row_table.unknown().count == 0 && row_table.without_row().count == 0;
}

} // namespace

bool run() {
  bool all_right = MEASURE_TABLE(1);
  all_right = MEASURE_TABLE(8) && all_right;
  all_right = MEASURE_TABLE(64) && all_right;
  all_right = MEASURE_TABLE(256) && all_right;
  return run_rows() && all_right;
}
