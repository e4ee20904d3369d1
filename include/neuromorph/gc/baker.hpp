// SPDX-License-Identifier: BSL-1.0
/// \file
/// Buffers of any length in one heap, which a scanner empties, an extender enlarges, and a compactor puts together
/// again by way of memory outside the heap.
/// \source M. Mikaitis, Application-specific real-time garbage collection, 2016, IV; docs/traces.md says what differs
///
/// Invariant: each neuron's events stand in one buffer, in order, in the heap or, during a compaction, in scratch
/// memory; buffers do not overlap. From the top of the heap on, all is free; below it are buffers and holes. After a
/// round of compaction in which no buffer was extended there are no holes: what is free is one block.
/// Transfers overlap with records and windows: gc/detail/variable_buffers.hpp has the protocol.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_GC_BAKER_HPP
#define NEUROMORPH_GC_BAKER_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/detail/variable_buffers.hpp>
#include <neuromorph/target/device/copy_engine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace gc {

/// Scratch memory in the store itself: for machines that have nothing else, and for tests.
struct ScratchInside {
  template <class Memory>
  class Place {
  public:
    [[nodiscard]] constexpr Memory& get() noexcept { return memory_; }
    [[nodiscard]] constexpr const Memory& get() const noexcept { return memory_; }

  private:
    Memory memory_{};
  };
};

/// At a fixed address, such as in SDRAM; no two stores may have the same.
template <std::uintptr_t Address>
struct ScratchAt {
  static_assert(Address % 4 == 0, "neuromorph: scratch memory is aligned to words; see docs/traces.md");
  template <class Memory>
  struct Place {
    [[nodiscard]] static Memory& get() noexcept { return *reinterpret_cast<Memory*>(Address); }
  };
};

/// One neuron after another.
template <class Layout, std::uint32_t Scan>
class ScanInTurn {
public:
  static constexpr std::uint32_t looks = Scan < Layout::neurons ? Scan : Layout::neurons;
  static constexpr std::uint32_t ticks_for_all = Layout::neurons / looks + 1;
  explicit constexpr ScanInTurn(std::uint32_t) noexcept {}
  constexpr void begin(std::uint32_t) noexcept {}
  [[nodiscard]] constexpr std::uint32_t next(std::uint32_t) noexcept {
    const std::uint32_t neuron = next_;
    next_ = neuron + 1 == Layout::neurons ? 0 : neuron + 1;
    return neuron;
  }
  constexpr void was_looked_at(std::uint32_t, std::uint32_t, std::uint32_t) noexcept {}
  constexpr void has_oldest(std::uint32_t, std::uint32_t) noexcept {}
  template <class HasEvents>
  [[nodiscard]] constexpr bool is_consistent(HasEvents) const noexcept {
    return next_ < Layout::neurons;
  }

private:
  std::uint32_t next_ = 0;
};

/// When all are alive, the newest is refused.
///
/// \tparam Events         most events in memory, 1 to 32767
/// \tparam Initial        events of a neuron's first buffer, which takes memory when the first event comes
/// \tparam Extension      by so many events a buffer grows, or by a quarter, if that is more; so many a compaction
///                        leaves it at most
/// \tparam Fragments      of a round of compaction, one of which an advance does; more if buffers grow meanwhile
/// \tparam Scan           neurons that an advance looks at
/// \tparam SaveEngine     target::CopyEngine that copies a fragment's buffers to scratch memory, one by one
/// \tparam RestoreEngine  copies the fragment back; a device in one transfer, while ticks go on
/// \tparam ScratchMemory  ScratchInside, ScratchAt<address>, or a policy like them
///
/// Memory: per event its time, trace and Liveness::State in whole words; per neuron 8 bytes and what it does not use of
/// its buffer: Initial events at first, up to Extension, or a quarter of its own, after a compaction; 104 for all.
/// Scratch memory: as much as the events, and 4 bytes a neuron.
/// \cost  record O(1), and O(the neuron's events) when its buffer is full; if there is no room at the top then, all is
/// compacted at once (counted by `full_collections`), O(Neurons + Events). window O(the neuron's events). advance_to
/// O(Scan + dead events); with a fragment O(Neurons + Events / Fragments + the longest buffer). clear O(Neurons)
/// Locked: a whole record; a whole window; in an advance one neuron's scan, 16 neurons' choice, one buffer's way to
/// scratch memory, or back. A device is waited for with interrupts let in, but by a record that compacts all at once
/// and by clear. Records move what views show: keep interrupts out while you use one, or record at its level only.
/// Room: an event is refused while `Events` are alive.
template <std::size_t Events, std::size_t Initial = 4, std::size_t Extension = 4, std::size_t Fragments = 4,
          std::size_t Scan = 16, class SaveEngine = target::CopyBlock<>, class RestoreEngine = SaveEngine,
          class ScratchMemory = ScratchInside>
struct Baker {
  static constexpr std::uint32_t events = Events, initial = Initial, extension = Extension, fragments = Fragments,
                                 scan = Scan;
  using Save = SaveEngine;
  using Restore = RestoreEngine;
  using Scratch = ScratchMemory;
  template <class Layout>
  using Scanner = ScanInTurn<Layout, Scan>;

  template <class Layout>
  using Heap = detail::VariableBuffers<Layout, Baker, Scanner>;
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
