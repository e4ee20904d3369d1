// SPDX-License-Identifier: BSL-1.0
// The library's figures in files of their own, as emulated boards can write them, too.
#ifndef EXAMPLES_SUPPORT_SVG_HPP
#define EXAMPLES_SUPPORT_SVG_HPP

#include <string>

#include <neuromorph/host/svg.hpp>

#include "output.hpp"

namespace support {

/// Nothing may be drawn if it is not open.
class Svg : private File, public neuromorph::host::Svg {
public:
  Svg(const std::string& path, int width, int height) : File(path), neuromorph::host::Svg(get(), width, height) {}
  using neuromorph::host::Svg::is_open;
  /// Ends the figure. Empty if all of it was written.
  [[nodiscard]] std::string close() {
    end();
    return File::close();
  }
};

} // namespace support

#endif
