# SPDX-License-Identifier: BSL-1.0
"""Runs inside of gdb, which checks/gdb.py starts: goes through what docs/debugging.md says works, on tests/gdb/subject.cpp."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import gdb

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from commands import functions, hold, holds, run, same, value  # noqa: E402

SOURCE = Path(__file__).with_name("subject.cpp")
LINES = SOURCE.read_text().splitlines()
STUB, ORACLE = os.environ["GDB_STUB"], os.environ["GDB_ORACLE"]

stops = []
gdb.events.stop.connect(stops.append)


def goes(command):
    """Lets the program run; the signal with which it has stopped, or the expression or place of what has stopped it."""
    stops.clear()
    run(command)
    stop = stops[-1]
    if isinstance(stop, gdb.BreakpointEvent):
        breakpoint = stop.breakpoints[0]
        return breakpoint.expression or breakpoint.location
    return stop.stop_signal if isinstance(stop, gdb.SignalEvent) else None


def line():
    """The text of the source line at which the program stands."""
    return LINES[gdb.selected_frame().find_sal().line - 1].strip()


def line_with(text):
    return next(number for number, content in enumerate(LINES, 1) if text in content)


def refused(command, *parts):
    try:
        text = run(command)
    except gdb.error as error:
        holds(command, str(error), *parts)
    else:
        raise AssertionError(f"{command} should be refused, but says {text!r}")


def stop_soon():
    """Ctrl-C, a second from now."""
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def attach():
    run(f"target remote {STUB}")


def look():
    same("frame", functions(), ["main"])
    same("point", run("print point").split("=", 1)[1].strip(), "{x = 3, y = 4}")
    same("expression", value("point.x * 100 + numbers._M_elems[4]"), 308)
    run("set variable numbers._M_elems[1] = 77")
    same("numbers", value("numbers._M_elems[1]"), 77)
    text = run("info registers")
    holds("registers", text, *(f"r{number} " for number in range(13)), "sp ", "lr ", "pc ",
          "xpsr" if value("sizeof(void*)") and "xpsr" in text else "cpsr")
    before = run("info registers")
    same("call", value("add(20, 22)"), 42)
    same("registers after a call", run("info registers"), before)
    run("set variable $r5 = 0x12345678")
    same("r5", value("$r5"), 0x12345678)
    run(f"set variable $r5 = {before.split('r5')[1].split()[0]}")
    same("registers", run("info registers"), before)
    refused("x/4xw 0x50000000", "Cannot access memory")
    refused("set variable *(int*)0x50000000 = 1", "Cannot access memory")


def breakpoints_and_frames():
    run("break inner")
    same("breakpoint", goes("continue"), "inner")
    same("backtrace", functions(), ["inner", "middle", "outer", "main"])
    holds("backtrace", run("backtrace"), "middle (value=", "outer (value=")
    same("argument", value("value"), 16)
    run("finish")
    same("value returned", int(gdb.history(0)), 32)
    same("frame", functions(), ["middle", "outer", "main"])
    for _ in range(4):
        run("next")
        if functions()[0] != "middle":
            break
    same("next", functions(), ["outer", "main"])
    run("delete")
    run(f"tbreak {line_with('answer = outer(6); // second')}")
    run("continue")
    same("answer", value("answer"), 30)
    same("line", line(), "answer = outer(6); // second")
    run("step")
    same("step", functions(), ["outer", "main"])
    run("tbreak middle")
    run("continue")
    run("return 100")
    same("return", functions(), ["outer", "main"])
    run("finish")
    run("next")
    same("answer after return", value("answer"), 97)


def watchpoints():
    run("tbreak count")
    run("continue")
    holds("watch", run("watch counter"), "Hardware watchpoint")
    for old, new in ((0, 3), (3, 10), (10, 21)):
        same("watched before", value("counter"), old)
        same("watched", goes("continue"), "counter")
        same("watched after", value("counter"), new)
        same("frame", functions(), ["count", "main"])
    run("delete")
    run(f"until {line_with('spins = 0; // after the loop')}")
    same("until", line(), "spins = 0; // after the loop")
    same("spins", value("spins"), 12)
    run("hbreak branches")
    same("hardware breakpoint", goes("continue"), "branches")
    same("frame", functions(), ["branches", "main"])
    run("delete")


STATE = ["total", "counter", "spins", "point.x", "point.y", "go_on", *(f"numbers._M_elems[{at}]" for at in range(5))]


def steps():
    """Each pc from here to the end of `branches`."""
    end, pcs = gdb.newest_frame().older().pc(), []
    while not pcs or pcs[-1] != end:
        if len(pcs) > 5000:
            raise AssertionError(f"no end of the steps: {pcs[-20:]}")
        run("stepi")
        pcs.append(value("$pc"))
    return pcs


def stepped_as_by_the_emulator(state, pcs):
    """Another emulator's own stub steps through the same."""
    run("disconnect")
    run(f"target remote {ORACLE}")
    run("tbreak main")
    run("continue")
    run("set variable alone = 1")
    run("tbreak branches")
    run("continue")
    for name, content in state.items():
        run(f"set variable {name} = {content}")
    wanted = steps()
    same("number of steps", len(pcs), len(wanted))
    same("steps", pcs, wanted)
    print(f"{len(pcs)} steps as the emulator's")


def loading():
    place = value("$pc")
    holds("load", run("load"), "Transfer rate")
    run(f"set $pc = {place}")
    holds("compare-sections", run("compare-sections .text"), "matched")


def vectors():
    """Helium's registers, with and without floating point in the exception's frame; its loops, step by step."""
    run(f"tbreak {line_with('// vectors are seen')}")
    run("continue")
    same("q3", [value(f"$q3.u32[{lane}]") for lane in range(4)], [11, 22, 33, 44])
    same("q6", [value(f"$q6.u32[{lane}]") for lane in range(4)], [22, 44, 66, 88])
    before = run("info all-registers")
    same("call", value("add(20, 22)"), 42)  # moves the frame, and floating point with it
    same("registers after a call", run("info all-registers"), before)
    run("set variable $q3.u32[1] = 1000")
    run("set variable $q6.u32[3] = 5000")
    run("step")
    same("lanes", [value(f"lanes[{lane}]") for lane in range(4)], [33, 1044, 99, 5044])
    end, count = line_with("// after the loops"), 0
    while gdb.selected_frame().find_sal().line != end:
        run("stepi")
        count += 1
        if count > 100:
            raise AssertionError("no end of the loops")
    same("instructions of the loops", count, 1 + 2 + 5 * 2 + 2 + 2 + 3 * 2)
    run("next")
    same("rounds", value("rounds"), 5 + 3 * 7)


def detach_and_attach():
    run("detach")
    time.sleep(0.5)
    attach()
    same("frame", functions(), ["wait_for_the_user", "main"])
    spins = value("spins")
    run("disconnect")  # without a word
    attach()
    same("frame", functions(), ["wait_for_the_user", "main"])
    stop_soon()
    same("Ctrl-C", goes("continue"), "SIGINT")
    if value("spins") <= spins:
        raise AssertionError("the program did not run")
    names = functions()
    same("frame", names[-2:], ["wait_for_the_user", "main"])
    # next over a loop, and a stop in it
    run("set variable go_on = 1")


def faults():
    is_cortex_m = "xpsr" in run("info registers")
    same("fault", goes("continue"), "SIGBUS" if is_cortex_m else "SIGSEGV")
    same("frame", functions(), ["read_from", "main"])
    same("argument", value("(unsigned)place"), value("(unsigned)nowhere"))
    run("return 6")
    same("fault", goes("continue"), "SIGILL")
    same("frame", functions(), ["main"])
    same("answer", value("answer"), 6)


def session():
    def done(what):
        nonlocal began
        print(f"{what}: {time.monotonic() - began:.1f} s")
        began = time.monotonic()

    began = time.monotonic()
    run("set confirm off")
    run("set pagination off")
    run("set tcp auto-retry on")
    run("set remotetimeout 60")  # a busy host
    attach()
    look()
    done("look")
    breakpoints_and_frames()
    done("breakpoints and frames")
    watchpoints()
    done("watchpoints")
    state = {name: value(name) for name in STATE}
    pcs = steps()
    done("steps")
    same("frame", functions(), ["main"])
    if "vpr" in run("info all-registers"):
        vectors()
        done("vectors")
    loading()
    done("loading")
    detach_and_attach()
    done("detach and attach")
    faults()
    done("faults")
    stepped_as_by_the_emulator(state, pcs)
    done("stepped as by the emulator")


def timed_session():
    started = time.monotonic()
    session()
    print(f"session: all of it, in {time.monotonic() - started:.1f} s")


hold(timed_session)
