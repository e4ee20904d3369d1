// SPDX-License-Identifier: BSL-1.0
// What a terminal and a file are shown of a run: how many lines, how long, and that a line in between stays whole.
#include <neuromorph/network/progress.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>

#include <tests/support/catch.hpp>
#include <tests/support/folders.hpp>

namespace {

using namespace neuromorph::network;

/// Both ends of a terminal of some columns.
class Terminal {
public:
  explicit Terminal(unsigned short columns) : ours_(posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(ours_ >= 0);
    REQUIRE(grantpt(ours_) == 0);
    REQUIRE(unlockpt(ours_) == 0);
    const winsize size{24, columns, 0, 0};
    stream_ = std::fopen(ptsname(ours_), "w");
    REQUIRE(stream_ != nullptr);
    REQUIRE(ioctl(fileno(stream_), TIOCSWINSZ, &size) == 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    std::fclose(stream_);
    close(ours_);
  }
  [[nodiscard]] std::FILE* stream() const { return stream_; }
  /// What was shown since.
  [[nodiscard]] std::string shown() const {
    std::string all;
    fcntl(ours_, F_SETFL, O_NONBLOCK);
    char part[4096];
    for (ssize_t length; (length = read(ours_, part, sizeof part)) > 0;)
      all.append(part, static_cast<std::size_t>(length));
    return all;
  }

private:
  int ours_;
  std::FILE* stream_ = nullptr;
};

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

} // namespace

TEST_CASE("progress: says how far, how fast, and how long still", "[network][progress]") {
  CHECK(progress_line(25'000, 100'000, 0.1, 1234, 5.0, 200) ==
        "[##########                              ]  25 %  2.5 of 10.0 s  0.5 times real time  1234 spikes  15 s left");
  CHECK(progress_line(0, 100, 0.1, 0, 0.0, 200) == "[                                        ]   0 %  0.0 of 0.0 s");
  CHECK(progress_line(100, 100, 1.0, 7, 0.05, 40) == "100 %  0.1 of 0.1 s  2 times real time  ");
  CHECK(progress_line(1, 1'000'000, 1.0, 7, 1.0, 200).find("277 h 46 min left") != std::string::npos);
  CHECK(progress_line(1, 100, 1.0, 7, 1.0, 200).find("1 min 39 s left") != std::string::npos);
  CHECK(progress_line(1, UINT64_MAX, 1.0, 7, 1.0, 200).find("a long time left") != std::string::npos);
  CHECK(progress_line(0, 0, 1.0, 0, 0.0, 200).find("100 %") != std::string::npos);
  CHECK(progress_line(999, 1000, 1.0, 0, 1.0, 200).find(" 99 %") != std::string::npos); // not done yet
  for (std::size_t most = 0; most < 120; ++most)
    for (std::uint64_t step = 0; step <= 100; step += 10)
      CHECK(progress_line(step, 100, 0.1, 1'000'000, 3.0, most).size() <= most);
}

TEST_CASE("progress: a terminal sees ten lines a second at most, none of them too long", "[network][progress]") {
  for (const int columns : {20, 60, 80, 200}) {
    const Terminal terminal(static_cast<unsigned short>(columns));
    Progress progress(10'000, 0.1, {.stream = terminal.stream()});
    std::string shown;
    for (std::uint64_t step = 1; step <= 10'000; ++step) {
      progress.at(step, step * 100, static_cast<double>(step) * 1e-3); // ten seconds
      if (step % 100 == 0) shown += terminal.shown();
    }
    const std::size_t lines = times(shown, "\r");
    INFO(columns << " columns, " << lines << " lines");
    CHECK(lines >= 95);
    CHECK(lines <= 101);
    CHECK(shown.find('\n') == std::string::npos);
    for (std::size_t at = shown.find('\r'); at != std::string::npos; at = shown.find('\r', at + 1))
      CHECK(shown.find("\033[K", at) - at <= static_cast<std::size_t>(columns)); // with the \r itself
  }
}

TEST_CASE("progress: a line in between is whole, and in the end nothing stays", "[network][progress]") {
  const Terminal terminal(80);
  {
    Progress progress(100, 0.1, {.stream = terminal.stream()});
    progress.at(10, 5, 1.0);
    progress.clear();
    std::fputs("a line of the log\n", terminal.stream());
    progress.clear(); // there is nothing more to take away
    progress.at(20, 5, 2.0);
  }
  const std::string shown = terminal.shown();
  CHECK(shown.find("\r\033[Ka line of the log\r\n\r[") != std::string::npos); // a terminal makes \r\n of \n
  CHECK(shown.substr(shown.size() - 4) == "\r\033[K");
  CHECK(times(shown, "\r\033[K") == 2);
}

TEST_CASE("progress: a file sees nothing, or whole lines if that was asked for", "[network][progress]") {
  const Folder folder;
  for (const ShowProgress show : {ShowProgress::on_terminal, ShowProgress::always, ShowProgress::never}) {
    std::FILE* const file = std::fopen((folder / "log").c_str(), "w");
    REQUIRE(file != nullptr);
    {
      Progress progress(10'000, 0.1, {.show = show, .stream = file});
      for (std::uint64_t step = 1; step <= 10'000; ++step) progress.at(step, 0, static_cast<double>(step) * 1e-3);
      progress.clear();
    }
    std::fclose(file);
    const std::string text = contents_of(folder / "log");
    if (show != ShowProgress::always) {
      CHECK(text.empty());
      continue;
    }
    CHECK(times(text, "\n") >= 9);
    CHECK(times(text, "\n") <= 11);
    CHECK(text.back() == '\n');
    CHECK(text.find_first_of("\r\033") == std::string::npos);
  }
  const Terminal terminal(80);
  Progress never(10, 0.1, {.show = ShowProgress::never, .stream = terminal.stream()});
  never.at(5, 0, 1.0);
  CHECK(terminal.shown().empty());
}

TEST_CASE("progress: goes by the time of the machine", "[network][progress]") {
  const Terminal terminal(80);
  Progress progress(1000, 0.1, {.stream = terminal.stream()});
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t step = 1; step <= 1000; ++step) {
    progress.at(step, 0);
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const auto lines = static_cast<double>(times(terminal.shown(), "\r"));
  CHECK(lines >= 2);
  CHECK(lines <= seconds * 10 + 2);
}
