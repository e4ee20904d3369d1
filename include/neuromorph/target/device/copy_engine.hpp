// SPDX-License-Identifier: BSL-1.0
/// \file
/// Who copies memory: the processor, by bytes, words or blocks, or a device that does it meanwhile.
///
///     const target::Transfer transfer = engine.start(to, from, bytes);
///     ... // other work; neither stretch of memory is to be written, nor `to` read
///     target::wait(engine, transfer);
#ifndef NEUROMORPH_TARGET_DEVICE_COPY_ENGINE_HPP
#define NEUROMORPH_TARGET_DEVICE_COPY_ENGINE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// The name of a transfer, to ask for its end; `none` for one that was not accepted.
enum class Transfer : std::uint32_t { none = 0 };

/// What a copy engine offers. Transfers of an engine complete in the order in which they were started.
///
///     is_immediate             a transfer is complete when `start` returns
///     start(to, from, bytes)   starts a copy between stretches of words that do not overlap, a whole number of words;
///                              Transfer::none if it cannot take another one now, and then it does nothing
///     is_complete(transfer)    whether all of it has arrived
///     poll()                   goes on, where that takes the processor
template <class Engine>
concept CopyEngine = requires(Engine& engine, const Engine& same, void* to, const void* from, std::size_t bytes,
                              Transfer transfer) {
  { Engine::is_immediate } -> std::convertible_to<bool>;
  { engine.start(to, from, bytes) } -> std::same_as<Transfer>;
  { same.is_complete(transfer) } -> std::same_as<bool>;
  engine.poll();
};

/// Until a transfer is complete.
template <CopyEngine Engine>
constexpr void wait(Engine& engine, Transfer transfer) noexcept {
  while (!engine.is_complete(transfer)) engine.poll();
}

namespace copy_engine {
/// What all engines that copy at once have in common.
struct Immediate {
  static constexpr bool is_immediate = true;
  [[nodiscard]] static constexpr bool is_complete(Transfer) noexcept { return true; }
  static constexpr void poll() noexcept {}

protected:
  static constexpr Transfer done{1};
};
} // namespace copy_engine

/// Byte by byte, any number of them, wherever they are: the way of SpiNNaker's operating system, to compare with.
struct CopyBytes : copy_engine::Immediate {
  static Transfer start(void* to, const void* from, std::size_t bytes) noexcept {
    auto* const target = static_cast<volatile unsigned char*>(to); // volatile, or the compiler takes words
    const auto* const source = static_cast<const unsigned char*>(from);
    for (std::size_t byte = 0; byte < bytes; ++byte) target[byte] = source[byte];
    return done;
  }
};

/// Word by word.
struct CopyWords : copy_engine::Immediate {
  static Transfer start(void* to, const void* from, std::size_t bytes) noexcept {
    using Word [[gnu::may_alias]] = std::uint32_t;
    auto* const target = static_cast<volatile Word*>(to);
    const auto* const source = static_cast<const Word*>(from);
    for (std::size_t word = 0; word < bytes / 4; ++word) target[word] = source[word];
    return done;
  }
};

/// As the backend copies words: by load and store multiple on ARM, two cycles a word and 17 in all on ARMv5TE
/// (benchmark copy/words).
template <class Target = Native>
struct CopyBlock : copy_engine::Immediate {
  static Transfer start(void* to, const void* from, std::size_t bytes) noexcept {
    // Where the loop is inlined, the compiler must not take for granted that only words are copied.
    asm volatile("" : "+r"(to), "+r"(from) : : "memory");
    Target::copy_words(static_cast<std::uint32_t*>(to), static_cast<const std::uint32_t*>(from), bytes / 4);
    asm volatile("" : : : "memory");
    return done;
  }
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
