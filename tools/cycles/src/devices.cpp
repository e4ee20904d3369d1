// SPDX-License-Identifier: BSL-1.0
#include "devices.hpp"

namespace neuromorph::cycles {

std::uint32_t DualTimer::Channel::value(std::uint64_t now) const {
  if (!enabled() || next_zero == never) { return stopped_at; }
  std::uint64_t const left = next_zero > now ? next_zero - now : 0;
  return static_cast<std::uint32_t>((left + prescale() - 1) / prescale());
}

void DualTimer::advance(std::uint64_t now) {
  for (Channel& channel : channel_) {
    while (channel.enabled() && channel.next_zero <= now) {
      channel.raised = true;
      if (channel.one_shot()) {
        channel.control &= ~0x80U;
        channel.stopped_at = 0;
        channel.next_zero = never;
      } else {
        channel.next_zero += channel.period() * channel.prescale();
      }
    }
  }
}

std::uint32_t DualTimer::read(std::uint32_t offset, std::uint64_t now) {
  advance(now);
  Channel const& channel = channel_[(offset >> 5) & 1];
  switch (offset & 0x1f) {
  case 0x00:
  case 0x18: return channel.load;
  case 0x04: return channel.value(now);
  case 0x08: return channel.control;
  case 0x10: return channel.raised;
  case 0x14: return channel.raised && (channel.control & 0x20) != 0;
  default: return 0;
  }
}

void DualTimer::write(std::uint32_t offset, std::uint32_t value, std::uint64_t now) {
  advance(now);
  Channel& channel = channel_[(offset >> 5) & 1];
  switch (offset & 0x1f) {
  case 0x00:
    channel.load = value;
    channel.stopped_at = value;
    if (channel.enabled()) { channel.start(now, value == 0 ? 1 : value); }
    break;
  case 0x08: {
    std::uint32_t const held = channel.value(now);
    channel.control = value & 0xff;
    channel.stopped_at = held;
    channel.next_zero = never;
    if (channel.enabled()) { channel.start(now, held == 0 ? channel.period() : held); }
    break;
  }
  case 0x0c: channel.raised = false; break;
  case 0x18: channel.load = value; break;
  default: break;
  }
}

std::uint64_t DualTimer::next_event() const {
  std::uint64_t first = never;
  for (Channel const& channel : channel_) {
    if (channel.enabled() && (channel.control & 0x20) != 0) { first = std::min(first, channel.next_zero); }
  }
  return first;
}

bool DualTimer::interrupt() const {
  return std::any_of(channel_.begin(), channel_.end(),
                     [](Channel const& channel) { return channel.raised && (channel.control & 0x20) != 0; });
}

std::uint32_t SystemControl::count(std::uint64_t now) const {
  return next_zero_ == never || next_zero_ <= now ? 0 : static_cast<std::uint32_t>(next_zero_ - now);
}

void SystemControl::advance(std::uint64_t now) {
  while (next_zero_ <= now) {
    count_flag_ = true;
    if ((control_ & 2) != 0) { pending_[systick] = true; }
    next_zero_ += std::uint64_t{reload_} + 1;
  }
}

std::uint32_t SystemControl::read(std::uint32_t offset, std::uint64_t now) {
  advance(now);
  auto const bits = [&](std::array<bool, exceptions> const& from, std::uint32_t first) {
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      if (first + i < exceptions && from[first + i]) { value |= 1U << i; }
    }
    return value;
  };
  if (offset >= 0x100 && offset < 0x120) { return bits(enabled_, 16 + (offset - 0x100) * 8); }
  if (offset >= 0x200 && offset < 0x220) { return bits(pending_, 16 + (offset - 0x200) * 8); }
  if ((offset >= 0x400 && offset < 0x4f0) || (offset >= 0xd18 && offset < 0xd24)) {
    std::uint32_t const first = offset >= 0xd18 ? 4 + (offset - 0xd18) : 16 + (offset - 0x400);
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < 4; ++i) { value |= std::uint32_t{priority_[first + i]} << (8 * i); }
    return value;
  }
  switch (offset) {
  case 0x010: {
    std::uint32_t const value = control_ | (count_flag_ ? 1U << 16 : 0U);
    count_flag_ = false;
    return value;
  }
  case 0x014: return reload_;
  case 0x018: return count(now);
  case 0x01c: return 0;
  case 0xd00: return 0x410fc241;
  case 0xd04: return active_ | (pending_[pendsv] ? 1U << 28 : 0U) | (pending_[systick] ? 1U << 26 : 0U);
  default: return stored_or_zero(offset);
  }
}

void SystemControl::write(std::uint32_t offset, std::uint32_t value, std::uint64_t now) {
  advance(now);
  auto const set_bits = [&](std::array<bool, exceptions>& into, std::uint32_t first, bool to) {
    for (std::uint32_t i = 0; i < 32; ++i) {
      if (first + i < exceptions && ((value >> i) & 1) != 0) { into[first + i] = to; }
    }
  };
  if (offset >= 0x100 && offset < 0x300) {
    std::uint32_t const first = 16 + (offset & 0x1f) * 8;
    std::uint32_t const bank = (offset - 0x100) / 0x80; // enable, disable, pend, unpend
    set_bits(bank < 2 ? enabled_ : pending_, first, bank % 2 == 0);
    return;
  }
  if ((offset >= 0x400 && offset < 0x4f0) || (offset >= 0xd18 && offset < 0xd24)) {
    std::uint32_t const first = offset >= 0xd18 ? 4 + (offset - 0xd18) : 16 + (offset - 0x400);
    for (std::uint32_t i = 0; i < 4; ++i) { priority_[first + i] = static_cast<std::uint8_t>(value >> (8 * i)); }
    return;
  }
  switch (offset) {
  case 0x010: {
    bool const was_on = (control_ & 1) != 0;
    control_ = value & 7;
    if ((control_ & 1) == 0) {
      next_zero_ = never;
    } else if (!was_on && reload_ != 0) {
      next_zero_ = now + reload_ + 1;
    }
    break;
  }
  case 0x014: reload_ = value & 0xffffff; break;
  case 0x018:
    count_flag_ = false;
    if ((control_ & 1) != 0 && reload_ != 0) { next_zero_ = now + reload_ + 1; }
    break;
  case 0xd04:
    if ((value & (1U << 28)) != 0) { pending_[pendsv] = true; }
    if ((value & (1U << 27)) != 0) { pending_[pendsv] = false; }
    if ((value & (1U << 26)) != 0) { pending_[systick] = true; }
    if ((value & (1U << 25)) != 0) { pending_[systick] = false; }
    break;
  case 0xd0c: reset_requested_ = (value & 4) != 0 && (value >> 16) == 0x05fa; break;
  case 0xf00:
    if ((value & 0xff) + 16 < exceptions) { pending_[16 + (value & 0xff)] = true; }
    break;
  default: stored_[offset] = value; break;
  }
}

std::uint64_t SystemControl::next_event() const { return (control_ & 2) != 0 ? next_zero_ : never; }

unsigned SystemControl::priority_of(unsigned exception) const { return priority_[exception]; }

std::optional<unsigned> SystemControl::candidate(unsigned priority) const {
  std::optional<unsigned> best;
  for (unsigned exception = pendsv; exception < exceptions; ++exception) {
    if (!pending_[exception] || (exception >= 16 && !enabled_[exception])) { continue; }
    if (priority_[exception] < priority && (!best || priority_[exception] < priority_[*best])) { best = exception; }
  }
  return best;
}

} // namespace neuromorph::cycles
