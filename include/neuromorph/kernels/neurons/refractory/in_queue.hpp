// SPDX-License-Identifier: BSL-1.0
/// \file
/// The refractory period as an entry of a queue: a step has nothing to test but the sign of the membrane.
#ifndef NEUROMORPH_KERNELS_NEURONS_REFRACTORY_IN_QUEUE_HPP
#define NEUROMORPH_KERNELS_NEURONS_REFRACTORY_IN_QUEUE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/kernels/neurons/refractory_queue.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace refractory {

/// A neuron that has fired lies so far below threshold that it cannot fire, and stands in a RefractoryQueue, 8 bytes for
/// each neuron of a population. At the end of its period the queue resets it.
///
/// For membrane::Lif, whose psps at the ends of their range move a membrane from where it is put to no more than the
/// threshold within half its time constant. A neuron whose period is longer is put down again. In a population of at most
/// 65536.
struct InQueue : Part<Role::refractory> {
  static constexpr bool is_in_membrane = false, has_queue = true, needs_fixed_threshold = true, is_always_active = true;
  /// Where a neuron is put.
  static constexpr std::int32_t down = -0x60000000;
  template <class Word>
  struct Constants {
    Word steps; ///< until the neuron is reset, or put down again
    Word again; ///< 2^16 times how often it is put down again
  };
  struct Shared {
    std::uint32_t stay = 0; ///< steps for which a neuron stays down by itself
  };
  struct Parameters {
    double period_ms = 2.0; ///< rounded to whole steps; 0 is allowed
  };
  static constexpr bool is_physical = true;

  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept { return own.stay >= common.stay; }
  /// \errors parameter_out_of_range below 0, and where a neuron would have to be put down 65536 times
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    const double steps = given.period_ms / making.dt_ms;
    if (!(steps >= 0.0 && steps < 1e9))
      return {Error::parameter_out_of_range, 0, given.period_ms, "refractory.period_ms"};
    const auto whole = static_cast<std::uint32_t>(detail::to_fixed(steps, 0));
    const auto stay = static_cast<std::uint32_t>(detail::to_fixed(making.tau_m_ms / making.dt_ms, 1)) / 4;
    const std::uint32_t again = whole == 0 || stay == 0 ? 0 : (whole - 1) / stay;
    if (again > 0xFFFF || (stay == 0 && whole > 1))
      return {Error::parameter_out_of_range, 0, given.period_ms, "refractory.period_ms"};
    to.own.shared.stay = stay;
    to.own.steps = static_cast<std::int32_t>(whole - again * stay);
    to.own.again = static_cast<std::int32_t>(again << 16);
    return {};
  }
  static constexpr auto hold(const auto&, auto&, auto, auto, auto integrated, const auto&) noexcept {
    return integrated;
  }
  static constexpr auto spiked(const auto& m, auto&, auto fired, auto v, const auto&) noexcept {
    return m.select(fired, m.splat(down), v);
  }

  /// Before a step in which the first is due: resets the neurons whose period ends.
  /// \param constants_of  (neuron) gives all constants of a neuron
  [[gnu::always_inline]] static constexpr void release(RefractoryQueue& queue, std::int32_t* membrane,
                                                       std::uint32_t step_number, auto constants_of) noexcept {
    if (queue.count == 0) return queue.look(step_number); // only at the first step, or after 2^30 without a spike
    do {
      const std::uint32_t waiting = queue.entries[queue.first].neuron;
      if (waiting > 0xFFFF) [[unlikely]] {
        put_down(queue, membrane, step_number, constants_of(waiting & 0xFFFF).refractory.shared.stay);
      } else {
        queue.take(step_number);
        membrane[waiting] = constants_of(waiting).reset.v;
      }
    } while (queue.is_due(step_number));
  }
  /// After a step: a neuron that has fired in it, and lies down.
  static constexpr void insert(RefractoryQueue& queue, std::int32_t* membrane, std::uint32_t step_number,
                               std::uint32_t neuron, const auto& constants) noexcept {
    const auto steps = static_cast<std::uint32_t>(constants.refractory.steps);
    if (steps != 0) [[likely]]
      queue.insert(step_number + 1 + steps, neuron | static_cast<std::uint32_t>(constants.refractory.again));
    else
      membrane[neuron] = constants.reset.v;
  }

private:
  /// The first of the queue, once more.
  [[gnu::noinline, gnu::cold]] static constexpr void put_down(RefractoryQueue& queue, std::int32_t* membrane,
                                                              std::uint32_t step_number, std::uint32_t stay) noexcept {
    const RefractoryQueue::Entry entry = queue.entries[queue.first];
    membrane[entry.neuron & 0xFFFF] = down;
    queue.take(step_number);
    queue.insert(entry.due + stay, entry.neuron - (1U << 16));
    queue.look(step_number);
  }
};

} // namespace refractory
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
