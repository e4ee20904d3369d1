// SPDX-License-Identifier: BSL-1.0
/// \file
/// A program of the system beside the monitor of a chip: it sends packets again that the router has dropped, and streams memory out and in.
///
///     programs.add_model<machine::ExtraMonitor>(machine::extra_monitor_name);
///     ... // a host loads it, and sends protocols::Reinjection to its port 4, protocols::DataOutRequest to 5, protocols::TableSwap to 6
/// \source SpiNNFrontEndCommon: extra_monitor_support.c
// host-only
#ifndef NEUROMORPH_MACHINE_EXTRA_MONITOR_HPP
#define NEUROMORPH_MACHINE_EXTRA_MONITOR_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/machine/router.hpp>
#include <neuromorph/machine/system_program.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/fast_data.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

inline constexpr const char* extra_monitor_name = "extra monitor";

/// Where packets take no time none is dropped, and there is nothing to send again.
class ExtraMonitor final : public SystemProgram {
public:
  [[nodiscard]] std::string name() const override { return extra_monitor_name; }
  [[nodiscard]] std::size_t regions() const noexcept override { return protocols::DataInRegion::number + 1; }
  /// \errors parameters_contradict: no region of streams in
  Status load(std::size_t, std::size_t region, std::span<const std::uint8_t> bytes) override {
    using protocols::DataInRegion;
    if (region != DataInRegion::number) return {}; // defaults are right
    const auto in = DataInRegion::of(bytes);
    if (!in || in.value.size() >= Router::size) return {Error::parameters_contradict, 0, bytes.size(), "region"};
    base_ = in.value.base, system_.clear();
    for (std::size_t at = 0; at < in.value.size(); ++at)
      system_.push_back({{in.value[at].key, in.value[at].mask}, in.value[at].route, 0});
    return {};
  }

  [[nodiscard]] bool answer(std::size_t, unsigned port, std::span<const std::uint8_t> request,
                            std::vector<std::uint32_t>& words) override {
    switch (protocols::SdpPort(port)) {
    case protocols::SdpPort::reinjection: return reinjection(request, words);
    case protocols::SdpPort::data_out: return stream_out(request);
    case protocols::SdpPort::data_in: return swap_tables(request);
    default: return false;
    }
  }
  /// Of a stream in.
  void take(PacketKind kind, std::uint32_t key, std::uint32_t payload) override {
    using protocols::DataInKeys;
    if (kind != PacketKind::multicast) return;
    if (key == base_ + DataInKeys::address) to_ = payload;
    if (key != base_ + DataInKeys::data) return;
    std::array<std::uint8_t, 4> word{};
    protocols::put_word(word, 0, payload);
    if (to_ % 4 == 0) static_cast<void>(services().write(to_, word)); // to no memory: nobody is told, as on a board
    to_ += 4;
  }

private:
  [[nodiscard]] bool reinjection(std::span<const std::uint8_t> request, std::vector<std::uint32_t>& words) {
    const auto scp = protocols::decode_request(request);
    const auto asked = scp ? protocols::Reinjection::of(scp.value) : scp.why;
    if (!asked) return false;
    Router& router = services().router();
    Reinjector& of = router.reinjector();
    using What = protocols::Reinjection::What;
    switch (asked.value.what) {
    case What::set_wait1: router.set_wait_before_drop(wait1_ = asked.value.wait); break;
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

  [[nodiscard]] bool swap_tables(std::span<const std::uint8_t> request) {
    const auto scp = protocols::decode_request(request);
    const auto asked = scp ? protocols::TableSwap::of(scp.value) : scp.why;
    if (!asked) return false;
    Router& router = services().router();
    using What = protocols::TableSwap::What;
    switch (asked.value.what) {
    case What::save_application:
      if (is_swapped_) break; // asked once more: what is kept is theirs
      application_.clear();
      for (std::uint32_t at = 0; at < Router::size; ++at) application_.push_back(router.entry(at));
      break;
    case What::load_application:
      if (is_swapped_) static_cast<void>(router.load(application_));
      is_swapped_ = false;
      break;
    case What::load_system: static_cast<void>(router.load(system_)), is_swapped_ = true; break;
    }
    services().has_changed_routes();
    return true;
  }

  /// What comes of a transaction that is not the next one is from the past.
  [[nodiscard]] bool stream_out(std::span<const std::uint8_t> message) {
    using protocols::FastDataKey;
    if (const auto asked = protocols::DataOutRequest::of(message); asked) {
      const std::uint32_t next = transaction_ == protocols::last_transaction ? 0 : transaction_ + 1;
      if (asked.value.transaction != next || asked.value.length % 4 != 0 || asked.value.address % 4 != 0) return true;
      transaction_ = next, services().set_user1(next);
      memory_.resize(asked.value.length <= most_length ? asked.value.length : 0);
      if (memory_.size() != asked.value.length || !services().read(asked.value.address, memory_)) memory_.clear();
      is_open_ = true, lists_ = 0, missing_.clear();
      send(FastDataKey::first_data, packets()), send(FastDataKey::transaction, transaction_);
      words(0, memory_.size());
      send(FastDataKey::end, packets());
      return true;
    }
    if (const auto done = protocols::DataOutClear::of(message); done) {
      if (done.value.transaction == transaction_) is_open_ = false, memory_.clear();
      return true;
    }
    const auto list = protocols::MissingList::of(message);
    if (!list || list.value.kind == protocols::MissingList::Kind::in) return false;
    if (list.value.transaction != transaction_ || !is_open_) return true;
    if (list.value.kind == protocols::MissingList::Kind::out_first) lists_ = list.value.lists, missing_.clear();
    if (lists_ == 0) return true; // without its first
    for (std::size_t at = 0; at < list.value.size(); ++at) missing_.push_back(list.value[at]);
    if (--lists_ != 0) return true;
    send(FastDataKey::transaction, transaction_);
    for (const std::uint32_t one : missing_) {
      const std::size_t begin = std::size_t{one} * packet;
      if (begin >= memory_.size()) continue;
      send(FastDataKey::new_sequence, one);
      words(begin, (std::min)(begin + packet, memory_.size()));
    }
    send(FastDataKey::end, packets());
    return true;
  }
  [[nodiscard]] std::uint32_t packets() const noexcept {
    return static_cast<std::uint32_t>((memory_.size() + packet - 1) / packet);
  }
  void words(std::size_t begin, std::size_t end) {
    for (; begin < end; begin += 4) send(protocols::FastDataKey::data, protocols::word_at(memory_, begin));
  }
  void send(protocols::FastDataKey key, std::uint32_t payload) {
    services().send(PacketKind::fixed_route, std::uint32_t(key), payload);
  }

  static constexpr std::size_t packet = protocols::DataOutPacket::most_data;
  static constexpr std::uint32_t most_length = 1U << 27; // as much as a chip has
  std::uint8_t wait1_ = 0, wait2_ = 0;
  std::uint32_t base_ = 0, to_ = 0;
  bool is_swapped_ = false, is_open_ = false;
  std::vector<mapping::TableEntry> system_{}, application_{};
  std::uint32_t transaction_ = 0, lists_ = 0;
  std::vector<std::uint8_t> memory_{};   // as it was when it was asked for
  std::vector<std::uint32_t> missing_{}; // numbers of packets, of lists that have come
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
