"""What is a label worth that was asked for, and does the budget hold?

    python -m benchmarks.label_budget PART [SET ...] [--data FOLDER] [--csv FILE] [--jobs 2]

| part | |
|---|---|
| accuracy | all samplers, on 23 data sets as plain, trapezoidal and capricious streams |
| full | the same at 10 %, on the 18 tables with their zeros filled in and all of them scaled |
| spending | the share of labels that `BudgetSampler` spends on whole data sets |

`accuracy` takes at most 2,000 rows of a data set in each of three random orders. Three quarters are
a stream, on which predictions are made on the way; the rest is held out for the model at its end.
Tables are scaled by a scaler that learns from all instances of the stream, as it needs no labels;
words and one-hot features are taken as they are, and `EvidenceClassifier` needs no scaler. ρ and the
discount factor of River's EntropySampler are fitted in hindsight, on the first order. Each figure is
the mean of three draws of the sampler.

As samplers do not spend the same, each is compared with random labels at the number that it really
spent, by interpolation (over the logarithm of the number) between random shares from 1 to 70 %.

`--report FILE` prints the tables of a CSV file, without new runs, and with `--summary FILE` writes the
mean gains to another.
"""

from __future__ import annotations

import argparse
import csv
import functools
import itertools
import random
import statistics

import joblib
import numpy as np
from river import active as river_active
from river import linear_model, preprocessing
from scipy import stats

from benchmarks import data, label_rivals
from river_trapezoid import active, stream
from river_trapezoid.linear_model import EvidenceClassifier, OLSFClassifier

SHARES = {"2 %": 0.02, "5 %": 0.05, "10 %": 0.1, "20 %": 0.2}
COUNTS = {"50 labels": 50, "100 labels": 100, "200 labels": 200}
# Further points of the curve of random labels.
FURTHER = {"1 %": 0.01, "40 %": 0.4, "70 %": 0.7}
ORDERS = range(3)
N_DRAWS = 3
LIMIT = 2000
LEARNERS = {
    "OLSF": OLSFClassifier,
    "LogisticRegression": linear_model.LogisticRegression,
    "Evidence": EvidenceClassifier,
}
STREAMS = ("plain", "trapezoidal", "capricious")
MEASURES = ("labels", "accuracy", "hold-out")
RANDOM, FORMER, QUANTILE = "RandomSampler", "BudgetSampler before", "quantile filter"
OURS, OURS_WITHOUT = "BudgetSampler", "BudgetSampler, credit=0"


def samplers(classifier, share, seed, rho, factor):
    """The samplers to compare, each around a clone of a classifier."""
    made = {
        OURS: lambda c: active.BudgetSampler(c, share, seed=seed),
        OURS_WITHOUT: lambda c: active.BudgetSampler(c, share, credit=0, seed=seed),
        FORMER: lambda c: label_rivals.ConstantRate(c, share, seed=seed),
        "EntropySampler": lambda c: river_active.EntropySampler(c, factor, seed=seed),
    }
    if rho is not None:
        made["MarginSampler"] = lambda c: active.MarginSampler(c, rho, seed=seed)
    for strategy in ("fixed", "variable", "randomised", "split"):
        made[f"uncertainty, {strategy}"] = lambda c, strategy=strategy: active.UncertaintySampler(
            c, share, strategy, seed=seed
        )
    if label_rivals.quantile_filter_is_there():
        made[QUANTILE] = lambda c: label_rivals.QuantileFilter(c, share, seed=seed)
    return {name: make(classifier.clone()) for name, make in made.items()}


def rows_of(name, kind, learner, order, full):
    """The stream, and what is held out, as the learner gets them."""
    rows = data.shuffled((data.in_full if full else data.instances)(name), order, LIMIT)
    n_train = len(rows) * 3 // 4
    if kind == "capricious":
        rows = list(stream.Capricious(rows, seed=order))
    train, test = rows[:n_train], rows[n_train:]
    if kind == "trapezoidal":
        train = list(stream.Trapezoidal(train, shuffle=True, seed=order))
    if learner == "Evidence" or (name in data.UNSCALED and not full):
        return train, test
    return scaled(train, test)


def scaled(train, test):
    """Both scaled, by a scaler that has learned from all instances up to each."""
    scaler = preprocessing.StandardScaler()
    ready = []
    for x, y in train:
        scaler.learn_one(x)
        ready.append((scaler.transform_one(x), y))
    return ready, [(scaler.transform_one(x), y) for x, y in test]


def run(model, train, test) -> dict[str, float]:
    right = spent = 0
    for x, y in train:
        label, ask = model.predict_one(x)
        right += label == y
        if ask:
            spent += 1
            model.learn_one(x, y)
    held_out = sum(model.classifier.predict_one(x) == y for x, y in test)
    return {
        "labels": spent,
        "accuracy": right / len(train),
        "hold-out": held_out / len(test),
    }


def accuracy(name: str, kind: str, learner: str, full: bool = False) -> list[dict]:
    """The runs of all samplers on a stream: one record for each order, level and sampler."""
    classifier = LEARNERS[learner]()
    records = []
    fitted: dict[str, tuple] = {}
    for order in ORDERS:
        train, test = rows_of(name, kind, learner, order, full)
        # Seeds of its own for every stream, lest all have the same luck.
        place = {"set": name, "stream": kind, "learner": learner, "order": order}
        seeds = random.Random(str(place)).sample(range(10**6), N_DRAWS)
        levels = SHARES | {level: n / len(train) for level, n in COUNTS.items()} | FURTHER
        for level, share in levels.items():
            if share > max(FURTHER.values()):
                continue
            chosen = level == "10 %" or not (full or level in FURTHER)
            if chosen and level not in fitted:
                fitted[level] = fit(classifier, train, share)
            draws: dict[str, list[dict]] = {}
            for seed in seeds:
                models = {RANDOM: active.RandomSampler(classifier.clone(), share, seed=seed)}
                if chosen:
                    models |= samplers(classifier, share, seed, *fitted[level])
                for sampler, model in models.items():
                    draws.setdefault(sampler, []).append(run(model, train, test))
            records += [
                place
                | {"level": level, "rows": len(train), "sampler": sampler}
                | {key: statistics.fmean(d[key] for d in drawn) for key in MEASURES}
                for sampler, drawn in draws.items()
            ]
    return records


def fit(classifier, rows, share):
    """The ρ and the discount factor that cost a share, in hindsight; None for a ρ not found."""
    try:
        rho = active.find_rho(classifier, rows, share, tolerance=0.1 * share, seed=0)
    except ValueError:
        rho = None
    return rho, label_rivals.entropy_factor(classifier, rows, share)


def gains(records: list[dict]) -> list[dict]:
    """Records with the gain in points over the same number of random labels, on the stream and held out."""
    curves: dict[tuple, list[dict]] = {}
    place = ("set", "stream", "learner", "order")
    for record in records:
        if record["sampler"] == RANDOM:
            curves.setdefault(tuple(record[key] for key in place), []).append(record)
    for curve in curves.values():
        curve.sort(key=lambda record: record["labels"])
    compared = []
    for record in records:
        curve = curves[tuple(record[key] for key in place)]
        at = np.log([max(r["labels"], 0.5) for r in curve])
        now = np.log(max(record["labels"], 0.5))
        gained = {
            f"{key} gain": 100 * (record[key] - np.interp(now, at, [r[key] for r in curve]))
            for key in ("accuracy", "hold-out")
        }
        compared.append(record | gained)
    return compared


def summary(records: list[dict]) -> list[dict]:
    """Mean gains over sets and orders, by sampler, level, stream and learner."""
    cells: dict[tuple, list[dict]] = {}
    place = ("sampler", "level", "stream", "learner")
    for record in gains(records):
        if record["level"] not in FURTHER and record["sampler"] != RANDOM:
            cells.setdefault(tuple(record[key] for key in place), []).append(record)
    keys = ("accuracy gain", "hold-out gain", "labels")
    return [
        dict(zip(place, cell, strict=True))
        | {key: round(float(np.mean([r[key] for r in own])), 3) for key in keys}
        | {"runs": len(own)}
        for cell, own in cells.items()
    ]


def mean(records, key, **where):
    own = [r[key] for r in records if all(r[k] == v for k, v in where.items())]
    return statistics.fmean(own) if own else float("nan")


def report_accuracy(records: list[dict]) -> None:
    compared = gains(records)
    names = list(dict.fromkeys(r["sampler"] for r in compared))
    chosen = {r["level"] for r in compared if r["sampler"] == OURS}
    levels = [level for level in (*SHARES, *COUNTS) if level in chosen]
    for key in ("accuracy gain", "hold-out gain", "accuracy", "hold-out", "labels"):
        print(
            f"\n{key}"
            + (", in points over the same number of random labels" if "gain" in key else "")
        )
        print(f"{'':25}", *(f"{level:>11}" for level in levels))
        for sampler in names:
            cells = [mean(compared, key, sampler=sampler, level=level) for level in levels]
            print(f"{sampler:25}", *(f"{cell:11.4g}" for cell in cells))
    for key, (by, values) in itertools.product(
        ("accuracy gain", "hold-out gain"), (("learner", LEARNERS), ("stream", STREAMS))
    ):
        print(f"\n{key} at 10 %, by {by}: {', '.join(values)}")
        for sampler in names:
            own = [mean(compared, key, sampler=sampler, level="10 %", **{by: v}) for v in values]
            print(f"{sampler:25}", *(f"{cell:+7.2f}" for cell in own))
    print("\nlabels spent, times what was asked for: mean, least and most")
    for sampler, level in itertools.product(names, levels):
        own = [
            r["labels"] / (r["rows"] * SHARES[level] if level in SHARES else COUNTS[level])
            for r in compared
            if r["sampler"] == sampler and r["level"] == level
        ]
        if own:
            cells = (statistics.fmean(own), min(own), max(own))
            print(f"{sampler:25}{level:11}", *(f"{cell:.2f}" for cell in cells))
    for rival in (FORMER, QUANTILE, RANDOM):
        print_rival(compared, rival)


def print_rival(compared: list[dict], rival: str) -> None:
    """The gain of `BudgetSampler` at 10 % over a rival, set by set, in paired tests."""
    place = ("set", "stream", "learner", "order")
    found: dict[str, dict[tuple, float]] = {OURS: {}, rival: {}}
    for record in compared:
        if record["level"] == "10 %" and record["sampler"] in found:
            own = found[record["sampler"]]
            own[tuple(record[key] for key in place)] = record["accuracy gain"]
    differences = {key: found[OURS][key] - value for key, value in found[rival].items()}
    if not differences:
        return
    print(f"\nBudgetSampler above {rival} at 10 %, at equal labels (p of a paired t-test)")
    for name in sorted({key[0] for key in differences}):
        own = [d for key, d in differences.items() if key[0] == name]
        p = stats.ttest_1samp(own, 0.0).pvalue
        print(f"{name:15} {statistics.fmean(own):+6.2f} ({p:.4f})")


def spending(name: str) -> list[dict]:
    """The share of labels that is spent on a whole data set."""
    records = []
    for order, learner in itertools.product(ORDERS, ("OLSF", "LogisticRegression")):
        train, _ = scaled(data.shuffled(data.in_full(name), order, 20_000), [])
        for budget, credit in itertools.product(SHARES.values(), (20.0, 0.0)):
            model = active.BudgetSampler(LEARNERS[learner](), budget, credit, seed=order)
            over = -np.inf
            for x, y in train:
                if model.predict_one(x)[1]:
                    model.learn_one(x, y)
                allowed = model.allowed(model.n_offered) + model.slack
                over = max(over, model.labels_spent - allowed)
            records.append(
                {"set": name, "learner": learner, "order": order, "budget": budget}
                | {"credit": credit, "rows": len(train), "labels": model.labels_spent}
                | {"most above what is allowed": over}
            )
    return records


def report_spending(records: list[dict]) -> None:
    print(
        "most labels above allowed(t) + slack:",
        max(r["most above what is allowed"] for r in records),
    )
    repaid = [
        r for r in records if r["rows"] >= 1000 and r["budget"] * r["rows"] >= 4 * r["credit"]
    ]
    worst = max(repaid, key=lambda r: abs(r["labels"] / r["rows"] - r["budget"]))
    share = worst["labels"] / worst["rows"] - worst["budget"]
    print(f"{len(repaid)} runs of at least 1,000 rows, credit repaid; farthest from the budget:")
    print(f"{100 * share:+.2f} points, {worst}")


PARTS = {
    "accuracy": (
        accuracy,
        report_accuracy,
        tuple(itertools.product([*data.TABLES, *data.TEXT], STREAMS, LEARNERS)),
    ),
    "full": (
        functools.partial(accuracy, full=True),
        report_accuracy,
        tuple(itertools.product(data.TABLES, STREAMS, LEARNERS)),
    ),
    "spending": (spending, report_spending, tuple((name,) for name in data.TABLES)),
}


def write(path: str, records: list[dict]) -> None:
    """Write records to a CSV file; those of several samplers side by side, as they are many."""
    keys = [key for key in records[0] if key not in ("sampler", *MEASURES)]
    lines: dict[tuple, dict] = {}
    for record in records:
        prefix = f"{record['sampler']}: " if "sampler" in record else ""
        line = lines.setdefault(
            tuple(record[key] for key in keys), {key: record[key] for key in keys}
        )
        line |= {prefix + key: round(record[key], 4) for key in MEASURES if key in record}
    columns = dict.fromkeys(column for line in lines.values() for column in line)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(columns))
        writer.writeheader()
        writer.writerows(lines.values())


def read(path: str) -> list[dict]:
    """The records of a CSV file."""
    records = []
    with open(path, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            place: dict = {}
            found: dict[str, dict] = {}
            for column, text in line.items():
                sampler, _, key = column.rpartition(": ")
                if text:
                    (found.setdefault(sampler, {}) if sampler else place)[key] = _value(text)
            records += [place | {"sampler": s} | values for s, values in found.items()] or [place]
    return records


def _value(text: str):
    try:
        return float(text)
    except ValueError:
        return text


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("sets", nargs="*", help="names of data sets; all by default")
    data.add_home(parser)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv")
    parser.add_argument("--report", metavar="FILE", help="read the runs from a CSV file")
    parser.add_argument("--summary", metavar="FILE", help="write mean gains to a CSV file")
    options = parser.parse_args()
    measure, report, tasks = PARTS[options.part]
    if options.report:
        records = read(options.report)
        report(records)
        if options.summary:
            data.write(options.summary, summary(records))
        return
    tasks = [task for task in tasks if not options.sets or task[0] in options.sets]
    jobs = joblib.Parallel(n_jobs=options.jobs, verbose=1, return_as="generator")
    records: list[dict] = []
    for own in jobs(joblib.delayed(measure)(*task) for task in tasks):
        records += own
        if options.csv:
            write(options.csv, records)
    report(records)


if __name__ == "__main__":
    main()
