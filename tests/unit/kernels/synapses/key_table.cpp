// SPDX-License-Identifier: BSL-1.0
// Tables of keys beside a search through all entries.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <neuromorph/kernels/synapses/key_table.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Entry = KeyEntry<std::uint32_t>;

/// Which entry has a key, by looking at each.
const Entry* entry_of(const std::vector<Entry>& entries, std::uint32_t key) {
  for (const Entry& entry : entries)
    if (key >= entry.key && std::uint64_t{key} < std::uint64_t{entry.key} + 0x1'0000'0000U - entry.mask) return &entry;
  return nullptr;
}

/// Keys where an entry begins and ends, those beside them, and some drawn ones.
std::vector<std::uint32_t> keys_about(const std::vector<Entry>& entries, std::mt19937& random) {
  std::vector<std::uint32_t> keys{0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
  for (const Entry& entry : entries) {
    const auto drawn = static_cast<std::uint32_t>(random());
    const std::uint32_t end = entry.key | ~entry.mask;
    for (const std::uint32_t key : {entry.key - 1, entry.key, entry.key + 1, end - 1, end, end + 1,
                                    entry.key | (drawn & ~entry.mask), entry.key ^ (1U << drawn % 32)})
      keys.push_back(key);
  }
  for (unsigned drawn = 0; drawn < 50; ++drawn) keys.push_back(static_cast<std::uint32_t>(random()));
  return keys;
}

/// How many of the keys a table answers in another way than the search, its counts included.
template <std::size_t Capacity>
unsigned wrong(KeyTable<std::uint32_t, Capacity>& table, const std::vector<Entry>& entries,
               const std::vector<std::uint32_t>& keys) {
  unsigned wrong = 0;
  LostKeys unknown = table.unknown();
  for (const std::uint32_t key : keys) {
    const auto found = table.find(key);
    const Entry* const expected = entry_of(entries, key);
    if (expected == nullptr) {
      ++unknown.count, unknown.last = key;
      wrong += found || found.payload != nullptr || found.index != 0 ? 1U : 0U;
    } else {
      wrong += found && *found.payload == expected->payload && found.index == key - expected->key ? 0U : 1U;
    }
    wrong += table.unknown().count == unknown.count && table.unknown().last == unknown.last ? 0U : 1U;
  }
  // Of keys that are all found at the first look none takes a second one, of others some key does.
  if (table.is_direct()) wrong += table.second_looks() == 0 ? 0U : 1U;
  return wrong;
}

/// All ways to give some of 2^bits keys to entries, from `first` on.
void all_sets(unsigned bits, std::uint32_t first, std::vector<std::vector<Entry>>& sets) {
  std::vector<std::vector<Entry>> made{{}, {{first, ~((1U << bits) - 1), 0}}};
  if (bits != 0) {
    std::vector<std::vector<Entry>> low, high;
    all_sets(bits - 1, first, low);
    all_sets(bits - 1, first + (1U << (bits - 1)), high);
    made.resize(0);
    for (const auto& a : low)
      for (const auto& b : high) {
        made.push_back(a);
        made.back().insert(made.back().end(), b.begin(), b.end());
      }
    made.push_back({{first, ~((1U << bits) - 1), 0}});
  }
  sets.insert(sets.end(), made.begin(), made.end());
}

/// The same keys further up.
std::vector<Entry> shifted(std::vector<Entry> entries, unsigned shift) {
  for (Entry& entry : entries) entry.key <<= shift, entry.mask <<= shift;
  return entries;
}

/// Entries of 1 to 2^16 keys, anywhere, or one behind the other with gaps.
std::vector<Entry> drawn_entries(std::size_t count, std::mt19937& random) {
  std::vector<Entry> entries;
  const bool is_dense = random() % 2 == 0;
  const auto widest = static_cast<std::uint32_t>(random() % 17);
  std::uint64_t next = random() % 2 == 0 ? 0 : random();
  while (entries.size() != count) {
    const std::uint32_t span = (1U << random() % (widest + 1)) - 1;
    std::uint32_t key = static_cast<std::uint32_t>(random()) & ~span;
    if (is_dense) {
      next = (next + span) & ~std::uint64_t{span};
      if (next > 0xFFFFFFFF) next = 0;
      key = static_cast<std::uint32_t>(next);
      next += std::uint64_t{span} + 1 + random() % 3 * 100;
    }
    const bool is_free = std::none_of(entries.begin(), entries.end(), [&](const Entry& other) {
      return key <= (other.key | ~other.mask) && other.key <= (key | span);
    });
    if (is_free) entries.push_back({key, ~span, static_cast<std::uint32_t>(random())});
  }
  return entries;
}

template <std::size_t Capacity>
void run_drawn(std::uint32_t seed, std::size_t count) {
  INFO("seed " << seed << ", " << count << " of " << Capacity);
  std::mt19937 random(seed);
  std::vector<Entry> entries = drawn_entries(count, random);
  static KeyTable<std::uint32_t, Capacity> table;
  table = KeyTable<std::uint32_t, Capacity>::from(entries).value();
  REQUIRE(wrong(table, entries, keys_about(entries, random)) == 0);
  REQUIRE(table.entries().size() == count);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  for (std::size_t at = 0; at < count; ++at) {
    const Entry& entry = table.entries()[at];
    REQUIRE((entry.key == entries[at].key && entry.mask == entries[at].mask && entry.payload == entries[at].payload));
  }
}

} // namespace

TEST_CASE("KeyTable: each set of entries in eight keys finds each key as a search through all", "[key_table]") {
  std::vector<std::vector<Entry>> sets;
  all_sets(3, 0, sets);
  REQUIRE(sets.size() == 677);
  std::mt19937 random(1);
  for (const unsigned shift : {0U, 11U, 29U})
    for (const auto& low : sets) {
      auto entries = shifted(low, shift);
      for (std::size_t at = 0; at < entries.size(); ++at) entries[at].payload = static_cast<std::uint32_t>(at) + 1;
      std::shuffle(entries.begin(), entries.end(), random);
      auto table = KeyTable<std::uint32_t, 8>::from(entries).value();
      std::vector<std::uint32_t> keys{0xFFFFFFFF, 0x80000001, 0};
      for (std::uint32_t key = 0; key < 10; ++key) {
        keys.push_back(key << shift);
        keys.push_back((key << shift) + (1U << shift) - 1);
      }
      INFO("shift " << shift << ", " << entries.size() << " entries, " << table.is_direct());
      REQUIRE(wrong(table, entries, keys) == 0);
      if (shift == 0) REQUIRE(table.is_direct() == (table.second_looks() == 0));
    }
}

TEST_CASE("KeyTable: drawn entries of all sizes find what a search through all finds", "[key_table]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 2 : 10)) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 50U, 99U, 100U}) run_drawn<100>(seed, count);
    for (const std::size_t count : {0U, 1U}) run_drawn<1>(seed, count);
    for (const std::size_t count : {0U, 1U, 2U, 3U}) run_drawn<3>(seed, count);
    run_drawn<64>(seed, 64);
    run_drawn<256>(seed, 256);
    run_drawn<257>(seed, 257);
  }
}

TEST_CASE("KeyTable: each key of sixty-four entries is found at the first look, wherever they are", "[key_table]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 3 : 30)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<Entry> entries;
    while (entries.size() != 64) { // of one size each
      const auto key = static_cast<std::uint32_t>(random()) & 0xFFFFFF00U;
      if (entry_of(entries, key) == nullptr) entries.push_back({key, 0xFFFFFF00, 0});
    }
    CHECK(KeyTable<std::uint32_t, 64>::from(entries).value().is_direct());
  }
  // Fields of chips and cores, and consecutive keys, without a draw.
  for (const unsigned shift : {0U, 1U, 11U, 20U, 23U, 24U}) {
    INFO("shift " << shift);
    std::vector<Entry> fields;
    for (std::uint32_t at = 0; at < 256; ++at) fields.push_back({at << shift, 0xFFFFFFFFU << shift, 0});
    CHECK(KeyTable<std::uint32_t, 256>::from(fields).value().is_direct());
  }
}

TEST_CASE("KeyTable: a wide entry among narrow ones is cut into their cells", "[key_table]") {
  std::vector<Entry> entries{{0x1000, 0xFFFFFF00, 0}};
  for (std::uint32_t at = 0; at < 15; ++at) entries.push_back({0x1100 + 16 * at, 0xFFFFFFF0, at + 1});
  auto table = KeyTable<std::uint32_t, 16>::from(entries).value();
  CHECK(table.is_direct());
  std::mt19937 random(1);
  CHECK(wrong(table, entries, keys_about(entries, random)) == 0);
  // One that has half of all keys and another of one are too many cells: what shares a slot is found all the same.
  entries = {{0x80000000, 0x80000000, 7}};
  for (std::uint32_t at = 0; at < 15; ++at) entries.push_back({at, 0xFFFFFFFF, at + 8});
  table = KeyTable<std::uint32_t, 16>::from(entries).value();
  CHECK_FALSE(table.is_direct());
  for (const Entry& entry : entries) CHECK(table.find(entry.key));
  CHECK(table.second_looks() == 14); // the narrow ones share one slot
  CHECK(wrong(table, entries, keys_about(entries, random)) == 0);
  // All keys.
  entries = {{0, 0, 7}};
  table = KeyTable<std::uint32_t, 16>::from(entries).value();
  CHECK(table.is_direct());
  CHECK(wrong(table, entries, keys_about(entries, random)) == 0);
  CHECK(table.unknown().count == 0);
}

TEST_CASE("KeyTable: it is direct if and only if no key takes a second look", "[key_table]") {
  unsigned direct = 0, others = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 20 : 60)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<Entry> entries;
    for (std::uint32_t key = 0; key < 4096;) { // entries of 1 to 256 keys, as far as there is room
      const auto bits = static_cast<unsigned>(random() % 9);
      const std::uint32_t span = (1U << bits) - 1;
      key = (key + span) & ~span;
      if (entries.size() < 60 && random() % 3 != 0) entries.push_back({key << 7, ~span << 7, key});
      key += span + 1;
    }
    static KeyTable<std::uint32_t, 60> table;
    table = KeyTable<std::uint32_t, 60>::from(entries).value();
    for (const Entry& entry : entries)
      for (std::uint32_t key = entry.key;; key += 128) {
        REQUIRE(table.find(key));
        if (key == ((entry.key | ~entry.mask) & ~127U)) break;
      }
    REQUIRE(table.is_direct() == (table.second_looks() == 0));
    (table.is_direct() ? direct : others) += 1;
  }
  CHECK((direct > 0 && others > 0));
}

TEST_CASE("KeyTable: an entry without more is that of key 0 alone", "[key_table]") {
  const std::array<Entry, 1> entries{};
  CHECK((entries[0].key == 0 && entries[0].mask == 0xFFFFFFFF));
  auto table = KeyTable<std::uint32_t, 1>::from(entries).value();
  CHECK(table.find(0));
  CHECK_FALSE(table.find(1));
}

TEST_CASE("KeyTable: one without entries finds nothing", "[key_table]") {
  KeyTable<std::uint32_t, 4> empty;
  CHECK((empty.unknown().count == 0 && empty.unknown().last == 0));
  CHECK(empty.is_direct());
  for (const std::uint32_t key : {0U, 1U, 0xFFFFFFFFU}) CHECK_FALSE(empty.find(key));
  CHECK(empty.unknown().count == 3);
  CHECK(empty.unknown().last == 0xFFFFFFFF);
  CHECK(empty.entries().empty());
  CHECK(KeyTable<std::uint32_t, 4>::from({}).value().is_direct());
}

TEST_CASE("KeyTable: what is refused is refused in words, and where it is", "[key_table]") {
  using Table = KeyTable<std::uint32_t, 3>;
  const auto status = [](std::initializer_list<Entry> entries) {
    return Table::from(std::span<const Entry>{entries.begin(), entries.size()}).status();
  };
  const Entry a{0x100, 0xFFFFFF00, 1}, b{0x200, 0xFFFFFF00, 2};
  CHECK(status({a, b, {0x300, 0xFFFFFFFF, 3}}).ok());
  CHECK(status({a, b, a, b}) == Status{Error::buffer_full, 0, 4, "entries"});
  CHECK(status({a, {0x200, 0xFFFF00FF, 2}}) == Status{Error::mask_has_holes, 1, 0xFFFF00FF, "mask"});
  CHECK(status({a, {0x200, 0x0FFFFFFF, 2}}) == Status{Error::mask_has_holes, 1, 0x0FFFFFFF, "mask"});
  CHECK(status({a, {0x201, 0xFFFFFF00, 2}}) == Status{Error::key_outside_mask, 1, 0x201, "key"});
  CHECK(status({a, b, a}) == Status{Error::keys_overlap, 2, 0x100, "key"});
  CHECK(status({a, b, {0x1FF, 0xFFFFFFFF, 3}}) == Status{Error::keys_overlap, 2, 0x1FF, "key"});
  CHECK(status({a, b, {0x200, 0xFFFFFE00, 3}}) == Status{Error::keys_overlap, 2, 0x200, "key"});
  CHECK(status({a, b, {0, 0xFFFFF800, 3}}) == Status{Error::keys_overlap, 2, 0, "key"});
  CHECK(status({a, {0, 0, 3}}) == Status{Error::keys_overlap, 1, 0, "key"});
}

TEST_CASE("KeyTable: each list of up to three entries in four keys is refused or not as its keys say", "[key_table]") {
  std::vector<Entry> every; // the legal ones and those that are not
  for (std::uint32_t key = 0; key < 4; ++key)
    for (std::uint32_t mask = 0; mask < 4; ++mask) every.push_back({key << 30, mask << 30, 0});
  const auto error = [](const Entry& entry) {
    if (entry.mask >> 30 == 1) return Error::mask_has_holes;
    return (entry.key & ~entry.mask) != 0 ? Error::key_outside_mask : Error::none;
  };
  unsigned accepted = 0, wrong = 0;
  for (const Entry& first : every)
    for (const Entry& second : every)
      for (const Entry& third : every) {
        const std::array<Entry, 3> entries{first, second, third};
        Status expected;
        for (std::uint32_t at = 0; at < 3 && expected.ok(); ++at) {
          const Entry& one = entries[at];
          const Error alone = error(one);
          bool meets = false;
          for (std::uint32_t before = 0; before < at; ++before) {
            const Entry& other = entries[before];
            meets = meets || (one.key <= (other.key | ~other.mask) && other.key <= (one.key | ~one.mask));
          }
          if (alone == Error::mask_has_holes)
            expected = {alone, at, one.mask, "mask"};
          else if (alone != Error::none)
            expected = {alone, at, one.key, "key"};
          else if (meets)
            expected = {Error::keys_overlap, at, one.key, "key"};
        }
        const Status status = KeyTable<std::uint32_t, 3>::from(entries).status();
        accepted += status.ok() ? 1U : 0U;
        wrong += status == expected ? 0U : 1U;
      }
  CHECK(wrong == 0);
  // Of 7 legal entries, 4 of one key and 2 of two: 24 orders of four single keys taken thrice, and 2 pairs of single
  // keys with the other half, each in 6 orders.
  CHECK(accepted == 24 + 12);
}

namespace {
constexpr std::array constant_entries{Entry{0x20, 0xFFFFFFF0, 5}, Entry{0x10, 0xFFFFFFF8, 6}};
constexpr std::uint32_t found_in_constants(std::uint32_t key) {
  auto table = KeyTable<std::uint32_t, 2>::from(constant_entries).value();
  const auto found = table.find(key);
  return found ? *found.payload * 100 + found.index : 0;
}
static_assert(Entry{}.key == 0 && Entry{}.mask == 0xFFFFFFFF && Entry{}.payload == 0);
static_assert(found_in_constants(0x2F) == 515);
static_assert(found_in_constants(0x13) == 603);
static_assert(found_in_constants(0x18) == 0);
} // namespace
