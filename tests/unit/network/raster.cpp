// SPDX-License-Identifier: BSL-1.0
// The dots and bars of a raster, read from the file, against the spikes; and that there are never more than may be.
#include <neuromorph/network/raster.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/folders.hpp>
#include <tests/support/seeds.hpp>
#include <tests/support/spike_trains.hpp>

namespace {

using namespace networks;
using network::draw_raster;
using network::RasterOptions;
using network::Recording;

/// What stands between two texts, from a place on, which moves behind.
std::string between(const std::string& text, const std::string& before, const std::string& after, std::size_t& at) {
  const std::size_t begin = text.find(before, at);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find(after, begin + before.size());
  REQUIRE(end != std::string::npos);
  at = end;
  return text.substr(begin + before.size(), end - begin - before.size());
}

struct Dot {
  double x, y;
  bool is_inhibitory;
};
struct Drawn {
  std::vector<Dot> dots;
  std::vector<double> bars; // their upper edges
  std::string caption, time;
};
Drawn read(const std::string& path) {
  const std::string svg = contents_of(path);
  Drawn drawn;
  std::size_t at = 0;
  for (std::string path_of; !(path_of = between(svg, "stroke-width=\"1.6\" stroke=\"", "/>", at)).empty();) {
    const bool is_inhibitory = path_of.substr(0, 7) == neuromorph::host::inhibitory_colour;
    CHECK((is_inhibitory || path_of.substr(0, 7) == neuromorph::host::excitatory_colour));
    for (std::size_t dot = path_of.find('M'); dot != std::string::npos; dot = path_of.find('M', dot + 1)) {
      Dot one{0, 0, is_inhibitory};
      REQUIRE(std::sscanf(path_of.c_str() + dot, "M%lf %lfv2", &one.x, &one.y) == 2);
      drawn.dots.push_back(one);
    }
  }
  at = 0;
  const std::string bars = between(svg, "<path fill=\"#8aa6c4\" stroke=\"none\" d=\"", "Z", at);
  for (std::size_t bar = bars.find('V'); bar != std::string::npos; bar = bars.find('V', bar + 1))
    drawn.bars.push_back(std::stod(bars.substr(bar + 1)));
  REQUIRE_FALSE(drawn.bars.empty());
  drawn.bars.pop_back(); // the way back to the axis
  at = 0;
  drawn.caption = between(svg, "fill=\"#777\">", "<", at);
  drawn.time = between(svg, ">time / ms; ", "<", at);
  CHECK(svg.substr(svg.size() - 7) == "</svg>\n");
  return drawn;
}

Recording random_recording(std::mt19937& random, std::uint64_t steps) {
  Recording recording{.dt_ms = 0.1, .steps = steps};
  for (std::size_t count = 1 + random() % 5, made = 0; made < count; ++made) {
    const auto neurons = static_cast<std::uint32_t>(1 + random() % 200);
    recording.populations.push_back({"p" + std::to_string(made), neurons});
    for (const auto& [step, neuron] : random_train(random, neurons, steps))
      recording.populations.back().spikes.add(step, neuron);
  }
  return recording;
}

} // namespace

TEST_CASE("raster: a dot for each spike, from the first population down, and bars of the rate", "[network][raster]") {
  const Folder folder;
  const std::string path = folder / "raster.svg";
  for (const std::uint32_t seed : Seeds(20)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const std::uint64_t steps = 500 + random() % 3000;
    const Recording recording = random_recording(random, steps);
    const double whole = recording.duration_ms();
    RasterOptions options{.title = "of a & <b>", .most_dots = 100'000'000, .bin_ms = 5.0};
    if (seed % 3 == 0) options.begin_ms = 20.0;
    if (seed % 3 == 1) options.end_ms = 40.0;
    if (seed % 4 == 0) options.is_inhibitory = {true, true};
    const auto refusal = draw_raster(recording, path, options);
    INFO(refusal.sentence());
    REQUIRE(refusal.ok());
    const Drawn drawn = read(path);
    CHECK(contents_of(path).find(">of a &amp; &lt;b&gt;</text>") != std::string::npos);

    const double begin = options.begin_ms, end = options.end_ms > 0.0 ? options.end_ms : whole;
    double neurons = 0.0, base = 0.0;
    for (const auto& one : recording.populations) neurons += one.neurons;
    std::vector<double> counts(static_cast<std::size_t>(std::round((end - begin) * 10)) / 50, 0.0);
    std::vector<Dot> expected;
    for (std::size_t at = 0; at < recording.populations.size(); ++at) {
      const bool is_inhibitory = options.is_inhibitory.empty() ? at % 2 == 1 : at < 2;
      for (const auto& [step, neuron] : train_of(recording.populations[at].spikes)) {
        const double ms = static_cast<double>(step) * 0.1;
        if (ms < begin + 0.05 || ms > end + 0.05) continue;
        const double row = (base + neuron + 0.5) / neurons;
        expected.push_back({110 + (ms - begin) / (end - begin) * 830, 62 + row * 360 - 1, is_inhibitory});
        if (const auto bin = (step - static_cast<std::uint64_t>(begin * 10 + 0.5) - 1) / 50; bin < counts.size())
          ++counts[bin];
      }
      base += recording.populations[at].neurons;
    }
    REQUIRE(drawn.dots.size() == expected.size());
    bool all_there = true;
    for (std::size_t at = 0; at < expected.size(); ++at)
      all_there = all_there && std::fabs(drawn.dots[at].x - expected[at].x) < 0.051 &&
                  std::fabs(drawn.dots[at].y - expected[at].y) < 0.051 &&
                  drawn.dots[at].is_inhibitory == expected[at].is_inhibitory;
    CHECK(all_there);
    CHECK(drawn.caption == "all " + std::to_string(expected.size()) + " spikes");
    CHECK(drawn.time == "rate of all neurons in bins of 5 ms");
    REQUIRE(drawn.bars.size() == counts.size());
    double highest = 0.0;
    for (const double count : counts) highest = std::max(highest, count);
    for (std::size_t at = 0; at < counts.size(); ++at) // the axis is at 560, the highest bar 110 / 1.05 above it
      CHECK(drawn.bars[at] == Approx(highest > 0.0 ? 560 - 110 / 1.05 * counts[at] / highest : 560).margin(0.051));
  }
}

TEST_CASE("raster: never has more dots than may be, and says how many there are", "[network][raster]") {
  const Folder folder;
  const std::string path = folder / "raster.svg";
  for (const std::uint32_t seed : Seeds(40)) {
    std::mt19937 random(seed);
    const Recording recording = random_recording(random, 1 + random() % 3000);
    const std::size_t most = std::size_t{1} << random() % 14;
    INFO("seed " << seed << ", " << most << " dots");
    std::uint64_t all = 0;
    for (const auto& one : recording.populations) all += one.spikes.size();
    REQUIRE(draw_raster(recording, path, {.most_dots = most}).ok());
    const Drawn drawn = read(path);
    CHECK(drawn.dots.size() <= most);
    INFO(drawn.caption);
    if (all <= most) {
      CHECK(drawn.caption == "all " + std::to_string(all) + " spikes");
    } else {
      CHECK(drawn.caption.find(std::to_string(drawn.dots.size()) + " of " + std::to_string(all) + " spikes: ") == 0);
      if (drawn.caption.find("one in ") != std::string::npos) CHECK(drawn.dots.size() >= most / 2);
    }
    CHECK(drawn.bars.size() <= 801);
  }
  // Whoever is shown is shown with all spikes, if neurons are left out alone.
  Recording regular{.dt_ms = 1.0, .steps = 100, .populations = {{"cells", 90}}};
  for (std::uint64_t step = 1; step <= 100; ++step)
    for (std::uint32_t neuron = 0; neuron < 90; ++neuron) regular.populations[0].spikes.add(step, neuron);
  REQUIRE(draw_raster(regular, path, {.most_dots = 1000}).ok());
  CHECK(read(path).caption == "1000 of 9000 spikes: of one neuron in 9 of each population");
  REQUIRE(draw_raster(regular, path, {.most_dots = 30}).ok());
  CHECK(read(path).caption == "25 of 9000 spikes: one in 4 of one neuron in 90 of each population");
  REQUIRE(draw_raster(regular, path, {.most_dots = 0}).ok());
  CHECK(read(path).dots.size() == 1);
}

TEST_CASE("raster: what cannot be drawn is a sentence", "[network][raster]") {
  const Folder folder;
  const std::string path = folder / "raster.svg";
  const Recording recording{.dt_ms = 0.1, .steps = 1000, .populations = {{"cells", 3}}};
  CHECK(draw_raster(recording, path, {.begin_ms = 100.0}).sentence() ==
        path + ": from 100 to 100 ms there is nothing to draw");
  CHECK(network::draw_raster({.dt_ms = 0.1, .steps = 10}, path).sentence() == path + ": there are no neurons to draw");
  CHECK(network::draw_raster({.dt_ms = 0.1, .steps = 0, .populations = {{"cells", 3}}}, path).status.error ==
        neuromorph::Error::parameters_contradict);
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(draw_raster(recording, folder / "none/raster.svg").sentence() ==
        (folder / "none/raster.svg: cannot write it: No such file or directory"));
  CHECK(draw_raster(recording, "/dev/full").sentence() == "/dev/full: cannot write all of it: No space left on device");
  REQUIRE(draw_raster(recording, path, {.begin_ms = NAN, .end_ms = NAN, .bin_ms = NAN}).ok()); // silence, in one bin
  CHECK(read(path).dots.empty());
  CHECK(draw_raster(recording, path, {.replace = false}).status.error == neuromorph::Error::file_failed);
}

TEST_CASE("raster: names stand apart, however thin the populations are", "[network][raster]") {
  for (const std::uint32_t seed : Seeds(50)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<double> middles(1 + random() % 60);
    for (double& one : middles) one = 62.0 + static_cast<double>(random() % 361);
    std::sort(middles.begin(), middles.end());
    const auto places = network::detail::places_of_names(middles, 62.0, 422.0);
    CHECK(places.size() >= (middles.size() < 27 ? middles.size() : 14));
    for (std::size_t at = 0; at < places.size(); ++at) {
      CHECK(places[at].first <= 422.0);
      CHECK(places[at].first >= 62.0 - 1e-9);
      if (at != 0) CHECK(places[at].first - places[at - 1].first > 12.999);
      if (at != 0) CHECK(places[at].second > places[at - 1].second);
    }
  }
}
