// SPDX-License-Identifier: BSL-1.0
/// \file
/// Who has the machine. Jobs wait in the order in which they came. Each has all of it, as it is after power-on, until it gives it
/// back or its owner has been silent for too long. Lines of JSON in and out, as spalloc's clients send them.
///
///     machine::Allocations allocations(of, addresses);
///     const std::string reply = allocations.take(client, line, seconds);
///     for (const auto& [client, line] : allocations.notices()) send(client, line);
///     if (allocations.has_new_owner()) applications.power_on();
/// \source spalloc_server, its protocol of version 0 and 1
// host-only
#ifndef NEUROMORPH_MACHINE_ALLOCATION_HPP
#define NEUROMORPH_MACHINE_ALLOCATION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/json.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

class Allocations {
  using JsonKind = host::JsonKind;
  using JsonReading = host::JsonReading;
  using JsonValue = host::JsonValue;
  using JsonWriter = host::JsonWriter;

public:
  using Client = std::uint64_t;
  enum class JobState : std::uint8_t { unknown, queued, power, ready, destroyed };
  static constexpr const char* version = "1.0.0";
  static constexpr const char* machine_name = "simulated";
  static constexpr std::size_t most_jobs = 1000;

  /// \param of     outlives it
  /// \param hosts  of each Ethernet chip, the address of its board: "127.0.0.2"
  Allocations(const mapping::Machine& of, std::vector<std::pair<mapping::Chip, std::string>> hosts)
      : machine_(of), hosts_(std::move(hosts)) {}

  /// A line of a client, without its end.
  /// \param now  seconds, which do not fall
  /// \return     the answer with its end: {"return": ...}, or {"exception": "..."} where the line is no command that there is
  [[nodiscard]] std::string take(Client client, std::string line, double now) {
    expire(now);
    const auto read = host::Json::read(std::move(line));
    if (!read) return exception(read.sentence());
    JsonReading reading;
    const JsonValue root = read.value().root();
    const std::string_view command = reading.text(reading.member(root, "command"));
    JsonValue args = reading.optional_member(root, "args"), kwargs = reading.optional_member(root, "kwargs");
    if (args) args = reading.array(args);
    if (kwargs) kwargs = reading.object(kwargs);
    if (!reading.ok()) return exception(reading.refusal().sentence());
    JsonWriter reply(0);
    reply.begin_object().name("return");
    const Call call{client, args, kwargs, now, reply};
    std::string why;
    if (command == "version")
      reply.value(version);
    else if (command == "create_job")
      why = create(call);
    else if (command == "job_keepalive" || command == "power_on_job_boards" || command == "power_off_job_boards")
      why = of_job(call, [&](Job& job) {
        if (command != "job_keepalive" && job.state == JobState::ready)
          job.has_power = command == "power_on_job_boards";
        reply.null();
      });
    else if (command == "get_job_state")
      why = of_job(
          call, [&](Job& job) { tell_state(job, reply); }, true);
    else if (command == "get_job_machine_info")
      why = of_job(
          call, [&](Job& job) { tell_machine(job, reply); }, true);
    else if (command == "destroy_job")
      why = of_job(call, [&](Job& job) {
        const JsonValue reason = argument(call, 1, "reason");
        destroy(job, reason.is(JsonKind::text) ? std::string(reason.text()) : std::string());
        reply.null();
      });
    else if (command == "notify_job" || command == "no_notify_job")
      listen(call, command == "notify_job");
    else if (command == "notify_machine" || command == "no_notify_machine")
      reply.null(); // there is one machine, and it does not change
    else if (command == "list_jobs")
      list_jobs(reply);
    else if (command == "list_machines")
      list_machines(reply);
    else
      why = "there is no command '" + std::string(command.substr(0, 40)) + "'";
    if (!why.empty()) return exception(why);
    reply.end_object();
    return reply.take();
  }
  /// A client has gone; its jobs stay until their time is over.
  void leave(Client client) { listeners_.erase(client); }
  /// Ends jobs of which nobody was heard for too long.
  void expire(double now) {
    for (auto& [id, job] : jobs_)
      if (job.state != JobState::destroyed && job.keepalive && now - job.heard > *job.keepalive)
        destroy(job, "nobody was heard of for " + std::to_string(static_cast<std::uint64_t>(*job.keepalive)) + " s");
  }
  /// What clients that asked for it are told since the last call.
  [[nodiscard]] std::vector<std::pair<Client, std::string>> notices() {
    std::vector<std::pair<Client, std::string>> made;
    for (const auto& [client, wanted] : listeners_) {
      std::vector<std::uint32_t> ids;
      for (const std::uint32_t id : changed_)
        if (wanted.empty() || wanted.count(id) != 0) ids.push_back(id);
      if (ids.empty()) continue;
      JsonWriter line(0);
      line.begin_object().name("jobs_changed").begin_array();
      for (const std::uint32_t id : ids) line.value(id);
      line.end_array().end_object();
      made.emplace_back(client, line.take());
    }
    changed_.clear();
    return made;
  }
  /// Whether the machine has been given to somebody since the last call: nothing of the one before may be left.
  [[nodiscard]] bool has_new_owner() noexcept { return std::exchange(is_new_, false); }
  [[nodiscard]] std::optional<std::uint32_t> owner() const noexcept { return owner_; }

private:
  struct Job {
    std::uint32_t id = 0;
    JobState state = JobState::queued;
    bool has_power = false;
    std::optional<double> keepalive = 60.0;
    double heard = 0.0, begun = 0.0;
    std::string owner = {}, reason = {};
  };
  struct Call {
    Client client;
    JsonValue args, kwargs;
    double now;
    JsonWriter& reply;
  };

  [[nodiscard]] static std::string exception(const std::string& why) {
    JsonWriter reply(0);
    reply.begin_object().member("exception", why).end_object();
    return reply.take();
  }
  [[nodiscard]] static JsonValue argument(const Call& call, std::size_t number, std::string_view name) {
    const JsonValue by_place = call.args.item(number);
    return by_place ? by_place : call.kwargs.find(name);
  }
  /// Calls for the job that a call is of.
  /// \param may_be_unknown  then it is called for one that is unknown
  template <class Each>
  [[nodiscard]] std::string of_job(const Call& call, Each each, bool may_be_unknown = false) {
    const JsonValue id = argument(call, 0, "job_id");
    if (!id.is(JsonKind::whole) || id.is_negative()) return "job_id is wanted: a whole number";
    const auto found =
        id.unsigned_whole() <= UINT32_MAX ? jobs_.find(static_cast<std::uint32_t>(id.unsigned_whole())) : jobs_.end();
    if (found != jobs_.end()) {
      found->second.heard = call.now;
      each(found->second);
    } else if (may_be_unknown) {
      Job none;
      none.state = JobState::unknown;
      each(none);
    } else {
      return "there is no job " + std::to_string(id.unsigned_whole());
    }
    return {};
  }

  [[nodiscard]] std::string create(const Call& call) {
    JsonReading reading;
    Job job;
    const JsonValue owner = call.kwargs.find("owner"), keepalive = call.kwargs.find("keepalive");
    if (!owner) return "owner is wanted: who asks for the machine";
    job.owner = reading.text(owner);
    if (keepalive.is(JsonKind::null))
      job.keepalive.reset();
    else if (keepalive)
      job.keepalive = reading.real(keepalive);
    std::uint64_t numbers[3] = {1, 1, 0};
    if (call.args.size() > 3) return "a job has at most three numbers";
    for (std::size_t at = 0; at < call.args.size(); ++at)
      numbers[at] = reading.whole<std::uint32_t>(call.args.item(at), 0, 1000000);
    const JsonValue torus = call.kwargs.find("require_torus"), name = call.kwargs.find("machine");
    const bool wants_torus = torus && !torus.is(JsonKind::null) && reading.truth(torus);
    if (name && !name.is(JsonKind::null) && reading.text(name) != machine_name && reading.ok())
      return "there is no machine '" + std::string(name.text().substr(0, 40)) + "', but '" + machine_name + "'";
    if (!reading.ok()) return reading.refusal().sentence();
    if (job.keepalive && !(*job.keepalive > 0.0 && *job.keepalive <= 1e9))
      return "keepalive is above 0 and at most 10^9 seconds, or null";
    if (jobs_.size() == most_jobs) forget_old();
    if (jobs_.size() == most_jobs) return "there are " + std::to_string(most_jobs) + " jobs already";
    // So many boards, so many triads across and up, or the board of a place.
    const std::size_t count = call.args.size();
    const std::uint64_t boards = count == 3 ? 1 : count == 2 ? 3 * numbers[0] * numbers[1] : numbers[0];
    bool is_place_there = count != 3;
    for (const auto& [chip, host] : hosts_)
      is_place_there = is_place_there || (numbers[0] == machine_.x(chip) / 12 && numbers[1] == machine_.y(chip) / 12 &&
                                          numbers[2] == board_of_triad(chip));
    job.id = ++last_id_, job.heard = job.begun = call.now;
    Job& made = jobs_[job.id] = std::move(job);
    changed_.insert(made.id);
    const bool is_torus = machine_.wraps().wraps_x && machine_.wraps().wraps_y;
    if (boards == 0 || boards > hosts_.size() || !is_place_there)
      destroy(made, "the machine has " + std::to_string(hosts_.size()) + " boards, and not what was asked for");
    else if (wants_torus && !is_torus)
      destroy(made, "the machine is no torus");
    else
      give();
    call.reply.value(made.id);
    return {};
  }
  /// The machine to the first who waits, if nobody has it.
  void give() {
    if (owner_) return;
    for (auto& [id, job] : jobs_) {
      if (job.state != JobState::queued) continue;
      job.state = JobState::ready, job.has_power = true, owner_ = id, is_new_ = true;
      changed_.insert(id);
      return;
    }
  }
  void destroy(Job& job, std::string reason) {
    if (job.state == JobState::destroyed) return;
    job.state = JobState::destroyed, job.has_power = false, job.reason = std::move(reason);
    changed_.insert(job.id);
    if (owner_ != job.id) return;
    owner_.reset();
    give();
  }
  void forget_old() {
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job)
      if (job->second.state == JobState::destroyed) {
        jobs_.erase(job);
        return;
      }
  }
  void listen(const Call& call, bool begins) {
    const JsonValue id = argument(call, 0, "job_id");
    const bool is_one = id.is(JsonKind::whole) && !id.is_negative() && id.unsigned_whole() <= UINT32_MAX;
    if (!is_one && !begins)
      listeners_.erase(call.client);
    else if (!is_one)
      listeners_[call.client].clear(); // all
    else if (begins)
      listeners_[call.client].insert(static_cast<std::uint32_t>(id.unsigned_whole()));
    else if (const auto found = listeners_.find(call.client); found != listeners_.end()) {
      found->second.erase(static_cast<std::uint32_t>(id.unsigned_whole()));
      if (found->second.empty()) listeners_.erase(found);
    }
    call.reply.null();
  }

  static void tell_state(const Job& job, JsonWriter& to) {
    to.begin_object().member("state", static_cast<unsigned>(job.state));
    to.name("power");
    if (job.state == JobState::ready)
      to.value(job.has_power);
    else
      to.null();
    to.name("keepalive");
    if (job.keepalive && job.state != JobState::unknown)
      to.value(*job.keepalive);
    else
      to.null();
    to.name("reason");
    if (job.state == JobState::destroyed)
      to.value(job.reason);
    else
      to.null();
    to.member("start_time", job.begun).name("keepalivehost").null().end_object();
  }
  void tell_machine(const Job& job, JsonWriter& to) const {
    to.begin_object();
    if (job.state != JobState::ready) {
      for (const char* name : {"width", "height", "connections", "machine_name", "boards"}) to.name(name).null();
      to.end_object();
      return;
    }
    to.member("width", machine_.width()).member("height", machine_.height()).name("connections").begin_array();
    for (const auto& [chip, host] : hosts_)
      to.begin_array()
          .begin_array()
          .value(machine_.x(chip))
          .value(machine_.y(chip))
          .end_array()
          .value(host)
          .end_array();
    to.end_array().member("machine_name", machine_name).name("boards");
    tell_boards(to);
    to.end_object();
  }
  [[nodiscard]] unsigned board_of_triad(mapping::Chip ethernet) const {
    const std::uint32_t x = machine_.x(ethernet) % 12;
    return x == 0 ? 0 : x == 8 ? 1 : 2;
  }
  /// Of triads: x, y, and which of three.
  void tell_boards(JsonWriter& to) const {
    to.begin_array();
    for (const auto& [chip, host] : hosts_) {
      to.begin_array()
          .value(machine_.x(chip) / 12)
          .value(machine_.y(chip) / 12)
          .value(board_of_triad(chip))
          .end_array();
    }
    to.end_array();
  }
  void list_jobs(JsonWriter& to) const {
    to.begin_array();
    for (const auto& [id, job] : jobs_) {
      if (job.state == JobState::destroyed) continue;
      to.begin_object().member("job_id", id).member("owner", job.owner).member("start_time", job.begun);
      to.name("keepalive");
      if (job.keepalive)
        to.value(*job.keepalive);
      else
        to.null();
      to.member("state", static_cast<unsigned>(job.state)).member("power", job.has_power);
      to.name("allocated_machine_name");
      if (job.state == JobState::ready)
        to.value(machine_name);
      else
        to.null();
      to.name("boards");
      if (job.state == JobState::ready)
        tell_boards(to);
      else
        to.null();
      to.end_object();
    }
    to.end_array();
  }
  void list_machines(JsonWriter& to) const {
    to.begin_array().begin_object().member("name", machine_name);
    to.name("tags").begin_array().value("default").end_array();
    to.member("width", (machine_.width() + 11) / 12).member("height", (machine_.height() + 11) / 12);
    to.name("dead_boards").begin_array().end_array().name("dead_links").begin_array().end_array();
    to.end_object().end_array();
  }

  const mapping::Machine& machine_;
  std::vector<std::pair<mapping::Chip, std::string>> hosts_;
  std::map<std::uint32_t, Job> jobs_{};
  std::map<Client, std::set<std::uint32_t>> listeners_{}; // none: all jobs
  std::set<std::uint32_t> changed_{};
  std::optional<std::uint32_t> owner_{};
  std::uint32_t last_id_ = 0;
  bool is_new_ = false;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
