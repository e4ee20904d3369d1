// SPDX-License-Identifier: BSL-1.0
// The model of the vector unit S2PP: what is documented of words and semantics, in plain integers.
#include "tests/support/s2pp.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "tests/support/catch.hpp"

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/target/power/s2pp_instructions.hpp>

namespace {

using neuromorph::target::s2pp_word;
using Condition = neuromorph::target::S2ppCondition;
using Operation = neuromorph::target::S2ppOperation;
using s2pp::Bytes;

constexpr auto conditions = {Condition::always, Condition::greater, Condition::less, Condition::equal};

/// A unit with a little memory and vector space.
struct Machine {
  s2pp::Unit unit;
  s2pp::GeneralRegisters general{};
  std::map<std::uint32_t, Bytes> memory, space;

  Machine() { unit.forget(); }
  bool read(std::uint32_t address, Bytes& to) {
    const auto found = memory.find(address);
    if (found == memory.end()) return false;
    to = found->second;
    return true;
  }
  bool write(std::uint32_t address, const Bytes& from) {
    memory[address] = from;
    return true;
  }
  Bytes* vector(std::uint32_t address) {
    const auto found = space.find(address);
    return found == space.end() ? nullptr : &found->second;
  }

  void run(std::uint32_t word) {
    const char* const error = unit.execute(word, general, *this);
    INFO((error == nullptr ? "" : error));
    REQUIRE(error == nullptr);
  }
  void run(Operation operation, int rt, int ra, int rb = 0, Condition condition = Condition::always) {
    run(s2pp_word(operation, rt, ra, rb, condition));
  }
  std::string refusal(std::uint32_t word) {
    const char* const error = unit.execute(word, general, *this);
    return error == nullptr ? "" : error;
  }
};

/// Lane `i` of `width` bytes as the memory of a big-endian machine has it.
int lane_of(const Bytes& bytes, int width, int i) {
  if (width == 1) return static_cast<std::int8_t>(bytes[static_cast<std::size_t>(i)]);
  const auto at = static_cast<std::size_t>(2 * i);
  return static_cast<std::int16_t>(bytes[at] << 8 | bytes[at + 1]);
}
void set_lane(Bytes& bytes, int width, int i, int value) {
  const auto at = static_cast<std::size_t>(width * i);
  if (width == 2) bytes[at] = static_cast<std::uint8_t>(value >> 8);
  bytes[at + static_cast<std::size_t>(width) - 1] = static_cast<std::uint8_t>(value);
}
int wrapped(long long value, int width) {
  return width == 1 ? static_cast<std::int8_t>(value) : static_cast<std::int16_t>(value);
}
int held(long long value, int width) {
  const long long most = width == 1 ? 127 : 32767;
  return static_cast<int>(std::clamp(value, -most - 1, most));
}
bool holds(Condition condition, int value) {
  return condition == Condition::always || (condition == Condition::greater && value > 0) ||
         (condition == Condition::less && value < 0) || (condition == Condition::equal && value == 0);
}

/// All pairs of bytes, or edges and random halfwords, as the two operands.
template <class Check>
void for_pairs(int width, Check check) {
  const int lanes = 16 / width;
  Bytes a, b;
  if (width == 1) {
    for (int pair = 0; pair < 65536; pair += lanes) {
      for (int i = 0; i < lanes; ++i) {
        set_lane(a, 1, i, (pair + i) >> 8);
        set_lane(b, 1, i, pair + i);
      }
      check(a, b);
    }
    return;
  }
  constexpr std::array<int, 12> edges{-32768, -32767, -16384, -256, -2, -1, 0, 1, 255, 256, 16384, 32767};
  neuromorph::Sfc32 random;
  for (std::size_t n = 0; n < 2000; ++n) {
    for (int i = 0; i < lanes; ++i) {
      const auto pair = n * 8 + static_cast<std::size_t>(i);
      const bool edge = pair < 144;
      const auto word = random.next();
      set_lane(a, 2, i, edge ? edges[pair / 12] : static_cast<int>(word >> 16));
      set_lane(b, 2, i, edge ? edges[pair % 12] : static_cast<int>(word & 0xFFFF));
    }
    check(a, b);
  }
}

/// `operation` on registers 1 and 2 gives `expected` in register 3.
template <class Expected>
void expect_lanes(Operation operation, int width, Expected expected) {
  for_pairs(width, [&](const Bytes& a, const Bytes& b) {
    Machine machine;
    machine.unit.registers[1] = a;
    machine.unit.registers[2] = b;
    machine.run(operation, 3, 1, 2);
    for (int i = 0; i < 16 / width; ++i) {
      const int x = lane_of(a, width, i), y = lane_of(b, width, i),
                found = lane_of(machine.unit.registers[3], width, i);
      if (found != expected(x, y)) {
        INFO("lane " << i << " of " << x << " and " << y);
        REQUIRE(found == expected(x, y));
      }
    }
  });
}

const std::map<int, const char*> documented{
    {12, "mahm"},        {13, "mabm"},      {14, "mtacb"},       {15, "mtach"},       {28, "mahfs"},
    {29, "mabfs"},       {30, "mtacbf"},    {31, "mtachf"},      {44, "matachm"},     {45, "matacbm"},
    {60, "matachfs"},    {61, "matacbfs"},  {76, "mulhm"},       {77, "mulbm"},       {92, "mulhfs"},
    {93, "mulbfs"},      {108, "multachm"}, {109, "multacbm"},   {124, "multachfs"},  {125, "multacbfs"},
    {236, "inx"},        {239, "pckbu"},    {252, "outx"},       {255, "pckbl"},      {268, "splath"},
    {269, "splatb"},     {271, "upckbr"},   {287, "upckbl"},     {300, "cmph"},       {301, "cmpb"},
    {316, "shh"},        {317, "shb"},      {319, "sel"},        {332, "subhm"},      {333, "subbm"},
    {348, "subhfs"},     {349, "subbfs"},   {364, "addactachm"}, {365, "addactacbm"}, {380, "addactachf"},
    {381, "addactacbf"}, {396, "addachm"},  {397, "addacbm"},    {412, "addachfs"},   {413, "addacbfs"},
    {428, "addtach"},    {429, "addtacb"},  {460, "addhm"},      {461, "addbm"},      {476, "addhfs"},
    {477, "addbfs"},     {492, "lax"},      {508, "stax"}};

} // namespace

TEST_CASE("s2pp: words of the vendor's assembler are read back", "[support]") {
  const auto check = [](std::uint32_t word, const char* name, unsigned rt, unsigned ra, unsigned rb, unsigned last) {
    const auto decoded = s2pp::decode(word);
    REQUIRE(decoded.instruction != nullptr);
    CHECK(std::string(decoded.instruction->name) == name);
    CHECK(decoded.rt == rt);
    CHECK(decoded.ra == ra);
    CHECK(decoded.rb == rb);
    CHECK(decoded.last == last);
  };
  check(0x10841F74, "addbfs", 4, 4, 3, 0);
  check(0x100404B4, "cmpb", 0, 4, 0, 0);
  check(0x10842CFE, "sel", 4, 4, 5, 2);
  check(0x1084FCF4, "shb", 4, 4, 31, 0);
  check(0x108953F1, "outx", 4, 9, 10, 1);
}

TEST_CASE("s2pp: all documented extended opcodes are known, and no others", "[support]") {
  CHECK(documented.size() == s2pp::instructions.size());
  for (int xo = 0; xo < 512; ++xo) {
    const auto found = documented.find(xo);
    const auto decoded = s2pp::decode(4U << 26 | static_cast<std::uint32_t>(xo) << 2);
    INFO(xo);
    REQUIRE((decoded.instruction != nullptr) == (found != documented.end()));
    if (decoded.instruction == nullptr)
      CHECK(std::string(decoded.error) == "there is no instruction with this extended opcode");
    else
      CHECK(std::string(decoded.instruction->name) == found->second);
  }
}

TEST_CASE("s2pp: malformed words are refused in a sentence", "[support]") {
  Machine machine;
  CHECK(machine.refusal(0x7C0004AC) == "the primary opcode of a vector instruction is 4");
  CHECK(machine.refusal(4U << 26 | 1 << 2) == "there is no instruction with this extended opcode");
  for (const Condition condition : {Condition::greater, Condition::less, Condition::equal})
    for (const Operation operation : {Operation::cmpb, Operation::cmph, Operation::splatb, Operation::splath,
                                      Operation::shb, Operation::shh, Operation::lax, Operation::stax})
      CHECK(machine.refusal(s2pp_word(operation, 0, 1, 0, condition)) == "the instruction takes no condition");
  for (const Operation operation :
       {Operation::cmpb, Operation::cmph, Operation::mtacb, Operation::mtach, Operation::mtacbf, Operation::mtachf,
        Operation::matachm, Operation::matacbfs, Operation::multacbm, Operation::addactachf, Operation::addtacb})
    CHECK(machine.refusal(s2pp_word(operation, 1, 1, 0)) ==
          "the instruction has no target register, so its field must be 0");
  for (const Operation operation : {Operation::cmpb, Operation::splath, Operation::mtachf, Operation::addacbfs,
                                    Operation::addactacbm, Operation::addachm})
    CHECK(machine.refusal(s2pp_word(operation, 0, 1, 1)) ==
          "the instruction has no second operand, so its field must be 0");
  machine.general[9] = 0x1008;
  machine.memory[0x1000] = Bytes{};
  CHECK(machine.refusal(s2pp_word(Operation::lax, 1, 0, 9)) == "a vector in memory must be aligned to 16 bytes");
  CHECK(machine.refusal(s2pp_word(Operation::stax, 1, 0, 9)) == "a vector in memory must be aligned to 16 bytes");
  machine.general[9] = 0x2000;
  CHECK(machine.refusal(s2pp_word(Operation::lax, 1, 0, 9)) == "there is no memory at the address");
  CHECK(machine.refusal(s2pp_word(Operation::inx, 1, 0, 9)) == "there is no vector at the address of the vector space");
}

TEST_CASE("s2pp: modulo gives the low bits of the signed result", "[support]") {
  const auto check = [](Operation halfwords, Operation bytes, auto exact) {
    expect_lanes(halfwords, 2, [&](long long x, long long y) { return wrapped(exact(x, y), 2); });
    expect_lanes(bytes, 1, [&](long long x, long long y) { return wrapped(exact(x, y), 1); });
  };
  check(Operation::addhm, Operation::addbm, [](auto x, auto y) { return x + y; });
  check(Operation::subhm, Operation::subbm, [](auto x, auto y) { return x - y; });
  check(Operation::mulhm, Operation::mulbm, [](auto x, auto y) { return x * y; });
}

TEST_CASE("s2pp: fractional saturating sums are held in the lane", "[support]") {
  const auto check = [](Operation halfwords, Operation bytes, auto exact) {
    expect_lanes(halfwords, 2, [&](long long x, long long y) { return held(exact(x, y), 2); });
    expect_lanes(bytes, 1, [&](long long x, long long y) { return held(exact(x, y), 1); });
  };
  check(Operation::addhfs, Operation::addbfs, [](auto x, auto y) { return x + y; });
  check(Operation::subhfs, Operation::subbfs, [](auto x, auto y) { return x - y; });
}

TEST_CASE("s2pp: a fractional product is the high half of twice the product, rounded down", "[support]") {
  expect_lanes(Operation::mulhfs, 2, [](long long x, long long y) {
    return x == -32768 && y == -32768 ? 32767 : static_cast<int>(2 * x * y >> 16);
  });
  expect_lanes(Operation::mulbfs, 1, [](long long x, long long y) {
    return x == -128 && y == -128 ? 127 : static_cast<int>(2 * x * y >> 8);
  });
}

TEST_CASE("s2pp: the accumulator has twice the width of a lane", "[support]") {
  neuromorph::Sfc32 random;
  for (const int width : {1, 2}) {
    const int bits = 8 * width;
    const long long span = 1LL << (2 * bits), most = span / 2 - 1;
    const auto op = [&](Operation halfwords, Operation bytes) { return width == 2 ? halfwords : bytes; };
    const auto modulo = [&](long long value) { return ((value + span / 2) % span + span) % span - span / 2; };
    const auto bound = [&](long long value) { return std::clamp(value, -most - 1, most); };
    for (int trial = 0; trial < 2000; ++trial) {
      Machine machine;
      auto& registers = machine.unit.registers;
      for (std::size_t r = 1; r < 5; ++r)
        for (auto& byte : registers[r])
          byte = static_cast<std::uint8_t>(random.next() % 4 == 0 ? 0x80 - (random.next() & 1) : random.next());
      const auto lane = [&](int r, int i) -> long long {
        return lane_of(registers[static_cast<std::size_t>(r)], width, i);
      };
      const int lanes = 16 / width;
      std::array<long long, 16> sum{};
      const auto all = [&](auto value) {
        for (int i = 0; i < lanes; ++i) sum[static_cast<std::size_t>(i)] = value(sum[static_cast<std::size_t>(i)], i);
      };
      const auto expect = [&](auto value) {
        for (int i = 0; i < lanes; ++i) {
          INFO("width " << width << ", trial " << trial << ", lane " << i);
          REQUIRE(lane(5, i) == value(sum[static_cast<std::size_t>(i)], i));
        }
      };
      const auto low_half = [&](auto value) { return [=](long long s, int i) { return wrapped(value(s, i), width); }; };
      const auto high_half = [&](auto value) { return [=](long long s, int i) { return value(s, i) >> bits; }; };
      const auto fraction = [&](long long x, long long y) { return bound(2 * x * y); };

      machine.run(op(Operation::mtach, Operation::mtacb), 0, 1);
      all([&](long long, int i) { return lane(1, i); });
      machine.run(op(Operation::matachm, Operation::matacbm), 0, 2, 3);
      all([&](long long s, int i) { return modulo(s + lane(2, i) * lane(3, i)); });
      machine.run(op(Operation::mahm, Operation::mabm), 5, 3, 4);
      expect(low_half([&](long long s, int i) { return s + lane(3, i) * lane(4, i); }));
      machine.run(op(Operation::addactachm, Operation::addactacbm), 0, 4);
      all([&](long long s, int i) { return modulo(s + lane(4, i)); });
      machine.run(op(Operation::addachm, Operation::addacbm), 5, 2);
      expect(low_half([&](long long s, int i) { return s + lane(2, i); }));
      machine.run(op(Operation::addachfs, Operation::addacbfs), 5, 2);
      expect(high_half([&](long long s, int i) { return bound(s + (lane(2, i) << bits)); }));
      machine.run(op(Operation::multachm, Operation::multacbm), 0, 1, 4);
      all([&](long long, int i) { return lane(1, i) * lane(4, i); });
      machine.run(op(Operation::addachm, Operation::addacbm), 5, 3);
      expect(low_half([&](long long s, int i) { return s + lane(3, i); }));
      machine.run(op(Operation::addtach, Operation::addtacb), 0, 1, 2);
      all([&](long long, int i) { return lane(1, i) + lane(2, i); });
      machine.run(op(Operation::addachm, Operation::addacbm), 5, 3);
      expect(low_half([&](long long s, int i) { return s + lane(3, i); }));

      machine.run(op(Operation::mtachf, Operation::mtacbf), 0, 1);
      all([&](long long, int i) { return lane(1, i) << bits; });
      machine.run(op(Operation::matachfs, Operation::matacbfs), 0, 2, 3);
      all([&](long long s, int i) { return bound(s + fraction(lane(2, i), lane(3, i))); });
      machine.run(op(Operation::mahfs, Operation::mabfs), 5, 3, 4);
      expect(high_half([&](long long s, int i) { return bound(s + fraction(lane(3, i), lane(4, i))); }));
      machine.run(op(Operation::addactachf, Operation::addactacbf), 0, 4);
      all([&](long long s, int i) { return bound(s + (lane(4, i) << bits)); });
      machine.run(op(Operation::addachfs, Operation::addacbfs), 5, 2);
      expect(high_half([&](long long s, int i) { return bound(s + (lane(2, i) << bits)); }));
      machine.run(op(Operation::multachfs, Operation::multacbfs), 0, 3, 4);
      all([&](long long, int i) { return fraction(lane(3, i), lane(4, i)); });
      machine.run(op(Operation::addachfs, Operation::addacbfs), 5, 1);
      expect(high_half([&](long long s, int i) { return bound(s + (lane(1, i) << bits)); }));
    }
  }
}

TEST_CASE("s2pp: comparison is signed and with 0; a condition leaves other lanes as they were", "[support]") {
  for_pairs(1, [&](const Bytes& a, const Bytes& b) {
    for (const Condition condition : conditions) {
      Machine machine;
      auto& registers = machine.unit.registers;
      registers[1] = a;
      registers[2] = b;
      registers[3] = Bytes{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 255, 254, 253, 252, 251, 250};
      const Bytes before = registers[3];
      machine.run(Operation::cmpb, 0, 2);
      machine.run(Operation::addbm, 3, 1, 2, condition);
      machine.run(Operation::sel, 4, 3, 1, condition);
      machine.run(Operation::mtacb, 0, 1);
      machine.run(Operation::mtacb, 0, 2, 0, condition);
      machine.run(Operation::subbm, 6, 6, 6);
      machine.run(Operation::addacbm, 5, 6);
      for (std::size_t i = 0; i < 16; ++i) {
        const bool enabled = holds(condition, static_cast<std::int8_t>(b[i]));
        const auto sum = static_cast<std::uint8_t>(a[i] + b[i]);
        if (registers[3][i] != (enabled ? sum : before[i]) || registers[4][i] != (enabled ? a[i] : registers[3][i]) ||
            registers[5][i] != (enabled ? b[i] : a[i])) {
          INFO("compared " << int{b[i]} << ", condition " << static_cast<int>(condition));
          REQUIRE(registers[3][i] == (enabled ? sum : before[i]));
          REQUIRE(registers[4][i] == (enabled ? a[i] : registers[3][i]));
          REQUIRE(registers[5][i] == (enabled ? b[i] : a[i]));
        }
      }
    }
  });
  for_pairs(2, [&](const Bytes& a, const Bytes& b) {
    for (const Condition condition : conditions) {
      Machine machine;
      machine.unit.registers[1] = a;
      machine.unit.registers[2] = b;
      machine.run(Operation::cmph, 0, 2);
      machine.run(Operation::sel, 4, 2, 1, condition);
      for (int i = 0; i < 8; ++i) {
        const int y = lane_of(b, 2, i);
        REQUIRE(lane_of(machine.unit.registers[4], 2, i) == (holds(condition, y) ? lane_of(a, 2, i) : y));
      }
    }
  });
}

TEST_CASE("s2pp: conditions of bytes hold for halves of halfwords", "[support]") {
  Machine machine;
  machine.unit.registers[1] = Bytes{1, 0, 0, 1};
  machine.unit.registers[2].fill(0x55);
  machine.unit.registers[3].fill(0xEE);
  machine.run(Operation::cmpb, 0, 1);
  machine.run(Operation::addhm, 3, 2, 2, Condition::greater);
  CHECK(lane_of(machine.unit.registers[3], 2, 0) == static_cast<std::int16_t>(0xAAEE));
  CHECK(lane_of(machine.unit.registers[3], 2, 1) == static_cast<std::int16_t>(0xEEAA));
  CHECK(lane_of(machine.unit.registers[3], 2, 2) == static_cast<std::int16_t>(0xEEEE));
}

TEST_CASE("s2pp: shifts are logical, to the right where negative", "[support]") {
  for (int amount = -16; amount < 16; ++amount)
    for_pairs(amount % 4 == 0 ? 1 : 2, [&](const Bytes& a, const Bytes&) {
      Machine machine;
      machine.unit.registers[1] = a;
      machine.run(Operation::shb, 2, 1, amount);
      machine.run(Operation::shh, 3, 1, amount);
      for (int i = 0; i < 16; ++i) {
        const int x = lane_of(a, 1, i) & 0xFF;
        REQUIRE((lane_of(machine.unit.registers[2], 1, i) & 0xFF) ==
                ((amount < 0 ? x >> -amount : x << amount) & 0xFF));
      }
      for (int i = 0; i < 8; ++i) {
        const int x = lane_of(a, 2, i) & 0xFFFF;
        REQUIRE((lane_of(machine.unit.registers[3], 2, i) & 0xFFFF) ==
                ((amount < 0 ? x >> -amount : x << amount) & 0xFFFF));
      }
    });
}

TEST_CASE("s2pp: splats take the lower bits of a general register", "[support]") {
  Machine machine;
  machine.general[7] = 0x12345678;
  machine.run(Operation::splatb, 1, 7);
  machine.run(Operation::splath, 2, 7);
  for (int i = 0; i < 16; ++i) CHECK(lane_of(machine.unit.registers[1], 1, i) == 0x78);
  for (int i = 0; i < 8; ++i) CHECK(lane_of(machine.unit.registers[2], 2, i) == 0x5678);
}

TEST_CASE("s2pp: packing takes fractions apart and unpacking puts them together", "[support]") {
  neuromorph::Sfc32 random;
  for (int trial = 0; trial < 1000; ++trial)
    for (const unsigned dropped : {0U, 1U, 2U, 3U}) {
      Machine machine;
      auto& registers = machine.unit.registers;
      const unsigned size = 8 - dropped, mask = (1U << size) - 1;
      for (std::size_t r : {1U, 2U})
        for (auto& byte : registers[r]) byte = static_cast<std::uint8_t>(random.next());
      const auto of = static_cast<Condition>(dropped);
      machine.run(Operation::pckbu, 3, 1, 2, of);
      machine.run(Operation::pckbl, 4, 1, 2, of);
      machine.run(Operation::upckbl, 5, 3, 4, of);
      machine.run(Operation::upckbr, 6, 3, 4, of);
      for (int i = 0; i < 16; ++i) {
        const unsigned number = static_cast<unsigned>(lane_of(registers[i < 8 ? 1 : 2], 2, i % 8)) & 0xFFFF;
        const auto upper = static_cast<unsigned>(lane_of(registers[3], 1, i)) & 0xFF;
        const auto lower = static_cast<unsigned>(lane_of(registers[4], 1, i)) & 0xFF;
        REQUIRE(upper == number >> (16 - size));
        REQUIRE(lower == (number >> (16 - 2 * size) & mask));
        const unsigned kept = number & ~((1U << 2 * dropped) - 1);
        REQUIRE((static_cast<unsigned>(lane_of(registers[i < 8 ? 5 : 6], 2, i % 8)) & 0xFFFF) == kept);
      }
    }
}

TEST_CASE("s2pp: memory has the first lane first, at a sum of two registers", "[support]") {
  Machine machine;
  Bytes stored;
  for (std::size_t i = 0; i < 16; ++i) stored[i] = static_cast<std::uint8_t>(i + 1);
  machine.memory[0x1230] = stored;
  machine.general[0] = 0xDEAD0000;
  machine.general[8] = 0x1000;
  machine.general[9] = 0x0230;
  machine.general[10] = 0x1230;
  machine.run(Operation::lax, 1, 8, 9);
  CHECK(machine.unit.registers[1] == stored);
  CHECK(lane_of(machine.unit.registers[1], 2, 0) == 0x0102);
  machine.run(Operation::lax, 2, 0, 10); // register 0 as a base is the number 0
  CHECK(machine.unit.registers[2] == stored);
  machine.general[9] = 0x0330;
  machine.run(Operation::stax, 1, 8, 9);
  CHECK(machine.memory.at(0x1330) == stored);
}

TEST_CASE("s2pp: the vector space is apart from memory, and a write changes only enabled bytes", "[support]") {
  for (int value = 0; value < 256; ++value)
    for (const Condition condition : conditions) {
      Machine machine;
      auto& registers = machine.unit.registers;
      Bytes there, mask;
      for (std::size_t i = 0; i < 16; ++i) {
        there[i] = static_cast<std::uint8_t>(100 + i);
        mask[i] = static_cast<std::uint8_t>(i % 3 == 0 ? value : i % 3 == 1 ? 0 : 1);
      }
      machine.space[3] = machine.space[4] = there;
      machine.general[9] = 1;
      machine.general[10] = 2;
      registers[1].fill(7);
      registers[2] = mask;
      machine.run(Operation::inx, 3, 9, 10);
      CHECK(registers[3] == there);
      machine.run(Operation::cmpb, 0, 2);
      machine.run(Operation::inx, 4, 9, 10, condition);
      machine.run(Operation::outx, 1, 9, 10, condition);
      for (std::size_t i = 0; i < 16; ++i) {
        const bool enabled = holds(condition, static_cast<std::int8_t>(mask[i]));
        REQUIRE(machine.space[3][i] == (enabled ? 7 : there[i]));
        REQUIRE(registers[4][i] == (enabled ? there[i] : s2pp::Unit::unspecified));
      }
      CHECK(machine.space[4] == there);
      CHECK(machine.memory.empty());
    }
}
