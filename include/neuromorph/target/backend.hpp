// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a backend must offer. `target/generic.hpp` says what each operation means, docs/target.md how to add
/// one.
#ifndef NEUROMORPH_TARGET_BACKEND_HPP
#define NEUROMORPH_TARGET_BACKEND_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What a lane of a vector holds.
template <class Element>
concept VectorElement = std::same_as<Element, std::uint8_t> || std::same_as<Element, std::int8_t> ||
    std::same_as<Element, std::uint16_t> || std::same_as<Element, std::int16_t>;

namespace target {

/// A group of 32-bit integers in one register.
template <class Group>
concept LaneGroup = requires(const std::int32_t* words, const std::int16_t* halves,
                             const std::uint16_t* unsigned_halves, std::int32_t* to, std::int16_t* half_to,
                             std::uint16_t* unsigned_half_to, typename Group::Value value, typename Group::Mask mask,
                             typename Group::Factor factor, typename Group::Shift shift, typename Group::Scale scale,
                             typename Group::Overflow overflow) {
  { Group::count } -> std::convertible_to<std::size_t>;
  { Group::load(words) } -> std::same_as<typename Group::Value>;
  { Group::load(halves) } -> std::same_as<typename Group::Value>;
  { Group::load(unsigned_halves) } -> std::same_as<typename Group::Value>;
  Group::store(to, value);
  Group::store(half_to, value);
  Group::store(unsigned_half_to, value);
  Group::store_zero(to);
  Group::store_zero(unsigned_half_to);
  { Group::splat(std::int32_t{}) } -> std::same_as<typename Group::Value>;
  { Group::index() } -> std::same_as<typename Group::Value>;
  { Group::add(value, value) } -> std::same_as<typename Group::Value>;
  { Group::subtract(value, value) } -> std::same_as<typename Group::Value>;
  { Group::add_saturating(value, value) } -> std::same_as<typename Group::Value>;
  { Group::subtract_saturating(value, value) } -> std::same_as<typename Group::Value>;
  { (Group::min)(value, value) } -> std::same_as<typename Group::Value>;
  { (Group::max)(value, value) } -> std::same_as<typename Group::Value>;
  { Group::multiply(value, value) } -> std::same_as<typename Group::Value>;
  { Group::multiply_high(value, value) } -> std::same_as<typename Group::Value>;
  { Group::multiply_high_nearest(value, value) } -> std::same_as<typename Group::Value>;
  { Group::multiply_high_offset(value, value, value) } -> std::same_as<typename Group::Value>;
  { Group::bit_and(value, value) } -> std::same_as<typename Group::Value>;
  { Group::bit_xor(value, value) } -> std::same_as<typename Group::Value>;
  { Group::shift(unsigned{}) } -> std::same_as<typename Group::Shift>;
  { Group::shift_right(value, shift) } -> std::same_as<typename Group::Value>;
  { Group::shift_right_nearest(value, shift) } -> std::same_as<typename Group::Value>;
  { Group::shift_right_unsigned(value, shift) } -> std::same_as<typename Group::Value>;
  { Group::shift_left(value, shift) } -> std::same_as<typename Group::Value>;
  { Group::shift_right_each(value, value) } -> std::same_as<typename Group::Value>;
  { Group::factor(value) } -> std::same_as<typename Group::Factor>;
  { Group::decay(value, factor) } -> std::same_as<typename Group::Value>;
  { Group::decay_nearest(value, factor) } -> std::same_as<typename Group::Value>;
  { Group::scale(unsigned{}) } -> std::same_as<typename Group::Scale>;
  { Group::add_scaled(value, value, scale, overflow) } -> std::same_as<typename Group::Value>;
  { Group::add_scaled_magnitudes(value, value, scale, overflow) } -> std::same_as<typename Group::Value>;
  { Group::any_overflow(overflow) } -> std::same_as<bool>;
  { Group::load_pairs(unsigned_halves, unsigned_halves) } -> std::same_as<typename Group::Value>;
  { Group::multiply_high_pairs(value, value, value) } -> std::same_as<typename Group::Value>;
  { Group::add_saturating_pairs(value, value) } -> std::same_as<typename Group::Value>;
  { Group::any_full_pair(value) } -> std::same_as<bool>;
  { Group::multiply_add_pairs(value, value, value) } -> std::same_as<typename Group::Value>;
  { Group::is_negative(value) } -> std::same_as<typename Group::Mask>;
  { Group::less(value, value) } -> std::same_as<typename Group::Mask>;
  { Group::both(mask, mask) } -> std::same_as<typename Group::Mask>;
  { Group::either(mask, mask) } -> std::same_as<typename Group::Mask>;
  { Group::and_not(mask, mask) } -> std::same_as<typename Group::Mask>;
  { Group::select(mask, value, value) } -> std::same_as<typename Group::Value>;
  { Group::bits(mask) } -> std::same_as<std::uint32_t>;
};

struct alignas(8) TwoWords {
  std::uint32_t first, second;
};

/// Everything that the kernels ask of a machine.
template <class Candidate>
concept Backend = LaneGroup<typename Candidate::Lanes> &&
    requires(std::int32_t word, std::uint32_t* to, const std::uint32_t* from, std::size_t count, std::int32_t* ring,
             std::uint16_t* narrow_ring, const TwoWords& two) {
  { Candidate::multiply_add_high(word, word, std::int16_t{}) } -> std::same_as<std::int32_t>;
  { Candidate::multiply_add_high(word, word, word) } -> std::same_as<std::int32_t>;
  { Candidate::add_saturating(word, word) } -> std::same_as<std::int32_t>;
  { Candidate::template multiply_nearest<31>(*from, *from) } -> std::same_as<std::uint32_t>;
  { Candidate::template multiply_nearest<32>(*from, *from) } -> std::same_as<std::uint32_t>;
  { Candidate::load_at_once(two) } -> std::same_as<TwoWords>;
  Candidate::copy_words(to, from, count);
  Candidate::template copy_block<17>(to, from);
  Candidate::clear_words(to, count);
  Candidate::take_words(ring, ring, count);
  Candidate::template add_row_wrap<13, false>(ring, from, count, *from);
  {
    Candidate::template add_row_wrap_saturating<13, true>(narrow_ring, from, count, *from)
    } -> std::same_as<std::uint32_t>;
  Candidate::add_rowlet(ring, from, count);
  { Candidate::add_rowlet_saturating(narrow_ring, from, count) } -> std::same_as<std::uint32_t>;
  Candidate::add_pairs(ring, from, count);
  Candidate::add_uniform(ring, from, count, word);
  Candidate::add_dense(ring, from, count);
  { Candidate::has_cache } -> std::convertible_to<bool>;
  typename Candidate::InterruptLock;
  Candidate::wait_for_interrupt();
};

/// The unsigned integer as wide as `Element`, and the integer twice as wide as a byte.
template <class Element>
using UnsignedLane = std::make_unsigned_t<Element>;
template <class Element>
using DoubleLane = std::conditional_t<std::is_signed_v<Element>, std::int16_t, std::uint16_t>;

/// What is the same for vectors of all elements.
template <class Machine, class Element>
concept VectorsOf = requires(const Element* from, Element* to, Element value, unsigned amount,
                             const typename Machine::template Register<Element>& a,
                             const typename Machine::template Flags<UnsignedLane<Element>>& flags) {
  { Machine::template lanes<Element> } -> std::convertible_to<std::size_t>;
  { Machine::template load<Element>(from) } -> std::same_as<typename Machine::template Register<Element>>;
  Machine::template store<Element>(to, a);
  { Machine::template splat<Element>(value) } -> std::same_as<typename Machine::template Register<Element>>;
  {
    Machine::template cast<std::uint8_t, Element>(a)
    } -> std::same_as<typename Machine::template Register<std::uint8_t>>;
  {
    Machine::template cast<std::int16_t, Element>(a)
    } -> std::same_as<typename Machine::template Register<std::int16_t>>;
  { Machine::template add<Element>(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template subtract<Element>(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template add_saturating<Element>(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  {
    Machine::template subtract_saturating<Element>(a, a)
    } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template multiply<Element>(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template multiply_high<Element>(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { (Machine::template min<Element>)(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { (Machine::template max<Element>)(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template shift_left<Element>(a, amount) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template shift_right<Element>(a, amount) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template bit_and<Element>(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template bit_or<Element>(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template bit_xor<Element>(a, a) } -> std::same_as<typename Machine::template Register<Element>>;
  { Machine::template equal<Element>(a, a) } -> std::same_as<typename Machine::template Flags<UnsignedLane<Element>>>;
  { Machine::template less<Element>(a, a) } -> std::same_as<typename Machine::template Flags<UnsignedLane<Element>>>;
  { Machine::template select<Element>(flags, a, a) } -> std::same_as<typename Machine::template Register<Element>>;
};
template <class Machine, class Element>
concept SignedVectorsOf = VectorsOf<Machine, Element> &&
    requires(const typename Machine::template Register<Element>& a) {
  {
    Machine::template multiply_fractional<Element>(a, a)
    } -> std::same_as<typename Machine::template Register<Element>>;
};
template <class Machine, class Width>
concept FlagsOfWidth = requires(const typename Machine::template Register<Width>& lanes,
                                const typename Machine::template Flags<Width>& a) {
  { Machine::template both<Width>(a, a) } -> std::same_as<typename Machine::template Flags<Width>>;
  { Machine::template either<Width>(a, a) } -> std::same_as<typename Machine::template Flags<Width>>;
  { Machine::template negate<Width>(a) } -> std::same_as<typename Machine::template Flags<Width>>;
  { Machine::template bits<Width>(a) } -> std::same_as<std::uint64_t>;
  { Machine::template any<Width>(a) } -> std::same_as<bool>;
  { Machine::template to_lanes<Width>(a) } -> std::same_as<typename Machine::template Register<Width>>;
  { Machine::template from_lanes<Width>(lanes) } -> std::same_as<typename Machine::template Flags<Width>>;
};
/// Between bytes and halfwords.
template <class Machine, class Element>
concept VectorWidths = requires(const typename Machine::template Register<Element>& a,
                                const typename Machine::template Register<DoubleLane<Element>>& halves,
                                const typename Machine::template Register<std::int16_t>& signed_halves,
                                const typename Machine::template Flags<std::uint8_t>& flags) {
  {
    Machine::template unpack_low<Element>(a)
    } -> std::same_as<typename Machine::template Register<DoubleLane<Element>>>;
  {
    Machine::template unpack_high<Element>(a)
    } -> std::same_as<typename Machine::template Register<DoubleLane<Element>>>;
  { Machine::unpack_low(flags) } -> std::same_as<typename Machine::template Flags<std::uint16_t>>;
  { Machine::unpack_high(flags) } -> std::same_as<typename Machine::template Flags<std::uint16_t>>;
  {
    Machine::template pack<Element, DoubleLane<Element>>(halves, halves)
    } -> std::same_as<typename Machine::template Register<Element>>;
  {
    Machine::template pack_saturating<Element>(signed_halves, signed_halves)
    } -> std::same_as<typename Machine::template Register<Element>>;
};

/// A backend that also has vectors, `Count` of 128 bits at once. docs/vectors.md says what each operation gives.
template <class Candidate, std::size_t Count = 1>
concept VectorBackend =
    Backend<Candidate> && Candidate::template Vectors<Count>::bytes ==
    16 * Count&& VectorsOf<typename Candidate::template Vectors<Count>, std::uint8_t>&&
             SignedVectorsOf<typename Candidate::template Vectors<Count>, std::int8_t>&&
                 VectorsOf<typename Candidate::template Vectors<Count>, std::uint16_t>&&
                     SignedVectorsOf<typename Candidate::template Vectors<Count>, std::int16_t>&&
                         FlagsOfWidth<typename Candidate::template Vectors<Count>, std::uint8_t>&&
                             FlagsOfWidth<typename Candidate::template Vectors<Count>, std::uint16_t>&&
                                 VectorWidths<typename Candidate::template Vectors<Count>, std::uint8_t>&&
                                     VectorWidths<typename Candidate::template Vectors<Count>, std::int8_t>;

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
