// SPDX-License-Identifier: BSL-1.0
// Firmware at the end of a mailbox, on boards and on the host: sends back what it is sent, or as many records as it is
// asked for, until it is told to stop. `checks/mailbox.py` is at the other end.
//
//   echo memory FILE | echo uart FILE SOCKET      file and socket are for the host; a board has its window and its UART
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include <neuromorph/firmware/frames.hpp>
#include <neuromorph/firmware/mailbox.hpp>

#include "window.hpp"

namespace {

namespace firmware = neuromorph::firmware;
using In = firmware::Channel<"in< ", 256,
                             firmware::ChannelOptions{.direction = firmware::Direction::to_target, .longest = 31}>;
using Out = firmware::Channel<"out>", 1024, firmware::ChannelOptions{.longest = 31}>;
using Last =
    firmware::Channel<"last", 64,
                      firmware::ChannelOptions{.when_full = neuromorph::WhenFull::oldest_gives_way, .longest = 31}>;
using Box = firmware::Mailbox<In, Out, Last>;
static_assert(sizeof(Box) <= window::bytes);

enum Kind : std::uint32_t { echo = 1, burst = 2, stop = 3, restart = 4, answer = 5, refused = 6 };

/// Between two looks at the channels.
template <class Deputy>
int serve(Box& box, Deputy deputy) {
  auto in = box.reader<"in< ">();
  auto out = box.writer<"out>">();
  auto last = box.writer<"last">();
  std::array<std::uint32_t, 32> record{};
  for (;;) {
    deputy();
    const std::uint32_t words = in.read(record);
    if (words == 0) continue;
    (void)last.write(std::span<const std::uint32_t>(record).first(words));
    switch (firmware::kind_of(record[0])) {
    case echo:
      record[0] = firmware::head(answer, words - 1, firmware::token_of(record[0]));
      while (out.shape().capacity - out.waiting() < words) deputy();
      if (!out.write(std::span<const std::uint32_t>(record).first(words))) return 3;
      break;
    case burst: // as fast as it goes, with what finds no room
      for (std::uint32_t number = 0; number < record[1]; ++number) {
        (void)out.write(answer, number & 0xFFFF, number, ~number, number * number);
        if (record[2] != 0) // none is to be refused
          while (out.shape().capacity - out.waiting() < 4) deputy();
      }
      while (out.waiting() != 0) deputy();
      (void)out.write(refused, 0, out.refused());
      break;
    case restart: box.start(1'000'000, record[1]); break;
    case stop:
      for (int more = 0; more < 1000; ++more) deputy();
      return static_cast<int>(record[1]);
    default: return 4;
    }
  }
}

} // namespace

int main(int count, char** arguments) {
  const bool is_uart = count > 1 && std::strcmp(arguments[1], "uart") == 0;
  std::uint32_t* const words = window::words(count > 2 ? arguments[2] : "", 0);
  if (words == nullptr) return std::fprintf(stderr, "echo: cannot map the file\n"), 2;
  Box& box = *new (words) Box;
  box.start(1'000'000, 0xEC40);
  if (!is_uart) return serve(box, [] {});
  window::Uart uart = window::uart(count > 3 ? arguments[3] : "");
  uart.start();
  firmware::FrameBridge bridge(box, uart);
  return serve(box, [&] { bridge.poll(); });
}
