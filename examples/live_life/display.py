# SPDX-License-Identifier: BSL-1.0
"""Watches live_life in a terminal, from another process, and draws gliders into it.

usage: display.py [--port NUMBER] [--width NUMBER] [--every NUMBER] [--quiet]
  --port NUMBER    that live_life has for --notify   (19999)
  --width NUMBER   of its cells                      (36)
  --every NUMBER   ticks between gliders; 0: none    (50)
  --quiet          counts, and draws nothing
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from live_client import LiveConnection  # noqa: E402

GLIDER = ((1, 0), (2, 1), (0, 2), (1, 2), (2, 2))


class Display:
    def __init__(self, words):
        self.words, self.now, self.time, self.ticks, self.touched, self.cells = words, set(), None, 0, 0, 0
        self.live = LiveConnection(receive=["cell_*"], send=["hand"], notification_port=words.port)
        self.live.on_database(self.begin)
        self.live.on_events("cell_*", self.hear)

    def begin(self, database):
        self.cells = len(database.keys_of("hand"))

    def hear(self, label, time, _):
        if time != self.time:
            if self.time is not None:
                self.show()
            self.now, self.time = set(), time
        self.now.add(int(label.removeprefix("cell_")))

    def show(self):
        self.ticks += 1
        if self.words.every and self.ticks % self.words.every == 0:
            glider = [y * self.words.width + x for x, y in GLIDER]
            self.live.send("hand", [cell for cell in glider if cell < self.cells])
            self.touched += len(glider)
        if self.words.quiet:
            return
        width = self.words.width
        rows = ("".join("\u2588\u2588" if y * width + x in self.now else "  " for x in range(width)) for y in range(self.cells // width))
        print("\x1b[H" + "".join(row + "\x1b[K\n" for row in rows) + f"tick {self.time}\x1b[K", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[1])
    parser.add_argument("--port", type=int, default=19999)
    parser.add_argument("--width", type=int, default=36)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--quiet", action="store_true")
    display = Display(parser.parse_args())
    display.live.run(until=display.live.has_paused)
    display.live.poll(0.2)  # a board's last events may come after the news that it has paused
    print(f"{display.ticks} ticks were seen, and {display.touched} cells touched; {display.live.strange} events of others, "
          f"{display.live.malformed} malformed")
