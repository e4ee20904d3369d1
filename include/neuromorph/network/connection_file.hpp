// SPDX-License-Identifier: BSL-1.0
/// \file
/// Lists of synapses from files: text, records of 12 bytes, and NumPy's .npy.
///
///     const auto list = network::read_connections("wiring.txt", {.weight_unit = 0.001}); // the file has pA
///     net.connect(a, b, list.value());
///
/// Of text, a line is a source, a target, a weight and a delay, as PyNN's FromFileConnector has them; # begins a comment. A
/// line `# 2345 synapses` before them, or behind, says how many there are, so that none is missed.
// host-only
#ifndef NEUROMORPH_NETWORK_CONNECTION_FILE_HPP
#define NEUROMORPH_NETWORK_CONNECTION_FILE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/detail/line_reader.hpp>
#include <neuromorph/network/detail/output_file.hpp>
#include <neuromorph/network/npy.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

enum class ConnectionFormat : std::uint8_t {
  by_name, ///< .npy and .bin are what they say, all else is text
  text,    ///< lines of a source, a target, a weight and a delay in ms, or of the first two or three of these
  npy, ///< rows of the same, or a row of columns named i, j, weight, delay: pre, post or source, target are i, j, too
  records ///< source and target of 32 bits, then a weight of 32 bits with a point; the least byte first
};

/// What a file does not say.
struct ConnectionForm {
  ConnectionFormat format = ConnectionFormat::by_name;
  double weight = 0.0;      ///< where there is none in the file, in the network's unit
  double delay_ms = 1.0;    ///< where there is none in the file
  double weight_unit = 1.0; ///< what the file's weights are in: 0.001 where they are pA and the network's are nA
  bool magnitudes = false;  ///< without the weights' signs
  /// Of a file with several populations: only synapses between these neurons, each numbered from the first on.
  Range sources = {0, 0xFFFF'FFFF}, targets = {0, 0xFFFF'FFFF};
};

namespace detail {

/// Which words of a row are what.
class ListColumns {
public:
  static constexpr std::size_t none = ~std::size_t{0};
  enum What : std::size_t { source, target, weight, delay };

  /// The first so many.
  [[nodiscard]] static ListColumns first(std::size_t count) noexcept {
    ListColumns columns;
    columns.count_ = count;
    for (std::size_t what = 0; what < 4; ++what) columns.at_[what] = what < count ? what : none;
    return columns;
  }
  /// \return why names are not understood; nothing if they are. Where there is neither i nor j, these come first.
  [[nodiscard]] std::string take(std::vector<std::string> names) {
    const auto what_of = [](std::string_view name) {
      if (name == "i" || name == "pre" || name == "source") return std::size_t{source};
      if (name == "j" || name == "post" || name == "target") return std::size_t{target};
      return name == "weight" ? std::size_t{weight} : name == "delay" ? std::size_t{delay} : none;
    };
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) { return what_of(name) <= target; }))
      names.insert(names.begin(), {"i", "j"});
    at_.fill(none);
    count_ = names.size();
    for (std::size_t at = 0; at < names.size(); ++at) {
      const std::size_t what = what_of(names[at]);
      if (what == none) return "a column is called '" + names[at] + "', which is not known here";
      if (at_[what] != none) return "two columns are called '" + names[at] + "'";
      at_[what] = at;
    }
    if (at_[source] == none || at_[target] == none) return "there is no column of sources, or none of targets";
    return {};
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t at(What what) const noexcept { return at_[what]; }

private:
  std::array<std::size_t, 4> at_{none, none, none, none};
  std::size_t count_ = 0;
};

/// Takes synapses of a file.
class ConnectionList {
public:
  explicit ConnectionList(const ConnectionForm& form) : form_(form) {}

  /// \param number_of  gives the number of a column
  /// \return why it is refused; nothing if it is not
  template <class NumberOf>
  [[nodiscard]] std::string add(const ListColumns& columns, NumberOf number_of) {
    Listed one{0, 0, form_.weight, form_.delay_ms};
    const double source = number_of(columns.at(ListColumns::source)),
                 target = number_of(columns.at(ListColumns::target));
    if (!is_neuron(source)) return said("a source", source) + ", which is no number of a neuron";
    if (!is_neuron(target)) return said("a target", target) + ", which is no number of a neuron";
    one.source = static_cast<std::uint32_t>(source), one.target = static_cast<std::uint32_t>(target);
    if (const std::size_t at = columns.at(ListColumns::weight); at != ListColumns::none) {
      const double weight = number_of(at);
      if (!neuromorph::detail::is_finite(weight)) return said("a weight", weight) + ", which is no finite number";
      one.weight = weight * form_.weight_unit;
    }
    if (form_.magnitudes && one.weight < 0.0) one.weight = -one.weight;
    if (const std::size_t at = columns.at(ListColumns::delay); at != ListColumns::none) one.delay_ms = number_of(at);
    if (!neuromorph::detail::is_finite(one.delay_ms))
      return said("a delay", one.delay_ms) + ", which is no finite number";
    if (!form_.sources.has(one.source) || !form_.targets.has(one.target)) return {};
    one.source -= form_.sources.first, one.target -= form_.targets.first;
    list_.synapses.push_back(one);
    return {};
  }
  void expect(std::uint64_t synapses) {
    if (synapses < most_expected) list_.synapses.reserve(synapses);
  }
  [[nodiscard]] FromList list() && noexcept { return std::move(list_); }

private:
  static constexpr std::uint64_t most_expected = 0xFFFF'FFFF;

  [[nodiscard]] static bool is_neuron(double number) noexcept {
    return number >= 0.0 && number < 4294967295.0 && static_cast<double>(static_cast<std::uint32_t>(number)) == number;
  }
  [[nodiscard]] static std::string said(const char* what, double number) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.12g", number);
    return std::string(what) + " is " + text.data();
  }

  ConnectionForm form_;
  FromList list_;
};

/// Words between spaces, tabs, commas, and what else is not wanted.
[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view line, std::string_view between) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(between); at != std::string_view::npos;) {
    const std::size_t end = (std::min)(line.find_first_of(between, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(between, end);
  }
  return words;
}

/// Whether a line is "# 2345 synapses".
[[nodiscard]] inline bool says_how_many(std::string_view line, std::uint64_t& number) {
  const auto words = words_of(line.substr(1), " \t");
  if (words.size() != 2 || words[1] != "synapses") return false;
  const char* const end = words[0].data() + words[0].size();
  const auto [last, error] = std::from_chars(words[0].data(), end, number);
  return error == std::errc{} && last == end;
}

[[nodiscard]] inline Refusal read_text(const std::string& path, std::FILE* file, ConnectionList& list) {
  LineReader lines(path, file);
  ListColumns columns;
  std::uint64_t synapses = 0, said = 0, said_at = 0; // in a line, from 1
  for (std::string_view line; lines.next(line);) {
    if (const std::size_t mark = line.find('#'); mark != std::string_view::npos) {
      if (std::uint64_t number = 0; mark == 0 && says_how_many(line, number)) {
        if (said_at != 0 && number != said)
          return lines.malformed("says that there are " + std::to_string(number) + " synapses, and line " +
                                 std::to_string(said_at) + " " + std::to_string(said));
        said = number, said_at = lines.number();
      }
      // "# columns = ["i", "j", ...]" before the first synapse says what the columns are.
      const auto names = words_of(line.substr(mark + 1), " \t,=[]()\"'");
      const bool is_head = names.size() > 1 && names[0] == "columns" && line.find('=') != std::string_view::npos;
      line = line.substr(0, mark);
      if (is_head && columns.count() == 0)
        if (const std::string why = columns.take({names.begin() + 1, names.end()}); !why.empty())
          return lines.malformed("does not say the columns: " + why);
    }
    const auto words = words_of(line, " \t,");
    if (words.empty()) continue;
    if (columns.count() == 0 && words.size() >= 2 && words.size() <= 4) columns = ListColumns::first(words.size());
    if (columns.count() == 0)
      return lines.malformed("has " + std::to_string(words.size()) +
                             " words, which are no source, target, weight and delay");
    if (words.size() != columns.count())
      return lines.malformed("has " + std::to_string(words.size()) + " words, and there are " +
                             std::to_string(columns.count()) + " columns");
    std::array<double, 4> numbers{};
    for (std::size_t at = 0; at < words.size(); ++at) {
      const auto [end, error] = std::from_chars(words[at].data(), words[at].data() + words[at].size(), numbers[at]);
      if (error != std::errc{} || end != words[at].data() + words[at].size())
        return lines.malformed("has '" + std::string(words[at].substr(0, 40)) + "' where a number should be");
    }
    const std::string why = list.add(columns, [&](std::size_t at) { return numbers[at]; });
    if (!why.empty()) return lines.malformed("is refused: " + why);
    ++synapses;
  }
  if (!lines.refusal()) return lines.refusal();
  if (said_at != 0 && synapses != said)
    return file_malformed(path, said_at,
                          "line " + std::to_string(said_at) + " says that there are " + std::to_string(said) +
                              " synapses, and there are " + std::to_string(synapses));
  if (said_at == 0 && synapses == 0)
    return file_malformed(path, 0, "it has no synapses, and no line '# 0 synapses' that says so");
  return {};
}

[[nodiscard]] inline Refusal read_records(const std::string& path, std::FILE* file, ConnectionList& list) {
  std::array<unsigned char, 12> bytes{};
  const auto word = [&](std::size_t at) {
    return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
           std::uint32_t{bytes[at + 3]} << 24;
  };
  const ListColumns columns = ListColumns::first(3);
  for (std::uint64_t record = 0;; ++record) {
    const auto refused = [&](const std::string& why) {
      return file_malformed(path, record, "record " + std::to_string(record) + ", counted from 0, is " + why);
    };
    const std::size_t had = std::fread(bytes.data(), 1, bytes.size(), file);
    if (had == 0 && std::ferror(file) == 0)
      return record != 0 ? Refusal{}
                         : file_malformed(path, 0, "it is empty; a list of no synapses is one of text or .npy");
    if (std::ferror(file) != 0) return file_failed(path, "read it");
    if (had != bytes.size()) return refused("cut off");
    const std::string why = list.add(columns, [&](std::size_t at) -> double {
      return at == 2 ? static_cast<double>(std::bit_cast<float>(word(8))) : static_cast<double>(word(4 * at));
    });
    if (!why.empty()) return refused("refused: " + why);
  }
}

[[nodiscard]] inline Refusal read_npy(const std::string& path, ConnectionList& list) {
  auto opened = NpyReader::open(path);
  if (!opened) return opened.refusal();
  NpyReader& reader = opened.value();
  ListColumns columns;
  const bool has_names = !reader.columns().front().name.empty();
  if (has_names) {
    std::vector<std::string> names;
    for (const NpyColumn& column : reader.columns()) names.push_back(column.name);
    if (const std::string why = columns.take(names); !why.empty()) return file_malformed(path, 0, why);
  } else if (reader.row_size() < 2 || reader.row_size() > 4) {
    return file_malformed(path, 0,
                          "its rows have " + std::to_string(reader.row_size()) +
                              " numbers, which are no source, target, weight and delay");
  } else {
    columns = ListColumns::first(reader.row_size());
  }
  list.expect((std::min)(reader.rows(), std::uint64_t{1} << 20)); // a head may say anything
  return reader.each([&](std::uint64_t number, const NpyRow& row) -> Refusal {
    const std::string why =
        list.add(columns, [&](std::size_t at) { return has_names ? row.number(at) : row.number(0, at); });
    if (why.empty()) return {};
    return file_malformed(path, number, "row " + std::to_string(number) + ", counted from 0, is refused: " + why);
  });
}

} // namespace detail

/// The synapses of a file, in its order.
/// \errors file_failed: it cannot be opened or read; file_malformed: it is cut off, or a line, record or row of it is refused.
///         The sentence has the path, the place, and what stands there. A text whose last line has no end is refused, as a
///         number may be cut off; one that is cut off between lines is refused where a line before has said how many synapses
///         there are. Records that are cut off between two cannot be told from whole ones. A text without synapses that
///         does not say 0, and no records at all, are refused.
/// \cost memory: 24 bytes a synapse, twice that while the list grows, and 64 KiB
[[nodiscard]] inline Answer<FromList> read_connections(const std::string& path, const ConnectionForm& form = {}) {
  ConnectionFormat format = form.format;
  if (format == ConnectionFormat::by_name)
    format = path.ends_with(".npy")   ? ConnectionFormat::npy
             : path.ends_with(".bin") ? ConnectionFormat::records
                                      : ConnectionFormat::text;
  detail::ConnectionList list(form);
  Refusal refusal;
  if (format == ConnectionFormat::npy) {
    refusal = detail::read_npy(path, list);
  } else {
    errno = 0;
    const detail::OpenFile file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr) return detail::file_failed(path, "read it");
    refusal = format == ConnectionFormat::text ? detail::read_text(path, file.get(), list)
                                               : detail::read_records(path, file.get(), list);
  }
  if (!refusal) return refusal;
  return std::move(list).list();
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
