// SPDX-License-Identifier: BSL-1.0
// Rows of layers against matrices that are written down by definition: PyTorch's cross-correlation, sums of windows, plain products.
#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <neuromorph/kernels/layers/rows.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

using Matrix = std::vector<std::vector<std::int64_t>>; // [target][source]

template <unsigned bits>
std::int32_t draw_weight(std::mt19937_64& draw) {
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  if (draw() % 8 == 0) return static_cast<std::int32_t>(draw() % 2 == 0 ? most : -most - 1);
  return static_cast<std::int32_t>(static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(2 * most + 2)) - most -
                                   1);
}
template <unsigned bits, std::size_t count>
void put(layers::Weights<bits, count>& to, std::size_t at, std::int32_t weight) {
  using Word = typename layers::Weights<bits, count>::Word;
  if constexpr (bits == 4) {
    const unsigned shift = at % 2 * 4, kept = static_cast<unsigned>(to.words[at / 2]) & (15U << (4 - shift));
    to.words[at / 2] = static_cast<Word>(kept | (static_cast<unsigned>(weight) & 15U) << shift);
  } else {
    to.words[at] = static_cast<Word>(weight);
  }
}
/// \param largest  of magnitudes: sums of spikes must not leave a word
template <unsigned bits, std::size_t count>
std::vector<std::int32_t> fill(layers::Weights<bits, count>& to, std::mt19937_64& draw, std::int32_t largest) {
  std::vector<std::int32_t> made;
  for (std::size_t at = 0; at < count; ++at) {
    made.push_back(draw_weight<bits>(draw) % largest);
    put(to, at, made.back());
  }
  for (std::size_t at = 0; at < count; ++at) REQUIRE(to[at] == made[at]);
  return made;
}

template <class Rows>
void check(const Rows& rows, const Matrix& right, std::mt19937_64& draw) {
  REQUIRE(right.size() == Rows::targets);
  Matrix by_source(Rows::targets, std::vector<std::int64_t>(Rows::sources)), by_target = by_source;
  for (std::uint32_t source = 0; source < Rows::sources; ++source)
    rows.each_of(source, [&](std::uint32_t target, std::int32_t weight) { by_source.at(target).at(source) += weight; });
  for (std::uint32_t target = 0; target < Rows::targets; ++target)
    rows.each_into(target,
                   [&](std::uint32_t source, std::int32_t weight) { by_target.at(target).at(source) += weight; });
  REQUIRE(by_source == right);
  REQUIRE(by_target == right);

  std::vector<std::uint32_t> spikes;
  std::array<std::int32_t, Rows::sources> counts{}, values{};
  for (std::uint32_t source = 0; source < Rows::sources; ++source) {
    if (draw() % 3 == 0) spikes.push_back(source);
    if (draw() % 2 == 0) counts[source] = static_cast<std::int32_t>(draw() % 9);
    values[source] = static_cast<std::int32_t>(draw()) >> draw() % 32;
  }
  std::array<std::int32_t, Rows::targets> sums{}, counted{}, valued{};
  for (std::size_t target = 0; target < Rows::targets; ++target)
    sums[target] = counted[target] = static_cast<std::int32_t>(target) - 5;
  layers::add(rows, spikes, sums);
  layers::add_counts(rows, std::span<const std::int32_t, Rows::sources>(counts), counted);
  const auto shift = static_cast<unsigned>(draw() % 40);
  std::uint32_t saturations = 0, held = 0;
  layers::add(rows, std::span<const std::int32_t, Rows::sources>(values), shift, valued, saturations);
  for (std::size_t target = 0; target < Rows::targets; ++target) {
    std::int64_t sum = static_cast<std::int64_t>(target) - 5, count = sum;
    std::int64_t product = 0; // below 2^60
    for (const std::uint32_t one : spikes) sum += right[target][one];
    for (std::size_t source = 0; source < Rows::sources; ++source)
      count += right[target][source] * counts[source], product += right[target][source] * values[source];
    REQUIRE(sums[target] == sum);
    REQUIRE(counted[target] == count);
    // Half up.
    std::int64_t whole = shift == 0 ? product : (product + (std::int64_t{1} << (shift - 1))) >> shift;
    if (whole > INT32_MAX || whole < INT32_MIN) ++held, whole = whole < 0 ? INT32_MIN : INT32_MAX;
    REQUIRE(valued[target] == static_cast<std::int32_t>(whole));
  }
  CHECK(saturations == held);
}

template <unsigned bits, std::uint32_t In, std::uint32_t Out, layers::Window window, std::uint32_t Groups>
void check_convolution(std::mt19937_64& draw) {
  using Rows = layers::Convolution<bits, In, Out, window, Groups>;
  static Rows rows{};
  const std::int32_t largest = bits == 32 ? 1 << 20 : 1 << (bits - 1);
  const auto weights = fill(rows.weights, draw, largest);
  Matrix right(Rows::targets, std::vector<std::int64_t>(Rows::sources));
  const std::uint32_t height = window.out_height(), width = window.out_width(), ins = In / Groups;
  for (std::uint32_t out = 0; out < Out; ++out)
    for (std::uint32_t in = 0; in < ins; ++in)
      for (std::uint32_t ky = 0; ky < window.height; ++ky)
        for (std::uint32_t kx = 0; kx < window.width; ++kx)
          for (std::uint32_t y = 0; y < height; ++y)
            for (std::uint32_t x = 0; x < width; ++x) {
              const std::int64_t from_y = std::int64_t{y} * window.stride_y + std::int64_t{ky} * window.dilation_y -
                                          window.padding_y,
                                 from_x = std::int64_t{x} * window.stride_x + std::int64_t{kx} * window.dilation_x -
                                          window.padding_x;
              if (from_y < 0 || from_x < 0 || from_y >= window.in_height || from_x >= window.in_width) continue;
              const std::uint32_t channel = out / (Out / Groups) * ins + in;
              right[(out * height + y) * width + x]
                   [(channel * window.in_height + static_cast<std::uint32_t>(from_y)) * window.in_width +
                    static_cast<std::uint32_t>(from_x)] +=
                  weights[((channel * window.height + ky) * window.width + kx) * (Out / Groups) + out % (Out / Groups)];
            }
  check(rows, right, draw);
  if constexpr (requires(std::span<const std::uint32_t> spikes, std::span<std::int32_t, Rows::targets> to) {
                  rows.add(spikes, to);
                }) {
    std::vector<std::uint32_t> spikes;
    for (std::uint32_t source = 0; source < Rows::sources; ++source)
      if (draw() % 2 == 0) spikes.push_back(source);
    static std::array<std::int32_t, Rows::targets> sums, same;
    sums.fill(7), same.fill(7);
    rows.add(spikes, sums); // as cores of 32 bits add them
    layers::add(rows, spikes, std::span<std::int32_t, Rows::targets>(same));
    CHECK(sums == same);
  }
}
template <std::uint32_t Channels, layers::Window window>
void check_pooling(std::mt19937_64& draw) {
  using Rows = layers::Pooling<Channels, window>;
  Matrix right(Rows::targets, std::vector<std::int64_t>(Rows::sources));
  for (std::uint32_t target = 0; target < Rows::targets; ++target) {
    const std::uint32_t channel = target / Rows::out_area, y = target % Rows::out_area / window.out_width(),
                        x = target % window.out_width();
    for (std::uint32_t ky = 0; ky < window.height; ++ky)
      for (std::uint32_t kx = 0; kx < window.width; ++kx) {
        const std::int64_t from_y = std::int64_t{y} * window.stride_y + ky - window.padding_y,
                           from_x = std::int64_t{x} * window.stride_x + kx - window.padding_x;
        if (from_y < 0 || from_x < 0 || from_y >= window.in_height || from_x >= window.in_width) continue;
        ++right[target][(channel * window.in_height + static_cast<std::uint32_t>(from_y)) * window.in_width +
                        static_cast<std::uint32_t>(from_x)];
      }
  }
  check(Rows{}, right, draw);
}
template <unsigned bits, std::size_t sources, std::size_t targets>
void check_dense(std::mt19937_64& draw) {
  using Rows = layers::Dense<bits, sources, targets>;
  static Rows rows{};
  const auto weights = fill(rows.weights, draw, bits == 32 ? 1 << 20 : 1 << (bits - 1));
  Matrix right(targets, std::vector<std::int64_t>(sources));
  for (std::size_t target = 0; target < targets; ++target)
    for (std::size_t source = 0; source < sources; ++source)
      right[target][source] = weights[source * Rows::stride + target];
  check(rows, right, draw);
  // As cores of 32 bits add them.
  std::vector<std::uint32_t> spikes;
  for (std::uint32_t source = 0; source < sources; ++source)
    if (draw() % 2 == 0) spikes.push_back(source);
  std::array<std::int32_t, targets> sums{}, same{};
  for (std::size_t target = 0; target < targets; ++target)
    sums[target] = same[target] = static_cast<std::int32_t>(draw() % 100);
  rows.add(spikes, sums);
  layers::add(rows, spikes, std::span<std::int32_t, targets>(same));
  CHECK(sums == same);
}
template <unsigned bits>
void check_bits(std::mt19937_64& draw) {
  const std::int32_t largest = bits == 32 ? 1 << 20 : 1 << (bits - 1);
  constexpr std::size_t sources = 13, targets = 7;
  check_dense<bits, 13, 7>(draw), check_dense<bits, 5, 8>(draw), check_dense<bits, 40, 29>(draw);
  {
    constexpr std::size_t synapses = 21; // some sources have none
    layers::Sparse<bits, sources, targets, synapses> rows{};
    const auto weights = fill(rows.weights, draw, largest);
    Matrix right(targets, std::vector<std::int64_t>(sources));
    std::uint32_t at = 0;
    for (std::size_t source = 0; source < sources; ++source) {
      rows.first[source] = at;
      for (std::uint32_t target = 0; target < targets && at < synapses; ++target)
        if (source % 3 != 1 && (draw() % 2 == 0 || (sources - source) * targets - target <= 3 * (synapses - at)))
          right[target][source] = weights[at], rows.target[at++] = static_cast<std::uint16_t>(target);
    }
    rows.first[sources] = at;
    check(rows, right, draw);
  }
  {
    layers::Diagonal<bits, sources> rows{};
    const auto weights = fill(rows.weights, draw, largest);
    Matrix right(sources, std::vector<std::int64_t>(sources));
    for (std::size_t at = 0; at < sources; ++at) right[at][at] = weights[at];
    check(rows, right, draw);
  }
  check_convolution<bits, 2, 3, layers::Window{.in_height = 6, .in_width = 5, .height = 3, .width = 2}, 1>(draw);
  check_convolution<bits, 4, 6,
                    layers::Window{.in_height = 7,
                                   .in_width = 8,
                                   .height = 3,
                                   .width = 3,
                                   .stride_y = 2,
                                   .stride_x = 3,
                                   .padding_y = 1,
                                   .padding_x = 2,
                                   .dilation_y = 2,
                                   .dilation_x = 1},
                    2>(draw);
  check_convolution<
      bits, 3, 3,
      layers::Window{
          .in_height = 1, .in_width = 20, .height = 1, .width = 5, .stride_x = 4, .padding_x = 4, .dilation_x = 2},
      3>(draw);
}

} // namespace

TEST_CASE("rows: each form leads where its matrix does, by source and by target, with weights of any bits",
          "[kernels][layers]") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 draw(seed);
    check_bits<4>(draw), check_bits<8>(draw), check_bits<16>(draw), check_bits<32>(draw);
    check_pooling<3, layers::Window{
                         .in_height = 4, .in_width = 6, .height = 2, .width = 2, .stride_y = 2, .stride_x = 2}>(draw);
    check_pooling<2, layers::Window{.in_height = 5,
                                    .in_width = 5,
                                    .height = 3,
                                    .width = 2,
                                    .stride_y = 1,
                                    .stride_x = 2,
                                    .padding_y = 1,
                                    .padding_x = 1}>(draw);
    check_pooling<1, layers::Window{
                         .in_height = 7, .in_width = 7, .height = 2, .width = 2, .stride_y = 3, .stride_x = 3}>(draw);
    Matrix identity(9, std::vector<std::int64_t>(9));
    for (std::size_t at = 0; at < 9; ++at) identity[at][at] = 1;
    check(layers::Identity<9>{}, identity, draw);
  }
}

TEST_CASE("rows: windows count as PyTorch does", "[kernels][layers]") {
  static_assert(layers::Window::out(34, 5, 2, 1, 1) == 16);
  static_assert(layers::Window::out(5, 3, 1, 0, 1) == 3);
  static_assert(layers::Window::out(5, 3, 2, 0, 2) == 1);
  static_assert(layers::Window::out(4, 3, 1, 0, 2) == 0); // larger than what there is
  static_assert(layers::Window::out(1, 1, 7, 0, 1) == 1);
}

TEST_CASE("rows: sums are finished by their channel, to nearest, and held", "[kernels][layers]") {
  std::array<std::int32_t, 6> sums{5, -5, 6, 7, 1 << 30, -(1 << 30)};
  std::uint32_t saturations = 0;
  layers::finish<1>(std::span<std::int32_t, 6>(sums), std::array<layers::Channel, 3>{{{3, 0}, {2, -100}, {5, 7}}},
                    saturations);
  CHECK(sums == std::array<std::int32_t, 6>{8, -7, -94, -93, INT32_MAX, INT32_MIN}); // 7.5 and -7.5, half up
  CHECK(saturations == 2);
  std::array<std::int32_t, 4> others{INT32_MIN, INT32_MAX, -1, 3};
  layers::finish<62>(std::span<std::int32_t, 4>(others), std::array<layers::Channel, 1>{{{INT32_MIN, 5}}}, saturations);
  CHECK(others == std::array<std::int32_t, 4>{6, 4, 5, 5});
  layers::finish<0>(std::span<std::int32_t, 4>(others),
                    std::array<layers::Channel, 4>{{{-1, 0}, {1, -4}, {INT32_MAX, 0}, {1, INT32_MAX}}}, saturations);
  CHECK(others == std::array<std::int32_t, 4>{-6, 0, INT32_MAX, INT32_MAX});
  CHECK(saturations == 4);
  CHECK(layers::rounded(-3, 1) == -1);
  CHECK(layers::rounded(3, 1) == 2);
  CHECK(layers::rounded(-5, 2) == -1);
  CHECK(layers::rounded(INT64_MIN, 62) == -2);
  CHECK(layers::rounded(7, 0) == 7);
}
