// SPDX-License-Identifier: BSL-1.0
/// \file
/// A painted stack: whether it has grown beyond its place, and how deep it has ever been.
///
///     guard.paint();
///     ... service<watch>([&] { if (!guard.is_intact()) stop(); }) ...
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_STACK_GUARD_HPP
#define NEUROMORPH_FIRMWARE_STACK_GUARD_HPP

#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// The stack grows down through these words, and the lowest of them, the red zone, are not for it. What steps over the
/// red zone and leaves it as it is goes unnoticed: make it as large as the largest frame.
class StackGuard {
public:
  static constexpr std::uint32_t paint_word = 0x57AC'F4EE;
  /// \param words           all of the stack, the red zone first
  /// \param red_zone_words  at most that many
  constexpr StackGuard(std::span<std::uint32_t> words, std::uint32_t red_zone_words) noexcept
      : words_(words), red_zone_(red_zone_words) {}

  /// Paints what is below the caller, but for 256 bytes. Once, early in `main`.
  /// \cost a store for each word
  [[gnu::noinline]] void paint() const noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto lowest = reinterpret_cast<std::uintptr_t>(words_.data());
    paint_below(here < lowest + margin ? 0 : (here - lowest - margin) / sizeof(std::uint32_t));
  }
  /// The same, so many words of it.
  constexpr void paint_below(std::uintptr_t count) const noexcept {
    volatile std::uint32_t* const words = words_.data();
    for (std::uintptr_t at = 0; at < count && at < words_.size(); ++at) words[at] = paint_word;
  }

  /// Whether nothing has been written into the red zone since. Interrupts may call it.
  /// \cost a load for each word of the red zone
  [[nodiscard]] constexpr bool is_intact() const noexcept { return untouched(red_zone_) == red_zone_; }

  /// Bytes of the stack that were never used, above the red zone.
  /// \cost a load for each of their words
  [[nodiscard]] constexpr std::uint32_t free_bytes() const noexcept {
    const std::uint32_t all = untouched(size());
    return all < red_zone_ ? 0 : (all - red_zone_) * 4;
  }
  /// Bytes that it has ever had at once: the high-water mark. No less than when it was painted.
  [[nodiscard]] constexpr std::uint32_t deepest_bytes() const noexcept { return (size() - untouched(size())) * 4; }

private:
  static constexpr std::uintptr_t margin = 256; // of the function that paints, and what it may have pushed
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(words_.size()); }
  [[nodiscard]] constexpr std::uint32_t untouched(std::uint32_t most) const noexcept {
    const volatile std::uint32_t* const words = words_.data();
    std::uint32_t at = 0;
    while (at < most && words[at] == paint_word) ++at;
    return at;
  }

  std::span<std::uint32_t> words_;
  std::uint32_t red_zone_;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
