// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the longest record of a channel has up to 255 words behind its head
// lines: 14
#include <neuromorph/firmware/mailbox.hpp>

using namespace neuromorph;
using firmware::Channel;
using Log = Channel<"log ", 64>;
using Commands = Channel<"cmd<", 64, firmware::ChannelOptions{.direction = firmware::Direction::to_target}>;

#ifdef NEUROMORPH_KO
firmware::Mailbox<Channel<"log ", 64, firmware::ChannelOptions{.longest = 64}>> mailbox;
int main() { return mailbox.start(1, 1) == 1 ? 0 : 1; }
#else
firmware::Mailbox<Log, Commands> mailbox;
int main() { return mailbox.start(1, 1) == 1 ? 0 : 1; }
#endif
