// SPDX-License-Identifier: BSL-1.0
/// \file
/// Structural plasticity: synapses of plastic rows that form where there are none, and go where they are weak.
///
///     rewiring.attempt(row, pre, post, now, random);     // after the row was brought up to `now`
///
/// An attempt is about one pair of neurons: if they have no synapse one may form, with a probability by their distance, if
/// the row has room. If they have one it may go, with a probability by its weight. Whose turn it is, the caller says: any pair,
/// or a source that has just fired (RecentSources).
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_REWIRING_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_REWIRING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/plasticity/decay_table.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What became of an attempt.
enum class Rewired : std::uint8_t {
  unchanged,
  formed,
  eliminated,
  full,  ///< one would have formed, and the row has no room
  wrong, ///< no whole row, or not brought up to this tick; it is as it was
};

struct RewiringCounts {
  std::uint32_t attempts = 0, formed = 0, eliminated = 0, full = 0, wrong = 0;
  friend constexpr bool operator==(const RewiringCounts&, const RewiringCounts&) noexcept = default;
};

/// Probabilities by the distance of two neurons on a torus of cells: peak exp(-d^2 / (2 width^2)).
///
/// \tparam Width, Height  cells; neuron n is at (n % Width, n / Width). Pre- and post-synaptic ones share the torus
/// \cost a table of one word for each distance along an axis; two looks, and a product
/// \source P. A. Bogdan, A. G. D. Rowley, O. Rhodes, S. B. Furber, Structural plasticity on the SpiNNaker many-core
///         neuromorphic system, 2018, section 2.2
template <std::uint32_t Width, std::uint32_t Height>
class GaussianDistance {
  static_assert(Width >= 1 && Height >= 1 && Width <= 4096 && Height <= 4096,
                "neuromorph: a torus of GaussianDistance has 1 to 4096 cells each way; see docs/plasticity.md");

public:
  /// \errors parameter_out_of_range: peak, outside 0 to 1; width: not from 0.1 to 10000 cells
  [[nodiscard]] static constexpr Result<GaussianDistance> from(double peak, double width) noexcept {
    if (!(peak >= 0.0 && peak <= 1.0)) return Status{Error::parameter_out_of_range, 0, peak, "peak"};
    if (!(width >= 0.1 && width <= 10000.0)) return Status{Error::parameter_out_of_range, 0, width, "width"};
    GaussianDistance made;
    made.peak_ = detail::nearest_share(peak);
    for (std::uint32_t cells = 0; cells < made.along_.size(); ++cells) {
      const double ratio = static_cast<double>(cells) * cells / (2 * width * width);
      made.along_[cells] = static_cast<DecayFactor>(
          cells == 0 ? detail::one_q60 >> 29 : (detail::decay_q60(ratio) + (std::int64_t{1} << 28)) >> 29);
    }
    return made;
  }
  constexpr GaussianDistance() noexcept = default;

  [[nodiscard]] constexpr Share operator()(std::uint32_t pre, std::uint32_t post) const noexcept {
    const DecayFactor across = along_[apart(pre % Width, post % Width, Width)];
    const DecayFactor down = along_[apart(pre / Width % Height, post / Width % Height, Height)];
    ShareArithmetic<rounding::Nearest> m;
    return m.product(m.product(peak_, across), down);
  }

private:
  [[nodiscard]] static constexpr std::uint32_t apart(std::uint32_t a, std::uint32_t b, std::uint32_t around) noexcept {
    const std::uint32_t way = a < b ? b - a : a - b;
    return way < around - way ? way : around - way;
  }
  Share peak_ = 0;
  std::array<DecayFactor, (Width > Height ? Width : Height) / 2 + 1> along_{};
};

/// The last sources that fired, to choose a partner among.
///
/// \tparam Places  how many are known
template <std::size_t Places>
class RecentSources {
  static_assert(Places >= 1, "neuromorph: RecentSources has at least one place; see docs/plasticity.md");

public:
  constexpr void fired(std::uint32_t source) noexcept {
    sources_[next_] = source;
    next_ = next_ + 1 == Places ? 0 : next_ + 1;
    if (count_ != Places) ++count_;
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  /// Any of them, each as often as it has fired.
  /// \pre size() != 0
  template <rounding::BitSource Source>
  [[nodiscard]] constexpr std::uint32_t choose(Source& random) const noexcept {
    return sources_[static_cast<std::size_t>((std::uint64_t{random.next()} * count_) >> 32)];
  }

private:
  std::array<std::uint32_t, Places> sources_{};
  std::size_t next_ = 0, count_ = 0;
};

/// \tparam Update  the DeferredUpdate of the rows
/// \tparam Chance  Share(std::uint32_t pre, std::uint32_t post): of a synapse to form in an attempt. 2^32 - 1 is always
///
/// Random numbers are drawn from the caller's source, one for each attempt, whatever becomes of it.
template <class Update, class Chance>
class Rewiring {
  using Format = typename Update::Word;

public:
  struct Parameters {
    std::int32_t initial = 0;  ///< weight of a new synapse, in units of the word
    std::uint32_t delay = 1;   ///< of a new synapse
    std::uint32_t type = 0;    ///< its receptor
    std::int32_t weak = 0;     ///< a weight below this is weak
    double eliminate_weak = 0; ///< probability to go, in an attempt
    double eliminate_strong = 0;
  };
  /// \errors weight_out_of_range, delay_out_of_range, type_out_of_range: of a new synapse; parameter_out_of_range:
  ///         eliminate_weak, eliminate_strong, outside 0 to 1
  [[nodiscard]] static constexpr Result<Rewiring> from(const Parameters& given, const Update& update,
                                                       const Chance& chance) noexcept {
    const auto state = update.state_of(given.initial);
    if (!state) return state.status();
    const auto word = Format::encode({.weight = given.initial, .delay = given.delay, .type = given.type, .index = 0});
    if (!word) return word.status();
    if (!(given.eliminate_weak >= 0 && given.eliminate_weak <= 1))
      return Status{Error::parameter_out_of_range, 0, given.eliminate_weak, "eliminate_weak"};
    if (!(given.eliminate_strong >= 0 && given.eliminate_strong <= 1))
      return Status{Error::parameter_out_of_range, 0, given.eliminate_strong, "eliminate_strong"};
    Rewiring made(chance);
    made.word_ = word.value();
    made.state_ = state.value();
    made.weak_ = given.weak;
    made.eliminate_weak_ = detail::nearest_share(given.eliminate_weak);
    made.eliminate_strong_ = detail::nearest_share(given.eliminate_strong);
    return made;
  }
  constexpr Rewiring() noexcept = default;

  /// \param words  the row of `pre`, which pre_spike or flush has brought up to `now`: a synapse that forms has no past
  /// \param post   a neuron of this core
  /// \cost O(plastic synapses of the row)
  template <rounding::BitSource Source>
  constexpr Rewired attempt(std::span<std::uint32_t> words, std::uint32_t pre, std::uint32_t post, std::uint32_t now,
                            Source& random) noexcept {
    const Rewired outcome = tried(words, pre, post, now, random.next());
    ++counts_.attempts;
    switch (outcome) {
    case Rewired::formed: ++counts_.formed; break;
    case Rewired::eliminated: ++counts_.eliminated; break;
    case Rewired::full: ++counts_.full; break;
    case Rewired::wrong: ++counts_.wrong; break;
    case Rewired::unchanged: break;
    }
    return outcome;
  }
  [[nodiscard]] constexpr const RewiringCounts& counts() const noexcept { return counts_; }

private:
  explicit constexpr Rewiring(const Chance& chance) noexcept : chance_(chance) {}
  [[nodiscard]] static constexpr bool happens(std::uint32_t drawn, Share chance) noexcept {
    return chance == ~Share{0} || drawn < chance;
  }

  constexpr Rewired tried(std::span<std::uint32_t> words, std::uint32_t pre, std::uint32_t post, std::uint32_t now,
                          std::uint32_t drawn) noexcept {
    typename Update::Row row(words);
    constexpr std::uint32_t index_mask = (std::uint32_t{1} << Format::index_bits) - 1;
    if (!row.is_whole() || row.time() != now || post > index_mask) return Rewired::wrong;
    for (std::uint32_t at = 0; at < row.size(); ++at) {
      if ((row.plastic()[at] & index_mask) != post) continue;
      const bool is_weak = Format::weight(row.plastic()[at]) < weak_;
      if (!happens(drawn, is_weak ? eliminate_weak_ : eliminate_strong_)) return Rewired::unchanged;
      row.remove(at);
      return Rewired::eliminated;
    }
    if (!happens(drawn, chance_(pre, post))) return Rewired::unchanged;
    return row.append(word_ | post, state_) ? Rewired::formed : Rewired::full;
  }

  Chance chance_{};
  std::uint32_t word_ = 0, state_ = 0;
  std::int32_t weak_ = 0;
  Share eliminate_weak_ = 0, eliminate_strong_ = 0;
  RewiringCounts counts_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
