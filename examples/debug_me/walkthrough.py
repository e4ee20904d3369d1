# SPDX-License-Identifier: BSL-1.0
"""Goes through the hunt for the bug of debug_me on an emulated board, and prints what a user types and sees.

usage: walkthrough.py --board arm926|cortex-m4 [--programs FOLDER] [--page FILE [--write]]

FOLDER has debug_me.elf and debug_me_mended.elf; build/BOARD/examples, if nothing is said. With --page the hunt has to be the one
that stands in FILE, but for addresses and times; --write puts it there. Ends with 1 and a sentence if anything is not seen.
"""

import argparse
import contextlib
import difflib
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARKERS = ("<!-- debug_me: written by examples/debug_me/walkthrough -->\n", "<!-- end of debug_me -->")
PATIENCE_S = 100
# What the emulator is told, memory that it takes from a file, and where in that the mailbox is (board.hpp).
BOARDS = {
    "arm926": ("-M versatilepb{} -cpu arm926 -audiodev driver=none,id=silent -global pl041.audiodev=silent", "128M", "0x6000000"),
    "cortex-m4": ("-M mps2-an386{} -cpu cortex-m4", "16M", "0x800000"),
}


class NotSeen(Exception):
    """The sentence that says what a step of the hunt did not show."""


def seen(text, pattern, what):
    """What a pattern finds, or the sentence that it was not there."""
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise NotSeen(f"{what}:\n{text}")
    return found


class Gdb:
    """Stock gdb at the other end of two pipes."""
    END = "end of the answer"

    def __init__(self, program):
        # A request that gdb repeats, as nobody has answered it yet, would be answered twice.
        patient = [word for setting in ("pagination off", "width 0", f"remotetimeout {PATIENCE_S}") for word in ("-iex", f"set {setting}")]
        self._process = subprocess.Popen(["gdb-multiarch", "-nx", "-q", *patient, program], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._ready = selectors.DefaultSelector()
        self._ready.register(self._process.stdout, selectors.EVENT_READ)
        self.answer("echo")  # what it says of itself

    def answer(self, command):
        self._process.stdin.write(f"{command}\necho {self.END}\\n\n".encode())
        self._process.stdin.flush()
        text, until = b"", time.monotonic() + PATIENCE_S
        while f"{self.END}\n".encode() not in text:
            if not self._ready.select(until - time.monotonic()):
                raise NotSeen(f"gdb has not come back from '{command}':\n{text.decode()}")
            if not (part := os.read(self._process.stdout.fileno(), 1 << 16)):
                raise NotSeen(f"gdb has ended at '{command}':\n{text.decode()}")
            text += part
        return text.decode().replace("(gdb) ", "").replace(f"{self.END}\n", "").strip("\n")

    def end(self):
        self._process.kill()
        self._process.wait()


class Hunt:
    """Its text, made while it goes on. Commands are those of the shell, in a folder that looks like the project."""

    def __init__(self, board, show):
        self.board, self._show, self.text = board, show, ""
        self.programs, self.folder = f"build/{board}/examples", "build/debug_me"
        machine, self._size, offset = BOARDS[board]
        self._machine = machine.format
        self.memory, self._offset = f"{self.folder}/memory", offset
        self.place = f"memory:{self.memory}@{offset}"

    def say(self, text):
        self.text += text
        if self._show:
            print(text, end="", flush=True)

    def tell(self, text):
        """A paragraph."""
        self.say(textwrap.fill(" ".join(text.split()), 128, break_long_words=False, break_on_hyphens=False) + "\n\n")

    def typed(self, lines):
        self.say("".join(f"    {line}".rstrip() + "\n" for line in lines))

    def shell(self, command, status=0):
        """What a command prints."""
        self.typed([f"$ {line}" if not at else line for at, line in enumerate(command.split("\n"))])
        with subprocess.Popen(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, start_new_session=True) as process:
            try:
                out, errors = process.communicate(timeout=PATIENCE_S)
            except BaseException:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # with all that it has begun
                raise
        if process.returncode != status:
            raise NotSeen(f"'{command}' has ended with {process.returncode} instead of {status}:\n{out}{errors}")
        text = "\n".join(line for line in out.splitlines() if line)  # tables have empty lines
        self.typed(text.splitlines())
        return text

    def emulator(self, program, word=None, memory=False):
        """The command line, over several lines."""
        lines = [f"qemu-system-arm {self._machine(',memory-backend=shared' if memory else '')}",
                 f"-nographic -monitor none -serial null -semihosting-config enable=on,target=native,arg={program}" +
                 (f",arg={word}" if word else "")]
        if memory:
            lines += [f"-object memory-backend-file,id=shared,size={self._size},mem-path={self.memory},share=on -m {self._size}"]
        else:
            lines += [f"-serial unix:{self.folder}/stub,server=on,wait=off"]
        return " \\\n  ".join([*lines, f"-icount shift=5,align=off,sleep=off -kernel {self.programs}/{program}.elf"])

    def run_board(self, program, status):
        self.shell(f"mkdir -p {self.folder} && rm -f {self.memory}")
        self.shell(f"{self.emulator(program, memory=True)}; echo status $?")
        end = seen(self.text, r"^    status (\d+)\n\Z", "the emulator has not ended")[1]
        if int(end) != status:
            raise NotSeen(f"{program} has ended with {end} instead of {status}")
        self.say("\n")

    def on_mailbox(self, command, status=0):
        """A tool that reads the mailbox, which is then as it was, so that a user may read it again."""
        shutil.copy(self.memory, f"{self.memory}.kept")
        try:
            text = self.shell(command.format(self.place), status)
        finally:
            os.replace(f"{self.memory}.kept", self.memory)
        self.say("\n")
        return text

    # --- the hunt ---------------------------------------------------------------------------------------------

    def go(self):
        self.run()
        self.log()
        step = self.profile()
        key = self.crash()
        self.debug(step, key)
        self.mend()

    def run(self):
        self.tell("""
            The firmware of [`examples/debug_me`](../examples/debug_me/network.hpp) steps 64 neurons each millisecond. They get a
            stimulus, three kicks and a pause. They also get spikes of 24 neurons of other cores, which wait in a ring of lists for as
            many steps as their way is long. It should run for 2000 steps. `examples/debug_me/walkthrough` builds it and does what follows. Its
            mailbox is in memory that is a file here; an instruction counts as 32 ns, so each run is the same:
            """)
        self.run_board("debug_me", 3)
        self.tell("3 says that it was reset by a fault. What it has written before is still in the mailbox.")

    def log(self):
        self.tell("**The log says what is wrong, and since when.**")
        text = self.on_mailbox(f"tools/log {self.programs}/debug_me.elf {{}} --once")
        warnings = re.findall(r"warning \S+ step (\d+): (\d+) of 64 neurons have fired at once$", text, re.MULTILINE)
        if len(warnings) < 3:
            raise NotSeen(f"the log has {len(warnings)} warnings, and should have 3 at least:\n{text}")
        if re.search(r"warning", text.split("200:")[0]) is None or "steps are done" in text:
            raise NotSeen(f"the log is of another run:\n{text}")
        self.tell("""
            Now and then many neurons fire at once, which nothing that they should get could make them do, and after a while all is
            well again. So neither their constants nor their state are wrong for good.
            """)

    def profile(self):
        self.tell("**The profile says which service does it, and when it was over.**")
        text = self.on_mailbox("tools/trace {} | grep -E 'Tag|Mean time:|Longest|Last'")
        tags = {}
        for tag, mean, last, longest in re.findall(r"Tag: (\w+)\nMean time:([\d.]+)ms\nLast sample time: ([\d.]+)ms\n"
                                                   r"Longest:([\d.]+)ms", text):
            tags[tag] = (float(mean), int(float(last)), float(longest))
        if set(tags) != {"spikes", "stimulus", "rows", "neurons"}:
            raise NotSeen(f"the profile lacks tags:\n{text}")
        for tag, at_least, below in (("rows", 20, 1000), ("spikes", 1, 5), ("stimulus", 1, 5)):
            if not at_least <= tags[tag][2] / tags[tag][0] < below:
                raise NotSeen(f"the longest of {tag} is not {at_least} to {below} times its mean:\n{text}")
        step, self.longest = tags["spikes"][1], tags["rows"][2]
        self.tell(f"""
            `rows` plays the rows of neurons that have fired: its longest is {tags["rows"][2] / tags["rows"][0]:.0f} times its mean.
            `spikes` and `stimulus` never take much longer than else, so there are no more spikes from outside and no more kicks: what
            comes is too strong. `spikes` was last seen to its end in step {step}, `stimulus` in step {tags["stimulus"][1]}: the
            program has ended in `stimulus`.
            """)
        if tags["stimulus"][1] != step - 1:
            raise NotSeen(f"it has not ended in the stimulus:\n{text}")
        return step

    def crash(self):
        self.tell("**The crash report says where it ended, and with what in its hands.**")
        text = self.on_mailbox(f"tools/crash {self.programs}/debug_me.elf {{}}")
        seen(text, r"^the program has ended: data (abort|access to an address without memory .*)$", "the cause is another")
        line = int(seen(text, r"^#0 +0x[0-9a-f]{8} debug_me::Network::stimulate \S*network\.cpp:(\d+)",
                        "it has not ended in stimulate")[1])
        seen(text, r"^#\d+ .*debug_me::run ", "the calls do not come from run")
        seen(text, r"^the last lines of its log:\n(?:.*\n)*.* neurons have fired at once$", "the log is not in the report")
        register, key = seen(text, r"\b(r\d+|lr) (3a0118[0-9a-f]{2})\b", "no register holds a key").groups()
        key = int(key, 16)
        source = (ROOT / "examples/debug_me/network.cpp").read_text().splitlines()[line - 1].strip()
        seen(source, r"stimulus\.kicked\[", f"line {line} reads no 'stimulus.kicked'")
        self.tell(f"""
            Line {line} is `{source}`. `{register}` is the pointer `stimulus.kicked`, and what it holds is no place of
            anything: it is the key of a spike, of neuron {(key & 0xFF) // 2} of another core (`key_of`). A key where a kick
            should be is a kick that is some hundred thousand times too strong: that is what the log has seen. But nobody who has
            to do with keys has to do with the stimulus. The newest lines of the log are in the report for who has not seen them.
            """)
        return key

    def debug(self, step, key):
        drawn, lasts = step // 64 + 1, 64
        self.tell(f"""
            **gdb says who.** Only `draw_stimulus` sets that pointer: at the start, and each {lasts} steps, the last time in step
            {step // lasts * lasts}, its call number {drawn}. From there on it is watched. With the word `gdb` the firmware waits
            for a debugger.
            """)
        gdb, board = None, None
        command = self.emulator("debug_me", word="gdb")
        stub = Path(self.folder) / "stub"
        try:
            self.typed([f"$ {command} &".replace("\n", "\n    ")])
            stub.unlink(missing_ok=True)
            board = subprocess.Popen(["sh", "-c", f"exec {command}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            until = time.monotonic() + PATIENCE_S
            while not any(line.endswith(f" {stub}") for line in Path("/proc/net/unix").read_text().splitlines() if " 00010000 " in line):
                if board.poll() is not None or time.monotonic() > until:
                    raise NotSeen("the emulator has not begun")
                time.sleep(0.02)
            program = f"{self.programs}/debug_me.elf"
            self.typed([f"$ gdb-multiarch -q {program}"])
            gdb = Gdb(program)

            def ask(command, *patterns):
                self.typed([f"(gdb) {command}"])
                text = gdb.answer(command)
                self.typed(text.splitlines())
                for pattern in patterns:
                    seen(text, pattern, f"gdb does not answer '{command}' with '{pattern}'")
                return text

            ask("set filename-display basename")
            ask(f"target remote {stub}", r"breakpoint \(\)")
            ask("tbreak draw_stimulus", "^Temporary breakpoint 1 ")
            ask(f"ignore 1 {drawn - 1}", f"^Will ignore next {drawn - 1} crossings")
            ask("continue", r"debug_me::Network::draw_stimulus \(")
            ask("print network.step", rf"^\$1 = {step // lasts * lasts}$")
            ask("watch -l inputs.stimulus.kicked", "^Hardware watchpoint 2: ")
            ask("continue", r"^Old value = .*groups", rf"^New value = .* 0x{key:x}$", rf"debug_me::Inputs::put \(.*key={key}\b|"
                rf"debug_me::Inputs::put \(.*key=key@entry={key}\b")
            ask("info locals", "^at = 16$", rf"^then = .*keys = .*\b{key}\b")
            ask("whatis waiting", r"^type = std::array<debug_me::Arrivals, 16>$")
            places = [seen(ask(f"print &{what}", r"0x[0-9a-f]+"), r"0x[0-9a-f]+", "no address")[0] for what in ("then", "stimulus")]
            if places[0] != places[1]:
                raise NotSeen(f"gdb has the list at {places[0]}, and the stimulus at {places[1]}")
            ask("print now", r"= \d+$")
            self.say("\n")
        finally:
            if gdb:
                gdb.end()
            if board:
                board.kill()
                board.wait()
        self.tell("""
            There are 16 lists, from 0 on, and this is number 16: what `put` takes for a list is the stimulus, which lies behind them.
            The number of the next kick passes for the number of spikes in the list. So a key becomes the next kick, until a new
            stimulus is drawn; in the pause it becomes the pointer, and the next kick is the end.
            """)

    def mend(self):
        wrong, right = "at > longest_delay", "at >= longest_delay"
        text = (ROOT / "examples/debug_me/network.hpp").read_text()
        seen(text, rf"#ifdef DEBUG_ME_MENDED\n +if \({right}\) at -= longest_delay;\n#else\n +if \({wrong}\)", "put is another")
        self.tell(f"""
            **Mended by a character.** `put` wraps an index around: `if ({wrong}) at -= longest_delay`. It has to be `{right}`;
            what is due just where the ring begins again, one spike in 16, went behind its end. `debug_me_mended` has that:
            """)
        self.run_board("debug_me_mended", 0)
        text = self.on_mailbox(f"tools/log {self.programs}/debug_me_mended.elf {{}} --once --level warning")
        if text:
            raise NotSeen(f"the mended program still warns:\n{text}")
        text = self.on_mailbox("tools/trace {} | grep -A 10 'Tag: rows' | grep -E 'Mean time:|Longest|Samples'")
        longest = float(seen(text, r"^Longest:([\d.]+)ms$", "the profile lacks times")[1])
        seen(text, r"^Samples:2000$", "the mended program has not taken 2000 steps")
        if longest > self.longest / 4:
            raise NotSeen(f"the longest of rows is still {longest} ms, of {self.longest} ms:\n{text}")
        self.on_mailbox(f"tools/crash {self.programs}/debug_me_mended.elf {{}} 2>&1", status=1)
        self.tell("No warning, no crash, 2000 steps, and rows that take no longer than they should.")


def without_times(text):
    """What is the same with every compiler: no addresses, times, registers, folders, frames of the library, and no line where a
    function's code ends."""
    for pattern, instead in ((r"(?m)^(?! )(.+)\n(?=[^\s])", r"\1 "),  # a paragraph is a line
                             (r"(?<=[ (])[^\s()]*/(?=\w+\.[ch]pp:\d)", ""),
                             (r"(?m)^    #\d+ +0x\w+ (?!debug_me).*\n", ""),
                             (r"(?m)^    #\d+ +0x\w+ ", "    # "),
                             (r"(?m)^    +\w+ [0-9a-f]{8}.*$", "    registers"),
                             (r"\b0x(?!3a0118)[0-9a-f]+\b", "0x"),
                             (r"\b\d+\.\d{6}(ms)?", "#"),
                             (r"longest is \d+ times", "longest is # times"),
                             (r"`(r\d+|lr)` is the pointer", "# is the pointer"),
                             (r"(?m)(Inputs::put .* at network\.hpp):\d+\n +\d+\t.*$", r"\1"),
                             (r"(this|key)=\1@entry=", r"\1="),
                             (r"(keys = \{_M_elems = \{(\d+, ){4}).*", r"\1"),
                             (r"delay=(<optimized out>|\d+)", "delay=#"),
                             (r"neuromorph::v\w+::", "neuromorph::")):
        text = re.sub(pattern, instead, text)
    return text


def compare(page, text, write):
    old = page.read_text()
    begin, end = (old.find(marker) for marker in MARKERS)
    if begin < 0 or end < begin:
        raise NotSeen(f"{page} lacks the line {MARKERS[0].strip()}, or {MARKERS[1]} behind it")
    begin += len(MARKERS[0])
    if write:
        page.write_text(old[:begin] + text + old[end:])
        return
    wanted, made = (without_times(one).splitlines() for one in (old[begin:end], text))
    if wanted != made:
        raise NotSeen("\n".join([f"{page} shows another hunt; examples/debug_me/walkthrough --write puts this one there",
                                 *difflib.unified_diff(wanted, made, str(page), "this run", lineterm="")]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--board", choices=BOARDS, required=True)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    page = options.page.resolve() if options.page else None
    hunt = Hunt(options.board, show=not page or not options.write)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None, prefix="neuromorph-") as folder:
        try:
            if options.programs:  # a folder in which paths are those that are shown
                programs = options.programs.resolve()
                os.chdir(folder)
                Path(hunt.programs).parent.mkdir(parents=True)
                Path(hunt.programs).symlink_to(programs)
                Path("tools").symlink_to(ROOT / "tools")
            else:
                os.chdir(ROOT)
            hunt.go()
            if page:
                compare(page, hunt.text, options.write)
        except BrokenPipeError:  # nobody looks any more
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except KeyboardInterrupt:
            sys.exit(130)
        except (NotSeen, OSError) as error:
            sys.stdout.flush()
            sys.exit(f"walkthrough: {error}")
        except subprocess.TimeoutExpired as expired:
            sys.exit(f"walkthrough: '{expired.cmd[-1]}' has not come to its end in {PATIENCE_S} s")
        finally:
            os.chdir(ROOT)


if __name__ == "__main__":
    main()
