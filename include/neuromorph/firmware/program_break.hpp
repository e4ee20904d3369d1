// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where a C library's heap ends: what `sbrk` moves, in steps of 16 bytes, up to the stack.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_PROGRAM_BREAK_HPP
#define NEUROMORPH_FIRMWARE_PROGRAM_BREAK_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

class ProgramBreak {
public:
  /// Vectors of 16 bytes may lie at the beginning of what is given.
  static constexpr std::uintptr_t alignment = 16;
  enum class Refused : std::uint8_t { no, no_memory, below_heap };
  struct Answer {
    std::uintptr_t before; ///< where the new memory begins, if it is not refused
    Refused refused;
  };

  /// \param begin, end  the heap's
  /// \param stack       where the stack is now: nothing above it is given
  /// \param bytes       more, rounded up to the alignment; negative: given back, rounded down
  constexpr Answer move(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t stack, std::ptrdiff_t bytes) noexcept {
    const std::uintptr_t first = up(begin);
    const std::uintptr_t limit = down(end < stack ? end : stack);
    const std::uintptr_t before = first + given_;
    if (bytes < 0) {
      const std::uintptr_t back = down(0 - static_cast<std::uintptr_t>(bytes));
      if (back > given_) return {before, Refused::below_heap};
      given_ -= back;
      return {before, Refused::no};
    }
    const std::uintptr_t more = up(static_cast<std::uintptr_t>(bytes));
    if (limit < before || first < begin) return {before, bytes == 0 ? Refused::no : Refused::no_memory};
    if (more > limit - before) return {before, Refused::no_memory};
    given_ += more;
    return {before, Refused::no};
  }

private:
  static constexpr std::uintptr_t up(std::uintptr_t value) noexcept { return down(value + alignment - 1); }
  static constexpr std::uintptr_t down(std::uintptr_t value) noexcept { return value & ~(alignment - 1); }
  std::uintptr_t given_ = 0;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
