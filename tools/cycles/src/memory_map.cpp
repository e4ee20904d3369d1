// SPDX-License-Identifier: BSL-1.0
#include "memory_map.hpp"

#include <algorithm>
#include <fstream>

namespace neuromorph::cycles {

MemoryMap MemoryMap::standard(Core core) {
  MemoryMap map;
  if (core == Core::arm9e) {
    // A data access to the instruction memory goes round the instruction side: one wait (inferred).
    map.regions_ = {{"itcm", 0x00000000, 32 * 1024, 1, 1, 0},
                    {"dtcm", 0x00400000, 64 * 1024, 0, 0, 1},
                    // 100 ns at 200 MHz; the write buffer hides about half of it (inferred).
                    {"sdram", 0x60000000, 16 * 1024 * 1024, 20, 10, 20}};
  } else {
    map.regions_ = {{"flash", 0x00000000, 1024 * 1024, 0, 0, 0}, {"sram", 0x20000000, 256 * 1024, 0, 0, 0}};
  }
  return map;
}

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (char c : line.substr(0, line.find('#'))) {
    if (c == ',' || c == ' ' || c == '\t' || c == '\r') {
      if (!word.empty()) { words.push_back(std::move(word)); }
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) { words.push_back(std::move(word)); }
  return words;
}

} // namespace

std::optional<Failure> MemoryMap::add(std::string_view line) {
  auto const words = words_of(line);
  if (words.empty()) { return std::nullopt; }
  auto const same_name = [&](Region const& region) { return region.name == words[0]; };
  if (words.size() == 2 && words[1] == "none") {
    std::erase_if(regions_, same_name);
    return std::nullopt;
  }
  std::uint64_t number[5] = {};
  if (words.size() < 3 || words.size() > 6) {
    return Failure{"memory region '" + std::string(line) + "' is not name,base,size[,read[,write[,fetch]]]"};
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    auto const value = parse_number(words[i]);
    if (!value) { return Failure{"'" + words[i] + "' in memory region '" + words[0] + "' is no number"}; }
    number[i - 1] = *value;
  }
  if (words.size() < 5) { number[3] = number[2]; }
  if (words.size() < 6) { number[4] = number[2]; }
  if (number[0] > 0xffffffffU || number[1] == 0 || number[0] + number[1] > 0x100000000ULL || number[0] % 4096 != 0 ||
      number[1] % 4096 != 0) {
    return Failure{"memory region '" + words[0] + "' must begin and end on multiples of 4 KB below 4 GB"};
  }
  if (number[2] > 255 || number[3] > 255 || number[4] > 255) {
    return Failure{"memory region '" + words[0] + "' waits more than 255 cycles"};
  }
  Region region{words[0],
                static_cast<std::uint32_t>(number[0]),
                number[1],
                static_cast<std::uint32_t>(number[2]),
                static_cast<std::uint32_t>(number[3]),
                static_cast<std::uint32_t>(number[4])};
  for (Region const& other : regions_) {
    if (other.name != region.name && region.base < other.base + other.size && other.base < region.base + region.size) {
      return Failure{"memory regions '" + region.name + "' and '" + other.name + "' overlap"};
    }
  }
  auto const place = std::find_if(regions_.begin(), regions_.end(), same_name);
  if (place == regions_.end()) {
    regions_.push_back(std::move(region));
  } else {
    *place = std::move(region);
  }
  return std::nullopt;
}

std::optional<Failure> MemoryMap::add_file(std::string const& path) {
  std::ifstream file(path);
  if (!file) { return Failure{"cannot read the memory map '" + path + "'"}; }
  std::string line;
  while (std::getline(file, line)) {
    if (auto failure = add(line)) { return failure; }
  }
  return std::nullopt;
}

} // namespace neuromorph::cycles
