// SPDX-License-Identifier: BSL-1.0
// Neurons by the numbers of their recurrence, against 64-bit integers in a plain loop, and against double.
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/kernels/neurons/models/trained.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"

using namespace neuromorph;

namespace {

enum class Synapses { sums, with_arrivals, before_arrivals };
enum class Resets { to_value, subtraction, twice, none };

struct Numbers {
  double kept, drift, threshold, reset, psp_kept, psp_drift, initial;
  int bits, sum_bits;
};

/// The rule, as it is written down in the headers, with membranes that count from zero and not from the threshold.
struct Plain {
  Numbers of;
  Synapses synapses;
  Resets resets;
  std::int64_t v = 0, psp = 0;
  std::uint32_t held = 0;

  [[nodiscard]] std::int64_t fixed(double value) const { return std::llround(std::ldexp(value, of.bits)); }
  [[nodiscard]] std::int64_t level() const { return resets == Resets::none ? 0 : fixed(of.threshold); }
  void start() { v = fixed(of.initial); }
  /// Half up. What is kept is a number of 32 fraction bits.
  [[nodiscard]] static std::int64_t kept(std::int64_t word, double part) {
    const bool is_itself = part >= 0.5;
    std::int64_t factor = std::llround(std::ldexp(is_itself ? part - 1.0 : part, 32));
    if (factor > INT32_MAX) factor = INT32_MAX;
    return (is_itself ? word : 0) + ((word * factor + (std::int64_t{1} << 31)) >> 32);
  }
  std::int64_t hold(std::int64_t word) {
    if (word >= INT32_MIN && word <= INT32_MAX) return word;
    ++held;
    return word < 0 ? INT32_MIN : INT32_MAX;
  }
  bool step(std::int32_t input) {
    const std::int64_t before = v - level(), arriving = std::int64_t{input} << (of.bits - of.sum_bits);
    std::int64_t now = hold(kept(before, of.kept) + fixed(of.drift) + kept(level(), of.kept) - level());
    now = hold(now + (synapses == Synapses::before_arrivals ? psp : 0));
    if (synapses != Synapses::sums) psp = hold(hold(kept(psp, of.psp_kept) + fixed(of.psp_drift)) + arriving);
    if (synapses == Synapses::sums) now = hold(now + arriving);
    if (synapses == Synapses::with_arrivals) now = hold(now + psp);
    const std::int64_t by = fixed(of.threshold - of.reset);
    std::int64_t tested = now;
    if (resets == Resets::twice && before >= 0) tested = std::max<std::int64_t>(now - by, INT32_MIN);
    const bool fires = resets != Resets::none && tested >= 0;
    if (fires) now = resets == Resets::to_value ? fixed(of.reset) - level() : hold(now - by);
    v = now + level();
    return fires;
  }
};

template <class Model>
typename Model::Parameters parameters_of(const Numbers& of, Synapses synapses, Resets resets) {
  typename Model::Parameters made{};
  made.membrane = {.kept = of.kept, .drift_mv = of.drift, .v_initial_mv = of.initial, .fraction_bits = of.bits};
  if constexpr (requires { made.synapses.kept; })
    made.synapses.kept = of.psp_kept, made.synapses.drift_mv = of.psp_drift;
  made.synapses.fraction_bits = of.sum_bits;
  if constexpr (requires { made.threshold.v_mv; }) made.threshold.v_mv = of.threshold;
  if constexpr (requires { made.reset.v_mv; }) made.reset.v_mv = of.reset;
  if constexpr (requires { made.reset.by_mv; }) made.reset.by_mv = of.threshold - of.reset;
  static_cast<void>(synapses), static_cast<void>(resets);
  return made;
}

double draw_double(std::mt19937_64& draw, double low, double high) {
  return low + (high - low) * static_cast<double>(draw() >> 11) * 0x1p-53;
}
double draw_kept(std::mt19937_64& draw) {
  const double of[] = {0.0, 1.0, 0.5, 0.25, 0.75, std::nextafter(0.5, 0.0), 1e-9, 1.0 - 1e-9};
  return draw() % 3 == 0 ? of[draw() % 8] : draw_double(draw, 0.0, 1.0);
}
/// On the grid of the word, so that nothing but the rule rounds.
double on_grid(double value, int bits) { return std::ldexp(std::nearbyint(std::ldexp(value, bits)), -bits); }

template <class Model>
void compare(Synapses synapses, Resets resets) {
  constexpr std::size_t count = 19; // groups of lanes, and some that are left
  for (std::uint64_t seed = 0; seed < (sanitized ? 20 : 120); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 draw(seed);
    Numbers of{};
    of.bits = static_cast<int>(draw() % 31);
    of.sum_bits = of.bits - static_cast<int>(draw() % static_cast<unsigned>(of.bits + 1));
    const double range = std::ldexp(1.0, 30 - of.bits), unit = std::ldexp(1.0, -of.bits);
    of.kept = draw_kept(draw), of.psp_kept = draw_kept(draw);
    const double small = std::min(range / 4, std::max(unit, 1.0 / 8));
    of.threshold = on_grid(draw_double(draw, -small, small), of.bits);
    of.reset = on_grid(of.threshold - std::max(unit, draw_double(draw, 0.0, small)), of.bits);
    of.initial = on_grid(of.threshold - std::max(unit, draw_double(draw, 0.0, small)), of.bits);
    of.drift = on_grid(draw_double(draw, -small / 16, small / 8), of.bits);
    of.psp_drift = on_grid(draw_double(draw, -small / 16, small / 16), of.bits);
    const auto made = Model::make(parameters_of<Model>(of, synapses, resets), 1.0);
    INFO(sentence(made.status()).text.data());
    REQUIRE(made.ok());
    Population<Model, count> native(made.value()), portable(made.value());
    std::vector<Plain> plain(count, Plain{of, synapses, resets});
    for (Plain& one : plain) one.start();
    // A tenth of the seeds drive words to their ends.
    const auto most = static_cast<std::uint64_t>(
        seed % 10 == 9 ? (1 << 30) - 1 : std::max(1.0, std::min(std::ldexp(small, of.sum_bits), 0x1p29)));
    for (std::uint32_t step = 1; step <= 300; ++step) {
      std::array<std::int32_t, count> input{}, same{};
      for (auto& one : input)
        if (draw() % 4 != 0) one = static_cast<std::int32_t>(draw() % (2 * most + 1)) - static_cast<std::int32_t>(most);
      same = input;
      std::vector<std::uint32_t> right;
      for (std::uint32_t at = 0; at < count; ++at)
        if (plain[at].step(input[at])) right.push_back(at);
      const auto fired = native.step(std::array{input.data()}, step);
      REQUIRE(std::vector<std::uint32_t>(fired.begin(), fired.end()) == right);
      const auto again = portable.template step<target::Generic>(std::array{same.data()}, step);
      REQUIRE(std::vector<std::uint32_t>(again.begin(), again.end()) == right);
      for (std::size_t at = 0; at < count; ++at) {
        REQUIRE(input[at] == 0);
        REQUIRE(native.words(place_of<Model>.membrane.v)[at] == plain[at].v - plain[at].level());
        if constexpr (requires { place_of<Model>.synapses.psp; })
          REQUIRE(native.words(place_of<Model>.synapses.psp)[at] == plain[at].psp);
      }
    }
    std::uint32_t held = 0;
    for (const Plain& one : plain) held += one.held;
    CHECK(native.saturations() == held);
    CHECK(portable.saturations() == held);
  }
}

} // namespace

TEST_CASE("recurrence: each composition is its rule, to the last bit, on lanes and one by one", "[kernels][neuron]") {
  using trained::Neuron;
  compare<Neuron<synapse::Sums, reset::ToValue>>(Synapses::sums, Resets::to_value);
  compare<Neuron<synapse::Sums, reset::Subtraction>>(Synapses::sums, Resets::subtraction);
  compare<Neuron<synapse::Sums, reset::TwiceTestedSubtraction>>(Synapses::sums, Resets::twice);
  compare<Neuron<synapse::Recurrence<>, reset::ToValue>>(Synapses::with_arrivals, Resets::to_value);
  compare<Neuron<synapse::Recurrence<>, reset::Subtraction>>(Synapses::with_arrivals, Resets::subtraction);
  compare<Neuron<synapse::Recurrence<>, reset::TwiceTestedSubtraction>>(Synapses::with_arrivals, Resets::twice);
  using Before = synapse::Recurrence<synapse::Acts::before_arrivals>;
  compare<Neuron<Before, reset::ToValue>>(Synapses::before_arrivals, Resets::to_value);
  compare<Neuron<Before, reset::TwiceTestedSubtraction>>(Synapses::before_arrivals, Resets::twice);
  compare<trained::Readout<synapse::Sums>>(Synapses::sums, Resets::none);
  compare<trained::Readout<synapse::Recurrence<>>>(Synapses::with_arrivals, Resets::none);
}

TEST_CASE("recurrence: a membrane follows double within what rounding adds up to", "[kernels][neuron]") {
  using Model = trained::Readout<synapse::Recurrence<>>;
  std::mt19937_64 draw(1);
  for (const double kept : {0.0, 0.3, 0.55, 0.9, 0.99, 0.999}) {
    typename Model::Parameters of{};
    of.membrane = {.kept = kept, .drift_mv = 0.0, .fraction_bits = 20};
    of.synapses = {.kept = 0.75, .fraction_bits = 12};
    Population<Model, 1> population(Model::make(of, 1.0).value());
    double v = 0.0, psp = 0.0, worst = 0.0;
    for (std::uint32_t step = 1; step < 5000; ++step) {
      std::array<std::int32_t, 1> input{static_cast<std::int32_t>(draw() % 801) - 400};
      psp = 0.75 * psp + input[0] / 4096.0, v = kept * v + psp;
      population.step(std::array{input.data()}, step);
      worst = std::max(worst, std::abs(population.value(place_of<Model>.membrane.v, 0) - v));
    }
    // A product of each word is half a unit off at most, and its factor 2^-33; 0.75 adds up to 4 times, kept to 1 / (1 - kept).
    const double unit = std::ldexp(1.0, -20);
    CHECK(worst <= (0.5 * 4 + 0.5) * unit / (1.0 - kept) + 1e-7);
    CHECK(worst > 0.0);
  }
}

TEST_CASE("recurrence: what cannot be is refused by its name", "[kernels][neuron]") {
  using Model = trained::Neuron<synapse::Recurrence<>, reset::ToValue>;
  const auto refused = [](auto change) {
    typename Model::Parameters of{};
    of.membrane = {.kept = 0.9, .fraction_bits = 15};
    of.threshold.v_mv = 1.0, of.reset.v_mv = 0.0;
    change(of);
    const auto made = Model::make(of, 1.0);
    return std::string(made.ok() ? "" : made.status().parameter);
  };
  CHECK(refused([](auto&) {}).empty());
  CHECK(refused([](auto& of) { of.membrane.kept = 1.0000001; }) == "membrane.kept");
  CHECK(refused([](auto& of) { of.membrane.kept = -0.1; }) == "membrane.kept");
  CHECK(refused([](auto& of) { of.membrane.kept = NAN; }) == "membrane.kept");
  CHECK(refused([](auto& of) { of.membrane.fraction_bits = 31; }) == "membrane.fraction_bits");
  CHECK(refused([](auto& of) { of.membrane.fraction_bits = -1; }) == "membrane.fraction_bits");
  CHECK(refused([](auto& of) { of.membrane.drift_mv = 1e6; }) == "membrane.drift_mv");
  CHECK(refused([](auto& of) { of.membrane.v_initial_mv = 1.0; }) == "membrane.v_initial_mv");
  CHECK(refused([](auto& of) { of.synapses.kept = 2.0; }) == "synapses.kept");
  CHECK(refused([](auto& of) { of.synapses.fraction_bits = 16; }) == "synapses.fraction_bits");
  CHECK(refused([](auto& of) { of.synapses.drift_mv = INFINITY; }) == "synapses.drift_mv");
  CHECK(refused([](auto& of) { of.reset.v_mv = 1.0; }) == "reset.v_mv");
  CHECK(refused([](auto& of) { of.threshold.v_mv = 70000.0; }) == "threshold");
}
