from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from river import base, evaluate, metrics, utils

from river_trapezoid._files import write_file
from river_trapezoid._parameters import check_number

from ._errors import ModelFileError
from ._format import MAX_SIZE, Path
from ._models import check_loads, dumps, load
from ._registry import codec_of, register

__all__ = ["Checkpoint"]


@dataclass
class Run:
    """The state of a run over a stream."""

    _TAG: ClassVar[str] = "river_trapezoid.persist.Run"

    model: Any
    metric: Any
    # The model and the metric at the start, as they describe themselves.
    started_with: str
    position: int = 0
    # Labels that an active learner has received.
    n_labels: int = 0
    extra: dict[str, Any] = field(default_factory=dict)
    # The states of the generators that `random` and `numpy.random` draw from.
    python_random: random.Random | None = None
    numpy_random: np.random.RandomState | None = None

    def _check_state(self) -> None:
        """Raise an error unless the attributes, which come from a file, are those of a run."""
        for name, kind in (
            ("model", base.Estimator),
            ("metric", metrics.base.Metric | utils.Rolling | None),
            ("started_with", str),
            ("extra", dict),
            ("python_random", random.Random | None),
            ("numpy_random", np.random.RandomState | None),
        ):
            if not isinstance(getattr(self, name), kind):
                raise TypeError(f"{name} must be {kind}; got {getattr(self, name)!r:.100}")
        for name in ("position", "n_labels"):
            check_number(name, getattr(self, name), integer=True, at_least=0)


register(Run._TAG, codec_of(Run))


class Checkpoint:
    """A run over a stream that can be killed at any time and resumed.

    The model, the metric, the position in the stream and the states of the random generators are
    saved during the run. If the file exists at the start, the run resumes from it and has the same
    result as a run without interruption, to the last bit: the instances after the last save are
    learned again in the same way.

    The stream must be the same one again; its instances before the position are skipped. A stream
    that can itself begin at the position is given with `from_start=False`.

    One process at a time may use a file.

    Parameters
    ----------
    path
        The file, exactly as given.
    model
        The model to start with. If the file exists, its run must have started with the same model,
        and `checkpoint.model` is the one that has learned.
    metric
        The metric to start with, or None.
    every
        The number of instances between two saves; None for no limit.
    seconds
        The number of seconds between two saves; None for no limit.
    extra
        Further values to save, by name, such as your own random generators.
    max_size
        As in `load`.
    verify
        As in `save`, each time that the run is saved.

    Attributes
    ----------
    model
        The model. Use this one, not the argument, which has learned nothing if the run resumes.
    metric
        The metric. Use this one as well.
    extra
        The further values. Use these as well.
    position
        Number of instances that the model has finished.

    Examples
    --------

    >>> import pathlib, tempfile
    >>> from river import datasets, evaluate, metrics
    >>> from river_trapezoid import linear_model, persist, preprocessing

    >>> def run(path, dataset):
    ...     model = preprocessing.StandardScaler() | linear_model.OLSFClassifier()
    ...     checkpoint = persist.Checkpoint(path, model, metrics.Accuracy(), every=100)
    ...     for report in checkpoint.iter_progressive_val_score(dataset, step=500):
    ...         print(report)
    ...     return checkpoint

    The first run ends after 720 instances, and the second one resumes there:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "phishing.checkpoint")
    ...     _ = run(path, datasets.Phishing().take(720))
    ...     checkpoint = run(path, datasets.Phishing())
    {'Accuracy': Accuracy: 83.80%, 'Step': 500}
    {'Accuracy': Accuracy: 85.28%, 'Step': 720}
    {'Accuracy': Accuracy: 85.70%, 'Step': 1000}
    {'Accuracy': Accuracy: 86.64%, 'Step': 1250}

    In your own loop, or with River's functions, the stream saves the run: a request for the next
    instance means that the model has finished the one before.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "phishing.checkpoint")
    ...     model = linear_model.EvidenceClassifier()
    ...     checkpoint = persist.Checkpoint(path, model, metrics.Accuracy(), seconds=60)
    ...     evaluate.progressive_val_score(
    ...         checkpoint.stream(datasets.Phishing()), checkpoint.model, checkpoint.metric
    ...     )
    Accuracy: 91.68%

    """

    def __init__(
        self,
        path: Path,
        model: Any,
        metric: Any = None,
        every: int | None = 1000,
        seconds: float | None = None,
        extra: dict[str, Any] | None = None,
        max_size: int = MAX_SIZE,
        verify: bool = True,
    ):
        check_number("every", every, integer=True, at_least=1, optional=True)
        check_number("seconds", seconds, at_least=0, optional=True)
        if every is None and seconds is None:
            raise ValueError("every and seconds must not both be None")
        self.path = path
        self.every = every
        self.seconds = seconds
        self.max_size = max_size
        self.verify = verify
        started_with = f"{model!r}, {type(metric).__name__}"
        self._run = Run(model, metric, started_with, extra={} if extra is None else extra)
        self._resumed = os.path.exists(path)
        if self._resumed:
            run = load(path, max_size)
            if type(run) is not Run:
                raise ModelFileError(f"{os.fspath(path)!r} is not a checkpoint, but a model file")
            if run.started_with != started_with:
                raise ValueError(
                    f"model and metric must be those that {os.fspath(path)!r} was started with, "
                    f"{run.started_with}; got {started_with}"
                )
            self._run = run
        self._saved_at = time.monotonic()

    @property
    def model(self) -> Any:
        """The model."""
        return self._run.model

    @property
    def metric(self) -> Any:
        """The metric."""
        return self._run.metric

    @property
    def extra(self) -> dict[str, Any]:
        """Further values that are saved."""
        return self._run.extra

    @property
    def position(self) -> int:
        """Number of instances that the model has finished."""
        return self._run.position

    def save(self) -> None:
        """Save the run. Call it only between two instances."""
        run = self._run
        run.python_random = random.Random(0)
        run.python_random.setstate(random.getstate())
        run.numpy_random = np.random.RandomState(0)
        run.numpy_random.set_state(np.random.get_state())  # noqa: NPY002
        data = dumps(run)
        if self.verify:
            check_loads(data, self.max_size)
        write_file(self.path, [data])
        self._saved_at = time.monotonic()

    def stream(self, dataset: Iterable[Any], from_start: bool = True) -> Iterator[Any]:
        """Yield the remaining instances, and save between them.

        Model and metric must have finished an instance before the next one is requested. River's
        `progressive_val_score` and `iter_progressive_val_score` do so unless labels are delayed; an
        interruption would lose delayed labels.

        Parameters
        ----------
        dataset
            The stream.
        from_start
            Whether the stream begins with its first instance. If not, it begins at `position`.

        """
        instances = iter(dataset)
        run = self._run
        if from_start:
            n_skipped = sum(1 for _ in itertools.islice(instances, run.position))
            if n_skipped < run.position:
                raise ValueError(
                    f"dataset must have the {run.position} instances that the checkpoint has "
                    f"finished; got {n_skipped}"
                )
        if self._resumed:
            self._resumed = False
            # After the stream has started, as it may draw from them itself.
            if run.python_random is not None:
                random.setstate(run.python_random.getstate())
            if run.numpy_random is not None:
                np.random.set_state(run.numpy_random.get_state())  # noqa: NPY002
        for instance in instances:
            yield instance
            run.position += 1
            if self._is_due():
                self.save()
        self.save()

    def _is_due(self) -> bool:
        if self.every is not None and self._run.position % self.every == 0:
            return True
        return self.seconds is not None and time.monotonic() - self._saved_at >= self.seconds

    def iter_progressive_val_score(
        self,
        dataset: Iterable[Any],
        step: int = 1,
        yield_predictions: bool = False,
        from_start: bool = True,
    ) -> Iterator[dict[str, Any]]:
        """Run River's `evaluate.iter_progressive_val_score`, save, and resume.

        Reports come at the same steps as without interruption. The reports between the last save
        and the interruption are repeated.

        Parameters
        ----------
        dataset
            The stream.
        step
            The number of instances between two reports. The last report comes at the end.
        yield_predictions
            Whether reports include the prediction.
        from_start
            As in `stream`.

        """
        check_number("step", step, integer=True, at_least=1)
        run, report = self._run, None
        offset, n_labels = run.position, run.n_labels
        for report in evaluate.iter_progressive_val_score(
            self.stream(dataset, from_start),
            self.model,
            self.metric,
            yield_predictions=yield_predictions,
        ):
            report["Step"] += offset
            if "Samples used" in report:
                report["Samples used"] = run.n_labels = n_labels + report["Samples used"]
            if report["Step"] % step == 0:
                yield report
        if report is not None and report["Step"] % step and report["Step"] > step:
            yield {**report, "Prediction": None} if yield_predictions else report
