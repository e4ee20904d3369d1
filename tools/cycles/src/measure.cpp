// SPDX-License-Identifier: BSL-1.0
#include "measure.hpp"

#include <algorithm>

namespace neuromorph::cycles {

bool glob_matches(std::string_view pattern, std::string_view text) {
  while (!pattern.empty()) {
    if (pattern[0] == '*') {
      for (std::size_t skip = 0; skip <= text.size(); ++skip) {
        if (glob_matches(pattern.substr(1), text.substr(skip))) { return true; }
      }
      return false;
    }
    if (text.empty() || (pattern[0] != '?' && pattern[0] != text[0])) { return false; }
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
  return text.empty();
}

std::size_t Measures::add_functions(Elf const& elf, std::string_view pattern) {
  std::size_t found = 0;
  // A label without a type counts only when it is named in full: patterns would catch every local label.
  bool const exact = pattern.find_first_of("*?") == std::string_view::npos;
  for (Symbol const& symbol : elf.symbols()) {
    if (symbol.absolute || (!symbol.function && !exact) || !glob_matches(pattern, symbol.name)) { continue; }
    ++found;
    auto const known = std::find_if(measures_.begin(), measures_.end(), [&](Measure const& measure) {
      return measure.kind == Measure::Kind::function && measure.name == symbol.name;
    });
    if (known != measures_.end()) { continue; }
    events_[symbol.address].push_back({Event::Kind::call, measures_.size()});
    measures_.push_back({symbol.name, Measure::Kind::function, 1, 0, ~std::uint64_t{0}, 0, {}});
    open_.emplace_back();
  }
  return found;
}

std::optional<Failure> Measures::add_regions(Elf const& elf) {
  constexpr std::string_view begin_suffix = "__begin";
  for (Symbol const& symbol : elf.symbols()) {
    if (symbol.absolute || !std::string_view(symbol.name).ends_with(begin_suffix)) { continue; }
    std::string const name = symbol.name.substr(0, symbol.name.size() - begin_suffix.size());
    Symbol const* const end = elf.named(name + "__end");
    if (end == nullptr) { return Failure{"label '" + symbol.name + "' has no '" + name + "__end' beside it"}; }
    Symbol const* const items = elf.named(name + "__items");
    std::uint64_t const divisor = items != nullptr && items->absolute && items->address != 0 ? items->address : 1;
    events_[symbol.address].push_back({Event::Kind::begin, measures_.size()});
    events_[end->address].push_back({Event::Kind::end, measures_.size()});
    measures_.push_back({name, Measure::Kind::region, divisor, 0, ~std::uint64_t{0}, 0, {}});
    open_.emplace_back();
  }
  return std::nullopt;
}

std::optional<Failure> Measures::add_interval(Elf const& elf, std::string_view text) {
  auto const equals = text.find('=');
  auto const comma = text.find(',', equals == std::string_view::npos ? 0 : equals);
  if (equals == std::string_view::npos || comma == std::string_view::npos) {
    return Failure{"interval '" + std::string(text) + "' is not name=from,to"};
  }
  std::string_view const places[2] = {text.substr(equals + 1, comma - equals - 1), text.substr(comma + 1)};
  for (int end = 0; end < 2; ++end) {
    auto const address = elf.resolve(places[end]);
    if (!address) {
      return Failure{"interval '" + std::string(text.substr(0, equals)) + "': there is no symbol '" +
                     std::string(places[end]) + "'"};
    }
    events_[*address].push_back({end == 0 ? Event::Kind::begin : Event::Kind::end, measures_.size()});
  }
  measures_.push_back({std::string(text.substr(0, equals)), Measure::Kind::interval, 1, 0, ~std::uint64_t{0}, 0, {}});
  open_.emplace_back();
  return std::nullopt;
}

std::optional<Failure> Measures::set_items(std::string_view text) {
  auto const equals = text.rfind('=');
  auto const number = equals == std::string_view::npos ? std::nullopt : parse_number(text.substr(equals + 1));
  if (!number || *number == 0) { return Failure{"'" + std::string(text) + "' is not name=number"}; }
  bool found = false;
  for (Measure& measure : measures_) {
    if (measure.name == text.substr(0, equals)) {
      measure.items = *number;
      found = true;
    }
  }
  if (!found) { return Failure{"nothing named '" + std::string(text.substr(0, equals)) + "' is measured"}; }
  return std::nullopt;
}

std::uint64_t Measure::quantile(double share) const {
  std::uint64_t seen = 0;
  for (auto const& [cycles, times] : passes) {
    seen += times;
    if (static_cast<double>(seen) >= share * static_cast<double>(count)) { return cycles; }
  }
  return 0;
}

void Measures::record(std::size_t index, Account const& spent) {
  Measure& measure = measures_[index];
  ++measure.count;
  measure.min = std::min(measure.min, spent.cycles);
  measure.max = std::max(measure.max, spent.cycles);
  measure.total += spent;
  ++measure.passes[spent.cycles];
}

void Measures::arrive(std::uint32_t address, std::uint32_t stack, std::uint32_t link, Account const& now) {
  auto const found = events_.find(address);
  if (found == events_.end()) { return; }
  Account const time = clock(now);
  // Ends first: where one pass ends, the next may begin.
  for (Event const& event : found->second) {
    if (event.kind == Event::Kind::end && open_[event.measure]) {
      record(event.measure, time - *open_[event.measure]);
      open_[event.measure].reset();
    }
  }
  for (Event const& event : found->second) {
    if (event.kind == Event::Kind::begin) { open_[event.measure] = time; }
    if (event.kind == Event::Kind::call) {
      // A loop that begins with the function's first instruction is not a call.
      bool const loop = !frames_.empty() && frames_.back().measure == event.measure &&
                        frames_.back().return_address == (link & ~1U) && frames_.back().stack == stack;
      if (!loop) { frames_.push_back({event.measure, link & ~1U, stack, time, exception_depth_}); }
    }
  }
  watch();
}

void Measures::returned(std::uint32_t address, std::uint32_t stack, Account const& now) {
  // The stack tells a return from a recursive call that passes the same address deeper down.
  while (!frames_.empty() && frames_.back().return_address == address && frames_.back().stack == stack) {
    record(frames_.back().measure, clock(now) - frames_.back().start);
    frames_.pop_back();
  }
  watch();
}

void Measures::exception_entered(Account const& now) {
  if (exception_depth_++ == 0) { exception_start_ = now; }
}

void Measures::exception_left(Account const& now) {
  while (!frames_.empty() && frames_.back().depth >= exception_depth_ && exception_depth_ != 0) {
    record(frames_.back().measure, clock(now) - frames_.back().start);
    frames_.pop_back();
  }
  watch();
  if (exception_depth_ != 0 && --exception_depth_ == 0) { in_exceptions_ += now - exception_start_; }
}

} // namespace neuromorph::cycles
