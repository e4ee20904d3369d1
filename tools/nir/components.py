# SPDX-License-Identifier: BSL-1.0
"""Which nodes of a graph are in cycles with each other."""


def components_of(names, targets):
    """Of each node one that stands for all that lead to it and that it leads to: Tarjan's components, without recursion."""
    index, low, on, stack, component, counter = {}, {}, set(), [], {}, [0]

    def enter(name, todo):
        index[name] = low[name] = counter[0]
        counter[0] += 1
        stack.append(name), on.add(name)
        todo.append((name, iter(targets(name))))

    for start in names:
        todo = []
        if start not in index:
            enter(start, todo)
        while todo:
            name, rest = todo[-1]
            for one in rest:
                if one not in index:
                    enter(one, todo)
                    break
                if one in on:
                    low[name] = min(low[name], index[one])
            else:
                todo.pop()
                if todo:
                    low[todo[-1][0]] = min(low[todo[-1][0]], low[name])
                if low[name] == index[name]:
                    while True:
                        one = stack.pop()
                        on.discard(one)
                        component[one] = name
                        if one == name:
                            break
    return component
