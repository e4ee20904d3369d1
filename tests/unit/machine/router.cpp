// SPDX-License-Identifier: BSL-1.0
// Lookups against the linear one on random and adversarial tables; routes of all kinds, registers, filters and the dump register.
#include <neuromorph/machine/router.hpp>

#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
using machine::PacketKind;
using machine::Router;
namespace at = machine::router_register;

TEST_CASE("router: the indexed lookup is the linear one, on random tables and on tables of as many masks as entries") {
  constexpr std::uint32_t seed = 2;
  std::mt19937 generator(seed);
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  for (unsigned turn = 0; turn < 40; ++turn) {
    CAPTURE(seed, turn);
    const std::uint32_t shape = turn % 4, count = turn < 4 ? Router::size : 1 + random() % Router::size;
    Router router;
    std::vector<mapping::TableEntry> entries;
    for (std::uint32_t one = 0; one < count; ++one) {
      // Prefixes, few bits so that keys meet, any masks, keys with bits outside their masks.
      std::uint32_t mask = ~0U << random() % 32;
      if (shape == 1) mask = random() & 15U;
      if (shape >= 2) mask = random();
      std::uint32_t key = random() & mask;
      if (shape == 1) key &= 3U;
      if (shape == 3) key |= random() & random() & random() & random();
      entries.push_back({{key, mask}, random(), 0});
    }
    REQUIRE(router.load(entries));
    for (unsigned look = 0; look < 300; ++look) {
      std::uint32_t key = random();
      if (look % 2 != 0) key = entries[random() % count].keys.key | (random() & random());
      if (look % 3 == 0) key &= 15U;
      std::uint32_t expected = Router::size;
      for (std::uint32_t one = count; one-- != 0;)
        if ((key & entries[one].keys.mask) == entries[one].keys.key) expected = one;
      CHECK(router.find(key) == expected);
      CHECK(router.find_linearly(key) == expected);
      if (look % 10 == 0) {
        const std::uint32_t place = random() % count;
        entries[place].keys = {key & 0xFFFFU, 0xFFFFU};
        REQUIRE(router.set(place, entries[place]));
      }
    }
  }
}

TEST_CASE("router: packets of each kind go where its table says") {
  Router router;
  REQUIRE(router.set(1023, {{16, 0xFFFFFFF0}, 0x41, 0}));
  CHECK_FALSE(router.set(1024, {}));
  CHECK(router.route({.key = 17}, machine::from_core) == 0x41);
  CHECK(router.route({.key = 32}, machine::from_core) == 0);
  for (unsigned link = 0; link < 6; ++link) CHECK(router.route({.key = 32}, link) == 1U << (link + 3) % 6);

  router.set_point_to_point(0x0203, 4), router.set_point_to_point(0x0204, 7);
  const auto to = [&](std::uint32_t address) {
    return router.route({.key = address, .kind = PacketKind::point_to_point}, 0);
  };
  CHECK(to(0x0203) == 16);
  CHECK(to(0x0204) == 64);
  CHECK(to(0x0205) == 0);
  CHECK(router.read(at::point_to_point_table + 0x40 * 4) == 066674666); // entries 0x200 to 0x207, the first lowest

  REQUIRE(router.write(at::fixed_route, 0x82));
  CHECK(router.route({.kind = PacketKind::fixed_route}, 3) == 0x82);
  REQUIRE(router.write(at::control, 0x00400301));
  CHECK(router.route({.kind = PacketKind::nearest_neighbour, .route = 6}, machine::from_core) == 63);
  CHECK(router.route({.kind = PacketKind::nearest_neighbour, .route = 2}, machine::from_core) == 4);
  CHECK(router.route({.kind = PacketKind::nearest_neighbour, .route = 2}, 1) == mapping::route_to_core(3));
}

TEST_CASE("router: waits are as the byte codes them") {
  CHECK(Router().wait_before_drop() == 240);
  Router router;
  REQUIRE(router.write(at::control, 0x004F0001));
  CHECK(router.wait_before_drop() == 480);
  REQUIRE(router.write(at::control, 1));
  CHECK(router.wait_before_drop() == 0);
}

TEST_CASE("router: entries are at their addresses, and what cannot be written changes nothing") {
  Router router;
  REQUIRE(router.write(at::routes + 20, 0x80));
  REQUIRE(router.write(at::masks + 20, 0xFF));
  REQUIRE(router.write(at::keys + 20, 9));
  CHECK(router.entry(5).keys == mapping::KeyMask{9, 0xFF});
  CHECK(router.route({.key = 0x109}, machine::from_core) == 0x80);
  CHECK(router.read(at::keys + 20) == 9);
  CHECK(router.read(at::masks + 20) == 0xFF);
  CHECK(router.read(at::routes + 20) == 0x80);
  const auto version = router.version();
  for (const std::uint32_t offset : {at::status, at::dump_key, at::counters, at::routes + 4096, at::end})
    CHECK_FALSE(router.write(offset, 1));
  CHECK(router.version() == version);
}

TEST_CASE("router: one register keeps a dropped packet; others are missed until it was read") {
  Router router;
  router.dump({.key = 1, .payload = 2, .has_payload = true}, 3, 4), router.dump({.key = 9}, 0, 1);
  CHECK(router.missed() == 1);
  CHECK(router.read(at::dump_key) == 1);
  CHECK(router.read(at::dump_payload) == 2);
  CHECK(router.read(at::dump_outputs) == 4);
  CHECK(router.read(at::dump_status) == 0xC0000000);
  CHECK(router.read(at::dump_status) == 0);
  router.dump({.key = 9}, 0, 1);
  CHECK(router.read(at::dump_key) == 9);
  CHECK(router.read(at::dump_status) == 0x80000000);
  CHECK(router.missed() == 1);
}

TEST_CASE("router: the monitor's filters count by kind, by where packets came from, and what was dropped") {
  Router router;
  for (unsigned kind = 0; kind < 4; ++kind) {
    machine::Packet packet;
    packet.kind = PacketKind(kind);
    router.count(packet, machine::from_core, false, 1);
    router.count(packet, 2, true, 1), router.count(packet, 2, false, 0x80);
    for (int one = 0; one < 3; ++one) router.count(packet, 2, false, 0);
  }
  for (unsigned kind = 0; kind < 4; ++kind) {
    CHECK(router.counter(2 * kind) == 1);
    CHECK(router.counter(2 * kind + 1) == 2);
    CHECK(router.counter(8 + kind) == 3);
  }
  REQUIRE(router.write(at::counters_enable, 0x00020001));
  router.count({}, machine::from_core, false, 1), router.count({}, 0, false, 1);
  CHECK(router.read(at::counters) == 2);
  CHECK(router.read(at::counters + 4) == 0);
}

TEST_CASE("router: each register is what was written there and no other, and shows in the digest") {
  std::mt19937 generator(9);
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  Router router;
  std::map<std::uint32_t, std::uint32_t> plain;
  const auto keep = [&](std::uint32_t offset, std::uint32_t value) {
    neuromorph::Digest before, after;
    router.add_to(before);
    const std::uint32_t was = router.read(offset);
    REQUIRE(Router::can_write(offset));
    REQUIRE(router.write(offset, value));
    plain[offset] = value;
    router.add_to(after);
    const bool is_next_link = offset >= at::point_to_point_table;
    CHECK((is_next_link || was == value || before.value() != after.value()));
  };
  for (unsigned round = 0; round < 3000; ++round) {
    const std::uint32_t value = random(), at_entry = 4 * (random() % 1024);
    switch (random() % 7) {
    case 0: keep(at::control, value); break;
    case 1: keep(at::fixed_route, value & 0xFFFFFF); break;
    case 2: keep(at::filters + at_entry % 64, value); break;
    case 3: keep(at::routes + at_entry, value); break;
    case 4: keep(at::keys + at_entry, value); break;
    case 5: keep(at::masks + at_entry, value); break;
    default: keep(at::point_to_point_table + 8 * at_entry, value & 0xFFFFFF); break;
    }
  }
  for (const auto& [offset, value] : plain) CHECK(router.read(offset) == value);
  for (std::uint32_t offset = 0; offset < at::end + 64; offset += 4) {
    const bool is_there = offset == at::control || offset == at::fixed_route || offset == at::counters_enable ||
                          (offset >= 0x200 && offset < 0x240) || (offset >= 0x4000 && offset < 0x5000) ||
                          (offset >= 0x8000 && offset < 0x9000) || (offset >= 0xC000 && offset < 0xD000) ||
                          (offset >= 0x10000 && offset < 0x18000);
    CHECK(Router::can_write(offset) == is_there);
  }
  // Next links: three bits of each chip, eight to a word.
  Router other;
  for (unsigned round = 0; round < 2000; ++round) {
    const auto address = static_cast<std::uint16_t>(random());
    const unsigned to = random() % 8;
    other.set_point_to_point(address, to);
    CHECK(other.point_to_point(address) == to);
    CHECK((other.read(at::point_to_point_table + address / 8U * 4) >> 3 * (address % 8U) & 7U) == to);
  }
  CHECK(Router().point_to_point(77) == Router::no_route);
  // Entries that are written word by word are found; those that were, are not.
  REQUIRE(other.write(at::keys + 40, 0x77));
  REQUIRE(other.write(at::masks + 40, 0xFF));
  CHECK(other.find(0x177) == 10);
  REQUIRE(other.write(at::keys + 40, 0x78));
  CHECK(other.find(0x177) == Router::size);
  CHECK(other.is_by_default({.key = 0x177}, 2));
  CHECK_FALSE(other.is_by_default({.key = 0x178}, 2));
  CHECK_FALSE(other.is_by_default({.key = 0x177}, machine::from_core));
}

} // namespace
