// SPDX-License-Identifier: BSL-1.0
// The learning window of each rule of plasticity, in fixed point and by its formula.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <neuromorph/neuromorph.hpp>

#include "../support/program.hpp"
#include "figure.hpp"
#include "options.hpp"
#include "windows.hpp"

namespace {

using namespace stdp_window;

support::Ended run(const Options& options) {
  const std::vector<Window> all = windows();
  bool is_right = true;
  for (const Window& window : all) {
    double worst = 0;
    nm::Digest digest;
    for (std::size_t at = 0; at < window.fixed.size(); ++at) {
      worst = std::max(worst, std::fabs(window.fixed[at] - window.closed[at]));
      digest.add(static_cast<std::uint32_t>(std::lround(window.fixed[at] * 400 * 1048576)));
    }
    is_right = is_right && worst <= window.tolerance;
    std::printf("%-14s within %g of the range of its formula   digest %08lx%08lx\n", window.name.c_str(),
                window.tolerance, static_cast<unsigned long>(digest.value() >> 32),
                static_cast<unsigned long>(digest.value() & 0xFFFFFFFF));
  }
  if (!is_right) return std::string("a window is not what its formula says");
  if (options.output.empty()) return 0;
  const std::string path = options.output + "/" + output_files[0];
  return draw(path, all);
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("stdp_window", count, words, help_text, output_files,
                                       support::parse_output<Options>, run);
}
