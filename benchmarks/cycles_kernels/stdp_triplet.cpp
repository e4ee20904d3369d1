// SPDX-License-Identifier: BSL-1.0
// Plastic rows with timing::Triplet and weight::Additive (stdp.hpp).
#include "stdp.hpp"

bool run() {
  bool right = true;
  constexpr auto rule = timing::Triplet<>::from({}, 1.0).value();
  using Update = DeferredUpdate<Word, timing::Triplet<>, weight::Additive>;
  MEASURE_RULE("stdp.triplet", Update::from({0, 10000}, rule).value())
  return right;
}
