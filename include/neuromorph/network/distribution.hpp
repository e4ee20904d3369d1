// SPDX-License-Identifier: BSL-1.0
/// \file
/// A number that is fixed or drawn, such as the weights or the delays of a projection.
///
///     network::normal(1.5, 0.75).redrawn(0.1, 10.0)
///
/// It is a distribution function and no generator: what is drawn is a table of whole units made of it (outcome_table.hpp).
// host-only
#ifndef NEUROMORPH_NETWORK_DISTRIBUTION_HPP
#define NEUROMORPH_NETWORK_DISTRIBUTION_HPP

#include <array>
#include <cstdint>
#include <limits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/network/detail/normal.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Of real numbers; a plain number is one that is always drawn.
class Distribution {
public:
  enum class Kind : std::uint8_t { fixed, uniform, normal, lognormal };
  enum class Cut : std::uint8_t { none, redrawn, clipped };

  constexpr Distribution(double fixed) noexcept : first_(fixed) {}
  constexpr Distribution(Kind kind, double first, double second) noexcept
      : kind_(kind), first_(first), second_(second) {}

  /// Drawn again until it is from lowest to highest, both included: the distribution given that it is.
  [[nodiscard]] constexpr Distribution redrawn(double lowest, double highest) const noexcept {
    return cut_off(Cut::redrawn, lowest, highest);
  }
  /// Below lowest it is lowest, above highest it is highest.
  [[nodiscard]] constexpr Distribution clipped(double lowest, double highest) const noexcept {
    return cut_off(Cut::clipped, lowest, highest);
  }

  [[nodiscard]] constexpr bool is_fixed() const noexcept { return kind_ == Kind::fixed; }
  /// \pre is_fixed()
  [[nodiscard]] constexpr double fixed() const noexcept { return first_; }

  /// All that makes it this one.
  [[nodiscard]] constexpr std::array<double, 6> numbers() const noexcept {
    return {static_cast<double>(kind_), first_, second_, static_cast<double>(cut_), lowest_, highest_};
  }

  /// What is wrong with it, if anything is; `name` is that of the parameter.
  /// \errors parameter_out_of_range: a member that is not finite, a deviation below 0, redrawn with a chance below 2^-20 to
  ///         be inside; parameters_contradict: an end above the other
  [[nodiscard]] constexpr Status check(const char* name) const noexcept {
    for (const double one : {first_, second_})
      if (!neuromorph::detail::is_finite(one)) return {Error::parameter_out_of_range, 0, one, name};
    if (kind_ == Kind::uniform && first_ > second_) return {Error::parameters_contradict, 0, second_, name};
    if ((kind_ == Kind::normal || kind_ == Kind::lognormal) && second_ < 0.0)
      return {Error::parameter_out_of_range, 0, second_, name};
    if (kind_ == Kind::lognormal && (first_ > 300.0 || first_ < -300.0 || second_ > 40.0))
      return {Error::parameter_out_of_range, 0, first_, name};
    if (cut_ == Cut::none) return {};
    if (!(lowest_ <= highest_)) return {Error::parameters_contradict, 0, highest_, name};
    if (cut_ == Cut::redrawn) {
      if (kind_ == Kind::fixed && (first_ < lowest_ || first_ > highest_))
        return {Error::parameters_contradict, 0, first_, name};
      if (kind_ != Kind::fixed && !(inside() > 0x1p-20)) return {Error::parameter_out_of_range, 0, lowest_, name};
    }
    return {};
  }

  /// The chance to be below x.
  /// \pre check() found nothing
  [[nodiscard]] constexpr double below(double x) const noexcept {
    switch (cut_) {
    case Cut::none: return uncut_below(x);
    case Cut::redrawn: {
      if (kind_ == Kind::fixed) return uncut_below(x);
      if (x <= lowest_) return 0.0;
      if (x > highest_) return 1.0;
      return (uncut_below(x) - uncut_below(lowest_)) / inside();
    }
    case Cut::clipped: return x <= lowest_ ? 0.0 : x > highest_ ? 1.0 : uncut_below(x);
    }
    return 1.0;
  }
  /// Both ends of what there is; infinite where it has none.
  [[nodiscard]] constexpr double lowest() const noexcept {
    const double uncut = kind_ == Kind::normal ? -infinity : kind_ == Kind::lognormal ? 0.0 : first_;
    return cut_ == Cut::none || (cut_ == Cut::redrawn && uncut > lowest_) ? uncut : held(uncut);
  }
  [[nodiscard]] constexpr double highest() const noexcept {
    const double uncut = kind_ == Kind::fixed ? first_ : kind_ == Kind::uniform ? second_ : infinity;
    return cut_ == Cut::none || (cut_ == Cut::redrawn && uncut < highest_) ? uncut : held(uncut);
  }

  friend constexpr bool operator==(const Distribution&, const Distribution&) noexcept = default;

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  [[nodiscard]] constexpr Distribution cut_off(Cut cut, double lowest, double highest) const noexcept {
    Distribution result = *this;
    result.cut_ = cut, result.lowest_ = lowest, result.highest_ = highest;
    return result;
  }
  [[nodiscard]] constexpr double held(double value) const noexcept {
    return value < lowest_ ? lowest_ : value > highest_ ? highest_ : value;
  }
  [[nodiscard]] constexpr double inside() const noexcept { return uncut_below(highest_) - uncut_below(lowest_); }
  [[nodiscard]] constexpr double uncut_below(double x) const noexcept {
    switch (kind_) {
    case Kind::fixed: {
      const double only = cut_ == Cut::clipped ? held(first_) : first_;
      return x > only ? 1.0 : 0.0;
    }
    case Kind::uniform: return x <= first_ ? 0.0 : x > second_ ? 1.0 : (x - first_) / (second_ - first_);
    case Kind::normal:
      if (second_ == 0.0) return x > first_ ? 1.0 : 0.0;
      return detail::normal_below((x - first_) / second_);
    case Kind::lognormal:
      if (x < 1e-300) return 0.0;
      if (x > 1e300) return 1.0;
      if (second_ == 0.0) return detail::log_of(x) > first_ ? 1.0 : 0.0;
      return detail::normal_below((detail::log_of(x) - first_) / second_);
    }
    return 1.0;
  }

  Kind kind_ = Kind::fixed;
  Cut cut_ = Cut::none;
  double first_, second_ = 0.0;
  double lowest_ = 0.0, highest_ = 0.0;
};

/// Any number from low to high, all alike.
[[nodiscard]] constexpr Distribution uniform(double low, double high) noexcept {
  return {Distribution::Kind::uniform, low, high};
}
[[nodiscard]] constexpr Distribution normal(double mean, double deviation) noexcept {
  return {Distribution::Kind::normal, mean, deviation};
}
/// \param mu, sigma  mean and deviation of the logarithm
[[nodiscard]] constexpr Distribution lognormal(double mu, double sigma) noexcept {
  return {Distribution::Kind::lognormal, mu, sigma};
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
