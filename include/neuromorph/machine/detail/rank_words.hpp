// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the processes of a machine tell each other, as words: numbers, bytes, datagrams, one after the other.
// host-only
#ifndef NEUROMORPH_MACHINE_DETAIL_RANK_WORDS_HPP
#define NEUROMORPH_MACHINE_DETAIL_RANK_WORDS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine::detail {

class RankWords {
public:
  void add(std::uint32_t word) { words_.push_back(word); }
  void add_double(std::uint64_t word) {
    add(static_cast<std::uint32_t>(word)), add(static_cast<std::uint32_t>(word >> 32));
  }
  void add_list(std::span<const std::uint32_t> words) {
    add(static_cast<std::uint32_t>(words.size()));
    words_.insert(words_.end(), words.begin(), words.end());
  }
  void add_bytes(std::span<const std::uint8_t> bytes) {
    add(static_cast<std::uint32_t>(bytes.size()));
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      std::uint32_t word = 0;
      for (std::size_t byte = at; byte < bytes.size() && byte < at + 4; ++byte)
        word |= std::uint32_t{bytes[byte]} << 8 * (byte - at);
      add(word);
    }
  }
  void add_end(const Endpoint& of) { add_bytes(of.address), add(of.port); }
  void add_datagram(const Datagram& of) { add(of.from), add_end(of.to), add_bytes(of.bytes); }
  [[nodiscard]] const std::vector<std::uint32_t>& words() const noexcept { return words_; }

private:
  std::vector<std::uint32_t> words_{};
};

/// Takes them in the order in which they were added; behind the end all is 0 and empty.
class RankReader {
public:
  explicit RankReader(std::span<const std::uint32_t> words) : rest_(words) {}
  [[nodiscard]] bool is_empty() const noexcept { return rest_.empty(); }
  [[nodiscard]] std::uint32_t take() {
    if (rest_.empty()) return 0;
    const std::uint32_t word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }
  [[nodiscard]] std::uint64_t take_double() {
    const std::uint64_t low = take();
    return low | std::uint64_t{take()} << 32;
  }
  [[nodiscard]] std::span<const std::uint32_t> take_list() {
    const std::size_t count = (std::min)(std::size_t{take()}, rest_.size());
    const std::span<const std::uint32_t> words = rest_.first(count);
    rest_ = rest_.subspan(count);
    return words;
  }
  [[nodiscard]] std::vector<std::uint8_t> take_bytes() {
    std::vector<std::uint8_t> bytes((std::min)(std::size_t{take()}, 4 * rest_.size()));
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      const std::uint32_t word = take();
      for (std::size_t byte = at; byte < bytes.size() && byte < at + 4; ++byte)
        bytes[byte] = static_cast<std::uint8_t>(word >> 8 * (byte - at));
    }
    return bytes;
  }
  [[nodiscard]] Endpoint take_end() {
    Endpoint made;
    const std::vector<std::uint8_t> address = take_bytes();
    std::copy_n(address.begin(), (std::min)(address.size(), made.address.size()), made.address.begin());
    made.port = static_cast<std::uint16_t>(take());
    return made;
  }
  [[nodiscard]] Datagram take_datagram() {
    Datagram made;
    made.from = take(), made.to = take_end(), made.bytes = take_bytes();
    return made;
  }

private:
  std::span<const std::uint32_t> rest_;
};

} // namespace machine::detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
