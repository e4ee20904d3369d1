// SPDX-License-Identifier: BSL-1.0
/// \file
/// Rowlets: a synaptic row cut by delay, so that a loop needs neither step number nor wrap-around for an event.
///
/// A row is a sequence of rowlets, one per delay: a header word, then events in the layout that suits the projection,
/// from any weights to any targets down to weights alone. All layouts of one row are the same.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_ROWLET_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_ROWLET_HPP

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// First word of a rowlet: delay in the upper half, number of events in the lower.
struct RowletHeader {
  std::uint32_t delay = 1;
  std::uint32_t events = 0;

  [[nodiscard]] constexpr std::uint32_t word() const noexcept { return delay << 16 | events; }
  [[nodiscard]] static constexpr RowletHeader from(std::uint32_t word) noexcept { return {word >> 16, word & 0xFFFF}; }
};

struct RowletEvent {
  std::uint32_t element = 0; ///< of a slot: type * 2^index_bits + index
  std::int32_t weight = 0;
};

/// How the events of a rowlet stand in memory. `Layout::words(events)` follow its header, and `Layout::added(events)`
/// events are added: one more where a word is filled up.
template <class Layout>
concept RowletLayout = requires(typename Layout::Element* slot, const std::uint32_t* words, std::uint32_t* to,
                                std::size_t count, const RowletEvent& event) {
  requires RingElement<typename Layout::Element>;
  { Layout::words(count) } -> std::same_as<std::size_t>;
  { Layout::added(count) } -> std::same_as<std::size_t>;
  { Layout::check(event, count, event) } -> std::same_as<Status>;
  { Layout::put(to, count, event) } -> std::same_as<void>;
  { Layout::element(words, count, count) } -> std::same_as<std::uint32_t>;
  { Layout::weight(words, count, count) } -> std::same_as<std::int32_t>;
  { Layout::template add<target::Generic>(slot, words, count) } -> std::same_as<std::uint32_t>;
};

/// Layouts. `check` says whether a rowlet that begins with event `first` can have this event at `at`; `put` writes it,
/// in ascending order of `at`, unchecked. `element` is large where a distance is not that of an element; `add` returns
/// how many events were held at the end of the element's range.
namespace layout {

/// A word per event: any weight of 16 bits with sign, any of 16384 elements of 32 bits.
/// \cost ARM968E-S: benchmark `synapse/ring32/rowlet`
struct Single {
  using Element = std::int32_t;
  [[nodiscard]] static constexpr std::size_t words(std::size_t events) noexcept { return events; }
  [[nodiscard]] static constexpr std::size_t added(std::size_t events) noexcept { return events; }
  /// \errors index_out_of_range, weight_out_of_range
  [[nodiscard]] static constexpr Status check(const RowletEvent&, std::size_t, const RowletEvent& event) noexcept {
    if (event.element > 0x3FFF) return {Error::index_out_of_range, 0, event.element, "index"};
    if (event.weight != static_cast<std::int16_t>(event.weight))
      return {Error::weight_out_of_range, 0, event.weight, "weight"};
    return {};
  }
  static constexpr void put(std::uint32_t* words, std::size_t at, const RowletEvent& event) noexcept {
    words[at] = event.element << 18 | (static_cast<std::uint32_t>(event.weight) & 0xFFFF);
  }
  [[nodiscard]] static constexpr std::uint32_t element(const std::uint32_t* words, std::size_t,
                                                       std::size_t at) noexcept {
    return std::rotr(words[at] >> 16, 2);
  }
  [[nodiscard]] static constexpr std::int32_t weight(const std::uint32_t* words, std::size_t, std::size_t at) noexcept {
    return static_cast<std::int16_t>(words[at]);
  }
  template <class Target>
  static constexpr std::uint32_t add(std::int32_t* slot, const std::uint32_t* words, std::size_t events) noexcept {
    Target::add_rowlet(slot, words, events);
    return 0;
  }
};

/// A word per event: any magnitude of 16 bits, any of 16384 elements of 16 bits, which stop at 65535.
/// \cost ARM968E-S: benchmark `synapse/ring16sat/rowlet`
struct Saturating {
  using Element = std::uint16_t;
  [[nodiscard]] static constexpr std::size_t words(std::size_t events) noexcept { return events; }
  [[nodiscard]] static constexpr std::size_t added(std::size_t events) noexcept { return events; }
  /// \errors index_out_of_range, weight_out_of_range
  [[nodiscard]] static constexpr Status check(const RowletEvent&, std::size_t, const RowletEvent& event) noexcept {
    if (event.element > 0x3FFF) return {Error::index_out_of_range, 0, event.element, "index"};
    if (event.weight < 0 || event.weight > 65535) return {Error::weight_out_of_range, 0, event.weight, "weight"};
    return {};
  }
  static constexpr void put(std::uint32_t* words, std::size_t at, const RowletEvent& event) noexcept {
    words[at] = static_cast<std::uint32_t>(65535 - event.weight) << 16 | event.element << 1;
  }
  [[nodiscard]] static constexpr std::uint32_t element(const std::uint32_t* words, std::size_t,
                                                       std::size_t at) noexcept {
    return std::rotr(static_cast<std::uint32_t>(static_cast<std::int16_t>(words[at])), 1);
  }
  [[nodiscard]] static constexpr std::int32_t weight(const std::uint32_t* words, std::size_t, std::size_t at) noexcept {
    return 65535 - static_cast<std::int32_t>(words[at] >> 16);
  }
  template <class Target>
  [[nodiscard]] static constexpr std::uint32_t add(std::uint16_t* slot, const std::uint32_t* words,
                                                   std::size_t events) noexcept {
    return Target::add_rowlet_saturating(slot, words, events);
  }
};

/// Two words for two events, a word of weights and a word of targets; an odd rowlet ends with an event of weight 0.
/// \cost ARM968E-S: benchmark `synapse/ring32/packed`
struct Pairs {
  using Element = std::int32_t;
  [[nodiscard]] static constexpr std::size_t words(std::size_t events) noexcept { return events + events % 2; }
  [[nodiscard]] static constexpr std::size_t added(std::size_t events) noexcept { return events + events % 2; }
  /// \errors index_out_of_range, weight_out_of_range
  [[nodiscard]] static constexpr Status check(const RowletEvent& first, std::size_t at,
                                              const RowletEvent& event) noexcept {
    return Single::check(first, at, event);
  }
  static constexpr void put(std::uint32_t* words, std::size_t at, const RowletEvent& event) noexcept {
    std::uint32_t* const pair = words + at / 2 * 2;
    if (at % 2 == 0) {
      pair[0] = static_cast<std::uint32_t>(event.weight) << 16;
      pair[1] = event.element << 18;
    } else {
      pair[0] |= static_cast<std::uint32_t>(event.weight) & 0xFFFF;
      pair[1] |= event.element << 2;
    }
  }
  [[nodiscard]] static constexpr std::uint32_t element(const std::uint32_t* words, std::size_t,
                                                       std::size_t at) noexcept {
    return std::rotr(words[at / 2 * 2 + 1] >> (at % 2 == 0 ? 16 : 0) & 0xFFFF, 2);
  }
  [[nodiscard]] static constexpr std::int32_t weight(const std::uint32_t* words, std::size_t, std::size_t at) noexcept {
    return static_cast<std::int16_t>(words[at / 2 * 2] >> (at % 2 == 0 ? 16 : 0));
  }
  template <class Target>
  static constexpr std::uint32_t add(std::int32_t* slot, const std::uint32_t* words, std::size_t events) noexcept {
    Target::add_pairs(slot, words, (events + 1) / 2);
    return 0;
  }
};

/// One weight of 32 bits for all events, then two targets a word.
/// \cost ARM968E-S: benchmark `synapse/ring32/uniform`
struct Uniform {
  using Element = std::int32_t;
  [[nodiscard]] static constexpr std::size_t words(std::size_t events) noexcept { return 1 + (events + 1) / 2; }
  [[nodiscard]] static constexpr std::size_t added(std::size_t events) noexcept { return events; }
  /// \errors index_out_of_range; weight_out_of_range: it is not the first event's weight
  [[nodiscard]] static constexpr Status check(const RowletEvent& first, std::size_t,
                                              const RowletEvent& event) noexcept {
    if (event.element > 0x3FFF) return {Error::index_out_of_range, 0, event.element, "index"};
    if (event.weight != first.weight) return {Error::weight_out_of_range, 0, event.weight, "weight"};
    return {};
  }
  static constexpr void put(std::uint32_t* words, std::size_t at, const RowletEvent& event) noexcept {
    words[0] = static_cast<std::uint32_t>(event.weight);
    std::uint32_t& pair = words[1 + at / 2];
    pair = at % 2 == 0 ? event.element << 2 : pair | event.element << 18;
  }
  [[nodiscard]] static constexpr std::uint32_t element(const std::uint32_t* words, std::size_t,
                                                       std::size_t at) noexcept {
    return std::rotr(words[1 + at / 2] >> (at % 2 * 16) & 0xFFFF, 2);
  }
  [[nodiscard]] static constexpr std::int32_t weight(const std::uint32_t* words, std::size_t, std::size_t) noexcept {
    return static_cast<std::int32_t>(words[0]);
  }
  template <class Target>
  static constexpr std::uint32_t add(std::int32_t* slot, const std::uint32_t* words, std::size_t events) noexcept {
    Target::add_uniform(slot, words + 1, events, static_cast<std::int32_t>(words[0]));
    return 0;
  }
};

/// The first element, then two weights a word: every element in turn, weight 0 where there is no synapse.
/// \cost ARM968E-S: benchmark `synapse/ring32/dense`
struct Dense {
  using Element = std::int32_t;
  [[nodiscard]] static constexpr std::size_t words(std::size_t events) noexcept { return 1 + (events + 1) / 2; }
  [[nodiscard]] static constexpr std::size_t added(std::size_t events) noexcept { return events; }
  /// \errors index_out_of_range: not the element after the last one; weight_out_of_range
  [[nodiscard]] static constexpr Status check(const RowletEvent& first, std::size_t at,
                                              const RowletEvent& event) noexcept {
    if (event.element != first.element + at) return {Error::index_out_of_range, 0, event.element, "index"};
    if (event.weight != static_cast<std::int16_t>(event.weight))
      return {Error::weight_out_of_range, 0, event.weight, "weight"};
    return {};
  }
  static constexpr void put(std::uint32_t* words, std::size_t at, const RowletEvent& event) noexcept {
    if (at == 0) words[0] = event.element;
    std::uint32_t& pair = words[1 + at / 2];
    const std::uint32_t bits = static_cast<std::uint32_t>(event.weight) & 0xFFFF;
    pair = at % 2 == 0 ? bits : pair | bits << 16;
  }
  [[nodiscard]] static constexpr std::uint32_t element(const std::uint32_t* words, std::size_t,
                                                       std::size_t at) noexcept {
    return words[0] + static_cast<std::uint32_t>(at);
  }
  [[nodiscard]] static constexpr std::int32_t weight(const std::uint32_t* words, std::size_t, std::size_t at) noexcept {
    return static_cast<std::int16_t>(words[1 + at / 2] >> (at % 2 * 16));
  }
  template <class Target>
  static constexpr std::uint32_t add(std::int32_t* slot, const std::uint32_t* words, std::size_t events) noexcept {
    Target::add_dense(slot + words[0], words + 1, events);
    return 0;
  }
};

} // namespace layout

/// Writes a rowlet: the synapses of one pre-synaptic neuron and one delay.
///
/// \tparam Format  of the ring buffer
/// \param synapses  all of one delay, at least one, at most 65535; nothing is written past what they need, and
///                  nothing at all if one of them is refused
/// \returns the words used, header included
/// \errors parameter_out_of_range: synapses (`value`: so many); buffer_full: to (`value`: words needed);
///         index_out_of_range, type_out_of_range, delay_out_of_range, weight_out_of_range (`where`: which synapse)
template <class Layout, class Format>
[[nodiscard]] constexpr Result<std::size_t> write_rowlet(std::span<std::uint32_t> to,
                                                         std::span<const Synapse> synapses) noexcept {
  static_assert(RowletLayout<Layout>, "neuromorph: Layout is no rowlet layout; see docs/synapses.md");
  if (synapses.empty() || synapses.size() > 0xFFFF)
    return Status{Error::parameter_out_of_range, 0, synapses.size(), "synapses"};
  const std::size_t needed = 1 + Layout::words(synapses.size());
  if (needed > to.size()) return Status{Error::buffer_full, 0, needed, "to"};
  const auto event = [](const Synapse& one) {
    return RowletEvent{one.type << Format::index_bits | one.index, one.weight};
  };
  const std::uint32_t delay = synapses[0].delay;
  for (std::size_t at = 0; at < synapses.size(); ++at) {
    const Synapse& one = synapses[at];
    const auto where = static_cast<std::uint32_t>(at);
    if (one.index >> Format::index_bits != 0) return Status{Error::index_out_of_range, where, one.index, "index"};
    if (one.type >> Format::type_bits != 0) return Status{Error::type_out_of_range, where, one.type, "type"};
    if (one.delay != delay || delay == 0 || delay > 1U << Format::delay_bits)
      return Status{Error::delay_out_of_range, where, one.delay, "delay"};
    Status status = Layout::check(event(synapses[0]), at, event(one));
    if (!status.ok()) {
      status.where = where;
      return status;
    }
  }
  to[0] = RowletHeader{delay, static_cast<std::uint32_t>(synapses.size())}.word();
  for (std::size_t at = 0; at < synapses.size(); ++at) Layout::put(to.data() + 1, at, event(synapses[at]));
  return needed;
}

/// Adds a row of rowlets to the ring buffer, for a pre-synaptic spike of step `step_number`; otherwise as `add_row`.
///
/// Elements are not masked: call `check_rowlets` once for rows from outside.
/// \cost  O(events) + O(rowlets); see the layouts. Below some forty events a delay `add_row` is faster: benchmarks
///        `rows/ring32`, `rows/ring16`
template <class Layout, class Target = target::Native, class Format>
constexpr void add_rowlets(RingBuffer<Format, typename Layout::Element>& ring, std::span<const std::uint32_t> row,
                           std::uint32_t step_number) noexcept {
  static_assert(RowletLayout<Layout>, "neuromorph: Layout is no rowlet layout; see docs/synapses.md");
  const std::uint32_t* word = row.data();
  const std::uint32_t* const end = word + row.size();
  std::uint32_t held = 0;
  while (word != end) {
    const RowletHeader header = RowletHeader::from(*word++);
    held += Layout::template add<Target>(ring.slot(step_number + header.delay, 0).data(), word, header.events);
    word += Layout::words(header.events);
  }
  ring.count_saturations(held);
}

namespace detail {
/// Whether the first rowlet of some words ends in them and has events of `neurons` and `types`; `where`: 0.
/// \param words   the header's first
template <class Layout, class Format>
[[nodiscard]] constexpr Status check_rowlet(std::span<const std::uint32_t> words, const RowletHeader& header,
                                            std::size_t neurons, std::size_t types) noexcept {
  if (header.delay == 0 || header.delay > 1U << Format::delay_bits)
    return {Error::delay_out_of_range, 0, header.delay, "delay"};
  const std::size_t needed = Layout::words(header.events);
  if (needed > words.size() - 1) return {Error::rows_incomplete, 0, static_cast<std::int64_t>(needed)};
  for (std::size_t event = 0; event < Layout::added(header.events); ++event) {
    const std::uint32_t element = Layout::element(words.data() + 1, header.events, event);
    if (event >= header.events) // fills a word up
      if (const std::int32_t weight = Layout::weight(words.data() + 1, header.events, event); weight != 0)
        return {Error::weight_out_of_range, 0, weight, "weight"};
    if (element >> Format::index_bits >= types)
      return {Error::type_out_of_range, 0, element >> Format::index_bits, "type"};
    const std::uint32_t index = element & ((1U << Format::index_bits) - 1);
    if (index >= neurons) return {Error::index_out_of_range, 0, index, "index"};
  }
  return {};
}
} // namespace detail

/// Whether a row's rowlets fill it exactly and every event names one of `neurons` neurons and one of `types` types, the
/// one too that layout::Pairs adds to an odd number: it has weight 0.
/// \errors rows_incomplete (a rowlet ends outside the row), delay_out_of_range, index_out_of_range, type_out_of_range,
///         weight_out_of_range; `where`: the
///         word
template <class Layout, class Format>
[[nodiscard]] constexpr Status check_rowlets(std::span<const std::uint32_t> row, std::size_t neurons,
                                             std::size_t types = std::size_t{1} << Format::type_bits) noexcept {
  static_assert(RowletLayout<Layout>, "neuromorph: Layout is no rowlet layout; see docs/synapses.md");
  std::size_t at = 0;
  while (at < row.size()) {
    const RowletHeader header = RowletHeader::from(row[at]);
    Status status = detail::check_rowlet<Layout, Format>(row.subspan(at), header, neurons, types);
    if (!status.ok()) {
      status.where = static_cast<std::uint32_t>(at);
      return status;
    }
    at += 1 + Layout::words(header.events);
  }
  return {};
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
