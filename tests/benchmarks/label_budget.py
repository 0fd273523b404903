"""Does the budget hold, and is a chosen label worth more than a random one?

    python -m tests.benchmarks.label_budget [--data FOLDER] [--jobs 2] [--csv FILE]

Prints, for every data set with at
least 1,000 rows, the share of labels spent at four budgets; and for all binary data sets the
progressive accuracy at a budget of 10 %, paired over seeds with random labels, and beside River's
EntropySampler with the discount factor that comes closest to the same cost.

Tables are scaled, by a scaler that learns from all instances, since it needs no labels
(`compose.learn_during_predict`). Words and one-hot features are taken as they are.
"""

from __future__ import annotations

import argparse
import statistics

import joblib
from river import active as river_active
from river import compose, linear_model, preprocessing
from scipy import stats

from river_trapezoid import active
from river_trapezoid.linear_model import OLSFClassifier
from tests.benchmarks import data

BINARY = [*data.TABLES, *data.TEXT, "A9a"]
BUDGETS = (0.02, 0.05, 0.1, 0.2)
SEEDS = range(5)


def learner(name: str, kind: str):
    model = OLSFClassifier() if kind == "OLSF" else linear_model.LogisticRegression()
    return model if name in data.UNSCALED else preprocessing.StandardScaler() | model


def run(model, instances) -> tuple[float, float]:
    right = spent = 0
    with compose.learn_during_predict():
        for x, y in instances:
            y_pred, ask = model.predict_one(x)
            right += y_pred == y
            if ask:
                spent += 1
                model.learn_one(x, y)
    return right / len(instances), spent / len(instances)


def spending(name: str) -> list[dict]:
    records = []
    source = data.instances(name)
    for seed in SEEDS if len(source) >= 1000 else ():
        instances = data.shuffled(source, seed)
        for kind in ("OLSF", "LogisticRegression"):
            for budget in BUDGETS:
                model = active.BudgetSampler(learner(name, kind), budget=budget, seed=seed)
                _, share = run(model, instances)
                records.append(
                    {"set": name, "learner": kind, "budget": budget, "seed": seed, "share": share}
                )
    return records


def accuracy(name: str, kind: str, limit: int = 5000) -> list[dict]:
    source = data.instances(name)
    factor = entropy_factor(name, kind, data.shuffled(source, 0, limit))
    records = []
    for seed in SEEDS:
        instances = data.shuffled(source, seed, limit)
        samplers = {
            "random": active.RandomSampler(learner(name, kind), 0.1, seed=seed),
            "budget": active.BudgetSampler(learner(name, kind), 0.1, seed=seed),
            "entropy": river_active.EntropySampler(learner(name, kind), factor, seed=seed),
        }
        for sampler, model in samplers.items():
            value, share = run(model, instances)
            records.append(
                {"set": name, "learner": kind, "sampler": sampler, "seed": seed}
                | {"accuracy": value, "share": share}
            )
    return records


def entropy_factor(name: str, kind: str, instances) -> float:
    """The discount factor with which EntropySampler comes closest to 10 % of the labels."""
    low, high = 0.0, 2000.0
    for _ in range(12):
        middle = (low + high) / 2
        _, share = run(river_active.EntropySampler(learner(name, kind), middle, seed=0), instances)
        low, high = (middle, high) if share > 0.1 else (low, middle)
    return (low + high) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    data.add_home(parser)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv")
    options = parser.parse_args()
    jobs = joblib.Parallel(n_jobs=options.jobs)

    runs = jobs(joblib.delayed(spending)(name) for name in [*BINARY, "PowerSupply"])
    spent = [record for records in runs for record in records]
    print("share of labels spent, and the largest distance from the budget over five seeds")
    for name in dict.fromkeys(r["set"] for r in spent):
        for kind in ("OLSF", "LogisticRegression"):
            cells = []
            for budget in BUDGETS:
                own = [
                    r["share"]
                    for r in spent
                    if (r["set"], r["learner"], r["budget"]) == (name, kind, budget)
                ]
                worst = max(abs(share - budget) for share in own)
                cells.append(f"{statistics.fmean(own):7.2%} ({worst:.2%})")
            print(f"{name:15} {kind:18}", *cells)
    print(f"largest distance: {max(abs(r['share'] - r['budget']) for r in spent):.2%}\n")

    tasks = [(name, kind) for kind in ("OLSF", "LogisticRegression") for name in BINARY]
    runs = jobs(joblib.delayed(accuracy)(*task) for task in tasks)
    measured = [record for records in runs for record in records]
    print("progressive accuracy with 10 % of the labels, and the gain over random labels (p)")
    for kind in ("OLSF", "LogisticRegression"):
        gains: dict[str, list[float]] = {"budget": [], "entropy": []}
        below = []
        for name in BINARY:
            own = {
                sampler: [
                    r["accuracy"]
                    for r in measured
                    if (r["set"], r["learner"], r["sampler"]) == (name, kind, sampler)
                ]
                for sampler in ("random", "budget", "entropy")
            }
            line = f"{name:15} {kind:18} {statistics.fmean(own['random']):.4f}"
            for sampler, values in gains.items():
                gain = statistics.fmean(own[sampler]) - statistics.fmean(own["random"])
                p = stats.ttest_rel(own[sampler], own["random"]).pvalue
                share = statistics.fmean(
                    r["share"]
                    for r in measured
                    if (r["set"], r["learner"], r["sampler"]) == (name, kind, sampler)
                )
                values.append(gain)
                line += f"   {sampler} {gain:+.4f} ({p:.3f}, {share:.1%} spent)"
                if sampler == "budget" and gain < 0 and p < 0.05:
                    below.append(name)
            print(line)
        means = {sampler: f"{statistics.fmean(g):+.4f}" for sampler, g in gains.items()}
        print(f"{kind}: mean gain {means}; significantly below random: {below or 'none'}\n")
    if options.csv:
        data.write(options.csv, measured)


if __name__ == "__main__":
    main()
