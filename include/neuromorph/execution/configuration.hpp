// SPDX-License-Identifier: BSL-1.0
/// \file
/// Which machine a user has: from a file, so that a script runs on a board, on boards that are handed out, or in its own process without a
/// change.
///
///     [Machine]                             # one of the three
///     machine_name = 192.168.240.1          #   a board at an address
///     spalloc_server = 10.11.192.11         #   boards that a server hands out
///     boards = 3                            #   in the process
///
///     auto machine = execution::connect(Configuration::of_user().value(), programs);
///     execution::Simulation simulation(machine.value()->link(), machine.value()->options());
/// \source names of SpiNNTools' files, where they have such: spinnMachine.cfg, spinn_front_end_common.cfg
// host-only
#ifndef NEUROMORPH_EXECUTION_CONFIGURATION_HPP
#define NEUROMORPH_EXECUTION_CONFIGURATION_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/allocation_client.hpp>
#include <neuromorph/execution/link.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/host/address.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/machine/programs.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct Configuration {
  // [Machine]
  std::string machine_name = {};   ///< four numbers
  std::string spalloc_server = {}; ///< four numbers
  std::uint32_t spalloc_port = 22244;
  std::string spalloc_user = {};
  std::uint32_t boards = 1; ///< where none of the first two is given: in the process; else how many are asked for
  std::uint32_t port = 17893, boot_port = 54321;
  std::string boot_image = {};            ///< a file, for boards that are not booted
  std::uint32_t threads = 1;              ///< for cores in the process, and to make data
  std::uint32_t machine_time_step = 1000; ///< microseconds
  // [Simulation]
  std::uint32_t application = 17;
  std::uint32_t most_ticks_of_a_cycle = 1U << 20;
  std::uint32_t post_run_wait = 2000; ///< milliseconds that a cycle may take longer than its ticks
  // [Transceiver]
  std::uint32_t window = 8;
  std::uint32_t tries = 10;

  /// Settings of a file over those that are there. Lines are `[Section]`, `name = value`, or empty; # and ; begin comments.
  /// \errors file_failed: it cannot be read; file_malformed: with its line: no setting, one that there is none of, or a value out of its range.
  ///         Then nothing has changed
  [[nodiscard]] Refusal read(const std::string& path) {
    std::ifstream file(path);
    if (!file) return {{Error::file_failed, 0, 0, "file"}, path, "it cannot be read"};
    Configuration made = *this;
    std::string line, section;
    for (std::uint32_t number = 1; std::getline(file, line); ++number)
      if (const std::string why = made.take(line, section); !why.empty())
        return {{Error::file_malformed, number, 0, "line"}, path + ", line " + std::to_string(number), why};
    if (file.bad()) return {{Error::file_failed, 0, 0, "file"}, path, "it cannot be read"};
    *this = std::move(made);
    return {};
  }
  /// `.neuromorph.cfg` in the user's home, then `neuromorph.cfg` here, as far as they are there.
  /// \errors file_malformed: as read
  [[nodiscard]] static neuromorph::Answer<Configuration> of_user() {
    Configuration made;
    const char* const home = std::getenv("HOME");
    for (const std::string& path :
         {home == nullptr ? std::string() : std::string(home) + "/.neuromorph.cfg", std::string("neuromorph.cfg")})
      if (!path.empty() && std::ifstream(path))
        if (Refusal refusal = made.read(path); !refusal) return refusal;
    return made;
  }

private:
  struct Setting {
    const char *section, *name;
    std::string Configuration::*text;
    std::uint32_t Configuration::*number;
    std::uint32_t least, most;
  };
  [[nodiscard]] static std::span<const Setting> settings() {
    using Self = Configuration;
    static constexpr std::array all{
        Setting{"Machine", "machine_name", &Self::machine_name, nullptr, 0, 0},
        Setting{"Machine", "spalloc_server", &Self::spalloc_server, nullptr, 0, 0},
        Setting{"Machine", "spalloc_port", nullptr, &Self::spalloc_port, 1, 65535},
        Setting{"Machine", "spalloc_user", &Self::spalloc_user, nullptr, 0, 0},
        Setting{"Machine", "boards", nullptr, &Self::boards, 1, 900},
        Setting{"Machine", "port", nullptr, &Self::port, 1, 65535},
        Setting{"Machine", "boot_port", nullptr, &Self::boot_port, 1, 65535},
        Setting{"Machine", "boot_image", &Self::boot_image, nullptr, 0, 0},
        Setting{"Machine", "threads", nullptr, &Self::threads, 1, 256},
        Setting{"Machine", "machine_time_step", nullptr, &Self::machine_time_step, 1, 1000000},
        Setting{"Simulation", "application", nullptr, &Self::application, 1, 254},
        Setting{"Simulation", "most_ticks_of_a_cycle", nullptr, &Self::most_ticks_of_a_cycle, 1, 1U << 30},
        Setting{"Simulation", "post_run_wait", nullptr, &Self::post_run_wait, 1, 1U << 30},
        Setting{"Transceiver", "window", nullptr, &Self::window, 1, 64},
        Setting{"Transceiver", "tries", nullptr, &Self::tries, 1, 1000},
    };
    return all;
  }
  [[nodiscard]] static std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
    return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
  }
  /// \return why not; empty if all is well
  [[nodiscard]] std::string take(const std::string& whole, std::string& section) {
    const std::string line = trimmed(whole.substr(0, whole.find_first_of("#;")));
    if (line.empty()) return {};
    if (line.front() == '[') {
      if (line.back() != ']') return "a section ends with ']'";
      section = trimmed(line.substr(1, line.size() - 2));
      for (const Setting& one : settings())
        if (section == one.section) return {};
      return "there is no section '" + section + "': it is one of Machine, Simulation, Transceiver";
    }
    const std::size_t equal = line.find_first_of("=:");
    if (equal == std::string::npos) return "a setting is 'name = value'";
    const std::string name = trimmed(line.substr(0, equal)), value = trimmed(line.substr(equal + 1));
    for (const Setting& one : settings()) {
      if (section != one.section || name != one.name) continue;
      if (one.text != nullptr) {
        this->*one.text = value == "None" ? std::string() : value;
        return {};
      }
      std::uint64_t number = 0;
      bool is_number = !value.empty() && value.size() <= 10;
      for (const char digit : value)
        is_number = is_number && digit >= '0' && digit <= '9',
        number = 10 * number + static_cast<unsigned>(digit - '0');
      if (!is_number || number < one.least || number > one.most)
        return name + " is a whole number from " + std::to_string(one.least) + " to " + std::to_string(one.most) +
               ", not '" + value + "'";
      this->*one.number = static_cast<std::uint32_t>(number);
      return {};
    }
    return section.empty() ? "a setting stands in a section, as [Machine]"
                           : "section " + section + " has no setting '" + name + "'";
  }
};

/// What a configuration leads to, and all that it needs.
class ConnectedMachine {
public:
  ConnectedMachine(const ConnectedMachine&) = delete;
  ConnectedMachine& operator=(const ConnectedMachine&) = delete;
  ~ConnectedMachine() { link_.reset(); } // before those that it leads to

  [[nodiscard]] Link& link() noexcept { return *link_; }
  /// For a simulation on it. They look at this.
  [[nodiscard]] const SimulationOptions& options() const noexcept { return options_; }
  /// Of a machine in the process, else nullptr.
  [[nodiscard]] machine::Monitors* monitors() noexcept { return monitors_ ? &*monitors_ : nullptr; }
  /// Of boards that a server has given, else nullptr.
  [[nodiscard]] Allocation* allocation() noexcept { return allocation_.get(); }

private:
  friend Answer<std::unique_ptr<ConnectedMachine>> connect(const Configuration& configuration,
                                                           const machine::Programs& programs);
  ConnectedMachine() = default;
  std::optional<mapping::Machine> boards_{};
  std::optional<machine::Monitors> monitors_{};
  std::optional<machine::Applications> applications_{};
  std::unique_ptr<Allocation> allocation_{};
  std::unique_ptr<Link> link_{};
  std::vector<std::uint8_t> boot_image_{};
  SimulationOptions options_{};
};

/// \param programs  of native cores, for a machine in the process; they outlive it
/// \errors parameters_contradict: an address and a server; unmappable: what is no address, or boards that are not given; file_failed:
///         the boot image, the board, or the server
[[nodiscard]] inline Answer<std::unique_ptr<ConnectedMachine>> connect(const Configuration& configuration,
                                                                       const machine::Programs& programs) {
  std::unique_ptr<ConnectedMachine> made(new ConnectedMachine);
  SimulationOptions& options = made->options_;
  options.application = static_cast<std::uint8_t>(configuration.application),
  options.tick_us = configuration.machine_time_step;
  options.threads = configuration.threads;
  options.most_cycle = configuration.most_ticks_of_a_cycle,
  options.margin = std::chrono::milliseconds(configuration.post_run_wait);
  options.transceiver.window = configuration.window, options.transceiver.tries = configuration.tries;
  if (!configuration.boot_image.empty()) {
    std::ifstream file(configuration.boot_image, std::ios::binary);
    if (!file)
      return Refusal{
          {Error::file_failed, 0, 0, "boot_image"}, configuration.boot_image, "the boot image cannot be read"};
    made->boot_image_.assign(std::istreambuf_iterator<char>(file), {});
    options.discovery.boot_image = made->boot_image_;
  }
  if (!configuration.machine_name.empty() && !configuration.spalloc_server.empty())
    return Refusal{
        {Error::parameters_contradict, 0, 0, "machine"},
        "",
        "the machine is at an address, or a server hands it out: machine_name and spalloc_server are both set"};
  const auto no_address = [](const char* name, const std::string& is) {
    return Refusal{{Error::unmappable, 0, 0, "address"}, name, "'" + is + "' is no address of four numbers"};
  };
  host::Address address{};
  if (!configuration.spalloc_server.empty()) {
    AllocationRequest request{.port = static_cast<std::uint16_t>(configuration.spalloc_port),
                              .owner = configuration.spalloc_user,
                              .boards = configuration.boards};
    if (!host::parse(configuration.spalloc_server, request.host))
      return no_address("spalloc_server", configuration.spalloc_server);
    if (request.owner.empty())
      return Refusal{{Error::parameters_contradict, 0, 0, "spalloc_user"},
                     "",
                     "a server hands boards out to somebody: spalloc_user is missing"};
    auto allocation = Allocation::open(std::move(request));
    if (!allocation) return allocation.refusal();
    made->allocation_ = std::move(allocation).value(), address = made->allocation_->root();
  } else if (!configuration.machine_name.empty()) {
    if (!host::parse(configuration.machine_name, address))
      return no_address("machine_name", configuration.machine_name);
  } else {
    auto boards = mapping::machine_of_boards(configuration.boards);
    if (!boards) return boards.refusal();
    made->boards_.emplace(std::move(boards).value());
    made->monitors_.emplace(*made->boards_, machine::MonitorOptions{});
    made->applications_.emplace(*made->monitors_, programs, machine::RunOptions{.threads = configuration.threads});
    made->link_ = std::make_unique<InProcessLink>(*made->monitors_, *made->applications_);
    return made;
  }
  auto link = UdpLink::open(address, {.scp = static_cast<std::uint16_t>(configuration.port),
                                      .boot = static_cast<std::uint16_t>(configuration.boot_port)});
  if (!link) return link.refusal();
  made->link_ = std::move(link).value();
  return made;
}

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
