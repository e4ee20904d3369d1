// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Collector's Heap offers 'RecordFast' and lacks 'bool record_fast(std::uint32_t neuron,
// expect: neuromorph: Collector's Heap offers 'AdvanceFast' and lacks 'bool advance_fast(std::uint32_t now)'
// expect: neuromorph: Collector's Heap offers 'Leap' and lacks 'void leap(std::uint32_t now)'
// expect: neuromorph: Collector's Heap offers 'LostUntil' and lacks 'std::uint32_t lost_until() const'
#include <neuromorph/neuromorph.hpp>

#include "tests/support/quick_pool.hpp"

using namespace neuromorph;

#ifdef NEUROMORPH_KO
struct Collector {
  template <class Layout>
  struct Heap : gc::Pool<100>::Heap<Layout> {
    using Base = typename gc::Pool<100>::Heap<Layout>;
    using Base::Base;
    using Offers = offer::List<offer::RecordFast, offer::AdvanceFast, offer::Leap, offer::LostUntil, offer::States>;
    constexpr gc::Recorded record_fast(std::uint32_t neuron, std::uint32_t time, const char& trace,
                                       std::uint32_t) noexcept {
      return this->record(neuron, time, trace);
    }
    constexpr int advance_fast(std::uint32_t) noexcept { return 0; }
    constexpr void leap() noexcept {}
    [[nodiscard]] constexpr std::uint32_t lost_until() noexcept { return 0; }
  };
};
#else
using Collector = QuickPool;
#endif

TraceStore<char, 10, Collector> store;
