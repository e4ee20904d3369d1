// SPDX-License-Identifier: BSL-1.0
/// \file
/// Memory that a host writes and firmware reads, or the other way, by one struct. What it is made of is told in the first word, so that
/// programs that differ in it notice. Little-endian: fingerprint, number of elements, head, elements, the last two to whole words.
///
///     struct Settings {
///       std::uint32_t period_us;
///       std::int16_t weights[2];
///       using Fields = runtime::Fields<&Settings::period_us, &Settings::weights>;
///     };
///     using Rows = runtime::Region<Settings, std::uint32_t>;
///     Rows::write(memory, {1000, {1, -1}}, words); // there
///     const auto rows = Rows::view(memory);        // here: rows.status, rows.head->period_us, rows.elements
// not in the umbrella: for programs that others load
#ifndef NEUROMORPH_RUNTIME_REGION_HPP
#define NEUROMORPH_RUNTIME_REGION_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/fixed.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace runtime {

/// The members of a struct, in their order, all of them.
template <auto... members>
struct Fields {};

/// A region without a head, or without elements.
struct Nothing {
  using Fields = runtime::Fields<>;
};

namespace detail {

template <class Member>
struct MemberOf;
template <class Owner, class Value>
struct MemberOf<Value Owner::*> {
  using type = Value;
};

template <class Value>
inline constexpr bool is_array = std::is_bounded_array_v<Value>;
template <class Value, std::size_t count>
inline constexpr bool is_array<std::array<Value, count>> = true;
template <class Value>
struct ElementOf {
  using type = std::remove_extent_t<Value>;
};
template <class Value, std::size_t count>
struct ElementOf<std::array<Value, count>> {
  using type = Value;
};

/// A word, half or byte, whose size no machine changes but by its name: a long is another one on each.
template <class Value>
concept Scalar = ((std::integral<Value> && !std::same_as<Value, bool>) || std::is_enum_v<Value> ||
                  std::same_as<Value, float> || neuromorph::detail::IsFixed<Value>::value) &&
                 (sizeof(Value) == 1 || sizeof(Value) == 2 || sizeof(Value) == 4);
template <class Value>
concept Described = requires {
  typename Value::Fields;
};

template <class Value>
inline constexpr std::uint32_t fraction_of = 0;
template <class Rep, int FractionBits, class Rounding, class Overflow>
inline constexpr std::uint32_t
    fraction_of<Fixed<Rep, FractionBits, Rounding, Overflow>> = static_cast<std::uint32_t>(FractionBits);

template <class List>
struct FieldsOf;
/// Whether all that a type is made of are scalars.
template <class Value>
constexpr bool is_made_of_scalars() noexcept;
template <class Value, class Each>
constexpr void each_scalar(Value& value, Each& each);

/// FNV-1a of what a type is made of: kinds, sizes, numbers.
constexpr std::uint32_t mixed(std::uint32_t hash, std::uint32_t value) noexcept { return (hash ^ value) * 0x01000193U; }

template <class Value>
constexpr std::uint32_t add_to(std::uint32_t hash) noexcept {
  using Plain = std::remove_cv_t<Value>;
  if constexpr (is_array<Plain>)
    return add_to<typename ElementOf<Plain>::type>(
        mixed(mixed(hash, 'a'), std::uint32_t{sizeof(Plain) / sizeof(typename ElementOf<Plain>::type)}));
  else if constexpr (Described<Plain>)
    return FieldsOf<typename Plain::Fields>::template add_to<Plain>(mixed(hash, 's'));
  else if constexpr (neuromorph::detail::IsFixed<Plain>::value) // another point is another type
    return add_to<typename Plain::Representation>(mixed(mixed(hash, 'p'), fraction_of<Plain>));
  else if constexpr (std::is_enum_v<Plain>)
    return add_to<std::underlying_type_t<Plain>>(mixed(hash, 'e'));
  else
    return mixed(mixed(hash, std::same_as<Plain, float> ? 'f' : std::is_signed_v<Plain> ? 'i' : 'u'), sizeof(Plain));
}

template <auto... members>
struct FieldsOf<Fields<members...>> {
  static constexpr std::size_t bytes = (std::size_t{0} + ... + sizeof(typename MemberOf<decltype(members)>::type));
  template <class Owner>
  static constexpr std::uint32_t add_to(std::uint32_t hash) noexcept {
    ((hash = detail::add_to<typename MemberOf<decltype(members)>::type>(hash)), ...);
    return mixed(hash, sizeof...(members));
  }
  static constexpr bool are_made_of_scalars =
      (true && ... && is_made_of_scalars<typename MemberOf<decltype(members)>::type>());
  /// Whether each begins where the one before ends: what changes with it are these bytes.
  template <class Owner>
  static constexpr bool in_order() noexcept {
    const auto before = std::bit_cast<std::array<std::uint8_t, sizeof(Owner)>>(Owner{});
    std::size_t begin = 0;
    bool is_so = true;
    const auto look_at = [&](auto member) {
      Owner object{};
      const auto change = [](std::uint32_t bits, std::size_t) { return ~bits; };
      each_scalar(object.*member, change);
      const auto after = std::bit_cast<std::array<std::uint8_t, sizeof(Owner)>>(object);
      const std::size_t end = begin + sizeof(object.*member);
      for (std::size_t at = 0; at < sizeof(Owner); ++at)
        is_so = is_so && (at >= begin && at < end) == (after[at] != before[at]);
      begin = end;
    };
    (look_at(members), ...);
    return is_so;
  }
  template <class Owner, class Each>
  static constexpr void visit(Owner& owner, Each each) {
    (each(owner.*members), ...);
  }
};

template <class Value>
constexpr bool is_made_of_scalars() noexcept {
  using Plain = std::remove_cv_t<Value>;
  if constexpr (is_array<Plain>)
    return is_made_of_scalars<typename ElementOf<Plain>::type>();
  else if constexpr (Described<Plain>)
    return FieldsOf<typename Plain::Fields>::are_made_of_scalars;
  else
    return Scalar<Plain>;
}

template <auto... members>
constexpr void check_fields(Fields<members...>*) noexcept;

template <class Value>
constexpr bool check() noexcept {
  using Plain = std::remove_cv_t<Value>;
  if constexpr (is_array<Plain>) {
    return check<typename ElementOf<Plain>::type>();
  } else if constexpr (Described<Plain>) {
    using Members = FieldsOf<typename Plain::Fields>;
    static_assert(std::is_trivially_copyable_v<Plain>,
                  "neuromorph: a struct of a region is copied as bytes; this one cannot be");
    static_assert(
        std::is_empty_v<Plain> || Members::bytes == sizeof(Plain),
        "neuromorph: a struct of a region has padding, or a member that its 'Fields' lack; order members by size, "
        "or name what fills the gap");
    if constexpr (!std::is_empty_v<Plain> && Members::bytes == sizeof(Plain) && Members::are_made_of_scalars)
      static_assert(Members::template in_order<Plain>(),
                    "neuromorph: the 'Fields' of a struct of a region have another order than its members");
    check_fields(static_cast<typename Plain::Fields*>(nullptr));
    return true;
  } else {
    static_assert(Scalar<Plain>, "neuromorph: a member of a region is a number of at most 32 bits, no pointer and no "
                                 "bool, an array of such, or a "
                                 "struct with 'Fields'; a number of 64 bits is two words");
    return true;
  }
}
template <auto... members>
constexpr void check_fields(Fields<members...>*) noexcept {
  static_cast<void>((true && ... && check<typename MemberOf<decltype(members)>::type>()));
}

/// Calls each(bits, bytes) for each scalar of a value; what it answers is the scalar's bits from then on, if they are not const.
template <class Value, class Each>
constexpr void each_scalar(Value& value, Each& each) {
  using Plain = std::remove_cv_t<Value>;
  if constexpr (is_array<Plain>) {
    for (auto& one : value) each_scalar(one, each);
  } else if constexpr (Described<Plain>) {
    FieldsOf<typename Plain::Fields>::visit(value, [&each](auto& member) { each_scalar(member, each); });
  } else {
    using Bits = std::conditional_t<sizeof(Plain) == 1, std::uint8_t,
                                    std::conditional_t<sizeof(Plain) == 2, std::uint16_t, std::uint32_t>>;
    const std::uint32_t bits = each(std::uint32_t{std::bit_cast<Bits>(value)}, sizeof(Plain));
    if constexpr (!std::is_const_v<Value>) value = std::bit_cast<Plain>(static_cast<Bits>(bits));
  }
}

/// Whole words that so many bytes take.
constexpr std::size_t whole_words(std::size_t bytes) noexcept { return (bytes + 3) / 4 * 4; }

} // namespace detail

/// \tparam Head     a struct with Fields, or Nothing
/// \tparam Element  the same, or a number of at most 32 bits
template <class Head, class Element = Nothing>
class Region {
  static_assert(detail::Described<Head>,
                "neuromorph: the head of a region is a struct with 'Fields', or runtime::Nothing");
  static_assert(detail::check<Head>() && detail::check<Element>());
  static_assert(alignof(Head) <= 4 && alignof(Element) <= 4,
                "neuromorph: a region is aligned to words, its structs to no more");
  static constexpr bool has_elements = !std::same_as<Element, Nothing>;
  static constexpr std::size_t element_bytes = has_elements ? sizeof(Element) : 0;
  static constexpr std::size_t head_bytes = std::is_empty_v<Head> ? 0 : detail::whole_words(sizeof(Head));

public:
  using HeadType = Head;
  using ElementType = Element;
  /// Of what head and elements are made of; two layouts have the same by chance once in 2^32.
  static constexpr std::uint32_t fingerprint = detail::add_to<Element>(detail::add_to<Head>(0x811C9DC5U));
  /// Elements that a region can have.
  static constexpr std::size_t most_elements =
      has_elements ? (std::size_t{0xFFFFFFF0U} - 8 - head_bytes) / (has_elements ? element_bytes : 1) : 0;

  /// That a region takes, a multiple of 4.
  /// \pre elements <= most_elements
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t elements = 0) noexcept {
    return 8 + head_bytes + detail::whole_words(elements * element_bytes);
  }

  /// In the byte order of regions, on any machine. Where it is refused, nothing has been written.
  /// \errors buffer_full: `to` is shorter than `bytes(elements.size())`, which is the value
  [[nodiscard]] static constexpr Status write(std::span<std::uint8_t> to, const Head& head,
                                              std::span<const Element> elements = {}) noexcept {
    const std::size_t needed = bytes(elements.size());
    if (elements.size() > most_elements || needed > to.size()) return {Error::buffer_full, 0, needed, "region"};
    std::size_t at = 0;
    const auto put = [&to, &at](std::uint32_t bits, std::size_t size) {
      for (std::size_t byte = 0; byte < size; ++byte) to[at++] = static_cast<std::uint8_t>(bits >> 8 * byte);
      return bits;
    };
    put(fingerprint, 4), put(static_cast<std::uint32_t>(elements.size()), 4);
    if constexpr (head_bytes != 0) detail::each_scalar(head, put);
    while (at < 8 + head_bytes) to[at++] = 0;
    if constexpr (has_elements) {
      if (std::endian::native == std::endian::little &&
          !std::is_constant_evaluated()) { // as they are: millions of synapses
        if (!elements.empty()) __builtin_memcpy(&to[at], elements.data(), elements.size_bytes());
        at += elements.size_bytes();
      } else {
        for (const Element& element : elements) detail::each_scalar(element, put);
      }
    }
    while (at < needed) to[at++] = 0;
    return {};
  }

  /// By copy, on any machine. Where it is refused, nothing has been changed.
  /// \param elements  as many are written as are there
  /// \param count     elements that are there
  /// \errors layout_differs: another fingerprint, which is the value; region_cut_off: `from` has fewer bytes than the region;
  ///         buffer_full: `elements` has too little room
  [[nodiscard]] static constexpr Status read(std::span<const std::uint8_t> from, Head& head,
                                             std::span<Element> elements, std::size_t& count) noexcept {
    std::size_t at = 0;
    const auto get = [&from, &at](std::uint32_t, std::size_t size) {
      std::uint32_t bits = 0;
      for (std::size_t byte = 0; byte < size; ++byte) bits |= std::uint32_t{from[at++]} << 8 * byte;
      return bits;
    };
    if (from.size() < 8) return {Error::region_cut_off, 0, from.size(), "region"};
    const std::uint32_t print = get(0, 4), there = get(0, 4);
    if (Status status = check(print, there, from.size()); !status) return status;
    if (there > elements.size()) return {Error::buffer_full, 0, there, "elements"};
    if constexpr (head_bytes != 0) detail::each_scalar(head, get);
    at = 8 + head_bytes;
    if constexpr (has_elements)
      for (std::size_t one = 0; one < there; ++one) detail::each_scalar(elements[one], get);
    count = there;
    return {};
  }

  struct View {
    Status status;
    const Head* head = nullptr;
    std::span<const Element> elements{};
  };
  /// In place, on a machine of the byte order of regions; what is in them has no other check than its size.
  /// \param memory  whole words, aligned to these
  /// \errors        as `read`
  /// \cost          a few compares
  [[nodiscard]] static View view(std::span<const std::uint32_t> memory) noexcept {
    static_assert(sizeof(Head) != 0 && std::endian::native == std::endian::little,
                  "neuromorph: a region is read in place where words are little-endian");
    if (memory.size() < 2) return {{Error::region_cut_off, 0, memory.size() * 4, "region"}};
    if (Status status = check(memory[0], memory[1], memory.size() * 4); !status) return {status};
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(memory.data());
    View made{{}};
    if constexpr (head_bytes != 0) made.head = reinterpret_cast<const Head*>(bytes + 8);
    if constexpr (has_elements)
      made.elements = {reinterpret_cast<const Element*>(bytes + 8 + head_bytes), std::size_t{memory[1]}};
    return made;
  }

private:
  [[nodiscard]] static constexpr Status check(std::uint32_t print, std::uint32_t count, std::size_t size) noexcept {
    if (print != fingerprint) return {Error::layout_differs, 0, print, "fingerprint"};
    if (count > most_elements || bytes(count) > size) return {Error::region_cut_off, 0, count, "region"};
    return {};
  }
};

/// Calls each(std::uint32_t bits) for all numbers of a struct with Fields, in their order: what a digest of it is made of.
template <class Struct, class Each>
constexpr void each_number(const Struct& of, Each each) {
  static_assert(detail::Described<Struct>,
                "neuromorph: the numbers of a struct are those of its 'Fields', which it lacks");
  static_assert(detail::check<Struct>());
  if constexpr (!std::is_empty_v<Struct>) {
    const auto call = [&each](std::uint32_t bits, std::size_t) {
      each(bits);
      return bits;
    };
    detail::each_scalar(of, call);
  }
}

/// What a program reads and writes: its regions, by their numbers.
template <class... Each>
struct Regions {
  static constexpr std::size_t count = sizeof...(Each);
};

} // namespace runtime
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
