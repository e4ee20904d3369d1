// SPDX-License-Identifier: BSL-1.0
// Any bytes as the files of the checker: the first is a digit that says which; what is read and written is read again, and is the
// same; tables of any kind are judged, whatever is in them. The inputs beside were written by hand.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include <neuromorph/mapping/proof/files.hpp>
#include <neuromorph/mapping/proof/proof.hpp>

namespace {

namespace proof = neuromorph::mapping::proof;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}
template <class Value>
bool is_read(const neuromorph::Answer<Value>& given) {
  if (!given)
    demand(!given.sentence().empty() && given.sentence().find('\0') == std::string::npos, "a refusal is no sentence");
  return given.ok();
}

constexpr const char* machine_text =
    R"({"width": 3, "height": 2, "chip_resources": {"cores": 18, "router_entries": 4}, "dead_links": [[0, 0, "north"]]})";
constexpr const char* demand_text =
    R"({"streams": [{"key": 16, "mask": 4294967280, "chip": [0, 0], "from": "core1",
                     "sinks": [{"chip": [1, 0], "directions": ["core2"]}, {"chip": [2, 1], "directions": ["core3"]}]}]})";

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto fixed = proof::machine_from_json(machine_text);
  if (!fixed) std::fprintf(stderr, "%s\n", fixed.sentence().c_str());
  demand(fixed.ok(), "the machine of the target is refused");
  const proof::Machine& machine = fixed.value();
  const auto wanted = proof::demand_from_json(demand_text, machine);
  if (!wanted) std::fprintf(stderr, "%s\n", wanted.sentence().c_str());
  demand(wanted.ok(), "the demand of the target is refused");
  const auto judge = [&](const proof::Tables& tables, const proof::Demand& what) {
    const auto judged = proof::prove(machine, what, tables);
    if (is_read(judged)) demand(!judged.value().text(machine).empty(), "a proof says nothing");
  };
  switch (data[0]) {
  case '0': {
    const auto read = proof::machine_from_json(text);
    if (!is_read(read)) break;
    const std::string written = proof::machine_to_json(read.value());
    const auto again = proof::machine_from_json(written);
    demand(again.ok() && proof::machine_to_json(again.value()) == written, "a machine is read as another");
    break;
  }
  case '1': {
    const auto read = proof::demand_from_json(text, machine);
    if (!is_read(read)) break;
    const std::string written = proof::demand_to_json(read.value(), machine);
    const auto again = proof::demand_from_json(written, machine);
    demand(again.ok() && proof::demand_to_json(again.value(), machine) == written, "a demand is read as another");
    break;
  }
  case '2': {
    const auto read = proof::tables_from_json(text, machine);
    if (!is_read(read)) break;
    const std::string written = proof::tables_to_json(read.value(), machine);
    const auto again = proof::tables_from_json(written, machine);
    demand(again.ok() && again.value().entries == read.value().entries, "tables are read as others");
    judge(read.value(), wanted.value());
    break;
  }
  case '3': {
    const auto read = proof::tables_from_dump(bytes, machine);
    if (is_read(read)) judge(read.value(), wanted.value());
    break;
  }
  case '4': static_cast<void>(is_read(proof::table_from_router(bytes))); break;
  default: break;
  }
  return 0;
}
