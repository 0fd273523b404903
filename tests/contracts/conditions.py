"""What a check may demand of the estimators that it applies to."""

from __future__ import annotations

from river import active

from river_trapezoid import linear_model, preprocessing


def applies_to(*conditions):
    """Restrict a check to the estimators that meet all conditions."""

    def mark(check):
        check.conditions = conditions
        return check

    return mark


def is_active(model):
    return isinstance(model, active.base.ActiveLearningClassifier)


def is_passive(model):
    """Whether predictions leave the state unchanged; a sampler draws a random number, as in River."""
    return not is_active(model)


def is_binary(model):
    return not model._multiclass


def is_not_a_wrapper(model):
    return not hasattr(model, "classifier")


def has_margin(model):
    return hasattr(model, "margin_one")


def predicts_the_likelier_label(model):
    """Whether the predicted label is the more likely one, whatever the shares of the labels."""
    return getattr(model, "decision", "accuracy") == "accuracy"


def takes_numbers_only(model):
    """Whether features must be finite numbers; an encoder of rows takes strings as well."""
    return not isinstance(model, preprocessing.RowEncoder)


def takes_categories(model):
    """Whether a string is a category, for a learner that needs no encoder."""
    return isinstance(model, linear_model.EvidenceClassifier)


def has_explanations(model):
    return hasattr(model, "debug_one")
