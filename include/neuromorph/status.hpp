// SPDX-License-Identifier: BSL-1.0
/// \file
/// What an operation answers when its input can be wrong: ok, or what is wrong, where, and with which value.
#ifndef NEUROMORPH_STATUS_HPP
#define NEUROMORPH_STATUS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What went wrong. `describe` has the sentence for each.
enum class Error : std::uint8_t {
  none,
  index_out_of_range,
  delay_out_of_range,
  type_out_of_range,
  weight_vanishes,
  weight_out_of_range,
  buffer_full,
  rows_incomplete,
  parameter_not_positive,
  parameter_out_of_range,
  time_constant_too_short,
  time_constant_too_long,
  file_unreadable,
  file_truncated,
};

/// The sentence for an error, without its place and value.
[[nodiscard]] constexpr const char* describe(Error error) noexcept {
  switch (error) {
  case Error::none: return "no error";
  case Error::index_out_of_range: return "a synapse names a neuron outside the population";
  case Error::delay_out_of_range: return "a delay is outside the ring buffer's range of steps";
  case Error::type_out_of_range: return "a synapse names a receptor type that the buffer does not have";
  case Error::weight_vanishes: return "a weight that is not zero would become zero in this number format";
  case Error::weight_out_of_range: return "a weight does not fit this number format";
  case Error::buffer_full: return "there is no room left in the buffer";
  case Error::rows_incomplete: return "rows are finished before every counted synapse has been added";
  case Error::parameter_not_positive: return "a parameter that must be positive is not";
  case Error::parameter_out_of_range: return "a parameter is outside the range of its number format";
  case Error::time_constant_too_short: return "a time constant is shorter than 1.45 time steps";
  case Error::time_constant_too_long: return "a time constant is too long for this time step";
  case Error::file_unreadable: return "a file cannot be read";
  case Error::file_truncated: return "a file ends in the middle of a record";
  }
  return "unknown error";
}

/// Result of an operation that can be refused. When it is not ok, the state is as it was before the call.
struct [[nodiscard]] Status {
  Error error = Error::none;
  std::uint32_t where = 0; ///< position of the offending item in the input (row word, parameter number, ...)
  std::int64_t value = 0;  ///< the offending value itself

  [[nodiscard]] constexpr bool ok() const noexcept { return error == Error::none; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return ok(); }
  friend constexpr bool operator==(const Status&, const Status&) noexcept = default;
};

/// A value, or the status that says why there is none.
template <class Value>
struct [[nodiscard]] Result {
  Value value{};
  Status status{};

  [[nodiscard]] constexpr bool ok() const noexcept { return status.ok(); }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return status.ok(); }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
