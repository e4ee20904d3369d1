// SPDX-License-Identifier: BSL-1.0
// All parts of composed neurons.
#ifndef TESTS_SUPPORT_COMPOSITION_PARTS_HPP
#define TESTS_SUPPORT_COMPOSITION_PARTS_HPP

#include <neuromorph/kernels/neurons/adaptation/calcium.hpp>
#include <neuromorph/kernels/neurons/adaptation/spike_triggered.hpp>
#include <neuromorph/kernels/neurons/currents/alternating.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/currents/noise.hpp>
#include <neuromorph/kernels/neurons/currents/steps.hpp>
#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/inputs/multiplicative.hpp>
#include <neuromorph/kernels/neurons/membranes/adex.hpp>
#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/lif_conductance.hpp>
#include <neuromorph/kernels/neurons/membranes/linear.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/resets/subtraction.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/double_exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>
#include <neuromorph/kernels/neurons/thresholds/adaptive.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>
#include <neuromorph/kernels/neurons/thresholds/stochastic.hpp>

#endif
