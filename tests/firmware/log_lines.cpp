// SPDX-License-Identifier: BSL-1.0
// A log of random values on boards and on the host, each line of which is printed at once, too: `checks/log.py` decodes the
// log and compares. Printing is compared with the host's in unit.firmware.print.
//
//   log_lines FILE ROUNDS SEED [EACH]      FILE is for the host; a board has its window
//
// Behind each EACH rounds it writes a point to the standard error, and goes on when a byte comes.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <span>

#include <neuromorph/firmware/log.hpp>
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/print.hpp>

#include "window.hpp"

namespace {

using namespace neuromorph;
using Box = firmware::Mailbox<firmware::Channel<"log ", 8192, firmware::ChannelOptions{.longest = 24}>>;
static_assert(sizeof(Box) <= window::bytes);

std::uint32_t state = 1;
std::uint32_t drawn() {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return state;
}
/// Of all lengths, and the ends.
template <class Integer>
Integer value() {
  const std::uint32_t choice = drawn() % 8;
  if (choice == 0) return static_cast<Integer>(std::uint64_t{1} << (8 * sizeof(Integer) - 1));
  if (choice == 1) return static_cast<Integer>(~std::uint64_t{0});
  const std::uint64_t high = drawn(), bits = high << 32 | drawn();
  return static_cast<Integer>(bits >> drawn() % 64);
}
template <class Number>
Number number() {
  return Number::from_raw(value<decltype(Number().raw())>());
}

std::uint64_t now = 0;
struct Clock {
  static std::uint64_t now() noexcept { return ::now; }
};
enum class Phase : std::uint8_t { idle, running, done = 200 };

std::array<char, 600> memory;
template <firmware::Format Text, class... Arguments>
void say(const char* level, bool has_time, int line, const Arguments&... arguments) {
  firmware::TextBuffer buffer(memory);
  if (has_time)
    firmware::print<"{} {} {} ">(buffer, now, level, line);
  else
    firmware::print<"{} {} ">(buffer, level, line);
  firmware::print<Text>(buffer, arguments...);
  firmware::print<"\n">(buffer);
  std::fwrite(buffer.text().data(), 1, buffer.text().size(), stdout);
}

// The names of arguments are used twice: each is drawn before.
#define TIMED(level, format, ...) timed.level<format>(__VA_ARGS__), say<format>(#level, true, __LINE__, __VA_ARGS__)
#define TIMELESS(level, format, ...)                                                                                   \
  timeless.level<format>(__VA_ARGS__), say<format>(#level, false, __LINE__, __VA_ARGS__)

} // namespace

int main(int count, char** arguments) {
  if (count < 4) return 2;
  std::uint32_t* const words = window::words(arguments[1], 0);
  if (words == nullptr) return 2;
  Box& box = *new (words) Box;
  box.start(1000, firmware::image());
  state = static_cast<std::uint32_t>(std::strtoul(arguments[3], nullptr, 10)) * 2 + 1;
  const firmware::Log timed(box.writer<"log ">(), Clock{});
  const firmware::Log timeless(box.writer<"log ">());
  const unsigned long each = count > 4 ? std::strtoul(arguments[4], nullptr, 10) : 0;
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyz, a text that is longer than a record may be: it is cut there, and the rest is lost";
  now = std::uint64_t{drawn()} << 8; // has wrapped before the host comes
  for (unsigned long round = std::strtoul(arguments[2], nullptr, 10); round != 0; --round) {
    const auto i8 = value<std::int8_t>();
    const auto u8 = value<std::uint8_t>(), v8 = value<std::uint8_t>(), w8 = value<std::uint8_t>();
    const auto i16 = value<std::int16_t>();
    const auto u16 = value<std::uint16_t>();
    const auto i32 = value<std::int32_t>();
    const auto u32 = value<std::uint32_t>();
    const auto i64 = value<std::int64_t>();
    const auto u64 = value<std::uint64_t>();
    const bool flag = drawn() % 2 != 0;
    const auto letter = static_cast<char>(' ' + drawn() % 95);
    const auto phase = static_cast<Phase>(value<std::uint8_t>());
    const auto f8 = number<Fixed<std::int8_t, 7>>();
    const auto f16 = number<Fixed<std::int16_t, 15>>();
    const auto g16 = number<Fixed<std::uint16_t, 3>>();
    const auto f32 = number<Fixed<std::int32_t, 15>>();
    const auto g32 = number<Fixed<std::uint32_t, 32>>();
    const auto f64 = number<Fixed<std::int64_t, 40>>();
    const auto g64 = number<Fixed<std::uint64_t, 64>>();
    const void* const pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(value<std::uint32_t>()));
    const std::span<const char> text(letters, drawn() % 30);
    const char* const from = letters + drawn() % 26;
    const std::span<const char> other(from, drawn() % 9);
    now += drawn() >> drawn() % 32;
    timed.info<"nothing but this">(), say<"nothing but this">("info", true, __LINE__);
    timeless.error<"nothing but {{this}}">(), say<"nothing but {{this}}">("error", false, __LINE__);
    TIMED(trace, "{}", i8);
    TIMED(debug, "{} {:4}", u8, v8);
    TIMED(info, "{} {:06} {}|", i16, i16, u16);
    TIMED(warning, "{} {:x} {:012} {:08x}", i32, i32, i32, u32);
    TIMED(error, "{}{}", i64, u64);
    TIMELESS(info, "{} and {:20} and {:x}", u64, i64, i64);
    TIMELESS(info, "{} {} {} {} {} {}", u8, u16, u8, i32, v8, w8); // shorter ones share words
    TIMELESS(info, "{} {} {} {} {} {} {} {}", flag, letter, i64, u8, i16, v8, u32, w8);
    TIMED(info, "{:6}|{:3}|{}", flag, letter, phase);
    TIMED(info, "{} {} {}", f8, f16, g16);
    TIMED(info, "{} {:.3} {:12.2} {:x}", f32, f32, f32, f32);
    TIMED(info, "{} {:.10}", g32, g32);
    TIMED(info, "{} {:.0} {:030.5}", f64, f64, f64);
    TIMED(info, "{} {:.64}", g64, g64);
    TIMED(info, "{} {:014}", pointer, pointer);
    TIMED(info, "<{}>", text);
    TIMED(info, "{:8} of {} is {:5} and {}", other, u32, text, u8);
    TIMELESS(warning, "{} {}", "an array", static_cast<const char*>("a pointer"));
    timeless.from<firmware::LogLevel::error>().warning<"this is left out {}">(u8);
    (void)timed.time(now);
    if (each != 0 && round % each == 0) {
      std::fputc('.', stderr);
      if (std::getchar() == EOF) return 2;
    }
  }
  return static_cast<int>(box.writer<"log ">().refused() != 0);
}
