// SPDX-License-Identifier: BSL-1.0
/// \file
/// A backend to copy: inherits everything from target::Generic and does one operation in its own way.
// not in the umbrella: a pattern for new backends, of no use to a program
//
// docs/target.md says what else belongs to a backend: a `// requires:` line and an `#error` for a missing
// instruction set, a line in target/native.hpp, a tag in config.hpp.
#ifndef NEUROMORPH_TARGET_TEMPLATE_HPP
#define NEUROMORPH_TARGET_TEMPLATE_HPP

#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct Template : Generic {
  /// As Generic::add_saturating, without a branch.
  [[nodiscard]] static constexpr std::int32_t add_saturating(std::int32_t a, std::int32_t b) noexcept {
    // The compiler cannot evaluate what the machine does, so constants are Generic's.
    if (std::is_constant_evaluated()) return Generic::add_saturating(a, b);
    // Here stands the instruction. This one is portable: where both operands have the sign that the sum has
    // not, the answer is the end of the range on their side.
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    const std::int32_t outside = ((a ^ sum) & (b ^ sum)) >> 31;
    return (sum & ~outside) | ((INT32_MAX ^ (a >> 31)) & outside);
  }

  // A name hides all overloads of that name: one that hides a single one gets the others back.
  //   using Generic::multiply_add_high;

  /// One lane with the operations of Generic; hide in here what the machine does better.
  struct Lanes : Generic::Lanes {};
};
static_assert(Backend<Template> && SaysItsLoops<Template>);
// A misspelt one would be Generic's without a word: so each that is hidden has an assertion that it is.
static_assert(&Template::add_saturating != &Generic::add_saturating);
static_assert(!std::is_same_v<Template::Lanes, Generic::Lanes>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
