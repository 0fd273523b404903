from __future__ import annotations

import datetime
import math
import textwrap
from collections.abc import Hashable, Iterator
from typing import Annotated, Any

import typer

from river_trapezoid import persist
from river_trapezoid._columns import listed
from river_trapezoid.inspection._introspect import innermost, weights_of
from river_trapezoid.persist import TableModel

from .kept import opened
from .output import WIDTH
from .predict import Model
from .protocol import described
from .terminal import say

__all__ = ["describe"]

# The z-scores at which the curve of a number is shown.
_SCORES = (-2.0, -1.0, 0.0, 1.0, 2.0)
_HALVINGS = 60
_TITLES = {
    "number": "numbers",
    "truth": "truth values",
    "date": "dates",
    "category": "categories",
    "text": "text",
    "identifier": "left out, as nearly every value is different",
    "ignored": "left out",
}

Top = Annotated[
    int,
    typer.Option("--top", metavar="N", min=0, help="The number of features to show."),
]


def describe(model: Model, top: Top = 10) -> None:
    """Describe a saved model: what it is, what it has learned from, and its strongest features."""
    kept = opened(model)
    about = persist.inspect(model)
    facts = {
        "model": f"{model} ({about['size']:,} bytes, by version {about['river_trapezoid']})",
        "learner": f"{kept.name}, {described(kept.learner)}",
        "labels": f"{_labels(kept)} in column {kept.target!r}",
        "rows learned from": f"{kept.n_rows:,}",
    }
    if kept.n_source_rows is not None:
        facts["unfinished update"] = f"ended after {kept.n_source_rows:,} rows of its file"
    facts |= _columns(kept)
    lines = textwrap.TextWrapper(
        WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    for what, value in facts.items():
        say(lines.fill(f"{what}: {value}"))
    if top:
        say("", *_features(kept, top))


def _labels(kept: TableModel) -> str:
    if kept.positive is None:
        return listed(list(map(str, kept.labels)))
    (negative,) = (label for label in kept.labels if label != kept.positive)
    return f"{kept.positive} is positive, {negative} negative"


def _columns(kept: TableModel) -> dict[str, str]:
    """The columns of each kind."""
    by_kind: dict[str, list[str]] = {}
    for name, report in kept.encoder.columns.items():
        by_kind.setdefault(report.kind.partition(":")[0], []).append(str(name))
    return {title: listed(by_kind[kind]) for kind, title in _TITLES.items() if kind in by_kind}


def _features(kept: TableModel, top: int) -> Iterator[str]:
    """The lines about the strongest features."""
    learner = innermost(kept.model)
    # One learner for each of more than two labels.
    members = getattr(learner, "classifiers", {kept.positive: learner})
    if all(hasattr(member, "evidence_one") for member in members.values()):
        for label, member in members.items():
            yield from _curves(kept, member, top, label)
        return
    try:
        weights = weights_of(kept.model)
    except TypeError:
        yield "the learner has no weights to show"
        return
    yield "the largest weights, of scaled features:"
    for (feature, labels), weight in sorted(
        weights.items(), key=lambda item: (-abs(item[1]), str(item[0]))
    )[:top]:
        of = f" ({', '.join(map(str, labels))})" if labels else ""
        yield f"  {feature}{of}: {weight:+.3f}"


def _curves(kept: TableModel, learner: Any, top: int, label: Any) -> Iterator[str]:
    """The evidence of the strongest features of a learner at some of their values."""
    curves = {
        feature: [
            (value, learner.evidence_one({feature: value}).get(feature, 0.0))
            for value in _values(kept, learner, feature)
        ]
        for feature in learner.value_weights
    }
    strength = {
        feature: max(abs(evidence) for _, evidence in curve) for feature, curve in curves.items()
    }
    strongest = sorted(curves, key=lambda feature: (-strength[feature], str(feature)))[:top]
    yield f"the strongest features, as value: evidence for {label} (log-odds):"
    for feature in strongest:
        points = "   ".join(
            f"{_shown(kept, feature, value)}: {evidence:+.2f}"
            for value, evidence in curves[feature]
        )
        yield f"  {feature}"
        yield f"    {points}"


def _kind(kept: TableModel, feature: Hashable) -> str:
    """What a feature is: a number, a truth value, a day, an hour, or an indicator."""
    columns = kept.encoder.columns
    if feature in columns:
        kind = columns[feature].kind.partition(":")[0]
        return kind if kind in ("number", "truth") else "indicator"
    column, _, part = str(feature).rpartition(".")
    if column in columns and columns[column].kind.startswith("date") and part in ("day", "hour"):
        return part
    return "indicator"


def _values(kept: TableModel, learner: Any, feature: Hashable) -> list[float]:
    """The values of a feature at which its curve is shown."""
    kind = _kind(kept, feature)
    if kind == "truth":
        return [0.0, 1.0]
    if kind == "indicator":
        return [1.0]
    values = [_value_at(learner, feature, score) for score in _SCORES]
    spread = values[-1] - values[0]
    decimals = 2 - math.floor(math.log10(spread)) if spread > 0.0 else 6
    return sorted({round(value, decimals) for value in values})


def _value_at(learner: Any, feature: Hashable, score: float) -> float:
    """The value of a feature whose z-score is nearest to a number."""

    def score_of(value: float) -> float:
        for _, found, *_ in learner._weights.inputs({feature: value}):
            return float(found)
        return 0.0

    low, high = -1.0, 1.0
    while score_of(low) > score and low > -1e30:
        low *= 2.0
    while score_of(high) < score and high < 1e30:
        high *= 2.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if score_of(middle) < score:
            low = middle
        else:
            high = middle
    return high


def _shown(kept: TableModel, feature: Hashable, value: float) -> str:
    if _kind(kept, feature) == "day" and abs(value) < 1e5:
        return str(datetime.date(1970, 1, 1) + datetime.timedelta(days=value))
    return f"{value:.6g}"
