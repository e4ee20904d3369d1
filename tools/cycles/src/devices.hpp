// SPDX-License-Identifier: BSL-1.0
/// \file
/// The little hardware a firmware needs to run as on a chip: timers and interrupt state, in modelled cycles.
#ifndef NEUROMORPH_CYCLES_DEVICES_HPP
#define NEUROMORPH_CYCLES_DEVICES_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace neuromorph::cycles {

inline constexpr std::uint64_t never = ~std::uint64_t{0};

/// One page of registers. Times are cycles since reset.
class Device {
public:
  virtual ~Device() = default;
  virtual std::uint32_t read(std::uint32_t offset, std::uint64_t now) = 0;
  virtual void write(std::uint32_t offset, std::uint32_t value, std::uint64_t now) = 0;
  /// When its interrupt state changes next by itself.
  virtual std::uint64_t next_event() const = 0;
  /// Brings its state up to date.
  virtual void advance(std::uint64_t now) = 0;
};

/// Two down-counters with the registers of ARM's dual timer (SP804): load 0x00, value 0x04, control 0x08,
/// interrupt clear 0x0c, raw and masked status 0x10 and 0x14, background load 0x18; the second at 0x20. Both
/// raise IRQ.
class DualTimer : public Device {
public:
  std::uint32_t read(std::uint32_t offset, std::uint64_t now) override;
  void write(std::uint32_t offset, std::uint32_t value, std::uint64_t now) override;
  std::uint64_t next_event() const override;
  void advance(std::uint64_t now) override;
  bool interrupt() const;

private:
  struct Channel {
    std::uint32_t load = 0;
    std::uint32_t control = 0x20;
    std::uint64_t next_zero = never; ///< cycle at which the count reaches zero
    std::uint32_t stopped_at = 0xffffffff;
    bool raised = false;

    unsigned prescale() const { return 1U << std::min(8U, 4 * ((control >> 2) & 3)); }
    bool enabled() const { return (control & 0x80) != 0; }
    bool periodic() const { return (control & 0x40) != 0; }
    bool one_shot() const { return (control & 1) != 0; }
    std::uint64_t period() const {
      if (!periodic()) { return std::uint64_t{1} << ((control & 2) != 0 ? 32 : 16); }
      return load == 0 ? 1 : load;
    }
    std::uint32_t value(std::uint64_t now) const;
    void start(std::uint64_t now, std::uint64_t from) { next_zero = now + from * prescale(); }
  };
  std::array<Channel, 2> channel_;
};

/// What a Cortex-M4 keeps at 0xe000e000: SysTick, NVIC, the parts of the system control block that start-up
/// code touches.
class SystemControl : public Device {
public:
  static constexpr std::uint32_t base = 0xe000e000;
  static constexpr unsigned svcall = 11;
  static constexpr unsigned pendsv = 14;
  static constexpr unsigned systick = 15;
  static constexpr unsigned exceptions = 16 + 240;
  static constexpr unsigned lowest = 256; ///< priority of code outside any exception

  std::uint32_t read(std::uint32_t offset, std::uint64_t now) override;
  void write(std::uint32_t offset, std::uint32_t value, std::uint64_t now) override;
  std::uint64_t next_event() const override;
  void advance(std::uint64_t now) override;

  /// The pending exception that may interrupt code of this priority.
  std::optional<unsigned> candidate(unsigned priority) const;
  bool anything_pending() const { return candidate(lowest + 1).has_value(); }
  unsigned priority_of(unsigned exception) const;
  void clear_pending(unsigned exception) { pending_[exception] = false; }
  std::uint32_t vector_table() const { return stored_or_zero(0xd08); }
  void set_vector_table(std::uint32_t address) { stored_[0xd08] = address; }
  void set_active(unsigned exception) { active_ = exception; }
  bool reset_requested() const { return reset_requested_; }

private:
  std::uint32_t stored_or_zero(std::uint32_t offset) const {
    auto const found = stored_.find(offset);
    return found == stored_.end() ? 0 : found->second;
  }
  std::uint32_t count(std::uint64_t now) const;

  std::map<std::uint32_t, std::uint32_t> stored_;
  std::array<bool, exceptions> pending_{};
  std::array<bool, exceptions> enabled_{};
  std::array<std::uint8_t, exceptions> priority_{};
  std::uint32_t control_ = 4;
  std::uint32_t reload_ = 0;
  std::uint64_t next_zero_ = never;
  bool count_flag_ = false;
  unsigned active_ = 0;
  bool reset_requested_ = false;
};

/// The cycle counter at 0xe0001004 (DWT_CYCCNT), read by code that times itself.
class CycleCounter : public Device {
public:
  static constexpr std::uint32_t base = 0xe0001000;
  std::uint32_t read(std::uint32_t offset, std::uint64_t now) override {
    if (offset == 0) { return control_; }
    return offset == 4 ? static_cast<std::uint32_t>(now - zero_) : 0;
  }
  void write(std::uint32_t offset, std::uint32_t value, std::uint64_t now) override {
    if (offset == 0) { control_ = value; }
    if (offset == 4) { zero_ = now - value; }
  }
  std::uint64_t next_event() const override { return never; }
  void advance(std::uint64_t) override {}

private:
  std::uint32_t control_ = 0x40000000;
  std::uint64_t zero_ = 0;
};

} // namespace neuromorph::cycles

#endif
