// SPDX-License-Identifier: BSL-1.0
// Rows of 1000 synapses of 10 000 neurons, 40 MB, in synaptic events per second. In each step 100 rows are
// added, in random order over the whole network; then the slot that the neurons would read is cleared,
// outside the measured time. Four rows of five are excitatory. Targets are random.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/neuromorph.hpp>

#include "support.hpp"

namespace bench {
namespace {

namespace nm = neuromorph;

constexpr std::uint32_t neurons = 10'000;
constexpr std::uint32_t fan_out = 1000;
constexpr std::uint32_t spikes_per_step = 100; // 10 Hz at a step of 1 ms
constexpr const char* size = "/10000x1000";

/// Order of synapses in a row: as drawn, or by delay.
enum class Order { drawn, by_delay };

template <class Format, Order RowOrder>
struct Network {
  std::vector<std::uint32_t> words, first;
  nm::SynapticRows rows;

  explicit Network(std::uint32_t delays) : words(std::size_t{neurons} * fan_out), first(neurons + 1) {
    std::mt19937 source(2);
    for (std::uint32_t pre = 0; pre < neurons; ++pre) {
      const auto row = std::span{words}.subspan(std::size_t{pre} * fan_out, fan_out);
      first[pre + 1] = first[pre] + fan_out;
      for (auto& word : row)
        word = Format::encode({.weight = static_cast<std::int32_t>(source() % 1000),
                               .delay = 1 + static_cast<std::uint32_t>(source()) % delays,
                               .type = pre % 5 == 0 ? 1U : 0U,
                               .index = static_cast<std::uint32_t>(source()) % neurons})
                   .value();
      const auto slot = [](std::uint32_t word) { return Format::address(word, 0) >> Format::index_bits; };
      if constexpr (RowOrder == Order::by_delay)
        std::stable_sort(row.begin(), row.end(), [&](std::uint32_t a, std::uint32_t b) { return slot(a) < slot(b); });
    }
    rows = {words, first};
  }
};

/// One network for all that use the same template arguments.
template <class Format, Order RowOrder, std::uint32_t Delays>
Network<Format, RowOrder> const& network() {
  static const Network<Format, RowOrder> one(Delays);
  return one;
}

/// Which rows a step adds.
std::span<const std::uint32_t> fired(std::uint32_t step_number) {
  static const auto order = [] {
    std::vector<std::uint32_t> all(neurons);
    std::iota(all.begin(), all.end(), 0U);
    std::shuffle(all.begin(), all.end(), std::mt19937(3));
    return all;
  }();
  return std::span{order}.subspan(step_number % (neurons / spikes_per_step) * spikes_per_step, spikes_per_step);
}

// Ways to add the rows of a step.

struct AllRows {
  template <class Ring>
  static void add(Ring& ring, nm::SynapticRows const& rows, std::uint32_t step_number) {
    nm::add_rows(ring, rows, fired(step_number), step_number);
  }
};
struct RowByRow {
  template <class Ring>
  static void add(Ring& ring, nm::SynapticRows const& rows, std::uint32_t step_number) {
    for (const std::uint32_t pre : fired(step_number)) nm::add_row(ring, rows.row(pre), step_number);
  }
};
struct PlainLoop { // 32-bit elements only
  template <class Format>
  static void add(nm::RingBuffer<Format>& ring, nm::SynapticRows const& rows, std::uint32_t step_number) {
    std::int32_t* const elements = ring.elements().data();
    const std::uint32_t offset = Format::offset(step_number);
    for (const std::uint32_t pre : fired(step_number))
      for (const std::uint32_t word : rows.row(pre)) elements[Format::address(word, offset)] += Format::weight(word);
  }
};
struct Stream { // only reads the rows; this loop vectorises
  template <class Ring>
  static void add(Ring&, nm::SynapticRows const& rows, std::uint32_t step_number) {
    std::uint32_t sum = 0;
    for (const std::uint32_t pre : fired(step_number))
      for (const std::uint32_t word : rows.row(pre)) sum += word;
    benchmark::DoNotOptimize(sum);
  }
};

template <class Ring>
void consume(Ring& ring, std::uint32_t step_number) {
  for (std::size_t type = 0; type < Ring::types; ++type)
    for (auto& element : ring.slot(step_number + 1, type)) element = 0;
}

template <class Way, class Format, class Element, Order RowOrder, std::uint32_t Delays>
void time_rows(benchmark::State& state) {
  const auto& rows = network<Format, RowOrder, Delays>().rows;
  static nm::RingBuffer<Format, Element> ring;
  static std::uint32_t step_number = 0;
  for (auto _ : state) {
    ++step_number;
    double const start = thread_seconds();
    Way::add(ring, rows, step_number);
    benchmark::ClobberMemory();
    state.SetIterationTime(thread_seconds() - start);
    consume(ring, step_number);
  }
  state.SetItemsProcessed(state.iterations() * spikes_per_step * fan_out);
}

template <class Way, class Format, class Element, Order RowOrder, std::uint32_t Delays>
void add_benchmark(std::string const& name) {
  const auto& rows = network<Format, RowOrder, Delays>().rows;
  if constexpr (!std::is_same_v<Way, Stream>) {
    const auto mine = std::make_unique<nm::RingBuffer<Format, Element>>();
    const auto plain = std::make_unique<nm::RingBuffer<Format, std::int32_t>>();
    for (std::uint32_t step_number = 1; step_number <= 20; ++step_number) {
      Way::add(*mine, rows, step_number);
      PlainLoop::add(*plain, rows, step_number);
      consume(*mine, step_number);
      consume(*plain, step_number);
      expect(std::equal(mine->elements().begin(), mine->elements().end(), plain->elements().begin()),
             "synaptic rows add up to something else than in a plain loop");
    }
    expect(mine->saturations() == 0, "the weights of the synapse benchmark saturate");
  }
  benchmark::RegisterBenchmark(std::string("synapse/").append(name).append(size).c_str(),
                               time_rows<Way, Format, Element, RowOrder, Delays>)
      ->UseManualTime();
}

} // namespace

void register_synapse() {
  using One = nm::SynapticWord<14, 1, 1>;  // one delay in use
  using Four = nm::SynapticWord<14, 1, 2>; // four delays in use
  using Word32 = std::int32_t;
  using Word16 = std::uint16_t;
  add_benchmark<AllRows, One, Word32, Order::drawn, 1>("ring32/native");
  add_benchmark<RowByRow, One, Word32, Order::drawn, 1>("ring32_row_by_row/native");
  add_benchmark<AllRows, One, Word16, Order::drawn, 1>("ring16/native");
  add_benchmark<PlainLoop, One, Word32, Order::drawn, 1>("ring32/plain");
  add_benchmark<Stream, One, Word32, Order::drawn, 1>("stream_rows/plain");
  add_benchmark<AllRows, Four, Word32, Order::by_delay, 4>("ring32_four_delays/native");
  add_benchmark<RowByRow, Four, Word32, Order::by_delay, 4>("ring32_four_delays_row_by_row/native");
  add_benchmark<AllRows, Four, Word16, Order::by_delay, 4>("ring16_four_delays/native");
  add_benchmark<PlainLoop, Four, Word32, Order::by_delay, 4>("ring32_four_delays/plain");
  add_benchmark<AllRows, Four, Word32, Order::drawn, 4>("ring32_four_delays_unordered/native");
}

} // namespace bench
