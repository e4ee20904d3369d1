// SPDX-License-Identifier: BSL-1.0
// The native backend's loops for tables of discrete values against plain ones: any cells, all of them escapes and none,
// keys that equal bounds, every alignment, every length; and whole tables with sources of every kind against
// target::Generic. Nothing beside the values is written.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <type_traits>

#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/jkiss64.hpp>
#include <neuromorph/kernels/random/pair_table.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/word_table.hpp>
#include <neuromorph/target/native.hpp>

using namespace neuromorph;

namespace {

using target::Generic;
using target::Native;

constexpr std::size_t guard = 16; // untouched bytes around everything
constexpr std::size_t most = 900;
int failures = 0;
Sfc32 any;

void expect(bool right, const char* what, std::size_t count, std::size_t alignment, unsigned kind) {
  if (!right && ++failures <= 20)
    std::printf("%s differs, count %u, alignment %u, kind %u\n", what, static_cast<unsigned>(count),
                static_cast<unsigned>(alignment), kind);
}

std::uint32_t below(std::uint32_t range) { return static_cast<std::uint32_t>(std::uint64_t{any.next()} * range >> 32); }

template <class Element>
struct Output {
  alignas(8) std::array<Element, most + 2 * guard> generic, native;
  std::size_t shift = 0;

  void start(std::size_t alignment) {
    for (Element& value : generic) value = static_cast<Element>(any.next());
    native = generic;
    shift = guard + alignment;
  }
  Element* of_generic() { return generic.data() + shift; }
  Element* of_native() { return native.data() + shift; }
  bool same() const { return generic == native; }
};
Output<std::uint8_t> output;
Output<std::uint32_t> wide_output;

// --- lookups ---------------------------------------------------------------------------------------------------------

/// Words: any, all zeros, all ones, in turns.
[[maybe_unused]] void fill(std::array<std::uint32_t, 49>& words, unsigned kind) {
  for (std::uint32_t& word : words) {
    const std::uint32_t random = any.next();
    word = kind % 4 == 0 ? 0 : kind % 4 == 1 ? 0xFFFF'FFFFU : kind % 4 == 2 ? (random % 2 == 0 ? 0 : random) : random;
  }
}

/// How many of 256 cells are escapes.
constexpr std::array<std::uint32_t, 6> escapes_of_kind{0, 256, 128, 3, 30, 1};
constexpr unsigned kinds = 24;

template <class Target>
void byte_cells(std::size_t count, std::size_t alignment, unsigned kind) {
  if constexpr (requires { Target::byte_cells(nullptr, count, nullptr, nullptr, nullptr); }) {
    static std::array<std::uint8_t, 256> cells;
    static std::array<std::uint32_t, 49> words;
    static std::array<std::uint8_t, 193> generic_marked, native_marked;
    fill(words, kind);
    for (std::uint8_t& cell : cells)
      cell = static_cast<std::uint8_t>(below(128) + (below(256) < escapes_of_kind[kind % 6] ? 128 : 0));
    output.start(alignment);
    std::size_t marks = 0;
    for (std::size_t i = 0; i < 4 * count; ++i) {
      const std::uint8_t cell = cells[words[i / 4] >> 8 * (i % 4) & 255];
      output.of_generic()[i] = cell;
      if (cell >= 128) generic_marked[marks++] = static_cast<std::uint8_t>(i);
    }
    const std::size_t found =
        Target::byte_cells(words.data(), count, cells.data(), output.of_native(), native_marked.data());
    bool same = found == marks && output.same();
    for (std::size_t i = 0; i < marks && same; ++i) same = generic_marked[i] == native_marked[i];
    expect(same, "byte_cells", count, alignment, kind);
  }
}

template <class Target>
void pair_cells(std::size_t count, std::size_t alignment, unsigned kind) {
  if constexpr (requires { Target::pair_cells(nullptr, count, nullptr, nullptr, nullptr); }) {
    static std::array<std::uint16_t, 1024> cells;
    static std::array<std::uint32_t, 49> words;
    static std::array<std::uint8_t, 145> generic_marked, native_marked;
    fill(words, kind);
    for (std::uint16_t& cell : cells)
      cell = static_cast<std::uint16_t>(below(32768) + (below(256) < escapes_of_kind[kind % 6] ? 32768 : 0));
    output.start(alignment);
    std::size_t marks = 0;
    for (std::size_t i = 0; i < 3 * count; ++i) {
      const std::uint16_t cell = cells[words[i / 3] >> 10 * (i % 3) & 1023];
      output.of_generic()[2 * i] = static_cast<std::uint8_t>(cell);
      output.of_generic()[2 * i + 1] = static_cast<std::uint8_t>(cell >> 8);
      if (cell >= 32768) generic_marked[marks++] = static_cast<std::uint8_t>(i);
    }
    const std::size_t found =
        Target::pair_cells(words.data(), count, cells.data(), output.of_native(), native_marked.data());
    bool same = found == marks && output.same();
    for (std::size_t i = 0; i < marks && same; ++i) same = generic_marked[i] == native_marked[i];
    expect(same, "pair_cells", count, alignment, kind);
  }
}

// --- bounds ----------------------------------------------------------------------------------------------------------

/// Ascending bounds up to a highest key; an end of all ones after them.
struct RandomBounds {
  std::array<std::uint32_t, 64> high{}, low{};
  std::size_t last = 0;

  RandomBounds(std::size_t count, std::uint32_t highest) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t key = below(highest);
      insert(key, any.next());
    }
    end();
  }
  void insert(std::uint32_t key, std::uint32_t number_low) {
    std::size_t at = last++;
    for (; at != 0 && (high[at - 1] > key || (high[at - 1] == key && low[at - 1] > number_low)); --at) {
      high[at] = high[at - 1];
      low[at] = low[at - 1];
    }
    high[at] = key;
    low[at] = number_low;
    end();
  }
  void end() { high[last] = low[last] = 0xFFFF'FFFFU; }
  const std::uint32_t* end_of_high() const { return high.data() + last; }

  std::size_t position(std::uint32_t key) const {
    std::size_t at = 0;
    while (high[at] < key) ++at;
    return at;
  }
  template <class Source>
  std::size_t resolve(std::uint32_t key, Source& source) const {
    std::size_t at = position(key);
    if (high[at] != key || at == last) return at;
    const std::uint32_t number_low = source.next();
    while (at != last && high[at] == key && low[at] <= number_low) ++at;
    return at;
  }
};

template <class Target>
void word_positions(std::size_t count, std::size_t alignment, unsigned kind) {
  if constexpr (requires { Target::word_positions(nullptr, count, nullptr, nullptr, nullptr); }) {
    static std::array<std::uint32_t, 49> words;
    static std::array<OpenValue, 48> generic_open, native_open;
    fill(words, kind);
    RandomBounds bounds(kind % 8 == 7 ? 40 : kind % 8, kind % 3 == 0 ? 0xFFFF'FFFFU : kind % 3 == 1 ? 0xC000'0000U : 9);
    if (kind % 2 == 0 && count != 0) bounds.insert(words[below(static_cast<std::uint32_t>(count))], 1);
    if (kind % 5 == 0) bounds.insert(0xFFFF'FFFFU, 7);
    if (kind % 5 == 1) bounds.insert(0, 7);
    output.start(alignment);
    std::size_t opened = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = bounds.position(words[i]);
      output.of_generic()[i] = static_cast<std::uint8_t>(at);
      if (bounds.high[at] == words[i]) generic_open[opened++] = {static_cast<std::uint32_t>(i), words[i]};
    }
    const std::size_t found =
        Target::word_positions(words.data(), count, bounds.high.data(), output.of_native(), native_open.data());
    bool same = found == opened && output.same();
    for (std::size_t i = 0; i < opened && same; ++i)
      same = generic_open[i].position == native_open[i].position && generic_open[i].key == native_open[i].key;
    expect(same, "word_positions", count, alignment, kind);
  }
}

// --- whole blocks, further words included ----------------------------------------------------------------------------

/// Remembers the words that it gave.
struct Recorder {
  using Offers = offer::List<>;
  Jkiss64 source;
  std::array<std::uint32_t, 1000> words{};
  std::size_t count = 0;
  std::uint32_t next() {
    const std::uint32_t word = source.next();
    if (count < words.size()) words[count++] = word;
    return word;
  }
};

/// One whose word at a place is given.
[[maybe_unused]] Jkiss64 jkiss64_with(std::uint32_t word, std::size_t place) {
  Jkiss64::State state = Jkiss64(StreamId{any.next(), 1, 2}).state();
  Jkiss64 source = Jkiss64::with_state(state).value();
  for (std::size_t i = 0; i < place; ++i) static_cast<void>(source.next());
  const std::uint32_t found = source.next();
  state.x = word - found + source.state().x;
  // x' = a x + b, and back: a is odd.
  std::uint32_t inverse = 314'527'869U;
  for (int i = 0; i < 5; ++i) inverse *= 2U - 314'527'869U * inverse;
  for (std::size_t i = 0; i <= place; ++i) state.x = (state.x - 1'234'567U) * inverse;
  return Jkiss64::with_state(state).value();
}

std::array<std::uint8_t, 256> byte_table_cells;
std::array<std::uint16_t, 1024> pair_table_cells;

template <class Source>
void byte_block(Source& source, const RandomBounds& bounds, std::uint8_t* to) {
  std::array<std::uint32_t, 48> words;
  for (std::uint32_t& word : words) word = source.next();
  for (std::size_t i = 0; i < 192; ++i) {
    const std::uint32_t cell = byte_table_cells[words[i / 4] >> 8 * (i % 4) & 255];
    to[i] = static_cast<std::uint8_t>(cell);
    if (cell >= 128) to[i] = static_cast<std::uint8_t>(bounds.resolve((cell - 128) << 24 | source.next() >> 8, source));
  }
}

/// Cells are whole but for `escapes` of them, anywhere; two escapes of a number would be legal, too.
[[maybe_unused]] void set_cells(std::uint32_t escapes) {
  for (std::size_t i = 0; i < 256; ++i)
    byte_table_cells[i] = static_cast<std::uint8_t>(below(256) < escapes ? 128 + below(128) : below(128));
  for (std::size_t i = 0; i < 1024; ++i)
    pair_table_cells[i] = static_cast<std::uint16_t>(below(256) < escapes ? 0x8000 + below(512) : below(0x8000));
}

/// Bounds at every third key that would come if none were open; among the lower halves that are drawn for them, too.
template <class Key>
void insert_keys(RandomBounds& bounds, const Recorder& recorder, std::size_t begin, Key key) {
  for (std::size_t i = begin; i + 1 < recorder.count && bounds.last < 60; i += 3) {
    const std::uint32_t number = key(recorder.words[i]);
    bounds.insert(number, recorder.words[i + 1] + below(3) - 1);
    if (i % 2 == 0) bounds.insert(number, any.next());
    if (i % 5 == 0) bounds.insert(number, 0xFFFF'FFFFU);
  }
}

template <class Target>
void byte_blocks(std::size_t blocks, std::size_t alignment, unsigned kind) {
  if constexpr (requires(Jkiss64 & source, const target::ByteLookup& lookup) {
                  Target::byte_blocks(source, lookup, blocks, nullptr);
                }) {
    set_cells(escapes_of_kind[kind % 6]);
    const Jkiss64 start(StreamId{any.next(), 3, 4});
    RandomBounds bounds(kind % 7, 0x8000'0000U);
    if (kind % 3 != 0) { // keys from a run with no such bounds; from the first of them on words are shifted by one
      static Recorder recorder;
      recorder = {start, {}, 0};
      for (std::size_t i = 0; i < 48; ++i) static_cast<void>(recorder.source.next());
      while (recorder.count < 30) static_cast<void>(recorder.next());
      const std::uint32_t escape = below(128);
      insert_keys(bounds, recorder, 0, [&](std::uint32_t word) { return escape << 24 | word >> 8; });
      // All escapes lead to the same keys.
      for (std::uint8_t& cell : byte_table_cells)
        if (cell >= 128) cell = static_cast<std::uint8_t>(128 + escape);
    }
    std::array<std::uint8_t, 128> starts{};
    for (std::uint32_t i = 0; i < 128; ++i) starts[i] = static_cast<std::uint8_t>(bounds.position(i << 24));
    Jkiss64 generic = start, native = start;
    output.start(alignment);
    for (std::size_t i = 0; i < blocks; ++i) byte_block(generic, bounds, output.of_generic() + 192 * i);
    const target::ByteLookup lookup{byte_table_cells.data(), starts.data(), bounds.high.data(), bounds.low.data()};
    Target::byte_blocks(native, lookup, blocks, output.of_native());
    expect(output.same() && native == generic, "byte_blocks", blocks, alignment, kind);
  }
}

template <class Source>
void pair_block(Source& source, const RandomBounds& bounds, const std::uint32_t* listed, const RandomBounds& seconds,
                std::uint8_t* to) {
  std::array<std::uint32_t, 48> words;
  for (std::uint32_t& word : words) word = source.next();
  for (std::size_t i = 0; i < 144; ++i) {
    std::uint32_t pair = pair_table_cells[words[i / 3] >> 10 * (i % 3) & 1023];
    if (pair >= 0x8000) {
      pair = listed[bounds.resolve((pair & 0x1FF) << 22 | source.next() >> 10, source)];
      if (pair >= pair_first_alone)
        pair = static_cast<std::uint32_t>(seconds.resolve(source.next(), source)) << 8 | (pair & 0xFF);
    }
    to[2 * i] = static_cast<std::uint8_t>(pair);
    to[2 * i + 1] = static_cast<std::uint8_t>(pair >> 8);
  }
}

template <class Target>
void pair_blocks(std::size_t blocks, std::size_t alignment, unsigned kind) {
  if constexpr (requires(Jkiss64 & source, const target::PairLookup& lookup) {
                  Target::pair_blocks(source, lookup, blocks, nullptr);
                }) {
    set_cells(escapes_of_kind[kind % 6]);
    // Where all cells are escapes to first values alone, word 49 is a key among the bounds of second values.
    const Jkiss64 start = below(2) == 0 ? jkiss64_with(0xFFFF'FFFFU, 49) : Jkiss64(StreamId{any.next(), 5, 6});
    RandomBounds bounds(kind % 7, 0x8000'0000U), seconds(kind % 5, 0xFFFF'FFFFU);
    static Recorder recorder;
    recorder = {start, {}, 0};
    for (std::size_t i = 0; i < 48; ++i) static_cast<void>(recorder.source.next());
    while (recorder.count < 30) static_cast<void>(recorder.next());
    if (kind % 3 != 0) {
      const std::uint32_t escape = below(512);
      insert_keys(bounds, recorder, kind % 2, [&](std::uint32_t word) { return escape << 22 | word >> 10; });
      for (std::uint16_t& cell : pair_table_cells)
        if (cell >= 0x8000) cell = static_cast<std::uint16_t>(0x8000 + escape);
    }
    if (below(2) == 0) insert_keys(seconds, recorder, 1, [](std::uint32_t word) { return word; });
    std::array<std::uint16_t, 512> starts{};
    for (std::uint32_t i = 0; i < 512; ++i) starts[i] = static_cast<std::uint16_t>(bounds.position(i << 22));
    std::array<std::uint32_t, 64> listed{};
    for (std::uint32_t& pair : listed) pair = below(4) < kind % 5 ? pair_first_alone + below(256) : below(0x10000);
    Jkiss64 generic = start, native = start;
    output.start(alignment);
    for (std::size_t i = 0; i < blocks; ++i)
      pair_block(generic, bounds, listed.data(), seconds, output.of_generic() + 288 * i);
    const auto seconds_low = seconds.low; // elsewhere than `bounds.low` from its `high`
    seconds.low.fill(0x8000'0000U);
    const target::PairLookup lookup{pair_table_cells.data(), starts.data(),        bounds.high.data(),
                                    bounds.low.data(),       listed.data(),        seconds.high.data(),
                                    seconds_low.data(),      seconds.end_of_high()};
    Target::pair_blocks(native, lookup, blocks, output.of_native());
    expect(output.same() && native == generic, "pair_blocks", blocks, alignment, kind);
  }
}

template <class Target>
void word_blocks(std::size_t blocks, std::size_t alignment, unsigned kind) {
  if constexpr (requires(Jkiss64 & source) { Target::word_blocks(source, nullptr, blocks, nullptr, nullptr); }) {
    const Jkiss64 start = kind % 4 == 0 ? jkiss64_with(0xFFFF'FFFFU, below(48)) : Jkiss64(StreamId{any.next(), 7, 8});
    RandomBounds bounds(kind % 8 == 7 ? 40 : kind % 8, kind % 3 == 0 ? 0xFFFF'FFFFU : 0xC000'0000U);
    static Recorder recorder;
    recorder = {start, {}, 0};
    while (recorder.count < 48 * blocks) static_cast<void>(recorder.next());
    for (const unsigned each : {2U, 5U}) {
      if (kind % each != 0) continue;
      const std::uint32_t key = recorder.words[below(static_cast<std::uint32_t>(recorder.count))];
      bounds.insert(key, any.next());
    }
    if (kind % 8 == 4) bounds.insert(0xFFFF'FFFFU, any.next());
    Jkiss64 generic = start, native = start;
    output.start(alignment);
    static std::array<OpenValue, 48> open;
    for (std::size_t i = 0; i < blocks; ++i) {
      std::array<std::uint32_t, 48> words;
      for (std::uint32_t& word : words) word = generic.next();
      for (std::size_t k = 0; k < 48; ++k)
        output.of_generic()[48 * i + k] = static_cast<std::uint8_t>(bounds.resolve(words[k], generic));
    }
    std::uint8_t* to = output.of_native();
    bool right = true;
    for (std::size_t left = blocks; left != 0 && right;) {
      const target::WordBlocks done = Target::word_blocks(native, bounds.high.data(), left, to, open.data());
      right = done.blocks != 0 && done.blocks <= left && done.opened <= 48;
      if (!right) break;
      to += 48 * done.blocks;
      left -= done.blocks;
      for (std::size_t k = 0; k < done.opened; ++k) {
        right = right && open[k].position < 48 && bounds.position(open[k].key) == (to - 48)[open[k].position];
        (to - 48)[open[k].position] = static_cast<std::uint8_t>(bounds.resolve(open[k].key, native));
      }
    }
    expect(right && output.same() && native == generic, "word_blocks", blocks, alignment, kind);
  }
}

// --- whole tables ----------------------------------------------------------------------------------------------------

/// Nothing but `next`: any words, with runs of zeros and ones.
struct Plain {
  using Offers = offer::List<>;
  Sfc32 source;
  std::uint32_t next() {
    const std::uint32_t word = source.next();
    return word % 16 == 0 ? 0 : word % 16 == 1 ? 0xFFFF'FFFFU : word;
  }
  friend bool operator==(const Plain&, const Plain&) = default;
};

template <class Source, class Element, class Table>
void tables(Output<Element>& values, const Table& table, const Source& start, const char* what) {
  for (std::size_t count = 0; count < most - 3; count = count < 330 ? count + 1 : count + 37) {
    const std::size_t alignment = count % 4;
    Source generic = start, native = start;
    values.start(alignment);
    table.template fill<Generic>(generic, std::span(values.of_generic(), count));
    table.template fill<Native>(native, std::span(values.of_native(), count));
    expect(values.same() && generic == native, what, count, alignment, 0);
  }
}

template <class Table>
void tables(const Table& table, const char* what) {
  tables(output, table, Jkiss64(StreamId{any.next(), 1, 0}), what);
  tables(output, table, Sfc32(StreamId{any.next(), 2, 0}), what);
  tables(output, table, Plain{Sfc32(StreamId{any.next(), 3, 0})}, what);
  tables(wide_output, table, Jkiss64(StreamId{any.next(), 4, 0}), what);
}

} // namespace

int main() {
  for (std::size_t count = 0; count <= 48; ++count)
    for (std::size_t alignment = 0; alignment < 4; ++alignment)
      for (unsigned kind = 0; kind < kinds; ++kind) {
        byte_cells<Native>(count, alignment, kind);
        pair_cells<Native>(count, alignment, kind);
        word_positions<Native>(count, alignment, kind);
      }
  for (unsigned turn = 0; turn < 20; ++turn)
    for (std::size_t blocks = 1; blocks <= 3; ++blocks)
      for (std::size_t alignment = 0; alignment < 4; ++alignment)
        for (unsigned kind = 0; kind < 30; ++kind) {
          byte_blocks<Native>(blocks, alignment, kind);
          pair_blocks<Native>(blocks, alignment, kind);
          word_blocks<Native>(4 * blocks, alignment, kind);
        }
  tables(word_table<Poisson(1.6)>, "word_table 1.6");
  tables(word_table<Poisson(20)>, "word_table 20");
  tables(word_table<Weights({1.0, 2.0})>, "word_table of two");
  tables(byte_table<Poisson(1.6)>, "byte_table 1.6");
  tables(byte_table<Poisson(64)>, "byte_table 64");
  tables(byte_table<Weights({1.0})>, "byte_table of one");
  tables(pair_table<Poisson(1.6)>, "pair_table 1.6");
  tables(pair_table<Poisson(20)>, "pair_table 20");
  tables(pair_table<Weights({3.0, 0.5, 0.0, 1.0})>, "pair_table of weights");
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
