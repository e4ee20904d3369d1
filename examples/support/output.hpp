// SPDX-License-Identifier: BSL-1.0
// What an example writes: files in a folder, and its standard output. What cannot be written is one sentence.
#ifndef EXAMPLES_SUPPORT_OUTPUT_HPP
#define EXAMPLES_SUPPORT_OUTPUT_HPP

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#if !defined(_NEWLIB_VERSION)
#include <sys/stat.h>
#endif

namespace support {

inline std::string cannot(const std::string& do_what, const std::string& path) {
  return "cannot " + do_what + " " + path + ": " + std::strerror(errno);
}

/// Of a write that failed, now or before: a success leaves errno as it is.
inline std::string cannot_write_all_of(const std::string& path) {
#if defined(_NEWLIB_VERSION)
  return "cannot write all of " + path + ", and semihosting does not say why";
#else
  return cannot("write all of", path);
#endif
}

/// A text file that is written. A full disk may show as late as when it is closed.
class File {
public:
  explicit File(const std::string& path, const char* mode = "w") : path_(path), file_(std::fopen(path.c_str(), mode)) {
    if (file_ == nullptr) complaint_ = cannot("write", path_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (file_ != nullptr) std::fclose(file_);
  }
  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  [[nodiscard]] std::FILE* get() const { return file_; }

  /// Empty if all that was written is in the file.
  [[nodiscard]] std::string close() {
    if (file_ == nullptr) return complaint_;
    const bool has_failed = std::ferror(file_) != 0;
    if (std::fclose(file_) != 0 || has_failed) complaint_ = cannot_write_all_of(path_);
    file_ = nullptr;
    return complaint_;
  }

private:
  std::string path_, complaint_;
  std::FILE* file_;
};

/// Makes the folder and its parents, and opens each file, so that a long run is not begun in vain. What is in the files
/// stays until they are written. A board makes no folder.
/// \return empty if all can be written
template <class Names>
std::string prepare(const std::string& folder, const Names& names) {
  if (folder.empty()) return {};
#if !defined(_NEWLIB_VERSION)
  for (std::size_t end = 0; end != std::string::npos;) {
    end = folder.find('/', end + 1);
    if (mkdir(folder.substr(0, end).c_str(), 0777) != 0 && errno != EEXIST) return cannot("make the folder", folder);
  }
#endif
  for (const char* name : names)
    if (auto complaint = File(folder + "/" + name, "a").close(); !complaint.empty()) return complaint;
  return {};
}

/// What main returns: `status`, or 1 if not all of the standard output was written.
inline int finish(const char* program, int status) {
  const bool has_failed = std::ferror(stdout) != 0;
  if (std::fclose(stdout) == 0 && !has_failed) return status;
  std::fprintf(stderr, "%s: %s\n", program, cannot_write_all_of("the standard output").c_str());
  return status != 0 ? status : 1;
}

} // namespace support

#endif
