// SPDX-License-Identifier: BSL-1.0
/// \file
/// Rows of layers as synapses of a description: what firmware has as a table and a rule, a network has as a list.
///
///     static constexpr layers::Dense<16, 12, 40> fc1{{...}};
///     net.connect(input, hidden, network::listed(0x1p-12, 1.0, fc1)); // an integer of the table is worth 2^-12
///     net.connect(input, hidden, network::listed(0x1p-12, 1.0, pool, fc1)); // the pool's elements through fc1
// host-only
#ifndef NEUROMORPH_NETWORK_ADAPTER_LISTED_ROWS_HPP
#define NEUROMORPH_NETWORK_ADAPTER_LISTED_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/layers/rows.hpp>
#include <neuromorph/network/connectors.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Delays that differ from source to source.
struct StepsOf {
  double dt_ms = 1.0;
  std::uint32_t least = 1;                  ///< steps of all of them
  std::span<const std::uint16_t> more = {}; ///< [source] steps besides; none: no more
};

namespace detail {
/// What one source does to each element, through rows one after the other.
class WaysFrom {
public:
  void begin(std::uint32_t source) { now_.assign(1, {source, 1}); }
  template <layers::Rows Of>
  void through(const Of& rows) {
    sums_.resize((std::max)(sums_.size(), Of::targets)), is_met_.resize(sums_.size());
    for (const Way& from : now_)
      rows.each_of(from.element, [&](std::uint32_t target, std::int32_t weight) {
        if (!is_met_[target]) is_met_[target] = true, met_.push_back(target);
        sums_[target] += from.weight * weight;
      });
    std::sort(met_.begin(), met_.end());
    now_.clear();
    for (const std::uint32_t target : met_) {
      if (sums_[target] != 0) now_.push_back({target, sums_[target]});
      sums_[target] = 0, is_met_[target] = false;
    }
    met_.clear();
  }
  struct Way {
    std::uint32_t element;
    std::int64_t weight;
  };
  [[nodiscard]] const std::vector<Way>& now() const noexcept { return now_; }

private:
  std::vector<Way> now_{};
  std::vector<std::int64_t> sums_{};
  std::vector<bool> is_met_{};
  std::vector<std::uint32_t> met_{};
};
} // namespace detail

/// Synapses from each source of `first` to each target of the last of `rows`, with the products of weights on the way, summed over
/// all ways between the two. None where that is 0.
/// \param unit   what an integer is worth
/// \param delay  one for each source
template <layers::Rows First, layers::Rows... Rows>
[[nodiscard]] FromList listed(double unit, const StepsOf& delay, const First& first, const Rows&... rows) {
  FromList list;
  detail::WaysFrom ways;
  for (std::uint32_t source = 0; source < First::sources; ++source) {
    ways.begin(source);
    ways.through(first);
    (ways.through(rows), ...);
    const double delay_ms = (delay.least + (delay.more.empty() ? 0U : delay.more[source])) * delay.dt_ms;
    for (const auto& one : ways.now())
      list.synapses.push_back({source, one.element, static_cast<double>(one.weight) * unit, delay_ms});
  }
  return list;
}
/// \param delay_ms  of all of them
template <layers::Rows First, layers::Rows... Rows>
[[nodiscard]] FromList listed(double unit, double delay_ms, const First& first, const Rows&... rows) {
  return listed(unit, StepsOf{.dt_ms = delay_ms}, first, rows...);
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
