// SPDX-License-Identifier: BSL-1.0
// A core of the network as an image for a core of SpiNNaker.
#include <cstdint>

#include <neuromorph/runtime/spinnaker.hpp>

#include "vertex.hpp"

using Runtime = neuromorph::runtime::Spinnaker<balanced::Part<neuromorph::target::SpinnakerDma>>;
void runtime_start(std::uint32_t flags) { Runtime::run(flags); }
void runtime_interrupt() { Runtime::on_interrupt(); }
const Runtime::Head runtime_image_head = Runtime::image_head("balanced");
