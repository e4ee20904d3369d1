// SPDX-License-Identifier: BSL-1.0
// Sixteen generators at once, alias tables, and counted events added to sums: the native backend's loops, and the plain ones,
// against definitions written down here. Any start, any turn, every length and alignment; nothing beside the values is
// written.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include <neuromorph/kernels/neurons/background.hpp>
#include <neuromorph/kernels/random/alias_table.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>
#include <neuromorph/target/native.hpp>

using namespace neuromorph;

namespace {

using target::Generic;
using target::Native;

/// Whether there is anything to compare with what is plain; where not, it is an emulator that runs this.
constexpr bool in_vectors = detail::offers<Native, offer::AddCounts>;

int failures = 0;
Sfc32 any;

void expect(bool right, const char* what, std::size_t count, std::size_t alignment, unsigned kind) {
  if (!right && ++failures <= 20)
    std::printf("%s differs, count %u, alignment %u, kind %u\n", what, static_cast<unsigned>(count),
                static_cast<unsigned>(alignment), kind);
}

std::uint32_t below(std::uint32_t range) { return static_cast<std::uint32_t>(std::uint64_t{any.next()} * range >> 32); }

constexpr std::size_t most = 2300, guard = 16;

template <class Element>
struct Output {
  alignas(64) std::array<Element, most + 2 * guard> expected, found;
  std::size_t shift = 0;

  void start(std::size_t alignment) {
    for (Element& value : expected) value = static_cast<Element>(any.next());
    found = expected;
    shift = guard + alignment;
  }
  bool same() const { return expected == found; }
};

// --- generators ------------------------------------------------------------------------------------------------------

/// Sixteen of the generators that take turns.
struct Sixteen {
  std::array<Sfc32, 16> lanes;
  std::uint32_t turn;

  explicit Sixteen(const Sfc32x16::State& state) : turn(state.turn % 16) {
    for (std::size_t lane = 0; lane < 16; ++lane)
      lanes[lane] = Sfc32(Sfc32::State{state.columns.a[lane], state.columns.b[lane], state.columns.c[lane],
                                       state.columns.counter[lane]});
  }
  std::uint32_t next() {
    const std::uint32_t word = lanes[turn].next();
    turn = (turn + 1) % 16;
    return word;
  }
  bool is(const Sfc32x16& source) const {
    if (source.state().turn != turn) return false;
    for (std::size_t lane = 0; lane < 16; ++lane) {
      const target::Sfc32Columns& columns = source.state().columns;
      if (lanes[lane].state() != Sfc32::State{columns.a[lane], columns.b[lane], columns.c[lane], columns.counter[lane]})
        return false;
    }
    return true;
  }
};

/// Words of any bits, and their ends.
std::uint32_t word_of_kind(unsigned kind) {
  const std::uint32_t random = any.next();
  return kind % 4 == 0 ? (random % 4 == 0 ? 0 : random % 4 == 1 ? 0xFFFF'FFFFU : random) : random;
}

Output<std::uint32_t> words;

template <class Target>
void generators(std::size_t count, unsigned kind, const char* what) {
  Sfc32x16::State state;
  for (std::size_t lane = 0; lane < 16; ++lane) {
    state.columns.a[lane] = word_of_kind(kind);
    state.columns.b[lane] = word_of_kind(kind);
    state.columns.c[lane] = word_of_kind(kind);
    state.columns.counter[lane] = word_of_kind(kind);
  }
  state.turn = any.next(); // of which four bits count
  Sfc32x16 source(state);
  Sixteen sixteen(state);
  words.start(kind % 16);
  for (std::size_t at = 0; at < count; ++at) words.expected[words.shift + at] = sixteen.next();
  source.fill<Target>(std::span(words.found).subspan(words.shift, count));
  expect(words.same() && sixteen.is(source), what, count, kind % 16, kind);
  expect(source.next() == sixteen.next() && sixteen.is(source), "next after fill", count, 0, kind);
}

// --- tables ----------------------------------------------------------------------------------------------------------

/// Gives halfwords that a table is likely to leave open, and further words at the thresholds' lower halves.
template <std::size_t Cells>
struct Near {
  using Offers = offer::List<>;
  const AliasTable<Cells>* table;
  Sfc32 source;
  std::uint32_t share; ///< of 256: how many words are any
  std::uint32_t drawn = 0;
  std::uint32_t half() {
    const std::uint32_t cell = source.next() % Cells;
    const auto number = static_cast<std::uint32_t>(table->threshold(cell) >> 48) + source.next() % 3 - 1;
    return (number << AliasTable<Cells>::cell_bits | cell) & 0xFFFFU;
  }
  std::uint32_t next() {
    ++drawn;
    if (source.next() % 256 < share) return source.next();
    if (source.next() % 2 == 0) return half() | half() << 16;
    return static_cast<std::uint32_t>(table->threshold(source.next() % Cells) >> 16) + source.next() % 3 - 1;
  }
};

/// The definition, value by value.
template <std::size_t Cells, class Source>
void define(const AliasTable<Cells>& table, Source& source, std::uint8_t* values, std::size_t count) {
  for (std::size_t from = 0; from < count; from += 1024) {
    const std::size_t block = count - from < 1024 ? count - from : 1024;
    static std::array<std::uint32_t, 512> main_words;
    for (std::size_t i = 0; i < (block + 1) / 2; ++i) main_words[i] = source.next();
    for (std::size_t i = 0; i < block; ++i) {
      const std::size_t half = main_words[i / 2] >> (i % 2 == 0 ? 0 : 16) & 0xFFFF, cell = half % Cells;
      const std::uint64_t number = std::uint64_t{half / Cells} << 48, threshold = table.threshold(cell);
      bool is_own = number < threshold;
      if (number == (threshold >> 48 << 48)) {
        const std::uint64_t high = source.next();
        const std::uint64_t low = source.next();
        is_own = (number | high << 16 | low >> 16) < threshold;
      }
      values[from + i] = static_cast<std::uint8_t>(is_own ? table.own(cell) : table.alias(cell));
    }
  }
}

Output<std::uint8_t> bytes;
Output<std::uint32_t> wide_values;

template <class Target, std::size_t Cells, class Source>
void draws(const AliasTable<Cells>& table, const Source& start, std::size_t count, unsigned kind, const char* what) {
  Source plain = start, source = start;
  bytes.start(kind % 16);
  define(table, plain, bytes.expected.data() + bytes.shift, count);
  table.template fill<Target>(source, std::span(bytes.found).subspan(bytes.shift, count));
  expect(bytes.same() && plain.next() == source.next(), what, count, kind % 16, kind);
  if (kind % 4 != 0) return;
  source = start;
  wide_values.start(kind % 16);
  for (std::size_t at = 0; at < count; ++at)
    wide_values.expected[wide_values.shift + at] = bytes.expected[bytes.shift + at];
  table.template fill<Target>(source, std::span(wide_values.found).subspan(wide_values.shift, count));
  expect(wide_values.same(), "words of a table", count, kind % 16, kind);
}

template <class Target, std::size_t Cells>
void table_of(const Cumulative& distribution) {
  static AliasTable<Cells> table;
  if (!AliasTable<Cells>::suits(distribution)) return;
  table = AliasTable<Cells>(distribution);
  unsigned kind = 0;
  for (std::size_t count = 0; count <= 2200;
       count = count < 140 ? count + (in_vectors ? 1 : 7) : count + 61 + below(in_vectors ? 200 : 900), ++kind) {
    const Near<Cells> near{&table, Sfc32(StreamId{any.next(), 1, 0}), kind % 3 * 100};
    draws<Target>(table, near, count, kind, "draws near thresholds");
    Sfc32x16 sixteen(StreamId{any.next(), 2, 0});
    for (unsigned i = below(16); i != 0; --i) static_cast<void>(sixteen.next());
    draws<Target>(table, sixteen, count, kind, "draws");
  }
}

template <class Target>
void tables(const Cumulative& distribution) {
  table_of<Target, 32>(distribution);
  table_of<Target, 64>(distribution);
  table_of<Target, 128>(distribution);
}

// --- sums ------------------------------------------------------------------------------------------------------------

std::int32_t some_weight(unsigned kind) {
  switch (kind % 8) {
  case 0: return static_cast<std::int32_t>(below(400)) - 200;
  case 1: return static_cast<std::int32_t>(below(131'100)) - 65'550;
  case 2: return (below(2) == 0 ? 1 : -1) * static_cast<std::int32_t>(65'534 + below(4));
  case 3: return static_cast<std::int32_t>(any.next() >> 8) - (1 << 23);
  case 4: return below(2) == 0 ? (1 << 23) - 1 : -(1 << 23) + 1;
  case 5: return below(2) == 0 ? 1 << 23 : -(1 << 23);
  case 6: return static_cast<std::int32_t>(any.next());
  default: return below(3) == 0 ? 0 : below(2) == 0 ? INT32_MAX : INT32_MIN;
  }
}

template <class Element>
Output<Element> sums;

template <class Target, class Element>
void additions(std::size_t count, unsigned kind, const char* what) {
  constexpr std::int64_t most_sum = sizeof(Element) == 4 ? (1 << 30) - 1 : Element(-1) < Element(0) ? 32767 : 65535;
  constexpr std::int64_t least_sum = sizeof(Element) == 4 ? -most_sum : Element(-1) < Element(0) ? -32768 : 0;
  static std::array<std::uint8_t, most + 64> counts;
  Output<Element>& output = sums<Element>;
  const std::size_t counts_at = below(17);
  const std::int32_t weight = some_weight(kind);
  output.start(kind % 16);
  std::uint32_t held = 0;
  for (std::size_t at = 0; at < count; ++at) {
    Element& sum = output.expected[output.shift + at];
    const std::uint32_t choice = below(8);
    if (choice == 0) sum = static_cast<Element>(most_sum - below(300));
    if (choice == 1) sum = static_cast<Element>(least_sum + below(300));
    if (choice == 2) sum = 0;
    const std::uint32_t events = kind % 3 == 0 ? below(256) : kind % 3 == 1 ? below(4) : below(2) * 255;
    counts[counts_at + at] = static_cast<std::uint8_t>(events);
    if (choice == 3 && events != 0) { // to an end, or one beyond it
      const std::int64_t end =
          (below(2) == 0 ? most_sum + below(2) : least_sum - below(2)) - std::int64_t{weight} * events;
      if (end >= least_sum && end <= most_sum) sum = static_cast<Element>(end);
    }
    output.found[output.shift + at] = sum;
    if (events == 0) continue;
    const std::int64_t exact = sum + std::int64_t{weight} * events;
    if (exact > most_sum || exact < least_sum) ++held;
    sum = static_cast<Element>(exact > most_sum ? most_sum : exact < least_sum ? least_sum : exact);
  }
  const std::uint32_t found = add_events<Target>(
      output.found.data() + output.shift, std::span<const std::uint8_t>(counts).subspan(counts_at, count), weight);
  expect(output.same() && found == held, what, count, kind % 16, kind);
}

template <class Target>
void sums_of(std::size_t count, unsigned kind) {
  additions<Target, std::uint16_t>(count, kind, "sums of std::uint16_t");
  additions<Target, std::int16_t>(count, kind, "sums of std::int16_t");
  additions<Target, std::int32_t>(count, kind, "sums of std::int32_t");
}

template <class Target>
void all() {
  for (std::size_t count = 0; count <= 600; count += count < 70 ? 1 : 23)
    for (unsigned kind = 0; kind < 16; ++kind) generators<Target>(count, kind, "words");
  for (const double rate : {0.001, 0.1, 1.2, 5.0, 16.0, 40.0}) tables<Target>(Poisson(rate).cumulative().value());
  tables<Target>(Weights({0.0, 3.0}).cumulative().value());
  tables<Target>(Weights({1.0, 1.0, 1.0, 1.0}).cumulative().value());
  tables<Target>(Binomial(200, 0.5).cumulative().value());
  for (unsigned kind = 0; kind < (in_vectors ? 240 : 24); ++kind)
    for (std::size_t count = 0; count <= 2200; count = count < 66 ? count + 1 + kind % 3 : count + 500 + below(80))
      sums_of<Target>(count, kind);
}

} // namespace

int main() {
  all<Native>();
  if (in_vectors) all<Generic>();
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
