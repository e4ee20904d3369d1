// SPDX-License-Identifier: BSL-1.0
#include <cstdint>

#include <neuromorph/runtime/live.hpp>
#include <neuromorph/runtime/spinnaker.hpp>

using Runtime = neuromorph::runtime::Spinnaker<neuromorph::runtime::LivePacketGatherer>;
void runtime_start(std::uint32_t flags) { Runtime::run(flags); }
void runtime_interrupt() { Runtime::on_interrupt(); }
const Runtime::Head runtime_image_head = Runtime::image_head("gatherer");
