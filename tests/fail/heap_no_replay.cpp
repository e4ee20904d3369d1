// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Collector's Heap offers 'Replay' and lacks 'bounds_of(std::uint32_t after) const' or 'bool replay(
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Collector {
  template <class Layout>
  struct Heap : gc::Pool<100>::Heap<Layout> {
    using Base = typename gc::Pool<100>::Heap<Layout>;
    using Base::Base;
    using Offers = offer::List<offer::Replay, offer::States>;
    [[nodiscard]] constexpr std::uint32_t bounds_of(std::uint32_t after) const noexcept { return after; }
    template <class IsNewest, class Before, class Each>
#ifdef NEUROMORPH_KO
    constexpr bool play_back(std::uint32_t, std::uint32_t, IsNewest, Before, Each) const noexcept {
#else
    constexpr bool replay(std::uint32_t, std::uint32_t, IsNewest, Before, Each) const noexcept {
#endif
        return false;
  }
};
}
;

TraceStore<char, 10, Collector> store;
