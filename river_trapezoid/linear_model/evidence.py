from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from river import base, utils

from river_trapezoid._instance import Features
from river_trapezoid._parameters import check_bool, check_budget, check_choice
from river_trapezoid.weights import EvidenceWeights
from river_trapezoid.weights.link import moderated

from .base import WeightedLinearClassifier, contribution_table

__all__ = ["EvidenceClassifier"]


class EvidenceClassifier(WeightedLinearClassifier):
    r"""Logistic regression on values, on their evidence, and on the evidence of pairs.

    Each feature has two inputs. The first is its value, as a running z-score. The second is its
    evidence: by how much a value like this one has moved the log-odds of the positive class so far,
    estimated from counts of the labels in a few soft bins along the z-score. A linear model of the
    values alone cannot fit a feature that is informative in its middle or at one end, and learns
    slowly from a feature that is rare; a model of the evidence alone (naive Bayes) counts redundant
    features twice. The strongest features of an instance have a third kind of input: the evidence of
    each pair of them, estimated from counts in a grid of cells, beyond the evidence of each alone.
    The model remains readable, with a curve for each feature and a heat map for each pair, as in
    additive models with pairwise interactions (GA2M[^1]), but it is online, and its features may
    come and go.

    Five heads learn from these inputs, each a Bayesian logistic regression[^2] whose weights have
    independent normal distributions: the less is known of a weight, the more it moves, so that a new
    feature catches up quickly with old ones, and there is no step size to choose.

    | head | inputs | forgets |
    |---|---|---|
    | both | values and evidence | nothing |
    | recent | values and evidence | quickly |
    | values | values | slowly |
    | evidence | evidence | nothing |
    | pairs | values, evidence, and evidence of pairs | nothing |

    A sixth regression, with a full covariance matrix, mixes the margins of the heads and the recent
    labels. The uncertainty of the weights moves the predicted probabilities towards one half[^3].
    The counts behind the evidence decay only while the head *recent* is ahead of *both*, that is
    where the concept drifts. With the z-scores $z_j$ and the evidence $\ell_j$, the margin of a head
    is

    $$\sum_j (w_j z_j + v_j \ell_j) + b, \qquad \ell_j = \frac{n}{n + 20} \left(\log\frac{c_1 + \alpha \pi_j}{c_0 + \alpha (1 - \pi_j)} - \log\frac{\pi}{1 - \pi}\right)$$

    where $c_1$, $c_0$ count the positive and negative labels at the value, $\alpha$ is the
    `smoothing`, $n$ the number of labels, $\pi$ the share of positive ones, and $\pi_j$ that among
    instances with the feature. The page on this learner in the guide has all formulas.

    A value may be a string, a category: `{"age": 38, "plan": "premium"}`. You need not encode
    it, or know the categories. Its counts of the labels are those of the category, backed off to
    those of the feature; in place of the z-score, each category has a weight of its own. A key that
    comes with a number now and a string then is two features.

    For streams whose features come and go: an absent feature costs nothing and changes nothing, and
    a new one starts from its prior. No scaler is needed in front. The cost of an instance is linear
    in the number of its features, plus a constant for its pairs.

    What to expect: on trapezoidal, evolvable and capricious streams it is more accurate than
    `StandardScaler | LogisticRegression` on most data sets and equally accurate on the others, and
    far more accurate where two features are informative only together, or where the concept drifts.
    The mean difference over 54 streams is 2.3 points. It is 1.7 points over the best, for each
    stream in hindsight, of this baseline, the same with `AdaGrad(0.1)` or restarted by ADWIN, and
    `AdPredictor(beta=1, epsilon=0)`, and 0.8 points if forests are among them. `AdPredictor` may be
    more accurate for features that are present or absent, forests under drift. On streams of 3,000
    to 10,000 rows, the calibration error of the probabilities was 0.3 to 2 points; with
    `mixture=False`, they may be far too close to one half. With 20 labels, it is as accurate as
    `LogisticRegression`. Where labels come in runs, the mixture relies on that, and loses accuracy
    if they also come late, by as much as the length of a run: use `mixture=False` there.

    The sample weight `w` of `learn_one`, up to a million, counts the label w times in all counts and
    multiplies the gradient and the curvature of each regression by w. That is a single step, taken
    from the z-scores and the evidence before it, so that it is close to w repeats of the instance
    for small weights only. On 200 instances of Phishing with `mixture=False`, the mean difference
    between the two in the probabilities of the others is .006 for w = 2, .021 for 10 and .045 for
    100. Give instances weights of the order of one, relative to each other. For the detection of
    drift, the instance counts as a single label.

    For more than two classes, wrap it in `river.multiclass.OneVsRestClassifier`.

    Parameters
    ----------
    n_bins
        Number of bins along the z-score, equally spaced in the quantiles of the normal
        distribution.
    smoothing
        The weight of the prior of a bin, in instances. The prior is the share of positive labels
        among the instances with that feature, whose own prior is the share among all. Likewise for
        the cells of a pair, whose prior follows from the evidence of the two features.
    decay
        The factor that counts are multiplied by with each label while the head *recent* is ahead;
        1 for no decay.
    n_paired
        The number of features of an instance, the strongest, that are paired with each other. 0 for
        no pairs, and no head for them.
    max_pairs
        The largest number of pairs that are kept. The one learned from longest ago is dropped
        first.
    mixture
        Whether to mix five heads. If not, there is the head *both* alone, without pairs or decay:
        the smaller and faster model, and the one for labels that come late and in runs.
    B
        The number of features that are kept: the strongest, by |w| + |0.2 + v|, where w is the
        weight of the value and v that of the evidence, relative to its prior mean. A dropped
        feature loses all its state, its pairs included. A float is a share of the features seen so
        far; an integer is a number of features, and needs no memory of the features seen. Note the
        type: `B=1` keeps a single feature, `B=1.0` all of them.
    decision
        `"accuracy"` to predict the more likely label; `"balanced"` to predict the positive one where
        it is more likely than on average, so that both labels are recognised equally well, however
        rare one of them is. Probabilities are the same.
    max_categories
        The largest number of categories that are kept of each feature. A new one replaces the
        rarest of the eight used longest ago. Far fewer than are in use cost accuracy.

    Attributes
    ----------
    value_weights
        The weight of each feature's z-score in the head *both*, as a dict.
    evidence_weights
        The weight of each feature's evidence in the head *both*, as a dict.
    head_shares
        The weight of each head in the mixture, as a dict; empty if there is none.
    n_features_seen
        Number of distinct features learned from; None if `B` is an integer.
    n_pairs
        Number of pairs of features that are kept.
    intercept
        The intercept of the head *both*.
    threshold
        The margin above which the positive label is predicted.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import linear_model

    >>> model = linear_model.EvidenceClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 91.68%

    The margin of each head, its share in the mixture, and the terms of the most important one:

    >>> x, _ = next(iter(datasets.Phishing()))
    >>> print(model.debug_one({key: x[key] for key in ("https", "is_popular")}))
    Head            Says       Share      Contribution
            pairs    1.24283    1.07901        1.34102
         evidence    1.39811    0.18167        0.25400
           recent    0.91324    0.11398        0.10409
         constant    0.30000   -0.26711       -0.08013
           values    1.15212   -0.06099       -0.07027
             both    1.34030   -0.03843       -0.05151
    recent labels   -0.17165    0.18278       -0.03137
      last labels   -0.08501   -0.02338        0.00199
    <BLANKLINE>
    Head pairs
    Name                           Value      Weight     Contribution
                https (evidence)    1.51680    0.60896        0.92367
                   https (value)   -1.57622   -0.38641        0.60907
    https, is_popular (together)    0.37361    0.05084        0.01899
           is_popular (evidence)    0.16446    0.11304        0.01859
              is_popular (value)   -0.01802    0.21751       -0.00392
                       Intercept    1.00000   -0.30916       -0.30916

    The evidence of features at a value, in log-odds, alone and together:

    >>> model.evidence_one({"https": 0.0}), model.evidence_one({"https": 1.0})
    ({'https': 1.5...}, {'https': -1.2...})

    >>> model.pair_evidence_one({"https": 0.0, "is_popular": 1.0})
    {('https', 'is_popular'): -0.62...}

    The contribution of each feature to the margin, through all heads and pairs:

    >>> model.contributions_one({"https": 0.0, "is_popular": 1.0})
    {'https': 1.85..., 'is_popular': 0.37...}

    Categories are strings:

    >>> model = linear_model.EvidenceClassifier()
    >>> for age, plan in ((38, "premium"), (25, "free"), (52, "premium"), (31, "free")) * 5:
    ...     model.learn_one({"age": age, "plan": plan}, plan == "premium")
    >>> model.predict_one({"age": 44, "plan": "premium"}), model.predict_one({"plan": "free"})
    (True, False)

    References
    ----------
    [^1]: Lou, Y., Caruana, R., Gehrke, J. and Hooker, G., 2013. Accurate intelligible models with pairwise interactions. ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, pp.623-631.
    [^2]: Spiegelhalter, D.J. and Lauritzen, S.L., 1990. Sequential updating of conditional probabilities on directed graphical structures. Networks, 20(5), pp.579-605.
    [^3]: MacKay, D.J.C., 1992. The evidence framework applied to classification networks. Neural Computation, 4(5), pp.720-736.

    """

    _TAG = "river_trapezoid.linear_model.EvidenceClassifier"

    _LARGEST_WEIGHT = 1e6
    _LATER = (*WeightedLinearClassifier._LATER, "max_categories")

    def __init__(
        self,
        n_bins: int = 10,
        smoothing: float = 2.0,
        decay: float = 0.997,
        n_paired: int = 10,
        max_pairs: int = 1000,
        mixture: bool = True,
        B: int | float = 1.0,
        decision: str = "accuracy",
        max_categories: int = 1000,
    ):
        check_bool("mixture", mixture)
        check_budget("B", B)
        check_choice("decision", decision, ("accuracy", "balanced"))
        self._weights = EvidenceWeights(
            n_bins, smoothing, decay, n_paired, max_pairs, mixture, B, max_categories
        )
        super().__init__()
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.decay = decay
        self.n_paired = n_paired
        self.max_pairs = max_pairs
        self.mixture = mixture
        self.B = B
        self.decision = decision
        self.max_categories = max_categories

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickles of earlier versions lack the later arguments.
        vars(self).update(state)
        vars(self).setdefault("max_categories", 1000)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"n_bins": 5, "n_paired": 3, "max_pairs": 4}
        yield {"B": 3}
        yield {"B": 0.5, "decision": "balanced"}
        yield {"mixture": False}

    @property
    def value_weights(self) -> dict[base.typing.FeatureName, float]:
        """The weight of each feature's z-score in the head *both*, as a new dict."""
        return {key: w for key, (w, _) in self._weights.to_dict().items()}

    @property
    def evidence_weights(self) -> dict[base.typing.FeatureName, float]:
        """The weight of each feature's evidence in the head *both*, as a new dict."""
        return {key: v for key, (_, v) in self._weights.to_dict().items()}

    @property
    def head_shares(self) -> dict[str, float]:
        """The weight of each head in the mixture, as a new dict; empty if there is none."""
        if not self.mixture:
            return {}
        return {name: share for name, _, _, share in self._weights.heads({})}

    @property
    def n_features_seen(self) -> int | None:
        """Number of distinct features learned from; None if `B` is an integer."""
        return self._weights.n_seen

    @property
    def n_pairs(self) -> int:
        """Number of pairs of features that are kept."""
        return self._weights.n_pairs

    @property
    def intercept(self) -> float:
        """The intercept of the head *both*."""
        return self._weights.intercept

    @intercept.setter
    def intercept(self, value: float) -> None:
        self._weights.intercept = value

    @property
    def threshold(self) -> float:
        """The margin above which the positive label is predicted."""
        return self._weights.log_odds if self.decision == "balanced" else 0.0

    def label_at(self, margin: float) -> Any:
        """Return the label that is predicted at a margin; the negative one at the threshold.

        Parameters
        ----------
        margin
            A margin, as returned by `margin_one`.

        """
        return super().label_at(margin - self.threshold)

    def confidence_at(self, margin: float) -> float:
        """Return the distance of a margin from the threshold.

        Parameters
        ----------
        margin
            A margin, as returned by `margin_one`.

        """
        return abs(margin - self.threshold)

    def decision_at(self, margin: float) -> tuple[Any, float]:
        """Return the label that is predicted at a margin, and the confidence in it.

        Parameters
        ----------
        margin
            A margin, as returned by `margin_one`.

        """
        margin -= self.threshold
        return super().label_at(margin), abs(margin)

    def margin_one(self, x: Features) -> float:
        """Log-odds of the positive class, averaged over the distribution of the weights.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self._weights.margin(x)

    def evidence_one(self, x: Features) -> dict[base.typing.FeatureName, float]:
        """Return the evidence of each feature of `x`: by how much it moves the log-odds.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The evidence of the features that have been learned from.

        """
        return {key: says for key, _, _, says, _ in self._weights.inputs(x)}

    def pair_evidence_one(
        self, x: Features
    ) -> dict[tuple[base.typing.FeatureName, base.typing.FeatureName], float]:
        """Return the evidence of pairs of features of `x`, beyond that of each alone.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The evidence of the pairs that are known, among the strongest features.

        """
        return {(a, b): says for a, b, says, _ in self._weights.pairs(x)}

    def contributions_one(self, x: Features) -> dict[base.typing.FeatureName, float]:
        """Return the contribution of each feature of `x` to the margin, through all heads.

        It is the sum of the contributions of its value and its evidence, and half of that of each
        of its pairs. The rest of the margin is due to the intercepts and, in a mixture, to the
        recent labels.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The contributions of the features that have been learned from.

        """
        features, pairs = self._contributions(x)
        for pair, adds in pairs.items():
            for key in pair:
                features[key] += 0.5 * adds
        return features

    def pair_contributions_one(
        self, x: Features
    ) -> dict[tuple[base.typing.FeatureName, base.typing.FeatureName], float]:
        """Return the contributions of pairs of features of `x` to the margin.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        The contributions of the pairs that are known, among the strongest features.

        """
        return self._contributions(x)[1]

    def debug_one(self, x: Features, decimals: int = 5) -> str:
        """Explain the margin of `x`: the margin of each head, and the terms of the decisive one.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            The number of decimals of each value.

        Returns
        -------
        A table of the margins of the heads, their shares and their contributions to the mixture,
        the largest first; these sum to the margin, before it is moved towards zero for the
        uncertainty of the shares. Then the contributions to the head that comes first.

        """
        if not self.mixture:
            terms = [*self._named(x, 0), ("Intercept", 1.0, self.intercept)]
            return contribution_table(terms, decimals)
        inputs = self._weights.mixed(x)
        inputs.sort(key=lambda row: (-abs(row[1] * row[2]), row[0]))
        rows = [(says, share, says * share) for _, says, share in inputs]
        mixed = utils.pretty.print_table(
            headers=["Head", "Says", "Share", "Contribution"],
            columns=[[name for name, _, _ in inputs]]
            + [[f"{row[i]: ,.{decimals}f}" for row in rows] for i in range(3)],
        )
        heads = [name for name, *_ in self._weights.heads({})]
        first = next(name for name, _, _ in inputs if name in heads)
        head = heads.index(first)
        terms = [*self._named(x, head), ("Intercept", 1.0, self._weights.intercepts[head][0])]
        return f"{mixed}\n\nHead {first}\n{contribution_table(terms, decimals)}"

    def _terms(self, x: Features) -> Iterable[tuple[Hashable, float, float]]:
        return self._named(x, 0)

    def _named(self, x: Features, head: int) -> Iterator[tuple[str, float, float]]:
        for keys, kind, value, w in self._head_terms(x, head):
            yield f"{', '.join(map(str, keys))} ({kind})", value, w

    def _head_terms(
        self, x: Features, head: int
    ) -> Iterator[tuple[tuple[Hashable, ...], str, float, float]]:
        """Features, the kind of input, its value and its weight."""
        looks = self._weights.head(head)
        for key, score, w, says, v in self._weights.inputs(x, head):
            if looks.values:
                yield (key,), "value", score, w
            if looks.evidence:
                yield (key,), "evidence", says, v
        if looks.pairs:
            for a, b, says, w in self._weights.pairs(x):
                yield (a, b), "together", says, w

    def _contributions(
        self, x: Features
    ) -> tuple[dict[Hashable, float], dict[tuple[Hashable, Hashable], float]]:
        """The contributions of features by themselves, and those of pairs."""
        sums: dict[tuple[Hashable, ...], float] = {}
        for head, share in enumerate(self._shares(x)):
            for keys, _, value, w in self._head_terms(x, head):
                sums[keys] = sums.get(keys, 0.0) + share * value * w
        features = {keys[0]: adds for keys, adds in sums.items() if len(keys) == 1}
        pairs = {(keys[0], keys[1]): adds for keys, adds in sums.items() if len(keys) == 2}
        return features, pairs

    def _shares(self, x: Features) -> list[float]:
        """The factor with which the sum of each head enters the margin of `x`."""
        heads = self._weights.heads(x)
        if not self.mixture:
            return [moderated(1.0, variance) for _, _, variance, _ in heads]
        inputs = self._weights.mixed(x)
        total = math.fsum(says * share for _, says, share in inputs)
        kept = self._weights.margin(x) / total if total else 1.0
        return [
            kept * share * (says / made if made else moderated(1.0, variance))
            for (_, made, variance, _), (_, says, share) in zip(heads, inputs, strict=False)
        ]

    def _check_features(self, x: Features) -> None:
        self._weights.margin(x)
        items = x.items()
        super()._check_features({k: 0.0 if isinstance(v, str) else v for k, v in items})

    def _step(self, x: Features, sign: int, w: float = 1.0) -> None:
        self._weights.learn(x, sign, w)

    def _parts(self) -> Sequence[Any]:
        return (self._weights,)
