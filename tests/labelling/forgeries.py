"""Journals that no desk has written: a true one, changed by somebody who knows its structure."""

from __future__ import annotations

import json
import random

# JSON texts that may stand where a value is expected.
_VALUES = [
    *("null", "true", "false", "0", "1", "-1", "3", "11", "12", "1e999", "-0.0", "0.5", "1.5"),
    *("NaN", "Infinity", "1" + "0" * 400, "1" * 6000, "0." + "1" * 5000, "2e-400"),
    *("[]", "{}", "[[]]", '{"do": "undo"}', "[" * 900 + "]" * 900, "[" * 100_000),
    *('""', '" "', '"ham"', '"spam"', '" ham"', '"news"', '"label"', '"skip"', '"unknown"'),
    *('"undo"', '"\\ud800"', '"\\u001b[2J"', '"\\u0000"', '"ä"', '"' + "x" * 100_000 + '"'),
    *('["ham", "spam"]', '["a"]', '["ham", "spam", "news"]', '{"ham": 1}', "", "undefined"),
]
_FIELDS = ["do", "index", "label", "check", "guess", "probability", "classes", "seed", "more"]
_BYTES = [b"\n", b"\0", b'"', b"{", b"}", b"[", b"\\", b",", b"\xff", b"\xef\xbb\xbf", b"\r", b"9"]


def forged(journal: bytes, rng: random.Random) -> bytes:
    """A journal with one to three changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change = rng.choice([_value, _value, _value, _fields, _lines, _lines, _bytes, _encoding])
        journal = change(journal, rng)
    return journal


def _value(journal: bytes, rng: random.Random) -> bytes:
    """Another value in a field of a line."""

    def change(fields: list[tuple[str, str]]) -> None:
        if fields:
            at = rng.randrange(len(fields))
            fields[at] = fields[at][0], rng.choice(_VALUES)

    return _in_a_line(journal, rng, change)


def _fields(journal: bytes, rng: random.Random) -> bytes:
    """A field less or more, another name, the same field twice, or another order."""

    def change(fields: list[tuple[str, str]]) -> None:
        at = rng.randrange(len(fields) + 1)
        kind = rng.choice(["less", "more", "name", "twice", "order"])
        if kind == "more" or not fields:
            fields.insert(at, (rng.choice(_FIELDS), rng.choice(_VALUES)))
            return
        at = min(at, len(fields) - 1)
        if kind == "less":
            del fields[at]
        elif kind == "name":
            fields[at] = rng.choice(_FIELDS), fields[at][1]
        elif kind == "twice":
            fields.append(fields[at])
        else:
            rng.shuffle(fields)

    return _in_a_line(journal, rng, change)


def _in_a_line(journal, rng, change):
    lines = journal.split(b"\n")
    at = rng.randrange(len(lines))
    try:
        fields = [(name, json.dumps(value)) for name, value in json.loads(lines[at]).items()]
    except (AttributeError, RecursionError, ValueError):
        # It has been changed already.
        return journal
    change(fields)
    text = ", ".join(f'"{name}": {value}' for name, value in fields)
    lines[at] = f"{{{text}}}".encode()
    return b"\n".join(lines)


def _lines(journal: bytes, rng: random.Random) -> bytes:
    """A line less, twice, elsewhere, or one of something else."""
    lines = journal.split(b"\n")[:-1] or [b""]
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.choice(["less", "twice", "elsewhere", "undo", "cut", "other"])
    if kind == "less":
        del lines[at]
    elif kind == "twice":
        lines.insert(to, lines[at])
    elif kind == "elsewhere":
        lines.insert(to, lines.pop(at))
    elif kind == "undo":
        lines.insert(at, b'{"do": "undo"}')
    elif kind == "cut":
        del lines[at:]
    else:
        lines.insert(at, rng.choice(_VALUES).encode())
    return b"".join(line + b"\n" for line in lines)


def _bytes(journal: bytes, rng: random.Random) -> bytes:
    """Bytes that are changed, gone, or put in; or an end that is missing."""
    data = bytearray(journal)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(len(data) + 1)
        kind = rng.choice(["change", "remove", "insert", "cut"])
        if kind == "change" and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == "remove":
            del data[at : at + rng.choice([1, 1, 5, 50])]
        elif kind == "insert":
            data[at:at] = rng.choice(_BYTES)
        elif rng.random() < 0.2:
            del data[at:]
    return bytes(data)


def _encoding(journal: bytes, rng: random.Random) -> bytes:
    """The same in another encoding, or with other ends of lines."""
    text = journal.decode("utf-8", "replace")
    kind = rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "\r\n", "\r"])
    return text.replace("\n", kind).encode() if kind.isspace() else text.encode(kind)
