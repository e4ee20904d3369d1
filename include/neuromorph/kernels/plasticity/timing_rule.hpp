// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a timing rule is: which trace a row keeps of its spikes and a neuron of its own, and by how much a weight goes up or
/// down at an event of one, given the trace of the other.
///
/// Times come as ticks since the trace was made. DeferredUpdate asks for all of it when a row's spike comes.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULE_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace offer {
/// `static bool is_spent(RowTrace)`: no event of a neuron changes anything from here on, until the row's next spike.
struct IsSpent {
  int is_spent;
  template <class Rule>
  static auto find() -> decltype(&Rule::is_spent);
};
/// `static constexpr unsigned own_bits`: so many bits of a synapse's state, 1 to 12, are the rule's own.
struct OwnBits {
  int own_bits;
  template <class Rule>
  static auto find() -> decltype(&Rule::own_bits);
};
} // namespace offer

namespace detail {

/// A synapse as rules see it, where only its type matters.
struct AnySynapse {
  constexpr void up(Share) noexcept {}
  constexpr void down(Share) noexcept {}
  [[nodiscard]] constexpr Share share() const noexcept { return 0; }
  [[nodiscard]] constexpr Share product(Share, DecayFactor) noexcept { return 0; }
  [[nodiscard]] constexpr Share part(Share, Share) noexcept { return 0; }
  [[nodiscard]] constexpr Share sum(Share, Share) noexcept { return 0; }
  [[nodiscard]] constexpr std::uint32_t own() const noexcept { return 0; }
  constexpr void set_own(std::uint32_t) noexcept {}
};

/// The status of a part, with our name for what is wrong.
[[nodiscard]] constexpr Status renamed(Status status, const char* from, const char* to) noexcept {
  const char *a = status.parameter, *b = from;
  if (a == nullptr) return status;
  for (; *a != 0 && *a == *b; ++a) ++b;
  if (*a == *b) status.parameter = to;
  return status;
}

} // namespace detail

/// | member of a rule | |
/// |---|---|
/// | `RowTrace`, `NeuronTrace` | trivially copyable; all zero where there was no event. A RowTrace has whole words |
/// | `aged(m, row, ticks)` | the row's trace so much later |
/// | `pre_spiked(m, row, ticks)` | the same, and then a pre-synaptic spike |
/// | `post_spiked(m, neuron, ticks)` | the neuron's trace so much later, and then a post-synaptic event |
/// | `at_post(synapse, row, ticks, neuron)` | a post-synaptic event so long after the row's trace was made; `neuron` is the trace that it left |
/// | `at_pre(synapse, row, ticks, neuron, since)` | the row's spike; the neuron's last event was `since` before it, or never: then its trace is zero |
///
/// `m` has `product`, `part` and `sum` (ShareArithmetic), and so has `synapse`, which `up` and `down` move by a share of the
/// range of weights, as the weight rule sees it. `Offers` lists what it has besides: offer::IsSpent, offer::OwnBits.
template <class Rule>
concept TimingRule = requires(const Rule& rule, detail::AnySynapse& any, typename Rule::RowTrace row,
                              typename Rule::NeuronTrace neuron, std::uint32_t ticks) {
  { rule.aged(any, row, ticks) } -> std::same_as<typename Rule::RowTrace>;
  { rule.pre_spiked(any, row, ticks) } -> std::same_as<typename Rule::RowTrace>;
  { rule.post_spiked(any, neuron, ticks) } -> std::same_as<typename Rule::NeuronTrace>;
  { rule.at_post(any, row, ticks, neuron) } -> std::same_as<void>;
  { rule.at_pre(any, row, ticks, neuron, ticks) } -> std::same_as<void>;
};

/// `up(m, share, change)` and `down(m, share, change)`: by how much a weight of this share of its range really moves.
template <class Rule>
concept WeightRule = requires(const Rule& rule, detail::AnySynapse& any, Share share) {
  { rule.up(any, share, share) } -> std::same_as<Share>;
  { rule.down(any, share, share) } -> std::same_as<Share>;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
