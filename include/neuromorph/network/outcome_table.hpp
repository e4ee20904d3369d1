// SPDX-License-Identifier: BSL-1.0
/// \file
/// Whole numbers of a distribution from random words, one word each: what a drawn weight or delay is.
///
/// A real number is rounded to whole units, halves upwards; the table has the chances of the *rounded* number to 2^-32, with
/// what cuts it off in closed form. So nothing is drawn twice and nothing is computed in floating point when drawing.
// host-only
#ifndef NEUROMORPH_NETWORK_OUTCOME_TABLE_HPP
#define NEUROMORPH_NETWORK_OUTCOME_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/network/distribution.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// \cost drawing: a look into a guide, and 1 comparison and seldom more
class OutcomeTable {
public:
  static constexpr std::size_t most_outcomes = 65536;

  /// Always 0.
  OutcomeTable() : OutcomeTable(0, {}) {}

  /// Of a distribution in units: `per_unit` times what is drawn, rounded.
  /// \pre   distribution.check() found nothing
  /// \errors parameter_out_of_range: more outcomes than 65536, or one beyond 2^30 (`value`: the highest)
  [[nodiscard]] static Result<OutcomeTable> from(const Distribution& distribution, double units_per_one,
                                                 const char* name) {
    // The chance of at most k units, as a number of words: k is the last of the outcomes whose words are below it.
    const auto words_up_to = [&](std::int64_t units) -> std::uint64_t {
      const double edge = (static_cast<double>(units) + 0.5) / units_per_one;
      return static_cast<std::uint64_t>(distribution.below(edge) * 4294967296.0 + 0.5);
    };
    constexpr std::int64_t most = std::int64_t{1} << 30;
    constexpr std::uint64_t all = std::uint64_t{1} << 32;
    // The first number of units that has `wanted` words.
    const auto first_with = [&](std::uint64_t wanted) {
      std::int64_t low = -most, high = most + 1; // high has them
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (words_up_to(middle) >= wanted)
          high = middle;
        else
          low = middle + 1;
      }
      return low;
    };
    const std::int64_t first = first_with(1), last = first_with(all);
    if (first <= -most || last > most) return Status{Error::parameter_out_of_range, 0, most, name};
    if (last - first >= static_cast<std::int64_t>(most_outcomes))
      return Status{Error::parameter_out_of_range, 0, last, name};
    std::vector<std::uint32_t> last_words;
    last_words.reserve(static_cast<std::size_t>(last - first + 1));
    for (std::int64_t units = first; units <= last; ++units)
      last_words.push_back(static_cast<std::uint32_t>(words_up_to(units) - 1));
    return OutcomeTable(static_cast<std::int32_t>(first), std::move(last_words));
  }
  /// Of chances: `last_words[k]` is the last word of outcome first + k, ascending, the last one 2^32 - 1.
  OutcomeTable(std::int32_t first, std::vector<std::uint32_t> last_words)
      : first_(first), last_words_(std::move(last_words)) {
    if (last_words_.empty()) last_words_.push_back(0xFFFF'FFFFU);
    while (shift_ > 16 && (std::size_t{1} << (32 - shift_)) < 2 * last_words_.size()) --shift_;
    guide_.resize(std::size_t{1} << (32 - shift_));
    std::uint32_t outcome = 0;
    for (std::size_t at = 0; at < guide_.size(); ++at) {
      while (last_words_[outcome] < static_cast<std::uint32_t>(at << shift_)) ++outcome;
      guide_[at] = static_cast<std::uint16_t>(outcome);
    }
  }

  /// The outcome of a uniform word.
  [[nodiscard]] std::int32_t operator()(std::uint32_t word) const noexcept {
    std::uint32_t outcome = guide_[word >> shift_];
    while (last_words_[outcome] < word) ++outcome;
    return first_ + static_cast<std::int32_t>(outcome);
  }
  /// Whether all words have the same outcome.
  [[nodiscard]] bool is_fixed() const noexcept { return last_words_.size() == 1; }
  [[nodiscard]] std::int32_t lowest() const noexcept { return first_; }
  [[nodiscard]] std::int32_t highest() const noexcept {
    return first_ + static_cast<std::int32_t>(last_words_.size()) - 1;
  }
  /// How many of 2^32 words have an outcome from lowest() to highest().
  [[nodiscard]] std::uint64_t words_of(std::int32_t outcome) const noexcept {
    const auto at = static_cast<std::size_t>(outcome - first_);
    return std::uint64_t{last_words_[at]} + 1 - (at == 0 ? 0 : std::uint64_t{last_words_[at - 1]} + 1);
  }
  /// Of what is drawn, in units.
  [[nodiscard]] double mean() const noexcept {
    double sum = 0.0;
    for (std::int32_t at = lowest(); at <= highest(); ++at) sum += at * static_cast<double>(words_of(at));
    return sum / 4294967296.0;
  }
  [[nodiscard]] double mean_square() const noexcept {
    double sum = 0.0;
    for (std::int32_t at = lowest(); at <= highest(); ++at)
      sum += static_cast<double>(at) * at * static_cast<double>(words_of(at));
    return sum / 4294967296.0;
  }

private:
  std::int32_t first_;
  unsigned shift_ = 24;
  std::vector<std::uint32_t> last_words_; // of outcome k; one of no words has the last of that before it
  std::vector<std::uint16_t> guide_;      // first outcome of words that begin so
};

/// Tables that projections have in common: each is made once. For any number of threads.
class OutcomeTables {
public:
  using Table = std::shared_ptr<const OutcomeTable>;

  /// \errors as OutcomeTable::from
  [[nodiscard]] Result<Table> get(const Distribution& distribution, double units_per_one, const char* name) {
    const std::lock_guard<std::mutex> lock(guard_);
    for (const Entry& entry : entries_)
      if (entry.distribution == distribution && entry.units_per_one == units_per_one) return entry.table;
    auto made = OutcomeTable::from(distribution, units_per_one, name);
    if (!made) return made.status();
    entries_.push_back({distribution, units_per_one, std::make_shared<const OutcomeTable>(std::move(made).value())});
    return entries_.back().table;
  }

private:
  struct Entry {
    Distribution distribution;
    double units_per_one;
    Table table;
  };
  std::mutex guard_;
  std::vector<Entry> entries_;
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
