// SPDX-License-Identifier: BSL-1.0
// Records into a mailbox and out of it, as the calls are inlined in a loop, where arguments and addresses are in
// registers: with 0 to 4 words behind the head, with no room, where the oldest gives way. The same as a function that is
// called, which fetches all of it; and the CRC of a frame, per word.
#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/firmware/frames.hpp>
#include <neuromorph/firmware/mailbox.hpp>

#include "measure.hpp"

namespace {
namespace firmware = neuromorph::firmware;
using Log = firmware::Channel<"log ", 1024>;
using Crash =
    firmware::Channel<"crsh", 64, firmware::ChannelOptions{.when_full = neuromorph::WhenFull::oldest_gives_way}>;
using Input = firmware::Channel<"spk<", 1024, firmware::ChannelOptions{.direction = firmware::Direction::to_target}>;
firmware::Mailbox<Log, Crash, Input> mailbox;
bool right = true;
std::array<std::uint32_t, 16> record;

[[gnu::noinline]] bool write(std::uint32_t a, std::uint32_t b) {
  return mailbox.writer<"log ">().write(7, 0x1234, a, b);
}
[[gnu::noinline]] std::uint32_t read() { return mailbox.reader<"spk<">().read(record); }
} // namespace

// Each record finds room, but for those that are to find none.
#define MEASURE_WRITE(key, channel, ...)                                                                               \
  for (std::uint32_t turn = 0; turn < 50; ++turn) {                                                                    \
    bool written = false;                                                                                              \
    [[maybe_unused]] const std::uint32_t a = fresh(turn), b = fresh(turn * 3);                                         \
    MEASURE(key, 1, written = mailbox.writer<channel>().write(7, 0x1234 __VA_OPT__(, ) __VA_ARGS__));                  \
    right = right && written;                                                                                          \
  }

bool run() {
  mailbox.start(200'000'000, 1);
  MEASURE_WRITE("mailbox.write0", "log ");
  MEASURE_WRITE("mailbox.write1", "log ", a);
  MEASURE_WRITE("mailbox.write2", "log ", a, b);
  MEASURE_WRITE("mailbox.write4", "log ", a, b, a, b);
  for (std::uint32_t turn = 0; turn < 50; ++turn) {
    const std::uint32_t a = fresh(turn), b = fresh(turn * 3);
    bool written = false;
    MEASURE("mailbox.write2.call", 1, written = write(a, b));
    right = right && written;
  }
  // Its head and words written by the caller, as a log does.
  for (std::uint32_t turn = 0; turn < 50; ++turn) {
    const std::uint32_t a = fresh(turn), b = fresh(turn * 3);
    MEASURE(
        "mailbox.begin_end2", 1, auto writer = mailbox.writer<"log ">();
        if (std::uint32_t* const at = writer.begin(2)) {
          at[0] = firmware::head(7, 2, 0x1234), at[1] = a, at[2] = b;
          writer.end(2);
        } else right = false);
  }
  while (mailbox.writer<"log ">().write(1, 1, 1)) {}
  for (std::uint32_t turn = 0; turn < 50; ++turn) {
    const std::uint32_t a = fresh(turn), b = fresh(turn * 3);
    bool written = true;
    MEASURE("mailbox.write2.refused", 1, written = mailbox.writer<"log ">().write(7, 0x1234, a, b));
    right = right && !written;
  }
  while (mailbox.writer<"crsh">().gave_way() == 0) (void)mailbox.writer<"crsh">().write(1, 1, 1, 1);
  MEASURE_WRITE("mailbox.write2.oldest_gives_way", "crsh", a, b);
  // What the host has sent.
  firmware::MailboxView<> view;
  right = right && view.attach(mailbox.region()).ok();
  for (std::uint32_t turn = 0; turn < 50; ++turn) right = right && view.writer(2).write(1, turn, turn, turn);
  for (std::uint32_t turn = 0; turn < 50; ++turn) {
    std::uint32_t words = 0;
    MEASURE("mailbox.read2", 1, words = read());
    right = right && words == 3 && record[2] == turn;
  }
  std::uint32_t words = 1;
  MEASURE("mailbox.read.none", 1, words = read());
  right = right && words == 0;
  std::uint32_t crc = 0;
  MEASURE("mailbox.crc", 16, crc = firmware::crc_of(record));
  return right && crc != 0;
}
