// SPDX-License-Identifier: BSL-1.0
// The seeds of a random battery: from 1 on, or from NEUROMORPH_SEED on, the seed that a failure has printed or one that
// nobody has tried. `tests/run long` goes on with fresh ones for as long as it is given.
#ifndef TESTS_SUPPORT_SEEDS_HPP
#define TESTS_SUPPORT_SEEDS_HPP

#include <cstdint>
#include <cstdlib>

class Seeds {
public:
  explicit Seeds(std::uint32_t count) : first_(first()), last_(first_ + count) {}

  class Iterator {
  public:
    explicit Iterator(std::uint32_t seed) : seed_(seed) {}
    std::uint32_t operator*() const { return seed_; }
    Iterator& operator++() {
      ++seed_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return seed_ != other.seed_; }

  private:
    std::uint32_t seed_;
  };
  [[nodiscard]] Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] Iterator end() const { return Iterator(last_); }
  /// Somebody looks for new failures, and has the time.
  static bool are_given() { return std::getenv("NEUROMORPH_SEED") != nullptr; }

private:
  static std::uint32_t first() {
    const char* const given = std::getenv("NEUROMORPH_SEED");
    return given == nullptr ? 1 : static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10));
  }
  std::uint32_t first_, last_;
};

#endif
