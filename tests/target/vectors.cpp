// SPDX-License-Identifier: BSL-1.0
// Every operation on vectors, target::Native against target::Generic, by the functions of the backend and by the
// operators of vec.hpp: all pairs of bytes, edges and random pairs of halfwords, all patterns of flags, all shifts.
// What Generic gives is one digest, the same on every machine.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <type_traits>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/vec.hpp>

#include "tests/support/expected_digest.hpp"

namespace {

using neuromorph::Digest;
using neuromorph::LaneFlags;
using neuromorph::Sfc32;
using neuromorph::Vec;
using neuromorph::target::DoubleLane;
using neuromorph::target::Generic;
using neuromorph::target::Native;
using neuromorph::target::UnsignedLane;

constexpr std::uint64_t expected_digest = 0xA43523649BEABDB1;

Digest digest;
int failures = 0;

/// What an operation gave: lanes of a vector, truth values, or one number.
template <class Element, std::size_t Count>
struct Result {
  std::array<Element, Count> lane;
  std::uint64_t bits = 0;
};
template <class Element, class Target, std::size_t Count>
auto result_of(const Vec<Element, Target, Count>& vector) {
  return Result<Element, Vec<Element, Target, Count>::lanes>{vector.array()};
}
template <class Width, class Target, std::size_t Count>
auto result_of(const LaneFlags<Width, Target, Count>& flags) {
  return Result<Width, LaneFlags<Width, Target, Count>::lanes>{flags.to_lanes().array(), flags.bits()};
}
template <class Number>
auto result_of(const Number& number) requires std::is_integral_v<Number> {
  return Result<std::uint8_t, 1>{{}, static_cast<std::uint64_t>(number)};
}

/// The operands of one call.
template <class Element, class Target, std::size_t Count>
struct Operands {
  using Lanes = Vec<Element, Target, Count>;
  using Machine = typename Target::template Vectors<Count>;
  using Unsigned = UnsignedLane<Element>;
  using Flags = LaneFlags<Unsigned, Target, Count>;
  static Lanes vec(const typename Machine::template Register<Element>& machine) { return Lanes(machine); }
  static Flags flags(const typename Machine::template Flags<Unsigned>& machine) { return Flags(machine); }
  template <class To>
  static auto wrap(const typename Machine::template Register<To>& machine) {
    return Vec<To, Target, Count>(machine);
  }
  template <class Values>
  [[gnu::always_inline]] explicit Operands(const Values& values)
      : a(Lanes::load(values.a.data())), b(Lanes::load(values.b.data())), c(Lanes::load(values.c.data())),
        amount(values.amount) {}

  Lanes a, b, c;
  unsigned amount;
};
template <class Element, std::size_t Count>
struct Values {
  using Array = std::array<Element, 16 * Count / sizeof(Element)>;
  alignas(16) Array a, b, c;
  unsigned amount;
};

/// What Native gave beside what Generic gave. Apart from `compare`, of which there are thousands, for the compiler's sake.
template <class Element, std::size_t Count, class Lane, std::size_t Lanes>
[[gnu::noinline]] void settle(const char* name, const Values<Element, Count>& values,
                              const Result<Lane, Lanes>& expected, const Result<Lane, Lanes>& found) {
  if (found.lane != expected.lane || found.bits != expected.bits) {
    if (++failures > 20) return;
    std::size_t lane = 0;
    while (lane + 1 < expected.lane.size() && found.lane[lane] == expected.lane[lane]) ++lane;
    const std::size_t from = lane % values.a.size();
    std::printf("%s, %u bits %s, %u vectors, lane %u: %ld instead of %ld (bits %08lx%08lx instead of %08lx%08lx); "
                "a %ld, b %ld, c %ld, amount %u\n",
                name, static_cast<unsigned>(8 * sizeof(Element)), std::is_signed_v<Element> ? "signed" : "unsigned",
                static_cast<unsigned>(Count), static_cast<unsigned>(lane), static_cast<long>(found.lane[lane]),
                static_cast<long>(expected.lane[lane]), static_cast<unsigned long>(found.bits >> 32),
                static_cast<unsigned long>(found.bits & 0xFFFFFFFF), static_cast<unsigned long>(expected.bits >> 32),
                static_cast<unsigned long>(expected.bits & 0xFFFFFFFF), static_cast<long>(values.a[from]),
                static_cast<long>(values.b[from]), static_cast<long>(values.c[from]), values.amount);
  }
  if constexpr (Count == 1) {
    for (const auto lane : expected.lane) digest.add(static_cast<std::uint32_t>(lane));
    digest.add(static_cast<std::uint32_t>(expected.bits));
  }
}

/// `operation` of Native and of Generic on the same operands.
template <class Element, std::size_t Count, class Operation>
[[gnu::noinline]] void compare(const char* name, const Values<Element, Count>& values, Operation operation) {
  const auto expected = result_of(operation(Operands<Element, Generic, Count>(values)));
  const auto found = result_of(operation(Operands<Element, Native, Count>(values)));
  settle(name, values, expected, found);
}

// `Machine` and `Element` as seen from inside an operation.
#define ON_MACHINE                                                                                                     \
  using Seen [[maybe_unused]] = std::remove_cvref_t<decltype(v)>;                                                      \
  using Machine [[maybe_unused]] = typename Seen::Machine;                                                             \
  using Lane [[maybe_unused]] = typename Seen::Lanes::value_type;                                                      \
  using Unsigned [[maybe_unused]] = typename Seen::Unsigned;                                                           \
  [[maybe_unused]] const auto &a = v.a.machine(), &b = v.b.machine()

template <class Element, std::size_t Count>
void compare_pairs(const Values<Element, Count>& values) {
  const auto check = [&](const char* name, auto operation) { compare(name, values, operation); };
  const auto machine = [&](const char* name, auto operation) {
    compare(name, values, [&](const auto& v) { return v.vec(operation(v)); });
  };
  const auto machine_flags = [&](const char* name, auto operation) {
    compare(name, values, [&](const auto& v) { return v.flags(operation(v)); });
  };
  // --- the backend's functions
  machine("Machine::add", [](const auto& v) {
    ON_MACHINE;
    return Machine::template add<Lane>(a, b);
  });
  machine("Machine::subtract", [](const auto& v) {
    ON_MACHINE;
    return Machine::template subtract<Lane>(a, b);
  });
  machine("Machine::add_saturating", [](const auto& v) {
    ON_MACHINE;
    return Machine::template add_saturating<Lane>(a, b);
  });
  machine("Machine::subtract_saturating", [](const auto& v) {
    ON_MACHINE;
    return Machine::template subtract_saturating<Lane>(a, b);
  });
  machine("Machine::multiply", [](const auto& v) {
    ON_MACHINE;
    return Machine::template multiply<Lane>(a, b);
  });
  machine("Machine::multiply_high", [](const auto& v) {
    ON_MACHINE;
    return Machine::template multiply_high<Lane>(a, b);
  });
  if constexpr (std::is_signed_v<Element>)
    machine("Machine::multiply_fractional", [](const auto& v) {
      ON_MACHINE;
      return Machine::template multiply_fractional<Lane>(a, b);
    });
  machine("Machine::min", [](const auto& v) {
    ON_MACHINE;
    return (Machine::template min<Lane>)(a, b);
  });
  machine("Machine::max", [](const auto& v) {
    ON_MACHINE;
    return (Machine::template max<Lane>)(a, b);
  });
  machine("Machine::bit_and", [](const auto& v) {
    ON_MACHINE;
    return Machine::template bit_and<Lane>(a, b);
  });
  machine("Machine::bit_or", [](const auto& v) {
    ON_MACHINE;
    return Machine::template bit_or<Lane>(a, b);
  });
  machine("Machine::bit_xor", [](const auto& v) {
    ON_MACHINE;
    return Machine::template bit_xor<Lane>(a, b);
  });
  machine("Machine::shift_left", [](const auto& v) {
    ON_MACHINE;
    return Machine::template shift_left<Lane>(a, v.amount);
  });
  machine("Machine::shift_right", [](const auto& v) {
    ON_MACHINE;
    return Machine::template shift_right<Lane>(a, v.amount);
  });
  machine_flags("Machine::equal", [](const auto& v) {
    ON_MACHINE;
    return Machine::template equal<Lane>(a, b);
  });
  machine_flags("Machine::less", [](const auto& v) {
    ON_MACHINE;
    return Machine::template less<Lane>(a, b);
  });
  machine("Machine::select of neighbours", [](const auto& v) {
    ON_MACHINE;
    return Machine::template select<Lane>(Machine::template less<Lane>(a, b), Machine::template add<Lane>(a, b), b);
  });
  machine("Machine::select", [](const auto& v) {
    ON_MACHINE;
    return Machine::template select<Lane>(Machine::template less<Lane>(v.c.machine(), b), a, b);
  });
  if constexpr (sizeof(Element) == 1) {
    check("Machine::unpack_low", [](const auto& v) {
      ON_MACHINE;
      return v.template wrap<DoubleLane<Lane>>(Machine::template unpack_low<Lane>(a));
    });
    check("Machine::unpack_high", [](const auto& v) {
      ON_MACHINE;
      return v.template wrap<DoubleLane<Lane>>(Machine::template unpack_high<Lane>(a));
    });
    check("Machine::cast to halfwords", [](const auto& v) {
      ON_MACHINE;
      return v.template wrap<std::uint16_t>(Machine::template cast<std::uint16_t, Lane>(a));
    });
    check("Machine::cast to signed halfwords", [](const auto& v) {
      ON_MACHINE;
      return v.template wrap<std::int16_t>(Machine::template cast<std::int16_t, Lane>(a));
    });
    check("Machine::cast to other sign", [](const auto& v) {
      ON_MACHINE;
      using Other = std::conditional_t<std::is_signed_v<Lane>, std::uint8_t, std::int8_t>;
      return v.template wrap<Other>(Machine::template cast<Other, Lane>(a));
    });
  } else {
    check("Machine::pack", [](const auto& v) {
      ON_MACHINE;
      return v.template wrap<std::uint8_t>(Machine::template pack<std::uint8_t, Lane>(a, b));
    });
    check("Machine::pack signed", [](const auto& v) {
      ON_MACHINE;
      return v.template wrap<std::int8_t>(Machine::template pack<std::int8_t, Lane>(a, b));
    });
    check("Machine::cast to bytes", [](const auto& v) {
      ON_MACHINE;
      return v.template wrap<std::uint8_t>(Machine::template cast<std::uint8_t, Lane>(a));
    });
    check("Machine::cast to signed bytes", [](const auto& v) {
      ON_MACHINE;
      return v.template wrap<std::int8_t>(Machine::template cast<std::int8_t, Lane>(a));
    });
    check("Machine::cast to other sign", [](const auto& v) {
      ON_MACHINE;
      using Other = std::conditional_t<std::is_signed_v<Lane>, std::uint16_t, std::int16_t>;
      return v.template wrap<Other>(Machine::template cast<Other, Lane>(a));
    });
    if constexpr (std::is_signed_v<Element>) {
      check("Machine::pack_saturating", [](const auto& v) {
        ON_MACHINE;
        return v.template wrap<std::uint8_t>(Machine::template pack_saturating<std::uint8_t>(a, b));
      });
      check("Machine::pack_saturating signed", [](const auto& v) {
        ON_MACHINE;
        return v.template wrap<std::int8_t>(Machine::template pack_saturating<std::int8_t>(a, b));
      });
    }
  }

  if constexpr (Count > 1) return; // the operators do nothing but call these
  // --- the operators
  check("a + b", [](const auto& v) { return v.a + v.b; });
  check("a - b", [](const auto& v) { return v.a - v.b; });
  check("-a", [](const auto& v) { return -v.a; });
  check("a * b", [](const auto& v) { return v.a * v.b; });
  check("a << amount", [](const auto& v) { return v.a << v.amount; });
  check("a >> amount", [](const auto& v) { return v.a >> v.amount; });
  check("a & b", [](const auto& v) { return v.a & v.b; });
  check("a | b", [](const auto& v) { return v.a | v.b; });
  check("a ^ b", [](const auto& v) { return v.a ^ v.b; });
  check("~a", [](const auto& v) { return ~v.a; });
  check("add_saturating", [](const auto& v) { return add_saturating(v.a, v.b); });
  check("subtract_saturating", [](const auto& v) { return subtract_saturating(v.a, v.b); });
  check("multiply_high", [](const auto& v) { return multiply_high(v.a, v.b); });
  check("multiply_add", [](const auto& v) { return multiply_add(v.c, v.a, v.b); });
  if constexpr (std::is_signed_v<Element>) {
    check("multiply_fractional", [](const auto& v) { return multiply_fractional(v.a, v.b); });
    check("multiply_add_fractional", [](const auto& v) { return multiply_add_fractional(v.c, v.a, v.b); });
  }
  check("shift_right_stochastic", [](const auto& v) { return shift_right_stochastic(v.a, v.amount, v.b); });
  check("min", [](const auto& v) { return (neuromorph::min)(v.a, v.b); });
  check("max", [](const auto& v) { return (neuromorph::max)(v.a, v.b); });
  check("clamp", [](const auto& v) { return clamp(v.c, v.a, v.b); });
  check("a == b", [](const auto& v) { return v.a == v.b; });
  check("a != b", [](const auto& v) { return v.a != v.b; });
  check("a < b", [](const auto& v) { return v.a < v.b; });
  check("a > b", [](const auto& v) { return v.a > v.b; });
  check("a <= b", [](const auto& v) { return v.a <= v.b; });
  check("a >= b", [](const auto& v) { return v.a >= v.b; });
  check("select", [](const auto& v) { return select(v.a < v.c, v.a, v.b); });
  check("as unsigned bytes", [](const auto& v) { return v.a.template as<std::uint8_t>(); });
  check("as unsigned halfwords", [](const auto& v) { return v.a.template as<std::uint16_t>(); });
  check("as bytes", [](const auto& v) { return v.a.template as<std::int8_t>(); });
  check("as halfwords", [](const auto& v) { return v.a.template as<std::int16_t>(); });
  check("sum", [](const auto& v) { return static_cast<std::uint32_t>(v.a.sum()); });
  check("[]", [](const auto& v) { return static_cast<std::uint32_t>(v.a[v.amount]); });
  if constexpr (std::is_unsigned_v<Element>)
    check("nonzero", [](const auto& v) { return std::remove_cvref_t<decltype(v)>::Flags::nonzero(v.a & v.b); });
  if constexpr (sizeof(Element) == 1) {
    check("unpack_low", [](const auto& v) { return unpack_low(v.a); });
    check("unpack_high", [](const auto& v) { return unpack_high(v.a); });
  } else {
    check("pack", [](const auto& v) { return neuromorph::pack<std::uint8_t>(v.a, v.b); });
    check("pack signed", [](const auto& v) { return neuromorph::pack<std::int8_t>(v.a, v.b); });
    if constexpr (std::is_signed_v<Element>) {
      check("pack_saturating", [](const auto& v) { return neuromorph::pack_saturating<std::uint8_t>(v.a, v.b); });
      check("pack_saturating signed", [](const auto& v) { return neuromorph::pack_saturating<std::int8_t>(v.a, v.b); });
    }
  }
}

/// All amounts, and some that the compiler knows.
template <class Element, std::size_t Count>
void compare_shifts(Values<Element, Count> values) {
  [[maybe_unused]] constexpr unsigned last = 8 * sizeof(Element) - 1;
  const auto check = [&](const char* name, auto operation) { compare(name, values, operation); };
  check("a << 0", [](const auto& v) { return v.a << 0; });
  check("a >> 0", [](const auto& v) { return v.a >> 0; });
  check("a << 3", [](const auto& v) { return v.a << 3; });
  check("a >> 3", [](const auto& v) { return v.a >> 3; });
  check("a << last", [](const auto& v) { return v.a << last; });
  check("a >> last", [](const auto& v) { return v.a >> last; });
  check("shift_right_stochastic by 0", [](const auto& v) { return shift_right_stochastic(v.a, 0, v.b); });
  check("shift_right_stochastic by 3", [](const auto& v) { return shift_right_stochastic(v.a, 3, v.b); });
  check("shift_right_stochastic by last", [](const auto& v) { return shift_right_stochastic(v.a, last, v.b); });
  for (values.amount = 0; values.amount < 8 * sizeof(Element); ++values.amount) {
    compare("a << amount", values, [](const auto& v) { return v.a << v.amount; });
    compare("a >> amount", values, [](const auto& v) { return v.a >> v.amount; });
    compare("shift_right_stochastic", values, [](const auto& v) { return shift_right_stochastic(v.a, v.amount, v.b); });
  }
}

/// Operands are all bits or none.
template <class Width, std::size_t Count>
void compare_flags(const Values<Width, Count>& values) {
  const auto check = [&](const char* name, auto operation) {
    compare(name, values, [&](const auto& v) {
      using Flags = typename std::remove_cvref_t<decltype(v)>::Flags;
      return operation(Flags::from_lanes(v.a), Flags::from_lanes(v.b), v);
    });
  };
  check("from_lanes", [](const auto& a, const auto&, const auto&) { return a; });
  check("to_lanes", [](const auto& a, const auto&, const auto&) { return a.to_lanes(); });
  check("flags a & b", [](const auto& a, const auto& b, const auto&) { return a & b; });
  check("flags a | b", [](const auto& a, const auto& b, const auto&) { return a | b; });
  check("!a", [](const auto& a, const auto&, const auto&) { return !a; });
  check("a & !b", [](const auto& a, const auto& b, const auto&) { return a & !b; });
  check("bits", [](const auto& a, const auto&, const auto&) { return a.bits(); });
  check("any", [](const auto& a, const auto&, const auto&) { return a.any(); });
  check("all", [](const auto& a, const auto&, const auto&) { return a.all(); });
  check("none", [](const auto& a, const auto&, const auto&) { return a.none(); });
  check("all of !a", [](const auto& a, const auto&, const auto&) { return (!a).all(); });
  check("count", [](const auto& a, const auto&, const auto&) { return a.count(); });
  check("flags []", [](const auto& a, const auto&, const auto& v) { return a[v.amount]; });
  check("flags a == b", [](const auto& a, const auto& b, const auto&) { return a == b; });
  check("flags a == !!a", [](const auto& a, const auto&, const auto&) { return a == !!a; });
  check("select by flags", [](const auto& a, const auto&, const auto& v) { return select(a, v.b, v.c); });
  check("select signed by flags", [](const auto& a, const auto&, const auto& v) {
    using Signed = std::make_signed_t<Width>;
    return select(a, v.c.template as<Signed>(), v.b.template as<Signed>());
  });
  check("splat of a flag", [](const auto& a, const auto& b, const auto&) {
    using Flags = std::remove_cvref_t<decltype(a)>;
    return (a & Flags(true)) | (b & Flags(false)) | Flags();
  });
  check("Machine::bits", [](const auto& flags, const auto&, const auto& v) {
    ON_MACHINE;
    return Machine::template bits<Unsigned>(flags.machine());
  });
  check("Machine::any", [](const auto& flags, const auto&, const auto& v) {
    ON_MACHINE;
    return Machine::template any<Unsigned>(flags.machine());
  });
  check("Machine::both, either, negate", [](const auto& flags, const auto& others, const auto& v) {
    ON_MACHINE;
    return v.flags(Machine::template either<Unsigned>(
        Machine::template both<Unsigned>(flags.machine(), Machine::template negate<Unsigned>(others.machine())),
        Machine::template both<Unsigned>(Machine::template negate<Unsigned>(flags.machine()), others.machine())));
  });
  if constexpr (sizeof(Width) == 1) {
    check("unpack_low of flags", [](const auto& a, const auto&, const auto&) { return unpack_low(a); });
    check("unpack_high of flags", [](const auto& a, const auto&, const auto&) { return unpack_high(a); });
  }
}

constexpr std::array<std::uint16_t, 32> edges{0,      1,      2,      3,      5,      0x7E,   0x7F,   0x80,
                                              0x81,   0xFE,   0xFF,   0x100,  0x101,  0x17F,  0x1FF,  0x3FFF,
                                              0x4000, 0x5A5A, 0x7EFF, 0x7F7F, 0x7FFE, 0x7FFF, 0x8000, 0x8001,
                                              0x807F, 0x8080, 0xA5A5, 0xBFFF, 0xC000, 0xFF7F, 0xFF80, 0xFFFF};

/// Each number below 2^16 for exactly one other, so that a pair of bytes has any others beside it.
std::uint32_t shuffled(std::uint32_t number) {
  for (int turn = 0; turn < 2; ++turn) number = (number ^ number >> 7) * 40503 % 65536;
  return number;
}

template <class Element, std::size_t Count>
void compare_element() {
  constexpr std::size_t lanes = 16 * Count / sizeof(Element);
  constexpr std::uint32_t pairs = 65536, random_pairs = 100'000;
  Values<Element, Count> values{};
  Sfc32 random;
  if constexpr (sizeof(Element) == 1) {
    for (std::uint32_t pair = 0; pair < pairs; pair += lanes) {
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t both = shuffled(pair + lane);
        values.a[lane] = static_cast<Element>(both >> 8);
        values.b[lane] = static_cast<Element>(both);
        values.c[lane] = static_cast<Element>(random.next());
      }
      values.amount = pair / lanes % 8;
      compare_pairs(values);
      if (pair / lanes % 64 < 16 || Count == 1) compare_shifts(values);
    }
  } else {
    const auto edge = [](std::uint32_t number) { return static_cast<Element>(edges[number % edges.size()]); };
    for (std::uint32_t pair = 0; pair < edges.size() * edges.size(); pair += lanes) {
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        values.a[lane] = edge((pair + lane) / static_cast<std::uint32_t>(edges.size()));
        values.b[lane] = edge(pair + lane);
        values.c[lane] = edge(random.next());
      }
      values.amount = pair / lanes % 8;
      compare_pairs(values);
      compare_shifts(values);
    }
    for (std::uint32_t pair = 0; pair < random_pairs; pair += lanes) {
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t word = random.next();
        values.a[lane] = static_cast<Element>(word);
        values.b[lane] = static_cast<Element>(word >> 16);
        values.c[lane] = static_cast<Element>(random.next());
      }
      values.amount = pair / lanes % 8;
      compare_pairs(values);
      if (pair / lanes % 16 == 0) compare_shifts(values);
    }
  }
  for (std::uint32_t value = 0; value < 1U << 8 * sizeof(Element); ++value) {
    values.a[0] = static_cast<Element>(value);
    compare("splat", values, [&](const auto& v) {
      return typename std::remove_cvref_t<decltype(v)>::Lanes(static_cast<Element>(value));
    });
  }
  for (std::uint32_t seed = 1; seed <= 100; ++seed)
    compare("random", values, [&](const auto& v) {
      Sfc32 source(neuromorph::StreamId{.seed = seed});
      return std::remove_cvref_t<decltype(v)>::Lanes::random(source);
    });
  if constexpr (std::is_unsigned_v<Element>) {
    constexpr std::uint32_t patterns = sizeof(Element) == 1 ? 65536 : 256;
    for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        // the first 16 (8) lanes have each pattern; for more vectors, vector k has pattern times 2 k + 1
        const std::uint32_t vector = static_cast<std::uint32_t>(lane * sizeof(Element) / 16),
                            bit = lane % (16 / sizeof(Element));
        const std::uint32_t word = pattern * (2 * vector + 1) % 65536;
        const std::uint32_t other = patterns == 256 ? word >> 8 : word * 0x9E37U >> 3;
        values.a[lane] = static_cast<Element>((word >> bit & 1) != 0 ? -1 : 0);
        values.b[lane] = static_cast<Element>((other >> bit & 1) != 0 ? -1 : 0);
        values.c[lane] = static_cast<Element>(pattern + lane);
      }
      values.amount = pattern % lanes;
      compare_flags(values);
    }
  }
}

template <std::size_t Count>
void compare_vectors() {
  compare_element<std::uint8_t, Count>();
  compare_element<std::int8_t, Count>();
  compare_element<std::uint16_t, Count>();
  compare_element<std::int16_t, Count>();
}

/// Whether Native has registers for so many vectors.
template <std::size_t Count>
constexpr bool is_own =
    !std::is_same_v<typename Native::template Vectors<Count>, typename Generic::template Vectors<Count>>;

} // namespace

int main() {
  compare_vectors<1>();
  if constexpr (is_own<2>) compare_vectors<2>();
  if constexpr (is_own<4>) compare_vectors<4>();

  std::printf("Vectors<1> %s, <2> %s, <4> %s; %d failures, ", is_own<1> ? "own" : "generic",
              is_own<2> ? "own" : "generic", is_own<4> ? "own" : "generic", failures);
  return is_expected(digest, expected_digest) && failures == 0 ? 0 : 1;
}
