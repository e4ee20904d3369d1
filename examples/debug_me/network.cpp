// SPDX-License-Identifier: BSL-1.0
#include "network.hpp"

namespace debug_me {

namespace {

/// Neurons that a stimulus kicks, a bit each: the even ones, the odd ones, or those of a half.
constexpr std::uint32_t groups[][neurons / 32] = {
    {0x5555'5555, 0x5555'5555}, {0xAAAA'AAAA, 0xAAAA'AAAA}, {0xFFFF'FFFF, 0}, {0, 0xFFFF'FFFF}};

std::uint32_t delay_of(std::uint32_t other) { return 1 + other * 7 % longest_delay; }

} // namespace

bool Network::start(Inputs& inputs) {
  const auto fill = [&](auto& row, std::uint32_t receptor, double largest_na) {
    for (std::uint32_t& word : row) {
      const double weight_na = largest_na * (1 + random_.next() % 8) / 8;
      const auto weight = Model::weight(made.value(), receptor, weight_na);
      if (!weight) return false;
      const std::uint32_t delay = 1 + random_.next() % 4, index = random_.next() % neurons;
      const auto encoded = Word::encode({static_cast<std::int32_t>(weight.value()), delay, receptor, index});
      if (!encoded) return false;
      word = encoded.value();
    }
    return true;
  };
  for (auto& row : from_outside_)
    if (!fill(row, 0, 0.3)) return false;
  for (auto& row : within_)
    if (!fill(row, 1, 0.2)) return false;
  draw_stimulus(inputs.stimulus);
  return true;
}

void Network::arrive(Inputs& inputs) {
  if (++step % stimulus_lasts == 0) draw_stimulus(inputs.stimulus);
  inputs.now = step % longest_delay;
  Arrivals& arrivals = inputs.waiting[inputs.now];
  for (std::uint32_t at = 0; at < arrivals.count; ++at)
    nm::add_row(ring_, from_outside_[other_of(arrivals.keys[at])], step);
  arrivals.count = 0;
}

void Network::receive(Inputs& inputs) {
  for (std::uint32_t other = 0; other < others; ++other)
    if (random_.next() % 128 == 0) {
      ++received;
      if (!inputs.put(key_of(other), delay_of(other))) ++refused;
    }
}

void Network::stimulate(Inputs& inputs) {
  Stimulus& stimulus = inputs.stimulus;
  if (stimulus.next < stimulus.kicks.size()) {
    const std::int32_t kick = stimulus.kicks[stimulus.next];
    const auto input = ring_.slot(step, 0);
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if ((stimulus.kicked[neuron / 32] >> neuron % 32 & 1) != 0) input[neuron] += kick;
  }
  stimulus.next = (stimulus.next + 1) % 4;
}

void Network::draw_stimulus(Stimulus& stimulus) {
  for (std::int32_t& kick : stimulus.kicks) kick = 1000 + static_cast<std::int32_t>(random_.next() % 1000);
  stimulus.kicked = groups[random_.next() % 4];
}

} // namespace debug_me
