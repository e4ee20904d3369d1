// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a backend must offer. `target/generic.hpp` says what each operation means, docs/target.md how to add
/// one.
#ifndef NEUROMORPH_TARGET_BACKEND_HPP
#define NEUROMORPH_TARGET_BACKEND_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// A group of 32-bit integers in one register.
template <class Group>
concept LaneGroup = requires(const std::int32_t* words, const std::int16_t* halves,
                             const std::uint16_t* unsigned_halves, std::int32_t* to, std::uint16_t* half_to,
                             typename Group::Value value, typename Group::Mask mask, typename Group::Factor factor,
                             typename Group::Shift shift, typename Group::Scale scale,
                             typename Group::Overflow overflow) {
  { Group::count } -> std::convertible_to<std::size_t>;
  { Group::load(words) } -> std::same_as<typename Group::Value>;
  { Group::load(halves) } -> std::same_as<typename Group::Value>;
  { Group::load(unsigned_halves) } -> std::same_as<typename Group::Value>;
  Group::store(to, value);
  Group::store_zero(to);
  Group::store_zero(half_to);
  { Group::splat(std::int32_t{}) } -> std::same_as<typename Group::Value>;
  { Group::add(value, value) } -> std::same_as<typename Group::Value>;
  { Group::subtract(value, value) } -> std::same_as<typename Group::Value>;
  { Group::shift(unsigned{}) } -> std::same_as<typename Group::Shift>;
  { Group::shift_right(value, shift) } -> std::same_as<typename Group::Value>;
  { Group::shift_right_nearest(value, shift) } -> std::same_as<typename Group::Value>;
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
  { Group::and_not(mask, mask) } -> std::same_as<typename Group::Mask>;
  { Group::select(mask, value, value) } -> std::same_as<typename Group::Value>;
  { Group::bits(mask) } -> std::same_as<std::uint32_t>;
};

/// Everything that the kernels ask of a machine.
template <class Candidate>
concept Backend = LaneGroup<typename Candidate::Lanes> &&
    requires(std::int32_t word, std::uint32_t* to, const std::uint32_t* from, std::size_t count, std::int32_t* ring,
             std::uint16_t* narrow_ring) {
  { Candidate::multiply_add_high(word, word, std::int16_t{}) } -> std::same_as<std::int32_t>;
  { Candidate::multiply_add_high(word, word, word) } -> std::same_as<std::int32_t>;
  { Candidate::add_saturating(word, word) } -> std::same_as<std::int32_t>;
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

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
