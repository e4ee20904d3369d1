// SPDX-License-Identifier: BSL-1.0
/// \file
/// A result that is a value or one sentence for the user.
#ifndef NEUROMORPH_CYCLES_STATUS_HPP
#define NEUROMORPH_CYCLES_STATUS_HPP

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace neuromorph::cycles {

struct Failure {
  std::string text;
};

template <class Value>
class Expected {
public:
  Expected(Value value) : value_(std::move(value)) {}
  Expected(Failure failure) : failure_(std::move(failure.text)) {}
  explicit operator bool() const { return value_.has_value(); }
  Value& operator*() { return *value_; }
  Value const& operator*() const { return *value_; }
  Value* operator->() { return &*value_; }
  Value const* operator->() const { return &*value_; }
  std::string const& why() const { return failure_; }

private:
  std::optional<Value> value_;
  std::string failure_;
};

inline std::string hex(std::uint32_t value) {
  char text[11] = "0x00000000";
  for (int i = 9; i >= 2; --i, value >>= 4) { text[i] = "0123456789abcdef"[value & 15]; }
  return text;
}

/// Decimal or 0x hexadecimal, with an optional K or M behind it.
inline std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t unit = 1;
  if (!text.empty() && (text.back() == 'K' || text.back() == 'k')) { unit = 1024; }
  if (!text.empty() && (text.back() == 'M' || text.back() == 'm')) { unit = 1024 * 1024; }
  if (unit != 1) { text.remove_suffix(1); }
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) { return std::nullopt; }
  return value * unit;
}

} // namespace neuromorph::cycles

#endif
