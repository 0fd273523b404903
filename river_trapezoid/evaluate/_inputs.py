"""The models, streams and metrics of a comparison, as dicts by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, TypeAlias

from river import base, datasets, utils
from river import metrics as river_metrics

from river_trapezoid._parameters import check_choice

from .hold_out import HoldOut, Instances

__all__ = ["Stream", "chosen", "length", "named_metrics", "named_models", "named_streams", "opened"]

Dataset: TypeAlias = Instances | HoldOut
Stream: TypeAlias = Dataset | Callable[[int], Dataset]


def named_models(models: Any) -> dict[Any, base.Estimator]:
    """Return models by name, given a model, a list of models or a dict."""
    if isinstance(models, base.Estimator | str) or not isinstance(models, Iterable):
        models = [models]
    if not isinstance(models, Mapping):
        models = _by_name("models", [(str(model), model) for model in models])
    for name, model in models.items():
        if not isinstance(model, base.Estimator):
            kind = "the class " if isinstance(model, type) else ""
            raise TypeError(
                f"model {name!r} must be an instance of a River estimator; got {kind}{model!r}"
            )
    return _not_empty("models", models)


def named_streams(streams: Any) -> dict[Any, Stream]:
    """Return streams by name, given a stream, a list of streams or a dict."""
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
            raise TypeError(f"stream {name!r} must be an instance; got the class {stream!r}")
    return _not_empty("streams", streams)


def named_metrics(metrics: Any) -> dict[Any, Any]:
    """Return metrics by name, given a metric, a list of metrics or a dict.

    A metric is named after its class. Several metrics of one class are named with the parameters
    that differ.
    """
    if isinstance(metrics, river_metrics.base.Metrics):
        metrics = list(metrics)
    elif isinstance(metrics, str) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    if not isinstance(metrics, Mapping):
        for metric in metrics:
            if not isinstance(metric, river_metrics.base.Metric | utils.Rolling):
                kind = "the class " if isinstance(metric, type) else ""
                raise TypeError(f"metrics must be instances of River metrics; got {kind}{metric!r}")
        parameters = [(_metric_name(metric), _metric_parameters(metric)) for metric in metrics]
        names = []
        for name, values in parameters:
            others = [other for kind, other in parameters if kind == name]
            differing = [k for k in values if any(other.get(k) != values[k] for other in others)]
            described = ", ".join(f"{key}={values[key]!r}" for key in differing)
            names.append(f"{name}({described})" if described else name)
        metrics = _by_name("metrics", list(zip(names, metrics, strict=True)))
    for name, metric in metrics.items():
        if isinstance(metric, river_metrics.ConfusionMatrix | river_metrics.ClassificationReport):
            raise TypeError(
                f"metric {name!r} must be a single number; got {metric.__class__.__name__}"
            )
    return _not_empty("metrics", metrics)


def chosen(kind: str, name: Any, names: Sequence[Any]) -> Any:
    """Return the name of a model, stream or metric; by default, the first one."""
    return check_choice(kind, names[0] if name is None else name, names)


def opened(name: Any, stream: Any, seed: int | None) -> Dataset:
    """Return the instances of a stream for one run."""
    if not callable(stream):
        return stream
    dataset = stream(seed)
    _check(name, dataset, once=True)
    return dataset


def length(dataset: Iterable[Any]) -> int | None:
    """Return the number of instances, or None if the stream does not provide it."""
    n_samples = getattr(dataset, "n_samples", None)
    if n_samples is None and isinstance(dataset, Sized):
        return len(dataset)
    return n_samples


def _check(name: Any, dataset: Any, once: bool = False) -> None:
    """Raise an error unless a stream is finite and, unless `once`, can be read several times."""
    if isinstance(dataset, HoldOut):
        for instances in dataset:
            _check(name, instances, once)
        return
    if isinstance(dataset, str | bytes | Mapping) or not isinstance(dataset, Iterable):
        raise TypeError(f"stream {name!r} must be an iterable of (x, y); got {dataset!r}")
    if isinstance(dataset, Iterator) and not once:
        raise ValueError(
            f"stream {name!r} must be readable several times; got a {type(dataset).__name__}. Pass "
            "a list, a River dataset, or a function that takes a seed and returns a new stream"
        )
    if isinstance(dataset, datasets.base.SyntheticDataset) and dataset.n_samples is None:
        raise ValueError(
            f"stream {name!r} must be finite; got an infinite generator. Pass a function that takes "
            "a seed and returns the first instances: "
            f"lambda seed: {type(dataset).__name__}(seed=seed).take(10_000)"
        )
    if isinstance(dataset, Sized) and not len(dataset):
        raise ValueError(f"stream {name!r} must have instances; got an empty one")
    if isinstance(dataset, Sequence) and not (
        isinstance(dataset[0], Sequence) and len(dataset[0]) in (2, 3)
    ):
        raise TypeError(
            f"stream {name!r} must be an iterable of (x, y); got {dataset[0]!r} as first item"
        )


def _stream_name(stream: Any) -> str:
    if isinstance(stream, datasets.base.Dataset):
        given = getattr(stream, "name", None)
        return given if isinstance(given, str) else type(stream).__name__
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
        raise ValueError(
            f"{kind} must have distinct names; got {twice!r} twice. Pass a dict by name"
        )
    return named


def _not_empty(kind: str, named: Mapping[Any, Any]) -> dict[Any, Any]:
    if not named:
        raise ValueError(f"{kind} must not be empty")
    return dict(named)
