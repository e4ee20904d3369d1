// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a channel to the target refuses the newest record
// lines: 14
#include <neuromorph/firmware/mailbox.hpp>

using namespace neuromorph;
using firmware::Channel;
using Log = Channel<"log ", 64>;
using Commands = Channel<"cmd<", 64, firmware::ChannelOptions{.direction = firmware::Direction::to_target}>;

#ifdef NEUROMORPH_KO
firmware::Mailbox<Channel<"in< ", 64,
                          firmware::ChannelOptions{.direction = firmware::Direction::to_target,
                                                   .when_full = WhenFull::oldest_gives_way}>>
    mailbox;
int main() { return mailbox.start(1, 1) == 1 ? 0 : 1; }
#else
firmware::Mailbox<Log, Commands> mailbox;
int main() { return mailbox.start(1, 1) == 1 ? 0 : 1; }
#endif
