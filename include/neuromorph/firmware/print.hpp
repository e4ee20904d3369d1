// SPDX-License-Identifier: BSL-1.0
/// \file
/// Immediate printing, to a UART, a buffer, a console: no division, no heap, 1.5 KB at most.
///
///     firmware::print<"neuron {} at {:.3} mV, flags {:08x}\n">(uart, neuron, membrane, flags);
///
/// A log (log.hpp) takes a tenth of the cycles and leaves the text to the host. See docs/log.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_PRINT_HPP
#define NEUROMORPH_FIRMWARE_PRINT_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/format.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// Takes characters: `void write(std::span<const char>)`, or `void put(char)`, or `bool put(std::uint8_t)` of a
/// ByteChannel, which is asked until it has room.
template <class Candidate>
concept TextSink = requires(Candidate& sink, std::span<const char> text) {
  sink.write(text);
}
|| requires(Candidate& sink) { sink.put('c'); };

/// A sink that fills memory; what does not fit is counted.
class TextBuffer {
public:
  explicit constexpr TextBuffer(std::span<char> memory) noexcept : memory_(memory) {}
  constexpr void write(std::span<const char> text) noexcept {
    const std::size_t room = memory_.size() - size_, fits = text.size() < room ? text.size() : room;
    char* to = memory_.data() + size_;
    for (const char letter : text.first(fits)) *to++ = letter;
    size_ += fits;
    lost_ += text.size() - fits;
  }
  [[nodiscard]] constexpr std::span<const char> text() const noexcept { return memory_.first(size_); }
  [[nodiscard]] constexpr std::size_t lost() const noexcept { return lost_; }
  constexpr void clear() noexcept { size_ = lost_ = 0; }

private:
  std::span<char> memory_;
  std::size_t size_ = 0, lost_ = 0;
};

namespace detail {

/// The digits of a number and what stands before them. They grow from the point to both sides.
struct NumberText {
  static constexpr std::size_t before = 102; // the widest place, and a carry
  std::array<char, before + 65> room;        // the point, and 64 digits behind it
  char* begin;
  char* end;
};

/// Digits that end before `end`. \cost O(digits), a multiplication each
[[gnu::noinline]] constexpr char* write_decimal(char* end, std::uint32_t value) noexcept {
  do {
    const auto tenth = static_cast<std::uint32_t>(std::uint64_t{value} * 0xCCCC'CCCDU >> 35);
    *--end = static_cast<char>('0' + (value - tenth * 10));
    value = tenth;
  } while (value != 0);
  return end;
}
[[gnu::noinline]] constexpr char* write_decimal(char* end, std::uint64_t value) noexcept {
  while (value >> 32 != 0) {
    // value / 10 = value * (2^67 + 2) / 10 >> 67: the upper half of a product of 64 bits, from four of 32
    const std::uint64_t low = value & 0xFFFF'FFFFU, high = value >> 32;
    const std::uint64_t carried = (low * 0xCCCC'CCCDU >> 32) + low * 0xCCCC'CCCCU;
    const std::uint64_t middle = (carried & 0xFFFF'FFFFU) + high * 0xCCCC'CCCDU;
    const std::uint64_t tenth = (high * 0xCCCC'CCCCU + (carried >> 32) + (middle >> 32)) >> 3;
    *--end = static_cast<char>('0' + static_cast<std::uint32_t>(value - tenth * 10));
    value = tenth;
  }
  return write_decimal(end, static_cast<std::uint32_t>(value));
}
[[gnu::noinline]] constexpr char* write_hexadecimal(char* end, std::uint32_t value) noexcept {
  do {
    const std::uint32_t digit = value & 15;
    *--end = static_cast<char>(digit < 10 ? '0' + digit : 'a' - 10 + digit);
    value >>= 4;
  } while (value != 0);
  return end;
}
[[gnu::noinline]] constexpr char* write_hexadecimal(char* end, std::uint64_t value) noexcept {
  auto upper = static_cast<std::uint32_t>(value >> 32), lower = static_cast<std::uint32_t>(value);
  if (upper == 0) return write_hexadecimal(end, lower);
  for (int digit = 0; digit < 8; ++digit, lower >>= 4) write_hexadecimal(end--, lower & 15);
  return write_hexadecimal(end, upper);
}

/// The digits of a magnitude with so many bits behind its point. \cost O(digits), two multiplications for each behind it
constexpr void write_fixed(NumberText& to, std::uint64_t magnitude, unsigned fraction_bits, int digits) noexcept {
  const std::uint64_t whole = fraction_bits < 64 ? magnitude >> fraction_bits : 0;
  std::uint64_t rest = fraction_bits == 0 ? 0 : magnitude << (64 - fraction_bits);
  char* const point = to.room.data() + NumberText::before;
  to.begin = write_decimal(point, whole);
  to.end = point;
  if (digits != 0) *to.end++ = '.';
  for (int left = digits; left != 0; --left) { // forever if it is to be exact
    const std::uint64_t low = (rest & 0xFFFF'FFFFU) * 10, high = (rest >> 32) * 10 + (low >> 32);
    *to.end++ = static_cast<char>('0' + static_cast<std::uint32_t>(high >> 32));
    rest = high << 32 | (low & 0xFFFF'FFFFU);
    if (digits < 0 && rest == 0) return;
  }
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  const bool is_odd = (to.end[-1] & 1) != 0;
  if (rest < half || (rest == half && !is_odd)) return;
  char* at = to.end;
  for (;;) {
    if (at == to.begin) {
      *--to.begin = '1';
      return;
    }
    --at;
    if (*at == '.') continue;
    if (*at != '9') break;
    *at = '0';
  }
  ++*at;
}

/// What stands before digits: nothing, a sign, or 0x.
enum class Mark : char { none = '\0', minus = '-', hexadecimal = 'x' };
[[gnu::noinline]] constexpr char* write_mark(char* begin, Mark mark) noexcept {
  if (mark == Mark::none) return begin;
  *--begin = static_cast<char>(mark);
  if (mark == Mark::hexadecimal) *--begin = '0';
  return begin;
}
/// Fills the place on its left.
[[gnu::noinline]] constexpr char* write_before(char* begin, const char* end, Place place, Mark mark) noexcept {
  const char letter = place.has_zeros ? '0' : ' ';
  const Mark first = place.has_zeros ? Mark::none : mark, last = place.has_zeros ? mark : Mark::none;
  begin = write_mark(begin, first);
  const std::ptrdiff_t marks = last == Mark::none ? 0 : last == Mark::minus ? 1 : 2;
  for (std::ptrdiff_t fill = place.width - marks - (end - begin); fill > 0; --fill) *--begin = letter;
  return write_mark(begin, last);
}

template <TextSink Sink>
[[gnu::noinline]] constexpr void put_letters(Sink& sink, const char* from, const char* end) noexcept {
  if constexpr (requires { sink.write(std::span<const char>(from, end)); })
    sink.write(std::span<const char>(from, end));
  else if constexpr (requires {
                       { sink.put('c') } -> std::same_as<bool>;
                     })
    for (; from != end; ++from)
      while (!sink.put(static_cast<std::uint8_t>(*from))) {}
  else
    for (; from != end; ++from) sink.put(*from);
}
template <TextSink Sink, class Word>
[[gnu::noinline]] constexpr void put_number(Sink& sink, Word value, Place place, Mark mark) noexcept {
  NumberText text;
  char* const end = text.room.data() + NumberText::before;
  char* const begin = place.is_hexadecimal ? write_hexadecimal(end, value) : write_decimal(end, value);
  put_letters(sink, write_before(begin, end, place, mark), end);
}
template <TextSink Sink>
[[gnu::noinline]] constexpr void put_fixed(Sink& sink, std::uint64_t magnitude, unsigned fraction_bits, Place place,
                                           Mark mark) noexcept {
  NumberText text;
  write_fixed(text, magnitude, fraction_bits, place.digits);
  put_letters(sink, write_before(text.begin, text.end, place, mark), text.end);
}
template <TextSink Sink>
constexpr void put_text(Sink& sink, std::span<const char> text, Place place) noexcept {
  put_letters(sink, text.data(), text.data() + text.size());
  constexpr char space = ' ';
  for (std::size_t at = text.size(); at < place.width; ++at) put_letters(sink, &space, &space + 1);
}

template <class Value>
[[nodiscard]] constexpr auto raw_of(const Value& value) noexcept {
  if constexpr (FixedType<Value>::value)
    return value.raw();
  else if constexpr (std::is_enum_v<Value>)
    return static_cast<std::underlying_type_t<Value>>(value);
  else
    return value;
}

template <Place Given, TextSink Sink, class Argument>
[[gnu::always_inline]] inline constexpr void put_argument(Sink& sink, const Argument& argument) noexcept {
  using Type = std::decay_t<Argument>;
  constexpr ArgumentType type = argument_type<Argument>();
  constexpr bool is_fixed = FixedType<Type>::value;
  if constexpr (type.kind == ArgumentKind::text) {
    put_text(sink, characters_of(argument), Given);
  } else if constexpr (type.kind == ArgumentKind::boolean) {
    put_text(sink, characters(raw_of(argument) ? "true" : "false"), Given);
  } else if constexpr (type.kind == ArgumentKind::character) {
    const char letter = static_cast<char>(raw_of(argument));
    put_text(sink, {&letter, 1}, Given);
  } else if constexpr (type.kind == ArgumentKind::pointer) {
    constexpr Place place{Given.width, Place::exact, Given.has_zeros, true};
    using Word = std::conditional_t<sizeof(argument) == 8, std::uint64_t, std::uint32_t>;
    put_number(sink, static_cast<Word>(reinterpret_cast<std::uintptr_t>(argument)), place, Mark::hexadecimal);
  } else {
    using Raw = decltype(raw_of(argument));
    using Bits = std::make_unsigned_t<Raw>;
    using Word = std::conditional_t<sizeof(Raw) == 8, std::uint64_t, std::uint32_t>;
    const Raw raw = raw_of(argument);
    const bool is_negative = std::is_signed_v<Raw> && !Given.is_hexadecimal && raw < 0;
    const auto bits = static_cast<Word>(static_cast<Bits>(raw));
    const Word magnitude = is_negative ? static_cast<Word>(Word{0} - static_cast<Word>(raw)) : bits;
    const Mark sign = is_negative ? Mark::minus : Mark::none;
    if constexpr (is_fixed && !Given.is_hexadecimal) {
      static_assert(type.fraction_bits >= 0 && type.fraction_bits <= 64,
                    "neuromorph: print writes a Fixed with 0 to 64 fraction bits; a log writes any; see docs/log.md");
      put_fixed(sink, magnitude, static_cast<unsigned>(type.fraction_bits), Given, sign);
    } else {
      put_number(sink, magnitude, Given, sign);
    }
  }
}

template <class Checked, std::size_t At, TextSink Sink, class... Rest>
[[gnu::always_inline]] inline constexpr void put_parts(Sink& sink, const Rest&...) noexcept
    requires(sizeof...(Rest) == 0) {
  constexpr auto part = Checked::parts.parts[At];
  if constexpr (part.begin != part.end)
    put_letters(sink, Checked::text.data() + part.begin, Checked::text.data() + part.end);
}
template <class Checked, std::size_t At, TextSink Sink, class First, class... Rest>
[[gnu::always_inline]] inline constexpr void put_parts(Sink& sink, const First& first, const Rest&... rest) noexcept {
  put_parts<Checked, At>(sink);
  put_argument<Checked::parts.parts[At].place>(sink, first);
  put_parts<Checked, At + 1>(sink, rest...);
}

} // namespace detail

/// Writes a text with values in its places: integers, bool, char, enumerations (their numbers), Fixed (exactly), pointers,
/// and texts, which are arrays and spans of char. `{:x}` is the bits of a value: a negative one's complement of two.
///
/// \cost O(characters); no division, no heap
template <Format Text, TextSink Sink, class... Arguments>
constexpr void print(Sink&& sink, const Arguments&... arguments) noexcept {
  using Checked = CheckedFormat<Text, Arguments...>;
  if constexpr (sizeof(Checked) != 0 && Checked::parts.places == sizeof...(Arguments))
    detail::put_parts<Checked, 0>(sink, arguments...);
}

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
