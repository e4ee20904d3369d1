// SPDX-License-Identifier: BSL-1.0
// Scales and constants of psps beside their equations, and what of weights is refused: of each kind of synapse.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/double_exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/neuron_runs.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

template <class Synapses>
using Model = Neuron<membrane::Lif, Synapses>;
using Difference = Model<synapse::Difference>;
using Exponential = Model<synapse::Exponential<2>>;
using Alpha = Model<synapse::Alpha<2>>;
using Double = Model<synapse::DoubleExponential<2>>;
using Pair = Model<synapse::ExponentialPair>;
using OneDriven = Model<synapse::Driven<1>>;
using TwoDriven = Model<synapse::Driven<2, 9>>;
using Delta = Model<synapse::Delta<2>>;

/// Steps of 1 ms, 10 MOhm, rest at the threshold, 0 mV.
template <class Of>
typename Of::Parameters usual() {
  typename Of::Parameters given{};
  given.membrane = {.tau_ms = 20.0, .r_mohm = 10.0, .v_rest_mv = 0.0, .v_initial_mv = -20.0};
  given.threshold = {0.0};
  given.reset = {-20.0};
  if constexpr (requires { given.synapses.tau_ms = 5.0; })
    given.synapses.tau_ms = 5.0;
  else if constexpr (requires { given.synapses.tau_ms; })
    given.synapses.tau_ms.fill(5.0);
  else if constexpr (requires { given.synapses.tau_rise_ms; })
    given.synapses.tau_rise_ms.fill(2.0), given.synapses.tau_decay_ms.fill(5.0);
  for (auto& weight : given.synapses.weights) weight = {.largest = 0.1, .bits = 12};
  return given;
}
template <class Of>
Status status_of(auto change) {
  auto given = usual<Of>();
  change(given);
  return Of::make(given, 1.0).status();
}
template <class Of>
double response_of(const typename Of::Made& made, double tau) {
  const double a = 1.0 / 20.0, b = 1.0 / tau, r = made.making.r_mohm;
  return r * a * (std::exp(-b) - std::exp(-a)) / (a - b);
}

} // namespace

TEMPLATE_TEST_CASE("psps: of weights that cannot be it is told which", "[kernels][neuron]", Difference, Exponential,
                   Alpha, Double, Pair, OneDriven, TwoDriven, Delta) {
  using Of = TestType;
  REQUIRE(status_of<Of>([](auto&) {}).ok());
  for (std::uint32_t which = 0; which < Of::receptors; ++which) {
    const auto of_weight = [&](auto change) {
      return status_of<Of>([&](auto& given) { change(given.synapses.weights[which]); });
    };
    const auto refusal = [&](Error error, auto value, const char* name) { return Status{error, which, value, name}; };
    constexpr Error out = Error::parameter_out_of_range;
    constexpr unsigned most_bits = Of::Synapses::input_in_pairs ? 16 : Of::Synapses::takes_drift ? 30 : 31;
    for (const unsigned bits : {0U, most_bits + 1, 100U})
      CHECK(of_weight([&](auto& weight) { weight.bits = bits; }) == refusal(out, bits, "synapses.weights.bits"));
    for (const double wrong : {0.0, -0.5, -infinite, infinite}) {
      const Error error = std::isinf(wrong) ? out : Error::parameter_not_positive;
      CHECK(of_weight([&](auto& weight) { weight.largest = wrong; }) ==
            refusal(error, wrong, "synapses.weights.largest"));
    }
    CHECK(of_weight([&](auto& weight) { weight.largest = 1e9; }).error == Error::weight_out_of_range);
    CHECK(of_weight([&](auto& weight) { weight.largest = 1e9; }).where == which);
    for (const double wrong : {-0.5, -infinite, infinite, 1e9})
      CHECK(of_weight([&](auto& weight) { weight.drive_mv = wrong; }) ==
            refusal(out, wrong, "synapses.weights.drive_mv"));
    for (const double wrong : {-0.5, -infinite}) {
      CHECK(of_weight([&](auto& weight) { weight.rate_hz = wrong; }) ==
            refusal(out, wrong, "synapses.weights.rate_hz"));
      CHECK(of_weight([&](auto& weight) { weight.fan_in = wrong; }) == refusal(out, wrong, "synapses.weights.fan_in"));
    }
    CHECK(of_weight([&](auto& weight) { weight.rate_hz = 1e7, weight.fan_in = 1e7; }) ==
          refusal(out, 1e7, "synapses.weights.rate_hz"));
    // neither alone brings anything
    const auto made = Of::make(usual<Of>(), 1.0).value();
    for (const bool is_rate : {false, true}) {
      auto given = usual<Of>();
      (is_rate ? given.synapses.weights[which].rate_hz : given.synapses.weights[which].fan_in) = 1e4;
      const auto same = Of::make(given, 1.0).value();
      CHECK(same.making.unit_bits == made.making.unit_bits);
      CHECK(same.units == made.units);
    }
  }
}

TEMPLATE_TEST_CASE("psps: of a time constant that cannot be it is told which", "[kernels][neuron]", Exponential, Alpha,
                   Pair, OneDriven, TwoDriven) {
  for (std::uint32_t which = 0; which < TestType::receptors; ++which)
    for (const auto& [tau, error] : {std::pair{-1.0, Error::parameter_not_positive},
                                     {0.0, Error::parameter_not_positive},
                                     {infinite, Error::parameter_out_of_range},
                                     {1.0, Error::time_constant_too_short},
                                     {2e7, Error::time_constant_too_long}})
      CHECK(status_of<TestType>([&, tau = tau](auto& given) { given.synapses.tau_ms[which] = tau; }) ==
            Status{error, which, tau, "synapses.tau_ms"});
}

TEST_CASE("psps: of both time constants of a double exponential it is told which", "[kernels][neuron]") {
  for (std::uint32_t which = 0; which < 2; ++which)
    for (const auto& [tau, error] : {std::pair{-1.0, Error::parameter_not_positive},
                                     {1.0, Error::time_constant_too_short},
                                     {2e7, Error::time_constant_too_long}}) {
      CHECK(status_of<Double>([&, tau = tau](auto& given) { given.synapses.tau_rise_ms[which] = tau; }) ==
            Status{error, which, tau, "synapses.tau_rise_ms"});
      CHECK(status_of<Double>([&, tau = tau](auto& given) { given.synapses.tau_decay_ms[which] = tau; }) ==
            Status{error, which, tau, "synapses.tau_decay_ms"});
    }
  CHECK(status_of<Difference>([](auto& given) { given.synapses.tau_ms = 0.5; }) ==
        Status{Error::time_constant_too_short, 0, 0.5, "synapses.tau_ms"});
  // either way round, the same
  auto given = usual<Double>();
  const auto made = Double::make(given, 1.0).value();
  std::swap(given.synapses.tau_rise_ms, given.synapses.tau_decay_ms);
  const auto same = Double::make(given, 1.0).value();
  CHECK(same.units == made.units);
  CHECK(same.constants.synapses == made.constants.synapses);
}

TEST_CASE("psps: a spike that moves the membrane at once has the unit of the membrane", "[kernels][neuron]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 100 : 1000)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    auto given = usual<Delta>();
    double needed = 0.0;
    for (auto& weight : given.synapses.weights) {
      weight.largest = draw.log_between(0.01, 50.0);
      weight.bits = 8 + draw.below(20);
      const std::uint32_t kind = draw.below(3);
      if (kind == 0) weight.drive_mv = draw.log_between(1.0, 1e5);
      if (kind == 1) weight.rate_hz = draw.log_between(1.0, 100.0), weight.fan_in = draw.log_between(1.0, 1000.0);
      const double kept = std::exp(-1.0 / 20.0), events = weight.rate_hz * weight.fan_in / 1000.0;
      const double units = events / (1.0 - kept) + 6.0 * std::sqrt(events / (1.0 - kept * kept)) + 8.0;
      needed = std::max({needed, weight.drive_mv, kind == 1 ? weight.largest * units : 0.0});
    }
    const auto result = Delta::make(given, 1.0);
    REQUIRE(result.ok());
    const auto& made = result.value();
    const int bits = made.making.unit_bits;
    // half of the range holds what is brought, in the finest unit
    if (bits < 22) CHECK(needed > std::ldexp(1.0, 29 - bits) * (1 - 1e-4));
    CHECK(needed <= std::ldexp(1.0, 30 - bits) * (1 + 1e-4));
    for (std::uint32_t which = 0; which < 2; ++which) {
      const int shift = made.constants.synapses.shared.input_shift[which];
      CHECK(made.units[which] == std::ldexp(1.0, bits - shift));
      const double most = std::ldexp(1.0, static_cast<int>(given.synapses.weights[which].bits)),
                   largest = given.synapses.weights[which].largest * made.units[which];
      CHECK(largest < most);
      if (shift > 0) CHECK(2.0 * largest > most - 3.0);
    }
  }
  // to the last bit: 512 mV and half of it are what 2^31 and 2^30 units of 2^-22 mV are
  const auto bits_of = [](double drive_mv) {
    auto given = usual<Delta>();
    given.synapses.weights[1].drive_mv = drive_mv;
    return Delta::make(given, 1.0).value().making.unit_bits;
  };
  CHECK(bits_of(256.0) == 22);
  CHECK(bits_of(std::nextafter(256.0, 300.0)) == 21);
  CHECK(bits_of(512.0) == 21);
  CHECK(bits_of(std::nextafter(512.0, 600.0)) == 20);
  const auto limit = limit_between(1.0, 1e10, [](double drive_mv) {
    return status_of<Delta>([&](auto& given) { given.synapses.weights[0].drive_mv = drive_mv; }).ok();
  });
  CHECK(limit.next == 1e9);
}

TEST_CASE("psps: of one word for both the unit is that of the larger weight", "[kernels][neuron]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 100 : 1000)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    auto given = usual<Difference>();
    given.synapses.tau_ms = draw.log_between(1.5, 1000.0);
    double most_share = 0.0;
    for (auto& weight : given.synapses.weights) {
      weight.largest = draw.log_between(0.001, 1.0), weight.bits = 8 + draw.below(12);
      most_share = std::max(most_share, weight.largest / (std::ldexp(1.0, static_cast<int>(weight.bits)) - 1.0));
      if (draw.below(4) == 0) weight.drive_mv = draw.between(100.0, 3000.0);
    }
    if (std::fabs(given.synapses.tau_ms - 20.0) < 0.01) continue;
    const auto made = Difference::make(given, 1.0).value();
    const auto& own = made.constants.synapses;
    const double psp = response_of<Difference>(made, given.synapses.tau_ms),
                 unit = std::ldexp(1.0, made.making.unit_bits + own.shared.psp_shift);
    CHECK(made.units[0] == made.units[1]);
    CHECK(made.units[0] == Approx(std::ldexp(psp * unit, -own.shared.input_shift)).epsilon(1e-6));
    CHECK(made.quantities.synapses.psp.per_unit == Approx(1.0 / (psp * unit)).epsilon(1e-6));
    CHECK(std::fabs(own.decay - std::expm1(-1.0 / given.synapses.tau_ms) * 0x1p32) < 0.6);
    CHECK(most_share * made.units[0] < 1.01);
    if (own.shared.input_shift > 0) CHECK(most_share * made.units[0] > 0.49);
    CHECK(std::ldexp(1.0, -own.shared.psp_shift) <= made.making.room);
    CHECK(std::ldexp(2.0, -own.shared.psp_shift) > made.making.room);
    double needed = 0.0; // of what flows for ever, with as much room again
    for (const auto& weight : given.synapses.weights) needed = std::max(needed, weight.drive_mv * made.making.decay);
    const auto hold = [&](int bits) { return std::ldexp(made.making.room, 30 - bits); };
    CHECK(needed <= hold(made.making.unit_bits) * (1 + 1e-9));
    if (made.making.unit_bits < 22) CHECK(needed > hold(made.making.unit_bits + 1) * (1 - 1e-9));
  }
  using Shared = synapse::Difference::Shared;
  CHECK(synapse::Difference::is_covered(Shared{3, 1}, Shared{3, 2}));
  CHECK(synapse::Difference::is_covered(Shared{2, 1}, Shared{3, 1}));
  CHECK_FALSE(synapse::Difference::is_covered(Shared{4, 1}, Shared{3, 1}));
}

TEMPLATE_TEST_CASE("psps: what rises has the feed of its peak", "[kernels][neuron]", Alpha, Double) {
  constexpr bool is_alpha = std::is_same_v<TestType, Alpha>;
  for (const std::uint32_t seed : Seeds(sanitized ? 50 : 500)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    auto given = usual<TestType>();
    std::array<double, 2> slow{}, fast{};
    for (std::size_t which = 0; which < 2; ++which) {
      fast[which] = draw.log_between(1.5, 50.0);
      slow[which] = is_alpha ? fast[which] : fast[which] * draw.log_between(1.05, 20.0);
      if constexpr (is_alpha)
        given.synapses.tau_ms[which] = slow[which];
      else
        given.synapses.tau_rise_ms[which] = fast[which], given.synapses.tau_decay_ms[which] = slow[which];
      given.synapses.weights[which].largest = draw.log_between(0.001, 1.0);
      given.synapses.weights[which].bits = 8 + draw.below(12);
    }
    const auto made = TestType::make(given, 1.0).value();
    const auto& own = made.constants.synapses;
    constexpr std::size_t each = is_alpha ? 2 : 3;
    for (std::size_t which = 0; which < 2; ++which) {
      if (std::fabs(slow[which] - 20.0) < 0.05) continue;
      CHECK(std::fabs(own[each * which] - std::expm1(-1.0 / slow[which]) * 0x1p32) < 0.6);
      if (!is_alpha) CHECK(std::fabs(own[each * which + 2] - std::expm1(-1.0 / fast[which]) * 0x1p32) < 0.6);
      // the feed is finer by about its time constant in steps
      const int rise = own.shared.rise_shift[which];
      CHECK(rise >= 1);
      CHECK(std::ldexp(1.0 / fast[which], rise + 1) >= 1.0 - 1e-9);
      if (rise > 1) CHECK(std::ldexp(1.0 / fast[which], rise) < 1.0 + 1e-9);
      const double unit = std::ldexp(1.0, made.making.unit_bits + own.shared.psp_shift);
      const double psp = response_of<TestType>(made, slow[which]);
      CHECK(made.quantities.synapses[2 * which].per_unit * psp * unit == Approx(1.0).epsilon(1e-6));
      // what a feed of 1 nA/step adds to the current in a step: of the psp's unit
      const double y = 1.0 / slow[which] - 1.0 / fast[which], fed = y == 0.0 ? 1.0 : std::expm1(y) / y;
      CHECK(made.quantities.synapses[2 * which + 1].per_unit * psp * fed * std::ldexp(unit, rise) ==
            Approx(1.0).epsilon(1e-6));
      // peak of t exp(-t / tau) or of the difference
      const double peak_at =
          is_alpha ? slow[which] : std::log(slow[which] / fast[which]) / (1.0 / fast[which] - 1.0 / slow[which]);
      const double peak = is_alpha ? peak_at * std::exp(-1.0)
                                   : (std::exp(-peak_at / slow[which]) - std::exp(-peak_at / fast[which])) /
                                         (1.0 / fast[which] - 1.0 / slow[which]);
      const int shift = own.shared.input_shift[which];
      const double of_one = psp * fed / peak * std::ldexp(unit, rise - shift);
      CHECK(made.units[which] == Approx(of_one).epsilon(1e-5));
      const auto& weight = given.synapses.weights[which];
      const double most = std::ldexp(1.0, static_cast<int>(weight.bits));
      CHECK(weight.largest * of_one < most);
      if (shift > 0) CHECK(2.0 * weight.largest * of_one > most - 3.0);
    }
  }
  using Shared = typename TestType::Synapses::Shared;
  const Shared common{.psp_shift = 3, .rise_shift = {2, 4}};
  CHECK(TestType::Synapses::is_covered(common, common));
  CHECK(TestType::Synapses::is_covered(Shared{.psp_shift = 2, .rise_shift = {2, 4}}, common));
  CHECK_FALSE(TestType::Synapses::is_covered(Shared{.psp_shift = 4, .rise_shift = {2, 4}}, common));
  CHECK_FALSE(TestType::Synapses::is_covered(Shared{.psp_shift = 3, .rise_shift = {2, 3}}, common));
  // the coarser of what the receptors ask for
  const auto bits_of = [](std::array<double, 2> drive_mv) {
    auto given = usual<TestType>();
    for (std::size_t which = 0; which < 2; ++which) given.synapses.weights[which].drive_mv = drive_mv[which];
    return TestType::make(given, 1.0).value().making.unit_bits;
  };
  CHECK(bits_of({1e5, 1.0}) == bits_of({1e5, 1e5}));
  CHECK(bits_of({1.0, 1e5}) == bits_of({1e5, 1e5}));
  CHECK(bits_of({1.0, 1.0}) > bits_of({1e5, 1e5}));
}

TEMPLATE_TEST_CASE("psps: that carry the drive have constants of its equation, in the finest unit that has room",
                   "[kernels][neuron]", OneDriven, TwoDriven) {
  constexpr int shift = static_cast<int>(TestType::Synapses::coupling_shift);
  constexpr double lost = TestType::receptors == 1 ? 1.0 : 0.5; // of a step, by rounding down
  std::uint32_t coarser = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 100 : 1000)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    auto given = usual<TestType>();
    given.membrane.v_rest_mv = draw.between(-120.0, 120.0);
    for (std::size_t which = 0; which < TestType::receptors; ++which) {
      given.synapses.tau_ms[which] = draw.log_between(1.5, 1000.0);
      auto& weight = given.synapses.weights[which];
      weight = {.largest = draw.log_between(0.001, 1.0), .bits = 16 + draw.below(14)};
      const std::uint32_t kind = draw.below(3);
      if (kind == 0) weight.drive_mv = draw.log_between(10.0, 2000.0);
      if (kind == 1) weight.rate_hz = draw.log_between(1.0, 100.0), weight.fan_in = draw.log_between(1.0, 100.0);
      if (std::fabs(given.synapses.tau_ms[which] - 20.0) < 0.05) given.synapses.tau_ms[which] = 21.0;
    }
    const auto result = TestType::make(given, 1.0);
    INFO(result.status().parameter);
    REQUIRE(result.ok());
    const auto& made = result.value();
    const double decay = -std::expm1(-1.0 / 20.0), drift = given.membrane.v_rest_mv * decay;
    const auto unit = [](int bits) { return std::ldexp(1.0, bits + shift); };
    const auto fits = [&](int bits, double slack) {
      bool is_in = std::fabs(drift) * unit(bits) < 0x1p29 * slack;
      for (std::size_t which = 0; which < TestType::receptors; ++which) {
        const double kept = std::exp(-1.0 / given.synapses.tau_ms[which]);
        const auto& weight = given.synapses.weights[which];
        const double largest = response_of<TestType>(made, given.synapses.tau_ms[which]) * weight.largest;
        const double events = weight.rate_hz * weight.fan_in / 1000.0;
        const double psp = events / (1.0 - kept) + 6.0 * std::sqrt(events / (1.0 - kept * kept)) + 8.0;
        const double brought = std::max(events > 0.0 ? largest * psp : largest, weight.drive_mv * decay);
        if (which == 0) is_in = is_in && std::fabs(drift) * (1.0 - kept) * unit(bits) < 16.7e6 * slack;
        is_in = is_in && largest * unit(bits) < (std::ldexp(1.0, static_cast<int>(weight.bits)) - 1.0) * slack;
        is_in = is_in && brought * unit(bits) < 0x1p30 * slack;
      }
      return is_in;
    };
    const int bits = made.making.unit_bits;
    CHECK(made.constants.membrane.drift == 0); // a psp has it
    CHECK(fits(bits, 1.0 + 1e-4));
    if (bits < 22) CHECK_FALSE(fits(bits + 1, 1.0 - 1e-4));
    coarser += bits < 22 ? 1U : 0U;
    for (std::size_t which = 0; which < TestType::receptors; ++which) {
      const double lost_by_psp = -std::expm1(-1.0 / given.synapses.tau_ms[which]);
      const double drive = which == 0 ? drift * unit(bits) + lost * std::ldexp(1.0, shift) : 0.0;
      CHECK(std::fabs(made.constants.synapses[2 * which] - (1.0 - lost_by_psp) * 0x1p31) <= 1.0 + 1e-4);
      CHECK(std::fabs(made.constants.synapses[2 * which + 1] - (128.0 * drive * lost_by_psp + 128.0)) <= 1.5);
      CHECK(std::fabs(made.initial.synapses[which] - drive) <= 1.0 + 1e-4);
      const double of_one = response_of<TestType>(made, given.synapses.tau_ms[which]) * unit(bits);
      CHECK(made.units[which] == Approx(of_one).epsilon(1e-6));
      const Quantity& quantity = made.quantities.synapses[which];
      CHECK(quantity.per_unit * made.units[which] == Approx(1.0).epsilon(1e-12));
      CHECK(quantity.origin == Approx(-made.initial.synapses[which] / made.units[which]).margin(1e-12));
    }
  }
  CHECK(coarser > (sanitized ? 10U : 100U));
  // 2^14 steps of a psp; of the membrane's time constant what leaves a psp room
  const auto accepts = [](double tau) {
    return status_of<TestType>([&](auto& given) { given.synapses.tau_ms[0] = tau; }).ok();
  };
  CHECK(limit_between(5.0, 1e6, accepts).next == Approx(1.0 / -std::log1p(-0x1p-14)).epsilon(1e-9));
  const auto takes = [](double tau_m) {
    return status_of<TestType>([&](auto& given) { given.membrane.tau_ms = tau_m; }).ok();
  };
  const double most = (TestType::receptors == 1 ? 1.0 : 1.5) * std::ldexp(1.0, -shift);
  const double longest = limit_between(20.0, 1e6, takes).next;
  CHECK(longest == Approx(-1.0 / std::log1p(-most / 0.98)).epsilon(1e-6));
  CHECK(status_of<TestType>([&](auto& given) { given.membrane.tau_ms = longest; }) ==
        Status{Error::time_constant_too_long, 0, longest, "membrane.tau_ms"});
}

TEST_CASE("psps: both in a word have the least coupling that holds what they must", "[kernels][neuron]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 100 : 1000)) {
    INFO("seed " << seed);
    NeuronDraw draw(seed);
    auto given = usual<Pair>();
    for (std::size_t which = 0; which < 2; ++which) {
      given.synapses.tau_ms[which] = draw.log_between(1.5, 1000.0);
      if (std::fabs(given.synapses.tau_ms[which] - 20.0) < 0.05) given.synapses.tau_ms[which] = 21.0;
      auto& weight = given.synapses.weights[which];
      weight = {.largest = draw.log_between(0.01, 0.5), .bits = 8 + draw.below(5)};
      if (draw.below(3) == 0) weight.drive_mv = draw.log_between(1.0, 2000.0);
    }
    const auto result = Pair::make(given, 1.0);
    INFO(result.status().parameter);
    if (!result) {
      CHECK(result.status().error == Error::weight_out_of_range);
      continue;
    }
    const auto& made = result.value();
    const double unit = std::ldexp(1.0, made.making.unit_bits), decay = -std::expm1(-1.0 / 20.0);
    const std::int32_t word = made.constants.synapses.coupling;
    const std::array couplings{word & 0xFFFF, -(word >> 16)};
    CHECK(made.constants.synapses.centre == 32768 * (couplings[0] - couplings[1]));
    for (std::size_t which = 0; which < 2; ++which) {
      const auto& weight = given.synapses.weights[which];
      const double response = response_of<Pair>(made, given.synapses.tau_ms[which]) * unit;
      CHECK(made.units[which] == Approx(response / couplings[which]).epsilon(1e-6));
      const double most = std::ldexp(1.0, static_cast<int>(weight.bits));
      const auto holds = [&](double coupling, double slack) {
        return weight.largest * response / coupling < (most - 0.5) * (1.0 + slack) &&
               weight.drive_mv * decay * unit / coupling <= 65535.0 * (1.0 + slack);
      };
      CHECK(holds(couplings[which], 1e-4));
      if (couplings[which] > 2) CHECK_FALSE(holds(couplings[which] - 1, -1e-2 / couplings[which] * couplings[which]));
      CHECK(couplings[which] * 65535.0 <= made.making.room * 0x1p31);
      const double kept = std::exp(-1.0 / given.synapses.tau_ms[which]);
      CHECK(std::fabs(made.constants.synapses.shared.keep[which] - kept * 0x1p32) <= 0.6);
    }
  }
  using Shared = synapse::ExponentialPair::Shared;
  CHECK(synapse::ExponentialPair::is_covered(Shared{{1, 2}}, Shared{{1, 2}}));
  CHECK_FALSE(synapse::ExponentialPair::is_covered(Shared{{1, 3}}, Shared{{1, 2}}));
  // 65536 steps
  const auto accepts = [](double tau) {
    return status_of<Pair>([&](auto& given) { given.synapses.tau_ms[1] = tau; }).ok();
  };
  CHECK(limit_between(5.0, 1e6, accepts).next == Approx(65536.0).epsilon(1e-4));
}
