from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["as_run"]


def as_run(
    X: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    order: Sequence[int],
    shares: Sequence[float],
    mode: int,
    B: float,
    C: float = 1.0,
    radius: float | None = 1000**0.5,
    step: str = "pa",
    selection: str = "largest",
    seed: int = 0,
) -> npt.NDArray[np.bool_]:
    """Return the errors of STSD and OLSF as in their published runs, which differ from the papers.

    This is not a learner, but a function that gives the published figures, to the digit where the
    orders of the rows are known. It divides by the length of an instance where the papers have its
    square, and has the loss of mode 2 with a bracket in another place. It rounds B d, to zero if it
    is small, which leaves no weights. A margin of zero is an error. The first share of the features
    is shown for two chunks, and the last one to the few instances, if any, that the division into
    chunks leaves over. New features with a loss of zero get the step size of the last instance that
    was learned.

    Parameters
    ----------
    X
        All instances, with all features.
    y
        Their labels, +1 or -1.
    order
        The order in which they come.
    shares
        The share of the features in each chunk.
    mode, B, C, radius, step, selection
        As in `OLSFClassifier`.
    seed
        Seed of the random selection.

    Returns
    -------
    Whether each instance, in their order, is predicted wrongly.

    """
    n, n_features = X.shape
    chunk = n // len(shares)
    rng = np.random.default_rng(seed)
    wrong = np.zeros(n, dtype=bool)
    w = np.zeros(0)
    tau = 0.0
    for t, row in enumerate(order):
        share = shares[min(max(t // chunk, 1), len(shares)) - 1]
        # A product such as 0.7 * 10 must not be below the whole number that is meant.
        x, label = X[row, : max(1, int(share * n_features + 1e-9))], y[row]
        n_old = len(w)
        q = float(w @ x[:n_old])
        loss = 1.0 - label * q
        wrong[t] = label * q <= 0
        if loss > 0:
            length = float(np.sqrt(x @ x))
            if step == "perceptron":
                tau = 1.0
            elif mode == 2:
                tau = 1.0 - label * q / (length + 1 / (2 * C))
            else:
                tau = loss / length if length else 0.0
                tau = tau if mode == 0 else min(C, tau)
            w = w + tau * label * x[:n_old]
        elif len(x) == n_old:
            continue
        w = np.concatenate([w, tau * label * x[n_old:]])
        norm = np.abs(w).sum()
        if radius is not None and norm > radius:
            w *= radius / norm
        n_kept = int(B * len(w) + 0.5)
        if np.count_nonzero(w) > n_kept:
            by_rank = (
                rng.permutation(len(w))
                if selection == "random"
                else np.argsort(-abs(w), kind="stable")
            )
            w[by_rank[n_kept:]] = 0.0
    return wrong
