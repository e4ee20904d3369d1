// SPDX-License-Identifier: BSL-1.0
/// \file
/// The lines of a file of text.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_LINE_READER_HPP
#define NEUROMORPH_NETWORK_DETAIL_LINE_READER_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/detail/output_file.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// Lines of a file, one after another, through one buffer.
class LineReader {
public:
  static constexpr std::size_t longest = std::size_t{1} << 16;

  LineReader(const std::string& path, std::FILE* file) : path_(&path), file_(file), buffer_(longest, '\0') {}

  /// \param line  the next, without its end
  /// \return whether there is one, and it is not refused
  [[nodiscard]] bool next(std::string_view& line) {
    const char* end = find_end();
    if (end == nullptr) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_, begin_ = 0;
      end_ += std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_);
      end = find_end();
    }
    if (end == nullptr) {
      if (std::ferror(file_) != 0)
        refusal_ = file_failed(*path_, "read it");
      else if (begin_ != end_)
        refusal_ = malformed(end_ == longest ? "is longer than 65536 bytes" : "has no end: the file may be cut off", 1);
      return false;
    }
    ++number_;
    const char* const from = buffer_.data() + begin_;
    line = {from, static_cast<std::size_t>(end - from)};
    begin_ += line.size() + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }
  /// Of the line that was read last, from 1.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] const Refusal& refusal() const noexcept { return refusal_; }
  /// Of the line that was read last, or so many behind it.
  [[nodiscard]] Refusal malformed(const std::string& why, std::uint64_t behind = 0) const {
    return file_malformed(*path_, number_ + behind, "line " + std::to_string(number_ + behind) + " " + why);
  }

private:
  [[nodiscard]] const char* find_end() const noexcept {
    if (begin_ == end_) return nullptr;
    return static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
  }

  const std::string* path_;
  std::FILE* file_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t number_ = 0;
  Refusal refusal_{};
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
