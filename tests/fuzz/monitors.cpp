// SPDX-License-Identifier: BSL-1.0
// Any datagrams to the monitors of a machine with programs: each is a length and its bytes, or a few bytes of which a near one is made. There
// is one answer at most, with a result that there is; what is refused changes nothing; afterwards the machine answers.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
namespace offer = neuromorph::offer;
namespace runtime = neuromorph::runtime;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

struct Echo {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Tick, offer::Control>;
  std::uint32_t ticks = 0;
  using Fields = runtime::Fields<&Echo::ticks>;
  neuromorph::Status start(auto&) { return {}; }
  void tick(auto& core, std::uint32_t) { ++ticks, core.send(ticks); }
  void control(auto& core, unsigned port, std::span<const std::uint8_t> message) {
    core.log("told"), static_cast<void>(core.message(port, message));
  }
};

const mapping::Machine& board() {
  static const mapping::Machine made = mapping::machine_of_boards(1).value();
  return made;
}

struct World {
  machine::Programs programs{};
  machine::Monitors monitors{board(), {}};
  machine::Applications applications{monitors, programs, {.most_rounds = 4}};
  std::vector<machine::Datagram> answers{};

  World() {
    programs.add<Echo>("echo");
    applications.launch(0, {30, 0, 6}, 6, machine::image_of("echo"));
  }
  /// \return the answer's result, or 0
  std::uint16_t take(std::span<const std::uint8_t> datagram) {
    answers.clear();
    monitors.take(0, {{10, 0, 0, 1}, 5000}, datagram, answers);
    demand(answers.size() <= 1, "more than one answer");
    if (answers.empty()) return 0;
    const auto sdp = protocols::decode_sdp_datagram(answers[0].bytes);
    demand(bool(sdp), "an answer is no datagram");
    const auto reply = protocols::decode_reply(sdp.value.data);
    demand(bool(reply), "an answer has no result");
    return static_cast<std::uint16_t>(reply.value.result);
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  World world;
  const std::span<const std::uint8_t> given(data, size);
  std::vector<std::uint8_t> datagram;
  for (std::size_t at = 0; at + 18 <= given.size();) {
    const std::uint8_t what = given[at];
    std::size_t used = 0;
    if (what < 128) { // as it stands
      used = (std::min)(given.size() - at - 1, std::size_t{what} * 3);
      datagram.assign(given.begin() + static_cast<std::ptrdiff_t>(at + 1),
                      given.begin() + static_cast<std::ptrdiff_t>(at + 1 + used));
    } else { // command, core and chip; arguments; so many bytes of data
      used = 17 + (std::min)(given.size() - at - 18, std::size_t{what & 127U} * 2);
      datagram.assign(26, 0);
      datagram[2] = 0x87, datagram[3] = 0xFF, datagram[4] = given[at + 2] & 0xE3U;
      datagram[6] = given[at + 3] % 9, datagram[7] = given[at + 4] % 9, datagram[10] = given[at + 1] % 66;
      std::copy_n(given.begin() + static_cast<std::ptrdiff_t>(at + 5), 12, datagram.begin() + 14);
      datagram.insert(datagram.end(), given.begin() + static_cast<std::ptrdiff_t>(at + 17),
                      given.begin() + static_cast<std::ptrdiff_t>(at + 1 + used));
    }
    at += 1 + used;
    // Megabytes would be gone through by each digest.
    if (datagram.size() >= 26 && datagram[10] == 5 && protocols::word_at(datagram, 22) > 4096) continue;
    const std::uint64_t before = world.monitors.digest();
    const std::uint16_t result = world.take(datagram);
    constexpr std::uint16_t ok = 0x80, bad_sum = 0x82; // which has copied an image
    if (result != 0 && result != ok && result != bad_sum)
      demand(world.monitors.digest() == before, "what is refused has changed something");
    static_cast<void>(world.applications.advance(1, world.answers));
  }
  std::array<std::uint8_t, 26> ask{0, 0, 0x87, 0xFF, 0, 0xFF, 255, 255};
  demand(world.take(ask) == 0x80, "it does not answer any more");
  return 0;
}
