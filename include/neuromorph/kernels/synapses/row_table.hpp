// SPDX-License-Identifier: BSL-1.0
/// \file
/// From the key of a spike to its synaptic row: a KeyTable of populations, and where the rows of each are.
///
/// Row n of a population is that of its neuron n. Rows of one length need nothing beside them, rows of any length an
/// index. Counted with their keys are a key of no population, a neuron beyond its rows, and a row that is not inside
/// the words that were loaded. They give no row.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_ROW_TABLE_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_ROW_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/synapses/key_table.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Where the rows of one population are. Size: 4 machine words.
class PopulationRows {
public:
  /// No rows.
  constexpr PopulationRows() noexcept = default;

  /// Rows of one length, one behind the other: no bytes a row beside its words.
  /// \param words   [rows * length]
  /// \param length  words of a row
  /// \errors lengths_differ: words are no whole number of rows (`value`: how many words)
  [[nodiscard]] static constexpr Result<PopulationRows> of_length(std::span<std::uint32_t> words,
                                                                  std::uint32_t length) noexcept {
    if (length == 0 || words.size() % length != 0) return Status{Error::lengths_differ, 0, words.size(), "words"};
    PopulationRows made;
    made.words_ = words.data();
    made.rows_ = static_cast<std::uint32_t>(words.size() / length);
    made.extent_ = length;
    return made;
  }
  /// Rows of any length: 4 bytes a row, and 4 more. The index is that of SynapticRows, and is read when a row is asked
  /// for, so that it may be loaded later. In far memory that costs two reads of it.
  /// \param words  what was loaded
  /// \param first  [rows + 1] where each row starts in `words`, and the end of the last
  /// \errors lengths_differ: first is empty
  [[nodiscard]] static constexpr Result<PopulationRows> indexed(std::span<std::uint32_t> words,
                                                                std::span<const std::uint32_t> first) noexcept {
    if (first.empty()) return Status{Error::lengths_differ, 0, 0, "first"};
    PopulationRows made;
    made.words_ = words.data();
    made.first_ = first.data();
    made.rows_ = static_cast<std::uint32_t>(first.size() - 1);
    made.extent_ = static_cast<std::uint32_t>(words.size());
    return made;
  }

  [[nodiscard]] constexpr std::uint32_t rows() const noexcept { return rows_; }

  /// Whether there is a row `number` inside the words; it may be an empty one.
  [[nodiscard]] constexpr bool find(std::uint32_t number, std::span<std::uint32_t>& row) const noexcept {
    if (number >= rows_) return false;
    if (first_ == nullptr) {
      row = {words_ + std::size_t{number} * extent_, extent_};
      return true;
    }
    const std::uint32_t begin = first_[number], end = first_[number + 1];
    if (begin > end || end > extent_) return false;
    row = {words_ + begin, end - begin};
    return true;
  }

private:
  std::uint32_t* words_ = nullptr;
  const std::uint32_t* first_ = nullptr; // none: rows of one length
  std::uint32_t rows_ = 0;
  std::uint32_t extent_ = 0; // words of a row, or of all where there is an index
};

/// \tparam Capacity  most populations
template <std::size_t Capacity>
class RowTable {
public:
  using Entry = KeyEntry<PopulationRows>;

  /// Has no population.
  constexpr RowTable() noexcept = default;

  /// \errors as KeyTable::from
  [[nodiscard]] static constexpr Result<RowTable> from(std::span<const Entry> entries) noexcept {
    const Result<Keys> keys = Keys::from(entries);
    if (!keys) return keys.status();
    RowTable table;
    table.keys_ = keys.value();
    return table;
  }

  /// The row of a spike, as RowPipeline asks for it; empty where there is none.
  /// \cost  ARM968E-S: benchmark `synapse/row_table/64`
  [[nodiscard]] constexpr std::span<std::uint32_t> row_of(std::uint32_t key) noexcept {
    std::span<std::uint32_t> row;
    const auto found = keys_.find(key);
    if (!found) [[unlikely]]
      return row;
    if (!found.payload->find(found.index, row)) [[unlikely]] {
      ++without_row_.count;
      without_row_.last = key;
    }
    return row;
  }

  [[nodiscard]] constexpr std::span<const Entry> entries() const noexcept { return keys_.entries(); }
  /// Keys of no population.
  [[nodiscard]] constexpr const LostKeys& unknown() const noexcept { return keys_.unknown(); }
  /// Keys of neurons beyond the rows of their population, and of rows that are not inside the words.
  [[nodiscard]] constexpr const LostKeys& without_row() const noexcept { return without_row_; }

private:
  using Keys = KeyTable<PopulationRows, Capacity>;
  Keys keys_;
  LostKeys without_row_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
