// SPDX-License-Identifier: BSL-1.0
/// \file
/// The DMA controller of a core of SpiNNaker as a CopyEngine: between memory of the core and of the chip, one transfer at a time.
// arm-only
#ifndef NEUROMORPH_TARGET_DEVICE_SPINNAKER_DMA_HPP
#define NEUROMORPH_TARGET_DEVICE_SPINNAKER_DMA_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/device/copy_engine.hpp>
#include <neuromorph/target/device/spinnaker.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Of `to` and `from` one is in memory of the core, the other in that of the chip; words, at most `spinnaker::dma::most_bytes`.
class SpinnakerDma {
public:
  static constexpr bool is_immediate = false;

  /// Once, before the first transfer: what was under way is given up.
  static void begin() noexcept {
    namespace dma = spinnaker::dma;
    spinnaker::word(dma::control) = 0x3F;
    spinnaker::word(dma::control) = 0x0D;
    spinnaker::word(dma::interrupts) = 0; // it is asked
  }
  Transfer start(void* to, const void* from, std::size_t bytes) noexcept {
    namespace dma = spinnaker::dma;
    poll();
    if (completed_ != started_ || bytes > dma::most_bytes) return Transfer::none;
    if (++started_ == 0) started_ = 1, completed_ = 0;
    const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
    const bool is_to_chip = target >= spinnaker::sdram;
    asm volatile("" : : : "memory"); // what is copied is written before
    spinnaker::word(dma::chip_address) = is_to_chip ? target : source;
    spinnaker::word(dma::core_address) = is_to_chip ? source : target;
    spinnaker::word(dma::description) =
        dma::in_bursts | (is_to_chip ? dma::to_chip : 0) | static_cast<std::uint32_t>(bytes);
    return Transfer{started_};
  }
  [[nodiscard]] bool is_complete(Transfer transfer) const noexcept {
    return static_cast<std::uint32_t>(transfer) != started_ || completed_ == started_;
  }
  void poll() noexcept {
    namespace dma = spinnaker::dma;
    if (completed_ == started_ || (spinnaker::word(dma::status) & dma::is_done) == 0) return;
    spinnaker::word(dma::control) = dma::clear_done;
    asm volatile("" : : : "memory");
    completed_ = started_;
  }

private:
  std::uint32_t started_ = 0, completed_ = 0;
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
