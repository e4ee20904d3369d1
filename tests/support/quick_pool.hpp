// SPDX-License-Identifier: BSL-1.0
// A collector whose heap has all that makes one faster, and says so: what programs have who say it wrongly.
#ifndef TESTS_SUPPORT_QUICK_POOL_HPP
#define TESTS_SUPPORT_QUICK_POOL_HPP

#include <cstdint>

#include <neuromorph/neuromorph.hpp>

struct QuickPool {
  template <class Layout>
  struct Heap : neuromorph::gc::Pool<100>::Heap<Layout> {
    using Base = typename neuromorph::gc::Pool<100>::Heap<Layout>;
    using Base::Base;
    using Offers =
        neuromorph::offer::List<neuromorph::offer::RecordFast, neuromorph::offer::AdvanceFast, neuromorph::offer::Leap,
                                neuromorph::offer::LostUntil, neuromorph::offer::States>;
    constexpr bool record_fast(std::uint32_t neuron, std::uint32_t time, const char& trace, std::uint32_t) noexcept {
      return is_stored(this->record(neuron, time, trace));
    }
    constexpr bool advance_fast(std::uint32_t) noexcept { return false; }
    constexpr void leap(std::uint32_t now) noexcept { this->advance_to(now); }
    [[nodiscard]] constexpr std::uint32_t lost_until() const noexcept { return 0; }
  };
};

#endif
