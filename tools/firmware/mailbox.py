# SPDX-License-Identifier: BSL-1.0
"""A mailbox in memory, as include/neuromorph/firmware/mailbox.hpp and channel.hpp have it."""

from typing import NamedTuple

MAGIC = 0x584D4E21
VERSION = 1
MOST_CHANNELS = 64
HEAD_WORDS = DESCRIPTION_WORDS = RING_WORDS = 8
MAGIC_AT, VERSION_AT, BYTES_AT, CHANNELS_AT, STARTS_AT, TICKS_AT, IMAGE_AT, READY_AT = range(8)
END, OLDEST, REFUSED, GAVE_WAY, BEGIN, NUMBER, NOTICED = range(7)  # of a channel
TRIES = 8


class Misfit(Exception):
    """The sentence that says why a region is no mailbox that these tools can use."""


class Closed(Misfit):
    """The other end of a line has closed it: nothing more comes."""


class NotReady(Misfit):
    """The firmware has not started the mailbox yet, or there is none."""


class Record(NamedTuple):
    kind: int  # 0..255
    token: int  # 0..65535
    words: tuple  # up to 255, of 32 bits

    @classmethod
    def of(cls, words):
        """From a head and what follows it."""
        return cls(words[0] & 0xFF, words[0] >> 16, tuple(words[1:]))

    def packed(self):
        return [self.kind | len(self.words) << 8 | self.token << 16, *self.words]

    def bytes(self):
        """The bytes of a record of bytes: `token` of them, four to a word."""
        return b"".join(word.to_bytes(4, "little") for word in self.words)[:self.token]

    @classmethod
    def of_bytes(cls, data):
        padded = data + bytes(-len(data) % 4)
        return cls(1, len(data), tuple(int.from_bytes(padded[at:at + 4], "little") for at in range(0, len(padded), 4)))


class Words:
    """Words of 32 bits in a shared memory, each loaded and stored at once.

    memory  writable, a whole number of words, aligned to them
    swapped  whether the target has the other byte order
    """

    def __init__(self, memory, swapped=False):
        self.view = memoryview(memory).cast("B").cast("I")
        self.swapped = swapped

    def __len__(self):
        return len(self.view)

    def __getitem__(self, at):
        return swap(self.view[at]) if self.swapped else self.view[at]

    def __setitem__(self, at, value):
        self.view[at] = swap(value & 0xFFFFFFFF) if self.swapped else value & 0xFFFFFFFF

    def read(self, at, count):
        words = self.view[at:at + count].tolist()
        return [swap(word) for word in words] if self.swapped else words

    def release(self):
        self.view.release()


def swap(word):
    return int.from_bytes(word.to_bytes(4, "little"), "big")


class Description(NamedTuple):
    """What the region says of a channel."""
    name: str
    to_target: bool
    place: int
    capacity: int
    oldest_gives_way: bool
    longest: int


def check(words, window=None):
    """The descriptions of the channels of the region that begins with these words, or a Misfit with the sentence.

    window  words that the region may have, if more than are given
    """
    window = len(words) if window is None else window
    if len(words) < HEAD_WORDS:
        raise Misfit(f"a window of {len(words)} words cannot hold a mailbox, whose head has {HEAD_WORDS}")
    magic = words[MAGIC_AT]
    if magic != MAGIC:
        if magic == 0:
            raise NotReady("the mailbox is not ready: the firmware has not started it yet")
        raise Misfit("there is no mailbox at this place: its first word is another")
    if words[VERSION_AT] != VERSION:
        raise Misfit(f"the mailbox has layout version {words[VERSION_AT]}, this program knows version {VERSION}")
    if words[READY_AT] != MAGIC:
        raise NotReady("the mailbox is not ready: the firmware has not started it yet")
    size, count = words[BYTES_AT], words[CHANNELS_AT]
    if size % 4 or size // 4 > window:
        raise Misfit(f"the mailbox has {size} bytes, the window that shows it {window * 4}")
    most = min(max(size // 4 - HEAD_WORDS, 0) // DESCRIPTION_WORDS, MOST_CHANNELS)
    if count > most:
        raise Misfit(f"the mailbox says that it has {count} channels, and has room for {most}")
    found, free = [], HEAD_WORDS + count * DESCRIPTION_WORDS
    for channel in range(count):
        name, direction, place, capacity, when_full, longest = (
            words[HEAD_WORDS + channel * DESCRIPTION_WORDS + at] for at in range(6))
        where = f"channel {channel}: "
        if direction > 1:
            raise Misfit(f"{where}its direction is {direction}, not 0 or 1")
        if when_full > 1:
            raise Misfit(f"{where}what it does when it is full is {when_full}, not 0 or 1")
        if not 2 <= capacity <= 1 << 24 or capacity & capacity - 1:
            raise Misfit(f"{where}its ring has {capacity} words, which is no power of two")
        if longest > min(capacity - 1, 255):
            raise Misfit(f"{where}its longest record has {longest} words behind its head, more than "
                         f"{min(capacity - 1, 255)}")
        if place < free or place + RING_WORDS + capacity + longest > size // 4:
            raise Misfit(f"{where}it begins at word {place}, in what is not its own or outside of the mailbox")
        free = place + RING_WORDS + capacity + longest
        letters = name.to_bytes(4, "little").decode("latin-1")
        for other, earlier in enumerate(found):
            if earlier.name == letters:
                raise Misfit(f"{where}it has the name of channel {other}")
        found.append(Description(letters, direction == 1, place, capacity, when_full == 1, longest))
    return found


class Channel:
    """What channels over memory and over a line have in common."""

    waiting = None  # words of records that wait; None where nobody can tell

    def __init__(self, description):
        self.description, self.name = description, description.name
        self.damaged = 0  # how often there was no record where one should begin
        self._missed = 0

    @property
    def missed(self):
        """Records that were refused, that gave way or that the line lost before anybody read them."""
        return self._missed

    def read(self):
        """The next record, or None."""
        raise NotImplementedError

    def write(self, record):
        """Whether there was room for it."""
        raise NotImplementedError

    def records(self):
        """Those that are there now."""
        while (record := self.read()) is not None:
            yield record

    def demand(self, to_target):
        if self.description.to_target != to_target:
            raise ValueError(f"channel '{self.name}' is to the {'target' if self.description.to_target else 'host'}")

    def fits(self, record):
        if len(record.words) > self.description.longest:
            raise ValueError(f"a record of channel '{self.name}' has at most {self.description.longest} words, "
                             f"not {len(record.words)}")


class MemoryChannel(Channel):
    """A ring that this process is the one writer or the one reader of."""

    def __init__(self, words, description):
        super().__init__(description)
        self._words = words
        self._ring = description.place + RING_WORDS
        self._mask = description.capacity - 1

    def _load(self, at):
        return self._words[self.description.place + at]

    def _store(self, at, value):
        self._words[self.description.place + at] = value

    @property
    def missed(self):
        if not self.description.to_target:
            refused = self._load(REFUSED)
            self._missed += refused - self._load(NOTICED) & 0xFFFFFFFF
            self._store(NOTICED, refused)
        return self._missed

    @property
    def waiting(self):
        """Words of records that wait, with those that gave way since."""
        return self._load(END) - self._load(BEGIN) & 0xFFFFFFFF

    def read(self):
        self.demand(to_target=False)
        gives_way, capacity = self.description.oldest_gives_way, self.description.capacity
        for _ in range(TRIES):
            oldest = self._load(OLDEST)
            end = self._load(END)
            if gives_way:
                self._catch_up(oldest)
            begin = self._load(BEGIN)
            waiting = end - begin & 0xFFFFFFFF
            if waiting == 0:
                return None
            if waiting > capacity:
                if gives_way and self._load(OLDEST) != oldest:
                    continue
                return self._give_up(end)
            at = self._ring + (begin & self._mask)
            count = (self._words[at] >> 8 & 0xFF) + 1
            is_record = count - 1 <= self.description.longest and count <= waiting
            words = self._words.read(at, count) if is_record else []
            if gives_way and is_behind(begin, self._load(OLDEST)):
                continue  # it gave way while it was read
            if not is_record:
                return self._give_up(end)
            if gives_way:
                self._store(NUMBER, self._load(NUMBER) + 1)
            self._store(BEGIN, begin + count)
            return Record.of(words)
        return None

    def write(self, record):
        self.demand(to_target=True)
        self.fits(record)
        end = self._load(END)
        words = record.packed()
        if self._load(BEGIN) + self.description.capacity - end & 0xFFFFFFFF < len(words):
            self._store(REFUSED, self._load(REFUSED) + 1)
            return False
        at = self._ring + (end & self._mask)
        for offset, word in enumerate(words):
            self._words[at + offset] = word
        self._store(END, end + len(words))
        return True

    def _catch_up(self, oldest):
        begin = self._load(BEGIN)
        if begin != oldest and not is_behind(begin, oldest):
            return
        number = self._load(GAVE_WAY)
        self._missed += signed(number - self._load(NUMBER))
        self._store(NUMBER, number)
        self._store(BEGIN, oldest)

    def _give_up(self, end):
        self.damaged += 1
        self._store(BEGIN, end)


def signed(word):
    word &= 0xFFFFFFFF
    return word - (1 << 32) if word >> 31 else word


def is_behind(place, other):
    return signed(place - other) < 0


class Mailbox:
    """Channels by their names: mailbox["log "]."""

    starts = ticks_per_second = image = 0
    lost = 0  # frames of a line that are missing or were damaged
    has_restarted = False  # the firmware has started anew, or is about to: `attach` again
    is_recorded = False  # nothing is lost when nobody looks
    is_over = False  # of a recording: `poll` has given all of it

    def __init__(self):
        self.channels = []

    def __getitem__(self, name):
        for channel in self.channels:
            if channel.name == name:
                return channel
        raise KeyError(f"the mailbox has no channel '{name}'; it has "
                       + (", ".join(f"'{channel.name}'" for channel in self.channels) or "none"))

    def __contains__(self, name):
        return any(channel.name == name for channel in self.channels)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def layout(self):
        """The words of the head and of all descriptions."""
        raise NotImplementedError

    def attach(self):
        """Looks at the head again, after a restart."""

    def poll(self):
        """Takes what has come over a line or the next of a recording, and sends what waits; whether there was anything. In
        memory there is nothing to do."""
        return False

    def close(self):
        pass


class MemoryMailbox(Mailbox):
    """A mailbox in memory that the target writes, too."""

    def __init__(self, memory):
        """memory: from its first word on; longer is right."""
        super().__init__()
        data = memoryview(memory).cast("B")
        self._words = Words(data[:len(data) // 4 * 4])
        try:
            if len(self._words) and self._words[MAGIC_AT] == swap(MAGIC):
                self._words.swapped = True
            self.attach()
        except Misfit:
            self.close()
            raise

    def attach(self):
        """Checks the layout, at first and after a restart."""
        descriptions = check(self._words)
        self.starts, self.ticks_per_second, self.image = self._words.read(STARTS_AT, 3)
        self.channels = [MemoryChannel(self._words, description) for description in descriptions]

    @property
    def layout(self):
        return self._words.read(0, HEAD_WORDS + DESCRIPTION_WORDS * len(self.channels))

    @property
    def has_restarted(self):
        """Whether the firmware has started anew, or is about to: `attach` again."""
        return self._words[READY_AT] != MAGIC or self._words[STARTS_AT] != self.starts

    def close(self):
        self.channels = []
        self._words.release()
