// SPDX-License-Identifier: BSL-1.0
// Events and commands against bytes written by hand, every form with every number of events, and messages cut off anywhere.
#include <neuromorph/protocols/eieio.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph::protocols;
using Bytes = std::vector<std::uint8_t>;

struct Draw {
  std::mt19937 generator;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(generator()); }
  std::uint32_t operator()(std::uint32_t below) { return (*this)() % below; }
};

} // namespace

TEST_CASE("eieio: messages, byte by byte") {
  // Two keys of 16 bits with a prefix for their upper halves.
  const Bytes bytes1{2, 0xC0, 0x34, 0x12, 1, 0, 2, 0x80};
  const auto narrow = EieioData::of(bytes1);
  REQUIRE(bool(narrow));
  CHECK((narrow.value.count() == 2 && narrow.value[0] == EieioEvent{0x12340001} &&
         narrow.value[1] == EieioEvent{0x12348002}));
  // A key of 32 bits with a payload that is a time.
  const Bytes bytes2{1, 0x1C, 4, 3, 2, 1, 8, 7, 6, 5};
  const auto wide = EieioData::of(bytes2);
  REQUIRE(bool(wide));
  CHECK((wide.value.form().payload_is_time && wide.value[0] == EieioEvent{0x01020304, 0x05060708, true}));
  // A prefix for lower halves, and a payload that all have.
  const Bytes bytes3{1, 0xA1, 0xF0, 0, 0x22, 0x11, 0, 0xAB};
  const auto shared = EieioData::of(bytes3);
  REQUIRE(bool(shared));
  CHECK((shared.value.form().tag == 1 && shared.value[0] == EieioEvent{0xABF0, 0x1122, true}));
  const Bytes bytes4{0, 0};
  const auto none = EieioData::of(bytes4);
  REQUIRE(bool(none));
  CHECK(none.value.count() == 0);
  // Commands.
  const Bytes bytes5{11, 0x40};
  const auto resume = EieioMessage::of(bytes5);
  REQUIRE(bool(resume));
  CHECK((resume.value.command == EieioCommand::start_resume && resume.value.body.empty()));
  const Bytes bytes6{6, 0x40, 4, 3, 0x88, 0, 2, 9, 0, 1, 0, 0};
  const auto asked = EieioMessage::of(bytes6);
  REQUIRE(bool(asked));
  const auto request = EieioBufferRequest::of(asked.value.body);
  REQUIRE(bool(request));
  CHECK(request.value == EieioBufferRequest{.x = 3, .y = 4, .core = 17, .region = 2, .sequence = 9, .space = 256});
  const Bytes bytes7{2, 9, 1, 0, 7, 0};
  const auto answered = EieioSequenced::of(bytes7);
  REQUIRE(bool(answered));
  CHECK((answered.value.region == 2 && answered.value.sequence == 9 && answered.value.events[0].key == 7));
  Bytes written(6);
  CHECK(EieioSequenced::write(written, 2, 9, std::span(bytes7).subspan(2)) == 6);
  CHECK(written == bytes7);
  CHECK(EieioSequenced::write(std::span(written).first(5), 2, 9, std::span(bytes7).subspan(2)) == 0);
  CHECK(EieioSequenced::write(written, 16, 9, {}) == 0);
}

TEST_CASE("eieio: what is written is read, in every form, up to the last event that fits") {
  Draw draw{std::mt19937(1)};
  for (unsigned flags = 0; flags < 256; ++flags)
    for (const std::size_t room :
         {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{40}, std::size_t{256}, std::size_t{1000}}) {
      EieioForm form;
      form.has_key_prefix = (flags & 0x80) != 0, form.is_prefix_upper = form.has_key_prefix && (flags & 0x40) != 0;
      form.has_payload_prefix = (flags & 0x20) != 0, form.payload_is_time = (flags & 0x10) != 0;
      form.type = EieioType(flags >> 2 & 3), form.tag = flags & 3;
      form.key_prefix = form.has_key_prefix ? std::uint16_t(draw()) : std::uint16_t{0};
      form.payload_prefix = !form.has_payload_prefix ? 0 : form.is_wide() ? draw() : draw() & 0xFFFF;
      Bytes memory(room, 0xEE);
      EieioWriter writer(form, memory);
      std::vector<EieioEvent> events;
      const std::uint32_t most = form.is_wide() ? 0xFFFFFFFF : 0xFFFF;
      for (;;) {
        const std::uint32_t key = draw() & most, payload = draw() & most;
        if (!writer.add(key, payload)) break;
        EieioEvent event{key, form.has_payloads() ? payload : 0, form.has_payloads() || form.has_payload_prefix};
        if (form.has_key_prefix) event.key |= std::uint32_t{form.key_prefix} << (form.is_prefix_upper ? 16 : 0);
        event.payload |= form.payload_prefix;
        events.push_back(event);
      }
      CHECK(writer.count() == events.size());
      if (room >= 256) CHECK(events.size() == form.most_events());
      if (room < form.head_bytes()) {
        CHECK(writer.bytes().empty());
        CHECK(memory == Bytes(room, 0xEE));
        continue;
      }
      const auto read = EieioData::of(writer.bytes());
      REQUIRE(bool(read));
      CHECK(read.value.form() == form);
      REQUIRE(read.value.count() == events.size());
      for (std::size_t at = 0; at < events.size(); ++at)
        if (!(read.value[at] == events[at])) FAIL("flags " << flags << ", event " << at);
      for (std::size_t length = 0; length < writer.bytes().size(); ++length) {
        const auto cut = EieioData::of(writer.bytes().first(length));
        CHECK(cut.why == (length < form.head_bytes() ? Malformed::too_short : Malformed::length_differs));
      }
    }
}

TEST_CASE("eieio: data are no commands, and what is neither is refused") {
  Bytes bytes{1, 0x40, 0, 0};
  CHECK(EieioData::of(bytes).why == Malformed::unknown_command);
  for (unsigned number = 0; number < 0x4000; ++number) {
    bytes = {std::uint8_t(number), std::uint8_t(0x40 | number >> 8)};
    CHECK(EieioMessage::of(bytes).why == (number >= 1 && number <= 12 ? Malformed::none : Malformed::unknown_command));
  }
  CHECK(EieioMessage::of(Bytes{1, 0}).why == Malformed::unknown_command);
  CHECK(EieioMessage::of(Bytes{1, 0xC0}).why == Malformed::unknown_command);
  CHECK(EieioMessage::of(Bytes{1}).why == Malformed::too_short);
  Bytes large(300);
  large[0] = 7, large[1] = 0x40;
  CHECK(EieioMessage::of(large).why == Malformed::too_long);
  large[0] = 1;
  CHECK(EieioMessage::of(large).value.body.size() == 298);
  large[0] = 0, large[1] = 0;
  CHECK(EieioData::of(large).why == Malformed::too_long);
  CHECK(EieioBufferRequest::of(Bytes(9)).why == Malformed::length_differs);
  CHECK(EieioBufferRequest::of(Bytes(11)).why == Malformed::length_differs);
  CHECK(EieioBufferRequest::of(Bytes{0, 0, 1, 0, 0, 0, 0, 0, 0, 0}).why == Malformed::out_of_range);
  CHECK(EieioBufferRequest::of(Bytes{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}).why == Malformed::out_of_range);
  CHECK(EieioBufferRequest::of(Bytes{0, 0, 0, 0, 16, 0, 0, 0, 0, 0}).why == Malformed::out_of_range);
  CHECK(EieioSequenced::of(Bytes{0}).why == Malformed::too_short);
  CHECK(EieioSequenced::of(Bytes{16, 0, 0, 0}).why == Malformed::out_of_range);
  CHECK(EieioSequenced::of(Bytes{15, 0, 1, 0}).why == Malformed::length_differs);
  Draw draw{std::mt19937(2)};
  for (unsigned round = 0; round < 300; ++round) {
    EieioBufferRequest request;
    request.x = std::uint8_t(draw()), request.y = std::uint8_t(draw()), request.core = std::uint8_t(draw(32));
    request.region = std::uint8_t(draw(16)), request.sequence = std::uint8_t(draw()), request.space = draw();
    std::array<std::uint8_t, 10> body{};
    request.write(body);
    CHECK(EieioBufferRequest::of(body).value == request);
    const EieioMessage message{EieioCommand::request_buffers, body};
    Bytes to(12);
    REQUIRE(message.write(to) == 12);
    CHECK(std::ranges::equal(EieioMessage::of(to).value.body, body));
    Bytes small_room(11, 0xEE);
    CHECK(message.write(small_room) == 0);
    CHECK(small_room == Bytes(11, 0xEE));
  }
}
