// SPDX-License-Identifier: BSL-1.0
// What changed headers call: each function gives what the original would, unless its number is the chosen one.
//
// A binary operator `a < b` is written `a < op(7) < b`, which keeps precedence, and so needs no parser. In constant
// evaluation nothing is changed. NEUROMORPH_MUTANT is the number, -1 to note which are asked in the file
// NEUROMORPH_REACHED; NEUROMORPH_MUTANT_MS is a limit of processor time.
#ifndef NEUROMORPH_TESTS_MUTATION_MUTANTS_HPP
#define NEUROMORPH_TESTS_MUTATION_MUTANTS_HPP

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

namespace mutants {

constexpr int most = 20000;
constexpr int no_such_change = 77; // exit status: the other operation does not exist for these types

inline unsigned char* reached = nullptr; // shared with processes that a test forks
inline int chosen = 0;

inline long number_of(const char* variable) noexcept {
  const char* text = std::getenv(variable);
  return text ? std::atol(text) : 0;
}
/// Ends a process that takes too much time, also one that a test forks: of the processor, or ten times as much waiting.
inline void limit() noexcept {
  const long ms = number_of("NEUROMORPH_MUTANT_MS"), all = 10 * ms + 10'000;
  if (ms == 0) return;
  const itimerval busy{{0, 0}, {ms / 1000, ms % 1000 * 1000}}, waiting{{0, 0}, {all / 1000, 0}};
  setitimer(ITIMER_PROF, &busy, nullptr);
  setitimer(ITIMER_REAL, &waiting, nullptr);
}
inline int start() noexcept {
  limit();
  pthread_atfork(nullptr, nullptr, limit);
  const rlimit memory{std::size_t{2} << 30, std::size_t{2} << 30}, no_core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  chosen = static_cast<int>(number_of("NEUROMORPH_MUTANT"));
  if (chosen == -1) {
    reached =
        static_cast<unsigned char*>(mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::atexit([] {
      if (std::FILE* file = std::fopen(std::getenv("NEUROMORPH_REACHED"), "wb")) {
        std::fwrite(reached, 1, most, file);
        std::fclose(file);
      }
    });
  }
  return chosen;
}
inline const int started = start();

[[gnu::always_inline]] inline bool is_chosen(int number) noexcept {
  if (chosen == -1) [[unlikely]]
    reached[number] = 1;
  return chosen == number;
}
[[nodiscard, gnu::always_inline]] constexpr bool is(int number) noexcept {
  if (std::is_constant_evaluated()) return false;
  return is_chosen(number);
}
[[noreturn]] inline void refuse() noexcept { _exit(no_such_change); }

/// A condition: the other way round.
[[nodiscard, gnu::always_inline]] constexpr bool flip(bool value, int number) noexcept { return is(number) != value; }
/// One of two operands of a logical operator: left out, that is, `neutral`; turned when the operators are exchanged.
[[nodiscard, gnu::always_inline]] constexpr bool operand(bool value, bool neutral, int dropped,
                                                         int exchanged) noexcept {
  if (is(dropped)) return neutral;
  return is(exchanged) != value;
}
/// A condition whose body leaves: never.
[[nodiscard, gnu::always_inline]] constexpr bool unless(bool value, int number) noexcept {
  return !is(number) && value;
}
/// A statement: left out.
[[nodiscard, gnu::always_inline]] constexpr bool keep(int number) noexcept { return !is(number); }

/// A number: one more, and with the next number one less.
template <class Value>
[[nodiscard, gnu::always_inline]] constexpr Value number(const Value& value, int number) noexcept {
  if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
    if (is(number)) return static_cast<Value>(value + Value{1});
    if (is(number + 1)) return static_cast<Value>(value - Value{1});
  } else {
    if (is(number) || is(number + 1)) refuse();
  }
  return value;
}

constexpr bool differ(const char* one, const char* other) {
  for (; *one == *other; ++one, ++other)
    if (*one == 0) return false;
  return true;
}

struct Op {
  int number;
};
[[nodiscard, gnu::always_inline]] constexpr Op op(int number) noexcept { return {number}; }

// MUTANT(name, operator, its replacement, another one or the same: then the next number is not its own)
#define MUTANT(Name, op_, first, second)                                                                               \
  template <class Left>                                                                                                \
  struct Name {                                                                                                        \
    const Left& left;                                                                                                  \
    int number;                                                                                                        \
    template <class Right>                                                                                             \
    [[nodiscard, gnu::always_inline]] friend constexpr auto operator op_(const Name& self, const Right& right) {       \
      using Value = std::remove_cvref_t<decltype(self.left op_ right)>;                                                \
      if (is(self.number)) {                                                                                           \
        if constexpr (requires { static_cast<Value>(self.left first right); })                                         \
          return static_cast<Value>(self.left first right);                                                            \
        else                                                                                                           \
          refuse();                                                                                                    \
      }                                                                                                                \
      if (differ(#first, #second) && is(self.number + 1)) {                                                            \
        if constexpr (requires { static_cast<Value>(self.left second right); })                                        \
          return static_cast<Value>(self.left second right);                                                           \
        else                                                                                                           \
          refuse();                                                                                                    \
      }                                                                                                                \
      return self.left op_ right;                                                                                      \
    }                                                                                                                  \
  };                                                                                                                   \
  template <class Left>                                                                                                \
  [[nodiscard, gnu::always_inline]] constexpr Name<Left> operator op_(const Left& left, Op op) {                       \
    return {left, op.number};                                                                                          \
  }
MUTANT(Less, <, <=, >=)
MUTANT(LessEqual, <=, <, >)
MUTANT(Greater, >, >=, <=)
MUTANT(GreaterEqual, >=, >, <)
MUTANT(Equal, ==, !=, !=)
MUTANT(NotEqual, !=, ==, ==)
MUTANT(Plus, +, -, -)
MUTANT(Minus, -, +, +)
MUTANT(Times, *, +, +)
MUTANT(Over, /, *, *)
MUTANT(Modulo, %, /, /)
MUTANT(And, &, |, |)
MUTANT(Or, |, &, &)
MUTANT(Xor, ^, |, |)
MUTANT(ShiftLeft, <<, >>, >>)
MUTANT(ShiftRight, >>, <<, <<)
#undef MUTANT

/// `target += value` is written `changed(target, 7) += value`.
template <class Target>
struct Changed {
  Target& target;
  int number;
#define MUTANT(op_, other)                                                                                             \
  template <class Value>                                                                                               \
  [[gnu::always_inline]] constexpr Target& operator op_(const Value& value) {                                          \
    if (is(number)) {                                                                                                  \
      if constexpr (requires { target other value; })                                                                  \
        target other value;                                                                                            \
      else                                                                                                             \
        refuse();                                                                                                      \
    } else {                                                                                                           \
      target op_ value;                                                                                                \
    }                                                                                                                  \
    return target;                                                                                                     \
  }
  MUTANT(+=, -=)
  MUTANT(-=, +=)
  MUTANT(*=, +=)
  MUTANT(/=, *=)
  MUTANT(%=, /=)
  MUTANT(&=, |=)
  MUTANT(|=, &=)
  MUTANT(^=, |=)
  MUTANT(<<=, >>=)
  MUTANT(>>=, <<=)
#undef MUTANT
};
template <class Target>
[[nodiscard, gnu::always_inline]] constexpr Changed<Target> changed(Target& target, int number) {
  return {target, number};
}

} // namespace mutants

#endif
