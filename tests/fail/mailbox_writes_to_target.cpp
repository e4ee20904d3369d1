// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the other side writes this channel: it is to the target
// lines: 14
#include <neuromorph/firmware/mailbox.hpp>

using namespace neuromorph;
using firmware::Channel;
using Log = Channel<"log ", 64>;
using Commands = Channel<"cmd<", 64, firmware::ChannelOptions{.direction = firmware::Direction::to_target}>;

#ifdef NEUROMORPH_KO
firmware::Mailbox<Log, Commands> mailbox;
int main() { return mailbox.writer<"cmd<">().waiting() == 0 ? 0 : 1; }
#else
firmware::Mailbox<Log, Commands> mailbox;
int main() { return mailbox.reader<"cmd<">().waiting() == 0 ? 0 : 1; }
#endif
