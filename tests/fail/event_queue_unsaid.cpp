// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Rest has 'goes_before', and its 'Offers' lacks 'offer::GoesBefore'; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/event_queue.hpp>

using namespace neuromorph;

struct Release {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<>;
  std::uint32_t at = 0;
  bool goes_before(const Release& other) const { return is_before(at, other.at); }
#else
  using Offers = offer::List<offer::GoesBefore>;
  std::uint32_t at = 0;
  bool goes_before(const Release& other) const { return is_before(at, other.at); }
#endif
};

int main() {
  EventQueue<std::uint32_t, 4, Release> queue;
  return queue.push({5, {}}) ? 0 : 1;
}
