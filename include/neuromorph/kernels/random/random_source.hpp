// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a source of random words is, and how a stream is named: by seed, core and population.
///
/// A source gives 32 uniform bits per `next()`. All samplers, rounding modes and network generators take any
/// `RandomSource`. The library's own: Jkiss64, Kiss32, Sfc32, Philox; docs/random.md says which to take when.
#ifndef NEUROMORPH_KERNELS_RANDOM_RANDOM_SOURCE_HPP
#define NEUROMORPH_KERNELS_RANDOM_RANDOM_SOURCE_HPP

#include <concepts>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Something that gives 32 independent uniform bits per call of `std::uint32_t next()`.
template <class Source>
concept RandomSource = rounding::BitSource<Source>;

namespace detail {

/// Says what a source lacks.
template <class Source>
consteval bool is_random_source() {
  if constexpr (is_result<Source>)
    static_assert(never<Source>, "neuromorph: the source is a Result that nobody looked at: ask ok(), then pass "
                                 "value(); see docs/errors.md");
  else
    static_assert(RandomSource<Source>, "neuromorph: Source lacks 'std::uint32_t next()'; see docs/random.md");
  return true;
}

} // namespace detail

/// Name of a stream. Every value of every member is legal.
///
/// Streams whose names differ in anything, be it one bit, are unrelated. The name goes through Philox4x32-10
/// (philox.hpp), with the seed as key and core and population in the counter, to become a start state.
/// * One seed: Philox is a bijection for each key, so different (core, population) always give different
///   128-bit words. Streams of `Philox` itself never share a counter and so never overlap.
/// * Other generators: start states are spread over all that the generator can be in, as if at random. Of a
///   million streams of 2^32 values each, two overlap with a chance below 2^-54.
struct StreamId {
  std::uint64_t seed = 0;       ///< of the experiment
  std::uint32_t core = 0;       ///< of the machine; leave 0 where results must not depend on the placement
  std::uint32_t population = 0; ///< of the network, or any other use of random numbers
  friend constexpr bool operator==(const StreamId&, const StreamId&) noexcept = default;
};

/// A source that can be started on a named stream, by a constructor from StreamId.
template <class Source>
concept SeedableSource = RandomSource<Source> && std::constructible_from<Source, StreamId>;

/// The source at the start of a stream.
template <class Source>
[[nodiscard]] constexpr Source seeded(StreamId stream) noexcept {
  static_assert(SeedableSource<Source>, "neuromorph: Source lacks 'std::uint32_t next()' or a constructor "
                                        "'Source(StreamId)'; see docs/random.md");
  return Source(stream);
}

namespace offer {
/// `void fill(std::span<std::uint32_t> words)`, of a source: writes what as many calls of `next()` would return, perhaps
/// with the backend as a template argument.
struct Fill {
  int fill;
  template <class Part>
  static auto find() -> decltype(&Part::fill);
};
/// `draw_inside(loop)`, of a source: for a backend that draws in a loop of its own.
struct DrawInside {
  int draw_inside;
  template <class Part>
  static auto find() -> decltype(&Part::draw_inside);
};
} // namespace offer

/// Base of a source: from its `next()` makes blocks, and what the standard's distributions ask for
/// (std::uniform_random_bit_generator). Has no state.
///
///     struct Mine : UniformBits<Mine> { constexpr std::uint32_t next() noexcept; };
template <class Source>
struct UniformBits {
  using Offers = offer::List<offer::Fill>;
  using result_type = std::uint32_t;

  // In brackets because vendor headers define macros of these names.
  [[nodiscard]] static constexpr std::uint32_t(min)() noexcept { return 0; }
  [[nodiscard]] static constexpr std::uint32_t(max)() noexcept { return 0xFFFF'FFFFU; }

  constexpr std::uint32_t operator()() noexcept { return static_cast<Source&>(*this).next(); }

  /// Writes what as many calls of `next()` would return, in order.
  constexpr void fill(std::span<std::uint32_t> words) noexcept {
    // The copy stays in registers; the source itself could alias the words.
    Source source = static_cast<Source&>(*this);
    for (std::uint32_t& word : words) { word = source.next(); }
    static_cast<Source&>(*this) = source;
  }

  friend constexpr bool operator==(const UniformBits&, const UniformBits&) noexcept = default;
};

namespace detail {

template <class Source, class Target>
concept FillsWith = requires(Source& source, std::span<std::uint32_t> words) {
  source.template fill<Target>(words);
};
template <class Source>
concept Fills = requires(Source& source, std::span<std::uint32_t> words) {
  source.fill(words);
};

/// Says where a source of which blocks are drawn offers something else than it has.
template <class Source, class Target>
consteval bool offers_what_a_random_source_has() {
  static_assert(says_offers<Source>, "neuromorph: Source lacks 'using Offers', an offer::List of what it has of 'Fill' "
                                     "and 'DrawInside'; see docs/random.md");
  static_assert(is_said<Source, offer::Fill>(),
                "neuromorph: Source has 'fill', and its 'Offers' lacks 'offer::Fill'; see docs/random.md");
  static_assert(is_said<Source, offer::DrawInside>(),
                "neuromorph: Source has 'draw_inside', and its 'Offers' lacks 'offer::DrawInside'; see docs/random.md");
  static_assert(!offers<Source, offer::Fill> || FillsWith<Source, Target> || Fills<Source>,
                "neuromorph: Source offers 'Fill' and lacks 'void fill(std::span<std::uint32_t>)'; see docs/random.md");
  static_assert(!offers<Source, offer::DrawInside> || has_member<Source, offer::DrawInside>(),
                "neuromorph: Source offers 'DrawInside' and lacks 'draw_inside(loop)'; see docs/random.md");
  return true;
}

} // namespace detail

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
