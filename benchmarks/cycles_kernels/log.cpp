// SPDX-License-Identifier: BSL-1.0
// A line of a log into a mailbox, as the call is inlined in a loop, with no to four arguments of 32 bits: without a time,
// and with that of a clock that is a word to read; with eight of 8 bits, which share words, and with a text.
#include <cstdint>

#include <neuromorph/firmware/log.hpp>
#include <neuromorph/firmware/mailbox.hpp>

#include "measure.hpp"

namespace {
namespace firmware = neuromorph::firmware;
firmware::Mailbox<firmware::Channel<"log ", 4096>> mailbox;
volatile std::uint32_t ticks = 5;
struct Clock {
  static std::uint32_t now() noexcept { return ticks; }
};
constexpr firmware::Log timeless(mailbox.writer<"log ">());
constexpr firmware::Log timed(mailbox.writer<"log ">(), Clock{});

[[gnu::noinline]] void called(std::uint32_t a, std::uint32_t b) { timed.info<"called with {} and {}">(a, b); }
} // namespace

#define MEASURE_LOG(key, ...)                                                                                          \
  for (std::uint32_t turn = 0; turn < 20; ++turn) {                                                                    \
    [[maybe_unused]] const std::uint32_t a = fresh(turn), b = fresh(turn * 3), c = fresh(turn + 9), d = fresh(~turn);  \
    [[maybe_unused]] const auto e = static_cast<std::uint8_t>(a), f = static_cast<std::uint8_t>(b);                    \
    MEASURE(key, 1, __VA_ARGS__);                                                                                      \
  }

bool run() {
  mailbox.start(1'000'000, firmware::image());
  MEASURE_LOG("log.arguments_0", timeless.info<"nothing but this">());
  MEASURE_LOG("log.arguments_1", timeless.info<"one: {}">(a));
  MEASURE_LOG("log.arguments_2", timeless.info<"two: {} {}">(a, b));
  MEASURE_LOG("log.arguments_3", timeless.info<"three: {} {} {}">(a, b, c));
  MEASURE_LOG("log.arguments_4", timeless.info<"four: {} {} {} {:x}">(a, b, c, d));
  MEASURE_LOG("log.timed.arguments_0", timed.info<"nothing but this">());
  MEASURE_LOG("log.timed.arguments_1", timed.info<"one: {}">(a));
  MEASURE_LOG("log.timed.arguments_2", timed.info<"two: {} {}">(a, b));
  MEASURE_LOG("log.timed.arguments_3", timed.info<"three: {} {} {}">(a, b, c));
  MEASURE_LOG("log.timed.arguments_4", timed.info<"four: {} {} {} {:x}">(a, b, c, d));
  MEASURE_LOG("log.timed.arguments_2.call", called(a, b));
  MEASURE_LOG("log.bytes_4", timeless.info<"four: {} {} {} {}">(e, f, e, f));
  MEASURE_LOG("log.text", timeless.info<"six letters: {}">("spikes"));
  const std::uint32_t words = mailbox.writer<"log ">().waiting();
  const bool none_was_lost = mailbox.writer<"log ">().refused() == 0;
  while (mailbox.writer<"log ">().refused() == 0) timeless.info<"fills it">();
  MEASURE_LOG("log.arguments_2.refused", timeless.info<"two: {} {}">(a, b));
  return none_was_lost && words == 20 * (1 + 2 + 3 + 4 + 5 + 2 + 3 + 4 + 5 + 6 + 4 + 2 + 3);
}
