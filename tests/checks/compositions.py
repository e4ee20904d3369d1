# SPDX-License-Identifier: BSL-1.0
"""compositions.list, compositions.refused: a list of neurons in which every pair of parts occurs that may.

The options of each role stand below, and what the library refuses of two of them, with its sentence. From that and a seed
come tests/support/compositions.hpp, the list, and tests/support/compositions_refused.txt, the pairs that cannot occur. The
programs tests/target/compositions_*.cpp step the list.

usage: compositions.py write             writes both files
       compositions.py list              are they what `write` would write, and does each pair that may occur?
       compositions.py refused SETTINGS  does the compiler refuse each of the others, in these words?
       compositions.py digests LOG...    writes tests/support/composition_digests.hpp from what the programs printed
"""

import itertools
import re
import sys
import tempfile
from pathlib import Path

from common import INCLUDE, ROOT, Failure, Settings, main, run

LIST = ROOT / "tests/support/compositions.hpp"
REFUSED = ROOT / "tests/support/compositions_refused.txt"
DIGESTS = ROOT / "tests/support/composition_digests.hpp"
SEED = 1
CANDIDATES = 8
PER_PROGRAM = 15
WIDTH = 120

ROLES = {
    "membrane": ["Lif", "LifConductance<>", "Integrator", "Izhikevich", "IzhikevichBy<method::RungeKutta4>", "AdEx",
                 "Linear<2, 1, 0, 1>"],
    "synapse": ["Exponential<1>", "Exponential<2>", "Exponential<3>", "Difference", "ExponentialPair", "Driven<1, 10>",
                "Driven<2, 10>", "Alpha<2>", "DoubleExponential<2>", "Delta<1>", "Delta<2>"],
    "input": ["Current", "Conductance", "Multiplicative<>"],
    "threshold": ["Fixed", "Adaptive", "Stochastic", "None"],
    "reset": ["ToValue", "Subtraction", "LateSubtraction", "None"],
    "refractory": ["None", "InMembrane", "Counted", "InQueue"],
    "adaptation": ["None", "Calcium", "SpikeTriggered"],
    "current": ["None", "Direct", "Steps", "Alternating", "WhiteNoise<>", "WhiteNoise<NoiseOf::population>",
                "OrnsteinUhlenbeck<>", "Direct+OrnsteinUhlenbeck<NoiseOf::population>"],
    "rounding": ["Down", "Nearest", "Stochastic"],
    # the part that is PerNeuron: with all its constants, or of a membrane with its drift alone
    "columns": ["none", "membrane", "drift", "synapse", "input", "threshold", "reset", "refractory", "adaptation",
                "current"],
}
DEFAULTS = {role: options[0] for role, options in ROLES.items()} | {"synapse": "Exponential<2>"}
# Of these a neuron has nothing that could differ from that of another.
WITHOUT_CONSTANTS = {("synapse", "Delta<1>"), ("synapse", "Delta<2>"), ("input", "Current"), ("threshold", "Fixed"),
                     ("threshold", "None"), ("reset", "None"), ("refractory", "None"), ("adaptation", "None"),
                     ("current", "None"), ("current", "Steps"), ("current", "Alternating")}
APART = {"Exponential<1>", "Exponential<2>", "Exponential<3>", "Alpha<2>", "DoubleExponential<2>"}

FIXED = "this reset or refractory period takes a membrane above zero for a neuron that has fired"
SENTENCES = {
    "fixed": FIXED,
    "to value": "refractory::InMembrane keeps no membrane while it counts: it needs reset::ToValue",
    "hides": "refractory::InMembrane hides the membrane from its other words",
    "queue": "refractory::InQueue is for membrane::Lif",
    "queue resets": "refractory::InQueue resets a neuron when its period ends: it needs reset::ToValue",
    "queue counts": "refractory::InQueue counts on a membrane that psps alone move",
    "conductances": "this membrane takes no conductances",
    "apart": "input::Conductance has not the receptors of the synapses, or their psps are not apart",
    "two": "input::Multiplicative needs two receptors whose psps are apart",
}


def among(*options):
    return lambda option: option in options


def not_among(*options):
    return lambda option: option not in options


# Of two roles: if the options of both are such, the sentence.
REFUSALS = [
    ("threshold", not_among("Fixed"), "refractory", among("InMembrane", "InQueue"), "fixed"),
    ("threshold", not_among("Fixed"), "reset", among("LateSubtraction"), "fixed"),
    ("reset", not_among("ToValue"), "refractory", among("InMembrane"), "to value"),
    ("membrane", not_among("Lif", "LifConductance<>", "Integrator"), "refractory", among("InMembrane"), "hides"),
    ("membrane", not_among("Lif"), "refractory", among("InQueue"), "queue"),
    ("reset", not_among("ToValue"), "refractory", among("InQueue"), "queue resets"),
    ("adaptation", not_among("None"), "refractory", among("InQueue"), "queue counts"),
    ("current", not_among("None"), "refractory", among("InQueue"), "queue counts"),
    ("membrane", among("Lif", "Integrator", "Linear<2, 1, 0, 1>"), "input", among("Conductance"), "conductances"),
    ("synapse", not_among(*APART), "input", among("Conductance"), "apart"),
    ("synapse", not_among("Exponential<2>", "Alpha<2>", "DoubleExponential<2>"), "input", among("Multiplicative<>"), "two"),
]


def words(row, pair=None):
    """Names of the sentences that refuse a composition; or of those for which these two options are the cause."""
    found = []
    if pair is not None:
        row = {role: pair.get(role) for role in ROLES}
    for one, first, other, second, sentence in REFUSALS:
        if row[one] is not None and row[other] is not None and first(row[one]) and second(row[other]):
            found.append(sentence)
    return found


def is_empty(options):
    """Whether these say that a column has nothing to hold."""
    columns = options.get("columns", "none")
    if columns == "drift":
        return options.get("membrane", "").startswith("Linear")
    return (columns, options.get(columns)) in WITHOUT_CONSTANTS


def conflicts():
    """Options that cannot stand together: what is refused, and columns of nothing, both depend on two options only."""
    found = set()
    for pair in pairs():
        if is_empty(dict(pair)) or words(DEFAULTS, dict(pair)):
            found.add(frozenset(pair))
    return found


def is_possible(fixed):
    """Whether some composition has these options."""
    chosen = list(fixed.items())
    if any(frozenset(pair) in CONFLICTS for pair in itertools.combinations(chosen, 2)):
        return False
    left = {role: [option for option in options if not any(frozenset(((role, option), one)) in CONFLICTS for one in chosen)]
            for role, options in ROLES.items() if role not in fixed}
    if not left:
        return True
    role = min(left, key=lambda one: len(left[one]))
    # if one option disturbs none of what is left, the others need not be tried
    return any(is_possible(fixed | {role: option}) for option in left[role])


def pairs():
    for (one, first), (other, second) in itertools.combinations(ROLES.items(), 2):
        for a in first:
            for b in second:
                yield (one, a), (other, b)


def is_allowed(row):
    return not words(row) and not is_empty(row)


CONFLICTS = conflicts()


class Numbers:
    """The same on every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, count):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % count

    def shuffled(self, items):
        items = list(items)
        for at in range(len(items) - 1, 0, -1):
            other = self.below(at + 1)
            items[at], items[other] = items[other], items[at]
        return items


def pairs_of(row):
    return set(itertools.combinations(row.items(), 2))


def covering():
    """Compositions, and the pairs that none can have, with one that has it and is refused for as little else as can be."""
    possible, impossible = set(), []
    for pair in pairs():
        if is_possible(dict(pair)):
            possible.add(pair)
        elif "columns" not in dict(pair): # else it is that part alone that has no constants or is refused
            rows = [DEFAULTS | dict(pair)]
            rows += [rows[0] | {role: option} for role in ROLES if role not in dict(pair) for option in ROLES[role]]
            impossible.append((pair, min((row for row in rows if words(row)), key=lambda row: len(words(row)))))
    numbers, rows, left = Numbers(SEED), [], set(possible)
    while left:
        best, most = None, -1
        ordered = sorted(left)
        for _ in range(CANDIDATES):
            row = dict(ordered[numbers.below(len(ordered))])
            for role in numbers.shuffled(role for role in ROLES if role not in row):
                scored = [(sum((((role, option), one) in left) or ((one, (role, option)) in left) for one in row.items()),
                           option) for option in numbers.shuffled(ROLES[role]) if is_possible(row | {role: option})]
                row[role] = max(scored, key=lambda one: one[0])[1]
            row = in_order(row)
            count = len(pairs_of(row) & left)
            if count > most:
                best, most = row, count
        rows.append(best)
        left -= pairs_of(best)
    return rows, impossible


def in_order(row):
    return {role: row[role] for role in ROLES if role in row}


def receptors_of(synapse):
    match = re.search(r"<(\d)", synapse)
    return int(match[1]) if match else 2


def spelt(row):
    """As C++ has it; what a Neuron has by itself is left out."""
    parts = []
    for role in ROLES:
        if role == "columns":
            continue
        option = row[role]
        wrapped = row["columns"] == role
        default = DEFAULTS[role] if role not in ("membrane", "synapse") else None
        if option == default and not wrapped and role != "refractory":
            continue
        if role == "refractory" and option == "None":
            continue
        if option == "Conductance":
            option = f"Conductance<{receptors_of(row['synapse'])}>"
        for one in option.split("+"):
            part = f"{role}::{one}"
            if wrapped:
                part = f"PerNeuron<{part}>"
            if role == "membrane" and row["columns"] == "drift":
                part = f"PerNeuron<{part}, &{part}::Constants<std::int32_t>::drift>"
            parts.append(part)
    return ", ".join(parts)


def wrapped_lines(text, indent):
    """A macro's argument over lines."""
    lines, line = [], ""
    for word in text.split(" "):
        if len(indent) + len(line) + len(word) + 3 > WIDTH:
            lines.append(line.rstrip())
            line = ""
        line += word + " "
    return [*lines, line.rstrip()]


def list_text(rows):
    programs = [rows[at:at + PER_PROGRAM] for at in range(0, len(rows), PER_PROGRAM)]
    text = f"""\
// SPDX-License-Identifier: BSL-1.0
// Neurons in which every pair of parts occurs that may: {len(rows)} of them, in {len(programs)} lists of {PER_PROGRAM} at most.
// Written by 'python3 tests/checks/compositions.py write', which explains it.
#ifndef TESTS_SUPPORT_COMPOSITIONS_HPP
#define TESTS_SUPPORT_COMPOSITIONS_HPP

// clang-format off
"""
    number = 0
    for which, program in enumerate(programs, 1):
        text += f"#define COMPOSITIONS_{which}(X)"
        for row in program:
            text += " \\\n  X(" + " \\\n    ".join(wrapped_lines(f"{number}, {spelt(row)})", "    "))
            number += 1
        text += "\n"
    return text + "// clang-format on\n\n#endif\n"


def show(one):
    role, option = one
    return f"PerNeuron {option}" if role == "columns" else f"{role}::{option}"


def refused_text(impossible):
    text = "# Pairs of parts that the library refuses, and the sentence, of which this is the begin.\n" \
           "# Written by 'python3 tests/checks/compositions.py write'.\n"
    by_sentence = {}
    for pair, row in impossible:
        by_sentence.setdefault(SENTENCES[words(row)[0]], []).append(f"  {show(pair[0])}, {show(pair[1])}")
    for sentence, lines in by_sentence.items():
        text += f"\n{sentence}\n" + "\n".join(lines) + "\n"
    return text


def write():
    rows, impossible = covering()
    LIST.write_text(list_text(rows))
    REFUSED.write_text(refused_text(impossible))
    return [f"{len(rows)} compositions, {len(impossible)} pairs that are refused"]


def check_list():
    rows, impossible = covering()
    for path, text in (LIST, list_text(rows)), (REFUSED, refused_text(impossible)):
        if path.read_text() != text:
            raise Failure(f"{path} is not what this gives: python3 tests/checks/compositions.py write")
    # by the list alone: each pair that is allowed stands in it
    have = set().union(*(pairs_of(row) for row in rows))
    known = {pair for pair, _ in impossible}
    for pair in pairs():
        if pair not in have and pair not in known and is_possible(dict(pair)):
            raise Failure(f"no composition has {show(pair[0])} with {show(pair[1])}")
    for row in rows:
        if not is_allowed(row):
            raise Failure(f"this is refused: {spelt(row)}")
    programs = sorted((ROOT / "tests/target").glob("compositions_*.cpp"))
    wanted = [f"compositions_{which}.cpp" for which in range(1, 1 + -(-len(rows) // PER_PROGRAM))]
    if [path.name for path in programs] != wanted:
        raise Failure(f"the lists want the programs {', '.join(wanted)} in tests/target")
    return [f"{len(rows)} compositions have {len(have)} pairs; {len(known)} are refused"]


def refused(settings):
    """All of them in one translation unit: the compiler names the line of each."""
    _, impossible = covering()
    lines = ['#include "tests/support/composition_parts.hpp"', "using namespace neuromorph;",
             "template <class Model> void use() {",
             "  typename Model::Columns columns{};",
             "  std::array<std::conditional_t<Model::Synapses::input_in_pairs, std::uint16_t, std::int32_t>*,"
             " Model::receptors> input{};",
             "  (void)Model::make({}, 0.1);",
             "  (void)Model::template step<target::Generic>(columns, 0, {}, input, 0, nullptr);",
             "}"]
    first = len(lines) + 1
    lines += [f"template void use<Neuron<{spelt(row)}>>();" for _, row in impossible]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "refused.cpp"
        source.write_text("\n".join(lines) + "\n")
        flags = ["-fmax-errors=0"] if settings.cxx_id == "GNU" else ["-ferror-limit=0", "-ftemplate-backtrace-limit=0"]
        said = run([settings.cxx, "-std=c++20", "-fsyntax-only", *flags, f"-I{INCLUDE}", f"-I{ROOT}", source]).stdout
    # An error is a block that names the line which asked for it, before (GCC) or after (Clang) the sentence.
    found = {}
    if settings.cxx_id == "GNU":
        line = None
        for text in said.splitlines():
            if match := re.search(r"refused\.cpp:(\d+):", text):
                line = int(match[1])
            if match := re.search(r"static assertion failed: (.*)", text):
                found.setdefault(line, []).append(match[1])
    else:
        sentence = None
        for text in said.splitlines():
            if match := re.search(r"static_assert failed.* \"(neuromorph: .*)\"", text):
                sentence = match[1]
            elif " error: " in text:
                sentence = None
            if (match := re.search(r"refused\.cpp:(\d+):", text)) and sentence:
                found.setdefault(int(match[1]), []).append(sentence)
    wrong = []
    for line, (pair, row) in enumerate(impossible, first):
        sentences = " | ".join(found.get(line, []))
        if not any(SENTENCES[word] in sentences for word in words(row)):
            wrong.append(f"{spelt(row)}: no '{SENTENCES[words(row)[0]]}', but: {sentences or 'nothing'}")
    if wrong:
        raise Failure("\n".join(wrong))
    return [f"{len(impossible)} pairs are refused in the words that stand in {REFUSED.name}"]


def digests(*logs):
    found = {}
    for log in logs:
        for line in Path(log).read_text().splitlines():
            if match := re.match(r"composition (\d+): digest ([0-9a-f]{16})", line):
                found[int(match[1])] = match[2]
    if sorted(found) != list(range(len(found))):
        raise Failure("a composition is missing: give the output of all programs")
    lines = ",\n".join(f"    0x{found[number]}" for number in range(len(found)))
    DIGESTS.write_text(f"""\
// SPDX-License-Identifier: BSL-1.0
// What the compositions come to, by their numbers, on every machine. Written by
// 'python3 tests/checks/compositions.py digests', from what the programs print.
#ifndef TESTS_SUPPORT_COMPOSITION_DIGESTS_HPP
#define TESTS_SUPPORT_COMPOSITION_DIGESTS_HPP

#include <cstdint>

constexpr std::uint64_t composition_digests[] = {{
{lines}}};

#endif
""")
    return [f"{len(found)} digests"]


if __name__ == "__main__":
    command, *arguments = sys.argv[1:] or ["help"]
    if command == "write":
        main(write)
    elif command == "list":
        main(check_list)
    elif command == "refused":
        main(refused, Settings(*arguments))
    elif command == "digests":
        main(digests, *arguments)
    else:
        sys.exit(__doc__)
