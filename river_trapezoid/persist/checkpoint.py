from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from river import evaluate

from river_trapezoid._files import write_file
from river_trapezoid._parameters import check_number

from ._errors import ModelFileError
from ._format import MAX_SIZE, Path
from ._models import check_loads, dumps, load
from ._run import Run

__all__ = ["Checkpoint"]


class Checkpoint:
    """A run over a stream that may be killed at any time, and goes on from where it was.

    Model, metric, position in the stream and the state of the random generators are saved as the
    run goes, each time in a file that is whole. Where that file is there at the beginning, the run
    goes on from it, and comes to the same end as if it had not been interrupted, to the last bit:
    what came after the last save is done again in the same way.

    The stream has to be the same one again, and is gone through up to the position without
    learning. One that can begin there by itself is given with `from_start=False`.

    One process at a time may use a file.

    Parameters
    ----------
    path
        The file, exactly as given.
    model
        The model to begin with, if there is no such file. If there is, it has to have been started
        with the same model, and `checkpoint.model` is the one that has learned.
    metric
        The metric to begin with; None for none.
    every
        Save after so many instances; None not to count them.
    seconds
        Save after so many seconds; None not to look at the clock.
    extra
        Further values to save, by name, such as generators of one's own.
    max_size
        As in `load`.
    verify
        As in `save`, each time that the run is saved.

    Attributes
    ----------
    model
        The model. It is this one that has to be used, not the one that was given.
    metric
        The metric, likewise.
    extra
        The further values, likewise.
    position
        Number of instances that are done with.

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

    The first run sees the beginning of the stream only, and the second goes on:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "phishing.checkpoint")
    ...     _ = run(path, datasets.Phishing().take(720))
    ...     checkpoint = run(path, datasets.Phishing())
    {'Accuracy': Accuracy: 83.80%, 'Step': 500}
    {'Accuracy': Accuracy: 85.28%, 'Step': 720}
    {'Accuracy': Accuracy: 85.70%, 'Step': 1000}
    {'Accuracy': Accuracy: 86.64%, 'Step': 1250}

    In a loop of one's own, or around River's functions, the stream is what saves: when it is asked
    for the next instance, the one before is done with.

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
                raise ModelFileError(f"{os.fspath(path)!r} is a model, and no checkpoint")
            if run.started_with != started_with:
                raise ValueError(
                    f"{os.fspath(path)!r} is of a run that started with another model or metric: "
                    f"{run.started_with}"
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
        """Number of instances that are done with."""
        return self._run.position

    def save(self) -> None:
        """Save now, which is right only between two instances."""
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
        """The instances that are left, with saves between them.

        When the next instance is asked for, model and metric have to be done with the one before.
        River's `progressive_val_score` and `iter_progressive_val_score` are, as long as labels come
        without delay. Those that are delayed would be lost.

        Parameters
        ----------
        dataset
            The stream.
        from_start
            Whether it begins with the first instance of all; if not, with the one at `position`.

        """
        instances = iter(dataset)
        run = self._run
        if from_start:
            n_skipped = sum(1 for _ in itertools.islice(instances, run.position))
            if n_skipped < run.position:
                raise ValueError(
                    f"the stream ends after {n_skipped} instances, and the checkpoint is at "
                    f"{run.position}; is it the same one?"
                )
        if self._resumed:
            self._resumed = False
            # Last, as the stream itself may have drawn from them.
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
        """River's `evaluate.iter_progressive_val_score`, with saves, and steps that go on.

        Reports come at the same steps as without interruption. Those between the last save and the
        interruption come again.

        Parameters
        ----------
        dataset
            The stream.
        step
            Report each time after so many instances, and at the end.
        yield_predictions
            Whether reports have the prediction.
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
