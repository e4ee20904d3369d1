// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a core records of its steps, in memory of the caller's: spikes, words of neurons, weights. When that is full it says so
/// and overwrites nothing; how many steps it still has room for is known at any time.
///
///     step | a bit for each neuron that fired | words of all neurons, if due | stretches of memory, if due
// not in the umbrella: a part of core.hpp
#ifndef NEUROMORPH_CORE_RECORDING_HPP
#define NEUROMORPH_CORE_RECORDING_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What is recorded. Something that is due every n steps is recorded in those whose number is a multiple of n.
struct RecordingPlan {
  bool spikes = false;
  std::span<const std::uint8_t> words{}; ///< places of words, as in Population::words
  std::uint32_t words_every = 1;         ///< steps, from 1
  /// Weights: the plastic words of rows in far memory, as PlasticRow::plastic gives them, or any other memory.
  std::span<const std::span<const std::uint32_t>> weights{};
  std::uint32_t weights_every = 1; ///< steps, from 1
};

/// \tparam Neurons  of the core
template <std::size_t Neurons>
class Recording {
public:
  static constexpr std::size_t words_of_spikes = (Neurons + 31) / 32;

  /// Records nothing.
  constexpr Recording() noexcept = default;
  constexpr Recording(std::span<std::uint32_t> to, const RecordingPlan& plan) noexcept : to_(to), plan_(plan) {
    for (const auto& stretch : plan.weights) weights_ += stretch.size();
  }

  /// A step: whether it had room; all of it or nothing.
  /// \param fired     neurons
  /// \param words_of  std::span<const std::int32_t>(std::size_t place), of Neurons words
  template <class WordsOf>
  constexpr bool record(std::uint32_t step, std::span<const std::uint32_t> fired, const WordsOf& words_of) noexcept {
    const std::size_t needed = words_in(step);
    if (needed == 0) return true;
    if (needed > to_.size() - used_) {
      ++lost_;
      return false;
    }
    std::uint32_t* to = to_.data() + used_;
    used_ += needed;
    *to++ = step;
    if (plan_.spikes) {
      for (std::size_t word = 0; word < words_of_spikes; ++word) to[word] = 0;
      for (const std::uint32_t neuron : fired) to[neuron / 32] |= std::uint32_t{1} << neuron % 32;
      to += words_of_spikes;
    }
    if (is_due(step, plan_.words_every))
      for (const std::uint8_t place : plan_.words)
        for (const std::int32_t word : words_of(place)) *to++ = static_cast<std::uint32_t>(word);
    if (is_due(step, plan_.weights_every))
      for (const auto& stretch : plan_.weights)
        for (const std::uint32_t word : stretch) *to++ = word;
    return true;
  }

  /// How many steps more it has room for, if `step` is the next one; 2^31 where it never is full.
  /// \cost  a few divisions: to plan, not in a step
  [[nodiscard]] constexpr std::uint32_t steps_until_full(std::uint32_t step) const noexcept {
    std::uint32_t fits = 0;
    for (std::uint32_t more = 1U << 31; more != 0; more >>= 1)
      if (words_in(step, fits + std::uint64_t{more}) <= to_.size() - used_) {
        fits += more;
        if (fits >> 31 != 0) break;
      }
    return fits;
  }
  [[nodiscard]] constexpr std::span<const std::uint32_t> recorded() const noexcept { return to_.first(used_); }
  /// Steps that had no room.
  [[nodiscard]] constexpr std::uint32_t lost() const noexcept { return lost_; }
  /// Begins again, once what was recorded has been taken away.
  constexpr void restart() noexcept { used_ = 0; }

private:
  [[nodiscard]] static constexpr bool is_due(std::uint32_t step, std::uint32_t every) noexcept {
    return every <= 1 || step % every == 0;
  }
  [[nodiscard]] constexpr std::size_t words_in(std::uint32_t step) const noexcept {
    const std::size_t of_words = is_due(step, plan_.words_every) ? plan_.words.size() * Neurons : 0;
    const std::size_t of_weights = is_due(step, plan_.weights_every) ? weights_ : 0;
    return with_number(of_words + of_weights + (plan_.spikes ? words_of_spikes : 0));
  }
  [[nodiscard]] static constexpr std::size_t with_number(std::size_t words) noexcept {
    return words == 0 ? 0 : words + 1;
  }
  /// Multiples of `every` among so many steps from one on.
  [[nodiscard]] static constexpr std::uint64_t due_in(std::uint32_t step, std::uint64_t steps,
                                                      std::uint64_t every) noexcept {
    if (every <= 1) return steps;
    return (step + steps + every - 1) / every - (step + every - 1) / every;
  }
  [[nodiscard]] constexpr std::uint64_t words_in(std::uint32_t step, std::uint64_t steps) const noexcept {
    const std::uint64_t of_words = plan_.words.size() * Neurons, words_due = due_in(step, steps, plan_.words_every);
    const std::uint64_t weights_due = due_in(step, steps, plan_.weights_every);
    std::uint64_t numbers = steps; // steps of which anything is recorded
    if (!plan_.spikes) {
      numbers = (of_words != 0 ? words_due : 0) + (weights_ != 0 ? weights_due : 0);
      if (of_words != 0 && weights_ != 0)
        numbers -= due_in(step, steps, common(plan_.words_every, plan_.weights_every));
    }
    return numbers + (plan_.spikes ? steps * words_of_spikes : 0) + words_due * of_words + weights_due * weights_;
  }
  /// The least common multiple.
  [[nodiscard]] static constexpr std::uint64_t common(std::uint32_t a, std::uint32_t b) noexcept {
    if (a <= 1 || b <= 1) return a > b ? a : b;
    std::uint32_t greatest = a;
    for (std::uint32_t rest = b; rest != 0;) {
      const std::uint32_t next = greatest % rest;
      greatest = rest;
      rest = next;
    }
    return std::uint64_t{a} / greatest * b;
  }

  std::span<std::uint32_t> to_;
  RecordingPlan plan_{};
  std::size_t used_ = 0, weights_ = 0;
  std::uint32_t lost_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
