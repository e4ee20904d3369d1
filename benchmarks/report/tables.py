# SPDX-License-Identifier: BSL-1.0
"""Tables, lists of rows of cells of which the first is the head: on a page, and as text."""


def markdown(rows):
    head, *rest = rows
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rest])


def with_table(text, name, table, writer):
    """The page with what stands between the marks replaced."""
    begin, end = f"<!-- {name}: written by {writer} -->\n", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"has not exactly one '{begin.strip()}' and '{end}'")
    before, rest = text.split(begin)
    return f"{before}{begin}{table}\n{end}{rest.split(end)[1]}"


def aligned(rows):
    rows = [[cell.strip("`") for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)
