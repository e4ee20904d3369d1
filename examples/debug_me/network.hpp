// SPDX-License-Identifier: BSL-1.0
// 64 neurons under a stimulus, with spikes of other cores, each of which waits for as many steps as its way is long. One line
// is wrong: the walkthrough finds it. DEBUG_ME_MENDED is the program in which it is right.
#ifndef EXAMPLES_DEBUG_ME_NETWORK_HPP
#define EXAMPLES_DEBUG_ME_NETWORK_HPP

#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/neuromorph.hpp>

namespace debug_me {

namespace nm = neuromorph;
using Model = nm::Lif<2>;
using Word = nm::SynapticWord<6, 1, 4>;
inline constexpr std::uint32_t neurons = 64, others = 24, longest_delay = 16;

inline constexpr auto made =
    Model::make({.membrane = {.tau_ms = 20.0, .c_nf = 0.25},
                 .synapses = {.tau_ms = {2.0, 4.0}, .weights = {{{.largest = 2.0}, {.largest = 2.0}}}}},
                1.0);
static_assert(made.ok());

/// What a spike is called on its way. It is odd; commands would be even.
using Key = std::uint32_t;
constexpr Key key_of(std::uint32_t other) { return 0x3A01'1801U + 2 * other; }
constexpr std::uint32_t other_of(Key key) { return (key - key_of(0)) / 2; }

/// Spikes that arrive in the same step.
struct Arrivals {
  std::uint32_t count = 0;
  std::array<Key, 7> keys{};
};

/// Three kicks and a pause, a step each, and again.
struct Stimulus {
  std::uint32_t next = 0; // kick, or the pause
  std::array<std::int32_t, 3> kicks{};
  const std::uint32_t* kicked = nullptr; // neurons that get them, a bit each
};

struct Inputs {
  std::array<Arrivals, longest_delay> waiting{}; // a ring, in which `now` is the step that runs
  Stimulus stimulus;
  std::uint32_t now = 0;

  /// A spike of another core, which arrives in so many steps.
  /// \param delay  1 to longest_delay
  /// \return false if there are too many in its step
  [[gnu::noinline]] bool put(Key key, std::uint32_t delay) {
    std::uint32_t at = now + delay;
#ifdef DEBUG_ME_MENDED
    if (at >= longest_delay) at -= longest_delay;
#else
    if (at > longest_delay) at -= longest_delay;
#endif
    Arrivals& then = waiting[at];
    if (then.count == then.keys.size()) return false;
    then.keys[then.count++] = key;
    return true;
  }
};

class Network {
public:
  /// False if the rows cannot be.
  bool start(Inputs& inputs);
  /// The spikes that arrive now.
  void arrive(Inputs& inputs);
  /// Spikes that other cores send now.
  void receive(Inputs& inputs);
  void stimulate(Inputs& inputs);
  /// \return the neurons that fired
  std::span<const std::uint32_t> update() { return population_.step(ring_, step); }
  /// What they send to each other.
  void send(std::span<const std::uint32_t> fired) {
    for (const std::uint32_t neuron : fired) nm::add_row(ring_, within_[neuron], step);
  }

  std::uint32_t step = 0;
  std::uint32_t received = 0, refused = 0; // spikes of other cores

private:
  static constexpr std::uint32_t stimulus_lasts = 64; // steps
  static constexpr std::uint32_t fan_out = 48;
  void draw_stimulus(Stimulus& stimulus);

  nm::Sfc32 random_{nm::StreamId{6426, 0, 0}}; // with which the hunt is short: the end comes soon after a new stimulus
  nm::RingBuffer<Word> ring_;
  nm::Population<Model, neurons> population_{made.value()};
  std::array<std::array<std::uint32_t, fan_out>, others> from_outside_{};
  std::array<std::array<std::uint32_t, fan_out>, neurons> within_{};
};

} // namespace debug_me

#endif
