// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synaptic rows on their way from far memory to the core and back: a DMA engine copies while the core computes.
///
/// A spike waits until a buffer is free, its row is fetched, processed, and written back if it was changed. The engine
/// has as many requests as there are buffers, and is never waited for.
#ifndef NEUROMORPH_SCHED_ROW_PIPELINE_HPP
#define NEUROMORPH_SCHED_ROW_PIPELINE_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/detail/copy_engine.hpp>
#include <neuromorph/sched/spike_buffer.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Where the row of a spike is. No words: the spike has none.
struct FarRow {
  std::uint32_t* words = nullptr;
  std::uint32_t count = 0;
  bool is_fixed = false; ///< no handler ever changes it: it may be fetched again while it is under way
};

/// \tparam Engine   copies: `start(to, from, bytes)` gives a handle, 0 (converted) if it takes no more now;
///                  `is_complete(handle)`; `poll()`. Transfers complete in the order of their start
/// \tparam Spikes   room for waiting spikes, a power of two
/// \tparam Buffers  rows under way at once
/// \tparam Words    most words of a row
/// \tparam Row      FarRow, or what is derived from it: what you find out about a row stands beside it until it is processed
/// \tparam NextSpikes  room for spikes of the next step, a power of two; 0: none come
///
/// A row that is fetched, processed or waits to be written back is not fetched again until its changes are on their
/// way: no change is lost. One that was fetched ahead goes to a spike of this step that needs it; it is fetched again
/// for the next.
template <class Engine, std::size_t Spikes, std::size_t Buffers, std::size_t Words, class Row = FarRow,
          std::size_t NextSpikes = Spikes>
class RowPipeline {
  static_assert(Buffers >= 1 && Buffers <= 255,
                "neuromorph: a RowPipeline has 1 to 255 buffers; see docs/scheduling.md");
  static_assert(detail::is_complete_engine<Engine>());
  static_assert(std::derived_from<Row, FarRow>, "neuromorph: a Row is a FarRow or derived from it; see "
                                                "docs/scheduling.md");
  using Handle = detail::CopyHandle<Engine>;

public:
  struct Counts {
    std::uint32_t processed = 0;   ///< rows
    std::uint32_t written = 0;     ///< rows written back
    std::uint32_t without_row = 0; ///< spikes that have none
    std::uint32_t too_long = 0;    ///< spikes whose row is longer than a buffer, which are left out
    std::uint32_t held_up = 0;     ///< spikes that waited for an earlier one of the same row
    std::uint32_t prefetched = 0;  ///< rows fetched a step ahead
  };

  constexpr explicit RowPipeline(Engine& engine) noexcept : engine_(&engine) {}

  /// The interrupt puts spikes of this step here, the core its own of the next step there.
  SpikeBuffer<Spikes> spikes;
  SpikeBuffer<(NextSpikes != 0 ? NextSpikes : 1)> next_spikes;

  /// Rows that were fetched ahead may be processed from here on, and those that were not are fetched by `feed`.
  void begin_step() noexcept {
    while (ahead_.count != 0) fetching_.put(ahead_.take());
    due_ = waiting_for_next();
  }

  /// Gives the engine one request: the row of the next spike. False if there is none, no buffer, or no room in the
  /// engine.
  ///
  /// \param row_of  Row(std::uint32_t spike), or std::span<std::uint32_t>(std::uint32_t spike)
  template <class RowOf>
  bool feed(const RowOf& row_of) {
    if (free_.count == 0) return false;
    if ((held_.is_there || spikes.size() != 0) && feed_of_step(row_of)) return true;
    if constexpr (NextSpikes != 0)
      return due_ != 0 && feed_due(row_of);
    else
      return false;
  }
  /// The same for the next step, as long as this step has no request and a buffer stays free for it.
  template <class RowOf>
  bool prefetch(const RowOf& row_of) {
    if (free_.count < 2 || waiting_for_next() == 0) return false;
    if (held_.is_there || spikes.size() != 0 || due_ != 0) return false;
    const std::size_t before = ahead_.count;
    const bool fetched = fetch_ahead(row_of);
    counts_.prefetched += static_cast<std::uint32_t>(ahead_.count - before);
    return fetched;
  }
  /// Gives the engine a request for a row that no spike asks for. False if there is no buffer, no room in the engine, or
  /// the row is under way.
  /// \pre it has words, and no more than a buffer
  bool feed_row(const Row& row) noexcept {
    if (free_.count == 0 || (!row.is_fixed && is_under_way(row))) return false;
    Buffer& buffer = buffers_[free_.first()];
    buffer.row = row;
    return request(buffer, 0, fetching_);
  }
  /// Processes the oldest row if it has arrived. False if not, or if changed rows keep all buffers: they go first.
  ///
  /// \param handle  bool(std::uint32_t spike, std::span<std::uint32_t> words): whether it has changed the row; or
  ///                std::uint32_t: how many words from the first on are to be written back. In the place of the spike it
  ///                may take the Row
  template <class Handler>
  bool process(const Handler& handle) {
    engine_->poll();
    if (fetching_.count == 0 || (free_.count == 0 && dirty_.count != 0)) return false;
    Buffer& buffer = buffers_[fetching_.first()];
    if (!engine_->is_complete(buffer.handle)) return false;
    const std::uint32_t changed = changed_words(handle, buffer);
    ++counts_.processed;
    const std::uint8_t number = fetching_.take();
    if (changed == 0) {
      buffer.is_ahead_of_memory = false;
      free_.put(number);
    } else {
      buffer.row.count = changed;
      dirty_.put(number);
    }
    return true;
  }
  /// Gives the engine a changed row, or frees the buffers of rows that have been written.
  bool write_back() noexcept {
    engine_->poll();
    bool has_freed = false;
    for (; writing_.count != 0 && engine_->is_complete(buffers_[writing_.first()].handle); has_freed = true) {
      free_.put(writing_.take());
      ++counts_.written;
    }
    if (dirty_.count == 0) return has_freed;
    Buffer& buffer = buffers_[dirty_.first()];
    const Handle handle = engine_->start(buffer.row.words, buffer.words.data(), bytes(buffer.row));
    if (static_cast<std::uint32_t>(handle) == 0) return has_freed;
    buffer.handle = handle;
    buffer.is_ahead_of_memory = false;
    writing_.put(dirty_.take());
    return true;
  }

  /// Nothing of this step waits or is under way.
  [[nodiscard]] bool is_idle() const noexcept {
    return spikes.size() == 0 && !held_.is_there && due_ == 0 && fetching_.count == 0 && dirty_.count == 0 &&
           writing_.count == 0;
  }
  /// No row is under way, whatever waits.
  [[nodiscard]] bool is_empty() const noexcept { return free_.count == Buffers && !held_.is_there; }
  /// Spikes of this step that were put and are not processed.
  [[nodiscard]] std::uint32_t unprocessed() const noexcept {
    return spikes.size() + (held_.is_there ? 1U : 0U) + static_cast<std::uint32_t>(fetching_.count);
  }
  /// Whether a spike was taken and waits for an earlier one of its row, a buffer, or the engine.
  [[nodiscard]] bool holds_one() const noexcept { return held_.is_there; }
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

private:
  struct Buffer {
    std::array<std::uint32_t, Words> words;
    Row row;
    std::uint32_t spike;
    Handle handle;
    bool is_ahead_of_memory; // from the request for its row on, until a change is on its way back
  };
  struct Held {
    std::uint32_t spike = 0;
    bool is_there = false, was_counted = false;
  };
  /// Buffers by number, in order.
  struct Line {
    std::array<std::uint8_t, Buffers> numbers{};
    std::size_t begin = 0, count = 0;
    constexpr void put(std::uint8_t number) noexcept {
      const std::size_t end = begin + count++;
      numbers[end < Buffers ? end : end - Buffers] = number;
    }
    constexpr std::uint8_t take() noexcept {
      const std::uint8_t number = numbers[begin];
      begin = begin + 1 < Buffers ? begin + 1 : 0;
      --count;
      return number;
    }
    [[nodiscard]] constexpr std::uint8_t first() const noexcept { return numbers[begin]; }
  };

  [[nodiscard, gnu::always_inline]] static constexpr const Row& far_row(const Row& row) noexcept { return row; }
  [[nodiscard]] static constexpr FarRow far_row(std::span<std::uint32_t> row) noexcept {
    return {row.data(), static_cast<std::uint32_t>(row.size())};
  }
  template <class Handler>
  [[gnu::always_inline]] static std::uint32_t changed_words(const Handler& handle, Buffer& buffer) {
    const std::span<std::uint32_t> words{buffer.words.data(), buffer.row.count};
    const auto changed = [&] {
      if constexpr (std::invocable<const Handler&, const Row&, std::span<std::uint32_t>>)
        return handle(std::as_const(buffer.row), words);
      else
        return handle(buffer.spike, words);
    }();
    if constexpr (std::same_as<decltype(changed), const bool>)
      return changed ? buffer.row.count : 0;
    else
      return changed;
  }
  [[nodiscard]] static constexpr std::size_t bytes(const FarRow& row) noexcept {
    return row.count * sizeof(std::uint32_t);
  }
  [[nodiscard]] std::uint32_t waiting_for_next() const noexcept {
    return next_spikes.size() + displaced_count_ + (held_next_.is_there ? 1 : 0);
  }
  /// Gives a row that was fetched ahead to the spike held of this step: whether there was one.
  bool take_over(const FarRow& row) noexcept {
    for (std::size_t left = ahead_.count; left != 0; --left) { // all stay in their order but this one
      const std::uint8_t number = ahead_.take();
      Buffer& buffer = buffers_[number];
      if (buffer.row.words != row.words) {
        ahead_.put(number);
        continue;
      }
      displaced_[displaced_count_++] = buffer.spike;
      --counts_.prefetched;
      buffer.spike = held_.spike;
      held_.is_there = false;
      fetching_.put(number);
    }
    return !held_.is_there;
  }
  /// Whether a row is in a buffer that does not hold what far memory will.
  [[nodiscard]] constexpr bool is_under_way(const FarRow& row) const noexcept {
    for (const Buffer& buffer : buffers_)
      if (buffer.is_ahead_of_memory && buffer.row.words == row.words) return true;
    return false;
  }
  /// Begins to fetch its row into the next free buffer: whether the engine takes it.
  [[gnu::always_inline]] bool request(Buffer& buffer, std::uint32_t spike, Line& to) noexcept {
    const Handle handle = engine_->start(buffer.words.data(), buffer.row.words, bytes(buffer.row));
    if (static_cast<std::uint32_t>(handle) == 0) return false;
    buffer.spike = spike;
    buffer.is_ahead_of_memory = !buffer.row.is_fixed;
    buffer.handle = handle;
    to.put(free_.take());
    return true;
  }
  // Functions of their own, so that who asks in vain pays for the question alone.
  template <class RowOf>
  [[gnu::noinline]] bool feed_of_step(const RowOf& row_of) {
    return fetch(spikes, held_, fetching_, row_of);
  }
  /// Of a spike that came for this step before it began.
  template <class RowOf>
  [[gnu::noinline]] bool feed_due(const RowOf& row_of) {
    if (!fetch(next_spikes, held_next_, fetching_, row_of)) return false;
    --due_;
    return true;
  }
  template <class RowOf>
  [[gnu::noinline]] bool fetch_ahead(const RowOf& row_of) {
    return fetch(next_spikes, held_next_, ahead_, row_of);
  }
  /// What is not held, or not any more, touches no memory of `held`.
  template <class From, class RowOf>
  [[gnu::always_inline]] bool fetch(From& from, Held& held, Line& to, const RowOf& row_of) {
    const bool was_held = held.is_there;
    std::uint32_t spike = held.spike;
    if (!was_held) {
      if (&held == &held_next_ && displaced_count_ != 0)
        spike = displaced_[--displaced_count_];
      else if (!from.take(spike))
        return false;
    }
    // Into the buffer at once, which is free and says nothing of its row until the engine is asked.
    Buffer& buffer = buffers_[free_.first()];
    buffer.row = far_row(row_of(spike));
    const Row& row = buffer.row;
    if (row.count - 1 >= Words) [[unlikely]] {
      ++(row.count == 0 ? counts_.without_row : counts_.too_long);
      held.is_there = false;
      return true;
    }
    const bool is_later = !row.is_fixed && is_under_way(row);
    if (!is_later && request(buffer, spike, to)) [[likely]] {
      if (was_held) held.is_there = false;
      return true;
    }
    if (!was_held) held = {spike, true, false};
    if (!is_later) return false;
    if (&held == &held_ && take_over(row)) return true;
    if (!held.was_counted) ++counts_.held_up;
    held.was_counted = true;
    return false;
  }

  Engine* engine_;
  std::array<Buffer, Buffers> buffers_{};
  Line free_ = [] {
    Line all;
    for (std::size_t number = 0; number < Buffers; ++number) all.put(static_cast<std::uint8_t>(number));
    return all;
  }();
  Line fetching_, ahead_, dirty_, writing_;
  Held held_, held_next_;
  std::array<std::uint32_t, Buffers> displaced_{}; // spikes for the next step whose row was taken over
  std::uint32_t displaced_count_ = 0;
  std::uint32_t due_ = 0; // spikes for the step before that are this step's now
  Counts counts_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
