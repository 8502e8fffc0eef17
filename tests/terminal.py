"""A terminal to run the command line in: what its screen shows can be read, and keys pressed."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

from run_cli import environment

_PATIENCE = 30
_PIECE = re.compile(r"\x1b\[([0-9;?]*)[ -/]*([@-~])|\x1b[()][A-Z0-9]|\x1b[=>78]|([\x00-\x1f])|(.)")
TAB, CTRL_C, CTRL_D = "\t", "\x03", "\x04"


class Screen:
    """The characters on it. Of escape sequences those that move and erase; colours are dropped."""

    def __init__(self, rows, columns):
        self._rows, self._columns = rows, columns
        self._cells = [[" "] * columns for _ in range(rows)]
        self._row = self._column = 0

    @property
    def lines(self):
        return ["".join(row).rstrip() for row in self._cells]

    def show(self, text):
        for piece in _PIECE.finditer(text):
            if piece[4]:
                self._put(piece[4])
            elif piece[3]:
                self._control(piece[3])
            elif piece[2]:
                numbers = [int(n) for n in piece[1].lstrip("?").split(";") if n]
                self._sequence(piece[2], numbers)

    def _put(self, letter):
        if self._column == self._columns:
            self._column = 0
            self._down()
        self._cells[self._row][self._column] = letter
        self._column += 1

    def _down(self):
        if self._row < self._rows - 1:
            self._row += 1
        else:
            self._cells = [*self._cells[1:], [" "] * self._columns]

    def _control(self, letter):
        if letter == "\n":
            self._down()
        elif letter == "\r":
            self._column = 0
        elif letter == "\b":
            self._column = max(0, self._column - 1)

    def _sequence(self, kind, numbers):
        count = (numbers or [1])[0] or 1
        if kind in "AB":
            self._row = max(0, min(self._rows - 1, self._row + (count if kind == "B" else -count)))
        elif kind in "CD":
            step = count if kind == "C" else -count
            self._column = max(0, min(self._columns - 1, self._column + step))
        elif kind == "H":
            self._row, self._column = [*(n - 1 for n in numbers), 0, 0][:2] if numbers else (0, 0)
        elif kind in "JK":
            self._erase(kind, (numbers or [0])[0])

    def _erase(self, kind, how):
        row = self._cells[self._row]
        begin = 0 if how else min(self._column, self._columns)
        row[begin:] = [" "] * (self._columns - begin)
        if kind == "J":
            first = 0 if how else self._row + 1
            self._cells[first:] = [[" "] * self._columns for _ in self._cells[first:]]


class Terminal:
    """A process that has one for stdin, stdout and stderr."""

    def __init__(self, words, *, code=None, rows=24, columns=80, **changes):
        """`code` is run instead of the command line, with `words` as its arguments."""
        self._main, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        start = ["-m", "tfprof"] if code is None else ["-c", code]
        changes = {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": 1, **changes}
        self._process = subprocess.Popen(
            [sys.executable, *start, *map(str, words)],
            stdin=child, stdout=child, stderr=child,
            env=environment(**changes), start_new_session=True,
        )  # fmt: skip
        os.close(child)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._screen = Screen(rows, columns)
        self.heard = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._main)

    @property
    def screen(self):
        """What stands on the screen now, without the empty lines at its end."""
        return "\n".join(self._screen.lines).rstrip("\n")

    def press(self, keys):
        os.write(self._main, keys.encode())

    def wait_for(self, text):
        """Until the screen shows it."""
        end = time.monotonic() + _PATIENCE
        while text not in self.screen:
            heard = self._hear(0.1)
            ended = self._process.poll() is not None and not heard
            if ended or time.monotonic() > end:
                raise AssertionError(f"never shown: {text!r}; the screen:\n{self.screen}")

    def listen(self, seconds):
        """Hears whatever comes in that time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._hear(left)

    def exit_code(self):
        """Once the process has ended and all is heard."""
        end = time.monotonic() + _PATIENCE
        while self._process.poll() is None:
            assert time.monotonic() < end, f"does not end; the screen:\n{self.screen}"
            self._hear(0.1)
        while self._hear(0):
            pass
        return self._process.returncode

    def _hear(self, seconds):
        if not select.select([self._main], [], [], seconds)[0]:
            return False
        try:
            piece = os.read(self._main, 65536)
        except OSError:  # nobody is left at the other end
            return False
        text = self._decoder.decode(piece)
        self.heard += text
        self._screen.show(text)
        return bool(piece)
