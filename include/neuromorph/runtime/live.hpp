// SPDX-License-Identifier: BSL-1.0
/// \file
/// Vertices between a machine and what is outside: one sends the packets that come to it to a host, one sends packets for a host, both as
/// EIEIO.
///
///     machine::Programs programs;
///     programs.add<runtime::LivePacketGatherer>("gatherer"), programs.add<runtime::ReverseIpTagMulticastSource>("source");
///
/// execution/live.hpp adds them to a simulation.
/// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), 6.9; SpiNNFrontEndCommon, c_common: live_packet_gather.c,
///         reverse_iptag_multicast_source.c
// not in the umbrella: for programs that others load
#ifndef NEUROMORPH_RUNTIME_LIVE_HPP
#define NEUROMORPH_RUNTIME_LIVE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/eieio.hpp>
#include <neuromorph/runtime/region.hpp>
#include <neuromorph/runtime/vertex.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace runtime {

/// How events are written, as in the head of a message.
struct EventForm {
  std::uint32_t payload_prefix;
  std::uint16_t key_prefix;
  std::uint8_t type; ///< protocols::EieioType
  std::uint8_t flags;
  using Fields =
      runtime::Fields<&EventForm::payload_prefix, &EventForm::key_prefix, &EventForm::type, &EventForm::flags>;
  static constexpr std::uint8_t key_prefix_flag = 1, upper_flag = 2, payload_prefix_flag = 4, time_flag = 8;

  [[nodiscard]] static constexpr EventForm of(const protocols::EieioForm& form) noexcept {
    return {form.payload_prefix, form.key_prefix, static_cast<std::uint8_t>(form.type),
            static_cast<std::uint8_t>(
                (form.has_key_prefix ? key_prefix_flag : 0) | (form.is_prefix_upper ? upper_flag : 0) |
                (form.has_payload_prefix ? payload_prefix_flag : 0) | (form.payload_is_time ? time_flag : 0))};
  }
  [[nodiscard]] constexpr protocols::EieioForm form() const noexcept {
    return {.type = protocols::EieioType(type & 3),
            .has_key_prefix = (flags & key_prefix_flag) != 0,
            .is_prefix_upper = (flags & upper_flag) != 0,
            .has_payload_prefix = (flags & payload_prefix_flag) != 0,
            .payload_is_time = (flags & time_flag) != 0,
            .key_prefix = key_prefix,
            .payload_prefix = payload_prefix};
  }
};

struct GathererSettings {
  std::uint32_t most_per_tick; ///< events; 0: all
  std::uint32_t tag;
  EventForm form;
  using Fields = runtime::Fields<&GathererSettings::most_per_tick, &GathererSettings::tag, &GathererSettings::form>;
};
/// Keys (k & mask) == key are told as first + (k & ~mask); others as they are.
struct KeyTranslation {
  std::uint32_t key, mask, first;
  using Fields = runtime::Fields<&KeyTranslation::key, &KeyTranslation::mask, &KeyTranslation::first>;
};
using GathererRegion = Region<GathererSettings, KeyTranslation>;

/// Sends the packets of a tick when the next one begins, and before that as many as fill a message. Where the form has time as a payload
/// prefix, it is the tick in which they came. Else a payload that a packet lacks is 0, and one that the form has no room for is left out.
struct LivePacketGatherer {
  using Regions = runtime::Regions<GathererRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Payload, offer::Pause, offer::Counters>;
  /// Events and messages that were sent; events that the monitor did not take; events beyond the most of a tick.
  enum Counter : unsigned { events, messages, not_taken, over_limit };
  static constexpr std::size_t counters = 4;

  std::array<std::uint32_t, 128> waiting{}; // keys, each with its payload where the form has one
  std::uint32_t count = 0;                  // of events that wait
  std::uint32_t in_tick = 0, time = 0;
  using Fields = runtime::Fields<&LivePacketGatherer::waiting, &LivePacketGatherer::count, &LivePacketGatherer::in_tick,
                                 &LivePacketGatherer::time>;

  Status start(auto& core) {
    const auto settings = core.template region<0>();
    return settings.status;
  }
  void tick(auto& core, std::uint32_t now) {
    flush(core);
    in_tick = 0, time = now;
  }
  void packet(auto& core, std::uint32_t key) { payload(core, key, 0); }
  void payload(auto& core, std::uint32_t key, std::uint32_t payload) {
    const auto settings = core.template region<0>();
    if (settings.head->most_per_tick != 0 && in_tick >= settings.head->most_per_tick) return core.count(over_limit);
    ++in_tick;
    for (const KeyTranslation& one : settings.elements)
      if ((key & one.mask) == one.key) {
        key = one.first + (key & ~one.mask);
        break;
      }
    const protocols::EieioForm form = settings.head->form.form();
    const std::uint32_t words = form.has_payloads() ? 2 : 1;
    waiting[words * count] = key;
    if (words == 2) waiting[words * count + 1] = payload;
    if (++count == form.most_events()) flush(core);
  }
  void pause(auto& core) { flush(core); }

private:
  void flush(auto& core) {
    if (count == 0) return;
    const auto settings = core.template region<0>();
    protocols::EieioForm form = settings.head->form.form();
    if (form.has_payload_prefix && form.payload_is_time) form.payload_prefix = time;
    std::array<std::uint8_t, protocols::eieio_most_bytes> bytes{};
    protocols::EieioWriter message(form, bytes);
    const std::uint32_t words = form.has_payloads() ? 2 : 1;
    for (std::uint32_t at = 0; at < count; ++at)
      static_cast<void>(message.add(waiting[words * at], words == 2 ? waiting[words * at + 1] : 0)); // there is room
    if (core.message(settings.head->tag, message.bytes()))
      core.count(events, count), core.count(messages);
    else
      core.count(not_taken, count);
    count = 0;
  }
};

struct SourceSettings {
  std::uint32_t key, mask; ///< it sends keys (k & mask) == key
  using Fields = runtime::Fields<&SourceSettings::key, &SourceSettings::mask>;
};
using SourceRegion = Region<SourceSettings>;

/// Sends a packet for each event of a message, when it comes.
struct ReverseIpTagMulticastSource {
  using Regions = runtime::Regions<SourceRegion>;
  using Offers = offer::List<offer::Control, offer::Counters>;
  /// Events that were sent; events with keys that are not its own; messages that are not of events, or by another port.
  enum Counter : unsigned { events, other_keys, malformed };
  static constexpr std::size_t counters = 3;
  static constexpr unsigned port = 1;
  using Fields = runtime::Fields<>;

  Status start(auto& core) {
    const auto settings = core.template region<0>();
    return settings.status;
  }
  void control(auto& core, unsigned to, std::span<const std::uint8_t> message) {
    const auto data = protocols::EieioData::of(message);
    if (to != port || !data) return core.count(malformed);
    const SourceSettings& settings = *core.template region<0>().head;
    std::uint32_t sent = 0;
    for (std::size_t at = 0; at < data.value.count(); ++at) {
      const protocols::EieioEvent event = data.value[at];
      if ((event.key & settings.mask) != settings.key) {
        core.count(other_keys);
        continue;
      }
      if (event.has_payload)
        core.send(event.key, event.payload);
      else
        core.send(event.key);
      ++sent;
    }
    core.count(events, sent);
  }
};

} // namespace runtime
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
