# SPDX-License-Identifier: BSL-1.0
"""What came out of a mailbox, in a file: the frames of a line, and between them notes of when they came.

The file begins with HEAD. Frames are those of frames.py, numbered from 0; before any record stands the layout, and again when
the firmware has started anew. A note is a frame of channel NOTE: microseconds since the beginning (64 bits, the low word first),
frames that the line lost, and of each channel the records missed, the words that waited (2^32 - 1: unknown) and how often it was
damaged. It stands behind what came until then. The last note is empty: the recording is complete.
"""

from .frames import LAYOUT_CHANNEL, FrameReader, LineChannel, LineMailbox, frame_of
from .mailbox import Mailbox, Misfit

HEAD = b"neuromorph record 1\0"
NOTE = 254
UNKNOWN = 0xFFFFFFFF
BLOCK = 1 << 16


class Recorder:
    """Writes what a reader of all channels gives it."""

    def __init__(self, mailbox, path):
        self._mailbox, self._file = mailbox, open(path, "wb")
        self._number, self._layout = 0, None
        self._file.write(HEAD)
        self.layout()

    def layout(self):
        """The layout, if it is another than the last."""
        words = list(self._mailbox.layout)
        if words != self._layout:
            self._layout = words
            self._frame(LAYOUT_CHANNEL, words)

    def take(self, channel, record):
        """A record of a channel, which is told by its number."""
        self._frame(channel, record.packed())

    def note(self, seconds, waiting=()):
        """What was taken since the last note has come until then, `seconds` after the beginning.

        waiting  words in each channel, before they were read; nothing: as it is now
        """
        us = round(seconds * 1e6)
        words = [us & 0xFFFFFFFF, us >> 32, self._mailbox.lost]
        waiting = waiting or [channel.waiting for channel in self._mailbox.channels]
        for channel, before in zip(self._mailbox.channels, waiting):
            words += [channel.missed & 0xFFFFFFFF, UNKNOWN if before is None else before, channel.damaged]
        self._frame(NOTE, words)
        self._file.flush()

    def close(self):
        self._frame(NOTE, [])
        self._file.close()

    def _frame(self, channel, words):
        self._file.write(frame_of(channel, 0, self._number, words))
        self._number += 1


class RecordedChannel(LineChannel):
    """A channel of a recording: what `poll` has brought."""

    def read(self):
        self.demand(to_target=False)
        return self.come.popleft() if self.come else None

    def noted(self, missed, waiting, damaged):
        self._missed, self.damaged = missed, damaged
        self.waiting = None if waiting == UNKNOWN else waiting


class RecordedMailbox(LineMailbox):
    """A mailbox of which each `poll` brings what came until the next note. Nobody can write to it."""

    channel_type, is_recorded = RecordedChannel, True
    lost = 0

    def __init__(self, path):
        Mailbox.__init__(self)
        self._path, self._reader, self._layout, self._starts_seen = path, FrameReader(), None, 0
        self._early = ()
        self._next = None  # the frames until the next note, and that
        self.seconds = 0.0  # since the beginning, of the newest note
        self._file = open(path, "rb")
        self._frames = self._read()
        try:
            if self._file.read(len(HEAD)) != HEAD:
                raise Misfit(f"{path} is no recording of a mailbox")
            channel, _, words = next(self._frames, (None, 0, []))
            if channel is None:
                raise Misfit(f"{path} is cut off: it ends before the layout of its mailbox")
            if channel != LAYOUT_CHANNEL:
                raise self._damaged()
            self._attach(words)
            self.attach()
        except Misfit:
            self.close()
            raise

    def poll(self):
        if self.next_seconds is None:
            self.is_over = True
            return False
        frames, note = self._next
        self._next = None
        for frame in frames:
            self._deliver(*frame)
        if len(note) != 3 + 3 * len(self.channels):
            raise self._damaged()
        self.seconds, self.lost = seconds_of(note), note[2]
        for number, channel in enumerate(self.channels):
            channel.noted(*note[3 + 3 * number:6 + 3 * number])
        return True

    @property
    def next_seconds(self):
        """When what the next `poll` brings had come; None if there is no more."""
        if self._next is None and not self.is_over:
            frames = []
            for frame in self._frames:
                channel, _, words = frame
                if channel != NOTE:
                    frames.append(frame)
                elif not words and not frames:
                    return None
                elif len(words) < 3:
                    raise self._damaged()
                else:
                    self._next = frames, words
                    break
            else:
                raise Misfit(f"{self._path} is cut off: it has no end")
        return None if self._next is None else seconds_of(self._next[1])

    def send(self, channel, words):
        raise Misfit("nobody can write to a recording")

    def close(self):
        self._file.close()

    def _read(self):
        """All frames, in their order; those of a part that is not whole are left out."""
        yield from self._reader.take(b"\0")
        while data := self._file.read(BLOCK):
            for frame in self._reader.take(data):
                if self._reader.damaged or self._reader.lost:
                    raise self._damaged()
                yield frame
        if self._reader.damaged or self._reader.lost:
            raise self._damaged()

    def _damaged(self):
        return Misfit(f"{self._path} is damaged: it is not what was recorded")


def seconds_of(note):
    return (note[0] | note[1] << 32) / 1e6
