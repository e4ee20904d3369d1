// SPDX-License-Identifier: BSL-1.0
// Axes of a part of a figure: those of the library.
#ifndef EXAMPLES_SUPPORT_AXES_HPP
#define EXAMPLES_SUPPORT_AXES_HPP

#include <neuromorph/host/svg.hpp>

namespace support {

using neuromorph::host::axes;
using neuromorph::host::number;
using neuromorph::host::Panel;

} // namespace support

#endif
