// SPDX-License-Identifier: BSL-1.0
/// \file
/// Memory for arrays that are read in no order: aligned to caches, in huge pages where the system gives them.
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
  /// All zero.
  explicit Pages(std::size_t size) : Pages(size, AsItIs{}) {
    if (size != 0) std::memset(static_cast<void*>(elements_.get()), 0, bytes());
  }
  /// To be written before it is read.
  [[nodiscard]] static Pages for_overwrite(std::size_t size) { return Pages(size, AsItIs{}); }

  [[nodiscard]] Element* data() const noexcept { return elements_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(Element); }
  [[nodiscard]] std::span<Element> all() const noexcept { return {elements_.get(), size_}; }

private:
  static constexpr std::size_t line = 64, huge = target::huge_page_bytes;
  struct AsItIs {};
  Pages(std::size_t size, AsItIs) : size_(size) {
    if (size == 0) return;
    const std::size_t unit = bytes() >= huge ? huge : line;
    void* const memory = ::operator new(bytes(), std::align_val_t(unit));
    elements_ = {static_cast<Element*>(memory), Free{unit}};
    if (unit == huge) target::prefer_huge_pages(memory, bytes() / huge * huge); // what is left takes no whole one
  }

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
