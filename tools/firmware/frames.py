# SPDX-License-Identifier: BSL-1.0
"""A mailbox at the other end of a line of bytes, as include/neuromorph/firmware/frames.hpp has it."""

import collections
import struct
import time
import zlib

from .mailbox import (BYTES_AT, CHANNELS_AT, HEAD_WORDS, IMAGE_AT, STARTS_AT, TICKS_AT, Channel, Mailbox, Misfit, Record,
                      check)

LAYOUT_CHANNEL = 255
MOST_BYTES = 4 * (HEAD_WORDS + 64 * 8 + 2)
ASK_AGAIN_S = 0.2
MOST_EARLY = 10000


def stuff(data):
    """Without zeros: before each run of others its length and one, for the zero behind it or 254 others."""
    coded, data = bytearray(), data + b"\0"
    at = 0
    while at < len(data):
        run = data.index(0, at) - at
        if run >= 254:
            coded += b"\xff" + data[at:at + 254]
            at += 254
        else:
            coded += bytes([run + 1]) + data[at:at + run]
            at += run + 1
    return bytes(coded)


def unstuff(coded):
    """What was stuffed, or None if nothing was."""
    data, at = bytearray(), 0
    while at < len(coded):
        length = coded[at]
        if at + length > len(coded):
            return None
        data += coded[at + 1:at + length]
        at += length
        if length != 255 and at < len(coded):
            data.append(0)
    return bytes(data)


def frame_of(channel, missed, number, words):
    """The bytes of a frame, the zero at its end included."""
    data = struct.pack(f"<{len(words) + 1}I", channel | (missed & 0xFF) << 8 | (number & 0xFFFF) << 16, *words)
    return stuff(data + struct.pack("<I", zlib.crc32(data))) + b"\0"


class FrameReader:
    """Finds frames in bytes: (channel, missed, words)."""

    def __init__(self):
        self.damaged = 0  # frames whose CRC was wrong, or that were too long
        self.lost = 0  # frames that are missing between those that were right
        self.is_first = False  # of the frame that was taken last: the firmware has begun anew, and counts from 0
        self._coded, self._found, self._number = bytearray(), False, None

    def take(self, data):
        *complete, rest = data.split(b"\0")
        for part in complete:
            coded, self._coded = bytes(self._coded + part), bytearray()
            if coded:
                frame = self._frame(coded)
                if frame is not None:
                    yield frame
                elif self._found:  # what came before the first zero does not count
                    self.damaged += 1
            self._found = True
        self._coded += rest
        if len(self._coded) > 2 * MOST_BYTES:  # enough to know that it is none
            del self._coded[MOST_BYTES + 100:]

    def _frame(self, coded):
        data = unstuff(coded)
        if data is None or len(data) < 8 or len(data) % 4 or len(data) > MOST_BYTES:
            return None
        head, *words, crc = struct.unpack(f"<{len(data) // 4}I", data)
        if zlib.crc32(data[:-4]) != crc:
            return None
        self.is_first = head >> 16 == 0 and head & 0xFF == LAYOUT_CHANNEL
        if self._number is not None and not self.is_first:
            self.lost += (head >> 16) - self._number & 0xFFFF
        self._number = (head >> 16) + 1
        return head & 0xFF, head >> 8 & 0xFF, words


class LineChannel(Channel):
    def __init__(self, mailbox, number, description):
        super().__init__(description)
        self._mailbox, self._number = mailbox, number
        self.come = collections.deque()
        self.last_missed = None

    def read(self):
        self.demand(to_target=False)
        if not self.come:
            self._mailbox.poll()
        return self.come.popleft() if self.come else None

    def write(self, record):
        self.demand(to_target=True)
        self.fits(record)
        self._mailbox.send(self._number, record.packed())
        return True

    def take(self, missed, words):
        if self.last_missed is not None:
            self._missed += missed - self.last_missed & 0xFF
        else:
            self._missed += missed
        self.last_missed = missed
        if words and (words[0] >> 8 & 0xFF) + 1 == len(words):
            self.come.append(Record.of(words))
        else:
            self.damaged += 1


class LineMailbox(Mailbox):
    """Asks the target what channels there are, and waits for that.

    line  has `receive()`, bytes that have come, b"" if none have, and `send(data)`
    """

    channel_type = LineChannel

    def __init__(self, line, patience_s=5.0):
        super().__init__()
        self._line, self._reader, self._number = line, FrameReader(), 0
        self._layout, self._starts_seen = None, 0
        self._early = collections.deque(maxlen=MOST_EARLY)  # frames before the layout is known
        until, ask = time.monotonic() + patience_s, 0.0
        while self._layout is None:
            now = time.monotonic()
            if now > until:
                self.close()
                raise Misfit(f"no mailbox has answered on the line within {patience_s:g} s")
            if now > ask:
                self._line.send(b"\0")  # ends what noise has begun
                self.send(LAYOUT_CHANNEL, [])
                ask = now + ASK_AGAIN_S
            try:
                if not self.poll():
                    time.sleep(0.001)
            except Misfit:
                self.close()
                raise
        self.attach()

    @property
    def lost(self):
        """Frames that are missing or were damaged."""
        return self._reader.lost + self._reader.damaged

    @property
    def layout(self):
        return self._layout

    @property
    def has_restarted(self):
        return self.starts != self._starts_seen

    def attach(self):
        self._starts_seen = self.starts

    def poll(self):
        data = self._line.receive()
        for channel, missed, words in self._reader.take(data):
            self._deliver(channel, missed, words)
        return bool(data)

    def _deliver(self, channel, missed, words):
        if channel == LAYOUT_CHANNEL:
            self._attach(words)
            if self._reader.is_first:
                for known in self.channels:
                    known.last_missed = None
            early, self._early = self._early, collections.deque()
            for frame in early:
                self._deliver(*frame)
        elif self._layout is None:
            self._early.append((channel, missed, words))
        elif channel < len(self.channels):
            self.channels[channel].take(missed, words)

    def send(self, channel, words):
        self._line.send(frame_of(channel, 0, self._number, words))
        self._number += 1

    def close(self):
        self._line.close()

    def _attach(self, words):
        if words == self._layout:
            return
        if len(words) >= HEAD_WORDS and len(words) != HEAD_WORDS + 8 * words[CHANNELS_AT]:
            raise Misfit("the line says less of the mailbox than its head does")
        descriptions = check(words, window=words[BYTES_AT] // 4 if len(words) > BYTES_AT else None)
        self._layout = words
        self.starts, self.ticks_per_second, self.image = words[STARTS_AT], words[TICKS_AT], words[IMAGE_AT]
        if [channel.description for channel in self.channels] != descriptions:  # else what has come stays
            self.channels = [self.channel_type(self, number, description) for number, description in enumerate(descriptions)]
