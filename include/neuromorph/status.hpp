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
  row_out_of_range,
  delay_out_of_range,
  type_out_of_range,
  weight_vanishes,
  weight_out_of_range,
  buffer_full,
  rows_incomplete,
  rows_not_placed,
  lengths_differ,
  fan_in_too_large,
  parameter_not_positive,
  parameter_out_of_range,
  parameters_contradict,
  time_constant_too_short,
  time_constant_too_long,
  synapse_out_of_range,
  address_out_of_range,
  mask_too_long,
  masks_overlap,
  vectors_not_aligned,
};

/// The sentence for an error, without its place and value.
[[nodiscard]] constexpr const char* describe(Error error) noexcept {
  switch (error) {
  case Error::none: return "no error";
  case Error::index_out_of_range: return "a synapse names a neuron outside the population";
  case Error::row_out_of_range: return "a synapse comes from a pre-synaptic neuron that has no row";
  case Error::delay_out_of_range: return "a delay is outside the ring buffer's range of steps";
  case Error::type_out_of_range: return "a synapse names a receptor type that the buffer does not have";
  case Error::weight_vanishes: return "a weight that is not zero would become zero in this number format";
  case Error::weight_out_of_range: return "a weight does not fit this number format";
  case Error::buffer_full: return "there is no room left in the buffer";
  case Error::rows_incomplete: return "rows are finished before every counted synapse has been added";
  case Error::rows_not_placed:
    return "rows are counted, placed and filled in this order, and this call came at another time";
  case Error::lengths_differ: return "arrays that belong together have different lengths";
  case Error::fan_in_too_large: return "all synapses of a neuron together could overflow its ring buffer element";
  case Error::parameter_not_positive: return "a parameter that must be positive is not";
  case Error::parameter_out_of_range: return "a parameter is outside the range of its number format";
  case Error::parameters_contradict: return "two parameters contradict each other, or one of the two is missing";
  case Error::time_constant_too_short: return "a time constant is shorter than 1.45 time steps";
  case Error::time_constant_too_long: return "a time constant is too long for this time step";
  case Error::synapse_out_of_range: return "a synapse lies outside the array";
  case Error::address_out_of_range: return "a mask names a vector outside the array";
  case Error::mask_too_long: return "a mask needs more vectors than it has room for";
  case Error::masks_overlap: return "two masks of one sequence of rules share a synapse";
  case Error::vectors_not_aligned: return "memory of vectors is not aligned to 16 bytes, or ends within a vector";
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

namespace detail {
/// Not for constant evaluation, where its name is what the compiler says.
[[noreturn, gnu::cold]] inline void this_result_was_refused_look_at_its_status() noexcept { __builtin_trap(); }
} // namespace detail

/// A value, or the status that says why there is none. The value of a refused one cannot be used by accident: it is no
/// constant expression, and at run time it traps (UDF on ARM, SIGILL on Linux).
template <class Value>
class [[nodiscard]] Result {
public:
  constexpr Result(const Value& value) noexcept : value_(value) {}
  constexpr Result(Value&& value) noexcept : value_(static_cast<Value&&>(value)) {}
  /// \pre the status is not ok: it traps, as there is no value
  constexpr Result(Status refusal) noexcept : status_(refusal) {
    if (refusal.ok()) [[unlikely]]
      detail::this_result_was_refused_look_at_its_status();
  }

  [[nodiscard]] constexpr bool ok() const noexcept { return status_.ok(); }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] constexpr Status status() const noexcept { return status_; }
  /// \pre ok()
  [[nodiscard]] constexpr const Value& value() const& noexcept {
    demand();
    return value_;
  }
  [[nodiscard]] constexpr Value& value() & noexcept {
    demand();
    return value_;
  }
  [[nodiscard]] constexpr Value value() && noexcept {
    demand();
    return static_cast<Value&&>(value_);
  }

private:
  constexpr void demand() const noexcept {
    if (!ok()) [[unlikely]]
      detail::this_result_was_refused_look_at_its_status();
  }

  Value value_{};
  Status status_{};
};

namespace detail {
template <class>
inline constexpr bool is_result = false;
template <class Value>
inline constexpr bool is_result<Result<Value>> = true;
} // namespace detail

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
