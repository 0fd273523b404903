from __future__ import annotations

import copy
import decimal
import json
import math
import random
from typing import NamedTuple

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import compose, feature_extraction, metrics, preprocessing, tree

from river_trapezoid import active, linear_model, persist
from river_trapezoid.persist import _arrays, _codecs, _registry, _values
from river_trapezoid.persist.checkpoint import Run
from river_trapezoid.preprocessing import RowEncoder
from tests import contracts
from tests.estimators import exported, instances, seeded
from tests.persist import models

INSTANCES = dict(instances())
MINI_BATCH = linear_model.mini_batch.RowwiseClassifier


def again(thing):
    return persist.loads(persist.dumps(thing))


@pytest.mark.parametrize("name", INSTANCES)
def test_every_exported_estimator_continues_as_before(name):
    model = contracts.trained(seeded(INSTANCES[name]))
    twin = again(model)
    assert type(twin) is type(model)
    assert repr(twin) == repr(model)
    assert list(contracts.outputs(twin)) == list(contracts.outputs(model))


@pytest.mark.parametrize("cls", list(exported()), ids=lambda cls: cls.__name__)
def test_every_exported_estimator_states_a_tag_of_its_own(cls):
    assert "_TAG" in vars(cls), f"{cls.__name__} has no _TAG; persist/_registry.py describes it"
    assert cls._TAG in persist.CLASSES
    assert cls._TAG.rpartition(".")[2] == cls.__name__


def test_a_tag_is_given_once():
    codec = _registry.codec_of(linear_model.OFSClassifier)
    with pytest.raises(ValueError, match="registered once"):
        _registry.register("river_trapezoid.linear_model.AnotherTag", codec)


@pytest.mark.parametrize("name", models.MODELS)
def test_models_of_parts_continue_as_before(name):
    model, stream = models.model(name)
    twin = again(model)
    assert repr(twin) == repr(model)
    assert models.outputs(twin, stream) == models.outputs(model, stream)


def test_saving_and_loading_leave_the_generators_of_the_process_alone():
    """A checkpoint saves their states and then loads what it is about to write."""
    things = [*INSTANCES.values(), *(model for model, _ in models.MODELS.values())]
    for thing in [*things, *models.METRICS.values(), *models.GENERATORS.values()]:
        before = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
        again(thing)
        assert (random.getstate(), repr(np.random.get_state())) == before  # noqa: NPY002


@pytest.mark.parametrize("name", INSTANCES)
def test_a_new_model_is_new_again(name):
    model = seeded(INSTANCES[name])
    twin = again(model)
    assert list(contracts.outputs(twin)) == list(contracts.outputs(model))


LEARNERS = {name: model for name, model in INSTANCES.items() if isinstance(model, MINI_BATCH)}


@pytest.mark.parametrize("frames", [pandas, polars], ids=["pandas", "polars"])
@pytest.mark.parametrize("scaled", [False, True], ids=["alone", "in a pipeline"])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_keeps_the_name_of_its_labels(name, scaled, frames):
    model = seeded(LEARNERS[name])
    if scaled:
        model = preprocessing.StandardScaler() | model
    X = frames.DataFrame({"a": [1.0, -2.0, 0.5], "b": [0.5, 1.0, -1.0]})
    model.learn_many(X, frames.DataFrame({"target": [True, False, True]})["target"])
    twin = again(model)
    assert twin.predict_many(X).name == "target"
    assert list(twin.predict_many(X)) == list(model.predict_many(X))
    assert list(contracts.outputs(twin)) == list(contracts.outputs(model))


@pytest.mark.parametrize("name", models.METRICS)
def test_metrics_continue_as_before(name):
    metric = copy.deepcopy(models.METRICS[name])
    rng = random.Random(0)

    def readings(metric, n):
        for _ in range(n):
            y, p = rng.random() < 0.5, rng.random()
            by_label = getattr(metric, "requires_labels", True)
            metric.update(y, p > 0.5 if by_label else {True: p, False: 1.0 - p})
            if name != "ConfusionMatrix":
                yield metric.get()
            yield repr(metric)

    list(readings(metric, 40))
    twin = again(metric)
    state = rng.getstate()
    expected = list(readings(metric, 40))
    rng.setstate(state)
    assert list(readings(twin, 40)) == expected


@pytest.mark.parametrize("name", models.GENERATORS)
def test_generators_continue_where_they_were(name):
    generator = copy.deepcopy(models.GENERATORS[name])
    draw = getattr(generator, "gauss", None) or generator.normal

    def draws(generator):
        draw = getattr(generator, "gauss", None) or generator.normal
        small = getattr(generator, "integers", None) or generator.randint
        return [draw(0.0, 1.0) for _ in range(5)] + [int(small(0, 100)) for _ in range(1500)]

    # Half of a pair, the other of which is kept for the next draw.
    draw(0.0, 1.0)
    if name.startswith("PCG64"):
        generator.integers(0, 10, dtype=np.uint32)
    twin = again(generator)
    assert draws(twin) == draws(generator)


def table_model():
    """A model of a table that has learned some rows."""
    model = persist.TableModel(
        RowEncoder(one_hot=True) | linear_model.EvidenceClassifier(),
        target="churn",
        labels=["no", "yes"],
        positive="yes",
        name="Evidence",
    )
    for calls in range(40):
        model.learn_row(
            {"calls": str(calls), "plan": "ab"[calls % 2], "churn": model.labels[calls > 20]}
        )
    return model


def test_a_model_of_a_table_continues_identically():
    model = table_model()
    twin = persist.loads(persist.dumps(model))
    for calls in (3, 30):
        row = {"calls": str(calls), "plan": "a", "region": "north"}
        assert twin.predict_proba_row(row) == model.predict_proba_row(row)
        twin.learn_row({**row, "churn": "yes"})
        model.learn_row({**row, "churn": "yes"})
    assert (twin.n_rows, twin.labels, twin.positive, twin.name) == (
        42,
        ["no", "yes"],
        "yes",
        "Evidence",
    )


def test_every_class_is_tried():
    """Every registered class is saved and loaded by a test."""
    used = set()

    def collect(node):
        if isinstance(node, dict):
            used.add(node.get("class"))
        if isinstance(node, dict | list):
            for item in node.values() if isinstance(node, dict) else node:
                collect(item)

    things = [contracts.trained(seeded(model)) for model in INSTANCES.values()]
    things += [models.model(name)[0] for name in models.MODELS]
    things += [*models.METRICS.values(), *models.GENERATORS.values()]
    things += [Run(linear_model.OFSClassifier(), None, "itself")]
    things += [active.LabelQueue(linear_model.OFSClassifier())]
    things += [table_model()]
    for thing in things:
        data = persist.dumps(thing)
        size = int.from_bytes(data[20:24], "little")
        collect(json.loads(data[96 : 96 + size]))
    assert used >= set(persist.CLASSES)


plain_keys = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: st.tuples(inner, inner) | st.tuples(inner) | st.just(()),
    max_leaves=4,
)
values = st.recursive(
    plain_keys | st.just(math.inf),
    lambda inner: (
        st.lists(inner, max_size=20)
        | st.dictionaries(plain_keys, inner, max_size=20)
        | st.sets(plain_keys, max_size=20)
    ),
    max_leaves=40,
)


def typed(value):
    """A value with the types in it, which `==` ignores."""
    if isinstance(value, dict):
        return dict, [(typed(k), typed(v)) for k, v in value.items()]
    if isinstance(value, set):
        return set, frozenset(map(typed, value))
    if isinstance(value, list | tuple):
        return type(value), tuple(map(typed, value))
    return type(value), value.hex() if type(value) is float else value


def there_and_back(value):
    arrays = _arrays.ArrayWriter()
    node = json.loads(json.dumps(_values.Encoder(lambda cls: None, arrays).encode(value, "it")))
    reader = _arrays.ArrayReader(arrays.table, memoryview(b"".join(arrays.chunks)), arrays.memory)
    return _values.Decoder(lambda tag: None, reader).decode(node)


@given(values)
def test_plain_values_come_back_as_they_were(value):
    assert typed(there_and_back(value)) == typed(value)


@given(st.lists(plain_keys, min_size=20, max_size=60))
def test_columns_come_back_as_they_were(keys):
    assert repr(there_and_back(keys)) == repr(keys)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_keep_their_order_in_memory(order):
    array = np.asarray(np.arange(12.0).reshape(3, 4), order=order)
    twin = there_and_back(array)
    assert (twin == array).all()
    assert twin.flags.c_contiguous == array.flags.c_contiguous
    assert twin.flags.writeable


def test_numbers_of_numpy_become_plain_keys():
    model = linear_model.OLSFClassifier(B=1.0)
    model.learn_one({np.int64(3): 1.0, np.str_("a"): 1.0, np.float32(0.5): 1.0}, True)
    assert {type(key) for key in again(model).weights} == {int, str, float}
    assert again(model).weights == model.weights


def test_what_is_shared_stays_shared():
    matrix = metrics.ConfusionMatrix()
    metric = again(metrics.Accuracy(cm=matrix) + metrics.F1(cm=matrix))
    assert metric[0].cm is metric[1].cm
    assert metric[1].precision.cm is metric[1].cm


def test_what_contains_itself_is_refused():
    model = active.MarginSampler(linear_model.OLSFClassifier())
    model._last = [model]
    with pytest.raises(TypeError, match="contains itself"):
        persist.dumps(model)


class Mine(linear_model.OLSFClassifier):
    pass


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (tree.HoeffdingTreeClassifier(), r"river\.tree\..*HoeffdingTreeClassifier.*pickle"),
        (
            preprocessing.StandardScaler() | tree.HoeffdingTreeClassifier(),
            r"HoeffdingTreeClassifier.*persist\.CLASSES",
        ),
        (active.MarginSampler(tree.HoeffdingTreeClassifier()), "MarginSampler.classifier"),
        (preprocessing.RobustScaler() | linear_model.OLSFClassifier(), "RobustScaler"),
        (compose.FuncTransformer(len) | linear_model.OLSFClassifier(), "FuncTransformer"),
        (feature_extraction.BagOfWords(tokenizer=str.split), "BagOfWords.tokenizer.*function"),
        (feature_extraction.TFIDF(tokenizer_pattern="a+"), "TFIDF.tokenizer_pattern"),
        (linear_model.OCDSClassifier(graph=lambda a, b: 1.0), "OCDSClassifier.graph.*function"),
        (Mine(), "Mine"),
        (preprocessing.Binarizer(dtype=complex), "Binarizer.dtype"),
        (np.random.Generator(np.random.SFC64(1)), "SFC64"),
        ({"a": 1}, "dict"),
        (None, "NoneType"),
    ],
)
def test_what_cannot_be_saved_is_refused_by_name(model, message, tmp_path):
    with pytest.raises(TypeError, match=message):
        persist.save(model, tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_keys_that_are_not_plain_are_refused_by_name():
    model = linear_model.OLSFClassifier(B=1.0)
    model.learn_one({decimal.Decimal("1.5"): 1.0}, True)
    with pytest.raises(TypeError, match=r"key.*decimal\.Decimal"):
        persist.dumps(model)


class Counting:
    """A class with an argument and an attribute that a later version has added."""

    def __init__(self, step, start=0):
        self.step = step
        self.start = start
        self.n = 0
        self.total = 0


def test_what_files_of_earlier_versions_lack_is_as_in_a_new_object():
    part = _codecs.Attributes(Counting, later=("start", "total"))
    thing = part.put_together({"step": 3}, {"n": 5})
    assert vars(thing) == {"step": 3, "start": 0, "n": 5, "total": 0}
    assert part.take_apart(thing) == ({"step": 3, "start": 0}, {"n": 5, "total": 0})
    with pytest.raises(ValueError, match="parameter 'step' is missing"):
        part.put_together({}, {"n": 5})
    with pytest.raises(ValueError, match="attribute 'n' is missing"):
        part.put_together({"step": 3}, {})
    with pytest.raises(ValueError, match="attribute 'm'"):
        part.put_together({"step": 3}, {"n": 5, "m": 1})


class Decision(NamedTuple):
    spent: int
    recent: list[float]


class Deciding:
    """A class with a state in a named tuple."""

    def __init__(self):
        self.state = Decision(0, [])


def test_a_named_tuple_is_saved_as_a_tuple():
    codec = _codecs.Attributes(Deciding)
    thing = Deciding()
    thing.state = Decision(3, [0.5])
    _, state = codec.take_apart(thing)
    assert type(state["state"]) is tuple
    again = codec.put_together({}, state).state
    assert (type(again), again) == (Decision, Decision(3, [0.5]))
    with pytest.raises(TypeError, match="'state' must be a list"):
        codec.put_together({}, {"state": (3, 0.5)})


def test_attributes_that_are_not_known_are_refused():
    model = preprocessing.StandardScaler()
    model.novelty = 1
    with pytest.raises(TypeError, match=r"StandardScaler.*'novelty'"):
        persist.dumps(model)
