// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synaptic rows: the synapses of one pre-synaptic neuron, a word each, and what a spike does with them.
#ifndef NEUROMORPH_KERNELS_SYNAPTIC_ROW_HPP
#define NEUROMORPH_KERNELS_SYNAPTIC_ROW_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/ring_buffer.hpp>
#include <neuromorph/kernels/synaptic_word.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Adds the weights of a row to the ring buffer, for a pre-synaptic spike of step `tick`.
///
/// Call it between the steps `tick` and `tick + 1` of the neurons: a delay of d steps arrives at tick + d.
/// \param row  [fan_out] words of the ring buffer's format; two synapses on one element both count
/// \cost  O(fan_out): one load of the row, one load and one store of the ring per synapse
/// \cost  ARM968E-S: benchmarks `synapse/ring32/wrap`, `synapse/ring16sat/wrap`
template <class Target = target::Native, class Format, class Element>
constexpr void add_row(RingBuffer<Format, Element>& ring, std::span<const std::uint32_t> row,
                       std::uint32_t tick) noexcept {
  const std::uint32_t offset = Format::offset(tick);
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
/// \errors index_out_of_range, type_out_of_range; `where` is the position in the row
template <class Format>
[[nodiscard]] constexpr Status check_row(std::span<const std::uint32_t> row, std::size_t neurons,
                                         std::size_t types = std::size_t{1} << Format::type_bits,
                                         std::uint32_t longest_delay = 1U << Format::delay_bits) noexcept {
  for (std::size_t at = 0; at < row.size(); ++at) {
    const Synapse synapse = Format::decode(row[at]);
    const auto where = static_cast<std::uint32_t>(at);
    if (synapse.index >= neurons) return {Error::index_out_of_range, where, synapse.index};
    if (synapse.type >= types) return {Error::type_out_of_range, where, synapse.type};
    if (synapse.delay > longest_delay) return {Error::delay_out_of_range, where, synapse.delay};
  }
  return {};
}

/// All rows of a core, one after the other in one block of words.
struct SynapticRows {
  std::span<const std::uint32_t> words;
  std::span<const std::uint32_t> first; ///< [rows + 1] where each row starts in `words`

  [[nodiscard]] constexpr std::size_t rows() const noexcept { return first.empty() ? 0 : first.size() - 1; }
  [[nodiscard]] constexpr std::span<const std::uint32_t> row(std::size_t pre) const noexcept {
    return words.subspan(first[pre], first[pre + 1] - first[pre]);
  }
};

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
  constexpr RowBuilder(std::span<std::uint32_t> first, std::span<std::uint32_t> filled, std::size_t neurons) noexcept
      : first_(first), filled_(filled), neurons_(neurons) {
    for (std::uint32_t& length : filled_) length = 0;
  }

  /// Announces one synapse of row `pre`. \errors index_out_of_range (no such row, or `place` has been called)
  constexpr Status count(std::size_t pre) noexcept {
    if (pre >= rows() || placed_) return {Error::index_out_of_range, 0, static_cast<std::int64_t>(pre)};
    ++filled_[pre];
    ++counted_;
    return {};
  }
  [[nodiscard]] constexpr std::size_t counted() const noexcept { return counted_; }

  /// Lays the rows out in `words`. \errors buffer_full when they are more (`value`: how many are needed)
  constexpr Status place(std::span<std::uint32_t> words) noexcept {
    if (words.size() < counted_) return {Error::buffer_full, 0, static_cast<std::int64_t>(counted_)};
    words_ = words.first(counted_);
    std::uint32_t start = 0;
    for (std::size_t row = 0; row < rows(); ++row) {
      first_[row] = start;
      start += filled_[row];
      filled_[row] = 0;
    }
    first_.back() = start;
    placed_ = true;
    return {};
  }

  /// Writes one synapse. \errors as `encode`; index_out_of_range (`where` 0: no such row, or not placed yet;
  /// 1: no such post-synaptic neuron); buffer_full when a row is given more synapses than were counted
  /// (`where`: the row)
  constexpr Status add(std::size_t pre, const Synapse& synapse) noexcept {
    if (pre >= rows() || !placed_) return {Error::index_out_of_range, 0, static_cast<std::int64_t>(pre)};
    if (synapse.index >= neurons_) return {Error::index_out_of_range, 1, synapse.index};
    const Result<std::uint32_t> word = Format::encode(synapse);
    if (!word) return word.status;
    const std::uint32_t at = first_[pre] + filled_[pre];
    if (at == first_[pre + 1]) return {Error::buffer_full, static_cast<std::uint32_t>(pre), synapse.index};
    words_[at] = word.value;
    ++filled_[pre];
    ++added_;
    return {};
  }

  /// The rows, once every counted synapse has been added. \errors rows_incomplete (`value`: how many are
  /// missing)
  [[nodiscard]] constexpr Result<SynapticRows> finish() const noexcept {
    if (added_ != counted_ || !placed_)
      return {{}, {Error::rows_incomplete, 0, static_cast<std::int64_t>(counted_ - added_)}};
    return {{words_, first_}, {}};
  }

private:
  [[nodiscard]] constexpr std::size_t rows() const noexcept {
    return first_.size() == filled_.size() + 1 ? filled_.size() : 0;
  }

  std::span<std::uint32_t> words_;
  std::span<std::uint32_t> first_;
  std::span<std::uint32_t> filled_;
  std::size_t neurons_;
  std::size_t counted_ = 0;
  std::size_t added_ = 0;
  bool placed_ = false;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
