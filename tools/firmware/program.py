# SPDX-License-Identifier: BSL-1.0
"""How the tools beside this folder end: with a status, a sentence, or silently when nobody reads on."""

import os
import sys

from .crash import NoReport
from .elf import NoElf
from .log import NoLog
from .mailbox import Closed, Misfit


MOST_AT_ONCE = 20000  # records of a channel, as one that is written faster than it is read is never empty


def taken(mailbox, names):
    """What is there now of some channels: [(name, record)], and the Misfit that ended it, or None."""
    found, ended = [], None
    try:
        mailbox.poll()
    except Misfit as misfit:
        ended = misfit

    def take():
        nonlocal ended
        for name in names:
            channel, last = mailbox[name], len(found) + MOST_AT_ONCE
            try:
                while len(found) < last and (record := channel.read()) is not None:
                    found.append((name, record))
            except Misfit as misfit:  # what came to other channels before is there
                ended = misfit

    take()
    before = None
    while isinstance(ended, Closed) and len(found) != before:  # the reading of a channel may have brought records of those before it
        before = len(found)
        take()
    return found, ended


def run(name, main):
    """Runs `main`, which gives a status or a sentence, and ends the program. `tool | head` and Ctrl-C end it well."""
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still to be written
        status = 0
    except KeyboardInterrupt:
        status = 0
    except (Misfit, NoElf, NoLog, NoReport, OSError) as error:
        status = str(error)
    except KeyError as error:  # of a mailbox that has no such channel
        status = str(error.args[0])
    sys.exit(f"{name}: {status}" if isinstance(status, str) else status)
