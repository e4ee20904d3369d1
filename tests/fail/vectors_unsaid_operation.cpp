// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a backend has a loop that its 'Offers' lacks; the second argument of has_loop names it
#include <neuromorph/neuromorph.hpp>

using namespace neuromorph;

struct MyVectors : target::GenericVectors<1> {
#ifdef NEUROMORPH_KO
  template <class Element>
  static constexpr Register<Element> clamp(const Register<Element>& a, const Register<Element>& least,
                                           const Register<Element>& most) noexcept {
    return (min<Element>)((max<Element>)(a, least), most);
  }
#else
  using Offers = offer::List<GenericVectors::Offers, offer::Clamp>;
  template <class Element>
  static constexpr Register<Element> clamp(const Register<Element>& a, const Register<Element>& least,
                                           const Register<Element>& most) noexcept {
    return (min<Element>)((max<Element>)(a, least), most);
  }
#endif
};
struct Mine : target::Generic {
  template <std::size_t Count>
  using Vectors = MyVectors;
};

int main() {
  const Vec<std::uint8_t, Mine> most(9), least(3);
  return clamp(Vec<std::uint8_t, Mine>(12), least, most)[0] == 9 ? 0 : 1;
}
