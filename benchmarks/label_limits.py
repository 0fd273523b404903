"""Where choosing labels is difficult.

    python -m benchmarks.label_limits PART [--data FOLDER] [--csv FILE] [--jobs 2]

| part | |
|---|---|
| rare | one instance in twenty is positive: balanced accuracy, F1 and area under the ROC curve |
| drift | the labels are inverted half-way: accuracy in the second half |

A tenth of the labels is asked for, of at most 2,000 rows in each of five random orders. Rows are
scaled as in `label_budget`, but for `EvidenceClassifier`.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics

import joblib
from river import drift as river_drift
from river import imblearn, linear_model, metrics
from scipy import stats

from benchmarks import data, label_rivals
from benchmarks.label_budget import scaled
from river_trapezoid import active
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

BUDGET = 0.1
ORDERS = range(5)
LARGE = ["A8a", "KrVsKp", "Magic04", "PhishingLIBSVM", "SVMGuide3", "Spambase", "Splice"]
# The settings of the drift detector were chosen on the large sets, not on these.
FURTHER = [
    *("Australian", "CreditA", "DNA", "Diabetes", "German", "Isolet", "WBC", "WDBC"),
    *("SMSSpam", "PCMAC", "BaseHock", "IMDB"),
]
MEASURED = {"balanced accuracy": metrics.BalancedAccuracy, "F1": metrics.F1, "AUC": metrics.ROCAUC}


def oversampled(seed):
    return imblearn.RandomOverSampler(
        linear_model.LogisticRegression(), {False: 0.5, True: 0.5}, seed=seed
    )


LEARNERS = {
    "OLSF": lambda seed: OLSFClassifier(),
    "LogisticRegression": lambda seed: linear_model.LogisticRegression(),
    "Evidence": lambda seed: EvidenceClassifier(),
}
FOR_RARE = LEARNERS | {
    "LogisticRegression, oversampled": oversampled,
    "Evidence, balanced": lambda seed: EvidenceClassifier(decision="balanced"),
}
SAMPLERS = {
    "RandomSampler": lambda c, seed: active.RandomSampler(c, BUDGET, exact=True, seed=seed),
    "BudgetSampler": lambda c, seed: active.BudgetSampler(c, BUDGET, seed=seed),
    "BudgetSampler, credit=0": lambda c, seed: active.BudgetSampler(c, BUDGET, credit=0, seed=seed),
}
FOR_DRIFT = SAMPLERS | {
    "BudgetSampler, explore=0.5": lambda c, seed: active.BudgetSampler(
        c, BUDGET, explore=0.5, seed=seed
    ),
    "BudgetSampler, drift_detector": lambda c, seed: active.BudgetSampler(
        c, BUDGET, seed=seed, drift_detector=river_drift.PageHinkley(15, 0.05, 4, mode="up")
    ),
    "BudgetSampler before": lambda c, seed: label_rivals.ConstantRate(c, BUDGET, seed=seed),
    "uncertainty, variable": lambda c, seed: active.UncertaintySampler(
        c, BUDGET, "variable", seed=seed
    ),
    "uncertainty, split": lambda c, seed: active.UncertaintySampler(c, BUDGET, "split", seed=seed),
}
if label_rivals.quantile_filter_is_there():
    FOR_DRIFT["quantile filter"] = lambda c, seed: label_rivals.QuantileFilter(c, BUDGET, seed=seed)


def a_seed(*place) -> int:
    """A seed of its own for every stream, lest all have the same luck."""
    return random.Random(str(place)).randrange(10**6)


def rare(name: str, learner: str) -> list[dict]:
    """One instance in twenty is positive."""
    records = []
    for order in ORDERS:
        rows = data.shuffled(data.in_full(name), order)
        negative = [row for row in rows if not row[1]][:1900]
        positive = [row for row in rows if row[1]][: len(negative) // 19]
        rows = data.shuffled(negative + positive, order)
        rows = rows if learner.startswith("Evidence") else scaled(rows, [])[0]
        seed = a_seed(name, learner, order)
        for sampler, make in SAMPLERS.items():
            model = make(FOR_RARE[learner](seed), seed)
            found = {key: metric() for key, metric in MEASURED.items()}
            n_positive = 0
            for x, y in rows:
                label, proba, ask = model.decide_one(x)
                for metric in found.values():
                    metric.update(y, label if metric.requires_labels else proba)
                if ask:
                    model.learn_one(x, y)
                    n_positive += y
            records.append(
                {"set": name, "learner": learner, "sampler": sampler, "order": order}
                | {key: metric.get() for key, metric in found.items()}
                | {"positives paid for": n_positive}
            )
    return records


def report_rare(records: list[dict]) -> None:
    keys = [*MEASURED, "positives paid for"]
    print("per cent, mean over sets and orders:", *keys, sep="  ")
    for learner, sampler in itertools.product(FOR_RARE, SAMPLERS):
        own = [r for r in records if (r["learner"], r["sampler"]) == (learner, sampler)]
        cells = [statistics.fmean(r[key] for r in own) for key in keys]
        print(
            f"{learner:32}{sampler:25}",
            *(f"{100 * c:7.1f}" for c in cells[:-1]),
            f"{cells[-1]:7.1f}",
        )


def drift(name: str, learner: str) -> list[dict]:
    """The labels are inverted half-way."""
    records = []
    for order in ORDERS:
        rows = data.shuffled(data.in_full(name), order, 2000)
        if learner != "Evidence" and name not in data.TEXT:
            rows, _ = scaled(rows, [])
        half = len(rows) // 2
        seed = a_seed(name, learner, order)
        for sampler, make in FOR_DRIFT.items():
            model = make(LEARNERS[learner](seed), seed)
            right = [0, 0]
            for i, (x, y) in enumerate(rows):
                truth = y if i < half else not y
                label, ask = model.predict_one(x)
                right[i >= half] += label == truth
                if ask:
                    model.learn_one(x, truth)
            records.append(
                {"set": name, "learner": learner, "sampler": sampler, "order": order}
                | {"first half": right[0] / half, "second half": right[1] / (len(rows) - half)}
            )
    return records


def report_drift(records: list[dict]) -> None:
    print("points above random labels in each half (p in the second, over the sets)")
    for sets, learner, sampler in itertools.product((LARGE, FURTHER), LEARNERS, FOR_DRIFT):
        own: dict[tuple, list[float]] = {}
        for r in records:
            if r["set"] in sets and r["learner"] == learner:
                for half in ("first half", "second half"):
                    own.setdefault((r["set"], half, r["sampler"]), []).append(r[half])
        gains: dict[str, list[float]] = {"first half": [], "second half": []}
        for (name, half, s), values in own.items():
            if s == sampler:
                rival = own[name, half, "RandomSampler"]
                gains[half].append(100 * (statistics.fmean(values) - statistics.fmean(rival)))
        if own:
            second = gains["second half"]
            p = stats.ttest_1samp(second, 0.0).pvalue if len(set(second)) > 1 else 1.0
            means = " ".join(f"{statistics.fmean(g):+7.2f}" for g in gains.values())
            print(f"{len(second):2} sets  {learner:20}{sampler:32}{means} ({p:.3f})")


PARTS = {
    "rare": (rare, report_rare, tuple(itertools.product(LARGE, FOR_RARE))),
    "drift": (drift, report_drift, tuple(itertools.product([*LARGE, *FURTHER], LEARNERS))),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    data.add_home(parser)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv")
    options = parser.parse_args()
    measure, report, tasks = PARTS[options.part]
    jobs = joblib.Parallel(n_jobs=options.jobs, verbose=1)
    records = list(itertools.chain(*jobs(joblib.delayed(measure)(*task) for task in tasks)))
    if options.csv:
        data.write(options.csv, records)
    report(records)


if __name__ == "__main__":
    main()
