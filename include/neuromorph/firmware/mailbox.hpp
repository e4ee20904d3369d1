// SPDX-License-Identifier: BSL-1.0
/// \file
/// The mailbox: a region of words that firmware shares with a host, or with another core. A head, what channels there
/// are, and the channels.
///
///     using Log = firmware::Channel<"log ", 1024>;
///     using Commands = firmware::Channel<"cmd<", 64, firmware::ChannelOptions{.direction = firmware::Direction::to_target}>;
///     [[gnu::section(".mailbox")]] firmware::Mailbox<Log, Commands> mailbox; // where the host looks for it
///
///     mailbox.start(clock_hz, image);
///     mailbox.writer<"log ">().write(kind, token, 1, 2);
///
/// The other side attaches a MailboxView to the same words, which checks all of the layout first. Each word has one
/// writer. See docs/mailbox.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_MAILBOX_HPP
#define NEUROMORPH_FIRMWARE_MAILBOX_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/device/shared_memory.hpp>
#include <neuromorph/when_full.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// Four letters, the first in the lowest byte of a word.
struct ChannelName {
  std::uint32_t letters = 0;
  constexpr ChannelName() noexcept = default;
  consteval ChannelName(const char (&text)[5]) noexcept {
    for (unsigned at = 0; at < 4; ++at)
      letters |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[at])) << 8 * at;
  }
  friend constexpr bool operator==(ChannelName, ChannelName) noexcept = default;
};

/// Who writes: the target, or the other side.
enum class Direction : std::uint8_t { to_host, to_target };

struct ChannelOptions {
  Direction direction = Direction::to_host;
  WhenFull when_full = WhenFull::refuse_newest;
  std::uint32_t longest = 15; ///< words that may follow the head of a record
};

/// A channel of a Mailbox.
/// \tparam Capacity  words of the ring, a power of two. It has 8 + longest more.
template <ChannelName Name, std::uint32_t Capacity, ChannelOptions Options = ChannelOptions{}>
struct Channel {
  static constexpr ChannelName name = Name;
  static constexpr ChannelOptions options = Options;
  using Shape = FixedChannelShape<Capacity, Options.longest, Options.when_full>;
  static constexpr std::uint32_t words = ring::words + Capacity + Options.longest;
  static_assert(Capacity >= 2 && Capacity <= 1U << 24 && (Capacity & (Capacity - 1)) == 0,
                "neuromorph: the Capacity of a channel is a power of two, 2 to 2^24; see docs/mailbox.md");
  static_assert(Options.longest <= 255 && Options.longest < Capacity,
                "neuromorph: the longest record of a channel has up to 255 words behind its head, and fewer than the "
                "Capacity; see docs/mailbox.md");
  static_assert(Options.direction == Direction::to_host || Options.when_full == WhenFull::refuse_newest,
                "neuromorph: a channel to the target refuses the newest record; see docs/mailbox.md");
};

/// The layout, in words. A head, a description of each channel, then each channel: ring::words words, the ring, and
/// `longest` words more.
namespace layout {
inline constexpr std::uint32_t magic = 0x584D4E21, ///< "!NMX", if its bytes stand in the order of this machine
    version = 1, most_channels = 64;
enum : std::uint32_t { // the head
  at_magic,
  at_version,
  at_bytes,            ///< of all of the region
  at_channels,         ///< how many
  at_starts,           ///< of the firmware over this region: resets + 1
  at_ticks_per_second, ///< of the clock that times in records come from; 0: they have none
  at_image,            ///< which program it is
  at_ready,            ///< `magic` when all else is written, and 0 before
  head_words,
};
enum : std::uint32_t { // the description of a channel
  at_name,
  at_direction,
  at_place, ///< of its first word, in words from the beginning of the region
  at_capacity,
  at_when_full,
  at_longest,
  description_words = 8, ///< two are 0
};
} // namespace layout

/// Why a region is no mailbox that this program can use.
enum class Misfit : std::uint8_t {
  none,
  window_too_short,
  not_ready,
  no_mailbox,
  other_byte_order,
  other_version,
  does_not_fit_window,
  too_many_channels,
  unknown_direction,
  unknown_when_full,
  wrong_capacity,
  wrong_longest,
  misplaced,
  same_name,
};

/// What a check of a layout says.
struct [[nodiscard]] LayoutStatus {
  Misfit misfit = Misfit::none;
  std::uint32_t channel = 0;           ///< which, if it is about one
  std::uint32_t found = 0, wanted = 0; ///< where two numbers should agree

  [[nodiscard]] constexpr bool ok() const noexcept { return misfit == Misfit::none; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return ok(); }
  friend constexpr bool operator==(const LayoutStatus&, const LayoutStatus&) noexcept = default;
};

/// The whole sentence. That of `tools/firmware` for the same region is the same.
/// \cost for a person to read: divisions
[[nodiscard]] constexpr Sentence sentence(const LayoutStatus& status) noexcept {
  neuromorph::detail::SentenceWriter writer;
  const auto write = [&](const char* before, std::uint32_t number, const char* behind) {
    writer.write(before);
    writer.write(std::uint64_t{number});
    writer.write(behind);
  };
  if (status.misfit >= Misfit::unknown_direction) write("channel ", status.channel, ": ");
  switch (status.misfit) {
  case Misfit::none: writer.write("the mailbox is as it should be"); break;
  case Misfit::window_too_short:
    write("a window of ", status.found, " words");
    write(" cannot hold a mailbox, whose head has ", status.wanted, "");
    break;
  case Misfit::not_ready: writer.write("the mailbox is not ready: the firmware has not started it yet"); break;
  case Misfit::no_mailbox: writer.write("there is no mailbox at this place: its first word is another"); break;
  case Misfit::other_byte_order:
    writer.write("the mailbox has the other byte order: the firmware runs on a machine that is not like this one");
    break;
  case Misfit::other_version:
    write("the mailbox has layout version ", status.found, "");
    write(", this program knows version ", status.wanted, "");
    break;
  case Misfit::does_not_fit_window:
    write("the mailbox has ", status.found, " bytes");
    write(", the window that shows it ", status.wanted, "");
    break;
  case Misfit::too_many_channels:
    write("the mailbox says that it has ", status.found, " channels");
    write(", and has room for ", status.wanted, "");
    break;
  case Misfit::unknown_direction: write("its direction is ", status.found, ", not 0 or 1"); break;
  case Misfit::unknown_when_full: write("what it does when it is full is ", status.found, ", not 0 or 1"); break;
  case Misfit::wrong_capacity: write("its ring has ", status.found, " words, which is no power of two"); break;
  case Misfit::wrong_longest:
    write("its longest record has ", status.found, " words behind its head");
    write(", more than ", status.wanted, "");
    break;
  case Misfit::misplaced:
    write("it begins at word ", status.found, ", in what is not its own or outside of the mailbox");
    break;
  case Misfit::same_name: write("it has the name of channel ", status.found, ""); break;
  }
  return writer.sentence();
}

/// The side of the firmware: the region itself. Zero before `start`, or what the program before left there.
///
/// \tparam Channels  Channel<...>; each name once
template <class... Channels>
class Mailbox {
  static_assert(sizeof...(Channels) >= 1 && sizeof...(Channels) <= layout::most_channels,
                "neuromorph: a Mailbox has 1 to 64 channels; see docs/mailbox.md");

public:
  static constexpr std::uint32_t channels = sizeof...(Channels);
  /// Of the head with all descriptions.
  static constexpr std::uint32_t layout_words = layout::head_words + channels * layout::description_words;
  /// Of the longest record of all channels, its head included.
  static constexpr std::uint32_t longest = [] {
    std::uint32_t most = 0;
    ((most = Channels::options.longest + 1 > most ? Channels::options.longest + 1 : most), ...);
    return most;
  }();
  /// Of all of the region.
  static constexpr std::uint32_t words = layout_words + (std::uint32_t{0} + ... + Channels::words);

  /// Begins: what the reader has not taken is kept if a program with the same channels ran here before, else all is
  /// cleared. The host sees the mailbox when all of it is written.
  ///
  /// \param ticks_per_second  of the clock whose times stand in records; 0: there are none
  /// \param image             which program this is, for tools that read its ELF
  /// \return                  how many times firmware has started over these words
  /// \cost   O(words)
  template <class Memory = target::SharedMemory>
  std::uint32_t start(std::uint32_t ticks_per_second, std::uint32_t image) noexcept {
    const bool is_again = is_mine<Memory>();
    const std::uint32_t starts = is_again ? Memory::load(words_[layout::at_starts]) + 1 : 1;
    Memory::store(words_[layout::at_ready], 0);
    Memory::order();
    if (!is_again) {
      for (std::uint32_t& word : words_) Memory::store(word, 0);
      for (std::uint32_t at = 1; at < wanted.size(); ++at) Memory::store(words_[at], wanted[at]);
      Memory::order();
      Memory::store(words_[layout::at_magic], layout::magic);
    }
    Memory::store(words_[layout::at_starts], starts);
    Memory::store(words_[layout::at_ticks_per_second], ticks_per_second);
    Memory::store(words_[layout::at_image], image);
    if (is_again) (resume<Channels, Memory>(), ...);
    Memory::order();
    Memory::store(words_[layout::at_ready], layout::magic);
    return starts;
  }

  /// Of a channel to the host; make it anew at each use, or keep it: it is an address.
  template <ChannelName Name, class Memory = target::SharedMemory>
  [[nodiscard]] constexpr auto writer() noexcept {
    static_assert(has(Name), "neuromorph: the Mailbox has no channel of this name; see docs/mailbox.md");
    static_assert(!has(Name) || direction_of(Name) == Direction::to_host,
                  "neuromorph: the other side writes this channel: it is to the target; see docs/mailbox.md");
    return ChannelWriter<ShapeOf<Name>, Memory>(words_.data() + place_of(Name));
  }
  /// Of a channel to the target.
  template <ChannelName Name, class Memory = target::SharedMemory>
  [[nodiscard]] constexpr auto reader() noexcept {
    static_assert(has(Name), "neuromorph: the Mailbox has no channel of this name; see docs/mailbox.md");
    static_assert(!has(Name) || direction_of(Name) == Direction::to_target,
                  "neuromorph: the other side reads this channel: it is to the host; see docs/mailbox.md");
    return ChannelReader<ShapeOf<Name>, Memory>(words_.data() + place_of(Name));
  }
  /// The words, for a MailboxView of this side: what sends them over a line is the host's deputy.
  [[nodiscard]] constexpr std::span<std::uint32_t> region() noexcept { return words_; }

  [[nodiscard]] static constexpr bool has(ChannelName name) noexcept { return ((Channels::name == name) || ...); }

private:
  [[nodiscard]] static constexpr std::uint32_t place_of(ChannelName name) noexcept {
    std::uint32_t place = layout_words;
    (void)((Channels::name == name || (place += Channels::words, false)) || ...);
    return place;
  }
  [[nodiscard]] static constexpr Direction direction_of(ChannelName name) noexcept {
    Direction direction = Direction::to_host;
    (void)((Channels::name == name && (direction = Channels::options.direction, true)) || ...);
    return direction;
  }
  template <ChannelName Name, class First, class... Rest>
  struct Find : Find<Name, Rest...> {};
  template <ChannelName Name, class First, class... Rest>
  requires(First::name == Name) struct Find<Name, First, Rest...> {
    using Shape = typename First::Shape;
  };
  template <ChannelName Name> // the last for a name that there is not, which is a sentence already
  using ShapeOf = typename Find<Name, Channels..., Channel<Name, 2, ChannelOptions{.longest = 0}>>::Shape;

  /// The head, but for what `start` is told, and all descriptions.
  static constexpr std::array<std::uint32_t, layout_words> wanted = [] {
    std::array<std::uint32_t, layout_words> made{};
    made[layout::at_magic] = layout::magic;
    made[layout::at_version] = layout::version;
    made[layout::at_bytes] = words * 4;
    made[layout::at_channels] = channels;
    std::uint32_t at = layout::head_words, place = layout_words;
    const auto describe = [&](ChannelName name, ChannelOptions options, std::uint32_t capacity, std::uint32_t size) {
      made[at + layout::at_name] = name.letters;
      made[at + layout::at_direction] = static_cast<std::uint32_t>(options.direction);
      made[at + layout::at_place] = place;
      made[at + layout::at_capacity] = capacity;
      made[at + layout::at_when_full] = static_cast<std::uint32_t>(options.when_full);
      made[at + layout::at_longest] = options.longest;
      at += layout::description_words;
      place += size;
    };
    (describe(Channels::name, Channels::options, Channels::Shape::capacity, Channels::words), ...);
    return made;
  }();
  static_assert(
      [] {
        std::array<std::uint32_t, channels> names{Channels::name.letters...};
        for (std::uint32_t at = 0; at < channels; ++at)
          for (std::uint32_t other = 0; other < at; ++other)
            if (names[at] == names[other]) return false;
        return true;
      }(),
      "neuromorph: two channels of a Mailbox have the same name; see docs/mailbox.md");

  /// Whether a program with the same channels has started here before.
  template <class Memory>
  [[nodiscard]] bool is_mine() const noexcept {
    for (std::uint32_t at = 0; at < wanted.size(); ++at) {
      const bool is_told = at >= layout::at_starts && at < layout::head_words;
      if (!is_told && Memory::load(words_[at]) != wanted[at]) return false;
    }
    return true;
  }
  template <class Given, class Memory>
  void resume() noexcept {
    if constexpr (Given::options.direction == Direction::to_host)
      (void)writer<Given::name, Memory>().resume();
    else
      reader<Given::name, Memory>().skip(); // what was meant for the program before
  }

  std::array<std::uint32_t, words> words_;
};

/// The other side: a host that has the region in its memory, or another core.
template <class Memory = target::SharedMemory>
class MailboxView {
public:
  /// Checks all of the layout, and shows the mailbox if it is right. Else it shows no channel.
  /// \param window  from the first word of the region on; longer than that is right
  LayoutStatus attach(std::span<std::uint32_t> window) noexcept {
    window_ = window;
    channels_ = 0;
    std::uint32_t count = 0;
    const LayoutStatus status = check(count);
    if (!status) return status;
    starts_ = head(layout::at_starts);
    channels_ = count;
    return status;
  }
  /// Whether the firmware has started anew, or is about to: attach again.
  [[nodiscard]] bool has_restarted() const noexcept {
    return channels_ == 0 || head(layout::at_ready) != layout::magic || head(layout::at_starts) != starts_;
  }

  [[nodiscard]] std::uint32_t channels() const noexcept { return channels_; }
  /// The number of the channel of that name; `channels()` if there is none.
  [[nodiscard]] std::uint32_t find(ChannelName name) const noexcept {
    std::uint32_t channel = 0;
    while (channel < channels_ && this->name(channel) != name) ++channel;
    return channel;
  }
  /// \pre channel < channels(), for these and those below
  [[nodiscard]] ChannelName name(std::uint32_t channel) const noexcept {
    ChannelName found;
    found.letters = description(channel, layout::at_name);
    return found;
  }
  [[nodiscard]] Direction direction(std::uint32_t channel) const noexcept {
    return static_cast<Direction>(description(channel, layout::at_direction));
  }
  [[nodiscard]] ChannelShape shape(std::uint32_t channel) const noexcept { return ring_of(channel).shape; }
  /// Of a channel whose description was changed since `attach`, and leads outside, an empty one.
  /// \pre direction(channel) is to_host
  [[nodiscard]] ChannelReader<ChannelShape, Memory> reader(std::uint32_t channel) noexcept {
    const Ring ring = ring_of(channel);
    return ChannelReader<ChannelShape, Memory>(fits(ring) ? window_.data() + ring.place : none_.data(),
                                               fits(ring) ? ring.shape : none);
  }
  /// Of such a channel one that refuses all that does not fit into two words, and leads nowhere.
  /// \pre direction(channel) is to_target
  [[nodiscard]] ChannelWriter<ChannelShape, Memory> writer(std::uint32_t channel) noexcept {
    const Ring ring = ring_of(channel);
    return ChannelWriter<ChannelShape, Memory>(fits(ring) ? window_.data() + ring.place : none_.data(),
                                               fits(ring) ? ring.shape : none);
  }
  [[nodiscard]] std::uint32_t starts() const noexcept { return starts_; }
  [[nodiscard]] std::uint32_t ticks_per_second() const noexcept { return head(layout::at_ticks_per_second); }
  [[nodiscard]] std::uint32_t image() const noexcept { return head(layout::at_image); }

private:
  [[nodiscard]] std::uint32_t head(std::uint32_t at) const noexcept { return Memory::load(window_[at]); }
  [[nodiscard]] std::uint32_t description(std::uint32_t channel, std::uint32_t at) const noexcept {
    return Memory::load(window_[layout::head_words + channel * layout::description_words + at]);
  }
  // What a description says, each word of it looked at once: the other side could change it between two looks.
  struct Ring {
    std::uint32_t place;
    ChannelShape shape;
  };
  [[nodiscard]] Ring ring_of(std::uint32_t channel) const noexcept {
    return {description(channel, layout::at_place),
            {description(channel, layout::at_capacity), description(channel, layout::at_longest),
             static_cast<WhenFull>(description(channel, layout::at_when_full))}};
  }
  static constexpr std::uint32_t most_capacity = 1U << 24;
  [[nodiscard]] static bool is_capacity(std::uint32_t words) noexcept {
    return words >= 2 && words <= most_capacity && (words & (words - 1)) == 0;
  }
  [[nodiscard]] bool fits(const Ring& ring) const noexcept {
    const auto [capacity, longest, when_full] = ring.shape;
    const auto window = static_cast<std::uint32_t>(window_.size());
    return is_capacity(capacity) && longest <= most_longest(capacity) && ring.place <= window &&
           ring::words + capacity + longest <= window - ring.place;
  }
  [[nodiscard]] static std::uint32_t most_longest(std::uint32_t capacity) noexcept {
    return capacity <= 256 ? capacity - 1 : 255;
  }
  [[nodiscard]] LayoutStatus check(std::uint32_t& channels) const noexcept {
    const auto window = static_cast<std::uint32_t>(window_.size());
    if (window < layout::head_words) return {Misfit::window_too_short, 0, window, layout::head_words};
    const std::uint32_t magic = head(layout::at_magic);
    if (magic == __builtin_bswap32(layout::magic)) return {Misfit::other_byte_order};
    if (magic != layout::magic) return {magic == 0 ? Misfit::not_ready : Misfit::no_mailbox};
    if (head(layout::at_version) != layout::version)
      return {Misfit::other_version, 0, head(layout::at_version), layout::version};
    if (head(layout::at_ready) != layout::magic) return {Misfit::not_ready};
    Memory::order();
    const std::uint32_t bytes = head(layout::at_bytes), words = bytes / 4, count = head(layout::at_channels);
    if (bytes % 4 != 0 || words > window) return {Misfit::does_not_fit_window, 0, bytes, window * 4};
    const std::uint32_t room =
        words < layout::head_words ? 0 : (words - layout::head_words) / layout::description_words;
    const std::uint32_t most = room < layout::most_channels ? room : layout::most_channels;
    if (count > most) return {Misfit::too_many_channels, 0, count, most};
    std::uint32_t free = layout::head_words + count * layout::description_words;
    for (std::uint32_t channel = 0; channel < count; ++channel) {
      const auto found = [&](std::uint32_t at) { return description(channel, at); };
      if (found(layout::at_direction) > 1) return {Misfit::unknown_direction, channel, found(layout::at_direction)};
      if (found(layout::at_when_full) > 1) return {Misfit::unknown_when_full, channel, found(layout::at_when_full)};
      const auto [place, shape] = ring_of(channel);
      if (!is_capacity(shape.capacity)) return {Misfit::wrong_capacity, channel, shape.capacity};
      if (shape.longest > most_longest(shape.capacity))
        return {Misfit::wrong_longest, channel, shape.longest, most_longest(shape.capacity)};
      const std::uint32_t size = ring::words + shape.capacity + shape.longest;
      if (place < free || place > words || size > words - place) return {Misfit::misplaced, channel, place};
      free = place + size; // in the order of their places
      for (std::uint32_t other = 0; other < channel; ++other)
        if (name(other) == name(channel)) return {Misfit::same_name, channel, other};
    }
    channels = count;
    return {};
  }

  static constexpr ChannelShape none{2, 0, WhenFull::refuse_newest};
  std::span<std::uint32_t> window_;
  std::array<std::uint32_t, ring::words + 2> none_{};
  std::uint32_t channels_ = 0, starts_ = 0;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
