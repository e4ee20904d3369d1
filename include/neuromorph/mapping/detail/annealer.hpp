// SPDX-License-Identifier: BSL-1.0
/// \file
/// Simulated annealing of items on fields: swaps that keep within the room of fields, by a seed, in whole numbers.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_ANNEALER_HPP
#define NEUROMORPH_MAPPING_DETAIL_ANNEALER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/detail/half_perimeter.hpp>
#include <neuromorph/mapping/detail/hexagons.hpp>
#include <neuromorph/mapping/detail/netlist.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// -ln of chances from 1/8192 on, in 1/65536.
class Logarithms {
public:
  constexpr Logarithms() noexcept {
    for (std::uint32_t at = 0; at < count; ++at) {
      // -log2((2 at + 1) / 8192), bit by bit: squares of a number from 1 to 2.
      const std::uint32_t value = 2 * at + 1;
      const auto whole = static_cast<std::uint32_t>(std::bit_width(value)) - 1;
      std::uint64_t mantissa = std::uint64_t{value} << (31 - whole);
      std::uint64_t log2 = std::uint64_t{whole} << 16;
      for (unsigned bit = 15; bit < 16; --bit) {
        mantissa = mantissa * mantissa >> 31;
        if (mantissa >= std::uint64_t{1} << 32) mantissa >>= 1, log2 |= std::uint64_t{1} << bit;
      }
      minus_ln_[at] = static_cast<std::uint32_t>(((std::uint64_t{13} << 16) - log2) * 45426 >> 16); // ln 2
    }
  }
  [[nodiscard]] constexpr std::uint32_t drawn(std::uint64_t bits) const noexcept { return minus_ln_[bits % count]; }

private:
  static constexpr std::uint32_t count = 4096;
  std::array<std::uint32_t, count> minus_ln_{};
};
inline constexpr Logarithms logarithms{};

/// \source V. Betz, J. Rose, VPR: a new packing, placement and routing tool for FPGA research, FPL 1997: schedule and range of moves
class Annealer {
public:
  /// \param fields  their room is what is left for those that are not fixed
  /// \param places  [item] one on a field that it fits; those of fixed ones may be on any
  Annealer(const Netlist& netlist, const Fields& fields, std::vector<Steps> places, std::uint64_t seed)
      : netlist_(netlist), fields_(fields), place_(std::move(places)), draw_(seed), room_(fields.room),
        sdram_(fields.sdram) {
    half_x_ = fields.wraps.wraps_x ? static_cast<std::int32_t>(fields.width / 2) : INT32_MAX;
    half_y_ = fields.wraps.wraps_y ? static_cast<std::int32_t>(fields.height / 2) : INT32_MAX;
    std::uint32_t least = UINT32_MAX, most = 1;
    for (Item item = 0; item < netlist.items(); ++item)
      if (netlist.is_fixed[item] == 0) movable_.push_back(item), least = (std::min)(least, netlist.size[item]);
    for (const std::uint32_t room : room_) most = (std::max)(most, room);
    least = (std::max)(least, 1U);
    stride_ = static_cast<std::uint32_t>((std::min)(std::size_t{most / least}, movable_.size()));
    least_ = least;
    slots_.resize(std::size_t{stride_} * room_.size()), used_.resize(room_.size()), slot_of_.resize(netlist.items());
    for (const Item item : movable_) enter(item, fields_.at(place_[item]));
    spans_.resize(netlist.pins.size()), fresh_.resize(netlist.pins.size()), stamp_.resize(netlist.pins.size());
    cost_of_.resize(netlist.pins.size());
    for (std::uint32_t net = 0; net < netlist.pins.size(); ++net) {
      spans_[net] = spans_of(net);
      cost_of_[net] = spans_[net].half();
      cost_ += std::int64_t{netlist.weight[net]} * cost_of_[net];
    }
  }

  [[nodiscard]] const std::vector<Steps>& places() const noexcept { return place_; }
  /// Weights times half perimeters, these by the shortest ways from the sources of nets.
  [[nodiscard]] std::int64_t cost() const noexcept { return cost_; }
  [[nodiscard]] std::uint64_t moves() const noexcept { return moves_; }
  [[nodiscard]] std::size_t movable() const noexcept { return movable_.size(); }

  /// From so hot that all is in disorder.
  /// \param moves  at each temperature
  /// \param stop   asked between temperatures
  template <class Stop>
  void anneal(std::uint64_t moves, Stop stop) {
    if (!can_move()) return;
    range_ = std::uint64_t{(std::max)(fields_.width, fields_.height)} << 8;
    temperature_ = most_temperature;
    // How costs spread once each has been moved.
    const auto count = static_cast<std::int64_t>((std::min)(movable_.size(), std::size_t{1} << 16));
    std::vector<std::int64_t> seen;
    for (std::int64_t at = 0; at < count; ++at) move(), seen.push_back(cost_);
    std::int64_t mean = 0;
    for (const std::int64_t one : seen) mean += one / count;
    std::uint64_t deviation = 1;
    for (const std::int64_t one : seen)
      deviation += static_cast<std::uint64_t>((one > mean ? one - mean : mean - one) / count);
    temperature_ = deviation < most_temperature >> (fraction + 5) ? deviation * 25 << fraction : most_temperature;
    cool(moves, stop);
  }
  /// From an order that is to be kept in the large.
  /// \param range  fields that a move goes at most in the beginning
  /// \param share  the temperature in the beginning, in 1/256 of the mean cost of a net
  template <class Stop>
  void refine(std::uint64_t moves, std::uint32_t range, std::uint32_t share, Stop stop) {
    if (!can_move()) return;
    range_ = std::uint64_t{range} << 8;
    temperature_ = (std::min)(most_temperature, mean_cost() * share >> (8 - fraction));
    cool(moves, stop);
  }
  /// Moves that cost nothing.
  void descend(std::uint64_t moves, std::uint32_t range) {
    if (!can_move()) return;
    range_ = std::uint64_t{range} << 8, temperature_ = 0;
    for (std::uint64_t at = 0; at < moves; ++at) move();
  }

private:
  static constexpr unsigned fraction = 8; ///< bits of a temperature
  static constexpr std::uint64_t most_temperature = std::uint64_t{1} << 42;

  [[nodiscard]] bool can_move() const noexcept { return !movable_.empty() && room_.size() > 1 && !cost_of_.empty(); }
  [[nodiscard]] std::uint64_t mean_cost() const noexcept { return static_cast<std::uint64_t>(cost_) / cost_of_.size(); }

  template <class Stop>
  void cool(std::uint64_t moves, Stop stop) {
    const std::uint64_t widest = std::uint64_t{(std::max)(fields_.width, fields_.height)} << 8;
    for (unsigned at = 0; at < 1000; ++at) {
      std::uint64_t accepted = 0;
      for (std::uint64_t one = 0; one < moves; ++one) accepted += move();
      const std::uint64_t percent = accepted * 100 / (moves == 0 ? 1 : moves);
      if (stop() || temperature_ == 0) return;
      if (temperature_ < (mean_cost() << fraction) / 200) { // once more, without what costs
        temperature_ = 0, range_ = 256;
        continue;
      }
      const std::uint64_t keep = percent > 96 ? 50 : percent > 80 ? 90 : percent > 15 && range_ > 256 ? 95 : 80;
      temperature_ = temperature_ * keep / 100;
      range_ = (std::min)(widest, (std::max)(std::uint64_t{256}, range_ * (56 + percent) / 100));
    }
  }

  void enter(Item item, std::uint32_t field) noexcept {
    slot_of_[item] = used_[field];
    slots_[std::size_t{field} * stride_ + used_[field]++] = item;
    room_[field] -= netlist_.size[item];
    if (!sdram_.empty()) sdram_[field] -= netlist_.sdram[item];
  }
  void leave(Item item, std::uint32_t field) noexcept {
    Item* const slots = &slots_[std::size_t{field} * stride_];
    const Item last = slots[--used_[field]];
    slots[slot_of_[item]] = last, slot_of_[last] = slot_of_[item];
    room_[field] += netlist_.size[item];
    if (!sdram_.empty()) sdram_[field] += netlist_.sdram[item];
  }
  [[nodiscard]] bool may_be_on(Item item, std::uint32_t field) const noexcept {
    return netlist_.board.empty() || netlist_.board[item] == no_board || netlist_.board[item] == fields_.board[field];
  }

  /// Steps from the source of a net, the shortest way in each axis.
  [[nodiscard]] Steps relative(Steps place, Steps source) const noexcept {
    std::int32_t x = place.x - source.x, y = place.y - source.y;
    const auto width = static_cast<std::int32_t>(fields_.width), height = static_cast<std::int32_t>(fields_.height);
    x += (x < -half_x_ ? width : 0) - (x > half_x_ ? width : 0);
    y += (y < -half_y_ ? height : 0) - (y > half_y_ ? height : 0);
    return {x, y};
  }
  [[nodiscard]] Spans spans_of(std::uint32_t net) const noexcept {
    const auto pins = netlist_.pins[net];
    const Steps source = place_[pins[0]];
    Spans spans;
    for (const Item pin : pins) {
      const Steps at = relative(place_[pin], source);
      spans.add(at.x, at.y);
    }
    return spans;
  }
  /// Spans once a single pin, which is not the source, has gone from one place to another.
  [[nodiscard]] Spans moved(std::uint32_t net, Steps from, Steps to) const noexcept {
    const Spans& old = spans_[net];
    const Steps source = place_[netlist_.pins[net][0]];
    const Steps was = relative(from, source), is = relative(to, source);
    const bool holds = was.x == old.least_x || was.x == old.most_x || was.y == old.least_y || was.y == old.most_y ||
                       was.x - was.y == old.least_z || was.x - was.y == old.most_z;
    if (holds) return spans_of(net);
    Spans spans = old;
    spans.add(is.x, is.y);
    return spans;
  }

  /// Tries one.
  /// \return whether it was done
  [[nodiscard]] bool try_it(Item item, std::uint32_t from, std::uint32_t to, std::uint64_t drawn) {
    if (!may_be_on(item, to)) return false;
    others_.clear();
    // Those that must leave: one that is drawn, or none where a free slot is, and more while there is too little room.
    const std::uint32_t slots = (std::min)(stride_, fields_.room[to] / least_);
    if (slots == 0) return false;
    const std::uint32_t slot = static_cast<std::uint32_t>((drawn >> 40) * slots >> 24);
    std::uint32_t room = room_[to];
    std::uint64_t sdram = sdram_.empty() ? 0 : sdram_[to], needs_sdram = sdram_.empty() ? 0 : netlist_.sdram[item];
    std::uint32_t left_room = room_[from] + netlist_.size[item];
    std::uint64_t left_sdram = sdram_.empty() ? 0 : sdram_[from] + needs_sdram;
    const std::uint32_t there = used_[to];
    std::uint32_t at = slot;
    const bool begins_free = slot >= there;
    if (begins_free) at = there == 0 ? 0 : slot % there;
    for (std::uint32_t count = 0; (count == 0 && !begins_free) || room < netlist_.size[item] || sdram < needs_sdram;
         ++count) {
      if (count == there) return false;
      const Item other = slots_[std::size_t{to} * stride_ + at];
      at = at + 1 == there ? 0 : at + 1;
      if (netlist_.size[other] > left_room || !may_be_on(other, from)) return false;
      left_room -= netlist_.size[other], room += netlist_.size[other];
      if (!sdram_.empty()) {
        if (netlist_.sdram[other] > left_sdram) return false;
        left_sdram -= netlist_.sdram[other], sdram += netlist_.sdram[other];
      }
      others_.push_back(other);
    }
    const Steps here = place_[item], goal = fields_.place(to);
    place_[item] = goal;
    for (const Item other : others_) place_[other] = here;
    // What it costs.
    touched_.clear();
    const auto touch = [&](Item one) {
      for (const std::uint32_t net : netlist_.nets[one])
        if (stamp_[net].move != moves_) {
          stamp_[net] = {moves_, static_cast<std::uint32_t>(touched_.size())};
          touched_.push_back({net, one, netlist_.pins[net][0] != one});
        } else {
          touched_[stamp_[net].at].is_single = false;
        }
    };
    touch(item);
    for (const Item other : others_) touch(other);
    std::int64_t delta = 0;
    for (const Touched& one : touched_) {
      Spans& fresh = fresh_[one.net];
      if (one.is_single && netlist_.pins.first[one.net + 1] - netlist_.pins.first[one.net] > 3)
        fresh = one.item == item ? moved(one.net, here, goal) : moved(one.net, goal, here);
      else
        fresh = spans_of(one.net);
      delta += std::int64_t{netlist_.weight[one.net]} *
               (std::int64_t{fresh.half()} - static_cast<std::int64_t>(cost_of_[one.net]));
    }
    if (delta > 0) {
      const std::uint64_t limit = temperature_ * logarithms.drawn(drawn) >> 16;
      if (static_cast<std::uint64_t>(delta) << fraction > limit) {
        place_[item] = here;
        for (const Item other : others_) place_[other] = goal;
        return false;
      }
    }
    cost_ += delta;
    for (const Touched& one : touched_) spans_[one.net] = fresh_[one.net], cost_of_[one.net] = fresh_[one.net].half();
    leave(item, from);
    for (const Item other : others_) leave(other, to);
    enter(item, to);
    for (const Item other : others_) enter(other, from);
    return true;
  }

  /// A random item to a random field in range.
  std::uint64_t move() {
    ++moves_;
    const Item item = movable_[draw_.below(static_cast<std::uint32_t>(movable_.size()))];
    const auto reach = static_cast<std::int32_t>(range_ >> 8);
    const Steps here = place_[item];
    const std::uint64_t bits = draw_.bits();
    const std::int32_t x =
        coordinate(here.x, reach, static_cast<std::int32_t>(fields_.width), fields_.wraps.wraps_x, bits & 0xFFFFFFFF);
    const std::int32_t y =
        coordinate(here.y, reach, static_cast<std::int32_t>(fields_.height), fields_.wraps.wraps_y, bits >> 32);
    const std::uint32_t from = fields_.at(here), to = fields_.at({x, y});
    if (from == to || fields_.room[to] == 0) return 0;
    return try_it(item, from, to, draw_.bits()) ? 1 : 0;
  }
  [[nodiscard]] static std::int32_t coordinate(std::int32_t at, std::int32_t reach, std::int32_t size, bool wraps,
                                               std::uint64_t drawn) noexcept {
    std::int32_t least = at - reach, most = at + reach;
    if (!wraps || most - least + 1 >= size) {
      if (wraps)
        least = 0, most = size - 1;
      else
        least = (std::max)(least, 0), most = (std::min)(most, size - 1);
    }
    const auto count = static_cast<std::uint64_t>(most - least) + 1;
    std::int32_t found = least + static_cast<std::int32_t>(drawn * count >> 32);
    if (found < 0) found += size;
    if (found >= size) found -= size;
    return found;
  }

  struct Stamp {
    std::uint64_t move = 0;
    std::uint32_t at = 0;
  };
  struct Touched {
    std::uint32_t net;
    Item item;
    bool is_single;
  };

  const Netlist& netlist_;
  const Fields& fields_;
  std::vector<Steps> place_;
  Draw draw_;
  std::vector<std::uint32_t> room_; // [field] what is left
  std::vector<std::uint64_t> sdram_;
  std::vector<Item> movable_{};
  std::uint32_t stride_ = 1, least_ = 1;
  std::int32_t half_x_ = 0, half_y_ = 0;
  std::vector<Item> slots_{};                     // [field][slot]
  std::vector<std::uint32_t> used_{}, slot_of_{}; // [field], [item]
  std::vector<Spans> spans_{}, fresh_{};          // [net]
  std::vector<std::uint32_t> cost_of_{};          // [net]
  std::vector<Stamp> stamp_{};                    // [net]
  std::vector<Touched> touched_{};
  std::vector<Item> others_{};
  std::int64_t cost_ = 0;
  std::uint64_t moves_ = 0, range_ = 256, temperature_ = 0;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
