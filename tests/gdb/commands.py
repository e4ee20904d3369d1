# SPDX-License-Identifier: BSL-1.0
"""What the sessions inside of gdb have in common: commands, what they answer, and how a session ends."""

import sys
import traceback

import gdb


def run(command):
    """What gdb answers, but for what it says when the program stops."""
    return gdb.execute(command, to_string=True)


def value(expression):
    return int(gdb.parse_and_eval(expression))


def same(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r}, not {wanted!r}")


def holds(what, text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError(f"{what}: no {part!r} in\n{text}")


def functions():
    """Those of the frames, from the innermost to main."""
    frame, names = gdb.newest_frame(), []
    while frame is not None and len(names) < 20:
        names.append(frame.name().split("(")[0] if frame.name() else "?")
        if names[-1] == "main":
            break
        frame = frame.older()
    return [name for name in names if not name.endswith("::breakpoint")]  # which is inlined


def hold(session):
    """Goes through it; where something is not so, gdb says where the program stands, and ends with 1."""
    try:
        session()
    except BaseException:  # gdb.error among them
        traceback.print_exc(file=sys.stdout)
        for command in ("backtrace", "info registers", "x/8i $pc - 8"):
            try:
                print(run(command))
            except gdb.error as error:
                print(error)
        sys.stdout.flush()
        run("quit 1")
