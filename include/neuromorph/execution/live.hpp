// SPDX-License-Identifier: BSL-1.0
/// \file
/// Packets of a machine to a host while it runs, and of a host to a machine: vertices of runtime/live.hpp, their tags and their keys.
///
///     const auto out = execution::add_live_output(simulation, gatherer, "display", {.host = "192.168.1.7", .port = 17895});
///     const auto in = execution::add_live_input(simulation, source, "injector", {.port = 12345});
///     simulation.graph().connect(cell, {neighbours..., out});
///     simulation.graph().connect(in, cells, {.keys = 100});
///
/// A host reads which keys are whose from a database, execution/database.hpp, and is told of it by execution/notification.hpp.
/// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), 6.9
// host-only
#ifndef NEUROMORPH_EXECUTION_LIVE_HPP
#define NEUROMORPH_EXECUTION_LIVE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/protocols/eieio.hpp>
#include <neuromorph/runtime/live.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct LiveOutput {
  std::string host = {}; ///< four numbers; empty: the one that loads the machine
  std::uint16_t port = 17895;
  bool strips_header = true; ///< datagrams are EIEIO alone, without the heads of SDP
  protocols::EieioForm form = {};
  std::uint32_t most_per_tick = 0; ///< events; 0: all
  std::vector<runtime::KeyTranslation> translations = {};
};
struct LiveInput {
  std::uint16_t port = 0; ///< of the board on which it is; 0: one that is free
};

/// \param image  of runtime::LivePacketGatherer
/// \return       what is among the targets of those whose packets are sent
inline mapping::Vertex add_live_output(Simulation& simulation, std::size_t image, std::string name, LiveOutput output) {
  const std::size_t translations = output.translations.size();
  simulation.constraints().ip_tags.push_back({.vertex = simulation.graph().vertices(),
                                              .host = output.host,
                                              .port = output.port,
                                              .strips_header = output.strips_header});
  const mapping::Vertex self = simulation.graph().vertices();
  return simulation.add(
      image,
      {.name = std::move(name),
       .resources = {.dtcm_bytes = 1024,
                     .sdram_bytes = static_cast<std::uint32_t>(runtime::GathererRegion::bytes(translations)),
                     .ip_tags = 1},
       .regions = [self, output = std::move(output)](const Mapped& of) -> std::vector<std::vector<std::uint8_t>> {
         std::vector<std::uint8_t> bytes(runtime::GathererRegion::bytes(output.translations.size()));
         const auto& tags = of.mapping.tags;
         const std::uint32_t tag = tags.ip_of(self).empty() ? 255U : tags.ip[tags.ip_of(self)[0].tag].number;
         static_cast<void>(
             runtime::GathererRegion::write( // there is room
                 bytes, {output.most_per_tick, tag, runtime::EventForm::of(output.form)}, output.translations)
                 .ok());
         return {bytes};
       },
       .counters = runtime::LivePacketGatherer::counters});
}
/// It sends the keys of its first partition, and no others.
/// \param image  of runtime::ReverseIpTagMulticastSource
inline mapping::Vertex add_live_input(Simulation& simulation, std::size_t image, std::string name,
                                      const LiveInput& input) {
  const mapping::Vertex self = simulation.graph().vertices();
  simulation.constraints().reverse_tags.push_back(
      {.vertex = self, .port = input.port, .sdp_port = runtime::ReverseIpTagMulticastSource::port});
  return simulation.add(
      image, {.name = std::move(name),
              .resources = {.dtcm_bytes = 256,
                            .sdram_bytes = static_cast<std::uint32_t>(runtime::SourceRegion::bytes()),
                            .reverse_tags = 1},
              .regions = [self](const Mapped& of) -> std::vector<std::vector<std::uint8_t>> {
                std::vector<std::uint8_t> bytes(runtime::SourceRegion::bytes());
                mapping::KeyMask keys{1, 0}; // no key at all
                for (mapping::Partition at = 0; at < of.graph.partitions(); ++at)
                  if (of.graph.source(at) == self) {
                    keys = of.mapping.keys_of(at);
                    break;
                  }
                static_cast<void>(runtime::SourceRegion::write(bytes, {keys.key, keys.mask}).ok()); // there is room
                return {bytes};
              },
              .counters = runtime::ReverseIpTagMulticastSource::counters});
}
/// Where hosts send what such a vertex is to send.
/// \pre the simulation is loaded
/// \return nullptr where it has no reverse tag
[[nodiscard]] inline const mapping::LoadedReverseTag* input_of(const Simulation& simulation, mapping::Vertex vertex) {
  const mapping::Tags& tags = simulation.mapping().tags;
  const auto uses = tags.reverse_of(vertex);
  return uses.empty() ? nullptr : &tags.reverse[uses[0].tag];
}

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
