// SPDX-License-Identifier: BSL-1.0
/// \file
/// Zeroed memory for arrays that are read in no order: aligned to caches, in huge pages where the system gives them.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_PAGES_HPP
#define NEUROMORPH_NETWORK_DETAIL_PAGES_HPP

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/host_system.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

template <class Element>
class Pages {
  static_assert(std::is_trivially_copyable_v<Element>);

public:
  Pages() = default;
  explicit Pages(std::size_t size) : size_(size) {
    if (size == 0) return;
    const std::size_t bytes = size * sizeof(Element);
    const bool is_large = bytes >= huge;
    const std::size_t unit = is_large ? huge : line, whole = (bytes + unit - 1) / unit * unit;
    void* const memory = ::operator new(whole, std::align_val_t(unit));
    elements_ = {static_cast<Element*>(memory), Free{unit}};
    if (is_large) target::prefer_huge_pages(memory, whole);
    std::memset(memory, 0, whole);
  }

  [[nodiscard]] Element* data() const noexcept { return elements_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(Element); }
  [[nodiscard]] std::span<Element> all() const noexcept { return {elements_.get(), size_}; }

private:
  static constexpr std::size_t line = 64, huge = target::huge_page_bytes;
  struct Free {
    std::size_t unit = line;
    void operator()(Element* memory) const noexcept {
      ::operator delete(static_cast<void*>(memory), std::align_val_t(unit));
    }
  };

  std::unique_ptr<Element, Free> elements_{};
  std::size_t size_ = 0;
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
