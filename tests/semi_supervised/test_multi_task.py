from __future__ import annotations

import json

import numpy as np
import pytest

from river_trapezoid.semi_supervised._kernel import Kernel
from river_trapezoid.semi_supervised._multi_task import Chunk, Costs, machines
from river_trapezoid.semi_supervised.relational_kmeans import hill_climb, relations

FILES = ["ts3vm_golden.json", "ts3vm_golden_flat_b.json"]


class Golden:
    def __init__(self, path):
        self.trace = json.loads(path.read_text())
        meta = self.trace["meta"]
        self.costs = Costs(meta["C"], meta["Cstar"], meta["C1"], meta["C2"])
        self.X = np.array(self.trace["X"])
        self.sign = np.array([0.0 if y is None else y for y in self.trace["y"]])
        n = len(self.X)
        self.tail = np.arange(n) >= n - round(meta["tail_fraction"] * n)
        self.task = np.where(self.tail, 1, 2)
        self.no_task = np.zeros(n, int)
        self.unlabelled = np.flatnonzero(self.sign == 0)
        self.type_3 = np.flatnonzero((self.sign == 0) & self.tail)
        self.type_4 = np.flatnonzero((self.sign == 0) & ~self.tail)

    def clusters(self):
        rk = self.trace["rk"]
        labels = np.array(rk["final_labels"])
        clusters = np.zeros((len(self.X), rk["k"]))
        clusters[self.type_4, labels] = 1.0
        return clusters / clusters.sum(axis=0)


@pytest.fixture(params=FILES)
def golden(request, shared):
    return Golden(shared / "golden" / "ts3vm" / request.param)


def chunks(golden):
    """The chunk in both forms."""
    yield Chunk(features=golden.X)
    yield Chunk(gram=golden.X @ golden.X.T)


def assert_matches(machine, expected, X):
    w = X.T @ machine.coefficients_of(0)
    np.testing.assert_allclose(w, expected["w"], atol=1e-7)
    for task in (1, 2):
        if f"v{task}" in expected:
            v = X.T @ machine.coefficients_of(task) - w
            np.testing.assert_allclose(v, expected[f"v{task}"], atol=1e-7)
    if "b_interval" in expected:
        low, high = expected["b_interval"]
        assert low - 1e-9 <= machine.intercept <= high + 1e-9
        np.testing.assert_allclose(machine.solution.interval, (low, high), atol=1e-9)
    assert machine.intercept == pytest.approx(expected["b"], abs=1e-9)
    objective = expected.get("objective", expected.get("convex_objective"))
    assert machine.solution.objective == pytest.approx(objective, rel=1e-9)
    assert machine.solution.residual < 1e-10
    if "pseudo_labels" in expected:
        assert machine.pseudo_labels.tolist() == expected["pseudo_labels"]


def eq_9(machine, golden, X, type_3):
    """The objective with the unlabelled loss as it is, not as the procedure replaces it."""
    w = X.T @ machine.coefficients_of(0)
    v = {task: X.T @ machine.coefficients_of(task) - w for task in (1, 2)}
    weights = {task: w + v[task] for task in (1, 2)}
    weights[0] = w
    f = np.array([x @ weights[t] for x, t in zip(X, machine.task, strict=True)])
    f += machine.intercept
    labelled = golden.sign != 0
    costs = golden.costs
    return (
        w @ w
        + costs.C1 * v[1] @ v[1]
        + costs.C2 * v[2] @ v[2]
        + costs.C * np.maximum(0, 1 - golden.sign * f)[labelled].sum()
        + costs.C_star * np.maximum(0, 1 - np.abs(f[type_3])).sum()
    )


def test_svm(golden):
    for chunk in chunks(golden):
        (machine,) = machines(chunk, golden.sign, golden.no_task, golden.costs)
        assert_matches(machine, golden.trace["svm"], golden.X)


def test_transfer_svm(golden):
    for chunk in chunks(golden):
        (machine,) = machines(chunk, golden.sign, golden.task, golden.costs)
        assert_matches(machine, golden.trace["trsvm"], golden.X)


@pytest.mark.parametrize("name", ["s3vm", "ts3vm"])
def test_rounds_of_the_concave_convex_procedure(golden, name):
    task = golden.no_task if name == "s3vm" else golden.task
    unlabelled = golden.unlabelled if name == "s3vm" else golden.type_3
    for chunk in chunks(golden):
        _, *rounds = machines(chunk, golden.sign, task, golden.costs, unlabelled)
        for machine, expected in zip(rounds, golden.trace[name], strict=True):
            assert_matches(machine, expected, golden.X)
            assert eq_9(machine, golden, golden.X, unlabelled) == pytest.approx(
                expected["objective_eq9"], rel=1e-9
            )
            mean = machine.solution.scores[-len(unlabelled) :].mean()
            assert mean == pytest.approx(expected["balance_rhs"], abs=1e-9)


def test_clusters_as_features(golden):
    X = golden.X
    for plain in chunks(golden):
        chunk = plain.with_clusters(golden.clusters())
        first, *rounds = machines(chunk, golden.sign, golden.task, golden.costs, golden.type_3)
        features = np.hstack([X, X @ np.array(golden.trace["rk"]["centers"]).T])
        assert_matches(first, golden.trace["rk_trsvm_init"], features)
        for machine, expected in zip(rounds, golden.trace["rk_ts3vm"], strict=True):
            assert_matches(machine, expected, features)
            # The same function without the clusters' features.
            w = X.T @ chunk.over_instances(machine.coefficients_of(0))
            np.testing.assert_allclose(X @ w, features @ np.array(expected["w"]), atol=1e-7)


@pytest.mark.parametrize(
    ("name", "predicting_task"), [("svm", 0), ("trsvm", 1), ("s3vm", 0), ("ts3vm", 0)]
)
def test_rbf_decisions(golden, name, predicting_task):
    # The reference took task 1 of the transfer SVM here.
    gram = Kernel("rbf", gamma=0.2, degree=3, coef0=1.0)(golden.X, golden.X)
    task = golden.task if name in ("trsvm", "ts3vm") else golden.no_task
    unlabelled = {"s3vm": golden.unlabelled, "ts3vm": golden.type_3}.get(name)
    *_, machine = machines(Chunk(gram=gram), golden.sign, task, golden.costs, unlabelled)
    decisions = gram[:5] @ machine.coefficients_of(predicting_task) + machine.intercept
    expected = golden.trace["kernel_rbf_gamma_0.2"][name]
    # Its kernel optima are approximate; ours satisfy the optimality conditions exactly.
    assert machine.solution.residual < 1e-10
    np.testing.assert_allclose(decisions, expected["decision_first5"], atol=1e-6)
    assert machine.intercept == pytest.approx(expected["b"], abs=1e-6)


def test_moves_of_relational_kmeans(golden):
    rk = golden.trace["rk"]
    rows = relations(golden.X[golden.type_4], golden.X[(golden.sign != 0) & golden.tail])
    np.testing.assert_allclose(rows[0], rk["W_row0"], rtol=1e-12)
    labels = np.array(rk["initial_labels"])
    accepted = 0
    for pick in rk["picks"]:
        moved = hill_climb(rows, labels, [pick], rk["min_cluster_size"])
        accepted += int((moved != labels).sum())
        labels = moved
    assert accepted == rk["accepted"]
    assert labels.tolist() == rk["final_labels"]
    at_once = hill_climb(rows, np.array(rk["initial_labels"]), rk["picks"], rk["min_cluster_size"])
    assert at_once.tolist() == rk["final_labels"]
    centres = golden.clusters().T @ golden.X
    np.testing.assert_allclose(centres, rk["centers"], atol=1e-12)


def test_every_round_lowers_the_objective(golden):
    _, *rounds = machines(
        Chunk(features=golden.X), golden.sign, golden.no_task, golden.costs, golden.unlabelled
    )
    values = [eq_9(machine, golden, golden.X, golden.unlabelled) for machine in rounds]
    assert values == sorted(values, reverse=True)


def test_target_is_met():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    sign = np.where(X[:, 0] > 0, 1.0, -1.0) * (np.arange(60) < 20)
    unlabelled = np.arange(20, 60)
    *_, machine = machines(
        Chunk(features=X), sign, np.zeros(60, int), Costs(1.0), unlabelled, target=0.4
    )
    f = X @ (X.T @ machine.coefficients_of(0)) + machine.intercept
    assert f[unlabelled].mean() == pytest.approx(0.4)


def small_chunk(seed, n=24, d=2):
    """Labelled and unlabelled instances of two tasks, not centred, with labels that contradict."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.5
    y = np.where(X[:, 0] - 0.5 + 0.8 * rng.normal(size=n) > 0, 1.0, -1.0)
    sign = np.where(np.arange(n) % 3 > 0, y, 0.0)
    return X, sign, np.where(np.arange(n) >= n // 2, 1, 2)


def violation(machine, X, sign, task, costs, type_3):
    """How far a machine is from the conditions that an optimum of its convex problem satisfies."""
    c = machine.coefficients
    w = X.T @ machine.coefficients_of(0)
    v = {t: X.T @ machine.coefficients_of(t) - w for t in (1, 2)}
    f = X @ w + machine.intercept
    low, high = np.zeros(len(X)), np.zeros(len(X))

    def hinge(i, y, margin, price):
        slack = y * f[i] - margin
        ends = np.array([price if slack < -1e-7 else 0.0, 0.0 if slack > 1e-7 else price]) * y
        low[i] += ends.min()
        high[i] += ends.max()

    for i in np.flatnonzero(sign):
        f[i] += X[i] @ v[task[i]]
        hinge(i, sign[i], 1.0, costs.C)
    # The gradients in w, in v of each task, and in b.
    worst = [abs(w - X.T @ c / 2).max(), abs(c.sum())]
    for t, price in ((1, costs.C1), (2, costs.C2)):
        own = (task == t) & (sign != 0)
        worst.append(abs(price * v[t] - X[own].T @ c[own] / 2).max())
    if len(machine.pseudo_labels):
        for i, y in zip(type_3, machine.pseudo_labels, strict=True):
            hinge(i, y, 1.0, costs.C_star)
            hinge(i, y, -1.0, costs.C_star)
        worst.append(abs(f[type_3].mean() - sign[sign != 0].mean()))
        # The multiplier of the balance adds the same to all of these coefficients.
        worst.append((c - high)[type_3].max() - (c - low)[type_3].min())
    labelled = sign != 0
    return max([*worst, *(c - high)[labelled], *(low - c)[labelled]])


@pytest.mark.parametrize(
    "costs",
    [
        Costs(1.0, 1.0, 10.0, 1.0),
        Costs(1.0, 1.0, 0.0, 1.0),
        Costs(1.0, 0.5, 2.0, 0.0),
        Costs(5.0, 0.0, 2.0, 1.0),
        Costs(5.0, 0.0, 0.0, 0.1),
        Costs(1e4, 1.0, 0.0, 1.0),
        Costs(0.01, 1e4, 1.0, 0.0),
    ],
    ids=str,
)
def test_optimality_conditions_hold_where_prices_are_zero(costs):
    for seed in range(8):
        X, sign, task = small_chunk(seed)
        type_3 = np.flatnonzero((sign == 0) & (task == 1))
        expanded = np.hstack([X, X**2, np.ones((len(X), 1))])
        for rows, chunk in (
            (X, Chunk(features=X)),
            (X, Chunk(gram=X @ X.T)),
            (expanded, Chunk(gram=expanded @ expanded.T)),
        ):
            found = list(machines(chunk, sign, task, costs, type_3))
            for machine in found:
                error = violation(machine, rows, sign, task, costs, type_3)
                assert error < 1e-6 * max(1.0, costs.C, costs.C_star)
            assert len(found) == 2 or costs.C_star > 0.0


@pytest.mark.parametrize("free", [1, 2])
def test_the_dual_variables_of_a_free_task_cancel(free):
    X, sign, task = small_chunk(7)
    costs = Costs(1.0, 1.0, *((0.0, 1.0) if free == 1 else (1.0, 0.0)))
    (machine,) = machines(Chunk(features=X), sign, task, costs)
    own = (task == free) & (sign != 0)
    assert machine.coefficients[own].any()
    np.testing.assert_allclose(X[own].T @ machine.coefficients[own], 0.0, atol=1e-9)


def test_nothing_costs_anything():
    X, sign, task = small_chunk(0)
    type_3 = np.flatnonzero((sign == 0) & (task == 1))
    (machine,) = machines(Chunk(features=X), sign, task, Costs(0.0, 0.0, 0.0), type_3)
    assert not any(machine.coefficients_of(task).any() for task in (0, 1, 2))
    assert machine.intercept == pytest.approx(sign[sign != 0].mean())
    for labels, expected in (([1, 1, -1], 1.0), ([1, -1, -1], -1.0), ([1, -1], 0.0)):
        n = len(labels)
        (machine,) = machines(
            Chunk(features=np.eye(n)), np.array(labels, float), np.ones(n, int), Costs(0.0)
        )
        assert machine.intercept == expected
