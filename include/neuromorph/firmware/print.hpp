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
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

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

namespace detail {
template <class Sink, std::size_t Most>
class Line;
}

/// A sink that fills memory; what does not fit is counted. What is behind the text may change.
class TextBuffer {
public:
  explicit constexpr TextBuffer(std::span<char> memory) noexcept : memory_(memory) {}
  constexpr void write(std::span<const char> text) noexcept {
    const std::size_t room = memory_.size() - size_, fits = text.size() < room ? text.size() : room;
    const char* from = text.data();
    char* to = memory_.data() + size_;
    size_ += fits;
    lost_ += text.size() - fits;
    std::size_t left = fits;
    for (; left >= 4; left -= 4, from += 4, to += 4) {
      const char first = from[0], second = from[1], third = from[2], fourth = from[3];
      to[0] = first, to[1] = second, to[2] = third, to[3] = fourth;
    }
    for (; left != 0; --left) *to++ = *from++;
  }
  [[nodiscard]] constexpr std::span<const char> text() const noexcept { return memory_.first(size_); }
  [[nodiscard]] constexpr std::size_t lost() const noexcept { return lost_; }
  constexpr void clear() noexcept { size_ = lost_ = 0; }

private:
  template <class Sink, std::size_t Most>
  friend class detail::Line;
  std::span<char> memory_;
  std::size_t size_ = 0, lost_ = 0;
};

namespace detail {

template <TextSink Sink>
[[gnu::noinline]] constexpr void put_all(Sink& sink, const char* from, const char* end) noexcept {
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

/// To the text's zero, or to `limit` and up to three characters more.
[[gnu::noinline]] constexpr char* put_text(char* to, const char* limit, const char* text) noexcept {
  for (; to < limit; to += 4, text += 4) {
    if (text[0] == '\0') return to;
    to[0] = text[0];
    if (text[1] == '\0') return to + 1;
    to[1] = text[1];
    if (text[2] == '\0') return to + 2;
    to[2] = text[2];
    if (text[3] == '\0') return to + 3;
    to[3] = text[3];
  }
  return to;
}

/// Where the characters of a call go until they are all there: the memory of a TextBuffer, if that has room for the longest,
/// or the stack.
template <class Sink, std::size_t Most>
class Line {
public:
  static constexpr std::size_t room = Most + 6; // put_text and put_letters write three more each

  /// \param stack  [room]
  constexpr Line(Sink& sink, char* stack) noexcept : sink_(&sink), stack_(stack) {}
  [[nodiscard, gnu::always_inline]] constexpr char* begin() noexcept {
    begin_ = stack_;
    if constexpr (fills_memory)
      if (sink_->memory_.size() - sink_->size_ >= room) [[likely]]
        begin_ = sink_->memory_.data() + sink_->size_;
    return begin_;
  }
  [[gnu::always_inline]] constexpr void end(char* to) noexcept {
    if constexpr (fills_memory) {
      if (begin_ != stack_) [[likely]] {
        sink_->size_ += static_cast<std::size_t>(to - begin_);
        return;
      }
    }
    put_all(*sink_, __builtin_launder(begin_),
            __builtin_launder(to)); // else GCC 12 takes an empty line for one that is read
  }
  /// A text of any length.
  [[gnu::always_inline]] constexpr char* put(char* to, std::span<const char> text) noexcept {
    end(to);
    put_all(*sink_, text.data(), text.data() + text.size());
    return begin();
  }
  /// To its zero.
  [[gnu::always_inline]] constexpr char* put(char* to, const char* text) noexcept {
    if constexpr (fills_memory) {
      if (begin_ != stack_) [[likely]] {
        const char* const before = to;
        const char* const limit = sink_->memory_.data() + sink_->memory_.size() - room;
        to = put_text(to, limit, text);
        if (to < limit) [[likely]]
          return to;
        text += to - before;
      }
    }
    return put(to, characters(text));
  }

private:
  static constexpr bool fills_memory = std::derived_from<Sink, TextBuffer>;
  Sink* sink_;
  char* stack_;
  char* begin_ = nullptr;
};

/// Four at a time: up to three more are read, and written where the next ones come.
/// \pre   size != 0
[[gnu::noinline]] constexpr char* put_letters(char* to, const char* from, std::size_t size) noexcept {
  char* const end = to + size;
  do {
    const char first = from[0], second = from[1], third = from[2], fourth = from[3];
    to[0] = first, to[1] = second, to[2] = third, to[3] = fourth;
    to += 4, from += 4;
  } while (to < end);
  return end;
}

inline constexpr std::uint32_t powers_of_ten[10] = {0,       10,        100,        1'000,       10'000,
                                                    100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
/// At least so many digits. \cost O(digits), a multiplication each
[[gnu::noinline]] constexpr char* put_decimal(char* to, std::uint32_t value, unsigned least = 1) noexcept {
  unsigned count = static_cast<unsigned>(std::bit_width(value | 1)) * 1233 >> 12; // log10(2) = 1233 / 4096
  count += value >= powers_of_ten[count] ? 1 : 0;
  if (count < least) count = least;
  char* const end = to + count;
  char* at = end;
  do {
    const auto tenth = static_cast<std::uint32_t>(std::uint64_t{value} * 0xCCCC'CCCDU >> 35);
    *--at = static_cast<char>('0' + (value - tenth * 10));
    value = tenth;
  } while (at != to);
  return end;
}
[[gnu::noinline]] constexpr char* put_decimal(char* to, std::uint64_t value) noexcept { // NOLINT(misc-no-recursion)
  if (value >> 32 == 0) return put_decimal(to, static_cast<std::uint32_t>(value));
  // value / 10^9 = (value >> 9) * (2^75 / 5^9 + ...) >> 75: the upper half of a product of 64 bits, from four of 32
  constexpr std::uint64_t low = 0xA09B'5A53, high = 0x0044'B82F;
  const std::uint64_t lower = value >> 9 & 0xFFFF'FFFFU, upper = value >> 41;
  const std::uint64_t first = upper * low + (lower * low >> 32), second = lower * high + (first & 0xFFFF'FFFFU);
  const std::uint64_t billions = (upper * high + (first >> 32) + (second >> 32)) >> 11;
  return put_decimal(put_decimal(to, billions), static_cast<std::uint32_t>(value - billions * 1'000'000'000), 9);
}
/// The last `count` hexadecimal digits, 1..8.
[[gnu::noinline]] constexpr char* put_hexadecimal(char* to, std::uint32_t value, unsigned count) noexcept {
  constexpr const char* letters = "0123456789abcdef";
  char* const end = to + count;
  value <<= 32 - 4 * count;
  if (count % 2 != 0) *to++ = letters[value >> 28], value <<= 4;
  for (; to != end; to += 2, value <<= 8) to[0] = letters[value >> 28], to[1] = letters[value >> 24 & 15];
  return end;
}
/// At least so many digits.
template <class Word>
constexpr char* put_bits(char* to, Word value, unsigned least) noexcept {
  const auto lower = static_cast<std::uint32_t>(value);
  if constexpr (sizeof(Word) == 8) {
    const auto upper = static_cast<std::uint32_t>(value >> 32);
    if (upper != 0 || least > 8) return put_hexadecimal(put_bits(to, upper, least > 8 ? least - 8 : 1), lower, 8);
  }
  const unsigned digits = (static_cast<unsigned>(std::bit_width(lower | 1)) + 3) / 4;
  return put_hexadecimal(to, lower, digits < least ? least : digits);
}

/// One more in the last place.
[[gnu::noinline]] constexpr char* put_carry(char* begin, char* end) noexcept {
  char* at = end;
  for (;;) {
    if (at == begin) {
      for (at = end; at != begin; --at) *at = at[-1];
      *begin = '1';
      return end + 1;
    }
    --at;
    if (*at == '.') continue;
    if (*at != '9') break;
    *at = '0';
  }
  ++*at;
  return end;
}
/// The digits of a magnitude with so many bits behind its point, 0..8 * sizeof(Word).
/// \cost O(digits), for each behind the point a multiplication of 32 bits, or two
template <class Word>
[[gnu::noinline]] constexpr char* put_fixed(char* to, Word magnitude, unsigned fraction_bits, int digits) noexcept {
  constexpr unsigned bits = 8 * sizeof(Word);
  constexpr Word half = Word{1} << (bits - 1);
  char* const begin = to;
  Word rest = fraction_bits == 0 ? 0 : magnitude << (bits - fraction_bits);
  to = put_decimal(to, fraction_bits < bits ? magnitude >> fraction_bits : Word{0});
  if (digits != 0) *to++ = '.';
  for (int left = digits; left != 0; --left) { // forever if it is to be exact
    if constexpr (sizeof(Word) == 4) {
      const std::uint64_t product = std::uint64_t{rest} * 10;
      *to++ = static_cast<char>('0' + static_cast<std::uint32_t>(product >> 32));
      rest = static_cast<std::uint32_t>(product);
    } else {
      const std::uint64_t low = (rest & 0xFFFF'FFFFU) * 10, high = (rest >> 32) * 10 + (low >> 32);
      *to++ = static_cast<char>('0' + static_cast<std::uint32_t>(high >> 32));
      rest = high << 32 | (low & 0xFFFF'FFFFU);
    }
    if (digits < 0 && rest == 0) return to;
  }
  const bool is_odd = (to[-1] & 1) != 0;
  if (rest < half || (rest == half && !is_odd)) return to;
  return put_carry(begin, to);
}

/// Moves what stands from `from` on, and fills what is before it.
[[gnu::noinline]] constexpr char* put_before(char* from, char* end, std::ptrdiff_t missing, char letter) noexcept {
  if (missing <= 0) return end;
  for (char* at = end; at != from;) --at, at[missing] = *at;
  for (std::ptrdiff_t at = 0; at < missing; ++at) from[at] = letter;
  return end + missing;
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

/// What an argument has at most in a line; of a text what is filled up.
template <Place Given, class Argument>
[[nodiscard]] consteval std::size_t most_characters() noexcept {
  constexpr ArgumentType type = argument_type<Argument>();
  std::size_t most = 0;
  if (type.kind == ArgumentKind::boolean)
    most = 5;
  else if (type.kind == ArgumentKind::character)
    most = 1;
  else if (type.kind != ArgumentKind::text)
    most = type.bytes == 8 ? 21 : 11; // 2^64 - 1, a sign or 0x, or a carry
  if (is_fixed(type.kind))
    most += 2 + static_cast<std::size_t>(
                    Given.digits == Place::exact ? (type.fraction_bits > 1 ? type.fraction_bits : 1) : Given.digits);
  return most < Given.width ? Given.width : most;
}

template <Place Given, class Lines, class Argument>
[[gnu::always_inline]] inline constexpr char* put_argument(Lines& line, char* to, const Argument& argument) noexcept {
  using Type = std::decay_t<Argument>;
  constexpr ArgumentType type = argument_type<Argument>();
  constexpr bool is_fixed = FixedType<Type>::value, is_pointer = type.kind == ArgumentKind::pointer;
  if constexpr (type.kind == ArgumentKind::text) {
    if constexpr (Given.width == 0 && std::convertible_to<const Argument&, const char*>) {
      return line.put(to, static_cast<const char*>(argument));
    } else {
      const std::span<const char> text = characters_of(argument);
      to = line.put(to, text);
      for (std::size_t at = text.size(); at < Given.width; ++at) *to++ = ' ';
      return to;
    }
  } else if constexpr (is_text(type.kind)) {
    char* const begin = to;
    if constexpr (type.kind == ArgumentKind::boolean)
      to = raw_of(argument) ? put_letters(to, "true", 4) : put_letters(to, "false\0\0", 5);
    else
      *to++ = static_cast<char>(raw_of(argument));
    while (to < begin + Given.width) *to++ = ' ';
    return to;
  } else {
    char* const begin = to;
    char* digits = to;
    if constexpr (is_pointer || Given.is_hexadecimal) {
      using Word = std::conditional_t<(type.bytes > 4), std::uint64_t, std::uint32_t>;
      constexpr unsigned all = 2 * sizeof(Word), wanted = Given.has_zeros ? Given.width : 1;
      constexpr unsigned least = is_pointer || wanted == 0 ? 1 : wanted < all ? wanted : all;
      Word bits = 0;
      if constexpr (is_pointer) {
        *to++ = '0', *to++ = 'x';
        digits = to;
        bits = static_cast<Word>(reinterpret_cast<std::uintptr_t>(argument));
      } else {
        bits = static_cast<Word>(static_cast<std::make_unsigned_t<decltype(raw_of(argument))>>(raw_of(argument)));
      }
      to = put_bits(to, bits, least);
    } else {
      constexpr bool is_wide = type.bytes > 4 || (is_fixed && type.fraction_bits > 32);
      using Word = std::conditional_t<is_wide, std::uint64_t, std::uint32_t>;
      const auto raw = raw_of(argument);
      auto magnitude = static_cast<Word>(raw);
      if constexpr (std::is_signed_v<decltype(raw_of(argument))>)
        if (raw < 0) {
          *to++ = '-';
          digits = to;
          magnitude = static_cast<Word>(Word{0} - magnitude);
        }
      if constexpr (is_fixed) {
        static_assert(type.fraction_bits >= 0 && type.fraction_bits <= 64,
                      "neuromorph: print writes a Fixed with 0 to 64 fraction bits; a log writes any; see docs/log.md");
        to = put_fixed(to, magnitude, static_cast<unsigned>(type.fraction_bits), Given.digits);
      } else {
        to = put_decimal(to, magnitude);
      }
    }
    if constexpr (Given.width > (Given.is_hexadecimal && Given.has_zeros ? 2 * type.bytes : 0))
      to = put_before(Given.has_zeros ? digits : begin, to, Given.width - (to - begin), Given.has_zeros ? '0' : ' ');
    return to;
  }
}

/// The characters of a format, and what put_letters reads besides.
template <class Checked>
struct Letters {
  static constexpr std::size_t size = Checked::parts.parts[Checked::parts.places].end;
  static constexpr std::array<char, size + 3> text = [] {
    std::array<char, size + 3> made{};
    for (std::size_t at = 0; at < size; ++at) made[at] = Checked::parts.text[at];
    return made;
  }();
};
template <class Checked, std::size_t At>
[[gnu::always_inline]] inline constexpr char* put_part(char* to) noexcept {
  constexpr auto part = Checked::parts.parts[At];
  constexpr const auto& text = Letters<Checked>::text;
  if constexpr (part.end - part.begin > 2) return put_letters(to, text.data() + part.begin, part.end - part.begin);
  if constexpr (part.end - part.begin > 0) *to++ = text[part.begin];
  if constexpr (part.end - part.begin > 1) *to++ = text[part.begin + 1];
  return to;
}
template <class Checked, std::size_t At, class Lines>
[[gnu::always_inline]] inline constexpr char* put_parts(Lines&, char* to) noexcept {
  return put_part<Checked, At>(to);
}
template <class Checked, std::size_t At, class Lines, class First, class... Rest>
[[gnu::always_inline]] inline constexpr char* put_parts(Lines& line, char* to, const First& first,
                                                        const Rest&... rest) noexcept {
  to = put_part<Checked, At>(to);
  to = put_argument<Checked::parts.parts[At].place>(line, to, first);
  return put_parts<Checked, At + 1>(line, to, rest...);
}
template <class Checked, class... Arguments, std::size_t... At>
[[nodiscard]] consteval std::size_t most_of_all(std::index_sequence<At...>) noexcept {
  return (Letters<Checked>::size + ... + most_characters<Checked::parts.parts[At].place, Arguments>());
}

} // namespace detail

/// Writes a text with values in its places: integers, bool, char, enumerations (their numbers), Fixed (exactly), pointers,
/// and texts, which are arrays and spans of char. `{:x}` is the bits of a value: a negative one's complement of two.
///
/// \cost O(characters); no division, no heap; on the stack as many bytes as it writes at most, without the texts among the
/// arguments
template <Format Text, TextSink Sink, class... Arguments>
constexpr void print(Sink&& sink, const Arguments&... arguments) noexcept {
  using Checked = CheckedFormat<Text, Arguments...>;
  if constexpr (sizeof(Checked) != 0 && Checked::parts.places == sizeof...(Arguments)) {
    using Taker = std::remove_reference_t<Sink>;
    if constexpr (sizeof...(Arguments) == 0 && !std::derived_from<Taker, TextBuffer>) {
      detail::put_all(sink, Checked::text.data(), Checked::text.data() + detail::Letters<Checked>::size);
    } else {
      constexpr std::size_t most =
          detail::most_of_all<Checked, Arguments...>(std::make_index_sequence<sizeof...(Arguments)>{});
      std::array<char, detail::Line<Taker, most>::room> stack; // apart, so that the rest is in registers
      detail::Line<Taker, most> line(sink, stack.data());
      line.end(detail::put_parts<Checked, 0>(line, line.begin(), arguments...));
    }
  }
}

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
