// SPDX-License-Identifier: BSL-1.0
#include <tests/support/catch.hpp>

#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tests/support/forwarding_link.hpp"
#include "tests/support/lossy_link.hpp"

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
using Bytes = std::vector<std::uint8_t>;

TEST_CASE("Memory is as it was written, whatever of the net is lost, doubled and reordered, and tries are counted") {
  const auto boards = mapping::machine_of_boards(3);
  REQUIRE(boards.ok());
  for (const double faults : {0.0, 0.05, 0.3}) {
    for (const unsigned window : {1U, 8U, 64U}) {
      CAPTURE(faults, window);
      machine::Programs programs;
      machine::Monitors monitors(boards.value(), {});
      machine::Applications applications(monitors, programs);
      execution::InProcessLink plain(monitors, applications);
      lossy_link::LossyLink link(plain, faults, window);
      execution::Transceiver ask(link, {.window = window, .tries = 60});
      std::mt19937 draw(window);
      std::vector<Bytes> written, read;
      struct Piece {
        unsigned x, y;
        std::uint32_t at;
      };
      std::vector<Piece> pieces;
      for (unsigned one = 0; one < 40; ++one) {
        const mapping::Chip chip = static_cast<mapping::Chip>(draw() % boards.value().grid_chips());
        if (!boards.value().has(chip)) continue;
        // Side by side, of any length, at any byte.
        pieces.push_back({boards.value().x(chip), boards.value().y(chip),
                          0x60000000 + 5000 * one + static_cast<std::uint32_t>(draw() % 4)});
        written.emplace_back(draw() % 4000);
        for (auto& byte : written.back()) byte = static_cast<std::uint8_t>(draw());
        ask.write(pieces.back().x, pieces.back().y, pieces.back().at, written.back());
      }
      REQUIRE(ask.finish().ok());
      for (std::size_t one = 0; one < pieces.size(); ++one) { read.emplace_back(written[one].size()); }
      for (std::size_t one = 0; one < pieces.size(); ++one)
        ask.read(pieces[one].x, pieces[one].y, pieces[one].at, read[one]);
      REQUIRE(ask.finish().ok());
      CHECK((read == written));
      const auto& counts = ask.counts();
      CHECK(counts.asked == counts.answered);
      CHECK((counts.asked_again == 0) == (faults == 0.0));
      CHECK(link.received == counts.answered + counts.late);
    }
  }
}

namespace {

/// Time passes on it as on a net, and for so many requests a chip hears nothing.
class DeafLink final : public tests::ForwardingLink {
public:
  using ForwardingLink::ForwardingLink;
  void send(std::size_t ethernet, std::span<const std::uint8_t> datagram) override {
    const auto to = protocols::decode_sdp_datagram(datagram).value.to;
    if (deaf_for != 0 && --deaf_for != 0 && to.x == 1 && to.y == 1) return;
    ForwardingLink::send(ethernet, datagram);
  }
  [[nodiscard]] bool answers_at_once() const noexcept override { return false; }
  unsigned deaf_for = 0;
};

} // namespace

TEST_CASE("A request that is asked for as long as sequences last gets its own answer") {
  const auto board = mapping::machine_of_boards(1);
  REQUIRE(board.ok());
  machine::Programs programs;
  machine::Monitors monitors(board.value(), {});
  machine::Applications applications(monitors, programs);
  execution::InProcessLink plain(monitors, applications);
  DeafLink link(plain);
  execution::Transceiver ask(link, {.timeout = std::chrono::milliseconds(20), .tries = 1'000'000});
  const Bytes written{1, 2, 3, 4};
  ask.write(1, 1, 0x60000000, written);
  REQUIRE(ask.finish().ok());
  link.deaf_for = 2 * 65536 + 100;
  Bytes read(4), rest(4);
  ask.read(1, 1, 0x60000000, read);
  for (unsigned one = 0; one < 140'000; ++one) ask.read(0, 0, 0x60000000, rest);
  REQUIRE(ask.finish().ok());
  CHECK(read == written);
  CHECK(link.deaf_for == 0);
  CHECK(ask.counts().answered == 140'002);
}

TEST_CASE("What is refused, and who does not answer, is named, and the rest of it is forgotten") {
  auto boards = mapping::machine_of_boards(1);
  REQUIRE(boards.ok());
  machine::Programs programs;
  machine::Monitors monitors(boards.value(), {});
  machine::Applications applications(monitors, programs);
  execution::InProcessLink plain(monitors, applications);
  lossy_link::LossyLink link(plain, 0.0, 1);
  execution::Transceiver ask(link, {.tries = 3});
  Bytes bytes(8);
  unsigned answers = 0;
  ask.ask({0, 0, 0, 0}, protocols::ReadMemory{0x60000000, 4, protocols::AccessUnit::word},
          [&](const protocols::ScpReply&) { ++answers; });
  ask.ask({2, 3, 0, 0}, protocols::ReadMemory{0x60000001, 4, protocols::AccessUnit::word});
  CHECK_THAT(ask.finish().sentence(), Catch::Contains("chip (2, 3): command 2 of 0x60000001: "));
  CHECK(answers == 1);
  CHECK(ask.finish().ok()); // nothing is left
  ask.ask({7, 0, 0, 5}, protocols::AskVersion{});
  CHECK_THAT(ask.finish().sentence(), Catch::Contains("chip (7, 0), core 5: "));
  link.loss = 1.0;
  ask.ask({0, 0, 3, 1}, protocols::AskVersion{});
  CHECK(ask.finish().sentence() == "chip (0, 0), core 1: message 0 to its port 3: no answer to 3 tries");
  link.loss = 0.0;
  ask.read(1, 1, 0x60000000, bytes);
  CHECK(ask.finish().ok());
}

TEST_CASE("What is found is the machine that is there, with all that is broken in it") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    std::mt19937 draw(seed);
    auto made = seed % 3 == 0 ? mapping::machine_of_triads(1 + draw() % 2, 1, {.wraps_x = true, .wraps_y = true})
                              : mapping::machine_of_boards(1 + draw() % 4);
    REQUIRE(made.ok());
    mapping::Machine& is = made.value();
    for (unsigned fault = 0; fault < 5; ++fault) {
      const mapping::Chip chip = static_cast<mapping::Chip>(draw() % is.grid_chips());
      const auto link = mapping::Link(draw() % 6);
      if (!is.has(chip)) continue;
      if (fault == 0 && is.ethernet_of(chip) != chip) is.remove_chip(chip);
      if (fault == 1 || fault == 2) is.remove_link_both(chip, link);
      if (fault >= 3) is.remove_core(chip, 17 - (fault - 3));
    }
    machine::Programs programs;
    machine::Monitors monitors(is,
                               {.profile = seed % 2 == 0 ? machine::Profile::scamp_3_4 : machine::Profile::scamp_4_0});
    machine::Applications applications(monitors, programs);
    execution::InProcessLink plain(monitors, applications);
    lossy_link::LossyLink link(plain, seed % 4 == 0 ? 0.1 : 0.0, seed);
    execution::Transceiver ask(link, {.tries = 30});
    const auto found = execution::discover(ask);
    INFO(found.sentence());
    REQUIRE(found.ok());
    const mapping::Machine& of = found.value().machine;
    REQUIRE(of.grid_chips() == is.grid_chips());
    CHECK(found.value().counts_by_board == (seed % 2 != 0));
    CHECK(found.value().ethernets.size() == monitors.ethernets().size());
    for (mapping::Chip chip = 0; chip < is.grid_chips(); ++chip) {
      REQUIRE(of.has(chip) == is.has(chip));
      if (!is.has(chip)) continue;
      CHECK(of.core_count(chip) == is.core_count(chip));
      CHECK(of.ethernet_of(chip) == is.ethernet_of(chip));
      for (unsigned one = 0; one < 6; ++one)
        CHECK(of.neighbour(chip, mapping::Link(one)) == is.neighbour(chip, mapping::Link(one)));
    }
  }
}

TEST_CASE("A machine that is not booted is booted where there is an image, and else refused") {
  const auto boards = mapping::machine_of_boards(1);
  machine::Programs programs;
  machine::Monitors monitors(boards.value(), {.is_booted = false});
  machine::Applications applications(monitors, programs);
  execution::InProcessLink link(monitors, applications);
  execution::Transceiver ask(link, {.tries = 2});
  CHECK_THAT(execution::discover(ask).sentence(), Catch::StartsWith("the machine: no monitor answers"));
  Bytes image(27 * 1024);
  const auto found = execution::discover(ask, {.boot_image = image});
  INFO(found.sentence());
  REQUIRE(found.ok());
  CHECK(found.value().was_booted);
}
