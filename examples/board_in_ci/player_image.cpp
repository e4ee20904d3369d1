// SPDX-License-Identifier: BSL-1.0
#include <cstdint>

#include <neuromorph/runtime/spinnaker.hpp>

#include "filter.hpp"

using Runtime = neuromorph::runtime::Spinnaker<project::Player>;
void runtime_start(std::uint32_t flags) { Runtime::run(flags); }
void runtime_interrupt() { Runtime::on_interrupt(); }
const Runtime::Head runtime_image_head = Runtime::image_head("player");
