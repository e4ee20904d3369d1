// SPDX-License-Identifier: BSL-1.0
// Kernels of the vector unit S2PP, by the words that they become, on a model of its eight slices: against the same on plain arrays, for random
// kernels of all operations, with few values at once and with as many as there are registers.
#include <neuromorph/target/power/s2pp_kernel.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/s2pp.hpp"

namespace {

namespace target = neuromorph::target;
using target::S2ppProgram, target::S2ppRecorder, target::S2ppStep, target::S2ppValue;

constexpr unsigned length = 128;
using Vector = std::array<std::uint8_t, length>;

/// Memory and vector space of a unit, as kernels see them: slot by slot, vector by vector.
struct World {
  static constexpr unsigned vectors = 3, slots = 3;
  std::array<std::array<Vector, vectors>, slots> space{}, memory{};
  std::array<std::int32_t, slots> numbers{};
  friend bool operator==(const World&, const World&) = default;

  static std::uint32_t address(bool is_memory, unsigned slot, unsigned vector) {
    return is_memory ? 0x1000 + slot * 0x1000 + vector * length : 0x100 * slot + vector;
  }
  bool read(std::uint32_t at, s2pp::Bytes& to) {
    const unsigned slot = (at - 0x1000) / 0x1000, byte = at % 0x1000;
    if (at < 0x1000 || slot >= slots || byte >= vectors * length) return false;
    for (unsigned i = 0; i < 16; ++i) to[i] = memory[slot][byte / length][byte % length + i];
    return true;
  }
  bool write(std::uint32_t at, const s2pp::Bytes& from) {
    const unsigned slot = (at - 0x1000) / 0x1000, byte = at % 0x1000;
    if (at < 0x1000 || slot >= slots || byte >= vectors * length) return false;
    for (unsigned i = 0; i < 16; ++i) memory[slot][byte / length][byte % length + i] = from[i];
    return true;
  }
  s2pp::Bytes* vector(std::uint32_t at, unsigned slice) {
    if (at / 0x100 >= slots || at % 0x100 >= vectors) return nullptr;
    return reinterpret_cast<s2pp::Bytes*>(&space[at / 0x100][at % 0x100][16 * slice]);
  }
};

/// Executes the steps as the processor would: what a step's general register has, stands in number 7.
void run(const S2ppProgram& program, World& world) {
  s2pp::Slices<8> unit;
  unit.forget();
  s2pp::GeneralRegisters general{};
  const auto execute = [&](const S2ppStep& step, unsigned vector) {
    std::uint32_t word = step.word;
    switch (step.general) {
    case S2ppStep::General::none: break;
    case S2ppStep::General::number:
      general[7] = static_cast<std::uint32_t>(world.numbers[step.slot]), word |= 7U << 16;
      break;
    case S2ppStep::General::constant:
      general[7] = static_cast<std::uint32_t>(program.constants[step.slot]), word |= 7U << 16;
      break;
    case S2ppStep::General::space:
    case S2ppStep::General::memory:
      general[7] = World::address(step.general == S2ppStep::General::memory, step.slot, vector), word |= 7U << 11;
      break;
    }
    const char* const error = unit.execute(word, general, world);
    INFO((error == nullptr ? "" : error));
    REQUIRE(error == nullptr);
  };
  for (std::size_t at = 0; at < program.prologue; ++at) execute(program.steps[at], 0);
  for (unsigned vector = 0; vector < World::vectors; ++vector)
    for (std::size_t at = program.prologue; at < program.size; ++at) execute(program.steps[at], vector);
}

/// The same unit in plain numbers: a value is its lanes.
template <class Element>
using Lanes = std::vector<std::int64_t>;
template <class Element>
std::int64_t wrapped(std::int64_t value) {
  return static_cast<Element>(value);
}
template <class Element>
std::int64_t held(std::int64_t value) {
  constexpr std::int64_t most = (1 << (8 * sizeof(Element) - 1)) - 1;
  return value > most ? most : value < -most - 1 ? -most - 1 : value;
}
template <class Element>
std::vector<std::int64_t> lanes_of(const Vector& bytes) {
  std::vector<std::int64_t> made;
  for (unsigned at = 0; at < length; at += sizeof(Element))
    made.push_back(sizeof(Element) == 1 ? static_cast<std::int8_t>(bytes[at])
                                        : static_cast<std::int16_t>(bytes[at] << 8 | bytes[at + 1]));
  return made;
}
template <class Element>
void put(Vector& bytes, std::size_t lane, std::int64_t value) {
  for (unsigned byte = 0; byte < sizeof(Element); ++byte)
    bytes[lane * sizeof(Element) + byte] = static_cast<std::uint8_t>(value >> 8 * (sizeof(Element) - 1 - byte));
}

/// A kernel that is drawn: what it records, and what it does to plain lanes.
template <class Element>
struct Drawn {
  struct Line {
    unsigned what, a, b, c, condition;
    int number;
  };
  std::vector<Line> lines;
  unsigned operands = 0;

  Drawn(std::mt19937& draw, unsigned count, unsigned most_live) {
    unsigned values = 0;
    const auto one = [&] {
      return values == 0 ? 0 : values - 1 - static_cast<unsigned>(draw()) % (std::min)(values, most_live);
    };
    for (unsigned at = 0; at < count; ++at) {
      Line line{values < 3 ? static_cast<unsigned>(draw()) % 4 : static_cast<unsigned>(draw()) % 18,
                one(),
                one(),
                one(),
                static_cast<unsigned>(draw()) % 3,
                static_cast<int>(draw() % 31) - 15};
      if (line.what == 1 && ++constants > 8) line.what = 0;
      if (line.what < 4) line.a = static_cast<unsigned>(draw()) % World::slots;
      lines.push_back(line);
      if (line.what < 15) ++values;
    }
  }
  unsigned constants = 0;

  S2ppProgram recorded() const {
    S2ppRecorder unit;
    std::vector<S2ppValue<Element>> v;
    for (const Line& one : lines) {
      const auto slot = static_cast<std::uint8_t>(one.a);
      const auto where = [&](S2ppValue<Element> value) {
        return one.condition == 0 ? positive(value) : one.condition == 1 ? negative(value) : zero(value);
      };
      switch (one.what) {
      case 0: v.push_back(unit.number<Element>(slot)); break;
      case 1: v.push_back(unit.constant<Element>(static_cast<Element>(one.number * 7))); break;
      case 2: v.push_back(unit.synapses<Element>(slot)); break;
      case 3: v.push_back(unit.memory<Element>(slot)); break;
      case 4: v.push_back(v[one.a] + v[one.b]); break;
      case 5: v.push_back(v[one.a] - v[one.b]); break;
      case 6: v.push_back(v[one.a] * v[one.b]); break;
      case 7: v.push_back(add_saturating(v[one.a], v[one.b])); break;
      case 8: v.push_back(subtract_saturating(v[one.a], v[one.b])); break;
      case 9: v.push_back(multiply_fractional(v[one.a], v[one.b])); break;
      case 10: v.push_back(one.number < 0 ? v[one.a] >> -one.number : v[one.a] << one.number); break;
      case 11: v.push_back(multiply_add(v[one.a], v[one.b], v[one.c])); break;
      case 12: v.push_back(select(where(v[one.a]), v[one.b], v[one.c])); break;
      case 13: v.push_back((target::min)(v[one.a], v[one.b])); break;
      case 14: v.push_back((target::max)(v[one.a], v[one.b])); break;
      case 15: unit.write(static_cast<std::uint8_t>(one.number & 1), v[one.a]); break;
      case 16: unit.write(static_cast<std::uint8_t>(one.number & 1), v[one.a], where(v[one.b])); break;
      default: unit.store(static_cast<std::uint8_t>(one.number & 1), v[one.a]);
      }
    }
    return unit.program();
  }
  void plain(World& world) const {
    constexpr std::size_t count = length / sizeof(Element);
    for (unsigned vector = 0; vector < World::vectors; ++vector) {
      std::vector<std::vector<std::int64_t>> v;
      for (const Line& one : lines) {
        std::vector<std::int64_t> made(count);
        const auto holds = [&](std::int64_t value) {
          return one.condition == 0 ? value > 0 : one.condition == 1 ? value < 0 : value == 0;
        };
        const unsigned slot = static_cast<unsigned>(one.number & 1);
        if (one.what == 2) made = lanes_of<Element>(world.space[one.a][vector]);
        if (one.what == 3) made = lanes_of<Element>(world.memory[one.a][vector]);
        for (std::size_t lane = 0; lane < count; ++lane) {
          const auto of = [&](unsigned value) { return v[value][lane]; };
          constexpr int bits = 8 * sizeof(Element);
          const std::int64_t unsigned_a = one.what == 10 ? of(one.a) & ((1 << bits) - 1) : 0;
          switch (one.what) {
          case 0: made[lane] = wrapped<Element>(world.numbers[one.a]); break;
          case 1: made[lane] = wrapped<Element>(static_cast<Element>(one.number * 7)); break;
          case 4: made[lane] = wrapped<Element>(of(one.a) + of(one.b)); break;
          case 5: made[lane] = wrapped<Element>(of(one.a) - of(one.b)); break;
          case 6: made[lane] = wrapped<Element>(of(one.a) * of(one.b)); break;
          case 7: made[lane] = held<Element>(of(one.a) + of(one.b)); break;
          case 8: made[lane] = held<Element>(of(one.a) - of(one.b)); break;
          case 9: made[lane] = held<Element>((of(one.a) * of(one.b)) >> (bits - 1)); break;
          case 10:
            made[lane] = wrapped<Element>(one.number < 0 ? unsigned_a >> -one.number : unsigned_a << one.number);
            break;
          case 11: made[lane] = wrapped<Element>(of(one.a) * of(one.b) + of(one.c)); break;
          case 12: made[lane] = holds(of(one.a)) ? of(one.b) : of(one.c); break;
          case 13: made[lane] = (std::min)(of(one.a), of(one.b)); break;
          case 14: made[lane] = (std::max)(of(one.a), of(one.b)); break;
          case 15: put<Element>(world.space[slot][vector], lane, of(one.a)); break;
          case 16:
            if (holds(of(one.b))) put<Element>(world.space[slot][vector], lane, of(one.a));
            break;
          case 17: put<Element>(world.memory[slot][vector], lane, of(one.a)); break;
          default: break;
          }
        }
        if (one.what < 15) v.push_back(made);
      }
    }
  }
};

World random_world(std::mt19937& draw) {
  World world;
  for (auto* const of : {&world.space, &world.memory})
    for (auto& slot : *of)
      for (Vector& vector : slot)
        for (std::uint8_t& byte : vector)
          byte = static_cast<std::uint8_t>(draw() % 4 == 0 ? 0x7F + draw() % 3 : draw());
  for (auto& one : world.numbers) one = static_cast<std::int32_t>(draw());
  return world;
}

template <class Element>
void compare(std::mt19937& draw, unsigned& most_registers, unsigned& changed) {
  const unsigned count = 4 + static_cast<unsigned>(draw()) % 26;
  const unsigned most_live = 1 + static_cast<unsigned>(draw()) % 24;
  const Drawn<Element> kernel(draw, count, most_live);
  const S2ppProgram program = kernel.recorded();
  World world = random_world(draw);
  const World before = world;
  World expected = world;
  kernel.plain(expected);
  run(program, world);
  CHECK((world == expected));
  changed += world == before ? 0U : 1U;
  most_registers = (std::max)(most_registers, unsigned{program.registers});
}

struct Constant {
  static constexpr void describe(auto& unit) { unit.write(0, unit.number(0), negative(unit.memory(0))); }
};
struct Decay {
  static constexpr void describe(auto& unit) {
    const auto step = unit.number(0);
    const auto mask = unit.memory(0), weights = unit.synapses(0);
    unit.write(0, max(weights - step, unit.constant(0)), negative(mask));
  }
};
/// As many at once as there are registers.
struct Wide {
  static constexpr void describe(auto& unit) {
    S2ppValue<std::int8_t> all[32] = {};
    for (auto& one : all) one = unit.memory(0);
    auto sum = all[0];
    for (int at = 1; at < 32; ++at) sum = sum + all[at];
    unit.store(1, sum);
  }
};

/// Values that are gone give their registers back, read or not.
struct Long {
  static constexpr void describe(auto& unit) {
    for (int at = 0; at < 30; ++at) unit.store(1, unit.memory(0)), static_cast<void>(unit.memory(0));
    unit.store(1, unit.number(0));
  }
};

} // namespace

TEST_CASE("s2pp kernels: random ones do to eight slices what they do to plain lanes") {
  std::mt19937 draw(1);
  unsigned most_registers = 0, changed = 0;
  for (unsigned turn = 0; turn < 400; ++turn) {
    CAPTURE(turn);
    compare<std::int8_t>(draw, most_registers, changed);
    compare<std::int16_t>(draw, most_registers, changed);
  }
  CHECK(most_registers > 12);
  CHECK(changed > 300);
}

TEST_CASE("s2pp kernels: the paper's masked write is three instructions a vector, and its number is loaded once") {
  constexpr S2ppProgram constant = target::s2pp_program<Constant>(), decay = target::s2pp_program<Decay>(),
                        wide = target::s2pp_program<Wide>();
  static_assert(constant.prologue == 1 && constant.size == 4 && constant.registers == 2);
  static_assert(constant.numbers == 1 && constant.spaces == 1 && constant.memories == 1);
  static_assert(decay.prologue == 2 && decay.size == 10 && decay.constants[0] == 0);
  static_assert(wide.registers == 32);
  static_assert(target::s2pp_program<Long>().registers == 2); // one of them for the number
  World world;
  for (unsigned at = 0; at < length; ++at) {
    world.space[0][0][at] = static_cast<std::uint8_t>(at % 64);
    world.memory[0][0][at] = at % 3 == 0 ? 0xFF : 0;
  }
  world.numbers[0] = 5;
  World expected = world;
  for (unsigned at = 0; at < length; at += 3)
    expected.space[0][0][at] = static_cast<std::uint8_t>(at % 64 < 5 ? 0 : at % 64 - 5);
  run(decay, world);
  CHECK((world == expected));
  std::mt19937 draw(2);
  World of_wide = random_world(draw);
  World sums = of_wide;
  for (unsigned vector = 0; vector < World::vectors; ++vector)
    for (unsigned at = 0; at < length; ++at)
      sums.memory[1][vector][at] = static_cast<std::uint8_t>(32 * sums.memory[0][vector][at]);
  run(wide, of_wide);
  CHECK((of_wide == sums));
}

TEST_CASE("s2pp: a unit of several slices wants vectors at multiples of their length") {
  World world;
  s2pp::Slices<8> unit;
  s2pp::GeneralRegisters general{};
  general[7] = 0x1010;
  const std::uint32_t load = target::s2pp_word(target::S2ppOperation::lax, 0, 0, 7);
  CHECK(std::string(unit.execute(load, general, world)) == "a vector in memory must be aligned to its length");
  general[7] = 0x9000;
  CHECK(std::string(unit.execute(load, general, world)) == "there is no memory at the address");
  general[7] = 0x1080;
  CHECK(unit.execute(load, general, world) == nullptr);
}
