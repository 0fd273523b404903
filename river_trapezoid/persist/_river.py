"""The classes of River that can be saved, each with the names of its state.

Other classes are refused by name. Some of River's scalers and statistics (`RobustScaler`,
`AdaptiveStandardScaler`, rolling ones) keep their state where Python cannot read it.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from typing import Any

from river import (
    base,
    compose,
    drift,
    feature_extraction,
    linear_model,
    metrics,
    multiclass,
    naive_bayes,
    optim,
    preprocessing,
    proba,
    stats,
    utils,
)

from ._codecs import Attributes, Fields, Functions
from ._values import Codec

__all__ = ["RIVER"]

_PATTERN = feature_extraction.BagOfWords().tokenizer_pattern
_LONGEST_NGRAM = 100
_TYPES = {"bool": bool, "int": int, "float": float}


def _stateless(*classes: type) -> list[Codec]:
    """Return codecs of classes whose objects have no state beside their parameters."""
    return [Attributes(cls, state=()) for cls in classes]


def _of_confusion_matrix(*classes: type) -> list[Codec]:
    """Return codecs of metrics whose state is a confusion matrix, which is a parameter."""
    derived = ("precision", "recall", "homogeneity", "completeness", "beta", "_requires_labels")
    return [Attributes(cls, derived=derived) for cls in classes]


def _take_pipeline(pipeline: Any) -> tuple[Fields, Fields]:
    return {"steps": dict(pipeline.steps)}, {}


def _put_pipeline(parameters: Fields, state: Fields) -> compose.Pipeline:
    pipeline = compose.Pipeline()
    pipeline.steps = OrderedDict(_estimators(parameters, "steps"))
    if not pipeline.steps:
        raise ValueError("steps must not be empty")
    return pipeline


def _take_union(union: Any) -> tuple[Fields, Fields]:
    return {"transformers": dict(union.transformers)}, {}


def _put_union(parameters: Fields, state: Fields) -> compose.TransformerUnion:
    union = compose.TransformerUnion()
    union.transformers = _estimators(parameters, "transformers")
    return union


def _estimators(parameters: Fields, name: str) -> dict[str, Any]:
    found = parameters[name]
    if type(found) is not dict or not all(
        type(key) is str and isinstance(step, base.Estimator) for key, step in found.items()
    ):
        raise TypeError(f"{name} must be a dict from names to estimators")
    return found


def _selection(cls: type) -> Codec:
    """Return the codec of a class whose objects hold a set of features."""

    def take_apart(thing: Any) -> tuple[Fields, Fields]:
        return {"keys": thing.keys}, {}

    def put_together(parameters: Fields, state: Fields) -> Any:
        if type(parameters["keys"]) is not set:
            raise TypeError(f"keys must be a set; got {parameters['keys']!r:.100}")
        return cls(*parameters["keys"])

    return Functions(cls, take_apart, put_together, ["keys"])


def _take_binarizer(thing: Any) -> tuple[Fields, Fields]:
    if thing.dtype not in _TYPES.values():
        raise TypeError(
            f"Binarizer.dtype cannot be saved: it must be one of {', '.join(_TYPES)}; got "
            f"{thing.dtype!r}"
        )
    return {"threshold": thing.threshold, "dtype": thing.dtype.__name__}, {}


def _put_binarizer(parameters: Fields, state: Fields) -> Any:
    return preprocessing.Binarizer(parameters["threshold"], _TYPES[parameters["dtype"]])


def _vectorizer(cls: type, *state: str) -> Codec:
    """Return the codec of a vectorizer.

    Its pattern must be River's own, as a pattern from a file could run for ever.
    """
    attributes = Attributes(cls, state=state, derived=("processing_steps",))

    def checked(parameters: Fields) -> dict[str, Any]:
        if parameters["tokenizer_pattern"] != _PATTERN:
            raise TypeError(
                f"{cls.__name__}.tokenizer_pattern cannot be saved: only River's own pattern can, "
                "as any other could run for ever"
            )
        return parameters

    def take_apart(thing: Any) -> tuple[Fields, Fields]:
        parameters, state = attributes.take_apart(thing)
        return checked(parameters), state

    def put_together(parameters: Fields, state: Fields) -> Any:
        if any(parameters[name] is not None for name in ("preprocessor", "tokenizer")):
            raise TypeError("preprocessor and tokenizer must be None")
        if not all(type(n) is int and 1 <= n <= _LONGEST_NGRAM for n in parameters["ngram_range"]):
            raise ValueError(
                f"ngram_range must have lengths from 1 to {_LONGEST_NGRAM}; got "
                f"{parameters['ngram_range']!r:.100}"
            )
        return attributes.put_together(checked(parameters), state)

    names = list(inspect.signature(cls).parameters)
    return Functions(cls, take_apart, put_together, [*names, *state])


def _check_classifiers(model: Any) -> None:
    if not all(isinstance(one, base.Classifier) for one in model.classifiers.values()):
        raise TypeError("classifiers must hold classifiers only")


def _check_pairs(model: Any) -> None:
    _check_classifiers(model)
    if any(type(pair) is not tuple or len(pair) != 2 for pair in model.classifiers):
        raise TypeError("the keys of classifiers must be pairs of labels")


def _take_roc(metric: Any) -> tuple[Fields, Fields]:
    return {"n_thresholds": metric.n_thresholds, "pos_val": metric.pos_val}, {"cms": metric.cms}


def _put_roc(parameters: Fields, state: Fields) -> Any:
    matrices = state["cms"]
    # Before the constructor makes one for each threshold.
    if len(matrices) != parameters["n_thresholds"]:
        raise ValueError(
            f"cms must have n_thresholds={parameters['n_thresholds']!r:.100} matrices; got "
            f"{len(matrices)}"
        )
    if not all(type(matrix) is metrics.ConfusionMatrix for matrix in matrices):
        raise TypeError("cms must hold confusion matrices only")
    metric = metrics.ROCAUC(**parameters)
    metric.cms = list(matrices)
    return metric


def _take_metrics(thing: Any) -> tuple[Fields, Fields]:
    return {"metrics": thing.data, "str_sep": thing.str_sep}, {}


def _put_metrics(parameters: Fields, state: Fields) -> Any:
    if not all(isinstance(metric, metrics.base.Metric) for metric in parameters["metrics"]):
        raise TypeError("metrics must hold metrics only")
    return metrics.base.Metrics(**parameters)


def _take_rolling(thing: Any) -> tuple[Fields, Fields]:
    return {"window_size": thing.window_size}, {"obj": thing.obj, "window": list(thing.window)}


def _put_rolling(parameters: Fields, state: Fields) -> Any:
    rolling: Any = utils.Rolling(stats.Mean, **parameters)
    if not isinstance(state["obj"], stats.base.Statistic | metrics.base.Metric):
        raise TypeError(f"obj must be a statistic or a metric; got {state['obj']!r:.100}")
    rolling.obj = state["obj"]
    if len(state["window"]) > rolling.window_size:
        raise ValueError(
            f"window must have at most window_size={rolling.window_size} entries; got "
            f"{len(state['window'])}"
        )
    if any(type(args) is not tuple or type(named) is not dict for args, named in state["window"]):
        raise TypeError("window must hold pairs of positional and named arguments")
    rolling.window.extend(state["window"])
    return rolling


_CODECS: dict[str, list[Codec]] = {
    "compose": [
        Functions(compose.Pipeline, _take_pipeline, _put_pipeline, ["steps"]),
        Functions(compose.TransformerUnion, _take_union, _put_union, ["transformers"]),
        _selection(compose.Select),
        _selection(compose.Discard),
    ],
    "preprocessing": [
        Attributes(preprocessing.StandardScaler, state=("counts", "means", "vars")),
        Attributes(preprocessing.MinMaxScaler, state=("min", "max")),
        Attributes(preprocessing.MaxAbsScaler, state=("abs_max",)),
        Attributes(preprocessing.OneHotEncoder, state=("values", "_zero_dict")),
        Attributes(
            preprocessing.OrdinalEncoder, state=("values",), derived=("_reserved_category_codes",)
        ),
        Attributes(preprocessing.FeatureHasher, state=("_seed",)),
        Functions(preprocessing.Binarizer, _take_binarizer, _put_binarizer, ["threshold", "dtype"]),
        *_stateless(preprocessing.Normalizer),
    ],
    "feature_extraction": [
        _vectorizer(feature_extraction.BagOfWords),
        _vectorizer(feature_extraction.TFIDF, "dfs", "n"),
    ],
    "linear_model": [
        Attributes(
            linear_model.LogisticRegression,
            state=("_weights", "intercept", "_y_name", "max_cum_l1", "cum_l1"),
        ),
        Attributes(
            linear_model.Perceptron,
            state=("optimizer", "_weights", "intercept", "_y_name"),
            derived=("loss", "l1", "intercept_init", "intercept_lr"),
        ),
        Attributes(
            linear_model.PAClassifier, state=("weights", "intercept"), derived=("calc_tau", "loss")
        ),
        Attributes(linear_model.ALMAClassifier, state=("w", "k")),
    ],
    "naive_bayes": [
        Attributes(naive_bayes.GaussianNB, state=("class_counts", "gaussians")),
        Attributes(
            naive_bayes.MultinomialNB, state=("class_counts", "feature_counts", "class_totals")
        ),
        Attributes(naive_bayes.BernoulliNB, state=("class_counts", "feature_counts")),
    ],
    "multiclass": [
        Attributes(
            multiclass.OneVsRestClassifier,
            state=("classifiers", "_y_name"),
            check=_check_classifiers,
        ),
        Attributes(
            multiclass.OneVsOneClassifier,
            state=("classifiers", "classes"),
            check=_check_pairs,
        ),
    ],
    "optim": [
        Attributes(optim.SGD, state=("n_iterations",)),
        Attributes(optim.Momentum, state=("n_iterations", "s")),
        Attributes(optim.NesterovMomentum, state=("n_iterations", "s")),
        Attributes(optim.AdaGrad, state=("n_iterations", "g2")),
        Attributes(optim.RMSProp, state=("n_iterations", "g2")),
        Attributes(optim.AdaDelta, state=("n_iterations", "g2", "s2"), derived=("lr",)),
        Attributes(optim.Adam, state=("n_iterations", "m", "v")),
        Attributes(optim.AdaMax, state=("n_iterations", "m", "u")),
        Attributes(optim.AMSGrad, state=("n_iterations", "m", "v", "v_hat")),
        Attributes(optim.Nadam, state=("n_iterations", "m", "v")),
        Attributes(optim.FTRLProximal, state=("n_iterations", "z", "n")),
    ],
    "optim.schedulers": _stateless(optim.schedulers.Constant, optim.schedulers.InverseScaling),
    "optim.losses": _stateless(optim.losses.Log, optim.losses.Hinge, optim.losses.BinaryFocalLoss),
    "optim.initializers": [
        *_stateless(optim.initializers.Constant),
        Attributes(optim.initializers.Zeros, derived=("value",)),
        Attributes(optim.initializers.Normal, state=("_rng",)),
    ],
    "stats": [
        Attributes(stats.Mean, state=("n", "_mean")),
        Attributes(stats.Var, state=("mean", "_S")),
        Attributes(stats.Min, state=("min",)),
        Attributes(stats.Max, state=("max",)),
        Attributes(stats.AbsMax, state=("abs_max",)),
    ],
    "proba": [Attributes(proba.Gaussian, state=("_rng", "_var"))],
    "metrics": [
        Attributes(
            metrics.ConfusionMatrix,
            {"classes": "_init_classes"},
            state=(
                *("sum_row", "sum_col", "data", "n_samples", "total_weight"),
                "_total_true_positives",
            ),
        ),
        Attributes(metrics.LogLoss, state=("_mean",)),
        Attributes(metrics.CrossEntropy, state=("_mean",)),
        Functions(metrics.ROCAUC, _take_roc, _put_roc, ["n_thresholds", "pos_val", "cms"]),
        *_of_confusion_matrix(
            metrics.Accuracy,
            metrics.BalancedAccuracy,
            metrics.CohenKappa,
            metrics.F1,
            metrics.FBeta,
            metrics.GeometricMean,
            metrics.Jaccard,
            metrics.MCC,
            metrics.MacroF1,
            metrics.MacroPrecision,
            metrics.MacroRecall,
            metrics.MicroF1,
            metrics.MicroPrecision,
            metrics.MicroRecall,
            metrics.Precision,
            metrics.Recall,
            metrics.WeightedF1,
            metrics.WeightedPrecision,
            metrics.WeightedRecall,
        ),
    ],
    "drift": [
        Attributes(
            drift.PageHinkley,
            state=(
                *("_drift_detected", "_x_mean", "_sum_increase", "_sum_decrease"),
                *("_min_increase", "_max_decrease"),
            ),
            derived=("_test_drift",),
        )
    ],
    "drift.binary": [
        Attributes(
            drift.binary.DDM,
            state=(*("_drift_detected", "_warning_detected", "_p", "_p_min", "_s_min", "_ps_min"),),
        )
    ],
    "utils": [
        Functions(utils.Rolling, _take_rolling, _put_rolling, ["window_size", "obj", "window"])
    ],
    "metrics.base": [
        Functions(metrics.base.Metrics, _take_metrics, _put_metrics, ["metrics", "str_sep"])
    ],
}

RIVER: dict[str, Codec] = {
    f"river.{module}.{codec.cls.__name__}": codec
    for module, codecs in _CODECS.items()
    for codec in codecs
}
