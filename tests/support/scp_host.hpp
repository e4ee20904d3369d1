// SPDX-License-Identifier: BSL-1.0
// A host that asks the monitors of a simulated machine, datagram by datagram.
#ifndef TESTS_SUPPORT_SCP_HOST_HPP
#define TESTS_SUPPORT_SCP_HOST_HPP

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/machine/monitor.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/random_bytes.hpp"

namespace scp_host {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
using random_bytes::Bytes;
using random_bytes::Draw;

struct Answered {
  protocols::ScpResult result = protocols::ScpResult::timeout;
  Bytes data{};
  [[nodiscard]] std::uint32_t word(std::size_t at) const {
    return data.size() >= 4 * at + 4 ? protocols::word_at(data, 4 * at) : 0;
  }
};
/// A host that asks one thing at a time.
struct Client {
  machine::Monitors& monitors;
  mapping::Chip ethernet = 0;
  machine::Endpoint own{{10, 1, 2, 3}, 40000};
  std::uint16_t sequence = 0;

  Answered ask(unsigned x, unsigned y, unsigned core, const protocols::ScpRequest& request, unsigned port = 0) {
    Bytes scp(300), datagram(300);
    scp.resize(protocols::encode_request(request, scp));
    protocols::Sdp sdp;
    sdp.to = {std::uint8_t(x), std::uint8_t(y), std::uint8_t(port), std::uint8_t(core)}, sdp.data = scp;
    datagram.resize(protocols::encode_sdp_datagram(sdp, datagram));
    std::vector<machine::Datagram> answers;
    monitors.take(ethernet, own, datagram, answers);
    REQUIRE(answers.size() == 1);
    CHECK((answers[0].to == own && answers[0].from == ethernet));
    const auto back = protocols::decode_sdp_datagram(answers[0].bytes);
    REQUIRE(bool(back));
    CHECK((back.value.to == protocols::sdp_host && back.value.flags == 0x07 && back.value.tag == 0xFF));
    if (x != 255) CHECK((back.value.from.x == x && back.value.from.y == y && back.value.from.core == core));
    const auto reply = protocols::decode_reply(back.value.data);
    REQUIRE(bool(reply));
    CHECK(reply.value.sequence == request.sequence);
    return {reply.value.result, {reply.value.data.begin(), reply.value.data.end()}};
  }
  template <class Command>
  Answered ask(unsigned x, unsigned y, const Command& command) {
    return ask(x, y, 0, command.request(++sequence));
  }
};

} // namespace scp_host

#endif
