// SPDX-License-Identifier: BSL-1.0
/// \file
/// What is in cores of a machine, whatever it is: vertices compiled for the host, or images on emulated processors.
// host-only
#ifndef NEUROMORPH_MACHINE_CORE_MODEL_HPP
#define NEUROMORPH_MACHINE_CORE_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// A core of a chip, by its virtual number.
struct CoreAt {
  mapping::Chip chip = mapping::no_chip;
  std::uint8_t core = 0;
  friend constexpr bool operator==(const CoreAt&, const CoreAt&) = default;
};

/// As SpiNNaker's monitor numbers them.
enum class CoreState : std::uint8_t {
  dead = 0,
  powered_down = 1,
  run_time_error = 2,
  watchdog = 3,
  initialising = 4,
  waiting = 5, ///< for the start of all
  c_main = 6,
  running = 7,
  sync0 = 8,
  sync1 = 9,
  paused = 10,
  exited = 11,
  idle = 15, ///< nothing is loaded
};
[[nodiscard]] constexpr const char* name(CoreState state) noexcept {
  switch (state) {
  case CoreState::dead: return "dead";
  case CoreState::powered_down: return "powered down";
  case CoreState::run_time_error: return "run-time error";
  case CoreState::watchdog: return "watchdog";
  case CoreState::initialising: return "initialising";
  case CoreState::waiting: return "waiting";
  case CoreState::c_main: return "in main";
  case CoreState::running: return "running";
  case CoreState::sync0: return "at sync 0";
  case CoreState::sync1: return "at sync 1";
  case CoreState::paused: return "paused";
  case CoreState::exited: return "exited";
  case CoreState::idle: return "idle";
  }
  return "unknown";
}

/// A multicast packet that a core has sent.
struct SentPacket {
  std::uint32_t key = 0, payload = 0;
  std::uint32_t from = 0; ///< the core, by its number in the run
  bool has_payload = false;
};
/// A message of a core to a host.
struct SentMessage {
  std::uint32_t from = 0;
  unsigned tag = 0;
  std::vector<std::uint8_t> bytes = {};
};

/// What cores leave behind while they run: one for each thread.
struct Outbox {
  std::uint32_t from = 0; ///< who is at it
  std::vector<SentPacket> packets{};
  std::vector<SentMessage> messages{};
  std::uint64_t calls = 0; ///< of packets that were taken
};

/// Many cores with the same in each; a core is one of them by its index. Calls for different ones may come from different threads.
class CoreModel {
public:
  virtual ~CoreModel() = default;
  [[nodiscard]] virtual std::size_t cores() const noexcept = 0;
  [[nodiscard]] virtual Status start(std::size_t index, Outbox& out) = 0;
  virtual void tick(std::size_t index, Outbox& out, std::uint32_t time) = 0;
  /// \return whether the core takes such packets
  [[nodiscard]] virtual bool packet(std::size_t index, Outbox& out, const SentPacket& packet) = 0;
  [[nodiscard]] virtual bool control(std::size_t index, Outbox& out, unsigned port,
                                     std::span<const std::uint8_t> message) = 0;
  virtual void pause(std::size_t index, Outbox& out) = 0;
  /// run_time_error once it has failed; the machine keeps all else.
  [[nodiscard]] virtual bool has_failed(std::size_t index) const noexcept = 0;
  /// State, recordings and counters of one.
  virtual void add_to(Digest& digest, std::size_t index) const = 0;

protected:
  CoreModel() = default;
  CoreModel(const CoreModel&) = default;
  CoreModel& operator=(const CoreModel&) = default;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
