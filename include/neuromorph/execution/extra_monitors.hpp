// SPDX-License-Identifier: BSL-1.0
/// \file
/// A program beside the monitor of each chip that sends dropped packets again: loaded, told to, and asked what it has counted.
///
///     execution::ExtraMonitors monitors(ask, found, application);
///     monitors.load(image), monitors.reinject();
///     std::vector<protocols::ReinjectionStatus> all; // [chip]
///     monitors.read(all);
/// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), 6.10
// host-only
#ifndef NEUROMORPH_EXECUTION_EXTRA_MONITORS_HPP
#define NEUROMORPH_EXECUTION_EXTRA_MONITORS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/loader.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

class ExtraMonitors {
public:
  static constexpr std::uint8_t core = 1; ///< on each chip, by virtual number

  /// \param ask, found   outlive this
  /// \param application  no other's
  ExtraMonitors(Transceiver& ask, const Found& found, std::uint8_t application)
      : ask_(ask), found_(found), application_(application) {}

  /// On all chips, by one flood.
  /// \errors those of Loader::image
  [[nodiscard]] Refusal load(std::span<const std::uint8_t> image) {
    std::map<mapping::Chip, std::uint32_t> cores;
    Loader loader(ask_, found_, application_);
    each([&](mapping::Chip chip) {
      cores[chip] = 1U << core;
      loader.point_to({.at = {chip, core}}); // to no regions of whoever was there before
    });
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    return loader.image(image, cores);
  }
  /// From now on multicast packets that are dropped are sent again, and counted from 0.
  /// \errors rank_failed: one does not answer, and is named
  [[nodiscard]] Refusal reinject() {
    using protocols::Reinjection;
    std::array<std::uint8_t, 1> byte{};
    for (const Reinjection& one :
         {Reinjection{.what = Reinjection::What::reset_counters},
          Reinjection{.what = Reinjection::What::set_types, .types = Reinjection::multicast}}) {
      each([&](mapping::Chip chip) {
        ask_.ask_by(port(chip), [&](std::uint16_t sequence) { return one.request(sequence, byte); });
      });
      if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    }
    return {};
  }
  /// \param to      [chip]
  /// \errors as reinject, or an answer that is none
  [[nodiscard]] Refusal read(std::vector<protocols::ReinjectionStatus>& to) {
    using protocols::Reinjection;
    to.resize(found_.machine.grid_chips());
    std::array<std::uint8_t, 1> byte{};
    mapping::Chip bad = mapping::no_chip;
    each([&](mapping::Chip chip) {
      ask_.ask_by(
          port(chip), [&](std::uint16_t sequence) { return Reinjection{}.request(sequence, byte); },
          [&, chip](const protocols::ScpReply& reply) {
            std::vector<std::uint8_t> bytes(reply.data.begin(), reply.data.end());
            const auto status = protocols::ReinjectionStatus::of(bytes);
            if (status)
              to[chip] = status.value;
            else
              bad = chip;
          });
    });
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    if (bad == mapping::no_chip) return {};
    return {{Error::rank_failed, bad, 0, "status"},
            found_.machine.name(bad),
            "its extra monitor says less than it should about dropped packets"};
  }
  /// Routers drop for good again. Who has loaded them stops their application.
  [[nodiscard]] Refusal stop() {
    std::array<std::uint8_t, 1> byte{};
    each([&](mapping::Chip chip) {
      ask_.ask_by(port(chip), [&](std::uint16_t sequence) {
        return protocols::Reinjection{.what = protocols::Reinjection::What::exit}.request(sequence, byte);
      });
    });
    return ask_.finish();
  }

  /// Links and cores, by their bits in a status: "north, core 3".
  [[nodiscard]] static std::string ways(std::uint32_t bits) {
    std::string made;
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((bits >> bit & 1U) == 0) continue;
      made += made.empty() ? "" : ", ";
      made += bit < mapping::link_count ? std::string(mapping::name(mapping::Link(bit)))
                                        : "core " + std::to_string(bit - mapping::link_count);
    }
    return made;
  }

private:
  template <class Each>
  void each(Each call) const {
    for (mapping::Chip chip = 0; chip < found_.machine.grid_chips(); ++chip)
      if (found_.machine.has(chip) && !found_.machine.is_virtual(chip)) call(chip);
  }
  [[nodiscard]] protocols::SdpEnd port(mapping::Chip chip) const noexcept {
    return {static_cast<std::uint8_t>(found_.machine.x(chip)), static_cast<std::uint8_t>(found_.machine.y(chip)),
            std::uint8_t(protocols::SdpPort::reinjection), core};
  }

  Transceiver& ask_;
  const Found& found_;
  std::uint8_t application_;
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
