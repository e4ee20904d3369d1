// SPDX-License-Identifier: BSL-1.0
/// \file
/// Linear membranes with up to four states: compartments, currents with a course of their own, adaptation.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MEMBRANES_LINEAR_HPP
#define NEUROMORPH_KERNELS_NEURONS_MEMBRANES_LINEAR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/detail/matrix_exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {
/// The membrane and other states, by name and by number.
template <class Number, std::size_t States>
struct StateWords {
  Number v;
  std::array<Number, States - 1> others;
  constexpr Number& operator[](std::size_t state) noexcept { return state == 0 ? v : others[state - 1]; }
  constexpr const Number& operator[](std::size_t state) const noexcept { return state == 0 ? v : others[state - 1]; }
};
template <class Number>
struct StateWords<Number, 1> {
  Number v;
  constexpr Number& operator[](std::size_t) noexcept { return v; }
  constexpr const Number& operator[](std::size_t) const noexcept { return v; }
};
} // namespace detail

namespace membrane {

/// x' = A x + b + drive, by the matrix exponential: x(t + h) = e^hA x + h phi1(hA) b + what flows in. State 0 is the
/// membrane, which fires; the others are what A makes of them.
///
/// Exact for the system itself, for spikes that move a state (synapse::Delta), and for what flows into the driven state. To
/// the other states what flows in is constant over a step: an error of the third order in it. Equal time constants and
/// defective matrices need nothing of their own. A step has States^2 + States - 1 products, each with the error of its
/// rounding. Of a row whose constants' magnitudes come to more than 1/2 this counts double, to more than 1 four times, and
/// so on. A state that leaves its word is held and counted.
///
/// \tparam Driven  the state that synaptic and other currents flow into
/// \tparam Moved   by receptor, the state that a spike moves with synapse::Delta; of those not listed, the driven one
/// \source D. R. Lester et al., Streamlining SpiNNaker, 2018, section 2.1; Y. Saad, SIAM J. Numer. Anal. 29, 1992: the
///         augmented matrix
template <std::size_t States, std::size_t Driven = 0, std::size_t... Moved>
struct Linear : Part<Role::membrane> {
  static_assert(States >= 1 && States <= 4, "neuromorph: a linear membrane has one to four states");
  static_assert(Driven < States && (... && (Moved < States)),
                "neuromorph: a linear membrane lacks a state that it names");

  template <class Number>
  using Words = detail::StateWords<Number, States>; ///< v, relative to the threshold, and the others
  static constexpr std::size_t row_constants = States + 2;
  /// By row: e^hA less the identity, with 32 - row_shift fraction bits; what rest adds per step; what the drive of the driven
  /// state does to this one.
  template <class Number>
  using Constants = std::array<Number, States * row_constants>;
  struct Shared {
    std::array<std::uint8_t, States> row_shift{}; ///< a row's sums are in 2^row_shift units of its state
    std::array<std::int8_t, States> bits{};       ///< a unit of a state is 2^-bits
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.row_shift == common.row_shift && own.bits == common.bits;
  }
  struct Parameters {
    std::array<std::array<double, States>, States> per_ms{}; ///< A; the membrane in mV, others in units of their own
    std::array<double, States> drift_per_ms{};               ///< b
    std::array<double, States> largest{}; ///< magnitudes that the words of the others hold; the membrane's is not asked
    std::array<double, States> initial{-65.0};
    double per_na = 1.0; ///< what 1 nA adds to the driven state in a ms; of a membrane 1 / c_nf
  };
  static constexpr bool is_physical = true;
  static constexpr bool is_held = true;

  /// By scaling and squaring, in integers: the same bits at compile time and on any machine.
  /// \errors parameter_out_of_range for what is no finite number, and where constants leave their words: a state that moves
  ///         by more than 2^20 times the range of another in a step; `where` is the state, or row * States + column of a
  ///         matrix. parameter_not_positive for a range, and for what current adds
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    making.unit_bits = making.most_unit_bits < 22 ? making.most_unit_bits : 22;
    LinearSystem& system = making.linear;
    if (const Status status = check(given); !status) return status;
    system.per_na = given.per_na;
    for (std::size_t row = 0; row < States; ++row) {
      system.bits[row] = row == 0 ? making.unit_bits : 31 - detail::SoftFloat{given.largest[row]}.magnitude_bits();
      // Where what is brought asks for a coarser unit, the state that it is brought to has one, too: psps are in it.
      if constexpr (Driven != 0)
        if (row == Driven) system.bits[row] -= 22 - making.unit_bits;
      to.own.shared.bits[row] = static_cast<std::int8_t>(system.bits[row]);
      for (std::size_t column = 0; column < States; ++column) system.per_ms[row][column] = given.per_ms[row][column];
    }
    tell_single(making);

    // Columns: the states, b in 2^32 units, and 1 unit a step into the driven state.
    const detail::SoftFloat dt = making.dt_ms;
    detail::SoftMatrix<States + 2> exponent{};
    for (std::size_t row = 0; row < States; ++row) {
      for (std::size_t column = 0; column < States; ++column) {
        auto& entry = exponent[row][column];
        entry = (dt * given.per_ms[row][column]).scaled(system.bits[row] - system.bits[column]);
        if (entry.magnitude_bits() > 20)
          return {Error::parameter_out_of_range, static_cast<std::uint32_t>(row * States + column),
                  given.per_ms[row][column], "membrane.per_ms"};
      }
      const detail::SoftFloat drift =
          detail::SoftFloat{given.drift_per_ms[row]} + detail::SoftFloat{given.per_ms[row][0]} * making.threshold_mv;
      exponent[row][States] = (dt * drift).scaled(system.bits[row] - 32);
      if (exponent[row][States].magnitude_bits() > 20)
        return {Error::parameter_out_of_range, static_cast<std::uint32_t>(row), given.drift_per_ms[row],
                "membrane.drift_per_ms"};
    }
    exponent[Driven][States + 1] = 1.0;
    const auto step = detail::matrix_exponential(exponent);
    for (std::size_t row = 0; row < States; ++row)
      if (const Status status = make_row(row, step, given, making, to); !status) return status;
    return make_initial(given, making, to);
  }

  /// Units of the driven state, 2^-unit_bits, that a step adds to it from 1 nA at its begin, decaying with `rate` = dt/tau.
  [[nodiscard]] static constexpr double response(const Making& making, std::int64_t rate_q60) noexcept {
    auto exponent = exponent_of<States + 1>(making);
    exponent[States][States] = -detail::SoftFloat::from(rate_q60, -60);
    return detail::matrix_exponential(exponent)[Driven][States].scaled(coarser(making)).to_double();
  }
  /// The same from a current that is 0 at its begin, decays with `rate`, and is fed by another, which starts at 1 nA per
  /// step and decays with `rise`.
  [[nodiscard]] static constexpr double response_to_rise(const Making& making, std::int64_t rate_q60,
                                                         std::int64_t rise_q60) noexcept {
    auto exponent = exponent_of<States + 2>(making);
    exponent[States][States] = -detail::SoftFloat::from(rate_q60, -60);
    exponent[States][States + 1] = 1.0;
    exponent[States + 1][States + 1] = -detail::SoftFloat::from(rise_q60, -60);
    return detail::matrix_exponential(exponent)[Driven][States + 1].scaled(coarser(making)).to_double();
  }

  static constexpr auto& moved_word(auto& word, std::size_t receptor) noexcept { return word[moved(receptor)]; }
  static constexpr int moved_bits(const Making& making, std::size_t receptor) noexcept {
    return making.linear.bits[moved(receptor)];
  }

  static constexpr void step(auto& m, auto& word, const auto& own, const auto& drive) noexcept {
    const auto flow = drive.value();
    [&]<std::size_t... Row>(std::index_sequence<Row...> rows) {
      const std::array changes{sum_of<Row>(m, word, own, flow, rows)...};
      ((word[Row] = m.add_scaled_held(Row == Driven ? m.add_scaled_held(word[Row], flow, 0) : word[Row], changes[Row],
                                      own.shared.row_shift[Row])),
       ...);
    }
    (std::make_index_sequence<States>{});
  }
  static constexpr void spiked(const auto&, auto&, const auto&, auto) noexcept {}

private:
  template <std::size_t Row, std::size_t... Column>
  [[gnu::always_inline]] static constexpr auto sum_of(auto& m, const auto& word, const auto& own, auto flow,
                                                      std::index_sequence<Column...>) noexcept {
    constexpr std::size_t first = Row * row_constants;
    auto sum = own[first + States];
    ((sum = m.add(sum, m.product(word[Column], own[first + Column]))), ...);
    if constexpr (Row != Driven) sum = m.add(sum, m.product(flow, own[first + States + 1]));
    return sum;
  }
  [[nodiscard]] static constexpr std::size_t moved(std::size_t receptor) noexcept {
    constexpr std::array<std::size_t, sizeof...(Moved) + 1> states{Moved..., Driven};
    return states[receptor < sizeof...(Moved) ? receptor : sizeof...(Moved)];
  }
  [[nodiscard]] static constexpr int coarser(const Making& making) noexcept {
    return making.linear.bits[Driven] - making.unit_bits;
  }

  [[nodiscard]] static constexpr Status check(const Parameters& given) noexcept {
    for (std::uint32_t row = 0; row < States; ++row) {
      for (std::uint32_t column = 0; column < States; ++column)
        if (!detail::is_finite(given.per_ms[row][column]))
          return {Error::parameter_out_of_range, row * static_cast<std::uint32_t>(States) + column,
                  given.per_ms[row][column], "membrane.per_ms"};
      if (!detail::is_finite(given.drift_per_ms[row]))
        return {Error::parameter_out_of_range, row, given.drift_per_ms[row], "membrane.drift_per_ms"};
      if (row == 0) continue;
      if (!(given.largest[row] > 0.0))
        return {Error::parameter_not_positive, row, given.largest[row], "membrane.largest"};
      if (!(given.largest[row] > 1e-15 && given.largest[row] < 1e15))
        return {Error::parameter_out_of_range, row, given.largest[row], "membrane.largest"};
    }
    if (!(given.per_na > 0.0)) return {Error::parameter_not_positive, 0, given.per_na, "membrane.per_na"};
    if (!(given.per_na < 1e15)) return {Error::parameter_out_of_range, 0, given.per_na, "membrane.per_na"};
    return {};
  }
  /// What other parts ask of a membrane with one time constant: that of the driven state, as if it stood alone.
  static constexpr void tell_single(Making& making) noexcept {
    const double own = making.linear.per_ms[Driven][Driven];
    const bool leaks = own < 0.0;
    const std::int64_t leak = leaks ? detail::to_fixed(making.dt_ms * -own, 60) : 0;
    making.leak_q60 = leak < detail::one_q60 ? leak : detail::one_q60;
    making.kept_q60 = detail::exp_q60(-making.leak_q60);
    making.tau_m_ms = leaks ? -1.0 / own : 1.0;
    making.r_mohm = making.linear.per_na * making.tau_m_ms;
    const double decay = static_cast<double>(detail::one_q60 - making.kept_q60) / static_cast<double>(detail::one_q60);
    constexpr double least = 1.0 / 4096;
    making.drift_q52 = 0; // each state has its own
    making.drift_mv = 0.0;
    making.decay = leaks ? decay : 1.0;
    making.room = !leaks ? 1.0 / 64 : decay < 2.0 * least ? least : 0.5 * decay;
  }
  template <std::size_t Rows>
  [[nodiscard]] static constexpr detail::SoftMatrix<Rows> exponent_of(const Making& making) noexcept {
    const detail::SoftFloat dt = making.dt_ms;
    detail::SoftMatrix<Rows> exponent{};
    for (std::size_t row = 0; row < States; ++row)
      for (std::size_t column = 0; column < States; ++column)
        exponent[row][column] = dt * making.linear.per_ms[row][column];
    exponent[Driven][States] = dt * making.linear.per_na;
    return exponent;
  }
  [[nodiscard]] static constexpr Status make_row(std::size_t row, const detail::SoftMatrix<States + 2>& step,
                                                 const Parameters& given, const Making& making, auto to) noexcept {
    const auto magnitude = [](const detail::SoftFloat& x) { return detail::SoftFloat{x.mantissa, x.exponent, false}; };
    std::array<detail::SoftFloat, row_constants> entries{};
    for (std::size_t column = 0; column < States; ++column)
      entries[column] = column == row ? step[row][column] - detail::SoftFloat{1.0} : step[row][column];
    entries[States] = step[row][States];
    const auto& driven = step[Driven][States + 1];
    if (driven.magnitude_bits() < -20)
      return {Error::parameter_out_of_range, static_cast<std::uint32_t>(Driven * States + Driven),
              given.per_ms[Driven][Driven], "membrane.per_ms"};
    if (row != Driven) entries[States + 1] = step[row][States + 1] / driven;
    // Sums of products stay within 2^30, whatever the states are.
    detail::SoftFloat largest = magnitude(entries[States]);
    for (const auto& entry : entries) largest = largest + magnitude(entry);
    int shift = 0;
    while (shift <= 30 && largest.magnitude_bits() > shift - 1) ++shift;
    if (shift > 30)
      return {Error::parameter_out_of_range, static_cast<std::uint32_t>(row * States), given.per_ms[row][0],
              "membrane.per_ms"};
    to.own.shared.row_shift[row] = static_cast<std::uint8_t>(shift);
    std::int32_t* const constants = to.own.data() + row * row_constants;
    int lost = row == Driven && making.lost_halves > 0 ? (making.lost_halves - 1) >> shift : 0;
    for (std::size_t column = 0; column < row_constants; ++column) {
      if (column == States) continue;
      constants[column] = static_cast<std::int32_t>(entries[column].scaled(-shift).to_fixed(32));
      // Each product that is rounded down loses half a unit on average; the drift gives it back.
      lost += column < States && constants[column] != 0 && making.lost_halves > 0 ? 1 : 0;
    }
    constants[States] = static_cast<std::int32_t>((entries[States].scaled(-shift).to_fixed(33) + 1 + lost) >> 1);
    return {};
  }
  [[nodiscard]] static constexpr Status make_initial(const Parameters& given, const Making& making, auto to) noexcept {
    const auto initial = making.word_of(given.initial[0], "membrane.initial");
    if (!initial) return initial.status();
    to.initial.v = initial.value();
    to.quantities.v = making.membrane();
    for (std::uint32_t state = 1; state < States; ++state) {
      const int bits = making.linear.bits[state];
      const std::int64_t word = detail::SoftFloat{given.initial[state]}.to_fixed(bits);
      if (!detail::is_finite(given.initial[state]) || word > INT32_MAX || word < INT32_MIN)
        return {Error::parameter_out_of_range, state, given.initial[state], "membrane.initial"};
      to.initial[state] = static_cast<std::int32_t>(word);
      to.quantities[state] = {"", detail::power_of_two(-bits), 0.0};
    }
    return {};
  }
};

} // namespace membrane
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
