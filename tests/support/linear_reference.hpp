// SPDX-License-Identifier: BSL-1.0
// Linear systems in long double, as one would write them down: the series of the exponential, and a step.
#ifndef TESTS_SUPPORT_LINEAR_REFERENCE_HPP
#define TESTS_SUPPORT_LINEAR_REFERENCE_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

namespace reference {

template <std::size_t Rows>
using Matrix = std::array<std::array<long double, Rows>, Rows>;

template <std::size_t Rows>
Matrix<Rows> multiplied(const Matrix<Rows>& a, const Matrix<Rows>& b) {
  Matrix<Rows> result{};
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t k = 0; k < Rows; ++k)
      for (std::size_t j = 0; j < Rows; ++j) result[i][j] += a[i][k] * b[k][j];
  return result;
}
template <std::size_t Rows>
Matrix<Rows> exponential(Matrix<Rows> a) {
  long double norm = 0;
  for (const auto& row : a) {
    long double sum = 0;
    for (const long double entry : row) sum += std::fabs(entry);
    norm = std::fmax(norm, sum);
  }
  int squarings = 0;
  for (; norm > 0.125L; norm /= 2) ++squarings;
  for (auto& row : a)
    for (long double& entry : row) entry = std::ldexp(entry, -squarings);
  Matrix<Rows> result{};
  for (std::size_t i = 0; i < Rows; ++i) result[i][i] = 1;
  for (int k = 22; k >= 1; --k) {
    result = multiplied(a, result);
    for (std::size_t i = 0; i < Rows; ++i) {
      for (long double& entry : result[i]) entry /= k;
      result[i][i] += 1;
    }
  }
  for (int s = 0; s < squarings; ++s) result = multiplied(result, result);
  return result;
}

/// x' = A x: its state, a step at a time. Constants and currents are states of their own.
template <std::size_t Rows>
class System {
public:
  System(const Matrix<Rows>& per_ms, long double dt_ms) {
    Matrix<Rows> exponent = per_ms;
    for (auto& row : exponent)
      for (long double& entry : row) entry *= dt_ms;
    propagator_ = exponential(exponent);
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t j = 0; j < Rows; ++j)
        if (propagator_[i][j] != 0) entries_[count_++] = {i, j, propagator_[i][j]};
  }
  void step() {
    std::array<long double, Rows> after{};
    for (std::size_t k = 0; k < count_; ++k) after[entries_[k].row] += entries_[k].factor * x[entries_[k].column];
    x = after;
  }
  [[nodiscard]] const Matrix<Rows>& propagator() const { return propagator_; }

  std::array<long double, Rows> x{};

private:
  struct Entry {
    std::size_t row, column;
    long double factor;
  };

  Matrix<Rows> propagator_{};
  std::array<Entry, Rows * Rows> entries_{}; // those of the propagator that are not 0, most are
  std::size_t count_ = 0;
};

struct Draw {
  std::mt19937 random;
  explicit Draw(std::uint32_t seed) : random(seed) {}
  std::uint32_t word() { return static_cast<std::uint32_t>(random()); }
  double between(double low, double high) { return low + (high - low) * (static_cast<double>(word()) * 0x1p-32); }
  /// Evenly in its logarithm.
  double scale(double low, double high) { return low * std::pow(high / low, between(0, 1)); }
};

} // namespace reference

#endif
