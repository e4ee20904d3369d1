// SPDX-License-Identifier: BSL-1.0
// 32 neurons that each spike once in 1000 steps of 0.1 ms, evenly spread, with a refractory period of 2 ms: the
// activity of the paper's 12.98 cycles. Run by neuromorph-cycles, which measures what lies between name__begin and
// name__end and divides by name__items. One program per variant: LIF_FORM, LIF_INPUT, LIF_TARGET, LIF_CALL.
#include <array>
#include <cstdint>

#include <neuromorph/kernels/compact_lif.hpp>

using namespace neuromorph;

#if !defined(LIF_TARGET)
#define LIF_TARGET target::Native
#endif

/// The multiplication that C++ has no expression for, and no loop in assembly.
struct Plain : target::Generic {
  using target::Generic::multiply_add_high;
  [[nodiscard]] static constexpr std::int32_t multiply_add_high(std::int32_t accumulator, std::int32_t value,
                                                                std::int16_t factor) noexcept {
    return target::Native::multiply_add_high(accumulator, value, factor);
  }
};

namespace {

constexpr std::size_t neurons = 32;
constexpr std::uint32_t steps = 1000;
using Psp = LIF_PSP;
using Element = LIF_INPUT;
using Model = CompactLif<Psp>;

constexpr LifCell cell{.tau_m_ms = 20.0,
                       .tau_exc_ms = 5.0,
                       .tau_inh_ms = 5.0,
                       .c_m_nf = 0.25,
                       .v_rest_mv = -65.0,
                       .v_reset_mv = -70.0,
                       .v_threshold_mv = -50.0,
                       .t_refract_ms = 2.0};
constexpr auto made = Model::parameters(cell, 0.1, {0.05, 0.05, 15});
static_assert(made.ok());

/// In one piece, as in a population: one address to load.
struct Memory {
  std::array<std::int32_t, neurons> membrane;
  std::array<Psp, neurons> psp;
  std::array<Element, neurons> input;
  std::array<std::uint32_t, neurons> spikes;
  RefractoryQueue queue;
  Model::Parameters parameters;
  std::array<RefractoryQueue::Entry, neurons> entries;
};
constinit Memory memory{{}, {}, {}, {}, {}, made.value, {}};
constexpr auto& membrane = memory.membrane;
constexpr auto& psp = memory.psp;
constexpr auto& input = memory.input;
constexpr auto& spikes = memory.spikes;
constexpr auto& queue = memory.queue;
constexpr auto& parameters = memory.parameters;
std::uint32_t volatile total;

#if LIF_TABLE
std::array<std::uint32_t, neurons> own;
std::array<std::int32_t, neurons> reset;
std::array<std::uint32_t, neurons> refractory;
Model::Table constants{own, reset, refractory, made.value};
#else
constexpr Model::Parameters& constants = memory.parameters;
#endif
constinit Model::State const state{membrane, psp, queue};

#if LIF_CALL == 1 // the paper's call: constants of the tick are ready, sizes are known
[[gnu::noinline]] std::uint32_t* update(Model::Factors const& factors, std::uint32_t tick, Element const* in,
                                        std::uint32_t* out) {
  return Model::advance<LIF_TARGET>(state, constants, factors, in, tick, out);
}
#endif

} // namespace

int main() {
  queue.entries = memory.entries;
  membrane.fill(-(1 << 25));
  psp.fill(static_cast<Psp>(LIF_TABLE ? 0 : parameters.psp_at_rest));
#if LIF_TABLE
  constexpr auto row = Model::row(made.value, cell, 0.1);
  static_assert(row.ok());
  own.fill(row.value.step), reset.fill(row.value.reset), refractory.fill(row.value.refractory);
  membrane.fill(-(1 << 22));
#endif
  std::uint32_t turn = 0, at = 3, kicked = neurons, fired = 0;
  for (std::uint32_t tick = 0; tick < steps; ++tick) {
    if (tick == at && turn < neurons) { // enough to cross the threshold in one step
      kicked = turn++;
      at = turn * 31;
      psp[kicked] = static_cast<Psp>(sizeof(Psp) == 4 ? (LIF_TABLE ? 1 << 27 : 1 << 26) : 32000);
      membrane[kicked] = -1000;
    }
    std::uint32_t* end;
#if LIF_CALL == 1
    auto const factors = Model::prepare<!LIF_TABLE>(parameters, tick);
    asm volatile("lif__begin:" ::: "memory");
    end = update(factors, tick, input.data(), spikes.data());
    asm volatile("lif__end:" ::: "memory");
#elif LIF_CALL == 4 // inlined, constants of the tick are ready
    auto const ready = Model::prepare<!LIF_TABLE>(parameters, tick);
    asm volatile("lif__begin:" ::: "memory");
    end = Model::advance<LIF_TARGET>(state, constants, ready, input.data(), tick, spikes.data());
    asm volatile("lif__end:" ::"r"(end) : "memory");
#elif LIF_CALL == 2 // inlined, constants made within
    asm volatile("lif__begin:" ::: "memory");
    end = Model::advance<LIF_TARGET>(state, constants, Model::prepare<!LIF_TABLE>(parameters, tick), input.data(), tick,
                                     spikes.data());
    asm volatile("lif__end:" ::"r"(end) : "memory");
#else
    asm volatile("lif__begin:" ::: "memory");
    auto const counts = Model::step<LIF_TARGET>(state, constants, input.data(), tick, spikes);
    end = spikes.data() + counts.value.spikes;
    asm volatile("lif__end:" ::"r"(end) : "memory");
#endif
    fired += static_cast<std::uint32_t>(end - spikes.data());
    if (kicked < neurons) psp[kicked] = static_cast<Psp>(LIF_TABLE ? 0 : parameters.psp_at_rest);
    kicked = neurons;
  }
  total = fired;
  return fired == neurons ? 0 : 1;
}

asm(".global lif__items\n\t.equ lif__items, 32");

extern "C" [[noreturn]] void leave(int status) {
  std::uint32_t const reason = status == 0 ? 0x20026 : 0x20023;
#if defined(__thumb__)
  register std::uint32_t operation asm("r0") = 0x18;
  register std::uint32_t argument asm("r1") = reason;
  asm volatile("bkpt 0xab" : : "r"(operation), "r"(argument) : "memory");
#else
  register std::uint32_t operation asm("r0") = 0x18;
  register std::uint32_t argument asm("r1") = reason;
  asm volatile("svc 0x123456" : : "r"(operation), "r"(argument) : "memory");
#endif
  for (;;) {}
}
extern "C" [[gnu::section(".start"), noreturn]] void _start() { leave(main()); }
