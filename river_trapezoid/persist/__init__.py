"""Saves models to files and loads them, without pickle.

`save` and `load` accept every estimator of this package, many classes of River, and pipelines of
them; `CLASSES` lists their tags. A loaded model continues as the saved one would have, to the last
bit, including its random draws.

Loading a pickle runs the code that it holds, and fails when a class has moved, for instance after
an upgrade of River. A model file holds data only: a JSON header with versions, classes and
parameters, which a person can read, and arrays. `inspect` returns the header's content without
loading the model. Loading imports and calls nothing that a file names: the tags of classes are
looked up in a registry in this package, and all other content is checked. In contrast, a file of
skops names any class, which is imported if the user trusts it; here a class outside the registry
cannot be loaded at all. The price is that functions (a tokenizer, a graph given as a function) and
other classes cannot be saved; errors name them.

Every error of a file is a `ModelFileError`, a kind of `ValueError`. The checksums detect damage,
not forgery: a model from someone else runs no code, but may predict anything.

`Checkpoint` saves the state of a run over a stream: model, metric, position and random generators.
`TableModel` is a learner with the encoder, the labels and the target of a table.

Features and labels must be plain: text, bytes, numbers, booleans, dates, None, and tuples of them. Numbers
of numpy are loaded as the plain ones that they equal.

`_registry.py` describes how an estimator joins.
"""

from ._errors import ModelFileError
from ._models import dumps, inspect, load, loads, save
from ._registry import tags
from .checkpoint import Checkpoint
from .table_model import TableModel

__all__ = [
    "CLASSES",
    "Checkpoint",
    "ModelFileError",
    "TableModel",
    "dumps",
    "inspect",
    "load",
    "loads",
    "save",
]

#: The classes whose objects can be saved, sorted.
CLASSES = tags()
