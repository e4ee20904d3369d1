// SPDX-License-Identifier: BSL-1.0
// The region: its words as docs/mailbox.md lists them, each thing that can be wrong with its sentence, and what a start over
// what was there before keeps.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/firmware/mailbox.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace neuromorph::firmware;

namespace {

using Spikes = Channel<"spk>", 64>;
using Commands = Channel<"cmd<", 16, ChannelOptions{.direction = Direction::to_target, .longest = 3}>;
using Crash = Channel<"crsh", 32, ChannelOptions{.when_full = WhenFull::oldest_gives_way, .longest = 7}>;
using Box = Mailbox<Spikes, Commands, Crash>;

struct Started {
  Started() { box.start(1000, 0xABCD); }
  std::span<std::uint32_t> region() { return box.region(); }
  Box box{};
};

std::string said(std::span<std::uint32_t> window) {
  MailboxView<> view;
  const auto status = view.attach(window);
  CHECK((view.channels() == 0) == !status.ok());
  return sentence(status).text.data();
}
/// What is said when one word is another.
std::string said_with(std::uint32_t at, std::uint32_t value) {
  Started started;
  started.region()[at] = value;
  return said(started.region());
}
constexpr std::uint32_t channel_at(std::uint32_t channel, std::uint32_t at) {
  return layout::head_words + channel * layout::description_words + at;
}

} // namespace

TEST_CASE("mailbox: its words are those of the layout", "[firmware][mailbox]") {
  Started started;
  const auto words = started.region();
  const std::array<std::uint32_t, 32> wanted{
      0x584D4E21, 1, (32 + 8 + 64 + 15 + 8 + 16 + 3 + 8 + 32 + 7) * 4, 3, 1, 1000, 0xABCD, 0x584D4E21,
      // name, direction, place, capacity, when full, longest
      0x3E6B7073, 0, 32, 64, 0, 15, 0, 0,                          // "spk>"
      0x3C646D63, 1, 32 + 8 + 64 + 15, 16, 0, 3, 0, 0,             // "cmd<"
      0x68737263, 0, 32 + 8 + 64 + 15 + 8 + 16 + 3, 32, 1, 7, 0, 0 // "crsh"
  };
  REQUIRE(std::equal(wanted.begin(), wanted.end(), words.begin()));
  REQUIRE(words.size() * 4 == words[2]);
  REQUIRE(Box::words == words.size());
}

TEST_CASE("mailbox: what does not fit is said in a sentence", "[firmware][mailbox]") {
  Started started;
  CHECK(said(started.region()) == "the mailbox is as it should be");
  CHECK(said(started.region().first(7)) == "a window of 7 words cannot hold a mailbox, whose head has 8");
  CHECK(said(started.region().first(100)) == "the mailbox has 772 bytes, the window that shows it 400");
  CHECK(said_with(0, 0) == "the mailbox is not ready: the firmware has not started it yet");
  CHECK(said_with(7, 0) == "the mailbox is not ready: the firmware has not started it yet");
  CHECK(said_with(0, 77) == "there is no mailbox at this place: its first word is another");
  CHECK(said_with(0, 0x214E4D58) ==
        "the mailbox has the other byte order: the firmware runs on a machine that is not like this one");
  CHECK(said_with(1, 2) == "the mailbox has layout version 2, this program knows version 1");
  CHECK(said_with(2, 773) == "the mailbox has 773 bytes, the window that shows it 772");
  CHECK(said_with(3, 24) == "the mailbox says that it has 24 channels, and has room for 23");
  CHECK(said_with(channel_at(1, layout::at_direction), 2) == "channel 1: its direction is 2, not 0 or 1");
  CHECK(said_with(channel_at(1, layout::at_when_full), 9) ==
        "channel 1: what it does when it is full is 9, not 0 or 1");
  CHECK(said_with(channel_at(2, layout::at_capacity), 48) ==
        "channel 2: its ring has 48 words, which is no power of two");
  CHECK(said_with(channel_at(1, layout::at_longest), 16) ==
        "channel 1: its longest record has 16 words behind its head, more than 15");
  CHECK(said_with(channel_at(0, layout::at_place), 31) ==
        "channel 0: it begins at word 31, in what is not its own or outside of the mailbox");
  CHECK(said_with(channel_at(1, layout::at_place), 32) ==
        "channel 1: it begins at word 32, in what is not its own or outside of the mailbox");
  CHECK(said_with(channel_at(2, layout::at_place), 0xFFFFFFF0) ==
        "channel 2: it begins at word 4294967280, in what is not its own or outside of the mailbox");
  CHECK(said_with(channel_at(2, layout::at_name), 0x3E6B7073) == "channel 2: it has the name of channel 0");
}

TEST_CASE("mailbox: what a status has besides the sentence", "[firmware][mailbox]") {
  Started started;
  MailboxView<> view;
  const auto with = [&](std::uint32_t at, std::uint32_t value) {
    const std::uint32_t before = std::exchange(started.region()[at], value);
    const LayoutStatus status = view.attach(started.region());
    started.region()[at] = before;
    return status;
  };
  CHECK(view.attach(started.region().first(5)) == LayoutStatus{Misfit::window_too_short, 0, 5, 8});
  CHECK(with(1, 7) == LayoutStatus{Misfit::other_version, 0, 7, 1});
  CHECK(with(2, 0xFFFF'FFFC) == LayoutStatus{Misfit::does_not_fit_window, 0, 0xFFFF'FFFC, Box::words * 4});
  CHECK(with(3, 64) == LayoutStatus{Misfit::too_many_channels, 0, 64, 23});
  CHECK(with(3, 0) == LayoutStatus{});
  for (std::uint32_t words = 0; words < 33; ++words) {
    started.region()[2] = words * 4;
    const std::uint32_t room = words < 8 ? 0 : (words - 8) / 8;
    if (room < 3) CHECK(view.attach(started.region()) == LayoutStatus{Misfit::too_many_channels, 0, 3, room});
  }
  started.region()[2] = Box::words * 4;
  CHECK(with(channel_at(2, layout::at_capacity), 0) == LayoutStatus{Misfit::wrong_capacity, 2, 0, 0});
  CHECK(with(channel_at(2, layout::at_capacity), 1) == LayoutStatus{Misfit::wrong_capacity, 2, 1, 0});
  CHECK(with(channel_at(2, layout::at_capacity), 2) == LayoutStatus{Misfit::wrong_longest, 2, 7, 1});
  CHECK(with(channel_at(1, layout::at_name), 0x3E6B7073) == LayoutStatus{Misfit::same_name, 1, 0, 0});
}

TEST_CASE("mailbox: capacities from 2 to 2^24 words", "[firmware][mailbox]") {
  const auto attached = [](std::uint32_t capacity, std::uint32_t longest) {
    std::vector<std::uint32_t> region(std::size_t{16} + 8 + capacity + longest);
    const std::array<std::uint32_t, 14> made{layout::magic,
                                             1,
                                             static_cast<std::uint32_t>(region.size() * 4),
                                             1,
                                             1,
                                             0,
                                             0,
                                             layout::magic,
                                             1,
                                             0,
                                             16,
                                             capacity,
                                             0,
                                             longest};
    std::copy(made.begin(), made.end(), region.begin());
    MailboxView<> view;
    return view.attach(region);
  };
  for (std::uint32_t bits = 1; bits <= 24; ++bits) {
    INFO("2^" << bits << " words");
    const std::uint32_t most = bits < 8 ? (1U << bits) - 1 : 255;
    CHECK(attached(1U << bits, most).ok());
    CHECK(attached(1U << bits, most + 1) == LayoutStatus{Misfit::wrong_longest, 0, most + 1, most});
  }
  CHECK(attached(1U << 25, 0).misfit == Misfit::wrong_capacity);
  CHECK(attached((1U << 24) + 1, 0).misfit == Misfit::wrong_capacity);
}

TEST_CASE("mailbox: a view before it is attached, and while the firmware starts", "[firmware][mailbox]") {
  Started started;
  MailboxView<> view;
  CHECK(view.channels() == 0);
  CHECK(view.starts() == 0);
  CHECK(view.has_restarted());
  CHECK(view.find("spk>") == 0);
  REQUIRE(view.attach(started.region()));
  CHECK_FALSE(view.has_restarted());
  started.region()[layout::at_ready] = 0;
  CHECK(view.has_restarted());
  CHECK_FALSE(view.attach(started.region()));
  CHECK(view.has_restarted());
  CHECK(view.channels() == 0);
  CHECK(ChannelName().letters == 0);
}

// Whatever a layout says: what is shown lies in the window, and no two channels share a word.
TEST_CASE("mailbox: no layout leads outside of the window", "[firmware][mailbox]") {
  unsigned shown = 0;
  for (const std::uint32_t seed : Seeds(20000)) {
    std::mt19937 random(seed);
    Started started;
    for (auto changes = random() % 3 + 1; changes > 0; --changes) {
      const auto at = static_cast<std::size_t>(random()) % 32;
      const auto value = static_cast<std::uint32_t>(random());
      started.region()[at] = random() % 2 == 0 ? value : started.region()[at] + value % 40 - 20;
    }
    MailboxView<> view;
    const auto window = started.region().first(static_cast<std::size_t>(random()) % (Box::words + 1));
    const bool is_whole = random() % 2 == 0;
    if (!view.attach(is_whole ? started.region() : window).ok()) continue;
    ++shown;
    std::vector<int> users(is_whole ? Box::words : window.size());
    for (std::uint32_t channel = 0; channel < view.channels(); ++channel) {
      const auto shape = view.shape(channel);
      const std::uint32_t place = started.region()[channel_at(channel, layout::at_place)];
      for (std::uint32_t at = 0; at < ring::words + shape.capacity + shape.longest; ++at)
        if (place + at < 32 || ++users.at(place + at) > 1) FAIL("seed " << seed << ", word " << place + at);
    }
  }
  CHECK(shown > 1000);
}

TEST_CASE("mailbox: a description that changes once it is attached leads nowhere", "[firmware][mailbox]") {
  struct Change {
    std::uint32_t at, value;
    bool is_seen; // it leads outside
  };
  constexpr std::uint32_t place = layout::at_place, capacity = layout::at_capacity, longest = layout::at_longest;
  for (const Change change : {Change{place, 0xFFFFFFFF, true},
                              {place, 193, true},
                              {place, 0xFFFFFFF8, true},
                              {place, Box::words - 8 - 64 - 15, false},
                              {place, Box::words - 8 - 64 - 14, true},
                              {capacity, 0, true},
                              {capacity, 1, true},
                              {capacity, 63, true},
                              {capacity, 256, true},
                              {capacity, 0x80000000, true},
                              {capacity, 32, false},
                              {longest, 64, true},
                              {longest, 256, true},
                              {longest, 0xFFFFFFFF, true},
                              {longest, 63, false}}) {
    Started started;
    REQUIRE(started.box.writer<"spk>">().write(1, 2, 3));
    MailboxView<> view;
    REQUIRE(view.attach(started.region()));
    started.region()[channel_at(0, change.at)] = change.value;
    started.region()[layout::at_channels] = 0xFFFFFFFF;
    INFO("word " << change.at << " is " << change.value);
    CHECK(view.channels() == 3);
    auto reader = view.reader(0);
    std::vector<std::uint32_t> to(256);
    const std::uint32_t words = reader.read(to);
    CHECK(reader.missed() == 0);
    if (change.is_seen) CHECK(words == 0);
    const std::vector<std::uint32_t> before(started.region().begin(), started.region().end());
    auto writer = view.writer(0);
    if (!change.is_seen) continue;
    CHECK_FALSE(writer.write(1, 2, 3));
    CHECK(std::equal(before.begin(), before.end(), started.region().begin()));
  }
}

TEST_CASE("mailbox: records go both ways", "[firmware][mailbox]") {
  Started started;
  MailboxView<> view;
  REQUIRE(view.attach(started.region()));
  CHECK(view.ticks_per_second() == 1000);
  CHECK(view.image() == 0xABCD);
  CHECK(view.starts() == 1);
  CHECK(view.find("none") == 3);
  REQUIRE(view.find("cmd<") == 1);
  CHECK(view.direction(1) == Direction::to_target);
  std::array<std::uint32_t, 16> to{};
  CHECK(started.box.writer<"spk>">().write(7, 9, 1, 2));
  auto reader = view.reader(0);
  REQUIRE(reader.read(to) == 3);
  CHECK(to[0] == head(7, 2, 9));
  CHECK(to[1] == 1);
  CHECK(to[2] == 2);
  CHECK(view.writer(1).write(1, 0, 5, 6, 7));
  CHECK_FALSE(view.writer(1).write(1, 0, 5, 6, 7, 8)); // longer than the longest
  auto commands = started.box.reader<"cmd<">();
  REQUIRE(commands.read(to) == 4);
  CHECK(to[3] == 7);
  CHECK(commands.missed() == 1);
}

TEST_CASE("mailbox: a start over the same channels keeps what waits for the host", "[firmware][mailbox]") {
  Started started;
  MailboxView<> view;
  REQUIRE(view.attach(started.region()));
  for (std::uint32_t at = 0; at < 40; ++at) {
    (void)started.box.writer<"spk>">().write(1, at);
    (void)started.box.writer<"crsh">().write(1, at, at);
  }
  (void)view.writer(1).write(1, 1);
  CHECK_FALSE(view.has_restarted());
  CHECK(started.box.start(2000, 0x1111) == 2);
  CHECK(view.has_restarted());
  REQUIRE(view.attach(started.region()));
  CHECK(view.starts() == 2);
  CHECK(view.image() == 0x1111);
  std::array<std::uint32_t, 16> to{};
  CHECK(started.box.reader<"cmd<">().read(to) == 0); // it was for the program before
  auto spikes = view.reader(0), crash = view.reader(2);
  for (std::uint32_t at = 0; at < 40; ++at) {
    REQUIRE(spikes.read(to) == 1);
    CHECK(token_of(to[0]) == at);
  }
  for (std::uint32_t at = 24; at < 40; ++at) {
    REQUIRE(crash.read(to) == 2);
    CHECK(to[1] == at);
  }
  CHECK(crash.read(to) == 0);
  CHECK(crash.missed() == 24);

  // Other channels, or what was never a mailbox: all is cleared.
  for (std::uint32_t at : {0U, 1U, 2U, 3U, channel_at(0, 0), channel_at(1, 3), channel_at(2, 7)}) {
    started.box.start(1, 1);
    (void)started.box.writer<"crsh">().write(1, 1);
    started.region()[at] ^= 0x100;
    CHECK(started.box.start(1, 1) == 1);
    REQUIRE(view.attach(started.region()));
    CHECK(view.reader(2).read(to) == 0);
  }
  // A ring that is in disorder is emptied, the others stay.
  (void)started.box.writer<"crsh">().write(1, 1);
  (void)started.box.writer<"spk>">().write(1, 2);
  const std::uint32_t crash_state = started.region()[channel_at(2, layout::at_place)];
  started.region()[crash_state + ring::oldest] += 1000;
  started.box.start(1, 1);
  auto crash_after = view.reader(2), spikes_after = view.reader(0);
  CHECK(crash_after.read(to) == 0);
  CHECK(spikes_after.read(to) == 1);
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

TEST_CASE("mailbox: a start that ends between any two stores shows no half of a mailbox", "[firmware][mailbox]") {
  for (const bool is_again : {false, true})
    for (std::uint32_t stores = 0; stores < Box::words + 60; ++stores) {
      Box box{};
      std::mt19937 random(stores);
      if (is_again) {
        box.start(1, 7);
        (void)box.writer<"crsh">().write(1, 42);
      } else {
        for (std::uint32_t& word : box.region()) word = static_cast<std::uint32_t>(random()); // never written
      }
      Ending::left = stores;
      box.start<Ending>(2, 8);
      MailboxView<> view;
      INFO(stores << " stores");
      if (const auto status = view.attach(box.region())) {
        CHECK(((stores == 0 && view.image() == 7) || (Ending::left > 0 || view.image() == 8)));
        CHECK(view.channels() == 3);
      } else {
        CHECK((status.misfit == Misfit::not_ready || (!is_again && status.misfit == Misfit::no_mailbox)));
      }
      // The next start is whole.
      CHECK(box.start(3, 9) <= 3);
      REQUIRE(view.attach(box.region()));
      CHECK(view.image() == 9);
      std::array<std::uint32_t, 16> to{};
      CHECK(view.reader(2).read(to) == (is_again ? 1 : 0));
    }
}
