// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the KISS generators share: the xorshift part, and how their state is started, shown and set.
#ifndef NEUROMORPH_KERNELS_RANDOM_DETAIL_KISS_HPP
#define NEUROMORPH_KERNELS_RANDOM_DETAIL_KISS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// \tparam Generator  with `static Status refusal(const State&)`: why a state is not legal
/// \tparam Words      its state: word x is any, word y belongs to the xorshift and is not 0
template <class Generator, class Words>
class Kiss : public UniformBits<Generator> {
public:
  /// All that the generator is; see `with_state` for what is legal.
  using State = Words;

  /// In a state of the caller's, such as one kept by `state()`.
  ///
  /// \errors a word that the generator does not take: parameter_out_of_range, by its name
  [[nodiscard]] static constexpr Result<Generator> with_state(const State& state) noexcept {
    if (state.y == 0) { return Status{Error::parameter_out_of_range, 0, 0, "y"}; }
    if (const Status refused = Generator::refusal(state); !refused.ok()) return refused;
    Generator result;
    result.state_ = state;
    return result;
  }

  [[nodiscard]] constexpr const State& state() const noexcept { return state_; }

  friend constexpr bool operator==(const Kiss&, const Kiss&) noexcept = default;

protected:
  /// Words x and y, at the start of a stream.
  constexpr void start(const Philox::Block& words) noexcept {
    state_.x = words[0];
    if (words[1] != 0) state_.y = words[1];
  }
  constexpr void xorshift() noexcept {
    state_.y ^= state_.y << 5;
    state_.y ^= state_.y >> 7;
    state_.y ^= state_.y << 22;
  }

  State state_{};
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
