// SPDX-License-Identifier: BSL-1.0
/// \file
/// What an image of a vertex says of itself, in its code behind the vectors: so that who loads it into an emulated core knows its memory,
/// and can look at its state. A chip makes nothing of it.
// not in the umbrella: for programs that others load
#ifndef NEUROMORPH_RUNTIME_IMAGE_HEAD_HPP
#define NEUROMORPH_RUNTIME_IMAGE_HEAD_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace runtime {

inline constexpr std::size_t recording_channels = 4;
/// Bytes that `message` takes at most.
inline constexpr std::size_t most_message_bytes = 272;

/// What a vertex takes, as bits of `ImageHead::offers`.
enum class Taken : std::uint32_t { packets = 1, payloads = 2, control = 4 };

/// Addresses are those of the core; words, as on any 32-bit machine.
struct ImageHead {
  static constexpr std::uint32_t first_mark = 0x6F72756E,
                                 second_mark = 0x0002'6870; ///< the layout's number in the upper half
  std::uint32_t mark[2];
  std::uint32_t data_end;    ///< of all variables, which begin where data memory does
  std::uint32_t stack_begin; ///< the lowest word of stacks, which end where data memory does
  std::uint32_t
      state; ///< a function that writes the numbers of the vertex's state to the address that it is given, all to the same
  std::uint32_t block;                     ///< a RuntimeBlock
  std::uint32_t counts;                    ///< the vertex's counters
  std::uint32_t regions, counters, offers; ///< how many, and which of `Taken`
  char name[16];                           ///< with a 0 at its end
};

/// What the runtime knows of itself.
struct RuntimeBlock {
  std::uint32_t error;                    ///< the code of `fail`, 0 if it was not called
  std::uint32_t lost[recording_channels]; ///< words for which a channel had no room
  std::uint32_t all_lost;                 ///< of all channels, and of those that there are not
  std::uint32_t time;                     ///< of the next tick
  std::uint32_t has_finished;             ///< whether `finish` was called in this run
};

} // namespace runtime
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
