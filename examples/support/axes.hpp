// SPDX-License-Identifier: BSL-1.0
// Axes of a part of a figure: those of the library.
#ifndef EXAMPLES_SUPPORT_AXES_HPP
#define EXAMPLES_SUPPORT_AXES_HPP

#include <neuromorph/network/svg.hpp>

namespace support {

using neuromorph::network::axes;
using neuromorph::network::number;
using neuromorph::network::Panel;

} // namespace support

#endif
