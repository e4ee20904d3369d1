// SPDX-License-Identifier: BSL-1.0
/// \file
/// Rows of layers: which weights lead from each element of one layer to which elements of the next, and what spikes and values do by them.
///
///     static constexpr layers::Dense<8, 12, 40> fc1{{...}}; // 8 bits a weight, from 12 to 40
///     layers::add(fc1, spikes, sums);                     // sums[target] += weight, for each spike
///     layers::add(fc1, values, 12, sums);                 // sums[target] += weight * value / 2^12, summed and rounded once
///
/// No row has an index or a delay, and no weight stands twice: a rule says where each leads. Steps are single threads of plain C++.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_LAYERS_ROWS_HPP
#define NEUROMORPH_KERNELS_LAYERS_ROWS_HPP

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
/// Rows of layers of trained networks, and what stands between them. Elements have numbers; of images, as C counts [channel][y][x].
namespace layers {

/// Weights of 4, 8, 16 or 32 bits, in their order; two of 4 bits are in a byte, the lower ones first.
template <unsigned bits, std::size_t Count>
struct Weights {
  static_assert(bits == 4 || bits == 8 || bits == 16 || bits == 32,
                "neuromorph: weights of layers have 4, 8, 16 or 32 bits; see docs/trained.md");
  using Word = std::conditional_t<
      bits == 32, std::int32_t,
      std::conditional_t<bits == 16, std::int16_t, std::conditional_t<bits == 8, std::int8_t, std::uint8_t>>>;
  std::array<Word, bits == 4 ? (Count + 1) / 2 : Count> words;

  [[nodiscard, gnu::always_inline]] constexpr std::int32_t operator[](std::size_t at) const noexcept {
    if constexpr (bits == 4) {
      const auto both = static_cast<std::uint32_t>(words[at / 2]);
      return static_cast<std::int32_t>((both >> at % 2 * 4 & 15U) ^ 8U) - 8;
    } else {
      return words[at];
    }
  }
};

/// What rows are: `each_of(source, visit)` calls visit(target, weight) for each element that one leads to, `each_into(target, visit)`
/// visit(source, weight) for each that leads to one.
template <class Candidate>
concept Rows = requires(const Candidate& rows, void (&visit)(std::uint32_t, std::int32_t)) {
  { Candidate::sources } -> std::convertible_to<std::size_t>;
  { Candidate::targets } -> std::convertible_to<std::size_t>;
  rows.each_of(std::uint32_t{}, visit);
  rows.each_into(std::uint32_t{}, visit);
};

namespace detail {
/// The weight at a place of a word.
template <unsigned bits>
[[nodiscard, gnu::always_inline]] constexpr std::int32_t weight_in(std::uint32_t word, unsigned at) noexcept {
  if constexpr (std::endian::native == std::endian::big && bits > 4) at = 32 / bits - 1 - at;
  if constexpr (std::endian::native == std::endian::big && bits == 4) at ^= 6; // bytes, and not what is in them
  return static_cast<std::int32_t>(word << (32 - bits - bits * at)) >> (32 - bits);
}
[[nodiscard, gnu::always_inline]] inline std::uint32_t word_of(const unsigned char* bytes) noexcept {
  std::uint32_t word;
  __builtin_memcpy(&word, __builtin_assume_aligned(bytes, 4), 4);
  return word;
}
/// Adds so many weights of each spike to as many sums, which are in registers meanwhile: eight, and what is left of them.
template <unsigned bits, std::size_t... at>
[[gnu::always_inline]] inline void add_some(const unsigned char* weights, std::size_t stride,
                                            std::span<const std::uint32_t> spikes, std::int32_t* sums,
                                            std::index_sequence<at...>) noexcept {
  constexpr unsigned in_word = 32 / bits;
  std::array<std::int32_t, sizeof...(at)> here{sums[at]...};
  for (const std::uint32_t spike : spikes) {
    const unsigned char* const row = weights + spike * stride;
    std::array<std::uint32_t, (sizeof...(at) + in_word - 1) / in_word> words;
    ((at % in_word == 0 ? void(words[at / in_word] = word_of(row + 4 * (at / in_word))) : void()), ...);
    ((here[at] += weight_in<bits>(words[at / in_word], at % in_word)), ...);
  }
  ((sums[at] = here[at]), ...);
}
/// Adds the weights of a word to sums that are `apart`.
template <unsigned bits, std::size_t apart, std::size_t... at>
[[gnu::always_inline]] inline void add_apart(const unsigned char* weights, std::int32_t* sums,
                                             std::index_sequence<at...>) noexcept {
  const std::uint32_t word = word_of(weights);
  ((sums[at * apart] += weight_in<bits>(word, at)), ...);
}
} // namespace detail

/// Each element leads to each one (Affine, Linear).
template <unsigned bits, std::size_t Sources, std::size_t Targets>
struct Dense {
  static constexpr std::size_t sources = Sources, targets = Targets;
  static constexpr std::size_t stride =
      (Targets * bits + 31) / 32 * 32 / bits;         ///< from one source to the next: whole words
  alignas(4) Weights<bits, Sources * stride> weights; ///< [source][stride], of which the first `Targets` count

  template <class Visit>
  [[gnu::always_inline]] constexpr void each_of(std::uint32_t source, Visit visit) const noexcept {
    const std::size_t begin = std::size_t{source} * stride;
    for (std::uint32_t target = 0; target < Targets; ++target) visit(target, weights[begin + target]);
  }
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_into(std::uint32_t target, Visit visit) const noexcept {
    for (std::uint32_t source = 0; source < Sources; ++source)
      visit(source, weights[std::size_t{source} * stride + target]);
  }
  /// All spikes of a step, eight targets at a time: on a core without vectors a sum is loaded and stored once for all of them.
  void add(std::span<const std::uint32_t> spikes, std::span<std::int32_t, Targets> sums) const noexcept {
    constexpr std::size_t whole = Targets / 8 * 8;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(weights.words.data());
    for (std::size_t target = 0; target < whole; target += 8)
      detail::add_some<bits>(bytes + target * bits / 8, stride * bits / 8, spikes, sums.data() + target,
                             std::make_index_sequence<8>{});
    if constexpr (whole != Targets) // rows are whole words
      detail::add_some<bits>(bytes + whole * bits / 8, stride * bits / 8, spikes, sums.data() + whole,
                             std::make_index_sequence<Targets - whole>{});
  }
};

/// Few of a layer's elements lead to few of another (Affine, Linear with many zeros).
/// \cost of each_into all synapses are gone through
template <unsigned bits, std::size_t Sources, std::size_t Targets, std::size_t Synapses>
struct Sparse {
  static_assert(Targets <= 65536,
                "neuromorph: sparse rows of layers lead to at most 65536 elements; see docs/trained.md");
  static constexpr std::size_t sources = Sources, targets = Targets;
  std::array<std::uint32_t, Sources + 1> first; ///< [source] where its synapses begin
  std::array<std::uint16_t, Synapses> target;   ///< [synapse]
  Weights<bits, Synapses> weights;              ///< [synapse]

  template <class Visit>
  [[gnu::always_inline]] constexpr void each_of(std::uint32_t source, Visit visit) const noexcept {
    for (std::uint32_t at = first[source]; at != first[source + 1]; ++at) visit(std::uint32_t{target[at]}, weights[at]);
  }
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_into(std::uint32_t wanted, Visit visit) const noexcept {
    for (std::uint32_t source = 0; source < Sources; ++source)
      for (std::uint32_t at = first[source]; at != first[source + 1]; ++at)
        if (target[at] == wanted) visit(source, weights[at]);
  }
};

/// A window that moves over an image, in steps of `stride`, from `padding` before its edge on; its elements are `dilation` apart.
struct Window {
  std::uint32_t in_height, in_width;
  std::uint32_t height, width;
  std::uint32_t stride_y = 1, stride_x = 1, padding_y = 0, padding_x = 0, dilation_y = 1, dilation_x = 1;

  [[nodiscard]] static constexpr std::uint32_t out(std::uint32_t in, std::uint32_t kernel, std::uint32_t stride,
                                                   std::uint32_t padding, std::uint32_t dilation) noexcept {
    const std::uint32_t reach = dilation * (kernel - 1) + 1, all = in + 2 * padding;
    return all < reach ? 0 : (all - reach) / stride + 1;
  }
  [[nodiscard]] constexpr std::uint32_t out_height() const noexcept {
    return out(in_height, height, stride_y, padding_y, dilation_y);
  }
  [[nodiscard]] constexpr std::uint32_t out_width() const noexcept {
    return out(in_width, width, stride_x, padding_x, dilation_x);
  }
  /// visit(out, kernel) for each place of the window that holds an element of the image, and which of the window that is.
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_of(std::uint32_t y, std::uint32_t x, Visit visit) const noexcept {
    for (std::uint32_t ky = 0; ky < height; ++ky) {
      const std::uint32_t from_y = y + padding_y - dilation_y * ky, oy = from_y / stride_y;
      if (dilation_y * ky > y + padding_y || oy * stride_y != from_y || oy >= out_height()) continue;
      for (std::uint32_t kx = 0; kx < width; ++kx) {
        const std::uint32_t from_x = x + padding_x - dilation_x * kx, ox = from_x / stride_x;
        if (dilation_x * kx > x + padding_x || ox * stride_x != from_x || ox >= out_width()) continue;
        visit(oy * out_width() + ox, ky * width + kx);
      }
    }
  }
  /// visit(in, kernel) for each element of the image in the window at a place.
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_into(std::uint32_t oy, std::uint32_t ox, Visit visit) const noexcept {
    for (std::uint32_t ky = 0; ky < height; ++ky) {
      const std::uint32_t y = oy * stride_y + dilation_y * ky - padding_y; // below the edge it is above all others
      if (y >= in_height) continue;
      for (std::uint32_t kx = 0; kx < width; ++kx) {
        const std::uint32_t x = ox * stride_x + dilation_x * kx - padding_x;
        if (x < in_width) visit(y * in_width + x, ky * width + kx);
      }
    }
  }
};

/// A kernel that moves over an image: its weights stand once (Conv2d, and Conv1d with a height of 1).
template <unsigned bits, std::uint32_t In, std::uint32_t Out, Window window, std::uint32_t Groups = 1>
struct Convolution {
  static_assert(Groups != 0 && In % Groups == 0 && Out % Groups == 0,
                "neuromorph: channels of a convolution are whole groups; see docs/trained.md");
  static constexpr std::uint32_t in_area = window.in_height * window.in_width,
                                 out_area = window.out_height() * window.out_width(),
                                 area = window.height * window.width;
  static constexpr std::size_t sources = std::size_t{In} * in_area, targets = std::size_t{Out} * out_area;
  static constexpr std::uint32_t in_group = In / Groups, out_group = Out / Groups;
  alignas(4) Weights<bits, std::size_t{Out} * in_group * area> weights; ///< [in][y][x][out of the group]

  template <class Visit>
  [[gnu::always_inline]] constexpr void each_of(std::uint32_t source, Visit visit) const noexcept {
    const std::uint32_t channel = source / in_area, place = source % in_area, group = channel / in_group;
    window.each_of(place / window.in_width, place % window.in_width, [&](std::uint32_t at, std::uint32_t kernel) {
      const std::size_t begin = (std::size_t{channel} * area + kernel) * out_group;
      std::uint32_t target = group * out_group * out_area + at;
      for (std::uint32_t out = 0; out < out_group; ++out, target += out_area) visit(target, weights[begin + out]);
    });
  }
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_into(std::uint32_t target, Visit visit) const noexcept {
    const std::uint32_t out = target / out_area, place = target % out_area, group = out / out_group;
    window.each_into(
        place / window.out_width(), place % window.out_width(), [&](std::uint32_t at, std::uint32_t kernel) {
          for (std::uint32_t in = group * in_group; in != (group + 1) * in_group; ++in)
            visit(in * in_area + at, weights[(std::size_t{in} * area + kernel) * out_group + out % out_group]);
        });
  }
  /// All spikes of a step, a word of weights at a time, where those of a place are whole words.
  void add(std::span<const std::uint32_t> spikes, std::span<std::int32_t, targets> sums) const noexcept
      requires(out_group* bits % 32 == 0) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(weights.words.data());
    for (const std::uint32_t spike : spikes) {
      const std::uint32_t channel = spike / in_area, place = spike % in_area;
      std::int32_t* const group = sums.data() + channel / in_group * out_group * out_area;
      window.each_of(place / window.in_width, place % window.in_width, [&](std::uint32_t at, std::uint32_t kernel) {
        const unsigned char* weight = bytes + (std::size_t{channel} * area + kernel) * out_group * bits / 8;
        std::int32_t* sum = group + at;
        for (std::uint32_t out = 0; out < out_group; out += 32 / bits, weight += 4, sum += 32 / bits * out_area)
          detail::add_apart<bits, out_area>(weight, sum, std::make_index_sequence<32 / bits>{});
      });
    }
  }
};

/// The sum of a window, channel by channel (SumPool2d, and AvgPool2d of which somebody else takes the mean). No weight stands anywhere.
template <std::uint32_t Channels, Window window>
struct Pooling {
  static constexpr std::uint32_t in_area = window.in_height * window.in_width,
                                 out_area = window.out_height() * window.out_width();
  static constexpr std::size_t sources = std::size_t{Channels} * in_area, targets = std::size_t{Channels} * out_area;

  template <class Visit>
  [[gnu::always_inline]] constexpr void each_of(std::uint32_t source, Visit visit) const noexcept {
    const std::uint32_t channel = source / in_area, place = source % in_area;
    window.each_of(place / window.in_width, place % window.in_width,
                   [&](std::uint32_t at, std::uint32_t) { visit(channel * out_area + at, std::int32_t{1}); });
  }
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_into(std::uint32_t target, Visit visit) const noexcept {
    const std::uint32_t channel = target / out_area, place = target % out_area;
    window.each_into(place / window.out_width(), place % window.out_width(),
                     [&](std::uint32_t at, std::uint32_t) { visit(channel * in_area + at, std::int32_t{1}); });
  }
};

/// A weight of each element's own (Scale).
template <unsigned bits, std::size_t Count>
struct Diagonal {
  static constexpr std::size_t sources = Count, targets = Count;
  Weights<bits, Count> weights;
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_of(std::uint32_t source, Visit visit) const noexcept {
    visit(source, weights[source]);
  }
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_into(std::uint32_t target, Visit visit) const noexcept {
    visit(target, weights[target]);
  }
};
/// Each element leads to itself, with a weight of 1.
template <std::size_t Count>
struct Identity {
  static constexpr std::size_t sources = Count, targets = Count;
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_of(std::uint32_t source, Visit visit) const noexcept {
    visit(source, std::int32_t{1});
  }
  template <class Visit>
  [[gnu::always_inline]] constexpr void each_into(std::uint32_t target, Visit visit) const noexcept {
    visit(target, std::int32_t{1});
  }
};

/// What spikes do. Who makes the rows sees to it that no sum can leave its word.
/// \param spikes  elements that fired, each below Of::sources
template <Rows Of>
constexpr void add(const Of& rows, std::span<const std::uint32_t> spikes,
                   std::span<std::int32_t, Of::targets> sums) noexcept {
  if constexpr (sizeof(void*) == 4 && requires { rows.add(spikes, sums); }) // elsewhere compilers find vectors
    if (!std::is_constant_evaluated()) return rows.add(spikes, sums);
  for (const std::uint32_t spike : spikes)
    rows.each_of(
        spike, [&](std::uint32_t target, std::int32_t weight)
                   __attribute__((always_inline)) { sums[target] += weight; });
}
/// What numbers do that are whole and few, as spikes that were counted: sums[target] += weight * count. Zeros cost nothing.
template <Rows Of>
constexpr void add_counts(const Of& rows, std::span<const std::int32_t, Of::sources> counts,
                          std::span<std::int32_t, Of::targets> sums) noexcept {
  for (std::uint32_t source = 0; source < Of::sources; ++source) {
    const std::int32_t count = counts[source];
    if (count == 0) continue;
    rows.each_of(
        source, [&](std::uint32_t target, std::int32_t weight)
                    __attribute__((always_inline)) { sums[target] += weight * count; });
  }
}

/// Held at the ends of a word, and counted.
[[nodiscard]] constexpr std::int32_t held(std::int64_t value, std::uint32_t& saturations) noexcept {
  if (value <= INT32_MAX && value >= INT32_MIN) return static_cast<std::int32_t>(value);
  ++saturations;
  return value < 0 ? INT32_MIN : INT32_MAX;
}
/// value / 2^shift to nearest, half up; shift 0 to 62.
[[nodiscard]] constexpr std::int64_t rounded(std::int64_t value, unsigned shift) noexcept {
  return shift == 0 ? value : ((value >> (shift - 1)) + 1) >> 1;
}
/// What values do: each target's products are summed in 64 bits, rounded once, and added. Held, and counted.
template <Rows Of>
constexpr void add(const Of& rows, std::span<const std::int32_t, Of::sources> values, unsigned shift,
                   std::span<std::int32_t, Of::targets> sums, std::uint32_t& saturations) noexcept {
  for (std::uint32_t target = 0; target < Of::targets; ++target) {
    std::int64_t sum = 0;
    rows.each_into(
        target, [&](std::uint32_t source, std::int32_t weight)
                    __attribute__((always_inline)) { sum += std::int64_t{weight} * values[source]; });
    sums[target] = held(sums[target] + rounded(sum, shift), saturations);
  }
}

/// What integer sums of a channel become: sum * factor / 2^shift + bias, where all channels of a layer have one shift.
struct Channel {
  std::int32_t factor = 1;
  std::int32_t bias = 0; ///< in units of what they become
};
/// Of each channel's sums, or of all where there is one channel; the product is rounded to nearest, half up. Held, and counted.
/// \tparam shift  0 to 62
template <unsigned shift, std::size_t Targets, std::size_t Channels>
constexpr void finish(std::span<std::int32_t, Targets> sums, const std::array<Channel, Channels>& by,
                      std::uint32_t& saturations) noexcept {
  static_assert(Targets % Channels == 0, "neuromorph: channels of a layer are of one size; see docs/trained.md");
  constexpr std::int64_t half = shift == 0 ? 0 : std::int64_t{1} << (shift - (shift == 0 ? 0 : 1));
  std::int32_t* sum = sums.data();
  for (const Channel& one : by)
    for (std::size_t at = 0; at < Targets / Channels; ++at, ++sum) {
      // The product of two words, and a half, is below 2^63.
      const std::int64_t made = ((static_cast<std::int64_t>(*sum) * one.factor + half) >> shift) + one.bias;
      *sum = static_cast<std::int32_t>(made);
      if (*sum != made) [[unlikely]]
        *sum = held(made, saturations);
    }
}

} // namespace layers
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
