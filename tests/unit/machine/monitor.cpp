// SPDX-License-Identifier: BSL-1.0
// Monitors as a host meets them: datagrams in, datagrams out. Memory, heaps, routers and tags against plain ones; what is refused changes
// nothing, whatever it is.
#include <neuromorph/machine/monitor.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/mapping/boards.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/scp_host.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
using protocols::ScpResult;
using scp_host::Answered;
using scp_host::Bytes;
using scp_host::Client;
using scp_host::Draw;

mapping::Machine three_boards() {
  mapping::Machine made = mapping::machine_of_triads(1, 1, {.wraps_x = true, .wraps_y = true}).value();
  made.remove_chip(made.chip_at(5, 5));
  made.remove_core(made.chip_at(1, 0), 3);
  made.remove_link(made.chip_at(0, 0), mapping::Link::north);
  return made;
}

} // namespace

TEST_CASE("monitor: who is there, and what a chip has") {
  const mapping::Machine of = three_boards();
  machine::Monitors monitors(of, {});
  REQUIRE(monitors.ethernets().size() == 3);
  Client client{monitors};
  const auto version = client.ask(255, 255, protocols::AskVersion{});
  CHECK(version.result == ScpResult::ok);
  std::array<char, 64> letters{};
  const auto read = protocols::Version::of({ScpResult::ok, 0, version.data}, letters);
  REQUIRE(bool(read));
  CHECK(std::string(read.value.name.begin(), read.value.name.end()) == "SC&MP/SpiNNaker");
  CHECK(std::string(read.value.number.begin(), read.value.number.end()) == "4.0.0");
  CHECK((read.value.chip == 0 && read.value.buffer_bytes == 256));
  // Of the chip with a broken core: virtual core 3 is physical core 4.
  const auto kernel = client.ask(1, 0, 3, protocols::AskVersion{}.request(9));
  CHECK(protocols::Version::of({ScpResult::ok, 0, kernel.data}, letters).value.physical_core == 4);
  CHECK(client.ask(1, 0, 16, protocols::AskVersion{}.request(9)).result == ScpResult::ok);
  CHECK(client.ask(1, 0, 17, protocols::AskVersion{}.request(9)).result == ScpResult::bad_core);
  CHECK(client.ask(5, 5, 0, protocols::AskVersion{}.request(9)).result == ScpResult::no_route);
  CHECK(client.ask(12, 0, 0, protocols::AskVersion{}.request(9)).result == ScpResult::no_route);
  CHECK(client.ask(0, 0, 0, protocols::AskVersion{}.request(9), 1).result == ScpResult::bad_port);

  for (mapping::Chip chip = 0; chip < of.grid_chips(); ++chip) {
    if (!of.has(chip)) continue;
    const auto info = client.ask(of.x(chip), of.y(chip), protocols::AskChip{});
    REQUIRE(info.result == ScpResult::ok);
    const auto told = protocols::ChipInfo::of({ScpResult::ok, 0, info.data});
    REQUIRE(bool(told));
    CHECK(told.value.cores == (chip == of.chip_at(1, 0) ? 17 : 18));
    for (unsigned link = 0; link < 6; ++link)
      CHECK((told.value.links >> link & 1) == (of.neighbour(chip, mapping::Link(link)) != mapping::no_chip ? 1 : 0));
    CHECK((told.value.most_entries == 1023 && told.value.most_sdram == 123469792 - 8));
    const mapping::Chip ethernet = of.ethernet_of(chip);
    CHECK(told.value.ethernet_chip == (of.x(ethernet) << 8 | of.y(ethernet)));
    CHECK(told.value.has_ethernet == (chip == ethernet));
    CHECK(told.value.states[0] == 7);
    CHECK(told.value.states[17] == (chip == of.chip_at(1, 0) ? 0 : 15));
  }
}

TEST_CASE("monitor: variables and the table of next links are where hosts look for them") {
  const mapping::Machine of = three_boards();
  machine::Monitors monitors(of, {});
  Client client{monitors};
  const auto variables = client.ask(4, 8, protocols::ReadMemory{0xF5007F00, 256, protocols::AccessUnit::word});
  REQUIRE(variables.data.size() == 256);
  CHECK(protocols::half_at(variables.data, 0x00) == 0x0408);
  CHECK(protocols::half_at(variables.data, 0x02) == 0x0C0C);
  CHECK(variables.data[0x0B] == 1);
  CHECK(protocols::half_at(variables.data, 0x24) == 200);
  CHECK(variables.data[0xBC] == 18);
  CHECK((variables.data[0xF0] == 127 && variables.data[0xF3] >= 2 && variables.data[0xF3] <= 4));
  CHECK(client.ask(4, 8, protocols::ReadMemory{0xE5007F00, 256, protocols::AccessUnit::word}).data == variables.data);
  // Every link of the table leads one step nearer to its goal: walked to the end, it is the goal.
  for (unsigned from = 0; from < 144; from += 7) {
    const mapping::Chip start = from;
    if (!of.has(start)) continue;
    for (unsigned x = 0; x < 14; x += 3)
      for (unsigned y = 0; y < 14; ++y) {
        const bool is_there = x < 12 && y < 12 && of.has(of.chip_at(x, y));
        mapping::Chip at = start;
        unsigned steps = 0;
        for (;; ++steps) {
          const auto word =
              client.ask(of.x(at), of.y(at),
                         protocols::ReadMemory{0xE1010000 + (256 * x + y) / 8 * 4, 4, protocols::AccessUnit::word});
          const unsigned link = word.word(0) >> 3 * (y % 8) & 7;
          if (link >= 6) {
            CHECK(link == (is_there ? 7U : 6U));
            CHECK((!is_there || at == of.chip_at(x, y)));
            break;
          }
          at = of.neighbour(at, mapping::Link(link));
          REQUIRE(at != mapping::no_chip);
          REQUIRE(steps < 30);
        }
      }
  }
}

TEST_CASE("monitor: memory is kept by chip, read over links, and never outside") {
  const mapping::Machine of = three_boards();
  machine::Monitors monitors(of, {});
  Client client{monitors};
  Draw draw{std::mt19937(1)};
  std::map<std::pair<unsigned, std::uint32_t>, std::uint8_t> plain; // of two chips
  const unsigned xs[] = {0, 1};
  for (unsigned round = 0; round < 2000; ++round) {
    const unsigned x = xs[draw(2)];
    const std::uint32_t offset = draw(3) == 0 ? 0x8000000 - draw(300) : 0x100000 + draw(600);
    const std::uint32_t address = (draw(2) == 0 ? 0x60000000 : 0x70000000) + offset;
    const Bytes data = draw.bytes(draw(257));
    const bool holds = offset + data.size() <= 0x8000000;
    const auto unit = protocols::unit_of(address, static_cast<std::uint32_t>(data.size()));
    const bool is_by_link = x == 1 && draw(3) == 0 && unit == protocols::AccessUnit::word;
    if (draw(2) == 0) {
      const auto done = is_by_link ? client.ask(0, 0, protocols::LinkWrite{address, 0, data})
                                   : client.ask(x, 0, protocols::WriteMemory{address, unit, data});
      CHECK(done.result == (holds ? ScpResult::ok : ScpResult::bad_argument));
      if (holds)
        for (std::size_t at = 0; at < data.size(); ++at) plain[{x, offset + static_cast<std::uint32_t>(at)}] = data[at];
    } else {
      const auto count = static_cast<std::uint32_t>(data.size());
      const auto read = is_by_link ? client.ask(0, 0, protocols::LinkRead{address, count, 0})
                                   : client.ask(x, 0, protocols::ReadMemory{address, count, unit});
      CHECK(read.result == (holds ? ScpResult::ok : ScpResult::bad_argument));
      if (!holds) continue;
      Bytes expected(count);
      for (std::uint32_t at = 0; at < count; ++at)
        if (const auto found = plain.find({x, offset + at}); found != plain.end()) expected[at] = found->second;
      CHECK(read.data == expected);
    }
  }
  CHECK(client.ask(0, 0, protocols::FillMemory{0x60000100, 0x01020304, 8}).result == ScpResult::ok);
  CHECK(client.ask(0, 0, protocols::ReadMemory{0x70000104, 4}).word(0) == 0x01020304);
  CHECK(client.ask(0, 0, protocols::FillMemory{0x67FFFFFC, 1, 8}).result == ScpResult::bad_argument);
  CHECK(client.ask(0, 0, protocols::ReadMemory{0x00400000, 4}).result == ScpResult::bad_argument);
  CHECK(client.ask(0, 0, protocols::LinkRead{0x60000000, 4, 2}).result == ScpResult::timeout); // the link that is dead
}

TEST_CASE("monitor: what routers are loaded with is where packets go; stopped, an application has nothing left") {
  const mapping::Machine of = three_boards();
  machine::Monitors monitors(of, {});
  Client client{monitors};
  const auto load = [&](unsigned x, std::uint8_t application, std::uint32_t key, std::uint32_t mask,
                        std::uint32_t route) {
    const auto first =
        client.ask(x, 0, protocols::Allocate{protocols::Allocate::Operation::entries, application, 0, 1, 0}).word(0);
    REQUIRE(first != 0);
    Bytes entry(32, 0xFF);
    protocols::put_half(entry, 0, 0), protocols::put_half(entry, 2, 0);
    protocols::put_word(entry, 4, route), protocols::put_word(entry, 8, key), protocols::put_word(entry, 12, mask);
    REQUIRE(client.ask(x, 0, protocols::WriteMemory{0x67800000, protocols::AccessUnit::word, entry}).result ==
            ScpResult::ok);
    REQUIRE(
        client
            .ask(x, 0,
                 protocols::RouterCommand{protocols::RouterCommand::Operation::load, application, 2, 0x67800000, first})
            .result == ScpResult::ok);
    // Where hosts read it.
    const auto back = client.ask(x, 0, protocols::ReadMemory{0x67A00000 + 16 * first, 16, protocols::AccessUnit::word});
    CHECK(back.word(1) == (route | std::uint32_t{application} << 24));
    CHECK((back.word(2) == key && back.word(3) == mask));
    CHECK(client.ask(x, 0, protocols::ReadMemory{0xE1008000 + 4 * first, 4}).word(0) == key);
    CHECK(client.ask(x, 0, protocols::ReadMemory{0xE100C000 + 4 * first, 4}).word(0) == mask);
    CHECK(client.ask(x, 0, protocols::ReadMemory{0xE1004000 + 4 * first, 4}).word(0) == route);
  };
  load(0, 30, 0x10, 0xFFFFFFF0, 1);                 // east
  load(3, 30, 0x10, 0xFFFFFFF0, 1U << (6 + 5) | 1); // core 5, and east
  load(4, 31, 0x10, 0xFFFFFFFF, 1U << (6 + 2));     // core 2, of this key alone
  std::vector<machine::CoreAt> to;
  monitors.deliveries(0, 0x10, to); // over two chips without an entry
  CHECK(to == std::vector<machine::CoreAt>{{3, 5}, {4, 2}});
  to.clear();
  monitors.deliveries(0, 0x30, to);
  CHECK(to.empty());
  const auto tag = client.ask(0, 0, protocols::Allocate{protocols::Allocate::Operation::sdram, 30, 0, 1000, 7}).word(0);
  CHECK(tag == 0x60000010);
  CHECK(client.ask(0, 0, protocols::Allocate{protocols::Allocate::Operation::sdram_of_tag, 30, 0, 7, 0}).word(0) ==
        tag);
  CHECK(client.ask(0, 0, protocols::Allocate{protocols::Allocate::Operation::sdram, 30, 0, 1000, 7}).word(0) == 0);
  CHECK(client.ask(0, 0, protocols::Allocate{protocols::Allocate::Operation::sdram, 30, 4, 1000, 7}).word(0) == tag);
  CHECK(client.ask(0, 0, protocols::Allocate{protocols::Allocate::Operation::sdram_left, 0, 0, 0, 0}).word(0) ==
        123469792 - 1008);
  CHECK(client.ask(1, 0, protocols::MulticastSignal{protocols::Signal::stop, 0xFF, 30, 0xFFFF}).result ==
        ScpResult::bad_argument);
  CHECK(client.ask(0, 0, protocols::MulticastSignal{protocols::Signal::stop, 0xFF, 30, 0xFFFF}).result ==
        ScpResult::ok);
  CHECK(client.ask(0, 0, protocols::Allocate{protocols::Allocate::Operation::sdram_left, 0, 0, 0, 0}).word(0) ==
        123469792);
  to.clear();
  monitors.deliveries(3, 0x10, to);
  CHECK(to.empty());
  monitors.deliveries(4, 0x10, to);
  CHECK(to == std::vector<machine::CoreAt>{{4, 2}}); // of another application
  // Fixed routes.
  CHECK(client.ask(2, 0, protocols::RouterCommand{protocols::RouterCommand::Operation::fixed_route, 0, 0, 0x41, 0})
            .result == ScpResult::ok);
  CHECK(
      client.ask(2, 0, protocols::RouterCommand{protocols::RouterCommand::Operation::fixed_route, 0, 0, 0x80000000, 0})
          .word(0) == 0x41);
}

TEST_CASE("monitor: tags") {
  const mapping::Machine of = three_boards();
  machine::Monitors monitors(of, {});
  Client client{monitors};
  protocols::IpTag tag;
  tag.operation = protocols::IpTag::Operation::set, tag.tag = 3, tag.port = 12345,
  tag.flags = protocols::IpTag::strip_flag;
  CHECK(client.ask(0, 0, tag).word(0) == 3);
  tag.tag = 4, tag.flags = protocols::IpTag::reverse_flag, tag.to_chip = 0x0102, tag.to_port = 0x25;
  CHECK(client.ask(0, 0, tag).word(0) == 4);
  protocols::IpTag get;
  get.tag = 3, get.port = 2;
  const auto both = client.ask(0, 0, get);
  REQUIRE(both.data.size() == 64);
  const auto first = protocols::IpTagEntry::of(both.data).value;
  CHECK((first.address == std::array<std::uint8_t, 4>{10, 1, 2, 3} && first.port == 12345 && first.flags == 0x8100));
  const auto second = protocols::IpTagEntry::of(std::span<const std::uint8_t>(both.data).subspan(32)).value;
  CHECK((second.rx_port == 12345 && second.to_chip == 0x0102 && second.to_port == 0x25 && second.flags == 0x8200));
  CHECK(client.ask(1, 0, get).result == ScpResult::bad_argument); // no Ethernet there
  get.tag = 15;
  CHECK(client.ask(0, 0, get).result == ScpResult::bad_argument);
  tag.tag = 8;
  CHECK(client.ask(0, 0, tag).result == ScpResult::bad_argument);
  tag.operation = protocols::IpTag::Operation::make, tag.flags = 0;
  for (const unsigned free : {0U, 1U, 2U, 5U, 6U, 7U}) CHECK(client.ask(0, 0, tag).word(0) == free);
  CHECK(client.ask(0, 0, tag).result == ScpResult::no_buffer);
  get.operation = protocols::IpTag::Operation::clear, get.tag = 5;
  CHECK(client.ask(0, 0, get).result == ScpResult::ok);
  CHECK(client.ask(0, 0, tag).word(0) == 5);
}

TEST_CASE("monitor: random datagrams leave a machine that answers; what is refused has changed nothing") {
  const mapping::Machine of = three_boards();
  machine::Monitors monitors(of, {});
  Draw draw{std::mt19937(3)};
  Client client{monitors};
  const std::uint16_t commands[] = {0,  1,  2,  3,  5,  15, 16, 17, 18, 19, 20, 21,
                                    22, 23, 24, 25, 26, 28, 29, 31, 32, 48, 57, 60};
  std::uint64_t changed = 0, refused = 0, answered = 0;
  std::uint64_t digest = 0;
  for (mapping::Chip chip = 0; chip < of.grid_chips(); ++chip)
    if (of.has(chip) && of.x(chip) < 3 && of.y(chip) < 3)
      static_cast<void>(monitors.chip(chip)); // so that touching one is no change
  for (mapping::Chip chip : monitors.ethernets()) static_cast<void>(monitors.chip(chip));
  client.ask(0, 0, protocols::IpTag{});
  digest = monitors.digest();
  for (unsigned round = 0; round < 6000; ++round) {
    Bytes bytes;
    if (draw(10) == 0) {
      bytes = draw.bytes(draw(300));
      if (bytes.size() > 8) bytes[6] %= 3, bytes[7] %= 3;
    } else {
      protocols::ScpRequest request{commands[draw(24)], std::uint16_t(draw()), {}, {}};
      for (auto& one : request.arguments) one = draw(3) == 0 ? draw() >> draw(32) : draw(40);
      if (draw(3) == 0)
        request.arguments[0] = (draw(4) == 0 ? 0xF1000000U : draw(2) == 0 ? 0x60000000U : 0xF5000000U) + draw(70000);
      if (draw(4) == 0) request.arguments[1] = draw(257);
      const Bytes data = draw.bytes(draw(2) == 0 ? draw(257) : (std::min)(request.arguments[1], 256U));
      if (draw(2) == 0 && (request.command == 3 || request.command == 5)) // of these some that are right
        request.arguments = {0x60000000 + 4 * draw(5000),
                             request.command == 3 ? static_cast<std::uint32_t>(data.size()) : draw(),
                             request.command == 3 ? 0 : 4 * draw(9)};
      request.data = data;
      Bytes scp(300);
      scp.resize(protocols::encode_request(request, scp));
      protocols::Sdp sdp;
      sdp.flags = draw(8) == 0 ? 0x07 : 0x87,
      sdp.to = {std::uint8_t(draw(3)), std::uint8_t(draw(3)), std::uint8_t(draw(20) == 0),
                std::uint8_t(draw(4) == 0 ? draw(32) : 0)};
      sdp.data = scp;
      bytes.resize(300);
      bytes.resize(protocols::encode_sdp_datagram(sdp, bytes));
    }
    std::vector<machine::Datagram> answers;
    const std::uint64_t unanswered = monitors.account().unanswered;
    monitors.take(0, client.own, bytes, answers);
    const std::uint64_t now = monitors.digest();
    answered += answers.size();
    const bool may_change =
        monitors.account().unanswered != unanswered ||
        (!answers.empty() && protocols::half_at(answers[0].bytes, 10) == std::uint16_t(ScpResult::ok));
    if (!may_change) {
      ++refused;
      if (now != digest) FAIL("round " << round << ": what was refused has changed something");
    }
    changed += now != digest;
    digest = now;
  }
  CHECK(changed > 50);
  CHECK(refused > 1000);
  CHECK(answered > 3000);
  CHECK(monitors.account().malformed.all() > 100);
  CHECK(client.ask(0, 0, protocols::AskVersion{}).result == ScpResult::ok);
}
