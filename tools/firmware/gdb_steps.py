# SPDX-License-Identifier: BSL-1.0
"""Where an instruction goes, as include/neuromorph/firmware/gdb/{arm,thumb,loop,power}_next.hpp say it: a step is a breakpoint there.

Each function takes `general`, the registers with pc as the address of the instruction, and `read(address, bytes)`, which
raises where memory may not be read. It gives an address, of ARM's with 1 added for Thumb.
"""

WORD = 0xFFFFFFFF


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def condition_holds(condition, status):
    n, z, c, v = (status >> bit & 1 for bit in (31, 30, 29, 28))
    held = (z, c, n, v, c and not z, n == v, n == v and not z, True)[condition >> 1 & 7]
    return bool(held) != bool(condition & 1)


def thumb_next(general, status, it, read):
    """Also the end of the word that was loaded into pc, where it was one, else 0."""
    pc = general[15]
    seen, first = pc + 4, read(pc, 2)
    is_long = first >= 0xE800
    after = pc + (4 if is_long else 2) + 1
    if it & 15 and not condition_holds(it >> 4, status):
        return after & WORD, 0

    def value_of(number):
        return seen if number == 15 else general[number]

    def branch(value, bits):
        return seen + 2 * signed(value, bits) + 1

    goes, address = after, None
    if not is_long:
        operation = first >> 8
        condition = operation & 15
        if operation >> 3 == 0x1C:
            goes = branch(first, 11)
        elif operation >> 4 == 0xD:
            goes = branch(first, 8) if condition < 14 and condition_holds(condition, status) else after
        elif operation & 0xF5 == 0xB1:  # compare with zero and branch
            if (general[first & 7] == 0) == (operation & 8 == 0):
                goes = seen + ((first & 0x200) >> 3 | (first & 0xF8) >> 2) + 1
        elif 0x44 <= operation <= 0x47:
            source = value_of(first >> 3 & 15)
            if operation == 0x47:
                goes = source
            elif operation != 0x45 and first & 0x87 == 0x87:
                goes = (seen + source if operation == 0x44 else source) | 1
        elif operation == 0xBD:
            address = general[13] + 4 * bin(first & 0xFF).count("1")
    else:
        second = read(pc + 2, 2)
        base, kind = first & 15, first >> 4
        if first >> 11 == 0x1E and second & 0x8000:  # branches and what shares their space
            low, which = second & 0x7FF, second & 0x5000
            if which == 0:
                condition = first >> 6 & 15
                if condition < 14 and condition_holds(condition, status):
                    goes = branch((first >> 10 & 1) << 19 | (second >> 11 & 1) << 18 | (second >> 13 & 1) << 17
                                  | (first & 0x3F) << 11 | low, 20)
            else:
                sign = first >> 10 & 1
                high, next_high = (1 - (second >> bit & 1 ^ sign) for bit in (13, 11))
                goes = branch(sign << 23 | high << 22 | next_high << 21 | (first & 0x3FF) << 11 | low, 24)
                if which == 0x4000:  # to ARM
                    goes &= ~3
        elif kind & 0xFF7 == 0xF85 and second >= 0xF000:  # load word
            is_far = first & 0x80 != 0
            if base == 15:
                address = (seen & ~3) + (second & 0xFFF if is_far else -(second & 0xFFF))
            elif is_far:
                address = general[base] + (second & 0xFFF)
            elif not second & 0x800:
                address = general[base] + (general[second & 15] << (second >> 4 & 3))
            else:
                offset = second & 0xFF if second & 0x400 else 0
                address = general[base] + (offset if second & 0x200 else -offset)
        elif kind & 0xFFD == 0xE89 and second >= 0x8000:  # load several
            address = general[base] + 4 * bin(second & 0x7FFF).count("1")
        elif kind & 0xFFD == 0xE91 and second >= 0x8000:
            address = general[base] - 4
        elif kind == 0xE8D and second & 0xFFE0 == 0xF000:  # table branch
            size = 2 if second & 0x10 else 1
            goes = seen + 2 * read(value_of(base) + size * general[second & 15] & WORD, size) + 1
    if address is None:
        return goes & WORD, 0
    return read(address & WORD, 4), address + 4 & WORD


def loop_next(general, float_status, read):
    """The loops of ARMv8.1-M; None for other instructions."""
    pc = general[15]
    first = read(pc, 2)
    if first & 0xFF80 != 0xF000:
        return None
    second, base, after = read(pc + 2, 2), first & 15, pc + 5
    if second & 0xD001 != 0xC001:
        return None
    if second & 0x2000:  # only sets a count
        return after & WORD
    offset = (second & 0x7FE) << 1 | (second & 0x800) >> 10
    if base != 15:
        return after + (offset if general[base] == 0 else 0) & WORD
    done = 16 >> (float_status >> 16 & 7) if first & 0x10 else 1
    return after - (offset if first & 0x20 or general[14] > done else 0) & WORD


def shifted(value, kind, by, by_register, carry):
    if by == 0 and by_register:
        return value
    if kind == 0:
        return value << by & WORD if by < 32 else 0
    if kind == 1:
        return value >> by if 0 < by < 32 else 0
    if kind == 2:
        return signed(value, 32) >> (by if 0 < by < 32 else 31) & WORD
    if by == 0:
        return value >> 1 | carry << 31
    return rotated(value, by & 31)


def rotated(value, by):
    return (value >> by | value << 32 - by) & WORD


def arm_next(general, status, read):
    pc = general[15]
    word, after, carry = read(pc, 4), pc + 4, status >> 29 & 1
    condition, base = word >> 28, word >> 16 & 15

    def value_of(number):
        return pc + 8 if number == 15 else general[number]

    branch = pc + 8 + 4 * signed(word, 24)
    if condition == 15:  # to Thumb; nothing else of these goes anywhere
        return (branch + (word >> 23 & 2) + 1 if word & 0x0E000000 == 0x0A000000 else after) & WORD
    if not condition_holds(condition, status):
        return after & WORD
    if word & 0x0E000000 == 0x0A000000:
        return branch & WORD
    if word & 0x0FFFFFD0 == 0x012FFF10:
        return value_of(word & 15) & WORD
    adds, before = word >> 23 & 1, word >> 24 & 1
    if word & 0x0E108000 == 0x08108000:  # load several
        offset = 4 * bin(word & 0x7FFF).count("1") + 4 * before if adds else -4 * before
        return read(general[base] + offset & WORD, 4)
    if word & 0xF000 != 0xF000:
        return after & WORD
    source = value_of(word & 15) & WORD
    if word & 0x0C500000 == 0x04100000:  # load word
        if word & 0x02000010 == 0x02000010:
            return after & WORD
        offset = shifted(source, word >> 5 & 3, word >> 7 & 31, False, carry) if word & 0x02000000 else word & 0xFFF
        offset = offset if before else 0
        return read(value_of(base) + (offset if adds else -offset) & WORD, 4)
    if word & 0x0C000000 or word & 0x02000090 == 0x00000090:
        return after & WORD
    operation = word >> 21 & 15
    if operation & 12 == 8:
        return after & WORD
    if word & 0x02000000:
        second = rotated(word & 0xFF, word >> 7 & 30)
    elif word & 0x10:
        second = shifted(source, word >> 5 & 3, general[word >> 8 & 15] & 0xFF, True, carry)
    else:
        second = shifted(source, word >> 5 & 3, word >> 7 & 31, False, carry)
    first = value_of(base) & WORD
    result = {0: first & second, 1: first ^ second, 2: first - second, 3: second - first, 4: first + second,
              5: first + second + carry, 6: first - second - 1 + carry, 7: second - first - 1 + carry,
              12: first | second, 13: second, 14: first & ~second, 15: ~second}[operation]
    return result & WORD & ~3


def power_next(pc, condition, link, counter, word):
    """Of PowerPC's; None where an interrupt returns."""
    operation, extended, after = word >> 26, word >> 1 & 0x3FF, pc + 4
    origin = 0 if word & 2 else pc
    if operation == 18:
        return origin + 4 * signed(word >> 2, 24) & WORD
    if operation == 19 and extended in (50, 51):
        return None
    to_link, to_counter = (operation == 19 and extended == which for which in (16, 528))
    if not (operation == 16 or to_link or to_counter):
        return after & WORD
    options = word >> 21 & 31
    is_right_count = options & 4 or to_counter or (counter != 1) != bool(options & 2)
    is_right_condition = options & 16 or condition >> 31 - (word >> 16 & 31) & 1 == options >> 3 & 1
    if not (is_right_count and is_right_condition):
        return after & WORD
    return origin + 4 * signed(word >> 2, 14) & WORD if operation == 16 else (link if to_link else counter) & ~3
