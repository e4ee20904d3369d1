// SPDX-License-Identifier: BSL-1.0
/// \file
/// What breaks of a machine while it runs, and when: a script, a fault a line, read, written and gone through in order.
///
///     5ms link 3 4 NE one-way for 2ms
///     0ns lost 0 0 with 0.01
///
///     auto script = machine::FaultScript::read(text, "faults.txt");
// host-only
#ifndef NEUROMORPH_MACHINE_FAULTS_HPP
#define NEUROMORPH_MACHINE_FAULTS_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/faults.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// Of datagrams, the chip is the one with the Ethernet.
enum class FaultKind : std::uint8_t {
  chip,     ///< carries, runs and answers nothing
  core,     ///< dead
  link,     ///< carries nothing
  lossy,    ///< a link that loses packets
  corrupt,  ///< a bit of a word of memory is another
  hang,     ///< a core stops, as the watchdog finds it
  error,    ///< a core stops by a run-time error
  router,   ///< has no entries left that are free
  ethernet, ///< takes and sends nothing
  lost,     ///< datagrams of an Ethernet chip, in both directions
  doubled,
  reordered ///< a datagram comes after the one that follows it
};
inline constexpr const char* fault_words[] = {"chip",  "core",   "link",     "lossy", "corrupt", "hang",
                                              "error", "router", "ethernet", "lost",  "doubled", "reordered"};
inline constexpr const char* link_words[] = {"E", "NE", "N", "W", "SW", "S"};

struct TimedFault {
  std::int64_t at_ns = 0;
  FaultKind kind = FaultKind::chip;
  std::uint32_t x = 0, y = 0;
  std::uint32_t part = 0; ///< core, link, or address of a word; 0 of others
  bool is_one_way = false;
  std::int64_t for_ns = 0;  ///< 0: for good
  double probability = 1.0; ///< of a packet or a datagram
  friend bool operator==(const TimedFault&, const TimedFault&) = default;

  [[nodiscard]] bool has_part() const noexcept { return kind >= FaultKind::core && kind <= FaultKind::error; }
  [[nodiscard]] bool is_of_link() const noexcept { return kind == FaultKind::link || kind == FaultKind::lossy; }
  [[nodiscard]] bool has_probability() const noexcept { return kind == FaultKind::lossy || kind >= FaultKind::lost; }
};

/// Whether a fault strikes its packet or datagram of this number. It depends on nothing else.
[[nodiscard]] constexpr bool strikes(double probability, std::uint64_t seed, std::uint64_t fault,
                                     std::uint64_t number) noexcept {
  using mapping::detail::mixed;
  return static_cast<double>(mixed(mixed(mixed(seed) ^ fault) ^ number) >> 11) * 0x1p-53 < probability;
}

class FaultScript {
public:
  /// A number in the script is a place here: faults draw by it.
  std::vector<TimedFault> faults = {};

  /// \errors file_malformed: with the line, what was read there, and what would be accepted
  [[nodiscard]] static Answer<FaultScript> read(std::string_view text, const std::string& name = "faults") {
    FaultScript script;
    std::uint32_t line = 0;
    while (!text.empty()) {
      const std::size_t end = (std::min)(text.find('\n'), text.size());
      Words words{text.substr(0, (std::min)(text.substr(0, end).find('#'), end))};
      text.remove_prefix((std::min)(end + 1, text.size()));
      ++line;
      words.next();
      if (words.word.empty()) continue;
      TimedFault fault;
      if (const char* wanted = read_fault(words, fault); wanted != nullptr)
        return Refusal{
            {Error::file_malformed, line, 0, "line"},
            name,
            "line " + std::to_string(line) + ": " + wanted + " is wanted, and not " +
                (words.word.empty() ? "the end of the line" : "'" + std::string(words.word.substr(0, 40)) + "'")};
      script.faults.push_back(fault);
    }
    return script;
  }
  /// What read() reads as the same.
  [[nodiscard]] std::string text() const {
    std::string to;
    for (const TimedFault& one : faults) {
      to += std::to_string(one.at_ns) + "ns " + fault_words[unsigned(one.kind)] + " " + std::to_string(one.x) + " " +
            std::to_string(one.y);
      if (one.has_part())
        to += one.is_of_link() ? std::string(" ") + link_words[one.part % mapping::link_count]
                               : " " + std::to_string(one.part);
      if (one.is_one_way) to += " one-way";
      if (one.for_ns != 0) to += " for " + std::to_string(one.for_ns) + "ns";
      if (one.has_probability()) {
        char digits[32];
        const auto end = std::to_chars(digits, digits + sizeof digits, one.probability).ptr;
        to += " with " + std::string(digits, end);
      }
      to += "\n";
    }
    return to;
  }
  /// Places in `faults`, by time, chip (row by row), kind and part, and number.
  [[nodiscard]] std::vector<std::size_t> in_order() const {
    std::vector<std::size_t> order(faults.size());
    for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      const auto key = [&](const TimedFault& one) {
        return std::pair(std::pair(one.at_ns, std::pair(one.y, one.x)), std::pair(one.kind, one.part));
      };
      return key(faults[left]) < key(faults[right]);
    });
    return order;
  }
  /// What mapping must know: dead chips, cores and links from the beginning, for good.
  /// \errors index_out_of_range: a chip that is not in the machine's rectangle
  [[nodiscard]] Answer<mapping::Faults> from_the_beginning(const mapping::Machine& machine) const {
    mapping::Faults known;
    for (std::size_t at = 0; at < faults.size(); ++at) {
      const TimedFault& one = faults[at];
      if (one.x >= machine.width() || one.y >= machine.height())
        return Refusal{{Error::index_out_of_range, static_cast<std::uint32_t>(at), one.x, "chip"},
                       "fault " + std::to_string(at),
                       "there is no chip " + std::to_string(one.x) + ", " + std::to_string(one.y)};
      if (one.at_ns != 0 || one.for_ns != 0) continue;
      const mapping::Chip chip = machine.chip_at(one.x, one.y);
      if (one.kind == FaultKind::chip) known.chips.push_back(chip);
      if (one.kind == FaultKind::core) known.cores.push_back({chip, one.part});
      if (one.kind == FaultKind::link) known.links.push_back({chip, mapping::Link(one.part), one.is_one_way});
    }
    return known;
  }

private:
  struct Words {
    std::string_view rest, word = {};
    void next() noexcept {
      const auto is_gap = [](char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; };
      while (!rest.empty() && is_gap(rest.front())) rest.remove_prefix(1);
      std::size_t end = 0;
      while (end < rest.size() && !is_gap(rest[end])) ++end;
      word = rest.substr(0, end);
      rest.remove_prefix(end);
    }
  };
  [[nodiscard]] static bool whole(std::string_view word, std::uint32_t& to) noexcept {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), to);
    return error == std::errc{} && end == word.data() + word.size();
  }
  [[nodiscard]] static bool time(std::string_view word, std::int64_t& to) noexcept {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), to);
    const std::string_view unit = word.substr(static_cast<std::size_t>(end - word.data()));
    const std::int64_t ns = unit == "ns"   ? 1
                            : unit == "us" ? 1000
                            : unit == "ms" ? 1000000
                            : unit == "s"  ? 1000000000
                                           : 0;
    if (error != std::errc{} || ns == 0 || to < 0 || to > (std::numeric_limits<std::int64_t>::max)() / ns) return false;
    return to *= ns, true;
  }
  /// \return what is wanted instead of the word, or nothing
  [[nodiscard]] static const char* read_fault(Words& words, TimedFault& fault) {
    if (!time(words.word, fault.at_ns)) return "a time with ns, us, ms or s";
    words.next();
    const auto* kind = std::find(std::begin(fault_words), std::end(fault_words), words.word);
    if (kind == std::end(fault_words))
      return "chip, core, link, lossy, corrupt, hang, error, router, ethernet, lost, doubled or reordered";
    fault.kind = FaultKind(kind - std::begin(fault_words));
    if (words.next(); !whole(words.word, fault.x)) return "the x of a chip";
    if (words.next(); !whole(words.word, fault.y)) return "the y of a chip";
    if (fault.is_of_link()) {
      words.next();
      const auto* link = std::find(std::begin(link_words), std::end(link_words), words.word);
      if (link == std::end(link_words)) return "E, NE, N, W, SW or S";
      fault.part = static_cast<std::uint32_t>(link - std::begin(link_words));
    } else if (fault.has_part()) {
      if (words.next(); !whole(words.word, fault.part)) return "the number of a core, or the address of a word,";
    }
    bool has_length = false, has_share = false;
    for (words.next(); !words.word.empty(); words.next()) {
      if (words.word == "one-way" && fault.is_of_link() && !fault.is_one_way) {
        fault.is_one_way = true;
      } else if (words.word == "for" && !has_length) {
        words.next();
        if (!time(words.word, fault.for_ns) || fault.for_ns == 0) return "a time above 0 with ns, us, ms or s";
        has_length = true;
      } else if (words.word == "with" && fault.has_probability() && !has_share) {
        words.next();
        const char* const last = words.word.data() + words.word.size();
        const auto [end, error] = std::from_chars(words.word.data(), last, fault.probability);
        if (error != std::errc{} || end != last || !(fault.probability >= 0.0 && fault.probability <= 1.0))
          return "a probability from 0 to 1";
        has_share = true;
      } else {
        return "one-way (of a link), for, with (of what is lossy), each once, or the end of the line,";
      }
    }
    return nullptr;
  }
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
