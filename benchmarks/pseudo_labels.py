"""Is it worth learning from unlabelled instances with pseudo-labels?

    python -m benchmarks.pseudo_labels [SET ...] [--data FOLDER] [--csv FILE] [--jobs 2]

Progressive accuracy with 5 and 10 % of the labels, over five random orders of up to 2,000 rows, as
they are and as trapezoidal streams: of each learner that leaves unlabelled instances out, and of
`PseudoLabelClassifier` around it, at its default threshold and at others. A threshold is a margin
for OLSF, and a probability for the others. Tables are given in full and scaled but for
EvidenceClassifier, by a scaler that learns from all instances, since it needs no labels.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from collections.abc import Iterator

import joblib
from river import evaluate, linear_model, metrics, naive_bayes, preprocessing
from scipy import stats

from benchmarks import data
from river_trapezoid import semi_supervised, stream
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier
from river_trapezoid.semi_supervised import PseudoLabelClassifier

SETS = [*data.TABLES, "Phishing", "SMSSpam", "RCV1Small"]
SHARES = (0.05, 0.1)
SEEDS = range(5)
MARGINS = (None, 0.5, 0.9)
PROBABILITIES = (None, 0.75, 0.95)
LEARNERS = {
    "OLSF": (OLSFClassifier(mode=0), MARGINS),
    "OLSF-I": (OLSFClassifier(mode=1), MARGINS),
    "OLSF-II": (OLSFClassifier(mode=2), MARGINS),
    "LogisticRegression": (linear_model.LogisticRegression(), PROBABILITIES),
    "GaussianNB": (naive_bayes.GaussianNB(), PROBABILITIES),
    "EvidenceClassifier": (EvidenceClassifier(), PROBABILITIES),
}


def scaled(rows) -> Iterator[data.Instance]:
    scaler = preprocessing.StandardScaler()
    for x, y in rows:
        scaler.learn_one(x)
        yield scaler.transform_one(x), y


def accuracies(name: str, kind: str, seed: int) -> dict[tuple, float]:
    """The accuracy for each share of labels, learner and threshold; "none" without the wrapper."""
    raw = data.shuffled(data.in_full(name), seed, 2000)
    if kind == "trapezoidal":
        raw = list(stream.Trapezoidal(raw, shuffle=True, seed=seed))
    table = raw if name in data.UNSCALED else list(scaled(raw))
    found = {}
    for share, (learner, (model, thresholds)) in itertools.product(SHARES, LEARNERS.items()):
        rows = raw if learner == "EvidenceClassifier" else table
        for threshold in ("none", *thresholds):
            classifier = model.clone()
            if threshold != "none":
                classifier = PseudoLabelClassifier(classifier, threshold)
            scarce = semi_supervised.ScarceLabels(classifier, share, threshold != "none", seed=seed)
            score = evaluate.progressive_val_score(rows, scarce, metrics.Accuracy())
            found[share, learner, threshold] = score.get()
    return found


def compared(name: str, kind: str) -> list[dict]:
    """What each threshold gains on a stream, over leaving the unlabelled instances out."""
    runs = [accuracies(name, kind, seed) for seed in SEEDS]
    records = []
    for share, learner, threshold in runs[0]:
        plain = [run[share, learner, "none"] for run in runs]
        gains = [run[share, learner, threshold] - own for run, own in zip(runs, plain, strict=True)]
        if threshold != "none":
            p = stats.ttest_1samp(gains, 0.0).pvalue if len(set(gains)) > 1 else 1.0
            gain = statistics.fmean(gains)
            records.append(
                {"set": name, "stream": kind, "share": share, "learner": learner}
                | {
                    "threshold": threshold or "default",
                    "without": statistics.fmean(plain),
                }
                | {"gain": gain, "verdict": "" if p >= 0.05 else "+-"[gain < 0]}
            )
    return records


def report(records: list[dict]) -> None:
    print("gain in points: mean and median over the sets, worst and best; sets gained and lost on")
    keys = ("learner", "stream", "share", "threshold")
    groups: dict[tuple, list[dict]] = {}
    for record in records:
        groups.setdefault(tuple(record[key] for key in keys), []).append(record)
    for key, own in sorted(groups.items(), key=lambda item: str(item[0])):
        gains = [100 * record["gain"] for record in own]
        verdicts = [record["verdict"] for record in own]
        print(
            f"{key[0]:19}{key[1]:12}{key[2]:5}{key[3]:>8}"
            f"{statistics.fmean(gains):+7.2f}{statistics.median(gains):+7.2f}"
            f"{min(gains):+7.1f}{max(gains):+7.1f}{verdicts.count('+'):4}{verdicts.count('-'):4}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help="names of data sets; all by default")
    parser.add_argument("--csv")
    parser.add_argument("--jobs", type=int, default=1)
    data.add_home(parser)
    options = parser.parse_args()
    tasks = itertools.product(options.sets or SETS, ("as it is", "trapezoidal"))
    jobs = joblib.Parallel(n_jobs=options.jobs)
    records = list(itertools.chain(*jobs(joblib.delayed(compared)(*task) for task in tasks)))
    report(records)
    if options.csv:
        data.write(options.csv, records)


if __name__ == "__main__":
    main()
