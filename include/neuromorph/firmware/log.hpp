// SPDX-License-Identifier: BSL-1.0
/// \file
/// A log whose texts stay in the ELF: a call writes which text it is and the values, into a channel of a mailbox.
///
///     constexpr firmware::Log log(mailbox.writer<"log ">(), clock);
///     log.info<"neuron {} at {:.3} mV">(neuron, membrane);
///
/// `tools/log` has the ELF, and writes level, time, place and text. Link with neuromorph_log.ld. See docs/log.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_LOG_HPP
#define NEUROMORPH_FIRMWARE_LOG_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/firmware/format.hpp>
#include <neuromorph/firmware/image.hpp>
#include <neuromorph/target/device/linker_symbols.hpp>
#include <neuromorph/when_full.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

enum class LogLevel : std::uint8_t { trace, debug, info, warning, error };

/// A clock that there is not: lines have no time.
struct NoTime {};

/// A format and where it stands.
template <std::size_t Size>
struct LogFormat {
  static constexpr std::size_t most_file = 64; ///< of a longer path the end
  std::array<char, Size> text{};
  std::array<char, most_file> file{};
  std::uint32_t line;
  consteval LogFormat(const char (&given)[Size], const char* path = __builtin_FILE(),
                      std::uint32_t number = __builtin_LINE()) noexcept
      : line(number) {
    for (std::size_t at = 0; at < Size; ++at) text[at] = given[at];
    std::size_t length = 0;
    while (path[length] != '\0') ++length;
    if (length >= most_file) path += length - (most_file - 1);
    for (std::size_t at = 0; path[at] != '\0'; ++at) file[at] = path[at];
  }
};

namespace log_layout {
/// Of an entry and of how values are packed.
inline constexpr std::uint8_t version = 1;
inline constexpr std::uint8_t has_time = 1;
/// Kinds of records.
enum : std::uint32_t {
  line, ///< token: place of the text; the time, then values
  lost, ///< how many lines were left out here
  time, ///< since the start, 64 bits
};

/// Where values lie in a record, behind its head and its time: those of 32 bits and more in words of their own, shorter
/// ones share words. Texts stand behind all of them, a byte for the length first, each in words of its own.
template <std::size_t Arguments>
struct Packing {
  struct Position {
    std::uint8_t word = 0, bit = 0;
  };
  std::array<Position, Arguments> positions{};
  std::uint32_t words = 0, texts = 0;

  consteval explicit Packing(const std::array<ArgumentType, Arguments>& types) noexcept {
    std::uint32_t open = 0, used = 32; // the word that short values share
    for (std::size_t at = 0; at < Arguments; ++at) {
      const std::uint32_t bits = types[at].bytes * 8U;
      if (types[at].kind == ArgumentKind::text) {
        ++texts;
      } else if (bits >= 32) {
        positions[at] = {static_cast<std::uint8_t>(words), 0};
        words += bits / 32;
      } else {
        used = (used + bits - 1) & ~(bits - 1);
        if (used + bits > 32) open = words++, used = 0;
        positions[at] = {static_cast<std::uint8_t>(open), static_cast<std::uint8_t>(used)};
        used += bits;
      }
    }
  }
};
} // namespace log_layout

/// What the ELF has of a call: [0] nothing, [1] version, level, flags, number of arguments, a byte each, [2] line. Then
/// come three bytes for each argument (kind, bytes, 64 + fraction bits), file and text, each with a zero.
template <std::size_t Arguments, std::size_t File, std::size_t Text>
struct alignas(4) LogEntry {
  // On machines of 32 bits an address that only the linker script has: its absence is noticed with each call.
  std::conditional_t<sizeof(void*) == 4, const char*, std::uint32_t> link{};
  std::uint8_t version = log_layout::version;
  LogLevel level;
  std::uint8_t flags, arguments = Arguments;
  std::uint32_t line;
  std::array<char, 3 * Arguments + File + Text> bytes{};
};

namespace detail {

template <LogFormat Text, bool HasTime, LogLevel Level, ArgumentType... Arguments>
[[nodiscard]] consteval auto make_log_entry() noexcept {
  constexpr std::size_t count = sizeof...(Arguments);
  constexpr std::size_t file = [] {
    std::size_t length = 0;
    while (Text.file[length] != '\0') ++length;
    return length + 1;
  }();
  LogEntry<count, file, Text.text.size()> entry{
      .level = Level, .flags = HasTime ? log_layout::has_time : std::uint8_t{0}, .line = Text.line};
  if constexpr (sizeof(void*) == 4) entry.link = &target::log_texts;
  std::size_t to = 0;
  [[maybe_unused]] const auto add = [&](ArgumentType type) {
    entry.bytes[to++] = static_cast<char>(type.kind);
    entry.bytes[to++] = static_cast<char>(type.bytes);
    entry.bytes[to++] = static_cast<char>(static_cast<unsigned char>(type.fraction_bits + 64));
  };
  (add(Arguments), ...);
  for (std::size_t at = 0; at < file; ++at) entry.bytes[to++] = Text.file[at];
  for (const char letter : Text.text) entry.bytes[to++] = letter;
  return entry;
}

} // namespace detail

// GCC 12 ignores the section attribute of a template, and an assembler's statement takes 30 characters. Both compilers put
// an object like this into a section of its own with its name, which the linker script collects. No type of the user's may
// be an argument: one of an unnamed namespace would make the object local, without that section.
template <LogFormat Text, bool HasTime, LogLevel Level, ArgumentType... Arguments>
inline constexpr auto log_entry = detail::make_log_entry<Text, HasTime, Level, Arguments...>();

namespace detail {

/// A text as words: its length in the first byte.
template <class Memory = void>
[[gnu::noinline]] inline void pack_text(std::uint32_t* to, std::span<const char> text) noexcept {
  auto word = static_cast<std::uint32_t>(text.size());
  unsigned bit = 8;
  for (const char letter : text) {
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(letter)) << bit;
    bit = (bit + 8) & 31;
    if (bit == 0) *to++ = word, word = 0;
  }
  if (bit != 0) *to = word;
}

template <class Argument>
[[nodiscard, gnu::always_inline]] constexpr auto bits_of(const Argument& argument) noexcept {
  if constexpr (FixedType<Argument>::value)
    return static_cast<std::make_unsigned_t<decltype(argument.raw())>>(argument.raw());
  else if constexpr (std::is_pointer_v<Argument>)
    return reinterpret_cast<std::uintptr_t>(argument);
  else if constexpr (std::is_same_v<Argument, bool>)
    return static_cast<std::uint8_t>(argument);
  else
    return static_cast<std::make_unsigned_t<Argument>>(argument);
}

} // namespace detail

/// \tparam Writer  a ChannelWriter: of a Mailbox, `writer<"log ">()`
/// \tparam Clock   `now()`, whose low 32 bits become a line's time; or NoTime
/// \tparam Least   what is below leaves nothing in the program
template <class Writer, class Clock = NoTime, LogLevel Least = LogLevel::trace>
class Log {
public:
  explicit constexpr Log(Writer writer, Clock clock = {}) noexcept : writer_(writer), clock_(clock) {}
  /// The same with another least level.
  template <LogLevel Other>
  [[nodiscard]] constexpr Log<Writer, Clock, Other> from() const noexcept {
    return Log<Writer, Clock, Other>(writer_, clock_);
  }

  /// A line of the log. If the channel has no room it is lost, and counted there.
  ///
  /// \param arguments  as for `print`; of texts as many characters as the longest record holds
  /// \cost  O(arguments and characters of texts)
  template <LogFormat Text, class... Arguments>
  [[gnu::always_inline]] inline void trace(const Arguments&... arguments) const noexcept {
    write<Text, LogLevel::trace>(arguments...);
  }
  template <LogFormat Text, class... Arguments>
  [[gnu::always_inline]] inline void debug(const Arguments&... arguments) const noexcept {
    write<Text, LogLevel::debug>(arguments...);
  }
  template <LogFormat Text, class... Arguments>
  [[gnu::always_inline]] inline void info(const Arguments&... arguments) const noexcept {
    write<Text, LogLevel::info>(arguments...);
  }
  template <LogFormat Text, class... Arguments>
  [[gnu::always_inline]] inline void warning(const Arguments&... arguments) const noexcept {
    write<Text, LogLevel::warning>(arguments...);
  }
  template <LogFormat Text, class... Arguments>
  [[gnu::always_inline]] inline void error(const Arguments&... arguments) const noexcept {
    write<Text, LogLevel::error>(arguments...);
  }

  /// The time since the start, of which lines have the low 32 bits: told once before those wrap, a host knows the times of
  /// all lines, whenever it comes.
  /// \return false: there was no room, and no line is lost
  bool time(std::uint64_t ticks) const noexcept {
    Writer writer = writer_;
    constexpr std::uint32_t most = 8; // this, and what tells of lost lines
    if (writer.shape().when_full == WhenFull::refuse_newest && writer.waiting() + most > writer.shape().capacity)
      return false;
    return writer.write(log_layout::time, 0, ticks, ticks >> 32);
  }

private:
  static constexpr bool has_time = !std::is_same_v<Clock, NoTime>;

  template <LogFormat Text, LogLevel Level, class... Arguments>
  [[gnu::always_inline]] inline void write(const Arguments&... arguments) const noexcept {
    using Checked = CheckedFormat<Format(Text.text), Arguments...>;
    if constexpr (Level >= Least && sizeof(Checked) != 0 && Checked::parts.places == sizeof...(Arguments)) {
      constexpr log_layout::Packing packing(Checked::types);
      std::array<std::uint32_t, packing.words + has_time> words{};
      if constexpr (has_time) words[0] = static_cast<std::uint32_t>(clock_.now());
      [&]<std::size_t... At>(std::index_sequence<At...>) {
        (pack<packing.positions[At].word + has_time, packing.positions[At].bit>(words, arguments), ...);
      }
      (std::index_sequence_for<Arguments...>{});
      const auto* const entry =
          reinterpret_cast<const char*>(&log_entry<Text, has_time, Level, detail::argument_type<Arguments>()...>);
      // The token is a quarter of its place in the section, which begins at 0 where an address has 32 bits.
      const auto place =
          static_cast<std::uint32_t>(sizeof(void*) == 4 ? reinterpret_cast<std::uintptr_t>(entry)
                                                        : static_cast<std::uintptr_t>(entry - &target::log_texts));
      if constexpr (packing.texts == 0)
        write_words(place << 14, words, std::make_index_sequence<words.size()>{});
      else
        write_texts(place << 14, words, limited<packing.texts>(words.size(), arguments)...);
    }
  }
  template <std::size_t Word, unsigned Bit, std::size_t Words, class Argument>
  [[gnu::always_inline]] static void pack(std::array<std::uint32_t, Words>& words, const Argument& argument) noexcept {
    if constexpr (argument_kind<Argument> != ArgumentKind::text) {
      const auto bits = detail::bits_of(argument);
      words[Word] |= static_cast<std::uint32_t>(bits) << Bit;
      if constexpr (sizeof(bits) == 8) words[Word + 1] = static_cast<std::uint32_t>(std::uint64_t{bits} >> 32);
    }
  }
  template <class Argument>
  static constexpr ArgumentKind argument_kind = detail::argument_type<Argument>().kind;

  /// The head is a sum of the token, which is in its place already, and of what `write` adds.
  template <std::size_t... At>
  [[gnu::always_inline]] void write_words(std::uint32_t token, const std::array<std::uint32_t, sizeof...(At)>& words,
                                          std::index_sequence<At...>) const noexcept {
    Writer writer = writer_;
    (void)writer.template write_or_tell<log_layout::lost>(token, 0, words[At]...);
  }
  /// As much of a text as each of so many can have; of what is no text nothing.
  template <std::uint32_t Texts, class Argument>
  [[nodiscard]] constexpr auto limited(std::size_t words, const Argument& argument) const noexcept {
    if constexpr (argument_kind<Argument> == ArgumentKind::text) {
      const std::size_t longest = writer_.shape().longest;
      const std::size_t room = (longest > words ? longest - words : 0) / Texts * 4, most = room > 256 ? 255 : room - 1;
      const std::span<const char> text = detail::characters_of(argument);
      return room == 0 ? text.first(0) : text.first(text.size() < most ? text.size() : most);
    } else {
      return nullptr;
    }
  }
  template <std::size_t Words, class... Texts>
  void write_texts(std::uint32_t token, const std::array<std::uint32_t, Words>& words, Texts... texts) const noexcept {
    Writer writer = writer_;
    const auto size = static_cast<std::uint32_t>((Words + ... + words_of_text(texts)));
    std::uint32_t* to = writer.template begin_or_tell<log_layout::lost>(size);
    if (to == nullptr) return;
    *to++ = token | head(0, size);
    for (const std::uint32_t word : words) *to++ = word;
    (put_text(to, texts), ...);
    writer.end(size);
  }
  [[nodiscard]] static constexpr std::size_t words_of_text(std::span<const char> text) noexcept {
    return (text.size() + 4) / 4;
  }
  [[nodiscard]] static constexpr std::size_t words_of_text(std::nullptr_t) noexcept { return 0; }
  static void put_text(std::uint32_t*& to, std::span<const char> text) noexcept {
    detail::pack_text(to, text);
    to += words_of_text(text);
  }
  static void put_text(std::uint32_t*&, std::nullptr_t) noexcept {}

  Writer writer_;
  [[no_unique_address]] Clock clock_;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
