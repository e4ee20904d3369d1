// SPDX-License-Identifier: BSL-1.0
// Bars that move over 8 x 8 pixels which fire: what the network was trained on, in the same distribution as train.py has it.
#ifndef EXAMPLES_TRAINED_BARS_HPP
#define EXAMPLES_TRAINED_BARS_HPP

#include <cstdint>
#include <vector>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>

namespace trained {

namespace nm = neuromorph;

inline constexpr std::uint32_t side = 8, pixels = side * side, steps = 24, directions = 4;
inline constexpr const char* names[directions] = {"right", "left", "down", "up"};

/// One bar: pixels that fire, by step.
struct Bar {
  std::uint32_t direction;
  std::vector<std::vector<std::uint32_t>> spikes;
};

template <class Source>
Bar draw_bar(Source& random) {
  Bar made{nm::uniform_below(random, directions), {}};
  const std::uint32_t begin = nm::uniform_below(random, side * 256), speed = 64 + nm::uniform_below(random, 39);
  for (std::uint32_t step = 0; step < steps; ++step) {
    const std::uint32_t moved = speed * step;
    const std::uint32_t place = (made.direction % 2 == 0 ? begin + moved : begin + 65536 - moved) / 256 % side;
    std::vector<std::uint32_t> fired;
    for (std::uint32_t pixel = 0; pixel < pixels; ++pixel) {
      const bool is_on_bar = (made.direction < 2 ? pixel % side : pixel / side) == place;
      const bool is_seen = is_on_bar && nm::uniform_below(random, 2) == 0,
                 is_noise = nm::uniform_below(random, 50) == 0;
      if (is_seen || is_noise) fired.push_back(pixel);
    }
    made.spikes.push_back(fired);
  }
  return made;
}

} // namespace trained

#endif
