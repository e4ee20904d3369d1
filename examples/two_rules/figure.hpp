// SPDX-License-Identifier: BSL-1.0
// Heat maps of the weights before and after, and which rule each synapse is under, as one SVG file.
#ifndef EXAMPLES_TWO_RULES_FIGURE_HPP
#define EXAMPLES_TWO_RULES_FIGURE_HPP

#include <array>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>

#include "../support/svg.hpp"
#include "array.hpp"

namespace two_rules {

using Weights = nm::VectorArray<Array::vectors>;

namespace detail {

constexpr double cell = 11, map_top = 74.0, map_size = 32 * cell;

/// From pale to dark blue.
inline std::string colour_of(std::uint32_t weight) {
  constexpr int ends[5][3] = {{255, 253, 236}, {199, 226, 190}, {98, 186, 189}, {42, 112, 174}, {18, 36, 100}};
  const int scaled = static_cast<int>(weight > 63 ? 63 : weight) * 4;
  const int part = scaled / 63 < 3 ? scaled / 63 : 3, within = scaled - part * 63;
  char text[8];
  const auto mixed = [&](int channel) {
    return static_cast<unsigned>(ends[part][channel] + (ends[part + 1][channel] - ends[part][channel]) * within / 63) &
           0xFFU;
  };
  std::snprintf(text, sizeof text, "#%02x%02x%02x", mixed(0), mixed(1), mixed(2));
  return text;
}

/// One path for all synapses of one colour.
template <class IsOf>
void squares(const support::Svg& svg, double x_left, const std::string& colour, IsOf is_of) {
  std::fprintf(svg.file(), "<path fill=\"%s\" d=\"", colour.c_str());
  for (const auto [row, column] : Array::all())
    if (is_of(row, column))
      std::fprintf(svg.file(), "M%.0f %.0fh11v11h-11z", x_left + column * cell, map_top + row * cell);
  std::fputs("\"/>\n", svg.file());
}

/// Outlines of the parts, and a mark beside each defect row.
inline void outlines(const support::Svg& svg, double x_left) {
  const auto outline = [&](double x, double y, double width, double height) {
    std::fprintf(svg.file(), "<path fill=\"none\" stroke=\"#333\" d=\"M%.1f %.1fh%.1fv%.1fh-%.1fz\"/>\n",
                 x_left + x * cell, map_top + y * cell, width * cell, height * cell, width * cell);
  };
  outline(0, 0, 14, tagged_row), outline(14, 0, 18, tagged_row), outline(0, tagged_row, 32, 8);
  for (std::uint32_t row = 0; row < Array::rows; ++row)
    if (is_defect(row))
      std::fprintf(svg.file(), "<path fill=\"#c8442c\" d=\"M%.1f %.1fl-7 -4v8z\"/>\n", x_left - 2,
                   map_top + (row + 0.5) * cell);
}

inline void heat_map(const support::Svg& svg, double x_left, const char* title, const Weights& of) {
  svg.text(x_left + map_size / 2, map_top - 10, "middle", title);
  for (std::uint32_t weight = 0; weight < 64; ++weight)
    squares(svg, x_left, colour_of(weight), [&](auto row, auto column) { return at(of, row, column) == weight; });
  outlines(svg, x_left);
}

} // namespace detail

struct Kind {
  const char* name;
  const char* colour;
};
inline constexpr Kind kinds[] = {{"none", "#ffffff"},   {"STDP", "#8fb3de"}, {"homeostasis", "#bfdfa8"},
                                 {"wander", "#e6e0d4"}, {"rise", "#efa36b"}, {"fall", "#b79fd0"}};
/// Index of `kinds` for each synapse.
inline std::uint32_t kind_of(nm::SynapsePlace place) {
  const auto address = Array::address(place);
  const auto is_in = [&](nm::LaneBits lanes) { return (lanes >> Array::lane(place) & 1) != 0; };
  if (is_in(stdp_mask.lanes(address))) return 1;
  if (is_in(homeostasis_mask.lanes(address))) return 2;
  for (std::uint8_t tag = wander; tag <= fall; ++tag)
    if (is_in(tags.lanes(address, tag))) return 2U + tag;
  return 0;
}

inline constexpr std::array output_files{"weights.svg"};

/// \return empty if the file was written
inline std::string draw(const std::string& path, const Weights& before, std::uint32_t steps) {
  using namespace detail;
  support::Svg svg(path, 1190, 500);
  if (!svg.is_open()) return svg.close();
  svg.text(40, 30, "start", "Weights of 32 by 32 synapses under five rules", " font-size=\"17\" font-weight=\"bold\"");
  heat_map(svg, 40, "before", before);
  const std::string after = "after " + std::to_string(steps) + " steps";
  heat_map(svg, 428, after.c_str(), weights);
  const double last = 816;
  svg.text(last + map_size / 2, map_top - 10, "middle", "rule of each synapse at the end");
  for (std::uint32_t kind = 0; kind < std::size(kinds); ++kind)
    squares(svg, last, kinds[kind].colour, [&](auto row, auto column) { return kind_of({row, column}) == kind; });
  outlines(svg, last);

  const double under = map_top + map_size + 22;
  for (std::uint32_t weight = 0; weight < 64; ++weight) {
    const double x = 40 + weight * map_size / 64;
    std::fprintf(svg.file(), "<path fill=\"%s\" d=\"M%.1f %.1fh%.1fv12h-%.1fz\"/>\n", colour_of(weight).c_str(), x,
                 under, map_size / 64 + 0.2, map_size / 64 + 0.2);
  }
  svg.text(40, under + 28, "start", "0");
  svg.text(40 + map_size / 2, under + 28, "middle", "weight");
  svg.text(40 + map_size, under + 28, "end", "63");
  std::fprintf(svg.file(), "<path fill=\"#c8442c\" d=\"M%.1f %.1fl-7 -4v8z\"/>\n", 440.0, under + 6);
  svg.text(448, under + 10, "start", "defect row, never changed");
  double x = last;
  for (const Kind& kind : kinds) {
    if (&kind == kinds) continue;
    svg.key(x, under, kind.colour, kind.name);
    x += static_cast<double>(std::string(kind.name).size()) * 7 + 32;
  }
  return svg.close();
}

} // namespace two_rules

#endif
