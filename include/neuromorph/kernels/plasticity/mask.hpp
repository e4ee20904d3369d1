// SPDX-License-Identifier: BSL-1.0
/// \file
/// The synapses that a rule may change, in as few bytes as can be read fast: vectors of which all lanes are enabled by
/// their address alone, others by address and 16 bytes, or 2.
///
/// A mask is made from a `SynapseSet`, by the compiler or at run time, and turned back into one to be looked at:
///
///     constexpr auto mask = make_mask<SynapseSet<32, 32>::where(is_healthy)>(); // exactly as long as needed
///     const auto made = Mask<40, 10>::from(set);                               // room for 40 full, 10 partial vectors
#ifndef NEUROMORPH_KERNELS_PLASTICITY_MASK_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_MASK_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/detail/rule_loops.hpp>
#include <neuromorph/kernels/plasticity/synapse_set.hpp>
#include <neuromorph/overflow.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// The narrowest type for addresses of so many vectors: its highest value stays free.
template <VectorAddress Vectors>
using AddressFor = std::conditional_t<(Vectors <= 0xFF), std::uint8_t,
                                      std::conditional_t<(Vectors <= 0xFFFF), std::uint16_t, std::uint32_t>>;

namespace detail {

/// An array that takes no room when it is empty.
template <class Element, std::size_t Count>
struct Entries {
  Element entry[Count];
  [[nodiscard]] constexpr const Element* data() const noexcept { return entry; }
  [[nodiscard]] constexpr Element* data() noexcept { return entry; }
};
template <class Element>
struct Entries<Element, 0> {
  [[nodiscard]] constexpr Element* data() const noexcept { return nullptr; }
};

} // namespace detail

// How a mask keeps the lanes of a partial vector.

/// 16 bytes, 0xFF where the lane is enabled and 0 elsewhere: a load is all that a rule waits for.
struct MaskBytes {
  struct alignas(16) Lanes {
    std::array<std::uint8_t, 16> lane{};
    friend constexpr bool operator==(const Lanes&, const Lanes&) noexcept = default;
  };
  [[nodiscard]] static constexpr Lanes from(LaneBits bits) noexcept {
    Lanes lanes;
    for (unsigned at = 0; at < 16; ++at) lanes.lane[at] = (bits >> at & 1) != 0 ? 0xFF : 0;
    return lanes;
  }
  [[nodiscard]] static constexpr LaneBits bits(const Lanes& lanes) noexcept {
    LaneBits bits = 0;
    for (unsigned at = 0; at < 16; ++at) bits = static_cast<LaneBits>(bits | (lanes.lane[at] != 0 ? 1U << at : 0U));
    return bits;
  }
  template <class Rule>
  [[nodiscard, gnu::always_inline]] static constexpr auto of_rule(const Lanes* kept) noexcept {
    return detail::KeptLanes<Rule>{kept->lane.data()};
  }
};
/// 2 bytes, a bit for each lane, made a vector when a rule comes by: an eighth of the room.
/// \cost docs/rules.md
struct MaskBits {
  using Lanes = LaneBits;
  [[nodiscard]] static constexpr Lanes from(LaneBits bits) noexcept { return bits; }
  [[nodiscard]] static constexpr LaneBits bits(Lanes lanes) noexcept { return lanes; }
  template <class Rule>
  [[nodiscard, gnu::always_inline]] static constexpr auto of_rule(const Lanes* kept) noexcept {
    return detail::BitLanes<Rule>{kept};
  }
};
template <class Storage>
concept MaskStorage = std::same_as<Storage, MaskBytes> || std::same_as<Storage, MaskBits>;

/// \tparam Full, Partial  room for vectors with all lanes and with some lanes enabled
/// \tparam Address        of a vector; its highest value marks unused room. `AddressFor<vectors>` is the narrowest
/// \tparam Storage        MaskBytes or MaskBits
///
/// \cost 17 Partial + Full bytes with addresses of one byte, rounded up to 16 if there are partial ones; with MaskBits
///       3 Partial + Full, rounded up to 2
/// \source Masking and Plasticity Rules, 2.1.3, and 2.1.2 for MaskBits. There, lengths are exact; here a mask may have
///         room left.
template <std::size_t Full, std::size_t Partial, std::unsigned_integral Address = std::uint8_t,
          MaskStorage Storage = MaskBytes>
class Mask {
  static_assert(sizeof(Address) <= sizeof(VectorAddress), "neuromorph: addresses of vectors have 32 bits at most");

public:
  static constexpr Address unused = overflow::highest<Address>;
  static constexpr std::size_t full_capacity = Full, partial_capacity = Partial;

  /// Nothing enabled.
  constexpr Mask() noexcept {
    for (std::size_t at = 0; at < Full; ++at) full_.data()[at] = unused;
    for (std::size_t at = 0; at < Partial; ++at) partial_.data()[at] = unused, lanes_.data()[at] = {};
  }

  /// \errors mask_too_long: full (where 0), partial (where 1): how many such vectors there are;
  ///         address_out_of_range: address: it does not fit `Address` (where: its position among the vectors of the set
  ///         that have a lane enabled)
  template <std::uint32_t Rows, std::uint32_t Columns>
  [[nodiscard]] static constexpr Result<Mask> from(const SynapseSet<Rows, Columns>& set) noexcept {
    Mask mask;
    std::size_t full = 0, partial = 0;
    for (VectorAddress address = 0; address < set.vectors; ++address) {
      const LaneBits lanes = set.words[address];
      if (lanes == 0) continue;
      if (address >= unused)
        return Status{Error::address_out_of_range, static_cast<std::uint32_t>(full + partial), address, "address"};
      if (lanes == all_lane_bits) {
        if (full < Full) mask.full_.data()[full] = static_cast<Address>(address);
        ++full;
      } else {
        if (partial < Partial) {
          mask.partial_.data()[partial] = static_cast<Address>(address);
          mask.lanes_.data()[partial] = Storage::from(lanes);
        }
        ++partial;
      }
    }
    if (full > Full) return Status{Error::mask_too_long, 0, full, "full"};
    if (partial > Partial) return Status{Error::mask_too_long, 1, partial, "partial"};
    return mask;
  }

  /// Refused in words: a set that nobody looked at.
  template <class Unopened>
  requires detail::is_result<Unopened>
  [[nodiscard]] static constexpr Result<Mask> from(const Unopened&) noexcept {
    static_assert(
        detail::never<Unopened>,
        "neuromorph: the set is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md");
    return Mask();
  }

  /// The synapses that are enabled.
  /// \errors address_out_of_range: address: of a vector that the array lacks (where: its position among the vectors);
  ///         synapse_out_of_range: address: the same of one that reaches beyond the last column
  template <std::uint32_t Rows, std::uint32_t Columns>
  [[nodiscard]] constexpr Result<SynapseSet<Rows, Columns>> set() const noexcept {
    using Set = SynapseSet<Rows, Columns>;
    Set set;
    Status status;
    std::uint32_t position = 0;
    for_each_vector([&](VectorAddress visited, LaneBits visited_lanes) {
      if (visited >= Set::vectors) {
        if (status) status = {Error::address_out_of_range, position, visited, "address"};
      } else if ((visited_lanes & ~Set::all().words[visited]) != 0) {
        if (status) status = {Error::synapse_out_of_range, position, visited, "address"};
      } else {
        set.words[visited] = visited_lanes;
      }
      ++position;
    });
    if (!status) return status;
    return set;
  }

  [[nodiscard]] constexpr std::size_t full_vectors() const noexcept { return detail::used(full_.data(), Full, unused); }
  [[nodiscard]] constexpr std::size_t partial_vectors() const noexcept {
    return detail::used(partial_.data(), Partial, unused);
  }
  /// Enabled lanes.
  [[nodiscard]] constexpr std::uint64_t count() const noexcept {
    std::uint64_t total = 0;
    for_each_vector(
        [&](VectorAddress, LaneBits visited_lanes) { total += static_cast<unsigned>(std::popcount(visited_lanes)); });
    return total;
  }
  /// Enabled lanes of one vector, by binary search.
  [[nodiscard]] constexpr LaneBits lanes(VectorAddress address) const noexcept {
    if (address >= unused) return 0;
    const std::size_t full = detail::position(full_.data(), Full, address);
    if (full < Full && full_.data()[full] == address) return all_lane_bits;
    const std::size_t partial = detail::position(partial_.data(), Partial, address);
    return partial < Partial && partial_.data()[partial] == address ? lanes_of(partial) : LaneBits{0};
  }
  /// Calls `visit(address, lanes)` for the full vectors, then for the partial ones, each in ascending order.
  template <class Visit>
  constexpr void for_each_vector(Visit visit) const {
    const std::size_t full = full_vectors(), partial = partial_vectors();
    for (std::size_t at = 0; at < full; ++at) visit(VectorAddress{full_.data()[at]}, all_lane_bits);
    for (std::size_t at = 0; at < partial; ++at) visit(VectorAddress{partial_.data()[at]}, lanes_of(at));
  }
  /// One more than the highest address in use, 0 if there is none: a rule needs a memory of so many vectors.
  [[nodiscard]] constexpr VectorAddress vectors_needed() const noexcept {
    const std::size_t full = full_vectors(), partial = partial_vectors();
    const VectorAddress after_full = full == 0 ? 0 : VectorAddress{full_.data()[full - 1]} + 1;
    const VectorAddress after_partial = partial == 0 ? 0 : VectorAddress{partial_.data()[partial - 1]} + 1;
    return after_full < after_partial ? after_partial : after_full;
  }

  /// Runs a rule on the full vectors, then on the partial ones, each in ascending order of addresses. A rule that can
  /// be copied trivially works on a copy meanwhile. Addresses are not checked here; `MaskWrapper` does it.
  /// \cost a rule that takes `AllLanes` pays nothing for full vectors with consecutive addresses
  template <class Rule>
  [[gnu::noinline, gnu::flatten]] constexpr void apply_vector_rule(Rule& rule) const {
    static_assert(detail::offers_what_a_rule_has<Rule>());
    detail::Working working(rule);
    detail::apply_full(working.rule(), full_.data(), full_vectors());
    detail::apply_partial<Storage>(working.rule(), partial_.data(), partial_vectors(), lanes_.data());
  }

  friend constexpr bool operator==(const Mask& a, const Mask& b) noexcept {
    for (std::size_t at = 0; at < Full; ++at)
      if (a.full_.data()[at] != b.full_.data()[at]) return false;
    for (std::size_t at = 0; at < Partial; ++at)
      if (a.partial_.data()[at] != b.partial_.data()[at] || !(a.lanes_.data()[at] == b.lanes_.data()[at])) return false;
    return true;
  }

private:
  [[nodiscard]] constexpr LaneBits lanes_of(std::size_t partial) const noexcept {
    return Storage::bits(lanes_.data()[partial]);
  }

  // Both lists ascend, with what is unused at the end. Vectors first, so that nothing is lost to alignment.
  [[no_unique_address]] detail::Entries<typename Storage::Lanes, Partial> lanes_;
  [[no_unique_address]] detail::Entries<Address, Full> full_;
  [[no_unique_address]] struct PartialAddresses : detail::Entries<Address, Partial> { } partial_; };

/// The mask of a set that the compiler knows, exactly as long as it needs to be.
template <auto Set, MaskStorage Storage = MaskBytes>
[[nodiscard]] consteval auto make_mask() noexcept {
  return Mask<Set.full_vectors(), Set.partial_vectors(), AddressFor<Set.vectors>, Storage>::from(Set).value();
}
/// The same from a function of (row, column) without captures.
template <std::uint32_t Rows, std::uint32_t Columns, auto Predicate, MaskStorage Storage = MaskBytes>
[[nodiscard]] consteval auto make_mask() noexcept {
  return make_mask<SynapseSet<Rows, Columns>::where(Predicate), Storage>();
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
