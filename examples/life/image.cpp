// SPDX-License-Identifier: BSL-1.0
// The cell as an image for a core of SpiNNaker.
#include <cstdint>

#include <neuromorph/runtime/spinnaker.hpp>

#include "cell.hpp"

using Runtime = neuromorph::runtime::Spinnaker<life::Cell>;
void runtime_start(std::uint32_t flags) { Runtime::run(flags); }
void runtime_interrupt() { Runtime::on_interrupt(); }
const Runtime::Head runtime_image_head = Runtime::image_head("cell");
