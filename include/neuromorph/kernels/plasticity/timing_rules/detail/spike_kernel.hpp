// SPDX-License-Identifier: BSL-1.0
/// \file
/// Depression by a kernel over the spikes before a post-synaptic event, for rules of the cerebellum.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_DETAIL_SPIKE_KERNEL_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_DETAIL_SPIKE_KERNEL_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// sin and cos with 60 fraction bits.
struct SineCosine {
  std::int64_t sine, cosine;
};
/// \param x  0 to 0.5 with 60 fraction bits; error below 2^-55
[[nodiscard]] constexpr SineCosine sine_cosine_q60(std::int64_t x) noexcept {
  const std::int64_t square = multiply_q60(x, x);
  std::int64_t sine = one_q60, cosine = one_q60;
  for (std::int64_t k = 18; k > 1; k -= 2) {
    cosine = one_q60 - multiply_q60(square, cosine) / (k * (k - 1));
    sine = one_q60 - multiply_q60(square, sine) / ((k + 1) * k);
  }
  return {multiply_q60(x, sine), cosine};
}
/// The angles added.
[[nodiscard]] constexpr SineCosine turned(SineCosine from, SineCosine by) noexcept {
  return {multiply_q60(from.sine, by.cosine) + multiply_q60(from.cosine, by.sine),
          multiply_q60(from.cosine, by.cosine) - multiply_q60(from.sine, by.sine)};
}

inline constexpr std::int64_t pi_q60 = 3622009729038561421;

/// A number from 0 to 1 as a share, to nearest; 1 is held.
[[nodiscard]] constexpr Share to_share(std::int64_t q60) noexcept {
  const std::int64_t share = (q60 + (std::int64_t{1} << 27)) >> 28;
  return share >> 32 != 0 ? ~Share{0} : static_cast<Share>(share);
}

/// A tick over the time that a kernel is told by, with 60 fraction bits: at most `largest`.
[[nodiscard]] constexpr Result<std::int64_t> kernel_ratio(double dt_ms, double time_ms, double largest,
                                                          const char* parameter) noexcept {
  if (!(dt_ms > 0)) return Status{Error::parameter_not_positive, 0, dt_ms, "dt_ms"};
  if (!is_finite(time_ms) || !(dt_ms <= time_ms * largest))
    return Status{Error::parameter_out_of_range, 0, time_ms, parameter};
  if (dt_ms < time_ms * 1e-6) return Status{Error::table_too_short, 0, time_ms, parameter}; // of any length
  return to_fixed(dt_ms / time_ms, 60);
}

/// A row's last spikes: ticks since each, and one; newest first, 0 where there is none.
template <std::size_t Spikes>
struct SpikeAges {
  static_assert(Spikes >= 2 && Spikes % 2 == 0 && Spikes <= 256,
                "neuromorph: a row keeps 2 to 256 spikes, an even number; see docs/plasticity.md");
  std::uint16_t one_more[Spikes]{};

  /// All older; those of `longest` and more are forgotten.
  [[nodiscard]] constexpr SpikeAges later(std::uint32_t ticks, std::uint32_t longest) const noexcept {
    SpikeAges ages;
    if (ticks < longest) {
      for (std::size_t at = 0; at < Spikes && one_more[at] != 0 && one_more[at] + ticks <= longest; ++at)
        ages.one_more[at] = static_cast<std::uint16_t>(one_more[at] + ticks);
    }
    return ages;
  }
  /// A spike now. Returns whether one gave way for it.
  constexpr bool push() noexcept {
    const bool gave_way = one_more[Spikes - 1] != 0;
    for (std::size_t at = Spikes - 1; at > 0; --at) one_more[at] = one_more[at - 1];
    one_more[0] = 1;
    return gave_way;
  }
  friend constexpr bool operator==(const SpikeAges&, const SpikeAges&) noexcept = default;
};

/// A spike brings the weight up by A+; a post-synaptic event down by A- times the sum of the kernel, whose highest value is
/// 1, over the spikes before it.
///
/// \tparam Ticks   that the kernel is long, 2 to 65534
/// \tparam Spikes  that a row keeps: what it has in `Ticks`. More make the oldest give way, which is counted as a held trace
template <std::size_t Ticks, std::size_t Spikes>
struct SpikeKernel {
  static_assert(Ticks >= 2 && Ticks <= 65534, "neuromorph: a kernel has 2 to 65534 ticks; see docs/plasticity.md");
  using Offers = offer::List<offer::IsSpent>;
  using RowTrace = SpikeAges<Spikes>;
  using NeuronTrace = std::uint32_t; ///< of no meaning

  [[nodiscard]] constexpr RowTrace aged(auto&, RowTrace row, std::uint32_t ticks) const noexcept {
    return row.later(ticks, Ticks);
  }
  [[nodiscard]] constexpr RowTrace pre_spiked(auto& m, RowTrace row, std::uint32_t ticks) const noexcept {
    RowTrace spikes = row.later(ticks, Ticks);
    if (spikes.push()) static_cast<void>(m.sum(~Share{0}, 1));
    return spikes;
  }
  [[nodiscard]] constexpr NeuronTrace post_spiked(auto&, NeuronTrace, std::uint32_t) const noexcept { return 1; }
  [[nodiscard]] static constexpr bool is_spent(const RowTrace& row) noexcept { return row.one_more[0] == 0; }

  constexpr void at_post(auto& synapse, const RowTrace& row, std::uint32_t ticks, NeuronTrace) const noexcept {
    Share sum = 0;
    for (const std::uint32_t one_more : row.one_more) {
      if (one_more == 0 || one_more - 1 + ticks >= Ticks) break;
      sum = synapse.sum(sum, synapse.part(a_minus, kernel[one_more - 1 + ticks]));
    }
    synapse.down(sum);
  }
  [[gnu::always_inline]] constexpr void at_pre(auto& synapse, const RowTrace&, std::uint32_t, NeuronTrace,
                                               std::uint32_t) const noexcept {
    synapse.up(a_plus);
  }

  Share kernel[Ticks]{};
  Share a_plus = 0, a_minus = 0;
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
