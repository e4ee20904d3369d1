// SPDX-License-Identifier: BSL-1.0
// Named compositions beside the exact solution, with the threshold off.
#include <cstdio>

#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_accuracy.hpp"
#include "tests/support/sanitized.hpp"

using namespace neuromorph;

namespace {

template <class Model>
void stays_within(const char* alias, double most) {
  for (const double dt : {0.1, 1.0}) {
    INFO(alias << ", dt " << dt);
    const double error = accuracy::largest_error<Model>(dt, sanitized ? 0.3 : 10.0);
    std::printf("%-14s dt %.1f ms: %.1e of threshold - rest\n", alias, dt, error);
    CHECK(error > 0.0);
    CHECK(error < most);
  }
}

} // namespace

TEST_CASE("accuracy: named compositions stay beside the exact solution for 10 s, at any rate", "[kernels][neuron]") {
  stays_within<Neuron<membrane::Lif, synapse::Difference>>("lif1", 1e-4);
  stays_within<pynn::IfCurrExp>("if_curr_exp", 1e-4);
  stays_within<pynn::IfCurrAlpha>("if_curr_alpha", 1e-4);
  stays_within<pynn::IfCurrDelta>("if_curr_delta", 1e-4);
  stays_within<Neuron<membrane::Lif, synapse::ExponentialPair>>("packed_lif", 5e-4);
  stays_within<Neuron<membrane::Lif, synapse::Driven<1>>>("compact_lif1", 2e-3);
  stays_within<Neuron<membrane::Lif, synapse::Driven<2, 9>>>("compact_lif2", 5e-3);
  stays_within<nir::Lif>("lif", 1e-4);
  stays_within<nir::CubaLif>("cubalif", 1e-4);
  stays_within<nir::If>("if", 1e-4);
}
