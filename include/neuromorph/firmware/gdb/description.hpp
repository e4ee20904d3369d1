// SPDX-License-Identifier: BSL-1.0
/// \file
/// The texts in which a stub describes itself, put together by the compiler: its registers as XML, what it supports.
///
/// What all registers of a feature have in common stands once, and a byte in the text stands for it.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_DESCRIPTION_HPP
#define NEUROMORPH_FIRMWARE_GDB_DESCRIPTION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/gdb/machine.hpp>
#include <neuromorph/firmware/gdb/packet.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {
namespace detail {

/// A text that is being written at compile time.
struct Draft {
  std::array<char, 4096> letters{};
  std::size_t size = 0;

  constexpr Draft& add(char letter) {
    letters[size++] = letter;
    return *this;
  }
  constexpr Draft& add(const char* text) {
    while (*text != '\0') add(*text++);
    return *this;
  }
  constexpr Draft& add(std::uint32_t value, unsigned base) {
    if (value >= base) add(value / base, base);
    return add(digit(value % base));
  }
};
/// What such a function has written, in as many bytes as it takes, with a zero.
template <auto draft, auto... arguments>
inline constexpr auto text_of = [] {
  constexpr Draft written = draft(arguments...);
  std::array<char, written.size + 1> result{};
  for (std::size_t at = 0; at < written.size; ++at) result[at] = written.letters[at];
  return result;
}();

[[nodiscard]] constexpr std::uint32_t count_of(const Feature& feature) {
  std::uint32_t count = 1;
  for (const char* at = feature.registers; *at != '\0'; ++at) count += *at == ' ' ? 1 : 0;
  return count;
}
template <class MachineType>
inline constexpr std::size_t features_of = sizeof MachineType::features / sizeof(Feature);
/// How many registers each feature has.
template <class MachineType>
inline constexpr auto counts_of = [] {
  std::array<std::uint32_t, features_of<MachineType>> result{};
  for (std::size_t at = 0; at < result.size(); ++at) result[at] = count_of(MachineType::features[at]);
  return result;
}();
template <class MachineType>
[[nodiscard]] consteval std::size_t bytes_of_registers() {
  std::size_t bytes = 0;
  for (const Feature& feature : MachineType::features) bytes += count_of(feature) * feature.bits / 8;
  return bytes;
}

/// By which a program that has the same descriptions knows the machine: a CRC of 32 bits (ISO 3309) of their texts, each with
/// a zero behind it, bits as decimal digits.
template <class MachineType>
inline constexpr std::uint32_t code_of_machine = [] {
  Draft text;
  text.add(MachineType::architecture).add('\0');
  for (const Feature& feature : MachineType::features) {
    text.add(feature.name).add('\0').add(feature.registers).add('\0').add(feature.bits, 10).add('\0');
    text.add(feature.type).add('\0').add(feature.types).add('\0').add(feature.group).add('\0');
  }
  std::uint32_t sum = ~std::uint32_t{0};
  for (std::size_t at = 0; at < text.size; ++at) {
    sum ^= static_cast<unsigned char>(text.letters[at]);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xEDB8'8320U : 0);
  }
  return ~sum;
}();

/// Bytes that stand for a text: 1 begins a register, 2 ends one of the first feature, and so on.
inline constexpr char begins_register = 1;

template <class MachineType>
[[nodiscard]] constexpr Draft draft_description() {
  Draft text;
  text.add("<target><architecture>").add(MachineType::architecture).add("</architecture><osabi>none</osabi>");
  char end = begins_register;
  for (const Feature& feature : MachineType::features) {
    if (*feature.name != '\0') {
      if (end != begins_register) text.add("</feature>");
      text.add("<feature name=\"").add(feature.name).add("\">");
    }
    ++end;
    text.add(feature.types).add(begins_register);
    for (const char* name = feature.registers; *name != '\0'; ++name) {
      if (*name != ' ')
        text.add(*name);
      else
        text.add(end).add(begins_register);
    }
    text.add(end);
  }
  return text.add("</feature></target>");
}
template <class MachineType>
[[nodiscard]] constexpr Draft draft_end(std::size_t feature) {
  Draft text;
  text.add("\" bitsize=\"").add(MachineType::features[feature].bits, 10);
  if (*MachineType::features[feature].type != '\0') text.add("\" type=\"").add(MachineType::features[feature].type);
  if (*MachineType::features[feature].group != '\0') text.add("\" group=\"").add(MachineType::features[feature].group);
  return text.add("\"/>");
}

} // namespace detail

/// Writes the description of a machine's registers.
/// \param text  has `put` for letters and texts
template <class MachineType, class Text>
void describe_registers(Text& text) noexcept {
  static constexpr auto ends = []<std::size_t... feature>(std::index_sequence<feature...>) {
    return std::array<const char*, 1 + sizeof...(feature)>{
        "<reg name=\"", detail::text_of<detail::draft_end<MachineType>, feature>.data()...};
  }
  (std::make_index_sequence<detail::features_of<MachineType>>{});
  for (const char* at = detail::text_of<detail::draft_description<MachineType>>.data(); *at != '\0'; ++at) {
    if (static_cast<unsigned char>(*at) <= ends.size())
      text.put(ends[static_cast<std::size_t>(*at) - 1]);
    else
      text.put(*at);
  }
}

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
