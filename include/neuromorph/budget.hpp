// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a network takes of a chip, while it is compiled: bytes of state and of tables.
///
///     static_assert(fits<chip::nrf52840, braille::Network>);            // with all of its memory
///     static_assert(fits<chip::rp2040, braille::Network, 100 << 10>);   // the program has 100 KB of state besides
///
/// What does not fit is a sentence of the compiler, with the bytes that are needed and those that are there. Cycles are told by tools/budget.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_BUDGET_HPP
#define NEUROMORPH_BUDGET_HPP

#include <cstddef>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Bytes of what changes, and of constants.
struct NetworkBytes {
  std::size_t state = 0, tables = 0;
};
/// Of a network that tools/nir_import has made, or of any class with `table_bytes`.
template <class Network>
inline constexpr NetworkBytes budget{.state = sizeof(Network), .tables = Network::table_bytes};

/// Bytes of memory that a program of a chip may change, and of memory for code and tables; 0: tables stand with the rest.
struct ChipMemory {
  std::size_t memory = 0, flash = 0;
};
/// Chips as their makers sell them: what has no wait states, and not what is outside of them.
namespace chip {
inline constexpr ChipMemory spinnaker{64 << 10, 0}; ///< a core's own data memory
inline constexpr ChipMemory nrf52840{256 << 10, 1 << 20};
inline constexpr ChipMemory stm32f407{128 << 10, 1 << 20};
inline constexpr ChipMemory stm32h743{512 << 10, 2 << 20}; ///< of its memories the largest
inline constexpr ChipMemory rp2040{264 << 10, 2 << 20};    ///< with the flash of a Pico
inline constexpr ChipMemory esp32c3{400 << 10, 4 << 20};   ///< with that of its modules
inline constexpr ChipMemory stm32n657{4200 << 10, 0};      ///< a Cortex-M55, which runs from its memory
} // namespace chip

namespace detail {
/// \tparam needed, there  bytes
template <std::size_t needed, std::size_t there>
struct MemoryHolds {
  static_assert(needed <= there, "neuromorph: the state of a network has more bytes than the chip has memory: "
                                 "MemoryHolds<needed, there>; see docs/trained.md");
  static constexpr bool value = needed <= there;
};
template <std::size_t needed, std::size_t there>
struct FlashHolds {
  static_assert(needed <= there, "neuromorph: the tables of a network have more bytes than the chip has flash: "
                                 "FlashHolds<needed, there>; see docs/trained.md");
  static constexpr bool value = needed <= there;
};
} // namespace detail

/// \tparam state, code  bytes that the program has besides: what changes, with its stack, and code with its constants
template <const ChipMemory& on, class Network, std::size_t state = 0, std::size_t code = 0>
inline constexpr bool
    fits = detail::MemoryHolds<budget<Network>.state + state + (on.flash == 0 ? budget<Network>.tables : 0),
                               on.memory>::value &&
           (on.flash == 0 || detail::FlashHolds < budget<Network>.tables + code,
            on.flash == 0 ? ~std::size_t{0} : on.flash > ::value);

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
