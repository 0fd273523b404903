from __future__ import annotations

import copy
import dataclasses
import hashlib
import math
import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from river import active as river_active
from river import base, compose, feature_extraction, multiclass

from river_trapezoid import active
from river_trapezoid._parameters import check_number, share_of
from river_trapezoid.linear_model import EvidenceClassifier

from .answers import LABEL, SKIP, UNDO, UNKNOWN, Answer, Answers, checked_classes
from .explanations import Explanation, explain
from .journal import Journal, JournalError

if TYPE_CHECKING:
    from .panel import Panel

__all__ = ["Accuracy", "Desk", "Question"]

Path = str | os.PathLike[str]

# Of the confidence interval.
_CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Question:
    """An instance whose label is asked for."""

    #: Its number, from 0.
    index: int
    #: The instance, as it was given.
    instance: Any
    #: Whether it was drawn at random, to check the model.
    check: bool
    #: What the model takes it for; None if that is not told, or if the model knows nothing yet.
    guess: str | None = None
    #: The probability of that, by the model.
    probability: float | None = None
    #: What the guess is the sum of, with classes as labels; None if the model cannot be explained.
    explanation: Explanation | None = None


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """The share of instances that a model gets right, from those that were drawn at random."""

    n_right: int
    n_checks: int
    #: The interval that holds the true share with a confidence of 95 %, by Wilson's formula.
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share of the instances drawn at random that are right."""
        return self.n_right / self.n_checks


class Desk:
    """Asks a person for the labels that are worth most, and learns from each at once.

    All instances are at hand, and the next question is the one that the model is least sure of,
    among some drawn from those that are left. The first questions are drawn at random, until two
    classes have been met.

    The questions that are asked are the hard ones, and say nothing of how good the model is. So a
    share of them is drawn at random, from all instances, and only to check the model: it does not
    tell its guess beforehand, and does not learn the answer as long as the desk is open. The
    accuracy of the present model on these is an honest estimate of that on other instances like
    them; on what is left of the instances themselves it is rather higher, as the hard ones have been
    asked about. Checks that are skipped, or whose label is not known, do not count. In the end, the
    model that is saved has learned from the checks as well.

    What to expect: by a labeller who is never wrong, a model has been brought to 95 % of the accuracy
    that it has with all labels by 70 instead of 168 labels on SMS spam, and by 50 instead of 65 on
    Phishing, compared with labelling from the beginning of the file; on noisy data it hardly matters
    what is labelled. Where a class is rare, it may take many random questions until it is met.

    With a `journal`, each answer is on the disk before the next question is asked: a process that is
    killed has lost nothing, and another desk with the same arguments goes on with the same
    question. All that a desk is follows from its arguments and the entries of the journal, which
    are replayed to open it, and to undo an answer. For that, the model has to give the same result
    each time that it learns the same, as all of this package do if they are seeded.

    Here and in the journal, instances are counted from 0; on the screen and in the files that `save`
    writes they are rows, which are counted from 1.

    Parameters
    ----------
    instances
        The instances: dicts of features, or texts. They are kept in memory.
    classes
        Names of the classes. Others may be named as labels later, unless there are two and the
        model is one for two. Empty if none is known yet, or to go on with those of the journal.
    model
        The classifier to teach, a clone of it that is new. One that is not made for several classes
        learns `True` for the second of two, and `False` for the first. By default
        `EvidenceClassifier`, for texts behind `BagOfWords`, and in
        `multiclass.OneVsRestClassifier` unless there are two classes.
    budget
        How many labels may be asked for; None for no limit.
    check_share
        The share of the questions that is drawn at random to check the model.
    journal
        The file of the journal; None to keep it in memory.
    features
        What makes features of an instance for the model; by default, numbers are taken as they are,
        and strings in dicts become one feature for each word, or a single one if there is one word.
    n_candidates
        Among how many instances the next question is sought.
    seed
        Seed of all draws.

    Attributes
    ----------
    question
        The present `Question`; None if there is nothing left to ask.
    answers
        What was done about the questions so far, and not undone: each an `Answer`.
    classes
        Names of the classes.
    accuracy
        The estimated `Accuracy` of the present model; None as long as nothing was checked.
    model
        The present model.
    n_labels
        Number of labels given.
    n_checks
        How many of them were for instances drawn at random.
    n_unknown
        Number of instances whose label was not known.
    n_left
        Number of instances that may still be asked about.

    Examples
    --------

    >>> from river import datasets
    >>> from river_trapezoid import labelling

    >>> instances, truth = zip(*datasets.Phishing(), strict=True)
    >>> desk = labelling.Desk(instances, classes=["honest", "phishing"], budget=100)
    >>> while desk.question is not None:
    ...     label = "phishing" if truth[desk.question.index] else "honest"
    ...     desk.answer(label)
    >>> desk.n_labels, desk.n_checks
    (100, 10)

    Ten random questions do not tell much, but what they tell is true:

    >>> print(f"{desk.accuracy.low:.0%} to {desk.accuracy.high:.0%}")
    49% to 94%

    >>> right = sum(desk.predict(x)[0] == ["honest", "phishing"][y] for x, y in datasets.Phishing())
    >>> print(f"{right / 1250:.1%}")
    93.6%

    The question that was answered last, once more:

    >>> desk.undo()
    >>> desk.question.index, desk.n_labels
    (791, 99)

    """

    def __init__(
        self,
        instances: Iterable[Any],
        classes: Sequence[str] = (),
        model: base.Classifier | None = None,
        budget: int | None = None,
        check_share: float = 0.1,
        journal: Path | None = None,
        features: Callable[[Any], Any] | None = None,
        n_candidates: int = 200,
        seed: int = 0,
    ):
        self.budget = check_number("budget", budget, integer=True, at_least=1, optional=True)
        self.check_share = check_number("check_share", check_share, at_least=0, at_most=0.5)
        self.n_candidates = check_number("n_candidates", n_candidates, integer=True, at_least=1)
        self.seed = check_number("seed", seed, integer=True)
        self.instances = list(instances)
        if not self.instances:
            raise ValueError("instances must not be empty, nor have been read before")
        self._features = _features if features is None else features
        self._given = model
        _check_model(model)
        subject = {
            "journal": "river_trapezoid.labelling",
            "instances": _fingerprint(self.instances),
            "check_share": self.check_share,
            "n_candidates": self.n_candidates,
            "seed": self.seed,
            "model": "default" if model is None else repr(model),
        }
        named = checked_classes(classes)
        if named:
            self._check_classes(named)
            subject["classes"] = named
        # A random order of all instances, the first of which are set aside to check the model.
        n = len(self.instances)
        self._order = random.Random(f"order {self.seed}").sample(range(n), n)
        self._reserved = set(self._order[: share_of(self.check_share, n)])
        self._journal = Journal(journal, subject)
        self._named = named or self._classes_of_journal()
        self._answers = self._no_answers()
        self._check_instances()
        self._open()
        self._journal.begin()

    @property
    def question(self) -> Question | None:
        """The present question; None if there is nothing left to ask."""
        return self._question

    @property
    def answers(self) -> tuple[Answer, ...]:
        """What was done about the questions so far, and not undone."""
        return tuple(self._answers.all)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return tuple(self._answers.classes)

    @property
    def model(self) -> Any:
        """The present model."""
        return self._queue.model

    @property
    def n_labels(self) -> int:
        """Number of labels given."""
        return len(self._answers.labels)

    @property
    def n_checks(self) -> int:
        """Number of labels given for instances that were drawn at random."""
        return sum(answer.check for answer in self._answers.labels.values())

    @property
    def n_unknown(self) -> int:
        """Number of instances whose label was not known."""
        return len(self._answers.unknown)

    @property
    def n_left(self) -> int:
        """Number of instances that may still be asked about."""
        return len(self.instances) - len(self._answers.labels) - len(self._answers.unknown)

    @property
    def accuracy(self) -> Accuracy | None:
        """The estimated accuracy of the present model; None as long as nothing was checked."""
        checks = [answer for answer in self._answers.labels.values() if answer.check]
        if not checks or self._is_ignorant:
            return None
        right = sum(self.predict(self.instances[a.index])[0] == a.label for a in checks)
        # It takes longer to import than all the rest of a session takes to begin.
        from scipy import stats

        interval = stats.binomtest(right, len(checks)).proportion_ci(_CONFIDENCE, method="wilson")
        return Accuracy(right, len(checks), float(interval.low), float(interval.high))

    @property
    def labels(self) -> dict[int, str]:
        """The label of each instance that has one, by its number, in the order of the answers."""
        return {index: str(answer.label) for index, answer in self._answers.labels.items()}

    def predict(self, instance: Any) -> tuple[str | None, float | None]:
        """What the present model takes an instance for, and the probability of that.

        Parameters
        ----------
        instance
            An instance, as those that were given.

        """
        return self._prediction(self.model, self._features(instance))

    def answer(self, label: str) -> None:
        """Give the label of the question, from which the model learns unless it is a check.

        Parameters
        ----------
        label
            The name of a class. One that is not known yet is added to the classes.

        """
        question = self._asked()
        if label not in self._answers.classes:
            (label,) = checked_classes([label])
            self._check_classes([*self._answers.classes, label])
        guess, probability = self._guess
        self._add(
            {
                "do": LABEL,
                "index": question.index,
                "label": label,
                "check": question.check,
                "guess": guess,
                "probability": probability,
            }
        )

    def skip(self) -> None:
        """Put the question off until no others are left."""
        self._add({"do": SKIP, "index": self._asked().index})

    def dont_know(self) -> None:
        """Say that the label of the question is not known: it is not asked for again."""
        self._add({"do": UNKNOWN, "index": self._asked().index})

    def undo(self) -> None:
        """Take back what was done last, and ask that question again."""
        if not self._answers.all:
            raise IndexError("there is nothing to undo")
        self._add({"do": UNDO})

    def finished_model(self) -> Any:
        """A model that has learned all labels, also those that it was checked with."""
        queue = copy.deepcopy(self._queue)
        for index, answer in self._answers.labels.items():
            if answer.check:
                queue.learn_one(index, self.target(str(answer.label)))
        return queue.model

    def predictions(self) -> Iterator[tuple[int, str | None, float | None]]:
        """What the finished model takes the instances without a label for.

        Yields
        ------
        The number of an instance, its class, and the probability of that; None for both as long as
        the model has not learned two classes.

        """
        model, known = self.finished_model(), not self._is_ignorant
        for index, instance in enumerate(self.instances):
            if index not in self._answers.labels:
                said = self._prediction(model, self._features(instance)) if known else (None, None)
                yield index, *said

    def save(self, folder: Path) -> list[str]:
        """Write labels, predictions for the other instances, the finished model and a summary.

        Each file is written whole or not at all. Their column `row` counts the instances from 1.

        `persist.load` reads `labels.model`, which takes of a new instance what `features` makes of it:
        a text itself, or for a table that was labelled by `river-trapezoid label` the
        `features_of(row)` of a `datasets.TableFile` of that table, opened with the same options, as
        it knows what each column holds. What it predicts is the `target` of a class, which
        `summary.json` has as `model_labels`.

        Parameters
        ----------
        folder
            Where to write `labels.csv`, `predictions.csv`, `labels.model` and `summary.json`. It is
            made if it is not there.

        Returns
        -------
        The files.

        """
        from .files import save

        return save(self, folder)

    def widget(self) -> Panel:
        """Buttons to answer with, for notebooks; ipywidgets must be installed."""
        from .panel import Panel

        return Panel(self)

    def _asked(self) -> Question:
        if self._question is None:
            raise IndexError("there is no question left to answer")
        return self._question

    def _add(self, entry: dict[str, Any]) -> None:
        """Write an entry to the journal, and only then go on from it."""
        n_before = len(self._journal.entries)
        try:
            self._journal.append(entry)
            if entry["do"] == UNDO or entry.get("label") not in (None, *self._answers.classes):
                # A model that knows of a class from the start is not the same.
                self._replay()
            else:
                self._learn(self._answers.add(entry, n_before + 1))
                self._ask()
        except BaseException as error:
            # A label that the model cannot learn is taken back. An interrupt is no reason to.
            if isinstance(error, Exception) and len(self._journal.entries) > n_before:
                self._journal.append({"do": UNDO})
            self._replay()
            raise

    def _open(self) -> None:
        """Replay the journal, and undo its last entry if the model cannot learn that one."""
        try:
            self._replay()
        except JournalError:
            raise
        except Exception:
            # A process that was killed when the model had refused a label has not undone it.
            if not self._journal.entries:
                raise
            last = self._journal.entries.pop()
            self._replay()
            self._journal.entries.append(last)
            self._add({"do": UNDO})

    def _replay(self) -> None:
        """Do everything again that is in the journal."""
        entries: list[tuple[int, dict[str, Any]]] = []
        for number, entry in enumerate(self._journal.entries, start=1):
            if entry == {"do": UNDO} and entries:
                entries.pop()
            else:
                entries.append((number, entry))
        self._answers = self._no_answers()
        for number, entry in entries:
            self._answers.add(entry, number)
        n = len(self.instances)
        self._queue = active.LabelQueue(self._new_model(), max_waiting=n, max_remembered=n)
        for answer in self._answers.all:
            self._queue.predict_one(answer.index, self._features(self.instances[answer.index]))
            self._learn(answer)
        self._ask()

    def _no_answers(self) -> Answers:
        fixed = self._given is not None and not self._given._multiclass
        return Answers(len(self.instances), self._reserved, self._named, fixed)

    def _learn(self, answer: Answer) -> None:
        """Learn an answer; those to checks, and skipped questions, stay in the queue."""
        if answer.label is None:
            if not answer.skipped:
                self._queue.drop_one(answer.index)
        elif not answer.check:
            self._queue.learn_one(answer.index, self.target(answer.label))

    def _ask(self) -> None:
        """Choose the next question."""
        self._question: Question | None = None
        self._guess: tuple[str | None, float | None] = None, None
        chosen = self._chosen()
        if chosen is None:
            return
        index, check = chosen
        instance = self.instances[index]
        x = self._features(instance)
        # Its label is waited for.
        self._queue.predict_one(index, x)
        question = Question(index, instance, check)
        if not self._is_ignorant:
            self._guess = self._prediction(self.model, x)
            guess, probability = self._guess
            if not check and guess is not None:
                why = self._explained(x, guess)
                question = Question(index, instance, check, guess, probability, why)
        self._question = question

    def _chosen(self) -> tuple[int, bool] | None:
        """The next instance to ask about, and whether that is to check the model."""
        if self.budget is not None and self.n_labels >= self.budget:
            return None
        done = self._answers.labels.keys() | self._answers.unknown
        left = [index for index in self._order if index not in done]
        if not left:
            return None
        # What was put off waits until nothing else is left.
        skipped = self._answers.skipped
        fresh = [index for index in left if index not in skipped] or [*skipped][:1]
        checks = [index for index in fresh if index in self._reserved]
        others = [index for index in fresh if index not in self._reserved]
        if self._is_ignorant:
            return (others or checks)[0], False
        due = share_of(self.check_share, self.n_labels + 1) > self.n_checks
        if checks and (due or not others):
            return checks[0], True
        rng = random.Random(f"candidates {self.seed} {len(self._answers.all)}")
        candidates = rng.sample(others, min(self.n_candidates, len(others)))
        sampler = active.MarginSampler(self.model)
        (best,) = sampler.rank([self._features(self.instances[i]) for i in candidates], k=1)
        return candidates[best], False

    @property
    def _is_ignorant(self) -> bool:
        """Whether the model has not learned two classes yet."""
        learned = {answer.label for answer in self._answers.labels.values() if not answer.check}
        return len(learned) < 2

    @property
    def _is_binary(self) -> bool:
        if self._given is None:
            return len(self._named) == 2 and len(self._answers.classes) == 2
        return not self._given._multiclass

    def _check_classes(self, classes: Sequence[str]) -> None:
        if self._given is not None and not self._given._multiclass and len(classes) != 2:
            raise ValueError(
                f"classes must be the names of two, as {self._given} is made for two; got "
                f"{', '.join(map(repr, classes)) or 'none'} (for more, wrap it in "
                "river.multiclass.OneVsRestClassifier)"
            )

    def _classes_of_journal(self) -> list[str]:
        """The classes that the journal was begun with."""
        found = self._journal.subject.get("classes")
        try:
            names = checked_classes([] if found is None else found)
            self._check_classes(names)
        except (TypeError, ValueError) as error:
            if found is None:
                raise
            raise JournalError(f"the first line of the journal: {error}") from error
        return names

    def _check_instances(self) -> None:
        """Have a new model try all instances, so that none is met later that it does not take."""
        sampler = active.MarginSampler(self._new_model())
        for index, instance in enumerate(self.instances):
            try:
                sampler.confidence_one(self._features(instance))
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"instance {index + 1:,} is none for the model: {error}") from error

    def _new_model(self) -> Any:
        """A new model of the present classes."""
        if self._given is not None:
            return self._given.clone()
        classifier: Any = EvidenceClassifier()
        if not self._is_binary:
            classifier = multiclass.OneVsRestClassifier(classifier)
            # One that came to be with the first label of its class would not know those before it.
            for label in self._answers.classes:
                classifier.classifiers[label] = classifier.classifier.clone()
        if any(isinstance(self._features(x), str) for x in self.instances[:1]):
            return compose.Pipeline(feature_extraction.BagOfWords(), classifier)
        return classifier

    def target(self, label: str) -> Any:
        """What the model learns for a class: its name, or a boolean if it is made for two.

        Parameters
        ----------
        label
            The name of a class.

        """
        return label == self._answers.classes[1] if self._is_binary else label

    def _prediction(self, model: Any, x: Any) -> tuple[str | None, float | None]:
        """The class and its probability, if the model knows any."""
        try:
            label, probabilities, _ = active.base.opinion(model, x, {})
        except NotImplementedError:
            label, probabilities = model.predict_one(x), {}
        if label is None:
            return None, None
        probability = float(probabilities.get(label, math.nan))
        return self._class_of(label), None if math.isnan(probability) else probability

    def _explained(self, x: Any, guess: str) -> Explanation | None:
        """What a guess is the sum of, in the names of the classes."""
        explanation = explain(self.model, x, self.target(guess))
        if explanation is None:
            return None
        label, other = self._class_of(explanation.label), self._class_of(explanation.other)
        return dataclasses.replace(explanation, label=label, other=other)

    def _class_of(self, label: Any) -> str:
        """The class that a label of the model means; the reverse of `target`."""
        return self._answers.classes[label == 1] if self._is_binary else label


def _features(instance: Any) -> Any:
    """The features of a dict with strings in it; anything else as it is."""
    if not isinstance(instance, dict):
        return instance
    x = {}
    for name, value in instance.items():
        if not isinstance(value, str):
            x[name] = value
        elif len(value.split()) == 1:
            x[f"{name}={value.strip()}"] = 1.0
        else:
            for word, count in _WORDS.transform_one(value).items():
                x[f"{name}:{word}"] = float(count)
    return x


_WORDS = feature_extraction.BagOfWords()


def _check_model(model: Any) -> None:
    if model is not None and not isinstance(model, base.Classifier):
        raise TypeError(f"model must be a classifier; got {model!r}")
    inner = model
    while isinstance(inner, compose.Pipeline):
        inner = inner[-1]
    if isinstance(inner, river_active.base.ActiveLearningClassifier):
        raise TypeError(
            f"model must be the classifier that {type(inner).__name__} wraps: the desk chooses what "
            "to ask"
        )


def _fingerprint(instances: list[Any]) -> str:
    """A checksum of the instances."""
    checksum = hashlib.blake2b(digest_size=16)
    for instance in instances:
        checksum.update(repr(instance).encode("utf-8", "backslashreplace") + b"\n")
    return checksum.hexdigest()
