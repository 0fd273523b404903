"""A table of customers, some of whom leave: 20 columns of all kinds, as a raw file has them.

About 8 % leave. What makes them leave changes half-way, and two columns appear after two fifths of
the rows.
"""

from __future__ import annotations

import csv
import datetime
import math
import pathlib
import random
from collections.abc import Iterator

TARGET = "churned"
N_ROWS = 20_000
# The share of the rows without the columns that appear late.
LATE = 0.4
_PLANS = {"basic": 0.3, "family": -0.5, "premium": -0.2, "student": 0.5}
_REGIONS = {
    name: (i % 5 - 2) / 4 for i, name in enumerate(["north", "south", "east", "west", "centre"])
}
_DEVICES = {"android": 0.0, "ios": -0.2, "none": 0.4}
_OFFERS = {"discount": -0.8, "upgrade": -0.3, "none": 0.5}
_CALM = [
    "thanks",
    "for",
    "the",
    "help",
    "my",
    "phone",
    "works",
    "fine",
    "and",
    "the",
    "bill",
    "was",
    "right",
]
_ANGRY = [
    "line",
    "is",
    "dead",
    "again",
    "and",
    "nobody",
    "calls",
    "back",
    "I",
    "want",
    "to",
    "cancel",
    "this",
    "expensive",
    "plan",
]
_START = datetime.date(2021, 1, 1)


def rows(n: int = N_ROWS, seed: int = 0) -> Iterator[dict[str, str]]:
    """Yield the rows, all cells of which are strings; a column that appears late is empty before."""
    rng = random.Random(seed)
    for i in range(n):
        drifted = i >= n / 2
        angry = rng.random() < 0.2
        tenure = int(rng.expovariate(1 / 30))
        bill = max(5.0, rng.lognormvariate(3.6, 0.6))
        calls = int(rng.expovariate(1 / (4 if angry else 1.5)))
        usage = rng.lognormvariate(2, 0.8)
        autopay, paperless, roaming = (rng.random() < share for share in (0.6, 0.5, 0.2))
        plan, region, device = (rng.choice(list(of)) for of in (_PLANS, _REGIONS, _DEVICES))
        today = _START + datetime.timedelta(days=i * 700 // n)
        signup = today - datetime.timedelta(days=30 * tenure + rng.randint(0, 29))
        contact = datetime.datetime.combine(today, datetime.time(rng.randint(7, 21)))
        contact -= datetime.timedelta(days=rng.randint(0, 60), minutes=rng.randint(0, 59))
        satisfaction = rng.gauss(6 - 2 * angry, 2)
        offer = rng.choice(list(_OFFERS))
        late = i >= LATE * n
        score = (
            -3.7
            + (0.25 if drifted else 0.45) * calls
            - 0.02 * tenure
            + (1.4 if drifted else 0.4) * math.log(bill / 36)
            + _PLANS[plan] * (-1 if drifted else 1)
            + _REGIONS[region]
            + _DEVICES[device]
            - 0.7 * autopay
            + 1.3 * angry
            + (0.5 if contact.weekday() >= 5 else 0.0)
            - 0.25 * (satisfaction - 6)
            + _OFFERS[offer]
        )
        note = rng.choices(_ANGRY if angry else _CALM, k=rng.randint(4, 9))
        yield {
            "customer": f"C{rng.randrange(10**8):08}",
            "age": rng.choice(["unknown", ""]) if rng.random() < 0.05 else str(rng.randint(18, 85)),
            "tenure": str(tenure),
            "calls": str(calls),
            "usage": f"{usage:.2f}",
            "minutes": f"{rng.gauss(200, 60):.1f}",
            "messages": str(rng.randint(0, 400)),
            "devices": str(rng.randint(1, 5)),
            "bill": f"${bill:,.2f}",
            "plan": plan,
            "region": region,
            "device": device,
            "autopay": "yes" if autopay else "no",
            "paperless": str(paperless),
            "roaming": "Yes" if roaming else "No",
            "signup": signup.strftime("%d/%m/%Y"),
            "contact": contact.strftime("%Y-%m-%d %H:%M"),
            "note": "" if rng.random() < 0.3 else " ".join(note),
            "satisfaction": f"{satisfaction:.1f}" if late else "",
            "offer": offer if late else "",
            TARGET: "Yes" if rng.random() < 1 / (1 + math.exp(-score)) else "No",
        }


def write(path: pathlib.Path, n: int = N_ROWS, seed: int = 0) -> None:
    """Write the table to a CSV file."""
    table = rows(n, seed)
    first = next(table)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(table)
