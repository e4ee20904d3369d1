// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synaptic events on their way to the neurons of a part: sums of weights for the steps to come, and the spikes whose runs are
/// not due yet.
///
/// Two ways lead to the same sums. A ring has a slot for each step of the longest delay, and a spike is added to all of them
/// at once. Or a spike is a cursor in its row, and each run is added in the step in which it is due. Then few slots are
/// enough, which stay in a cache. Sums of 16 bits stop at their end; each that did is counted once, whatever the order of
/// events.
// host-only
#ifndef NEUROMORPH_NETWORK_DELIVERY_HPP
#define NEUROMORPH_NETWORK_DELIVERY_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/network/detail/bit_rows.hpp>
#include <neuromorph/network/detail/pages.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/rows.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// When the synapses of a spike are added to the sums of their targets.
enum class Delivery : std::uint8_t {
  chosen,  ///< the ring where it stays in the second cache or runs are short, when_due else
  at_once, ///< to a ring of all delays
  when_due ///< each run in its step
};

/// What has arrived.
struct DeliveryCounts {
  std::uint64_t events = 0; ///< synaptic events
  std::uint64_t held = 0;   ///< sums, of a neuron, a receptor and a step, that were held at the end of their 16 bits
};

class PartDelivery {
public:
  struct Shape {
    std::uint32_t neurons = 0; ///< numbers of the part
    std::uint32_t receptors = 1;
    bool has_narrow = false, has_wide = false; ///< whether there are sums of 16 and of 32 bits
    std::uint32_t steps_at_once = 1;           ///< that are delivered before the first of them is closed
    std::uint32_t longest_delay = 1;
    std::uint32_t sets = 0;      ///< of rows
    bool learns = false;         ///< whether there are plastic rows
    double run_length = 65536.0; ///< synapses of a run, in the mean
  };
  static constexpr std::size_t ring_bytes = std::size_t{512} << 10; ///< up to which `chosen` takes the ring,
  /// or with runs of fewer synapses, whose cursors take longer than sums that are in no near cache, up to so many bytes.
  static constexpr double short_run = 8.0;
  static constexpr std::size_t ring_bytes_of_short_runs = std::size_t{32} << 20;

  PartDelivery() = default;
  PartDelivery(const Shape& shape, Delivery delivery) : shape_(shape) {
    const std::size_t bytes_of_slot =
        std::size_t{shape.neurons} * shape.receptors * ((shape.has_narrow ? 2U : 0U) + (shape.has_wide ? 4U : 0U));
    const std::uint32_t ring = horizon_ =
        std::bit_ceil(shape.longest_delay); // spikes are taken before the first step they reach
    const std::size_t largest = shape.run_length < short_run ? ring_bytes_of_short_runs : ring_bytes;
    is_ring_ = delivery == Delivery::at_once || (delivery == Delivery::chosen && ring * bytes_of_slot <= largest);
    const std::uint32_t slots = is_ring_ ? ring : std::bit_ceil(shape.steps_at_once);
    slots_.resize(slots);
    const std::size_t sums = std::size_t{slots} * shape.receptors * shape.neurons;
    if (shape.has_narrow) narrow_ = detail::Pages<std::uint16_t>(sums);
    if (shape.has_wide) wide_ = detail::Pages<std::int32_t>(sums);
    if (!is_ring_ || shape.learns) due_.resize(ring);
    due_bits_.resize(std::size_t{ring} * shape.sets);
  }

  [[nodiscard]] bool is_ring() const noexcept { return is_ring_; }
  /// Who brings plastic rows up to date.
  /// \param sets      all of them, by number
  /// \param learners  [sets]; none of those that are not plastic
  void learn_by(const RowSet* sets, std::vector<Learner*> learners) {
    first_set_ = sets, learners_ = std::move(learners);
  }

  [[nodiscard]] Learner* learner_of(const RowSet& set) const noexcept {
    return learners_[static_cast<std::size_t>(&set - first_set_)];
  }

  /// Takes the spikes of a step from a population, or a part of it, along a set of its rows.
  /// \param number  of the set
  /// \param step    in which they fired
  void take(const RowSet& set, std::uint32_t number, std::uint32_t part, std::span<const std::uint32_t> sources,
            std::uint32_t step) {
    if (set.layout == Layout::bits) {
      DueBits& due = due_bits_[((step + set.shortest_delay) & mask()) * shape_.sets + number];
      due.set = &set;
      for (const std::uint32_t source : sources) due.rows.push_back(set.row(source, part).data());
      return;
    }
    // Where a row begins may be as far away as the row.
    constexpr std::size_t ahead = 8, far_ahead = 2 * ahead;
    for (std::size_t at = 0; at < (std::min)(sources.size(), far_ahead); ++at) set.announce(sources[at], part);
    for (std::size_t at = 0; at < (std::min)(sources.size(), ahead); ++at) announce(set.row(sources[at], part), 1);
    for (std::size_t at = 0; at < sources.size(); ++at) {
      if (at + far_ahead < sources.size()) set.announce(sources[at + far_ahead], part);
      if (at + ahead < sources.size()) announce(set.row(sources[at + ahead], part), 1);
      const std::span<const std::uint16_t> row = set.row(sources[at], part);
      if (row.empty()) continue;
      Cursor cursor{row.data(), static_cast<std::uint32_t>(row.size()), &set};
      if (is_ring_ && set.layout != Layout::plastic) {
        const std::span<const std::uint16_t> after = at + 1 < sources.size() ? set.row(sources[at + 1], part) : row;
        const std::uint16_t* next = after.empty() ? cursor.run : after.data(); // one that is empty may be nowhere
        for (std::uint32_t before = cursor.left; cursor.left != 0; next += before - cursor.left, before = cursor.left)
          add(cursor, step + delay_of(cursor), next);
      } else {
        due_[(step + delay_of(cursor)) & mask()].push_back(cursor);
      }
    }
  }

  /// Takes a spike again, of which all that arrives up to `time` has been delivered before.
  void take_rest(const RowSet& set, std::uint32_t number, std::uint32_t part, std::uint32_t source, std::uint32_t step,
                 std::uint32_t time) {
    const auto is_over = [&](std::uint32_t delay) { return static_cast<std::int32_t>(step + delay - time) <= 0; };
    const std::span<const std::uint16_t> row = set.row(source, part);
    if (set.layout == Layout::bits) {
      if (!is_over(set.shortest_delay)) take(set, number, part, std::span(&source, 1), step);
      return;
    }
    for (Cursor cursor{row.data(), static_cast<std::uint32_t>(row.size()), &set}; cursor.left != 0;) {
      if (is_over(delay_of(cursor))) {
        const std::size_t halves = set.halves_of_run(std::size_t{cursor.run[0]} + 1);
        cursor.run += halves, cursor.left -= static_cast<std::uint32_t>(halves);
      } else if (is_ring_ && set.layout != Layout::plastic) {
        add(cursor, step + delay_of(cursor), cursor.run);
      } else {
        due_[(step + delay_of(cursor)) & mask()].push_back(cursor);
        return;
      }
    }
  }
  /// Nothing is under way any more.
  void clear() noexcept {
    for (std::uint16_t& sum : narrow_.all()) sum = 0;
    for (std::int32_t& sum : wide_.all()) sum = 0;
    for (Slot& slot : slots_) slot = {};
    for (auto& due : due_) due.clear();
    for (DueBits& due : due_bits_) due.rows.clear();
  }

  /// Adds what is due in a step. \pre all spikes that can arrive in it have been taken
  void deliver(std::uint32_t step) {
    for (std::uint32_t set = 0; set < shape_.sets; ++set) {
      DueBits& due = due_bits_[(step & mask()) * shape_.sets + set];
      for (std::size_t at = 0; at < due.rows.size(); at += rows_at_once)
        add_bits(*due.set, std::span(due.rows).subspan(at, (std::min)(rows_at_once, due.rows.size() - at)), step);
      due.rows.clear();
    }
    if (due_.empty()) return;
    std::vector<Cursor>& due = due_[step & mask()];
    constexpr std::size_t ahead = 4;
    for (std::size_t at = 0; at < due.size(); ++at) {
      if (at + ahead < due.size()) announce({due[at + ahead].run, due[at + ahead].left}, 4);
      Cursor cursor = due[at];
      const std::uint32_t delay = delay_of(cursor);
      const std::uint16_t* const next = at + 1 < due.size() ? due[at + 1].run : first_due(step + 1, cursor.run);
      do add(cursor, step, next);
      while (cursor.left != 0 && delay_of(cursor) == delay);
      if (cursor.left != 0) due_[(step + delay_of(cursor) - delay) & mask()].push_back(cursor);
    }
    due.clear();
  }

  /// The sums of a step, until it is closed.
  [[nodiscard]] StepInput input(std::uint32_t step) const noexcept {
    const std::size_t first = (step & (slots_.size() - 1)) * shape_.receptors * shape_.neurons;
    return {shape_.has_narrow ? narrow_.data() + first : nullptr, shape_.has_wide ? wide_.data() + first : nullptr,
            shape_.neurons};
  }
  /// Counts what has arrived in a step, whose sums are zero again.
  void close(std::uint32_t step, DeliveryCounts& counts) noexcept {
    Slot& slot = slots_[step & (slots_.size() - 1)];
    counts.events += slot.events, slot.events = 0;
    if (slot.held_now != 0) [[unlikely]] {
      counts.held += slot.held_now, slot.held_now = 0;
      for (std::uint64_t& bits : slot.held) bits = 0;
    }
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = narrow_.bytes() + wide_.bytes();
    for (const auto& one : due_) sum += one.capacity() * sizeof(Cursor);
    return sum;
  }

private:
  /// Where a spike is in its row.
  struct Cursor {
    const std::uint16_t* run;
    std::uint32_t left; ///< halves of the row from here on
    const RowSet* set;
  };
  /// Rows of bits that are due in a step.
  struct DueBits {
    const RowSet* set = nullptr;
    std::vector<const std::uint16_t*> rows = {};
  };
  static constexpr std::size_t rows_at_once = 127;
  struct Slot {
    std::uint64_t events = 0, held_now = 0;
    std::vector<std::uint64_t> held = {}; ///< bit for each receptor and neuron; none before the first
  };

  [[nodiscard]] std::size_t mask() const noexcept { return horizon_ - 1; }
  [[nodiscard]] static std::uint32_t delay_of(const Cursor& cursor) noexcept { return cursor.run[1] >> 4; }

  static void announce(std::span<const std::uint16_t> row, std::size_t lines) noexcept {
    constexpr std::size_t halves_of_line = 32;
    for (std::size_t at = 0; at < lines && at * halves_of_line < row.size(); ++at)
      __builtin_prefetch(row.data() + at * halves_of_line);
  }

  /// The first run that is due in a step, else another one.
  [[nodiscard]] const std::uint16_t* first_due(std::uint32_t step, const std::uint16_t* other) const noexcept {
    const std::vector<Cursor>& due = due_[step & mask()];
    return due.empty() ? other : due.front().run;
  }

  /// Adds a run to the sums of a step, and goes to the next one.
  /// \param next  what is read after it, so that it comes to the cache meanwhile
  void add(Cursor& cursor, std::uint32_t step, const std::uint16_t* next) noexcept {
    const std::size_t synapses = std::size_t{cursor.run[0]} + 1;
    const Arrival& arrival = cursor.set->arrivals[cursor.run[1] & 15];
    const bool is_plastic = cursor.set->layout == Layout::plastic;
    const std::size_t halves = cursor.set->halves_of_run(synapses);
    const std::uint16_t* words = cursor.run + 2;
    if (is_plastic) {
      // The part owns its rows, which others read alone, and not while it runs.
      std::uint16_t* const run = const_cast<std::uint16_t*>(cursor.run);
      learner_of(*cursor.set)->pre_spike(RowSet::words_of({run, halves}), step - 2 * delay_of(cursor));
      words += 2 * cursor.set->plasticity.words.header;
    }
    const std::size_t slot = step & (slots_.size() - 1);
    const std::size_t plane = (slot * shape_.receptors + arrival.receptor) * shape_.neurons;
    const bool is_one_weight = cursor.set->layout == Layout::one_weight;
    const bool target_is_low = is_plastic || std::endian::native == std::endian::little;
    if (arrival.input_bits == 16) {
      const Narrow to{narrow_.data() + plane, this, slot, arrival.receptor};
      if (is_one_weight)
        add_targets(to, words, synapses, arrival.weight, next);
      else if (arrival.shift == 0)
        add_words(to, words, synapses, target_is_low, next);
      else
        add_words(Shifted{to, arrival.shift}, words, synapses, target_is_low, next);
    } else {
      const Wide to{wide_.data() + plane, std::int32_t{1} << arrival.shift};
      if (is_one_weight)
        add_targets(to, words, synapses, arrival.weight, next);
      else if (arrival.is_signed)
        add_words(Signed{to}, words, synapses, target_is_low, next);
      else
        add_words(to, words, synapses, target_is_low, next);
    }
    slots_[slot].events += synapses;
    cursor.run += halves, cursor.left -= static_cast<std::uint32_t>(halves);
  }

  /// Adds rows of bits to the sums of a step.
  void add_bits(const RowSet& set, std::span<const std::uint16_t* const> rows, std::uint32_t step) noexcept {
    const auto levels = std::bit_width(rows.size());
    if (levels <= 3) return add_bits<3>(set, rows, step);
    if (levels == 4) return add_bits<4>(set, rows, step);
    if (levels == 5) return add_bits<5>(set, rows, step);
    if (levels == 6) return add_bits<6>(set, rows, step);
    add_bits<7>(set, rows, step);
  }
  template <unsigned Levels>
  void add_bits(const RowSet& set, std::span<const std::uint16_t* const> rows, std::uint32_t step) noexcept {
    const Arrival& arrival = set.arrivals[0];
    const std::size_t slot = step & (slots_.size() - 1);
    const std::size_t plane = (slot * shape_.receptors + arrival.receptor) * shape_.neurons;
    using Groups = std::array<detail::BitCounts, detail::halves_of_line>;
    if (arrival.input_bits == 32) {
      std::int32_t* const to = wide_.data() + plane;
      slots_[slot].events += detail::count_bits<Levels>(
          rows, shape_.neurons, [&](std::size_t first, std::size_t groups, const Groups& counts) {
            for (std::size_t group = 0; group < groups; ++group)
              for (std::size_t at = 0; at < 16; ++at) to[first + group * 16 + at] += counts[group][at] * arrival.weight;
          });
      return;
    }
    std::uint16_t* const to = narrow_.data() + plane;
    const auto held = [&](std::size_t target) {
      return hold(slot, arrival.receptor, static_cast<std::uint32_t>(target));
    };
    const bool is_light = rows.size() * static_cast<std::size_t>(arrival.weight) <= 0xFFFF;
    slots_[slot].events += detail::count_bits<Levels>(
        rows, shape_.neurons, [&](std::size_t first, std::size_t groups, const Groups& counts) {
          if (is_light)
            return add_light(to + first, groups, counts, static_cast<std::uint16_t>(arrival.weight),
                             [&](std::size_t target) { held(first + target); });
          for (std::size_t at = 0; at < groups * 16; ++at) {
            const std::uint64_t sum =
                to[first + at] + std::uint64_t{counts[at / 16][at % 16]} * static_cast<std::uint32_t>(arrival.weight);
            to[first + at] = sum > 0xFFFF ? held(first + at) : static_cast<std::uint16_t>(sum);
          }
        });
  }
  /// Adds a weight of which as many as a count fit 16 bits.
  /// \param held  is told of each sum that is held at its end
  template <class Held>
  static void add_light(std::uint16_t* to, std::size_t groups,
                        const std::array<detail::BitCounts, detail::halves_of_line>& counts, std::uint16_t weight,
                        Held held) noexcept {
    using Sums = detail::BitCounts;
    std::array<Sums, detail::halves_of_line> wrapped;
    Sums any{};
    for (std::size_t group = 0; group < groups; ++group) {
      Sums before;
      std::memcpy(&before, to + group * 16, sizeof before);
      Sums after = before + counts[group] * weight;
      wrapped[group] = reinterpret_cast<Sums>(after < before);
      after |= wrapped[group], any |= wrapped[group];
      std::memcpy(to + group * 16, &after, sizeof after);
    }
    std::array<std::uint64_t, sizeof any / 8> words;
    std::memcpy(&words, &any, sizeof any);
    if (std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; })) [[unlikely]]
      for (std::size_t at = 0; at < groups * 16; ++at)
        if (wrapped[at / 16][at % 16] != 0) held(at);
  }

  /// Sums of 16 bits of a step and receptor.
  struct Narrow {
    std::uint16_t* sums;
    PartDelivery* of;
    std::size_t slot;
    std::uint32_t receptor;

    [[gnu::always_inline]] void operator()(std::uint32_t target, std::uint16_t weight) const noexcept {
      std::uint16_t sum;
      if (__builtin_add_overflow(sums[target], weight, &sum)) [[unlikely]]
        sum = of->hold(slot, receptor, target);
      sums[target] = sum;
    }
  };
  struct Shifted {
    Narrow to;
    unsigned shift;

    [[gnu::always_inline]] void operator()(std::uint32_t target, std::uint16_t weight) const noexcept {
      const std::uint64_t sum = to.sums[target] + (std::uint64_t{weight} << shift);
      to.sums[target] = sum > 0xFFFF ? to.of->hold(to.slot, to.receptor, target) : static_cast<std::uint16_t>(sum);
    }
  };
  /// Sums of 32 bits, which fan-ins were checked for.
  struct Wide {
    std::int32_t* sums;
    std::int32_t scale;

    [[gnu::always_inline]] void operator()(std::uint32_t target, std::uint16_t weight) const noexcept {
      sums[target] += weight * scale;
    }
  };
  struct Signed {
    Wide to;

    [[gnu::always_inline]] void operator()(std::uint32_t target, std::uint16_t weight) const noexcept {
      to.sums[target] += static_cast<std::int16_t>(weight) * to.scale;
    }
  };

  /// \param words          [synapses] a target and a weight each
  /// \param target_is_low  in its word
  template <class To>
  static void add_words(const To to, const std::uint16_t* words, std::size_t synapses, bool target_is_low,
                        const std::uint16_t* next) noexcept {
    if constexpr (std::endian::native == std::endian::big)
      if (!target_is_low) return add_words_of<false>(to, words, synapses, next);
    static_cast<void>(target_is_low);
    add_words_of<true>(to, words, synapses, next);
  }
  template <bool target_is_low, class To>
  static void add_words_of(const To to, const std::uint16_t* words, std::size_t synapses,
                           const std::uint16_t* next) noexcept {
    const auto one = [&](std::uint32_t word) __attribute__((always_inline)) {
      to(target_is_low ? word & 0xFFFF : word >> 16, static_cast<std::uint16_t>(target_is_low ? word >> 16 : word));
    };
    std::size_t at = 0;
    for (; at + 8 <= synapses; at += 8) {
      __builtin_prefetch(next + 2 * at);
      std::array<std::uint64_t, 4> pairs;
      std::memcpy(&pairs, words + 2 * at, sizeof pairs);
      for (const std::uint64_t pair : pairs) {
        one(static_cast<std::uint32_t>(pair));
        one(static_cast<std::uint32_t>(pair >> 32));
      }
    }
    for (; at < synapses; ++at) {
      std::uint32_t word;
      std::memcpy(&word, words + 2 * at, sizeof word);
      one(word);
    }
  }
  static void add_targets(const Narrow& to, const std::uint16_t* targets, std::size_t synapses, std::int32_t weight,
                          const std::uint16_t* next) noexcept {
    if (weight > 0xFFFF) [[unlikely]] {
      for (std::size_t at = 0; at < synapses; ++at)
        to.sums[targets[at]] = to.of->hold(to.slot, to.receptor, targets[at]);
      return;
    }
    each_target(targets, synapses, next, [&](std::uint32_t target) { to(target, static_cast<std::uint16_t>(weight)); });
  }
  static void add_targets(const Wide& to, const std::uint16_t* targets, std::size_t synapses, std::int32_t weight,
                          const std::uint16_t* next) noexcept {
    each_target(targets, synapses, next, [&](std::uint32_t target) { to.sums[target] += weight; });
  }
  template <class Add>
  static void each_target(const std::uint16_t* targets, std::size_t synapses, const std::uint16_t* next,
                          Add add) noexcept {
    std::size_t at = 0;
    for (; at + 8 <= synapses; at += 8) {
      if (at % 32 == 0) __builtin_prefetch(next + at);
      std::array<std::uint64_t, 2> fours;
      std::memcpy(&fours, targets + at, sizeof fours);
      for (const std::uint64_t four : fours) {
        add(static_cast<std::uint32_t>(four & 0xFFFF));
        add(static_cast<std::uint32_t>(four >> 16 & 0xFFFF));
        add(static_cast<std::uint32_t>(four >> 32 & 0xFFFF));
        add(static_cast<std::uint32_t>(four >> 48));
      }
    }
    for (; at < synapses; ++at) add(targets[at]);
  }

  /// Notes that a sum would have left its range; returns what it is held at.
  [[gnu::cold, gnu::noinline]] std::uint16_t hold(std::size_t at, std::uint32_t receptor, std::uint32_t target) {
    Slot& slot = slots_[at];
    if (slot.held.empty()) slot.held.resize((std::size_t{shape_.receptors} * shape_.neurons + 63) / 64);
    const std::size_t number = std::size_t{receptor} * shape_.neurons + target;
    std::uint64_t& bits = slot.held[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    if ((bits & bit) == 0) ++slot.held_now;
    bits |= bit;
    return 0xFFFF;
  }

  Shape shape_{};
  bool is_ring_ = true;
  std::uint32_t horizon_ = 1; ///< steps from the first that is open to the last that a spike reaches: a power of two
  std::vector<Slot> slots_{};
  detail::Pages<std::uint16_t> narrow_{}; // [slot][receptor][neuron]
  detail::Pages<std::int32_t> wide_{};
  std::vector<std::vector<Cursor>> due_{}; // [step & mask()]
  std::vector<DueBits> due_bits_{};        // [step & mask()][set]
  const RowSet* first_set_ = nullptr;
  std::vector<Learner*> learners_{}; // [set]
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
