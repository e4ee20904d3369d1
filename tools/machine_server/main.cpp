// SPDX-License-Identifier: BSL-1.0
// A SpiNNaker machine in a process: monitors that answer by SCP on addresses of this host, and cores that run programs.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/machine/allocation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/extra_monitor.hpp>
#include <neuromorph/machine/fault_player.hpp>
#include <neuromorph/machine/faults.hpp>
#include <neuromorph/machine/gatherer.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/machine/programs.hpp>
#ifdef MACHINE_SERVER_HAS_EMULATOR
#include <neuromorph/machine/emulated.hpp>
#endif
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/interchange.hpp>

#include "examples/life/cell.hpp"
#include "examples/support/words.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;

constexpr const char* help_text =
    "A SpiNNaker machine in a process: it answers clients as boards do, by SCP on "
    "addresses of this host, until it is told to end.\n"
    "\n"
    "usage: tools/spinnaker_machine [option...]\n"
    "  --boards NUMBER   of 48 chips, 1 to 900                       (1)\n"
    "  --machine FILE    machine.json, instead: with dead chips, cores and links\n"
    "  --port NUMBER     of SCP; 0: one that is free                 (17893)\n"
    "  --boot-port NUMBER                                            (54321)\n"
    "  --unbooted        silent, until a host has sent an image to the port of boot\n"
    "  --profile NAME    of the monitors, 3.4 or 4.0                 (4.0)\n"
    "  --threads NUMBER  for cores that run, 1 to 256                (1)\n"
    "  --tick NUMBER     microseconds that a tick takes at least     (0: as it goes)\n"
    "  --timed           packets take time, wait and are dropped, as on a board\n"
    "  --faults FILE     what breaks, and when: docs/machine.md\n"
    "  --seed NUMBER     of faults that are drawn                    (1)\n"
    "  --allocate PORT   hands the machine out to one after the other, by spalloc's lines of JSON on 127.0.0.1; 0: a "
    "port "
    "that is free\n"
    "  --programs        writes the programs that cores can run, with the fingerprints of their "
    "regions, and ends\n"
    "  --help            this text\n"
    "Each board has an address from 127.0.0.2 on. docs/machine.md says how a program of "
    "yours is served.\n";

struct Options {
  std::string machine, faults;
  std::uint32_t seed = 1, boards = 1, port = 17893, boot_port = 54321, allocation_port = 0, threads = 1, tick_us = 0;
  machine::Profile profile = machine::Profile::scamp_4_0;
  bool has_boards = false, allocates = false, is_booted = true, is_timed = false, programs = false, help = false;
};

std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true;
      continue;
    }
    if (option == "--timed") {
      options.is_timed = true;
      continue;
    }
    if (option == "--unbooted" || option == "--programs") {
      (option == "--programs" ? options.programs : options.is_booted) = option == "--programs";
      continue;
    }
    struct Number {
      std::string_view name;
      std::uint32_t low, high;
      std::uint32_t* to;
    };
    const std::array numbers{
        Number{"--boards", 1, 900, &options.boards},         Number{"--port", 0, 65535, &options.port},
        Number{"--boot-port", 0, 65535, &options.boot_port}, Number{"--allocate", 0, 65535, &options.allocation_port},
        Number{"--threads", 1, 256, &options.threads},       Number{"--tick", 0, 10000000, &options.tick_us},
        Number{"--seed", 0, 4294967295U, &options.seed}};
    const auto* const number =
        std::find_if(numbers.begin(), numbers.end(), [&](const Number& one) { return one.name == option; });
    if (number == numbers.end() && option != "--machine" && option != "--faults" && option != "--profile")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (option == "--machine" || option == "--faults") {
      if (*value == '\0') return support::bad(option, value, "a file");
      (option == "--machine" ? options.machine : options.faults) = value;
    } else if (option == "--profile") {
      const bool is_old = std::string_view(value) == "3.4";
      if (!is_old && std::string_view(value) != "4.0") return support::bad(option, value, "3.4 or 4.0");
      options.profile = is_old ? machine::Profile::scamp_3_4 : machine::Profile::scamp_4_0;
    } else if (!support::small_number(value, number->low, number->high, *number->to)) {
      return support::bad(
          option, value,
          ("a number from " + std::to_string(number->low) + " to " + std::to_string(number->high)).c_str());
    }
    options.has_boards = options.has_boards || option == "--boards";
    options.allocates = options.allocates || option == "--allocate";
  }
  if (!options.help && !options.machine.empty() && options.has_boards)
    return "--machine and --boards both name a machine; give one of them";
  return {};
}

std::string read(const std::string& path, std::string& to) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return "cannot read " + path + ": " + std::strerror(errno);
  std::array<char, 65536> some{};
  for (std::size_t count = 0; (count = std::fread(some.data(), 1, some.size(), file)) != 0;)
    to.append(some.data(), count);
  const bool has_failed = std::ferror(file) != 0;
  const int why = errno;
  std::fclose(file);
  return has_failed ? "cannot read " + path + ": " + std::strerror(why) : std::string();
}

volatile std::sig_atomic_t is_over = 0;

/// Where the machine is asked for.
struct Desk {
  machine::LineServer lines;
  machine::Allocations allocations;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();

  void serve(machine::Applications& applications) {
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    allocations.expire(now);
    // Who is given the machine finds it as it was, also if its next request comes at once.
    const auto clean = [&] {
      if (allocations.has_new_owner()) applications.power_on();
    };
    lines.serve(
        [&](std::uint64_t client, std::string line) {
          std::string answer = allocations.take(client, std::move(line), now);
          clean();
          return answer;
        },
        [&](std::uint64_t client) { allocations.leave(client); });
    clean();
    for (const auto& [client, line] : allocations.notices()) lines.send(client, line);
  }
};

/// Until it is over: answers hosts, and lets cores run in between for a few milliseconds.
void serve(machine::Server& server, machine::Applications& applications, machine::FaultPlayer& player,
           std::uint32_t tick_us, Desk* desk) {
  using Clock = std::chrono::steady_clock;
  std::int64_t ticks = 0;
  std::vector<machine::Datagram> datagrams;
  auto next = Clock::now();
  while (is_over == 0) {
    const bool is_running = applications.is_running();
    const auto begun = Clock::now();
    if (!is_running || next < begun) next = begun;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - begun).count();
    server.serve(is_running ? static_cast<int>((std::min)(wait, decltype(wait){50})) : desk == nullptr ? 200 : 20);
    if (desk != nullptr) desk->serve(applications);
    const auto end = Clock::now() + std::chrono::milliseconds(5);
    do {
      if (tick_us != 0 && Clock::now() < next) break;
      if (applications.advance(1, datagrams) == 0) break;
      player.advance(++ticks * machine::FaultPlayer::tick_ns);
      next += std::chrono::microseconds(tick_us);
    } while (Clock::now() < end);
    for (const machine::Datagram& one : datagrams) server.send(one);
    datagrams.clear();
  }
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "spinnaker_machine: %s\n", why.c_str());
  return 2;
}

} // namespace

int main(int count, char** words) {
  Options options;
  if (const std::string why = parse(count, words, options); !why.empty()) return refuse(why);
  if (options.help) return std::fputs(help_text, stdout) < 0 ? 1 : 0;
  machine::Programs programs;
  programs.add<life::Cell>("cell");
  programs.add_model<machine::ExtraMonitor>(machine::extra_monitor_name);
  programs.add_model<machine::Gatherer>(machine::gatherer_name);
#ifdef MACHINE_SERVER_HAS_EMULATOR
  programs.set_maker(machine::Emulator{});
#endif
  if (options.programs) return std::fputs(programs.text().c_str(), stdout) < 0 ? 1 : 0;
  auto made = mapping::machine_of_boards(options.boards);
  if (!options.machine.empty()) {
    std::string text;
    if (const std::string why = read(options.machine, text); !why.empty()) return refuse(why);
    made = mapping::machine_from_json(std::move(text), options.machine);
  }
  if (!made) return refuse(made.sentence());
  const mapping::Machine& of = made.value();
  if (of.width() > 255 || of.height() > 255) return refuse("a machine that hosts can name has at most 255 x 255 chips");
  if (of.kind().cores > 18) return refuse("monitors are those of chips with at most 18 cores");
  std::string script_text;
  if (!options.faults.empty())
    if (const std::string why = read(options.faults, script_text); !why.empty()) return refuse(why);
  auto script = machine::FaultScript::read(script_text, options.faults);
  if (!script) return refuse(script.sentence());
  machine::Monitors monitors(of, {.profile = options.profile, .is_booted = options.is_booted});
  const auto applications_of = [&] {
    if (options.is_timed)
      return std::make_unique<machine::Applications>(monitors, programs, machine::TimedCoresOptions{});
    return std::make_unique<machine::Applications>(monitors, programs, machine::RunOptions{.threads = options.threads});
  };
  const auto made_applications = applications_of();
  machine::Applications& applications = *made_applications;
  auto server = machine::Server::open(monitors, {.port = static_cast<std::uint16_t>(options.port),
                                                 .boot_port = static_cast<std::uint16_t>(options.boot_port)});
  if (!server) return refuse(server.sentence());
  machine::FaultPlayer player(std::move(script).value(), monitors, applications, options.seed);
  if (const auto refusal = player.check(); !refusal) return refuse(options.faults + ": " + refusal.sentence());
  player.advance(0);
  server.value().set_faults(&player);
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { is_over = 1; });
  for (const mapping::Chip ethernet : monitors.ethernets())
    std::printf("chip %u, %u: %s port %u\n", of.x(ethernet), of.y(ethernet),
                neuromorph::host::text_of(monitors.address(ethernet)).c_str(), server.value().port());
  std::optional<Desk> desk;
  if (options.allocates) {
    auto lines = machine::LineServer::open(static_cast<std::uint16_t>(options.allocation_port));
    if (!lines) return refuse(lines.sentence());
    std::printf("allocation: 127.0.0.1 port %u\n", lines.value().port());
    std::vector<std::pair<mapping::Chip, std::string>> hosts;
    for (const mapping::Chip ethernet : monitors.ethernets())
      hosts.emplace_back(ethernet, neuromorph::host::text_of(monitors.address(ethernet)));
    desk.emplace(Desk{std::move(lines).value(), machine::Allocations(of, std::move(hosts))});
  }
  std::puts("ready");
  std::fflush(stdout);
  serve(server.value(), applications, player, options.tick_us, desk ? &*desk : nullptr);
  const machine::MonitorAccount& account = monitors.account();
  std::uint64_t answered = 0;
  for (const std::uint64_t one : account.results) answered += one;
  std::printf("%llu datagrams, %llu answers, %llu of them done, %llu malformed\n",
              static_cast<unsigned long long>(server.value().counts().received),
              static_cast<unsigned long long>(answered), static_cast<unsigned long long>(account.results[0]),
              static_cast<unsigned long long>(account.malformed.all()));
  if (!options.faults.empty())
    std::printf(
        "%llu faults, %llu repaired; datagrams: %llu lost, %llu doubled, %llu late\n",
        static_cast<unsigned long long>(player.counts().begun), static_cast<unsigned long long>(player.counts().ended),
        static_cast<unsigned long long>(player.counts().lost), static_cast<unsigned long long>(player.counts().doubled),
        static_cast<unsigned long long>(player.counts().late));
  return std::fflush(stdout) != 0 ? 1 : 0;
}
