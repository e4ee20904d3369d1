// SPDX-License-Identifier: BSL-1.0
/// \file
/// Waits for the first of several parts that has something to do: each is asked when that is.
#ifndef NEUROMORPH_SCHED_DETAIL_FIRST_WAKE_HPP
#define NEUROMORPH_SCHED_DETAIL_FIRST_WAKE_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// \pre interrupts are locked from the look at the parts to the end of the wait
template <TickCount Tick>
class FirstWake {
public:
  /// \param is_due   whether there is something to do, or perhaps
  /// \param longest  how long to wait at most
  constexpr FirstWake(Tick now, bool is_due, Tick longest) noexcept
      : now_(now), first_(now + longest), is_due_(is_due) {}

  /// Asks a part. One that does not know has, perhaps, something to do.
  template <class Part>
  constexpr void ask(Part& part) {
    Tick at = now_;
    if constexpr (offers<Part, offer::WakeAt>)
      if (!part.wake_at(now_, at)) return;
    if (!is_before(now_, at))
      is_due_ = true;
    else if (is_before(at, first_))
      first_ = at;
  }

  /// \return whether it has waited: not if something is due. Virtual time then moves by a tick.
  template <class Target, AlarmClock ClockType>
  constexpr bool wait(ClockType& clock) const {
    if (!is_due_) {
      wait_until<Target>(clock, first_);
      return true;
    }
    if constexpr (VirtualTime<ClockType>) clock.alarm(now_ + 1);
    return false;
  }

private:
  Tick now_, first_;
  bool is_due_;
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
