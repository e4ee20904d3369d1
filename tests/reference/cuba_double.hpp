// SPDX-License-Identifier: BSL-1.0
// The CUBA network in double precision, written as one would write it down: exact integration per step, one
// struct per neuron, one list of synapses per neuron. Knows nothing of the library; connections and initial
// state are given to it.
#ifndef TESTS_REFERENCE_CUBA_DOUBLE_HPP
#define TESTS_REFERENCE_CUBA_DOUBLE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reference {

struct Cell {
  double tau_m_ms = 20.0, tau_exc_ms = 5.0, tau_inh_ms = 10.0, c_m_pf = 200.0;
  double v_rest_mv = -49.0, v_reset_mv = -60.0, v_threshold_mv = -50.0, t_refract_ms = 5.0;
};

/// Exact solution over one step for dv/dt = (rest - v)/tau_m + (i_exc + i_inh)/c_m, di/dt = -i/tau.
struct Propagators {
  double membrane, excitatory, inhibitory, from_excitatory, from_inhibitory;

  Propagators(const Cell& cell, double dt_ms)
      : membrane(std::exp(-dt_ms / cell.tau_m_ms)), excitatory(std::exp(-dt_ms / cell.tau_exc_ms)),
        inhibitory(std::exp(-dt_ms / cell.tau_inh_ms)), from_excitatory(coupling(cell, cell.tau_exc_ms, dt_ms)),
        from_inhibitory(coupling(cell, cell.tau_inh_ms, dt_ms)) {}

  /// mV per pA that a current with time constant `tau` leaves on the membrane after one step.
  static double coupling(const Cell& cell, double tau_ms, double dt_ms) {
    const double decay = std::exp(-dt_ms / cell.tau_m_ms);
    if (tau_ms == cell.tau_m_ms) return dt_ms / cell.c_m_pf * decay;
    const double rate = 1.0 / cell.tau_m_ms - 1.0 / tau_ms;
    return decay * std::expm1(rate * dt_ms) / rate / cell.c_m_pf;
  }
};

class Cuba {
public:
  struct Synapse {
    std::uint32_t post;
    double weight_pa; // negative: inhibitory
  };

  Cuba(const Cell& cell, double dt_ms, std::uint32_t delay_steps, std::vector<std::vector<Synapse>> synapses,
       const std::vector<double>& initial_mv)
      : cell_(cell), step_(cell, dt_ms), refractory_steps_(static_cast<int>(std::lround(cell.t_refract_ms / dt_ms))),
        delay_(delay_steps), synapses_(std::move(synapses)), neurons_(initial_mv.size()),
        arriving_(delay_steps + 1, std::vector<Input>(initial_mv.size())) {
    for (std::size_t neuron = 0; neuron < initial_mv.size(); ++neuron) neurons_[neuron].v_mv = initial_mv[neuron];
  }

  /// One step; returns the neurons that fired.
  const std::vector<std::uint32_t>& step() {
    ++step_number_;
    fired_.clear();
    std::vector<Input>& now = arriving_[step_number_ % arriving_.size()];
    for (std::uint32_t index = 0; index < neurons_.size(); ++index) {
      Neuron& neuron = neurons_[index];
      if (neuron.refractory > 0) {
        if (--neuron.refractory == 0) neuron.v_mv = cell_.v_reset_mv;
      } else {
        neuron.v_mv = cell_.v_rest_mv + (neuron.v_mv - cell_.v_rest_mv) * step_.membrane +
                      neuron.excitatory_pa * step_.from_excitatory + neuron.inhibitory_pa * step_.from_inhibitory;
        if (neuron.v_mv >= cell_.v_threshold_mv) {
          neuron.v_mv = cell_.v_reset_mv;
          neuron.refractory = refractory_steps_;
          fired_.push_back(index);
        }
      }
      neuron.excitatory_pa = neuron.excitatory_pa * step_.excitatory + now[index].excitatory_pa;
      neuron.inhibitory_pa = neuron.inhibitory_pa * step_.inhibitory + now[index].inhibitory_pa;
      now[index] = {};
    }
    std::vector<Input>& later = arriving_[(step_number_ + delay_) % arriving_.size()];
    for (const std::uint32_t pre : fired_) {
      for (const Synapse& synapse : synapses_[pre]) {
        if (synapse.weight_pa >= 0.0)
          later[synapse.post].excitatory_pa += synapse.weight_pa;
        else
          later[synapse.post].inhibitory_pa += synapse.weight_pa;
      }
      events_ += synapses_[pre].size();
    }
    return fired_;
  }

  [[nodiscard]] double membrane_mv(std::size_t neuron) const { return neurons_[neuron].v_mv; }
  [[nodiscard]] std::uint64_t events() const { return events_; }

private:
  struct Neuron {
    double v_mv = 0.0, excitatory_pa = 0.0, inhibitory_pa = 0.0;
    int refractory = 0;
  };
  struct Input {
    double excitatory_pa = 0.0, inhibitory_pa = 0.0;
  };

  Cell cell_;
  Propagators step_;
  int refractory_steps_;
  std::uint32_t delay_;
  std::vector<std::vector<Synapse>> synapses_;
  std::vector<Neuron> neurons_;
  std::vector<std::vector<Input>> arriving_;
  std::vector<std::uint32_t> fired_;
  std::uint32_t step_number_ = 0;
  std::uint64_t events_ = 0;
};

} // namespace reference

#endif
