from __future__ import annotations

import copy
import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from river import base

from river_trapezoid import active
from river_trapezoid._parameters import check_number, share_of

from .answers import LABEL, SKIP, UNDO, UNKNOWN, Answer, Answers, checked_classes
from .features import default_features, fingerprint
from .journal import Journal, JournalError
from .models import Models, check_model
from .questions import Accuracy, Question

if TYPE_CHECKING:
    from .panel import Panel

__all__ = ["Desk"]

Path = str | os.PathLike[str]


class Desk:
    """Label instances by hand, with questions chosen by active learning.

    A desk asks for the label of one instance at a time and learns from each answer at once. It asks
    for the instance that the model is least sure of, among `n_candidates` drawn at random. Until two
    classes have been learned, questions are drawn at random.

    Chosen in this way, the questions are harder than average and cannot be used to estimate the
    accuracy. A share of the questions, `check_share`, is therefore drawn at random from all
    instances. These are checks: the guess of the model is not shown before the answer, and the model
    does not learn the answer while the desk is open. The accuracy of the current model on the checks
    estimates its accuracy on new instances of the same distribution. On the other instances of the
    desk the accuracy is rather higher, as the hardest ones have been labelled. Checks that are skipped
    or unknown do not count. The model that `save` writes has learned the checks as well.

    With a simulated labeller who makes no mistakes, the model reached 95 % of the accuracy that it has
    with all labels after 70 labels on SMS spam and 50 on Phishing; it took 168 and 65 labels when the
    instances were labelled in order. On noisy data the choice of instances hardly matters. If a class
    is rare, it may take many random questions to find an instance of it.

    With a `journal`, each answer is on the disk before the next question is asked. When the process is
    killed, no answer is lost: a desk with the same arguments resumes with the same question. The state
    of a desk depends on its arguments and the journal only, and the journal is replayed when the desk
    is opened and when an answer is undone. The model must be deterministic, as all models of this
    package are if they have a seed.

    Instances are numbered from 0 in Python and in the journal. On the screen and in the files that
    `save` writes, they are rows, numbered from 1.

    Parameters
    ----------
    instances
        The instances, as dicts of features or as texts. They are kept in memory.
    classes
        Names of the classes. More can be added with their first label, unless the model is binary.
        If empty, the classes of the journal are used.
    model
        The classifier to train; the desk uses an untrained clone. A binary classifier learns `False`
        for the first class and `True` for the second. By default, `EvidenceClassifier`, in
        `multiclass.OneVsRestClassifier` unless there are two classes, and after `BagOfWords` for
        texts.
    budget
        Maximum number of labels; None for no limit.
    check_share
        Share of the questions that are checks, at most 0.5.
    journal
        Path of the journal; None to keep it in memory.
    features
        Function from an instance to the features for the model. By default, numbers remain as they
        are, a string of one word becomes a feature, and a longer string becomes a feature for each
        word.
    n_candidates
        Number of instances drawn at random, from which the next question is chosen.
    seed
        Random seed.

    Attributes
    ----------
    question
        The current `Question`; None if there are no more.
    answers
        The answers that were given and not undone, as `Answer` objects.
    classes
        Names of the classes.
    accuracy
        Estimated `Accuracy` of the current model; None before the first check.
    model
        The current model.
    labels
        The labels, by the number of the instance.
    n_labels
        Number of labels.
    n_checks
        Number of labels of checks.
    n_unknown
        Number of instances whose label is unknown.
    n_left
        Number of instances that can still be asked about.

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

    Ten checks give a wide interval, which covers the accuracy on all instances:

    >>> print(f"{desk.accuracy.low:.0%} to {desk.accuracy.high:.0%}")
    49% to 94%

    >>> right = sum(desk.predict(x)[0] == ["honest", "phishing"][y] for x, y in datasets.Phishing())
    >>> print(f"{right / 1250:.1%}")
    93.6%

    The last answer can be undone:

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
            raise ValueError(
                "instances must not be empty; got none (an iterator can be read only once)"
            )
        self._features = default_features if features is None else features
        self._given = model
        subject = {
            "journal": "river_trapezoid.labelling",
            "instances": fingerprint(self.instances),
            "check_share": self.check_share,
            "n_candidates": self.n_candidates,
            "seed": self.seed,
            "model": "default" if model is None else repr(model),
        }
        named = checked_classes(classes)
        if named:
            check_model(model, named)
            subject["classes"] = named
        # All instances in random order; the first ones are reserved for checks.
        n = len(self.instances)
        self._order = random.Random(f"order {self.seed}").sample(range(n), n)
        self._reserved = set(self._order[: share_of(self.check_share, n)])
        self._journal = Journal(journal, subject)
        self._named = named or self._classes_of_journal()
        self._clear()
        self._check_instances()
        self._open()
        self._journal.begin()

    @property
    def question(self) -> Question | None:
        """The current question; None if there are no more."""
        return self._question

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers that were given and not undone."""
        return tuple(self._answers.all)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return tuple(self._answers.classes)

    @property
    def model(self) -> Any:
        """The current model."""
        return self._queue.model

    @property
    def labels(self) -> dict[int, str]:
        """The labels by the number of the instance, in the order of the answers."""
        return {index: str(answer.label) for index, answer in self._answers.labels.items()}

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self._answers.labels)

    @property
    def n_checks(self) -> int:
        """Number of labels of checks."""
        return sum(answer.check for answer in self._answers.labels.values())

    @property
    def n_unknown(self) -> int:
        """Number of instances whose label is unknown."""
        return len(self._answers.unknown)

    @property
    def n_left(self) -> int:
        """Number of instances that can still be asked about."""
        return len(self.instances) - self.n_labels - self.n_unknown

    @property
    def accuracy(self) -> Accuracy | None:
        """Estimated accuracy of the current model; None before the first check."""
        checks = [answer for answer in self._answers.labels.values() if answer.check]
        if not checks or not self._has_learned:
            return None
        right = sum(self.predict(self.instances[a.index])[0] == a.label for a in checks)
        return Accuracy.estimated(right, len(checks))

    def predict(self, instance: Any) -> tuple[str | None, float | None]:
        """Predict the class of an instance with the current model.

        Parameters
        ----------
        instance
            An instance of the same kind as those of the desk.

        Returns
        -------
        The class and its probability, each None if the model has none.

        """
        return self._models.predict(self.model, self._features(instance))

    def target(self, label: str) -> Any:
        """Return the label that the model learns for a class: a boolean if the model is binary.

        Parameters
        ----------
        label
            The name of a class.

        """
        return self._models.target(label)

    def answer(self, label: str) -> None:
        """Answer the question with a label, which the model learns unless the question is a check.

        Parameters
        ----------
        label
            The name of a class. A new name is added to the classes.

        """
        question = self._asked()
        if label not in self._answers.classes:
            (label,) = checked_classes([label])
            check_model(self._given, [*self._answers.classes, label])
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
        """Postpone the question until all others are answered."""
        self._add({"do": SKIP, "index": self._asked().index})

    def dont_know(self) -> None:
        """Answer that the label is unknown; the instance is not asked about again."""
        self._add({"do": UNKNOWN, "index": self._asked().index})

    def undo(self) -> None:
        """Undo the last answer, and ask the same question again."""
        if not self._answers.all:
            raise IndexError("there is no answer to undo")
        self._add({"do": UNDO})

    def finished_model(self) -> Any:
        """Return a copy of the model that has learned all labels, those of checks included."""
        queue = copy.deepcopy(self._queue)
        for index, answer in self._answers.labels.items():
            if answer.check:
                queue.learn_one(index, self.target(str(answer.label)))
        return queue.model

    def predictions(self) -> Iterator[tuple[int, str | None, float | None]]:
        """Predict the instances without a label with the finished model.

        Yields
        ------
        The number of an instance, its class and the probability of that class; None for both before
        the model has learned two classes.

        """
        model = self.finished_model()
        for index, instance in enumerate(self.instances):
            if index in self._answers.labels:
                continue
            if self._has_learned:
                yield index, *self._models.predict(model, self._features(instance))
            else:
                yield index, None, None

    def save(self, folder: Path) -> list[str]:
        """Write the labels, predictions for the other instances, the finished model and a summary.

        Whatever happens, each of the files is complete or remains as it was. Their column `row` numbers
        the instances from 1.

        `persist.load` loads `labels.model`, a model of what `features` returns: of a text, or of the
        features of a row of a table. After `river-trapezoid label`, these are `features_of(row)` of a
        `datasets.TableFile` of the same table, opened with the same options. The model predicts the
        `target` of a class; `model_labels` in `summary.json` lists these.

        Parameters
        ----------
        folder
            Where to write `labels.csv`, `predictions.csv`, `labels.model` and `summary.json`. It is
            created if it does not exist.

        Returns
        -------
        The paths of the files.

        """
        from .files import save

        return save(self, folder)

    def widget(self) -> Panel:
        """Return a panel of buttons for a notebook; this needs ipywidgets."""
        from .panel import Panel

        return Panel(self)

    def _asked(self) -> Question:
        if self._question is None:
            raise IndexError("there is no question to answer")
        return self._question

    def _add(self, entry: dict[str, Any]) -> None:
        """Write an entry to the journal, then change the state."""
        n_before = len(self._journal.entries)
        try:
            self._journal.append(entry)
            if entry["do"] == UNDO or entry.get("label") not in (None, *self._answers.classes):
                # A new class needs a model that has it from the start.
                self._replay()
            else:
                self._learn(self._answers.add(entry, n_before + 1))
                self._ask()
        except BaseException as error:
            # A label that the model cannot learn is undone. After an interrupt the entry remains.
            if isinstance(error, Exception) and len(self._journal.entries) > n_before:
                self._journal.append({"do": UNDO})
            self._replay()
            raise

    def _open(self) -> None:
        """Replay the journal, and undo its last entry if the model cannot learn it."""
        try:
            self._replay()
        except JournalError:
            raise
        except Exception:
            # The process may have been killed before it could undo a label that the model refused.
            if not self._journal.entries:
                raise
            last = self._journal.entries.pop()
            self._replay()
            self._journal.entries.append(last)
            self._add({"do": UNDO})

    def _replay(self) -> None:
        """Compute the state from the journal."""
        self._clear()
        try:
            self._answers.replay(self._journal.entries)
        except JournalError as error:
            raise JournalError(f"{str(self._journal.path)!r}: {error}") from None
        n = len(self.instances)
        self._queue = active.LabelQueue(self._models.new(), max_waiting=n, max_remembered=n)
        for answer in self._answers.all:
            self._queue.predict_one(answer.index, self._features(self.instances[answer.index]))
            self._learn(answer)
        self._ask()

    def _clear(self) -> None:
        closed = self._given is not None and not self._given._multiclass
        self._answers = Answers(len(self.instances), self._reserved, self._named, closed)
        text = isinstance(self._features(self.instances[0]), str)
        self._models = Models(self._given, len(self._named), self._answers.classes, text)

    def _learn(self, answer: Answer) -> None:
        """Learn an answer; instances of checks and of skipped questions stay in the queue."""
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
        # The instance waits for its label in the queue.
        self._queue.predict_one(index, x)
        question = Question(index, instance, check)
        if self._has_learned:
            self._guess = self._models.predict(self.model, x)
            guess, probability = self._guess
            if not check and guess is not None:
                explanation = self._models.explain(self.model, x, guess)
                question = Question(index, instance, check, guess, probability, explanation)
        self._question = question

    def _chosen(self) -> tuple[int, bool] | None:
        """Return the next instance to ask about and whether it is a check; None if there is none."""
        if self.budget is not None and self.n_labels >= self.budget:
            return None
        done = self._answers.labels.keys() | self._answers.unknown
        left = [index for index in self._order if index not in done]
        if not left:
            return None
        # Skipped instances follow when there are no others.
        skipped = self._answers.skipped
        fresh = [index for index in left if index not in skipped] or [*skipped][:1]
        checks = [index for index in fresh if index in self._reserved]
        others = [index for index in fresh if index not in self._reserved]
        if not self._has_learned:
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
    def _has_learned(self) -> bool:
        """Whether the model has learned two classes."""
        learned = {answer.label for answer in self._answers.labels.values() if not answer.check}
        return len(learned) >= 2

    def _classes_of_journal(self) -> list[str]:
        """Return the classes in the first line of the journal."""
        found = self._journal.subject.get("classes")
        try:
            names = checked_classes([] if found is None else found)
            check_model(self._given, names)
        except (TypeError, ValueError) as error:
            if found is None:
                raise
            raise JournalError(f"{str(self._journal.path)!r}: {error}") from None
        return names

    def _check_instances(self) -> None:
        """Have an untrained model predict all instances, to find those that it does not accept."""
        sampler = active.MarginSampler(self._models.new())
        for row, instance in enumerate(self.instances, start=1):
            try:
                sampler.confidence_one(self._features(instance))
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"instances: the model does not accept row {row:,}: {error}") from error
