// SPDX-License-Identifier: BSL-1.0
// Conway's life, watched and touched while it lives: each tick comes by UDP to a program beside it, which turns cells over.
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <neuromorph/execution/database.hpp>
#include <neuromorph/execution/live.hpp>
#include <neuromorph/execution/live_client.hpp>
#include <neuromorph/execution/notification.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/programs.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>

#include "../life/plain.hpp"
#include "../mapping/conway.hpp"
#include "../support/program.hpp"
#include "../support/words.hpp"
#include "cell.hpp"

namespace {

namespace execution = neuromorph::execution;
namespace host = neuromorph::host;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
using life::Cells, life::next_of;
using std::chrono::milliseconds;

struct Options {
  std::uint32_t width = 36, height = 20, ticks = 200, tick = 2, seed = 1, notify = 0;
  std::string database = "build/live_life.sqlite3";
  std::string output; // there is no file
  bool shows = false, help = false;
};

constexpr const char* help_text =
    "Conway's life, watched and touched while it lives: by a program beside it, over UDP.\n"
    "\n"
    "usage: live_life [option...]\n"
    "  --width NUMBER      of cells, 3 to 40                             (36)\n"
    "  --height NUMBER     3 to 20                                       (20)\n"
    "  --ticks NUMBER      1 to 100000                                   (200)\n"
    "  --tick NUMBER       milliseconds that a tick takes, 1 to 1000     (2)\n"
    "  --show              draws each tick in the terminal\n"
    "  --notify NUMBER     the port of a program that watches, 1 to 65535; examples/live_life/display.py is one.\n"
    "                      Without it this program has one of its own\n"
    "  --database PATH     where it reads what is whose                  (build/live_life.sqlite3)\n"
    "  --seed NUMBER       of the cells that live at the beginning       (1)\n"
    "  --help              this text\n";

std::string parse(int count, char** words, Options& options) {
  struct Number {
    std::string_view option;
    std::uint32_t least, most;
    std::uint32_t* value;
  };
  const Number numbers[] = {{"--width", 3, 40, &options.width},      {"--height", 3, 20, &options.height},
                            {"--ticks", 1, 100000, &options.ticks},  {"--tick", 1, 1000, &options.tick},
                            {"--notify", 1, 65535, &options.notify}, {"--seed", 0, 4294967295U, &options.seed}};
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h" || option == "--show") {
      (option == "--show" ? options.shows : options.help) = true;
      continue;
    }
    const Number* found = nullptr;
    for (const Number& one : numbers)
      if (one.option == option) found = &one;
    if (found == nullptr && option != "--database")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (found != nullptr && !support::small_number(value, found->least, found->most, *found->value))
      return support::bad(option, value,
                          "a number from " + std::to_string(found->least) + " to " + std::to_string(found->most));
    if (found != nullptr) continue;
    if (*value == '\0') return support::bad(option, value, "a path");
    options.database = value;
  }
  return {};
}

/// The machine, served on addresses of this host by a thread.
class Board {
public:
  static constexpr host::Address address{127, 0, 0, 2};
  explicit Board(milliseconds tick) : tick_(tick) {
    programs_.add<live_life::Cell>("cell");
    programs_.add<runtime::LivePacketGatherer>("gatherer"),
        programs_.add<runtime::ReverseIpTagMulticastSource>("source");
    if (auto opened = machine::Server::open(monitors_, {.port = 0}); opened)
      server_.emplace(std::move(opened).value());
    else
      complaint_ = opened.sentence();
    if (server_) thread_ = std::thread([this] { serve(); });
  }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] const std::string& complaint() const noexcept { return complaint_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return server_->port(); }

private:
  void serve() {
    std::vector<machine::Datagram> datagrams;
    for (auto next = std::chrono::steady_clock::now(); !is_over_;) {
      server_->serve(1);
      if (std::chrono::steady_clock::now() < next) continue;
      next += tick_;
      datagrams.clear();
      applications_.advance(1, datagrams);
      for (const machine::Datagram& one : datagrams) server_->send(one);
    }
  }
  milliseconds tick_;
  machine::Programs programs_{};
  mapping::Machine boards_ = mapping::board_of_48().value(); // it is as it is
  machine::Monitors monitors_{boards_, {}};
  machine::Applications applications_{monitors_, programs_};
  std::optional<machine::Server> server_{};
  std::string complaint_{};
  std::atomic<bool> is_over_{false};
  std::thread thread_{};
};

/// The program beside it: it knows nothing but the port of its news. It turns some cells over now and then.
class Watcher {
public:
  struct Seen {
    std::uint32_t ticks = 0, turned = 0;
    std::string complaint{};
  };
  Watcher(const Options& options, execution::NewsReceiver news, std::uint16_t port)
      : options_(options), news_(std::move(news)), port_(port), thread_([this] { watch(); }) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    if (thread_.joinable()) thread_.join();
  }
  /// Once the run is over.
  [[nodiscard]] Seen seen() {
    is_over_ = true;
    thread_.join();
    return seen_;
  }

private:
  void watch() {
    std::optional<News> one;
    while (!(one = news_.next(milliseconds(50))) && !is_over_) {}
    if (!one) return;
    auto database = execution::Database::open(one->path);
    if (!database) return complain(database.sentence());
    const std::uint32_t width = options_.width, cells = width * options_.height;
    std::vector<std::uint32_t> keys, hand;
    const auto inputs = database.value().inputs_of("hand");
    if (!inputs || inputs.value().size() != 1) return complain("the database has no input for a hand");
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      const auto of = database.value().keys_of("cell_" + std::to_string(cell));
      if (!of || of.value().size() != 1) return complain("the database has no key for a cell");
      keys.push_back(of.value()[0].key);
    }
    const auto of_hand = database.value().keys_of("hand");
    if (!of_hand || of_hand.value().size() != cells) return complain("the hand has no key for each cell");
    for (const auto& atom : of_hand.value()) hand.push_back(atom.key);
    host::UdpEnd to{{}, inputs.value()[0].port};
    if (!host::parse(inputs.value()[0].board, to.address)) return complain("the board has no address");
    auto receiver = execution::EventReceiver::open(port_);
    auto sender = execution::EventSender::open(to);
    if (!receiver || !sender) return complain((receiver ? sender.refusal() : receiver.refusal()).sentence());
    news_.answer();

    std::unordered_map<std::uint32_t, std::uint32_t> cell_of; // by its key
    for (std::uint32_t cell = 0; cell < cells; ++cell) cell_of[keys[cell]] = cell;
    std::mt19937 draw(options_.seed);
    Cells before, now(cells), turned(cells);
    std::optional<std::uint32_t> tick;
    std::vector<protocols::EieioEvent> events;
    for (unsigned silent = 0; silent < 20 || !is_over_;) {
      events.clear();
      silent = receiver.value().receive(events, milliseconds(10)) == 0 ? silent + 1 : 0;
      for (const auto& event : events) {
        if (tick && *tick != event.payload) {
          if (!close(before, now, turned)) return complain("tick " + std::to_string(*tick) + " is not as life has it");
          before = std::exchange(now, Cells(cells));
          for (; *tick + 1 < event.payload; ++*tick) { // nobody lived then, which is not told
            if (!close(before, now, turned)) return complain("a tick without a living cell is not as life has it");
            before = now;
          }
          if (seen_.ticks % 10 == 9 && *tick + 100 < options_.ticks) { // and not where it may come too late
            std::vector<std::uint32_t> some;
            for (unsigned turns = 0; turns < 3; ++turns) {
              const std::uint32_t cell = static_cast<std::uint32_t>(draw()) % cells;
              if (turned[cell] == 0) turned[cell] = 1, some.push_back(hand[cell]);
            }
            seen_.turned += static_cast<std::uint32_t>(some.size() - sender.value().send(some));
          }
        }
        tick = event.payload;
        if (const auto cell = cell_of.find(event.key); cell != cell_of.end()) now[cell->second] = 1;
      }
    }
    if (tick && !close(before, now, turned)) complain("the last tick is not as life has it");
  }
  /// A tick is over. What differs from life must be what the hand has turned.
  [[nodiscard]] bool close(const Cells& before, const Cells& now, Cells& turned) {
    ++seen_.ticks;
    if (options_.shows) show(now);
    if (before.empty()) return true;
    const Cells expected = next_of(before, options_.width, options_.height);
    for (std::size_t cell = 0; cell < now.size(); ++cell)
      if (now[cell] != expected[cell] && std::exchange(turned[cell], std::uint8_t{0}) == 0) return false;
    return true;
  }
  void show(const Cells& now) const {
    std::string text = seen_.ticks == 1 ? "\x1b[2J\x1b[H" : "\x1b[H";
    for (std::uint32_t y = 0; y < options_.height; ++y) {
      for (std::uint32_t x = 0; x < options_.width; ++x)
        text += now[y * options_.width + x] != 0 ? "\u2588\u2588" : "  ";
      text += "\x1b[K\n";
    }
    std::printf("%stick %u\x1b[K\n", text.c_str(), seen_.ticks);
    static_cast<void>(std::fflush(stdout)); // the next one comes soon
  }
  void complain(std::string why) { seen_.complaint = std::move(why); }

  using News = execution::News;
  const Options& options_;
  execution::NewsReceiver news_;
  std::uint16_t port_;
  Seen seen_{};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

support::Ended run(const Options& options) {
  const std::uint32_t width = options.width, height = options.height, cells = width * height;
  Board board{milliseconds(options.tick)};
  if (!board.complaint().empty()) return board.complaint();
  auto link = execution::UdpLink::open(Board::address, {.scp = board.port()});
  if (!link) return link.sentence();

  // The graph: cells, what shows them, and a hand that reaches all of them.
  std::uint16_t port = 17895;
  if (options.notify == 0) { // any that is free, as the one who listens is known
    auto free = host::UdpSocket::open();
    if (!free) return free.sentence();
    port = free.value().port();
  }
  execution::Simulation simulation(*link.value());
  const auto cell_image = simulation.add_image("cell", machine::image_of("cell")),
             gatherer = simulation.add_image("gatherer", machine::image_of("gatherer")),
             source = simulation.add_image("source", machine::image_of("source"));
  std::mt19937 draw(options.seed);
  Cells alive(cells);
  for (std::uint8_t& one : alive) one = draw() % 3 == 0;
  for (std::uint32_t cell = 0; cell < cells; ++cell)
    simulation.add(
        cell_image,
        {.name = "cell",
         .resources = {.dtcm_bytes = 1024, .sdram_bytes = 1024},
         .regions = [cell, cells, &alive](const execution::Mapped& of) -> std::vector<std::vector<std::uint8_t>> {
           std::vector<std::uint8_t> bytes(live_life::CellRegion::bytes());
           static_cast<void>(
               live_life::CellRegion::write( // there is room
                   bytes, {of.mapping.keys_of(cell).key, of.mapping.keys_of(cells).key, cells, cell, alive[cell]})
                   .ok());
           return {bytes};
         },
         .recordings = {[](std::uint64_t ticks) { return 4 * ticks; }}});
  const auto display = execution::add_live_output(
      simulation, gatherer, "display",
      {.host = "127.0.0.1", .port = port, .form = {.has_payload_prefix = true, .payload_is_time = true}});
  const auto hand = execution::add_live_input(simulation, source, "hand", {});
  const mapping::MachineGraph life = conway::graph(width, height);
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    std::vector<mapping::Vertex> to(life.targets(cell).begin(), life.targets(cell).end());
    to.push_back(display);
    simulation.graph().connect(cell, to);
  }
  std::vector<mapping::Vertex> all(cells);
  for (std::uint32_t cell = 0; cell < cells; ++cell) all[cell] = cell;
  simulation.graph().connect(hand, all, {.keys = cells});

  // Who watches is told where the database is, and waited for.
  auto notifier = execution::Notifier::open(options.database, execution::write_database);
  if (!notifier) return notifier.sentence();
  std::optional<Watcher> watcher;
  std::uint16_t told = static_cast<std::uint16_t>(options.notify);
  if (options.notify == 0) {
    auto news = execution::NewsReceiver::open(0);
    if (!news) return news.sentence();
    told = news.value().port();
    watcher.emplace(options, std::move(news).value(), port);
  }
  notifier.value()->add({{127, 0, 0, 1}, told});
  simulation.set_observer(notifier.value().get());
  const auto refusal = simulation.run(options.ticks);
  const auto seen = watcher ? watcher->seen() : Watcher::Seen{};
  if (!refusal) return refusal.sentence();
  if (!seen.complaint.empty()) return seen.complaint;

  const auto& sent = simulation.provenance(display).counters;
  using Gatherer = runtime::LivePacketGatherer;
  std::printf("%u x %u cells, %u ticks: %u events in %u datagrams were sent, %u times the hand has turned a cell\n",
              width, height, options.ticks, sent[Gatherer::events], sent[Gatherer::messages],
              simulation.provenance(hand).counters[runtime::ReverseIpTagMulticastSource::events]);
  if (watcher) {
    std::printf("%u ticks were seen, each as life has it but for what the hand has turned\n", seen.ticks);
    if (seen.turned != simulation.provenance(hand).counters[0])
      return "the hand has turned " + std::to_string(seen.turned) + " cells, and not each was felt";
  }
  for (const std::string& one : simulation.anomalies()) std::printf("%s\n", one.c_str());
  if (auto closed = simulation.close(); !closed) return closed.sentence();
  return 0;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("live_life", count, words, help_text, std::array<const char*, 0>{}, parse, run);
}
