// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loop of PackedLif for AVX-512: membranes and psps in one pass.
// requires: -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni (x86)
#ifndef NEUROMORPH_TARGET_X86_AVX512_NEURONS_HPP
#define NEUROMORPH_TARGET_X86_AVX512_NEURONS_HPP

#if !defined(__AVX512BW__) || !defined(__AVX512DQ__) || !defined(__AVX512VL__) || !defined(__AVX512VNNI__)
#error "neuromorph/target/x86/avx512_neurons.hpp needs AVX-512 BW, DQ, VL and VNNI: use target::Avx2"
#endif

#include <cstddef>
#include <cstdint>
#include <immintrin.h>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Base of Avx512: what it does better than the loop of a Neuron, which says what is meant.
struct Avx512Neurons {
  using Offers = offer::List<offer::PackedLif>;

  /// A step of PackedLif. 17 vector operations for 16 neurons; spikes and psps that are full are looked for in 64 neurons at
  /// once. Returns the end of the list of spikes.
  ///
  /// \param saturations  is increased by the number of psps that were held
  template <class Block>
  [[gnu::noinline]] static std::uint32_t* packed_lif(const Block block, std::uint32_t& saturations) noexcept {
    const Constants constants(block);
    std::uint32_t* spikes = block.spikes;
    std::size_t at = 0;
    for (; block.count - at >= 64; at += 64) spikes = pass<4, true>(block, constants, at, spikes, saturations);
    for (; at < block.count; at += 32) spikes = pass<2, false>(block, constants, at, spikes, saturations);
    return spikes;
  }

private:
  struct Constants {
    explicit Constants(const auto& block) noexcept
        : decay_high(splat(static_cast<std::uint32_t>(block.decay) << 16)),
          decay_low(splat(static_cast<std::uint32_t>(block.decay) & 0xFFFF)), keep(splat(block.keep)),
          most(splat(~block.dither)), coupling(splat(block.coupling)), drift(splat(block.drift)),
          reset(splat(block.reset)), after_spike(splat(block.after_spike)),
          replaced(block.decay == 0 ? 0 : 0x55555555) {}
    __m512i decay_high, decay_low, keep, most, coupling, drift, reset, after_spike;
    __mmask32 replaced; // halves of a membrane by the product of the lower one
  };
  /// 16 neurons from `at` on, of which those in `some` are there; of others the membranes wait and the psps are 0.
  template <bool Whole>
  [[nodiscard, gnu::always_inline]] static __m512i membranes(const auto& block, std::size_t at) noexcept {
    if constexpr (Whole) return _mm512_loadu_si512(block.words[0] + at);
    return _mm512_maskz_loadu_epi32(first(block.count, at), block.words[0] + at);
  }
  template <bool Whole>
  [[nodiscard, gnu::always_inline]] static __m512i psps(const auto& block, std::size_t at) noexcept {
    if constexpr (Whole) return _mm512_loadu_si512(block.words[1] + at);
    return _mm512_maskz_loadu_epi32(first(block.count, at), block.words[1] + at);
  }
  /// The input of 16 neurons from `at` on, in pairs, by a permutation of that of 32 from `at` - `from` on.
  template <bool Whole, std::uint32_t from>
  [[nodiscard, gnu::always_inline]] static __m512i arriving(const auto& block, std::size_t at) noexcept {
    const __mmask32 some = Whole ? ~0U : both(block.count, at - from);
    return _mm512_maskz_permutex2var_epi16(~0U, _mm512_maskz_loadu_epi16(some, block.input[0] + at - from),
                                           alternating(from),
                                           _mm512_maskz_loadu_epi16(some, block.input[1] + at - from));
  }
  [[nodiscard, gnu::always_inline]] static __m512i decayed(__m512i pairs, const Constants& own) noexcept {
    // One more where the lower product and the dither carry, that is where it is above 2^16 - 1 - dither.
    const __m512i high = _mm512_mulhi_epu16(pairs, own.keep);
    const __mmask32 carry = _mm512_cmpgt_epu16_mask(_mm512_mullo_epi16(pairs, own.keep), own.most);
    return _mm512_mask_sub_epi16(high, carry, high, splat(~0U));
  }

  /// \tparam Registers  of 16 neurons, an even number
  /// \tparam Whole      whether there are as many neurons
  template <std::size_t Registers, bool Whole>
  [[gnu::always_inline]] static std::uint32_t* pass(const auto& block, const Constants& own, std::size_t at,
                                                    std::uint32_t* spikes, std::uint32_t& saturations) noexcept {
    __m512i next[Registers], sums[Registers], fired = _mm512_setzero_si512(), any = fired;
    each<Registers>([&]<std::size_t group>() __attribute__((always_inline)) {
      const __m512i v = membranes<Whole>(block, at + 16 * group), pairs = psps<Whole>(block, at + 16 * group);
      // Of the decayed membrane, the lower product has bits only where that of the upper half, which is added, has none.
      const __m512i low = _mm512_mask_mulhi_epu16(v, own.replaced, v, own.decay_low);
      const __m512i centred = _mm512_xor_si512(pairs, splat(0x80008000U));
      const __m512i driven = _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(low, v, own.decay_high), centred, own.coupling);
      // A neuron that waits has one step less, or the reset in place of -1; both are the lesser one without a sign.
      const __m512i waiting = _mm512_maskz_min_epu32(0xFFFF, _mm512_add_epi32(v, splat(~0U)), own.reset);
      next[group] = _mm512_mask_add_epi32(waiting, _mm512_movepi32_mask(v), driven, own.drift);
      fired = _mm512_ternarylogic_epi32(fired, v, next[group], 0xF0 | (0xCC & ~0xAA));
      sums[group] = _mm512_adds_epu16(decayed(pairs, own), arriving<Whole, group % 2 * 16>(block, at + 16 * group));
      any = _mm512_or_si512(any, sums[group]);
    });

    if (_mm512_movepi32_mask(fired) != 0) [[unlikely]] {
      std::uint64_t lanes = 0;
      each<Registers>([&]<std::size_t group>() __attribute__((always_inline)) {
        const __m512i v = membranes<Whole>(block, at + 16 * group);
        const __mmask16 mask = _mm512_movepi32_mask(_mm512_maskz_andnot_epi32(0xFFFF, next[group], v));
        next[group] = _mm512_mask_mov_epi32(next[group], mask, own.after_spike);
        lanes |= std::uint64_t{mask} << (16 * group);
      });
      for (; lanes != 0; lanes &= lanes - 1)
        *spikes++ = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(__builtin_ctzll(lanes));
    }
    if (_mm512_movepi16_mask(any) != 0) [[unlikely]] // only above 2^15 may one be full
      each<Registers>([&]<std::size_t group>() __attribute__((always_inline)) {
        const __m512i kept = decayed(psps<Whole>(block, at + 16 * group), own);
        const __m512i sum = _mm512_add_epi16(kept, arriving<Whole, group % 2 * 16>(block, at + 16 * group));
        saturations += static_cast<std::uint32_t>(__builtin_popcount(_mm512_cmplt_epu16_mask(sum, kept)));
      });

    each<Registers>([&]<std::size_t group>() __attribute__((always_inline)) {
      const std::size_t from = at + 16 * group;
      const __mmask16 some = Whole ? 0xFFFF : first(block.count, from);
      _mm512_mask_storeu_epi32(block.words[0] + from, some, next[group]);
      _mm512_mask_storeu_epi32(block.words[1] + from, some, sums[group]);
      if constexpr (group % 2 == 0) {
        const __mmask32 two = Whole ? ~0U : both(block.count, from);
        _mm512_mask_storeu_epi16(block.input[0] + from, two, _mm512_setzero_si512());
        _mm512_mask_storeu_epi16(block.input[1] + from, two, _mm512_setzero_si512());
      }
    });
    return spikes;
  }

  template <std::size_t Count>
  [[gnu::always_inline]] static void each(auto visit) noexcept {
    [&]<std::size_t... place>(std::index_sequence<place...>) __attribute__((always_inline)) {
      (visit.template operator()<place>(), ...);
    }
    (std::make_index_sequence<Count>{});
  }
  /// A bit for each of 16 neurons, or of 32, from `at` on, that is one of the first `count`.
  [[nodiscard]] static __mmask16 first(std::size_t count, std::size_t at) noexcept {
    return static_cast<__mmask16>(both(count, at));
  }
  [[nodiscard]] static __mmask32 both(std::size_t count, std::size_t at) noexcept {
    const std::size_t left = count > at ? count - at : 0;
    return left < 32 ? (std::uint32_t{1} << left) - 1 : ~0U;
  }
  /// The order in which halves of two registers, from `from` on, make pairs.
  [[nodiscard, gnu::always_inline]] static __m512i alternating(std::uint32_t from) noexcept {
    const __m512i order = _mm512_setr_epi32(0x00200000, 0x00210001, 0x00220002, 0x00230003, 0x00240004, 0x00250005,
                                            0x00260006, 0x00270007, 0x00280008, 0x00290009, 0x002A000A, 0x002B000B,
                                            0x002C000C, 0x002D000D, 0x002E000E, 0x002F000F);
    return _mm512_add_epi16(order, splat(from << 16 | from));
  }
  [[nodiscard, gnu::always_inline]] static __m512i splat(std::uint32_t value) noexcept {
    return _mm512_set1_epi32(static_cast<std::int32_t>(value));
  }
  [[nodiscard, gnu::always_inline]] static __m512i splat(std::int32_t value) noexcept {
    return _mm512_set1_epi32(value);
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
