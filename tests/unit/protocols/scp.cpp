// SPDX-License-Identifier: BSL-1.0
// SDP and SCP against bytes written by hand, every field of every command over its range, and messages that are cut off or wrong.
#include <neuromorph/protocols/scp.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <neuromorph/protocols/sdp.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/random_bytes.hpp"

namespace {

using namespace neuromorph::protocols;
using random_bytes::Bytes;
using random_bytes::Draw;
bool are_equal(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end());
}

} // namespace

TEST_CASE("sdp: a datagram, byte by byte") {
  const std::uint8_t data[] = {1, 2, 3};
  Sdp sdp;
  sdp.flags = Sdp::reply_wanted, sdp.tag = 0xFF, sdp.to = {.x = 4, .y = 8, .port = 1, .core = 17};
  sdp.data = data;
  std::array<std::uint8_t, 13> to{};
  REQUIRE(encode_sdp_datagram(sdp, to) == 13);
  CHECK(Bytes(to.begin(), to.end()) == Bytes{0, 0, 0x87, 0xFF, 0x31, 0xFF, 8, 4, 0, 0, 1, 2, 3});
  const Sdp reply = sdp.reply({});
  CHECK(reply.flags == 0x07);
  CHECK(!reply.wants_reply());
  CHECK((reply.to == sdp.from && reply.from == sdp.to && reply.tag == 0xFF && reply.data.empty()));
}

TEST_CASE("sdp: what is written is read; what is too short or too long is neither") {
  Draw draw{std::mt19937(1)};
  for (unsigned round = 0; round < 500; ++round) {
    const Bytes data = draw.bytes(draw(4) == 0 ? sdp_most_data : draw(sdp_most_data + 1));
    const auto end = [&] {
      SdpEnd made;
      made.x = std::uint8_t(draw()), made.y = std::uint8_t(draw()), made.port = std::uint8_t(draw(8)),
      made.core = std::uint8_t(draw(32));
      return made;
    };
    Sdp sdp;
    sdp.flags = std::uint8_t(draw()), sdp.tag = std::uint8_t(draw()), sdp.to = end(), sdp.from = end(), sdp.data = data;
    Bytes to(sdp_padding_bytes + sdp_header_bytes + data.size(), 0xEE);
    REQUIRE(encode_sdp_datagram(sdp, to) == to.size());
    const auto read = decode_sdp_datagram(to);
    REQUIRE(bool(read));
    CHECK((read.value.flags == sdp.flags && read.value.tag == sdp.tag && read.value.to == sdp.to &&
           read.value.from == sdp.from));
    CHECK(are_equal(read.value.data, data));
    Bytes small_room(draw(std::uint32_t(to.size())), 0xEE);
    const Bytes before = small_room;
    CHECK(encode_sdp_datagram(sdp, small_room) == 0);
    CHECK(small_room == before);
  }
  for (std::size_t length = 0; length < 400; ++length) {
    const Bytes bytes = draw.bytes(length);
    CHECK(decode_sdp(bytes).why == (length < 8     ? Malformed::too_short
                                    : length > 280 ? Malformed::too_long
                                                   : Malformed::none));
    CHECK(decode_sdp_datagram(bytes).why == (length < 10    ? Malformed::too_short
                                             : length > 282 ? Malformed::too_long
                                                            : Malformed::none));
  }
}

TEST_CASE("scp: requests and answers, byte by byte and over all lengths") {
  std::array<std::uint8_t, 20> to{};
  const std::uint8_t data[] = {9, 8, 7, 6};
  REQUIRE(encode_request(WriteMemory{.address = 0x60000004, .unit = AccessUnit::word, .data = data}.request(0x1234),
                         to) == 20);
  CHECK(Bytes(to.begin(), to.end()) == Bytes{3, 0, 0x34, 0x12, 4, 0, 0, 0x60, 4, 0, 0, 0, 2, 0, 0, 0, 9, 8, 7, 6});
  REQUIRE(encode_reply({ScpResult::bad_argument, 0x1234, data}, to) == 8);
  CHECK(Bytes(to.begin(), to.begin() + 8) == Bytes{0x84, 0, 0x34, 0x12, 9, 8, 7, 6});
  Draw draw{std::mt19937(2)};
  for (std::size_t length = 0; length < 300; ++length) {
    Bytes bytes = draw.bytes(length);
    const auto request = decode_request(bytes);
    CHECK(request.why == (length < 16 ? Malformed::too_short : length > 272 ? Malformed::too_long : Malformed::none));
    if (request) {
      Bytes again(length);
      CHECK(encode_request(request.value, again) == length);
      CHECK(again == bytes);
      Bytes small_room(length - 1);
      CHECK(encode_request(request.value, small_room) == 0);
    }
    if (length >= 2) bytes[0] = std::uint8_t(0x80 + draw(16)), bytes[1] = 0;
    const auto reply = decode_reply(bytes);
    CHECK(reply.why == (length < 4 ? Malformed::too_short : length > 272 ? Malformed::too_long : Malformed::none));
    if (reply) {
      Bytes again(length);
      CHECK(encode_reply(reply.value, again) == length);
      CHECK(again == bytes);
      CHECK(reply.value.argument(0) == (length >= 8 ? word_at(bytes, 4) : 0));
      CHECK(reply.value.argument(2) == (length >= 16 ? word_at(bytes, 12) : 0));
      bytes[0] = 0x7F;
      CHECK(decode_reply(bytes).why == Malformed::out_of_range);
      bytes[0] = 0x90;
      CHECK(decode_reply(bytes).why == Malformed::out_of_range);
    }
  }
  for (unsigned number = 0; number < 70000; ++number) {
    const std::vector<unsigned> known{0,  2,  3,  5,  15, 16, 17, 18, 19, 20, 21,
                                      22, 23, 24, 25, 26, 28, 29, 31, 32, 48, 57};
    const bool is_known = number < 65536 && std::ranges::count(known, number) != 0;
    if (number < 65536) CHECK(is_command(std::uint16_t(number)) == is_known);
  }
  CHECK(std::string(describe(ScpResult::ok)) == "done");
  CHECK(std::string(describe(ScpResult::packet_not_sent)) == "a packet could not be sent");
  CHECK(std::string(describe(ScpResult(0x90))) == "unknown result");
  CHECK(is_worth_another_try(ScpResult::p2p_busy));
  CHECK(!is_worth_another_try(ScpResult::bad_argument));
}

TEST_CASE("scp: arguments of commands, as they are written in the monitor's source") {
  const auto words = [](const ScpRequest& request) {
    return std::vector<std::uint32_t>(request.arguments.begin(), request.arguments.end());
  };
  using Words = std::vector<std::uint32_t>;
  CHECK(words(ReadMemory{0xE5007F00, 256, AccessUnit::word}.request(0)) == Words{0xE5007F00, 256, 2});
  CHECK(words(FillMemory{0x60000000, 0xDEADBEEF, 1024}.request(0)) == Words{0x60000000, 0xDEADBEEF, 1024});
  CHECK(words(CountCores{30, 7}.request(0)) == Words{30, 7, 0});
  CHECK(words(RemapCore{5, true}.request(0)) == Words{5, 1, 0});
  CHECK(words(ApplicationRun{{30, 1, 0x3FFFE}}.request(0)) == Words{0x1E07FFFE, 0, 0});
  CHECK(words(ApplicationStart{0x60640000, {30, 0, 2}}.request(0)) == Words{0x60640000, 0x1E000002, 0});
  CHECK(words(ApplicationCopyRun{3, 0x10, 4096, {30, 1, 2}}.request(0)) == Words{0x83, 4096, 0x1E040002});
  CHECK(words(NeighbourPacket{0x003F0000, 0x5000FF1E, 0x3F, 0, false}.request(0)) ==
        Words{0x003F0000, 0x5000FF1E, 0x3F00});
  CHECK(words(MulticastSignal{Signal::start, 0xFF, 30, 0xFFFF}.request(0)) == Words{0, 0x0003FF1E, 0xFFFF});
  CHECK(words(CountSignal{0, CountSignal::Mode::count, 7, 30, 0xFFFF}.request(0)) == Words{1, 0x0067FF1E, 0xFFFF});
  CHECK(words(FloodFillData{0x3F, 0x1F, 2, 1, 0x67800000, std::array<std::uint8_t, 8>{}}.request(0)) ==
        Words{0x3F1F0002, 0x00010100, 0x67800000});
  CHECK(words(SetLeds{0x0D}.request(0)) == Words{0x0D, 0, 0});
  IpTag tag;
  tag.operation = IpTag::Operation::make, tag.tag = 2, tag.flags = IpTag::strip_flag | IpTag::reverse_flag,
  tag.to_port = 0x25;
  tag.to_chip = 0x0102, tag.port = 12345, tag.address = {192, 168, 240, 1};
  CHECK(words(tag.request(0)) == Words{0x30002502, 0x01023039, 0x01F0A8C0});
  CHECK(words(Allocate{Allocate::Operation::sdram, 30, Allocate::same_tag_flag, 4096, 5}.request(0)) ==
        Words{0x00041E00, 4096, 5});
  CHECK(words(RouterCommand{RouterCommand::Operation::load, 30, 7, 0x60640000, 100}.request(0)) ==
        Words{0x00071E02, 0x60640000, 100});
  CHECK(words(Synchronise{true}.request(0)) == Words{1, 0, 0});
  CHECK(words(BoardPower{500, true, 7}.request(0)) == Words{0x01F40001, 7, 0});
  CHECK(words(BoardInfo{BoardInfo::What::sensors}.request(0)) == Words{3, 0, 0});
}

namespace {

/// A request that is read is written as the same again, whatever its arguments; what is read and what is not is counted.
template <class Command>
void go_round(Draw& draw, unsigned least_read) {
  unsigned read = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    Bytes data;
    ScpRequest request{std::uint16_t(Command::command), std::uint16_t(draw()), {}, {}};
    for (auto& one : request.arguments) {
      one = draw() >> draw(33) % 32;
      if (draw(4) == 0) one = draw(8);
      if (draw(8) == 0) one &= 0xFFFF0000U;
    }
    if (draw(2) == 0) request.arguments[1] = draw(260);
    if (draw(2) == 0) request.arguments[1] &= ~3U;
    if (draw(2) == 0) request.arguments[0] &= ~3U;
    const std::uint32_t wanted = Command::command == ScpCommand::flood_fill_data
                                     ? ((request.arguments[1] >> 8 & 0xFF) + 1) * 4
                                     : request.arguments[1];
    data = draw.bytes(draw(4) == 0 ? draw(257) : (std::min)(wanted, 256U));
    const bool has_data = Command::command == ScpCommand::write || Command::command == ScpCommand::link_write ||
                          Command::command == ScpCommand::flood_fill_data;
    if (has_data) request.data = data;
    const auto command = Command::of(request);
    if (!command) continue;
    ++read;
    const ScpRequest again = command.value.request(request.sequence);
    CHECK(again.command == request.command);
    CHECK(again.sequence == request.sequence);
    CHECK(are_equal(again.data, request.data));
    const auto twice = Command::of(again);
    REQUIRE(bool(twice));
    CHECK(twice.value.request(request.sequence).arguments == again.arguments);
  }
  CHECK(read >= least_read);
}

} // namespace

TEST_CASE("scp: what is read of a command is what is written of it") {
  Draw draw{std::mt19937(3)};
  go_round<AskVersion>(draw, 20000);
  go_round<ReadMemory>(draw, 1000);
  go_round<WriteMemory>(draw, 1000);
  go_round<FillMemory>(draw, 1000);
  go_round<LinkRead>(draw, 500);
  go_round<LinkWrite>(draw, 300);
  go_round<CountCores>(draw, 500);
  go_round<RemapCore>(draw, 20);
  go_round<ApplicationRun>(draw, 1000);
  go_round<ApplicationStart>(draw, 1000);
  go_round<ApplicationCopyRun>(draw, 1000);
  go_round<NeighbourPacket>(draw, 1000);
  go_round<AnySignal>(draw, 1000);
  go_round<FloodFillData>(draw, 50);
  go_round<SetLeds>(draw, 20000);
  go_round<IpTag>(draw, 1000);
  go_round<Allocate>(draw, 1000);
  go_round<RouterCommand>(draw, 1000);
  go_round<AskChip>(draw, 20000);
  go_round<Synchronise>(draw, 500);
  go_round<BoardPower>(draw, 100);
  go_round<BoardInfo>(draw, 500);
}

TEST_CASE("scp: what may not be is refused by its reason") {
  const auto request = [](ScpCommand command, std::uint32_t first, std::uint32_t second = 0, std::uint32_t third = 0,
                          std::span<const std::uint8_t> data = {}) {
    return ScpRequest{std::uint16_t(command), 0, {first, second, third}, data};
  };
  const Bytes four(4), block(256);
  CHECK(ReadMemory::of(request(ScpCommand::read, 0, 257)).why == Malformed::out_of_range);
  CHECK(ReadMemory::of(request(ScpCommand::read, 0, 256, 3)).why == Malformed::out_of_range);
  CHECK(ReadMemory::of(request(ScpCommand::read, 2, 4, 2)).why == Malformed::not_aligned);
  CHECK(ReadMemory::of(request(ScpCommand::read, 2, 4, 1)).why == Malformed::none);
  CHECK(ReadMemory::of(request(ScpCommand::read, 4, 6, 2)).why == Malformed::not_aligned);
  CHECK(WriteMemory::of(request(ScpCommand::write, 0, 5, 0, four)).why == Malformed::length_differs);
  CHECK(WriteMemory::of(request(ScpCommand::write, 0, 3, 0, four)).why == Malformed::length_differs);
  CHECK(WriteMemory::of(request(ScpCommand::write, 0, 4, 3, four)).why == Malformed::out_of_range);
  CHECK(WriteMemory::of(request(ScpCommand::write, 1, 4, 1, four)).why == Malformed::not_aligned);
  CHECK(FillMemory::of(request(ScpCommand::fill, 2, 0, 4)).why == Malformed::not_aligned);
  CHECK(LinkRead::of(request(ScpCommand::link_read, 0, 4, 6)).why == Malformed::out_of_range);
  CHECK(LinkRead::of(request(ScpCommand::link_read, 0, 260, 0)).why == Malformed::out_of_range);
  CHECK(LinkRead::of(request(ScpCommand::link_read, 0, 2, 0)).why == Malformed::not_aligned);
  CHECK(LinkWrite::of(request(ScpCommand::link_write, 0, 8, 0, four)).why == Malformed::length_differs);
  CHECK(CountCores::of(request(ScpCommand::count_cores, 256)).why == Malformed::out_of_range);
  CHECK(CountCores::of(request(ScpCommand::count_cores, 1, 16)).why == Malformed::out_of_range);
  CHECK(RemapCore::of(request(ScpCommand::remap_core, 18)).why == Malformed::out_of_range);
  CHECK(ApplicationRun::of(request(ScpCommand::application_run, 0x1E000003)).why == Malformed::out_of_range);
  CHECK(ApplicationStart::of(request(ScpCommand::application_start, 2, 0x1E000002)).why == Malformed::not_aligned);
  CHECK(ApplicationCopyRun::of(request(ScpCommand::application_copy_run, 6, 0, 2)).why == Malformed::out_of_range);
  CHECK(NeighbourPacket::of(request(ScpCommand::nearest_neighbour_packet, 0, 0, 1U << 16)).why ==
        Malformed::out_of_range);
  CHECK(AnySignal::of(request(ScpCommand::signal, 3)).why == Malformed::out_of_range);
  CHECK(AnySignal{AnySignal::By::multicast, 14U << 16, 0}.multicast().why == Malformed::out_of_range);
  CHECK(AnySignal{AnySignal::By::p2p, 0, 0}.multicast().why == Malformed::out_of_range);
  CHECK(AnySignal{AnySignal::By::p2p, 0x0077FF1E, 0}.count().why == Malformed::out_of_range);
  CHECK(FloodFillData::of(request(ScpCommand::flood_fill_data, 2, 63U << 8, 0, block)).why == Malformed::none);
  CHECK(FloodFillData::of(request(ScpCommand::flood_fill_data, 2, 64U << 8, 0, block)).why == Malformed::out_of_range);
  CHECK(FloodFillData::of(request(ScpCommand::flood_fill_data, 2, 62U << 8, 0, block)).why ==
        Malformed::length_differs);
  CHECK(FloodFillData::of(request(ScpCommand::flood_fill_data, 2, 63U << 8, 1, block)).why == Malformed::not_aligned);
  CHECK(FloodFillData::of(request(ScpCommand::flood_fill_data, 0x102, 63U << 8, 0, block)).why ==
        Malformed::out_of_range);
  CHECK(IpTag::of(request(ScpCommand::ip_tag, 5U << 16)).why == Malformed::out_of_range);
  CHECK(Allocate::of(request(ScpCommand::allocate, 8)).why == Malformed::out_of_range);
  CHECK(RouterCommand::of(request(ScpCommand::router, 4)).why == Malformed::out_of_range);
  CHECK(Synchronise::of(request(ScpCommand::synchronise, 2)).why == Malformed::out_of_range);
  CHECK(BoardInfo::of(request(ScpCommand::bmp_info, 1)).why == Malformed::out_of_range);
  CHECK(BoardPower::of(request(ScpCommand::bmp_power, 2)).why == Malformed::out_of_range);
  MalformedCounts counts;
  for (unsigned times = 0; times < 3; ++times) counts.add(Malformed::too_long);
  counts.add(Malformed::not_aligned), counts.add(Malformed::none);
  CHECK((counts[Malformed::too_long] == 3 && counts[Malformed::not_aligned] == 1 && counts.all() == 4));
  for (unsigned why = 0; why < malformed_reasons; ++why) CHECK(std::string(describe(Malformed(why))) != "unknown");
  CHECK(std::string(describe(Malformed(malformed_reasons))) == "unknown");
}

TEST_CASE("scp: signals, lights and tags in parts") {
  const auto count = AnySignal::of(CountSignal{2, CountSignal::Mode::any, 15, 66, 0x1234}.request(0)).value.count();
  REQUIRE(bool(count));
  CHECK((count.value.level == 2 && count.value.mode == CountSignal::Mode::any && count.value.state == 15 &&
         count.value.application == 66 && count.value.region == 0x1234));
  const auto stop = AnySignal::of(MulticastSignal{Signal::stop, 0xFE, 66, 1}.request(0)).value.multicast();
  REQUIRE(bool(stop));
  CHECK((stop.value.signal == Signal::stop && stop.value.mask == 0xFE && stop.value.application == 66 &&
         stop.value.chips == 1));
  const SetLeds lights{0b11'10'01'00};
  CHECK(lights.light(0) == SetLeds::Light::leave);
  CHECK(lights.light(1) == SetLeds::Light::toggle);
  CHECK(lights.light(2) == SetLeds::Light::off);
  CHECK(lights.light(3) == SetLeds::Light::on);
  Draw draw{std::mt19937(4)};
  for (unsigned round = 0; round < 200; ++round) {
    Bytes bytes = draw.bytes(IpTagEntry::bytes);
    std::fill(bytes.begin() + 25, bytes.end(), std::uint8_t{0});
    const auto entry = IpTagEntry::of(bytes);
    REQUIRE(bool(entry));
    Bytes again(IpTagEntry::bytes, 0xEE);
    entry.value.write(again);
    CHECK(again == bytes);
    bytes.pop_back();
    CHECK(IpTagEntry::of(bytes).why == Malformed::too_short);
  }
}

TEST_CASE("scp: versions in both forms, and chips with and without a link to the root") {
  const auto text = [](std::span<const char> of) { return std::string(of.begin(), of.end()); };
  std::array<char, 64> letters{};
  std::array<std::uint8_t, 64> bytes{};
  Version version;
  version.chip = 0x0408, version.physical_core = 3, version.virtual_core = 0, version.built = 1700000000;
  version.name = std::string_view("SC&MP/SpiNNaker"), version.number = std::string_view("4.0.0");
  std::size_t count = version.write(bytes);
  REQUIRE(count == 12 + 16 + 6);
  CHECK((bytes[0] == 0 && bytes[1] == 3 && bytes[2] == 8 && bytes[3] == 4 && word_at(bytes, 4) == 0xFFFF0100));
  const auto read = Version::of({ScpResult::ok, 0, std::span(bytes).first(count)}, letters);
  REQUIRE(bool(read));
  CHECK((text(read.value.name) == "SC&MP/SpiNNaker" && text(read.value.number) == "4.0.0" &&
         read.value.chip == 0x0408 && read.value.physical_core == 3 && read.value.built == 1700000000 &&
         read.value.buffer_bytes == 256));
  for (std::size_t length = 0; length < count; ++length) {
    CHECK(!Version::of({ScpResult::ok, 0, std::span(bytes).first(length)}, letters));
    std::array<std::uint8_t, 64> room{};
    CHECK(version.write(std::span(room).first(length)) == 0);
  }
  CHECK(Version::of({ScpResult::ok, 0, std::span(bytes).first(count)}, std::span(letters).first(19)).why ==
        Malformed::out_of_range);
  version.version = 133;
  count = version.write(bytes);
  REQUIRE(count == 12 + 16);
  const auto older = Version::of({ScpResult::ok, 0, std::span(bytes).first(count)}, letters);
  REQUIRE(bool(older));
  CHECK((older.value.version == 133 && older.value.number.empty()));

  Draw draw{std::mt19937(5)};
  for (unsigned round = 0; round < 500; ++round) {
    ChipInfo info;
    info.cores = std::uint8_t(draw(32)), info.links = std::uint8_t(draw(64)),
    info.most_entries = std::uint16_t(draw(2048));
    info.has_ethernet = draw(2) != 0, info.most_sdram = draw(), info.most_system_ram = draw();
    for (auto& one : info.states) one = std::uint8_t(draw(16));
    for (auto& one : info.address) one = std::uint8_t(draw());
    info.ethernet_chip = std::uint16_t(draw()), info.link_to_root = draw(2) != 0 ? 0xFFFF : std::uint16_t(draw(6));
    std::array<std::uint8_t, 38> to{};
    const std::size_t size = info.write(to);
    REQUIRE(size == (info.link_to_root == 0xFFFF ? 36 : 38));
    const auto back = ChipInfo::of({ScpResult::ok, 0, std::span(to).first(size)});
    REQUIRE(bool(back));
    CHECK(back.value == info);
    CHECK(ChipInfo::of({ScpResult::ok, 0, std::span(to).first(draw(36))}).why == Malformed::too_short);
    CHECK(info.write(std::span(to).first(draw(std::uint32_t(size)))) == 0);
  }
}

namespace {
constexpr bool is_constant() {
  std::array<std::uint8_t, 32> bytes{};
  const std::size_t count = encode_request(ReadMemory{0x70000000, 64, AccessUnit::word}.request(7), bytes);
  const auto request = decode_request(std::span<const std::uint8_t>(bytes).first(count));
  const auto read = ReadMemory::of(request.value);
  std::array<std::uint8_t, 32> datagram{};
  const std::size_t sent =
      encode_sdp_datagram({.to = {1, 2, 0, 0}, .data = std::span<const std::uint8_t>(bytes).first(count)}, datagram);
  const auto sdp = decode_sdp_datagram(std::span<const std::uint8_t>(datagram).first(sent));
  return read && read.value.length == 64 && sent == 26 && sdp && sdp.value.to.y == 2;
}
static_assert(is_constant());
} // namespace
