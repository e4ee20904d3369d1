// SPDX-License-Identifier: BSL-1.0
/// \file
/// Discrete values, one per random word, by a search among 64-bit bounds: any distribution, small tables.
#ifndef NEUROMORPH_KERNELS_RANDOM_WORD_TABLE_HPP
#define NEUROMORPH_KERNELS_RANDOM_WORD_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/discrete_table.hpp>
#include <neuromorph/kernels/random/distribution.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace detail {

/// Where the search for a key begins, by its upper byte.
struct SearchGuide {
  std::array<std::uint8_t, 256> start{};
  friend constexpr bool operator==(const SearchGuide&, const SearchGuide&) noexcept = default;
};
struct NoSearchGuide {
  friend constexpr bool operator==(const NoSearchGuide&, const NoSearchGuide&) noexcept = default;
};

} // namespace detail

/// One value per random word, by a search among the bounds.
///
/// A fixed table has just as many outcomes as the distribution: `word_table<Poisson(1.6)>`. A table that is made while
/// loading has the given capacity: `WordTable<64>::from(Poisson(rate))`.
///
/// \tparam Outcomes  most outcomes, 1..256
/// \tparam Guided    whether 256 bytes say where the search begins; the values do not depend on it
/// \exact  each probability within 2^-64 of the distribution's; the values are the same on every target
/// \cost   8 bytes per outcome, 256 for the guide; 32 random bits per value, 64 with a chance below outcomes * 2^-32
/// \source D. R. Lester et al., Streamlining SpiNNaker, 2018, sections 1.3 and 1.4; differences: the bounds have 64
///         bits and ascend, the function returns k and not k - 1, ties are continued
template <std::size_t Outcomes, bool Guided = (Outcomes > 32)>
class WordTable {
public:
  static constexpr std::size_t block_values = discrete_block_words;

  /// Always 0.
  constexpr WordTable() noexcept = default;

  explicit constexpr WordTable(const Cumulative& distribution) noexcept {
    for (std::size_t k = 0; k + 1 < distribution.outcomes; ++k) bounds_.append(distribution.bounds[k]);
    if constexpr (Guided) {
      for (std::uint32_t cell = 0, at = 0; cell < 256; ++cell) {
        at = bounds_.position(cell << 24, at);
        guide_.start[cell] = static_cast<std::uint8_t>(at);
      }
    }
  }

  /// \errors as the description's; more outcomes than Outcomes: buffer_full, `value` their number
  template <DiscreteDistribution Description>
  [[nodiscard]] static constexpr Result<WordTable> from(const Description& description) noexcept {
    return detail::table_from<WordTable>(description, Outcomes, [](const Cumulative&) { return Status{}; });
  }

  [[nodiscard]] constexpr const Bounds<Outcomes>& bounds() const noexcept { return bounds_; }

  template <class Source>
  [[nodiscard]] constexpr std::uint32_t draw(Source& source) const noexcept {
    static_assert(detail::is_random_source<Source>());
    const std::uint32_t key = source.next();
    return bounds_.resolve(key, position(key), source);
  }

  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint8_t> values) const noexcept {
    fill_any<Target>(source, values);
  }
  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint32_t> values) const noexcept {
    fill_any<Target>(source, values);
  }

  friend constexpr bool operator==(const WordTable&, const WordTable&) noexcept = default;

private:
  [[nodiscard]] constexpr std::uint32_t position(std::uint32_t key) const noexcept {
    if constexpr (Guided) {
      return bounds_.position(key, guide_.start[key >> 24]);
    } else {
      return bounds_.position(key, 0);
    }
  }

  /// Refused in words: what is no source.
  template <class Target, class Source, class Element>
  constexpr void fill_any(Source&, std::span<Element>) const noexcept {
    static_assert(detail::is_random_source<Source>());
  }
  template <class Target, RandomSource Source, class Element>
  constexpr void fill_any(Source& source, std::span<Element> values) const noexcept {
    std::array<OpenValue, discrete_block_words> open; // NOLINT: written before it is read
    const auto resolve = [&](Element* to, std::size_t opened) {
      for (std::size_t i = 0; i < opened; ++i) {
        Element& value = to[open[i].position];
        value = static_cast<Element>(bounds_.resolve(open[i].key, value, source));
      }
    };
    constexpr bool is_callable = requires(detail::AnyDraws & any, std::uint8_t * bytes) {
      Target::word_blocks(any, bounds_.high.data(), values.size(), bytes, open.data());
    };
    constexpr bool draws = requires { // from this one
      Target::word_blocks(source, bounds_.high.data(), values.size(), values.data(), open.data());
    };
    if constexpr (detail::has_loop<Target, offer::WordBlocks, is_callable>() && !Guided && draws) {
      while (values.size() >= block_values && !std::is_constant_evaluated()) {
        const target::WordBlocks done =
            Target::word_blocks(source, bounds_.high.data(), values.size() / block_values, values.data(), open.data());
        resolve(values.data() + (done.blocks - 1) * block_values, done.opened);
        values = values.subspan(done.blocks * block_values);
      }
    }
    detail::fill_in_blocks<block_values>(values, [&](Element* to, std::size_t count) {
      detail::MainWords words; // NOLINT: written before it is read
      detail::draw_words<Target>(source, {words.data(), count});
      resolve(to, positions<Target>(words, count, to, open));
    });
  }

  template <class Target, class Element>
  constexpr std::size_t positions(const detail::MainWords& words, std::size_t count, Element* to,
                                  std::array<OpenValue, discrete_block_words>& open) const noexcept {
    constexpr bool is_callable = requires(std::uint8_t * bytes) {
      Target::word_positions(words.data(), count, bounds_.high.data(), bytes, open.data());
    };
    if constexpr (detail::has_loop<Target, offer::WordPositions, is_callable>() && !Guided &&
                  std::is_same_v<Element, std::uint8_t>) {
      if (!std::is_constant_evaluated())
        return Target::word_positions(words.data(), count, bounds_.high.data(), to, open.data());
    }
    std::size_t opened = 0;
    const auto note = [&](std::size_t i, std::uint32_t at) {
      to[i] = static_cast<Element>(at);
      if (bounds_.is_open(words[i], at)) open[opened++] = {static_cast<std::uint32_t>(i), words[i]};
    };
    if constexpr (!Guided && Target::Lanes::count > 1) {
      // Counting the bounds below all words of the block at once has no branches, and vectorises.
      std::array<std::uint32_t, discrete_block_words> below{};
      for (std::uint32_t k = 0; k < bounds_.last; ++k) {
        const std::uint32_t bound = bounds_.high[k];
        for (std::size_t i = 0; i < discrete_block_words; ++i) below[i] += bound < words[i] ? 1U : 0U;
      }
      for (std::size_t i = 0; i < count; ++i) note(i, below[i]);
    } else {
      for (std::size_t i = 0; i < count; ++i) note(i, position(words[i]));
    }
    return opened;
  }

  Bounds<Outcomes> bounds_;
  [[no_unique_address]] std::conditional_t<Guided, detail::SearchGuide, detail::NoSearchGuide> guide_;
};

/// The word table of a distribution that is known at compile time, once in a program however many sources use it:
/// `word_table<Poisson(1.6)>.fill(source, counts)`.
template <auto description>
inline constexpr auto word_table = WordTable<cumulative_of<description>().outcomes>(cumulative_of<description>());

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
