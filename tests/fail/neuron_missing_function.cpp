// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a membrane needs a word v and the functions step and spiked; see docs/neurons.md
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
struct Kept : Part<Role::membrane> {
  template <class Word>
  struct Words {
    Word v;
  };
  static constexpr void step(auto&, auto& word, const auto&, const auto& drive) { word.v = drive.onto(word.v); }
#ifndef NEUROMORPH_KO
  static constexpr void spiked(auto&, auto&, const auto&, auto) {}
#endif
};
using Model = Neuron<Kept, synapse::Difference>;
std::size_t words = Model::word_count;
