// SPDX-License-Identifier: BSL-1.0
/// \file
/// Cores of a machine in their ticks, and the packets between them.
///
///     machine::Run run(network, {.threads = 2});
///     run.attach({chip, 1}, cells, 0);
///     if (auto started = run.start(); !started) return std::puts(started.sentence().c_str()), 1;
///     run.ticks(1000);
///     std::printf("%016llx\n", (unsigned long long)run.digest());
///
/// In an instant all cores tick first; then packets come in the order of their senders, by chip, core, number. What they lead to is
/// sent after all of them, in the same order. So a run has the same bits on any number of threads.
// host-only
#ifndef NEUROMORPH_MACHINE_RUN_HPP
#define NEUROMORPH_MACHINE_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/strip.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

struct RunOptions {
  unsigned threads = 1;
  unsigned most_rounds = 1000; ///< of packets that lead to packets, in an instant
  Strip strip = {};            ///< by default all there is
};

/// What became of packets.
struct PacketAccount {
  std::uint64_t sent = 0;      ///< by cores, and from outside
  std::uint64_t copies = 0;    ///< that came to cores: taken + refused + idle
  std::uint64_t taken = 0;     ///< by vertices
  std::uint64_t refused = 0;   ///< by vertices that do not offer to take such
  std::uint64_t idle = 0;      ///< by cores in which nothing runs
  std::uint64_t to_nobody = 0; ///< packets that came to no core
  friend bool operator==(const PacketAccount&, const PacketAccount&) = default;
};

namespace detail {
/// \errors index_out_of_range: of the model; parameters_contradict: a core that has something already
[[nodiscard]] inline Refusal check_attached(const CoreAt& at, const CoreModel& model, std::size_t index,
                                            bool is_taken) {
  const auto name = [&] { return "core " + std::to_string(at.core) + " of chip " + std::to_string(at.chip); };
  if (index >= model.cores())
    return {{Error::index_out_of_range, 0, index, "index"},
            name(),
            "the model has only " + std::to_string(model.cores()) + " cores"};
  if (is_taken) return {{Error::parameters_contradict, 0, at.core, "core"}, name(), "something is in it already"};
  return {};
}
} // namespace detail

/// A packet that came to a core after its next tick had begun.
struct LatePackets {
  std::uint32_t key = 0;
  CoreAt to{};
  std::uint64_t count = 0;
  std::uint32_t most_ticks = 0; ///< by which one was late
};

/// Cores that are started, run and paused one by one, as hosts tell them: by machine::Run, where packets take no time, or by
/// machine::TimedCores, where they do.
class RunOfCores {
public:
  virtual ~RunOfCores() = default;
  /// \errors index_out_of_range: of the model; parameters_contradict: a core that has something already
  [[nodiscard]] virtual Refusal attach(const CoreAt& at, CoreModel& model, std::size_t index) = 0;
  /// Takes out what is in a core, if anything is.
  virtual void detach(const CoreAt& at) = 0;
  /// Starts one, which waits until it is told to go on. What cores send here, in `pause` and in `control`, comes by `settle`.
  /// \errors index_out_of_range: nothing is in the core; those of the vertex, and its state is a run-time error then
  [[nodiscard]] virtual Status start(const CoreAt& at) = 0;
  /// From the tick of a number on, until the one of another: then it is paused, and told so. `end`: never where it is UINT32_MAX.
  virtual void go_on(const CoreAt& at, std::uint32_t from, std::uint32_t end) = 0;
  virtual void set_state(const CoreAt& at, CoreState state) = 0;
  /// Tells one that runs of the end of its run, before it has come.
  virtual void pause(const CoreAt& at) = 0;
  /// A message to a port of one.
  /// \return whether it takes such
  [[nodiscard]] virtual bool control(const CoreAt& at, unsigned port, std::span<const std::uint8_t> message) = 0;
  /// Delivers what was sent since the last tick, as `ticks` does before it begins. In several processes all call both, and the others
  /// only who has the core.
  /// \errors unmappable: packets lead to packets for more rounds than the options allow; what is left of them is forgotten, and counted;
  ///         rank_failed: the processes have lost each other
  [[nodiscard]] virtual Refusal settle() = 0;
  /// \errors as `settle`
  [[nodiscard]] virtual Refusal ticks(std::uint32_t count) = 0;
  /// Those that have come to the end of their runs, or have failed, since the last call; by chip and core.
  [[nodiscard]] virtual std::vector<CoreAt> ended() = 0;
  /// Lines that cores have logged since the last call.
  [[nodiscard]] virtual std::vector<std::pair<CoreAt, std::string>> lines() = 0;
  /// Messages to hosts since the last call.
  [[nodiscard]] virtual std::vector<std::pair<CoreAt, SentMessage>> messages() = 0;
  /// Packets that were late since the last call, by key and core.
  [[nodiscard]] virtual std::vector<LatePackets> late() { return {}; }
  [[nodiscard]] virtual bool is_running() const noexcept = 0;
  [[nodiscard]] virtual CoreState state(const CoreAt& at) const noexcept = 0;
  /// The number of its next tick.
  [[nodiscard]] virtual std::uint32_t time_of(const CoreAt& at) const noexcept = 0;
  /// Routes have changed.
  virtual void forget_routes() = 0;
  [[nodiscard]] virtual const PacketAccount& account() const noexcept = 0;
  /// Of the state of all, by chip and core.
  [[nodiscard]] virtual std::uint64_t digest() = 0;

protected:
  RunOfCores() = default;
  RunOfCores(const RunOfCores&) = default;
  RunOfCores& operator=(const RunOfCores&) = default;
};

/// \tparam Network  `deliveries(mapping::Chip from, std::uint32_t key, std::vector<CoreAt>& to)`: appends the cores to which a packet of this
///                  key comes. Where it answers with bits of keys, a key that differs in others alone comes to the same. It is asked once
///                  for a chip and such a key, until `forget_routes`.
template <class Network>
class Run final : public RunOfCores {
public:
  explicit Run(Network& network, const RunOptions& options = {}) : network_(network), options_(options) {}

  [[nodiscard]] Refusal attach(const CoreAt& at, CoreModel& model, std::size_t index) override {
    if (!options_.strip.has(at.chip))
      return {{Error::index_out_of_range, 0, at.chip, "chip"},
              "chip " + std::to_string(at.chip),
              "it is not of the strip of this process"};
    if (Refusal refusal = detail::check_attached(at, model, index, numbers_.count(id_of(at)) != 0); !refusal)
      return refusal;
    numbers_[id_of(at)] = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back({at, &model, index});
    has_waiting_packets_ = has_waiting_packets_ || model.packets_wait();
    is_sorted_ = false;
    return {};
  }

  void detach(const CoreAt& at) override {
    const auto found = numbers_.find(id_of(at));
    if (found == numbers_.end()) return;
    const std::uint32_t slot = found->second;
    numbers_.erase(found);
    slots_[slot] = slots_.back(), slots_.pop_back();
    if (slot != slots_.size()) numbers_[id_of(slots_[slot].at)] = slot;
    is_sorted_ = false;
  }
  /// \errors as RunOfCores: index_out_of_range, unmappable, those of the vertex
  [[nodiscard]] Status start(const CoreAt& at) override {
    Slot* const of = find(at);
    if (of == nullptr) return {Error::index_out_of_range, 0, at.core, "core"};
    outboxes_[0].from = static_cast<std::uint32_t>(of - slots_.data());
    const Status status = of->model->start(of->index, outboxes_[0]);
    of->state = status.ok() ? CoreState::sync0 : CoreState::run_time_error, of->time = 0;
    collect();
    return status;
  }
  void go_on(const CoreAt& at, std::uint32_t from, std::uint32_t end) override {
    if (Slot* const of = find(at)) {
      of->time = from, of->end = end, of->state = CoreState::running;
      if (end <= from) pause(at);
    }
  }
  void set_state(const CoreAt& at, CoreState state) override {
    if (Slot* const of = find(at)) of->state = state;
  }
  void pause(const CoreAt& at) override {
    if (Slot* const of = find(at); of != nullptr && of->state == CoreState::running) finish(*of);
    collect();
  }
  [[nodiscard]] bool control(const CoreAt& at, unsigned port, std::span<const std::uint8_t> message) override {
    Slot* const of = find(at);
    if (of == nullptr || of->state == CoreState::run_time_error) return false;
    outboxes_[0].from = static_cast<std::uint32_t>(of - slots_.data());
    const bool is_taken = of->model->control(of->index, outboxes_[0], port, message);
    look_for_end(*of, outboxes_[0]);
    collect();
    end_runs();
    return is_taken;
  }
  [[nodiscard]] std::vector<CoreAt> ended() override {
    std::sort(ended_.begin(), ended_.end(),
              [](const CoreAt& one, const CoreAt& other) { return id_of(one) < id_of(other); });
    return std::exchange(ended_, {});
  }
  [[nodiscard]] std::vector<std::pair<CoreAt, std::string>> lines() override { return std::exchange(lines_, {}); }
  [[nodiscard]] bool is_running() const noexcept override {
    return std::any_of(slots_.begin(), slots_.end(), [](const Slot& one) { return one.state == CoreState::running; });
  }
  [[nodiscard]] std::uint32_t time_of(const CoreAt& at) const noexcept override {
    const auto found = numbers_.find(id_of(at));
    return found == numbers_.end() ? 0 : slots_[found->second].time;
  }

  /// Starts all of them; time is 0 again. In a run of several processes all call the same of `start`, `ticks`, `settle`, `pause()`, `send`,
  /// `digest`. One that does not start is in `state`, and the first is the answer.
  [[nodiscard]] Refusal start() {
    sort();
    account_ = {}, time_ = 0;
    Refusal first;
    outboxes_.assign(parts(), {});
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      Slot& of = slots_[slot];
      outboxes_[0].from = static_cast<std::uint32_t>(slot);
      const Status status = of.model->start(of.index, outboxes_[0]);
      of.state = status.ok() ? CoreState::running : CoreState::run_time_error;
      of.time = 0, of.end = UINT32_MAX;
      if (!status.ok() && first.ok())
        first = {status, "core " + std::to_string(of.at.core) + " of chip " + std::to_string(of.at.chip)};
    }
    collect();
    if (Refusal settled = settle(); first.ok()) return settled;
    return first;
  }
  /// \pre started
  [[nodiscard]] Refusal ticks(std::uint32_t count) override {
    if (Refusal refusal = settle(); !refusal) return refusal;
    for (std::uint32_t one = 0; one < count; ++one) {
      if (is_lossy()) forget_routes(); // lists of packets that have come
      host::in_parallel(threads_for(slots_.size()), parts(), [this](std::size_t part, unsigned) {
        Outbox& out = outboxes_[part];
        for (std::size_t slot = begin_of(part); slot < begin_of(part + 1); ++slot) {
          Slot& of = slots_[slot];
          if (of.state != CoreState::running) continue;
          out.from = static_cast<std::uint32_t>(slot);
          of.model->tick(of.index, out, of.time++);
          look_for_end(of, out);
          if (of.time == of.end) out.ended.push_back(out.from);
        }
      });
      ++time_;
      collect();
      if (Refusal refusal = settle(); !refusal) return refusal;
      if (finishing_.empty() && !options_.strip.is_one_of_many()) continue;
      end_runs();
      if (Refusal refusal = settle(); !refusal) return refusal;
    }
    return {};
  }
  /// Tells all that run of the end of a run; they go on with the next tick.
  void pause() {
    sort();
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      outboxes_[0].from = static_cast<std::uint32_t>(slot);
      if (slots_[slot].state == CoreState::running) slots_[slot].model->pause(slots_[slot].index, outboxes_[0]);
    }
    collect();
    static_cast<void>(settle().ok());
  }
  /// A packet from outside, which comes in at a chip.
  [[nodiscard]] Refusal send(mapping::Chip at, const SentPacket& packet) {
    if (options_.strip.has(at)) waiting_.push_back({packet, {at, 0}}), ++account_.sent;
    return settle();
  }
  [[nodiscard]] Refusal settle() override {
    sort();
    return deliver_all();
  }
  void forget_routes() override {
    lists_.clear(), known_.clear(), members_.clear();
    for (Slot& one : slots_) one.list = none;
    for (Waiting& one : waiting_) one.list = none;
  }

  [[nodiscard]] std::uint32_t time() const noexcept { return time_; } ///< ticks since the start
  [[nodiscard]] const PacketAccount& account() const noexcept override { return account_; }
  [[nodiscard]] std::size_t cores() const noexcept { return slots_.size(); }
  [[nodiscard]] CoreState state(const CoreAt& at) const noexcept override {
    const auto found = numbers_.find(id_of(at));
    return found == numbers_.end() ? CoreState::idle : slots_[found->second].state;
  }
  /// By sender and number.
  [[nodiscard]] std::vector<std::pair<CoreAt, SentMessage>> messages() override { return std::exchange(messages_, {}); }
  [[nodiscard]] std::uint64_t digest() override {
    sort();
    Refusal lost;
    const std::uint64_t digest = digest_of_all(
        options_.strip,
        [this](Digest& to, mapping::Chip begin, mapping::Chip end) {
          const auto is_before = [](const Slot& one, mapping::Chip chip) { return one.at.chip < chip; };
          for (auto one = std::lower_bound(slots_.begin(), slots_.end(), begin, is_before);
               one != slots_.end() && one->at.chip < end; ++one) {
            to.add(one->at.chip), to.add(std::uint32_t{one->at.core}), to.add(static_cast<std::uint32_t>(one->state));
            one->model->add_to(to, one->index);
          }
        },
        lost);
    mind(std::move(lost));
    return digest;
  }

private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Slot {
    CoreAt at;
    CoreModel* model;
    std::size_t index;
    CoreState state = CoreState::waiting;
    std::uint32_t key = 0, list = none;       ///< of what it has sent last
    std::uint32_t time = 0, end = UINT32_MAX; ///< of its next tick; of the one that it does not have any more
  };
  struct Waiting {
    SentPacket packet;
    CoreAt from;
    std::uint32_t list = none; ///< none: it is to be found
    bool is_own = true;        ///< sent by a core of this process
  };

  [[nodiscard]] static std::uint64_t id_of(const CoreAt& at) noexcept { return std::uint64_t{at.chip} << 8 | at.core; }
  /// Of all cores, one for each thread.
  [[nodiscard]] std::size_t parts() const noexcept { return (std::max)(1U, options_.threads); }
  /// Beginning a thread takes as long as a thousand calls.
  [[nodiscard]] unsigned threads_for(std::size_t calls) const noexcept { return calls < 4096 ? 1 : options_.threads; }
  [[nodiscard]] std::size_t begin_of(std::size_t part) const noexcept { return slots_.size() * part / parts(); }

  [[nodiscard]] Slot* find(const CoreAt& at) {
    const auto found = numbers_.find(id_of(at));
    return found == numbers_.end() ? nullptr : &slots_[found->second];
  }
  /// Whether it has failed, or has finished: then its run is over when all of this tick is delivered.
  static void look_for_end(Slot& of, Outbox& out) {
    if (!of.model->wants_end(of.index) || of.state == CoreState::run_time_error) return;
    if (of.model->error(of.index) != 0) of.state = CoreState::run_time_error;
    if (of.state == CoreState::run_time_error || (of.model->take_finish(of.index) && of.state == CoreState::running))
      out.ended.push_back(out.from);
  }
  /// Its run is over.
  void finish(Slot& of) {
    outboxes_[0].from = static_cast<std::uint32_t>(&of - slots_.data());
    of.model->pause(of.index, outboxes_[0]);
    of.state = CoreState::paused;
    look_for_end(of, outboxes_[0]);
    if (of.state == CoreState::paused) ended_.push_back(of.at);
  }
  /// Of those whose last tick this was.
  void end_runs() {
    for (const std::uint32_t slot : std::exchange(finishing_, {}))
      if (slots_[slot].state == CoreState::running) finish(slots_[slot]);
    collect();
  }
  void sort() {
    if (is_sorted_) return;
    std::sort(slots_.begin(), slots_.end(),
              [](const Slot& one, const Slot& other) { return id_of(one.at) < id_of(other.at); });
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) numbers_[id_of(slots_[slot].at)] = slot;
    forget_routes();
    outboxes_.resize(parts());
    is_sorted_ = true;
  }
  /// Whether each packet may find other cores than the one before, by a network that says so.
  [[nodiscard]] bool is_lossy() const noexcept {
    if constexpr (requires { network_.is_lossy(); })
      return network_.is_lossy();
    else
      return false;
  }
  /// The cores to which a packet comes, by their numbers, in their order.
  [[nodiscard]] std::uint32_t list_of(mapping::Chip from, std::uint32_t key) {
    const auto number = static_cast<std::uint32_t>(lists_.size());
    const auto place = [from, key](std::uint32_t bits) { return std::uint64_t{from} << 32 | (key & bits); };
    if (!is_lossy())
      for (const Known& one : known_)
        if (const auto found = one.lists.find(place(one.bits)); found != one.lists.end()) return found->second;
    std::vector<CoreAt> to;
    std::uint32_t bits = UINT32_MAX;
    if constexpr (std::is_void_v<decltype(network_.deliveries(from, key, to))>)
      network_.deliveries(from, key, to);
    else
      bits = network_.deliveries(from, key, to);
    const auto same = [bits](const Known& one) { return one.bits == bits; };
    auto of_bits = std::find_if(known_.begin(), known_.end(), same);
    if (of_bits == known_.end()) of_bits = known_.insert(of_bits, {bits, {}});
    of_bits->lists[place(bits)] = number;
    List made{members_.size(), 0, 0, to.size()};
    for (const CoreAt& one : to)
      if (!options_.strip.has(one.chip))
        continue;
      else if (const auto found = numbers_.find(id_of(one)); found != numbers_.end())
        members_.push_back(found->second), ++made.count;
      else
        ++made.idle;
    std::sort(members_.begin() + static_cast<std::ptrdiff_t>(made.first), members_.end());
    lists_.push_back(made);
    return number;
  }
  /// Takes what cores have sent.
  void collect() {
    std::size_t count = waiting_.size();
    for (const Outbox& out : outboxes_) count += out.packets.size();
    waiting_.reserve(count);
    for (Outbox& out : outboxes_) {
      for (const SentPacket& one : out.packets) {
        Slot& from = slots_[one.from];
        if (is_lossy() || !is_sorted_) { // each may find others; who is started one by one mostly sends nothing
          waiting_.push_back({one, from.at});
          continue;
        }
        if (from.list == none || from.key != one.key) from.key = one.key, from.list = list_of(from.at.chip, one.key);
        waiting_.push_back({one, from.at, from.list});
      }
      account_.sent += out.packets.size();
      for (SentMessage& one : out.messages) messages_.emplace_back(slots_[one.from].at, std::move(one));
      for (const std::uint32_t slot : out.ended)
        if (slots_[slot].state == CoreState::run_time_error)
          ended_.push_back(slots_[slot].at);
        else
          finishing_.push_back(slot);
      for (auto& [from, line] : out.lines) lines_.emplace_back(slots_[from].at, std::move(line));
      out.packets.clear(), out.messages.clear(), out.ended.clear(), out.lines.clear();
    }
  }
  /// What waits is what all processes have sent, in the order of the senders, and knows where it comes.
  void share() {
    if (options_.strip.is_one_of_many() && lost_.ok()) exchange();
    const auto by_sender = [](const Waiting& one, const Waiting& other) { return id_of(one.from) < id_of(other.from); };
    if (!std::is_sorted(waiting_.begin(), waiting_.end(), by_sender))
      std::stable_sort(waiting_.begin(), waiting_.end(), by_sender);
    for (Waiting& one : waiting_)
      if (one.list == none) one.list = list_of(one.from.chip, one.packet.key);
  }
  void exchange() {
    std::vector<std::uint32_t> words;
    words.reserve(3 * waiting_.size());
    for (const Waiting& one : waiting_)
      for (const std::uint32_t word :
           {one.from.chip << 8 | std::uint32_t{one.from.core} << 1 | (one.packet.has_payload ? 1U : 0U), one.packet.key,
            one.packet.payload})
        words.push_back(word);
    std::vector<Waiting> all;
    mind(options_.strip.exchange(words, [&](unsigned rank, std::span<const std::uint32_t> given) {
      if (rank == options_.strip.rank)
        all.insert(all.end(), waiting_.begin(), waiting_.end());
      else
        for (std::size_t at = 0; at + 3 <= given.size(); at += 3)
          all.push_back({{.key = given[at + 1], .payload = given[at + 2], .has_payload = (given[at] & 1U) != 0},
                         {given[at] >> 8, static_cast<std::uint8_t>(given[at] >> 1 & 31U)},
                         none,
                         false});
    }));
    waiting_ = std::move(all);
  }
  void mind(Refusal refusal) {
    if (lost_.ok() && !refusal.ok()) lost_ = std::move(refusal);
  }
  /// Delivers until nothing is left anywhere.
  [[nodiscard]] Refusal deliver_all() {
    for (unsigned round = 0; share(), lost_.ok() && !waiting_.empty(); ++round) {
      if (round == options_.most_rounds) {
        const std::size_t left = waiting_.size();
        for (const Waiting& one : waiting_) account_.to_nobody += one.is_own ? 1U : 0U;
        waiting_.clear();
        return {{Error::unmappable, time_, left, "packets"},
                "tick " + std::to_string(time_),
                "packets lead to packets without an end: " + std::to_string(left) + " of them are forgotten"};
      }
      for (const Waiting& one : waiting_) {
        const List& list = lists_[one.list];
        account_.copies += list.count + list.idle, account_.idle += list.idle;
        account_.to_nobody += one.is_own && list.all == 0 ? 1U : 0U;
      }
      std::size_t calls = 0;
      for (const Waiting& one : waiting_) calls += lists_[one.list].count;
      std::vector<PacketAccount> of_parts(parts());
      host::in_parallel(threads_for(calls), parts(), [this, &of_parts, calls](std::size_t part, unsigned) {
        const auto begin = static_cast<std::uint32_t>(begin_of(part)),
                   end = static_cast<std::uint32_t>(begin_of(part + 1));
        Outbox& out = outboxes_[part];
        PacketAccount account;
        const auto deliver = [&](std::uint32_t slot, const SentPacket& packet) {
          Slot& of = slots_[slot];
          if (of.state != CoreState::running) {
            ++account.idle;
            return;
          }
          out.from = slot;
          ++(of.model->packet(of.index, out, packet) ? account.taken : account.refused);
          look_for_end(of, out);
        };
        if (calls < 2 * slots_.size()) {
          each_delivery(begin, end, [&](std::uint32_t slot, std::uint32_t at) { deliver(slot, waiting_[at].packet); });
        } else { // a core takes all of its packets at once, so that what it has stays in the caches
          std::vector<std::uint32_t> places(end - begin + std::size_t{1});
          each_delivery(begin, end, [&](std::uint32_t slot, std::uint32_t) { ++places[slot - begin + 1]; });
          for (std::size_t at = 1; at < places.size(); ++at) places[at] += places[at - 1];
          std::vector<std::uint32_t> packets(places.back()), next(places.begin(), places.end() - 1);
          each_delivery(begin, end, [&](std::uint32_t slot, std::uint32_t at) { packets[next[slot - begin]++] = at; });
          for (std::uint32_t slot = begin; slot < end; ++slot)
            for (std::uint32_t at = places[slot - begin]; at < places[slot - begin + 1]; ++at)
              deliver(slot, waiting_[packets[at]].packet);
        }
        of_parts[part] = account;
        for (std::uint32_t slot = begin; has_waiting_packets_ && slot < end; ++slot)
          if (Slot& of = slots_[slot]; of.model->packets_wait()) {
            out.from = slot;
            of.model->catch_up(of.index, out);
            look_for_end(of, out);
          }
      });
      for (const PacketAccount& one : of_parts)
        account_.taken += one.taken, account_.refused += one.refused, account_.idle += one.idle;
      // What these have said, by sender: it does not show which part said it first.
      for (Outbox& out : outboxes_) {
        const auto by_sender = [](const auto& one, const auto& other) { return one.from < other.from; };
        std::stable_sort(out.messages.begin(), out.messages.end(), by_sender);
        std::stable_sort(out.lines.begin(), out.lines.end(),
                         [](const auto& one, const auto& other) { return one.first < other.first; });
      }
      waiting_.clear();
      collect();
    }
    return lost_;
  }

  /// each(slot, number of the packet) for what waits for slots begin to end - 1, in the order of packets.
  template <class Each>
  void each_delivery(std::uint32_t begin, std::uint32_t end, Each each) const {
    for (std::uint32_t number = 0; number < waiting_.size(); ++number) {
      const List& list = lists_[waiting_[number].list];
      const auto members = std::span(members_).subspan(list.first, list.count);
      for (auto at = std::lower_bound(members.begin(), members.end(), begin); at != members.end() && *at < end; ++at)
        each(*at, number);
    }
  }

  struct List {
    std::size_t first, count, idle; // of this process
    std::size_t all;                // cores to which it comes
  };
  /// Lists of keys of which these bits count, by chip and key.
  struct Known {
    std::uint32_t bits;
    std::unordered_map<std::uint64_t, std::uint32_t> lists;
  };

  Network& network_;
  RunOptions options_;
  std::vector<Slot> slots_{}; // by chip and core
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_{};
  bool is_sorted_ = true;
  bool has_waiting_packets_ = false;                      // of any core
  std::vector<Outbox> outboxes_ = std::vector<Outbox>(1); // [part]
  std::vector<Waiting> waiting_{};
  std::vector<std::pair<CoreAt, SentMessage>> messages_{};
  std::vector<std::pair<CoreAt, std::string>> lines_{};
  std::vector<CoreAt> ended_{};
  std::vector<std::uint32_t> finishing_{};
  std::vector<std::uint32_t> members_{};
  std::vector<List> lists_{};
  std::vector<Known> known_{};
  PacketAccount account_{};
  Refusal lost_{}; // that the processes have lost each other
  std::uint32_t time_ = 0;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
