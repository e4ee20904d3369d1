// SPDX-License-Identifier: BSL-1.0
// One core of the network as firmware, in 32 KB of code and 64 KB of data, with its rows in far memory: it makes them itself,
// and reads the spikes of the other cores from the file that the host has written. Says the same digests.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/target/device/copy_engine.hpp>
#include <neuromorph/target/device/semihosting.hpp>

#include "network.hpp"

namespace {

using namespace balanced;
using nm::target::Semihosting;

std::uint32_t number;
nm::Digest spikes;
std::uint32_t step_now, fired_now;

[[gnu::section(".far")]] Far far_memory;

struct Send {
  void operator()(std::uint32_t neuron) const noexcept;
};
constinit nm::target::CopyWords engine;
constinit balanced::Core<nm::target::CopyWords, Send> core(made, engine, Send{}, Rules(pair, vogels));

void Send::operator()(std::uint32_t neuron) const noexcept {
  spikes.add(step_now), spikes.add(neuron);
  ++fired_now;
  core.receive(key_of(number, neuron));
}

/// Words of 16 bits, the lower half first.
class Reader {
public:
  bool open(const char* path) {
    file_ = Semihosting::open_to_read(path);
    return file_ >= 0;
  }
  bool next(std::uint32_t& word) {
    if (at_ == filled_) {
      filled_ = Semihosting::read(file_, buffer_) / 2 * 2;
      at_ = 0;
      if (filled_ == 0) return false;
    }
    word = buffer_[at_] | static_cast<std::uint32_t>(buffer_[at_ + 1]) << 8;
    at_ += 2;
    return true;
  }

private:
  std::intptr_t file_ = -1;
  std::size_t at_ = 0, filled_ = 0;
  std::array<unsigned char, 512> buffer_{};
} reader;

/// A line of text.
class Line {
public:
  Line& text(const char* more) {
    while (*more != '\0') put(*more++);
    return *this;
  }
  Line& digest(std::uint64_t value) {
    for (int shift = 60; shift >= 0; shift -= 4) put("0123456789abcdef"[value >> shift & 15]);
    return *this;
  }
  /// \param width  filled with spaces from the left
  Line& decimal(std::uint32_t value, int width = 1) {
    char digits[10];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    for (; width > count; --width) put(' ');
    while (count != 0) put(digits[--count]);
    return *this;
  }
  /// To the standard output.
  void write() {
    text("\n");
    if (output_ < 0) output_ = Semihosting::open_to_write(":tt");
    Semihosting::write(output_, std::span<const char>(buffer_).first(length_));
    length_ = 0;
  }

private:
  void put(char letter) {
    if (length_ < sizeof buffer_) buffer_[length_++] = letter;
  }
  char buffer_[160] = {};
  std::size_t length_ = 0;
  std::intptr_t output_ = -1;
} line;

int refuse(const char* why) {
  line.text("balanced_plastic: ").text(why).write();
  return 2;
}

bool is(const char* option, const char* word) {
  for (; *option != '\0' && *option == *word; ++word) ++option;
  return *option == *word;
}
std::uint32_t whole(const char* text) {
  std::uint32_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + static_cast<std::uint32_t>(*text - '0');
  return value;
}

} // namespace

int main(int count, char** words) {
  std::uint32_t duration_s = 10;
  const char* path = nullptr;
  for (int at = 1; at + 1 < count; at += 2) {
    const char* const value = words[at + 1];
    if (is("--core", words[at])) number = whole(value);
    if (is("--duration", words[at])) duration_s = whole(value);
    if (is("--spikes", words[at])) path = value;
  }
  if (number >= cores) return refuse("--core takes a number from 0 to 4");
  if (path == nullptr || !reader.open(path)) return refuse("--spikes takes the file that the host has written");
  if (!build(number, far_memory)) return refuse("the rows do not fit");
  if (!load(number, far_memory, core)) return refuse("the rows are refused");

  for (std::uint32_t step = 1; step <= duration_s * steps_per_second; ++step) {
    step_now = step;
    add_input(number, core);
    core.run_step();
    std::uint32_t others = 0, key = 0;
    if (!reader.next(others)) return refuse("the file ends too early");
    for (; others != 0; --others) {
      if (!reader.next(key)) return refuse("the file ends too early");
      if (key >> 8 != number) core.receive(key);
    }
    core.run_spikes();
    if (step % steps_per_second != 0) continue;
    line.text("second ").decimal(step / steps_per_second, 3).text(" core ").decimal(number);
    line.text(" spikes ").digest(spikes.value()).text(" weights ").digest(digest_of_weights(number, far_memory));
    line.text(" fired ").decimal(fired_now).write();
    fired_now = 0;
  }
  return 0;
}
