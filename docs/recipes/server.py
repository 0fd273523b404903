"""A model that predicts and learns over HTTP: `python server.py --model plant.model --folder state`."""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import logging
import math
import pathlib
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from river import metrics
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from river_trapezoid import active, persist
from river_trapezoid.labelling.journal import Journal, JournalError

log = logging.getLogger("uvicorn.error")


class ServedModel:
    """A model with its lock, and a folder that stores every acknowledged request.

    Each prediction and each label is an entry of a journal, and is on the disk before it has any
    effect. A checkpoint is the state after a number of entries. The journal that continues it has
    this number in its name, so no entry is in both, whenever the process is killed.

    Parameters
    ----------
    model
        A classifier, or a sampler of `river_trapezoid.active`. If the folder has a checkpoint, the
        model of the checkpoint is used instead.
    folder
        The folder of the checkpoint and the journal.
    remember
        Number of instances remembered by their ids. Beyond it, the oldest instance is dropped, even
        if its label has not arrived.
    keep_journals
        Whether to keep the journals before the last checkpoint.

    """

    def __init__(
        self, model: Any, folder: pathlib.Path, remember: int = 10_000, keep_journals: bool = False
    ):
        self.lock = threading.Lock()
        self.folder = folder
        self.remember = remember
        self.keep_journals = keep_journals
        folder.mkdir(parents=True, exist_ok=True)
        queue = active.LabelQueue(
            model, max_waiting=remember, max_age=remember - 1, max_remembered=0
        )
        begun = (folder / "checkpoint").exists()
        self._checkpoint = persist.Checkpoint(
            folder / "checkpoint",
            model,
            metrics.Accuracy(),
            extra={"queue": queue, "answers": {}, "n_entries": 0, "n_predictions": 0},
        )
        self.metric = self._checkpoint.metric
        self.state = self._checkpoint.extra
        self.queue: active.LabelQueue = self.state["queue"]
        self.answers: dict[str, Any] = self.state["answers"]
        self.journal = self._journal()
        if not begun:
            self._checkpoint.save()
        for entry in self.journal.entries:
            # Requests that were rejected before are rejected again.
            with contextlib.suppress(Exception):
                self._apply(entry)
        self._remove_journals()

    def predict(self, key: str, features: dict[str, Any]) -> dict[str, Any]:
        """Predict, or return the previous prediction for this id."""
        with self.lock:
            if key not in self.answers:
                self._record({"id": key, "features": features})
            return dict(zip(("prediction", "probabilities", "ask"), self.answers[key], strict=True))

    def learn(self, key: str, label: Any) -> bool:
        """Learn a label unless it was learned before or was not queried; return whether."""
        with self.lock:
            if key not in self.answers:
                raise HTTPException(404, f"id must be that of a prediction; got {key!r}")
            if key not in self.queue:
                return False
            self._record({"id": key, "label": label})
            return True

    def save(self) -> None:
        """Write a checkpoint, and start a new journal."""
        with self.lock:
            if not self.journal.entries:
                return
            # Created before the checkpoint, so that every entry has a checkpoint to continue.
            journal = self._journal()
            self._checkpoint.save()
            self.journal = journal
            self._remove_journals()

    def measures(self) -> dict[str, float]:
        """Return the values of `/metrics`, by name."""
        with self.lock:
            return {
                "predictions_total": self.state["n_predictions"],
                "labels_learned_total": self.queue.n_learned,
                "instances_dropped_total": self.queue.n_dropped,
                "instances_waiting": self.queue.n_waiting,
                "accuracy": self.metric.get(),
            }

    def _record(self, entry: dict[str, Any]) -> None:
        self.journal.append(entry)
        self._apply(entry)

    def _apply(self, entry: dict[str, Any]) -> None:
        self.state["n_entries"] += 1
        key = entry["id"]
        if "features" in entry:
            self.answers[key] = self.queue.decide_one(key, entry["features"])
            self.state["n_predictions"] += 1
            if len(self.answers) > self.remember:
                del self.answers[next(iter(self.answers))]
        else:
            self.queue.learn_one(key, entry["label"])
            predicted = self.answers[key][0]
            if predicted is not None:
                self.metric.update(entry["label"], predicted)

    def _journal(self) -> Journal:
        n = self.state["n_entries"]
        journal = Journal(self.folder / f"journal-{n:012}.jsonl", {"entries before": n})
        journal.begin()
        return journal

    def _remove_journals(self) -> None:
        for path in self.folder.glob("journal-*.jsonl"):
            if path != self.journal.path and not self.keep_journals:
                path.unlink()


def make_app(served: ServedModel, seconds: float = 60.0, max_bytes: int = 1_000_000) -> Starlette:
    """Return the application, with periodic checkpoints."""
    n_requests: collections.Counter[str] = collections.Counter()
    latency: collections.Counter[str] = collections.Counter()

    async def post(request: Request) -> Response:
        start = time.perf_counter()
        path = request.url.path
        try:
            body = await _read(request, max_bytes)
            key = body["id"]
            if path == "/predict":
                answer = await run_in_threadpool(served.predict, key, _features(body))
            else:
                learned = await run_in_threadpool(served.learn, key, _label(body))
                answer = {"learned": learned}
        except (OSError, JournalError) as error:
            raise HTTPException(503, f"the journal cannot be written: {error}") from error
        except (TypeError, ValueError, ArithmeticError) as error:
            # An error of the model, which names the feature.
            raise HTTPException(400, str(error)) from error
        finally:
            n_requests[path] += 1
            latency[path] += time.perf_counter() - start
        return _json({"id": key, **answer})

    async def exposition(request: Request) -> Response:
        lines = []
        for name, value in (await run_in_threadpool(served.measures)).items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# TYPE model_{name} {kind}", f"model_{name} {value}"]
        lines.append("# TYPE model_request_seconds summary")
        for path in sorted(n_requests):
            lines.append(f'model_request_seconds_sum{{path="{path}"}} {latency[path]}')
            lines.append(f'model_request_seconds_count{{path="{path}"}} {n_requests[path]}')
        return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")

    async def health(request: Request) -> Response:
        return _json({"status": "ok"})

    async def save_periodically() -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await run_in_threadpool(served.save)
            except OSError as error:
                # The journal has all entries, and the next attempt may succeed.
                log.error("the checkpoint cannot be written: %s", error)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        saving = asyncio.create_task(save_periodically())
        yield
        saving.cancel()
        await run_in_threadpool(served.save)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _json({"error": error.detail}, error.status_code)

    return Starlette(
        routes=[
            Route("/predict", post, methods=["POST"]),
            Route("/label", post, methods=["POST"]),
            Route("/metrics", exposition),
            Route("/health", health),
        ],
        exception_handlers={HTTPException: refused},
        lifespan=lifespan,
    )


async def _read(request: Request, max_bytes: int) -> dict[str, Any]:
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > max_bytes:
            raise HTTPException(413, f"a request must have at most {max_bytes} bytes")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body must be JSON: {error}") from error
    if type(body) is not dict:
        raise HTTPException(400, f"the body must be an object; got {type(body).__name__}")
    key = body.get("id")
    if type(key) is not str or not 1 <= len(key) <= 200:
        raise HTTPException(400, "id must be text of 1 to 200 characters")
    return body


def _features(body: dict[str, Any]) -> dict[str, Any]:
    features = body.get("features")
    if type(features) is not dict:
        raise HTTPException(400, "features must be an object from names to values")
    for name, value in features.items():
        if not isinstance(value, str | int | float | None):
            what = type(value).__name__
            raise HTTPException(400, f"feature {name!r} must be a number, text or null; got {what}")
        if isinstance(value, float) and not math.isfinite(value):
            raise HTTPException(400, f"feature {name!r} must be finite; got {value!r}")
    return features


def _label(body: dict[str, Any]) -> bool | int | str:
    label = body.get("label")
    if not isinstance(label, bool | int | str):
        raise HTTPException(400, "label must be true, false, an integer or text")
    return label


def _json(content: dict[str, Any], status: int = 200) -> Response:
    # In ASCII: a name in JSON may be half a surrogate pair, which cannot be encoded.
    return Response(json.dumps(content), status, media_type="application/json")


def load(path: str) -> Any:
    """Return the model in a file; of a model of a table, the pipeline inside."""
    model = persist.load(path)
    return model.model if isinstance(model, persist.TableModel) else model


def main() -> None:
    """Serve a model file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="model file to start with")
    parser.add_argument(
        "--folder", required=True, type=pathlib.Path, help="folder of checkpoint and journal"
    )
    parser.add_argument("--port", type=int, default=8000, help="port; 0 for any free port")
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds between checkpoints")
    parser.add_argument("--remember", type=int, default=10_000, help="number of ids to remember")
    parser.add_argument(
        "--max-bytes", type=int, default=1_000_000, help="maximum size of a request"
    )
    parser.add_argument(
        "--keep-journals", action="store_true", help="keep journals after a checkpoint"
    )
    options = parser.parse_args()
    served = ServedModel(
        load(options.model), options.folder, options.remember, options.keep_journals
    )
    app = make_app(served, options.seconds, options.max_bytes)
    uvicorn.run(app, host="127.0.0.1", port=options.port, access_log=False)


if __name__ == "__main__":
    main()
