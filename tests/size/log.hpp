// SPDX-License-Identifier: BSL-1.0
// A mailbox with three lines of a log, with no, one and two values, and a fourth of a lower level.
#ifndef TESTS_SIZE_LOG_HPP
#define TESTS_SIZE_LOG_HPP

#include <cstdint>

#include <neuromorph/firmware/log.hpp>
#include <neuromorph/firmware/mailbox.hpp>

namespace measured {

namespace firmware = neuromorph::firmware;
inline firmware::Mailbox<firmware::Channel<"log ", 256>> mailbox;
inline volatile std::uint32_t input = 3;
struct Clock {
  static std::uint32_t now() noexcept { return input; }
};

/// \tparam Least  of the lines that are not left out
template <firmware::LogLevel Least>
void write_lines() {
  constexpr auto log = firmware::Log(mailbox.writer<"log ">(), Clock{}).template from<Least>();
  mailbox.start(200'000'000, firmware::image());
  log.template info<"a core has started">();
  log.template info<"the first value is {}">(std::uint32_t{input});
  log.template info<"the second value is {}, the third {}">(std::uint32_t{input}, std::uint32_t{input});
  log.template debug<"which was {:08x}">(7);
}

} // namespace measured

#endif
