// SPDX-License-Identifier: BSL-1.0
// Frames against a plain encoder that has all bytes at hand, and against what a line does to them: flipped bits, bursts,
// lost and foreign bytes; and a mailbox at both ends of a line.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include <neuromorph/firmware/channel_bytes.hpp>
#include <neuromorph/firmware/frames.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace neuromorph::firmware;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// A line that takes so many bytes at a time.
struct Line {
  bool put(std::uint8_t byte) {
    if (room == 0) return false;
    --room;
    bytes.push_back(byte);
    return true;
  }
  bool take(std::uint8_t& byte) {
    if (come.empty()) return false;
    byte = come.front();
    come.pop_front();
    return true;
  }
  std::size_t room = SIZE_MAX;
  Bytes bytes;
  std::deque<std::uint8_t> come;
};

/// The CRC bit by bit, of bytes.
std::uint32_t plain_crc(const Bytes& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      const bool is_one = ((crc ^ static_cast<std::uint32_t>(byte >> bit)) & 1) != 0;
      crc = crc >> 1 ^ (is_one ? 0xEDB88320U : 0U);
    }
  return ~crc;
}

/// \param behind  bytes that no right frame has
Bytes plain_frame(std::uint32_t head, const std::vector<std::uint32_t>& words, const Bytes& behind = {}) {
  Bytes bytes;
  const auto add = [&](std::uint32_t word) {
    for (int byte = 0; byte < 4; ++byte) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
  };
  add(head);
  for (const std::uint32_t word : words) add(word);
  add(plain_crc(bytes));
  bytes.insert(bytes.end(), behind.begin(), behind.end());
  Bytes coded;
  bytes.push_back(0); // behind the last
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t run = 0;
    while (run < 254 && bytes[at + run] != 0) ++run;
    coded.push_back(static_cast<std::uint8_t>(run + 1));
    coded.insert(coded.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + run));
    at += run == 254 ? run : run + 1;
  }
  coded.push_back(0);
  return coded;
}

/// Of all kinds: zeros, none, few.
std::vector<std::uint32_t> words_of_kind(std::mt19937& random, std::uint32_t most) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(random()) % (most + 1));
  const auto kind = random() % 4;
  for (std::uint32_t& word : words) {
    const auto value = static_cast<std::uint32_t>(random());
    word = kind == 0 ? 0 : kind == 1 ? value | 0x01010101 : kind == 2 ? value : value % 3;
  }
  return words;
}

} // namespace

TEST_CASE("frames: the CRC is that of the standard", "[firmware][frames]") {
  // "123456789" is its check; here of words.
  const std::array<std::uint32_t, 2> words{0x34333231, 0x38373635};
  CHECK(crc_of(words) == 0x9AE0DAAF); // of "12345678"
  CHECK(plain_crc({'1', '2', '3', '4', '5', '6', '7', '8', '9'}) == 0xCBF43926);
  CHECK(crc_of(words) == plain_crc({'1', '2', '3', '4', '5', '6', '7', '8'}));
}

TEST_CASE("frames: they are those of a plain encoder, however few bytes the line takes", "[firmware][frames]") {
  for (const std::uint32_t seed : Seeds(2000)) {
    std::mt19937 random(seed);
    FrameWriter<200> writer;
    FrameReader<200> reader;
    Line line;
    Bytes expected;
    for (std::uint32_t number = 0; number < 3; ++number) {
      const auto words = words_of_kind(random, 200);
      std::copy(words.begin(), words.end(), writer.words().begin());
      const auto channel = static_cast<std::uint32_t>(random()) % 255,
                 missed = static_cast<std::uint32_t>(random()) % 256;
      writer.start(channel, missed, static_cast<std::uint32_t>(words.size()));
      const auto more = plain_frame(frame::head(channel, missed, number), words);
      expected.insert(expected.end(), more.begin(), more.end());
      do line.room = static_cast<std::size_t>(random()) % 50;
      while (!writer.pump(line));
      INFO("seed " << seed << ", frame " << number);
      REQUIRE(line.bytes == expected);
      bool has_come = false;
      for (const std::uint8_t byte : more) {
        REQUIRE_FALSE(has_come);
        has_come = reader.take(byte);
      }
      REQUIRE(has_come);
      REQUIRE(reader.channel() == channel);
      REQUIRE(reader.missed() == missed);
      REQUIRE(std::equal(words.begin(), words.end(), reader.words().begin(), reader.words().end()));
    }
    REQUIRE(reader.lost() + reader.damaged() == 0);
  }
}

namespace {
/// Whether some frame comes out of these bytes.
bool has_frame(const Bytes& bytes) {
  FrameReader<64> reader;
  (void)reader.take(0);
  bool found = false;
  for (const std::uint8_t byte : bytes) found = reader.take(byte) || found;
  return found;
}
} // namespace

TEST_CASE("frames: every flipped bit and every short burst is found", "[firmware][frames]") {
  for (const std::uint32_t seed : Seeds(40)) {
    std::mt19937 random(seed);
    const auto first = static_cast<std::uint32_t>(random());
    const auto good = plain_frame(first, words_of_kind(random, 40));
    REQUIRE(has_frame(good));
    for (std::size_t bit = 0; bit + 8 < good.size() * 8; ++bit) { // the zero at its end apart
      Bytes bad = good;
      bad[bit / 8] = static_cast<std::uint8_t>(bad[bit / 8] ^ 1U << bit % 8);
      if (has_frame(bad)) FAIL("seed " << seed << ", bit " << bit);
    }
    for (unsigned tried = 0; tried < 500; ++tried) { // of up to 31 bits, in what is coded
      Bytes bad = good;
      const auto from = static_cast<std::size_t>(random()) % ((good.size() - 1) * 8);
      const auto length = static_cast<std::size_t>(random()) % 31 + 1;
      for (std::size_t bit = from; bit < from + length && bit < (good.size() - 1) * 8; ++bit)
        if (bit == from || random() % 2 == 0) bad[bit / 8] = static_cast<std::uint8_t>(bad[bit / 8] ^ 1U << bit % 8);
      if (has_frame(bad)) FAIL("seed " << seed << ", burst at bit " << from);
    }
  }
}

TEST_CASE("frames: what goes on behind its CRC is none", "[firmware][frames]") {
  for (const std::size_t words : {0U, 1U, 63U, 64U})
    for (const std::size_t more : {0U, 1U, 2U, 3U, 4U, 300U})
      for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{7}}) {
        INFO(words << " words, " << more << " bytes more");
        CHECK(has_frame(plain_frame(3, std::vector<std::uint32_t>(words, 0x55), Bytes(more, value))) == (more == 0));
      }
}

TEST_CASE("frames: after noise, lost bytes or a late start the next one is found, and the others are counted",
          "[firmware][frames]") {
  for (const std::uint32_t seed : Seeds(500)) {
    std::mt19937 random(seed);
    FrameReader<32> reader;
    std::uint32_t got = 0, damaged = 0, last_got = 0;
    const bool is_late = random() % 2 == 0;
    bool has_zero = false; // has come
    constexpr std::uint32_t frames = 50;
    for (std::uint32_t number = 0; number < frames; ++number) {
      const bool is_too_long = random() % 10 == 0;
      auto words = words_of_kind(random, 32);
      if (is_too_long) words.resize(33 + random() % 300, 0x77777777);
      auto bytes = plain_frame(frame::head(5, 0, number + 65500), words);
      bool is_hurt = is_too_long;
      const auto what = number + 1 == frames ? 9 : random() % 10;
      if (number == 0 && is_late) {
        bytes.erase(bytes.begin(), bytes.begin() + 3); // attached in the midst of it
        is_hurt = true;
      } else if (what == 0) { // a byte is missing
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(random() % (bytes.size() - 1)));
        is_hurt = true;
      } else if (what == 1) { // one too many
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random() % (bytes.size() - 1)), 0x55);
        is_hurt = true;
      } else if (what == 2) { // silence
        bytes.clear();
      }
      bool has_come = false;
      for (const std::uint8_t byte : bytes) {
        const bool comes = reader.take(byte);
        if (comes) REQUIRE(std::equal(words.begin(), words.end(), reader.words().begin(), reader.words().end()));
        has_come = has_come || comes;
      }
      INFO("seed " << seed << ", frame " << number);
      REQUIRE(has_come == (!is_hurt && !bytes.empty()));
      if (has_come && got == 0) last_got = number; // the first
      got += has_come ? 1U : 0U;
      damaged += is_hurt && !bytes.empty() && has_zero ? 1U : 0U;
      has_zero = has_zero || !bytes.empty();
      if (number + 1 == frames && has_come) REQUIRE(reader.lost() == frames - last_got - got);
    }
    REQUIRE(reader.damaged() == damaged);
  }
}

TEST_CASE("frames: nothing that comes leads outside of the reader", "[firmware][frames]") {
  for (const std::uint32_t seed : Seeds(200)) {
    std::mt19937 random(seed);
    struct {
      FrameReader<4> reader;
      std::array<std::uint8_t, 64> behind{};
    } memory;
    for (unsigned byte = 0; byte < 5000; ++byte) {
      const auto value = static_cast<std::uint8_t>(random() >> 8);
      (void)memory.reader.take(random() % 20 == 0 ? 0 : value);
    }
    CHECK(std::all_of(memory.behind.begin(), memory.behind.end(), [](std::uint8_t byte) { return byte == 0; }));
    CHECK(memory.reader.damaged() > 0);
  }
}

namespace {
using Log = Channel<"log ", 64>;
using Spikes = Channel<"spk>", 32, ChannelOptions{.when_full = WhenFull::oldest_gives_way, .longest = 7}>;
using Input = Channel<"spk<", 32, ChannelOptions{.direction = Direction::to_target}>;
} // namespace

TEST_CASE("frames: a bridge sends what is written, in order, says what was missed, and delivers",
          "[firmware][frames]") {
  for (const std::uint32_t seed : Seeds(100)) {
    std::mt19937 random(seed);
    Mailbox<Log, Spikes, Input> mailbox{};
    mailbox.start(5, 6);
    Line line;
    FrameBridge bridge(mailbox, line);
    FrameReader<64> host;
    FrameWriter<64> to_target;
    std::array<std::uint32_t, 3> written{}, got{}, missed{};
    std::uint32_t layouts = 0, sent = 0, delivered = 0;
    std::array<std::uint32_t, 16> record{};
    const auto look = [&] {
      for (const std::uint8_t byte : line.bytes) {
        if (!host.take(byte)) continue;
        if (host.channel() == frame::layout_channel) {
          ++layouts;
          REQUIRE(host.words().size() == 32);
          REQUIRE(host.words()[3] == 3);
          continue;
        }
        const std::uint32_t channel = host.channel(), number = host.words()[1];
        REQUIRE(channel < 2);
        // What is missing before it has been counted.
        missed.at(channel) += (host.missed() - missed.at(channel)) & 0xFF;
        if (channel == 1)
          REQUIRE(number == got[1] + missed[1]);
        else // those that were refused since may be among them
          REQUIRE(number <= got[0] + missed[0]);
        ++got.at(channel);
      }
      line.bytes.clear();
    };
    const auto take = [&] {
      auto input = mailbox.reader<"spk<">();
      while (input.read(record) != 0) REQUIRE(record[1] == delivered++);
    };
    for (unsigned round = 0; round < 300; ++round) {
      if (random() % 4 == 0) // no more than the count of 8 bits tells
        for (auto records = random() % 50; records > 0; --records) {
          if (mailbox.writer<"spk>">().write(2, 0, written[1])) ++written[1];
          // A record that was refused has a number, too.
          (void)mailbox.writer<"log ">().write(1, 0, written[0]++, 0);
        }
      if (random() % 8 == 0 && to_target.is_done() && sent - delivered < 8) {
        to_target.words()[0] = head(3, 1);
        to_target.words()[1] = sent++;
        to_target.start(2, 0, 2);
      }
      Line up;
      up.room = static_cast<std::size_t>(random()) % 9;
      (void)to_target.pump(up);
      line.come.insert(line.come.end(), up.bytes.begin(), up.bytes.end());
      line.room = static_cast<std::size_t>(random()) % 200;
      bridge.poll(static_cast<std::uint32_t>(random()) % 20);
      look();
      take();
    }
    line.room = SIZE_MAX;
    Line up;
    (void)to_target.pump(up);
    line.come.insert(line.come.end(), up.bytes.begin(), up.bytes.end());
    (void)mailbox.writer<"log ">().write(1, 0, written[0]++, 0);
    bridge.poll(1000);
    CHECK(bridge.is_idle());
    (void)mailbox.writer<"log ">().write(1, 0, written[0]++, 0);
    CHECK_FALSE(bridge.is_idle());
    bridge.poll(1000);
    look(), take();
    INFO("seed " << seed);
    CHECK(layouts == 1);
    CHECK(got[0] + missed[0] == written[0]);
    CHECK(got[1] + missed[1] == written[1]);
    CHECK(missed[0] > 0);
    CHECK(delivered == sent);
    CHECK(bridge.lost() == 0);
    // Asked, it says the layout again; what is for no channel is counted.
    Line ask;
    to_target.start(frame::layout_channel, 0, 0), (void)to_target.pump(ask);
    to_target.words()[0] = head(3, 0), to_target.start(0, 0, 1), (void)to_target.pump(ask);  // to the host
    to_target.words()[0] = head(3, 1), to_target.start(2, 0, 1), (void)to_target.pump(ask);  // too short
    to_target.words()[0] = head(3, 0), to_target.start(77, 0, 1), (void)to_target.pump(ask); // there is none
    line.come.insert(line.come.end(), ask.bytes.begin(), ask.bytes.end());
    bridge.poll(1000);
    look();
    CHECK(layouts == 2);
    CHECK(bridge.lost() == 3);
    // The host is told of a start, and what waited goes on.
    (void)mailbox.writer<"log ">().write(1, 0, written[0]++, 0);
    mailbox.start(5, 6);
    bridge.poll(1000);
    look();
    CHECK(layouts == 3);
    CHECK(got[0] + missed[0] == written[0]);
  }
}

TEST_CASE("frames: bytes go through two channels as they were put", "[firmware][frames]") {
  using Down = Channel<"gdb<", 16, ChannelOptions{.direction = Direction::to_target}>;
  using Up = Channel<"gdb>", 16, ChannelOptions{.longest = 6}>;
  for (const std::uint32_t seed : Seeds(200)) {
    std::mt19937 random(seed);
    Mailbox<Down, Up> mailbox{};
    mailbox.start(0, 0);
    MailboxView<> view;
    REQUIRE(view.attach(mailbox.region()));
    ChannelBytes target(mailbox.reader<"gdb<">(), mailbox.writer<"gdb>">());
    ChannelBytes host(view.reader(1), view.writer(0));
    static_assert(ByteChannel<decltype(target)>);
    std::deque<std::uint8_t> up, down;
    const auto put = [&](auto& from, std::deque<std::uint8_t>& queue) {
      const auto byte = static_cast<std::uint8_t>(random());
      if (from.put(byte)) queue.push_back(byte);
    };
    const auto take = [&](auto& at, std::deque<std::uint8_t>& queue) {
      std::uint8_t byte = 0;
      if (!at.take(byte)) return false;
      REQUIRE(!queue.empty());
      REQUIRE(byte == queue.front());
      queue.pop_front();
      return true;
    };
    for (unsigned step = 0; step < 3000; ++step) {
      switch (random() % 6) {
      case 0:
      case 1: put(target, up); break;
      case 2: put(host, down); break;
      case 3: (void)take(target, down); break;
      case 4: (void)take(host, up); break;
      default: (void)host.flush();
      }
    }
    for (int last = 0; last < 20; ++last) {
      while (take(target, down)) {}
      while (take(host, up)) {}
    }
    CHECK(up.empty());
    CHECK(down.empty());
    CHECK(mailbox.writer<"gdb>">().refused() == 0); // what has no room now is tried again, and is not counted as lost
    CHECK(view.writer(1).refused() == 0);
  }
}

TEST_CASE("frames: bytes are put as long as the channel has room, and then none is lost", "[firmware][frames]") {
  using Down = Channel<"gdb<", 16, ChannelOptions{.direction = Direction::to_target}>;
  Mailbox<Down, Channel<"gdb>", 64, ChannelOptions{.longest = 7}>> mailbox{};
  mailbox.start(0, 0);
  MailboxView<> view;
  REQUIRE(view.attach(mailbox.region()));
  ChannelBytes bytes(mailbox.reader<"gdb<">(), mailbox.writer<"gdb>">());
  unsigned put = 0;
  while (bytes.put(static_cast<std::uint8_t>(put * 7))) ++put;
  CHECK(put == 64 / 8 * 28 + 28); // in the channel, and waiting for room
  CHECK_FALSE(bytes.put(1));
  CHECK(mailbox.writer<"gdb>">().refused() == 0);
  auto reader = view.reader(1);
  std::array<std::uint32_t, 8> record{};
  for (unsigned at = 0, records = 0; at < put; ++records) {
    REQUIRE(reader.read(record) == 8);
    REQUIRE(record[0] == head(1, 7, 28));
    for (unsigned byte = 0; byte < 28; ++byte, ++at)
      REQUIRE((record[1 + byte / 4] >> byte % 4 * 8 & 0xFF) == (at * 7 & 0xFF));
    if (records == 0) REQUIRE(bytes.flush());
  }
  CHECK(reader.waiting() == 0);
}
