// SPDX-License-Identifier: BSL-1.0
// Random cells, weights and drives from the whole range that parameters take: LIF neurons in all layouts beside integers
// that cannot wrap.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_battery.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

namespace {

class FromSeed : public neuron_battery::Draw {
public:
  FromSeed(std::uint32_t seed, std::uint32_t number) : random_(neuromorph::StreamId{seed, number, 0}) {}
  std::uint32_t word() override { return random_.next(); }

private:
  neuromorph::Sfc32 random_;
};

using namespace neuromorph;

/// Weights of a range against the exact ones: as many bits as were asked for, to nearest.
template <class Model>
void check_weights(std::uint32_t kind) {
  int accepted = 0, middling = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 2000 : 20000)) {
    FromSeed draw(seed, 100 + kind);
    const auto drawn = neuron_battery::draw_case(draw, neuron_battery::psps_of<Model> == 1);
    const auto made = made_of<Model>(drawn.cell, drawn.dt, drawn.weights);
    if (!made.ok()) continue;
    ++accepted;
    for (std::uint32_t which = 0; which < Model::receptors; ++which) {
      const double largest = parameters_of<Model>(drawn.cell, drawn.weights).synapses.weights[which].largest;
      const double per_na = made.value().units[which];
      // the largest; one that is about as likely to vanish as not; any
      for (const double na : {largest, draw.between(0.01, 3.0) / per_na, largest * draw.between(1e-3, 1.0)}) {
        const auto weight = Model::weight(made.value(), which, na);
        REQUIRE(Model::weight(made.value(), which, -na).status().error == Error::weight_out_of_range);
        const long double exact = static_cast<long double>(per_na) * na;
        INFO("seed " << seed << ", kind " << kind << ", " << na << " nA is " << static_cast<double>(exact) << ", "
                     << neuron_battery::show(drawn.cell, drawn.dt, drawn.weights));
        if (!weight.ok()) {
          REQUIRE(weight.status().error == (exact < 1 ? Error::weight_vanishes : Error::weight_out_of_range));
          if (exact < 1)
            REQUIRE(exact < 0.5000001L);
          else
            REQUIRE(na > largest);
          continue;
        }
        middling += exact > 0.25L && exact < 4 ? 1 : 0;
        REQUIRE(std::fabs(weight.value() - exact) <= 0.5L + 1e-12L * exact);
        if (na <= largest) REQUIRE(weight.value() < std::uint64_t{1} << drawn.weights.bits);
      }
    }
  }
  CHECK(accepted > 300);
  CHECK(middling > 300);
}

/// Whether docs/neurons.md allows this number as member `which` of a legal cell (10: the step, 11 and 12: the largest
/// weights), or leaves it open: at the very ends, and how large a weight may be.
enum class Legal { yes, no, open };
Legal is_legal(neuron_battery::Case drawn, std::uint32_t which, double value) {
  if (!std::isfinite(value)) return Legal::no;
  const LifCell& cell = drawn.cell;
  const auto within = [](long double it, long double least, long double most) {
    if (it < 0.999L * least || it > 1.001L * most) return Legal::no;
    return it > 1.001L * least && it < 0.999L * most ? Legal::yes : Legal::open;
  };
  const auto steps = [&](double tau) {
    return within(static_cast<long double>(tau) / static_cast<long double>(drawn.dt), 1.45L, 1e7L);
  };
  if (which <= 4 || which >= 10) {
    if (which == 3 || which == 4) { // zero: is the other one there?
      const bool other = (which == 3 ? cell.r_m_mohm : cell.c_m_nf) != 0.0;
      if (value == 0.0) return other ? Legal::yes : Legal::no;
      if (other) return Legal::no;
    }
    if (!(value > 0.0)) return Legal::no;
  }
  if (which <= 2 && steps(value) != Legal::yes) return steps(value);
  if (which == 1 || which == 2) return Legal::yes;
  if (which == 10) {
    drawn.dt = value;
    const std::array all{steps(cell.tau_m_ms), steps(cell.tau_exc_ms), steps(cell.tau_inh_ms),
                         within(1.0L + static_cast<long double>(cell.t_refract_ms) / value, 0.5L, 1e9L)};
    for (const Legal each : all)
      if (each == Legal::no) return Legal::no;
    for (const Legal each : all)
      if (each == Legal::open) return Legal::open;
    return Legal::yes;
  }
  const long double tau_m = which == 0 ? value : cell.tau_m_ms, c_m = which == 3 ? value : cell.c_m_nf,
                    r_m = which == 4 ? value : cell.r_m_mohm;
  const long double threshold = which == 7 ? value : cell.v_threshold_mv;
  const long double rest = (which == 5 ? value : cell.v_rest_mv) - threshold,
                    pulled = (which == 9 ? value : cell.i_offset_na) * (r_m != 0.0L ? r_m : tau_m / c_m);
  if (which == 6 || which == 7) {
    const Legal below = within(threshold - (which == 6 ? value : cell.v_reset_mv), 1e-6L, 504.0L);
    if (which == 6 || below != Legal::yes) return below;
  }
  if (which == 8)
    return value < 0.0 ? Legal::no : within(1.0L + static_cast<long double>(value) / drawn.dt, 0.5L, 1e9L);
  if (which >= 11) return Legal::open; // how large is chosen by the models
  const long double resistance = r_m != 0.0L ? r_m : tau_m / c_m;
  for (const Legal each :
       {within(std::fabs(rest) + 1.0L, 0.5L, 1025.0L), within(std::fabs(pulled) + 1.0L, 0.5L, 1025.0L),
        within(resistance, 0.0L, (std::numeric_limits<double>::max)())})
    if (each != Legal::yes) return each;
  return within(std::fabs(rest + pulled) + 1.0L, 0.5L, 257.0L);
}

/// One parameter of a cell is any number: all bit patterns, denormals, both zeros, infinities, NaNs, ends of ranges.
template <class Model>
void check_any_number(std::uint32_t kind) {
  constexpr bool one_tau = neuron_battery::psps_of<Model> == 1;
  std::array<int, 13> accepted{}, refused{};
  for (const std::uint32_t seed : Seeds(sanitized ? 10000 : 30000)) {
    FromSeed draw(seed, 200 + kind);
    auto drawn = neuron_battery::draw_case(draw, one_tau);
    drawn.weights.bits = 8 + draw.below(8);
    if (!made_of<Model>(drawn.cell, drawn.dt, drawn.weights).ok()) continue;
    const std::uint32_t which = draw.below(13);
    if (one_tau && (which == 1 || which == 2)) continue;                 // they are one
    if (Model::receptors == 1 && (which == 11 || which == 12)) continue; // the larger is taken
    LifCell& cell = drawn.cell;
    static constexpr const char* member_names[] = {
        "membrane.tau_ms",          "synapses.tau_ms",         "synapses.tau_ms",       "membrane.c_nf",
        "membrane.r_mohm",          "membrane.v_rest_mv",      "membrane.v_initial_mv", // which is the reset
        "threshold.v_mv",           "refractory.period_ms",    "membrane.i_offset_na",  "dt_ms",
        "synapses.weights.largest", "synapses.weights.largest"};
    double* const members[] = {&cell.tau_m_ms,
                               &cell.tau_exc_ms,
                               &cell.tau_inh_ms,
                               &cell.c_m_nf,
                               &cell.r_m_mohm,
                               &cell.v_rest_mv,
                               &cell.v_reset_mv,
                               &cell.v_threshold_mv,
                               &cell.t_refract_ms,
                               &cell.i_offset_na,
                               &drawn.dt,
                               &drawn.weights.excitatory_na,
                               &drawn.weights.inhibitory_na};
    const auto any = [&] { return std::bit_cast<double>(std::uint64_t{draw.word()} << 32 | draw.word()); };
    const double infinity = std::numeric_limits<double>::infinity();
    double value = 0.0;
    switch (draw.below(10)) {
    case 0: value = any(); break;
    case 1: value = std::bit_cast<double>(std::uint64_t{0x7FF80000} << 32 | draw.word()); break; // NaNs
    case 2: value = infinity; break;
    case 3: value = -infinity; break;
    case 4: value = 0.0; break;
    case 5: value = -0.0; break;
    case 6: value = std::numeric_limits<double>::denorm_min() * (1.0 + draw.below(1000)); break;
    case 7: value = (draw.one_in(2) ? 1.0 : -1.0) * (std::numeric_limits<double>::max)(); break;
    case 8: value = -*members[which] * draw.between(0.01, 100.0); break;
    default: value = *members[which] * draw.between(0.001, 1000.0); break;
    }
    const Legal legal = is_legal(drawn, which, value);
    *members[which] = value;
    const auto made = made_of<Model>(drawn.cell, drawn.dt, drawn.weights);
    INFO("seed " << seed << ", kind " << kind << ", member " << which << ", "
                 << neuron_battery::show(cell, drawn.dt, drawn.weights));
    ++(made.ok() ? accepted : refused)[which];
    if (legal == Legal::no) REQUIRE(!made.ok());
    if (made.ok()) {
      for (const double per_na : made.value().units) REQUIRE((std::isfinite(per_na) && per_na >= 0.0));
      continue;
    }
    const Status why = made.status();
    const bool weights = why.error == Error::weight_out_of_range;
    if (legal == Legal::yes && !weights)
      REQUIRE((neuron_battery::is_packed<Model> || neuron_battery::is_driven<Model>)); // narrower ranges
    if (legal != Legal::no) continue;
    const std::string named = member_names[which];
    if (!std::isfinite(value)) REQUIRE(why.error == Error::parameter_out_of_range);
    if (which == 1 || which == 2 || which == 6 || which == 8 || which >= 11) {
      INFO("names " << why.parameter);
      REQUIRE(why.parameter == named);
    }
  }
  for (const std::uint32_t which : {0U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 12U}) {
    if (Model::receptors == 1 && which >= 11) continue;
    INFO("member " << which);
    CHECK(accepted[which] > (sanitized ? 1 : 10));
    CHECK(refused[which] > (sanitized ? 1 : 10));
  }
}

} // namespace

TEST_CASE("neuron_battery: a parameter may be any number, and what is none of its range is refused",
          "[kernels][neuron]") {
  check_any_number<Lif<1>>(1);
  check_any_number<Lif<2>>(2);
  check_any_number<PackedLif>(3);
  check_any_number<CompactLif<1>>(4);
  check_any_number<CompactLif<2>>(5);
}

TEST_CASE("neuron_battery: weights have the bits that were asked for and are rounded once", "[kernels][neuron]") {
  check_weights<Lif<1>>(1);
  check_weights<Lif<2>>(2);
  check_weights<PackedLif>(3);
  check_weights<CompactLif<1>>(4);
  check_weights<CompactLif<2>>(5);
}

TEST_CASE("neuron_battery: no word wraps in silence, what saturates is counted, what is recorded is meant",
          "[kernels][neuron]") {
  constexpr std::uint32_t cases = sanitized ? 60 : 300; // of each kind
  std::array<neuron_battery::Tally, neuron_battery::kinds> tallies{};
  for (const std::uint32_t seed : Seeds(cases))
    for (std::uint32_t kind = 0; kind < neuron_battery::kinds; ++kind) {
      FromSeed draw(seed, kind);
      const std::string wrong = neuron_battery::run_one(kind, draw, tallies[kind]);
      INFO("seed " << seed << ", kind " << kind);
      REQUIRE(wrong == "");
    }
  for (std::uint32_t kind = 0; kind < neuron_battery::kinds; ++kind) {
    const auto& tally = tallies[kind];
    std::printf("kind %2u: %llu cases, %llu refused, %llu spikes, %llu steps of waiting, %llu saturations\n", kind,
                static_cast<unsigned long long>(tally.accepted), static_cast<unsigned long long>(tally.refused),
                static_cast<unsigned long long>(tally.spikes), static_cast<unsigned long long>(tally.waits),
                static_cast<unsigned long long>(tally.saturations));
    INFO("kind " << kind);
    CHECK(tally.accepted > cases / 8); // else it tests nothing
    CHECK(tally.spikes > 100);
    CHECK(tally.waits > 100);
    if (kind != 12 && kind != 14) CHECK(tally.saturations > 100); // 16 bits of input alone end no psp of theirs
  }
}
