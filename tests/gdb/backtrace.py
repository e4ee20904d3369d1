# SPDX-License-Identifier: BSL-1.0
"""Runs inside of gdb, which checks/crash.py starts: the backtrace at an address, frame by frame to main."""

import os

import gdb

for command in ("set confirm off", "set pagination off", f"target remote {os.environ['GDB_PLACE']}",
                f"hbreak *{os.environ['GDB_STOP']}", "continue"):
    gdb.execute(command, to_string=True)
frame, is_stopped = gdb.newest_frame(), True
while frame is not None:
    if frame.type() == gdb.NORMAL_FRAME:
        print("at" if is_stopped else "call", hex(frame.pc()))
        if frame.name() == "main":
            break
    if frame.type() != gdb.INLINE_FRAME:
        is_stopped = frame.type() == gdb.SIGTRAMP_FRAME  # between a handler and what it interrupts
    frame = frame.older()
