// SPDX-License-Identifier: BSL-1.0
// Any bytes as messages of a machine: the first is a digit that says of which kind; what is read is written as bytes that are read as
// the same. The inputs beside are one message of each kind, written by hand.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <neuromorph/protocols/aplx.hpp>
#include <neuromorph/protocols/boot.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/data_regions.hpp>
#include <neuromorph/protocols/eieio.hpp>
#include <neuromorph/protocols/fast_data.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>

namespace {

using namespace neuromorph::protocols;
using Bytes = std::span<const std::uint8_t>;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

MalformedCounts counts;

/// Of a command: its arguments are read and written as the same.
template <class Command>
void go_round(const ScpRequest& request) {
  const auto command = Command::of(request);
  counts.add(command.why);
  if (!command) return;
  const ScpRequest again = command.value.request(request.sequence);
  const auto twice = Command::of(again);
  demand(bool(twice), "a command that was written is refused");
  demand(twice.value.request(request.sequence).arguments == again.arguments, "a command is read as another");
}
template <class... Commands>
void go_round_all(const ScpRequest& request) {
  ((request.command == std::uint16_t(Commands::command) ? go_round<Commands>(request) : void()), ...);
}

void scp(Bytes bytes) {
  const auto request = decode_request(bytes);
  counts.add(request.why);
  if (request) {
    std::array<std::uint8_t, 300> to{};
    const std::size_t count = encode_request(request.value, to);
    demand(std::ranges::equal(bytes, std::span(to).first(count)), "a request is written as another");
    go_round_all<AskVersion, ReadMemory, WriteMemory, FillMemory, LinkRead, LinkWrite, CountCores, RemapCore,
                 ApplicationRun, ApplicationStart, ApplicationCopyRun, NeighbourPacket, AnySignal, FloodFillData,
                 SetLeds, IpTag, Allocate, RouterCommand, AskChip, Synchronise, BoardPower, BoardInfo>(request.value);
    std::array<std::uint8_t, 4> word{};
    if (const auto run = RunControl::of(request.value))
      demand(RunControl::of(run.value.request(0, word)).value == run.value, "a run is read as another");
    if (const auto asked = Reinjection::of(request.value))
      demand(Reinjection::of(asked.value.request(0, std::span(word).first<1>())).value == asked.value,
             "a re-injection is read as another");
  }
  const auto reply = decode_reply(bytes);
  counts.add(reply.why);
  if (!reply) return;
  std::array<char, 300> letters{};
  if (const auto version = Version::of(reply.value, letters)) {
    std::array<std::uint8_t, 300> to{};
    demand(version.value.write(to) != 0, "a version finds no room");
  }
  if (const auto chip = ChipInfo::of(reply.value)) {
    std::array<std::uint8_t, 38> to{};
    const std::size_t count = chip.value.write(to);
    demand(ChipInfo::of({ScpResult::ok, 0, std::span(to).first(count)}).value == chip.value,
           "a chip is read as another");
  }
}

/// What a program of the system reads when it starts is as long as it says.
void regions_of_system(Bytes bytes) {
  counts.add(GathererRegion::of(bytes).why);
  std::uint64_t sum = 0;
  const auto chips = GathererChips::of(bytes);
  counts.add(chips.why);
  for (std::size_t at = 0; chips && at < chips.value.size(); ++at) sum += chips.value[at].base;
  const auto in = DataInRegion::of(bytes);
  counts.add(in.why);
  for (std::size_t at = 0; in && at < in.value.size(); ++at) sum += in.value[at].route;
  demand(sum < UINT64_MAX, "no sum");
}

void eieio(Bytes bytes) {
  const auto data = EieioData::of(bytes);
  counts.add(data.why);
  if (data) {
    std::array<std::uint8_t, eieio_most_bytes> to{};
    EieioForm plain = data.value.form();
    EieioWriter writer(plain, to);
    const std::size_t begin = plain.head_bytes(), each = plain.element_bytes();
    for (std::size_t at = 0; at < data.value.count(); ++at) {
      const Bytes element = bytes.subspan(begin + at * each, each);
      const bool wide = plain.is_wide();
      const std::uint32_t payload = !plain.has_payloads() ? 0 : wide ? word_at(element, 4) : half_at(element, 2);
      demand(writer.add(wide ? word_at(element, 0) : half_at(element, 0), payload), "an event finds no room");
    }
    const auto again = EieioData::of(writer.bytes());
    demand(again && again.value.count() == data.value.count(), "events are lost");
    for (std::size_t at = 0; at < data.value.count(); ++at)
      demand(again.value[at] == data.value[at], "an event is read as another");
  }
  const auto message = EieioMessage::of(bytes);
  counts.add(message.why);
  if (!message) return;
  std::array<std::uint8_t, 300> written{};
  const auto is_as = [&](std::size_t count) {
    return std::ranges::equal(message.value.body, std::span(written).first(count));
  };
  const auto asked = EieioBufferRequest::of(message.value.body);
  counts.add(asked.why);
  if (asked) asked.value.write(written), demand(is_as(EieioBufferRequest::bytes), "a request is written as another");
  const auto sequenced = EieioSequenced::of(message.value.body);
  counts.add(sequenced.why);
  if (sequenced)
    demand(is_as(EieioSequenced::write(written, sequenced.value.region, sequenced.value.sequence,
                                       message.value.body.subspan(2))) ||
               message.value.body.size() > written.size(),
           "sequenced data are written as others");
}

/// Of a fixed length: what is read is written as the same.
template <class... Messages>
void stream(Bytes bytes) {
  const auto each = [&]<class Message>() {
    const auto read = Message::of(bytes);
    counts.add(read.why);
    if (!read) return;
    std::array<std::uint8_t, Message::bytes> to{};
    read.value.write(to);
    demand(std::ranges::equal(bytes.first(to.size()), to), "a message of a stream is written as another");
  };
  (each.template operator()<Messages>(), ...);
}
/// The same of any length.
template <class Packet>
void packet(Bytes bytes) {
  const auto read = Packet::of(bytes);
  counts.add(read.why);
  if (!read) return;
  std::array<std::uint8_t, 300> to{};
  demand(std::ranges::equal(bytes, std::span(to).first(read.value.write(to))), "a packet is written as another");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes bytes(data + 1, size - 1);
  switch (data[0]) {
  case '0': {
    const auto sdp = decode_sdp_datagram(bytes);
    counts.add(sdp.why);
    if (!sdp) break;
    std::array<std::uint8_t, 300> to{};
    const std::size_t count = encode_sdp_datagram(sdp.value, to);
    demand(count == bytes.size() && std::ranges::equal(bytes.subspan(2), std::span(to).first(count).subspan(2)),
           "a datagram is written as another");
    scp(sdp.value.data);
    break;
  }
  case '1': scp(bytes); break;
  case '2': eieio(bytes); break;
  case '3': {
    const auto packet = decode_boot(bytes);
    counts.add(packet.why);
    if (!packet) break;
    std::vector<std::uint8_t> to(bytes.size()), image(boot_most_blocks * boot_block_bytes);
    demand(encode_boot(packet.value, to) == bytes.size() && std::ranges::equal(bytes, to),
           "a boot packet is written as another");
    BootReceiver receiver;
    counts.add(receiver.take(BootPacket::start(3), image));
    counts.add(receiver.take(packet.value, image));
    break;
  }
  case '4': {
    AplxReader reader(bytes);
    std::uint64_t sum = 0;
    for (std::size_t entries = 0;; ++entries) {
      demand(entries <= bytes.size(), "a table has no end");
      const auto block = reader.next();
      counts.add(block.why);
      if (!block || block.value.kind == AplxBlock::Kind::end) break;
      if (block.value.kind == AplxBlock::Kind::copy_relative)
        for (const std::uint8_t one : reader.bytes(block.value)) sum += one;
    }
    demand(sum < UINT64_MAX, "");
    break;
  }
  case '5': {
    const auto table = DataRegionTable::of(bytes);
    counts.add(table.why);
    if (!table) break;
    std::array<std::uint8_t, DataRegionTable::bytes> to{};
    table.value.write(to);
    demand(DataRegionTable::of(to).value.region == table.value.region, "a table is read as another");
    for (const DataRegion& one : table.value.region) counts.add(DataRegionTable::check(one, bytes));
    break;
  }
  case '6': {
    const auto table = RecordingRegions::of(bytes);
    counts.add(table.why);
    if (!table) break;
    for (std::size_t channel = 0; channel < table.value.channels(); ++channel) counts.add(table.value[channel].why);
    break;
  }
  case '7':
    stream<DataOutRequest, DataOutClear, DataInBegin, DataInEnd, ReinjectionStatus, ProvenanceRegion>(bytes);
    packet<DataOutPacket>(bytes), packet<DataInPacket>(bytes), packet<MissingList>(bytes);
    regions_of_system(bytes);
    counts.add(SystemRegion::of(bytes).why), counts.add(IpTagEntry::of(bytes).why);
    break;
  default: break;
  }
  return 0;
}
