// SPDX-License-Identifier: BSL-1.0
// Any sequence of steps on a trace store beside the model that never frees: one byte chooses the collector, one where
// time begins, then two bytes are a step. The same program for a fuzzer and to go through a folder of inputs once more.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/baker_collectors.hpp"
#include "tests/support/trace_battery.hpp"
#include "tests/support/trace_collectors.hpp"

namespace {

using namespace battery;
using namespace neuromorph::gc;

template <class PairType>
std::string follow(const std::uint8_t* data, std::size_t size, std::uint32_t start) {
  static constexpr std::uint32_t jumps[] = {1,  1,   1,    2,          3,         19,        20,        21,
                                            22, 100, 5000, 0xFFFFFFFF, 1U << 16U, 1U << 20U, 1U << 30U, 0x7FFFFFFF};
  PairType pair(start);
  std::string wrong;
  for (; size >= 2 && wrong.empty(); data += 2, size -= 2) {
    const std::uint32_t step = data[0], detail = data[1], now = pair.store.now();
    switch (step % 8) {
    case 0:
    case 1: wrong = pair.record(detail % (PairType::neurons + 1), now); break;
    case 2: wrong = pair.record(detail % PairType::neurons, now + 3 - step / 8); break;
    case 3: // a burst
      for (std::uint32_t event = 0; event < 1 + step / 8 && wrong.empty(); ++event)
        wrong = pair.record((detail + event * (detail / 64)) % PairType::neurons, now);
      break;
    case 4: wrong = pair.advance_to(now + jumps[detail % 16]); break;
    case 5: wrong = pair.advance_to(now + 1); break;
    case 6: wrong = pair.window(detail % PairType::neurons, now - step / 8, now + 4 - detail / 16); break;
    default: wrong = step == 255 && detail == 255 ? pair.clear() : pair.compare_all(); break;
    }
  }
  return wrong.empty() ? pair.compare_all() : wrong;
}

template <class Case>
std::string by_age(const std::uint8_t* data, std::size_t size, std::uint32_t start) {
  return follow<Pair<Case, std::uint32_t, 4, 9, AgeWindow<20>>>(data, size, start);
}
template <class Case>
std::string by_reads(const std::uint8_t* data, std::size_t size, std::uint32_t start) {
  return follow<Pair<Case, std::uint8_t, 4, 9, BothDead<AgeWindow<20>, ReadCount<2>>>>(data, size, start);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::string (*stores[])(const std::uint8_t*, std::size_t, std::uint32_t) = {
      by_age<battery::Fifo>,    by_age<FifoGivesWay>,    by_age<battery::Pool>,         by_age<SlowPool>,
      by_age<battery::Ring>,    by_age<RingGivesWay>,    by_reads<RingGivesWay>,        by_age<battery::SlidingFast>,
      by_age<battery::Sliding>, by_reads<battery::Pool>, by_reads<battery::Ring>,       by_reads<battery::Sliding>,
      by_age<battery::Baker>,   by_age<BakerTight>,      by_age<battery::Generational>, by_age<GenerationalTight>,
      by_reads<battery::Baker>};
  if (size < 2) return 0;
  const std::size_t which = data[0] % (sizeof(stores) / sizeof(*stores));
  const std::string wrong = stores[which](data + 2, size - 2, (std::uint32_t{data[1]} << 24U) - (data[1] & 15U));
  if (!wrong.empty()) {
    std::fprintf(stderr, "store %zu: %s\n", which, wrong.c_str());
    std::abort();
  }
  return 0;
}
