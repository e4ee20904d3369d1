// SPDX-License-Identifier: BSL-1.0
#include <tests/support/catch.hpp>

#include <neuromorph/execution/workflow.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace execution = neuromorph::execution;
using neuromorph::Refusal;
using Names = std::vector<std::string>;

namespace {
execution::Algorithm algorithm(std::string name, Names needs, Names makes) {
  return {.name = std::move(name),
          .phase = "phase",
          .needs = std::move(needs),
          .makes = makes,
          .run = [makes](execution::Values& values) {
            for (const std::string& one : makes) values.set_token(one);
            return Refusal{};
          }};
}
} // namespace

TEST_CASE("Algorithms run behind those that make what they need, and no others do") {
  execution::Workflow flow;
  flow.add(algorithm("run", {"loaded", "machine"}, {"results"}));
  flow.add(algorithm("load", {"placements", "machine"}, {"loaded"}));
  flow.add(algorithm("report", {"placements"}, {"text"}));
  flow.add(algorithm("place", {"graph", "machine"}, {"placements", "keys"}));
  flow.add(algorithm("discover", {}, {"machine"}));
  execution::Values values;
  values.set("graph", 42);
  const auto order = flow.order(values, {"results"});
  REQUIRE(order.ok());
  CHECK(order.value() == Names{"discover", "place", "load", "run"});
  REQUIRE(flow.run(values, {"results"}).ok());
  CHECK(values.has("results"));
  CHECK(!values.has("text"));
  REQUIRE(values.get<int>("graph") != nullptr);
  CHECK(*values.get<int>("graph") == 42);
  CHECK(values.get<long>("graph") == nullptr);
  CHECK(values.get<int>("results") == nullptr);
  CHECK(flow.times().size() == 4);
  CHECK_THAT(flow.text(), Catch::Contains("discover") && Catch::Contains("all"));
  // What is there is not made again; what is forgotten is.
  values.forget("loaded"), values.forget("results");
  CHECK(flow.order(values, {"results"}).value() == Names{"load", "run"});
  CHECK(flow.order(values, {"placements"}).value().empty());
}

TEST_CASE("What is missing, made twice, in a circle, or not made after all is named") {
  execution::Workflow flow;
  execution::Values values;
  flow.add(algorithm("a", {"x"}, {"y"}));
  CHECK(flow.order(values, {"z"}).sentence() == "workflow: nothing makes 'z', which who runs it needs");
  CHECK(flow.order(values, {"y"}).sentence() == "workflow: nothing makes 'x', which 'a' needs");
  flow.add(algorithm("b", {"y"}, {"x"}));
  CHECK(flow.order(values, {"y"}).sentence() == "workflow: 'a' needs, by way of 'b', what it makes: 'y'");
  flow.add(algorithm("c", {}, {"x"}));
  CHECK(flow.order(values, {"y"}).sentence() == "workflow: two algorithms make 'x': 'b' and 'c'");
  // A user's own takes the place of one of its name.
  flow.add(algorithm("b", {}, {"w"}));
  CHECK(flow.order(values, {"y"}).value() == Names{"c", "a"});
  flow.add(
      {.name = "c", .phase = "", .needs = {}, .makes = {"x"}, .run = [](execution::Values&) { return Refusal{}; }});
  CHECK(flow.run(values, {"y"}).sentence() == "workflow: 'c' has not made 'x', as it says");
  flow.add({.name = "c", .phase = "", .needs = {}, .makes = {"x"}, .run = [](execution::Values& of) {
              of.set_token("x"); // too early
              return Refusal{{neuromorph::Error::unmappable, 0, 0, "x"}, "chip 3", "it is full"};
            }});
  CHECK(flow.run(values, {"y"}).sentence() == "c: chip 3: it is full");
  CHECK(!values.has("y"));
  CHECK(!values.has("x"));
}

TEST_CASE("Random flows are ordered, or refused with a reason, as by looking at all") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 draw(seed);
    const auto count = static_cast<unsigned>(1 + draw() % 12);
    std::vector<execution::Algorithm> all;
    execution::Workflow flow;
    for (unsigned at = 0; at < count; ++at) {
      Names needs;
      const auto wants = static_cast<unsigned>(draw() % 3);
      for (unsigned one = 0; one < wants; ++one)
        needs.push_back("v" + std::to_string(draw() % (count + (draw() % 8 == 0 ? 1 : 0))));
      all.push_back(algorithm("a" + std::to_string(at), needs, {"v" + std::to_string(at)}));
      flow.add(all.back());
    }
    // By looking: what can be made, from nothing on.
    std::map<std::string, bool> can;
    for (bool grows = true; grows;) {
      grows = false;
      for (const auto& one : all)
        if (!can[one.makes[0]] &&
            std::all_of(one.needs.begin(), one.needs.end(), [&](const std::string& need) { return can[need]; }))
          grows = can[one.makes[0]] = true;
    }
    const std::string wanted = "v" + std::to_string(draw() % count);
    execution::Values values;
    const auto order = flow.order(values, {wanted});
    CAPTURE(seed, order.sentence());
    REQUIRE(order.ok() == can[wanted]);
    if (!order.ok()) continue;
    std::map<std::string, bool> made;
    for (const std::string& name : order.value()) {
      const auto& one = *std::find_if(all.begin(), all.end(), [&](const auto& of) { return of.name == name; });
      for (const std::string& need : one.needs) REQUIRE(made[need]);
      made[one.makes[0]] = true;
    }
    REQUIRE(made[wanted]);
  }
}
