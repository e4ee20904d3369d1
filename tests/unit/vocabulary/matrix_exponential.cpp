// SPDX-License-Identifier: BSL-1.0
// Exponentials of matrices against numbers with 512 bits behind the point: closed forms, and the series itself.
#include <neuromorph/detail/matrix_exponential.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>

#include <neuromorph/digest.hpp>

#include "tests/support/big_fixed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

namespace {

using neuromorph::detail::log_of_one_and;
using neuromorph::detail::matrix_exponential;
using neuromorph::detail::SoftFloat;
using neuromorph::detail::SoftMatrix;

/// A number of 512 bits behind the point, with a sign.
struct Big {
  BigFixed magnitude{};
  bool is_negative = false;

  static Big of(double value) { return {BigFixed::from_double(std::fabs(value)), value < 0}; }
  static Big of(const SoftFloat& value) {
    const double high = std::ldexp(static_cast<double>(value.mantissa >> 32), value.exponent + 32);
    const double low = std::ldexp(static_cast<double>(value.mantissa & 0xFFFF'FFFFU), value.exponent);
    const BigFixed none;
    return {(high > 0 ? BigFixed::from_double(high) : none) + (low > 0 ? BigFixed::from_double(low) : none),
            value.is_negative};
  }
  friend Big operator+(const Big& a, const Big& b) {
    if (a.is_negative == b.is_negative) return {a.magnitude + b.magnitude, a.is_negative};
    if (a.magnitude < b.magnitude) return {b.magnitude - a.magnitude, b.is_negative};
    return {a.magnitude - b.magnitude, a.is_negative};
  }
  friend Big operator-(const Big& a, const Big& b) { return a + Big{b.magnitude, !b.is_negative}; }
  friend Big operator*(const Big& a, const Big& b) {
    return {a.magnitude * b.magnitude, a.is_negative != b.is_negative};
  }
  [[nodiscard]] double size() const { return magnitude.to_double(); }
};

template <std::size_t Rows>
using BigMatrix = std::array<std::array<Big, Rows>, Rows>;
template <std::size_t Rows>
using Matrix = std::array<std::array<double, Rows>, Rows>;

template <std::size_t Rows>
BigMatrix<Rows> product(const BigMatrix<Rows>& a, const BigMatrix<Rows>& b) {
  BigMatrix<Rows> result{};
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t k = 0; k < Rows; ++k)
      for (std::size_t j = 0; j < Rows; ++j) result[i][j] = result[i][j] + a[i][k] * b[k][j];
  return result;
}

/// The series of a / 2^s, squared s times.
template <std::size_t Rows>
BigMatrix<Rows> reference(const Matrix<Rows>& a) {
  double norm = 0;
  for (const auto& row : a) {
    double sum = 0;
    for (const double entry : row) sum += std::fabs(entry);
    norm = std::fmax(norm, sum);
  }
  int squarings = 0;
  for (; norm > 0x1p-8; norm /= 2) ++squarings;
  BigMatrix<Rows> scaled{}, term{}, sum{};
  for (std::size_t i = 0; i < Rows; ++i) {
    for (std::size_t j = 0; j < Rows; ++j) {
      scaled[i][j] = Big::of(a[i][j]);
      for (int s = 0; s < squarings; ++s) scaled[i][j].magnitude = scaled[i][j].magnitude / 2;
    }
    term[i][i] = sum[i][i] = Big::of(1.0);
  }
  for (std::uint32_t k = 1; k < 26; ++k) { // 2^-(8 * 26) / 26!: below 2^-290
    term = product(term, scaled);
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t j = 0; j < Rows; ++j) {
        term[i][j].magnitude = term[i][j].magnitude / k;
        sum[i][j] = sum[i][j] + term[i][j];
      }
  }
  for (int s = 0; s < squarings; ++s) sum = product(sum, sum);
  return sum;
}

template <std::size_t Rows>
SoftMatrix<Rows> soft(const Matrix<Rows>& a) {
  SoftMatrix<Rows> result{};
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Rows; ++j) result[i][j] = a[i][j];
  return result;
}

/// Of an entry, over the largest in the result and 1, where entries go times 2^(bits[j] - bits[i]) first.
template <std::size_t Rows>
double worst_error(const Matrix<Rows>& a, const std::array<int, Rows>& bits = {}) {
  const auto exact = reference(a);
  Matrix<Rows> given = a;
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Rows; ++j) given[i][j] = std::ldexp(a[i][j], bits[j] - bits[i]);
  const auto made = matrix_exponential(soft(given));
  double largest = 1, worst = 0;
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < Rows; ++j) {
      largest = std::fmax(largest, exact[i][j].size());
      worst = std::fmax(worst, (Big::of(made[i][j].scaled(bits[i] - bits[j])) - exact[i][j]).size());
    }
  return worst / largest;
}

struct Draw {
  std::mt19937 random;
  explicit Draw(std::uint32_t seed) : random(seed) {}
  double between(double low, double high) { return low + (high - low) * (static_cast<double>(random()) * 0x1p-32); }
  /// Evenly in its logarithm.
  double time_constant(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
  double rate() { return 1.0 / time_constant(0.1, 1e6); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random()); }
  bool coin() { return word() % 2 == 0; }
};

double bits_of(double error) { return error > 0 ? std::log2(error) : -1074; }

constexpr SoftMatrix<3> an_alpha_synapse() {
  SoftMatrix<3> a{};
  a[0][0] = -0.005, a[0][1] = 0.4, a[1][1] = -0.02, a[1][2] = 0.02, a[2][2] = -0.02;
  return matrix_exponential(a);
}

} // namespace

TEST_CASE("soft float: exact in what a double can say, and as close as it says elsewhere") {
  for (const std::uint32_t seed : Seeds(5)) {
    CAPTURE(seed);
    Draw draw(seed);
    for (int round = 0; round < 400; ++round) {
      const double first = draw.between(-1, 1), a = std::ldexp(first, static_cast<int>(draw.word() % 60) - 30),
                   second = draw.between(-1, 1);
      const double b = draw.word() % 8 == 0 ? -a * (1 + std::ldexp(second, -30))
                                            : std::ldexp(second, static_cast<int>(draw.word() % 60) - 30);
      CAPTURE(a, b);
      const SoftFloat x = a, y = b;
      const auto off = [](const SoftFloat& made, const Big& exact) { return (Big::of(made) - exact).size(); };
      const double larger = std::fmax(std::fabs(a), std::fabs(b));
      REQUIRE(off(x, Big::of(a)) == 0);
      REQUIRE(off(x + y, Big::of(a) + Big::of(b)) < larger * 0x1p-62);
      REQUIRE(off(x - y, Big::of(a) - Big::of(b)) < larger * 0x1p-62);
      REQUIRE(off(x * y, Big::of(a) * Big::of(b)) < std::fabs(a * b) * 0x1p-62);
      const std::uint32_t whole = 1 + (draw.word() >> (1 + draw.word() % 31));
      REQUIRE(off(SoftFloat::divided(x, whole) * SoftFloat{static_cast<double>(whole)}, Big::of(a)) <
              std::fabs(a) * 0x1p-61);
      REQUIRE(off(x / y * y, Big::of(a)) < std::fabs(a) * 0x1p-61);
      const int fraction = static_cast<int>(draw.word() % 30);
      const double scaled = std::ldexp(a, fraction);
      REQUIRE(x.to_double() == a);
      REQUIRE(std::fabs((x * y).to_double() - a * b) <= std::fabs(a * b) * 0x1p-51);
      if (std::fabs(scaled) < 0x1p50) REQUIRE(x.to_fixed(fraction) == std::llround(scaled));
      const auto bits = static_cast<std::int64_t>((std::uint64_t{draw.word()} << 32 | draw.word()) >> draw.word() % 64);
      REQUIRE(SoftFloat::from(bits, -3).scaled(3).to_fixed(0) ==
              (bits >= std::int64_t{1} << 62 || bits <= -(std::int64_t{1} << 62) ? (bits < 0 ? -INT64_MAX : INT64_MAX)
                                                                                 : bits));
    }
  }
  REQUIRE(SoftFloat{0.0}.is_zero());
  REQUIRE((SoftFloat{3.0} - SoftFloat{3.0}).is_zero());
  REQUIRE(SoftFloat{0.0}.to_double() == 0.0);
  REQUIRE((SoftFloat{0x1p-600} * SoftFloat{0x1p-600}).to_double() == 0.0);
  REQUIRE((SoftFloat{-0x1p600} * SoftFloat{0x1p600}).to_double() == -0x1p1023);
  REQUIRE(SoftFloat{0x1p62}.to_fixed(0) == INT64_MAX);
  REQUIRE(SoftFloat{-0x1p100}.to_fixed(0) == -INT64_MAX);
  REQUIRE(SoftFloat{0.5}.to_fixed(0) == 1);
  REQUIRE(SoftFloat{-0.5}.to_fixed(0) == -1);
  REQUIRE(SoftFloat{0.49999999}.to_fixed(0) == 0);
  REQUIRE(SoftFloat{0x1p-70}.to_fixed(0) == 0);
}

TEST_CASE("soft float: logarithms of one and a little, and of 2^40") {
  for (const std::uint32_t seed : Seeds(3)) {
    CAPTURE(seed);
    Draw draw(seed);
    for (int round = 0; round < 1000; ++round) {
      const double share = draw.between(0, 1), u = std::ldexp(share, static_cast<int>(draw.word() % 80) - 40);
      CAPTURE(u);
      const long double exact = std::log1p(static_cast<long double>(u));
      const auto value = [](const SoftFloat& x) {
        return std::ldexp(static_cast<long double>(x.mantissa), x.exponent);
      };
      REQUIRE(std::fabs(value(log_of_one_and(u, false)) - exact) <= exact * 0x1p-55L);
      if (u > 0) REQUIRE(std::fabs(value(log_of_one_and(u, true)) - exact / u) <= exact / u * 0x1p-55L);
    }
  }
  REQUIRE(log_of_one_and(0.0, true).to_fixed(32) == std::int64_t{1} << 32);
}

TEST_CASE("matrix exponential: one time constant is that of the closed form") {
  double worst = 0;
  for (const std::uint32_t seed : Seeds(200)) {
    CAPTURE(seed);
    Draw draw(seed);
    const double rate = seed % 3 == 0 ? std::ldexp(1.0, -static_cast<int>(seed % 23)) : draw.rate();
    const double b = draw.between(-4, 4);
    const auto made = matrix_exponential(soft(Matrix<2>{{{-rate, b}, {0, 0}}}));
    const Big kept{BigFixed::exponential_of_minus(BigFixed::from_double(rate)), false};
    worst = std::fmax(worst, (Big::of(made[0][0]) - kept).size());
    // phi1(-rate) b, times the rate
    worst = std::fmax(worst, (Big::of(made[0][1]) * Big::of(rate) - (Big::of(1.0) - kept) * Big::of(b)).size());
    REQUIRE(made[1][0].is_zero());
    REQUIRE(made[1][1].to_fixed(60) == std::int64_t{1} << 60);
  }
  std::printf("matrix exponential, one time constant: worst error 2^%.1f\n", bits_of(worst));
  REQUIRE(worst < 0x1p-50);
}

TEST_CASE("matrix exponential: defective matrices are those of the closed form") {
  // lambda on the diagonal, c above it: entry (i, i + k) is e^lambda c^k / k!, however large c is.
  double worst = 0;
  for (const std::uint32_t seed : Seeds(100)) {
    CAPTURE(seed);
    Draw draw(seed);
    const double rate = draw.rate(), c = draw.time_constant(1e-9, 1e9);
    Matrix<5> a{};
    for (std::size_t i = 0; i < 5; ++i) {
      a[i][i] = -rate;
      if (i + 1 < 5) a[i][i + 1] = c;
    }
    const auto made = matrix_exponential(soft(a));
    const Big kept{BigFixed::exponential_of_minus(BigFixed::from_double(rate)), false};
    for (std::size_t i = 0; i < 5; ++i) {
      Big entry = kept;
      for (std::size_t j = i; j < 5; ++j) {
        CAPTURE(rate, c, i, j);
        // in units that make the coupling 1 where it is more
        const double unit = std::pow(std::fmax(c, 1), static_cast<double>(j - i));
        worst = std::fmax(worst, (Big::of(made[i][j]) - entry).size() / unit);
        entry = entry * Big::of(c);
        entry.magnitude = entry.magnitude / static_cast<std::uint32_t>(j - i + 1);
      }
      for (std::size_t j = 0; j < i; ++j) REQUIRE(made[i][j].is_zero());
    }
  }
  std::printf("matrix exponential, Jordan blocks: worst error 2^%.1f\n", bits_of(worst));
  REQUIRE(worst < 0x1p-50);
}

TEST_CASE("matrix exponential: systems of neurons, in units far apart") {
  double worst = 0, worst_of_dense = 0;
  for (const std::uint32_t seed : Seeds(400)) {
    CAPTURE(seed);
    Draw draw(seed);
    Matrix<5> a{};
    const unsigned kind = seed % 4;
    if (kind == 0) { // compartments: what one loses another gains, and a leak
      for (std::size_t i = 0; i < 4; ++i) {
        a[i][i] -= draw.rate();
        for (std::size_t j = 0; j < i; ++j) {
          const double g = draw.rate(), ratio = draw.time_constant(0.1, 10);
          a[i][j] += g, a[i][i] -= g, a[j][i] += g * ratio, a[j][j] -= g * ratio;
        }
      }
    } else if (kind == 1) { // a chain with time constants that are equal or next to it
      const double rate = draw.rate();
      for (std::size_t i = 0; i < 4; ++i) {
        a[i][i] = -rate * (1 + (draw.coin() ? 0 : std::ldexp(1.0, -static_cast<int>(draw.word() % 52))));
        if (i + 1 < 4) a[i][i + 1] = draw.rate();
      }
    } else if (kind == 2) { // singular: rows are multiples of one another
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
          a[i][j] = i == 0 ? -draw.between(0, 1) : a[0][j] * std::ldexp(1.0, -static_cast<int>(i));
    } else { // rotations and decay
      for (std::size_t i = 0; i < 4; ++i) {
        a[i][i] = -draw.rate();
        for (std::size_t j = 0; j < i; ++j) a[i][j] = draw.between(-4, 4), a[j][i] = -a[i][j];
      }
    }
    for (std::size_t i = 0; i < 4; ++i) a[i][4] = draw.between(-1, 1); // Saad's column
    std::array<int, 5> bits{};
    for (int& bit : bits) bit = static_cast<int>(draw.word() % 61) - 30;
    const double error = worst_error(a, bits);
    (kind == 3 ? worst_of_dense : worst) = std::fmax(kind == 3 ? worst_of_dense : worst, error);
    CAPTURE(kind);
    REQUIRE(error < 0x1p-50);
  }
  std::printf("matrix exponential, compartments, chains and singular systems: worst error 2^%.1f; rotations 2^%.1f\n",
              bits_of(worst), bits_of(worst_of_dense));
}

TEST_CASE("matrix exponential: the same bits at compile time, and everywhere") {
  constexpr auto at_compile_time = an_alpha_synapse();
  const auto made = an_alpha_synapse();
  neuromorph::Digest digest;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      REQUIRE(made[i][j].mantissa == at_compile_time[i][j].mantissa);
      REQUIRE(made[i][j].exponent == at_compile_time[i][j].exponent);
      digest.add(static_cast<std::uint32_t>(made[i][j].mantissa >> 32));
      digest.add(static_cast<std::uint32_t>(made[i][j].mantissa));
    }
  REQUIRE(digest.value() == 8896040744742468759U);
  // Alpha: t/tau e^(1 - t/tau) over the peak: the entry is 0.02 e^-0.02.
  static_assert(at_compile_time[1][2].to_fixed(40) == 21'554'796'777); // mpmath, 15 digits
}
