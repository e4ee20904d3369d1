// SPDX-License-Identifier: BSL-1.0
// The synapse array, its masks and its rules, as firmware has them: everything is constant-initialised, and the
// compiler has made the masks and seen that they do not overlap.
#ifndef EXAMPLES_TWO_RULES_ARRAY_HPP
#define EXAMPLES_TWO_RULES_ARRAY_HPP

#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/neuromorph.hpp>

namespace two_rules {

namespace nm = neuromorph;

using Array = nm::SynapseSet<32, 32>; // 64 vectors, two a row
constexpr std::uint32_t tagged_row = 24;

constexpr bool is_defect(std::uint32_t row) { return row == 5 || row == 18 || row == 27; }
/// A pre-synaptic neuron of the left part excites mostly a post-synaptic one on this band.
constexpr bool is_correlated(std::uint32_t row, std::uint32_t column) {
  const int distance = static_cast<int>(row * 14) - static_cast<int>(column * 24);
  return distance > -48 && distance < 48;
}

constexpr auto healthy = Array::where([](auto row, auto) { return !is_defect(row); });
constexpr auto upper = Array::where([](auto row, auto) { return row < tagged_row; });
constexpr auto left = Array::where([](auto, auto column) { return column < 14; });
constexpr auto upper_left = upper & left;

// The first rule has 14 lanes of a vector, the second one the other two and all of the next.
constexpr auto stdp_mask = nm::make_mask<healthy & upper_left>();
constexpr auto homeostasis_mask = nm::make_mask<(healthy & upper) - left>();
static_assert(disjoint(stdp_mask, homeostasis_mask));

/// What a synapse of the lower part does; it changes while the program runs.
enum Tag : std::uint8_t { untouched, wander, rise, fall };

inline constinit nm::VectorArray<Array::vectors> weights, causal, acausal;
inline constinit nm::VectorArray<Array::vectors_per_row> rates;
inline constinit nm::TaggedMask<16, Array::address({tagged_row, 0})> tags{untouched};

using Memory = nm::PlainVectors<std::uint8_t>;
using Homeostasis = nm::HomeostasisRule<Array::vectors_per_row, Memory, Memory>;
using Pull = nm::SameVectors<std::int8_t>;

inline constinit nm::RuleSequence plasticity(
    nm::MaskWrapper(stdp_mask, nm::StdpRule{Memory(weights), Memory(causal), Memory(acausal)}),
    nm::MaskWrapper(homeostasis_mask,
                    Homeostasis{.weights = weights, .rates = rates, .rate_target = 100, .eta = 24, .range = {}}),
    nm::TaggedMaskWrapper(tags, wander, nm::RandomWalkRule{Memory(weights), nm::Sfc32(), /* amplitude */ 4}),
    nm::TaggedMaskWrapper(tags, rise, nm::MultiplicativeRule{Memory(weights), Pull(40)}),
    nm::TaggedMaskWrapper(tags, fall, nm::MultiplicativeRule{Memory(weights), Pull(-40)}));

template <class Vectors>
[[nodiscard]] auto& at(Vectors& of, std::uint32_t row, std::uint32_t column) {
  return of.elements[Array::columns * row + column];
}

class Simulation {
public:
  explicit Simulation(std::uint64_t seed) : stimulus_(nm::StreamId{seed, 0, 1}) {
    nm::Sfc32 start(nm::StreamId{seed, 0, 0});
    for (std::uint32_t row = 0; row < Array::rows; ++row)
      for (std::uint32_t column = 0; column < Array::columns; ++column) {
        const std::uint32_t noise = start.next() % 16 + start.next() % 16;
        const bool slanted = row < tagged_row && column >= 14;
        at(weights, row, column) = static_cast<std::uint8_t>(slanted ? noise + (column - 14) * 2 : noise + 16);
      }
    plasticity.get<2>().rule().source = nm::Sfc32(nm::StreamId{seed, 0, 2});
    const auto lower = healthy - upper;
    status_ = tags.set(lower, wander);
    if (status_) status_ = plasticity.check_overlap();
    observe_rates();
  }

  /// One period: the network is active, then all rules run, then synapses that have decided change their tag.
  nm::Status step() {
    if (!status_) return status_;
    ++step_number_;
    // So that a fault that heals before the next digest is still seen.
    std::uint32_t sum = 0;
    for (const std::uint8_t weight : weights.elements) sum += weight;
    history_.add(sum);
    for (const auto [row, column] : upper_left) {
      const std::uint32_t word = stimulus_.next();
      count(at(causal, row, column), (word & 7) + (is_correlated(row, column) ? 8 : 0));
      count(at(acausal, row, column), (word >> 3 & 7) + 2);
    }
    observe_rates();
    status_ = plasticity.run();
    for (const auto [row, column] : tags.synapses<Array::rows, Array::columns>(wander)) {
      const std::uint8_t weight = at(weights, row, column);
      if (weight < 48 && weight > 15) continue;
      const nm::Status set =
          tags.set(Array::address({row, column}), Array::lane({row, column}), weight < 48 ? fall : rise);
      if (status_) status_ = set;
    }
    return status_;
  }

  /// Of all state, and of the sum of weights at every step.
  [[nodiscard]] std::uint64_t digest() const {
    nm::Digest digest = history_;
    for (const auto* of : {&weights, &causal, &acausal}) digest.add(std::span<const std::uint8_t>{of->elements});
    digest.add(std::span<const std::uint8_t>{rates.elements});
    for (const Tag tag : {wander, rise, fall})
      for (const auto lanes : tags.synapses<Array::rows, Array::columns>(tag).words) digest.add(lanes);
    return digest.value();
  }
  [[nodiscard]] std::uint32_t step_number() const { return step_number_; }
  /// Moves a weight by one: a fault, to see that a comparison finds it.
  static void flip(std::uint32_t synapse) { weights.elements[synapse] ^= 1; }

private:
  static void count(std::uint8_t& counter, std::uint32_t events) {
    const std::uint32_t sum = counter + events;
    counter = static_cast<std::uint8_t>(sum < 255 ? sum : 255);
  }
  /// A neuron of the right part fires as its weights and the activity of the rows say.
  static void observe_rates() {
    for (std::uint32_t column = 14; column < Array::columns; ++column) {
      std::uint32_t drive = 0;
      for (std::uint32_t row = 0; row < tagged_row; ++row) drive += (1 + row % 4) * at(weights, row, column);
      const std::uint32_t rate = drive / 16;
      rates.elements[column] = static_cast<std::uint8_t>(rate < 255 ? rate : 255);
    }
  }

  nm::Sfc32 stimulus_;
  nm::Digest history_;
  std::uint32_t step_number_ = 0;
  nm::Status status_;
};

} // namespace two_rules

#endif
