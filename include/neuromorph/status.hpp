// SPDX-License-Identifier: BSL-1.0
/// \file
/// What an operation answers when its input can be wrong: ok, or what is wrong, where, and with which value.
#ifndef NEUROMORPH_STATUS_HPP
#define NEUROMORPH_STATUS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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
  table_too_short,
  mask_has_holes,
  key_outside_mask,
  keys_overlap,
  weight_inexact,
  row_cut_off,
  file_failed,
  file_malformed,
  rank_failed,
  unmappable,
  layout_differs,
  region_cut_off,
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
  case Error::table_too_short: return "a table of decay ends while more than 2^-20 is left";
  case Error::mask_has_holes: return "a mask of keys is not ones from the top, then zeros";
  case Error::key_outside_mask: return "a key has bits that its mask lacks";
  case Error::keys_overlap: return "a key belongs to two entries of a table";
  case Error::weight_inexact: return "a weight would be rounded by more than was asked for";
  case Error::row_cut_off: return "a row has so many words, by its header, and ends at this one";
  case Error::file_failed: return "the system does not do what a file needs";
  case Error::file_malformed: return "a file does not have the form that it should have";
  case Error::rank_failed: return "another process of the run has failed, or is gone";
  case Error::unmappable: return "a graph does not fit its machine, or a demand of it cannot be met";
  case Error::layout_differs: return "a region was written with a struct that has another layout";
  case Error::region_cut_off: return "a region has so many elements, by its second word, and ends before them";
  }
  return "unknown error";
}

/// A refused value as it was given: a whole number or a real one.
class GivenValue {
public:
  constexpr GivenValue() noexcept = default;
  /// Unsigned values above 2^63 - 1 become that.
  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr GivenValue(Number number) noexcept : is_real_(std::is_floating_point_v<Number>) {
    if constexpr (std::is_floating_point_v<Number>)
      bits_ = std::bit_cast<std::int64_t>(static_cast<double>(number));
    else if constexpr (std::is_unsigned_v<Number> && sizeof(Number) == 8)
      bits_ = number >> 63 != 0 ? INT64_MAX : static_cast<std::int64_t>(number);
    else
      bits_ = static_cast<std::int64_t>(number);
  }

  [[nodiscard]] constexpr bool is_real() const noexcept { return is_real_; }
  /// \pre not is_real()
  [[nodiscard]] constexpr std::int64_t whole() const noexcept { return bits_; }
  [[nodiscard]] constexpr double real() const noexcept {
    return is_real_ ? std::bit_cast<double>(bits_) : static_cast<double>(bits_);
  }
  /// Whether they are the same bits of the same kind: 1 is not 1.0, and no number is one that is not.
  friend constexpr bool operator==(const GivenValue&, const GivenValue&) noexcept = default;

private:
  std::int64_t bits_ = 0;
  bool is_real_ = false;
};

/// Result of an operation that can be refused. When it is not ok, the state is as it was before the call.
struct [[nodiscard]] Status {
  Error error = Error::none;
  std::uint32_t where = 0;         ///< position of the offending item in the input: row word, rule of a sequence, ...
  GivenValue value = {};           ///< the offending value itself
  const char* parameter = nullptr; ///< the name of the offending parameter or member, if it has one

  [[nodiscard]] constexpr bool ok() const noexcept { return error == Error::none; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return ok(); }
  friend constexpr bool operator==(const Status& a, const Status& b) noexcept {
    return a.error == b.error && a.where == b.where && a.value == b.value && is_same_name(a.parameter, b.parameter);
  }

private:
  [[nodiscard]] static constexpr bool is_same_name(const char* a, const char* b) noexcept {
    if (a == nullptr || b == nullptr) return a == b;
    for (; *a != 0 && *a == *b; ++a) ++b;
    return *a == *b;
  }
};

/// What a status says, in words: `printf("%s\n", sentence(status).text.data())`.
struct Sentence {
  std::array<char, 192> text{}; ///< ends with a zero
};

namespace detail {
class SentenceWriter {
public:
  constexpr void write(const char* words) noexcept {
    for (; *words != 0; ++words) write(*words);
  }
  constexpr void write(char letter) noexcept {
    if (length_ + 1 < sentence_.text.size()) sentence_.text[length_++] = letter;
  }
  constexpr void write(std::uint64_t number) noexcept {
    std::array<char, 20> digits{};
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    while (count != 0) write(digits[--count]);
  }
  constexpr void write(GivenValue value) noexcept {
    if (value.is_real()) return write_real(value.real());
    const std::int64_t whole = value.whole();
    if (whole < 0) write('-');
    write(whole < 0 ? ~static_cast<std::uint64_t>(whole) + 1 : static_cast<std::uint64_t>(whole));
  }
  [[nodiscard]] constexpr const Sentence& sentence() const noexcept { return sentence_; }

private:
  /// Nine digits, without zeros at the end.
  constexpr void write_real(double value) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (value != value) return write("no number");
    if (bits >> 63 != 0) write('-'), value = -value;
    if (value == 0) return write('0');
    if (value > __DBL_MAX__) return write("infinity");
    int exponent = 8; // of the first of nine digits
    for (; value >= 1e9; ++exponent) value /= 10;
    for (; value < 1e8; --exponent) value *= 10;
    auto digits = static_cast<std::uint64_t>(value + 0.5);
    if (digits == 1'000'000'000) digits /= 10, ++exponent;
    int count = 9;
    for (; digits % 10 == 0; --count) digits /= 10;
    if (exponent < -5 || exponent > 9) {
      write_digits(digits, count, 1);
      write(exponent < 0 ? "e-" : "e");
      return write(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
    }
    if (exponent < 0) {
      write("0.");
      for (int zeros = -1 - exponent; zeros > 0; --zeros) write('0');
      return write(digits);
    }
    for (; count <= exponent; ++count) digits *= 10;
    write_digits(digits, count, exponent + 1);
  }
  constexpr void write_digits(std::uint64_t digits, int count, int before_point) noexcept {
    std::uint64_t power = 1;
    for (int at = before_point; at < count; ++at) power *= 10;
    write(digits / power);
    if (power == 1) return;
    write('.');
    for (power /= 10; power != 0; power /= 10) write(static_cast<char>('0' + digits / power % 10));
  }

  Sentence sentence_;
  std::size_t length_ = 0;
};
} // namespace detail

/// The whole sentence: which parameter or item, its value as given, and what is wrong with it.
/// \cost for a person to read: divisions, and for real values floating point
[[nodiscard]] constexpr Sentence sentence(const Status& status) noexcept {
  detail::SentenceWriter writer;
  if (!status.ok()) {
    if (status.parameter != nullptr) {
      writer.write(status.parameter), writer.write(" = "), writer.write(status.value);
      if (status.where != 0) writer.write(" at "), writer.write(std::uint64_t{status.where});
    } else {
      writer.write(status.value), writer.write(" at "), writer.write(std::uint64_t{status.where});
    }
    writer.write(": ");
  }
  writer.write(describe(status.error));
  return writer.sentence();
}

namespace detail {
/// Not for constant evaluation, where its name is what the compiler says.
[[noreturn, gnu::cold]] inline void this_result_was_refused_look_at_its_status() noexcept { __builtin_trap(); }

/// False, as late as the arguments are known: for the assertion of a function that only says why it is refused.
template <class...>
inline constexpr bool never = false;
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

  /// Refused in words: a result where its value is asked for.
  constexpr operator const Value&() const noexcept requires std::is_class_v<Value> {
    static_assert(detail::never<Value>, "neuromorph: a Result is given where its value is asked for: ask ok(), then "
                                        "pass value(); see docs/errors.md");
    return value_;
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
