// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Collector's Heap lacks 'using Offers', an offer::List of what it has of 'RecordFast'
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Collector {
  template <class Layout>
  struct Heap {
    using Inner = gc::Pool<100>::Heap<Layout>;
    using Cursor = typename Inner::Cursor;
    static constexpr std::size_t bytes = Inner::bytes;
    static constexpr std::uint32_t ahead = Inner::ahead, longest_step = Inner::longest_step;
    static constexpr bool keeps_views = Inner::keeps_views;
    Inner inner;
    explicit constexpr Heap(std::uint32_t start) : inner(start) {}
    constexpr std::uint32_t now() const { return inner.now(); }
    constexpr gc::Recorded record(std::uint32_t neuron, std::uint32_t time, const char& trace, bool is_linked) {
      return inner.record(neuron, time, trace, is_linked);
    }
    constexpr Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
      return inner.look(neuron, after, until);
    }
    constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
      return inner.window(neuron, after, until);
    }
    constexpr bool advance_to(std::uint32_t now) { return inner.advance_to(now); }
    constexpr std::size_t events() const { return inner.events(); }
    constexpr void clear() { inner.clear(); }
    constexpr void add_to(gc::Counts& statistics) const { inner.add_to(statistics); }
    constexpr bool is_consistent() const { return inner.is_consistent(); }
#ifdef NEUROMORPH_KO
    constexpr bool tick_quick(std::uint32_t) noexcept { return false; }
#else
    using Offers = offer::List<>;
#endif
  };
};

TraceStore<char, 10, Collector> store;
