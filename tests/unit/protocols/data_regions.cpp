// SPDX-License-Identifier: BSL-1.0
// Tables of regions and recordings, images and their boot, runs, re-injection and fast data: bytes by hand, round trips, cut off anywhere.
#include <neuromorph/protocols/data_regions.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <neuromorph/protocols/aplx.hpp>
#include <neuromorph/protocols/boot.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/fast_data.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/random_bytes.hpp"

namespace {

using namespace neuromorph::protocols;
using random_bytes::Bytes;
using random_bytes::Draw;

} // namespace

TEST_CASE("data_regions: the table of a core, and what is in its regions") {
  Draw draw{std::mt19937(1)};
  for (unsigned round = 0; round < 50; ++round) {
    DataRegionTable table;
    for (DataRegion& one : table.region) one = {draw() & ~3U, draw(), draw()};
    Bytes bytes(DataRegionTable::bytes);
    REQUIRE(bytes.size() == 392);
    table.write(bytes);
    CHECK((bytes[0] == 0xD6 && bytes[1] == 0x0A && bytes[2] == 0x13 && bytes[3] == 0xAD && bytes[6] == 1));
    const auto read = DataRegionTable::of(bytes);
    REQUIRE(bool(read));
    CHECK(read.value.region == table.region);
    CHECK(word_at(bytes, 8 + 12 * 31 + 8) == table.region[31].words);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      CHECK(DataRegionTable::of(std::span(bytes).first(length)).why == Malformed::too_short);
    bytes[draw(4)] ^= 1;
    CHECK(DataRegionTable::of(bytes).why == Malformed::wrong_magic);
    table.write(bytes), bytes[4 + draw(4)] ^= 4;
    CHECK(DataRegionTable::of(bytes).why == Malformed::wrong_version);
    table.region[draw(32)].address |= 1 + draw(3);
    table.write(bytes);
    CHECK(DataRegionTable::of(bytes).why == Malformed::not_aligned);

    Bytes words = draw.bytes(4 * (1 + draw(50)));
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < words.size(); at += 4)
      sum += words[at] + 256U * words[at + 1] + 65536U * words[at + 2] + 16777216U * words[at + 3];
    const DataRegion entry{0, sum, static_cast<std::uint32_t>(words.size() / 4)};
    CHECK(checksum_of(words) == sum);
    CHECK(DataRegionTable::check(entry, words) == Malformed::none);
    CHECK(DataRegionTable::check(entry, std::span(words).first(words.size() - 1)) == Malformed::too_short);
    words.push_back(7); // what follows is not looked at
    CHECK(DataRegionTable::check(entry, words) == Malformed::none);
    words[draw(static_cast<std::uint32_t>(words.size() - 1))] ^= 0x10;
    CHECK(DataRegionTable::check(entry, words) == Malformed::wrong_checksum);
    CHECK(DataRegionTable::check({}, words) == Malformed::none); // a core has looked at it
  }
  const auto system = SystemRegion::of(Bytes{1, 0, 0, 0, 0xE8, 3, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0});
  REQUIRE(bool(system));
  CHECK((system.value.period_us == 1000 && system.value.control_port == 3 && system.value.timing_words == 5));
  Bytes written(16);
  system.value.write(written);
  CHECK(written == Bytes{1, 0, 0, 0, 0xE8, 3, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0});
  written[8] = 8;
  CHECK(SystemRegion::of(written).why == Malformed::out_of_range);
  CHECK(SystemRegion::of(Bytes(15)).why == Malformed::too_short);
}

TEST_CASE("data_regions: recordings") {
  Draw draw{std::mt19937(2)};
  for (std::size_t channels = 0; channels < 20; ++channels) {
    std::vector<RecordingRegion> regions(channels);
    for (RecordingRegion& one : regions) {
      one.room = draw(), one.written = draw((std::min)(one.room, 0x7FFFFFFFU)), one.is_missing = draw(2) != 0;
      one.address = draw();
    }
    Bytes bytes(RecordingRegions::bytes(channels));
    REQUIRE(bytes.size() == 4 + 12 * channels);
    RecordingRegions::write(regions, bytes);
    const auto table = RecordingRegions::of(bytes);
    REQUIRE(bool(table));
    REQUIRE(table.value.channels() == channels);
    for (std::size_t channel = 0; channel < channels; ++channel) CHECK(table.value[channel].value == regions[channel]);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      CHECK(RecordingRegions::of(std::span(bytes).first(length)).why == Malformed::too_short);
    if (channels == 0) continue;
    put_word(bytes, 4, 10), put_word(bytes, 8, 0x8000000B); // eleven bytes where ten have room
    CHECK(RecordingRegions::of(bytes).value[0].why == Malformed::out_of_range);
    put_word(bytes, 0, 0xFFFFFFFF);
    CHECK(RecordingRegions::of(bytes).why == Malformed::too_short);
  }
}

TEST_CASE("boot: an image in blocks, in any order, with some of them twice") {
  std::array<std::uint8_t, 18> start{};
  REQUIRE(encode_boot(BootPacket::start(27), start) == 18);
  CHECK(Bytes(start.begin(), start.end()) == Bytes{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 26});
  Draw draw{std::mt19937(3)};
  for (unsigned round = 0; round < 20; ++round) {
    const std::uint32_t blocks = 1 + draw(32);
    const Bytes image = draw.bytes(blocks * boot_block_bytes);
    std::vector<std::uint32_t> order(blocks);
    std::iota(order.begin(), order.end(), 0U);
    for (unsigned twice = draw(4); twice-- > 0;) order.push_back(draw(blocks));
    std::shuffle(order.begin(), order.end(), draw.generator);
    BootReceiver receiver;
    Bytes memory(boot_most_blocks * boot_block_bytes, 0xEE);
    const auto send = [&](const BootPacket& packet) {
      Bytes wire(BootPacket::header_bytes + packet.data.size());
      REQUIRE(encode_boot(packet, wire) == wire.size());
      const auto read = decode_boot(wire);
      REQUIRE(bool(read));
      for (unsigned cut = 0; cut < 3; ++cut)
        CHECK(!decode_boot(std::span(wire).first(draw(static_cast<std::uint32_t>(wire.size())))));
      return receiver.take(read.value, memory);
    };
    const auto block = [&](std::uint32_t number) {
      Bytes words(image.begin() + number * 1024, image.begin() + (number + 1) * 1024);
      for (std::size_t at = 0; at < words.size(); at += 4)
        std::reverse(words.begin() + std::ptrdiff_t(at), words.begin() + std::ptrdiff_t(at) + 4);
      return send(BootPacket::block(number, words));
    };
    CHECK(block(0) == Malformed::out_of_range); // nobody has begun
    CHECK(send(BootPacket::end()) == Malformed::out_of_range);
    CHECK(memory == Bytes(memory.size(), 0xEE));
    CHECK(send(BootPacket::start(blocks)) == Malformed::none);
    std::uint32_t left = blocks >= 32 ? 0xFFFFFFFF : (1U << blocks) - 1;
    for (const std::uint32_t number : order) {
      CHECK(receiver.missing() == left);
      if (left != 0) CHECK(send(BootPacket::end()) == Malformed::out_of_range);
      CHECK(block(number) == Malformed::none);
      left &= ~(1U << number);
    }
    CHECK(send(BootPacket::end()) == Malformed::none);
    CHECK(receiver.state() == BootReceiver::State::complete);
    CHECK(std::equal(image.begin(), image.end(), memory.begin()));
    CHECK(std::count(memory.begin() + std::ptrdiff_t(image.size()), memory.end(), 0xEE) ==
          std::ptrdiff_t(memory.size() - image.size()));
  }
  const auto why = [](Bytes bytes) { return decode_boot(bytes).why; };
  Bytes bytes{0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 31};
  CHECK(why(bytes) == Malformed::none);
  bytes[17] = 32;
  CHECK(why(bytes) == Malformed::out_of_range);
  bytes[1] = 2;
  CHECK(why(bytes) == Malformed::wrong_version);
  CHECK(why({0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) == Malformed::unknown_command);
  CHECK(why({0, 1, 0, 0, 0, 3, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}) == Malformed::out_of_range);
  CHECK(why({0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}) == Malformed::none);
  CHECK(why({0, 1, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}) == Malformed::length_differs);
}

TEST_CASE("aplx: a table is read to its end, and never beyond its image") {
  Bytes image(64 + 32, 0x5A);
  encode_aplx({AplxBlock::Kind::copy_relative, 0x00400000, 64, 20}, std::span(image));
  encode_aplx({AplxBlock::Kind::fill, 0x00401000, 40, 0}, std::span(image).subspan(16));
  encode_aplx({AplxBlock::Kind::copy, 0x00402000, 0x60000000, 33}, std::span(image).subspan(32));
  encode_aplx({AplxBlock::Kind::execute, 0x00000020, 0, 0}, std::span(image).subspan(48));
  AplxReader reader(image);
  const auto first = reader.next();
  REQUIRE(bool(first));
  CHECK((first.value.kind == AplxBlock::Kind::copy_relative && first.value.to == 0x00400000 &&
         first.value.moved() == 32));
  CHECK(reader.bytes(first.value).size() == 20);
  CHECK(reader.bytes(first.value).data() == image.data() + 64);
  CHECK(reader.next().value.moved() == 64);
  CHECK(reader.next().value.moved() == 64);
  CHECK(reader.next().value.kind == AplxBlock::Kind::execute);
  CHECK(reader.next().value.kind == AplxBlock::Kind::end);
  for (std::size_t length = 0; length < 64; ++length) {
    AplxReader cut(std::span<const std::uint8_t>(image.data(), length));
    Malformed why = Malformed::none;
    unsigned entries = 0;
    for (auto block = cut.next(); why == Malformed::none && (!block || block.value.kind != AplxBlock::Kind::end);
         block = cut.next())
      why = block.why, ++entries;
    CHECK(why != Malformed::none); // the first entry reaches beyond it, or the table does
    CHECK(cut.next().value.kind == AplxBlock::Kind::end);
  }
  put_word(image, 12, 33); // one byte more than there is
  CHECK(AplxReader(image).next().why == Malformed::out_of_range);
  put_word(image, 8, 0xFFFFFFF0), put_word(image, 12, 0x20);
  CHECK(AplxReader(image).next().why == Malformed::out_of_range);
  put_word(image, 4, 2);
  CHECK(AplxReader(image).next().why == Malformed::not_aligned);
  put_word(image, 0, 77);
  CHECK(AplxReader(image).next().value.kind == AplxBlock::Kind::end);
  CHECK(AplxBlock{AplxBlock::Kind::copy, 0, 0, 0xFFFFFFFF}.moved() == 0xFFFFFFE0);
}

TEST_CASE("control: runs and re-injection") {
  std::array<std::uint8_t, 4> word{};
  std::array<std::uint8_t, 1> flag{};
  const RunControl run{RunControl::What::run_for, 1000, false, 500, 7};
  const ScpRequest asked = run.request(3, word);
  CHECK((asked.command == 7 && asked.arguments[0] == 1000 && asked.arguments[1] == 0 && asked.arguments[2] == 500 &&
         asked.data[0] == 7));
  CHECK(RunControl::of(asked).value == run);
  for (std::uint16_t command = 0; command < 20; ++command) {
    const auto read = RunControl::of({command, 0, {5, 1, 2}, word});
    CHECK(read.why == (command >= 6 && command <= 11 ? Malformed::none : Malformed::unknown_command));
    CHECK(Reinjection::of({command, 0, {1, 1, 0}, flag}).why ==
          (command <= 6 ? Malformed::none : Malformed::unknown_command));
  }
  CHECK(RunControl::of({7, 0, {5, 2, 2}, word}).why == Malformed::out_of_range);
  CHECK(RunControl::of({7, 0, {5, 1, 2}, std::span(word).first(3)}).why == Malformed::too_short);
  const neuromorph::protocols::RecordingSwap swap{3, 7};
  CHECK(neuromorph::protocols::RecordingSwap::of(swap.request(9)).value == swap);
  CHECK(swap.request(9).sequence == 9);
  CHECK(neuromorph::protocols::RecordingSwap::of({11, 0, {3, 7, 0}, {}}).why == Malformed::unknown_command);
  CHECK(neuromorph::protocols::RecordingSwap::of({12, 0, {3, 0, 0}, {}}).why == Malformed::out_of_range);
  const auto left = neuromorph::protocols::SwappedRecording::of(5, 0x80000010);
  CHECK((left.address == 5 && left.written == 16 && left.is_missing && left.word() == 0x80000010));
  CHECK(Reinjection::of({0, 0, {256, 0, 0}, {}}).why == Malformed::out_of_range);
  CHECK(Reinjection::of({2, 0, {2, 0, 0}, flag}).why == Malformed::out_of_range);
  CHECK(Reinjection::of({2, 0, {0, 0, 2}, flag}).why == Malformed::out_of_range);
  CHECK(Reinjection::of({2, 0, {0, 0, 0}, {}}).why == Malformed::too_short);
  flag[0] = 2;
  CHECK(Reinjection::of({2, 0, {0, 0, 0}, flag}).why == Malformed::out_of_range);
  const Reinjection wait{Reinjection::What::set_wait1, 0x4F, 0};
  CHECK(Reinjection::of(wait.request(0, flag)).value == wait);
  // A flag for each kind: multicast, point to point, fixed route; that of nearest neighbours in a byte behind.
  for (std::uint8_t types = 0; types < 16; ++types) {
    const Reinjection set{Reinjection::What::set_types, 0, types};
    const ScpRequest sent = set.request(0, flag);
    CHECK((sent.arguments[0] == (types & 1U) && sent.arguments[1] == (types >> 1 & 1U) &&
           sent.arguments[2] == (types >> 3 & 1U) && sent.data.size() == 1 && sent.data[0] == (types >> 2 & 1U)));
    CHECK(Reinjection::of(sent).value == set);
  }
  // Of the router's byte.
  CHECK(router_wait_of(0x40) == 240);
  CHECK(router_wait_of(0x4F) == 480);
  CHECK(router_wait_of(0x00) == 0);
  CHECK(router_wait_of(0x01) == 1);
  CHECK(router_wait_of(0xFF) == 31U << 15);
  for (unsigned byte = 1; byte < 256; ++byte)
    CHECK(router_wait_of(std::uint8_t(byte)) > router_wait_of(std::uint8_t(byte - 1)));

  ReinjectionStatus status;
  status.wait1 = 0x4F, status.dropped = 10, status.missed = 2, status.dumped_to = 0x41;
  Bytes bytes(ReinjectionStatus::bytes);
  status.write(bytes);
  CHECK((word_at(bytes, 8) == 10 && word_at(bytes, 12) == 2 && word_at(bytes, 36) == 0x41));
  CHECK(ReinjectionStatus::of(bytes).value == status);
  bytes.pop_back();
  CHECK(ReinjectionStatus::of(bytes).why == Malformed::too_short);
}

TEST_CASE("fast_data: streams out and in, and what is missing of them") {
  Draw draw{std::mt19937(4)};
  const DataOutRequest out{7, 0x60000000, 100000};
  Bytes bytes(16);
  out.write(bytes);
  CHECK((bytes[0] == 100 && DataOutRequest::of(bytes).value == out));
  bytes[0] = 101;
  CHECK(DataOutRequest::of(bytes).why == Malformed::unknown_command);
  CHECK(DataOutRequest::of(std::span(bytes).first(15)).why == Malformed::too_short);
  for (unsigned round = 0; round < 200; ++round) {
    const Bytes data = draw.bytes(4 * draw(67));
    const DataOutPacket packet{draw() >> 1, draw(2) != 0, draw(), data};
    Bytes to(8 + data.size());
    REQUIRE(packet.write(to) == to.size());
    const auto read = DataOutPacket::of(to);
    REQUIRE(bool(read));
    CHECK((read.value.sequence == packet.sequence && read.value.is_last == packet.is_last &&
           read.value.transaction == packet.transaction));
    CHECK(std::ranges::equal(read.value.data, data));
    CHECK(packet.write(std::span(to).first(draw(static_cast<std::uint32_t>(to.size())))) == 0);
  }
  CHECK(DataOutPacket::of(Bytes(7)).why == Malformed::too_short);
  CHECK(DataOutPacket::of(Bytes(10)).why == Malformed::not_aligned);
  CHECK(DataOutPacket::of(Bytes(8 + 67 * 4)).why == Malformed::too_long);

  // By hand: two lists, of which this one has the numbers 5 and 258.
  const Bytes first{0xE8, 3, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 2, 1, 0, 0};
  const auto missing = MissingList::of(first);
  REQUIRE(bool(missing));
  CHECK((missing.value.kind == MissingList::Kind::out_first && missing.value.transaction == 7 &&
         missing.value.lists == 2 && missing.value.size() == 2 && missing.value[0] == 5 && missing.value[1] == 258));
  const Bytes nothing{0xD2, 7, 0, 0, 9, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF};
  CHECK((MissingList::of(nothing).value.kind == MissingList::Kind::in &&
         MissingList::of(nothing).value[0] == MissingList::all));
  for (const auto kind : {MissingList::Kind::out_first, MissingList::Kind::out_more, MissingList::Kind::in})
    for (std::uint32_t count = 0; count < 70; ++count) {
      const Bytes numbers = draw.bytes(4 * count);
      const MissingList list{kind, draw(), kind == MissingList::Kind::out_first ? draw() : 0, numbers};
      Bytes to(300, 0xEE);
      const std::size_t used = list.write(to);
      if (list.head_bytes() + numbers.size() > 272) {
        CHECK((used == 0 && to[0] == 0xEE));
        continue;
      }
      REQUIRE(used == list.head_bytes() + numbers.size());
      const auto read = MissingList::of(std::span(to).first(used));
      REQUIRE(bool(read));
      CHECK((read.value.kind == kind && read.value.transaction == list.transaction && read.value.lists == list.lists));
      CHECK(std::ranges::equal(read.value.numbers, numbers));
      CHECK(list.write(std::span(to).first(used - 1)) == 0);
      CHECK(MissingList::of(std::span(to).first(used - 1)).why ==
            (used <= 8 ? Malformed::too_short : Malformed::not_aligned));
    }
  CHECK(MissingList::of(Bytes{0xE8, 3, 0, 0, 7, 0, 0, 0}).why == Malformed::too_short);
  CHECK(MissingList::of(Bytes(8)).why == Malformed::unknown_command);
  CHECK(MissingList::of(Bytes(276)).why == Malformed::too_long);

  const Bytes begin{200, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0x60, 4, 0, 3, 0, 99, 0, 0, 0};
  const DataInBegin expected{.transaction = 7, .address = 0x60000000, .x = 3, .y = 4, .last = 99};
  CHECK(DataInBegin::of(begin).value == expected);
  Bytes written(20);
  expected.write(written);
  CHECK(written == begin);
  CHECK(DataInBegin::of(std::span(begin).first(19)).why == Malformed::too_short);
  CHECK(DataInBegin::of(Bytes(20)).why == Malformed::unknown_command);
  for (std::uint32_t words = 0; words < 68; ++words) {
    const Bytes data = draw.bytes(4 * words);
    const DataInPacket packet{draw(), draw(), data};
    Bytes to(12 + data.size());
    REQUIRE(packet.write(to) == (words <= 65 ? to.size() : 0));
    const auto read = DataInPacket::of(to);
    if (words > 65) {
      CHECK(read.why == Malformed::too_long);
      continue;
    }
    REQUIRE(bool(read));
    CHECK((to[0] == 0xD0 && to[1] == 7));
    CHECK((read.value.transaction == packet.transaction && read.value.sequence == packet.sequence));
    CHECK(std::ranges::equal(read.value.data, data));
    CHECK(packet.write(std::span(to).first(to.size() - 1)) == 0);
  }
  CHECK(DataInPacket{0, 0, std::span(begin).first(3)}.write(written) == 0);
  CHECK(DataInPacket::of(Bytes(11)).why == Malformed::too_short);
  CHECK(DataInPacket::of(Bytes(12)).why == Malformed::unknown_command);
  for (const auto what : {DataInEnd::What::ask, DataInEnd::What::done}) {
    const DataInEnd end{what, draw()};
    Bytes to(8);
    end.write(to);
    CHECK((to[0] == (what == DataInEnd::What::ask ? 0xD1 : 0xD3) && to[1] == 7));
    CHECK(DataInEnd::of(to).value == end);
    to[0] = 0xD2;
    CHECK(DataInEnd::of(to).why == Malformed::unknown_command);
  }
  CHECK(DataInEnd::of(Bytes(7)).why == Malformed::too_short);
  Bytes cleared(8);
  DataOutClear{77}.write(cleared);
  CHECK(cleared == Bytes{0xD0, 7, 0, 0, 77, 0, 0, 0});
  CHECK(DataOutClear::of(cleared).value.transaction == 77);
  CHECK(DataOutClear::of(std::span(cleared).first(7)).why == Malformed::too_short);
  cleared[0] = 0;
  CHECK(DataOutClear::of(cleared).why == Malformed::unknown_command);
}

TEST_CASE("data_regions: what a core has counted") {
  const Bytes bytes{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 0, 1, 0, 0};
  const ProvenanceRegion expected{1, 2, 3, 4, 5, 256};
  CHECK(ProvenanceRegion::of(bytes).value == expected);
  Bytes written(24);
  expected.write(written);
  CHECK(written == bytes);
  CHECK(ProvenanceRegion::of(std::span(bytes).first(23)).why == Malformed::too_short);
}

TEST_CASE("fast_data: what gatherers and monitors read when they start, by hand") {
  using neuromorph::protocols::DataInRegion, neuromorph::protocols::GathererChips,
      neuromorph::protocols::GathererRegion, neuromorph::protocols::TableSwap;
  Bytes out(GathererRegion::bytes);
  GathererRegion{7}.write(out);
  const Bytes keys{0xF9, 0xFF, 0xFF, 0xFF, 0xF8, 0xFF, 0xFF, 0xFF, 0xF5, 0xFF, 0xFF, 0xFF,
                   0xF6, 0xFF, 0xFF, 0xFF, 0xF7, 0xFF, 0xFF, 0xFF, 7,    0,    0,    0};
  CHECK(out == keys);
  CHECK(GathererRegion::of(keys).value.tag == 7);
  CHECK(GathererRegion::of(std::span(keys).first(23)).why == Malformed::too_short);
  for (std::size_t at = 0; at < 20; ++at) {
    Bytes other = keys;
    other[at] ^= 1;
    CHECK(GathererRegion::of(other).why == Malformed::out_of_range);
  }

  const Bytes two{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 7, 0, 0, 0, 8, 1, 0, 0};
  const GathererChips::Chip chips[] = {{1, 2, 4}, {3, 7, 264}};
  Bytes in(GathererChips::head_bytes + 2 * GathererChips::chip_bytes, 0xEE);
  GathererChips::write(chips, in);
  CHECK(in == two);
  const auto read = GathererChips::of(two);
  REQUIRE((read && read.value.size() == 2));
  CHECK((read.value[1].x == 3 && read.value[1].y == 7 && read.value[1].base == 264));
  CHECK(GathererChips::of(std::span(two).first(31)).why == Malformed::too_short);
  CHECK(GathererChips::of(std::span(two).first(7)).why == Malformed::too_short);
  CHECK(GathererChips::of(Bytes(8, 0xFF)).why == Malformed::too_short);

  const Bytes one{8, 0, 0, 0, 9, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0xFC, 0xFF, 0xFF, 0xFF, 0x80, 0, 0, 0};
  const DataInRegion::Entry entry[] = {{8, 0xFFFFFFFC, 0x80}};
  Bytes written(DataInRegion::head_bytes + DataInRegion::entry_bytes, 0xEE);
  DataInRegion::write(8, entry, written);
  CHECK(written == one);
  const auto region = DataInRegion::of(one);
  REQUIRE((region && region.value.base == 8 && region.value.size() == 1));
  CHECK((region.value[0].key == 8 && region.value[0].mask == 0xFFFFFFFC && region.value[0].route == 0x80));
  CHECK(DataInRegion::of(std::span(one).first(27)).why == Malformed::too_short);
  CHECK(DataInRegion::of(std::span(one).first(15)).why == Malformed::too_short);
  for (const std::size_t at : {4U, 8U}) {
    Bytes other = one;
    ++other[at];
    CHECK(DataInRegion::of(other).why == Malformed::out_of_range);
  }

  for (std::uint16_t command = 0; command < 20; ++command) {
    const auto swap = TableSwap::of({command, 1, {}, {}});
    CHECK(bool(swap) == (command >= 6 && command <= 8));
    if (swap) CHECK(swap.value.request(1).command == command);
  }
}
