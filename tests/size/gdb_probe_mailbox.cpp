// SPDX-License-Identifier: BSL-1.0
// flags: -Os
// at most: 1024 more than gdb_entry on cortex-m4
// The split form over two channels of a mailbox, without what starts that.
#include <neuromorph/firmware/mailbox.hpp>

#include "gdb_probe.hpp"

namespace {

namespace firmware = neuromorph::firmware;
using Asked =
    firmware::Channel<"gdb<", 64, firmware::ChannelOptions{.direction = firmware::Direction::to_target, .longest = 31}>;
using Answered = firmware::Channel<"gdb>", 64, firmware::ChannelOptions{.longest = 31}>;
constinit firmware::Mailbox<Asked, Answered> mailbox{};
constinit firmware::gdb::ChannelLine line{mailbox.reader<"gdb<">(), mailbox.writer<"gdb>">()};

} // namespace

int main() {
  measured::vector = measured::fault<measured::on_probe_fault<line>>;
  return 0;
}
