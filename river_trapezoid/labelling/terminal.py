from __future__ import annotations

import os
import string
import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from . import wording
from .desk import Desk, Question

if sys.platform == "win32":
    import msvcrt
else:
    import termios
    import tty

__all__ = ["Keyboard", "Terminal"]

_SKIP, _DONT_KNOW, _UNDO, _NEW, _QUIT = "s", "d", "u", "n", "q"
# Those left for classes, in this order.
_FREE = [c for c in "123456789" + string.ascii_lowercase if c not in "sdunq"]
# What is on the screen beside the instance, in lines.
_AROUND = 16
_FEWEST_LINES = 4


class Terminal:
    """A desk in a terminal: a question on the screen, and a key for each answer.

    Parameters
    ----------
    desk
        The desk.
    title
        What is being labelled.
    keyboard
        Where the answers come from; one that is in use.
    console
        Where to draw; what the process prints to by default.

    """

    def __init__(
        self,
        desk: Desk,
        title: str,
        keyboard: Keyboard,
        console: Console | None = None,
    ):
        self.desk = desk
        self.title = title
        self._console = Console(highlight=False) if console is None else console
        self._keyboard = keyboard
        self._problem = ""

    def run(self) -> None:
        """Ask, until there is nothing left to ask or the person has had enough."""
        while True:
            # What was typed before was not meant for the question that is shown next.
            self._keyboard.forget()
            self._draw()
            key = self._keyboard.key()
            if key in (_QUIT, ""):
                return
            self._problem = ""
            try:
                self._do(key)
            except IndexError as error:
                self._problem = f"{error}."

    def _do(self, key: str) -> None:
        desk = self.desk
        keys = dict(zip(_FREE, desk.classes, strict=False))
        if key == _UNDO:
            desk.undo()
        elif desk.question is None:
            return
        elif key in keys:
            desk.answer(keys[key])
        elif key == _SKIP:
            desk.skip()
        elif key == _DONT_KNOW:
            desk.dont_know()
        elif key == _NEW:
            self._name_class()

    def _name_class(self) -> None:
        name = wording.printable(self._keyboard.line("Name of the class: ")).strip()
        if not name:
            return
        if len(self.desk.classes) == len(_FREE) and name not in self.desk.classes:
            self._problem = f"There are no keys for more than {len(_FREE)} classes."
            return
        try:
            self.desk.answer(name)
        except ValueError as error:
            self._problem = f"{error}."

    def _draw(self) -> None:
        desk, question = self.desk, self.desk.question
        width = min(self._console.width, 100)
        parts: list[RenderableType] = [
            Text(f"{self.title}: {wording.spent(desk)}", style="bold", overflow="ellipsis"),
            Rule(style="dim"),
        ]
        if question is None:
            parts += [Text(wording.over(desk)), Text("")]
        else:
            parts += [
                Text(f"Row {question.index + 1:,}: {wording.asked(question)}", style="dim"),
                Text(""),
                self._instance(question.instance, width),
                Text(""),
                *_guess(question),
            ]
        parts += [self._keys(question), Rule(style="dim"), Text(wording.accuracy(desk.accuracy))]
        if desk.answers:
            parts.append(Text(wording.last(desk.answers[-1])))
        if self._problem:
            parts.append(Text(self._problem, style="bold red"))
        self._console.clear()
        self._console.print(Group(*parts), width=width)

    def _instance(self, instance: Any, width: int) -> RenderableType:
        room = max(self._console.height - _AROUND, _FEWEST_LINES)
        if not isinstance(instance, dict):
            return _cut(Text(wording.printable(instance)), self._console, width - 2, room)
        table = Table.grid(padding=(0, 2))
        shown = {name: value for name, value in instance.items() if value not in (None, "")}
        for n, (name, value) in enumerate(shown.items()):
            if room <= 0 or (room == 1 and n < len(shown) - 1):
                table.add_row(Text("…", style="dim"), Text(f"{len(shown) - n} more", style="dim"))
                break
            key = Text(wording.printable(name), style="cyan", overflow="ellipsis", no_wrap=True)
            cell = _cut(Text(wording.printable(value)), self._console, width - 34, min(room, 6))
            key.truncate(30)
            table.add_row(key, cell)
            room -= max(1, cell.plain.count("\n") + 1)
        return table

    def _keys(self, question: Question | None) -> Text:
        text = Text()
        if question is not None:
            for key, label in zip(_FREE, self.desk.classes, strict=False):
                text.append(f" {key} ", style="reverse")
                text.append(f" {wording.printable(label)}   ")
            if text:
                text.append("\n")
        actions = {
            _NEW: "new class",
            _SKIP: "skip",
            _DONT_KNOW: "don't know",
            _UNDO: "undo",
            _QUIT: "save and quit",
        }
        for key, action in actions.items():
            if question is not None or key in (_UNDO, _QUIT):
                text.append(f" {key} ", style="reverse")
                text.append(f" {action}   ")
        return text


def _guess(question: Question) -> Iterator[RenderableType]:
    if question.guess is None:
        return
    yield Text("Guess: ") + Text(wording.guess(question), style="bold")
    in_favour, against = wording.for_and_against(question)
    if in_favour:
        yield Text(f"for it: {in_favour}", style="green")
    if against:
        yield Text(f"against it: {against}", style="red")
    yield Text("")


def _cut(text: Text, console: Console, width: int, height: int) -> Text:
    """A text in lines of a width, up to a height."""
    text.expand_tabs(4)
    lines = text.wrap(console, max(width, 10))
    cut = Text("\n").join(lines[:height])
    if len(lines) > height:
        cut.append(" …", style="dim")
    return cut


class Keyboard:
    """The keys of a terminal, read as they are pressed, and not echoed while it is in use."""

    if sys.platform == "win32":

        def __enter__(self) -> Keyboard:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def forget(self) -> None:
            """Throw away what has been typed so far."""
            while msvcrt.kbhit():
                msvcrt.getwch()

        def key(self) -> str:
            """Wait for a key, and return it; Ctrl-C raises a `KeyboardInterrupt`."""
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            # A key that is no character, such as an arrow, sends two.
            return f"{key}{msvcrt.getwch()}" if key in ("\x00", "\xe0") else key

        def line(self, prompt: str) -> str:
            """Ask for a line of text."""
            return input(prompt)

    else:

        def __enter__(self) -> Keyboard:
            self._handle = sys.stdin.fileno()
            self._before = termios.tcgetattr(self._handle)
            tty.setcbreak(self._handle)
            return self

        def __exit__(self, *_: object) -> None:
            termios.tcsetattr(self._handle, termios.TCSADRAIN, self._before)

        def forget(self) -> None:
            """Throw away what has been typed so far."""
            termios.tcflush(self._handle, termios.TCIFLUSH)

        def key(self) -> str:
            """Wait for a key, and return it; an empty string if there will be none any more."""
            data = os.read(self._handle, 64)
            # A key that is no character, such as an arrow, sends several that begin with this one.
            return "\x1b" if data.startswith(b"\x1b") else data.decode("utf-8", "replace")[:1]

        def line(self, prompt: str) -> str:
            """Ask for a line of text."""
            termios.tcsetattr(self._handle, termios.TCSADRAIN, self._before)
            try:
                return input(prompt)
            except EOFError:
                return ""
            finally:
                tty.setcbreak(self._handle)
