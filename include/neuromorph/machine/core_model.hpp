// SPDX-License-Identifier: BSL-1.0
/// \file
/// What is in cores of a machine, whatever it is: vertices compiled for the host, or images on emulated processors.
// host-only
#ifndef NEUROMORPH_MACHINE_CORE_MODEL_HPP
#define NEUROMORPH_MACHINE_CORE_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/runtime/image_head.hpp>
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
  std::vector<std::pair<std::uint32_t, std::string>> lines{}; ///< of logs, by who wrote them
  std::vector<std::uint32_t> ended{}; ///< cores whose run has come to its end, or that have failed

  /// All of it is of one, who has another number now.
  void set_sender(std::uint32_t now) {
    from = now;
    for (SentPacket& one : packets) one.from = now;
    for (SentMessage& one : messages) one.from = now;
    for (auto& one : lines) one.first = now;
    for (std::uint32_t& one : ended) one = now;
  }
};

inline constexpr std::size_t recording_channels = runtime::recording_channels;

class Router;
class SystemProgram;

/// Many cores with the same in each; a core is one of them by its index. Calls for different ones may come from different threads.
class CoreModel {
public:
  virtual ~CoreModel() = default;
  [[nodiscard]] virtual std::size_t cores() const noexcept = 0;
  /// Of the program, as its image has it; empty where only who loads it knows.
  [[nodiscard]] virtual std::string name() const { return {}; }
  [[nodiscard]] virtual Status start(std::size_t index, Outbox& out) = 0;
  virtual void tick(std::size_t index, Outbox& out, std::uint32_t time) = 0;
  /// \return whether the core takes such packets
  [[nodiscard]] virtual bool packet(std::size_t index, Outbox& out, const SentPacket& packet) = 0;
  /// Whether packets may wait until `catch_up`, which comes behind the last one of an instant.
  [[nodiscard]] virtual bool packets_wait() const noexcept { return false; }
  virtual void catch_up(std::size_t, Outbox&) {}
  [[nodiscard]] virtual bool control(std::size_t index, Outbox& out, unsigned port,
                                     std::span<const std::uint8_t> message) = 0;
  virtual void pause(std::size_t index, Outbox& out) = 0;
  /// Itself, if it is a program of the system.
  [[nodiscard]] virtual SystemProgram* system() noexcept { return nullptr; }
  /// A request of a host that is answered at once, by programs of the system.
  /// \param words  of the answer, 64 at most
  /// \return      whether it is such a program, and takes it
  [[nodiscard]] virtual bool answer(std::size_t, unsigned, std::span<const std::uint8_t>, std::vector<std::uint32_t>&) {
    return false;
  }

  /// Loads the region of this number: whole words. What it is worth shows when the vertex looks at it.
  /// \pre    index < cores()
  /// \errors index_out_of_range: there is no such region; lengths_differ: no whole words
  virtual Status load(std::size_t index, std::size_t region, std::span<const std::uint8_t> bytes) = 0;
  [[nodiscard]] virtual std::size_t regions() const noexcept = 0;
  /// The registers that its program finds at their addresses, if it looks; they live as long as it runs.
  /// \pre index < cores()
  virtual void set_router(std::size_t, Router&) {}
  /// Room for so many more words in a channel of recording; before it there is none.
  /// \pre index < cores(), channel < recording_channels
  virtual void make_room(std::size_t index, unsigned channel, std::size_t words) = 0;
  /// Room for so many words in all, no more than there was once; what is recorded stays.
  /// \pre index < cores(), channel < recording_channels
  virtual void set_room(std::size_t index, unsigned channel, std::size_t words) = 0;
  [[nodiscard]] virtual std::span<const std::uint32_t> recorded(std::size_t index, unsigned channel) const noexcept = 0;
  /// Words of a channel that were refused, as there was no room.
  [[nodiscard]] virtual std::uint64_t lost(std::size_t index, unsigned channel) const noexcept = 0;
  /// Forgets what was recorded and lost; the room is free again.
  virtual void clear(std::size_t index, unsigned channel) noexcept = 0;
  /// The vertex's own counters.
  [[nodiscard]] virtual std::size_t counters() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t counter(std::size_t index, std::size_t at) const noexcept = 0;
  /// The code with which it has failed, 0 if it has not.
  [[nodiscard]] virtual std::uint32_t error(std::size_t index) const noexcept = 0;
  /// Whether it has failed, or has asked for the end of its run. Who runs it looks after each call.
  [[nodiscard]] virtual bool wants_end(std::size_t index) const noexcept { return error(index) != 0; }
  /// Whether it has asked for the end of its run since the last look.
  [[nodiscard]] virtual bool take_finish(std::size_t) { return false; }
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
