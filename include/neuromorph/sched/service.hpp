// SPDX-License-Identifier: BSL-1.0
/// \file
/// What an event runs: a function, a member function of an object, or a lambda, under an ID of the compiler's. No heap.
///
///     Services services(service<tick_neurons>([&] { core.step(); }), service<learn>(rule, &Rule::run));
#ifndef NEUROMORPH_SCHED_SERVICE_HPP
#define NEUROMORPH_SCHED_SERVICE_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/detail/placed.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Made by `service`. Callable: `void()`.
template <ServiceId Id, class Callable>
struct Service {
  static constexpr ServiceId id = Id;
  [[no_unique_address]] Callable call;
  constexpr void exec() { call(); }
};

/// A function, or a lambda with what it has captured.
template <ServiceId Id, class Callable>
requires std::invocable < std::decay_t<Callable>
& > [[nodiscard]] constexpr Service<Id, std::decay_t<Callable>> service(Callable&& call) {
  return {std::forward<Callable>(call)};
}

namespace detail {

template <class Object, class Member>
struct MemberCall {
  Object* object;
  Member member;
  constexpr void operator()() { (object->*member)(); }
};

/// In the place of a callable that is refused.
struct NoCall {
  constexpr void operator()() const noexcept {}
};
/// Says how a service is called.
template <ServiceId Id, class... Refused>
constexpr Service<Id, NoCall> refuse_service() noexcept {
  static_assert(never<Refused...>, "neuromorph: a service is called without arguments; see docs/scheduling.md");
  return {};
}

} // namespace detail

/// A member function of an object, which must outlive the service.
template <ServiceId Id, class Object, class Member>
requires std::is_member_function_pointer_v<Member> && std::invocable<Member, Object&>
[[nodiscard]] constexpr auto service(Object& object, Member member) {
  return Service<Id, detail::MemberCall<Object, Member>>{{&object, member}};
}

/// Refused in words: what cannot be called without arguments.
template <ServiceId Id, class Callable>
[[nodiscard]] constexpr auto service(Callable&&) {
  return detail::refuse_service<Id, Callable>();
}
template <ServiceId Id, class Object, class Member>
[[nodiscard]] constexpr auto service(Object&, Member) {
  return detail::refuse_service<Id, Object, Member>();
}

namespace detail {

/// Functions by position.
template <class Set>
inline constexpr auto service_calls = Set::table(std::make_index_sequence<Set::count>{});

} // namespace detail

/// The services of a scheduler. Their IDs are different numbers, small ones by preference: a table goes to the highest.
template <class... Each>
class Services {
  static_assert(sizeof...(Each) > 0, "neuromorph: a scheduler needs a service; see docs/scheduling.md");
  static_assert(
      [] {
        constexpr std::array ids{Each::id...};
        for (std::size_t i = 0; i < ids.size(); ++i)
          for (std::size_t other = 0; other < i; ++other)
            if (ids[i] == ids[other]) return false;
        return true;
      }(),
      "neuromorph: two services have the same ID; see docs/scheduling.md");

public:
  static constexpr std::size_t count = sizeof...(Each);
  static constexpr std::size_t none = count;

  constexpr explicit Services(Each... each) : each_{{std::move(each)}...} {}

  [[nodiscard]] static constexpr bool has(ServiceId id) noexcept { return ((id == Each::id) || ...); }
  /// Position of a service by its ID, `none` if there is no such service.
  [[nodiscard]] static constexpr std::size_t position(ServiceId id) noexcept {
    if (id >= positions.size()) return none;
    return positions[id];
  }
  [[nodiscard]] static constexpr ServiceId id(std::size_t position) noexcept {
    constexpr std::array ids{Each::id...};
    return ids[position];
  }
  /// Runs the service at a position.
  constexpr void exec(std::size_t position) { detail::service_calls<Services>[position](*this); }

  /// For `exec`: a function for each service, by position.
  template <std::size_t... Position>
  [[nodiscard]] static constexpr auto table(std::index_sequence<Position...>) noexcept {
    return std::array{&call<Position>...};
  }

private:
  static constexpr ServiceId highest = [] {
    ServiceId most = 0;
    ((most = Each::id > most ? Each::id : most), ...);
    return most;
  }();
  static constexpr auto positions = [] {
    std::array<std::uint8_t, std::size_t{highest} + 1> table{};
    for (auto& entry : table) entry = static_cast<std::uint8_t>(none);
    std::uint8_t position = 0;
    ((table[Each::id] = position++), ...);
    return table;
  }();
  template <std::size_t Position>
  static constexpr void call(Services& services) {
    detail::value_at<Position>(services.each_).exec();
  }
  detail::Placed<Each...> each_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
