from __future__ import annotations

import collections
import errno
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

import httpx
import pytest
from river import datasets
from starlette.testclient import TestClient

from river_trapezoid import active, linear_model, persist, preprocessing

from .recipes import RECIPES, recipe

server = recipe("server")
ROWS = list(datasets.Phishing())


def sampler():
    learner = preprocessing.StandardScaler() | linear_model.OLSFClassifier(B=0.5)
    return active.BudgetSampler(learner, budget=0.7, seed=1)


class Server:
    """The recipe in a process of its own, which is killed and started again."""

    def __init__(self, folder, model):
        self.folder = folder
        self.n_starts = 0
        persist.save(model, folder / "model")

    def start(self):
        self.n_starts += 1
        log = self.folder / f"log-{self.n_starts}"
        options = ["--port", "0", "--seconds", "0.2", "--keep-journals", "--remember", "20000"]
        files = ["--model", self.folder / "model", "--folder", self.folder / "state"]
        with log.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, RECIPES / "server.py", *files, *options], stderr=file
            )
        deadline = time.monotonic() + 60
        while not (found := re.search(r"running on (http://127.0.0.1:\d+)", log.read_text())):
            assert self.process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, "it does not start"
            time.sleep(0.02)
        self.url = found[1]

    def kill(self):
        self.process.kill()
        self.process.wait()


class Client(threading.Thread):
    """Sends instances, and labels later and in another order, until each has been answered."""

    def __init__(self, server, name, rows):
        super().__init__()
        self.server = server
        self.name = name
        self.rows = rows
        self.answers = {}
        self.n_requests = 0
        self.error = None

    def run(self):
        rng = random.Random(self.name)
        waiting, labelled = [], []

        def label():
            labelled.append(waiting.pop(rng.randrange(len(waiting))))
            self.post("/label", id=labelled[-1], label=rng.random() < 0.6)

        try:
            with httpx.Client() as self.http:
                for i, x in enumerate(self.rows):
                    key = f"{self.name}-{i}"
                    self.answers[key] = self.post("/predict", id=key, features=x)
                    waiting.append(key)
                    while len(waiting) > rng.randrange(8):
                        label()
                    if rng.random() < 0.1:
                        # Again, as somebody does who has not got the answer; other features and
                        # labels change nothing.
                        again = rng.choice(list(self.answers))
                        repeated = self.post("/predict", id=again, features={})
                        assert repeated == self.answers[again]
                    if rng.random() < 0.1 and labelled:
                        again = rng.choice(labelled)
                        assert self.post("/label", id=again, label=False)["learned"] is False
                while waiting:
                    label()
        except BaseException as error:
            self.error = error

    def post(self, path, **content):
        deadline = time.monotonic() + 60
        while True:
            try:
                answer = self.http.post(self.server.url + path, json=content)
            except httpx.TransportError:
                assert time.monotonic() < deadline, "the server does not come back"
                time.sleep(0.02)
                continue
            assert answer.status_code == 200, answer.text
            self.n_requests += 1
            return answer.json()


def entries(folder):
    """The entries of all journals, in order."""
    for path in sorted(folder.glob("journal-*.jsonl")):
        yield from map(json.loads, path.read_text().splitlines()[1:])


def future(queue):
    """What a queue has counted, and what it would answer and learn from here on.

    Its bytes would not do: the order in which a file lists the features depends on when the model
    was last loaded.
    """
    queue = persist.loads(persist.dumps(queue))
    counted = queue.n_learned, queue.n_dropped, queue.n_ignored, queue.waiting
    answers = []
    for i, (x, y) in enumerate(ROWS[-200:]):
        answers.append(queue.decide_one(("future", i), x))
        if ("future", i) in queue:
            queue.learn_one(("future", i), y)
    for key in counted[-1]:
        if key in queue:
            queue.learn_one(key, True)
    return (
        counted,
        answers,
        [queue.decide_one(("last", i), x) for i, (x, _) in enumerate(ROWS[:50])],
    )


def killed_server(folder, model, n_clients, n_instances, n_kills):
    """Serve clients with kills in between; return how many requests and labels were answered."""
    served = Server(folder, model)
    rows = [[x for x, _ in (ROWS * 8)[i : i + n_instances]] for i in range(n_clients)]
    clients = [Client(served, f"client {i}", own) for i, own in enumerate(rows)]

    def n_requests():
        return sum(client.n_requests for client in clients)

    served.start()
    try:
        for client in clients:
            client.start()
        for kill in range(1, n_kills + 1):
            # A client sends at least two requests for an instance.
            at = kill * 2 * n_instances * n_clients // (n_kills + 1)
            while n_requests() < at and any(client.is_alive() for client in clients):
                time.sleep(0.002)
            served.kill()
            served.start()
        for client in clients:
            client.join()
    finally:
        served.kill()
    for client in clients:
        if client.error:
            raise client.error

    answers = {key: answer for client in clients for key, answer in client.answers.items()}
    asked = {key for key, answer in answers.items() if answer["ask"]}
    whole = list(entries(folder / "state"))
    labels = collections.Counter(entry["id"] for entry in whole if "label" in entry)
    assert labels == dict.fromkeys(asked, 1)
    assert len(asked) + len(answers) == len(whole)

    # As nobody else but the journal could have it.
    alone = active.LabelQueue(model, max_waiting=20_000, max_age=19_999, max_remembered=0)
    for entry in whole:
        if "label" in entry:
            alone.learn_one(entry["id"], entry["label"])
        else:
            alone.decide_one(entry["id"], entry["features"])
    again = server.ServedModel(persist.load(folder / "model"), folder / "state", 20_000)
    assert again.queue.n_learned == len(asked)
    assert future(again.queue) == future(alone)
    for key, answer in answers.items():
        assert json.loads(json.dumps(again.predict(key, {}))) | {"id": key} == answer
    return n_requests(), len(asked)


def test_labels_are_learned_once_whenever_the_server_is_killed(tmp_path):
    n_requests, _ = killed_server(tmp_path, sampler(), n_clients=8, n_instances=50, n_kills=2)
    assert n_requests >= 800


@pytest.mark.long
@pytest.mark.parametrize(
    "model", [sampler(), linear_model.EvidenceClassifier()], ids=lambda model: type(model).__name__
)
def test_labels_are_learned_once_by_a_server_that_is_killed_twenty_times(tmp_path, capsys, model):
    n_requests, n_labels = killed_server(tmp_path, model, n_clients=8, n_instances=625, n_kills=20)
    with capsys.disabled():
        print(
            f"\n{type(model).__name__}: 20 kills, 8 clients, {n_requests:,} requests answered, "
            f"{n_labels:,} labels learned, each once"
        )
    assert n_requests >= 10_000


def state(served):
    """All that a served model is, to the last bit."""
    numbers = [served.state["n_entries"], served.state["n_predictions"], repr(served.metric)]
    return future(served.queue), served.answers, numbers


def serve(folder, model=None, **options):
    return server.ServedModel(sampler() if model is None else model, folder, **options)


def go_on(served, begin, end):
    """Predict some instances and learn the labels of all but the last of them."""
    for i, (x, y) in enumerate(ROWS[begin:end], start=begin):
        served.predict(f"row {i}", x)
        if i < end - 1:
            served.learn(f"row {i}", y)


def test_a_model_behind_a_row_encoder_takes_raw_rows_and_resumes(tmp_path):
    encoder = preprocessing.RowEncoder(one_hot=True)
    model = encoder | linear_model.EvidenceClassifier()
    served = serve(tmp_path, model)
    for i in range(40):
        plan = "premium" if i % 3 else "basic"
        row = {"plan": plan, "since": f"2024-01-{1 + i % 28:02}", "bill": f"${i}.50", "note": None}
        served.predict(f"row {i}", row)
        if i < 38:
            served.learn(f"row {i}", plan == "premium")
    again = serve(tmp_path, model.clone())
    assert state(again) == state(served)
    assert again.predict("next", {"plan": "premium"})["prediction"] is True
    assert again.predict("last", {"plan": "basic"})["prediction"] is False


@pytest.mark.parametrize("keep_journals", [False, True])
def test_a_checkpoint_can_be_killed_at_every_moment(tmp_path, monkeypatch, keep_journals):
    served = serve(tmp_path / "state", keep_journals=keep_journals)
    go_on(served, 0, 30)
    served.save()
    go_on(served, 30, 60)
    moments = []

    def seen(function):
        def call(*args, **kwargs):
            moments.append(tmp_path / f"moment-{len(moments)}")
            shutil.copytree(tmp_path / "state", moments[-1])
            return function(*args, **kwargs)

        return call

    # What of a file changes is seen before it is on the disk, and before it has its name.
    for module, name in [(os, "fsync"), (os, "replace"), (pathlib.Path, "unlink")]:
        monkeypatch.setattr(module, name, seen(getattr(module, name)))
    served.save()
    monkeypatch.undo()
    moments.append(tmp_path / "state")
    n_left = [len(serve(moment).journal.entries) for moment in moments]
    assert 0 in n_left
    assert max(n_left) > 0
    for moment in moments:
        assert state(serve(moment)) == state(served)


def test_a_checkpoint_that_fails_changes_nothing(tmp_path, monkeypatch):
    served = serve(tmp_path)
    go_on(served, 0, 20)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space"):
            served.save()
    go_on(served, 20, 40)
    assert state(serve(tmp_path)) == state(served)


def full(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def served(tmp_path):
    return serve(tmp_path / "state", linear_model.EvidenceClassifier(), remember=5)


@pytest.fixture
def client(served):
    with TestClient(server.make_app(served, max_bytes=1000)) as client:
        yield client


def test_predicts_now_and_learns_later(client):
    answer = client.post("/predict", json={"id": "a", "features": {"t": 71.0, "n": None}})
    assert answer.json() == {
        "id": "a",
        "prediction": False,
        "probabilities": {"false": 0.5, "true": 0.5},
        "ask": True,
    }
    assert client.post("/label", json={"id": "a", "label": True}).json()["learned"]
    measured = client.get("/metrics").text
    for line in [
        "model_predictions_total 1",
        "model_labels_learned_total 1",
        "model_instances_waiting 0",
        "model_accuracy 0.0",
        'model_request_seconds_count{path="/predict"} 1',
    ]:
        assert line in measured.splitlines()


def test_health_is_asked_without_a_prediction(client, served):
    answer = client.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_saved_model_of_a_table_is_served_with_raw_rows(tmp_path):
    path = tmp_path / "plant.model"
    encoder = preprocessing.RowEncoder(one_hot=True)
    model = persist.TableModel(
        encoder | linear_model.EvidenceClassifier(), "failure", ["no", "yes"], "yes"
    )
    for i in range(60):
        pump = "ABC"[i % 3]
        model.learn_row({"pump": pump, "failure": "yes" if pump == "C" else "no"})
    persist.save(model, path)
    loaded = server.ServedModel(server.load(str(path)), tmp_path / "state")
    with TestClient(server.make_app(loaded)) as http:
        for pump in "ABC":
            answer = http.post("/predict", json={"id": pump, "features": {"pump": pump}}).json()
            assert answer["prediction"] is (pump == "C")
            assert answer["probabilities"]["true"] == pytest.approx(
                model.predict_proba_row({"pump": pump})["yes"]
            )
        assert http.post("/label", json={"id": "C", "label": True}).json()["learned"]


def test_nothing_is_acknowledged_that_is_not_on_the_disk(client, served, monkeypatch):
    client.post("/predict", json={"id": "a", "features": {"t": 1.0}})
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        answer = client.post("/label", json={"id": "a", "label": True})
    assert answer.status_code == 503
    assert "No space" in answer.json()["error"]
    assert served.queue.n_learned == 0
    assert client.post("/label", json={"id": "a", "label": True}).json()["learned"]
    assert client.post("/label", json={"id": "a", "label": True}).json()["learned"] is False
    assert served.queue.n_learned == 1


def test_what_has_waited_for_too_long_is_forgotten(client, served):
    for i in range(8):
        client.post("/predict", json={"id": str(i), "features": {"t": float(i)}})
    assert served.queue.waiting == tuple(served.answers) == tuple("34567")
    assert client.post("/label", json={"id": "2", "label": True}).status_code == 404
    assert client.post("/label", json={"id": "3", "label": True}).json()["learned"]


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/predict", b'{"id": "a"', 400, "must be JSON"),
        ("/predict", b"\xff", 400, "must be JSON"),
        ("/predict", b"[" * 900, 400, "must be JSON"),
        ("/predict", b"[]", 400, "must be an object"),
        ("/predict", b'{"features": {}}', 400, "id must be text"),
        ("/predict", b'{"id": "a"}', 400, "features must be"),
        ("/predict", b'{"id": "a", "features": {"t": [1]}}', 400, "feature 't' must be a number"),
        ("/predict", b'{"id": "a", "features": {"t": NaN}}', 400, "feature 't' must be finite"),
        ("/predict", b'{"id": "a", "features": {"t": 1e999}}', 400, "feature 't' must be finite"),
        ("/predict", b'{"id": "a", "features": {"\\ud800": [1]}}', 400, "text or null; got list"),
        ("/predict", b'{"id": "a", "features": {"t": 1' + b"0" * 400 + b"}}", 400, "feature 't'"),
        ("/predict", b" " * 1001, 413, "at most 1000 bytes"),
        ("/label", b'{"id": "b", "label": true}', 404, "id must be that of a prediction; got 'b'"),
        ("/label", b'{"id": "known"}', 400, "label must be"),
        ("/label", b'{"id": "known", "label": "spam"}', 400, "spam"),
        ("/nowhere", b"", 404, "Not Found"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(client, served, path, body, status, message):
    client.post("/predict", json={"id": "known", "features": {"t": 1.0}})
    before = state(served)[:2]
    answer = client.post(path, content=body)
    assert (answer.status_code, message in answer.json()["error"]) == (status, True), answer.text
    assert state(served)[:2] == before
    # Nor does it after a restart.
    again = serve(served.folder, linear_model.EvidenceClassifier(), remember=5)
    assert state(again) == state(served)
    assert client.post("/label", json={"id": "known", "label": True}).json()["learned"]
