// SPDX-License-Identifier: BSL-1.0
// The gdb stub with a Cortex-M's registers and the test's memory: each packet by itself, random ones beside a plain model of
// registers and memory, and programs of a few instructions that the test executes.
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <neuromorph/firmware/gdb/armv5te.hpp>
#include <neuromorph/firmware/gdb/cortex_m.hpp>
#include <neuromorph/firmware/gdb/stub.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/gdb_session.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace gdb_session;

namespace {

template <gdb::StubOptions options = gdb::StubOptions{}, class MachineType = gdb::CortexM<Memory>>
struct Session {
  MachineType machine;
  Channel channel;
  gdb::Stub<MachineType, Channel, options> stub{machine, channel, regions};
  target::ArmRegisters registers{};

  Session() {
    channel.at_end = packet("c");
    registers.general[15] = ram;
    for (unsigned at = 0; at < ram_bytes; at += 2) machine.store(ram + at, 2, 0xBF00); // nop
  }
  /// What the stub says to these packets, without the acknowledgements, when the program stops.
  std::vector<std::string> ask(const std::vector<std::string>& texts, gdb::Signal signal = gdb::Signal::trap) {
    channel.from_stub.clear();
    for (const std::string& text : texts) channel.say(packet(text));
    stub.stopped(registers, signal);
    std::vector<std::string> answers;
    for (const std::string& one : packets_of(channel.from_stub))
      if (one != "+") answers.push_back(one);
    return answers;
  }
  std::string one(const std::string& text) {
    const auto answers = ask({"qSupported", text});
    return answers.empty() ? "nothing" : answers.back();
  }
};
using Default = Session<>;

using Answers = std::vector<std::string>;

std::string hex(const std::uint8_t* bytes, std::size_t count) {
  std::string text;
  char two[3];
  for (std::size_t at = 0; at < count; ++at) std::snprintf(two, sizeof two, "%02x", bytes[at]), text += two;
  return text;
}

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[200];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

} // namespace

TEST_CASE("gdb stub: the frames of packets", "[firmware][gdb]") {
  Default session;
  const auto stream = [&](const std::string& bytes) {
    session.channel.from_stub.clear();
    session.channel.say(bytes);
    session.stub.stopped(session.registers, gdb::Signal::trap);
    return session.channel.from_stub;
  };
  const std::string end = "+"; // of the packet that lets it go on
  CHECK(stream("$?#3f") == "+$T05#b9" + end);
  session.ask({"D"});                  // nobody awaits a word
  CHECK(stream("$?#3e") == "-" + end); // the sum is wrong
  session.ask({"D"});
  CHECK(stream("$?#3F") == "+$T05#b9" + end);
  session.ask({"D"});
  CHECK(stream("+++$?#3f") == "+$T05#b9" + end);
  session.ask({"D"});
  CHECK(stream("$?#3f-") == "+$T05#b9$T05#b9" + end); // said once more
  session.ask({"D"});
  CHECK(stream("$?$?#3f") == "+$T05#b9" + end); // torn, then whole
  session.ask({"D"});
  CHECK(stream("noise$?#3f\x03") == "+$T05#b9" + end);
  session.ask({"D"});
  CHECK(stream("$QStartNoAckMode#b0$?#3f") == "+$OK#9a$T05#b9");
  CHECK(stream("$?#3f") == "$T05#b9$T05#b9"); // attached: it says by itself that it has stopped
  CHECK(packets_of(stream(packet("qSupported:swbreak+"))).at(1) ==
        "+"); // another debugger begins with acknowledgements
  const std::string unknown = "$#00";
  session.ask({"D"});
  for (unsigned sum = 0; sum < 256; ++sum) // every sum but the right one is refused
    for (const char* digits : {"%02x", "%02X"}) {
      const std::string asked = "$!#" + format(digits, sum);
      INFO(asked);
      CHECK(stream(asked) == (sum == '!' ? "+" + unknown : "-") + end);
      session.ask({"D"});
    }
  for (const std::string digits : {"z1", "2z", "zz", "  "}) {
    CHECK(stream("$!#" + digits) == "-" + end);
    session.ask({"D"});
  }
  // One that does not fit is one that nobody knows.
  CHECK(stream(packet(std::string(511, 'm'))) == "+$E01#a6" + end);
  for (std::size_t size = 512; size < 515; ++size) {
    session.ask({"D"});
    CHECK(stream(packet(std::string(size, 'm'))) == "+" + unknown + end);
  }
}

TEST_CASE("gdb stub: registers", "[firmware][gdb]") {
  Default session;
  for (unsigned at = 0; at < 16; ++at) session.registers.general[at] = 0x01020304U * at + 0x80;
  session.registers.general[15] = ram;
  session.registers.status = 0x6100'0000;
  std::uint8_t bytes[68];
  std::memcpy(bytes, &session.registers, 68);
  CHECK(session.one("g") == hex(bytes, 68));
  for (unsigned at = 0; at < 17; ++at) CHECK(session.one("p" + format("%x", at)) == hex(bytes + 4 * at, 4));
  CHECK(session.one("p11") == "E01");
  CHECK(session.one("pffffffff") == "E01");
  CHECK(session.one("p") == "E01");
  CHECK(session.one("P3=78563412") == "OK");
  CHECK(session.registers.general[3] == 0x12345678);
  CHECK(session.one("P3=785634") == "E01");
  CHECK(session.one("P3=7856341234") == "E01");
  CHECK(session.one("P3=7856341x") == "E01");
  CHECK(session.one("P11=00000000") == "E01");
  std::string all;
  for (unsigned at = 0; at < 17; ++at) all += format("%02x000020", 4 * at);
  CHECK(session.one("G" + all) == "OK");
  CHECK(session.registers.general[12] == 0x2000'0030);
  CHECK(session.registers.status == 0x2000'0040);
  CHECK(session.one("G" + all + "00") == "E01");
  CHECK(session.one("G" + all.substr(2)) == "E01");
}

TEST_CASE("gdb stub: memory, and nothing outside of the regions", "[firmware][gdb]") {
  Default session;
  for (unsigned at = 0; at < 16; ++at) session.machine.in_ram[at + 0x20] = static_cast<std::uint8_t>(at * 17);
  CHECK(session.one("m20000020,10") == "00112233445566778899aabbccddeeff");
  for (unsigned begin = 0; begin < 8; ++begin)
    for (unsigned count = 0; count < 8; ++count)
      CHECK(session.one(format("m%x,%x", 0x20000020 + begin, count)) ==
            std::string("00112233445566778899aabbccddeeff").substr(2 * begin, 2 * count));
  CHECK(session.one("M20000021,3:abcdef") == "OK");
  CHECK(session.one("m20000020,5") == "00abcdef44");
  CHECK(session.one("X20000022,4:" + std::string("}\x03}\x04}]#", 7).substr(0, 6) + "a") == "OK"); // 23 24 7d 61
  CHECK(session.one("m20000021,6") == "ab23247d6166");
  CHECK(session.one("X20000022,0:") == "OK");
  CHECK(session.one("X20000022,2:}") == "E01");
  CHECK(session.one("X20000022,1:ab") == "E01");
  CHECK(session.one("M20000021,3:abcde") == "E01");
  CHECK(session.one("M20000021,3:abcdef00") == "E01");
  CHECK(session.one("M20000021,3:abcdeg") == "E01");
  CHECK(session.one("m200003ff,1").size() == 2);
  CHECK(session.one("m8000000,4") == "00000000");
  CHECK(session.one("m20000000,400").size() == 512); // as much as fits
  for (const char* refused : {"m200003ff,2",
                              "m20000400,1",
                              "m1fffffff,1",
                              "m1fffffff,2",
                              "m20000000,401",
                              "m20000001,ffffffff",
                              "mffffffff,2",
                              "m0,1",
                              "m80000ff,2",
                              "m7fffffff,ffffffff",
                              "m120000000,1",
                              "m20000000,100000001",
                              "m",
                              "m,",
                              "m20000000",
                              "m20000000,",
                              "mx,1",
                              "M8000000,1:00",
                              "M200003ff,2:0000",
                              "M1fffffff,2:0000",
                              "X8000000,1:a",
                              "X20000400,1:a",
                              "M20000001,ffffffff:00",
                              "M",
                              "X",
                              "M20000000,1",
                              "M20000000,1;00"}) {
    INFO(refused);
    CHECK(session.one(refused) == "E01");
  }
  CHECK(session.machine.wrong.empty());
}

TEST_CASE("gdb stub: what it says of itself", "[firmware][gdb]") {
  Default session;
  CHECK(session.one("qSupported:multiprocess+") ==
        "PacketSize=1ff;QStartNoAckMode+;vContSupported+;qXfer:features:read+");
  std::string text;
  for (std::string piece = "m"; piece.front() == 'm';) {
    piece = session.one(format("qXfer:features:read:target.xml:%zx,33", text.size()));
    text += piece.substr(1);
    REQUIRE(piece.size() <= 0x34);
  }
  std::string wanted =
      "<target><architecture>arm</architecture><osabi>none</osabi><feature name=\"org.gnu.gdb.arm.m-profile\">";
  for (const char* name :
       {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc", "xpsr"})
    wanted += "<reg name=\"" + std::string(name) + "\" bitsize=\"32\"/>";
  wanted += "</feature></target>";
  CHECK(text == wanted);
  for (std::size_t begin = 0; begin < wanted.size() + 3; ++begin)
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{2}, std::size_t{300}, std::size_t{0xFFFF'FFFF}}) {
      const std::size_t there = begin < wanted.size() ? std::min({wanted.size() - begin, bytes, std::size_t{511}}) : 0;
      CHECK(session.one(format("qXfer:features:read:target.xml:%zx,%zx", begin, bytes)) ==
            (begin + there >= wanted.size() ? "l" : "m") + (there == 0 ? "" : wanted.substr(begin, there)));
    }
  CHECK(session.one("qXfer:features:read:other.xml:0,10").empty());
  CHECK(session.one("qXfer:memory-map:read::0,100").empty());
  CHECK(session.one("vCont?") == "vCont;c;C;s;S");
  CHECK(session.one("vMustReplyEmpty").empty());
  CHECK(session.one("qRcmd,00").empty());
  CHECK(session.one("").empty());

  Session<gdb::StubOptions{.memory_map = true}> with_map;
  CHECK(with_map.one("qXfer:memory-map:read::0,200") ==
        "l<memory-map><memory type=\"rom\" start=\"0x8000000\" length=\"0x100\"/>"
        "<memory type=\"ram\" start=\"0x20000000\" length=\"0x400\"/></memory-map>");
  Session<gdb::StubOptions{.description = false, .single_registers = false, .binary_writes = false}> least;
  CHECK(least.one("p0").empty());
  CHECK(least.one("P0=00000000").empty());
  CHECK(least.one("X20000000,0:").empty());
  CHECK(least.one("qXfer:features:read:target.xml:0,100").empty());
  CHECK(least.one("qSupported") == "PacketSize=1ff;QStartNoAckMode+;vContSupported+");
}

TEST_CASE("gdb stub: breakpoints stand in memory only while the program runs, each with its flush", "[firmware][gdb]") {
  Default session;
  auto& memory = session.machine;
  const auto before = memory.in_ram;
  const auto bytes_at = [&](std::uint32_t address) { return memory.load(address, 2); };
  CHECK(session.ask({"Z0,20000010,2", "Z0,20000012,3", "Z1,20000020,2", "m20000010,4"}) ==
        Answers{"OK", "OK", "OK", "00bf00bf"});
  CHECK(bytes_at(ram + 0x10) == 0xBE00); // the program runs
  CHECK(bytes_at(ram + 0x12) == 0xBE00);
  CHECK(bytes_at(ram + 0x14) == 0xBF00);
  CHECK(bytes_at(ram + 0x20) == 0xBE00);
  CHECK(memory.flushed ==
        std::vector<std::pair<std::uint32_t, std::uint32_t>>{{ram + 0x20, 2}, {ram + 0x12, 2}, {ram + 0x10, 2}});
  memory.flushed.clear();
  CHECK(session.ask({"z0,20000012,2", "Z0,20000010,2"}) == Answers{"T05", "OK", "OK"});
  CHECK(bytes_at(ram + 0x12) == 0xBF00);
  CHECK(memory.flushed == std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                              {ram + 0x10, 2}, {ram + 0x12, 2}, {ram + 0x20, 2}, {ram + 0x20, 2}, {ram + 0x10, 2}});
  CHECK(session.ask({"z0,20000010,2", "z1,20000020,2", "z0,20000030,2"}) == Answers{"T05", "OK", "OK", "OK"});
  CHECK(memory.in_ram == before);
  for (const char* refused : {"Z0,8000000,2", "Z0,200003ff,2", "Z0,20000001,2", "Z0,20000000,0", "Z0,20000400,2", "Z0,",
                              "Z0", "Z", "Z0,20000000", "Z1,8000000,2", "Z0,200003fe,100000002"}) {
    INFO(refused);
    CHECK(session.one(refused) == "E01");
  }
  for (const char* unknown : {"Z2,20000000,4", "Z3,20000000,4", "Z4,20000000,4", "Z5,20000000,4", "Z9,20000000,2"}) {
    INFO(unknown);
    CHECK(session.one(unknown).empty());
  }
  std::vector<std::string> many;
  for (unsigned at = 0; at < 9; ++at) many.push_back(format("Z0,%x,2", ram + 2 * at + 0x80));
  many.insert(many.begin(), "qSupported");
  Answers answers = session.ask(many);
  CHECK(answers.back() == "E01"); // the ninth
  CHECK(std::vector<std::string>(answers.end() - 9, answers.end() - 1) == Answers(8, "OK"));
  CHECK(session.ask({"D"}) == Answers{"T05", "OK"});
  CHECK(memory.in_ram == before);
  CHECK(session.ask({}) == Answers{}); // nobody to be told

  // Who has gone without a word leaves none either.
  session.ask({"qSupported", "Z0,20000010,2"});
  session.ask({"qSupported"});
  CHECK(memory.in_ram == before);
  // What the debugger writes where a breakpoint is stays when that is lifted.
  session.ask({"Z0,20000010,2", "M20000010,2:aabb"});
  CHECK(bytes_at(ram + 0x10) == 0xBE00);
  session.ask({"z0,20000010,2"});
  CHECK(bytes_at(ram + 0x10) == 0xBBAA);
  CHECK(memory.wrong.empty());
}

TEST_CASE("gdb stub: steps, the program's own breakpoints and signals", "[firmware][gdb]") {
  Default session;
  auto& memory = session.machine;
  auto& pc = session.registers.general[15];
  session.channel.at_end = packet("vCont;s:1;c");
  session.ask({});
  CHECK(memory.load(ram + 2, 2) == 0xBE00);
  pc = ram + 2;
  memory.store(ram + 4, 2, 0xE00E); // to ram + 0x24
  session.ask({});
  pc = ram + 4;
  session.ask({});
  CHECK(memory.load(ram + 4, 2) == 0xE00E);
  CHECK(memory.load(ram + 0x24, 2) == 0xBE00);
  pc = ram + 0x24;

  session.channel.at_end = packet("c");
  session.ask({"D"});
  memory.store(ram + 0x24, 2, 0xBE00);                                 // of the program
  CHECK(session.ask({"?", "s", "?"}) == Answers{"T05", "T05", "T05"}); // the first step leaves it behind
  CHECK(pc == ram + 0x26);
  pc = ram + 0x24;
  session.ask({});
  CHECK(pc == ram + 0x26);
  pc = ram + 0x24;
  session.ask({"D"});
  CHECK(pc == ram + 0x26);

  pc = ram + 0x30;
  session.ask({"?"});
  CHECK(session.ask({}, gdb::Signal::bad_access) == Answers{"T0b"});
  CHECK(session.ask({"?"}, gdb::Signal::illegal_instruction) == Answers{"T04", "T04"});
  pc = ram + 0x24;
  CHECK(session.ask({}, gdb::Signal::bad_access) == Answers{"T05"}); // a breakpoint, whatever exception it raised
  // A step that cannot be taken is refused, and the program stays.
  for (const std::uint32_t outside : {0U, 0x1FFF'FFFEU, ram + ram_bytes, rom + rom_bytes, rom}) {
    pc = outside;
    CHECK(session.one("s") == "E01");
    CHECK(session.one("vCont;s") == "E01");
  }
  pc = ram;
  memory.store(ram, 2, 0xBD01); // pop {r0, pc}
  session.registers.general[13] = ram + ram_bytes - 4;
  CHECK(session.one("s") == "E01"); // of a stack that is not there
  CHECK(session.one("vCont").empty());
  CHECK(session.one("vCont;t").empty());
  CHECK(session.one("vCont;").empty());
  CHECK(session.machine.wrong.empty());
}

TEST_CASE("gdb stub: Ctrl-C and who attaches while the program runs", "[firmware][gdb]") {
  Default session;
  session.channel.at_end.clear();
  CHECK(!session.stub.wants_stop());
  session.channel.say("+");
  CHECK(!session.stub.wants_stop());
  session.channel.say("$vCon");
  CHECK(session.stub.wants_stop());
  CHECK(session.stub.wants_stop()); // until it has stopped
  session.channel.say(packet("vCont?").substr(5));
  CHECK(session.ask({"c"}) == Answers{"vCont;c;C;s;S"});
  CHECK(!session.stub.wants_stop());
  session.channel.say("\x03");
  CHECK(session.stub.wants_stop());
  CHECK(session.ask({"c"}) == Answers{"T02"});
  CHECK(!session.stub.wants_stop());
  CHECK(session.ask({"c"}) == Answers{"T05"});
  session.channel.say("\x03");
  CHECK(session.stub.wants_stop());
  CHECK(session.ask({"D"}, gdb::Signal::bad_access) == Answers{"T0b", "OK"}); // a fault comes first
}

TEST_CASE("gdb stub: watchpoints and ranges by stepping", "[firmware][gdb]") {
  Session<gdb::StubOptions{.watchpoints = 2, .range_steps = true}> session;
  auto& memory = session.machine;
  auto& pc = session.registers.general[15];
  // The program: nops, of which some change a byte. Goes on from each step of the stub's own, of which the debugger hears
  // nothing; how many instructions it has executed when the debugger does.
  const auto run = [&](std::map<std::uint32_t, std::uint32_t> changes, unsigned limit) {
    session.channel.from_stub.clear();
    for (unsigned steps = 0; steps < limit; ++steps) {
      if (memory.load(pc, 2) == 0xBE00 && steps != 0) {
        session.channel.asked_in_vain = 0;
        session.stub.stopped(session.registers, gdb::Signal::trap);
        if (!session.channel.from_stub.empty()) return steps;
      }
      if (changes.count(pc) != 0) memory.store(changes[pc], 1, memory.load(changes[pc], 1) + 1);
      pc += 2;
    }
    return limit;
  };
  session.channel.at_end = packet("c");
  CHECK(session.ask({"qSupported", "vCont?", "Z2,20000203,1", "Z2,20000300,8", "Z2,20000310,1", "Z2,8000100,1",
                     "Z2,20000300,9", "Z3,20000203,1"}) ==
        Answers{"PacketSize=1ff;QStartNoAckMode+;vContSupported+;qXfer:features:read+", "vCont;c;C;s;S;r", "OK", "OK",
                "E01", "E01", "E01", ""});
  CHECK(run({{ram + 0x10, ram + 0x202}, {ram + 0x20, ram + 0x203}}, 100) == 0x22 / 2);
  CHECK(packets_of(session.channel.from_stub).front() == "T05watch:20000203;");
  CHECK(pc == ram + 0x22);
  CHECK(run({{ram + 0x30, ram + 0x2ff}, {ram + 0x32, ram + 0x308}, {ram + 0x40, ram + 0x307}}, 100) == 0x20 / 2);
  CHECK(packets_of(session.channel.from_stub).front() == "T05watch:20000300;");
  CHECK(pc == ram + 0x42);
  session.ask({"z2,20000203,1", "Z0,20000052,2"});
  CHECK(run({{ram + 0x46, ram + 0x203}}, 100) == 8); // the breakpoint
  CHECK(packets_of(session.channel.from_stub).front() == "T05");
  session.channel.at_end = packet("vCont;r20000052,20000060:1;c");
  session.ask({"z2,20000300,8", "z0,20000052,2"});
  CHECK(run({{ram + 0x54, ram + 0x300}}, 100) == 7); // to the end of the range
  CHECK(pc == ram + 0x60);
  session.channel.at_end = packet("vCont;r20000060,20000160:1;c");
  session.ask({"Z0,20000070,2"});
  CHECK(run({}, 200) == 8); // to a breakpoint in it
  CHECK(memory.wrong.empty());
}

TEST_CASE("gdb stub: random packets beside a plain model", "[firmware][gdb]") {
  static constexpr std::uint8_t special[] = {0x23, 0x24, 0x7D, 0x2A, 3};
  for (const std::uint32_t seed : Seeds(40)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    Default session;
    auto& memory = session.machine;
    for (auto& byte : memory.in_rom) byte = static_cast<std::uint8_t>(random());
    std::map<std::uint32_t, std::uint8_t> model; // what may be read
    for (std::uint32_t at = 0; at < rom_bytes; ++at) model[rom + at] = memory.in_rom[at];
    for (std::uint32_t at = 0; at < ram_bytes; ++at) model[ram + at] = memory.in_ram[at];
    std::set<std::uint32_t> breaks;
    std::array<std::uint8_t, 68> registers{};
    std::memcpy(registers.data(), &session.registers, 68);
    const auto all_there = [&](std::uint32_t address, std::uint32_t bytes, bool write) {
      for (std::uint32_t at = 0; at < bytes; ++at)
        if (model.count(address + at) == 0 || (write && address + at < ram)) return false;
      return bytes != 0 || (model.count(address) != 0 && !(write && address < ram));
    };
    const auto place = [&] {
      static constexpr std::uint32_t bases[] = {ram, ram + ram_bytes - 8, rom, rom + rom_bytes - 8, 0, 0xFFFF'FFF8};
      const std::uint32_t base = bases[below(6)];
      return base + below(12) - (below(4) == 0 ? 4 : 0);
    };
    session.ask({"qSupported"});
    for (unsigned round = 0; round < 20; ++round) {
      std::vector<std::string> asked;
      Answers wanted = {"T05"};
      const auto expect = [&](std::string text, std::string answer) {
        asked.push_back(std::move(text));
        wanted.push_back(std::move(answer));
      };
      for (unsigned count = below(30); count != 0; --count) {
        const std::uint32_t address = place(), bytes = below(9);
        switch (below(6)) {
        case 0: {
          std::string answer;
          for (std::uint32_t at = 0; all_there(address, bytes, false) && at < bytes; ++at)
            answer += hex(&model[address + at], 1);
          expect(format("m%x,%x", address, bytes), all_there(address, bytes, false) ? answer : "E01");
          break;
        }
        case 1:
        case 2: {
          const bool binary = below(2) == 0, may = all_there(address, bytes, true);
          std::string text;
          for (std::uint32_t at = 0; at < bytes; ++at) {
            const auto byte = static_cast<std::uint8_t>(below(3) == 0 ? special[below(5)] : random());
            if (may) model[address + at] = byte;
            if (!binary)
              text += hex(&byte, 1);
            else if (byte == '#' || byte == '$' || byte == '}' || byte == '*')
              text += {'}', static_cast<char>(byte ^ 0x20)};
            else
              text += static_cast<char>(byte);
          }
          expect(format(binary ? "X%x,%x:" : "M%x,%x:", address, bytes) + text, may ? "OK" : "E01");
          break;
        }
        case 3: {
          const std::uint32_t number = below(18);
          std::uint8_t value[4];
          for (auto& byte : value) byte = static_cast<std::uint8_t>(random());
          if (number == 15) value[0] = 0, value[1] = 2, value[2] = 0, value[3] = 0x20; // stays in memory
          if (number < 17) std::memcpy(&registers[4 * number], value, 4);
          expect(format("P%x=", number) + hex(value, 4), number < 17 ? "OK" : "E01");
          break;
        }
        case 4: expect("g", hex(registers.data(), 68)); break;
        default: {
          const bool insert = below(2) == 0;
          const bool may = all_there(address, 2, true) && address % 2 == 0;
          std::string answer = "OK";
          if (insert && breaks.count(address) == 0) {
            if (!may || breaks.size() == 8)
              answer = "E01";
            else
              breaks.insert(address);
          } else if (!insert) {
            breaks.erase(address);
          }
          expect(format("%c%u,%x,%u", insert ? 'Z' : 'z', below(2), address, 2U), answer);
          break;
        }
        }
      }
      REQUIRE(session.ask(asked) == wanted);
      REQUIRE(memory.wrong.empty());
      for (std::uint32_t at = 0; at < ram_bytes; at += 2) { // the program runs: breakpoints and else what the model has
        const std::uint32_t now = memory.load(ram + at, 2);
        REQUIRE(now ==
                (breaks.count(ram + at) != 0 ? 0xBE00U : model[ram + at] | std::uint32_t{model[ram + at + 1]} << 8));
      }
      session.registers.general[15] = ram + 0x200; // a nop, at which no breakpoint is
      std::memcpy(registers.data(), &session.registers, 68);
    }
  }
}

TEST_CASE("gdb stub: an ARMv5TE machine breaks and steps in both states", "[firmware][gdb]") {
  Session<gdb::StubOptions{}, gdb::Armv5te<Memory>> session;
  auto& memory = session.machine;
  CHECK(session.ask({"Z0,20000010,4", "Z0,20000020,2", "Z0,20000030,3", "Z0,20000042,4", "Z0,20000050,5"}) ==
        Answers{"OK", "OK", "OK", "E01", "E01"});
  CHECK(memory.load(ram + 0x10, 4) == 0xE120'0070);
  CHECK(memory.load(ram + 0x20, 4) == 0xBF00'BE00);
  CHECK(memory.load(ram + 0x30, 4) == 0xBF00'BE00);
  session.channel.at_end = packet("s");
  session.ask({"qSupported"});
  memory.store(ram, 4, 0xE12F'FF11); // bx r1
  session.registers.general[1] = ram + 0x101;
  memory.store(ram + 0x102, 2, 0x4708); // bx r1
  session.ask({"qSupported"});
  CHECK(memory.load(ram + 0x100, 4) == 0x4708'BE00);
  session.registers.general[15] = ram + 0x100;
  session.registers.status = 0x20;
  session.ask({});
  CHECK(memory.load(ram + 0x100, 4) == 0xBE00'BF00);
  session.registers.general[15] = ram + 0x102;
  session.registers.general[1] = ram + 0x110;
  session.ask({"qSupported"});
  CHECK(memory.load(ram + 0x110, 4) == 0xE120'0070);
  CHECK(memory.wrong.empty());
}

TEST_CASE("gdb stub: what is written is flushed, short packets write nothing, and who greets is told nothing first",
          "[firmware][gdb]") {
  Default session;
  auto& memory = session.machine;
  session.ask({"qSupported"});
  memory.flushed.clear();
  CHECK(session.one("M20000010,6:010203040506") == "OK");
  CHECK(session.one("X20000021,3:abc") == "OK");
  CHECK(memory.flushed == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{ram + 0x10, 6}, {ram + 0x21, 3}});
  const auto before = memory.in_ram;
  CHECK(session.one("X20000021,8:abcdefg") == "E01");
  CHECK(memory.in_ram == before);

  session.channel.at_end.clear(); // attached, and another debugger comes
  session.channel.say("$");
  CHECK(session.stub.wants_stop());
  session.channel.say(packet("vCont?").substr(1));
  CHECK(session.ask({"c"}) == Answers{"vCont;c;C;s;S"});

  session.channel.at_end = packet("c");
  session.ask({"QStartNoAckMode"});
  session.channel.from_stub.clear();
  session.channel.say("-" + packet("?") + "-");
  session.stub.stopped(session.registers, gdb::Signal::trap);
  CHECK(session.channel.from_stub == "$T05#b9$T05#b9"); // nothing is said once more
  CHECK(session.one("g").size() == 136);
  session.ask({"D"});
  session.channel.from_stub.clear();
  session.channel.say("$\x10#0z");
  session.stub.stopped(session.registers, gdb::Signal::trap);
  CHECK(session.channel.from_stub == "-+");
}
