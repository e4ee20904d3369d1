// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a timing rule is. It says which trace a row keeps of its spikes and a neuron of its own. And it says by how much a
/// weight goes up or down at an event of one, given the trace of the other.
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
/// `static constexpr bool own_word = true`: a synapse has a word of the rule's own beside its state, 0 at first.
struct OwnWord {
  int own_word;
  template <class Rule>
  static auto find() -> decltype(&Rule::own_word);
};
/// `static constexpr bool no_delay = true`: it reads its neurons as they are, so their events are to be at synapses at once.
struct NoDelay {
  int no_delay;
  template <class Rule>
  static auto find() -> decltype(&Rule::no_delay);
};
/// `void elapse(auto& synapse, std::uint32_t ticks, NeuronTrace neuron, std::uint32_t since) const`: so many ticks go by, up
/// to an event, the row's spike or a flush. When they began, the neuron's last event was `since` ago, or never: then its trace
/// is zero.
struct Elapse {
  int elapse;
  template <class Rule>
  static auto find() -> decltype(&Rule::elapse);
};
/// `template <class Word> using NeuronTraceOf`: NeuronTrace with Word for std::uint32_t, a struct of such words. Then `at_post`
/// and `at_pre` take it, and the neuron's ticks, of any Word, and have no branch but `synapse.when`: where a machine has lanes,
/// they are asked about several synapses at once, with target::LaneWords.
struct LaneTraces {
  template <class Word>
  using NeuronTraceOf = Word;
  template <class Rule>
  static auto find() -> typename Rule::template NeuronTraceOf<std::uint32_t>*;
};
} // namespace offer

/// A synapse as rules see it. This one is nowhere: it is for rules to be compiled with.
class AnySynapse {
public:
  constexpr AnySynapse() = delete;
  void up(Share change) noexcept;             ///< moves the weight up by what the weight rule makes of the change
  void down(Share change) noexcept;           ///< the same down; both hold it in its range, and count that
  [[nodiscard]] Share share() const noexcept; ///< the weight above the lowest one
  [[nodiscard]] std::uint32_t neuron() const noexcept; ///< the post-synaptic neuron, as the word says it
  [[nodiscard]] Share product(Share share, DecayFactor factor) noexcept;
  [[nodiscard]] Share part(Share share, Share of) noexcept;
  [[nodiscard]] Share times(Share share, std::uint32_t count) noexcept;
  [[nodiscard]] Share sum(Share a, Share b) noexcept;
  [[nodiscard]] std::uint32_t own() const noexcept;      ///< the rule's own bits
  void set_own(std::uint32_t own) noexcept;              ///< higher ones are dropped
  [[nodiscard]] std::uint32_t own_word() const noexcept; ///< of rules that offer OwnWord
  void set_own_word(std::uint32_t word) noexcept;
  /// `if (is_so) then(); else otherwise();`, which synapses of several lanes can do, too.
  void when(bool is_so, auto then, auto otherwise) noexcept;
};

namespace detail {

template <class Rule>
concept HasRowTrace = std::is_trivially_copyable_v<typename Rule::RowTrace> && sizeof(typename Rule::RowTrace) % 4 == 0;
template <class Rule>
concept HasNeuronTrace = std::is_trivially_copyable_v<typename Rule::NeuronTrace>;
template <class Rule>
concept HasAged = requires(const Rule& rule, AnySynapse& m, typename Rule::RowTrace row, std::uint32_t ticks) {
  { rule.aged(m, row, ticks) } -> std::same_as<typename Rule::RowTrace>;
};
template <class Rule>
concept HasPreSpiked = requires(const Rule& rule, AnySynapse& m, typename Rule::RowTrace row, std::uint32_t ticks) {
  { rule.pre_spiked(m, row, ticks) } -> std::same_as<typename Rule::RowTrace>;
};
template <class Rule>
concept HasPostSpiked = requires(const Rule& rule, AnySynapse& m, typename Rule::NeuronTrace neuron,
                                 std::uint32_t ticks) {
  { rule.post_spiked(m, neuron, ticks) } -> std::same_as<typename Rule::NeuronTrace>;
};
template <class Rule>
concept HasAtPost = requires(const Rule& rule, AnySynapse& synapse, typename Rule::RowTrace row,
                             typename Rule::NeuronTrace neuron, std::uint32_t ticks) {
  { rule.at_post(synapse, row, ticks, neuron) } -> std::same_as<void>;
};
template <class Rule>
concept HasAtPre = requires(const Rule& rule, AnySynapse& synapse, typename Rule::RowTrace row,
                            typename Rule::NeuronTrace neuron, std::uint32_t ticks) {
  { rule.at_pre(synapse, row, ticks, neuron, ticks) } -> std::same_as<void>;
};
template <class Rule>
concept SaysIsSpent = requires(typename Rule::RowTrace row) {
  { Rule::is_spent(row) } -> std::same_as<bool>;
};
template <class Rule>
concept SaysOwnBits = requires {
  std::integral_constant<unsigned, Rule::own_bits>{};
  requires Rule::own_bits >= 1 && Rule::own_bits <= 12;
};
template <class Rule>
concept SaysOwnWord = requires {
  requires Rule::own_word == true;
};
template <class Rule>
concept SaysNoDelay = requires {
  requires Rule::no_delay == true;
};
template <class Rule>
concept HasElapse = requires(const Rule& rule, AnySynapse& synapse, typename Rule::NeuronTrace neuron,
                             std::uint32_t ticks) {
  { rule.elapse(synapse, ticks, neuron, ticks) } -> std::same_as<void>;
};
template <class Rule>
concept SaysNeuronTraceOf = std::same_as < typename Rule::template NeuronTraceOf<std::uint32_t>,
typename Rule::NeuronTrace > &&sizeof(typename Rule::NeuronTrace) % 4 == 0;
template <class Rule>
concept HasUp = requires(const Rule& rule, AnySynapse& m, Share share) {
  { rule.up(m, share, share) } -> std::same_as<Share>;
};
template <class Rule>
concept HasDown = requires(const Rule& rule, AnySynapse& m, Share share) {
  { rule.down(m, share, share) } -> std::same_as<Share>;
};

/// Says what a timing rule lacks.
template <class Rule>
consteval bool is_complete_timing_rule() {
  static_assert(HasRowTrace<Rule>, "neuromorph: a timing rule lacks 'using RowTrace', trivially copyable and of whole "
                                   "words; see docs/plasticity.md");
  static_assert(HasNeuronTrace<Rule>,
                "neuromorph: a timing rule lacks 'using NeuronTrace', trivially copyable; see docs/plasticity.md");
  if constexpr (HasRowTrace<Rule> && HasNeuronTrace<Rule>) {
    static_assert(HasAged<Rule>, "neuromorph: a timing rule lacks 'RowTrace aged(auto& m, RowTrace, std::uint32_t "
                                 "ticks) const'; see docs/plasticity.md");
    static_assert(HasPreSpiked<Rule>, "neuromorph: a timing rule lacks 'RowTrace pre_spiked(auto& m, RowTrace, "
                                      "std::uint32_t ticks) const'; see docs/plasticity.md");
    static_assert(HasPostSpiked<Rule>, "neuromorph: a timing rule lacks 'NeuronTrace post_spiked(auto& m, NeuronTrace, "
                                       "std::uint32_t ticks) const'; see docs/plasticity.md");
    static_assert(HasAtPost<Rule>, "neuromorph: a timing rule lacks 'void at_post(auto& synapse, RowTrace, "
                                   "std::uint32_t ticks, NeuronTrace) const'; see docs/plasticity.md");
    static_assert(HasAtPre<Rule>, "neuromorph: a timing rule lacks 'void at_pre(auto& synapse, RowTrace, std::uint32_t "
                                  "ticks, NeuronTrace, std::uint32_t since) const'; see docs/plasticity.md");
  }
  static_assert(says_offers<Rule>,
                "neuromorph: a timing rule lacks 'using Offers', an offer::List of what it has of "
                "'IsSpent', 'OwnBits', 'OwnWord', 'Elapse', 'NoDelay' and 'LaneTraces'; see docs/plasticity.md");
  static_assert(is_said<Rule, offer::IsSpent>(), "neuromorph: a timing rule has 'is_spent', and its 'Offers' lacks "
                                                 "'offer::IsSpent'; see docs/plasticity.md");
  static_assert(is_said<Rule, offer::OwnBits>(), "neuromorph: a timing rule has 'own_bits', and its 'Offers' lacks "
                                                 "'offer::OwnBits'; see docs/plasticity.md");
  static_assert(!offers<Rule, offer::IsSpent> || SaysIsSpent<Rule>,
                "neuromorph: a timing rule offers 'IsSpent' and lacks 'static bool is_spent(RowTrace)'; see "
                "docs/plasticity.md");
  static_assert(!offers<Rule, offer::OwnBits> || SaysOwnBits<Rule>,
                "neuromorph: a timing rule offers 'OwnBits' and lacks 'static constexpr unsigned own_bits', 1 to 12; "
                "see docs/plasticity.md");
  static_assert(is_said<Rule, offer::OwnWord>(), "neuromorph: a timing rule has 'own_word', and its 'Offers' lacks "
                                                 "'offer::OwnWord'; see docs/plasticity.md");
  static_assert(is_said<Rule, offer::Elapse>(), "neuromorph: a timing rule has 'elapse', and its 'Offers' lacks "
                                                "'offer::Elapse'; see docs/plasticity.md");
  static_assert(is_said<Rule, offer::NoDelay>(), "neuromorph: a timing rule has 'no_delay', and its 'Offers' lacks "
                                                 "'offer::NoDelay'; see docs/plasticity.md");
  static_assert(!offers<Rule, offer::NoDelay> || SaysNoDelay<Rule>,
                "neuromorph: a timing rule offers 'NoDelay' and lacks 'static constexpr bool no_delay = true'; see "
                "docs/plasticity.md");
  static_assert(is_said<Rule, offer::LaneTraces>(), "neuromorph: a timing rule has 'NeuronTraceOf', and its 'Offers' "
                                                    "lacks 'offer::LaneTraces'; see docs/plasticity.md");
  static_assert(!offers<Rule, offer::LaneTraces> || SaysNeuronTraceOf<Rule>,
                "neuromorph: a timing rule offers 'LaneTraces' and lacks 'template <class Word> using NeuronTraceOf', "
                "which of std::uint32_t is NeuronTrace; see docs/plasticity.md");
  static_assert(!offers<Rule, offer::OwnWord> || SaysOwnWord<Rule>,
                "neuromorph: a timing rule offers 'OwnWord' and lacks 'static constexpr bool own_word = true'; see "
                "docs/plasticity.md");
  static_assert(!offers<Rule, offer::Elapse> || HasElapse<Rule>,
                "neuromorph: a timing rule offers 'Elapse' and lacks 'void elapse(auto& synapse, std::uint32_t ticks, "
                "NeuronTrace, std::uint32_t since) const'; see docs/plasticity.md");
  static_assert(
      !offers<Rule, offer::Elapse> || !offers<Rule, offer::IsSpent>,
      "neuromorph: a timing rule offers 'Elapse', which asks for all events, and 'IsSpent', which leaves some "
      "out; see docs/plasticity.md");
  return true;
}

/// Says what a weight rule lacks.
template <class Rule>
consteval bool is_complete_weight_rule() {
  static_assert(HasUp<Rule>,
                "neuromorph: a weight rule lacks 'Share up(auto& m, Share weight, Share change) const'; see "
                "docs/plasticity.md");
  static_assert(HasDown<Rule>, "neuromorph: a weight rule lacks 'Share down(auto& m, Share weight, Share change) "
                               "const'; see docs/plasticity.md");
  return true;
}

} // namespace detail

/// | member of a rule | |
/// |---|---|
/// | `RowTrace`, `NeuronTrace` | trivially copyable; all zero where there was no event. A RowTrace has whole words |
/// | `aged(m, row, ticks)` | the row's trace so much later |
/// | `pre_spiked(m, row, ticks)` | the same, and then a pre-synaptic spike |
/// | `post_spiked(m, neuron, ticks)` | the neuron's trace so much later, and then a post-synaptic event |
/// | `at_post(synapse, row, ticks, neuron)` | an event of the neuron, so long after the row's trace was made, that left it `neuron` |
/// | `at_pre(synapse, row, ticks, neuron, since)` | the row's spike. The neuron's last event was `since` before, and left it `neuron` |
///
/// `m` has `product`, `part`, `times` and `sum` as ShareArithmetic; a synapse is as AnySynapse. A row's trace is aged to its
/// spike once for all synapses, so that `ticks` of `at_pre` is 0. `Offers` lists what a rule has besides: offer::IsSpent,
/// offer::OwnBits, offer::OwnWord, offer::Elapse, offer::NoDelay, offer::LaneTraces.
template <class Rule>
concept TimingRule =
    detail::HasRowTrace<Rule> && detail::HasNeuronTrace<Rule> && detail::HasAged<Rule> && detail::HasPreSpiked<Rule> &&
    detail::HasPostSpiked<Rule> && detail::HasAtPost<Rule> && detail::HasAtPre<Rule> && detail::says_offers<Rule>;

/// `up(m, weight, change)` and `down(m, weight, change)`: by how much a weight really moves, given as its share of the range.
template <class Rule>
concept WeightRule = detail::HasUp<Rule> && detail::HasDown<Rule>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
