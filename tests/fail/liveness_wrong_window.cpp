// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Liveness offers 'Window' and lacks 'static constexpr std::uint32_t window'; see docs/traces.md
// expect: neuromorph: Liveness offers 'IsRead' and lacks 'static bool is_read(State)'; see docs/traces.md
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
  using Offers = offer::List<offer::Window, offer::IsRead>;
  static constexpr std::uint32_t window() { return 20; }
  [[nodiscard]] static constexpr int is_read(State state) noexcept { return state; }
#else
  using Offers = offer::List<offer::Window, offer::IsRead>;
  static constexpr std::uint32_t window = 20;
  [[nodiscard]] static constexpr bool is_read(State state) noexcept { return state != 0; }
#endif
};

TraceStore<char, 10, gc::Pool<100>, Liveness> store;
