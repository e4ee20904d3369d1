// SPDX-License-Identifier: BSL-1.0
// Conway's life without cores: what all others are compared with.
#ifndef EXAMPLES_LIFE_PLAIN_HPP
#define EXAMPLES_LIFE_PLAIN_HPP

#include <cstdint>
#include <vector>

namespace life {

using Cells = std::vector<std::uint8_t>; // row by row, on a torus

/// \pre width and height are 3 or more
[[nodiscard]] inline Cells next_of(const Cells& alive, std::uint32_t width, std::uint32_t height) {
  Cells next(alive.size());
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      unsigned living = 0;
      for (const std::uint32_t down : {0U, 1U, height - 1})
        for (const std::uint32_t right : {0U, 1U, width - 1})
          if (down != 0 || right != 0) living += alive[(y + down) % height * width + (x + right) % width];
      next[y * width + x] = living == 3 || (living == 2 && alive[y * width + x] != 0);
    }
  return next;
}

} // namespace life

#endif
