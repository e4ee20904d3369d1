// SPDX-License-Identifier: BSL-1.0
// Any plan of sources, posts and budgets beside the model: one byte chooses clocks, queue and options, the others are
// the numbers of the plan. The same program for a fuzzer and to go through a folder of inputs once more.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/schedule_plans.hpp"

namespace {

using namespace schedule;

/// Numbers from bytes, as many as the range needs; the least when there are no more.
class Bytes {
public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  Time operator()(Time least, Time most) {
    const auto range = static_cast<std::uint64_t>(most - least);
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && range >> shift != 0 && left_ != 0; shift += 8, --left_)
      value |= std::uint64_t{*data_++} << shift;
    return least + static_cast<Time>(range == ~std::uint64_t{0} ? value : value % (range + 1));
  }

private:
  const std::uint8_t* data_;
  std::size_t left_;
};

template <class RawTick, class TickType, std::size_t Capacity, std::size_t Depth, bool has_budgets>
std::string follow(Bytes& draw) {
  Plan plan = any_plan(draw, false);
  if (draw(0, 1) != 0) overrun(draw, plan);
  if (has_budgets)
    for (std::size_t service = 0; service < most_sources; ++service)
      if (draw(0, 1) != 0) plan.budget[service] = any_budget(draw, plan.execution[service]);
  Outcome outcome;
  const std::string wrong = compare<RawTick, TickType, Capacity, Depth, has_budgets>(plan, outcome);
  return wrong.empty() ? wrong : wrong + "\n" + text(plan);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Narrow = std::uint32_t;
  using Wide = std::uint64_t;
  static constexpr std::string (*ways[])(Bytes&) = {
      follow<Narrow, Narrow, 4, 1, false>, follow<Narrow, Narrow, 9, 4, true>, follow<Narrow, Narrow, 80, 8, true>,
      follow<Wide, Wide, 8, 2, true>,      follow<Narrow, Wide, 12, 8, true>,
  };
  if (size < 2) return 0;
  Bytes draw(data + 1, size - 1);
  const std::string wrong = ways[data[0] % (sizeof(ways) / sizeof(*ways))](draw);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
