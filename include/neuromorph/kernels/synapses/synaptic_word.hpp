// SPDX-License-Identifier: BSL-1.0
/// \file
/// The row format: weight, delay, receptor type and neuron index of one synapse in one 32-bit word.
///
/// From the top: weight, delay, type, index. The three lower fields together are an address in the ring buffer
/// once the step number has been added to the delay: one addition and one mask find the element. A delay of
/// 2^DelayBits steps is stored as 0 and wraps to the slot that has just been read.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_SYNAPTIC_WORD_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_SYNAPTIC_WORD_HPP

#include <concepts>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// One synapse before it is packed.
struct Synapse {
  std::int32_t weight = 0; ///< in weight units of the neuron model
  std::uint32_t delay = 1; ///< in steps, from 1
  std::uint32_t type = 0;  ///< receptor type
  std::uint32_t index = 0; ///< post-synaptic neuron
  friend constexpr bool operator==(const Synapse&, const Synapse&) noexcept = default;
};

/// Whether weights carry a sign or are magnitudes.
enum class WeightSign : std::uint8_t { magnitude, signed_value };

/// How the bits above the address say the weight: as a magnitude, with its sign, or as 65535 - weight, for each of which
/// backends have loops; or in another way, event by event.
enum class WeightCoding : std::uint8_t { magnitude, signed_value, complement, other };

/// A synapse in 32 bits, with the field widths as parameters.
///
/// \tparam IndexBits  2^IndexBits post-synaptic neurons
/// \tparam TypeBits   2^TypeBits receptor types
/// \tparam DelayBits  delays of 1 .. 2^DelayBits steps
/// \source D. Lester et al., Streamlining SpiNNaker, 2018, section 3.2
template <unsigned IndexBits, unsigned TypeBits, unsigned DelayBits, WeightSign Sign = WeightSign::magnitude>
struct SynapticWord {
  static_assert(IndexBits + TypeBits + DelayBits >= 8 && IndexBits + TypeBits + DelayBits <= 24,
                "neuromorph: SynapticWord needs 8 to 24 bits for index, type and delay, the weight takes the rest; "
                "see docs/synapses.md");

  static constexpr WeightCoding weight_coding =
      Sign == WeightSign::magnitude ? WeightCoding::magnitude : WeightCoding::signed_value;
  static constexpr unsigned index_bits = IndexBits;
  static constexpr unsigned type_bits = TypeBits;
  static constexpr unsigned delay_bits = DelayBits;
  static constexpr unsigned address_bits = IndexBits + TypeBits + DelayBits;
  static constexpr unsigned weight_bits = 32 - address_bits;
  static constexpr std::uint32_t address_mask = (std::uint32_t{1} << address_bits) - 1;
  static constexpr std::int32_t highest_weight = static_cast<std::int32_t>(
      (std::uint32_t{1} << (Sign == WeightSign::magnitude ? weight_bits : weight_bits - 1)) - 1);
  static constexpr std::int32_t lowest_weight = Sign == WeightSign::magnitude ? 0 : -highest_weight - 1;

  /// \errors index_out_of_range, type_out_of_range, delay_out_of_range, weight_out_of_range;
  /// `value` is the culprit
  [[nodiscard]] static constexpr Result<std::uint32_t> encode(const Synapse& synapse) noexcept {
    if (synapse.index >> IndexBits != 0) return Status{Error::index_out_of_range, 0, synapse.index, "index"};
    if (synapse.type >> TypeBits != 0) return Status{Error::type_out_of_range, 0, synapse.type, "type"};
    if (synapse.delay == 0 || synapse.delay > (1U << DelayBits))
      return Status{Error::delay_out_of_range, 0, synapse.delay, "delay"};
    if (synapse.weight < lowest_weight || synapse.weight > highest_weight)
      return Status{Error::weight_out_of_range, 0, synapse.weight, "weight"};
    const std::uint32_t delay = synapse.delay & ((1U << DelayBits) - 1);
    return static_cast<std::uint32_t>(synapse.weight) << address_bits | delay << (TypeBits + IndexBits) |
           synapse.type << IndexBits | synapse.index;
  }

  [[nodiscard]] static constexpr Synapse decode(std::uint32_t word) noexcept {
    const std::uint32_t delay = (word & address_mask) >> (IndexBits + TypeBits);
    return {weight(word), delay == 0 ? 1U << DelayBits : delay, (word >> IndexBits) & ((1U << TypeBits) - 1),
            word & ((1U << IndexBits) - 1)};
  }

  [[nodiscard]] static constexpr std::int32_t weight(std::uint32_t word) noexcept {
    if constexpr (Sign == WeightSign::magnitude)
      return static_cast<std::int32_t>(word >> address_bits);
    else
      return static_cast<std::int32_t>(word) >> address_bits;
  }

  /// What a step number adds to a word so that `address` is the element for a pre-synaptic spike of that step.
  [[nodiscard]] static constexpr std::uint32_t offset(std::uint32_t step_number) noexcept {
    return step_number << (IndexBits + TypeBits);
  }
  [[nodiscard]] static constexpr std::uint32_t address(std::uint32_t word, std::uint32_t step_offset) noexcept {
    return (word + step_offset) & address_mask;
  }
};

/// As SynapticWord, for 16-bit elements that stop at 65535: the bits above the address are 65535 - weight, so that a
/// loop sees in the carry of its addition whether the sum fits. Weights are magnitudes of 16 bits.
/// \source D. Lester et al., Streamlining SpiNNaker, 2018, section 3.5, which also inverts the elements
template <unsigned IndexBits, unsigned TypeBits, unsigned DelayBits>
struct SaturatingWord : SynapticWord<IndexBits, TypeBits, DelayBits> {
  using Plain = SynapticWord<IndexBits, TypeBits, DelayBits>;
  static_assert(Plain::address_bits <= 16,
                "neuromorph: SaturatingWord needs 8 to 16 bits for index, type and delay; see docs/synapses.md");

  static constexpr WeightCoding weight_coding = WeightCoding::complement;
  static constexpr unsigned weight_bits = 16;
  static constexpr std::int32_t highest_weight = 65535;

  /// \errors as SynapticWord::encode
  [[nodiscard]] static constexpr Result<std::uint32_t> encode(const Synapse& synapse) noexcept {
    if (synapse.weight < 0 || synapse.weight > highest_weight)
      return Status{Error::weight_out_of_range, 0, synapse.weight, "weight"};
    return Plain::encode({highest_weight - synapse.weight, synapse.delay, synapse.type, synapse.index});
  }
  [[nodiscard]] static constexpr Synapse decode(std::uint32_t word) noexcept {
    Synapse synapse = Plain::decode(word);
    synapse.weight = weight(word);
    return synapse;
  }
  [[nodiscard]] static constexpr std::int32_t weight(std::uint32_t word) noexcept {
    return highest_weight - Plain::weight(word);
  }
};

namespace detail {
template <class Format>
concept HasRowFields = requires {
  { Format::weight_coding } -> std::convertible_to<WeightCoding>;
  { Format::index_bits } -> std::convertible_to<unsigned>;
  { Format::type_bits } -> std::convertible_to<unsigned>;
  { Format::delay_bits } -> std::convertible_to<unsigned>;
  { Format::address_bits } -> std::convertible_to<unsigned>;
  { Format::address_mask } -> std::convertible_to<std::uint32_t>;
};
template <class Format>
concept HasRowFunctions = requires(std::uint32_t word, const Synapse& synapse) {
  { Format::encode(synapse) } -> std::same_as<Result<std::uint32_t>>;
  { Format::decode(word) } -> std::same_as<Synapse>;
  { Format::weight(word) } -> std::same_as<std::int32_t>;
  { Format::offset(word) } -> std::same_as<std::uint32_t>;
  { Format::address(word, word) } -> std::same_as<std::uint32_t>;
};
} // namespace detail

/// A format of one synapse per word. Its fields decide the ring buffer's shape and the loop over a row.
template <class Format>
concept RowFormat = detail::HasRowFields<Format> && detail::HasRowFunctions<Format>;

/// Whether a format codes its weights so.
template <class Format>
[[nodiscard]] consteval bool has_loop(WeightCoding coding) noexcept {
  return Format::weight_coding == coding;
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
