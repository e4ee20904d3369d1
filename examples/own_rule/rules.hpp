// SPDX-License-Identifier: BSL-1.0
// Rules of one's own: a timing rule and a weight rule for plastic rows, and a vector rule for the same rows under a mask. They
// are examples of what the library asks for; docs/plasticity.md has what the compiler says where something is missing.
#ifndef EXAMPLES_OWN_RULE_RULES_HPP
#define EXAMPLES_OWN_RULE_RULES_HPP

#include <cstdint>

#include <neuromorph/neuromorph.hpp>

namespace own_rule {

namespace nm = neuromorph;

// Spikes that come close to each other bring a weight up, whichever is first; each pre-synaptic one takes a little.
struct Coincidence {
  using Offers = nm::offer::List<nm::offer::IsSpent>;
  using RowTrace = nm::Share; // by how much an event now would bring weights up
  using NeuronTrace = nm::Share;
  nm::DecayTable<300> decay = nm::DecayTable<300>::from(/* tau_ms */ 15.0, /* dt_ms */ 1.0).value();
  nm::Share gain = nm::share_of(0.02, "gain").value(), toll = nm::share_of(0.024, "toll").value();

  constexpr nm::Share aged(auto& m, nm::Share trace, std::uint32_t ticks) const {
    return m.product(trace, decay.at(ticks));
  }
  constexpr nm::Share pre_spiked(auto& m, nm::Share trace, std::uint32_t ticks) const {
    return m.sum(aged(m, trace, ticks), gain);
  }
  constexpr nm::Share post_spiked(auto& m, nm::Share trace, std::uint32_t ticks) const {
    return m.sum(aged(m, trace, ticks), gain);
  }
  static constexpr bool is_spent(nm::Share row) { return row == 0; }
  constexpr void at_post(auto& synapse, nm::Share row, std::uint32_t ticks, nm::Share) const {
    synapse.up(synapse.product(row, decay.at(ticks)));
  }
  constexpr void at_pre(auto& synapse, nm::Share, std::uint32_t, nm::Share neuron, std::uint32_t since) const {
    synapse.up(synapse.product(neuron, decay.at(since)));
    synapse.down(toll);
  }
};

// Up by as much wherever the weight is, down in proportion to it (van Rossum, Bi, Turrigiano 2000).
struct Mixed {
  static constexpr nm::Share up(auto&, nm::Share, nm::Share change) { return change; }
  static constexpr nm::Share down(auto& m, nm::Share weight, nm::Share change) { return m.part(weight, change); }
};

// Every enabled weight goes a sixteenth of the way to the middle of its range.
template <nm::VectorMemory Weights>
struct Forget {
  using Offers = nm::offer::List<>;
  Weights weights;
  nm::VectorAddress vectors() const { return weights.vectors(); }
  void vector_rule(const nm::MaskVector& mask, nm::VectorAddress address) {
    using Bytes = nm::Vec<std::uint8_t>;
    const Bytes before = weights.read(address), middle(128);
    const Bytes up = subtract_saturating(middle, before) >> 4, down = subtract_saturating(before, middle) >> 4;
    weights.write(address, before + up - down, mask);
  }
};

} // namespace own_rule

#endif
