// SPDX-License-Identifier: BSL-1.0
/// \file
/// Memory of a machine in streams: a gatherer at each Ethernet chip hands words on to the extra monitors of its board, and theirs to the host.
///
///     execution::FastData fast(ask, found, application);
///     fast.load(extra_monitor_image, gatherer_image);
///     fast.write(chip, 0x60000000, bytes), fast.read(chip, 0x60001000, to); // any number, one board beside the other
///     if (const auto refusal = fast.finish(); !refusal) std::puts(refusal.sentence().c_str());
///
/// What is lost on the net is asked for again. Words that get lost on the machine make a stream out short, which then begins anew. Of a stream
/// in nobody notices it but the core whose data it is, by their checksum.
/// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), 8; SpiNNFrontEndCommon: data_speed_up_packet_gatherer.c
// host-only
#ifndef NEUROMORPH_EXECUTION_FAST_DATA_HPP
#define NEUROMORPH_EXECUTION_FAST_DATA_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/extra_monitors.hpp>
#include <neuromorph/execution/loader.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/fixed_routes.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/data_regions.hpp>
#include <neuromorph/protocols/fast_data.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

class FastData {
public:
  static constexpr std::uint8_t core = 2;    ///< of the gatherer, on Ethernet chips, by virtual number
  static constexpr std::uint8_t tag = 7;     ///< of these chips
  static constexpr std::size_t least = 1024; ///< bytes; what is shorter goes by SCP
  /// What has gone in streams, and what of it went wrong.
  struct Counts {
    std::uint64_t streams = 0, bytes_in = 0, bytes_out = 0;
    std::uint64_t packets_again = 0; ///< that were missing
    std::uint64_t asked_again = 0;   ///< as nothing came
    std::uint64_t begun_again = 0;   ///< streams out that came short, or without an end
  };

  /// \param ask, found   outlive this
  /// \param application  that of the extra monitors
  FastData(Transceiver& ask, const Found& found, std::uint8_t application)
      : ask_(ask), found_(found), application_(application), lanes_(found.ethernets.size()),
        transactions_(found.machine.grid_chips()) {}
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

  /// Routes and tags, extra monitors on all chips, and gatherers.
  /// \errors unmappable: a chip has no way to or from an Ethernet chip, or no room; those of Loader::image
  [[nodiscard]] Refusal load(std::span<const std::uint8_t> extra_monitor, std::span<const std::uint8_t> gatherer) {
    auto fixed = mapping::fixed_routes(found_.machine, {.core = core});
    if (!fixed) return fixed.refusal();
    lane_of_.assign(found_.machine.grid_chips(), 0);
    each([&](mapping::Chip chip) {
      const auto at = std::find(found_.ethernets.begin(), found_.ethernets.end(), fixed.value().ethernet[chip]);
      lane_of_[chip] = static_cast<std::size_t>(at - found_.ethernets.begin());
    });
    std::vector<std::vector<protocols::DataInRegion::Entry>> entries;
    if (Refusal refusal = ways_in(entries); !refusal) return refusal;
    if (Refusal refusal = write_regions(entries); !refusal) return refusal;
    using protocols::IpTag, protocols::RouterCommand;
    each([&](mapping::Chip chip) {
      ask_.ask(monitor(chip), RouterCommand{.operation = RouterCommand::Operation::fixed_route,
                                            .application = application_,
                                            .first = fixed.value().route[chip]});
    });
    for (const mapping::Chip one : found_.ethernets)
      ask_.ask(monitor(one), IpTag{.operation = IpTag::Operation::set, .tag = tag, .flags = IpTag::use_sender_flag});
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    transactions_.assign(transactions_.size(), 0);
    for (Lane& one : lanes_) one.transaction = 0, one.recent = {};
    std::map<mapping::Chip, std::uint32_t> on_all, on_ethernets;
    each([&](mapping::Chip chip) { on_all[chip] = 1U << ExtraMonitors::core; });
    for (const mapping::Chip one : found_.ethernets) on_ethernets[one] = 1U << core;
    Loader loader(ask_, found_, application_);
    if (Refusal refusal = loader.image(extra_monitor, on_all); !refusal) return refusal;
    return loader.image(gatherer, on_ethernets);
  }
  /// Takes their tags away; that they go themselves, and their memory, is up to who stops their application.
  [[nodiscard]] Refusal stop() {
    for (const mapping::Chip one : found_.ethernets)
      ask_.ask(monitor(one), protocols::IpTag{.operation = protocols::IpTag::Operation::clear, .tag = tag});
    return ask_.finish();
  }

  /// \param from  lives until `finish`
  void write(mapping::Chip chip, std::uint32_t address, std::span<const std::uint8_t> from) {
    if (goes_by_scp(address, from.size()))
      ask_.write(x(chip), y(chip), address, from);
    else
      lanes_[lane_of_[chip]].waiting.push_back({.chip = chip, .address = address, .from = from}), ++waiting_,
          ++waiting_in_;
  }
  /// \param to  lives until `finish`
  void read(mapping::Chip chip, std::uint32_t address, std::span<std::uint8_t> to) {
    if (goes_by_scp(address, to.size()))
      ask_.read(x(chip), y(chip), address, to);
    else
      lanes_[lane_of_[chip]].waiting.push_back({.chip = chip, .address = address, .to = to}), ++waiting_;
  }
  /// Until all has come. Meanwhile routers have no tables of applications if anything is written.
  /// \errors rank_failed: no answer after all tries, or streams that come short again and again; what else was asked is forgotten
  [[nodiscard]] Refusal finish() {
    if (Refusal refusal = ask_.finish(); !refusal) return forget(), refusal;
    if (waiting_ == 0) return {};
    using What = protocols::TableSwap::What;
    const bool swaps = std::exchange(waiting_in_, 0) != 0;
    Refusal done = swaps ? swap({What::save_application, What::load_system}) : Refusal{};
    ask_.set_listener(
        [this](std::span<const std::uint8_t> datagram) { heard_.emplace_back(datagram.begin(), datagram.end()); });
    while (done.ok() && waiting_ != 0) done = turn();
    ask_.set_listener({});
    heard_.clear();
    Refusal swapped = swaps ? swap({What::load_application}) : Refusal{};
    if (!done.ok()) forget();
    return done.ok() ? swapped : done;
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t in_packet = protocols::DataInPacket::most_data,
                               out_packet = protocols::DataOutPacket::most_data;
  static constexpr std::size_t packets_of_a_piece = 120; // of one transaction: what a socket holds
  static constexpr unsigned most_begins = 40;            // of a stream out
  struct Job {
    mapping::Chip chip = mapping::no_chip;
    std::uint32_t address = 0;
    std::span<const std::uint8_t> from{}; ///< of a stream in
    std::span<std::uint8_t> to{};         ///< of one out
    [[nodiscard]] bool is_out() const noexcept { return !to.empty(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return is_out() ? to.size() : from.size(); }
  };
  /// Of an Ethernet chip: one stream at a time.
  struct Lane {
    std::deque<Job> waiting{};
    std::uint32_t transaction = 0; ///< of streams in
    bool is_open = false;
    std::size_t done = 0, piece = 0; ///< bytes of the first job, and those that are under way
    std::vector<bool> has{};         ///< packets of it, where it goes out
    std::size_t left = 0;
    bool has_ended = false;
    unsigned tries = 0, begins = 0;
    std::array<std::uint32_t, 4> recent{}; ///< numbers of streams out, of any chips
    Clock::time_point heard{};
  };

  [[nodiscard]] unsigned x(mapping::Chip chip) const noexcept { return found_.machine.x(chip); }
  [[nodiscard]] unsigned y(mapping::Chip chip) const noexcept { return found_.machine.y(chip); }
  [[nodiscard]] protocols::SdpEnd monitor(mapping::Chip chip) const noexcept {
    return Transceiver::monitor_of(x(chip), y(chip));
  }
  [[nodiscard]] protocols::SdpEnd port(mapping::Chip chip, std::uint8_t at, protocols::SdpPort port) const noexcept {
    return {static_cast<std::uint8_t>(x(chip)), static_cast<std::uint8_t>(y(chip)), std::uint8_t(port), at};
  }
  template <class Each>
  void each(Each call) const {
    for (mapping::Chip chip = 0; chip < found_.machine.grid_chips(); ++chip)
      if (found_.machine.has(chip) && !found_.machine.is_virtual(chip)) call(chip);
  }
  [[nodiscard]] static bool goes_by_scp(std::uint32_t address, std::size_t bytes) noexcept {
    return bytes < least || bytes % 4 != 0 || address % 4 != 0;
  }
  [[nodiscard]] static constexpr std::uint32_t base_of(mapping::Chip chip) noexcept {
    return chip * protocols::DataInKeys::keys;
  }
  [[nodiscard]] static std::uint32_t after(std::uint32_t transaction) noexcept {
    return transaction == protocols::last_transaction ? 0 : transaction + 1;
  }

  /// From each gatherer to the extra monitors of its chips, by shortest ways.
  /// \param entries  [chip]
  [[nodiscard]] Refusal ways_in(std::vector<std::vector<protocols::DataInRegion::Entry>>& entries) const {
    const mapping::Machine& machine = found_.machine;
    entries.resize(machine.grid_chips());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      std::vector<std::pair<mapping::Chip, unsigned>> before(machine.grid_chips(),
                                                             {mapping::no_chip, 0}); // and its link
      std::queue<mapping::Chip> todo;
      const mapping::Chip ethernet = found_.ethernets[lane];
      before[ethernet] = {ethernet, 0}, todo.push(ethernet);
      for (; !todo.empty(); todo.pop())
        for (unsigned link = 0; link < mapping::link_count; ++link) {
          const mapping::Chip next = machine.neighbour(todo.front(), mapping::Link(link));
          if (next == mapping::no_chip || machine.is_virtual(next) || before[next].first != mapping::no_chip) continue;
          before[next] = {todo.front(), link}, todo.push(next);
        }
      for (mapping::Chip chip = 0; chip < machine.grid_chips(); ++chip) {
        if (!machine.has(chip) || machine.is_virtual(chip) || lane_of_[chip] != lane || chip == ethernet) continue;
        if (before[chip].first == mapping::no_chip)
          return {{Error::unmappable, chip, chip, "chip"},
                  "streams of data",
                  machine.name(chip) + " has no way from the Ethernet chip of its board"};
        mapping::Route route = mapping::route_to_core(ExtraMonitors::core);
        for (mapping::Chip at = chip;; at = before[at].first) {
          entries[at].push_back({base_of(chip), ~(protocols::DataInKeys::keys - 1), route});
          if (at == ethernet) break;
          route = mapping::route_to(mapping::Link(before[at].second));
        }
      }
    }
    return {};
  }
  /// A table of regions with what programs of the system read, in memory of each chip.
  [[nodiscard]] Refusal write_regions(const std::vector<std::vector<protocols::DataInRegion::Entry>>& entries) {
    using protocols::DataInRegion, protocols::GathererRegion, protocols::GathererChips;
    std::vector<CoreBlock> blocks;
    std::vector<std::vector<std::pair<std::size_t, std::vector<std::uint8_t>>>> regions; // [block], by number
    each([&](mapping::Chip chip) {
      std::vector<std::uint8_t> bytes(DataInRegion::head_bytes + DataInRegion::entry_bytes * entries[chip].size());
      DataInRegion::write(base_of(chip), entries[chip], bytes);
      blocks.push_back({.at = {chip, ExtraMonitors::core}});
      regions.push_back({{DataInRegion::number, std::move(bytes)}});
    });
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const mapping::Chip ethernet = found_.ethernets[lane];
      std::vector<GathererChips::Chip> chips;
      each([&](mapping::Chip chip) {
        const mapping::Machine& machine = found_.machine;
        if (lane_of_[chip] == lane && chip != ethernet)
          chips.push_back({(x(chip) + machine.width() - x(ethernet)) % machine.width(),
                           (y(chip) + machine.height() - y(ethernet)) % machine.height(), base_of(chip)});
      });
      std::vector<std::uint8_t> out(GathererRegion::bytes),
          in(GathererChips::head_bytes + GathererChips::chip_bytes * chips.size());
      GathererRegion{tag}.write(out), GathererChips::write(chips, in);
      blocks.push_back({.at = {ethernet, core}});
      regions.push_back({{GathererRegion::number, std::move(out)}, {GathererChips::number, std::move(in)}});
    }
    constexpr std::size_t first = 3; // before them are those of the runtime, which these have not
    for (std::size_t at = 0; at < blocks.size(); ++at) {
      blocks[at].bytes = protocols::DataRegionTable::bytes;
      for (const auto& one : regions[at]) blocks[at].bytes += static_cast<std::uint32_t>(one.second.size());
    }
    Loader loader(ask_, found_, application_);
    if (Refusal refusal = loader.allocate(blocks); !refusal) return refusal;
    std::vector<std::uint8_t> bytes;
    for (std::size_t at = 0; at < blocks.size(); ++at) {
      protocols::DataRegionTable table;
      bytes.assign(protocols::DataRegionTable::bytes, 0);
      for (const auto& [number, region] : regions[at]) {
        table.region[first + number] = {blocks[at].address + static_cast<std::uint32_t>(bytes.size()),
                                        protocols::checksum_of(region), static_cast<std::uint32_t>(region.size() / 4)};
        bytes.insert(bytes.end(), region.begin(), region.end());
      }
      table.write(bytes);
      loader.write(blocks[at], bytes), loader.point_to(blocks[at]);
    }
    return ask_.finish();
  }
  [[nodiscard]] Refusal swap(std::initializer_list<protocols::TableSwap::What> all) {
    for (const protocols::TableSwap::What what : all) {
      each([&](mapping::Chip chip) {
        ask_.ask(port(chip, ExtraMonitors::core, protocols::SdpPort::data_in), protocols::TableSwap{what});
      });
      if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    }
    return {};
  }

  void send(std::size_t lane, const protocols::SdpEnd& to, std::span<const std::uint8_t> message) {
    std::array<std::uint8_t, 300> datagram{};
    protocols::Sdp sdp;
    sdp.flags = protocols::Sdp::no_reply, sdp.to = to, sdp.data = message;
    ask_.link().send(lane, std::span(datagram).first(protocols::encode_sdp_datagram(sdp, datagram)));
  }
  /// Begins what can begin, takes all that has come, and asks again where nothing does. What is late of one stream is gone before the next
  /// begins.
  [[nodiscard]] Refusal turn() {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
      if (!lanes_[lane].is_open && !lanes_[lane].waiting.empty()) begin(lane);
    Link& link = ask_.link();
    bool has_come = false;
    auto wait = (std::min)(ask_.options().timeout / 4, std::chrono::microseconds{2000});
    for (const auto& one : std::exchange(heard_, {})) {
      has_come = true, wait = {};
      if (Refusal refusal = take(one); !refusal) return refusal;
    }
    while (link.receive(received_, wait)) {
      has_come = true, wait = {};
      if (Refusal refusal = take(received_); !refusal) return refusal;
    }
    if (has_come && !link.answers_at_once()) return {};
    const auto now = Clock::now();
    for (std::size_t at = 0; at < lanes_.size(); ++at) {
      Lane& lane = lanes_[at];
      if (!lane.is_open || (!link.answers_at_once() && now - lane.heard < ask_.options().timeout)) continue;
      if (++lane.tries > ask_.options().tries)
        return refused(lane, "no answer to " + std::to_string(lane.tries - 1) + " tries");
      ++counts_.asked_again, lane.heard = now;
      if (!lane.waiting.front().is_out())
        begin_in(at), ask_in(at);
      else if (Refusal refusal = ask_out_again(at); !refusal)
        return refusal;
    }
    return {};
  }
  [[nodiscard]] Refusal refused(const Lane& lane, const std::string& why) const {
    const Job& job = lane.waiting.front();
    return {{Error::rank_failed, job.chip, lane.done, "bytes"},
            found_.machine.name(job.chip),
            std::string("its stream of memory ") + (job.is_out() ? "out: " : "in: ") + why};
  }
  /// The next piece of the first job, a shorter one where it has come short.
  void begin(std::size_t at) {
    Lane& lane = lanes_[at];
    const Job& job = lane.waiting.front();
    const std::size_t packets = (std::max)(std::size_t{1}, packets_of_a_piece >> (std::min)(lane.begins / 2, 8U));
    lane.is_open = true, lane.heard = Clock::now(), lane.has_ended = false;
    lane.piece = (std::min)(job.bytes() - lane.done, packets * (job.is_out() ? out_packet : in_packet));
    ++counts_.streams;
    if (job.is_out()) {
      lane.left = (lane.piece + out_packet - 1) / out_packet;
      lane.has.assign(lane.left, false);
      request_out(at);
    } else {
      lane.transaction = after(lane.transaction);
      begin_in(at);
      for (std::uint32_t one = 0; one * in_packet < lane.piece; ++one) send_in(at, one);
      ask_in(at);
    }
  }
  void end_piece(std::size_t at) {
    Lane& lane = lanes_[at];
    const Job& job = lane.waiting.front();
    (job.is_out() ? counts_.bytes_out : counts_.bytes_in) += lane.piece;
    lane.is_open = false, lane.done += lane.piece, lane.begins = lane.tries = 0;
    if (lane.done == job.bytes()) lane.waiting.pop_front(), lane.done = 0, --waiting_;
  }
  [[nodiscard]] Refusal take(std::span<const std::uint8_t> datagram) {
    const auto sdp = protocols::decode_sdp_datagram(datagram);
    if (!sdp || sdp.value.tag != tag || sdp.value.from.core != core) return {}; // a late answer to something else
    for (std::size_t at = 0; at < lanes_.size(); ++at) {
      const mapping::Chip ethernet = found_.ethernets[at];
      if (sdp.value.from.x != x(ethernet) || sdp.value.from.y != y(ethernet) || !lanes_[at].is_open) continue;
      if (lanes_[at].waiting.front().is_out()) return take_out(at, sdp.value.data);
      take_in(at, sdp.value.data);
    }
    return {};
  }

  // --- out ---------------------------------------------------------------------------------------------------------

  /// What comes says by its number whose it is, but numbers are those of chips. So that what is late, of another chip, is not taken for this
  /// one's, numbers that were in use a short time ago are passed over, by streams of nothing.
  void request_out(std::size_t at) {
    Lane& lane = lanes_[at];
    const Job& job = lane.waiting.front();
    std::uint32_t& transaction = transactions_[job.chip];
    const auto ask = [&](std::size_t bytes) {
      std::array<std::uint8_t, protocols::DataOutRequest::bytes> request{};
      protocols::DataOutRequest{transaction, job.address + static_cast<std::uint32_t>(lane.done),
                                static_cast<std::uint32_t>(bytes)}
          .write(request);
      send(at, port(job.chip, ExtraMonitors::core, protocols::SdpPort::data_out), request);
    };
    for (transaction = after(transaction);
         std::find(lane.recent.begin(), lane.recent.end(), transaction) != lane.recent.end();
         transaction = after(transaction))
      ask(0);
    std::rotate(lane.recent.begin(), lane.recent.begin() + 1, lane.recent.end());
    lane.recent.back() = transaction;
    ask(lane.piece);
  }
  /// A stream whose end has come lacks but what is missing. One without an end may lack words of the machine, or has not begun.
  [[nodiscard]] Refusal ask_out_again(std::size_t at) {
    Lane& lane = lanes_[at];
    if (lane.has_ended) return ask_for_missing(at), Refusal{};
    const mapping::Chip chip = lane.waiting.front().chip;
    std::array<std::uint8_t, 4> word{};
    ask_.read(x(chip), y(chip), Loader::variables_of(ExtraMonitors::core) + 0x74, word);
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    const std::uint32_t is = protocols::word_at(word, 0), was = std::exchange(transactions_[chip], is);
    if (is == was) return begin_again(at);
    begin(at); // what was asked has not come there
    return {};
  }
  [[nodiscard]] Refusal begin_again(std::size_t at) {
    Lane& lane = lanes_[at];
    if (++lane.begins > most_begins)
      return refused(lane, "fewer words come than were asked for, each time: the machine loses some");
    ++counts_.begun_again;
    begin(at);
    return {};
  }
  [[nodiscard]] Refusal take_out(std::size_t at, std::span<const std::uint8_t> message) {
    Lane& lane = lanes_[at];
    const Job& job = lane.waiting.front();
    const auto packet = protocols::DataOutPacket::of(message);
    if (!packet || packet.value.transaction != transactions_[job.chip]) return {}; // of one before
    lane.tries = 0, lane.heard = Clock::now();
    const auto& of = packet.value;
    const std::size_t begin = std::size_t{of.sequence} * out_packet;
    const std::size_t wanted = begin < lane.piece ? (std::min)(out_packet, lane.piece - begin) : 0;
    const bool is_whole = of.data.size() == wanted;
    if (of.is_last && !lane.has_ended) {
      if (of.sequence != lane.piece / out_packet || !is_whole) return begin_again(at);
      lane.has_ended = true;
    }
    if (is_whole && wanted != 0 && !lane.has[of.sequence]) {
      std::copy(of.data.begin(), of.data.end(), job.to.begin() + static_cast<std::ptrdiff_t>(lane.done + begin));
      lane.has[of.sequence] = true, --lane.left;
    }
    if (!lane.has_ended) return {};
    if (lane.left != 0) {
      if (of.is_last) ask_for_missing(at);
      return {};
    }
    std::array<std::uint8_t, protocols::DataOutClear::bytes> bytes{};
    protocols::DataOutClear{transactions_[job.chip]}.write(bytes);
    send(at, port(job.chip, ExtraMonitors::core, protocols::SdpPort::data_out), bytes);
    end_piece(at);
    return {};
  }
  void ask_for_missing(std::size_t at) {
    const Lane& lane = lanes_[at];
    std::vector<std::uint32_t> missing;
    for (std::uint32_t one = 0; one < lane.has.size(); ++one)
      if (!lane.has[one]) missing.push_back(one);
    counts_.packets_again += missing.size();
    ask_for(at, missing);
  }
  void ask_for(std::size_t at, std::span<const std::uint32_t> missing) {
    using protocols::MissingList;
    const Job& job = lanes_[at].waiting.front();
    constexpr std::size_t first = MissingList::most_words - 3, more = MissingList::most_words - 2;
    const std::size_t lists = missing.size() <= first ? 1 : 1 + (missing.size() - first + more - 1) / more;
    for (std::size_t list = 0; list < lists; ++list) {
      std::array<std::uint8_t, 4 * MissingList::most_words> numbers{}, bytes{};
      const auto count = (std::min)(missing.size(), list == 0 ? first : more);
      for (std::size_t one = 0; one < count; ++one) protocols::put_word(numbers, 4 * one, missing[one]);
      const MissingList made{.kind = list == 0 ? MissingList::Kind::out_first : MissingList::Kind::out_more,
                             .transaction = transactions_[job.chip],
                             .lists = static_cast<std::uint32_t>(lists),
                             .numbers = std::span<const std::uint8_t>(numbers).first(4 * count)};
      send(at, port(job.chip, ExtraMonitors::core, protocols::SdpPort::data_out),
           std::span(bytes).first(made.write(bytes)));
      missing = missing.subspan(count);
    }
  }

  // --- in ----------------------------------------------------------------------------------------------------------

  void send_to_gatherer(std::size_t at, std::span<const std::uint8_t> message) {
    send(at, port(found_.ethernets[at], core, protocols::SdpPort::data_in), message);
  }
  void begin_in(std::size_t at) {
    const Lane& lane = lanes_[at];
    const Job& job = lane.waiting.front();
    const mapping::Machine& machine = found_.machine;
    const mapping::Chip ethernet = found_.ethernets[at];
    std::array<std::uint8_t, protocols::DataInBegin::bytes> bytes{};
    const protocols::DataInBegin begin{
        .transaction = lane.transaction,
        .address = job.address + static_cast<std::uint32_t>(lane.done),
        .x = static_cast<std::uint16_t>((x(job.chip) + machine.width() - x(ethernet)) % machine.width()),
        .y = static_cast<std::uint16_t>((y(job.chip) + machine.height() - y(ethernet)) % machine.height()),
        .last = static_cast<std::uint32_t>((lane.piece - 1) / in_packet)};
    begin.write(bytes);
    send_to_gatherer(at, bytes);
  }
  void send_in(std::size_t at, std::uint32_t number) {
    const Lane& lane = lanes_[at];
    const std::size_t begin = number * in_packet;
    if (begin >= lane.piece) return; // nobody can miss it
    std::array<std::uint8_t, protocols::DataInPacket::head_bytes + in_packet> bytes{};
    const protocols::DataInPacket packet{
        lane.transaction, number,
        lane.waiting.front().from.subspan(lane.done + begin, (std::min)(in_packet, lane.piece - begin))};
    send_to_gatherer(at, std::span(bytes).first(packet.write(bytes)));
  }
  void ask_in(std::size_t at) {
    std::array<std::uint8_t, protocols::DataInEnd::bytes> bytes{};
    protocols::DataInEnd{protocols::DataInEnd::What::ask, lanes_[at].transaction}.write(bytes);
    send_to_gatherer(at, bytes);
  }
  void take_in(std::size_t at, std::span<const std::uint8_t> message) {
    using protocols::DataInEnd, protocols::MissingList;
    Lane& lane = lanes_[at];
    if (const auto end = DataInEnd::of(message); end) {
      if (end.value.what == DataInEnd::What::done && end.value.transaction == lane.transaction) end_piece(at);
      return;
    }
    const auto list = MissingList::of(message);
    if (!list || list.value.kind != MissingList::Kind::in || list.value.transaction != lane.transaction) return;
    lane.tries = 0, lane.heard = Clock::now();
    const bool is_all = list.value.size() == 1 && list.value[0] == MissingList::all;
    const std::size_t count = is_all ? (lane.piece + in_packet - 1) / in_packet : list.value.size();
    counts_.packets_again += count;
    for (std::uint32_t one = 0; one < count; ++one) send_in(at, is_all ? one : list.value[one]);
    if (count != MissingList::most_words - 2 || is_all)
      ask_in(at); // else another list follows, or nothing, and time runs out
  }

  void forget() {
    for (Lane& lane : lanes_) lane.waiting.clear(), lane.is_open = false, lane.done = 0, lane.begins = lane.tries = 0;
    waiting_ = waiting_in_ = 0;
  }

  Transceiver& ask_;
  const Found& found_;
  std::uint8_t application_;
  std::vector<Lane> lanes_;                  // [Ethernet chip]
  std::vector<std::uint32_t> transactions_;  // [chip] of streams out
  std::vector<std::size_t> lane_of_{};       // [chip]
  std::size_t waiting_ = 0, waiting_in_ = 0; // jobs
  std::vector<std::uint8_t> received_{};
  std::vector<std::vector<std::uint8_t>> heard_{}; // meanwhile, by who asks something else
  Counts counts_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
