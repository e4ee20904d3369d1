# SPDX-License-Identifier: BSL-1.0
"""The host's side of firmware services: the mailbox, and how to reach it. docs/mailbox.md has the layout.

    from firmware import connect
    with connect("memory:/dev/shm/board@0x100000") as mailbox:
        for record in mailbox["log "].records():
            print(record.kind, record.token, record.words)
"""

from .mailbox import Channel, Closed, Mailbox, Misfit, NotReady, Record
from .transport import connect, when_ready

__all__ = ["Channel", "Closed", "Mailbox", "Misfit", "NotReady", "Record", "connect", "when_ready"]
