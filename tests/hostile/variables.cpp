// SPDX-License-Identifier: BSL-1.0
// After variables with all the names that the headers use: what finds functions by their arguments alone.
namespace {

namespace nm = neuromorph;
using Number = nm::Fixed<std::int32_t, 15>;

constexpr Number two = Number::from_integer(2), three = Number::from_integer(3);
constexpr Number product_of(Number a, Number b) {
  a *= b;
  return a;
}
static_assert(two + three == Number::from_integer(5) && three - two == Number::from_integer(1));
static_assert(product_of(two, three) == Number::from_integer(6) && -two == Number::from_integer(-2));
static_assert((two << 1) == Number::from_integer(4) && (two >> 1) == Number::from_integer(1));
static_assert(nm::multiply(two, three) == nm::convert<Number>(nm::Fixed<std::int64_t, 20>::from_integer(6)));

// Constants from physical parameters.
using Model = nm::Lif<1>;
static_assert(Model::make({.membrane = {.tau_ms = 20, .c_nf = 0.25, .i_offset_na = 0.3}}, 1.0).ok());

} // namespace
