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

/// What the schedule needs, but for many events.
constexpr std::size_t memory_for(std::size_t events) { return events > 1000 ? 40000 : 0; }

/// With the memory of the schedule, and so few words at a time that moves take several calls.
struct Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Baker<neuromorph::gc::BakerOptions{
      .events = Events, .words = 128, .scan = 2, .heap_bytes = memory_for(Events)}>;
  static constexpr bool gives_way = false, any_liveness = true;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  /// Of what has died, some may not have been found.
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.stored() < Events;
  }
  /// Where no interrupt changes the store meanwhile, it promises more.
  template <class Store>
  static bool must_fit_in(const Store& store) {
    return store.heap().never_too_late && store.events() < store.heap().limit;
  }
};
/// The same, with buffers that grow by more, and other numbers.
struct BakerRoomy : Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Baker<neuromorph::gc::BakerOptions{
      .events = Events, .initial = 3, .extension = 4, .words = 200, .scan = 1}>;
};
/// In so little memory that the copier has work all the time, and may come too late.
struct BakerTight : Baker {
  template <std::size_t, class Model>
  static bool must_fit(const Model&, std::uint32_t) {
    return false;
  }
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Baker<neuromorph::gc::BakerOptions{
      .events = Events, .words = 64, .scan = 2, .heap_bytes = 4 * (Neurons * 16 + Events * 8)}>;
};

/// Looks at one neuron by age, and one in turn.
struct Generational : Baker {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Generational<neuromorph::gc::GenerationalOptions{
      .events = Events, .words = 128, .scan = 1, .heap_bytes = memory_for(Events)}>;
  static constexpr bool any_liveness = false;
};
struct GenerationalTight : Generational {
  template <std::size_t, class Model>
  static bool must_fit(const Model&, std::uint32_t) {
    return false;
  }
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Generational<neuromorph::gc::GenerationalOptions{
      .events = Events, .words = 100, .scan = 4, .heap_bytes = 4 * (Neurons * 16 + Events * 8), .generations = 32}>;
};

/// So slow that a move takes many calls.
struct BakerSlow : BakerTight {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Baker<neuromorph::gc::BakerOptions{
      .events = Events, .words = 44, .scan = 2, .heap_bytes = 4 * (Neurons * 12 + Events * 6)}>;
};
struct GenerationalSlow : GenerationalTight {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = neuromorph::gc::Generational<neuromorph::gc::GenerationalOptions{
      .events = Events, .words = 44, .scan = 2, .heap_bytes = 4 * (Neurons * 12 + Events * 6)}>;
};

} // namespace battery

#endif
