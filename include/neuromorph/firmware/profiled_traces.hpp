// SPDX-License-Identifier: BSL-1.0
/// \file
/// A trace store's records, scans and compactions as scopes of a profiler: the store's Hook.
///
///     TraceStore<Trace, 255, gc::Fifo<1450>, gc::AgeWindow<500>, target::Native,
///                firmware::ProfiledTraces<profiler, "record", "scan", "compaction">> store;
///
/// With NoProfiler it is gc::NoHook. See docs/profiling.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_PROFILED_TRACES_HPP
#define NEUROMORPH_FIRMWARE_PROFILED_TRACES_HPP

#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/profiler.hpp>
#include <neuromorph/gc/collector.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

namespace detail {

template <auto& profiler, std::uint32_t RecordTag, std::uint32_t ScanTag, std::uint32_t CompactionTag, class Target>
struct TraceScopes : gc::NoHook {
  template <gc::Work work>
  class During {
    static constexpr std::uint32_t tag = work == gc::Work::record ? RecordTag
                                         : work == gc::Work::scan ? ScanTag
                                                                  : CompactionTag;

  public:
    [[gnu::always_inline]] explicit inline During(bool is_done) noexcept
        : since_(profiler.enter()), is_done_(is_done) {}
    During(const During&) = delete;
    During& operator=(const During&) = delete;
    [[gnu::always_inline]] inline ~During() {
      if (!is_done_) return;
      const typename Target::InterruptLock lock;
      profiler.exit(tag, since_);
    }

  private:
    typename std::remove_reference_t<decltype(profiler)>::Since since_;
    bool is_done_;
  };
};

/// Gives the type of a profiler.
template <auto& profiler>
struct ProfilerOf {
  using Type = std::remove_const_t<std::remove_reference_t<decltype(profiler)>>;
  static_assert(Profiler<Type>,
                "neuromorph: ProfiledTraces is given a profiler, which is a variable; see docs/profiling.md");
  template <ProfileName Name>
  static constexpr std::uint32_t tag = Type::template tag<Name>;
};

} // namespace detail

/// \tparam profiler  a variable, of any of the profilers. Where an interrupt records, a StreamedProfiler is the store's
///                   alone
/// \tparam Record, Scan, Compaction  tags of it, which may be one. A scope of `Compaction` is in one of the others, or in an
///                   advance; one of `Scan` in a record or in an advance
/// \tparam Target    whose lock keeps interrupts out while a scope is written
template <auto& profiler, ProfileName Record, ProfileName Scan, ProfileName Compaction, class Target = target::Native>
using ProfiledTraces =
    std::conditional_t<detail::ProfilerOf<profiler>::Type::is_on,
                       detail::TraceScopes<profiler, detail::ProfilerOf<profiler>::template tag<Record>,
                                           detail::ProfilerOf<profiler>::template tag<Scan>,
                                           detail::ProfilerOf<profiler>::template tag<Compaction>, Target>,
                       gc::NoHook>;

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
