#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What tools/spinnaker_machine serves, met by a client that is written from the description of the protocol alone: discovery, memory with a
window of requests on a net that loses, doubles and reorders, heaps, routers, tags, refusals, boot, faults, allocation, life on cells that it loads, runs and reads in both dialects, and its options.

usage: machine.py SERVER LIFE [IMAGE]

LIFE is examples/life, which loads and runs its cells on the server. IMAGE: of a cell for the chip's processors, which then lives once more."""
import json
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SERVER = sys.argv[1]
LIFE = sys.argv[2]
IMAGE = Path(sys.argv[3]).read_bytes() if sys.argv[3:] else None
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
        if chip == "allocation":
            places[chip] = (address, int(port))
            continue
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
                        (["--port"], "--port needs a value"), (["--profile", "5"], "3.4 or 4.0"), (["--threads", "0"], "a number from 1 to 256"),
                        (["--tick", "x"], "a number from 0 to 10000000"), (["--machine", "/nowhere/at/all"], "cannot read /nowhere/at/all"),
                        (["--machine", "/dev/null"], "/dev/null"), (["--machine", "x", "--boards", "1"], "both name a machine")]:
        ended = subprocess.run([SERVER, *words], capture_output=True, text=True, timeout=20)
        expect(ended.returncode == 2 and want in ended.stderr and ended.stderr.count("\n") == 1, f"{words}: {ended}")
    server, places = serve("--port", 0)
    (address, port), = places.values()
    ended = subprocess.run([SERVER, "--port", str(port)], capture_output=True, text=True, timeout=20)
    expect(ended.returncode == 2 and "cannot listen there" in ended.stderr, f"a port that is in use: {ended}")
    server.send_signal(signal.SIGINT)
    expect(server.wait(timeout=20) == 0, "it has not ended well")
    expect("usage" in subprocess.run([SERVER, "--help"], capture_output=True, text=True, timeout=20).stdout, "no help")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.2", 0))
        return one.getsockname()[1]


def boot(address, port):
    """An image of three blocks; headers and words have their most significant byte first."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect((address, port))
        sender.send(struct.pack("!H4I", 1, 1, 0, 0, 2))
        for block in range(3):
            sender.send(struct.pack("!H4I", 1, 3, 255 << 8 | block, 0, 0) + bytes(1024))
        sender.send(struct.pack("!H4I", 1, 5, 1, 0, 0))


class Loader:
    """Writes what programs need, and reads what they leave."""

    def __init__(self, host, app):
        self.host, self.app = host, app

    def write(self, x, y, at, data):
        pieces = [(x, y, 0, 3, at + begin, len(data[begin:begin + 256]), 0, data[begin:begin + 256]) for begin in range(0, len(data), 256)]
        for answer in self.host.all(pieces):
            expect(answer[0] == OK, f"memory is not written: {answer[0]:#x}")

    def read(self, x, y, at, count):
        pieces = [(x, y, 0, 2, at + begin, min(256, count - begin), 0, b"") for begin in range(0, count, 256)]
        return b"".join(answer[1][:min(256, count - 256 * number)] for number, answer in enumerate(self.host.all(pieces)))

    def allocate(self, x, y, size):
        at = word(self.host.ask(x, y, 28, self.app << 8, size))
        expect(at != 0, "there is no memory left")
        return at

    def put(self, x, y, data):
        at = self.allocate(x, y, len(data))
        self.write(x, y, at, data)
        return at, sum(struct.unpack(f"<{len(data) // 4}I", data)) % 2**32, len(data) // 4

    def give(self, x, y, core, regions, rooms):
        """Regions of the vertex, and bytes of its channels."""
        channels = [(room, 0, self.allocate(x, y, room)) for room in rooms]
        table = [self.put(x, y, struct.pack("<4I", 0, 1000, 3, 0)),
                 self.put(x, y, struct.pack(f"<{1 + 3 * len(channels)}I", len(channels), *sum(channels, ()))),
                 self.put(x, y, bytes(24)), *(self.put(x, y, region) for region in regions)]
        entries = sum(table, ()) + (0, 0, 0) * (32 - len(table))
        at, _, _ = self.put(x, y, struct.pack("<98I", 0xAD130AD6, 0x00010000, *entries))
        self.write(x, y, 0xF5007000 + 128 * core + 0x70, struct.pack("<I", at))

    def route(self, x, y, entries):
        """(key, route) of single keys."""
        base = word(self.host.ask(x, y, 28, self.app << 8 | 3, len(entries)))
        expect(base != 0, "there are no entries left")
        self.write(x, y, 0x67800000, b"".join(struct.pack("<2H3I", at, 0, route, key, 0xFFFFFFFF) for at, (key, route) in enumerate(entries)))
        expect(self.host.ask(x, y, 29, len(entries) << 16 | self.app << 8 | 2, 0x67800000, base)[0] == OK, "entries are not loaded")

    def flood(self, image, chips, cores, old):
        """To chips of the square of four chips a side at (0, 0)."""
        region = 3 << 16 | sum(1 << (x + 4 * y) for x, y in chips)
        blocks = [image[begin:begin + 256] for begin in range(0, len(image), 256)]
        requests = [(20, 6 << 24 | 2 << 16 | len(blocks) << 8, region if old else 0, 1 << 31 | 0x3F18, b"")]
        if not old:
            requests.append((20, 7 << 24 | cores, region, 0x3F18, b""))
        requests += [(23, 0x3F18 << 16 | 2, number << 16 | (len(block) // 4 - 1) << 8, 0x67800000 + 256 * number, block)
                     for number, block in enumerate(blocks)]
        requests.append((20, 15 << 24 | 2, self.app << 24 | (cores if old else 0), 0x3F18, b""))
        for command, one, two, three, data in requests:
            expect(self.host.ask(0, 0, command, one, two, three, data)[0] == OK, f"a part of a flood is refused: {command}")

    def state(self, x, y, core):
        return self.read(x, y, 0xF5007000 + 128 * core + 0x2E, 1)[0]

    def until(self, places, state, what):
        for _ in range(400):
            if all(self.state(*place) == state for place in places):
                return
            time.sleep(0.02)
        expect(False, f"{what}: {[self.state(*place) for place in places]}")

    def control(self, x, y, core, command, *arguments):
        one, two, three = (*arguments, 0, 0, 0)[:3]
        answer = self.host.all([(x, y, 3 << 5 | core, command, one, two, three, bytes(4))])[0]
        expect(answer[0] == OK, f"a program does not take command {command}: {answer[0]:#x}")
        return word(answer)

    def signal(self, number):
        expect(self.host.ask(0, 0, 22, 0, number << 16 | 0xFF00 | self.app, 0xFFFF)[0] == OK, f"signal {number} is refused")


def check_life(old, compiled=None):
    """A torus of 8 x 4 cells on two chips, in two runs; `compiled`: an image for the chip's processors."""
    width, height, draw = 8, 4, random.Random(3)
    fingerprint, = struct.unpack(">I", bytes.fromhex(subprocess.run([SERVER, "--programs"], capture_output=True, text=True).stdout.split()[1]))
    boot_port = free_port()
    server, places = serve("--boards", 3, "--port", 0, "--unbooted", "--boot-port", boot_port, "--profile", "3.4" if old else "4.0",
                           "--threads", 2, "--tick", 50)
    try:
        address, port = places[0, 0]
        host = Host(address, port)
        host.socket.send(struct.pack("<2x8B2H3I", 0x87, 0xFF, 0, 0xFF, 255, 255, 0, 0, 0, 1, 0, 0, 0))
        expect(not select.select([host.socket], [], [], 0.1)[0], "it answers before it is booted")
        boot(address, boot_port)
        time.sleep(0.2)
        version = host.ask(255, 255, 0)
        expect(version[0] == OK and (word(version, 1) >> 16 == (340 if old else 0xFFFF)), f"another version: {version}")
        loader = Loader(host, 17)
        place = {(x, y): (x // 4, 0, 1 + x % 4 + 4 * y) for x in range(width) for y in range(height)}
        key = {cell: chip << 8 | core for cell, (chip, _, core) in place.items()}
        alive = {cell: draw.randrange(2) for cell in place}
        around = {(x, y): [((x + dx) % width, (y + dy) % height) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)] for x, y in place}
        tables = ([], [])
        for cell, (chip, _, core) in place.items():
            loader.give(chip, 0, core, [struct.pack("<4I", fingerprint, 0, key[cell], alive[cell])], [8])
            cores = [0, 0]
            for to in around[cell]:
                cores[place[to][0]] |= 64 << place[to][2]
            tables[chip].append((key[cell], cores[chip] | ((8 if chip else 1) if cores[1 - chip] else 0)))
            if cores[1 - chip]:
                tables[1 - chip].append((key[cell], cores[1 - chip]))
        for chip, table in enumerate(tables):
            loader.route(chip, 0, table)
        text = b"neuromorph program cell\0"
        text += bytes(-len(text) % 32)
        image = struct.pack("<8I", 2, 0, 64, len(text), 4, 0, 0, 0).ljust(64, b"\0") + text
        loader.flood(compiled or image, [(0, 0), (1, 0)], 0x1FFFE, old)
        loader.until(place.values(), 8, "cells do not wait for their signal")
        if old:
            expect(word(host.ask(0, 0, 22, 1, 1 << 22 | 2 << 20 | 8 << 16 | 0xFF00 | 17, 0xFFFF)) == 32, "another number of cells waits")
        else:
            expect(word(host.ask(0, 0, 15, 17, 8)) == 32, "another number of cells waits")
        begin = 0
        for number, end in enumerate((40, 64)):
            for at in place.values():
                loader.control(*at, 7, end, 0, begin)
            loader.signal(4 + number)
            loader.until(place.values(), 10, "cells do not end their run")
            pasts = {}
            for cell, (x, y, core) in place.items():
                table = struct.unpack("<98I", loader.read(x, y, word((OK, loader.read(x, y, 0xF5007000 + 128 * core + 0x70, 4))), 392))
                count, room, written, at = struct.unpack("<4I", loader.read(x, y, table[2 + 3], 16))
                expect((count, room, written) == (1, 8, 4 * -(-(end - begin) // 32)), f"another recording: {count}, {room}, {written}")
                pasts[cell] = struct.unpack(f"<{written // 4}I", loader.read(x, y, at, written))
            for tick in range(begin, end):
                for cell, past in pasts.items():
                    got = past[(tick - begin) // 32] >> (tick - begin) % 32 & 1
                    expect(got == alive[cell], f"cell {cell} is {got} at tick {tick}")
                living = {cell: sum(alive[one] for one in around[cell]) for cell in alive}
                alive = {cell: int(living[cell] == 3 or living[cell] == 2 and alive[cell]) for cell in alive}
            begin = end
        # Without an end, until it is told to pause; then nothing of it is left.
        for at in place.values():
            loader.control(*at, 7, 0, 1, begin)
        loader.signal(4)
        give_up = time.monotonic() + 20
        while loader.control(0, 0, 1, 11) <= begin:
            expect(time.monotonic() < give_up, "time does not go on")
            time.sleep(0.02)
        for at in place.values():
            loader.control(*at, 10)
        loader.until(place.values(), 10, "cells do not pause")
        loader.signal(2)
        loader.until(place.values(), 15, "cells are not gone")
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)
    expect(server.returncode == 0, "it has not ended well")


def check_example(*more, width=30, height=20):
    """examples/life on a machine that is served, also over a net that loses datagrams."""
    server, places = serve("--boards", 3, "--port", 0, *more)
    try:
        address, port = places[0, 0]
        ended = subprocess.run([LIFE, "--board", address, "--port", str(port), "--width", str(width), "--height", str(height), "--ticks", "96"],
                               capture_output=True, text=True, timeout=60)
        expect(ended.returncode == 0 and "all ticks are those of the plain life" in ended.stdout, f"{ended.stdout}{ended.stderr}")
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)


def check_faults():
    """Datagrams that the server loses, doubles and holds back; a chip that is gone, and a core that dies."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "faults.txt"
        script.write_text("0ns lost 0 0 with 0.05  # both ways\n0ns doubled 0 0 with 0.05\n0ns reordered 0 0 with 0.05\n0ns chip 2 3\n0ns link 0 0 N\n")
        server, places = serve("--boards", 1, "--port", 0, "--faults", script, "--seed", 3)
        try:
            host = Host(*places[0, 0])
            data = random.Random(1).randbytes(100000)
            loader = Loader(host, 20)
            loader.write(1, 1, 0x60000000, data)
            expect(loader.read(1, 1, 0x60000000, len(data)) == data, "memory is not what was written")
            expect(host.retries > 20, f"only {host.retries} datagrams were lost")
            expect(host.ask(2, 3, 0)[0] == ROUTE, "a chip that is gone answers")
            links = word(host.ask(0, 0, 31)) >> 8 & 63
            expect(links & 4 == 0 and links & 1, f"chip 0, 0 says that it has links {links:#x}")
        finally:
            server.send_signal(signal.SIGTERM)
            said = server.communicate(timeout=20)
        expect(server.returncode == 0 and "5 faults" in said[0], f"it has not ended well: {said}")
        for text, want in [("1ms chip 9 9\n", "fault 1: there is no chip 9, 9"), ("x\n", "line 1: a time with ns, us, ms or s is wanted")]:
            script.write_text(text)
            ended = subprocess.run([SERVER, "--port", "0", "--faults", str(script)], capture_output=True, text=True, timeout=20)
            expect(ended.returncode == 2 and want in ended.stderr, f"{text}: {ended}")


class Desk:
    """A client of the allocation server."""

    def __init__(self, place):
        self.socket = socket.create_connection(place, timeout=20)
        self.lines, self.notices = self.socket.makefile("r"), []

    def raw(self, text):
        self.socket.sendall(text.encode() + b"\n")
        while True:
            answer = json.loads(self.lines.readline())
            if "return" in answer or "exception" in answer:
                return answer
            self.notices.append(answer)

    def call(self, command, *args, **kwargs):
        answer = self.raw(json.dumps({"command": command, "args": args, "kwargs": kwargs}))
        expect("return" in answer, f"{command}: {answer}")
        return answer["return"]


def check_allocation():
    """Two who want the machine: the second gets it when the first is done, and nothing of the first is left."""
    server, places = serve("--boards", 3, "--port", 0, "--allocate", 0)
    try:
        one, other = Desk(places["allocation"]), Desk(places["allocation"])
        expect([int(part) for part in one.call("version").split(".")] >= [0, 4, 0], "another version")
        expect(one.call("list_machines")[0]["name"] == "simulated", "another machine")
        expect(one.call("get_job_state", 1)["state"] == 0, "a job before any was made")
        first = one.call("create_job", 3, owner="one", keepalive=60.0)
        expect(one.call("get_job_state", first)["state"] == 3, "the first does not get the machine")
        info = one.call("get_job_machine_info", first)
        expect(sorted(tuple(chip) for chip, _ in info["connections"]) == [(0, 0), (4, 8), (8, 4)], f"other boards: {info}")
        (address,) = [host for chip, host in info["connections"] if chip == [0, 0]]
        expect((address, places[0, 0][1]) == places[0, 0], "another address")
        other.call("notify_job")
        second = other.call("create_job", owner="other", keepalive=None)
        expect(other.call("get_job_state", second)["state"] == 1, "the second does not wait")
        expect(other.call("get_job_machine_info", second)["width"] is None, "who waits has a machine")
        host = Host(*places[0, 0])
        host.ask(1, 1, 3, 0x60000000, 4, 2, b"abcd")
        expect(host.ask(1, 1, 2, 0x60000000, 4, 2)[1] == b"abcd", "memory is not written")
        one.call("job_keepalive", first)
        one.call("power_off_job_boards", first)
        expect(one.call("get_job_state", first)["power"] is False, "it has power")
        one.call("destroy_job", first, reason="done")
        expect(one.call("get_job_state", first)["reason"] == "done", "another reason")
        expect(other.call("get_job_state", second)["state"] == 3, "the second does not get the machine")
        expect(host.ask(1, 1, 2, 0x60000000, 4, 2)[1] == bytes(4), "memory of the first is left")
        other.call("list_jobs")
        expect(any(second in notice.get("jobs_changed", []) for notice in other.notices), f"nobody was told: {other.notices}")
        # By its place; more than there is; a torus, which it is not; somebody of whom nobody hears.
        for args, kwargs, state in [((0, 0, 2), {}, 1), ((5, 0, 0), {}, 4), ((4,), {}, 4), ((1, 1), {}, 1), ((2, 1), {}, 4),
                                    ((1,), {"require_torus": True}, 4), ((1,), {"keepalive": 1}, 1)]:
            job = one.call("create_job", *args, owner="one", **kwargs)
            got = one.call("get_job_state", job)
            expect(got["state"] == state, f"{args} {kwargs}: {got}")
        time.sleep(1)
        for _ in range(200):
            time.sleep(0.1)
            if one.call("get_job_state", job)["state"] == 4:
                break
        expect("nobody was heard of" in one.call("get_job_state", job)["reason"], "a silent job is left")
        for text, want in [("{", "line 1"), ("[]", "an object is wanted"), ('{"command": "create_job"}', "owner is wanted"),
                           ('{"command": "fly"}', "there is no command 'fly'"), ('{"command": "destroy_job", "args": [99]}', "there is no job 99"),
                           ('{"command": "job_keepalive"}', "job_id is wanted"), ('{"command": "create_job", "args": [-1], "kwargs": {"owner": "x"}}', "0 to 1000000"),
                           ('{"command": "create_job", "kwargs": {"owner": "x", "machine": "other"}}', "there is no machine 'other'")]:
            answer = one.raw(text)
            expect(want in answer.get("exception", ""), f"{text}: {answer}")
        # Lines that come faster than they are taken are all answered.
        with socket.create_connection(places["allocation"], timeout=20) as fast:
            sender = threading.Thread(target=fast.sendall, args=(b'{"command": "version"}\n' * 20000,))
            sender.start()
            answers = fast.makefile("r")
            for number in range(20000):
                answer = answers.readline()
                expect(json.loads(answer) == {"return": "1.0.0"}, f"answer {number} is {answer!r}")
            sender.join()
        # Whose lines have no end is left; others are served.
        endless = socket.create_connection(places["allocation"], timeout=20)
        try:
            endless.sendall(bytes([65]) * 300000)
            endless.settimeout(20)
            expect(endless.recv(1) == b"", "who sends a line without an end is listened to")
        except ConnectionError:
            pass
        expect(one.call("version"), "it does not answer any more")
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)
    expect(server.returncode == 0, "it has not ended well")


check_machine()
check_faults()
check_allocation()
check_life(False)
check_life(True)
check_example()
check_example("--timed", width=12, height=8)  # more cells send so many packets at once that routers drop some
with tempfile.NamedTemporaryFile("w", suffix=".txt") as script:
    script.write("0ns lost 0 0 with 0.03\n0ns doubled 0 0 with 0.03\n0ns reordered 4 8 with 0.05\n")
    script.flush()
    check_example("--faults", script.name)
if IMAGE:
    check_life(False, IMAGE)
check_options()
