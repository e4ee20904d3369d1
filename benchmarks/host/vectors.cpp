// SPDX-License-Identifier: BSL-1.0
// Operations on vectors of bytes and halfwords, per vector of 128 bits: two arrays in L1 are read, one is written. Each
// backend of this machine, the compiler's own vectors in Generic as often at once, and a plain loop over the elements.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>

#include <benchmark/benchmark.h>
#include <neuromorph/neuromorph.hpp>

#include "support.hpp"

namespace bench {
namespace {

namespace nm = neuromorph;
namespace target = nm::target;

constexpr std::size_t vectors = 256;

struct Arrays {
  alignas(64) std::array<std::uint8_t, 16 * vectors> a, b, to;
};
Arrays& arrays() {
  static Arrays made = [] {
    Arrays filled{};
    std::mt19937 source(1);
    for (auto& byte : filled.a) byte = static_cast<std::uint8_t>(source());
    for (auto& byte : filled.b) byte = static_cast<std::uint8_t>(source());
    return filled;
  }();
  return made;
}

/// What an operation gave, to memory.
template <class Element, class Target, std::size_t Count>
void put(std::uint8_t* to, const nm::Vec<Element, Target, Count>& result) {
  result.store(reinterpret_cast<Element*>(to));
}
template <class Width, class Target, std::size_t Count>
void put(std::uint8_t* to, const nm::LaneFlags<Width, Target, Count>& result) {
  put(to, result.to_lanes());
}
/// Sums up what is not a vector, so that it is needed.
template <class Number>
void put(std::uint8_t* to, const Number& result) requires std::is_integral_v<Number> {
  std::uint64_t sum;
  __builtin_memcpy(&sum, to, sizeof sum);
  sum += static_cast<std::uint64_t>(result);
  __builtin_memcpy(to, &sum, sizeof sum);
}

template <class Vector, class Operation>
[[gnu::noinline]] void sweep(Arrays& data, unsigned amount, Operation operation) {
  using Element = typename Vector::value_type;
  constexpr std::size_t step = Vector::lanes * sizeof(Element);
  for (std::size_t at = 0; at < data.a.size(); at += step)
    put(&data.to[at], operation(Vector::load(reinterpret_cast<const Element*>(&data.a[at])),
                                Vector::load(reinterpret_cast<const Element*>(&data.b[at])), amount));
}
template <class Element, class Operation>
[[gnu::noinline]] void sweep_elements(Arrays& data, unsigned amount, Operation operation) {
  const auto* const a = reinterpret_cast<const Element*>(data.a.data());
  const auto* const b = reinterpret_cast<const Element*>(data.b.data());
  auto* const to = reinterpret_cast<Element*>(data.to.data());
  for (std::size_t i = 0; i < data.a.size() / sizeof(Element); ++i)
    to[i] = static_cast<Element>(operation(std::int32_t{a[i]}, std::int32_t{b[i]}, amount));
}

void time(const std::string& name, auto run) {
  benchmark::RegisterBenchmark(("vector/" + name).c_str(),
                               [run](benchmark::State& state) {
                                 unsigned amount = 3;
                                 benchmark::DoNotOptimize(amount); // a number that the compiler does not know
                                 for (auto _ : state) {
                                   run(amount);
                                   benchmark::ClobberMemory();
                                 }
                                 state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(vectors));
                               })
      ->MinTime(0.005)
      ->Repetitions(7); // of which there are hundreds
}

/// `operation` with each backend; what they write must be what Generic writes.
template <class Element, class Target, std::size_t Count, class Operation>
void add_backend(const std::string& name, Operation operation) {
  constexpr bool gives_number = requires(nm::Vec<Element, Target, Count> a) {
    requires std::is_integral_v<decltype(operation(a, a, 0U))>;
  };
  auto& data = arrays();
  if constexpr (!gives_number) {
    data.to = {};
    sweep<nm::Vec<Element, target::Generic, Count>>(data, 3, operation);
    const auto expected = data.to;
    data.to = {};
    sweep<nm::Vec<Element, Target, Count>>(data, 3, operation);
    expect(data.to == expected, "a backend's vectors differ from those of target::Generic");
  }
  time(name, [operation](unsigned amount) { sweep<nm::Vec<Element, Target, Count>>(arrays(), amount, operation); });
}
template <class Element, class Operation>
void add_vectors(const std::string& name, Operation operation) {
  add_backend<Element, target::Generic, 1>(name + "/generic", operation);
#if defined(__SSE4_1__)
  add_backend<Element, target::Sse41, 1>(name + "/sse41", operation);
#endif
#if defined(__AVX2__)
  add_backend<Element, target::Generic, 2>(name + "/generic_2", operation);
  add_backend<Element, target::Avx2, 2>(name + "/avx2", operation);
#endif
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
  add_backend<Element, target::Generic, 4>(name + "/generic_4", operation);
  add_backend<Element, target::Avx512, 4>(name + "/avx512", operation);
#endif
}
/// With the same in a plain loop over elements, which is given integers of 32 bits.
template <class Element, class Operation, class Plain>
void add(const std::string& name, Operation operation, Plain plain) {
  add_vectors<Element>(name, operation);
  auto& data = arrays();
  sweep<nm::Vec<Element, target::Generic>>(data, 3, operation);
  const auto expected = data.to;
  sweep_elements<Element>(data, 3, plain);
  expect(data.to == expected, "vectors differ from a plain loop");
  time(name + "/plain", [plain](unsigned amount) { sweep_elements<Element>(arrays(), amount, plain); });
}

template <class Element>
constexpr std::int32_t held(std::int32_t value) {
  constexpr std::int32_t least = std::numeric_limits<Element>::min(), most = std::numeric_limits<Element>::max();
  return std::clamp(value, least, most);
}

template <class Element>
void add_element(const std::string& type) {
  constexpr unsigned bits = 8 * sizeof(Element);
  using Int = std::int32_t;
  add<Element>(
      "add/" + type, [](auto a, auto b, unsigned) { return a + b; }, [](Int x, Int y, unsigned) { return x + y; });
  add<Element>(
      "add_saturating/" + type, [](auto a, auto b, unsigned) { return add_saturating(a, b); },
      [](Int x, Int y, unsigned) { return held<Element>(x + y); });
  add<Element>(
      "subtract_saturating/" + type, [](auto a, auto b, unsigned) { return subtract_saturating(a, b); },
      [](Int x, Int y, unsigned) { return held<Element>(x - y); });
  add<Element>(
      "multiply/" + type, [](auto a, auto b, unsigned) { return a * b; },
      [](Int x, Int y, unsigned) { return static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y); });
  add<Element>(
      "multiply_high/" + type, [](auto a, auto b, unsigned) { return multiply_high(a, b); },
      [](Int x, Int y, unsigned) {
        using Product = std::conditional_t<std::is_signed_v<Element>, Int, std::uint32_t>;
        return static_cast<Product>(x) * static_cast<Product>(y) >> bits;
      });
  if constexpr (std::is_signed_v<Element>)
    add<Element>(
        "multiply_fractional/" + type, [](auto a, auto b, unsigned) { return multiply_fractional(a, b); },
        [](Int x, Int y, unsigned) { return held<Element>(x * y >> (bits - 1)); });
  add<Element>(
      "min/" + type, [](auto a, auto b, unsigned) { return (nm::min)(a, b); },
      [](Int x, Int y, unsigned) { return x < y ? x : y; });
  add<Element>(
      "shift_left/" + type, [](auto a, auto, unsigned amount) { return a << amount; },
      [](Int x, Int, unsigned amount) { return x << amount; });
  add<Element>(
      "shift_right/" + type, [](auto a, auto, unsigned amount) { return a >> amount; },
      [](Int x, Int, unsigned amount) { return x >> amount; });
  add<Element>(
      "shift_right_stochastic/" + type,
      [](auto a, auto b, unsigned amount) { return shift_right_stochastic(a, amount, b); },
      [](Int x, Int y, unsigned amount) { return (x + (y & ((1 << amount) - 1))) >> amount; });
  add<Element>(
      "less/" + type, [](auto a, auto b, unsigned) { return a < b; },
      [](Int x, Int y, unsigned) { return x < y ? -1 : 0; });
  add<Element>(
      "select/" + type, [](auto a, auto b, unsigned) { return select(a < b, a + b, b); },
      [](Int x, Int y, unsigned) { return x < y ? x + y : y; });
  add_vectors<Element>("any/" + type, [](auto a, auto b, unsigned) { return (a < b).any(); });
  add_vectors<Element>("bits/" + type, [](auto a, auto b, unsigned) { return (a < b).bits(); });
  if constexpr (sizeof(Element) == 1) {
    add_vectors<Element>("unpack/" + type, [](auto a, auto, unsigned) { return unpack_low(a) ^ unpack_high(a); });
  } else {
    add_vectors<Element>("pack/" + type, [](auto a, auto b, unsigned) { return nm::pack<std::uint8_t>(a, b); });
    if constexpr (std::is_signed_v<Element>)
      add_vectors<Element>("pack_saturating/" + type,
                           [](auto a, auto b, unsigned) { return nm::pack_saturating<std::uint8_t>(a, b); });
  }
}

} // namespace

void register_vectors() {
  add_element<std::uint8_t>("uint8");
  add_element<std::int8_t>("int8");
  add_element<std::uint16_t>("uint16");
  add_element<std::int16_t>("int16");
  // weights moved by a fraction of the difference of two counters, held in 6 bits, where a mask is set
  add_vectors<std::uint8_t>("weight_update/uint8", [](auto weight, auto counters, unsigned amount) {
    const auto moved = [&](const auto& from, const auto& by) {
      using Halves = decltype(from.template as<std::int16_t>());
      const auto change = multiply_fractional(by.template as<std::int16_t>() << amount, Halves(3000));
      return clamp(from.template as<std::int16_t>() + change, Halves(0), Halves(63));
    };
    const auto held = nm::pack_saturating<std::uint8_t>(moved(unpack_low(weight), unpack_low(counters)),
                                                        moved(unpack_high(weight), unpack_high(counters)));
    return select(decltype(weight)::Flags::nonzero(counters), held, weight);
  });
}

} // namespace bench
