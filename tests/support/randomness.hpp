// SPDX-License-Identifier: BSL-1.0
// Statistical tests of random words for CI. Each takes a source by value and gives p-values: the chance that
// true randomness scores higher. `verdict` makes one number of them; small means broken, in either direction.
#ifndef NEUROMORPH_TESTS_SUPPORT_RANDOMNESS_HPP
#define NEUROMORPH_TESTS_SUPPORT_RANDOMNESS_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/offer.hpp>

namespace randomness {

// Gives the words it is told, then one and the same for ever, and counts. Has no `fill`.
template <std::uint32_t then = 0>
struct Scripted {
  using Offers = neuromorph::offer::List<>;
  std::vector<std::uint32_t> words;
  std::size_t drawn = 0;
  std::uint32_t next() { return drawn < words.size() ? words[drawn++] : (++drawn, then); }
};

// A source that counts.
template <class Source>
struct Counting {
  using Offers = neuromorph::offer::List<>;
  Source source{};
  std::uint64_t drawn = 0;
  std::uint32_t next() {
    ++drawn;
    return source.next();
  }
};

// Upper regularised incomplete gamma function Q(shape, x), to about 1e-13: the power series below the bend,
// the continued fraction, evaluated from the front, above it.
inline double upper_gamma(double shape, double x) {
  if (x <= 0) { return 1; }
  const double scale = std::exp(shape * std::log(x) - x - std::lgamma(shape));
  if (x < shape + 1) {
    double term = 1 / shape;
    double sum = term;
    for (double k = shape + 1; term > sum * 1e-17; ++k) { sum += term *= x / k; }
    return 1 - scale * sum;
  }
  // A_k / B_k with A_k = b_k A_(k-1) + a_k A_(k-2), kept as ratios of neighbours so that nothing overflows.
  double denominator = x + 1 - shape;
  double ratio_above = 1e300;
  double ratio_below = 1 / denominator;
  double fraction = ratio_below;
  for (int k = 1; k < 100'000; ++k) {
    const double a = k * (shape - k);
    denominator += 2;
    ratio_below = 1 / (a * ratio_below + denominator);
    ratio_above = denominator + a / ratio_above;
    const double change = ratio_above * ratio_below;
    fraction *= change;
    if (std::abs(change - 1) < 1e-15) { break; }
  }
  return scale * fraction;
}

inline double chi_square_p(double statistic, double degrees) { return upper_gamma(degrees / 2, statistic / 2); }
inline double normal_p(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }
// P(count or more) for a Poisson count.
inline double poisson_p(std::uint64_t count, double mean) {
  return count == 0 ? 1.0 : 1 - upper_gamma(static_cast<double>(count), mean);
}

using PValues = std::vector<double>;

// Two-sided, corrected for the number of values: the chance that at least one of them is as far out as the
// worst.
inline double verdict(const PValues& values) {
  double worst = 1;
  for (const double p : values) { worst = std::min(worst, 2 * std::min(p, 1 - p)); }
  return std::min(1.0, std::max(worst, 0.0) * static_cast<double>(values.size()));
}

inline double chi_square(const std::vector<std::uint64_t>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    const double difference = static_cast<double>(counts[cell]) - expected[cell];
    sum += difference * difference / expected[cell];
  }
  return chi_square_p(sum, static_cast<double>(counts.size() - 1));
}

// Outcomes in order; those that are expected less than `least` times are put together with their neighbours.
class Classes {
public:
  explicit Classes(double least = 10) : least_(least) {}
  void add(std::uint64_t found, double expected) {
    found_ += found;
    waiting_ += expected;
    if (waiting_ < least_) return;
    counts_.push_back(found_);
    expected_.push_back(waiting_);
    found_ = 0;
    waiting_ = 0;
  }
  std::size_t size() const { return counts_.size(); }
  // With what is left over in the last class.
  double chi_square() {
    counts_.back() += std::exchange(found_, 0);
    expected_.back() += std::exchange(waiting_, 0);
    return randomness::chi_square(counts_, expected_);
  }

private:
  double least_;
  std::vector<std::uint64_t> counts_;
  std::vector<double> expected_;
  std::uint64_t found_ = 0;
  double waiting_ = 0;
};

inline double chi_square_uniform(const std::vector<std::uint64_t>& counts) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) { total += count; }
  return chi_square(
      counts, std::vector<double>(counts.size(), static_cast<double>(total) / static_cast<double>(counts.size())));
}

// How often each of the four bytes has each value.
using ByteCounts = std::array<std::array<std::uint64_t, 256>, 4>;

template <class Source>
ByteCounts count_bytes(Source source, std::uint64_t words) {
  ByteCounts counts{};
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint32_t word = source.next();
    ++counts[0][word & 0xFFU];
    ++counts[1][word >> 8 & 0xFFU];
    ++counts[2][word >> 16 & 0xFFU];
    ++counts[3][word >> 24];
  }
  return counts;
}

// Each of the 32 bits is set in half of the words.
inline PValues bit_frequency(const ByteCounts& counts) {
  PValues values;
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::uint64_t total = 0;
    std::uint64_t set = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
      total += counts[bit / 8][byte];
      if ((byte >> bit % 8 & 1U) != 0) { set += counts[bit / 8][byte]; }
    }
    const double half = static_cast<double>(total) / 2;
    values.push_back(normal_p((static_cast<double>(set) - half) / std::sqrt(half / 2)));
  }
  return values;
}

// Each value of each byte is as frequent as the others.
inline PValues byte_frequency(const ByteCounts& counts) {
  PValues values;
  for (const auto& byte : counts) { values.push_back(chi_square_uniform({byte.begin(), byte.end()})); }
  return values;
}

// Pairs of successive words, six bits of each: low, middle and high ones. Pairs do not overlap.
template <class Source>
PValues serial_pairs(Source source, std::uint64_t words) {
  constexpr std::array<unsigned, 3> shifts{0, 13, 26};
  std::array<std::vector<std::uint64_t>, 3> counts;
  counts.fill(std::vector<std::uint64_t>(4096));
  for (std::uint64_t i = 0; i < words / 2; ++i) {
    const std::uint32_t first = source.next();
    const std::uint32_t second = source.next();
    for (std::size_t part = 0; part < 3; ++part) {
      ++counts[part][(first >> shifts[part] & 63U) << 6 | (second >> shifts[part] & 63U)];
    }
  }
  PValues values;
  for (const auto& part : counts) { values.push_back(chi_square_uniform(part)); }
  return values;
}

// Lengths of ascending runs; the word after a run is left out, which makes runs independent (Knuth, TAOCP
// 2, 3.3.2).
template <class Source>
PValues runs_up(Source source, std::uint64_t words) {
  constexpr std::size_t longest = 7;
  std::vector<std::uint64_t> counts(longest);
  std::uint32_t previous = source.next();
  std::size_t length = 1;
  for (std::uint64_t i = 1; i < words; ++i) {
    const std::uint32_t word = source.next();
    if (word > previous) {
      ++length;
      previous = word;
    } else {
      ++counts[std::min(length, longest) - 1];
      previous = source.next();
      length = 1;
      ++i;
    }
  }
  std::uint64_t runs = 0;
  for (const std::uint64_t count : counts) { runs += count; }
  std::vector<double> expected;
  double factorial = 1;
  for (std::size_t k = 1; k < longest; ++k) {
    factorial *= static_cast<double>(k);
    expected.push_back(static_cast<double>(runs) * (1 / factorial - 1 / (factorial * static_cast<double>(k + 1))));
  }
  expected.push_back(static_cast<double>(runs) / (factorial * static_cast<double>(longest)));
  return {chi_square(counts, expected)};
}

// Distances between words whose three lowest, or highest, bits are zero.
template <class Source>
PValues gaps(Source source, std::uint64_t words) {
  constexpr std::size_t longest = 48;
  constexpr double chance = 1.0 / 8;
  std::array<std::vector<std::uint64_t>, 2> counts;
  counts.fill(std::vector<std::uint64_t>(longest + 1));
  std::array<std::size_t, 2> gap{};
  std::array<bool, 2> started{};
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint32_t word = source.next();
    const std::array<bool, 2> hit{(word & 7U) == 0, word >> 29 == 0};
    for (std::size_t end = 0; end < 2; ++end) {
      if (!hit[end]) {
        ++gap[end];
        continue;
      }
      if (started[end]) { ++counts[end][std::min(gap[end], longest)]; }
      started[end] = true;
      gap[end] = 0;
    }
  }
  PValues values;
  for (const auto& part : counts) {
    std::uint64_t total = 0;
    for (const std::uint64_t count : part) { total += count; }
    if (total < 1000) {
      values.push_back(0); // hardly ever hit
      continue;
    }
    std::vector<double> expected;
    double rest = static_cast<double>(total);
    for (std::size_t k = 0; k < longest; ++k) {
      expected.push_back(rest * chance);
      rest *= 1 - chance;
    }
    expected.push_back(rest);
    values.push_back(chi_square(part, expected));
  }
  return values;
}

// Equal distances between 2^13 sorted words out of 2^32: about Poisson with mean 2^(3*13 - 2 - 32) = 32
// (Marsaglia, Tsang, Some difficult-to-pass tests of randomness, 2002).
template <class Source>
PValues birthday_spacings(Source source, unsigned repetitions) {
  std::uint64_t equal = 0;
  std::vector<std::uint32_t> days(8192);
  for (unsigned i = 0; i < repetitions; ++i) {
    for (std::uint32_t& day : days) { day = source.next(); }
    std::sort(days.begin(), days.end());
    std::vector<std::uint32_t> distances(days.size());
    distances[0] = days.front() - days.back();
    for (std::size_t k = 1; k < days.size(); ++k) { distances[k] = days[k] - days[k - 1]; }
    std::sort(distances.begin(), distances.end());
    for (std::size_t k = 1; k < distances.size(); ++k) { equal += distances[k] == distances[k - 1] ? 1U : 0U; }
  }
  return {poisson_p(equal, 32.0 * repetitions)};
}

// Rank over GF(2) of Size x Size matrices filled row by row: full in 28.9 %, one less in 57.8 % of them.
template <std::size_t Size, class Source>
PValues matrix_rank(Source source, unsigned matrices) {
  using Row = std::array<std::uint32_t, Size / 32>;
  std::vector<std::uint64_t> counts(3); // full, one less, two or more less
  for (unsigned i = 0; i < matrices; ++i) {
    std::array<Row, Size> rows;
    for (Row& row : rows) {
      for (std::uint32_t& word : row) { word = source.next(); }
    }
    std::size_t rank = 0;
    for (std::size_t column = 0; column < Size; ++column) {
      const auto has_bit = [&](const Row& row) { return (row[column / 32] >> column % 32 & 1U) != 0; };
      std::size_t pivot = rank;
      while (pivot < Size && !has_bit(rows[pivot])) { ++pivot; }
      if (pivot == Size) { continue; }
      std::swap(rows[rank], rows[pivot]);
      for (std::size_t below = rank + 1; below < Size; ++below) {
        if (!has_bit(rows[below])) { continue; }
        for (std::size_t word = column / 32; word < rows[below].size(); ++word) {
          rows[below][word] ^= rows[rank][word];
        }
      }
      ++rank;
    }
    ++counts[std::min<std::size_t>(Size - rank, 2)];
  }
  // Full: every row is outside the span of those before it. One less: 2 (1 - 2^-Size) times as likely.
  double full = 1;
  for (std::size_t k = 1; k <= Size; ++k) { full *= 1 - std::ldexp(1.0, -static_cast<int>(k)); }
  const double one_less = full * 2 * (1 - std::ldexp(1.0, -static_cast<int>(Size)));
  return {chi_square(counts, {matrices * full, matrices * one_less, matrices * (1 - full - one_less)})};
}

// Products of centred words, and bits in common, of two sequences of the same length.
inline PValues correlation(const std::uint32_t* left, const std::uint32_t* right, std::size_t length) {
  double products = 0;
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < length; ++i) {
    products += (left[i] * 0x1p-32 - 0.5) * (right[i] * 0x1p-32 - 0.5);
    differing += static_cast<unsigned>(std::popcount(left[i] ^ right[i]));
  }
  const double count = static_cast<double>(length);
  return {normal_p(products * 12 / std::sqrt(count)),
          normal_p((static_cast<double>(differing) - 16 * count) / std::sqrt(8 * count))};
}

template <class Source>
std::vector<std::uint32_t> draw(Source source, std::size_t words) {
  std::vector<std::uint32_t> drawn(words);
  for (std::uint32_t& word : drawn) { word = source.next(); }
  return drawn;
}

// A sequence against itself, shifted.
template <class Source>
PValues lag_correlation(Source source, std::size_t words) {
  constexpr std::array<std::size_t, 16> lags{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 32, 64, 128, 256};
  const std::vector<std::uint32_t> drawn = draw(source, words + lags.back());
  PValues values;
  for (const std::size_t lag : lags) {
    for (const double p : correlation(drawn.data(), drawn.data() + lag, words)) { values.push_back(p); }
  }
  return values;
}

// Two sequences, at the same place and up to 8 places apart.
template <class Left, class Right>
PValues cross_correlation(Left left, Right right, std::size_t words) {
  constexpr std::size_t reach = 8;
  const std::vector<std::uint32_t> lefts = draw(left, words + reach);
  const std::vector<std::uint32_t> rights = draw(right, words + reach);
  PValues values;
  for (std::size_t shift = 0; shift <= reach; ++shift) {
    for (const double p : correlation(lefts.data(), rights.data() + shift, words)) { values.push_back(p); }
    if (shift == 0) { continue; }
    for (const double p : correlation(lefts.data() + shift, rights.data(), words)) { values.push_back(p); }
  }
  return values;
}

struct Finding {
  std::string test;
  double p;
};

// Words drawn before, as a source: seeding may cost more than the tests.
struct Recorded {
  using Offers = neuromorph::offer::List<>;
  const std::uint32_t* next_word;
  std::uint32_t next() { return *next_word++; }
};

// All tests, each from the start; `words` at least 2^18. Bytes and bits are cheap and get four times as many.
template <class Source>
std::vector<Finding> battery(const Source& source, std::size_t words) {
  const std::vector<std::uint32_t> drawn = draw(source, 4 * words);
  const Recorded recorded{drawn.data()};
  const ByteCounts bytes = count_bytes(recorded, 4 * words);
  return {{"bit frequency", verdict(bit_frequency(bytes))},
          {"byte frequency", verdict(byte_frequency(bytes))},
          {"serial pairs", verdict(serial_pairs(recorded, words))},
          {"runs up", verdict(runs_up(recorded, words))},
          {"gaps", verdict(gaps(recorded, words))},
          {"birthday spacings", verdict(birthday_spacings(recorded, static_cast<unsigned>(words / 65536)))},
          {"matrix rank 32", verdict(matrix_rank<32>(recorded, static_cast<unsigned>(words / 64)))},
          {"matrix rank 256", verdict(matrix_rank<256>(recorded, static_cast<unsigned>(words / 4096)))},
          {"lag correlation", verdict(lag_correlation(recorded, words / 4))}};
}

// Whole-number facts for the algebra of the generators; the modulus below 2^64.

inline std::uint64_t multiply_mod(std::uint64_t left, std::uint64_t right, std::uint64_t modulus) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(left) * right % modulus);
}

inline std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1;
  for (base %= modulus; exponent != 0; exponent >>= 1) {
    if ((exponent & 1U) != 0) { result = multiply_mod(result, base, modulus); }
    base = multiply_mod(base, base, modulus);
  }
  return result;
}

// Miller and Rabin; these bases decide for all 64-bit numbers.
inline bool is_prime(std::uint64_t number) {
  constexpr std::array<std::uint64_t, 12> bases{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (number < 2) { return false; }
  for (const std::uint64_t base : bases) {
    if (number % base == 0) { return number == base; }
  }
  const int twos = std::countr_zero(number - 1);
  for (const std::uint64_t base : bases) {
    std::uint64_t power = power_mod(base, (number - 1) >> twos, number);
    bool witness = power != 1 && power != number - 1;
    for (int i = 1; i < twos && witness; ++i) {
      power = multiply_mod(power, power, number);
      witness = power != number - 1;
    }
    if (witness) { return false; }
  }
  return true;
}

// A linear map of 32-bit vectors, by the images of the unit vectors.
using BitMatrix = std::array<std::uint32_t, 32>;

inline BitMatrix multiply(const BitMatrix& outer, const BitMatrix& inner) {
  BitMatrix result{};
  for (unsigned column = 0; column < 32; ++column) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((inner[column] >> bit & 1U) != 0) { result[column] ^= outer[bit]; }
    }
  }
  return result;
}

inline BitMatrix identity() {
  BitMatrix result{};
  for (unsigned bit = 0; bit < 32; ++bit) { result[bit] = 1U << bit; }
  return result;
}

inline BitMatrix power(BitMatrix base, std::uint64_t exponent) {
  BitMatrix result = identity();
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1U) != 0) { result = multiply(result, base); }
    base = multiply(base, base);
  }
  return result;
}

// Every vector but zero comes back after 2^32 - 1 = 3 * 5 * 17 * 257 * 65537 steps, and not before.
inline bool has_full_period(const BitMatrix& step) {
  constexpr std::uint64_t period = 0xFFFF'FFFFU;
  if (power(step, period) != identity()) { return false; }
  for (const std::uint64_t prime : {3U, 5U, 17U, 257U, 65537U}) {
    if (power(step, period / prime) == identity()) { return false; }
  }
  return true;
}

} // namespace randomness

#endif
