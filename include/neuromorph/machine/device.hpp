// SPDX-License-Identifier: BSL-1.0
/// \file
/// What is attached to a link of a chip: a class of yours that sends and takes packets. In a mapping it is a virtual chip.
///
///     struct Eye final : machine::Device {
///       void at_tick(std::uint32_t time) override { send(0x1000 + time % 64); }
///       void take(const machine::SentPacket& packet) override { ... }
///     };
///     auto chip = of.add_device(at, mapping::Link::west, "eye"); // before the graph is mapped
///     run.attach({chip.value(), 0}, eye, 0);
// host-only
#ifndef NEUROMORPH_MACHINE_DEVICE_HPP
#define NEUROMORPH_MACHINE_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/single_core.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// It is one core of a run: it ticks with them, and never fails.
class Device : public SingleCore {
public:
  /// At each tick of the run.
  virtual void at_tick(std::uint32_t time) { static_cast<void>(time); }
  virtual void take(const SentPacket& packet) { static_cast<void>(packet); }
  /// Of what a digest of the run is made, besides the cores.
  virtual void state(Digest& digest) const { static_cast<void>(digest); }

protected:
  /// \pre within at_tick or take
  void send(std::uint32_t key) { out_->packets.push_back({.key = key, .from = out_->from}); }
  void send(std::uint32_t key, std::uint32_t payload) {
    out_->packets.push_back({.key = key, .payload = payload, .from = out_->from, .has_payload = true});
  }

private:
  void tick(std::size_t, Outbox& out, std::uint32_t time) final { out_ = &out, at_tick(time); }
  [[nodiscard]] bool packet(std::size_t, Outbox& out, const SentPacket& given) final {
    out_ = &out, take(given);
    return true;
  }
  void add_to(Digest& digest, std::size_t) const final { state(digest); }

  Outbox* out_ = nullptr;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
