// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synapses at rest as a NumPy file: a row for each, with its weight.
// host-only
#ifndef NEUROMORPH_NETWORK_WEIGHT_FILE_HPP
#define NEUROMORPH_NETWORK_WEIGHT_FILE_HPP

#include <cstdint>
#include <string>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/npy.hpp>
#include <neuromorph/network/rows.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Writes all synapses from one population to another as a .npy file with the columns source, target, receptor, weight and
/// delay_ms: by source, and there in the order of the rows. A weight is in the unit of the description, and as it was rounded.
/// Weights that learn are written as they are now: between two calls of `run`, as often as is wanted.
///
/// \param rows     of that network; of a rank those that it has, into its own neurons
/// \param replace  a file of that name
/// \errors index_out_of_range: there is no such population; file_failed
/// \cost   25 bytes a synapse in the file, and one row of memory
[[nodiscard]] inline Refusal write_weights(const std::string& path, const Network& net, const Rows& rows,
                                           PopulationId source, PopulationId target, bool replace = false) {
  for (const PopulationId id : {source, target})
    if (std::size_t(id) >= net.populations().size())
      return {{Error::index_out_of_range, 0, std::uint32_t(id), "population"}, path};
  auto created = NpyWriter::create(
      path, {{"source", "<u4"}, {"target", "<u4"}, {"receptor", "|u1"}, {"weight", "<f8"}, {"delay_ms", "<f8"}}, {},
      replace);
  if (!created) return created.refusal();
  NpyWriter& file = created.value();
  std::string bytes;
  for (std::uint32_t neuron = 0; neuron < net[source].count; ++neuron)
    for (const RowSet& set : rows.sets) {
      if (set.population != std::uint32_t(source)) continue;
      for (std::uint32_t part = rows.own.first; part < rows.own.end; ++part) {
        bytes.clear();
        set.each(set.row(neuron, part), [&](const ArrivingSynapse& one) {
          const Parts::Neuron to = rows.parts.neuron(part, one.target);
          if (to.population != std::uint32_t(target)) return;
          append_number(bytes, neuron);
          append_number(bytes, to.neuron);
          append_number(bytes, static_cast<std::uint8_t>(one.receptor));
          append_number(bytes, static_cast<double>(one.weight) / net[target].units_per_one[one.receptor]);
          append_number(bytes, static_cast<double>(one.delay) * net.settings().dt_ms);
        });
        if (Refusal refusal = file.write(bytes); !refusal) return refusal;
      }
    }
  return file.end();
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
