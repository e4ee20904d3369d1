// SPDX-License-Identifier: BSL-1.0
// Ways of packets through random tables on broken machines, against a search that keeps sets; circles, devices, links that lead nowhere.
#include <neuromorph/machine/table_walk.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
using mapping::Chip;

struct Found {
  std::vector<std::pair<Chip, unsigned>> cores;
  machine::WalkAccount account;
};
/// By recursion, a copy at a time.
struct Search {
  const mapping::Machine& of;
  const mapping::Tables& tables;
  std::uint32_t key;
  Found found{};
  std::set<std::pair<Chip, unsigned>> entered{};

  void go(Chip chip, int link) {
    std::uint32_t route = link < 0 ? 0 : 1U << link;
    for (const mapping::TableEntry& entry : tables[chip])
      if ((key & entry.keys.mask) == entry.keys.key) {
        route = entry.route;
        break;
      }
    if (link < 0 && route == 0) ++found.account.unrouted;
    for (unsigned core = 0; core < 26; ++core)
      if (((route >> 6) >> core & 1U) != 0) found.cores.emplace_back(chip, core);
    for (unsigned out = 0; out < 6; ++out) {
      if ((route >> out & 1U) == 0) continue;
      const Chip next = of.neighbour(chip, mapping::Link(out));
      if (next == mapping::no_chip)
        ++found.account.lost;
      else if (next >= of.grid_chips())
        ++found.account.devices, found.cores.emplace_back(next, 0);
      else if (!entered.insert({next, out}).second)
        ++found.account.circles;
      else
        go(next, static_cast<int>(out));
    }
  }
};

} // namespace

TEST_CASE("table_walk: copies come where a search brings them, whatever the tables") {
  std::mt19937 generator(9);
  const auto draw = [&generator] { return static_cast<std::uint32_t>(generator()); };
  std::uint64_t circles = 0, devices = 0, lost = 0, unrouted = 0, cores = 0;
  for (unsigned round = 0; round < 300; ++round) {
    const std::uint32_t width = 1 + draw() % 6, height = 1 + draw() % 6;
    auto made = mapping::Machine::grid<mapping::SpiNNaker1>(width, height,
                                                            {.wraps_x = draw() % 2 == 0, .wraps_y = draw() % 2 == 0});
    REQUIRE(made.ok());
    mapping::Machine& of = made.value();
    for (Chip chip = 0; chip < of.grid_chips(); ++chip)
      if (draw() % 5 == 0) of.remove_link(chip, mapping::Link(draw() % 6));
    if (draw() % 2 == 0) {
      const Chip at = draw() % of.grid_chips();
      static_cast<void>(of.add_device(at, mapping::Link(draw() % 6), "eye").ok());
    }
    mapping::Tables tables;
    const unsigned most_links = 1 + draw() % 3;
    for (Chip chip = 0; chip < of.grid_chips(); ++chip) {
      for (unsigned count = draw() % 4; count-- > 0;) {
        const std::uint32_t mask = draw() % 16, key = draw() & mask;
        std::uint32_t route = draw() % 4 == 0 ? (draw() & 0x3FFFF) << 6 : 0;
        for (unsigned links = draw() % (most_links + 1); links-- > 0;) route |= 1U << draw() % 6;
        tables.items.push_back({{key, mask}, route, 0});
      }
      tables.end_list();
    }
    machine::TableWalk walk(of, tables);
    machine::WalkAccount sum;
    for (std::uint32_t key = 0; key < 16; ++key)
      for (Chip from = 0; from < of.chips(); ++from) {
        std::vector<machine::CoreAt> to;
        walk.deliveries(from, key, to);
        Search search{of, tables, key};
        if (from < of.grid_chips())
          search.go(from, -1);
        else // a device at a link sends the other way
          search.go(of.device(from).chip, static_cast<int>((unsigned(of.device(from).link) + 3) % 6));
        std::vector<std::pair<Chip, unsigned>> got;
        for (const machine::CoreAt& one : to) got.emplace_back(one.chip, one.core);
        std::sort(got.begin(), got.end()), std::sort(search.found.cores.begin(), search.found.cores.end());
        if (got != search.found.cores) FAIL("round " << round << ", key " << key << ", from " << from);
        sum.unrouted += search.found.account.unrouted, sum.lost += search.found.account.lost;
        sum.circles += search.found.account.circles, sum.devices += search.found.account.devices;
        cores += got.size();
      }
    CHECK(walk.account() == sum);
    circles += sum.circles, devices += sum.devices, lost += sum.lost, unrouted += sum.unrouted;
  }
  CHECK(circles > 100);
  CHECK(devices > 50);
  CHECK(lost > 100);
  CHECK(unrouted > 100);
  CHECK(cores > 1000);
}
