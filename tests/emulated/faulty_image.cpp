// SPDX-License-Identifier: BSL-1.0
// A vertex that does, at its first packet, what the packet's key says, and what a core does not survive.
#include <cstdint>

#include <neuromorph/runtime/spinnaker.hpp>

namespace {

namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;
namespace spinnaker = neuromorph::target::spinnaker;

struct Faulty {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Packet>;
  std::uint32_t packets = 0;
  using Fields = runtime::Fields<&Faulty::packets>;
  neuromorph::Status start(auto&) { return {}; }
  void packet(auto&, std::uint32_t key) {
    ++packets;
    std::uint32_t code = 0x100;
    asm("" : "+r"(code)); // compilers refuse the sight of it
    switch (key) {
    case 0: asm volatile(".inst 0xE7F000F0"); break;                           // no instruction
    case 1: asm volatile("svc 1"); break;                                      // a call that nobody takes
    case 2: reinterpret_cast<void (*)()>(std::uintptr_t{0x50000000})(); break; // no code
    case 3: packets = spinnaker::word(0x50000000); break;                      // no memory, read
    case 4: spinnaker::word(0x00420000) = 1; break;                            // behind the end of data memory, written
    case 5: spinnaker::word(code) = 1; break;                                  // code, written
    case 6:
      for (;;) asm volatile(""); // it never sleeps again
    case 7: spinnaker::word(spinnaker::dma::chip_address) = 0x50000000; break;
    default: break;
    }
    if (key == 7) spinnaker::word(spinnaker::dma::description) = spinnaker::dma::in_bursts | 4;
    if (key == 8)
      spinnaker::word(spinnaker::interrupts::enable) = spinnaker::interrupts::of_dma; // which its handler does not know
    if (key == 10) packets = spinnaker::word(0xF1000000);                             // the router's control register
    if (key == 11) spinnaker::word(0xE1000084) = packets;                             // its fixed route
    if (key != 8) return;
    spinnaker::word(spinnaker::dma::chip_address) = spinnaker::sdram;
    spinnaker::word(spinnaker::dma::core_address) = spinnaker::data_memory;
    spinnaker::word(spinnaker::dma::description) = spinnaker::dma::in_bursts;
  }
};

using Runtime = runtime::Spinnaker<Faulty>;

} // namespace

void runtime_start(std::uint32_t flags) { Runtime::run(flags); }
void runtime_interrupt() { Runtime::on_interrupt(); }
const Runtime::Head runtime_image_head = Runtime::image_head("faulty");
