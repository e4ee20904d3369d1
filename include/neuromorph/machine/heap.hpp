// SPDX-License-Identifier: BSL-1.0
/// \file
/// What of a memory is given to whom, as SpiNNaker's monitor keeps it: the first block that is large enough, by application and tag.
///
///     machine::Heap heap(0x60000008, 123469792);
///     const std::uint32_t address = heap.take(app, 4096, tag); // 0: refused
// host-only
#ifndef NEUROMORPH_MACHINE_HEAP_HPP
#define NEUROMORPH_MACHINE_HEAP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

class Heap {
public:
  static constexpr std::uint32_t head_bytes = 8; ///< before each block
  /// What was refused.
  struct Refused {
    std::uint64_t empty = 0;       ///< blocks of no bytes
    std::uint64_t no_room = 0;     ///< no free block is as large
    std::uint64_t tag_taken = 0;   ///< the application has a block of this tag
    std::uint64_t not_a_block = 0; ///< frees of what is no block
    friend bool operator==(const Refused&, const Refused&) = default;
  };

  /// \pre begin and bytes are multiples of 4, and begin is not 0
  Heap(std::uint32_t begin, std::uint32_t bytes) : begin_(begin), bytes_(bytes) { free_[begin] = bytes; }

  /// \param tag          0: none
  /// \param may_be_there a block of this tag and size is answered as it is
  /// \return             its address, a multiple of 4; 0: refused
  /// \cost               O(free blocks)
  [[nodiscard]] std::uint32_t take(std::uint8_t application, std::uint32_t bytes, std::uint8_t tag = 0,
                                   bool may_be_there = false) {
    if (bytes == 0) return ++refused_.empty, 0;
    if (tag != 0) {
      if (const auto found = tags_.find(key_of(application, tag)); found != tags_.end()) {
        if (may_be_there && blocks_.at(found->second).asked == bytes) return found->second;
        return ++refused_.tag_taken, 0;
      }
    }
    if (bytes > bytes_) return ++refused_.no_room, 0;
    const std::uint32_t whole = (bytes + 3) / 4 * 4 + head_bytes;
    for (auto free = free_.begin(); free != free_.end(); ++free) {
      if (free->second < whole) continue;
      const std::uint32_t at = free->first, left = free->second - whole;
      free_.erase(free);
      // What could hold no block goes with this one.
      const bool is_rest_useless = left <= head_bytes;
      if (left != 0 && !is_rest_useless) free_[at + whole] = left;
      const std::uint32_t address = at + head_bytes;
      blocks_[address] = {application, tag, bytes, whole + (is_rest_useless ? left : 0)};
      if (tag != 0) tags_[key_of(application, tag)] = address;
      return address;
    }
    return ++refused_.no_room, 0;
  }
  /// \return whether there was such a block
  bool give_back(std::uint32_t address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return ++refused_.not_a_block, false;
    const Block block = found->second;
    if (block.tag != 0) tags_.erase(key_of(block.application, block.tag));
    blocks_.erase(found);
    auto at = free_.emplace(address - head_bytes, block.whole).first;
    if (const auto next = std::next(at); next != free_.end() && at->first + at->second == next->first)
      at->second += next->second, free_.erase(next);
    if (at == free_.begin()) return true;
    if (const auto before = std::prev(at); before->first + before->second == at->first)
      before->second += at->second, free_.erase(at);
    return true;
  }
  /// \return how many there were
  std::size_t give_back_all_of(std::uint8_t application) {
    std::size_t count = 0;
    for (auto block = blocks_.begin(); block != blocks_.end();) {
      const auto next = std::next(block);
      if (block->second.application == application) give_back(block->first), ++count;
      block = next;
    }
    return count;
  }
  /// \return 0: the application has none of this tag
  [[nodiscard]] std::uint32_t of_tag(std::uint8_t application, std::uint8_t tag) const {
    const auto found = tags_.find(key_of(application, tag));
    return found == tags_.end() ? 0 : found->second;
  }
  /// Bytes that could be taken at once.
  [[nodiscard]] std::uint32_t largest() const noexcept {
    std::uint32_t most = 0;
    for (const auto& [at, bytes] : free_) most = (std::max)(most, bytes);
    return most <= head_bytes ? 0 : most - head_bytes;
  }
  /// Bytes that no block has, those of heads of free ones with them.
  [[nodiscard]] std::uint32_t left() const noexcept {
    std::uint32_t sum = 0;
    for (const auto& [at, bytes] : free_) sum += bytes;
    return sum;
  }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size(); }
  [[nodiscard]] const Refused& refused() const noexcept { return refused_; }
  void add_to(Digest& digest) const {
    for (const auto& [address, block] : blocks_)
      digest.add(address), digest.add(block.whole), digest.add(std::uint32_t{block.application} << 8 | block.tag);
  }

private:
  struct Block {
    std::uint8_t application, tag;
    std::uint32_t asked, whole; ///< bytes, with the head in the second
  };
  [[nodiscard]] static std::uint32_t key_of(std::uint8_t application, std::uint8_t tag) noexcept {
    return std::uint32_t{application} << 8 | tag;
  }

  std::uint32_t begin_, bytes_;
  std::map<std::uint32_t, std::uint32_t> free_{}; // where its head would be: bytes with it
  std::map<std::uint32_t, Block> blocks_{};       // by address
  std::map<std::uint32_t, std::uint32_t> tags_{}; // application and tag: address
  Refused refused_{};
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
