// SPDX-License-Identifier: BSL-1.0
/// \file
/// A program of the system on the Ethernet chip of a board. Words that monitors of chips stream out become messages to a host, and messages
/// of a host become words for them.
///
///     programs.add_model<machine::Gatherer>(machine::gatherer_name);
///     ... // a host loads it with its regions, and sends protocols::DataInBegin and what follows to its port 6
/// \source SpiNNFrontEndCommon: data_speed_up_packet_gatherer.c
// host-only
#ifndef NEUROMORPH_MACHINE_GATHERER_HPP
#define NEUROMORPH_MACHINE_GATHERER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/machine/router.hpp>
#include <neuromorph/machine/system_program.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/fast_data.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

inline constexpr const char* gatherer_name = "data gatherer";

class Gatherer final : public SystemProgram {
public:
  [[nodiscard]] std::string name() const override { return gatherer_name; }
  [[nodiscard]] std::size_t regions() const noexcept override { return 2; }
  /// \errors parameters_contradict: a region is none of a gatherer
  Status load(std::size_t, std::size_t region, std::span<const std::uint8_t> bytes) override {
    const auto out = protocols::GathererRegion::of(bytes);
    const auto chips = protocols::GathererChips::of(bytes);
    const bool is_out = region == protocols::GathererRegion::number;
    if (is_out ? !out : !chips) return {Error::parameters_contradict, 0, bytes.size(), "region"};
    if (is_out) return tag_ = out.value.tag, Status{};
    bases_.clear();
    for (std::size_t at = 0; at < chips.value.size(); ++at)
      bases_[{chips.value[at].x, chips.value[at].y}] = chips.value[at].base;
    return {};
  }
  [[nodiscard]] bool answer(std::size_t, unsigned port, std::span<const std::uint8_t> request,
                            std::vector<std::uint32_t>&) override {
    return port == unsigned(protocols::SdpPort::data_in) && stream_in(request);
  }
  /// Of a stream out.
  void take(PacketKind kind, std::uint32_t key, std::uint32_t payload) override {
    using protocols::FastDataKey;
    if (kind != PacketKind::fixed_route) return;
    switch (FastDataKey(key)) {
    case FastDataKey::first_data: sequence_ = 0, words_ = 0; break; // the payload says how many packets there are
    case FastDataKey::transaction: out_ = payload, words_ = 0; break;
    case FastDataKey::new_sequence:
      if (words_ != 0) flush(false);
      sequence_ = payload;
      break;
    case FastDataKey::end: flush(true); break;
    case FastDataKey::data:
      protocols::put_word(data_, 4 * words_++, payload);
      if (4 * words_ == data_.size()) flush(false);
      break;
    }
  }

private:
  void flush(bool is_last) {
    const protocols::DataOutPacket packet{sequence_++, is_last, out_,
                                          std::span<const std::uint8_t>(data_).first(4 * std::size_t{words_})};
    std::array<std::uint8_t, protocols::DataOutPacket::head_bytes + protocols::DataOutPacket::most_data> bytes{};
    services().message(tag_, std::span(bytes).first(packet.write(bytes)));
    words_ = 0;
  }

  /// What comes of a transaction that is not the next one is from the past.
  [[nodiscard]] bool stream_in(std::span<const std::uint8_t> message) {
    using protocols::DataInBegin, protocols::DataInPacket, protocols::DataInEnd;
    if (const auto begin = DataInBegin::of(message); begin) {
      const std::uint32_t next = in_ == protocols::last_transaction ? 0 : in_ + 1;
      const auto base = bases_.find({begin.value.x, begin.value.y});
      const bool is_own = begin.value.x == 0 && begin.value.y == 0;
      if (is_open_ || begin.value.transaction != next || begin.value.last >= most_packets ||
          (base == bases_.end() && !is_own))
        return true;
      in_ = next, services().set_user1(in_), is_open_ = true, left_ = begin.value.last + 1;
      is_own_ = is_own, base_ = is_own ? 0 : base->second, address_ = begin.value.address, last_seen_ = UINT32_MAX;
      has_.assign(left_, false);
      return true;
    }
    if (const auto packet = DataInPacket::of(message); packet) {
      const auto& of = packet.value;
      if (!is_open_ || of.transaction != in_ || of.sequence >= has_.size()) return true;
      if (!has_[of.sequence]) has_[of.sequence] = true, --left_;
      write(of);
      return true;
    }
    const auto ask = DataInEnd::of(message);
    if (!ask || ask.value.what != DataInEnd::What::ask) return false;
    if (ask.value.transaction != in_) return true;
    if (is_open_ && left_ != 0) return tell_missing(), true;
    if (is_open_ && !is_own_) send(protocols::DataInKeys::boundary, 0);
    is_open_ = false;
    std::array<std::uint8_t, DataInEnd::bytes> bytes{};
    DataInEnd{DataInEnd::What::done, in_}.write(bytes);
    services().message(tag_, bytes);
    return true;
  }
  void write(const protocols::DataInPacket& of) {
    const std::uint32_t to = address_ + of.sequence * static_cast<std::uint32_t>(protocols::DataInPacket::most_data);
    if (is_own_) {
      if (to % 4 == 0) static_cast<void>(services().write(to, of.data));
      return;
    }
    if (last_seen_ + 1 != of.sequence || of.sequence == 0) send(protocols::DataInKeys::address, to);
    last_seen_ = of.sequence;
    for (std::size_t at = 0; at < of.data.size(); at += 4)
      send(protocols::DataInKeys::data, protocols::word_at(of.data, at));
  }
  void send(std::uint32_t which, std::uint32_t payload) {
    services().send(PacketKind::multicast, base_ + which, payload);
  }
  void tell_missing() {
    using protocols::MissingList;
    constexpr std::size_t most = MissingList::most_words - 2;
    std::array<std::uint8_t, 4 * most> numbers{};
    std::size_t count = 0;
    const auto tell = [&] {
      std::array<std::uint8_t, 4 * MissingList::most_words> bytes{};
      const MissingList list{.kind = MissingList::Kind::in,
                             .transaction = in_,
                             .numbers = std::span<const std::uint8_t>(numbers).first(4 * count)};
      services().message(tag_, std::span(bytes).first(list.write(bytes)));
      count = 0;
    };
    if (left_ == has_.size()) {
      protocols::put_word(numbers, 4 * count++, MissingList::all);
      return tell();
    }
    for (std::uint32_t at = 0; at < has_.size(); ++at) {
      if (has_[at]) continue;
      protocols::put_word(numbers, 4 * count++, at);
      if (count == most) tell();
    }
    if (count != 0) tell();
  }

  static constexpr std::uint32_t most_packets = 1U << 20; // more than a chip has memory for
  std::uint32_t tag_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> bases_{}; // by place on the board
  std::array<std::uint8_t, protocols::DataOutPacket::most_data> data_{};     // of the next message
  std::uint32_t sequence_ = 0, out_ = 0, words_ = 0;
  std::uint32_t in_ = 0, left_ = 0, base_ = 0, address_ = 0, last_seen_ = UINT32_MAX;
  bool is_open_ = false, is_own_ = false;
  std::vector<bool> has_{}; // packets of the stream in
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
