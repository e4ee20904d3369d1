// SPDX-License-Identifier: BSL-1.0
/// \file
/// The scoreboard: when each register can be read, and what the cycles went into.
#ifndef NEUROMORPH_CYCLES_PIPELINE_HPP
#define NEUROMORPH_CYCLES_PIPELINE_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "timing.hpp"

namespace neuromorph::cycles {

/// Per-instruction totals for the annotated listing.
struct Tally {
  std::uint64_t executed = 0; ///< condition failed included
  std::uint64_t failed = 0;
  std::array<std::uint64_t, cause_count> stall{};

  Account account() const {
    Account sum{executed, executed, stall};
    for (std::uint64_t const cycles : stall) { sum.cycles += cycles; }
    return sum;
  }
};

class Pipeline {
public:
  explicit Pipeline(Core core) : core_(core) {}

  /// The instruction at hand waits for its operands. `cost` is the record's, or the divider's.
  [[gnu::always_inline]] void begin(Record const& record, std::span<Use const> uses, Tally& tally) {
    tally_ = &tally;
    ++total_.instructions;
    ++tally.executed;
    bool uses_last_load = false;
    // Mostly, nothing is waited for.
    if (now() < (record.addresses ? last_ready_ : last_ready_but_address_) ||
        (record.addresses && last_load_ != none)) {
      uses_last_load = wait(uses);
    }
    if (record.fetch_wait != 0) { fetch(record); }
    // Cortex-M4: an access right behind a load overlaps with it, unless its address is what was loaded.
    overlap_ = core_ == Core::cortex_m4 && last_load_ != none && !uses_last_load &&
               (record.kind == Kind::load || record.kind == Kind::store) && record.cost > 1;
    last_load_ = none;
  }

  /// Waits and penalties while the instruction executes.
  [[gnu::always_inline]] void charge(Cause cause, std::uint64_t cycles) {
    if (cycles == 0) { return; }
    total_.cycles += cycles;
    total_.stall[static_cast<std::size_t>(cause)] += cycles;
    if (tally_ != nullptr) { tally_->stall[static_cast<std::size_t>(cause)] += cycles; }
  }

  [[gnu::always_inline]] void finish(Record const& record, std::span<Result const> results, unsigned cost, bool taken) {
    ++total_.cycles;
    charge(Cause::issue, cost - 1U - (overlap_ ? 1U : 0U));
    charge(Cause::shift, record.shift);
    if (taken) { charge(Cause::refill, record.refill); }
    if (record.lags || now() < last_ready_) { write(results); }
    if (record.kind == Kind::load && !results.empty()) { last_load_ = results[0].reg; }
    if (taken) { last_fetched_ = none_address; }
    tally_ = nullptr;
  }

  /// The condition failed: one cycle, nothing written. [a9-failed]
  void finish_failed() {
    ++total_.cycles;
    ++tally_->failed;
    tally_ = nullptr;
  }

  std::uint64_t now() const { return total_.cycles; }
  /// Whether a result that can be used at once changes nothing in a cycle.
  bool is_settled() const { return now() + 1 >= last_ready_; }
  Account const& total() const { return total_; }

private:
  struct Ready {
    std::uint64_t from = 0;
    std::array<std::uint8_t, need_count> lag{}; ///< cycles more, by Need
    Cause cause = Cause::load;
  };
  static constexpr std::uint8_t none = 0xff;
  static constexpr std::uint32_t none_address = 0xffffffff;

  /// Waits for the operands. \return whether the address is what was loaded last
  bool wait(std::span<Use const> uses) {
    std::uint64_t until = now();
    Cause cause = Cause::load;
    bool uses_last_load = false;
    for (Use const& use : uses) {
      auto const& ready = ready_[use.reg];
      std::uint64_t const at = ready.from + ready.lag[static_cast<std::size_t>(use.need)];
      if (at > until + use.slot) {
        until = at - use.slot;
        cause = ready.cause;
      }
      uses_last_load |= use.need == Need::address && use.reg == last_load_;
    }
    charge(cause, until - now());
    return uses_last_load;
  }
  void write(std::span<Result const> results) {
    for (Result const& result : results) {
      auto& ready = ready_[result.reg]; // in parts: a whole one goes over the stack, and waits there
      ready.from = now();
      ready.lag = result.lag;
      ready.cause = result.cause;
      last_ready_ = std::max(last_ready_, now() + result.longest());
      last_ready_but_address_ = std::max(last_ready_but_address_, now() + result.lag_but_address());
    }
  }
  /// One wait per word fetched; two Thumb instructions share a word.
  void fetch(Record const& record) {
    for (std::uint32_t at = record.address & ~3U; at < record.address + record.size; at += 4) {
      if (at != last_fetched_) { charge(Cause::fetch_wait, record.fetch_wait); }
      last_fetched_ = at;
    }
  }

  Core core_;
  Account total_;
  std::array<Ready, register_count> ready_{};
  std::uint64_t last_ready_ = 0; ///< when all registers are ready for all needs
  std::uint64_t last_ready_but_address_ = 0;
  std::uint8_t last_load_ = none;
  bool overlap_ = false;
  std::uint32_t last_fetched_ = none_address;
  Tally* tally_ = nullptr;
};

} // namespace neuromorph::cycles

#endif
