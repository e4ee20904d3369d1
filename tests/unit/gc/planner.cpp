// SPDX-License-Identifier: BSL-1.0
// Tails against sums in long double, plans against the sizes of the stores themselves, and against streams.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/planner.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph;
using namespace neuromorph::gc;

// The papers' example: ten neurons, each with 16 traces in a buffer for 16 with probability 1/16. Not 62.5 %.
static_assert(any_of(1.0 / 16.0, 10) > 0.4755 && any_of(1.0 / 16.0, 10) < 0.4756);
static_assert(any_of(0, 10) == 0 && any_of(1, 10) == 1 && any_of(0.25, 1) == 0.25 && any_of(0.5, 2) == 0.75);

// 255 neurons at 10 Hz, 500 ms: about 1278 alive, and the default goal's memory holds them.
constexpr TraceLoad papers = TraceLoad::at_hz(255, 10, 1, 500);
static_assert(papers.expected() > 1277.5 && papers.expected() < 1277.6);
static_assert(papers.worst_of_neuron(1) == 501 && papers.worst_of_neuron(20) == 26 && papers.worst(20) == 6630);
static_assert(overflow_of_shared(papers, 1450) < 2e-6 && overflow_of_shared(papers, 1450) > 5e-7);
static_assert(events_of_shared(papers, 1e-6) >= 1450 && events_of_shared(papers, 1e-6) < 1460);
static_assert(overflow_of_buffers(papers, 16) > 1e-3); // the state of the practice, at any time
static_assert(plan_fifo(papers, 4, 1e-6).bytes < 12300);
static_assert(plan_sliding(papers, 4, 1e-6).bytes < 9800); // less than the live events' own
static_assert(plan_ring(papers, 4, 1e-6).bytes > 40000);
static_assert(plan_fifo(papers, 4, 1e-6).bytes * 2 < 3 * 8 * 1277); // at most half beyond the live events' own
static_assert(poisson_at(0, 0) == 1 && poisson_at(0, 3) == 0 && poisson_above(0, 0) == 0);

long double log_of_poisson(double mean, std::size_t k) {
  const long double m = mean, n = static_cast<long double>(k);
  return n * std::log(m) - m - std::lgamma(n + 1.0L);
}

template <std::size_t Bytes>
struct Trace {
  unsigned char bytes[Bytes];
};
template <class Collector, std::size_t Neurons, std::size_t TraceBytes, std::uint32_t Window>
constexpr std::size_t bytes = TraceStore<Trace<TraceBytes>, Neurons, Collector, AgeWindow<Window>>::Heap::bytes;

/// So many neurons take memory of their own; the others what the schedule needs.
template <std::size_t Events, std::size_t Neurons>
constexpr BakerOptions baker_options{.events = Events % 800,
                                     .longest = Events % 50,
                                     .words = 128,
                                     .heap_bytes = (Neurons > 300 ? std::size_t{40000} : 0)};
template <std::size_t Events, std::size_t Neurons>
using Safe = Baker<baker_options<Events, Neurons>>;

template <std::size_t Events, std::size_t Neurons>
constexpr GenerationalOptions generational_options{.events = Events % 800,
                                                   .longest = Events % 50,
                                                   .words = 128,
                                                   .heap_bytes = (Neurons > 300 ? std::size_t{40000} : 0),
                                                   .generations = 32};
template <std::size_t Events, std::size_t Neurons>
using ByAge = Generational<generational_options<Events, Neurons>>;

template <std::size_t Neurons, std::size_t Events, std::size_t TraceBytes, std::uint32_t Window>
constexpr bool sizes_agree() {
  using SlidingStore = TraceStore<Trace<TraceBytes>, Neurons, Sliding<Events>, AgeWindow<Window>>;
  return SlidingStore::Heap::bytes == sizeof(typename SlidingStore::Heap) &&
         SlidingStore::Heap::bytes <= bytes_of_sliding(Neurons, Events, TraceBytes, Window) &&
         SlidingStore::Heap::bytes + 6 >= bytes_of_sliding(Neurons, Events, TraceBytes, Window) &&
         bytes<Fifo<Events>, Neurons, TraceBytes, Window> == bytes_of_fifo(Neurons, Events, TraceBytes, Window) &&
         bytes<Ring<Events % 200>, Neurons, TraceBytes, Window> == bytes_of_ring(Neurons, Events % 200, TraceBytes) &&
         bytes<Pool<Events>, Neurons, TraceBytes, Window> == bytes_of_pool(Neurons, Events, TraceBytes) &&
         bytes<Fifo<Events>, Neurons, TraceBytes, Window> ==
             sizeof(typename TraceStore<Trace<TraceBytes>, Neurons, Fifo<Events>, AgeWindow<Window>>::Heap) &&
         bytes<Ring<Events % 200>, Neurons, TraceBytes, Window> ==
             sizeof(typename TraceStore<Trace<TraceBytes>, Neurons, Ring<Events % 200>, AgeWindow<Window>>::Heap) &&
         bytes<Pool<Events>, Neurons, TraceBytes, Window> ==
             sizeof(typename TraceStore<Trace<TraceBytes>, Neurons, Pool<Events>, AgeWindow<Window>>::Heap) &&
         bytes<Safe<Events, Neurons>, Neurons, TraceBytes, Window> ==
             bytes_of_baker(Neurons, baker_options<Events, Neurons>, TraceBytes) &&
         bytes<Safe<Events, Neurons>, Neurons, TraceBytes, Window> ==
             sizeof(typename TraceStore<Trace<TraceBytes>, Neurons, Safe<Events, Neurons>, AgeWindow<Window>>::Heap) &&
         bytes<ByAge<Events, Neurons>, Neurons, TraceBytes, Window> ==
             bytes_of_generational(Neurons, generational_options<Events, Neurons>, TraceBytes) &&
         bytes<ByAge<Events, Neurons>, Neurons, TraceBytes, Window> ==
             sizeof(typename TraceStore<Trace<TraceBytes>, Neurons, ByAge<Events, Neurons>, AgeWindow<Window>>::Heap) &&
         SlidingStore::bytes == SlidingStore::Heap::bytes + bytes_of_newest(Neurons, TraceBytes);
}
/// The table of docs/traces.md, by words that a call copies.
constexpr bool schedule_takes(std::uint64_t count, std::uint64_t events, std::uint64_t longest,
                              std::array<std::uint64_t, 5> bytes_of) {
  constexpr std::array<std::uint64_t, 5> words{64, 96, 128, 192, 256};
  for (std::size_t at = 0; at < words.size(); ++at) {
    const BakerOptions options{.events = events, .longest = longest, .words = words[at]};
    if (detail::copy_schedule(count, 2, detail::numbers_of(options)).words * 4 != bytes_of[at]) return false;
  }
  return true;
}
static_assert(schedule_takes(40, 160, 16, {53996, 14796, 10572, 8188, 7260}));
static_assert(schedule_takes(255, 340, 12, {233180, 58940, 40460, 29644, 25820}));
static_assert(schedule_takes(255, 650, 16, {272772, 71604, 50356, 37812, 33316}));
static_assert(schedule_takes(255, 1450, 32, {375972, 104708, 75940, 59172, 53108}));
// A store that takes less memory, or copies fewer words, promises less.
template <BakerOptions Options>
constexpr bool never_too_late = TraceStore<std::int32_t, 40, Baker<Options>>::Heap::never_too_late;
static_assert(never_too_late<BakerOptions{.events = 160, .longest = 16}>);
static_assert(never_too_late<BakerOptions{.events = 160, .longest = 16, .heap_bytes = 10572}>);
static_assert(!never_too_late<BakerOptions{.events = 160, .longest = 16, .heap_bytes = 10568}>);
static_assert(!never_too_late<BakerOptions{.events = 160, .longest = 16, .words = 44, .heap_bytes = 60000}>);

static_assert(sizes_agree<255, 1450, 4, 500>());
static_assert(sizes_agree<255, 4095, 4, 500>()); // the most with a header of one word
static_assert(bytes_of_fifo(255, 4096, 4, 500) - bytes_of_fifo(255, 4095, 4, 500) > 16000);
static_assert(sizes_agree<255, 4097, 1, 500>());
static_assert(sizes_agree<3, 7, 1, 500>());
static_assert(sizes_agree<1, 1, 16, 0>());
static_assert(sizes_agree<4000, 50001, 3, 500>());
static_assert(sizes_agree<40, 640, 16, 100000>());

} // namespace

TEST_CASE("planner: Poisson probabilities are those of the closed form", "[gc][planner]") {
  for (const double mean : {0.001, 0.5, 1.0, 5.01, 16.0, 100.0, 1277.55, 60000.0})
    for (const double at : {0.0, 0.5, 0.9, 1.0, 1.1, 1.5, 3.0}) {
      const auto k = static_cast<std::size_t>(mean * at + (at > 1 ? 2 : 0));
      const long double expected = std::exp(log_of_poisson(mean, k));
      INFO("mean " << mean << ", k " << k);
      if (expected > 1e-290L)
        CHECK(poisson_at(mean, k) == Approx(static_cast<double>(expected)).epsilon(1e-9));
      else
        CHECK(poisson_at(mean, k) < 1e-280);
    }
}

TEST_CASE("planner: tails are sums of the closed form, also where they are very small", "[gc][planner]") {
  for (const double mean : {1e-100, 1e-20, 1e-9, 0.001, 0.5, 1.0, 1.001, 5.01, 100.0, 1277.55})
    for (const double deviations : {-3.0, -1.0, 0.0, 1.0, 5.0, 10.0, 20.0}) {
      const double from = mean + deviations * std::sqrt(mean);
      const auto k = static_cast<std::size_t>(from > 0 ? from : 0);
      long double expected = 0;
      for (std::size_t i = k + 5000; i > k; --i) expected += std::exp(log_of_poisson(mean, i));
      INFO("mean " << mean << ", k " << k);
      CHECK(poisson_above(mean, k) == Approx(static_cast<double>(expected)).epsilon(1e-9));
    }
  for (const double mean : {0.0, -1.0})
    for (const std::size_t k : {0U, 1U, 10U}) CHECK(poisson_above(mean, k) == 0);
}

TEST_CASE("planner: at least one of n is one minus none of n", "[gc][planner]") {
  for (const double p : {1e-300, 1e-20, 1e-9, 0.001, 0.3, 0.999})
    for (const std::size_t n : {1U, 2U, 10U, 255U, 1000000U}) {
      INFO(p << ", " << n);
      const long double expected = -std::expm1(static_cast<long double>(n) * std::log1p(-static_cast<long double>(p)));
      CHECK(any_of(p, n) == Approx(static_cast<double>(expected)).epsilon(1e-12));
    }
}

TEST_CASE("planner: the least number of events for a probability", "[gc][planner]") {
  for (const double probability : {0.5, 0.01, 1e-6, 1e-12}) {
    for (const TraceLoad& load : {papers, TraceLoad{1, 0.01, 0}, TraceLoad{10, 0.3, 50}}) {
      const std::size_t shared = events_of_shared(load, probability), each = events_of_buffers(load, probability);
      CHECK(overflow_of_shared(load, shared) <= probability);
      if (shared != 0) CHECK(overflow_of_shared(load, shared - 1) > probability);
      CHECK(overflow_of_buffers(load, each) <= probability);
      if (each != 0) CHECK(overflow_of_buffers(load, each - 1) > probability);
    }
  }
}

TEST_CASE("planner: a stream overflows as often as planned", "[gc][planner]") {
  // 40 neurons, 0.05 a tick, window 20: 42 alive on average. Samples a window apart are independent.
  constexpr TraceLoad load{40, 0.05, 20};
  constexpr std::size_t room = 52, each = 4, samples = 20000;
  Sfc32 random;
  unsigned over_shared = 0, over_each = 0;
  double total = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    std::size_t all = 0;
    bool one = false;
    for (std::size_t neuron = 0; neuron < load.neurons; ++neuron) {
      std::size_t count = 0;
      // Poisson with a mean of 1.05: intervals until they are more than that.
      for (double at = 0;; ++count) {
        at -= std::log((random.next() + 1.0) / 4294967296.0);
        if (at > load.expected_of_neuron()) break;
      }
      all += count;
      one = one || count > each;
    }
    total += static_cast<double>(all);
    over_shared += all > room;
    over_each += one;
  }
  const auto near = [&](double found, double probability) {
    return std::abs(found / samples - probability) < 4.5 * std::sqrt(probability * (1 - probability) / samples);
  };
  CHECK(near(over_shared, overflow_of_shared(load, room)));
  CHECK(near(over_each, overflow_of_buffers(load, each)));
  CHECK(total / samples == Approx(load.expected()).epsilon(0.01));
}

TEST_CASE("planner: sizes of variable buffers are those of the stores, also when they are computed at run time",
          "[gc][planner]") {
  const volatile std::size_t chosen = 1; // so that the compiler does not compute it
  const std::size_t one = chosen;
  CHECK(bytes_of_baker(40 * one, {.events = 160, .longest = 16}, 4) ==
        bytes<Baker<BakerOptions{.events = 160, .longest = 16}>, 40, 4, 9>);
  CHECK(bytes_of_baker(40 * one, {.events = 160, .longest = 16, .heap_bytes = 9001}, 4) ==
        bytes<Baker<BakerOptions{.events = 160, .longest = 16, .heap_bytes = 9001}>, 40, 4, 9>);
  CHECK(bytes_of_generational(40 * one, {.events = 160, .longest = 16}, 4) ==
        bytes<Generational<GenerationalOptions{.events = 160, .longest = 16}>, 40, 4, 9>);
  for (const std::size_t trace : {1U, 3U, 4U, 5U, 16U}) {
    const std::size_t whole = (trace + 3) / 4 * 4;
    CHECK(bytes_of_baker(7 * one, {.events = 30}, trace) == bytes_of_baker(7, {.events = 30}, whole));
  }
  CHECK(bytes_of_baker(7 * one, {.events = 30}, 5) > bytes_of_baker(7, {.events = 30}, 4));
  // With memory that is given, a neuron takes 12 bytes, or 14; the lists by age 6 bytes besides, in whole words.
  const BakerOptions given{.events = 30, .heap_bytes = 4000};
  CHECK(bytes_of_baker(7 * one, given, 4) == 4000 + 7 * 12 + 48);
  for (const std::size_t neurons : {7U, 8U}) {
    CHECK(bytes_of_generational(neurons * one, {.events = 30, .heap_bytes = 4000}, 4) ==
          4000 + neurons * 12 + 48 + (neurons * 2 + 16 * 4 + 6 + 3) / 4 * 4);
    CHECK(bytes_of_generational(neurons * one, {.events = 30, .heap_bytes = 4000, .generations = 64}, 4) ==
          4000 + neurons * 12 + 48 + (neurons * 2 + 64 * 4 + 6 + 3) / 4 * 4);
  }
}

TEST_CASE("planner: variable buffers have events for what is found late, and memory for what they leave over",
          "[gc][planner]") {
  for (const auto& [load, trace, probability] :
       {std::tuple{papers, 4, 1e-6}, {TraceLoad{40, 0.02, 100}, 1, 1e-3}, {TraceLoad{1, 0.5, 20}, 16, 0.1}}) {
    INFO(load.neurons << " neurons");
    const BakerOptions options = plan_baker(load, static_cast<std::size_t>(trace), probability);
    // A neuron is looked at once in so many ticks.
    const auto late = static_cast<std::uint32_t>(std::floor(static_cast<double>(load.neurons) / 4) + 1);
    const TraceLoad later{load.neurons, load.events_per_tick, load.window + late};
    CHECK(overflow_of_shared(later, options.events) <= probability);
    CHECK(overflow_of_shared(later, options.events - 1) > probability);
    CHECK(overflow_of_buffers(later, options.longest) <= probability);
    CHECK(overflow_of_buffers(later, options.longest - 1) > probability);
    // A buffer leaves a quarter over at most, or 2; its word; and a quarter of all for copies.
    const double event = 4 + std::ceil(trace / 4.0) * 4, neurons = static_cast<double>(load.neurons);
    const double live = static_cast<double>(options.events) * 1.25 + neurons * 2;
    CHECK(std::abs(static_cast<double>(options.heap_bytes) - 1.25 * (live * event + neurons * 4)) < 1.25 * event);
    CHECK((options.initial == 2 && options.extension == 2 && options.words == 128 && options.scan == 4));
  }
  const BakerOptions in_turn;
  const GenerationalOptions by_age;
  CHECK((in_turn.events == 0 && in_turn.longest == 0 && in_turn.heap_bytes == 0));
  CHECK((by_age.events == 0 && by_age.longest == 0 && by_age.heap_bytes == 0));
  CHECK((by_age.initial == 2 && by_age.extension == 2 && by_age.words == 128 && by_age.scan == 2 &&
         by_age.generations == 16));
}

TEST_CASE("planner: a stream as it was planned for finds room in variable buffers", "[gc][planner]") {
  constexpr TraceLoad load{40, 0.02, 100};
  using Planned = TraceStore<std::int32_t, load.neurons, Baker<plan_baker(load, 4, 1e-6)>, AgeWindow<load.window>>;
  const auto made = std::make_unique<Planned>();
  Sfc32 random;
  for (std::uint32_t now = 1; now <= 20'000; ++now) {
    made->advance_to(now);
    for (std::uint32_t neuron = 0; neuron < load.neurons; ++neuron)
      if (random.next() % 50 == 0) made->record(neuron, now, 7);
  }
  CHECK(made->counts().refused_full == 0);
  CHECK(made->counts().stored > 15'000);
  CHECK(made->counts().moved_bytes > 0);
}
