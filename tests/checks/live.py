# SPDX-License-Identifier: BSL-1.0
"""examples.live_life: programs beside a simulation, that of the example, tools/live_client.py, and one that is written from the
description of the protocols alone.

usage: live.py PROGRAM
"""

import re
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import live_client  # noqa: E402

PROGRAM = None
SENT = re.compile(r"(\d+) x (\d+) cells, (\d+) ticks: (\d+) events in (\d+) datagrams were sent, (\d+) times")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("", 0))
        return one.getsockname()[1]


class Live(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = Path(folder.name) / "a database, with a space.sqlite3"

    def begin(self, *words):
        process = subprocess.Popen([PROGRAM, "--database", self.database, *map(str, words)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        output, complaint = process.communicate(timeout=60)
        self.assertEqual((process.returncode, complaint), (0, ""), output)
        numbers = SENT.match(output)
        self.assertIsNotNone(numbers, output)
        return [int(number) for number in numbers.groups()], output

    def test_its_own(self):
        numbers, output = self.end(self.begin("--ticks", 200, "--tick", 4))
        self.assertEqual(numbers[:3], [36, 20, 200])
        self.assertIn("200 ticks were seen, each as life has it but for what the hand has turned\n", output)
        self.assertEqual(output.count("\n"), 2)  # no anomalies
        self.assertEqual(numbers[5], 30)

    def test_the_display(self):
        port = free_port()
        watched = self.begin("--ticks", 600, "--tick", 3, "--notify", port)
        display = subprocess.run([sys.executable, "-B", ROOT / "examples/live_life/display.py", "--port", str(port), "--every", "150", "--quiet"],
                                 capture_output=True, text=True, timeout=60)
        numbers, _ = self.end(watched)
        self.assertEqual(display.stderr, "")
        self.assertEqual(display.stdout, "599 ticks were seen, and 15 cells touched; 0 events of others, 0 malformed\n")
        self.assertEqual(numbers[5], 15)

    def test_one_from_the_description(self):
        """Keys and ports by the views that clients of SpiNNTools read; events by EIEIO's layout; no line of the library's."""
        news = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(news.close)
        news.settimeout(20)
        news.bind(("", 0))
        program = self.begin("--ticks", 100, "--notify", news.getsockname()[1])
        told, simulation = news.recvfrom(2048)
        self.assertEqual(told[:2], b"\x01\x40")
        file = sqlite3.connect(told[2:].decode())
        self.addCleanup(file.close)
        file.row_factory = sqlite3.Row
        row = file.execute("SELECT * FROM app_output_tag_view WHERE pre_vertex_label = ? AND post_vertex_label LIKE ? LIMIT 1",
                           ("cell_7", "disp%")).fetchone()
        self.assertEqual((row["ip_address"], row["port"], row["strip_sdp"], row["board_address"]), ("127.0.0.1", 17895, 1, "127.0.0.2"))
        events = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(events.close)
        events.settimeout(30)
        events.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        events.bind(("", row["port"]))
        keys = {row["event"]: row["label"] for row in file.execute("SELECT * FROM label_event_atom_view")}
        place = file.execute("SELECT x, y, p FROM application_vertex_placements WHERE vertex_label = 'hand'").fetchall()
        self.assertEqual(len(place), 1)
        board = file.execute("SELECT eth_ip_address FROM chip_eth_info WHERE x = ? AND y = ? OR x = 0 AND y = 0 ORDER BY x DESC LIMIT 1",
                             tuple(place[0])[:2]).fetchone()[0]
        self.assertEqual(board, "127.0.0.2")
        step = file.execute("SELECT value FROM configuration_parameters WHERE parameter_id = 'machine_time_step' LIMIT 1").fetchone()[0]
        self.assertEqual(step, 1000)
        news.sendto(b"\x01\x40", simulation)
        while (said := news.recv(2048)) == told:  # asked again while the database was read
            pass
        self.assertEqual(said, b"\x0b\x40")
        seen, ticks = 0, set()
        while True:
            news.setblocking(False)
            try:
                message = news.recv(2048)
                self.assertEqual(message, b"\x0a\x40")
                events.settimeout(0.5)
            except BlockingIOError:
                pass
            try:
                message = events.recv(2048)
            except TimeoutError:
                break
            count, flags, time = struct.unpack_from("<BBI", message)
            self.assertEqual(flags, 0x20 | 0x10 | 8)
            self.assertEqual(len(message), 6 + 4 * count)
            for key in struct.unpack_from(f"<{count}I", message, 6):
                self.assertTrue(keys[key].startswith("cell_"))
            seen += count
            ticks.add(time)
        numbers, _ = self.end(program)
        self.assertEqual(seen, numbers[3])
        self.assertEqual(ticks, set(range(100)))

    def test_a_silent_one(self):
        port = free_port()
        complaint = self.begin("--ticks", 10, "--notify", port).communicate(timeout=60)[1]
        self.assertEqual(complaint, f"live_life: 127.0.0.1, port {port}: it has not answered within 10000 ms that it has read the database\n")

    def test_a_database_that_cannot_be(self):
        self.database = Path("/proc/none/such")
        complaint = self.begin("--ticks", 10).communicate(timeout=60)[1]
        self.assertEqual(complaint, "live_life: /proc/none/such.new: unable to open database file\n")

    def test_what_it_refuses(self):
        for words in (["--ticks", "0"], ["--width", "41"], ["--notify", "65536"], ["--database"], ["--database", ""], ["--nonsense"]):
            done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1)


class Client(unittest.TestCase):
    """A simulation made by hand, which does what ours would not, or at other times."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.seen = Path(folder.name), []
        self.simulation = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.simulation.close)
        self.simulation.bind(("127.0.0.1", 0))
        self.simulation.settimeout(30)
        self.client = live_client.LiveConnection(receive=["cell_*"], send=["hand"], notification_port=0)
        self.addCleanup(self.client.close)
        self.client.on_events("cell_*", lambda label, time, atoms: self.seen.append((label, time, atoms)))

    def database(self, name, port, first_key=0, cells=2):
        file = sqlite3.connect(self.folder / name)
        file.executescript("CREATE TABLE Application_vertices(vertex_id, vertex_label); CREATE TABLE label_event_atom_view(label, atom, event);"
                           "CREATE TABLE app_output_tag_view(pre_vertex_label, ip_address, port, strip_sdp, board_address, tag);"
                           "CREATE TABLE app_input_tag_view(application_label, board_address, port);"
                           "INSERT INTO Application_vertices VALUES (99, 'hand'); INSERT INTO label_event_atom_view VALUES ('hand', 0, 500)")
        file.execute("INSERT INTO app_input_tag_view VALUES ('hand', '127.0.0.1', ?)", self.simulation.getsockname()[1:])
        for number in range(cells):
            label = f"cell_{number}"
            file.execute("INSERT INTO Application_vertices VALUES (?, ?)", (number, label))
            file.execute("INSERT INTO label_event_atom_view VALUES (?, 0, ?)", (label, first_key + number))
            file.execute("INSERT INTO app_output_tag_view VALUES (?, '127.0.0.1', ?, 1, '127.0.0.1', 1)", (label, port))
        file.commit()
        file.close()
        return str(self.folder / name).encode()

    def tell(self, command, path=b""):
        self.simulation.sendto(struct.pack("<H", command) + path, ("127.0.0.1", self.client.notification_port))

    def send(self, port, key, time):
        self.simulation.sendto(struct.pack("<BBII", 1, 0x20 | 0x10 | 8, time, key), ("127.0.0.1", port))

    def begin(self, path):
        self.tell(live_client.DATABASE, path)
        self.client.poll(30)
        self.assertEqual(self.simulation.recv(100), struct.pack("<H", live_client.DATABASE))

    def test_events_come_before_the_news_behind_them(self):
        port, calls = free_port(), []
        self.client.on_events("cell_*", lambda label, time, atoms: calls.append("events"))
        self.client.on_pause(lambda: calls.append("pause"))
        self.begin(self.database("one", port))
        for time in range(100):
            self.send(port, time % 2, time)
        self.tell(live_client.PAUSED)
        self.client.run(until=self.client.has_paused)
        self.assertEqual(self.seen, [(f"cell_{time % 2}", time, [0]) for time in range(100)])
        self.assertEqual(calls, ["events"] * 100 + ["pause"])

    def test_another_database_while_events_wait(self):
        """They are of the one before; what comes afterwards has the keys of the new one, at the same port or at another."""
        ports = [free_port()]
        ports += [ports[0], free_port()]
        self.begin(self.database("0", ports[0]))
        for number in (1, 2):
            self.seen.clear()
            self.send(ports[number - 1], 10 * (number - 1), 7)
            self.begin(self.database(str(number), ports[number], first_key=10 * number))
            self.send(ports[number], 10 * number + 1, 8)
            self.client.poll(30)
            self.assertEqual(self.seen, [("cell_0", 7, [0]), ("cell_1", 8, [0])])
        self.client.send("hand", [0])
        self.assertEqual(self.simulation.recv(100), struct.pack("<BBI", 1, 8, 500))
        self.assertEqual((self.client.strange, self.client.malformed, self.client.news_not_known), (0, 0, 0))

    def test_told_again(self):
        """Late, while events come already: the socket that they come to stays."""
        def socket_of(port):
            rows = [line.split() for line in Path("/proc/net/udp").read_text().splitlines()[1:]]
            return [row[9] for row in rows if row[1].endswith(f":{port:04X}")]
        port, calls = free_port(), []
        self.client.on_database(lambda database: calls.append(database.labels()))
        path = self.database("one", port)
        self.begin(path)
        before = socket_of(port)
        self.begin(path)
        self.assertEqual(len(before), 1)
        self.assertEqual(socket_of(port), before)
        self.assertEqual(calls, 2 * [["cell_0", "cell_1", "hand"]])

    def test_a_database_that_is_none(self):
        """A sentence, and the client goes on with the one before."""
        port = free_port()
        self.begin(self.database("right", port))
        (self.folder / "text").write_text("no database, but text" * 100)
        sqlite3.connect(self.folder / "empty").close()
        (self.folder / "bare").touch()
        bare = sqlite3.connect(self.folder / "bare")
        bare.execute("CREATE TABLE Application_vertices(vertex_id, vertex_label)")
        bare.commit()
        bare.close()
        folder = str(self.folder).encode()
        without = self.database("without", port, cells=0)
        for path, said in ((folder + b"/none", "unable to open database file"), (folder + b"/text", "file is not a database"),
                           (folder + b"/bare", "no such table"), (folder + b"/a\0b", "cannot be read"), (b"\xff\xfe", "cannot be read"),
                           (b"", "cannot be read"), (without, "^'?the simulation has no vertex 'cell_\\*'")):
            self.tell(live_client.DATABASE, path)
            with self.assertRaisesRegex(LookupError, said):
                self.client.poll(30)
        self.send(port, 1, 3)
        self.client.poll(30)
        self.assertEqual(self.seen, [("cell_1", 3, [0])])
        self.simulation.setblocking(False)
        with self.assertRaises(BlockingIOError):  # it has not answered that it has read one
            self.simulation.recv(100)

    def test_a_port_that_is_taken(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("", 0))
            port = other.getsockname()[1]
            self.tell(live_client.DATABASE, self.database("one", port))
            with self.assertRaisesRegex(OSError, f"port {port}, to which events come: Address already in use"):
                self.client.poll(30)
        self.begin(self.folder.joinpath("one").as_posix().encode())

    def test_what_is_no_news(self):
        for message in (b"", b"\x01", b"\x02\x40", b"x" * 3000):
            self.simulation.sendto(message, ("127.0.0.1", self.client.notification_port))
        while self.client.news_not_known < 4:
            self.assertTrue(self.client.poll(30))


class Messages(unittest.TestCase):
    def test_events_are_what_was_written(self):
        keys = [7 * at for at in range(200)]
        for payloads in (None, [3 * at for at in range(200)]):
            messages = list(live_client.messages_of(keys, payloads))
            self.assertTrue(all(len(one) <= 256 for one in messages))
            events = [event for one in messages for event in live_client.events_of(one)]
            self.assertEqual([event.key for event in events], keys)
            self.assertEqual([event.payload for event in events], payloads or [None] * 200)

    def test_prefixes(self):
        self.assertEqual(live_client.events_of(bytes.fromhex("01c034127856")), [(0x12345678, None)])
        self.assertEqual(live_client.events_of(bytes.fromhex("01803412cd00")), [(0x12FD, None)])
        self.assertEqual(live_client.events_of(bytes.fromhex("0130ef0002010403")[:6]), [(0x0102, 0xEF)])

    def test_what_is_none_is_refused(self):
        for text in ("", "01", "0140", "0108", "01080102", "0108010203040506", "02000102", "01a80102"):
            with self.assertRaises(ValueError):
                live_client.events_of(bytes.fromhex(text))


if __name__ == "__main__":
    PROGRAM = Path(sys.argv[1]).resolve()
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in (Live, Client, Messages))
    sys.exit(0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1)
