// SPDX-License-Identifier: BSL-1.0
/// \file
/// A text with places for values, known when it is compiled: what a log and immediate printing have in common.
///
///     "neuron {} at {:.3} mV, flags {:08x}"
///
/// A place is `{}` or `{:[0][width][.digits][x]}`; `{{` and `}}` are the characters. See docs/log.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_FORMAT_HPP
#define NEUROMORPH_FIRMWARE_FORMAT_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/fixed.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// How a value is written.
struct Place {
  std::uint8_t width = 0;     ///< characters at least, 0..99: numbers stand on the right, texts on the left
  std::int8_t digits = exact; ///< behind the point, 0..64, rounded to nearest, ties to even; or all of them
  bool has_zeros = false;     ///< before a number, rather than spaces
  bool is_hexadecimal = false;
  static constexpr std::int8_t exact = -1;
};

/// What stands between the places, and these.
template <std::size_t Size>
struct Format {
  std::array<char, Size> text{};
  consteval Format(const char (&given)[Size]) noexcept {
    for (std::size_t at = 0; at < Size; ++at) text[at] = given[at];
  }
  consteval explicit Format(const std::array<char, Size>& given) noexcept : text(given) {}
};

enum class FormatFault : std::uint8_t { none, brace, option, width };

/// A format, taken apart: places, and which characters stand before each.
template <std::size_t Size>
struct FormatParts {
  struct Part {
    std::size_t begin = 0, end = 0; ///< in `text`
    Place place;                    ///< behind it; the last part has none
  };
  std::array<char, Size> text{};
  std::array<Part, Size / 2 + 1> parts{};
  std::size_t places = 0;
  FormatFault fault = FormatFault::none;

  consteval FormatParts(const std::array<char, Size>& given) noexcept {
    std::size_t at = 0, to = 0;
    while (at + 1 < Size && fault == FormatFault::none) {
      const char letter = given[at++];
      if ((letter == '{' || letter == '}') && given[at] == letter) {
        text[to++] = letter, ++at;
      } else if (letter == '}') {
        fault = FormatFault::brace;
      } else if (letter == '{') {
        parts[places].end = to;
        at = take_place(given, at, parts[places].place);
        parts[++places].begin = to;
      } else {
        text[to++] = letter;
      }
    }
    parts[places].end = to;
  }

private:
  [[nodiscard]] static constexpr bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }
  consteval std::size_t take_place(const std::array<char, Size>& given, std::size_t at, Place& place) noexcept {
    const auto number = [&] {
      unsigned value = 0;
      for (; is_digit(given[at]) && value <= 99; ++at) value = value * 10 + static_cast<unsigned>(given[at] - '0');
      return value;
    };
    if (given[at] == ':') {
      ++at;
      if (given[at] == '0') place.has_zeros = true, ++at;
      const unsigned width = number();
      place.width = static_cast<std::uint8_t>(width);
      if (width > 99) fault = FormatFault::width;
      if (given[at] == '.') {
        ++at;
        if (!is_digit(given[at])) fault = FormatFault::option;
        const unsigned digits = number();
        if (digits > 64) fault = FormatFault::width;
        place.digits = static_cast<std::int8_t>(digits);
      }
      if (given[at] == 'x') place.is_hexadecimal = true, ++at;
    }
    if (fault == FormatFault::none && given[at] != '}') {
      std::size_t end = at;
      while (given[end] != '\0' && given[end] != '}' && given[end] != '{') ++end;
      fault = given[end] == '}' ? FormatFault::option : FormatFault::brace;
    }
    return at + 1;
  }
};

/// What a value is, where it is written and where it is packed.
enum class ArgumentKind : char {
  boolean = 'b',
  character = 'c',
  unsigned_number = 'u',
  signed_number = 'i',
  pointer = 'p',
  text = 's',
  unsigned_fixed = 'q',
  signed_fixed = 'f',
  floating = 'd', ///< refused
  unknown = '?',  ///< refused
};
struct ArgumentType {
  ArgumentKind kind = ArgumentKind::unknown;
  std::uint8_t bytes = 0;
  std::int16_t fraction_bits = 0;
};

namespace detail {

template <class Type>
struct FixedType : std::false_type {};
template <class Rep, int FractionBits, class Rounding, class Overflow>
struct FixedType<Fixed<Rep, FractionBits, Rounding, Overflow>> : std::true_type {
  static constexpr ArgumentType type{std::is_signed_v<Rep> ? ArgumentKind::signed_fixed : ArgumentKind::unsigned_fixed,
                                     sizeof(Rep), FractionBits};
};

template <class Given>
[[nodiscard]] consteval ArgumentType argument_type() noexcept {
  using Type = std::decay_t<Given>;
  if constexpr (std::same_as<Type, bool>)
    return {ArgumentKind::boolean, 1};
  else if constexpr (std::same_as<Type, char>)
    return {ArgumentKind::character, 1};
  else if constexpr (std::is_enum_v<Type>)
    return argument_type<std::underlying_type_t<Type>>();
  else if constexpr (std::integral<Type> && sizeof(Type) <= 8)
    return {std::is_signed_v<Type> ? ArgumentKind::signed_number : ArgumentKind::unsigned_number, sizeof(Type)};
  else if constexpr (FixedType<Type>::value)
    return FixedType<Type>::type;
  else if constexpr (std::convertible_to<Given, std::span<const char>> || std::same_as<Type, const char*> ||
                     std::same_as<Type, char*>)
    return {ArgumentKind::text};
  else if constexpr (std::is_pointer_v<Type>)
    return {ArgumentKind::pointer, sizeof(Type)};
  else if constexpr (std::floating_point<Type>)
    return {ArgumentKind::floating};
  else
    return {};
}

[[nodiscard]] constexpr bool is_fixed(ArgumentKind kind) noexcept {
  return kind == ArgumentKind::signed_fixed || kind == ArgumentKind::unsigned_fixed;
}
[[nodiscard]] constexpr bool is_text(ArgumentKind kind) noexcept {
  return kind == ArgumentKind::text || kind == ArgumentKind::boolean || kind == ArgumentKind::character;
}
template <std::size_t Arguments, std::size_t Size>
[[nodiscard]] constexpr bool all_suit(const FormatParts<Size>& parts, const std::array<ArgumentType, Arguments>& types,
                                      auto suits) noexcept {
  for (std::size_t at = 0; at < Arguments && at < parts.places; ++at)
    if (!suits(parts.parts[at].place, types[at].kind)) return false;
  return true;
}

/// The characters of a text: of an array all to its first zero.
[[nodiscard]] constexpr std::span<const char> characters(const char* text) noexcept {
  std::size_t size = 0;
  while (text[size] != '\0') ++size;
  return {text, size};
}
template <class Given>
[[nodiscard]] constexpr std::span<const char> characters_of(const Given& given) noexcept {
  if constexpr (std::convertible_to<const Given&, const char*>)
    return characters(given);
  else
    return given;
}

} // namespace detail

/// The sentences for what does not fit together.
template <Format Text, class... Arguments>
struct CheckedFormat {
  static constexpr FormatParts parts{Text.text};
  static constexpr auto text = parts.text; // the only part of it that a program keeps
  static constexpr std::array<ArgumentType, sizeof...(Arguments)> types{detail::argument_type<Arguments>()...};
  static_assert(parts.fault != FormatFault::brace,
                "neuromorph: a brace of the format has no partner; the characters are {{ and }}; see docs/log.md");
  static_assert(parts.fault != FormatFault::option,
                "neuromorph: a place of the format is not {} or {:[0][width][.digits][x]}; see docs/log.md");
  static_assert(parts.fault != FormatFault::width,
                "neuromorph: a place of the format is wider than 99, or has more than 64 digits; see docs/log.md");
  static_assert(parts.fault != FormatFault::none || parts.places <= sizeof...(Arguments),
                "neuromorph: the format has more places than there are arguments; see docs/log.md");
  static_assert(parts.fault != FormatFault::none || parts.places >= sizeof...(Arguments),
                "neuromorph: there are more arguments than the format has places; see docs/log.md");
  static_assert(((detail::argument_type<Arguments>().kind != ArgumentKind::floating) && ...),
                "neuromorph: firmware has no floating point: give a Fixed, which is written exactly; see docs/log.md");
  static_assert(((detail::argument_type<Arguments>().kind != ArgumentKind::unknown) && ...),
                "neuromorph: an argument is no integer, bool, character, enumeration, Fixed, pointer or text; see "
                "docs/log.md");
  static_assert(detail::all_suit<sizeof...(Arguments)>(parts, types,
                                                       [](Place place, ArgumentKind kind) {
                                                         return place.digits == Place::exact || detail::is_fixed(kind);
                                                       }),
                "neuromorph: {:.digits} is for a Fixed; see docs/log.md");
  static_assert(detail::all_suit<sizeof...(Arguments)>(parts, types,
                                                       [](Place place, ArgumentKind) {
                                                         return place.digits == Place::exact || !place.is_hexadecimal;
                                                       }),
                "neuromorph: {:x} shows the bits of a value, which have no digits behind a point; see docs/log.md");
  static_assert(detail::all_suit<sizeof...(Arguments)>(parts, types,
                                                       [](Place place, ArgumentKind kind) {
                                                         return !(place.is_hexadecimal || place.has_zeros) ||
                                                                !detail::is_text(kind);
                                                       }),
                "neuromorph: {:x} and {:0} are for numbers and pointers; see docs/log.md");
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
