from __future__ import annotations

import html
from collections.abc import Callable
from functools import partial
from typing import Any

from ipywidgets import HTML, Button, HBox, Layout, Text, VBox

from . import wording
from .desk import Desk
from .questions import Question

__all__ = ["Panel"]

_CELL = 'style="text-align: left; padding: 0 1em 0 0; vertical-align: top"'


class Panel(VBox):
    """A desk in a notebook, with a button for each answer.

    Parameters
    ----------
    desk
        The desk.

    Attributes
    ----------
    desk
        The desk.
    class_buttons
        The buttons of the classes, by name.
    buttons
        The other buttons: `"skip"`, `"don't know"` and `"undo"`.
    new_class
        The field for the name of a new class.

    """

    def __init__(self, desk: Desk):
        self.desk = desk
        self.class_buttons: dict[str, Button] = {}
        self.buttons: dict[str, Button] = {}
        self.question, self.status = HTML(), HTML()
        self.new_class = Text(placeholder="new class, then Enter", continuous_update=False)
        self.new_class.observe(self._name_class, "value")
        actions: dict[str, tuple[str, Callable[[], None]]] = {
            "skip": ("ask again later", desk.skip),
            "don't know": ("do not ask again", desk.dont_know),
            "undo": ("undo the last answer", desk.undo),
        }
        for name, (tooltip, do) in actions.items():
            self.buttons[name] = self._button(name, do, tooltip=tooltip)
        self._classes = HBox(layout=_wrapped())
        others = HBox(list(self.buttons.values()), layout=_wrapped())
        super().__init__([self.question, self._classes, others, self.status])
        self.show()

    def act(self, do: Callable[..., None], *arguments: Any) -> None:
        """Call a method of the desk, and show the new state or the error.

        Parameters
        ----------
        do
            A method of the desk, such as `answer`.
        arguments
            The arguments of the method.

        """
        try:
            do(*arguments)
        except (IndexError, OSError, ValueError) as error:
            self.show(str(error))
        else:
            self.show()

    def show(self, problem: str = "") -> None:
        """Show the current state of the desk.

        Parameters
        ----------
        problem
            The text of an error, if any.

        """
        desk, question = self.desk, self.desk.question
        for label in desk.classes:
            if label not in self.class_buttons:
                self.class_buttons[label] = self._button(
                    label, partial(desk.answer, label), button_style="primary"
                )
        shown = [self.class_buttons[label] for label in desk.classes]
        self._classes.children = [*shown, self.new_class]
        for widget in (*shown, *self.buttons.values(), self.new_class):
            widget.disabled = question is None
        self.buttons["undo"].disabled = not desk.answers
        self.question.value = (
            f"<p>{wording.over(desk)}</p>" if question is None else _asked(question)
        )
        lines = [f"{wording.spent(desk)}.", wording.accuracy(desk.accuracy)]
        if desk.answers:
            lines.append(wording.last(desk.answers[-1]))
        status = "<br>".join(map(html.escape, lines))
        self.status.value = status + (f"<br><b>{html.escape(problem)}</b>" if problem else "")

    def _button(self, name: str, do: Callable[[], None], **style: str) -> Button:
        button = Button(description=wording.printable(name), **style)
        button.on_click(lambda _: self.act(do))
        return button

    def _name_class(self, change: Any) -> None:
        name = change["new"].strip()
        if name:
            self.new_class.value = ""
            self.act(self.desk.answer, name)


def _asked(question: Question) -> str:
    why = html.escape(wording.asked(question))
    parts = [f"<p><b>Row {question.index + 1:,}</b>: {why}</p>", _shown(question.instance)]
    if question.guess is not None:
        parts.append(f"<p>Guess: <b>{html.escape(wording.guess(question))}</b>")
        parts += [f"<br>{html.escape(terms)}" for terms in wording.terms(question) if terms]
        parts.append("</p>")
    return "".join(parts)


def _wrapped() -> Layout:
    return Layout(flex_flow="row wrap")


def _shown(instance: Any) -> str:
    if not isinstance(instance, dict):
        return f'<p style="white-space: pre-wrap">{html.escape(wording.printable(instance))}</p>'
    rows = "".join(
        f"<tr><td {_CELL}>{html.escape(wording.printable(name))}</td>"
        f"<td {_CELL}>{html.escape(wording.printable(value))}</td></tr>"
        for name, value in instance.items()
    )
    return f"<table>{rows}</table>"
