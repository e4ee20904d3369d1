// SPDX-License-Identifier: BSL-1.0
/// \file
/// The synapse array of a plasticity processor, or its correlation sensors, as a vector memory.
// requires: -D__S2PP__ (powerpc)
#ifndef NEUROMORPH_TARGET_POWER_S2PP_SPACE_HPP
#define NEUROMORPH_TARGET_POWER_S2PP_SPACE_HPP

#if !defined(__S2PP__) || !defined(__PPC__) || !defined(__BIG_ENDIAN__)
#error "neuromorph/target/power/s2pp_space.hpp needs a plasticity processor: use -D__S2PP__, see target/power/s2pp.hpp"
#endif

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/power/s2pp.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A view of vectors in the space that FXVINX and FXVOUTX reach, one address for each: vector n is at base + n. A write
/// under a mask sends the enabled lanes alone; nothing is read for it.
///
/// \tparam Element  std::uint8_t or std::int8_t
template <VectorElement Element = std::uint8_t>
requires(sizeof(Element) == 1) class S2ppSpace {
  using Machine = target::S2pp::Vectors<1>;

public:
  using Offers = offer::List<>;
  using Vector = Vec<Element, target::S2pp>;

  /// No vectors.
  constexpr S2ppSpace() noexcept = default;
  /// \errors address_out_of_range: base + vectors is more than 2^32; value: base
  [[nodiscard]] static constexpr Result<S2ppSpace> at(std::uint32_t base, VectorAddress vectors) noexcept {
    if (vectors > 0 && base > ~std::uint32_t{0} - (vectors - 1)) return Status{Error::address_out_of_range, 0, base};
    S2ppSpace result;
    result.base_ = base;
    result.vectors_ = vectors;
    return result;
  }

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return vectors_; }
  [[nodiscard]] Vector read(VectorAddress address) const noexcept {
    return Vector(Machine::read_vector<Element>(base_, address));
  }
  void write(VectorAddress address, const Vector& value) const noexcept {
    Machine::write_vector<Element>(base_, address, value.machine());
  }
  void write(VectorAddress address, const Vector& value, const typename Vector::Flags& lanes_set) const noexcept {
    Machine::write_vector<Element>(base_, address, value.machine(), lanes_set.machine());
  }

private:
  std::uint32_t base_ = 0;
  VectorAddress vectors_ = 0;
};
static_assert(VectorMemory<S2ppSpace<>>);

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
