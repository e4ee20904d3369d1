// SPDX-License-Identifier: BSL-1.0
// Synapses of rows, beside products of plain matrices.
#include <neuromorph/network/adapter/listed_rows.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tests/support/catch.hpp>

#include <neuromorph/kernels/layers/rows.hpp>

using namespace neuromorph;
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>; // [source][target]

/// By each_into, the other way round.
template <class Rows>
Matrix matrix_of(const Rows& rows) {
  Matrix made(Rows::sources, std::vector<std::int64_t>(Rows::targets));
  for (std::uint32_t target = 0; target < Rows::targets; ++target)
    rows.each_into(target, [&](std::uint32_t source, std::int32_t weight) { made[source][target] += weight; });
  return made;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix made(a.size(), std::vector<std::int64_t>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[0].size(); ++j) made[i][j] += a[i][k] * b[k][j];
  return made;
}

void check(const network::FromList& list, const Matrix& right, double unit, double dt_ms, std::uint32_t least,
           std::span<const std::uint16_t> more) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, network::Listed> found;
  for (const network::Listed& one : list.synapses)
    REQUIRE(found.emplace(std::pair{one.source, one.target}, one).second); // a pair stands once
  std::size_t count = 0;
  for (std::uint32_t source = 0; source < right.size(); ++source)
    for (std::uint32_t target = 0; target < right[0].size(); ++target) {
      const auto at = found.find({source, target});
      REQUIRE((at != found.end()) == (right[source][target] != 0));
      if (at == found.end()) continue;
      ++count;
      REQUIRE(at->second.weight == static_cast<double>(right[source][target]) * unit);
      REQUIRE(at->second.delay_ms == (least + (more.empty() ? 0U : more[source])) * dt_ms);
    }
  REQUIRE(count == list.synapses.size());
}

constexpr layers::Window over{
    .in_height = 6, .in_width = 5, .height = 3, .width = 2, .stride_y = 2, .padding_x = 1}; // places are in several
constexpr layers::Window kernel{.in_height = over.out_height(),
                                .in_width = over.out_width(),
                                .height = 2,
                                .width = 3,
                                .padding_y = 1,
                                .dilation_x = 2};

} // namespace

TEST_CASE("Synapses of rows are those of the matrices, one after the other") {
  std::mt19937 draw(1);
  const auto fill = [&](auto& weights) {
    for (auto& one : weights.words)
      one = static_cast<std::remove_reference_t<decltype(one)>>(draw() % 3 == 0 ? 0 : draw());
  };
  layers::Pooling<2, over> pool{};
  layers::Convolution<8, 2, 3, kernel> convolution{};
  layers::Dense<16, decltype(convolution)::targets, 7> dense{};
  layers::Diagonal<4, 7> diagonal{};
  for (int round = 0; round < 20; ++round) {
    fill(convolution.weights), fill(dense.weights), fill(diagonal.weights);
    const Matrix a = matrix_of(pool), b = matrix_of(convolution), c = matrix_of(dense), d = matrix_of(diagonal);
    check(network::listed(0.25, 3.0, pool), a, 0.25, 3.0, 1, {});
    check(network::listed(0x1p-9, 0.1, pool, convolution), product(a, b), 0x1p-9, 0.1, 1, {});
    check(network::listed(1.0, 1.0, convolution, dense, diagonal), product(product(b, c), d), 1.0, 1.0, 1, {});
    std::array<std::uint16_t, decltype(pool)::sources> steps{};
    for (auto& one : steps) one = static_cast<std::uint16_t>(draw() % 4000);
    check(network::listed(2.0, network::StepsOf{0.5, 3, steps}, pool, convolution), product(a, b), 2.0, 0.5, 3, steps);
  }
}

TEST_CASE("Ways whose products cancel are no synapse") {
  const layers::Dense<8, 1, 2> fork{{{3, 3, 0, 0}}};
  const layers::Dense<8, 2, 1> join{{{1, 0, 0, 0, -1, 0, 0, 0}}};
  CHECK(network::listed(1.0, 1.0, fork, join).synapses.empty());
}
