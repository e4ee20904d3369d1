// SPDX-License-Identifier: BSL-1.0
// The two rules of the cerebellum, parallel_fibre and mossy_fibre, which differ in their kernel.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <neuromorph/kernels/plasticity/timing_rules/mossy_fibre.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/parallel_fibre.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_battery.hpp"
#include "tests/support/plasticity_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {
using Parallel = timing::ParallelFibre<256, 64>;
using Mossy = timing::MossyFibre<320, 64>;
static_assert(TimingRule<Parallel> && TimingRule<Mossy>);

template <class Rule>
double greatest_error(const Rule& rule, std::uint32_t ticks,
                      const plasticity::Cerebellar<plasticity::Additive>::Kernel& exact) {
  double greatest = 0;
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    const double value = std::fmin(exact(tick) * 0x1p32, 0x1p32 - 1); // the highest is held a unit below 1
    greatest = std::fmax(greatest, std::fabs(rule.kernel[tick] - value));
  }
  return greatest;
}

template <class Rule, class Kernel>
void compare(const Rule& rule, Kernel kernel, double a_plus, double a_minus) {
  std::vector<double> values;
  for (int tick = 0; tick <= 320; ++tick) values.push_back(kernel(tick));
  const auto value_at = [&](double ticks) { return values[static_cast<std::size_t>(ticks)]; };
  const plasticity::Cerebellar additive(value_at, 320, plasticity::Additive{a_plus, a_minus});
  const plasticity::Cerebellar multiplicative(value_at, 320, plasticity::Multiplicative{a_plus, a_minus});
  for (const std::uint32_t seed : Seeds(2)) {
    const plasticity::Ticks ticks = sanitized ? 10'000 : 100'000;
    plasticity::compare_over_battery(plasticity::deferred(rule, weight::Additive{}), additive, seed, ticks, 2e-5);
    plasticity::compare_over_battery(plasticity::deferred(rule, weight::Multiplicative{}), multiplicative, seed, ticks,
                                     2e-5);
  }
}
} // namespace

TEST_CASE("parallel_fibre: the kernel is to nearest", "[plasticity][parallel_fibre]") {
  constexpr auto rule = Parallel::from({.peak_ms = 100}, 1.0).value();
  STATIC_REQUIRE(rule.kernel[0] == 0);
  STATIC_REQUIRE(rule.kernel[100] == ~Share{0});
  STATIC_REQUIRE(rule.kernel[207] == 0);
  for (const double peak_ms : {4.0, 17.3, 100.0, 123.0})
    CHECK(greatest_error(Parallel::from({.peak_ms = peak_ms}, 1.0).value(), 256,
                         [&](double ticks) { return plasticity::parallel_fibre_kernel(ticks, peak_ms); }) < 0.51);
  using Long = timing::ParallelFibre<65534, 16>;
  volatile double peak_ms = 3000; // so that the compiler does not compute it
  const auto fine = std::make_unique<Result<Long>>(Long::from({.peak_ms = peak_ms}, 0.1));
  CHECK(greatest_error(fine->value(), 65534,
                       [&](double ticks) { return plasticity::parallel_fibre_kernel(ticks, 30'000); }) < 0.51);
}

TEST_CASE("mossy_fibre: the kernel is to nearest", "[plasticity][mossy_fibre]") {
  constexpr auto rule = Mossy::from({}, 1.0).value();
  STATIC_REQUIRE(rule.kernel[0] == ~Share{0});
  STATIC_REQUIRE(rule.kernel[315] == 0);
  for (const double sigma_ms : {2.0, 17.3, 100.0, 200.0}) {
    for (const double beta : {0.0, 0.3, 11.0, 1000.0})
      CHECK(greatest_error(Mossy::from({.sigma_ms = sigma_ms, .beta = beta}, 1.0).value(), 320,
                           [&](double ticks) { return plasticity::mossy_fibre_kernel(ticks, sigma_ms, beta); }) < 0.51);
  }
}

TEST_CASE("parallel_fibre: as if applied at once", "[plasticity][parallel_fibre]") {
  compare(
      Parallel::from({.peak_ms = 100, .a_plus = 0.004, .a_minus = 0.003}, 1.0).value(),
      [](double ticks) { return plasticity::parallel_fibre_kernel(ticks, 100); }, 0.004, 0.003);
}

TEST_CASE("mossy_fibre: as if applied at once", "[plasticity][mossy_fibre]") {
  compare(
      Mossy::from({.sigma_ms = 150, .beta = 4, .a_plus = 0.004, .a_minus = 0.003}, 1.0).value(),
      [](double ticks) { return plasticity::mossy_fibre_kernel(ticks, 150, 4); }, 0.004, 0.003);
}

TEST_CASE("parallel_fibre: single pairs are the closed form", "[plasticity][parallel_fibre]") {
  const auto update = plasticity::deferred(
      Parallel::from({.peak_ms = 100, .a_plus = 0.01, .a_minus = 0.2}, 1.0).value(), weight::Additive{});
  for (std::uint32_t distance = 1; distance < 240; ++distance) {
    INFO("event " << distance << " after the spike");
    plasticity::RowOnNeuron row(update, {1}, 0.5, 1000);
    row.pre(1100), row.flush(1100 + distance / 2), row.post(1099 + distance), row.flush(1400);
    CHECK(std::fabs(row.share(0) - (0.51 - 0.2 * plasticity::parallel_fibre_kernel(distance, 100))) < 2e-9);
  }
}

TEST_CASE("parallel_fibre: where the kernel is 0 an event changes nothing", "[plasticity][parallel_fibre]") {
  const auto rule = Parallel::from({.peak_ms = 100, .a_plus = 0.01, .a_minus = 0.2}, 1.0).value();
  const auto update = plasticity::deferred(rule, weight::Additive{});
  for (const std::uint32_t distance : {1U, 2U, 207U, 220U, 255U, 256U, 300U}) {
    INFO("event " << distance << " after the spike");
    plasticity::RowOnNeuron row(update, {1}, 0.5, 1000);
    row.pre(1100);
    const double before = row.share(0);
    row.post(1099 + distance), row.flush(1500);
    CHECK(row.share(0) == before);
  }
}

TEST_CASE("mossy_fibre: single pairs are the closed form, to the last tick of the kernel",
          "[plasticity][mossy_fibre]") {
  using Full = timing::MossyFibre<315, 4>; // as many as it needs
  CHECK(timing::MossyFibre<314, 4>::from({.sigma_ms = 200, .beta = 0}, 1.0).status() ==
        Status{Error::table_too_short, 0, 200.0, "sigma_ms"});
  const auto update = plasticity::deferred(
      Full::from({.sigma_ms = 200, .beta = 0, .a_plus = 0.01, .a_minus = 0.2}, 1.0).value(), weight::Additive{});
  for (const std::uint32_t distance : {1U, 2U, 100U, 300U, 312U, 313U, 314U, 315U, 316U}) {
    INFO("event " << distance << " after the spike");
    plasticity::RowOnNeuron row(update, {1}, 0.5, 1000);
    row.pre(1100), row.post(1099 + distance), row.flush(1500);
    CHECK(std::fabs(row.share(0) - (0.51 - 0.2 * plasticity::mossy_fibre_kernel(distance, 200, 0))) < 6e-10);
  }
}

TEST_CASE("parallel_fibre: spikes that give way are counted, and both ends hold", "[plasticity][parallel_fibre]") {
  using Few = timing::ParallelFibre<256, 4>;
  const auto rule = Few::from({.peak_ms = 100, .a_plus = 0.09, .a_minus = 0.5}, 1.0).value();
  plasticity::RowOnNeuron row(plasticity::deferred(rule, weight::Additive{}), {1}, 0.5, 0);
  for (std::uint32_t time = 1; time <= 4; ++time) row.pre(time);
  CHECK(row.update().counts().held_traces == 0);
  row.pre(5), row.pre(6);
  CHECK(row.update().counts().held_traces == 2);
  CHECK(row.update().counts().held_at_highest == 1);
  row.post(103), row.post(104), row.flush(105); // four halves of the range, twice
  CHECK(row.update().counts().held_traces == 6);
  CHECK(row.update().counts().held_at_lowest == 1);
  CHECK(row.share(0) == 0);
  row.pre(400); // the kernel is over: all are forgotten
  CHECK(row.update().counts().held_traces == 6);
  CHECK(row.trace().one_more[0] == 1);
  CHECK(row.trace().one_more[1] == 0);
}

TEST_CASE("parallel_fibre, mossy_fibre: what is refused", "[plasticity][parallel_fibre][mossy_fibre]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(Parallel::from({.peak_ms = 124}, 1.0).status() == Status{Error::table_too_short, 0, 124.0, "peak_ms"});
  CHECK(Parallel::from({.peak_ms = 3.9}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 3.9, "peak_ms"});
  CHECK(Parallel::from({.peak_ms = infinity}, 1.0).status() ==
        Status{Error::parameter_out_of_range, 0, infinity, "peak_ms"});
  CHECK(Parallel::from({.peak_ms = 1e9}, 1.0).status() == Status{Error::table_too_short, 0, 1e9, "peak_ms"});
  CHECK(Parallel::from({}, 0).status() == Status{Error::parameter_not_positive, 0, 0.0, "dt_ms"});
  CHECK(Parallel::from({.a_plus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a_plus"});
  CHECK(Parallel::from({.a_minus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a_minus"});
  CHECK(Mossy::from({.sigma_ms = 204}, 1.0).status() == Status{Error::table_too_short, 0, 204.0, "sigma_ms"});
  CHECK(Mossy::from({.sigma_ms = 1.9}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 1.9, "sigma_ms"});
  CHECK(Mossy::from({.beta = 1001}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 1001.0, "beta"});
  CHECK(Mossy::from({.beta = -1}, 1.0).status() == Status{Error::parameter_out_of_range, 0, -1.0, "beta"});
  CHECK(Mossy::from({.a_plus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a_plus"});
  CHECK(Mossy::from({.a_minus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a_minus"});
}

TEST_CASE("parallel_fibre, mossy_fibre: what is given where nothing is", "[plasticity][parallel_fibre][mossy_fibre]") {
  const auto parallel = Parallel::from({}, 1.0).value();
  const auto mossy = Mossy::from({}, 1.0).value();
  CHECK(parallel.kernel[100] == ~Share{0});
  CHECK((parallel.kernel[99] < parallel.kernel[100] && parallel.kernel[101] < parallel.kernel[100]));
  CHECK(std::fabs(mossy.kernel[30] * 0x1p-32 - plasticity::mossy_fibre_kernel(30, 200, 11)) < 1e-8);
  for (const auto& amplitudes : {std::pair{parallel.a_plus, parallel.a_minus}, {mossy.a_plus, mossy.a_minus}})
    CHECK(amplitudes == std::pair{share_of(0.01, "").value(), share_of(0.05, "").value()});
  const Parallel none;
  CHECK((none.a_plus == 0 && none.a_minus == 0 && none.kernel[0] == 0));
  Parallel::RowTrace row;
  CHECK(Parallel::is_spent(row));
  row.push();
  CHECK((!Parallel::is_spent(row) && row.one_more[0] == 1));
  CHECK((row.later(255, 256).one_more[0] == 256 && row.later(256, 256).one_more[0] == 0));
  row = row.later(200, 256);
  row.push();
  const Parallel::RowTrace both = row.later(55, 256), one = row.later(56, 256);
  CHECK((both.one_more[0] == 56 && both.one_more[1] == 256 && both.one_more[2] == 0));
  CHECK((one.one_more[0] == 57 && one.one_more[1] == 0)); // the older one has been forgotten
  struct {
    timing::MossyFibre<320, 2>::RowTrace row;
    std::uint16_t behind[4] = {7, 7, 7, 7};
  } few;
  CHECK((!few.row.push() && !few.row.push() && few.row.push()));
  CHECK((few.row.one_more[0] == 1 && few.row.one_more[1] == 1));
  for (const std::uint16_t word : few.behind) CHECK(word == 7);
}
