"""Weights and graphs, which have ways of their own to give their state away and to take it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from river_trapezoid import weights
from river_trapezoid.linear_model import feature_graph
from river_trapezoid.weights.evidence import ARGUMENTS as EVIDENCE_ARGUMENTS
from river_trapezoid.weights.evidence import LARGEST_VALUE
from river_trapezoid.weights.passive_aggressive import ARGUMENTS as RULE_ARGUMENTS

from ._codecs import Fields, Functions
from ._columns import distinct
from ._values import Part

__all__ = ["WEIGHTS", "floats"]

# More instances than any feature is ever seen in; products with it stay within a float.
_MOST_INSTANCES = 1e100


def _take_sparse(w: Any) -> tuple[Fields, Fields]:
    scale, power_sum, drift, v, seen = w.__getstate__()
    values = np.fromiter(v.values(), np.float64, len(v))
    state = {"scale": scale, "power_sum": power_sum, "drift": drift}
    state.update(keys=list(v), values=values, others_seen=_beyond(v, seen))
    return {"budget": w.budget, "order": w.order}, state


def _put_sparse(parameters: Fields, state: Fields) -> Any:
    w = weights.SparseWeights(**parameters)
    for name in ("scale", "power_sum", "drift"):
        if type(state[name]) is not float:
            raise TypeError(f"its {name} is no number")
    seen = _seen(state["keys"], state["others_seen"])
    v = dict(zip(state["keys"], floats(state["values"], 1).tolist(), strict=True))
    w.__setstate__((state["scale"], state["power_sum"], state["drift"], v, seen))
    return w


def _beyond(known: dict[Any, Any], seen: list[Any] | None) -> list[Any] | None:
    """The features seen that nothing is known of."""
    if seen is None:
        return None
    others = [key for key in seen if key not in known]
    if len(known) + len(others) != len(seen):
        raise ValueError("something is known of features that have not been seen")
    return others


def _seen(keys: list[Any], others: list[Any] | None) -> list[Any] | None:
    """The features seen; an error if one of them is there twice."""
    seen = distinct(keys if others is None else keys + others)
    return None if others is None else seen


def _take_rule(rule: Any) -> tuple[Fields, Fields]:
    return {name: getattr(rule, name) for name in RULE_ARGUMENTS}, {}


def _put_rule(parameters: Fields, state: Fields) -> Any:
    if type(parameters["weights"]) is not weights.SparseWeights:
        raise TypeError("its weights are none")
    if not isinstance(parameters["rng"], random.Random | None):
        raise TypeError("its generator is none")
    if not np.isfinite(parameters["intercept"]):
        raise ValueError("its intercept is not finite")
    return weights.PassiveAggressive(**parameters)


def _take_evidence(w: Any) -> tuple[Fields, Fields]:
    numbers, mixture, features, seen, pairs = w.__getstate__()
    state = {
        "numbers": np.array(numbers, float),
        "mixture": np.array(mixture, float),
        "keys": list(features),
        "features": _table(list(features.values())),
        "others_seen": _beyond(features, seen),
        "pairs": [(a, b) for a, b, _ in pairs],
        "pair_numbers": _table([known for _, _, known in pairs]),
    }
    return {name: getattr(w, name) for name in EVIDENCE_ARGUMENTS}, state


def _put_evidence(parameters: Fields, state: Fields) -> Any:
    w = weights.EvidenceWeights(**parameters)
    numbers, mixture = floats(state["numbers"], 1), floats(state["mixture"], 1)
    table, pair_table = floats(state["features"], 2), floats(state["pair_numbers"], 2)
    # Compiled code looks for places in its tables by these.
    n, mean, deviations, unit = table[:, :4].T
    counts = (n, deviations, table[:, 4:6], table[:, -2 * w.n_bins :], pair_table[:, 2:])
    fine = (
        all((count >= 0.0).all() for count in (*counts, numbers[:3]))
        and (n <= _MOST_INSTANCES).all()
        and (np.abs(mean) <= LARGEST_VALUE).all()
        and (unit > 0.0).all()
    )
    if not fine:
        raise ValueError("a count is out of range")
    seen, pairs = _seen(state["keys"], state["others_seen"]), state["pairs"]
    *_, new_seen, _ = w.__getstate__()
    if type(seen) is not type(new_seen):
        raise TypeError("the features seen are not listed")
    if len(distinct(pairs)) > w.max_pairs:
        raise ValueError("there are too many pairs")
    if any(type(pair) is not tuple or len(set(pair)) != 2 for pair in pairs):
        raise ValueError("a pair is none")
    known = [(a, b, row) for (a, b), row in zip(pairs, pair_table.tolist(), strict=True)]
    features = dict(zip(state["keys"], table.tolist(), strict=True))
    w.__setstate__((numbers.tolist(), mixture.tolist(), features, seen, known))
    return w


def _table(rows: list[list[float]]) -> Any:
    return np.array(rows, float) if rows else np.zeros((0, 6))


def floats(array: Any, ndim: int) -> Any:
    """Raise an error unless it is an array of finite numbers; return it."""
    if type(array) is not np.ndarray or array.ndim != ndim or array.dtype != np.float64:
        raise TypeError("an array is none of numbers")
    if not np.isfinite(array).all():
        raise ValueError("a number is not finite")
    return array


def _take_moments(moments: Any) -> tuple[Fields, Fields]:
    keys, *numbers = zip(*moments.__getstate__(), strict=True) if len(moments) else [()] * 4
    counts, means, spreads = (np.array(column, float) for column in numbers)
    return (
        {name: getattr(moments, name) for name in ("centred", "scaled", "budget")},
        {"keys": list(keys), "counts": counts, "means": means, "spreads": spreads},
    )


def _put_moments(parameters: Fields, state: Fields) -> Any:
    moments = weights.FeatureMoments(**parameters)
    counts, means, spreads = (floats(state[name], 1) for name in ("counts", "means", "spreads"))
    if (counts % 1.0).any():
        raise ValueError("a count is no integer")
    columns = (counts.astype(int).tolist(), means.tolist(), spreads.tolist())
    moments.__setstate__(list(zip(distinct(state["keys"]), *columns, strict=True)))
    return moments


def _take_graph(graph: Any) -> tuple[Fields, Fields]:
    initial = graph.initial
    # What the edges of new features are drawn from, or looked up in.
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
        raise TypeError("its edges come from nowhere")
    graph = feature_graph.FeatureGraph(initial, parameters["most_new"])
    graph.weights, graph.edges = floats(state["weights"], 1), floats(state["edges"], 2)
    graph.slots, graph.largest = state["slots"], float(state["largest"])
    n = len(graph.weights)
    slots = set(graph.slots.values())
    if graph.edges.shape != (n, n) or len(slots) < len(graph.slots) or not slots <= set(range(n)):
        raise ValueError("its weights, edges and slots do not go together")
    return graph


WEIGHTS: dict[str, Part] = {
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
        ],
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
