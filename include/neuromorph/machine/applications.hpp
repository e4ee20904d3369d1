// SPDX-License-Identifier: BSL-1.0
/// \file
/// Programs in the cores of a machine, from their start by a host to their end. Regions and recordings are where tables of data regions
/// say, runs go from signal to signal, and what programs say goes to tags and logs.
///
///     machine::Applications applications(monitors, programs);
///     monitors.take(...);                    // a host loads and starts
///     applications.advance(1000, datagrams); // so many ticks, or until all are paused
/// \source SpiNNFrontEndCommon, c_common: simulation.c, recording.c, data_specification.c
// host-only
#ifndef NEUROMORPH_MACHINE_APPLICATIONS_HPP
#define NEUROMORPH_MACHINE_APPLICATIONS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/chip.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/detail/rank_words.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/machine/programs.hpp>
#include <neuromorph/machine/router.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/machine/strip.hpp>
#include <neuromorph/machine/system_program.hpp>
#include <neuromorph/machine/timed_cores.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/data_regions.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// Which of the data regions of a core are for the runtime; those of its vertex follow.
struct RegionNumbers {
  static constexpr std::size_t system = 0, recordings = 1, provenance = 2, first_of_vertex = 3;
};
/// In `rt_code` of a core that has stopped by a run-time error before its program began; a program's own code has its low byte there.
enum class StartError : std::uint8_t { no_program = 16, no_table = 17, wrong_region = 18, refused = 19 };

class Applications final : public CoreKeeper {
public:
  /// \param monitors, programs  outlive this
  Applications(Monitors& monitors, const Programs& programs, const RunOptions& options = {})
      : Applications(monitors, programs, std::make_unique<Run<Monitors>>(monitors, options), options.strip) {}
  /// Where packets take time.
  Applications(Monitors& monitors, const Programs& programs, const TimedCoresOptions& options)
      : Applications(monitors, programs,
                     std::make_unique<TimedCores>(
                         monitors.machine(), options,
                         [&monitors](mapping::Chip chip) -> Router& { return monitors.chip(chip).router; },
                         [&monitors](mapping::Chip chip, mapping::Link link) {
                           return TimedCores::LinkNow{monitors.wiring().neighbour(chip, link) != mapping::no_chip,
                                                      monitors.wiring().loss(chip, link)};
                         }),
                     options.fabric.strip) {}
  Applications(const Applications&) = delete;
  Applications& operator=(const Applications&) = delete;
  ~Applications() override { monitors_.set_keeper(nullptr), monitors_.set_strip(nullptr); }

  /// What is attached to a link, behind the virtual chip of the monitors' machine. It ticks when cores do. In several processes all attach
  /// theirs, and that of who has the chip is it.
  /// \param device  outlives this
  /// \errors parameters_contradict: another is there already
  [[nodiscard]] Refusal attach(mapping::Chip chip, CoreModel& device) {
    if (!strip_.has(chip)) return {};
    const CoreAt at{chip, 0};
    if (Refusal refusal = run_->attach(at, device, 0); !refusal) return refusal;
    devices_.push_back(at);
    run_->go_on(at, 0, UINT32_MAX);
    return {};
  }
  /// Ticks while any core runs. In several processes all call it.
  /// \param count  at most
  /// \param to     gets what programs send to hosts, of each tick by chip and core
  /// \return       ticks that were done
  std::uint32_t advance(std::uint32_t count, std::vector<Datagram>& to) {
    std::uint32_t done = 0;
    for (; meet() && done < count; ++done) {
      const Refusal refusal = run_->ticks(1);
      endless_rounds_ += refusal.ok() || refusal.status.error == Error::rank_failed ? 0U : 1U;
      if (refusal.status.error == Error::rank_failed) mind(refusal);
      settle();
    }
    std::move(to_hosts_.begin(), to_hosts_.end(), std::back_inserter(to)), to_hosts_.clear();
    return done;
  }
  /// Whether any core of this process does.
  [[nodiscard]] bool is_running() const noexcept {
    if (devices_.empty()) return run_->is_running();
    return std::any_of(loaded_.begin(), loaded_.end(),
                       [this](const auto& one) { return run_->state(one.second.at) == CoreState::running; });
  }
  [[nodiscard]] const PacketAccount& account() const noexcept { return run_->account(); }
  /// Ticks in which packets led to packets without an end, so that some were forgotten.
  [[nodiscard]] std::uint64_t endless_rounds() const noexcept { return endless_rounds_; }
  /// Lines of logs for which a chip had no memory left.
  [[nodiscard]] std::uint64_t lost_lines() const noexcept { return lost_lines_; }
  /// The processes that have it, of which this is one.
  [[nodiscard]] const Strip& strip() const noexcept { return strip_; }
  /// That the processes have lost each other, rank_failed, or share a board, parameters_contradict: then nothing ticks.
  [[nodiscard]] const Refusal& lost() const noexcept { return lost_; }
  /// Packets that came after the next tick of their core had begun, since the last call.
  [[nodiscard]] std::vector<LatePackets> late() { return run_->late(); }
  [[nodiscard]] CoreState state(const CoreAt& at) { return monitors_.chip(at.chip).core[at.core].state; }
  /// Of all programs' states.
  [[nodiscard]] std::uint64_t digest() { return run_->digest(); }

  /// As after Monitors::power_on: no program is anywhere.
  void power_on() {
    while (!loaded_.empty()) forget(loaded_.begin()->second.at);
    lengths_.clear(), log_end_.clear(), known_routers_.clear();
    monitors_.power_on();
  }
  /// Stops what is in a core, as the watchdog finds it, a run-time error of a code, or a dead core; nothing of it is stored.
  void stop(const CoreAt& at, CoreState why, std::uint8_t code = 0) {
    const auto found = loaded_.find(id_of(at));
    const std::uint8_t application = found == loaded_.end() ? std::uint8_t{0} : found->second.application;
    run_->set_state(at, why);
    monitors_.set_core(at.chip, at.core, {why, application});
    system_byte(at, 0x2C, code);
    if (why == CoreState::dead) forget(at);
  }

  void launch(mapping::Chip chip, const protocols::Launch& launch, std::uint32_t cores,
              std::span<const std::uint8_t> image) override {
    const std::string name = name_in(image);
    for (unsigned core = 1; core < ChipParts::cores; ++core) {
      if ((cores >> core & 1U) == 0 || monitors_.chip(chip).core[core].state == CoreState::dead) continue;
      const CoreAt at{chip, static_cast<std::uint8_t>(core)};
      forget(at);
      Loaded& of = loaded_[id_of(at)];
      std::string why = "this machine has no program '" + name + "'";
      of.at = at, of.application = launch.application,
      of.model = name.empty() ? programs_.make(image, why) : programs_.make(name);
      write_name(at, name.empty() && of.model != nullptr ? of.model->name() : name);
      clear_log(at);
      if (of.model == nullptr) {
        fail(of, StartError::no_program, why);
        continue;
      }
      of.model->set_router(0, monitors_.chip(chip).router);
      if (SystemProgram* const system = of.model->system(); system != nullptr) {
        of.services = std::make_unique<Services>(*this, at);
        system->set_services(*of.services);
      }
      ++launches_;
      static_cast<void>(run_->attach(at, *of.model, 0).ok()); // nothing is in it
      run_->set_state(at, CoreState::waiting);
      set_state(of, CoreState::waiting);
    }
    if ((launch.flags & protocols::Launch::wait_flag) != 0) return;
    for (unsigned core = 1; core < ChipParts::cores; ++core)
      if (const auto found = loaded_.find(id_of({chip, static_cast<std::uint8_t>(core)}));
          (cores >> core & 1U) != 0 && found != loaded_.end())
        begin(found->second);
  }

  void signal(const protocols::MulticastSignal& signal) override {
    using protocols::Signal;
    settle_all();
    std::vector<CoreAt> meant;
    for (auto& [id, of] : loaded_)
      if (((of.application ^ signal.application) & signal.mask) == 0) meant.push_back(of.at);
    for (const CoreAt& at : meant) {
      Loaded& of = loaded_[id_of(at)];
      const CoreState now = state(at);
      switch (signal.signal) {
      case Signal::stop: // its memory is given back by the monitor
        system_ram(at).put_word(variables_of(at) + 0x58, 0), forget(at);
        break;
      case Signal::start: begin(of); break;
      case Signal::sync0:
      case Signal::sync1:
        if (now == (signal.signal == Signal::sync0 ? CoreState::sync0 : CoreState::sync1)) {
          of.next_sync ^= 1U;
          go_on(of);
        }
        break;
      case Signal::pause: pause(of); break;
      case Signal::go_on:
        if (now == CoreState::paused && run_->time_of(at) < of.end) of.from = run_->time_of(at), go_on(of);
        break;
      case Signal::exit: exit(of); break;
      default: break; // timers and users' signals: no program asks for them
      }
    }
    settle_all();
  }

  [[nodiscard]] bool message(mapping::Chip chip, unsigned core, unsigned port, std::span<const std::uint8_t> data,
                             std::vector<std::uint32_t>& arguments) override {
    const auto found = loaded_.find(id_of({chip, static_cast<std::uint8_t>(core)}));
    if (found == loaded_.end() || found->second.model == nullptr) return false;
    Loaded& of = found->second;
    const CoreState now = state(of.at);
    if (now == CoreState::run_time_error || now == CoreState::watchdog || now == CoreState::waiting ||
        now == CoreState::exited)
      return false;
    follow_routes();
    if (port == unsigned(protocols::SdpPort::output_buffering)) {
      const auto request = protocols::decode_request(data);
      const auto wanted = request ? protocols::RecordingSwap::of(request.value) : request.why;
      return wanted && swap(of, wanted.value, arguments);
    }
    if (of.model->answer(0, port, data, arguments)) return true;
    if (port != of.control_port) {
      const bool is_taken = run_->control(of.at, port, data);
      settle();
      return is_taken;
    }
    const auto request = protocols::decode_request(data);
    if (!request) return false;
    const auto control = protocols::RunControl::of(request.value);
    if (!control) return false;
    using What = protocols::RunControl::What;
    switch (control.value.what) {
    case What::stop:
    case What::provenance_and_exit: exit(of); break;
    case What::run_for:
      if (now == CoreState::running) return false;
      if (!read_regions(of, true)) break; // it has failed, and is asked for its state
      of.from = control.value.from, of.end = control.value.is_endless ? UINT32_MAX : control.value.time;
      forget_recordings(of);
      set_state(of, of.next_sync == 0 ? CoreState::sync0 : CoreState::sync1);
      break;
    case What::clear_log: clear_log(of.at); break;
    case What::pause: pause(of); break;
    case What::get_time: arguments = {run_->time_of(of.at)}; break;
    }
    settle();
    return true;
  }

  void take_sent(std::vector<Datagram>& to) override {
    for (const auto& [at, message] : sent_) monitors_.send(at.chip, at.core, message.tag, message.bytes, to);
    sent_.clear();
  }

private:
  Applications(Monitors& monitors, const Programs& programs, std::unique_ptr<RunOfCores> run, Strip strip)
      : monitors_(monitors), programs_(programs), run_(std::move(run)), strip_(std::move(strip)) {
    monitors.set_keeper(this);
    if (!strip_.is_one_of_many()) return;
    monitors.set_strip(&strip_);
    const mapping::Machine& of = monitors.machine();
    for (mapping::Chip chip = 0; chip < of.grid_chips() && lost_.ok(); ++chip)
      if (const mapping::Chip ethernet = of.ethernet_of(chip);
          of.has(chip) && ethernet != mapping::no_chip && strip_.owner[chip] != strip_.owner[ethernet])
        lost_ = {{Error::parameters_contradict, chip, strip_.owner[chip], "rank"},
                 of.name(chip),
                 "it is of another rank than the rest of its board; machine::strips_of_boards keeps boards whole"};
  }
  class Services;
  struct Loaded {
    CoreAt at{};
    std::uint8_t application = 0;
    std::unique_ptr<CoreModel> model{};
    std::unique_ptr<Services> services{};                           ///< of a program of the system
    std::uint32_t control_port = 3, provenance = 0, recordings = 0; ///< the last two: addresses, or 0
    std::vector<protocols::RecordingRegion> channels{};
    struct Swaps {
      std::uint32_t number = 0, room = 0; ///< of the last one; bytes of both halves
      protocols::SwappedRecording left{};
    };
    std::vector<Swaps> swaps{};      ///< of channels, in this run
    std::uint32_t from = 0, end = 0; ///< ticks of the next run
    unsigned next_sync = 0;
  };

  /// Of one core, by its applications.
  class Services final : public SystemServices {
  public:
    Services(Applications& of, const CoreAt& at) : of_(of), at_(at) {}
    [[nodiscard]] bool read(std::uint32_t address, std::span<std::uint8_t> to) override {
      return of_.read(at_, address, to);
    }
    [[nodiscard]] bool write(std::uint32_t address, std::span<const std::uint8_t> from) override {
      const ChipParts::Place place = of_.monitors_.chip(at_.chip).place(address);
      return place.memory != nullptr && place.memory->write(place.at, from);
    }
    void send(PacketKind kind, std::uint32_t key, std::uint32_t payload) override {
      for (SystemProgram* const one : targets(kind, key)) one->take(kind, key, payload);
    }
    void message(unsigned tag, std::span<const std::uint8_t> bytes) override {
      of_.sent_.emplace_back(at_, SentMessage{.tag = tag, .bytes = {bytes.begin(), bytes.end()}});
    }
    void set_user1(std::uint32_t word) override { of_.system_ram(at_).put_word(variables_of(at_) + 0x74, word); }
    [[nodiscard]] Router& router() override { return of_.monitors_.chip(at_.chip).router; }
    void has_changed_routes() override { of_.monitors_.wiring().have_routes_changed(); }

  private:
    /// Programs of the system to which it comes. They are looked for once, while routes stay, no program comes or goes, and no link is lossy.
    [[nodiscard]] const std::vector<SystemProgram*>& targets(PacketKind kind, std::uint32_t key) {
      const std::uint64_t version = of_.monitors_.wiring().version() + of_.launches_;
      if (version != version_ || of_.monitors_.wiring().is_lossy()) known_.clear(), version_ = version;
      const std::pair<PacketKind, std::uint32_t> by{kind, kind == PacketKind::multicast ? key : 0};
      const auto [found, is_new] = known_.try_emplace(by);
      if (!is_new) return found->second;
      std::vector<CoreAt> cores;
      if (kind == PacketKind::fixed_route)
        of_.monitors_.fixed_deliveries(at_.chip, cores);
      else
        static_cast<void>(of_.monitors_.deliveries(at_.chip, key, cores, Sender::system));
      for (const CoreAt& one : cores)
        if (const auto there = of_.loaded_.find(id_of(one));
            there != of_.loaded_.end() && there->second.model != nullptr)
          if (SystemProgram* const system = there->second.model->system(); system != nullptr)
            found->second.push_back(system);
      return found->second;
    }

    Applications& of_;
    CoreAt at_;
    std::uint64_t version_ = 0;
    std::map<std::pair<PacketKind, std::uint32_t>, std::vector<SystemProgram*>> known_{};
  };

  [[nodiscard]] static std::uint32_t id_of(const CoreAt& at) noexcept { return at.chip << 5 | at.core; }
  [[nodiscard]] static std::uint32_t variables_of(const CoreAt& at) noexcept { return address::cores + 128U * at.core; }
  [[nodiscard]] Memory& system_ram(const CoreAt& at) { return monitors_.chip(at.chip).system_ram; }

  void set_state(const Loaded& of, CoreState state) {
    run_->set_state(of.at, state);
    monitors_.set_core(of.at.chip, of.at.core, {state, of.application});
  }
  void forget(CoreAt at) {
    run_->detach(at);
    loaded_.erase(id_of(at));
    ++launches_;
  }
  void mind(const Refusal& refusal) {
    if (lost_.ok()) lost_ = refusal;
  }
  /// What was sent outside of ticks comes to where it goes.
  void settle_all() {
    static_cast<void>(meet());
    if (!lost_.ok()) return;
    if (const Refusal refusal = run_->settle(); refusal.status.error == Error::rank_failed) mind(refusal);
    settle();
  }
  /// Before anything is delivered: routers of all chips are known to all processes, and what programs have sent to hosts.
  /// \return whether any core of any process runs
  [[nodiscard]] bool meet() {
    auto said = run_->messages();
    const auto by_sender = [](const auto& one, const auto& other) { return id_of(one.first) < id_of(other.first); };
    std::stable_sort(said.begin(), said.end(), by_sender);
    std::vector<std::pair<CoreAt, Datagram>> sent;
    for (const auto& [at, message] : said) {
      std::vector<Datagram> made;
      monitors_.send(at.chip, at.core, message.tag, message.bytes, made);
      for (Datagram& one : made) sent.emplace_back(at, std::move(one));
    }
    bool runs = is_running();
    if (strip_.is_one_of_many()) runs = exchange(runs, sent), std::stable_sort(sent.begin(), sent.end(), by_sender);
    for (auto& [at, one] : sent) to_hosts_.push_back(std::move(one));
    follow_routes();
    return runs;
  }
  /// \param sent  gets what all processes have
  [[nodiscard]] bool exchange(bool runs, std::vector<std::pair<CoreAt, Datagram>>& sent) {
    if (!lost_.ok()) return false;
    constexpr std::uint32_t no_more = UINT32_MAX;
    detail::RankWords own;
    own.add(runs ? 1U : 0U);
    const bool have_changed =
        std::exchange(shared_routes_, monitors_.wiring().version()) != monitors_.wiring().version();
    monitors_.each_touched([&](mapping::Chip chip, ChipParts& parts) {
      if (!have_changed) return;
      std::uint64_t& known = known_routers_[chip];
      if (!strip_.has(chip) || known == parts.router.version()) return;
      known = parts.router.version();
      own.add(chip), own.add(parts.router.read(router_register::fixed_route));
      std::vector<std::uint32_t> entries;
      for (std::uint32_t at = 0; at < Router::size; ++at)
        if (const mapping::TableEntry one = parts.router.entry(at); one.keys != Router::empty.keys || one.route != 0)
          entries.insert(entries.end(), {at, one.keys.key, one.keys.mask, one.route});
      own.add_list(entries);
    });
    own.add(no_more);
    for (const auto& [at, one] : sent) own.add(id_of(at)), own.add_datagram(one);
    own.add(no_more);
    sent.clear();
    mind(strip_.exchange(own.words(), [&](unsigned rank, std::span<const std::uint32_t> words) {
      detail::RankReader given(words);
      runs = given.take() != 0 || runs;
      for (std::uint32_t chip = given.take(); chip != no_more; chip = given.take()) {
        const std::uint32_t fixed_route = given.take();
        const std::span<const std::uint32_t> entries = given.take_list();
        if (rank == strip_.rank) continue;
        Router& router = monitors_.chip(chip).router;
        static_cast<void>(router.load({}));
        for (std::size_t at = 0; at + 4 <= entries.size(); at += 4)
          static_cast<void>(router.set(entries[at], {{entries[at + 1], entries[at + 2]}, entries[at + 3], 0}));
        static_cast<void>(router.write(router_register::fixed_route, fixed_route));
        monitors_.wiring().have_routes_changed();
      }
      for (std::uint32_t id = given.take(); id != no_more; id = given.take())
        sent.emplace_back(CoreAt{id >> 5, static_cast<std::uint8_t>(id & 31U)}, given.take_datagram());
    }));
    return runs && lost_.ok();
  }
  void follow_routes() {
    if (routes_ == monitors_.wiring().version()) return;
    routes_ = monitors_.wiring().version();
    run_->forget_routes();
  }

  /// Reads what the host has written for it, and lets it start.
  void begin(Loaded& of) {
    if (of.model == nullptr || state(of.at) != CoreState::waiting) return;
    if (!read_regions(of, false)) return;
    const Status started = run_->start(of.at);
    settle();
    if (!started.ok()) return fail(of, StartError::refused, neuromorph::sentence(started).text.data());
    if (of.model->error(0) == 0) set_state(of, CoreState::sync0);
  }
  /// \param is_changed  only those of the vertex that the host has written anew: their lengths are in the table again
  /// \return whether they are as they should be; if not, the core has failed
  [[nodiscard]] bool read_regions(Loaded& of, bool is_changed) {
    const std::uint32_t table_at = system_ram(of.at).word(variables_of(of.at) + 0x70);
    using protocols::DataRegionTable;
    if (table_at == 0) return true; // what a program needs, it misses itself
    std::vector<std::uint8_t> bytes(DataRegionTable::bytes);
    if (!read(of.at, table_at, bytes)) return fail(of, StartError::no_table, "user0 points to no memory"), false;
    auto table = DataRegionTable::of(bytes);
    if (!table)
      return fail(of, StartError::no_table, std::string("user0 points to no table: ") + describe(table.why)), false;
    auto& regions = table.value.region;
    std::vector<std::uint8_t>& words = words_;
    for (std::size_t at = 0; at < regions.size(); ++at) {
      protocols::DataRegion& one = regions[at];
      if (one.address == 0) continue;
      if (is_changed && (at < RegionNumbers::first_of_vertex || one.words == 0)) continue;
      const auto refuse = [&](const char* why) {
        fail(of, StartError::wrong_region, "region " + std::to_string(at) + ": " + why);
        return false;
      };
      // Once it was looked at, its length is not in the table any more.
      std::uint32_t& known = lengths_[{of.at.chip, one.address}];
      if (one.words != 0) known = one.words;
      words.resize(known <= address::sdram_bytes / 4 ? std::size_t{known} * 4 : 0);
      if (words.size() != std::size_t{known} * 4 || !read(of.at, one.address, words))
        return refuse("there is no memory at its address");
      if (const auto why = DataRegionTable::check(one, words); why != protocols::Malformed::none)
        return refuse(describe(why));
      one.checksum = one.words = 0;
      if (at == RegionNumbers::system) {
        const auto system = protocols::SystemRegion::of(words);
        if (!system) return refuse(describe(system.why));
        of.control_port = system.value.control_port;
      } else if (at == RegionNumbers::recordings) {
        of.recordings = one.address;
        if (!read_recordings(of)) return refuse("it is not a table of recordings in the chip's memory");
      } else if (at == RegionNumbers::provenance) {
        of.provenance = one.address;
      } else if (at - RegionNumbers::first_of_vertex < of.model->regions()) {
        if (const Status loaded = of.model->load(0, at - RegionNumbers::first_of_vertex, words); !loaded)
          return refuse(neuromorph::describe(loaded.error));
      }
    }
    table.value.write(bytes);
    write(of.at, table_at, bytes);
    return true;
  }
  [[nodiscard]] bool read_recordings(Loaded& of) {
    std::vector<std::uint8_t> bytes(protocols::RecordingRegions::bytes(recording_channels));
    if (!read(of.at, of.recordings, bytes)) return false;
    const auto table = protocols::RecordingRegions::of(bytes);
    if (!table) return false;
    of.channels.clear();
    for (std::size_t channel = 0; channel < table.value.channels(); ++channel) {
      const auto one = table.value[channel];
      if (!one || (one.value.room != 0 && !is_there(of.at, one.value.address, one.value.room))) return false;
      of.channels.push_back(one.value);
      of.model->make_room(0, static_cast<unsigned>(channel), one.value.room / 4);
    }
    forget_recordings(of);
    return true;
  }
  void forget_recordings(Loaded& of) {
    for (unsigned channel = 0; channel < of.channels.size(); ++channel) {
      protocols::RecordingRegion& one = of.channels[channel];
      one.written = 0, one.is_missing = false;
      of.model->clear(0, channel);
      if (of.swaps.empty() || of.swaps[channel].number == 0) continue;
      if (of.swaps[channel].number % 2 != 0) one.address -= one.room;
      one.room = of.swaps[channel].room, of.model->set_room(0, channel, one.room / 4);
    }
    of.swaps.assign(of.channels.size(), {});
    write_recordings(of);
  }
  void write_recordings(Loaded& of) {
    if (of.channels.empty()) return;
    std::vector<std::uint8_t> bytes(protocols::RecordingRegions::bytes(of.channels.size()));
    protocols::RecordingRegions::write(of.channels, bytes);
    write(of.at, of.recordings, bytes);
  }
  /// The half in which a channel records goes to where the host reads it, and it records in the other.
  [[nodiscard]] bool swap(Loaded& of, const protocols::RecordingSwap& wanted, std::vector<std::uint32_t>& arguments) {
    if (wanted.channel >= of.channels.size()) return false;
    const auto channel = static_cast<unsigned>(wanted.channel);
    protocols::RecordingRegion& one = of.channels[channel];
    auto& swaps = of.swaps[channel];
    if (wanted.number == swaps.number + 1) {
      if (swaps.number == 0) {
        if (4 * of.model->recorded(0, channel).size() > one.room / 2) return false;
        swaps.room = one.room, one.room = one.room / 8 * 4;
      }
      store(of, channel);
      swaps.left = {one.address, one.written, one.is_missing};
      one.address = swaps.number % 2 == 0 ? one.address + one.room : one.address - one.room;
      one.written = 0, one.is_missing = false, swaps.number = wanted.number;
      of.model->clear(0, channel), of.model->set_room(0, channel, one.room / 4);
      write_recordings(of);
    }
    if (wanted.number != swaps.number) return false;
    arguments = {swaps.left.address, swaps.left.word()};
    return true;
  }
  void store(Loaded& of, unsigned channel) {
    protocols::RecordingRegion& one = of.channels[channel];
    const auto words = of.model->recorded(0, channel);
    std::vector<std::uint8_t> bytes(words.size() * 4);
    for (std::size_t at = 0; at < words.size(); ++at) protocols::put_word(bytes, 4 * at, words[at]);
    write(of.at, one.address, bytes);
    one.written = static_cast<std::uint32_t>(bytes.size()), one.is_missing = of.model->lost(0, channel) != 0;
  }
  /// What it has recorded and counted goes to where the host reads it.
  void store(Loaded& of) {
    for (unsigned channel = 0; channel < of.channels.size(); ++channel) store(of, channel);
    write_recordings(of);
    if (of.provenance == 0) return;
    std::vector<std::uint8_t> bytes(protocols::ProvenanceRegion::bytes + 4 * of.model->counters(), 0);
    for (std::size_t at = 0; at < of.model->counters(); ++at)
      protocols::put_word(bytes, protocols::ProvenanceRegion::bytes + 4 * at, of.model->counter(0, at));
    write(of.at, of.provenance, bytes);
  }

  void go_on(Loaded& of) {
    set_state(of, CoreState::running);
    run_->go_on(of.at, of.from, of.end);
  }
  void pause(Loaded& of) {
    if (state(of.at) != CoreState::running) return;
    const std::uint32_t end = of.end;
    run_->pause(of.at);
    settle();
    of.end = end; // it may go on
  }
  void exit(Loaded& of) {
    const CoreState now = state(of.at);
    if (of.model == nullptr || now == CoreState::run_time_error || now == CoreState::watchdog ||
        now == CoreState::exited)
      return;
    pause(of);
    settle();
    store(of);
    set_state(of, CoreState::exited);
  }
  void fail(Loaded& of, StartError why, std::string_view line) {
    system_byte(of.at, 0x2C, static_cast<std::uint8_t>(why));
    set_state(of, CoreState::run_time_error);
    log(of.at, line);
  }
  /// What has ended since, and what was said.
  void settle() {
    for (const CoreAt& at : run_->ended()) {
      Loaded& of = loaded_[id_of(at)];
      if (of.model->error(0) != 0) {
        system_byte(at, 0x2C, static_cast<std::uint8_t>(of.model->error(0)));
        set_state(of, CoreState::run_time_error);
        log(at,
            "run-time error " + std::to_string(of.model->error(0)) + " at tick " + std::to_string(run_->time_of(at)));
      } else {
        set_state(of, CoreState::paused);
        of.end = run_->time_of(at); // also where it has finished earlier
      }
      store(of);
    }
    for (const auto& [at, line] : run_->lines()) log(at, line);
  }

  [[nodiscard]] bool read(const CoreAt& at, std::uint32_t from, std::span<std::uint8_t> to) {
    const ChipParts::Place place = monitors_.chip(at.chip).place(from);
    return place.memory != nullptr && place.memory->read(place.at, to);
  }
  /// Where there is no memory, nothing happens: hosts do not point there.
  void write(const CoreAt& at, std::uint32_t to, std::span<const std::uint8_t> bytes) {
    const ChipParts::Place place = monitors_.chip(at.chip).place(to);
    if (place.memory != nullptr) static_cast<void>(place.memory->write(place.at, bytes));
  }
  [[nodiscard]] bool is_there(const CoreAt& at, std::uint32_t begin, std::uint32_t bytes) {
    const ChipParts::Place place = monitors_.chip(at.chip).place(begin);
    return place.memory != nullptr && place.memory->holds(place.at, bytes);
  }
  void system_byte(const CoreAt& at, std::uint32_t offset, std::uint8_t value) {
    static_cast<void>(system_ram(at).write(variables_of(at) + offset, std::span(&value, 1)));
  }
  void write_name(const CoreAt& at, const std::string& name) {
    for (std::uint32_t letter = 0; letter < 16; ++letter)
      system_byte(at, 0x48 + letter, letter < 15 && letter < name.size() ? static_cast<std::uint8_t>(name[letter]) : 0);
    system_byte(at, 0x2C, 0);
  }

  // A log is blocks in a list: the next, two times, bytes in use, bytes.
  [[nodiscard]] std::uint32_t log_bytes(const CoreAt& at) { return system_ram(at).word(address::variables + 0x50); }
  void clear_log(const CoreAt& at) {
    std::uint32_t block = system_ram(at).word(variables_of(at) + 0x58);
    while (block != 0) {
      const std::uint32_t next = word(at, block);
      if (!monitors_.chip(at.chip).sdram_heap.give_back(block))
        break; // a host has written there, or it went with its owner
      block = next;
    }
    system_ram(at).put_word(variables_of(at) + 0x58, 0);
  }
  void log(const CoreAt& at, std::string_view line) {
    const std::string text = host::on_one_line(std::string(line)) + "\n";
    for (std::string_view rest = text; !rest.empty();) {
      const LogPlace place = place_in_log(at);
      if (place.room == 0) {
        ++lost_lines_;
        return;
      }
      const std::string_view piece = rest.substr(0, place.room);
      const std::vector<std::uint8_t> bytes(piece.begin(), piece.end());
      write(at, place.block + 16 + place.used, bytes);
      put_word(at, place.block + 12, place.used + static_cast<std::uint32_t>(bytes.size()));
      rest.remove_prefix(bytes.size());
    }
  }
  struct LogPlace {
    std::uint32_t block = 0, used = 0, room = 0; ///< room 0: there is no memory left
  };
  /// In the last block, or in another behind it.
  [[nodiscard]] LogPlace place_in_log(const CoreAt& at) {
    const std::uint32_t all = log_bytes(at), first = system_ram(at).word(variables_of(at) + 0x58);
    std::uint32_t& last = log_end_[id_of(at)];
    if (first != 0 && last != 0)
      if (const std::uint32_t used = word(at, last + 12); used < all) return {last, used, all - used};
    if (all == 0) return {};
    const std::uint32_t block =
        monitors_.chip(at.chip).sdram_heap.take(loaded_[id_of(at)].application, all + 16, 0, false);
    if (block == 0) return {};
    const std::vector<std::uint8_t> head(16);
    write(at, block, head);
    if (first == 0 || last == 0)
      system_ram(at).put_word(variables_of(at) + 0x58, block);
    else
      put_word(at, last, block);
    last = block;
    return {block, 0, all};
  }
  [[nodiscard]] std::uint32_t word(const CoreAt& at, std::uint32_t from) {
    std::array<std::uint8_t, 4> bytes{};
    static_cast<void>(read(at, from, bytes));
    return protocols::word_at(bytes, 0);
  }
  void put_word(const CoreAt& at, std::uint32_t to, std::uint32_t word) {
    std::array<std::uint8_t, 4> bytes{};
    protocols::put_word(bytes, 0, word);
    write(at, to, bytes);
  }

  Monitors& monitors_;
  const Programs& programs_;
  std::unique_ptr<RunOfCores> run_;
  std::map<std::uint32_t, Loaded> loaded_{}; // by chip and core
  std::vector<CoreAt> devices_{};
  std::map<std::pair<mapping::Chip, std::uint32_t>, std::uint32_t>
      lengths_{};                                      // of regions, by chip and address, in words
  std::map<std::uint32_t, std::uint32_t> log_end_{};   // the last block of a core's log
  std::vector<std::uint8_t> words_{};                  // of a region that is read
  std::vector<std::pair<CoreAt, SentMessage>> sent_{}; // by programs of the system
  Strip strip_{};
  std::map<mapping::Chip, std::uint64_t> known_routers_{}; // versions that all processes have
  Refusal lost_{};
  std::vector<Datagram> to_hosts_{}; // by tags, of all processes
  std::uint64_t launches_ = 0;       // and ends of programs
  std::uint64_t routes_ = 0, shared_routes_ = UINT64_MAX, endless_rounds_ = 0, lost_lines_ = 0;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
