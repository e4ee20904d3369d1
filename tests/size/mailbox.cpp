// SPDX-License-Identifier: BSL-1.0
// A mailbox with a log and commands: started, a record of two words written, a record read.
#include <array>
#include <cstdint>

#include <neuromorph/firmware/mailbox.hpp>

namespace {

namespace firmware = neuromorph::firmware;
using Log = firmware::Channel<"log ", 256>;
using Commands = firmware::Channel<"cmd<", 64, firmware::ChannelOptions{.direction = firmware::Direction::to_target}>;

firmware::Mailbox<Log, Commands> mailbox;
volatile std::uint32_t input = 3;

} // namespace

int main() {
  mailbox.start(200'000'000, input);
  const bool is_written = mailbox.writer<"log ">().write(1, 2, input, input);
  std::array<std::uint32_t, 16> record;
  const std::uint32_t words = mailbox.reader<"cmd<">().read(record);
  return is_written && words != 0 ? static_cast<int>(record[0]) : 1;
}
