// SPDX-License-Identifier: BSL-1.0
/// \file
/// Cores of a machine whose packets take time: each chip ticks by a clock of its own, and what is sent travels through a Fabric.
///
///     machine::TimedRun run(of, {.period = 1'000'000});
///     run.fabric().load(tables);
///     run.attach({chip, 1}, cells, 0);
///     if (auto started = run.start(); !started) return std::puts(started.sentence().c_str()), 1;
///     run.until(5'000'000);
///     run.fabric().causes(), run.fabric().account(key);
///
/// Vertices are those of machine::Run; where no packet is dropped and all arrive within their tick, so are their states.
// host-only
#ifndef NEUROMORPH_MACHINE_TIMED_RUN_HPP
#define NEUROMORPH_MACHINE_TIMED_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/events.hpp>
#include <neuromorph/machine/fabric.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

struct TimedRunOptions {
  Nanoseconds period = 1000000; ///< of a tick
  Nanoseconds between = 200;    ///< from one packet that a core sends to its next
  std::uint32_t most_drift =
      0;                  ///< of a chip's clock, in parts of a million, drawn for each between minus and plus of it
  std::uint64_t seed = 1; ///< of drifts
  FabricOptions fabric = {};
};

class TimedRun {
public:
  /// \param of  outlives it
  explicit TimedRun(const mapping::Machine& of, const TimedRunOptions& options = {})
      : options_(options), fabric_(of, options.fabric) {}

  [[nodiscard]] Fabric& fabric() noexcept { return fabric_; }
  /// \pre    before start
  /// \errors index_out_of_range: of the model; parameters_contradict: a core that has something already
  [[nodiscard]] Refusal attach(const CoreAt& at, CoreModel& model, std::size_t index) {
    Refusal refusal = detail::check_attached(at, model, index, slots_.count(id_of(at)) != 0);
    if (refusal.ok()) slots_.emplace(id_of(at), Slot{at, &model, index});
    return refusal;
  }
  /// Starts all; ticks begin at time 0 of each chip. The first that does not start is the answer.
  /// \errors those of the vertices
  [[nodiscard]] Refusal start() {
    Refusal first;
    for (auto& [id, slot] : slots_) {
      const Status status = slot.model->start(slot.index, out_);
      slot.state = status.ok() ? CoreState::running : CoreState::run_time_error;
      if (!status.ok() && first.ok())
        first = {status, "core " + std::to_string(slot.at.core) + " of chip " + std::to_string(slot.at.chip)};
      flush(slot, fabric_.now());
      if (ticks_.empty() || last_ != slot.at.chip)
        ticks_.push({.time = 0, .chip = slot.at.chip, .source = 0, .number = 0}, 0), last_ = slot.at.chip;
    }
    return first;
  }
  /// All that happens before a time.
  void until(Nanoseconds end) {
    const auto deliver = [this](const CoreAt& at, const Packet& packet, Nanoseconds time) { take(at, packet, time); };
    while (!ticks_.empty() && ticks_.front().order.time < end) {
      const auto tick = ticks_.pop();
      fabric_.run_until(tick.order.time, deliver);
      const mapping::Chip chip = tick.order.chip;
      for (auto slot = slots_.lower_bound(id_of({chip, 0})); slot != slots_.end() && slot->second.at.chip == chip;
           ++slot) {
        Slot& of = slot->second;
        if (of.state == CoreState::running && of.model->take_finish(of.index)) {
          of.state = CoreState::paused, of.model->pause(of.index, out_), flush(of, tick.order.time);
        }
        if (of.state != CoreState::running) continue;
        of.model->tick(of.index, out_, tick.value);
        if (of.model->error(of.index) != 0) of.state = CoreState::run_time_error;
        flush(of, tick.order.time);
      }
      const std::uint32_t next = tick.value + 1;
      ticks_.push({.time = time_of(chip, next), .chip = chip, .source = 0, .number = next}, next);
    }
    fabric_.run_until(end, deliver);
  }
  /// Tells all that run of the end of a run.
  void pause() {
    for (auto& [id, slot] : slots_)
      if (slot.state == CoreState::running) slot.model->pause(slot.index, out_), flush(slot, fabric_.now());
  }
  [[nodiscard]] const PacketAccount& account() const noexcept { return account_; }
  [[nodiscard]] CoreState state(const CoreAt& at) const {
    const auto found = slots_.find(id_of(at));
    return found == slots_.end() ? CoreState::idle : found->second.state;
  }
  /// Messages to hosts since the last call, in the order of time.
  [[nodiscard]] std::vector<std::pair<CoreAt, SentMessage>> messages() { return std::exchange(messages_, {}); }
  /// Of the state of all, by chip and core, as that of machine::Run.
  [[nodiscard]] std::uint64_t digest() const {
    Digest digest;
    for (const auto& [id, slot] : slots_) {
      digest.add(slot.at.chip), digest.add(std::uint32_t{slot.at.core}),
          digest.add(static_cast<std::uint32_t>(slot.state));
      slot.model->add_to(digest, slot.index);
    }
    return digest.value();
  }
  /// When a chip has its tick of this number.
  [[nodiscard]] Nanoseconds time_of(mapping::Chip chip, std::uint32_t tick) const noexcept {
    const Nanoseconds exact = options_.period * tick;
    const std::uint64_t range = 2 * std::uint64_t{options_.most_drift} + 1;
    const auto drift =
        static_cast<Nanoseconds>(mapping::detail::mixed(mapping::detail::mixed(options_.seed) ^ chip) % range) -
        static_cast<Nanoseconds>(options_.most_drift);
    return exact + exact / 1000000 * drift + exact % 1000000 * drift / 1000000;
  }

private:
  struct Slot {
    CoreAt at;
    CoreModel* model;
    std::size_t index;
    CoreState state = CoreState::waiting;
    Nanoseconds free_at = 0; ///< for the next packet that it sends
  };
  [[nodiscard]] static std::uint64_t id_of(const CoreAt& at) noexcept { return std::uint64_t{at.chip} << 8 | at.core; }

  void take(const CoreAt& at, const Packet& packet, Nanoseconds time) {
    ++account_.copies;
    const auto found = slots_.find(id_of(at));
    if (found == slots_.end() || found->second.state != CoreState::running) {
      ++account_.idle;
      return;
    }
    Slot& of = found->second;
    const SentPacket given{.key = packet.key, .payload = packet.payload, .has_payload = packet.has_payload};
    ++(of.model->packet(of.index, out_, given) ? account_.taken : account_.refused);
    of.model->catch_up(of.index, out_); // each comes in an instant of its own
    if (of.model->error(of.index) != 0) of.state = CoreState::run_time_error;
    flush(of, time);
  }
  void flush(Slot& of, Nanoseconds time) {
    for (const SentPacket& one : out_.packets) {
      of.free_at = (std::max)(of.free_at, time);
      Packet packet;
      packet.key = one.key, packet.payload = one.payload, packet.has_payload = one.has_payload;
      fabric_.send(of.at, packet, of.free_at);
      of.free_at += options_.between, ++account_.sent;
    }
    for (SentMessage& one : out_.messages) messages_.emplace_back(of.at, std::move(one));
    out_ = {};
  }

  TimedRunOptions options_;
  Fabric fabric_;
  std::map<std::uint64_t, Slot> slots_{}; // by chip and core
  EventQueue<std::uint32_t> ticks_{};
  mapping::Chip last_ = mapping::no_chip;
  Outbox out_{};
  PacketAccount account_{};
  std::vector<std::pair<CoreAt, SentMessage>> messages_{};
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
