#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What tools/spinnaker_machine serves, met by a client that is written from the description of the protocol alone: discovery, memory with a
window of requests on a net that loses, doubles and reorders, heaps, routers, tags, refusals, and its options.

usage: machine.py SERVER"""
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

SERVER = sys.argv[1]
OK, LEN, CMD, ARG, PORT, ROUTE, CPU = 0x80, 0x81, 0x83, 0x84, 0x85, 0x87, 0x88


def expect(condition, what):
    if not condition:
        sys.exit(what)


class Host:
    """Asks with several requests under way; what is lost is asked again."""

    def __init__(self, address, port, faults=0.0, seed=1):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect((address, port))
        self.sequence, self.retries = 0, 0
        self.faults, self.draw, self.held = faults, random.Random(seed), None

    def send(self, datagram):
        kind = self.draw.random()
        if kind < self.faults:  # lost
            return
        if kind < 2 * self.faults and self.held is None:  # comes later than the next one
            self.held = datagram
            return
        self.socket.send(datagram)
        if kind < 3 * self.faults:  # doubled
            self.socket.send(datagram)
        if self.held is not None:
            self.socket.send(self.held)
            self.held = None

    def all(self, requests, window=8):
        """requests: (x, y, core, command, arg1, arg2, arg3, data); answers in their order, as (result, bytes)."""
        answers, waiting, todo = [None] * len(requests), {}, list(range(len(requests)))[::-1]
        last = time.monotonic()
        while todo or waiting:
            while todo and len(waiting) < window:
                at = todo.pop()
                self.sequence = (self.sequence + 1) % 65536
                x, y, core, command, one, two, three, data = requests[at]
                datagram = struct.pack("<2x8B2H3I", 0x87, 0xFF, core, 0xFF, y, x, 0, 0, command, self.sequence, one, two, three) + data
                waiting[self.sequence] = [at, datagram, time.monotonic()]
                self.send(datagram)
            if select.select([self.socket], [], [], 0.02)[0]:
                got = self.socket.recv(2048)
                if self.draw.random() < self.faults:  # the answer is lost
                    continue
                result, sequence = struct.unpack_from("<2H", got, 10)
                if sequence in waiting:  # else it is one that came twice
                    answers[waiting.pop(sequence)[0]] = (result, got[14:])
                    last = time.monotonic()
            now = time.monotonic()
            expect(now - last < 20, "the machine does not answer")
            for entry in waiting.values():
                if now - entry[2] > 0.1:
                    entry[2] = now
                    self.retries += 1
                    self.send(entry[1])
        return answers

    def ask(self, x, y, command, one=0, two=0, three=0, data=b"", core=0):
        return self.all([(x, y, core, command, one, two, three, data)])[0]


def word(answer, at=0):
    return struct.unpack_from("<I", answer[1], 4 * at)[0]


def discover(host):
    result, data = host.ask(255, 255, 0)
    expect(result == OK and b"SC&MP/SpiNNaker\x00" in data, f"no version, but {result:#x} {data}")
    result, dims = host.ask(255, 255, 2, 0xF5007F02, 2, 1)
    height, width = dims[0], dims[1]
    chips = {}
    for x in range(width):
        table = b"".join(answer[1] for answer in host.all([(255, 255, 0, 2, 0xE1010000 + 128 * x, 128, 2, b"")]))
        for y in range(height):
            link = struct.unpack_from("<I", table, y // 8 * 4)[0] >> 3 * (y % 8) & 7
            if link != 6:
                chips[x, y] = None
    for place, answer in zip(chips, host.all([(x, y, 0, 31, 0x1F, 0, 0, b"") for x, y in chips])):
        expect(answer[0] == OK, f"chip {place} does not say what it has: {answer[0]:#x}")
        first = word(answer)
        chips[place] = (first & 31, first >> 8 & 63)
    return width, height, chips


def serve(*words):
    server = subprocess.Popen([SERVER, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    places = {}
    for line in server.stdout:
        if line == "ready\n":
            return server, places
        chip, _, where = line.partition(": ")
        address, _, port = where.split()
        places[tuple(map(int, chip.removeprefix("chip ").split(", ")))] = (address, int(port))
    sys.exit(f"the server has ended: {server.stderr.read()}")


def check_machine():
    server, places = serve("--boards", 3, "--port", 0)
    try:
        expect(sorted(places) == [(0, 0), (4, 8), (8, 4)], f"other Ethernet chips: {places}")
        expect(len({address for address, _ in places.values()}) == 3, "boards share an address")
        host = Host(*places[0, 0])
        width, height, chips = discover(host)
        expect(len(chips) == 144, f"{len(chips)} chips of {width} x {height}")
        expect(all(cores == 18 for cores, _ in chips.values()), "a chip has not its 18 cores")
        # Any Ethernet chip leads to all others, and says of itself that it is one.
        for place, where in places.items():
            result, data = Host(*where).ask(255, 255, 31, 0x1F)
            expect(struct.unpack_from("<H", data, 30)[0] == place[0] << 8 | place[1], f"{place} calls itself another")

        # Every byte is right on a net of which a twentieth is lost, a twentieth late, a twentieth twice.
        faulty = Host(*places[4, 8], faults=0.05)
        draw = random.Random(2)
        blob = draw.randbytes(64 * 1024 + 100)
        pieces = range(0, len(blob), 256)
        base = 0x60100000
        written = faulty.all([(3, 3, 0, 3, base + at, len(blob[at:at + 256]), 2 if at + 256 <= len(blob) else 0, blob[at:at + 256])
                              for at in pieces])
        expect(all(result == OK for result, _ in written), "a write was refused")
        read = faulty.all([(3, 3, 0, 2, base + at, len(blob[at:at + 256]), 0, b"") for at in pieces])
        expect(b"".join(data for _, data in read) == blob, "other bytes were read than were written")
        expect(faulty.retries > 10, f"only {faulty.retries} retries: the net was too good")

        # Heaps and tables.
        result, data = host.ask(1, 1, 28, 30 << 8, 1000, 5)
        pointer = struct.unpack_from("<I", data)[0]
        expect(result == OK and 0x60000000 <= pointer < 0x68000000, f"no memory: {result:#x}, {pointer:#x}")
        expect(word(host.ask(1, 1, 28, 30 << 8 | 7, 5)) == pointer, "a tag is not found")
        base = word(host.ask(1, 1, 28, 30 << 8 | 3, 2))
        entries = b"".join(struct.pack("<2H3I", at, 0, 1 << at, 0x100 + at, 0xFFFFFFFF) for at in range(2)) + b"\xff" * 16
        expect(host.ask(1, 1, 3, 0x67800000, len(entries), 2, entries)[0] == OK, "entries are not written")
        expect(host.ask(1, 1, 29, 3 << 16 | 30 << 8 | 2, 0x67800000, base)[0] == OK, "entries are not loaded")
        loaded = host.ask(1, 1, 2, 0x67A00000 + 16 * base, 32, 2)[1]
        expect(struct.unpack_from("<3I", loaded, 20) == (30 << 24 | 2, 0x101, 0xFFFFFFFF), f"other entries: {loaded.hex()}")
        expect(host.ask(0, 0, 22, 0, 2 << 16 | 0xFF00 | 30, 0xFFFF)[0] == OK, "no stop")
        expect(word(host.ask(1, 1, 28, 30 << 8 | 7, 5)) == 0, "what was stopped still has memory")

        # Tags of who asks.
        expect(word(host.ask(255, 255, 26, 1 << 16 | 3, 0x0000FFFF & 17000)) == 3, "no tag")
        tag = host.ask(255, 255, 26, 2 << 16 | 3, 1)[1]
        expect(tag[:4] == socket.inet_aton(host.socket.getsockname()[0]), f"a tag of another: {tag.hex()}")

        # Refusals.
        for want, answer in [(ROUTE, host.ask(200, 1, 0)), (CPU, host.ask(1, 1, 0, core=18)), (CMD, host.ask(1, 1, 99)),
                             (PORT, host.ask(1, 1, 0, core=1 << 5)), (ARG, host.ask(1, 1, 2, 0x60000000, 257)),
                             (ARG, host.ask(1, 1, 2, 0x60000002, 4, 2)), (ARG, host.ask(1, 1, 2, 0, 4)), (CMD, host.ask(1, 1, 31, core=3))]:
            expect(answer[0] == want, f"{answer[0]:#x} where {want:#x} is right")
        host.socket.send(struct.pack("<2x8B2H", 0x87, 0xFF, 0, 0xFF, 1, 1, 0, 0, 0, 7))  # without arguments
        expect(struct.unpack_from("<H", host.socket.recv(2048), 10)[0] == LEN, "a short request has another result")
        for length in list(range(12)) + [283, 1000, 2000]:
            host.socket.send(bytes(length))
        expect(host.ask(1, 1, 0)[0] == OK, "the machine does not answer any more")
    finally:
        server.send_signal(signal.SIGTERM)
        said = server.communicate(timeout=20)
    expect(server.returncode == 0 and "malformed" in said[0], f"it has not ended well: {server.returncode}, {said}")
    print(said[0].strip() + f"; {faulty.retries} retries")


def check_options():
    for words, want in [(["--boards", "0"], "a number from 1 to 900"), (["--bords", "1"], "there is no option '--bords'"),
                        (["--port"], "--port needs a value"), (["--machine", "/nowhere/at/all"], "cannot read /nowhere/at/all"),
                        (["--machine", "/dev/null"], "/dev/null"), (["--machine", "x", "--boards", "1"], "one too many")]:
        ended = subprocess.run([SERVER, *words], capture_output=True, text=True, timeout=20)
        expect(ended.returncode == 2 and want in ended.stderr and ended.stderr.count("\n") == 1, f"{words}: {ended}")
    server, places = serve("--port", 0)
    (address, port), = places.values()
    ended = subprocess.run([SERVER, "--port", str(port)], capture_output=True, text=True, timeout=20)
    expect(ended.returncode == 2 and "cannot listen there" in ended.stderr, f"a port that is in use: {ended}")
    server.send_signal(signal.SIGINT)
    expect(server.wait(timeout=20) == 0, "it has not ended well")
    expect("usage" in subprocess.run([SERVER, "--help"], capture_output=True, text=True, timeout=20).stdout, "no help")


check_machine()
check_options()
