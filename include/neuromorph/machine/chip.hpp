// SPDX-License-Identifier: BSL-1.0
/// \file
/// A chip of a SpiNNaker machine as its monitor keeps it: memories, heaps, router, states of cores, and the variables that hosts read.
///
///     machine::ChipParts chip;
///     const auto place = chip.place(0xE5007F00);
///     if (place.memory == nullptr || !place.memory->read(place.at, bytes)) ...; // there is no memory
// host-only
#ifndef NEUROMORPH_MACHINE_CHIP_HPP
#define NEUROMORPH_MACHINE_CHIP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/heap.hpp>
#include <neuromorph/machine/memory.hpp>
#include <neuromorph/machine/router.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// Where things are in the address space of a chip.
/// \source spinnaker_tools, include/spinnaker.h, sark.h
namespace address {
inline constexpr std::uint32_t sdram = 0x70000000, sdram_buffered = 0x60000000, sdram_bytes = 128U << 20;
inline constexpr std::uint32_t system_ram = 0xF5000000, system_ram_buffered = 0xE5000000, system_ram_bytes = 32U << 10;
inline constexpr std::uint32_t router = 0xF1000000, router_buffered = 0xE1000000;
inline constexpr std::uint32_t variables = system_ram + 0x7F00; ///< 256 bytes
inline constexpr std::uint32_t cores = system_ram + 0x7000;     ///< 18 of 128 bytes
/// Usable SDRAM: clients warn of any other figure.
inline constexpr std::uint32_t heap = 0x60000008, heap_bytes = 123469792;
inline constexpr std::uint32_t loading = 0x67800000;     ///< where images wait: sv.sdram_sys
inline constexpr std::uint32_t router_copy = 0x67A00000; ///< 1024 entries of 16 bytes
inline constexpr std::uint32_t system_heap = 0xE5000100, system_heap_bytes = 24U << 10;
} // namespace address

/// To whom blocks of a router's entries are given. The first entry is the monitor's.
class EntryBlocks {
public:
  static constexpr std::uint32_t size = Router::size;

  /// \return the first of a block of so many; 0: there is none
  [[nodiscard]] std::uint32_t take(std::uint8_t application, std::uint32_t count) {
    if (count == 0) return 0;
    std::uint32_t free = 0;
    for (std::uint32_t at = 1; at < size; ++at) {
      free = owner_[at] == nobody ? free + 1 : 0;
      if (free != count) continue;
      const std::uint32_t first = at + 1 - count;
      for (std::uint32_t one = first; one <= at; ++one) owner_[one] = application, block_[one] = first;
      return first;
    }
    return 0;
  }
  /// each(entry) of what is free now
  /// \return whether a block begins there
  template <class Each>
  bool give_back(std::uint32_t first, Each each) {
    if (first == 0 || first >= size || owner_[first] == nobody || block_[first] != first) return false;
    for (std::uint32_t at = first; at < size && owner_[at] != nobody && block_[at] == first; ++at)
      owner_[at] = nobody, each(at);
    return true;
  }
  template <class Each>
  void give_back_all_of(std::uint8_t application, Each each) {
    for (std::uint32_t at = 1; at < size; ++at)
      if (owner_[at] == application) owner_[at] = nobody, each(at);
  }
  [[nodiscard]] std::uint32_t largest() const noexcept {
    std::uint32_t most = 0, free = 0;
    for (std::uint32_t at = 1; at < size; ++at) {
      free = owner_[at] == nobody ? free + 1 : 0;
      if (free > most) most = free;
    }
    return most;
  }

private:
  static constexpr std::uint16_t nobody = 0xFFFF;
  std::vector<std::uint16_t> owner_ = std::vector<std::uint16_t>(size, nobody);
  std::vector<std::uint32_t> block_ = std::vector<std::uint32_t>(size); // where it begins
};

/// What runs in a core, as its block of variables says it.
struct CoreStatus {
  CoreState state = CoreState::idle;
  std::uint8_t application = 0;
};

/// All of a chip but its place in the machine.
struct ChipParts {
  static constexpr unsigned cores = 18;
  Memory sdram{address::sdram, address::sdram_bytes};
  Memory system_ram{address::system_ram, address::system_ram_bytes};
  Heap sdram_heap{address::heap, address::heap_bytes};
  Heap system_heap{address::system_heap, address::system_heap_bytes};
  Router router{};
  EntryBlocks entry_blocks{};
  std::array<CoreStatus, cores> core{};

  /// The memory of an address, whichever of its two names it has, and that address in it; nothing where there is none.
  struct Place {
    Memory* memory = nullptr;
    std::uint32_t at = 0;
  };
  [[nodiscard]] Place place(std::uint32_t given) noexcept {
    switch (given >> 28) {
    case 6: given += address::sdram - address::sdram_buffered; [[fallthrough]];
    case 7: return {&sdram, given};
    case 0xE: given += address::system_ram - address::system_ram_buffered; [[fallthrough]];
    case 0xF: return system_ram.holds(given, 0) ? Place{&system_ram, given} : Place{};
    default: return {};
    }
  }
  void add_to(Digest& digest) const {
    sdram.add_to(digest), system_ram.add_to(digest), sdram_heap.add_to(digest), system_heap.add_to(digest),
        router.add_to(digest);
    for (const CoreStatus& one : core) digest.add(std::uint32_t(one.state) << 8 | one.application);
  }
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
