// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a Liveness has a window of at most 2^29 ticks
#include <cstdint>

#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/trace_store.hpp>

using namespace neuromorph;

struct Patient : gc::AgeWindow<20> {
#ifdef NEUROMORPH_KO
  static constexpr std::uint32_t window = (1U << 29) + 1;
#else
  static constexpr std::uint32_t window = 1U << 29;
#endif
  [[nodiscard]] static constexpr bool is_dead(gc::NoState, std::uint32_t time, std::uint32_t now) noexcept {
    return is_before(time + window, now);
  }
};
TraceStore<char, 10, gc::Pool<100>, Patient> store;
