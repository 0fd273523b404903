"""Errors and docstrings use plain sentences and the terms of the glossary."""

from __future__ import annotations

import ast
import collections
import importlib
import inspect
import pathlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import river_trapezoid

PACKAGE = pathlib.Path(river_trapezoid.__file__).parent

# Phrases that read as translated, with what to write instead.
PHRASES = {
    r"(?<!there )\b(is|are|was|were) (none|no (?!longer\b|more\b)\w+)": "is not a ..., has no ...",
    r"\b(not|hardly|be|is|are|was|were) told\b": "returned, reported, distinguished",
    r"\btells?\b": "returns, reports, distinguishes",
    r"\bsays?\b|\bsaid\b": "returns, predicts, states",
    r"\bmakes? of (it|them)\b": "returns",
    r"\b(go|goes|gone|went) on\b": "resumes, continues",
    r"\b(is|are|be) done with\b": "is finished",
    r"\bone's own\b": "your own",
    r"\b(than|as|by|of|for|with) that one\b": "name it",
    r"\bso many\b|\bas many\b": "the number of ...",
    r"\bwhat is left of\b": "the rest of",
    r"\bheeds?\b": "considers, ignores",
    r"\bsleeps\b": "is skipped",
    r"\b(comes|come|came) to\b(?! an? end)": "equals, reaches",
    r"\b(stands?|stood) for\b": "means, represents",
    r"\b[Ll]et nothing\b": "disable",
    r"\b[Hh]ow far\b": "the difference, the distance",
    r"\bno such thing\b": "name what was expected",
    r"\bshows? itself\b": "is displayed",
    r"\b(left|leaves?) as (it|they) (is|are|was|were)\b": "is not modified",
    r"\b[Mm]ind that\b": "note that",
}
PATTERNS = {re.compile(phrase): advice for phrase, advice in PHRASES.items()}

# What a docstring quotes: examples with their output, code, papers.
_QUOTED = re.compile(
    r"^ *>>> .*?(?=^ *$|\Z)|^References\n-+\n.*|``.*?``|`.*?`|\"[^\"\n]*\"",
    re.MULTILINE | re.DOTALL,
)
_RAISE_IN_CYTHON = re.compile(r"\braise \w+\(((?:[^()]|\([^()]*\))*)\)")
_STRING_IN_CYTHON = re.compile(r'"([^"\n]*)"')
_ERROR = re.compile(r"([Ee]rror|Exception|Warning|Failure|BadParameter|Exit)$|^warn$")


class Text(NamedTuple):
    """A text for users, and where it is."""

    room: str
    place: str
    text: str


def errors() -> Iterator[Text]:
    """Yield the texts of errors, warnings and help in the source of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        texts = {}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Raise)
                or (isinstance(node, ast.Call) and _ERROR.search(_name(node.func)))
                or (isinstance(node, ast.keyword) and node.arg == "help")
            ):
                texts |= {(string.lineno, string.col_offset): string for string in _strings(node)}
        for (line, _), string in texts.items():
            yield Text(_room(path), f"{path.relative_to(PACKAGE)}:{line}", _text(string))
    for path in sorted(PACKAGE.rglob("*.pyx")):
        for raised in _RAISE_IN_CYTHON.findall(path.read_text(encoding="utf-8")):
            text = "".join(_STRING_IN_CYTHON.findall(raised))
            yield Text(_room(path), str(path.relative_to(PACKAGE)), text)


def docstrings() -> Iterator[Text]:
    """Yield the docstrings of all public modules, classes, functions and methods."""
    for info in pkgutil.walk_packages([str(PACKAGE)], "river_trapezoid."):
        if any(name.startswith("_") for name in info.name.split(".")[1:]):
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError:  # An extra is not installed.
            continue
        room = info.name.split(".")[1]
        yield from _docstring(room, info.name, module)
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", None) == info.name:
                yield from _docstring(room, f"{info.name}.{name}", value)
                for attribute, member in vars(value).items() if inspect.isclass(value) else ():
                    if not attribute.startswith("_"):
                        yield from _docstring(room, f"{info.name}.{name}.{attribute}", member)


def found(text: Text) -> list[str]:
    """Return the phrases to avoid in a text, each with its place and what to write instead."""
    plain = " ".join(_QUOTED.sub("", text.text).split())
    return [
        f"{text.place}: {plain[max(0, match.start() - 40) : match.end() + 30]!r} -> {advice}"
        for pattern, advice in PATTERNS.items()
        for match in pattern.finditer(plain)
    ]


def _docstring(room: str, place: str, value: Any) -> Iterator[Text]:
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    text = getattr(value, "__doc__", None)
    if isinstance(text, str) and (inspect.ismodule(value) or not isinstance(value, str | int)):
        yield Text(room, place, inspect.cleandoc(text))


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _strings(node: ast.AST) -> Iterator[ast.JoinedStr | ast.Constant]:
    """Yield the strings below a node."""
    if isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    ):
        yield node
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings(child)


def _text(string: ast.JoinedStr | ast.Constant) -> str:
    """Return a string; an inserted value becomes `{}`."""
    if isinstance(string, ast.Constant):
        return string.value
    return "".join(
        value.value if isinstance(value, ast.Constant) else "{}" for value in string.values
    )


def _room(path: pathlib.Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


TEXTS = [*errors(), *docstrings()]


@pytest.mark.parametrize("room", sorted({text.room for text in TEXTS}))
def test_errors_and_docstrings_avoid_phrases_that_read_as_translated(room):
    phrases = [phrase for text in TEXTS if text.room == room for phrase in found(text)]
    assert not phrases, "\n".join(phrases)


@pytest.mark.parametrize(
    ("text", "n_found"),
    [
        ("it is no model file", 1),
        ("something is none", 1),
        ("what is told of features goes on", 2),
        ("so many labels, on streams of one's own", 2),
        ("B must be a positive integer or a float in (0, 1]; got -3", 0),
        ("Predict the label.\n\n>>> model.says()\n'so many'\n\nReturn it.", 0),
        ('`tells` is a name, and the paper calls it "so many".', 0),
        ("the value is no longer observed, and there is no file", 0),
    ],
)
def test_phrases_are_found_outside_of_examples_and_quotations(text, n_found):
    assert len(found(Text("room", "place", text))) == n_found


def test_texts_of_every_kind_are_collected():
    rooms = collections.Counter(text.room for text in TEXTS)
    assert {"linear_model", "weights", "cli", "persist", "_parameters"} <= rooms.keys()
    places = {text.place for text in docstrings()}
    assert "river_trapezoid.evaluate.runs.compare" in places
    assert "river_trapezoid.linear_model.olsf.OLSFClassifier" in places
    texts = {text.text for text in errors()}
    assert "{} must be one of {}; got {}" in texts
    assert "Show the version and exit." in texts
    assert any("weights" in text and "slower" in text for text in texts)
