// SPDX-License-Identifier: BSL-1.0
// The processes that share a network or a machine: those of mpiexec, or copies of this one, or this one alone.
#ifndef EXAMPLES_SUPPORT_RANKS_HPP
#define EXAMPLES_SUPPORT_RANKS_HPP

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/transport.hpp>
#ifdef EXAMPLE_HAS_MPI
#include <neuromorph/network/transport/mpi.hpp>
#endif
#include <neuromorph/network/transport/shared_memory.hpp>

namespace support {

namespace network = neuromorph::network;

/// Whether this is one of several processes of an mpiexec.
inline bool is_of_mpiexec() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const ranks = std::getenv(name); ranks != nullptr && std::strtol(ranks, nullptr, 10) > 1)
      return true;
  return false;
}

/// None: this process has all of it.
inline neuromorph::Answer<std::unique_ptr<network::Transport>> ranks_of(int& count, char**& words,
                                                                        std::uint32_t ranks) {
  const auto as_transport = [](auto made) -> neuromorph::Answer<std::unique_ptr<network::Transport>> {
    if (!made) return made.refusal();
    return std::unique_ptr<network::Transport>(std::move(made).value());
  };
  if (is_of_mpiexec()) {
#ifdef EXAMPLE_HAS_MPI
    return as_transport(network::Mpi::begin(count, words));
#else
    return neuromorph::Refusal{
        {neuromorph::Error::rank_failed}, "", "this program was built without an MPI; --ranks needs none"};
#endif
  }
  static_cast<void>(count), static_cast<void>(words);
  if (ranks == 1) return std::unique_ptr<network::Transport>();
  return as_transport(network::SharedMemory::fork(ranks));
}

} // namespace support

#endif
