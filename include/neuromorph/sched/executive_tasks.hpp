// SPDX-License-Identifier: BSL-1.0
/// \file
/// The tasks of an executive, each a function of the core or a lambda under a name.
///
///     using enum ExecutiveTask;
///     using enum ExecutiveCall;
///     ExecutiveTasks tasks(core, task<begin_step, &Core::begin>(), task<neurons, &Core::update>(),
///                          task<synaptic_rows>([&] { return rows.process(learn); }));
#ifndef NEUROMORPH_SCHED_EXECUTIVE_TASKS_HPP
#define NEUROMORPH_SCHED_EXECUTIVE_TASKS_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/detail/placed.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// In order of priority. All but the last are functions of yours, named by `task`, `bool()` each: whether there was
/// something to do, of which a chunk has been done. Only `neurons` must be there.
enum class ExecutiveTask : std::uint8_t {
  receive_spikes, ///< moves incoming spikes to a buffer, to free the network; not needed if an interrupt does
  feed_dma,       ///< gives the DMA engine a request
  synaptic_rows,  ///< processes a row that has arrived, to free its buffer
  write_back,     ///< gives the DMA engine a row that was changed
  neurons,        ///< updates some neurons; false: all have been updated in this step
  prefetch,       ///< requests a row for the next step, once all neurons are done
  random_numbers, ///< computes some ahead of need
  idle,           ///< asleep, or polling; no function of yours
};

/// What else an executive asks of a core, by functions that `task` names, too. Only `begin_step` must be there.
enum class ExecutiveCall : std::uint8_t {
  begin_step, ///< `void(std::uint32_t step)`: a step begins
  is_idle,    ///< `bool()`, asked with interrupts locked: whether nothing has come that the tasks would do
};

/// Made by `task`.
template <auto Name, class Callable>
struct NamedTask {
  static constexpr auto name = Name;
  [[no_unique_address]] Callable call;
};

namespace detail {

/// A function that the compiler knows: it takes no memory, and no call goes through a pointer.
template <auto Function>
struct KnownFunction {
  template <class... Arguments>
  requires std::invocable<decltype(Function), Arguments...>
  constexpr decltype(auto) operator()(Arguments&&... arguments) const {
    if constexpr (std::is_member_function_pointer_v<decltype(Function)>)
      return of_object(std::forward<Arguments>(arguments)...);
    else
      return Function(std::forward<Arguments>(arguments)...);
  }

private:
  template <class Object, class... Arguments>
  static constexpr decltype(auto) of_object(Object& object, Arguments&&... arguments) {
    return (object.*Function)(std::forward<Arguments>(arguments)...);
  }
};

template <class Candidate>
inline constexpr bool is_named_task = false;
template <auto Name, class Callable>
inline constexpr bool is_named_task<NamedTask<Name, Callable>> = true;

template <auto Name, auto Other>
inline constexpr bool is_same_name = false;
template <auto Name>
inline constexpr bool is_same_name<Name, Name> = true;

template <auto Name>
consteval bool is_task_name() {
  using Type = std::remove_const_t<decltype(Name)>;
  static_assert(std::same_as<Type, ExecutiveTask> || std::same_as<Type, ExecutiveCall>,
                "neuromorph: the name of a task is an ExecutiveTask or an ExecutiveCall; see docs/scheduling.md");
  static_assert(!is_same_name<Name, ExecutiveTask::idle>,
                "neuromorph: no task is named 'idle'; 'is_idle' says whether the core may sleep; see "
                "docs/scheduling.md");
  return true;
}

struct NoCore {};

} // namespace detail

/// A function of the core, or a static one.
template <auto Name, auto Function>
[[nodiscard]] constexpr NamedTask<Name, detail::KnownFunction<Function>> task() noexcept {
  static_assert(detail::is_task_name<Name>());
  return {};
}

/// A lambda with what it has captured.
template <auto Name, class Callable>
[[nodiscard]] constexpr NamedTask<Name, std::decay_t<Callable>> task(Callable&& call) {
  static_assert(detail::is_task_name<Name>());
  return {std::forward<Callable>(call)};
}

/// Tasks in any order. Each is called with the arguments of its name, or with the core before them.
///
/// \tparam Core   whose functions they are, which must outlive this; none where all tasks are lambdas
/// \tparam Tasks  NamedTask each
/// \cost   memory: the address of the core, and what lambdas have captured
template <class Core, class... Tasks>
class ExecutiveTasks {
  static_assert((detail::is_named_task<Tasks> && ...),
                "neuromorph: an ExecutiveTasks takes the core, then tasks: 'task<name, &Core::function>()' or "
                "'task<name>(lambda)'; see docs/scheduling.md");

public:
  constexpr explicit ExecutiveTasks(Core& core, Tasks... tasks) : core_(&core), tasks_{{std::move(tasks)}...} {}
  constexpr explicit ExecutiveTasks(Tasks... tasks) requires std::same_as<Core, detail::NoCore>
      : tasks_{{std::move(tasks)}...} {}

  template <auto Name>
  static constexpr std::size_t count = (std::size_t{0} + ... + (detail::is_same_name<Tasks::name, Name> ? 1 : 0));
  /// Whether there is a task of this name that takes these arguments.
  template <auto Name, class... Arguments>
  [[nodiscard]] static consteval bool takes() noexcept {
    if constexpr (count<Name> == 0)
      return false;
    else
      return std::invocable<Callable<Name>&, Arguments...> || std::invocable<Callable<Name>&, Core&, Arguments...>;
  }
  /// Whether no two tasks have the same name.
  [[nodiscard]] static consteval bool are_different() noexcept { return ((count<Tasks::name> == 1) && ...); }

  template <auto Name, class... Arguments>
  requires(takes<Name, Arguments...>()) constexpr decltype(auto) call(Arguments... arguments) {
    auto& callable = detail::value_at<position<Name>>(tasks_).call;
    if constexpr (std::invocable<Callable<Name>&, Arguments...>)
      return callable(arguments...);
    else
      return callable(*core_, arguments...);
  }

private:
  template <auto Name>
  static constexpr std::size_t position = [] {
    std::size_t at = 0;
    static_cast<void>(((detail::is_same_name<Tasks::name, Name> ? false : (++at, true)) && ...));
    return at;
  }();
  template <auto Name>
  using Callable = std::remove_reference_t<
      decltype(detail::value_at<position<Name>>(std::declval<detail::Placed<Tasks...>&>()).call)>;

  Core* core_ = nullptr;
  [[no_unique_address]] detail::Placed<Tasks...> tasks_;
};

template <class Core, class... Tasks>
requires(!detail::is_named_task<Core>) ExecutiveTasks(Core&, Tasks...)
->ExecutiveTasks<Core, Tasks...>;
template <class First, class... Tasks>
requires detail::is_named_task<First> ExecutiveTasks(First, Tasks...)
->ExecutiveTasks<detail::NoCore, First, Tasks...>;

namespace detail {

template <class Candidate>
inline constexpr bool is_executive_tasks = false;
template <class Core, class... Tasks>
inline constexpr bool is_executive_tasks<ExecutiveTasks<Core, Tasks...>> = true;
template <class Candidate>
inline constexpr bool are_executive_tasks = false;
template <class Core, class... Tasks>
inline constexpr bool are_executive_tasks<ExecutiveTasks<Core, Tasks...>> = (is_named_task<Tasks> && ...);

/// Whether the task of this name, if there is one, answers whether it had something to do.
template <class Tasks, auto Name>
consteval bool is_question() {
  if constexpr (Tasks::template count<Name> == 0)
    return true;
  else
    return requires(Tasks & tasks) { bool{tasks.template call<Name>()}; };
}

/// Says which task is missing, there twice, or of another type than its name says.
template <class Tasks>
consteval bool is_complete_tasks() {
  static_assert(is_executive_tasks<Tasks>,
                "neuromorph: an executive runs tasks with names: 'ExecutiveTasks(core, task<name, &Core::function>(), "
                "...)'; see docs/scheduling.md");
  if constexpr (are_executive_tasks<Tasks>) {
    using enum ExecutiveTask;
    using enum ExecutiveCall;
    static_assert(Tasks::are_different(), "neuromorph: two tasks have the same name; see docs/scheduling.md");
    static_assert(Tasks::template count<neurons> != 0,
                  "neuromorph: the tasks lack 'neurons', a 'bool()'; see docs/scheduling.md");
    static_assert(Tasks::template count<begin_step> != 0,
                  "neuromorph: the tasks lack 'begin_step', a 'void(std::uint32_t step)'; see docs/scheduling.md");
    static_assert(Tasks::template count<begin_step> == 0 || Tasks::template takes<begin_step, std::uint32_t>(),
                  "neuromorph: the task 'begin_step' is not a 'void(std::uint32_t step)'; see docs/scheduling.md");
    static_assert(is_question<Tasks, receive_spikes>(),
                  "neuromorph: the task 'receive_spikes' is not a 'bool()'; see docs/scheduling.md");
    static_assert(is_question<Tasks, feed_dma>(),
                  "neuromorph: the task 'feed_dma' is not a 'bool()'; see docs/scheduling.md");
    static_assert(is_question<Tasks, synaptic_rows>(),
                  "neuromorph: the task 'synaptic_rows' is not a 'bool()'; see docs/scheduling.md");
    static_assert(is_question<Tasks, write_back>(),
                  "neuromorph: the task 'write_back' is not a 'bool()'; see docs/scheduling.md");
    static_assert(is_question<Tasks, neurons>(),
                  "neuromorph: the task 'neurons' is not a 'bool()'; see docs/scheduling.md");
    static_assert(is_question<Tasks, prefetch>(),
                  "neuromorph: the task 'prefetch' is not a 'bool()'; see docs/scheduling.md");
    static_assert(is_question<Tasks, random_numbers>(),
                  "neuromorph: the task 'random_numbers' is not a 'bool()'; see docs/scheduling.md");
    static_assert(is_question<Tasks, is_idle>(),
                  "neuromorph: the task 'is_idle' is not a 'bool()'; see docs/scheduling.md");
  }
  return true;
}

/// Whether they are what `is_complete_tasks` asks for, without a word.
template <class Tasks>
consteval bool can_be_executed() {
  if constexpr (are_executive_tasks<Tasks>) {
    using enum ExecutiveTask;
    using enum ExecutiveCall;
    return Tasks::are_different() && Tasks::template count<neurons> != 0 &&
           Tasks::template takes<begin_step, std::uint32_t>() && is_question<Tasks, receive_spikes>() &&
           is_question<Tasks, feed_dma>() && is_question<Tasks, synaptic_rows>() && is_question<Tasks, write_back>() &&
           is_question<Tasks, neurons>() && is_question<Tasks, prefetch>() && is_question<Tasks, random_numbers>() &&
           is_question<Tasks, is_idle>();
  } else {
    return false;
  }
}

/// In the place of tasks that are refused, so that no more is said than that.
struct RefusedTasks {
  template <class Given>
  constexpr RefusedTasks(const Given&) noexcept {}
  template <auto>
  static constexpr std::size_t count = 1;
  template <auto, class... Arguments>
  constexpr bool call(Arguments...) noexcept {
    return false;
  }
};
template <class Tasks>
using ExecutableTasks = std::conditional_t<can_be_executed<Tasks>(), Tasks, RefusedTasks>;

} // namespace detail

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
