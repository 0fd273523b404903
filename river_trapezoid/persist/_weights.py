"""Weights and graphs, whose state is not in their attributes."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np

from river_trapezoid import weights
from river_trapezoid._parameters import check_array
from river_trapezoid.linear_model import feature_graph
from river_trapezoid.weights.categories import CATEGORY_WIDTH
from river_trapezoid.weights.evidence import ARGUMENTS as EVIDENCE_ARGUMENTS
from river_trapezoid.weights.evidence import LARGEST_VALUE
from river_trapezoid.weights.passive_aggressive import ARGUMENTS as RULE_ARGUMENTS

from ._codecs import Fields, Functions
from ._columns import distinct
from ._values import Codec

__all__ = ["WEIGHTS"]

# No feature is observed in more instances; products with this number are finite.
_MOST_INSTANCES = 1e100
# Nor are there more categories.
_MOST_CATEGORIES = 2**53
EVIDENCE_LATER = (
    *("max_categories", "categorical", "category_counts"),
    *("categories", "category_numbers"),
)
# The columns of a table without rows.
_NO_ROWS = 6


def _take_sparse(w: Any) -> tuple[Fields, Fields]:
    scale, power_sum, drift, v, seen = w.__getstate__()
    values = np.fromiter(v.values(), np.float64, len(v))
    state = {"scale": scale, "power_sum": power_sum, "drift": drift}
    state.update(keys=list(v), values=values, others_seen=_others(v, seen))
    return {"budget": w.budget, "order": w.order}, state


def _put_sparse(parameters: Fields, state: Fields) -> Any:
    w = weights.SparseWeights(**parameters)
    for name in ("scale", "power_sum", "drift"):
        if type(state[name]) is not float:
            raise TypeError(f"{name} must be a float; got {state[name]!r:.100}")
    seen = _seen(state["keys"], state["others_seen"])
    values = check_array("values", state["values"], len(state["keys"])).tolist()
    v = dict(zip(state["keys"], values, strict=True))
    w.__setstate__((state["scale"], state["power_sum"], state["drift"], v, seen))
    return w


def _others(known: dict[Any, Any], seen: list[Any] | None) -> list[Any] | None:
    """Return the features that have been seen and are not among the known ones."""
    if seen is None:
        return None
    others = [key for key in seen if key not in known]
    if len(known) + len(others) != len(seen):
        raise ValueError("the known features must be among those that have been seen")
    return others


def _seen(keys: list[Any], others: list[Any] | None) -> list[Any] | None:
    """Return the features that have been seen, none of them twice."""
    seen = distinct(keys if others is None else keys + others)
    return None if others is None else seen


def _take_rule(rule: Any) -> tuple[Fields, Fields]:
    return {name: getattr(rule, name) for name in RULE_ARGUMENTS}, {}


def _put_rule(parameters: Fields, state: Fields) -> Any:
    for name, kind in (("weights", weights.SparseWeights), ("rng", random.Random | None)):
        if not isinstance(parameters[name], kind):
            raise TypeError(f"{name} must be {kind}; got {parameters[name]!r:.100}")
    if not np.isfinite(parameters["intercept"]):
        raise ValueError(f"intercept must be finite; got {parameters['intercept']!r}")
    return weights.PassiveAggressive(**parameters)


def _take_evidence(w: Any) -> tuple[Fields, Fields]:
    numbers, mixture, features, seen, pairs, *others = w.__getstate__()
    categories = others[0] if others else {}
    state = {
        "numbers": np.array(numbers, float),
        "mixture": np.array(mixture, float),
        "keys": list(features),
        "features": _table(list(features.values())),
        "others_seen": _others(features, seen),
        "pairs": [(a, b) for a, b, _ in pairs],
        "pair_numbers": _table([known for _, _, known in pairs]),
        "categorical": list(categories),
        # Of each such feature, the numbers of categories created, of numeric ones, and of those kept.
        "category_counts": [
            (created, numeric, len(items)) for created, numeric, items in categories.values()
        ],
        "categories": [text for _, _, items in categories.values() for text, _ in items],
        "category_numbers": _table(
            [numbers for _, _, items in categories.values() for _, numbers in items]
        ),
    }
    return {name: getattr(w, name) for name in EVIDENCE_ARGUMENTS}, state


def _put_evidence(parameters: Fields, state: Fields) -> Any:
    w = weights.EvidenceWeights(**parameters)
    new_numbers, new_mixture, _, new_seen, *_ = w.__getstate__()
    numbers = check_array("numbers", state["numbers"], len(new_numbers))
    mixture = check_array("mixture", state["mixture"], len(new_mixture))
    n_heads = (len(numbers) - 4) // 2
    table = _rows(state, "features", "keys", 6 + 4 * n_heads + 2 * w.n_bins)
    pair_table = _rows(state, "pair_numbers", "pairs", 3 + 2 * w.n_bins**2)
    # Compiled code computes places in its tables from these.
    n, mean, deviations, unit = table[:, :4].T
    counts = (n, deviations, table[:, 4:6], table[:, -2 * w.n_bins :], pair_table[:, 2:])
    fine = (
        all((count >= 0.0).all() for count in (*counts, numbers[:3]))
        and (n <= _MOST_INSTANCES).all()
        and (np.abs(mean) <= LARGEST_VALUE).all()
        and (unit > 0.0).all()
    )
    if not fine:
        raise ValueError("a count, mean or unit is out of range")
    seen, pairs = _seen(state["keys"], state["others_seen"]), state["pairs"]
    if type(seen) is not type(new_seen):
        raise TypeError("others_seen must be a list if the budget is a share below 1, else None")
    if len(distinct(pairs)) > w.max_pairs:
        raise ValueError(f"there must be at most max_pairs={w.max_pairs} pairs; got {len(pairs)}")
    if any(type(pair) is not tuple or len(set(pair)) != 2 for pair in pairs):
        raise ValueError("a pair must be a tuple of two features")
    known = [(a, b, row) for (a, b), row in zip(pairs, pair_table.tolist(), strict=True)]
    features = dict(zip(state["keys"], table.tolist(), strict=True))
    categories = _categories(state)
    w.__setstate__((numbers.tolist(), mixture.tolist(), features, seen, known, categories))
    return w


def _categories(state: Fields) -> dict[Any, Any]:
    """Return what is known of the categories of each feature; files of earlier versions have none."""
    if "categorical" not in state:
        return {}
    names, counts, texts = state["categorical"], state["category_counts"], state["categories"]
    table = _rows(state, "category_numbers", "categories", CATEGORY_WIDTH)
    fine = (
        all(type(row) is tuple and len(row) == 3 for row in counts)
        and all(type(n) is int for row in counts for n in row)
        and all(type(text) is str for text in texts)
        and sum(n for _, _, n in counts) == len(texts)
        and (table[:, :4] >= 0.0).all()
        and (table[:, :2] <= _MOST_INSTANCES).all()
    )
    if not fine:
        raise ValueError("the categories do not fit together")
    rows = zip(texts, table.tolist(), strict=True)
    result = {}
    for name, (created, numeric, n) in zip(distinct(names), counts, strict=True):
        items = list(itertools.islice(rows, n))
        distinct([text for text, _ in items])
        if not 0 <= n <= created <= _MOST_CATEGORIES or any(row[1] >= created for _, row in items):
            raise ValueError("the number of categories is out of range")
        result[name] = created, numeric, items
    return result


def _table(rows: list[list[float]]) -> Any:
    return np.array(rows, float) if rows else np.zeros((0, _NO_ROWS))


def _rows(state: Fields, name: str, keys: str, n_columns: int) -> Any:
    """Return a table that has a row for each key."""
    n_rows = len(state[keys])
    return check_array(name, state[name], n_rows, n_columns if n_rows else _NO_ROWS)


def _take_moments(moments: Any) -> tuple[Fields, Fields]:
    keys, *numbers = zip(*moments.__getstate__(), strict=True) if len(moments) else [()] * 4
    counts, means, spreads = (np.array(column, float) for column in numbers)
    return (
        {name: getattr(moments, name) for name in ("centred", "scaled", "budget")},
        {"keys": list(keys), "counts": counts, "means": means, "spreads": spreads},
    )


def _put_moments(parameters: Fields, state: Fields) -> Any:
    moments = weights.FeatureMoments(**parameters)
    n_rows = len(state["keys"])
    counts, means, spreads = (
        check_array(name, state[name], n_rows) for name in ("counts", "means", "spreads")
    )
    if (counts % 1.0).any():
        raise ValueError("counts must be whole numbers")
    columns = (counts.astype(int).tolist(), means.tolist(), spreads.tolist())
    moments.__setstate__(list(zip(distinct(state["keys"]), *columns, strict=True)))
    return moments


def _take_graph(graph: Any) -> tuple[Fields, Fields]:
    initial = graph.initial
    # The edges of new features are drawn with this seed, or looked up in this dict.
    return (
        {"source": None if initial is None else initial.args[0], "most_new": graph.most_new},
        {name: getattr(graph, name) for name in ("slots", "weights", "edges", "largest")},
    )


def _put_graph(parameters: Fields, state: Fields) -> Any:
    source = parameters["source"]
    if source is None:
        initial = None
    elif type(source) is dict:
        initial = feature_graph.initial_edges(source, 0)
    elif type(source) is int:
        initial = feature_graph.initial_edges("random", source)
    else:
        raise TypeError(f"source must be a dict, a seed or None; got {source!r:.100}")
    graph = feature_graph.FeatureGraph(initial, parameters["most_new"])
    graph.weights = check_array("weights", state["weights"], None)
    n = len(graph.weights)
    graph.edges = check_array("edges", state["edges"], n, n)
    graph.slots, graph.largest = state["slots"], float(state["largest"])
    slots = list(graph.slots.values())
    if len(set(slots)) < len(slots) or not all(type(i) is int and 0 <= i < n for i in slots):
        raise ValueError(f"slots must be different numbers from 0 to {n - 1}")
    return graph


WEIGHTS: dict[str, Codec] = {
    "river_trapezoid.weights.SparseWeights": Functions(
        weights.SparseWeights,
        _take_sparse,
        _put_sparse,
        [*("budget", "order", "scale", "power_sum", "drift"), *("keys", "values", "others_seen")],
    ),
    "river_trapezoid.weights.PassiveAggressive": Functions(
        weights.PassiveAggressive, _take_rule, _put_rule, RULE_ARGUMENTS
    ),
    "river_trapezoid.weights.EvidenceWeights": Functions(
        weights.EvidenceWeights,
        _take_evidence,
        _put_evidence,
        [
            *EVIDENCE_ARGUMENTS,
            *("numbers", "mixture", "keys", "features", "others_seen", "pairs", "pair_numbers"),
            *EVIDENCE_LATER,
        ],
        later=EVIDENCE_LATER,
    ),
    "river_trapezoid.weights.FeatureMoments": Functions(
        weights.FeatureMoments,
        _take_moments,
        _put_moments,
        [*("centred", "scaled", "budget"), *("keys", "counts", "means", "spreads")],
    ),
    "river_trapezoid.linear_model.FeatureGraph": Functions(
        feature_graph.FeatureGraph,
        _take_graph,
        _put_graph,
        ["source", "most_new", "slots", "weights", "edges", "largest"],
    ),
}
