# SPDX-License-Identifier: BSL-1.0
"""Runs inside of gdb, which checks/gdb_s2pp.py starts: what a debugger of a plasticity processor does, on s2pp/debugged.cpp."""

import os
import re
import sys
from pathlib import Path

import gdb

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gdb"))
from commands import functions, hold, holds, run, same, value  # noqa: E402


def lanes(expression, count):
    found = gdb.parse_and_eval(expression)
    return [int(found[lane]) for lane in range(count)]


def session():
    run("set confirm off")
    run("set pagination off")
    run("set remotetimeout 60")  # an emulator on a busy machine
    run("set architecture powerpc:common")
    run(f"target remote {os.environ['GDB_STUB']}")
    same("frame", functions(), ["main"])
    text = run("info registers")
    holds("info registers", text, *(f"r{number} " for number in range(32)), "pc ", "lr ", "ctr ", "cr ", "xer ")
    text = run("info vector")
    holds("info vector", text, *(f"kv{number} " for number in range(32)), "v16_int8 = ", "v8_int16 = ", "v16_uint8 = ")
    if re.search(r"^r1 ", text, re.MULTILINE):
        raise AssertionError("info vector has general registers")
    holds("info all-registers", run("info all-registers"), "kv31 ", "r31 ")

    run("break store_lanes")
    run("continue")
    same("backtrace", functions(), ["store_lanes", "main"])
    same("kv1", lanes("$kv1.v16_int8", 16), list(range(1, 17)))
    same("kv2", lanes("$kv2.v16_int8", 16), list(range(2, 34, 2)))
    same("kv2", lanes("$kv2.v8_uint16", 8), [(2 * lane + 1) * 2 << 8 | (2 * lane + 2) * 2 for lane in range(8)])
    run("set $kv2.v16_int8 = {-1, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12, -13, 14, -15, 127}")
    same("kv2", lanes("$kv2.v16_uint8", 3), [255, 2, 253])
    run("set $kv2.v8_int16[3] = 0x1234")
    run("set $kv31.v16_int8[15] = 7")
    before = run("info all-registers")
    same("call", value("inner(20)"), 40)
    same("registers after a call", run("info all-registers"), before)
    run("finish")
    same("lanes", lanes("lanes", 16), [255, 2, 253, 4, 251, 6, 0x12, 0x34, 247, 10, 245, 12, 243, 14, 241, 127])
    same("kv31", lanes("$kv31.v16_int8", 16)[15], 7)

    run("set variable answer = 0")
    run("break inner")
    run("continue")
    same("backtrace", functions(), ["inner", "middle", "outer", "main"])
    holds("backtrace", run("backtrace"), "middle (value=", "outer (value=")
    run("delete")
    run("finish")
    same("returned", int(gdb.history(0)), 32)
    run("set variable choice = 10")
    run("finish")
    same("returned", int(gdb.history(0)), 42)
    same("answer", value("answer"), 16)
    holds("print", run("print answer"), "= 16")
    run("tbreak middle")
    run("continue")
    run("return 100")
    run("next")
    same("after return", functions()[-1], "main")
    run("tbreak branches")
    run("continue")
    same("answer", value("answer"), 99)
    flushes, end, pcs = value("flushes"), gdb.newest_frame().older().pc(), []
    while not pcs or pcs[-1] != end:
        run("stepi")
        pcs.append(value("$pc"))
        if len(pcs) > 2000:
            raise AssertionError(f"no end of the steps: {pcs[-20:]}")
    if value("flushes") - flushes < 2 * len(pcs):  # set and taken away
        raise AssertionError(f"{value('flushes') - flushes} flushes for {len(pcs)} steps")
    run("next")
    sums, total = 0, 99
    for at in range(9):
        if at % 3 == 0:
            sums, total = sums + 2 * at, total + at
        else:
            sums = sums - sums if at == 4 else sums + 1
    same("answer", value("answer"), sums)
    print(f"session: all of it, {len(pcs)} steps")
    run("kill")


hold(session)
