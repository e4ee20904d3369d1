#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What tools/map does: maps random graphs, judges what it wrote and what was changed in it, and refuses files that are cut off.

usage: map.py MAPPER"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

MAPPER = sys.argv[1]


def run(*words):
    return subprocess.run([MAPPER, *map(str, words)], capture_output=True, text=True, timeout=60)


def expect(condition, what, ended):
    if not condition:
        sys.exit(f"{what}: status {ended.returncode}\n{ended.stdout}{ended.stderr}")


def random_graph(draw):
    names = [f"vertex {at}" for at in range(draw.randint(2, 150))]
    return {"vertices_resources": {name: {"cores": 1, "sdram": draw.randrange(10**6)} for name in names},
            "edges": {f"edge {at}": {"source": draw.choice(names), "sinks": sorted({draw.choice(names) for _ in range(draw.randint(1, 9))}),
                                     "weight": 1.0, "type": "spikes"} for at in range(draw.randint(1, 300))}}


def delivers(machine, tables, key, chip, left=500):
    """What a key that a core of a chip sends comes to, by what a router does, as sorted names; None where it goes round."""
    dead = {tuple(one) for one in machine["dead_chips"]} | {(x, y, link) for x, y, link in machine["dead_links"]}
    steps = {"east": (1, 0), "north_east": (1, 1), "north": (0, 1), "west": (-1, 0), "south_west": (-1, -1), "south": (0, -1)}
    order = list(steps)
    found, waiting = [], [(chip, None)]
    while waiting:
        (x, y), link = waiting.pop()
        left -= 1
        if left == 0:
            return None
        entry = next((one for one in tables.get((x, y), []) if key & one["mask"] == one["key"]), None)
        to = entry["directions"] if entry else [] if link is None else [link]
        for direction in to:
            if direction in steps:
                if (x, y, direction) in dead:
                    return None
                dx, dy = steps[direction]
                waiting.append((((x + dx) % machine["width"], (y + dy) % machine["height"]), direction))
            else:
                found.append((x, y, direction))
    return sorted(found)


def main():
    draw = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        graph = folder / "graph.json"
        for turn in range(12):
            described = random_graph(draw)
            graph.write_text(json.dumps(described))
            ended = run("--graph", graph, "--output", folder, *(["--boards", draw.choice((1, 3))] if turn % 2 else []),
                        *(["--spread"] if turn % 3 == 0 else []))
            expect(("trees moved" in ended.stdout) == (turn % 3 == 0), "trees are spread where that was asked for", ended)
            expect(ended.returncode == 0 and "proved: all keys" in ended.stdout, "a graph is mapped", ended)
            read = {name: json.loads((folder / f"{name}.json").read_text()) for name in
                    ("machine", "placements", "allocations_cores", "routing_keys", "routing_tables")}
            tables = {tuple(one["chip"]): one["entries"] for one in read["routing_tables"]}
            cores = {name: first for name, (first, _) in read["allocations_cores"]["allocations"].items()}
            for name, edge in described["edges"].items():
                key = read["routing_keys"][name][0]["key"]
                wanted = sorted((*read["placements"][sink], f"core{cores[sink]}") for sink in edge["sinks"])
                came = delivers(read["machine"], tables, key, tuple(read["placements"][edge["source"]]))
                expect(came == wanted, f"{name} comes to {came}, and is wanted at {wanted}", ended)
            judged = ["--machine", folder / "machine.json", "--demand", folder / "demand.json"]
            ended = run(*judged, "--tables", folder / "routing_tables.json")
            expect(ended.returncode == 0, "what was written is proved", ended)
            # An entry that delivers to a core is lost: someone misses a packet.
            at, entry = draw.choice([(at, entry) for at, one in enumerate(read["routing_tables"]) for entry in range(len(one["entries"]))
                                     if any(word.startswith("core") for word in one["entries"][entry]["directions"])])
            del read["routing_tables"][at]["entries"][entry]
            wrong = folder / "wrong.json"
            wrong.write_text(json.dumps(read["routing_tables"]))
            ended = run(*judged, "--tables", wrong)
            expect(ended.returncode == 1 and "not so: " in ended.stdout, "a lost entry is seen", ended)
        text = graph.read_text()
        cut = folder / "cut.json"
        for length in sorted(draw.sample(range(len(text)), 25)):
            cut.write_text(text[:length])
            ended = run("--graph", cut)
            expect(ended.returncode == 2 and ended.stderr.count("\n") == 1 and "cut.json: line" in ended.stderr, "a file cut off is refused", ended)
        for words, why in ((["--graph", folder], "cannot read"), (["--boards", "0"], "--boards"), ([], "--graph FILE is missing"),
                           (["--graph", graph, "--placer", "best"], "--placer"), (["--tables", cut], "belong together"),
                           (["--graph", graph, "--output", "/dev/null/there"], "cannot")):
            ended = run(*words)
            expect(ended.returncode == 2 and why in ended.stderr and ended.stderr.count("\n") == 1, f"{words} is refused", ended)
        big = {"vertices_resources": {str(at): {"cores": 1} for at in range(900)}, "edges": {}}
        graph.write_text(json.dumps(big))
        ended = run("--graph", graph, "--boards", 1)
        expect(ended.returncode == 2 and "needs 900 cores, and the machine has 816" in ended.stderr and ended.stderr.count("\n") == 1, "too many vertices are refused", ended)


main()
