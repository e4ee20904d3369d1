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
  Account account;
};

class Pipeline {
public:
  explicit Pipeline(Core core) : core_(core) {}

  /// The instruction at hand waits for its operands. `cost` is the record's, or the divider's.
  void begin(Record const& record, std::span<Use const> uses, Tally& tally) {
    tally_ = &tally;
    ++total_.instructions;
    ++tally.account.instructions;
    ++tally.executed;
    std::uint64_t until = now();
    Cause cause = Cause::load;
    bool uses_last_load = false;
    for (Use const& use : uses) {
      auto const& ready = ready_[use.reg];
      std::uint64_t const at = ready.at[static_cast<std::size_t>(use.need)];
      if (at > until + use.slot) {
        until = at - use.slot;
        cause = ready.cause;
      }
      uses_last_load |= use.need == Need::address && use.reg == last_load_;
    }
    charge(cause, until - now());
    if (record.fetch_wait != 0) { fetch(record); }
    // Cortex-M4: an access right behind a load overlaps with it, unless its address is what was loaded.
    overlap_ = core_ == Core::cortex_m4 && last_load_ != none && !uses_last_load &&
               (record.kind == Kind::load || record.kind == Kind::store) && record.cost > 1;
    last_load_ = none;
  }

  /// Waits and penalties while the instruction executes.
  void charge(Cause cause, std::uint64_t cycles) {
    if (cycles == 0) { return; }
    total_.cycles += cycles;
    total_.stall[static_cast<std::size_t>(cause)] += cycles;
    if (tally_ != nullptr) {
      tally_->account.cycles += cycles;
      tally_->account.stall[static_cast<std::size_t>(cause)] += cycles;
    }
  }

  void finish(Record const& record, std::span<Result const> results, unsigned cost, bool taken) {
    spend(1);
    charge(Cause::issue, cost - 1U - (overlap_ ? 1U : 0U));
    charge(Cause::shift, record.shift);
    if (taken) { charge(Cause::refill, record.refill); }
    for (Result const& result : results) {
      auto& ready = ready_[result.reg];
      for (std::size_t need = 0; need < need_count; ++need) { ready.at[need] = now() + result.lag[need]; }
      ready.cause = result.cause;
    }
    if (record.kind == Kind::load && !results.empty()) { last_load_ = results[0].reg; }
    if (taken) { last_fetched_ = none_address; }
    tally_ = nullptr;
  }

  /// The condition failed: one cycle, nothing written. [a9-failed]
  void finish_failed() {
    spend(1);
    ++tally_->failed;
    tally_ = nullptr;
  }

  std::uint64_t now() const { return total_.cycles; }
  Account const& total() const { return total_; }

private:
  struct Ready {
    std::array<std::uint64_t, need_count> at{};
    Cause cause = Cause::load;
  };
  static constexpr std::uint8_t none = 0xff;
  static constexpr std::uint32_t none_address = 0xffffffff;

  void spend(std::uint64_t cycles) {
    total_.cycles += cycles;
    tally_->account.cycles += cycles;
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
  std::uint8_t last_load_ = none;
  bool overlap_ = false;
  std::uint32_t last_fetched_ = none_address;
  Tally* tally_ = nullptr;
};

} // namespace neuromorph::cycles

#endif
