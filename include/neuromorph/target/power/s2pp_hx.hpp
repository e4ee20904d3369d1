// SPDX-License-Identifier: BSL-1.0
/// \file
/// Kernels of target/power/s2pp_kernel.hpp on the vector unit of BrainScaleS-2 HX, which has eight slices: vectors of 128 bytes.
///
///     alignas(128) std::array<std::int8_t, 128> masks[256];
///     target::S2ppHx::run<Decay>(256, {.numbers = {3}, .spaces = {weights_of_even_columns}, .memory = {masks}});
///
/// A vector of the synapse array is a half of a row, and has one address. No program has run on a chip.
// requires: -D__S2PP__ (powerpc)
#ifndef NEUROMORPH_TARGET_POWER_S2PP_HX_HPP
#define NEUROMORPH_TARGET_POWER_S2PP_HX_HPP

#if !defined(__S2PP__) || !defined(__PPC__) || !defined(__BIG_ENDIAN__)
#error "neuromorph/target/power/s2pp_hx.hpp needs a plasticity processor: -D__S2PP__ and big-endian PowerPC"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/target/power/s2pp_kernel.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// What a kernel's slots are filled with.
template <std::size_t Numbers, std::size_t Spaces, std::size_t Memories>
struct S2ppArguments {
  std::array<std::int32_t, Numbers> numbers = {}; ///< their lower bits go to all lanes
  std::array<std::uint32_t, Spaces> spaces = {};  ///< addresses of the first vectors
  std::array<void*, Memories> memory = {};        ///< likewise, at multiples of 128; the next is 128 bytes behind
  std::uint32_t stride = 1;                       ///< from one address of the space to the next
};

struct S2ppHx {
  static constexpr std::size_t vector_bytes = 128;

  template <class Kernel>
  using Arguments =
      S2ppArguments<s2pp_program<Kernel>().numbers, s2pp_program<Kernel>().spaces, s2pp_program<Kernel>().memories>;

  /// A kernel on so many vectors. Nothing else may use the unit meanwhile, an interrupt neither.
  template <class Kernel>
  static void run(std::uint32_t vectors, const Arguments<Kernel>& arguments) {
    const Arguments<Kernel> given = arguments; // which no store of the unit can change
    static constexpr S2ppProgram program = s2pp_program<Kernel>();
    steps<program, 0>(std::make_index_sequence<program.prologue>(), given, 0);
    for (std::uint32_t at = 0; at < vectors; ++at)
      steps<program, program.prologue>(std::make_index_sequence<program.size - program.prologue>(), given, at);
    asm volatile("sync" ::: "memory"); // the processor sees what the unit has written
  }

private:
  template <const S2ppProgram& program, std::size_t First, std::size_t... Step, class Given>
  [[gnu::always_inline]] static void steps(std::index_sequence<Step...>, const Given& given, std::uint32_t at) {
    (step<program, First + Step>(given, at), ...);
  }
  /// Statements of assembly keep their order, and nothing else touches the unit's registers.
  template <const S2ppProgram& program, std::size_t At, class Given>
  [[gnu::always_inline]] static void step(const Given& given, std::uint32_t at) {
    static constexpr S2ppStep is = program.steps[At];
    using General = S2ppStep::General;
    if constexpr (is.general == General::number || is.general == General::constant) {
      std::int32_t value = 0;
      if constexpr (is.general == General::number)
        value = given.numbers[is.slot];
      else
        value = program.constants[is.slot];
      asm volatile(".long %c[word] | %[value] << 16" ::[word] "n"(is.word), [value] "r"(value));
    } else if constexpr (is.general == General::space) {
      const std::uint32_t address = given.spaces[is.slot] + at * given.stride;
      asm volatile(".long %c[word] | %[address] << 11" ::[word] "n"(is.word), [address] "r"(address));
    } else if constexpr (is.general == General::memory) {
      const void* const address = static_cast<std::int8_t*>(given.memory[is.slot]) + vector_bytes * at;
      asm volatile(".long %c[word] | %[address] << 11" ::[word] "n"(is.word), [address] "r"(address) : "memory");
    } else {
      asm volatile(".long %c[word]" ::[word] "n"(is.word));
    }
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
