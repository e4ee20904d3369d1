// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the longest record of a channel of bytes has 1 to Words words behind its head
// lines: 14
#include <neuromorph/firmware/channel_bytes.hpp>
#include <neuromorph/firmware/mailbox.hpp>

using namespace neuromorph;
#ifdef NEUROMORPH_KO
constexpr std::uint32_t longest = 16;
#else
constexpr std::uint32_t longest = 15;
#endif
firmware::Mailbox<
    firmware::Channel<"gdb<", 64,
                      firmware::ChannelOptions{.direction = firmware::Direction::to_target, .longest = longest}>,
    firmware::Channel<"gdb>", 64>>
    mailbox;

int main() {
  firmware::ChannelBytes bytes(mailbox.reader<"gdb<">(), mailbox.writer<"gdb>">());
  return bytes.put(7) ? 0 : 1;
}
