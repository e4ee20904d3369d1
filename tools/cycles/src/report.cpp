// SPDX-License-Identifier: BSL-1.0
#include "report.hpp"

#include <algorithm>
#include <cstdio>

namespace neuromorph::cycles {
namespace {

template <class... Values>
std::string print(char const* format, Values... values) {
  char text[256];
  int const length = std::snprintf(text, sizeof text, format, values...);
  return {text, static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof text) - 1))};
}

double ratio(std::uint64_t amount, std::uint64_t count) {
  return count == 0 ? 0.0 : static_cast<double>(amount) / static_cast<double>(count);
}

/// "load 1.00, refill 2.00": the causes that cost anything, per pass.
std::string causes(Account const& account, std::uint64_t count) {
  std::string text;
  for (std::size_t i = 0; i < cause_count; ++i) {
    if (account.stall[i] == 0) { continue; }
    if (!text.empty()) { text += ", "; }
    text += std::string(cause_names[i]) + print(" %.2f", ratio(account.stall[i], count));
  }
  return text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += print("\\u%04x", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string json_account(Account const& account) {
  std::string text =
      print("\"cycles\": %llu, \"instructions\": %llu, \"stalls\": {", static_cast<unsigned long long>(account.cycles),
            static_cast<unsigned long long>(account.instructions));
  for (std::size_t i = 0; i < cause_count; ++i) {
    text += std::string(i == 0 ? "" : ", ") + quoted(cause_names[i]) +
            print(": %llu", static_cast<unsigned long long>(account.stall[i]));
  }
  return text + "}";
}

std::string_view kind_name(Measure::Kind kind) {
  switch (kind) {
  case Measure::Kind::function: return "function";
  case Measure::Kind::region: return "region";
  case Measure::Kind::interval: break;
  }
  return "interval";
}

} // namespace

std::string table(Measures const& measures, Account const& total) {
  std::size_t width = 8;
  for (Measure const& measure : measures.list()) { width = std::max(width, measure.name.size()); }
  auto const column = static_cast<int>(width);
  std::string text = print("%-*s %9s %9s %11s %9s %10s %10s  %s\n", column, "name", "count", "min", "mean", "max",
                           "per item", "instr", "cycles beyond one per instruction, per pass");
  for (Measure const& measure : measures.list()) {
    if (measure.count == 0) {
      text += print("%-*s %9d\n", column, measure.name.c_str(), 0);
      continue;
    }
    text += print("%-*s %9llu %9llu %11.2f %9llu %10.3f %10.2f  ", column, measure.name.c_str(),
                  static_cast<unsigned long long>(measure.count), static_cast<unsigned long long>(measure.min),
                  measure.mean(), static_cast<unsigned long long>(measure.max), measure.per_item(),
                  ratio(measure.total.instructions, measure.count)) +
            causes(measure.total, measure.count) + "\n";
  }
  text += print("%-*s %9d %9s %11llu %9s %10s %10llu  ", column, "(run)", 1, "",
                static_cast<unsigned long long>(total.cycles), "", "",
                static_cast<unsigned long long>(total.instructions)) +
          causes(total, 1) + "\n";
  return text;
}

std::string json(std::string_view firmware, Core core, Measures const& measures, Account const& total) {
  std::string text = "{\n  \"firmware\": " + quoted(firmware) +
                     ",\n  \"core\": " + (core == Core::arm9e ? "\"arm968e-s\"" : "\"cortex-m4\"") + ",\n  \"run\": {" +
                     json_account(total) + "},\n  \"measures\": [";
  bool first = true;
  for (Measure const& measure : measures.list()) {
    text += std::string(first ? "\n" : ",\n") + "    {\"name\": " + quoted(measure.name) +
            ", \"kind\": " + quoted(kind_name(measure.kind)) +
            print(", \"count\": %llu, \"items\": %llu, \"min\": %llu, \"mean\": %.6f, \"max\": %llu, "
                  "\"per_item\": %.6f, ",
                  static_cast<unsigned long long>(measure.count), static_cast<unsigned long long>(measure.items),
                  static_cast<unsigned long long>(measure.count == 0 ? 0 : measure.min), measure.mean(),
                  static_cast<unsigned long long>(measure.max), measure.per_item()) +
            print("\"quantiles\": {\"0.5\": %llu, \"0.9\": %llu, \"0.99\": %llu, \"0.999\": %llu}, ",
                  static_cast<unsigned long long>(measure.quantile(0.5)),
                  static_cast<unsigned long long>(measure.quantile(0.9)),
                  static_cast<unsigned long long>(measure.quantile(0.99)),
                  static_cast<unsigned long long>(measure.quantile(0.999))) +
            json_account(measure.total) + "}";
    first = false;
  }
  return text + (first ? "]\n}\n" : "\n  ]\n}\n");
}

std::string listing(Elf const& elf, Machine const& machine, std::string_view functions) {
  std::vector<Line const*> lines;
  for (Line const& line : machine.lines()) {
    if (line.tally.executed != 0) { lines.push_back(&line); }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](Line const* left, Line const* right) { return left->record.address < right->record.address; });
  std::string text;
  Symbol const* function = nullptr;
  for (Line const* line : lines) {
    std::uint32_t const address = line->record.address;
    Symbol const* const now = elf.at(address);
    if (!glob_matches(functions, now == nullptr ? "" : now->name)) { continue; }
    if (now != function || text.empty()) {
      text += "\n" + (now == nullptr ? "(no symbol)" : now->name) + ":\n" +
              print("%10s %10s %8s  %-8s  %-36s %s\n", "executed", "cycles", "each", "address", "instruction",
                    "beyond one cycle, each time");
      function = now;
    }
    Account const account = line->tally.account();
    text += print("%10llu %10llu %8.2f  %08x  %-36s ", static_cast<unsigned long long>(line->tally.executed),
                  static_cast<unsigned long long>(account.cycles), ratio(account.cycles, line->tally.executed), address,
                  machine.disassembly(line->record).c_str());
    if (line->tally.failed != 0) { text += print("failed %.2f ", ratio(line->tally.failed, line->tally.executed)); }
    text += causes(account, line->tally.executed);
    while (text.back() == ' ') { text.pop_back(); }
    text += "\n";
  }
  return text;
}

} // namespace neuromorph::cycles
