// SPDX-License-Identifier: BSL-1.0
/// \file
/// How far a run is, for who watches it: a line with the rate, the spikes and the time left.
///
/// On a terminal the line is drawn over itself and is gone in the end; `clear` before anything else is printed there. In a file
/// it is a line each second, if that was asked for.
// host-only
#ifndef NEUROMORPH_NETWORK_PROGRESS_HPP
#define NEUROMORPH_NETWORK_PROGRESS_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

enum class ShowProgress : std::uint8_t { on_terminal, always, never };

struct ProgressOptions {
  ShowProgress show = ShowProgress::on_terminal;
  std::FILE* stream = stderr;
};

/// How far a run is, in words of at most so many characters.
/// \param seconds  that it took so far
[[nodiscard]] inline std::string progress_line(std::uint64_t step, std::uint64_t steps, double dt_ms,
                                               std::uint64_t spikes, double seconds, std::size_t most) {
  const auto time = [](double left) -> std::string {
    if (!(left < 1e9)) return "a long time";
    const auto whole = static_cast<std::uint64_t>(left + 0.5);
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  };
  const auto with = [](const char* format, double value) {
    std::array<char, 400> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return std::string(text.data());
  };
  const double done = steps == 0 ? 1.0 : (std::min)(1.0, static_cast<double>(step) / static_cast<double>(steps));
  const double simulated = static_cast<double>(step) * dt_ms / 1000.0;
  std::string words = with("%3.0f %%", std::floor(done * 100.0));
  words += with("  %.1f of ", simulated) + with("%.1f s", static_cast<double>(steps) * dt_ms / 1000.0);
  if (step != 0 && seconds > 0.0) {
    words += with("  %.3g times real time", simulated / seconds);
    words += "  " + std::to_string(spikes) + " spikes";
    words += "  " + time(seconds / done - seconds) + " left";
  }
  if (words.size() > most) words.resize(most);
  if (words.size() + 13 > most) return words; // no room for a bar
  const std::size_t width = (std::min)(std::size_t{40}, most - words.size() - 3);
  const auto full = static_cast<std::size_t>(done * static_cast<double>(width));
  return "[" + std::string(full, '#') + std::string(width - full, ' ') + "] " + words;
}

class Progress {
public:
  Progress(std::uint64_t steps, double dt_ms, const ProgressOptions& options = {})
      : steps_(steps), dt_ms_(dt_ms), stream_(options.stream), begun_(std::chrono::steady_clock::now()) {
    is_terminal_ = stream_ != nullptr && isatty(fileno(stream_)) != 0;
    is_shown_ = stream_ != nullptr &&
                (options.show == ShowProgress::always || (options.show == ShowProgress::on_terminal && is_terminal_));
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// After a step: at most ten lines a second on a terminal, one elsewhere.
  /// \param spikes  until now
  /// \cost  a look at the clock
  void at(std::uint64_t step, std::uint64_t spikes) {
    if (is_shown_) at(step, spikes, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count());
  }
  /// The same by another clock, in seconds since the run began.
  void at(std::uint64_t step, std::uint64_t spikes, double seconds) {
    if (!is_shown_ || seconds < next_) return;
    next_ = seconds + (is_terminal_ ? 0.1 : 1.0);
    const std::string line = progress_line(step, steps_, dt_ms_, spikes, seconds, is_terminal_ ? columns() - 1 : 200);
    // In one piece, so that nothing of others comes between.
    put(is_terminal_ ? "\r" + line + "\033[K" : line + "\n");
    is_drawn_ = is_terminal_;
  }
  /// Takes the line away, so that another may be printed where it was; the next `at` draws it again.
  void clear() {
    if (is_drawn_) put("\r\033[K");
    is_drawn_ = false;
  }

private:
  void put(const std::string& text) const {
    std::fwrite(text.data(), 1, text.size(), stream_);
    std::fflush(stream_);
  }
  /// A longer line would be broken, and stay.
  [[nodiscard]] std::size_t columns() const {
    struct winsize size {};
    return ioctl(fileno(stream_), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : std::size_t{80};
  }

  std::uint64_t steps_;
  double dt_ms_;
  std::FILE* stream_;
  std::chrono::steady_clock::time_point begun_;
  double next_ = 0.0;
  bool is_terminal_ = false, is_shown_ = false, is_drawn_ = false;
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
