"""A stream, and the steps of an estimator of any kind on it."""

from __future__ import annotations

import pickle
import random

from river import base


def growing_stream(n=200, seed=0):
    """Yield instances with appearing and absent features of mixed magnitude, and their labels."""
    rng = random.Random(seed)
    names = [f"f{i}" for i in range(25)]
    for t in range(n):
        present = names[: 3 + t * 22 // n]
        if t % 3 == 0:
            present = rng.sample(present, rng.randint(1, len(present)))
        x = {name: rng.choice([0.0, 1.0, rng.gauss(0, 1)]) for name in present}
        yield x, sum(v * (-1) ** int(k[1:]) for k, v in x.items()) + rng.gauss(0, 0.3) > 0


def learn(model, x, y):
    """Learn from an instance, whatever kind of estimator it is."""
    if isinstance(model, base.Transformer):
        model.learn_one(x)
    else:
        model.learn_one(x, y)


def answer(model, x):
    """What an estimator makes of an instance: predictions, or transformed features."""
    return [ask(x) for ask in questions(model)]


def questions(model):
    """The methods that answer without learning."""
    if isinstance(model, base.Transformer):
        return [model.transform_one]
    return [model.predict_proba_one, model.predict_one]


def trained(model, n=120):
    for _ in outputs(model, n, seed=0):
        pass
    return model


def outputs(model, n=60, seed=1):
    """Answers on a stream; the model learns from each instance after the answer."""
    for x, y in growing_stream(n, seed):
        yield answer(model, x)
        learn(model, x, y)


def state(model):
    return pickle.dumps(model)
