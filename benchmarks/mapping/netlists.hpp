// SPDX-License-Identifier: BSL-1.0
// Graphs that are placed: Conway's life on a torus, a mesh, and netlists in the style of the published ones.
#ifndef BENCHMARKS_MAPPING_NETLISTS_HPP
#define BENCHMARKS_MAPPING_NETLISTS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/placement.hpp>

namespace netlists {

namespace mapping = neuromorph::mapping;
using mapping::Vertex;
using Draw = mapping::detail::Draw;

struct Grid {
  std::uint32_t width = 1, height = 1;
  bool wraps = true;
  unsigned neighbours = 8;      // or 4
  std::uint64_t shuffle_by = 0; // vertices in a random order; 0: row by row
};
struct Made {
  mapping::MachineGraph graph{};
  mapping::Constraints constraints{};
  std::vector<mapping::Position> positions{};
};

/// Each cell sends its state to its neighbours.
inline Made grid(const Grid& of) {
  const std::uint32_t count = of.width * of.height;
  std::vector<Vertex> vertex_of(count), cell_of(count);
  for (std::uint32_t cell = 0; cell < count; ++cell) vertex_of[cell] = cell;
  if (of.shuffle_by != 0) Draw(of.shuffle_by).shuffle(vertex_of);
  for (std::uint32_t cell = 0; cell < count; ++cell) cell_of[vertex_of[cell]] = cell;
  Made made;
  made.graph.reserve(count, count, std::size_t{count} * of.neighbours);
  made.positions.resize(count);
  for (Vertex vertex = 0; vertex < count; ++vertex) made.graph.add({.dtcm_bytes = 4096, .sdram_bytes = 1024});
  const auto width = static_cast<int>(of.width), height = static_cast<int>(of.height);
  for (Vertex vertex = 0; vertex < count; ++vertex) {
    const auto x = static_cast<int>(cell_of[vertex] % of.width), y = static_cast<int>(cell_of[vertex] / of.width);
    made.positions[vertex] = {static_cast<double>(x), static_cast<double>(y)};
    Vertex targets[8];
    std::size_t found = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        if ((dx == 0 && dy == 0) || (of.neighbours == 4 && dx != 0 && dy != 0)) continue;
        int to_x = x + dx, to_y = y + dy;
        if (of.wraps) to_x = (to_x + width) % width, to_y = (to_y + height) % height;
        if (to_x < 0 || to_y < 0 || to_x >= width || to_y >= height) continue;
        targets[found++] = vertex_of[static_cast<std::size_t>(to_y * width + to_x)];
      }
    made.graph.connect(vertex, std::span(targets, found));
  }
  return made;
}

/// A sheet of 16 x 20 columns. Of 269 of them eight parts share a chip; all parts of a column talk with each other, with a few of
/// neighbouring columns, the nearer the more, and with some far away. 2 560 vertices, about 12 000 nets.
inline Made cortical() {
  constexpr std::uint32_t columns = 16, rows = 20, parts = 8, grouped = 269;
  Draw draw(20160);
  Made made;
  std::vector<std::uint32_t> order(columns * rows); // of columns: vertices come in none
  for (std::uint32_t at = 0; at < order.size(); ++at) order[at] = at;
  draw.shuffle(order);
  std::vector<Vertex> first(order.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    first[order[at]] = at * parts;
    std::vector<Vertex> together;
    for (std::uint32_t part = 0; part < parts; ++part)
      together.push_back(made.graph.add({.dtcm_bytes = 40000, .sdram_bytes = 1U << 20, .sdram_per_step = 32}));
    if (at < grouped) made.constraints.same_chip.push_back(std::move(together));
  }
  const auto to_column = [&](std::uint32_t from) {
    const std::uint32_t reach = 1 + draw.below(2) * draw.below(3);
    const auto x = (from % columns + columns - reach + draw.below(2 * reach + 1)) % columns;
    const auto y = (from / columns + rows - reach + draw.below(2 * reach + 1)) % rows;
    return y * columns + x;
  };
  std::vector<Vertex> targets;
  for (std::uint32_t column = 0; column < columns * rows; ++column)
    for (std::uint32_t part = 0; part < parts; ++part) {
      const Vertex source = first[column] + part;
      targets.clear();
      for (std::uint32_t other = 0; other < parts; ++other) targets.push_back(first[column] + other);
      made.graph.connect(source, targets, {.packets_per_step = 8.0 + draw.below(64)});
      for (std::uint32_t net = 0; net < 3; ++net) {
        targets.clear();
        for (std::uint32_t left = 1 + draw.below(3); left != 0; --left) {
          const std::uint32_t to = to_column(column);
          for (std::uint32_t count = 1 + draw.below(parts); count != 0; --count)
            targets.push_back(first[to] + draw.below(parts));
        }
        made.graph.connect(source, targets, {.packets_per_step = 1.0 + draw.below(48)});
      }
      if (draw.below(10) < 7) {
        targets.assign(1, draw.below(columns * rows * parts));
        made.graph.connect(source, targets, {.packets_per_step = 1.0 + draw.below(8)});
      }
    }
  return made;
}

/// A tree of modules: each reads from its parent, talks within, and reports up; a few are read by many. The parts of a module's
/// memory share a chip. 855 vertices, 3 046 nets.
inline Made parser() {
  constexpr std::uint32_t vertices = 855, nets = 3046;
  Draw draw(20161);
  Made made;
  std::vector<Vertex> label(vertices);
  for (Vertex vertex = 0; vertex < vertices; ++vertex) {
    label[vertex] = vertex;
    made.graph.add({.dtcm_bytes = 30000, .sdram_bytes = 1U << 19});
  }
  draw.shuffle(label);
  std::vector<std::uint32_t> begin;
  for (std::uint32_t at = 0; at < vertices;) {
    begin.push_back(at);
    const std::uint32_t size = (std::min)(vertices - at, 3 + draw.below(12));
    if (draw.below(3) != 0) {
      std::vector<Vertex> together;
      for (std::uint32_t one = 0; one < (size + 1) / 2; ++one) together.push_back(label[at + one]);
      made.constraints.same_chip.push_back(std::move(together));
    }
    at += size;
  }
  begin.push_back(vertices);
  const auto modules = static_cast<std::uint32_t>(begin.size() - 1);
  const auto any_of = [&](std::uint32_t module) {
    return label[begin[module] + draw.below(begin[module + 1] - begin[module])];
  };
  std::vector<Vertex> targets;
  for (std::uint32_t net = 0; net < nets; ++net) {
    const std::uint32_t module = net < modules ? net : draw.below(modules), kind = draw.below(16);
    const Vertex source = any_of(module);
    targets.clear();
    double packets = 1.0 + draw.below(100);
    if (kind < 8) { // within
      for (std::uint32_t left = 1 + draw.below(6); left != 0; --left) targets.push_back(any_of(module));
    } else if (kind < 11) { // to children
      for (std::uint32_t child = 3 * module + 1; child < (std::min)(3 * module + 4, modules); ++child)
        for (std::uint32_t left = 1 + draw.below(3); left != 0; --left) targets.push_back(any_of(child));
      if (targets.empty()) targets.push_back(any_of(module));
    } else if (kind < 15) { // to the parent, and to the next one
      targets.push_back(any_of(module == 0 ? 0 : (module - 1) / 3));
      if (draw.below(2) != 0) targets.push_back(any_of((module + 1) % modules));
    } else { // read by many
      for (std::uint32_t left = 4 + draw.below(40); left != 0; --left) targets.push_back(any_of(draw.below(modules)));
      packets = 1.0 + draw.below(4);
    }
    made.graph.connect(source, targets, {.packets_per_step = packets});
  }
  return made;
}

} // namespace netlists

#endif
