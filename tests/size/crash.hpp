// SPDX-License-Identifier: BSL-1.0
// A mailbox with a crash report: the entry of a fault, the report of it, what waits for the reset, and what sends it.
#ifndef TESTS_SIZE_CRASH_HPP
#define TESTS_SIZE_CRASH_HPP

#include <array>
#include <cstdint>

#include <neuromorph/firmware/crash.hpp>
#include <neuromorph/firmware/mailbox.hpp>

#include "fault.hpp"

namespace measured {

using namespace neuromorph;
using Reports = firmware::Channel<"crsh", 256>;
using Lines = firmware::Channel<"log ", 256, firmware::ChannelOptions{.when_full = WhenFull::oldest_gives_way}>;
inline firmware::Mailbox<Reports, Lines> mailbox;

/// \tparam LogWords  of the log that are kept; 0: it is left out
template <std::uint32_t LogWords>
using Report = firmware::CrashReport<128, LogWords>;
template <std::uint32_t LogWords>
std::uint32_t place[Report<LogWords>::words];
template <std::uint32_t LogWords>
constinit Report<LogWords> report(place<LogWords>, 0x1234, 0x2000'0000, 0x2001'0000);

template <std::uint32_t LogWords>
void on_fault(target::ArmRegisters& registers) noexcept {
#if defined(__thumb2__)
  const std::array<std::uint32_t, 4> faults = firmware::CortexMFaults::read();
  const auto cause = firmware::Cause::fault;
#else
  const std::array<std::uint32_t, 4> faults{};
  const auto cause = firmware::Cause::data_abort;
#endif
  if constexpr (LogWords != 0)
    report<LogWords>.record(registers, cause, faults, mailbox.writer<"log ">());
  else
    report<LogWords>.record(registers, cause, faults);
  for (;;) {}
}

template <std::uint32_t LogWords>
int send() {
  vector = fault<on_fault<LogWords>, Abort::data>;
  mailbox.start(200'000'000, 0x1234);
  auto& there = report<LogWords>;
  if (!there.is_there() || !there.send(mailbox.writer<"crsh">())) return 1;
  there.clear();
  return 0;
}

} // namespace measured

#endif
