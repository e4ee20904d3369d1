// SPDX-License-Identifier: BSL-1.0
/// \file
/// A program of the system beside the monitor of a chip: it sends packets again that the router has dropped, and says what it has counted.
///
///     programs.add_model<machine::ExtraMonitor>(machine::extra_monitor_name);
///     ... // a host loads it, and sends protocols::Reinjection to its port 4
/// \source SpiNNFrontEndCommon: extra_monitor_support.c
// host-only
#ifndef NEUROMORPH_MACHINE_EXTRA_MONITOR_HPP
#define NEUROMORPH_MACHINE_EXTRA_MONITOR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/router.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

inline constexpr const char* extra_monitor_name = "extra monitor";

/// Where packets take no time none is dropped, and there is nothing to send again.
class ExtraMonitor final : public CoreModel {
public:
  [[nodiscard]] std::size_t cores() const noexcept override { return 1; }
  [[nodiscard]] std::string name() const override { return extra_monitor_name; }
  [[nodiscard]] Status start(std::size_t, Outbox&) override { return {}; }
  void tick(std::size_t, Outbox&, std::uint32_t) override {}
  [[nodiscard]] bool packet(std::size_t, Outbox&, const SentPacket&) override { return false; }
  [[nodiscard]] bool control(std::size_t, Outbox&, unsigned, std::span<const std::uint8_t>) override { return false; }
  void pause(std::size_t, Outbox&) override {}
  /// \errors index_out_of_range: it has none
  Status load(std::size_t, std::size_t region, std::span<const std::uint8_t>) override {
    return {Error::index_out_of_range, 0, region, "region"};
  }
  [[nodiscard]] std::size_t regions() const noexcept override { return 0; }
  void set_router(std::size_t, Router& router) override { router_ = &router; }
  void make_room(std::size_t, unsigned, std::size_t) override {}
  void set_room(std::size_t, unsigned, std::size_t) override {}
  [[nodiscard]] std::span<const std::uint32_t> recorded(std::size_t, unsigned) const noexcept override { return {}; }
  [[nodiscard]] std::uint64_t lost(std::size_t, unsigned) const noexcept override { return 0; }
  void clear(std::size_t, unsigned) noexcept override {}
  [[nodiscard]] std::size_t counters() const noexcept override { return 0; }
  [[nodiscard]] std::uint32_t counter(std::size_t, std::size_t) const noexcept override { return 0; }
  [[nodiscard]] std::uint32_t error(std::size_t) const noexcept override { return 0; }
  void add_to(Digest&, std::size_t) const override {}

  [[nodiscard]] bool answer(std::size_t, unsigned port, std::span<const std::uint8_t> request,
                            std::vector<std::uint32_t>& words) override {
    if (port != unsigned(protocols::SdpPort::reinjection) || router_ == nullptr) return false;
    const auto scp = protocols::decode_request(request);
    const auto asked = scp ? protocols::Reinjection::of(scp.value) : scp.why;
    if (!asked) return false;
    Reinjector& of = router_->reinjector();
    using What = protocols::Reinjection::What;
    switch (asked.value.what) {
    case What::set_wait1: router_->set_wait_before_drop(wait1_ = asked.value.wait); break;
    case What::set_wait2: wait2_ = asked.value.wait; break; // of emergency routes, which are off
    case What::set_types: of.types = asked.value.types; break;
    case What::reset_counters: of = {.types = of.types}; break;
    case What::exit: of.types = 0; break;
    case What::clear_queue: of.is_cleared = true; break;
    case What::get_status: {
      std::array<std::uint8_t, protocols::ReinjectionStatus::bytes> bytes{};
      const protocols::ReinjectionStatus status{.wait1 = wait1_,
                                                .wait2 = wait2_,
                                                .dropped = of.dropped,
                                                .missed = of.missed,
                                                .queue_overflows = of.overflow,
                                                .reinjected = of.reinjected,
                                                .link_dumped = of.link_dumped,
                                                .core_dumped = of.core_dumped,
                                                .types = of.types,
                                                .dumped_to = of.dumped_to};
      status.write(bytes);
      for (std::size_t at = 0; at < bytes.size(); at += 4) words.push_back(protocols::word_at(bytes, at));
      break;
    }
    }
    return true;
  }

private:
  Router* router_ = nullptr;
  std::uint8_t wait1_ = 0, wait2_ = 0;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
