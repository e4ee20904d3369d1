// SPDX-License-Identifier: BSL-1.0
/// \file
/// What ranks say to each other: messages of words that begin with what they are about, and with what went wrong.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_RANKS_HPP
#define NEUROMORPH_NETWORK_DETAIL_RANKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/transport.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

class MessageWriter {
public:
  explicit MessageWriter(std::vector<std::uint32_t>& words) noexcept : words_(&words) {}
  void word(std::uint32_t value) { words_->push_back(value); }
  void wide(std::uint64_t value) {
    word(static_cast<std::uint32_t>(value)), word(static_cast<std::uint32_t>(value >> 32));
  }
  void text(std::string_view text) {
    word(static_cast<std::uint32_t>(text.size()));
    for (const char one : text) word(static_cast<unsigned char>(one));
  }
  template <class Words>
  void words(const Words& from) {
    words_->insert(words_->end(), from.begin(), from.end());
  }

private:
  std::vector<std::uint32_t>* words_;
};

/// What is beyond the end is 0.
class MessageReader {
public:
  MessageReader() = default;
  explicit MessageReader(std::span<const std::uint32_t> words) noexcept : words_(words) {}
  [[nodiscard]] std::uint32_t word() noexcept {
    if (words_.empty()) return 0;
    const std::uint32_t first = words_.front();
    words_ = words_.subspan(1);
    return first;
  }
  [[nodiscard]] std::uint64_t wide() noexcept {
    const std::uint64_t low = word();
    return low | std::uint64_t{word()} << 32;
  }
  [[nodiscard]] std::string text() {
    std::string text;
    for (const std::uint32_t one : words(word())) text.push_back(static_cast<char>(one));
    return text;
  }
  [[nodiscard]] std::span<const std::uint32_t> words(std::size_t count) noexcept {
    const auto some = words_.first((std::min)(count, words_.size()));
    words_ = words_.subspan(some.size());
    return some;
  }

  [[nodiscard]] std::span<const std::uint32_t> rest() const noexcept { return words_; }

private:
  std::span<const std::uint32_t> words_{};
};

/// What all ranks do together.
enum class Talk : std::uint32_t { describe = 1, build, run, fed, interval, end, total, save };
[[nodiscard]] constexpr const char* name_of(Talk talk) noexcept {
  switch (talk) {
  case Talk::describe: return "Engine::make";
  case Talk::build: return "Engine::make, when it is built";
  case Talk::run: return "Engine::run";
  case Talk::fed: return "Engine::run, for what is fed";
  case Talk::interval: return "Engine::run, after an interval";
  case Talk::end: return "Engine::run, at its end";
  case Talk::total: return "Engine::totals";
  case Talk::save: return "save";
  }
  return "something unknown";
}

/// The ranks as an engine speaks to them. Without a transport there is one, and nothing is said.
class Ranks {
public:
  explicit Ranks(Transport* transport) noexcept : transport_(transport) {}
  [[nodiscard]] bool are_many() const noexcept { return transport_ != nullptr && transport_->ranks() > 1; }
  [[nodiscard]] unsigned rank() const noexcept { return transport_ == nullptr ? 0 : transport_->rank(); }
  [[nodiscard]] unsigned count() const noexcept { return transport_ == nullptr ? 1 : transport_->ranks(); }

  /// Begins a message, to which more is written until `begin`.
  /// \param own  what went wrong here
  MessageWriter open(Talk talk, const Refusal& own = {}) {
    talk_ = talk;
    words_.clear();
    MessageWriter writer(words_);
    writer.word(static_cast<std::uint32_t>(talk));
    writer.word(own ? 0 : 1);
    if (!own) writer.text(own.sentence());
    return writer;
  }
  /// \errors rank_failed
  [[nodiscard]] Refusal begin() { return transport_->begin(words_); }
  /// \errors rank_failed: a rank is gone, or does something else: no rank can be spoken to again
  [[nodiscard]] Refusal end() {
    heard_ = {};
    readers_.assign(count(), MessageReader());
    if (Refusal refusal = transport_->end(); !refusal) return refusal;
    for (unsigned rank = 0; rank < count(); ++rank) {
      MessageReader& reader = readers_[rank] = MessageReader(transport_->message(rank));
      const auto talk = static_cast<Talk>(reader.word());
      if (talk != talk_)
        return rank_failed(rank, std::string("it is in ") + name_of(talk) + ", and this one in " + name_of(talk_));
      if (reader.word() == 0) continue;
      std::string why = reader.text();
      if (heard_ && rank != this->rank()) heard_ = rank_failed(rank, std::move(why));
    }
    return {};
  }
  /// Both; one rank alone hears itself.
  /// \errors as those
  [[nodiscard]] Refusal exchange() {
    if (are_many()) {
      Refusal refusal = begin();
      return refusal ? end() : refusal;
    }
    heard_ = {};
    readers_.assign(1, MessageReader(words_));
    static_cast<void>(readers_[0].word());
    if (readers_[0].word() != 0) static_cast<void>(readers_[0].text());
    return {};
  }
  /// What went wrong at the first of the others that says so.
  [[nodiscard]] const Refusal& heard() const noexcept { return heard_; }
  /// What a rank has written.
  [[nodiscard]] MessageReader& from(unsigned rank) noexcept { return readers_[rank]; }

private:
  Transport* transport_;
  Talk talk_{};
  std::vector<std::uint32_t> words_{};
  std::vector<MessageReader> readers_{};
  Refusal heard_{};
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
