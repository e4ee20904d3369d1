// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synaptic rows through a ring of buffers: requested, processed and written back in the order of their spikes.
///
/// One loop asks for rows and processes them, so that a row that never changes costs little besides its events. A RowPipeline
/// fetches rows for the next step, too; this does not.
#ifndef NEUROMORPH_SCHED_ROW_STREAM_HPP
#define NEUROMORPH_SCHED_ROW_STREAM_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/detail/copy_engine.hpp>
#include <neuromorph/sched/spike_buffer.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Where a row is that may change. What is derived from it may say of each by `is_fixed()` that nothing changes it.
struct ChangingRow {
  std::uint32_t* words = nullptr;
  std::uint32_t count = 0; ///< 0: the spike has no row
  [[nodiscard]] static constexpr bool is_fixed() noexcept { return false; }
};
/// Where a row is that nothing changes. A stream of such rows has no way back.
struct FixedRow {
  const std::uint32_t* words = nullptr;
  std::uint32_t count = 0;
  [[nodiscard]] static constexpr bool is_fixed() noexcept { return true; }
};

/// \tparam Engine   as of a RowPipeline
/// \tparam Spikes   room for waiting spikes, a power of two
/// \tparam Buffers  rows under way at once
/// \tparam Words    most words of a row
/// \tparam Row      ChangingRow, FixedRow, or what is derived from one: what you find out about a row stands beside it
///
/// A row that is fetched, processed or waits to be written back is not fetched again until its changes are on their
/// way: no change is lost. What comes behind waits with it.
template <class Engine, std::size_t Spikes, std::size_t Buffers, std::size_t Words, class Row = ChangingRow>
class RowStream {
  static_assert(Buffers >= 1 && Buffers <= 255, "neuromorph: a RowStream has 1 to 255 buffers; see docs/scheduling.md");
  static_assert(detail::is_complete_engine<Engine>());
  static_assert(std::derived_from<Row, ChangingRow> || std::derived_from<Row, FixedRow>,
                "neuromorph: a Row is a ChangingRow, a FixedRow or derived from one; see docs/scheduling.md");
  using Handle = detail::CopyHandle<Engine>;
  static constexpr bool may_change = std::derived_from<Row, ChangingRow>;
  using Word = std::conditional_t<may_change, std::uint32_t, const std::uint32_t>;

public:
  struct Counts {
    std::uint32_t processed = 0;   ///< rows
    std::uint32_t written = 0;     ///< rows written back
    std::uint32_t without_row = 0; ///< spikes that have none
    std::uint32_t too_long = 0;    ///< spikes whose row is longer than a buffer, which are left out
    std::uint32_t held_up = 0;     ///< spikes that waited for an earlier one of the same row
  };

  constexpr explicit RowStream(Engine& engine) noexcept : engine_(&engine) {
    next_ = oldest_ = last_ = buffers_.data();
  }
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// The interrupt puts spikes here.
  SpikeBuffer<Spikes> spikes;

  /// In turn gives the engine requests until no buffer is free, and processes the oldest row if it has arrived: whether a spike
  /// was taken or a row processed. Where changed rows keep all buffers, they go first.
  ///
  /// \param row_of  Row(std::uint32_t spike); asked again when the engine has taken no more, or an earlier row is in the way
  /// \param handle  std::uint32_t(const Row&, std::span<std::uint32_t> words): how many words from the first on are to be
  ///                written back. It calls nothing of this but `spikes.put`
  /// \param until   spikes to take of all that were put, at most spikes.put_count()
  /// \param most    fixed rows to process, the last of which may be one that is not fixed; 0: requests alone
  template <class RowOf, class Handler>
  bool run(const RowOf& row_of, const Handler& handle, std::uint32_t until, std::uint32_t most) {
    Engine& engine = *engine_;
    Buffer* oldest = oldest_;
    Buffer* next = next_;
    std::uint32_t free = free_, done = may_change ? done_ : 0, taken = spikes.taken_count(), left = most;
    const std::uint32_t before = taken;
    const bool must_write = may_change && dirty_ != 0; // the next change ends this
    for (;;) {
      for (; free != 0 && taken != until; spikes.take_until(++taken)) {
        Row& row = next->row = row_of(spikes.look_at(taken));
        if (row.count - 1 >= Words) [[unlikely]] {
          ++(row.count == 0 ? counts_.without_row : counts_.too_long);
          continue;
        }
        if (!row.is_fixed() && is_under_way(row)) [[unlikely]] {
          if (held_ != taken + 1) ++counts_.held_up;
          held_ = taken + 1;
          break;
        }
        if (!request(engine, *next)) break;
        next = behind(next);
        --free;
      }
      if (left == 0) break;
      engine.poll();
      if (free + done == Buffers || !engine.is_complete(oldest->handle)) break;
      if (must_write && free == 0) break;
      const Row& row = oldest->row;
      if (!row.is_fixed()) [[unlikely]]
        most -= left - 1, left = 1;
      const std::uint32_t changed = handle(row, std::span<Word>{oldest->words.data(), row.count});
      --left;
      if (!may_change || (changed == 0 && done == 0)) {
        if (may_change) oldest->is_ahead_of_memory = false;
        ++free;
      } else {
        keep(*oldest, changed, done++);
      }
      oldest = behind(oldest);
    }
    oldest_ = oldest;
    next_ = next;
    free_ = free;
    done_ = done;
    counts_.processed += most - left;
    return taken != before || left != most;
  }
  /// Gives the engine a request for a row that no spike asks for. False if there is no buffer, no room in the engine, or
  /// the row is under way.
  /// \pre it has words, and no more than a buffer
  bool feed_row(const Row& row) noexcept {
    if (free_ == 0 || (!row.is_fixed() && is_under_way(row))) return false;
    next_->row = row;
    if (!request(*engine_, *next_)) return false;
    next_ = behind(next_);
    --free_;
    return true;
  }
  /// Gives the engine a changed row, or frees the buffers of rows that have been written. Not for rows that are all fixed.
  bool write_back() noexcept requires may_change {
    engine_->poll();
    bool has_freed = false;
    for (; done_ != 0 && !last_->is_ahead_of_memory && engine_->is_complete(last_->handle); has_freed = true) {
      counts_.written += last_->changed != 0 ? 1 : 0;
      last_ = behind(last_);
      --done_;
      ++free_;
    }
    if (dirty_ == 0) return has_freed;
    Buffer* first = last_;
    while (!first->is_ahead_of_memory) first = behind(first);
    const Handle handle = engine_->start(first->row.words, first->words.data(), first->changed * sizeof(std::uint32_t));
    if (static_cast<std::uint32_t>(handle) == 0) return has_freed;
    first->handle = handle;
    first->is_ahead_of_memory = false;
    --dirty_;
    return true;
  }

  /// Whether there is a spike before `until`, and a buffer for its row.
  [[nodiscard]] bool may_take(std::uint32_t until) const noexcept {
    return free_ != 0 && spikes.taken_count() != until;
  }
  /// Whether a row is requested that is not processed.
  [[nodiscard]] bool has_requested() const noexcept { return free_ + done_ != Buffers; }
  /// No row is under way, whatever waits.
  [[nodiscard]] bool is_empty() const noexcept { return free_ == Buffers; }
  /// Nothing waits or is under way.
  [[nodiscard]] bool is_idle() const noexcept { return spikes.size() == 0 && is_empty(); }
  /// Spikes that were put and are not processed.
  [[nodiscard]] std::uint32_t unprocessed() const noexcept {
    return spikes.size() + (static_cast<std::uint32_t>(Buffers) - free_ - done_);
  }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

private:
  struct Buffer {
    std::array<std::uint32_t, Words> words;
    Row row;
    Handle handle;
    std::uint32_t changed;   // words, of a processed row
    bool is_ahead_of_memory; // from the request for its row on, until a change is on its way back
  };
  [[nodiscard]] constexpr Buffer* behind(Buffer* buffer) noexcept {
    return buffer == &buffers_.back() ? buffers_.data() : buffer + 1;
  }
  /// Whether a row is in a buffer that does not hold what far memory will.
  [[nodiscard]] constexpr bool is_under_way(const Row& row) const noexcept {
    for (const Buffer& buffer : buffers_)
      if (buffer.is_ahead_of_memory && buffer.row.words == row.words) return true;
    return false;
  }
  /// Begins to fetch a row into its buffer: whether the engine takes it.
  [[gnu::always_inline]] static bool request(Engine& engine, Buffer& buffer) noexcept {
    const Handle handle = engine.start(buffer.words.data(), buffer.row.words, buffer.row.count * sizeof(std::uint32_t));
    if (static_cast<std::uint32_t>(handle) == 0) return false;
    buffer.handle = handle;
    if constexpr (may_change) buffer.is_ahead_of_memory = true; // nobody asks for the address of a fixed row
    return true;
  }
  /// A processed row behind others, or one that was changed: its buffer is freed in its order.
  void keep(Buffer& buffer, std::uint32_t changed, std::uint32_t before) noexcept {
    if (before == 0) last_ = &buffer;
    buffer.changed = changed;
    buffer.is_ahead_of_memory = changed != 0;
    if (changed != 0) ++dirty_;
  }

  // Buffers in their order: free, requested, processed and not free again.
  Engine* engine_;
  Buffer* next_ = nullptr;   // the first that is free
  Buffer* oldest_ = nullptr; // that is requested
  Buffer* last_ = nullptr;   // the first that is processed, if there is one
  std::uint32_t free_ = Buffers, done_ = 0;
  std::uint32_t dirty_ = 0; // processed, changed, and not on their way
  std::uint32_t held_ = 0;  // the number behind the spike that was held up last
  Counts counts_{};
  std::array<Buffer, Buffers> buffers_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
