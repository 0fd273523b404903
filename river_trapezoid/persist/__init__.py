"""Models to files and back, without pickle.

`save` and `load` take every estimator of this package, and pipelines of them with River's common
parts: `CLASSES` is the list. A loaded model goes on as the saved one would have, to the last bit,
random draws included.

A pickle runs code when it is loaded, whosever it is, and fails when a class has moved, as after an
upgrade of River. A model file holds data only: a header in JSON that a person can read, with
versions, classes and parameters, and arrays. `inspect` shows it without loading. Nothing in a file
is imported, called or trusted: it names classes by tags that are looked up in a list in the code of
this package, and everything else in it is checked. That is the difference to skops, whose files
name any class, to be imported if the user says that it is trusted: there is nothing to say here,
and a class that is not on the list cannot be loaded at all. The price is that functions (a
tokenizer, a graph given as a function) and other classes cannot be saved; errors say which.

Whatever is wrong with a file is a `ModelFileError`, a kind of `ValueError`. Its checksums tell
damage, not forgery: of a model from someone else, it is certain that it runs no code, not that it
predicts well.

`Checkpoint` saves a run over a stream as it goes: model, metric, position and random states.

Features and labels are plain: text, bytes, numbers, booleans, None, and tuples of them. Numbers of
numpy come back as the plain ones that they are equal to.

How a new estimator joins is said in `_own.py`; the tests fail for one that is exported and does not.
"""

from ._errors import ModelFileError
from ._models import CLASSES, dumps, inspect, load, loads, save
from .checkpoint import Checkpoint

__all__ = ["CLASSES", "Checkpoint", "ModelFileError", "dumps", "inspect", "load", "loads", "save"]
