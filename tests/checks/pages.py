# SPDX-License-Identifier: BSL-1.0
"""Whether the tables that a program prints stand on a page, letter by letter.

usage: pages.py PAGE PROGRAM [ARGUMENT...]
"""

import subprocess
import sys
from pathlib import Path


def tables(text):
    """The tables in a text: runs of lines that begin with a bar."""
    found, lines = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            lines.append(line)
        elif lines:
            found.append("\n".join(lines))
            lines = []
    return found


def differences(page, printed):
    """What is printed and does not stand on the page, a sentence each."""
    stand, wanted = tables(page), tables(printed)
    if not wanted:
        return ["the program prints no table"]
    return [f"the page has no table like this one:\n{table}" for table in wanted if table not in stand]


def main():
    page, *command = sys.argv[1:]
    result = subprocess.run(command, text=True, capture_output=True)
    if result.returncode:
        sys.exit(f"pages.py: {command[0]} ended with {result.returncode}: {result.stderr.strip()}")
    wrong = differences(Path(page).read_text(encoding="utf-8"), result.stdout)
    for sentence in wrong:
        print(f"{page}: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
