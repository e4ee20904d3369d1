// SPDX-License-Identifier: BSL-1.0
#include <tests/support/catch.hpp>

#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/link.hpp>
#include <neuromorph/execution/loader.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
using Bytes = std::vector<std::uint8_t>;

namespace {

struct Board {
  Board() : ask(link), found(execution::discover(ask).value()) {}
  [[nodiscard]] Bytes memory(unsigned x, unsigned y, std::uint32_t address, std::size_t bytes) {
    Bytes read(bytes);
    ask.read(x, y, address, read);
    CHECK(ask.finish().ok());
    return read;
  }
  mapping::Machine is = mapping::machine_of_boards(1).value();
  machine::Programs programs{};
  machine::Monitors monitors{is, {}};
  machine::Applications applications{monitors, programs};
  execution::InProcessLink link{monitors, applications};
  execution::Transceiver ask;
  execution::Found found;
};
/// \param entries  of a chip that is there
template <class Entries>
mapping::Tables tables_of(const mapping::Machine& machine, Entries entries) {
  mapping::Tables made;
  for (mapping::Chip chip = 0; chip < machine.grid_chips(); made.end_list(), ++chip)
    for (std::uint32_t at = 0; machine.has(chip) && at < entries(chip); ++at)
      made.items.push_back({{at, 0xFFFFFFFF}, mapping::route_to_core(3)});
  return made;
}

} // namespace

TEST_CASE("A router without room is named, and nothing of the tables is written to any chip") {
  Board board;
  const mapping::Chip full = board.is.chip_at(2, 3);
  using protocols::Allocate;
  std::uint32_t base = 0;
  board.ask.ask({2, 3, 0, 0}, Allocate{.operation = Allocate::Operation::entries, .application = 40, .first = 1000},
                [&base](const protocols::ScpReply& reply) { base = reply.argument(0); });
  REQUIRE(board.ask.finish().ok());
  REQUIRE(base != 0);
  execution::Loader loader(board.ask, board.found, 30);
  const auto refusal =
      loader.tables(tables_of(board.is, [full](mapping::Chip chip) { return chip == full ? 100U : 1U + chip % 50U; }));
  CHECK(refusal.status.error == neuromorph::Error::unmappable);
  CHECK(refusal.sentence() == "chip 2, 3: its router has no room for 100 entries side by side");
  CHECK(board.memory(0, 0, 0x67800000, 16) == Bytes(16));
  CHECK(board.memory(1, 1, 0x67800000, 16) == Bytes(16));
  CHECK(board.ask.counts().asked == board.ask.counts().answered);
  // What was allocated is the application's, and goes with it.
  board.ask.ask({0, 0, 0, 0}, protocols::MulticastSignal{.signal = protocols::Signal::stop, .application = 30});
  REQUIRE(board.ask.finish().ok());
  REQUIRE(loader.tables(tables_of(board.is, [full](mapping::Chip chip) { return chip == full ? 0U : 1U; })).ok());
  CHECK(board.memory(0, 0, 0x67800000, 16) != Bytes(16));
}

TEST_CASE("A chip without memory is named, with the core and what it wants") {
  Board board;
  execution::Loader loader(board.ask, board.found, 30);
  std::vector<execution::CoreBlock> blocks{{.at = {board.is.chip_at(1, 0), 4}, .bytes = 70U << 20},
                                           {.at = {board.is.chip_at(0, 0), 5}, .bytes = 0},
                                           {.at = {board.is.chip_at(1, 0), 9}, .bytes = 60U << 20}};
  const auto refusal = loader.allocate(blocks);
  CHECK(refusal.status.error == neuromorph::Error::unmappable);
  CHECK(refusal.sentence() == "chip 1, 0: it has no 62914560 bytes of memory left for core 9");
  CHECK((blocks[0].address != 0 && blocks[1].address == 0));
  // Those that were given are the same when asked for again.
  const std::uint32_t first = blocks[0].address;
  blocks[2].bytes = 1000;
  REQUIRE(loader.allocate(blocks).ok());
  CHECK((blocks[0].address == first && blocks[2].address != 0));
}

TEST_CASE("Of tags, one of which has no address, none is asked for") {
  Board board;
  mapping::Tags tags;
  tags.ip = {{.ethernet = 0, .number = 1, .host = "1.2.3.4", .port = 5000},
             {.ethernet = 0, .number = 2, .host = "there", .port = 5000}};
  const auto asked = board.ask.counts().asked;
  CHECK(execution::Loader(board.ask, board.found, 30).tags(tags).sentence() ==
        "tag 2 of chip 0, 0: 'there' is no address of four numbers");
  CHECK(board.ask.counts().asked == asked);
}
