// SPDX-License-Identifier: BSL-1.0
/// \file
/// Algorithms that say what they need and what they make; the order in which they run follows from it.
///
///     execution::Workflow flow;
///     flow.add({.name = "placement", .needs = {"graph", "machine"}, .makes = {"placements"}, .run = [](execution::Values& of) { ... }});
///     flow.add({.name = "placement", ...}); // a user's own takes the place of the one of this name
///     if (const auto refusal = flow.run(values, {"recordings"}); !refusal) std::puts(refusal.sentence().c_str());
///     std::puts(flow.text().c_str()); // with the time of each
///
/// What is needed or made may be a value, or the token of something that is done, such as "data are loaded".
/// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), 6.7
// host-only
#ifndef NEUROMORPH_EXECUTION_WORKFLOW_HPP
#define NEUROMORPH_EXECUTION_WORKFLOW_HPP

#include <any>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

/// What algorithms hand on, by name; a token is a name without a value.
class Values {
public:
  template <class Value>
  void set(const std::string& name, Value value) {
    values_[name] = std::move(value);
  }
  void set_token(const std::string& name) { values_[name] = Token{}; }
  [[nodiscard]] bool has(const std::string& name) const { return values_.count(name) != 0; }
  /// \return nothing where there is none of this name, or one of another type
  template <class Value>
  [[nodiscard]] Value* get(const std::string& name) {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : std::any_cast<Value>(&found->second);
  }
  void forget(const std::string& name) { values_.erase(name); }

private:
  struct Token {};
  std::map<std::string, std::any> values_{};
};

struct Algorithm {
  std::string name = {};
  std::string phase = {}; ///< under which its time is shown
  std::vector<std::string> needs = {}, makes = {};
  std::function<Refusal(Values&)> run = {};
};

class Workflow {
public:
  struct Time {
    std::string phase, name;
    double seconds;
  };

  /// Takes the place of the one of the same name, if there is one.
  void add(Algorithm algorithm) {
    for (Algorithm& one : algorithms_)
      if (one.name == algorithm.name) {
        one = std::move(algorithm);
        return;
      }
    algorithms_.push_back(std::move(algorithm));
  }

  /// The algorithms that make what is wanted, each behind those that make what it needs; else in the order in which they were added.
  /// \param has  what is there already
  /// \errors     unmappable: nobody makes what is needed, two make the same, or what makes it needs what it makes, in the end
  [[nodiscard]] Answer<std::vector<std::string>> order(const Values& has,
                                                       const std::vector<std::string>& wanted) const {
    Plan plan{has, {}, std::vector<State>(algorithms_.size()), {}};
    for (std::size_t at = 0; at < algorithms_.size(); ++at)
      for (const std::string& one : algorithms_[at].makes)
        if (const auto [maker, is_new] = plan.makers.emplace(one, at); !is_new)
          return refused("two algorithms make '" + one + "': '" + algorithms_[maker->second].name + "' and '" +
                         algorithms_[at].name + "'");
    for (const std::string& one : wanted)
      if (Refusal refusal = visit(plan, one, "who runs it"); !refusal) return refusal;
    std::vector<std::string> names;
    for (const std::size_t at : plan.order) names.push_back(algorithms_[at].name);
    return names;
  }
  /// Runs those that are needed. What they do not make, though they say so, is refused; what is there already is not made again.
  /// \errors as order, and those of the algorithms, with their names
  [[nodiscard]] Refusal run(Values& values, const std::vector<std::string>& wanted) {
    const auto names = order(values, wanted);
    if (!names) return names.refusal();
    for (const std::string& name : names.value()) {
      const Algorithm& one = named(name);
      const auto begin = std::chrono::steady_clock::now();
      Refusal refusal = one.run(values);
      times_.push_back(
          {one.phase, one.name, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()});
      if (!refusal.ok()) {
        for (const std::string& made : one.makes) values.forget(made);
        refusal.why = refusal.sentence(), refusal.of = name;
        return refusal;
      }
      const auto missing =
          std::find_if(one.makes.begin(), one.makes.end(), [&](const std::string& made) { return !values.has(made); });
      if (missing != one.makes.end()) return refused("'" + name + "' has not made '" + *missing + "', as it says");
    }
    return {};
  }
  /// Of all that ran, in their order.
  [[nodiscard]] const std::vector<Time>& times() const noexcept { return times_; }
  void forget_times() noexcept { times_.clear(); }
  /// A line for each that ran, with its milliseconds, under the names of phases.
  [[nodiscard]] std::string text() const {
    std::string made, phase;
    double all = 0.0;
    const auto line = [&made](const std::string& name, double seconds) {
      std::array<char, 120> words{};
      std::snprintf(words.data(), words.size(), "  %-36s %10.3f ms\n", name.c_str(), seconds * 1e3);
      made += words.data();
    };
    for (const Time& one : times_) {
      if (one.phase != phase) made += one.phase + "\n", phase = one.phase;
      line(one.name, one.seconds), all += one.seconds;
    }
    line("all", all);
    return made;
  }

private:
  enum class State : std::uint8_t { unseen, open, done };
  struct Plan {
    const Values& has;
    std::map<std::string, std::size_t> makers;
    std::vector<State> states;
    std::vector<std::size_t> order;
  };
  [[nodiscard]] static Refusal refused(std::string why) {
    return {{Error::unmappable, 0, 0, "workflow"}, "workflow", std::move(why)};
  }
  [[nodiscard]] const Algorithm& named(const std::string& name) const {
    std::size_t at = 0;
    while (algorithms_[at].name != name) ++at;
    return algorithms_[at];
  }
  [[nodiscard]] Refusal visit(Plan& plan, const std::string& what, const std::string& who) const {
    if (plan.has.has(what)) return {};
    const auto maker = plan.makers.find(what);
    if (maker == plan.makers.end()) return refused("nothing makes '" + what + "', which " + who + " needs");
    const std::size_t at = maker->second;
    if (plan.states[at] == State::done) return {};
    if (plan.states[at] == State::open)
      return refused("'" + algorithms_[at].name + "' needs, by way of " + who + ", what it makes: '" + what + "'");
    plan.states[at] = State::open;
    for (const std::string& one : algorithms_[at].needs)
      if (Refusal refusal = visit(plan, one, "'" + algorithms_[at].name + "'"); !refusal) return refusal;
    plan.states[at] = State::done;
    plan.order.push_back(at);
    return {};
  }

  std::vector<Algorithm> algorithms_{};
  std::vector<Time> times_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
