// SPDX-License-Identifier: BSL-1.0
/// \file
/// A file that is written as a run goes on. What the system refuses is a sentence, at once or at the next call.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_OUTPUT_FILE_HPP
#define NEUROMORPH_NETWORK_DETAIL_OUTPUT_FILE_HPP

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;

/// Of what the system has just refused, by errno.
[[nodiscard]] inline Refusal file_failed(const std::string& path, const char* cannot) {
  const int number = errno;
  return {
      {Error::file_failed, 0, number, "file"}, path, std::string("cannot ") + cannot + ": " + std::strerror(number)};
}
/// \param where  line, record or byte
[[nodiscard]] inline Refusal file_malformed(const std::string& path, std::uint64_t where, std::string why) {
  const auto place = static_cast<std::uint32_t>(where < UINT32_MAX ? where : UINT32_MAX);
  return {{Error::file_malformed, place, where, "file"}, path, std::move(why)};
}

/// Bounded memory: one buffer.
class OutputFile {
public:
  /// \param replace  what has that name, if something has
  /// \errors file_failed
  [[nodiscard]] static Answer<OutputFile> create(std::string path, bool replace) {
    errno = 0;
    OpenFile file(std::fopen(path.c_str(), replace ? "wb" : "wbx"));
    if (file == nullptr && errno == EEXIST) return taken(path);
    if (file == nullptr) return file_failed(path, "write it");
    std::setvbuf(file.get(), nullptr, _IOFBF, std::size_t{1} << 16);
    return OutputFile(std::move(path), std::move(file));
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// \errors file_failed: also of what was given before; the same again at each call after that; it was closed
  Refusal write(std::string_view bytes) {
    if (answer_ && file_ == nullptr) return closed();
    if (answer_ && std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
      answer_ = file_failed(path_, "write all of it");
    return answer_;
  }
  /// Writes at the beginning again, after all that was given is in the file.
  Refusal write_head(std::string_view bytes) {
    if (answer_ && file_ == nullptr) return closed();
    if (answer_ && (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0))
      answer_ = file_failed(path_, "write all of it");
    return write(bytes);
  }
  /// For what is printed into it; what goes wrong then is said by `close`.
  [[nodiscard]] std::FILE* file() const noexcept { return file_.get(); }
  /// Only if this is not refused all is in the file.
  Refusal close() {
    if (file_ == nullptr) return answer_;
    const bool has_failed = std::ferror(file_.get()) != 0; // when it did, errno was set, and a success leaves it
    if ((std::fclose(file_.release()) != 0 || has_failed) && answer_) answer_ = file_failed(path_, "write all of it");
    return answer_;
  }

private:
  OutputFile(std::string path, OpenFile file) : path_(std::move(path)), file_(std::move(file)) {}
  /// What was written stays whole.
  [[nodiscard]] Refusal closed() const {
    return {{Error::file_failed, 0, EBADF, "file"}, path_, "it was ended before, and nothing can be added to it"};
  }
  [[nodiscard]] static Refusal taken(const std::string& path) {
    return {
        {Error::file_failed, 0, EEXIST, "file"}, path, "there is a file of that name, and it is not to be replaced"};
  }

  std::string path_;
  OpenFile file_;
  Refusal answer_{};
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
