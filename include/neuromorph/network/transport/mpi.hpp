// SPDX-License-Identifier: BSL-1.0
/// \file
/// Ranks that an MPI has started, on one machine or on many.
///
///     auto world = network::Mpi::begin(count, words);      // of main
///     if (!world) return std::puts(world.sentence().c_str()), 1;
///     auto made = network::Engine::make(net, {.transport = world.value().get()});
///
/// A message is one gathering of all ranks, which goes on while the rank computes, and a second one where a message is longer
/// than those before. A process that ends without a word is the MPI's to find: mpiexec names it and ends the others. The only
/// header that needs an MPI, such as libopenmpi-dev of Debian, and its flags: those of `mpicxx`, or MPI::MPI_CXX of CMake.
// host-only
// needs: mpi.h
#ifndef NEUROMORPH_NETWORK_TRANSPORT_MPI_HPP
#define NEUROMORPH_NETWORK_TRANSPORT_MPI_HPP

#include <neuromorph/config.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/transport.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

class Mpi final : public Transport {
public:
  /// Begins MPI, unless the program has; ends it then, too. Only the thread that calls this may use the transport.
  /// \param count, words  of main, from which an MPI may take its own
  /// \errors rank_failed: the MPI refuses, or cannot have other threads beside the one that speaks
  [[nodiscard]] static Answer<std::unique_ptr<Mpi>> begin(int& count, char**& words) {
    int has_begun = 0, level = 0;
    MPI_Initialized(&has_begun);
    if (has_begun != 0)
      MPI_Query_thread(&level);
    else if (MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
      return rank_failed(0, "MPI does not begin");
    std::unique_ptr<Mpi> made(new Mpi(has_begun == 0));
    int rank = 0, ranks = 1;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &made->all_) != MPI_SUCCESS) return rank_failed(0, "MPI gives no communicator");
    MPI_Comm_set_errhandler(made->all_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(made->all_, &rank), MPI_Comm_size(made->all_, &ranks);
    made->become(static_cast<unsigned>(rank), static_cast<unsigned>(ranks));
    if (level < MPI_THREAD_FUNNELED)
      return rank_failed(made->rank(), "this MPI cannot have other threads beside the one that speaks");
    made->sizes_.resize(made->ranks()), made->offsets_.resize(made->ranks());
    return made;
  }

  /// Who did not hear all others to the end cannot end MPI in order: it says so and ends them all.
  ~Mpi() override {
    leave();
    if (has_lost_) {
      std::fprintf(stderr, "rank %u: MPI has failed, and all ranks end\n", rank());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (all_ != MPI_COMM_NULL) MPI_Comm_free(&all_);
    if (is_own_) MPI_Finalize();
  }

private:
  explicit Mpi(bool is_own) noexcept : is_own_(is_own) {}

  Refusal give(std::span<const std::uint32_t> words) override {
    own_.assign(words.begin(), words.end());
    // A slot of the gathering: how many words there are, and the first of them.
    slot_.assign(words_of_slot_, 0);
    slot_[0] = static_cast<std::uint32_t>(own_.size());
    std::copy_n(own_.begin(), (std::min)(own_.size(), words_of_slot_ - 1), slot_.begin() + 1);
    gathered_.resize(ranks() * words_of_slot_);
    return lost(MPI_Iallgather(slot_.data(), static_cast<int>(words_of_slot_), MPI_UINT32_T, gathered_.data(),
                               static_cast<int>(words_of_slot_), MPI_UINT32_T, all_, &request_));
  }
  Refusal wait() override {
    if (Refusal refusal = lost(MPI_Wait(&request_, MPI_STATUS_IGNORE)); !refusal) return refusal;
    std::size_t sum = 0, most = 0;
    for (unsigned rank = 0; rank < ranks(); ++rank) {
      const std::uint32_t size = gathered_[rank * words_of_slot_];
      sizes_[rank] = static_cast<int>(size);
      offsets_[rank] = static_cast<int>(rank * words_of_slot_ + 1);
      sum += size, most = (std::max)(most, std::size_t{size});
    }
    const bool is_whole = most < words_of_slot_;
    // All ranks choose the same slot for the next ones, with some room: a long message is not paid for by all that follow.
    words_of_slot_ =
        (std::min)((std::max)(most + most / 4 + 16, words_of_slot_ - words_of_slot_ / 16), most_words_of_slot);
    if (is_whole) return {};
    if (sum > 0x7FFF'FFFF) return mind_size(sum);
    std::vector<std::uint32_t> all(sum);
    int offset = 0;
    for (unsigned rank = 0; rank < ranks(); ++rank) offsets_[rank] = offset, offset += sizes_[rank];
    Refusal refusal = lost(MPI_Allgatherv(own_.data(), static_cast<int>(own_.size()), MPI_UINT32_T, all.data(),
                                          sizes_.data(), offsets_.data(), MPI_UINT32_T, all_));
    gathered_ = std::move(all);
    return refusal;
  }
  [[nodiscard]] std::span<const std::uint32_t> given(unsigned rank) const noexcept override {
    return std::span(gathered_).subspan(static_cast<std::size_t>(offsets_[rank]),
                                        static_cast<std::size_t>(sizes_[rank]));
  }

  Refusal lost(int answer) {
    if (answer == MPI_SUCCESS) return {};
    has_lost_ = true;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(answer, text.data(), &length);
    return rank_failed(rank(), "MPI fails: " + std::string(text.data(), static_cast<std::size_t>(length)));
  }
  Refusal mind_size(std::size_t sum) {
    return rank_failed(rank(), "messages of " + std::to_string(4 * sum) + " bytes are longer than MPI counts");
  }

  static constexpr std::size_t most_words_of_slot = std::size_t{1} << 16;
  bool is_own_, has_lost_ = false;
  MPI_Comm all_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::size_t words_of_slot_ = 64;
  std::vector<std::uint32_t> own_{}, slot_{}, gathered_{};
  std::vector<int> sizes_{}, offsets_{};
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
