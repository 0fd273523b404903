from __future__ import annotations

import random

import pytest


@pytest.fixture
def rows():
    """Rows of a table: two numbers, a category, text, an identifier, a constant and a label."""
    rng = random.Random(1)
    made = []
    for i in range(300):
        a, b, colour = rng.gauss(0, 1), rng.gauss(5, 2), rng.choice(["red", "green", "blue"])
        label = "yes" if a + (colour == "red") + rng.gauss(0, 0.3) > 0.3 else "no"
        mood = "good fine nice" if label == "yes" else "bad poor sad"
        made.append(
            {
                "a": "" if rng.random() < 0.1 else f"{a:.3f}",
                "b": "NA" if rng.random() < 0.1 else f"{b:.3f}",
                "colour": "?" if rng.random() < 0.1 else colour,
                "note": f"a day of {mood} number{i}",
                "id": f"doc{i}",
                "constant": "7",
                "label": label,
            }
        )
    return made


@pytest.fixture
def table(rows, tmp_path):
    """A CSV file of these rows."""
    path = tmp_path / "table.csv"
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
