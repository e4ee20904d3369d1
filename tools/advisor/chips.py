# SPDX-License-Identifier: BSL-1.0
"""Chips as their makers sell them: whose cycles they have, their clock, and bytes of memory and of flash."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Chip:
    about: str
    core: str  # of neuromorph-cycles, or none: then its cycles are not told
    mhz: float
    memory: int  # bytes that a program may change
    flash: int  # bytes for code and tables
    code_apart: bool = False  # tables stand in `memory`, and `flash` is code alone


CHIPS = {
    "spinnaker": Chip("a core of SpiNNaker, ARM968E-S", "arm968", 200, 64 << 10, 32 << 10, True),
    "nrf52840": Chip("nRF52840, Cortex-M4", "cortex_m4", 64, 256 << 10, 1 << 20),
    "stm32f407": Chip("STM32F407, Cortex-M4", "cortex_m4", 168, 128 << 10, 1 << 20),
    "stm32h743": Chip("STM32H743, Cortex-M7", "", 480, 512 << 10, 2 << 20),
    "rp2040": Chip("RP2040, Cortex-M0+", "", 133, 264 << 10, 2 << 20),
    "esp32c3": Chip("ESP32-C3, RISC-V", "", 160, 400 << 10, 4 << 20),
    "stm32n657": Chip("STM32N657, Cortex-M55", "", 800, 4200 << 10, 0),
}


def shares(chip, state, code, tables, initial=0, cycles_per_second=None):
    """What of a chip's memory, of its flash and of its time is taken; the last where cycles are known.
    state: bytes that change, with the stack; initial: bytes of it whose first values stand in flash."""
    of = CHIPS[chip]
    if of.code_apart:
        made = {"memory": (state + tables) / of.memory, "code": code / of.flash}
    elif of.flash == 0:  # it runs from memory
        made = {"memory": (state + tables + code) / of.memory}
    else:
        made = {"memory": state / of.memory, "flash": (code + tables + initial) / of.flash}
    if of.core and cycles_per_second is not None:
        made["time"] = cycles_per_second / (of.mhz * 1e6)
    return made


def table(chips, taken, head=""):
    """Lines of a table, and the chips that are too small; taken(chip) gives its shares."""
    lines = [f"{'chip':<32} {'memory':>8} {'flash, code':>12} {'time':>8}  {head}".rstrip()]
    small = []
    for chip in chips:
        of = taken(chip)
        first = max(of, key=of.get)
        cells = [f"{of[key]:.1%}" if key in of else "-" for key in ("memory", "flash" if "flash" in of else "code", "time")]
        lines.append(f"{CHIPS[chip].about:<32} {cells[0]:>8} {cells[1]:>12} {cells[2]:>8}  "
                     + (f"too small: {first} at {of[first]:.0%}" if of[first] > 1 else f"{first} is the first limit"))
        if of[first] > 1:
            small.append(chip)
    return lines, small
