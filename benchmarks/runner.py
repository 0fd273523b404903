"""The learners of one package on one stream, in an environment that need not have any other.

    python runner.py PACKAGE STREAM OUT [--limit SECONDS] [--learners NAME ...]
    python runner.py PACKAGE behaviour OUT

`packages.py` writes the stream, JSON lines of x, y and, for tables, x as River's `StandardScaler`
has it, calls this with the interpreter of the package's environment, and reads OUT: a line of JSON
for each learner. A learner predicts each instance before it learns from it. Times are CPU times of
learn + predict; what turns the lines into the arrays that a package wants is not in them, what
turns dicts into its examples is.
"""

from __future__ import annotations

import argparse
import functools
import importlib.metadata
import json
import math
import os
import pickle
import signal
import time


def river(words):
    """Learners of River, for words or for numbers."""
    from river import forest, linear_model, naive_bayes, preprocessing

    scaler = preprocessing.StandardScaler
    learners = {
        "StandardScaler | LogisticRegression": lambda: scaler() | linear_model.LogisticRegression(),
        "StandardScaler | PAClassifier": lambda: scaler() | linear_model.PAClassifier(),
    }
    if words:
        learners["LogisticRegression"] = linear_model.LogisticRegression
        learners["PAClassifier"] = linear_model.PAClassifier
        learners["MultinomialNB"] = naive_bayes.MultinomialNB
    else:
        learners["ARFClassifier"] = lambda: forest.ARFClassifier(seed=1)
        learners["AMFClassifier"] = lambda: forest.AMFClassifier(seed=1)
    return {name: one_by_one(make) for name, make in learners.items()}


def river_trapezoid(words):
    """Ours."""
    from river_trapezoid import preprocessing
    from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

    learners = {
        "EvidenceClassifier": EvidenceClassifier,
        "StandardScaler | OLSFClassifier": lambda: (
            preprocessing.StandardScaler() | OLSFClassifier()
        ),
    }
    if words:
        learners["OLSFClassifier"] = OLSFClassifier
    return {name: one_by_one(make) for name, make in learners.items()}


def vowpalwabbit(words):
    """Vowpal Wabbit with its own defaults, which scale by themselves."""
    import rivals

    return {
        f"{loss} loss": one_by_one(functools.partial(rivals.VowpalWabbit, loss))
        for loss in ("logistic", "hinge")
    }


def one_by_one(make):
    """A learner that is called as River's are."""

    def prepared(rows):
        pairs = [(row["x"], row["y"]) for row in rows]

        def run():
            model, predictions = make(), []
            for x, y in pairs:
                predictions.append(model.predict_one(x))
                model.learn_one(x, y)
            return predictions

        return run

    return prepared


# Most have no defaults. OLVF, OCDS, OLIFL and OVFM: the best of a few on the first 1,000 rows of
# spambase. The second is the package's own online normalization in front of it.
HAPHAZARD = {
    "OLVF": ({"C": 0.01, "C_bar": 0.01, "B": 1.0, "reg": 1.0}, "zscore"),
    "OCDS": ({"alpha": 0.01, "lamda": 0.0001, "beta1": 0.01, "gamma": 0.1}, "zscore"),
    "OLIFL": ({"C": 0.1, "option": 1}, "zscore"),
    "OVFM": ({"decay_choice": 4, "contribute_error_rate": 0.01}, "zscore"),
    "NB3": ({}, "none"),
    "FAE": ({}, "none"),
    "ORF3V": ({}, "none"),
    "DynFo": ({"M": 50, "N": 100}, "none"),
    "Aux-Drop": ({"device": "cpu", "n_neuron_aux_layer": 100}, "zscore"),
    "V2F": ({"embedding_size": 16}, "zscore"),
}
HAPHAZARD_WORDS = ("OLVF", "NB3")


def haphazard(words):
    """Models of haphazard, which takes a whole stream at once, with all features that will come."""
    os.environ["TQDM_DISABLE"] = "1"
    import numpy as np
    from haphazard import BaseDataset, load_model

    class Dataset(BaseDataset):
        def __init__(self, x, y, norm):
            self.name, self.task, self.haphazard_type = "stream", "classification", "intrinsic"
            self.all = x, y
            super().__init__(norm=norm)

        def read_data(self, base_path="./"):
            return self.all

    def prepared(name, rows):
        settings, norm = HAPHAZARD[name]
        columns = numbered(rows)
        x = np.full((len(rows), len(columns)), np.nan)
        for i, row in enumerate(rows):
            x[i, [columns[key] for key in row["x"]]] = list(row["x"].values())
        y = np.array([row["y"] for row in rows], dtype=np.int64)
        dataset = Dataset(x, y, "none" if words else norm)

        def run():
            found = (
                load_model(name.lower().replace("-", ""))(dataset, dict(settings))["preds"]
                .ravel()
                .tolist()
            )
            # Some learn from the first without a prediction.
            return [None] * (len(rows) - len(found)) + found

        return run

    names = HAPHAZARD_WORDS if words else HAPHAZARD
    return {name: functools.partial(prepared, name) for name in names}


def openmoa(words):
    """Those of OpenMOA for features that come and go, and three of MOA."""
    import numpy as np
    from openmoa import classifier
    from openmoa.instance import LabeledInstance
    from openmoa.stream import Schema

    def prepared(name, scaled, gaps, rows):
        columns = numbered(rows)
        # Learners that take some features and their numbers do not get the number of all features.
        names = [f"f{i}" for i in range(len(columns) if gaps else 1)]
        schema = Schema.from_custom(
            feature_names=names, values_for_class_label=["0", "1"], target_attribute_name="y"
        )
        make = getattr(classifier, name)
        arrays = []
        for row in rows:
            x = row["scaled"] if scaled and not words else row["x"]
            indices = np.array([columns[key] for key in x], dtype=int)
            values = np.array(list(x.values()), dtype=float)
            if gaps:
                full = np.full(len(columns), np.nan)
                full[indices] = values
                values = full
            arrays.append((indices, values, int(row["y"])))

        def run():
            model, predictions = make(schema), []
            for indices, values, y in arrays:
                instance = LabeledInstance.from_array(schema, values, y)
                if not gaps:
                    instance.feature_indices = indices
                predictions.append(model.predict(instance))
                model.train(instance)
            return predictions

        return run

    sparse = ("FTRLClassifier", "FOBOSClassifier", "FESLClassifier", "OASFClassifier")
    learners = {name: functools.partial(prepared, name, True, False) for name in sparse}
    if not words:
        learners["RSOLClassifier"] = functools.partial(prepared, "RSOLClassifier", True, False)
        learners["OVFMClassifier"] = functools.partial(prepared, "OVFMClassifier", True, True)
        for name in ("ORF3VClassifier", "NaiveBayes", "HoeffdingTree"):
            learners[name] = functools.partial(prepared, name, False, True)
        name = "AdaptiveRandomForestClassifier"
        learners[name] = functools.partial(prepared, name, False, True)
    return learners


def numbered(rows):
    """A number for each feature, in the order in which they come."""
    columns = {}
    for row in rows:
        for key in row["x"]:
            columns.setdefault(key, len(columns))
    return columns


class TooLong(Exception):
    """A learner takes more time than it may."""


def measured(prepared, rows, limit):
    """How many predictions are right, and the seconds they take; or what went wrong."""
    start = math.inf

    def look(number, frame):
        if time.process_time() - start > limit:
            raise TooLong

    # It looks at the clock every second, as a timer of CPU time would make that clock coarse.
    signal.signal(signal.SIGALRM, look)
    try:
        run = prepared(rows)
        signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
        start = time.process_time()
        predictions = run()
        seconds = time.process_time() - start
    except TooLong:
        return {"failed": f"over {limit:g} seconds"}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    pairs = zip(predictions, (row["y"] for row in rows), strict=True)
    right = [bool(p) == y for p, y in pairs if p is not None]
    return {"accuracy": sum(right) / len(right), "seconds": seconds}


def river_behaves():
    """What a model of River does with a name it has not seen, and whether it is itself again."""
    from river import linear_model, preprocessing

    return dicts_behave(preprocessing.StandardScaler() | linear_model.LogisticRegression())


def river_trapezoid_behaves():
    """The same of ours, in a pipeline of River."""
    from river import preprocessing

    from river_trapezoid.linear_model import EvidenceClassifier

    return dicts_behave(preprocessing.StandardScaler() | EvidenceClassifier())


def vowpalwabbit_behaves():
    """The same of Vowpal Wabbit."""
    import rivals

    model = rivals.VowpalWabbit()
    return {**dicts_behave(model), "pickles": attempt(lambda: pickle.dumps(model._workspace))}


def dicts_behave(model):
    """Whether a model takes dicts with new names, and is the same after pickle."""

    def new_names():
        for i in range(100):
            model.learn_one({"a": float(i % 2), f"b{i}": 1.0}, i % 2 == 1)
        assert model.predict_one({"a": 1.0, "b1": 1.0, "never seen": 1.0}) in (True, False)

    def pickles():
        again, x = pickle.loads(pickle.dumps(model)), {"a": 1.0, "b1": 1.0}
        assert again.predict_one(x) == model.predict_one(x)

    return {"dicts with new names": attempt(new_names), "pickles": attempt(pickles)}


def haphazard_behaves():
    """The same of haphazard."""
    from haphazard import load_model

    model = load_model("olvf")
    return {
        "dicts with new names": attempt(lambda: model([{"a": 1.0}])),
        "one instance at a time": attempt(lambda: (model.predict_one, model.learn_one)),
        "pickles": attempt(lambda: pickle.dumps(model)),
    }


def openmoa_behaves():
    """The same of OpenMOA."""
    import numpy as np
    from openmoa.classifier import FTRLClassifier
    from openmoa.instance import LabeledInstance
    from openmoa.stream import Schema

    schema = Schema.from_custom(
        feature_names=["a"], values_for_class_label=["0", "1"], target_attribute_name="y"
    )
    model = FTRLClassifier(schema)

    def new_indices():
        instance = LabeledInstance.from_array(schema, np.array([1.0]), 1)
        instance.feature_indices = np.array([7])
        model.train(instance)

    return {
        "dicts with new names": attempt(
            lambda: model.train(LabeledInstance.from_array(schema, {"a": 1.0, "b": 1.0}, 1))
        ),
        "arrays with new numbers": attempt(new_indices),
        "pickles": attempt(lambda: pickle.dumps(model)),
    }


def attempt(action):
    """Yes, or what went wrong."""
    try:
        action()
    except Exception as error:
        return f"no: {type(error).__name__}: {str(error).splitlines()[0]}"
    return "yes"


LEARNERS = {
    "river": river,
    "river-trapezoid": river_trapezoid,
    "haphazard": haphazard,
    "openmoa": openmoa,
    "vowpalwabbit": vowpalwabbit,
}
BEHAVIOUR = {
    "river": river_behaves,
    "river-trapezoid": river_trapezoid_behaves,
    "haphazard": haphazard_behaves,
    "openmoa": openmoa_behaves,
    "vowpalwabbit": vowpalwabbit_behaves,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", choices=LEARNERS)
    parser.add_argument("stream")
    parser.add_argument("out")
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--learners", nargs="*")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with open(options.out, "w", encoding="utf-8") as out:
        if options.stream == "behaviour":
            about = importlib.metadata.metadata(options.package)
            licence = about["License-Expression"] or about["License"]
            print(json.dumps(BEHAVIOUR[options.package]() | {"licence": licence}), file=out)
            return
        with open(options.stream, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        learners = LEARNERS[options.package](words="scaled" not in rows[0])
        for name in options.learners or learners:
            found = measured(learners[name], rows, options.limit)
            print(json.dumps({"learner": name, **found}), file=out, flush=True)


if __name__ == "__main__":
    main()
