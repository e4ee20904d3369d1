// SPDX-License-Identifier: BSL-1.0
// The loops of the three LIF classes that composed neurons replaced, as they were when these were removed: baselines that
// a composition of the same words must not be slower than. Not to be improved; pointers are passed by value, as is best.
// The words and the spikes of FrozenLif and FrozenPackedLif are those of the composition with the same constants;
// FrozenCompactLif has membrane and psps in one unit.
#ifndef BENCHMARKS_HOST_FROZEN_LIF_HPP
#define BENCHMARKS_HOST_FROZEN_LIF_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <neuromorph/kernels/neurons/refractory_queue.hpp>
#include <neuromorph/kernels/neurons/step_counts.hpp>
#include <neuromorph/target/native.hpp>

namespace bench {

namespace frozen {

using neuromorph::StepCounts;

inline std::int32_t dither(std::uint32_t tick) { return static_cast<std::int32_t>((tick * 0x9E3779B9U) >> 16); }

/// Zero and above, a membrane's word counts refractory steps.
template <class Lanes>
constexpr typename Lanes::Value word(typename Lanes::Value membrane, typename Lanes::Value integrated,
                                     typename Lanes::Value reset, typename Lanes::Value after_spike, std::size_t at,
                                     std::uint32_t* spikes, std::uint32_t& count) noexcept {
  const auto counted = Lanes::subtract(membrane, Lanes::splat(1));
  const auto waiting = Lanes::select(Lanes::is_negative(counted), reset, counted);
  const auto active = Lanes::is_negative(membrane);
  const auto fired = Lanes::and_not(active, Lanes::is_negative(integrated));
  auto next = Lanes::select(active, integrated, waiting);
  if (std::uint32_t bits = Lanes::bits(fired); bits != 0) [[unlikely]] {
    next = Lanes::select(fired, after_spike, next);
    for (; bits != 0; bits &= bits - 1)
      spikes[count++] = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return next;
}

} // namespace frozen

/// Lif<1> and Lif<2> with shared constants; products are rounded down.
template <std::size_t TimeConstants>
struct FrozenLif {
  static constexpr std::size_t psp_count = TimeConstants;
  using Element = std::int32_t;
  struct Parameters {
    std::int32_t membrane_decay;                       ///< (exp(-dt/tau_m) - 1) 2^32
    std::array<std::int32_t, TimeConstants> psp_decay; ///< the same of the psps
    std::int32_t drift, reset, after_spike;
    std::uint8_t psp_shift;
    std::array<std::uint8_t, 2> input_shift;
  };
  struct State {
    std::int32_t* membrane;
    std::array<std::int32_t*, TimeConstants> psp;
  };

  template <class Target>
  static frozen::StepCounts step(const State& state, std::size_t count, const Parameters& parameters,
                                 const std::array<std::int32_t*, 2>& input, std::uint32_t tick,
                                 std::uint32_t* spikes) noexcept {
    frozen::StepCounts counts;
    std::size_t done = 0;
    if constexpr (Target::Lanes::count > 1)
      done = run<typename Target::Lanes>(state, parameters, input, tick, spikes, 0, count, counts);
    run<neuromorph::target::Generic::Lanes>(state, parameters, input, tick, spikes, done, count, counts);
    return counts;
  }

private:
  template <class Lanes>
  static std::size_t run(const State state, const Parameters& parameters, const std::array<std::int32_t*, 2> input,
                         std::uint32_t tick, std::uint32_t* spikes, std::size_t first, std::size_t last,
                         frozen::StepCounts& counts) noexcept {
    const auto factor = [&](std::int32_t decay) {
      return Lanes::factor(
          Lanes::shift_right(Lanes::add(Lanes::splat(decay), Lanes::splat(frozen::dither(tick))), Lanes::shift(16)));
    };
    const auto psp_shift = Lanes::shift(parameters.psp_shift);
    const std::array input_scale{Lanes::scale(parameters.input_shift[0]), Lanes::scale(parameters.input_shift[1])};
    const auto membrane_factor = factor(parameters.membrane_decay);
    const std::array psp_factor{factor(parameters.psp_decay[0]), factor(parameters.psp_decay.back())};
    const auto drift = Lanes::splat(parameters.drift), reset = Lanes::splat(parameters.reset),
               after_spike = Lanes::splat(parameters.after_spike);
    std::size_t at = first;
    for (; last - at >= Lanes::count; at += Lanes::count) {
      const auto membrane = Lanes::load(state.membrane + at);
      const std::array in{Lanes::load(input[0] + at), Lanes::load(input[1] + at)};
      std::array<typename Lanes::Value, TimeConstants> psp{};
      for (std::size_t which = 0; which < TimeConstants; ++which) psp[which] = Lanes::load(state.psp[which] + at);

      auto integrated = Lanes::add(Lanes::decay(membrane, membrane_factor), drift);
      integrated = Lanes::add(integrated, Lanes::shift_right(psp[0], psp_shift));
      typename Lanes::Overflow overflow{};
      std::array<typename Lanes::Value, TimeConstants> next{};
      const auto excitation = Lanes::decay(psp[0], psp_factor[0]);
      if constexpr (TimeConstants == 2) {
        integrated = Lanes::subtract(integrated, Lanes::shift_right(psp[1], psp_shift));
        next[0] = Lanes::add_scaled_magnitudes(excitation, in[0], input_scale[0], overflow);
        const auto inhibition = Lanes::decay(psp[1], psp_factor[1]);
        next[1] = Lanes::add_scaled_magnitudes(inhibition, in[1], input_scale[1], overflow);
      } else {
        next[0] = Lanes::add_scaled(excitation, Lanes::subtract(in[0], in[1]), input_scale[0], overflow);
      }
      if (Lanes::any_overflow(overflow)) [[unlikely]] {
        if constexpr (Lanes::count > 1) { // once more, one neuron at a time
          run<neuromorph::target::Generic::Lanes>(state, parameters, input, tick, spikes, at, at + Lanes::count,
                                                  counts);
          continue;
        } else {
          const std::array<std::int32_t, 2> decayed{excitation,
                                                    TimeConstants == 2 ? Lanes::decay(psp.back(), psp_factor[1]) : 0};
          for (std::size_t which = 0; which < TimeConstants; ++which) {
            const std::int64_t arriving = TimeConstants == 2 ? in[which] : std::int64_t{in[0]} - in[1];
            const std::int64_t sum = decayed[which] + (arriving << parameters.input_shift[which]);
            const std::int64_t held = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            counts.saturations += held != sum ? 1U : 0U;
            next[which] = static_cast<std::int32_t>(held);
          }
        }
      }
      const auto word = frozen::word<Lanes>(membrane, integrated, reset, after_spike, at, spikes, counts.spikes);
      Lanes::store(state.membrane + at, word);
      for (std::size_t which = 0; which < TimeConstants; ++which) Lanes::store(state.psp[which] + at, next[which]);
      Lanes::store_zero(input[0] + at);
      Lanes::store_zero(input[1] + at);
    }
    return at;
  }
};

/// PackedLif.
struct FrozenPackedLif {
  static constexpr std::size_t psp_count = 1;
  using Element = std::uint16_t;
  struct Parameters {
    std::int32_t membrane_decay;
    std::array<std::uint32_t, 2> psp_keep; ///< exp(-dt/tau_syn) 2^32, by receptor
    std::array<std::int32_t, 2> coupling;  ///< membrane units per psp unit and step
    std::int32_t drift, reset, after_spike;
  };
  struct State {
    std::int32_t* membrane;
    std::array<std::int32_t*, 1> psp;
  };

  template <class Target>
  static frozen::StepCounts step(const State& state, std::size_t count, const Parameters& parameters,
                                 const std::array<std::uint16_t*, 2>& input, std::uint32_t tick,
                                 std::uint32_t* spikes) noexcept {
    frozen::StepCounts counts;
    std::size_t done = 0;
    if constexpr (Target::Lanes::count > 1)
      done = run<typename Target::Lanes>(state, parameters, input, tick, spikes, 0, count, counts);
    run<neuromorph::target::Generic::Lanes>(state, parameters, input, tick, spikes, done, count, counts);
    return counts;
  }

private:
  static constexpr std::int32_t pair(std::uint32_t low, std::uint32_t high) noexcept {
    return static_cast<std::int32_t>(high << 16 | (low & 0xFFFF));
  }
  template <class Lanes>
  static std::size_t run(const State state, const Parameters& parameters, const std::array<std::uint16_t*, 2> input,
                         std::uint32_t tick, std::uint32_t* spikes, std::size_t first, std::size_t last,
                         frozen::StepCounts& counts) noexcept {
    const auto dither = static_cast<std::uint32_t>(frozen::dither(tick));
    const auto decay =
        Lanes::factor(Lanes::splat((parameters.membrane_decay + static_cast<std::int32_t>(dither)) >> 16));
    const auto keep =
        Lanes::splat(pair((parameters.psp_keep[0] + dither) >> 16, (parameters.psp_keep[1] + dither) >> 16));
    const auto dithers = Lanes::splat(pair(dither, dither));
    const auto coupling = Lanes::splat(
        pair(static_cast<std::uint32_t>(parameters.coupling[0]), static_cast<std::uint32_t>(-parameters.coupling[1])));
    const auto centre =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(parameters.drift) +
                                  32768U * static_cast<std::uint32_t>(parameters.coupling[0] - parameters.coupling[1]));
    const auto drift = Lanes::splat(centre), reset = Lanes::splat(parameters.reset),
               after_spike = Lanes::splat(parameters.after_spike);
    std::size_t at = first;
    for (; last - at >= Lanes::count; at += Lanes::count) {
      const auto membrane = Lanes::load(state.membrane + at);
      const auto psp = Lanes::load(state.psp[0] + at);
      const auto arriving = Lanes::load_pairs(input[0] + at, input[1] + at);
      const auto integrated =
          Lanes::multiply_add_pairs(Lanes::add(Lanes::decay(membrane, decay), drift), psp, coupling);
      const auto kept = Lanes::multiply_high_pairs(psp, keep, dithers);
      const auto next = Lanes::add_saturating_pairs(kept, arriving);
      if (Lanes::any_full_pair(next)) [[unlikely]]
        for (std::size_t lane = 0; lane < Lanes::count; ++lane)
          counts.saturations +=
              saturated(state.psp[0][at + lane], {input[0][at + lane], input[1][at + lane]}, parameters, dither);
      Lanes::store(state.membrane + at,
                   frozen::word<Lanes>(membrane, integrated, reset, after_spike, at, spikes, counts.spikes));
      Lanes::store(state.psp[0] + at, next);
      Lanes::store_zero(input[0] + at);
      Lanes::store_zero(input[1] + at);
    }
    return at;
  }
  static std::uint32_t saturated(std::int32_t word, std::array<std::uint32_t, 2> arriving, const Parameters& parameters,
                                 std::uint32_t dither) noexcept {
    std::uint32_t count = 0;
    for (std::size_t receptor = 0; receptor < 2; ++receptor) {
      const std::uint32_t psp = static_cast<std::uint32_t>(word) >> (16 * receptor) & 0xFFFF;
      const std::uint32_t kept = (psp * ((parameters.psp_keep[receptor] + dither) >> 16) + dither) >> 16;
      count += kept + arriving[receptor] > 0xFFFF ? 1U : 0U;
    }
    return count;
  }
};

/// CompactLif with 32-bit psps and shared constants. It holds no sum at the end of its range.
template <std::size_t TimeConstants>
struct FrozenCompactLif {
  static constexpr std::size_t psp_count = TimeConstants;
  using Element = std::int32_t;
  struct Parameters {
    std::int32_t membrane_decay;                        ///< (exp(-dt/tau_m) - 1) 2^32
    std::array<std::int32_t, TimeConstants> psp_factor; ///< exp(-dt/tau_syn) 2^31
    std::int32_t psp_offset;                            ///< q, with 8 fraction bits
    std::int32_t reset;
    std::uint32_t refractory; ///< steps, below half of tau_m
  };
  struct State {
    std::int32_t* membrane;
    std::array<std::int32_t*, TimeConstants> psp;
    neuromorph::RefractoryQueue* queue;
  };

  template <class Target>
  static frozen::StepCounts step(const State& state, std::size_t count, const Parameters& parameters,
                                 const std::array<std::int32_t*, TimeConstants>& input, std::uint32_t tick,
                                 std::uint32_t* spikes) noexcept {
    if (state.queue->is_due(tick)) [[unlikely]]
      release(state, parameters, tick);
    const Cursor cursor{state.membrane, state.psp, input};
    std::uint32_t* const end = run<Target>(cursor, count, prepare(parameters, tick), spikes);
    for (const std::uint32_t* spike = spikes; spike != end; ++spike)
      state.queue->insert(tick + 1 + parameters.refractory, *spike);
    return {static_cast<std::uint32_t>(end - spikes), 0};
  }

private:
  static constexpr std::int32_t down = -0x60000000;
  struct Cursor {
    std::int32_t* membrane;
    std::array<std::int32_t*, TimeConstants> psp;
    std::array<std::int32_t*, TimeConstants> input;
  };
  struct Factors {
    std::int32_t membrane, psp, offset, inhibition, inhibition_offset;
  };
  static Factors prepare(const Parameters& parameters, std::uint32_t tick) noexcept {
    const std::uint32_t spread = tick * 0x9E37C13FU;
    const auto golden = static_cast<std::int32_t>(spread >> 16), plastic = static_cast<std::int32_t>(spread & 0xFFFF);
    return {(parameters.membrane_decay + golden) >> 16, (parameters.psp_factor[0] + golden) >> 16,
            (parameters.psp_offset + (plastic >> 8)) >> 8, (parameters.psp_factor.back() + golden) >> 16,
            (128 + (plastic >> 8)) >> 8};
  }
  [[gnu::noinline]] static void release(const State& state, const Parameters& parameters, std::uint32_t tick) noexcept {
    neuromorph::RefractoryQueue& queue = *state.queue;
    if (queue.count == 0) return queue.look(tick);
    do {
      state.membrane[queue.entries[queue.first].neuron] = parameters.reset;
      queue.take(tick);
    } while (queue.is_due(tick));
  }
  static constexpr std::int32_t sum(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
  static constexpr std::int32_t difference(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
  }
  template <class Target>
  static constexpr std::int32_t product(std::int32_t accumulator, std::int32_t value, std::int32_t factor) noexcept {
    return Target::multiply_add_high(accumulator, value, static_cast<std::int16_t>(factor));
  }
  template <class Target>
  [[gnu::always_inline]] static constexpr std::uint32_t* run(Cursor cursor, std::size_t count, const Factors& factors,
                                                             std::uint32_t* spikes) noexcept {
    const Factors own = factors; // not to be read again after each store
    const std::int32_t* const first = cursor.membrane;
    for (std::int32_t* const end = cursor.membrane + count / 8 * 8; cursor.membrane != end;) {
      spikes = run_group<Target, 4>(cursor, first, own, spikes);
      spikes = run_group<Target, 4>(cursor, first, own, spikes);
    }
    for (std::int32_t* const end = cursor.membrane + count % 8; cursor.membrane != end;)
      spikes = run_group<Target, 1>(cursor, first, own, spikes);
    return spikes;
  }
  template <class Target, std::size_t Group>
  [[gnu::always_inline]] static constexpr std::uint32_t*
  run_group(Cursor& cursor, const std::int32_t* first, const Factors factors, std::uint32_t* spikes) noexcept {
    std::array<std::int32_t, Group> next{};
    std::array<std::array<std::int32_t, Group>, psp_count> next_psp{};
    std::int32_t all = -1;
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < Group; ++lane) {
      const std::int32_t before = cursor.membrane[lane], drive = cursor.psp[0][lane], arriving = cursor.input[0][lane];
      const std::int32_t decayed = product<Target>(factors.offset, drive, factors.psp);
      next[lane] = sum(before, product<Target>(drive, before, factors.membrane));
      next_psp[0][lane] = sum(arriving, static_cast<std::int32_t>(static_cast<std::uint32_t>(decayed) << 1));
      if constexpr (TimeConstants == 2) {
        const std::int32_t inhibition = cursor.psp[1][lane];
        next[lane] = difference(next[lane], inhibition);
        const std::int32_t kept = product<Target>(factors.inhibition_offset, inhibition, factors.inhibition);
        next_psp[1][lane] =
            sum(cursor.input[1][lane], static_cast<std::int32_t>(static_cast<std::uint32_t>(kept) << 1));
      }
      all &= next[lane];
    }
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < Group; ++lane) {
      for (std::size_t which = 0; which < psp_count; ++which) {
        cursor.psp[which][lane] = next_psp[which][lane];
        cursor.input[which][lane] = 0;
      }
      cursor.membrane[lane] = next[lane];
    }
    if (all >= 0) [[unlikely]] {
      for (std::size_t lane = 0; lane < Group; ++lane)
        if (cursor.membrane[lane] >= 0) {
          *spikes++ = static_cast<std::uint32_t>(cursor.membrane + lane - first);
          cursor.membrane[lane] = down;
        }
    }
    cursor.membrane += Group;
    for (std::size_t which = 0; which < psp_count; ++which) cursor.psp[which] += Group, cursor.input[which] += Group;
    return spikes;
  }
};

} // namespace bench

#endif
