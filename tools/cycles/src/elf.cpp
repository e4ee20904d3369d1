// SPDX-License-Identifier: BSL-1.0
#include "elf.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace neuromorph::cycles {
namespace {

/// Bounds-checked little-endian reads; a read outside the file sets `broken` and gives 0.
class Bytes {
public:
  explicit Bytes(std::vector<std::uint8_t> data) : data_(std::move(data)) {}
  std::uint32_t get(std::uint64_t at, unsigned width) {
    if (at + width > data_.size()) {
      broken = true;
      return 0;
    }
    std::uint32_t value = 0;
    for (unsigned i = 0; i < width; ++i) { value |= std::uint32_t{data_[at + i]} << (8 * i); }
    return value;
  }
  std::uint32_t word(std::uint64_t at) { return get(at, 4); }
  std::uint32_t half(std::uint64_t at) { return get(at, 2); }
  std::string text(std::uint64_t at) {
    std::string result;
    while (at < data_.size() && data_[at] != 0) { result += static_cast<char>(data_[at++]); }
    if (at >= data_.size()) { broken = true; }
    return result;
  }
  std::vector<std::uint8_t> slice(std::uint64_t at, std::uint64_t size) {
    if (at + size > data_.size()) {
      broken = true;
      return {};
    }
    return {data_.begin() + static_cast<std::ptrdiff_t>(at), data_.begin() + static_cast<std::ptrdiff_t>(at + size)};
  }
  std::uint64_t size() const { return data_.size(); }
  bool broken = false;

private:
  std::vector<std::uint8_t> data_;
};

std::uint32_t uleb(Bytes& file, std::uint64_t& at, std::uint64_t end) {
  std::uint32_t value = 0;
  for (unsigned shift = 0; at < end && shift < 32; shift += 7) {
    std::uint32_t const byte = file.get(at++, 1);
    value |= (byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) { break; }
  }
  return value;
}

/// Tag_CPU_arch of the "aeabi" section; -1 if there is none.
int cpu_arch(Bytes& file, std::uint64_t begin, std::uint64_t size) {
  std::uint64_t const end = begin + size;
  if (size < 6 || file.get(begin, 1) != 'A') { return -1; }
  std::uint64_t at = begin + 5;
  if (file.text(at) != "aeabi") { return -1; }
  at += 6 + 5; // name, then Tag_File and its length
  while (at < end && !file.broken) {
    std::uint32_t const tag = uleb(file, at, end);
    // Tags 4, 5, 67 and odd ones above 32 hold a string, 32 a number and a string, the others a number.
    if (tag == 32) { uleb(file, at, end); }
    if (tag == 4 || tag == 5 || tag == 32 || (tag > 32 && tag % 2 == 1)) {
      at += file.text(at).size() + 1;
    } else {
      std::uint32_t const value = uleb(file, at, end);
      if (tag == 6) { return static_cast<int>(value); }
    }
  }
  return -1;
}

} // namespace

Expected<Elf> Elf::read(std::string const& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) { return Failure{"cannot read '" + path + "'"}; }
  Bytes file({std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()});
  if (file.size() < 16 || file.word(0) != 0x464c457f) { return Failure{"'" + path + "' is not an ELF file"}; }
  std::string const truncated =
      "'" + path + "' is truncated: its headers point beyond its " + std::to_string(file.size()) + " bytes";
  if (file.get(4, 1) != 1 || file.get(5, 1) != 1 || file.half(18) != 40) {
    return Failure{"'" + path + "' is an ELF file for machine " + std::to_string(file.half(18)) + ", " +
                   (file.get(4, 1) == 2 ? "64" : "32") + " bits, " + (file.get(5, 1) == 2 ? "big" : "little") +
                   "-endian; a 32-bit little-endian ARM executable (machine 40) is needed"};
  }
  Elf elf;
  if (!file.broken && file.half(16) != 2) {
    return Failure{"'" + path + "' is not a linked executable; link it first"};
  }
  elf.entry_ = file.word(24);
  std::uint32_t const segments = file.half(44);
  for (std::uint32_t i = 0; i < segments && !file.broken; ++i) {
    std::uint64_t const header = std::uint64_t{file.word(28)} + std::uint64_t{i} * file.half(42);
    std::uint32_t const memory_size = file.word(header + 20);
    if (file.word(header) != 1 || memory_size == 0) { continue; }
    elf.segments_.push_back(
        {file.word(header + 12), file.slice(file.word(header + 4), file.word(header + 16)), memory_size});
  }
  std::uint32_t const sections = file.half(48);
  for (std::uint32_t i = 0; i < sections && !file.broken; ++i) {
    auto const section_at = [&](std::uint32_t n) {
      return std::uint64_t{file.word(32)} + std::uint64_t{n} * file.half(46);
    };
    std::uint64_t const section = section_at(i);
    std::uint32_t const type = file.word(section + 4);
    std::uint32_t const offset = file.word(section + 16);
    std::uint32_t const size = file.word(section + 20);
    if (type == 0x70000003) {
      int const arch = cpu_arch(file, offset, size);
      // Build attribute values: 2-5 are v4T to v5TEJ, 13 is v7E-M.
      if (arch >= 2 && arch <= 5) { elf.core_ = Core::arm9e; }
      if (arch == 13 || arch == 10 || arch == 11 || arch == 12) { elf.core_ = Core::cortex_m4; }
      if (arch >= 14) {
        return Failure{"'" + path + "' is built for ARMv8 or later; ARMv5TE and ARMv7E-M are modelled"};
      }
    }
    if (type != 2) { continue; }
    std::uint64_t const names = file.word(section_at(file.word(section + 24)) + 16);
    for (std::uint32_t entry = 0; entry + 16 <= size && !file.broken; entry += 16) {
      std::uint64_t const at = std::uint64_t{offset} + entry;
      std::uint32_t const kind = file.get(at + 12, 1) & 15;
      std::uint32_t const home = file.half(at + 14);
      if (home == 0 || kind > 2) { continue; }
      Symbol symbol{
          file.text(names + file.word(at)), file.word(at + 4), file.word(at + 8), kind == 2, home == 0xfff1, false};
      if (symbol.name.empty() || symbol.name[0] == '$') { continue; }
      if (symbol.function) {
        symbol.thumb = (symbol.address & 1) != 0;
        symbol.address &= ~1U;
      }
      elf.symbols_.push_back(std::move(symbol));
    }
  }
  if (file.broken) { return Failure{truncated}; }
  if (elf.segments_.empty()) { return Failure{"'" + path + "' has nothing to load"}; }
  std::stable_sort(elf.symbols_.begin(), elf.symbols_.end(), [](Symbol const& left, Symbol const& right) {
    return left.address != right.address ? left.address < right.address : left.function < right.function;
  });
  return elf;
}

Symbol const* Elf::named(std::string_view name) const {
  auto const found =
      std::find_if(symbols_.begin(), symbols_.end(), [&](Symbol const& symbol) { return symbol.name == name; });
  return found == symbols_.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> Elf::resolve(std::string_view text) const {
  if (auto const number = parse_number(text)) { return static_cast<std::uint32_t>(*number); }
  std::uint32_t offset = 0;
  std::string_view name = text;
  if (auto const plus = text.rfind('+'); plus != std::string_view::npos) {
    auto const number = parse_number(text.substr(plus + 1));
    if (!number) { return std::nullopt; }
    offset = static_cast<std::uint32_t>(*number);
    name = text.substr(0, plus);
  }
  Symbol const* const symbol = named(name);
  if (symbol == nullptr) { return std::nullopt; }
  return symbol->address + offset;
}

Symbol const* Elf::at(std::uint32_t address) const {
  auto place = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                [](std::uint32_t value, Symbol const& symbol) { return value < symbol.address; });
  Symbol const* label = nullptr;
  while (place != symbols_.begin()) {
    --place;
    if (place->absolute) { continue; }
    if (place->function && (place->size == 0 || address - place->address < place->size)) { return &*place; }
    if (place->function) { break; }
    // A measuring mark is not a place a reader knows.
    std::string_view const name = place->name;
    bool const mark = name.ends_with("__begin") || name.ends_with("__end");
    if (label == nullptr && !mark) { label = &*place; }
  }
  return label;
}

std::string Elf::place(std::uint32_t address) const {
  Symbol const* const symbol = at(address);
  if (symbol == nullptr) { return hex(address) + " (no symbol)"; }
  std::ostringstream text;
  text << hex(address) << " in " << symbol->name;
  if (address != symbol->address) { text << "+0x" << std::hex << address - symbol->address; }
  return text.str();
}

} // namespace neuromorph::cycles
