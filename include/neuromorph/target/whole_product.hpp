// SPDX-License-Identifier: BSL-1.0
/// \file
/// A product whose upper half is asked for. GCC 12 for RISC-V makes loops of such products of lanes into those of words that hold
/// several lanes, and multiplies the words: `(a[i] * b[i]) >> 8` of bytes is wrong at -O3. What has passed through here is in no such loop.
#ifndef NEUROMORPH_TARGET_WHOLE_PRODUCT_HPP
#define NEUROMORPH_TARGET_WHOLE_PRODUCT_HPP

#include <type_traits>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

template <class Product>
[[nodiscard, gnu::always_inline]] constexpr Product whole_product(Product product) noexcept {
#if defined(__riscv) && !defined(__clang__)
  if (!std::is_constant_evaluated()) asm("" : "+r"(product));
#endif
  return product;
}

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
