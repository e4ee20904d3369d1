// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Overflow lacks 'static Rep resolve(Rep wrapped, overflow::Range range)'
// lines: 30
#include <neuromorph/fixed.hpp>

struct LowBits {
  template <class Rep>
  static Rep resolve(Rep wrapped, neuromorph::overflow::Range) {
    return wrapped;
  }
};
struct WithoutRange {
  template <class Rep>
  static Rep resolve(Rep wrapped) {
    return wrapped;
  }
};

using Right = neuromorph::Fixed<int, 15, neuromorph::rounding::Nearest, LowBits>;
#ifdef NEUROMORPH_KO
using Wrong = neuromorph::Fixed<int, 15, neuromorph::rounding::Nearest, WithoutRange>;
#else
using Wrong = Right;
#endif

int main() { return Wrong::from_raw(0).raw() + Right::from_raw(0).raw(); }
