// SPDX-License-Identifier: BSL-1.0
/// \file
/// A graph from its description to its results. The machine is found, the graph is mapped and loaded, runs in as many cycles as its
/// recordings need, and goes on when it is told to.
///
///     execution::Simulation simulation(link, {});
///     const auto image = simulation.add_image("cell", bytes);
///     const auto cell = simulation.add(image, {.name = "cell", .regions = [](const execution::Mapped& of) { ... }});
///     simulation.graph().connect(cell, neighbours);
///     if (auto refusal = simulation.run(1000); !refusal) return std::puts(refusal.sentence().c_str()), 1;
///     simulation.recorded(cell, 0);
///     if (auto refusal = simulation.run(1000); !refusal) ...; // goes on
///
/// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), 6
// host-only
#ifndef NEUROMORPH_EXECUTION_SIMULATION_HPP
#define NEUROMORPH_EXECUTION_SIMULATION_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/anomalies.hpp>
#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/extra_monitors.hpp>
#include <neuromorph/execution/extraction.hpp>
#include <neuromorph/execution/fast_data.hpp>
#include <neuromorph/execution/link.hpp>
#include <neuromorph/execution/loaded_cores.hpp>
#include <neuromorph/execution/loader.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/execution/vertex_data.hpp>
#include <neuromorph/execution/workflow.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/map.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/data_regions.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct SimulationOptions {
  std::uint8_t application = 17; ///< 1 to 254, no other's on this machine, as is the next one, of extra monitors
  std::uint32_t tick_us = 1000;  ///< above 0
  TransceiverOptions transceiver = {};
  DiscoveryOptions discovery = {};
  mapping::MapOptions mapping = {};
  unsigned threads = 1;                   ///< that make the data of vertices; what makes it must bear that
  std::uint64_t most_cycle = 1U << 20;    ///< ticks of a run cycle, however much memory there is
  std::chrono::milliseconds margin{2000}; ///< that a cycle may take longer than its ticks
  std::chrono::milliseconds look{5};      ///< between looks for its end
  bool reads_logs = false; ///< after each cycle, and clears them; lines with the word error or warning are anomalies
  /// Between readings of what was recorded while it runs without an end; 0: it is read when it pauses. It must fill in this time no more than
  /// half of the room of a cycle.
  std::chrono::milliseconds extraction{0};
  /// The image of an extra monitor, which goes to core 1 of each chip and sends packets again that routers have dropped; empty: there is none.
  std::vector<std::uint8_t> extra_monitor = {};
  /// The image of a gatherer, which goes to core 2 of each Ethernet chip: what is loaded, and what was recorded, then goes in streams, from 1 KB
  /// on. It has tag 7 there, and needs extra monitors. Empty: all goes by SCP.
  std::vector<std::uint8_t> gatherer = {};
};
/// Where something is attached to a machine that is not of it.
struct DevicePlace {
  std::string name = {};
  unsigned x = 0, y = 0; ///< of the chip
  mapping::Link link = mapping::Link::west;
};

class Simulation;
/// Is told what a simulation is about to do; it may keep it from it.
class RunObserver {
public:
  virtual ~RunObserver() = default;
  /// All is on the machine, and cores wait for their signal.
  [[nodiscard]] virtual Refusal is_loaded(const Simulation&) { return {}; }
  /// Before each cycle; until it returns the cores wait. What it refuses does not start.
  [[nodiscard]] virtual Refusal may_start() { return {}; }
  virtual void has_started() {}
  virtual void has_paused() {} ///< before what was recorded is read

protected:
  RunObserver() = default;
  RunObserver(const RunObserver&) = default;
  RunObserver& operator=(const RunObserver&) = default;
};

class Simulation {
public:
  /// \param link  outlives this
  explicit Simulation(Link& link, SimulationOptions options = {})
      : options_(std::move(options)), ask_(link, options_.transceiver) {
    add_algorithms();
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] std::size_t add_image(std::string name, std::vector<std::uint8_t> bytes) {
    images_.push_back({std::move(name), std::move(bytes)});
    return images_.size() - 1;
  }
  /// \pre image is one that was added
  mapping::Vertex add(std::size_t image, VertexProgram program) {
    data_.emplace_back(std::move(program));
    mapping::Resources resources = data_.back().program().resources;
    resources.sdram_bytes += static_cast<std::uint32_t>(data_.back().room_for(1)) + VertexData::overhead;
    vertices_.push_back({image}), results_.emplace_back();
    cores_.push_back(graph_.add(resources));
    return cores_.back();
  }
  /// Something that is attached to a link of a chip, as a vertex: it has no program, and sends keys of its own.
  mapping::Vertex add_device(DevicePlace place) {
    data_.emplace_back(VertexProgram{.name = place.name});
    vertices_.push_back({no_image}), results_.emplace_back();
    const mapping::Vertex made = graph_.add({});
    devices_.emplace_back(made, std::move(place));
    return made;
  }
  /// To connect vertices. Its vertices are added by `add` and `add_device`.
  [[nodiscard]] mapping::MachineGraph& graph() noexcept { return graph_; }
  /// Where vertices are to be, which keys they send, and by which tags they speak with hosts. Changes count from the next mapping on.
  [[nodiscard]] mapping::Constraints& constraints() noexcept { return constraints_; }
  [[nodiscard]] const SimulationOptions& options() const noexcept { return options_; }
  [[nodiscard]] const mapping::MachineGraph& graph() const noexcept { return graph_; }
  [[nodiscard]] const std::string& name(mapping::Vertex vertex) const noexcept { return data_[vertex].program().name; }
  /// \param observer  outlives this, or is taken out by nullptr
  void set_observer(RunObserver* observer) noexcept { observer_ = observer, is_told_ = false; }
  /// The algorithms until a run, where one of a user takes the place of another of its name.
  [[nodiscard]] Workflow& workflow() noexcept { return flow_; }
  [[nodiscard]] const Workflow& workflow() const noexcept { return flow_; }

  /// For so many ticks, from where the last run has ended.
  /// \errors parameters_contradict: the graph, or the length of a region that was to be reloaded, has changed, it was closed, or cores have
  ///         failed, and it was not reset; it runs without an end; it would have more than 2^32 - 1 ticks; index_out_of_range,
  ///         lengths_differ: a vertex has more than 29 regions, or not whole words in one; parameter_out_of_range: an option; those of the
  ///         algorithms; rank_failed: cores that have failed or do not end, with what they say
  [[nodiscard]] Refusal run(std::uint64_t ticks) {
    if (ticks > UINT32_MAX - (std::min)(time_, std::uint64_t{UINT32_MAX}))
      return refused("cores count ticks in 32 bits: 4294967295 are the most until it is reset");
    if (Refusal refusal = may_run(); !refusal) return refusal;
    for (std::uint64_t left = ticks; left != 0;) {
      const std::uint64_t now = (std::min)(left, cycle_);
      if (Refusal refusal = run_cycle(now); !refusal) return refusal;
      left -= now;
    }
    return {};
  }
  /// Runs without an end, until `end`; meanwhile the host does what it likes, and lets time pass by `wait`. What is recorded has the room of
  /// one cycle.
  /// \errors as run: parameters_contradict, index_out_of_range, lengths_differ, rank_failed
  [[nodiscard]] Refusal begin() {
    if (Refusal refusal = may_run(); !refusal) return refusal;
    if (Refusal refusal = start_cycle(0, true); !refusal) return refusal;
    is_endless_ = true;
    return {};
  }
  /// Runs until all vertices that say so have called `finish`; then the others are paused. What is recorded has the room of one cycle.
  /// \param most  of time; then all are paused and read, and it may go on
  /// \errors as run: parameters_contradict, also where no vertex finishes, index_out_of_range, lengths_differ, rank_failed: also where some
  ///         have not finished in this time
  [[nodiscard]] Refusal run_until_finished(std::chrono::milliseconds most) {
    std::uint32_t wanted = 0;
    for (const VertexData& one : data_) wanted += one.program().finishes ? 1U : 0U;
    if (wanted == 0) return refused("no vertex says that it finishes, so this would never end");
    if (Refusal refusal = begin(); !refusal) return refusal;
    std::optional<mapping::Vertex> unfinished = 0;
    for (auto waited = std::chrono::milliseconds(0); unfinished && waited < most; waited += options_.look) {
      if (Refusal refusal = wait(options_.look); !refusal) return refusal;
      std::uint32_t there = 0, failed = 0;
      if (Refusal refusal = count_ends(paused, there, failed); !refusal) return refusal;
      if (failed != 0) break; // `end` tells of it
      if (there >= wanted)
        if (Refusal refusal = first_unfinished(unfinished); !refusal) return refusal;
    }
    if (unfinished)
      if (Refusal refusal = first_unfinished(unfinished); !refusal) return refusal;
    if (Refusal refusal = end(); !refusal) return refusal;
    if (!unfinished) return {};
    return {{Error::rank_failed, *unfinished, 0, "vertex"},
            in_words(*unfinished),
            "it has not finished within " + std::to_string(most.count()) + " ms"};
  }
  /// Its regions are made once more before the next run, and those that differ are loaded; no `reset` is needed. A vertex sees it where it
  /// reads its regions, not in what it has copied. A region that would change its length refuses the run, which leaves all as it was.
  /// \pre vertex is one that was added
  void reload(mapping::Vertex vertex) {
    if (is_loaded_) changed_.insert(vertex);
  }
  /// Lets time pass. Where there is an `extraction`, what is recorded meanwhile is read in this time, too.
  /// \errors those of Transceiver::finish, or rank_failed: a core does not give what it has recorded
  Refusal wait(std::chrono::milliseconds time) {
    while (is_endless_ && options_.extraction.count() != 0 && time >= until_extraction_) {
      ask_.link().pass_time(until_extraction_);
      time -= std::exchange(until_extraction_, options_.extraction);
      if (Refusal refusal = extract_running(); !refusal) return extraction_failed(std::move(refusal));
    }
    until_extraction_ -= (std::min)(time, until_extraction_);
    ask_.link().pass_time(time);
    return {};
  }
  /// Pauses it, and reads what it has; `run` and `begin` go on from there.
  /// \errors parameters_contradict: it was not begun; as run
  [[nodiscard]] Refusal end() {
    if (!std::exchange(is_endless_, false)) return refused("there is no run to end: it was not begun without an end");
    if (Refusal refusal = signal(protocols::Signal::pause); !refusal) return refusal;
    if (Refusal refusal = wait_for(paused, std::chrono::milliseconds(0), "pause"); !refusal)
      return failed(std::move(refusal));
    // Those that have not finished before have done the same ticks where the signal comes between two of them; if not, the most count.
    std::array<std::uint8_t, 4> word{};
    std::uint64_t most = time_;
    for (const mapping::Vertex one : cores_)
      ask_.ask_by(
          port(blocks_[one], control_port),
          [&](std::uint16_t sequence) {
            return protocols::RunControl{.what = protocols::RunControl::What::get_time}.request(sequence, word);
          },
          [&most](const protocols::ScpReply& reply) { most = (std::max)(most, std::uint64_t{reply.argument(0)}); });
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    ++cycles_, time_ = most;
    return read_results();
  }
  /// Back to before the first tick: results are forgotten, and the next run loads all anew.
  [[nodiscard]] Refusal reset() {
    Refusal stopped = is_loaded_ ? stop() : Refusal{};
    is_loaded_ = false, has_failed_ = false, is_closed_ = false, is_endless_ = false, time_ = 0, next_sync_ = 0,
    cycles_ = 0, blocks_.clear();
    for (const char* one : {"mapping", "data blocks", "loaded tables", "loaded tags", "loaded data", "loaded images",
                            "extra monitors", "waiting cores"})
      values_.forget(one);
    for (Vertex& one : vertices_) one.log.clear();
    for (Results& one : results_) one = {};
    anomalies_.forget();
    return stopped;
  }
  /// Stops all of it and gives back what it has on the machine. Results stay; before another run it is reset.
  [[nodiscard]] Refusal close() {
    const bool was_loaded = std::exchange(is_loaded_, false);
    is_closed_ = is_closed_ || was_loaded, is_endless_ = false;
    return was_loaded ? stop() : Refusal{};
  }

  [[nodiscard]] std::span<const std::uint8_t> recorded(mapping::Vertex vertex, std::size_t channel) const noexcept {
    const Results& of = results_[vertex];
    return channel < of.recorded.size() ? std::span<const std::uint8_t>(of.recorded[channel])
                                        : std::span<const std::uint8_t>{};
  }
  /// Whether some of what it has recorded found no room.
  [[nodiscard]] bool is_missing(mapping::Vertex vertex) const noexcept { return results_[vertex].is_missing; }
  /// At the end of the last cycle.
  [[nodiscard]] const CoreProvenance& provenance(mapping::Vertex vertex) const noexcept {
    return results_[vertex].provenance;
  }
  [[nodiscard]] const std::string& log(mapping::Vertex vertex) const noexcept { return vertices_[vertex].log; }
  /// What is not as it should be, a line each, since the last reset: packets that were lost, ticks that were late, words that found no room.
  [[nodiscard]] const std::vector<std::string>& anomalies() const noexcept { return anomalies_.lines(); }
  /// What extra monitors have counted until the end of the last cycle; [chip], or empty where there are none.
  [[nodiscard]] const std::vector<protocols::ReinjectionStatus>& reinjection() const noexcept { return reinjection_; }
  [[nodiscard]] std::uint64_t time() const noexcept { return time_; }
  [[nodiscard]] std::uint64_t cycles() const noexcept { return cycles_; }          ///< that were run since the start
  [[nodiscard]] std::uint64_t ticks_of_a_cycle() const noexcept { return cycle_; } ///< 0 before it is loaded
  /// Of streams since it was loaded; nothing where there are none.
  [[nodiscard]] FastData::Counts streams() const noexcept { return fast_ ? fast_->counts() : FastData::Counts{}; }
  [[nodiscard]] const Transceiver::Counts& counts() const noexcept { return ask_.counts(); }
  /// \pre it has run
  [[nodiscard]] const Found& found() const noexcept { return *found_; }
  [[nodiscard]] const mapping::Mapping& mapping() const noexcept { return *mapping_; }

private:
  struct Image {
    std::string name;
    std::vector<std::uint8_t> bytes;
  };
  struct Vertex {
    std::size_t image;
    std::string log{};
  };
  void add_algorithms() {
    flow_.add({.name = "machine discovery",
               .phase = "machine discovery",
               .needs = {},
               .makes = {"machine"},
               .run = [this](Values& values) {
                 auto found = discover(ask_, options_.discovery);
                 if (!found) return found.refusal();
                 found_.emplace(std::move(found).value());
                 if (Refusal refusal = attach_devices(); !refusal) return refusal;
                 reserve_system_cores();
                 values.set("machine", found_->machine);
                 return Refusal{};
               }});
    flow_.add({.name = "mapping",
               .phase = "mapping",
               .needs = {"machine"},
               .makes = {"mapping"},
               .run = [this](Values& values) {
                 mapping::MapOptions options = options_.mapping;
                 if (!options_.gatherer.empty()) options.tags.reserved += 1;
                 auto mapped = mapping::map(graph_, found_->machine, constraints_, options);
                 if (!mapped) return mapped.refusal();
                 values.set("mapping", std::move(mapped).value());
                 return Refusal{};
               }});
    flow_.add({.name = "data generation",
               .phase = "data generation",
               .needs = {"mapping"},
               .makes = {"data blocks"},
               .run = [this](Values& values) { return generate(values); }});
    flow_.add({.name = "loading of tables",
               .phase = "loading",
               .needs = {"mapping"},
               .makes = {"loaded tables"},
               .run = [this](Values& values) {
                 values.set_token("loaded tables");
                 return Loader(ask_, *found_, options_.application).tables(mapping_of(values)->tables);
               }});
    flow_.add({.name = "loading of tags",
               .phase = "loading",
               .needs = {"mapping"},
               .makes = {"loaded tags"},
               .run = [this](Values& values) {
                 values.set_token("loaded tags");
                 return Loader(ask_, *found_, options_.application).tags(mapping_of(values)->tags);
               }});
    flow_.add({.name = "loading of data",
               .phase = "loading",
               .needs = {"data blocks", "loaded tables", "extra monitors"},
               .makes = {"loaded data"},
               .run = [this](Values& values) {
                 values.set_token("loaded data");
                 return load_data();
               }});
    flow_.add({.name = "loading of images",
               .phase = "loading",
               .needs = {"loaded data", "loaded tags"},
               .makes = {"loaded images"},
               .run = [this](Values& values) {
                 values.set_token("loaded images");
                 return load_images();
               }});
    flow_.add({.name = "loading of extra monitors",
               .phase = "loading",
               .needs = {"mapping"},
               .makes = {"extra monitors"},
               .run = [this](Values& values) {
                 values.set_token("extra monitors");
                 if (Refusal refusal = load_system(); !refusal) return refusal;
                 if (options_.extra_monitor.empty()) return Refusal{};
                 if (Refusal refusal = extra_monitors().reinject(); !refusal) return refusal;
                 return extra_monitors().read(reinjection_);
               }});
    flow_.add({.name = "start of cores",
               .phase = "loading",
               .needs = {"loaded images"},
               .makes = {"waiting cores"},
               .run = [this](Values& values) {
                 values.set_token("waiting cores");
                 return wait_for(8, std::chrono::milliseconds(0), "wait for its signal");
               }});
  }
  /// To the machine that was found, as virtual chips.
  [[nodiscard]] Refusal attach_devices() {
    if (!devices_.empty()) constraints_.devices.clear();
    for (const auto& [vertex, place] : devices_) {
      const bool is_there = place.x < found_->machine.width() && place.y < found_->machine.height();
      const mapping::Chip chip = is_there ? found_->machine.chip_at(place.x, place.y) : mapping::no_chip;
      auto made = is_there ? found_->machine.add_device(chip, place.link, place.name)
                           : Answer<mapping::Chip>(Refusal{{Error::index_out_of_range, vertex, place.x, "chip"},
                                                           "device " + place.name,
                                                           "the machine has no chip (" + std::to_string(place.x) +
                                                               ", " + std::to_string(place.y) + ")"});
      if (!made) return made.refusal();
      constraints_.devices.push_back({.vertex = vertex, .chip = made.value()});
    }
    return {};
  }
  /// Extra monitors have a core of each chip, gatherers another one of each Ethernet chip.
  void reserve_system_cores() {
    auto& reserved = constraints_.reserved_cores;
    const auto reserve = [&reserved](mapping::Chip chip, std::uint8_t core) {
      if (std::none_of(reserved.begin(), reserved.end(),
                       [&](const mapping::ReservedCore& one) { return one.chip == chip && one.core == core; }))
        reserved.push_back({chip, core});
    };
    if (!options_.extra_monitor.empty()) reserve(mapping::no_chip, ExtraMonitors::core);
    if (!options_.gatherer.empty())
      for (const mapping::Chip one : found_->ethernets) reserve(one, FastData::core);
  }
  [[nodiscard]] Refusal load_system() {
    reinjection_.clear(), fast_.reset();
    if (options_.gatherer.empty())
      return options_.extra_monitor.empty() ? Refusal{} : extra_monitors().load(options_.extra_monitor);
    if (options_.extra_monitor.empty())
      return {{Error::parameters_contradict, 0, 0, "gatherer"},
              "the options of a simulation",
              "they have a gatherer, which gathers from extra monitors, and no extra monitor"};
    fast_.emplace(ask_, *found_, system_application());
    return fast_->load(options_.extra_monitor, options_.gatherer);
  }
  [[nodiscard]] std::uint8_t system_application() const noexcept {
    return static_cast<std::uint8_t>(options_.application + 1);
  }
  [[nodiscard]] static mapping::Mapping* mapping_of(Values& values) { return values.get<mapping::Mapping>("mapping"); }

  [[nodiscard]] Refusal prepare() {
    if (options_.application == 0 || options_.application == 255)
      return out_of_range("application", options_.application, "1 to 254");
    if (options_.tick_us == 0) return out_of_range("tick_us", 0, "above 0");
    flow_.forget_times();
    if (Refusal refusal = flow_.run(values_, {"waiting cores"}); !refusal) {
      static_cast<void>(stop().ok()); // as far as it had come
      for (const char* one :
           {"data blocks", "loaded tables", "loaded tags", "loaded data", "loaded images", "extra monitors"})
        values_.forget(one);
      return refusal;
    }
    std::vector<std::uint32_t> dropped; // before, of whatever ran there
    if (Refusal refusal = count_drops(dropped); !refusal) return refusal;
    is_loaded_ = true, loaded_digest_ = graph_.digest();
    changed_.clear(); // all of it has just been made
    is_told_ = false;
    return tell_observer();
  }
  [[nodiscard]] Refusal tell_observer() {
    if (observer_ == nullptr || is_told_) return {};
    Refusal refusal = observer_->is_loaded(*this);
    is_told_ = refusal.ok();
    return refusal;
  }

  [[nodiscard]] Mapped mapped() const noexcept { return {graph_, found_->machine, *mapping_}; }
  /// A refusal of a vertex's data, with its name.
  [[nodiscard]] Refusal named(Refusal refusal, mapping::Vertex vertex) const {
    refusal.of = in_words(vertex), refusal.status.where = vertex;
    return refusal;
  }
  /// Buffers of the next cycle; nothing is written before all are made.
  [[nodiscard]] Refusal load_buffers(std::uint64_t ticks) {
    std::vector<std::pair<mapping::Vertex, std::size_t>> changed; // and how many bytes of it
    const bool are_known = std::exchange(are_buffers_known_, false);
    for (const mapping::Vertex vertex : cores_) {
      VertexData& data = data_[vertex];
      if (!data.program().buffer) continue;
      const auto is = data.region(data.regions());
      const std::vector<std::uint8_t> before(is.begin(), is.end());
      if (Refusal refusal = data.make_buffer(mapped(), time_, ticks); !refusal)
        return named(std::move(refusal), vertex);
      const auto same_end = std::mismatch(before.rbegin(), before.rend(), data.bytes().rbegin()).first.base();
      const auto bytes = static_cast<std::size_t>(same_end - before.begin());
      changed.emplace_back(vertex, are_known ? (bytes + 3) / 4 * 4 : before.size());
    }
    for (const auto& [vertex, bytes] : changed)
      if (bytes != 0)
        write_region(vertex, data_[vertex].regions(), data_[vertex].region(data_[vertex].regions()), bytes);
    Refusal refusal = finish();
    are_buffers_known_ = refusal.ok();
    return refusal;
  }
  /// \param bytes  all of it
  /// \param count  bytes that are not on the machine
  void write_region(mapping::Vertex vertex, std::size_t region, std::span<const std::uint8_t> bytes,
                    std::size_t count) {
    const CoreBlock& block = blocks_[vertex];
    const std::uint32_t address = block.address + data_[vertex].region_begin(region);
    write(block, address, bytes.first(count));
    // A length that is in the table again says that the region is to be read again.
    std::array<std::uint8_t, protocols::DataRegion::bytes> entry{};
    VertexData::entry_of(address, bytes).write(entry);
    ask_.write(x(block), y(block),
               block.address +
                   static_cast<std::uint32_t>(protocols::DataRegionTable::entry_at(VertexData::first_region + region)),
               entry);
  }
  /// Nothing is written before all are known to fit.
  [[nodiscard]] Refusal load_changed() {
    struct Change {
      mapping::Vertex vertex;
      std::size_t region;
      std::vector<std::uint8_t> bytes;
    };
    std::vector<Change> changes;
    for (const mapping::Vertex vertex : changed_) {
      const VertexData& data = data_[vertex];
      auto made = data.make_regions(mapped());
      if (!made) return named(made.refusal(), vertex);
      if (made.value().size() != data.regions())
        return {{Error::parameters_contradict, vertex, made.value().size(), "regions"},
                in_words(vertex),
                "it has " + std::to_string(made.value().size()) + " regions, and " + std::to_string(data.regions()) +
                    " when it was loaded: reset comes before it runs again"};
      for (std::size_t at = 0; at < data.regions(); ++at) {
        auto& bytes = made.value()[at];
        if (bytes.size() != data.region_bytes(at))
          return {{Error::parameters_contradict, vertex, bytes.size(), "bytes"},
                  in_words(vertex),
                  "its region " + std::to_string(at) + " has " + std::to_string(bytes.size()) + " bytes, and " +
                      std::to_string(data.region_bytes(at)) + " when it was loaded: reset comes before it runs again"};
        if (!data.has(at, bytes)) changes.push_back({vertex, at, std::move(bytes)});
      }
    }
    for (const Change& one : changes) write_region(one.vertex, one.region, one.bytes, one.bytes.size());
    if (Refusal refusal = finish(); !refusal) return refusal; // the next run writes all of it again
    for (const Change& one : changes) data_[one.vertex].set_region(one.region, one.bytes);
    changed_.clear();
    return {};
  }

  [[nodiscard]] Refusal generate(Values& values) {
    mapping::Mapping* const made = mapping_of(values);
    if (made == nullptr || made->placements.chip.size() != vertices_.size())
      return {{Error::unmappable, 0, 0, "mapping"}, "", "what was made as 'mapping' is no mapping of this graph"};
    mapping_ = *made;
    blocks_.assign(vertices_.size(), {});
    for (const mapping::Vertex vertex : cores_)
      blocks_[vertex].at = {mapping_->placements.chip[vertex], mapping_->placements.core[vertex]};
    // By parts that many threads share, of which the first that refuses counts.
    const std::size_t parts = (std::min)(cores_.size(), std::size_t{16} * (std::max)(1U, options_.threads));
    std::vector<Refusal> refusals(parts);
    host::in_parallel(options_.threads, parts, [&](std::size_t part, unsigned) {
      for (std::size_t at = cores_.size() * part / parts; at < cores_.size() * (part + 1) / parts; ++at)
        if (Refusal refusal = data_[cores_[at]].make(mapped(), options_.tick_us, control_port); !refusal) {
          refusals[part] = named(std::move(refusal), cores_[at]);
          return;
        }
    });
    for (const Refusal& one : refusals)
      if (!one.ok()) return one;
    std::pair<mapping::Vertex, std::uint64_t> tight{};
    cycle_ = cycle_of(data_, mapping_->placements.chip, found_->machine, options_.most_cycle, tight);
    if (cycle_ == 0)
      return {{Error::unmappable, tight.first, tight.second, "bytes"},
              in_words(tight.first),
              "the " + std::to_string(tight.second) +
                  " bytes of memory that it has for recordings are not enough for a tick"};
    for (const mapping::Vertex vertex : cores_) {
      if (Refusal refusal = data_[vertex].make_room(mapped(), cycle_); !refusal)
        return named(std::move(refusal), vertex);
      blocks_[vertex].bytes = static_cast<std::uint32_t>(data_[vertex].size(cycle_));
    }
    values.set_token("data blocks");
    return {};
  }

  [[nodiscard]] Refusal load_data() {
    Loader loader(ask_, *found_, options_.application);
    if (Refusal refusal = loader.allocate(blocks_); !refusal) return refusal;
    constexpr std::size_t most = std::size_t{64} << 20; // that wait at once
    std::size_t waiting = 0;
    for (auto begin = cores_.begin(), end = begin; begin != cores_.end(); begin = end, waiting = 0) {
      for (; end != cores_.end() && waiting < most; ++end) {
        VertexData& data = data_[*end];
        data.finish(blocks_[*end].address, cycle_);
        write(blocks_[*end], blocks_[*end].address, data.bytes()), loader.point_to(blocks_[*end]);
        waiting += data.bytes().size();
      }
      if (Refusal refusal = finish(); !refusal) return refusal;
      for (; begin != end; ++begin) data_[*begin].forget();
    }
    return {};
  }
  /// In streams where there are any, or by SCP; bytes live until `finish`.
  void write(const CoreBlock& block, std::uint32_t address, std::span<const std::uint8_t> bytes) {
    if (fast_)
      fast_->write(block.at.chip, address, bytes);
    else
      ask_.write(x(block), y(block), address, bytes);
  }
  [[nodiscard]] Refusal finish() { return fast_ ? fast_->finish() : ask_.finish(); }
  [[nodiscard]] Refusal load_images() {
    std::vector<std::map<mapping::Chip, std::uint32_t>> cores(images_.size());
    for (const mapping::Vertex vertex : cores_)
      cores[vertices_[vertex].image][blocks_[vertex].at.chip] |= 1U << blocks_[vertex].at.core;
    Loader loader(ask_, *found_, options_.application);
    for (std::size_t image = 0; image < images_.size(); ++image)
      if (!cores[image].empty())
        if (Refusal refusal = loader.image(images_[image].bytes, cores[image]); !refusal) return refusal;
    return {};
  }

  // --- runs --------------------------------------------------------------------------------------------------------

  /// Whether it may, once it is loaded.
  [[nodiscard]] Refusal may_run() {
    if (is_endless_) return refused("it runs without an end: `end` comes before it runs again");
    if (is_loaded_ && graph_.digest() != loaded_digest_)
      return refused("the graph has changed since it was loaded: reset comes before it runs again");
    if (has_failed_) return refused("cores have failed in the last run: reset comes before it runs again");
    if (is_closed_) return refused("it was closed: reset comes before it runs again");
    if (!is_loaded_) return prepare();
    if (Refusal refusal = load_changed(); !refusal) return refusal;
    return tell_observer(); // who has refused before
  }
  [[nodiscard]] static Refusal out_of_range(const char* option, std::uint32_t is, const std::string& range) {
    return {{Error::parameter_out_of_range, 0, is, option},
            "the options of a simulation",
            std::string(option) + " is " + range + ", not " + std::to_string(is)};
  }
  [[nodiscard]] static Refusal refused(const char* why) {
    return {{Error::parameters_contradict, 0, 0, "run"}, "", why};
  }
  [[nodiscard]] Refusal failed(Refusal why) {
    has_failed_ = true;
    return why;
  }
  [[nodiscard]] Refusal start_cycle(std::uint64_t ticks, bool is_endless) {
    using protocols::RunControl;
    if (observer_ != nullptr)
      if (Refusal refusal = observer_->may_start(); !refusal) return refusal;
    if (Refusal refusal = load_buffers(is_endless ? cycle_ : ticks); !refusal) return refusal;
    std::array<std::uint8_t, 4> word{};
    const RunControl run{.what = RunControl::What::run_for,
                         .time = static_cast<std::uint32_t>(time_ + ticks),
                         .is_endless = is_endless,
                         .from = static_cast<std::uint32_t>(time_)};
    for (const mapping::Vertex one : cores_)
      ask_.ask_by(port(blocks_[one], control_port),
                  [&](std::uint16_t sequence) { return run.request(sequence, word); });
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    if (is_endless && options_.extraction.count() != 0) {
      swaps_ = 0, until_extraction_ = options_.extraction;
      if (Refusal refusal = extract_running(); !refusal) return refusal; // which makes halves of the room
    }
    ask_.link().set_tick(std::chrono::microseconds(options_.tick_us));
    const auto sync = next_sync_ == 0 ? protocols::Signal::sync0 : protocols::Signal::sync1;
    next_sync_ ^= 1U;
    if (Refusal refusal = signal(sync); !refusal) return refusal;
    if (observer_ != nullptr) observer_->has_started();
    return {};
  }
  [[nodiscard]] Refusal run_cycle(std::uint64_t ticks) {
    if (Refusal refusal = start_cycle(ticks, false); !refusal) return refusal;
    const auto takes = std::chrono::microseconds(ticks * options_.tick_us);
    if (Refusal refusal = wait_for(paused, std::chrono::duration_cast<std::chrono::milliseconds>(takes), "end its run");
        !refusal)
      return failed(std::move(refusal));
    ++cycles_, time_ += ticks;
    return read_results();
  }
  /// Until all cores are in a state; what fails is told with what it says.
  [[nodiscard]] Refusal wait_for(std::uint8_t state, std::chrono::milliseconds takes, const char* to_do) {
    ask_.link().pass_time(takes);
    for (auto waited = std::chrono::milliseconds(0);; waited += options_.look) {
      std::uint32_t there = 0, failed = 0;
      if (Refusal refusal = count_ends(state, there, failed); !refusal) return refusal;
      if (there == cores_.size()) return {};
      if (failed != 0 || waited >= options_.margin) return failure(state, to_do);
      ask_.link().pass_time(options_.look);
    }
  }
  /// How many are in a state, and how many have failed.
  [[nodiscard]] Refusal count_ends(std::uint8_t state, std::uint32_t& there, std::uint32_t& failed) {
    using machine::CoreState;
    for (const std::uint8_t one : {state, std::uint8_t(CoreState::run_time_error), std::uint8_t(CoreState::watchdog)})
      if (Refusal refusal = count(one, one == state ? there : failed); !refusal) return refusal;
    return {};
  }
  /// Adds how many cores of the application are in a state.
  [[nodiscard]] Refusal count(std::uint8_t state, std::uint32_t& sum) {
    const auto add = [&sum](const protocols::ScpReply& reply) { sum += reply.argument(0); };
    if (found_->counts_by_board)
      for (const mapping::Chip one : found_->ethernets)
        ask_.ask(monitor(one), protocols::CountCores{options_.application, state}, add);
    else
      ask_.ask(monitor(found_->ethernets[0]),
               protocols::CountSignal{.state = state, .application = options_.application}, add);
    return ask_.finish();
  }
  [[nodiscard]] Refusal signal(protocols::Signal what) { return signal(what, options_.application); }
  [[nodiscard]] Refusal signal(protocols::Signal what, std::uint8_t application) {
    ask_.ask(monitor(found_->ethernets[0]), protocols::MulticastSignal{.signal = what, .application = application});
    return ask_.finish();
  }
  [[nodiscard]] Refusal stop() {
    if (!found_) return {};
    if (Refusal refusal = signal(protocols::Signal::stop); !refusal || !mapping_) return refusal;
    if (!reinjection_.empty())
      if (Refusal refusal = extra_monitors().stop(); !refusal) return refusal;
    if (!options_.extra_monitor.empty())
      if (Refusal refusal = signal(protocols::Signal::stop, system_application()); !refusal) return refusal;
    if (fast_)
      if (Refusal refusal = fast_->stop(); !refusal) return refusal;
    return Loader(ask_, *found_, options_.application).clear_tags(mapping_->tags);
  }

  /// The first of those that finish which runs yet, if one does.
  [[nodiscard]] Refusal first_unfinished(std::optional<mapping::Vertex>& is) {
    std::vector<CoreVariables> variables;
    if (Refusal refusal = on_machine().read_variables(cores_, variables); !refusal) return refusal;
    is.reset();
    for (const mapping::Vertex vertex : cores_)
      if (!is && data_[vertex].program().finishes && variables[vertex].state() != machine::CoreState::paused)
        is = vertex;
    return {};
  }
  /// Of cores that are not in a state: the first of them, its registers and its log; those that still run are paused.
  [[nodiscard]] Refusal failure(std::uint8_t wanted, const char* to_do) {
    std::vector<CoreVariables> variables;
    if (Refusal refusal = on_machine().read_variables(cores_, variables); !refusal) return refusal;
    std::string why;
    std::size_t others = 0, first = blocks_.size();
    for (const mapping::Vertex at : cores_) {
      const machine::CoreState state = variables[at].state();
      if (std::uint8_t(state) == wanted || (first != blocks_.size() && ++others != 0)) continue;
      first = at;
      why = in_words(static_cast<mapping::Vertex>(at)) + " does not " + to_do + ": " + machine::name(state);
      if (const std::uint32_t code = variables[at].code(); code != 0) why += ", code " + std::to_string(code);
    }
    if (first == blocks_.size()) return {};                   // they have come to it meanwhile
    static_cast<void>(signal(protocols::Signal::pause).ok()); // who is alive stores what it has
    static_cast<void>(read_results().ok());
    const mapping::Vertex of[] = {static_cast<mapping::Vertex>(first)};
    std::vector<std::string> texts;
    if (append_logs(of, texts).ok() && !vertices_[first].log.empty())
      why += "; its log ends with '" + last_line(vertices_[first].log) + "'";
    if (others != 0) why += "; so do not " + std::to_string(others) + " more";
    return {{Error::rank_failed, static_cast<std::uint32_t>(first), 0, "core"}, "", why};
  }
  /// What cores have recorded since the last time, while they go on.
  [[nodiscard]] Refusal extract_running() { return extraction().while_running(++swaps_, results_, anomalies_); }
  /// A core that has failed does not answer: it is told by what it says.
  [[nodiscard]] Refusal extraction_failed(Refusal why) {
    is_endless_ = false;
    static_cast<void>(signal(protocols::Signal::pause).ok());
    ask_.link().pass_time(options_.look);
    if (Refusal told = failure(paused, "give what it has recorded"); !told) return failed(std::move(told));
    return failed(std::move(why));
  }
  [[nodiscard]] Refusal read_results() {
    if (observer_ != nullptr) observer_->has_paused();
    std::vector<std::uint32_t> dropped;
    if (Refusal refusal = count_drops(dropped); !refusal) return refusal;
    for (mapping::Chip chip = 0; reinjection_.empty() && chip < dropped.size(); ++chip)
      anomalies_.dropped(found_->machine.name(chip), dropped[chip]);
    if (Refusal refusal = extraction().after_cycle(results_, anomalies_); !refusal) return refusal;
    if (Refusal refusal = look_at_drops(); !refusal) return refusal;
    if (Refusal refusal = tell_late(); !refusal) return refusal;
    return options_.reads_logs ? read_logs() : Refusal{};
  }
  [[nodiscard]] ExtraMonitors extra_monitors() noexcept { return {ask_, *found_, system_application()}; }
  /// Packets that were dropped and are lost for all that extra monitors do.
  [[nodiscard]] Refusal look_at_drops() {
    if (reinjection_.empty()) return {};
    const std::vector<protocols::ReinjectionStatus> before = reinjection_;
    if (Refusal refusal = extra_monitors().read(reinjection_); !refusal) return refusal;
    for (mapping::Chip chip = 0; chip < before.size(); ++chip)
      anomalies_.reinjection(found_->machine.name(chip), before[chip], reinjection_[chip]);
    return {};
  }
  /// Packets that came after the next tick of their target had begun, by the edges that they took.
  [[nodiscard]] Refusal tell_late() {
    const auto late = ask_.link().late();
    if (!late) return late.refusal();
    for (const machine::LatePackets& one : late.value()) {
      std::string from = "nobody knows whom", to = "nobody";
      for (mapping::Partition partition = 0; partition < graph_.partitions(); ++partition)
        if (mapping_->keys_of(partition).matches(one.key)) from = in_words(graph_.source(partition));
      for (mapping::Vertex vertex = 0; vertex < blocks_.size(); ++vertex)
        if (blocks_[vertex].at == one.to) to = in_words(vertex);
      anomalies_.late(from, to, one.count, one.most_ticks);
    }
    return {};
  }
  /// Multicast packets that routers have dropped since the last time.
  /// \param more  [chip]
  [[nodiscard]] Refusal count_drops(std::vector<std::uint32_t>& more) {
    const auto chips = found_->machine.grid_chips();
    std::vector<std::array<std::uint8_t, 4>> now(chips);
    for (mapping::Chip chip = 0; chip < chips; ++chip)
      if (!mapping_->tables[chip].empty())
        ask_.read(found_->machine.x(chip), found_->machine.y(chip), 0xE1000300 + 4 * 8, now[chip]);
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    dropped_.resize(chips), more.resize(chips);
    for (mapping::Chip chip = 0; chip < chips; ++chip) {
      const std::uint32_t word = protocols::word_at(now[chip], 0);
      more[chip] = word - std::exchange(dropped_[chip], word);
    }
    return {};
  }
  /// Appends what cores have logged since the last time, and has them forget it.
  [[nodiscard]] Refusal read_logs() {
    std::vector<std::string> texts;
    if (Refusal refusal = append_logs(cores_, texts); !refusal) return refusal;
    std::array<std::uint8_t, 4> word{};
    for (std::size_t at = 0; at < cores_.size(); ++at) {
      if (texts[at].empty()) continue;
      ask_.ask_by(port(blocks_[cores_[at]], control_port), [&](std::uint16_t sequence) {
        return protocols::RunControl{.what = protocols::RunControl::What::clear_log}.request(sequence, word);
      });
      anomalies_.log(in_words(cores_[at]), texts[at]);
    }
    return ask_.finish();
  }
  /// \param texts  [of]
  [[nodiscard]] Refusal append_logs(std::span<const mapping::Vertex> of, std::vector<std::string>& texts) {
    if (Refusal refusal = on_machine().read_logs(of, texts); !refusal) return refusal;
    for (std::size_t at = 0; at < of.size(); ++at) vertices_[of[at]].log += texts[at];
    return {};
  }

  [[nodiscard]] Extraction extraction() {
    return {ask_, fast_ ? &*fast_ : nullptr, *found_, cores_, blocks_, data_, [this](mapping::Vertex vertex) {
              return in_words(vertex);
            }};
  }
  [[nodiscard]] LoadedCores on_machine() noexcept { return {ask_, *found_, blocks_}; }
  [[nodiscard]] unsigned x(const CoreBlock& of) const noexcept { return found_->machine.x(of.at.chip); }
  [[nodiscard]] unsigned y(const CoreBlock& of) const noexcept { return found_->machine.y(of.at.chip); }
  [[nodiscard]] protocols::SdpEnd monitor(mapping::Chip chip) const noexcept {
    return Transceiver::monitor_of(found_->machine.x(chip), found_->machine.y(chip));
  }
  [[nodiscard]] protocols::SdpEnd port(const CoreBlock& of, unsigned port) const noexcept {
    return {static_cast<std::uint8_t>(x(of)), static_cast<std::uint8_t>(y(of)), static_cast<std::uint8_t>(port),
            of.at.core};
  }
  /// "vertex 7, cell, on core 3 of chip 1, 0".
  [[nodiscard]] std::string in_words(mapping::Vertex vertex) const {
    const std::string& name = data_[vertex].program().name;
    std::string made = "vertex " + std::to_string(vertex) + (name.empty() ? "" : ", " + name);
    if (vertex < blocks_.size() && blocks_[vertex].at.chip != mapping::no_chip && vertices_[vertex].image != no_image)
      made += ", on core " + std::to_string(blocks_[vertex].at.core) + " of " +
              found_->machine.name(blocks_[vertex].at.chip);
    return made;
  }

  static constexpr unsigned control_port = 3;
  static constexpr std::size_t no_image = SIZE_MAX; // of a device
  static constexpr std::uint8_t paused = std::uint8_t(machine::CoreState::paused);
  SimulationOptions options_;
  Transceiver ask_;
  Workflow flow_{};
  Values values_{};
  mapping::MachineGraph graph_{};
  mapping::Constraints constraints_{};
  std::vector<Image> images_{};
  std::vector<Vertex> vertices_{};
  std::vector<Results> results_{}; // [vertex]
  std::optional<Found> found_{};
  std::optional<FastData> fast_{};
  std::optional<mapping::Mapping> mapping_{};
  std::vector<VertexData> data_{};                                 // [vertex]
  std::vector<mapping::Vertex> cores_{};                           // vertices that are programs
  std::vector<std::pair<mapping::Vertex, DevicePlace>> devices_{}; // and those that are not
  std::vector<CoreBlock> blocks_{};                                // [vertex]
  std::vector<std::uint32_t> dropped_{};                           // [chip], as was read last
  std::vector<protocols::ReinjectionStatus> reinjection_{};        // [chip], likewise
  std::set<mapping::Vertex> changed_{};                            // to be loaded anew
  Anomalies anomalies_{};
  std::uint64_t cycle_ = 0, time_ = 0, cycles_ = 0, loaded_digest_ = 0;
  std::uint32_t swaps_ = 0;                       // of recordings in this run
  std::chrono::milliseconds until_extraction_{0}; // the next
  unsigned next_sync_ = 0;
  RunObserver* observer_ = nullptr;
  bool is_loaded_ = false, has_failed_ = false, is_closed_ = false, is_endless_ = false, is_told_ = false,
       are_buffers_known_ = false;
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
