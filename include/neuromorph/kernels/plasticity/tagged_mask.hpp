// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synapses that change rules while the program runs: each lane has a tag, and a rule is run on the lanes with its tag.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TAGGED_MASK_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TAGGED_MASK_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/detail/rule_loops.hpp>
#include <neuromorph/kernels/plasticity/synapse_set.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// \tparam Vectors  with consecutive addresses
/// \tparam First    the address of the first one
///
/// A tag is any byte, so there may be 256 rules; a tag that no rule is run for is "none". Vectors without a lane of a
/// tag are not visited, but for neighbours of others where a rule takes several at once.
///
/// \cost 16 bytes per vector; on the fly one comparison per vector
/// \source Masking and Plasticity Rules, 2.1.4. There, vectors have an address each, one byte more.
template <VectorAddress Vectors, VectorAddress First = 0>
class TaggedMask {
  static_assert(Vectors >= 1 && Vectors <= ~VectorAddress{0} - First,
                "neuromorph: a TaggedMask has at least one vector, and addresses have 32 bits");

public:
  static constexpr VectorAddress vectors = Vectors, first = First;

  /// The same tag everywhere.
  constexpr explicit TaggedMask(std::uint8_t first_tag = 0) noexcept { tags_.fill(first_tag); }

  /// One lane, one vector, 16 tags, or a set of synapses.
  /// \errors address_out_of_range: address; synapse_out_of_range: lane. For a set, where is its first vector with a
  ///         lane that has no tag here.
  constexpr Status set(VectorAddress address, unsigned lane, std::uint8_t tag) noexcept {
    const Status status = check(address, lane);
    if (status) tags_[index(address) + lane] = tag;
    return status;
  }
  constexpr Status set(VectorAddress address, std::uint8_t tag) noexcept { return set(address, same(tag)); }
  constexpr Status set(VectorAddress address, const std::array<std::uint8_t, 16>& tags) noexcept {
    const Status status = check(address, 0);
    if (status)
      for (unsigned lane = 0; lane < 16; ++lane) tags_[index(address) + lane] = tags[lane];
    return status;
  }
  template <std::uint32_t Rows, std::uint32_t Columns>
  constexpr Status set(const SynapseSet<Rows, Columns>& synapses, std::uint8_t tag) noexcept {
    for (VectorAddress address = 0; address < synapses.vectors; ++address)
      if (synapses.words[address] != 0 && !check(address, 0))
        return {Error::address_out_of_range, address, address, "address"};
    for (const SynapsePlace place : synapses) tags_[index(synapses.address(place)) + synapses.lane(place)] = tag;
    return {};
  }
  /// Refused in words: a set that nobody looked at.
  template <class Unopened>
  requires detail::is_result<Unopened>
  constexpr Status set(const Unopened&, std::uint8_t) noexcept {
    static_assert(
        detail::never<Unopened>,
        "neuromorph: the set is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md");
    return {};
  }
  /// \errors address_out_of_range: address; synapse_out_of_range: lane
  [[nodiscard]] constexpr Result<std::uint8_t> tag(VectorAddress address, unsigned lane) const noexcept {
    if (const Status status = check(address, lane); !status) return status;
    return tags_[index(address) + lane];
  }

  /// Lanes of one vector that have this tag; none where there are no tags.
  [[nodiscard]] constexpr LaneBits lanes(VectorAddress address, std::uint8_t tag) const noexcept {
    LaneBits found = 0;
    if (!check(address, 0)) return found;
    for (unsigned lane = 0; lane < 16; ++lane)
      found = static_cast<LaneBits>(found | (tags_[index(address) + lane] == tag ? 1U << lane : 0U));
    return found;
  }
  /// Calls `visit(address, lanes)` for each vector with a lane of this tag.
  template <class Visit>
  constexpr void for_each_vector(std::uint8_t tag, Visit visit) const {
    for (VectorAddress address = First; address != First + Vectors; ++address)
      if (const LaneBits found = lanes(address, tag); found != 0) visit(address, found);
  }
  /// The synapses with this tag, of an array that has all vectors of this mask. Lanes beyond its last column are left
  /// out.
  template <std::uint32_t Rows, std::uint32_t Columns>
  [[nodiscard]] constexpr SynapseSet<Rows, Columns> synapses(std::uint8_t tag) const noexcept {
    using Set = SynapseSet<Rows, Columns>;
    static_assert(First + Vectors <= Set::vectors, "neuromorph: a TaggedMask reaches beyond the array");
    Set found;
    for_each_vector(tag, [&](VectorAddress visited, LaneBits visited_lanes) { found.words[visited] = visited_lanes; });
    return found & Set::all();
  }
  /// A rule needs a memory of so many vectors.
  [[nodiscard]] static constexpr VectorAddress vectors_needed() noexcept { return First + Vectors; }

  /// Runs a rule on the lanes with this tag, in ascending order of addresses. A rule that can be copied trivially works
  /// on a copy meanwhile. Addresses are not checked here; `TaggedMaskWrapper` does it.
  template <class Rule>
  [[gnu::noinline, gnu::flatten]] constexpr void apply_vector_rule(Rule& rule, std::uint8_t tag) const {
    static_assert(detail::offers_what_a_rule_has<Rule>());
    detail::Working working(rule);
    detail::apply_where_any(working.rule(), First, Vectors, detail::TaggedLanes<Rule>{tags_.data(), tag});
  }

  /// Whether a lane has a tag here.
  /// \errors as `tag`
  [[nodiscard]] static constexpr Status check(VectorAddress address, unsigned lane) noexcept {
    if (address - First >= Vectors) return {Error::address_out_of_range, 0, address, "address"};
    if (lane >= 16) return {Error::synapse_out_of_range, 0, lane, "lane"};
    return {};
  }

private:
  [[nodiscard]] static constexpr std::array<std::uint8_t, 16> same(std::uint8_t tag) noexcept {
    std::array<std::uint8_t, 16> tags{};
    tags.fill(tag);
    return tags;
  }
  [[nodiscard]] static constexpr std::size_t index(VectorAddress address) noexcept {
    return std::size_t{16} * (address - First);
  }

  alignas(16) std::array<std::uint8_t, std::size_t{16} * Vectors> tags_{};
};

/// A `TaggedMask` that also keeps the binary masks of the tags 0 to Tags - 1, so that rules on them compare nothing;
/// the other tags are compared as there.
///
/// \tparam Tags  1 to 256 tags, from 0 on, whose masks are kept
/// \cost 16 (1 + Tags) bytes per vector; a change of a lane's tag writes two bytes more
template <VectorAddress Vectors, std::size_t Tags, VectorAddress First = 0>
class CachedTaggedMask {
  static_assert(Tags >= 1 && Tags <= 256, "neuromorph: a CachedTaggedMask keeps the masks of 1 to 256 tags");
  using Tagged = TaggedMask<Vectors, First>;

public:
  static constexpr VectorAddress vectors = Vectors, first = First;

  constexpr explicit CachedTaggedMask(std::uint8_t first_tag = 0) noexcept : CachedTaggedMask(Tagged(first_tag)) {}
  constexpr explicit CachedTaggedMask(const Tagged& first_tags) noexcept : tags_(first_tags) {
    for (VectorAddress address = First; address != First + Vectors; ++address) renew(address);
  }

  /// As those of TaggedMask.
  /// \errors as TaggedMask::set
  constexpr Status set(VectorAddress address, unsigned lane, std::uint8_t tag) noexcept {
    const auto before = tags_.tag(address, lane);
    if (!before) return before.status();
    cached(before.value(), address, lane, 0);
    cached(tag, address, lane, 0xFF);
    return tags_.set(address, lane, tag);
  }
  constexpr Status set(VectorAddress address, std::uint8_t tag) noexcept {
    const Status status = tags_.set(address, tag);
    if (status) renew(address);
    return status;
  }
  constexpr Status set(VectorAddress address, const std::array<std::uint8_t, 16>& tags) noexcept {
    const Status status = tags_.set(address, tags);
    if (status) renew(address);
    return status;
  }
  template <std::uint32_t Rows, std::uint32_t Columns>
  constexpr Status set(const SynapseSet<Rows, Columns>& synapses, std::uint8_t tag) noexcept {
    const Status status = tags_.set(synapses, tag);
    if (status)
      for (VectorAddress address = 0; address < synapses.vectors; ++address)
        if (synapses.words[address] != 0) renew(address);
    return status;
  }
  /// \errors as TaggedMask::tag
  [[nodiscard]] constexpr Result<std::uint8_t> tag(VectorAddress address, unsigned lane) const noexcept {
    return tags_.tag(address, lane);
  }
  [[nodiscard]] constexpr LaneBits lanes(VectorAddress address, std::uint8_t tag) const noexcept {
    return tags_.lanes(address, tag);
  }
  template <class Visit>
  constexpr void for_each_vector(std::uint8_t tag, Visit visit) const {
    tags_.for_each_vector(tag, visit);
  }
  template <std::uint32_t Rows, std::uint32_t Columns>
  [[nodiscard]] constexpr SynapseSet<Rows, Columns> synapses(std::uint8_t tag) const noexcept {
    return tags_.template synapses<Rows, Columns>(tag);
  }
  [[nodiscard]] static constexpr VectorAddress vectors_needed() noexcept { return First + Vectors; }

  template <class Rule>
  [[gnu::noinline, gnu::flatten]] constexpr void apply_vector_rule(Rule& rule, std::uint8_t tag) const {
    static_assert(detail::offers_what_a_rule_has<Rule>());
    if (tag >= Tags) return tags_.apply_vector_rule(rule, tag);
    detail::Working working(rule);
    detail::apply_where_any(working.rule(), First, Vectors,
                            detail::KeptLanes<Rule>{masks_.data() + std::size_t{16} * Vectors * tag});
  }

private:
  constexpr void cached(std::uint8_t tag, VectorAddress address, unsigned lane, std::uint8_t byte) noexcept {
    if (tag < Tags) masks_[std::size_t{16} * (std::size_t{Vectors} * tag + address - First) + lane] = byte;
  }
  constexpr void renew(VectorAddress address) noexcept {
    for (std::size_t tag = 0; tag < Tags; ++tag) {
      const LaneBits found = tags_.lanes(address, static_cast<std::uint8_t>(tag));
      for (unsigned lane = 0; lane < 16; ++lane)
        cached(static_cast<std::uint8_t>(tag), address, lane, (found >> lane & 1) != 0 ? 0xFF : 0);
    }
  }

  Tagged tags_;
  alignas(16) std::array<std::uint8_t, std::size_t{16} * Vectors * Tags> masks_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
