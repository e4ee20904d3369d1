// SPDX-License-Identifier: BSL-1.0
/// \file
/// A network in touch with the world while it runs: sources that are fed, and spikes that are handed out step by step.
///
///     network::FunctionInput sees(eye, [&](std::uint64_t step, std::vector<std::uint32_t>& neurons) { ... });
///     network::FunctionRecorder pulls(muscle, [&](std::uint64_t step, std::span<const std::uint32_t> neurons) { ... });
///     engine.feed(sees), engine.record(pulls);
///
/// Before each interval recorders are told of the last one, then inputs are asked for the next. A loop through the world takes
/// one interval, the shortest delay of the network. What comes out depends on what is fed in which step, and on nothing else.
// host-only
#ifndef NEUROMORPH_NETWORK_LIVE_HPP
#define NEUROMORPH_NETWORK_LIVE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/recorder.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// What a source fires, asked for while the network runs, from one thread and in the order of steps.
class Input {
public:
  virtual ~Input() = default;
  /// The source that it feeds: of `add_source`.
  [[nodiscard]] PopulationId population() const noexcept { return population_; }
  /// \param first    number of the first step asked for; steps are counted from 1. Where an input refuses, or a recorder, the
  ///                 interval does not begin, and its steps are asked for again if the network is run again
  /// \param neurons  [steps] empty lists: those that fire in step first + n, in any order, each once
  virtual Refusal on_steps(std::uint64_t first, std::span<std::vector<std::uint32_t>> neurons) = 0;

protected:
  explicit Input(PopulationId population) noexcept : population_(population) {}
  Input(const Input&) = default;
  Input(Input&&) = default;
  Input& operator=(const Input&) = default;
  Input& operator=(Input&&) = default;

private:
  PopulationId population_;
};

/// Asks a function, step by step. What it throws leaves `Engine::run`.
class FunctionInput final : public Input {
public:
  using Function = std::function<void(std::uint64_t step, std::vector<std::uint32_t>& neurons)>;

  FunctionInput(PopulationId population, Function function) : Input(population), function_(std::move(function)) {}

  Refusal on_steps(std::uint64_t first, std::span<std::vector<std::uint32_t>> neurons) override {
    for (std::size_t at = 0; at < neurons.size(); ++at) function_(first + at, neurons[at]);
    return {};
  }

private:
  Function function_;
};

/// Tells a function which neurons of a population fired, in each step, also where there are none. What it throws leaves
/// `Engine::run`.
class FunctionRecorder final : public Recorder {
public:
  using Function = std::function<void(std::uint64_t step, std::span<const std::uint32_t> neurons)>;

  FunctionRecorder(PopulationId population, Function function)
      : Recorder({.spikes = {population}}), function_(std::move(function)) {}

  Refusal on_spikes(std::uint64_t, PopulationId, std::span<const std::uint32_t> neurons) override {
    fired_.assign(neurons.begin(), neurons.end());
    return {};
  }
  Refusal on_words(std::uint64_t, PopulationId, std::size_t, std::span<const std::int32_t>) override { return {}; }
  Refusal on_step(std::uint64_t step) override {
    const std::vector<std::uint32_t> fired = std::exchange(fired_, {});
    function_(step, fired);
    return {};
  }
  Refusal on_end(std::uint64_t) override { return {}; }

private:
  Function function_;
  std::vector<std::uint32_t> fired_{};
};

/// Holds a run back to the pace of the world. It cannot make one faster: it counts how often, and how far, it was behind.
class Pace {
public:
  using Clock = std::chrono::steady_clock;

  /// \param speed  biological time over that of the clock
  explicit Pace(double dt_ms, double speed = 1.0) noexcept : ms_of_step_(dt_ms / speed) {}

  /// Waits until a step may begin. The first call starts the clock.
  void wait(std::uint64_t step) {
    const Clock::time_point now = Clock::now();
    if (!has_begun_) has_begun_ = true, first_ = step, begin_ = now;
    const std::chrono::duration<double, std::milli> due(static_cast<double>(step - first_) * ms_of_step_);
    const Clock::time_point until = begin_ + std::chrono::duration_cast<Clock::duration>(due);
    if (until > now) return std::this_thread::sleep_until(until);
    const double late = std::chrono::duration<double, std::milli>(now - until).count();
    if (late > ms_of_step_) ++late_;
    if (late > latest_ms_) latest_ms_ = late;
  }
  /// Calls that came more than a step behind the clock.
  [[nodiscard]] std::uint64_t late() const noexcept { return late_; }
  /// How far behind the worst was.
  [[nodiscard]] double latest_ms() const noexcept { return latest_ms_; }

private:
  double ms_of_step_, latest_ms_ = 0.0;
  std::uint64_t first_ = 0, late_ = 0;
  bool has_begun_ = false;
  Clock::time_point begin_{};
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
