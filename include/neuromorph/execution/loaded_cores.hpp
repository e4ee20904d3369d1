// SPDX-License-Identifier: BSL-1.0
/// \file
/// Cores that have been loaded, by their vertices: their variables, as the monitor keeps them, and their logs.
///
///     execution::LoadedCores cores(ask, found, blocks); // blocks[vertex]
///     std::vector<execution::CoreVariables> variables;
///     if (auto refusal = cores.read_variables(vertices, variables); !refusal) ...;
///     if (variables[vertex].state() == machine::CoreState::run_time_error) ...;
// host-only
#ifndef NEUROMORPH_EXECUTION_LOADED_CORES_HPP
#define NEUROMORPH_EXECUTION_LOADED_CORES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/loader.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/sdp.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct CoreVariables {
  std::array<std::uint8_t, 128> bytes{};
  [[nodiscard]] machine::CoreState state() const noexcept { return machine::CoreState(bytes[0x2E]); }
  /// With which it has failed; 0 if it has not.
  [[nodiscard]] std::uint32_t code() const noexcept {
    const std::uint32_t whole = protocols::word_at(bytes, 0x74);
    return bytes[0x2C] == 0 || whole == 0 ? bytes[0x2C] : whole;
  }
};

class LoadedCores {
public:
  /// \param ask, found  outlive this
  /// \param blocks      [vertex], likewise
  LoadedCores(Transceiver& ask, const Found& found, std::span<const CoreBlock> blocks)
      : ask_(ask), found_(found), blocks_(blocks) {}

  /// \param to  [vertex]
  /// \errors those of Transceiver::finish
  [[nodiscard]] Refusal read_variables(std::span<const mapping::Vertex> of, std::vector<CoreVariables>& to) {
    to.resize(blocks_.size());
    for (const mapping::Vertex at : of)
      ask_.read(x(at), y(at), Loader::variables_of(blocks_[at].at.core), to[at].bytes);
    return ask_.finish();
  }
  /// A log is blocks in a list: the next, two times, bytes in use, bytes. All lists are gone along together, 64 blocks at most.
  /// \param to  [of], all that they say
  /// \errors those of Transceiver::finish
  [[nodiscard]] Refusal read_logs(std::span<const mapping::Vertex> of, std::vector<std::string>& to) {
    std::vector<std::array<std::uint8_t, 16>> heads(of.size());
    std::vector<std::vector<std::uint8_t>> texts(of.size());
    to.assign(of.size(), {});
    for (std::size_t one = 0; one < of.size(); ++one)
      ask_.read(x(of[one]), y(of[one]), Loader::variables_of(blocks_[of[one]].at.core) + 0x58,
                std::span(heads[one]).first(4));
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    for (unsigned blocks = 0; blocks < 64; ++blocks) {
      std::vector<std::size_t> going;
      for (std::size_t one = 0; one < of.size(); ++one)
        if (protocols::word_at(heads[one], 0) != 0) going.push_back(one);
      if (going.empty()) break;
      std::vector<std::uint32_t> at(of.size());
      for (const std::size_t one : going) {
        at[one] = protocols::word_at(heads[one], 0);
        ask_.read(x(of[one]), y(of[one]), at[one], heads[one]);
      }
      if (Refusal refusal = ask_.finish(); !refusal) return refusal;
      for (const std::size_t one : going) {
        texts[one].resize((std::min)(protocols::word_at(heads[one], 12), std::uint32_t{1} << 16));
        if (!texts[one].empty()) ask_.read(x(of[one]), y(of[one]), at[one] + 16, texts[one]);
      }
      if (Refusal refusal = ask_.finish(); !refusal) return refusal;
      for (const std::size_t one : going) to[one].append(texts[one].begin(), texts[one].end());
    }
    return {};
  }

  [[nodiscard]] unsigned x(mapping::Vertex of) const noexcept { return found_.machine.x(blocks_[of].at.chip); }
  [[nodiscard]] unsigned y(mapping::Vertex of) const noexcept { return found_.machine.y(blocks_[of].at.chip); }
  [[nodiscard]] protocols::SdpEnd port(mapping::Vertex of, unsigned port) const noexcept {
    return {static_cast<std::uint8_t>(x(of)), static_cast<std::uint8_t>(y(of)), static_cast<std::uint8_t>(port),
            blocks_[of].at.core};
  }

private:
  Transceiver& ask_;
  const Found& found_;
  std::span<const CoreBlock> blocks_;
};

[[nodiscard]] inline std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n') + 1, begin = text.find_last_of('\n', end == 0 ? 0 : end - 1);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1));
}
/// Whether a line has the word error or warning, in letters of any size.
[[nodiscard]] inline bool is_warning(std::string_view line) {
  std::string lower(line);
  for (char& one : lower) one = one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one;
  return lower.find("error") != std::string::npos || lower.find("warning") != std::string::npos;
}

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
