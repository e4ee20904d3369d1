// SPDX-License-Identifier: BSL-1.0
// A gdb stub on a machine of the test. Its memory notes what touches it outside of the regions, its channel says what the
// test has written. A host side of its own puts text into packets and takes it out.
#ifndef TESTS_SUPPORT_GDB_SESSION_HPP
#define TESTS_SUPPORT_GDB_SESSION_HPP

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/firmware/gdb/machine.hpp>

namespace gdb_session {

using namespace neuromorph::firmware;

inline constexpr std::uint32_t ram = 0x2000'0000, ram_bytes = 0x400, rom = 0x0800'0000, rom_bytes = 0x100;
inline constexpr std::array<gdb::Region, 2> regions = {
    {{rom, rom_bytes, gdb::Access::read}, {ram, ram_bytes, gdb::Access::write}}};

/// The memory of all regions, with what was done to it.
struct Memory {
  std::array<std::uint8_t, ram_bytes> in_ram{};
  std::array<std::uint8_t, rom_bytes> in_rom{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> flushed;
  std::vector<std::string> wrong;

  [[nodiscard]] std::uint32_t load(std::uint32_t address, unsigned bytes) {
    std::uint32_t value = 0;
    const std::uint8_t* const from = at(address, bytes, false);
    for (unsigned byte = 0; from != nullptr && byte < bytes; ++byte) value |= std::uint32_t{from[byte]} << 8 * byte;
    return value;
  }
  void store(std::uint32_t address, unsigned bytes, std::uint32_t value) {
    std::uint8_t* const to = at(address, bytes, true);
    for (unsigned byte = 0; to != nullptr && byte < bytes; ++byte)
      to[byte] = static_cast<std::uint8_t>(value >> 8 * byte);
  }
  void flush(std::uint32_t address, std::uint32_t bytes) { flushed.emplace_back(address, bytes); }

private:
  std::uint8_t* at(std::uint32_t address, unsigned bytes, bool write) {
    if ((bytes == 1 || bytes == 2 || bytes == 4) && address % bytes == 0) {
      if (address >= ram && std::uint64_t{address} + bytes <= ram + ram_bytes) return &in_ram[address - ram];
      if (!write && address >= rom && std::uint64_t{address} + bytes <= rom + rom_bytes) return &in_rom[address - rom];
    }
    char text[80];
    std::snprintf(text, sizeof text, "%s of %u bytes at %08x", write ? "write" : "read", bytes, address);
    wrong.emplace_back(text);
    return nullptr;
  }
};

/// At its end, when it is asked for the second time, it says what lets the program go on, so that the stub returns.
struct Channel {
  unsigned asked_in_vain = 0;
  std::deque<std::uint8_t> to_stub;
  std::string from_stub, at_end;

  bool take(std::uint8_t& byte) {
    if (to_stub.empty() && (at_end.empty() || asked_in_vain++ == 0)) return false;
    if (to_stub.empty()) to_stub.assign(at_end.begin(), at_end.end());
    byte = to_stub.front();
    to_stub.pop_front();
    return true;
  }
  bool put(std::uint8_t byte) {
    from_stub.push_back(static_cast<char>(byte));
    return true;
  }
  void say(const std::string& bytes) { to_stub.insert(to_stub.end(), bytes.begin(), bytes.end()); }
};

inline std::string packet(const std::string& text) {
  unsigned sum = 0;
  for (const char letter : text) sum += static_cast<unsigned char>(letter);
  char end[4];
  std::snprintf(end, sizeof end, "#%02x", sum % 256);
  return "$" + text + end;
}

/// The texts of the packets in a stream, and what stands between them as it is.
inline std::vector<std::string> packets_of(const std::string& stream) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < stream.size();) {
    if (stream[at] != '$') {
      found.push_back(stream.substr(at++, 1));
      continue;
    }
    const std::size_t end = stream.find('#', at);
    if (end == std::string::npos || end + 3 > stream.size()) return found.emplace_back("torn"), found;
    const std::string text = stream.substr(at + 1, end - at - 1);
    found.push_back(packet(text) == stream.substr(at, end + 3 - at) ? text : "wrong sum of " + text);
    at = end + 3;
  }
  return found;
}

} // namespace gdb_session

#endif
