// SPDX-License-Identifier: BSL-1.0
// Memory and heaps against plain arrays of bytes, by random operations at their ends and across pages; full and in pieces.
#include <neuromorph/machine/memory.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/machine/heap.hpp>

#include "tests/support/catch.hpp"

namespace {

namespace machine = neuromorph::machine;

struct Draw {
  std::mt19937 generator;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(generator()); }
  std::uint32_t operator()(std::uint32_t below) { return (*this)() % below; }
};

} // namespace

TEST_CASE("memory: as an array of bytes, and never outside") {
  Draw draw{std::mt19937(1)};
  for (const std::uint32_t base : {0U, 0x60000000U, 0U - 20000U}) {
    constexpr std::uint32_t bytes = 20000;
    machine::Memory memory(base, bytes);
    std::vector<std::uint8_t> plain(bytes);
    for (unsigned round = 0; round < 3000; ++round) {
      const std::uint32_t offset = draw(4) == 0 ? draw(8) : draw(4) == 0 ? bytes - draw(8) : draw(bytes + 300);
      const std::uint32_t address = base + offset;
      std::vector<std::uint8_t> some(draw(3) == 0 ? draw(9000) : draw(20));
      for (auto& one : some) one = static_cast<std::uint8_t>(draw());
      const bool is_inside =
          offset <= bytes && some.size() <= bytes - offset && address - base == offset && address >= base;
      switch (draw(3)) {
      case 0:
        CHECK(memory.write(address, some) == is_inside);
        if (is_inside) std::copy(some.begin(), some.end(), plain.begin() + offset);
        break;
      case 1: {
        const auto before = some;
        CHECK(memory.read(address, some) == is_inside);
        if (is_inside)
          CHECK(std::equal(some.begin(), some.end(), plain.begin() + offset));
        else
          CHECK(some == before);
        break;
      }
      default: {
        const std::uint32_t at = offset & ~3U, count = static_cast<std::uint32_t>(some.size()) & ~3U;
        const std::uint32_t word = draw(2) == 0 ? 0 : draw();
        const bool holds = at <= bytes && count <= bytes - at && base + at >= base;
        CHECK(memory.fill(base + at, word, count) == holds);
        if (holds)
          for (std::uint32_t byte = 0; byte < count; ++byte)
            plain[at + byte] = static_cast<std::uint8_t>(word >> 8 * (byte % 4));
      }
      }
    }
    std::vector<std::uint8_t> all(bytes);
    REQUIRE(memory.read(base, all));
    CHECK(all == plain);
    CHECK(memory.used() <= 5 * 4096);
    // What is written the same has the same digest, whatever it was before.
    machine::Memory other(base, bytes);
    CHECK(other.write(base, plain));
    neuromorph::Digest one, two;
    memory.add_to(one), other.add_to(two);
    CHECK(one.value() == two.value());
    other.put_word(base + 4, other.word(base + 4) ^ 1);
    neuromorph::Digest three;
    other.add_to(three);
    CHECK(three.value() != one.value());
    CHECK(other.word(base + 4) == (plain[4] ^ 1U | std::uint32_t{plain[5]} << 8 | std::uint32_t{plain[6]} << 16 |
                                   std::uint32_t{plain[7]} << 24));
    CHECK(other.word(base + bytes) == 0);
  }
}

TEST_CASE("heap: blocks never share a byte, and what is free is known, whatever comes and goes") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Draw draw{std::mt19937(seed)};
    constexpr std::uint32_t begin = 0x1000, bytes = 4000;
    machine::Heap heap(begin, bytes);
    struct Block {
      std::uint32_t address, size;
      std::uint8_t application, tag;
    };
    std::vector<Block> blocks;
    machine::Heap::Refused refused;
    for (unsigned round = 0; round < 1500; ++round) {
      // What is free, byte by byte: all but blocks and their heads.
      std::vector<std::uint8_t> taken(bytes);
      for (const Block& one : blocks)
        for (std::uint32_t at = one.address - 8; at < one.address + (one.size + 3) / 4 * 4; ++at) {
          if (at < begin || at >= begin + bytes || taken[at - begin] != 0) FAIL("byte " << at);
          taken[at - begin] = 1;
        }
      const auto application = static_cast<std::uint8_t>(draw(3));
      switch (draw(6)) {
      case 0:
      case 1:
      case 2: {
        const std::uint32_t size = draw(8) == 0 ? draw() >> draw(32) : draw(4) == 0 ? draw(bytes + 20) : draw(200);
        const auto tag = static_cast<std::uint8_t>(draw(2) == 0 ? 0 : draw(6));
        const bool may_be_there = draw(2) == 0;
        const auto there = std::find_if(blocks.begin(), blocks.end(), [&](const Block& one) {
          return tag != 0 && one.tag == tag && one.application == application;
        });
        const std::uint32_t most = heap.largest();
        const std::uint32_t got = heap.take(application, size, tag, may_be_there);
        if (size == 0) {
          CHECK(got == 0);
          ++refused.empty;
        } else if (there != blocks.end()) {
          CHECK(got == (may_be_there && there->size == size ? there->address : 0));
          refused.tag_taken += got == 0;
        } else if (size > most) {
          CHECK(got == 0);
          ++refused.no_room;
        } else {
          REQUIRE(got != 0);
          CHECK(got % 4 == 0);
          // The first place that is long enough, but for pieces of a head's length, which go with the block before them.
          std::uint32_t run = 0, first = 0;
          for (std::uint32_t at = 0; at < bytes && first == 0; ++at) {
            run = taken[at] != 0 ? 0 : run + 1;
            if (run == (size + 3) / 4 * 4 + 8 + 8) first = begin + at + 1 - run + 8;
          }
          if (first != 0) CHECK(got <= first + 8);
          blocks.push_back({got, size, application, tag});
        }
        break;
      }
      case 3:
      case 4: {
        const bool is_block = !blocks.empty() && draw(4) != 0;
        const std::size_t at = is_block ? draw(static_cast<std::uint32_t>(blocks.size())) : 0;
        std::uint32_t address = is_block ? blocks[at].address : draw();
        if (!is_block &&
            std::any_of(blocks.begin(), blocks.end(), [&](const Block& one) { return one.address == address; }))
          break;
        CHECK(heap.give_back(address) == is_block);
        if (is_block)
          blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
        else
          ++refused.not_a_block;
        break;
      }
      default:
        if (draw(20) != 0) break;
        const auto count = std::erase_if(blocks, [&](const Block& one) { return one.application == application; });
        CHECK(heap.give_back_all_of(application) == count);
      }
      CHECK(heap.blocks() == blocks.size());
      for (std::uint8_t of = 0; of < 3; ++of)
        for (std::uint8_t tag = 1; tag < 6; ++tag) {
          std::uint32_t expected = 0;
          for (const Block& one : blocks)
            if (one.application == of && one.tag == tag) expected = one.address;
          if (heap.of_tag(of, tag) != expected) FAIL("tag " << int(tag));
        }
      CHECK(heap.refused() == refused);
      CHECK(heap.largest() <= heap.left());
    }
    for (std::uint8_t of = 0; of < 3; ++of) heap.give_back_all_of(of);
    CHECK(heap.left() == bytes); // nothing has been lost between blocks
    CHECK(heap.largest() == bytes - 8);
    CHECK(heap.take(1, bytes - 8) == begin + 8);
    CHECK(heap.largest() == 0);
    CHECK(heap.take(1, 1) == 0);
  }
}
