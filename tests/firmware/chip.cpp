// SPDX-License-Identifier: BSL-1.0
// A chip of two cores, each a population; spikes go to the other core by mailbox, a record for each step. Two emulators
// with a memory in common are the chip: both say the digest of their spikes, which is that of one process on the host
// without mailboxes.
//
//   chip NUMBER     one core, 0 or 1        chip      both, in this process
#include <array>
#include <cstdint>
#include <cstdio>
#include <new>
#include <span>

#include <neuromorph/digest.hpp>
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/neuromorph.hpp>

#include "window.hpp"

namespace {

namespace nm = neuromorph;
namespace firmware = nm::firmware;
using Model = nm::Lif<2>;
using Word = nm::SynapticWord<8, 1, 4>;
constexpr std::uint32_t neurons = 100, fan_out = 8, steps = 500;

constexpr auto made =
    Model::make({.membrane = {.tau_ms = 20.0, .c_nf = 0.25},
                 .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{{.largest = 2.0}, {.largest = 2.0}}}}},
                1.0);
static_assert(made.ok());

/// A core of the network, without what its spikes travel by.
class Core {
public:
  explicit Core(std::uint32_t number) : number_(number), population_(made.value()) {
    std::uint32_t random = 12345 + number;
    for (auto& row : rows_)
      for (std::uint32_t& word : row) {
        random = random * 1664525 + 1013904223;
        const auto index = (random >> 24) % neurons;
        const bool inhibits = (random >> 20) % 4 == 0;
        const auto weight = Model::weight(made.value(), inhibits ? 1 : 0, 1.0);
        word = Word::encode({int(weight.value()), 1 + (random >> 16 & 7), inhibits ? 1U : 0U, index}).value();
      }
  }
  /// Spikes of the other core in the step before, then a step; its spikes.
  std::span<const std::uint32_t> step(std::uint32_t time, std::span<const std::uint32_t> others) {
    for (const std::uint32_t neuron : others) nm::add_row(ring_, rows_[neuron], time);
    if (time % 20 == number_ * 7) // a volley from outside
      for (std::uint32_t neuron = time % 30; neuron < neurons; neuron += 9) nm::add_row(ring_, rows_[neuron], time);
    const auto spikes = population_.step(ring_, time);
    digest_.add(time);
    for (const std::uint32_t neuron : spikes) digest_.add(neuron), ++count_;
    return spikes;
  }
  void say() const {
    std::printf("core %u: %u spikes, digest %08x%08x\n", unsigned(number_), unsigned(count_),
                unsigned(digest_.value() >> 32), unsigned(digest_.value() & 0xFFFFFFFF));
  }

private:
  std::uint32_t number_, count_ = 0;
  nm::Digest digest_;
  nm::RingBuffer<Word> ring_;
  nm::Population<Model, neurons> population_;
  std::array<std::array<std::uint32_t, fan_out>, neurons> rows_{};
};

using Spikes = firmware::Channel<"spk>", 512, firmware::ChannelOptions{.longest = 128}>;
using Box = firmware::Mailbox<Spikes>;

int alone(std::uint32_t number, const char* file) {
  std::uint32_t* const words = window::words(file, number);
  std::uint32_t* const others = window::words(file, 1 - number);
  if (words == nullptr || others == nullptr) return std::printf("chip: cannot map the file\n"), 2;
  Box& box = *new (words) Box;
  box.start(0, number);
  firmware::MailboxView<> other;
  while (!other.attach({others, window::bytes / 4})) {} // until it has started, too
  static Core core(number);
  auto reader = other.reader(other.find("spk>"));
  auto writer = box.writer<"spk>">();
  std::array<std::uint32_t, 129> record{};
  std::uint32_t come = 0;
  for (std::uint32_t time = 1; time <= steps; ++time) {
    const auto spikes = core.step(time, std::span(record).subspan(come == 0 ? 0 : 1, come == 0 ? 0 : come - 1));
    const auto count = static_cast<std::uint32_t>(spikes.size());
    std::uint32_t* at = nullptr;
    while (writer.shape().capacity - writer.waiting() <= count) {} // the other is slower
    at = writer.begin(count);
    if (at == nullptr) return std::printf("chip: no room\n"), 3;
    *at++ = firmware::head(1, count, time);
    for (const std::uint32_t neuron : spikes) *at++ = neuron;
    writer.end(count);
    while ((come = reader.read(record)) == 0) {} // its spikes of this step
    if (firmware::token_of(record[0]) != time) return std::printf("chip: spikes of another step\n"), 4;
  }
  if (reader.missed() != 0 || reader.damaged() != 0) return std::printf("chip: spikes were lost\n"), 5;
  core.say();
  return 0;
}

int together() {
  static std::array<Core, 2> cores{Core(0), Core(1)};
  std::array<std::array<std::uint32_t, neurons>, 2> before{}, now{};
  std::array<std::size_t, 2> count_before{}, count_now{};
  for (std::uint32_t time = 1; time <= steps; ++time) {
    for (std::size_t core = 0; core < 2; ++core) {
      const auto spikes = cores[core].step(time, std::span(before[1 - core]).first(count_before[1 - core]));
      count_now[core] = spikes.size();
      for (std::size_t at = 0; at < spikes.size(); ++at) now[core][at] = spikes[at];
    }
    before = now;
    count_before = count_now;
  }
  for (const Core& core : cores) core.say();
  return 0;
}

} // namespace

int main(int count, char** arguments) {
  if (count < 2) return together();
  return alone(arguments[1][0] == '1' ? 1 : 0, count > 2 ? arguments[2] : "");
}
