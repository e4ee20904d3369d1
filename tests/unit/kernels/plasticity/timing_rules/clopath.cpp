// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include <neuromorph/kernels/plasticity/timing_rules/clopath.hpp>
#include <neuromorph/kernels/plasticity/voltage_means.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_battery.hpp"
#include "tests/support/plasticity_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Means = VoltageMeans<4>;
using Rule = timing::Clopath<Means>;
static_assert(TimingRule<Rule>);
using Update = plasticity::Deferred<Rule, weight::Additive, PostSynapticDelay::none>;

Update update_of(const Rule::Parameters& parameters, const Means& means) {
  return Update::from({0, plasticity::highest_weight}, Rule::from(parameters, 1.0, means).value()).value();
}

/// A neuron that has noise below its threshold, and a spike of 2 ms with an afterpotential for each event.
class Neuron {
public:
  explicit Neuron(const plasticity::Train& events) : events_(&events) {}
  Voltage step(plasticity::Random& random, plasticity::Ticks now) {
    const double noise = std::normal_distribution<double>(0, 1)(random);
    slow_ += -0.05 * (slow_ + 65) + 1.5 * noise;
    while (next_ < events_->size() && (*events_)[next_] < now) ++next_;
    if (next_ < events_->size() && (*events_)[next_] == now) since_ = 0;
    const double u = since_ == 0 ? 20 : since_ == 1 ? -20 : slow_ + 10 * std::exp(-since_ / 40);
    since_ += 1;
    return voltage_of(u);
  }

private:
  const plasticity::Train* events_;
  std::size_t next_ = 0;
  double slow_ = -65, since_ = 1e6;
};

} // namespace

TEST_CASE("clopath: as if applied at once", "[plasticity][clopath]") {
  const Rule::Parameters parameters{
      .tau_x_ms = 15, .theta_minus_mv = -67, .theta_plus_mv = -45.3, .a_ltd = 4e-4, .a_ltp = 6e-5};
  const plasticity::Clopath::Constants constants{15, 10, 7, -67, -45.3, 4e-4, 6e-5, -70.6};
  const plasticity::Ticks ticks = sanitized ? 10'000 : 100'000;
  for (const std::uint32_t seed : Seeds(2)) {
    plasticity::Random random(seed);
    for (const auto& [name, events] : plasticity::battery(random, 1.0, ticks)) {
      INFO("seed " << seed << ": " << name);
      Means means = Means::from({}, 1.0).value();
      plasticity::RowOnNeuron<Update, 60'000> row(update_of(parameters, means), {1, 9}, 0.5, 0);
      plasticity::Clopath rule(constants);
      plasticity::Weight weight{0.5, 0, 1};
      Neuron neuron(events.post);
      double greatest = 0;
      std::size_t next = 0;
      for (plasticity::Ticks time = 1; time <= ticks; ++time) {
        const auto now = static_cast<std::uint32_t>(time);
        const Voltage u = neuron.step(random, time);
        rule.voltage(time, u * 0x1p-20, weight);
        const Share up = row.update().timing().potentiation(u, means.plus(row.neuron));
        if (up != 0) row.modulate(now, up);
        means.step(row.neuron, u);
        if (next < events.pre.size() && events.pre[next] == time) {
          ++next;
          row.pre(now);
          rule.pre(time, weight);
          for (const std::size_t at : {0U, 1U}) greatest = std::fmax(greatest, std::fabs(row.share(at) - weight.value));
        } else if (time % 4096 == 0) {
          row.flush(now);
        }
      }
      CHECK(row.is_complete());
      CHECK(next + 1 >= events.pre.size());
      CHECK(greatest < 1e-4);
      CHECK(std::fabs(means.minus(row.neuron) * 0x1p-20 - rule.u_minus()) < 1e-4);
      CHECK(std::fabs(means.plus(row.neuron) * 0x1p-20 - rule.u_plus()) < 1e-4);
    }
  }
}

TEST_CASE("clopath: a spike and a tick are the closed form, and both ends hold", "[plasticity][clopath]") {
  Means means = Means::from({.rest_mv = -60}, 1.0).value();
  const Rule::Parameters parameters{
      .tau_x_ms = 15, .theta_minus_mv = -70, .theta_plus_mv = -45, .a_ltd = 0.01, .a_ltp = 0.001};
  plasticity::RowOnNeuron<Update> row(update_of(parameters, means), {1}, 0.5, 0);
  row.pre(100); // down by 0.01 times 10 mV
  CHECK(std::fabs(row.share(0) - 0.4) < 1e-8);
  const Rule& rule = row.update().timing();
  CHECK(rule.potentiation(voltage_of(-45), voltage_of(-60)) == 0);
  CHECK(rule.potentiation(voltage_of(0), voltage_of(-70)) == 0);
  CHECK(rule.potentiation(voltage_of(2047), voltage_of(2047)) == ~Share{0});
  const Share up = rule.potentiation(voltage_of(-35), voltage_of(-60)); // 10 mV and 10 mV
  CHECK(std::fabs(up / plasticity::whole_share - 0.1) < 1e-7);
  row.modulate(103, up), row.flush(110);
  CHECK(std::fabs(row.share(0) - (0.4 + 0.1 * std::exp(-3 / 15.0))) < 1e-7);
  row.post(111), row.flush(112); // is nothing by itself
  CHECK(std::fabs(row.share(0) - (0.4 + 0.1 * std::exp(-3 / 15.0))) < 1e-7);
  CHECK((row.update().counts().held_at_highest == 0 && row.update().counts().held_at_lowest == 0));
  for (std::uint32_t time = 120; time < 130; ++time) row.pre(time);
  CHECK(row.share(0) == 0);
  CHECK(row.update().counts().held_at_lowest == 6); // 0.4819 less ten times 0.1
  for (std::uint32_t time = 130; time < 135; ++time) row.modulate(time, up);
  row.flush(140);
  CHECK(row.share(0) > 0.9999999);
  CHECK(row.update().counts().held_at_highest > 0);
  // A mean below the threshold moves nothing.
  for (int tick = 0; tick < 400; ++tick) means.step(row.neuron, voltage_of(-80));
  CHECK(std::fabs(means.minus(row.neuron) * 0x1p-20 + 80) < 1e-4);
  row.pre(600);
  CHECK(row.share(0) > 0.9999999);
}

TEST_CASE("clopath: what is refused", "[plasticity][clopath]") {
  static constexpr Means means;
  const auto status = [](const Rule::Parameters& given) { return Rule::from(given, 1.0, means).status(); };
  CHECK(status({}).ok());
  CHECK(status({.tau_x_ms = 50}) == Status{Error::table_too_short, 0, 50.0, "tau_x_ms"});
  CHECK(status({.theta_minus_mv = -2048}) == Status{Error::parameter_out_of_range, 0, -2048.0, "theta_minus_mv"});
  CHECK(status({.theta_minus_mv = 2048}) == Status{Error::parameter_out_of_range, 0, 2048.0, "theta_minus_mv"});
  CHECK(status({.theta_plus_mv = -2048}) == Status{Error::parameter_out_of_range, 0, -2048.0, "theta_plus_mv"});
  CHECK(Means::from({.rest_mv = -2048}, 1.0).status() == Status{Error::parameter_out_of_range, 0, -2048.0, "rest_mv"});
  CHECK(Means::from({}, HUGE_VAL).status() == Status{Error::parameter_out_of_range, 0, HUGE_VAL, "dt_ms"});
  CHECK(status({.theta_plus_mv = 2048}) == Status{Error::parameter_out_of_range, 0, 2048.0, "theta_plus_mv"});
  CHECK(status({.a_ltd = 2}) == Status{Error::parameter_out_of_range, 0, 2.0, "a_ltd"});
  CHECK(status({.a_ltp = 1e-9}) == Status{Error::parameter_out_of_range, 0, 1e-9, "a_ltp"});
  CHECK(Means::from({.tau_minus_ms = 0}, 1.0).status() ==
        Status{Error::parameter_not_positive, 0, 0.0, "tau_minus_ms"});
  CHECK(Means::from({.tau_plus_ms = 2e5}, 1.0).status() ==
        Status{Error::time_constant_too_long, 0, 2e5, "tau_plus_ms"});
  CHECK(Means::from({.rest_mv = 3000}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 3000.0, "rest_mv"});
  for (const double mv : {2047.5, -2047.5}) CHECK(status({.theta_minus_mv = mv, .theta_plus_mv = mv}).ok());
  CHECK(Means::from({}, -1.0).status() == Status{Error::parameter_not_positive, 0, -1.0, "dt_ms"});
  CHECK(Means::from({.tau_plus_ms = HUGE_VAL}, 1.0).status() ==
        Status{Error::parameter_out_of_range, 0, HUGE_VAL, "tau_plus_ms"});
}

TEST_CASE("clopath: what is given where nothing is", "[plasticity][clopath]") {
  const Means means = Means::from({}, 1.0).value();
  const auto rule = Rule::from({}, 1.0, means).value();
  CHECK(rule.table.at(15) == 790015084); // e^-1
  CHECK((rule.theta_minus == voltage_of(-70.6) && rule.theta_plus == voltage_of(-45.3)));
  CHECK((rule.a_ltd == share_of(14e-5, "").value() && rule.a_ltp == share_of(8e-5, "").value()));
  CHECK(Rule::from({}, 0.5, means).value().a_ltp == share_of(4e-5, "").value());
  CHECK((means.minus(0) == voltage_of(-70.6) && means.plus(3) == voltage_of(-70.6)));
  const Rule none;
  CHECK((none.a_ltd == 0 && none.a_ltp == 0 && none.theta_minus == 0 && none.theta_plus == 0));
  CHECK((Rule::is_spent(0) && !Rule::is_spent(1)));
  Means followed = means;
  for (int tick = 0; tick < 10; ++tick) followed.step(2, voltage_of(-60.6));
  CHECK(std::fabs(followed.minus(2) * 0x1p-20 + 60.6 + 10 * std::exp(-1.0)) < 1e-4); // 10 ms
  CHECK(std::fabs(followed.plus(2) * 0x1p-20 + 60.6 + 10 * std::exp(-10 / 7.0)) < 1e-4);
  Means nothing; // stays where it is
  nothing.step(0, voltage_of(2000));
  CHECK((nothing.minus(0) == 0 && nothing.plus(0) == 0));
}

TEST_CASE("clopath: the potentiation of a tick is a product of three, to nearest", "[plasticity][clopath]") {
  const Means means = Means::from({}, 1.0).value();
  for (const std::uint32_t seed : Seeds(3)) {
    plasticity::Random random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int turn = 0; turn < 3000; ++turn) {
      const double a = std::exp2(-20 * uniform(random)), theta_minus = -100 + 100 * uniform(random),
                   theta_plus = -100 + 100 * uniform(random), reach = 2047 * std::pow(uniform(random), 3);
      const auto made =
          Rule::from({.theta_minus_mv = theta_minus, .theta_plus_mv = theta_plus, .a_ltp = a}, 1.0, means);
      const Voltage u = voltage_of(theta_plus + reach * uniform(random)), u_plus = voltage_of(theta_minus + reach);
      const double above = (static_cast<double>(u) - voltage_of(theta_plus)) * 0x1p-20,
                   mean_above = (static_cast<double>(u_plus) - voltage_of(theta_minus)) * 0x1p-20;
      // A square of 65536 mV^2 and more counts as just below that, and the whole range and more, too.
      const double square = std::fmin(above * mean_above, 65536 - 0x1p-16);
      const double share = made.value().a_ltp * square, whole = plasticity::whole_share - 1;
      INFO("seed " << seed << ": " << a << " of " << above << " and " << mean_above << " mV");
      const double off = std::fabs(made.value().potentiation(u, u_plus) - std::fmin(share, whole));
      REQUIRE(off <=
              0.51 + made.value().a_ltp * 0x1p-17); // of the share, and of the square, which has 16 fraction bits
    }
  }
}

TEST_CASE("clopath: the depression of a spike is in proportion to the mean above its threshold, to nearest",
          "[plasticity][clopath]") {
  for (const std::uint32_t seed : Seeds(100)) {
    plasticity::Random random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double a = std::exp2(-20 + 12 * uniform(random)), theta = -80 + 20 * uniform(random),
                 mean = theta - 5 + 100 * uniform(random);
    Means means = Means::from({.rest_mv = mean}, 1.0).value();
    plasticity::RowOnNeuron<Update> row(update_of({.theta_minus_mv = theta, .a_ltd = a}, means), {1}, 1.0, 0);
    const double highest = row.share(0), above = (static_cast<double>(voltage_of(mean)) - voltage_of(theta)) * 0x1p-20;
    row.pre(100);
    INFO("seed " << seed << ": " << above << " mV above");
    const double down = row.update().timing().a_ltd * std::fmax(above, 0), most = plasticity::whole_share - 1;
    CHECK(std::fabs((highest - row.share(0)) * plasticity::whole_share - std::fmin(down, most)) <= 0.5);
  }
}
