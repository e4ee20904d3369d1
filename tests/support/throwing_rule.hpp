// SPDX-License-Identifier: BSL-1.0
// A rule that ends the parts of a network by an exception, as memory that there is not would.
#ifndef TESTS_SUPPORT_THROWING_RULE_HPP
#define TESTS_SUPPORT_THROWING_RULE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <neuromorph/network/plasticity.hpp>

/// As another rule, until neurons of a part fire in a step from `from` on.
class ThrowingRule final : public neuromorph::network::PlasticityRule {
public:
  ThrowingRule(std::shared_ptr<const PlasticityRule> rule, std::uint32_t from)
      : PlasticityRule(rule->range()), rule_(std::move(rule)), from_(from) {}

  [[nodiscard]] neuromorph::Status check(double dt_ms) const noexcept override { return rule_->check(dt_ms); }
  [[nodiscard]] neuromorph::network::PlasticWords words() const noexcept override { return rule_->words(); }
  [[nodiscard]] std::uint64_t digest(double dt_ms) const override { return rule_->digest(dt_ms); }
  [[nodiscard]] std::unique_ptr<neuromorph::network::Learner>
  make(double dt_ms, const neuromorph::PlasticRange& range, bool is_signed, std::uint32_t neurons) const override {
    return std::make_unique<Throwing>(rule_->make(dt_ms, range, is_signed, neurons), from_);
  }

private:
  class Throwing final : public neuromorph::network::Learner {
  public:
    Throwing(std::unique_ptr<Learner> learner, std::uint32_t from) : learner_(std::move(learner)), from_(from) {}
    void begin_row(std::span<std::uint32_t> row, std::uint32_t time) const noexcept override {
      learner_->begin_row(row, time);
    }
    void pre_spike(std::span<std::uint32_t> row, std::uint32_t time) noexcept override {
      learner_->pre_spike(row, time);
    }
    void look_at(std::span<std::uint32_t> row, std::uint32_t time) noexcept override { learner_->look_at(row, time); }
    void post_spikes(std::uint32_t first, std::span<const std::uint32_t> neurons, std::uint32_t step) override {
      if (step >= from_ && !neurons.empty()) throw std::runtime_error("forgetful");
      learner_->post_spikes(first, neurons, step);
    }
    void forget(std::uint32_t until) override { learner_->forget(until); }
    [[nodiscard]] neuromorph::network::LearningCounts counts() const noexcept override { return learner_->counts(); }
    [[nodiscard]] std::uint32_t known_after() const noexcept override { return learner_->known_after(); }
    [[nodiscard]] std::size_t event_words() const noexcept override { return learner_->event_words(); }
    void events(std::uint32_t neuron, std::vector<std::uint32_t>& words) const override {
      learner_->events(neuron, words);
    }
    void begin_again(std::uint32_t known_after, std::uint32_t now,
                     const neuromorph::network::LearningCounts& counts) override {
      learner_->begin_again(known_after, now, counts);
    }
    void add_events(std::uint32_t neuron, std::span<const std::uint32_t> words) override {
      learner_->add_events(neuron, words);
    }
    [[nodiscard]] std::size_t bytes() const noexcept override { return learner_->bytes(); }

  private:
    std::unique_ptr<Learner> learner_;
    std::uint32_t from_;
  };

  std::shared_ptr<const PlasticityRule> rule_;
  std::uint32_t from_;
};

#endif
