// SPDX-License-Identifier: BSL-1.0
/// \file
/// Cores that hosts start, run and pause, whose packets take time: they travel through a Fabric, wait, are dropped, and come late.
///
///     machine::Applications applications(monitors, programs, machine::TimedCoresOptions{.most_skew = 20'000});
///
/// Where no packet is dropped and all arrive within their tick, states are those of machine::Run.
// host-only
#ifndef NEUROMORPH_MACHINE_TIMED_CORES_HPP
#define NEUROMORPH_MACHINE_TIMED_CORES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/fabric.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/mapping/faults.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

struct TimedCoresOptions {
  Nanoseconds period = 1000000; ///< of a tick
  Nanoseconds between = 200;    ///< from one packet that a core sends to its next
  Nanoseconds most_skew =
      0;                  ///< by which ticks of a chip come later than of others, drawn for each; less than the period
  std::uint64_t seed = 1; ///< of these
  FabricOptions fabric = {}; ///< its strip is that of the cores
};

class TimedCores final : public RunOfCores {
public:
  /// How a link is, as a router's side sees it.
  struct LinkNow {
    bool works = true;
    double loss = 0.0; ///< the probability with which it loses a packet
    friend bool operator==(const LinkNow&, const LinkNow&) = default;
  };

  /// \param of         outlives it
  /// \param router_of  as that of a Fabric
  /// \param link_now   is asked for all links when routes have changed
  TimedCores(const mapping::Machine& of, const TimedCoresOptions& options,
             std::function<Router&(mapping::Chip)> router_of,
             std::function<LinkNow(mapping::Chip, mapping::Link)> link_now)
      : options_(options), machine_(of), link_now_(std::move(link_now)),
        fabric_(of, options.fabric, std::move(router_of)) {}

  [[nodiscard]] const Fabric& fabric() const noexcept { return fabric_; }

  [[nodiscard]] Refusal attach(const CoreAt& at, CoreModel& model, std::size_t index) override {
    Refusal refusal = detail::check_attached(at, model, index, slots_.count(id_of(at)) != 0);
    if (refusal.ok()) slots_.emplace(id_of(at), Slot{at, &model, index});
    return refusal;
  }
  void detach(const CoreAt& at) override { slots_.erase(id_of(at)); }
  /// \errors as RunOfCores: index_out_of_range, unmappable, those of the vertex
  [[nodiscard]] Status start(const CoreAt& at) override {
    Slot* const of = slot_of(at);
    if (of == nullptr) return {Error::index_out_of_range, 0, at.core, "core"};
    const Status status = of->model->start(of->index, out_);
    of->state = status.ok() ? CoreState::sync0 : CoreState::run_time_error, of->time = 0;
    flush(*of);
    return status;
  }
  [[nodiscard]] Refusal settle() override { return {}; } // packets are on their way
  void go_on(const CoreAt& at, std::uint32_t from, std::uint32_t end) override {
    Slot* const of = slot_of(at);
    if (of == nullptr) return;
    of->time = from, of->end = end, of->state = CoreState::running;
    if (end <= from) pause(at);
  }
  void set_state(const CoreAt& at, CoreState state) override {
    if (Slot* const of = slot_of(at)) of->state = state;
  }
  void pause(const CoreAt& at) override {
    if (Slot* const of = slot_of(at); of != nullptr && of->state == CoreState::running) finish(*of);
  }
  [[nodiscard]] bool control(const CoreAt& at, unsigned port, std::span<const std::uint8_t> message) override {
    Slot* const of = slot_of(at);
    if (of == nullptr || of->state == CoreState::run_time_error) return false;
    const bool is_taken = of->model->control(of->index, out_, port, message);
    look_for_end(*of), flush(*of);
    if (std::exchange(of->wants_end, false) && of->state == CoreState::running) finish(*of);
    return is_taken;
  }
  [[nodiscard]] Refusal ticks(std::uint32_t count) override {
    for (; count != 0; --count) {
      const Nanoseconds begin = begin_, end = begin_ += options_.period;
      std::vector<std::pair<Nanoseconds, std::uint64_t>> order;
      for (const auto& [id, of] : slots_)
        if (of.state == CoreState::running) order.emplace_back(begin + skew_of(of.at.chip), id);
      std::stable_sort(order.begin(), order.end(),
                       [](const auto& one, const auto& other) { return one.first < other.first; });
      // What happens in other strips is seen after the lookahead at the earliest: so far all go on alone, from where the first has anything.
      auto next = order.begin();
      for (Nanoseconds until = begin; until < end;) {
        Nanoseconds first = next == order.end() ? fabric_.next() : (std::min)(fabric_.next(), next->first);
        if (Refusal refusal = exchange(first); !refusal) return refusal;
        until = first < end - fabric_.lookahead() && options_.fabric.strip.is_one_of_many()
                    ? first + fabric_.lookahead()
                    : end;
        if (first >= end) break;
        for (; next != order.end() && next->first < until; ++next) {
          run_until(next->first);
          Slot& of = slots_.at(next->second);
          if (of.state != CoreState::running) continue; // it has failed meanwhile
          of.model->tick(of.index, out_, of.time++);
          look_for_end(of), flush(of);
        }
        run_until(until);
      }
      run_until(end);
      for (auto& [id, of] : slots_)
        if (of.state == CoreState::running && (of.wants_end || of.time == of.end)) of.wants_end = false, finish(of);
    }
    return {};
  }
  [[nodiscard]] std::vector<CoreAt> ended() override {
    std::sort(ended_.begin(), ended_.end(),
              [](const CoreAt& one, const CoreAt& other) { return id_of(one) < id_of(other); });
    return std::exchange(ended_, {});
  }
  [[nodiscard]] std::vector<std::pair<CoreAt, std::string>> lines() override { return std::exchange(lines_, {}); }
  [[nodiscard]] std::vector<std::pair<CoreAt, SentMessage>> messages() override { return std::exchange(messages_, {}); }
  [[nodiscard]] std::vector<LatePackets> late() override {
    std::vector<LatePackets> made;
    for (const auto& [place, one] : std::exchange(late_, {})) made.push_back(one);
    return made;
  }
  [[nodiscard]] bool is_running() const noexcept override {
    return std::any_of(slots_.begin(), slots_.end(),
                       [](const auto& one) { return one.second.state == CoreState::running; });
  }
  [[nodiscard]] CoreState state(const CoreAt& at) const noexcept override {
    const auto found = slots_.find(id_of(at));
    return found == slots_.end() ? CoreState::idle : found->second.state;
  }
  [[nodiscard]] std::uint32_t time_of(const CoreAt& at) const noexcept override {
    const auto found = slots_.find(id_of(at));
    return found == slots_.end() ? 0 : found->second.time;
  }
  void forget_routes() override {
    fabric_.forget_routers();
    for (mapping::Chip chip = 0; chip < machine_.grid_chips(); ++chip)
      for (unsigned link = 0; link < mapping::link_count; ++link) {
        if (machine_.neighbour(chip, mapping::Link(link)) == mapping::no_chip) continue;
        const LinkNow now = link_now_(chip, mapping::Link(link));
        const std::size_t place = std::size_t{chip} * mapping::link_count + link;
        const auto known = faulty_.find(place);
        const LinkNow before = known == faulty_.end() ? LinkNow{} : known->second;
        if (now == before) continue;
        now == LinkNow{} ? void(faulty_.erase(place)) : void(faulty_[place] = now);
        if (now.works != before.works) fabric_.set_link(chip, mapping::Link(link), now.works);
        fabric_.set_lossy(chip, mapping::Link(link), now.loss);
      }
  }
  [[nodiscard]] const PacketAccount& account() const noexcept override { return account_; }
  [[nodiscard]] std::uint64_t digest() override {
    return digest_of_all(
        options_.fabric.strip,
        [this](Digest& to, mapping::Chip begin, mapping::Chip end) {
          for (auto one = slots_.lower_bound(id_of({begin, 0})); one != slots_.end() && one->second.at.chip < end;
               ++one) {
            const Slot& of = one->second;
            to.add(of.at.chip), to.add(std::uint32_t{of.at.core}), to.add(static_cast<std::uint32_t>(of.state));
            of.model->add_to(to, of.index);
          }
        },
        lost_);
  }

private:
  struct Slot {
    CoreAt at;
    CoreModel* model;
    std::size_t index;
    CoreState state = CoreState::waiting;
    std::uint32_t time = 0, end = UINT32_MAX; ///< of its next tick; of the one that it does not have any more
    Nanoseconds free_at = 0;                  ///< for the next packet that it sends
    bool wants_end = false;
  };
  [[nodiscard]] static std::uint64_t id_of(const CoreAt& at) noexcept { return std::uint64_t{at.chip} << 8 | at.core; }
  [[nodiscard]] Slot* slot_of(const CoreAt& at) {
    const auto found = slots_.find(id_of(at));
    return found == slots_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] Nanoseconds skew_of(mapping::Chip chip) const noexcept {
    using mapping::detail::mixed;
    return static_cast<Nanoseconds>(mixed(mixed(options_.seed) ^ chip) %
                                    (static_cast<std::uint64_t>(options_.most_skew) + 1));
  }
  /// Crossings go to where they happen.
  /// \param first  when something happens next: here, and then anywhere
  [[nodiscard]] Refusal exchange(Nanoseconds& first) {
    const Strip& strip = options_.fabric.strip;
    if (!strip.is_one_of_many() || !lost_.ok()) return lost_;
    const std::vector<Crossing> crossings = fabric_.take_crossings();
    for (const Crossing& one : crossings) first = (std::min)(first, one.time);
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first >> 32)};
    for (const Crossing& one : crossings) one.write(words);
    lost_ = strip.exchange(words, [&](unsigned rank, std::span<const std::uint32_t> given) {
      first = (std::min)(first, static_cast<Nanoseconds>(std::uint64_t{given[1]} << 32 | given[0]));
      for (std::size_t at = 2; rank != strip.rank && at + Crossing::words <= given.size(); at += Crossing::words)
        if (const Crossing one = Crossing::of(given.subspan(at, Crossing::words)); strip.has(one.chip))
          fabric_.put(one);
    });
    return lost_;
  }
  void run_until(Nanoseconds time) {
    fabric_.run_until(time, [this](const CoreAt& at, const Packet& packet, Nanoseconds) { take(at, packet); });
  }
  /// Whether it has failed, or its run is over once this tick is.
  void look_for_end(Slot& of) {
    if (!of.model->wants_end(of.index) || of.state == CoreState::run_time_error) return;
    if (of.model->error(of.index) != 0)
      of.state = CoreState::run_time_error, ended_.push_back(of.at);
    else if (of.model->take_finish(of.index) && of.state == CoreState::running)
      of.wants_end = true;
  }
  void finish(Slot& of) {
    of.model->pause(of.index, out_);
    of.state = CoreState::paused;
    look_for_end(of), flush(of);
    of.wants_end = false;
    if (of.state == CoreState::paused) ended_.push_back(of.at);
  }
  void take(const CoreAt& at, const Packet& packet) {
    ++account_.copies;
    Slot* const of = slot_of(at);
    if (of == nullptr || of->state != CoreState::running) {
      ++account_.idle;
      return;
    }
    if (of->time > packet.sent + 1) {
      LatePackets& late = late_[{packet.key, id_of(at)}];
      late.key = packet.key, late.to = at, ++late.count;
      late.most_ticks = (std::max)(late.most_ticks, of->time - packet.sent - 1);
    }
    const SentPacket given{.key = packet.key, .payload = packet.payload, .has_payload = packet.has_payload};
    ++(of->model->packet(of->index, out_, given) ? account_.taken : account_.refused);
    of->model->catch_up(of->index, out_); // each comes in an instant of its own
    look_for_end(*of), flush(*of);
  }
  void flush(Slot& of) {
    for (const SentPacket& one : out_.packets) {
      of.free_at = (std::max)(of.free_at, fabric_.now());
      Packet packet;
      packet.key = one.key, packet.payload = one.payload, packet.has_payload = one.has_payload;
      packet.sent = of.time == 0 ? 0 : of.time - 1;
      fabric_.send(of.at, packet, of.free_at);
      of.free_at += options_.between, ++account_.sent;
    }
    for (SentMessage& one : out_.messages) messages_.emplace_back(of.at, std::move(one));
    for (auto& [from, line] : out_.lines) lines_.emplace_back(of.at, std::move(line));
    out_.packets.clear(), out_.messages.clear(), out_.lines.clear(), out_.ended.clear();
  }

  TimedCoresOptions options_;
  const mapping::Machine& machine_;
  std::function<LinkNow(mapping::Chip, mapping::Link)> link_now_;
  std::map<std::size_t, LinkNow> faulty_{}; // by chip and link
  Fabric fabric_;
  std::map<std::uint64_t, Slot> slots_{}; // by chip and core
  Nanoseconds begin_ = 0;                 // of the next tick
  Outbox out_{};
  PacketAccount account_{};
  std::vector<CoreAt> ended_{};
  std::vector<std::pair<CoreAt, std::string>> lines_{};
  std::vector<std::pair<CoreAt, SentMessage>> messages_{};
  std::map<std::pair<std::uint32_t, std::uint64_t>, LatePackets> late_{}; // by key and core
  Refusal lost_{};                                                        // that the processes have lost each other
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
