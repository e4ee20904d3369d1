// SPDX-License-Identifier: BSL-1.0
/// \file
/// What is measured: functions from entry to return, stretches between two labels.
#ifndef NEUROMORPH_CYCLES_MEASURE_HPP
#define NEUROMORPH_CYCLES_MEASURE_HPP

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "elf.hpp"
#include "timing.hpp"

namespace neuromorph::cycles {

struct Measure {
  enum class Kind : std::uint8_t { function, region, interval };
  std::string name;
  Kind kind = Kind::function;
  std::uint64_t items = 1; ///< divisor: neurons, synapses or values per pass
  std::uint64_t count = 0;
  std::uint64_t min = ~std::uint64_t{0};
  std::uint64_t max = 0;
  Account total;
  std::map<std::uint64_t, std::uint64_t> passes{}; ///< how many took so many cycles

  double mean() const { return count == 0 ? 0.0 : static_cast<double>(total.cycles) / static_cast<double>(count); }
  double per_item() const { return mean() / static_cast<double>(items); }
  /// The fewest cycles that this share of the passes, 0 to 1, does not exceed; 0 if there was none.
  std::uint64_t quantile(double share) const;
};

/// `*` matches any text, `?` any character.
bool glob_matches(std::string_view pattern, std::string_view text);

class Measures {
public:
  explicit Measures(bool without_interrupts = false) : without_interrupts_(without_interrupts) {}

  /// Functions whose name matches; the number found.
  std::size_t add_functions(Elf const& elf, std::string_view pattern);
  /// All pairs of labels `name__begin`, `name__end`. An absolute symbol `name__items` sets the divisor.
  std::optional<Failure> add_regions(Elf const& elf);
  /// `name=from,to`
  std::optional<Failure> add_interval(Elf const& elf, std::string_view text);
  /// `name=number`
  std::optional<Failure> set_items(std::string_view text);

  bool begins_or_ends_at(std::uint32_t address) const { return events_.contains(address); }

  /// The processor arrives at a marked address.
  void arrive(std::uint32_t address, std::uint32_t stack, std::uint32_t link, Account const& now);
  /// The processor may have returned from a measured function.
  bool may_return_to(std::uint32_t address) const { return address == watched_return_; }
  void returned(std::uint32_t address, std::uint32_t stack, Account const& now);

  void exception_entered(Account const& now);
  void exception_left(Account const& now);

  std::vector<Measure> const& list() const { return measures_; }

private:
  struct Event {
    enum class Kind : std::uint8_t { call, begin, end } kind;
    std::size_t measure;
  };
  struct Frame {
    std::size_t measure;
    std::uint32_t return_address;
    std::uint32_t stack;
    Account start;
    unsigned depth; ///< of exceptions: a handler ends with its exception, whatever its return looks like
  };
  void record(std::size_t measure, Account const& spent);
  Account clock(Account const& now) const { return without_interrupts_ ? now - in_exceptions_ : now; }
  void watch() { watched_return_ = frames_.empty() ? ~0U : frames_.back().return_address; }

  bool without_interrupts_;
  std::vector<Measure> measures_;
  std::vector<std::optional<Account>> open_;
  std::unordered_map<std::uint32_t, std::vector<Event>> events_;
  std::vector<Frame> frames_;
  std::uint32_t watched_return_ = ~0U;
  Account in_exceptions_;
  Account exception_start_;
  unsigned exception_depth_ = 0;
};

} // namespace neuromorph::cycles

#endif
