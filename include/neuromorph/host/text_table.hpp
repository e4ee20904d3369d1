// SPDX-License-Identifier: BSL-1.0
/// \file
/// Tables that a person reads.
// host-only
#ifndef NEUROMORPH_HOST_TEXT_TABLE_HPP
#define NEUROMORPH_HOST_TEXT_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace host {

/// A table of words: the first column to the left, others to the right.
class TextTable {
public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize((std::max)(widths.size(), row.size()));
      for (std::size_t at = 0; at < row.size(); ++at) widths[at] = (std::max)(widths[at], row[at].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      for (std::size_t at = 0; at < row.size(); ++at) {
        const std::string room(widths[at] - row[at].size(), ' ');
        text += at == 0 ? row[at] + room : "  " + room + row[at];
      }
      text.resize(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
    return text;
  }

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace host
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
