// SPDX-License-Identifier: BSL-1.0
// The parts of a collector as the papers describe them: buffers of a time and a trace for each event. They are copied to
// SDRAM one by one when they are compacted, extended at the end of all others, and scanned.
// \source M. Mikaitis, Application-specific real-time garbage collection, 2016, IV
#ifndef BENCHMARKS_CYCLES_KERNELS_PAPERS_HPP
#define BENCHMARKS_CYCLES_KERNELS_PAPERS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/target/native.hpp>

namespace {

using neuromorph::target::Native;
using Word = std::uint32_t;

constexpr Word window = 500;

[[gnu::noinline]] void copy_block(Word* to, const Word* from, std::size_t bytes) {
  Native::copy_words(to, from, bytes / 4);
}
/// Times from `times` on, traces from `traces` on, in one piece of `words`.
struct Buffer {
  Word* times;
  Word* traces;
  std::uint16_t count, room, words;
};
std::array<Buffer, 255> buffers;
std::array<Word, 4096> heap;
[[gnu::section(".sdram")]] std::array<Word, 4096> far_heap;

void prepare(std::size_t neurons, std::uint16_t room) {
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
    Word* const at = heap.data() + neuron * 2 * room;
    buffers[neuron] = {at, at + room, 0, room, static_cast<std::uint16_t>(2 * room)};
  }
}

/// Buffers of the heap that begin in [from, to), to SDRAM.
template <void copy(Word*, const Word*, std::size_t)>
[[gnu::noinline]] void compact(std::size_t neurons, const Word* from, const Word* to) {
  Word* at = far_heap.data();
  for (Buffer* buffer = buffers.data(); buffer != buffers.data() + neurons; ++buffer) {
    if (buffer->times < from || buffer->times >= to) continue;
    copy(at, buffer->times, std::size_t{buffer->words} * 4);
    const auto distance = static_cast<std::size_t>(buffer->traces - buffer->times);
    buffer->times = heap.data() + (at - far_heap.data()); // where the transfer back brings it
    buffer->traces = buffer->times + distance;
    at += buffer->words;
  }
}

/// To the end of all buffers, with room for `more`: traces make way for times.
template <void copy(Word*, const Word*, std::size_t)>
[[gnu::noinline]] void extend(Buffer& buffer, Word* to, std::uint16_t more) {
  copy(to, buffer.times, std::size_t{buffer.words} * 4);
  buffer.traces = to + (buffer.traces - buffer.times);
  buffer.times = to;
  for (Word* trace = buffer.traces + buffer.count; trace != buffer.traces; --trace) trace[more - 1] = trace[-1];
  buffer.traces += more;
  buffer.room = static_cast<std::uint16_t>(buffer.room + more);
  buffer.words = static_cast<std::uint16_t>(buffer.words + 2 * more);
}

/// Dead events leave the front: times begin later, traces move up.
void scan_one(Buffer& buffer, Word now) {
  while (buffer.count != 0 && now - *buffer.times > window) {
    ++buffer.times;
    --buffer.count;
    for (Word at = 0; at < buffer.count; ++at) buffer.traces[at] = buffer.traces[at + 1];
    buffer.words = static_cast<std::uint16_t>(buffer.words - 2);
    --buffer.room;
  }
}
[[gnu::noinline]] void scan_all(std::size_t neurons, Word now) {
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) scan_one(buffers[neuron], now);
}

} // namespace

#endif
