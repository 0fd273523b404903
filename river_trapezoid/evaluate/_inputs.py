"""What a comparison is given, as dicts of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, TypeAlias

from river import base, datasets, utils
from river import metrics as river_metrics

from river_trapezoid._parameters import check_choice

from .hold_out import HoldOut

__all__ = ["Stream", "chosen", "length", "named_metrics", "named_models", "named_streams", "opened"]

Dataset: TypeAlias = Iterable[tuple[Any, Any]] | HoldOut
Stream: TypeAlias = Dataset | Callable[[int], Dataset]


def named_models(models: Any) -> dict[Any, base.Estimator]:
    """A model, models in a list, or a dict of them, by name."""
    if isinstance(models, base.Estimator | type):
        models = [models]
    if not isinstance(models, Mapping):
        models = _by_name("models", [(str(model), model) for model in models])
    for name, model in models.items():
        if not isinstance(model, base.Estimator):
            hint = "; give an instance of it" if isinstance(model, type) else ""
            raise TypeError(f"model {name!r} must be a River estimator; got {model!r}{hint}")
    return _not_empty("models", models)


def named_streams(streams: Any) -> dict[Any, Stream]:
    """A stream, streams in a list, or a dict of them, by name."""
    if not isinstance(streams, Mapping):
        several = (
            isinstance(streams, Sequence)
            and not isinstance(streams, HoldOut)
            and all(isinstance(s, datasets.base.Dataset | HoldOut) or callable(s) for s in streams)
        )
        members = streams if several else [streams]
        streams = _by_name("streams", [(_stream_name(stream), stream) for stream in members])
    for name, stream in streams.items():
        if not callable(stream):
            _check(name, stream)
        elif isinstance(stream, type):
            raise TypeError(f"stream {name!r} is a class; give an instance of it")
    return _not_empty("streams", streams)


def named_metrics(metrics: Any) -> dict[Any, Any]:
    """A metric, metrics in a list, or a dict of them, by name.

    A metric is named after its class and, where there are several of the class, the parameters in
    which they differ.
    """
    if isinstance(metrics, river_metrics.base.Metrics):
        metrics = list(metrics)
    elif isinstance(metrics, river_metrics.base.Metric | utils.Rolling | type):
        metrics = [metrics]
    if not isinstance(metrics, Mapping):
        for metric in metrics:
            if not isinstance(metric, river_metrics.base.Metric | utils.Rolling):
                hint = "; give an instance of it" if isinstance(metric, type) else ""
                raise TypeError(f"metrics must be River metrics; got {metric!r}{hint}")
        parameters = [(_metric_name(metric), _metric_parameters(metric)) for metric in metrics]
        names = []
        for name, own in parameters:
            others = [other for kind, other in parameters if kind == name]
            differing = [key for key in own if any(other.get(key) != own[key] for other in others)]
            described = ", ".join(f"{key}={own[key]!r}" for key in differing)
            names.append(f"{name}({described})" if described else name)
        metrics = _by_name("metrics", list(zip(names, metrics, strict=True)))
    for name, metric in metrics.items():
        if isinstance(metric, river_metrics.ConfusionMatrix | river_metrics.ClassificationReport):
            raise TypeError(f"metric {name!r} is a table, not a number")
    return _not_empty("metrics", metrics)


def chosen(kind: str, name: Any, names: Sequence[Any]) -> Any:
    """The model, stream or metric that is asked for: the first one where none is."""
    return check_choice(kind, names[0] if name is None else name, names)


def opened(name: Any, stream: Any, seed: int | None) -> Dataset:
    """The instances of a stream, for one run."""
    if not callable(stream):
        return stream
    dataset = stream(seed)
    _check(name, dataset, once=True)
    return dataset


def length(dataset: Iterable[Any]) -> int | None:
    """Number of instances, as far as a stream knows it."""
    n_samples = getattr(dataset, "n_samples", None)
    if n_samples is None and isinstance(dataset, Sized):
        return len(dataset)
    return n_samples


def _check(name: Any, dataset: Any, once: bool = False) -> None:
    """Refuse what cannot be iterated over, or has no end; or, unless `once`, only once."""
    if isinstance(dataset, HoldOut):
        for part in dataset:
            _check(name, part, once)
        return
    if isinstance(dataset, str | bytes | Mapping) or not isinstance(dataset, Iterable):
        raise TypeError(f"stream {name!r} must be an iterable of (x, y); got {dataset!r}")
    if isinstance(dataset, Iterator) and not once:
        raise ValueError(
            f"stream {name!r} can be iterated over only once; give a list, a River dataset, or a "
            "function that takes a seed and returns the stream anew"
        )
    if isinstance(dataset, datasets.base.SyntheticDataset) and dataset.n_samples is None:
        raise ValueError(
            f"stream {name!r} has no end; give a function that takes a seed and returns the first "
            f"instances: lambda seed: {type(dataset).__name__}(seed=seed).take(10_000)"
        )
    if isinstance(dataset, Sized) and not len(dataset):
        raise ValueError(f"stream {name!r} is empty")
    if isinstance(dataset, Sequence) and not (
        isinstance(dataset[0], Sequence) and len(dataset[0]) in (2, 3)
    ):
        raise TypeError(f"stream {name!r} must be an iterable of (x, y); it has {dataset[0]!r}")


def _stream_name(stream: Any) -> str:
    if isinstance(stream, datasets.base.Dataset):
        own = getattr(stream, "name", None)
        return own if isinstance(own, str) else type(stream).__name__
    name = getattr(stream, "__name__", "stream")
    return "stream" if name == "<lambda>" else name


def _metric_name(metric: Any) -> str:
    if isinstance(metric, utils.Rolling):
        return f"{type(metric).__name__}({type(metric.obj).__name__})"
    return type(metric).__name__


def _metric_parameters(metric: Any) -> dict[str, Any]:
    if isinstance(metric, utils.Rolling):
        return {"window_size": metric.window_size, **_metric_parameters(metric.obj)}
    # The confusion matrix holds data.
    return {key: value for key, value in metric._get_params().items() if key != "cm"}


def _by_name(kind: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(pairs)
    if len(named) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{kind} has {twice!r} twice; give a dict of names")
    return named


def _not_empty(kind: str, named: Mapping[Any, Any]) -> dict[Any, Any]:
    if not named:
        raise ValueError(f"{kind} must not be empty")
    return dict(named)
