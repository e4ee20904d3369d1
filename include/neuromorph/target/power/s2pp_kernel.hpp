// SPDX-License-Identifier: BSL-1.0
/// \file
/// Work of S2PP whose values stay in its registers, described as a function and turned into instruction words while it is compiled.
///
///     struct Decay { // weights go down by a number where a mask is negative
///       static constexpr void describe(auto& unit) {
///         const auto step = unit.number(0);                 // into all lanes, once, before the first vector
///         const auto mask = unit.memory(0), weights = unit.synapses(0);
///         unit.write(0, max(weights - step, unit.constant(0)), negative(mask));
///       }
///     };
///     constexpr target::S2ppProgram program = target::s2pp_program<Decay>(); // target/power/s2pp_hx.hpp runs it
///
/// What is no single instruction of the unit is two or three. Lanes are bytes with a sign unless an operand says `std::int16_t`.
// not in the umbrella: for a plasticity processor; compiles everywhere
#ifndef NEUROMORPH_TARGET_POWER_S2PP_KERNEL_HPP
#define NEUROMORPH_TARGET_POWER_S2PP_KERNEL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/power/s2pp_instructions.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// An instruction, and what is in the general register that it names.
struct S2ppStep {
  enum class General : std::uint8_t {
    none,
    number,   ///< a number of the caller's, in the field of the first operand
    constant, ///< one of the kernel's own, there, too
    space,    ///< the address of a vector in the space of the synapse array, in that of the second
    memory,   ///< of one in memory
  };
  std::uint32_t word = 0;
  General general = General::none;
  std::uint8_t slot = 0; ///< which of them
  friend constexpr bool operator==(const S2ppStep&, const S2ppStep&) = default;
};

/// Steps before the loop, and those of each vector.
struct S2ppProgram {
  static constexpr std::size_t most_steps = 96, most_constants = 8;
  std::array<S2ppStep, most_steps> steps{};
  std::array<std::int32_t, most_constants> constants{};
  std::uint16_t prologue = 0, size = 0;               ///< the first steps, and all
  std::uint8_t numbers = 0, spaces = 0, memories = 0; ///< slots that the caller fills
  std::uint8_t registers = 0;                         ///< that hold something at once, 32 at most
};

namespace detail {
// Names that the compiler prints where a kernel cannot be made.
inline void an_s2pp_kernel_needs_more_than_32_registers_at_once() {}
inline void an_s2pp_kernel_has_more_than_96_steps() {}
inline void an_s2pp_kernel_has_more_than_8_constants() {}
inline void an_s2pp_shift_is_by_0_to_15_bits() {}
} // namespace detail

class S2ppRecorder;

/// A vector in a register.
/// \tparam Element  std::int8_t or std::int16_t
template <class Element>
struct S2ppValue {
  S2ppRecorder* unit;
  std::uint16_t number; ///< of all that the kernel makes
};
/// Lanes in which a value is above, below, or equal to 0.
template <class Element>
struct S2ppWhere {
  S2ppValue<Element> value;
  S2ppCondition condition;
};
template <class Element>
[[nodiscard]] constexpr S2ppWhere<Element> positive(S2ppValue<Element> value) noexcept {
  return {value, S2ppCondition::greater};
}
template <class Element>
[[nodiscard]] constexpr S2ppWhere<Element> negative(S2ppValue<Element> value) noexcept {
  return {value, S2ppCondition::less};
}
template <class Element>
[[nodiscard]] constexpr S2ppWhere<Element> zero(S2ppValue<Element> value) noexcept {
  return {value, S2ppCondition::equal};
}

/// What a kernel finds as its `unit`.
class S2ppRecorder {
public:
  using Operation = S2ppOperation;
  using Condition = S2ppCondition;
  using General = S2ppStep::General;

  // --- operands ----------------------------------------------------------------------------------------------------

  /// A number of the caller's in all lanes.
  template <class Element = std::int8_t>
  constexpr S2ppValue<Element> number(std::uint8_t slot) {
    program_.numbers = highest(program_.numbers, slot);
    return before<Element>(Operation::splath, Operation::splatb, General::number, slot);
  }
  /// One that is known.
  template <class Element = std::int8_t>
  constexpr S2ppValue<Element> constant(std::type_identity_t<Element> value) {
    if (constants_ == S2ppProgram::most_constants) detail::an_s2pp_kernel_has_more_than_8_constants();
    program_.constants[constants_] = value;
    return before<Element>(Operation::splath, Operation::splatb, General::constant, constants_++);
  }
  /// The vector of this turn, in the space of the synapse array.
  template <class Element = std::int8_t>
  constexpr S2ppValue<Element> synapses(std::uint8_t slot) {
    program_.spaces = highest(program_.spaces, slot);
    return made<Element>(add({Operation::inx, next(), none, none, Condition::always, General::space, slot}));
  }
  /// In memory.
  template <class Element = std::int8_t>
  constexpr S2ppValue<Element> memory(std::uint8_t slot) {
    program_.memories = highest(program_.memories, slot);
    return made<Element>(add({Operation::lax, next(), none, none, Condition::always, General::memory, slot}));
  }

  // --- results -----------------------------------------------------------------------------------------------------

  template <class Element>
  constexpr void write(std::uint8_t slot, S2ppValue<Element> value) {
    program_.spaces = highest(program_.spaces, slot);
    add({Operation::outx, value.number, none, none, Condition::always, General::space, slot});
  }
  /// Only lanes in which a condition of bytes holds; nothing is read.
  template <class Element>
  constexpr void write(std::uint8_t slot, S2ppValue<Element> value, S2ppWhere<Element> where) {
    program_.spaces = highest(program_.spaces, slot);
    compare(where);
    add({Operation::outx, value.number, none, none, where.condition, General::space, slot});
  }
  template <class Element>
  constexpr void store(std::uint8_t slot, S2ppValue<Element> value) {
    program_.memories = highest(program_.memories, slot);
    add({Operation::stax, value.number, none, none, Condition::always, General::memory, slot});
  }

  // --- work --------------------------------------------------------------------------------------------------------

  template <class Element>
  constexpr S2ppValue<Element> apply(Operation of_halfwords, Operation of_bytes, S2ppValue<Element> a,
                                     S2ppValue<Element> b) {
    return made<Element>(add({wide<Element>(of_halfwords, of_bytes), next(), a.number, b.number}));
  }
  template <class Element>
  constexpr S2ppValue<Element> shift(S2ppValue<Element> a, int amount) {
    if (amount < -15 || amount > 15) detail::an_s2pp_shift_is_by_0_to_15_bits();
    return made<Element>(add({wide<Element>(Operation::shh, Operation::shb), next(), a.number, none, Condition::always,
                              General::none, 0, amount}));
  }
  template <class Element>
  constexpr S2ppValue<Element> multiply_add(S2ppValue<Element> a, S2ppValue<Element> b, S2ppValue<Element> c) {
    add({wide<Element>(Operation::mtach, Operation::mtacb), none, c.number, none});
    return made<Element>(add({wide<Element>(Operation::mahm, Operation::mabm), next(), a.number, b.number}));
  }
  template <class Flag, class Element>
  constexpr S2ppValue<Element> select(S2ppWhere<Flag> where, S2ppValue<Element> then, S2ppValue<Element> otherwise) {
    static_assert(sizeof(Flag) == sizeof(Element), "neuromorph: a selection's condition has lanes of the same width");
    compare(where);
    return made<Element>(add({Operation::sel, next(), otherwise.number, then.number, where.condition}));
  }

  /// The words, with registers for all values.
  [[nodiscard]] constexpr S2ppProgram program() const {
    S2ppProgram made = program_;
    std::array<std::uint16_t, most_values> ends{}; // the last step that reads a value
    std::array<bool, most_values> stays{};         // it is of the prologue, and lives as long as the loop
    for (std::uint16_t at = 0; at < size_; ++at)
      for (const std::uint16_t value : {line(at).to_is_read() ? line(at).to : none, line(at).a, line(at).b})
        if (value != none) ends[value] = at;
    for (std::uint16_t at = 0; at < prologue_; ++at) stays[line(at).to] = true;
    std::array<std::uint8_t, most_values> place{};
    std::uint32_t taken = 0;
    for (std::uint16_t at = 0; at < size_; ++at) {
      const Line& one = line(at);
      const std::uint8_t a = one.a == none ? 0 : place[one.a], b = one.b == none ? 0 : place[one.b];
      for (const std::uint16_t value : {one.a, one.b})
        if (value != none && ends[value] == at && !stays[value]) taken &= ~(1U << place[value]);
      std::uint8_t to = one.to == none ? 0 : place[one.to];
      if (one.to != none && !one.to_is_read()) {
        if (taken == UINT32_MAX) detail::an_s2pp_kernel_needs_more_than_32_registers_at_once();
        for (to = 0; (taken >> to & 1U) != 0;) ++to;
        place[one.to] = to, taken |= 1U << to;
        if (to + 1 > made.registers) made.registers = static_cast<std::uint8_t>(to + 1);
        if (ends[one.to] < at && !stays[one.to]) taken &= ~(1U << to); // nobody reads it
      } else if (one.to != none && ends[one.to] == at && !stays[one.to]) {
        taken &= ~(1U << to);
      }
      const int second = one.operation == Operation::shh || one.operation == Operation::shb ? one.amount : int{b};
      made.steps[at] = {s2pp_word(one.operation, to, a, second, one.condition), one.general, one.slot};
    }
    made.prologue = prologue_, made.size = size_;
    return made;
  }

private:
  static constexpr std::uint16_t none = 0xFFFF;
  static constexpr std::size_t most_values = S2ppProgram::most_steps;
  struct Line {
    Operation operation = Operation::lax;
    std::uint16_t to = none, a = none, b = none; ///< values
    Condition condition = Condition::always;
    General general = General::none;
    std::uint8_t slot = 0;
    int amount = 0; ///< of a shift
    /// Of what is written elsewhere, the register is an operand.
    [[nodiscard]] constexpr bool to_is_read() const noexcept {
      return operation == Operation::outx || operation == Operation::stax;
    }
  };

  /// Those of the prologue stand before all others.
  [[nodiscard]] constexpr const Line& line(std::uint16_t at) const noexcept {
    return at < prologue_ ? first_[at] : body_[at - prologue_];
  }
  template <class Element>
  static constexpr Operation wide(Operation of_halfwords, Operation of_bytes) noexcept {
    static_assert(std::is_same_v<Element, std::int8_t> || std::is_same_v<Element, std::int16_t>,
                  "neuromorph: a lane of S2PP is an std::int8_t or an std::int16_t");
    return sizeof(Element) == 2 ? of_halfwords : of_bytes;
  }
  static constexpr std::uint8_t highest(std::uint8_t slots, std::uint8_t slot) noexcept {
    return slots > slot ? slots : static_cast<std::uint8_t>(slot + 1);
  }
  constexpr std::uint16_t next() const noexcept { return values_; }
  constexpr std::uint16_t add(const Line& one) {
    if (size_ == S2ppProgram::most_steps) detail::an_s2pp_kernel_has_more_than_96_steps();
    body_[size_ - prologue_] = one, ++size_;
    return one.to;
  }
  template <class Element>
  constexpr S2ppValue<Element> made(std::uint16_t number) {
    ++values_;
    return {this, number};
  }
  template <class Element>
  constexpr S2ppValue<Element> before(Operation of_halfwords, Operation of_bytes, General general, std::uint8_t slot) {
    if (size_ == S2ppProgram::most_steps) detail::an_s2pp_kernel_has_more_than_96_steps();
    first_[prologue_] = {wide<Element>(of_halfwords, of_bytes), next(), none, none, Condition::always, general, slot};
    ++prologue_, ++size_;
    return made<Element>(next());
  }
  /// Unless that is what was compared last.
  template <class Element>
  constexpr void compare(S2ppWhere<Element> where) {
    if (compared_ == where.value.number && compared_width_ == sizeof(Element)) return;
    compared_ = where.value.number, compared_width_ = sizeof(Element);
    add({wide<Element>(Operation::cmph, Operation::cmpb), none, where.value.number, none});
  }

  S2ppProgram program_{};
  std::array<Line, S2ppProgram::most_steps> first_{}, body_{};
  std::uint16_t prologue_ = 0, size_ = 0, values_ = 0;
  std::uint8_t constants_ = 0;
  std::uint16_t compared_ = none;
  std::size_t compared_width_ = 0;
};

/// Modulo 2^8 or 2^16.
template <class Element>
constexpr S2ppValue<Element> operator+(S2ppValue<Element> a, S2ppValue<Element> b) {
  return a.unit->apply(S2ppOperation::addhm, S2ppOperation::addbm, a, b);
}
template <class Element>
constexpr S2ppValue<Element> operator-(S2ppValue<Element> a, S2ppValue<Element> b) {
  return a.unit->apply(S2ppOperation::subhm, S2ppOperation::subbm, a, b);
}
template <class Element>
constexpr S2ppValue<Element> operator*(S2ppValue<Element> a, S2ppValue<Element> b) {
  return a.unit->apply(S2ppOperation::mulhm, S2ppOperation::mulbm, a, b);
}
/// a b + c, modulo.
template <class Element>
constexpr S2ppValue<Element> multiply_add(S2ppValue<Element> a, S2ppValue<Element> b, S2ppValue<Element> c) {
  return a.unit->multiply_add(a, b, c);
}
/// Held at the ends of their range.
template <class Element>
constexpr S2ppValue<Element> add_saturating(S2ppValue<Element> a, S2ppValue<Element> b) {
  return a.unit->apply(S2ppOperation::addhfs, S2ppOperation::addbfs, a, b);
}
template <class Element>
constexpr S2ppValue<Element> subtract_saturating(S2ppValue<Element> a, S2ppValue<Element> b) {
  return a.unit->apply(S2ppOperation::subhfs, S2ppOperation::subbfs, a, b);
}
/// floor(a b / 2^7) or 2^15; only the least times itself is held.
template <class Element>
constexpr S2ppValue<Element> multiply_fractional(S2ppValue<Element> a, S2ppValue<Element> b) {
  return a.unit->apply(S2ppOperation::mulhfs, S2ppOperation::mulbfs, a, b);
}
/// Without a sign, by 0 to 15.
template <class Element>
constexpr S2ppValue<Element> operator<<(S2ppValue<Element> a, int amount) {
  return a.unit->shift(a, amount);
}
template <class Element>
constexpr S2ppValue<Element> operator>>(S2ppValue<Element> a, int amount) {
  return a.unit->shift(a, -amount);
}
template <class Flag, class Element>
constexpr S2ppValue<Element> select(S2ppWhere<Flag> where, S2ppValue<Element> then, S2ppValue<Element> otherwise) {
  return then.unit->select(where, then, otherwise);
}
/// With signs. A difference that is held has the right one.
template <class Element>
constexpr S2ppValue<Element>(min)(S2ppValue<Element> a, S2ppValue<Element> b) {
  return select(negative(subtract_saturating(a, b)), a, b);
}
template <class Element>
constexpr S2ppValue<Element>(max)(S2ppValue<Element> a, S2ppValue<Element> b) {
  return select(negative(subtract_saturating(a, b)), b, a);
}

/// \tparam Kernel  `static constexpr void describe(auto& unit)`
template <class Kernel>
[[nodiscard]] consteval S2ppProgram s2pp_program() {
  S2ppRecorder unit;
  Kernel::describe(unit);
  return unit.program();
}

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
