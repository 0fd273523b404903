"""The protocols of jobs: those of the papers, with our learners, and those of their runs."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from river import linear_model as river_linear_model
from river import metrics, optim
from river import preprocessing as river_preprocessing

from benchmarks.papers.bounds import hindsight_comparator, olsf_bound
from river_trapezoid import (
    active,
    evaluate,
    linear_model,
    preprocessing,
    semi_supervised,
    stream,
)
from river_trapezoid.metrics import Errors

from .data import arrays, order, rows, source, table
from .offline import cross_validated
from .published_code import as_run
from .systems import wrapped

if TYPE_CHECKING:
    from .job import Job

__all__ = ["N_POINTS", "PROTOCOLS"]

# The number of points of the curve of a run.
N_POINTS = 20
TEST_SHARE = 0.2
# The largest loss of an instance, in bits, so that a wrong and confident prediction hides no other.
MOST_LOSS = 50.0


def by_the_text(job: Job) -> dict[str, Any]:
    """Errors of a learner on a trapezoidal stream; a margin of zero counts as an error."""
    trapezoid = _trapezoid(job)
    comparison = evaluate.compare(
        _model(job),
        {"stream": lambda seed: trapezoid},
        Errors(zero_margin=True),
        seed=job.seed,
        n_points=N_POINTS,
        progress=False,
    )
    curve = [int(record["value"]) for record in comparison.records]
    return {"errors": curve[-1], "n_samples": trapezoid.n_samples, "curve": curve}


def as_it_was_run(job: Job) -> dict[str, Any]:
    """Errors of the published code, as far as it is known."""
    _, X, y = table(job.data)
    wrong = as_run(X, y, order(job.data, job.seed), seed=job.seed, **job.stream, **job.params)
    n_wrong = np.cumsum(wrong)
    return {"errors": int(n_wrong[-1]), "n_samples": len(y), "curve": _at_points(n_wrong)}


def by_the_theory(job: Job) -> dict[str, Any]:
    """The bound on the errors of a learner on a trapezoidal stream."""
    trapezoid, mode, C = _trapezoid(job), job.params["mode"], job.params["C"]
    u = hindsight_comparator(trapezoid, mode, C)
    bound = olsf_bound(mode, u.norm, u.losses, u.R, C)
    # Where minimisers differ in their last digits, what is stored should not.
    curve = [float(f"{value:.6g}") for value in _at_points(bound)]
    return {"bound": curve[-1], "n_samples": trapezoid.n_samples, "curve": curve}


def on_held_out(job: Job) -> dict[str, Any]:
    """Scores, on a test set, of a learner that queries a share of the labels of a stream.

    As in print, `AUC` is that of predicted labels, which is balanced accuracy; `score_auc` is that
    of the scores.
    """
    setup = job.stream
    instances = rows(job.data)
    if "outer" in setup:
        # To choose parameters by: the instances to train on of another run, divided again.
        instances = list(evaluate.split(instances, TEST_SHARE, seed=setup["outer"]).train)
    train, test = evaluate.split(instances, TEST_SHARE, seed=job.seed)
    features: list[Any] = list(table(job.data).features)
    if setup.get("copies"):
        train, test = (
            stream.Redundant(part, setup["copies"], features=features) for part in (train, test)
        )
        features = train.features
    trapezoid = list(stream.Trapezoidal(train, shares=setup["shares"], features=features))
    if setup.get("one_label"):
        # The first instance with all features.
        trapezoid = trapezoid[-(len(trapezoid) // len(setup["shares"])) :][:1]
    learner = _model(job)
    if setup.get("restarted"):
        learner = wrapped("FLLS-I_SN", learner)
    share = setup["query"]
    if setup["sampler"] == "margin":
        rho = _rho(learner, trapezoid, share, job.seed)
        model: Any = active.MarginSampler(learner, rho, seed=job.seed)
    else:
        model = active.RandomSampler(learner, share, exact=True, seed=job.seed)
    score = evaluate.hold_out_score(model, trapezoid, test)
    return {
        "AUC": score["balanced_accuracy"],
        "score_auc": score["roc_auc"],
        "accuracy": score["accuracy"],
        "query_percent": 100 * score["labels_used"],
        "n_samples": len(instances),
    }


def by_chunks(job: Job) -> dict[str, Any]:
    """Accuracy on each chunk of a model of the chunk before, with few labels."""
    setup, chunk = job.stream, job.stream["chunk"]
    by_chunk = hasattr(semi_supervised, job.system)
    if by_chunk:
        learner = getattr(semi_supervised, job.system)(chunk, **job.params)
        if hasattr(learner, "seed"):
            learner = learner.clone({"seed": job.seed})
    else:
        learner = _learner(job)
    model: Any = semi_supervised.ScarceLabels(
        learner, setup["labels"], pass_unlabelled=by_chunk, exact=True, seed=job.seed
    )
    if setup.get("scaled"):
        # Around what hides labels, as a scaler needs none.
        model = preprocessing.StandardScaler() | model
    accuracies = evaluate.chunk_val_score(_drifting(job), model, metrics.Accuracy(), chunk)
    return {
        "accuracy": float(np.mean(accuracies)),
        "n_samples": chunk * (len(accuracies) + 1),
        "chunks": [round(accuracy, 6) for accuracy in accuracies],
    }


def progressively(job: Job) -> dict[str, Any]:
    """Accuracy on a stream whose features come and go, behind a scaler unless they are words.

    The curve is that of the cumulative logistic loss, in bits. A run that overflows has diverged: it
    ends there, `diverged_at` is the number of its rows, and the others count as wrong.
    """
    setup = job.stream
    instances = rows(job.data)
    positions = order(job.data, job.seed)[: setup.get("n_rows")]
    data = [instances[i] for i in positions]
    features = list(source(job.data).features)
    shown: Any = {
        "capricious": lambda: stream.Capricious(data, seed=job.seed),
        "evolvable": lambda: stream.Evolvable(data, features=features, shuffle=True, seed=job.seed),
        "trapezoidal": lambda: stream.Trapezoidal(data, features=features),
    }[setup["kind"]]()
    model = _learner(job)
    if setup.get("scaled", job.data.form != "sparse"):
        model = preprocessing.StandardScaler() | model
    right, losses = 0, np.full(len(data), MOST_LOSS)
    diverged = {}
    for t, (x, y) in enumerate(shown):
        try:
            if setup.get("after"):
                model.learn_one(x, y)
            right += model.predict_one(x) == y
            losses[t] = min(-math.log2(max(model.predict_proba_one(x)[y], 1e-300)), MOST_LOSS)
            if not setup.get("after"):
                model.learn_one(x, y)
        except OverflowError:
            diverged = {"diverged_at": t + 1}
            break
    return {
        "accuracy": right / len(data),
        "n_samples": len(data),
        "curve": [round(loss, 6) for loss in _at_points(np.cumsum(losses))],
        **diverged,
    }


def at_once(job: Job) -> dict[str, Any]:
    """Scores of a linear model with all features and labels, by cross-validation.

    A stream in chunks is scored within each chunk but the first, on which no other is tested.
    """
    setup = job.stream
    if "chunk" in setup:
        X, y = arrays(list(_drifting(job)), job.data)
        size = setup["chunk"]
        starts = range(size, len(y) - size + 1, size)
        chunks = [
            float(
                np.mean(
                    cross_validated(X[i : i + size], y[i : i + size], job.seed) == y[i : i + size]
                )
            )
            for i in starts
        ]
        return {
            "accuracy": float(np.mean(chunks)),
            "n_samples": size * (len(chunks) + 1),
            "chunks": [round(accuracy, 6) for accuracy in chunks],
        }
    instances = rows(job.data)
    positions = order(job.data, job.seed)[: setup.get("n_rows")]
    X, y = arrays([instances[i] for i in positions], job.data)
    right = cross_validated(X, y, job.seed) == y
    balanced = float(np.mean([right[y == label].mean() for label in (-1.0, 1.0)]))
    return {
        "errors": int((~right).sum()),
        "accuracy": float(right.mean()),
        "AUC": balanced,
        "balanced_accuracy": 100 * balanced,
        "n_samples": len(y),
    }


def _drifting(job: Job) -> Any:
    """The data set, with the drift of the job if it has one."""
    setup, dataset = job.stream, source(job.data)
    if "drift" not in setup:
        return dataset
    n_samples = (setup["n_chunks"] + 1) * setup["chunk"]
    return type(dataset)(
        drift=setup["drift"], chunk_size=setup["chunk"], n_samples=n_samples, seed=job.seed
    )


def _model(job: Job) -> Any:
    learner = _learner(job)
    return preprocessing.StandardScaler() | learner if job.stream.get("scaled") else learner


def _learner(job: Job) -> Any:
    if job.system == "OCO":
        # Online gradient descent of the logistic loss in bits, as in FESL.
        rate = optim.schedulers.InverseScaling(1.0 / math.log(2.0))
        return river_linear_model.LogisticRegression(optim.SGD(rate), intercept_lr=0.0)
    rooms = (linear_model, river_linear_model)
    learner = next(getattr(room, job.system) for room in rooms if hasattr(room, job.system))
    return learner(**job.params)


def on_haphazard_inputs(job: Job) -> dict[str, Any]:
    """Balanced accuracy, in per cent, on rows in random order whose values are absent by chance.

    Without `p`, the data have gaps of their own.
    """
    model = _learner(job)
    if job.stream.get("scaled"):
        model = river_preprocessing.StandardScaler() | model
    inputs: stream.base.StreamTransform = stream.Shuffled(rows(job.data), seed=job.seed)
    if "p" in job.stream:
        inputs = stream.Haphazard(inputs, job.stream["p"], seed=job.seed)
    comparison = evaluate.compare(
        model,
        {"stream": lambda seed: inputs},
        metrics.BalancedAccuracy(),
        seed=job.seed,
        progress=False,
    )
    (record,) = comparison.records
    return {"balanced_accuracy": 100 * record["value"], "n_samples": record["step"]}


def _rho(learner: Any, instances: list[Any], share: float, seed: int) -> float:
    """The ρ that queries a share of the labels, as closely as the draws of a short stream allow."""
    for tolerance in (0.005, 0.01, 0.02):
        with contextlib.suppress(ValueError):
            return active.find_rho(learner, instances, share, tolerance, seed)
    return active.find_rho(learner, instances, share, 0.05, seed)


def _trapezoid(job: Job) -> stream.Trapezoidal:
    return stream.Trapezoidal(
        stream.Shuffled(rows(job.data), permutation=order(job.data, job.seed)),
        shares=job.stream["shares"],
        features=table(job.data).features,
    )


def _at_points(values: npt.NDArray[Any]) -> list[Any]:
    points = [round((i + 1) * len(values) / N_POINTS) - 1 for i in range(N_POINTS)]
    return values[points].tolist()


# The protocols, each with its version. A change of its results must raise it.
PROTOCOLS = {
    "text": (by_the_text, 1),
    "as-run": (as_it_was_run, 1),
    "bound": (by_the_theory, 1),
    "hold-out": (on_held_out, 2),
    "chunks": (by_chunks, 1),
    "progressive": (progressively, 2),
    "haphazard": (on_haphazard_inputs, 1),
    "offline": (at_once, 1),
}
