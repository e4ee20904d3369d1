// SPDX-License-Identifier: BSL-1.0
// What a benchmark that is a program of its own found, as a file that benchmarks/run joins with the others.
#ifndef BENCHMARKS_FIGURES_HPP
#define BENCHMARKS_FIGURES_HPP

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace figures {

/// An entry of Google Benchmark's form that is no time.
struct Figure {
  std::string name;
  const char* counter;
  double value;
};
/// \return why not; empty if it is written
inline std::string write(const std::string& path, const std::vector<Figure>& figures) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return "cannot write " + path + ": " + std::strerror(errno);
  std::fputs("{\"benchmarks\": [", file);
  for (std::size_t at = 0; at < figures.size(); ++at)
    std::fprintf(
        file,
        "%s\n {\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"iterations\": 1, \"%s\": "
        "%.6g}",
        at == 0 ? "" : ",", figures[at].name.c_str(), figures[at].name.c_str(), figures[at].counter, figures[at].value);
  std::fputs("\n]}\n", file);
  const bool has_failed = std::ferror(file) != 0;
  return std::fclose(file) != 0 || has_failed ? "cannot write all of " + path : "";
}

} // namespace figures

#endif
