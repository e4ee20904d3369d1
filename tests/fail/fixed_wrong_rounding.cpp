// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rounding lacks 'static Value shift_right(Value value, unsigned shift)'
// lines: 35
#include <neuromorph/fixed.hpp>

struct TowardsMinusInfinity {
  template <class Value>
  static Value shift_right(Value value, unsigned shift) {
    return neuromorph::rounding::floor_shift(value, shift);
  }
};
struct ForIntegersOfOneType {
  static int shift_right(int value, unsigned shift) { return value >> shift; }
};

using Right = neuromorph::Fixed<int, 15, TowardsMinusInfinity>;
#ifdef NEUROMORPH_KO
using Wrong = neuromorph::Fixed<int, 15, ForIntegersOfOneType>;
#else
using Wrong = Right;
#endif

int main() { return Wrong::from_raw(0).raw() + Right::from_raw(0).raw(); }
