// SPDX-License-Identifier: BSL-1.0
// Numbers from the command line.
#ifndef EXAMPLES_SUPPORT_WORDS_HPP
#define EXAMPLES_SUPPORT_WORDS_HPP

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace support {

inline std::string bad(std::string_view option, const char* value, const std::string& wanted) {
  return std::string(option) + " takes " + wanted + ", not '" + value + "'";
}

inline bool whole_number(const char* text, std::uint64_t highest, std::uint64_t& number) {
  if (*text < '0' || *text > '9') return false;
  char* end = nullptr;
  errno = 0;
  const auto value = std::strtoull(text, &end, 10);
  if (*end != '\0' || value > highest || errno != 0) return false;
  number = value;
  return true;
}

/// Decimal: 20, 0.5, 1e-3.
inline bool real_number(const char* text, double lowest, double highest, double& number) {
  if (std::strspn(text, "0123456789.eE+-") != std::strlen(text) || *text == '+' || *text == '-') return false;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= lowest && value <= highest)) return false;
  number = value;
  return true;
}

inline bool small_number(const char* text, std::uint32_t lowest, std::uint32_t highest, std::uint32_t& number) {
  std::uint64_t wide = 0;
  if (!whole_number(text, highest, wide) || wide < lowest) return false;
  number = static_cast<std::uint32_t>(wide);
  return true;
}

/// STEP:ITEM, both whole numbers, steps from 1.
inline bool step_and_item(const char* text, std::uint32_t highest_item, std::uint32_t& step, std::uint32_t& item) {
  const std::string both = text;
  const auto colon = both.find(':');
  return colon != std::string::npos && small_number(both.substr(0, colon).c_str(), 1, 1U << 30, step) &&
         small_number(text + colon + 1, 0, highest_item, item);
}

} // namespace support

#endif
