// SPDX-License-Identifier: BSL-1.0
// Collectors with variable buffers that the battery is run with, as those of trace_collectors.hpp.
#ifndef TESTS_SUPPORT_BAKER_COLLECTORS_HPP
#define TESTS_SUPPORT_BAKER_COLLECTORS_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>

#include "tests/reference/trace_model.hpp"

namespace battery {

/// A device whose transfers live in the object that has it: a word arrives with each poll, and a store can be copied
/// while one is under way.
class MovableDma {
public:
  static constexpr bool is_immediate = false;
  neuromorph::target::Transfer start(void* to, const void* from, std::size_t bytes) {
    if (left_ != 0) { // until it is asked again, all has arrived
      while (left_ != 0) poll();
      return neuromorph::target::Transfer::none;
    }
    to_ = static_cast<unsigned char*>(to) - here();
    from_ = static_cast<const unsigned char*>(from) - here();
    left_ = bytes / 4;
    return neuromorph::target::Transfer{1};
  }
  bool is_complete(neuromorph::target::Transfer) const { return left_ == 0; }
  void poll() {
    if (left_ == 0) return;
    for (int byte = 0; byte < 4; ++byte) here()[to_++] = here()[from_++];
    --left_;
  }

private:
  unsigned char* here() { return reinterpret_cast<unsigned char*>(this); }
  std::ptrdiff_t to_ = 0, from_ = 0;
  std::size_t left_ = 0;
};

/// Two initial events, two more at a time, in three fragments.
struct Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Baker<Events, 2, 2, 3, 2, neuromorph::target::CopyWords>;
  static constexpr bool gives_way = false, any_liveness = true;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.live() < Events;
  }
};
/// The same with a device for both ways, and with one for the way back.
struct BakerByDma : Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Baker<Events, 1, 1, 2, 3, MovableDma>;
};
struct BakerBackByDma : Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Baker<Events, 4, 4, 1, 16, neuromorph::target::CopyBlock<>, MovableDma>;
};

/// Looks at one neuron by age, and one in turn.
struct Generational : Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Generational<Events, 2, 2, 3, 1, 16, neuromorph::target::CopyWords>;
  static constexpr bool any_liveness = false;
};
struct GenerationalByDma : Generational {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Generational<Events, 1, 1, 2, 4, 32, MovableDma>;
};

} // namespace battery

#endif
