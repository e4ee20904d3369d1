// SPDX-License-Identifier: BSL-1.0
/// \file
/// Distributions of small whole numbers as cumulative tables: Poisson, binomial, hypergeometric, weights of one's own.
///
/// A description such as `Poisson(1.6)` is a value that can be a template argument; its `cumulative()` is computed in
/// integers, at compile time or while loading. The samplers are word_table.hpp, byte_table.hpp and pair_table.hpp; see
/// docs/sources.md.
#ifndef NEUROMORPH_KERNELS_RANDOM_DISTRIBUTION_HPP
#define NEUROMORPH_KERNELS_RANDOM_DISTRIBUTION_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/detail/wide_real.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Cumulative probabilities of the outcomes 0 to outcomes - 1, in units of 2^-64.
///
/// Outcome k has the probability (bounds[k] - bounds[k - 1]) / 2^64, with 0 before the first and 2^64 after the last
/// bound: the sum is 1 without an error. Outcomes after the last have all together less than 2^-65.
struct Cumulative {
  static constexpr std::size_t most_outcomes = 256;

  std::array<std::uint64_t, most_outcomes - 1> bounds{}; ///< [outcomes - 1] P(value <= k) * 2^64, not descending
  std::uint32_t outcomes = 1;                            ///< 1..256

  /// Whether an outcome has the probability 1, so that its mass, 2^64, is given as 0.
  [[nodiscard]] constexpr bool is_sure(std::size_t outcome) const noexcept {
    return outcome + 1 == outcomes && (outcome == 0 || bounds[outcome - 1] == 0);
  }

  /// The probability of an outcome times 2^64, modulo 2^64.
  [[nodiscard]] constexpr std::uint64_t mass(std::size_t outcome) const noexcept {
    if (outcome >= outcomes) return 0;
    const std::uint64_t above = outcome + 1 < outcomes ? bounds[outcome] : 0;
    return above - (outcome == 0 ? 0 : bounds[outcome - 1]);
  }

  /// The probability of an outcome in 2^-Bits, rounded down: how many of 2^Bits equal cells are its alone.
  template <unsigned Bits>
  [[nodiscard]] constexpr std::uint32_t whole_cells(std::size_t outcome) const noexcept {
    static_assert(Bits > 0 && Bits < 32);
    return is_sure(outcome) ? 1U << Bits : static_cast<std::uint32_t>(mass(outcome) >> (64 - Bits));
  }
};

/// Sums relative weights of the outcomes 0, 1, 2, ... and divides by the sum.
class CumulativeSum {
public:
  /// \errors buffer_full: more than 256 outcomes
  constexpr Status add(const detail::WideReal& weight) noexcept {
    if (count_ == Cumulative::most_outcomes)
      return {Error::buffer_full, static_cast<std::uint32_t>(count_), static_cast<std::int64_t>(count_)};
    total_ = total_ + weight;
    running_[count_++] = total_;
    return {};
  }

  /// Whether a weight is below 2^-79 of the sum. The weights of all distributions here rise to one maximum and fall
  /// ever faster. So one that is negligible is past the maximum, and those after it add up to less than 2^-76.
  [[nodiscard]] constexpr bool is_negligible(const detail::WideReal& weight) const noexcept {
    return !total_.is_zero() && (weight.is_zero() || weight.exponent() < total_.exponent() - 80);
  }

  /// \errors parameter_not_positive: the sum is 0
  [[nodiscard]] constexpr Result<Cumulative> result() const noexcept {
    if (total_.is_zero()) return Status{Error::parameter_not_positive, 0, 0, "weights"};
    const detail::WideReal scale = total_.reciprocal();
    Cumulative made;
    for (std::size_t k = 0; k + 1 < count_; ++k) {
      const auto bound = (running_[k] * scale).fraction();
      if (bound.whole) break;
      made.bounds[k] = bound.bits;
      made.outcomes = static_cast<std::uint32_t>(k + 2);
    }
    return made;
  }

private:
  std::array<detail::WideReal, Cumulative::most_outcomes> running_{};
  detail::WideReal total_;
  std::size_t count_ = 0;
};

namespace offer {
/// `template <Error> static consteval void refuse()`, of a description of a distribution: a `static_assert` that says what
/// is wrong with it.
struct Refuse {
  int refuse;
  template <class Part>
  static auto find() -> decltype(&Part::refuse);
};
} // namespace offer

/// A description of a distribution: anything with `Result<Cumulative> cumulative() const`.
template <class Description>
concept DiscreteDistribution = requires(const Description& description) {
  { description.cumulative() } -> std::same_as<Result<Cumulative>>;
};

namespace detail {

/// Bits of a double with the sign of zero removed; negative numbers, infinities and NaN are above `infinity_bits`.
inline constexpr std::uint64_t infinity_bits = 0x7FF0'0000'0000'0000U;
[[nodiscard]] constexpr std::uint64_t ordered_bits(double value) noexcept {
  const auto bits = bits_of(value);
  return bits << 1 == 0 ? 0 : bits;
}

[[nodiscard]] constexpr Status refuse_double(Error error, std::uint32_t where, std::uint64_t bits,
                                             const char* name) noexcept {
  return {error, where, std::bit_cast<double>(bits), name};
}

} // namespace detail

/// How many events happen in a step when `rate` are expected. The double is taken exactly, by its bits.
///
/// \errors rate not in (0, 64]: parameter_out_of_range
struct Poisson {
  using Offers = offer::List<offer::Refuse>;
  static constexpr double highest_rate = 64;
  std::uint64_t rate_bits; ///< of the double; a double itself cannot be a template argument with every compiler

  explicit constexpr Poisson(double rate) noexcept : rate_bits{detail::ordered_bits(rate)} {}

  [[nodiscard]] constexpr Result<Cumulative> cumulative() const noexcept { return cumulative_from(0); }

  template <Error error>
  static consteval void refuse() {
    static_assert(error == Error::none,
                  "neuromorph: the rate of a Poisson distribution is not above 0 and at most 64 events per "
                  "step; see docs/sources.md");
  }

protected:
  /// Outcomes below `first` (0 or 1) are left out.
  [[nodiscard]] constexpr Result<Cumulative> cumulative_from(std::uint32_t first) const noexcept {
    if (rate_bits == 0 || rate_bits > detail::bits_of(highest_rate))
      return detail::refuse_double(Error::parameter_out_of_range, 0, rate_bits, "rate");
    // Relative to outcome `first`: rate^(k - first) * first! / k!. At 64 about 170 terms.
    const auto rate = detail::WideReal::from_bits_of_double(rate_bits);
    CumulativeSum sum;
    for (std::uint32_t k = 0; k < first; ++k) static_cast<void>(sum.add({}));
    auto weight = detail::WideReal::from(1);
    for (std::uint32_t k = first; !sum.is_negligible(weight); ++k) {
      if (const Status status = sum.add(weight); !status.ok()) return status;
      weight = weight * rate / (k + 1);
    }
    return sum.result();
  }
};

/// How many events happen in a step in which there is at least one: Poisson without the outcome 0.
///
/// \errors as Poisson
struct PositivePoisson : Poisson {
  using Poisson::Poisson;
  [[nodiscard]] constexpr Result<Cumulative> cumulative() const noexcept { return cumulative_from(1); }
};

/// How many of `trials` independent trials succeed, each with the given probability, taken exactly by its bits.
///
/// \errors probability not in 0..1: parameter_out_of_range;
///         outcomes above 255 have 2^-80 or more: buffer_full
struct Binomial {
  using Offers = offer::List<offer::Refuse>;
  std::uint32_t trials;
  std::uint64_t probability_bits;

  constexpr Binomial(std::uint32_t of_trials, double probability) noexcept
      : trials{of_trials}, probability_bits{detail::ordered_bits(probability)} {}

  [[nodiscard]] constexpr Result<Cumulative> cumulative() const noexcept {
    constexpr auto one = detail::bits_of(1.0);
    if (probability_bits > one)
      return detail::refuse_double(Error::parameter_out_of_range, 0, probability_bits, "probability");
    const bool all = probability_bits == one;
    const auto chance = detail::WideReal::from_bits_of_double(probability_bits);
    const auto odds = all ? chance : chance * chance.complement().reciprocal();
    CumulativeSum sum;
    auto weight = detail::WideReal::from(1);
    for (std::uint32_t k = 0; k <= trials; ++k) {
      if (const Status status = sum.add(all && k != trials ? detail::WideReal{} : weight); !status.ok()) return status;
      if (all) continue;
      weight = weight * (trials - k) * odds / (k + 1);
      if (sum.is_negligible(weight)) break;
    }
    return sum.result();
  }

  template <Error error>
  static consteval void refuse() {
    static_assert(error != Error::parameter_out_of_range,
                  "neuromorph: the probability of a binomial distribution is not in 0 to 1; see docs/sources.md");
    static_assert(error != Error::buffer_full,
                  "neuromorph: a table holds the outcomes 0 to 255, this distribution reaches further; see "
                  "docs/sources.md");
  }
};

/// How many of `drawn` items are marked, taken without putting back from `total` of which `marked` are.
///
/// \errors marked > total, drawn > total: parameter_out_of_range;
///         outcomes above 255 have 2^-80 or more: buffer_full
struct Hypergeometric {
  using Offers = offer::List<offer::Refuse>;
  std::uint32_t total;
  std::uint32_t marked;
  std::uint32_t drawn;

  [[nodiscard]] constexpr Result<Cumulative> cumulative() const noexcept {
    if (marked > total) return Status{Error::parameter_out_of_range, 0, marked, "marked"};
    if (drawn > total) return Status{Error::parameter_out_of_range, 0, drawn, "drawn"};
    const std::uint32_t plain = total - marked;
    const std::uint32_t first = drawn > plain ? drawn - plain : 0;
    const std::uint32_t last = marked < drawn ? marked : drawn;
    CumulativeSum sum;
    auto weight = detail::WideReal::from(1);
    for (std::uint32_t k = 0; k <= last; ++k) {
      if (const Status status = sum.add(k < first ? detail::WideReal{} : weight); !status.ok()) return status;
      if (k < first || k == last) continue;
      weight = weight * (marked - k) * (drawn - k) / (k + 1) / (plain - drawn + k + 1);
      if (sum.is_negligible(weight)) break;
    }
    return sum.result();
  }

  template <Error error>
  static consteval void refuse() {
    static_assert(error != Error::parameter_out_of_range,
                  "neuromorph: a hypergeometric distribution marks or draws more items than there are; see "
                  "docs/sources.md");
    static_assert(error != Error::buffer_full,
                  "neuromorph: a table holds the outcomes 0 to 255, this distribution reaches further; see "
                  "docs/sources.md");
  }
};

/// Outcome k has the k-th weight, divided by the sum of all. The doubles are taken exactly, by their bits.
///
///     constexpr auto& dice = word_table<Weights({0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0})>;
///
/// \errors a weight is negative, infinite or no number: parameter_out_of_range, `where` its number, `value` its bits;
///         all are zero: parameter_not_positive. No weight or more than 256: compile time, "Weights wants 1 to 256"
template <std::size_t Count>
struct Weights {
  using Offers = offer::List<offer::Refuse>;
  static_assert(Count >= 1 && Count <= Cumulative::most_outcomes,
                "neuromorph: Weights wants 1 to 256 weights; see docs/sources.md");
  std::array<std::uint64_t, Count> weight_bits{};

  explicit constexpr Weights(const double (&weights)[Count]) noexcept {
    for (std::size_t k = 0; k < Count; ++k) weight_bits[k] = detail::ordered_bits(weights[k]);
  }
  explicit constexpr Weights(const std::array<double, Count>& weights) noexcept {
    for (std::size_t k = 0; k < Count; ++k) weight_bits[k] = detail::ordered_bits(weights[k]);
  }

  [[nodiscard]] constexpr Result<Cumulative> cumulative() const noexcept {
    CumulativeSum sum;
    for (std::size_t k = 0; k < Count; ++k) {
      if (weight_bits[k] >= detail::infinity_bits)
        return detail::refuse_double(Error::parameter_out_of_range, static_cast<std::uint32_t>(k), weight_bits[k],
                                     "weight");
      static_cast<void>(sum.add(detail::WideReal::from_bits_of_double(weight_bits[k])));
    }
    return sum.result();
  }

  template <Error error>
  static consteval void refuse() {
    static_assert(error != Error::parameter_out_of_range,
                  "neuromorph: a weight is negative, infinite or not a number; see docs/sources.md");
    static_assert(error != Error::parameter_not_positive, "neuromorph: all weights are zero; see docs/sources.md");
  }
};

namespace detail {

/// Says where a description offers something else than it has.
template <class Description>
consteval bool offers_what_a_description_has() {
  static_assert(says_offers<Description>, "neuromorph: a description lacks 'using Offers', 'offer::List<>' or "
                                          "'offer::List<offer::Refuse>'; see docs/sources.md");
  static_assert(is_said<Description, offer::Refuse>(),
                "neuromorph: a description has 'refuse', and its 'Offers' lacks 'offer::Refuse'; see docs/sources.md");
  static_assert(
      !offers<Description, offer::Refuse> || requires { &Description::template refuse<Error::none>; },
      "neuromorph: a description offers 'Refuse' and lacks 'template <Error> static consteval void refuse()'; see "
      "docs/sources.md");
  return true;
}

} // namespace detail

/// The cumulative table of a description that is known at compile time. A description that is wrong is answered by a
/// sentence: by its own `refuse` where it offers one.
template <auto description>
[[nodiscard]] consteval Cumulative cumulative_of() {
  using Description = std::remove_cvref_t<decltype(description)>;
  static_assert(DiscreteDistribution<Description>,
                "neuromorph: a description lacks 'Result<Cumulative> cumulative() const'; see docs/sources.md");
  constexpr Result<Cumulative> result = [] {
    if constexpr (DiscreteDistribution<Description>) {
      static_assert(detail::offers_what_a_description_has<Description>());
      return description.cumulative();
    } else
      return Result<Cumulative>(Cumulative());
  }();
  if constexpr (result.ok()) {
    return result.value();
  } else {
    constexpr Error why = result.status().error;
    // asked without an error, since Clang instantiates the function to answer
    if constexpr (detail::offers<Description, offer::Refuse>)
      Description::template refuse<why>();
    else
      static_assert(result.ok(), "neuromorph: this distribution cannot be tabulated; see docs/sources.md");
    return {}; // for all that follows, of which nothing more is said
  }
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
