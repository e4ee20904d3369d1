// SPDX-License-Identifier: BSL-1.0
// Crash reports word by word, in a memory that is a model: a stack at addresses that this process does not have, power that
// goes between any two stores, words that somebody wrote over, and a second fault. tests/checks/crash.py has the boards.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <neuromorph/firmware/crash.hpp>
#include <neuromorph/firmware/mailbox.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace neuromorph::firmware;

namespace {

/// A stack of addresses of a target, and as many stores as are left.
struct Model {
  static constexpr std::uint32_t lowest = 0x2000'0400, above = 0x2000'0800;
  static std::uint32_t on_stack(std::uint32_t address) { return address * 2654435761U; }
  static std::uint32_t load(const volatile std::uint32_t& word) {
    const auto address = reinterpret_cast<std::uintptr_t>(&word);
    if (address >= lowest - 0x1000 && address < above + 0x1000) {
      was_outside |= address < lowest || address >= above || address % 4 != 0;
      return on_stack(static_cast<std::uint32_t>(address));
    }
    return word;
  }
  static void store(volatile std::uint32_t& word, std::uint32_t value) {
    if (left == 0) return;
    --left;
    word = value;
  }
  static void order() {}
  static inline std::uint32_t left = 0;
  static inline bool was_outside = false;
};
constexpr std::uint32_t all = std::numeric_limits<std::uint32_t>::max();

/// Bit by bit, as ISO 3309 has it.
std::uint32_t plain_crc(std::span<const std::uint32_t> words) {
  std::uint32_t crc = ~0U;
  for (const std::uint32_t word : words)
    for (unsigned bit = 0; bit < 32; ++bit) {
      const bool out = ((crc ^ word >> bit) & 1) != 0;
      crc = crc >> 1 ^ (out ? 0xEDB88320U : 0);
    }
  return ~crc;
}

target::ArmRegisters registers_of(std::mt19937& random, std::uint32_t stack) {
  target::ArmRegisters registers{};
  for (std::uint32_t& word : registers.general) word = static_cast<std::uint32_t>(random());
  registers.general[13] = stack;
  registers.status = static_cast<std::uint32_t>(random());
  return registers;
}
/// Below, in, at the ends of and above the stack, and anywhere.
std::uint32_t stack_of(std::mt19937& random) {
  const auto any = static_cast<std::uint32_t>(random());
  switch (any % 6) {
  case 0: return Model::lowest - 4 + any % 9;
  case 1: return Model::above - 4 + any % 9;
  case 2: return any;
  default: return Model::lowest + any % (Model::above - Model::lowest);
  }
}

using LogChannel = Channel<"log ", 64, ChannelOptions{.when_full = WhenFull::oldest_gives_way}>;
constexpr std::uint32_t stack_words = 20, log_words = 30;
using Report = CrashReport<stack_words, log_words, Model>;

} // namespace

TEST_CASE("crash: a report is what was at hand, word by word", "[firmware][crash]") {
  for (const std::uint32_t seed : Seeds(2000)) {
    std::mt19937 random(seed);
    INFO("seed " << seed);
    Mailbox<LogChannel> box{};
    box.start(1000, 1);
    for (auto lines = random() % 40; lines != 0; --lines)
      box.writer<"log ">().write(0, static_cast<std::uint32_t>(lines), static_cast<std::uint32_t>(random()));
    std::vector<std::uint32_t> newest(log_words);
    newest.resize(box.writer<"log ">().newest(newest));
    newest.resize(log_words);
    std::vector<std::uint32_t> place(Report::words + 2);
    for (std::uint32_t& word : place) word = static_cast<std::uint32_t>(random());
    const auto before = place.front(), behind = place.back();
    const auto image = static_cast<std::uint32_t>(random());
    const std::uint32_t stack = stack_of(random);
    const auto registers = registers_of(random, stack);
    std::array<std::uint32_t, 4> faults{};
    for (std::uint32_t& word : faults) word = static_cast<std::uint32_t>(random());
    auto cause = static_cast<Cause>(1 + random() % 7);
    Report report(place.data() + 1, image, Model::lowest, Model::above);
    std::uint32_t argument = 0;
    const bool is_announced = random() % 2 == 0, has_log = random() % 4 != 0;
    if (is_announced) {
      argument = static_cast<std::uint32_t>(random());
      report.announce(Cause::assertion, 1);
      report.announce(Cause::stack_overflow, argument); // the last one is it
    }
    CHECK_FALSE(report.is_there());
    Model::left = all, Model::was_outside = false;
    REQUIRE((has_log ? report.record(registers, cause, faults, box.writer<"log ">())
                     : report.record(registers, cause, faults)));
    if (is_announced) cause = Cause::stack_overflow;

    std::vector<std::uint32_t> wanted{
        0x4853'5243, 2, 31 + stack_words + log_words + 1, image, static_cast<std::uint32_t>(cause), argument};
    wanted.insert(wanted.end(), std::begin(registers.general), std::end(registers.general));
    wanted.push_back(registers.status);
    wanted.insert(wanted.end(), faults.begin(), faults.end());
    const std::uint32_t from = stack / 4 * 4;
    std::vector<std::uint32_t> copied;
    if (from >= Model::lowest)
      for (std::uint32_t at = from; at < Model::above && copied.size() < stack_words; at += 4)
        copied.push_back(Model::on_stack(at));
    wanted.push_back(from);
    wanted.push_back(static_cast<std::uint32_t>(copied.size()));
    wanted.push_back(31 + stack_words);
    std::uint32_t count = 0;
    if (has_log)
      while (count < log_words && newest[count] != 0) count += words_of(newest[count]) + 1;
    else
      std::fill(newest.begin(), newest.end(), 0);
    wanted.push_back(count);
    copied.resize(stack_words);
    wanted.insert(wanted.end(), copied.begin(), copied.end());
    wanted.insert(wanted.end(), newest.begin(), newest.end());
    wanted.push_back(plain_crc(wanted));
    REQUIRE(std::vector<std::uint32_t>(place.begin() + 1, place.end() - 1) == wanted);
    REQUIRE((place.front() == before && place.back() == behind));
    CHECK_FALSE(Model::was_outside);
    CHECK(report.is_there());
    CHECK(report.cause() == cause);
    CHECK(std::vector<std::uint32_t>(report.all().begin(), report.all().end()) == wanted);

    // A fault while one was written, or behind it, leaves it as it is.
    auto other = registers;
    other.general[0] ^= 1;
    CHECK_FALSE(report.record(other, Cause::watchdog));
    CHECK(std::vector<std::uint32_t>(place.begin() + 1, place.end() - 1) == wanted);
    // After the reset another object finds it.
    CHECK(Report(place.data() + 1, 0, 0, 0).is_there());
    report.clear();
    CHECK_FALSE(report.is_there());
    CHECK(place[1] == 0);
  }
}

TEST_CASE("crash: power that goes between two stores leaves the report before, none, or this one",
          "[firmware][crash]") {
  std::mt19937 random(1);
  std::vector<std::uint32_t> place(Report::words);
  const auto first = registers_of(random, Model::lowest + 400), second = registers_of(random, Model::lowest + 600);
  Model::left = all;
  Report(place.data(), 7, Model::lowest, Model::above).record(first, Cause::undefined);
  const std::vector<std::uint32_t> before = place;
  bool is_whole = false;
  std::uint32_t stores = 0, torn = 0;
  for (; !is_whole; ++stores) {
    place = before;
    Model::left = stores;
    Report(place.data(), 7, Model::lowest, Model::above).record(second, Cause::data_abort);
    is_whole = Model::left != 0;
    INFO(stores << " stores");
    const Report report(place.data(), 7, Model::lowest, Model::above);
    if (stores == 0) {
      REQUIRE((report.is_there() && place == before));
    } else if (report.is_there()) {
      REQUIRE(report.cause() == Cause::data_abort);
      REQUIRE(place[crash::at_registers] == second.general[0]);
      REQUIRE(stores > Report::words);
    } else {
      if (stores == 1) CHECK(place[0] == 0);
      ++torn;
    }
  }
  CHECK(torn == Report::words); // all but the first and the last store: the magic twice, each other word once
}

TEST_CASE("crash: words of any contents are no report, nor is one of which a bit is another", "[firmware][crash]") {
  for (const std::uint32_t seed : Seeds(2000)) {
    std::mt19937 random(seed);
    std::vector<std::uint32_t> place(Report::words);
    for (std::uint32_t& word : place) word = static_cast<std::uint32_t>(random());
    const Report report(place.data(), 7, Model::lowest, Model::above);
    CHECK_FALSE(report.is_there());
    place[crash::at_magic] = crash::magic;
    CHECK_FALSE(report.is_there());
    place[crash::at_version] = crash::version;
    place[crash::at_words] = Report::words;
    CHECK_FALSE(report.is_there());
    place.back() = plain_crc(std::span(place).first(Report::words - 1));
    CHECK(report.is_there());
    // Of another layout, with the CRC that is right for it: of a program before.
    for (const std::uint32_t at : {crash::at_magic, crash::at_version, crash::at_words}) {
      auto other = place;
      other[at] += random() % 2 == 0 ? 1U : ~0U;
      other.back() = plain_crc(std::span(other).first(Report::words - 1));
      CHECK_FALSE(Report(other.data(), 7, 0, 0).is_there());
    }
    place[random() % Report::words] ^= 1U << random() % 32;
    CHECK_FALSE(report.is_there());
  }
}

TEST_CASE("crash: what is sent is the report, in records as long as the channel has them", "[firmware][crash]") {
  std::mt19937 random(3);
  std::vector<std::uint32_t> place(Report::words);
  Model::left = all;
  Report report(place.data(), 7, Model::lowest, Model::above);
  report.record(registers_of(random, Model::lowest), Cause::watchdog);
  for (std::uint32_t longest = 0; longest <= 120; ++longest)
    for (const std::uint32_t capacity : {64U, 128U, 256U}) {
      if (longest >= capacity) continue;
      INFO("longest " << longest << " capacity " << capacity);
      const ChannelShape shape{capacity, longest, WhenFull::refuse_newest};
      std::vector<std::uint32_t> state(ring::words + capacity + longest + 1);
      state[ring::begin] = state[ring::end] = static_cast<std::uint32_t>(random());
      state.back() = 0xC0FFEE;
      const bool is_sent = report.send(ChannelWriter<ChannelShape>(state.data(), shape));
      const std::uint32_t heads = longest == 0 ? 0 : (Report::words + longest - 1) / longest;
      REQUIRE(is_sent == (longest != 0 && Report::words + heads <= capacity));
      REQUIRE(state.back() == 0xC0FFEE);
      ChannelReader<ChannelShape> reader(state.data(), shape);
      std::array<std::uint32_t, 256> record{};
      std::vector<std::uint32_t> words;
      std::uint32_t records = 0;
      for (; const std::uint32_t count = reader.read(record); ++records) {
        REQUIRE(record[0] == head(crash::kind, count - 1, static_cast<std::uint32_t>(words.size())));
        REQUIRE((count - 1 == longest || words.size() + longest > Report::words));
        words.insert(words.end(), record.begin() + 1, record.begin() + count);
      }
      if (is_sent)
        REQUIRE((words == place && records == heads));
      else
        REQUIRE(std::equal(words.begin(), words.end(), place.begin()));
    }
}

TEST_CASE("crash: without a log the report is shorter by its words", "[firmware][crash]") {
  using Least = CrashReport<0, 0, Model>;
  static_assert(Least::words == 32 && CrashReport<>::words == 160);
  std::array<std::uint32_t, Least::words> place{};
  Least report(place.data(), 9, Model::lowest, Model::above);
  std::mt19937 random(4);
  Model::left = all;
  CHECK(report.record(registers_of(random, Model::lowest + 4), Cause::prefetch_abort));
  CHECK(report.is_there());
  CHECK(report.cause() == Cause::prefetch_abort);
  CHECK(place[crash::at_stack_words] == 0);
  CHECK(place[crash::at_log_words] == 0);
  CHECK(place[crash::at_argument] == 0);
}
