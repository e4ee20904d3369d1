// SPDX-License-Identifier: BSL-1.0
// A mailbox with a log and commands over a UART: what is written is sent in frames, what comes is delivered.
#include <array>
#include <cstdint>

#include <neuromorph/firmware/frames.hpp>
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/target/device/pl011.hpp>

namespace {

namespace firmware = neuromorph::firmware;
using Log = firmware::Channel<"log ", 256>;
using Commands = firmware::Channel<"cmd<", 64, firmware::ChannelOptions{.direction = firmware::Direction::to_target}>;

firmware::Mailbox<Log, Commands> mailbox;
volatile std::uint32_t input = 3;

} // namespace

int main() {
  mailbox.start(200'000'000, input);
  neuromorph::target::Pl011 uart(reinterpret_cast<volatile std::uint32_t*>(0x101F'1000));
  uart.start();
  firmware::FrameBridge bridge(mailbox, uart);
  bool is_written = true;
  while (is_written) {
    is_written = mailbox.writer<"log ">().write(1, 2, input, input);
    bridge.poll();
  }
  std::array<std::uint32_t, 16> record;
  return mailbox.reader<"cmd<">().read(record) == 0 ? 0 : 1;
}
