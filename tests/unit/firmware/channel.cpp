// SPDX-License-Identifier: BSL-1.0
// A channel against a queue of the standard library: all lengths and fill levels, places that wrap, a writer that ends
// between any two stores, and a reader between any two of whose loads the writer goes on.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/firmware/channel.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using firmware::ChannelReader;
using firmware::ChannelShape;
using firmware::ChannelWriter;
namespace ring = firmware::ring;

namespace {

constexpr std::uint32_t guard = 0xC0FFEE11;

/// A channel in memory, with words around it that nobody may touch.
struct Memory {
  Memory(ChannelShape given, std::uint32_t start) : shape(given), words(4 + size() + 4, guard) {
    std::fill(words.begin() + 4, words.end() - 4, 0);
    state()[ring::end] = state()[ring::oldest] = state()[ring::begin] = start;
  }
  std::uint32_t* state() { return words.data() + 4; }
  [[nodiscard]] std::size_t size() const { return ring::words + shape.capacity + shape.longest; }
  [[nodiscard]] bool is_guarded() const {
    const auto is_guard = [](std::uint32_t word) { return word == guard; };
    return std::all_of(words.begin(), words.begin() + 4, is_guard) &&
           std::all_of(words.end() - 4, words.end(), is_guard);
  }
  ChannelShape shape;
  std::vector<std::uint32_t> words;
};

/// The n-th record of so many words: all of it says which it is.
std::vector<std::uint32_t> record_of(std::uint32_t number, std::uint32_t words) {
  std::vector<std::uint32_t> record{firmware::head(number & 0xFF, words, number & 0xFFFF)};
  for (std::uint32_t at = 0; at < words; ++at) record.push_back(number * 0x9E3779B9U + at);
  return record;
}

ChannelShape shape_of(std::mt19937& random, WhenFull when_full) {
  const std::uint32_t capacity = 2U << random() % 9;
  const std::uint32_t most = capacity > 255 ? 255 : capacity - 1;
  const auto longest = static_cast<std::uint32_t>(random() % (most + 1));
  return {capacity, longest, when_full};
}
/// Just before places wrap, or anywhere.
std::uint32_t start_of(std::mt19937& random) {
  const auto start = static_cast<std::uint32_t>(random());
  return start % 2 == 0 ? start : 0U - (start >> 8) % 600;
}

void compare(std::uint32_t seed, WhenFull when_full) {
  std::mt19937 random(seed);
  const ChannelShape shape = shape_of(random, when_full);
  Memory memory(shape, start_of(random));
  const auto [capacity, longest, full] = shape;
  INFO("seed " << seed << ", " << capacity << " words, longest " << longest << ", gives way "
               << (full == WhenFull::oldest_gives_way));
  ChannelWriter<ChannelShape> writer(memory.state(), memory.shape);
  ChannelReader<ChannelShape> reader(memory.state(), memory.shape);
  std::deque<std::vector<std::uint32_t>> queue; // what waits
  std::deque<std::uint32_t> in_ring;            // lengths of what has not given way, read or not
  std::uint32_t number = 0, used = 0, all = 0, missed = 0, refused = 0, gave_way = 0;
  std::array<std::uint32_t, 256> to{};
  for (unsigned burst = 0; burst < 80; ++burst) {
    const auto count = random() % (capacity + 3);
    const bool comes = random() % 2 == 0;
    const bool short_ones = random() % 2 == 0;
    for (std::size_t at = 0; at < count; ++at) {
      if (comes) {
        const auto length = static_cast<std::uint32_t>(random()) % (short_ones ? 3 : longest + 2);
        const auto record = record_of(number++, length);
        bool has_room = length <= longest;
        if (has_room && when_full == WhenFull::refuse_newest) has_room = used + length + 1 <= capacity;
        while (has_room && when_full == WhenFull::oldest_gives_way && all + length + 1 > capacity) {
          if (in_ring.size() == queue.size()) { // nobody has read it
            queue.pop_front();
            ++missed;
          }
          all -= in_ring.front() + 1;
          in_ring.pop_front();
          ++gave_way;
        }
        bool wrote = false;
        if (number % 2 == 0) {
          wrote = writer.write(record);
        } else if (std::uint32_t* const into = writer.begin(length)) { // some begin and do not end
          std::copy(record.begin(), record.end(), into);
          writer.end(length);
          wrote = true;
        }
        if (wrote != has_room) FAIL("write of record " << number);
        if (has_room) {
          queue.push_back(record), in_ring.push_back(length);
          used += length + 1, all += length + 1;
        } else {
          ++missed, ++refused;
        }
      } else {
        const std::uint32_t words = reader.read(to);
        if ((words != 0) != !queue.empty()) FAIL("read, " << queue.size() << " waiting");
        if (words == 0) break;
        if (!std::equal(queue.front().begin(), queue.front().end(), to.begin(), to.begin() + words)) FAIL("contents");
        used -= words;
        queue.pop_front();
      }
      if (when_full == WhenFull::refuse_newest && writer.waiting() != used) FAIL("waiting");
      if (random() % 64 == 0) { // another reader comes, and goes on where this one was
        missed -= reader.missed();
        reader = ChannelReader<ChannelShape>(memory.state(), memory.shape);
      }
    }
    if (!memory.is_guarded()) FAIL("wrote outside of its words");
  }
  while (reader.read(to) != 0) queue.pop_front();
  CHECK(queue.empty());
  CHECK(reader.missed() == missed);
  CHECK(reader.damaged() == 0);
  CHECK(writer.refused() == refused);
  CHECK(writer.gave_way() == gave_way);
}

} // namespace

TEST_CASE("channel: what is full refuses, and counts", "[firmware][channel]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 75 : 300)) compare(seed, WhenFull::refuse_newest);
}

TEST_CASE("channel: the oldest gives way, and is counted if nobody read it", "[firmware][channel]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 75 : 300)) compare(seed, WhenFull::oldest_gives_way);
}

// Where the oldest gives way: whatever is in the ring, read or not; else what waits.
TEST_CASE("channel: the newest records that fit, whole and in order", "[firmware][channel]") {
  for (const WhenFull when_full : {WhenFull::refuse_newest, WhenFull::oldest_gives_way})
    for (const std::uint32_t seed : Seeds(sanitized ? 75 : 300)) {
      std::mt19937 random(seed);
      const ChannelShape shape = shape_of(random, when_full);
      const bool gives_way = when_full == WhenFull::oldest_gives_way;
      Memory memory(shape, start_of(random));
      ChannelWriter<ChannelShape> writer(memory.state(), shape);
      ChannelReader<ChannelShape> reader(memory.state(), shape);
      std::deque<std::vector<std::uint32_t>> kept;
      std::uint32_t used = 0;
      std::array<std::uint32_t, 256> to{};
      for (std::uint32_t number = 0; number < 60; ++number) {
        if (random() % 4 == 0 && reader.read(to) != 0 && !gives_way) {
          used -= static_cast<std::uint32_t>(kept.front().size());
          kept.pop_front();
        }
        const auto record = record_of(number, static_cast<std::uint32_t>(random()) % (shape.longest + 1));
        if (!writer.write(record)) continue;
        kept.push_back(record);
        used += static_cast<std::uint32_t>(record.size());
        for (; used > shape.capacity; kept.pop_front()) used -= static_cast<std::uint32_t>(kept.front().size());
        std::vector<std::uint32_t> found(random() % (shape.capacity + 5) + 2, guard);
        const std::size_t most = found.size() - 2;
        std::vector<std::uint32_t> wanted;
        for (auto at = kept.rbegin(); at != kept.rend() && wanted.size() + at->size() <= most; ++at)
          wanted.insert(wanted.begin(), at->begin(), at->end());
        const std::vector<std::uint32_t> before = memory.words;
        INFO("seed " << seed << ", gives way " << gives_way << ", record " << number << ", " << most << " words");
        REQUIRE(writer.newest({found.data() + 1, most}) == wanted.size());
        REQUIRE(std::equal(wanted.begin(), wanted.end(), found.begin() + 1));
        REQUIRE(std::count(found.begin(), found.end(), guard) >=
                static_cast<std::ptrdiff_t>(found.size() - wanted.size()));
        REQUIRE((found.front() == guard && memory.words == before));
      }
    }
}

TEST_CASE("channel: of words that somebody wrote over, the newest records are none, or whole", "[firmware][channel]") {
  unsigned whole = 0, none = 0;
  for (const std::uint32_t seed : Seeds(3000)) {
    std::mt19937 random(seed);
    const ChannelShape shape =
        shape_of(random, random() % 2 == 0 ? WhenFull::refuse_newest : WhenFull::oldest_gives_way);
    Memory memory(shape, start_of(random));
    ChannelWriter<ChannelShape> writer(memory.state(), shape);
    for (std::uint32_t number = 0; number < 20; ++number)
      writer.write(record_of(number, static_cast<std::uint32_t>(random()) % (shape.longest + 1)));
    for (auto times = random() % 4; times != 0; --times)
      memory.state()[random() % memory.size()] = static_cast<std::uint32_t>(random()) >> random() % 32;
    std::vector<std::uint32_t> found(random() % (shape.capacity + 1) + 2, guard);
    INFO("seed " << seed);
    const std::uint32_t count = writer.newest({found.data() + 1, found.size() - 2});
    REQUIRE(count <= found.size() - 2);
    REQUIRE((found.front() == guard && found.back() == guard));
    std::uint32_t at = 0;
    while (at < count) at += firmware::words_of(found[1 + at]) + 1;
    REQUIRE(at == count);
    ++(count == 0 ? none : whole);
  }
  CHECK((whole > 300 && none > 300));
}

namespace {

/// The power goes after so many stores.
struct Ending {
  static std::uint32_t load(const volatile std::uint32_t& word) { return word; }
  static void store(volatile std::uint32_t& word, std::uint32_t value) {
    if (left == 0) return;
    --left;
    word = value;
  }
  static void order() {}
  static inline std::uint32_t left = 0;
};

} // namespace

// A writer ends before its (stores + 1)-th store. What is read then, and after it has resumed, are whole records, in order,
// each that was complete, but for those that gave way.
TEST_CASE("channel: a writer that ends between any two stores leaves whole records", "[firmware][channel]") {
  for (const WhenFull when_full : {WhenFull::refuse_newest, WhenFull::oldest_gives_way})
    for (const std::uint32_t seed : Seeds(sanitized ? 50 : 200)) {
      std::mt19937 random(seed);
      const std::uint32_t capacity = 4U << random() % 3,
                          longest = 3 + static_cast<std::uint32_t>(random()) % (capacity - 3);
      const ChannelShape shape{capacity, longest, when_full};
      const auto start = start_of(random);
      std::vector<std::uint32_t> lengths(static_cast<std::size_t>(random()) % 12 + 1);
      for (std::uint32_t& length : lengths) length = static_cast<std::uint32_t>(random()) % (longest + 1);
      const auto take_first = static_cast<std::uint32_t>(random()) % 3;
      bool has_ended = false;
      for (std::uint32_t stores = 0; !has_ended; ++stores) {
        INFO("seed " << seed << ", gives way " << (when_full == WhenFull::oldest_gives_way) << ", " << stores
                     << " stores");
        Memory memory(shape, start);
        ChannelReader<ChannelShape> reader(memory.state(), shape);
        ChannelWriter<ChannelShape, Ending> ending(memory.state(), shape);
        Ending::left = stores;
        std::vector<std::vector<std::uint32_t>> complete;
        std::array<std::uint32_t, 256> to{};
        std::uint32_t taken = 0, number = 0;
        for (const std::uint32_t length : lengths) {
          const std::uint32_t before = memory.state()[ring::end];
          ending.write(record_of(number, length));
          if (memory.state()[ring::end] != before) complete.push_back(record_of(number, length));
          ++number;
          if (Ending::left == 0) break;
          if (taken < take_first && reader.read(to) != 0) ++taken;
        }
        has_ended = Ending::left > 0;
        std::deque<std::uint32_t> seen;
        const auto read_all = [&] {
          while (const std::uint32_t words = reader.read(to)) {
            const auto is_this = [&](const auto& record) {
              return std::equal(record.begin(), record.end(), to.begin(), to.begin() + words);
            };
            const auto found = std::find_if(complete.begin(), complete.end(), is_this);
            REQUIRE(found != complete.end());
            const auto at = static_cast<std::uint32_t>(found - complete.begin());
            if (!seen.empty()) REQUIRE(seen.back() < at);
            seen.push_back(at);
          }
        };
        const bool reads_before = random() % 2 == 0;
        if (reads_before) read_all();
        ChannelWriter<ChannelShape> again(memory.state(), shape);
        REQUIRE(again.resume());
        const auto last = record_of(1000, longest);
        if (again.write(last)) complete.push_back(last);
        read_all();
        if (!complete.empty()) REQUIRE(seen.back() == complete.size() - 1);
        REQUIRE(reader.damaged() == 0);
        if (when_full == WhenFull::refuse_newest) REQUIRE(seen.size() + taken == complete.size());
        REQUIRE(memory.is_guarded());
      }
    }
}

namespace {

/// Before its n-th load, something else happens.
struct Disturbed {
  static std::uint32_t load(const volatile std::uint32_t& word) {
    if (at++ == when) what();
    return word;
  }
  static void store(volatile std::uint32_t& word, std::uint32_t value) { word = value; }
  static void order() {}
  static inline std::uint32_t at = 0, when = 0;
  static inline std::function<void()> what;
};

} // namespace

// Before each load of the reader, the writer writes more records: from none to several rounds of the ring.
TEST_CASE("channel: a reader that is overtaken at any load reads whole records in order", "[firmware][channel]") {
  for (const WhenFull when_full : {WhenFull::refuse_newest, WhenFull::oldest_gives_way})
    for (const std::uint32_t seed : Seeds(sanitized ? 75 : 300)) {
      std::mt19937 random(seed);
      const ChannelShape shape{8U << random() % 3, 7, when_full};
      const auto start = start_of(random);
      const auto before = static_cast<std::uint32_t>(random()) % 20,
                 meanwhile = static_cast<std::uint32_t>(random()) % 20;
      const auto salt = static_cast<std::uint32_t>(random());
      bool was_disturbed = true;
      for (std::uint32_t when = 0; was_disturbed; ++when) {
        INFO("seed " << seed << ", gives way " << (when_full == WhenFull::oldest_gives_way) << ", load " << when);
        Memory memory(shape, start);
        ChannelReader<ChannelShape, Disturbed> reader(memory.state(), shape);
        ChannelWriter<ChannelShape> writer(memory.state(), shape);
        std::uint32_t number = 0, written = 0, read = 0;
        const auto write = [&](std::uint32_t records) {
          for (; records > 0; --records, ++number)
            written += writer.write(record_of(number, (number ^ salt) % 8)) ? 1U : 0U;
        };
        write(before);
        was_disturbed = false;
        Disturbed::at = 0, Disturbed::when = when;
        Disturbed::what = [&] {
          was_disturbed = true;
          write(meanwhile);
        };
        std::uint32_t last = 0;
        std::array<std::uint32_t, 256> to{};
        const auto read_all = [&] {
          while (const std::uint32_t words = reader.read(to)) {
            const std::uint32_t which = firmware::token_of(to[0]);
            const auto record = record_of(which, (which ^ salt) % 8);
            REQUIRE(std::equal(record.begin(), record.end(), to.begin(), to.begin() + words));
            if (read > 0) REQUIRE(which > last);
            last = which;
            ++read;
          }
        };
        read_all();
        Disturbed::what = [] {};
        read_all(); // what came at the last load
        REQUIRE(reader.damaged() == 0);
        if (when_full == WhenFull::refuse_newest) {
          REQUIRE(read == written);
          REQUIRE(reader.missed() == number - written);
        }
        write(30); // what it says it missed is exact again after it was overtaken once more
        read_all();
        REQUIRE(reader.missed() == number - read);
      }
    }
}

// What stands there is anything: the other side has gone mad, or memory was never written.
TEST_CASE("channel: whatever the other side writes, nobody reads or writes outside", "[firmware][channel]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 500 : 2000)) {
    std::mt19937 random(seed);
    const auto when_full = random() % 2 == 0 ? WhenFull::refuse_newest : WhenFull::oldest_gives_way;
    const ChannelShape shape = shape_of(random, when_full);
    Memory memory(shape, start_of(random));
    ChannelWriter<ChannelShape> writer(memory.state(), shape);
    ChannelReader<ChannelShape> reader(memory.state(), shape);
    std::array<std::uint32_t, 257> to{};
    to.back() = guard;
    for (int round = 0; round < 50; ++round) {
      const auto place = static_cast<std::size_t>(random()) % (round % 2 == 0 ? 8 : memory.size());
      const auto value = static_cast<std::uint32_t>(random());
      memory.state()[place] = random() % 2 == 0 ? value : memory.state()[ring::end] + value % 300 - 150;
      for (int more = 0; more < 4; ++more) {
        (void)writer.write(record_of(7, shape.longest / 2));
        (void)reader.read(std::span(to).first(shape.longest + 1));
      }
      if (round % 7 == 0) (void)writer.resume();
    }
    INFO("seed " << seed);
    REQUIRE(memory.is_guarded());
    REQUIRE(to.back() == guard);
    // As soon as it stops, records come through again.
    (void)writer.resume();
    while (reader.read(to) != 0) {}
    (void)writer.resume();
    REQUIRE(writer.write(record_of(9, shape.longest)));
    const std::uint32_t words = reader.read(to);
    REQUIRE(words == shape.longest + 1);
    REQUIRE(to[0] == record_of(9, shape.longest)[0]);
  }
}

TEST_CASE("channel: a record that the reader has no room for is given up", "[firmware][channel]") {
  Memory memory({64, 15, WhenFull::refuse_newest}, 0);
  ChannelWriter<ChannelShape> writer(memory.state(), memory.shape);
  ChannelReader<ChannelShape> reader(memory.state(), memory.shape);
  std::array<std::uint32_t, 6> to{};
  to.back() = guard;
  REQUIRE(writer.write(record_of(1, 5)));
  CHECK(reader.read(std::span(to).first(5)) == 0);
  CHECK(to.back() == guard);
  CHECK(reader.damaged() == 1);
  REQUIRE(writer.write(record_of(2, 4)));
  CHECK(reader.read(std::span(to).first(5)) == 5);
}

// It has counted the record that gives way, and goes on after the reader has taken that very record.
TEST_CASE("channel: what a reader says too much while a writer gives up records, it takes back",
          "[firmware][channel]") {
  Memory memory({4, 0, WhenFull::oldest_gives_way}, 0xFFFFFFFE);
  ChannelWriter<ChannelShape> writer(memory.state(), memory.shape);
  ChannelReader<ChannelShape> reader(memory.state(), memory.shape);
  for (std::uint32_t number = 0; number < 4; ++number) REQUIRE(writer.write(record_of(number, 0)));
  ChannelWriter<ChannelShape, Ending> ending(memory.state(), memory.shape);
  Ending::left = 1;
  (void)ending.write(record_of(4, 0));
  std::array<std::uint32_t, 1> to{};
  REQUIRE(reader.read(to) == 1);
  CHECK(firmware::token_of(to[0]) == 0);
  CHECK(reader.missed() == 1);
  ++memory.state()[ring::oldest];
  memory.state()[ring::words + (memory.state()[ring::end] & 3)] = record_of(4, 0)[0];
  ++memory.state()[ring::end];
  for (std::uint32_t number = 1; number < 5; ++number) {
    REQUIRE(reader.read(to) == 1);
    CHECK(firmware::token_of(to[0]) == number);
    CHECK(reader.missed() == 0);
  }
  CHECK(reader.read(to) == 0);
}

TEST_CASE("channel: where records were left out stands how many, also when places wrap", "[firmware][channel]") {
  unsigned long gaps = 0, grown = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 100 : 400)) {
    std::mt19937 random(seed);
    ChannelShape shape = shape_of(random, WhenFull::refuse_newest);
    if (shape.longest == 0) shape.longest = 1;
    Memory memory(shape, start_of(random));
    ChannelWriter<ChannelShape> writer(memory.state(), memory.shape);
    ChannelReader<ChannelShape> reader(memory.state(), memory.shape);
    std::deque<std::vector<std::uint32_t>> wanted;   // records that wait
    std::deque<std::uint32_t> lost_before{0};        // each of them, and the next
    std::uint32_t number = 0, refused = 0, told = 0; // told since the last record that was read
    std::array<std::uint32_t, 256> to{};
    const auto read = [&] {
      const std::uint32_t words = reader.read(to);
      if (words == 0) return false;
      if (firmware::kind_of(to[0]) == 200) {
        REQUIRE(words == 2);
        told += to[1];
        grown += to[1] > 1;
        return true;
      }
      REQUIRE(!wanted.empty());
      if (!std::equal(wanted.front().begin(), wanted.front().end(), to.begin(), to.begin() + words) ||
          told != lost_before.front())
        FAIL("seed " << seed << ": record " << number << ", lost " << told << " for " << lost_before.front());
      gaps += told != 0;
      wanted.pop_front(), lost_before.pop_front(), told = 0;
      return true;
    };
    for (unsigned turn = 0; turn < 1500; ++turn) {
      if (random() % 5 == 0)
        for (auto more = random() % 40; more > 0 && read(); --more) {}
      if (turn % 100 == 50) { // a reset
        REQUIRE(writer.resume());
        continue;
      }
      const std::uint32_t length = random() % 3 == 0 ? 1 : static_cast<std::uint32_t>(random() % (shape.longest + 1));
      const bool has_room = shape.capacity - writer.waiting() > length + 2;
      const auto record = record_of(++number % 150, length);
      bool is_written = false;
      if (length == 1 && random() % 2 == 0) {
        is_written = writer.write_or_tell<200>(record[0] & 0xFF, record[0] >> 16, record[1]);
      } else if (std::uint32_t* const at = writer.begin_or_tell<200>(length); at != nullptr) {
        std::copy(record.begin(), record.end(), at);
        writer.end(length);
        is_written = true;
      }
      REQUIRE(is_written == has_room);
      if (is_written)
        wanted.push_back(record), lost_before.push_back(0);
      else
        ++lost_before.back(), ++refused;
      REQUIRE(writer.refused() == refused);
      REQUIRE(writer.waiting() <= shape.capacity);
    }
    while (read()) {}
    CHECK(wanted.empty());
    CHECK(told == lost_before.front());
    REQUIRE(reader.missed() == refused);
    REQUIRE(reader.damaged() == 0);
    REQUIRE(memory.is_guarded());
  }
  CHECK(gaps > 1000);
  CHECK(grown > 1000);
}

TEST_CASE("channel: a record too long tells of itself in an empty ring, and nothing where the oldest gives way",
          "[firmware][channel]") {
  Memory memory({16, 4, WhenFull::refuse_newest}, 0U - 3U);
  ChannelWriter<ChannelShape> writer(memory.state(), memory.shape);
  ChannelReader<ChannelShape> reader(memory.state(), memory.shape);
  std::array<std::uint32_t, 5> to{};
  for (std::uint32_t more = 1; more < 4; ++more) {
    for (std::uint32_t times = 0; times < more; ++times) CHECK(writer.begin_or_tell<7>(5) == nullptr);
    REQUIRE(reader.read(to) == 2);
    CHECK(to[0] == firmware::head(7, 1));
    CHECK(to[1] == more);
    CHECK(reader.read(to) == 0);
  }
  CHECK(reader.missed() == 6);
  Memory other({16, 4, WhenFull::oldest_gives_way}, 0);
  ChannelWriter<ChannelShape> over(other.state(), other.shape);
  CHECK(over.begin_or_tell<7>(5) == nullptr);
  CHECK(over.refused() == 1);
  CHECK(over.waiting() == 0);
  for (std::uint32_t turn = 0; turn < 20; ++turn) CHECK(over.write_or_tell<7>(1, 0, turn));
}

TEST_CASE("channel: a record whose words are arguments is refused where there is no room", "[firmware][channel]") {
  Memory memory({4, 3, WhenFull::refuse_newest}, 0xFFFFFFFF);
  ChannelWriter<ChannelShape> writer(memory.state(), memory.shape);
  REQUIRE(writer.write(1, 2, 3, 4)); // a head and two words
  CHECK_FALSE(writer.write(1, 2, 3));
  CHECK_FALSE(writer.write(1, 2, 3, 4, 5, 6)); // longer than the longest, too
  CHECK(writer.refused() == 2);
  CHECK(writer.waiting() == 3);
  CHECK(writer.write(5, 6));
  CHECK(writer.waiting() == 4);
  CHECK(memory.is_guarded());
}

TEST_CASE("channel: a ring that is in disorder is empty after a reset", "[firmware][channel]") {
  for (const WhenFull when_full : {WhenFull::refuse_newest, WhenFull::oldest_gives_way}) {
    Memory memory({64, 15, when_full}, 0xFFFFFFF0);
    ChannelWriter<ChannelShape> writer(memory.state(), memory.shape);
    ChannelReader<ChannelShape> reader(memory.state(), memory.shape);
    for (std::uint32_t number = 0; number < 10; ++number) REQUIRE(writer.write(record_of(number, 3)));
    CHECK(writer.resume());
    memory.state()[ring::words + 0x34] = firmware::head(1, 16); // longer than the longest
    CHECK_FALSE(writer.resume());
    CHECK(writer.resume());
    std::array<std::uint32_t, 256> to{};
    CHECK(reader.read(to) == 0);
    CHECK(writer.waiting() == 0);
    CHECK(reader.damaged() == 0);
    REQUIRE(writer.write(record_of(77, 3)));
    REQUIRE(reader.read(to) == 4);
    CHECK(to[0] == record_of(77, 3)[0]);
  }
}

namespace {

/// A writer that is faster: whenever the reader asks where the oldest record is, that has given way since.
struct Overtaken {
  static std::uint32_t load(const volatile std::uint32_t& word) {
    if (&word == oldest) {
      ++asked;
      const std::uint32_t before = word;
      *oldest = before + 4;
      *end = before + 4 + 12;
      return before;
    }
    return word;
  }
  static void store(volatile std::uint32_t& word, std::uint32_t value) { word = value; }
  static void order() {}
  static inline std::uint32_t *oldest = nullptr, *end = nullptr;
  static inline std::uint32_t asked = 0;
};

} // namespace

TEST_CASE("channel: a reader that is overtaken each time gives it up for now", "[firmware][channel]") {
  Memory memory({16, 3, WhenFull::oldest_gives_way}, 100);
  for (std::uint32_t at = 0; at < 16; at += 4) memory.state()[ring::words + at] = firmware::head(1, 3);
  memory.state()[ring::end] = 112;
  ChannelReader<ChannelShape, Overtaken> reader(memory.state(), memory.shape);
  Overtaken::oldest = memory.state() + ring::oldest;
  Overtaken::end = memory.state() + ring::end;
  Overtaken::asked = 0;
  std::array<std::uint32_t, 4> to{};
  CHECK(reader.read(to) == 0);
  CHECK(Overtaken::asked == 2 * reader.tries); // once before, once behind the copy
  CHECK(reader.tries == 8);
  CHECK(reader.damaged() == 0);
}

namespace {

/// Writes down what is loaded and stored, and where the order is kept.
struct Noted {
  static std::uint32_t load(const volatile std::uint32_t& word) {
    note('l', word);
    return word;
  }
  static void store(volatile std::uint32_t& word, std::uint32_t value) {
    note('s', word);
    word = value;
  }
  static void order() { notes += " |"; }
  static void note(char what, const volatile std::uint32_t& word) {
    const auto at = &word - state;
    if (at >= 0 && at < 64) notes += std::string(" ") + what + std::to_string(at);
  }
  static inline const volatile std::uint32_t* state = nullptr;
  static inline std::string notes;
};

} // namespace

// 0 is `end`, 1 `oldest`, 3 `gave_way`, 4 `begin`, 5 `number`, and the ring follows from 8 on.
TEST_CASE("channel: a memory that is not in order is kept in order where it matters", "[firmware][channel]") {
  const auto noted = [](auto call) {
    Noted::notes.clear();
    call();
    return Noted::notes;
  };
  Memory plain({16, 3, WhenFull::refuse_newest}, 0), giving({4, 3, WhenFull::oldest_gives_way}, 0);
  std::array<std::uint32_t, 4> to{};
  Noted::state = plain.state();
  ChannelWriter<ChannelShape, Noted> writer(plain.state(), plain.shape);
  ChannelReader<ChannelShape, Noted> reader(plain.state(), plain.shape);
  CHECK(noted([&] { (void)writer.write(1, 2, 7, 8); }) == " l0 l4 s8 s9 s10 | s0");
  CHECK(noted([&] { (void)writer.write(record_of(1, 1)); }) == " l0 l4 s11 s12 | l0 s0");
  CHECK(noted([&] { (void)reader.read(to); }) == " l1 | l0 | l4 l8 l9 l10 | s4");
  CHECK(noted([&] { reader.skip(); }) == " l0 s4");

  Noted::state = giving.state();
  ChannelWriter<ChannelShape, Noted> gives(giving.state(), giving.shape);
  ChannelReader<ChannelShape, Noted> reads(giving.state(), giving.shape);
  CHECK(noted([&] { (void)gives.write(1, 2, 7, 8); }) == " l0 l1 s8 s9 s10 | s0");
  CHECK(noted([&] { (void)gives.write(3, 4, 5); }) == " l0 l1 l8 l3 s3 | s1 | s11 s12 | s0");
  CHECK(noted([&] { (void)reads.read(to); }) == " l1 | l0 | l4 l3 l5 s5 s4 l4 l11 l12 | l1 l5 s5 s4");
  ChannelShape none;
  CHECK((none.capacity == 0 && none.longest == 0));
}
