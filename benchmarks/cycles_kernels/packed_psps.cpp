// SPDX-License-Identifier: BSL-1.0
// What exactness costs psps of 16 bits with a sign, those of two neurons in a word: the shortest code that was found for a
// step of 32 neurons of which none fires, input set to zero, beside the same in C++.
//
//     leaks   psps and inputs are added as one word: a carry adds a unit to the psp of the second neuron
//     wraps   each psp gets its own input; one that leaves its range is wrong
//     held    psps are held at the ends of their range, which the Q flag tells
//     words   psps of 32 bits, held, as synapse::Driven<1> has them
//
// On Cortex-M4, which adds halves of words without a carry and holds them at the ends of their range, uncounted: leaks
// and held.
#include <array>
#include <cstddef>
#include <cstdint>

#include "measure.hpp"

namespace {

constexpr std::size_t neurons = 32;

struct Cells {
  std::array<std::int32_t, neurons> membrane;
  std::array<std::uint32_t, neurons> psp, input; ///< two neurons to a word in the first half; or words
  bool operator==(const Cells&) const = default;
};

constexpr std::int32_t decay = -330;         // of a membrane, 2^16 (exp(-dt/tau) - 1)
constexpr std::int32_t keep = 64238;         // of a psp, 2^16 exp(-dt/tau)
constexpr std::int32_t keep_31 = keep << 15; // 2^31 exp(-dt/tau)
constexpr std::int32_t drive = 3, drive_15 = drive << 15;

enum class Form { leaks, wraps, held, leaks_not, words };

constexpr std::int32_t product(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>((std::int64_t{a} * b) >> 16);
}
constexpr std::int32_t held(std::int64_t sum) {
  return static_cast<std::int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}
constexpr std::int32_t half(std::uint32_t word, unsigned which) {
  return static_cast<std::int16_t>(word >> 16 * which);
}

template <Form form>
void plain(Cells& cells) {
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
    std::int32_t& v = cells.membrane[neuron];
    v += product(v, decay);
    if constexpr (form == Form::words) {
      const auto psp = static_cast<std::int32_t>(cells.psp[neuron]);
      v += psp >> 8;
      cells.psp[neuron] = static_cast<std::uint32_t>(
          held(static_cast<std::int32_t>(cells.input[neuron]) + std::int64_t{2} * (drive + product(psp, keep / 2))));
      cells.input[neuron] = 0;
    } else {
      const unsigned which = neuron % 2;
      std::uint32_t& psps = cells.psp[neuron / 2];
      std::uint32_t& inputs = cells.input[neuron / 2];
      if (form == Form::leaks && which == 0) psps += inputs;
      std::int32_t psp = half(psps, which);
      const std::int32_t input = half(inputs, which);
      if constexpr (form == Form::leaks) {
        psp = product(keep, psp) + drive;
        v += psp * 128;
      } else if constexpr (form == Form::leaks_not) {
        psp = product(keep, held((std::int64_t{psp} + input) * 65536) >> 16) + drive;
        v += psp * 128;
      } else if constexpr (form == Form::wraps) {
        psp = product(keep, psp) + drive + input;
        v += psp * 128;
      } else {
        psp = held(std::int64_t{input} * 65536 + held(std::int64_t{2} * (product(keep_31, psp) + drive_15)));
        v += psp >> 9;
        psp >>= 16;
      }
      psps = which == 0 ? (psps & 0xFFFF0000U) | (static_cast<std::uint32_t>(psp) & 0xFFFF)
                        : (psps & 0xFFFFU) | static_cast<std::uint32_t>(psp) << 16;
      if (which == 1) inputs = 0;
    }
  }
}

#define LOOP(...)                                                                                                      \
  std::int32_t *v = cells.membrane.data(), a, b, x, y, t;                                                              \
  std::uint32_t *p = cells.psp.data(), *in = cells.input.data();                                                       \
  asm volatile(                                                                                                        \
      __VA_ARGS__                                                                                                      \
      : "+r"(v), [p] "+r"(p), [in] "+r"(in), [a] "=&r"(a), [b] "=&r"(b), [x] "=&r"(x), [y] "=&r"(y), [t] "=&r"(t)      \
      : [f] "r"(f), [q] "r"(q), [c] "r"(c), [zero] "r"(0)                                                              \
      : "cc", "memory")
#define LINE(text) text "\n\t"

/// f: the psps' factor, q their drive, c the membranes' factor and, in the upper half, a one.
template <Form form>
[[gnu::always_inline]] inline void step(Cells& cells, std::int32_t f, std::int32_t q, std::int32_t c) {
#if defined(__thumb__)
#define PACKED(add)                                                                                                    \
  LOOP(LINE(".rept 16") LINE("ldr.w %[a], [%[p]]") LINE("ldr.w %[b], [%[in]]") LINE("ldr.w %[x], [%0]")                \
           LINE("ldr.w %[y], [%0, #4]") LINE("str.w %[zero], [%[in]], #4") LINE(add " %[a], %[a], %[b]")               \
               LINE("smlawb %[t], %[f], %[a], %[q]") LINE("smlawb %[x], %[x], %[c], %[x]")                             \
                   LINE("smlawt %[b], %[f], %[a], %[q]") LINE("smlawb %[y], %[y], %[c], %[y]")                         \
                       LINE("adds.w %[x], %[x], %[t], lsl #7") LINE("strh.w %[t], [%[p]], #2")                         \
                           LINE("str.w %[x], [%0], #4") LINE("adds.w %[y], %[y], %[b], lsl #7")                        \
                               LINE("strh.w %[b], [%[p]], #2") LINE("str.w %[y], [%0], #4") LINE(".endr"))
  if constexpr (form == Form::leaks) {
    PACKED("add.w");
  } else {
    PACKED("qadd16");
  }
#else
  if constexpr (form == Form::leaks) { // 16 for a pair
    LOOP(LINE(".rept 16") LINE("ldr %[a], [%[p]]") LINE("ldr %[b], [%[in]]") LINE("ldr %[x], [%0]")
             LINE("add %[a], %[a], %[b]") LINE("ldr %[y], [%0, #4]") LINE("str %[zero], [%[in]], #4")
                 LINE("smlawb %[t], %[f], %[a], %[q]") LINE("smlawb %[x], %[x], %[c], %[x]")
                     LINE("smlawt %[b], %[f], %[a], %[q]") LINE("smlawb %[y], %[y], %[c], %[y]")
                         LINE("adds %[x], %[x], %[t], lsl #7") LINE("strh %[t], [%[p]], #2") LINE("str %[x], [%0], #4")
                             LINE("adds %[y], %[y], %[b], lsl #7") LINE("strh %[b], [%[p]], #2")
                                 LINE("str %[y], [%0], #4") LINE(".endr"));
  } else if constexpr (form == Form::wraps) { // 17: two products by one for a sum
    LOOP(LINE(".rept 16") LINE("ldr %[a], [%[p]]") LINE("ldr %[b], [%[in]]") LINE("ldr %[x], [%0]")
             LINE("smlawb %[t], %[f], %[a], %[q]") LINE("ldr %[y], [%0, #4]") LINE("smlawt %[a], %[f], %[a], %[q]")
                 LINE("smlabt %[t], %[b], %[c], %[t]") LINE("smlatt %[a], %[b], %[c], %[a]")
                     LINE("smlawb %[x], %[x], %[c], %[x]") LINE("smlawb %[y], %[y], %[c], %[y]")
                         LINE("str %[zero], [%[in]], #4") LINE("adds %[x], %[x], %[t], lsl #7")
                             LINE("strh %[t], [%[p]], #2") LINE("str %[x], [%0], #4")
                                 LINE("adds %[y], %[y], %[a], lsl #7") LINE("strh %[a], [%[p]], #2")
                                     LINE("str %[y], [%0], #4") LINE(".endr"));
  } else if constexpr (form == Form::held) { // 20: halves are brought up, parted, and brought down again
    LOOP(LINE(".rept 16") LINE("ldr %[a], [%[p]]") LINE("ldr %[b], [%[in]]") LINE("ldr %[x], [%0]")
             LINE("smlawb %[t], %[f], %[a], %[q]") LINE("smlawt %[a], %[f], %[a], %[q]") LINE("mov %[y], %[b], lsl #16")
                 LINE("qdadd %[t], %[y], %[t]") LINE("sub %[b], %[b], %[y], lsr #16") LINE("ldr %[y], [%0, #4]")
                     LINE("qdadd %[a], %[b], %[a]") LINE("smlawb %[x], %[x], %[c], %[x]")
                         LINE("smlawb %[y], %[y], %[c], %[y]") LINE("str %[zero], [%[in]], #4")
                             LINE("adds %[x], %[x], %[t], asr #9") LINE("str %[a], [%[p]]")
                                 LINE("mov %[t], %[t], lsr #16") LINE("str %[x], [%0], #4")
                                     LINE("adds %[y], %[y], %[a], asr #9") LINE("strh %[t], [%[p]], #4")
                                         LINE("str %[y], [%0], #4") LINE(".endr"));
  } else { // 10 for a neuron
    LOOP(LINE(".rept 32") LINE("ldr %[x], [%0]") LINE("ldr %[a], [%[p]]") LINE("smlawb %[x], %[x], %[c], %[x]")
             LINE("ldr %[b], [%[in]]") LINE("str %[zero], [%[in]], #4") LINE("adds %[x], %[x], %[a], asr #8")
                 LINE("smlawb %[a], %[a], %[f], %[q]") LINE("str %[x], [%0], #4") LINE("qdadd %[b], %[b], %[a]")
                     LINE("str %[b], [%[p]], #4") LINE(".endr"));
  }
#endif
}

Cells cells, expected;
std::uint32_t random_state = 1;
std::uint32_t drawn() {
  random_state ^= random_state << 13, random_state ^= random_state >> 17;
  return random_state ^= random_state << 5;
}

/// Psps and inputs of the whole range, but for those that must not leave it: of a quarter of it.
template <Form form>
void draw() {
  const auto word = [] {
    if (form != Form::wraps) return drawn();
    const std::uint32_t low = drawn() >> 18, high = drawn() >> 18;
    return (high - 0x2000) << 16 | ((low - 0x2000) & 0xFFFF);
  };
  for (std::int32_t& v : cells.membrane) v = -(1 << 26) - static_cast<std::int32_t>(drawn() >> 7);
  for (std::uint32_t& psp : cells.psp) psp = word();
  for (std::uint32_t& input : cells.input) input = word();
  expected = cells;
}

} // namespace

/// A function of its own: the compiler does not know how long the loop is.
#define COMPARE(form, factor, offset)                                                                                  \
  right = []() __attribute__((noinline)) {                                                                             \
    bool same = true;                                                                                                  \
    for (int turn = 0; turn < 20; ++turn) {                                                                            \
      draw<Form::form>();                                                                                              \
      plain<Form::form>(expected);                                                                                     \
      MEASURE("neuron.packed." #form, 32,                                                                              \
              step<Form::form>(*fresh(&cells), fresh(factor), fresh(offset), fresh((1 << 16) | (decay & 0xFFFF))));    \
      same = same && cells == expected;                                                                                \
    }                                                                                                                  \
    return same;                                                                                                       \
  }                                                                                                                    \
  () && right

bool run() {
  bool right = true;
  COMPARE(leaks, keep, drive);
#if defined(__thumb__)
  COMPARE(leaks_not, keep, drive);
#else
  COMPARE(wraps, keep, drive);
  COMPARE(held, keep_31, drive_15);
  COMPARE(words, keep / 2, drive);
#endif
  return right;
}
