# SPDX-License-Identifier: BSL-1.0
"""Waits until somebody listens: the path of a socket is there a moment before, and a port says nothing."""

import time
from pathlib import Path

from common import Failure

PATIENCE_S = 60


def listens(place):
    """Whether a place like unix:/PATH or tcp:127.0.0.1:PORT is listened at; it is not touched, as who listens may serve one client."""
    kind, _, where = place.partition(":")
    if kind == "unix":
        rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
        return any(row[-1] == where and int(row[3], 16) & 0x10000 for row in rows[1:] if len(row) == 8)
    port = f":{int(where.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    return any(row[1].endswith(port) and row[3] == "0A" for row in rows[1:])


def wait_for(place, process):
    """Until `process` listens there; a Failure says that it does not."""
    until = time.monotonic() + PATIENCE_S
    while not listens(place):
        if process.poll() is not None:
            raise Failure(f"who should listen at {place} has ended: {process.stdout.read()}")
        if time.monotonic() > until:
            raise Failure(f"nobody listens at {place}")
        time.sleep(0.01)
