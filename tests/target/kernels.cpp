// SPDX-License-Identifier: BSL-1.0
// Every whole-loop operation of the native backend against target::Generic, which is checked against a sum over events
// in 64 bits: all short lengths and some long ones, events on one element side by side, sums at the ends of their
// range.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>

#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/target/native.hpp>

namespace {

using neuromorph::target::Generic;
using neuromorph::target::Native;

constexpr std::size_t longest = 400;
constexpr std::size_t guard = 8; // untouched words around everything
int failures = 0;
neuromorph::Sfc32 random_words;

void expect(bool right, const char* operation, std::size_t count, unsigned kind) {
  if (!right && ++failures <= 20)
    std::printf("%s differs, %u events of kind %u\n", operation, static_cast<unsigned>(count), kind);
}

/// How events are spread: anywhere, on few elements, all on one, in turns on two, at the ends of the ring.
constexpr unsigned kinds = 6;
std::uint32_t element(unsigned kind, std::size_t at, std::uint32_t elements) {
  const std::uint32_t any = random_words.next();
  switch (kind) {
  case 0: return any % elements;
  case 1: return any % 3;
  case 2: return 5;
  case 3: return at % 2 == 0 ? 7 : 8;
  case 4: return (any % 2 == 0 ? elements - 1 - any % 4 : any % 4) % elements;
  default: return static_cast<std::uint32_t>(at / 2) % elements;
  }
}

template <class Element, std::size_t Size>
struct Memory {
  std::array<Element, Size + 2 * guard> generic, native;

  /// Small values, or such that the next sum leaves the range.
  void fill(unsigned kind) {
    for (auto& cell : generic) {
      const std::uint32_t any = random_words.next();
      cell = static_cast<Element>(kind % 3 == 0 ? any : kind % 3 == 1 ? any % 1000 : 0U - any % 1000);
    }
    native = generic;
  }
  Element* of_generic() { return generic.data() + guard; }
  Element* of_native() { return native.data() + guard; }
  bool same() const { return generic == native; }
};

Memory<std::int32_t, 8192> words;
Memory<std::uint16_t, 8192> halves;
std::array<std::uint32_t, longest + 1> row;
std::array<std::uint32_t, longest / 2 + 1> halves_row;

void set_half(std::size_t at, std::uint32_t value) {
  auto& word = halves_row[at / 2];
  word = at % 2 == 0 ? (word & 0xFFFF0000U) | value : (word & 0xFFFFU) | value << 16;
}
std::uint32_t half(std::size_t at) { return halves_row[at / 2] >> (at % 2 * 16) & 0xFFFFU; }

/// Weights of 16 bits: anything, tiny, or the largest.
std::uint32_t weight(unsigned turn) {
  const std::uint32_t any = random_words.next();
  return turn % 4 == 0 ? any & 0xFFFF : turn % 4 == 1 ? any & 3 : turn % 4 == 2 ? (any % 16 == 0 ? 0xFFFF : 0) : 0x8000;
}

template <unsigned AddressBits, bool IsSigned>
void wrap(std::size_t count, unsigned kind) {
  words.fill(kind);
  const auto before = words.generic;
  for (std::size_t at = 0; at < count; ++at)
    row[at] = random_words.next() << AddressBits | element(kind, at, 1U << AddressBits);
  const std::uint32_t offset = random_words.next() << (AddressBits - 3);
  Generic::add_row_wrap<AddressBits, IsSigned>(words.of_generic(), row.data(), count, offset);
  Native::add_row_wrap<AddressBits, IsSigned>(words.of_native(), row.data(), count, offset);
  expect(words.same(), "add_row_wrap", count, kind);
  for (std::size_t at = 0; at < count; ++at) { // and back again, by arithmetic
    const std::int64_t weight = IsSigned && (row[at] >> 31) != 0
                                    ? static_cast<std::int64_t>(row[at] >> AddressBits) - (1LL << (32 - AddressBits))
                                    : static_cast<std::int64_t>(row[at] >> AddressBits);
    auto& cell = words.generic[guard + (row[at] + offset) % (1U << AddressBits)];
    cell = static_cast<std::int32_t>(static_cast<std::uint32_t>(cell - weight));
  }
  expect(words.generic == before, "Generic::add_row_wrap", count, kind);
}

/// The same events one by one, in 64 bits.
template <class Address, class Weight>
std::uint32_t held_one_by_one(std::size_t count, Address address, Weight weight_of) {
  std::uint32_t held = 0;
  for (std::size_t at = 0; at < count; ++at) {
    auto& cell = halves.native[guard + address(row[at])];
    const std::int64_t sum = std::int64_t{cell} + weight_of(row[at]);
    cell = static_cast<std::uint16_t>(sum > 65535 ? 65535 : sum);
    held += sum > 65535 ? 1 : 0;
  }
  return held;
}

template <unsigned AddressBits, bool IsComplement>
void wrap_saturating(std::size_t count, unsigned kind, unsigned turn) {
  halves.fill(kind);
  const auto before = halves.native;
  for (std::size_t at = 0; at < count; ++at) {
    const std::uint32_t bits = IsComplement ? 65535 - weight(turn)
                               : turn == 3  ? random_words.next() // more than 16 bits
                                            : weight(turn);
    row[at] = bits << AddressBits | element(kind, at, 1U << AddressBits);
  }
  const std::uint32_t offset = random_words.next();
  const auto held =
      Generic::add_row_wrap_saturating<AddressBits, IsComplement>(halves.of_generic(), row.data(), count, offset);
  const auto found =
      Native::add_row_wrap_saturating<AddressBits, IsComplement>(halves.of_native(), row.data(), count, offset);
  expect(halves.same() && held == found, "add_row_wrap_saturating", count, kind);
  halves.native = before;
  const auto expected = held_one_by_one(
      count, [&](std::uint32_t word) { return (word + offset) % (1U << AddressBits); },
      [](std::uint32_t word) {
        return IsComplement ? 65535 - std::int64_t{word >> AddressBits} : std::int64_t{word >> AddressBits};
      });
  expect(halves.same() && held == expected, "Generic::add_row_wrap_saturating", count, kind);
}

void rowlet(std::size_t count, unsigned kind, unsigned turn) {
  words.fill(kind);
  for (std::size_t at = 0; at < count; ++at) row[at] = element(kind, at, 8192) << 18 | weight(turn);
  const auto before = words.native;
  Generic::add_rowlet(words.of_generic(), row.data(), count);
  for (std::size_t at = 0; at < count; ++at) {
    auto& cell = words.native[guard + (row[at] >> 16) / 4];
    const std::uint32_t low = row[at] % 65536;
    cell = static_cast<std::int32_t>(static_cast<std::uint32_t>(cell) + low - (low >= 32768 ? 65536 : 0));
  }
  expect(words.same(), "Generic::add_rowlet", count, kind);
  words.native = before;
  Native::add_rowlet(words.of_native(), row.data(), count);
  expect(words.same(), "add_rowlet", count, kind);

  halves.fill(kind);
  for (std::size_t at = 0; at < count; ++at) row[at] = (65535 - weight(turn)) << 16 | element(kind, at, 8192) << 1;
  const auto halves_before = halves.native;
  const auto held = Generic::add_rowlet_saturating(halves.of_generic(), row.data(), count);
  const auto found = Native::add_rowlet_saturating(halves.of_native(), row.data(), count);
  expect(halves.same() && held == found, "add_rowlet_saturating", count, kind);
  halves.native = halves_before;
  const auto expected = held_one_by_one(
      count, [](std::uint32_t word) { return word % 65536 / 2; },
      [](std::uint32_t word) { return 65535 - std::int64_t{word >> 16}; });
  expect(halves.same() && held == expected, "Generic::add_rowlet_saturating", count, kind);
}

void packed(std::size_t count, unsigned kind, unsigned turn) {
  const std::size_t pairs = count / 2;
  words.fill(kind);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    row[2 * pair] = weight(turn) << 16 | weight(turn);
    row[2 * pair + 1] = element(kind, 2 * pair, 8192) << 18 | element(kind, 2 * pair + 1, 8192) << 2;
  }
  const auto before = words.native;
  Generic::add_pairs(words.of_generic(), row.data(), pairs);
  for (std::size_t pair = 0; pair < pairs; ++pair) // the same events as a rowlet
    for (const std::uint32_t word :
         {(row[2 * pair + 1] & 0xFFFF0000U) | row[2 * pair] >> 16, row[2 * pair + 1] << 16 | (row[2 * pair] & 0xFFFFU)})
      Generic::add_rowlet(words.of_native(), &word, 1);
  expect(words.same(), "Generic::add_pairs", count, kind);
  words.native = before;
  Native::add_pairs(words.of_native(), row.data(), pairs);
  expect(words.same(), "add_pairs", count, kind);
}

void uniform_and_dense(std::size_t count, unsigned kind, unsigned turn) {
  words.fill(kind);
  for (std::size_t at = 0; at < count; ++at) set_half(at, element(kind, at, 8192) << 2);
  const auto one = static_cast<std::int32_t>(random_words.next());
  const auto before = words.native;
  Generic::add_uniform(words.of_generic(), halves_row.data(), count, one);
  for (std::size_t at = 0; at < count; ++at) {
    auto& cell = words.native[guard + half(at) / 4];
    cell = static_cast<std::int32_t>(static_cast<std::uint32_t>(cell + std::int64_t{one}));
  }
  expect(words.same(), "Generic::add_uniform", count, kind);
  words.native = before;
  Native::add_uniform(words.of_native(), halves_row.data(), count, one);
  expect(words.same(), "add_uniform", count, kind);

  words.fill(kind);
  for (std::size_t at = 0; at < count; ++at) set_half(at, weight(turn));
  const auto dense_before = words.native;
  Generic::add_dense(words.of_generic(), halves_row.data(), count);
  for (std::size_t at = 0; at < count; ++at) {
    auto& cell = words.native[guard + at];
    const std::int64_t signed_weight = std::int64_t{half(at)} - (half(at) >= 32768 ? 65536 : 0);
    cell = static_cast<std::int32_t>(static_cast<std::uint32_t>(cell + signed_weight));
  }
  expect(words.same(), "Generic::add_dense", count, kind);
  words.native = dense_before;
  Native::add_dense(words.of_native(), halves_row.data(), count);
  expect(words.same(), "add_dense", count, kind);
}

std::array<std::uint32_t, longest + 2 * guard> from, to;
std::array<std::int32_t, longest + 2 * guard> slot, taken;

template <std::size_t... Words>
void blocks(std::index_sequence<Words...>) {
  const auto one = [](std::size_t count, auto copy) {
    to.fill(0x55555555);
    copy();
    bool right = to[guard - 1] == 0x55555555 && to[guard + count] == 0x55555555;
    for (std::size_t at = 0; at < count; ++at) right = right && to[guard + at] == from[guard + at];
    expect(right, "copy_block", count, 0);
  };
  (one(Words, [] { Native::copy_block<Words>(to.data() + guard, from.data() + guard); }), ...);
}

void memory(std::size_t count) {
  for (auto& word : from) word = random_words.next() | 1;
  to.fill(0x55555555);
  Native::copy_words(to.data() + guard, from.data() + guard, count);
  for (std::size_t at = 0; at < to.size(); ++at)
    expect(to[at] == (at >= guard && at < guard + count ? from[at] : 0x55555555), "copy_words", count, 0);
  to = from;
  Native::clear_words(to.data() + guard, count);
  for (std::size_t at = 0; at < to.size(); ++at)
    expect(to[at] == (at >= guard && at < guard + count ? 0 : from[at]), "clear_words", count, 0);
  for (std::size_t at = 0; at < slot.size(); ++at) slot[at] = static_cast<std::int32_t>(from[at]);
  taken.fill(7);
  Native::take_words(taken.data() + guard, slot.data() + guard, count);
  for (std::size_t at = 0; at < slot.size(); ++at) {
    const bool inside = at >= guard && at < guard + count;
    expect(slot[at] == (inside ? 0 : static_cast<std::int32_t>(from[at])), "take_words: the slot", count, 0);
    expect(taken[at] == (inside ? static_cast<std::int32_t>(from[at]) : 7), "take_words", count, 0);
  }
}

template <class Source>
void blocks_of(const char* name, std::size_t count) {
  Source one_by_one(neuromorph::StreamId{count, 1, 2});
  Source block = one_by_one;
  to.fill(0x55555555);
  block.fill(std::span{to.data() + guard, count});
  bool right = to[guard - 1] == 0x55555555 && to[guard + count] == 0x55555555;
  for (std::size_t at = 0; at < count; ++at) right = right && to[guard + at] == one_by_one.next();
  expect(right && block == one_by_one, name, count, 0);
}

} // namespace

int main() {
  std::array<std::size_t, 60> lengths{};
  for (std::size_t at = 0; at < lengths.size(); ++at) lengths[at] = at;
  lengths[54] = 65, lengths[55] = 66, lengths[56] = 127, lengths[57] = 129, lengths[58] = 333, lengths[59] = longest;
  for (const std::size_t count : lengths) {
    for (unsigned kind = 0; kind < kinds; ++kind)
      for (unsigned turn = 0; turn < 4; ++turn) {
        wrap<13, false>(count, kind);
        wrap<13, true>(count, kind);
        wrap<8, false>(count, kind);
        wrap_saturating<13, true>(count, kind, turn);
        wrap_saturating<8, true>(count, kind, turn);
        wrap_saturating<13, false>(count, kind, turn);
        wrap_saturating<8, false>(count, kind, turn);
        rowlet(count, kind, turn);
        packed(count, kind, turn);
        uniform_and_dense(count, kind, turn);
      }
    memory(count);
    blocks_of<neuromorph::Jkiss64>("Jkiss64::fill", count);
    blocks_of<neuromorph::Sfc32>("Sfc32::fill", count);
  }
  blocks(std::make_index_sequence<35>{});
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
