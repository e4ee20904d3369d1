// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Model lacks 'using Offers', an offer::List of what it has of 'ExtraMemory' and
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Model : Lif<1> {
#ifdef NEUROMORPH_KO
  using Offers = void;
#else
  using Offers = offer::List<>;
#endif
};

int main() {
  const auto parameters = Model::parameters({}, 0.1).value();
  static Population<Model, 4> population(parameters, -1);
  return population.status().ok() ? 0 : 1;
}
