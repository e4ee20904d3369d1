// SPDX-License-Identifier: BSL-1.0
/// \file
/// How the processes that run one network reach each other: as ranks, each of which gives a message to all others at once.
///
///     auto world = network::SharedMemory::fork(4);        // transport/shared_memory.hpp: this process, four times from here on
///     auto world = network::Mpi::begin(argc, argv);       // transport/mpi.hpp: started by mpiexec
///     auto made = network::Engine::make(net, {.transport = &world.value()});
///
/// All ranks do the same in the same order. A rank that ends, by whatever way, ends the others' waiting with its number.
// host-only
#ifndef NEUROMORPH_NETWORK_TRANSPORT_HPP
#define NEUROMORPH_NETWORK_TRANSPORT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// The refusal of who waited for a rank.
[[nodiscard]] inline Refusal rank_failed(unsigned rank, std::string why) {
  return {{Error::rank_failed, 0, rank, "rank"}, "rank " + std::to_string(rank), std::move(why)};
}

/// One of several processes of the same program. Used from one thread at a time.
class Transport {
public:
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// From 0.
  [[nodiscard]] unsigned rank() const noexcept { return rank_; }
  [[nodiscard]] unsigned ranks() const noexcept { return ranks_; }

  /// Begins to give a message to all ranks, and goes on at once. The words must stay as they are until `end`.
  /// \pre    each rank does; `end` was called since the last one
  /// \errors rank_failed
  [[nodiscard]] Refusal begin(const std::vector<std::uint32_t>& words) {
    if (is_over_) return over_;
    is_under_way_ = true;
    own_.assign(1, goes_on);
    own_.insert(own_.end(), words.begin(), words.end());
    return mind(give(own_));
  }
  /// Waits for the messages of all ranks.
  /// \errors rank_failed: the first that has left, or is gone, or that the system lost; from then on all is refused
  [[nodiscard]] Refusal end() {
    if (is_over_) return over_;
    is_under_way_ = false;
    if (Refusal refusal = mind(wait()); !refusal) return refusal;
    for (unsigned rank = 0; rank < ranks_; ++rank)
      if (const auto words = given(rank); words.empty() || words[0] != goes_on)
        return mind(rank_failed(rank, "it has left while the others went on"));
    return {};
  }
  /// What a rank gave last, until the next `begin`.
  /// \pre `end` was not refused
  [[nodiscard]] std::span<const std::uint32_t> message(unsigned rank) const noexcept { return given(rank).subspan(1); }

protected:
  Transport() = default;
  void become(unsigned rank, unsigned ranks) noexcept { rank_ = rank, ranks_ = ranks; }
  /// For destructors: tells the others, if they still wait for anything, that this rank does not come again.
  void leave() noexcept {
    try {
      if (is_under_way_ && !end()) return;
      if (is_over_ || ranks_ <= 1) return;
      own_.assign(1, leaves);
      if (mind(give(own_))) static_cast<void>(mind(wait()));
    } catch (...) { // others see that the process has ended
    }
    is_over_ = true;
  }
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

private:
  static constexpr std::uint32_t goes_on = 0, leaves = 1;

  /// Gives words to all ranks, without waiting for them.
  virtual Refusal give(std::span<const std::uint32_t> words) = 0;
  /// Waits until those of all ranks are there.
  virtual Refusal wait() = 0;
  /// Those of a rank, this one included.
  [[nodiscard]] virtual std::span<const std::uint32_t> given(unsigned rank) const noexcept = 0;

  Refusal mind(Refusal refusal) {
    if (!refusal) is_over_ = true, over_ = refusal;
    return refusal;
  }

  unsigned rank_ = 0, ranks_ = 1;
  bool is_under_way_ = false, is_over_ = false;
  Refusal over_{};
  std::vector<std::uint32_t> own_{};
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
