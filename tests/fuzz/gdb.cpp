// SPDX-License-Identifier: BSL-1.0
// Any bytes on the channel of a gdb stub, also such as no debugger sends: it reads and writes only what its regions hold, and
// when the debugger has left, all code is as it was. The first byte chooses the options, the second where the program is.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <neuromorph/firmware/gdb/armv5te.hpp>
#include <neuromorph/firmware/gdb/cortex_m.hpp>
#include <neuromorph/firmware/gdb/stub.hpp>

#include "tests/support/gdb_session.hpp"

namespace {

using namespace gdb_session;

template <class MachineType, gdb::StubOptions options>
void follow(const std::uint8_t* data, std::size_t size) {
  MachineType machine;
  for (std::size_t at = 0; at < ram_bytes; ++at) machine.in_ram[at] = static_cast<std::uint8_t>(at * at * 7 + data[1]);
  Channel channel;
  channel.at_end = packet("D");
  gdb::Stub<MachineType, Channel, options> stub(machine, channel, regions);
  neuromorph::target::ArmRegisters registers{};
  for (std::uint32_t at = 0; at < 16; ++at) registers.general[at] = ram + 0x40 * at;
  registers.general[15] = ram + 2 * data[1];
  channel.to_stub.assign(data + 2, data + size);
  for (unsigned stops = 0; stops < 50 && !channel.to_stub.empty(); ++stops) {
    if (stops % 3 == 2) (void)stub.wants_stop();
    registers.general[0] = stops * 37;
    stub.stopped(registers, gdb::Signal::trap);
    registers.general[15] &= ~3U;
    // Framed, so that most of what comes is heard.
    if (!channel.to_stub.empty() && channel.to_stub.front() != '$') {
      std::string text;
      while (!channel.to_stub.empty() && channel.to_stub.front() != '$' && channel.to_stub.front() != '#') {
        text.push_back(static_cast<char>(channel.to_stub.front()));
        channel.to_stub.pop_front();
      }
      const std::string framed = packet(text);
      channel.to_stub.insert(channel.to_stub.begin(), framed.begin(), framed.end());
    }
  }
  const auto say = [](const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  };
  for (const std::string& wrong : machine.wrong) say(wrong.c_str());
  for (const std::string& text : packets_of(channel.from_stub))
    if (text.rfind("wrong sum", 0) == 0 || text == "torn") say(text.c_str());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static constexpr gdb::StubOptions all{
      .packet_bytes = 137, .breakpoints = 3, .watchpoints = 2, .memory_map = true, .range_steps = true};
  if (data[0] % 4 == 0) follow<gdb::CortexM<Memory>, gdb::StubOptions{}>(data, size);
  if (data[0] % 4 == 1) follow<gdb::CortexM<Memory>, all>(data, size);
  if (data[0] % 4 == 2) follow<gdb::Armv5te<Memory>, gdb::StubOptions{}>(data, size);
  if (data[0] % 4 == 3) follow<gdb::Armv5te<Memory>, all>(data, size);
  return 0;
}
