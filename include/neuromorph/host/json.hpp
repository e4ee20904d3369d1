// SPDX-License-Identifier: BSL-1.0
/// \file
/// JSON, strictly as RFC 8259 has it: read whole, asked value by value, written piece by piece.
///
///     auto read = host::Json::read(text, "machine.json");
///     if (!read) return std::puts(read.sentence().c_str()), 1; // machine.json: line 3, column 9: a comma is missing
///     host::JsonReading reading;
///     const host::JsonValue root = read.value().root();
///     const auto width = reading.whole<std::uint32_t>(reading.member(root, "width"), 1, 256);
///     if (!reading.ok()) return std::puts(reading.refusal().sentence().c_str()), 1;
///
/// Whole numbers are exact or refused. A name that an object has twice, a lone surrogate, and bytes that are not UTF-8 are
/// refused. Values are views of the document, 16 bytes each in one array: they are good for as long as a copy of it is there.
// host-only
#ifndef NEUROMORPH_HOST_JSON_HPP
#define NEUROMORPH_HOST_JSON_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace host {

/// A whole number has neither a point nor an exponent.
enum class JsonKind : std::uint8_t { null, boolean, whole, real, text, array, object };

/// In words, as of "a number is wanted, and not ...".
[[nodiscard]] constexpr const char* in_words(JsonKind kind) noexcept {
  constexpr const char* words[] = {"null",   "true or false", "a whole number", "a real number",
                                   "a text", "an array",      "an object"};
  return words[unsigned(kind)];
}

/// What a document may have at most.
struct JsonLimits {
  std::size_t depth = 64;                    ///< arrays and objects in each other
  std::size_t bytes = std::size_t{1} << 30;  ///< below 2^32
  std::size_t values = std::size_t{1} << 26; ///< names among them; 16 bytes each
};

namespace detail {

struct JsonNode {
  /// As JsonKind, but what was written below 0 and texts that had escapes have kinds of their own.
  enum Kind : std::uint32_t { null, boolean, whole, negative, real, plain_text, decoded_text, array, object };
  static constexpr unsigned count_bits = 28;
  static constexpr std::uint32_t most = (1U << count_bits) - 1;

  std::uint32_t offset = 0;         ///< in the text
  std::uint32_t kind_and_count = 0; ///< count: bytes of a text, items, or names of an object
  std::uint64_t payload = 0;        ///< the number, where the text begins, or the node behind the last item

  [[nodiscard]] Kind kind() const noexcept { return Kind(kind_and_count >> count_bits); }
  [[nodiscard]] std::uint32_t count() const noexcept { return kind_and_count & most; }
  void set(Kind kind, std::size_t count) noexcept {
    kind_and_count = std::uint32_t{kind} << count_bits | (static_cast<std::uint32_t>(count) & most);
  }
};

struct JsonData {
  std::string name = {}, text = {}, decoded = {};
  std::vector<JsonNode> nodes = {};

  [[nodiscard]] std::size_t behind(std::size_t node) const noexcept {
    const JsonNode& at = nodes[node];
    return at.kind() >= JsonNode::array ? static_cast<std::size_t>(at.payload) : node + 1;
  }
  [[nodiscard]] std::string_view words(std::size_t node) const noexcept {
    const JsonNode& at = nodes[node];
    const std::string& from = at.kind() == JsonNode::decoded_text ? decoded : text;
    return std::string_view(from).substr(static_cast<std::size_t>(at.payload), at.count());
  }
};

/// From 1; a column is a character.
struct JsonPlace {
  std::uint32_t line = 1, column = 1;
};
[[nodiscard]] inline JsonPlace place_of(std::string_view text, std::size_t offset) noexcept {
  JsonPlace place;
  for (std::size_t at = 0; at < offset && at < text.size(); ++at)
    if (text[at] == '\n')
      ++place.line, place.column = 1;
    else if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80)
      ++place.column;
  return place;
}
[[nodiscard]] inline Refusal json_refusal(const JsonData& data, std::size_t offset, const std::string& path,
                                          const std::string& why) {
  const JsonPlace place = place_of(data.text, offset);
  return {{Error::file_malformed, place.line, place.column, "column"},
          data.name,
          "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) +
              (path.empty() ? "" : ", " + path) + ": " + why};
}

/// Bytes of the character in UTF-8 that begins there, or 0 where there is none.
[[nodiscard]] inline std::size_t length_of_character(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t behind) -> unsigned {
    return at + behind < text.size() ? static_cast<unsigned char>(text[at + behind]) : 0;
  };
  const auto follows = [&](std::size_t behind) { return (byte(behind) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return follows(1) ? 2 : 0;
  if (first < 0xF0) {
    if (!follows(1) || !follows(2)) return 0;
    return (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ? 0 : 3;
  }
  if (first > 0xF4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  return (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90) ? 0 : 4;
}
inline void append_character(std::string& to, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { to.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F));
  } else {
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

/// Makes nodes of a text, without recursion.
class JsonParser {
public:
  JsonParser(JsonData& data, const JsonLimits& limits) : data_(&data), limits_(limits), text_(data.text) {}

  [[nodiscard]] Refusal parse() {
    if (text_.size() > (std::min)(limits_.bytes, std::size_t{0xFFFFFFFE})) {
      fail(0, "it has " + std::to_string(text_.size()) + " bytes, and at most " + std::to_string(limits_.bytes) +
                  " are read");
      return refusal_;
    }
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") fail(0, "it begins with a byte order mark, which JSON has not");
    bool goes_on = refusal_.ok() && value();
    while (goes_on && !open_.empty()) goes_on = next_item();
    if (!refusal_.ok()) return refusal_;
    skip_blanks();
    if (at_ != text_.size()) fail(at_, "there is more behind the end: " + seen());
    return refusal_;
  }

private:
  struct Open {
    std::size_t node;
    std::uint32_t count = 0;
  };

  bool fail(std::size_t offset, const std::string& why) {
    refusal_ = json_refusal(*data_, offset, {}, why);
    return false;
  }
  /// What stands here, as words of a sentence.
  [[nodiscard]] std::string seen() const {
    if (at_ >= text_.size()) return "the text ends";
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte < 0x20 || byte == 0x7F) return "byte " + std::to_string(byte);
    const std::size_t length = length_of_character(text_, at_);
    if (length == 0) return "byte " + std::to_string(byte);
    return "'" + std::string(text_.substr(at_, length)) + "'";
  }
  void skip_blanks() noexcept {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }
  [[nodiscard]] bool is_next(char wanted) const noexcept { return at_ < text_.size() && text_[at_] == wanted; }

  [[nodiscard]] bool add(JsonNode::Kind kind, std::size_t offset, std::size_t count, std::uint64_t payload) {
    if (data_->nodes.size() >= limits_.values || data_->nodes.size() >= JsonNode::most)
      return fail(offset, "it has more than " + std::to_string(limits_.values) + " values");
    JsonNode node{static_cast<std::uint32_t>(offset), 0, payload};
    node.set(kind, count);
    data_->nodes.push_back(node);
    return true;
  }

  /// The value here; what it contains is left to next_item().
  [[nodiscard]] bool value() {
    skip_blanks();
    if (at_ >= text_.size()) return fail(at_, "a value is wanted, and the text ends");
    const std::size_t begin = at_;
    switch (text_[at_]) {
    case '{': return open(JsonNode::object);
    case '[': return open(JsonNode::array);
    case '"': return text();
    case 'n': return word("null") && add(JsonNode::null, begin, 0, 0);
    case 't': return word("true") && add(JsonNode::boolean, begin, 0, 1);
    case 'f': return word("false") && add(JsonNode::boolean, begin, 0, 0);
    default: break;
    }
    if (text_[at_] == '-' || is_digit(at_)) return number();
    return fail(at_, "a value is wanted, and not " + seen());
  }
  [[nodiscard]] bool open(JsonNode::Kind kind) {
    if (open_.size() >= limits_.depth)
      return fail(at_, "arrays and objects are more than " + std::to_string(limits_.depth) + " deep");
    open_.push_back({data_->nodes.size()});
    return add(kind, at_++, 0, 0);
  }
  /// Goes on in the innermost array or object: its next item, or its end.
  [[nodiscard]] bool next_item() {
    const bool is_object = data_->nodes[open_.back().node].kind() == JsonNode::object;
    skip_blanks();
    if (is_next(is_object ? '}' : ']')) {
      ++at_;
      return close(is_object);
    }
    if (open_.back().count != 0) {
      if (!is_next(','))
        return fail(at_, std::string(is_object ? "a comma or '}'" : "a comma or ']'") + " is wanted, and not " +
                             wanted_end());
      ++at_;
      skip_blanks();
      if (is_next(is_object ? '}' : ']')) return fail(at_, "a comma stands before the end");
    }
    ++open_.back().count;
    if (is_object) {
      if (!is_next('"')) return fail(at_, "a name in quotes is wanted, and not " + wanted_end());
      if (!text()) return false;
      skip_blanks();
      if (!is_next(':')) return fail(at_, "a colon is wanted behind a name, and not " + wanted_end());
      ++at_;
    }
    return value();
  }
  [[nodiscard]] std::string wanted_end() const { return at_ < text_.size() ? seen() : "the end of the text"; }
  [[nodiscard]] bool close(bool is_object) {
    const Open done = open_.back();
    open_.pop_back();
    JsonNode& node = data_->nodes[done.node];
    node.set(node.kind(), done.count);
    node.payload = data_->nodes.size();
    return !is_object || done.count < 2 || names_differ(done.node);
  }
  /// By sorting, which nobody can make slow; names that ascend are not sorted.
  [[nodiscard]] bool names_differ(std::size_t object) {
    names_.clear();
    bool ascend = true;
    const std::size_t end = data_->nodes.size();
    for (std::size_t node = object + 1; node < end; node = data_->behind(node + 1)) {
      ascend = ascend && (names_.empty() || data_->words(names_.back()) < data_->words(node));
      names_.push_back(static_cast<std::uint32_t>(node));
    }
    if (ascend) return true;
    std::sort(names_.begin(), names_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int order = data_->words(a).compare(data_->words(b));
      return order != 0 ? order < 0 : a < b;
    });
    std::uint32_t twice = 0;
    for (std::size_t at = 1; at < names_.size(); ++at)
      if (data_->words(names_[at - 1]) == data_->words(names_[at]) && (twice == 0 || names_[at] < twice))
        twice = names_[at];
    if (twice == 0) return true;
    return fail(data_->nodes[twice].offset,
                "an object has the name \"" + std::string(data_->words(twice)) + "\" twice");
  }

  [[nodiscard]] bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return fail(at_, "a value is wanted, and not " + seen());
    at_ += wanted.size();
    return true;
  }
  [[nodiscard]] bool is_digit(std::size_t at) const noexcept {
    return at < text_.size() && text_[at] >= '0' && text_[at] <= '9';
  }
  [[nodiscard]] bool number() {
    const std::size_t begin = at_;
    const bool is_negative = text_[at_] == '-';
    at_ += is_negative ? 1 : 0;
    if (!is_digit(at_)) return fail(at_, "a digit is wanted behind '-', and not " + wanted_end());
    if (text_[at_] == '0' && is_digit(at_ + 1)) return fail(begin, "a number begins with 0");
    std::uint64_t magnitude = 0;
    bool fits = true;
    for (; is_digit(at_); ++at_) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      fits = fits && magnitude <= (~std::uint64_t{0} - digit) / 10;
      magnitude = magnitude * 10 + digit;
    }
    if (!is_next('.') && !is_next('e') && !is_next('E')) {
      if (!fits || (is_negative && magnitude > std::uint64_t{1} << 63))
        return fail(begin, "a whole number has more than 64 bits");
      if (!is_negative || magnitude == 0) return add(JsonNode::whole, begin, 0, magnitude);
      return add(JsonNode::negative, begin, 0, ~magnitude + 1);
    }
    if (is_next('.')) {
      ++at_;
      if (!is_digit(at_)) return fail(at_, "a digit is wanted behind the point, and not " + wanted_end());
      while (is_digit(at_)) ++at_;
    }
    if (is_next('e') || is_next('E')) {
      ++at_;
      if (is_next('+') || is_next('-')) ++at_;
      if (!is_digit(at_)) return fail(at_, "a digit is wanted in the exponent, and not " + wanted_end());
      while (is_digit(at_)) ++at_;
    }
    double real = 0.0;
    if (std::from_chars(text_.data() + begin, text_.data() + at_, real).ec != std::errc{})
      return fail(begin, "a number is too large or too small for a double");
    return add(JsonNode::real, begin, 0, std::bit_cast<std::uint64_t>(real));
  }

  [[nodiscard]] bool text() {
    const std::size_t begin = at_++, first = at_;
    while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
    if (is_next('"')) {
      if (at_ - first > JsonNode::most) return fail(begin, "a text is too long");
      ++at_;
      return add(JsonNode::plain_text, begin, at_ - 1 - first, first);
    }
    return long_text(begin, first);
  }
  [[nodiscard]] static bool is_plain(char letter) noexcept {
    const auto byte = static_cast<unsigned char>(letter);
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
  }
  /// One with escapes or with characters of several bytes.
  [[nodiscard]] bool long_text(std::size_t begin, std::size_t first) {
    std::string& decoded = data_->decoded;
    const std::size_t decoded_first = decoded.size();
    std::size_t copied = first; // up to here
    bool has_escapes = false;
    for (;;) {
      if (at_ >= text_.size()) return fail(at_, "a text does not end; it begins at " + place(begin));
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte == '"') break;
      if (byte < 0x20) return fail(at_, "a text contains " + seen() + ", which has to be written as an escape");
      if (byte == '\\') {
        decoded.append(text_, copied, at_ - copied);
        has_escapes = true;
        if (!escape()) return false;
        copied = at_;
        continue;
      }
      const std::size_t length = length_of_character(text_, at_);
      if (length == 0) return fail(at_, seen() + " is not UTF-8 here");
      at_ += length;
    }
    if (at_ - first > JsonNode::most) return fail(begin, "a text is too long");
    ++at_;
    if (!has_escapes) return add(JsonNode::plain_text, begin, at_ - 1 - first, first);
    decoded.append(text_, copied, at_ - 1 - copied);
    return add(JsonNode::decoded_text, begin, decoded.size() - decoded_first, decoded_first);
  }
  [[nodiscard]] std::string place(std::size_t offset) const {
    const JsonPlace place = place_of(text_, offset);
    return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
  }
  [[nodiscard]] bool escape() {
    const std::size_t begin = at_++;
    if (at_ >= text_.size()) return fail(at_, "an escape is cut off");
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const char letter = text_[at_];
    if (const std::size_t which = letters.find(letter); which != std::string_view::npos) {
      data_->decoded.push_back(meant[which]);
      ++at_;
      return true;
    }
    if (letter != 'u') return fail(begin, "there is no escape with " + seen());
    std::uint32_t code = 0, low = 0;
    if (!four_digits(code)) return false;
    if (code >= 0xDC00 && code < 0xE000) return fail(begin, "the second half of a surrogate pair stands alone");
    if (code >= 0xD800 && code < 0xDC00) {
      if (text_.substr(at_, 2) != "\\u") return fail(begin, "the first half of a surrogate pair stands alone");
      ++at_;
      if (!four_digits(low)) return false;
      if (low < 0xDC00 || low >= 0xE000) return fail(begin, "the first half of a surrogate pair stands alone");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_character(data_->decoded, code);
    return true;
  }
  /// Behind the u at which we are.
  [[nodiscard]] bool four_digits(std::uint32_t& code) {
    ++at_;
    for (int digit = 0; digit < 4; ++digit, ++at_) {
      const char letter = at_ < text_.size() ? text_[at_] : '\0';
      std::uint32_t four = 0;
      if (letter >= '0' && letter <= '9')
        four = static_cast<std::uint32_t>(letter - '0');
      else if (letter >= 'a' && letter <= 'f')
        four = static_cast<std::uint32_t>(letter - 'a' + 10);
      else if (letter >= 'A' && letter <= 'F')
        four = static_cast<std::uint32_t>(letter - 'A' + 10);
      else
        return fail(at_, "an escape wants four hexadecimal digits, and not " + wanted_end());
      code = code << 4 | four;
    }
    return true;
  }

  JsonData* data_;
  JsonLimits limits_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_ = {};
  std::vector<std::uint32_t> names_ = {};
  Refusal refusal_ = {};
};

} // namespace detail

class JsonMembers;

/// A value of a document, or none: what is asked for in vain. None has no items, and is no number.
class JsonValue {
public:
  JsonValue() = default;

  /// Whether there is one.
  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }
  /// \pre there is one, as for all that follows but size() and what goes through items
  [[nodiscard]] JsonKind kind() const noexcept {
    constexpr JsonKind kinds[] = {JsonKind::null, JsonKind::boolean, JsonKind::whole, JsonKind::whole, JsonKind::real,
                                  JsonKind::text, JsonKind::text,    JsonKind::array, JsonKind::object};
    return kinds[node().kind()];
  }
  [[nodiscard]] bool is(JsonKind kind) const noexcept { return data_ != nullptr && this->kind() == kind; }
  [[nodiscard]] bool truth() const noexcept { return node().payload != 0; }
  /// Of a whole number.
  [[nodiscard]] bool is_negative() const noexcept { return node().kind() == detail::JsonNode::negative; }
  /// Of a whole number that is not negative.
  [[nodiscard]] std::uint64_t unsigned_whole() const noexcept { return node().payload; }
  /// Of a whole number below 2^63.
  [[nodiscard]] std::int64_t signed_whole() const noexcept { return static_cast<std::int64_t>(node().payload); }
  /// Of any number; a whole one beyond 2^53 is rounded.
  [[nodiscard]] double real() const noexcept {
    return node().kind() == detail::JsonNode::real    ? std::bit_cast<double>(node().payload)
           : node().kind() == detail::JsonNode::whole ? static_cast<double>(node().payload)
                                                      : static_cast<double>(signed_whole());
  }
  [[nodiscard]] std::string_view text() const noexcept { return data_->words(at_); }

  /// Items of an array, or names of an object; 0 of any other.
  [[nodiscard]] std::size_t size() const noexcept { return is_container() ? node().count() : 0; }
  /// \cost O(number)
  /// \return none where an array has no such item, or it is no array
  [[nodiscard]] JsonValue item(std::size_t number) const noexcept {
    if (!is(JsonKind::array) || number >= size()) return {};
    std::size_t at = at_ + 1;
    while (number-- != 0) at = data_->behind(at);
    return {data_, at};
  }
  /// \cost O(names)
  /// \return none where an object has no such name, or it is no object
  [[nodiscard]] JsonValue find(std::string_view name) const noexcept {
    if (!is(JsonKind::object)) return {};
    for (std::size_t at = at_ + 1, end = data_->behind(at_); at < end; at = data_->behind(at + 1))
      if (data_->words(at) == name) return {data_, at + 1};
    return {};
  }

  class Iterator {
  public:
    Iterator(const detail::JsonData* data, std::size_t at) noexcept : data_(data), at_(at) {}
    [[nodiscard]] JsonValue operator*() const noexcept { return {data_, at_}; }
    Iterator& operator++() noexcept {
      at_ = data_->behind(at_);
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.at_ == b.at_; }

  private:
    const detail::JsonData* data_;
    std::size_t at_;
  };
  /// Of an array; of all others nothing: `for (const JsonValue item : value)`.
  [[nodiscard]] Iterator begin() const noexcept { return {data_, is(JsonKind::array) ? at_ + 1 : 0}; }
  [[nodiscard]] Iterator end() const noexcept { return {data_, is(JsonKind::array) ? data_->behind(at_) : 0}; }
  /// Of an object; of all others nothing: `for (const auto [name, value] : object.members())`.
  [[nodiscard]] JsonMembers members() const noexcept;

  /// Where it is in the document: `chips[3].x`; empty for the whole of it.
  /// \cost O(values before it)
  [[nodiscard]] std::string path() const {
    std::string path;
    for (std::size_t at = 0; at != at_;) {
      const bool is_object = data_->nodes[at].kind() == detail::JsonNode::object;
      std::size_t child = at + 1;
      for (std::size_t number = 0;; ++number) {
        const std::size_t value = is_object ? child + 1 : child;
        if (at_ < data_->behind(value)) {
          if (!is_object)
            path += "[" + std::to_string(number) + "]";
          else
            path += (path.empty() ? "" : ".") + std::string(data_->words(child));
          at = value;
          break;
        }
        child = data_->behind(value);
      }
    }
    return path;
  }
  /// Says of this value why it is refused, with its line, column and path.
  /// \errors file_malformed
  [[nodiscard]] Refusal refuse(const std::string& why) const {
    return detail::json_refusal(*data_, node().offset, path(), why);
  }
  /// As it stands in a sentence: a number or a short text itself, else its kind.
  [[nodiscard]] std::string in_a_sentence() const {
    switch (kind()) {
    case JsonKind::boolean: return truth() ? "true" : "false";
    case JsonKind::whole: return is_negative() ? std::to_string(signed_whole()) : std::to_string(unsigned_whole());
    case JsonKind::text: return text().size() <= 60 ? "\"" + std::string(text()) + "\"" : "a long text";
    default: return in_words(kind());
    }
  }

private:
  friend class Json;
  friend class JsonMembers;
  JsonValue(const detail::JsonData* data, std::size_t at) noexcept : data_(data), at_(at) {}
  [[nodiscard]] const detail::JsonNode& node() const noexcept { return data_->nodes[at_]; }
  [[nodiscard]] bool is_container() const noexcept {
    return data_ != nullptr && node().kind() >= detail::JsonNode::array;
  }

  const detail::JsonData* data_ = nullptr;
  std::size_t at_ = 0;
};

/// Names and values of an object, as they stand.
class JsonMembers {
public:
  struct Member {
    std::string_view name;
    JsonValue value;
  };
  class Iterator {
  public:
    Iterator(const detail::JsonData* data, std::size_t at) noexcept : data_(data), at_(at) {}
    [[nodiscard]] Member operator*() const noexcept { return {data_->words(at_), JsonValue(data_, at_ + 1)}; }
    Iterator& operator++() noexcept {
      at_ = data_->behind(at_ + 1);
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.at_ == b.at_; }

  private:
    friend class JsonMembers;
    const detail::JsonData* data_;
    std::size_t at_;
  };
  [[nodiscard]] Iterator begin() const noexcept { return begin_; }
  [[nodiscard]] Iterator end() const noexcept { return end_; }

private:
  friend class JsonValue;
  JsonMembers(Iterator begin, Iterator end) noexcept : begin_(begin), end_(end) {}
  Iterator begin_, end_;
};
inline JsonMembers JsonValue::members() const noexcept {
  using At = JsonMembers::Iterator;
  if (!is(JsonKind::object)) return {At(data_, 0), At(data_, 0)};
  return {At(data_, at_ + 1), At(data_, data_->behind(at_))};
}

/// A document. Copies share it.
class Json {
public:
  /// \param  text  the whole of it
  /// \param  name  of the file, for sentences
  /// \errors file_malformed: no JSON, or more than the limits, with line and column
  /// \cost   O(bytes), and O(names log names) for objects whose names do not ascend
  [[nodiscard]] static Answer<Json> read(std::string text, std::string name = {}, const JsonLimits& limits = {}) {
    auto data = std::make_shared<detail::JsonData>();
    data->name = std::move(name), data->text = std::move(text);
    if (Refusal refusal = detail::JsonParser(*data, limits).parse(); !refusal.ok()) return refusal;
    return Json(std::move(data));
  }
  [[nodiscard]] JsonValue root() const noexcept { return {data_.get(), 0}; }

private:
  explicit Json(std::shared_ptr<const detail::JsonData> data) noexcept : data_(std::move(data)) {}
  std::shared_ptr<const detail::JsonData> data_;
};

/// Asks values for what they should be. The first that is not is the refusal, and from then on answers are 0 and empty: ask
/// ok() at the end, and before a number is used as a place.
class JsonReading {
public:
  [[nodiscard]] bool ok() const noexcept { return refusal_.ok(); }
  [[nodiscard]] const Refusal& refusal() const noexcept { return refusal_; }
  /// Why a value is refused that has the right kind.
  /// \errors file_malformed
  void refuse(JsonValue value, const std::string& why) {
    if (ok() && value) refusal_ = value.refuse(why);
  }

  /// What an object has by a name.
  [[nodiscard]] JsonValue member(JsonValue object, std::string_view name) {
    if (!demand(object, JsonKind::object)) return {};
    const JsonValue value = object.find(name);
    if (!value) refuse(object, "\"" + std::string(name) + "\" is missing");
    return value;
  }
  /// The same where it may be missing.
  [[nodiscard]] JsonValue optional_member(JsonValue object, std::string_view name) {
    return demand(object, JsonKind::object) ? object.find(name) : JsonValue{};
  }
  /// Whether an object has no names but these.
  bool only(JsonValue object, std::initializer_list<std::string_view> names) {
    if (!demand(object, JsonKind::object)) return false;
    for (const auto [name, value] : object.members())
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        refuse(value, "\"" + std::string(name) + "\" is not known here");
        return false;
      }
    return true;
  }
  /// A whole number from `low` to `high`.
  template <std::integral Number>
  [[nodiscard]] Number whole(JsonValue value, Number low = (std::numeric_limits<Number>::min)(),
                             Number high = (std::numeric_limits<Number>::max)()) {
    if (!demand(value, JsonKind::whole)) return Number{};
    const bool fits =
        value.is_negative()
            ? std::cmp_less_equal(low, value.signed_whole()) && std::cmp_less_equal(value.signed_whole(), high)
            : std::cmp_less_equal(low, value.unsigned_whole()) && std::cmp_less_equal(value.unsigned_whole(), high);
    if (fits) return static_cast<Number>(value.unsigned_whole());
    refuse(value, "it has to be " + std::to_string(low) + " to " + std::to_string(high) + ", and not " +
                      value.in_a_sentence());
    return Number{};
  }
  /// Any number.
  [[nodiscard]] double real(JsonValue value) {
    if (value.is(JsonKind::whole)) return value.real();
    return demand(value, JsonKind::real) ? value.real() : 0.0;
  }
  [[nodiscard]] bool truth(JsonValue value) { return demand(value, JsonKind::boolean) && value.truth(); }
  [[nodiscard]] std::string_view text(JsonValue value) {
    return demand(value, JsonKind::text) ? value.text() : std::string_view{};
  }
  /// The value if it is an array, of so many items if that is said; else none.
  [[nodiscard]] JsonValue array(JsonValue value, std::size_t items = any) {
    if (!demand(value, JsonKind::array)) return {};
    if (items == any || value.size() == items) return value;
    refuse(value, "it has to have " + std::to_string(items) + " items, and not " + std::to_string(value.size()));
    return {};
  }
  /// The value if it is an object; else none.
  [[nodiscard]] JsonValue object(JsonValue value) { return demand(value, JsonKind::object) ? value : JsonValue{}; }

private:
  static constexpr std::size_t any = ~std::size_t{0};
  [[nodiscard]] bool demand(JsonValue value, JsonKind kind) {
    if (!ok() || !value) return false;
    if (value.kind() == kind) return true;
    refuse(value, std::string(in_words(kind)) + " is wanted, and not " + value.in_a_sentence());
    return false;
  }

  Refusal refusal_ = {};
};

/// Writes a document from its beginning to its end. Who calls it in an order that is no JSON gets no JSON.
class JsonWriter {
public:
  /// \param  lines  items of arrays and objects that are no deeper than this stand on lines of their own
  explicit JsonWriter(unsigned lines = 2) : lines_(lines), limit_(lines) {}

  JsonWriter& begin_object() { return begin('{', false); }
  JsonWriter& end_object() { return end('}'); }
  /// \param  on_one_line  with all that is in it, however deep
  JsonWriter& begin_array(bool on_one_line = false) { return begin('[', on_one_line); }
  JsonWriter& end_array() { return end(']'); }
  /// The name of the value that comes next.
  JsonWriter& name(std::string_view name) {
    separate();
    quote(name);
    text_ += ": ";
    is_named_ = true;
    return *this;
  }
  template <std::integral Number>
  JsonWriter& value(Number number) {
    separate();
    std::array<char, 24> digits{};
    if constexpr (std::is_same_v<Number, bool>)
      text_ += number ? "true" : "false";
    else
      text_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
    return *this;
  }
  /// As short as comes back as it is, and not as a whole number; one that is not finite is null.
  JsonWriter& value(double number) {
    if (!std::isfinite(number)) return null();
    separate();
    std::array<char, 40> digits{};
    const std::string_view written(
        digits.data(), static_cast<std::size_t>(
                           std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr - digits.data()));
    text_ += written;
    if (written.find_first_of(".e") == std::string_view::npos) text_ += ".0";
    return *this;
  }
  /// \pre UTF-8; what is not is written as U+FFFD
  JsonWriter& value(std::string_view text) {
    separate();
    quote(text);
    return *this;
  }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& null() {
    separate();
    text_ += "null";
    return *this;
  }
  /// A name and its value.
  template <class Value>
  JsonWriter& member(std::string_view of, const Value& given) {
    name(of);
    return value(given);
  }
  void reserve(std::size_t bytes) { text_.reserve(bytes); }

  /// What has been written, with the end of its line.
  [[nodiscard]] std::string take() {
    text_ += '\n';
    counts_.clear();
    return std::exchange(text_, {});
  }

private:
  void separate() {
    if (std::exchange(is_named_, false) || counts_.empty()) return;
    if (counts_.back()++ != 0) text_ += counts_.size() <= limit_ ? "," : ", ";
    break_line();
  }
  void break_line() {
    if (counts_.size() > limit_) return;
    text_ += '\n';
    text_.append(2 * counts_.size(), ' ');
  }
  JsonWriter& begin(char bracket, bool on_one_line) {
    separate();
    text_ += bracket;
    if (on_one_line) limit_ = (std::min)(limit_, counts_.size());
    counts_.push_back(0);
    return *this;
  }
  JsonWriter& end(char bracket) {
    const std::size_t count = counts_.back();
    const bool is_broken = counts_.size() <= limit_ && count != 0;
    counts_.pop_back();
    if (counts_.size() <= limit_) limit_ = lines_;
    if (is_broken) {
      text_ += '\n';
      text_.append(2 * counts_.size(), ' ');
    }
    text_ += bracket;
    return *this;
  }
  void quote(std::string_view words) {
    text_ += '"';
    for (std::size_t at = 0; at < words.size();) {
      const auto byte = static_cast<unsigned char>(words[at]);
      if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
        text_ += words[at++];
        continue;
      }
      if (byte >= 0x80) {
        const std::size_t length = detail::length_of_character(words, at);
        if (length == 0)
          text_ += "\xEF\xBF\xBD";
        else
          text_.append(words, at, length);
        at += length == 0 ? 1 : length;
        continue;
      }
      constexpr std::string_view meant = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt", digits = "0123456789abcdef";
      text_ += '\\';
      if (const std::size_t which = meant.find(words[at]); which != std::string_view::npos) {
        text_ += letters[which];
      } else {
        text_ += "u00";
        text_ += digits[byte >> 4];
        text_ += digits[byte & 15];
      }
      ++at;
    }
    text_ += '"';
  }

  std::size_t lines_, limit_; // the deepest that is in lines; here
  std::string text_ = {};
  std::vector<std::size_t> counts_ = {}; // of items, of each that is open
  bool is_named_ = false;
};

} // namespace host
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
