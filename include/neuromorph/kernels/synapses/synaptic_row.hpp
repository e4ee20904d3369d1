// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synaptic rows: the synapses of one pre-synaptic neuron, a word each, and what a spike does with them.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_SYNAPTIC_ROW_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_SYNAPTIC_ROW_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Adds the weights of a row to the ring buffer, for a pre-synaptic spike of step `step_number`.
///
/// Call it between the steps `step_number` and `step_number + 1` of the neurons: a delay of d steps arrives at
/// `step_number + d`.
/// \param row  [fan_out] words of the ring buffer's format; two synapses on one element both count
/// \cost  O(fan_out): one load of the row, one load and one store of the ring per synapse
/// \cost  ARM968E-S: benchmarks `synapse/ring32/wrap`, `synapse/ring16sat/wrap`
template <class Target = target::Native, class Format, class Element>
constexpr void add_row(RingBuffer<Format, Element>& ring, std::span<const std::uint32_t> row,
                       std::uint32_t step_number) noexcept {
  const std::uint32_t offset = Format::offset(step_number);
  constexpr bool is_magnitude = has_loop<Format>(WeightCoding::magnitude);
  constexpr bool is_signed = has_loop<Format>(WeightCoding::signed_value);
  constexpr bool is_complement = has_loop<Format>(WeightCoding::complement);
  if constexpr ((is_magnitude || is_signed) && std::same_as<Element, std::int32_t>) {
    Target::template add_row_wrap<Format::address_bits, is_signed>(ring.elements().data(), row.data(), row.size(),
                                                                   offset);
  } else if constexpr ((is_magnitude || is_complement) && std::same_as<Element, std::uint16_t>) {
    ring.count_saturations(Target::template add_row_wrap_saturating<Format::address_bits, is_complement>(
        ring.elements().data(), row.data(), row.size(), offset));
  } else {
    const auto one = [&](std::uint32_t word) { ring.add(Format::address(word, offset), Format::weight(word)); };
    // In groups, so that the loop's own instructions are few; within a group the order stays that of the row.
    std::size_t at = 0;
    for (const std::uint32_t* word = row.data(); at + 8 <= row.size(); at += 8, word += 8) {
      one(word[0]), one(word[1]), one(word[2]), one(word[3]);
      one(word[4]), one(word[5]), one(word[6]), one(word[7]);
    }
    for (; at < row.size(); ++at) one(row[at]);
  }
}

/// Whether every word of a row names one of `neurons` neurons and one of `types` receptor types.
/// \errors index_out_of_range, type_out_of_range, delay_out_of_range; `where` is the position in the row
template <class Format>
[[nodiscard]] constexpr Status check_row(std::span<const std::uint32_t> row, std::size_t neurons,
                                         std::size_t types = std::size_t{1} << Format::type_bits,
                                         std::uint32_t longest_delay = 1U << Format::delay_bits) noexcept {
  for (std::size_t at = 0; at < row.size(); ++at) {
    const Synapse synapse = Format::decode(row[at]);
    const auto where = static_cast<std::uint32_t>(at);
    if (synapse.index >= neurons) return {Error::index_out_of_range, where, synapse.index, "index"};
    if (synapse.type >= types) return {Error::type_out_of_range, where, synapse.type, "type"};
    if (synapse.delay > longest_delay) return {Error::delay_out_of_range, where, synapse.delay, "delay"};
  }
  return {};
}

/// All rows of a core, one after the other in one block of words.
struct SynapticRows {
  std::span<const std::uint32_t> words;
  std::span<const std::uint32_t> first; ///< [rows + 1] where each row starts in `words`

  [[nodiscard]] constexpr std::size_t rows() const noexcept { return first.empty() ? 0 : first.size() - 1; }
  [[nodiscard]] constexpr std::span<const std::uint32_t> row(std::size_t pre) const noexcept {
    return {words.data() + first[pre], first[pre + 1] - first[pre]};
  }
};

namespace detail {

/// What is left of a row while several rows are added side by side.
struct RowRest {
  const std::uint32_t* word;
  const std::uint32_t* last;

  /// Tells a cache that these words come next; means nothing to a machine without one.
  constexpr void announce() const noexcept {
    if (!std::is_constant_evaluated()) __builtin_prefetch(word);
  }
};

inline constexpr std::uint32_t no_slot = 0xFFFFFFFF;

/// Delay and type of the next word together, before the step number is added.
template <class Format>
[[nodiscard]] constexpr std::uint32_t slot_of(const RowRest& rest) noexcept {
  return rest.word == rest.last ? no_slot : Format::address(*rest.word, 0) >> Format::index_bits;
}

/// Adds the words of one slot from the front of a row, and announces as much of the row that comes `next`.
/// Groups of words that begin in the slot are added whole where the order of additions cannot matter.
template <class Format, class Element>
constexpr void add_slot(RingBuffer<Format, Element>& ring, RowRest& row, RowRest next, std::uint32_t slot,
                        std::uint32_t offset) noexcept {
  constexpr std::ptrdiff_t group = 16; // words: a line of many caches
  constexpr bool any_order = sizeof(Element) == 4;
  const auto one = [&](std::uint32_t word) { ring.add(Format::address(word, offset), Format::weight(word)); };
  const auto eight = [&](const std::uint32_t* word) {
    one(word[0]), one(word[1]), one(word[2]), one(word[3]);
    one(word[4]), one(word[5]), one(word[6]), one(word[7]);
  };
  const auto in_slot = [&](std::uint32_t word) { return Format::address(word, 0) >> Format::index_bits == slot; };
  const std::uint32_t* word = row.word;
  for (; row.last - word >= group && in_slot(word[any_order ? 0 : group - 1]); word += group) {
    if (next.last - next.word >= group) {
      next.announce();
      next.word += group;
    }
    eight(word);
    eight(word + 8);
  }
  while (word != row.last && ((any_order && row.last - word < group) || in_slot(*word))) one(*word++);
  row.word = word;
}

} // namespace detail

/// Adds the rows of all neurons that fired at step `step_number`; returns how many synaptic events that made.
///
/// Where there are caches, faster than `add_row` for each. It takes the rows side by side, slot after slot of the ring
/// buffer (delay and receptor type). So the first-level cache has to hold only one slot at a time; it is told which
/// words come next. Build rows with their synapses in the order of delays to get the most of it (the delay of
/// 2^DelayBits, which is stored as 0, first). In any other order they take the time of `add_row`.
/// \param fired  [any length] rows to add, for instance what Population::step returned
/// \exact  as `add_row` for each in turn; 16-bit elements that saturate: if the rows are in the order of slots
/// \cost   O(sum of fan_out), 850 bytes of stack on a 32-bit core; `synapse/ring32/native/10000x1000`
template <class Target = target::Native, class Format, class Element>
constexpr std::size_t add_rows(RingBuffer<Format, Element>& ring, const SynapticRows& rows,
                               std::span<const std::uint32_t> fired, std::uint32_t step_number) noexcept {
  if constexpr (!Target::has_cache) {
    std::size_t events = 0;
    for (const std::uint32_t pre : fired) {
      add_row<Target>(ring, rows.row(pre), step_number);
      events += rows.row(pre).size();
    }
    return events;
  }
  constexpr std::size_t side_by_side = 64;
  const std::uint32_t offset = Format::offset(step_number);
  std::array<detail::RowRest, side_by_side> rest;
  std::array<std::uint32_t, side_by_side> slot_of_rest;
  std::array<std::uint8_t, side_by_side + 1> in_slot;
  std::size_t events = 0;
  for (std::size_t begin = 0; begin < fired.size(); begin += side_by_side) {
    const std::size_t count = fired.size() - begin < side_by_side ? fired.size() - begin : side_by_side;
    std::uint32_t slot = detail::no_slot;
    for (std::size_t at = 0; at < count; ++at) {
      const auto row = rows.row(fired[begin + at]);
      events += row.size();
      rest[at] = {row.data(), row.data() + row.size()};
      rest[at].announce();
    }
    for (std::size_t at = 0; at < count; ++at) {
      slot_of_rest[at] = detail::slot_of<Format>(rest[at]);
      slot = slot_of_rest[at] < slot ? slot_of_rest[at] : slot;
    }
    while (slot != detail::no_slot) {
      std::uint32_t later = detail::no_slot; // the lowest slot after this one
      std::size_t chosen = 0;
      for (std::size_t at = 0; at < count; ++at) {
        const std::uint32_t of = slot_of_rest[at];
        in_slot[chosen] = static_cast<std::uint8_t>(at);
        chosen += of == slot ? 1 : 0;
        later = of > slot && of < later ? of : later;
      }
      in_slot[chosen] = in_slot[0];
      for (std::size_t which = 0; which < chosen; ++which) {
        detail::RowRest& row = rest[in_slot[which]];
        detail::add_slot(ring, row, rest[in_slot[which + 1]], slot, offset);
        const std::uint32_t of = slot_of_rest[in_slot[which]] = detail::slot_of<Format>(row);
        later = of > slot && of < later ? of : later;
      }
      slot = later;
    }
    for (std::size_t at = 0; at < count; ++at) // what is left of rows in another order
      if (rest[at].word != rest[at].last)
        add_row<Target>(ring, std::span<const std::uint32_t>{rest[at].word, rest[at].last}, step_number);
  }
  return events;
}

/// Whether no neuron's 32-bit ring buffer element can leave +-`limit`, even if all its synapses deliver in one step.
///
/// A 32-bit element does not check its sums; this proves once, at load time, that it need not. It assumes that a
/// pre-synaptic neuron fires at most once per step.
/// \param sums  [neurons * types] working memory
/// \errors fan_in_too_large (`where`: the neuron, `value`: its sum), lengths_differ if `sums` is too short, and those
///         of check_row; by default sums are below 2^30: Lif::step needs that
template <class Format>
[[nodiscard]] constexpr Status check_fan_in(const SynapticRows& rows, std::size_t neurons,
                                            std::span<std::uint32_t> sums,
                                            std::uint32_t limit = (1U << 30) - 1) noexcept {
  constexpr std::size_t types = std::size_t{1} << Format::type_bits;
  if (sums.size() < neurons * types) return {Error::lengths_differ, 0, sums.size(), "sums"};
  for (std::uint32_t& sum : sums) sum = 0;
  for (std::size_t pre = 0; pre < rows.rows(); ++pre) {
    if (const Status status = check_row<Format>(rows.row(pre), neurons); !status) return status;
    for (const std::uint32_t word : rows.row(pre)) {
      const Synapse synapse = Format::decode(word);
      const auto magnitude = static_cast<std::uint32_t>(synapse.weight < 0 ? -synapse.weight : synapse.weight);
      std::uint32_t& sum = sums[synapse.index * types + synapse.type];
      if (magnitude > limit - sum) return {Error::fan_in_too_large, synapse.index, std::int64_t{sum} + magnitude};
      sum += magnitude;
    }
  }
  return {};
}

/// What the synapses of one receptor bring to the neuron that has most of them.
struct FanIn {
  std::uint32_t largest = 0; ///< magnitude of a weight, of any neuron
  std::uint32_t sum = 0;     ///< of the magnitudes of a neuron's weights, the largest
  /// As many largest weights come to the same: what Weights::fan_in asks for.
  [[nodiscard]] constexpr double equivalent() const noexcept {
    return largest == 0 ? 0.0 : static_cast<double>(sum) / largest;
  }
};

/// The fan-in of each receptor type, of rows whose weights have any unit: to choose the range of psps with.
/// \param sums  [neurons * types] working memory
/// \errors as check_fan_in; fan_in_too_large from 2^32 on
template <class Format>
[[nodiscard]] constexpr Result<std::array<FanIn, std::size_t{1} << Format::type_bits>>
fan_in_of(const SynapticRows& rows, std::size_t neurons, std::span<std::uint32_t> sums) noexcept {
  constexpr std::size_t types = std::size_t{1} << Format::type_bits;
  if (const Status status = check_fan_in<Format>(rows, neurons, sums, UINT32_MAX); !status) return status;
  std::array<FanIn, types> result{};
  for (std::size_t at = 0; at < neurons * types; ++at)
    if (sums[at] > result[at % types].sum) result[at % types].sum = sums[at];
  for (std::size_t pre = 0; pre < rows.rows(); ++pre)
    for (const std::uint32_t word : rows.row(pre)) {
      const Synapse synapse = Format::decode(word);
      const auto magnitude = static_cast<std::uint32_t>(synapse.weight < 0 ? -synapse.weight : synapse.weight);
      if (magnitude > result[synapse.type].largest) result[synapse.type].largest = magnitude;
    }
  return result;
}

/// Builds rows in memory of the caller's, from synapses in any order: `count` each, `place` once, then `add`
/// each.
///
/// The order of a row is the order of its `add`s. A synapse that does not fit is refused and nothing changes.
template <class Format>
class RowBuilder {
  static_assert(RowFormat<Format>, "neuromorph: Format is no row format; see docs/synapses.md");

public:
  /// \param first    [rows + 1]; becomes SynapticRows::first
  /// \param filled   [rows] working memory, free again after `finish`
  /// \param neurons  post-synaptic neurons of this core, at most 2^index_bits
  /// \errors lengths_differ: first; parameter_out_of_range: neurons; neither memory is written then
  [[nodiscard]] static constexpr Result<RowBuilder>
  from(std::span<std::uint32_t> first, std::span<std::uint32_t> filled, std::size_t neurons) noexcept {
    if (first.size() != filled.size() + 1) return Status{Error::lengths_differ, 0, first.size(), "first"};
    if (neurons > std::size_t{1} << Format::index_bits)
      return Status{Error::parameter_out_of_range, 0, neurons, "neurons"};
    RowBuilder builder;
    builder.first_ = first, builder.filled_ = filled, builder.neurons_ = neurons;
    for (std::uint32_t& length : filled) length = 0;
    return builder;
  }
  /// Without a row: refuses all.
  constexpr RowBuilder() noexcept = default;

  /// Announces one synapse of row `pre`.
  /// \errors row_out_of_range, rows_not_placed (after `place`)
  constexpr Status count(std::size_t pre) noexcept {
    if (placed_) return {Error::rows_not_placed, 0, pre, "pre"};
    if (pre >= filled_.size()) return {Error::row_out_of_range, 0, pre, "pre"};
    ++filled_[pre];
    ++counted_;
    return {};
  }
  [[nodiscard]] constexpr std::size_t counted() const noexcept { return counted_; }

  /// Lays the rows out in `words`.
  /// \errors buffer_full: words, when they are more (`value`: how many are needed); rows_not_placed when called twice
  constexpr Status place(std::span<std::uint32_t> words) noexcept {
    if (placed_ || first_.empty()) return {Error::rows_not_placed, 0, words.size(), "words"};
    if (words.size() < counted_) return {Error::buffer_full, 0, counted_, "words"};
    words_ = {words.data(), counted_};
    std::uint32_t start = 0;
    for (std::size_t row = 0; row < filled_.size(); ++row) {
      first_[row] = start;
      start += filled_[row];
      filled_[row] = 0;
    }
    first_.back() = start;
    placed_ = true;
    return {};
  }

  /// Writes one synapse.
  /// \errors as `encode`, also index_out_of_range for a neuron that this core does not have; row_out_of_range;
  /// rows_not_placed; buffer_full when a row is given more synapses than were counted (`where`: the row)
  constexpr Status add(std::size_t pre, const Synapse& synapse) noexcept {
    if (!placed_) return {Error::rows_not_placed, 0, pre, "pre"};
    if (pre >= filled_.size()) return {Error::row_out_of_range, 0, pre, "pre"};
    if (synapse.index >= neurons_) return {Error::index_out_of_range, 0, synapse.index, "index"};
    const Result<std::uint32_t> word = Format::encode(synapse);
    if (!word) return word.status();
    const std::uint32_t at = first_[pre] + filled_[pre];
    if (at == first_[pre + 1]) return {Error::buffer_full, static_cast<std::uint32_t>(pre), synapse.index};
    words_[at] = word.value();
    ++filled_[pre];
    ++added_;
    return {};
  }

  /// The rows, once every counted synapse has been added.
  /// \errors rows_incomplete (`value`: how many are missing)
  [[nodiscard]] constexpr Result<SynapticRows> finish() const noexcept {
    if (added_ != counted_ || !placed_)
      return Status{Error::rows_incomplete, 0, static_cast<std::int64_t>(counted_ - added_)};
    return SynapticRows{words_, first_};
  }

private:
  std::span<std::uint32_t> words_;
  std::span<std::uint32_t> first_;
  std::span<std::uint32_t> filled_;
  std::size_t neurons_ = 0;
  std::size_t counted_ = 0;
  std::size_t added_ = 0;
  bool placed_ = false;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
