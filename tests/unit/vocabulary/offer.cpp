// SPDX-License-Identifier: BSL-1.0
// What a part says that it has, and what it has: whatever a member of a name is, it is seen.
#include <type_traits>

#include <neuromorph/offer.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

struct Jump {
  int jump;
  template <class Part>
  static auto find() -> decltype(&Part::jump);
};
struct Swim {
  int swim;
  template <class Part>
  static auto find() -> decltype(&Part::swim);
};

// Each kind of member, and where nothing is.
struct Nothing {
  void jumps();
  void leap();
};
struct Empty {};
struct Function {
  void jump();
};
struct Static {
  static int jump(int);
};
struct Overloads {
  void jump();
  void jump(int);
};
struct Template {
  template <class Height>
  void jump(Height);
};
template <bool can>
struct Constrained {
  void jump() requires can;
};
class Private {
  int jump();
};
struct Data {
  int jump;
};
struct Constant {
  [[maybe_unused]] static constexpr int jump = 1;
};
struct Type {
  struct jump {};
};
struct TypeTemplate {
  template <class>
  struct jump {};
};
struct Deleted {
  void jump() = delete;
};
struct Derived : Function {};
struct DerivedPrivately : private Template {};
struct NoDefault {
  explicit NoDefault(int&);
  NoDefault(const NoDefault&) = delete;
  void jump() const;
};
struct Virtual {
  virtual void jump() = 0;
  virtual ~Virtual() = default;
};
struct Final final {
  void jump();
};
struct FinalNothing final {};
union Union {
  int jump;
  float other;
};

template <class Part>
constexpr bool has = detail::has_member<Part, Jump>();
static_assert(!has<Nothing> && !has<Empty> && !has<FinalNothing> && !has<int>);
static_assert(has<Function> && has<Static> && has<Overloads> && has<Template> && has<Private> && has<Data>);
static_assert(has<Constant> && has<Type> && has<TypeTemplate> && has<Deleted> && has<Derived>);
static_assert(has<DerivedPrivately> && has<NoDefault> && has<Virtual> && has<Final> && has<Union>);
static_assert(has<Constrained<true>> && has<Constrained<false>>);
static_assert(!detail::has_member<Function, Swim>() && !detail::has_member<Template, Swim>());

template <class List>
struct Says {
  using Offers = List;
};
template <class List>
struct SaysAndHas : Says<List> {
  void jump();
};

using offer::List;
using offer::When;
template <class... Entries>
constexpr bool jumps = detail::offers<Says<List<Entries...>>, Jump>;
static_assert(jumps<Jump> && jumps<Swim, Jump> && jumps<Jump, Swim> && jumps<List<Jump>> &&
              jumps<List<Swim, List<Jump>>>);
static_assert(jumps<When<true, Jump>> && jumps<When<true, List<Swim, Jump>>> && jumps<When<false, Jump>, Jump>);
static_assert(!jumps<> && !jumps<Swim> && !jumps<List<>> && !jumps<When<false, Jump>> && !jumps<When<true, Swim>>);
static_assert(!jumps<When<false, List<Jump>>> && !jumps<When<true, When<false, Jump>>>);
static_assert(!detail::offers<Function, Jump> && !detail::offers<Says<Jump>, Jump>); // no list

static_assert(detail::says_offers<Says<List<>>> && !detail::says_offers<Says<Jump>> && !detail::says_offers<Function>);
template <class... Entries>
constexpr bool is_said = detail::is_said<SaysAndHas<List<Entries...>>, Jump>();
static_assert(is_said<Jump> && is_said<When<false, Jump>> && is_said<When<false, List<Jump>>> && is_said<List<Jump>>);
static_assert(!is_said<> && !is_said<Swim> && !is_said<When<true, Swim>>);
static_assert(detail::is_said<Says<List<>>, Jump>() && detail::is_said<Says<List<Jump>>, Jump>());
static_assert(detail::is_said<SaysAndHas<List<>>, Swim>());

} // namespace

TEST_CASE("offer: what is said may be said within a function", "[vocabulary][offer]") {
  struct Local { // which cannot have static data
    using Offers = List<Jump>;
    void jump() {}
  };
  CHECK((detail::offers<Local, Jump> && detail::has_member<Local, Jump>() && !detail::has_member<Local, Swim>()));
}
