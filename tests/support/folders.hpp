// SPDX-License-Identifier: BSL-1.0
// A folder for the files of a test, and whole files as strings.
#ifndef TESTS_SUPPORT_FOLDERS_HPP
#define TESTS_SUPPORT_FOLDERS_HPP

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <stdlib.h>

/// Goes with all that is in it.
class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "neuromorph.XXXXXX").string();
    path_ = mkdtemp(name.data()) == nullptr ? "" : name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

#endif
