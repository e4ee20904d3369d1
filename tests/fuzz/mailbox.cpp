// SPDX-License-Identifier: BSL-1.0
// What a host may leave in a mailbox, or send over a line: any words in the head and in rings, any bytes. The target reads and
// writes only what is its own, and takes for a record or a frame only what is one. The first byte chooses which.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <neuromorph/firmware/frames.hpp>
#include <neuromorph/firmware/mailbox.hpp>

namespace {

using namespace neuromorph::firmware;
using Words = std::vector<std::uint32_t>;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// The input, zeros behind its end.
struct Input {
  std::span<const std::uint8_t> left;
  std::uint32_t byte() {
    if (left.empty()) return 0;
    const std::uint8_t first = left.front();
    left = left.subspan(1);
    return first;
  }
  /// Small ones, the ends, and others.
  std::uint32_t word() {
    const std::uint32_t kind = byte(), low = byte();
    return kind % 4 == 0   ? low
           : kind % 4 == 1 ? ~low
           : kind % 4 == 2 ? low << kind / 8
                           : kind * 0x01010101U ^ low << 11;
  }
};

using Box =
    Mailbox<Channel<"cmd<", 32, ChannelOptions{.direction = Direction::to_target}>,
            Channel<"log ", 128, ChannelOptions{.longest = 100}>,
            Channel<"last", 16, ChannelOptions{.when_full = neuromorph::WhenFull::oldest_gives_way, .longest = 7}>>;

/// With words before and behind it that nobody may touch, in memory of its own, where a sanitizer sees the rest.
struct Guarded {
  std::uint32_t before = 0xC0FFEE11;
  Box box{};
  std::uint32_t behind = 0xC0FFEE11;
  [[nodiscard]] bool is_whole() const { return before == 0xC0FFEE11 && behind == 0xC0FFEE11; }
};

/// Where its channels begin.
constexpr std::array<std::uint32_t, Box::channels> layout_of_box{
    Box::layout_words, Box::layout_words + ring::words + 32 + 15,
    Box::layout_words + ring::words + 32 + 15 + ring::words + 128 + 100};
static_assert(layout_of_box[2] + ring::words + 16 + 7 == Box::words);

/// Words that a reader of a channel, or its writer, may change.
void allow(std::vector<bool>& allowed, const MailboxView<>& view, std::span<const std::uint32_t> region,
           std::uint32_t channel, bool is_reader) {
  const std::uint32_t place = region[layout::head_words + channel * layout::description_words + layout::at_place];
  const ChannelShape shape = view.shape(channel);
  if (is_reader)
    for (const std::uint32_t at : {ring::begin, ring::number, ring::noticed}) allowed[place + at] = true;
  else
    for (std::uint32_t at = 0; at < ring::words + shape.capacity + shape.longest; ++at)
      allowed[place + at] = at < ring::begin || at >= ring::told;
}

/// A host's side over a region in which anything stands.
void read_memory(Input input) {
  const auto guarded = std::make_unique<Guarded>();
  guarded->box.start(1000, 7);
  const auto region = guarded->box.region();
  std::array<std::uint32_t, 256> record{};
  while (!input.left.empty()) {
    switch (input.byte() % 7) {
    case 0: {
      const std::uint32_t kind = input.byte(), token = input.byte(), first = input.word(), second = input.word();
      (void)guarded->box.writer<"log ">().write(kind, token, first, second);
      break;
    }
    case 1: (void)guarded->box.writer<"log ">().write_or_tell<9>(1, 0, input.word()); break;
    case 2: (void)guarded->box.writer<"last">().write(2, 0, input.word()); break;
    case 3: { // in the head and the descriptions: anything, a power of two, or a little more or less
      const std::uint32_t at = input.byte() % Box::layout_words, kind = input.byte(), low = input.byte();
      region[at] = kind % 3 == 0 ? input.word() : kind % 3 == 1 ? 1U << low % 26 : region[at] + low - 128;
      break;
    }
    case 4: {
      const std::uint32_t high = input.byte(), low = input.byte();
      region[(high << 8 | low) % region.size()] = input.word();
      break;
    }
    case 5: { // what a reader looks at: the state of a ring, and the heads of records
      const std::uint32_t channel = input.byte() % Box::channels, at = input.byte();
      const std::uint32_t place = layout_of_box[channel];
      region[place + at % (at % 2 == 0 ? ring::words : ring::words + 15)] = input.word();
      break;
    }
    default: {
      MailboxView<> view;
      const Words was(region.begin(), region.end());
      std::vector<bool> allowed(region.size());
      if (view.attach(region))
        for (std::uint32_t channel = 0; channel < view.channels(); ++channel) {
          allow(allowed, view, region, channel, view.direction(channel) == Direction::to_host);
          if (view.direction(channel) == Direction::to_host) {
            auto reader = view.reader(channel);
            for (unsigned more = 0; more < 100; ++more) {
              const std::uint32_t words = reader.read(record);
              if (words == 0) break;
              demand(words == words_of(record[0]) + 1 && words <= view.shape(channel).longest + 1,
                     "a record of another length");
            }
            (void)reader.missed();
          } else {
            const std::uint32_t length = input.byte();
            record[0] = head(1, length);
            const bool is_written =
                view.writer(channel).write(std::span<const std::uint32_t>(record).first(length + 1));
            demand(!is_written || length <= view.shape(channel).longest, "a record that is too long was written");
          }
        }
      for (std::size_t at = 0; at < was.size(); ++at)
        demand(region[at] == was[at] || allowed[at], "a word of somebody else's has changed");
    }
    }
  }
  // A program that starts over this takes over what is in order, and writes on.
  guarded->box.start(1000, 8);
  (void)guarded->box.writer<"log ">().write(1, 2, 3);
  (void)guarded->box.writer<"last">().write(1, 2, 3);
  for (unsigned more = 0; more < 50 && guarded->box.reader<"cmd<">().read(record) != 0; ++more) {}
  demand(guarded->is_whole(), "a word beside the mailbox has changed");
}

/// Of ISO 3309, bit by bit.
std::uint32_t plain_crc(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
  }
  return ~crc;
}
std::uint32_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return bytes[at] | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 3]} << 24;
}
/// What stands between two zeros of a line: its words without the CRC, if it is a frame of up to `most` words.
std::optional<Words> plain_frame(std::span<const std::uint8_t> coded, std::size_t most) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at < coded.size();) {
    const std::size_t length = coded[at];
    if (length > coded.size() - at) return {};
    bytes.insert(bytes.end(), coded.begin() + std::ptrdiff_t(at) + 1, coded.begin() + std::ptrdiff_t(at + length));
    at += length;
    if (length != 255 && at < coded.size()) bytes.push_back(0);
  }
  if (bytes.size() % 4 != 0 || bytes.size() < 8 || bytes.size() > 4 * (most + 2)) return {};
  const std::size_t count = bytes.size() / 4 - 1;
  if (plain_crc(std::span<const std::uint8_t>(bytes).first(4 * count)) != word_at(bytes, 4 * count)) return {};
  Words words;
  for (std::size_t at = 0; at < count; ++at) words.push_back(word_at(bytes, 4 * at));
  return words;
}

/// Bytes of a line: some of frames, some any.
std::vector<std::uint8_t> bytes_of(Input& input) {
  struct Line {
    std::vector<std::uint8_t> bytes;
    bool put(std::uint8_t byte) { return bytes.push_back(byte), true; }
    static bool take(std::uint8_t&) { return false; }
  } line;
  FrameWriter<128> writer;
  while (!input.left.empty()) {
    const std::uint32_t kind = input.byte();
    if (kind % 4 == 0) {
      for (std::uint32_t more = kind / 4; more > 0; --more)
        line.bytes.push_back(static_cast<std::uint8_t>(input.byte()));
    } else {
      const std::uint32_t count = kind / 4 * 2, channel = input.byte() % 5, first = input.word();
      for (std::uint32_t at = 0; at < count; ++at)
        writer.words()[at] = at < 4 ? input.word() : first + at * 0x01010101U;
      if (count != 0 && kind % 4 != 3) {
        const std::uint32_t of = input.byte(), token = input.byte();
        writer.words()[0] = head(of, count - 1, token);
      }
      writer.start(channel == 4 ? frame::layout_channel : channel, input.byte(), count);
      (void)writer.pump(line);
      if (kind % 4 == 2) { // a bit near its end, lengths of runs among them
        const std::uint32_t back = input.byte() % 8, bit = input.byte() % 16;
        if (bit < 8 && back < line.bytes.size())
          line.bytes[line.bytes.size() - 1 - back] ^= static_cast<std::uint8_t>(1U << bit);
      }
    }
  }
  return line.bytes;
}

/// Each part between zeros is what the plain decoder says, and what is delivered is what frames of the channel carry.
void take_line(Input input) {
  constexpr std::uint32_t most = Box::longest;
  const std::vector<std::uint8_t> bytes = bytes_of(input);
  FrameReader<most> reader;
  std::vector<std::uint8_t> part;
  std::deque<Words> commands;
  std::uint32_t damaged = 0;
  bool has_zero = false;
  for (const std::uint8_t byte : bytes) {
    const bool is_frame = reader.take(byte);
    if (byte != 0) {
      demand(!is_frame, "a frame ends without a zero");
      part.push_back(byte);
      continue;
    }
    const auto wanted = plain_frame(part, most);
    demand(is_frame == wanted.has_value(), "a part of the line is a frame to one decoder alone");
    if (wanted) {
      demand(reader.channel() == ((*wanted)[0] & 0xFF) && reader.missed() == ((*wanted)[0] >> 8 & 0xFF),
             "another head");
      demand(std::equal(wanted->begin() + 1, wanted->end(), reader.words().begin(), reader.words().end()),
             "other words");
      if (reader.channel() == 0 && !reader.words().empty() && words_of((*wanted)[1]) + 2 == wanted->size())
        commands.emplace_back(wanted->begin() + 1, wanted->end());
    } else if (has_zero && !part.empty()) {
      ++damaged;
    }
    has_zero = true;
    part.clear();
  }
  demand(reader.damaged() == damaged, "damaged frames are miscounted");

  struct Line {
    std::span<const std::uint8_t> bytes;
    std::size_t put_count = 0;
    bool take(std::uint8_t& to) {
      if (bytes.empty()) return false;
      to = bytes.front();
      bytes = bytes.subspan(1);
      return true;
    }
    bool put(std::uint8_t) { return ++put_count % 7 != 0; }
  } line{bytes};
  const auto guarded = std::make_unique<Guarded>();
  guarded->box.start(1, 2);
  FrameBridge bridge(guarded->box, line);
  auto from = guarded->box.reader<"cmd<">();
  std::array<std::uint32_t, 256> record{};
  while (!line.bytes.empty()) { // taken byte by byte, so that there is always room
    bridge.poll(1);
    if (const std::uint32_t words = from.read(record); words != 0) {
      while (!commands.empty() && commands.front().size() > 16)
        commands.pop_front(); // longer than the channel's records
      demand(!commands.empty() &&
                 std::equal(commands.front().begin(), commands.front().end(), record.begin(), record.begin() + words),
             "another command came than was sent");
      commands.pop_front();
    }
  }
  while (!commands.empty() && commands.front().size() > 16) commands.pop_front();
  demand(commands.empty(), "a command was not delivered");
  demand(guarded->is_whole(), "a word beside the mailbox has changed");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Input input{std::span(data, size).subspan(1)};
  if (data[0] % 2 == 0)
    read_memory(input);
  else
    take_line(input);
  return 0;
}
