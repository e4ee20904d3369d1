// SPDX-License-Identifier: BSL-1.0
// A SpiNNaker machine in a process: monitors that answer by SCP on addresses of this host.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/interchange.hpp>

#include "examples/support/words.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;

constexpr const char* help_text = "A SpiNNaker machine in a process: it answers clients as boards do, by SCP on "
                                  "addresses of this host, until it is told to end.\n"
                                  "\n"
                                  "usage: tools/spinnaker_machine [option...]\n"
                                  "  --boards NUMBER   of 48 chips, 1 to 900                       (1)\n"
                                  "  --machine FILE    machine.json, instead: with dead chips, cores and links\n"
                                  "  --port NUMBER     of SCP; 0: one that is free                 (17893)\n"
                                  "  --help            this text\n"
                                  "Each board has an address from 127.0.0.2 on. Programs are not loaded and run yet: "
                                  "memory, heaps, routers and tags are there.\n";

struct Options {
  std::string machine;
  std::uint32_t boards = 1, port = 17893;
  bool has_boards = false, help = false;
};

std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true;
      continue;
    }
    if (option != "--boards" && option != "--machine" && option != "--port")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (option == "--machine") {
      if (*value == '\0') return support::bad(option, value, "a file");
      options.machine = value;
    } else if (option == "--boards") {
      if (!support::small_number(value, 1, 900, options.boards))
        return support::bad(option, value, "a number from 1 to 900");
      options.has_boards = true;
    } else if (!support::small_number(value, 0, 65535, options.port)) {
      return support::bad(option, value, "a number from 0 to 65535");
    }
  }
  if (!options.help && !options.machine.empty() && options.has_boards) return "--machine and --boards are one too many";
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

int refuse(const std::string& why) {
  std::fprintf(stderr, "spinnaker_machine: %s\n", why.c_str());
  return 2;
}

} // namespace

int main(int count, char** words) {
  Options options;
  if (const std::string why = parse(count, words, options); !why.empty()) return refuse(why);
  if (options.help) return std::fputs(help_text, stdout) < 0 ? 1 : 0;
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
  machine::Monitors monitors(of, {});
  auto server = machine::Server::open(monitors, {.port = static_cast<std::uint16_t>(options.port)});
  if (!server) return refuse(server.sentence());
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { is_over = 1; });
  for (const mapping::Chip ethernet : monitors.ethernets())
    std::printf("chip %u, %u: %s port %u\n", of.x(ethernet), of.y(ethernet),
                machine::Server::text_of(monitors.address(ethernet)).c_str(), server.value().port());
  std::puts("ready");
  std::fflush(stdout);
  while (is_over == 0) server.value().serve(200);
  const machine::MonitorAccount& account = monitors.account();
  std::uint64_t answered = 0;
  for (const std::uint64_t one : account.results) answered += one;
  std::printf("%llu datagrams, %llu answers, %llu of them done, %llu malformed\n",
              static_cast<unsigned long long>(server.value().counts().received),
              static_cast<unsigned long long>(answered), static_cast<unsigned long long>(account.results[0]),
              static_cast<unsigned long long>(account.malformed.all()));
  return std::fflush(stdout) != 0 ? 1 : 0;
}
