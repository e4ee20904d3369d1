// SPDX-License-Identifier: BSL-1.0
/// \file
/// Programs of the system: they have no ticks, and do at once what hosts and packets ask of them. A CoreModel of one core.
///
///     class Watcher final : public machine::SystemProgram {
///       bool answer(std::size_t, unsigned port, std::span<const std::uint8_t> request, std::vector<std::uint32_t>& words) override;
///     };
///     programs.add_model<Watcher>("watcher");
// host-only
#ifndef NEUROMORPH_MACHINE_SYSTEM_PROGRAM_HPP
#define NEUROMORPH_MACHINE_SYSTEM_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/router.hpp>
#include <neuromorph/machine/single_core.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// What a program of the system finds on its chip. Its packets come to other programs of the system before `send` returns. They take no time of
/// the machine, and none is dropped but by links that are broken or lossy.
class SystemServices {
public:
  virtual ~SystemServices() = default;
  /// \return false: there is no such memory, and nothing has happened
  [[nodiscard]] virtual bool read(std::uint32_t address, std::span<std::uint8_t> to) = 0;
  [[nodiscard]] virtual bool write(std::uint32_t address, std::span<const std::uint8_t> from) = 0;
  /// By its key, or on fixed routes.
  virtual void send(PacketKind kind, std::uint32_t key, std::uint32_t payload) = 0;
  /// Of the SDP data, to a host by a tag of the board.
  virtual void message(unsigned tag, std::span<const std::uint8_t> bytes) = 0;
  /// The word of the core that hosts read.
  virtual void set_user1(std::uint32_t word) = 0;
  [[nodiscard]] virtual Router& router() = 0;
  /// It has changed what its router says.
  virtual void has_changed_routes() = 0;

protected:
  SystemServices() = default;
  SystemServices(const SystemServices&) = default;
  SystemServices& operator=(const SystemServices&) = default;
};

class SystemProgram : public SingleCore {
public:
  void set_services(SystemServices& services) noexcept { services_ = &services; }
  /// A packet of another program of the system, with its payload.
  virtual void take(PacketKind, std::uint32_t, std::uint32_t) {}

  [[nodiscard]] SystemProgram* system() noexcept final { return this; }
  void tick(std::size_t, Outbox&, std::uint32_t) final {}
  [[nodiscard]] bool packet(std::size_t, Outbox&, const SentPacket&) final { return false; }
  void add_to(Digest&, std::size_t) const final {}

protected:
  SystemProgram() = default;
  [[nodiscard]] SystemServices& services() noexcept { return *services_; }

private:
  SystemServices* services_ = nullptr;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
