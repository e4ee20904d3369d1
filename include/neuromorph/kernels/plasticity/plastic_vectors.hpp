// SPDX-License-Identifier: BSL-1.0
/// \file
/// The weights of plastic rows as a memory of vectors, so that vector rules under masks run on the rows that a core learns
/// with. A lane is the upper eight bits of a weight's share of its range; what a rule leaves of the finer bits stays. A lane
/// that becomes 0 or 255 is the end of the range.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_PLASTIC_VECTORS_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_PLASTIC_VECTORS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/target/native.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A VectorMemory of std::uint8_t. Synapse (row, place in the row) is lane place % 16 at address
/// row * ceil(Synapses / 16) + place / 16, as in SynapseSet<Rows, Synapses>. Places without a synapse read 0 and keep nothing.
///
/// \tparam Update    the DeferredUpdate of the rows
/// \tparam Synapses  most plastic ones of a row
/// \tparam RowOf     std::span<std::uint32_t>(std::uint32_t row): all words of a row; of one that there is not, none
/// \cost some 15 instructions a synapse each way: far from what vectors cost in plain memory
template <class Update, std::uint32_t Synapses, class RowOf, class Target = target::Native>
class PlasticVectors {
public:
  using Offers = offer::List<>;
  using Bytes = Vec<std::uint8_t, Target>;
  static constexpr VectorAddress vectors_per_row = (Synapses + 15) / 16;

  /// Refers to both.
  constexpr PlasticVectors(const Update& update, std::uint32_t rows, RowOf& row_of) noexcept
      : update_(&update), row_of_(&row_of), rows_(rows) {}

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return rows_ * vectors_per_row; }

  [[nodiscard]] constexpr Bytes read(VectorAddress address) const noexcept {
    std::array<std::uint8_t, 16> lanes{};
    each(address, [&](std::size_t lane, std::uint32_t&, std::uint32_t& state) {
      lanes[lane] = static_cast<std::uint8_t>(state >> 24);
    });
    return Bytes(lanes);
  }
  constexpr void write(VectorAddress address, const Bytes& value) const noexcept {
    const auto lanes = value.array();
    each(address, [&](std::size_t lane, std::uint32_t& word, std::uint32_t& state) { put(word, state, lanes[lane]); });
  }
  constexpr void write(VectorAddress address, const Bytes& value,
                       const typename Bytes::Flags& lanes_set) const noexcept {
    const auto lanes = value.array(), set = lanes_set.to_lanes().array();
    each(address, [&](std::size_t lane, std::uint32_t& word, std::uint32_t& state) {
      if (set[lane] != 0) put(word, state, lanes[lane]);
    });
  }

private:
  template <class Function>
  constexpr void each(VectorAddress address, Function function) const noexcept {
    const typename Update::Row row((*row_of_)(address / vectors_per_row));
    if (!row.is_whole()) return;
    const std::size_t first = address % vectors_per_row * 16;
    for (std::size_t at = first; at < first + 16 && at < row.size(); ++at)
      function(at - first, row.plastic()[at], row.states()[at]);
  }
  constexpr void put(std::uint32_t& word, std::uint32_t& state, std::uint8_t byte) const noexcept {
    const auto before = static_cast<std::uint8_t>(state >> 24);
    if (byte == before) return;
    // The ends of a lane are those of the range.
    const std::uint32_t finer = byte == 0 ? 0 : byte == 255 ? 0xFFFFFF : state & 0xFFFFFF;
    update_->set_share(word, state, std::uint32_t{byte} << 24 | finer);
  }

  const Update* update_;
  RowOf* row_of_;
  std::uint32_t rows_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
