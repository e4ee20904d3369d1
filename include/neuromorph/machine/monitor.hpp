// SPDX-License-Identifier: BSL-1.0
/// \file
/// The monitors of a machine: they answer what hosts ask by SCP, as SC&MP does, and keep what hosts write.
///
///     machine::Monitors monitors(boards, {});
///     monitors.take(ethernet_chip, {{127, 0, 0, 1}, 40000}, datagram, answers);
///     for (const machine::Datagram& one : answers) send(one.to, one.bytes);
///
/// Each request has its true result, and one that is refused changes nothing but a counter. Programs run by a CoreKeeper.
// host-only
#ifndef NEUROMORPH_MACHINE_MONITOR_HPP
#define NEUROMORPH_MACHINE_MONITOR_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/machine/chip.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/flood_fill.hpp>
#include <neuromorph/machine/strip.hpp>
#include <neuromorph/machine/wiring.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/protocols/boot.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/data_regions.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// One on the net.
struct Endpoint {
  std::array<std::uint8_t, 4> address{};
  std::uint16_t port = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
struct Datagram {
  mapping::Chip from = mapping::no_chip; ///< the Ethernet chip that sends it
  Endpoint to{};
  std::vector<std::uint8_t> bytes{};
};

/// Whose commands are understood, and how the monitor says what it is.
enum class Profile : std::uint8_t {
  scamp_3_4, ///< counts cores by a signal; a flood fill may select no cores on its way
  scamp_4_0,
};

struct MonitorOptions {
  Profile profile = Profile::scamp_4_0;
  bool is_booted = true; ///< if not, there is no answer until an image has come to the port of boot
  /// Of the first Ethernet chip; the n-th has n more in its last byte.
  std::array<std::uint8_t, 4> address{127, 0, 0, 2};
  std::uint32_t built = 1700000000; ///< what monitors say of when they were made
};

/// What monitors have done.
struct MonitorAccount {
  protocols::MalformedCounts malformed{};  ///< datagrams and arguments
  std::array<std::uint64_t, 16> results{}; ///< [result - 0x80] answers
  std::uint64_t unanswered = 0;            ///< requests that wanted no answer
  std::uint64_t not_for_us = 0;            ///< messages to ports of cores that take none
  std::uint64_t not_booted = 0;            ///< datagrams before the machine was booted
  std::uint64_t not_reached = 0;           ///< datagrams to an Ethernet that does not work
  std::uint64_t no_tag = 0;                ///< messages of cores for tags that there are none of, or that do not work
  std::uint64_t no_reverse_tag = 0;        ///< datagrams to ports of which no reverse tag tells
};

/// Who runs programs in cores. Monitors tell it what hosts want.
class CoreKeeper {
public:
  virtual ~CoreKeeper() = default;
  /// Cores of one chip that are there start an image, which begins there and ends anywhere.
  /// \param cores  a bit for each, by virtual number, but for the monitor's
  virtual void launch(mapping::Chip chip, const protocols::Launch& launch, std::uint32_t cores,
                      std::span<const std::uint8_t> image) = 0;
  virtual void signal(const protocols::MulticastSignal& signal) = 0;
  /// \param arguments  of the answer: none, or up to 64, of which those from the fourth on are its data
  /// \return           whether there is somebody who takes it
  [[nodiscard]] virtual bool message(mapping::Chip chip, unsigned core, unsigned port,
                                     std::span<const std::uint8_t> data, std::vector<std::uint32_t>& arguments) = 0;
  /// What programs of the system have sent to hosts since the last call.
  virtual void take_sent(std::vector<Datagram>&) {}

protected:
  CoreKeeper() = default;
  CoreKeeper(const CoreKeeper&) = default;
  CoreKeeper& operator=(const CoreKeeper&) = default;
};

class Monitors {
public:
  explicit Monitors(const mapping::Machine& of, const MonitorOptions& options)
      : machine_(of), options_(options), is_booted_(options.is_booted) {
    for (mapping::Board board = 0; board < of.boards(); ++board)
      if (of.has(of.ethernet(board))) ethernets_.push_back(of.ethernet(board));
    if (ethernets_.empty() && of.grid_chips() != 0) ethernets_.push_back(0);
  }

  /// Those that speak with hosts, in the order of their addresses.
  [[nodiscard]] std::span<const mapping::Chip> ethernets() const noexcept { return ethernets_; }
  /// Of an Ethernet chip.
  [[nodiscard]] std::array<std::uint8_t, 4> address(mapping::Chip ethernet) const noexcept {
    std::array<std::uint8_t, 4> made = options_.address;
    const auto at =
        static_cast<std::size_t>(std::find(ethernets_.begin(), ethernets_.end(), ethernet) - ethernets_.begin());
    made[2] = static_cast<std::uint8_t>(made[2] + (made[3] + at) / 256),
    made[3] = static_cast<std::uint8_t>(made[3] + at);
    return made;
  }
  [[nodiscard]] const MonitorAccount& account() const noexcept { return account_; }
  [[nodiscard]] const FloodFill::Ignored& ignored() const noexcept { return flood_.ignored(); }
  /// \param keeper  outlives this, or is taken away by nullptr
  void set_keeper(CoreKeeper* keeper) noexcept { keeper_ = keeper; }
  /// In a machine of several processes each gets all datagrams, and does what is of its chips. Cores are counted by board alone there, and
  /// an image is not copied over a link that leaves the strip.
  /// \param strip  outlives this, or is taken away by nullptr
  void set_strip(const Strip* strip) noexcept { strip_ = strip; }
  [[nodiscard]] bool is_here(mapping::Chip chip) const noexcept { return strip_ == nullptr || strip_->has(chip); }
  [[nodiscard]] const mapping::Machine& machine() const noexcept { return machine_; }
  [[nodiscard]] bool is_booted() const noexcept { return is_booted_; }
  /// What of the machine works. Its version changes with routers, too.
  [[nodiscard]] Wiring& wiring() noexcept { return wiring_; }
  [[nodiscard]] const Wiring& wiring() const noexcept { return wiring_; }
  /// Whether `deliveries` is asked for each packet.
  [[nodiscard]] bool is_lossy() const noexcept { return wiring_.is_lossy(); }

  /// A UDP datagram to the port of boot, of the first Ethernet chip. There is no answer.
  void take_boot(std::span<const std::uint8_t> bytes) {
    const auto packet = protocols::decode_boot(bytes);
    account_.malformed.add(packet.why);
    if (!packet || is_booted_) return;
    image_.resize(protocols::boot_most_blocks * protocols::boot_block_bytes);
    account_.malformed.add(boot_.take(packet.value, image_));
    is_booted_ = boot_.state() == protocols::BootReceiver::State::complete;
    if (is_booted_) image_ = {};
  }
  /// Ports, besides that of SCP, to which hosts send on an Ethernet chip's address.
  [[nodiscard]] std::vector<std::uint16_t> reverse_ports(mapping::Chip ethernet) const {
    std::vector<std::uint16_t> made;
    if (const auto found = tags_.find(ethernet); found != tags_.end())
      for (const protocols::IpTagEntry& one : found->second)
        if ((one.flags & protocols::IpTag::reverse_flag) != 0 &&
            std::find(made.begin(), made.end(), one.rx_port) == made.end())
          made.push_back(one.rx_port);
    return made;
  }
  /// A UDP datagram to a port of a reverse tag: its bytes are those of a message to a core.
  void take_reverse(mapping::Chip ethernet, std::uint16_t port, const Endpoint& from,
                    std::span<const std::uint8_t> bytes) {
    if (!is_here(ethernet)) return;
    const auto found = tags_.find(ethernet);
    if (!wiring_.has_ethernet(ethernet)) {
      ++account_.not_reached;
      return;
    }
    if (found != tags_.end() && is_booted_)
      for (protocols::IpTagEntry& one : found->second) {
        if ((one.flags & protocols::IpTag::reverse_flag) == 0 || one.rx_port != port) continue;
        if (bytes.size() > protocols::sdp_most_data) return account_.malformed.add(protocols::Malformed::too_long);
        // What the core sends to this tag goes to who has written last.
        one.address = from.address, one.port = from.port, ++one.count;
        const unsigned x = one.to_chip >> 8, y = one.to_chip & 0xFFU, core = one.to_port & 31U;
        const bool is_there = x < machine_.width() && y < machine_.height() && wiring_.has(machine_.chip_at(x, y));
        std::vector<std::uint32_t> arguments;
        if (!is_there || core == 0 || keeper_ == nullptr ||
            !keeper_->message(machine_.chip_at(x, y), core, one.to_port >> 5, bytes, arguments))
          ++account_.not_for_us;
        return;
      }
    ++account_.no_reverse_tag;
  }
  /// A message of a core for a tag of its board.
  void send(mapping::Chip chip, unsigned core, unsigned tag, std::span<const std::uint8_t> bytes,
            std::vector<Datagram>& to) {
    const mapping::Chip ethernet = ethernet_near(chip);
    const auto found = tags_.find(ethernet);
    if (found == tags_.end() || tag >= tags || (found->second[tag].flags & protocols::IpTag::valid_flag) == 0 ||
        found->second[tag].port == 0 || bytes.size() > protocols::sdp_most_data || !wiring_.has_ethernet(ethernet)) {
      ++account_.no_tag;
      return;
    }
    protocols::IpTagEntry& entry = found->second[tag];
    ++entry.count;
    Datagram out{ethernet, {entry.address, entry.port}, {bytes.begin(), bytes.end()}};
    if ((entry.flags & protocols::IpTag::strip_flag) == 0) {
      protocols::Sdp sdp;
      sdp.flags = protocols::Sdp::no_reply, sdp.tag = static_cast<std::uint8_t>(tag), sdp.to = protocols::sdp_host;
      sdp.from = end_of(chip, {.port = 1, .core = static_cast<std::uint8_t>(core)}), sdp.data = bytes;
      out.bytes.resize(300);
      out.bytes.resize(protocols::encode_sdp_datagram(sdp, out.bytes));
    }
    to.push_back(std::move(out));
  }
  /// All is as it was when the machine was made; what is broken stays so, and counters count on.
  void power_on() {
    chips_.clear(), tags_.clear(), flood_ = {}, boot_ = {}, is_booted_ = options_.is_booted;
    wiring_.have_routes_changed();
  }
  /// Gives all entries of a router to the kernel.
  void fill_router(mapping::Chip at) {
    EntryBlocks& blocks = chip(at).entry_blocks;
    while (blocks.largest() != 0) static_cast<void>(blocks.take(0, blocks.largest()));
  }
  /// State and application of a core, as hosts read them.
  void set_core(mapping::Chip at, unsigned core, const CoreStatus& status) {
    ChipParts& parts = chip(at);
    parts.core[core] = status;
    show(parts, core);
  }
  /// Those that there are, by virtual number; the monitor is the first.
  [[nodiscard]] unsigned cores_of(mapping::Chip chip) const noexcept {
    return static_cast<unsigned>(std::popcount(physical_of(chip)));
  }

  /// A UDP datagram to the SCP port of an Ethernet chip.
  /// \param answers  gets what is sent back
  void take(mapping::Chip ethernet, const Endpoint& from, std::span<const std::uint8_t> bytes,
            std::vector<Datagram>& answers) {
    const auto sdp = protocols::decode_sdp_datagram(bytes);
    const auto [does, answers_it] = share_of(ethernet, sdp);
    if (!does) return;
    if (!is_booted_) {
      ++account_.not_booted;
      return;
    }
    if (!wiring_.has_ethernet(ethernet)) {
      ++account_.not_reached;
      return;
    }
    if (!sdp) return account_.malformed.add(sdp.why);
    std::array<std::uint8_t, protocols::scp_most_data> room{};
    const Answer answer = answer_to(ethernet, from, sdp.value, room);
    if (keeper_ != nullptr) keeper_->take_sent(answers);
    if (answer.is_none || !answers_it) return;
    if (!sdp.value.wants_reply()) {
      ++account_.unanswered;
      return;
    }
    ++account_.results[std::size_t(answer.result) - 0x80];
    std::array<std::uint8_t, protocols::sdp_most_data> scp{};
    const std::size_t count = protocols::encode_reply(
        {answer.result, answer.sequence, std::span<const std::uint8_t>(room).first(answer.bytes)}, scp);
    protocols::Sdp reply = sdp.value.reply(std::span<const std::uint8_t>(scp).first(count));
    if (sdp.value.to.x == 255 && sdp.value.to.y == 255) reply.from = end_of(ethernet, reply.from);
    Datagram out{ethernet, from, std::vector<std::uint8_t>(300)};
    out.bytes.resize(protocols::encode_sdp_datagram(reply, out.bytes));
    answers.push_back(std::move(out));
  }

  /// Cores to which a packet of a chip comes, by what hosts have loaded into routers: the network of a machine::Run. A device counts
  /// as core 0 of its virtual chip.
  /// \return the bits of the key that routers on its way have looked at
  std::uint32_t deliveries(mapping::Chip from, std::uint32_t key, std::vector<CoreAt>& to,
                           Sender sender = Sender::core) {
    std::uint32_t bits = 0;
    const auto route_of = [&](mapping::Chip at, unsigned came) -> mapping::Route {
      Router* const router = router_of(at);
      const std::uint32_t entry = router == nullptr ? Router::size : router->find(key, bits);
      return entry != Router::size         ? router->entry(entry).route
             : came != mapping::link_count ? mapping::route_to(mapping::Link(came))
                                           : 0;
    };
    wiring_.walk(from, sender, route_of, to);
    return bits;
  }
  /// And of a packet of the system without a key, by fixed routes.
  void fixed_deliveries(mapping::Chip from, std::vector<CoreAt>& to) {
    const auto route_of = [&](mapping::Chip at, unsigned) -> mapping::Route {
      Router* const router = router_of(at);
      return router == nullptr ? 0 : router->read(router_register::fixed_route);
    };
    wiring_.walk(from, Sender::system, route_of, to);
  }

  /// A chip's parts; it has those of one that nobody has touched until then.
  /// \pre it is there
  [[nodiscard]] ChipParts& chip(mapping::Chip chip) {
    std::unique_ptr<ChipParts>& of = chips_[chip];
    if (of == nullptr) of = std::make_unique<ChipParts>(), boot(chip, *of);
    return *of;
  }
  /// each(chip, parts) of those that somebody has touched, in their order
  template <class Each>
  void each_touched(Each each) {
    for (auto& [chip, parts] : chips_) each(chip, *parts);
  }
  /// Of all chips that are not as they were booted, and of tags.
  [[nodiscard]] std::uint64_t digest() const {
    Digest digest;
    for (const auto& [chip, parts] : chips_) {
      Digest own;
      parts->add_to(own);
      std::uint64_t& untouched = untouched_[chip];
      if (untouched == 0) {
        ChipParts booted;
        Digest digest_of;
        boot(chip, booted), booted.add_to(digest_of);
        untouched = digest_of.value();
      }
      if (own.value() == untouched) continue;
      digest.add(chip), digest.add(static_cast<std::uint32_t>(own.value()));
      digest.add(static_cast<std::uint32_t>(own.value() >> 32));
    }
    for (const auto& [chip, table] : tags_)
      for (std::size_t tag = 0; tag < table.size(); ++tag) {
        std::array<std::uint8_t, protocols::IpTagEntry::bytes> bytes{};
        table[tag].write(bytes);
        if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t one) { return one == 0; })) continue;
        digest.add(chip), digest.add(static_cast<std::uint32_t>(tag));
        for (std::size_t at = 0; at < bytes.size(); at += 4) digest.add(protocols::word_at(bytes, at));
      }
    return digest.value();
  }

private:
  using Result = protocols::ScpResult;
  using Room = std::array<std::uint8_t, protocols::scp_most_data>;
  struct Answer {
    Result result = Result::ok;
    std::uint16_t sequence = 0;
    std::size_t bytes = 0;
    bool is_none = false;
  };
  static constexpr unsigned tags = 16, fixed_tags = 8;

  [[nodiscard]] protocols::SdpEnd end_of(mapping::Chip chip, protocols::SdpEnd end) const noexcept {
    end.x = static_cast<std::uint8_t>(machine_.x(chip)), end.y = static_cast<std::uint8_t>(machine_.y(chip));
    return end;
  }
  /// What a host may know: x << 8 | y.
  [[nodiscard]] std::uint16_t place_of(mapping::Chip chip) const noexcept {
    return static_cast<std::uint16_t>(machine_.x(chip) << 8 | machine_.y(chip));
  }
  /// A bit for each core that works, by its physical number: mapping knows those of users, and the monitor is the first of all.
  [[nodiscard]] std::uint32_t physical_of(mapping::Chip chip) const noexcept {
    return (machine_.cores(chip) & 0x3FFFEU) | 1U;
  }
  [[nodiscard]] mapping::Chip ethernet_near(mapping::Chip chip) const noexcept {
    const mapping::Chip own = machine_.ethernet_of(chip);
    return own != mapping::no_chip && wiring_.has(own) ? own : ethernets_.front();
  }
  [[nodiscard]] bool is_ethernet(mapping::Chip chip) const noexcept {
    return std::find(ethernets_.begin(), ethernets_.end(), chip) != ethernets_.end();
  }

  /// nullptr: nobody has touched the chip.
  [[nodiscard]] Router* router_of(mapping::Chip chip) const {
    const auto found = chips_.find(chip);
    return found == chips_.end() ? nullptr : &found->second->router;
  }

  /// Variables that hosts read. The monitor is virtual core 0; the others wait for a program.
  void boot(mapping::Chip chip, ChipParts& parts) const {
    const auto byte = [&](std::uint32_t at, std::uint32_t value) {
      const std::array<std::uint8_t, 1> one{static_cast<std::uint8_t>(value)};
      static_cast<void>(parts.system_ram.write(address::variables + at, one));
    };
    const auto half = [&](std::uint32_t at, std::uint32_t value) { byte(at, value), byte(at + 1, value >> 8); };
    const auto word = [&](std::uint32_t at, std::uint32_t value) {
      parts.system_ram.put_word(address::variables + at, value);
    };
    const unsigned count = cores_of(chip);
    half(0x00, place_of(chip)), half(0x02, (machine_.width() & 0xFFU) << 8 | (machine_.height() & 0xFFU));
    half(0x08, place_of(ethernet_near(chip))), byte(0x0A, 5), byte(0x0B, is_ethernet(chip) ? 1 : 0);
    half(0x24, machine_.kind().clock_mhz), word(0x50, 16384);
    unsigned at = 0;
    for (unsigned physical = 0; physical < ChipParts::cores; ++physical) {
      const bool works = (physical_of(chip) >> physical & 1U) != 0;
      byte(0x94 + physical, works ? at : 0xFF);
      if (works) byte(0xA8 + at++, physical);
    }
    for (unsigned rest = at; rest < ChipParts::cores; ++rest) byte(0xA8 + rest, 0xFF);
    for (unsigned core = 0; core < ChipParts::cores; ++core) {
      parts.core[core].state = core == 0 ? CoreState::running : core < count ? CoreState::idle : CoreState::dead;
      show(parts, core);
    }
    byte(0xBC, count);
    word(0xC0, address::heap - 8), word(0xC8, address::loading),
        word(0xCC, address::cores - address::system_ram + address::system_ram_buffered);
    word(0xD0, address::system_heap), word(0xD4, address::router_copy);
    if (is_ethernet(chip)) word(0xF0, protocols::word_at(address(chip), 0));
    word(0xFC, 400U << 16);
  }
  /// State and application of a core into its block of variables.
  static void show(ChipParts& parts, unsigned core) {
    const std::array<std::uint8_t, 2> both{static_cast<std::uint8_t>(parts.core[core].state),
                                           parts.core[core].application};
    static_cast<void>(parts.system_ram.write(address::cores + 128 * core + 0x2E, both));
  }

  [[nodiscard]] mapping::Chip chip_of(mapping::Chip ethernet, const protocols::SdpEnd& end) const noexcept {
    if (end.x == 255 && end.y == 255) return ethernet;
    if (end.x >= machine_.width() || end.y >= machine_.height()) return mapping::no_chip;
    const mapping::Chip chip = machine_.chip_at(end.x, end.y);
    return wiring_.has(chip) && (chip == ethernet || wiring_.next_link(chip, ethernet) < mapping::link_count)
               ? chip
               : mapping::no_chip;
  }

  struct Share {
    bool does, answers_it;
  };
  /// What this process has to do with a datagram: nothing, all, or its part of what is told to all chips.
  [[nodiscard]] Share share_of(mapping::Chip ethernet, const protocols::Decoded<protocols::Sdp>& sdp) const {
    if (strip_ == nullptr) return {true, true};
    if (!sdp) return {is_here(ethernet), true};
    mapping::Chip of = chip_of(ethernet, sdp.value.to);
    if (of == mapping::no_chip) of = ethernet;
    const auto request = protocols::decode_request(sdp.value.data);
    if (!request || sdp.value.to.port != 0 || !protocols::is_command(request.value.command)) return {is_here(of), true};
    switch (protocols::ScpCommand(request.value.command)) {
    case protocols::ScpCommand::signal:
    case protocols::ScpCommand::nearest_neighbour_packet:
    case protocols::ScpCommand::flood_fill_data: return {true, is_here(of)};
    case protocols::ScpCommand::link_read:
    case protocols::ScpCommand::link_write:
      if (const std::uint32_t link = request.value.arguments[2]; link < mapping::link_count)
        if (const mapping::Chip next = wiring_.neighbour(of, mapping::Link(link)); next != mapping::no_chip) of = next;
      break;
    default: break;
    }
    return {is_here(of), true};
  }
  [[nodiscard]] Answer answer_to(mapping::Chip ethernet, const Endpoint& from, const protocols::Sdp& sdp, Room& room) {
    const auto request = protocols::decode_request(sdp.data);
    const std::uint16_t sequence = sdp.data.size() >= 4 ? protocols::half_at(sdp.data, 2) : std::uint16_t{0};
    const mapping::Chip to = chip_of(ethernet, sdp.to);
    if (to == mapping::no_chip) return {Result::no_route, sequence};
    if (sdp.to.core >= cores_of(to)) return {Result::bad_core, sequence};
    if (sdp.to.port != 0) {
      if (sdp.to.core == 0) return {Result::bad_port, sequence};
      std::vector<std::uint32_t> arguments;
      if (keeper_ != nullptr && keeper_->message(to, sdp.to.core, sdp.to.port, sdp.data, arguments)) {
        arguments.resize((std::max)(std::size_t{3}, (std::min)(arguments.size(), room.size() / 4)));
        for (std::size_t at = 0; at < arguments.size(); ++at) protocols::put_word(room, 4 * at, arguments[at]);
        return {Result::ok, sequence, 4 * arguments.size()};
      }
      ++account_.not_for_us;
      return {Result::ok, sequence, 0, true};
    }
    if (!request) return account_.malformed.add(request.why), Answer{Result::bad_length, sequence};
    Answer made = command(ethernet, to, sdp.to.core, from, request.value, room);
    made.sequence = sequence;
    return made;
  }

  /// Whether a command's arguments are what they should be; if not, it is counted.
  template <class Command>
  [[nodiscard]] bool is_read(const protocols::Decoded<Command>& of) {
    account_.malformed.add(of.why);
    return bool(of);
  }
  [[nodiscard]] static Answer with_words(Room& room, std::uint32_t first, std::uint32_t second = 0,
                                         std::uint32_t third = 0) {
    protocols::put_word(room, 0, first), protocols::put_word(room, 4, second), protocols::put_word(room, 8, third);
    return {Result::ok, 0, 12};
  }

  [[nodiscard]] Answer command(mapping::Chip ethernet, mapping::Chip at, unsigned core, const Endpoint& from,
                               const protocols::ScpRequest& request, Room& room) {
    using protocols::ScpCommand;
    if (!protocols::is_command(request.command)) return {Result::bad_command};
    const auto what = ScpCommand(request.command);
    // Behind the monitor's core is the kernel of another, which knows less.
    if (core != 0 && what != ScpCommand::version && what != ScpCommand::read && what != ScpCommand::write &&
        what != ScpCommand::fill)
      return {Result::bad_command};
    switch (what) {
    case ScpCommand::version: {
      protocols::Version version;
      version.chip = place_of(at), version.virtual_core = static_cast<std::uint8_t>(core),
      version.built = options_.built;
      std::uint32_t left = physical_of(at); // the physical number of the n-th that works
      for (unsigned skip = core; skip-- > 0;) left &= left - 1;
      version.physical_core = static_cast<std::uint8_t>(std::countr_zero(left));
      constexpr char monitor[] = "SC&MP/SpiNNaker", kernel[] = "SARK/SpiNNaker", number[] = "4.0.0";
      if (options_.profile == Profile::scamp_3_4) version.version = 340;
      version.name = core == 0 ? std::span<const char>(monitor, sizeof monitor - 1)
                               : std::span<const char>(kernel, sizeof kernel - 1);
      version.number = std::span<const char>(number, sizeof number - 1);
      return {Result::ok, 0, version.write(room)};
    }
    case ScpCommand::read: {
      const auto of = protocols::ReadMemory::of(request);
      return is_read(of) ? read(at, of.value.address, of.value.length, room) : Answer{Result::bad_argument};
    }
    case ScpCommand::write: {
      const auto of = protocols::WriteMemory::of(request);
      return is_read(of) ? write(at, of.value.address, of.value.data) : Answer{Result::bad_argument};
    }
    case ScpCommand::link_read: {
      const auto of = protocols::LinkRead::of(request);
      if (!is_read(of)) return {Result::bad_argument};
      const mapping::Chip next = wiring_.neighbour(at, mapping::Link(of.value.link));
      if (next == mapping::no_chip || machine_.is_virtual(next)) return {Result::timeout};
      return read(next, of.value.address, of.value.length, room);
    }
    case ScpCommand::link_write: {
      const auto of = protocols::LinkWrite::of(request);
      if (!is_read(of)) return {Result::bad_argument};
      const mapping::Chip next = wiring_.neighbour(at, mapping::Link(of.value.link));
      if (next == mapping::no_chip || machine_.is_virtual(next)) return {Result::timeout};
      return write(next, of.value.address, of.value.data);
    }
    case ScpCommand::fill: {
      const auto of = protocols::FillMemory::of(request);
      if (!is_read(of)) return {Result::bad_argument};
      const ChipParts::Place place = chip(at).place(of.value.address);
      const bool is_done = place.memory != nullptr && place.memory->fill(place.at, of.value.word, of.value.length);
      return {is_done ? Result::ok : Result::bad_argument};
    }
    case ScpCommand::count_cores: {
      if (options_.profile == Profile::scamp_3_4) return {Result::bad_command};
      const auto of = protocols::CountCores::of(request);
      if (!is_read(of)) return {Result::bad_argument};
      std::uint32_t count = 0;
      each_core_of(of.value.application, [&](mapping::Chip other, const CoreStatus& status) {
        count += ethernet_near(other) == ethernet_near(at) && std::uint8_t(status.state) == of.value.state;
      });
      return with_words(room, count);
    }
    case ScpCommand::signal: {
      const auto of = protocols::AnySignal::of(request);
      if (!is_read(of)) return {Result::bad_argument};
      if (const auto count = of.value.count(); count && options_.profile == Profile::scamp_3_4)
        return strip_ == nullptr ? with_words(room, counted(count.value)) : Answer{Result::bad_command};
      const auto multicast = of.value.multicast();
      if (!multicast || at != ethernets_.front()) return {Result::bad_argument};
      signal(multicast.value);
      return {Result::ok};
    }
    case ScpCommand::led: return {Result::ok};
    case ScpCommand::ip_tag: {
      const auto of = protocols::IpTag::of(request);
      if (!is_read(of)) return {Result::bad_argument};
      return is_ethernet(at) ? ip_tag(at, from, of.value, room) : Answer{Result::bad_argument};
    }
    case ScpCommand::allocate: {
      const auto of = protocols::Allocate::of(request);
      return is_read(of) ? allocate(chip(at), of.value, room) : Answer{Result::bad_argument};
    }
    case ScpCommand::router: {
      const auto of = protocols::RouterCommand::of(request);
      return is_read(of) ? router(chip(at), of.value, room) : Answer{Result::bad_argument};
    }
    case ScpCommand::chip_info: return info(at, room);
    case ScpCommand::synchronise: {
      const auto of = protocols::Synchronise::of(request);
      return {is_read(of) ? Result::ok : Result::bad_argument};
    }
    case ScpCommand::application_run: {
      const auto of = protocols::ApplicationRun::of(request);
      return is_read(of) ? launch(at, of.value.launch, address::loading) : Answer{Result::bad_argument};
    }
    case ScpCommand::application_start: {
      const auto of = protocols::ApplicationStart::of(request);
      return is_read(of) ? launch(at, of.value.launch, of.value.address) : Answer{Result::bad_argument};
    }
    case ScpCommand::application_copy_run: {
      const auto of = protocols::ApplicationCopyRun::of(request);
      return is_read(of) ? copy_and_launch(at, of.value, room) : Answer{Result::bad_argument};
    }
    case ScpCommand::nearest_neighbour_packet: {
      const auto of = protocols::NeighbourPacket::of(request);
      if (!is_read(of) || keeper_ == nullptr) return {keeper_ == nullptr ? Result::bad_command : Result::bad_argument};
      return neighbour_packet(of.value);
    }
    case ScpCommand::flood_fill_data: {
      const auto of = protocols::FloodFillData::of(request);
      if (!is_read(of) || keeper_ == nullptr) return {keeper_ == nullptr ? Result::bad_command : Result::bad_argument};
      flood_.data(of.value);
      return {Result::ok};
    }
    case ScpCommand::remap_core: // cores are what the machine says
    case ScpCommand::bmp_info:   // of another processor
    case ScpCommand::bmp_power: return {Result::bad_command};
    }
    static_cast<void>(ethernet);
    return {Result::bad_command};
  }

  [[nodiscard]] Answer read(mapping::Chip at, std::uint32_t from, std::uint32_t length, Room& room) {
    const std::span<std::uint8_t> to = std::span(room).first(length);
    if (from >> 24 == 0xE1 || from >> 24 == 0xF1) {
      for (std::uint32_t byte = 0; byte < length; ++byte) {
        const std::uint32_t address = (from + byte) & 0x00FFFFFFU;
        room[byte] = static_cast<std::uint8_t>(router_word(at, address & ~3U) >> 8 * (address & 3));
      }
      return {Result::ok, 0, length};
    }
    const ChipParts::Place place = chip(at).place(from);
    if (place.memory == nullptr || !place.memory->read(place.at, to)) return {Result::bad_argument};
    return {Result::ok, 0, length};
  }
  [[nodiscard]] Answer write(mapping::Chip at, std::uint32_t to, std::span<const std::uint8_t> bytes) {
    if (to >> 24 == 0xE1 || to >> 24 == 0xF1) { // registers, in whole words
      const std::uint32_t first = to & 0x00FFFFFFU;
      if (to % 4 != 0 || bytes.size() % 4 != 0) return {Result::bad_argument};
      for (std::size_t byte = 0; byte < bytes.size(); byte += 4)
        if (!Router::can_write(first + static_cast<std::uint32_t>(byte))) return {Result::bad_argument};
      for (std::size_t byte = 0; byte < bytes.size(); byte += 4)
        static_cast<void>(
            chip(at).router.write(first + static_cast<std::uint32_t>(byte), protocols::word_at(bytes, byte)));
      wiring_.have_routes_changed();
      return {Result::ok};
    }
    const ChipParts::Place place = chip(at).place(to);
    return {place.memory != nullptr && place.memory->write(place.at, bytes) ? Result::ok : Result::bad_argument};
  }
  /// Of the router. The table of next links is worked out when it is read.
  [[nodiscard]] std::uint32_t router_word(mapping::Chip at, std::uint32_t offset) {
    if (offset >= 0x10000 && offset < 0x10000 + 256 * 256 / 8 * 4) {
      std::uint32_t word = 0;
      const std::uint32_t first = (offset - 0x10000) / 4 * 8;
      for (unsigned entry = 0; entry < 8; ++entry) {
        const std::uint32_t x = (first + entry) / 256, y = (first + entry) % 256;
        unsigned link = mapping::link_count + 1;
        if (x < machine_.width() && y < machine_.height())
          if (const mapping::Chip to = machine_.chip_at(x, y); wiring_.has(to)) link = wiring_.next_link(at, to);
        word |= (link == mapping::link_count ? 7U : link > mapping::link_count ? 6U : link) << 3 * entry;
      }
      return word;
    }
    return chip(at).router.read(offset);
  }

  /// each(chip, status) of all cores of an application, which is only where somebody was
  template <class Each>
  void each_core_of(std::uint8_t application, Each each) const {
    for (const auto& [other, parts] : chips_)
      for (unsigned one = 1; one < cores_of(other); ++one)
        if (parts->core[one].application == application) each(other, parts->core[one]);
  }
  [[nodiscard]] std::uint32_t counted(const protocols::CountSignal& of) const {
    std::uint32_t all = 0, count = 0;
    const std::uint32_t region = (of.region & 0xFFFCFFFFU) | std::uint32_t{of.level} << 16;
    each_core_of(of.application, [&](mapping::Chip other, const CoreStatus& status) {
      if (!is_in_region(region, machine_.x(other), machine_.y(other))) return;
      ++all, count += std::uint8_t(status.state) == of.state;
    });
    using Mode = protocols::CountSignal::Mode;
    return of.mode == Mode::count ? count
           : of.mode == Mode::any ? std::uint32_t{count != 0}
                                  : std::uint32_t{count == all};
  }
  void signal(const protocols::MulticastSignal& signal) {
    if (keeper_ != nullptr) keeper_->signal(signal);
    if (signal.signal != protocols::Signal::stop) return;
    for (auto& [other, parts] : chips_) stop(*parts, signal);
    wiring_.have_routes_changed();
  }
  [[nodiscard]] Answer launch(mapping::Chip at, const protocols::Launch& of, std::uint32_t from) {
    if (keeper_ == nullptr) return {Result::bad_command};
    const ChipParts::Place place = chip(at).place(from);
    if (place.memory == nullptr || !place.memory->holds(place.at, 4)) return {Result::bad_argument};
    // An image fills the memories of a core at most.
    constexpr std::uint32_t most = (32U + 64U) << 10;
    std::vector<std::uint8_t> image((std::min)(most, place.memory->bytes() - (place.at - place.memory->base())));
    static_cast<void>(place.memory->read(place.at, image));
    keeper_->launch(at, of, of.core_mask & ((1U << cores_of(at)) - 2), image);
    return {Result::ok};
  }
  [[nodiscard]] Answer copy_and_launch(mapping::Chip at, const protocols::ApplicationCopyRun& of, Room& room) {
    if (keeper_ == nullptr) return {Result::bad_command};
    const mapping::Chip next = wiring_.neighbour(at, mapping::Link(of.link));
    if (next == mapping::no_chip || machine_.is_virtual(next) || !is_here(next)) return {Result::timeout};
    std::vector<std::uint8_t> image(of.length <= address::sdram_bytes ? of.length : 0);
    const ChipParts::Place from = chip(next).place(address::loading);
    if (of.length % 4 != 0 || image.size() != of.length || !from.memory->read(from.at, image))
      return {Result::bad_argument};
    const ChipParts::Place to = chip(at).place(address::loading);
    static_cast<void>(to.memory->write(to.at, image));
    const std::uint32_t sum = protocols::checksum_of(image);
    if (of.checksum != 0 && (sum & 0x1FFFFFFFU) != of.checksum) {
      Answer made = with_words(room, sum);
      made.result = Result::bad_checksum;
      return made;
    }
    return launch(at, of.launch, address::loading);
  }
  [[nodiscard]] Answer neighbour_packet(const protocols::NeighbourPacket& of) {
    constexpr std::uint32_t start = 6, select = 7, end = 15, signal_key = 0x003F0000;
    if (of.key == signal_key && of.data >> 28 == 5) {
      const protocols::AnySignal any{protocols::AnySignal::By::multicast, of.data & 0x00FFFFFFU, 0xFFFF};
      const auto given = any.multicast();
      if (!is_read(given)) return {Result::bad_argument};
      signal(given.value);
      return {Result::ok};
    }
    switch (of.key >> 24) {
    case start: flood_.start(of.key, of.data); return {Result::ok};
    case select: flood_.select(of.key, of.data); return {Result::ok};
    case end: break;
    default: return {Result::ok}; // monitors of neighbours do not know it, and say nothing
    }
    if (!flood_.end(of.key, of.data, options_.profile == Profile::scamp_3_4)) return {Result::ok};
    for (mapping::Chip at = 0; at < machine_.grid_chips(); ++at) {
      if (!wiring_.has(at) || !is_here(at)) continue;
      const std::uint32_t cores = flood_.cores(machine_.x(at), machine_.y(at));
      if (cores == 0) continue;
      bool is_written = true;
      flood_.each_block([&](std::uint32_t to, std::span<const std::uint8_t> bytes) {
        const ChipParts::Place place = chip(at).place(to);
        is_written = is_written && place.memory != nullptr && place.memory->write(place.at, bytes);
      });
      protocols::Launch what = flood_.launch();
      what.core_mask = cores;
      if (is_written) static_cast<void>(launch(at, what, flood_.address()));
    }
    return {Result::ok};
  }

  [[nodiscard]] Answer allocate(ChipParts& parts, const protocols::Allocate& of, Room& room) {
    using Operation = protocols::Allocate::Operation;
    switch (of.operation) {
    case Operation::sdram:
      if (of.second > 255) return {Result::bad_argument};
      return with_words(room, parts.sdram_heap.take(of.application, of.first, static_cast<std::uint8_t>(of.second),
                                                    (of.flags & protocols::Allocate::same_tag_flag) != 0));
    case Operation::free_sdram: return {parts.sdram_heap.give_back(of.first) ? Result::ok : Result::bad_argument};
    case Operation::free_sdram_of:
      return with_words(room, static_cast<std::uint32_t>(parts.sdram_heap.give_back_all_of(of.application)));
    case Operation::entries: return with_words(room, parts.entry_blocks.take(of.application, of.first));
    case Operation::free_entries:
      wiring_.have_routes_changed();
      return {parts.entry_blocks.give_back(of.first,
                                           [&](std::uint32_t at) {
                                             if (of.second != 0) clear(parts, at);
                                           })
                  ? Result::ok
                  : Result::bad_argument};
    case Operation::free_entries_of:
      parts.entry_blocks.give_back_all_of(of.application, [&](std::uint32_t at) { clear(parts, at); });
      wiring_.have_routes_changed();
      return {Result::ok};
    case Operation::sdram_left: return with_words(room, parts.sdram_heap.left(), parts.sdram_heap.largest());
    case Operation::sdram_of_tag:
      return of.first > 255
                 ? Answer{Result::bad_argument}
                 : with_words(room, parts.sdram_heap.of_tag(of.application, static_cast<std::uint8_t>(of.first)));
    }
    return {Result::bad_argument};
  }
  [[nodiscard]] Answer router(ChipParts& parts, const protocols::RouterCommand& of, Room& room) {
    using Operation = protocols::RouterCommand::Operation;
    wiring_.have_routes_changed();
    switch (of.operation) {
    case Operation::initialise:
      for (std::uint32_t at = 0; at < Router::size; ++at) clear(parts, at);
      parts.entry_blocks = {};
      return {Result::ok};
    case Operation::clear:
      if (of.first == 0 || of.first >= Router::size || of.count > Router::size - of.first)
        return {Result::bad_argument};
      for (std::uint32_t at = 0; at < of.count; ++at) clear(parts, of.first + at);
      return {Result::ok};
    case Operation::load: {
      if (of.second == 0 || of.second >= Router::size || of.count > Router::size - of.second)
        return {Result::bad_argument};
      const ChipParts::Place place = parts.place(of.first);
      std::vector<std::uint8_t> bytes(std::size_t{of.count} * 16);
      if (place.memory == nullptr || !place.memory->read(place.at, bytes)) return {Result::bad_argument};
      // Each has its place behind the first by its number; the list ends with one of ones alone, too.
      for (std::size_t at = 0; at < bytes.size(); at += 16) {
        const std::uint16_t next = protocols::half_at(bytes, at);
        if (next == 0xFFFF && protocols::word_at(bytes, at + 4) == 0xFFFFFFFF) break;
        if (next >= Router::size - of.second) return {Result::bad_argument};
      }
      for (std::size_t at = 0; at < bytes.size(); at += 16) {
        const std::uint16_t next = protocols::half_at(bytes, at);
        if (next == 0xFFFF && protocols::word_at(bytes, at + 4) == 0xFFFFFFFF) break;
        const mapping::TableEntry entry{{protocols::word_at(bytes, at + 8), protocols::word_at(bytes, at + 12)},
                                        protocols::word_at(bytes, at + 4) & 0x00FFFFFFU,
                                        0};
        set(parts, of.second + next, entry, of.application);
      }
      return {Result::ok};
    }
    case Operation::fixed_route:
      if ((of.first & protocols::RouterCommand::read_bit) != 0)
        return with_words(room, parts.router.read(router_register::fixed_route));
      static_cast<void>(parts.router.write(router_register::fixed_route, of.first & 0x00FFFFFFU));
      return {Result::ok};
    }
    return {Result::bad_argument};
  }
  /// Of the router, and of the table in memory that hosts read, where a route's first byte is of its application.
  static void set(ChipParts& parts, std::uint32_t at, const mapping::TableEntry& entry, std::uint8_t application) {
    static_cast<void>(parts.router.set(at, entry));
    const ChipParts::Place place = parts.place(address::router_copy + 16 * at);
    const std::uint32_t owner = std::uint32_t{application} << 24;
    place.memory->put_word(place.at, owner >> 8), place.memory->put_word(place.at + 4, entry.route | owner);
    place.memory->put_word(place.at + 8, entry.keys.key), place.memory->put_word(place.at + 12, entry.keys.mask);
  }
  static void clear(ChipParts& parts, std::uint32_t at) {
    if (parts.router.entry(at).keys == Router::empty.keys) return;
    set(parts, at, Router::empty, 0xFF);
  }

  [[nodiscard]] Answer info(mapping::Chip at, Room& room) {
    ChipParts& parts = chip(at);
    protocols::ChipInfo made;
    made.cores = static_cast<std::uint8_t>(cores_of(at));
    for (unsigned link = 0; link < mapping::link_count; ++link) {
      const mapping::Chip next = wiring_.neighbour(at, mapping::Link(link));
      if (next != mapping::no_chip && !machine_.is_virtual(next))
        made.links = static_cast<std::uint8_t>(made.links | 1U << link);
    }
    made.most_entries = static_cast<std::uint16_t>(parts.entry_blocks.largest()), made.has_ethernet = is_ethernet(at);
    made.most_sdram = parts.sdram_heap.largest(), made.most_system_ram = parts.system_heap.largest();
    for (unsigned core = 0; core < ChipParts::cores; ++core) made.states[core] = std::uint8_t(parts.core[core].state);
    made.ethernet_chip = place_of(ethernet_near(at));
    if (is_ethernet(at)) made.address = address(at);
    const unsigned link = wiring_.next_link(at, ethernets_.front());
    made.link_to_root = static_cast<std::uint16_t>(link >= mapping::link_count ? 7 : link);
    return {Result::ok, 0, made.write(room)};
  }

  [[nodiscard]] Answer ip_tag(mapping::Chip at, const Endpoint& from, const protocols::IpTag& of, Room& room) {
    using protocols::IpTag;
    std::array<protocols::IpTagEntry, tags>& table = tags_[at];
    switch (of.operation) {
    case IpTag::Operation::make:
    case IpTag::Operation::set: {
      unsigned tag = of.tag;
      if (of.operation == IpTag::Operation::make) { // the first that is free
        tag = 0;
        while (tag < fixed_tags && (table[tag].flags & IpTag::valid_flag) != 0) ++tag;
        if (tag == fixed_tags) return {Result::no_buffer};
      } else if (tag >= fixed_tags) {
        return {Result::bad_argument};
      }
      const bool is_reverse = (of.flags & IpTag::reverse_flag) != 0;
      if (is_reverse && of.port == 0) return {Result::bad_argument};
      protocols::IpTagEntry entry;
      const bool is_sender = (of.flags & IpTag::use_sender_flag) != 0 || of.address == std::array<std::uint8_t, 4>{};
      if (!is_reverse) {
        entry.address = is_sender ? from.address : of.address;
        entry.port = (of.flags & IpTag::use_sender_flag) != 0 && of.port == 0 ? from.port : of.port;
      }
      entry.flags = static_cast<std::uint16_t>(of.flags | IpTag::valid_flag), entry.timeout = of.timeout;
      if (is_reverse) entry.rx_port = of.port, entry.to_chip = of.to_chip, entry.to_port = of.to_port;
      table[tag] = entry;
      return with_words(room, tag);
    }
    case IpTag::Operation::get: {
      const std::size_t count = (std::max)(std::size_t{1}, std::size_t{of.port});
      if (of.tag >= tags || count > (std::min)(std::size_t{tags} - of.tag, room.size() / protocols::IpTagEntry::bytes))
        return {Result::bad_argument};
      for (std::size_t one = 0; one < count; ++one)
        table[of.tag + one].write(std::span(room).subspan(one * protocols::IpTagEntry::bytes));
      return {Result::ok, 0, count * protocols::IpTagEntry::bytes};
    }
    case IpTag::Operation::clear:
      if (of.tag >= tags) return {Result::bad_argument};
      table[of.tag] = {};
      return {Result::ok};
    case IpTag::Operation::timeout: return with_words(room, 8U << 24 | 8U << 16 | 32U << 8 | of.tag);
    }
    return {Result::bad_argument};
  }

  /// Ends applications, and takes back all that they have.
  static void stop(ChipParts& parts, const protocols::MulticastSignal& signal) {
    for (unsigned application = 0; application < 256; ++application) {
      if (((application ^ signal.application) & signal.mask) != 0) continue;
      const auto one = static_cast<std::uint8_t>(application);
      if (one == 0) continue; // the kernel's own
      parts.sdram_heap.give_back_all_of(one), parts.system_heap.give_back_all_of(one),
          parts.entry_blocks.give_back_all_of(one, [&](std::uint32_t at) { clear(parts, at); });
      for (unsigned core = 1; core < ChipParts::cores; ++core)
        if (parts.core[core].application == one && parts.core[core].state != CoreState::dead)
          parts.core[core] = {CoreState::idle, 0}, show(parts, core);
    }
  }

  const mapping::Machine& machine_;
  MonitorOptions options_;
  Wiring wiring_{machine_};
  std::vector<mapping::Chip> ethernets_{};
  std::map<mapping::Chip, std::unique_ptr<ChipParts>> chips_{};
  std::map<mapping::Chip, std::array<protocols::IpTagEntry, tags>> tags_{};
  mutable std::map<mapping::Chip, std::uint64_t> untouched_{}; // digests of chips as they are booted
  MonitorAccount account_{};
  CoreKeeper* keeper_ = nullptr;
  const Strip* strip_ = nullptr; // where there are several processes
  FloodFill flood_{};
  bool is_booted_ = true;
  protocols::BootReceiver boot_{};
  std::vector<std::uint8_t> image_{}; // while it comes
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
