// SPDX-License-Identifier: BSL-1.0
/// \file
/// NumPy's .npy files, rows of numbers with or without names, written as a run goes on and read row by row.
///
/// While it is written a file's shape is None, which NumPy and the reader here refuse; `end` puts the number of rows there.
/// Numbers are written with the least byte first on every machine.
/// \source NumPy's documentation, numpy.lib.format, versions 1.0 to 3.0
// host-only
#ifndef NEUROMORPH_NETWORK_NPY_HPP
#define NEUROMORPH_NETWORK_NPY_HPP

#include <bit>
#include <cerrno>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/detail/output_file.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// A number of each row.
struct NpyColumn {
  std::string name; ///< empty of an array without names, which has this column alone
  std::string type; ///< as NumPy writes it: "<f8", "<u4", "<i4"
  friend bool operator==(const NpyColumn&, const NpyColumn&) = default;
};

namespace detail {

struct NpyType {
  bool is_big_endian = false;
  char kind = 'f'; ///< f, i, u, b
  std::size_t size = 0;

  [[nodiscard]] static bool from(std::string_view text, NpyType& type) noexcept {
    if (text.size() != 3 || std::string_view("<>|=").find(text[0]) == std::string_view::npos) return false;
    type = {text[0] == '>', text[1], static_cast<std::size_t>(text[2] - '0')};
    if (type.kind == 'f') return type.size == 4 || type.size == 8;
    if (type.kind == 'b') return type.size == 1;
    return (type.kind == 'i' || type.kind == 'u') &&
           (type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8);
  }
};

/// Reads the dictionary that a .npy file begins with, as Python writes it.
class NpyHead {
public:
  std::vector<NpyColumn> columns;
  std::vector<std::uint64_t> shape;
  bool is_fortran = false, is_ended = true;

  [[nodiscard]] bool read(std::string_view text) {
    text_ = text;
    at_ = 0;
    return dictionary();
  }
  /// Up to where it could be read.
  [[nodiscard]] std::size_t place() const noexcept { return at_; }

private:
  bool dictionary() {
    bool has_type = false, has_order = false, has_shape = false;
    if (!is('{')) return false;
    while (!is('}')) {
      std::string key;
      if (!text(key) || !is(':')) return false;
      bool& has = key == "descr" ? has_type : key == "shape" ? has_shape : has_order;
      if (has || (key != "descr" && key != "shape" && key != "fortran_order")) return false;
      has = true;
      if (!(key == "descr" ? type() : key == "shape" ? sizes() : order())) return false;
      if (!is(',') && next() != '}') return false;
    }
    skip();
    return at_ == text_.size() && has_type && has_order && has_shape;
  }
  bool type() {
    if (next() != '[') {
      columns.emplace_back();
      return text(columns.back().type);
    }
    for (is('['); !is(']');) {
      columns.emplace_back();
      if (!is('(') || !text(columns.back().name) || !is(',') || !text(columns.back().type)) return false;
      is(',');
      if (!is(')') || columns.back().name.empty()) return false;
      if (!is(',') && next() != ']') return false;
    }
    return !columns.empty();
  }
  bool sizes() {
    is_ended = !word("None");
    if (!is_ended) return true;
    if (!is('(')) return false;
    while (!is(')')) {
      skip();
      std::uint64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc{}) return false;
      at_ = static_cast<std::size_t>(end - text_.data());
      shape.push_back(size);
      if (!is(',') && next() != ')') return false;
    }
    return true;
  }
  bool order() {
    is_fortran = word("True");
    return is_fortran || word("False");
  }
  bool text(std::string& to) {
    const char quote = next();
    if (quote != '\'' && quote != '"') return false;
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    to = text_.substr(at_ + 1, end - at_ - 1);
    if (to.find('\\') != std::string::npos) return false; // no name of ours has one
    at_ = end + 1;
    return true;
  }
  bool word(std::string_view wanted) {
    skip();
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  bool is(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  char next() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace detail

/// Appends a number as a .npy file has it.
template <class Number>
requires std::integral<Number> || std::same_as<Number, double> || std::same_as<Number, float>
void append_number(std::string& to, Number number) {
  if constexpr (std::same_as<Number, double>)
    append_number(to, std::bit_cast<std::uint64_t>(number));
  else if constexpr (std::same_as<Number, float>)
    append_number(to, std::bit_cast<std::uint32_t>(number));
  else
    for (std::size_t byte = 0; byte < sizeof(Number); ++byte)
      to.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> 8 * byte & 0xFF));
}

class NpyWriter {
public:
  /// \param columns    of a row; one without a name for a plain array
  /// \param row_shape  sizes of a row of a plain array, if it is one itself
  /// \param replace    a file of that name, if there is one
  /// \errors file_failed
  [[nodiscard]] static Answer<NpyWriter> create(const std::string& path, std::vector<NpyColumn> columns,
                                                std::vector<std::uint64_t> row_shape = {}, bool replace = false) {
    auto file = detail::OutputFile::create(path, replace);
    if (!file) return file.refusal();
    NpyWriter writer(std::move(file).value(), std::move(columns), std::move(row_shape));
    if (Refusal refusal = writer.file_.write(writer.head("None", longest_number)); !refusal) return refusal;
    return writer;
  }

  [[nodiscard]] const std::string& path() const noexcept { return file_.path(); }
  /// \param rows  whole rows, as append_number makes them
  /// \errors file_failed, at the latest when the next are written
  Refusal write(std::string_view rows) {
    bytes_ += rows.size();
    return file_.write(rows);
  }
  /// The file is whole if this is not refused.
  /// \errors file_failed
  Refusal end() {
    const std::string rows = std::to_string(bytes_ / row_bytes_);
    if (Refusal refusal = file_.write_head(head(rows, longest_number)); !refusal) return refusal;
    return file_.close();
  }

private:
  static constexpr std::size_t longest_number = 20, alignment = 64;

  NpyWriter(detail::OutputFile file, std::vector<NpyColumn> columns, std::vector<std::uint64_t> row_shape)
      : file_(std::move(file)), columns_(std::move(columns)), row_shape_(std::move(row_shape)) {
    for (const NpyColumn& one : columns_) row_bytes_ += static_cast<std::size_t>(one.type.back() - '0');
    for (const std::uint64_t size : row_shape_) row_bytes_ *= size;
  }
  /// As long for any number of rows.
  [[nodiscard]] std::string head(const std::string& rows, std::size_t room) const {
    std::string text = "{'descr': ";
    if (columns_.front().name.empty()) {
      text += "'" + columns_.front().type + "'";
    } else {
      text += "[";
      for (std::size_t at = 0; at < columns_.size(); ++at)
        text += (at == 0 ? "('" : ", ('") + columns_[at].name + "', '" + columns_[at].type + "')";
      text += "]";
    }
    text += ", 'fortran_order': False, 'shape': ";
    std::string sizes;
    for (const std::uint64_t size : row_shape_) sizes += (sizes.empty() ? " " : ", ") + std::to_string(size);
    const std::size_t longest = text.size() + room + sizes.size() + sizeof("(,), }\n");
    text += rows == "None" ? rows : "(" + rows + "," + sizes + ")";
    text += ", }";
    const std::size_t whole = (10 + longest + alignment - 1) / alignment * alignment;
    text.resize(whole - 11, ' ');
    std::string head{"\x93NUMPY\x01\x00", 8};
    append_number(head, static_cast<std::uint16_t>(whole - 10));
    return head + text + "\n";
  }

  detail::OutputFile file_;
  std::vector<NpyColumn> columns_;
  std::vector<std::uint64_t> row_shape_;
  std::size_t row_bytes_ = 0;
  std::uint64_t bytes_ = 0;
};

/// A row of a file that is read.
class NpyRow {
public:
  NpyRow(std::span<const char> bytes, const std::vector<detail::NpyType>& types) noexcept
      : bytes_(bytes), types_(types) {}
  /// \param element  of the row, if it is an array itself
  /// \return the number; exact below 2^53
  [[nodiscard]] double number(std::size_t column, std::size_t element = 0) const noexcept {
    const detail::NpyType& type = types_[column];
    std::size_t at = element * type.size;
    for (std::size_t before = 0; before < column; ++before) at += types_[before].size;
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < type.size; ++byte)
      bits |= std::uint64_t{static_cast<unsigned char>(bytes_[at + (type.is_big_endian ? type.size - 1 - byte : byte)])}
              << 8 * byte;
    if (type.kind == 'f')
      return type.size == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (type.kind != 'i') return static_cast<double>(bits);
    const std::size_t unused = 64 - 8 * type.size;
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
  }

private:
  std::span<const char> bytes_;
  const std::vector<detail::NpyType>& types_;
};

class NpyReader {
public:
  /// \errors file_failed; file_malformed: no .npy file, cut off in its head, not ended, of types that are not numbers of 1, 2, 4
  ///         or 8 bytes, or with several sizes in Fortran's order
  [[nodiscard]] static Answer<NpyReader> open(const std::string& path) {
    errno = 0;
    detail::OpenFile file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr) return detail::file_failed(path, "read it");
    std::string begin(10, '\0');
    const auto cut = [&] {
      return std::ferror(file.get()) != 0 ? detail::file_failed(path, "read it")
                                          : detail::file_malformed(path, 0, "it is cut off in its head");
    };
    const std::size_t had = std::fread(begin.data(), 1, 10, file.get());
    if (begin.substr(0, had < 6 ? had : 6) != std::string("\x93NUMPY").substr(0, had < 6 ? had : 6))
      return detail::file_malformed(path, 0, "it does not begin as a .npy file does");
    if (had < 10) return cut();
    const auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(begin[at])}; };
    std::size_t length = byte(8) | byte(9) << 8;
    if (byte(6) < 1 || byte(6) > 3)
      return detail::file_malformed(path, 6,
                                    "it is of a version of .npy files that is not known, " + std::to_string(byte(6)));
    if (byte(6) != 1) {
      begin.resize(12);
      if (std::fread(begin.data() + 10, 1, 2, file.get()) != 2) return cut();
      length |= byte(10) << 16 | byte(11) << 24;
    }
    if (length > longest_head) return detail::file_malformed(path, 8, "its head is longer than 1 MiB");
    std::string text(length, '\0');
    if (std::fread(text.data(), 1, length, file.get()) != length) return cut();
    NpyReader reader(path, std::move(file));
    detail::NpyHead head;
    if (!head.read(text)) {
      const std::size_t place = begin.size() + head.place();
      return detail::file_malformed(path, place, "its head cannot be understood at byte " + std::to_string(place));
    }
    if (Refusal refusal = reader.take(head); !refusal) return refusal;
    return reader;
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::vector<NpyColumn>& columns() const noexcept { return columns_; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  /// Numbers of a column in a row.
  [[nodiscard]] std::uint64_t row_size() const noexcept { return row_size_; }
  /// Where a column of that name stands; the number of columns if there is none.
  [[nodiscard]] std::size_t place_of(std::string_view name) const noexcept {
    std::size_t at = 0;
    while (at < columns_.size() && columns_[at].name != name) ++at;
    return at;
  }

  /// Calls `visit(std::uint64_t number, const NpyRow&)`, which answers a Refusal, for each row, from 0. Once.
  /// \errors file_failed; file_malformed: the file ends before the rows that its head says, or goes on behind them; that of visit
  template <class Visit>
  [[nodiscard]] Refusal each(Visit visit) {
    std::string row(row_bytes_, '\0');
    for (std::uint64_t number = 0; number < rows_; ++number) {
      if (std::fread(row.data(), 1, row.size(), file_.get()) != row.size()) {
        if (std::ferror(file_.get()) != 0) return detail::file_failed(path_, "read it");
        return detail::file_malformed(path_, number,
                                      "by its head it has " + std::to_string(rows_) + " rows, and it ends in row " +
                                          std::to_string(number) + ", counted from 0");
      }
      if (Refusal refusal = visit(number, NpyRow(row, types_)); !refusal) return refusal;
    }
    if (std::fgetc(file_.get()) != EOF)
      return detail::file_malformed(path_, rows_, "there is something behind its " + std::to_string(rows_) + " rows");
    return {};
  }

private:
  static constexpr std::size_t longest_head = std::size_t{1} << 20, longest_row = std::size_t{1} << 28;

  NpyReader(std::string path, detail::OpenFile file) : path_(std::move(path)), file_(std::move(file)) {}
  [[nodiscard]] Refusal take(const detail::NpyHead& head) {
    columns_ = head.columns;
    for (const NpyColumn& one : columns_) {
      types_.emplace_back();
      if (!detail::NpyType::from(one.type, types_.back()))
        return detail::file_malformed(path_, 0, "it is of the type '" + one.type + "', which is not read here");
      row_bytes_ += types_.back().size;
    }
    if (!head.is_ended)
      return detail::file_malformed(path_, 0, "it was not ended: the run that wrote it stopped before its end");
    if (head.is_fortran && head.shape.size() > 1)
      return detail::file_malformed(path_, 0, "its numbers are in Fortran's order, which is not read here");
    if (head.shape.empty()) return detail::file_malformed(path_, 0, "it has one number and no rows");
    rows_ = head.shape[0];
    for (std::size_t at = 1; at < head.shape.size(); ++at) {
      if (head.shape[at] != 0 && row_size_ > longest_row / head.shape[at] / 8)
        return detail::file_malformed(path_, 0, "its rows are longer than 256 MiB");
      row_size_ *= head.shape[at];
    }
    if (columns_.front().name.empty()) row_bytes_ *= row_size_;
    if (row_bytes_ == 0) return detail::file_malformed(path_, 0, "its rows are empty");
    if (!columns_.front().name.empty() && head.shape.size() > 1)
      return detail::file_malformed(path_, 0, "it has rows of rows, which are not read here");
    return {};
  }

  std::string path_;
  detail::OpenFile file_;
  std::vector<NpyColumn> columns_;
  std::vector<detail::NpyType> types_;
  std::uint64_t rows_ = 0, row_size_ = 1;
  std::size_t row_bytes_ = 0;
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
