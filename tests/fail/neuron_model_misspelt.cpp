// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: Model offers 'ExtraMemory' and lacks 'template <std::size_t Neurons> struct Extra' with
// expect: neuromorph: Model offers 'PspAtRest' and lacks 'psp_at_rest(parameters, step_number)', an array of its psps
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct Model : Lif<1> {
#ifdef NEUROMORPH_KO
  using Offers = offer::List<offer::ExtraMemory, offer::PspAtRest>;
  static std::array<std::int32_t, 1> psp_in_rest(const Parameters&, std::uint32_t) { return {}; }
  template <std::size_t Neurons>
  struct Xtra {
    void attach(State&) {}
  };
#else
  using Offers = offer::List<offer::ExtraMemory, offer::PspAtRest>;
  static std::array<std::int32_t, 1> psp_at_rest(const Parameters&, std::uint32_t) { return {}; }
  template <std::size_t Neurons>
  struct Extra {
    void attach(State&) {}
  };
#endif
};

int main() {
  const auto parameters = Model::parameters({}, 0.1).value();
  static Population<Model, 4> population(parameters, -1);
  return population.status().ok() ? 0 : 1;
}
