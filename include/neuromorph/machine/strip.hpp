// SPDX-License-Identifier: BSL-1.0
/// \file
/// A machine in several processes, its ranks: each has the cores and the memory of some chips. All do the same in the same order.
///
///     auto world = network::SharedMemory::fork(4); // or network::Mpi::begin(argc, argv)
///     machine::RunOptions options;
///     options.strip = machine::strip_of(*world.value(), machine::strips_of_boards(boards, 4));
///     machine::Applications applications(monitors, programs, options);
///
/// Boards stay whole where a host loads them, as programs of the system speak only with those of their board.
// host-only
#ifndef NEUROMORPH_MACHINE_STRIP_HPP
#define NEUROMORPH_MACHINE_STRIP_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

struct Strip {
  unsigned rank = 0, ranks = 1;
  std::vector<std::uint16_t> owner = {}; ///< [chip] its rank; empty: this process has all of them
  /// Gives words to all ranks, and calls take(rank, words) for those of each, in their order; network::Transport does it.
  using Take = std::function<void(unsigned rank, std::span<const std::uint32_t> words)>;
  std::function<Refusal(const std::vector<std::uint32_t>& own, const Take& take)> exchange = {};

  [[nodiscard]] bool has(mapping::Chip chip) const noexcept {
    return owner.empty() || (chip < owner.size() && owner[chip] == rank);
  }
  [[nodiscard]] bool is_one_of_many() const noexcept { return static_cast<bool>(exchange); }
};

/// As many chips for each rank, in the order of their numbers.
[[nodiscard]] inline std::vector<std::uint16_t> strips_of_chips(const mapping::Machine& of, unsigned ranks) {
  std::vector<std::uint16_t> owner(of.chips());
  const std::uint64_t count = of.grid_chips();
  for (mapping::Chip chip = 0; chip < owner.size(); ++chip) {
    const mapping::Chip place = of.is_virtual(chip) ? of.device(chip).chip : chip;
    owner[chip] = static_cast<std::uint16_t>(place * std::uint64_t{ranks} / count);
  }
  return owner;
}
/// As many boards for each rank, in the order of their numbers; what is of no board is of rank 0.
[[nodiscard]] inline std::vector<std::uint16_t> strips_of_boards(const mapping::Machine& of, unsigned ranks) {
  std::vector<std::uint16_t> owner(of.chips());
  for (mapping::Chip chip = 0; chip < owner.size(); ++chip)
    if (const mapping::Board board = of.board_of(chip); board < of.boards())
      owner[chip] = static_cast<std::uint16_t>(board * std::uint64_t{ranks} / of.boards());
  return owner;
}

/// That of a process of a network::Transport.
/// \param world  outlives it
template <class Transport>
[[nodiscard]] Strip strip_of(Transport& world, std::vector<std::uint16_t> owner) {
  Strip made{.rank = world.rank(), .ranks = world.ranks(), .owner = std::move(owner)};
  made.exchange = [&world](const std::vector<std::uint32_t>& own, const Strip::Take& take) {
    if (Refusal begun = world.begin(own); !begun) return begun;
    if (Refusal ended = world.end(); !ended) return ended;
    for (unsigned rank = 0; rank < world.ranks(); ++rank) take(rank, world.message(rank));
    return Refusal{};
  };
  return made;
}

/// A digest of all chips in their order, whoever has them.
/// \param add      add(digest, begin, end): chips of this process
/// \param refusal  gets what was wrong with the exchange
template <class Add>
[[nodiscard]] std::uint64_t digest_of_all(const Strip& strip, Add add, Refusal& refusal) {
  Digest digest;
  if (!strip.is_one_of_many()) return add(digest, mapping::Chip{0}, mapping::no_chip), digest.value();
  for (mapping::Chip begin = 0, end = 0; begin < strip.owner.size(); begin = end) {
    const unsigned turn = strip.owner[begin]; // it goes on where the one before has ended
    for (end = begin; end < strip.owner.size() && strip.owner[end] == turn; ++end) continue;
    if (turn == strip.rank) add(digest, begin, end);
    const Digest::State own = digest.state();
    refusal = strip.exchange({own.low, own.high}, [&](unsigned rank, std::span<const std::uint32_t> words) {
      if (rank == turn && words.size() == 2) digest = Digest::of({words[0], words[1]});
    });
    if (!refusal.ok()) break;
  }
  return digest.value();
}

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
