// SPDX-License-Identifier: BSL-1.0
// What the papers on garbage collection measured, with their parts as they describe them: buffers of a time and a trace
// for each event, compacted by way of SDRAM, each copied by itself; extended; scanned, all or by generations. The way
// back is one transfer of the DMA controller, which is not emulated: it is left out here, and `none` copies nothing, so
// that the table can add what the papers say of a transfer.
// \source M. Mikaitis, Application-specific real-time garbage collection, 2016, IV and V
#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/kernels/random/sfc32.hpp>

#include "measure.hpp"
#include "papers.hpp"

namespace {

/// Words one by one, as their memcpy().
[[gnu::noinline, gnu::optimize("no-tree-loop-distribute-patterns")]] void copy_words(Word* to, const Word* from,
                                                                                     std::size_t bytes) {
  for (std::size_t left = bytes / 4; left != 0; --left) *to++ = *from++;
}
/// Bytes one by one, as sark_mem_cpy().
[[gnu::noinline, gnu::optimize("no-tree-loop-distribute-patterns")]] void copy_bytes(Word* to, const Word* from,
                                                                                     std::size_t bytes) {
  auto* target = reinterpret_cast<unsigned char*>(to);
  const auto* source = reinterpret_cast<const unsigned char*>(from);
  for (; bytes != 0; --bytes) *target++ = *source++;
}
[[gnu::noinline]] void copy_none(Word* to, const Word* from, std::size_t) {
  asm volatile("" : : "r"(to), "r"(from) : "memory");
}

/// Generations of 64 ticks, each with the neurons whose oldest event is of it.
constexpr Word generations = 16, span = 6;
struct Generation {
  Word count;
  std::array<std::uint8_t, 255> neurons;
};
std::array<Generation, generations> table;
void add(std::uint8_t neuron, Word time) {
  Generation& of = table[(time >> span) % generations];
  of.neurons[of.count++] = neuron;
}
[[gnu::noinline]] void scan_generation(Word now) {
  const Word oldest = now - window - 1;
  Generation& of = table[(oldest >> span) % generations];
  for (Word at = 0; at < of.count;) {
    const std::uint8_t neuron = of.neurons[at];
    Buffer& buffer = buffers[neuron];
    const bool had_events = buffer.count != 0;
    scan_one(buffer, now);
    const bool moves = !had_events || buffer.count == 0 || ((*buffer.times ^ oldest) >> span) != 0;
    if (!moves) {
      ++at;
      continue;
    }
    of.neurons[at] = of.neurons[--of.count];
    if (buffer.count != 0) add(neuron, *buffer.times);
  }
}

/// 2.45 Hz, as in the papers; a buffer that has been emptied at its front, or is full, gets its place again.
template <class Scan>
bool stream(std::size_t neurons, std::uint16_t room, bool by_age, Scan scan) {
  prepare(neurons, room);
  for (Generation& each : table) each.count = 0;
  neuromorph::Sfc32 random;
  bool right = true;
  for (Word now = 2000; now < 3600; ++now) {
    if (now >= 2600) scan(now);
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      if (random.next() >= 0xFFFFFFFFU / 408) continue;
      Buffer& buffer = buffers[neuron];
      if (buffer.count == buffer.room || buffer.room < room) {
        Word* const at = heap.data() + neuron * 2 * room;
        const Word count = buffer.count < room ? buffer.count : room - 1U;
        for (Word event = 0; event < count; ++event) at[event] = buffer.times[event];
        buffer = {at, at + room, static_cast<std::uint16_t>(count), room, static_cast<std::uint16_t>(2 * room)};
      }
      buffer.times[buffer.count] = now;
      buffer.traces[buffer.count] = now;
      if (buffer.count++ == 0 && by_age) add(static_cast<std::uint8_t>(neuron), now);
    }
    for (std::size_t neuron = 0; neuron < neurons && now >= 2600 && !by_age; ++neuron)
      right = right && (buffers[neuron].count == 0 || now - *buffers[neuron].times <= window);
  }
  return right;
}

} // namespace

#if defined(__thumb__)
#define FAR "papers"
#else
#define FAR "papers.sdram20"
#endif
#define MEASURE_COMPACTION(neurons, each, way)                                                                         \
  {                                                                                                                    \
    prepare(neurons, (each) / 8);                                                                                      \
    MEASURE(FAR ".compact." #neurons "x" #each "." #way, 1,                                                            \
            compact<copy_##way>(fresh<std::size_t>(neurons), heap.data(), heap.data() + heap.size()));                 \
    right &= buffers[(neurons)-1].times == heap.data() + ((neurons)-1) * ((each) / 4);                                 \
  }
#define MEASURE_COMPACTIONS(neurons, each)                                                                             \
  MEASURE_COMPACTION(neurons, each, block)                                                                             \
  MEASURE_COMPACTION(neurons, each, words)                                                                             \
  MEASURE_COMPACTION(neurons, each, bytes)                                                                             \
  MEASURE_COMPACTION(neurons, each, none)
#define MEASURE_EXTENSION(events, way)                                                                                 \
  {                                                                                                                    \
    prepare(1, events);                                                                                                \
    buffers[0].count = events;                                                                                         \
    MEASURE("papers.extend." #events "." #way, 1,                                                                      \
            extend<copy_##way>(*fresh(&buffers[0]), heap.data() + 2000, fresh<std::uint16_t>(3)));                     \
    right &= buffers[0].traces == heap.data() + 2000 + (events) + 3;                                                   \
  }
#define MEASURE_SCANS(neurons, events)                                                                                 \
  {                                                                                                                    \
    right &= stream(                                                                                                   \
        neurons, events, false, [&](Word now) __attribute__((noinline)) {                                              \
          MEASURE("papers.scan." #neurons "x" #events ".all", 1, scan_all(fresh<std::size_t>(neurons), now));          \
        });                                                                                                            \
    right &= stream(                                                                                                   \
        neurons, events, true, [&](Word now) __attribute__((noinline)) {                                               \
          MEASURE("papers.scan." #neurons "x" #events ".by_age", 1, scan_generation(fresh(now)));                      \
        });                                                                                                            \
  }
#define MEASURE_COPY(size)                                                                                             \
  MEASURE(FAR ".copy.block." #size, 1, copy_block(far_heap.data(), heap.data(), fresh<std::size_t>(size)));            \
  MEASURE(FAR ".copy.words." #size, 1, copy_words(far_heap.data(), heap.data(), fresh<std::size_t>(size)));            \
  MEASURE(FAR ".copy.bytes." #size, 1, copy_bytes(far_heap.data(), heap.data(), fresh<std::size_t>(size)))
#define MEASURE_FRAGMENTS(parts)                                                                                       \
  {                                                                                                                    \
    prepare(255, 4);                                                                                                   \
    for (std::size_t part = 0; part < fresh<std::size_t>(parts); ++part)                                               \
      MEASURE(                                                                                                         \
          FAR ".fragments." #parts ".worst", 1,                                                                        \
          compact<copy_block>(255, heap.data() + part * 2040 / (parts), heap.data() + (part + 1) * 2040 / (parts)));   \
  }

bool run() {
  bool right = true;
  MEASURE_COMPACTIONS(40, 32)
  MEASURE_COMPACTIONS(255, 16)
  MEASURE_COMPACTIONS(255, 32)
  MEASURE_EXTENSION(2, block)
  MEASURE_EXTENSION(2, bytes)
  MEASURE_EXTENSION(4, block)
  MEASURE_EXTENSION(4, bytes)
  MEASURE_EXTENSION(7, block)
  MEASURE_EXTENSION(7, bytes)
  MEASURE_SCANS(40, 8)
  MEASURE_SCANS(40, 16)
  MEASURE_SCANS(255, 3)
  MEASURE_SCANS(255, 4)
  MEASURE_COPY(16);
  MEASURE_COPY(32);
  MEASURE_COPY(64);
  MEASURE_COPY(128);
  MEASURE_COPY(256);
  MEASURE_COPY(512);
  MEASURE_COPY(1024);
  MEASURE_FRAGMENTS(1)
  MEASURE_FRAGMENTS(2)
  MEASURE_FRAGMENTS(4)
  MEASURE_FRAGMENTS(8)
  MEASURE_FRAGMENTS(16)
  return right;
}
