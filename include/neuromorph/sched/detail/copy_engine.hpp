// SPDX-License-Identifier: BSL-1.0
/// \file
/// What is asked of an engine that copies rows.
#ifndef NEUROMORPH_SCHED_DETAIL_COPY_ENGINE_HPP
#define NEUROMORPH_SCHED_DETAIL_COPY_ENGINE_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// Says what an engine lacks.
template <class Engine>
consteval bool is_complete_engine() {
  static_assert(
      requires(Engine & engine, void* to, const void* from, std::size_t bytes) {
        static_cast<std::uint32_t>(engine.start(to, from, bytes));
      },
      "neuromorph: the engine lacks 'start(to, from, bytes)', whose handle converts to std::uint32_t; see "
      "docs/scheduling.md");
  static_assert(
      requires(Engine & engine, void* to, const void* from) {
        bool{engine.is_complete(engine.start(to, from, std::size_t{}))};
      },
      "neuromorph: the engine lacks 'bool is_complete(handle)'; see docs/scheduling.md");
  static_assert(
      requires(Engine & engine) { engine.poll(); }, "neuromorph: the engine lacks 'poll()'; see docs/scheduling.md");
  return true;
}

/// What its `start` gives.
template <class Engine>
using CopyHandle = decltype(std::declval<Engine&>().start(static_cast<void*>(nullptr),
                                                          static_cast<const void*>(nullptr), std::size_t{}));

} // namespace detail

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
