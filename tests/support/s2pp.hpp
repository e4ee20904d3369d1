// SPDX-License-Identifier: BSL-1.0
// A model of S2PP, the vector unit of the BrainScaleS plasticity processor (one slice of 128 bits): registers, decoder,
// and every instruction, from its documentation and in plain integers. It refuses a word that is not an instruction.
//
// docs/target.md says which semantics are documented and which are inferred. Where the machine leaves something
// unspecified, the model gives a pattern that no program expects.
#ifndef NEUROMORPH_TESTS_SUPPORT_S2PP_HPP
#define NEUROMORPH_TESTS_SUPPORT_S2PP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace s2pp {

using Bytes = std::array<std::uint8_t, 16>;
using Accumulator = std::array<std::uint8_t, 32>;
using GeneralRegisters = std::array<std::uint32_t, 32>;

/// What an instruction does, apart from the width of its lanes and its arithmetic.
enum class Kind : std::uint8_t {
  multiply_add,    // RT = RA RB + accumulator
  multiply_add_to, // accumulator += RA RB
  multiply,        // RT = RA RB
  multiply_to,     // accumulator = RA RB
  move_to,         // accumulator = RA
  add_to,          // accumulator += RA
  add_accumulator, // RT = RA + accumulator
  add_both_to,     // accumulator = RA + RB
  add,             // RT = RA + RB
  subtract,        // RT = RA - RB
  compare,         // conditions of RA against 0
  shift,           // RT = RA shifted by RB
  select,          // RT = condition ? RB : RA
  splat,           // RT = lower bits of general register RA
  pack_upper,      // RT = upper parts of halfwords of RA, RB
  pack_lower,      // RT = parts below these
  unpack_left,     // RT = halfwords of bytes 0 to 7 of RA (upper part) and RB
  unpack_right,    // of bytes 8 to 15
  load,            // RT = memory at general registers RA + RB
  store,
  in, // RT = vector at RA + RB of the other address space
  out,
};
/// The meaning of the lowest two bits.
enum class Last : std::uint8_t { zero, condition, dropped_bits };

struct Instruction {
  const char* name;
  std::uint16_t xo;
  Kind kind;
  std::uint8_t width; // bytes of a lane
  bool fractional;
  bool rt, ra, rb; // which fields are used; others must be 0
  Last last;
};

// clang-format off
inline constexpr std::array<Instruction, 53> instructions{{
  {"mahm",        12, Kind::multiply_add,    2, false, true,  true, true,  Last::condition},
  {"mabm",        13, Kind::multiply_add,    1, false, true,  true, true,  Last::condition},
  {"mtacb",       14, Kind::move_to,         1, false, false, true, false, Last::condition},
  {"mtach",       15, Kind::move_to,         2, false, false, true, false, Last::condition},
  {"mahfs",       28, Kind::multiply_add,    2, true,  true,  true, true,  Last::condition},
  {"mabfs",       29, Kind::multiply_add,    1, true,  true,  true, true,  Last::condition},
  {"mtacbf",      30, Kind::move_to,         1, true,  false, true, false, Last::condition},
  {"mtachf",      31, Kind::move_to,         2, true,  false, true, false, Last::condition},
  {"matachm",     44, Kind::multiply_add_to, 2, false, false, true, true,  Last::condition},
  {"matacbm",     45, Kind::multiply_add_to, 1, false, false, true, true,  Last::condition},
  {"matachfs",    60, Kind::multiply_add_to, 2, true,  false, true, true,  Last::condition},
  {"matacbfs",    61, Kind::multiply_add_to, 1, true,  false, true, true,  Last::condition},
  {"mulhm",       76, Kind::multiply,        2, false, true,  true, true,  Last::condition},
  {"mulbm",       77, Kind::multiply,        1, false, true,  true, true,  Last::condition},
  {"mulhfs",      92, Kind::multiply,        2, true,  true,  true, true,  Last::condition},
  {"mulbfs",      93, Kind::multiply,        1, true,  true,  true, true,  Last::condition},
  {"multachm",   108, Kind::multiply_to,     2, false, false, true, true,  Last::condition},
  {"multacbm",   109, Kind::multiply_to,     1, false, false, true, true,  Last::condition},
  {"multachfs",  124, Kind::multiply_to,     2, true,  false, true, true,  Last::condition},
  {"multacbfs",  125, Kind::multiply_to,     1, true,  false, true, true,  Last::condition},
  {"inx",        236, Kind::in,              1, false, true,  true, true,  Last::condition},
  {"pckbu",      239, Kind::pack_upper,      1, false, true,  true, true,  Last::dropped_bits},
  {"outx",       252, Kind::out,             1, false, true,  true, true,  Last::condition},
  {"pckbl",      255, Kind::pack_lower,      1, false, true,  true, true,  Last::dropped_bits},
  {"splath",     268, Kind::splat,           2, false, true,  true, false, Last::zero},
  {"splatb",     269, Kind::splat,           1, false, true,  true, false, Last::zero},
  {"upckbr",     271, Kind::unpack_right,    1, false, true,  true, true,  Last::dropped_bits},
  {"upckbl",     287, Kind::unpack_left,     1, false, true,  true, true,  Last::dropped_bits},
  {"cmph",       300, Kind::compare,         2, false, false, true, false, Last::zero},
  {"cmpb",       301, Kind::compare,         1, false, false, true, false, Last::zero},
  {"shh",        316, Kind::shift,           2, false, true,  true, true,  Last::zero},
  {"shb",        317, Kind::shift,           1, false, true,  true, true,  Last::zero},
  {"sel",        319, Kind::select,          1, false, true,  true, true,  Last::condition},
  {"subhm",      332, Kind::subtract,        2, false, true,  true, true,  Last::condition},
  {"subbm",      333, Kind::subtract,        1, false, true,  true, true,  Last::condition},
  {"subhfs",     348, Kind::subtract,        2, true,  true,  true, true,  Last::condition},
  {"subbfs",     349, Kind::subtract,        1, true,  true,  true, true,  Last::condition},
  {"addactachm", 364, Kind::add_to,          2, false, false, true, false, Last::condition},
  {"addactacbm", 365, Kind::add_to,          1, false, false, true, false, Last::condition},
  {"addactachf", 380, Kind::add_to,          2, true,  false, true, false, Last::condition},
  {"addactacbf", 381, Kind::add_to,          1, true,  false, true, false, Last::condition},
  {"addachm",    396, Kind::add_accumulator, 2, false, true,  true, false, Last::condition},
  {"addacbm",    397, Kind::add_accumulator, 1, false, true,  true, false, Last::condition},
  {"addachfs",   412, Kind::add_accumulator, 2, true,  true,  true, false, Last::condition},
  {"addacbfs",   413, Kind::add_accumulator, 1, true,  true,  true, false, Last::condition},
  {"addtach",    428, Kind::add_both_to,     2, false, false, true, true,  Last::condition},
  {"addtacb",    429, Kind::add_both_to,     1, false, false, true, true,  Last::condition},
  {"addhm",      460, Kind::add,             2, false, true,  true, true,  Last::condition},
  {"addbm",      461, Kind::add,             1, false, true,  true, true,  Last::condition},
  {"addhfs",     476, Kind::add,             2, true,  true,  true, true,  Last::condition},
  {"addbfs",     477, Kind::add,             1, true,  true,  true, true,  Last::condition},
  {"lax",        492, Kind::load,            1, false, true,  true, true,  Last::zero},
  {"stax",       508, Kind::store,           1, false, true,  true, true,  Last::zero},
}};
// clang-format on

/// By extended opcode: the number of an instruction, or what is above all numbers.
inline constexpr auto places = [] {
  std::array<std::uint8_t, 512> numbers{};
  numbers.fill(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) numbers[instructions[i].xo] = static_cast<std::uint8_t>(i);
  return numbers;
}();

[[nodiscard]] constexpr bool is_vector_word(std::uint32_t word) { return word >> 26 == 4; }

struct Decoded {
  const Instruction* instruction = nullptr;
  const char* error = nullptr; // a sentence, where there is no instruction
  unsigned rt = 0, ra = 0, rb = 0, last = 0;
};

[[nodiscard]] constexpr Decoded decode(std::uint32_t word) {
  Decoded result;
  result.rt = word >> 21 & 31;
  result.ra = word >> 16 & 31;
  result.rb = word >> 11 & 31;
  result.last = word & 3;
  if (!is_vector_word(word)) {
    result.error = "the primary opcode of a vector instruction is 4";
    return result;
  }
  const std::size_t place = places[word >> 2 & 511];
  if (place == instructions.size()) {
    result.error = "there is no instruction with this extended opcode";
    return result;
  }
  result.instruction = &instructions[place];
  const Instruction& found = *result.instruction;
  if (!found.rt && result.rt != 0) result.error = "the instruction has no target register, so its field must be 0";
  if (!found.rb && result.rb != 0) result.error = "the instruction has no second operand, so its field must be 0";
  if (found.last == Last::zero && result.last != 0) result.error = "the instruction takes no condition";
  if (result.error != nullptr) result.instruction = nullptr;
  return result;
}

/// Arithmetic on lanes of `Width` bytes, which stand in memory order with their most significant byte first.
template <unsigned Width>
struct Lane {
  /// Holds four times the width, less a bit or two.
  using Number = std::conditional_t<Width == 1, std::int32_t, std::int64_t>;
  static constexpr int bits = 8 * Width;
  static constexpr Number most = (Number{1} << (bits - 1)) - 1, least = -most - 1;
  static constexpr Number double_most = (Number{1} << (2 * bits - 1)) - 1, double_least = -double_most - 1;

  template <class Array>
  static constexpr Number read(const Array& bytes, std::size_t first, unsigned count) {
    Number value = static_cast<std::int8_t>(bytes[first]);
    for (unsigned i = 1; i < count; ++i) value = value * 256 + bytes[first + i];
    return value;
  }
  template <class Array>
  static constexpr void write(Array& bytes, std::size_t first, unsigned count, Number value) {
    for (unsigned i = 0; i < count; ++i)
      bytes[first + i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * (count - 1 - i)));
  }
  static constexpr Number held(Number value, Number lowest, Number highest) {
    return value < lowest ? lowest : value > highest ? highest : value;
  }
  /// Twice the width; only the square of the least fraction does not fit.
  static constexpr Number fractional_product(Number a, Number b) { return held(2 * a * b, double_least, double_most); }
};

class Unit {
public:
  /// What nobody wrote.
  static constexpr std::uint8_t unspecified = 0xA7;

  std::array<Bytes, 32> registers{};
  Accumulator accumulator{};
  // one truth value per nibble, the first in bit 31
  std::uint32_t greater = 0, less = 0, equal = 0;

  /// After this, nothing is known of the state.
  constexpr void forget() {
    for (Bytes& bytes : registers) bytes.fill(unspecified);
    accumulator.fill(unspecified);
    greater = 0x0F0F'3C5A;
    less = 0x5AF0'0F3C;
    equal = 0xA50F'C3A5;
  }

  /// Executes a word, or says in a sentence why it cannot.
  ///
  /// `bus` has `bool read(address, Bytes&)` and `bool write(address, const Bytes&)` for memory, and
  /// `Bytes& vector(address)` for the space of the synapse array.
  template <class Bus>
  constexpr const char* execute(std::uint32_t word, const GeneralRegisters& general, Bus& bus) {
    const Decoded decoded = decode(word);
    if (decoded.instruction == nullptr) return decoded.error;
    const Instruction& instruction = *decoded.instruction;
    Bytes& target = registers[decoded.rt];
    const Bytes a = registers[decoded.ra], b = registers[decoded.rb];
    const std::uint32_t address = (decoded.ra == 0 ? 0 : general[decoded.ra]) + general[decoded.rb];
    switch (instruction.kind) {
    case Kind::compare: compare(a, instruction.width); return nullptr;
    case Kind::splat:
      for (std::size_t i = 0; i < 16; ++i)
        target[i] =
            static_cast<std::uint8_t>(general[decoded.ra] >> (i % instruction.width == instruction.width - 1U ? 0 : 8));
      return nullptr;
    case Kind::shift:
      if (instruction.width == 1)
        shift<1>(target, a, decoded.rb);
      else
        shift<2>(target, a, decoded.rb);
      return nullptr;
    case Kind::select:
      for (std::size_t i = 0; i < 16; ++i) target[i] = merged(b[i], a[i], 2 * i, decoded.last);
      return nullptr;
    case Kind::pack_upper:
    case Kind::pack_lower:
    case Kind::unpack_left:
    case Kind::unpack_right: pack(target, a, b, instruction.kind, 8 - decoded.last); return nullptr;
    case Kind::load:
      if (address % 16 != 0) return "a vector in memory must be aligned to 16 bytes";
      return bus.read(address, target) ? nullptr : "there is no memory at the address";
    case Kind::store:
      if (address % 16 != 0) return "a vector in memory must be aligned to 16 bytes";
      return bus.write(address, target) ? nullptr : "there is no memory at the address";
    case Kind::in:
    case Kind::out: {
      Bytes* const vector = bus.vector(address);
      if (vector == nullptr) return "there is no vector at the address of the vector space";
      for (std::size_t i = 0; i < 16; ++i) {
        const bool enabled = (enabled_nibbles(decoded.last) >> (31 - 2 * i) & 1) != 0;
        if (instruction.kind == Kind::in)
          target[i] = enabled ? (*vector)[i] : unspecified;
        else if (enabled)
          (*vector)[i] = target[i];
      }
      return nullptr;
    }
    default:
      if (instruction.width == 1)
        arithmetic<1>(instruction, decoded, a, b);
      else
        arithmetic<2>(instruction, decoded, a, b);
      return nullptr;
    }
  }

private:
  constexpr std::uint32_t enabled_nibbles(unsigned condition) const {
    return condition == 0 ? ~std::uint32_t{0} : condition == 1 ? greater : condition == 2 ? less : equal;
  }
  /// Each nibble (a half of an accumulator's byte pair) as the condition of its place says.
  constexpr std::uint8_t merged(std::uint8_t enabled, std::uint8_t other, std::size_t nibble,
                                unsigned condition) const {
    const std::uint32_t flags = enabled_nibbles(condition) >> (30 - nibble);
    const auto mask = static_cast<std::uint8_t>(((flags & 2) != 0 ? 0xF0 : 0) | ((flags & 1) != 0 ? 0x0F : 0));
    return static_cast<std::uint8_t>((enabled & mask) | (other & ~mask));
  }

  constexpr void compare(const Bytes& a, unsigned width) {
    greater = less = equal = 0;
    for (std::size_t i = 0; i < 16; i += width) {
      const auto value = width == 1 ? Lane<1>::read(a, i, 1) : Lane<2>::read(a, i, 2);
      const std::uint32_t nibbles = (width == 1 ? 0xC000'0000U : 0xF000'0000U) >> (2 * i);
      (value > 0 ? greater : value < 0 ? less : equal) |= nibbles;
    }
  }

  template <unsigned Width>
  static constexpr void shift(Bytes& target, const Bytes& a, unsigned field) {
    const int amount = field < 16 ? static_cast<int>(field) : static_cast<int>(field) - 32;
    for (std::size_t i = 0; i < 16; i += Width) {
      const auto value = Lane<Width>::read(a, i, Width) & ((1 << (8 * Width)) - 1);
      Lane<Width>::write(target, i, Width, amount < 0 ? value >> -amount : value << amount);
    }
  }

  /// Numbers of `size` bits in bytes, and twice that, to the left, in halfwords.
  static constexpr void pack(Bytes& target, const Bytes& a, const Bytes& b, Kind kind, unsigned size) {
    const unsigned mask = (1U << size) - 1;
    for (std::size_t i = 0; i < 8; ++i) {
      if (kind == Kind::pack_upper || kind == Kind::pack_lower) {
        const unsigned drop = kind == Kind::pack_upper ? 16 - size : 16 - 2 * size;
        for (const Bytes* from : {&a, &b})
          target[i + (from == &a ? 0 : 8)] =
              static_cast<std::uint8_t>(((*from)[2 * i] * 256U + (*from)[2 * i + 1]) >> drop & mask);
      } else {
        const std::size_t byte = i + (kind == Kind::unpack_left ? 0 : 8);
        const unsigned value = (a[byte] & mask) << (16 - size) | (b[byte] & mask) << (16 - 2 * size);
        target[2 * i] = static_cast<std::uint8_t>(value >> 8);
        target[2 * i + 1] = static_cast<std::uint8_t>(value);
      }
    }
  }

  template <unsigned Width>
  constexpr void arithmetic(const Instruction& instruction, const Decoded& decoded, const Bytes& a, const Bytes& b) {
    using L = Lane<Width>;
    const bool fractional = instruction.fractional;
    using Number = typename L::Number;
    const Number one = fractional ? Number{1} << L::bits : 1; // where a number stands in the accumulator
    const Bytes before = registers[decoded.rt];
    const Accumulator sum_before = accumulator;
    Bytes result{};
    Accumulator sum{};
    bool to_accumulator = false;
    for (std::size_t i = 0; i < 16; i += Width) {
      const Number x = L::read(a, i, Width), y = L::read(b, i, Width);
      const Number sum_here = L::read(sum_before, 2 * i, 2 * Width);
      const Number product = fractional ? L::fractional_product(x, y) : x * y;
      Number wide = 0; // in double width, with the result in the upper half if fractional
      switch (instruction.kind) {
      case Kind::multiply: wide = product; break;
      case Kind::multiply_add: wide = sum_here + product; break;
      case Kind::add: wide = fractional ? L::held(x + y, L::least, L::most) * one : x + y; break;
      case Kind::subtract: wide = fractional ? L::held(x - y, L::least, L::most) * one : x - y; break;
      case Kind::add_accumulator: wide = sum_here + x * one; break;
      default:
        to_accumulator = true;
        wide = instruction.kind == Kind::multiply_to       ? product
               : instruction.kind == Kind::multiply_add_to ? sum_here + product
               : instruction.kind == Kind::move_to         ? x * one
               : instruction.kind == Kind::add_to          ? sum_here + x * one
                                                           : x + y;
      }
      if (fractional) wide = L::held(wide, L::double_least, L::double_most);
      if (to_accumulator)
        L::write(sum, 2 * i, 2 * Width, wide);
      else
        L::write(result, i, Width, fractional ? wide >> L::bits : wide);
    }
    if (to_accumulator)
      for (std::size_t i = 0; i < 32; ++i) {
        // one byte of the accumulator for each nibble of a register
        const bool enabled = (enabled_nibbles(decoded.last) >> (31 - i) & 1) != 0;
        accumulator[i] = enabled ? sum[i] : sum_before[i];
      }
    else
      for (std::size_t i = 0; i < 16; ++i) registers[decoded.rt][i] = merged(result[i], before[i], 2 * i, decoded.last);
  }
};

/// A unit of several slices, each of which works on its 16 bytes of a longer vector. HX has eight.
template <unsigned Count>
struct Slices {
  static constexpr unsigned bytes = 16 * Count;
  std::array<Unit, Count> units{};

  constexpr void forget() {
    for (Unit& unit : units) unit.forget();
  }
  /// As Unit::execute. Addresses of memory are multiples of a vector's length; `bus.vector(address, slice)` is a part of one.
  template <class Bus>
  constexpr const char* execute(std::uint32_t word, const GeneralRegisters& general, Bus& bus) {
    struct Part {
      Bus& bus;
      unsigned slice;
      bool is_aligned = true;
      constexpr bool read(std::uint32_t address, Bytes& to) {
        is_aligned = address % bytes == 0;
        return is_aligned && bus.read(address + 16 * slice, to);
      }
      constexpr bool write(std::uint32_t address, const Bytes& from) {
        is_aligned = address % bytes == 0;
        return is_aligned && bus.write(address + 16 * slice, from);
      }
      constexpr Bytes* vector(std::uint32_t address) { return bus.vector(address, slice); }
    };
    for (unsigned slice = 0; slice < Count; ++slice) {
      Part part{bus, slice};
      if (const char* const error = units[slice].execute(word, general, part))
        return part.is_aligned ? error : "a vector in memory must be aligned to its length";
    }
    return nullptr;
  }
};

} // namespace s2pp

#endif
