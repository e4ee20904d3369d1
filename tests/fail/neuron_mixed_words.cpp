// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Words<Word> and Constants<Word> of a part have members of the type Word alone
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;
struct Counting : adaptation::None {
  template <class Word>
  struct Words {
    Word spikes;
#ifdef NEUROMORPH_KO
    std::int32_t steps;
#else
    Word steps;
#endif
  };
};
using Model = Neuron<membrane::Lif, synapse::Difference, Counting>;
std::size_t words = Model::word_count;
