// SPDX-License-Identifier: BSL-1.0
/// \file
/// JKISS64: the generator of SpiNNaker's noise sources; needs a 32x32 to 64 bit multiply.
#ifndef NEUROMORPH_KERNELS_RANDOM_JKISS64_HPP
#define NEUROMORPH_KERNELS_RANDOM_JKISS64_HPP

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/detail/kiss.hpp>
#include <neuromorph/kernels/random/philox.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// The words of a Jkiss64; as made they are the published ones.
struct Jkiss64State {
  std::uint32_t x = 123'456'789; ///< congruential: any
  std::uint32_t y = 987'654'321; ///< xorshift: not 0
  std::uint32_t z = 43'219'876;  ///< multiply-with-carry: low word
  std::uint32_t c = 6'543'217;   ///< multiply-with-carry: carry, below 4294584393
  friend constexpr bool operator==(const Jkiss64State&, const Jkiss64State&) noexcept = default;
};

/// The sum of a linear congruential, a xorshift and a multiply-with-carry generator. A default-made one
/// starts in the published state and gives the published sequence.
///
/// State 16 bytes. Period (2^32) (2^32 - 1) (4294584393 * 2^31 - 1), about 2^127: the multiply-with-carry
/// part's modulus is a safe prime.
/// \cost   per value: 1 multiply-add of 32 bits, 1 multiply-add 32x32+32 to 64 bits, 3 shifted exclusive-ors,
///         2 additions
/// \source D. Jones, Good practice in (pseudo) random number generation for bioinformatics applications,
///         2010, after G. Marsaglia's KISS; listing and start state: D. R. Lester et al., Streamlining SpiNNaker,
///         2018, section 1.2
class Jkiss64 : public detail::Kiss<Jkiss64, Jkiss64State> {
public:
  using Offers = offer::List<offer::Fill, offer::DrawInside>;
  /// In the published state.
  constexpr Jkiss64() noexcept = default;

  /// At the start of a stream.
  explicit constexpr Jkiss64(StreamId stream) noexcept {
    const Philox::Block words = Philox::start_words(stream, 0);
    start(words);
    const std::uint32_t carry = words[3] < multiplier ? words[3] : words[3] - multiplier;
    if (!stands_still(words[2], carry)) {
      state_.z = words[2];
      state_.c = carry;
    }
  }

  /// `with_state` refuses, by the word's name: y == 0, c > 4294584392, and as c (z, c) that are one of the two pairs
  /// that never change, (0, 0) and (4294967295, 4294584392).
  /// \errors parameter_out_of_range: c
  [[nodiscard]] static constexpr Status refusal(const State& state) noexcept {
    if (state.c >= multiplier || stands_still(state.z, state.c))
      return Status{Error::parameter_out_of_range, 0, state.c, "c"};
    return {};
  }

  constexpr std::uint32_t next() noexcept {
    state_.x = 314'527'869U * state_.x + 1'234'567U;
    xorshift();
    const std::uint64_t product = std::uint64_t{multiplier} * state_.z + state_.c;
    state_.z = static_cast<std::uint32_t>(product);
    state_.c = static_cast<std::uint32_t>(product >> 32);
    return state_.x + state_.y + state_.z;
  }

  /// As UniformBits::fill, by the block loop of a target that has one.
  /// \cost ARM968E-S: benchmark `random/jkiss64`
  template <class Target = target::Native>
  constexpr void fill(std::span<std::uint32_t> words) noexcept {
    constexpr bool is_callable = requires(State & state) { Target::fill_jkiss64(state, words.data(), words.size()); };
    if constexpr (detail::has_loop<Target, offer::FillJkiss64, is_callable>()) {
      if (!std::is_constant_evaluated()) return Target::fill_jkiss64(state_, words.data(), words.size());
    }
    UniformBits::fill(words);
  }

  /// For a backend that draws in a loop of its own: calls `loop.jkiss64(state)`, which leaves in the state what as many
  /// calls of `next()` would.
  template <class Loop>
  constexpr auto draw_inside(Loop loop) noexcept -> decltype(loop.jkiss64(std::declval<State&>())) {
    return loop.jkiss64(state_);
  }

  friend constexpr bool operator==(const Jkiss64&, const Jkiss64&) noexcept = default;

private:
  static constexpr std::uint32_t multiplier = 4'294'584'393U;

  static constexpr bool stands_still(std::uint32_t z, std::uint32_t c) noexcept {
    return (z == 0 && c == 0) || (z == 0xFFFF'FFFFU && c == multiplier - 1);
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
