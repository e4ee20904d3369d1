// SPDX-License-Identifier: BSL-1.0
// Masks, tags, sets and every rule beside a model that knows lanes alone: integers in plain arrays, one loop, no
// vectors. The bytes of a string say what is done: which sets, how dense, which rule with which parameters, in which
// way. So any string is a test, and random strings go through the whole legal range.
#ifndef TESTS_SUPPORT_MASK_BATTERY_HPP
#define TESTS_SUPPORT_MASK_BATTERY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <neuromorph/kernels/plasticity/mask.hpp>
#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/rule_sequence.hpp>
#include <neuromorph/kernels/plasticity/rules/additive.hpp>
#include <neuromorph/kernels/plasticity/rules/constant.hpp>
#include <neuromorph/kernels/plasticity/rules/homeostasis.hpp>
#include <neuromorph/kernels/plasticity/rules/multiplicative.hpp>
#include <neuromorph/kernels/plasticity/rules/random_walk.hpp>
#include <neuromorph/kernels/plasticity/rules/stdp.hpp>
#include <neuromorph/kernels/plasticity/rules/stdp_sampling.hpp>
#include <neuromorph/kernels/plasticity/synapse_set.hpp>
#include <neuromorph/kernels/plasticity/tagged_mask.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/sanitized.hpp"

namespace mask_battery {

using namespace neuromorph;

/// target::Generic as on a machine that works on several vectors at once, which decides about the loops.
template <std::size_t AtOnce>
struct Grouped : target::Generic {
  using Offers = offer::List<offer::VectorsAtOnce>;
  static constexpr std::size_t vectors_at_once = AtOnce;
};

/// Bytes as they come, zeros after the end.
struct Input {
  const std::uint8_t* at;
  std::size_t left;
  std::uint8_t byte() {
    if (left == 0) return 0;
    --left;
    return *at++;
  }
  unsigned below(unsigned limit) { return (byte() | unsigned{byte()} << 8) % limit; }
  /// The ends and what is beside them as often as all the rest.
  std::uint8_t extreme() {
    constexpr std::array<std::uint8_t, 8> ends{0, 1, 2, 63, 64, 127, 128, 255};
    const std::uint8_t kind = byte();
    return kind % 2 == 0 ? ends[kind / 2 % 8] : byte();
  }
};

inline int as_signed(int byte) { return byte < 128 ? byte : byte - 256; }
inline int floor_shift(int value, unsigned shift) { // without an arithmetic shift
  const int unit = 1 << shift;
  return value >= 0 ? value / unit : -((-value + unit - 1) / unit);
}

/// \tparam First, Tagged  the vectors that have tags
template <std::uint32_t Rows, std::uint32_t Columns, VectorAddress First, VectorAddress Tagged, class Target>
class World {
  using Set = SynapseSet<Rows, Columns>;
  static constexpr VectorAddress vectors = Set::vectors, per_row = Set::vectors_per_row;
  static constexpr std::size_t lanes = std::size_t{16} * vectors;
  using Address = AddressFor<vectors>;
  using Bytes = PlainVectors<std::uint8_t, Target>;
  using SignedBytes = PlainVectors<std::int8_t, Target>;
  using Model = std::vector<int>;
  static constexpr std::uint8_t guard = 0xA5;

  /// A memory between two vectors that nothing may touch, and what should be in it, as unsigned bytes.
  template <class Element>
  struct Memory {
    VectorArray<vectors + 2, Element> array;
    Model model = Model(lanes, 0);
    Memory() { array.elements.fill(static_cast<Element>(guard)); }
    PlainVectors<Element, Target> view(VectorAddress of = vectors) {
      return PlainVectors<Element, Target>::over(std::span{array.elements}.subspan(16, std::size_t{16} * of)).value();
    }
    void put(std::size_t at, int value) {
      model[at] = value;
      array.elements[at + 16] = static_cast<Element>(value);
    }
    [[nodiscard]] bool same() const {
      for (std::size_t at = 0; at < lanes + 32; ++at) {
        const int right = at < 16 || at >= lanes + 16 ? guard : model[at - 16];
        if (static_cast<std::uint8_t>(array.elements[at]) != right) return false;
      }
      return true;
    }
  };

public:
  /// \return what is wrong, or nothing
  std::string follow(Input input) {
    fill(input);
    remake_mask(input);
    for (unsigned step = 0; step == 0 || (input.left > 0 && wrong_.empty()); ++step) {
      const unsigned kind = input.byte() % 8;
      switch (kind) {
      case 0: fill(input); break;
      case 1: remake_mask(input); break;
      case 2: change_tags(input); break;
      case 3: algebra(input); break;
      case 4: sequence(input); break;
      default: run_rule(input); break;
      }
      if (wrong_.empty() && !(weights_.same() && causal_.same() && acausal_.same() && drive_.same()))
        wrong_ = "a lane is not what it should be";
      if (!wrong_.empty()) wrong_ += ", step " + std::to_string(step) + " of kind " + std::to_string(kind);
    }
    return wrong_;
  }

private:
  void demand(bool right, const char* what) {
    if (!right && wrong_.empty()) wrong_ = what;
  }

  // --- what there is ---

  void fill(Input& input) {
    const std::uint8_t kind = input.byte();
    Sfc32 random(StreamId{input.byte() + 256U * input.byte()});
    const auto draw = [&]() -> int {
      const std::uint32_t word = random.next();
      if (kind % 4 == 0) return static_cast<int>(word % 64);
      if (kind % 4 == 1) return static_cast<int>((word & 1) != 0 ? 255 - (word >> 8 & 1) : word >> 9 & 1);
      return static_cast<int>(word >> 8 & 255);
    };
    for (std::size_t at = 0; at < lanes; ++at) {
      weights_.put(at, draw()), causal_.put(at, draw()), drive_.put(at, draw());
      acausal_.put(at, kind % 8 < 4 ? draw() : causal_.model[at]);
    }
    for (std::size_t at = 0; at < rates_.elements.size(); ++at) rates_.elements[at] = static_cast<std::uint8_t>(draw());
  }

  /// Any density, from nothing to all, and stretches of full and of empty vectors.
  Set any_set(Input& input) {
    const std::uint8_t density = input.extreme();
    Sfc32 random(StreamId{input.byte() + 256U * input.byte(), 1});
    const std::uint8_t stretch = input.byte() % 8;
    Set set;
    unsigned left = 0, kind = 0;
    for (VectorAddress address = 0; address < vectors; ++address) {
      if (left == 0) kind = stretch == 0 ? 2 : random.next() % 3, left = 1 + random.next() % (4U * stretch + 1);
      --left;
      LaneBits bits = kind == 0 ? all_lane_bits : LaneBits{0};
      if (kind == 2)
        for (unsigned lane = 0; lane < 16; ++lane)
          if (density == 255 || random.next() % 256 < density) bits = static_cast<LaneBits>(bits | 1U << lane);
      for (unsigned lane = 0; lane < 16; ++lane) // as a user would: by row and column
        if ((bits >> lane & 1) != 0 && address % per_row * 16 + lane < Columns)
          demand(set.insert({address / per_row, address % per_row * 16 + lane}).ok(), "insert");
    }
    return set;
  }
  static bool has(const Set& set, std::size_t at) { return (set.words[at / 16] >> at % 16 & 1) != 0; }

  void remake_mask(Input& input) {
    set_ = any_set(input);
    const auto bytes = Mask<vectors, vectors, Address>::from(set_);
    const auto bits = Mask<vectors, vectors, Address, MaskBits>::from(set_);
    demand(bytes.ok() && bits.ok(), "a mask with room for all vectors is refused");
    if (!wrong_.empty()) return;
    mask_ = bytes.value(), mask_bits_ = bits.value();
    std::size_t full = 0, partial = 0, count = 0, needed = 0;
    for (VectorAddress address = 0; address < vectors; ++address) {
      unsigned of_vector = 0;
      for (unsigned lane = 0; lane < 16; ++lane) of_vector += has(set_, std::size_t{16} * address + lane) ? 1U : 0U;
      full += of_vector == 16 ? 1U : 0U, partial += of_vector != 0 && of_vector != 16 ? 1U : 0U, count += of_vector;
      if (of_vector != 0) needed = address + 1;
      demand(mask_.lanes(address) == set_.words[address] && mask_bits_.lanes(address) == set_.words[address], "lanes");
    }
    const auto check = [&](const auto& mask) {
      demand(mask.full_vectors() == full && mask.partial_vectors() == partial, "full and partial vectors");
      demand(mask.count() == count && mask.vectors_needed() == needed, "count, vectors needed");
      demand(mask.lanes(vectors) == 0 && mask.lanes(~VectorAddress{0}) == 0, "lanes outside");
      demand(mask.template set<Rows, Columns>().value() == set_, "back to a set");
    };
    check(mask_), check(mask_bits_);
    Set other = set_;
    const SynapsePlace last{Rows - 1, Columns - 1};
    demand((set_.contains(last) ? other.erase(last) : other.insert(last)).ok(), "the last synapse");
    demand(mask_ == Mask<vectors, vectors, Address>::from(set_).value() &&
               !(mask_ == Mask<vectors, vectors, Address>::from(other).value()) &&
               !(mask_bits_ == Mask<vectors, vectors, Address, MaskBits>::from(other).value()),
           "masks of equal and of other sets");
    demand(set_.count() == count && set_.full_vectors() == full && set_.partial_vectors() == partial, "a set's counts");
  }

  void change_tags(Input& input) {
    const auto tag = static_cast<std::uint8_t>(input.byte() % 4 == 0 ? 255 : input.byte() % 4);
    const VectorAddress address = First + input.below(Tagged + 1); // one beyond
    const bool legal = address < First + Tagged;
    const std::size_t at = std::size_t{16} * (address - First);
    Status answer, of_kept;
    switch (input.byte() % 4) {
    case 0: {
      const unsigned lane = input.byte() % 17;
      answer = tags_.set(address, lane, tag), of_kept = kept_.set(address, lane, tag);
      demand(answer.ok() == (legal && lane < 16), "a tag outside");
      if (answer) tag_model_[at + lane] = tag;
      break;
    }
    case 1:
      answer = tags_.set(address, tag), of_kept = kept_.set(address, tag);
      demand(answer.ok() == legal, "tags of a vector outside");
      if (answer)
        for (unsigned lane = 0; lane < 16; ++lane) tag_model_[at + lane] = tag;
      break;
    case 2: {
      std::array<std::uint8_t, 16> all{};
      for (auto& one : all) one = input.byte() % 4;
      answer = tags_.set(address, all), of_kept = kept_.set(address, all);
      demand(answer.ok() == legal, "tags of a vector outside");
      if (answer)
        for (unsigned lane = 0; lane < 16; ++lane) tag_model_[at + lane] = all[lane];
      break;
    }
    default: {
      const Set set = any_set(input);
      bool inside = true;
      for (VectorAddress vector = 0; vector < vectors; ++vector)
        inside = inside && (set.words[vector] == 0 || (vector >= First && vector < First + Tagged));
      answer = tags_.set(set, tag), of_kept = kept_.set(set, tag);
      demand(answer.ok() == inside, "tags of a set outside");
      if (inside)
        for (std::size_t lane = 0; lane < lanes; ++lane)
          if (has(set, lane)) tag_model_[lane - std::size_t{16} * First] = tag;
    }
    }
    demand(answer == of_kept, "kept tags answer otherwise");
    for (std::size_t lane = 0; lane < tag_model_.size(); ++lane) {
      const auto vector = static_cast<VectorAddress>(First + lane / 16);
      const auto in = static_cast<unsigned>(lane % 16);
      demand(tags_.tag(vector, in).value() == tag_model_[lane] && kept_.tag(vector, in).value() == tag_model_[lane],
             "tag");
    }
  }

  // --- sets ---

  void algebra(Input& input) {
    const Set a = set_, b = any_set(input);
    const Set either = a | b, both = a & b, less = a - b, rest = ~a;
    bool common = false;
    std::uint64_t count = 0;
    std::vector<SynapsePlace> listed;
    std::vector<std::uint8_t> bytes(std::size_t{Rows} * Columns), bitmap((std::size_t{Columns} + 7) / 8 * Rows);
    for (std::uint32_t row = 0; row < Rows; ++row)
      for (std::uint32_t column = 0; column < Columns; ++column) {
        const SynapsePlace place{row, column};
        const bool x = a.contains(place), y = b.contains(place);
        demand(either.contains(place) == (x || y) && both.contains(place) == (x && y), "union, intersection");
        demand(less.contains(place) == (x && !y) && rest.contains(place) == !x, "difference, complement");
        common = common || (x && y);
        if (!x) continue;
        ++count, listed.push_back(place);
        bytes[std::size_t{row} * Columns + column] = static_cast<std::uint8_t>(1 + input.byte() % 255);
        auto& of_bits = bitmap[row * ((std::size_t{Columns} + 7) / 8) + column / 8];
        of_bits = static_cast<std::uint8_t>(of_bits | 1U << column % 8);
      }
    demand(disjoint(a, b) == !common && a.count() == count && a.empty() == listed.empty(), "disjoint, count, empty");
    std::vector<SynapsePlace> in_order;
    for (const SynapsePlace place : a) in_order.push_back(place);
    demand(in_order == listed, "the order of a set");
    demand(Set::from_bytes(bytes).value() == a && Set::from_bitmap(bitmap).value() == a, "from bytes, from a bitmap");
    bitmap.push_back(0), bytes.push_back(0);
    const auto too_long = [](std::size_t given, const char* name) {
      return Status{Error::lengths_differ, 0, given, name};
    };
    demand(Set::from_bitmap(bitmap).status() == too_long(bitmap.size(), "bits"), "a bitmap too long");
    demand(Set::from_bytes(bytes).status() == too_long(bytes.size(), "bytes"), "bytes too many");
    std::reverse(listed.begin(), listed.end());
    demand(Set::from_list(listed).value() == a, "from a list");
    demand(!a.contains({Rows, 0}) && !a.contains({0, Columns}), "contains what is outside");
    const SynapsePlace outside = input.byte() % 2 == 0 ? SynapsePlace{Rows, 0} : SynapsePlace{Rows - 1, Columns};
    const std::uint32_t value = outside.row == Rows ? Rows : Columns;
    const char* name = outside.row == Rows ? "row" : "column";
    const auto where = static_cast<std::uint32_t>(listed.size());
    listed.push_back(outside);
    demand(Set::from_list(listed).status() == Status{Error::synapse_out_of_range, where, value, name}, "a list beyond");
    Set changed = a;
    demand(changed.insert(outside) == Status{Error::synapse_out_of_range, 0, value, name} && changed == a,
           "insert beyond");
    demand(changed.erase(outside) == Status{Error::synapse_out_of_range, 0, value, name} && changed == a,
           "erase beyond");
    if (count != 0)
      demand(changed.erase(listed.front()).ok() && !changed.contains(listed.front()) && changed.count() == count - 1,
             "erase");
    const auto of_b = Mask<vectors, vectors, Address, MaskBits>::from(b).value();
    demand(disjoint(mask_, of_b) == !common && disjoint(of_b, mask_bits_) == !common, "disjoint masks");
    std::size_t full = 0, partial = 0;
    for (const LaneBits word : b.words)
      full += word == all_lane_bits ? 1U : 0U, partial += word != 0 && word != all_lane_bits ? 1U : 0U;
    const auto short_mask = Mask<1, 1, Address>::from(b); // 1 of each fits, more does not, and is said
    const Status right = full > 1      ? Status{Error::mask_too_long, 0, full, "full"}
                         : partial > 1 ? Status{Error::mask_too_long, 1, partial, "partial"}
                                       : Status{};
    demand(short_mask.status() == right, "a mask without room");
  }

  // --- rules: the model ---

  /// The lanes that a way of running lets a rule change, vector by vector in the order of visits.
  using Visits = std::vector<std::pair<VectorAddress, LaneBits>>;
  Visits by_mask() const {
    Visits visits;
    for (const bool full : {true, false})
      for (VectorAddress address = 0; address < vectors; ++address)
        if (set_.words[address] != 0 && (set_.words[address] == 0xFFFF) == full)
          visits.push_back({address, set_.words[address]});
    return visits;
  }
  Visits by_tag(int tag) const {
    Visits visits;
    for (VectorAddress vector = 0; vector < Tagged; ++vector) {
      LaneBits of_vector = 0;
      for (unsigned lane = 0; lane < 16; ++lane)
        if (tag_model_[std::size_t{16} * vector + lane] == tag)
          of_vector = static_cast<LaneBits>(of_vector | 1U << lane);
      if (of_vector != 0) visits.push_back({First + vector, of_vector});
    }
    return visits;
  }

  /// Runs `rule` in one of five ways; then `change(at, random)` on each lane that it lets through, and compares
  /// counters and sources. \param draws   words that the rule takes for each vector \param change  element, four bytes
  /// drawn for the lane (two draws); true if the weight was held
  template <class Rule, class Change>
  void run(Input& input, Rule rule, unsigned draws, Change change) {
    // Loops are dear to compile, so that the rules on one memory stand for the others where only loops differ.
    constexpr bool in_all_ways = std::is_same_v<Rule, ConstantRule<Bytes>>;
    const unsigned way = input.byte() % (in_all_ways ? 5 : 2);
    const std::uint8_t tag = input.byte() % 8 == 0 ? std::uint8_t{255} : static_cast<std::uint8_t>(input.byte() % 4);
    const Sfc32 start(StreamId{7});
    Visits visits;
    bool ran = false;
    Rule after = rule;
    const auto keep = [&](auto wrapper) {
      ran = wrapper.run().ok();
      after = wrapper.rule();
    };
    if (way == 0) {
      visits = by_mask(), keep(MaskWrapper<Rule, decltype(mask_bits_)>(mask_bits_, rule));
    } else if (way == 1) {
      visits = by_tag(tag), keep(TaggedMaskWrapper<Rule, decltype(tags_)>(tags_, tag, rule));
    } else if constexpr (in_all_ways) {
      if (way == 2) {
        visits = by_mask(), keep(MaskWrapper<Rule, decltype(mask_)>(mask_, rule));
      } else if (way == 3) {
        visits = by_tag(tag), keep(TaggedMaskWrapper<Rule, decltype(kept_)>(kept_, tag, rule));
      } else {
        const VectorAddress first = input.below(vectors + 1), count = input.below(vectors + 1 - first);
        for (VectorAddress address = first; address < first + count; ++address) visits.push_back({address, 0xFFFF});
        ran = apply_vector_rule(after, first, count).ok();
      }
    }
    demand(ran, "a rule within its memories is refused");
    Sfc32 source = start;
    std::uint32_t held = 0;
    for (const auto& [address, enabled] : visits) {
      std::array<std::array<int, 16>, 2> random{};
      for (unsigned word = 0; word < draws; ++word) {
        const std::uint32_t drawn = source.next();
        for (unsigned part = 0; part < 4; ++part)
          random[word / 4][word % 4 * 4 + part] = static_cast<int>(drawn >> 8 * part & 255);
      }
      for (unsigned lane = 0; lane < 16; ++lane)
        if ((enabled >> lane & 1) != 0)
          held += change(std::size_t{16} * address + lane, random[0][lane], random[1][lane]) ? 1U : 0U;
    }
    if constexpr (requires { after.range.saturations; }) demand(after.range.saturations.count == held, "saturations");
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(source_of(after))>, Sfc32>)
      demand(source_of(after) == source, "how much a rule has drawn");
  }
  static auto source_of(const auto& rule) {
    if constexpr (requires { rule.source; }) {
      return rule.source;
    } else if constexpr (requires { Sfc32{rule.rounder}; }) {
      return rule.rounder;
    } else {
      return 0;
    }
  }
  /// \param change  in units of the weight; true if it was held
  bool move(std::size_t at, int change, WeightRange range) {
    const int sum = weights_.model[at] + change, held = std::clamp<int>(sum, range.least, range.most);
    weights_.model[at] = held;
    return held != sum;
  }
  /// product / 2^shift as a policy rounds; `random` is what a source gave.
  template <class Rounding>
  static int rounded(int product, unsigned shift, int random) {
    const int half = 1 << (shift - 1), magnitude = product < 0 ? -product : product;
    if constexpr (std::is_same_v<Rounding, rounding::NearestAway>)
      return product < 0 ? -((magnitude + half) >> shift) : (magnitude + half) >> shift;
    if constexpr (std::is_same_v<Rounding, rounding::Nearest>) return floor_shift(product + half, shift);
    if constexpr (std::is_same_v<Rounding, rounding::Down>) return floor_shift(product, shift);
    return floor_shift(product + random % (1 << shift), shift);
  }
  template <class Rounding>
  static Rounding rounder() {
    if constexpr (std::is_same_v<Rounding, Sfc32>) {
      return Sfc32(StreamId{7});
    } else {
      return {};
    }
  }
  template <class Rounding>
  static constexpr unsigned drawn_by = std::is_same_v<Rounding, Sfc32> ? 4 : 0;

  // --- rules: each beside its formula ---

  template <class Rounding>
  void stdp(Input& input, std::int8_t eta, CountedWeightRange range) {
    const int factor = std::max<int>(eta, -127);
    run(input, StdpRule{weights_.view(), causal_.view(), acausal_.view(), eta, range, rounder<Rounding>()},
        drawn_by<Rounding>, [=, this](std::size_t at, int random, int) {
          const int change = rounded<Rounding>(factor * (causal_.model[at] - acausal_.model[at]), 8, random);
          causal_.model[at] = acausal_.model[at] = 0;
          return move(at, change, range);
        });
  }
  template <class Rounding>
  void additive(Input& input, std::int8_t amplitude, CountedWeightRange range) {
    const int factor = std::max<int>(amplitude, -127);
    run(input, AdditiveRule{weights_.view(), drive_.view(), amplitude, range, rounder<Rounding>()}, drawn_by<Rounding>,
        [=, this](std::size_t at, int random, int) {
          return move(at, rounded<Rounding>(factor * as_signed(drive_.model[at]), 7, random), range);
        });
  }
  template <class Rounding>
  void homeostasis(Input& input, std::int8_t eta, CountedWeightRange range) {
    const int factor = std::max<int>(eta, -127);
    const std::uint8_t goal = input.extreme();
    run(input,
        HomeostasisRule<per_row, Bytes, Bytes, CountedWeightRange, Rounding>{weights_.view(), Bytes(rates_), goal, eta,
                                                                             range, rounder<Rounding>()},
        drawn_by<Rounding>, [=, this](std::size_t at, int random, int) {
          const int rate = rates_.elements[at % (std::size_t{16} * per_row)];
          return move(at, rounded<Rounding>(factor * (goal - rate), 8, random), range);
        });
  }

  void run_rule(Input& input) {
    const unsigned kind = input.byte() % 12;
    const auto factor = static_cast<std::int8_t>(input.extreme());
    const std::uint8_t one = input.extreme(), other = input.extreme();
    const CountedWeightRange range(std::min(one, other), std::max(one, other));
    switch (kind) {
    case 0: return stdp<rounding::NearestAway>(input, factor, range);
    case 1: return stdp<rounding::Nearest>(input, factor, range);
    case 2: return stdp<rounding::Down>(input, factor, range);
    case 3: return stdp<Sfc32>(input, factor, range);
    case 4: return additive<rounding::NearestAway>(input, factor, range);
    case 5: return additive<Sfc32>(input, factor, range);
    case 6: return homeostasis<rounding::NearestAway>(input, factor, range);
    case 7: return homeostasis<Sfc32>(input, factor, range);
    case 8:
      return run(input, ConstantRule{weights_.view(), one}, 0, [=, this](std::size_t at, int, int) {
        weights_.model[at] = one;
        return false;
      });
    case 9: {
      const std::uint8_t threshold = input.extreme();
      const auto down = static_cast<std::int8_t>(input.extreme());
      return run(input,
                 StdpSamplingRule{weights_.view(), causal_.view(), acausal_.view(), threshold, factor, down, range}, 0,
                 [=, this](std::size_t at, int, int) {
                   const int difference = causal_.model[at] - acausal_.model[at];
                   causal_.model[at] = acausal_.model[at] = 0;
                   return move(at, difference > threshold ? factor : -difference > threshold ? down : 0, range);
                 });
    }
    case 10:
      return run(input, MultiplicativeRule{weights_.view(), drive_.view(), range}, 0,
                 [=, this](std::size_t at, int, int) {
                   const bool outside = move(at, 0, range);
                   const int drive = std::max(as_signed(drive_.model[at]), -127), weight = weights_.model[at];
                   weights_.model[at] +=
                       drive > 0 ? drive * (range.most - weight) / 128 : -(-drive * (weight - range.least) / 128);
                   return outside;
                 });
    default: {
      const auto amplitude = static_cast<std::uint8_t>(one % 128);
      return run(input, RandomWalkRule{weights_.view(), Sfc32(StreamId{7}), amplitude, range}, 8,
                 [=, this](std::size_t at, int random, int chance) {
                   return move(at, floor_shift(as_signed(random | 1) * amplitude + chance % 128, 7), range);
                 });
    }
    }
  }

  // --- sequences, and what is refused ---

  void sequence(Input& input) {
    const std::uint8_t first_value = input.byte(), second_value = input.byte(), tag = input.byte() % 4;
    const VectorAddress room = input.byte() % 2 == 0 ? vectors : input.below(vectors + 1);
    const auto rule = [&](std::uint8_t value, VectorAddress of) { return ConstantRule{weights_.view(of), value}; };
    const Visits masked = by_mask(), tagged = by_tag(tag);
    Status right;
    for (const auto& [address, enabled] : tagged)
      if (right && (enabled & set_.words[address]) != 0) right = {Error::masks_overlap, 1, address, "address"};
    const bool allowed = input.byte() % 2 == 0;
    if (allowed) right = {};
    VectorAddress needed = 0;
    for (const auto& [address, enabled] : masked) needed = std::max(needed, address + 1);
    if (right && needed > room) right = {Error::address_out_of_range, 0, std::int64_t{needed} - 1, "address"};
    Status found;
    const MaskWrapper one(mask_bits_, rule(first_value, room));
    const TaggedMaskWrapper two(tags_, tag, rule(second_value, vectors));
    if (allowed) {
      RuleSequence sequence(later_wins, one, two);
      demand(sequence.check() == right, "check of a sequence");
      found = sequence.run();
    } else {
      RuleSequence sequence(one, two);
      demand(sequence.check_overlap().ok() == (right.error != Error::masks_overlap), "overlap of a sequence");
      found = sequence.run();
    }
    demand(found == right, "what a sequence answers");
    if (!right) return;
    for (const auto& [visits, value] : {std::pair{masked, first_value}, std::pair{tagged, second_value}})
      for (const auto& [address, enabled] : visits)
        for (unsigned lane = 0; lane < 16; ++lane)
          if ((enabled >> lane & 1) != 0) weights_.model[std::size_t{16} * address + lane] = value;
  }

  Memory<std::uint8_t> weights_, causal_, acausal_;
  Memory<std::int8_t> drive_;
  VectorArray<per_row> rates_;
  Set set_;
  Mask<vectors, vectors, Address> mask_;
  Mask<vectors, vectors, Address, MaskBits> mask_bits_;
  TaggedMask<Tagged, First> tags_{0};
  CachedTaggedMask<Tagged, 3, First> kept_{std::uint8_t{0}};
  Model tag_model_ = Model(std::size_t{16} * Tagged, 0);
  std::string wrong_;
};

template <class World>
std::string follow_in(Input input) {
  World world;
  return world.follow(input);
}
using Middle = World<7, 50, 3, 23, Grouped<2>>; // tags in two blocks of vectors and a rest
/// With sanitizers a world takes half a gigabyte to compile, so the array of one vector is left to the battery without.
using Smallest = std::conditional_t<sanitized, Middle, World<1, 1, 0, 1, target::Generic>>;
/// The first byte chooses the array and the machine.
inline std::string follow(const std::uint8_t* data, std::size_t size) {
  static constexpr std::string (*worlds[])(Input) = {
      follow_in<Smallest>, follow_in<Middle>,
      follow_in<World<86, 33, 250, 8, target::Generic>>, // 258 vectors: addresses of 16 bits
  };
  Input input{data, size};
  return worlds[input.byte() % std::size(worlds)](input);
}

} // namespace mask_battery

#endif
