// SPDX-License-Identifier: BSL-1.0
// Any bytes as JSON: a second judge, which goes by RFC 8259's grammar, takes the same ones; what is taken comes back from the
// writer as the same values; a refusal is a sentence with a place in the text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <neuromorph/host/json.hpp>

namespace {

using namespace neuromorph;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

constexpr host::JsonLimits limits{.depth = 40, .bytes = 100'000, .values = 2000};

/// Recursive, over code points. Each function says where what it knows ends, or nothing.
class Judge {
public:
  explicit Judge(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const unsigned first = static_cast<unsigned char>(text[at]);
      const unsigned length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
      std::uint32_t code = length == 0 ? wrong : length == 1 ? first : first & (0x7FU >> length);
      for (unsigned more = 1; more < length; ++more) {
        const unsigned next = at + more < text.size() ? static_cast<unsigned char>(text[at + more]) : 0;
        code = code == wrong || next >> 6 != 2 ? wrong : code << 6 | (next & 63);
      }
      constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
      if (code != wrong && (code < least[length] || code > 0x10FFFF || (code >> 11) == 27)) code = wrong;
      codes_.push_back(static_cast<char32_t>(code));
      at += code == wrong ? 1 : length;
    }
  }
  [[nodiscard]] bool accepts() {
    const auto end = element(0, 0);
    return end && *end == codes_.size() && values_ <= limits.values;
  }

private:
  using End = std::optional<std::size_t>;
  static constexpr std::uint32_t wrong = 0xFFFFFFFF;

  [[nodiscard]] char32_t at(std::size_t place) const { return place < codes_.size() ? codes_[place] : char32_t{wrong}; }
  [[nodiscard]] std::size_t blanks(std::size_t from) const {
    while (at(from) == ' ' || at(from) == '\t' || at(from) == '\n' || at(from) == '\r') ++from;
    return from;
  }
  End element(std::size_t from, std::size_t depth) {
    const End end = value(blanks(from), depth);
    if (!end) return {};
    return blanks(*end);
  }
  End value(std::size_t from, std::size_t depth) {
    ++values_;
    std::u32string ignored;
    if (at(from) == '"') return string(from, ignored);
    if (at(from) == '{' || at(from) == '[') return depth < limits.depth ? container(from, depth) : End{};
    for (const char32_t* const word : {U"null", U"true", U"false"})
      if (const std::u32string_view view(word); std::u32string_view(codes_).substr(from, view.size()) == view)
        return from + view.size();
    return number(from);
  }
  End container(std::size_t from, std::size_t depth) {
    const bool is_object = at(from) == '{';
    const char32_t close = is_object ? '}' : ']';
    std::set<std::u32string> names;
    if (at(blanks(from + 1)) == close) return blanks(from + 1) + 1;
    do {
      ++from;
      if (is_object) {
        std::u32string name;
        const End end = string(blanks(from), name);
        ++values_;
        if (!end || !names.insert(name).second || at(blanks(*end)) != ':') return {};
        from = blanks(*end) + 1;
      }
      const End end = element(from, depth + 1);
      if (!end) return {};
      from = *end;
    } while (at(from) == ',');
    return at(from) == close ? End{from + 1} : End{};
  }
  End string(std::size_t from, std::u32string& into) const {
    if (at(from) != '"') return {};
    for (++from; at(from) != '"';) {
      if (at(from) < 0x20 || at(from) == wrong) return {};
      if (at(from) != '\\') {
        into += at(from++);
        continue;
      }
      if (at(from + 1) != 'u') {
        if (at(from + 1) > 0x7F || std::strchr("\"\\/bfnrt", static_cast<int>(at(from + 1))) == nullptr ||
            at(from + 1) == 0)
          return {};
        const char* const letters = "bfnrt";
        const char* const which = std::strchr(letters, static_cast<int>(at(from + 1)));
        into += which != nullptr ? static_cast<char32_t>("\b\f\n\r\t"[which - letters]) : at(from + 1);
        from += 2;
        continue;
      }
      std::uint32_t code = 0;
      for (std::size_t digit = 2; digit < 6; ++digit) {
        const char32_t letter = at(from + digit);
        const char* const digits = "0123456789abcdef0123456789ABCDEF";
        const char* const found =
            letter > 0x7F || letter == 0 ? nullptr : std::strchr(digits, static_cast<int>(letter));
        if (found == nullptr) return {};
        code = code * 16 + static_cast<std::uint32_t>(found - digits) % 16;
      }
      from += 6;
      const bool wants_low = !into.empty() && (into.back() >> 10) == 0xD800 >> 10;
      if (wants_low != ((code >> 10) == 0xDC00 >> 10)) return {};
      if (wants_low)
        into.back() = static_cast<char32_t>(0x10000 + ((into.back() & 0x3FF) << 10 | (code & 0x3FF)));
      else
        into += static_cast<char32_t>(code);
      if ((code >> 10) == 0xD800 >> 10 && !(at(from) == '\\' && at(from + 1) == 'u')) return {};
    }
    return from + 1;
  }
  [[nodiscard]] bool is_digit(std::size_t place) const { return at(place) >= '0' && at(place) <= '9'; }
  [[nodiscard]] std::size_t digits(std::size_t from) const {
    while (is_digit(from)) ++from;
    return from;
  }
  [[nodiscard]] End number(std::size_t from) const {
    const std::size_t begin = from;
    from += at(from) == '-' ? std::size_t{1} : std::size_t{0};
    if (!is_digit(from)) return {};
    const std::size_t whole_end = at(from) == '0' ? from + 1 : digits(from);
    if (is_digit(whole_end)) return {};
    from = whole_end;
    if (at(from) == '.') {
      if (!is_digit(from + 1)) return {};
      from = digits(from + 1);
    }
    if (at(from) == 'e' || at(from) == 'E') {
      from += at(from + 1) == '+' || at(from + 1) == '-' ? std::size_t{2} : std::size_t{1};
      if (!is_digit(from)) return {};
      from = digits(from);
    }
    std::string written;
    for (std::size_t place = begin; place < from; ++place) written += static_cast<char>(codes_[place]);
    errno = 0;
    if (from != whole_end) {
      const double real = std::strtod(written.c_str(), nullptr);
      // a number so small that it becomes 0 is refused, a denormal one is not
      const bool is_zero = written.find_first_of("123456789") >= written.find_first_of("eE");
      if (!std::isfinite(real) || (real == 0.0 && !is_zero)) return {};
    } else if (written[0] == '-' ? (std::strtoll(written.c_str(), nullptr, 10), errno != 0)
                                 : (std::strtoull(written.c_str(), nullptr, 10), errno != 0)) {
      return {};
    }
    return from;
  }

  std::u32string codes_;
  std::size_t values_ = 0;
};

void write(host::JsonWriter& writer, host::JsonValue value) {
  switch (value.kind()) {
  case host::JsonKind::null: writer.null(); break;
  case host::JsonKind::boolean: writer.value(value.truth()); break;
  case host::JsonKind::whole:
    if (value.is_negative())
      writer.value(value.signed_whole());
    else
      writer.value(value.unsigned_whole());
    break;
  case host::JsonKind::real: writer.value(value.real()); break;
  case host::JsonKind::text: writer.value(value.text()); break;
  case host::JsonKind::array: {
    writer.begin_array();
    std::size_t count = 0;
    for (const host::JsonValue item : value) write(writer, item), ++count;
    demand(count == value.size() && !value.item(count), "an array has another size");
    writer.end_array();
    break;
  }
  case host::JsonKind::object: {
    writer.begin_object();
    std::size_t count = 0;
    for (const auto [name, item] : value.members()) {
      demand(static_cast<bool>(value.find(name)), "a name is not found");
      writer.name(name);
      write(writer, item), ++count;
    }
    demand(count == value.size(), "an object has another size");
    writer.end_object();
    break;
  }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > limits.bytes) return 0;
  std::string text(size, '\0');
  if (size != 0) std::memcpy(text.data(), data, size);
  const auto read = host::Json::read(text, "input", limits);
  demand(read.ok() == Judge(text).accepts(), "one of two judges takes it");
  if (!read) {
    demand(read.status().error == Error::file_malformed && read.status().where >= 1 &&
               read.sentence().rfind("input: line ", 0) == 0,
           "a refusal without a place");
    return 0;
  }
  host::JsonWriter plain(0), in_lines(100);
  write(plain, read.value().root()), write(in_lines, read.value().root());
  const std::string once = plain.take();
  for (const std::string& again : {once, in_lines.take()}) {
    const auto other = host::Json::read(again, "what was written");
    demand(other.ok(), "what was written is no JSON");
    host::JsonWriter writer(0);
    write(writer, other.value().root());
    demand(writer.take() == once, "what was written is something else");
  }
  return 0;
}
