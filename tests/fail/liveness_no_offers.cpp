// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Liveness lacks 'using Offers', an offer::List of what it has of 'Window', 'IsRead' and 'Readers'
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Liveness {
  using State = std::uint8_t;
  static constexpr bool in_time_order = true;
  static constexpr void read(State& state) noexcept { state = 1; }
  [[nodiscard]] static constexpr bool is_dead(State state, std::uint32_t time, std::uint32_t now) noexcept {
    return state != 0 || is_before(time + 20, now);
  }
#ifdef NEUROMORPH_KO
  static constexpr std::uint32_t windows = 20;
#else
  using Offers = offer::List<>;
#endif
};

TraceStore<char, 10, gc::Pool<100>, Liveness> store;
