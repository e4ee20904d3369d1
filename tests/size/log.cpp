// SPDX-License-Identifier: BSL-1.0
// The mailbox of mailbox.cpp alone with three lines of a log, with no, one and two values, and a fourth that is left out.
#include <cstdint>

#include <neuromorph/firmware/log.hpp>
#include <neuromorph/firmware/mailbox.hpp>

namespace {

namespace firmware = neuromorph::firmware;
firmware::Mailbox<firmware::Channel<"log ", 256>> mailbox;
volatile std::uint32_t input = 3;
struct Clock {
  static std::uint32_t now() noexcept { return input; }
};
constexpr auto log = firmware::Log(mailbox.writer<"log ">(), Clock{}).from<firmware::LogLevel::info>();

} // namespace

int main() {
  mailbox.start(200'000'000, firmware::image());
  log.info<"a core has started">();
  log.info<"the first value is {}">(std::uint32_t{input});
  log.info<"the second value is {}, the third {}">(std::uint32_t{input}, std::uint32_t{input});
  log.debug<"which was {:08x}">(7);
  return 0;
}
