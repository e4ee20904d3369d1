// SPDX-License-Identifier: BSL-1.0
/// \file
/// Memory that is read and written one vector of 128 bits at a time: the synapse array of a chip, or plain memory.
///
/// A synapse array of R rows and C columns has ceil(C / 16) vectors per row: synapse (row, column) is lane column % 16
/// of the vector at address row * ceil(C / 16) + column / 16. docs/rules.md
#ifndef NEUROMORPH_VECTOR_MEMORY_HPP
#define NEUROMORPH_VECTOR_MEMORY_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vec.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Number of a vector in a vector memory.
using VectorAddress = std::uint32_t;

/// What `vectors()` answers where every address is legal: of a memory without an end, or of a rule whose masks are not
/// to be checked.
inline constexpr VectorAddress unbounded_vectors = ~VectorAddress{0};

/// A mask in which every lane is set, known to the compiler: what is written under it costs as much as without a mask.
/// It is a `LaneFlags` wherever one is asked for.
template <class Target = target::Native, std::size_t Count = 1>
struct AllLanes {
  [[nodiscard]] constexpr operator LaneFlags<std::uint8_t, Target, Count>() const noexcept {
    return LaneFlags<std::uint8_t, Target, Count>(true);
  }
  template <VectorElement Element>
  [[nodiscard]] friend constexpr Vec<Element, Target, Count> select(AllLanes, const Vec<Element, Target, Count>& kept,
                                                                    const Vec<Element, Target, Count>&) noexcept {
    return kept;
  }
  template <class Width>
  [[nodiscard]] friend constexpr LaneFlags<Width, Target, Count>
  operator&(AllLanes, const LaneFlags<Width, Target, Count>& flags) noexcept {
    return flags;
  }
  [[nodiscard]] friend constexpr AllLanes unpack_low(AllLanes) noexcept { return {}; }
  [[nodiscard]] friend constexpr AllLanes unpack_high(AllLanes) noexcept { return {}; }
};

namespace detail {

/// Has `data()` and `size()`: std::span, std::array, ...
template <class Range, class Element>
concept RangeOf = requires(Range& range) {
  { range.data() } -> std::convertible_to<Element*>;
  { range.size() } -> std::convertible_to<std::size_t>;
};

template <class Lanes>
struct LanesOf;
template <class Width, class Backend, std::size_t Vectors>
struct LanesOf<LaneFlags<Width, Backend, Vectors>> {
  using Target = Backend;
  static constexpr std::size_t count = Vectors;
  static constexpr bool all = false;
};
template <class Backend, std::size_t Vectors>
struct LanesOf<AllLanes<Backend, Vectors>> {
  using Target = Backend;
  static constexpr std::size_t count = Vectors;
  static constexpr bool all = true;
};
template <class Vector>
struct VecOf;
template <class Lane, class Backend, std::size_t Vectors>
struct VecOf<Vec<Lane, Backend, Vectors>> {
  using Element = Lane;
  using Target = Backend;
  static_assert(Vectors == 1,
                "neuromorph: 'read(VectorAddress)' of a vector memory gives one vector; see docs/rules.md");
};

} // namespace detail

/// The vector that goes with a mask: as many lanes, of the same backend.
template <class Lanes, VectorElement Element = std::uint8_t>
using LaneVector = Vec<Element, typename detail::LanesOf<Lanes>::Target, detail::LanesOf<Lanes>::count>;

namespace offer {
/// `read<Count>(address)`, of a memory, and `write` of so many vectors at once, where it is written.
struct ReadAtOnce {};
/// `update(address, before, after, lanes)`, of a memory: `write` where it is known what is there.
struct UpdateVector {
  int update;
  template <class Part>
  static auto find() -> decltype(&Part::update);
};
/// `clear(address, before, lanes)`, of a memory: the same to zero.
struct ClearVector {
  int clear;
  template <class Part>
  static auto find() -> decltype(&Part::clear);
};
} // namespace offer

/// What can be read vector by vector: `vectors()`, the number of them, and `read(address)`. What it has besides, it says
/// in `Offers`: ReadAtOnce, UpdateVector, ClearVector.
template <class Memory>
concept VectorSource = requires(Memory& memory, VectorAddress address) {
  { memory.vectors() } -> std::convertible_to<VectorAddress>;
  typename detail::VecOf<decltype(memory.read(address))>::Element;
};

/// What a rule works on. Addresses below `vectors()` are legal; nothing checks them here, masks are checked when they
/// meet a rule.
///
///     VectorAddress vectors();
///     Vec<std::uint8_t> read(VectorAddress);
///     void write(VectorAddress, const Vec<std::uint8_t>&);
///     void write(VectorAddress, const Vec<std::uint8_t>&, const MaskVector&); // keeps the lanes that are not set
///
/// Elements may also be std::int8_t.
template <class Memory>
concept VectorMemory = VectorSource<Memory> &&
    requires(Memory& memory, VectorAddress address, decltype(memory.read(address)) value,
             typename decltype(memory.read(address))::Flags flags) {
  memory.write(address, value);
  memory.write(address, value, flags);
};

/// The backend whose vectors a memory gives.
template <VectorSource Memory>
using MemoryTarget = typename detail::VecOf<decltype(std::declval<Memory&>().read(VectorAddress{}))>::Target;

/// `memory` reads and writes that many vectors at once.
template <class Memory, std::size_t Count>
concept ReadsAtOnce = Count == 1 ||
                      (detail::offers<std::remove_const_t<Memory>, offer::ReadAtOnce> &&
                       requires(Memory & memory, VectorAddress address) { memory.template read<Count>(address); });

namespace detail {

template <class Memory>
concept HasReadAtOnce = requires(Memory& memory, VectorAddress address) {
  memory.template read<2>(address);
};
template <class Memory, class Value, class Lanes>
concept HasUpdate = requires(Memory& memory, VectorAddress address, const Value& value, const Lanes& lanes) {
  memory.update(address, value, value, lanes);
};
template <class Memory, class Value, class Lanes>
concept HasClear = requires(Memory& memory, VectorAddress address, const Value& value, const Lanes& lanes) {
  memory.clear(address, value, lanes);
};

/// Says where a memory offers something else than it has.
template <class Given>
consteval bool offers_what_a_memory_has() {
  using Memory = std::remove_const_t<Given>;
  using Value = std::remove_cvref_t<decltype(std::declval<Memory&>().read(VectorAddress{}))>;
  using Lanes = typename Value::Flags;
  static_assert(says_offers<Memory>, "neuromorph: a memory of vectors lacks 'using Offers', an offer::List of what it "
                                     "has of 'ReadAtOnce', 'UpdateVector' and 'ClearVector'; see docs/rules.md");
  static_assert(!says_offers<Memory> || offers<Memory, offer::ReadAtOnce> == HasReadAtOnce<Memory>,
                "neuromorph: a memory offers 'ReadAtOnce' and lacks 'read<Count>(VectorAddress)', or has it, and its "
                "'Offers' lacks 'offer::ReadAtOnce'; see docs/rules.md");
  static_assert(is_said<Memory, offer::UpdateVector>(),
                "neuromorph: a memory has 'update', and its 'Offers' lacks 'offer::UpdateVector'; see docs/rules.md");
  static_assert(is_said<Memory, offer::ClearVector>(),
                "neuromorph: a memory has 'clear', and its 'Offers' lacks 'offer::ClearVector'; see docs/rules.md");
  static_assert(!offers<Memory, offer::UpdateVector> || HasUpdate<Memory, Value, Lanes>,
                "neuromorph: a memory offers 'UpdateVector' and lacks 'update(VectorAddress, before, after, lanes)'; "
                "see docs/rules.md");
  static_assert(!offers<Memory, offer::ClearVector> || HasClear<Memory, Value, Lanes>,
                "neuromorph: a memory offers 'ClearVector' and lacks 'clear(VectorAddress, before, lanes)'; see "
                "docs/rules.md");
  return true;
}

} // namespace detail

namespace detail {

template <class Target>
inline constexpr std::size_t at_once_of_target =
    std::is_same_v<typename Target::template Vectors<1>, target::GenericVectors<1>>&& target::compiler_vector_bytes > 16
        ? target::compiler_vector_bytes / 16
        : 1;
template <class Target>
requires(has_loop<Target, offer::VectorsAtOnce, requires {
  std::integral_constant<std::size_t, Target::vectors_at_once>{};
}>()) inline constexpr std::size_t at_once_of_target<Target> = Target::vectors_at_once;

} // namespace detail

/// How many vectors a rule on these memories should take at once: as many as a register of the backend holds, if all of
/// them read so many.
template <VectorSource First, class... Rest>
inline constexpr std::size_t
    vectors_at_once = ReadsAtOnce<First, detail::at_once_of_target<MemoryTarget<First>>> &&
                              (ReadsAtOnce<Rest, detail::at_once_of_target<MemoryTarget<First>>> && ...)
                          ? detail::at_once_of_target<MemoryTarget<First>>
                          : std::size_t{1};

/// As many vectors, from `address` on, as `lanes` has; for rules whose mask is a template argument.
template <VectorSource Memory, class Lanes>
[[nodiscard, gnu::always_inline]] constexpr auto read(Memory& memory, VectorAddress address, const Lanes&) noexcept {
  static_assert(detail::offers_what_a_memory_has<Memory>());
  constexpr std::size_t count = detail::LanesOf<Lanes>::count;
  if constexpr (count == 1) {
    return memory.read(address);
  } else {
    return memory.template read<count>(address);
  }
}
/// Writes the lanes that are set; `AllLanes` costs nothing.
template <VectorMemory Memory, class Vector, class Lanes>
[[gnu::always_inline]] constexpr void write(Memory& memory, VectorAddress address, const Vector& value,
                                            const Lanes& lanes) noexcept {
  if constexpr (detail::LanesOf<Lanes>::all) {
    memory.write(address, value);
  } else {
    memory.write(address, value, lanes);
  }
}

/// As `write`, for a rule that knows what it has read there: plain memory need not be read again.
template <VectorMemory Memory, class Vector, class Lanes>
[[gnu::always_inline]] constexpr void update(Memory& memory, VectorAddress address, const Vector& before,
                                             const Vector& after, const Lanes& lanes) noexcept {
  static_assert(detail::offers_what_a_memory_has<Memory>());
  if constexpr (!detail::LanesOf<Lanes>::all && detail::offers<std::remove_const_t<Memory>, offer::UpdateVector>) {
    memory.update(address, before, after, lanes);
  } else {
    write(memory, address, after, lanes);
  }
}
/// Refused in words: without what was read there.
template <VectorMemory Memory, class Vector, class Lanes>
constexpr void update(Memory&, VectorAddress, const Vector&, const Lanes&) noexcept {
  static_assert(detail::never<Memory>,
                "neuromorph: update(memory, address, before, after, lanes) lacks 'before', what was read there; "
                "write(memory, address, after, lanes) does without; see docs/rules.md");
}
/// As `update` to zero.
template <VectorMemory Memory, class Vector, class Lanes>
[[gnu::always_inline]] constexpr void clear(Memory& memory, VectorAddress address, const Vector& before,
                                            const Lanes& lanes) noexcept {
  static_assert(detail::offers_what_a_memory_has<Memory>());
  if constexpr (!detail::LanesOf<Lanes>::all && detail::offers<std::remove_const_t<Memory>, offer::ClearVector>) {
    memory.clear(address, before, lanes);
  } else {
    write(memory, address, Vector(0), lanes);
  }
}
/// Refused in words: without what was read there.
template <VectorMemory Memory, class Lanes>
constexpr void clear(Memory&, VectorAddress, const Lanes&) noexcept {
  static_assert(detail::never<Memory>,
                "neuromorph: clear(memory, address, before, lanes) lacks 'before', what was read there; "
                "see docs/rules.md");
}

/// Memory for vectors, aligned as they need it; `elements` is what a program sees of it.
template <std::size_t Vectors, VectorElement Element = std::uint8_t>
struct alignas(16) VectorArray {
  static_assert(Vectors >= 1, "neuromorph: a VectorArray has at least one vector");
  static constexpr VectorAddress vectors = Vectors;
  std::array<Element, Vectors * 16 / sizeof(Element)> elements{};
};

/// Plain memory as a vector memory: a view, like std::span. A masked write reads, selects and writes.
///
/// \tparam Element  std::uint8_t, int8_t, uint16_t or int16_t
/// \tparam Target   backend
template <VectorElement Element = std::uint8_t, class Target = target::Native>
class PlainVectors {
public:
  using Offers = offer::List<offer::ReadAtOnce, offer::UpdateVector, offer::ClearVector>;
  static constexpr std::size_t lanes = 16 / sizeof(Element);

  /// No vectors.
  constexpr PlainVectors() noexcept = default;
  template <std::size_t Vectors>
  constexpr PlainVectors(VectorArray<Vectors, Element>& vector_array) noexcept
      : elements_(vector_array.elements.data()), vectors_(Vectors) {}

  /// Over a span or an object of a class like std::array, which must outlive the view.
  /// \errors vectors_not_aligned: elements: where 0: they do not start at a multiple of 16 bytes (value: the bytes
  ///         beyond one); where 1: they end within a vector (value: those of the last, started vector)
  template <detail::RangeOf<Element> Range>
  [[nodiscard]] static Result<PlainVectors> over(Range&& elements) noexcept {
    const auto beyond = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(elements.data()) % 16);
    if (beyond != 0) return Status{Error::vectors_not_aligned, 0, beyond, "elements"};
    const auto started = static_cast<std::int64_t>(elements.size() % lanes);
    if (started != 0) return Status{Error::vectors_not_aligned, 1, started, "elements"};
    PlainVectors result;
    result.elements_ = elements.data();
    result.vectors_ = static_cast<VectorAddress>(elements.size() / lanes);
    return result;
  }

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return vectors_; }
  template <std::size_t Count = 1>
  [[nodiscard, gnu::always_inline]] constexpr Vec<Element, Target, Count> read(VectorAddress address) const noexcept {
    return Vec<Element, Target, Count>::load(elements_ + lanes * address);
  }
  template <std::size_t Count>
  [[gnu::always_inline]] constexpr void write(VectorAddress address,
                                              const Vec<Element, Target, Count>& value) const noexcept {
    value.store(elements_ + lanes * address);
  }
  template <std::size_t Count>
  [[gnu::always_inline]] constexpr void
  write(VectorAddress address, const Vec<Element, Target, Count>& value,
        const typename Vec<Element, Target, Count>::Flags& lanes_set) const noexcept {
    select(lanes_set, value, read<Count>(address)).store(elements_ + lanes * address);
  }

  /// `after` where a lane is set, elsewhere `before`, which must be what is there.
  template <std::size_t Count>
  [[gnu::always_inline]] constexpr void
  update(VectorAddress address, const Vec<Element, Target, Count>& before, const Vec<Element, Target, Count>& after,
         const typename Vec<Element, Target, Count>::Flags& lanes_set) const noexcept {
    write(address, select(lanes_set, after, kept(address, before)));
  }
  template <std::size_t Count>
  [[gnu::always_inline]] constexpr void
  clear(VectorAddress address, const Vec<Element, Target, Count>& before,
        const typename Vec<Element, Target, Count>::Flags& lanes_set) const noexcept {
    if constexpr (sizeof lanes_set >= 16 * Count) { // flags are lanes: cheaper than a selection
      write(address, kept(address, before) & ~lanes_set.to_lanes().template as<Element>());
    } else {
      write(address, select(lanes_set, Vec<Element, Target, Count>(0), kept(address, before)));
    }
  }

private:
  /// What was read, or read again where that costs less than to keep it: on machines whose vectors are several
  /// registers.
  template <std::size_t Count>
  [[nodiscard, gnu::always_inline]] constexpr Vec<Element, Target, Count>
  kept(VectorAddress address, const Vec<Element, Target, Count>& before) const noexcept {
    if constexpr (target::compiler_vector_bytes == 0) return read<Count>(address);
    return before;
  }

  Element* elements_ = nullptr;
  VectorAddress vectors_ = 0;
};
template <std::size_t Vectors, VectorElement Element>
PlainVectors(VectorArray<Vectors, Element>&) -> PlainVectors<Element>;

/// The same vector at every address: a constant where a rule reads a memory.
template <VectorElement Element = std::uint8_t, class Target = target::Native>
class SameVectors {
public:
  using Offers = offer::List<offer::ReadAtOnce>;
  constexpr explicit SameVectors(Element everywhere) noexcept : value_(everywhere) {}
  [[nodiscard]] static constexpr VectorAddress vectors() noexcept { return unbounded_vectors; }
  template <std::size_t Count = 1>
  [[nodiscard, gnu::always_inline]] constexpr Vec<Element, Target, Count> read(VectorAddress) const noexcept {
    return Vec<Element, Target, Count>(value_);
  }

private:
  Element value_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
