// SPDX-License-Identifier: BSL-1.0
// Windows that count reads, at every place of a round of compaction: no mark stays behind when a buffer moves.
#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/support/baker_collectors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/trace_battery.hpp"

namespace {

using namespace neuromorph;
using battery::Interrupt;

constexpr std::uint32_t neurons = 4, events = 12;

/// An event dies when it has been shown twice.
template <class Case>
struct Readings {
  using Store = TraceStore<std::uint32_t, neurons, typename Case::template Collector<neurons, 16>, gc::ReadCount<2>,
                           battery::Machine<true>, battery::InterruptHook>;
  Store store;
  std::array<unsigned, events> shown{}; // times, by trace
  std::uint32_t interrupting = 0;
  unsigned came = 0, overlapped = 0;

  void read(std::uint32_t neuron) {
    for (const auto& event : store.window(neuron, 0U - 1, store.now())) ++shown[event.trace];
  }
  static void strike(void* context) {
    auto& self = *static_cast<Readings*>(context);
    ++self.came;
    if (self.store.heap().is_compacting()) ++self.overlapped;
    self.read(self.interrupting);
  }
  /// Buffers of several lengths, with holes where two neurons had theirs.
  void prepare() {
    for (std::uint32_t event = 0; event < 4; ++event) REQUIRE(is_stored(store.record((event + 2) % 4, 0, event)));
    for (std::uint32_t event = 4; event < events; ++event) REQUIRE(is_stored(store.record(event % 2, 0, event)));
    for (const std::uint32_t neuron : {2U, 3U, 2U, 3U}) read(neuron);
  }
};

/// A device that others use, too: it refuses each second transfer.
class BusyDma : public battery::MovableDma {
public:
  target::Transfer start(void* to, const void* from, std::size_t bytes) {
    return ++asked_ % 2 != 0 ? target::Transfer::none : MovableDma::start(to, from, bytes);
  }

private:
  unsigned asked_ = 0;
};
struct BakerByBusyDma : battery::Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = gc::Baker<Events, 1, 1, 2, 3, BusyDma>;
};

} // namespace

TEMPLATE_TEST_CASE("baker: a window on a buffer that moves leaves its marks on what arrives", "[gc][baker]",
                   battery::Baker, battery::BakerByDma, battery::BakerBackByDma, BakerByBusyDma) {
  unsigned overlapped = 0;
  for (std::uint32_t neuron = 0; neuron < 2; ++neuron)
    for (long place = 0;; ++place) {
      Readings<TestType> readings;
      readings.prepare();
      readings.interrupting = neuron;
      Interrupt::handler = Readings<TestType>::strike;
      Interrupt::context = &readings;
      Interrupt::places_left = place;
      for (std::uint32_t now = 1; now < 100; ++now) readings.store.advance_to(now);
      Interrupt::places_left = -1;
      for (int turn = 0; turn < 3; ++turn)
        for (std::uint32_t each = 0; each < neurons; ++each) readings.read(each);
      INFO("neuron " << neuron << ", place " << place);
      for (std::size_t event = 0; event < events; ++event) REQUIRE(readings.shown[event] == 2);
      REQUIRE(readings.store.is_consistent());
      overlapped += readings.overlapped;
      if (readings.came == 0) break;
    }
  CHECK(overlapped > 10);
}
