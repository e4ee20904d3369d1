// SPDX-License-Identifier: BSL-1.0
// Every copy engine: all that was asked for arrives, nothing else changes, and no sooner than it says.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <neuromorph/target/device/copy_engine.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

namespace {

using namespace neuromorph;
using target::Transfer;

constexpr std::size_t longest = 150, guard = 4;
std::array<std::uint32_t, longest + 2 * guard> from, to;
bool right = true;

void expect(bool holds, const char* what, std::size_t of) {
  if (!holds) right = false, std::printf("%s, %u\n", what, static_cast<unsigned>(of));
}
void fill() {
  for (std::size_t at = 0; at < from.size(); ++at) {
    from[at] = static_cast<std::uint32_t>(at) * 0x9E3779B9U + 1;
    to[at] = 0;
  }
}
/// Of `words`, from the guard on.
std::size_t arrived(std::size_t words) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < to.size(); ++at) {
    if (to[at] == 0) continue;
    expect(at >= guard && at < guard + words && to[at] == from[at], "a wrong word", at);
    ++count;
  }
  return count;
}

template <class Engine>
void copies(Engine& engine) {
  for (std::size_t words = 0; words <= longest; ++words) {
    fill();
    const Transfer transfer = engine.start(to.data() + guard, from.data() + guard, words * 4);
    expect(transfer != Transfer::none, "refused", words);
    if (Engine::is_immediate) expect(engine.is_complete(transfer), "not complete at once", words);
    target::wait(engine, transfer);
    expect(arrived(words) == words, "not all there", words);
  }
}

/// The start, then a word at a time.
void time_passes() {
  target::SimulatedDma<1> dma({.start = 10, .per_word = 5, .per_poll = 5});
  fill();
  const Transfer transfer = dma.start(to.data() + guard, from.data() + guard, 12);
  expect(dma.start(to.data(), from.data(), 4) == Transfer::none, "a second one is accepted", 1);
  expect(dma.is_busy() && arrived(3) == 0, "begins before its time", 0);
  for (std::uint32_t cycle = 1; cycle <= 25; ++cycle) {
    dma.advance(1);
    const std::size_t due = cycle < 15 ? 0 : (cycle - 10) / 5;
    expect(arrived(3) == due, "a word at a wrong time", cycle);
    expect(dma.is_complete(transfer) == (cycle == 25), "complete at a wrong time", cycle);
    expect(dma.is_busy() == (cycle < 25), "busy at a wrong time", cycle);
  }
}

/// In order; each one's end is told once, and a call back may start another.
struct Told {
  target::SimulatedDma<3>* dma;
  std::array<Transfer, 8> ends{};
  std::size_t count = 0;
  Transfer more = Transfer::none;
};
void queue() {
  target::SimulatedDma<3> dma;
  Told told{&dma};
  dma.call_on_complete(
      [](void* context, Transfer transfer) {
        auto& of = *static_cast<Told*>(context);
        of.ends[of.count++ % 8] = transfer;
        if (of.count == 1) of.more = of.dma->start(to.data() + guard + 9, from.data() + guard + 9, 4);
      },
      &told);
  fill();
  const Transfer one = dma.start(to.data() + guard, from.data() + guard, 8);
  const Transfer two = dma.start(to.data() + guard + 2, from.data() + guard + 2, 0);
  const Transfer three = dma.start(to.data() + guard + 2, from.data() + guard + 2, 4);
  expect(dma.start(to.data(), from.data(), 4) == Transfer::none, "a fourth one is accepted", 3);
  target::wait(dma, two);
  expect(dma.is_complete(one) && !dma.is_complete(three) && arrived(9) == 2, "not in order", 2);
  dma.advance(1U << 30);
  expect(told.count == 4 && told.ends[0] == one && told.ends[1] == two && told.ends[2] == three &&
             told.ends[3] == told.more && told.more != Transfer::none,
         "ends are not told in order", told.count);
  expect(!dma.is_busy() && dma.is_complete(told.more) && arrived(10) == 4, "not all there", 4);
}

/// Bytes that are no words, where a device takes them.
template <class Engine>
void bytes(Engine& engine) {
  fill();
  auto* const target = reinterpret_cast<unsigned char*>(to.data());
  const auto* const source = reinterpret_cast<const unsigned char*>(from.data());
  target::wait(engine, engine.start(target + 5, source + 3, 7));
  for (std::size_t at = 0; at < 20; ++at)
    expect(target[at] == (at >= 5 && at < 12 ? source[at - 2] : 0), "a wrong byte", at);
}

} // namespace

int main() {
  target::CopyBytes by_bytes;
  target::CopyWords by_words;
  target::CopyBlock<> by_blocks;
  target::CopyBlock<target::Generic> generic;
  target::SimulatedDma<> dma;
  target::SimulatedDma<> at_once({.start = 0, .per_word = 0, .per_poll = 0});
  copies(by_bytes);
  copies(by_words);
  copies(by_blocks);
  copies(generic);
  copies(dma);
  copies(at_once);
  bytes(by_bytes);
  bytes(dma);
  time_passes();
  queue();
  return right ? 0 : 1;
}
