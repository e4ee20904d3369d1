// SPDX-License-Identifier: BSL-1.0
// Plastic rows with timing::Pair and weight::Additive (stdp.hpp).
#include "stdp.hpp"

bool run() {
  bool right = true;
  constexpr auto rule = timing::Pair<>::from({}, 1.0).value();
  using Update = DeferredUpdate<Word, timing::Pair<>, weight::Additive>;
  MEASURE_RULE("stdp.pair", Update::from({0, 10000}, rule).value())
  return right;
}
